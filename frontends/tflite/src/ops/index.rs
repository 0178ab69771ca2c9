//! Reads and writes by index, order, and what is made of positions. See `egret_ir::op::spec::GatherSpec`.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Ix, Label, Negative, Spec, Window};
use egret_ir::op::{Monoid, Op, ScatterOp, SortOrder};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::{Row, moves, real, stored};
use crate::lower::{Fail, Lower, Results, axis, bad_value, unsupported};

pub const ROWS: &[Row] = &[
    moves("GATHER", (2, 2), gather),
    moves("GATHER_ND", (2, 2), gather_nd),
    moves("EMBEDDING_LOOKUP", (2, 2), |l| {
        let (ix, data) = (l.operand(0)?, l.operand(1)?);
        let spec = GatherSpec::along(l.b.rank(data)?, 0, l.b.rank(ix)?, Negative::Never)?;
        Ok(vec![l.b.gather(spec, data, ix)?])
    }),
    stored("SCATTER_ND", (3, 3), scatter_nd),
    stored("ARG_MAX", (2, 2), |l| arg(l, Monoid::ArgMaxFirst)),
    stored("ARG_MIN", (2, 2), |l| arg(l, Monoid::ArgMinFirst)),
    moves("TOPK_V2", (2, 2), top_k),
    stored("ONE_HOT", (4, 4), one_hot),
    real("CUMSUM", (2, 2), cumsum),
];

fn label(i: usize) -> Label {
    Label(i as u8)
}

/// `{b p @ s, b n -> b p n s}` with `batch_dims` shared leading axes.
fn gather(l: &mut Lower<'_>) -> Results {
    let (data, ix) = (l.operand(0)?, l.operand(1)?);
    let (rank, ix_rank) = (l.b.rank(data)?, l.b.rank(ix)?);
    let options = l.table.builtin_options_as_gather_options();
    let (at, batch) = options.map_or((0, 0), |o| (i64::from(o.axis()), i64::from(o.batch_dims())));
    let at = axis("axis", at, rank)?;
    let batch = if batch < 0 { batch + ix_rank as i64 } else { batch };
    let Some(batch) = usize::try_from(batch).ok().filter(|b| *b <= at && *b <= ix_rank) else {
        return Err(bad_value("batch_dims", batch, &format!("a number up to {at}")));
    };
    let own = ix_rank - batch;
    let axes: Vec<DataIx> = (0..rank)
        .map(|i| match i.cmp(&at) {
            std::cmp::Ordering::Less => DataIx::Label(label(i)),
            std::cmp::Ordering::Equal => DataIx::At,
            std::cmp::Ordering::Greater => DataIx::Label(label(i - 1 + own)),
        })
        .collect();
    let picked: Vec<Label> = (0..batch).chain(at..at + own).map(label).collect();
    let out: Vec<Label> = (0..rank - 1 + own).map(label).collect();
    let spec = GatherSpec::new(&axes, &picked, &out, Negative::Never)?;
    Ok(vec![l.b.gather(spec, data, ix)?])
}

/// The spec of indices whose last axis holds `k` components of a position in the first axes; and the indices without
/// that axis where `k` is 1.
fn nd(l: &mut Lower<'_>, rank: usize, ix: ValueId) -> Result<(GatherSpec, ValueId), Fail> {
    let picked = l.shape(ix)?;
    let parts = picked.last().and_then(Dim::as_const).and_then(|k| usize::try_from(k).ok());
    let Some(parts) = parts.filter(|k| (1..=rank).contains(k)) else {
        return Err(bad_value("indices", format!("{picked:?}"), &format!("a last axis of 1 to {rank} components")));
    };
    let outer = &picked[..picked.len() - 1];
    let mut axes = vec![DataIx::At; parts];
    axes.extend((0..rank - parts).map(|i| DataIx::Label(label(outer.len() + i))));
    let labels: Vec<Label> = (0..outer.len()).map(label).collect();
    let out: Vec<Label> = (0..outer.len() + rank - parts).map(label).collect();
    let ix = if parts == 1 { l.b.reshape(ix, outer)? } else { ix };
    Ok((GatherSpec::new(&axes, &labels, &out, Negative::Never)?, ix))
}

fn gather_nd(l: &mut Lower<'_>) -> Results {
    let (data, ix) = (l.operand(0)?, l.operand(1)?);
    let rank = l.b.rank(data)?;
    let (spec, ix) = nd(l, rank, ix)?;
    Ok(vec![l.b.gather(spec, data, ix)?])
}

/// Operands indices, updates and shape: updates added up on zeros.
fn scatter_nd(l: &mut Lower<'_>) -> Results {
    let (ix, updates) = (l.operand(0)?, l.operand(1)?);
    let shape = l.dims(2, "shape")?;
    let dtype = l.b.dtype(updates)?;
    let zeros = l.b.splat(Literal::from_i64(dtype, 0), &shape)?;
    let (spec, ix) = nd(l, shape.len(), ix)?;
    Ok(vec![l.b.add(Op::Scatter(ScatterOp::Add, spec), &[zeros, ix, updates])?])
}

/// Operands value and axis.
fn arg(l: &mut Lower<'_>, monoid: Monoid) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let at = axis("axis", l.number(1, "axis")?, own.len())?;
    if own[at] == Dim::ZERO {
        return Err(bad_value("axis", at, "an axis that is not empty"));
    }
    let y = l.b.fold(monoid, x, &[at])?;
    let to = l.result_dtype(0)?;
    Ok(vec![l.b.cast(y, to)?])
}

/// The k largest along the last axis and their positions; the earlier of equal ones first.
fn top_k(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let k = l.number(1, "k")?;
    let Some((last, _)) = own.split_last() else { return Err(unsupported("rank 0")) };
    if k < 0 || last.as_const().is_some_and(|d| k > d) {
        return Err(bad_value("k", k, &format!("a number up to {last}")));
    }
    let at = own.len() - 1;
    let op = Op::ArgSort { axis: at as u8, order: SortOrder::Descending, keep: Dim::from(k) };
    let ix = l.b.add(op, &[x])?;
    let axes: Vec<DataIx> =
        (0..own.len()).map(|i| if i == at { DataIx::At } else { DataIx::Label(label(i)) }).collect();
    let all: Vec<Label> = (0..own.len()).map(label).collect();
    let spec = GatherSpec::new(&axes, &all, &all, Negative::Never)?;
    let values = l.b.gather(spec, x, ix)?;
    let ix = l.b.cast(ix, DType::I32)?;
    Ok(vec![values, ix])
}

/// Operands indices, depth, on and off: on where the new axis's position is the index.
fn one_hot(l: &mut Lower<'_>) -> Results {
    let (ix, on, off) = (l.operand(0)?, l.operand(2)?, l.operand(3)?);
    let depth = l.dims(1, "depth")?.into_iter().next().ok_or_else(|| bad_value("depth", "nothing", "one number"))?;
    let t = l.b.tensor(ix)?.clone();
    let at = l.table.builtin_options_as_one_hot_options().map_or(-1, |o| o.axis());
    let at = axis("axis", i64::from(at), t.rank() + 1)?;
    let mut shape = t.shape.clone();
    shape.insert(at, depth.clone());
    let wide = l.b.insert(ix, vec![(at, depth.clone())])?;
    let cells = l.b.iota(&depth, t.dtype)?;
    let cells = l.b.spread(cells, &[at], &shape)?;
    let hit = l.b.map(Scalar::Eq, &[wide, cells])?;
    let mut picked = [on, off];
    for v in &mut picked {
        *v = l.b.reshape(*v, &[])?;
        *v = l.b.broadcast(*v, &shape)?;
    }
    Ok(vec![l.b.map(Scalar::Select, &[hit, picked[0], picked[1]])?])
}

/// Sums of all elements up to each one: a fold over a window with as many taps as the axis has cells.
fn cumsum(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let at = axis("axis", l.number(1, "axis")?, own.len())?;
    let Some(n) = own[at].as_const() else { return Err(unsupported("a running sum over an unknown extent")) };
    let options = l.table.builtin_options_as_cumsum_options();
    let (exclusive, reverse) = options.map_or((false, false), |o| (o.exclusive(), o.reverse()));
    let lo = match (reverse, exclusive) {
        (false, false) => n - 1,
        (false, true) => n,
        (true, false) => 0,
        (true, true) => -1,
    };
    let tap = label(own.len());
    let window = Window { out: label(at), tap, stride: 1, dil: 1, lo, in_dil: 1 };
    let axes = (0..own.len()).map(|i| if i == at { Ix::Window(window) } else { Ix::Label(label(i)) }).collect();
    let out: Vec<Label> = (0..own.len()).map(label).collect();
    let ext = [(label(at), own[at].clone()), (tap, own[at].clone())];
    let spec = Spec::new(&[axes], &out, &ext)?;
    Ok(vec![l.b.reduce(Monoid::Sum, spec, x)?])
}
