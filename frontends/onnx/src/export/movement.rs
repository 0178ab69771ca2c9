//! Movement: Transpose, Reshape, Squeeze, Unsqueeze, Expand, Slice, Split, Pad, Concat, and the Gather and Scatter families.

use egret_ir::choice::ClassId;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label};
use egret_ir::op::{Op, PadAxis, Perm, ScatterOp, SliceAxis};
use egret_ir::{DType, Dim};

use super::build::{Build, list, slots};
use super::{Attribute, Slot};

/// Transpose.
pub fn permute(b: &mut Build<'_>, c: ClassId, p: &Perm, x: ClassId) {
    let axes = p.axes().map(|a| a as i64).collect();
    b.node(&[c], "Transpose", vec![("perm", Attribute::Ints(axes))], vec![Slot::Class(x)]);
}

/// Reshape, or Squeeze and Unsqueeze where extents of 1 alone come or go and Reshape would have to compute a shape.
pub fn reshape(b: &mut Build<'_>, c: ClassId, shape: &[Dim], x: ClassId) {
    let Some(from) = b.shape(x).map(<[Dim]>::to_vec) else { return };
    match target(&from, shape, b) {
        Some((values, literal_zero)) => {
            let attributes = if literal_zero { vec![("allowzero", Attribute::Int(1))] } else { vec![] };
            b.node(&[c], "Reshape", attributes, vec![Slot::Class(x), list(&values)]);
        }
        None => ones(b, c, &from, shape, x),
    }
}

/// The `shape` operand: numbers, 0 for an unknown extent that stays in place, −1 for one that is left. The flag asks for
/// `allowzero`.
fn target(from: &[Dim], to: &[Dim], b: &Build<'_>) -> Option<(Vec<i64>, bool)> {
    let mut values = Vec::with_capacity(to.len());
    let (mut copies, mut infers, mut zero) = (false, false, false);
    for (i, d) in to.iter().enumerate() {
        let v = match d.as_const() {
            Some(0) if from.get(i) == Some(d) => 0,
            Some(0) => {
                zero = true;
                0
            }
            Some(v) => v,
            None if from.get(i) == Some(d) => {
                // Copied extents that may be 0 forbid −1.
                copies |= d.lower_bound(&b.classes.tables.symbols).is_none_or(|lo| lo < 1);
                0
            }
            None if infers => return None,
            None => {
                infers = true;
                -1
            }
        };
        values.push(v);
    }
    let has_zero = to.contains(&Dim::ZERO);
    if infers && (copies || has_zero) {
        return None;
    }
    let unknown = values.iter().zip(to).any(|(v, d)| *v == 0 && *d != Dim::ZERO);
    if zero && (unknown || infers || b.opset < 14) {
        return None;
    }
    Some((values, zero))
}

/// Squeeze or Unsqueeze.
fn ones(b: &mut Build<'_>, c: ClassId, from: &[Dim], to: &[Dim], x: ClassId) {
    let (long, short, op) = if from.len() > to.len() { (from, to, "Squeeze") } else { (to, from, "Unsqueeze") };
    let Some(axes) = extra_ones(long, short) else { return };
    with_axes(b, c, op, &axes, x);
}

/// A node with `axes` as attribute before opset 13 and as operand from then on.
fn with_axes(b: &mut Build<'_>, c: ClassId, op: &'static str, axes: &[i64], x: ClassId) {
    if b.opset < 13 {
        b.node(&[c], op, vec![("axes", Attribute::Ints(axes.to_vec()))], slots(&[x]));
    } else {
        b.node(&[c], op, vec![], vec![Slot::Class(x), list(axes)]);
    }
}

/// Positions in `long` of the extents of 1 that `short` lacks, where that is the only difference.
pub fn extra_ones(long: &[Dim], short: &[Dim]) -> Option<Vec<i64>> {
    let mut rest = short.iter().peekable();
    let mut axes = Vec::new();
    let mut spare = long.len().checked_sub(short.len())?;
    for (i, d) in long.iter().enumerate() {
        if *d == Dim::ONE && spare > 0 && rest.peek().is_none_or(|s| **s != Dim::ONE) {
            axes.push(i as i64);
            spare -= 1;
        } else if rest.next() != Some(d) {
            return None;
        }
    }
    (spare == 0 && rest.peek().is_none()).then_some(axes)
}

/// Expand, or Unsqueeze where all new extents are 1. Needs the new extents as numbers.
pub fn broadcast(b: &mut Build<'_>, c: ClassId, new: &[(u8, Dim)], x: ClassId) {
    if new.iter().all(|(_, d)| *d == Dim::ONE) {
        let axes: Vec<i64> = new.iter().map(|(at, _)| i64::from(*at)).collect();
        with_axes(b, c, "Unsqueeze", &axes, x);
        return;
    }
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec) else { return };
    let mut wanted = vec![1; shape.len()];
    for (at, d) in new {
        let Some(n) = d.as_const() else { return };
        wanted[usize::from(*at)] = n;
    }
    for form in b.narrow(c) {
        if form != c {
            b.node(&[c], "Expand", vec![], vec![Slot::Class(form), list(&wanted)]);
        }
    }
}

/// Slice; an unknown end is written from the axis's end.
pub fn slice(b: &mut Build<'_>, c: ClassId, axes: &[SliceAxis], x: ClassId) {
    let Some(shape) = b.shape(x).map(<[Dim]>::to_vec) else { return };
    let (mut starts, mut ends, mut at, mut steps) = (vec![], vec![], vec![], vec![]);
    for (i, (a, d)) in axes.iter().zip(&shape).enumerate() {
        if a.start == Dim::ZERO && a.step == 1 && a.len == *d {
            continue;
        }
        let Some((start, end)) = range(a, d) else { return };
        starts.push(start);
        ends.push(end);
        at.push(i as i64);
        steps.push(a.step);
    }
    if b.opset >= 10 {
        let mut inputs = vec![Slot::Class(x), list(&starts), list(&ends), list(&at)];
        if steps.iter().any(|s| *s != 1) {
            inputs.push(list(&steps));
        }
        b.node(&[c], "Slice", vec![], inputs);
    } else if steps.iter().all(|s| *s == 1) {
        let attributes =
            vec![("starts", Attribute::Ints(starts)), ("ends", Attribute::Ints(ends)), ("axes", Attribute::Ints(at))];
        b.node(&[c], "Slice", attributes, slots(&[x]));
    } else if let ([axis], Some(a)) = (at.as_slice(), at.first().and_then(|i| axes.get(*i as usize))) {
        // Slice had no steps yet.
        let (start, len) = (a.start.as_const(), a.len.as_const().filter(|n| *n <= MAX_PICKED));
        if let (Some(start), Some(len)) = (start, len) {
            let picked: Vec<i64> = (0..len).map(|i| start + a.step * i).collect();
            b.node(&[c], "Gather", vec![("axis", Attribute::Int(*axis))], vec![Slot::Class(x), list(&picked)]);
        }
    }
    split(b, c, axes, &shape, x);
}

/// Positions that are listed one by one at most.
const MAX_PICKED: i64 = 4096;

fn range(a: &SliceAxis, d: &Dim) -> Option<(i64, i64)> {
    if let (Some(start), Some(len)) = (a.start.as_const(), a.len.as_const()) {
        let end = start.checked_add(a.step.checked_mul(len)?)?;
        // Running past the front with a negative step: only INT64_MIN is not read as counted from the end.
        return Some((start, if end < 0 { i64::MIN } else { end }));
    }
    if a.step != 1 {
        return None;
    }
    let end = a.start.clone() + a.len.clone();
    let start = match a.start.as_const() {
        Some(start) => start,
        None => (a.start.clone() - d.clone()).as_const().filter(|s| *s < 0)?,
    };
    let end = match (end.as_const(), (end.clone() - d.clone()).as_const()) {
        (Some(end), _) => end,
        (None, Some(0)) => i64::MAX,
        (None, Some(back)) if back < 0 => back,
        (None, _) => return None,
    };
    Some((start, end))
}

/// Split, where slices of `x` tile the axis of which `c` is the first part.
fn split(b: &mut Build<'_>, c: ClassId, axes: &[SliceAxis], shape: &[Dim], x: ClassId) {
    let mut cut = axes.iter().zip(shape).enumerate().filter(|(_, (a, d))| a.len != **d);
    let (Some((axis, (first, whole))), None) = (cut.next(), cut.next()) else { return };
    let plain = axes.iter().enumerate().all(|(i, a)| a.step == 1 && (i == axis || a.start == Dim::ZERO));
    let (Some(len), Some(whole)) = (first.len.as_const(), whole.as_const()) else { return };
    if !plain || first.start != Dim::ZERO || len == 0 {
        return;
    }
    let (mut parts, mut sizes, mut at) = (vec![c], vec![len], len);
    while at < whole {
        // The longest known slice that starts where the last one ended.
        let next = (1..=whole - at).rev().find_map(|n| {
            let mut axes = axes.to_vec();
            axes[axis] = SliceAxis { start: Dim::from(at), step: 1, len: Dim::from(n) };
            b.known(&Op::Slice(axes.into()), &[x]).map(|part| (part, n))
        });
        let Some((part, n)) = next else { return };
        parts.push(part);
        sizes.push(n);
        at += n;
    }
    let attribute = ("axis", Attribute::Int(axis as i64));
    if b.opset >= 13 {
        b.node(&parts, "Split", vec![attribute], vec![Slot::Class(x), list(&sizes)]);
    } else {
        b.node(&parts, "Split", vec![attribute, ("split", Attribute::Ints(sizes))], slots(&[x]));
    }
}

/// Pad with a constant; cells between elements have no operator.
pub fn pad(b: &mut Build<'_>, c: ClassId, axes: &[PadAxis], x: ClassId, value: ClassId) {
    let side = |f: fn(&PadAxis) -> &Dim| axes.iter().map(|a| f(a).as_const()).collect::<Option<Vec<i64>>>();
    let (Some(mut pads), Some(hi)) = (side(|a| &a.lo), side(|a| &a.hi)) else { return };
    if axes.iter().any(|a| a.inner != 0) {
        return;
    }
    pads.extend(hi);
    if b.opset >= 11 {
        b.node(&[c], "Pad", vec![], vec![Slot::Class(x), list(&pads), Slot::Class(value)]);
    } else if let Some(l) = b.splat(value) {
        let attributes = vec![("pads", Attribute::Ints(pads)), ("value", Attribute::Float(l.to_f64() as f32))];
        b.node(&[c], "Pad", attributes, slots(&[x]));
    }
}

/// Concat.
pub fn concat(b: &mut Build<'_>, c: ClassId, axis: u8, parts: &[ClassId]) {
    b.node(&[c], "Concat", vec![("axis", Attribute::Int(i64::from(axis)))], slots(parts));
}

/// Gather, GatherElements or GatherND.
pub fn gather(b: &mut Build<'_>, c: ClassId, spec: &GatherSpec, data: ClassId, ix: ClassId) {
    let Some(ix) = index_type(b, ix) else { return };
    match family(b, spec, data, ix) {
        Some(Family::Axis(axis)) => {
            b.node(&[c], "Gather", vec![("axis", Attribute::Int(axis as i64))], slots(&[data, ix]));
        }
        Some(Family::Elements(axis)) => {
            b.node(&[c], "GatherElements", vec![("axis", Attribute::Int(axis as i64))], slots(&[data, ix]));
        }
        Some(Family::Nd(batch)) => {
            let attributes = if batch > 0 { vec![("batch_dims", Attribute::Int(batch as i64))] } else { vec![] };
            let Some(ix) = wide_index(b, ix) else { return };
            b.node(&[c], "GatherND", attributes, slots(&[data, ix]));
        }
        None => shared_axes(b, c, spec, data, ix),
    }
}

/// Data and index share axes, and the index lacks others of the result: repeated along those, it picks element by element.
fn shared_axes(b: &mut Build<'_>, c: ClassId, spec: &GatherSpec, data: ClassId, ix: ClassId) {
    let rank = usize::from(spec.rank);
    let Some(axis) = spec.data.iter().position(|d| *d == DataIx::At) else { return };
    let label = |i: usize| Label(i as u8);
    let own = |i: usize| i == axis || spec.data.get(i) == Some(&DataIx::Label(label(i)));
    let ascending = spec.ix.windows(2).all(|w| w[0] < w[1]);
    let fits = spec.at_count() == 1 && spec.data.len() == rank && (0..rank).all(own) && ascending;
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec).filter(|_| fits && spec.ix.contains(&label(axis))) else {
        return;
    };
    let missing = (0..rank).filter(|i| !spec.ix.contains(&label(*i))).map(|i| (i as u8, shape[i].clone())).collect();
    let Some(wide) = b.derive(Op::Broadcast(missing), &[ix]) else { return };
    b.node(&[c], "GatherElements", vec![("axis", Attribute::Int(axis as i64))], slots(&[data, wide]));
}

/// ScatterElements or ScatterND.
pub fn scatter(b: &mut Build<'_>, c: ClassId, mode: ScatterOp, spec: &GatherSpec, args: &[ClassId]) {
    let (data, updates) = (args[0], args[2]);
    let Some(ix) = index_type(b, args[1]) else { return };
    let (name, since) = match mode {
        ScatterOp::Set => (None, 0),
        ScatterOp::Add => (Some("add"), 16),
        ScatterOp::Mul => (Some("mul"), 16),
        ScatterOp::Max => (Some("max"), 18),
        ScatterOp::Min => (Some("min"), 18),
    };
    if b.opset < since {
        return;
    }
    let reduction = name.map(|n| ("reduction", Attribute::Text(n.to_owned())));
    match family(b, spec, data, ix) {
        Some(Family::Elements(axis)) => {
            let attributes = [("axis", Attribute::Int(axis as i64))].into_iter().chain(reduction).collect();
            b.node(&[c], "ScatterElements", attributes, slots(&[data, ix, updates]));
        }
        Some(Family::Nd(0)) => {
            let Some(ix) = wide_index(b, ix) else { return };
            b.node(&[c], "ScatterND", reduction.into_iter().collect(), slots(&[data, ix, updates]));
        }
        Some(Family::Nd(_) | Family::Axis(_)) | None => {}
    }
}

/// Indices must be i64 (or i32 where the operator's schema takes it, which is checked there).
fn index_type(b: &Build<'_>, ix: ClassId) -> Option<ClassId> {
    matches!(b.dtype(ix)?, DType::I64 | DType::I32).then_some(ix)
}

/// Indices as i64, the only type that GatherND and ScatterND take.
fn wide_index(b: &mut Build<'_>, ix: ClassId) -> Option<ClassId> {
    if b.dtype(ix)? == DType::I64 { Some(ix) } else { b.derive(Op::Map(Scalar::Cast(DType::I64)), &[ix]) }
}

enum Family {
    Axis(usize),
    Elements(usize),
    Nd(usize),
}

/// Which operator reads data at these labels.
fn family(b: &Build<'_>, spec: &GatherSpec, data: ClassId, ix: ClassId) -> Option<Family> {
    let rank = spec.data.len();
    let out = usize::from(spec.rank);
    let first = spec.data.iter().position(|d| *d == DataIx::At)?;
    let label = |i: usize| Label(i as u8);
    let is = |i: usize, to: usize| spec.data[i] == DataIx::Label(label(to));
    if spec.at_count() == 1 {
        let n = spec.ix.len();
        let along = spec.ix.iter().enumerate().all(|(i, l)| *l == label(first + i))
            && (0..first).all(|i| is(i, i))
            && (first + 1..rank).all(|i| is(i, i - 1 + n))
            && out == rank - 1 + n;
        if along {
            return Some(Family::Axis(first));
        }
        let elements = n == rank
            && out == rank
            && spec.ix.iter().enumerate().all(|(i, l)| *l == label(i))
            && (0..rank).all(|i| i == first || is(i, i));
        if elements {
            let (data, ix) = (b.shape(data)?, b.shape(ix)?);
            return (0..rank).all(|i| i == first || data[i] == ix[i]).then_some(Family::Elements(first));
        }
        return None;
    }
    let k = spec.at_count();
    let tuple = first + k;
    let batch = first;
    let nd = (first..tuple).all(|i| spec.data[i] == DataIx::At)
        && spec.ix.iter().enumerate().all(|(i, l)| *l == label(i))
        && (0..batch).all(|i| is(i, i))
        && spec.ix.len() >= batch
        && (tuple..rank).all(|i| is(i, spec.ix.len() + i - tuple))
        && out == spec.ix.len() + rank - tuple;
    nd.then_some(Family::Nd(batch))
}
