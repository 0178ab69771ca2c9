//! Control flow, containers and functions, evaluated by the interpreter and written back, against the results that ONNX
//! Runtime gives (`control/generate.py`).
//!
//! Each case is a model whose inputs have defaults; the initializer `expected:NAME` holds a result.

mod common;

use common::choose::{export, try_export};
use common::expected::{expected, models};
use egret_ir::op::Op;
use egret_ir::{DType, Graph, Tensor, check, eval};
use egret_onnx::{Imported, ReadOptions, read, read_bytes};
use prost::Message;

fn difference(got: &Tensor, want: &Tensor) -> Option<String> {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        return Some(format!("{}{:?} instead of {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    let (relative, absolute) = if got.dtype() == DType::F32 { (2e-5, 2e-6) } else { (0.0, 0.0) };
    (0..got.len()).find_map(|i| {
        let (a, b) = (got.get(i).to_f64(), want.get(i).to_f64());
        let same = a == b || (a - b).abs() <= absolute + relative * b.abs();
        (!same).then(|| format!("element {i} is {a} instead of {b}"))
    })
}

fn wrong(imported: &Imported, expected: &[Tensor]) -> Option<String> {
    if let Some(r) = imported.opaque_reasons.first() {
        return Some(format!("opaque, {}: {}", r.node, r.reason));
    }
    if let Err(reports) = check(imported.graph.clone()) {
        return Some(reports[0].to_string());
    }
    match eval::native(&imported.graph, &[]) {
        Err(e) => Some(e.to_string()),
        Ok(results) => results.iter().zip(expected).find_map(|(got, want)| difference(got, want)),
    }
}

/// Ifs and Loops that the results need.
fn controls(graph: &Graph) -> usize {
    let live = graph.live();
    let is_control = |op: &Op| matches!(op, Op::If(_) | Op::Loop(_));
    graph.values().filter(|v| live[v.index()] && is_control(&graph.node(*v).op)).count()
}

#[test]
fn every_case_agrees_with_the_reference_before_and_after_export() {
    let mut faults = Vec::new();
    let paths = models("control");
    assert!(paths.len() > 25, "cases are missing");
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let imported = match read(path, &ReadOptions::default()) {
            Ok(imported) => imported,
            Err(e) => {
                faults.push(format!("{name}: {e}"));
                continue;
            }
        };
        let want: Vec<Tensor> = imported.graph.outputs.iter().map(|o| expected(&imported, &o.name)).collect();
        if let Some(text) = wrong(&imported, &want) {
            faults.push(format!("{name}: {text}"));
            continue;
        }
        let gone =
            ["if-known", "loop-known", "known-scan", "sequence", "optional"].iter().any(|stem| name.starts_with(stem));
        let kept = ["if", "loop", "scan"].iter().any(|stem| name.starts_with(stem));
        if gone != (controls(&imported.graph) == 0) && (gone || kept) {
            faults.push(format!("{name}: {} Ifs and Loops", controls(&imported.graph)));
        }
        let first = match try_export(&imported) {
            Ok(model) => model.encode_to_vec(),
            Err(e) => {
                faults.push(format!("{name}: {e}"));
                continue;
            }
        };
        let again = match read_bytes(first.clone().into(), None, &ReadOptions::default()) {
            Ok(again) => again,
            Err(e) => {
                faults.push(format!("{name}, written: {e}"));
                continue;
            }
        };
        if let Some(text) = wrong(&again, &want) {
            faults.push(format!("{name}, written: {text}"));
            continue;
        }
        if controls(&again.graph) != controls(&imported.graph) {
            faults.push(format!("{name}, written: {} Ifs and Loops", controls(&again.graph)));
        }
        if export(&again).encode_to_vec() != first {
            faults.push(format!("{name}: written again, it is another file"));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), paths.len(), faults.join("\n"));
}
