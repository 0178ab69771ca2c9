//! The twelve trap models of `verification/cases`: optimized and compiled, values and interface kept.
//!
//! Expected values come from numpy and agree with ONNX Runtime with optimizations off (`cases.md`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use egret_ir::Tensor;
use egret_onnx::proto::ModelProto;
use egret_verification::interpreter::Interpreter;
use egret_verification::onnxruntime::{self, Level, OnnxRuntime};
use egret_verification::{Executor, Model, Taps, npy};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases")
}

fn cases() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the cases are part of the project");
    let mut paths: Vec<PathBuf> = entries
        .map(|e| e.expect("a readable folder").path())
        .filter(|p| p.extension().is_some_and(|e| e == "onnx"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 12);
    paths
}

type Named = Vec<(String, Tensor)>;

/// Input sets: values in and out.
fn sets(case: &Path) -> Vec<(Named, Named)> {
    let mut sets: BTreeMap<String, (Named, Named)> = BTreeMap::new();
    for (key, tensor) in npy::read_npz(&case.with_extension("npz")).expect("a readable npz") {
        let mut parts = key.splitn(3, '.');
        let (set, side, name) = (parts.next(), parts.next(), parts.next());
        let slot = sets.entry(set.unwrap_or_default().to_owned()).or_default();
        let name = name.expect("s<k>.<side>.<name>").to_owned();
        match side {
            Some("in") => slot.0.push((name, tensor)),
            Some("out") => slot.1.push((name, tensor)),
            other => panic!("{key}: side {other:?}"),
        }
    }
    sets.into_values().collect()
}

/// Relative and absolute tolerance, from `cases.md`.
fn tolerance(case: &str) -> (f64, f64) {
    match &case[..2] {
        "04" | "06" | "07" => (1e-4, 1e-5),
        "08" => (4e-3, 2e-3),
        _ => (1e-5, 1e-6),
    }
}

fn compare(case: &str, by: &str, expected: &Named, got: &Named) {
    let (relative, absolute) = tolerance(case);
    for (name, want) in expected {
        let (_, have) = got.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{case} {by}: no output {name}"));
        assert_eq!(have.dtype(), want.dtype(), "{case} {by}: type of {name}");
        assert_eq!(have.shape(), want.shape(), "{case} {by}: shape of {name}");
        for i in 0..want.len() {
            let (w, h) = (want.get(i), have.get(i));
            if !want.dtype().is_float() {
                assert_eq!(w, h, "{case} {by}: {name}[{i}]");
                continue;
            }
            let (w, h) = (w.to_f64(), h.to_f64());
            let equal = w == h || (w.is_nan() && h.is_nan()) || (w - h).abs() <= absolute + relative * w.abs();
            assert!(equal, "{case} {by}: {name}[{i}] is {h}, expected {w}");
        }
    }
}

fn interface(model: &ModelProto) -> (Vec<String>, Vec<String>) {
    let graph = model.graph.as_ref().expect("a graph");
    let names = |values: &[egret_onnx::proto::ValueInfoProto]| values.iter().map(|v| v.name().to_owned()).collect();
    (names(&graph.input), names(&graph.output))
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file").to_string_lossy().into_owned()
}

/// The cases hold at every numeric class that promises their values: NaN, Inf and −0.0 (case 05) only up to `reassociates`.
fn claims(numeric: egret::Numeric, case: &str) -> bool {
    numeric < egret::Numeric::Finite || !case.starts_with("05")
}

#[test]
fn optimize_keeps_values_and_interface() {
    for (numeric, case) in egret::Numeric::ALL.iter().flat_map(|n| cases().into_iter().map(|c| (*n, c))) {
        let name = stem(&case);
        if !claims(numeric, &name) {
            continue;
        }
        let name = format!("{name} ({})", numeric.name());
        let options = egret::OptimizeOptions { numeric, ..egret::OptimizeOptions::default() };
        let optimized = egret::optimize(&case, &options, &|_| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        let before = egret_onnx::decode(std::fs::read(&case).expect("readable").into()).expect("a model");
        let bytes = optimized.bytes().expect("encodes");
        let after = egret_onnx::decode(bytes.clone().into()).expect("a model");
        assert_eq!(interface(&before), interface(&after), "{name}: interface");
        assert_eq!(before.metadata_props, after.metadata_props, "{name}: metadata");
        assert_eq!(before.doc_string, after.doc_string, "{name}: doc string");
        assert_eq!(before.model_version, after.model_version, "{name}: model version");
        assert_eq!(before.ir_version, after.ir_version, "{name}: IR version");
        assert!(optimized.summary.nodes_after <= optimized.summary.nodes_before, "{name}: grows");

        let model = Model::from_bytes(&name, bytes.into(), None, &egret_onnx::ReadOptions::default())
            .unwrap_or_else(|e| panic!("{name}: the result does not read back: {e}"));
        for (inputs, expected) in sets(&case) {
            if model.imported.opaque_reasons.is_empty() {
                let run = Interpreter::of(&model.imported).run(&inputs, Taps::Outputs);
                let outputs = run.unwrap_or_else(|e| panic!("{name}: {e}")).outputs;
                assert_eq!(outputs.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>(), interface(&before).1);
                compare(&name, "interpreter", &expected, &outputs);
            }
            if onnxruntime::library().is_ok() {
                let options = onnxruntime::Options { level: Level::Off, threads: 1 };
                let proto = model.proto().cloned().unwrap_or_default();
                let mut engine = OnnxRuntime::new(proto, egret_onnx::external::Files::none(), options);
                let outputs = engine.run(&inputs, Taps::Outputs).unwrap_or_else(|e| panic!("{name}: {e}")).outputs;
                compare(&name, "ONNX Runtime", &expected, &outputs);
            }
        }
    }
}

#[test]
fn optimizing_twice_changes_nothing_and_repeats() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for case in cases() {
        let name = stem(&case);
        let optimize = |path: &Path| {
            let done = egret::optimize(path, &egret::OptimizeOptions::default(), &|_| {});
            done.and_then(|d| d.bytes()).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        let once = optimize(&case);
        assert!(once == optimize(&case), "{name}: two runs differ");
        let path = folder.path().join("again.onnx");
        egret::write_file(&path, &once).expect("writable");
        assert!(once == optimize(&path), "{name}: a second optimization changes the result");
    }
}

#[test]
fn compile_keeps_values_where_supported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut unsupported = Vec::new();
    for (numeric, case) in egret::Numeric::ALL.iter().flat_map(|n| cases().into_iter().map(|c| (*n, c))) {
        let name = stem(&case);
        if !claims(numeric, &name) {
            continue;
        }
        let name = format!("{name} ({})", numeric.name());
        let options = egret::CompileOptions { numeric, ..egret::CompileOptions::default() };
        let path = folder.path().join(format!("{name}.so"));
        match egret::compile(&case, &path, &options, &|_| {}) {
            Ok(_) => {}
            Err(egret::Error::Unsupported { reasons, .. }) => {
                assert!(!reasons.is_empty());
                unsupported.push(name[..2].to_owned());
                continue;
            }
            Err(e) => panic!("{name}: {e}"),
        }
        let library = egret_codegen_c::Library::open(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let outputs: Vec<String> = library.outputs().iter().map(|p| p.name.clone()).collect();
        for (inputs, expected) in sets(&case) {
            // A library has no defaults: an overridable initializer is an input like others.
            let given: Option<Vec<Tensor>> = library
                .inputs()
                .iter()
                .map(|p| inputs.iter().find(|(n, _)| *n == p.name).map(|(_, t)| t.clone()))
                .collect();
            let Some(given) = given else { continue };
            let results = library.run(&given).unwrap_or_else(|e| panic!("{name}: {e}"));
            compare(&name, "library", &expected, &outputs.iter().cloned().zip(results).collect());
        }
    }
    assert!(unsupported.is_empty(), "{unsupported:?}");
}
