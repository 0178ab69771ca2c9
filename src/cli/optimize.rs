//! `egret optimize`.

use std::path::PathBuf;

use super::args::{Rewriting, Shapes};
use super::output::{Output, table};
use super::{Outcome, args};

/// Rewrite a model into an equal, cheaper one.
#[derive(clap::Args)]
pub struct Args {
    /// The ONNX model
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
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let options = egret::OptimizeOptions {
        binding: a.shapes.binding()?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        max_growth: args::percent("--max-growth", a.max_growth)?,
    };
    let done = egret::optimize(&a.input, &options, &|s| out.step(s))?;
    out.step("writing");
    egret::write_file(&a.output, &done.bytes)?;
    for w in &done.warnings {
        out.note(w);
    }
    out.result(a.json, &done.summary, || {
        let s = &done.summary;
        let rows = vec![
            vec!["nodes".into(), s.nodes_before.to_string(), s.nodes_after.to_string()],
            vec!["bytes".into(), s.bytes_before.to_string(), s.bytes_after.to_string()],
        ];
        let mut text = table(&["", "before", "after"], &rows);
        if out.verbose > 0 {
            let rules: Vec<Vec<String>> =
                s.rules.iter().map(|r| vec![r.rule.clone(), r.matches.to_string(), r.unions.to_string()]).collect();
            text.push('\n');
            text.push_str(&table(&["rule", "matches", "unions"], &rules));
        }
        text
    });
    Ok(Outcome::Done)
}
