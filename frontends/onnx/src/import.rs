//! A decoded model into a graph of the structural kinds, node by node.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use egret_ir::dim::SymbolInfo;
use egret_ir::graph::InputDecl;
use egret_ir::op::{Const, ConstId, Op};
use egret_ir::{Dim, Graph, Origin, Origins, Symbol, Type, ValueId};
use indexmap::IndexMap;

use crate::error::{Problem, ProblemKind};
use crate::frozen::Frozen;
pub use crate::imported::{Imported, Initializer, OpaqueReason, ReadOptions, Site};
use crate::inline::{self, FlatNode, canonical_domain};
use crate::known::{self, Known};
use crate::lower::{Fail, Lower};
use crate::proto::{GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto};
use crate::tensor;
use crate::validate::{self, Opsets};
use crate::{lenient, opaque, ops, structure};

/// Imports a decoded model. Gathers all faults that do not hide each other.
pub fn import(mut model: ModelProto, options: &ReadOptions) -> Result<Imported, Vec<Problem>> {
    let mut opsets = validate::head(&model)?;
    let mut graph = model.graph.take().unwrap_or_default();
    let nodes = std::mem::take(&mut graph.node);
    let inlined = inline::inline(&model, &graph, nodes)?;
    for added in &inlined.added_opsets {
        opsets.insert(added.domain().to_owned(), added.version());
    }
    let mut added = inlined.added_opsets;
    let mut warnings = lenient::repeated_names(&inlined.nodes);
    if let Some(opset) = lenient::assumed_opset(&opsets, &inlined.nodes) {
        opsets.insert(opset.domain().to_owned(), opset.version());
        warnings.push(lenient::assumed(&opset));
        added.push(opset);
    }
    let order = structure::order(&graph, &inlined.nodes)?;
    warnings.extend(lenient::unsorted(&inlined.nodes, &order.order));
    let functions: BTreeSet<(&str, &str)> =
        model.functions.iter().map(|f| (canonical_domain(f.domain()), f.name())).collect();
    let faults: Vec<Problem> =
        inlined.nodes.iter().flat_map(|n| validate::check_node(n, &opsets, &functions)).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    // A bound found on the way may decide what was open before. Bounds only ever fall; a few rounds are enough for real
    // models, and what is still open after them stays opaque.
    let mut bounds = BTreeMap::new();
    let mut round = attempt(&model, &graph, &inlined.nodes, &order, &opsets, options, bounds.clone());
    for _ in 0..MAX_ROUNDS {
        if round.bounds == bounds || !round.problems.is_empty() {
            break;
        }
        bounds = round.bounds;
        round = attempt(&model, &graph, &inlined.nodes, &order, &opsets, options, bounds.clone());
    }
    if !round.problems.is_empty() {
        return Err(round.problems);
    }
    let needed = inline::needed_functions(&model, inlined.nodes.iter().map(|n| &*n.proto));
    model.functions.clear();
    model.opset_import.extend(added);
    let mut protos: Vec<Option<TensorProto>> = std::mem::take(&mut graph.initializer).into_iter().map(Some).collect();
    let initializers = round.initializers.into_iter().filter_map(|(name, (value, at))| {
        let proto = protos[at].take()?;
        Some((name, Initializer { value, proto }))
    });
    let initializers = initializers.collect();
    let value = |name: &str| round.values.get(name).copied();
    warnings.extend(lenient::misdeclared(&graph, &round.graph, &value));
    model.graph = Some(graph);
    let functions = needed;
    let Round { graph, sites, values, opaque_reasons, bound, frozen, .. } = round;
    Ok(Imported { graph, sites, values, initializers, opaque_reasons, bound, frozen, model, functions, warnings })
}

/// An unbound extent is at most this, so that a slice to 10⁹ goes to the end.
pub const MAX_EXTENT: i64 = 1_000_000_000;

/// How often reading starts over with better bounds of extents, at most.
const MAX_ROUNDS: usize = 8;

/// What one pass over the nodes gives.
struct Round {
    graph: Graph,
    sites: Vec<Site>,
    values: IndexMap<Arc<str>, ValueId>,
    /// Values, and positions in the model's list.
    initializers: IndexMap<Arc<str>, (ValueId, usize)>,
    opaque_reasons: Vec<OpaqueReason>,
    bound: BTreeMap<Symbol, i64>,
    bounds: BTreeMap<Symbol, i64>,
    frozen: Vec<(String, egret_ir::Tensor)>,
    problems: Vec<Problem>,
}

#[expect(clippy::too_many_arguments, reason = "one caller; the arguments are the stages of reading before it")]
fn attempt(
    model: &ModelProto,
    graph: &GraphProto,
    nodes: &[FlatNode],
    order: &structure::Order,
    opsets: &Opsets,
    options: &ReadOptions,
    bounds: BTreeMap<Symbol, i64>,
) -> Round {
    let mut importer = Importer::new(graph, opsets, bounds);
    importer.bind(graph, options);
    importer.sources(graph, model.ir_version());
    if importer.problems.is_empty() {
        for &i in &order.order {
            importer.node(&nodes[i], &order.captures[i]);
        }
        importer.outputs(graph);
    }
    Round {
        graph: importer.graph,
        sites: importer.sites,
        values: importer.values,
        initializers: importer.initializers,
        opaque_reasons: importer.opaque_reasons,
        bound: importer.bound,
        bounds: importer.bounds,
        frozen: importer.frozen,
        problems: importer.problems,
    }
}

struct Importer<'a> {
    graph: Graph,
    opsets: &'a Opsets,
    known: BTreeMap<ValueId, Known>,
    /// The values of extents that only data decides.
    witnesses: BTreeMap<Symbol, ValueId>,
    /// Upper bounds of symbols that the model needs to run at all.
    /// Bounds that the caller states.
    ranges: BTreeMap<Symbol, (i64, i64)>,
    bounds: BTreeMap<Symbol, i64>,
    values: IndexMap<Arc<str>, ValueId>,
    /// Names whose node was faulty: what depends on them is not looked at.
    lost: BTreeSet<String>,
    infos: HashMap<&'a str, &'a TypeProto>,
    bound: BTreeMap<Symbol, i64>,
    frozen: Vec<(String, egret_ir::Tensor)>,
    by_place: BTreeMap<String, Vec<i64>>,
    /// Values, and positions in the model's list.
    initializers: IndexMap<Arc<str>, (ValueId, usize)>,
    sites: Vec<Site>,
    opaque_reasons: Vec<OpaqueReason>,
    problems: Vec<Problem>,
}

/// The symbol of an axis: its name, or one made from the place. Exporters write `?` for "unknown".
fn symbol_of(input: &str, axis: usize, name: &str) -> Symbol {
    if name.is_empty() || name == "?" { Symbol::new(&format!("{input}.{axis}")) } else { Symbol::new(name) }
}

impl<'a> Importer<'a> {
    fn new(graph: &'a GraphProto, opsets: &'a Opsets, bounds: BTreeMap<Symbol, i64>) -> Self {
        let declared = graph.value_info.iter().chain(&graph.output);
        let infos = declared.filter_map(|v| Some((v.name(), v.r#type.as_ref()?))).collect();
        Self {
            graph: Graph::new(graph.name()),
            opsets,
            known: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            ranges: BTreeMap::new(),
            bounds,
            values: IndexMap::new(),
            lost: BTreeSet::new(),
            infos,
            bound: BTreeMap::new(),
            frozen: Vec::new(),
            by_place: BTreeMap::new(),
            initializers: IndexMap::new(),
            sites: Vec::new(),
            opaque_reasons: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn fault(&mut self, field: String, kind: ProblemKind) {
        self.problems.push(Problem { node: None, field, kind });
    }

    // ---- bindings ----

    fn bind(&mut self, graph: &GraphProto, options: &ReadOptions) {
        let mut names = BTreeSet::new();
        for input in &graph.input {
            if let Some(ty) = &input.r#type {
                opaque::declared(ty, &mut |axis, name| {
                    names.insert(symbol_of(input.name(), axis, name));
                    Dim::ONE
                });
            }
        }
        for (name, value) in &options.dims {
            let symbol = Symbol::new(name);
            if !names.contains(&symbol) {
                self.fault("--dim".to_owned(), ProblemKind::UnknownBinding { what: "dimension", name: name.clone() });
            }
            self.bind_symbol("--dim", symbol, *value);
        }
        for (name, lo, hi) in &options.ranges {
            let symbol = Symbol::new(name);
            let what = format!("{name}={lo}..{hi}");
            if !names.contains(&symbol) {
                self.fault("--dim".to_owned(), ProblemKind::UnknownBinding { what: "dimension", name: name.clone() });
            } else if *lo < 0 || lo > hi || *hi > MAX_EXTENT {
                let reason = format!("bounds from 0 to {MAX_EXTENT} expected");
                self.fault("--dim".to_owned(), ProblemKind::BadValue { value: what, reason });
            }
            self.ranges.insert(symbol, (*lo, *hi));
        }
        for (name, extents) in &options.shapes {
            let Some(input) = graph.input.iter().find(|i| i.name() == name) else {
                self.fault("--shape".to_owned(), ProblemKind::UnknownBinding { what: "input", name: name.clone() });
                continue;
            };
            self.bind_input("--shape", input, extents);
        }
        for (name, value) in &options.values {
            match graph.input.iter().find(|i| i.name() == name) {
                Some(input) => self.freeze(input, value),
                None => {
                    let kind = ProblemKind::UnknownBinding { what: "input", name: name.clone() };
                    self.fault("--value".to_owned(), kind);
                }
            }
        }
    }

    /// Fixes the value of an input; its extents are bound by the way.
    fn freeze(&mut self, input: &ValueInfoProto, value: &Frozen) {
        let Some(dtype) = input.r#type.as_ref().and_then(element) else {
            let kind = ProblemKind::BadValue {
                value: input.name().to_owned(),
                reason: "an input of tensor type expected".to_owned(),
            };
            return self.fault("--value".to_owned(), kind);
        };
        match value.tensor(dtype) {
            Ok(t) => {
                let extents: Vec<i64> = t.shape().iter().map(|d| *d as i64).collect();
                self.bind_input("--value", input, &extents);
                self.frozen.push((input.name().to_owned(), t));
            }
            Err(reason) => {
                let kind = ProblemKind::BadValue { value: input.name().to_owned(), reason };
                self.fault("--value".to_owned(), kind);
            }
        }
    }

    fn bind_symbol(&mut self, field: &str, symbol: Symbol, value: i64) {
        let given = format!("{}={value}", symbol.name());
        if value < 0 {
            let kind = ProblemKind::BadValue { value: given, reason: "an extent is not negative".to_owned() };
            return self.fault(field.to_owned(), kind);
        }
        if let Some(old) = self.bound.insert(symbol.clone(), value).filter(|old| *old != value) {
            let declared = format!("{}={old}, bound before", symbol.name());
            self.fault(field.to_owned(), ProblemKind::BindingConflict { given, declared });
        }
    }

    fn bind_input(&mut self, option: &str, input: &ValueInfoProto, extents: &[i64]) {
        let ty = input
            .r#type
            .as_ref()
            .map(|ty| opaque::declared(ty, &mut |axis, name| Dim::symbol(symbol_of(input.name(), axis, name))));
        let Some(Type::Tensor(t)) = ty else {
            self.by_place.insert(input.name().to_owned(), extents.to_vec());
            return;
        };
        let declared = t.shape;
        let conflict = |declared: &[Dim]| ProblemKind::BindingConflict {
            given: format!("{}={extents:?}", input.name()),
            declared: format!("{declared:?}"),
        };
        if declared.len() != extents.len() {
            return self.fault(option.to_owned(), conflict(&declared));
        }
        for (d, n) in declared.iter().zip(extents) {
            match (d.as_symbol(), d.as_const()) {
                (Some(symbol), _) => self.bind_symbol(option, symbol.clone(), *n),
                (None, Some(c)) if c == *n => {}
                (None, _) => return self.fault(option.to_owned(), conflict(&declared)),
            }
        }
    }

    /// The declared type of an input with bindings put in; a new symbol is an extent of an input, 0 or more.
    fn input_type(&mut self, input: &ValueInfoProto) -> Type {
        let Some(ty) = &input.r#type else { return Type::Foreign("undeclared".into()) };
        let (bound, bounds, symbols) = (&self.bound, &self.bounds, &mut self.graph.tables.symbols);
        let ranges = &self.ranges;
        let declared = opaque::declared(ty, &mut |axis, name| {
            let symbol = symbol_of(input.name(), axis, name);
            if let Some(n) = bound.get(&symbol) {
                return Dim::from(*n);
            }
            let (min, max) = ranges.get(&symbol).copied().unwrap_or((0, MAX_EXTENT));
            let max = bounds.get(&symbol).map_or(max, |found| max.min(*found));
            symbols.0.entry(symbol.clone()).or_insert(SymbolInfo { min, max, ..SymbolInfo::default() });
            Dim::symbol(symbol)
        });
        // `--shape` may give the rank that the model leaves open.
        match (&declared, self.by_place.get(input.name()), element(ty)) {
            (Type::Foreign(_), Some(extents), Some(dtype)) => {
                Type::tensor(dtype, extents.iter().map(|n| Dim::from(*n)).collect::<Vec<_>>())
            }
            _ => declared,
        }
    }

    // ---- inputs and constants ----

    fn sources(&mut self, graph: &'a GraphProto, ir_version: i64) {
        let listed: BTreeSet<&str> = graph.input.iter().map(ValueInfoProto::name).collect();
        // Up to IR version 3 every initializer had to be listed as an input, and runtimes take them for constants; later
        // a listed initializer is the default of an input.
        let overridable = |name: &str| ir_version >= 4 && listed.contains(name);
        let tensors: HashMap<&str, &TensorProto> = graph.initializer.iter().map(|t| (t.name(), t)).collect();
        for input in &graph.input {
            let name = input.name();
            let default = tensors.get(name);
            if default.is_some() && !overridable(name) {
                continue;
            }
            let mut ty = self.input_type(input);
            let default = default.and_then(|t| self.decoded(t)).map(|t| {
                if ty.as_tensor().is_none() {
                    ty = Type::fixed(t.dtype(), t.shape());
                }
                self.graph.tables.constant(t)
            });
            if let Some(id) = default {
                self.check_default(name, &ty, id);
            }
            if let Type::Tensor(t) = &ty {
                let count = egret_ir::dim::count(&t.shape);
                if count.is_invalid() || count.as_const().is_some_and(|c| c.checked_mul(8).is_none()) {
                    let kind = ProblemKind::TooLarge { shape: t.to_string() };
                    self.fault(format!("input {name}"), kind);
                }
            }
            let mut v = self.graph.input_decl(InputDecl { name: name.into(), ty, default });
            if let Some((_, t)) = self.frozen.iter().find(|(frozen, _)| frozen == name) {
                // What reads the input reads the constant; the input stays in the interface.
                v = self.graph.constant(t.clone());
                self.graph.set_origins(v, Origins::one(Origin::Value(name.into())));
            }
            self.values.insert(name.into(), v);
        }
        for (at, proto) in graph.initializer.iter().enumerate() {
            let name = proto.name();
            let v = match self.values.get(name) {
                Some(v) => *v,
                None => match self.constant(proto) {
                    Some(v) => v,
                    None => continue,
                },
            };
            self.values.insert(name.into(), v);
            self.initializers.insert(name.into(), (v, at));
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", |t| t.name());
            let attribute = crate::proto::AttributeProto {
                name: Some("sparse_value".to_owned()),
                r#type: Some(crate::proto::attribute_proto::AttributeType::SparseTensor as i32),
                sparse_tensor: Some(Box::new(sparse.clone())),
                ..Default::default()
            };
            self.opaque_constant(name, attribute, "a sparse initializer");
        }
    }

    fn check_default(&mut self, name: &str, ty: &Type, id: ConstId) {
        let t = self.graph.tables.tensor(id);
        let fits = ty.as_tensor().is_some_and(|ty| {
            let same = |(d, n): (&Dim, &usize)| d.as_const().is_none_or(|c| c == *n as i64);
            ty.dtype == t.dtype() && ty.rank() == t.shape().len() && ty.shape.iter().zip(t.shape()).all(same)
        });
        if !fits {
            let got = Type::fixed(t.dtype(), t.shape()).to_string();
            self.fault(format!("initializer {name}"), ProblemKind::Shape { got, expected: ty.to_string() });
        }
    }

    fn decoded(&mut self, proto: &TensorProto) -> Option<egret_ir::Tensor> {
        match tensor::decode(proto) {
            Ok(t) => Some(t),
            Err(kind) => {
                self.fault(format!("initializer {}", proto.name()), kind);
                None
            }
        }
    }

    /// A constant in the graph; one of a type that tensors here cannot have is an opaque Constant node.
    fn constant(&mut self, proto: &TensorProto) -> Option<ValueId> {
        if let Err(ProblemKind::UnsupportedDtype { dtype }) = tensor::dtype(proto.data_type()) {
            let attribute = crate::proto::AttributeProto {
                name: Some("value".to_owned()),
                r#type: Some(crate::proto::attribute_proto::AttributeType::Tensor as i32),
                t: Some(Box::new(proto.clone())),
                ..Default::default()
            };
            self.opaque_constant(proto.name(), attribute, &format!("an initializer of type {dtype}"));
            return None;
        }
        let t = self.decoded(proto)?;
        let v = self.graph.constant(t);
        self.graph.set_origins(v, Origins::one(Origin::Value(proto.name().into())));
        if let Op::Const(Const::Dense(id)) = self.graph.node(v).op {
            self.graph.tables.const_names.entry(id).or_insert_with(|| proto.name().into());
        }
        Some(v)
    }

    fn opaque_constant(&mut self, name: &str, attribute: crate::proto::AttributeProto, reason: &str) {
        let proto = NodeProto {
            output: vec![name.to_owned()],
            op_type: Some("Constant".to_owned()),
            attribute: vec![attribute],
            ..NodeProto::default()
        };
        let flat = FlatNode { proto: Arc::new(proto), index: 0 };
        let results = vec![Type::Foreign(reason.into())];
        self.make_opaque(&flat, Vec::new(), Vec::new(), results, reason.to_owned());
    }

    // ---- nodes ----

    fn node(&mut self, flat: &FlatNode, captured: &[String]) {
        let proto = &flat.proto;
        if proto.input.iter().chain(captured).any(|name| self.lost.contains(name)) {
            self.lost.extend(proto.output.iter().filter(|n| !n.is_empty()).cloned());
            return;
        }
        let value = |name: &String| self.values.get(name.as_str()).copied();
        let inputs: Vec<Option<ValueId>> = proto.input.iter().map(value).collect();
        let captures: Vec<(ValueId, Arc<str>)> =
            captured.iter().filter_map(|name| Some((value(name)?, name.as_str().into()))).collect();
        let domain = canonical_domain(proto.domain());
        let opset = self.opsets.get(domain).copied().unwrap_or(1);
        if domain.is_empty() {
            let faults = validate::dtype_faults(flat, opset, &inputs, &self.graph);
            if !faults.is_empty() {
                return self.lose(flat, faults);
            }
        }
        match self.lower(flat, opset, &inputs) {
            Ok(results) => self.define(flat, inputs, captures, &results),
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
                    let infos = &self.infos;
                    let declared = |name: &str| infos.get(name).map(|ty| (*ty).clone());
                    types = opaque::result_types(&mut self.graph, proto, opset, &args, &declared);
                }
                self.make_opaque(flat, inputs, captures, types, reason);
            }
        }
    }

    fn lower(&mut self, flat: &FlatNode, opset: i64, inputs: &[Option<ValueId>]) -> Result<Vec<ValueId>, Fail> {
        let proto = &flat.proto;
        let domain = canonical_domain(proto.domain());
        if !ops::knows(domain) {
            return Err(Fail::Opaque(format!("operators of domain {domain}")));
        }
        let name = if proto.name().is_empty() { proto.output.first().map_or("", String::as_str) } else { proto.name() };
        let origin = Origin::Onnx { index: flat.index as u32, op: proto.op_type().into(), name: name.into() };
        let mut lower = Lower {
            graph: &mut self.graph,
            known: &mut self.known,
            bounds: &mut self.bounds,
            witnesses: &mut self.witnesses,
            node: proto,
            opset,
            inputs,
            origins: Origins::one(origin),
        };
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

    fn make_opaque(
        &mut self,
        flat: &FlatNode,
        inputs: Vec<Option<ValueId>>,
        captures: Vec<(ValueId, Arc<str>)>,
        types: Vec<Type>,
        reason: String,
    ) {
        let definition = opaque::definition(&flat.proto, types, self.sites.len() as u32);
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
                self.define(flat, inputs, captures, &results);
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
        inputs: Vec<Option<ValueId>>,
        captures: Vec<(ValueId, Arc<str>)>,
        results: &[ValueId],
    ) {
        let mut outputs = Vec::new();
        for (i, name) in flat.proto.output.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let Some(v) = results.get(i) else {
                let kind = ProblemKind::Count { got: flat.proto.output.len(), min: 1, max: results.len() };
                return self.lose(flat, vec![Problem { node: Some(flat.place()), field: "outputs".to_owned(), kind }]);
            };
            let name: Arc<str> = name.as_str().into();
            self.values.insert(name.clone(), *v);
            outputs.push((*v, name));
        }
        self.sites.push(Site { node: flat.proto.clone(), index: flat.index, inputs, outputs, captures });
    }

    fn outputs(&mut self, graph: &GraphProto) {
        for output in &graph.output {
            if let Some(v) = self.values.get(output.name()) {
                self.graph.output(output.name(), *v);
            } else if !self.lost.contains(output.name()) {
                self.fault(
                    format!("output {}", output.name()),
                    ProblemKind::Undefined { name: output.name().to_owned() },
                );
            }
        }
    }
}

/// The element type of a declared tensor type.
fn element(ty: &TypeProto) -> Option<egret_ir::DType> {
    match &ty.value {
        Some(crate::proto::type_proto::Value::TensorType(t)) => tensor::dtype(t.elem_type()).ok(),
        _ => None,
    }
}
