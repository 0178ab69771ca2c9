//! Faulty models: each fault is reported with node, operator and field; nothing panics, nothing allocates by declared
//! sizes.

mod common;

use std::path::Path;

use common::*;
use egret_onnx::proto::{ModelProto, StringStringEntryProto, TensorProto};
use egret_onnx::{ProblemKind, ReadOptions, read, read_bytes};
use prost::Message;

fn relu() -> ModelProto {
    model(
        17,
        graph(
            vec![node("Relu", &["x"], &["y"])],
            vec![value("x", F32, &["2", "3"])],
            vec![value("y", F32, &["2", "3"])],
        ),
    )
}

fn kind(bytes: Vec<u8>) -> ProblemKind {
    read_bytes(bytes.into(), None, &ReadOptions::default()).unwrap_err().problems.remove(0).kind
}

#[test]
fn garbage_and_empty_files() {
    assert!(matches!(kind(vec![]), ProblemKind::NotAModel { part: "content" }));
    assert!(matches!(kind(b"GIF89a not a model at all".to_vec()), ProblemKind::NotProtobuf { .. }));
    assert!(matches!(kind(vec![0xff; 4096]), ProblemKind::NotProtobuf { .. }));
}

#[test]
fn every_truncation_and_every_flipped_byte_is_survived() {
    let bytes = relu().encode_to_vec();
    let mut refused = 0;
    for n in 0..bytes.len() {
        refused += usize::from(read_bytes(bytes[..n].to_vec().into(), None, &ReadOptions::default()).is_err());
        for bit in [1, 0x40, 0x80] {
            let mut flipped = bytes.clone();
            flipped[n] ^= bit;
            let _ = read_bytes(flipped.into(), None, &ReadOptions::default());
        }
    }
    assert_eq!(refused, bytes.len());
}

#[test]
fn a_file_that_is_not_there() {
    let e = read(Path::new("/no/such/model.onnx"), &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().starts_with("cannot read /no/such/model.onnx: "), "{e}");
}

#[test]
fn missing_parts_are_all_named() {
    let m = ModelProto { producer_name: Some("x".into()), ir_version: Some(8), ..Default::default() };
    assert_eq!(
        messages(&m),
        ["opset_import: not an ONNX model: no opset import", "graph: not an ONNX model: no graph"]
    );
}

#[test]
fn unknown_opset_and_ir_version() {
    let mut m = relu();
    m.opset_import[0].version = Some(99);
    m.ir_version = Some(1000);
    assert_eq!(
        messages(&m),
        [
            "ir_version: IR version 1000 is unknown (known: 1 to 14)",
            "opset_import: opset 99 of domain \"\" is unknown (known: 1 to 28)"
        ]
    );
    let mut m = relu();
    m.graph.as_mut().unwrap().node[0].domain = Some("com.other".into());
    assert_eq!(
        messages(&m),
        ["node \"the_Relu\" (com.other.Relu), domain: the model imports no opset of domain \"com.other\""]
    );
}

#[test]
fn names_undefined_and_defined_twice_are_gathered() {
    let nodes = vec![node("Relu", &["nowhere"], &["y"]), node("Neg", &["x"], &["y"]), node("Abs", &["x"], &["x"])];
    let m =
        model(17, graph(nodes, vec![value("x", F32, &["2"]), value("x", F32, &["2"])], vec![value("z", F32, &["2"])]));
    assert_eq!(
        messages(&m),
        [
            "graph input 1: \"x\" is defined twice",
            "node \"the_Neg\" (Neg), output: \"y\" is defined twice",
            "node \"the_Abs\" (Abs), output: \"x\" is defined twice",
            "node \"the_Relu\" (Relu), input 0: \"nowhere\" is not defined",
            "graph output 0: \"z\" is not defined",
        ]
    );
}

#[test]
fn a_capture_that_is_nowhere() {
    let inner = graph(vec![node("Neg", &["outer"], &["o"])], vec![], vec![value("o", F32, &["2"])]);
    let n = node("If", &["c"], &["y"]).with(body("then_branch", inner.clone())).with(body("else_branch", inner));
    let m = model(17, graph(vec![n], vec![value("c", 9, &[])], vec![value("y", F32, &["2"])]));
    assert_eq!(messages(&m), ["node \"the_If\" (If), capture: \"outer\" is not defined"]);
}

#[test]
fn cycles() {
    let nodes = vec![node("Add", &["x", "c"], &["a"]), node("Relu", &["a"], &["b"]), node("Neg", &["b"], &["c"])];
    let m = model(17, graph(nodes, vec![value("x", F32, &["2"])], vec![value("c", F32, &["2"])]));
    assert_eq!(messages(&m), ["node \"the_Add\" (Add), node: the graph has a cycle through a, b, c"]);
}

#[test]
fn unsorted_nodes_are_sorted() {
    let nodes = vec![node("Neg", &["b"], &["c"]), node("Relu", &["a"], &["b"]), node("Abs", &["x"], &["a"])];
    let m = model(17, graph(nodes, vec![value("x", F32, &["2"])], vec![value("c", F32, &["2"])]));
    let imported = import(&m).unwrap();
    let order: Vec<&str> = imported.sites.iter().map(|s| s.node.op_type()).collect();
    assert_eq!(order, ["Abs", "Relu", "Neg"]);
}

#[test]
fn attributes_missing_or_of_the_wrong_type() {
    let nodes = vec![
        node("Cast", &["x"], &["a"]),
        node("Transpose", &["x"], &["b"]).with(int("perm", 1)),
        node("Concat", &["x", "x"], &["c"]),
    ];
    let m = model(17, graph(nodes, vec![value("x", F32, &["2"])], vec![value("a", F32, &["2"])]));
    assert_eq!(
        messages(&m),
        [
            "node \"the_Cast\" (Cast), to: required attribute is missing",
            "node \"the_Transpose\" (Transpose), perm: attribute should be of type ints, is int",
            "node \"the_Concat\" (Concat), axis: required attribute is missing",
        ]
    );
}

#[test]
fn counts_of_operands() {
    let nodes =
        vec![node("Add", &["x"], &["a"]), node("Relu", &["x"], &["b", "c"]), node("Conv", &["x", "", "x"], &["d"])];
    let m = model(17, graph(nodes, vec![value("x", F32, &["2"])], vec![value("a", F32, &["2"])]));
    assert_eq!(
        messages(&m),
        [
            "node \"the_Add\" (Add), inputs: 1 given, 2 to 2 expected",
            "node \"the_Relu\" (Relu), outputs: 2 given, 1 to 1 expected",
            "node \"the_Conv\" (Conv), input W: required input is absent",
        ]
    );
}

#[test]
fn dtypes_ranks_shapes_axes() {
    let nodes = vec![
        node("Sqrt", &["i"], &["a"]),
        node("Add", &["x", "i"], &["b"]),
        node("Gemm", &["v", "x"], &["c"]),
        node("MatMul", &["x", "x"], &["d"]),
        node("Softmax", &["x"], &["e"]).with(int("axis", 7)),
        node("Add", &["x", "w"], &["f"]),
        node("Relu", &["f"], &["g"]),
    ];
    let inputs =
        vec![value("x", F32, &["2", "3"]), value("i", I64, &["3"]), value("v", F32, &["2"]), value("w", F32, &["5"])];
    let m = model(17, graph(nodes, inputs, vec![value("a", F32, &["3"])]));
    let found = messages(&m);
    let expected = [
        "node \"the_Sqrt\" (Sqrt), input X: type i64 is not allowed, expected bf16, f16, f32, f64",
        "node \"the_Add\" (Add), input B: type i64 is not allowed, expected f32, as the other operands of type T",
        "node \"the_Gemm\" (Gemm), input 0: rank 1 is not allowed, expected 2",
        "node \"the_MatMul\" (MatMul), inputs: shape [2, 3] does not fit [2, 3]",
        "node \"the_Softmax\" (Softmax), axis: axis 7 is outside rank 2",
        "node \"the_Add\" (Add), inputs: shape [5] does not fit [3]",
    ];
    assert_eq!(found, expected);
}

#[test]
fn absurd_extents() {
    let huge = (1i64 << 60).to_string();
    let m = model(
        17,
        graph(
            vec![node("Relu", &["x"], &["y"])],
            vec![value("x", F32, &[&huge, &huge])],
            vec![value("y", F32, &["2"])],
        ),
    );
    let found = messages(&m);
    assert_eq!(found, [format!("input x: f32[{huge},{huge}] is too large")]);

    let mut m = relu();
    m.graph.as_mut().unwrap().initializer.push(floats("w", &[1 << 60, 4], &[1.0]));
    m.graph.as_mut().unwrap().initializer.push(floats("v", &[1 << 30, 1 << 20], &[1.0]));
    m.graph.as_mut().unwrap().initializer.push(floats("u", &[-3], &[1.0]));
    let found = messages(&m);
    assert_eq!(found[0], format!("initializer w: f32[{huge}, 4] is too large"));
    assert_eq!(found[1], "initializer v: 4503599627370496 bytes of data expected, 4 found");
    assert_eq!(found[2], "initializer u: extent -3 is negative");

    // Sizes that a node computes.
    let mut g = graph(
        vec![node("ConstantOfShape", &["s"], &["y"]), node("Expand", &["x", "s"], &["z"])],
        vec![value("x", F32, &["1", "1"])],
        vec![value("y", F32, &["", ""])],
    );
    g.initializer.push(longs("s", &[2], &[1 << 60, 1 << 60]));
    assert_eq!(messages(&model(17, g)).len(), 2);
}

#[test]
fn absurd_attributes() {
    let nodes = vec![
        node("MaxPool", &["x"], &["a"]).with(ints("kernel_shape", &[1 << 40, 2])),
        node("MaxPool", &["x"], &["b"]).with(ints("kernel_shape", &[2, 2])).with(ints("strides", &[0, 1])),
        node("MaxPool", &["x"], &["c"]).with(ints("kernel_shape", &[2, 2])).with(ints("pads", &[i64::MAX, 0, 0, 0])),
        node("DepthToSpace", &["x"], &["d"]).with(int("blocksize", i64::MAX)),
        node("LRN", &["x"], &["e"]).with(int("size", -1)),
        node("Split", &["x"], &["f", "h"]).with(int("axis", i64::MIN)),
    ];
    let m = model(13, graph(nodes, vec![value("x", F32, &["1", "4", "8", "8"])], vec![value("a", F32, &["1"])]));
    assert_eq!(messages(&m).len(), 6);
}

#[test]
fn tensor_data_that_does_not_fit() {
    let mut m = relu();
    let g = m.graph.as_mut().unwrap();
    g.initializer.push(floats("w", &[3], &[1.0, 2.0]));
    g.initializer.push(TensorProto {
        name: Some("v".into()),
        data_type: Some(77),
        dims: vec![1],
        ..Default::default()
    });
    g.initializer.push(TensorProto {
        name: Some("u".into()),
        data_type: Some(F32),
        dims: vec![2],
        raw_data: Some(vec![0u8; 9].into()),
        ..Default::default()
    });
    assert_eq!(
        messages(&m),
        [
            "initializer w: 12 bytes of data expected, 8 found",
            "initializer v: data type code 77 is unknown",
            "initializer u: 8 bytes of data expected, 9 found",
        ]
    );
}

/// Signatures, types, and what depends on none of the faulty nodes: one list. A faulty initializer leaves the signatures.
#[test]
fn faults_of_every_kind_are_told_at_once() {
    let nodes = vec![
        node("Relu", &["x", "x"], &["a"]),
        node("Relu", &["a"], &["b"]),
        node("Add", &["x", "n"], &["c"]),
        node("Gather", &["x"], &["d"]),
    ];
    let inputs = vec![value("x", F32, &["2"]), value("n", I64, &["2"])];
    let mut m = model(17, graph(nodes, inputs, vec![value("c", F32, &["2"])]));
    let (relu, add, gather) = (
        r#"node "the_Relu" (Relu), inputs: 2 given, 1 to 1 expected"#,
        r#"node "the_Add" (Add), input B: type i64 is not allowed, expected f32, as the other operands of type T"#,
        r#"node "the_Gather" (Gather), inputs: 1 given, 2 to 2 expected"#,
    );
    assert_eq!(messages(&m), [relu, add, gather]);
    m.graph.as_mut().unwrap().initializer.push(floats("w", &[3], &[1.0, 2.0]));
    assert_eq!(messages(&m), ["initializer w: 12 bytes of data expected, 8 found", relu, gather]);
}

fn external(name: &str, entries: &[(&str, &str)]) -> TensorProto {
    let entry = |(k, v): &(&str, &str)| StringStringEntryProto { key: Some((*k).into()), value: Some((*v).into()) };
    TensorProto {
        name: Some(name.into()),
        data_type: Some(F32),
        dims: vec![2],
        data_location: Some(1),
        external_data: entries.iter().map(entry).collect(),
        ..Default::default()
    }
}

#[test]
fn external_data_stays_in_the_folder_and_in_the_file() {
    let folder = std::env::temp_dir().join(format!("egret-external-{}", std::process::id()));
    let inner = folder.join("model");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(folder.join("secret"), [0u8; 64]).unwrap();
    let bytes: Vec<u8> = [1.0f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(inner.join("weights"), bytes).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.join("secret"), inner.join("link")).unwrap();

    let mut m = relu();
    let g = m.graph.as_mut().unwrap();
    g.initializer.push(external("good", &[("location", "weights"), ("offset", "4"), ("length", "8")]));
    let path = inner.join("model.onnx");
    std::fs::write(&path, m.encode_to_vec()).unwrap();
    let imported = read(&path, &ReadOptions::default()).unwrap();
    let v = imported.initializers["good"].value;
    let egret_ir::Op::Const(egret_ir::op::Const::Dense(id)) = imported.graph.node(v).op else { panic!("a constant") };
    assert_eq!(imported.graph.tables.tensor(id).to_vec::<f32>(), Some(vec![2.0, 3.0]));

    let g = m.graph.as_mut().unwrap();
    g.initializer = vec![
        external("a", &[("location", "../secret")]),
        external("b", &[("location", "/etc/passwd")]),
        external("c", &[("location", "link")]),
        external("d", &[("location", "none")]),
        external("e", &[("location", "weights"), ("offset", "8"), ("length", "8")]),
        external("f", &[("location", "weights"), ("offset", "18446744073709551615"), ("length", "8")]),
        external("g", &[("location", "weights"), ("offset", "-1")]),
        external("h", &[]),
        external("i", &[("location", "weights")]),
    ];
    std::fs::write(&path, m.encode_to_vec()).unwrap();
    let found: Vec<ProblemKind> =
        read(&path, &ReadOptions::default()).unwrap_err().problems.into_iter().map(|p| p.kind).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(found[0], ProblemKind::ExternalOutside { .. }));
    assert!(matches!(found[1], ProblemKind::ExternalOutside { .. }));
    #[cfg(unix)]
    assert!(matches!(found[2], ProblemKind::ExternalOutside { .. }));
    assert!(matches!(found[3], ProblemKind::ExternalUnreadable { .. }));
    assert!(matches!(found[4], ProblemKind::ExternalBeyondEnd { size: 12, offset: 8, length: 8, .. }));
    assert!(matches!(found[5], ProblemKind::ExternalBeyondEnd { .. }));
    assert!(matches!(found[6], ProblemKind::ExternalNumber { .. }));
    assert!(matches!(found[7], ProblemKind::NoLocation));
    assert!(matches!(found[8], ProblemKind::DataLength { expected: 8, got: 12 }));
}

#[test]
fn bindings_that_do_not_fit() {
    let m = model(
        17,
        graph(
            vec![node("Relu", &["x"], &["y"])],
            vec![value("x", F32, &["n", "3"])],
            vec![value("y", F32, &["n", "3"])],
        ),
    );
    let options = ReadOptions {
        dims: vec![("m".into(), 2), ("n".into(), -1)],
        shapes: vec![("z".into(), vec![1]), ("x".into(), vec![1, 4])],
        ..ReadOptions::default()
    };
    let found: Vec<String> = import_with(&m, &options).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "--dim: the model has no dimension \"m\"",
            "--dim: \"n=-1\" is not allowed: an extent is not negative",
            "--shape: the model has no input \"z\"",
            "--shape: x=[1, 4] contradicts the model's [n, 3]",
        ]
        .map(|s| s.replace("\"n=-1\"", "n=-1"))
    );
}

#[test]
fn functions_that_call_themselves() {
    let call = |name: &str| egret_onnx::proto::NodeProto { domain: Some("f".into()), ..node(name, &["a"], &["b"]) };
    let function = |name: &str, callee: &str| egret_onnx::proto::FunctionProto {
        name: Some(name.into()),
        domain: Some("f".into()),
        input: vec!["a".into()],
        output: vec!["b".into()],
        node: vec![call(callee)],
        ..Default::default()
    };
    let mut m = relu();
    m.functions = vec![function("P", "Q"), function("Q", "P")];
    assert_eq!(messages(&m), ["function P: function \"P\" calls itself", "function Q: function \"Q\" calls itself"]);
}

#[test]
fn functions_that_double_at_every_level_are_cut_off() {
    let call = |name: String, a: &str, b: &str| egret_onnx::proto::NodeProto {
        domain: Some("f".into()),
        ..node(&name, &[a], &[b])
    };
    let mut m = relu();
    m.functions = (0..40)
        .map(|i| egret_onnx::proto::FunctionProto {
            name: Some(format!("F{i}")),
            domain: Some("f".into()),
            input: vec!["a".into()],
            output: vec!["c".into()],
            node: if i == 39 {
                vec![node("Relu", &["a"], &["b"]), node("Neg", &["b"], &["c"])]
            } else {
                vec![call(format!("F{}", i + 1), "a", "b"), call(format!("F{}", i + 1), "b", "c")]
            },
            ..Default::default()
        })
        .collect();
    m.graph.as_mut().unwrap().node = vec![call("F0".into(), "x", "y")];
    let found = messages(&m);
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("is too large"), "{found:?}");
}

#[test]
fn functions_nested_too_deeply() {
    let call = |name: String| egret_onnx::proto::NodeProto { domain: Some("f".into()), ..node(&name, &["a"], &["b"]) };
    let mut m = relu();
    m.functions = (0..100_000)
        .map(|i| egret_onnx::proto::FunctionProto {
            name: Some(format!("F{i}")),
            domain: Some("f".into()),
            input: vec!["a".into()],
            output: vec!["b".into()],
            node: vec![if i == 99_999 { node("Relu", &["a"], &["b"]) } else { call(format!("F{}", i + 1)) }],
            ..Default::default()
        })
        .collect();
    assert_eq!(messages(&m), ["function F99799: a nest of over 200 functions is too large"]);
}

/// A node of ONNX Runtime's domain.
fn contributed(op: &str, inputs: &[&str]) -> ModelProto {
    let mut n = node(op, inputs, &["y"]);
    n.domain = Some("com.microsoft".into());
    let values = inputs.iter().map(|name| value(name, F32, &["2", "4"])).collect();
    let mut m = model(17, graph(vec![n], values, vec![value("y", F32, &["2", "4"])]));
    let own = egret_onnx::proto::OperatorSetIdProto { domain: Some("com.microsoft".into()), version: Some(1) };
    m.opset_import.push(own);
    m
}

fn first_node(m: &mut ModelProto) -> &mut egret_onnx::proto::NodeProto {
    &mut m.graph.as_mut().expect("it has a graph").node[0]
}

#[test]
fn operators_of_onnx_runtime_are_checked() {
    let place = |op: &str| format!("node \"the_{op}\" (com.microsoft.{op})");
    assert_eq!(
        messages(&contributed("BiasGelu", &["a"])),
        [format!("{}, inputs: 1 given, 2 to 2 expected", place("BiasGelu"))]
    );
    let m = contributed("QLinearConcat", &["a", "b", "c", "d", "e"]);
    assert_eq!(messages(&m), [format!("{}, axis: required attribute is missing", place("QLinearConcat"))]);
    // What a later ONNX Runtime may have added is no fault, but nothing is known of it.
    let mut m = contributed("QuickGelu", &["a"]);
    first_node(&mut m).attribute.push(int("later", 1));
    let reasons = import(&m).expect("the node stays as it is").opaque_reasons;
    assert_eq!(reasons.iter().map(|r| r.reason.as_str()).collect::<Vec<_>>(), ["attribute later of QuickGelu"]);
    let mut m = contributed("QuickGelu", &["a"]);
    first_node(&mut m).input.push("a".into());
    assert_eq!(import(&m).expect("the node stays as it is").opaque_reasons.len(), 1);
}
