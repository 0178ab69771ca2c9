//! `egret optimize`.

use std::path::PathBuf;

use super::args::{Rewriting, Shapes};
use super::output::{Output, table};
use super::{Outcome, args};

/// Rewrite a model into an equal, cheaper one.
#[derive(clap::Args)]
pub struct Args {
    /// The model: ONNX, TFLite, or Egret's text form
    input: PathBuf,
    /// Where to write the result
    #[arg(short, long, value_name = "OUT.onnx")]
    output: PathBuf,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    rewriting: Rewriting,
    /// Most that folding of constants may add to the model's size, in percent (64 KiB are always allowed)
    #[arg(long, default_value_t = 10.0, value_name = "PERCENT")]
    max_growth: f64,
    /// Write weights into a file beside the model; without a name, OUT.onnx.data. (A model that does not fit into one file
    /// of 2 GiB always has such a file.)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "an option with an optional value")]
    external_data: Option<Option<String>>,
    /// Constants of fewer bytes stay in the model's file
    #[arg(long, default_value_t = egret::THRESHOLD, value_name = "BYTES", requires = "external_data")]
    external_threshold: u64,
    /// Write why the result is equal to the model, as JSON with all constants in it, for `egret verify --derivation`
    #[arg(long, value_name = "FILE")]
    derivation: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let options = egret::OptimizeOptions {
        binding: a.shapes.binding()?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        unchecked_rules: a.rewriting.unchecked_rules,
        max_growth: args::percent("--max-growth", a.max_growth)?,
    };
    let (done, derivation) = if a.derivation.is_some() {
        let traced = egret::explain::trace(&a.input, &options, &|s| out.step(s))?;
        (traced.optimized, Some(traced.derivation))
    } else {
        (egret::optimize(&a.input, &options, &|s| out.step(s))?, None)
    };
    out.step("writing");
    let weights = match &a.external_data {
        None => egret::Weights::Auto,
        Some(name) => egret::Weights::Beside { name: name.clone(), threshold: a.external_threshold },
    };
    let written = egret::write_model(&a.output, done.model, &weights, &a.input, &done.used)?;
    if let (egret::Weights::Auto, Some(data)) = (&weights, &written.data) {
        out.note(&format!("the model is larger than 2 GiB: its weights are in {}", data.display()));
    }
    if let (Some(path), Some(d)) = (&a.derivation, &derivation) {
        egret::write_file(path, serde_json::to_string(d).expect("derivations have string keys").as_bytes())?;
    }
    out.warnings(&done.warnings);
    out.result(a.json, &done.summary, || {
        let s = &done.summary;
        let rows = vec![
            vec!["nodes".into(), s.nodes_before.to_string(), s.nodes_after.to_string()],
            vec!["bytes".into(), s.bytes_before.to_string(), s.bytes_after.to_string()],
        ];
        let mut text = table(&["", "before", "after"], &rows);
        if out.verbose > 0 {
            let row = |r: &egret::RuleCount| {
                let [matches, born, unions] = [r.matches, r.born, r.unions].map(|n| n.to_string());
                vec![r.rule.clone(), matches, born, unions, format!("{:.1}", 1e3 * r.time.as_secs_f64())]
            };
            text.push('\n');
            text.push_str(&table(
                &["rule", "matches", "born", "unions", "ms"],
                &s.rules.iter().map(row).collect::<Vec<_>>(),
            ));
        }
        text
    });
    Ok(Outcome::Done)
}
