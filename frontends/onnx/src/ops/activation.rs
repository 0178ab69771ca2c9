//! Activation functions, expanded into scalar rows: their parts meet the rewrite rules.
//!
//! Source: the function bodies in the ONNX specification, except Softplus, whose body ln(eˣ + 1) overflows where the
//! function does not.

use egret_ir::op::scalar::Scalar;
use egret_ir::{Literal, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque};

pub const ROWS: &[Row] = &[
    onnx("Relu", 1..LATEST, |l| with_x(l, |l, x| l.with(Scalar::Max, x, 0.0))),
    onnx("LeakyRelu", 1..6, |l| leaky_relu(l, 0.01)),
    onnx("LeakyRelu", 6..LATEST, |l| leaky_relu(l, 0.01)),
    onnx("PRelu", 1..7, prelu_per_channel),
    onnx("PRelu", 7..LATEST, prelu),
    onnx("ThresholdedRelu", 10..LATEST, thresholded_relu),
    onnx("Elu", 1..LATEST, |l| {
        with_x(l, |l, x| {
            let alpha = l.float("alpha", 1.0);
            elu(l, x, alpha, 1.0)
        })
    }),
    onnx("Selu", 1..6, |l| selu(l, 1.6732, 1.0507)),
    onnx("Selu", 6..LATEST, |l| selu(l, 1.673_263_2, 1.050_701)),
    onnx("Celu", 12..LATEST, celu),
    onnx("HardSigmoid", 1..LATEST, hard_sigmoid_node),
    onnx("HardSwish", 14..LATEST, hard_swish),
    onnx("Softsign", 1..LATEST, softsign),
    onnx("Softplus", 1..LATEST, |l| with_x(l, softplus)),
    onnx("Shrink", 9..LATEST, shrink),
    onnx("Mish", 18..LATEST, mish),
    onnx("Gelu", 20..LATEST, gelu),
    onnx("Swish", 24..LATEST, |l| {
        with_x(l, |l, x| {
            let alpha = l.float("alpha", 1.0);
            swish(l, x, alpha)
        })
    }),
    onnx("SwiGLU", 28..LATEST, swiglu),
    onnx("Dropout", 1..7, dropout_by_is_test),
    onnx("Dropout", 7..12, dropout_inference),
    onnx("Dropout", 12..LATEST, dropout),
];

fn with_x(l: &mut Lower<'_>, f: impl FnOnce(&mut Lower<'_>, ValueId) -> Result<ValueId, Fail>) -> Results {
    let x = l.operand(0)?;
    Ok(vec![f(l, x)?])
}

fn zero(l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
    let t = l.tensor(x)?;
    l.splat(Literal::from_f64(t.dtype, 0.0), &t.shape)
}

/// x < 0 ? below : above.
pub fn by_sign(l: &mut Lower<'_>, x: ValueId, below: ValueId, above: ValueId) -> Result<ValueId, Fail> {
    let zero = zero(l, x)?;
    let negative = l.map(Scalar::Lt, &[x, zero])?;
    l.map(Scalar::Select, &[negative, below, above])
}

fn leaky_relu(l: &mut Lower<'_>, default: f32) -> Results {
    let x = l.operand(0)?;
    let alpha = l.float("alpha", default);
    let scaled = l.with_left(Scalar::Mul, f64::from(alpha), x)?;
    Ok(vec![by_sign(l, x, scaled, x)?])
}

/// Before opset 7 the slope was one number, or one per channel (axis 1).
fn prelu_per_channel(l: &mut Lower<'_>) -> Results {
    let (x, slope) = (l.operand(0)?, l.operand(1)?);
    let (shape, own) = (l.shape(x)?, l.shape(slope)?);
    let slope = if egret_ir::dim::count(&own).as_const() == Some(1) {
        let scalar = l.reshape(slope, &[])?;
        l.broadcast(scalar, &shape)?
    } else if own.len() == 1 && shape.len() >= 2 && own[0] == shape[1] {
        l.spread(slope, &[1], &shape)?
    } else {
        l.broadcast(slope, &shape)?
    };
    let scaled = l.map(Scalar::Mul, &[slope, x])?;
    Ok(vec![by_sign(l, x, scaled, x)?])
}

fn prelu(l: &mut Lower<'_>) -> Results {
    let (x, slope) = (l.operand(0)?, l.operand(1)?);
    let shape = l.shape(x)?;
    let slope = l.broadcast(slope, &shape)?;
    let scaled = l.map(Scalar::Mul, &[slope, x])?;
    Ok(vec![by_sign(l, x, scaled, x)?])
}

fn thresholded_relu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let alpha = l.float("alpha", 1.0);
    let alpha = l.splat(Literal::from_f64(t.dtype, f64::from(alpha)), &t.shape)?;
    let above = l.map(Scalar::Lt, &[alpha, x])?;
    let zero = zero(l, x)?;
    Ok(vec![l.map(Scalar::Select, &[above, x, zero])?])
}

/// gain · (x < 0 ? α·(eˣ − 1) : x).
fn elu(l: &mut Lower<'_>, x: ValueId, alpha: f32, gain: f32) -> Result<ValueId, Fail> {
    let e = l.map(Scalar::Exp, &[x])?;
    let e = l.with(Scalar::Sub, e, 1.0)?;
    let below = l.with_left(Scalar::Mul, f64::from(alpha), e)?;
    let y = by_sign(l, x, below, x)?;
    if gain == 1.0 { Ok(y) } else { l.with_left(Scalar::Mul, f64::from(gain), y) }
}

fn selu(l: &mut Lower<'_>, alpha: f32, gamma: f32) -> Results {
    let x = l.operand(0)?;
    let (alpha, gamma) = (l.float("alpha", alpha), l.float("gamma", gamma));
    Ok(vec![elu(l, x, alpha, gamma)?])
}

/// α · elu(x / α) = max(0, x) + min(0, α·(e^(x/α) − 1)).
fn celu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let alpha = l.float("alpha", 1.0);
    let scaled = l.with(Scalar::Div, x, f64::from(alpha))?;
    let y = elu(l, scaled, 1.0, 1.0)?;
    Ok(vec![l.with_left(Scalar::Mul, f64::from(alpha), y)?])
}

/// max(0, min(1, α·x + β)).
pub fn hard_sigmoid(l: &mut Lower<'_>, x: ValueId, alpha: f64, beta: f64) -> Result<ValueId, Fail> {
    let y = l.with(Scalar::Mul, x, alpha)?;
    let y = l.with(Scalar::Add, y, beta)?;
    let y = l.with(Scalar::Min, y, 1.0)?;
    l.with(Scalar::Max, y, 0.0)
}

fn hard_sigmoid_node(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let (alpha, beta) = (l.float("alpha", 0.2), l.float("beta", 0.5));
    Ok(vec![hard_sigmoid(l, x, f64::from(alpha), f64::from(beta))?])
}

fn hard_swish(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let gate = hard_sigmoid(l, x, f64::from(1.0f32 / 6.0), 0.5)?;
    Ok(vec![l.map(Scalar::Mul, &[x, gate])?])
}

fn softsign(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let size = l.map(Scalar::Abs, &[x])?;
    let below = l.with_left(Scalar::Add, 1.0, size)?;
    Ok(vec![l.map(Scalar::Div, &[x, below])?])
}

/// max(x, 0) + ln(1 + e^−|x|).
fn softplus(l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
    let size = l.map(Scalar::Abs, &[x])?;
    let size = l.map(Scalar::Neg, &[size])?;
    let e = l.map(Scalar::Exp, &[size])?;
    let rest = l.map(Scalar::Log1p, &[e])?;
    let linear = l.with(Scalar::Max, x, 0.0)?;
    l.map(Scalar::Add, &[linear, rest])
}

/// x < −λ ? x + bias : x > λ ? x − bias : 0.
fn shrink(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let (lambda, bias) = (f64::from(l.float("lambd", 0.5)), f64::from(l.float("bias", 0.0)));
    if t.dtype.is_unsigned_int() {
        return Err(opaque("unsigned integers"));
    }
    let bound = |l: &mut Lower<'_>, b: f64| l.splat(Literal::from_f64(t.dtype, b), &t.shape);
    let (lo, hi) = (bound(l, -lambda)?, bound(l, lambda)?);
    let (below, above) = (l.map(Scalar::Lt, &[x, lo])?, l.map(Scalar::Lt, &[hi, x])?);
    let (raised, lowered) = (l.with(Scalar::Add, x, bias)?, l.with(Scalar::Sub, x, bias)?);
    let zero = zero(l, x)?;
    let rest = l.map(Scalar::Select, &[above, lowered, zero])?;
    Ok(vec![l.map(Scalar::Select, &[below, raised, rest])?])
}

fn mish(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let y = softplus(l, x)?;
    let y = l.map(Scalar::Tanh, &[y])?;
    Ok(vec![l.map(Scalar::Mul, &[x, y])?])
}

/// The two forms differ by up to 5e-4 and are two functions.
fn gelu(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let form = l.string("approximate", "none")?;
    let y = match form.as_str() {
        "none" => gelu_erf(l, x)?,
        "tanh" => gelu_tanh(l, x)?,
        _ => return Err(l.value("approximate", &form, "none or tanh")),
    };
    Ok(vec![y])
}

/// x/2 · (1 + erf(x/√2)).
pub fn gelu_erf(l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
    let y = l.with(Scalar::Mul, x, std::f64::consts::FRAC_1_SQRT_2)?;
    let y = l.map(Scalar::Erf, &[y])?;
    half_gated(l, x, y)
}

/// x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))).
pub fn gelu_tanh(l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
    let square = l.map(Scalar::Mul, &[x, x])?;
    let cube = l.map(Scalar::Mul, &[square, x])?;
    let cube = l.with(Scalar::Mul, cube, 0.044_715)?;
    let y = l.map(Scalar::Add, &[x, cube])?;
    let y = l.with(Scalar::Mul, y, (2.0 / std::f64::consts::PI).sqrt())?;
    let y = l.map(Scalar::Tanh, &[y])?;
    half_gated(l, x, y)
}

fn half_gated(l: &mut Lower<'_>, x: ValueId, inner: ValueId) -> Result<ValueId, Fail> {
    let gate = l.with(Scalar::Add, inner, 1.0)?;
    let half = l.with(Scalar::Mul, x, 0.5)?;
    l.map(Scalar::Mul, &[half, gate])
}

/// x · σ(α·x).
pub fn swish(l: &mut Lower<'_>, x: ValueId, alpha: f32) -> Result<ValueId, Fail> {
    let inner = if alpha == 1.0 { x } else { l.with(Scalar::Mul, x, f64::from(alpha))? };
    let gate = l.map(Scalar::Sigmoid, &[inner])?;
    l.map(Scalar::Mul, &[x, gate])
}

fn swiglu(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let alpha = l.float("alpha", 1.0);
    let gate = swish(l, a, alpha)?;
    Ok(vec![l.map(Scalar::Mul, &[gate, b])?])
}

/// In inference the operand itself, and a mask that keeps everything.
fn kept(l: &mut Lower<'_>, mask: egret_ir::DType) -> Results {
    let x = l.operand(0)?;
    let mut out = vec![x];
    if l.wants(1) {
        let shape = l.shape(x)?;
        out.push(l.splat(Literal::from_i64(mask, 1), &shape)?);
    }
    Ok(out)
}

fn dropout_by_is_test(l: &mut Lower<'_>) -> Results {
    if !l.flag("is_test", false) {
        return Err(opaque("training (is_test is 0)"));
    }
    dropout_inference(l)
}

fn dropout_inference(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let mask = if l.opset < 10 { l.dtype(x)? } else { egret_ir::DType::Bool };
    kept(l, mask)
}

fn dropout(l: &mut Lower<'_>) -> Results {
    let training = match l.optional(2) {
        None => false,
        Some(v) => match l.known(v).map(|k| k.elems) {
            Some(elems) => elems.first() != Some(&crate::known::Elem::Bool(false)),
            None => return Err(opaque("training_mode that is not known before the model runs")),
        },
    };
    let ratio = l.optional(1).and_then(|v| l.known(v)).and_then(|k| k.floats());
    if training && ratio.is_none_or(|r| r != [0.0]) {
        return Err(opaque("training"));
    }
    kept(l, egret_ir::DType::Bool)
}
