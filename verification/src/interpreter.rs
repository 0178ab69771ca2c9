//! The interpreter as an engine: an imported graph in its declared types, operation by operation in the reference order.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::eval::array::from_tensor;
use egret_ir::eval::{Array, Bindings, EvalError, Native};
use egret_ir::op::Op;
use egret_ir::{Graph, Tensor, ValueId};

use crate::executor::{ExecError, Executor, Named, Run, Taps};
use crate::region::{self, NoOpaques, Region};

/// Why the interpreter gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum InterpreterError {
    /// An input without a default was not given.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// Evaluation failed.
    #[error("interpreter: {0}")]
    Eval(#[from] EvalError),
}

/// A graph with names for its inner values.
pub struct Interpreter<'a> {
    graph: &'a Graph,
    names: Vec<(String, ValueId)>,
}

impl<'a> Interpreter<'a> {
    /// An engine for a graph; `names` are the values that can be shown.
    pub fn new(graph: &'a Graph, names: impl IntoIterator<Item = (String, ValueId)>) -> Self {
        Self { graph, names: names.into_iter().collect() }
    }

    /// An engine for an imported model, with all its named values.
    pub fn of(imported: &'a egret_onnx::Imported) -> Self {
        Self::new(&imported.graph, imported.values.iter().map(|(n, v)| (n.to_string(), *v)))
    }
}

/// The values of a graph's inputs, defaults filled in.
pub fn given(graph: &Graph, inputs: &[(String, Tensor)]) -> Result<BTreeMap<ValueId, Tensor>, InterpreterError> {
    let mut out = BTreeMap::new();
    for v in graph.values() {
        let Op::Input(i) = graph.node(v).op else { continue };
        let decl = &graph.inputs[i as usize];
        let tensor = match (inputs.iter().find(|(n, _)| **n == *decl.name), decl.default) {
            (Some((_, t)), _) => t.clone(),
            (None, Some(id)) => graph.tables.tensor(id).clone(),
            (None, None) => return Err(InterpreterError::MissingInput(decl.name.to_string())),
        };
        out.insert(v, tensor);
    }
    Ok(out)
}

/// What the shapes of given inputs say of a graph's symbols.
pub fn bindings(graph: &Graph, given: &BTreeMap<ValueId, Tensor>) -> Bindings {
    let mut shapes: Vec<&[usize]> = vec![&[]; graph.inputs.len()];
    for (v, t) in given {
        if let Op::Input(i) = graph.node(*v).op {
            shapes[i as usize] = t.shape();
        }
    }
    Bindings::of_inputs(graph, &shapes)
}

impl Executor for Interpreter<'_> {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn profile(&self) -> &'static str {
        "interpreter"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> Result<Run, ExecError> {
        let (graph, domain) = (self.graph, Native::new());
        let given = given(graph, inputs)?;
        let mut targets: BTreeSet<ValueId> = graph.outputs.iter().map(|o| o.value).collect();
        if taps == Taps::All {
            let live = graph.live();
            let shown = |v: &ValueId| live[v.index()] && graph.ty(*v).as_tensor().is_some();
            targets.extend(self.names.iter().map(|(_, v)| *v).filter(shown));
        }
        let region = Region::behind(graph, &targets.iter().copied().collect::<Vec<_>>(), &|_| false);
        let lifted: BTreeMap<ValueId, Array<f64>> = given.iter().map(|(v, t)| (*v, from_tensor(&domain, t))).collect();
        let mut bindings = bindings(graph, &given);
        let results = region::evaluate(graph, &region, &domain, &lifted, &mut bindings, &NoOpaques);
        let results = results.map_err(InterpreterError::Eval)?;
        let tensors: BTreeMap<ValueId, Tensor> =
            region.targets.iter().zip(&results).map(|(v, a)| (*v, a.to_tensor())).collect();
        let outputs: Named = graph.outputs.iter().map(|o| (o.name.to_string(), tensors[&o.value].clone())).collect();
        let mut shown: BTreeMap<String, Tensor> = BTreeMap::new();
        if taps == Taps::All {
            shown.extend(self.names.iter().filter_map(|(n, v)| Some((n.clone(), tensors.get(v)?.clone()))));
            shown.extend(outputs.iter().cloned());
        }
        Ok(Run { outputs, taps: shown })
    }
}
