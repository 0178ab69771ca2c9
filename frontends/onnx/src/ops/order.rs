//! Order and prefixes: TopK, CumSum, CumProd.

use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Monoid, Op, SortOrder};
use egret_ir::{Dim, ValueId};

use super::gather::along_last_index;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("TopK", 1..10, |l| {
        let k = Dim::from(l.int("k", 0));
        top_k(l, k, SortOrder::Descending)
    }),
    onnx("TopK", 10..11, |l| {
        let k = count(l)?;
        top_k(l, k, SortOrder::Descending)
    }),
    onnx("TopK", 11..LATEST, |l| {
        let k = count(l)?;
        let order = if l.flag("largest", true) { SortOrder::Descending } else { SortOrder::Ascending };
        top_k(l, k, order)
    }),
    onnx("CumSum", 11..LATEST, |l| prefix(l, Monoid::Sum)),
    onnx("CumProd", 26..LATEST, |l| prefix(l, Monoid::Prod)),
];

fn count(l: &mut Lower<'_>) -> Result<Dim, Fail> {
    let v = l.operand(1)?;
    Ok(l.lengths("K", v, 1)?.remove(0))
}

/// Sorted even where the order is free (`sorted` is 0).
fn top_k(l: &mut Lower<'_>, k: Dim, order: SortOrder) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axis = l.axis("axis", l.int("axis", -1), own.len())?;
    if let (Some(k), Some(d)) = (k.as_const(), own[axis].as_const())
        && !(0..=d).contains(&k)
    {
        return Err(l.value("K", &k.to_string(), &format!("a number up to {d}")));
    }
    let ix = l.emit(Op::ArgSort { axis: axis as u8, order, keep: k.clone() }, &[x])?;
    // The gather's labels have the index's extents, so the sorted axis is cut by it alone.
    let values = along_last_index(l, x, ix, axis)?;
    Ok(vec![values, ix])
}

/// A fold over the window `i + k − lo` with as many taps as the axis has cells.
fn prefix(l: &mut Lower<'_>, monoid: Monoid) -> Results {
    let (x, axis) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(x)?;
    let axis = l.numbers("axis", axis)?;
    let [axis] = axis.as_slice() else { return Err(l.value("axis", &format!("{axis:?}"), "one number")) };
    let axis = l.axis("axis", *axis, t.rank())?;
    let y = running(l, x, axis, monoid, l.flag("reverse", false), l.flag("exclusive", false))?;
    Ok(vec![y])
}

/// What stands at or before (exclusive: before) each element of an axis, folded; reverse: at or after.
pub fn running(
    l: &mut Lower<'_>,
    x: ValueId,
    axis: usize,
    monoid: Monoid,
    reverse: bool,
    exclusive: bool,
) -> Result<ValueId, Fail> {
    let t = l.tensor(x)?;
    let n = t.shape[axis].clone();
    let lo = match (n.as_const(), reverse, exclusive) {
        (_, true, false) => 0,
        (_, true, true) => -1,
        (Some(n), false, false) => n - 1,
        (Some(n), false, true) => n,
        // The window's offset is a number: over an unknown extent, the reverse of the reversed.
        (None, false, _) => {
            let back = flipped(l, x, axis)?;
            let y = running(l, back, axis, monoid, true, exclusive)?;
            return flipped(l, y, axis);
        }
    };
    let label = |i: usize| Label(i as u8);
    let tap = label(t.rank());
    let window = Window { out: label(axis), tap, stride: 1, dil: 1, lo, in_dil: 1 };
    let axes = (0..t.rank()).map(|i| if i == axis { Ix::Window(window) } else { Ix::Label(label(i)) }).collect();
    let out: Vec<Label> = (0..t.rank()).map(label).collect();
    let spec = Spec::new(&[axes], &out, &[(label(axis), n.clone()), (tap, n)]).map_err(|e| opaque(e.to_string()))?;
    l.reduce(monoid, spec, x, accumulator(t.dtype))
}

/// An axis backwards.
fn flipped(l: &mut Lower<'_>, x: ValueId, axis: usize) -> Result<ValueId, Fail> {
    let mut axes = whole_slices(&l.shape(x)?);
    axes[axis].start = axes[axis].len.clone() - Dim::ONE;
    axes[axis].step = -1;
    l.slice(x, axes)
}
