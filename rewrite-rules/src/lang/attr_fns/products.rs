//! Attribute functions of contractions: without a sum, without axes of extent 1, of a product, of a reshape, cut, and with
//! a scale taken out.

use egret_ir::Dim;
use egret_ir::dim::Shape;
use egret_ir::op::SliceAxis;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Label, Spec, Window};

use super::shapes::groups;
use super::specs::{operand_of, perm_from, spec_of};
use crate::lang::bound::{Bound, Facts};

fn operands(s: &Spec) -> Vec<Vec<Ix>> {
    s.ins().iter().map(|o| o.to_vec()).collect()
}

fn attr(s: Option<Spec>) -> Option<Bound> {
    s.map(|s| Bound::Attr(Attr::Spec(s)))
}

/// Extents of the labels of a contraction of two operands, by label number.
fn extents(facts: Facts<'_>, s: &Spec, a: &Bound, b: &Bound) -> Option<Vec<Dim>> {
    s.extents(&[&facts.tensor(a)?.shape, &facts.tensor(b)?.shape]).ok()
}

/// For a contraction that sums nothing: the result axes that the axes of operand `k` are.
fn outer_places(s: &Spec, k: usize) -> Option<Vec<usize>> {
    if s.has_windows() || s.ins().len() != 2 || s.label_count() != s.rank() {
        return None;
    }
    s.ins()
        .get(k)?
        .iter()
        .map(|ix| match ix {
            Ix::Label(l) => Some(l.index()),
            Ix::Window(_) => None,
        })
        .collect()
}

/// The axes of an operand in result order, for a contraction that sums nothing.
pub(super) fn out_perm(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k] = args else { return None };
    let places = outer_places(spec_of(s)?, operand_of(k)?)?;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|i| places[*i]);
    perm_from(&order)
}

/// The result axes that such an operand lacks.
pub(super) fn out_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, a, b] = args else { return None };
    let (s, k) = (spec_of(s)?, operand_of(k)?);
    let (places, extents) = (outer_places(s, k)?, extents(facts, s, a, b)?);
    let new = (0..s.rank()).filter(|i| !places.contains(i)).map(|i| (i as u8, extents[i].clone())).collect();
    Some(Bound::Attr(Attr::Insert(new)))
}

/// A contraction without summed labels of extent 1: its spec, and which part of each operand is left, in which shape.
struct Bare {
    spec: Spec,
    slices: [Vec<SliceAxis>; 2],
    dims: [Shape; 2],
}

/// A window of one tap that stays inside its axis reads every `stride`-th cell, so it is a plain label of these. None where
/// nothing goes away.
fn bare(facts: Facts<'_>, s: &Spec, a: &Bound, b: &Bound) -> Option<Bare> {
    let extents = extents(facts, s, a, b)?;
    let shapes = [&facts.tensor(a)?.shape, &facts.tensor(b)?.shape];
    let inside = |w: &Window, axis: &Dim| {
        let (out, one_tap) = (&extents[w.out.index()], extents[w.tap.index()] == Dim::ONE);
        let fits = match (out.as_const(), axis.as_const()) {
            (Some(n), Some(cells)) => n < 1 || w.stride.checked_mul(n - 1).is_some_and(|last| last < cells),
            _ => w.stride == 1 && out == axis,
        };
        one_tap && w.lo == 0 && w.in_dil == 1 && fits
    };
    let still = |l: Label| {
        s.ins().iter().zip(shapes).any(|(axes, shape)| {
            axes.iter().zip(shape).any(|(ix, d)| matches!(ix, Ix::Window(w) if w.tap == l && !inside(w, d)))
        })
    };
    let gone: Vec<Label> = s.folded().filter(|l| extents[l.index()] == Dim::ONE && !still(*l)).collect();
    if gone.is_empty() {
        return None;
    }
    let mut out = Bare { spec: s.clone(), slices: [vec![], vec![]], dims: [vec![], vec![]] };
    let mut ins = vec![Vec::new(), Vec::new()];
    for (k, (axes, shape)) in s.ins().iter().zip(shapes).enumerate() {
        for (ix, d) in axes.iter().zip(shape) {
            let mut cut = SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() };
            match ix {
                Ix::Label(l) if gone.contains(l) => {}
                Ix::Window(w) if gone.contains(&w.tap) => {
                    cut.step = w.stride;
                    cut.len = extents[w.out.index()].clone();
                    ins[k].push(Ix::Label(w.out));
                    out.dims[k].push(cut.len.clone());
                }
                Ix::Label(_) | Ix::Window(_) => {
                    ins[k].push(*ix);
                    out.dims[k].push(d.clone());
                }
            }
            out.slices[k].push(cut);
        }
    }
    out.spec = Spec::new(&ins, &s.out().collect::<Vec<_>>(), s.ext()).ok()?;
    Some(out)
}

/// The contraction without summed labels of extent 1.
pub(super) fn bare_spec(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, a, b] = args else { return None };
    attr(bare(facts, spec_of(s)?, a, b).map(|b| b.spec))
}

/// What is left of operand `k`.
pub(super) fn bare_slices(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, a, b] = args else { return None };
    let bare = bare(facts, spec_of(s)?, a, b)?;
    bare.slices.get(operand_of(k)?).map(|s| Bound::Attr(Attr::Slices(s.clone().into())))
}

/// In which shape.
pub(super) fn bare_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, a, b] = args else { return None };
    let bare = bare(facts, spec_of(s)?, a, b)?;
    bare.dims.get(operand_of(k)?).map(|d| Bound::Attr(Attr::Dims(d.clone())))
}

/// The axis of operand `k` of a contraction without windows that is summed, where it is just one.
pub(super) fn folded_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k] = args else { return None };
    let (s, k) = (spec_of(s)?, operand_of(k)?);
    let mut folded = s.folded();
    let (only, None) = (folded.next()?, folded.next()) else { return None };
    if k >= s.ins().len() || s.has_windows() {
        return None;
    }
    s.axis_of(k, only).map(|axis| Bound::Attr(Attr::Axis(axis as u8)))
}

/// Where the other operand of a contraction is joined of two parts along a summed axis: what operand `k` is multiplied with
/// the first part. Arguments: s, k, the axis of the joined operand, its first part, operand `k`.
pub(super) fn first_summed(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    summed_part(facts, args, |_, first| (Dim::ZERO, first))
}

/// And with the second part.
pub(super) fn second_summed(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    summed_part(facts, args, |all, first| (first.clone(), all - first))
}

fn summed_part(facts: Facts<'_>, args: &[Bound], part: fn(Dim, Dim) -> (Dim, Dim)) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Axis(joined)), first, x] = args else { return None };
    let (s, k) = (spec_of(s)?, operand_of(k)?);
    if s.has_windows() || s.ins().len() != 2 {
        return None;
    }
    let label = |k: usize, axis: usize| match s.ins().get(k)?.get(axis)? {
        Ix::Label(l) => Some(*l),
        Ix::Window(_) => None,
    };
    let l = label(1 - k, usize::from(*joined)).filter(|l| l.index() >= s.rank())?;
    // Once in either operand: what stands twice in one is a diagonal.
    let places = |k: usize| (0..s.ins()[k].len()).filter(|axis| label(k, *axis) == Some(l)).collect::<Vec<_>>();
    let (own, other) = (places(k), places(1 - k));
    let ([cut], [_]) = (own.as_slice(), other.as_slice()) else { return None };
    let extent = facts.tensor(first)?.shape.get(usize::from(*joined))?.clone();
    let shape = &facts.tensor(x)?.shape;
    let axis = |(i, d): (usize, &Dim)| {
        let (start, len) = if i == *cut { part(d.clone(), extent.clone()) } else { (Dim::ZERO, d.clone()) };
        SliceAxis { start, step: 1, len }
    };
    Some(Bound::Attr(Attr::Slices(shape.iter().enumerate().map(axis).collect())))
}

/// (x · v) · w as x · (v · w): the specs of the inner and the outer contraction.
fn reassociated(s: &Spec, t: &Spec) -> Option<(Spec, Spec)> {
    let plain = |s: &Spec| !s.has_windows() && s.ins().len() == 2;
    if !plain(s) || !plain(t) || t.ins()[0].len() != s.rank() {
        return None;
    }
    let label = |ix: &Ix| match ix {
        Ix::Label(l) => Some(*l),
        Ix::Window(_) => None,
    };
    // Labels of t are renamed: axis i of its left operand is label i of s, the others are new.
    let base = s.label_count() as u8;
    let renamed = |l: Label| match t.axis_of(0, l) {
        Some(i) => Label(i as u8),
        None => Label(base + l.0),
    };
    let x: Vec<Label> = s.ins()[0].iter().map(label).collect::<Option<_>>()?;
    let v: Vec<Label> = s.ins()[1].iter().map(label).collect::<Option<_>>()?;
    let w: Vec<Label> = t.ins()[1].iter().map(label).map(|l| l.map(renamed)).collect::<Option<_>>()?;
    let out: Vec<Label> = t.out().map(renamed).collect();
    let mut kept: Vec<Label> = Vec::new();
    for l in v.iter().chain(&w) {
        if (x.contains(l) || out.contains(l)) && !kept.contains(l) {
            kept.push(*l);
        }
    }
    let summed_in_both = |a: &[Label], b: &[Label], out: &[Label]| {
        a.iter().chain(b).all(|l| out.contains(l) || (a.contains(l) && b.contains(l)))
    };
    if !summed_in_both(&v, &w, &kept) || !summed_in_both(&x, &kept, &out) {
        return None;
    }
    let axes = |labels: &[Label]| labels.iter().map(|l| Ix::Label(*l)).collect::<Vec<_>>();
    let inner = Spec::new(&[axes(&v), axes(&w)], &kept, &[]).ok()?;
    let outer = Spec::new(&[axes(&x), axes(&kept)], &out, &[]).ok()?;
    Some((inner, outer))
}

fn specs(args: &[Bound]) -> Option<(Spec, Spec)> {
    let [s, t, ..] = args else { return None };
    reassociated(spec_of(s)?, spec_of(t)?)
}

/// The contraction of the two right operands.
pub(super) fn inner_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    attr(specs(args).map(|(inner, _)| inner))
}

/// The contraction of the left operand with that.
pub(super) fn outer_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    attr(specs(args).map(|(_, outer)| outer))
}

/// Whether x · (v · w) takes fewer products than (x · v) · w at run time, and v · w has no more elements than v and w: s, t,
/// x, v, w, of known extents.
pub fn fewer_products(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, t, x, v, w] = args else { return None };
    let (inner, outer) = specs(args)?;
    let shape = |b: &Bound| facts.tensor(b).map(|t| t.shape.clone());
    let (x, v, w) = (shape(x)?, shape(v)?, shape(w)?);
    let products = |s: &Spec, a: &[Dim], b: &[Dim]| {
        s.extents(&[a, b]).ok()?.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_const()?))
    };
    let elements = |shape: &[Dim]| egret_ir::dim::count(shape).as_const();
    let (s, t) = (spec_of(s)?, spec_of(t)?);
    let between = s.out_shape(&[&x, &v]).ok()?;
    let joined = inner.out_shape(&[&v, &w]).ok()?;
    let now = products(s, &x, &v)?.checked_add(products(t, &between, &w)?)?;
    Some(products(&outer, &x, &joined)? < now && elements(&joined)? <= elements(&v)?.checked_add(elements(&w)?)?)
}

/// The contraction whose operand `k` is taken before a reshape that joins or splits axes of the result that no other
/// operand has. None where every axis stays as it is.
pub(super) fn reshaped_spec(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Dims(shape)), x] = args else { return None };
    let (s, k, x) = (spec_of(s)?, operand_of(k)?, &facts.tensor(x)?.shape);
    let axes = s.ins().get(k).filter(|axes| axes.len() == shape.len() && s.ins().len() == 2)?;
    let mut fresh = s.label_count() as u8;
    let mut before = Vec::new();
    // Result labels that a group replaces by others, at the place of the first.
    let mut replaced: Vec<(Vec<Label>, Vec<Label>)> = Vec::new();
    for (old, new) in groups(x, shape)? {
        if old.len() == 1 && new.len() == 1 {
            before.push(axes[new.start]);
            continue;
        }
        let labels: Vec<Label> = new
            .map(|i| match axes[i] {
                Ix::Label(l) if l.index() < s.rank() && !s.mentions(1 - k, l) => Some(l),
                Ix::Label(_) | Ix::Window(_) => None,
            })
            .collect::<Option<_>>()?;
        if labels.is_empty() || !labels.windows(2).all(|w| w[1].0 == w[0].0 + 1) {
            return None;
        }
        let mut names: Vec<Label> = Vec::new();
        for _ in old {
            names.push(Label(fresh));
            fresh = fresh.checked_add(1)?;
        }
        before.extend(names.iter().map(|l| Ix::Label(*l)));
        replaced.push((labels, names));
    }
    if replaced.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for l in s.out() {
        match replaced.iter().find(|(labels, _)| labels.contains(&l)) {
            Some((labels, names)) if labels[0] == l => out.extend(names),
            Some(_) => {}
            None => out.push(l),
        }
    }
    let mut ins = operands(s);
    ins[k] = before;
    attr(Spec::new(&ins, &out, s.ext()).ok())
}

/// The result's shape of a contraction whose operand `k` has the given shape.
pub(super) fn reshaped_out(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Dims(shape)), other] = args else { return None };
    let other = &facts.tensor(other)?.shape;
    let shapes: [&[Dim]; 2] = if operand_of(k)? == 0 { [shape, other] } else { [other, shape] };
    Some(Bound::Attr(Attr::Dims(spec_of(s)?.out_shape(&shapes).ok()?)))
}

fn is_whole(cut: &SliceAxis, d: &Dim) -> bool {
    cut.start == Dim::ZERO && cut.step == 1 && cut.len == *d
}

/// The spec of a part of the result: windows begin later and step further, plain labels are cut in the operands.
pub(super) fn sliced_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Slices(cuts))] = args else { return None };
    let s = spec_of(s)?;
    if cuts.len() != s.rank() {
        return None;
    }
    let mut ins = operands(s);
    for ix in ins.iter_mut().flatten() {
        let Ix::Window(w) = ix else { continue };
        let cut = &cuts[w.out.index()];
        if cut.step < 1 {
            return None;
        }
        let skipped = w.stride.checked_mul(cut.start.as_const()?)?;
        *w = Window { stride: w.stride.checked_mul(cut.step)?, lo: w.lo.checked_sub(skipped)?, ..*w };
    }
    let ext: Vec<(Label, Dim)> =
        s.ext().iter().map(|(l, d)| (*l, cuts.get(l.index()).map_or(d, |c| &c.len).clone())).collect();
    attr(Spec::new(&ins, &s.out().collect::<Vec<_>>(), &ext).ok())
}

/// What operand `k` is cut to.
fn operand_cuts(s: &Spec, k: usize, cuts: &[SliceAxis], x: &[Dim]) -> Option<Vec<SliceAxis>> {
    let axes = s.ins().get(k).filter(|axes| axes.len() == x.len() && cuts.len() == s.rank())?;
    Some(
        axes.iter()
            .zip(x)
            .map(|(ix, d)| match ix {
                Ix::Label(l) if l.index() < s.rank() => cuts[l.index()].clone(),
                Ix::Label(_) | Ix::Window(_) => SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() },
            })
            .collect(),
    )
}

/// The part of operand `k` that a part of the result takes.
pub(super) fn sliced_operand(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Slices(cuts)), x] = args else { return None };
    let cuts = operand_cuts(spec_of(s)?, operand_of(k)?, cuts, &facts.tensor(x)?.shape)?;
    Some(Bound::Attr(Attr::Slices(cuts.into())))
}

/// Whether a slice of the result leaves operand `k` as it is: s, k, slices, the operand.
pub fn spares(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, k, Bound::Attr(Attr::Slices(cuts)), x] = args else { return None };
    let x = &facts.tensor(x)?.shape;
    let cuts = operand_cuts(spec_of(s)?, operand_of(k)?, cuts, x)?;
    Some(cuts.iter().zip(x).all(|(c, d)| is_whole(c, d)))
}

/// For a scale `(broadcast new v)` of operand `k`: the result axis that each axis of v is.
fn result_places(s: &Spec, k: usize, new: &[(u8, Dim)]) -> Option<Vec<usize>> {
    let axes = s.ins().get(k)?.iter().enumerate();
    axes.filter(|(i, _)| !new.iter().any(|(at, _)| usize::from(*at) == *i))
        .map(|(_, ix)| match ix {
            Ix::Label(l) if l.index() < s.rank() => Some(l.index()),
            Ix::Label(_) | Ix::Window(_) => None,
        })
        .collect()
}

/// The permutation that puts the axes of such a scale into result order.
pub(super) fn unscale_perm(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Insert(new))] = args else { return None };
    let places = result_places(spec_of(s)?, operand_of(k)?, new)?;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|i| places[*i]);
    perm_from(&order)
}

/// Its broadcast to the result's shape: s, k, inserted axes, both operands.
pub(super) fn unscale_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Insert(new)), a, b] = args else { return None };
    let s = spec_of(s)?;
    let (places, extents) = (result_places(s, operand_of(k)?, new)?, extents(facts, s, a, b)?);
    let insert = (0..s.rank()).filter(|i| !places.contains(i)).map(|i| (i as u8, extents[i].clone())).collect();
    Some(Bound::Attr(Attr::Insert(insert)))
}
