//! Attention of opset 23 and later, expanded: products over labels, masks as truth values, a softmax.
//!
//! Source: the function body in the ONNX specification. Query heads that share a key head are a label of their own, so
//! keys and values are not repeated. A row without any key gives zeros.

use egret_ir::op::Monoid;
use egret_ir::op::PadAxis;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::{DType, Dim, Literal, ValueId};

use super::cast::dtype_code;
use super::normalize::{others, softmax_values};
use super::reduce::fold;
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, accumulator, bad, opaque};
use crate::node;

pub const ROWS: &[Row] = &[onnx("Attention", 23..LATEST, attention)];

/// `[B, S, H·D]` as `[B, H, S, D]`, with the number of heads that an attribute gives.
pub fn split_heads(l: &mut Lower<'_>, v: ValueId, attribute: &str) -> Result<ValueId, Fail> {
    let heads = l.int(attribute, 0);
    let shape = l.shape(v)?;
    let [batch, length, width] = shape.as_slice() else {
        let kind = ProblemKind::Rank { got: shape.len(), expected: "3".into() };
        return Err(bad("inputs", kind));
    };
    if heads < 1 {
        return Err(l.value(attribute, &heads.to_string(), "a positive number"));
    }
    let heads = Dim::from(heads);
    let split = [batch.clone(), length.clone(), heads.clone(), width.exact_div(&heads)];
    let v = l.reshape(v, &split)?;
    l.permute(v, &[0, 2, 1, 3])
}

/// `[B, H, S, D]` as `[B, S, H·D]`.
pub fn join_heads(l: &mut Lower<'_>, v: ValueId) -> Result<ValueId, Fail> {
    let v = l.permute(v, &[0, 2, 1, 3])?;
    let shape = l.shape(v)?;
    let width = shape[2].clone() * shape[3].clone();
    l.reshape(v, &[shape[0].clone(), shape[1].clone(), width])
}

/// How many query heads share one key head.
fn sharing(l: &Lower<'_>, heads: &Dim, groups: &Dim) -> Result<i64, Fail> {
    if heads == groups {
        return Ok(1);
    }
    match (heads.as_const(), groups.as_const()) {
        (Some(h), Some(g)) if g > 0 && h % g == 0 => Ok(h / g),
        (Some(h), Some(_)) => Err(l.value("input 0", &format!("{h} heads"), &format!("a multiple of {groups}"))),
        _ => Err(opaque("an unknown number of heads")),
    }
}

/// `[B, H, S, X]` as `[B, G, H/G, S, X]` where heads are shared.
fn grouped(l: &mut Lower<'_>, v: ValueId, groups: &Dim, share: i64) -> Result<ValueId, Fail> {
    let s = l.shape(v)?;
    l.reshape(v, &[s[0].clone(), groups.clone(), Dim::from(share), s[2].clone(), s[3].clone()])
}

fn product(l: &mut Lower<'_>, ins: [&str; 2], out: &str, a: ValueId, b: ValueId) -> Result<ValueId, Fail> {
    let spec = Spec::plain(&ins, out).map_err(|e| opaque(e.to_string()))?;
    let dtype = l.dtype(a)?;
    let b = l.cast(b, dtype)?;
    l.contract(spec, a, b, accumulator(dtype), dtype)
}

/// Σ q·k: `[B,H,S,D]` and `[B,G,T,D]` to `[B,H,S,T]`.
pub fn scores(l: &mut Lower<'_>, q: ValueId, k: ValueId) -> Result<ValueId, Fail> {
    let (sq, sk) = (l.shape(q)?, l.shape(k)?);
    let share = sharing(l, &sq[1], &sk[1])?;
    if share == 1 {
        return product(l, ["bhsd", "bhtd"], "bhst", q, k);
    }
    let q = grouped(l, q, &sk[1], share)?;
    let s = product(l, ["bgrsd", "bgtd"], "bgrst", q, k)?;
    l.reshape(s, &[sq[0].clone(), sq[1].clone(), sq[2].clone(), sk[2].clone()])
}

/// Σ p·v: `[B,H,S,T]` and `[B,G,T,D]` to `[B,H,S,D]`.
pub fn weighted(l: &mut Lower<'_>, p: ValueId, v: ValueId) -> Result<ValueId, Fail> {
    let (sp, sv) = (l.shape(p)?, l.shape(v)?);
    let share = sharing(l, &sp[1], &sv[1])?;
    if share == 1 {
        return product(l, ["bhst", "bhtd"], "bhsd", p, v);
    }
    let p = grouped(l, p, &sv[1], share)?;
    let y = product(l, ["bgrst", "bgtd"], "bgrsd", p, v)?;
    l.reshape(y, &[sp[0].clone(), sp[1].clone(), sp[2].clone(), sv[3].clone()])
}

/// cap · tanh(x / cap); no cap for 0.
pub fn capped(l: &mut Lower<'_>, x: ValueId, cap: f32) -> Result<ValueId, Fail> {
    if cap <= 0.0 {
        return Ok(x);
    }
    let y = l.with(Scalar::Div, x, f64::from(cap))?;
    let y = l.map(Scalar::Tanh, &[y])?;
    l.with(Scalar::Mul, y, f64::from(cap))
}

/// Where a query stands among the keys.
#[derive(Clone)]
pub enum Offset {
    /// Query i is at position i + offset, in every batch.
    Same(Dim),
    /// By batch: an i64 value `[B]`.
    PerBatch(ValueId),
}

/// Positions of `count` queries, as `[S, 1]` or `[B, 1, S, 1]`.
pub fn query_positions(l: &mut Lower<'_>, count: &Dim, offset: &Offset) -> Result<ValueId, Fail> {
    let rows = l.iota(count, DType::I64)?;
    let rows = l.reshape(rows, &[count.clone(), Dim::ONE])?;
    match offset {
        Offset::Same(d) if *d == Dim::ZERO => Ok(rows),
        Offset::Same(d) => {
            let d = l.dim(d, DType::I64)?;
            l.wide(Scalar::Add, &[rows, d])
        }
        Offset::PerBatch(v) => {
            let v = per_batch(l, *v)?;
            l.wide(Scalar::Add, &[rows, v])
        }
    }
}

/// `[B]` as `[B, 1, 1, 1]`.
pub fn per_batch(l: &mut Lower<'_>, v: ValueId) -> Result<ValueId, Fail> {
    let shape = l.shape(v)?;
    let [batch] = shape.as_slice() else { return Err(l.misfit("lengths", &shape, &[])) };
    l.reshape(v, &[batch.clone(), Dim::ONE, Dim::ONE, Dim::ONE])
}

/// The conjunction of what is there.
pub fn both(l: &mut Lower<'_>, a: Option<ValueId>, b: ValueId) -> Result<Option<ValueId>, Fail> {
    a.map_or(Ok(b), |a| l.wide(Scalar::And, &[a, b])).map(Some)
}

/// Which keys a score may come from.
#[derive(Default)]
pub struct Masks {
    /// Truth values that line up with the scores' last axes.
    pub allowed: Option<ValueId>,
    /// Numbers to add that do.
    pub bias: Option<ValueId>,
    /// Some row may have no key left.
    pub may_be_empty: bool,
}

/// Scores plus bias, −Inf where they are not allowed.
pub fn masked(l: &mut Lower<'_>, s: ValueId, masks: &Masks) -> Result<ValueId, Fail> {
    let t = l.tensor(s)?;
    let mut s = s;
    if let Some(bias) = masks.bias {
        let bias = l.cast(bias, t.dtype)?;
        let bias = l.broadcast(bias, &t.shape)?;
        s = l.map(Scalar::Add, &[s, bias])?;
    }
    if let Some(allowed) = masks.allowed {
        let allowed = l.broadcast(allowed, &t.shape)?;
        let never = l.splat(Literal::from_f64(t.dtype, f64::NEG_INFINITY), &t.shape)?;
        s = l.map(Scalar::Select, &[allowed, s, never])?;
    }
    Ok(s)
}

/// Softmax over the last axis; with `guard`, zeros in rows that are −Inf throughout.
pub fn probabilities(l: &mut Lower<'_>, s: ValueId, guard: bool) -> Result<ValueId, Fail> {
    let t = l.tensor(s)?;
    let last = [t.rank() - 1];
    if !guard {
        return softmax_values(l, s, &last);
    }
    let rest = others(t.rank(), &last);
    let top = fold(l, Monoid::Max, s, &last)?;
    let row = l.tensor(top)?;
    let splat = |l: &mut Lower<'_>, x: f64| l.splat(Literal::from_f64(row.dtype, x), &row.shape);
    let (lowest, zero, one) = (splat(l, f64::NEG_INFINITY)?, splat(l, 0.0)?, splat(l, 1.0)?);
    let empty = l.map(Scalar::Eq, &[top, lowest])?;
    let top = l.map(Scalar::Select, &[empty, zero, top])?;
    let top = l.spread(top, &rest, &t.shape)?;
    let e = l.map(Scalar::Sub, &[s, top])?;
    let e = l.map(Scalar::Exp, &[e])?;
    let sum = fold(l, Monoid::Sum, e, &last)?;
    let sum = l.map(Scalar::Select, &[empty, one, sum])?;
    let sum = l.spread(sum, &rest, &t.shape)?;
    l.map(Scalar::Div, &[e, sum])
}

/// A mask's last axis grown to the number of keys, which it may fall short of: what is missing is not allowed.
fn lengthened(l: &mut Lower<'_>, mask: ValueId, keys: &Dim) -> Result<ValueId, Fail> {
    let t = l.tensor(mask)?;
    let (Some(last), Some(keys)) = (t.shape.last().and_then(Dim::as_const), keys.as_const()) else { return Ok(mask) };
    if last >= keys {
        return Ok(mask);
    }
    let fill =
        if t.dtype == DType::Bool { Literal::bool(false) } else { Literal::from_f64(t.dtype, f64::NEG_INFINITY) };
    let fill = l.literal(fill)?;
    let none = PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 };
    let mut axes = vec![none; t.rank()];
    axes[t.rank() - 1].hi = Dim::from(keys - last);
    l.pad(mask, fill, axes)
}

/// A bound that is absent for −1.
fn window(l: &Lower<'_>, name: &str) -> Result<Option<i64>, Fail> {
    match l.int(name, -1) {
        -1 => Ok(None),
        n if n >= 0 => Ok(Some(n)),
        n => Err(l.value(name, &n.to_string(), "−1 or a number from 0 on")),
    }
}

/// The node's masks for `queries` and `keys`.
fn masks(l: &mut Lower<'_>, queries: &Dim, keys: &Dim, past: &Dim) -> Result<Masks, Fail> {
    let mut out = Masks::default();
    if let Some(mask) = l.optional(3) {
        let mask = lengthened(l, mask, keys)?;
        if l.dtype(mask)? == DType::Bool {
            out.allowed = Some(mask);
        } else {
            out.bias = Some(mask);
        }
        out.may_be_empty = true;
    }
    let columns = l.iota(keys, DType::I64)?;
    let valid = l.optional(6);
    let offset = match valid {
        Some(n) => {
            let shape = l.shape(n)?;
            let count = l.dim(queries, DType::I64)?;
            let count = l.broadcast(count, &shape)?;
            Offset::PerBatch(l.map(Scalar::Sub, &[n, count])?)
        }
        None => Offset::Same(past.clone()),
    };
    let causal = l.flag("is_causal", false);
    let (left, right) = (window(l, "left_window_size")?, window(l, "right_window_size")?);
    if causal || left.is_some() || right.is_some() {
        let at = query_positions(l, queries, &offset)?;
        if causal {
            let ok = l.wide(Scalar::Le, &[columns, at])?;
            out.allowed = both(l, out.allowed, ok)?;
        }
        if let Some(n) = left {
            let first = l.with(Scalar::Sub, at, n as f64)?;
            let ok = l.wide(Scalar::Le, &[first, columns])?;
            out.allowed = both(l, out.allowed, ok)?;
        }
        if let Some(n) = right {
            let last = l.with(Scalar::Add, at, n as f64)?;
            let ok = l.wide(Scalar::Le, &[columns, last])?;
            out.allowed = both(l, out.allowed, ok)?;
        }
        // Causal alone, with all keys before the queries valid, leaves every query its own key at least.
        out.may_be_empty |= left.is_some() || right.is_some() || valid.is_some();
    }
    if let Some(n) = valid {
        let n = per_batch(l, n)?;
        let ok = l.wide(Scalar::Lt, &[columns, n])?;
        out.allowed = both(l, out.allowed, ok)?;
        out.may_be_empty = true;
    }
    Ok(out)
}

/// Operands Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen; results Y, present_key, present_value and the
/// scores at the stage that `qk_matmul_output_mode` names.
fn attention(l: &mut Lower<'_>) -> Results {
    let (mut q, mut k, mut v) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let flat = l.rank(q)? == 3;
    if flat {
        q = split_heads(l, q, "q_num_heads")?;
        k = split_heads(l, k, "kv_num_heads")?;
        v = split_heads(l, v, "kv_num_heads")?;
    }
    for (i, v) in [q, k, v].into_iter().enumerate() {
        let got = l.rank(v)?;
        if got != 4 {
            return Err(bad(&format!("input {i}"), ProblemKind::Rank { got, expected: "3 or 4".into() }));
        }
    }
    let mut past = Dim::ZERO;
    match (l.optional(4), l.optional(5)) {
        (Some(key), Some(value)) => {
            past = l.shape(key)?.get(2).cloned().ok_or_else(|| opaque("a past without a length"))?;
            k = l.concat(2, &[key, k])?;
            v = l.concat(2, &[value, v])?;
        }
        (None, None) => {}
        _ => return Err(bad("past_key", ProblemKind::MissingInput)),
    }
    let dtype = l.dtype(q)?;
    let (sq, sk) = (l.shape(q)?, l.shape(k)?);
    let scale = match node::find(l.node, "scale") {
        Some(a) => f64::from(a.f()),
        None => match sq[3].as_const() {
            Some(d) => 1.0 / (d as f64).sqrt(),
            None => return Err(opaque("an unknown head size")),
        },
    };
    // Half of the scale on either side, against overflow.
    let root = scale.sqrt();
    let (scaled_q, scaled_k) = (l.with(Scalar::Mul, q, root)?, l.with(Scalar::Mul, k, root)?);
    let raw = scores(l, scaled_q, scaled_k)?;
    let soft = capped(l, raw, l.float("softcap", 0.0))?;
    let masks = masks(l, &sq[2], &sk[2], &past)?;
    let biased = masked(l, soft, &masks)?;
    let precision = match l.int("softmax_precision", 0) {
        0 => dtype,
        code => dtype_code("softmax_precision", code)?,
    };
    let wide = l.cast(biased, precision)?;
    let p = probabilities(l, wide, masks.may_be_empty)?;
    let p = l.cast(p, dtype)?;
    let mut y = weighted(l, p, v)?;
    if flat {
        y = join_heads(l, y)?;
    }
    let stage = match l.int("qk_matmul_output_mode", 0) {
        0 => raw,
        1 => soft,
        2 => biased,
        3 => p,
        n => return Err(l.value("qk_matmul_output_mode", &n.to_string(), "0 to 3")),
    };
    Ok(vec![y, k, v, stage])
}
