//! Elementwise operators of two and more operands.
//!
//! Broadcasting is explicit in the graph. Before opset 7 the second operand was lined up with the first one's axes from
//! `axis` on, where `broadcast` was set.

use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results};

pub const ROWS: &[Row] = &[
    onnx("Add", 1..7, |l| aligned(l, Scalar::Add)),
    onnx("Add", 7..LATEST, |l| two(l, Scalar::Add)),
    onnx("Sub", 1..7, |l| aligned(l, Scalar::Sub)),
    onnx("Sub", 7..LATEST, |l| two(l, Scalar::Sub)),
    onnx("Mul", 1..7, |l| aligned(l, Scalar::Mul)),
    onnx("Mul", 7..LATEST, |l| two(l, Scalar::Mul)),
    onnx("Div", 1..7, |l| aligned(l, Scalar::Div)),
    onnx("Div", 7..LATEST, |l| two(l, Scalar::Div)),
    onnx("Pow", 1..7, |l| aligned(l, Scalar::Pow)),
    onnx("Pow", 7..LATEST, |l| two(l, Scalar::Pow)),
    onnx("And", 1..7, |l| aligned(l, Scalar::And)),
    onnx("And", 7..LATEST, |l| two(l, Scalar::And)),
    onnx("Or", 1..7, |l| aligned(l, Scalar::Or)),
    onnx("Or", 7..LATEST, |l| two(l, Scalar::Or)),
    onnx("Xor", 1..7, |l| aligned(l, Scalar::Xor)),
    onnx("Xor", 7..LATEST, |l| two(l, Scalar::Xor)),
    onnx("Equal", 1..7, |l| aligned(l, Scalar::Eq)),
    onnx("Equal", 7..LATEST, |l| two(l, Scalar::Eq)),
    onnx("Less", 1..7, |l| aligned(l, Scalar::Lt)),
    onnx("Less", 7..LATEST, |l| two(l, Scalar::Lt)),
    onnx("Greater", 1..7, |l| aligned_swapped(l, Scalar::Lt)),
    onnx("Greater", 7..LATEST, |l| swapped(l, Scalar::Lt)),
    onnx("LessOrEqual", 12..LATEST, |l| two(l, Scalar::Le)),
    onnx("GreaterOrEqual", 12..LATEST, |l| swapped(l, Scalar::Le)),
    onnx("BitwiseAnd", 18..LATEST, |l| two(l, Scalar::And)),
    onnx("BitwiseOr", 18..LATEST, |l| two(l, Scalar::Or)),
    onnx("BitwiseXor", 18..LATEST, |l| two(l, Scalar::Xor)),
    onnx("BitShift", 11..LATEST, shift),
    onnx("Mod", 10..LATEST, modulo),
    onnx("Where", 9..LATEST, choose),
    onnx("Max", 1..LATEST, |l| fold(l, Scalar::Max)),
    onnx("Min", 1..LATEST, |l| fold(l, Scalar::Min)),
    onnx("Sum", 1..LATEST, |l| fold(l, Scalar::Add)),
    onnx("Mean", 1..LATEST, mean),
    onnx("Clip", 1..11, clip_by_attributes),
    onnx("Clip", 11..LATEST, clip),
];

fn two(l: &mut Lower<'_>, s: Scalar) -> Results {
    let args = [l.operand(0)?, l.operand(1)?];
    Ok(vec![l.wide(s, &args)?])
}

fn swapped(l: &mut Lower<'_>, s: Scalar) -> Results {
    let args = [l.operand(1)?, l.operand(0)?];
    Ok(vec![l.wide(s, &args)?])
}

fn aligned(l: &mut Lower<'_>, s: Scalar) -> Results {
    let args = lined_up(l)?;
    Ok(vec![l.wide(s, &args)?])
}

fn aligned_swapped(l: &mut Lower<'_>, s: Scalar) -> Results {
    let [a, b] = lined_up(l)?;
    Ok(vec![l.wide(s, &[b, a])?])
}

/// The operands under the rule of opsets 1 to 6: B's axes are those of A from `axis` on (by default its last ones).
fn lined_up(l: &mut Lower<'_>) -> Result<[ValueId; 2], Fail> {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let (whole, mut own) = (l.shape(a)?, l.shape(b)?);
    if !l.flag("broadcast", false) {
        return if whole == own { Ok([a, b]) } else { Err(l.misfit("input 1", &own, &whole)) };
    }
    if l.ints("axis").is_none() && crate::node::find(l.node, "axis").is_none() {
        return Ok([a, b]);
    }
    let axis = l.axis("axis", l.int("axis", 0), whole.len())?;
    if axis + own.len() > whole.len() {
        return Err(l.misfit("input 1", &own, &whole[axis..]));
    }
    own.resize(whole.len() - axis, Dim::ONE);
    let b = l.reshape(b, &own)?;
    Ok([a, b])
}

fn shift(l: &mut Lower<'_>) -> Results {
    let direction = l.string("direction", "")?;
    match direction.as_str() {
        "LEFT" => two(l, Scalar::Shl),
        "RIGHT" => two(l, Scalar::Shr),
        _ => Err(l.value("direction", &direction, "LEFT or RIGHT")),
    }
}

fn modulo(l: &mut Lower<'_>) -> Results {
    let row = if l.flag("fmod", false) { Scalar::RemTrunc } else { Scalar::RemFloor };
    two(l, row)
}

fn choose(l: &mut Lower<'_>) -> Results {
    let args = l.operands()?;
    Ok(vec![l.wide(Scalar::Select, &args)?])
}

/// A left fold; of one operand, the operand.
fn fold(l: &mut Lower<'_>, s: Scalar) -> Results {
    let args = l.operands()?;
    let Some((first, rest)) = args.split_first() else { return Err(l.value("inputs", "none", "one at least")) };
    let mut total = *first;
    for v in rest {
        total = l.wide(s, &[total, *v])?;
    }
    Ok(vec![total])
}

fn mean(l: &mut Lower<'_>) -> Results {
    let sum = fold(l, Scalar::Add)?[0];
    Ok(vec![l.with(Scalar::Div, sum, l.inputs.len() as f64)?])
}

/// The bounds of opset 1 to 10 have defaults: the greatest finite floats, which clip infinities.
fn clip_by_attributes(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let (lo, hi) = (l.float("min", f32::MIN), l.float("max", f32::MAX));
    let at_least = l.with(Scalar::Max, x, f64::from(lo))?;
    Ok(vec![l.with(Scalar::Min, at_least, f64::from(hi))?])
}

fn clip(l: &mut Lower<'_>) -> Results {
    let mut x = l.operand(0)?;
    let shape = l.shape(x)?;
    for (i, row) in [(1, Scalar::Max), (2, Scalar::Min)] {
        if let Some(bound) = l.optional(i) {
            let bound = l.reshape(bound, &[])?;
            let bound = l.broadcast(bound, &shape)?;
            x = l.map(row, &[x, bound])?;
        }
    }
    Ok(vec![x])
}

/// The least and greatest number of a type.
pub fn limits(dtype: DType) -> (Literal, Literal) {
    let (lo, hi) = match dtype {
        DType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        DType::I64 => (i64::MIN, i64::MAX),
        DType::U8 => (0, i64::from(u8::MAX)),
        DType::U16 => (0, i64::from(u16::MAX)),
        DType::U32 => (0, i64::from(u32::MAX)),
        DType::U64 => (0, -1),
        DType::Bool => (0, 1),
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => {
            return (Literal::from_f64(dtype, f64::NEG_INFINITY), Literal::from_f64(dtype, f64::INFINITY));
        }
    };
    (Literal::from_i64(dtype, lo), Literal::from_i64(dtype, hi))
}
