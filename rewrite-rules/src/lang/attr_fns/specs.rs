//! Attribute functions of index specs. A function that meets a window it does not understand has no answer.

use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{PadAxis, Perm};
use egret_ir::{Dim, Literal};

use super::perm_of;
use crate::lang::bound::{Bound, Facts};

/// The spec, where it is one.
pub fn spec_of(b: &Bound) -> Option<&Spec> {
    match b {
        Bound::Attr(Attr::Spec(s)) => Some(s),
        _ => None,
    }
}

fn insert_of(b: &Bound) -> Option<&[(u8, Dim)]> {
    match b {
        Bound::Attr(Attr::Insert(new)) => Some(new),
        _ => None,
    }
}

pub(super) fn operand_of(b: &Bound) -> Option<usize> {
    match b {
        Bound::Number(n) => usize::try_from(*n).ok(),
        _ => None,
    }
}

fn spec(s: Result<Spec, egret_ir::op::spec::SpecError>) -> Option<Bound> {
    s.ok().map(|s| Bound::Attr(Attr::Spec(s)))
}

fn operands(s: &Spec) -> Vec<Vec<Ix>> {
    s.ins().iter().map(|o| o.to_vec()).collect()
}

fn rebuilt(s: &Spec, ins: &[Vec<Ix>]) -> Option<Bound> {
    spec(Spec::new(ins, &s.out().collect::<Vec<_>>(), s.ext()))
}

/// The spec that reads the operand before a permutation.
pub(super) fn relabel(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, p] = args else { return None };
    let (s, k, p) = (spec_of(s)?, operand_of(k)?, perm_of(p)?);
    let mut ins = operands(s);
    let axes = ins.get_mut(k)?;
    if axes.len() != p.rank() {
        return None;
    }
    *axes = p.inverse().apply(axes);
    rebuilt(s, &ins)
}

/// The spec whose result is the permuted result.
pub(super) fn relabel_out(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, p] = args else { return None };
    let (s, p) = (spec_of(s)?, perm_of(p)?);
    let out: Vec<Label> = s.out().collect();
    if out.len() != p.rank() {
        return None;
    }
    spec(Spec::new(&operands(s), &p.apply(&out), s.ext()))
}

/// The spec without the axes of one operand that a broadcast inserted, where the other operand and the result have their
/// labels (so that extents stay known and nothing is summed twice).
pub(super) fn drop_inserted(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, new] = args else { return None };
    let (s, k, new) = (spec_of(s)?, operand_of(k)?, insert_of(new)?);
    let mut ins = operands(s);
    if ins.len() != 2 || k > 1 {
        return None;
    }
    let mut kept = Vec::new();
    for (axis, ix) in ins[k].iter().enumerate() {
        if !new.iter().any(|(at, _)| usize::from(*at) == axis) {
            kept.push(*ix);
            continue;
        }
        let Ix::Label(l) = ix else { return None };
        if l.index() >= s.rank() || s.axis_of(1 - k, *l).is_none() {
            return None;
        }
    }
    ins[k] = kept;
    rebuilt(s, &ins)
}

/// The spec of operand 0 without a pad by the value that adds nothing: window axes skip what they would read there.
pub(super) fn pad_into(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, Bound::Attr(Attr::Pads(pads)), x] = args else { return None };
    let (s, shape) = (spec_of(s)?, &facts.tensor(x)?.shape);
    let mut ins = operands(s);
    let axes = ins.first_mut()?;
    if axes.len() != pads.len() || shape.len() != pads.len() {
        return None;
    }
    for (ix, PadAxis { lo, hi, inner }) in axes.iter_mut().zip(pads) {
        if lo.as_const() == Some(0) && hi.as_const() == Some(0) && *inner == 0 {
            continue;
        }
        let Ix::Window(w) = ix else { return None };
        if *inner != 0 || w.in_dil != 1 {
            return None;
        }
        *w = Window { lo: w.lo.checked_add(lo.as_const()?)?, ..*w };
    }
    rebuilt(s, &ins)
}

/// One fold for two: `outer` of the result of `inner`, both without windows.
pub(super) fn reduce_twice(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [outer, inner] = args else { return None };
    let (outer, inner) = (spec_of(outer)?, spec_of(inner)?);
    if outer.has_windows() || inner.has_windows() || outer.ins().first()?.len() != inner.rank() {
        return None;
    }
    // Result label i of the inner fold is axis i of the outer one's operand.
    let out: Vec<Label> =
        outer.out().map(|l| outer.axis_of(0, l).map(|axis| Label(axis as u8))).collect::<Option<_>>()?;
    spec(Spec::new(&operands(inner), &out, &[]))
}

/// The result's shape.
pub(super) fn reduced_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, x] = args else { return None };
    Some(Bound::Attr(Attr::Dims(spec_of(s)?.out_shape(&[&facts.tensor(x)?.shape]).ok()?)))
}

/// How many elements each result element of a window-free fold is made of, as an element of that type.
pub(super) fn count(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, x, Bound::Attr(Attr::DType(d))] = args else { return None };
    let n = folded_count(spec_of(s)?, &facts.tensor(x)?.shape)?;
    let l = Literal::from_i64(*d, n);
    (l.to_f64() == n as f64).then_some(Bound::Element(l))
}

/// Elements per result element of a window-free fold, where that is a number.
pub fn folded_count(s: &Spec, shape: &[Dim]) -> Option<i64> {
    if s.has_windows() {
        return None;
    }
    let extents = s.extents(&[shape]).ok()?;
    s.folded().try_fold(1i64, |n, l| n.checked_mul(extents[l.index()].as_const()?))
}

/// The single axis that a window-free fold of one operand folds, keeping the others in order.
pub fn folded_axes(s: &Spec) -> Option<Vec<usize>> {
    let [axes] = s.ins() else { return None };
    if s.has_windows() {
        return None;
    }
    let folded: Vec<usize> = s.folded().map(|l| s.axis_of(0, l)).collect::<Option<_>>()?;
    (*s == Spec::fold(axes.len(), &folded).ok()?).then_some(folded)
}

/// The axis of a fold of one axis.
pub(super) fn only_folded_axis(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    match folded_axes(spec_of(args.first()?)?)?.as_slice() {
        [axis] => Some(Bound::Attr(Attr::Axis(*axis as u8))),
        _ => None,
    }
}

fn axis_and_rank(facts: Facts<'_>, args: &[Bound]) -> Option<(usize, usize)> {
    let [Bound::Attr(Attr::Axis(a)), x] = args else { return None };
    Some((usize::from(*a), facts.tensor(x)?.rank()))
}

/// The fold of one axis.
pub(super) fn axis_spec(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let (axis, rank) = axis_and_rank(facts, args)?;
    (axis < rank).then(|| Spec::fold(rank, &[axis]).ok()).flatten().map(|s| Bound::Attr(Attr::Spec(s)))
}

/// The broadcast that puts a folded axis back.
pub(super) fn axis_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let (axis, _) = axis_and_rank(facts, args)?;
    let d = facts.tensor(args.get(1)?)?.shape.get(axis)?.clone();
    Some(Bound::Attr(Attr::Insert(vec![(axis as u8, d)].into())))
}

/// The number of axes of a fold of just the last axes.
pub(super) fn trailing_axes(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let s = spec_of(args.first()?)?;
    let (folded, rank) = (folded_axes(s)?, s.ins().first()?.len());
    let n = folded.len();
    let last: Vec<usize> = (rank - n..rank).collect();
    (n > 0 && folded == last).then_some(Bound::Attr(Attr::Axis(n as u8)))
}

/// The fold of the last axes.
pub(super) fn trailing_spec(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let (n, rank) = axis_and_rank(facts, args)?;
    let axes: Vec<usize> = (rank.checked_sub(n)?..rank).collect();
    spec(Spec::fold(rank, &axes))
}

/// The broadcast that puts folded last axes back.
pub(super) fn trailing_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let (n, rank) = axis_and_rank(facts, args)?;
    let shape = &facts.tensor(args.get(1)?)?.shape;
    let new = (rank.checked_sub(n)?..rank).map(|i| (i as u8, shape[i].clone())).collect();
    Some(Bound::Attr(Attr::Insert(new)))
}

/// The broadcast of a value with the shape of the last axes to the whole shape.
pub(super) fn leading_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let (n, rank) = axis_and_rank(facts, args)?;
    let shape = &facts.tensor(args.get(1)?)?.shape;
    let new = (0..rank.checked_sub(n)?).map(|i| (i as u8, shape[i].clone())).collect();
    Some(Bound::Attr(Attr::Insert(new)))
}

/// For a contraction of a broadcast operand whose inserted axes are result labels of that operand alone: the result
/// labels that go away with them.
fn private_out(s: &Spec, k: usize, new: &[(u8, Dim)]) -> Option<Vec<Label>> {
    if s.ins().len() != 2 || k > 1 {
        return None;
    }
    new.iter()
        .map(|(at, _)| match s.ins()[k].get(usize::from(*at))? {
            Ix::Label(l) if l.index() < s.rank() && !s.mentions(1 - k, *l) => Some(*l),
            Ix::Label(_) | Ix::Window(_) => None,
        })
        .collect()
}

/// The spec of the contraction without those axes.
pub(super) fn uninserted(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, new] = args else { return None };
    let (s, k, new) = (spec_of(s)?, operand_of(k)?, insert_of(new)?);
    let gone = private_out(s, k, new)?;
    let mut ins = operands(s);
    ins[k].retain(|ix| !matches!(ix, Ix::Label(l) if gone.contains(l)));
    let out: Vec<Label> = s.out().filter(|l| !gone.contains(l)).collect();
    spec(Spec::new(&ins, &out, s.ext()))
}

/// The broadcast of the result that puts them back.
pub(super) fn inserted_out(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [s, k, new] = args else { return None };
    let (s, k, new) = (spec_of(s)?, operand_of(k)?, insert_of(new)?);
    let gone = private_out(s, k, new)?;
    let mut back: Vec<(u8, Dim)> = gone.iter().zip(new).map(|(l, (_, d))| (l.0, d.clone())).collect();
    back.sort();
    Some(Bound::Attr(Attr::Insert(back.into())))
}

/// A permutation from its axes, for the scaling functions.
pub(super) fn perm_from(axes: &[usize]) -> Option<Bound> {
    Perm::new(axes).map(|p| Bound::Attr(Attr::Perm(p)))
}
