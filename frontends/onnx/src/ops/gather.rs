//! Reads and writes by index. The axes read by index are the `@`s of one spec; see `egret_ir::op::spec::GatherSpec`.

use egret_ir::ValueId;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::op::{Op, ScatterOp};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("Gather", 1..11, |l| gather(l, Negative::Never)),
    onnx("Gather", 11..LATEST, |l| gather(l, Negative::Wraps)),
    onnx("GatherElements", 11..LATEST, gather_elements),
    onnx("GatherND", 11..LATEST, gather_nd),
    onnx("Scatter", 9..11, |l| scatter_elements(l, Negative::Never)),
    onnx("ScatterElements", 11..LATEST, |l| scatter_elements(l, Negative::Wraps)),
    onnx("ScatterND", 11..LATEST, scatter_nd),
];

fn label(i: usize) -> Label {
    Label(i as u8)
}

fn spec(data: &[DataIx], ix: &[Label], out: &[Label], negative: Negative) -> Result<GatherSpec, Fail> {
    GatherSpec::new(data, ix, out, negative).map_err(|e| opaque(e.to_string()))
}

fn gather(l: &mut Lower<'_>, negative: Negative) -> Results {
    let (data, ix) = (l.operand(0)?, l.operand(1)?);
    let rank = l.rank(data)?;
    let axis = l.axis("axis", l.int("axis", 0), rank)?;
    let spec = GatherSpec::along(rank, axis, l.rank(ix)?, negative).map_err(|e| opaque(e.to_string()))?;
    Ok(vec![l.gather(spec, data, ix)?])
}

/// `p @ s, p n s -> p n s`, after cutting the data to the index's extents on the other axes.
fn gather_elements(l: &mut Lower<'_>) -> Results {
    let (data, ix) = (l.operand(0)?, l.operand(1)?);
    let (own, picked) = (l.shape(data)?, l.shape(ix)?);
    let rank = own.len();
    let axis = l.axis("axis", l.int("axis", 0), rank)?;
    if picked.len() != rank {
        return Err(l.misfit("indices", &picked, &own));
    }
    let mut cut = whole_slices(&own);
    for i in (0..rank).filter(|i| *i != axis) {
        cut[i].len = picked[i].clone();
    }
    let data = l.slice(data, cut)?;
    let spec = elements(rank, axis, Negative::Wraps)?;
    Ok(vec![l.gather(spec, data, ix)?])
}

fn elements(rank: usize, axis: usize, negative: Negative) -> Result<GatherSpec, Fail> {
    let data: Vec<DataIx> = (0..rank).map(|i| if i == axis { DataIx::At } else { DataIx::Label(label(i)) }).collect();
    let all: Vec<Label> = (0..rank).map(label).collect();
    spec(&data, &all, &all, negative)
}

/// The spec of GatherND and ScatterND: batch axes, indexed axes, whole axes; and the indices without a component axis
/// where they have one component.
fn nd(l: &mut Lower<'_>, data: ValueId, ix: ValueId, batch: usize) -> Result<(GatherSpec, ValueId), Fail> {
    let (rank, picked) = (l.rank(data)?, l.shape(ix)?);
    let Some((last, outer)) = picked.split_last() else {
        return Err(l.value("indices", "a scalar", "rank 1 or more"));
    };
    let Some(parts) = last.as_const() else { return Err(opaque("an unknown number of index components")) };
    let parts = parts as usize;
    if batch + parts > rank || batch > outer.len() {
        return Err(l.value("indices", &format!("{parts} components"), &format!("{} at most", rank - batch.min(rank))));
    }
    if parts == 0 {
        return Err(opaque("indices without components"));
    }
    let ix_labels: Vec<Label> = (0..outer.len()).map(label).collect();
    let rest = rank - batch - parts;
    let mut axes: Vec<DataIx> = (0..batch).map(|i| DataIx::Label(label(i))).collect();
    axes.extend(std::iter::repeat_n(DataIx::At, parts));
    axes.extend((0..rest).map(|i| DataIx::Label(label(outer.len() + i))));
    let out: Vec<Label> = (0..outer.len() + rest).map(label).collect();
    let ix = if parts == 1 { l.reshape(ix, outer)? } else { ix };
    Ok((spec(&axes, &ix_labels, &out, Negative::Wraps)?, ix))
}

fn gather_nd(l: &mut Lower<'_>) -> Results {
    let (data, ix) = (l.operand(0)?, l.operand(1)?);
    let batch = l.int("batch_dims", 0);
    let Ok(batch) = usize::try_from(batch) else {
        return Err(l.value("batch_dims", &batch.to_string(), "no negative number"));
    };
    let (spec, ix) = nd(l, data, ix, batch)?;
    Ok(vec![l.gather(spec, data, ix)?])
}

fn reduction(l: &Lower<'_>) -> Result<ScatterOp, Fail> {
    let name = l.string("reduction", "none")?;
    match name.as_str() {
        "none" => Ok(ScatterOp::Set),
        "add" => Ok(ScatterOp::Add),
        "mul" => Ok(ScatterOp::Mul),
        "max" => Ok(ScatterOp::Max),
        "min" => Ok(ScatterOp::Min),
        _ => Err(l.value("reduction", &name, "none, add, mul, max or min")),
    }
}

fn scatter_elements(l: &mut Lower<'_>, negative: Negative) -> Results {
    let (data, ix, updates) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let (own, picked) = (l.shape(data)?, l.shape(ix)?);
    let rank = own.len();
    let axis = l.axis("axis", l.int("axis", 0), rank)?;
    if picked.len() != rank {
        return Err(l.misfit("indices", &picked, &own));
    }
    let updates = l.taken_as(updates, &picked)?;
    if l.shape(updates)? != picked {
        return Err(l.misfit("updates", &l.shape(updates)?, &picked));
    }
    let op = reduction(l)?;
    let spec = elements(rank, axis, negative)?;
    Ok(vec![l.emit(Op::Scatter(op, spec), &[data, ix, updates])?])
}

fn scatter_nd(l: &mut Lower<'_>) -> Results {
    let (data, ix, updates) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let op = reduction(l)?;
    let (spec, ix) = nd(l, data, ix, 0)?;
    Ok(vec![l.emit(Op::Scatter(op, spec), &[data, ix, updates])?])
}

/// `data` picked along `axis` by indices of the same rank: the values a sort puts in order.
pub fn along_last_index(l: &mut Lower<'_>, data: ValueId, ix: ValueId, axis: usize) -> Result<ValueId, Fail> {
    let spec = elements(l.rank(data)?, axis, Negative::Never)?;
    l.gather(spec, data, ix)
}
