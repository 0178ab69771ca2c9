//! Operators on quantized tensors: back to numbers, the function, and quantized again.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::{DType, Dim, ValueId};

use super::super::LATEST;
use super::super::Row;
use super::super::activation::by_sign;
use super::super::contract::matmul_values;
use super::super::normalize::{coerced, one_axis, softmax_values};
use super::super::pool::{average_pool, global, wide_mean};
use super::super::quantize::{
    Grain, Side, centered, dequantize, dequantize_values, dynamic_values, quantize, quantize_values,
};
use super::microsoft;
use crate::lower::{Fail, Lower, Results, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    microsoft("QuantizeLinear", |l| {
        let grain = grain(l);
        quantize(l, grain)
    }),
    microsoft("DequantizeLinear", |l| {
        let grain = grain(l);
        dequantize(l, grain)
    }),
    microsoft("QLinearAdd", |l| binary(l, Scalar::Add)),
    microsoft("QLinearMul", |l| binary(l, Scalar::Mul)),
    microsoft("QLinearSigmoid", |l| unary(l, |l, x| l.map(Scalar::Sigmoid, &[x]))),
    microsoft("QLinearLeakyRelu", |l| {
        unary(l, |l, x| {
            let alpha = l.float("alpha", 0.01);
            let scaled = l.with_left(Scalar::Mul, f64::from(alpha), x)?;
            by_sign(l, x, scaled, x)
        })
    }),
    microsoft("QLinearSoftmax", |l| {
        unary(l, |l, x| {
            let axes = if l.int("opset", 13) < 13 { coerced } else { one_axis };
            let axes = axes(l, l.rank(x)?)?;
            softmax_values(l, x, &axes)
        })
    }),
    microsoft("QLinearGlobalAveragePool", |l| pooled(l, |l| global(l, wide_mean))),
    microsoft("QLinearAveragePool", |l| pooled(l, average_pool)),
    microsoft("QLinearConcat", concat),
    microsoft("QLinearWhere", choose),
    microsoft("QGemm", gemm),
    microsoft("MatMulIntegerToFloat", matmul_to_float),
    microsoft("DynamicQuantizeMatMul", dynamic_matmul),
];

fn grain(l: &Lower<'_>) -> Grain {
    if node::find(l.node, "axis").is_some() { Grain::Axis } else { Grain::Tensor }
}

/// A scale or zero point of one element, repeated to a shape.
fn everywhere(l: &mut Lower<'_>, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
    let v = l.reshape(v, &[])?;
    l.broadcast(v, shape)
}

/// The numbers that a tensor with a scale and a zero point stands for.
fn numbers(l: &mut Lower<'_>, x: ValueId, scale: ValueId, zero: Option<ValueId>) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let scale = everywhere(l, scale, &shape)?;
    let zero = zero.map(|z| everywhere(l, z, &shape)).transpose()?;
    dequantize_values(l, x, scale, zero)
}

/// Operands `i` to `i + 2` as numbers.
fn operand(l: &mut Lower<'_>, i: usize) -> Result<ValueId, Fail> {
    let (x, scale, zero) = (l.operand(i)?, l.operand(i + 1)?, l.optional(i + 2));
    numbers(l, x, scale, zero)
}

/// Numbers quantized by operands `i` (scale) and `i + 1` (zero point).
fn result(l: &mut Lower<'_>, y: ValueId, i: usize, to: DType) -> Results {
    let (scale, zero) = (l.operand(i)?, l.optional(i + 1));
    let shape = l.shape(y)?;
    let scale = everywhere(l, scale, &shape)?;
    let zero = zero.map(|z| everywhere(l, z, &shape)).transpose()?;
    Ok(vec![quantize_values(l, y, scale, zero, to)?])
}

/// Operands x, its scale and zero point, those of the result.
fn unary(l: &mut Lower<'_>, f: impl FnOnce(&mut Lower<'_>, ValueId) -> Result<ValueId, Fail>) -> Results {
    let to = l.dtype(l.operand(0)?)?;
    let x = operand(l, 0)?;
    let y = f(l, x)?;
    result(l, y, 3, to)
}

fn binary(l: &mut Lower<'_>, row: Scalar) -> Results {
    let to = l.dtype(l.operand(0)?)?;
    let (a, b) = (operand(l, 0)?, operand(l, 3)?);
    let y = l.wide(row, &[a, b])?;
    result(l, y, 6, to)
}

/// A pool; with `channels_last`, its axis 1 is the operand's last.
fn pooled(l: &mut Lower<'_>, pool: fn(&mut Lower<'_>) -> Results) -> Results {
    let last = l.flag("channels_last", false);
    unary(l, |l, x| {
        let rank = l.rank(x)?;
        let mut axes: Vec<usize> = (0..rank).collect();
        if last && rank > 2 {
            axes[1..].rotate_right(1);
        }
        let x = l.permute(x, &axes)?;
        let y = l.apply(LATEST - 1, &[Some(x)], pool)?[0];
        if last && rank > 2 {
            axes = (0..rank).collect();
            axes[1..].rotate_left(1);
        }
        l.permute(y, &axes)
    })
}

/// Operands: the result's scale and zero point, then tensor, scale and zero point of each part.
fn concat(l: &mut Lower<'_>) -> Results {
    let to = l.dtype(l.operand(1)?)?;
    if l.inputs.len() < 5 || !(l.inputs.len() - 2).is_multiple_of(3) {
        return Err(l.value("inputs", &l.inputs.len().to_string(), "2 and three per part"));
    }
    let parts = (2..l.inputs.len()).step_by(3).map(|i| operand(l, i)).collect::<Result<Vec<_>, _>>()?;
    let axis = l.axis("axis", l.int("axis", 0), l.rank(parts[0])?)?;
    let y = l.concat(axis, &parts)?;
    result(l, y, 0, to)
}

fn choose(l: &mut Lower<'_>) -> Results {
    let to = l.dtype(l.operand(1)?)?;
    let (condition, a, b) = (l.operand(0)?, operand(l, 1)?, operand(l, 4)?);
    let y = l.wide(Scalar::Select, &[condition, a, b])?;
    result(l, y, 7, to)
}

/// quantize((Σ (a − za)·(b − zb) + c) · α·sa·sb), or those numbers themselves where the result has no scale.
fn gemm(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(3)?);
    let sides = [if l.flag("transA", false) { "km" } else { "mk" }, if l.flag("transB", false) { "nk" } else { "kn" }];
    let a = centered(l, a, l.optional(2), Side::Columns)?;
    // A zero point per column of B is per row of Bᵀ.
    let b = centered(l, b, l.optional(5), if sides[1] == "nk" { Side::Rows } else { Side::Columns })?;
    let spec = Spec::plain(&sides, "mn").map_err(|e| opaque(e.to_string()))?;
    let mut y = l.contract(spec, a, b, DType::I32, DType::I32)?;
    if let Some(c) = l.optional(6) {
        y = l.wide(Scalar::Add, &[y, c])?;
    }
    let (sa, sb, alpha) = (l.operand(1)?, l.operand(4)?, l.float("alpha", 1.0));
    let mut y = scaled(l, y, sa, sb)?;
    if alpha != 1.0 {
        y = l.with(Scalar::Mul, y, f64::from(alpha))?;
    }
    match l.optional(8) {
        Some(zero) => {
            let to = l.dtype(zero)?;
            result(l, y, 7, to)
        }
        None => Ok(vec![y]),
    }
}

/// f32(y) · (sa·sb): one number for the left side, one or one per column for the right.
pub fn scaled(l: &mut Lower<'_>, y: ValueId, sa: ValueId, sb: ValueId) -> Result<ValueId, Fail> {
    let (shape, compute) = (l.shape(y)?, l.dtype(sa)?);
    let y = l.cast(y, compute)?;
    let (sa, sb) = (everywhere(l, sa, &shape)?, Side::Columns.spread(l, sb, &shape)?);
    let scale = l.map(Scalar::Mul, &[sa, sb])?;
    l.map(Scalar::Mul, &[y, scale])
}

fn plus_bias(l: &mut Lower<'_>, y: ValueId, bias: Option<ValueId>) -> Results {
    Ok(vec![match bias {
        Some(bias) => l.wide(Scalar::Add, &[y, bias])?,
        None => y,
    }])
}

/// Operands A, B, their scales, their zero points, a bias.
fn matmul_to_float(l: &mut Lower<'_>) -> Results {
    let (a, b, sa, sb) = (l.operand(0)?, l.operand(1)?, l.operand(2)?, l.operand(3)?);
    if let Some(n) = egret_ir::dim::count(&l.shape(sa)?).as_const().filter(|n| *n != 1) {
        return Err(opaque(format!("{n} scales of the left operand")));
    }
    let a = centered(l, a, l.optional(4), Side::Columns)?;
    let b = centered(l, b, l.optional(5), Side::Columns)?;
    let y = matmul_values(l, a, b, DType::I32, DType::I32)?;
    let y = scaled(l, y, sa, sb)?;
    let bias = l.optional(6);
    plus_bias(l, y, bias)
}

/// Operands A (quantized here), B, its scale, its zero point, a bias.
fn dynamic_matmul(l: &mut Lower<'_>) -> Results {
    let (a, b, sb) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let q = dynamic_values(l, a)?;
    let a = centered(l, q.values, Some(q.zero), Side::Rows)?;
    let b = centered(l, b, l.optional(3), Side::Columns)?;
    let y = matmul_values(l, a, b, DType::I32, DType::I32)?;
    let y = scaled(l, y, q.scale, sb)?;
    let bias = l.optional(4);
    plus_bias(l, y, bias)
}
