//! CausalConvWithState: a depthwise convolution over the past and the present, and the end of both as the next past.
//!
//! Source: the ONNX specification (opset 27).

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Lower, Results, accumulator, opaque};

pub const ROWS: &[Row] = &[onnx("CausalConvWithState", 27..LATEST, causal_conv)];

/// Operands input `[B,C,L]`, weight `[C,1,k]`, bias `[C]`, past_state `[B,C,k−1]`; results output and present_state.
pub fn causal_conv(l: &mut Lower<'_>) -> Results {
    let (x, weight) = (l.operand(0)?, l.operand(1)?);
    let (t, own) = (l.tensor(x)?, l.shape(weight)?);
    let ([batch, channels, length], [_, _, taps]) = (t.shape.as_slice(), own.as_slice()) else {
        return Err(l.misfit("inputs", &own, &t.shape));
    };
    let Some(k) = taps.as_const().filter(|k| *k >= 1) else { return Err(opaque("an unknown kernel size")) };
    let before = Dim::from(k - 1);
    let past = match l.optional(3) {
        Some(past) => past,
        None => l.splat(Literal::from_f64(t.dtype, 0.0), &[batch.clone(), channels.clone(), before.clone()])?,
    };
    let whole = if k == 1 { x } else { l.concat(2, &[past, x])? };
    let weight = l.reshape(weight, &[channels.clone(), taps.clone()])?;
    let [b, c, at, tap] = [0, 1, 2, 3].map(Label);
    let window = Window { out: at, tap, stride: 1, dil: 1, lo: 0, in_dil: 1 };
    let axes = [vec![Ix::Label(b), Ix::Label(c), Ix::Window(window)], vec![Ix::Label(c), Ix::Label(tap)]];
    let spec = Spec::new(&axes, &[b, c, at], &[(at, length.clone()), (tap, taps.clone())]);
    let spec = spec.map_err(|e| opaque(e.to_string()))?;
    let mut y = l.contract(spec, whole, weight, accumulator(t.dtype), t.dtype)?;
    if let Some(bias) = l.optional(2) {
        let bias = l.spread(bias, &[1], &t.shape)?;
        y = l.map(Scalar::Add, &[y, bias])?;
    }
    let form = l.string("activation", "none")?;
    y = match form.as_str() {
        "none" => y,
        "silu" | "swish" => {
            let wide: ValueId = l.cast(y, DType::F32)?;
            let gate = l.map(Scalar::Sigmoid, &[wide])?;
            let wide = l.map(Scalar::Mul, &[wide, gate])?;
            l.cast(wide, t.dtype)?
        }
        _ => return Err(l.value("activation", &form, "none, silu or swish")),
    };
    let present = l.slice_axis(whole, 2, length.clone(), before)?;
    Ok(vec![y, present])
}
