//! The movement kinds and Scatter: index maps alone, for elements of any sort.

use super::array::{Array, Data, count, each_index, moved, strided, strides};
use super::error::Trap;
use super::ints;
use super::{Cx, Domain};
use crate::op::spec::{DataIx, GatherSpec, Negative};
use crate::op::{Monoid, PadAxis, Perm, ScatterOp, SliceAxis};

fn signed(strides: &[usize]) -> Vec<i64> {
    strides.iter().map(|s| *s as i64).collect()
}

fn take<F: Copy>(x: &Array<F>, base: i64, shape: Vec<usize>, steps: &[i64]) -> Array<F> {
    let data = moved!(x.data(), v => strided(v, base, &shape, steps));
    Array::new(x.dtype(), shape, data)
}

/// `out[i_perm] = x[i]`.
pub fn permute<F: Copy>(x: &Array<F>, perm: &Perm) -> Array<F> {
    let steps = perm.apply(&signed(&strides(x.shape())));
    take(x, 0, perm.apply(x.shape()), &steps)
}

/// Axes inserted at positions of the result.
pub fn broadcast<F: Copy>(x: &Array<F>, new: &[(usize, usize)]) -> Result<Array<F>, Trap> {
    let (mut shape, mut steps) = (x.shape().to_vec(), signed(&strides(x.shape())));
    for (at, extent) in new {
        shape.insert(*at, *extent);
        steps.insert(*at, 0);
    }
    count(&shape)?;
    Ok(take(x, 0, shape, &steps))
}

/// `out[i] = x[start + step·i]`.
pub fn slice<D: Domain>(cx: &Cx<'_, D>, x: &Array<D::Float>, axes: &[SliceAxis]) -> Result<Array<D::Float>, Trap> {
    let (mut base, mut shape, mut steps) = (0i64, Vec::new(), Vec::new());
    for ((axis, extent), stride) in axes.iter().zip(x.shape()).zip(strides(x.shape())) {
        let (start, len) = (cx.number(&axis.start)?, cx.size(&axis.len)?);
        if len > 0 {
            let last = i128::from(start) + i128::from(axis.step) * (len as i128 - 1);
            for at in [i128::from(start), last] {
                if at < 0 || at >= *extent as i128 {
                    return Err(Trap::Index { index: at as i64, extent: *extent });
                }
            }
            base += start * stride as i64;
        }
        shape.push(len);
        steps.push(axis.step.saturating_mul(stride as i64));
    }
    Ok(take(x, base, shape, &steps))
}

/// `x` at `lo + (inner + 1)·i`, else the value.
pub fn pad<D: Domain>(
    cx: &Cx<'_, D>,
    x: &Array<D::Float>,
    value: &Array<D::Float>,
    axes: &[PadAxis],
) -> Result<Array<D::Float>, Trap> {
    let (mut shape, mut low) = (Vec::new(), Vec::new());
    for (axis, extent) in axes.iter().zip(x.shape()) {
        let (lo, hi, inner) = (cx.size(&axis.lo)?, cx.size(&axis.hi)?, usize::try_from(axis.inner).unwrap_or(0));
        let total = inner.checked_mul(extent.saturating_sub(1)).and_then(|n| n.checked_add(*extent));
        let total = total.and_then(|n| n.checked_add(lo)).and_then(|n| n.checked_add(hi));
        shape.push(total.ok_or_else(|| Trap::TooLarge { shape: vec![lo, *extent, hi] })?);
        low.push(lo);
    }
    let total = count(&shape)?;
    let out_strides = strides(&shape);
    // Where row i of x goes: its first element's place, then a step along the last axis.
    let mut rows = Vec::new();
    let (row, outer) = x.shape().split_last().map_or((1, x.shape()), |(r, o)| (*r, o));
    let place = |axis: usize, i: usize| (low[axis] + (axes[axis].inner as usize + 1) * i) * out_strides[axis];
    if row > 0 {
        each_index(outer, |index| {
            let base: usize = index.iter().enumerate().map(|(axis, i)| place(axis, *i)).sum();
            rows.push(base + low.last().copied().unwrap_or(0));
        });
    }
    let step = axes.last().map_or(1, |a| a.inner as usize + 1);
    fn fill<T: Copy>(x: &[T], value: T, total: usize, rows: &[usize], row: usize, step: usize) -> Vec<T> {
        let mut out = vec![value; total];
        for (source, at) in x.chunks_exact(row.max(1)).zip(rows) {
            for (i, e) in source.iter().enumerate() {
                out[at + i * step] = *e;
            }
        }
        out
    }
    let data = match (x.data(), value.data()) {
        (Data::Float(x), Data::Float(v)) => Data::Float(fill(x, v[0], total, &rows, row, step).into()),
        (Data::Int(x), Data::Int(v)) => Data::Int(fill(x, v[0], total, &rows, row, step).into()),
        (Data::Bool(x), Data::Bool(v)) => Data::Bool(fill(x, v[0], total, &rows, row, step).into()),
        _ => return Err(cx.misfit("pad", &[x, value])),
    };
    Ok(Array::new(x.dtype(), shape, data))
}

/// Joined along an axis.
pub fn concat<D: Domain>(cx: &Cx<'_, D>, parts: &[&Array<D::Float>], axis: usize) -> Result<Array<D::Float>, Trap> {
    let Some(first) = parts.first() else { return Err(cx.misfit("concat", parts)) };
    let mut shape = first.shape().to_vec();
    let same = |p: &&Array<D::Float>| {
        p.rank() == first.rank() && (0..p.rank()).all(|i| i == axis || p.shape()[i] == first.shape()[i])
    };
    if axis >= shape.len() || !parts.iter().all(same) {
        return Err(cx.misfit("concat", parts));
    }
    shape[axis] = parts.iter().map(|p| p.shape()[axis]).sum();
    count(&shape)?;
    let outer: usize = shape[..axis].iter().product();
    fn join<T: Copy>(parts: &[(&[T], usize)], outer: usize) -> Vec<T> {
        let mut out = Vec::new();
        for i in 0..outer {
            for (part, run) in parts {
                out.extend_from_slice(&part[i * run..(i + 1) * run]);
            }
        }
        out
    }
    let runs: Vec<usize> = parts.iter().map(|p| p.shape()[axis..].iter().product()).collect();
    macro_rules! join_as {
        ($get:ident) => {{
            let slices: Option<Vec<(&[_], usize)>> =
                parts.iter().zip(&runs).map(|(p, r)| Some((p.$get()?, *r))).collect();
            std::sync::Arc::new(join(&slices.ok_or_else(|| cx.misfit("concat", parts))?, outer))
        }};
    }
    let data = match first.data() {
        Data::Float(_) => Data::Float(join_as!(floats)),
        Data::Int(_) => Data::Int(join_as!(ints)),
        Data::Bool(_) => Data::Bool(join_as!(bools)),
    };
    Ok(Array::new(first.dtype(), shape, data))
}

/// Offset into the data of each index tuple: Σ over `@` axes of value · stride.
fn offsets<F: Copy>(spec: &GatherSpec, data: &[usize], ix: &Array<F>) -> Result<Vec<i64>, Trap> {
    let at: Vec<(usize, usize)> = spec
        .data
        .iter()
        .zip(data.iter().zip(strides(data)))
        .filter(|(d, _)| **d == DataIx::At)
        .map(|(_, (extent, stride))| (*extent, stride))
        .collect();
    let tuples: usize = ix.shape()[..spec.ix.len()].iter().product();
    if at.is_empty() {
        return Ok(vec![0; tuples]);
    }
    let wraps = spec.negative == Negative::Wraps;
    ix.i()
        .chunks_exact(at.len())
        .map(|tuple| {
            let mut offset = 0;
            for (value, (extent, stride)) in tuple.iter().zip(&at) {
                let i = if *value < 0 && wraps { value.wrapping_add(*extent as i64) } else { *value };
                if i < 0 || i >= *extent as i64 {
                    return Err(Trap::Index { index: *value, extent: *extent });
                }
                offset += i * *stride as i64;
            }
            Ok(offset)
        })
        .collect()
}

/// Strides by label of the data (without `@`) and of the index tuples.
fn label_strides(spec: &GatherSpec, data: &[usize], ix: &[usize]) -> (Vec<i64>, Vec<i64>) {
    let rank = usize::from(spec.rank);
    let (mut of_data, mut of_ix) = (vec![0; rank], vec![0; rank]);
    for (d, stride) in spec.data.iter().zip(strides(data)) {
        if let DataIx::Label(l) = d {
            of_data[l.index()] = stride as i64;
        }
    }
    for (l, stride) in spec.ix.iter().zip(strides(&ix[..spec.ix.len()])) {
        of_ix[l.index()] = stride as i64;
    }
    (of_data, of_ix)
}

/// Extents of the result's labels; the data's axes must be as long as (`exact`) or no shorter than them.
fn label_extents<D: Domain>(
    cx: &Cx<'_, D>,
    spec: &GatherSpec,
    data: &Array<D::Float>,
    ix: &Array<D::Float>,
) -> Result<Vec<usize>, Trap> {
    let components = usize::from(spec.has_component_axis());
    let fits = data.rank() == spec.data.len()
        && ix.rank() == spec.ix.len() + components
        && (components == 0 || ix.shape()[spec.ix.len()] == spec.at_count());
    if !fits {
        return Err(cx.misfit("gather", &[data, ix]));
    }
    let mut extents: Vec<Option<usize>> = vec![None; usize::from(spec.rank)];
    let of_data = spec.data.iter().zip(data.shape()).filter_map(|(d, n)| match d {
        DataIx::Label(l) => Some((*l, *n)),
        DataIx::At => None,
    });
    for (l, n) in of_data.chain(spec.ix.iter().copied().zip(ix.shape().iter().copied())) {
        if extents[l.index()].is_some_and(|e| e != n) {
            return Err(cx.misfit("gather", &[data, ix]));
        }
        extents[l.index()] = Some(n);
    }
    extents.into_iter().collect::<Option<_>>().ok_or_else(|| cx.misfit("gather", &[data, ix]))
}

/// `out[p,n,s] = data[p, ix[n], s]`.
pub fn gather<D: Domain>(
    cx: &Cx<'_, D>,
    spec: &GatherSpec,
    data: &Array<D::Float>,
    ix: &Array<D::Float>,
) -> Result<Array<D::Float>, Trap> {
    let shape = label_extents(cx, spec, data, ix)?;
    let total = count(&shape)?;
    let (of_data, of_ix) = label_strides(spec, data.shape(), ix.shape());
    let offsets = offsets(spec, data.shape(), ix)?;
    // Trailing labels that the index does not have are copied row by row.
    let split = of_ix.iter().zip(&shape).rposition(|(s, n)| *s != 0 && *n != 1).map_or(0, |i| i + 1);
    let (outer, inner) = shape.split_at(split);
    let mut bases = Vec::new();
    if total > 0 {
        each_index(outer, |index| {
            let dot = |strides: &[i64]| index.iter().zip(strides).map(|(i, s)| *i as i64 * s).sum::<i64>();
            bases.push(dot(&of_data) + offsets[dot(&of_ix) as usize]);
        });
    }
    let steps = &of_data[split..];
    let packed = steps == signed(&strides(inner)).as_slice();
    fn rows<T: Copy>(x: &[T], bases: &[i64], inner: &[usize], steps: &[i64], packed: bool) -> Vec<T> {
        let run: usize = inner.iter().product();
        let mut out = Vec::with_capacity(bases.len() * run);
        for base in bases {
            match (run, packed) {
                (1, _) => out.push(x[*base as usize]),
                (_, true) => out.extend_from_slice(&x[*base as usize..*base as usize + run]),
                (_, false) => out.extend(strided(x, *base, inner, steps)),
            }
        }
        out
    }
    let moved = moved!(data.data(), v => rows(v, &bases, inner, steps, packed));
    Ok(Array::new(data.dtype(), shape, moved))
}

/// data, then row-major over the updates `out[p, ix[n], s] ⊕= upd[p,n,s]`.
pub fn scatter<D: Domain>(
    cx: &Cx<'_, D>,
    mode: ScatterOp,
    spec: &GatherSpec,
    args: [&Array<D::Float>; 3],
) -> Result<Array<D::Float>, Trap> {
    let [data, ix, upd] = args;
    let shape = upd.shape();
    let components = usize::from(spec.has_component_axis());
    let ix_fits = ix.rank() == spec.ix.len() + components
        && spec.ix.iter().zip(ix.shape()).all(|(l, n)| shape.get(l.index()) == Some(n))
        && (components == 0 || ix.shape()[spec.ix.len()] == spec.at_count());
    let data_fits = data.rank() == spec.data.len()
        && spec.data.iter().zip(data.shape()).all(|(d, n)| match d {
            DataIx::Label(l) => shape.get(l.index()).is_some_and(|u| u <= n),
            DataIx::At => true,
        });
    if !ix_fits || !data_fits || shape.len() != usize::from(spec.rank) {
        return Err(cx.misfit("scatter", &args));
    }
    let (of_data, of_ix) = label_strides(spec, data.shape(), ix.shape());
    let offsets = offsets(spec, data.shape(), ix)?;
    let mut places = Vec::with_capacity(upd.len());
    each_index(shape, |index| {
        let dot = |strides: &[i64]| index.iter().zip(strides).map(|(i, s)| *i as i64 * s).sum::<i64>();
        places.push((dot(&of_data) + offsets[dot(&of_ix) as usize]) as usize);
    });
    fn apply<T: Copy>(data: &[T], upd: &[T], places: &[usize], combine: impl Fn(T, T) -> T) -> Vec<T> {
        let mut out = data.to_vec();
        for (u, at) in upd.iter().zip(places) {
            out[*at] = combine(out[*at], *u);
        }
        out
    }
    let monoid = match mode {
        ScatterOp::Set => None,
        ScatterOp::Add => Some(Monoid::Sum),
        ScatterOp::Mul => Some(Monoid::Prod),
        ScatterOp::Max => Some(Monoid::Max),
        ScatterOp::Min => Some(Monoid::Min),
    };
    if let (Some(m), true) = (monoid, data.dtype().is_float()) {
        cx.domain.admits(m)?;
    }
    let dtype = data.dtype();
    let out = match (data.data(), upd.data()) {
        (Data::Float(x), Data::Float(u)) => Data::Float(
            apply(x, u, &places, |old, new| monoid.map_or(new, |m| cx.domain.step(m, dtype, old, new))).into(),
        ),
        (Data::Int(x), Data::Int(u)) => {
            Data::Int(apply(x, u, &places, |old, new| monoid.map_or(new, |m| ints::step(m, dtype, old, new))).into())
        }
        (Data::Bool(x), Data::Bool(u)) => Data::Bool(apply(x, u, &places, |_, new| new).into()),
        _ => return Err(cx.misfit("scatter", &args)),
    };
    Ok(Array::new(dtype, data.shape().to_vec(), out))
}
