//! Which values have a vector form, and how a lane holds them: f32 as they are, integers of at most 32 bits as i32 (8-bit ones
//! in the range of their type), bool as a mask.

use std::sync::Arc;

use egret_ir::dtype::DType;
use egret_ir::op::scalar::Scalar;

use crate::affine::Axis;
use crate::value::Value;

/// The element type of the operands (of the chosen values, for a select).
pub(crate) fn operand_type(args: &[Arc<Value>]) -> DType {
    args.last().map_or(DType::F32, |a| a.dtype())
}

/// Whether the fold's result is in it.
pub fn has_acc(v: &Arc<Value>) -> bool {
    match &**v {
        Value::Acc(_) => true,
        Value::Load { .. } | Value::Lit(_) | Value::Index(_) => false,
        Value::Map { args, .. } => args.iter().any(has_acc),
        Value::Choose { yes, no, .. } => has_acc(yes) || has_acc(no),
    }
}

/// Whether lanes hold elements of the type.
fn in_lanes(d: DType) -> bool {
    match d {
        DType::F32 | DType::I32 | DType::Bool | DType::U8 | DType::I8 => true,
        DType::F16 | DType::BF16 | DType::F64 | DType::I16 | DType::I64 | DType::U16 | DType::U32 | DType::U64 => false,
    }
}

/// Whether lanes load elements that are not neighbours in one statement.
pub(crate) fn loads_strided(d: DType) -> bool {
    (in_lanes(d) && d.size() == 4) || d == DType::Bool
}

/// Whether the value has a vector form along `lane`.
pub fn vectorizes(v: &Arc<Value>, lane: Axis) -> bool {
    if !v.mentions(lane) && !has_acc(v) {
        return in_lanes(v.dtype());
    }
    match &**v {
        Value::Acc(d) => in_lanes(*d),
        Value::Lit(l) => in_lanes(l.dtype()),
        Value::Load { dtype, .. } => in_lanes(*dtype),
        Value::Index(_) => false,
        Value::Choose { yes, .. } => in_lanes(yes.dtype()),
        Value::Map { f, args, dtype } => {
            let (base, from) = (args[0].dtype(), operand_type(args));
            // Lanes of one type: a power of integers by floats has a form of its own for elements only.
            let mixed = *f == Scalar::Pow && base != from;
            in_lanes(*dtype)
                && in_lanes(from)
                && !mixed
                && args.iter().all(|a| vectorizes(a, lane))
                && has_vector_form(*f, from)
        }
    }
}

fn has_vector_form(f: Scalar, from: DType) -> bool {
    let float = from == DType::F32;
    match f {
        Scalar::Add | Scalar::Sub | Scalar::Mul | Scalar::Neg | Scalar::Abs | Scalar::Min | Scalar::Max => {
            from != DType::Bool
        }
        Scalar::Div
        | Scalar::Sqrt
        | Scalar::Exp
        | Scalar::Log
        | Scalar::Log1p
        | Scalar::Sin
        | Scalar::Cos
        | Scalar::Tan
        | Scalar::Asin
        | Scalar::Acos
        | Scalar::Atan
        | Scalar::Sinh
        | Scalar::Cosh
        | Scalar::Tanh
        | Scalar::Asinh
        | Scalar::Acosh
        | Scalar::Atanh
        | Scalar::Erf
        | Scalar::Sigmoid
        | Scalar::Floor
        | Scalar::Ceil
        | Scalar::Round
        | Scalar::Sign
        | Scalar::Pow
        | Scalar::RemTrunc
        | Scalar::IsNan
        | Scalar::IsInf(_) => float,
        Scalar::Eq | Scalar::And | Scalar::Or | Scalar::Xor | Scalar::Not => matches!(f, Scalar::Eq) || !float,
        Scalar::Lt | Scalar::Le => from != DType::Bool,
        Scalar::Select => true,
        Scalar::Cast(to) => in_lanes(to),
        Scalar::BitCast(to) => matches!((from, to), (DType::F32, DType::I32) | (DType::I32, DType::F32)),
        Scalar::RemFloor | Scalar::Shl | Scalar::Shr => false,
    }
}
