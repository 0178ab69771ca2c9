//! Conversions of element types.

use egret_ir::DType;
use egret_ir::op::scalar::Scalar;

use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque};
use crate::tensor;

pub const ROWS: &[Row] = &[
    onnx("Cast", 1..6, cast_by_name),
    onnx("Cast", 6..LATEST, cast),
    onnx("CastLike", 15..LATEST, cast_like),
    onnx("BitCast", 26..LATEST, bit_cast),
];

/// The element type an integer attribute names.
pub fn dtype_attribute(l: &Lower<'_>, name: &str) -> Result<DType, Fail> {
    dtype_code(name, l.int(name, 0))
}

/// The element type of a code.
pub fn dtype_code(name: &str, code: i64) -> Result<DType, Fail> {
    tensor::dtype(i32::try_from(code).unwrap_or(-1)).map_err(|kind| match kind {
        ProblemKind::UnsupportedDtype { dtype } => opaque(format!("conversion to {dtype}")),
        kind => bad(name, kind),
    })
}

/// Opsets 1 to 5 named the type by a string such as `FLOAT`.
fn cast_by_name(l: &mut Lower<'_>) -> Results {
    let name = l.string("to", "")?;
    let code = crate::proto::tensor_proto::DataType::from_str_name(&name.to_uppercase());
    let Some(code) = code else { return Err(l.value("to", &name, "the name of an element type")) };
    let to = dtype_code("to", code as i64)?;
    let x = l.operand(0)?;
    Ok(vec![l.cast(x, to)?])
}

fn cast(l: &mut Lower<'_>) -> Results {
    let to = dtype_attribute(l, "to")?;
    let x = l.operand(0)?;
    Ok(vec![l.cast(x, to)?])
}

fn cast_like(l: &mut Lower<'_>) -> Results {
    let (x, like) = (l.operand(0)?, l.operand(1)?);
    let to = l.dtype(like)?;
    Ok(vec![l.cast(x, to)?])
}

fn bit_cast(l: &mut Lower<'_>) -> Results {
    let to = dtype_attribute(l, "to")?;
    let x = l.operand(0)?;
    let from = l.dtype(x)?;
    if from == to {
        return Ok(vec![x]);
    }
    if from.size() != to.size() {
        return Err(opaque("a bit cast between widths"));
    }
    Ok(vec![l.map(Scalar::BitCast(to), &[x])?])
}
