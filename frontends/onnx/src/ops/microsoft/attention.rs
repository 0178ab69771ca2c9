//! Attention with projections, masks as ONNX Runtime writes them, and past and present.

use egret_ir::op::SliceAxis;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::super::Row;
use super::super::attention::{
    Masks, Offset, join_heads, masked, per_batch, probabilities, query_positions, scores, split_heads, weighted,
};
use super::super::contract::matmul_values;
use super::super::quantize::{Side, centered};
use super::super::rotary::{Turn, at_positions, rotated};
use super::microsoft;
use super::quantized::scaled;
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, accumulator, bad, opaque, whole_slices};
use crate::node;

pub const ROWS: &[Row] = &[
    microsoft("Attention", attention),
    microsoft("QAttention", quantized_attention),
    microsoft("MultiHeadAttention", multi_head),
    microsoft("RotaryEmbedding", rotary),
];

/// The attribute that gives the number of heads.
const HEADS: &str = "num_heads";

/// Cells `start..start + len` of the last axis.
fn columns(l: &mut Lower<'_>, v: ValueId, start: Dim, len: Dim) -> Result<ValueId, Fail> {
    let rank = l.rank(v)?;
    l.slice_axis(v, rank.saturating_sub(1), start, len)
}

/// What a mask adds to scores `[B,H,S,T]`: `mask_filter_value` where a key is not to be seen.
fn mask_bias(l: &mut Lower<'_>, mask: ValueId, queries: &Dim, keys: &Dim, batch: &Dim) -> Result<ValueId, Fail> {
    let t = l.tensor(mask)?;
    let filter = l.float("mask_filter_value", -10_000.0);
    let seen = match t.shape.as_slice() {
        [n] if n == batch => {
            let ends = per_batch(l, mask)?;
            before(l, keys, ends, t.dtype)?
        }
        [n] if *n == batch.clone() * Dim::from(2i64) => {
            let ends = l.slice_axis(mask, 0, Dim::ZERO, batch.clone())?;
            let starts = l.slice_axis(mask, 0, batch.clone(), batch.clone())?;
            let (ends, starts) = (per_batch(l, ends)?, per_batch(l, starts)?);
            let inside = before(l, keys, ends, t.dtype)?;
            let at = l.iota(keys, t.dtype)?;
            let after = l.wide(Scalar::Le, &[starts, at])?;
            l.wide(Scalar::And, &[inside, after])?
        }
        [b, k] => {
            let m = l.reshape(mask, &[b.clone(), Dim::ONE, Dim::ONE, k.clone()])?;
            positive(l, m)?
        }
        [b, s, k] => {
            let m = l.reshape(mask, &[b.clone(), Dim::ONE, s.clone(), k.clone()])?;
            positive(l, m)?
        }
        [_, one, s, k] if *one == Dim::ONE && s == queries && k == keys => positive(l, mask)?,
        other => return Err(opaque(format!("a mask of shape {other:?}"))),
    };
    let seen_shape = l.shape(seen)?;
    let splat = |l: &mut Lower<'_>, x: f32| l.splat(Literal::f32(x), &seen_shape);
    let (nothing, filter) = (splat(l, 0.0)?, splat(l, filter)?);
    l.map(Scalar::Select, &[seen, nothing, filter])
}

fn positive(l: &mut Lower<'_>, m: ValueId) -> Result<ValueId, Fail> {
    let t = l.tensor(m)?;
    let zero = l.splat(Literal::from_i64(t.dtype, 0), &t.shape)?;
    l.map(Scalar::Lt, &[zero, m])
}

/// Which of `keys` positions are below a bound per batch `[B,1,1,1]`.
fn before(l: &mut Lower<'_>, keys: &Dim, bound: ValueId, dtype: DType) -> Result<ValueId, Fail> {
    let at = l.iota(keys, dtype)?;
    l.wide(Scalar::Lt, &[at, bound])
}

/// Softmax of scaled scores with a mask, an addend and a causal frontier.
struct Scored<'a> {
    mask: Option<ValueId>,
    bias: Option<ValueId>,
    causal: bool,
    past: &'a Dim,
}

/// `[B,H,S,D]`, `[B,G,T,D]`, `[B,G,T,E]` to `[B,S,H·E]`.
fn attend(l: &mut Lower<'_>, q: ValueId, k: ValueId, v: ValueId, with: &Scored<'_>) -> Result<ValueId, Fail> {
    let (t, sk) = (l.tensor(q)?, l.shape(k)?);
    let scale = match (l.float("scale", 0.0), t.shape[3].as_const()) {
        (0.0, Some(d)) => 1.0 / (d as f64).sqrt(),
        (0.0, None) => return Err(opaque("an unknown head size")),
        (s, _) => f64::from(s),
    };
    // Unscaled scores may be beyond narrow floats.
    let wide = accumulator(t.dtype);
    let (wide_q, wide_k) = (l.cast(q, wide)?, l.cast(k, wide)?);
    let s = scores(l, wide_q, wide_k)?;
    let mut s = l.with(Scalar::Mul, s, scale)?;
    if let Some(mask) = with.mask {
        let bias = mask_bias(l, mask, &t.shape[2], &sk[2], &t.shape[0])?;
        s = masked(l, s, &Masks { bias: Some(bias), ..Masks::default() })?;
    }
    if with.bias.is_some() {
        s = masked(l, s, &Masks { bias: with.bias, ..Masks::default() })?;
    }
    if with.causal {
        let at = query_positions(l, &t.shape[2], &Offset::Same(with.past.clone()))?;
        let keys = l.iota(&sk[2], DType::I64)?;
        let seen = l.wide(Scalar::Le, &[keys, at])?;
        s = masked(l, s, &Masks { allowed: Some(seen), ..Masks::default() })?;
    }
    let p = probabilities(l, s, false)?;
    let p = l.cast(p, t.dtype)?;
    let y = weighted(l, p, v)?;
    join_heads(l, y)
}

/// Operands input `[B,S,I]`, weights `[I,Q+K+V]`, bias, mask_index, past `[2,B,N,P,D]`, attention_bias; results output
/// and present.
fn attention(l: &mut Lower<'_>) -> Results {
    if l.optional(6).is_some() {
        return Err(opaque("a shared buffer"));
    }
    let (x, w) = (l.operand(0)?, l.operand(1)?);
    let dtype = l.dtype(x)?;
    let mut all = matmul_values(l, x, w, accumulator(dtype), dtype)?;
    if let Some(bias) = l.optional(2) {
        all = l.wide(Scalar::Add, &[all, bias])?;
    }
    let (mask, past, bias) = (l.optional(3), l.optional(4), l.optional(5));
    projected(l, all, mask, past, bias)
}

/// As Attention, of quantized operands: input, weights, bias, their scales, mask_index, their zero points, past.
fn quantized_attention(l: &mut Lower<'_>) -> Results {
    let (x, w, bias) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let x = centered(l, x, l.optional(6), Side::Columns)?;
    let w = centered(l, w, l.optional(7), Side::Columns)?;
    let y = matmul_values(l, x, w, DType::I32, DType::I32)?;
    let (sx, sw) = (l.operand(3)?, l.operand(4)?);
    let y = scaled(l, y, sx, sw)?;
    let all = l.wide(Scalar::Add, &[y, bias])?;
    let (mask, past) = (l.optional(5), l.optional(8));
    projected(l, all, mask, past, None)
}

/// Attention of the projections `[B,S,Q+K+V]`.
fn projected(
    l: &mut Lower<'_>,
    all: ValueId,
    mask: Option<ValueId>,
    past: Option<ValueId>,
    bias: Option<ValueId>,
) -> Results {
    if l.flag("do_rotary", false) || l.flag("past_present_share_buffer", false) {
        return Err(opaque("rotary positions or a shared buffer"));
    }
    let shape = l.shape(all)?;
    let [_, _, width] = shape.as_slice() else {
        return Err(bad("input", ProblemKind::Rank { got: shape.len(), expected: "3".into() }));
    };
    let sizes: [Dim; 3] = match l.ints("qkv_hidden_sizes") {
        Some([q, k, v]) => [Dim::from(*q), Dim::from(*k), Dim::from(*v)],
        Some(other) => return Err(l.value("qkv_hidden_sizes", &format!("{other:?}"), "three numbers")),
        None => std::array::from_fn(|_| width.exact_div(&Dim::from(3i64))),
    };
    let mut start = Dim::ZERO;
    let mut parts = Vec::new();
    for size in &sizes {
        let part = columns(l, all, start.clone(), size.clone())?;
        parts.push(split_heads(l, part, HEADS)?);
        start = start + size.clone();
    }
    let (q, mut k, mut v) = (parts[0], parts[1], parts[2]);
    let mut before = Dim::ZERO;
    if let Some(given) = past {
        let shape = l.shape(given)?;
        if shape.len() != 5 {
            return Err(bad("past", ProblemKind::Rank { got: shape.len(), expected: "5".into() }));
        }
        before = shape[3].clone();
        let side = |l: &mut Lower<'_>, i: i64| {
            let one = l.slice_axis(given, 0, Dim::from(i), Dim::ONE)?;
            l.reshape(one, &shape[1..])
        };
        let (pk, pv) = (side(l, 0)?, side(l, 1)?);
        k = l.concat(2, &[pk, k])?;
        v = l.concat(2, &[pv, v])?;
    }
    let causal = l.flag("unidirectional", false);
    let y = attend(l, q, k, v, &Scored { mask, bias, causal, past: &before })?;
    let mut out = vec![y];
    if l.wants(1) {
        let stacked = |l: &mut Lower<'_>, v: ValueId| {
            let mut shape: Shape = l.shape(v)?;
            shape.insert(0, Dim::ONE);
            l.reshape(v, &shape)
        };
        let (k, v) = (stacked(l, k)?, stacked(l, v)?);
        out.push(l.concat(0, &[k, v])?);
    }
    Ok(out)
}

/// Part `i` of axis 3 of `[B,S,N,n,D]`, heads first.
fn packed(l: &mut Lower<'_>, v: ValueId, i: i64) -> Result<ValueId, Fail> {
    let s = l.shape(v)?;
    let mut axes = whole_slices(&s);
    axes[3] = SliceAxis { start: Dim::from(i), step: 1, len: Dim::ONE };
    let v = l.slice(v, axes)?;
    let v = l.reshape(v, &[s[0].clone(), s[1].clone(), s[2].clone(), s[4].clone()])?;
    l.permute(v, &[0, 2, 1, 3])
}

/// Operands query, key, value (apart, or packed by head), bias, key_padding_mask, attention_bias, past_key, past_value;
/// results output, present_key, present_value.
fn multi_head(l: &mut Lower<'_>) -> Results {
    if l.optional(8).is_some() || l.optional(9).is_some() || l.wants(3) {
        return Err(opaque("a shared buffer, beams, or scores as a result"));
    }
    let query = l.operand(0)?;
    let (mut q, mut k, mut v) = match (l.optional(1), l.optional(2), l.rank(query)?) {
        (None, None, 5) => (packed(l, query, 0)?, packed(l, query, 1)?, packed(l, query, 2)?),
        (Some(kv), None, 3) if l.rank(kv)? == 5 => {
            (split_heads(l, query, HEADS)?, packed(l, kv, 0)?, packed(l, kv, 1)?)
        }
        (Some(key), Some(value), 3) => {
            let side = |l: &mut Lower<'_>, v: ValueId| if l.rank(v)? == 4 { Ok(v) } else { split_heads(l, v, HEADS) };
            (split_heads(l, query, HEADS)?, side(l, key)?, side(l, value)?)
        }
        _ => return Err(opaque("operands in no known layout")),
    };
    if let Some(bias) = l.optional(3) {
        let mut start = Dim::ZERO;
        for part in [&mut q, &mut k, &mut v] {
            let shape = l.shape(*part)?;
            let width = shape[1].clone() * shape[3].clone();
            let own = l.slice_axis(bias, 0, start.clone(), width.clone())?;
            let own = l.reshape(own, &[shape[1].clone(), shape[3].clone()])?;
            let own = l.spread(own, &[1, 3], &shape)?;
            *part = l.map(Scalar::Add, &[*part, own])?;
            start = start + width;
        }
    }
    let mut past = Dim::ZERO;
    match (l.optional(6), l.optional(7)) {
        (Some(key), Some(value)) => {
            past = l.shape(key)?.get(2).cloned().ok_or_else(|| opaque("a past without a length"))?;
            k = l.concat(2, &[key, k])?;
            v = l.concat(2, &[value, v])?;
        }
        (None, None) => {}
        _ => return Err(bad("past_key", ProblemKind::MissingInput)),
    }
    let causal = l.flag("unidirectional", false);
    let y = attend(l, q, k, v, &Scored { mask: l.optional(4), bias: l.optional(5), causal, past: &past })?;
    Ok(vec![y, k, v])
}

/// Operands X, position_ids `[1]` (the first position) or `[B,S]`, cos and sin caches.
fn rotary(l: &mut Lower<'_>) -> Results {
    if l.flag("is_packed_batching", false) || node::find(l.node, "scale").is_some_and(|a| a.f() != 1.0) {
        return Err(opaque("packed batches or a scale"));
    }
    let (x, ids, cos, sin) = (l.operand(0)?, l.operand(1)?, l.operand(2)?, l.operand(3)?);
    let (shape, id_shape) = (l.shape(x)?, l.shape(ids)?);
    let length = match shape.len() {
        3 => shape[1].clone(),
        4 => shape[2].clone(),
        got => return Err(bad("input", ProblemKind::Rank { got, expected: "3 or 4".into() })),
    };
    let ids = if id_shape.len() == 1 {
        let first = l.reshape(ids, &[])?;
        let steps = l.iota(&length, l.dtype(ids)?)?;
        let at = l.wide(Scalar::Add, &[first, steps])?;
        l.reshape(at, &[Dim::ONE, length])?
    } else {
        ids
    };
    let (cos, sin) = (at_positions(l, cos, ids)?, at_positions(l, sin, ids)?);
    let turn = Turn { interleaved: l.flag("interleaved", false), cells: l.int("rotary_embedding_dim", 0) };
    if shape.len() == 4 {
        return Ok(vec![rotated(l, x, cos, sin, 1, turn)?]);
    }
    // Without a number of heads, a head is as wide as what its cache turns.
    let head = match (l.int("num_heads", 0), l.shape(cos)?.get(2).and_then(Dim::as_const)) {
        (0, Some(half)) => Dim::from(2 * half),
        (0, None) => return Err(opaque("an unknown head size")),
        (n, _) if n > 0 => shape[2].exact_div(&Dim::from(n)),
        (n, _) => return Err(l.value("num_heads", &n.to_string(), "a positive number")),
    };
    let split = [shape[0].clone(), shape[1].clone(), shape[2].exact_div(&head), head];
    let x = l.reshape(x, &split)?;
    let y = rotated(l, x, cos, sin, 2, turn)?;
    Ok(vec![l.reshape(y, &shape)?])
}
