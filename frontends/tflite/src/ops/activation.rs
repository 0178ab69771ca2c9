//! Activation functions and normalizations over the last axis, expanded into scalar rows and folds.
//!
//! Source: the TFLite reference kernels.

use egret_ir::ValueId;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;

use super::elementwise::by_sign;
use super::{Row, real};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad};

pub const ROWS: &[Row] = &[
    real("RELU", (1, 1), |l| clamp(l, Some(0.0), None)),
    real("RELU6", (1, 1), |l| clamp(l, Some(0.0), Some(6.0))),
    real("RELU_N1_TO_1", (1, 1), |l| clamp(l, Some(-1.0), Some(1.0))),
    real("RELU_0_TO_1", (1, 1), |l| clamp(l, Some(0.0), Some(1.0))),
    real("LEAKY_RELU", (1, 1), leaky_relu),
    real("PRELU", (2, 2), prelu),
    real("ELU", (1, 1), elu),
    real("GELU", (1, 1), gelu),
    real("HARD_SWISH", (1, 1), hard_swish),
    real("TANH", (1, 1), |l| Ok(vec![l.b.map(Scalar::Tanh, &[l.operand(0)?])?])),
    real("LOGISTIC", (1, 1), |l| Ok(vec![l.b.map(Scalar::Sigmoid, &[l.operand(0)?])?])),
    real("SOFTMAX", (1, 1), softmax),
    real("LOG_SOFTMAX", (1, 1), log_softmax),
    real("L2_NORMALIZATION", (1, 1), l2_normalization),
    real("LOCAL_RESPONSE_NORMALIZATION", (1, 1), local_response),
];

fn clamp(l: &mut Lower<'_>, lo: Option<f64>, hi: Option<f64>) -> Results {
    let mut x = l.operand(0)?;
    if let Some(lo) = lo {
        x = l.b.with(Scalar::Max, x, lo)?;
    }
    if let Some(hi) = hi {
        x = l.b.with(Scalar::Min, x, hi)?;
    }
    Ok(vec![x])
}

fn leaky_relu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let alpha = l.table.builtin_options_as_leaky_relu_options().map_or(0.0, |o| o.alpha());
    let below = l.b.with(Scalar::Mul, x, f64::from(alpha))?;
    Ok(vec![by_sign(l, x, below)?])
}

fn prelu(l: &mut Lower<'_>) -> Results {
    let (x, slope) = (l.operand(0)?, l.operand(1)?);
    let shape = l.shape(x)?;
    let slope = l.b.broadcast(slope, &shape)?;
    let below = l.b.map(Scalar::Mul, &[x, slope])?;
    Ok(vec![by_sign(l, x, below)?])
}

fn elu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let e = l.b.map(Scalar::Exp, &[x])?;
    let below = l.b.with(Scalar::Sub, e, 1.0)?;
    Ok(vec![by_sign(l, x, below)?])
}

/// x/2 · (1 + erf(x/√2)), or with tanh in its place.
fn gelu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let approximate = l.table.builtin_options_as_gelu_options().is_some_and(|o| o.approximate());
    let inner = if approximate {
        let square = l.b.map(Scalar::Mul, &[x, x])?;
        let cube = l.b.map(Scalar::Mul, &[square, x])?;
        let cube = l.b.with(Scalar::Mul, cube, 0.044_715)?;
        let y = l.b.map(Scalar::Add, &[x, cube])?;
        let y = l.b.with(Scalar::Mul, y, (2.0 / std::f64::consts::PI).sqrt())?;
        l.b.map(Scalar::Tanh, &[y])?
    } else {
        let y = l.b.with(Scalar::Mul, x, std::f64::consts::FRAC_1_SQRT_2)?;
        l.b.map(Scalar::Erf, &[y])?
    };
    let gate = l.b.with(Scalar::Add, inner, 1.0)?;
    let half = l.b.with(Scalar::Mul, x, 0.5)?;
    Ok(vec![l.b.map(Scalar::Mul, &[half, gate])?])
}

/// x · clamp(x + 3, 0, 6) / 6.
fn hard_swish(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let gate = l.b.with(Scalar::Add, x, 3.0)?;
    let gate = l.b.with(Scalar::Max, gate, 0.0)?;
    let gate = l.b.with(Scalar::Min, gate, 6.0)?;
    let y = l.b.map(Scalar::Mul, &[x, gate])?;
    Ok(vec![l.b.with(Scalar::Div, y, 6.0)?])
}

/// The last axis, and a fold over it repeated along it again.
fn last(l: &mut Lower<'_>, x: ValueId) -> Result<usize, Fail> {
    let rank = l.b.rank(x)?;
    rank.checked_sub(1).ok_or_else(|| bad("input 0", ProblemKind::Rank { got: rank, expected: "1 or more".into() }))
}

fn folded(l: &mut Lower<'_>, monoid: Monoid, x: ValueId, axis: usize) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let y = l.b.fold(monoid, x, &[axis])?;
    let others: Vec<usize> = (0..shape.len()).filter(|i| *i != axis).collect();
    Ok(l.b.spread(y, &others, &shape)?)
}

/// exp(β·(x − max x)) / Σ.
fn softmax(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let beta = l.table.builtin_options_as_softmax_options().map_or(1.0, |o| o.beta());
    let axis = last(l, x)?;
    let most = folded(l, Monoid::Max, x, axis)?;
    let mut d = l.b.map(Scalar::Sub, &[x, most])?;
    if beta != 1.0 {
        d = l.b.with(Scalar::Mul, d, f64::from(beta))?;
    }
    let e = l.b.map(Scalar::Exp, &[d])?;
    let sum = folded(l, Monoid::Sum, e, axis)?;
    Ok(vec![l.b.map(Scalar::Div, &[e, sum])?])
}

fn log_softmax(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let axis = last(l, x)?;
    let most = folded(l, Monoid::Max, x, axis)?;
    let d = l.b.map(Scalar::Sub, &[x, most])?;
    let e = l.b.map(Scalar::Exp, &[d])?;
    let sum = folded(l, Monoid::Sum, e, axis)?;
    let log = l.b.map(Scalar::Log, &[sum])?;
    Ok(vec![l.b.map(Scalar::Sub, &[d, log])?])
}

/// x / max(‖x‖, 10⁻⁶). The fused activation is ignored, as the schema says.
fn l2_normalization(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let axis = last(l, x)?;
    let square = l.b.map(Scalar::Mul, &[x, x])?;
    let sum = folded(l, Monoid::Sum, square, axis)?;
    let norm = l.b.map(Scalar::Sqrt, &[sum])?;
    let norm = l.b.with(Scalar::Max, norm, 1e-6)?;
    Ok(vec![l.b.map(Scalar::Div, &[x, norm])?])
}

/// x / (bias + α·Σx²)^β over a window of channels `radius` to both sides.
fn local_response(l: &mut Lower<'_>) -> Results {
    use egret_ir::op::spec::{Ix, Label, Spec, Window};
    let x = l.operand(0)?;
    let Some(o) = l.table.builtin_options_as_local_response_normalization_options() else {
        return Err(bad("options", ProblemKind::Missing { part: "options" }));
    };
    let (radius, bias, alpha, beta) = (i64::from(o.radius()), o.bias(), o.alpha(), o.beta());
    if !(0..=1 << 16).contains(&radius) {
        return Err(crate::lower::bad_value("radius", radius, "a number from 0 on"));
    }
    let axis = last(l, x)?;
    let shape = l.shape(x)?;
    let label = |i: usize| Label(i as u8);
    let (out, tap) = (label(axis), label(shape.len()));
    let window = Window { out, tap, stride: 1, dil: 1, lo: radius, in_dil: 1 };
    let axes = (0..shape.len()).map(|i| if i == axis { Ix::Window(window) } else { Ix::Label(label(i)) }).collect();
    let ext = [(out, shape[axis].clone()), (tap, egret_ir::Dim::from(2 * radius + 1))];
    let spec = Spec::new(&[axes], &(0..shape.len()).map(label).collect::<Vec<_>>(), &ext)?;
    let square = l.b.map(Scalar::Mul, &[x, x])?;
    let sum = l.b.reduce(Monoid::Sum, spec, square)?;
    let scaled = l.b.with(Scalar::Mul, sum, f64::from(alpha))?;
    let scaled = l.b.with(Scalar::Add, scaled, f64::from(bias))?;
    let power = l.b.with(Scalar::Pow, scaled, f64::from(beta))?;
    Ok(vec![l.b.map(Scalar::Div, &[x, power])?])
}
