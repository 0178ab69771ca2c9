//! Operators that write cells of a larger tensor: Col2Im, MaxUnpool, TensorScatter.

use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::op::{Op, PadAxis, ScatterOp, SliceAxis};
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("Col2Im", 18..LATEST, col_to_im),
    onnx("MaxUnpool", 9..LATEST, max_unpool),
    onnx("TensorScatter", 24..LATEST, tensor_scatter),
];

fn label(i: usize) -> Label {
    Label(i as u8)
}

fn scatter(
    l: &mut Lower<'_>,
    op: ScatterOp,
    (data_axes, ix_axes, out): (&[DataIx], &[Label], &[Label]),
    [data, ix, updates]: [ValueId; 3],
) -> Result<ValueId, Fail> {
    let spec = GatherSpec::new(data_axes, ix_axes, out, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    l.emit(Op::Scatter(op, spec), &[data, ix, updates])
}

/// A list with one number per spatial axis, by default all `default`.
fn per_axis(l: &Lower<'_>, field: &str, count: usize, default: i64) -> Result<Vec<i64>, Fail> {
    let list = l.ints(field).map_or_else(|| vec![default; count], <[i64]>::to_vec);
    if list.len() == count { Ok(list) } else { Err(l.value(field, &format!("{list:?}"), &format!("{count} numbers"))) }
}

/// Blocks added up where they overlap: block element `k` of block `b` lands at `stride·b + dilation·k` of the padded
/// image, and the pads are cut off.
fn col_to_im(l: &mut Lower<'_>) -> Results {
    let (x, image, block) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let own = l.shape(x)?;
    let t = l.dtype(x)?;
    if own.len() != 3 {
        return Err(bad("input", ProblemKind::Rank { got: own.len(), expected: "3".into() }));
    }
    let n = l.vector_length("image_shape", image)?;
    let image = l.lengths("image_shape", image, n)?;
    let block = l.numbers("block_shape", block)?;
    if block.len() != n || block.iter().any(|k| *k < 1) {
        return Err(l.value("block_shape", &format!("{block:?}"), &format!("{n} positive numbers")));
    }
    let (strides, dilations) = (per_axis(l, "strides", n, 1)?, per_axis(l, "dilations", n, 1)?);
    let pads = per_axis(l, "pads", 2 * n, 0)?;
    if strides.iter().chain(&dilations).any(|s| *s < 1) || pads.iter().any(|p| *p < 0) {
        return Err(l.value("strides", &format!("{strides:?}"), "positive steps and no negative pads"));
    }
    let padded: Shape = (0..n).map(|i| image[i].clone() + Dim::from(pads[i] + pads[n + i])).collect();
    let reach = |i: usize| Dim::from(dilations[i] * (block[i] - 1) + 1);
    let blocks: Shape =
        (0..n).map(|i| (padded[i].clone() - reach(i)).floor_div(&Dim::from(strides[i])) + Dim::ONE).collect();
    let cells: i64 = block.iter().product();
    let channels = own[1].exact_div(&Dim::from(cells));
    // [N, C, block…, blocks…]
    let inner: Shape = block.iter().map(|k| Dim::from(*k)).chain(blocks.iter().cloned()).collect();
    let lead = [own[0].clone(), channels];
    let x = l.reshape(x, &[&lead[..], &inner].concat())?;
    let mut places = Vec::with_capacity(n);
    for i in 0..n {
        let (k, b) = (l.ramp(i, &inner, DType::I64)?, l.ramp(n + i, &inner, DType::I64)?);
        let (k, b) = (l.with(Scalar::Mul, k, dilations[i] as f64)?, l.with(Scalar::Mul, b, strides[i] as f64)?);
        places.push(l.add(k, b)?);
    }
    let at = if n == 1 { places[0] } else { l.stack_last(&places)? };
    let zeros = l.splat(Literal::from_i64(t, 0), &[&lead[..], &padded].concat())?;
    let mut data_axes = vec![DataIx::Label(label(0)), DataIx::Label(label(1))];
    data_axes.extend(std::iter::repeat_n(DataIx::At, n));
    let out: Vec<Label> = (0..2 + 2 * n).map(label).collect();
    let y = scatter(l, ScatterOp::Add, (&data_axes, &out[2..], &out), [zeros, at, x])?;
    let mut cut = whole_slices(&l.shape(y)?);
    for i in 0..n {
        cut[2 + i] = SliceAxis { start: Dim::from(pads[i]), step: 1, len: image[i].clone() };
    }
    Ok(vec![l.slice(y, cut)?])
}

/// Values put back at the flat positions that MaxPool gave, over the extents that undo the pool; a larger `output_shape`
/// adds zeros at the end of each axis.
fn max_unpool(l: &mut Lower<'_>) -> Results {
    let (x, ix) = (l.operand(0)?, l.operand(1)?);
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    let kernel = l.ints("kernel_shape").unwrap_or_default().to_vec();
    let n = kernel.len();
    if own.len() != n + 2 || n == 0 {
        return Err(l.value(
            "kernel_shape",
            &format!("{kernel:?}"),
            &format!("{} numbers", own.len().saturating_sub(2)),
        ));
    }
    let (strides, pads) = (per_axis(l, "strides", n, 1)?, per_axis(l, "pads", 2 * n, 0)?);
    let mut shape = own.clone();
    for i in 0..n {
        shape[2 + i] = (own[2 + i].clone() - Dim::ONE) * Dim::from(strides[i])
            + Dim::from(kernel[i].saturating_sub(pads[i]).saturating_sub(pads[n + i]));
    }
    let zeros = l.splat(Literal::from_i64(dtype, 0), &[count(&shape)])?;
    let flat = [count(&own)];
    let (x, ix) = (l.reshape(x, &flat)?, l.reshape(ix, &flat)?);
    let y = scatter(l, ScatterOp::Set, (&[DataIx::At], &[label(0)], &[label(0)]), [zeros, ix, x])?;
    let y = l.reshape(y, &shape)?;
    let Some(wanted) = l.optional(2) else { return Ok(vec![y]) };
    let wanted = l.lengths("output_shape", wanted, shape.len())?;
    let zero = l.number(dtype, 0.0)?;
    let grow = wanted.iter().zip(&shape).map(|(w, d)| PadAxis { lo: Dim::ZERO, hi: w.clone() - d.clone(), inner: 0 });
    Ok(vec![l.pad(y, zero, grow.collect())?])
}

/// The update's rows written from a position of the sequence axis that each batch element has; circular: past the end they
/// go on at the start.
fn tensor_scatter(l: &mut Lower<'_>) -> Results {
    let (past, update) = (l.operand(0)?, l.operand(1)?);
    let (own, new) = (l.shape(past)?, l.shape(update)?);
    let rank = own.len();
    let axis = l.axis("axis", l.int("axis", -2), rank)?;
    if axis == 0 || new.len() != rank {
        return Err(l.value("axis", &axis.to_string(), "an axis after the batch"));
    }
    let steps = [new[0].clone(), new[axis].clone()];
    let mut at = l.ramp(1, &steps, DType::I64)?;
    if let Some(start) = l.optional(2) {
        let start = l.cast(start, DType::I64)?;
        let start = l.spread(start, &[0], &steps)?;
        at = l.add(at, start)?;
    }
    match l.string("mode", "linear")?.as_str() {
        "linear" => {}
        "circular" => at = l.with_dim(Scalar::RemFloor, at, &own[axis])?,
        other => return Err(l.value("mode", other, "linear or circular")),
    }
    let data_axes: Vec<DataIx> =
        (0..rank).map(|i| if i == axis { DataIx::At } else { DataIx::Label(label(i)) }).collect();
    let out: Vec<Label> = (0..rank).map(label).collect();
    let axes = (&data_axes[..], &[label(0), label(axis)][..], &out[..]);
    Ok(vec![scatter(l, ScatterOp::Set, axes, [past, at, update])?])
}
