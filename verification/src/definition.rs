//! What a subject is compared with: a graph, with the meaning of its opaque operators and a second opinion on it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use egret_ir::eval::Real;
use egret_ir::{Graph, ValueId};

use crate::bound::Bounded;
use crate::executor::Executor;
use crate::litert::{self, LiteRt};
use crate::model::{Model, Original};
use crate::onnxruntime::{self, Level, OnnxRuntime};
use crate::opaque::OpaqueNodes;
use crate::region::{NoOpaques, Opaques};

/// A reference as a bare graph, for subjects that are not ONNX models (and for tests).
pub struct Definition<'a> {
    /// Name for people.
    pub name: &'a str,
    /// The graph.
    pub graph: &'a Graph,
    /// Named values.
    pub names: BTreeMap<String, ValueId>,
    /// Opaque operators.
    pub(crate) opaques: Box<dyn OpaqueSource + 'a>,
    /// Another opinion on the reference itself: the original model in an engine of its format.
    pub(crate) witness: Option<Witness<'a>>,
}

/// An engine with the original model, by its name for people.
pub(crate) struct Witness<'a> {
    pub name: &'static str,
    pub engine: RefCell<Box<dyn Executor + 'a>>,
}

/// Opaque operators in the domains of the comparison.
pub(crate) trait OpaqueSource {
    fn real(&self) -> &(dyn Opaques<Real> + Sync);
    fn bounded(&self) -> &(dyn for<'b> Opaques<Bounded<'b>> + Sync);
}

impl<T> OpaqueSource for T
where
    T: Opaques<Real> + for<'b> Opaques<Bounded<'b>> + Sync,
{
    fn real(&self) -> &(dyn Opaques<Real> + Sync) {
        self
    }
    fn bounded(&self) -> &(dyn for<'b> Opaques<Bounded<'b>> + Sync) {
        self
    }
}

impl<'a> Definition<'a> {
    /// The definition that a model gives.
    pub fn of(model: &'a Model) -> Self {
        let opaques = OpaqueNodes::of(&model.imported);
        let names = model.imported.values.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        Self { name: &model.name, graph: &model.imported.graph, names, opaques: Box::new(opaques), witness: None }
    }

    /// With a witness of what the original model gives, where an engine of its format is found.
    pub(crate) fn witnessed(self, model: &'a Model, threads: usize) -> Self {
        let (name, engine): (_, Box<dyn Executor + 'a>) = match &model.original {
            Original::Onnx(proto) if onnxruntime::library().is_ok() => {
                let options = onnxruntime::Options { level: Level::Off, threads };
                ("ONNX Runtime", Box::new(OnnxRuntime::new(proto.clone(), model.files.clone(), options)))
            }
            Original::TfLite { .. } if litert::python().is_ok() => match LiteRt::of(model) {
                Some(engine) => ("LiteRT", Box::new(engine)),
                None => return self,
            },
            Original::Onnx(_) | Original::TfLite { .. } | Original::Text => return self,
        };
        Self { witness: Some(Witness { name, engine: RefCell::new(engine) }), ..self }
    }

    /// A bare graph without opaque operators.
    pub fn new(name: &'a str, graph: &'a Graph, names: BTreeMap<String, ValueId>) -> Self {
        Self { name, graph, names, opaques: Box::new(NoOpaques), witness: None }
    }
}
