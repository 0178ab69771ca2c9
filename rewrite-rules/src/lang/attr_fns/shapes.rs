//! Attribute functions of the movements: inserted axes, slices, pads, reshapes.

use egret_ir::Dim;
use egret_ir::dim::{Shape, count};
use egret_ir::op::attrs::Attr;
use egret_ir::op::{PadAxis, Perm, SliceAxis};

use super::perm_of;
use crate::lang::bound::{Bound, Facts};

/// The axes of a broadcast result of rank `rank`: None for an inserted axis, else the operand axis.
fn sources(new: &[(u8, Dim)], rank: usize) -> Vec<Option<usize>> {
    let mut old = 0;
    (0..rank)
        .map(|axis| {
            if new.iter().any(|(at, _)| usize::from(*at) == axis) {
                None
            } else {
                old += 1;
                Some(old - 1)
            }
        })
        .collect()
}

fn insert_of(b: &Bound) -> Option<&[(u8, Dim)]> {
    match b {
        Bound::Attr(Attr::Insert(new)) => Some(new),
        _ => None,
    }
}

fn slices_of(b: &Bound) -> Option<&[SliceAxis]> {
    match b {
        Bound::Attr(Attr::Slices(s)) => Some(s),
        _ => None,
    }
}

fn pads_of(b: &Bound) -> Option<&[PadAxis]> {
    match b {
        Bound::Attr(Attr::Pads(p)) => Some(p),
        _ => None,
    }
}

fn dims_of(b: &Bound) -> Option<&Shape> {
    match b {
        Bound::Attr(Attr::Dims(s)) => Some(s),
        _ => None,
    }
}

/// One broadcast for two: `outer` after `inner`.
pub(super) fn merge_inserts(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [outer, inner] = args else { return None };
    let (outer, inner) = (insert_of(outer)?, insert_of(inner)?);
    let mut all: Vec<(u8, Dim)> = outer.to_vec();
    let is_outer = |axis: u8| outer.iter().any(|(at, _)| *at == axis);
    // The k-th axis that the outer one does not insert is axis k of the inner result.
    let mut axes = (0u8..=254).filter(|a| !is_outer(*a)).enumerate();
    for (at, d) in inner {
        let (_, place) = axes.by_ref().find(|(k, _)| *k == usize::from(*at))?;
        all.push((place, d.clone()));
    }
    all.sort();
    Some(Bound::Attr(Attr::Insert(all.into())))
}

/// Where the inserted axes are after a permutation.
pub(super) fn permute_insert(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, new] = args else { return None };
    let (p, new) = (perm_of(p)?, insert_of(new)?);
    let moved = p
        .axes()
        .enumerate()
        .filter_map(|(i, a)| new.iter().find(|(at, _)| usize::from(*at) == a).map(|(_, d)| (i as u8, d.clone())))
        .collect();
    Some(Bound::Attr(Attr::Insert(moved)))
}

/// The permutation of the axes that were there before.
pub(super) fn permute_kept(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, new] = args else { return None };
    let (p, new) = (perm_of(p)?, insert_of(new)?);
    let from = sources(new, p.rank());
    let kept: Vec<usize> = p.axes().filter_map(|a| from[a]).collect();
    Some(Bound::Attr(Attr::Perm(Perm::new(&kept)?)))
}

/// Inserted axes, cut by a slice.
pub(super) fn slice_insert(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, new] = args else { return None };
    let (s, new) = (slices_of(s)?, insert_of(new)?);
    let cut = new.iter().map(|(at, _)| Some((*at, s.get(usize::from(*at))?.len.clone()))).collect::<Option<_>>()?;
    Some(Bound::Attr(Attr::Insert(cut)))
}

/// The slices of the axes that were there before.
pub(super) fn slice_kept(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, new] = args else { return None };
    let (s, new) = (slices_of(s)?, insert_of(new)?);
    let from = sources(new, s.len());
    let kept = s.iter().zip(from).filter(|(_, f)| f.is_some()).map(|(a, _)| a.clone()).collect();
    Some(Bound::Attr(Attr::Slices(kept)))
}

/// Slices of the operand of a permutation.
pub(super) fn slice_permuted(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, p] = args else { return None };
    let (s, p) = (slices_of(s)?, perm_of(p)?);
    (s.len() == p.rank()).then(|| Bound::Attr(Attr::Slices(p.inverse().apply(s).into())))
}

/// Slices of the result of a permutation.
pub(super) fn permuted_slices(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, s] = args else { return None };
    let (p, s) = (perm_of(p)?, slices_of(s)?);
    (s.len() == p.rank()).then(|| Bound::Attr(Attr::Slices(p.apply(s).into())))
}

/// For a reshape that only adds axes of extent 1: these axes.
pub fn ones(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [shape, x] = args else { return None };
    let (shape, x) = (dims_of(shape)?, &facts.tensor(x)?.shape);
    let mut old = x.iter().peekable();
    let mut new = Vec::new();
    for (i, d) in shape.iter().enumerate() {
        if old.peek() == Some(&d) {
            old.next();
        } else if d.as_const() == Some(1) {
            new.push((i as u8, d.clone()));
        } else {
            return None;
        }
    }
    (old.peek().is_none() && !new.is_empty()).then(|| Bound::Attr(Attr::Insert(new.into())))
}

/// The shape of a broadcast.
pub(super) fn inserted_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [new, x] = args else { return None };
    let (new, x) = (insert_of(new)?, &facts.tensor(x)?.shape);
    let shape = sources(new, x.len() + new.len())
        .into_iter()
        .enumerate()
        .map(|(axis, from)| match from {
            Some(k) => x.get(k).cloned(),
            None => new.iter().find(|(at, _)| usize::from(*at) == axis).map(|(_, d)| d.clone()),
        })
        .collect::<Option<_>>()?;
    Some(Bound::Attr(Attr::Dims(shape)))
}

/// One slice for two: `outer` after `inner`.
pub(super) fn compose_slices(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [outer, inner] = args else { return None };
    let (outer, inner) = (slices_of(outer)?, slices_of(inner)?);
    if outer.len() != inner.len() {
        return None;
    }
    let axes = outer
        .iter()
        .zip(inner)
        .map(|(o, i)| {
            Some(SliceAxis {
                start: i.start.clone() + Dim::from(i.step) * o.start.clone(),
                step: i.step.checked_mul(o.step)?,
                len: o.len.clone(),
            })
        })
        .collect::<Option<_>>()?;
    Some(Bound::Attr(Attr::Slices(axes)))
}

/// The slice that a concatenation of adjoining slices of one value is.
pub(super) fn join_slices(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Axis(axis)), Bound::List(list)] = args else { return None };
    let axis = usize::from(*axis);
    let mut parts = list.iter().map(slices_of);
    let mut joined = parts.next()??.to_vec();
    for part in parts {
        let part = part?;
        let same = part.len() == joined.len() && (0..part.len()).all(|i| i == axis || part[i] == joined[i]);
        if !same {
            return None;
        }
        let (next, so_far) = (part.get(axis)?, joined.get_mut(axis)?);
        let step = if so_far.len.as_const() == Some(1) {
            // A single element has no direction of its own.
            let gap = (next.start.clone() - so_far.start.clone()).as_const()?;
            if next.len.as_const() != Some(1) && next.step != gap {
                return None;
            }
            gap
        } else {
            so_far.step
        };
        let adjoins = next.start == so_far.start.clone() + Dim::from(step) * so_far.len.clone();
        let keeps = next.step == step || next.len.as_const() == Some(1);
        if step == 0 || !adjoins || !keeps {
            return None;
        }
        so_far.step = step;
        so_far.len = so_far.len.clone() + next.len.clone();
    }
    Some(Bound::Attr(Attr::Slices(joined.into())))
}

/// Which operand of a concatenation a slice lies in, and the slice of it.
fn find_part(facts: Facts<'_>, args: &[Bound]) -> Option<(Bound, Vec<SliceAxis>)> {
    let [s, Bound::Attr(Attr::Axis(axis)), Bound::List(parts)] = args else { return None };
    let (s, axis) = (slices_of(s)?, usize::from(*axis));
    let cut = s.get(axis)?;
    let (start, len) = (cut.start.as_const()?, cut.len.as_const()?);
    if len < 1 {
        return None;
    }
    let last = start + cut.step.checked_mul(len - 1)?;
    let (low, high) = (start.min(last), start.max(last));
    let mut offset = 0;
    for p in parts {
        let extent = facts.tensor(p)?.shape.get(axis)?.as_const()?;
        if offset <= low && high < offset + extent {
            let mut axes = s.to_vec();
            axes[axis].start = Dim::from(start - offset);
            return Some((p.clone(), axes));
        }
        offset += extent;
    }
    None
}

/// The operand of a concatenation that a slice lies in.
pub(super) fn part(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    find_part(facts, args).map(|(p, _)| p)
}

/// The slice of that operand.
pub(super) fn part_slices(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    find_part(facts, args).map(|(_, s)| Bound::Attr(Attr::Slices(s.into())))
}

/// One pad for two, by the same value: `outer` after `inner`. Cells between elements only inside.
pub(super) fn add_pads(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [outer, inner] = args else { return None };
    let (outer, inner) = (pads_of(outer)?, pads_of(inner)?);
    if outer.len() != inner.len() || outer.iter().any(|a| a.inner != 0) {
        return None;
    }
    let axes = outer
        .iter()
        .zip(inner)
        .map(|(o, i)| PadAxis { lo: o.lo.clone() + i.lo.clone(), hi: o.hi.clone() + i.hi.clone(), inner: i.inner })
        .collect();
    Some(Bound::Attr(Attr::Pads(axes)))
}

/// Pads of the operand of a permutation.
pub(super) fn pads_permuted(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [pads, p] = args else { return None };
    let (pads, p) = (pads_of(pads)?, perm_of(p)?);
    (pads.len() == p.rank()).then(|| Bound::Attr(Attr::Pads(p.inverse().apply(pads).into())))
}

/// The groups of axes of `from` and `to` that have equal element counts, in order: the finest common factorization.
/// None where extents do not fall into groups provably.
pub fn groups(from: &[Dim], to: &[Dim]) -> Option<Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>> {
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < from.len() || j < to.len() {
        let (start_i, start_j) = (i, j);
        let (mut a, mut b) = (Dim::ONE, Dim::ONE);
        // One axis each, then more on the smaller side until the counts are equal.
        if i < from.len() {
            a = from[i].clone();
            i += 1;
        }
        if j < to.len() {
            b = to[j].clone();
            j += 1;
        }
        while a != b {
            let less = match (b.clone() - a.clone()).as_const() {
                Some(d) => d > 0,
                // With symbols: whichever side the other is a multiple of has the fewer.
                None => a == Dim::ONE || (b != Dim::ONE && b.modulo(&a).as_const() == Some(0)),
            };
            if less && i < from.len() {
                a = a * from[i].clone();
                i += 1;
            } else if !less && j < to.len() {
                b = b * to[j].clone();
                j += 1;
            } else {
                return None;
            }
        }
        out.push((start_i..i, start_j..j));
    }
    Some(out)
}

/// For `(reshape shape (broadcast new x))`: inserted axes and kept extents of the same value as a broadcast of a reshape.
/// Every group of axes must be inserted or kept as a whole, up to extent-1 axes.
fn reshape_broadcast(facts: Facts<'_>, args: &[Bound]) -> Option<(Vec<(u8, Dim)>, Shape)> {
    let [shape, new, x] = args else { return None };
    let (shape, new, x) = (dims_of(shape)?, insert_of(new)?, &facts.tensor(x)?.shape);
    let rank = x.len() + new.len();
    let from = sources(new, rank);
    let full: Vec<Dim> = (0..rank)
        .map(|axis| match from[axis] {
            Some(k) => x.get(k).cloned(),
            None => new.iter().find(|(at, _)| usize::from(*at) == axis).map(|(_, d)| d.clone()),
        })
        .collect::<Option<_>>()?;
    let (mut inserted, mut kept) = (Vec::new(), Vec::new());
    for (a, b) in groups(&full, shape)? {
        let is_kept = a.clone().any(|i| from[i].is_some() && full[i] != Dim::ONE);
        let is_new = a.clone().any(|i| from[i].is_none() && full[i] != Dim::ONE);
        if is_kept && is_new {
            return None;
        }
        let all_ones = !is_kept && !is_new;
        for j in b {
            if is_new || (all_ones && a.clone().all(|i| from[i].is_none())) {
                inserted.push((j as u8, shape[j].clone()));
            } else {
                kept.push(shape[j].clone());
            }
        }
    }
    (count(&kept) == count(x)).then_some((inserted, kept))
}

/// Inserted axes after a reshape.
pub(super) fn reshape_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    reshape_broadcast(facts, args).map(|(new, _)| Bound::Attr(Attr::Insert(new.into())))
}

/// Extents of the axes that were there before, after a reshape.
pub(super) fn reshape_kept(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    reshape_broadcast(facts, args).map(|(_, kept)| Bound::Attr(Attr::Dims(kept)))
}

/// For `(reshape shape (permute p x))`: the same value as a permute of a reshape, where groups of axes move as blocks.
fn reshape_permute(facts: Facts<'_>, args: &[Bound]) -> Option<(Perm, Shape)> {
    let [shape, p, x] = args else { return None };
    let (shape, p, x) = (dims_of(shape)?, perm_of(p)?, &facts.tensor(x)?.shape);
    if p.rank() != x.len() {
        return None;
    }
    let moved = p.apply(x);
    let groups = groups(&moved, shape)?;
    // Axes of x that a group stands on must be adjacent and in order in x.
    let mut blocks: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    for (a, b) in groups {
        let axes: Vec<usize> = a.map(|i| p.at(i)).collect();
        if !axes.windows(2).all(|w| w[1] == w[0] + 1) {
            return None;
        }
        blocks.push((axes.first().copied()?, b));
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|i| blocks[*i].0);
    let mut before = Shape::new();
    let mut place = vec![0; shape.len()];
    for i in order {
        for j in blocks[i].1.clone() {
            place[j] = before.len();
            before.push(shape[j].clone());
        }
    }
    Some((Perm::new(&place)?, before))
}

/// The permutation after the reshape.
pub(super) fn reshape_perm(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    reshape_permute(facts, args).map(|(p, _)| Bound::Attr(Attr::Perm(p)))
}

/// The shape before that permutation.
pub(super) fn reshape_before(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    reshape_permute(facts, args).map(|(_, s)| Bound::Attr(Attr::Dims(s)))
}

/// The axis of the operands that `axis` of their broadcasts is; None where it is an inserted one.
pub(super) fn concat_kept_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [new, Bound::Attr(Attr::Axis(axis))] = args else { return None };
    let from = sources(insert_of(new)?, usize::from(*axis) + 1);
    from[usize::from(*axis)].map(|a| Bound::Attr(Attr::Axis(a as u8)))
}
