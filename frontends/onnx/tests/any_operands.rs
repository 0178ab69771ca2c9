//! Operands of any rank, and numbers of any size: every row answers with a graph, an opaque node or an error, never with a
//! panic, nor with memory by the numbers it is given.

mod common;

use std::collections::BTreeMap;

use common::*;
use egret_onnx::ops;
use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::{AttributeProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto};
use egret_onnx::schema::{self, Schema};
use egret_onnx::tensor;

/// The signature that a row's newest opset has.
fn signature(row: &ops::Row) -> Option<&'static Schema> {
    let standard = || schema::lookup(row.op, row.opsets.end - 1).or_else(|| schema::all().get(row.op)?.first());
    let own = || schema::microsoft().get(row.op).and_then(|versions| versions.last());
    if row.domain.is_empty() { standard().or_else(own) } else { own() }
}

/// Some value for each attribute that must be there.
fn required(schema: &Schema) -> Vec<AttributeProto> {
    let some = |name: &str, kind: &str| {
        let mut a = AttributeProto { name: Some(name.into()), ..Default::default() };
        match kind {
            "int" => (a.r#type, a.i) = (Some(AttributeType::Int as i32), Some(1)),
            "float" => (a.r#type, a.f) = (Some(AttributeType::Float as i32), Some(1.0)),
            "string" => (a.r#type, a.s) = (Some(AttributeType::String as i32), Some(b"i->i".to_vec())),
            "ints" => (a.r#type, a.ints) = (Some(AttributeType::Ints as i32), vec![1, 1]),
            "floats" => (a.r#type, a.floats) = (Some(AttributeType::Floats as i32), vec![1.0, 1.0]),
            _ => return None,
        }
        Some(a)
    };
    schema.attributes.iter().filter(|a| a.required).filter_map(|a| some(a.name, a.kind)).collect()
}

/// The code of a type by its name in signatures.
fn code(types: &[&str]) -> i32 {
    let known = |name: &&str| egret_ir::DType::ALL.into_iter().find(|d| d.name() == *name);
    let preferred = types.iter().find(|t| **t == "f32").or_else(|| types.iter().find(|t| known(t).is_some()));
    preferred.and_then(known).map_or(F32, tensor::code)
}

fn single(
    row: &ops::Row,
    schema: &Schema,
    operands: usize,
    rank: &dyn Fn(usize) -> usize,
    extent: &str,
) -> NodeAndInputs {
    let names: Vec<String> = (0..operands).map(|i| format!("x{i}")).collect();
    let outputs: Vec<String> = (0..schema.outputs.1.clamp(1, 4)).map(|i| format!("y{i}")).collect();
    let node = NodeProto {
        op_type: Some(row.op.to_owned()),
        domain: Some(row.domain.to_owned()),
        input: names.clone(),
        output: outputs,
        attribute: required(schema),
        ..Default::default()
    };
    let inputs = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let dtype = schema.input(i).map_or(F32, |f| code(&f.types));
            value(name, dtype, &vec![extent; rank(i)])
        })
        .collect();
    NodeAndInputs { node, inputs }
}

/// The model of a single node.
fn whole(row: &ops::Row, node: NodeProto, inputs: Vec<egret_onnx::proto::ValueInfoProto>) -> ModelProto {
    let outputs = node.output.iter().map(|n| value(n, F32, &[])).collect();
    let mut m = model((row.opsets.end - 1).max(row.opsets.start), graph(vec![node], inputs, outputs));
    if !row.domain.is_empty() {
        m.opset_import[0].version = Some(21);
        m.opset_import.push(OperatorSetIdProto { domain: Some(row.domain.to_owned()), version: Some(1) });
    }
    m.ir_version = Some(10);
    m
}

struct NodeAndInputs {
    node: NodeProto,
    inputs: Vec<egret_onnx::proto::ValueInfoProto>,
}

thread_local! {
    /// Where the last panic of this thread was.
    static PLACE: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

fn signatures() -> Vec<(&'static ops::Row, &'static Schema)> {
    ops::rows().map(|row| (row, signature(row).unwrap_or_else(|| panic!("{} has no signature", row.op)))).collect()
}

/// The first panic of each operator.
#[derive(Default)]
struct Panics(BTreeMap<&'static str, String>);

impl Panics {
    /// Reads a model; whether all of it was lowered.
    fn tried(&mut self, row: &ops::Row, m: &ModelProto, case: &dyn Fn() -> String) -> bool {
        static QUIET: std::sync::Once = std::sync::Once::new();
        QUIET.call_once(|| {
            let loud = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                if place.contains("any_operands") {
                    loud(info);
                }
                PLACE.with(|last| *last.borrow_mut() = place);
            }));
        });
        match std::panic::catch_unwind(|| import(m).is_ok_and(|i| i.opaque_reasons.is_empty())) {
            Ok(all) => all,
            Err(_) => {
                let place = PLACE.with(|place| place.borrow().clone());
                self.0.entry(row.op).or_insert_with(|| format!("{}: {place}", case()));
                false
            }
        }
    }

    fn none(&self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

#[test]
fn operands_of_any_rank_are_answered() {
    let mut lowered = 0;
    let mut panics = Panics::default();
    for (row, schema) in signatures() {
        let (least, most) = (schema.inputs.0.max(1), schema.inputs.1.clamp(1, 12));
        let counts = if least == most { vec![least] } else { vec![least, most] };
        for operands in counts {
            for base in 0..6 {
                for spread in [0, 1, 3] {
                    for extent in ["1", "2", "n"] {
                        let rank = |i: usize| (base + i * spread) % 6;
                        let NodeAndInputs { node, inputs } = single(row, schema, operands, &rank, extent);
                        let m = whole(row, node, inputs);
                        let case = || format!("{operands} operands of ranks {base} + {spread}·i, extent {extent}");
                        lowered += usize::from(panics.tried(row, &m, &case));
                    }
                }
            }
        }
    }
    panics.none();
    // The test tries what it is meant to try only if a good part of the nodes is sensible.
    assert!(lowered > 2000, "{lowered}");
}

/// Numbers whose sums and products overflow, and small ones beside them.
const WILD: [i64; 9] = [i64::MIN, -(1 << 40), -1, 0, 1, 3, 1 << 31, 1 << 40, i64::MAX];

/// A constant of integers: two of them, one, or none on axes that are long otherwise.
fn wild(name: &str, which: usize, number: i64) -> TensorProto {
    match which {
        0 => longs(name, &[2], &[number, 1]),
        1 => longs(name, &[], &[number]),
        _ => longs(name, &[0, 1 << 40, 1 << 40], &[]),
    }
}

#[test]
fn numbers_of_any_size_are_answered() {
    let mut lowered = 0;
    let mut panics = Panics::default();
    for (row, schema) in signatures() {
        let operands = schema.inputs.1.clamp(1, 6);
        let integer = |i: usize| schema.input(i).is_some_and(|f| f.types.contains(&"i64"));
        for number in WILD {
            // As operands: all that may be integers, all but the first, one of them.
            for (which, first) in (0..3).flat_map(|which| [0, 1, 2].map(|first| (which, first))) {
                for extent in ["2", "n"] {
                    let NodeAndInputs { node, mut inputs } = single(row, schema, operands, &|_| 2, extent);
                    let constant = |i: usize| i >= first && integer(i);
                    let weights =
                        (0..operands).filter(|i| constant(*i)).map(|i| wild(&format!("x{i}"), which, number)).collect();
                    let mut place = 0..operands;
                    inputs.retain(|_| place.next().is_none_or(|i| !constant(i)));
                    let mut m = whole(row, node, inputs);
                    m.graph.as_mut().unwrap().initializer = weights;
                    let case = || format!("{number} as operand {first} and on, in form {which}, extent {extent}");
                    lowered += usize::from(panics.tried(row, &m, &case));
                }
            }
            // As attributes, one after the other, and all of them.
            for chosen in 0..=schema.attributes.len() {
                let NodeAndInputs { mut node, inputs } = single(row, schema, operands, &|i| 4 - i.min(3), "2");
                for (at, formal) in schema.attributes.iter().enumerate() {
                    if chosen != at && chosen != schema.attributes.len() {
                        continue;
                    }
                    let set = match formal.kind {
                        "int" => int(formal.name, number),
                        "ints" => ints(formal.name, &[number, number]),
                        "float" => float(formal.name, number as f32),
                        _ => continue,
                    };
                    node.attribute.retain(|a| a.name() != formal.name);
                    node.attribute.push(set);
                }
                let m = whole(row, node, inputs);
                lowered += usize::from(panics.tried(row, &m, &|| format!("attribute {chosen}: {number}")));
            }
        }
    }
    panics.none();
    assert!(lowered > 2000, "{lowered}");
}
