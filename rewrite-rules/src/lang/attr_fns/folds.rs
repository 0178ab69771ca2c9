//! Attribute functions of folds: of a broadcast, of a reshape, of parts; and sums of products as contractions.

use egret_ir::Dim;
use egret_ir::Literal;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Label, Spec};

use super::shapes::groups;
use super::specs::{folded_axes, operand_of, spec_of};
use crate::lang::bound::{Bound, Facts};

/// A fold of a broadcast: inserted axes of the result, the fold of what was there before, and how often each of its
/// elements is folded.
pub struct Repeated {
    insert: Vec<(u8, Dim)>,
    spec: Spec,
    /// At least 1.
    pub times: i64,
}

/// None where an inserted axis is a window's, or where the number of repetitions is unknown or 0.
pub fn repeated(s: &Spec, new: &[(u8, Dim)]) -> Option<Repeated> {
    let [axes] = s.ins() else { return None };
    let (mut insert, mut gone, mut times) = (Vec::new(), Vec::new(), 1i64);
    for (at, d) in new {
        let Ix::Label(l) = axes.get(usize::from(*at))? else { return None };
        gone.push(*l);
        if l.index() < s.rank() {
            insert.push((l.0, d.clone()));
        } else {
            times = times.checked_mul(d.as_const().filter(|n| *n >= 1)?)?;
        }
    }
    insert.sort();
    let kept: Vec<Ix> = axes.iter().filter(|ix| !matches!(ix, Ix::Label(l) if gone.contains(l))).copied().collect();
    let out: Vec<Label> = s.out().filter(|l| !gone.contains(l)).collect();
    Some(Repeated { insert, spec: Spec::new(&[kept], &out, s.ext()).ok()?, times })
}

fn repeated_of(args: &[Bound]) -> Option<Repeated> {
    let [s, Bound::Attr(Attr::Insert(new)), ..] = args else { return None };
    repeated(spec_of(s)?, new)
}

/// The axes that the result of a fold of a broadcast has inserted.
pub(super) fn fold_insert(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    repeated_of(args).map(|r| Bound::Attr(Attr::Insert(r.insert.into())))
}

/// The fold of what was broadcast.
pub(super) fn fold_kept(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    repeated_of(args).map(|r| Bound::Attr(Attr::Spec(r.spec)))
}

/// How often each element is folded, as an element of that type; None for once.
pub(super) fn fold_times(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [_, _, Bound::Attr(Attr::DType(d))] = args else { return None };
    let n = repeated_of(args)?.times;
    let l = Literal::from_i64(*d, n);
    (n > 1 && l.to_f64() == n as f64).then_some(Bound::Element(l))
}

/// For a fold of whole axes of `(reshape shape x)`: the fold of x. Groups of axes must be folded or kept as a whole, up to
/// axes of extent 1.
pub(super) fn fold_before(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Dims(shape)), x] = args else { return None };
    let (folded, x) = (folded_axes(spec_of(s)?)?, &facts.tensor(x)?.shape);
    let mut axes = Vec::new();
    for (before, after) in groups(x, shape)? {
        let wide = after.clone().filter(|i| shape[*i] != Dim::ONE);
        let (gone, kept): (Vec<usize>, Vec<usize>) = wide.partition(|i| folded.contains(i));
        if !gone.is_empty() && !kept.is_empty() {
            return None;
        }
        if kept.is_empty() {
            axes.extend(before);
        }
    }
    Spec::fold(x.len(), &axes).ok().map(|s| Bound::Attr(Attr::Spec(s)))
}

/// The shape that such a fold of a value of that shape has.
pub(super) fn folded_dims(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Dims(shape))] = args else { return None };
    let folded = folded_axes(spec_of(s)?)?;
    let kept = shape.iter().enumerate().filter(|(i, _)| !folded.contains(i)).map(|(_, d)| d.clone()).collect();
    Some(Bound::Attr(Attr::Dims(kept)))
}

/// The result axis that an axis of operand `k` alone becomes.
pub(super) fn out_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Axis(a))] = args else { return None };
    let (s, k) = (spec_of(s)?, operand_of(k)?);
    let Ix::Label(l) = s.ins().get(k)?.get(usize::from(*a))? else { return None };
    let alone = (0..s.ins().len()).all(|i| i == k || !s.mentions(i, *l));
    (alone && l.index() < s.rank()).then_some(Bound::Attr(Attr::Axis(l.0)))
}

/// The axis of operand `k` alone that becomes that result axis.
pub(super) fn in_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, Bound::Attr(Attr::Axis(a))] = args else { return None };
    let (s, k) = (spec_of(s)?, operand_of(k)?);
    let l = Label(*a);
    let alone = k < s.ins().len() && l.index() < s.rank() && (0..s.ins().len()).all(|i| i == k || !s.mentions(i, l));
    if alone { s.axis_of(k, l).map(|axis| Bound::Attr(Attr::Axis(axis as u8))) } else { None }
}

/// The axes of the operand of a fold without windows that a broadcast does not insert.
fn uninserted(s: &Spec, new: &[(u8, Dim)]) -> Option<Vec<Ix>> {
    let [axes] = s.ins() else { return None };
    let fits = !s.has_windows() && new.iter().all(|(at, _)| usize::from(*at) < axes.len());
    let kept = axes.iter().enumerate().filter(|(i, _)| !new.iter().any(|(at, _)| usize::from(*at) == *i));
    fits.then(|| kept.map(|(_, ix)| *ix).collect())
}

/// The contraction that the sum of a product is; None where a summed label is in one factor only.
fn product(s: &Spec, left: Vec<Ix>, right: Vec<Ix>) -> Option<Bound> {
    let both = s.folded().all(|l| left.contains(&Ix::Label(l)) && right.contains(&Ix::Label(l)));
    let out: Vec<Label> = s.out().collect();
    if both { Spec::new(&[left, right], &out, &[]).ok().map(|s| Bound::Attr(Attr::Spec(s))) } else { None }
}

/// The contraction of two factors that are both broadcast.
pub(super) fn product_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Insert(b)), Bound::Attr(Attr::Insert(c))] = args else { return None };
    let s = spec_of(s)?;
    product(s, uninserted(s, b)?, uninserted(s, c)?)
}

/// The contraction of two factors of which the first is broadcast.
pub(super) fn half_product_spec(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Insert(b))] = args else { return None };
    let s = spec_of(s)?;
    product(s, uninserted(s, b)?, uninserted(s, &[])?)
}
