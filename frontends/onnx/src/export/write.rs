//! The chosen candidates as a complete model.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use egret_ir::choice::{Candidate, ClassGraph, ClassId};
use egret_ir::{Tensor, Type};

use super::names::{Names, origin};
use super::protos::{attribute, declaration, put_extents, raw};
use super::{ExportError, NewNode, OnnxStep, Slot, fold};
use crate::Imported;
use crate::inline::{canonical_domain, needed_functions, subgraphs};
use crate::proto::{GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto, ValueInfoProto};
use crate::tensor;

/// Constants up to this many bytes are repeated rather than copied by an Identity node.
const REPEATED_BYTES: usize = 1024;

/// Writes the chosen steps (producers before users) as a model: interface, metadata and versions as imported, surviving
/// values under their names.
///
/// # Errors
/// [`ExportError`] where a constant does not evaluate, or a step reads what no earlier one makes.
pub fn write(
    classes: &ClassGraph,
    imported: &Imported,
    class_of: &[Option<ClassId>],
    steps: &[&Candidate<OnnxStep>],
) -> Result<ModelProto, ExportError> {
    let mut writer = Writer::new(classes, imported, class_of, steps)?;
    writer.name();
    let graph = writer.graph();
    let mut model = imported.model.clone();
    model.functions.clone_from(&imported.functions);
    model.functions = needed_functions(&model, graph.node.iter());
    model.graph = Some(graph);
    Ok(model)
}

struct Writer<'a> {
    classes: &'a ClassGraph,
    imported: &'a Imported,
    class_of: &'a [Option<ClassId>],
    /// Nodes to emit, in order.
    nodes: Vec<&'a Candidate<OnnxStep>>,
    /// Values of the folded classes in use.
    folded: BTreeMap<ClassId, Tensor>,
    /// Which node (position in `nodes`) makes a class.
    maker: HashMap<ClassId, usize>,
    name_of: HashMap<ClassId, String>,
    names: Names,
    /// Small constants by content.
    shared: HashMap<(i32, Vec<usize>, Vec<u8>), String>,
    initializers: Vec<TensorProto>,
    written: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    fn new(
        classes: &'a ClassGraph,
        imported: &'a Imported,
        class_of: &'a [Option<ClassId>],
        steps: &[&'a Candidate<OnnxStep>],
    ) -> Result<Self, ExportError> {
        let mut maker: BTreeMap<ClassId, usize> = BTreeMap::new();
        for (i, step) in steps.iter().enumerate() {
            if let Some(c) = step.inputs.iter().find(|c| !maker.contains_key(c)) {
                return Err(ExportError::Order(c.0));
            }
            for c in &step.outputs {
                maker.entry(*c).or_insert(i);
            }
        }
        let mut needed = vec![false; steps.len()];
        for (name, c) in &classes.outputs {
            let Some(i) = maker.get(c) else { return Err(ExportError::Unreachable(name.to_string())) };
            needed[*i] = true;
        }
        for i in (0..steps.len()).rev() {
            if needed[i] {
                for c in &steps[i].inputs {
                    needed[maker[c]] = true;
                }
            }
        }
        let mut wanted = BTreeSet::new();
        let mut chosen = Vec::new();
        for (i, step) in steps.iter().enumerate().filter(|(i, _)| needed[*i]) {
            match step.payload {
                OnnxStep::Input(_) => {}
                OnnxStep::Initializer => wanted.extend(step.outputs.iter().copied().filter(|c| maker[c] == i)),
                OnnxStep::Site(_) | OnnxStep::Node(_) => chosen.push(*step),
            }
        }
        let folded = fold::evaluate(classes, &wanted)?;
        let nodes = ordered(imported, class_of, chosen);
        let maker = nodes.iter().enumerate().rev().flat_map(|(i, n)| n.outputs.iter().map(move |c| (*c, i))).collect();
        let kept = kept_names(imported, &nodes);
        Ok(Self {
            classes,
            imported,
            class_of,
            nodes,
            folded,
            maker,
            name_of: HashMap::new(),
            names: Names::new(kept),
            shared: HashMap::new(),
            initializers: Vec::new(),
            written: BTreeSet::new(),
        })
    }

    fn class(&self, v: egret_ir::ValueId) -> Option<ClassId> {
        self.class_of.get(v.index()).copied().flatten()
    }

    // ---- names ----

    /// Gives every class in use its name.
    fn name(&mut self) {
        for (i, input) in self.classes.inputs.iter().enumerate() {
            self.names.take(&input.name);
            let is_input = |n: &egret_ir::choice::ClassNode| n.op == egret_ir::Op::Input(i as u32);
            if let Some(c) = self.classes.classes.iter().position(|c| c.nodes.iter().any(is_input)) {
                self.name_of.insert(ClassId(c as u32), input.name.to_string());
            }
        }
        for (name, c) in &self.classes.outputs {
            // The first name of a value is its own; an input or a name given before needs an Identity.
            if self.names.take(name) {
                self.name_of.entry(*c).or_insert_with(|| name.to_string());
            }
        }
        let imported = self.imported;
        let mut old: HashMap<ClassId, Vec<Arc<str>>> = HashMap::new();
        for (name, v) in &imported.values {
            if let Some(c) = self.class(*v) {
                old.entry(c).or_default().push(name.clone());
            }
        }
        let inner = body_names(&self.nodes, imported);
        for i in 0..self.nodes.len() {
            let step = self.nodes[i];
            for (k, c) in step.outputs.iter().enumerate() {
                if self.maker[c] != i || self.name_of.contains_key(c) {
                    continue;
                }
                let own = match &step.payload {
                    OnnxStep::Site(s) => {
                        let outputs = &imported.sites[*s].outputs;
                        outputs
                            .iter()
                            .filter(|(v, _)| self.class(*v) == Some(*c))
                            .map(|(_, name)| name.clone())
                            .collect()
                    }
                    OnnxStep::Input(_) | OnnxStep::Initializer | OnnxStep::Node(_) => Vec::new(),
                };
                let olds = own.iter().chain(old.get(c).into_iter().flatten());
                let name = self.survivor(olds, &inner).unwrap_or_else(|| {
                    let content = format!("{k}{:?}", step.payload);
                    let origin = origin(&self.classes.class(*c).origins).unwrap_or_else(|| "value".to_owned());
                    self.names.fresh(&origin, &[content.as_bytes()])
                });
                self.name_of.insert(*c, name);
            }
        }
        let folded: Vec<ClassId> = self.folded.keys().copied().collect();
        for c in folded {
            if !self.name_of.contains_key(&c) {
                let name = self.survivor(old.get(&c).into_iter().flatten(), &inner).unwrap_or_else(|| {
                    let t = &self.folded[&c];
                    let origin = origin(&self.classes.class(c).origins).unwrap_or_else(|| "constant".to_owned());
                    let ty = format!("{}{:?}", t.dtype(), t.shape());
                    self.names.fresh(&origin, &[ty.as_bytes(), t.bytes()])
                });
                self.name_of.insert(c, name);
            }
            let t = &self.folded[&c];
            if t.bytes().len() <= REPEATED_BYTES {
                self.shared.entry(content(t)).or_insert_with(|| self.name_of[&c].clone());
            }
        }
    }

    /// The first of the old names that is free and means nothing else inside a body.
    fn survivor<'n>(&mut self, old: impl Iterator<Item = &'n Arc<str>>, inner: &BTreeSet<String>) -> Option<String> {
        for name in old {
            if !inner.contains(&**name) && self.names.take(name) {
                return Some(name.to_string());
            }
        }
        None
    }

    // ---- the graph ----

    fn graph(&mut self) -> GraphProto {
        let mut graph = self.imported.model.graph.clone().unwrap_or_default();
        graph.node.clear();
        graph.initializer.clear();
        graph.sparse_initializer.clear();
        for i in 0..self.nodes.len() {
            let node = match &self.nodes[i].payload {
                OnnxStep::Site(s) => self.site(i, *s),
                OnnxStep::Node(n) => self.new_node(self.nodes[i], n),
                OnnxStep::Input(_) | OnnxStep::Initializer => continue,
            };
            graph.node.push(node);
        }
        distinct_names(&mut graph.node);
        self.outputs(&mut graph);
        self.defaults();
        graph.initializer = std::mem::take(&mut self.initializers);
        self.interface(&mut graph);
        let alive: BTreeSet<&str> = graph
            .node
            .iter()
            .flat_map(|n| n.output.iter().map(String::as_str))
            .chain(graph.input.iter().map(ValueInfoProto::name))
            .chain(graph.initializer.iter().map(TensorProto::name))
            .collect();
        graph.quantization_annotation.retain(|a| {
            let parameters = a.quant_parameter_tensor_names.iter().map(StringStringEntryProto::value);
            std::iter::once(a.tensor_name()).chain(parameters).all(|n| alive.contains(n))
        });
        // What an optimizer cannot infer itself is worth keeping: types of foreign operators' results.
        let foreign: BTreeSet<&str> = graph
            .node
            .iter()
            .filter(|n| !canonical_domain(n.domain()).is_empty())
            .flat_map(|n| n.output.iter().map(String::as_str))
            .collect();
        let infos = std::mem::take(&mut graph.value_info);
        graph.value_info = infos.into_iter().filter(|v| foreign.contains(v.name())).collect();
        graph
    }

    /// The name under which a node reads a class; an initializer is written at its first use.
    fn read(&mut self, c: ClassId) -> String {
        let name = self.name_of.get(&c).cloned().unwrap_or_default();
        if let Some(t) = self.folded.get(&c).filter(|_| !self.maker.contains_key(&c)).cloned() {
            self.initializer(&name, &t);
        }
        name
    }

    fn initializer(&mut self, name: &str, t: &Tensor) {
        if !self.written.insert(name.to_owned()) {
            return;
        }
        let proto = match self.imported.initializers.get(name) {
            // As it came, if it is the same constant.
            Some(old) if fold_matches(&old.proto, t) => old.proto.clone(),
            _ => raw(name, t),
        };
        self.initializers.push(proto);
    }

    fn site(&mut self, at: usize, s: usize) -> NodeProto {
        let site = &self.imported.sites[s];
        let mut node = (*site.node).clone();
        for (name, v) in node.input.iter_mut().zip(&site.inputs) {
            *name = match v.and_then(|v| self.class(v)) {
                Some(c) => self.read(c),
                None => String::new(),
            };
        }
        let mut given = BTreeSet::new();
        let named = node.output.iter_mut().filter(|n| !n.is_empty());
        for (name, (v, own)) in named.zip(&site.outputs) {
            let c = self.class(*v);
            *name = match c
                .filter(|c| self.maker.get(c) == Some(&at) && !self.folded.contains_key(c) && given.insert(*c))
            {
                Some(c) => self.name_of[&c].clone(),
                // Made elsewhere or twice: nobody reads this one.
                None if self.names.take(own) => own.to_string(),
                None => self.names.fresh(own, &[own.as_bytes()]),
            };
        }
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        for (v, old) in &site.captures {
            if let Some(c) = self.class(*v) {
                let new = self.read(c);
                if new != **old {
                    renamed.insert(old.to_string(), new);
                }
            }
        }
        if !renamed.is_empty() {
            for a in &mut node.attribute {
                for body in a.g.as_deref_mut().into_iter().chain(&mut a.graphs) {
                    rename(body, &renamed);
                }
            }
        }
        node
    }

    fn new_node(&mut self, step: &Candidate<OnnxStep>, n: &NewNode) -> NodeProto {
        let input = n
            .inputs
            .iter()
            .map(|s| match s {
                Slot::Absent => String::new(),
                Slot::Class(c) => self.read(*c),
                Slot::Tensor(t) => self.small(t),
            })
            .collect();
        let at = self.nodes.iter().position(|s| std::ptr::eq(*s, step));
        let output: Vec<String> = step
            .outputs
            .iter()
            .map(|c| {
                let own = self.maker.get(c).copied() == at && !self.folded.contains_key(c);
                let name = self.name_of.get(c).cloned().unwrap_or_default();
                if own { name } else { self.names.fresh("unused", &[name.as_bytes()]) }
            })
            .collect();
        let attribute = n.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
        NodeProto {
            input,
            name: output.first().cloned(),
            output,
            op_type: Some(n.op.to_owned()),
            attribute,
            ..NodeProto::default()
        }
    }

    /// A constant of a template, shared by content.
    fn small(&mut self, t: &Tensor) -> String {
        let key = content(t);
        let name = if let Some(name) = self.shared.get(&key) {
            name.clone()
        } else {
            let ty = format!("{}{:?}", t.dtype(), t.shape());
            let parts = [ty.as_bytes(), t.bytes()];
            // An earlier export may have written the very same constant.
            let old = Names::stem("constant", &parts);
            let same = self.imported.initializers.get(old.as_str()).is_some_and(|i| fold_matches(&i.proto, t));
            let name = if same && self.names.take(&old) { old } else { self.names.fresh("constant", &parts) };
            self.shared.insert(key, name.clone());
            name
        };
        self.initializer(&name, t);
        name
    }

    /// Every output under its name: an Identity where a value has another one already.
    fn outputs(&mut self, graph: &mut GraphProto) {
        for (name, c) in self.classes.outputs.clone() {
            let own = self.read(c);
            if own == *name {
                continue;
            }
            match self
                .folded
                .get(&c)
                .filter(|t| t.bytes().len() <= REPEATED_BYTES && !self.maker.contains_key(&c))
                .cloned()
            {
                Some(t) => self.initializer(&name, &t),
                None => graph.node.push(NodeProto {
                    input: vec![own],
                    name: Some(name.to_string()),
                    output: vec![name.to_string()],
                    op_type: Some("Identity".to_owned()),
                    ..NodeProto::default()
                }),
            }
        }
    }

    /// Initializers that are defaults of inputs.
    fn defaults(&mut self) {
        for input in self.classes.inputs.iter().filter(|i| i.default.is_some()) {
            if let Some(i) = self.imported.initializers.get(&input.name)
                && self.written.insert(input.name.to_string())
            {
                self.initializers.push(i.proto.clone());
            }
        }
    }

    /// Inputs and outputs as declared, with bound extents put in.
    fn interface(&self, graph: &mut GraphProto) {
        let old = self.imported.model.ir_version() < 4;
        let real: BTreeMap<&str, &Type> = self.classes.inputs.iter().map(|i| (&*i.name, &i.ty)).collect();
        let constants: BTreeSet<String> = graph.initializer.iter().map(|t| t.name().to_owned()).collect();
        graph.input.retain(|v| real.contains_key(v.name()) || constants.contains(v.name()));
        let mut bound = !self.imported.bound.is_empty();
        for v in &mut graph.input {
            if let Some(ty) = real.get(v.name()) {
                bound |= put_extents(v, ty);
            }
        }
        if old {
            // Up to IR version 3 initializers are listed as inputs.
            let listed: BTreeSet<String> = graph.input.iter().map(|v| v.name().to_owned()).collect();
            let missing = graph.initializer.iter().filter(|t| !listed.contains(t.name()));
            graph.input.extend(missing.map(declaration).collect::<Vec<_>>());
        }
        if bound {
            for (v, (_, c)) in graph.output.iter_mut().zip(&self.classes.outputs) {
                put_extents(v, self.classes.ty(*c));
            }
        }
    }
}

/// Nodes in a topological order that keeps the imported order: a new node comes right before the imported node whose
/// value it makes, else right after what it reads.
fn ordered<'a>(
    imported: &Imported,
    class_of: &[Option<ClassId>],
    nodes: Vec<&'a Candidate<OnnxStep>>,
) -> Vec<&'a Candidate<OnnxStep>> {
    let mut home: HashMap<ClassId, usize> = HashMap::new();
    for (i, site) in imported.sites.iter().enumerate() {
        for (v, _) in &site.outputs {
            if let Some(c) = class_of.get(v.index()).copied().flatten() {
                home.entry(c).or_insert(i);
            }
        }
    }
    let mut maker: HashMap<ClassId, usize> = HashMap::new();
    let mut keys: Vec<usize> = Vec::with_capacity(nodes.len());
    for (i, n) in nodes.iter().enumerate() {
        let after = n.inputs.iter().filter_map(|c| maker.get(c)).map(|m: &usize| keys[*m]).max().unwrap_or(0);
        let key = match &n.payload {
            OnnxStep::Site(s) => *s,
            OnnxStep::Node(_) => n.outputs.iter().filter_map(|c| home.get(c)).copied().min().unwrap_or(after),
            OnnxStep::Input(_) | OnnxStep::Initializer => after,
        };
        keys.push(key);
        for c in &n.outputs {
            maker.entry(*c).or_insert(i);
        }
    }
    let mut waits = vec![0usize; nodes.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (i, n) in nodes.iter().enumerate() {
        let before: BTreeSet<usize> =
            n.inputs.iter().filter_map(|c| maker.get(c)).copied().filter(|m| *m != i).collect();
        for m in before {
            users[m].push(i);
            waits[i] += 1;
        }
    }
    let mut ready: BTreeSet<(usize, usize)> =
        (0..nodes.len()).filter(|i| waits[*i] == 0).map(|i| (keys[i], i)).collect();
    let mut out = Vec::with_capacity(nodes.len());
    while let Some((_, i)) = ready.pop_first() {
        out.push(nodes[i]);
        for &u in &users[i] {
            waits[u] -= 1;
            if waits[u] == 0 {
                ready.insert((keys[u], u));
            }
        }
    }
    out
}

/// Gives nodes of one name several: runtimes refuse the model otherwise.
fn distinct_names(nodes: &mut [NodeProto]) {
    let mut all: HashSet<String> = nodes.iter().map(|n| n.name().to_owned()).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for node in nodes.iter_mut().filter(|n| !n.name().is_empty()) {
        let times = seen.entry(node.name().to_owned()).or_insert(0);
        *times += 1;
        while *times > 1 {
            let new = format!("{}_{times}", node.name());
            if all.insert(new.clone()) {
                node.name = Some(new);
                break;
            }
            *times += 1;
        }
    }
}

/// Names that a new value may not get.
fn kept_names(imported: &Imported, nodes: &[&Candidate<OnnxStep>]) -> BTreeSet<String> {
    let mut kept: BTreeSet<String> = imported.values.keys().map(ToString::to_string).collect();
    kept.extend(body_names(nodes, imported));
    kept
}

/// Names defined inside the bodies of the nodes.
fn body_names(nodes: &[&Candidate<OnnxStep>], imported: &Imported) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for n in nodes {
        if let OnnxStep::Site(s) = n.payload {
            for body in subgraphs(&imported.sites[s].node) {
                defined(body, &mut names);
            }
        }
    }
    names
}

fn defined(body: &GraphProto, names: &mut BTreeSet<String>) {
    names.extend(own_names(body));
    for node in &body.node {
        for inner in subgraphs(node) {
            defined(inner, names);
        }
    }
}

fn own_names(body: &GraphProto) -> impl Iterator<Item = String> {
    let inputs = body.input.iter().map(ValueInfoProto::name);
    let tensors = body.initializer.iter().map(TensorProto::name);
    let nodes = body.node.iter().flat_map(|n| n.output.iter().map(String::as_str));
    inputs.chain(tensors).chain(nodes).map(str::to_owned)
}

/// Renames captured values in a body and the bodies in it, except where a body has its own value of that name.
fn rename(body: &mut GraphProto, renamed: &BTreeMap<String, String>) {
    let own: BTreeSet<String> = own_names(body).collect();
    let renamed: BTreeMap<String, String> =
        renamed.iter().filter(|(old, _)| !own.contains(*old)).map(|(old, new)| (old.clone(), new.clone())).collect();
    if renamed.is_empty() {
        return;
    }
    for node in &mut body.node {
        for name in &mut node.input {
            if let Some(new) = renamed.get(name) {
                name.clone_from(new);
            }
        }
        for a in &mut node.attribute {
            for inner in a.g.as_deref_mut().into_iter().chain(&mut a.graphs) {
                rename(inner, &renamed);
            }
        }
    }
    for output in &mut body.output {
        if let Some(new) = renamed.get(output.name()) {
            output.name = Some(new.clone());
        }
    }
}

fn content(t: &Tensor) -> (i32, Vec<usize>, Vec<u8>) {
    (tensor::code(t.dtype()), t.shape().to_vec(), t.bytes().to_vec())
}

/// Whether a tensor of the model is this constant (raw data is compared, typed fields are decoded).
fn fold_matches(proto: &TensorProto, t: &Tensor) -> bool {
    tensor::decode(proto).is_ok_and(|old| old == *t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_one_name_get_several() {
        let named = |name: &str| NodeProto { name: Some(name.to_owned()), ..NodeProto::default() };
        let mut nodes: Vec<NodeProto> = ["a", "a", "", "a_2", "a", "", "a_2"].into_iter().map(named).collect();
        distinct_names(&mut nodes);
        let names: Vec<&str> = nodes.iter().map(NodeProto::name).collect();
        assert_eq!(names, ["a", "a_3", "", "a_2", "a_4", "", "a_2_2"]);
    }
}
