//! Random operators: they stay as they are, since no two engines draw the same numbers, but the types of their results
//! are known.

use egret_ir::{DType, Dim, Shape, Type};

use super::cast::dtype_code;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results};
use crate::node;

pub const ROWS: &[Row] = &[
    onnx("RandomNormal", 1..LATEST, by_shape),
    onnx("RandomUniform", 1..LATEST, by_shape),
    onnx("RandomNormalLike", 1..LATEST, like),
    onnx("RandomUniformLike", 1..LATEST, like),
    onnx("Bernoulli", 15..LATEST, like),
    onnx("Multinomial", 7..LATEST, multinomial),
];

fn drawn(l: &Lower<'_>, dtype: DType, shape: Shape) -> Results {
    let reason = format!("operator {}, whose results are random", l.node.op_type());
    Err(Fail::OpaqueTyped(reason, vec![Type::tensor(dtype, shape)]))
}

fn dtype(l: &Lower<'_>, default: DType) -> Result<DType, Fail> {
    node::find(l.node, "dtype").map_or(Ok(default), |a| dtype_code("dtype", a.i()))
}

fn by_shape(l: &mut Lower<'_>) -> Results {
    let shape = l.ints("shape").unwrap_or_default().to_vec();
    if shape.iter().any(|d| *d < 0) {
        return Err(l.value("shape", &format!("{shape:?}"), "extents"));
    }
    drawn(l, dtype(l, DType::F32)?, shape.into_iter().map(Dim::from).collect())
}

fn like(l: &mut Lower<'_>) -> Results {
    let t = l.operand(0).and_then(|x| l.tensor(x))?;
    drawn(l, dtype(l, t.dtype)?, t.shape)
}

/// Classes drawn per row of log-probabilities `[batch, classes]`, as i32 or i64.
fn multinomial(l: &mut Lower<'_>) -> Results {
    let shape = l.operand(0).and_then(|x| l.shape(x))?;
    let (Some(batch), size) = (shape.first().cloned(), l.int("sample_size", 1)) else {
        return Err(l.misfit("input", &shape, &[]));
    };
    if size < 0 {
        return Err(l.value("sample_size", &size.to_string(), "no negative number"));
    }
    drawn(l, dtype(l, DType::I32)?, vec![batch, Dim::from(size)])
}
