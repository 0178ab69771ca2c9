//! Normalizations with a residual folded in.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Negative};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::super::normalize::{inverse, layer_norm, normalized, rms_norm, rms_normalized};
use super::super::reduce::kept;
use super::super::{LATEST, Row};
use super::microsoft;
use crate::lower::{Fail, Lower, Results, accumulator, opaque};

/// Operators that ONNX Runtime has in the default domain and the standard has not, or only later.
pub const UNPREFIXED: &[Row] = &[
    Row { domain: "", op: "SimplifiedLayerNormalization", opsets: 1..LATEST, lower: rms_norm },
    Row { domain: "", op: "LayerNormalization", opsets: 1..17, lower: layer_norm },
];

pub const ROWS: &[Row] = &[
    microsoft("SkipLayerNormalization", skip_layer_norm),
    microsoft("SkipSimplifiedLayerNormalization", skip_rms_norm),
    microsoft("EmbedLayerNormalization", embed_layer_norm),
];

/// x + skip + bias: skip may lack the batch axis or have 1 there.
fn residual(l: &mut Lower<'_>, bias: usize) -> Result<ValueId, Fail> {
    let (x, skip) = (l.operand(0)?, l.operand(1)?);
    let shape = l.shape(x)?;
    let skip = l.broadcast(skip, &shape)?;
    let mut sum = l.map(Scalar::Add, &[x, skip])?;
    if let Some(bias) = l.optional(bias) {
        let bias = l.broadcast(bias, &shape)?;
        sum = l.map(Scalar::Add, &[sum, bias])?;
    }
    Ok(sum)
}

/// Layer normalization over the last axis.
struct Layer {
    y: ValueId,
    mean: ValueId,
    inverse: ValueId,
}

fn layer(l: &mut Lower<'_>, x: ValueId, gamma: ValueId, beta: Option<ValueId>) -> Result<Layer, Fail> {
    let t = l.tensor(x)?;
    let Some(last) = t.rank().checked_sub(1) else { return Err(l.misfit("input", &t.shape, &[])) };
    let epsilon = l.float("epsilon", 1e-12);
    let wide = l.cast(x, accumulator(t.dtype))?;
    let n = normalized(l, wide, &[last], f64::from(epsilon))?;
    let y = l.cast(n.y, t.dtype)?;
    let gamma = l.broadcast(gamma, &t.shape)?;
    let mut y = l.map(Scalar::Mul, &[y, gamma])?;
    if let Some(beta) = beta {
        let beta = l.broadcast(beta, &t.shape)?;
        y = l.map(Scalar::Add, &[y, beta])?;
    }
    let folded = kept(&t.shape, &[last]);
    Ok(Layer { y, mean: l.reshape(n.mean, &folded)?, inverse: inverse(l, n.deviation, &folded)? })
}

/// Operands input, skip, gamma, beta, bias; results output, mean, 1/deviation and the sum that is normalized.
fn skip_layer_norm(l: &mut Lower<'_>) -> Results {
    let sum = residual(l, 4)?;
    let (gamma, beta) = (l.operand(2)?, l.optional(3));
    let n = layer(l, sum, gamma, beta)?;
    Ok(vec![n.y, n.mean, n.inverse, sum])
}

/// Operands input, skip, gamma, bias; results output, mean (never computed), 1/rms and the sum that is normalized.
fn skip_rms_norm(l: &mut Lower<'_>) -> Results {
    if l.wants(1) {
        return Err(opaque("a mean"));
    }
    let sum = residual(l, 3)?;
    let gamma = l.operand(2)?;
    let shape = l.shape(sum)?;
    let Some(last) = shape.len().checked_sub(1) else { return Err(l.misfit("input", &shape, &[])) };
    let epsilon = l.float("epsilon", 1e-12);
    let (y, rms) = rms_normalized(l, sum, gamma, &[last], f64::from(epsilon))?;
    let inverse = inverse(l, rms, &kept(&shape, &[last]))?;
    Ok(vec![y, inverse, inverse, sum])
}

/// Rows of a table by index.
fn looked_up(l: &mut Lower<'_>, table: ValueId, ids: ValueId) -> Result<ValueId, Fail> {
    let spec = GatherSpec::along(l.rank(table)?, 0, l.rank(ids)?, Negative::Never);
    l.gather(spec.map_err(|e| opaque(e.to_string()))?, table, ids)
}

/// Operands input_ids `[B,S]`, segment_ids, word, position and segment tables, gamma, beta, mask `[B,S]`, position_ids;
/// results output `[B,S,H]`, how many cells of each mask row are set, and the sum that is normalized.
fn embed_layer_norm(l: &mut Lower<'_>) -> Results {
    let (ids, words, positions) = (l.operand(0)?, l.operand(2)?, l.operand(3)?);
    let own = l.shape(ids)?;
    let [batch, length] = own.as_slice() else { return Err(l.misfit("input_ids", &own, &[])) };
    let mut sum = looked_up(l, words, ids)?;
    let shape = l.shape(sum)?;
    let position = match l.optional(8) {
        Some(at) => looked_up(l, positions, at)?,
        None => l.slice_axis(positions, 0, Dim::ZERO, length.clone())?,
    };
    let position = l.broadcast(position, &shape)?;
    sum = l.map(Scalar::Add, &[sum, position])?;
    if let (Some(ids), Some(table)) = (l.optional(1), l.optional(4)) {
        let segment = looked_up(l, table, ids)?;
        sum = l.map(Scalar::Add, &[sum, segment])?;
    }
    let (gamma, beta) = (l.operand(5)?, l.operand(6)?);
    let n = layer(l, sum, gamma, Some(beta))?;
    let counts = match l.optional(7) {
        Some(mask) => {
            let t = l.tensor(mask)?;
            let one = l.splat(Literal::from_i64(t.dtype, 1), &t.shape)?;
            let set = l.map(Scalar::Eq, &[mask, one])?;
            let set = l.cast(set, DType::I32)?;
            l.fold(Monoid::Sum, set, &[1], DType::I32)?
        }
        None => l.splat(Literal::from_i64(DType::I32, 0), std::slice::from_ref(batch))?,
    };
    Ok(vec![n.y, counts, sum])
}
