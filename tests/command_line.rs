//! The `egret` program: exit codes, messages that name a place, no file left by a failed run, and the README's block.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto, tensor_shape_proto, type_proto,
};
use prost::Message as _;

fn egret(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_egret")).args(args).output().expect("egret starts")
}

fn value(name: &str, elem_type: i32, shape: &[i64]) -> ValueInfoProto {
    let dim = shape
        .iter()
        .map(|d| tensor_shape_proto::Dimension {
            value: Some(tensor_shape_proto::dimension::Value::DimValue(*d)),
            ..Default::default()
        })
        .collect();
    let tensor = type_proto::Tensor { elem_type: Some(elem_type), shape: Some(TensorShapeProto { dim }) };
    ValueInfoProto {
        name: Some(name.into()),
        r#type: Some(TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..Default::default() }),
        ..Default::default()
    }
}

fn node(op: &str, name: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    NodeProto {
        op_type: Some(op.into()),
        name: Some(name.into()),
        input: inputs.iter().map(|s| (*s).to_owned()).collect(),
        output: outputs.iter().map(|s| (*s).to_owned()).collect(),
        ..Default::default()
    }
}

const FLOAT: i32 = 1;

/// `y = f(x)` with x and y f32[2,3], the nodes given, at opset 17.
fn model(nodes: Vec<NodeProto>) -> ModelProto {
    ModelProto {
        ir_version: Some(9),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        graph: Some(GraphProto {
            name: Some("g".into()),
            node: nodes,
            input: vec![value("x", FLOAT, &[2, 3])],
            output: vec![value("y", FLOAT, &[2, 3])],
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Runs `optimize` and `compile` on these bytes: both must fail with exit 2, say each of the words, and leave nothing.
fn refused(case: &str, bytes: &[u8], words: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in.onnx");
    std::fs::write(&input, bytes).expect("writable");
    for (command, out) in [("optimize", "out.onnx"), ("compile", "out.so")] {
        let target = folder.path().join(out);
        let done = egret(&[command, &input.display().to_string(), "-o", &target.display().to_string()]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{case}, {command}: {said}");
        for w in words {
            assert!(said.contains(w), "{case}, {command}: `{w}` is not in\n{said}");
        }
        assert!(!said.contains("panicked"), "{case}: {said}");
    }
    let left: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).expect("readable").map(|e| e.expect("readable").path()).collect();
    assert_eq!(left, [input], "{case}: files left");
}

#[test]
fn bad_models_are_refused_with_a_place() {
    let good = model(vec![node("Relu", "r", &["x"], &["y"])]).encode_to_vec();
    refused("garbage", b"this is no model at all", &[]);
    refused("empty", b"", &[]);
    refused("truncated", &good[..good.len() - 7], &[]);
    refused(
        "cycle",
        &model(vec![node("Relu", "a", &["v"], &["y"]), node("Abs", "b", &["y"], &["v"])]).encode_to_vec(),
        &["a"],
    );
    refused(
        "undefined",
        &model(vec![node("Relu", "r", &["nowhere"], &["y"])]).encode_to_vec(),
        &["r", "Relu", "nowhere"],
    );
    let twice = vec![node("Relu", "r", &["x"], &["y"]), node("Abs", "again", &["x"], &["y"])];
    refused("defined twice", &model(twice).encode_to_vec(), &["again", "Abs", "y"]);
    refused(
        "missing attribute",
        &model(vec![node("Concat", "c", &["x"], &["y"])]).encode_to_vec(),
        &["c", "Concat", "axis"],
    );
    let mut opset = model(vec![node("Relu", "r", &["x"], &["y"])]);
    opset.opset_import[0].version = Some(999);
    refused("unknown opset", &opset.encode_to_vec(), &["999"]);
    let mut dtype = model(vec![node("And", "both", &["x", "x"], &["y"])]);
    dtype.graph.as_mut().expect("a graph").output = vec![value("y", 9, &[2, 3])];
    refused("wrong dtype", &dtype.encode_to_vec(), &["both", "And"]);
}

#[test]
fn all_problems_are_listed() {
    let nodes = vec![node("Relu", "first", &["nowhere"], &["v"]), node("Abs", "second", &["nobody"], &["y"])];
    refused("two problems", &model(nodes).encode_to_vec(), &["first", "nowhere", "second", "nobody"]);
}

#[test]
fn absurd_sizes_cost_nothing() {
    let mut huge = model(vec![node("Relu", "r", &["x"], &["y"])]);
    let graph = huge.graph.as_mut().expect("a graph");
    graph.initializer = vec![TensorProto {
        name: Some("w".into()),
        data_type: Some(FLOAT),
        dims: vec![1 << 60, 1 << 60],
        ..Default::default()
    }];
    refused("2^60 by 2^60 elements", &huge.encode_to_vec(), &["w"]);
    let mut flat = node("Flatten", "f", &["x"], &["y"]);
    flat.attribute =
        vec![AttributeProto { name: Some("axis".into()), i: Some(1), r#type: Some(2), ..Default::default() }];
    let mut wide = model(vec![flat]);
    wide.graph.as_mut().expect("a graph").input = vec![value("x", FLOAT, &[1 << 40, 1 << 40])];
    refused("an input of 2^80 elements", &wide.encode_to_vec(), &[]);
}

/// Every command that reads a model tells what it passed over.
#[test]
fn what_is_odd_about_a_model_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut odd = model(vec![node("Relu", "r", &["x"], &["y"])]);
    odd.graph.as_mut().expect("a graph").output = vec![value("y", FLOAT, &[2, 3, 1])];
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (input, optimized, library) = (path("in.onnx"), path("out.onnx"), path("out.so"));
    std::fs::write(&input, odd.encode_to_vec()).expect("writable");
    let runs: &[&[&str]] = &[
        &["optimize", &input, "-o", &optimized],
        &["compile", &input, "-o", &library],
        &["ops", &input],
        &["run", &input, "--engine", "interpreter"],
        &["run", &input],
        &["verify", &input, "--oracle", "interpreter"],
        &["verify", &input, &library],
    ];
    let told = "output y: declared as f32[2,3,1], but it is f32[2,3]";
    for args in runs {
        let done = egret(args);
        let [out, err] = [&done.stdout, &done.stderr].map(|s| String::from_utf8_lossy(s).into_owned());
        assert_eq!(done.status.code(), Some(0), "{args:?}: {err}");
        assert_eq!((out + &err).matches(told).count(), 1, "{args:?}");
    }
}

#[test]
fn ops_tells_what_is_modelled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in.onnx");
    let path = input.display().to_string();
    let run = |nodes: Vec<NodeProto>| {
        std::fs::write(&input, model(nodes).encode_to_vec()).expect("writable");
        let done = egret(&["ops", &path, "--json"]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
        (done.status.code(), json)
    };
    let relu = |from: &str, to: &str| node("Relu", to, &[from], &[to]);
    let (code, all) = run(vec![relu("x", "a"), node("Dropout", "d", &["a"], &["b"]), relu("b", "y")]);
    assert_eq!((code, &all["complete"]), (Some(0), &true.into()), "{all}");
    let rows = all["operators"].as_array().expect("a list");
    let row = |name: &str| rows.iter().find(|r| r["operator"] == name).expect("a row");
    assert_eq!((&row("Relu")["nodes"], &row("Relu")["opset"]), (&2.into(), &17.into()), "{all}");
    assert_eq!(row("Relu")["kinds"].as_array().map(|k| k.contains(&"map".into())), Some(true), "{all}");
    assert_eq!(row("Dropout")["kinds"].as_array().map(Vec::len), Some(0), "an alias: {all}");

    // A node that no output needs is no obstacle; one that an output needs is.
    let noise = |to: &str| node("RandomNormalLike", to, &["x"], &[to]);
    let (code, all) = run(vec![noise("n"), relu("x", "y")]);
    assert_eq!((code, &all["complete"]), (Some(0), &true.into()), "{all}");
    let (code, all) = run(vec![noise("n"), node("Add", "sum", &["x", "n"], &["y"])]);
    assert_eq!((code, &all["complete"]), (Some(3), &false.into()), "{all}");
    let rows = all["operators"].as_array().expect("a list");
    let row = rows.iter().find(|r| r["operator"] == "RandomNormalLike").expect("a row");
    assert_eq!((&row["interpreter"], &row["c"], &row["onnx"]), (&false.into(), &false.into(), &true.into()));
}

#[test]
fn what_cannot_be_compiled_is_listed_and_exits_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in.onnx");
    let nodes = vec![
        node("RandomNormalLike", "noise", &["x"], &["n"]),
        node("Bernoulli", "coin", &["n"], &["d"]),
        node("Add", "sum", &["x", "n"], &["y"]),
    ];
    let mut random = model(nodes);
    random.graph.as_mut().expect("a graph").output.push(value("d", FLOAT, &[2, 3]));
    std::fs::write(&input, random.encode_to_vec()).expect("writable");
    let out = folder.path().join("out.so").display().to_string();
    let done = egret(&["compile", &input.display().to_string(), "-o", &out]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(3), "{said}");
    for w in ["noise", "RandomNormalLike", "coin", "Bernoulli"] {
        assert!(said.contains(w), "`{w}` is not in\n{said}");
    }
    assert!(!Path::new(&out).exists());
    let kept = folder.path().join("out.onnx").display().to_string();
    let done = egret(&["optimize", &input.display().to_string(), "-o", &kept]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
}

/// `y = |relu(x)|` with the first extent open.
fn open_model() -> ModelProto {
    let mut open = model(vec![node("Relu", "r", &["x"], &["v"]), node("Abs", "a", &["v"], &["y"])]);
    let graph = open.graph.as_mut().expect("a graph");
    for value in graph.input.iter_mut().chain(&mut graph.output) {
        let Some(TypeProto { value: Some(type_proto::Value::TensorType(t)), .. }) = &mut value.r#type else { panic!() };
        t.shape.as_mut().expect("a shape").dim[0].value =
            Some(tensor_shape_proto::dimension::Value::DimParam("batch".into()));
    }
    open
}

#[test]
fn open_extents_are_decided_at_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("in.onnx");
    std::fs::write(&input, open_model().encode_to_vec()).expect("writable");
    let (input, out) = (input.display().to_string(), folder.path().join("out.so").display().to_string());
    let done = egret(&["compile", &input, "-o", &out, "--dim", "batch=1..4"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let run = |batch: &str| egret(&["run", &out, "--dim", batch, "--json"]);
    for (batch, shape) in [("batch=1", "f32[1,3]"), ("batch=4", "f32[4,3]")] {
        let done = run(batch);
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && said.contains(shape), "{said}{}", String::from_utf8_lossy(&done.stderr));
    }
    let done = run("batch=5");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(["input `x`", "axis 0", "batch", "1..4"].iter().all(|w| said.contains(w)), "{said}");
    let done = egret(&["run", &out]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && said.contains("input `x`") && said.contains("batch"), "{said}");
    let done = egret(&["verify", &input, &out, "--dim", "batch=3"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn usage_errors_name_the_option() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases/03-gemm-forming.onnx");
    let case = case.display().to_string();
    for (option, text) in [("--dim", "batch"), ("--dim", "batch=-1"), ("--dim", "batch=5..2"), ("--shape", "x=1,a")] {
        let done = egret(&["optimize", &case, "-o", "unused.onnx", option, text]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(option) && said.contains(text), "{said}");
    }
    assert_eq!(egret(&["frobnicate"]).status.code(), Some(2));
    assert_eq!(egret(&["optimize", "no/such/file.onnx", "-o", "unused.onnx"]).status.code(), Some(2));
    assert!(!Path::new("unused.onnx").exists());
}

#[test]
fn every_level_has_a_text_form() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases/03-gemm-forming.onnx");
    for (level, word) in [
        ("graph", "contract {"),
        ("egraph", "classes "),
        ("kernels", "kernel k0"),
        ("expr", "\u{3a3}"),
        ("loops", "parallel tile"),
        ("c", "#include \"prelude.h\""),
    ] {
        let done = egret(&["lower", &case.display().to_string(), "--to", level]);
        assert_eq!(done.status.code(), Some(0), "{level}: {}", String::from_utf8_lossy(&done.stderr));
        let text = String::from_utf8(done.stdout).expect("UTF-8");
        assert!(text.contains(word), "{level}: no `{word}` in\n{text}");
        if level == "graph" {
            let graph = egret_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(egret_ir::text::print(&graph), text);
        }
    }
}

#[test]
fn a_changed_weight_is_not_equal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases/06-bn-shared-weight.onnx");
    let mut model = ModelProto::decode(&*std::fs::read(&case).expect("readable")).expect("a model");
    let graph = model.graph.as_mut().expect("a graph");
    let weight = graph.initializer.iter_mut().find(|t| t.dims.len() == 4).expect("a convolution's weight");
    let mut bytes = weight.raw_data.as_ref().expect("raw data").to_vec();
    let channel = bytes.len() / weight.dims[0] as usize;
    for x in bytes[..channel].chunks_exact_mut(4) {
        let scaled = f32::from_le_bytes([x[0], x[1], x[2], x[3]]) * 1.001;
        x.copy_from_slice(&scaled.to_le_bytes());
    }
    weight.raw_data = Some(bytes.into());
    let changed = folder.path().join("changed.onnx");
    std::fs::write(&changed, model.encode_to_vec()).expect("writable");
    let (a, b) = (case.display().to_string(), changed.display().to_string());
    let done = egret(&["verify", &a, &b, "--oracle", "interpreter"]);
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stdout));
    let done = egret(&["verify", &a, &a, "--oracle", "interpreter"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn the_readme_block_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let block = readme.split("## Ten lines").nth(1).and_then(|t| t.split("```").nth(1)).expect("the block");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let built =
        Command::new(env!("CARGO")).args(["build", "--quiet", "--example", "make_model"]).current_dir(root).status();
    assert!(built.expect("cargo starts").success());
    let lines: Vec<&str> = block.lines().filter_map(|l| l.strip_prefix("$ ")).collect();
    assert_eq!(lines.len(), 10);
    for line in lines {
        if line == "cargo build --release" {
            continue;
        }
        let example = Path::new(env!("CARGO_BIN_EXE_egret")).with_file_name("examples").join("make_model");
        let line = line
            .replace("cargo run --release --example make_model", &example.display().to_string())
            .replace("target/release/egret", env!("CARGO_BIN_EXE_egret"))
            .replace(" target/", &format!(" {}/", folder.path().display()));
        let done = Command::new("sh").args(["-c", &line]).output().expect("a shell");
        assert!(done.status.success(), "{line}\n{}", String::from_utf8_lossy(&done.stderr));
        assert!(
            line.contains("compile") || !done.stdout.is_empty() || line.contains("make_model"),
            "{line}: says nothing"
        );
    }
}
