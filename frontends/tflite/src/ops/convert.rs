//! Conversions of element types.
//!
//! QUANTIZE and DEQUANTIZE are the identity on real numbers: what is around a row does the work.

use super::{Row, real, stored};
use crate::lower::{Lower, Results};

pub const ROWS: &[Row] = &[
    real("QUANTIZE", (1, 1), |l| Ok(vec![l.operand(0)?])),
    real("DEQUANTIZE", (1, 1), to_declared),
    stored("CAST", (1, 1), to_declared),
    stored("BITCAST", (1, 1), |l| {
        let to = l.result_dtype(0)?;
        Ok(vec![l.b.map(egret_ir::op::scalar::Scalar::BitCast(to), &[l.operand(0)?])?])
    }),
];

/// Converted to the declared type of the result.
fn to_declared(l: &mut Lower<'_>) -> Results {
    let to = l.result_dtype(0)?;
    Ok(vec![l.b.cast(l.operand(0)?, to)?])
}
