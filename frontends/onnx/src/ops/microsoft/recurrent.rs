//! DynamicQuantizeLSTM: products with 8-bit weights, whose left operands are quantized as they come: the whole sequence
//! once, and the state at every step.

use egret_ir::op::SliceAxis;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, ValueId};

use super::super::Row;
use super::super::contract::matmul_values;
use super::super::quantize::{Side, centered, dynamic_values};
use super::super::scan::{Step, scan};
use super::microsoft;
use super::quantized::scaled;
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque, whole_slices};
use crate::node;

pub const ROWS: &[Row] = &[microsoft("DynamicQuantizeLSTM", dynamic_lstm)];

/// An 8-bit matrix with its scale and zero point, each one number or one per column.
#[derive(Clone, Copy)]
struct Matrix {
    values: ValueId,
    scale: ValueId,
    zero: ValueId,
}

impl Matrix {
    /// Part `d` of axis 0 of the node's operands `at`, `scale` and `scale + 1`.
    fn of(l: &mut Lower<'_>, d: i64, at: usize, scale: usize) -> Result<Self, Fail> {
        let (values, factor, zero) = (l.operand(at)?, l.operand(scale)?, l.operand(scale + 1)?);
        Ok(Self { values: part(l, values, d)?, scale: part(l, factor, d)?, zero: part(l, zero, d)? })
    }

    /// x, quantized as a whole, times the matrix.
    fn times(self, l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
        let q = dynamic_values(l, x)?;
        let a = centered(l, q.values, Some(q.zero), Side::Rows)?;
        let b = centered(l, self.values, Some(self.zero), Side::Columns)?;
        let y = matmul_values(l, a, b, DType::I32, DType::I32)?;
        scaled(l, y, q.scale, self.scale)
    }
}

/// Element `d` of axis 0.
fn part(l: &mut Lower<'_>, v: ValueId, d: i64) -> Result<ValueId, Fail> {
    let shape = l.shape(v)?;
    let Some((_, inner)) = shape.split_first() else { return Err(l.misfit("inputs", &shape, &[])) };
    let one = l.slice_axis(v, 0, Dim::from(d), Dim::ONE)?;
    l.reshape(one, inner)
}

fn backwards(l: &mut Lower<'_>, v: ValueId) -> Result<ValueId, Fail> {
    let shape = l.shape(v)?;
    let mut axes = whole_slices(&shape);
    axes[0] = SliceAxis { start: shape[0].clone() - Dim::ONE, step: -1, len: shape[0].clone() };
    l.slice(v, axes)
}

/// Operands X `[T,B,I]`, W `[D,I,4H]`, R `[D,H,4H]`, B `[D,8H]`, sequence_lens, initial_h, initial_c `[D,B,H]`, P `[D,3H]`,
/// then scale and zero point of W and of R; results Y `[T,D,B,H]`, Y_h and Y_c `[D,B,H]`.
fn dynamic_lstm(l: &mut Lower<'_>) -> Results {
    let name = l.string("direction", "forward")?;
    let reverse: &[bool] = match name.as_str() {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        _ => return Err(l.value("direction", &name, "forward, reverse or bidirectional")),
    };
    let plain = ["sigmoid", "tanh", "tanh"];
    let names = node::find(l.node, "activations").map(|a| a.strings.clone()).unwrap_or_default();
    let usual = names.iter().zip(plain.iter().cycle()).all(|(s, p)| s.eq_ignore_ascii_case(p.as_bytes()));
    if !usual || node::find(l.node, "clip").is_some() || l.flag("input_forget", false) {
        return Err(opaque("activations, a clip or coupled gates"));
    }
    if l.optional(4).is_some() {
        return Err(opaque("sequence lengths"));
    }
    let (x, r) = (l.operand(0)?, l.operand(2)?);
    let (sx, sr) = (l.shape(x)?, l.shape(r)?);
    let ([time, batch, _], [_, _, gates]) = (sx.as_slice(), sr.as_slice()) else {
        return Err(bad("inputs", ProblemKind::Rank { got: sr.len(), expected: "3".into() }));
    };
    let Some(hidden) = gates.as_const().map(|n| n / 4) else { return Err(opaque("an unknown hidden size")) };
    let dtype = l.dtype(x)?;
    let row = [batch.clone(), Dim::from(hidden)];
    let mut out: [Vec<ValueId>; 3] = Default::default();
    for (d, backward) in reverse.iter().enumerate() {
        let d = d as i64;
        let (w, r) = (Matrix::of(l, d, 1, 8)?, Matrix::of(l, d, 2, 10)?);
        let mut input = w.times(l, x)?;
        if let Some(bias) = l.optional(3) {
            let both = part(l, bias, d)?;
            let four = Dim::from(4 * hidden);
            let a = l.slice_axis(both, 0, Dim::ZERO, four.clone())?;
            let b = l.slice_axis(both, 0, four.clone(), four)?;
            let bias = l.map(Scalar::Add, &[a, b])?;
            input = l.wide(Scalar::Add, &[input, bias])?;
        }
        if *backward {
            input = backwards(l, input)?;
        }
        let start = |l: &mut Lower<'_>, i: usize| match l.optional(i) {
            Some(v) => part(l, v, d),
            None => l.splat(Literal::from_f64(dtype, 0.0), &row),
        };
        let carried = [start(l, 5)?, start(l, 6)?];
        let mut captures = vec![r.values, r.scale, r.zero];
        if let Some(p) = l.optional(7) {
            captures.push(part(l, p, d)?);
        }
        let results = scan(l, time, &carried, &[input], &captures, |l, carried, now, outer| {
            let r = Matrix { values: outer[0], scale: outer[1], zero: outer[2] };
            step(l, r, outer.get(3).copied(), [carried[0], carried[1]], now[0], hidden)
        })?;
        let y = if *backward { backwards(l, results[2])? } else { results[2] };
        for (list, v, axis) in [(0, y, 1), (1, results[0], 0), (2, results[1], 0)] {
            let mut shape = l.shape(v)?;
            shape.insert(axis, Dim::ONE);
            out[list].push(l.reshape(v, &shape)?);
        }
    }
    Ok(vec![l.concat(1, &out[0])?, l.concat(0, &out[1])?, l.concat(0, &out[2])?])
}

/// One step from the input's share `[B,4H]` of the gates input, output, forget, cell.
fn step(
    l: &mut Lower<'_>,
    r: Matrix,
    peephole: Option<ValueId>,
    [h, c]: [ValueId; 2],
    input: ValueId,
    hidden: i64,
) -> Result<Step, Fail> {
    let recurrent = r.times(l, h)?;
    let all = l.map(Scalar::Add, &[input, recurrent])?;
    let cells = |i: i64| (Dim::from(i * hidden), Dim::from(hidden));
    let gate = |l: &mut Lower<'_>, i: i64| {
        let (start, len) = cells(i);
        l.slice_axis(all, 1, start, len)
    };
    let peeped = |l: &mut Lower<'_>, i: i64, p: i64, c: ValueId| {
        let mut x = gate(l, i)?;
        if let Some(peephole) = peephole {
            let (start, len) = cells(p);
            let weight = l.slice_axis(peephole, 0, start, len)?;
            let share = l.wide(Scalar::Mul, &[weight, c])?;
            x = l.map(Scalar::Add, &[x, share])?;
        }
        l.map(Scalar::Sigmoid, &[x])
    };
    let (i, f) = (peeped(l, 0, 0, c)?, peeped(l, 2, 2, c)?);
    let candidate = gate(l, 3)?;
    let candidate = l.map(Scalar::Tanh, &[candidate])?;
    let (kept, new) = (l.map(Scalar::Mul, &[f, c])?, l.map(Scalar::Mul, &[i, candidate])?);
    let c = l.map(Scalar::Add, &[kept, new])?;
    let o = peeped(l, 1, 1, c)?;
    let squashed = l.map(Scalar::Tanh, &[c])?;
    let h = l.map(Scalar::Mul, &[o, squashed])?;
    Ok(Step { carried: vec![h, c], stacked: vec![h] })
}
