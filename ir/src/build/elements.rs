//! Elements of small integer values as expressions of extents: partial evaluation, kind by kind.

use super::Builder;
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::graph::{Graph, ValueId};
use crate::op::scalar::Scalar;
use crate::op::{Const, Monoid, Op};
use crate::tensor::Tensor;

/// Larger values are left to the graph.
const MAX: usize = 1024;

/// Those of a constant.
pub fn of_constant(graph: &Graph, v: ValueId) -> Option<Vec<Dim>> {
    match &graph.node(v).op {
        Op::Const(Const::Scalar(l)) => integers(&Tensor::scalar(*l)),
        Op::Const(Const::Dense(id)) => integers(graph.tables.tensor(*id)),
        _ => None,
    }
}

fn takes_part(dtype: DType) -> bool {
    dtype.is_int() && dtype != DType::U64
}

fn integers(t: &Tensor) -> Option<Vec<Dim>> {
    (takes_part(t.dtype()) && t.len() <= MAX).then(|| (0..t.len()).map(|i| Dim::from(t.get(i).to_i64())).collect())
}

/// An operand: its extents and elements.
struct Known {
    shape: Vec<usize>,
    elements: Vec<Dim>,
}

/// Those of what an operator gives, before it is added.
pub fn of_op(b: &Builder, op: &Op, args: &[ValueId]) -> Option<Vec<Dim>> {
    match op {
        // Constants are looked up in the tables.
        Op::Const(_) => return None,
        Op::Dim(d) => return Some(vec![d.clone()]),
        Op::Iota { len, dtype } => {
            let n = len.as_const().filter(|n| takes_part(*dtype) && (0..=MAX as i64).contains(n))?;
            return Some((0..n).map(Dim::from).collect());
        }
        _ => {}
    }
    let known = |v: &ValueId| {
        let t = b.graph().ty(*v).as_tensor().filter(|t| takes_part(t.dtype))?;
        // Beside a zero, too, extents must be small: products of some of them are taken.
        let shape = t.static_shape()?;
        let whole = shape.iter().try_fold(1usize, |n, d| n.checked_mul((*d).max(1)));
        whole.filter(|n| *n <= MAX).and_then(|_| Some(Known { elements: b.elements(*v)?, shape }))
    };
    let known: Vec<Known> = args.iter().map(known).collect::<Option<_>>()?;
    let first = known.first()?;
    let symbols = &b.graph().tables.symbols;
    let out = match op {
        Op::Reshape(_) => first.elements.clone(),
        Op::Permute(p) => {
            let shape = (p.rank() == first.shape.len()).then(|| p.apply(&first.shape))?;
            let strides = p.apply(&strides(&first.shape));
            picked(first, &shape, |at| dot(at, &strides))?
        }
        Op::Broadcast(new) => {
            let rank = first.shape.len() + new.len();
            let mut old = strides(&first.shape).into_iter();
            let mut extents = first.shape.iter().copied();
            let (mut shape, mut steps) = (Vec::new(), Vec::new());
            for i in 0..rank {
                if let Some((_, d)) = new.iter().find(|(at, _)| usize::from(*at) == i) {
                    shape.push(usize::try_from(d.as_const()?).ok()?);
                    steps.push(0);
                } else {
                    shape.push(extents.next()?);
                    steps.push(old.next()?);
                }
            }
            picked(first, &shape, |at| dot(at, &steps))?
        }
        Op::Slice(axes) => {
            let steps = strides(&first.shape);
            let mut shape = Vec::new();
            let mut starts = Vec::new();
            for (a, d) in axes.iter().zip(&first.shape) {
                let (start, len) = (a.start.as_const()?, a.len.as_const()?);
                let last = start.checked_add(a.step.checked_mul(len.checked_sub(1)?)?)?;
                if len > 0 && ![start, last].iter().all(|at| (0..*d as i64).contains(at)) {
                    return None;
                }
                shape.push(usize::try_from(len).ok()?);
                starts.push((start, a.step));
            }
            picked(first, &shape, |at| {
                let place = |(i, (start, step)): (&usize, &(i64, i64))| (start + step * *i as i64) as usize;
                at.iter().zip(&starts).map(place).zip(&steps).map(|(i, s)| i * s).sum()
            })?
        }
        Op::Concat(axis) => {
            let axis = usize::from(*axis);
            let inner: usize = first.shape.get(axis + 1..)?.iter().product();
            let outer: usize = first.shape.get(..axis)?.iter().product();
            let mut out = Vec::new();
            for o in 0..outer {
                for k in &known {
                    let chunk = k.shape.get(axis)? * inner;
                    out.extend_from_slice(k.elements.get(o * chunk..(o + 1) * chunk)?);
                }
            }
            out
        }
        Op::Gather(spec) => {
            // One index along the first axis: `{@ s, n -> n s}`.
            let along = crate::op::spec::GatherSpec::along(first.shape.len(), 0, known[1].shape.len(), spec.negative);
            if along.ok().as_ref() != Some(spec) {
                return None;
            }
            let inner: usize = first.shape[1..].iter().product();
            let mut out = Vec::new();
            for i in &known[1].elements {
                let i = usize::try_from(i.as_const()?).ok()?;
                let from = i.checked_mul(inner)?;
                out.extend_from_slice(first.elements.get(from..from.checked_add(inner)?)?);
                if out.len() > MAX {
                    return None;
                }
            }
            out
        }
        Op::Map(s) => {
            let scalar = |i: usize| match known.as_slice() {
                [x] => unary(*s, x.elements.get(i)?),
                [x, y] => binary(*s, x.elements.get(i)?, y.elements.get(i)?, symbols),
                _ => None,
            };
            (0..first.elements.len()).map(scalar).collect::<Option<_>>()?
        }
        Op::Reduce { monoid, spec, .. } if !spec.has_windows() && spec.rank() == 0 => {
            let fold: fn(Dim, &Dim) -> Dim = match monoid {
                Monoid::Sum => |a, b| a + b.clone(),
                Monoid::Prod => |a, b| a * b.clone(),
                Monoid::Max => |a, b| a.larger(b),
                Monoid::Min => |a, b| a.smaller(b),
                _ => return None,
            };
            let (head, rest) = first.elements.split_first()?;
            vec![rest.iter().fold(head.clone(), fold)]
        }
        _ => return None,
    };
    (out.len() <= MAX).then_some(out)
}

fn strides(shape: &[usize]) -> Vec<usize> {
    let mut out = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        out[i - 1] = out[i] * shape[i];
    }
    out
}

fn dot(at: &[usize], steps: &[usize]) -> usize {
    at.iter().zip(steps).map(|(i, s)| i * s).sum()
}

/// Elements of a result, each found by its position.
fn picked(from: &Known, shape: &[usize], place: impl Fn(&[usize]) -> usize) -> Option<Vec<Dim>> {
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= MAX)?;
    let mut at = vec![0; shape.len()];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        out.push(from.elements.get(place(&at))?.clone());
        for (i, d) in at.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *d {
                break;
            }
            *i = 0;
        }
    }
    Some(out)
}

fn unary(s: Scalar, x: &Dim) -> Option<Dim> {
    match s {
        Scalar::Neg => Some(Dim::ZERO - x.clone()),
        Scalar::Cast(to) if takes_part(to) => match x.as_const() {
            Some(c) => Some(Dim::from(Literal::from_i64(to, c).to_i64())),
            // An extent fits every type that a model casts it to, or its tensors could not exist.
            None => matches!(to, DType::I64 | DType::I32).then(|| x.clone()),
        },
        _ => None,
    }
}

fn binary(s: Scalar, x: &Dim, y: &Dim, symbols: &crate::dim::Symbols) -> Option<Dim> {
    let positive = y.as_const().is_some_and(|c| c > 0);
    let whole = x.lower_bound(symbols).is_some_and(|lo| lo >= 0);
    match s {
        Scalar::Add => Some(x.clone() + y.clone()),
        Scalar::Sub => Some(x.clone() - y.clone()),
        Scalar::Mul => Some(x.clone() * y.clone()),
        Scalar::Min => Some(x.smaller(y)),
        Scalar::Max => Some(x.larger(y)),
        Scalar::Div => match (x.as_const(), y.as_const()) {
            (Some(a), Some(b)) => a.checked_div(b).map(Dim::from),
            // Truncation is the floor where the dividend is not negative.
            _ => (whole && positive).then(|| x.floor_div(y)),
        },
        Scalar::RemFloor => positive.then(|| x.modulo(y)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;
    use crate::graph::InputDecl;
    use crate::op::{Perm, SliceAxis};
    use crate::types::Type;

    fn list(b: &mut Builder, values: &[i64]) -> ValueId {
        b.constant(Tensor::from_slice([values.len()], values).unwrap())
    }

    #[test]
    fn shape_arithmetic_of_a_flatten_is_known() {
        let mut b = Builder::new("g");
        let n = Dim::symbol(Symbol::new("n"));
        b.input(InputDecl {
            name: "x".into(),
            ty: Type::tensor(DType::F32, vec![n.clone(), Dim::from(6i64)]),
            default: None,
        });
        let shape = b.dims(&[n.clone(), Dim::from(6i64)], DType::I32).unwrap();
        assert_eq!(b.elements(shape), Some(vec![n.clone(), Dim::from(6i64)]));
        let first = b.slice_axis(shape, 0, Dim::ZERO, Dim::ONE).unwrap();
        let six = b.slice_axis(shape, 0, Dim::ONE, Dim::ONE).unwrap();
        let both = b.map(Scalar::Mul, &[first, six]).unwrap();
        assert_eq!(b.elements(both), Some(vec![n.clone() * Dim::from(6i64)]));
        let half = b.with(Scalar::Div, both, 3.0).unwrap();
        assert_eq!(b.elements(half), Some(vec![n * Dim::from(2i64)]));
    }

    #[test]
    fn movement_follows_positions() {
        let mut b = Builder::new("g");
        let flat = list(&mut b, &[0, 1, 2, 3, 4, 5]);
        let table = b.reshape(flat, &[Dim::from(2i64), Dim::from(3i64)]).unwrap();
        let turned = b.add(Op::Permute(Perm::new(&[1, 0]).unwrap()), &[table]).unwrap();
        assert_eq!(b.numbers(turned), Some(vec![0, 3, 1, 4, 2, 5]));
        let back = SliceAxis { start: Dim::from(2i64), step: -1, len: Dim::from(2i64) };
        let row = SliceAxis { start: Dim::ONE, step: 1, len: Dim::ONE };
        let part = b.slice(table, vec![row, back]).unwrap();
        assert_eq!(b.numbers(part), Some(vec![5, 4]));
        let wide = b.insert(flat, vec![(0, Dim::from(2i64))]).unwrap();
        assert_eq!(b.numbers(wide), Some(vec![0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]));
        let joined = b.concat(0, &[table, table]).unwrap();
        assert_eq!(b.numbers(joined).map(|n| n.len()), Some(12));
        let total = b.fold(Monoid::Prod, flat, &[0]).unwrap();
        assert_eq!(b.numbers(total), Some(vec![0]));
    }

    #[test]
    fn empty_values_may_be_long_on_other_axes() {
        let mut b = Builder::new("g");
        let t = b.constant(Tensor::new(DType::I32, vec![0usize, 1 << 40, 1 << 40], Vec::<u8>::new()).unwrap());
        let turned = b.add(Op::Permute(Perm::new(&[2, 0, 1]).unwrap()), &[t]).unwrap();
        assert_eq!(b.elements(turned), None);
        let at = list(&mut b, &[1 << 62]);
        let spec = crate::op::spec::GatherSpec::along(2, 0, 1, crate::op::spec::Negative::Never).unwrap();
        let square = b.constant(Tensor::from_slice([2, 4], &[0i64; 8]).unwrap());
        let picked = b.add(Op::Gather(spec), &[square, at]).unwrap();
        assert_eq!(b.elements(picked), None);
    }

    #[test]
    fn what_does_not_fit_the_type_is_not_known() {
        let mut b = Builder::new("g");
        let t = b.constant(Tensor::from_slice([1], &[100i8]).unwrap());
        let sum = b.map(Scalar::Add, &[t, t]).unwrap();
        assert_eq!(b.elements(sum), None);
    }
}
