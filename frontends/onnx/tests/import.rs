//! Import beyond single operators: the interface and everything around the graph is kept, symbols go through, functions
//! are inlined, what has no lowering stays.

mod common;

use std::path::{Path, PathBuf};

use common::*;
use egret_ir::op::Op;
use egret_ir::{Symbol, Type, check};
use egret_onnx::proto::{
    AttributeProto, FunctionProto, OperatorSetIdProto, ValueInfoProto, attribute_proto::AttributeType,
};
use egret_onnx::{Imported, ReadOptions, SiteKind, decode, read};

/// The twelve trap models that the whole workspace is tested on.
fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verification/cases").join(name)
}

fn import_case(name: &str) -> Imported {
    let imported = read(&case(name), &ReadOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    if let Err(reports) = check(imported.graph.clone()) {
        panic!("{name}: {}", reports[0]);
    }
    imported
}

#[test]
fn the_twelve_cases_import_with_their_interface() {
    let folder = case("");
    let mut seen = 0;
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.retain(|p| p.extension().is_some_and(|e| e == "onnx"));
    names.sort();
    for name in names.iter().filter_map(|p| p.file_name()?.to_str()) {
        let imported = import_case(name);
        let original = decode(std::fs::read(case(name)).unwrap().into()).unwrap();
        let graph = original.graph.as_ref().unwrap();
        let outputs: Vec<&str> = imported.graph.outputs.iter().map(|o| &*o.name).collect();
        assert_eq!(outputs, graph.output.iter().map(ValueInfoProto::name).collect::<Vec<_>>(), "{name}");
        let inputs: Vec<&str> = imported.graph.inputs.iter().map(|i| &*i.name).collect();
        assert_eq!(inputs, graph.input.iter().map(ValueInfoProto::name).collect::<Vec<_>>(), "{name}");
        assert_eq!(imported.model.metadata_props, original.metadata_props, "{name}");
        assert_eq!(imported.model.model_version, original.model_version, "{name}");
        assert_eq!(imported.model.graph.as_ref().unwrap().doc_string, graph.doc_string, "{name}");
        let control = graph.node.iter().any(|n| ["If", "Loop"].contains(&n.op_type()));
        if original.functions.is_empty() && !control {
            let nodes: Vec<_> = imported.sites.iter().map(|s| (*s.node).clone()).collect();
            assert_eq!(nodes, graph.node, "{name}: sites are the nodes");
        }
        seen += 1;
    }
    assert_eq!(seen, 12);
}

#[test]
fn bodies_of_control_flow_are_closed_graphs() {
    let imported = import_case("09-subgraph-capture.onnx");
    assert!(imported.opaque_reasons.is_empty(), "{:?}", imported.opaque_reasons);
    let live = imported.graph.live();
    let nodes = imported.graph.values().filter(|v| live[v.index()]).map(|v| imported.graph.node(v));
    let branches = nodes.filter(|n| matches!(n.op, Op::If(_))).count();
    // The Loop's trip count and condition are known: its iterations are nodes of the graph.
    assert_eq!(branches, 1);
    assert_eq!(imported.bodies.len(), imported.graph.tables.bodies.len());
    assert!(check(imported.graph).is_ok());
}

#[test]
fn listed_initializers_are_defaults_from_ir_version_4_on() {
    let mut g = graph(
        vec![node("Add", &["x", "w"], &["y"])],
        vec![value("x", F32, &["2"]), value("w", F32, &["2"])],
        vec![value("y", F32, &["2"])],
    );
    g.initializer.push(floats("w", &[2], &[1.0, 2.0]));
    let mut m = model(9, g);
    let imported = import(&m).unwrap();
    assert_eq!(imported.graph.inputs.len(), 2);
    assert!(imported.graph.inputs[1].default.is_some());
    m.ir_version = Some(3);
    let imported = import(&m).unwrap();
    assert_eq!(imported.graph.inputs.len(), 1);
    assert!(matches!(imported.graph.node(imported.values["w"]).op, Op::Const(_)));
    assert_eq!(imported.model.graph.as_ref().unwrap().input.len(), 2, "still listed");
}

fn shape_of(imported: &Imported, name: &str) -> Vec<String> {
    let Type::Tensor(t) = imported.graph.ty(imported.values[name]) else { panic!("{name} is no tensor") };
    t.shape.iter().map(ToString::to_string).collect()
}

/// x[b, s, 6] through Shape, Gather, Div, Concat, Reshape into heads, and back.
fn heads() -> egret_onnx::proto::ModelProto {
    let mut g = graph(
        vec![
            node("Shape", &["x"], &["shape"]),
            node("Gather", &["shape", "zero"], &["b"]),
            node("Gather", &["shape", "one"], &["s"]),
            node("Gather", &["shape", "two"], &["d"]),
            node("Div", &["d", "three"], &["w"]),
            node("Unsqueeze", &["b", "axis"], &["b1"]),
            node("Unsqueeze", &["s", "axis"], &["s1"]),
            node("Unsqueeze", &["w", "axis"], &["w1"]),
            node("Concat", &["b1", "s1", "axis3", "w1"], &["to"]).with(int("axis", 0)),
            node("Reshape", &["x", "to"], &["y"]),
            node("Reshape", &["y", "flat"], &["z"]),
        ],
        vec![value("x", F32, &["batch", "", "6"])],
        vec![value("z", F32, &["", "", ""])],
    );
    g.initializer.extend([
        longs("zero", &[], &[0]),
        longs("one", &[], &[1]),
        longs("two", &[], &[2]),
        longs("three", &[], &[3]),
        longs("axis", &[1], &[0]),
        longs("axis3", &[1], &[3]),
        longs("flat", &[3], &[0, -1, 6]),
    ]);
    model(13, g)
}

#[test]
fn shape_arithmetic_is_evaluated_with_symbols() {
    let imported = import(&heads()).unwrap();
    assert!(imported.opaque_reasons.is_empty());
    assert_eq!(shape_of(&imported, "y"), ["batch", "x.1", "3", "2"]);
    assert_eq!(shape_of(&imported, "z"), ["batch", "x.1", "6"]);
    assert!(check(imported.graph).is_ok());
}

#[test]
fn extents_are_bound_by_name_and_by_place() {
    let by_name = ReadOptions { dims: vec![("batch".into(), 2), ("x.1".into(), 5)], ..ReadOptions::default() };
    let by_place = ReadOptions { shapes: vec![("x".into(), vec![2, 5, 6])], ..ReadOptions::default() };
    for options in [by_name, by_place] {
        let imported = import_with(&heads(), &options).unwrap();
        assert_eq!(shape_of(&imported, "y"), ["2", "5", "3", "2"]);
        assert_eq!(imported.bound.get(&Symbol::new("batch")), Some(&2));
    }
}

#[test]
fn ambiguous_broadcasts_are_decided_when_the_model_runs() {
    let m = model(
        13,
        graph(
            vec![node("Add", &["x", "y"], &["z"]), node("Relu", &["z"], &["r"])],
            vec![value("x", F32, &["a", "2"]), value("y", F32, &["b", "2"])],
            vec![value("r", F32, &["", "2"])],
        ),
    );
    let imported = import(&m).unwrap();
    assert!(imported.opaque_reasons.is_empty(), "{:?}", imported.opaque_reasons);
    let graph = check(imported.graph).unwrap();
    let run = |x: &[f32], y: &[f32]| {
        let t = |v: &[f32]| egret_ir::Tensor::from_slice([v.len() / 2, 2], v).unwrap();
        let out = egret_ir::eval::native(&graph, &[t(x), t(y)])?;
        Ok::<_, egret_ir::eval::EvalError>((out[0].shape().to_vec(), out[0].to_f64()))
    };
    assert_eq!(run(&[1., 2.], &[10., 20., 30., -40.]), Ok((vec![2, 2], vec![11., 22., 31., 0.])));
    assert_eq!(run(&[10., 20., 30., -40.], &[1., 2.]), Ok((vec![2, 2], vec![11., 22., 31., 0.])));
    assert_eq!(run(&[1., 2., 3., 4.], &[10., 20., 30., 40.]), Ok((vec![2, 2], vec![11., 22., 33., 44.])));
    assert_eq!(run(&[1., 2.], &[3., 4.]), Ok((vec![1, 2], vec![4., 6.])));
    assert_eq!(run(&[], &[3., 4.]), Ok((vec![0, 2], vec![])));
    // 3 rows and 2 do not go together.
    assert!(run(&[1., 2., 3., 4., 5., 6.], &[1., 2., 3., 4.]).is_err());
    assert!(run(&[1., 2., 3., 4.], &[1., 2., 3., 4., 5., 6.]).is_err());
    assert!(run(&[], &[1., 2., 3., 4.]).is_err());
}

#[test]
fn an_extent_that_must_be_within_a_table_is_bounded() {
    // x[s, 4] + table[0:s] of 512 rows: runs only where s is at most 512.
    let mut g = graph(
        vec![
            node("Shape", &["x"], &["shape"]),
            node("Slice", &["shape", "zero", "one"], &["s"]),
            node("Slice", &["table", "zero", "s"], &["rows"]),
            node("Add", &["x", "rows"], &["y"]),
        ],
        vec![value("x", F32, &["s", "4"])],
        vec![value("y", F32, &["s", "4"])],
    );
    g.initializer.extend([
        longs("zero", &[1], &[0]),
        longs("one", &[1], &[1]),
        floats("table", &[512, 4], &[0.5; 2048]),
    ]);
    let imported = import(&model(13, g)).unwrap();
    assert!(imported.opaque_reasons.is_empty(), "{:?}", imported.opaque_reasons);
    assert_eq!(shape_of(&imported, "y"), ["s", "4"]);
    assert_eq!(imported.graph.tables.symbols.info(&Symbol::new("s")).max, 512);
}

#[test]
fn unknown_operators_and_domains_stay() {
    let mut custom = node("Frobnicate", &["x", "", "x"], &["y"]);
    custom.domain = Some("com.example".into());
    let mut m = model(
        13,
        graph(
            vec![custom.clone(), node("Relu", &["y"], &["z"])],
            vec![value("x", F32, &["2"])],
            vec![value("z", F32, &["2"])],
        ),
    );
    m.opset_import.push(OperatorSetIdProto { domain: Some("com.example".into()), version: Some(3) });
    let imported = import(&m).unwrap();
    assert_eq!(*imported.sites[0].node, custom);
    assert_eq!(imported.sites[0].inputs.len(), 3);
    assert!(imported.sites[0].inputs[1].is_none());
    assert_eq!(imported.opaque_reasons[0].reason, "operators of domain com.example");
    let Op::Opaque(id) = imported.graph.node(imported.graph.node(imported.values["y"]).args[0]).op else { panic!() };
    assert!(imported.graph.tables.opaque_def(id).site.is_some(), "nobody knows whether it is pure");
}

#[test]
fn functions_are_inlined_with_attributes_per_call() {
    let scaled = FunctionProto {
        name: Some("Leaky".into()),
        domain: Some("f".into()),
        input: vec!["a".into()],
        output: vec!["b".into()],
        attribute: vec!["slope".into()],
        node: vec![
            node("LeakyRelu", &["a"], &["t"]).with(AttributeProto {
                name: Some("alpha".into()),
                ref_attr_name: Some("slope".into()),
                r#type: Some(AttributeType::Float as i32),
                ..Default::default()
            }),
            node("Neg", &["t"], &["b"]),
        ],
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(16) }],
        ..Default::default()
    };
    let call = |input: &str, output: &str, slope: f32| {
        let mut n = node("Leaky", &[input], &[output]).with(float("slope", slope));
        n.domain = Some("f".into());
        n.name = Some(format!("call_{output}"));
        n
    };
    let mut m = model(
        17,
        graph(
            vec![call("x", "y", 0.5), call("y", "z", 0.25)],
            vec![value("x", F32, &["2"])],
            vec![value("z", F32, &["2"])],
        ),
    );
    m.opset_import.push(OperatorSetIdProto { domain: Some("f".into()), version: Some(1) });
    m.functions = vec![scaled];
    let imported = import(&m).unwrap();
    let found: Vec<(String, Vec<String>, Vec<String>)> = imported
        .sites
        .iter()
        .map(|s| (s.node.name().to_owned(), s.node.input.clone(), s.node.output.clone()))
        .collect();
    let row =
        |name: &str, input: &str, output: &str| (name.to_owned(), vec![input.to_owned()], vec![output.to_owned()]);
    assert_eq!(
        found,
        [
            row("call_y/the_LeakyRelu", "x", "y/t"),
            row("call_y/the_Neg", "y/t", "y"),
            row("call_z/the_LeakyRelu", "y", "z/t"),
            row("call_z/the_Neg", "z/t", "z"),
        ]
    );
    let alphas: Vec<f32> = imported.sites.iter().filter_map(|s| s.node.attribute.first()?.f).collect();
    assert_eq!(alphas, [0.5, 0.25]);
    assert!(imported.functions.is_empty());
    let x = egret_ir::Tensor::from_slice([2], &[-8.0f32, 4.0]).unwrap();
    let y = egret_ir::eval::native(&imported.graph, &[x]).unwrap();
    assert_eq!(y[0].to_vec::<f32>(), Some(vec![-4.0, 1.0]));
}

#[test]
fn a_function_of_another_meaning_is_read_with_its_own_opset() {
    // Softmax meant something else in opset 11.
    let f = FunctionProto {
        name: Some("Old".into()),
        domain: Some("f".into()),
        input: vec!["a".into()],
        output: vec!["b".into()],
        node: vec![node("Softmax", &["a"], &["b"])],
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(11) }],
        ..Default::default()
    };
    let mut call = node("Old", &["x"], &["y"]);
    call.domain = Some("f".into());
    let mut m = model(13, graph(vec![call], vec![value("x", F32, &["2", "3"])], vec![value("y", F32, &["2", "3"])]));
    m.opset_import.push(OperatorSetIdProto { domain: Some("f".into()), version: Some(1) });
    m.functions = vec![f];
    let imported = import(&m).unwrap();
    assert!(imported.opaque_reasons.is_empty());
    // Where nothing else is possible, the call is written as it came.
    let kinds: Vec<SiteKind> = imported.sites.iter().map(|s| s.kind).collect();
    assert_eq!(kinds, [SiteKind::OtherOpset, SiteKind::Call]);
    assert_eq!(imported.functions.len(), 1);
}

#[test]
fn two_imports_are_equal() {
    for name in ["04-qdq-axis.onnx", "12-local-functions.onnx"] {
        let (a, b) = (import_case(name), import_case(name));
        assert_eq!(a.graph.nodes(), b.graph.nodes());
        assert_eq!(a.values, b.values);
    }
}

#[test]
fn a_fixed_value_is_a_constant_behind_an_input_that_stays() {
    let m = model(
        13,
        graph(
            vec![node("Reshape", &["x", "shape"], &["y"])],
            vec![value("x", F32, &["n"]), value("shape", I64, &["k"])],
            vec![value("y", F32, &["", ""])],
        ),
    );
    let open = import(&m).unwrap();
    assert_eq!(open.opaque_reasons.len(), 1);
    let with = |name: &str, text: &str| {
        let values = vec![(name.to_owned(), egret_onnx::Frozen::Text(text.to_owned()))];
        import_with(&m, &ReadOptions { values, ..ReadOptions::default() })
    };
    let imported = with("shape", "[2,-1]").unwrap();
    assert!(imported.opaque_reasons.is_empty());
    assert_eq!(shape_of(&imported, "y"), ["2", "exact(n,2)"]);
    let inputs: Vec<String> = imported.graph.inputs.iter().map(|i| format!("{} {}", i.name, i.ty)).collect();
    assert_eq!(inputs, ["x f32[n]", "shape i64[2]"]);
    assert_eq!(imported.bound.get(&Symbol::new("k")), Some(&2));
    assert!(check(imported.graph).is_ok());
    let message = |name: &str, text: &str| with(name, text).unwrap_err()[0].to_string();
    assert_eq!(message("axes", "[2]"), "--value: the model has no input \"axes\"");
    assert_eq!(message("shape", "[2,x]"), "--value: shape is not allowed: `x` is no i64");
    assert_eq!(message("shape", "2"), "--value: shape=[] contradicts the model's [k]");
}

#[test]
fn random_operators_stay_with_their_types() {
    let m = model(
        22,
        graph(
            vec![
                node("RandomNormal", &[], &["a"]).with(ints("shape", &[2, 3])).with(int("dtype", 11)),
                node("RandomUniformLike", &["x"], &["b"]),
                node("Bernoulli", &["x"], &["c"]).with(int("dtype", 9)),
                node("Multinomial", &["x"], &["d"]).with(int("sample_size", 5)),
            ],
            vec![value("x", F32, &["n", "4"])],
            ["a", "b", "c", "d"].map(|y| value(y, F32, &[])).to_vec(),
        ),
    );
    let imported = import(&m).unwrap();
    assert_eq!(imported.opaque_reasons.len(), 4);
    assert!(imported.opaque_reasons[0].reason.contains("random"));
    let types: Vec<String> = imported.graph.outputs.iter().map(|o| imported.graph.ty(o.value).to_string()).collect();
    assert_eq!(types, ["f64[2,3]", "f32[n,4]", "bool[n,4]", "i32[n,5]"]);
    // Equal nodes draw twice.
    let sites: Vec<_> = imported.graph.tables.opaques.iter().map(|o| o.site).collect();
    assert!(sites.iter().all(Option::is_some));
}
