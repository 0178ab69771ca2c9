//! LinearAttention: a state of keys by values per head, updated and read once per token.
//!
//! Source: the ONNX specification (opset 27). States and sums are f32; the state comes back in the type it came in.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::scan::{Step, scan};
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque};

pub const ROWS: &[Row] = &[onnx("LinearAttention", 27..LATEST, linear_attention)];

/// `[B,T,H·D]` as f32 `[T,B,heads…,D]`.
fn by_time(l: &mut Lower<'_>, v: ValueId, heads: &[i64]) -> Result<ValueId, Fail> {
    let s = l.shape(v)?;
    let [batch, time, width] = s.as_slice() else {
        return Err(bad("inputs", ProblemKind::Rank { got: s.len(), expected: "3".into() }));
    };
    let count: i64 = heads.iter().product();
    let mut split: Shape = vec![batch.clone(), time.clone()];
    split.extend(heads.iter().map(|h| Dim::from(*h)));
    split.push(width.exact_div(&Dim::from(count)));
    let v = l.cast(v, DType::F32)?;
    let v = l.reshape(v, &split)?;
    let axes: Vec<usize> = [1, 0].into_iter().chain(2..split.len()).collect();
    l.permute(v, &axes)
}

fn product(l: &mut Lower<'_>, ins: [&str; 2], out: &str, a: ValueId, b: ValueId) -> Result<ValueId, Fail> {
    let spec = Spec::plain(&ins, out).map_err(|e| opaque(e.to_string()))?;
    l.contract(spec, a, b, DType::F32, DType::F32)
}

/// How the state changes.
#[derive(Clone, Copy)]
struct Rule {
    /// It decays first.
    gated: bool,
    /// What it already says of the key is taken off the value.
    delta: bool,
}

/// Operands query `[B,T,Hq·k]`, key `[B,T,H·k]`, value `[B,T,H·v]`, past_state `[B,H,k,v]`, decay `[B,T,H·k or H]`, beta
/// `[B,T,H or 1]`; results output `[B,T,Hq·v]` and present_state.
fn linear_attention(l: &mut Lower<'_>) -> Results {
    let name = l.string("update_rule", "gated_delta")?;
    let rule = match name.as_str() {
        "linear" => Rule { gated: false, delta: false },
        "gated" => Rule { gated: true, delta: false },
        "delta" => Rule { gated: false, delta: true },
        "gated_delta" => Rule { gated: true, delta: true },
        _ => return Err(l.value("update_rule", &name, "linear, gated, delta or gated_delta")),
    };
    let (hq, h) = (l.int("q_num_heads", 0), l.int("kv_num_heads", 0));
    if h < 1 || hq < 1 || hq > i64::from(u16::MAX) || hq % h != 0 {
        return Err(l.value("q_num_heads", &hq.to_string(), &format!("a positive multiple of {h}")));
    }
    let (query, key, value) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let dtype = l.dtype(query)?;
    let q = by_time(l, query, &[h, hq / h])?;
    let (k, v) = (by_time(l, key, &[h])?, by_time(l, value, &[h])?);
    let (sk, sv) = (l.shape(k)?, l.shape(v)?);
    let (time, batch, width, depth) = (sk[0].clone(), sk[1].clone(), sk[3].clone(), sv[3].clone());
    let scale = match (l.float("scale", 0.0), width.as_const()) {
        (0.0, Some(d)) => 1.0 / (d as f64).sqrt(),
        (0.0, None) => return Err(opaque("an unknown head size")),
        (s, _) => f64::from(s),
    };
    let state_shape = [batch.clone(), Dim::from(h), width.clone(), depth.clone()];
    let (state, state_type) = match l.optional(3) {
        Some(past) => (l.cast(past, DType::F32)?, l.dtype(past)?),
        None => (l.splat(Literal::f32(0.0), &state_shape)?, dtype),
    };
    let mut scanned = vec![q, k, v];
    if rule.gated {
        let decay = l.operand(4)?;
        let per_head = l.shape(decay)?.get(2) == Some(&Dim::from(h));
        let g = by_time(l, decay, &[h])?;
        let factor = l.map(Scalar::Exp, &[g])?;
        // Per head, [T,B,H,1] becomes [T,B,H,k].
        let wide = [time.clone(), batch.clone(), Dim::from(h), width.clone()];
        scanned.push(if per_head { l.broadcast(factor, &wide)? } else { factor });
    }
    if rule.delta {
        let beta = l.operand(5)?;
        let heads = if l.shape(beta)?.get(2) == Some(&Dim::ONE) { 1 } else { h };
        let b = by_time(l, beta, &[heads])?;
        let wide = [time.clone(), batch.clone(), Dim::from(h), depth.clone()];
        scanned.push(l.broadcast(b, &wide)?);
    }
    let out = scan(l, &time, &[state], &scanned, &[], |l, carried, now, _| step(l, rule, carried[0], now))?;
    let (state, read) = (out[0], out[1]);
    // [T,B,H,r,v] to [B,T,Hq·v].
    let y = l.with(Scalar::Mul, read, scale)?;
    let y = l.permute(y, &[1, 0, 2, 3, 4])?;
    let y = l.reshape(y, &[batch, time, Dim::from(hq) * depth])?;
    Ok(vec![l.cast(y, dtype)?, l.cast(state, state_type)?])
}

/// One token: slices q `[B,H,r,k]`, k `[B,H,k]`, v `[B,H,v]`, the decay's factor `[B,H,k]`, β `[B,H,v]`.
fn step(l: &mut Lower<'_>, rule: Rule, state: ValueId, now: &[ValueId]) -> Result<Step, Fail> {
    let shape = l.shape(state)?;
    let (q, k, mut v) = (now[0], now[1], now[2]);
    let mut state = state;
    if rule.gated {
        let factor = l.spread(now[3], &[0, 1, 2], &shape)?;
        state = l.map(Scalar::Mul, &[state, factor])?;
    }
    if rule.delta {
        let beta = now[now.len() - 1];
        let known = product(l, ["bhkv", "bhk"], "bhv", state, k)?;
        let news = l.map(Scalar::Sub, &[v, known])?;
        v = l.map(Scalar::Mul, &[beta, news])?;
    }
    let (key, value) = (l.spread(k, &[0, 1, 2], &shape)?, l.spread(v, &[0, 1, 3], &shape)?);
    let write = l.map(Scalar::Mul, &[key, value])?;
    let state = l.map(Scalar::Add, &[state, write])?;
    let read = product(l, ["bhrk", "bhkv"], "bhrv", q, state)?;
    Ok(Step { carried: vec![state], stacked: vec![read] })
}
