//! The dry run of a right side: ops, types and the number of new e-nodes, before anything is added. Nodes that would do
//! nothing (identity permutes, reshapes to the same shape, empty broadcasts …) are never planned; they are their operand.

use std::sync::Arc;

use egg::Id;
use egret_ir::dim::Shape;
use egret_ir::infer::TypeError;
use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, Op};
use egret_ir::{DType, Literal, TensorType, Type};

use super::egraph::{Data, EGraph, ENode, Ids};
use crate::lang::bound::{Bindings, Bound, Facts};
use crate::lang::{AttrPat, HeadPat, NodePat, Pat, VarId};

/// Why a right side cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// An attribute function has no answer.
    #[error("{0} has no answer for these attributes")]
    NoAttribute(&'static str),
    /// A value of the wrong sort, or attributes that do not fit a head.
    #[error("the right side is malformed here")]
    Malformed,
    /// A literal in a place whose type is not known from its siblings.
    #[error("a literal has no sibling to take its shape from")]
    NoSibling,
    /// The right side is ill-typed.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Both sides are typed, differently.
    #[error("the left side is {left}, the right side {right}")]
    Sides {
        /// Type of the left side.
        left: Type,
        /// Type of the right side.
        right: Type,
    },
}

/// A planned operand: an existing class, or an item of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ref {
    /// Exists.
    Id(Id),
    /// Index in [`Plan::items`].
    Item(usize),
}

/// A planned node.
#[derive(Clone, Debug)]
pub struct Item {
    /// Kind and attributes.
    pub op: Op,
    /// Operands; those that exist by their class.
    pub args: Vec<Ref>,
    /// Operands as the right side is written: items of the plan also where these exist.
    pub parts: Vec<Ref>,
    /// Its data.
    pub data: Data,
    /// Its class, where it exists already.
    pub known: Option<Id>,
}

/// A planned right side.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes, operands first.
    pub items: Vec<Item>,
    /// The whole right side.
    pub root: Ref,
}

impl Plan {
    /// Nodes that would be born.
    pub fn births(&self) -> usize {
        self.items.iter().filter(|i| i.known.is_none()).count()
    }
}

/// Builds plans.
pub struct Planner<'a> {
    egraph: &'a mut EGraph,
    bindings: &'a Bindings,
    items: Vec<Item>,
    /// Whether nodes that would do nothing are left out.
    simplify: bool,
}

/// Plans a left side just as it is written.
pub fn instantiate(egraph: &mut EGraph, lhs: &NodePat, bindings: &Bindings) -> Result<Plan, Refusal> {
    let mut p = Planner { egraph, bindings, items: Vec::new(), simplify: false };
    let root = p.node(lhs, None)?;
    Ok(Plan { items: p.items, root })
}

/// Plans `rhs` under `bindings`, to be united with a class of type `root`.
pub fn plan(egraph: &mut EGraph, rhs: &Pat, bindings: &Bindings, root: &Type) -> Result<Plan, Refusal> {
    let mut p = Planner { egraph, bindings, items: Vec::new(), simplify: true };
    let r = match rhs {
        Pat::Number(_) => {
            let t = root.as_tensor().ok_or(Refusal::NoSibling)?;
            p.literal(rhs, None, t)?
        }
        Pat::Computed(a) => match p.attr(a, None)? {
            Bound::Operand(id) => Ref::Id(id),
            _ => p.literal(rhs, None, root.as_tensor().ok_or(Refusal::NoSibling)?)?,
        },
        Pat::Each(_) => return Err(Refusal::Malformed),
        Pat::Var(v) => match &p.bindings[v.index()] {
            Some(Bound::Operand(id)) => Ref::Id(*id),
            Some(Bound::Element(_)) => {
                let t = root.as_tensor().ok_or(Refusal::NoSibling)?;
                p.literal(rhs, None, t)?
            }
            _ => return Err(Refusal::Malformed),
        },
        Pat::Node(n) => p.node(n, None)?,
    };
    let right = p.data(r).ty.clone();
    if *right != *root {
        return Err(Refusal::Sides { left: root.clone(), right: right.as_ref().clone() });
    }
    Ok(Plan { items: p.items, root: r })
}

impl Planner<'_> {
    fn data(&self, r: Ref) -> &Data {
        match r {
            Ref::Id(id) => &self.egraph[id].data,
            Ref::Item(i) => &self.items[i].data,
        }
    }

    fn tensor(&self, r: Ref) -> Option<TensorType> {
        self.data(r).ty.as_tensor().cloned()
    }

    /// A value of a variable, at position `index` of a list where it is one.
    fn value(&self, v: VarId, index: Option<usize>) -> Result<&Bound, Refusal> {
        match (self.bindings[v.index()].as_ref(), index) {
            (Some(Bound::List(items)), Some(i)) => items.get(i).ok_or(Refusal::Malformed),
            (Some(b), _) => Ok(b),
            (None, _) => Err(Refusal::Malformed),
        }
    }

    fn attr(&self, a: &AttrPat, index: Option<usize>) -> Result<Bound, Refusal> {
        match a {
            AttrPat::Var(v) => self.value(*v, index).cloned(),
            AttrPat::Value(a) => Ok(Bound::Attr(a.clone())),
            AttrPat::Call(f, args) => {
                let facts = Facts { egraph: self.egraph };
                let name = f.name;
                let here: Bindings = match index {
                    None => self.bindings.clone(),
                    Some(i) => self
                        .bindings
                        .iter()
                        .map(|b| match b {
                            Some(Bound::List(items)) => items.get(i).cloned(),
                            other => other.clone(),
                        })
                        .collect(),
                };
                let args = args.iter().map(|t| facts.term(t, &here)).collect::<Option<Vec<_>>>();
                args.and_then(|args| (f.compute)(facts, &args)).ok_or(Refusal::NoAttribute(name))
            }
        }
    }

    /// Plans a node of the pattern; inside an ellipsis `index` is the position.
    fn node(&mut self, n: &NodePat, index: Option<usize>) -> Result<Ref, Refusal> {
        let mut attrs = Vec::with_capacity(n.attrs.len());
        for a in &n.attrs {
            match self.attr(a, index)? {
                Bound::Attr(a) => attrs.push(a),
                Bound::Element(l) => attrs.push(Attr::Literal(l)),
                _ => return Err(Refusal::Malformed),
            }
        }
        let head = match &n.head {
            HeadPat::Is(h) => h.clone(),
            HeadPat::AnyMap(v) => match self.value(*v, index)? {
                Bound::Function(f) => Head::Map(*f),
                _ => return Err(Refusal::Malformed),
            },
            HeadPat::AnyReduce(v) => match self.value(*v, index)? {
                Bound::Monoid(m) => Head::Reduce(*m),
                _ => return Err(Refusal::Malformed),
            },
            HeadPat::Cast => match attrs.pop() {
                Some(Attr::DType(to)) => Head::Map(Scalar::Cast(to)),
                _ => return Err(Refusal::Malformed),
            },
        };
        let op = Op::join(head, &attrs).ok_or(Refusal::Malformed)?;
        let mut wanted: Vec<(&Pat, Option<usize>)> = Vec::with_capacity(n.args.len());
        for a in &n.args {
            match a {
                Pat::Each(each) => {
                    let count = self.list_length(each).ok_or(Refusal::Malformed)?;
                    wanted.extend((0..count).map(|i| (each.as_ref(), Some(i))));
                }
                Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) | Pat::Node(_) => wanted.push((a, index)),
            }
        }
        let mut args: Vec<Option<Ref>> = Vec::with_capacity(wanted.len());
        for (pat, index) in &wanted {
            args.push(if self.is_literal(pat, *index) {
                None
            } else {
                Some(match pat {
                    Pat::Var(v) => match self.value(*v, *index)? {
                        Bound::Operand(id) => Ref::Id(*id),
                        _ => return Err(Refusal::Malformed),
                    },
                    Pat::Node(n) => self.node(n, *index)?,
                    Pat::Computed(a) => match self.attr(a, *index)? {
                        Bound::Operand(id) => Ref::Id(id),
                        _ => return Err(Refusal::Malformed),
                    },
                    Pat::Number(_) | Pat::Each(_) => return Err(Refusal::Malformed),
                })
            });
        }
        let args = self.fill_literals(&op, &wanted, args)?;
        self.make(op, args)
    }

    /// Literals take type and shape from the first sibling that is none.
    fn fill_literals(
        &mut self,
        op: &Op,
        wanted: &[(&Pat, Option<usize>)],
        args: Vec<Option<Ref>>,
    ) -> Result<Vec<Ref>, Refusal> {
        if args.iter().all(Option::is_some) {
            return Ok(args.into_iter().flatten().collect());
        }
        let sibling = |skip: usize| args.iter().skip(skip).flatten().next().copied();
        let like = match op {
            Op::Pad(_) => sibling(0).and_then(|r| self.tensor(r)).map(|t| TensorType { shape: Shape::new(), ..t }),
            Op::Map(Scalar::Select) => sibling(1).and_then(|r| self.tensor(r)),
            Op::Map(_) | Op::Concat(_) => sibling(0).and_then(|r| self.tensor(r)),
            _ => None,
        };
        let like = like.ok_or(Refusal::NoSibling)?;
        let mut out = Vec::with_capacity(args.len());
        for (i, (a, (pat, index))) in args.into_iter().zip(wanted).enumerate() {
            out.push(match a {
                Some(r) => r,
                None if i == 0 && *op == Op::Map(Scalar::Select) => {
                    self.literal(pat, *index, &TensorType { dtype: DType::Bool, ..like.clone() })?
                }
                None => self.literal(pat, *index, &like)?,
            });
        }
        Ok(out)
    }

    fn list_length(&self, p: &Pat) -> Option<usize> {
        let of = |v: VarId| match &self.bindings[v.index()] {
            Some(Bound::List(items)) => Some(items.len()),
            _ => None,
        };
        match p {
            Pat::Var(v) => of(*v),
            Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => None,
            Pat::Node(n) => n
                .attrs
                .iter()
                .find_map(|a| match a {
                    AttrPat::Var(v) => of(*v),
                    AttrPat::Value(_) | AttrPat::Call(..) => None,
                })
                .or_else(|| n.args.iter().find_map(|a| self.list_length(a))),
        }
    }

    /// Whether a position is a literal: a number, an element, or (in an ellipsis) a movement over an element.
    fn is_literal(&self, p: &Pat, index: Option<usize>) -> bool {
        match p {
            Pat::Number(_) => true,
            Pat::Computed(a) => matches!(self.attr(a, index), Ok(Bound::Element(_) | Bound::Attr(Attr::Literal(_)))),
            Pat::Each(_) => false,
            Pat::Var(v) => matches!(self.value(*v, index), Ok(Bound::Element(_))),
            Pat::Node(n) => {
                index.is_some()
                    && n.args.iter().any(|a| {
                        matches!(a, Pat::Var(v) if matches!(self.bindings[v.index()], Some(Bound::List(_))))
                            && self.is_literal(a, index)
                    })
            }
        }
    }

    fn element(&self, p: &Pat, index: Option<usize>, like: &TensorType) -> Result<Literal, Refusal> {
        match p {
            Pat::Number(x) => Ok(Literal::from_f64(like.dtype, *x)),
            Pat::Computed(a) => match self.attr(a, index)? {
                Bound::Element(l) | Bound::Attr(Attr::Literal(l)) => Ok(l),
                _ => Err(Refusal::Malformed),
            },
            Pat::Each(_) => Err(Refusal::Malformed),
            Pat::Var(v) => match self.value(*v, index)? {
                Bound::Element(l) => Ok(*l),
                _ => Err(Refusal::Malformed),
            },
            Pat::Node(n) => match n.args.first() {
                Some(a) => self.element(a, index, like),
                None => Err(Refusal::Malformed),
            },
        }
    }

    fn literal(&mut self, p: &Pat, index: Option<usize>, like: &TensorType) -> Result<Ref, Refusal> {
        let l = self.element(p, index, like)?;
        self.splat(l, &like.shape)
    }

    fn splat(&mut self, l: Literal, shape: &Shape) -> Result<Ref, Refusal> {
        let scalar = self.item(Op::Const(Const::Scalar(l)), vec![])?;
        if shape.is_empty() {
            return Ok(scalar);
        }
        let new = shape.iter().enumerate().map(|(i, d)| (i as u8, d.clone())).collect();
        self.item(Op::Broadcast(new), vec![scalar])
    }

    /// Plans a node, or gives its operand where it would do nothing.
    fn make(&mut self, op: Op, args: Vec<Ref>) -> Result<Ref, Refusal> {
        if !self.simplify {
            return self.item(op, args);
        }
        let moves = matches!(op, Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_));
        if moves && args.len() == 1 {
            // A movement of a splat is a splat.
            let data = self.data(args[0]);
            if let Some(l) = data.splat.filter(|_| data.constant) {
                let data = data.clone();
                let ty = self.egraph.analysis.infer(&op, &[&data])?.ty;
                if let Some(t) = ty.as_tensor() {
                    return if *ty == *data.ty { Ok(args[0]) } else { self.splat(l, &t.shape.clone()) };
                }
            }
        }
        if let [x] = args.as_slice()
            && let Some(t) = self.tensor(*x)
            && does_nothing(&op, &t)
        {
            return Ok(*x);
        }
        if let (Op::Pad(axes), Some(x)) = (&op, args.first())
            && axes.iter().all(|a| a.lo.as_const() == Some(0) && a.hi.as_const() == Some(0) && a.inner == 0)
        {
            return Ok(*x);
        }
        self.item(op, args)
    }

    fn item(&mut self, op: Op, args: Vec<Ref>) -> Result<Ref, Refusal> {
        // Planned operands that exist are named by their class, so that equal nodes are found.
        let parts = args.clone();
        let args: Vec<Ref> = args
            .into_iter()
            .map(|r| match r {
                Ref::Item(i) => self.items[i].known.map_or(r, Ref::Id),
                Ref::Id(id) => Ref::Id(self.egraph.find(id)),
            })
            .collect();
        if let Some(i) = self.items.iter().position(|x| x.op == op && x.args == args && x.parts == parts) {
            return Ok(Ref::Item(i));
        }
        let data: Vec<Data> = args.iter().map(|r| self.data(*r).clone()).collect();
        let data = self.egraph.analysis.infer(&op, &data.iter().collect::<Vec<_>>())?;
        let ids: Option<Ids> = args
            .iter()
            .map(|r| match r {
                Ref::Id(id) => Some(*id),
                Ref::Item(_) => None,
            })
            .collect();
        let known = ids.and_then(|args| {
            let r = self.egraph.analysis.ops.get_index_of(&op)?;
            self.egraph.lookup(ENode { op: super::egraph::OpRef(r as u32), args })
        });
        self.items.push(Item { op, args, parts, data, known });
        Ok(Ref::Item(self.items.len() - 1))
    }
}

/// Whether an op with one operand of that type is the identity.
pub fn does_nothing(op: &Op, x: &TensorType) -> bool {
    match op {
        Op::Permute(p) => p.is_identity(),
        Op::Reshape(s) => *s == x.shape,
        Op::Broadcast(new) => new.is_empty(),
        Op::Slice(axes) => axes
            .iter()
            .zip(&x.shape)
            .all(|(a, d)| a.start.as_const() == Some(0) && (a.step == 1 || d.as_const() == Some(1)) && a.len == *d),
        Op::Concat(_) => true,
        Op::Map(Scalar::Cast(to) | Scalar::BitCast(to)) => *to == x.dtype,
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Pad(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Call(_)
        | Op::Opaque(_)
        | Op::Proj(_) => false,
    }
}

/// The type of an operand after the plan, for messages.
pub fn type_of(plan: &Plan, egraph: &EGraph, r: Ref) -> Arc<Type> {
    match r {
        Ref::Id(id) => egraph[id].data.ty.clone(),
        Ref::Item(i) => plan.items[i].data.ty.clone(),
    }
}
