//! `egret verify`.

use std::path::PathBuf;

use serde::Serialize;

use super::Outcome;
use super::args::{Inputs, Shapes};
use super::output::Output;

/// Check that a model, or two models, or a model and its library, are equal.
#[derive(clap::Args)]
pub struct Args {
    /// The reference model
    model: PathBuf,
    /// What should be equal to it: a model or a compiled library; none: the model itself in an engine
    candidate: Option<PathBuf>,
    /// The engine that runs a candidate model; by default ONNX Runtime where found, else the interpreter
    #[arg(long, value_enum)]
    oracle: Option<egret::Oracle>,
    /// Number of seeded inputs
    #[arg(long, default_value_t = 1)]
    samples: usize,
    /// Random-rounding runs behind a noise floor; by default 8, 4 for large models
    #[arg(long)]
    runs: Option<usize>,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    inputs: Inputs,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// The report, with what a reader of many reports wants in one place.
#[derive(Serialize)]
struct Json<'a> {
    verdict: &'static str,
    outputs: Vec<Out<'a>>,
    report: &'a egret_verification::Report,
}

#[derive(Serialize)]
struct Out<'a> {
    name: &'a str,
    passes: bool,
    error_rms: Option<f64>,
    floor_rms: Option<f64>,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let (given, specs) = a.inputs.resolve()?;
    let options = egret::VerifyOptions {
        binding: a.shapes.binding()?,
        oracle: a.oracle,
        samples: a.samples,
        seed: a.inputs.seed,
        given,
        specs,
        runs: a.runs,
    };
    let report = egret::verify(&a.model, a.candidate.as_deref(), &options, &|s| out.step(s))?;
    let equal = report.verdict.is_equal();
    let json = Json {
        verdict: if equal { "equal" } else { "different" },
        outputs: report
            .outputs
            .iter()
            .map(|o| {
                let floor = match &o.comparison {
                    egret_verification::report::Comparison::Float(f) => Some(f),
                    egret_verification::report::Comparison::Discrete(_)
                    | egret_verification::report::Comparison::Type { .. } => None,
                };
                Out {
                    name: &o.name,
                    passes: o.passes,
                    error_rms: floor.map(|f| f.rms_error),
                    floor_rms: floor.map(|f| f.rms_sigma),
                }
            })
            .collect(),
        report: &report,
    };
    out.result(a.json, &json, || report.to_string());
    Ok(if equal { Outcome::Done } else { Outcome::No })
}
