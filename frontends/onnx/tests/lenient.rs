//! Sloppy models are read, with a word about it where something is contradictory; faults that leave the meaning open are
//! refused. Beside each case what ONNX Runtime 1.32 does.

mod common;

use common::*;
use egret_ir::{Tensor, Type, check, eval};
use egret_onnx::proto::{GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto};
use egret_onnx::{Imported, ReadOptions, read_bytes};
use prost::Message;

const BOOL: i32 = 9;

fn read(m: &ModelProto) -> Imported {
    let imported = import(m).unwrap_or_else(|p| panic!("{}", p[0]));
    assert!(check(imported.graph.clone()).is_ok());
    imported
}

fn warnings(imported: &Imported) -> Vec<String> {
    imported.warnings.iter().map(ToString::to_string).collect()
}

fn run(imported: &Imported, x: &[f32]) -> Vec<f32> {
    let x = Tensor::from_slice([x.len()], x).unwrap();
    eval::native(&imported.graph, &[x]).unwrap()[0].to_vec::<f32>().unwrap()
}

/// Relu then Neg of x[2], through a value `a`.
fn chain() -> GraphProto {
    graph(
        vec![node("Relu", &["x"], &["a"]), node("Neg", &["a"], &["y"])],
        vec![value("x", F32, &["2"])],
        vec![value("y", F32, &["2"])],
    )
}

/// ONNX Runtime: accepted.
#[test]
fn nodes_out_of_order_are_sorted() {
    let mut g = chain();
    g.node.reverse();
    let imported = read(&model(17, g));
    assert_eq!(
        warnings(&imported),
        ["node \"the_Neg\" (Neg), node: stands before a node that it reads from; nodes are sorted"]
    );
    assert_eq!(run(&imported, &[1.0, -2.0]), [-1.0, -0.0]);
}

/// ONNX Runtime: accepted.
#[test]
fn outputs_of_another_declared_rank_or_extent_are_what_they_are() {
    for (declared, text) in [(&["2", "1"][..], "f32[2,1]"), (&["5"][..], "f32[5]")] {
        let mut g = chain();
        g.output = vec![value("y", F32, declared)];
        let imported = read(&model(17, g.clone()));
        assert_eq!(warnings(&imported), [format!("output y: declared as {text}, but it is f32[2]")]);
        assert_eq!(*imported.graph.ty(imported.graph.outputs[0].value), Type::fixed(egret_ir::DType::F32, &[2]));
        assert_eq!(imported.model.graph.unwrap().output, g.output, "the declaration is kept");
    }
}

/// ONNX Runtime: refused ("Type Error: Type (tensor(double)) of output arg (y) …").
#[test]
fn another_declared_element_type_is_told() {
    let mut g = chain();
    g.output = vec![value("y", 11, &["2"])];
    assert_eq!(warnings(&read(&model(17, g))), ["output y: declared as f64[2], but it is f32[2]"]);
}

/// ONNX Runtime: accepted, but for the element type.
#[test]
fn inner_values_may_be_declared_wrong_and_more_than_once() {
    let mut g = chain();
    g.value_info = vec![value("a", F32, &["2", "3"]), value("a", F32, &["2"]), value("nowhere", F32, &["7"])];
    g.value_info.push(ValueInfoProto { name: Some("a".into()), ..Default::default() });
    let imported = read(&model(17, g));
    assert_eq!(warnings(&imported), ["value a: declared as f32[2,3], but it is f32[2]"]);
    assert_eq!(run(&imported, &[1.0, -2.0]), [-1.0, -0.0]);
}

/// Declared extents that are unknown: `-1`, a name, `?`, nothing. ONNX Runtime: accepted.
#[test]
fn a_negative_extent_is_an_unknown_one() {
    let mut g = chain();
    g.input = vec![value("x", F32, &["-1"])];
    g.output = vec![value("y", F32, &["-1"])];
    let imported = read(&model(17, g));
    assert!(imported.warnings.is_empty());
    assert_eq!(imported.graph.ty(imported.values["y"]).to_string(), "f32[x.0]");
}

/// Zero is an extent, not an unknown: ONNX Runtime refuses to add x[0] and w[2], and so do we.
#[test]
fn a_zero_extent_is_zero() {
    let mut g =
        graph(vec![node("Add", &["x", "w"], &["y"])], vec![value("x", F32, &["0"])], vec![value("y", F32, &["0"])]);
    g.initializer.push(floats("w", &[2], &[1.0, 2.0]));
    assert_eq!(messages(&model(17, g)), ["node \"the_Add\" (Add), inputs: shape [2] does not fit [0]"]);
}

/// ONNX Runtime: accepted.
#[test]
fn an_opset_of_onnx_runtime_that_is_not_imported_is_the_first() {
    let mut g = chain();
    g.node[0] = NodeProto { domain: Some("com.microsoft".into()), ..node("QuickGelu", &["x"], &["a"]) };
    let imported = read(&model(17, g.clone()));
    assert_eq!(
        warnings(&imported),
        ["opset_import: the model imports no opset of domain \"com.microsoft\"; version 1 is taken"]
    );
    let opset = OperatorSetIdProto { domain: Some("com.microsoft".into()), version: Some(1) };
    assert!(imported.model.opset_import.contains(&opset), "the written model says so");
    // Of any other domain nothing is known.
    g.node[0].domain = Some("com.example".into());
    assert_eq!(
        messages(&model(17, g)),
        [
            "node \"the_QuickGelu\" (com.example.QuickGelu), domain: the model imports no opset of domain \"com.example\""
        ]
    );
}

/// The default domain decides what every operator means. ONNX Runtime takes its own newest; onnx.checker refuses.
#[test]
fn the_default_opset_must_be_there() {
    let mut m = model(17, chain());
    m.opset_import[0].domain = Some("com.microsoft".into());
    assert!(messages(&m)[0].ends_with("the model imports no opset of domain \"\""));
    m.opset_import.clear();
    assert_eq!(messages(&m), ["opset_import: not an ONNX model: no opset import"]);
    // ONNX Runtime: "Missing model IR version".
    let mut m = model(17, chain());
    m.ir_version = None;
    assert_eq!(messages(&m), ["ir_version: not an ONNX model: no IR version"]);
}

/// ONNX Runtime: accepts a missing name, refuses two nodes of one name.
#[test]
fn names_of_graphs_and_nodes_do_not_matter() {
    let mut g = chain();
    g.name = None;
    g.node[0].name = None;
    g.node[1].name = Some(String::new());
    assert!(read(&model(17, g.clone())).warnings.is_empty());
    g.node.iter_mut().for_each(|n| n.name = Some("same".into()));
    assert_eq!(warnings(&read(&model(17, g))), ["node \"same\" (Neg), name: an earlier node has the same"]);
}

/// ONNX Runtime: takes the raw bytes; onnx.checker refuses.
#[test]
fn data_given_twice_is_refused() {
    let mut g = chain();
    let w = TensorProto { raw_data: Some(vec![0u8; 8].into()), ..floats("w", &[2], &[5.0, 6.0]) };
    g.initializer.push(w);
    assert_eq!(messages(&model(17, g)), ["initializer w: data is given twice: as raw bytes and in a typed field"]);
}

/// ONNX Runtime: accepted.
#[test]
fn optional_operands_and_results_may_be_absent() {
    let mut g = graph(
        vec![node("Clip", &["x", "", "hi"], &["c", ""]), node("Dropout", &["c", "", ""], &["y", ""])],
        vec![value("x", F32, &["2"])],
        vec![value("y", F32, &["2"])],
    );
    g.node[0].output.pop();
    g.initializer.push(floats("hi", &[], &[0.5]));
    let imported = read(&model(17, g));
    assert_eq!(run(&imported, &[1.0, -2.0]), [0.5, -2.0]);
    assert_eq!(imported.sites[1].outputs.len(), 1);
}

/// ONNX Runtime: refused as here.
#[test]
fn dead_nodes_are_checked_like_all_others() {
    let mut g = chain();
    g.node.push(node("MatMul", &["x", "v"], &["dead"]));
    g.input.push(value("v", F32, &["3"]));
    assert_eq!(messages(&model(17, g)), ["node \"the_MatMul\" (MatMul), inputs: shape [2] does not fit [3]"]);
}

/// y = if `condition` then -x else x[2] · v[3], which is no product.
fn branching(condition: &str) -> GraphProto {
    let branch = |n: NodeProto| {
        let result = value(&n.output[0], F32, &["2"]);
        graph(vec![n], vec![], vec![result])
    };
    let choice = node("If", &[condition], &["y"])
        .with(body("then_branch", branch(node("Neg", &["x"], &["negative"]))))
        .with(body("else_branch", branch(node("MatMul", &["x", "v"], &["product"]))));
    let mut g = graph(vec![choice], vec![value("x", F32, &["2"])], vec![value("y", F32, &["2"])]);
    g.initializer.push(floats("v", &[3], &[1.0, 2.0, 3.0]));
    g
}

fn truth(name: &str, is: bool) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        data_type: Some(BOOL),
        int32_data: vec![i32::from(is)],
        ..TensorProto::default()
    }
}

/// Which branch is taken is known, and it is the other one.
#[test]
fn a_dead_branch_may_be_ill_typed() {
    let mut g = branching("always");
    g.initializer.push(truth("always", true));
    let imported = read(&model(17, g.clone()));
    assert!(imported.opaque_reasons.is_empty());
    assert_eq!(run(&imported, &[1.0, -2.0]), [-1.0, 2.0]);
    // The branch that is taken may not be.
    g.initializer[1] = truth("always", false);
    assert_eq!(messages(&model(17, g)), ["node \"the_MatMul\" (MatMul), inputs: shape [2] does not fit [3]"]);
}

/// Nothing says that it is dead, but it cannot run: the node stays as it came, with the reason, and all else is read.
#[test]
fn a_branch_that_cannot_run_keeps_its_node() {
    let mut g = branching("which");
    g.input.push(value("which", BOOL, &[]));
    let imported = read(&model(17, g.clone()));
    let reasons: Vec<&str> = imported.opaque_reasons.iter().map(|r| r.reason.as_str()).collect();
    assert_eq!(reasons, ["a branch that cannot run: node \"the_MatMul\" (MatMul), inputs: shape [2] does not fit [3]"]);
    // Where none of the branches can, the model is wrong.
    g.node[0].attribute[0].g = g.node[0].attribute[1].g.clone();
    assert_eq!(messages(&model(17, g)).len(), 2);
}

/// ONNX Runtime: accepted (and dropped).
#[test]
fn constants_that_nobody_reads_are_no_fault() {
    let mut g = chain();
    g.initializer.push(floats("unused", &[2], &[1.0, 2.0]));
    let bytes = model(17, g).encode_to_vec();
    let imported = read_bytes(bytes.into(), None, &ReadOptions::default()).unwrap();
    assert!(imported.warnings.is_empty());
    assert_eq!(run(&imported, &[1.0, -2.0]), [-1.0, -0.0]);
}
