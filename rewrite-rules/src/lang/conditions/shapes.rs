//! Conditions about folds, windows and axes.

use egret_ir::Dim;
use egret_ir::op::Monoid;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Window};

use super::monoid;
use crate::lang::attr_fns::cuts::is_whole;
use crate::lang::attr_fns::folds::repeated;
use crate::lang::attr_fns::specs::spec_of;
use crate::lang::bound::{Bound, Facts};

/// Folding an element several times is folding it once, or each is folded once: m, s, inserted axes of a broadcast.
pub(super) fn repeats_alike(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [_, s, Bound::Attr(Attr::Insert(new))] = args else { return None };
    let m = monoid(args)?;
    let once = repeated(spec_of(s)?, new)?.times == 1;
    Some(!m.is_arg() && (once || matches!(m, Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or)))
}

/// The axis of the fold's operand is folded, whole.
pub(super) fn folds_axis(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, Bound::Attr(Attr::Axis(a))] = args else { return None };
    let s = spec_of(s)?;
    Some(matches!(s.ins().first()?.get(usize::from(*a))?, Ix::Label(l) if l.index() >= s.rank()))
}

/// Just that axis is inserted.
pub(super) fn inserts_axis(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Insert(new)), Bound::Attr(Attr::Axis(a))] = args else { return None };
    Some(matches!(new.as_ref(), [(at, _)] if at == a))
}

/// Every fold of the spec takes at least one cell of the operand.
pub(super) fn covers(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, x] = args else { return None };
    let (s, shape) = (spec_of(s)?, &facts.tensor(x)?.shape);
    let extents = s.extents(&[shape]).ok()?;
    let some = s.folded().all(|l| extents[l.index()].as_const().is_some_and(|n| n >= 1));
    let windows = s.ins().first()?.iter().zip(shape).all(|(ix, d)| match ix {
        Ix::Label(_) => true,
        Ix::Window(w) => reaches(w, d, &extents),
    });
    Some(some && windows)
}

/// Cells that [`reaches`] looks at, at most.
const LOOKED_AT: i64 = 1 << 16;

/// Whether each position of a window has a tap inside the axis.
fn reaches(w: &Window, axis: &Dim, extents: &[Dim]) -> bool {
    let known = |d: &Dim| d.as_const();
    let (Some(cells), Some(out), Some(taps)) =
        (known(axis), known(&extents[w.out.index()]), known(&extents[w.tap.index()]))
    else {
        return false;
    };
    if out.saturating_mul(taps) > LOOKED_AT {
        return false;
    }
    let wide = i128::from;
    let inside = |o: i64, k: i64| {
        let at = wide(w.stride) * wide(o) + wide(w.dil) * wide(k) - wide(w.lo);
        at % wide(w.in_dil) == 0 && (0..wide(cells)).contains(&(at / wide(w.in_dil)))
    };
    (0..out).all(|o| (0..taps).any(|k| inside(o, k)))
}

/// The slice leaves that axis as it is: slices, axis, the sliced operand.
pub(super) fn whole_axis(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Slices(cuts)), Bound::Attr(Attr::Axis(a)), x] = args else { return None };
    let (a, shape) = (usize::from(*a), &facts.tensor(x)?.shape);
    Some(is_whole(cuts.get(a)?, shape.get(a)?))
}

/// The slice leaves the last axes as they are: slices, how many, the sliced operand.
pub(super) fn whole_last(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Slices(cuts)), Bound::Attr(Attr::Axis(n)), x] = args else { return None };
    let shape = &facts.tensor(x)?.shape;
    let first = shape.len().checked_sub(usize::from(*n))?;
    Some(cuts.len() == shape.len() && (first..shape.len()).all(|i| is_whole(&cuts[i], &shape[i])))
}

/// A shape whose last axes are those of the operand: the shape, how many, the operand.
pub(super) fn same_last(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Dims(dims)), Bound::Attr(Attr::Axis(n)), x] = args else { return None };
    let (n, shape) = (usize::from(*n), &facts.tensor(x)?.shape);
    Some(dims[dims.len().checked_sub(n)?..] == shape[shape.len().checked_sub(n)?..])
}

/// The operand has no element along the axis.
pub(super) fn nothing_along(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [x, Bound::Attr(Attr::Axis(a))] = args else { return None };
    Some(*facts.tensor(x)?.shape.get(usize::from(*a))? == Dim::ZERO)
}

/// None of the operands is known to have no cells along the axis. What joins nothing to a value is that value, and is no
/// longer by being joined again.
pub(super) fn all_extend(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::List(list), axis] = args else { return None };
    let nothing = list.iter().map(|x| nothing_along(facts, &[x.clone(), axis.clone()]));
    Some(!nothing.collect::<Option<Vec<bool>>>()?.contains(&true))
}

/// At least so many elements.
pub(super) fn elements(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [x, Bound::Number(n)] = args else { return None };
    Some(egret_ir::dim::count(&facts.tensor(x)?.shape).as_const()? >= *n)
}

/// The sum of so many products of values of at most 255 each stays within 32 bits: s, both operands.
pub(super) fn sums_bytes(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, a, b] = args else { return None };
    let s = spec_of(s)?;
    let extents = s.extents(&[&facts.tensor(a)?.shape, &facts.tensor(b)?.shape]).ok()?;
    let terms = s.folded().try_fold(1i64, |n, l| n.checked_mul(extents[l.index()].as_const()?))?;
    Some(terms.checked_mul(255 * 255)? < 1 << 31)
}
