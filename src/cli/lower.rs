//! `egret lower`.

use std::path::PathBuf;

use super::Outcome;
use super::args::{Rewriting, Shapes};
use super::output::Output;

/// Show a model at one level of the compiler.
#[derive(clap::Args)]
pub struct Args {
    /// The model: ONNX, TFLite, or Egret's text form
    input: PathBuf,
    /// The level
    #[arg(long, value_enum)]
    to: egret::Level,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    rewriting: Rewriting,
    /// CPU features, for loops and C
    #[arg(long, value_name = "CPU", default_value = "native")]
    cpu: String,
    /// With all constants, at level graph: the text is then a complete model (.egret)
    #[arg(long)]
    weights: bool,
    /// Write to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let options = egret::CompileOptions {
        binding: a.shapes.binding()?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        unchecked_rules: a.rewriting.unchecked_rules,
        cpu: a.cpu.parse()?,
        ..egret::CompileOptions::default()
    };
    let text = match (a.weights, a.to) {
        (false, level) => egret::lower(&a.input, level, &options, &|s| out.step(s))?,
        (true, egret::Level::Graph) => egret::whole_text(&a.input, &options.binding)?,
        (true, _) => return Err(egret::Error::Usage("--weights: only with --to graph".to_owned())),
    };
    out.clear();
    match &a.output {
        Some(path) => egret::write_file(path, text.as_bytes())?,
        None => super::output::print(&text),
    }
    Ok(Outcome::Done)
}
