//! Partial evaluation of shape arithmetic: small values whose elements are known as expressions of extents.
//!
//! Exporters compute shapes by chains of Shape, Gather, Mul, Concat and the like. Each such value is evaluated here, with
//! symbolic extents as [`Dim`]s, so that Reshape, Expand, Slice and so on get their attributes, and the value itself is
//! put into the graph as a constant or as a few `Dim` operators instead of the chain. Floats are evaluated in f32 by
//! correctly rounded operations only, which gives the bits the model would give.

use egret_ir::op::{Const, Op};
use egret_ir::{DType, Dim, Graph, Literal, Tensor, ValueId};

use crate::lower::{Fail, Lower};
use crate::node;
use crate::tensor;

mod elementwise;

use elementwise::{binary, broadcast, unary};

/// Values of more elements are left to the graph.
const MAX_ELEMENTS: usize = 1024;

/// Floats filled in by one number: more of them are weights, not the factors of a shape.
const MAX_FLOATS: usize = 16;

/// One element.
#[derive(Debug, Clone, PartialEq)]
pub enum Elem {
    /// An integer expression (any integer type; numbers stay inside the value's type).
    Int(Dim),
    /// An f32.
    Float(f32),
    /// A truth value.
    Bool(bool),
}

/// A small value with known elements, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Element type: an integer type, f32 or bool.
    pub dtype: DType,
    /// Extents.
    pub shape: Vec<usize>,
    /// Elements.
    pub elems: Vec<Elem>,
}

impl Known {
    /// Of a constant in the graph, where it is small and of a type that takes part.
    pub fn of_constant(graph: &Graph, v: ValueId) -> Option<Self> {
        match &graph.node(v).op {
            Op::Const(Const::Scalar(l)) => Self::of_tensor(&Tensor::scalar(*l)),
            Op::Const(Const::Dense(id)) => Self::of_tensor(graph.tables.tensor(*id)),
            _ => None,
        }
    }

    /// Of an empty list, which is known wherever it comes from.
    pub fn of_nothing(graph: &Graph, v: ValueId) -> Option<Self> {
        let t = graph.ty(v).as_tensor().filter(|t| t.shape == [Dim::ZERO] && takes_part(t.dtype))?;
        Some(Self { dtype: t.dtype, shape: vec![0], elems: Vec::new() })
    }

    fn of_tensor(t: &Tensor) -> Option<Self> {
        let dtype = t.dtype();
        if !small(t.shape()) || !takes_part(dtype) {
            return None;
        }
        let elem = |l: Literal| match dtype {
            DType::F32 => Elem::Float(f32::from_bits(l.bits() as u32)),
            DType::Bool => Elem::Bool(l.bits() != 0),
            _ => Elem::Int(Dim::from(l.to_i64())),
        };
        Some(Self { dtype, shape: t.shape().to_vec(), elems: (0..t.len()).map(|i| elem(t.get(i))).collect() })
    }

    /// Of a literal of a type that takes part.
    pub fn of_literal(l: Literal) -> Self {
        let elem = match l.dtype() {
            DType::F32 => Elem::Float(f32::from_bits(l.bits() as u32)),
            DType::Bool => Elem::Bool(l.bits() != 0),
            _ => Elem::Int(Dim::from(l.to_i64())),
        };
        Self { dtype: l.dtype(), shape: vec![], elems: vec![elem] }
    }

    /// A list of integers as i64.
    pub fn list(elems: Vec<Dim>) -> Self {
        Self { dtype: DType::I64, shape: vec![elems.len()], elems: elems.into_iter().map(Elem::Int).collect() }
    }

    /// The elements of an integer value.
    pub fn dims(&self) -> Option<Vec<Dim>> {
        self.elems
            .iter()
            .map(|e| match e {
                Elem::Int(d) => Some(d.clone()),
                Elem::Float(_) | Elem::Bool(_) => None,
            })
            .collect()
    }

    /// The elements of an integer value, where all are numbers.
    pub fn numbers(&self) -> Option<Vec<i64>> {
        self.dims()?.iter().map(Dim::as_const).collect()
    }

    /// The elements of an f32 value.
    pub fn floats(&self) -> Option<Vec<f32>> {
        self.elems
            .iter()
            .map(|e| match e {
                Elem::Float(x) => Some(*x),
                Elem::Int(_) | Elem::Bool(_) => None,
            })
            .collect()
    }

    /// The value as a tensor, where all elements are numbers.
    fn tensor(&self) -> Option<Tensor> {
        let mut bytes = Vec::with_capacity(self.elems.len() * self.dtype.size());
        for e in &self.elems {
            let l = match e {
                Elem::Int(d) => Literal::from_i64(self.dtype, d.as_const()?),
                Elem::Float(x) => Literal::f32(*x),
                Elem::Bool(b) => Literal::bool(*b),
            };
            bytes.extend_from_slice(&l.bits().to_le_bytes()[..self.dtype.size()]);
        }
        Tensor::new(self.dtype, self.shape.clone(), bytes).ok()
    }

    /// Puts the value into the graph: a constant, or one `Dim` per element, joined.
    pub fn materialize(&self, l: &mut Lower<'_>) -> Result<ValueId, Fail> {
        if let Some(t) = self.tensor() {
            return l.constant(t);
        }
        let mut parts = Vec::with_capacity(self.elems.len());
        for d in self.dims().into_iter().flatten() {
            parts.push(l.dim(&d, self.dtype)?);
        }
        if self.shape.is_empty() {
            return Ok(parts[0]);
        }
        for part in &mut parts {
            *part = l.reshape(*part, &[Dim::ONE])?;
        }
        let joined = l.concat(0, &parts)?;
        let shape: Vec<Dim> = self.shape.iter().map(|d| Dim::from(*d)).collect();
        l.reshape(joined, &shape)
    }

    fn strides(&self) -> Vec<usize> {
        strides(&self.shape)
    }
}

/// The elements of a small integer constant of the graph.
pub fn integers(graph: &Graph, v: ValueId) -> Option<impl ExactSizeIterator<Item = i64>> {
    let Op::Const(Const::Dense(id)) = &graph.node(v).op else { return None };
    let t = graph.tables.tensor(*id);
    let takes_part = t.dtype().is_int() && takes_part(t.dtype());
    (takes_part && small(t.shape())).then(|| (0..t.len()).map(|i| t.get(i).to_i64()))
}

/// Whether a value of that shape can be known. Beside a zero, other extents must be small, too: products of some of them
/// are taken, and lists of their positions.
fn small(shape: &[usize]) -> bool {
    let whole = shape.iter().try_fold(1usize, |n, d| n.checked_mul((*d).max(1)));
    whole.is_some_and(|n| n <= MAX_ELEMENTS)
}

/// Whether values of the type can be known.
fn takes_part(dtype: DType) -> bool {
    dtype == DType::F32 || dtype == DType::Bool || (dtype.is_int() && dtype != DType::U64)
}

fn strides(shape: &[usize]) -> Vec<usize> {
    let mut out = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        out[i - 1] = out[i] * shape[i];
    }
    out
}

/// All positions of a shape in row-major order.
fn positions(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let count: usize = shape.iter().product();
    (0..count).map(move |mut flat| {
        let mut at = vec![0; shape.len()];
        for i in (0..shape.len()).rev() {
            at[i] = flat % shape[i];
            flat /= shape[i];
        }
        at
    })
}

/// The node's only result, where operands are known well enough and the operator takes part.
pub fn evaluate(l: &mut Lower<'_>) -> Option<Known> {
    let known = |i: usize| l.optional(i).and_then(|v| l.known(v));
    let result = match l.node.op_type() {
        "Shape" => shape_of(l)?,
        "Size" => {
            let t = l.graph.ty(l.optional(0)?).as_tensor()?;
            let n = egret_ir::dim::count(&t.shape);
            Known { dtype: DType::I64, shape: vec![], elems: vec![Elem::Int(n)] }
        }
        "Identity" => known(0)?,
        "Cast" => cast(l, &known(0)?)?,
        "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" => relabelled(l, &known(0)?)?,
        "Transpose" => transpose(l, &known(0)?)?,
        "Concat" => {
            let parts: Option<Vec<Known>> = (0..l.inputs.len()).map(known).collect();
            concat(l, &parts?)?
        }
        "Gather" => gather(l, &known(0)?, &known(1)?)?,
        "Slice" => slice(l, &known(0)?)?,
        "Where" => {
            let (c, a, b) = (known(0)?, known(1)?, known(2)?);
            broadcast(&[&c, &a, &b], a.dtype, |e| match e {
                [Elem::Bool(c), a, b] => Some(if *c { (*a).clone() } else { (*b).clone() }),
                _ => None,
            })?
        }
        "ConstantOfShape" => constant_of_shape(l, &l.known_numbers(l.optional(0)?)?)?,
        "Range" => range(&known(0)?, &known(1)?, &known(2)?)?,
        "ReduceProd" => product(l, &known(0)?)?,
        "Neg" | "Abs" | "Floor" | "Ceil" | "Sqrt" | "Not" => unary(l.node.op_type(), &known(0)?)?,
        "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Min" | "Max" | "Equal" | "Less" | "LessOrEqual" | "Greater"
        | "GreaterOrEqual" | "And" | "Or" => {
            if l.opset < 7 || l.inputs.len() != 2 || (l.node.op_type() == "Mod" && l.flag("fmod", false)) {
                return None;
            }
            binary(l, l.node.op_type(), &known(0)?, &known(1)?)?
        }
        _ => return None,
    };
    let fits = |e: &Elem| match e {
        Elem::Int(d) => {
            !d.is_invalid() && d.as_const().is_none_or(|c| Literal::from_i64(result.dtype, c).to_i64() == c)
        }
        Elem::Float(_) | Elem::Bool(_) => true,
    };
    (small(&result.shape) && result.elems.iter().all(fits)).then_some(result)
}

fn shape_of(l: &Lower<'_>) -> Option<Known> {
    let shape = &l.graph.ty(l.optional(0)?).as_tensor()?.shape;
    let rank = shape.len() as i64;
    let clamp = |x: i64| if x < 0 { (x.saturating_add(rank)).max(0) } else { x.min(rank) } as usize;
    let start = clamp(l.int("start", 0));
    let end = clamp(l.int("end", rank));
    Some(Known::list(shape.get(start..end).unwrap_or_default().to_vec()))
}

fn cast(l: &Lower<'_>, x: &Known) -> Option<Known> {
    let to = tensor::dtype(l.int("to", 0) as i32).ok()?;
    if l.opset < 6 || !takes_part(to) {
        return None;
    }
    let elem = |e: &Elem| match (e, to) {
        (Elem::Int(d), DType::F32) => Some(Elem::Float(d.as_const()? as f32)),
        (Elem::Int(d), DType::Bool) => Some(Elem::Bool(d.as_const()? != 0)),
        (Elem::Int(d), _) => match d.as_const() {
            Some(c) => Some(Elem::Int(Dim::from(Literal::from_i64(to, c).to_i64()))),
            // An extent fits every type that a model casts it to, or its tensors could not exist.
            None => matches!(to, DType::I64 | DType::I32).then(|| e.clone()),
        },
        (Elem::Float(_), DType::F32) | (Elem::Bool(_), DType::Bool) => Some(e.clone()),
        (Elem::Float(x), DType::Bool) => Some(Elem::Bool(*x != 0.0)),
        // Out of range is undefined, and not decided here.
        (Elem::Float(x), _) => {
            let whole = x.trunc();
            let c = whole as i64;
            let fits = whole.abs() < 9.0e18 && Literal::from_i64(to, c).to_i64() == c;
            fits.then_some(Elem::Int(Dim::from(c)))
        }
        (Elem::Bool(b), DType::F32) => Some(Elem::Float(f32::from(u8::from(*b)))),
        (Elem::Bool(b), _) => Some(Elem::Int(Dim::from(i64::from(*b)))),
    };
    Some(Known { dtype: to, shape: x.shape.clone(), elems: x.elems.iter().map(elem).collect::<Option<_>>()? })
}

fn axes_of(l: &Lower<'_>) -> Option<Vec<i64>> {
    match l.ints("axes") {
        Some(axes) => Some(axes.to_vec()),
        None => l.known_numbers(l.optional(1)?),
    }
}

fn axis(a: i64, rank: usize) -> Option<usize> {
    usize::try_from(if a < 0 { a.checked_add(rank as i64)? } else { a }).ok().filter(|a| *a < rank)
}

fn relabelled(l: &Lower<'_>, x: &Known) -> Option<Known> {
    let shape: Vec<usize> = match l.node.op_type() {
        "Reshape" => {
            let wanted = match l.ints("shape") {
                Some(s) => s.to_vec(),
                None => l.known_numbers(l.optional(1)?)?,
            };
            let zero = !l.flag("allowzero", false);
            let mut shape = Vec::with_capacity(wanted.len());
            for (i, d) in wanted.iter().enumerate() {
                shape.push(match d {
                    0 if zero => *x.shape.get(i)?,
                    -1 => usize::MAX,
                    d => usize::try_from(*d).ok()?,
                });
            }
            let rest = shape.iter().filter(|d| **d != usize::MAX).try_fold(1usize, |n, d| n.checked_mul(*d))?;
            for d in shape.iter_mut().filter(|d| **d == usize::MAX) {
                *d = x.elems.len().checked_div(rest)?;
            }
            shape
        }
        "Unsqueeze" => {
            let axes = axes_of(l)?;
            let rank = x.shape.len() + axes.len();
            let at = axes.iter().map(|a| axis(*a, rank)).collect::<Option<Vec<_>>>()?;
            let mut old = x.shape.iter();
            (0..rank).map(|i| if at.contains(&i) { Some(1) } else { old.next().copied() }).collect::<Option<_>>()?
        }
        "Squeeze" => {
            let axes = if l.ints("axes").is_some() || l.optional(1).is_some() { Some(axes_of(l)?) } else { None };
            let rank = x.shape.len();
            let at: Vec<usize> = match axes {
                Some(axes) => axes.iter().map(|a| axis(*a, rank)).collect::<Option<_>>()?,
                None => (0..rank).filter(|i| x.shape[*i] == 1).collect(),
            };
            (0..rank).filter(|i| !at.contains(i)).map(|i| x.shape[i]).collect()
        }
        _ => {
            let at = l.int("axis", 1);
            let rank = x.shape.len() as i64;
            let at = usize::try_from(if at < 0 { at + rank } else { at }).ok().filter(|a| *a <= x.shape.len())?;
            vec![x.shape[..at].iter().product(), x.shape[at..].iter().product()]
        }
    };
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d))?;
    (count == x.elems.len()).then(|| Known { shape, ..x.clone() })
}

fn transpose(l: &Lower<'_>, x: &Known) -> Option<Known> {
    let rank = x.shape.len();
    let perm: Vec<usize> = match l.ints("perm") {
        Some(p) => p.iter().map(|a| axis(*a, rank)).collect::<Option<_>>()?,
        None => (0..rank).rev().collect(),
    };
    egret_ir::op::Perm::new(&perm).filter(|p| p.rank() == rank)?;
    let shape: Vec<usize> = perm.iter().map(|a| x.shape[*a]).collect();
    let strides = x.strides();
    let elems = positions(&shape)
        .map(|at| x.elems[at.iter().zip(&perm).map(|(i, a)| i * strides[*a]).sum::<usize>()].clone())
        .collect();
    Some(Known { dtype: x.dtype, shape, elems })
}

fn concat(l: &Lower<'_>, parts: &[Known]) -> Option<Known> {
    let first = parts.first()?;
    let rank = first.shape.len();
    let axis = axis(l.int("axis", 1), rank)?;
    let mut shape = first.shape.clone();
    shape[axis] = 0;
    for p in parts {
        let fits =
            p.dtype == first.dtype && p.shape.len() == rank && (0..rank).all(|i| i == axis || p.shape[i] == shape[i]);
        if !fits {
            return None;
        }
        shape[axis] += p.shape[axis];
    }
    if shape.iter().product::<usize>() > MAX_ELEMENTS {
        return None;
    }
    let elems = positions(&shape)
        .map(|mut at| {
            let mut part = parts.iter();
            let p = part.by_ref().find(|p| {
                let inside = at[axis] < p.shape[axis];
                if !inside {
                    at[axis] -= p.shape[axis];
                }
                inside
            })?;
            Some(p.elems[at.iter().zip(p.strides()).map(|(i, s)| i * s).sum::<usize>()].clone())
        })
        .collect::<Option<_>>()?;
    Some(Known { dtype: first.dtype, shape, elems })
}

fn gather(l: &Lower<'_>, x: &Known, ix: &Known) -> Option<Known> {
    let axis = axis(l.int("axis", 0), x.shape.len())?;
    let extent = x.shape[axis];
    let ixs = ix.numbers()?;
    let mut shape = x.shape[..axis].to_vec();
    shape.extend(&ix.shape);
    shape.extend(&x.shape[axis + 1..]);
    if shape.iter().product::<usize>() > MAX_ELEMENTS {
        return None;
    }
    let (outer, inner) = (x.shape[..axis].iter().product::<usize>(), x.shape[axis + 1..].iter().product::<usize>());
    let mut elems = Vec::new();
    for o in 0..outer {
        for i in &ixs {
            let i = usize::try_from(if *i < 0 { i + extent as i64 } else { *i }).ok().filter(|i| *i < extent)?;
            let from = (o * extent + i) * inner;
            elems.extend_from_slice(&x.elems[from..from + inner]);
        }
    }
    Some(Known { dtype: x.dtype, shape, elems })
}

fn slice(l: &Lower<'_>, x: &Known) -> Option<Known> {
    let rank = x.shape.len();
    let list = |name: &str, i: usize| match l.ints(name) {
        Some(list) => Some(Some(list.to_vec())),
        None => match l.optional(i) {
            Some(v) => l.known_numbers(v).map(Some),
            None => Some(None),
        },
    };
    let (starts, ends) = (list("starts", 1)??, list("ends", 2)??);
    let axes = list("axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = list("steps", 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    let mut picks: Vec<Vec<usize>> = x.shape.iter().map(|d| (0..*d).collect()).collect();
    for (i, from) in starts.iter().enumerate() {
        let at = axis(*axes.get(i)?, rank)?;
        let (start, step, len) = clamp(x.shape[at] as i64, *from, *ends.get(i)?, *steps.get(i)?)?;
        picks[at] = (0..len).map(|k| (start + step * k) as usize).collect();
    }
    let shape: Vec<usize> = picks.iter().map(Vec::len).collect();
    let strides = x.strides();
    let elems = positions(&shape)
        .map(|at| x.elems[at.iter().enumerate().map(|(a, i)| picks[a][*i] * strides[a]).sum::<usize>()].clone())
        .collect();
    Some(Known { dtype: x.dtype, shape, elems })
}

/// ONNX's reading of a slice of an axis: (first position, step, number of elements); `None` for step 0.
pub fn clamp(extent: i64, start: i64, end: i64, step: i64) -> Option<(i64, i64, i64)> {
    let wrap = |x: i64| if x < 0 { x.saturating_add(extent) } else { x };
    let (start, end) = (wrap(start), wrap(end));
    let (start, end) = match step {
        0 => return None,
        1.. => (start.clamp(0, extent), end.clamp(0, extent)),
        _ => (start.clamp(-1, extent - 1), end.clamp(-1, extent - 1)),
    };
    let span = if step > 0 { end - start } else { start - end };
    let len = if span <= 0 { 0 } else { (span - 1) / step.checked_abs()? + 1 };
    Some(if len == 0 { (0, step, 0) } else { (start, step, len) })
}

fn constant_of_shape(l: &Lower<'_>, shape: &[i64]) -> Option<Known> {
    let shape: Vec<usize> = shape.iter().map(|d| usize::try_from(*d).ok()).collect::<Option<_>>()?;
    if !small(&shape) {
        return None;
    }
    let count = shape.iter().product();
    let value = node::tensor(l.node, "value");
    let float = value.is_none_or(|t| t.data_type() == tensor::code(DType::F32));
    if float && count > MAX_FLOATS {
        return None;
    }
    let value = match value {
        Some(t) => Known::of_tensor(&l.decode("value", t).ok()?)?,
        None => Known { dtype: DType::F32, shape: vec![], elems: vec![Elem::Float(0.0)] },
    };
    Some(Known { dtype: value.dtype, shape, elems: vec![value.elems.first()?.clone(); count] })
}

fn range(start: &Known, limit: &Known, delta: &Known) -> Option<Known> {
    let one = |k: &Known| k.numbers()?.first().copied();
    let dtype = start.dtype;
    let (start, limit, delta) = (one(start)?, one(limit)?, one(delta).filter(|d| *d != 0)?);
    let count = range_len(start, limit, delta)?;
    // Inside of start to limit, though the last step may be more than an i64 holds.
    let at = |i: i64| (i128::from(start) + i128::from(i) * i128::from(delta)) as i64;
    let elems = (0..count).map(|i| Elem::Int(Dim::from(at(i)))).collect();
    Some(Known { dtype, shape: vec![count as usize], elems })
}

/// max(⌈(limit − start) / delta⌉, 0), where that is a small number.
fn range_len(start: i64, limit: i64, delta: i64) -> Option<i64> {
    let (span, step) = (i128::from(limit) - i128::from(start), i128::from(delta));
    let (span, step) = if step < 0 { (-span, -step) } else { (span, step) };
    let count = if span <= 0 { 0 } else { (span + step - 1) / step };
    i64::try_from(count).ok().filter(|n| *n <= MAX_ELEMENTS as i64)
}

fn product(l: &Lower<'_>, x: &Known) -> Option<Known> {
    let all =
        x.shape.len() == 1 && (l.ints("axes").is_none() || l.ints("axes") == Some(&[0])) && l.optional(1).is_none();
    if !all {
        return None;
    }
    let n = x.dims()?.into_iter().fold(Dim::ONE, |a, b| a * b);
    let shape = if l.flag("keepdims", true) { vec![1] } else { vec![] };
    Some(Known { dtype: x.dtype, shape, elems: vec![Elem::Int(n)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_clamp_as_the_standard_says() {
        assert_eq!(clamp(5, 1, 4, 1), Some((1, 1, 3)));
        assert_eq!(clamp(5, -1, i64::MIN, -1), Some((4, -1, 5)));
        assert_eq!(clamp(5, 0, i64::MAX, 2), Some((0, 2, 3)));
        assert_eq!(clamp(5, 3, 1, 1), Some((0, 1, 0)));
        assert_eq!(clamp(5, 1, 3, -1), Some((0, -1, 0)));
        assert_eq!(clamp(0, 0, -1, -1), Some((0, -1, 0)));
        assert_eq!(clamp(5, 0, 1, 0), None);
    }

    #[test]
    fn ranges_count_as_the_standard_says() {
        assert_eq!(range_len(0, 5, 2), Some(3));
        assert_eq!(range_len(10, 4, -2), Some(3));
        assert_eq!(range_len(10, 3, -2), Some(4));
        assert_eq!(range_len(0, -5, 2), Some(0));
        assert_eq!(range_len(0, i64::MAX, 1), None);
    }
}
