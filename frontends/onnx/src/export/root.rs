//! What all graphs of a written model share: names, which are unique everywhere, and initializers, which all stand in the
//! outermost graph, each value once.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use egret_ir::Tensor;
use egret_ir::choice::Candidate;

use super::names::Names;
use super::protos::raw;
use super::{Chosen, OnnxStep};
use crate::Imported;
use crate::inline::subgraphs;
use crate::proto::{GraphProto, TensorProto};
use crate::tensor;
use crate::unroll::own_names;

/// The state of writing.
pub struct Root<'a> {
    /// The model as it was read.
    pub imported: &'a Imported,
    /// Names in use.
    pub names: Names,
    /// Names defined inside the bodies of operators that are written as they came.
    pub inner: BTreeSet<String>,
    /// Constants that have a name, by a digest of their content.
    pool: HashMap<u64, Vec<(Tensor, String)>>,
    /// Initializers, in order of first use.
    pub initializers: Vec<TensorProto>,
    written: BTreeSet<String>,
}

impl<'a> Root<'a> {
    /// Nothing written yet.
    pub fn new(imported: &'a Imported, chosen: &Chosen) -> Self {
        let mut inner = BTreeSet::new();
        body_names(imported, chosen, &mut inner);
        let mut kept = inner.clone();
        model_names(imported, &mut kept);
        Self {
            imported,
            names: Names::new(kept),
            inner,
            pool: HashMap::new(),
            initializers: Vec::new(),
            written: BTreeSet::new(),
        }
    }

    /// The first of the old names that is free and means nothing else inside a body.
    pub fn survivor<'n>(&mut self, old: impl Iterator<Item = &'n Arc<str>>) -> Option<String> {
        for name in old {
            if !self.inner.contains(&**name) && self.names.take(name) {
                return Some(name.to_string());
            }
        }
        None
    }

    /// The name of an equal constant.
    pub fn pooled(&self, t: &Tensor) -> Option<String> {
        let found = self.pool.get(&digest(t))?.iter().find(|(other, _)| other == t);
        found.map(|(_, name)| name.clone())
    }

    /// Remembers a constant's name.
    pub fn pool(&mut self, t: &Tensor, name: &str) {
        self.pool.entry(digest(t)).or_default().push((t.clone(), name.to_owned()));
    }

    /// Writes an initializer where it is not written yet.
    pub fn initializer(&mut self, name: &str, t: &Tensor) {
        if !self.first(name) {
            return;
        }
        let proto = match self.imported.initializers.get(name) {
            // As it came, if it is the same constant.
            Some(old) if matches(&old.proto, t) => old.proto.clone(),
            _ => raw(name, t),
        };
        self.initializers.push(proto);
    }

    /// Whether an initializer of that name was not written before.
    pub fn first(&mut self, name: &str) -> bool {
        self.written.insert(name.to_owned())
    }

    /// A small constant of the writer's own, shared by content: its name.
    pub fn small(&mut self, t: &Tensor) -> String {
        let name = self.pooled(t).unwrap_or_else(|| {
            let ty = format!("{}{:?}", t.dtype(), t.shape());
            let parts = [ty.as_bytes(), t.bytes()];
            // An earlier export may have written the very same constant.
            let old = Names::stem("constant", &parts);
            let same = self.imported.initializers.get(old.as_str()).is_some_and(|i| matches(&i.proto, t));
            let name = if same && self.names.take(&old) { old } else { self.names.fresh("constant", &parts) };
            self.pool(t, &name);
            name
        });
        self.initializer(&name, t);
        name
    }
}

/// Type, shape and both ends of the data.
fn digest(t: &Tensor) -> u64 {
    const END: usize = 1 << 12;
    let mut hasher = DefaultHasher::new();
    (tensor::code(t.dtype()), t.shape()).hash(&mut hasher);
    let bytes = t.bytes();
    bytes[..bytes.len().min(END)].hash(&mut hasher);
    bytes[bytes.len() - bytes.len().min(END)..].hash(&mut hasher);
    hasher.finish()
}

/// Whether a tensor of the model is this constant (raw data is compared, typed fields are decoded).
fn matches(proto: &TensorProto, t: &Tensor) -> bool {
    tensor::decode(proto).is_ok_and(|old| old == *t)
}

/// Every name of the model and of its bodies.
fn model_names(imported: &Imported, names: &mut BTreeSet<String>) {
    names.extend(imported.values.keys().map(ToString::to_string));
    for body in &imported.bodies {
        model_names(body, names);
    }
}

/// Names defined inside the bodies of nodes that are written as they came.
fn body_names(imported: &Imported, chosen: &Chosen, names: &mut BTreeSet<String>) {
    let sites = chosen.nodes.iter().filter_map(|n: &Candidate<OnnxStep>| match n.payload {
        OnnxStep::Site(s) => Some(s),
        OnnxStep::Input(_) | OnnxStep::Initializer | OnnxStep::Node(_) | OnnxStep::Control(_) => None,
    });
    for s in sites {
        for body in subgraphs(&imported.sites[s].node) {
            defined(body, names);
        }
    }
    for (id, body) in &chosen.bodies {
        body_names(&imported.bodies[*id as usize], body, names);
    }
}

fn defined(body: &GraphProto, names: &mut BTreeSet<String>) {
    names.extend(own_names(body));
    for node in &body.node {
        for inner in subgraphs(node) {
            defined(inner, names);
        }
    }
}
