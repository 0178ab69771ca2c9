//! Elementwise operators of one operand.
//!
//! Source: ONNX operator specifications; opsets 1 to 5 carry `consumed_inputs`, which has no meaning.

use egret_ir::op::scalar::{InfSign, Scalar};

use super::{LATEST, Row, onnx};
use crate::lower::{Lower, Results};

pub const ROWS: &[Row] = &[
    onnx("Abs", 1..LATEST, |l| one(l, Scalar::Abs)),
    onnx("Acos", 7..LATEST, |l| one(l, Scalar::Acos)),
    onnx("Acosh", 9..LATEST, |l| one(l, Scalar::Acosh)),
    onnx("Asin", 7..LATEST, |l| one(l, Scalar::Asin)),
    onnx("Asinh", 9..LATEST, |l| one(l, Scalar::Asinh)),
    onnx("Atan", 7..LATEST, |l| one(l, Scalar::Atan)),
    onnx("Atanh", 9..LATEST, |l| one(l, Scalar::Atanh)),
    onnx("BitwiseNot", 18..LATEST, |l| one(l, Scalar::Not)),
    onnx("Ceil", 1..LATEST, |l| one(l, Scalar::Ceil)),
    onnx("Cos", 7..LATEST, |l| one(l, Scalar::Cos)),
    onnx("Cosh", 9..LATEST, |l| one(l, Scalar::Cosh)),
    onnx("Erf", 9..LATEST, |l| one(l, Scalar::Erf)),
    onnx("Exp", 1..LATEST, |l| one(l, Scalar::Exp)),
    onnx("Floor", 1..LATEST, |l| one(l, Scalar::Floor)),
    onnx("Identity", 1..LATEST, |l| Ok(vec![l.operand(0)?])),
    onnx("IsInf", 10..LATEST, is_inf),
    onnx("IsNaN", 9..LATEST, |l| one(l, Scalar::IsNan)),
    onnx("Log", 1..LATEST, |l| one(l, Scalar::Log)),
    onnx("Neg", 1..LATEST, |l| one(l, Scalar::Neg)),
    onnx("Not", 1..LATEST, |l| one(l, Scalar::Not)),
    onnx("Reciprocal", 1..LATEST, reciprocal),
    onnx("Round", 11..LATEST, |l| one(l, Scalar::Round)),
    onnx("Sigmoid", 1..LATEST, |l| one(l, Scalar::Sigmoid)),
    onnx("Sign", 9..LATEST, |l| one(l, Scalar::Sign)),
    onnx("Sin", 7..LATEST, |l| one(l, Scalar::Sin)),
    onnx("Sinh", 9..LATEST, |l| one(l, Scalar::Sinh)),
    onnx("Sqrt", 1..LATEST, |l| one(l, Scalar::Sqrt)),
    onnx("Tan", 7..LATEST, |l| one(l, Scalar::Tan)),
    onnx("Tanh", 1..LATEST, |l| one(l, Scalar::Tanh)),
];

fn one(l: &mut Lower<'_>, s: Scalar) -> Results {
    let x = l.operand(0)?;
    Ok(vec![l.map(s, &[x])?])
}

fn reciprocal(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    Ok(vec![l.with_left(Scalar::Div, 1.0, x)?])
}

fn is_inf(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let sign = match (l.flag("detect_positive", true), l.flag("detect_negative", true)) {
        (true, true) => InfSign::Both,
        (true, false) => InfSign::Positive,
        (false, true) => InfSign::Negative,
        (false, false) => {
            let shape = l.shape(x)?;
            return Ok(vec![l.splat(egret_ir::Literal::bool(false), &shape)?]);
        }
    };
    one(l, Scalar::IsInf(sign))
}
