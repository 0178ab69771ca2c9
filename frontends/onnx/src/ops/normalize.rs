//! Normalizations, expanded into folds and scalar rows: their parts meet the rewrite rules.
//!
//! Order of operations as in the ONNX specification's bodies, except variance, which is the mean of squared deviations
//! (the bodies' E[x²] − E[x]² cancels).

use egret_ir::dim::count;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::cast::dtype_code;
use super::reduce::{fold, kept, mean};
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator, opaque};

pub const ROWS: &[Row] = &[
    onnx("Softmax", 1..13, |l| softmax(l, coerced)),
    onnx("Softmax", 13..LATEST, |l| softmax(l, one_axis)),
    onnx("LogSoftmax", 1..13, |l| log_softmax(l, coerced)),
    onnx("LogSoftmax", 13..LATEST, |l| log_softmax(l, one_axis)),
    onnx("Hardmax", 1..13, |l| hardmax(l, coerced)),
    onnx("Hardmax", 13..LATEST, |l| hardmax(l, one_axis)),
    onnx("InstanceNormalization", 1..LATEST, instance_norm),
    onnx("LayerNormalization", 17..LATEST, layer_norm),
    onnx("RMSNormalization", 23..LATEST, rms_norm),
    onnx("GroupNormalization", 18..21, |l| group_norm(l, PerGroup)),
    onnx("GroupNormalization", 21..LATEST, |l| group_norm(l, PerChannel)),
    onnx("MeanVarianceNormalization", 9..LATEST, mean_variance_norm),
    onnx("LpNormalization", 1..LATEST, lp_norm),
    onnx("LRN", 1..LATEST, lrn),
];

/// Opsets 1 to 12 fold all axes from `axis` (default 1) on.
pub fn coerced(l: &Lower<'_>, rank: usize) -> Result<Vec<usize>, Fail> {
    let axis = l.int("axis", 1);
    let axis = if axis == rank as i64 { rank } else { l.axis("axis", axis, rank)? };
    Ok((axis..rank).collect())
}

/// Opset 13 and later fold one axis (default the last).
pub fn one_axis(l: &Lower<'_>, rank: usize) -> Result<Vec<usize>, Fail> {
    Ok(vec![l.axis("axis", l.int("axis", -1), rank)?])
}

type Axes = fn(&Lower<'_>, usize) -> Result<Vec<usize>, Fail>;

/// The axes that `axes` leaves.
pub fn others(rank: usize, axes: &[usize]) -> Vec<usize> {
    (0..rank).filter(|i| !axes.contains(i)).collect()
}

/// x minus its maximum over `axes`.
fn shifted(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let m = fold(l, Monoid::Max, x, axes)?;
    let m = l.spread(m, &others(shape.len(), axes), &shape)?;
    l.map(Scalar::Sub, &[x, m])
}

fn softmax(l: &mut Lower<'_>, axes: Axes) -> Results {
    let x = l.operand(0)?;
    let axes = axes(l, l.rank(x)?)?;
    Ok(vec![softmax_values(l, x, &axes)?])
}

/// exp(x − max x) / Σ exp(x − max x) over `axes`.
pub fn softmax_values(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let d = shifted(l, x, axes)?;
    let e = l.map(Scalar::Exp, &[d])?;
    let sum = fold(l, Monoid::Sum, e, axes)?;
    let sum = l.spread(sum, &others(shape.len(), axes), &shape)?;
    l.map(Scalar::Div, &[e, sum])
}

fn log_softmax(l: &mut Lower<'_>, axes: Axes) -> Results {
    let x = l.operand(0)?;
    let axes = axes(l, l.rank(x)?)?;
    Ok(vec![log_softmax_values(l, x, &axes)?])
}

/// x − max x − ln Σ exp(x − max x) over `axes`.
pub fn log_softmax_values(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let shape = l.shape(x)?;
    let d = shifted(l, x, axes)?;
    let e = l.map(Scalar::Exp, &[d])?;
    let sum = fold(l, Monoid::Sum, e, axes)?;
    let log = l.map(Scalar::Log, &[sum])?;
    let log = l.spread(log, &others(shape.len(), axes), &shape)?;
    l.map(Scalar::Sub, &[d, log])
}

/// 1 at the first maximum, else 0.
fn hardmax(l: &mut Lower<'_>, axes: Axes) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let axes = axes(l, t.rank())?;
    // One folded axis: those of opset 1 to 12 are merged first.
    let first = axes.first().copied().unwrap_or(t.rank());
    let mut shape: Shape = t.shape[..first].to_vec();
    shape.push(count(&axes.iter().map(|a| t.shape[*a].clone()).collect::<Vec<_>>()));
    shape.extend_from_slice(&t.shape[(first + axes.len()).min(t.rank())..]);
    let flat = l.reshape(x, &shape)?;
    let best = l.fold(Monoid::ArgMaxFirst, flat, &[first], t.dtype)?;
    let best = l.spread(best, &others(shape.len(), &[first]), &shape)?;
    let cells = l.iota(&shape[first], DType::I64)?;
    let cells = l.spread(cells, &[first], &shape)?;
    let hit = l.map(Scalar::Eq, &[best, cells])?;
    let y = l.cast(hit, t.dtype)?;
    Ok(vec![l.reshape(y, &t.shape)?])
}

/// A per-channel value (axis 1) repeated to a shape.
fn channel(l: &mut Lower<'_>, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
    let own = l.shape(v)?;
    if own.len() != 1 || own[0] != shape[1] {
        return Err(l.misfit("inputs", &own, &shape[1..2]));
    }
    l.spread(v, &[1], shape)
}

/// The shape of operand 0, which must have so many axes.
pub fn at_least_rank(l: &Lower<'_>, x: ValueId, least: usize) -> Result<Shape, Fail> {
    let shape = l.shape(x)?;
    if shape.len() < least {
        let kind = crate::error::ProblemKind::Rank { got: shape.len(), expected: format!("{least} or more") };
        return Err(crate::lower::bad("input 0", kind));
    }
    Ok(shape)
}

/// What a normalization over `axes` computes.
pub struct Normalized {
    /// (x − μ) / √(var + ε).
    pub y: ValueId,
    /// μ, axes folded.
    pub mean: ValueId,
    /// √(var + ε), axes folded.
    pub deviation: ValueId,
}

/// `x` without its mean over `axes` and with a deviation of 1.
pub fn normalized(l: &mut Lower<'_>, x: ValueId, axes: &[usize], epsilon: f64) -> Result<Normalized, Fail> {
    let shape = l.shape(x)?;
    let rest = others(shape.len(), axes);
    let mu = mean(l, x, axes)?;
    let wide = l.spread(mu, &rest, &shape)?;
    let centered = l.map(Scalar::Sub, &[x, wide])?;
    let square = l.map(Scalar::Mul, &[centered, centered])?;
    let var = mean(l, square, axes)?;
    let var = l.with(Scalar::Add, var, epsilon)?;
    let deviation = l.map(Scalar::Sqrt, &[var])?;
    let wide = l.spread(deviation, &rest, &shape)?;
    let y = l.map(Scalar::Div, &[centered, wide])?;
    Ok(Normalized { y, mean: mu, deviation })
}

fn instance_norm(l: &mut Lower<'_>) -> Results {
    let (x, scale, bias) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let shape = at_least_rank(l, x, 2)?;
    let dtype = l.dtype(x)?;
    let axes: Vec<usize> = (2..shape.len()).collect();
    let epsilon = l.float("epsilon", 1e-5);
    let wide = l.cast(x, accumulator(dtype))?;
    let y = normalized(l, wide, &axes, f64::from(epsilon))?.y;
    let y = l.cast(y, dtype)?;
    let scale = channel(l, scale, &shape)?;
    let y = l.map(Scalar::Mul, &[y, scale])?;
    let bias = channel(l, bias, &shape)?;
    Ok(vec![l.map(Scalar::Add, &[y, bias])?])
}

/// The type in which statistics are computed.
fn stash(l: &Lower<'_>) -> Result<DType, Fail> {
    dtype_code("stash_type", l.int("stash_type", 1))
}

/// From `axis` on; results y, mean and 1/deviation (folded axes kept as 1).
pub fn layer_norm(l: &mut Lower<'_>) -> Results {
    let (x, scale) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(x)?;
    let axis = l.axis("axis", l.int("axis", -1), t.rank())?;
    let axes: Vec<usize> = (axis..t.rank()).collect();
    let (stash, epsilon) = (stash(l)?, l.float("epsilon", 1e-5));
    // A double is never narrowed.
    let compute = if t.dtype == DType::F64 { DType::F64 } else { stash };
    let wide = l.cast(x, compute)?;
    let n = normalized(l, wide, &axes, f64::from(epsilon))?;
    let y = l.cast(n.y, t.dtype)?;
    let scale = l.broadcast(scale, &t.shape)?;
    let mut y = l.map(Scalar::Mul, &[y, scale])?;
    if let Some(bias) = l.optional(2) {
        let bias = l.broadcast(bias, &t.shape)?;
        y = l.map(Scalar::Add, &[y, bias])?;
    }
    let mut out = vec![y];
    let folded = kept(&t.shape, &axes);
    if l.wants(1) || l.wants(2) {
        let mean = l.cast(n.mean, stash)?;
        out.push(l.reshape(mean, &folded)?);
    }
    if l.wants(2) {
        let inverse = inverse(l, n.deviation, &folded)?;
        out.push(l.cast(inverse, stash)?);
    }
    Ok(out)
}

/// From `axis` on; results y and 1/rms (folded axes kept as 1; the standard's operator has the first only).
pub fn rms_norm(l: &mut Lower<'_>) -> Results {
    let (x, scale) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(x)?;
    let axis = l.axis("axis", l.int("axis", -1), t.rank())?;
    let axes: Vec<usize> = (axis..t.rank()).collect();
    let epsilon = l.float("epsilon", 1e-5);
    let (y, rms) = rms_normalized(l, x, scale, &axes, f64::from(epsilon))?;
    let mut out = vec![y];
    if l.wants(1) {
        out.push(inverse(l, rms, &kept(&t.shape, &axes))?);
    }
    Ok(out)
}

/// x / √(mean x² + ε) · scale over `axes`, computed in the node's stash type; and the root, axes folded.
pub fn rms_normalized(
    l: &mut Lower<'_>,
    x: ValueId,
    scale: ValueId,
    axes: &[usize],
    epsilon: f64,
) -> Result<(ValueId, ValueId), Fail> {
    let t = l.tensor(x)?;
    let compute = if t.dtype == DType::F64 { DType::F64 } else { stash(l)? };
    let wide = l.cast(x, compute)?;
    let square = l.map(Scalar::Mul, &[wide, wide])?;
    let mean = mean(l, square, axes)?;
    let mean = l.with(Scalar::Add, mean, epsilon)?;
    let rms = l.map(Scalar::Sqrt, &[mean])?;
    let around = l.spread(rms, &others(t.rank(), axes), &t.shape)?;
    let y = l.map(Scalar::Div, &[wide, around])?;
    let scale_type = l.dtype(scale)?;
    let y = l.cast(y, scale_type)?;
    let scale = l.broadcast(scale, &t.shape)?;
    Ok((l.map(Scalar::Mul, &[y, scale])?, rms))
}

/// 1 / deviation, of the given shape.
pub fn inverse(l: &mut Lower<'_>, deviation: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
    let v = l.with_left(Scalar::Div, 1.0, deviation)?;
    l.reshape(v, shape)
}

#[derive(Clone, Copy)]
enum Affine {
    PerGroup,
    PerChannel,
}
use Affine::{PerChannel, PerGroup};

fn group_norm(l: &mut Lower<'_>, affine: Affine) -> Results {
    let (x, scale, bias) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let shape = at_least_rank(l, x, 2)?;
    let dtype = l.dtype(x)?;
    let groups = l.int("num_groups", 0);
    if groups < 1 {
        return Err(l.value("num_groups", &groups.to_string(), "a positive number"));
    }
    let groups = Dim::from(groups);
    let mut grouped = vec![shape[0].clone(), groups.clone(), shape[1].exact_div(&groups)];
    grouped.extend_from_slice(&shape[2..]);
    let epsilon = l.float("epsilon", 1e-5);
    let compute = if l.opset >= 21 && dtype != DType::F64 { stash(l)? } else { accumulator(dtype) };
    let y = l.reshape(x, &grouped)?;
    let y = l.cast(y, compute)?;
    let axes: Vec<usize> = (2..grouped.len()).collect();
    let y = normalized(l, y, &axes, f64::from(epsilon))?.y;
    let mut y = l.cast(y, dtype)?;
    let affine_shape = match affine {
        PerGroup => grouped,
        PerChannel => {
            y = l.reshape(y, &shape)?;
            shape.clone()
        }
    };
    let scale = channel(l, scale, &affine_shape)?;
    let y = l.map(Scalar::Mul, &[y, scale])?;
    let bias = channel(l, bias, &affine_shape)?;
    let y = l.map(Scalar::Add, &[y, bias])?;
    Ok(vec![l.reshape(y, &shape)?])
}

/// (x − μ) / (σ + 1e-9): ε is added to the deviation, not to the variance.
fn mean_variance_norm(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let shape = l.shape(x)?;
    let axes = l.ints("axes").map_or_else(|| vec![0, 2, 3], <[i64]>::to_vec);
    let axes = l.axes("axes", &axes, shape.len())?;
    let rest = others(shape.len(), &axes);
    let mu = mean(l, x, &axes)?;
    let mu = l.spread(mu, &rest, &shape)?;
    let centered = l.map(Scalar::Sub, &[x, mu])?;
    let square = l.map(Scalar::Mul, &[centered, centered])?;
    let var = mean(l, square, &axes)?;
    let deviation = l.map(Scalar::Sqrt, &[var])?;
    let deviation = l.with(Scalar::Add, deviation, 1e-9)?;
    let deviation = l.spread(deviation, &rest, &shape)?;
    Ok(vec![l.map(Scalar::Div, &[centered, deviation])?])
}

/// x / ‖x‖ along an axis; 0 where the norm is 0.
fn lp_norm(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let axis = l.axis("axis", l.int("axis", -1), t.rank())?;
    let norm = match l.int("p", 2) {
        1 => {
            let size = l.map(Scalar::Abs, &[x])?;
            fold(l, Monoid::Sum, size, &[axis])?
        }
        2 => {
            let square = l.map(Scalar::Mul, &[x, x])?;
            let sum = fold(l, Monoid::Sum, square, &[axis])?;
            l.map(Scalar::Sqrt, &[sum])?
        }
        p => return Err(l.value("p", &p.to_string(), "1 or 2")),
    };
    let norm = l.spread(norm, &others(t.rank(), &[axis]), &t.shape)?;
    let zero = l.splat(Literal::from_f64(t.dtype, 0.0), &t.shape)?;
    let empty = l.map(Scalar::Eq, &[norm, zero])?;
    let y = l.map(Scalar::Div, &[x, norm])?;
    Ok(vec![l.map(Scalar::Select, &[empty, zero, y])?])
}

/// x / (bias + α/size · Σ over a window of channels of x²)^β; for an even size the window reaches one further up.
fn lrn(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let shape = at_least_rank(l, x, 2)?;
    let size = l.int("size", 0);
    if size < 1 {
        return Err(l.value("size", &size.to_string(), "a positive number"));
    }
    let (alpha, beta, bias) = (l.float("alpha", 1e-4), l.float("beta", 0.75), l.float("bias", 1.0));
    let square = l.map(Scalar::Mul, &[x, x])?;
    let label = |i: usize| Label(i as u8);
    let tap = label(shape.len());
    let window = Window { out: label(1), tap, stride: 1, dil: 1, lo: (size - 1) / 2, in_dil: 1 };
    let axes = (0..shape.len()).map(|i| if i == 1 { Ix::Window(window) } else { Ix::Label(label(i)) }).collect();
    let out: Vec<Label> = (0..shape.len()).map(label).collect();
    let ext = [(label(1), shape[1].clone()), (tap, Dim::from(size))];
    let spec = Spec::new(&[axes], &out, &ext).map_err(|e| opaque(e.to_string()))?;
    let acc = accumulator(l.dtype(x)?);
    let sum = l.reduce(Monoid::Sum, spec, square, acc)?;
    let y = l.with(Scalar::Mul, sum, f64::from(alpha) / size as f64)?;
    let y = l.with(Scalar::Add, y, f64::from(bias))?;
    let y = l.with(Scalar::Pow, y, f64::from(beta))?;
    Ok(vec![l.map(Scalar::Div, &[x, y])?])
}
