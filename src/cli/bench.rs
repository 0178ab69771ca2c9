//! `egret bench`.

use std::path::PathBuf;

use egret_ir::Tensor;
use egret_verification::onnxruntime::{self, Level, OnnxRuntime};
use egret_verification::{Executor as _, Taps};
use serde::Serialize;

use super::Outcome;
use super::args::{Inputs, Shapes};
use super::output::{Output, table};

/// Time a compiled library beside ONNX Runtime.
#[derive(clap::Args)]
pub struct Args {
    /// A library compiled by `egret compile`
    library: PathBuf,
    /// The model it was compiled from, to time in ONNX Runtime at its full optimization level
    model: Option<PathBuf>,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    inputs: Inputs,
    /// Interleaved rounds
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Result {
    /// Median thread CPU time of one run of the library.
    median_ms: f64,
    /// Median thread CPU time of one run in ONNX Runtime.
    onnxruntime_ms: Option<f64>,
    /// Median over rounds of the first by the second.
    ratio: Option<f64>,
    /// Rounds.
    rounds: usize,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let library = egret_codegen_c::Library::open(&a.library)?;
    let inputs = super::run::library_inputs(&library, &a.inputs, &a.shapes.binding()?)?;
    let tensors: Vec<Tensor> = inputs.iter().map(|(_, t)| t.clone()).collect();
    let mut context = library.context(1)?;
    let mut peer = match &a.model {
        Some(path) if onnxruntime::library().is_ok() => {
            let options = onnxruntime::Options { level: Level::All, threads: 1 };
            let mut engine = OnnxRuntime::open(path, options).map_err(egret_verification::ExecError::from)?;
            out.step("loading the model in ONNX Runtime");
            engine.run(&inputs, Taps::Outputs)?;
            Some(engine)
        }
        Some(_) | None => None,
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..a.rounds.max(1) {
        out.step(&format!("round {} of {}", round + 1, a.rounds));
        ours.extend(context.time(&tensors, 1)?);
        if let Some(peer) = &mut peer {
            let start = egret_codegen_c::thread_seconds();
            peer.run(&inputs, Taps::Outputs)?;
            theirs.push(egret_codegen_c::thread_seconds() - start);
        }
    }
    let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a / b).collect();
    let result = Result {
        median_ms: median(&ours).unwrap_or(f64::NAN) * 1e3,
        onnxruntime_ms: median(&theirs).map(|s| s * 1e3),
        ratio: median(&ratios),
        rounds: a.rounds.max(1),
    };
    out.result(a.json, &result, || {
        let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"));
        let cells = vec![number(Some(result.median_ms)), number(result.onnxruntime_ms), number(result.ratio)];
        table(&["library ms", "ONNX Runtime ms", "ratio"], &[cells])
    });
    Ok(Outcome::Done)
}

/// The middle value; None for none.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
