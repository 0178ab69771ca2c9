//! Checks that need no types: the parts every model has, opsets, and each node against its operator's signature.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::{DType, Graph, ValueId};
use smallvec::SmallVec;

use crate::error::{Problem, ProblemKind};
use crate::inline::{FlatNode, canonical_domain, place, subgraphs};
use crate::node;
use crate::ops;
use crate::proto::attribute_proto::AttributeType;
use crate::proto::{ModelProto, NodeProto};
use crate::schema::{self, NEWEST_IR, NEWEST_OPSET, Schema};

/// Opset by canonical domain.
pub type Opsets = BTreeMap<String, i64>;

/// The opset of a domain.
pub fn opset(opsets: &Opsets, domain: &str) -> Option<i64> {
    // The default domain is asked for with every node, and is the first in order.
    let first = || opsets.first_key_value().filter(|(name, _)| name.is_empty()).map(|(_, opset)| *opset);
    if domain.is_empty() { first() } else { opsets.get(domain).copied() }
}

/// The opsets of a decoded model that has a graph, after the checks of its head.
pub fn head(model: &ModelProto) -> Result<Opsets, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut fault = |field: &str, kind| problems.push(Problem { node: None, field: field.to_owned(), kind });
    let ir = model.ir_version.unwrap_or(0);
    match model.ir_version {
        None => fault("ir_version", ProblemKind::NotAModel { part: "IR version" }),
        Some(version) if !(1..=NEWEST_IR).contains(&version) => {
            fault("ir_version", ProblemKind::UnknownIrVersion { version, newest: NEWEST_IR });
        }
        Some(_) => {}
    }
    let mut opsets = Opsets::new();
    for import in &model.opset_import {
        let domain = canonical_domain(import.domain()).to_owned();
        let version = import.version();
        if version < 1 || (domain.is_empty() && version > NEWEST_OPSET) {
            let newest = if domain.is_empty() { NEWEST_OPSET } else { i64::MAX };
            fault("opset_import", ProblemKind::UnknownOpset { domain: domain.clone(), version, newest });
        }
        if opsets.insert(domain.clone(), version).is_some_and(|old| old != version) {
            fault("opset_import", ProblemKind::DefinedTwice { name: domain });
        }
    }
    if model.opset_import.is_empty() {
        // IR versions 1 and 2 had no opset import and meant version 1.
        if ir >= 3 {
            fault("opset_import", ProblemKind::NotAModel { part: "opset import" });
        } else {
            opsets.insert(String::new(), 1);
        }
    }
    if model.graph.is_none() {
        fault("graph", ProblemKind::NotAModel { part: "graph" });
    }
    if problems.is_empty() { Ok(opsets) } else { Err(problems) }
}

/// Checks one node, and the nodes inside its bodies, against the signatures of their operators.
pub fn check_node(node: &FlatNode, opsets: &Opsets, functions: &BTreeSet<(&str, &str)>) -> Vec<Problem> {
    let mut checker = Checker { outer: node, inside: String::new(), opsets, functions, problems: Vec::new() };
    checker.node(&node.proto);
    checker.problems
}

struct Checker<'a> {
    outer: &'a FlatNode,
    /// Where inside the node's bodies, for the field.
    inside: String,
    opsets: &'a Opsets,
    functions: &'a BTreeSet<(&'a str, &'a str)>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn fault(&mut self, field: &str, kind: ProblemKind) {
        let field = format!("{}{field}", self.inside);
        self.problems.push(Problem { node: Some(self.outer.place()), field, kind });
    }

    fn node(&mut self, proto: &NodeProto) {
        let domain = canonical_domain(proto.domain());
        if proto.op_type().is_empty() {
            self.fault("op_type", ProblemKind::NoOperator);
        } else if !self.functions.contains(&(domain, proto.op_type())) {
            match opset(self.opsets, domain) {
                None => self.fault("domain", ProblemKind::MissingOpset { domain: domain.to_owned() }),
                Some(opset) if domain.is_empty() => self.standard(proto, opset),
                Some(_) if domain == ops::MICROSOFT => self.contributed(proto),
                Some(_) => {}
            }
        }
        for (i, attribute) in proto.attribute.iter().enumerate() {
            if proto.attribute[..i].iter().any(|a| a.name() == attribute.name()) {
                self.fault(attribute.name(), ProblemKind::DefinedTwice { name: attribute.name().to_owned() });
            }
        }
        for body in subgraphs(proto) {
            for (i, inner) in body.node.iter().enumerate() {
                let outer = self.inside.clone();
                self.inside = format!("{outer}body {}, {}, ", body.name(), place(inner, i));
                self.node(inner);
                self.inside = outer;
            }
        }
    }

    fn standard(&mut self, proto: &NodeProto, opset: i64) {
        let Some(versions) = schema::versions(proto.op_type()) else { return };
        let Some(schema) = versions.iter().rev().find(|schema| schema.since <= opset) else {
            if ops::find("", proto.op_type(), opset).is_some_and(ops::unprefixed) {
                return;
            }
            let since = versions.first().map_or(0, |s| s.since);
            return self.fault("op_type", ProblemKind::NotYet { since, version: opset });
        };
        if schema.deprecated && versions.last() == Some(schema) {
            return self.fault("op_type", ProblemKind::Withdrawn { version: opset });
        }
        self.attributes(proto, schema);
        let (min, max) = schema.inputs;
        self.inputs(proto, schema, min, max);
        let (min, max) = schema.outputs;
        let got = used(&proto.output);
        if got < min || got > max {
            self.fault("outputs", ProblemKind::Count { got, min, max });
        }
    }

    /// What an operator of ONNX Runtime must have at least.
    fn contributed(&mut self, proto: &NodeProto) {
        let Some(schema) = schema::microsoft().get(proto.op_type()).and_then(|versions| versions.last()) else {
            return;
        };
        self.attributes(proto, schema);
        self.inputs(proto, schema, schema.inputs.0, schema.inputs.1.max(used(&proto.input)));
    }

    fn inputs(&mut self, proto: &NodeProto, schema: &Schema, min: usize, max: usize) {
        let got = used(&proto.input);
        if got < min || got > max {
            return self.fault("inputs", ProblemKind::Count { got, min, max });
        }
        for (i, name) in proto.input.iter().enumerate() {
            let Some(formal) = schema.input(i) else { continue };
            if name.is_empty() && !formal.optional && !formal.variadic {
                self.fault(&format!("input {}", formal.name), ProblemKind::MissingInput);
            }
        }
    }

    fn attributes(&mut self, proto: &NodeProto, schema: &Schema) {
        for formal in &schema.attributes {
            let Some(attribute) = node::find(proto, formal.name) else {
                if formal.required {
                    self.fault(formal.name, ProblemKind::MissingAttribute);
                }
                continue;
            };
            let kind = node::kind(attribute);
            let got = node::kind_name(kind);
            // A reference inside a function that was not inlined has its caller's value.
            let referenced = !attribute.ref_attr_name().is_empty();
            if kind != AttributeType::Undefined && got != formal.kind && !referenced {
                let kind = ProblemKind::AttributeType { expected: formal.kind.to_owned(), got: got.to_owned() };
                self.fault(formal.name, kind);
            }
        }
    }
}

/// Operands or results up to the last that is there.
fn used(list: &[String]) -> usize {
    list.iter().rposition(|name| !name.is_empty()).map_or(0, |i| i + 1)
}

/// Operands of dtypes that the operator's signature does not take, or that should be equal and are not.
pub fn dtype_faults(flat: &FlatNode, opset: i64, inputs: &[Option<ValueId>], graph: &Graph) -> Vec<Problem> {
    let Some(schema) = schema::lookup(flat.proto.op_type(), opset) else { return Vec::new() };
    let mut seen: SmallVec<[(&str, DType); 4]> = SmallVec::new();
    let mut faults = Vec::new();
    for (i, v) in inputs.iter().enumerate() {
        let (Some(v), Some(formal)) = (v, schema.input(i)) else { continue };
        let Some(t) = graph.ty(*v).as_tensor() else { continue };
        let expected = if !formal.takes(t.dtype) {
            formal.types.join(", ")
        } else if formal.variable.is_empty() {
            continue;
        } else {
            match seen.iter().find(|(variable, _)| *variable == formal.variable) {
                Some((_, first)) if *first == t.dtype => continue,
                Some((_, first)) => format!("{first}, as the other operands of type {}", formal.variable),
                None => {
                    seen.push((formal.variable, t.dtype));
                    continue;
                }
            }
        };
        let kind = ProblemKind::Dtype { got: t.dtype.name().to_owned(), expected };
        faults.push(Problem { node: Some(flat.place()), field: format!("input {}", formal.name), kind });
    }
    faults
}
