//! The slow and obvious way: a tensor expression, element by element, straight from the index notation. The oracle of the
//! rest of the interpreter.

use super::array::{Array, Data, count, each_index};
use super::error::Trap;
use super::{Bindings, Cx, Domain, ints, map};
use crate::dtype::DType;
use crate::expr::{Cond, Expr, Index, TensorExpr};
use crate::graph::Tables;
use crate::op::Monoid;

/// Evaluates every element of an expression over operands.
pub fn eval<D: Domain>(
    domain: &D,
    expr: &TensorExpr,
    args: &[&Array<D::Float>],
    bindings: &Bindings,
) -> Result<Array<D::Float>, Trap> {
    let shape = expr.ty.shape.iter().map(|d| bindings.size(d)).collect::<Result<Vec<_>, _>>()?;
    count(&shape)?;
    let walk = Walk { domain, args, bindings };
    let mut elements = Vec::new();
    each_index(&shape, |index| elements.push(walk.expr(&expr.body, index)));
    stack(expr.ty.dtype, shape, elements.into_iter().collect::<Result<Vec<_>, _>>()?)
}

/// Rank-0 arrays as one of `shape`.
fn stack<F: Copy>(dtype: DType, shape: Vec<usize>, elements: Vec<Array<F>>) -> Result<Array<F>, Trap> {
    let misfit = || Trap::Shapes { kind: "expression", shapes: vec![shape.clone()] };
    let data = if dtype.is_float() {
        Data::Float(
            elements.iter().map(|e| Some(e.floats()?[0])).collect::<Option<Vec<F>>>().ok_or_else(misfit)?.into(),
        )
    } else if dtype == DType::Bool {
        Data::Bool(
            elements.iter().map(|e| Some(e.bools()?[0])).collect::<Option<Vec<bool>>>().ok_or_else(misfit)?.into(),
        )
    } else {
        Data::Int(elements.iter().map(|e| Some(e.ints()?[0])).collect::<Option<Vec<i64>>>().ok_or_else(misfit)?.into())
    };
    Ok(Array::new(dtype, shape, data))
}

struct Walk<'a, D: Domain> {
    domain: &'a D,
    args: &'a [&'a Array<D::Float>],
    bindings: &'a Bindings,
}

impl<D: Domain> Walk<'_, D> {
    fn index(&self, ix: &Index, vars: &[usize]) -> Result<i64, Trap> {
        Ok(match ix {
            Index::Var(v) => vars[v.index()] as i64,
            Index::Dim(d) => self.bindings.number(d)?,
            Index::Add(a, b) => self.index(a, vars)? + self.index(b, vars)?,
            Index::Mul(a, d) => self.index(a, vars)? * self.bindings.number(d)?,
            Index::Div(a, d) => self.index(a, vars)?.div_euclid(self.bindings.number(d)?),
            Index::Mod(a, d) => self.index(a, vars)?.rem_euclid(self.bindings.number(d)?),
            Index::Element { value, extent, wraps } => {
                let (element, extent) = (self.expr(value, vars)?, self.bindings.size(extent)?);
                let value = element.ints().map_or(-1, |v| v[0]);
                let i = if value < 0 && *wraps { value + extent as i64 } else { value };
                if i < 0 || i >= extent as i64 {
                    return Err(Trap::Index { index: value, extent });
                }
                i
            }
        })
    }

    fn holds(&self, conds: &[Cond], vars: &[usize]) -> Result<bool, Trap> {
        for c in conds {
            let holds = match c {
                Cond::Inside(ix, d) => (0..self.bindings.number(d)?).contains(&self.index(ix, vars)?),
                Cond::Below(ix, d) => self.index(ix, vars)? < self.bindings.number(d)?,
                Cond::Divides(by, ix) => self.index(ix, vars)? % by == 0,
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value, as a rank-0 array.
    fn expr(&self, e: &Expr, vars: &[usize]) -> Result<Array<D::Float>, Trap> {
        let tables = Tables::default();
        let cx = Cx { domain: self.domain, tables: &tables, bindings: self.bindings };
        match e {
            Expr::Read { operand, at } => {
                let x = self.args[*operand];
                let mut flat = 0;
                for (ix, extent) in at.iter().zip(x.shape()) {
                    let index = self.index(ix, vars)?;
                    let inside = usize::try_from(index).ok().filter(|i| i < extent);
                    flat = flat * extent + inside.ok_or(Trap::Index { index, extent: *extent })?;
                }
                let data = match x.data() {
                    Data::Float(v) => Data::Float(vec![v[flat]].into()),
                    Data::Int(v) => Data::Int(vec![v[flat]].into()),
                    Data::Bool(v) => Data::Bool(vec![v[flat]].into()),
                };
                Ok(Array::new(x.dtype(), Vec::new(), data))
            }
            Expr::Literal(l) => Ok(super::array::from_literal(self.domain, *l)),
            Expr::Index(ix, dtype) => {
                let value = Array::int(DType::I64, [], vec![self.index(ix, vars)?]);
                Ok(Array::new(*dtype, Vec::new(), map::cast(&cx, 0, *dtype, &value)?))
            }
            Expr::Apply(row, args) => {
                let args = args.iter().map(|a| self.expr(a, vars)).collect::<Result<Vec<_>, _>>()?;
                map::map(&cx, 0, *row, &args.iter().collect::<Vec<_>>())
            }
            Expr::Fold { monoid, acc, vars: folded, guards, body } => {
                let extents = folded.iter().map(|(_, d)| self.bindings.size(d)).collect::<Result<Vec<_>, _>>()?;
                let mut terms = Vec::new();
                let mut number = 0;
                each_index(&extents, |r| {
                    let all = [vars, r].concat();
                    match self.holds(guards, &all) {
                        Ok(true) => terms.push(self.expr(body, &all).map(|term| (number, term))),
                        Ok(false) => {}
                        Err(trap) => terms.push(Err(trap)),
                    }
                    number += 1;
                });
                self.fold(*monoid, *acc, terms.into_iter().collect::<Result<Vec<_>, _>>()?)
            }
            Expr::Select { when, then, other } => self.expr(if self.holds(when, vars)? { then } else { other }, vars),
        }
    }

    /// Terms with their numbers, one after the other.
    fn fold(&self, monoid: Monoid, acc: DType, terms: Vec<(i64, Array<D::Float>)>) -> Result<Array<D::Float>, Trap> {
        if acc.is_float() {
            self.domain.admits(monoid)?;
        }
        if monoid.is_arg() {
            let mut best: Option<(i64, Array<D::Float>)> = None;
            for (number, term) in terms {
                let better = match &best {
                    None => true,
                    Some((_, b)) => match (b.data(), term.data()) {
                        (Data::Float(b), Data::Float(x)) => self.domain.improves(monoid, b[0], x[0]),
                        (Data::Int(b), Data::Int(x)) => ints::improves(monoid, acc, b[0], x[0]),
                        _ => false,
                    },
                };
                if better {
                    best = Some((number, term));
                }
            }
            let (number, _) = best.ok_or(Trap::EmptyArg(monoid.name()))?;
            return Ok(Array::int(DType::I64, [], vec![number]));
        }
        let mut sum: Option<Array<D::Float>> = None;
        for (_, term) in terms {
            sum = Some(match &sum {
                None => term,
                Some(sum) => match (sum.data(), term.data()) {
                    (Data::Float(s), Data::Float(x)) => {
                        Array::float(acc, [], vec![self.domain.step(monoid, acc, s[0], x[0])])
                    }
                    (Data::Int(s), Data::Int(x)) => Array::int(acc, [], vec![ints::step(monoid, acc, s[0], x[0])]),
                    (Data::Bool(s), Data::Bool(x)) => {
                        let any = matches!(monoid, Monoid::Or | Monoid::Max);
                        Array::bool([], vec![if any { s[0] || x[0] } else { s[0] && x[0] }])
                    }
                    _ => return Err(Trap::Shapes { kind: "fold", shapes: Vec::new() }),
                },
            });
        }
        Ok(sum.unwrap_or_else(|| {
            if acc.is_float() {
                Array::float(acc, [], vec![self.domain.empty(monoid, acc)])
            } else if acc == DType::Bool {
                Array::bool([], vec![!matches!(monoid, Monoid::Or | Monoid::Max)])
            } else {
                Array::int(acc, [], vec![ints::empty(monoid, acc)])
            }
        }))
    }
}
