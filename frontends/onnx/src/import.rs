//! A decoded model into a graph of the structural kinds, node by node.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egret_ir::op::Op;
use egret_ir::{ByName, Graph, Origin, Origins, Symbol, Type, ValueId};
use foldhash::{HashMap, HashMapExt as _};

use crate::containers::{Contained, Item};
use crate::error::{Problem, ProblemKind};
pub use crate::imported::{Imported, Initializer, NamedValues, OpaqueReason, Operands, ReadOptions, Site, SiteKind};
use crate::inline::{self, FlatNode, Inliner, canonical_domain, subgraphs, walk};
use crate::known::{self, Known};
use crate::lower::{Fail, Lower};
use crate::proto::{GraphProto, ModelProto, TensorProto, TypeProto};
use crate::scope::{Outer, Shared};
use crate::validate;
use crate::{lenient, opaque, ops, structure};

/// Imports a decoded model. Gathers all faults that do not hide each other.
pub fn import(mut model: ModelProto, options: &ReadOptions) -> Result<Imported, Vec<Problem>> {
    let mut opsets = validate::head(&model)?;
    let mut graph = model.graph.take().unwrap_or_default();
    let nodes = std::mem::take(&mut graph.node);
    let mut inliner = Inliner::new(&model, &opsets)?;
    // Only functions and bodies bring nodes that need names of their own.
    let plain = model.functions.is_empty() && nodes.iter().all(|n| subgraphs(n).next().is_none());
    let mut names = if plain { BTreeSet::new() } else { inline::all_names(&graph, &nodes) };
    let inlined = inliner.inline(nodes, None, None, &mut names)?;
    let mut warnings = lenient::repeated_names(&inlined.nodes);
    let assumed = lenient::assumed_opset(&opsets, &inlined.nodes);
    if let Some(opset) = &assumed {
        opsets.insert(opset.domain().to_owned(), opset.version());
        warnings.push(lenient::assumed(opset));
    }
    let order = structure::order(&graph, &inlined.nodes, &|_| false)?;
    warnings.extend(lenient::unsorted(&inlined.nodes, &order.order));
    let mut count = inlined.nodes.len();
    if !plain {
        count = 0;
        for node in &inlined.nodes {
            walk(&node.proto, &mut |_| count += 1);
        }
    }
    // A bound found on the way may decide what was open before. Bounds only ever fall; a few rounds are enough for real
    // models, and what is still open after them stays opaque.
    let mut round = 0;
    let mut shared = Shared::new(&model, &opsets, inliner, names);
    shared.operators = options.operators;
    let (parts, positions) = loop {
        let bounds = shared.bounds.clone();
        shared.restart();
        let mut importer = Importer::new(&mut shared, &graph);
        importer.checks = true;
        importer.bind(&graph, options);
        importer.sources(&graph, model.ir_version());
        if importer.problems.is_empty() {
            importer.nodes(&inlined.nodes, &order);
            importer.calls(&inlined.calls);
            importer.outputs(&graph);
        } else {
            let faults = inlined.nodes.iter().flat_map(|n| importer.shared.faults(n));
            importer.problems.extend(faults);
        }
        if !importer.problems.is_empty() {
            return Err(importer.problems);
        }
        round += 1;
        if importer.shared.bounds == bounds || round > MAX_ROUNDS {
            break importer.finish();
        }
    };
    let added = shared.inliner.added_opsets();
    let calls = inlined.nodes.iter().chain(&inlined.calls);
    let needed = inline::needed_functions(&model, calls.map(|n| &*n.proto));
    model.functions.clear();
    model.opset_import.extend(added.into_iter().chain(assumed));
    let value = |name: &str| parts.values.get(name).copied();
    warnings.extend(lenient::misdeclared(&graph, &parts.graph, &value));
    let mut protos: Vec<Option<TensorProto>> = std::mem::take(&mut graph.initializer).into_iter().map(Some).collect();
    let mut initializers = ByName::with_capacity_and_hasher(positions.len(), foldhash::fast::RandomState::default());
    for (name, value, at) in positions {
        if let Some(proto) = protos[at].take() {
            initializers.insert(name, Initializer { value, proto });
        }
    }
    model.graph = Some(graph);
    Ok(Imported { model, initializers, functions: needed, nodes: count, warnings, ..parts })
}

/// An unbound extent is at most this, so that a slice to 10⁹ goes to the end.
pub const MAX_EXTENT: i64 = 1_000_000_000;

/// How often reading starts over with better bounds of extents, at most.
const MAX_ROUNDS: usize = 8;

/// Operators that a node becomes, about: room for them is made before, for so many nodes at most.
const OPERATORS: usize = 3;
const ROOM: usize = 1 << 15;

/// One graph being read: the model's own, or a body.
pub(crate) struct Importer<'s, 'a, 'g> {
    pub shared: &'s mut Shared<'a>,
    pub graph: Graph,
    pub known: BTreeMap<ValueId, Known>,
    /// The values of extents that only data decides.
    pub witnesses: BTreeMap<Symbol, ValueId>,
    /// Sequences and optionals whose parts are known, by the value of foreign type that stands for them.
    pub items: BTreeMap<ValueId, Item<ValueId>>,
    /// Values of the graph around that may be captured, by name.
    pub outer: BTreeMap<String, Outer>,
    /// Captured values: the input here, the value in the graph around.
    pub captures: Vec<(ValueId, ValueId)>,
    /// Constants of bodies, and of the graph around one.
    pub captured_constants: ByName<ValueId>,
    pub values: ByName<ValueId>,
    /// Names whose node was faulty: what depends on them is not looked at.
    pub lost: BTreeSet<String>,
    /// Names that nodes of this graph define, now or later.
    pub reserved: BTreeSet<String>,
    /// Types that the graph declares.
    infos: HashMap<&'g str, &'g TypeProto>,
    /// Types that bodies put into this graph declare.
    inlined_infos: HashMap<String, TypeProto>,
    pub bound: BTreeMap<Symbol, i64>,
    pub frozen: Vec<(String, egret_ir::Tensor)>,
    /// Bounds that the caller states.
    pub ranges: BTreeMap<Symbol, (i64, i64)>,
    pub by_place: BTreeMap<String, Vec<i64>>,
    /// Values of the model's own initializers, and their positions in its list.
    pub initializers: Vec<(Arc<str>, ValueId, usize)>,
    pub sites: Vec<Site>,
    /// Whether nodes are held against the signatures of their operators: those of bodies have been, with the node that the
    /// body belongs to.
    pub checks: bool,
    /// What was read of each body of the graph.
    pub bodies: Vec<Imported>,
    pub opaque_reasons: Vec<OpaqueReason>,
    pub problems: Vec<Problem>,
}

/// How a node came out.
pub(crate) enum Done {
    /// As values of its own.
    Node(Vec<ValueId>),
    /// As If or Loop, whose nodes are written anew.
    Control(Vec<ValueId>),
    /// As values of other nodes: it is gone.
    Gone(Vec<ValueId>),
    /// A fault inside it is reported already.
    Lost,
}

impl<'s, 'a, 'g> Importer<'s, 'a, 'g> {
    pub fn new(shared: &'s mut Shared<'a>, graph: &'g GraphProto) -> Self {
        let declared = graph.value_info.iter().chain(&graph.output);
        let declared = declared.filter_map(|v| Some((v.name(), v.r#type.as_ref()?)));
        Self {
            shared,
            graph: Graph::new(graph.name()),
            known: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            items: BTreeMap::new(),
            outer: BTreeMap::new(),
            captures: Vec::new(),
            captured_constants: ByName::default(),
            values: ByName::default(),
            lost: BTreeSet::new(),
            reserved: BTreeSet::new(),
            infos: declared.collect(),
            inlined_infos: HashMap::new(),
            bound: BTreeMap::new(),
            frozen: Vec::new(),
            ranges: BTreeMap::new(),
            by_place: BTreeMap::new(),
            initializers: Vec::new(),
            sites: Vec::new(),
            checks: false,
            bodies: Vec::new(),
            opaque_reasons: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The type that the file declares for a value.
    pub fn declared(&self, name: &str) -> Option<&TypeProto> {
        self.infos.get(name).copied().or_else(|| self.inlined_infos.get(name))
    }

    /// Takes the types that a body declares for its values.
    pub fn declarations(&mut self, graph: &GraphProto) {
        let declared = graph.value_info.iter().chain(&graph.output);
        self.inlined_infos.extend(declared.filter_map(|v| Some((v.name().to_owned(), v.r#type.clone()?))));
    }

    pub fn fault(&mut self, field: String, kind: ProblemKind) {
        self.problems.push(Problem { node: None, field, kind });
    }

    // ---- nodes ----

    pub fn nodes(&mut self, nodes: &[FlatNode], order: &structure::Order) {
        self.sites.reserve(nodes.len());
        self.values.reserve(nodes.len());
        self.graph.reserve(OPERATORS * nodes.len().min(ROOM));
        // Only bodies put into this graph could take such a name.
        if nodes.iter().any(|n| subgraphs(&n.proto).next().is_some()) {
            self.reserved.extend(nodes.iter().flat_map(|n| n.proto.output.iter().cloned()));
        }
        for &i in &order.order {
            self.node(&nodes[i], &order.captures[i]);
        }
    }

    fn node(&mut self, flat: &FlatNode, captured: &[String]) {
        let proto = &flat.proto;
        if self.checks {
            let faults = self.shared.faults(flat);
            if !faults.is_empty() {
                return self.lose(flat, faults);
            }
        }
        if proto.input.iter().chain(captured).any(|name| self.lost.contains(name)) {
            return self.lose(flat, Vec::new());
        }
        if !self.shared.spend() {
            let kind = ProblemKind::TooLarge { shape: "the nodes of all bodies, repeated".to_owned() };
            return self.lose(flat, vec![Problem { node: Some(flat.place()), field: String::new(), kind }]);
        }
        let inputs: Operands = proto.input.iter().map(|name| self.value(name)).collect();
        let domain = canonical_domain(proto.domain());
        let opset = self.opset(flat, domain);
        if domain.is_empty() {
            let faults = validate::dtype_faults(flat, opset, &inputs, &self.graph);
            if !faults.is_empty() {
                return self.lose(flat, faults);
            }
        }
        let mut item = None;
        let done = match (domain, proto.op_type()) {
            ("", "If") => self.branch(flat, &inputs, captured),
            ("", "Loop") => self.repeat(flat, &inputs, captured),
            ("", "Scan") => self.scan(flat, opset, &inputs, captured),
            ("", "SequenceMap") => self.sequence_map(flat, &inputs, captured),
            ("", _) => match self.container(flat, &inputs) {
                Ok(Contained::Value(v)) => Ok(Done::Node(vec![v])),
                Ok(Contained::Item(parts)) => {
                    item = Some(parts);
                    Err(Fail::Opaque(format!("operator {}", proto.op_type())))
                }
                Ok(Contained::Unknown) => self.lower(flat, opset, &inputs).map(Done::Node),
                Err(fail) => Err(fail),
            },
            _ => self.lower(flat, opset, &inputs).map(Done::Node),
        };
        self.pair_bodies();
        match done {
            Ok(Done::Node(results)) => {
                let captures = self.captured(captured);
                self.define(flat, inputs, captures, &results, Self::kind(flat));
            }
            Ok(Done::Control(results)) => {
                // Captures that are not in the graph yet are none.
                let names = captured.iter().filter_map(|n| Some((*self.values.get(n.as_str())?, n.as_str().into())));
                let captures = names.collect();
                self.define(flat, inputs, captures, &results, SiteKind::Control);
            }
            Ok(Done::Gone(results)) => {
                for (name, v) in proto.output.iter().zip(results).filter(|(name, _)| !name.is_empty()) {
                    self.values.insert(name.as_str().into(), v);
                }
            }
            Ok(Done::Lost) => self.lose(flat, Vec::new()),
            Err(Fail::Bad(field, kind)) => {
                self.lose(flat, vec![Problem { node: Some(flat.place()), field, kind }]);
            }
            Err(fail) => {
                let (reason, mut types) = match fail {
                    Fail::OpaqueTyped(reason, types) => (reason, types),
                    Fail::Opaque(reason) | Fail::Bad(reason, _) => (reason, Vec::new()),
                };
                if types.len() != proto.output.len() {
                    let args: Vec<Option<Type>> = inputs.iter().map(|v| v.map(|v| self.graph.ty(v).clone())).collect();
                    let (own, inlined) = (&self.infos, &self.inlined_infos);
                    let declared = |name: &str| own.get(name).copied().or_else(|| inlined.get(name)).cloned();
                    types = opaque::result_types(&mut self.graph, proto, opset, &args, &declared);
                }
                let captures = self.captured(captured);
                self.make_opaque(flat, inputs, captures, types, reason);
                if let (Some(item), Some(v)) = (item, proto.output.first().and_then(|n| self.values.get(n.as_str()))) {
                    self.items.insert(*v, item);
                }
            }
        }
    }

    /// The opset of a domain under which a node means what it says.
    pub fn opset(&self, flat: &FlatNode, domain: &str) -> i64 {
        let own = flat.opsets.as_deref().unwrap_or(self.shared.opsets);
        validate::opset(own, domain).unwrap_or_else(|| self.shared.inliner.added_opset(domain).unwrap_or(1))
    }

    /// Bodies that rows have made: beside each its graph alone.
    pub fn pair_bodies(&mut self) {
        for graph in &self.graph.tables.bodies[self.bodies.len()..] {
            self.bodies.push(Imported::of_body(graph));
        }
    }

    fn kind(flat: &FlatNode) -> SiteKind {
        if flat.opsets.is_some() { SiteKind::OtherOpset } else { SiteKind::Plain }
    }

    /// Remembers calls whose nodes cannot be written back under the model's opsets.
    pub fn calls(&mut self, calls: &[FlatNode]) {
        for flat in calls {
            let inputs = flat.proto.input.iter().map(|name| self.value(name)).collect();
            let named = flat.proto.output.iter().filter(|name| !name.is_empty());
            let outputs: Option<NamedValues> = named.map(|n| Some((self.value(n)?, n.as_str().into()))).collect();
            if let Some(outputs) = outputs {
                let (node, index) = (flat.proto.clone(), flat.index);
                let kind = SiteKind::Call;
                self.sites.push(Site { node, index, inputs, outputs, captures: NamedValues::new(), kind });
            }
        }
    }

    fn captured(&mut self, names: &[String]) -> NamedValues {
        names.iter().filter_map(|name| Some((self.value(name)?, name.as_str().into()))).collect()
    }

    /// What a lowering function works with, for one node.
    pub fn lowering<'x>(&'x mut self, flat: &'x FlatNode, opset: i64, inputs: &'x [Option<ValueId>]) -> Lower<'x> {
        let proto = &flat.proto;
        let name = if proto.name().is_empty() { proto.output.first().map_or("", String::as_str) } else { proto.name() };
        let origin =
            Origin::Onnx { index: flat.index as u32, op: self.shared.kind(proto.op_type()), name: name.into() };
        Lower {
            graph: &mut self.graph,
            known: &mut self.known,
            bounds: &mut self.shared.bounds,
            witnesses: &mut self.witnesses,
            node: proto,
            opset,
            inputs,
            origins: Origins::one(origin),
        }
    }

    fn lower(&mut self, flat: &FlatNode, opset: i64, inputs: &[Option<ValueId>]) -> Result<Vec<ValueId>, Fail> {
        let proto = &flat.proto;
        let domain = canonical_domain(proto.domain());
        if !ops::knows(domain) {
            if let Some(op) = self.shared.operators.find(proto) {
                return op.read(&mut self.lowering(flat, opset, inputs));
            }
            return Err(Fail::Opaque(format!("operators of domain {domain}")));
        }
        let mut lower = self.lowering(flat, opset, inputs);
        if let Some(known) = domain.is_empty().then(|| known::evaluate(&mut lower)).flatten() {
            // What cannot be put into the graph that way is lowered as it is, and stays known beside it.
            if let Ok(v) = known.materialize(&mut lower) {
                self.known.insert(v, known);
                return Ok(vec![v]);
            }
        }
        let Some(row) = ops::find(domain, proto.op_type(), opset) else {
            return Err(Fail::Opaque(format!("operator {}", proto.op_type())));
        };
        if domain == ops::MICROSOFT {
            ops::refuse_unknown_parts(&lower)?;
        }
        (row.lower)(&mut lower)
    }

    fn lose(&mut self, flat: &FlatNode, faults: Vec<Problem>) {
        self.problems.extend(faults);
        self.lost.extend(flat.proto.output.iter().filter(|n| !n.is_empty()).cloned());
    }

    pub fn make_opaque(
        &mut self,
        flat: &FlatNode,
        inputs: Operands,
        captures: NamedValues,
        types: Vec<Type>,
        reason: String,
    ) {
        let mut definition = opaque::definition(&flat.proto, types, self.sites.len() as u32, self.shared.operators);
        if flat.opsets.is_some() {
            // What it means is not in its payload.
            definition.site = Some(self.sites.len() as u32);
        }
        let parts = definition.results.len() as u32;
        let id = self.graph.tables.opaque(definition);
        let args: Vec<ValueId> = inputs.iter().copied().flatten().chain(captures.iter().map(|(v, _)| *v)).collect();
        let place = flat.place();
        let name =
            if place.name.is_empty() { flat.proto.output.first().map_or("", String::as_str) } else { &place.name };
        let origins =
            Origins::one(Origin::Onnx { index: flat.index as u32, op: place.op.as_str().into(), name: name.into() });
        let added = self.graph.add(Op::Opaque(id), &args, origins.clone()).and_then(|tuple| {
            (0..parts).map(|i| self.graph.add(Op::Proj(i), &[tuple], origins.clone())).collect::<Result<Vec<_>, _>>()
        });
        match added {
            Ok(results) => {
                self.opaque_reasons.push(OpaqueReason { node: place, reason, site: self.sites.len() });
                self.define(flat, inputs, captures, &results, Self::kind(flat));
            }
            Err(e) => {
                let kind = ProblemKind::IllTyped { report: e.to_string() };
                self.lose(flat, vec![Problem { node: Some(place), field: "outputs".to_owned(), kind }]);
            }
        }
    }

    fn define(
        &mut self,
        flat: &FlatNode,
        inputs: Operands,
        captures: NamedValues,
        results: &[ValueId],
        kind: SiteKind,
    ) {
        let mut outputs = NamedValues::new();
        for (i, name) in flat.proto.output.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let Some(v) = results.get(i) else {
                let kind = ProblemKind::Count { got: flat.proto.output.len(), min: 1, max: results.len() };
                return self.lose(flat, vec![Problem { node: Some(flat.place()), field: "outputs".to_owned(), kind }]);
            };
            let name: Arc<str> = name.as_str().into();
            self.values.insert(name.clone(), *v);
            outputs.push((*v, name));
        }
        let node = flat.proto.clone();
        self.sites.push(Site { node, index: flat.index, inputs, outputs, captures, kind });
    }

    /// What was read. Operators that nothing needs any more are not among those that stay as they came.
    fn finish(self) -> (Imported, Vec<(Arc<str>, ValueId, usize)>) {
        let live = if self.opaque_reasons.is_empty() { Vec::new() } else { self.graph.live() };
        let alive = |r: &OpaqueReason| self.sites[r.site].outputs.iter().any(|(v, _)| live[v.index()]);
        let opaque_reasons = self.opaque_reasons.into_iter().filter(alive).collect();
        let parts = Imported {
            graph: self.graph,
            sites: self.sites,
            values: self.values,
            captured_constants: self.captured_constants,
            bodies: self.bodies,
            opaque_reasons,
            bound: self.bound,
            frozen: self.frozen,
            ..Imported::default()
        };
        (parts, self.initializers)
    }

    pub fn outputs(&mut self, graph: &GraphProto) {
        for output in &graph.output {
            if let Some(v) = self.value(output.name()) {
                self.graph.output(output.name(), v);
            } else if !self.lost.contains(output.name()) {
                self.fault(
                    format!("output {}", output.name()),
                    ProblemKind::Undefined { name: output.name().to_owned() },
                );
            }
        }
    }
}
