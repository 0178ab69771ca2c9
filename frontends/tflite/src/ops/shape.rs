//! Shapes: relabelling of axes, and values made of shapes.

use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, Shape};

use super::{Row, moves, stored};
use crate::lower::{Lower, Results, axis, bad_value, unsupported};

pub const ROWS: &[Row] = &[
    moves("RESHAPE", (1, 2), reshape),
    moves("EXPAND_DIMS", (2, 2), expand_dims),
    moves("SQUEEZE", (1, 1), squeeze),
    stored("SHAPE", (1, 1), |l| {
        let (shape, to) = (l.shape(l.operand(0)?)?, l.result_dtype(0)?);
        Ok(vec![l.b.dims(&shape, to)?])
    }),
    stored("RANK", (1, 1), |l| {
        let rank = l.shape(l.operand(0)?)?.len();
        Ok(vec![l.b.literal(Literal::from_i64(DType::I32, rank as i64))?])
    }),
    stored("ZEROS_LIKE", (1, 1), |l| {
        let t = l.b.tensor(l.operand(0)?)?.clone();
        Ok(vec![l.b.splat(Literal::from_i64(t.dtype, 0), &t.shape)?])
    }),
    moves("BROADCAST_TO", (2, 2), broadcast_to),
    stored("FILL", (2, 2), fill),
    stored("RANGE", (3, 3), range),
];

/// The target is an operand, or in old models an option; −1 takes what is left.
fn reshape(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let option = l.table.builtin_options_as_reshape_options().and_then(|o| o.new_shape());
    let mut target: Shape = match (l.optional(1), option) {
        (Some(_), _) => l.dims(1, "shape")?,
        (None, Some(list)) => list.iter().map(|d| Dim::from(i64::from(d))).collect(),
        (None, None) => return Err(bad_value("shape", "none", "a shape")),
    };
    let open: Vec<usize> = (0..target.len()).filter(|i| target[*i].as_const() == Some(-1)).collect();
    match open.as_slice() {
        [] => {}
        [i] => {
            target[*i] = Dim::ONE;
            let rest = count(&target);
            target[*i] = count(&own).exact_div(&rest);
        }
        _ => return Err(bad_value("shape", format!("{target:?}"), "at most one -1")),
    }
    if target.iter().any(|d| d.is_invalid() || d.as_const().is_some_and(|c| c < 0)) {
        return Err(bad_value("shape", format!("{target:?}"), &format!("a shape of the elements of {own:?}")));
    }
    Ok(vec![l.b.reshape(x, &target)?])
}

fn expand_dims(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let mut shape = l.shape(x)?;
    let at = axis("axis", l.number(1, "axis")?, shape.len() + 1)?;
    shape.insert(at, Dim::ONE);
    Ok(vec![l.b.reshape(x, &shape)?])
}

/// Without a list, every axis of extent 1 goes.
fn squeeze(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let listed = l.table.builtin_options_as_squeeze_options().and_then(|o| o.squeeze_dims());
    let mut gone = Vec::new();
    for a in listed.iter().flatten() {
        gone.push(axis("squeeze_dims", i64::from(a), own.len())?);
    }
    if gone.is_empty() {
        gone = (0..own.len()).filter(|i| own[*i] == Dim::ONE).collect();
    }
    if let Some(i) = gone.iter().find(|i| own[**i] != Dim::ONE) {
        return Err(bad_value("squeeze_dims", format!("axis {i} of extent {}", own[*i]), "axes of extent 1"));
    }
    let shape: Shape = (0..own.len()).filter(|i| !gone.contains(i)).map(|i| own[i].clone()).collect();
    Ok(vec![l.b.reshape(x, &shape)?])
}

fn broadcast_to(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let shape = l.dims(1, "shape")?;
    Ok(vec![l.b.broadcast(x, &shape)?])
}

fn fill(l: &mut Lower<'_>) -> Results {
    let shape = l.dims(0, "dims")?;
    let x = l.operand(1)?;
    let scalar = l.b.reshape(x, &[])?;
    Ok(vec![l.b.broadcast(scalar, &shape)?])
}

/// start + i·delta, as many as lie before the limit.
fn range(l: &mut Lower<'_>) -> Results {
    let (start, limit, delta) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let dtype = l.b.dtype(start)?;
    let len = if dtype.is_float() {
        let number = |l: &Lower<'_>, v| l.b.constant_of(v).and_then(|t| t.to_f64().first().copied());
        let (Some(s), Some(e), Some(d)) = (number(l, start), number(l, limit), number(l, delta)) else {
            return Err(unsupported("a range of floats that are not constants"));
        };
        let n = ((e - s) / d).ceil().max(0.0);
        if !n.is_finite() || n > 1e9 {
            return Err(bad_value("limit", e, "a finite range"));
        }
        Dim::from(n as i64)
    } else {
        let one = |l: &Lower<'_>, i: usize, what: &str| {
            let list = l.dims(i, what)?;
            list.into_iter().next().ok_or_else(|| bad_value(what, "nothing", "one number"))
        };
        let (s, e, d) = (one(l, 0, "start")?, one(l, 1, "limit")?, one(l, 2, "delta")?);
        let n = match d.as_const() {
            None => return Err(unsupported("a range whose step is no number")),
            Some(0) => return Err(bad_value("delta", 0, "a number other than 0")),
            Some(1..) => (e - s).ceil_div(&d),
            Some(_) => (s - e).ceil_div(&(Dim::ZERO - d)),
        };
        let positive = n.lower_bound(&l.b.graph().tables.symbols).is_some_and(|lo| lo >= 0);
        if positive { n } else { n.larger(&Dim::ZERO) }
    };
    let i = l.b.iota(&len, dtype)?;
    let (start, delta) = (l.b.reshape(start, &[])?, l.b.reshape(delta, &[])?);
    let shape = [len];
    let (start, delta) = (l.b.broadcast(start, &shape)?, l.b.broadcast(delta, &shape)?);
    let scaled = l.b.map(Scalar::Mul, &[i, delta])?;
    Ok(vec![l.b.map(Scalar::Add, &[start, scaled])?])
}
