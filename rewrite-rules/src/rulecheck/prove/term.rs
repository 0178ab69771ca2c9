//! One element of a value as a term over elements of the inputs: every kind by its tensor expression
//! ([`egret_ir::expr`]), index maps composed away.

use egret_ir::expr::{self, Expr, Index};
use egret_ir::graph::{Graph, ValueId};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, ConstId, Monoid, Op};
use egret_ir::{DType, Dim, Literal, Symbol, Type};

use super::index::Scope;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// An input of the graph.
    Input(u32),
    /// A constant of the table: its elements are unknown to a proof.
    Const(ConstId),
}

/// A condition on indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cond {
    /// The index is ≥ 0.
    NonNegative(Dim),
    /// The number divides the index.
    Divides(i64, Dim),
}

/// A fold over variables in that order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fold {
    /// The fold.
    pub monoid: Monoid,
    /// Accumulator type.
    pub acc: DType,
    /// Variables with their extents.
    pub vars: Vec<(Symbol, Dim)>,
    /// Terms count where all hold.
    pub guards: Vec<Cond>,
    /// The term.
    pub body: Term,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// A number.
    Literal(Literal),
    /// An index as a number.
    Index(Dim, DType),
    /// An element.
    Read(Source, DType, Vec<Dim>),
    /// A function; of any number of operands where it is associative.
    Apply(Scalar, Vec<Self>),
    /// A fold.
    Fold(Box<Fold>),
    /// The first where all conditions hold, else the second.
    Select(Vec<Cond>, Box<Self>, Box<Self>),
    /// Σ coefficient · Π factor^power, in a normal form ([`super::normal`]).
    Sum(DType, Vec<Product>),
}

/// A product with its rational coefficient: numerator, denominator, factors with powers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Factors, sorted, none of power 0.
    pub factors: Vec<(Term, i32)>,
    /// Coefficient.
    pub numerator: i128,
    /// Its denominator, positive.
    pub denominator: i128,
}

impl Term {
    /// Its element type; None for what has no operands to tell.
    pub fn dtype(&self) -> Option<DType> {
        match self {
            Self::Literal(l) => Some(l.dtype()),
            Self::Index(_, d) | Self::Read(_, d, _) | Self::Sum(d, _) => Some(*d),
            Self::Apply(f, args) => {
                let types: Option<Vec<DType>> = args.iter().take(f.arity()).map(Self::dtype).collect();
                f.result(&types?)
            }
            Self::Fold(f) if f.monoid.is_arg() => Some(DType::I64),
            Self::Fold(f) => Some(f.acc),
            Self::Select(_, then, _) => then.dtype(),
        }
    }
}

/// Builds the terms of a graph's values.
pub struct Elements<'a> {
    graph: &'a Graph,
    /// Index variables so far.
    pub scope: Scope,
    /// Terms that may still be built, against explosion of shared values.
    budget: usize,
}

impl<'a> Elements<'a> {
    /// For a graph whose composites are written out.
    pub fn new(graph: &'a Graph) -> Self {
        Self { graph, scope: Scope::default(), budget: 4000 }
    }

    /// The element of the first result at indices of their own; None where some kind has no tensor expression.
    pub fn result(&mut self) -> Option<Term> {
        let v = self.graph.outputs.first()?.value;
        let shape = self.graph.ty(v).as_tensor()?.shape.clone();
        let at: Vec<Dim> = shape.iter().map(|d| self.scope.var(d)).collect();
        self.element(v, &at)
    }

    /// The element of a value at given indices.
    pub fn element(&mut self, v: ValueId, at: &[Dim]) -> Option<Term> {
        self.budget = self.budget.checked_sub(1)?;
        let node = self.graph.node(v);
        let dtype = node.ty.as_tensor()?.dtype;
        let read = |source| Term::Read(source, dtype, at.iter().map(|d| self.scope.joined(d)).collect());
        match &node.op {
            Op::Input(i) => Some(read(Source::Input(*i))),
            Op::Const(Const::Dense(id)) => Some(match self.graph.tables.tensor(*id).splat() {
                Some(l) => Term::Literal(l),
                None => read(Source::Const(*id)),
            }),
            op => {
                let types: Vec<&Type> = node.args.iter().map(|a| self.graph.ty(*a)).collect();
                let meaning = expr::meaning(op, &types)?;
                let mut env = at.to_vec();
                self.expression(&meaning.body, &node.args, &mut env)
            }
        }
    }

    fn expression(&mut self, e: &Expr, args: &[ValueId], env: &mut Vec<Dim>) -> Option<Term> {
        Some(match e {
            Expr::Literal(l) => Term::Literal(*l),
            Expr::Index(i, dtype) => {
                let d = self.index(i, env)?;
                match d.as_const() {
                    Some(n) => Term::Literal(Literal::from_i64(*dtype, n)),
                    None => Term::Index(d, *dtype),
                }
            }
            Expr::Read { operand, at } => {
                let at = at.iter().map(|i| self.index(i, env)).collect::<Option<Vec<_>>>()?;
                self.element(*args.get(*operand)?, &at)?
            }
            Expr::Apply(f, operands) => {
                Term::Apply(*f, operands.iter().map(|x| self.expression(x, args, env)).collect::<Option<_>>()?)
            }
            Expr::Select { when, then, other } => {
                let conds = self.conditions(when, env)?;
                if conds.iter().any(|c| self.never(c)) {
                    return self.expression(other, args, env);
                }
                let open: Vec<Cond> = conds.into_iter().filter(|c| !self.always(c)).collect();
                let then = self.expression(then, args, env)?;
                if open.is_empty() {
                    return Some(then);
                }
                let other = self.expression(other, args, env)?;
                Term::Select(open, Box::new(then), Box::new(other))
            }
            Expr::Fold { monoid, acc, vars, guards, body } => {
                let mut named = Vec::new();
                for (v, extent) in vars {
                    let var = self.scope.var(extent);
                    if let Some(s) = var.as_symbol() {
                        named.push((s.clone(), extent.clone()));
                    }
                    if env.len() <= v.index() {
                        env.resize(v.index() + 1, Dim::ZERO);
                    }
                    env[v.index()] = var;
                }
                let guards = self.conditions(guards, env)?;
                let guards: Vec<Cond> = guards.into_iter().filter(|c| !self.always(c)).collect();
                let body = self.expression(body, args, env)?;
                // The position in a fold of one element, too, is known.
                if named.is_empty() && guards.is_empty() && monoid.is_arg() {
                    return Some(Term::Literal(Literal::i64(0)));
                }
                if named.is_empty() && guards.is_empty() {
                    return Some(body);
                }
                Term::Fold(Box::new(Fold { monoid: *monoid, acc: *acc, vars: named, guards, body }))
            }
        })
    }

    fn always(&self, c: &Cond) -> bool {
        match c {
            Cond::NonNegative(d) => self.scope.nonnegative(d),
            Cond::Divides(n, d) => self.scope.modulo(d, &Dim::from(*n)) == Dim::ZERO,
        }
    }

    fn never(&self, c: &Cond) -> bool {
        match c {
            Cond::NonNegative(d) => self.scope.nonnegative(&(Dim::ZERO - Dim::ONE - d.clone())),
            Cond::Divides(..) => false,
        }
    }

    fn conditions(&mut self, conds: &[expr::Cond], env: &[Dim]) -> Option<Vec<Cond>> {
        let mut out = Vec::new();
        for c in conds {
            match c {
                expr::Cond::Inside(i, extent) => {
                    let d = self.index(i, env)?;
                    out.push(Cond::NonNegative(extent.clone() - Dim::ONE - d.clone()));
                    out.push(Cond::NonNegative(d));
                }
                expr::Cond::Below(i, bound) => {
                    let d = self.index(i, env)?;
                    out.push(Cond::NonNegative(bound.clone() - Dim::ONE - d));
                }
                expr::Cond::Divides(n, i) => out.push(Cond::Divides(*n, self.index(i, env)?)),
            }
        }
        out.sort();
        out.dedup();
        Some(out)
    }

    /// None for an index read from data.
    fn index(&self, i: &Index, env: &[Dim]) -> Option<Dim> {
        Some(match i {
            Index::Var(v) => env.get(v.index())?.clone(),
            Index::Dim(d) => d.clone(),
            Index::Add(a, b) => self.scope.joined(&(self.index(a, env)? + self.index(b, env)?)),
            Index::Mul(a, by) => self.index(a, env)? * by.clone(),
            Index::Div(a, by) => self.scope.floor_div(&self.index(a, env)?, by),
            Index::Mod(a, by) => self.scope.modulo(&self.index(a, env)?, by),
            Index::Element { .. } => return None,
        })
    }
}
