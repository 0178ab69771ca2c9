//! `egret ops`.

use std::path::PathBuf;

use serde::Serialize;

use super::Outcome;
use super::args::Shapes;
use super::output::{Output, table};

/// Show what of a model is modelled: operator, opset and count, and who computes it.
#[derive(clap::Args)]
pub struct Args {
    /// The model
    model: PathBuf,
    #[command(flatten)]
    shapes: Shapes,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// A row with its answers spelled out.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    operator: &'a egret::Operator,
    interpreter: bool,
    c: bool,
    onnx: bool,
}

#[derive(Serialize)]
struct Json<'a> {
    complete: bool,
    operators: Vec<Row<'a>>,
    elsewhere: Vec<&'a str>,
    warnings: &'a [String],
}

/// Reasons shown per operator.
const REASONS: usize = 3;

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let options = egret::CompileOptions { binding: a.shapes.binding()?, ..egret::CompileOptions::default() };
    let coverage = egret::ops(&a.model, &options, &|s| out.step(s))?;
    out.warnings(&coverage.warnings);
    let row = |o| Row { operator: o, interpreter: o.interpreted(), c: o.compiled(), onnx: true };
    let json = Json {
        complete: coverage.is_complete(),
        operators: coverage.operators.iter().map(row).collect(),
        elsewhere: coverage.elsewhere.iter().map(String::as_str).collect(),
        warnings: &coverage.warnings,
    };
    out.result(a.json, &json, || text(&coverage));
    Ok(if json.complete { Outcome::Done } else { Outcome::Unsupported })
}

fn text(coverage: &egret::Coverage) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let rows: Vec<Vec<String>> = coverage
        .operators
        .iter()
        .map(|o| {
            let kinds = o.kinds.iter().copied().collect::<Vec<_>>().join(" ");
            let graph = match (o.interpreted(), kinds.is_empty()) {
                (false, _) => "kept as it came".to_owned(),
                (true, true) => "-".to_owned(),
                (true, false) => kinds,
            };
            let opset = o.opset.map_or_else(|| "-".to_owned(), |n| n.to_string());
            // What is not modelled is written as it came.
            let answers = [yes(o.interpreted()), yes(o.compiled()), yes(true)];
            [vec![o.operator.clone(), opset, o.nodes.to_string(), graph], answers.to_vec()].concat()
        })
        .collect();
    let mut out = table(&["operator", "opset", "nodes", "graph", "interpreter", "C", "ONNX"], &rows);
    for o in &coverage.operators {
        let reasons: Vec<&String> = o.opaque.iter().chain(&o.not_compiled).collect();
        for reason in reasons.iter().take(REASONS) {
            out.push_str(&format!("{}: {reason}\n", o.operator));
        }
        if reasons.len() > REASONS {
            out.push_str(&format!("{}: {} more reasons (--json lists them)\n", o.operator, reasons.len() - REASONS));
        }
    }
    for reason in &coverage.elsewhere {
        out.push_str(&format!("{reason}\n"));
    }
    let nodes: usize = coverage.operators.iter().map(|o| o.nodes).sum();
    let kinds = coverage.operators.len();
    let compiled = coverage.operators.iter().filter(|o| o.compiled()).count();
    out.push_str(&format!("{nodes} nodes of {kinds} operators, {compiled} of them compiled\n"));
    out
}
