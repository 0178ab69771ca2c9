//! `egret compile`.

use std::path::PathBuf;

use super::Outcome;
use super::args::{Rewriting, Shapes};
use super::output::{Output, table};

/// Compile a model into a shared library with a C header.
#[derive(clap::Args)]
pub struct Args {
    /// The ONNX model
    input: PathBuf,
    /// Where to write the library (its header goes beside it), or the source tree with --emit c
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What to compile for
    #[arg(long, value_enum, default_value = "cpu")]
    target: Target,
    /// What to write
    #[arg(long, value_enum, default_value = "so")]
    emit: Emit,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    rewriting: Rewriting,
    /// CPU features the library may use
    #[arg(long, value_name = "CPU", default_value = "native")]
    cpu: String,
    /// The C compiler
    #[arg(long, value_name = "PROGRAM", default_value = "cc")]
    cc: String,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    /// The CPU, through C
    Cpu,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Emit {
    /// A shared library and its header
    So,
    /// A C source tree with a Makefile
    C,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let Target::Cpu = a.target;
    let options = egret::CompileOptions {
        binding: a.shapes.binding()?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        cpu: a.cpu.parse()?,
        cc: a.cc.clone(),
    };
    let progress = |s: &str| out.step(s);
    let done = match a.emit {
        Emit::So => egret::compile(&a.input, &a.output, &options, &progress)?,
        Emit::C => egret::emit_c(&a.input, &a.output, &options, &progress)?,
    };
    out.result(a.json, &done, || {
        let rows = vec![vec![
            done.nodes.to_string(),
            done.kernels.to_string(),
            done.weight_bytes.to_string(),
            done.arena_bytes.to_string(),
            done.cpu.clone(),
        ]];
        let mut text = table(&["nodes", "kernels", "weight bytes", "arena bytes", "cpu"], &rows);
        for f in &done.files {
            text.push_str(&format!("{f}\n"));
        }
        text
    });
    Ok(Outcome::Done)
}
