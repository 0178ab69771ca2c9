//! Attribute functions of slices past pads and reshapes, of indices that are runs, and of axes that stay as they are.

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{DataIx, GatherSpec, Negative};
use egret_ir::op::{PadAxis, SliceAxis};

use super::shapes::groups;
use crate::engine::egraph::small_value;
use crate::lang::bound::{Bound, Facts};

fn whole(d: &Dim) -> SliceAxis {
    SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }
}

/// Whether a slice takes all of an axis, in order.
pub fn is_whole(cut: &SliceAxis, d: &Dim) -> bool {
    *cut == whole(d)
}

/// For `(slice cuts (pad pads x))`, axis by axis: what is left of x, and of the pads. None where nothing is cut, between
/// cells, or where it is not known what is cut.
fn cut_pads(facts: Facts<'_>, args: &[Bound]) -> Option<(Vec<SliceAxis>, Vec<PadAxis>)> {
    let [Bound::Attr(Attr::Slices(cuts)), Bound::Attr(Attr::Pads(pads)), x] = args else { return None };
    let x = &facts.tensor(x)?.shape;
    if cuts.len() != x.len() || pads.len() != x.len() {
        return None;
    }
    let (mut slices, mut around) = (Vec::new(), Vec::new());
    let mut changed = false;
    for ((cut, pad), n) in cuts.iter().zip(pads).zip(x) {
        let nothing = *n == Dim::ZERO;
        let full = pad.lo.clone() + pad.hi.clone() + n.clone();
        if pad.inner == 0 && is_whole(cut, &full) {
            slices.push(whole(n));
            around.push(pad.clone());
            continue;
        }
        changed = true;
        if pad.inner != 0 || cut.step != 1 || nothing {
            return None;
        }
        let (before, after) =
            (cut.start.clone() - pad.lo.clone(), full - pad.hi.clone() - cut.start.clone() - cut.len.clone());
        let inside = |d: &Dim| d.as_const().is_some_and(|n| n >= 0);
        if inside(&before) && inside(&after) {
            slices.push(SliceAxis { start: before, step: 1, len: cut.len.clone() });
            around.push(PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 });
            continue;
        }
        let (start, len, lo, n) = (cut.start.as_const()?, cut.len.as_const()?, pad.lo.as_const()?, n.as_const()?);
        let from = (start - lo).clamp(0, n);
        let to = (start + len - lo).clamp(from, n);
        let cells = to - from;
        let first = if cells == 0 { len } else { (lo - start).max(0) };
        slices.push(SliceAxis { start: Dim::from(from), step: 1, len: Dim::from(cells) });
        around.push(PadAxis { lo: Dim::from(first), hi: Dim::from(len - first - cells), inner: 0 });
    }
    changed.then_some((slices, around))
}

/// What is left of what was padded.
pub(super) fn unpadded_slices(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    cut_pads(facts, args).map(|(slices, _)| Bound::Attr(Attr::Slices(slices.into())))
}

/// What is left of the pads.
pub(super) fn cut_pad(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    cut_pads(facts, args).map(|(_, pads)| Bound::Attr(Attr::Pads(pads.into())))
}

/// For `(slice cuts (reshape shape x))`: the slices of x. An axis that was split may be cut in its first part, what was
/// joined stays whole.
pub(super) fn reshape_slices(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Slices(cuts)), Bound::Attr(Attr::Dims(shape)), x] = args else { return None };
    let x = &facts.tensor(x)?.shape;
    if cuts.len() != shape.len() {
        return None;
    }
    let mut slices = Vec::new();
    for (before, after) in groups(x, shape)? {
        let Some(at) = after.clone().find(|i| !is_whole(&cuts[*i], &shape[*i])) else {
            slices.extend(before.map(|i| whole(&x[i])));
            continue;
        };
        let first = shape[after.start..at].iter().all(|d| *d == Dim::ONE);
        let rest = (at + 1..after.end).all(|i| is_whole(&cuts[i], &shape[i]));
        let cells = count(&shape[at + 1..after.end]);
        if !first || !rest || before.len() != 1 || (cells != Dim::ONE && cuts[at].step != 1) {
            return None;
        }
        let cut = &cuts[at];
        slices.push(SliceAxis {
            start: cut.start.clone() * cells.clone(),
            step: cut.step,
            len: cut.len.clone() * cells,
        });
    }
    Some(Bound::Attr(Attr::Slices(slices.into())))
}

/// The shape of what a slice gives.
pub(super) fn slice_dims(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Slices(cuts))] = args else { return None };
    Some(Bound::Attr(Attr::Dims(cuts.iter().map(|c| c.len.clone()).collect())))
}

/// The axis of x that axis `a` of `(reshape shape x)` is, where it is just one.
pub(super) fn unreshaped_axis(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Dims(shape)), Bound::Attr(Attr::Axis(a)), x] = args else { return None };
    let groups = groups(&facts.tensor(x)?.shape, shape)?;
    let (before, after) = groups.into_iter().find(|(_, after)| after.contains(&usize::from(*a)))?;
    (before.len() == 1 && after.len() == 1).then_some(Bound::Attr(Attr::Axis(before.start as u8)))
}

/// For a Gather along one axis at constant indices that are a run: the slices that read the same.
fn run(facts: Facts<'_>, args: &[Bound]) -> Option<Vec<SliceAxis>> {
    let [Bound::Attr(Attr::Gather(g)), x, Bound::Operand(ix)] = args else { return None };
    let x = &facts.tensor(x)?.shape;
    let axis = g.data.iter().position(|d| *d == DataIx::At).filter(|_| g.data.len() == x.len())?;
    if *g != GatherSpec::along(x.len(), axis, g.ix.len(), g.negative).ok()? {
        return None;
    }
    let n = x[axis].as_const()?;
    let values = small_value(facts.egraph, *ix).filter(|v| !v.is_empty())?;
    let at = |i: usize| {
        let v = values.get(i).to_i64();
        let v = if v < 0 && g.negative == Negative::Wraps { v + n } else { v };
        (0..n).contains(&v).then_some(v)
    };
    let start = at(0)?;
    let step = if values.len() > 1 { at(1)? - start } else { 1 };
    let runs =
        (0..values.len()).all(|i| at(i).map(i128::from) == Some(i128::from(start) + i128::from(step) * i as i128));
    if step == 0 || !runs {
        return None;
    }
    let mut slices: Vec<SliceAxis> = x.iter().map(whole).collect();
    slices[axis] = SliceAxis { start: Dim::from(start), step, len: Dim::from(values.len()) };
    Some(slices)
}

/// The slices that such a Gather reads.
pub(super) fn gather_slices(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    run(facts, args).map(|s| Bound::Attr(Attr::Slices(s.into())))
}

/// The shape of a Gather's result.
pub(super) fn gather_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Gather(g)), x, ix] = args else { return None };
    g.out_shape(&facts.tensor(x)?.shape, &facts.tensor(ix)?.shape).ok().map(|s| Bound::Attr(Attr::Dims(s)))
}
