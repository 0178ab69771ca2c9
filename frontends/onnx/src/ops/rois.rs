//! Pooling over regions of interest: RoiAlign by samples between the cells, MaxRoiPool by whole cells.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::grid::{Tap, corner, interpolate, work_type};
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque};

pub const ROWS: &[Row] = &[
    onnx("RoiAlign", 10..16, |l| roi_align(l, "output_half_pixel")),
    onnx("RoiAlign", 16..LATEST, |l| roi_align(l, "half_pixel")),
    onnx("MaxRoiPool", 1..LATEST, max_roi_pool),
];

fn label(i: usize) -> Label {
    Label(i as u8)
}

/// Column `i` of `[R, k]`, as `[R]`.
fn column(l: &mut Lower<'_>, v: ValueId, i: usize) -> Result<ValueId, Fail> {
    let rows = l.shape(v)?[0].clone();
    let one = l.slice_axis(v, 1, Dim::from(i), Dim::ONE)?;
    l.reshape(one, &[rows])
}

/// How a region is sampled along one axis. Shapes: `[R]`, and `[R, bins, samples]` for the taps.
struct Sampled {
    /// Samples per bin of each region (float).
    count: ValueId,
    /// Extent of the samples' axis: that of the region with the most.
    samples: Dim,
    /// Whether a sample is one of its region's.
    mine: ValueId,
    taps: Vec<Tap>,
}

/// Cells around a sample: zero beyond one cell outside, else the nearest cells inside.
fn sampled(
    l: &mut Lower<'_>,
    (start, size): (ValueId, ValueId),
    bins: &Dim,
    extent: &Dim,
    ratio: i64,
) -> Result<Sampled, Fail> {
    let regions = l.shape(start)?[0].clone();
    let work = l.dtype(start)?;
    let bin = l.with_dim(Scalar::Div, size, bins)?;
    let (count, samples) = if ratio > 0 {
        (l.splat(Literal::from_i64(work, ratio), std::slice::from_ref(&regions))?, Dim::from(ratio))
    } else {
        let count = l.map(Scalar::Ceil, &[bin])?;
        let count = l.with(Scalar::Max, count, 0.0)?;
        let whole = l.cast(count, DType::I64)?;
        let most = l.fold(Monoid::Max, whole, &[0], DType::I64)?;
        // No regions have no samples.
        let most = l.with(Scalar::Max, most, 0.0)?;
        (count, l.extent_of(most, None))
    };
    let shape = [regions, bins.clone(), samples.clone()];
    let (start, bin) = (l.spread(start, &[0], &shape)?, l.spread(bin, &[0], &shape)?);
    let own = l.spread(count, &[0], &shape)?;
    let (p, i) = (l.ramp(1, &shape, work)?, l.ramp(2, &shape, work)?);
    let mine = l.map(Scalar::Lt, &[i, own])?;
    let first = l.mul(p, bin)?;
    let first = l.add(start, first)?;
    let middle = l.with(Scalar::Add, i, 0.5)?;
    let middle = l.mul(middle, bin)?;
    // A region of no size has no samples; its positions only have to be numbers.
    let divisor = l.with(Scalar::Max, own, 1.0)?;
    let middle = l.map(Scalar::Div, &[middle, divisor])?;
    let y = l.add(first, middle)?;
    let above = l.with_left(Scalar::Le, -1.0, y)?;
    let below = l.with_dim(Scalar::Le, y, extent)?;
    let there = l.map(Scalar::And, &[above, below])?;
    let y = l.clamp_index(y, extent)?;
    let low = l.map(Scalar::Floor, &[y])?;
    let part = l.map(Scalar::Sub, &[y, low])?;
    let rest = l.with_left(Scalar::Sub, 1.0, part)?;
    let mut taps = Vec::with_capacity(2);
    for (k, weight) in [rest, part].into_iter().enumerate() {
        let at = l.with(Scalar::Add, low, k as f64)?;
        let at = l.clamp_index(at, extent)?;
        taps.push(Tap { at: l.cast(at, DType::I64)?, there: Some(there), weight: Some(weight) });
    }
    Ok(Sampled { count, samples, mine, taps })
}

/// X `[N, C, H, W]`, rois `[R, 4]` (x, y, x, y), batch indices `[R]`.
fn roi_align(l: &mut Lower<'_>, default: &str) -> Results {
    let (x, rois, batch) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    if own.len() != 4 {
        return Err(bad("X", ProblemKind::Rank { got: own.len(), expected: "4".into() }));
    }
    let half = match l.string("coordinate_transformation_mode", default)?.as_str() {
        "half_pixel" => true,
        "output_half_pixel" => false,
        other => return Err(l.value("coordinate_transformation_mode", other, "half_pixel or output_half_pixel")),
    };
    let mode = l.string("mode", "avg")?;
    if mode != "avg" && mode != "max" {
        return Err(l.value("mode", &mode, "avg or max"));
    }
    let bins = [Dim::from(l.int("output_height", 1)), Dim::from(l.int("output_width", 1))];
    let ratio = l.int("sampling_ratio", 0);
    let work = work_type(dtype);
    let rois = l.cast(rois, work)?;
    let scale = f64::from(l.float("spatial_scale", 1.0));
    let regions = l.shape(rois)?[0].clone();
    let mut along = Vec::with_capacity(2);
    for axis in 0..2 {
        let mut ends = Vec::with_capacity(2);
        for side in 0..2 {
            let end = column(l, rois, 2 * side + 1 - axis)?;
            let end = l.with(Scalar::Mul, end, scale)?;
            ends.push(if half { l.with(Scalar::Sub, end, 0.5)? } else { end });
        }
        let size = l.map(Scalar::Sub, &[ends[1], ends[0]])?;
        let size = if half { size } else { l.with(Scalar::Max, size, 1.0)? };
        along.push(sampled(l, (ends[0], size), &bins[axis], &own[2 + axis], ratio)?);
    }
    // [R, bins, samples, bins, samples]
    let shape = [regions.clone(), bins[0].clone(), along[0].samples.clone(), bins[1].clone(), along[1].samples.clone()];
    let places = [[0, 1, 2], [0, 3, 4]];
    let batch = l.cast(batch, DType::I64)?;
    let batch = l.spread(batch, &[0], &shape)?;
    let mut taps: Vec<Vec<Tap>> = Vec::with_capacity(2);
    for (s, at) in along.iter().zip(&places) {
        let mut wide = Vec::with_capacity(2);
        for t in &s.taps {
            let spread = |l: &mut Lower<'_>, v: Option<ValueId>| v.map(|v| l.spread(v, at, &shape)).transpose();
            wide.push(Tap {
                at: l.spread(t.at, at, &shape)?,
                there: spread(l, t.there)?,
                weight: spread(l, t.weight)?,
            });
        }
        taps.push(wide);
    }
    // {@ c @ @, r p i q j -> r c p i q j}
    let all: Vec<Label> = (0..6).map(label).collect();
    let ix: Vec<Label> = [0, 2, 3, 4, 5].map(label).to_vec();
    let axes = [DataIx::At, DataIx::Label(label(1)), DataIx::At, DataIx::At];
    let spec = GatherSpec::new(&axes, &ix, &all, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let spots = [0, 2, 3, 4, 5];
    let y = if mode == "avg" {
        interpolate(l, x, &spec, &[batch], &taps, &spots, work)?
    } else {
        // The largest of the weighted cells, not of the interpolated samples.
        let mut best = None;
        for v in &taps[0] {
            for h in &taps[1] {
                let value = corner(l, x, &spec, &[batch], &[v, h], &spots, work)?;
                best = Some(match best {
                    None => value,
                    Some(b) => l.map(Scalar::Max, &[b, value])?,
                });
            }
        }
        best.ok_or_else(|| opaque("no cells"))?
    };
    let full = l.shape(y)?;
    let mut mine = None;
    for (s, at) in along.iter().zip(&places) {
        let spots: Vec<usize> = at.iter().map(|a| if *a == 0 { 0 } else { a + 1 }).collect();
        let m = l.spread(s.mine, &spots, &full)?;
        mine = Some(match mine {
            None => m,
            Some(other) => l.map(Scalar::And, &[other, m])?,
        });
    }
    let mine = mine.ok_or_else(|| opaque("no axes"))?;
    let (monoid, absent) = if mode == "avg" { (Monoid::Sum, 0.0) } else { (Monoid::Max, f64::NEG_INFINITY) };
    let absent = l.splat(Literal::from_f64(work, absent), &full)?;
    let y = l.map(Scalar::Select, &[mine, y, absent])?;
    let y = l.fold(monoid, y, &[3, 5], work)?;
    let count = l.mul(along[0].count, along[1].count)?;
    let shape = l.shape(y)?;
    let y = if mode == "avg" {
        let count = l.with(Scalar::Max, count, 1.0)?;
        let count = l.spread(count, &[0], &shape)?;
        l.map(Scalar::Div, &[y, count])?
    } else {
        // A region without samples gives 0.
        let some = l.truth(count)?;
        let some = l.spread(some, &[0], &shape)?;
        let zero = l.splat(Literal::from_f64(work, 0.0), &shape)?;
        l.map(Scalar::Select, &[some, y, zero])?
    };
    Ok(vec![l.cast(y, dtype)?])
}

/// To the nearest integer, ties away from zero.
fn rounded(l: &mut Lower<'_>, v: ValueId) -> Result<ValueId, Fail> {
    let size = l.map(Scalar::Abs, &[v])?;
    let up = l.with(Scalar::Add, size, 0.5)?;
    let whole = l.map(Scalar::Floor, &[up])?;
    let sign = l.map(Scalar::Sign, &[v])?;
    l.mul(whole, sign)
}

/// X `[N, C, H, W]`, rois `[R, 5]` (batch, x, y, x, y), whose ends are rounded to cells and belong to the region; a bin
/// without cells gives 0.
fn max_roi_pool(l: &mut Lower<'_>) -> Results {
    let (x, rois) = (l.operand(0)?, l.operand(1)?);
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    let pooled = l.ints("pooled_shape").unwrap_or_default().to_vec();
    if own.len() != 4 || pooled.len() != 2 || pooled.iter().any(|p| *p < 1) {
        return Err(l.value("pooled_shape", &format!("{pooled:?}"), "two positive numbers, for images"));
    }
    let work = work_type(dtype);
    let scale = f64::from(l.float("spatial_scale", 1.0));
    let rois = l.cast(rois, work)?;
    let regions = l.shape(rois)?[0].clone();
    let batch = column(l, rois, 0)?;
    let batch = l.cast(batch, DType::I64)?;
    let spec = GatherSpec::along(4, 0, 1, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let mut y = l.gather(spec, x, batch)?;
    // One axis after the other: {R C H W} to {R C H q}, then to {R C p q}.
    for axis in [1, 0] {
        let bins = Dim::from(pooled[axis]);
        let extent = own[2 + axis].clone();
        let mut ends = Vec::with_capacity(2);
        for side in 0..2 {
            let end = column(l, rois, 1 + 2 * side + 1 - axis)?;
            let end = l.with(Scalar::Mul, end, scale)?;
            ends.push(rounded(l, end)?);
        }
        let size = l.map(Scalar::Sub, &[ends[1], ends[0]])?;
        let size = l.with(Scalar::Add, size, 1.0)?;
        let size = l.with(Scalar::Max, size, 1.0)?;
        let bin = l.with_dim(Scalar::Div, size, &bins)?;
        let shape = [regions.clone(), bins.clone(), extent.clone()];
        let (start, bin) = (l.spread(ends[0], &[0], &shape)?, l.spread(bin, &[0], &shape)?);
        let (p, cell) = (l.ramp(1, &shape, work)?, l.ramp(2, &shape, work)?);
        let next = l.with(Scalar::Add, p, 1.0)?;
        let (from, to) = (l.mul(p, bin)?, l.mul(next, bin)?);
        let (from, to) = (l.map(Scalar::Floor, &[from])?, l.map(Scalar::Ceil, &[to])?);
        let (from, to) = (l.add(from, start)?, l.add(to, start)?);
        let (after, before) = (l.map(Scalar::Le, &[from, cell])?, l.map(Scalar::Lt, &[cell, to])?);
        let mine = l.map(Scalar::And, &[after, before])?;
        // y with the bins' axis inserted before the folded one.
        let mut full = l.shape(y)?;
        full.insert(2 + axis, bins);
        let wide = l.insert(y, vec![(2 + axis, full[2 + axis].clone())])?;
        let mine = l.spread(mine, &[0, 2 + axis, 3 + axis], &full)?;
        let low = l.splat(Literal::from_f64(dtype, f64::NEG_INFINITY), &full)?;
        let kept = l.map(Scalar::Select, &[mine, wide, low])?;
        y = l.fold(Monoid::Max, kept, &[3 + axis], dtype)?;
    }
    let shape = l.shape(y)?;
    let low = l.splat(Literal::from_f64(dtype, f64::NEG_INFINITY), &shape)?;
    let empty = l.map(Scalar::Eq, &[y, low])?;
    let zero = l.splat(Literal::from_f64(dtype, 0.0), &shape)?;
    Ok(vec![l.map(Scalar::Select, &[empty, zero, y])?])
}
