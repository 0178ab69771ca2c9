//! `egret verify`.

use std::path::PathBuf;

use serde::Serialize;

use super::Outcome;
use super::args::{Inputs, NumericArg, Shapes};
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
    /// The rule files with which the candidate was optimized: it is optimized again, unchecked, and where the results
    /// differ the rule is named. Without a candidate, what this gives is compared
    #[arg(long = "rules", value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Weakest numeric class of rules that ran
    #[arg(long, value_enum, default_value = "reassociates", requires = "rules")]
    numeric: NumericArg,
    /// Replay what `egret optimize --derivation` wrote, and where the results differ name the rule
    #[arg(long, value_name = "FILE", conflicts_with = "rules", requires = "candidate")]
    derivation: Option<PathBuf>,
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
    let binding = a.shapes.binding()?;
    let optimized = (!a.rules.is_empty()).then(|| egret::OptimizeOptions {
        binding: binding.clone(),
        numeric: a.numeric.class(),
        rule_files: a.rules.clone(),
        unchecked_rules: true,
        ..egret::OptimizeOptions::default()
    });
    let options = egret::VerifyOptions {
        binding,
        oracle: a.oracle,
        samples: a.samples,
        seed: a.inputs.seed,
        given,
        specs,
        runs: a.runs,
        optimized,
    };
    let derivation = a.derivation.as_deref().map(read_derivation).transpose()?;
    let report = match (&derivation, &a.candidate) {
        (Some(d), Some(candidate)) => egret::verify_derivation(&a.model, candidate, d, &options, &|s| out.step(s))?,
        _ => egret::verify(&a.model, a.candidate.as_deref(), &options, &|s| out.step(s))?,
    };
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

/// A derivation as `egret optimize --derivation` writes it.
fn read_derivation(path: &std::path::Path) -> egret::Result<egret_ir::derivation::Derivation> {
    let wrong = |reason: String| egret::Error::File { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))
}
