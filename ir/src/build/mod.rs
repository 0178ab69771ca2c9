//! Building graphs: one method per kind, and what every frontend needs around them: broadcasting to a common shape,
//! splats, padding, and the elements of small integer values as expressions of extents ([`Builder::elements`]), so that
//! shape arithmetic of a model becomes attributes.

mod elements;

use std::collections::BTreeMap;

use crate::dim::{self, Dim, Shape};
use crate::dtype::{DType, Literal};
use crate::graph::{Graph, InputDecl, ValueId};
use crate::infer::TypeError;
use crate::op::scalar::Scalar;
use crate::op::spec::{GatherSpec, Spec};
use crate::op::{Const, Monoid, Op, PadAxis, Perm, SliceAxis};
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::types::{TensorType, Type};

/// A graph under construction.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    /// Recorded with each operator added.
    pub origins: Origins,
    /// Row-major elements of small integer values, where known.
    elements: BTreeMap<ValueId, Vec<Dim>>,
}

type Value = Result<ValueId, TypeError>;

impl Builder {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        Self { graph: Graph::new(name), ..Self::default() }
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, to note names of constants and facts about symbols.
    pub fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    // ---- facts ----

    /// The tensor type of a value.
    pub fn tensor(&self, v: ValueId) -> Result<&TensorType, TypeError> {
        let ty = self.graph.ty(v);
        ty.as_tensor().ok_or_else(|| TypeError::NotTensor { kind: "this", operand: 0, got: ty.clone() })
    }

    /// Extents.
    pub fn shape(&self, v: ValueId) -> Result<Shape, TypeError> {
        Ok(self.tensor(v)?.shape.clone())
    }

    /// Element type.
    pub fn dtype(&self, v: ValueId) -> Result<DType, TypeError> {
        Ok(self.tensor(v)?.dtype)
    }

    /// Rank.
    pub fn rank(&self, v: ValueId) -> Result<usize, TypeError> {
        Ok(self.tensor(v)?.rank())
    }

    /// Elements of a small integer value, row-major, as expressions of extents; None where data decides them.
    pub fn elements(&self, v: ValueId) -> Option<Vec<Dim>> {
        if let Some(known) = self.elements.get(&v) {
            return Some(known.clone());
        }
        elements::of_constant(&self.graph, v)
    }

    /// The same, where all are numbers.
    pub fn numbers(&self, v: ValueId) -> Option<Vec<i64>> {
        self.elements(v)?.iter().map(Dim::as_const).collect()
    }

    /// The constant that a value is, where it is one.
    pub fn constant_of(&self, v: ValueId) -> Option<Tensor> {
        match &self.graph.node(v).op {
            Op::Const(Const::Scalar(l)) => Some(Tensor::scalar(*l)),
            Op::Const(Const::Dense(id)) => Some(self.graph.tables.tensor(*id).clone()),
            _ => None,
        }
    }

    // ---- one method per kind ----

    /// Adds an operator, inferring its type.
    pub fn add(&mut self, op: Op, args: &[ValueId]) -> Value {
        let known = elements::of_op(self, &op, args);
        let v = self.graph.add(op, args, self.origins.clone())?;
        // Expressions that the type cannot hold are no elements of it.
        let dtype = self.graph.ty(v).as_tensor().map(|t| t.dtype);
        if let (Some(known), Some(dtype)) = (known, dtype)
            && known
                .iter()
                .all(|d| !d.is_invalid() && d.as_const().is_none_or(|c| Literal::from_i64(dtype, c).to_i64() == c))
        {
            self.elements.insert(v, known);
        }
        Ok(v)
    }

    /// A parameter.
    pub fn input(&mut self, decl: InputDecl) -> ValueId {
        self.graph.input_decl(decl)
    }

    /// A constant; of rank 0, a literal.
    pub fn constant(&mut self, tensor: Tensor) -> ValueId {
        let v = self.graph.constant(tensor);
        self.graph.set_origins(v, self.origins.clone());
        v
    }

    /// A rank-0 literal.
    pub fn literal(&mut self, l: Literal) -> Value {
        self.add(Op::Const(Const::Scalar(l)), &[])
    }

    /// A literal in every cell of a shape.
    pub fn splat(&mut self, l: Literal, shape: &[Dim]) -> Value {
        let scalar = self.literal(l)?;
        self.insert(scalar, shape.iter().cloned().enumerate().collect())
    }

    /// A shape expression as a rank-0 value of a type.
    pub fn dim(&mut self, d: &Dim, dtype: DType) -> Value {
        if let Some(c) = d.as_const() {
            return self.literal(Literal::from_i64(dtype, c));
        }
        let v = self.add(Op::Dim(d.clone()), &[])?;
        self.cast(v, dtype)
    }

    /// Shape expressions as a list.
    pub fn dims(&mut self, list: &[Dim], dtype: DType) -> Value {
        if let Some(numbers) = list.iter().map(Dim::as_const).collect::<Option<Vec<i64>>>() {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| Literal::from_i64(dtype, *n).to_le_bytes()).collect();
            if let Ok(t) = Tensor::new(dtype, vec![numbers.len()], bytes) {
                return Ok(self.constant(t));
            }
        }
        let mut parts = Vec::with_capacity(list.len());
        for d in list {
            let v = self.dim(d, dtype)?;
            parts.push(self.reshape(v, &[Dim::ONE])?);
        }
        self.concat(0, &parts)
    }

    /// `0, 1, … len−1`.
    pub fn iota(&mut self, len: &Dim, dtype: DType) -> Value {
        self.add(Op::Iota { len: len.clone(), dtype }, &[])
    }

    /// Axes reordered: axis `i` of the result is axis `axes[i]`.
    pub fn permute(&mut self, v: ValueId, axes: &[usize]) -> Value {
        let kind = "permute";
        let perm = Perm::new(axes).ok_or(TypeError::Axis { kind, axis: axes.len() })?;
        if perm.is_identity() && perm.rank() == self.rank(v)? { Ok(v) } else { self.add(Op::Permute(perm), &[v]) }
    }

    /// The same elements in another shape.
    pub fn reshape(&mut self, v: ValueId, shape: &[Dim]) -> Value {
        if self.tensor(v)?.shape == shape { Ok(v) } else { self.add(Op::Reshape(shape.to_vec()), &[v]) }
    }

    /// New axes at the given positions of the result.
    pub fn insert(&mut self, v: ValueId, axes: Vec<(usize, Dim)>) -> Value {
        if axes.is_empty() {
            return Ok(v);
        }
        if let Some((axis, _)) = axes.iter().find(|(at, _)| *at > usize::from(u8::MAX)) {
            return Err(TypeError::Axis { kind: "broadcast", axis: *axis });
        }
        self.add(Op::Broadcast(axes.into_iter().map(|(at, d)| (at as u8, d)).collect()), &[v])
    }

    /// A regular part.
    pub fn slice(&mut self, v: ValueId, axes: Vec<SliceAxis>) -> Value {
        let shape = &self.tensor(v)?.shape;
        let whole = |(a, d): (&SliceAxis, &Dim)| a.start == Dim::ZERO && a.step == 1 && a.len == *d;
        if axes.len() == shape.len() && axes.iter().zip(shape).all(whole) {
            return Ok(v);
        }
        self.add(Op::Slice(axes.into()), &[v])
    }

    /// `len` elements of one axis from `start`.
    pub fn slice_axis(&mut self, v: ValueId, axis: usize, start: Dim, len: Dim) -> Value {
        let mut axes = whole_slices(&self.tensor(v)?.shape);
        *axes.get_mut(axis).ok_or(TypeError::Axis { kind: "slice", axis })? = SliceAxis { start, step: 1, len };
        self.slice(v, axes)
    }

    /// Grown by the scalar `fill`.
    pub fn pad(&mut self, v: ValueId, fill: ValueId, axes: Vec<PadAxis>) -> Value {
        if axes.iter().all(|a| a.lo == Dim::ZERO && a.hi == Dim::ZERO && a.inner == 0) {
            return Ok(v);
        }
        self.add(Op::Pad(axes.into()), &[v, fill])
    }

    /// Joined along an axis; of one part, the part.
    pub fn concat(&mut self, axis: usize, parts: &[ValueId]) -> Value {
        match parts {
            [only] => Ok(*only),
            _ => self.add(Op::Concat(axis as u8), parts),
        }
    }

    /// Elements picked by index.
    pub fn gather(&mut self, spec: GatherSpec, data: ValueId, ix: ValueId) -> Value {
        self.add(Op::Gather(spec), &[data, ix])
    }

    /// A scalar row over equal shapes.
    pub fn map(&mut self, s: Scalar, args: &[ValueId]) -> Value {
        self.add(Op::Map(s), args)
    }

    /// Conversion; of the same type, the value.
    pub fn cast(&mut self, v: ValueId, to: DType) -> Value {
        if self.dtype(v)? == to { Ok(v) } else { self.map(Scalar::Cast(to), &[v]) }
    }

    /// A scalar row of a value and a number of its type.
    pub fn with(&mut self, s: Scalar, v: ValueId, x: f64) -> Value {
        let t = self.tensor(v)?.clone();
        let c = self.splat(Literal::from_f64(t.dtype, x), &t.shape)?;
        self.map(s, &[v, c])
    }

    /// A scalar row of a number and a value of its type.
    pub fn with_left(&mut self, s: Scalar, x: f64, v: ValueId) -> Value {
        let t = self.tensor(v)?.clone();
        let c = self.splat(Literal::from_f64(t.dtype, x), &t.shape)?;
        self.map(s, &[c, v])
    }

    /// A scalar row after broadcasting the operands to their common shape.
    pub fn wide(&mut self, s: Scalar, args: &[ValueId]) -> Value {
        let args = self.broadcast_all(args)?;
        self.map(s, &args)
    }

    /// A fold over `axes`, which go; sums and products of narrow floats accumulate in f32. Over no axes, the value.
    pub fn fold(&mut self, monoid: Monoid, v: ValueId, axes: &[usize]) -> Value {
        if axes.is_empty() && !monoid.is_arg() {
            return Ok(v);
        }
        let spec = Spec::fold(self.rank(v)?, axes)?;
        self.reduce(monoid, spec, v)
    }

    /// A fold by spec, accumulated as in [`Builder::fold`].
    pub fn reduce(&mut self, monoid: Monoid, spec: Spec, v: ValueId) -> Value {
        let dtype = self.dtype(v)?;
        let sums = matches!(monoid, Monoid::Sum | Monoid::Prod);
        let acc = if sums { crate::defs::default_acc(dtype) } else { dtype };
        self.add(Op::Reduce { monoid, spec, acc }, &[v])
    }

    /// A sum of products by spec, accumulated in `acc`, as `out`.
    pub fn contract(&mut self, spec: Spec, a: ValueId, b: ValueId, acc: DType, out: DType) -> Value {
        self.add(Op::Contract { spec, acc, out }, &[a, b])
    }

    // ---- broadcasting ----

    /// `v`, whose axes line up with the last ones of `shape`, repeated to `shape`: an axis of extent 1 that must grow is
    /// dropped by Reshape, and Broadcast inserts it and the leading ones.
    pub fn broadcast(&mut self, v: ValueId, shape: &[Dim]) -> Value {
        let t = self.tensor(v)?.clone();
        let misfit = || TypeError::Shapes {
            kind: "broadcast",
            a: Type::Tensor(t.clone()),
            b: Type::tensor(t.dtype, shape.to_vec()),
        };
        let lead = shape.len().checked_sub(t.rank()).ok_or_else(misfit)?;
        let mut kept = Vec::new();
        let mut inserted: Vec<(usize, Dim)> = shape[..lead].iter().cloned().enumerate().collect();
        for (i, (d, to)) in t.shape.iter().zip(&shape[lead..]).enumerate() {
            if d == to {
                kept.push(d.clone());
            } else if *d == Dim::ONE {
                inserted.push((lead + i, to.clone()));
            } else {
                return Err(misfit());
            }
        }
        let v = self.reshape(v, &kept)?;
        self.insert(v, inserted)
    }

    /// `v`, whose axes are `axes` of `shape` in ascending order, repeated along the others.
    pub fn spread(&mut self, v: ValueId, axes: &[usize], shape: &[Dim]) -> Value {
        let others = (0..shape.len()).filter(|i| !axes.contains(i)).map(|i| (i, shape[i].clone())).collect();
        self.insert(v, others)
    }

    /// The common shape of values: axes line up at the end, and of two extents one is 1 or both are equal.
    pub fn common_shape(&self, args: &[ValueId]) -> Result<Shape, TypeError> {
        let types = args.iter().map(|v| self.tensor(*v)).collect::<Result<Vec<_>, _>>()?;
        let rank = types.iter().map(|t| t.rank()).max().unwrap_or(0);
        let mut common = vec![Dim::ONE; rank];
        for t in types {
            let lead = rank - t.rank();
            for (i, d) in t.shape.iter().enumerate() {
                if common[lead + i] == Dim::ONE {
                    common[lead + i].clone_from(d);
                } else if *d != Dim::ONE && *d != common[lead + i] {
                    let b = Type::tensor(t.dtype, common);
                    return Err(TypeError::Shapes { kind: "broadcast", a: Type::Tensor(t.clone()), b });
                }
            }
        }
        Ok(common)
    }

    /// All values repeated to their common shape.
    pub fn broadcast_all(&mut self, args: &[ValueId]) -> Result<Vec<ValueId>, TypeError> {
        let common = self.common_shape(args)?;
        args.iter().map(|v| self.broadcast(*v, &common)).collect()
    }

    /// Σx / n over axes, which go, in the value's own type.
    pub fn mean(&mut self, v: ValueId, axes: &[usize]) -> Value {
        let t = self.tensor(v)?.clone();
        let n = dim::count(&axes.iter().filter_map(|a| t.shape.get(*a).cloned()).collect::<Vec<_>>());
        let sum = self.fold(Monoid::Sum, v, axes)?;
        let n = self.dim(&n, t.dtype)?;
        let shape = self.shape(sum)?;
        let n = self.broadcast(n, &shape)?;
        self.map(Scalar::Div, &[sum, n])
    }
}

/// Slices that take everything.
pub fn whole_slices(shape: &[Dim]) -> Vec<SliceAxis> {
    shape.iter().map(|d| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }).collect()
}
