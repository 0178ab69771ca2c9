//! Quantization: what an integer stands for, and back.
//!
//! A stored number `q` stands for `(q − zero) · scale`, with one scale for the whole tensor or one per slice along an
//! axis. Going back rounds to nearest, ties to even, and saturates.

use egret_ir::build::Builder;
use egret_ir::infer::TypeError;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Literal, Tensor, ValueId};

/// Parameters of a quantized tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Quant {
    /// Scales: one, or one per slice along [`Quant::axis`].
    pub scales: Vec<f32>,
    /// Numbers that stand for 0, as many as scales.
    pub zeros: Vec<i64>,
    /// The axis of per-slice scales.
    pub axis: Option<usize>,
}

impl Quant {
    /// Scale and zero point, where there is one of each.
    pub fn single(&self) -> Option<(f32, i64)> {
        match (self.axis, self.scales.as_slice(), self.zeros.as_slice()) {
            (None, [scale], [zero]) => Some((*scale, *zero)),
            _ => None,
        }
    }
}

/// Least and greatest number of an integer type.
pub fn limits(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        DType::U8 => (0, i64::from(u8::MAX)),
        DType::U16 => (0, i64::from(u16::MAX)),
        DType::U32 => (0, i64::from(u32::MAX)),
        DType::Bool => (0, 1),
        DType::I64 | DType::U64 | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => (i64::MIN, i64::MAX),
    }
}

/// f32s repeated to a shape: along `axis`, or everywhere.
fn numbers(b: &mut Builder, values: &[f32], axis: Option<usize>, like: ValueId) -> Result<ValueId, TypeError> {
    let shape = b.shape(like)?;
    match (axis, values) {
        (None, [x]) => b.splat(Literal::f32(*x), &shape),
        _ => {
            let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            let t = Tensor::new(DType::F32, vec![values.len()], bytes)
                .map_err(|_| TypeError::Axis { kind: "quantization", axis: values.len() })?;
            let list = b.constant(t);
            b.spread(list, &[axis.unwrap_or(0)], &shape)
        }
    }
}

/// The real numbers that a quantized value stands for, in f32. Exact up to the product's rounding for types of up to 24
/// bits.
pub fn real(b: &mut Builder, v: ValueId, q: &Quant) -> Result<ValueId, TypeError> {
    let mut x = b.cast(v, DType::F32)?;
    if q.zeros.iter().any(|z| *z != 0) {
        let zeros: Vec<f32> = q.zeros.iter().map(|z| *z as f32).collect();
        let zeros = numbers(b, &zeros, q.axis, x)?;
        x = b.map(Scalar::Sub, &[x, zeros])?;
    }
    let scales = numbers(b, &q.scales, q.axis, x)?;
    b.map(Scalar::Mul, &[x, scales])
}

/// The stored numbers for real ones: `clamp(round(x / scale) + zero)` in `to`.
pub fn stored(b: &mut Builder, v: ValueId, q: &Quant, to: DType) -> Result<ValueId, TypeError> {
    let scales = numbers(b, &q.scales, q.axis, v)?;
    let x = b.map(Scalar::Div, &[v, scales])?;
    let mut x = b.map(Scalar::Round, &[x])?;
    if q.zeros.iter().any(|z| *z != 0) {
        let zeros: Vec<f32> = q.zeros.iter().map(|z| *z as f32).collect();
        let zeros = numbers(b, &zeros, q.axis, x)?;
        x = b.map(Scalar::Add, &[x, zeros])?;
    }
    saturated(b, x, limits(to), to)
}

/// Whole numbers in f32 as integers, kept inside `lo..=hi`.
pub fn saturated(b: &mut Builder, v: ValueId, (lo, hi): (i64, i64), to: DType) -> Result<ValueId, TypeError> {
    let x = b.with(Scalar::Max, v, lo as f64)?;
    let x = b.with(Scalar::Min, x, hi as f64)?;
    b.cast(x, to)
}
