//! Operands of any rank: every row answers with a graph, an opaque node or an error, never with a panic.

mod common;

use common::*;
use egret_onnx::ops;
use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::{AttributeProto, NodeProto, OperatorSetIdProto};
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

struct NodeAndInputs {
    node: NodeProto,
    inputs: Vec<egret_onnx::proto::ValueInfoProto>,
}

thread_local! {
    /// Where the last panic was.
    static PLACE: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

#[test]
fn operands_of_any_rank_are_answered() {
    let mut lowered = 0;
    let mut panics = std::collections::BTreeMap::new();
    let signatures: Vec<(&ops::Row, &Schema)> =
        ops::rows().map(|row| (row, signature(row).unwrap_or_else(|| panic!("{} has no signature", row.op)))).collect();
    std::panic::set_hook(Box::new(|info| {
        PLACE.with(|place| *place.borrow_mut() = info.location().map(ToString::to_string).unwrap_or_default());
    }));
    for (row, schema) in signatures {
        let (least, most) = (schema.inputs.0.max(1), schema.inputs.1.clamp(1, 12));
        let counts = if least == most { vec![least] } else { vec![least, most] };
        for operands in counts {
            for base in 0..6 {
                for spread in [0, 1, 3] {
                    for extent in ["1", "2", "n"] {
                        let rank = |i: usize| (base + i * spread) % 6;
                        let NodeAndInputs { node, inputs } = single(row, schema, operands, &rank, extent);
                        let outputs = node.output.iter().map(|n| value(n, F32, &[])).collect();
                        let mut m =
                            model((row.opsets.end - 1).max(row.opsets.start), graph(vec![node], inputs, outputs));
                        if !row.domain.is_empty() {
                            m.opset_import[0].version = Some(21);
                            let own = OperatorSetIdProto { domain: Some(row.domain.to_owned()), version: Some(1) };
                            m.opset_import.push(own);
                        }
                        m.ir_version = Some(10);
                        let answer = std::panic::catch_unwind(|| import(&m).is_ok_and(|i| i.opaque_reasons.is_empty()));
                        match answer {
                            Ok(whole) => lowered += usize::from(whole),
                            Err(_) => {
                                let place = PLACE.with(|place| place.borrow().clone());
                                let case = format!(
                                    "{operands} operands of ranks {base} + {spread}·i, extent {extent}: {place}"
                                );
                                panics.entry(row.op).or_insert(case);
                            }
                        }
                    }
                }
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(panics.is_empty(), "{panics:#?}");
    // The test tries what it is meant to try only if a good part of the nodes is sensible.
    assert!(lowered > 2000, "{lowered}");
}
