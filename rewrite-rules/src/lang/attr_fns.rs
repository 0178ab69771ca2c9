//! Attribute functions: what the right side of a rule may compute. One row each; a function that has no answer for its
//! arguments gives None, and the rule does not fire.

pub mod cuts;
pub mod faults;
pub mod folds;
pub mod products;
mod scaling;
pub mod shapes;
pub mod specs;
mod winograd;

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
pub(super) const GATHER: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Gather));
pub(super) const SPEC: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Spec));
pub(super) const DTYPE: ArgSort = ArgSort::One(Sort::Attr(AttrSort::DType));
pub(super) const NUMBER: ArgSort = ArgSort::Number;
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
    row("relabel", &[SPEC, NUMBER, PERM], attr(AttrSort::Spec), specs::relabel),
    row("relabel_out", &[SPEC, PERM], attr(AttrSort::Spec), specs::relabel_out),
    row("drop_inserted", &[SPEC, NUMBER, INSERT], attr(AttrSort::Spec), specs::drop_inserted),
    row("pad_into", &[SPEC, PADS, OPERAND], attr(AttrSort::Spec), specs::pad_into),
    row("reduce_twice", &[SPEC, SPEC], attr(AttrSort::Spec), specs::reduce_twice),
    row("reduced_dims", &[SPEC, OPERAND], attr(AttrSort::Dims), specs::reduced_dims),
    row("uninserted", &[SPEC, NUMBER, INSERT], attr(AttrSort::Spec), specs::uninserted),
    row("inserted_out", &[SPEC, NUMBER, INSERT], attr(AttrSort::Insert), specs::inserted_out),
    // Slices past pads and reshapes, and indices that are runs.
    row("unpadded_slices", &[SLICES, PADS, OPERAND], attr(AttrSort::Slices), cuts::unpadded_slices),
    row("cut_pad", &[SLICES, PADS, OPERAND], attr(AttrSort::Pads), cuts::cut_pad),
    row("reshape_slices", &[SLICES, DIMS, OPERAND], attr(AttrSort::Slices), cuts::reshape_slices),
    row("slice_dims", &[SLICES], attr(AttrSort::Dims), cuts::slice_dims),
    row("unreshaped_axis", &[DIMS, AXIS, OPERAND], attr(AttrSort::Axis), cuts::unreshaped_axis),
    row("gather_slices", &[GATHER, OPERAND, OPERAND], attr(AttrSort::Slices), cuts::gather_slices),
    row("gather_dims", &[GATHER, OPERAND, OPERAND], attr(AttrSort::Dims), cuts::gather_dims),
    // Folds of broadcasts, reshapes and products.
    row("fold_insert", &[SPEC, INSERT], attr(AttrSort::Insert), folds::fold_insert),
    row("fold_kept", &[SPEC, INSERT], attr(AttrSort::Spec), folds::fold_kept),
    row("fold_times", &[SPEC, INSERT, DTYPE], Sort::Splat, folds::fold_times),
    row("fold_before", &[SPEC, DIMS, OPERAND], attr(AttrSort::Spec), folds::fold_before),
    row("folded_dims", &[SPEC, DIMS], attr(AttrSort::Dims), folds::folded_dims),
    row("product_spec", &[SPEC, INSERT, INSERT], attr(AttrSort::Spec), folds::product_spec),
    row("half_product_spec", &[SPEC, INSERT], attr(AttrSort::Spec), folds::half_product_spec),
    row("out_axis", &[SPEC, NUMBER, AXIS], attr(AttrSort::Axis), folds::out_axis),
    row("in_axis", &[SPEC, NUMBER, AXIS], attr(AttrSort::Axis), folds::in_axis),
    // Contractions.
    row("out_perm", &[SPEC, NUMBER], attr(AttrSort::Perm), products::out_perm),
    row("out_insert", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Insert), products::out_insert),
    row("bare_spec", &[SPEC, OPERAND, OPERAND], attr(AttrSort::Spec), products::bare_spec),
    row("bare_slices", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Slices), products::bare_slices),
    row("bare_dims", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Dims), products::bare_dims),
    row("folded_axis", &[SPEC, NUMBER], attr(AttrSort::Axis), products::folded_axis),
    row("first_summed", &[SPEC, NUMBER, AXIS, OPERAND, OPERAND], attr(AttrSort::Slices), products::first_summed),
    row("second_summed", &[SPEC, NUMBER, AXIS, OPERAND, OPERAND], attr(AttrSort::Slices), products::second_summed),
    row("inner_spec", &[SPEC, SPEC], attr(AttrSort::Spec), products::inner_spec),
    row("outer_spec", &[SPEC, SPEC], attr(AttrSort::Spec), products::outer_spec),
    row("reshaped_spec", &[SPEC, NUMBER, DIMS, OPERAND], attr(AttrSort::Spec), products::reshaped_spec),
    row("reshaped_out", &[SPEC, NUMBER, DIMS, OPERAND], attr(AttrSort::Dims), products::reshaped_out),
    row("sliced_spec", &[SPEC, SLICES], attr(AttrSort::Spec), products::sliced_spec),
    row("sliced_operand", &[SPEC, NUMBER, SLICES, OPERAND], attr(AttrSort::Slices), products::sliced_operand),
    row("unscale_perm", &[SPEC, NUMBER, INSERT], attr(AttrSort::Perm), products::unscale_perm),
    row("unscale_insert", &[SPEC, NUMBER, INSERT, OPERAND, OPERAND], attr(AttrSort::Insert), products::unscale_insert),
    // Minimal filtering.
    row("winograd_pads", &[SPEC, NUMBER, OPERAND], attr(AttrSort::Pads), winograd::winograd_pads),
    row("winograd_cells", &[SPEC, NUMBER, NUMBER, OPERAND], attr(AttrSort::Slices), winograd::winograd_cells),
    row("winograd_tap", &[SPEC, NUMBER, OPERAND], attr(AttrSort::Slices), winograd::winograd_tap),
    row("winograd_tap_dims", &[SPEC, OPERAND], attr(AttrSort::Dims), winograd::winograd_tap_dims),
    row("winograd_spec", &[SPEC], attr(AttrSort::Spec), winograd::winograd_spec),
    row("winograd_place", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Dims), winograd::winograd_place),
    row("winograd_joined", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Dims), winograd::winograd_joined),
    row("winograd_axis", &[SPEC], attr(AttrSort::Axis), winograd::winograd_axis),
    row("winograd_crop", &[SPEC, NUMBER, OPERAND, OPERAND], attr(AttrSort::Slices), winograd::winograd_crop),
    // Scales and weights.
    row("scale_insert", &[SPEC, NUMBER, NUMBER, INSERT, OPERAND], attr(AttrSort::Insert), scaling::scale_insert),
    row("scale_perm", &[SPEC, NUMBER, NUMBER, INSERT], attr(AttrSort::Perm), scaling::scale_perm),
    // Elements.
    row("log2", &[ELEMENT], Sort::Splat, |_, a| integer(a, |n| Some(i64::from(n.trailing_zeros())))),
    row("minus_one", &[ELEMENT], Sort::Splat, |_, a| integer(a, |n| n.checked_sub(1))),
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

/// A number computed from an integer, in its type.
fn integer(args: &[Bound], f: fn(i64) -> Option<i64>) -> Option<Bound> {
    let l = element(args).filter(|l| l.dtype().is_int())?;
    f(l.to_i64()).map(|n| Bound::Element(Literal::from_i64(l.dtype(), n)))
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
