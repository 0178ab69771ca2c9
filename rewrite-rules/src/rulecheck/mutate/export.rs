//! Graphs in a plain form for other programs: JSON with kinds by name, extents as numbers and constants as bits.

use egret_ir::op::call::{Call, GeluForm};
use egret_ir::op::spec::{DataIx, Ix, Negative, Spec};
use egret_ir::op::{Const, Op, SortOrder};
use egret_ir::{DType, Dim, Graph, Literal, Tensor, Type};
use serde::Serialize;
use serde_json::{Value, json};

/// The type of an input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlainType {
    /// Element type.
    pub dtype: String,
    /// Extents.
    pub shape: Vec<usize>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlainNode {
    /// Kind; of a call, its name.
    pub op: &'static str,
    /// Operands, as positions of nodes before it.
    pub args: Vec<usize>,
    /// Element type of the result.
    pub dtype: String,
    /// Extents of the result.
    pub shape: Vec<usize>,
    /// What else the kind needs.
    pub attrs: Value,
}

/// A graph with one result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlainGraph {
    /// Types of the inputs.
    pub inputs: Vec<PlainType>,
    /// Nodes, operands first.
    pub nodes: Vec<PlainNode>,
    /// The node of the result.
    pub output: usize,
}

/// Why a graph has no plain form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlain {
    /// A kind that the form has not.
    #[error("kind {0}")]
    Kind(&'static str),
    /// An extent that is no number, or a type that is no tensor.
    #[error("a type that is no tensor of known extents")]
    Type,
}

fn plain_type(ty: &Type) -> Result<PlainType, NotPlain> {
    let t = ty.as_tensor().ok_or(NotPlain::Type)?;
    Ok(PlainType { dtype: t.dtype.to_string(), shape: t.static_shape().ok_or(NotPlain::Type)? })
}

fn number(d: &Dim) -> Result<i64, NotPlain> {
    d.as_const().ok_or(NotPlain::Type)
}

fn bits(t: &Tensor) -> Value {
    (0..t.len()).map(|i| t.get(i).bits()).collect::<Vec<u64>>().into()
}

/// Labels as numbers, windows as `[out, tap, stride, dil, lo, in_dil]`, and the extent of every label.
fn spec(spec: &Spec, operands: &[&Type]) -> Result<Value, NotPlain> {
    let ix = |ix: &Ix| match ix {
        Ix::Label(l) => json!(l.0),
        Ix::Window(w) => json!([w.out.0, w.tap.0, w.stride, w.dil, w.lo, w.in_dil]),
    };
    let ins: Vec<Vec<Value>> = spec.ins().iter().map(|axes| axes.iter().map(ix).collect()).collect();
    let shapes: Option<Vec<&[Dim]>> = operands.iter().map(|t| t.as_tensor().map(|t| t.shape.as_slice())).collect();
    let extents = spec.extents(&shapes.ok_or(NotPlain::Type)?).map_err(|_| NotPlain::Type)?;
    let extents: Vec<i64> = extents.iter().map(number).collect::<Result<_, _>>()?;
    Ok(json!({ "rank": spec.rank(), "ins": ins, "extents": extents }))
}

fn attrs(op: &Op, operands: &[&Type], graph: &Graph) -> Result<(&'static str, Value), NotPlain> {
    let with = |mut value: Value, key: &str, more: Value| {
        value[key] = more;
        value
    };
    Ok(match op {
        Op::Input(i) => ("input", json!({ "index": i })),
        Op::Const(Const::Scalar(l)) => ("const", json!({ "bits": [l.bits()] })),
        Op::Const(Const::Dense(id)) => ("const", json!({ "bits": bits(graph.tables.tensor(*id)) })),
        Op::Dim(d) => ("dim", json!({ "value": number(d)? })),
        Op::Iota { len, .. } => ("iota", json!({ "len": number(len)? })),
        Op::Permute(p) => ("permute", json!({ "perm": p.axes().collect::<Vec<_>>() })),
        Op::Reshape(_) => ("reshape", json!({})),
        Op::Broadcast(new) => {
            let new = new.iter().map(|(at, d)| Ok((*at, number(d)?))).collect::<Result<Vec<_>, NotPlain>>()?;
            ("broadcast", json!({ "insert": new }))
        }
        Op::Slice(axes) => {
            let axis = |s: &egret_ir::op::SliceAxis| Ok((number(&s.start)?, s.step, number(&s.len)?));
            ("slice", json!({ "axes": axes.iter().map(axis).collect::<Result<Vec<_>, NotPlain>>()? }))
        }
        Op::Pad(axes) => {
            let axis = |p: &egret_ir::op::PadAxis| Ok((number(&p.lo)?, number(&p.hi)?, p.inner));
            ("pad", json!({ "axes": axes.iter().map(axis).collect::<Result<Vec<_>, NotPlain>>()? }))
        }
        Op::Concat(axis) => ("concat", json!({ "axis": axis })),
        Op::Gather(g) => {
            let label = |d: &DataIx| match d {
                DataIx::Label(l) => json!(l.0),
                DataIx::At => Value::Null,
            };
            let ix: Vec<u8> = g.ix.iter().map(|l| l.0).collect();
            let data: Vec<Value> = g.data.iter().map(label).collect();
            ("gather", json!({ "data": data, "ix": ix, "wraps": g.negative == Negative::Wraps }))
        }
        Op::Map(f) => ("map", json!({ "function": f.to_string() })),
        Op::Reduce { monoid, spec: s, acc } => {
            let value = with(spec(s, operands)?, "monoid", json!(monoid.name()));
            ("reduce", with(value, "acc", json!(acc.name())))
        }
        Op::Contract { spec: s, acc, .. } => ("contract", with(spec(s, operands)?, "acc", json!(acc.name()))),
        Op::ArgSort { axis, order, keep } => {
            let descending = *order == SortOrder::Descending;
            ("argsort", json!({ "axis": axis, "descending": descending, "keep": number(keep)? }))
        }
        Op::Call(call) => match &**call {
            Call::Softmax { axis } => ("softmax", json!({ "axis": axis })),
            Call::LogSoftmax { axis } => ("log_softmax", json!({ "axis": axis })),
            Call::LayerNorm { axes, epsilon, stash } => {
                let bits = Literal::from_f64(DType::F64, epsilon.to_f64()).bits();
                ("layer_norm", json!({ "axes": axes, "epsilon_bits": bits, "stash": stash.name() }))
            }
            Call::RmsNorm { axes, epsilon, stash } => {
                let bits = Literal::from_f64(DType::F64, epsilon.to_f64()).bits();
                ("rms_norm", json!({ "axes": axes, "epsilon_bits": bits, "stash": stash.name() }))
            }
            Call::Gelu(GeluForm::Erf) => ("gelu_erf", json!({})),
            Call::Gelu(GeluForm::Tanh) => ("gelu_tanh", json!({})),
            Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => {
                return Err(NotPlain::Kind(call.name()));
            }
        },
        Op::Scatter(..) | Op::If(..) | Op::Loop(_) | Op::Opaque(_) | Op::Proj(_) => {
            return Err(NotPlain::Kind(op.kind()));
        }
    })
}

/// The plain form of a graph's first result.
pub fn plain(graph: &Graph) -> Result<PlainGraph, NotPlain> {
    let inputs = graph.inputs.iter().map(|i| plain_type(&i.ty)).collect::<Result<_, _>>()?;
    let mut nodes = Vec::new();
    for node in graph.nodes() {
        let operands: Vec<&Type> = node.args.iter().map(|a| graph.ty(*a)).collect();
        let (op, attrs) = attrs(&node.op, &operands, graph)?;
        let PlainType { dtype, shape } = plain_type(&node.ty)?;
        nodes.push(PlainNode { op, args: node.args.iter().map(|a| a.index()).collect(), dtype, shape, attrs });
    }
    let output = graph.outputs.first().ok_or(NotPlain::Type)?.value.index();
    Ok(PlainGraph { inputs, nodes, output })
}
