//! Elementwise operators: one row per scalar function, and the few operators that are two rows deep (Relu, Clip,
//! Reciprocal, PRelu).

use egret_ir::DType;
use egret_ir::Literal;
use egret_ir::Tensor;
use egret_ir::choice::ClassId;
use egret_ir::op::Op;
use egret_ir::op::scalar::{InfSign, Scalar};

use super::build::{Build, numpy, slots};
use super::{Attribute, Slot};
use crate::tensor;

/// The operator of a scalar function on operands of a type.
struct Row {
    op: &'static str,
    attributes: Vec<(&'static str, Attribute)>,
}

fn row(s: Scalar, dtype: DType) -> Option<Row> {
    let plain = |op| Some(Row { op, attributes: vec![] });
    let with = |op, name, value| Some(Row { op, attributes: vec![(name, value)] });
    let logical = dtype == DType::Bool;
    match s {
        Scalar::Add => plain("Add"),
        Scalar::Sub => plain("Sub"),
        Scalar::Mul => plain("Mul"),
        Scalar::Div => plain("Div"),
        Scalar::RemFloor => {
            if dtype.is_int() {
                plain("Mod")
            } else {
                None
            }
        }
        Scalar::RemTrunc => with("Mod", "fmod", Attribute::Int(1)),
        Scalar::Neg => plain("Neg"),
        Scalar::Abs => plain("Abs"),
        Scalar::Min => {
            if logical {
                plain("And")
            } else {
                plain("Min")
            }
        }
        Scalar::Max => {
            if logical {
                plain("Or")
            } else {
                plain("Max")
            }
        }
        Scalar::Pow => plain("Pow"),
        Scalar::Sqrt => plain("Sqrt"),
        Scalar::Exp => plain("Exp"),
        Scalar::Log => plain("Log"),
        Scalar::Log1p => None,
        Scalar::Sin => plain("Sin"),
        Scalar::Cos => plain("Cos"),
        Scalar::Tan => plain("Tan"),
        Scalar::Asin => plain("Asin"),
        Scalar::Acos => plain("Acos"),
        Scalar::Atan => plain("Atan"),
        Scalar::Sinh => plain("Sinh"),
        Scalar::Cosh => plain("Cosh"),
        Scalar::Tanh => plain("Tanh"),
        Scalar::Asinh => plain("Asinh"),
        Scalar::Acosh => plain("Acosh"),
        Scalar::Atanh => plain("Atanh"),
        Scalar::Erf => plain("Erf"),
        Scalar::Sigmoid => plain("Sigmoid"),
        Scalar::Floor => plain("Floor"),
        Scalar::Ceil => plain("Ceil"),
        Scalar::Round => plain("Round"),
        Scalar::Sign => plain("Sign"),
        Scalar::IsNan => plain("IsNaN"),
        Scalar::Eq => plain("Equal"),
        Scalar::Lt => plain("Less"),
        Scalar::Le => plain("LessOrEqual"),
        Scalar::And => plain(if logical { "And" } else { "BitwiseAnd" }),
        Scalar::Or => plain(if logical { "Or" } else { "BitwiseOr" }),
        Scalar::Xor => plain(if logical { "Xor" } else { "BitwiseXor" }),
        Scalar::Not => plain(if logical { "Not" } else { "BitwiseNot" }),
        Scalar::Shl => with("BitShift", "direction", Attribute::Text("LEFT".to_owned())),
        Scalar::Shr => with("BitShift", "direction", Attribute::Text("RIGHT".to_owned())),
        Scalar::Select => plain("Where"),
        Scalar::IsInf(InfSign::Both) => plain("IsInf"),
        Scalar::IsInf(InfSign::Positive) => with("IsInf", "detect_negative", Attribute::Int(0)),
        Scalar::IsInf(InfSign::Negative) => with("IsInf", "detect_positive", Attribute::Int(0)),
        Scalar::Cast(to) => with("Cast", "to", Attribute::Int(i64::from(tensor::code(to)))),
        Scalar::BitCast(to) => with("BitCast", "to", Attribute::Int(i64::from(tensor::code(to)))),
    }
}

/// Templates for a Map way of class `c`.
pub fn map(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    clamp(b, c, s, args);
    if s == Scalar::Div && b.is_splat(args[0], 1.0) {
        b.node(&[c], "Reciprocal", vec![], slots(&args[1..]));
    }
    let Some(dtype) = args.first().and_then(|a| b.dtype(*a)) else { return };
    let Some(row) = row(s, dtype) else { return };
    for operands in operands(b, c, args) {
        b.node(&[c], row.op, row.attributes.clone(), slots(&operands));
    }
}

/// Choices of operand forms that numpy broadcasting takes to the shape of `c`: the narrowest of each, else with as few
/// of them whole as needed.
fn operands(b: &mut Build<'_>, c: ClassId, args: &[ClassId]) -> Vec<Vec<ClassId>> {
    let forms: Vec<Vec<ClassId>> = args.iter().map(|a| b.narrow(*a)).collect();
    let Some(shape) = b.shape(c).map(<[_]>::to_vec) else { return vec![] };
    let fits = |b: &Build<'_>, choice: &[ClassId]| {
        let shapes: Vec<&[egret_ir::Dim]> = choice.iter().filter_map(|a| b.shape(*a)).collect();
        shapes.len() == choice.len() && numpy(&shapes).as_deref() == Some(shape.as_slice())
    };
    let mut found = Vec::new();
    // All combinations in order of how far they are from the narrowest; forms are few (at most five).
    let mut pending = vec![vec![0usize; forms.len()]];
    let mut at = 0;
    while at < pending.len() && at < 64 {
        let pick = pending[at].clone();
        at += 1;
        let choice: Vec<ClassId> = pick.iter().zip(&forms).map(|(i, f)| f[*i]).collect();
        if fits(b, &choice) {
            found.push(choice);
            if found.len() >= 3 {
                break;
            }
        }
        for k in 0..pick.len() {
            if pick[k] + 1 < forms[k].len() {
                let mut next = pick.clone();
                next[k] += 1;
                if !pending.contains(&next) {
                    pending.push(next);
                }
            }
        }
    }
    found
}

/// `max(x, 0)` as Relu; `min(max(x, lo), hi)` and, for lo ≤ hi, `max(min(x, hi), lo)` as Clip.
fn clamp(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    let (outer_is_max, inner) = match s {
        Scalar::Max => (true, Scalar::Min),
        Scalar::Min => (false, Scalar::Max),
        _ => return,
    };
    for (x, bound) in [(args[0], args[1]), (args[1], args[0])] {
        let Some(outer) = b.splat(bound) else { continue };
        if outer_is_max && outer.to_f64() == 0.0 && outer.bits() == 0 {
            b.node(&[c], "Relu", vec![], slots(&[x]));
        }
        let inners = b.ways(x, |op, args| match op {
            Op::Map(f) if *f == inner => Some([args[0], args[1]]),
            _ => None,
        });
        for [p, q] in inners {
            for (y, other) in [(p, q), (q, p)] {
                let Some(inner) = b.splat(other) else { continue };
                let (lo, hi) = if outer_is_max { (outer, inner) } else { (inner, outer) };
                let ordered = lo.to_f64() <= hi.to_f64();
                if !outer_is_max && !lo.to_f64().is_nan() && !hi.to_f64().is_nan() || ordered {
                    clip(b, c, y, lo, hi);
                }
            }
        }
    }
}

fn clip(b: &mut Build<'_>, c: ClassId, x: ClassId, lo: Literal, hi: Literal) {
    if b.opset >= 11 {
        let bound = |l| Slot::Tensor(Tensor::scalar(l));
        b.node(&[c], "Clip", vec![], vec![Slot::Class(x), bound(lo), bound(hi)]);
    } else if lo.dtype() == DType::F32 {
        let attributes =
            vec![("min", Attribute::Float(lo.to_f64() as f32)), ("max", Attribute::Float(hi.to_f64() as f32))];
        b.node(&[c], "Clip", attributes, slots(&[x]));
    }
}
