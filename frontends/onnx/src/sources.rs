//! What a graph starts from: bindings of open extents, inputs, initializers.

use std::collections::BTreeSet;
use std::sync::Arc;

use egret_ir::dim::SymbolInfo;
use egret_ir::graph::InputDecl;
use egret_ir::op::{Const, ConstId, Op};
use egret_ir::{Dim, Origin, Origins, Symbol, Type, ValueId};
use foldhash::HashMap;

use crate::error::ProblemKind;
use crate::frozen::Frozen;
use crate::import::{Importer, MAX_EXTENT};
use crate::imported::{NamedValues, Operands, ReadOptions};
use crate::inline::FlatNode;
use crate::proto::{GraphProto, NodeProto, TensorProto, TypeProto, ValueInfoProto};
use crate::{opaque, tensor};

/// The symbol of an axis: its name, or one made from the place. Exporters write `?` for "unknown".
fn symbol_of(input: &str, axis: usize, name: &str) -> Symbol {
    if name.is_empty() || name == "?" { Symbol::new(&format!("{input}.{axis}")) } else { Symbol::new(name) }
}

impl Importer<'_, '_, '_> {
    // ---- bindings ----

    pub(crate) fn bind(&mut self, graph: &GraphProto, options: &ReadOptions) {
        let mut names = BTreeSet::new();
        let asked = !options.dims.is_empty() || !options.ranges.is_empty();
        for input in graph.input.iter().filter(|_| asked) {
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
        let (bound, bounds, symbols) = (&self.bound, &self.shared.bounds, &mut self.graph.tables.symbols);
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

    pub(crate) fn sources(&mut self, graph: &GraphProto, ir_version: i64) {
        // Up to IR version 3 every initializer had to be listed as an input, and runtimes take them for constants; later
        // a listed initializer is the default of an input.
        let overridable = ir_version >= 4;
        let tensors: HashMap<&str, &TensorProto> = graph.initializer.iter().map(|t| (t.name(), t)).collect();
        for input in &graph.input {
            let name = input.name();
            let default = tensors.get(name);
            if default.is_some() && !overridable {
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
        self.constants(graph, true);
    }

    /// Initializers, of the model's own graph or of a body.
    pub(crate) fn constants(&mut self, graph: &GraphProto, own: bool) {
        self.graph.reserve(graph.initializer.len());
        self.values.reserve(graph.initializer.len());
        if own {
            self.initializers.reserve(graph.initializer.len());
        }
        for (at, proto) in graph.initializer.iter().enumerate() {
            let name: Arc<str> = proto.name().into();
            let v = match self.values.get(&name) {
                Some(v) => *v,
                None => {
                    let Some(v) = self.constant(proto, &name) else { continue };
                    self.values.insert(name.clone(), v);
                    v
                }
            };
            if own {
                self.initializers.push((name, v, at));
            } else {
                self.captured_constants.insert(name, v);
            }
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
    fn constant(&mut self, proto: &TensorProto, name: &Arc<str>) -> Option<ValueId> {
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
        self.graph.set_origins(v, Origins::one(Origin::Value(name.clone())));
        if let Op::Const(Const::Dense(id)) = self.graph.node(v).op {
            self.graph.tables.const_names.entry(id).or_insert_with(|| name.clone());
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
        let flat = FlatNode::new(proto, 0);
        let results = vec![Type::Foreign(reason.into())];
        self.make_opaque(&flat, Operands::new(), NamedValues::new(), results, reason.to_owned());
    }
}

/// The element type of a declared tensor type.
fn element(ty: &TypeProto) -> Option<egret_ir::DType> {
    match &ty.value {
        Some(crate::proto::type_proto::Value::TensorType(t)) => tensor::dtype(t.elem_type()).ok(),
        _ => None,
    }
}
