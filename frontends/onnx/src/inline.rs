//! Model-local functions, inlined before anything else looks at the nodes.
//!
//! A call is replaced by the function's body with the call's operands, results and attributes put in; attribute
//! references are resolved per call site, nested calls recursively, names inside made unique by the call's first
//! result. Calls inside the bodies of control flow are inlined when the body is read.
//!
//! A function whose body was written for opsets under which one of its operators means something else than under the
//! model's is inlined, too, each of its nodes with its own opsets. ONNX has one opset per domain and graph, so such a node
//! cannot be written back as it came; the call can, and is remembered for that.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use crate::error::{NodePlace, Problem, ProblemKind};
use crate::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto};
use crate::schema;
use crate::validate::Opsets;

/// Inlining stops with an error beyond this many nodes: nested functions could double it at every level.
const MAX_NODES: usize = 1 << 18;

/// Functions that call functions go this deep at most.
const MAX_DEPTH: usize = 200;

/// A node of a list that is shared. Most are in the one list of the file.
#[derive(Debug, Clone)]
pub struct NodeRef {
    list: Arc<Vec<NodeProto>>,
    at: usize,
}

impl From<NodeProto> for NodeRef {
    fn from(node: NodeProto) -> Self {
        Self { list: Arc::new(vec![node]), at: 0 }
    }
}

impl Deref for NodeRef {
    type Target = NodeProto;
    fn deref(&self) -> &NodeProto {
        &self.list[self.at]
    }
}

/// A node of the flat graph, with the position of the node of the file it comes from.
#[derive(Debug, Clone)]
pub struct FlatNode {
    /// The node, all attribute references resolved.
    pub proto: NodeRef,
    /// Position in `GraphProto.node` of the node, or of the call it was inlined from.
    pub index: usize,
    /// The opsets under which the node means what it says, where these are not the model's.
    pub opsets: Option<Arc<Opsets>>,
}

impl FlatNode {
    /// A node at a position of the file.
    pub fn new(proto: NodeProto, index: usize) -> Self {
        Self { proto: NodeRef::from(proto), index, opsets: None }
    }

    /// For error messages.
    pub fn place(&self) -> NodePlace {
        place(&self.proto, self.index)
    }
}

/// For error messages.
pub fn place(node: &NodeProto, index: usize) -> NodePlace {
    let domain = canonical_domain(node.domain());
    let op = if domain.is_empty() { node.op_type().to_owned() } else { format!("{domain}.{}", node.op_type()) };
    NodePlace { name: node.name().to_owned(), index, op }
}

/// `"ai.onnx"` is another spelling of the default domain `""`.
pub fn canonical_domain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

/// What inlining gives.
pub struct Inlined {
    /// The nodes, in the order of the file.
    pub nodes: Vec<FlatNode>,
    /// Calls of functions whose nodes have opsets of their own, outermost ones only.
    pub calls: Vec<FlatNode>,
}

type Key<'a> = (&'a str, &'a str, &'a str);

fn function_key(f: &FunctionProto) -> Key<'_> {
    (canonical_domain(f.domain()), f.name(), f.overload())
}

fn call_key(n: &NodeProto) -> Key<'_> {
    (canonical_domain(n.domain()), n.op_type(), n.overload())
}

/// The functions of a model, and the names in use while calls are replaced by their bodies.
pub struct Inliner<'a> {
    functions: BTreeMap<Key<'a>, &'a FunctionProto>,
    opsets: Opsets,
    /// Opsets of functions whose nodes mean something else under the model's.
    own: BTreeMap<Key<'a>, Arc<Opsets>>,
    /// Opsets that inlined bodies need and the model does not import.
    added: Opsets,
}

impl<'a> Inliner<'a> {
    /// Checks the functions of a model. Gathers all faults of functions.
    pub fn new(model: &'a ModelProto, opsets: &Opsets) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut functions = BTreeMap::new();
        for f in &model.functions {
            if functions.insert(function_key(f), f).is_some() {
                problems.push(problem(f, ProblemKind::DefinedTwice { name: f.name().to_owned() }));
            }
        }
        if problems.is_empty() {
            problems = nesting_faults(model);
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let other = functions.iter().filter(|(_, f)| !same_meaning(f, opsets, &functions));
        let own = other
            .map(|(key, f)| {
                let mut all = opsets.clone();
                all.extend(f.opset_import.iter().map(|o| (canonical_domain(o.domain()).to_owned(), o.version())));
                (*key, Arc::new(all))
            })
            .collect();
        Ok(Self { functions, opsets: opsets.clone(), own, added: BTreeMap::new() })
    }

    /// Whether there is nothing to inline.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Inlines every function call among `nodes`, which are at `index` of the file (None: at their own position) and mean
    /// what they say under `opsets`. `names` are those in use.
    pub fn inline(
        &mut self,
        nodes: Vec<NodeProto>,
        index: Option<usize>,
        opsets: Option<&Arc<Opsets>>,
        names: &mut BTreeSet<String>,
    ) -> Result<Inlined, Vec<Problem>> {
        if self.is_empty() && nodes.len() <= MAX_NODES {
            let (count, list) = (nodes.len(), Arc::new(nodes));
            let flat = |at| FlatNode {
                proto: NodeRef { list: list.clone(), at },
                index: index.unwrap_or(at),
                opsets: opsets.cloned(),
            };
            return Ok(Inlined { nodes: (0..count).map(flat).collect(), calls: Vec::new() });
        }
        let mut run = Run { inliner: self, names, out: Inlined { nodes: Vec::new(), calls: Vec::new() } };
        for (i, node) in nodes.into_iter().enumerate() {
            let index = index.unwrap_or(i);
            let at = place(&node, index);
            let fault = |kind| vec![Problem { node: Some(at), field: String::new(), kind }];
            run.node(node, index, opsets.cloned()).map_err(fault)?;
        }
        Ok(run.out)
    }

    /// The opset of a domain that only functions import.
    pub fn added_opset(&self, domain: &str) -> Option<i64> {
        self.added.get(domain).copied()
    }

    /// Opsets that inlined bodies need and the model does not import.
    pub fn added(&self) -> &Opsets {
        &self.added
    }

    /// As [`Inliner::added`], for a model.
    pub fn added_opsets(&self) -> Vec<OperatorSetIdProto> {
        let added = self.added.iter();
        added.map(|(d, v)| OperatorSetIdProto { domain: Some(d.clone()), version: Some(*v) }).collect()
    }
}

/// The functions that `nodes` (with the bodies inside them) still call, directly or through each other.
pub fn needed_functions<'a>(model: &'a ModelProto, nodes: impl Iterator<Item = &'a NodeProto>) -> Vec<FunctionProto> {
    if model.functions.is_empty() {
        return Vec::new();
    }
    let functions: BTreeMap<Key<'_>, &FunctionProto> = model.functions.iter().map(|f| (function_key(f), f)).collect();
    let mut needed = BTreeSet::new();
    let mut todo: Vec<&FunctionProto> = Vec::new();
    for node in nodes {
        walk(node, &mut |n| todo.extend(functions.get(&call_key(n))));
    }
    while let Some(f) = todo.pop() {
        if needed.insert(function_key(f)) {
            for node in &f.node {
                walk(node, &mut |n| todo.extend(functions.get(&call_key(n))));
            }
        }
    }
    model.functions.iter().filter(|f| needed.contains(&function_key(f))).cloned().collect()
}

fn problem(f: &FunctionProto, kind: ProblemKind) -> Problem {
    Problem { node: None, field: format!("function {}", f.name()), kind }
}

/// Calls `see` on `node` and on every node in its subgraphs.
pub fn walk<'a>(node: &'a NodeProto, see: &mut dyn FnMut(&'a NodeProto)) {
    see(node);
    for graph in subgraphs(node) {
        for inner in &graph.node {
            walk(inner, see);
        }
    }
}

/// The graphs in a node's attributes, in order.
pub fn subgraphs(node: &NodeProto) -> impl Iterator<Item = &GraphProto> {
    node.attribute.iter().flat_map(|a| a.g.as_deref().into_iter().chain(&a.graphs))
}

/// Functions that call themselves (or one that does), and functions nested too deeply: callees are settled before their
/// callers, and what never settles waits for itself.
fn nesting_faults(model: &ModelProto) -> Vec<Problem> {
    let position: BTreeMap<Key<'_>, usize> =
        model.functions.iter().enumerate().map(|(i, f)| (function_key(f), i)).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); model.functions.len()];
    let mut waits = vec![0usize; model.functions.len()];
    for (i, f) in model.functions.iter().enumerate() {
        let mut callees: BTreeSet<usize> = BTreeSet::new();
        for node in &f.node {
            walk(node, &mut |n| callees.extend(position.get(&call_key(n))));
        }
        waits[i] = callees.len();
        for callee in callees {
            callers[callee].push(i);
        }
    }
    let mut depth = vec![1usize; model.functions.len()];
    let mut settled: Vec<usize> = (0..waits.len()).filter(|i| waits[*i] == 0).collect();
    while let Some(i) = settled.pop() {
        for &caller in &callers[i] {
            depth[caller] = depth[caller].max(depth[i] + 1);
            waits[caller] -= 1;
            if waits[caller] == 0 {
                settled.push(caller);
            }
        }
    }
    let fault = |i: usize| {
        let f = &model.functions[i];
        if waits[i] > 0 {
            Some(problem(f, ProblemKind::RecursiveFunction { name: f.name().to_owned() }))
        } else {
            (depth[i] == MAX_DEPTH + 1)
                .then(|| problem(f, ProblemKind::TooLarge { shape: format!("a nest of over {MAX_DEPTH} functions") }))
        }
    };
    (0..model.functions.len()).filter_map(fault).collect()
}

/// Every operator of the body means the same under the function's opsets and the model's.
fn same_meaning(f: &FunctionProto, model: &Opsets, functions: &BTreeMap<Key<'_>, &FunctionProto>) -> bool {
    let own: BTreeMap<&str, i64> = f.opset_import.iter().map(|o| (canonical_domain(o.domain()), o.version())).collect();
    let mut same = true;
    for node in &f.node {
        walk(node, &mut |n| {
            let domain = canonical_domain(n.domain());
            if functions.contains_key(&call_key(n)) {
                return;
            }
            same &= match (own.get(domain), model.get(domain)) {
                (Some(a), Some(b)) if a != b => {
                    domain.is_empty() && {
                        let since = |opset| schema::lookup(n.op_type(), opset).map(|s| s.since);
                        since(*a) == since(*b)
                    }
                }
                (Some(_) | None, _) => true,
            };
        });
    }
    same
}

/// Every name of a graph and of the bodies in it.
pub(crate) fn all_names(graph: &GraphProto, nodes: &[NodeProto]) -> BTreeSet<String> {
    fn gather(graph: &GraphProto, nodes: &[NodeProto], names: &mut BTreeSet<String>) {
        let infos = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
        names.extend(infos.map(|v| v.name().to_owned()));
        names.extend(graph.initializer.iter().map(|t| t.name().to_owned()));
        for node in nodes {
            names.extend(node.input.iter().chain(&node.output).cloned());
            for body in subgraphs(node) {
                gather(body, &body.node, names);
            }
        }
    }
    let mut names = BTreeSet::new();
    gather(graph, nodes, &mut names);
    names
}

/// One list of nodes being inlined.
struct Run<'r, 'a> {
    inliner: &'r mut Inliner<'a>,
    names: &'r mut BTreeSet<String>,
    out: Inlined,
}

impl Run<'_, '_> {
    fn node(&mut self, node: NodeProto, index: usize, opsets: Option<Arc<Opsets>>) -> Result<(), ProblemKind> {
        if self.out.nodes.len() >= MAX_NODES {
            return Err(ProblemKind::TooLarge { shape: format!("a graph of over {MAX_NODES} inlined nodes") });
        }
        let key = call_key(&node);
        let Some((&key, &function)) = self.inliner.functions.get_key_value(&key) else {
            self.out.nodes.push(FlatNode { proto: NodeRef::from(node), index, opsets });
            return Ok(());
        };
        for opset in &function.opset_import {
            let domain = canonical_domain(opset.domain());
            if !self.inliner.opsets.contains_key(domain) && !self.inliner.functions.keys().any(|k| k.0 == domain) {
                self.inliner.added.insert(domain.to_owned(), opset.version());
            }
        }
        if node.input.len() > function.input.len() {
            return Err(ProblemKind::Count { got: node.input.len(), min: 0, max: function.input.len() });
        }
        if node.output.len() > function.output.len() {
            return Err(ProblemKind::Count { got: node.output.len(), min: 0, max: function.output.len() });
        }
        let own = self.inliner.own.get(&key).cloned();
        if own.is_some() && opsets.is_none() {
            self.out.calls.push(FlatNode::new(node.clone(), index));
        }
        // Inside a function of other opsets, one of the model's means the model's.
        let inner_opsets = own.or_else(|| opsets.is_some().then(|| Arc::new(self.inliner.opsets.clone())));
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for (i, formal) in function.input.iter().enumerate() {
            names.insert(formal.clone(), node.input.get(i).cloned().unwrap_or_default());
        }
        let stem = node.output.iter().find(|n| !n.is_empty()).cloned().unwrap_or_else(|| node.name().to_owned());
        let mut echoes = Vec::new();
        for (i, formal) in function.output.iter().enumerate() {
            let Some(actual) = node.output.get(i).filter(|n| !n.is_empty()) else { continue };
            match names.get(formal) {
                Some(source) => echoes.push((source.clone(), actual.clone())),
                None => drop(names.insert(formal.clone(), actual.clone())),
            }
        }
        let given: BTreeMap<&str, &AttributeProto> =
            function.attribute_proto.iter().chain(&node.attribute).map(|a| (a.name(), a)).collect();
        for (i, body) in function.node.iter().enumerate() {
            let mut inner = body.clone();
            let part = if body.name().is_empty() { format!("{}_{i}", body.op_type()) } else { body.name().to_owned() };
            let call = if node.name().is_empty() { &stem } else { node.name() };
            inner.name = Some(format!("{call}/{part}"));
            let mut scope = Scope { names: &mut names, used: &mut *self.names, stem: &stem };
            scope.rename(&mut inner, &given);
            self.node(inner, index, inner_opsets.clone())?;
        }
        for (source, target) in echoes {
            let proto = NodeProto {
                input: vec![source],
                output: vec![target],
                op_type: Some("Identity".to_owned()),
                ..NodeProto::default()
            };
            self.out.nodes.push(FlatNode::new(proto, index));
        }
        Ok(())
    }
}

struct Scope<'a> {
    names: &'a mut BTreeMap<String, String>,
    used: &'a mut BTreeSet<String>,
    stem: &'a str,
}

impl Scope<'_> {
    fn fresh(&mut self, name: &str) -> String {
        if name.is_empty() {
            return String::new();
        }
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let mut new = format!("{}/{name}", self.stem);
        let mut n = 1;
        while self.used.contains(&new) {
            n += 1;
            new = format!("{}/{name}_{n}", self.stem);
        }
        self.used.insert(new.clone());
        self.names.insert(name.to_owned(), new.clone());
        new
    }

    fn rename(&mut self, node: &mut NodeProto, given: &BTreeMap<&str, &AttributeProto>) {
        for name in node.input.iter_mut().chain(&mut node.output) {
            *name = self.fresh(name);
        }
        node.attribute.retain_mut(|attribute| {
            if attribute.ref_attr_name().is_empty() {
                return true;
            }
            let Some(value) = given.get(attribute.ref_attr_name()) else { return false };
            let name = attribute.name.take();
            *attribute = AttributeProto { name, ..(*value).clone() };
            true
        });
        for attribute in &mut node.attribute {
            for graph in attribute.g.as_deref_mut().into_iter().chain(&mut attribute.graphs) {
                self.rename_graph(graph, given);
            }
        }
    }

    fn rename_graph(&mut self, graph: &mut GraphProto, given: &BTreeMap<&str, &AttributeProto>) {
        let infos = graph.input.iter_mut().chain(&mut graph.output).chain(&mut graph.value_info);
        for info in infos {
            info.name = Some(self.fresh(info.name()));
        }
        let sparse = graph.sparse_initializer.iter_mut().filter_map(|s| s.values.as_mut());
        for tensor in graph.initializer.iter_mut().chain(sparse) {
            tensor.name = Some(self.fresh(tensor.name()));
        }
        for node in &mut graph.node {
            self.rename(node, given);
        }
    }
}
