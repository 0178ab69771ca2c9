//! Values out of attributes and shapes: Constant, ConstantOfShape, Shape, Size, Range, EyeLike, OneHot.

use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, Shape, Tensor, ValueId};

use super::cast::dtype_code;
use super::{LATEST, Row, onnx};
use crate::known::Known;
use crate::lower::{Fail, Lower, Results, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    onnx("Constant", 1..LATEST, constant),
    onnx("ConstantOfShape", 9..LATEST, constant_of_shape),
    onnx("Shape", 1..LATEST, shape),
    onnx("Size", 1..LATEST, size),
    onnx("Range", 11..LATEST, range),
    onnx("EyeLike", 9..LATEST, eye_like),
    onnx("OneHot", 9..11, |l| one_hot(l, false)),
    onnx("OneHot", 11..LATEST, |l| one_hot(l, true)),
];

fn constant(l: &mut Lower<'_>) -> Results {
    let proto = l.node;
    let list = |t: Result<Tensor, egret_ir::tensor::TensorError>| t.map_err(|e| opaque(e.to_string()));
    let tensor = if let Some(t) = node::tensor(proto, "value") {
        l.decode("value", t)?
    } else if let Some(a) = node::find(proto, "value_float") {
        Tensor::scalar(Literal::f32(a.f()))
    } else if let Some(a) = node::find(proto, "value_int") {
        Tensor::scalar(Literal::i64(a.i()))
    } else if let Some(x) = node::floats(proto, "value_floats") {
        list(Tensor::from_slice([x.len()], x))?
    } else if let Some(x) = node::ints(proto, "value_ints") {
        list(Tensor::from_slice([x.len()], x))?
    } else if let Some(other) = proto.attribute.first() {
        return Err(opaque(format!("a constant given as {}", other.name())));
    } else {
        return Err(crate::lower::bad("value", crate::error::ProblemKind::MissingAttribute));
    };
    Ok(vec![l.constant(tensor)?])
}

fn constant_of_shape(l: &mut Lower<'_>) -> Results {
    let shape = l.operand(0)?;
    let rank = l.vector_length("shape", shape)?;
    let shape = l.lengths("shape", shape, rank)?;
    let value = match node::tensor(l.node, "value") {
        Some(t) => l.decode("value", t)?,
        None => Tensor::scalar(Literal::f32(0.0)),
    };
    if value.len() != 1 {
        return Err(l.value("value", &format!("{} elements", value.len()), "one element"));
    }
    Ok(vec![l.splat(value.get(0), &shape)?])
}

/// Reached only where partial evaluation does not: the operand's shape is always known, so a list longer than that
/// takes.
fn shape(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    Ok(vec![Known::list(own).materialize(l)?])
}

fn size(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let n = count(&l.shape(x)?);
    Ok(vec![l.dim(&n, DType::I64)?])
}

/// start + i·delta; ONNX Runtime adds up instead, so floats may differ by rounding.
fn range(l: &mut Lower<'_>) -> Results {
    let (start, limit, delta) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let dtype = l.dtype(start)?;
    let len = range_length(l, [start, limit, delta])?;
    let i = l.iota(&len, dtype)?;
    let (start, delta) = (l.reshape(start, &[])?, l.reshape(delta, &[])?);
    let number = |l: &Lower<'_>, v| l.known_numbers(v).and_then(|n| n.first().copied());
    let shape = [len];
    let scaled = if number(l, delta) == Some(1) {
        i
    } else {
        let delta = l.broadcast(delta, &shape)?;
        l.map(Scalar::Mul, &[i, delta])?
    };
    if number(l, start) == Some(0) {
        return Ok(vec![scaled]);
    }
    let start = l.broadcast(start, &shape)?;
    Ok(vec![l.map(Scalar::Add, &[start, scaled])?])
}

/// max(⌈(limit − start) / delta⌉, 0); where data decides, computed in f64.
fn range_length(l: &mut Lower<'_>, bounds: [ValueId; 3]) -> Result<Dim, Fail> {
    let [start, limit, delta] = bounds;
    let numbers = bounds.map(|v| l.scalar_f64(v));
    if let [_, _, Some(0.0)] = numbers {
        return Err(l.value("delta", "0", "a number other than 0"));
    }
    if l.dtype(start)?.is_float() {
        if let [Some(s), Some(e), Some(d)] = numbers {
            let n = ((e - s) / d).ceil().max(0.0);
            if n.is_nan() || n > 1e12 {
                return Err(l.value("limit", &e.to_string(), "a finite range"));
            }
            return Ok(Dim::from(n as i64));
        }
    } else if let [Some(s), Some(e), Some(d)] = bounds.map(|v| l.dims(v).and_then(|d| d.first().cloned()))
        && let Some(step) = d.as_const()
    {
        let n = if step > 0 { (e - s).ceil_div(&d) } else { (s - e).ceil_div(&(Dim::ZERO - d)) };
        let positive = n.lower_bound(l.symbols()).is_some_and(|lo| lo >= 0);
        return Ok(if positive { n } else { n.larger(&Dim::ZERO) });
    }
    let mut wide = [start, limit, delta];
    for v in &mut wide {
        *v = l.reshape(*v, &[])?;
        *v = l.cast(*v, DType::F64)?;
    }
    let span = l.map(Scalar::Sub, &[wide[1], wide[0]])?;
    let steps = l.map(Scalar::Div, &[span, wide[2]])?;
    let steps = l.map(Scalar::Ceil, &[steps])?;
    let steps = l.with(Scalar::Max, steps, 0.0)?;
    let n = l.cast(steps, DType::I64)?;
    Ok(l.extent_of(n, None))
}

/// 1 where row + k = column.
fn eye_like(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let t = l.tensor(x)?;
    let [rows, columns] = t.shape.as_slice() else {
        return Err(crate::lower::bad(
            "input 0",
            crate::error::ProblemKind::Rank { got: t.rank(), expected: "2".into() },
        ));
    };
    let to = match node::find(l.node, "dtype") {
        Some(a) => dtype_code("dtype", a.i())?,
        None => t.dtype,
    };
    let (i, j) = (l.iota(rows, DType::I64)?, l.iota(columns, DType::I64)?);
    let k = l.int("k", 0);
    let (i, j) = (l.spread(i, &[0], &t.shape)?, l.spread(j, &[1], &t.shape)?);
    let i = l.with(Scalar::Add, i, k as f64)?;
    let same = l.map(Scalar::Eq, &[i, j])?;
    Ok(vec![l.cast(same, to)?])
}

/// `values[1]` where the new axis's position equals the index, else `values[0]`; negative indices count from the end
/// from opset 11 on; an index out of range hits nothing.
fn one_hot(l: &mut Lower<'_>, wraps: bool) -> Results {
    let (ix, depth, values) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let depth = match l.scalar_f64(depth) {
        Some(n) => Dim::from(n as i64),
        None => l.lengths("depth", depth, 1)?.remove(0),
    };
    let t = l.tensor(ix)?;
    let axis = l.axis("axis", l.int("axis", -1), t.rank() + 1)?;
    let mut shape: Shape = t.shape.clone();
    shape.insert(axis, depth.clone());
    let compute = if t.dtype.is_float() { t.dtype } else { DType::I64 };
    let mut at = l.cast(ix, compute)?;
    if wraps {
        let n = l.dim(&depth, compute)?;
        let n = l.broadcast(n, &t.shape)?;
        let zero = l.splat(Literal::from_i64(compute, 0), &t.shape)?;
        let negative = l.map(Scalar::Lt, &[at, zero])?;
        let from_end = l.map(Scalar::Add, &[at, n])?;
        at = l.map(Scalar::Select, &[negative, from_end, at])?;
    }
    let at = l.insert(at, vec![(axis, depth.clone())])?;
    let cells = l.iota(&depth, compute)?;
    let cells = l.spread(cells, &[axis], &shape)?;
    let hit = l.map(Scalar::Eq, &[at, cells])?;
    let mut picked = Vec::new();
    for i in 0..2i64 {
        let v = l.slice_axis(values, 0, Dim::from(i), Dim::ONE)?;
        let v = l.reshape(v, &[])?;
        picked.push(l.broadcast(v, &shape)?);
    }
    Ok(vec![l.map(Scalar::Select, &[hit, picked[1], picked[0]])?])
}
