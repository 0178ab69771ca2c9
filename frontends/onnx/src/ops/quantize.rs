//! QuantizeLinear and its relatives, as scalar rows.
//!
//! quantize is `cast(clamp(round(x / s) + zp))`: the zero point is added after rounding. dequantize subtracts after
//! widening. The axis of per-channel scales becomes a Broadcast, so it cannot get lost by a later Reshape.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, ValueId};

use super::binary::limits;
use super::cast::dtype_code;
use super::contract::matmul_values;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator, opaque};

pub const ROWS: &[Row] = &[
    onnx("QuantizeLinear", 10..13, |l| quantize(l, Grain::Tensor)),
    onnx("QuantizeLinear", 13..21, |l| quantize(l, Grain::Axis)),
    onnx("QuantizeLinear", 21..LATEST, |l| quantize(l, Grain::Block)),
    onnx("DequantizeLinear", 10..13, |l| dequantize(l, Grain::Tensor)),
    onnx("DequantizeLinear", 13..21, |l| dequantize(l, Grain::Axis)),
    onnx("DequantizeLinear", 21..LATEST, |l| dequantize(l, Grain::Block)),
    onnx("DynamicQuantizeLinear", 11..LATEST, dynamic_quantize),
    onnx("MatMulInteger", 10..LATEST, matmul_integer),
    onnx("QLinearMatMul", 10..LATEST, qlinear_matmul),
];

/// What a scale belongs to, at most, by opset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// The tensor.
    Tensor,
    /// A cell of an axis.
    Axis,
    /// A block of cells of an axis.
    Block,
}

/// A scale or zero point repeated to the shape of the data.
fn spread(l: &mut Lower<'_>, v: ValueId, shape: &[Dim], grain: Grain) -> Result<ValueId, Fail> {
    let own = l.shape(v)?;
    if own.is_empty()
        || (own.len() == 1
            && own[0] == Dim::ONE
            && (grain == Grain::Tensor || shape.len() != 1 || shape[0] != Dim::ONE))
    {
        let scalar = l.reshape(v, &[])?;
        return l.broadcast(scalar, shape);
    }
    if grain == Grain::Tensor {
        return Err(l.misfit("input 1", &own, &[]));
    }
    // Data of one axis: whatever `axis` says (exporters leave its default of 1, and runtimes do not look).
    if own.len() == 1 && own == shape {
        return Ok(v);
    }
    let axis = l.axis("axis", l.int("axis", 1), shape.len())?;
    let block = if grain == Grain::Block { l.int("block_size", 0) } else { 0 };
    if block == 0 {
        if own.len() != 1 || own[0] != shape[axis] {
            return Err(l.misfit("input 1", &own, &shape[axis..=axis]));
        }
        return l.spread(v, &[axis], shape);
    }
    let fits = block > 0 && own.len() == shape.len() && (0..own.len()).all(|i| i == axis || own[i] == shape[i]);
    if !fits {
        return Err(l.misfit("input 1", &own, shape));
    }
    // Blocks of `block` cells along the axis share a scale; the last block may be short.
    let wide = l.insert(v, vec![(axis + 1, Dim::from(block))])?;
    let mut merged = own;
    merged[axis] = merged[axis].clone() * Dim::from(block);
    let wide = l.reshape(wide, &merged)?;
    if merged[axis] == shape[axis] { Ok(wide) } else { l.slice_axis(wide, axis, Dim::ZERO, shape[axis].clone()) }
}

/// QuantizeLinear.
pub fn quantize(l: &mut Lower<'_>, grain: Grain) -> Results {
    let (x, scale) = (l.operand(0)?, l.operand(1)?);
    let zero = l.optional(2);
    let to = match (zero, l.int("output_dtype", 0)) {
        (Some(zero), _) => l.dtype(zero)?,
        (None, 0) => DType::U8,
        (None, code) => dtype_code("output_dtype", code)?,
    };
    if !to.is_int() {
        return Err(opaque(format!("quantization to {to}")));
    }
    let shape = l.shape(x)?;
    let compute = match l.int("precision", 0) {
        0 => l.dtype(scale)?,
        code => dtype_code("precision", code)?,
    };
    let (x, scale) = (l.cast(x, compute)?, l.cast(scale, compute)?);
    let scale = spread(l, scale, &shape, grain)?;
    let zero = zero.map(|z| spread(l, z, &shape, grain)).transpose()?;
    Ok(vec![quantize_values(l, x, scale, zero, to)?])
}

/// `cast(clamp(round(x / scale) + zero))`, all of one shape, divided in the type of x; what follows is whole numbers,
/// which narrow floats may not hold.
pub fn quantize_values(
    l: &mut Lower<'_>,
    x: ValueId,
    scale: ValueId,
    zero: Option<ValueId>,
    to: DType,
) -> Result<ValueId, Fail> {
    let compute = accumulator(l.dtype(x)?);
    let y = l.map(Scalar::Div, &[x, scale])?;
    let y = l.map(Scalar::Round, &[y])?;
    let mut y = l.cast(y, compute)?;
    if let Some(zero) = zero {
        let zero = l.cast(zero, compute)?;
        y = l.map(Scalar::Add, &[y, zero])?;
    }
    let (lo, hi) = limits(to);
    let y = l.with(Scalar::Max, y, lo.to_f64())?;
    let y = l.with(Scalar::Min, y, hi.to_f64())?;
    l.cast(y, to)
}

/// DequantizeLinear.
pub fn dequantize(l: &mut Lower<'_>, grain: Grain) -> Results {
    let (x, scale) = (l.operand(0)?, l.operand(1)?);
    let shape = l.shape(x)?;
    let compute = l.dtype(scale)?;
    let to = match l.int("output_dtype", 0) {
        0 => compute,
        code => dtype_code("output_dtype", code)?,
    };
    let scale = spread(l, scale, &shape, grain)?;
    let zero = l.optional(2).map(|z| spread(l, z, &shape, grain)).transpose()?;
    let y = dequantize_values(l, x, scale, zero)?;
    Ok(vec![l.cast(y, to)?])
}

/// `(i32(x) − i32(zero)) · scale`, all of one shape; without a zero point the conversion is direct.
pub fn dequantize_values(
    l: &mut Lower<'_>,
    x: ValueId,
    scale: ValueId,
    zero: Option<ValueId>,
) -> Result<ValueId, Fail> {
    if l.dtype(x)?.is_float() {
        return Err(opaque("8-bit floats"));
    }
    let small = l.dtype(x)?.size() == 1;
    let mut x = x;
    if let Some(zero) = zero {
        let (a, b) = (l.cast(x, DType::I32)?, l.cast(zero, DType::I32)?);
        x = l.map(Scalar::Sub, &[a, b])?;
    }
    // A number of up to 8 bits is exact in every float type; of more, only after the product.
    let narrow = l.dtype(scale)?;
    let compute = if small { narrow } else { accumulator(narrow) };
    let (x, scale) = (l.cast(x, compute)?, l.cast(scale, compute)?);
    let y = l.map(Scalar::Mul, &[x, scale])?;
    l.cast(y, narrow)
}

fn dynamic_quantize(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let q = dynamic_values(l, x)?;
    Ok(vec![q.values, q.scale, q.zero])
}

/// A tensor in 8 bits with a scale and a zero point for all of it.
pub struct Quantized {
    /// u8.
    pub values: ValueId,
    /// Rank 0.
    pub scale: ValueId,
    /// Rank 0, u8.
    pub zero: ValueId,
}

/// Scale (max(x,0) − min(x,0)) / 255 and zero point −min(x,0) / scale. The standard's body divides 0 by 0 where all is
/// zero; the scale is 1 there, as in ONNX Runtime.
pub fn dynamic_values(l: &mut Lower<'_>, x: ValueId) -> Result<Quantized, Fail> {
    let t = l.tensor(x)?;
    let axes: Vec<usize> = (0..t.rank()).collect();
    let hi = l.fold(Monoid::Max, x, &axes, t.dtype)?;
    let hi = l.with(Scalar::Max, hi, 0.0)?;
    let lo = l.fold(Monoid::Min, x, &axes, t.dtype)?;
    let lo = l.with(Scalar::Min, lo, 0.0)?;
    let span = l.map(Scalar::Sub, &[hi, lo])?;
    let scale = l.with(Scalar::Div, span, 255.0)?;
    let (nothing, one) = (l.number(t.dtype, 0.0)?, l.number(t.dtype, 1.0)?);
    let flat = l.map(Scalar::Eq, &[span, nothing])?;
    let scale = l.map(Scalar::Select, &[flat, one, scale])?;
    let zero = l.map(Scalar::Div, &[lo, scale])?;
    let zero = l.map(Scalar::Neg, &[zero])?;
    let zero = l.with(Scalar::Max, zero, 0.0)?;
    let zero = l.with(Scalar::Min, zero, 255.0)?;
    let zero = l.map(Scalar::Round, &[zero])?;
    let zero = l.cast(zero, DType::U8)?;
    let (wide_scale, wide_zero) = (l.broadcast(scale, &t.shape)?, l.broadcast(zero, &t.shape)?);
    let values = quantize_values(l, x, wide_scale, Some(wide_zero), DType::U8)?;
    Ok(Quantized { values, scale, zero })
}

/// i32(x) − i32(zero): the zero point of A is per row, that of B per column, or either one for all.
pub fn centered(l: &mut Lower<'_>, x: ValueId, zero: Option<ValueId>, side: Side) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let wide = l.cast(x, DType::I32)?;
    let Some(zero) = zero else { return Ok(wide) };
    let zero = side.spread(l, zero, &shape)?;
    let zero = l.cast(zero, DType::I32)?;
    l.map(Scalar::Sub, &[wide, zero])
}

/// Which operand of a product.
#[derive(Clone, Copy)]
pub enum Side {
    /// Left operand: per row.
    Rows,
    /// Right operand: per column.
    Columns,
}

impl Side {
    /// A scale or zero point repeated to the operand's shape.
    pub fn spread(self, l: &mut Lower<'_>, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        let own = l.shape(v)?;
        if egret_ir::dim::count(&own).as_const() == Some(1) {
            let scalar = l.reshape(v, &[])?;
            return l.broadcast(scalar, shape);
        }
        match (self, own.len()) {
            (Self::Rows, 1) if shape.len() >= 2 => l.spread(v, &[shape.len() - 2], shape),
            _ => l.broadcast(v, shape),
        }
    }
}

fn matmul_integer(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let a = centered(l, a, l.optional(2), Side::Rows)?;
    let b = centered(l, b, l.optional(3), Side::Columns)?;
    Ok(vec![matmul_values(l, a, b, DType::I32, DType::I32)?])
}

/// quantize(f32(Σ (a − za)·(b − zb)) · (sa·sb), sy, zy).
fn qlinear_matmul(l: &mut Lower<'_>) -> Results {
    let v = l.operands()?;
    if v.len() != 8 {
        return Err(opaque("absent scales"));
    }
    let a = centered(l, v[0], Some(v[2]), Side::Rows)?;
    let b = centered(l, v[3], Some(v[5]), Side::Columns)?;
    let y = matmul_values(l, a, b, DType::I32, DType::I32)?;
    let shape = l.shape(y)?;
    let compute = l.dtype(v[1])?;
    let y = l.cast(y, compute)?;
    let (sa, sb) = (Side::Rows.spread(l, v[1], &shape)?, Side::Columns.spread(l, v[4], &shape)?);
    let scale = l.map(Scalar::Mul, &[sa, sb])?;
    let y = l.map(Scalar::Mul, &[y, scale])?;
    let sy = Side::Rows.spread(l, v[6], &shape)?;
    let zy = Side::Rows.spread(l, v[7], &shape)?;
    let to = l.dtype(v[7])?;
    if !to.is_int() {
        return Err(opaque(format!("quantization to {to}")));
    }
    Ok(vec![quantize_values(l, y, sy, Some(zy), to)?])
}
