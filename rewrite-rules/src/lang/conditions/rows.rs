//! Conditions about functions of elements and about elements.

use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, Op};
use egret_ir::{DType, Literal};

use super::{contains, dtype, element, monoid};
use crate::engine::egraph::EGraph;
use crate::lang::attr_fns::function_of;
use crate::lang::bound::{Bound, Facts};

/// The least and the greatest value of a function, NaN aside, where it has any.
pub(crate) fn range(f: Scalar) -> (Option<f64>, Option<f64>) {
    match f {
        Scalar::Sin | Scalar::Cos | Scalar::Tanh | Scalar::Erf => (Some(-1.0), Some(1.0)),
        Scalar::Sigmoid => (Some(0.0), Some(1.0)),
        Scalar::Exp | Scalar::Acos | Scalar::Acosh => (Some(0.0), None),
        // The root of −0.0 is −0.0.
        Scalar::Sqrt => (Some(-0.0), None),
        Scalar::Cosh => (Some(1.0), None),
        Scalar::Add
        | Scalar::Sub
        | Scalar::Mul
        | Scalar::Div
        | Scalar::RemFloor
        | Scalar::RemTrunc
        | Scalar::Neg
        | Scalar::Abs
        | Scalar::Min
        | Scalar::Max
        | Scalar::Pow
        | Scalar::Log
        | Scalar::Log1p
        | Scalar::Tan
        | Scalar::Asin
        | Scalar::Atan
        | Scalar::Sinh
        | Scalar::Asinh
        | Scalar::Atanh
        | Scalar::Floor
        | Scalar::Ceil
        | Scalar::Round
        | Scalar::Sign
        | Scalar::IsNan
        | Scalar::Eq
        | Scalar::Lt
        | Scalar::Le
        | Scalar::And
        | Scalar::Or
        | Scalar::Xor
        | Scalar::Not
        | Scalar::Shl
        | Scalar::Shr
        | Scalar::Select
        | Scalar::IsInf(_)
        | Scalar::Cast(_)
        | Scalar::BitCast(_) => (None, None),
    }
}

/// No value of the function is below the element, −0.0 being below 0.0.
pub(super) fn at_least(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(range(function_of(args.first()?)?).0?.total_cmp(&element(args, 1)?.to_f64()).is_ge())
}

/// No value of the function is above the element.
pub(super) fn at_most(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(range(function_of(args.first()?)?).1? <= element(args, 1)?.to_f64())
}

/// Whole numbers out, and whole numbers stay.
pub(super) fn rounding(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(matches!(function_of(args.first()?)?, Scalar::Floor | Scalar::Ceil | Scalar::Round))
}

/// A comparison.
pub(super) fn compares(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(matches!(function_of(args.first()?)?, Scalar::Eq | Scalar::Lt | Scalar::Le))
}

/// f on values widened from `t` to `u`, taken back to `t`, is f on `t`: integers wrap, order and bits stay, and what is
/// computed in more than twice the digits rounds the same (Figueroa, *When is double rounding innocuous?*, 1995).
pub(super) fn narrows(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [f, ..] = args else { return None };
    let (f, t, u) = (function_of(f)?, dtype(args, 1)?, dtype(args, 2)?);
    let wider = t != u && contains(u, t);
    let ring = matches!(f, Scalar::Add | Scalar::Sub | Scalar::Mul | Scalar::Neg);
    let order = matches!(f, Scalar::Min | Scalar::Max);
    let bits = matches!(f, Scalar::And | Scalar::Or | Scalar::Xor | Scalar::Not);
    let rounds = matches!(f, Scalar::Div | Scalar::Sqrt);
    let twice = matches!((t, u), (DType::F16 | DType::BF16, DType::F32) | (DType::F32, DType::F64));
    Some(if t.is_float() {
        twice && (ring || order || rounds)
    } else {
        t.is_int() && u.is_int() && wider && (ring || order || bits)
    })
}

/// Casting to the type keeps the order of the operand's values.
pub(super) fn keeps_order(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::DType(to)), x] = args else { return None };
    let from = facts.tensor(x)?.dtype;
    Some((to.is_float() && from.is_num()) || contains(*to, from))
}

/// Every value of the operand's type is one of the other.
pub(super) fn holds_all(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::DType(to)), x] = args else { return None };
    Some(contains(*to, facts.tensor(x)?.dtype))
}

/// An integer type without sign.
pub(super) fn unsigned(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(matches!(facts.tensor(args.first()?)?.dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64))
}

/// A power of two that an integer type holds.
pub(super) fn power_of_two(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let l = element(args, 0)?;
    Some(l.dtype().is_int() && l.to_f64() > 0.0 && l.to_i64().cast_unsigned().is_power_of_two())
}

/// Above 0, at most 1.
pub(super) fn slope(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let x = element(args, 0)?.to_f64();
    Some(x > 0.0 && x <= 1.0)
}

/// Above 0 and finite.
pub(super) fn positive(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let x = element(args, 0)?.to_f64();
    Some(x > 0.0 && x.is_finite())
}

/// A number: not NaN.
pub(super) fn number(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    Some(!element(args, 0)?.to_f64().is_nan())
}

/// Both elements are the limits of that integer type of at most 16 bits.
pub(super) fn limits(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let (lo, hi, t) = (element(args, 0)?.to_f64(), element(args, 1)?.to_f64(), dtype(args, 2)?);
    let range = match t {
        DType::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
        DType::U8 => (0.0, f64::from(u8::MAX)),
        DType::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
        DType::U16 => (0.0, f64::from(u16::MAX)),
        DType::F16
        | DType::BF16
        | DType::F32
        | DType::F64
        | DType::I32
        | DType::I64
        | DType::U32
        | DType::U64
        | DType::Bool => return Some(false),
    };
    Some((lo, hi) == range)
}

/// max or min.
pub(super) fn extremum(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    use egret_ir::op::Monoid;
    Some(matches!(monoid(args)?, Monoid::Max | Monoid::Min))
}

/// An element a that x·a rounds from nothing that x/a or (x·a)/a would not give back: between 2⁻⁶⁴ and 2⁶⁴.
pub(crate) fn is_scale(l: Literal) -> bool {
    let x = l.to_f64();
    // 8 bits of fraction are too few for 8 bits of integer.
    let (least, most) = match l.dtype() {
        DType::F16 => (2f64.powi(-13), 64.0),
        DType::F32 | DType::F64 => (2f64.powi(-64), 2f64.powi(64)),
        DType::BF16
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => return false,
    };
    x >= least && x <= most
}

/// At most 255 in magnitude: 8 bits, or the difference of two such values.
pub(super) fn byte_sized(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let Bound::Operand(id) = args.first()? else { return None };
    Some(is_byte_sized(facts.egraph, *id))
}

fn is_byte_sized(egraph: &EGraph, id: egg::Id) -> bool {
    let is_byte =
        |id: egg::Id| egraph[id].data.ty.as_tensor().map(|t| t.dtype).filter(|d| matches!(d, DType::I8 | DType::U8));
    let widened = |id: egg::Id| {
        egraph[id].nodes.iter().find_map(|n| match egraph.analysis.op(n.op) {
            Op::Map(Scalar::Cast(_)) => is_byte(n.args[0]),
            _ => None,
        })
    };
    let data = &egraph[id].data;
    let integer = data.ty.as_tensor().is_some_and(|t| t.dtype.is_int());
    is_byte(id).is_some()
        || (integer && widened(id).is_some())
        || (integer
            && egraph[id].nodes.iter().any(|n| {
                *egraph.analysis.op(n.op) == Op::Map(Scalar::Sub)
                    && matches!((widened(n.args[0]), widened(n.args[1])), (Some(a), Some(b)) if a == b)
            }))
}

/// A scale of the operand goes further, into a constant weight: through movements and sums with constants, or it is constant.
pub(super) fn absorbs_scale(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let Bound::Operand(id) = args.first()? else { return None };
    Some(absorbs(facts.egraph, *id, 5))
}

fn absorbs(egraph: &EGraph, id: egg::Id, depth: usize) -> bool {
    let constant = |id: &egg::Id| egraph[*id].data.constant;
    if constant(&id) {
        return true;
    }
    depth > 0
        && egraph[id].nodes.iter().any(|n| match egraph.analysis.op(n.op) {
            Op::Permute(_) | Op::Reshape(_) => absorbs(egraph, n.args[0], depth - 1),
            Op::Contract { .. } => n.args.iter().any(constant) && !n.args.iter().all(constant),
            Op::Map(Scalar::Add) => {
                n.args.iter().any(constant) && n.args.iter().any(|a| !constant(a) && absorbs(egraph, *a, depth - 1))
            }
            Op::Input(_)
            | Op::Const(Const::Scalar(_) | Const::Dense(_))
            | Op::Dim(_)
            | Op::Iota { .. }
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::ArgSort { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_)
            | Op::Proj(_) => false,
        })
}
