//! TFLite models against LiteRT: `tests/tflite/` has a model per family of operators, written by `write.py` there, with what
//! LiteRT's kernels give. Each is interpreted, exported to ONNX and run, and compiled and run.

use std::path::{Path, PathBuf};

use egret_codegen_c::Library;
use egret_ir::Tensor;
use egret_verification::interpreter::Interpreter;
use egret_verification::onnxruntime::{self, Level, OnnxRuntime};
use egret_verification::{Executor, Taps, npy};

const FAMILIES: &[&str] = &[
    "elementwise",
    "activation",
    "conv",
    "contract",
    "pool",
    "reduce",
    "shape",
    "slicing",
    "movement",
    "index",
    "resize",
    "dynamic",
    "int8_layers",
    "int8_other",
];

type Named = Vec<(String, Tensor)>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tflite")
}

/// The model, its inputs, and what LiteRT gives.
fn case(family: &str) -> (PathBuf, Named, Named) {
    let arrays = npy::read_npz(&folder().join(format!("{family}.npz"))).expect("arrays");
    let part = |prefix: &str| {
        let named = arrays.iter().filter_map(|(n, t)| Some((n.strip_prefix(prefix)?.to_owned(), t.clone())));
        named.collect::<Named>()
    };
    (folder().join(format!("{family}.tflite")), part("in/"), part("out/"))
}

/// The number of elements that differ. Floats may be off by 2⁻¹⁶ of the largest element, quantized numbers by one unit,
/// everything else not at all.
fn compare(family: &str, got: &[(String, Tensor)], expected: &Named) -> usize {
    let mut off = 0;
    assert_eq!(got.len(), expected.len(), "{family}: outputs");
    for (name, want) in expected {
        let (_, have) = got.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{family}: no output {name}"));
        assert_eq!((have.dtype(), have.shape()), (want.dtype(), want.shape()), "{family}: {name}");
        let (a, b) = (have.to_f64(), want.to_f64());
        let largest = b.iter().filter(|x| x.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()));
        let allowed = match want.dtype() {
            d if d.is_float() => (largest * 2f64.powi(-16)).max(1e-7),
            egret_ir::DType::I8 | egret_ir::DType::U8 => 1.0,
            _ => 0.0,
        };
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let same = a == b || (a.is_nan() && b.is_nan());
            assert!(same || (a - b).abs() <= allowed, "{family}: {name}[{i}] is {a}, LiteRT gives {b}");
            off += usize::from(!same && !want.dtype().is_float());
        }
    }
    off
}

#[test]
fn interpreted_models_give_what_litert_gives() {
    let mut off = 0;
    for family in FAMILIES {
        let (path, inputs, expected) = case(family);
        let imported = egret::frontends::read(&path, &egret::Binding::default()).unwrap_or_else(|e| panic!("{e}"));
        egret_ir::check(imported.graph.clone()).unwrap_or_else(|e| panic!("{family}: {e:?}"));
        let run = Interpreter::of(&imported).run(&inputs, Taps::Outputs).unwrap_or_else(|e| panic!("{family}: {e}"));
        off += compare(family, &run.outputs, &expected);
    }
    // Of the quantized results, 1.5 % may be a unit off where roundings of fixed-point scales differ.
    let (_, _, layers) = case("int8_layers");
    let (_, _, other) = case("int8_other");
    let all: usize = layers.iter().chain(&other).map(|(_, t)| t.len()).sum();
    assert!(off * 200 <= all * 3, "{off} of {all} quantized numbers are a unit off");
}

#[test]
fn exported_models_give_what_litert_gives() {
    for family in FAMILIES {
        let (path, inputs, expected) = case(family);
        let optimized =
            egret::optimize(&path, &egret::OptimizeOptions::default(), &|_| {}).unwrap_or_else(|e| panic!("{e}"));
        let bytes = bytes::Bytes::from(optimized.bytes().unwrap_or_else(|e| panic!("{e}")));
        let outputs = if onnxruntime::library().is_ok() {
            let options = onnxruntime::Options { level: Level::Off, threads: 1 };
            let proto = egret_onnx::decode(bytes).expect("a model");
            OnnxRuntime::new(proto, egret_onnx::external::Files::none(), options).run(&inputs, Taps::Outputs)
        } else {
            let imported = egret_onnx::read_bytes(bytes, None, &egret::Binding::default()).expect("a model");
            Interpreter::of(&imported).run(&inputs, Taps::Outputs)
        };
        compare(family, &outputs.unwrap_or_else(|e| panic!("{family}: {e}")).outputs, &expected);
    }
}

#[test]
fn compiled_models_give_what_litert_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    for family in FAMILIES {
        let (path, inputs, expected) = case(family);
        let out = folder.path().join(format!("{family}.so"));
        let shapes = inputs.iter().map(|(n, t)| (n.clone(), t.shape().iter().map(|d| *d as i64).collect())).collect();
        let binding = egret::Binding { shapes, ..egret::Binding::default() };
        let options = egret::CompileOptions { binding, ..egret::CompileOptions::default() };
        egret::compile(&path, &out, &options, &|_| {}).unwrap_or_else(|e| panic!("{e}"));
        let library = Library::open(&out).unwrap_or_else(|e| panic!("{family}: {e}"));
        let given: Vec<Tensor> = library
            .inputs()
            .iter()
            .map(|p| inputs.iter().find(|(n, _)| *n == p.name).expect("an input").1.clone())
            .collect();
        let results = library.context(1).and_then(|mut c| c.run(&given)).unwrap_or_else(|e| panic!("{family}: {e}"));
        let names = library.outputs().iter().map(|p| p.name.clone());
        compare(family, &names.zip(results).collect::<Named>(), &expected);
    }
}

/// The whole text form of a model is the model.
#[test]
fn text_forms_are_models() {
    let folder = tempfile::tempdir().expect("a folder");
    for family in ["conv", "dynamic", "int8_layers"] {
        let (path, inputs, expected) = case(family);
        let text = egret::whole_text(&path, &egret::Binding::default()).unwrap_or_else(|e| panic!("{e}"));
        let written = folder.path().join(format!("{family}.egret"));
        std::fs::write(&written, &text).expect("a file");
        let imported = egret::frontends::read(&written, &egret::Binding::default()).unwrap_or_else(|e| panic!("{e}"));
        let run = Interpreter::of(&imported).run(&inputs, Taps::Outputs).unwrap_or_else(|e| panic!("{family}: {e}"));
        compare(family, &run.outputs, &expected);
        let again = egret::whole_text(&written, &egret::Binding::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again, text, "{family}");
    }
    let (dynamic, _, _) = case("dynamic");
    let open = egret::whole_text(&dynamic, &egret::Binding::default()).unwrap_or_else(|e| panic!("{e}"));
    let written = folder.path().join("open.egret");
    std::fs::write(&written, open).expect("a file");
    let bound = egret::Binding { dims: vec![("x.0".into(), 2)], ..egret::Binding::default() };
    let read = egret::frontends::read(&written, &bound).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.graph.inputs[0].ty.to_string(), "f32[2,4,4,2]");
    let wrong = egret::Binding { dims: vec![("n".into(), 2)], ..egret::Binding::default() };
    let error = egret::frontends::read(&written, &wrong).expect_err("no such dimension");
    assert!(error.to_string().contains("no dimension \"n\""), "{error}");
}

/// A file goes to its frontend by extension, else by its first bytes.
#[test]
fn formats_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |path: &Path| egret::frontends::of(path).name;
    assert_eq!(of(Path::new("nowhere/model.onnx")), "ONNX");
    assert_eq!(of(Path::new("nowhere/model.TFLITE")), "TFLite");
    assert_eq!(of(Path::new("nowhere/model.egret")), "Egret text");
    assert_eq!(of(Path::new("nowhere/model")), "ONNX");
    let unnamed = folder.path().join("model.bin");
    std::fs::copy(case("shape").0, &unnamed).expect("a file");
    assert_eq!(of(&unnamed), "TFLite");
    std::fs::write(&unnamed, "graph \"g\" {\n  return\n}\n").expect("a file");
    assert_eq!(of(&unnamed), "Egret text");
}

/// One network as ONNX and as TFLite, from one wheel (`cargo xtask setup`).
#[test]
fn basic_pitch_is_the_same_in_both_formats() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/models");
    let (onnx, tflite) = (models.join("basic-pitch.onnx"), models.join("basic-pitch-tflite.tflite"));
    if !onnx.is_file() || !tflite.is_file() {
        eprintln!("left out: basic-pitch is not there (cargo xtask setup)");
        return;
    }
    let shapes = vec![("serving_default_input_2:0".to_owned(), vec![1, 43844, 1])];
    let binding = egret::Binding { shapes, ..egret::Binding::default() };
    let model = egret::frontends::model(&tflite, &binding).unwrap_or_else(|e| panic!("{e}"));
    let inputs = egret_verification::inputs::for_graph(&model.imported.graph, &[], &[], 1).expect("inputs");
    let run =
        |m: &egret_onnx::Imported| Interpreter::of(m).run(&inputs, Taps::Outputs).unwrap_or_else(|e| panic!("{e}"));
    let ours = run(&model.imported).outputs;
    let mut others =
        vec![("ONNX", run(&egret::frontends::read(&onnx, &binding).unwrap_or_else(|e| panic!("{e}"))).outputs)];
    if egret_verification::litert::python().is_ok() {
        let mut engine = egret_verification::litert::LiteRt::of(&model).expect("a TFLite model");
        others.push(("LiteRT", engine.run(&inputs, Taps::Outputs).unwrap_or_else(|e| panic!("{e}")).outputs));
    }
    for (by, outputs) in others {
        assert_eq!(outputs.len(), ours.len());
        for (name, t) in &ours {
            let (_, other) =
                outputs.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{by}: no output {name}"));
            assert_eq!((t.dtype(), t.shape()), (other.dtype(), other.shape()), "{by}: {name}");
            // Outputs are sigmoids, so the largest are about 1.
            let worst = t.to_f64().iter().zip(other.to_f64()).map(|(a, b)| (a - b).abs()).fold(0.0f64, f64::max);
            assert!(worst < 2e-4, "{by}: {name} differs by {worst}");
        }
    }
}
