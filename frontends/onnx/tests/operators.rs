//! Lowered operators, evaluated by the interpreter, against the results that ONNX Runtime gives (`fixtures/generate.py`).
//!
//! Each fixture is a model of one node: its inputs have defaults, and the initializer `expected:NAME` holds a result.

mod common;

use common::expected::{expected, models};
use egret_ir::{DType, Tensor, check, eval};
use egret_onnx::{ReadOptions, read};

/// The first element outside rounding: floats within a few units of their precision (f32 sums of some tens of terms),
/// the rest exactly.
fn difference(got: &Tensor, want: &Tensor) -> Option<String> {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        return Some(format!("{}{:?} instead of {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    let (relative, absolute) = match got.dtype() {
        DType::F16 => (2e-3, 1e-3),
        DType::BF16 => (2e-2, 1e-2),
        DType::F32 => (2e-5, 2e-6),
        DType::F64 => (1e-12, 1e-14),
        _ => (0.0, 0.0),
    };
    (0..got.len()).find_map(|i| {
        let (a, b) = (got.get(i).to_f64(), want.get(i).to_f64());
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= absolute + relative * b.abs();
        (!same).then(|| format!("element {i} is {a} instead of {b}"))
    })
}

#[test]
fn every_fixture_agrees_with_the_reference() {
    let mut wrong = Vec::new();
    let paths = models("fixtures");
    assert!(paths.len() > 90, "fixtures are missing");
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let imported = match read(path, &ReadOptions::default()) {
            Ok(imported) => imported,
            Err(e) => {
                wrong.push(format!("{name}: {e}"));
                continue;
            }
        };
        if let Some(r) = imported.opaque_reasons.first() {
            wrong.push(format!("{name}: opaque, {}", r.reason));
            continue;
        }
        if let Err(reports) = check(imported.graph.clone()) {
            wrong.push(format!("{name}: {}", reports[0]));
            continue;
        }
        match eval::native(&imported.graph, &[]) {
            Err(e) => wrong.push(format!("{name}: {e}")),
            Ok(results) => {
                for (output, got) in imported.graph.outputs.iter().zip(&results) {
                    if let Some(text) = difference(got, &expected(&imported, &output.name)) {
                        wrong.push(format!("{name}: {}: {text}", output.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}
