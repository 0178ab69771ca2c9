//! Attribute functions of minimal filtering along one axis (Winograd, *Arithmetic Complexity of Computations*, 1980; Lavin
//! and Gray, arXiv:1509.09308): F(m, 3) computes m neighbouring results of a window of 3 taps from m + 2 cells by m + 2
//! products. The axis is the first one of the left operand that has such a window, with steps of 1.

use egret_ir::Dim;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{PadAxis, SliceAxis};

use super::specs::{operand_of, spec_of};
use crate::lang::bound::{Bound, Facts};

const TAPS: i64 = 3;

/// Where the window stands.
struct Site {
    window: Window,
    /// Axis of the left operand.
    axis: usize,
    /// Axis of the taps in the right operand.
    tap: usize,
    /// Number of results along it.
    out: Dim,
}

fn site(s: &Spec) -> Option<Site> {
    let [left, _] = s.ins() else { return None };
    let extent = |l: Label| s.ext().iter().find(|(e, _)| *e == l).map(|(_, d)| d);
    left.iter().enumerate().find_map(|(axis, ix)| {
        let Ix::Window(w) = ix else { return None };
        let plain = w.stride == 1 && w.dil == 1 && w.in_dil == 1 && w.lo >= 0;
        let three = extent(w.tap)?.as_const() == Some(TAPS);
        let tap = s.axis_of(1, w.tap)?;
        (plain && three && !s.mentions(1, w.out)).then(|| Site {
            window: *w,
            axis,
            tap,
            out: extent(w.out).cloned().unwrap_or(Dim::INVALID),
        })
    })
}

fn number(b: &Bound) -> Option<i64> {
    operand_of(b).map(|n| n as i64)
}

/// Results in groups of m: how many groups.
fn tiles(site: &Site, m: i64) -> Dim {
    site.out.ceil_div(&Dim::from(m))
}

/// The pads that give every tile its m + 2 cells: s, m, x.
pub(super) fn winograd_pads(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, m, x] = args else { return None };
    let (site, m, x) = (site(spec_of(s)?)?, number(m)?, &facts.tensor(x)?.shape);
    let cells = Dim::from(m) * tiles(&site, m) + Dim::from(TAPS - 1);
    let missing = cells - Dim::from(site.window.lo) - x.get(site.axis)?.clone();
    let none = || PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 };
    let mut pads: Vec<PadAxis> = x.iter().map(|_| none()).collect();
    pads[site.axis] = PadAxis { lo: Dim::from(site.window.lo), hi: missing.larger(&Dim::ZERO), inner: 0 };
    Some(Bound::Attr(Attr::Pads(pads.into())))
}

/// The i-th cell of every tile of the padded operand: s, m, i, x.
pub(super) fn winograd_cells(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, m, i, x] = args else { return None };
    let (site, m, i) = (site(spec_of(s)?)?, number(m)?, number(i)?);
    let mut cuts: Vec<SliceAxis> =
        (facts.tensor(x)?.shape.iter()).map(|d| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }).collect();
    *cuts.get_mut(site.axis)? = SliceAxis { start: Dim::from(i), step: m, len: tiles(&site, m) };
    Some(Bound::Attr(Attr::Slices(cuts.into())))
}

/// Tap r of the right operand: s, r, w.
pub(super) fn winograd_tap(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, r, w] = args else { return None };
    let (site, r) = (site(spec_of(s)?)?, number(r)?);
    let mut cuts: Vec<SliceAxis> =
        (facts.tensor(w)?.shape.iter()).map(|d| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }).collect();
    *cuts.get_mut(site.tap)? = SliceAxis { start: Dim::from(r), step: 1, len: Dim::ONE };
    Some(Bound::Attr(Attr::Slices(cuts.into())))
}

/// The right operand's shape without the axis of the taps.
pub(super) fn winograd_tap_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, w] = args else { return None };
    let site = site(spec_of(s)?)?;
    let mut dims = facts.tensor(w)?.shape.clone();
    (site.tap < dims.len()).then(|| {
        dims.remove(site.tap);
        Bound::Attr(Attr::Dims(dims))
    })
}

/// The contraction of one cell per tile with one transformed tap.
pub(super) fn winograd_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let s = spec_of(args.first()?)?;
    let site = site(s)?;
    let mut ins: Vec<Vec<Ix>> = s.ins().iter().map(|o| o.to_vec()).collect();
    ins[0][site.axis] = Ix::Label(site.window.out);
    ins[1].remove(site.tap);
    Spec::new(&ins, &s.out().collect::<Vec<_>>(), s.ext()).ok().map(|s| Bound::Attr(Attr::Spec(s)))
}

/// The result's shape with that many results along the axis: tiles, and `inner` places within each.
fn dims(facts: Facts<'_>, args: &[Bound], inner: impl Fn(&Site, i64) -> Vec<Dim>) -> Option<Bound> {
    let [s, m, x, w] = args else { return None };
    let (spec, m) = (spec_of(s)?, number(m)?);
    let site = site(spec)?;
    let mut dims = spec.out_shape(&[&facts.tensor(x)?.shape, &facts.tensor(w)?.shape]).ok()?;
    let at = site.window.out.index();
    dims.splice(at..=at, inner(&site, m));
    Some(Bound::Attr(Attr::Dims(dims)))
}

/// One result of each tile, with an axis to join them on: s, m, x, w.
pub(super) fn winograd_place(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    dims(facts, args, |site, m| vec![tiles(site, m), Dim::ONE])
}

/// The joined results of all tiles.
pub(super) fn winograd_joined(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    dims(facts, args, |site, m| vec![Dim::from(m) * tiles(site, m)])
}

/// The axis that they are joined on.
pub(super) fn winograd_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let site = site(spec_of(args.first()?)?)?;
    Some(Bound::Attr(Attr::Axis(site.window.out.0 + 1)))
}

/// The results without those that the last tile has too many: s, m, x, w.
pub(super) fn winograd_crop(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let Bound::Attr(Attr::Dims(dims)) = dims(facts, args, |site, _| vec![site.out.clone()])? else { return None };
    let cuts = dims.into_iter().map(|len| SliceAxis { start: Dim::ZERO, step: 1, len }).collect();
    Some(Bound::Attr(Attr::Slices(cuts)))
}
