//! `egret compile`.

use std::path::PathBuf;

use super::Outcome;
use super::args::{Rewriting, Shapes};
use super::output::{Output, table};

/// Compile a model into a shared library with a C header.
#[derive(clap::Args)]
pub struct Args {
    /// The model: ONNX, TFLite, or Egret's text form
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
    /// Add fast variants for given extents, e.g. seq=128,384, or "batch=1 seq=128" where several are open
    #[arg(long, value_name = "NAME=N,N,…")]
    specialize: Vec<String>,
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
        specialize: specialize(&a.specialize)?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        unchecked_rules: a.rewriting.unchecked_rules,
        cpu: a.cpu.parse()?,
        cc: a.cc.clone(),
    };
    let progress = |s: &str| out.step(s);
    let done = match a.emit {
        Emit::So => egret::compile(&a.input, &a.output, &options, &progress)?,
        Emit::C => egret::emit_c(&a.input, &a.output, &options, &progress)?,
    };
    out.warnings(&done.warnings);
    out.result(a.json, &done, || {
        let rows = vec![vec![
            done.nodes.to_string(),
            done.kernels.to_string(),
            done.weight_bytes.to_string(),
            if done.open.is_empty() { done.arena_bytes.to_string() } else { format!("by {}", done.open.join(", ")) },
            done.variants.to_string(),
            done.cpu.clone(),
        ]];
        let mut text = table(&["nodes", "kernels", "weight bytes", "arena bytes", "variants", "cpu"], &rows);
        for f in &done.files {
            text.push_str(&format!("{f}\n"));
        }
        text
    });
    Ok(Outcome::Done)
}

/// The combinations of one `--specialize` after the other: `seq=128,384` are two, `batch=1,2 seq=128` as well.
fn specialize(texts: &[String]) -> egret::Result<Vec<Vec<(String, i64)>>> {
    let mut out = Vec::new();
    for text in texts {
        let bad = || egret::Error::Usage(format!("--specialize {text}: expected NAME=N,N,… with numbers from 0 up"));
        let mut combinations: Vec<Vec<(String, i64)>> = vec![Vec::new()];
        for part in text.split_whitespace() {
            let (name, list) = part.rsplit_once('=').ok_or_else(bad)?;
            let values: Option<Vec<i64>> = list.split(',').map(|n| n.parse().ok().filter(|n| *n >= 0)).collect();
            let values = values.filter(|v| !name.is_empty() && !v.is_empty()).ok_or_else(bad)?;
            let with = |c: &Vec<(String, i64)>, n: i64| c.iter().cloned().chain([(name.to_owned(), n)]).collect();
            combinations = combinations.iter().flat_map(|c| values.iter().map(move |n| with(c, *n))).collect();
            if combinations.len() > 64 {
                return Err(egret::Error::Usage(format!("--specialize {text}: more than 64 variants")));
            }
        }
        out.extend(combinations.into_iter().filter(|c| !c.is_empty()));
    }
    Ok(out)
}
