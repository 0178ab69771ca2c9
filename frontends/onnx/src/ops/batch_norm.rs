//! BatchNormalization of all opsets, with given statistics or, in training, with those of the batch.
//!
//! Source: the ONNX specification. What makes a node train changed: `is_test` (1 to 6), results beyond the first (7 to
//! 13), `training_mode` (14 and later). Up to opset 8, `spatial` 0 asks for statistics per activation.

use egret_ir::op::scalar::Scalar;
use egret_ir::{Dim, Shape, ValueId};

use super::normalize::{at_least_rank, others};
use super::reduce::mean;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator};

pub const ROWS: &[Row] = &[
    onnx("BatchNormalization", 1..7, |l| {
        let trains = !l.flag("is_test", false);
        batch_norm(l, trains)
    }),
    onnx("BatchNormalization", 7..9, |l| {
        let trains = wants_statistics(l);
        batch_norm(l, trains)
    }),
    onnx("BatchNormalization", 9..14, |l| {
        let trains = wants_statistics(l);
        batch_norm(l, trains)
    }),
    onnx("BatchNormalization", 14..LATEST, |l| {
        let trains = l.flag("training_mode", false);
        batch_norm(l, trains)
    }),
];

fn wants_statistics(l: &Lower<'_>) -> bool {
    (1..5).any(|i| l.wants(i))
}

/// A value per channel (axis 1) or per activation (axes from 1 on), repeated to a shape.
fn spread(l: &mut Lower<'_>, v: ValueId, axes: &[usize], shape: &[Dim]) -> Result<ValueId, Fail> {
    let own = l.shape(v)?;
    let wanted: Shape = axes.iter().map(|a| shape[*a].clone()).collect();
    // Statistics per activation may come as one axis.
    let flat = axes.len() > 1 && own.len() == 1;
    if own != wanted && !flat {
        return Err(l.misfit("inputs", &own, &wanted));
    }
    let v = l.reshape(v, &wanted)?;
    l.spread(v, axes, shape)
}

/// (x − μ) / √(var + ε) · γ + β, in that order.
fn batch_norm(l: &mut Lower<'_>, trains: bool) -> Results {
    let x = l.operand(0)?;
    let shape = at_least_rank(l, x, 2)?;
    let (scale, bias, given_mean, given_var) = (l.operand(1)?, l.operand(2)?, l.operand(3)?, l.operand(4)?);
    let kept: Vec<usize> = if l.opset < 9 && !l.flag("spatial", true) { (1..shape.len()).collect() } else { vec![1] };
    let (dtype, statistics) = (l.dtype(x)?, l.dtype(given_mean)?);
    let epsilon = f64::from(l.float("epsilon", 1e-5));
    let mut out = Vec::new();
    let (mu, var) = if trains {
        let axes = others(shape.len(), &kept);
        let wide = l.cast(x, accumulator(dtype))?;
        let mu = mean(l, wide, &axes)?;
        let around = l.spread(mu, &kept, &shape)?;
        let centered = l.map(Scalar::Sub, &[wide, around])?;
        let square = l.map(Scalar::Mul, &[centered, centered])?;
        let var = mean(l, square, &axes)?;
        let (mu, var) = (l.cast(mu, statistics)?, l.cast(var, statistics)?);
        out.push(running(l, given_mean, mu)?);
        out.push(running(l, given_var, var)?);
        out.extend([mu, var]);
        (mu, var)
    } else {
        (given_mean, given_var)
    };
    let wide = l.cast(x, statistics)?;
    let mu = spread(l, mu, &kept, &shape)?;
    let centered = l.map(Scalar::Sub, &[wide, mu])?;
    let var = l.with(Scalar::Add, var, epsilon)?;
    let deviation = l.map(Scalar::Sqrt, &[var])?;
    let deviation = spread(l, deviation, &kept, &shape)?;
    let y = l.map(Scalar::Div, &[centered, deviation])?;
    let (scale, bias) = (l.cast(scale, statistics)?, l.cast(bias, statistics)?);
    let scale = spread(l, scale, &kept, &shape)?;
    let y = l.map(Scalar::Mul, &[y, scale])?;
    let bias = spread(l, bias, &kept, &shape)?;
    let y = l.map(Scalar::Add, &[y, bias])?;
    out.insert(0, l.cast(y, dtype)?);
    Ok(out)
}

/// before · momentum + now · (1 − momentum).
fn running(l: &mut Lower<'_>, before: ValueId, now: ValueId) -> Result<ValueId, Fail> {
    let momentum = l.float("momentum", 0.9);
    let shape = l.shape(before)?;
    let now = l.reshape(now, &shape)?;
    let old = l.with(Scalar::Mul, before, f64::from(momentum))?;
    let new = l.with(Scalar::Mul, now, f64::from(1.0 - momentum))?;
    l.map(Scalar::Add, &[old, new])
}
