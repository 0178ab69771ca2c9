//! Graphs inside graphs: what a body sees of the graph around it, and how it becomes a closed graph.
//!
//! A body is read as a graph of its own. A name that it does not define is looked up outside: a constant is repeated in
//! the body (its bytes are shared), anything else becomes an input of the body, a *capture*. When the body is read,
//! captures that no result needs are dropped with all that depends on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egret_ir::dim::Backing;
use egret_ir::op::{Const, Op};
use egret_ir::{ByName, DType, Dim, Graph, Literal, Origin, Origins, Symbol, Tensor, Type, ValueId};
use foldhash::{HashMap, HashMapExt as _};

use crate::containers::Item;
use crate::error::Problem;
use crate::foreign::ForeignOps;
use crate::import::Importer;
use crate::imported::{Imported, NamedValues, OpaqueReason, Site};
use crate::inline::{FlatNode, Inlined, Inliner, canonical_domain};
use crate::known::{Elem, Known};
use crate::proto::{GraphProto, ModelProto, NodeProto, ValueInfoProto};
use crate::structure;
use crate::validate::{self, Opsets};

/// At most so many nodes are lowered in all, repetitions counted: nested loops could multiply them at every level.
const MAX_LOWERED: usize = 1 << 19;

/// What all graphs of a model share while it is read.
pub(crate) struct Shared<'a> {
    pub inliner: Inliner<'a>,
    pub opsets: &'a Opsets,
    /// With those of inlined functions, for signatures.
    signatures: Opsets,
    /// Domains and names of the model's functions.
    functions: BTreeSet<(&'a str, &'a str)>,
    /// Operators that the program adds.
    pub operators: ForeignOps,
    /// Upper bounds of symbols that the model needs to run at all.
    pub bounds: BTreeMap<Symbol, i64>,
    /// Names in use anywhere in the model, and those given on the way.
    pub names: BTreeSet<String>,
    given: Vec<String>,
    /// Names of operators, each once.
    kinds: HashMap<String, Arc<str>>,
    left: usize,
}

impl<'a> Shared<'a> {
    pub fn new(model: &'a ModelProto, opsets: &'a Opsets, inliner: Inliner<'a>, names: BTreeSet<String>) -> Self {
        let operators = ForeignOps::default();
        let functions = model.functions.iter().map(|f| (canonical_domain(f.domain()), f.name())).collect();
        let mut signatures = opsets.clone();
        signatures.extend(inliner.added().clone());
        let (bounds, given, kinds) = (BTreeMap::new(), Vec::new(), HashMap::new());
        Self { inliner, opsets, signatures, functions, operators, bounds, names, given, kinds, left: MAX_LOWERED }
    }

    /// Reading starts over.
    pub fn restart(&mut self) {
        for name in self.given.drain(..) {
            self.names.remove(&name);
        }
        self.left = MAX_LOWERED;
    }

    /// The nodes of a body that belongs to a node, calls in it inlined.
    pub fn flatten(&mut self, flat: &FlatNode, nodes: &[NodeProto]) -> Result<Inlined, Vec<Problem>> {
        let plain = |n: &NodeProto| FlatNode { opsets: flat.opsets.clone(), ..FlatNode::new(n.clone(), flat.index) };
        if self.inliner.is_empty() {
            return Ok(Inlined { nodes: nodes.iter().map(plain).collect(), calls: Vec::new() });
        }
        let before = self.names.clone();
        let inlined = self.inliner.inline(nodes.to_vec(), Some(flat.index), flat.opsets.as_ref(), &mut self.names)?;
        self.given.extend(self.names.difference(&before).cloned());
        self.signatures.extend(self.inliner.added().clone());
        let faults: Vec<Problem> = inlined.nodes.iter().flat_map(|n| self.faults(n)).collect();
        if faults.is_empty() { Ok(inlined) } else { Err(faults) }
    }

    /// Faults of a node and of the bodies in it that need no types.
    pub fn faults(&self, flat: &FlatNode) -> Vec<Problem> {
        validate::check_node(flat, flat.opsets.as_deref().unwrap_or(&self.signatures), &self.functions)
    }

    /// The name of an operator, as origins share it.
    pub fn kind(&mut self, op_type: &str) -> Arc<str> {
        if let Some(known) = self.kinds.get(op_type) {
            return known.clone();
        }
        self.kinds.entry(op_type.to_owned()).or_insert_with(|| op_type.into()).clone()
    }

    /// Counts one more node; false where there are too many.
    pub fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// A name that nothing has, from a wish.
    pub fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut n = 1;
        while !self.names.insert(name.clone()) {
            n += 1;
            name = format!("{wish}_{n}");
        }
        self.given.push(name.clone());
        name
    }
}

/// A value of the graph around a body.
#[derive(Clone, Debug)]
pub(crate) struct Outer {
    value: ValueId,
    ty: Type,
    constant: Option<Tensor>,
    known: Option<Known>,
    item: Option<Item<Box<Outer>>>,
    /// What gives the data-backed symbols that the type and the known elements mention their values.
    witnesses: Vec<(Symbol, Outer)>,
}

/// How a body gets one of its formal inputs.
pub(crate) enum Formal {
    /// As an input of the closed graph.
    Input(Type),
    /// As the iteration number, which is below the bound if there is one, in that shape.
    Iteration(Option<i64>, Vec<Dim>),
    /// As a truth value known now, in that shape.
    True(Vec<Dim>),
    /// As an iteration number that the body in the file does not take.
    Unnamed,
    /// As the same value in every iteration.
    Outer(Outer),
}

/// A body that was read, before its captures are settled.
pub(crate) struct Draft {
    pub graph: Graph,
    pub known: BTreeMap<ValueId, Known>,
    /// Inputs of the closed graph that are no captures.
    formals: Vec<ValueId>,
    /// The values of the formal inputs of the file, where they are in the graph.
    pub given: Vec<Option<ValueId>>,
    captures: Vec<(ValueId, ValueId)>,
    /// Results, by name.
    pub outputs: Vec<(Arc<str>, ValueId)>,
    sites: Vec<Site>,
    values: ByName<ValueId>,
    captured_constants: ByName<ValueId>,
    bodies: Vec<Imported>,
    opaque_reasons: Vec<OpaqueReason>,
    interface: GraphProto,
}

/// Why a body is none.
pub(crate) enum Faulty {
    /// It is wrong.
    Problems(Vec<Problem>),
    /// A part of it has no lowering.
    Opaque(String),
}

impl Importer<'_, '_, '_> {
    /// The value of a name, captured where it comes from outside.
    pub fn value(&mut self, name: &str) -> Option<ValueId> {
        if let Some(v) = self.values.get(name) {
            return Some(*v);
        }
        let outer = self.outer.get(name)?.clone();
        let v = self.capture(name, &outer);
        self.values.insert(name.into(), v);
        Some(v)
    }

    /// What a body may know of a value of this graph.
    pub fn outer_of(&mut self, flat: &FlatNode, v: ValueId) -> Outer {
        let constant = match &self.graph.node(v).op {
            Op::Const(Const::Scalar(l)) => Some(Tensor::scalar(*l)),
            Op::Const(Const::Dense(id)) => Some(self.graph.tables.tensor(*id).clone()),
            _ => None,
        };
        let known = self.known.get(&v).cloned();
        let item = self.items.get(&v).cloned().map(|item| item.map(&mut |v| Box::new(self.outer_of(flat, *v))));
        let ty = self.graph.ty(v).clone();
        let mut mentioned = BTreeSet::new();
        let dims = ty.as_tensor().into_iter().flat_map(|t| t.shape.iter());
        for d in dims.chain(known.iter().flat_map(|k| &k.elems).filter_map(|e| match e {
            Elem::Int(d) => Some(d),
            Elem::Float(_) | Elem::Bool(_) => None,
        })) {
            d.symbols(&mut |s| {
                if self.graph.tables.symbols.info(s).backing == Backing::Data {
                    mentioned.insert(s.clone());
                }
            });
        }
        let mut found: Vec<(ValueId, Symbol)> = Vec::new();
        for s in mentioned {
            if let Ok(v) = self.lowering(flat, 1, &[]).witness(&s) {
                found.push((v, s));
            }
        }
        // A witness is of rank 0, and mentions at most itself.
        let witnesses = found
            .into_iter()
            .map(|(v, s)| {
                let ty = self.graph.ty(v).clone();
                (s, Outer { value: v, ty, constant: None, known: None, item: None, witnesses: Vec::new() })
            })
            .collect();
        Outer { value: v, ty, constant, known, item, witnesses }
    }

    /// The named values that a body captures.
    pub fn outers(&mut self, flat: &FlatNode, names: &[String]) -> BTreeMap<String, Outer> {
        let values: Vec<(String, ValueId)> =
            names.iter().filter_map(|name| Some((name.clone(), self.value(name)?))).collect();
        values.into_iter().map(|(name, v)| (name, self.outer_of(flat, v))).collect()
    }

    fn capture(&mut self, name: &str, outer: &Outer) -> ValueId {
        if let Some(t) = &outer.constant {
            let v = self.graph.constant(t.clone());
            self.graph.set_origins(v, Origins::one(Origin::Value(name.into())));
            if let Op::Const(Const::Dense(id)) = self.graph.node(v).op {
                self.graph.tables.const_names.entry(id).or_insert_with(|| name.into());
            }
            self.captured_constants.insert(name.into(), v);
            return v;
        }
        if let Some((v, _)) = self.captures.iter().find(|(_, of)| *of == outer.value) {
            return *v;
        }
        let v = self.graph.input(name, outer.ty.clone());
        self.captures.push((v, outer.value));
        if let Some(known) = &outer.known {
            self.known.insert(v, known.clone());
        }
        for (symbol, witness) in &outer.witnesses {
            if !self.witnesses.contains_key(symbol) {
                let w = self.capture(&format!("{name}.{}", symbol.name()), witness);
                self.witnesses.insert(symbol.clone(), w);
            }
        }
        if let Some(item) = outer.item.clone() {
            let mut n = 0;
            let item = item.map(&mut |part: &_| {
                n += 1;
                self.capture(&format!("{name}.{n}"), part)
            });
            self.items.insert(v, item);
        }
        v
    }

    /// Reads a body. `formals` are its formal inputs in the file's order; the closed graph's own come first.
    pub fn body(
        &mut self,
        flat: &FlatNode,
        proto: &GraphProto,
        formals: Vec<Formal>,
        outer: &BTreeMap<String, Outer>,
    ) -> Result<Draft, Faulty> {
        let mut symbols = self.graph.tables.symbols.clone();
        for info in symbols.0.values_mut().filter(|info| info.backing == Backing::Input) {
            info.backing = Backing::Outer;
        }
        let mut child = Importer::new(&mut *self.shared, proto);
        child.graph.tables.symbols = symbols;
        child.outer.clone_from(outer);
        let mut inputs = Vec::new();
        let mut given = Vec::new();
        let mut names = proto.input.iter().map(ValueInfoProto::name);
        for formal in formals {
            if matches!(formal, Formal::Unnamed) {
                inputs.push(child.graph.input("iteration", Type::tensor(DType::I64, [])));
                continue;
            }
            let name = names.next().unwrap_or_default();
            if let Formal::Input(Type::Tensor(t)) = &formal {
                // Extents that change from one iteration to the next are the body's own.
                for d in &t.shape {
                    d.symbols(&mut |s| {
                        child.graph.tables.symbols.0.entry(s.clone()).or_default();
                    });
                }
            }
            if let Formal::Outer(outer) = formal {
                child.outer.insert(name.to_owned(), outer);
                given.push(None);
                continue;
            }
            let v = child.formal(flat, name, formal, &mut inputs).map_err(Faulty::Opaque)?;
            given.push(Some(v));
            if !name.is_empty() {
                child.values.insert(name.into(), v);
            }
        }
        child.constants(proto, false);
        let inlined = child.shared.flatten(flat, &proto.node).map_err(Faulty::Problems)?;
        let (nodes, own) = (&inlined.nodes, &child.outer);
        let order = structure::order(proto, nodes, &|name| own.contains_key(name)).map_err(Faulty::Problems)?;
        child.nodes(nodes, &order);
        child.calls(&inlined.calls);
        let mut outputs: Vec<(Arc<str>, ValueId)> = Vec::new();
        if child.problems.is_empty() {
            for output in &proto.output {
                match child.value(output.name()) {
                    Some(v) => outputs.push((output.name().into(), v)),
                    None => return Err(Faulty::Opaque(format!("no value {:?} in a body", output.name()))),
                }
            }
        }
        if !child.problems.is_empty() {
            return Err(Faulty::Problems(child.problems));
        }
        let interface = GraphProto {
            name: proto.name.clone(),
            input: proto.input.clone(),
            output: proto.output.clone(),
            ..Default::default()
        };
        Ok(Draft {
            graph: child.graph,
            known: child.known,
            formals: inputs,
            given,
            captures: child.captures,
            outputs,
            sites: child.sites,
            values: child.values,
            captured_constants: child.captured_constants,
            bodies: child.bodies,
            opaque_reasons: child.opaque_reasons,
            interface,
        })
    }

    fn formal(
        &mut self,
        flat: &FlatNode,
        name: &str,
        formal: Formal,
        inputs: &mut Vec<ValueId>,
    ) -> Result<ValueId, String> {
        let shaped = |importer: &mut Self, v: ValueId, shape: &[Dim]| {
            let known = importer.known.get(&v).cloned();
            let shaped = importer.lowering(flat, 1, &[]).reshape(v, shape).map_err(|_| "a condition of that shape")?;
            if let (Some(known), Some(shape)) = (known, egret_ir::dim::as_static(shape)) {
                importer.known.insert(shaped, Known { shape, ..known });
            }
            Ok(shaped)
        };
        match formal {
            Formal::Input(ty) => {
                let v = self.graph.input(if name.is_empty() { "value" } else { name }, ty);
                inputs.push(v);
                Ok(v)
            }
            Formal::Iteration(bound, shape) => {
                let name = if name.is_empty() { "iteration" } else { name };
                let v = self.graph.input(name, Type::tensor(DType::I64, []));
                inputs.push(v);
                let extent = self.lowering(flat, 1, &[]).extent_of(v, bound);
                self.known.insert(v, Known { dtype: DType::I64, shape: vec![], elems: vec![Elem::Int(extent)] });
                shaped(self, v, &shape)
            }
            Formal::True(shape) => {
                let v = self.graph.scalar(Literal::bool(true));
                self.known.insert(v, Known { dtype: DType::Bool, shape: vec![], elems: vec![Elem::Bool(true)] });
                shaped(self, v, &shape)
            }
            // Handled by the caller.
            Formal::Outer(_) | Formal::Unnamed => Err("a formal input".to_owned()),
        }
    }

    /// Whether an extent of a body says the same in this graph.
    pub fn knows(&self, d: &Dim) -> bool {
        let mut known = true;
        d.symbols(&mut |s| known &= self.graph.tables.symbols.0.contains_key(s));
        known
    }

    /// Makes a body a closed graph with these captures, of which it may use some, and puts it into the table.
    pub fn close(
        &mut self,
        draft: Draft,
        outputs: &[(Arc<str>, ValueId)],
        captures: &[ValueId],
    ) -> egret_ir::graph::BodyId {
        let mut graph = Graph::new(&draft.graph.name);
        graph.tables = draft.graph.tables.clone();
        let mut map: Vec<Option<ValueId>> = vec![None; draft.graph.nodes().len()];
        let mut names = BTreeSet::new();
        let mut unique = |name: &str| {
            let mut new = name.to_owned();
            while !names.insert(new.clone()) {
                new.push('\'');
            }
            new
        };
        let decl_of = |v: ValueId| match draft.graph.node(v).op {
            Op::Input(i) => draft.graph.inputs[i as usize].name.clone(),
            _ => "value".into(),
        };
        for v in &draft.formals {
            map[v.index()] = Some(graph.input(&unique(&decl_of(*v)), draft.graph.ty(*v).clone()));
        }
        for (i, parent) in captures.iter().enumerate() {
            let own = draft.captures.iter().find(|(_, p)| p == parent);
            let name = own.map_or_else(|| format!("capture.{i}").into(), |(v, _)| decl_of(*v));
            let new = graph.input(&unique(&name), self.graph.ty(*parent).clone());
            if let Some((v, _)) = own {
                map[v.index()] = Some(new);
            }
        }
        for v in draft.graph.values() {
            let node = draft.graph.node(v);
            if matches!(node.op, Op::Input(_)) {
                continue;
            }
            let args: Option<egret_ir::graph::Args> = node.args.iter().map(|a| map[a.index()]).collect();
            map[v.index()] = args.map(|args| graph.push(egret_ir::graph::Node { args, ..node.clone() }));
        }
        let new = |v: ValueId| map[v.index()];
        for (name, v) in outputs {
            if let Some(v) = new(*v) {
                graph.output(name, v);
            }
        }
        let named = |list: NamedValues| -> Option<NamedValues> {
            list.into_iter().map(|(v, name)| Some((new(v)?, name))).collect()
        };
        let site = |site: Site| {
            let inputs =
                site.inputs.iter().map(|v| v.map_or(Some(None), |v| new(v).map(Some))).collect::<Option<_>>()?;
            Some(Site { inputs, outputs: named(site.outputs)?, captures: named(site.captures)?, ..site })
        };
        let kept = |values: ByName<ValueId>| -> ByName<ValueId> {
            values.into_iter().filter_map(|(name, v)| Some((name, new(v)?))).collect()
        };
        let imported = Imported {
            sites: draft.sites.into_iter().filter_map(site).collect(),
            values: kept(draft.values),
            captured_constants: kept(draft.captured_constants),
            bodies: draft.bodies,
            model: ModelProto { graph: Some(draft.interface), ..ModelProto::default() },
            graph: graph.clone(),
            ..Imported::default()
        };
        self.pair_bodies();
        self.graph.tables.bodies.push(graph);
        self.bodies.push(imported);
        egret_ir::graph::BodyId(self.graph.tables.bodies.len() as u32 - 1)
    }
}

impl Draft {
    /// The type of a result.
    pub fn ty(&self, i: usize) -> &Type {
        self.graph.ty(self.outputs[i].1)
    }

    /// The values of the graph around that these values need, in order of capture.
    pub fn needed(&self, outputs: &[(Arc<str>, ValueId)]) -> Vec<ValueId> {
        let live = self.live(outputs);
        self.captures.iter().filter(|(v, _)| live[v.index()]).map(|(_, parent)| *parent).collect()
    }

    fn live(&self, outputs: &[(Arc<str>, ValueId)]) -> Vec<bool> {
        let mut live = vec![false; self.graph.nodes().len()];
        for (_, v) in outputs {
            live[v.index()] = true;
        }
        for v in self.graph.values().rev().filter(|v| !matches!(self.graph.node(*v).op, Op::Input(_))) {
            if live[v.index()] {
                for a in &self.graph.node(v).args {
                    live[a.index()] = true;
                }
            }
        }
        live
    }

    /// The first node that stayed opaque and is needed.
    pub fn opaque(&self) -> Option<String> {
        let live = self.live(&self.outputs);
        let needed = |r: &&OpaqueReason| self.sites[r.site].outputs.iter().any(|(v, _)| live[v.index()]);
        let reason = self.opaque_reasons.iter().find(needed)?;
        Some(format!("in its body {}: {}", reason.node, reason.reason))
    }

    /// The truth value of a result, where it is known.
    pub fn truth(&self, i: usize) -> Option<bool> {
        let v = self.outputs[i].1;
        let known = self.known.get(&v).cloned().or_else(|| Known::of_constant(&self.graph, v))?;
        match known.elems.as_slice() {
            [Elem::Bool(b)] => Some(*b),
            _ => None,
        }
    }

    /// A rank-0 version of a result that may have one element on an axis.
    pub fn flattened(&mut self, i: usize) -> Result<(), String> {
        let (name, v) = self.outputs[i].clone();
        if self.graph.ty(v).as_tensor().is_some_and(|t| t.rank() == 0) {
            return Ok(());
        }
        let v = self.graph.add(Op::Reshape(vec![]), &[v], Origins::none()).map_err(|e| e.to_string())?;
        self.outputs[i] = (name, v);
        Ok(())
    }
}
