//! Folds over whole axes: the Reduce operators, ArgMax and ArgMin.
//!
//! Composites of narrow floats (mean, norms) are computed in f32; a plain sum accumulates in f32 and rounds once.

use egret_ir::dim::count;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::{InfSign, Scalar};
use egret_ir::{DType, Dim, Shape, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator};

pub const ROWS: &[Row] = &[
    onnx("ReduceSum", 1..13, |l| reduce(l, plain_sum)),
    onnx("ReduceSum", 13..LATEST, |l| reduce(l, plain_sum)),
    onnx("ReduceProd", 1..18, |l| reduce(l, |l, x, a| fold(l, Monoid::Prod, x, a))),
    onnx("ReduceProd", 18..LATEST, |l| reduce(l, |l, x, a| fold(l, Monoid::Prod, x, a))),
    onnx("ReduceMax", 1..18, |l| reduce(l, |l, x, a| fold(l, Monoid::Max, x, a))),
    onnx("ReduceMax", 18..LATEST, |l| reduce(l, |l, x, a| fold(l, Monoid::Max, x, a))),
    onnx("ReduceMin", 1..18, |l| reduce(l, |l, x, a| fold(l, Monoid::Min, x, a))),
    onnx("ReduceMin", 18..LATEST, |l| reduce(l, |l, x, a| fold(l, Monoid::Min, x, a))),
    onnx("ReduceMean", 1..18, |l| reduce(l, wide_mean)),
    onnx("ReduceMean", 18..LATEST, |l| reduce(l, wide_mean)),
    onnx("ReduceL1", 1..18, |l| reduce(l, l1)),
    onnx("ReduceL1", 18..LATEST, |l| reduce(l, l1)),
    onnx("ReduceL2", 1..18, |l| reduce(l, l2)),
    onnx("ReduceL2", 18..LATEST, |l| reduce(l, l2)),
    onnx("ReduceSumSquare", 1..18, |l| reduce(l, sum_square)),
    onnx("ReduceSumSquare", 18..LATEST, |l| reduce(l, sum_square)),
    onnx("ReduceLogSum", 1..18, |l| reduce(l, log_sum)),
    onnx("ReduceLogSum", 18..LATEST, |l| reduce(l, log_sum)),
    onnx("ReduceLogSumExp", 1..18, |l| reduce(l, log_sum_exp)),
    onnx("ReduceLogSumExp", 18..LATEST, |l| reduce(l, log_sum_exp)),
    onnx("ArgMax", 1..LATEST, |l| arg(l, [Monoid::ArgMaxFirst, Monoid::ArgMaxLast])),
    onnx("ArgMin", 1..LATEST, |l| arg(l, [Monoid::ArgMinFirst, Monoid::ArgMinLast])),
];

type Fold = fn(&mut Lower<'_>, ValueId, &[usize]) -> Result<ValueId, Fail>;

/// Axes and keepdims around a fold. No axes means all, or, with `noop_with_empty_axes`, none: then only the fold itself
/// is skipped (a sum of squares still squares).
fn reduce(l: &mut Lower<'_>, f: Fold) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axes = match l.axes_of(1)?.filter(|axes| !axes.is_empty()) {
        Some(axes) => {
            let mut axes = l.axes("axes", &axes, own.len())?;
            axes.sort_unstable();
            axes
        }
        None if l.flag("noop_with_empty_axes", false) => Vec::new(),
        None => (0..own.len()).collect(),
    };
    let y = f(l, x, &axes)?;
    if !l.flag("keepdims", true) {
        return Ok(vec![y]);
    }
    Ok(vec![l.reshape(y, &kept(&own, &axes))?])
}

/// The shape with the folded axes as 1.
pub fn kept(own: &[Dim], axes: &[usize]) -> Shape {
    own.iter().enumerate().map(|(i, d)| if axes.contains(&i) { Dim::ONE } else { d.clone() }).collect()
}

/// A fold in the type's accumulator; over no axes, the value.
pub fn fold(l: &mut Lower<'_>, monoid: Monoid, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    if axes.is_empty() {
        return Ok(x);
    }
    let dtype = l.dtype(x)?;
    let acc = if matches!(monoid, Monoid::Sum | Monoid::Prod) { accumulator(dtype) } else { dtype };
    l.fold(monoid, x, axes, acc)
}

fn plain_sum(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    fold(l, Monoid::Sum, x, axes)
}

/// Narrow floats in f32 through `f`, back at the end.
pub fn widened(
    l: &mut Lower<'_>,
    x: ValueId,
    f: impl FnOnce(&mut Lower<'_>, ValueId) -> Result<ValueId, Fail>,
) -> Result<ValueId, Fail> {
    let dtype = l.dtype(x)?;
    let wide = l.cast(x, accumulator(dtype))?;
    let y = f(l, wide)?;
    l.cast(y, dtype)
}

/// Σx / n in the value's own type.
pub fn mean(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    if axes.is_empty() {
        return Ok(x);
    }
    let t = l.tensor(x)?;
    let n = count(&axes.iter().map(|a| t.shape[*a].clone()).collect::<Vec<_>>());
    let sum = fold(l, Monoid::Sum, x, axes)?;
    let n = l.dim(&n, t.dtype)?;
    let shape = l.shape(sum)?;
    let n = l.broadcast(n, &shape)?;
    l.map(Scalar::Div, &[sum, n])
}

fn wide_mean(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    widened(l, x, |l, x| mean(l, x, axes))
}

fn l1(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let x = l.map(Scalar::Abs, &[x])?;
    fold(l, Monoid::Sum, x, axes)
}

fn squares(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    let x = l.map(Scalar::Mul, &[x, x])?;
    fold(l, Monoid::Sum, x, axes)
}

fn sum_square(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    widened(l, x, |l, x| squares(l, x, axes))
}

/// Through `f` as a real number, and cut back to the type: integers (up to opset 27) as f64.
fn as_real(
    l: &mut Lower<'_>,
    x: ValueId,
    f: impl FnOnce(&mut Lower<'_>, ValueId) -> Result<ValueId, Fail>,
) -> Result<ValueId, Fail> {
    let dtype = l.dtype(x)?;
    if dtype.is_float() {
        return widened(l, x, f);
    }
    let real = l.cast(x, DType::F64)?;
    let y = f(l, real)?;
    l.cast(y, dtype)
}

fn l2(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    as_real(l, x, |l, x| {
        let sum = squares(l, x, axes)?;
        l.map(Scalar::Sqrt, &[sum])
    })
}

fn log_sum(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    as_real(l, x, |l, x| {
        let sum = fold(l, Monoid::Sum, x, axes)?;
        l.map(Scalar::Log, &[sum])
    })
}

/// m + ln Σ e^(x − m) with the maximum m, or 0 where that is infinite: the plain body overflows.
fn log_sum_exp(l: &mut Lower<'_>, x: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
    as_real(l, x, |l, x| {
        let shape = l.shape(x)?;
        let m = fold(l, Monoid::Max, x, axes)?;
        let infinite = l.map(Scalar::IsInf(InfSign::Both), &[m])?;
        let t = l.tensor(m)?;
        let zero = l.splat(egret_ir::Literal::from_f64(t.dtype, 0.0), &t.shape)?;
        let m = l.map(Scalar::Select, &[infinite, zero, m])?;
        let others: Vec<usize> = (0..shape.len()).filter(|i| !axes.contains(i)).collect();
        let wide = l.spread(m, &others, &shape)?;
        let shifted = l.map(Scalar::Sub, &[x, wide])?;
        let e = l.map(Scalar::Exp, &[shifted])?;
        let sum = fold(l, Monoid::Sum, e, axes)?;
        let log = l.map(Scalar::Log, &[sum])?;
        l.map(Scalar::Add, &[m, log])
    })
}

fn arg(l: &mut Lower<'_>, [first, last]: [Monoid; 2]) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axis = l.axis("axis", l.int("axis", 0), own.len())?;
    if own[axis] == Dim::ZERO {
        return Err(l.value("axis", &axis.to_string(), "an axis that is not empty"));
    }
    let monoid = if l.flag("select_last_index", false) { last } else { first };
    let dtype = l.dtype(x)?;
    let y = l.fold(monoid, x, &[axis], dtype)?;
    debug_assert_eq!(l.dtype(y).ok(), Some(DType::I64));
    if !l.flag("keepdims", true) {
        return Ok(vec![y]);
    }
    Ok(vec![l.reshape(y, &kept(&own, &[axis]))?])
}
