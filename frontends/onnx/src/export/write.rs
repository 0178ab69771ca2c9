//! The chosen candidates as a complete model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use egret_ir::choice::{Candidate, ClassGraph, ClassId};
use egret_ir::op::Op;
use egret_ir::{Symbol, Tensor, Type};

use super::layout::distinct_names;
use super::names::origin;
use super::protos::{attribute, declaration, info, put_extents};
use super::root::Root;
use super::{Chosen, ExportError, NewNode, OnnxStep, Rewritten, Slot};
use crate::Imported;
use crate::inline::{canonical_domain, needed_functions};
use crate::proto::{GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto, ValueInfoProto};
use crate::unroll::rename_uses;

/// Constants up to this many bytes are repeated rather than copied by an Identity node.
const REPEATED_BYTES: usize = 1024;

/// Writes what was chosen as a model: interface, metadata and versions as imported, surviving values under their names.
/// Gives the names of the classes in it, too.
///
/// # Errors
/// [`ExportError`] where a body is missing.
pub fn write(
    rewritten: &Rewritten,
    imported: &Imported,
    chosen: &Chosen,
    opset: i64,
) -> Result<(ModelProto, BTreeMap<ClassId, Arc<str>>), ExportError> {
    let mut root = Root::new(imported, chosen);
    let mut writer = Writer::new(&mut root, rewritten, imported, chosen, opset);
    writer.name_model();
    let graph = writer.model_graph()?;
    let names = writer.name_of.iter().map(|(c, name)| (*c, name.as_str().into())).collect();
    let mut model = imported.model.clone();
    model.functions.clone_from(&imported.functions);
    model.functions = needed_functions(&model, graph.node.iter());
    model.graph = Some(graph);
    Ok((model, names))
}

/// One graph being written: the model's own, or a body.
pub(super) struct Writer<'a, 'r> {
    pub(super) root: &'r mut Root<'a>,
    rewritten: &'a Rewritten,
    imported: &'a Imported,
    chosen: &'a Chosen,
    opset: i64,
    /// Which node (position in the chosen ones) makes a class.
    maker: HashMap<ClassId, usize>,
    pub(super) name_of: HashMap<ClassId, String>,
    /// Values of the graphs around whose shapes tell extents.
    around: BTreeMap<Symbol, String>,
}

impl<'a, 'r> Writer<'a, 'r> {
    fn new(
        root: &'r mut Root<'a>,
        rewritten: &'a Rewritten,
        imported: &'a Imported,
        chosen: &'a Chosen,
        opset: i64,
    ) -> Self {
        let made = chosen.nodes.iter().enumerate().rev();
        let maker = made.flat_map(|(i, n)| n.outputs.iter().map(move |c| (*c, i))).collect();
        let (name_of, around) = (HashMap::new(), BTreeMap::new());
        Self { root, rewritten, imported, chosen, opset, maker, name_of, around }
    }

    pub(super) fn classes(&self) -> &'a ClassGraph {
        &self.rewritten.classes
    }

    pub(super) fn opset(&self) -> i64 {
        self.opset
    }

    fn class(&self, v: egret_ir::ValueId) -> Option<ClassId> {
        self.rewritten.class_of.get(v.index()).copied().flatten()
    }

    /// Whether a node is the one that makes a class.
    pub(super) fn makes(&self, at: usize, c: ClassId) -> bool {
        self.maker.get(&c) == Some(&at) && !self.chosen.folded.contains_key(&c)
    }

    // ---- names ----

    /// Gives every class of the model's graph in use its name.
    fn name_model(&mut self) {
        let names: Vec<String> = self.classes().inputs.iter().map(|i| i.name.to_string()).collect();
        for name in &names {
            self.root.names.take(name);
        }
        self.name_inputs(&names);
        for (name, c) in &self.classes().outputs {
            // The first name of a value is its own; an input or a name given before needs an Identity.
            if self.root.names.take(name) {
                self.name_of.entry(*c).or_insert_with(|| name.to_string());
            }
        }
        self.name_inner();
    }

    fn name_inputs(&mut self, names: &[String]) {
        for (i, name) in names.iter().enumerate() {
            let is_input = |n: &egret_ir::choice::ClassNode| n.op == Op::Input(i as u32);
            if let Some(c) = self.classes().classes.iter().position(|c| c.nodes.iter().any(is_input)) {
                self.name_of.insert(ClassId(c as u32), name.clone());
            }
        }
    }

    /// Gives the other classes their names: their old ones where they can stay.
    fn name_inner(&mut self) {
        let imported = self.imported;
        let mut old: HashMap<ClassId, Vec<Arc<str>>> = HashMap::new();
        for (name, v) in &imported.values {
            if let Some(c) = self.class(*v) {
                old.entry(c).or_default().push(name.clone());
            }
        }
        for (i, step) in self.chosen.nodes.iter().enumerate() {
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
                    OnnxStep::Input(_) | OnnxStep::Initializer | OnnxStep::Node(_) | OnnxStep::Control(_) => Vec::new(),
                };
                let olds = own.iter().chain(old.get(c).into_iter().flatten());
                let name = self.root.survivor(olds).unwrap_or_else(|| {
                    let content = match &step.payload {
                        // Bodies are told apart by what they are called, not by their place in a table.
                        OnnxStep::Control(control) => format!("{k}{}", control.op.kind()),
                        payload => format!("{k}{payload:?}"),
                    };
                    let origin = origin(&self.classes().class(*c).origins).unwrap_or_else(|| "value".to_owned());
                    self.root.names.fresh(&origin, &[content.as_bytes()])
                });
                self.name_of.insert(*c, name);
            }
        }
        for (c, t) in &self.chosen.folded {
            if !self.name_of.contains_key(c) {
                let name = self.constant(*c, t, old.get(c).map_or(&[], Vec::as_slice));
                self.name_of.insert(*c, name);
            }
            if self.root.pooled(t).is_none() {
                self.root.pool(t, &self.name_of[c]);
            }
        }
    }

    /// The name of a constant; in a body, that of an equal one of the whole model where there is one.
    fn constant(&mut self, c: ClassId, t: &Tensor, old: &[Arc<str>]) -> String {
        if !self.is_model()
            && let Some(name) = self.root.pooled(t)
        {
            return name;
        }
        self.root.survivor(old.iter()).unwrap_or_else(|| {
            let origin = origin(&self.classes().class(c).origins).unwrap_or_else(|| "constant".to_owned());
            let ty = format!("{}{:?}", t.dtype(), t.shape());
            self.root.names.fresh(&origin, &[ty.as_bytes(), t.bytes()])
        })
    }

    fn is_model(&self) -> bool {
        std::ptr::eq(self.imported, self.root.imported)
    }

    // ---- the graph ----

    fn model_graph(&mut self) -> Result<GraphProto, ExportError> {
        let mut graph = self.imported.model.graph.clone().unwrap_or_default();
        graph.initializer.clear();
        graph.sparse_initializer.clear();
        graph.node = self.nodes()?;
        self.outputs(&mut graph);
        self.defaults();
        graph.initializer = std::mem::take(&mut self.root.initializers);
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
        Ok(graph)
    }

    fn nodes(&mut self) -> Result<Vec<NodeProto>, ExportError> {
        let mut nodes = Vec::with_capacity(self.chosen.nodes.len());
        for (i, step) in self.chosen.nodes.iter().enumerate() {
            nodes.push(match &step.payload {
                OnnxStep::Site(s) => self.site(i, *s),
                OnnxStep::Node(n) => self.new_node(i, step, n),
                OnnxStep::Control(c) => self.control(i, c)?,
                OnnxStep::Input(_) | OnnxStep::Initializer => continue,
            });
        }
        distinct_names(&mut nodes);
        Ok(nodes)
    }

    /// A body: its nodes and results. `inputs` are the names of the closed graph's inputs here; `own` are those among them
    /// whose shapes tell symbols of the body. The formal inputs are left to the caller.
    pub(super) fn body(
        &mut self,
        id: u32,
        inputs: Vec<String>,
        own: BTreeMap<Symbol, String>,
    ) -> Result<GraphProto, ExportError> {
        let (Some(rewritten), Some(imported), Some(chosen)) = (
            self.rewritten.bodies.get(id as usize),
            self.imported.bodies.get(id as usize),
            self.chosen.bodies.get(&id),
        ) else {
            return Err(ExportError::Body(id));
        };
        let mut around = self.around.clone();
        for (i, input) in self.classes().inputs.iter().enumerate() {
            let is_input = |n: &egret_ir::choice::ClassNode| n.op == Op::Input(i as u32);
            let class = self.classes().classes.iter().position(|c| c.nodes.iter().any(is_input));
            let name = class.and_then(|c| self.name_of.get(&ClassId(c as u32)));
            for d in input.ty.as_tensor().iter().flat_map(|t| &t.shape) {
                if let (Some(s), Some(name)) = (d.as_symbol(), name) {
                    around.entry(s.clone()).or_insert_with(|| name.clone());
                }
            }
        }
        let opset = self.opset;
        let mut writer = Writer::new(&mut *self.root, rewritten, imported, chosen, opset);
        writer.around = around;
        writer.around.extend(own);
        writer.name_inputs(&inputs);
        let mut results = Vec::new();
        for (name, c) in &writer.classes().outputs {
            // A result is made here, under a name of its own.
            let made = writer.maker.contains_key(c) && !writer.name_of.contains_key(c);
            let name = writer
                .root
                .survivor([name.clone()].iter())
                .unwrap_or_else(|| writer.root.names.fresh(name, &[b"result", &id.to_le_bytes()]));
            if made {
                writer.name_of.insert(*c, name.clone());
            }
            results.push((name, *c));
        }
        writer.name_inner();
        let name = imported.model.graph.as_ref().and_then(|g| g.name.clone());
        let mut graph = GraphProto { name, node: writer.nodes()?, ..GraphProto::default() };
        for (name, c) in results {
            let own = writer.read(c);
            if own != name {
                graph.node.push(identity(own, &name));
            }
            graph.output.push(info(&name, writer.classes().ty(c)));
        }
        Ok(graph)
    }

    /// The name that the file had for formal input `i` of a body.
    pub(super) fn declared(&self, id: u32, i: usize) -> Option<String> {
        let name = &self.rewritten.bodies.get(id as usize)?.classes.inputs.get(i)?.name;
        (!name.is_empty()).then(|| name.to_string())
    }

    /// What the file called the condition and the next condition of a body, where it was a Loop's.
    pub(super) fn file_conditions(&self, id: u32) -> Option<(String, String)> {
        let body = self.imported.bodies.get(id as usize)?;
        let file = body.model.graph.as_ref()?;
        // A Scan's first formal input is no iteration number.
        let loops = file.input.first()?.name() == &*body.graph.inputs.first()?.name;
        let (going, on) = (file.input.get(1)?.name(), file.output.first()?.name());
        (loops && !going.is_empty() && !on.is_empty()).then(|| (going.to_owned(), on.to_owned()))
    }

    /// The type of input `i` of a body.
    pub(super) fn body_input(&self, id: u32, i: usize) -> Type {
        let body = self.rewritten.bodies.get(id as usize);
        let ty = body.and_then(|b| b.classes.inputs.get(i)).map(|d| d.ty.clone());
        ty.unwrap_or_else(|| Type::Foreign("missing".into()))
    }

    /// Whether a body's nodes or results need its input `i`.
    pub(super) fn reads_input(&self, id: u32, i: u32) -> bool {
        let (Some(body), Some(chosen)) = (self.rewritten.bodies.get(id as usize), self.chosen.bodies.get(&id)) else {
            return true;
        };
        let class = body.classes.classes.iter().position(|c| c.nodes.iter().any(|n| n.op == Op::Input(i)));
        let Some(class) = class.map(|c| ClassId(c as u32)) else { return false };
        chosen.nodes.iter().any(|n| n.inputs.contains(&class)) || body.classes.outputs.iter().any(|(_, c)| *c == class)
    }

    /// The name under which a node reads a class; an initializer is written at its first use.
    pub(super) fn read(&mut self, c: ClassId) -> String {
        let name = self.name_of.get(&c).cloned().unwrap_or_default();
        if let Some(t) = self.chosen.folded.get(&c).filter(|_| !self.maker.contains_key(&c)) {
            self.root.initializer(&name, t);
        }
        name
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
            *name = match c.filter(|c| self.makes(at, *c) && given.insert(*c)) {
                Some(c) => self.name_of[&c].clone(),
                // Made elsewhere or twice: nobody reads this one.
                None if self.root.names.take(own) => own.to_string(),
                None => self.root.names.fresh(own, &[own.as_bytes()]),
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
        let inputs = std::mem::take(&mut node.input);
        rename_uses(&mut node, &renamed);
        node.input = inputs;
        node
    }

    fn new_node(&mut self, at: usize, step: &Candidate<OnnxStep>, n: &NewNode) -> NodeProto {
        let input = n
            .inputs
            .iter()
            .map(|s| match s {
                Slot::Absent => String::new(),
                Slot::Class(c) => self.read(*c),
                Slot::Tensor(t) => self.root.small(t),
                Slot::Around(s) => self.around.get(s).cloned().unwrap_or_default(),
            })
            .collect();
        let output: Vec<String> = step
            .outputs
            .iter()
            .map(|c| {
                let name = self.name_of.get(c).cloned().unwrap_or_default();
                if self.makes(at, *c) { name } else { self.root.names.fresh("unused", &[name.as_bytes()]) }
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

    /// Every output under its name: an Identity where a value has another one already.
    fn outputs(&mut self, graph: &mut GraphProto) {
        for (name, c) in &self.classes().outputs {
            let own = self.read(*c);
            if own == **name {
                continue;
            }
            match self.chosen.folded.get(c).filter(|t| t.bytes().len() <= REPEATED_BYTES && !self.maker.contains_key(c))
            {
                Some(t) => self.root.initializer(name, t),
                None => graph.node.push(identity(own, name)),
            }
        }
    }

    /// Initializers that are defaults of inputs.
    fn defaults(&mut self) {
        for input in self.classes().inputs.iter().filter(|i| i.default.is_some()) {
            if let Some(i) = self.imported.initializers.get(&input.name)
                && self.root.first(&input.name)
            {
                self.root.initializers.push(i.proto.clone());
            }
        }
    }

    /// Inputs and outputs as declared, with bound extents put in.
    fn interface(&self, graph: &mut GraphProto) {
        let old = self.imported.model.ir_version() < 4;
        let real: BTreeMap<&str, &Type> = self.classes().inputs.iter().map(|i| (&*i.name, &i.ty)).collect();
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
            for (v, (_, c)) in graph.output.iter_mut().zip(&self.classes().outputs) {
                put_extents(v, self.classes().ty(*c));
            }
        }
    }
}

/// A value under another name.
fn identity(from: String, name: &str) -> NodeProto {
    NodeProto {
        input: vec![from],
        name: Some(name.to_owned()),
        output: vec![name.to_owned()],
        op_type: Some("Identity".to_owned()),
        ..NodeProto::default()
    }
}
