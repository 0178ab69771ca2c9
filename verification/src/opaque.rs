//! Opaque operators (those that are kept as they came) evaluated by ONNX Runtime, each as a model of its own.
//!
//! Their values are rounded to the declared types on the way in and come back as the engine gives them, so a truth behind
//! an opaque operator is only as good as that engine in its own type. Bounds come from moving the operands by a unit in
//! the last place.

use std::collections::BTreeMap;
use std::sync::Mutex;

use egret_ir::check::OriginPrefix;
use egret_ir::eval::array::from_tensor;
use egret_ir::eval::domain::Domain;
use egret_ir::eval::{Array, Data, EvalError, Real, Trap, Value};
use egret_ir::{DType, Graph, Tensor, ValueId};
use egret_onnx::external::Files;
use egret_onnx::inline::NodeRef;
use egret_onnx::proto::type_proto::{Tensor as TensorTypeProto, Value as TypeValue};
use egret_onnx::proto::{FunctionProto, GraphProto, ModelProto, OperatorSetIdProto, TypeProto, ValueInfoProto};
use egret_onnx::{Imported, tensor};

use crate::bound::{Bound, Bounded};
use crate::executor::{Executor, Taps};
use crate::onnxruntime::{Level, OnnxRuntime, Options};
use crate::profile::unit_roundoff;
use crate::region::Opaques;
use crate::rng::Rng;

/// One opaque node.
struct Node {
    proto: NodeRef,
    captures: Vec<String>,
}

/// The opaque nodes of a model.
pub struct OpaqueNodes {
    nodes: BTreeMap<ValueId, Node>,
    opsets: Vec<OperatorSetIdProto>,
    functions: Vec<FunctionProto>,
    ir_version: Option<i64>,
    engines: Mutex<BTreeMap<ValueId, OnnxRuntime>>,
}

/// Runs with moved operands behind a bound.
const MOVED: u64 = 3;

impl OpaqueNodes {
    /// Those of an imported model.
    pub fn of(imported: &Imported) -> Self {
        let mut nodes = BTreeMap::new();
        for reason in &imported.opaque_reasons {
            let Some(site) = imported.sites.get(reason.site) else { continue };
            let tuple = site.outputs.first().and_then(|(v, _)| imported.graph.node(*v).args.first().copied());
            if let Some(tuple) = tuple {
                let captures = site.captures.iter().map(|(_, name)| name.to_string()).collect();
                nodes.insert(tuple, Node { proto: site.node.clone(), captures });
            }
        }
        Self {
            nodes,
            opsets: imported.model.opset_import.clone(),
            functions: imported.functions.clone(),
            ir_version: imported.model.ir_version,
            engines: Mutex::default(),
        }
    }

    fn run(&self, v: ValueId, args: &[Tensor]) -> Result<Vec<Option<Tensor>>, String> {
        let node = self.nodes.get(&v).ok_or("it is no node of the model")?;
        let given = node.proto.input.iter().filter(|n| !n.is_empty()).chain(&node.captures);
        let mut inputs: Vec<(String, Tensor)> = Vec::new();
        for (name, t) in given.zip(args) {
            if !inputs.iter().any(|(n, _)| n == name) {
                inputs.push((name.clone(), t.clone()));
            }
        }
        let mut engines = self.engines.lock().map_err(|_| "an earlier run panicked")?;
        let engine = engines.entry(v).or_insert_with(|| {
            let options = Options { level: Level::Off, threads: 1 };
            // Tensors in the node's attributes have their data with them.
            OnnxRuntime::new(self.model(node, &inputs), Files::none(), options)
        });
        let run = engine.run(&inputs, Taps::Outputs).map_err(|e| e.to_string())?;
        let find = |name: &String| run.outputs.iter().find(|(n, _)| n == name).map(|(_, t)| t.clone());
        Ok(node.proto.output.iter().map(find).collect())
    }

    fn model(&self, node: &Node, inputs: &[(String, Tensor)]) -> ModelProto {
        let typed = |name: &String, dtype: DType| ValueInfoProto {
            name: Some(name.clone()),
            r#type: Some(TypeProto {
                value: Some(TypeValue::TensorType(TensorTypeProto {
                    elem_type: Some(tensor::code(dtype)),
                    ..Default::default()
                })),
                ..Default::default()
            }),
            ..Default::default()
        };
        let named = |name: &String| ValueInfoProto { name: Some(name.clone()), ..Default::default() };
        let graph = GraphProto {
            name: Some("node".to_owned()),
            node: vec![(*node.proto).clone()],
            input: inputs.iter().map(|(n, t)| typed(n, t.dtype())).collect(),
            output: node.proto.output.iter().filter(|n| !n.is_empty()).map(named).collect(),
            ..Default::default()
        };
        ModelProto {
            ir_version: self.ir_version,
            opset_import: self.opsets.clone(),
            functions: self.functions.clone(),
            graph: Some(graph),
            ..Default::default()
        }
    }

    fn tensors<D: Domain>(
        &self,
        graph: &Graph,
        v: ValueId,
        args: &[&Value<D::Float>],
        rounded: impl Fn(&Array<D::Float>) -> Tensor,
    ) -> Result<(Vec<Tensor>, Vec<Option<Tensor>>), EvalError> {
        let not_tensor = || crate::region::not_a_tensor(graph, v);
        let args =
            args.iter().map(|a| a.tensor().map(&rounded).ok_or_else(not_tensor)).collect::<Result<Vec<_>, _>>()?;
        let results = self.run(v, &args).map_err(|what| refused(graph, v, what))?;
        Ok((args, results))
    }
}

fn refused(graph: &Graph, v: ValueId, what: String) -> EvalError {
    let trap = Trap::Refused { domain: "ONNX Runtime", what };
    EvalError { value: v, at: OriginPrefix(graph.node(v).origins.clone()), trap }
}

/// Results the node does not name still have a place in the tuple; nobody reads them.
fn nothing<F: Copy>() -> Value<F> {
    Array::bool([0], Vec::new()).into()
}

impl Opaques<Real> for OpaqueNodes {
    fn opaque(&self, graph: &Graph, v: ValueId, domain: &Real, args: &[&Value<f64>]) -> Result<Value<f64>, EvalError> {
        let (_, results) = self.tensors::<Real>(graph, v, args, Array::to_tensor)?;
        let lift = |t: Option<Tensor>| t.map_or_else(nothing, |t| from_tensor(domain, &t).into());
        Ok(Value::Tuple(results.into_iter().map(lift).collect()))
    }
}

impl<'b> Opaques<Bounded<'b>> for OpaqueNodes {
    fn opaque(
        &self,
        graph: &Graph,
        v: ValueId,
        domain: &Bounded<'b>,
        args: &[&Value<Bound>],
    ) -> Result<Value<Bound>, EvalError> {
        let (args, results) = self.tensors::<Bounded<'b>>(graph, v, args, plain)?;
        let mut widest: Vec<Vec<f64>> = results.iter().map(|r| vec![0.0; r.as_ref().map_or(0, Tensor::len)]).collect();
        for seed in 0..MOVED {
            let moved: Vec<Tensor> = args.iter().enumerate().map(|(i, t)| nudged(t, seed * 64 + i as u64)).collect();
            let again = self.run(v, &moved).map_err(|what| refused(graph, v, what))?;
            for ((wide, was), is) in widest.iter_mut().zip(&results).zip(&again) {
                let (Some(was), Some(is)) = (was, is) else { continue };
                for ((w, a), b) in wide.iter_mut().zip(was.to_f64()).zip(is.to_f64()) {
                    let d = if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { (a - b).abs() };
                    *w = if d.is_nan() { f64::INFINITY } else { w.max(d) };
                }
            }
        }
        let lift = |(t, wide): (Option<Tensor>, Vec<f64>)| {
            let Some(t) = t else { return nothing() };
            let u = unit_roundoff(t.dtype());
            let a = from_tensor(domain, &t);
            match a.data() {
                Data::Float(x) => {
                    let bounds = x.iter().zip(wide).map(|(x, w)| Bound { y: x.y, e: 4.0 * w + 8.0 * u * x.y.abs() });
                    Array::float(a.dtype(), a.shape(), bounds.collect()).into()
                }
                Data::Int(_) | Data::Bool(_) => a.into(),
            }
        };
        Ok(Value::Tuple(results.into_iter().zip(widest).map(lift).collect()))
    }
}

fn plain(a: &Array<Bound>) -> Tensor {
    let values: Array<f64> = match a.data() {
        Data::Float(v) => Array::float(a.dtype(), a.shape(), v.iter().map(|b| b.y).collect()),
        Data::Int(v) => Array::int(a.dtype(), a.shape(), v.to_vec()),
        Data::Bool(v) => Array::bool(a.shape(), v.to_vec()),
    };
    values.to_tensor()
}

/// Floats moved by up to two units in the last place.
fn nudged(t: &Tensor, seed: u64) -> Tensor {
    if !t.dtype().is_float() {
        return t.clone();
    }
    let mut rng = Rng::new(seed);
    let u = 2.0 * unit_roundoff(t.dtype());
    let moved = t.to_f64().into_iter().map(|x| x * (1.0 + u * rng.rounding())).collect();
    Array::float(t.dtype(), t.shape(), moved).to_tensor()
}
