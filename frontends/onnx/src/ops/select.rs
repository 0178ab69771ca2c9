//! Results whose lengths data decides: NonZero, Compress, Unique, NonMaxSuppression. The length is computed as a value and
//! is the witness of a new extent; what a mask keeps is moved to the front by a stable sort of the mask.

use egret_ir::dim::count;
use egret_ir::op::call::{Call, Nms};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative, Spec};
use egret_ir::op::{Monoid, Op, ScatterOp, SortOrder};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::order::running;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque};

pub const ROWS: &[Row] = &[
    onnx("NonZero", 9..LATEST, non_zero),
    onnx("Compress", 9..LATEST, compress),
    onnx("Unique", 11..LATEST, unique),
    onnx("NonMaxSuppression", 10..LATEST, non_max_suppression),
];

/// The positions of the true elements of a mask of rank 1, in ascending order.
fn positions(l: &mut Lower<'_>, mask: ValueId) -> Result<ValueId, Fail> {
    let own = l.shape(mask)?;
    let [length] = own.as_slice() else {
        let kind = crate::error::ProblemKind::Rank { got: own.len(), expected: "1".into() };
        return Err(crate::lower::bad("condition", kind));
    };
    let most = length.as_const();
    let n = l.count_true(mask)?;
    let keep = l.extent_of(n, most);
    let ones = l.cast(mask, DType::I64)?;
    l.emit(Op::ArgSort { axis: 0, order: SortOrder::Descending, keep }, &[ones])
}

fn take(l: &mut Lower<'_>, data: ValueId, ix: ValueId, axis: usize) -> Result<ValueId, Fail> {
    let spec =
        GatherSpec::along(l.rank(data)?, axis, l.rank(ix)?, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.gather(spec, data, ix)
}

/// One row per axis: the flat positions taken apart by the extents. A scalar counts as a vector of one.
fn non_zero(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let mut own = l.shape(x)?;
    if own.is_empty() {
        own.push(Dim::ONE);
    }
    let mask = l.truth(x)?;
    let mask = l.reshape(mask, &[count(&own)])?;
    let flat = positions(l, mask)?;
    let kept = l.shape(flat)?[0].clone();
    let mut rows = Vec::with_capacity(own.len());
    for (axis, d) in own.iter().enumerate() {
        let below = count(&own[axis + 1..]);
        let at = if below == Dim::ONE { flat } else { l.with_dim(Scalar::Div, flat, &below)? };
        let at = if axis == 0 { at } else { l.with_dim(Scalar::RemFloor, at, d)? };
        rows.push(l.reshape(at, &[Dim::ONE, kept.clone()])?);
    }
    Ok(vec![l.concat(0, &rows)?])
}

/// Slices where the condition is true; a shorter condition is false beyond its end.
fn compress(l: &mut Lower<'_>) -> Results {
    let (mut x, condition) = (l.operand(0)?, l.operand(1)?);
    let axis = if crate::node::find(l.node, "axis").is_some() {
        l.axis("axis", l.int("axis", 0), l.rank(x)?)?
    } else {
        x = l.flattened(x)?;
        0
    };
    let at = positions(l, condition)?;
    Ok(vec![take(l, x, at, axis)?])
}

impl Lower<'_> {
    fn flattened(&mut self, v: ValueId) -> Result<ValueId, Fail> {
        let n = count(&self.shape(v)?);
        self.reshape(v, &[n])
    }
}

/// `a b -> b a` of one of a row's values repeated for each other row: `out[i, j] = v[i]` or `v[j]`.
fn pairs(l: &mut Lower<'_>, v: ValueId, at: usize, n: &Dim) -> Result<ValueId, Fail> {
    l.insert(v, vec![(1 - at, n.clone())])
}

/// A number per row that orders the rows of `[n, m]` as their elements do, first element first: how many rows are less.
fn row_ranks(l: &mut Lower<'_>, rows: ValueId) -> Result<ValueId, Fail> {
    let shape = l.shape(rows)?;
    let n = shape[0].clone();
    let (a, b) = (pairs(l, rows, 0, &n)?, pairs(l, rows, 1, &n)?);
    let same = l.map(Scalar::Eq, &[a, b])?;
    let differ = l.map(Scalar::Not, &[same])?;
    let differ = l.cast(differ, DType::I32)?;
    // The first element that differs (the first one where none does).
    let spec = Spec::fold(3, &[2]).map_err(|e| opaque(e.to_string()))?;
    let first = l.reduce(Monoid::ArgMaxFirst, spec, differ, DType::I32)?;
    let label = |i: u8| Label(i);
    let spec_of = |row: u8| {
        GatherSpec::new(
            &[DataIx::Label(label(row)), DataIx::At],
            &[label(0), label(1)],
            &[label(0), label(1)],
            Negative::Never,
        )
        .map_err(|e| opaque(e.to_string()))
    };
    let (x, y) = (l.gather(spec_of(0)?, rows, first)?, l.gather(spec_of(1)?, rows, first)?);
    let less = l.map(Scalar::Lt, &[y, x])?;
    let less = l.cast(less, DType::I64)?;
    l.fold(Monoid::Sum, less, &[1], DType::I64)
}

/// The distinct elements, or slices along an axis, sorted or in order of first appearance; where each first appears,
/// which one each element is, how often each appears.
fn unique(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axis = match crate::node::find(l.node, "axis") {
        Some(a) => Some(l.axis("axis", a.i(), own.len())?),
        None => None,
    };
    // What is compared: a vector whose elements are equal where the slices are.
    let (keys, n) = match axis {
        None => (l.flattened(x)?, count(&own)),
        Some(axis) => {
            let mut order: Vec<usize> = (0..own.len()).filter(|a| *a != axis).collect();
            order.insert(0, axis);
            let rows = l.permute(x, &order)?;
            let others: Vec<Dim> = order[1..].iter().map(|a| own[*a].clone()).collect();
            let m = count(&others);
            let rows = l.reshape(rows, &[own[axis].clone(), m.clone()])?;
            let keys = if m == Dim::ONE { l.reshape(rows, &own[axis..=axis])? } else { row_ranks(l, rows)? };
            (keys, own[axis].clone())
        }
    };
    // `fresh[i]`: the i-th smallest is not the one before it.
    let keep = n.clone();
    let keys = if l.dtype(keys)? == DType::Bool { l.cast(keys, DType::I32)? } else { keys };
    let order = l.emit(Op::ArgSort { axis: 0, order: SortOrder::Ascending, keep }, &[keys])?;
    let sorted = take(l, keys, order, 0)?;
    let i = l.iota(&n, DType::I64)?;
    let before = l.with(Scalar::Sub, i, 1.0)?;
    let before = l.with(Scalar::Max, before, 0.0)?;
    let before = take(l, sorted, before, 0)?;
    let same = l.map(Scalar::Eq, &[before, sorted])?;
    let other = l.map(Scalar::Not, &[same])?;
    let first = l.with(Scalar::Eq, i, 0.0)?;
    let fresh = l.map(Scalar::Or, &[first, other])?;
    let starts = positions(l, fresh)?;
    let kept = l.shape(starts)?[0].clone();
    // The sort is stable: the first of equals is the one that appears first.
    let mut indices = take(l, order, starts, 0)?;
    let ones = l.cast(fresh, DType::I64)?;
    let groups = running(l, ones, 0, Monoid::Sum, false, false)?;
    let mut groups = l.with(Scalar::Sub, groups, 1.0)?;
    if l.int("sorted", 1) == 0 {
        let by_first = l.emit(Op::ArgSort { axis: 0, order: SortOrder::Ascending, keep: kept.clone() }, &[indices])?;
        let ranks = inverse(l, by_first, &kept)?;
        groups = take(l, ranks, groups, 0)?;
        indices = take(l, indices, by_first, 0)?;
    }
    let y = match axis {
        Some(axis) => take(l, x, indices, axis)?,
        None => {
            let flat = l.flattened(x)?;
            take(l, flat, indices, 0)?
        }
    };
    let zeros = l.splat(Literal::i64(0), std::slice::from_ref(&n))?;
    let which = scatter(l, ScatterOp::Set, zeros, order, groups)?;
    let none = l.splat(Literal::i64(0), &[kept])?;
    let each = l.splat(Literal::i64(1), &[n])?;
    let counts = scatter(l, ScatterOp::Add, none, groups, each)?;
    Ok(vec![y, indices, which, counts])
}

fn scatter(l: &mut Lower<'_>, op: ScatterOp, data: ValueId, ix: ValueId, upd: ValueId) -> Result<ValueId, Fail> {
    let spec = GatherSpec::new(&[DataIx::At], &[Label(0)], &[Label(0)], Negative::Never);
    l.emit(Op::Scatter(op, spec.map_err(|e| opaque(e.to_string()))?), &[data, ix, upd])
}

/// The inverse of a permutation of `n` positions.
fn inverse(l: &mut Lower<'_>, order: ValueId, n: &Dim) -> Result<ValueId, Fail> {
    let (zeros, i) = (l.splat(Literal::i64(0), std::slice::from_ref(n))?, l.iota(n, DType::I64)?);
    scatter(l, ScatterOp::Set, zeros, order, i)
}

/// The chosen boxes as rows of batch, class and box; the definition gives room for the most that there can be, and how
/// many there are.
fn non_max_suppression(l: &mut Lower<'_>) -> Results {
    let (boxes, scores) = (l.operand(0)?, l.operand(1)?);
    let scalar = |l: &mut Lower<'_>, i: usize, default: Literal| match l.optional(i) {
        Some(v) => l.reshape(v, &[]),
        None => l.literal(default),
    };
    let most = scalar(l, 2, Literal::i64(0))?;
    let overlap = scalar(l, 3, Literal::f32(0.0))?;
    let threshold = scalar(l, 4, Literal::f32(f32::NEG_INFINITY))?;
    let shape = l.shape(boxes)?;
    let Some(count) = shape.get(1).cloned() else { return Err(l.misfit("boxes", &shape, &[])) };
    let known = l.known_numbers(most).and_then(|n| n.first().copied());
    let keep = match known {
        Some(n) => count.smaller(&Dim::from(n.max(0))),
        None => count,
    };
    let center_point = match l.int("center_point_box", 0) {
        0 => false,
        1 => true,
        other => return Err(l.value("center_point_box", &other.to_string(), "0 or 1")),
    };
    let call = Call::NonMaxSuppression(Nms { center_point, keep });
    let both = l.emit(Op::Call(Box::new(call)), &[boxes, scores, most, overlap, threshold])?;
    let (rows, n) = (l.proj(both, 0)?, l.proj(both, 1)?);
    let room = l.shape(rows)?[0].as_const();
    let found = l.extent_of(n, room);
    Ok(vec![l.slice_axis(rows, 0, Dim::ZERO, found)?])
}
