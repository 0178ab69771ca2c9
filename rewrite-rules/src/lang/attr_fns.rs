//! Attribute functions: what the right side of a rule may compute. One row each; a function that has no answer for its
//! arguments gives None, and the rule does not fire.

pub mod faults;
mod scaling;
pub mod shapes;
pub mod specs;

use egret_ir::op::Perm;
use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Literal};

use super::bound::{Bound, Facts};
use super::{AttrSort, Sort};

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgSort {
    /// A value of this sort.
    One(Sort),
    /// A list of values of this sort.
    List(Sort),
    /// A whole number.
    Number,
    /// A word.
    Word,
}

pub(super) const OPERAND: ArgSort = ArgSort::One(Sort::Operand);
pub(super) const OPERANDS: ArgSort = ArgSort::List(Sort::Operand);
pub(super) const ELEMENT: ArgSort = ArgSort::One(Sort::Splat);
pub(super) const PERM: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Perm));
pub(super) const DIMS: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Dims));
pub(super) const INSERT: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Insert));
pub(super) const SLICES: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Slices));
pub(super) const SLICE_LIST: ArgSort = ArgSort::List(Sort::Attr(AttrSort::Slices));
pub(super) const PADS: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Pads));
pub(super) const AXIS: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Axis));
pub(super) const SPEC: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Spec));
pub(super) const DTYPE: ArgSort = ArgSort::One(Sort::Attr(AttrSort::DType));
pub(super) const FUNCTION: ArgSort = ArgSort::One(Sort::Function);
pub(super) const MONOID: ArgSort = ArgSort::One(Sort::Monoid);

/// A row of the table.
pub struct AttrFn {
    /// Its name in rules.
    pub name: &'static str,
    /// Arguments it takes.
    pub args: &'static [ArgSort],
    /// Sort of the result.
    pub result: Sort,
    /// The function.
    pub compute: fn(Facts<'_>, &[Bound]) -> Option<Bound>,
}

const fn row(
    name: &'static str,
    args: &'static [ArgSort],
    result: Sort,
    compute: fn(Facts<'_>, &[Bound]) -> Option<Bound>,
) -> AttrFn {
    AttrFn { name, args, result, compute }
}

const fn attr(a: AttrSort) -> Sort {
    Sort::Attr(a)
}

/// Every attribute function.
pub static ATTR_FNS: &[AttrFn] = &[
    // Shapes and movements.
    row("compose", &[PERM, PERM], attr(AttrSort::Perm), compose),
    row("inverse", &[PERM], attr(AttrSort::Perm), inverse),
    row("axis_at", &[PERM, AXIS], attr(AttrSort::Axis), axis_at),
    row("dims", &[OPERAND], attr(AttrSort::Dims), dims),
    row("permuted_dims", &[PERM, OPERAND], attr(AttrSort::Dims), permuted_dims),
    row("merge_inserts", &[INSERT, INSERT], attr(AttrSort::Insert), shapes::merge_inserts),
    row("permute_insert", &[PERM, INSERT], attr(AttrSort::Insert), shapes::permute_insert),
    row("permute_kept", &[PERM, INSERT], attr(AttrSort::Perm), shapes::permute_kept),
    row("slice_insert", &[SLICES, INSERT], attr(AttrSort::Insert), shapes::slice_insert),
    row("slice_kept", &[SLICES, INSERT], attr(AttrSort::Slices), shapes::slice_kept),
    row("slice_permuted", &[SLICES, PERM], attr(AttrSort::Slices), shapes::slice_permuted),
    row("compose_slices", &[SLICES, SLICES], attr(AttrSort::Slices), shapes::compose_slices),
    row("join_slices", &[AXIS, SLICE_LIST], attr(AttrSort::Slices), shapes::join_slices),
    row("part", &[SLICES, AXIS, OPERANDS], Sort::Operand, shapes::part),
    row("part_slices", &[SLICES, AXIS, OPERANDS], attr(AttrSort::Slices), shapes::part_slices),
    row("permuted_slices", &[PERM, SLICES], attr(AttrSort::Slices), shapes::permuted_slices),
    row("ones", &[DIMS, OPERAND], attr(AttrSort::Insert), shapes::ones),
    row("inserted_dims", &[INSERT, OPERAND], attr(AttrSort::Dims), shapes::inserted_dims),
    row("add_pads", &[PADS, PADS], attr(AttrSort::Pads), shapes::add_pads),
    row("pads_permuted", &[PADS, PERM], attr(AttrSort::Pads), shapes::pads_permuted),
    row("reshape_insert", &[DIMS, INSERT, OPERAND], attr(AttrSort::Insert), shapes::reshape_insert),
    row("reshape_kept", &[DIMS, INSERT, OPERAND], attr(AttrSort::Dims), shapes::reshape_kept),
    row("reshape_perm", &[DIMS, PERM, OPERAND], attr(AttrSort::Perm), shapes::reshape_perm),
    row("reshape_before", &[DIMS, PERM, OPERAND], attr(AttrSort::Dims), shapes::reshape_before),
    row("concat_kept_axis", &[INSERT, AXIS], attr(AttrSort::Axis), shapes::concat_kept_axis),
    // Index specs.
    row("relabel", &[SPEC, ArgSort::Number, PERM], attr(AttrSort::Spec), specs::relabel),
    row("relabel_out", &[SPEC, PERM], attr(AttrSort::Spec), specs::relabel_out),
    row("drop_inserted", &[SPEC, ArgSort::Number, INSERT], attr(AttrSort::Spec), specs::drop_inserted),
    row("pad_into", &[SPEC, PADS, OPERAND], attr(AttrSort::Spec), specs::pad_into),
    row("reduce_twice", &[SPEC, SPEC], attr(AttrSort::Spec), specs::reduce_twice),
    row("reduced_dims", &[SPEC, OPERAND], attr(AttrSort::Dims), specs::reduced_dims),
    row("uninserted", &[SPEC, ArgSort::Number, INSERT], attr(AttrSort::Spec), specs::uninserted),
    row("inserted_out", &[SPEC, ArgSort::Number, INSERT], attr(AttrSort::Insert), specs::inserted_out),
    // Scales and weights.
    row(
        "scale_insert",
        &[SPEC, ArgSort::Number, ArgSort::Number, INSERT, OPERAND],
        attr(AttrSort::Insert),
        scaling::scale_insert,
    ),
    row("scale_perm", &[SPEC, ArgSort::Number, ArgSort::Number, INSERT], attr(AttrSort::Perm), scaling::scale_perm),
    // Elements.
    row("epsilon", &[ELEMENT], attr(AttrSort::Literal), |_, a| element(a).map(|l| Bound::Attr(Attr::Literal(l)))),
    row("in_type", &[ArgSort::One(Sort::Attr(AttrSort::Literal)), DTYPE], Sort::Splat, in_type),
    row("count", &[SPEC, OPERAND, DTYPE], Sort::Splat, specs::count),
    row("acc", &[OPERAND], attr(AttrSort::DType), |f, a| {
        Some(Bound::Attr(Attr::DType(egret_ir::defs::default_acc(f.tensor(a.first()?)?.dtype))))
    }),
    row("dtype", &[OPERAND], attr(AttrSort::DType), |f, a| Some(Bound::Attr(Attr::DType(f.tensor(a.first()?)?.dtype)))),
    // Composites.
    row("softmax_axis", &[SPEC], attr(AttrSort::Axis), specs::only_folded_axis),
    row("axis_spec", &[AXIS, OPERAND], attr(AttrSort::Spec), specs::axis_spec),
    row("axis_insert", &[AXIS, OPERAND], attr(AttrSort::Insert), specs::axis_insert),
    row("trailing_axes", &[SPEC], attr(AttrSort::Axis), specs::trailing_axes),
    row("trailing_spec", &[AXIS, OPERAND], attr(AttrSort::Spec), specs::trailing_spec),
    row("trailing_insert", &[AXIS, OPERAND], attr(AttrSort::Insert), specs::trailing_insert),
    row("leading_insert", &[AXIS, OPERAND], attr(AttrSort::Insert), specs::leading_insert),
];

pub(super) fn perm_of(b: &Bound) -> Option<&Perm> {
    match b {
        Bound::Attr(Attr::Perm(p)) => Some(p),
        _ => None,
    }
}

fn element(args: &[Bound]) -> Option<Literal> {
    match args.first()? {
        Bound::Element(l) | Bound::Attr(Attr::Literal(l)) => Some(*l),
        _ => None,
    }
}

fn perm(p: Perm) -> Bound {
    Bound::Attr(Attr::Perm(p))
}

/// p after q.
fn compose(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, q] = args else { return None };
    perm_of(p)?.after(perm_of(q)?).map(perm)
}

fn inverse(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    perm_of(args.first()?).map(|p| perm(p.inverse()))
}

/// The axis of the operand that axis `a` of the permuted value is.
fn axis_at(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, Bound::Attr(Attr::Axis(a))] = args else { return None };
    let p = perm_of(p)?;
    (usize::from(*a) < p.rank()).then(|| Bound::Attr(Attr::Axis(p.at(usize::from(*a)) as u8)))
}

fn dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    Some(Bound::Attr(Attr::Dims(facts.tensor(args.first()?)?.shape.clone())))
}

fn permuted_dims(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [p, x] = args else { return None };
    let (p, shape) = (perm_of(p)?, &facts.tensor(x)?.shape);
    (p.rank() == shape.len()).then(|| Bound::Attr(Attr::Dims(p.apply(shape))))
}

/// A float literal rounded to a float type.
fn in_type(_: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Literal(l)), Bound::Attr(Attr::DType(to))] = args else { return None };
    (to.is_float() && l.dtype().is_float()).then(|| Bound::Element(Literal::from_f64(*to, l.to_f64())))
}

/// The smallest positive normal number of a float type.
pub(crate) fn smallest_normal(d: DType) -> f64 {
    match d {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => f64::from(f32::MIN_POSITIVE),
        DType::F64 => f64::MIN_POSITIVE,
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => 1.0,
    }
}

/// The function of a Map, where it is bound.
pub(super) fn function_of(b: &Bound) -> Option<Scalar> {
    match b {
        Bound::Function(f) => Some(*f),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
