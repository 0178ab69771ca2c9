//! Pools: folds over windows. A cell outside the data is skipped.
//!
//! The average divides by the number of cells that count, worked out here: those inside the data, or with
//! `count_include_pad` also the explicit pads; what `ceil_mode` hangs over never counts.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Literal, Shape, Tensor, ValueId};

use super::conv::{Auto, Windows, out_extent, resolve_same, windows};
use super::reduce::{fold, kept, mean};
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, accumulator, bad, opaque};

pub const ROWS: &[Row] = &[
    onnx("MaxPool", 1..LATEST, max_pool),
    onnx("AveragePool", 1..LATEST, average_pool),
    onnx("LpPool", 1..2, |l| lp_pool(l, true)),
    onnx("LpPool", 2..LATEST, |l| lp_pool(l, false)),
    onnx("GlobalMaxPool", 1..LATEST, |l| global(l, |l, x, a| fold(l, Monoid::Max, x, a))),
    onnx("GlobalAveragePool", 1..LATEST, |l| global(l, wide_mean)),
    onnx("GlobalLpPool", 1..2, |l| global_lp(l, true)),
    onnx("GlobalLpPool", 2..LATEST, |l| global_lp(l, false)),
];

/// A table of counts is no larger than this.
const MAX_TABLE: i64 = 1 << 22;

/// The windows of a pool and the extents of its result.
struct Pool {
    windows: Windows,
    out: Shape,
}

fn pool(l: &Lower<'_>, x: ValueId) -> Result<Pool, Fail> {
    let shape = l.shape(x)?;
    if shape.len() < 3 {
        return Err(bad("input 0", ProblemKind::Rank { got: shape.len(), expected: "3 or more".into() }));
    }
    let kernel = l.ints("kernel_shape").unwrap_or_default().to_vec();
    if kernel.len() != shape.len() - 2 {
        return Err(l.value("kernel_shape", &format!("{kernel:?}"), &format!("{} numbers", shape.len() - 2)));
    }
    let mut w = windows(l, shape[2..].to_vec(), kernel)?;
    resolve_same(&mut w)?;
    let ceil = l.flag("ceil_mode", false) && w.auto == Auto::NotSet;
    let out = (0..w.input.len())
        .map(|i| if ceil { ceil_extent(l, &w, i) } else { out_extent(l, &w, i) })
        .collect::<Result<_, _>>()?;
    Ok(Pool { windows: w, out })
}

/// ⌈(extent + pads − reach) / stride⌉ + 1, less a last window that would start after the data and its lower pad.
fn ceil_extent(l: &Lower<'_>, w: &Windows, i: usize) -> Result<Dim, Fail> {
    let stride = w.strides[i];
    if stride == 1 {
        return out_extent(l, w, i);
    }
    let Some(d) = w.input[i].as_const() else { return Err(opaque("ceil_mode over an unknown extent")) };
    let span = d + w.lo[i] + w.hi[i] - w.reach(i);
    if span < 0 {
        return out_extent(l, w, i);
    }
    let n = (span + stride - 1) / stride + 1;
    let starts_inside = (n - 1) * stride < d + w.lo[i];
    Ok(Dim::from(if starts_inside { n } else { n - 1 }))
}

fn label(i: usize) -> Label {
    Label(i as u8)
}

impl Pool {
    /// `{n c s·o+d·r−lo… -> n c o…}`, or without the first `lead` axes.
    fn spec(&self, lead: usize) -> Result<Spec, Fail> {
        let n = self.out.len();
        let mut axes: Vec<Ix> = (0..lead).map(|i| Ix::Label(label(i))).collect();
        let mut ext = Vec::new();
        for i in 0..n {
            let (out, tap) = (label(lead + i), label(lead + n + i));
            let w = &self.windows;
            axes.push(Ix::Window(Window {
                out,
                tap,
                stride: w.strides[i],
                dil: w.dilations[i],
                lo: w.lo[i],
                in_dil: 1,
            }));
            ext.push((out, self.out[i].clone()));
            ext.push((tap, Dim::from(w.kernel[i])));
        }
        let out: Vec<Label> = (0..lead + n).map(label).collect();
        Spec::new(&[axes], &out, &ext).map_err(|e| opaque(e.to_string()))
    }

    /// Whether every tap of every window lies inside the data.
    fn inside(&self) -> bool {
        let w = &self.windows;
        (0..self.out.len()).all(|i| {
            let last = self.out[i].clone() - Dim::ONE;
            let end = last * Dim::from(w.strides[i]) + Dim::from(w.reach(i) - w.lo[i]);
            // Floor division never leaves the data: without pads it is enough that ceil_mode did not add a window.
            let floor = w.hi[i] <= 0
                && self.out[i]
                    == (w.input[i].clone() + Dim::from(w.lo[i] + w.hi[i] - w.reach(i)))
                        .floor_div(&Dim::from(w.strides[i]))
                        + Dim::ONE;
            w.lo[i] <= 0 && (floor || (w.input[i].clone() - end).as_const().is_some_and(|rest| rest >= 0))
        })
    }

    /// Per axis and window, how many taps lie in `[−before, extent + after)`; `None` for unknown extents.
    fn counts(&self, pads: bool) -> Option<Vec<Vec<i64>>> {
        let w = &self.windows;
        (0..self.out.len())
            .map(|i| {
                let d = w.input[i].as_const()?;
                let n = self.out[i].as_const().filter(|n| *n <= 1 << 20)?;
                let (lo, hi) = if pads { (-w.lo[i], d + w.hi[i]) } else { (0, d) };
                // Taps r with lo ≤ first + dilation·r < hi.
                let inside = |o: i64| {
                    let first = o * w.strides[i] - w.lo[i];
                    let below = |limit: i64| {
                        (limit - first + w.dilations[i] - 1).div_euclid(w.dilations[i]).clamp(0, w.kernel[i])
                    };
                    below(hi) - below(lo)
                };
                Some((0..n).map(inside).collect())
            })
            .collect()
    }
}

fn max_pool(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let p = pool(l, x)?;
    let dtype = l.dtype(x)?;
    let y = l.reduce(Monoid::Max, p.spec(2)?, x, dtype)?;
    if !l.wants(1) {
        return Ok(vec![y]);
    }
    let ix = indices(l, x, &p)?;
    Ok(vec![y, ix])
}

/// The flat position in x of each window's first maximum: the tap's number taken apart into taps per axis, each giving
/// a position, put together again (with the first spatial axis fastest for storage_order 1).
fn indices(l: &mut Lower<'_>, x: ValueId, p: &Pool) -> Result<ValueId, Fail> {
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    let tap = l.reduce(Monoid::ArgMaxFirst, p.spec(2)?, x, dtype)?;
    let shape = l.shape(tap)?;
    let n = p.out.len();
    let w = &p.windows;
    let mut flat = None;
    let mut plane = Dim::ONE;
    for d in &own[2..] {
        plane = plane * d.clone();
    }
    let column_major = l.flag("storage_order", false);
    let mut weight = vec![Dim::ONE; n];
    let order: Vec<usize> = if column_major { (0..n).collect() } else { (0..n).rev().collect() };
    for pair in order.windows(2) {
        weight[pair[1]] = weight[pair[0]].clone() * own[2 + pair[0]].clone();
    }
    let scaled = |l: &mut Lower<'_>, v: ValueId, by: &Dim| -> Result<ValueId, Fail> {
        let by = l.dim(by, DType::I64)?;
        let by = l.broadcast(by, &shape)?;
        l.map(Scalar::Mul, &[v, by])
    };
    for (i, weight) in weight.iter().enumerate() {
        let below: i64 = w.kernel[i + 1..].iter().product();
        let r = l.with(Scalar::Div, tap, below as f64)?;
        let r = l.with(Scalar::RemFloor, r, w.kernel[i] as f64)?;
        let r = l.with(Scalar::Mul, r, w.dilations[i] as f64)?;
        let o = l.iota(&p.out[i], DType::I64)?;
        let o = l.spread(o, &[2 + i], &shape)?;
        let o = l.with(Scalar::Mul, o, w.strides[i] as f64)?;
        let at = l.map(Scalar::Add, &[o, r])?;
        let at = l.with(Scalar::Sub, at, w.lo[i] as f64)?;
        let at = scaled(l, at, weight)?;
        flat = Some(match flat {
            None => at,
            Some(sum) => l.map(Scalar::Add, &[sum, at])?,
        });
    }
    for (axis, size) in [(0, own[1].clone() * plane.clone()), (1, plane.clone())] {
        let i = l.iota(&own[axis], DType::I64)?;
        let i = l.spread(i, &[axis], &shape)?;
        let i = scaled(l, i, &size)?;
        flat = Some(match flat {
            None => i,
            Some(sum) => l.map(Scalar::Add, &[sum, i])?,
        });
    }
    flat.ok_or_else(|| opaque("a pool without axes"))
}

pub fn average_pool(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let p = pool(l, x)?;
    let t = l.tensor(x)?;
    let sum = l.reduce(Monoid::Sum, p.spec(2)?, x, accumulator(t.dtype))?;
    let include = l.flag("count_include_pad", false);
    let whole: i64 = p.windows.kernel.iter().product();
    if p.inside() {
        return Ok(vec![l.with(Scalar::Div, sum, whole as f64)?]);
    }
    let shape = l.shape(sum)?;
    let cells = egret_ir::dim::count(&p.out).as_const();
    let n = match p.counts(include).filter(|_| cells.is_some_and(|n| n <= MAX_TABLE)) {
        Some(counts) => {
            if counts.iter().zip(&p.windows.kernel).all(|(c, k)| c.iter().all(|c| c == k)) {
                return Ok(vec![l.with(Scalar::Div, sum, whole as f64)?]);
            }
            let mut table: Vec<i64> = vec![1];
            for axis in &counts {
                table = table.iter().flat_map(|t| axis.iter().map(move |c| t * c)).collect();
            }
            let bytes: Vec<u8> = table.iter().flat_map(|c| Literal::from_i64(t.dtype, *c).to_le_bytes()).collect();
            let extents: Vec<usize> = counts.iter().map(Vec::len).collect();
            let table = Tensor::new(t.dtype, extents, bytes).map_err(|e| opaque(e.to_string()))?;
            l.constant(table)?
        }
        // The same count as a fold over ones, where extents are unknown.
        None if !include => {
            let ones = l.splat(Literal::from_f64(t.dtype, 1.0), &t.shape[2..])?;
            l.reduce(Monoid::Sum, p.spec(0)?, ones, accumulator(t.dtype))?
        }
        // Explicit pads count, and without ceil_mode nothing hangs over.
        None if !l.flag("ceil_mode", false) => return Ok(vec![l.with(Scalar::Div, sum, whole as f64)?]),
        None => return Err(opaque("ceil_mode over an unknown or very large extent")),
    };
    let n = l.broadcast(n, &shape)?;
    Ok(vec![l.map(Scalar::Div, &[sum, n])?])
}

/// The norm's exponent: a float in opset 1, an integer after.
fn exponent(l: &Lower<'_>, float: bool) -> f64 {
    if float { f64::from(l.float("p", 2.0)) } else { l.int("p", 2) as f64 }
}

fn powers(l: &mut Lower<'_>, x: ValueId, p: f64) -> Result<ValueId, Fail> {
    let size = l.map(Scalar::Abs, &[x])?;
    l.with(Scalar::Pow, size, p)
}

/// (Σ |x|^p)^(1/p).
fn lp_pool(l: &mut Lower<'_>, float: bool) -> Results {
    let x = l.operand(0)?;
    let p = exponent(l, float);
    let pool = pool(l, x)?;
    let acc = accumulator(l.dtype(x)?);
    let y = powers(l, x, p)?;
    let y = l.reduce(Monoid::Sum, pool.spec(2)?, y, acc)?;
    Ok(vec![l.with(Scalar::Pow, y, 1.0 / p)?])
}

type Fold = fn(&mut Lower<'_>, ValueId, &[usize]) -> Result<ValueId, Fail>;

/// Over all axes after the second, which stay as 1.
pub fn global(l: &mut Lower<'_>, f: Fold) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    if own.len() < 2 {
        return Err(bad("input 0", ProblemKind::Rank { got: own.len(), expected: "2 or more".into() }));
    }
    let axes: Vec<usize> = (2..own.len()).collect();
    let y = f(l, x, &axes)?;
    Ok(vec![l.reshape(y, &kept(&own, &axes))?])
}

pub fn wide_mean(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let dtype = l.dtype(x)?;
    let wide = l.cast(x, accumulator(dtype))?;
    let y = mean(l, wide, axes)?;
    l.cast(y, dtype)
}

fn global_lp(l: &mut Lower<'_>, float: bool) -> Results {
    let p = exponent(l, float);
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axes: Vec<usize> = (2..own.len()).collect();
    let y = powers(l, x, p)?;
    let y = fold(l, Monoid::Sum, y, &axes)?;
    let y = l.with(Scalar::Pow, y, 1.0 / p)?;
    Ok(vec![l.reshape(y, &kept(&own, &axes))?])
}
