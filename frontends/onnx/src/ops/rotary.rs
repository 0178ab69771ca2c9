//! RotaryEmbedding: pairs of cells turned by an angle per position.
//!
//! Source: the algorithm in the ONNX specification (opset 23), after RoFormer (Su et al., 2021).

use egret_ir::op::SliceAxis;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Negative};
use egret_ir::{Dim, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque, whole_slices};

pub const ROWS: &[Row] = &[onnx("RotaryEmbedding", 23..LATEST, rotary_node)];

/// Which cells of a head form a pair, and how many are turned.
#[derive(Clone, Copy)]
pub struct Turn {
    /// Neighbours are a pair; else the first half goes with the second.
    pub interleaved: bool,
    /// Cells turned, from the first on; 0 for all.
    pub cells: i64,
}

/// Operands X `[B,H,S,D]` or `[B,S,H·D]`, cos and sin caches `[positions, n/2]` or `[B,S,n/2]`, position_ids `[B,S]`.
fn rotary_node(l: &mut Lower<'_>) -> Results {
    let (x, cos, sin) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let shape = l.shape(x)?;
    let turn = Turn { interleaved: l.flag("interleaved", false), cells: l.int("rotary_embedding_dim", 0) };
    let (cos, sin) = match l.optional(3) {
        Some(ids) => (at_positions(l, cos, ids)?, at_positions(l, sin, ids)?),
        None => (cos, sin),
    };
    if shape.len() == 4 {
        return Ok(vec![rotated(l, x, cos, sin, 1, turn)?]);
    }
    let [batch, length, width] = shape.as_slice() else { return Err(l.misfit("input 0", &shape, &[])) };
    let heads = l.int("num_heads", 0);
    if heads < 1 {
        return Err(l.value("num_heads", &heads.to_string(), "a positive number"));
    }
    let heads = Dim::from(heads);
    let split = [batch.clone(), length.clone(), heads.clone(), width.exact_div(&heads)];
    let x = l.reshape(x, &split)?;
    let y = rotated(l, x, cos, sin, 2, turn)?;
    Ok(vec![l.reshape(y, &shape)?])
}

/// Rows of a cache `[positions, n/2]` by position `[B,S]`.
pub fn at_positions(l: &mut Lower<'_>, cache: ValueId, ids: ValueId) -> Result<ValueId, Fail> {
    let spec = GatherSpec::along(2, 0, l.rank(ids)?, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.gather(spec, cache, ids)
}

/// `x` of rank 4 with heads on axis `heads` and cells on the last, turned by cos and sin `[B,S,n/2]` (B may be 1).
pub fn rotated(
    l: &mut Lower<'_>,
    x: ValueId,
    cos: ValueId,
    sin: ValueId,
    heads: usize,
    turn: Turn,
) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let cells = match (turn.cells, shape[3].as_const()) {
        (0, Some(n)) => n,
        (n, Some(all)) if (1..=all).contains(&n) => n,
        (n, Some(_)) => return Err(l.value("rotary_embedding_dim", &n.to_string(), "a part of the head")),
        (_, None) => return Err(opaque("an unknown head size")),
    };
    if cells % 2 != 0 {
        return Err(l.value("rotary_embedding_dim", &cells.to_string(), "an even number"));
    }
    let half = Dim::from(cells / 2);
    let part = |l: &mut Lower<'_>, start: i64, step: i64| {
        let mut axes = whole_slices(&shape);
        axes[3] = SliceAxis { start: Dim::from(start), step, len: half.clone() };
        l.slice(x, axes)
    };
    let (a, b) =
        if turn.interleaved { (part(l, 0, 2)?, part(l, 1, 2)?) } else { (part(l, 0, 1)?, part(l, cells / 2, 1)?) };
    let mut turned = shape.clone();
    turned[3] = half.clone();
    let angle = |l: &mut Lower<'_>, v: ValueId| {
        let mut own = l.shape(v)?;
        if own.len() != 3 {
            return Err(l.misfit("cache", &own, &turned));
        }
        own.insert(heads, Dim::ONE);
        let v = l.reshape(v, &own)?;
        l.broadcast(v, &turned)
    };
    let (cos, sin) = (angle(l, cos)?, angle(l, sin)?);
    let times = |l: &mut Lower<'_>, x: ValueId, y: ValueId| l.map(Scalar::Mul, &[x, y]);
    let (ca, sb, sa, cb) = (times(l, cos, a)?, times(l, sin, b)?, times(l, sin, a)?, times(l, cos, b)?);
    let real = l.map(Scalar::Sub, &[ca, sb])?;
    let imaginary = l.map(Scalar::Add, &[sa, cb])?;
    let mut whole = if turn.interleaved {
        let mut pairs = turned.clone();
        pairs.push(Dim::ONE);
        let (real, imaginary) = (l.reshape(real, &pairs)?, l.reshape(imaginary, &pairs)?);
        let joined = l.concat(4, &[real, imaginary])?;
        let mut merged = turned;
        merged[3] = Dim::from(cells);
        l.reshape(joined, &merged)?
    } else {
        l.concat(3, &[real, imaginary])?
    };
    let rest = shape[3].clone() - Dim::from(cells);
    if rest != Dim::ZERO {
        let tail = l.slice_axis(x, 3, Dim::from(cells), rest)?;
        whole = l.concat(3, &[whole, tail])?;
    }
    Ok(whole)
}
