//! The meaning of each kind.

use super::{Cond, Expr, Index, TensorExpr, Var};
use crate::dim::{self, Dim};
use crate::dtype::DType;
use crate::graph::Tables;
use crate::infer::infer;
use crate::op::scalar::Scalar;
use crate::op::spec::{DataIx, GatherSpec, Ix, Negative, Spec};
use crate::op::{Const, Monoid, Op, PadAxis};
use crate::types::{TensorType, Type};

fn var(i: usize) -> Index {
    Index::Var(Var(i as u8))
}

fn read(operand: usize, at: Vec<Index>) -> Expr {
    Expr::Read { operand, at }
}

fn cast(e: Expr, from: DType, to: DType) -> Expr {
    if from == to { e } else { Expr::Apply(Scalar::Cast(to), vec![e]) }
}

/// The tensor expression of `op` over operands of these types; None where the kind has none or the types do not fit.
pub fn meaning(op: &Op, args: &[&Type]) -> Option<TensorExpr> {
    // Witnesses give symbols their values; the expression names the symbols.
    let args = &args[..op.regular(args)];
    let tensors: Option<Vec<&TensorType>> = args.iter().map(|t| t.as_tensor()).collect();
    let tensors = tensors?;
    let body = match op {
        Op::Const(Const::Scalar(l)) => {
            return Some(TensorExpr {
                ty: TensorType { dtype: l.dtype(), shape: Vec::new() },
                body: Expr::Literal(*l),
            });
        }
        Op::Const(Const::Dense(_))
        | Op::Input(_)
        | Op::Scatter(..)
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Call(_)
        | Op::Opaque(_)
        | Op::Proj(_) => return None,
        Op::Dim(d) => Expr::Index(Index::Dim(d.clone()), DType::I64),
        Op::Iota { dtype, .. } => Expr::Index(var(0), *dtype),
        Op::Permute(p) => {
            let inverse = p.inverse();
            read(0, (0..p.rank()).map(|axis| var(inverse.at(axis))).collect())
        }
        Op::Reshape(shape) => read(0, regroup(&tensors.first()?.shape, shape)),
        Op::Broadcast(new) => {
            let rank = tensors.first()?.rank() + new.len();
            read(0, (0..rank).filter(|i| new.iter().all(|(at, _)| usize::from(*at) != *i)).map(var).collect())
        }
        Op::Slice(axes) => {
            let at =
                axes.iter().enumerate().map(|(i, a)| var(i).times(&Dim::from(a.step)).add(Index::Dim(a.start.clone())));
            read(0, at.collect())
        }
        Op::Pad(axes) => pad(axes, tensors.first()?),
        Op::Concat(axis) => concat(usize::from(*axis), &tensors),
        Op::Gather(spec) => gather(spec, tensors.first()?),
        Op::Map(row) => {
            let at: Vec<Index> = (0..tensors.first()?.rank()).map(var).collect();
            Expr::Apply(*row, (0..tensors.len()).map(|i| read(i, at.clone())).collect())
        }
        Op::Reduce { monoid, spec, acc } => {
            let x = tensors.first()?;
            let folded = fold(*monoid, *acc, spec, &tensors, |mut reads| cast(reads.remove(0), x.dtype, *acc))?;
            if monoid.is_arg() { folded } else { cast(folded, *acc, x.dtype) }
        }
        Op::Contract { spec, acc, out } => {
            let product = |reads: Vec<Expr>| {
                let factors = reads.into_iter().zip(&tensors).map(|(r, t)| cast(r, t.dtype, *acc)).collect();
                Expr::Apply(Scalar::Mul, factors)
            };
            cast(fold(Monoid::Sum, *acc, spec, &tensors, product)?, *acc, *out)
        }
    };
    let ty = infer(op, args, &Tables::default()).ok()?.as_tensor()?.clone();
    Some(TensorExpr { ty, body })
}

/// Indices into `from` for an index of `to`: axes are split into the smallest groups of equal element counts. Axes of extent
/// 1 are in none.
fn regroup(from: &[Dim], to: &[Dim]) -> Vec<Index> {
    let mut at = Vec::with_capacity(from.len());
    let (mut i, mut j) = (0, 0);
    while i < from.len() {
        if from[i] == Dim::ONE {
            at.push(Index::Dim(Dim::ZERO));
            i += 1;
            continue;
        }
        while to.get(j).is_some_and(|d| *d == Dim::ONE) {
            j += 1;
        }
        let (first_i, first_j) = (i, j);
        let end = loop {
            let (a, b) = (dim::count(&from[first_i..i]), dim::count(&to[first_j..j]));
            if i > first_i && a == b {
                break true;
            }
            let grow_from = i == first_i || smaller(&a, &b).unwrap_or(i - first_i <= j - first_j);
            if grow_from && i < from.len() {
                i += 1;
            } else if j < to.len() {
                j += 1;
            } else if i < from.len() {
                i += 1;
            } else {
                break false;
            }
        };
        if !end {
            (i, j) = (from.len(), to.len());
        }
        group(&from[first_i..i], &to[first_j..j], first_j, &mut at);
    }
    at
}

/// Whether the first count is the smaller one, where that shows: by their difference, or because one divides the other.
fn smaller(a: &Dim, b: &Dim) -> Option<bool> {
    let divides = |a: &Dim, b: &Dim| b.floor_div(a) * a.clone() == *b;
    match (b.clone() - a.clone()).as_const() {
        Some(gap) => Some(gap > 0),
        None if divides(a, b) => Some(true),
        None if divides(b, a) => Some(false),
        None => None,
    }
}

/// One group: its flat index from the result's axes, taken apart into the operand's.
fn group(from: &[Dim], to: &[Dim], first: usize, at: &mut Vec<Index>) {
    let mut flat = Index::Dim(Dim::ZERO);
    for (k, d) in to.iter().enumerate() {
        if *d != Dim::ONE {
            flat = flat.add(var(first + k).times(&dim::count(&to[k + 1..])));
        }
    }
    let wide: Vec<usize> = (0..from.len()).filter(|k| from[*k] != Dim::ONE).collect();
    for k in 0..from.len() {
        at.push(if from[k] == Dim::ONE {
            Index::Dim(Dim::ZERO)
        } else {
            let part = flat.clone().over(&dim::count(&from[k + 1..]));
            if wide.first() == Some(&k) { part } else { part.modulo(&from[k]) }
        });
    }
}

fn pad(axes: &[PadAxis], x: &TensorType) -> Expr {
    let (mut when, mut at) = (Vec::new(), Vec::new());
    for (i, (a, d)) in axes.iter().zip(&x.shape).enumerate() {
        let inside = var(i).add(Index::Dim(Dim::ZERO - a.lo.clone()));
        let step = Dim::from(a.inner) + Dim::ONE;
        if a.inner > 0 {
            when.push(Cond::Divides(a.inner + 1, inside.clone()));
        }
        let place = inside.over(&step);
        if (a.lo != Dim::ZERO, a.hi != Dim::ZERO, a.inner) != (false, false, 0) {
            when.push(Cond::Inside(place.clone(), d.clone()));
        }
        at.push(place);
    }
    if when.is_empty() {
        return read(0, at);
    }
    Expr::Select { when, then: Box::new(read(0, at)), other: Box::new(read(1, Vec::new())) }
}

fn concat(axis: usize, parts: &[&TensorType]) -> Expr {
    let rank = parts.first().map_or(0, |p| p.rank());
    let part = |i: usize, start: &Dim| {
        let at = (0..rank).map(|a| if a == axis { var(a).add(Index::Dim(Dim::ZERO - start.clone())) } else { var(a) });
        read(i, at.collect())
    };
    let mut starts = vec![Dim::ZERO];
    for p in parts {
        let end = starts[starts.len() - 1].clone() + p.shape.get(axis).cloned().unwrap_or(Dim::ZERO);
        starts.push(end);
    }
    let last = parts.len().saturating_sub(1);
    (0..last).rev().fold(part(last, &starts[last]), |other, i| Expr::Select {
        when: vec![Cond::Below(var(axis), starts[i + 1].clone())],
        then: Box::new(part(i, &starts[i])),
        other: Box::new(other),
    })
}

fn gather(spec: &GatherSpec, data: &TensorType) -> Expr {
    let tuple: Vec<Index> = spec.ix.iter().map(|l| var(l.index())).collect();
    let mut component = 0;
    let mut at = Vec::new();
    for (d, extent) in spec.data.iter().zip(&data.shape) {
        at.push(match d {
            DataIx::Label(l) => var(l.index()),
            DataIx::At => {
                let mut place = tuple.clone();
                if spec.has_component_axis() {
                    place.push(Index::Dim(Dim::from(component)));
                    component += 1i64;
                }
                let wraps = spec.negative == Negative::Wraps;
                Index::Element { value: Box::new(read(1, place)), extent: extent.clone(), wraps }
            }
        });
    }
    read(0, at)
}

/// The fold of a spec: guards of its windows, and a term made of one read per operand.
fn fold(
    monoid: Monoid,
    acc: DType,
    spec: &Spec,
    operands: &[&TensorType],
    term: impl Fn(Vec<Expr>) -> Expr,
) -> Option<Expr> {
    let shapes: Vec<&[Dim]> = operands.iter().map(|t| t.shape.as_slice()).collect();
    let extents = spec.extents(&shapes).ok()?;
    let mut guards = Vec::new();
    let mut reads = Vec::new();
    for (operand, (axes, shape)) in spec.ins().iter().zip(&shapes).enumerate() {
        let mut at = Vec::new();
        for (ix, extent) in axes.iter().zip(*shape) {
            at.push(match ix {
                Ix::Label(l) => var(l.index()),
                Ix::Window(w) => {
                    let taps = var(w.tap.index()).times(&Dim::from(w.dil));
                    let sum = var(w.out.index())
                        .times(&Dim::from(w.stride))
                        .add(taps)
                        .add(Index::Dim(Dim::from(w.lo.checked_neg()?)));
                    if w.in_dil > 1 {
                        guards.push(Cond::Divides(w.in_dil, sum.clone()));
                    }
                    let place = sum.over(&Dim::from(w.in_dil));
                    guards.push(Cond::Inside(place.clone(), extent.clone()));
                    place
                }
            });
        }
        reads.push(read(operand, at));
    }
    let vars = spec.folded().map(|l| (Var(l.0), extents[l.index()].clone())).collect();
    Some(Expr::Fold { monoid, acc, vars, guards, body: Box::new(term(reads)) })
}
