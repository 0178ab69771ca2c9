//! What `docs/embedding.md` says: its example runs, and its parts do what they claim.

#[path = "../examples/custom_operator.rs"]
#[expect(dead_code, reason = "`main` is of the example alone")]
mod custom_operator;

use egret_ir::{DType, Dim, Type, check};
use egret_onnx::external::Files;
use egret_onnx::foreign::{ForeignOp, ForeignOps, Reading};
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension};
use egret_onnx::proto::{
    GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorShapeProto, TypeProto, ValueInfoProto, type_proto,
};
use egret_onnx::{Imported, ReadError, ReadOptions, read_model};

#[test]
fn the_page_quotes_the_example() {
    let page = include_str!("../docs/embedding.md");
    let example = include_str!("../examples/custom_operator.rs");
    let blocks: Vec<&str> =
        page.split("```rust\n").skip(1).map(|b| b.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 7, "{} blocks", blocks.len());
    for block in blocks {
        // The example has a comment before some of the parts, the page a blank line between them.
        for part in block.trim_end().split("\n\n") {
            assert!(example.contains(part.trim_end()), "the example has no\n{part}");
        }
    }
    let (before, after) = custom_operator::run().expect("the example runs");
    let printed = format!("before: {}\nafter:  {}", before.join(" "), after.join(" "));
    assert!(page.contains(&printed), "the example prints\n{printed}");
}

/// `y, z = acme.Halves(x)`, where `y` and `z` are declared nowhere, so that only the shape function tells their types.
fn read(operators: &'static [ForeignOp]) -> Result<Imported, ReadError> {
    let node = NodeProto {
        domain: Some("acme".into()),
        op_type: Some("Halves".into()),
        name: Some("halves".into()),
        input: vec!["x".into()],
        output: vec!["y".into(), "z".into()],
        ..NodeProto::default()
    };
    let name = |name: &str| ValueInfoProto { name: Some(name.into()), ..ValueInfoProto::default() };
    let dim = [6, 4].map(|n| Dimension { value: Some(dimension::Value::DimValue(n)), ..Dimension::default() });
    let shape = TensorShapeProto { dim: dim.to_vec() };
    let tensor = type_proto::Tensor { elem_type: Some(1), shape: Some(shape) };
    let ty = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..TypeProto::default() };
    let x = ValueInfoProto { r#type: Some(ty), ..name("x") };
    let graph = GraphProto {
        name: Some("g".into()),
        node: vec![node],
        input: vec![x],
        output: vec![name("y"), name("z")],
        ..GraphProto::default()
    };
    let opset = |domain: &str, version| OperatorSetIdProto { domain: Some(domain.into()), version: Some(version) };
    let model = ModelProto {
        ir_version: Some(9),
        opset_import: vec![opset("", 17), opset("acme", 1)],
        graph: Some(graph),
        ..ModelProto::default()
    };
    let options = ReadOptions { operators: ForeignOps(operators), ..ReadOptions::default() };
    read_model(model, &mut Files::none(), &options)
}

fn halves(_: &NodeProto, operands: &[Option<&Type>]) -> Result<Vec<Type>, String> {
    let Some(Some(Type::Tensor(x))) = operands.first() else { return Err("one tensor".to_owned()) };
    let mut half = x.clone();
    half.shape[0] = half.shape[0].floor_div(&Dim::from(2i64));
    Ok(vec![Type::Tensor(half.clone()), Type::Tensor(half)])
}

#[test]
fn a_shape_function_types_the_results_of_a_foreign_operator() {
    static HALVES: &[ForeignOp] =
        &[ForeignOp { domain: "acme", op_type: "Halves", reading: Reading::Kept { shape: halves, pure: true } }];
    let known = read(HALVES).expect("a model");
    let graph = check(known.graph).expect("typed");
    for output in &graph.outputs {
        assert_eq!(graph.ty(output.value).to_string(), "f32[3,4]");
    }
    let unknown = read(&[]).expect("a model");
    let graph = check(unknown.graph).expect("typed");
    assert!(matches!(graph.ty(graph.outputs[0].value), Type::Foreign(_)));
}

#[test]
fn a_shape_function_that_refuses_or_miscounts_is_an_error_at_the_node() {
    static REFUSES: &[ForeignOp] = &[ForeignOp {
        domain: "acme",
        op_type: "Halves",
        reading: Reading::Kept { shape: |_, _| Err("an even number of rows".to_owned()), pure: true },
    }];
    static MISCOUNTS: &[ForeignOp] = &[ForeignOp {
        domain: "acme",
        op_type: "Halves",
        reading: Reading::Kept {
            shape: |_, types| Ok(vec![types[0].cloned().unwrap_or(Type::fixed(DType::F32, &[]))]),
            pure: true,
        },
    }];
    for (operators, words) in [(REFUSES, "an even number of rows"), (MISCOUNTS, "tells 1 results, the node has 2")] {
        let error = read(operators).expect_err("refused").to_string();
        assert!(error.contains("halves") && error.contains(words), "{error}");
    }
}
