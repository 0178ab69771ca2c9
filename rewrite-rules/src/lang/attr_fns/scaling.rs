//! Moving a scale along labels: from the result or an operand of a contraction into (the other) operand.

use egret_ir::Dim;
use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Label, Spec};

use super::specs::{operand_of, perm_from, spec_of};
use crate::lang::bound::{Bound, Facts};

/// Number that stands for the result in rules.
const RESULT: usize = 2;

/// For a scale `(broadcast new v)` of place `from` (0, 1: operands; 2: result): the axis of operand `to` that each axis of
/// v belongs to. None unless each such axis is a plain label there too.
fn places(s: &Spec, from: usize, to: usize, new: &[(u8, Dim)]) -> Option<Vec<usize>> {
    if s.ins().len() != 2 || to > 1 || from == to {
        return None;
    }
    let labels: Vec<Option<Label>> = if from == RESULT {
        s.out().map(Some).collect()
    } else {
        let axes = s.ins().get(from)?;
        axes.iter()
            .map(|ix| match ix {
                Ix::Label(l) => Some(*l),
                Ix::Window(_) => None,
            })
            .collect()
    };
    let inserted = |axis: usize| new.iter().any(|(at, _)| usize::from(*at) == axis);
    labels.into_iter().enumerate().filter(|(axis, _)| !inserted(*axis)).map(|(_, l)| s.axis_of(to, l?)).collect()
}

/// The places, from a rule's arguments: spec, from, to, inserted axes of the scale.
fn places_of(args: &[Bound]) -> Option<Vec<usize>> {
    let [s, from, to, Bound::Attr(Attr::Insert(new)), ..] = args else { return None };
    places(spec_of(s)?, operand_of(from)?, operand_of(to)?, new)
}

/// The permutation that puts the scale's axes into the order of the operand.
pub(super) fn scale_perm(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let places = places_of(args)?;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|i| places[*i]);
    perm_from(&order)
}

/// The broadcast of the scale to the operand's shape.
pub(super) fn scale_insert(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let places = places_of(args)?;
    let shape = &facts.tensor(args.get(4)?)?.shape;
    let insert = shape
        .iter()
        .enumerate()
        .filter(|(axis, _)| !places.contains(axis))
        .map(|(axis, d)| (axis as u8, d.clone()))
        .collect();
    Some(Bound::Attr(Attr::Insert(insert)))
}
