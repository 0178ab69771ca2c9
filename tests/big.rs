//! Models larger than memory should be: weights stay in mapped files from reading to writing.
//!
//! The test makes its model: a stack of residual blocks whose weights lie in a sparse file. The program runs under a limit
//! on its private writable memory (`RLIMIT_DATA`), so its peak is not sampled but enforced: it fails to allocate beyond it.
//! The 3 GiB forms take disk and a while: `cargo xtask test --big`, or `cargo test --test big -- --ignored`.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Command, Output};

use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension::Value as Extent};
use egret_onnx::proto::type_proto::{Tensor as TensorType, Value as TypeValue};
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto, TensorProto,
    TensorShapeProto, TypeProto, ValueInfoProto,
};
use egret_onnx::{ReadOptions, external};
use prost::Message;

const F32: i32 = 1;
const MIB: u64 = 1 << 20;

/// Sizes of a model.
#[derive(Clone, Copy)]
struct Size {
    blocks: usize,
    width: usize,
    /// Whether the second weight of every block is halved by a node, so that folding computes it anew.
    halved: bool,
}

impl Size {
    /// Bytes of all weights.
    fn bytes(self) -> u64 {
        (self.blocks * (8 * self.width * self.width + 5 * self.width) * 4) as u64
    }
}

/// `blocks` times x + W2·relu(W1·x·1 + b1) + b2, with identities and a multiplication by one that an optimizer takes out.
/// The first weight of every block is stored transposed.
fn model(size: Size, location: &str, data: Option<&File>) -> ModelProto {
    let mut graph = GraphProto { name: Some("blocks".into()), ..GraphProto::default() };
    let mut at = 0u64;
    let mut weight = |graph: &mut GraphProto, name: String, dims: &[usize]| {
        let length = dims.iter().product::<usize>() as u64 * 4;
        if let Some(file) = data {
            // A few numbers at both ends, zeros (holes of the file) between.
            for (i, place) in [at, at + 4, at + length - 4].into_iter().enumerate() {
                let x = (graph.initializer.len() * 3 + i) as f32 * 0.125;
                file.write_all_at(&x.to_le_bytes(), place).unwrap();
            }
        }
        let entry = |k: &str, v: String| StringStringEntryProto { key: Some(k.into()), value: Some(v) };
        graph.initializer.push(TensorProto {
            name: Some(name),
            dims: dims.iter().map(|d| *d as i64).collect(),
            data_type: Some(F32),
            data_location: Some(1),
            external_data: vec![
                entry("location", location.into()),
                entry("offset", at.to_string()),
                entry("length", length.to_string()),
            ],
            ..TensorProto::default()
        });
        at += length;
    };
    let node = |op: &str, inputs: &[&str], output: &str| NodeProto {
        op_type: Some(op.into()),
        name: Some(format!("make_{output}")),
        input: inputs.iter().map(|s| (*s).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    };
    let int = |name: &str, i: i64| AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Int as i32),
        i: Some(i),
        ..AttributeProto::default()
    };
    let (narrow, wide) = (size.width, 4 * size.width);
    let mut x = "x".to_owned();
    for i in 0..size.blocks {
        let name = |part: &str| format!("block{i}.{part}");
        weight(&mut graph, name("w1"), &[wide, narrow]);
        weight(&mut graph, name("b1"), &[wide]);
        weight(&mut graph, name("w2"), &[wide, narrow]);
        weight(&mut graph, name("b2"), &[narrow]);
        let mut up = node("Gemm", &[&x, &name("w1"), &name("b1")], &name("up"));
        up.attribute.push(int("transB", 1));
        graph.node.push(up);
        graph.node.push(node("Mul", &[&name("up"), "one"], &name("same")));
        graph.node.push(node("Relu", &[&name("same")], &name("relu")));
        let mut w2 = name("w2");
        if size.halved {
            graph.node.push(node("Mul", &[&w2, "half"], &name("w2half")));
            w2 = name("w2half");
        }
        graph.node.push(node("MatMul", &[&name("relu"), &w2], &name("down")));
        graph.node.push(node("Add", &[&name("down"), &name("b2")], &name("biased")));
        graph.node.push(node("Identity", &[&name("biased")], &name("copy")));
        graph.node.push(node("Add", &[&x, &name("copy")], &name("out")));
        x = name("out");
    }
    graph.initializer.extend([("one", 1.0), ("half", 0.5)].map(|(name, x)| TensorProto {
        name: Some(name.into()),
        data_type: Some(F32),
        float_data: vec![x],
        ..TensorProto::default()
    }));
    let declared = |name: &str| {
        let dim = |n: usize| Dimension { value: Some(Extent::DimValue(n as i64)), ..Dimension::default() };
        let shape = TensorShapeProto { dim: vec![dim(2), dim(narrow)] };
        let ty = TypeValue::TensorType(TensorType { elem_type: Some(F32), shape: Some(shape) });
        ValueInfoProto {
            name: Some(name.into()),
            r#type: Some(TypeProto { value: Some(ty), ..TypeProto::default() }),
            ..ValueInfoProto::default()
        }
    };
    graph.input = vec![declared("x")];
    graph.output = vec![declared(&x)];
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(17) }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

/// Writes the model and its sparse data file into a folder.
fn make(folder: &Path, size: Size) -> std::path::PathBuf {
    let data = File::create(folder.join("weights.bin")).unwrap();
    data.set_len(size.bytes()).unwrap();
    let path = folder.join("model.onnx");
    std::fs::write(&path, model(size, "weights.bin", Some(&data)).encode_to_vec()).unwrap();
    path
}

/// Runs the program with at most `limit` bytes of private writable memory.
fn egret(limit: u64, arguments: &[&str]) -> Output {
    let script = format!("ulimit -d {} && exec \"$0\" \"$@\"", limit / 1024);
    let run = Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_egret")]).args(arguments).output().unwrap();
    assert!(run.status.success(), "{arguments:?} within {limit} bytes: {}", String::from_utf8_lossy(&run.stderr));
    run
}

/// Optimizes a model under a limit; its weights come out as they were, in a file beside it.
fn optimize_within(size: Size, limit: u64, arguments: &[&str]) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = make(folder.path(), size);
    let out = folder.path().join("out.onnx");
    let (from, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    egret(limit, &[&["optimize", from, "-o", to, "--json"], arguments].concat());

    let written = egret_onnx::open(&out).unwrap();
    assert_eq!(external::locations(&written).into_iter().collect::<Vec<_>>(), ["out.onnx.data"]);
    let message = std::fs::metadata(&out).unwrap().len();
    assert!(message < MIB, "the model's own file has {message} bytes");
    for t in written.graph.iter().flat_map(|g| &g.initializer).filter(|t| external::is_external(t)) {
        let offset = t.external_data.iter().find(|e| e.key() == "offset").and_then(|e| e.value().parse::<u64>().ok());
        let count: i64 = t.dims.iter().product();
        assert_eq!(offset.unwrap() % if count >= 16 * 1024 { 4096 } else { 64 }, 0, "{}", t.name());
    }
    let before = egret_onnx::read(&path, &ReadOptions::default()).unwrap();
    let after = egret_onnx::read(&out, &ReadOptions::default()).unwrap();
    assert!(after.sites.len() < before.sites.len(), "the optimizer had something to do");
    let mut same = 0;
    for (name, old) in &before.initializers {
        let Some(new) = after.initializers.get(name) else { continue };
        assert!(old.proto.raw_data == new.proto.raw_data, "{name} changed");
        same += 1;
    }
    // All but those that were halved.
    assert!(same >= if size.halved { 3 } else { 4 } * size.blocks, "only {same} weights are still there");
    assert!(after.sites.iter().all(|s| s.node.op_type() != "Mul"), "products of constants are folded");

    // Again: the same bytes.
    let again = folder.path().join("again");
    std::fs::create_dir(&again).unwrap();
    let second = again.join("out.onnx");
    egret(limit, &[&["optimize", to, "-o", second.to_str().unwrap(), "--json"], arguments].concat());
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&second).unwrap());
    let data = [&out, &second].map(|p| egret_onnx::mmap::map(&p.with_extension("onnx.data")).unwrap());
    assert!(data[0] == data[1]);
}

/// A model with data beside it goes through every command.
#[test]
fn models_with_external_data_optimize_verify_and_compile() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), Size { blocks: 2, width: 64, halved: false });
    let out = folder.path().join("out.onnx");
    let done = egret::optimize(&path, &egret::OptimizeOptions::default(), &|_| {}).unwrap();
    let beside = egret::Weights::Beside { name: None, threshold: 1024 };
    egret::write_model(&out, done.model, &beside, &path, &done.used).unwrap();
    let library = folder.path().join("model.so");
    egret::compile(&out, &library, &egret::CompileOptions::default(), &|_| {}).unwrap();
    for candidate in [None, Some(out.as_path()), Some(library.as_path())] {
        let report = egret::verify(&path, candidate, &egret::VerifyOptions::default(), &|_| {}).unwrap();
        assert!(report.verdict.is_equal(), "{candidate:?}: {report}");
    }
}

/// The result may take the place of the model it is made from, data included, while both are mapped.
#[test]
fn a_model_is_optimized_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), Size { blocks: 2, width: 64, halved: false });
    let before = egret_onnx::read(&path, &ReadOptions::default()).unwrap();
    let place = path.to_str().unwrap();
    egret(1 << 30, &["optimize", place, "-o", place, "--external-data=weights.bin"]);
    let after = egret_onnx::read(&path, &ReadOptions::default()).unwrap();
    assert!(after.sites.len() < before.sites.len());
    for (name, old) in &before.initializers {
        if let Some(new) = after.initializers.get(name) {
            assert!(old.proto.raw_data == new.proto.raw_data, "{name}");
        }
    }
    // And into one file.
    egret(1 << 30, &["optimize", place, "-o", place]);
    assert!(external::locations(&egret_onnx::open(&path).unwrap()).is_empty());
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn names_of_data_files_are_safe() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), Size { blocks: 1, width: 16, halved: false });
    let weights = std::fs::read(folder.path().join("weights.bin")).unwrap();
    let out = folder.path().join("out.onnx");
    let (from, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    for (name, word) in [
        ("../out.data", "not the name of a file"),
        ("/tmp/out.data", "not the name of a file"),
        ("sub/out.data", "not the name of a file"),
        ("..", "not the name of a file"),
        ("c:out", "not the name of a file"),
        ("out.onnx", "is the model"),
        ("model.onnx", "is the model"),
        ("weights.bin", "holds weights of"),
    ] {
        let option = format!("--external-data={name}");
        let run =
            Command::new(env!("CARGO_BIN_EXE_egret")).args(["optimize", from, "-o", to, &option]).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains("--external-data") && said.contains(word), "{name}: {said}");
        assert!(!out.exists(), "{name}");
    }
    assert!(std::fs::read(folder.path().join("weights.bin")).unwrap() == weights);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn optimizing_320_mib_of_weights_leaves_them_where_they_are() {
    let size = Size { blocks: 10, width: 1024, halved: false };
    assert!(size.bytes() > 320 * MIB);
    optimize_within(size, 40 * MIB, &["--external-data"]);
}

/// Computed weights take disk, not memory: half of all are new here.
#[test]
fn folding_160_mib_of_weights_takes_less_memory() {
    let size = Size { blocks: 10, width: 1024, halved: true };
    optimize_within(size, 260 * MIB, &["--external-data"]);
}

#[test]
#[ignore = "writes 6 GiB"]
fn optimizing_3_gib_of_weights_leaves_them_where_they_are() {
    let size = Size { blocks: 24, width: 2048, halved: false };
    assert!(size.bytes() > 3072 * MIB);
    // More than a protobuf file holds: data beside the model unasked.
    optimize_within(size, 40 * MIB, &[]);
}

#[test]
#[ignore = "writes 6 GiB"]
fn folding_half_of_3_gib_of_weights_takes_less_than_1_3_gib_of_memory() {
    optimize_within(Size { blocks: 24, width: 2048, halved: true }, 1300 * MIB, &[]);
}
