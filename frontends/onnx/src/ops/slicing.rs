//! Parts and wholes: Slice, Split, Concat, Pad, CenterCropPad, Trilu.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Negative};
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{DType, Dim, Literal, Tensor, ValueId};

use super::{LATEST, Row, onnx};
use crate::import::MAX_EXTENT;
use crate::known;
use crate::known::Known;
use crate::lower::{Fail, Lower, Results, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("Slice", 1..10, slice_by_attributes),
    onnx("Slice", 10..LATEST, slice),
    onnx("Split", 1..2, split),
    onnx("Split", 2..13, split),
    onnx("Split", 13..18, split),
    onnx("Split", 18..LATEST, split),
    onnx("Concat", 1..4, |l| concat(l, 1)),
    onnx("Concat", 4..LATEST, |l| concat(l, 0)),
    onnx("Pad", 1..2, |l| pad_by_attributes(l, "paddings")),
    onnx("Pad", 2..11, |l| pad_by_attributes(l, "pads")),
    onnx("Pad", 11..LATEST, pad),
    onnx("Trilu", 14..LATEST, trilu),
];

fn slice_by_attributes(l: &mut Lower<'_>) -> Results {
    let list = |name: &str| -> Vec<Dim> { l.ints(name).unwrap_or_default().iter().map(|d| Dim::from(*d)).collect() };
    let (starts, ends) = (list("starts"), list("ends"));
    let axes = l.ints("axes").map(<[i64]>::to_vec);
    sliced(l, &starts, &ends, axes, None)
}

fn slice(l: &mut Lower<'_>) -> Results {
    let (starts, ends) = (l.operand(1)?, l.operand(2)?);
    let axes = l.optional(3).map(|v| l.numbers("axes", v)).transpose()?;
    let steps = l.optional(4).map(|v| l.numbers("steps", v)).transpose()?;
    match (l.dims(starts), l.dims(ends)) {
        (Some(starts), Some(ends)) => sliced(l, &starts, &ends, axes, steps),
        _ => sliced_by_value(l, starts, ends, axes, steps),
    }
}

/// As [`sliced`], with the clamping as arithmetic when the model runs.
fn sliced_by_value(
    l: &mut Lower<'_>,
    starts: ValueId,
    ends: ValueId,
    axes: Option<Vec<i64>>,
    steps: Option<Vec<i64>>,
) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let count = l.vector_length("starts", starts)?;
    let axes = axes.unwrap_or_else(|| (0..count as i64).collect());
    let steps = steps.unwrap_or_else(|| vec![1; count]);
    if axes.len() != count || steps.len() != count || l.vector_length("ends", ends)? != count {
        return Err(l.value("starts", &count.to_string(), "lists of equal length"));
    }
    let axes = l.axes("axes", &axes, own.len())?;
    let (starts, ends) = (l.cast(starts, DType::I64)?, l.cast(ends, DType::I64)?);
    let (starts, ends) = (l.scalars(starts, count)?, l.scalars(ends, count)?);
    let mut out = whole_slices(&own);
    for (((axis, start), end), step) in axes.into_iter().zip(starts).zip(ends).zip(steps) {
        out[axis] = clamped_by_value(l, &own[axis], start, end, step)?;
    }
    Ok(vec![l.slice(x, out)?])
}

/// The elements that `start:end:step` takes of an axis, by value.
fn clamped_by_value(
    l: &mut Lower<'_>,
    extent: &Dim,
    start: ValueId,
    end: ValueId,
    step: i64,
) -> Result<SliceAxis, Fail> {
    if step == 0 || step == i64::MIN {
        return Err(l.value("steps", &step.to_string(), "a number other than 0"));
    }
    let d = l.dim(extent, DType::I64)?;
    // Backwards, an end before the first position is −1.
    let (low, high) = if step > 0 { (0.0, extent.clone()) } else { (-1.0, extent.clone() - Dim::ONE) };
    let mut ends = [start, end];
    for v in &mut ends {
        let negative = l.with(Scalar::Lt, *v, 0.0)?;
        let from_end = l.add(*v, d)?;
        let at = l.map(Scalar::Select, &[negative, from_end, *v])?;
        let at = l.with(Scalar::Max, at, low)?;
        *v = l.with_dim(Scalar::Min, at, &high)?;
    }
    let span = if step > 0 { [ends[1], ends[0]] } else { ends };
    let span = l.map(Scalar::Sub, &span)?;
    let span = l.with(Scalar::Max, span, 0.0)?;
    let size = step.abs();
    let len = if size == 1 {
        span
    } else {
        let up = l.map_i64(Scalar::Add, span, size - 1)?;
        l.map_i64(Scalar::Div, up, size)?
    };
    let first = l.with(Scalar::Max, ends[0], 0.0)?;
    let len = l.extent_of(len, extent.as_const());
    Ok(SliceAxis { start: l.extent_of(first, extent.as_const()), step, len })
}

fn sliced(l: &mut Lower<'_>, starts: &[Dim], ends: &[Dim], axes: Option<Vec<i64>>, steps: Option<Vec<i64>>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axes = axes.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = steps.unwrap_or_else(|| vec![1; starts.len()]);
    if starts.len() != ends.len() || starts.len() != axes.len() || starts.len() != steps.len() {
        return Err(l.value("starts", &format!("{starts:?}"), "lists of equal length"));
    }
    let axes = l.axes("axes", &axes, own.len())?;
    let mut out = whole_slices(&own);
    for (((axis, start), end), step) in axes.iter().zip(starts).zip(ends).zip(steps) {
        out[*axis] = clamped(l, &own[*axis], start, end, step)?;
    }
    Ok(vec![l.slice(x, out)?])
}

/// The elements that `start:end:step` takes of an axis.
fn clamped(l: &Lower<'_>, extent: &Dim, start: &Dim, end: &Dim, step: i64) -> Result<SliceAxis, Fail> {
    if step == 0 {
        return Err(l.value("steps", "0", "a number other than 0"));
    }
    if let (Some(d), Some(s), Some(e)) = (extent.as_const(), start.as_const(), end.as_const()) {
        let (start, step, len) =
            known::clamp(d, s, e, step).ok_or_else(|| l.value("steps", &step.to_string(), "another step"))?;
        return Ok(SliceAxis { start: Dim::from(start), step, len: Dim::from(len) });
    }
    let symbols = l.symbols();
    let at_least = |d: &Dim, lo: i64| (d.clone() - Dim::from(lo)).lower_bound(symbols).is_some_and(|b| b >= 0);
    // Largest positions stand for "to the end" whatever the extent.
    let far = |d: &Dim| d.as_const().is_some_and(|c| c >= MAX_EXTENT);
    if step < 0 {
        let whole = start.as_const() == Some(-1) && end.as_const().is_some_and(|e| e <= -MAX_EXTENT) && step == -1;
        if whole {
            return Ok(SliceAxis { start: extent.clone() - Dim::ONE, step, len: extent.clone() });
        }
        return Err(opaque("a slice backwards over an unknown extent"));
    }
    let place = |d: &Dim| match d.as_const() {
        Some(0) => Dim::ZERO,
        Some(c) if c < 0 => {
            let from_end = extent.clone() + d.clone();
            if at_least(&from_end, 0) { from_end } else { from_end.larger(&Dim::ZERO) }
        }
        _ if far(d) || at_least(&(d.clone() - extent.clone()), 0) => extent.clone(),
        _ if at_least(&(extent.clone() - d.clone()), 0) => d.clone(),
        // An extent that the model needs to be within this one.
        None if d.as_symbol().is_some_and(|s| extent.as_const().is_some_and(|c| symbols.info(s).max <= c)) => d.clone(),
        _ => d.smaller(extent),
    };
    for d in [start, end] {
        if d.as_const().is_none() && !at_least(d, 0) {
            return Err(opaque(format!("a slice position {d} of unknown sign")));
        }
    }
    let (from, to) = (place(start), place(end));
    let span = to - from.clone();
    let span = if at_least(&span, 0) { span } else { span.larger(&Dim::ZERO) };
    Ok(SliceAxis { start: from, step, len: span.ceil_div(&Dim::from(step)) })
}

fn split(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axis = l.axis("axis", l.int("axis", 0), own.len())?;
    let parts = l.node.output.len();
    let sizes = match (l.ints("split"), l.optional(1)) {
        (Some(list), _) => Some(list.iter().map(|d| Dim::from(*d)).collect()),
        (None, Some(v)) => Some(l.lengths("split", v, parts)?),
        (None, None) => None,
    };
    let sizes: Vec<Dim> = if let Some(sizes) = sizes {
        sizes
    } else {
        let n = if l.opset >= 18 { l.int("num_outputs", parts as i64) } else { parts as i64 };
        if n != parts as i64 {
            return Err(l.value("num_outputs", &n.to_string(), "the number of outputs"));
        }
        equal_parts(l, &own[axis], parts)?
    };
    let total = sizes.iter().cloned().fold(Dim::ZERO, |a, b| a + b);
    if sizes.len() != parts || (total != own[axis] && total.as_const().is_some() && own[axis].as_const().is_some()) {
        return Err(l.value("split", &format!("{sizes:?}"), &format!("{parts} sizes that add up to {}", own[axis])));
    }
    let mut start = Dim::ZERO;
    let mut out = Vec::with_capacity(parts);
    for size in sizes {
        // Parts of a known list, such as a shape, are known as well.
        let part = l.known(x).and_then(|known| part(&known, start.as_const()?, size.as_const()?));
        let v = match part.as_ref().map(|known| known.materialize(l)) {
            Some(Ok(v)) => v,
            Some(Err(_)) | None => l.slice_axis(x, axis, start.clone(), size.clone())?,
        };
        if let Some(known) = part {
            l.known.insert(v, known);
        }
        out.push(v);
        start = start + size;
    }
    Ok(out)
}

/// `n` elements of a known list from `start` on.
fn part(known: &Known, start: i64, n: i64) -> Option<Known> {
    let (start, n) = (usize::try_from(start).ok()?, usize::try_from(n).ok()?);
    let elems = known.elems.get(start..start.checked_add(n)?)?.to_vec();
    (known.shape.len() == 1).then(|| Known { dtype: known.dtype, shape: vec![n], elems })
}

/// Equal sizes; from opset 18 on the last may be smaller.
fn equal_parts(l: &Lower<'_>, extent: &Dim, parts: usize) -> Result<Vec<Dim>, Fail> {
    let n = Dim::from(parts);
    let Some(d) = extent.as_const() else {
        return Ok(vec![extent.exact_div(&n); parts]);
    };
    if d % parts as i64 == 0 {
        return Ok(vec![extent.exact_div(&n); parts]);
    }
    let chunk = (d + parts as i64 - 1) / parts as i64;
    let last = d - chunk * (parts as i64 - 1);
    if l.opset < 18 || last < 0 {
        return Err(l.value("split", "none", &format!("an extent {d} that divides by {parts}")));
    }
    let mut sizes = vec![Dim::from(chunk); parts - 1];
    sizes.push(Dim::from(last));
    Ok(sizes)
}

fn concat(l: &mut Lower<'_>, default: i64) -> Results {
    let parts = l.operands()?;
    let rank = match parts.first() {
        Some(v) => l.rank(*v)?,
        None => return Err(l.value("inputs", "none", "one at least")),
    };
    let axis = l.axis("axis", l.int("axis", default), rank)?;
    // The parts agree on the other axes, or the node fails when it runs.
    let first = l.shape(parts[0])?;
    let mut parts = parts;
    for v in &mut parts[1..] {
        let mut own = l.shape(*v)?;
        if own.len() != rank {
            return Err(l.misfit("inputs", &own, &first));
        }
        own.splice(..axis, first[..axis].iter().cloned());
        own.splice(axis + 1.., first[axis + 1..].iter().cloned());
        *v = l.taken_as(*v, &own)?;
    }
    Ok(vec![l.concat(axis, &parts)?])
}

fn pad_by_attributes(l: &mut Lower<'_>, name: &str) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let pads: Vec<Dim> = l.ints(name).unwrap_or_default().iter().map(|d| Dim::from(*d)).collect();
    let value = l.float("value", 0.0);
    let fill = l.number(t.dtype, f64::from(value))?;
    let axes = (0..t.rank()).collect::<Vec<_>>();
    Ok(vec![padded(l, x, &pads, &axes, fill)?])
}

fn pad(l: &mut Lower<'_>) -> Results {
    let (x, pads) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(x)?;
    let axes = match l.optional(3) {
        Some(v) => {
            let axes = l.numbers("axes", v)?;
            l.axes("axes", &axes, t.rank())?
        }
        None => (0..t.rank()).collect(),
    };
    let fill = match l.optional(2) {
        Some(v) => l.reshape(v, &[])?,
        None => l.literal(Literal::from_i64(t.dtype, 0))?,
    };
    Ok(vec![match l.dims(pads) {
        Some(pads) => padded(l, x, &pads, &axes, fill)?,
        None => padded_by_value(l, x, pads, &axes, fill)?,
    }])
}

/// As [`padded`], by arithmetic when the model runs: what is negative cuts, the rest grows.
fn padded_by_value(
    l: &mut Lower<'_>,
    x: ValueId,
    pads: ValueId,
    axes: &[usize],
    fill: ValueId,
) -> Result<ValueId, Fail> {
    let mode = l.string("mode", "constant")?;
    if l.vector_length("pads", pads)? != 2 * axes.len() {
        return Err(l.value("pads", "another number", &format!("{} numbers", 2 * axes.len())));
    }
    let pads = l.cast(pads, DType::I64)?;
    let pads = l.scalars(pads, 2 * axes.len())?;
    let (lows, highs) = pads.split_at(axes.len());
    let mut y = x;
    for ((axis, lo), hi) in axes.iter().zip(lows).zip(highs) {
        let own = l.shape(y)?;
        if mode != "constant" {
            y = read_again(l, y, *axis, *lo, *hi, &mode)?;
            continue;
        }
        let mut sides = Vec::with_capacity(2);
        for v in [*lo, *hi] {
            let negative = l.map(Scalar::Neg, &[v])?;
            let (cut, grow) = (l.with(Scalar::Max, negative, 0.0)?, l.with(Scalar::Max, v, 0.0)?);
            sides.push((l.extent_of(cut, None), l.extent_of(grow, None)));
        }
        let kept = own[*axis].clone() - sides[0].0.clone() - sides[1].0.clone();
        y = l.slice_axis(y, *axis, sides[0].0.clone(), kept)?;
        let mut grow = vec![PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 }; own.len()];
        grow[*axis] = PadAxis { lo: sides[0].1.clone(), hi: sides[1].1.clone(), inner: 0 };
        y = l.pad(y, fill, grow)?;
    }
    Ok(y)
}

/// reflect, edge and wrap as a Gather whose indices are computed when the model runs.
fn read_again(
    l: &mut Lower<'_>,
    x: ValueId,
    axis: usize,
    lo: ValueId,
    hi: ValueId,
    mode: &str,
) -> Result<ValueId, Fail> {
    let t = l.tensor(x)?;
    let extent = t.shape[axis].clone();
    let d = l.dim(&extent, DType::I64)?;
    let total = l.add(lo, d)?;
    let total = l.add(total, hi)?;
    let total = l.extent_of(total, None);
    let all = [total.clone()];
    let (i, lo) = (l.iota(&total, DType::I64)?, l.fill(lo, &all)?);
    let i = l.map(Scalar::Sub, &[i, lo])?;
    let at = match mode {
        "edge" => l.clamp_index(i, &extent)?,
        "wrap" => l.with_dim(Scalar::RemFloor, i, &extent)?,
        "reflect" => {
            // Positions run there and back; an axis of one cell stays where it is.
            let period = (Dim::from(2i64) * (extent - Dim::ONE)).larger(&Dim::ONE);
            let there = l.with_dim(Scalar::RemFloor, i, &period)?;
            let end = l.dim(&period, DType::I64)?;
            let end = l.fill(end, &all)?;
            let back = l.map(Scalar::Sub, &[end, there])?;
            l.map(Scalar::Min, &[there, back])?
        }
        _ => return Err(l.value("mode", mode, "constant, reflect, edge or wrap")),
    };
    let spec = GatherSpec::along(t.rank(), axis, 1, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.gather(spec, x, at)
}

fn padded(l: &mut Lower<'_>, x: ValueId, pads: &[Dim], axes: &[usize], fill: ValueId) -> Result<ValueId, Fail> {
    let mode = l.string("mode", "constant")?;
    if pads.len() != 2 * axes.len() {
        return Err(l.value("pads", &format!("{pads:?}"), &format!("{} numbers", 2 * axes.len())));
    }
    let own = l.shape(x)?;
    let (lows, highs) = pads.split_at(axes.len());
    if mode != "constant" {
        let mut y = x;
        for ((axis, lo), hi) in axes.iter().zip(lows).zip(highs) {
            y = match (lo.as_const(), hi.as_const(), own[*axis].as_const()) {
                (Some(0), Some(0), _) => y,
                (Some(lo), Some(hi), Some(_)) => mirrored(l, y, *axis, lo, hi, &mode)?,
                _ => {
                    let (lo, hi) = (l.dim(lo, DType::I64)?, l.dim(hi, DType::I64)?);
                    read_again(l, y, *axis, lo, hi, &mode)?
                }
            };
        }
        return Ok(y);
    }
    // A negative pad cuts.
    let mut cut = whole_slices(&own);
    let mut grow = vec![PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 }; own.len()];
    for ((axis, lo), hi) in axes.iter().zip(lows).zip(highs) {
        let negative = |d: &Dim| d.as_const().filter(|c| *c < 0).map_or(0, |c| -c);
        let (from, gone) = (negative(lo), Dim::from(negative(lo)) + Dim::from(negative(hi)));
        cut[*axis] = SliceAxis { start: Dim::from(from), step: 1, len: own[*axis].clone() - gone };
        let positive = |d: &Dim| if negative(d) > 0 { Dim::ZERO } else { d.clone() };
        grow[*axis] = PadAxis { lo: positive(lo), hi: positive(hi), inner: 0 };
    }
    let x = l.slice(x, cut)?;
    l.pad(x, fill, grow)
}

/// reflect, edge and wrap read cells of the operand again: a Gather along the axis with indices known now.
fn mirrored(l: &mut Lower<'_>, x: ValueId, axis: usize, lo: i64, hi: i64, mode: &str) -> Result<ValueId, Fail> {
    let t = l.tensor(x)?;
    let Some(d) = t.shape[axis].as_const() else { return Err(opaque(format!("mode {mode} over an unknown extent"))) };
    let total = d.checked_add(lo).and_then(|n| n.checked_add(hi)).filter(|n| (0..=1 << 22).contains(n));
    let Some(total) = total else { return Err(l.value("pads", &format!("{lo}, {hi}"), "smaller numbers")) };
    if d == 0 && total > 0 {
        return Err(l.value("mode", mode, "an axis that is not empty"));
    }
    let index = |i: i64| match mode {
        "edge" => Some(i.clamp(0, d - 1)),
        "wrap" => Some(i.rem_euclid(d)),
        "reflect" if d == 1 => Some(0),
        "reflect" => {
            let period = 2 * (d - 1);
            let r = i.rem_euclid(period);
            Some(r.min(period - r))
        }
        _ => None,
    };
    let Some(ixs) = (0..total).map(|i| index(i - lo)).collect::<Option<Vec<i64>>>() else {
        return Err(l.value("mode", mode, "constant, reflect, edge or wrap"));
    };
    let ix = Tensor::from_slice([ixs.len()], &ixs).map_err(|e| opaque(e.to_string()))?;
    let ix = l.constant(ix)?;
    let spec = GatherSpec::along(t.rank(), axis, 1, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.gather(spec, x, ix)
}

/// Cells above (upper) or below the k-th diagonal stay, the others are 0.
fn trilu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    if t.rank() < 2 {
        return Err(crate::lower::bad(
            "input 0",
            crate::error::ProblemKind::Rank { got: t.rank(), expected: "2 or more".into() },
        ));
    }
    let last = &t.shape[t.rank() - 2..];
    let rows = l.iota(&last[0], DType::I64)?;
    let rows = l.spread(rows, &[0], last)?;
    let columns = l.iota(&last[1], DType::I64)?;
    let columns = l.spread(columns, &[1], last)?;
    let diagonal = match l.optional(1) {
        Some(k) => {
            let k = l.reshape(k, &[])?;
            let k = l.fill(k, last)?;
            l.add(rows, k)?
        }
        None => rows,
    };
    let keep = if l.flag("upper", true) {
        l.map(Scalar::Le, &[diagonal, columns])?
    } else {
        l.map(Scalar::Le, &[columns, diagonal])?
    };
    let keep = l.broadcast(keep, &t.shape)?;
    let zero = l.splat(Literal::from_i64(t.dtype, 0), &t.shape)?;
    Ok(vec![l.map(Scalar::Select, &[keep, x, zero])?])
}
