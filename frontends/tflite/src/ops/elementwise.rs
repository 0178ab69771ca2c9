//! Elementwise operators: arithmetic, comparisons, logic, choice.
//!
//! Source: the TFLite reference kernels. Integer division truncates, FLOOR_DIV and FLOOR_MOD go with the floor, ROUND
//! takes ties to even.

use egret_ir::ValueId;
use egret_ir::op::scalar::Scalar;

use super::{Row, SOME, real};
use crate::lower::{Fail, Lower, Results};
use crate::schema::tflite::ActivationFunctionType;

pub const ROWS: &[Row] = &[
    real("ADD", (2, 2), |l| {
        let f = l.table.builtin_options_as_add_options().map(|o| o.fused_activation_function());
        arithmetic(l, Scalar::Add, f)
    }),
    real("SUB", (2, 2), |l| {
        let f = l.table.builtin_options_as_sub_options().map(|o| o.fused_activation_function());
        arithmetic(l, Scalar::Sub, f)
    }),
    real("MUL", (2, 2), |l| {
        let f = l.table.builtin_options_as_mul_options().map(|o| o.fused_activation_function());
        arithmetic(l, Scalar::Mul, f)
    }),
    real("DIV", (2, 2), |l| {
        let f = l.table.builtin_options_as_div_options().map(|o| o.fused_activation_function());
        arithmetic(l, Scalar::Div, f)
    }),
    real("ADD_N", SOME, add_n),
    real("MAXIMUM", (2, 2), |l| wide(l, Scalar::Max)),
    real("MINIMUM", (2, 2), |l| wide(l, Scalar::Min)),
    real("POW", (2, 2), |l| wide(l, Scalar::Pow)),
    real("FLOOR_DIV", (2, 2), floor_div),
    real("FLOOR_MOD", (2, 2), floor_mod),
    real("SQUARED_DIFFERENCE", (2, 2), |l| {
        let d = l.b.wide(Scalar::Sub, &[l.operand(0)?, l.operand(1)?])?;
        Ok(vec![l.b.map(Scalar::Mul, &[d, d])?])
    }),
    real("ABS", (1, 1), |l| one(l, Scalar::Abs)),
    real("CEIL", (1, 1), |l| one(l, Scalar::Ceil)),
    real("COS", (1, 1), |l| one(l, Scalar::Cos)),
    real("EXP", (1, 1), |l| one(l, Scalar::Exp)),
    real("FLOOR", (1, 1), |l| one(l, Scalar::Floor)),
    real("LOG", (1, 1), |l| one(l, Scalar::Log)),
    real("NEG", (1, 1), |l| one(l, Scalar::Neg)),
    real("ROUND", (1, 1), |l| one(l, Scalar::Round)),
    real("RSQRT", (1, 1), |l| {
        let root = l.b.map(Scalar::Sqrt, &[l.operand(0)?])?;
        Ok(vec![l.b.with_left(Scalar::Div, 1.0, root)?])
    }),
    real("SIGN", (1, 1), |l| one(l, Scalar::Sign)),
    real("SIN", (1, 1), |l| one(l, Scalar::Sin)),
    real("SQRT", (1, 1), |l| one(l, Scalar::Sqrt)),
    real("SQUARE", (1, 1), |l| {
        let x = l.operand(0)?;
        Ok(vec![l.b.map(Scalar::Mul, &[x, x])?])
    }),
    real("EQUAL", (2, 2), |l| wide(l, Scalar::Eq)),
    real("NOT_EQUAL", (2, 2), |l| {
        let same = l.b.wide(Scalar::Eq, &[l.operand(0)?, l.operand(1)?])?;
        Ok(vec![l.b.map(Scalar::Not, &[same])?])
    }),
    real("LESS", (2, 2), |l| wide(l, Scalar::Lt)),
    real("LESS_EQUAL", (2, 2), |l| wide(l, Scalar::Le)),
    real("GREATER", (2, 2), |l| Ok(vec![l.b.wide(Scalar::Lt, &[l.operand(1)?, l.operand(0)?])?])),
    real("GREATER_EQUAL", (2, 2), |l| Ok(vec![l.b.wide(Scalar::Le, &[l.operand(1)?, l.operand(0)?])?])),
    real("LOGICAL_AND", (2, 2), |l| wide(l, Scalar::And)),
    real("LOGICAL_OR", (2, 2), |l| wide(l, Scalar::Or)),
    real("LOGICAL_NOT", (1, 1), |l| one(l, Scalar::Not)),
    real("BITWISE_XOR", (2, 2), |l| wide(l, Scalar::Xor)),
    real("SELECT", (3, 3), select),
    real("SELECT_V2", (3, 3), |l| {
        let args = l.all()?;
        Ok(vec![l.b.wide(Scalar::Select, &args)?])
    }),
];

fn one(l: &mut Lower<'_>, s: Scalar) -> Results {
    Ok(vec![l.b.map(s, &[l.operand(0)?])?])
}

fn wide(l: &mut Lower<'_>, s: Scalar) -> Results {
    let args = l.all()?;
    Ok(vec![l.b.wide(s, &args)?])
}

fn arithmetic(l: &mut Lower<'_>, s: Scalar, f: Option<ActivationFunctionType>) -> Results {
    let y = wide(l, s)?[0];
    Ok(vec![l.activated(y, f.unwrap_or_default())?])
}

fn add_n(l: &mut Lower<'_>) -> Results {
    let mut args = l.all()?.into_iter();
    let first = args.next().map_or_else(|| l.operand(0), Ok)?;
    Ok(vec![args.try_fold(first, |sum, v| l.b.map(Scalar::Add, &[sum, v]))?])
}

/// ⌊x / y⌋; of integers as (x − x mod y) / y, which divides.
fn floor_div(l: &mut Lower<'_>) -> Results {
    let args = [l.operand(0)?, l.operand(1)?];
    let args = l.b.broadcast_all(&args)?;
    let (x, y) = (args[0], args[1]);
    if l.b.dtype(x)?.is_float() {
        let q = l.b.map(Scalar::Div, &[x, y])?;
        return Ok(vec![l.b.map(Scalar::Floor, &[q])?]);
    }
    let rest = l.b.map(Scalar::RemFloor, &[x, y])?;
    let whole = l.b.map(Scalar::Sub, &[x, rest])?;
    Ok(vec![l.b.map(Scalar::Div, &[whole, y])?])
}

/// x − ⌊x / y⌋·y; of floats as the kernel has it: C's fmod, and y added where that is not 0 and has another sign than y.
fn floor_mod(l: &mut Lower<'_>) -> Results {
    let args = [l.operand(0)?, l.operand(1)?];
    let args = l.b.broadcast_all(&args)?;
    let (x, y) = (args[0], args[1]);
    if !l.b.dtype(x)?.is_float() {
        return Ok(vec![l.b.map(Scalar::RemFloor, &[x, y])?]);
    }
    let rest = l.b.map(Scalar::RemTrunc, &[x, y])?;
    let t = l.b.tensor(rest)?.clone();
    let zero = l.b.splat(egret_ir::Literal::from_f64(t.dtype, 0.0), &t.shape)?;
    let none = l.b.map(Scalar::Eq, &[rest, zero])?;
    let signs = [l.b.map(Scalar::Lt, &[rest, zero])?, l.b.map(Scalar::Lt, &[y, zero])?];
    let same = l.b.map(Scalar::Eq, &signs)?;
    let keep = l.b.map(Scalar::Or, &[none, same])?;
    let moved = l.b.map(Scalar::Add, &[rest, y])?;
    Ok(vec![l.b.map(Scalar::Select, &[keep, rest, moved])?])
}

/// The condition has the operands' shape, or one element, or one per slice along the first axis.
fn select(l: &mut Lower<'_>) -> Results {
    let (c, x, y) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let (own, shape) = (l.shape(c)?, l.shape(x)?);
    let c = if own.len() == 1 && shape.len() > 1 && own[0] == shape[0] {
        l.b.spread(c, &[0], &shape)?
    } else if egret_ir::dim::count(&own).as_const() == Some(1) {
        let scalar = l.b.reshape(c, &[])?;
        l.b.broadcast(scalar, &shape)?
    } else {
        c
    };
    Ok(vec![l.b.map(Scalar::Select, &[c, x, y])?])
}

/// x < 0 ? below : x.
pub fn by_sign(l: &mut Lower<'_>, x: ValueId, below: ValueId) -> Result<ValueId, Fail> {
    let t = l.b.tensor(x)?.clone();
    let zero = l.b.splat(egret_ir::Literal::from_f64(t.dtype, 0.0), &t.shape)?;
    let negative = l.b.map(Scalar::Lt, &[x, zero])?;
    Ok(l.b.map(Scalar::Select, &[negative, below, x])?)
}
