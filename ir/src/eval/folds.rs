//! Reduce, Contract and ArgSort.

use std::cmp::Ordering;
use std::sync::Arc;

use super::array::{Array, Data, strides};
use super::domain::Site;
use super::error::Trap;
use super::ints::{self, wrap};
use super::loops::Nest;
use super::{Cx, Domain};
use crate::dtype::DType;
use crate::op::spec::Spec;
use crate::op::{Monoid, SortOrder};

fn nest<D: Domain>(cx: &Cx<'_, D>, kind: &'static str, spec: &Spec, args: &[&Array<D::Float>]) -> Result<Nest, Trap> {
    let ext = spec.ext().iter().map(|(_, d)| cx.size(d)).collect::<Result<Vec<_>, _>>()?;
    Nest::new(kind, spec, &ext, &args.iter().map(|a| a.shape()).collect::<Vec<_>>())
}

/// `out[o] = ⊕ r: x[ix(o,r)]`: folded row-major in the accumulator type, then converted to the operand's.
pub fn reduce<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    monoid: Monoid,
    spec: &Spec,
    acc: DType,
    x: &Array<D::Float>,
) -> Result<Array<D::Float>, Trap> {
    let nest = nest(cx, "reduce", spec, &[x])?;
    let shape = nest.out_shape().to_vec();
    if monoid.is_arg() {
        return arg_reduce(cx, monoid, &nest, x);
    }
    let data = match x.data() {
        Data::Float(v) => {
            cx.domain.admits(monoid)?;
            let mut y = fold_floats(cx.domain, &nest, monoid, acc, v);
            if cx.domain.wants_scale() && matches!(monoid, Monoid::Sum | Monoid::Prod) {
                let scale = if monoid == Monoid::Sum {
                    let sizes: Vec<_> = v.iter().map(|x| cx.domain.magnitude(*x)).collect();
                    fold_floats(cx.domain, &nest, monoid, acc, &sizes)
                } else {
                    y.iter().map(|y| cx.domain.magnitude(*y)).collect()
                };
                cx.domain.settle(site, acc, &mut y, &scale);
            }
            let y = if acc == x.dtype() { y } else { cx.domain.cast(site, acc, x.dtype(), &y)? };
            Data::Float(y.into())
        }
        Data::Int(v) => {
            let start = (ints::empty(monoid, acc), true);
            let folded = nest.fold(&start, |(sum, first), [at, _], _| {
                let x = wrap(acc, v[at]);
                *sum = if *first { x } else { ints::step(monoid, acc, *sum, x) };
                *first = false;
            });
            Data::Int(Arc::new(folded.into_iter().map(|(sum, _)| wrap(x.dtype(), sum)).collect()))
        }
        Data::Bool(v) => {
            let any = matches!(monoid, Monoid::Or | Monoid::Max);
            Data::Bool(
                nest.fold(&!any, |sum, [at, _], _| *sum = if any { *sum || v[at] } else { *sum && v[at] }).into(),
            )
        }
    };
    Ok(Array::new(x.dtype(), shape, data))
}

fn fold_floats<D: Domain>(domain: &D, nest: &Nest, monoid: Monoid, acc: DType, v: &[D::Float]) -> Vec<D::Float> {
    if let Some(y) = domain.fold_fast(nest, monoid, acc, v) {
        return y;
    }
    fold_floats_plain(domain, nest, monoid, acc, v)
}

/// The plain loop of a sum, prod, max or min.
pub fn fold_floats_plain<D: Domain>(
    domain: &D,
    nest: &Nest,
    monoid: Monoid,
    acc: DType,
    v: &[D::Float],
) -> Vec<D::Float> {
    let folded = nest.fold(&None, |sum: &mut Option<D::Float>, [at, _], _| {
        let x = domain.enter(acc, v[at]);
        *sum = Some(sum.map_or(x, |s| domain.step(monoid, acc, s, x)));
    });
    folded.into_iter().map(|sum| sum.unwrap_or_else(|| domain.empty(monoid, acc))).collect()
}

fn arg_reduce<D: Domain>(
    cx: &Cx<'_, D>,
    monoid: Monoid,
    nest: &Nest,
    x: &Array<D::Float>,
) -> Result<Array<D::Float>, Trap> {
    fn walk(nest: &Nest, improves: impl Fn(usize, usize) -> bool) -> Vec<Option<(usize, usize)>> {
        nest.fold(&None, |best: &mut Option<(usize, usize)>, [at, _], number| {
            if best.is_none_or(|(b, _)| improves(b, at)) {
                *best = Some((at, number));
            }
        })
    }
    let best = match x.data() {
        Data::Float(v) => {
            cx.domain.admits(monoid)?;
            walk(nest, |b, at| cx.domain.improves(monoid, v[b], v[at]))
        }
        Data::Int(v) => walk(nest, |b, at| ints::improves(monoid, x.dtype(), v[b], v[at])),
        Data::Bool(v) => walk(nest, |b, at| ints::improves(monoid, DType::I8, i64::from(v[b]), i64::from(v[at]))),
    };
    let positions = best.into_iter().map(|b| b.map(|(_, n)| n as i64).ok_or(Trap::EmptyArg(monoid.name())));
    Ok(Array::int(DType::I64, nest.out_shape().to_vec(), positions.collect::<Result<_, _>>()?))
}

/// `out[o] = Σ r: a[ix]·b[ix]`: products and sums in the accumulator type, row-major, then converted to `out`.
pub fn contract<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    spec: &Spec,
    acc: DType,
    out: DType,
    a: &Array<D::Float>,
    b: &Array<D::Float>,
) -> Result<Array<D::Float>, Trap> {
    let nest = nest(cx, "contract", spec, &[a, b])?;
    let shape = nest.out_shape().to_vec();
    let summed = match (a.data(), b.data()) {
        (Data::Float(x), Data::Float(y)) => {
            let mut z = contract_floats(cx.domain, &nest, acc, x, y);
            if cx.domain.wants_scale() {
                let sizes = |v: &[D::Float]| v.iter().map(|x| cx.domain.magnitude(*x)).collect::<Vec<_>>();
                let scale = contract_floats(cx.domain, &nest, acc, &sizes(x), &sizes(y));
                cx.domain.settle(site, acc, &mut z, &scale);
            }
            Data::Float(z.into())
        }
        (Data::Int(x), Data::Int(y)) => {
            // Wrapping 64-bit sums agree with sums that wrap at each step, modulo the accumulator's width.
            let sums = super::fast::contract_ints(&nest, x, y)
                .unwrap_or_else(|| nest.fold(&0i64, |s, [i, j], _| *s = s.wrapping_add(x[i].wrapping_mul(y[j]))));
            Data::Int(Arc::new(sums.into_iter().map(|s| wrap(acc, s)).collect()))
        }
        _ => return Err(cx.misfit("contract", &[a, b])),
    };
    let summed = Array::new(acc, shape, summed);
    let data = super::map::cast(cx, site, out, &summed)?;
    Ok(Array::new(out, summed.shape().to_vec(), data))
}

fn contract_floats<D: Domain>(domain: &D, nest: &Nest, acc: DType, a: &[D::Float], b: &[D::Float]) -> Vec<D::Float> {
    domain.contract_fast(nest, acc, a, b).unwrap_or_else(|| contract_floats_plain(domain, nest, acc, a, b))
}

/// The plain loop of a contraction of floats.
pub fn contract_floats_plain<D: Domain>(
    domain: &D,
    nest: &Nest,
    acc: DType,
    a: &[D::Float],
    b: &[D::Float],
) -> Vec<D::Float> {
    let sums = nest.fold(&None, |sum: &mut Option<D::Float>, [i, j], _| {
        let term = domain.product(acc, a[i], b[j]);
        *sum = Some(sum.map_or(term, |s| domain.step(Monoid::Sum, acc, s, term)));
    });
    sums.into_iter().map(|s| s.unwrap_or_else(|| domain.empty(Monoid::Sum, acc))).collect()
}

/// Stable sort along an axis, giving positions; NaN above +Inf, ties by lower index.
pub fn argsort<D: Domain>(
    cx: &Cx<'_, D>,
    axis: usize,
    order: SortOrder,
    keep: usize,
    x: &Array<D::Float>,
) -> Result<Array<D::Float>, Trap> {
    let extent = *x.shape().get(axis).ok_or_else(|| cx.misfit("argsort", &[x]))?;
    if keep > extent {
        return Err(Trap::Index { index: keep as i64, extent });
    }
    let mut shape = x.shape().to_vec();
    shape[axis] = keep;
    let inner = strides(x.shape())[axis];
    let outer: usize = x.shape()[..axis].iter().product();
    let mut failed = None;
    let mut compare = |i: usize, j: usize| -> Ordering {
        match x.data() {
            Data::Float(v) => cx.domain.order(v[i], v[j]).unwrap_or_else(|trap| {
                failed = Some(trap);
                Ordering::Equal
            }),
            Data::Int(v) if ints::less(x.dtype(), v[i], v[j]) => Ordering::Less,
            Data::Int(v) => {
                if v[i] == v[j] {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                }
            }
            Data::Bool(v) => v[i].cmp(&v[j]),
        }
    };
    let mut out = vec![0i64; shape.iter().product()];
    for o in 0..outer {
        for i in 0..inner {
            let at = |k: usize| (o * extent + k) * inner + i;
            let mut positions: Vec<usize> = (0..extent).collect();
            positions.sort_by(|p, q| match order {
                SortOrder::Ascending => compare(at(*p), at(*q)),
                SortOrder::Descending => compare(at(*q), at(*p)),
            });
            for (k, p) in positions.into_iter().take(keep).enumerate() {
                out[(o * keep + k) * inner + i] = p as i64;
            }
        }
    }
    failed.map_or_else(|| Ok(Array::int(DType::I64, shape, out)), Err)
}
