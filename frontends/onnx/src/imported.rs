//! What reading a model gives: the graph, and beside it what the graph does not say: the node of each value ([`Site`]),
//! names, and the rest of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use egret_ir::op::{Const, Op};
use egret_ir::{ByName, Graph, Symbol, Tensor, ValueId};
use smallvec::SmallVec;

use crate::error::{NodePlace, Problem};
use crate::export::{raw, value_info};
use crate::foreign::ForeignOps;
use crate::frozen::Frozen;
use crate::inline::NodeRef;
use crate::proto::{FunctionProto, GraphProto, ModelProto, OperatorSetIdProto, TensorProto};

/// How open extents are bound, and what else is read than this crate knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// `--dim NAME=VALUE`: extents by name. Unnamed extents are called `INPUT.AXIS`.
    pub dims: Vec<(String, i64)>,
    /// `--dim NAME=LO..HI`: smallest and largest value of an extent that stays open.
    pub ranges: Vec<(String, i64, i64)>,
    /// `--shape INPUT=1,3,48,320`: extents of an input by place.
    pub shapes: Vec<(String, Vec<i64>)>,
    /// `--value INPUT=[2,3]` or `--value INPUT=@file.npy`: the value of an input. The input stays in the interface; the
    /// graph is only right for that value.
    pub values: Vec<(String, Frozen)>,
    /// Operators that the program adds to those of this crate.
    pub operators: ForeignOps,
}

/// Operands of a node; `None` where absent (`""`).
pub type Operands = SmallVec<[Option<ValueId>; 4]>;

/// Values with their names.
pub type NamedValues = SmallVec<[(ValueId, Arc<str>); 1]>;

/// One node of the model (inlined functions' nodes count), with the values it takes and gives.
#[derive(Debug, Clone)]
pub struct Site {
    /// The node as it came, functions inlined.
    pub node: NodeRef,
    /// Position in `GraphProto.node` (of the call, for an inlined node).
    pub index: usize,
    /// Operands; `None` where absent (`""`).
    pub inputs: Operands,
    /// Results with their names; a result without a name (`""`) is left out.
    pub outputs: NamedValues,
    /// Values that the node's bodies read from outside, with their names.
    pub captures: NamedValues,
    /// How it can be written back.
    pub kind: SiteKind,
}

/// How a node can be written back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteKind {
    /// As it came.
    Plain,
    /// From the graph alone: an If, Loop or Scan whose bodies are graphs.
    Control,
    /// From the graph alone: a node of a function of other opsets than the model's.
    OtherOpset,
    /// As it came, for want of anything else: a call of a function whose nodes stand for it already.
    Call,
}

/// A node that has no lowering, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueReason {
    /// The node.
    pub node: NodePlace,
    /// What has no lowering.
    pub reason: String,
    /// Position in [`Imported::sites`].
    pub site: usize,
}

/// A constant of the model.
#[derive(Debug, Clone)]
pub struct Initializer {
    /// Its value in the graph: a constant, or the input of which it is the default.
    pub value: ValueId,
    /// The tensor as it came, data of another file put in.
    pub proto: TensorProto,
}

/// A model as a graph, and everything else that was in it. A body of If or Loop is one, too: its `model` holds the interface
/// it had in the file.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// The graph. Dead values stay in it: sites refer to them.
    pub graph: Graph,
    /// The nodes, in a topological order; none where the graph did not come from ONNX.
    pub sites: Vec<Site>,
    /// Every named value of the main graph, in order of definition.
    pub values: ByName<ValueId>,
    /// Constants by name, in the order of the file.
    pub initializers: ByName<Initializer>,
    /// Constants that are no initializers of the model: of bodies, and in a body those of the graphs around, by name.
    pub captured_constants: ByName<ValueId>,
    /// The bodies of If and Loop, in the order of [`egret_ir::graph::Tables::bodies`].
    pub bodies: Vec<Imported>,
    /// Number of nodes in the file, those in bodies and inlined functions counted.
    pub nodes: usize,
    /// The nodes that stayed opaque and are needed.
    pub opaque_reasons: Vec<OpaqueReason>,
    /// Extents bound by [`ReadOptions`], by symbol.
    pub bound: BTreeMap<Symbol, i64>,
    /// Values of inputs fixed by [`ReadOptions`]: the graph is right for these alone.
    pub frozen: Vec<(String, Tensor)>,
    /// The model without nodes, initializers and functions: names, versions, opsets (with those that inlined functions
    /// add), metadata, declared inputs, outputs and value types, quantization annotations, training information.
    pub model: ModelProto,
    /// Functions that opaque nodes still call.
    pub functions: Vec<FunctionProto>,
    /// What is odd about the model and was passed over (see [`crate::lenient`]).
    pub warnings: Vec<Problem>,
}

/// What a graph that did not come from ONNX is written as: the newest pair that ONNX Runtime's releases of the last two
/// years read.
const WRITTEN: (i64, i64) = (10, 21);

impl Imported {
    /// A body that does not come from a file, bodies inside it included.
    pub fn of_body(graph: &Graph) -> Self {
        let bodies = graph.tables.bodies.iter().map(Self::of_body).collect();
        Self { graph: graph.clone(), bodies, ..Self::default() }
    }

    /// A graph from elsewhere, as a model without nodes of its own: what is exported consists of templates and folds
    /// alone. `values` are the names of its values; constants with a name become initializers of that name. `nodes` is the
    /// number of operators it had where it came from.
    pub fn of_graph(graph: Graph, values: ByName<ValueId>, bound: BTreeMap<Symbol, i64>, nodes: usize) -> Self {
        let (ir_version, opset) = WRITTEN;
        let inputs = graph.inputs.iter().map(|i| value_info(&i.name, &i.ty)).collect();
        let outputs = graph.outputs.iter().map(|o| value_info(&o.name, graph.ty(o.value))).collect();
        let mut initializers = ByName::default();
        for (name, v) in &values {
            let tensor = match &graph.node(*v).op {
                Op::Const(Const::Scalar(l)) => Tensor::scalar(*l),
                Op::Const(Const::Dense(id)) => graph.tables.tensor(*id).clone(),
                _ => continue,
            };
            initializers.insert(name.clone(), Initializer { value: *v, proto: raw(name, &tensor) });
        }
        let model = ModelProto {
            ir_version: Some(ir_version),
            producer_name: Some("egret".to_owned()),
            opset_import: vec![OperatorSetIdProto { domain: None, version: Some(opset) }],
            graph: Some(GraphProto {
                name: Some(if graph.name.is_empty() { "main".to_owned() } else { graph.name.to_string() }),
                input: inputs,
                output: outputs,
                ..GraphProto::default()
            }),
            ..ModelProto::default()
        };
        let bodies = graph.tables.bodies.iter().map(Self::of_body).collect();
        Self { graph, values, initializers, bodies, nodes, bound, model, ..Self::default() }
    }
}
