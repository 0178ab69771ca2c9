//! `cargo xtask models`: every real model through optimize, compile and verify, as one table.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use egret_models::{Manifest, Model};
use serde::Deserialize;

use crate::egret::{Egret, Verified, Worst, run_args};
use crate::system;
use crate::table::Table;

/// Which models, and what beside.
#[derive(clap::Args, Debug, Default)]
pub struct Args {
    /// Only these models
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub only: Vec<String>,
    /// The models for benches too, not only those that must always pass
    #[arg(long)]
    pub all: bool,
    /// Count the nodes that onnxslim leaves, too; more nodes or bytes than that is a failure
    #[arg(long)]
    pub slim: bool,
}

/// Runs the models that are there. Fails where one of them fails, and where one named in `only`
/// is not there.
pub fn run(args: &Args) -> Result<()> {
    let chosen = choose(&args.only, args.all)?;
    let egret = Egret::build()?;
    let work = system::cargo_target().join("xtask-models");
    fs::create_dir_all(&work).with_context(|| format!("creating {}", work.display()))?;

    let mut table = Table::new([
        "model", "nodes", "after", "slim", "MB", "after", "s", "ONNX", "error", "floor", "kernels", "s", ".so",
        "error", "floor",
    ]);
    let mut failures = Vec::new();
    let mut runs = 0;
    for model in &chosen {
        let sizes = [Some((model.clone(), model.name.clone())), second(model)];
        for (model, label) in sizes.into_iter().flatten() {
            println!("{label}");
            runs += 1;
            let mut row = Row::default();
            if let Err(error) = one(&model, &egret, &work, args.slim, &mut row) {
                println!("  FAILED");
                failures.push(format!("{label}: {error:#}"));
            }
            table.row(row.cells(&label));
        }
    }
    println!("\n{}\n", table.render());
    if !failures.is_empty() {
        bail!("{} of {runs} runs failed\n{}", failures.len(), failures.join("\n"));
    }
    println!("{} models, {runs} runs: optimized and compiled, all equal to the original", chosen.len());
    Ok(())
}

/// The model at its second size, with a label.
fn second(model: &Model) -> Option<(Model, String)> {
    let second = model.at_second_size()?;
    let label =
        format!("{}, {}", model.name, second.dims.iter().chain(&second.shapes).cloned().collect::<Vec<_>>().join(" "));
    Some((second, label))
}

/// The models that are wanted and there; says which are not.
pub fn choose(only: &[String], all: bool) -> Result<Vec<Model>> {
    let manifest = Manifest::load()?;
    if !only.is_empty() {
        let chosen: Vec<Model> = only.iter().map(|name| manifest.get(name).cloned()).collect::<Result<_, _>>()?;
        if let Some(absent) = chosen.iter().find(|m| !m.present()) {
            bail!("{} is not there: run cargo xtask setup --only {}", absent.name, absent.name);
        }
        return Ok(chosen);
    }
    let wanted = manifest.models.into_iter().filter(|m| all || m.main);
    let (present, absent): (Vec<_>, Vec<_>) = wanted.partition(Model::present);
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|m| m.name.as_str()).collect();
        println!("not there, left out: {} (cargo xtask setup fetches them)", names.join(", "));
    }
    Ok(present)
}

/// What is known of one model so far; empty cells where it failed before.
#[derive(Default)]
struct Row {
    nodes: Option<(u64, u64)>,
    slim: Option<u64>,
    bytes: Option<(u64, u64)>,
    optimize_s: Option<f64>,
    onnx: Option<Verified>,
    kernels: Option<u64>,
    compile_s: Option<f64>,
    library: Option<Verified>,
}

impl Row {
    fn cells(&self, name: &str) -> [String; 15] {
        fn cell<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
            value.map_or_else(|| "-".to_owned(), show)
        }
        let megabytes = |bytes: u64| format!("{:.2}", bytes as f64 / 1e6);
        fn worst(verified: Option<&Verified>) -> Option<Worst<'_>> {
            verified.and_then(Verified::worst)
        }
        let (onnx, library) = (self.onnx.as_ref(), self.library.as_ref());
        [
            name.to_owned(),
            cell(self.nodes, |n| n.0.to_string()),
            cell(self.nodes, |n| n.1.to_string()),
            cell(self.slim, |n| n.to_string()),
            cell(self.bytes, |b| megabytes(b.0)),
            cell(self.bytes, |b| megabytes(b.1)),
            cell(self.optimize_s, |s| format!("{s:.1}")),
            cell(onnx, |v| v.verdict.clone()),
            cell(worst(onnx), |w| format!("{:.1e}", w.error)),
            cell(worst(onnx), |w| format!("{:.1e}", w.floor)),
            cell(self.kernels, |k| k.to_string()),
            cell(self.compile_s, |s| format!("{s:.1}")),
            cell(library, |v| v.verdict.clone()),
            cell(worst(library), |w| format!("{:.1e}", w.error)),
            cell(worst(library), |w| format!("{:.1e}", w.floor)),
        ]
    }
}

fn one(model: &Model, egret: &Egret, work: &Path, slim: bool, row: &mut Row) -> Result<()> {
    let original = model.path();
    let (binding, inputs) = (model.binding_args(), run_args(model));
    let file = |what: &str| work.join(format!("{}{what}", model.name));
    let (optimized, repeated, again, library) =
        (file(".onnx"), file(".repeated.onnx"), file(".again.onnx"), file(".so"));

    let start = Instant::now();
    let report = egret.optimize(&original, &optimized, &binding)?;
    row.optimize_s = Some(start.elapsed().as_secs_f64());
    row.nodes = Some((report.nodes_before, report.nodes_after));
    row.bytes = Some((report.bytes_before, report.bytes_after));

    let start = Instant::now();
    row.kernels = Some(egret.compile(&original, &library, &binding)?.kernels);
    row.compile_s = Some(start.elapsed().as_secs_f64());

    row.onnx = Some(egret.verify(&original, &optimized, &inputs)?);
    row.library = Some(egret.verify(&original, &library, &inputs)?);

    egret.optimize(&original, &repeated, &binding)?;
    same_bytes(&optimized, &repeated).context("two optimizations of the same file differ")?;
    egret.optimize(&optimized, &again, &[])?;
    same_bytes(&optimized, &again).context("the optimized file, optimized again, is another one")?;

    for (what, verified) in [("the optimized model", &row.onnx), ("the compiled library", &row.library)] {
        if let Some(v) = verified.as_ref().filter(|v| !v.equal()) {
            let place = v.worst().map_or_else(String::new, |w| format!(", most in the output {}", w.output));
            bail!("{what} is not equal to the original: {}{place}", v.verdict);
        }
    }
    if slim && model.format == "onnx" {
        let left = slim_counts(model)?;
        row.slim = Some(left.nodes);
        if report.nodes_after > left.nodes || report.bytes_after > left.bytes.max(report.bytes_before) {
            bail!(
                "optimized to {} nodes and {} bytes; onnxslim leaves {} nodes and {} bytes",
                report.nodes_after,
                report.bytes_after,
                left.nodes,
                left.bytes
            );
        }
    }
    Ok(())
}

/// What onnxslim leaves of a model.
#[derive(Deserialize)]
struct Slim {
    nodes: u64,
    bytes: u64,
}

fn slim_counts(model: &Model) -> Result<Slim> {
    let python = egret_models::target_dir().join("python/bin/python");
    if !python.is_file() {
        bail!("no Python environment: run cargo xtask setup --only python");
    }
    let mut script = Command::new(python);
    script.arg(system::root().join("benches/models/count_nodes.py")).arg(model.path()).args(model.binding_args());
    serde_json::from_str(&system::output(&mut script)?).context("count_nodes.py printed no counts")
}

fn same_bytes(a: &Path, b: &Path) -> Result<()> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("reading {}", path.display()));
    if read(a)? != read(b)? {
        bail!("{} and {} differ", a.display(), b.display());
    }
    Ok(())
}
