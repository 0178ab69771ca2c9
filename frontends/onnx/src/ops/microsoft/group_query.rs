//! GroupQueryAttention over a cache that grows: causal, with rotary positions, a window to the left and an addend.
//!
//! A batch entry has `seqlens_k + 1` keys after the step; its new ones follow those it had. The cache is `[B, G, P, D]`,
//! its successor has P + S places.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::{DType, Dim, ValueId};

use super::super::Row;
use super::super::attention::{
    Masks, Offset, both, capped, join_heads, masked, probabilities, query_positions, scores, split_heads, weighted,
};
use super::super::rotary::{Turn, at_positions, rotated};
use super::microsoft;
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, accumulator, bad, opaque};

pub const ROWS: &[Row] = &[microsoft("GroupQueryAttention", group_query)];

/// The attributes that give the number of heads of queries and of keys.
const NAMES: [&str; 2] = ["num_heads", "kv_num_heads"];

/// What has no lowering here.
fn refuse(l: &Lower<'_>) -> Result<(), Fail> {
    let attributes = [("sliding_window_cache", 0), ("smooth_softmax", 0), ("qk_output", 0), ("kv_cache_bit_width", 0)];
    for (name, plain) in attributes {
        if ![plain, -1].contains(&l.int(name, plain)) {
            return Err(opaque(name));
        }
    }
    for name in ["k_quant_type", "v_quant_type"] {
        if l.string(name, "NONE")? != "NONE" {
            return Err(opaque(name));
        }
    }
    if l.wants(3) || (11..l.inputs.len()).any(|i| l.optional(i).is_some()) {
        return Err(opaque("sinks, quantized caches, norms or padded queries"));
    }
    Ok(())
}

/// Operands query, key, value (or all packed in query), past_key, past_value, seqlens_k `[B]`, total_sequence_length, cos
/// and sin caches, position_ids, attention_bias; results output, present_key, present_value.
fn group_query(l: &mut Lower<'_>) -> Results {
    refuse(l)?;
    let (heads, groups) = (l.int(NAMES[0], 0), l.int(NAMES[1], 0));
    if heads < 1 || groups < 1 || heads > i64::from(u16::MAX) || heads % groups != 0 {
        return Err(l.value(NAMES[0], &heads.to_string(), &format!("a positive multiple of {groups}")));
    }
    let query = l.operand(0)?;
    let t = l.tensor(query)?;
    let [_, length, width] = t.shape.as_slice() else {
        return Err(bad("query", ProblemKind::Rank { got: t.rank(), expected: "3".into() }));
    };
    let (mut q, mut k, v) = match (l.optional(1), l.optional(2)) {
        (Some(k), Some(v)) => {
            (split_heads(l, query, NAMES[0])?, split_heads(l, k, NAMES[1])?, split_heads(l, v, NAMES[1])?)
        }
        _ => {
            let head = width.exact_div(&Dim::from(heads + 2 * groups));
            let (all, some) = (head.clone() * Dim::from(heads), head * Dim::from(groups));
            let q = l.slice_axis(query, 2, Dim::ZERO, all.clone())?;
            let k = l.slice_axis(query, 2, all.clone(), some.clone())?;
            let v = l.slice_axis(query, 2, all + some.clone(), some)?;
            (split_heads(l, q, NAMES[0])?, split_heads(l, k, NAMES[1])?, split_heads(l, v, NAMES[1])?)
        }
    };
    // How many keys each batch entry had before.
    let lengths = l.operand(5)?;
    let lengths = l.cast(lengths, DType::I64)?;
    let own = l.shape(lengths)?;
    let batch = t.shape[0].clone();
    let lengths = if own.len() == 1 { lengths } else { l.reshape(lengths, std::slice::from_ref(&batch))? };
    let own = l.shape(lengths)?;
    let before = l.dim(&(length.clone() - Dim::ONE), DType::I64)?;
    let before = l.broadcast(before, &own)?;
    let before = l.map(Scalar::Sub, &[lengths, before])?;
    let before = l.with(Scalar::Max, before, 0.0)?;
    if l.flag("do_rotary", false) {
        let (cos, sin) = (l.operand(7)?, l.operand(8)?);
        let ids = match l.optional(9) {
            Some(ids) => ids,
            None => {
                let steps = l.iota(length, DType::I64)?;
                let first = l.reshape(before, &[batch.clone(), Dim::ONE])?;
                l.wide(Scalar::Add, &[first, steps])?
            }
        };
        let cells = match l.shape(cos)?.get(1).and_then(Dim::as_const) {
            Some(half) => 2 * half,
            None => return Err(opaque("an unknown head size")),
        };
        let (cos, sin) = (at_positions(l, cos, ids)?, at_positions(l, sin, ids)?);
        let turn = Turn { interleaved: l.flag("rotary_interleaved", false), cells };
        q = rotated(l, q, cos, sin, 1, turn)?;
        k = rotated(l, k, cos, sin, 1, turn)?;
    }
    let (k, v) = match (l.optional(3), l.optional(4)) {
        (Some(past_k), Some(past_v)) => {
            let place = places(l, past_k, length, before)?;
            (joined(l, past_k, k, place)?, joined(l, past_v, v, place)?)
        }
        (None, None) => (k, v),
        _ => return Err(bad("past_key", ProblemKind::MissingInput)),
    };
    let y = attend(l, q, k, v, before)?;
    Ok(vec![y, k, v])
}

/// For place j of the new cache, where it is among the old places and the new keys behind them: `[B, P + S]`.
fn places(l: &mut Lower<'_>, past: ValueId, length: &Dim, before: ValueId) -> Result<ValueId, Fail> {
    let shape = l.shape(past)?;
    let [batch, _, old, _] = shape.as_slice() else {
        return Err(bad("past_key", ProblemKind::Rank { got: shape.len(), expected: "4".into() }));
    };
    let all = old.clone() + length.clone();
    let wide = [batch.clone(), all.clone()];
    let at = l.iota(&all, DType::I64)?;
    let at = l.spread(at, &[1], &wide)?;
    let before = l.spread(before, &[0], &wide)?;
    let is_old = l.map(Scalar::Lt, &[at, before])?;
    let number = |l: &mut Lower<'_>, d: &Dim| {
        let v = l.dim(d, DType::I64)?;
        l.broadcast(v, &wide)
    };
    let (old, last) = (number(l, old)?, number(l, &(all - Dim::ONE))?);
    let new = l.map(Scalar::Sub, &[at, before])?;
    let new = l.map(Scalar::Add, &[new, old])?;
    // Places behind the last key hold nothing in particular.
    let new = l.map(Scalar::Min, &[new, last])?;
    l.map(Scalar::Select, &[is_old, at, new])
}

fn joined(l: &mut Lower<'_>, past: ValueId, new: ValueId, place: ValueId) -> Result<ValueId, Fail> {
    let all = l.concat(2, &[past, new])?;
    let [b, g, j, d] = [0, 1, 2, 3].map(Label);
    let data = [DataIx::Label(b), DataIx::Label(g), DataIx::At, DataIx::Label(d)];
    let spec = GatherSpec::new(&data, &[b, j], &[b, g, j, d], Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.gather(spec, all, place)
}

fn attend(l: &mut Lower<'_>, q: ValueId, k: ValueId, v: ValueId, before: ValueId) -> Result<ValueId, Fail> {
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
    let s = l.with(Scalar::Mul, s, scale)?;
    let s = capped(l, s, l.float("softcap", 0.0))?;
    let mut masks = Masks { bias: l.optional(10), ..Masks::default() };
    if l.flag("causal", true) {
        let at = query_positions(l, &t.shape[2], &Offset::PerBatch(before))?;
        let keys = l.iota(&sk[2], DType::I64)?;
        let seen = l.wide(Scalar::Le, &[keys, at])?;
        masks.allowed = Some(seen);
        let window = l.int("local_window_size", -1);
        if window >= 0 {
            // The window counts the query's own key.
            let far = l.with(Scalar::Sub, at, window as f64)?;
            let near = l.wide(Scalar::Lt, &[far, keys])?;
            masks.allowed = both(l, masks.allowed, near)?;
        }
    }
    let s = masked(l, s, &masks)?;
    let p = probabilities(l, s, false)?;
    let p = l.cast(p, t.dtype)?;
    let y = weighted(l, p, v)?;
    join_heads(l, y)
}
