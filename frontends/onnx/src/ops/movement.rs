//! Movements along one axis with lengths or indices of their own: ReverseSequence, CenterCropPad.

use egret_ir::op::PadAxis;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::{DType, Dim, Literal};

use super::{LATEST, Row, onnx};
use crate::lower::{Lower, Results, opaque};

pub const ROWS: &[Row] =
    &[onnx("CenterCropPad", 18..LATEST, center_crop_pad), onnx("ReverseSequence", 10..LATEST, reverse_sequence)];

fn center_crop_pad(l: &mut Lower<'_>) -> Results {
    let (x, shape) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(x)?;
    let axes = match l.ints("axes") {
        Some(axes) => {
            let axes = axes.to_vec();
            l.axes("axes", &axes, t.rank())?
        }
        None => (0..t.rank()).collect(),
    };
    let wanted = l.lengths("shape", shape, axes.len())?;
    let two = Dim::from(2i64);
    let mut y = x;
    let fill = l.literal(Literal::from_i64(t.dtype, 0))?;
    for (axis, want) in axes.into_iter().zip(wanted) {
        let d = t.shape[axis].clone();
        let kept = d.smaller(&want);
        y = l.slice_axis(y, axis, (d - kept.clone()).floor_div(&two), kept.clone())?;
        let lo = (want.clone() - kept.clone()).floor_div(&two);
        let mut pads = vec![PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 }; t.rank()];
        pads[axis] = PadAxis { lo: lo.clone(), hi: want - kept - lo, inner: 0 };
        y = l.pad(y, fill, pads)?;
    }
    Ok(vec![y])
}

/// out[t, b] = x[t < len[b] ? len[b] − 1 − t : t, b].
fn reverse_sequence(l: &mut Lower<'_>) -> Results {
    let (x, lens) = (l.operand(0)?, l.operand(1)?);
    let own = l.shape(x)?;
    let time = l.axis("time_axis", l.int("time_axis", 0), own.len())?;
    let batch = l.axis("batch_axis", l.int("batch_axis", 1), own.len())?;
    if time > 1 || batch > 1 || time == batch {
        return Err(l.value("time_axis", &format!("{time} with batch_axis {batch}"), "axes 0 and 1"));
    }
    let plane = &own[..2];
    let t = l.iota(&own[time], DType::I64)?;
    let t = l.spread(t, &[time], plane)?;
    let lens = l.cast(lens, DType::I64)?;
    let lens = l.spread(lens, &[batch], plane)?;
    let inside = l.map(Scalar::Lt, &[t, lens])?;
    let last = l.with(Scalar::Sub, lens, 1.0)?;
    let back = l.map(Scalar::Sub, &[last, t])?;
    let ix = l.map(Scalar::Select, &[inside, back, t])?;
    let label = |i: usize| Label(i as u8);
    let data: Vec<DataIx> =
        (0..own.len()).map(|i| if i == time { DataIx::At } else { DataIx::Label(label(i)) }).collect();
    let out: Vec<Label> = (0..own.len()).map(label).collect();
    let spec =
        GatherSpec::new(&data, &[label(0), label(1)], &out, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    Ok(vec![l.gather(spec, x, ix)?])
}
