//! What a lowering function works with: the node, its operands, and one method per structural kind.
//!
//! Every method checks its operands' types through [`egret_ir`]'s inference. A lowering answers with one value per result
//! of the node, or with a [`Fail`]: the model is wrong ([`Fail::Bad`]), or the node is fine but stays as it is
//! ([`Fail::Opaque`]).

use std::collections::BTreeMap;

use egret_ir::dim::Symbols;
use egret_ir::graph::Args;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Spec};
use egret_ir::op::{Const, Monoid, Op, PadAxis, Perm, SliceAxis};
use egret_ir::origin::Origins;
use egret_ir::{DType, Dim, Graph, Literal, Shape, Symbol, Tensor, TensorType, Type, ValueId};
use smallvec::SmallVec;

use crate::error::ProblemKind;
use crate::known::{self, Known};
use crate::proto::{NodeProto, TensorProto};
use crate::tensor;
use crate::{node, opaque};

/// Why a node did not lower.
#[derive(Debug)]
pub enum Fail {
    /// It stays opaque; the text says which part of it has no lowering.
    Opaque(String),
    /// As [`Fail::Opaque`], with the types of the results worked out.
    OpaqueTyped(String, Vec<Type>),
    /// The model is wrong: field and fault.
    Bad(String, ProblemKind),
}

/// One value per result; results at the end that the node does not ask for may be left out.
pub type Results = Result<Vec<ValueId>, Fail>;

/// The node being lowered and the graph it goes into.
pub struct Lower<'a> {
    /// Where new operators go.
    pub graph: &'a mut Graph,
    /// Values known in part.
    pub known: &'a mut BTreeMap<ValueId, Known>,
    /// The node.
    pub node: &'a NodeProto,
    /// The opset of its domain.
    pub opset: i64,
    /// Its operands.
    pub inputs: &'a [Option<ValueId>],
    /// The values of extents that only data decides (`i64[]`).
    pub witnesses: &'a mut BTreeMap<Symbol, ValueId>,
    /// Upper bounds of extents that the model needs to run at all.
    pub bounds: &'a mut BTreeMap<Symbol, i64>,
    /// Recorded with each operator.
    pub origins: Origins,
}

/// An error about the model's field.
pub fn bad(field: &str, kind: ProblemKind) -> Fail {
    Fail::Bad(field.to_owned(), kind)
}

/// A node that stays opaque.
pub fn opaque(reason: impl Into<String>) -> Fail {
    Fail::Opaque(reason.into())
}

impl Lower<'_> {
    // ---- the node ----

    /// Operand `i`, which must be there.
    pub fn operand(&self, i: usize) -> Result<ValueId, Fail> {
        self.optional(i).ok_or_else(|| bad(&format!("input {i}"), ProblemKind::MissingInput))
    }

    /// Operand `i`, where given.
    pub fn optional(&self, i: usize) -> Option<ValueId> {
        self.inputs.get(i).copied().flatten()
    }

    /// All operands, which must be there.
    pub fn operands(&self) -> Result<Vec<ValueId>, Fail> {
        (0..self.inputs.len()).map(|i| self.operand(i)).collect()
    }

    /// Whether result `i` has a name.
    pub fn wants(&self, i: usize) -> bool {
        self.node.output.get(i).is_some_and(|name| !name.is_empty())
    }

    /// Integer attribute.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        node::int(self.node, name, default)
    }

    /// Truth-valued attribute.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.int(name, i64::from(default)) != 0
    }

    /// Float attribute.
    pub fn float(&self, name: &str, default: f32) -> f32 {
        node::float(self.node, name, default)
    }

    /// Integer list attribute.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        node::ints(self.node, name)
    }

    /// String attribute.
    pub fn string(&self, name: &str, default: &str) -> Result<String, Fail> {
        node::string(self.node, name, default).map(str::to_owned).map_err(|kind| bad(name, kind))
    }

    /// A tensor out of an attribute.
    pub fn decode(&self, field: &str, proto: &TensorProto) -> Result<Tensor, Fail> {
        tensor::decode(proto).map_err(|kind| match kind {
            ProblemKind::UnsupportedDtype { dtype } => opaque(format!("{field} of type {dtype}")),
            kind => bad(field, kind),
        })
    }

    /// An axis, counted from the end where negative.
    pub fn axis(&self, field: &str, axis: i64, rank: usize) -> Result<usize, Fail> {
        let normal = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
        normal
            .and_then(|a| usize::try_from(a).ok())
            .filter(|a| *a < rank)
            .ok_or_else(|| bad(field, ProblemKind::Axis { axis, rank }))
    }

    /// Distinct axes, counted from the end where negative, in the given order.
    pub fn axes(&self, field: &str, axes: &[i64], rank: usize) -> Result<Vec<usize>, Fail> {
        let mut out = Vec::with_capacity(axes.len());
        for &a in axes {
            let axis = self.axis(field, a, rank)?;
            if out.contains(&axis) {
                return Err(self.value(field, &format!("{axes:?}"), "distinct axes"));
            }
            out.push(axis);
        }
        Ok(out)
    }

    /// An attribute's or operand's value that has no meaning.
    pub fn value(&self, field: &str, value: &str, reason: &str) -> Fail {
        bad(field, ProblemKind::BadValue { value: value.to_owned(), reason: format!("{reason} expected") })
    }

    /// Another operator's lowering, with this node's attributes, on values of one's own, under an opset of the default
    /// domain.
    pub fn apply(
        &mut self,
        opset: i64,
        inputs: &[Option<ValueId>],
        row: impl FnOnce(&mut Lower<'_>) -> Results,
    ) -> Results {
        let mut inner = Lower {
            graph: &mut *self.graph,
            known: &mut *self.known,
            node: self.node,
            opset,
            inputs,
            bounds: &mut *self.bounds,
            witnesses: &mut *self.witnesses,
            origins: self.origins.clone(),
        };
        row(&mut inner)
    }

    // ---- types and partial values ----

    /// The tensor type of a value; a value of another type keeps the node opaque.
    pub fn tensor(&self, v: ValueId) -> Result<TensorType, Fail> {
        self.tensor_type(v).cloned()
    }

    /// As [`Lower::tensor`], to look at.
    pub fn tensor_type(&self, v: ValueId) -> Result<&TensorType, Fail> {
        match self.graph.ty(v) {
            Type::Tensor(t) => Ok(t),
            other => Err(opaque(format!("an operand of type {other}"))),
        }
    }

    /// Extents.
    pub fn shape(&self, v: ValueId) -> Result<Shape, Fail> {
        Ok(self.tensor(v)?.shape)
    }

    /// Element type.
    pub fn dtype(&self, v: ValueId) -> Result<DType, Fail> {
        Ok(self.tensor_type(v)?.dtype)
    }

    /// Rank.
    pub fn rank(&self, v: ValueId) -> Result<usize, Fail> {
        Ok(self.tensor_type(v)?.rank())
    }

    /// What the symbols' bounds are.
    pub fn symbols(&self) -> &Symbols {
        &self.graph.tables.symbols
    }

    /// The elements of a small value, where known.
    pub fn known(&self, v: ValueId) -> Option<Known> {
        let whole = || Known::of_constant(self.graph, v).or_else(|| Known::of_nothing(self.graph, v));
        self.known.get(&v).cloned().or_else(whole)
    }

    /// Elements of an integer value as expressions, where known.
    pub fn dims(&self, v: ValueId) -> Option<Vec<Dim>> {
        if let Some(known) = self.known.get(&v) {
            return known.dims();
        }
        match known::integers(self.graph, v) {
            Some(numbers) => Some(numbers.map(Dim::from).collect()),
            None => self.known(v)?.dims(),
        }
    }

    /// Elements of an integer value, where they are known numbers.
    pub fn known_numbers(&self, v: ValueId) -> Option<Vec<i64>> {
        if let Some(known) = self.known.get(&v) {
            return known.numbers();
        }
        match known::integers(self.graph, v) {
            Some(numbers) => Some(numbers.collect()),
            None => self.known(v)?.numbers(),
        }
    }

    /// Elements of an integer value, which must be numbers known now.
    pub fn numbers(&self, field: &str, v: ValueId) -> Result<Vec<i64>, Fail> {
        self.known_numbers(v).ok_or_else(|| opaque(format!("{field} that is not known before the model runs")))
    }

    /// Elements of an integer value, which must be expressions of extents.
    pub fn expressions(&self, field: &str, v: ValueId) -> Result<Vec<Dim>, Fail> {
        self.dims(v).ok_or_else(|| opaque(format!("{field} that is not known before the model runs")))
    }

    /// Axes given by attribute up to some opset and by operand `operand` after it; `None` where absent.
    pub fn axes_of(&self, operand: usize) -> Result<Option<Vec<i64>>, Fail> {
        if let Some(list) = self.ints("axes") {
            return Ok(Some(list.to_vec()));
        }
        self.optional(operand).map(|v| self.numbers("axes", v)).transpose()
    }

    // ---- one method per kind ----

    /// Adds an operator. What inference refuses is the model's fault if all extents are numbers; else the extents just
    /// cannot be proved to fit, and the node stays opaque.
    ///
    /// An extent that only data decides, mentioned by an attribute and by no operand's shape, gets its witness here.
    pub fn emit(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, Fail> {
        if let Some(v) = args.iter().find(|v| matches!(self.graph.ty(**v), Type::Foreign(_))) {
            return Err(opaque(format!("an operand of type {}", self.graph.ty(*v))));
        }
        let unmentioned = {
            let types: SmallVec<[&Type; 4]> = args.iter().map(|v| self.graph.ty(*v)).collect();
            op.unmentioned(&types, &self.graph.tables.symbols)
        };
        let mut args = Args::from_slice(args);
        for symbol in unmentioned {
            args.push(self.witness(&symbol)?);
        }
        self.graph.add(op, &args, self.origins.clone()).map_err(|report| {
            let mut types = args.iter().filter_map(|v| self.graph.ty(*v).as_tensor());
            if types.all(|t| t.static_shape().is_some()) {
                bad("inputs", ProblemKind::IllTyped { report: report.to_string() })
            } else {
                opaque(format!("extents that cannot be proved to fit ({report})"))
            }
        })
    }

    /// The value of a data-backed symbol as `i64[]`: what computed it, or the extent of the first value that has it.
    pub(crate) fn witness(&mut self, symbol: &Symbol) -> Result<ValueId, Fail> {
        if let Some(v) = self.witnesses.get(symbol) {
            return Ok(*v);
        }
        let d = Dim::symbol(symbol.clone());
        let has = |v: &ValueId| self.graph.ty(*v).as_tensor().is_some_and(|t| t.shape.contains(&d));
        let Some(carrier) = self.graph.values().find(has) else {
            return Err(opaque(format!("the extent {symbol}, known only at run time")));
        };
        let v = self.graph.add(Op::Dim(d), &[carrier], self.origins.clone()).map_err(|e| opaque(e.to_string()))?;
        self.witnesses.insert(symbol.clone(), v);
        Ok(v)
    }

    /// A new extent with the value of `witness` (`i64[]`), between 0 and `max` where that is given.
    pub fn extent_of(&mut self, witness: ValueId, max: Option<i64>) -> Dim {
        let stem = self.node.output.iter().find(|name| !name.is_empty()).map_or("extent", String::as_str);
        let d = opaque::fresh(self.graph, stem);
        if let Some(symbol) = d.as_symbol() {
            let info = self.graph.tables.symbols.0.get_mut(symbol);
            if let (Some(info), Some(max)) = (info, max) {
                info.max = max;
            }
            self.witnesses.insert(symbol.clone(), witness);
        }
        d
    }

    /// A rank-0 literal.
    pub fn literal(&mut self, l: Literal) -> Result<ValueId, Fail> {
        self.emit(Op::Const(Const::Scalar(l)), &[])
    }

    /// A rank-0 number of a type.
    pub fn number(&mut self, dtype: DType, x: f64) -> Result<ValueId, Fail> {
        self.literal(Literal::from_f64(dtype, x))
    }

    /// A constant tensor.
    pub fn constant(&mut self, tensor: Tensor) -> Result<ValueId, Fail> {
        if tensor.shape().is_empty() {
            return self.literal(tensor.get(0));
        }
        let v = self.graph.constant(tensor);
        self.graph.set_origins(v, self.origins.clone());
        Ok(v)
    }

    /// A literal in every cell of a shape.
    pub fn splat(&mut self, l: Literal, shape: &[Dim]) -> Result<ValueId, Fail> {
        let scalar = self.literal(l)?;
        self.insert(scalar, shape.iter().cloned().enumerate().collect())
    }

    /// The number of elements, or another expression, as a rank-0 value of a type.
    pub fn dim(&mut self, d: &Dim, dtype: DType) -> Result<ValueId, Fail> {
        if let Some(c) = d.as_const() {
            return self.literal(Literal::from_i64(dtype, c));
        }
        let given = d.as_symbol().and_then(|s| self.witnesses.get(s).copied());
        let v = match given {
            Some(v) => v,
            None => self.emit(Op::Dim(d.clone()), &[])?,
        };
        self.cast(v, dtype)
    }

    /// `0, 1, … len−1`.
    pub fn iota(&mut self, len: &Dim, dtype: DType) -> Result<ValueId, Fail> {
        self.emit(Op::Iota { len: len.clone(), dtype }, &[])
    }

    /// Axes reordered.
    pub fn permute(&mut self, v: ValueId, axes: &[usize]) -> Result<ValueId, Fail> {
        let perm =
            Perm::new(axes).ok_or_else(|| self.value("perm", &format!("{axes:?}"), "a permutation of the axes"))?;
        if perm.is_identity() && self.rank(v)? == axes.len() {
            return Ok(v);
        }
        self.emit(Op::Permute(perm), &[v])
    }

    /// Row-major relabelling.
    pub fn reshape(&mut self, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        if self.tensor_type(v)?.shape == shape {
            return Ok(v);
        }
        self.emit(Op::Reshape(shape.to_vec()), &[v])
    }

    /// New axes at the given positions of the result.
    pub fn insert(&mut self, v: ValueId, axes: Vec<(usize, Dim)>) -> Result<ValueId, Fail> {
        if axes.is_empty() {
            return Ok(v);
        }
        if axes.iter().any(|(at, _)| *at > usize::from(u8::MAX)) {
            return Err(opaque("more than 255 axes"));
        }
        self.emit(Op::Broadcast(axes.into_iter().map(|(at, d)| (at as u8, d)).collect()), &[v])
    }

    /// A regular part.
    pub fn slice(&mut self, v: ValueId, axes: Vec<SliceAxis>) -> Result<ValueId, Fail> {
        let shape = self.shape(v)?;
        let whole = |(a, d): (&SliceAxis, &Dim)| a.start == Dim::ZERO && a.step == 1 && a.len == *d;
        if axes.len() == shape.len() && axes.iter().zip(&shape).all(whole) {
            return Ok(v);
        }
        self.emit(Op::Slice(axes.into()), &[v])
    }

    /// `len` elements of one axis from `start`.
    pub fn slice_axis(&mut self, v: ValueId, axis: usize, start: Dim, len: Dim) -> Result<ValueId, Fail> {
        let mut axes = whole_slices(&self.shape(v)?);
        let rank = axes.len();
        let Some(cut) = axes.get_mut(axis) else {
            return Err(bad("inputs", ProblemKind::Rank { got: rank, expected: format!("{} or more", axis + 1) }));
        };
        *cut = SliceAxis { start, step: 1, len };
        self.slice(v, axes)
    }

    /// Grown by the scalar `fill`.
    pub fn pad(&mut self, v: ValueId, fill: ValueId, axes: Vec<PadAxis>) -> Result<ValueId, Fail> {
        if axes.iter().all(|a| a.lo == Dim::ZERO && a.hi == Dim::ZERO && a.inner == 0) {
            return Ok(v);
        }
        self.emit(Op::Pad(axes.into()), &[v, fill])
    }

    /// Joined along an axis; of one part, the part.
    pub fn concat(&mut self, axis: usize, parts: &[ValueId]) -> Result<ValueId, Fail> {
        if let [only] = parts {
            return Ok(*only);
        }
        self.emit(Op::Concat(axis as u8), parts)
    }

    /// Elements picked by index.
    pub fn gather(&mut self, spec: GatherSpec, data: ValueId, ix: ValueId) -> Result<ValueId, Fail> {
        self.emit(Op::Gather(spec), &[data, ix])
    }

    /// A scalar row over equal shapes.
    pub fn map(&mut self, s: Scalar, args: &[ValueId]) -> Result<ValueId, Fail> {
        self.emit(Op::Map(s), args)
    }

    /// Conversion; of the same type, the value.
    pub fn cast(&mut self, v: ValueId, to: DType) -> Result<ValueId, Fail> {
        if self.dtype(v)? == to { Ok(v) } else { self.map(Scalar::Cast(to), &[v]) }
    }

    /// A scalar row after broadcasting the operands to their common shape.
    pub fn wide(&mut self, s: Scalar, args: &[ValueId]) -> Result<ValueId, Fail> {
        let args = self.broadcast_all(args)?;
        self.map(s, &args)
    }

    /// A scalar row of a value and a number of its type.
    pub fn with(&mut self, s: Scalar, v: ValueId, x: f64) -> Result<ValueId, Fail> {
        let t = self.tensor(v)?;
        let c = self.splat(Literal::from_f64(t.dtype, x), &t.shape)?;
        self.map(s, &[v, c])
    }

    /// A scalar row of a number and a value of its type.
    pub fn with_left(&mut self, s: Scalar, x: f64, v: ValueId) -> Result<ValueId, Fail> {
        let t = self.tensor(v)?;
        let c = self.splat(Literal::from_f64(t.dtype, x), &t.shape)?;
        self.map(s, &[c, v])
    }

    /// A fold over `axes`, which go; accumulated in `acc`.
    pub fn fold(&mut self, monoid: Monoid, v: ValueId, axes: &[usize], acc: DType) -> Result<ValueId, Fail> {
        let spec = Spec::fold(self.rank(v)?, axes).map_err(|e| opaque(e.to_string()))?;
        self.reduce(monoid, spec, v, acc)
    }

    /// A fold by spec.
    pub fn reduce(&mut self, monoid: Monoid, spec: Spec, v: ValueId, acc: DType) -> Result<ValueId, Fail> {
        self.emit(Op::Reduce { monoid, spec, acc }, &[v])
    }

    /// A sum of products by spec.
    pub fn contract(&mut self, spec: Spec, a: ValueId, b: ValueId, acc: DType, out: DType) -> Result<ValueId, Fail> {
        self.emit(Op::Contract { spec, acc, out }, &[a, b])
    }

    /// Part `i` of a tuple.
    pub fn proj(&mut self, v: ValueId, i: u32) -> Result<ValueId, Fail> {
        self.emit(Op::Proj(i), &[v])
    }

    // ---- broadcasting ----

    /// `v`, whose axes line up with the last ones of `shape`, repeated to `shape`: an axis of extent 1 that must grow is
    /// dropped by Reshape, and Broadcast inserts it and the leading ones.
    pub fn broadcast(&mut self, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        let own = &self.tensor_type(v)?.shape;
        if own == shape {
            return Ok(v);
        }
        let lead = shape.len().checked_sub(own.len()).ok_or_else(|| self.misfit("inputs", own, shape))?;
        let mut kept = Vec::with_capacity(own.len());
        let mut inserted: Vec<(usize, Dim)> = shape[..lead].iter().cloned().enumerate().collect();
        for (i, (d, to)) in own.iter().zip(&shape[lead..]).enumerate() {
            if d == to {
                kept.push(d.clone());
            } else if *d == Dim::ONE {
                inserted.push((lead + i, to.clone()));
            } else {
                return Err(self.misfit("inputs", own, shape));
            }
        }
        let v = self.reshape(v, &kept)?;
        self.insert(v, inserted)
    }

    /// `v`, whose axes are `axes` of `shape` in ascending order, repeated along the others.
    pub fn spread(&mut self, v: ValueId, axes: &[usize], shape: &[Dim]) -> Result<ValueId, Fail> {
        let others = (0..shape.len()).filter(|i| !axes.contains(i)).map(|i| (i, shape[i].clone())).collect();
        self.insert(v, others)
    }

    /// Shapes that do not fit: the model's fault where they are numbers, else unprovable.
    pub fn misfit(&self, field: &str, got: &[Dim], expected: &[Dim]) -> Fail {
        let numbers = got.iter().chain(expected).all(|d| d.as_const().is_some());
        let (got, expected) = (format!("{got:?}"), format!("{expected:?}"));
        if numbers {
            bad(field, ProblemKind::Shape { got, expected })
        } else {
            opaque(format!("extents that cannot be proved to fit ({got} and {expected})"))
        }
    }
}

/// Slices that take everything.
pub fn whole_slices(shape: &[Dim]) -> Vec<SliceAxis> {
    shape.iter().map(|d| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }).collect()
}

/// Where a fold of `dtype` accumulates: narrow floats in f32, the rest in itself.
pub fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}
