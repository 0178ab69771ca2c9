//! LibTorch as an engine: a graph executed kind by kind through `tch`, on the CPU, in the declared types.
//!
//! Contractions become one `einsum` after window axes are gathered out; reductions likewise. Recurrences, resizing, control
//! flow, opaque operators, 16- to 64-bit unsigned integers and the rarer folds have no counterpart here and say so.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::eval::Bindings;
use egret_ir::op::call::{Call, GeluForm};
use egret_ir::op::scalar::{InfSign, Scalar};
use egret_ir::op::spec::{DataIx, GatherSpec, Ix, Negative, Spec, letter};
use egret_ir::op::{Const, Monoid, Op, PadAxis, ScatterOp, SliceAxis, SortOrder};
use egret_ir::{DType, Dim, Graph, Tensor, ValueId};
use tch::{Device, Kind, TchError};

use crate::executor::{ExecError, Executor, Run, Taps};
use crate::interpreter::{self, InterpreterError};
use crate::region::Region;

/// Why LibTorch gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum LibTorchError {
    /// A kind or row without a counterpart.
    #[error("LibTorch: %{} ({what}) has no counterpart", .value.0)]
    Unsupported {
        /// The value.
        value: ValueId,
        /// The kind or row.
        what: String,
    },
    /// LibTorch fails.
    #[error("LibTorch: %{}: {source}", .value.0)]
    Torch {
        /// The value.
        value: ValueId,
        /// LibTorch's error.
        source: TchError,
    },
    /// A symbol without a value, or an extent that is none.
    #[error("LibTorch: %{}: {source}", .value.0)]
    Extent {
        /// The value.
        value: ValueId,
        /// Why.
        source: egret_ir::eval::Trap,
    },
    /// An input is missing.
    #[error(transparent)]
    Input(#[from] InterpreterError),
}

/// What goes wrong inside one node.
enum Fail {
    Unsupported(String),
    Torch(TchError),
    Extent(egret_ir::eval::Trap),
}

impl From<TchError> for Fail {
    fn from(e: TchError) -> Self {
        Self::Torch(e)
    }
}

impl From<egret_ir::eval::Trap> for Fail {
    fn from(e: egret_ir::eval::Trap) -> Self {
        Self::Extent(e)
    }
}

type Result<T> = std::result::Result<T, Fail>;

fn unsupported<T>(what: impl std::fmt::Display) -> Result<T> {
    Err(Fail::Unsupported(what.to_string()))
}

/// A graph with names for its inner values.
pub struct LibTorch<'a> {
    graph: &'a Graph,
    names: Vec<(String, ValueId)>,
}

impl<'a> LibTorch<'a> {
    /// An engine for an imported model; `threads` inside one operator (of the whole process).
    pub fn of(imported: &'a egret_onnx::Imported, threads: usize) -> Self {
        tch::set_num_threads(threads.max(1) as i32);
        let names = imported.values.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        Self { graph: &imported.graph, names }
    }
}

impl Executor for LibTorch<'_> {
    fn name(&self) -> &'static str {
        "libtorch"
    }

    fn profile(&self) -> &'static str {
        "libtorch"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> std::result::Result<Run, ExecError> {
        let graph = self.graph;
        let given = interpreter::given(graph, inputs).map_err(LibTorchError::Input)?;
        let mut targets: BTreeSet<ValueId> = graph.outputs.iter().map(|o| o.value).collect();
        if taps == Taps::All {
            let live = graph.live();
            let shown = |v: &ValueId| live[v.index()] && graph.ty(*v).as_tensor().is_some();
            targets.extend(self.names.iter().map(|(_, v)| *v).filter(shown));
        }
        let region = Region::behind(graph, &targets.iter().copied().collect::<Vec<_>>(), &|_| false);
        let mut bindings = interpreter::bindings(graph, &given);
        let mut values: BTreeMap<ValueId, tch::Tensor> = BTreeMap::new();
        let mut results: BTreeMap<ValueId, Tensor> = BTreeMap::new();
        let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
        for a in region.order.iter().flat_map(|v| &graph.node(*v).args) {
            *uses.entry(*a).or_default() += 1;
        }
        let fail = |value: ValueId| {
            move |f: Fail| match f {
                Fail::Unsupported(what) => LibTorchError::Unsupported { value, what },
                Fail::Torch(source) => LibTorchError::Torch { value, source },
                Fail::Extent(source) => LibTorchError::Extent { value, source },
            }
        };
        for (v, t) in &given {
            values.insert(*v, to_torch(t).map_err(fail(*v))?);
        }
        let _guard = tch::no_grad_guard();
        for &v in &region.order {
            let node = graph.node(v);
            let args: Vec<&tch::Tensor> = node.args.iter().filter_map(|a| values.get(a)).collect();
            let (count, symbols) = graph.witnesses(v);
            for (symbol, witness) in symbols.iter().zip(args.iter().skip(count)) {
                bindings.set(symbol, witness.int64_value(&[]));
            }
            let value = evaluate(graph, v, &args[..count.min(args.len())], &bindings).map_err(fail(v))?;
            if targets.contains(&v) {
                let dtype = node.ty.as_tensor().map_or(DType::F32, |t| t.dtype);
                results.insert(v, of_torch(&value, dtype).map_err(fail(v))?);
            }
            values.insert(v, value);
            for a in &node.args {
                if let Some(n) = uses.get_mut(a) {
                    *n -= 1;
                    if *n == 0 {
                        values.remove(a);
                    }
                }
            }
        }
        let find = |v: &ValueId| results.get(v).or_else(|| given.get(v)).cloned();
        let outputs = graph.outputs.iter().filter_map(|o| Some((o.name.to_string(), find(&o.value)?))).collect();
        let shown = if taps == Taps::All {
            self.names.iter().filter_map(|(n, v)| Some((n.clone(), find(v)?))).collect()
        } else {
            BTreeMap::new()
        };
        Ok(Run { outputs, taps: shown })
    }
}

fn kind(dtype: DType) -> Result<Kind> {
    Ok(match dtype {
        DType::F16 => Kind::Half,
        DType::BF16 => Kind::BFloat16,
        DType::F32 => Kind::Float,
        DType::F64 => Kind::Double,
        DType::I8 => Kind::Int8,
        DType::I16 => Kind::Int16,
        DType::I32 => Kind::Int,
        DType::I64 => Kind::Int64,
        DType::U8 => Kind::Uint8,
        DType::Bool => Kind::Bool,
        DType::U16 | DType::U32 | DType::U64 => return unsupported(dtype),
    })
}

fn to_torch(t: &Tensor) -> Result<tch::Tensor> {
    let shape: Vec<i64> = t.shape().iter().map(|d| *d as i64).collect();
    Ok(tch::Tensor::f_from_data_size(t.bytes(), &shape, kind(t.dtype())?)?)
}

fn of_torch(t: &tch::Tensor, dtype: DType) -> Result<Tensor> {
    let t = t.f_to_kind(kind(dtype)?)?.f_contiguous()?;
    let shape: Vec<usize> = t.size().iter().map(|d| *d as usize).collect();
    let count: usize = shape.iter().product();
    let mut bytes = vec![0u8; count * dtype.size()];
    if count > 0 {
        t.f_copy_data_u8(&mut bytes, count)?;
    }
    Tensor::new(dtype, shape, bytes).map_err(|e| Fail::Unsupported(e.to_string()))
}

fn int(x: i64) -> Result<tch::Tensor> {
    Ok(tch::Tensor::f_from_data_size(&x.to_le_bytes(), &[], Kind::Int64)?)
}

/// Positions along an axis.
fn positions(list: impl Iterator<Item = i64>) -> Result<tch::Tensor> {
    let list: Vec<i64> = list.collect();
    let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
    Ok(tch::Tensor::f_from_data_size(&bytes, &[list.len() as i64], Kind::Int64)?)
}

fn evaluate(graph: &Graph, v: ValueId, args: &[&tch::Tensor], bindings: &Bindings) -> Result<tch::Tensor> {
    let node = graph.node(v);
    let size = |d: &Dim| -> Result<i64> { Ok(bindings.size(d)? as i64) };
    let sizes = |s: &[Dim]| s.iter().map(size).collect::<Result<Vec<i64>>>();
    let dtype = |i: usize| node.args.get(i).and_then(|a| graph.ty(*a).as_tensor()).map_or(DType::F32, |t| t.dtype);
    let first = || args.first().copied().ok_or(Fail::Unsupported("missing operand".to_owned()));
    Ok(match &node.op {
        Op::Const(Const::Scalar(l)) => to_torch(&Tensor::scalar(*l))?,
        Op::Const(Const::Dense(id)) => to_torch(graph.tables.tensor(*id))?,
        Op::Dim(d) => int(bindings.number(d)?)?,
        Op::Iota { len, dtype } => {
            tch::Tensor::f_arange(size(len)?, (Kind::Int64, Device::Cpu))?.f_to_kind(kind(*dtype)?)?
        }
        Op::Permute(p) => first()?.f_permute(p.axes().map(|a| a as i64).collect::<Vec<_>>())?,
        Op::Reshape(s) => first()?.f_reshape(sizes(s)?)?,
        Op::Broadcast(new) => {
            let mut x = first()?.shallow_clone();
            let mut shape = x.size();
            for (at, d) in new {
                x = x.f_unsqueeze(i64::from(*at))?;
                shape.insert(usize::from(*at), size(d)?);
            }
            x.f_expand(shape, false)?
        }
        Op::Slice(axes) => slice(first()?, axes, bindings)?,
        Op::Pad(axes) => pad(first()?, args[1], axes, bindings)?,
        Op::Concat(axis) => tch::Tensor::f_cat(args, i64::from(*axis))?,
        Op::Gather(spec) => {
            first()?.f_index(&lookups(spec, first()?, args[1])?)?.f_reshape(gathered(spec, args[0], args[1]))?
        }
        Op::Scatter(mode, spec) => {
            let at = lookups(spec, args[0], args[1])?;
            match mode {
                ScatterOp::Set => args[0].f_index_put(&at, args[2], false)?,
                ScatterOp::Add => args[0].f_index_put(&at, args[2], true)?,
                ScatterOp::Mul | ScatterOp::Max | ScatterOp::Min => return unsupported(format!("scatter {mode:?}")),
            }
        }
        Op::Map(s) => map(*s, dtype(0), args)?,
        Op::Reduce { monoid, spec, acc } => reduce(*monoid, spec, *acc, dtype(0), first()?, bindings)?,
        Op::Contract { spec, acc, out } => contract(spec, *acc, *out, args, bindings)?,
        Op::ArgSort { axis, order, keep } => {
            let sorted = first()?.f_argsort_stable(true, i64::from(*axis), *order == SortOrder::Descending)?;
            sorted.f_narrow(i64::from(*axis), 0, size(keep)?)?
        }
        Op::Call(call) => composite(call, args, graph, v, bindings)?,
        Op::Input(_) | Op::If(..) | Op::Loop(_) | Op::Opaque(_) | Op::Proj(_) => return unsupported(node.op.kind()),
    })
}

fn slice(x: &tch::Tensor, axes: &[SliceAxis], bindings: &Bindings) -> Result<tch::Tensor> {
    let mut y = x.shallow_clone();
    for (axis, s) in axes.iter().enumerate() {
        let (start, len) = (bindings.number(&s.start)?, bindings.size(&s.len)? as i64);
        if start == 0 && s.step == 1 && len == y.size()[axis] {
            continue;
        }
        y = y.f_index_select(axis as i64, &positions((0..len).map(|i| start + s.step * i))?)?;
    }
    Ok(y)
}

fn pad(x: &tch::Tensor, value: &tch::Tensor, axes: &[PadAxis], bindings: &Bindings) -> Result<tch::Tensor> {
    let mut y = x.shallow_clone();
    for (axis, p) in axes.iter().enumerate() {
        let (lo, hi, extent) = (bindings.number(&p.lo)?, bindings.number(&p.hi)?, y.size()[axis]);
        if lo == 0 && hi == 0 && p.inner == 0 {
            continue;
        }
        let step = p.inner + 1;
        let grown = lo + hi + if extent > 0 { (extent - 1) * step + 1 } else { 0 };
        let mut shape = y.size();
        shape[axis] = grown;
        let filled = value.f_expand(&shape, false)?.f_contiguous()?;
        let at = positions((0..extent).map(|i| lo + step * i))?;
        y = filled.f_index_copy(axis as i64, &at, &y)?;
    }
    Ok(y)
}

/// The shape of a gather's result.
fn gathered(spec: &GatherSpec, data: &tch::Tensor, ix: &tch::Tensor) -> Vec<i64> {
    let mut out = vec![1i64; usize::from(spec.rank)];
    for (d, n) in spec.data.iter().zip(data.size()) {
        if let DataIx::Label(l) = d {
            out[l.index()] = n;
        }
    }
    for (l, n) in spec.ix.iter().zip(ix.size()) {
        out[l.index()] = n;
    }
    out
}

/// One index tensor per axis of the data, each of the result's rank, so that they broadcast to the result's shape.
fn lookups(spec: &GatherSpec, data: &tch::Tensor, ix: &tch::Tensor) -> Result<Vec<Option<tch::Tensor>>> {
    let rank = usize::from(spec.rank);
    let mut out = Vec::with_capacity(spec.data.len());
    let mut component = 0;
    // The axes of the index operand, brought into the order of their labels.
    let mut order: Vec<usize> = (0..spec.ix.len()).collect();
    order.sort_by_key(|i| spec.ix[*i].index());
    for (d, extent) in spec.data.iter().zip(data.size()) {
        let mut shape = vec![1i64; rank];
        let positions = match d {
            DataIx::Label(l) => {
                shape[l.index()] = extent;
                tch::Tensor::f_arange(extent, (Kind::Int64, Device::Cpu))?
            }
            DataIx::At => {
                let mut part = ix.f_to_kind(Kind::Int64)?;
                if spec.has_component_axis() {
                    part = part.f_select(spec.ix.len() as i64, component)?;
                    component += 1;
                }
                for (l, n) in spec.ix.iter().zip(ix.size()) {
                    shape[l.index()] = n;
                }
                let part = part.f_permute(order.iter().map(|a| *a as i64).collect::<Vec<_>>())?;
                match spec.negative {
                    Negative::Never => part,
                    Negative::Wraps => part.f_where_self(&part.f_ge(0)?, &part.f_add_scalar(extent)?)?,
                }
            }
        };
        out.push(Some(positions.f_reshape(shape)?));
    }
    Ok(out)
}

fn map(s: Scalar, dtype: DType, args: &[&tch::Tensor]) -> Result<tch::Tensor> {
    let x = args[0];
    let y = || args[1];
    let boolean = dtype == DType::Bool;
    Ok(match s {
        Scalar::Add => x.f_add(y())?,
        Scalar::Sub => x.f_sub(y())?,
        Scalar::Mul => x.f_mul(y())?,
        Scalar::Div if dtype.is_float() => x.f_div(y())?,
        Scalar::Div => x.f_div_tensor_mode(y(), "trunc")?,
        Scalar::RemFloor => x.f_remainder_tensor(y())?,
        Scalar::RemTrunc => x.f_fmod_tensor(y())?,
        Scalar::Neg => x.f_neg()?,
        Scalar::Abs => x.f_abs()?,
        Scalar::Min if boolean => x.f_logical_and(y())?,
        Scalar::Max if boolean => x.f_logical_or(y())?,
        Scalar::Min => x.f_minimum(y())?,
        Scalar::Max => x.f_maximum(y())?,
        Scalar::Pow => x.f_pow(&y().f_to_kind(x.kind())?)?,
        Scalar::Sqrt => x.f_sqrt()?,
        Scalar::Exp => x.f_exp()?,
        Scalar::Log => x.f_log()?,
        Scalar::Log1p => x.f_log1p()?,
        Scalar::Sin => x.f_sin()?,
        Scalar::Cos => x.f_cos()?,
        Scalar::Tan => x.f_tan()?,
        Scalar::Asin => x.f_asin()?,
        Scalar::Acos => x.f_acos()?,
        Scalar::Atan => x.f_atan()?,
        Scalar::Sinh => x.f_sinh()?,
        Scalar::Cosh => x.f_cosh()?,
        Scalar::Tanh => x.f_tanh()?,
        Scalar::Asinh => x.f_asinh()?,
        Scalar::Acosh => x.f_acosh()?,
        Scalar::Atanh => x.f_atanh()?,
        Scalar::Erf => x.f_erf()?,
        Scalar::Sigmoid => x.f_sigmoid()?,
        Scalar::Floor => x.f_floor()?,
        Scalar::Ceil => x.f_ceil()?,
        Scalar::Round => x.f_round()?,
        // LibTorch gives 0 for the sign of NaN.
        Scalar::Sign if dtype.is_float() => x.f_sign()?.f_where_self(&x.f_isnan()?.f_logical_not()?, x)?,
        Scalar::Sign => x.f_sign()?,
        Scalar::IsNan => x.f_isnan()?,
        Scalar::IsInf(InfSign::Both) => x.f_isinf()?,
        Scalar::IsInf(InfSign::Positive) => x.f_isinf()?.f_logical_and(&x.f_gt(0)?)?,
        Scalar::IsInf(InfSign::Negative) => x.f_isinf()?.f_logical_and(&x.f_lt(0)?)?,
        Scalar::Eq => x.f_eq_tensor(y())?,
        Scalar::Lt => x.f_lt_tensor(y())?,
        Scalar::Le => x.f_le_tensor(y())?,
        Scalar::And => x.f_bitwise_and_tensor(y())?,
        Scalar::Or => x.f_bitwise_or_tensor(y())?,
        Scalar::Xor => x.f_bitwise_xor_tensor(y())?,
        Scalar::Not => x.f_bitwise_not()?,
        Scalar::Select => args[1].f_where_self(x, args[2])?,
        Scalar::Cast(DType::Bool) => x.f_ne(0)?,
        Scalar::Cast(to) => x.f_to_kind(kind(to)?)?,
        Scalar::Shl | Scalar::Shr | Scalar::BitCast(_) => return unsupported(s),
    })
}

/// An operand with one axis per label: windows are gathered out to (staying, folded) axes, absent cells filled with
/// `absent`. Gives the labels of its axes.
fn expanded(
    x: &tch::Tensor,
    spec: &Spec,
    operand: usize,
    absent: f64,
    bindings: &Bindings,
) -> Result<(tch::Tensor, Vec<u8>)> {
    let extent = |l: egret_ir::op::spec::Label| -> Result<i64> {
        match spec.ext().iter().find(|(e, _)| *e == l) {
            Some((_, d)) => Ok(bindings.size(d)? as i64),
            None => unsupported("a window label without extent"),
        }
    };
    let mut y = x.shallow_clone();
    let mut labels = Vec::new();
    for ix in &spec.ins()[operand] {
        let axis = labels.len();
        match ix {
            Ix::Label(l) => labels.push(l.0),
            Ix::Window(w) => {
                let (outs, taps, inside) = (extent(w.out)?, extent(w.tap)?, y.size()[axis]);
                // One cell beyond the axis stands for everything absent.
                let mut cell = y.size();
                cell[axis] = 1;
                let beyond = tch::Tensor::f_full(&cell, absent, (y.kind(), Device::Cpu))?;
                let grown = tch::Tensor::f_cat(&[&y, &beyond], axis as i64)?;
                let at = (0..outs).flat_map(|o| (0..taps).map(move |k| w.stride * o + w.dil * k - w.lo)).map(|p| {
                    let cell = p.div_euclid(w.in_dil);
                    if p.rem_euclid(w.in_dil) == 0 && (0..inside).contains(&cell) { cell } else { inside }
                });
                let mut shape = y.size();
                shape.splice(axis..=axis, [outs, taps]);
                y = grown.f_index_select(axis as i64, &positions(at)?)?.f_reshape(shape)?;
                labels.extend([w.out.0, w.tap.0]);
            }
        }
    }
    Ok((y, labels))
}

fn text(labels: impl Iterator<Item = u8>) -> String {
    labels.map(|l| letter(egret_ir::op::spec::Label(l))).collect()
}

fn contract(spec: &Spec, acc: DType, out: DType, args: &[&tch::Tensor], bindings: &Bindings) -> Result<tch::Tensor> {
    if spec.label_count() > 52 {
        return unsupported("a contraction of more than 52 labels");
    }
    let (a, la) = expanded(args[0], spec, 0, 0.0, bindings)?;
    let (b, lb) = expanded(args[1], spec, 1, 0.0, bindings)?;
    let (a, b) = (a.f_to_kind(kind(acc)?)?, b.f_to_kind(kind(acc)?)?);
    let equation = format!("{},{}->{}", text(la.into_iter()), text(lb.into_iter()), text(spec.out().map(|l| l.0)));
    let sum = tch::Tensor::f_einsum(&equation, &[a, b], None::<&[i64]>)?;
    Ok(sum.f_to_kind(kind(out)?)?)
}

fn reduce(
    monoid: Monoid,
    spec: &Spec,
    acc: DType,
    dtype: DType,
    x: &tch::Tensor,
    bindings: &Bindings,
) -> Result<tch::Tensor> {
    let absent = match monoid {
        Monoid::Sum | Monoid::Or => 0.0,
        Monoid::Prod | Monoid::And => 1.0,
        Monoid::Max | Monoid::ArgMaxFirst | Monoid::ArgMaxLast => f64::NEG_INFINITY,
        Monoid::Min | Monoid::ArgMinFirst | Monoid::ArgMinLast => f64::INFINITY,
    };
    if spec.has_windows() && !dtype.is_float() && absent.is_infinite() {
        return unsupported(format!("windowed {} of integers", monoid.name()));
    }
    let (y, labels) = expanded(x, spec, 0, absent, bindings)?;
    // Result labels first, then the folded ones, both in order; the folded ones become one axis.
    let axis_of = |l: u8| labels.iter().position(|m| *m == l).map(|a| a as i64);
    let order: Option<Vec<i64>> = spec.out().chain(spec.folded()).map(|l| axis_of(l.0)).collect();
    let y = y.f_permute(order.ok_or(Fail::Unsupported("a label without an axis".to_owned()))?)?;
    let rank = spec.rank();
    let folded: i64 = y.size()[rank..].iter().product();
    let mut shape: Vec<i64> = y.size()[..rank].to_vec();
    shape.push(folded);
    let y = y.f_reshape(shape)?;
    let axis = rank as i64;
    let (accumulator, result) = (kind(acc)?, kind(dtype)?);
    Ok(match monoid {
        Monoid::Sum => {
            y.f_to_kind(accumulator)?.f_sum_dim_intlist(&[axis][..], false, accumulator)?.f_to_kind(result)?
        }
        Monoid::Prod => y.f_to_kind(accumulator)?.f_prod_dim_int(axis, false, accumulator)?.f_to_kind(result)?,
        Monoid::Max if dtype == DType::Bool => y.f_any_dim(axis, false)?,
        Monoid::Min if dtype == DType::Bool => y.f_all_dim(axis, false)?,
        Monoid::Max => y.f_amax(axis, false)?,
        Monoid::Min => y.f_amin(axis, false)?,
        Monoid::And => y.f_all_dim(axis, false)?,
        Monoid::Or => y.f_any_dim(axis, false)?,
        Monoid::ArgMaxFirst => y.f_argmax(axis, false)?,
        Monoid::ArgMinFirst => y.f_argmin(axis, false)?,
        Monoid::ArgMaxLast => last(&y.f_flip(axis)?.f_argmax(axis, false)?, folded)?,
        Monoid::ArgMinLast => last(&y.f_flip(axis)?.f_argmin(axis, false)?, folded)?,
    })
}

/// Positions counted from the other end.
fn last(positions: &tch::Tensor, extent: i64) -> Result<tch::Tensor> {
    Ok(positions.f_neg()?.f_add_scalar(extent - 1)?)
}

fn composite(
    call: &Call,
    args: &[&tch::Tensor],
    graph: &Graph,
    v: ValueId,
    bindings: &Bindings,
) -> Result<tch::Tensor> {
    match call {
        Call::Softmax { axis } => return Ok(args[0].f_softmax(i64::from(*axis), None)?),
        Call::LogSoftmax { axis } => return Ok(args[0].f_log_softmax(i64::from(*axis), None)?),
        Call::Gelu(GeluForm::Erf) => return Ok(args[0].f_gelu("none")?),
        Call::Gelu(GeluForm::Tanh) => return Ok(args[0].f_gelu("tanh")?),
        Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => {
            return unsupported(call.name());
        }
        Call::LayerNorm { .. } | Call::RmsNorm { .. } => {}
    }
    let types: Vec<egret_ir::Type> = graph.node(v).args.iter().map(|a| graph.ty(*a).clone()).collect();
    let body = egret_ir::defs::body(call, &types).map_err(|e| Fail::Unsupported(e.to_string()))?;
    let mut values: Vec<tch::Tensor> = Vec::new();
    for n in body.values() {
        let value = match &body.node(n).op {
            Op::Input(i) => args[*i as usize].shallow_clone(),
            _ => {
                let operands: Vec<&tch::Tensor> = body.node(n).args.iter().map(|a| &values[a.index()]).collect();
                evaluate(&body, n, &operands, bindings)?
            }
        };
        values.push(value);
    }
    let out = body.outputs.first().map(|o| values[o.value.index()].shallow_clone());
    out.ok_or(Fail::Unsupported("a body without result".to_owned()))
}
