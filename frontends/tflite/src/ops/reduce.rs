//! Folds over whole axes.

use egret_ir::op::Monoid;
use egret_ir::{Dim, Shape, ValueId};

use super::{Row, real, stored};
use crate::lower::{Fail, Lower, Results};

pub const ROWS: &[Row] = &[
    real("SUM", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::Sum, x, axes)?))),
    real("MEAN", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.mean(x, axes)?))),
    real("REDUCE_PROD", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::Prod, x, axes)?))),
    real("REDUCE_MAX", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::Max, x, axes)?))),
    real("REDUCE_MIN", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::Min, x, axes)?))),
    stored("REDUCE_ANY", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::Or, x, axes)?))),
    stored("REDUCE_ALL", (2, 2), |l| reduce(l, |l, x, axes| Ok(l.b.fold(Monoid::And, x, axes)?))),
];

type Fold = fn(&mut Lower<'_>, ValueId, &[usize]) -> Result<ValueId, Fail>;

/// Operands value and axes.
fn reduce(l: &mut Lower<'_>, f: Fold) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axes = l.axes(1, own.len())?;
    let y = f(l, x, &axes)?;
    if !l.table.builtin_options_as_reducer_options().is_some_and(|o| o.keep_dims()) {
        return Ok(vec![y]);
    }
    let kept: Shape = (0..own.len()).map(|i| if axes.contains(&i) { Dim::ONE } else { own[i].clone() }).collect();
    Ok(vec![l.b.reshape(y, &kept)?])
}
