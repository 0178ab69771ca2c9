//! The graphs of TENSAT's paper: seconds of the optimizer beside the published ones, e-nodes, and what the optimized
//! program saves, as predicted by the machine model and as measured.
//!
//! The optimizer is saturation and extraction together, wall-clock seconds of one run on one thread. Measured are thread
//! CPU seconds of two compiled libraries, without rules and with them, in turns; medians. The paper's speedups are of a
//! GPU with cuDNN's kernels and stand beside ours for orientation only.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use egret_benches::tensat::{Entry, GRAPHS};
use egret_codegen_c::{CcOptions, Context, EmitOptions, Library, build, emit_library};
use egret_extractor::plan::plan_with_report;
use egret_extractor::{Options, detect};
use egret_ir::choice::ClassGraph;
use egret_ir::machine::Machine;
use egret_ir::program::Program;
use egret_ir::{DType, Tensor};
use egret_rules::{Config, RuleSet, saturate};

/// Measure the graphs of TENSAT's paper.
#[derive(Parser)]
struct Args {
    /// Only these graphs
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    only: Vec<String>,
    /// Rounds of runs
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Do not compile and run
    #[arg(long)]
    predict: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// A line of the table.
#[derive(serde::Serialize)]
struct Row {
    graph: &'static str,
    nodes: usize,
    enodes: usize,
    saturated: bool,
    capped_by: Vec<String>,
    saturate_seconds: f64,
    extract_seconds: f64,
    optimizer_seconds: f64,
    tensat_seconds: f64,
    kernels_before: usize,
    kernels_after: usize,
    /// Predicted time of the program without rules, over that of the optimized one, less one.
    predicted_speedup_percent: f64,
    /// The same of measured medians; None where nothing ran.
    measured_speedup_percent: Option<f64>,
    before_ms: Option<f64>,
    after_ms: Option<f64>,
    tensat_speedup_percent: f64,
    /// Largest difference of results over their largest magnitude.
    difference: Option<f64>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(name) = args.only.iter().find(|n| GRAPHS.iter().all(|g| g.name != **n)) {
        bail!("no graph {name}; there are {}", GRAPHS.map(|g| g.name).join(", "));
    }
    let machine = detect()?;
    let rules = RuleSet::builtin();
    let mut rows = Vec::new();
    for entry in GRAPHS.iter().filter(|g| args.only.is_empty() || args.only.iter().any(|n| n == g.name)) {
        eprintln!("{}", entry.name);
        rows.push(row(entry, &rules, &machine, &args).with_context(|| entry.name)?);
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    println!(
        "{:<13}{:>6}{:>8}{:>10}{:>9}{:>10}{:>13}{:>11}{:>10}{:>10}{:>10}{:>10}",
        "graph",
        "nodes",
        "e-nodes",
        "optimizer",
        "TENSAT",
        "kernels",
        "predicted",
        "measured",
        "before",
        "after",
        "TENSAT",
        "diff"
    );
    for r in rows {
        let ms = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2} ms"));
        println!(
            "{:<13}{:>6}{:>8}{:>8.2} s{:>7.1} s{:>10}{:>11.1} %{:>11}{:>10}{:>10}{:>8.1} %{:>10}",
            r.graph,
            r.nodes,
            r.enodes,
            r.optimizer_seconds,
            r.tensat_seconds,
            format!("{}>{}", r.kernels_before, r.kernels_after),
            r.predicted_speedup_percent,
            r.measured_speedup_percent.map_or("-".to_owned(), |x| format!("{x:.1} %")),
            ms(r.before_ms),
            ms(r.after_ms),
            r.tensat_speedup_percent,
            r.difference.map_or("-".to_owned(), |x| format!("{x:.1e}")),
        );
        if !r.saturated {
            println!("    stopped by budgets: {}", r.capped_by.join(", "));
        }
    }
    Ok(())
}

fn row(entry: &Entry, rules: &RuleSet, machine: &Machine, args: &Args) -> Result<Row> {
    let graph = egret_ir::check((entry.build)()?).map_err(|e| anyhow::anyhow!("{e:?}"))?;
    let options = Options::default();
    let start = Instant::now();
    let saturated = saturate(&graph, rules, &Config::for_nodes(graph.nodes().len()));
    let saturate_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let (after, report) = plan_with_report(&saturated.classes, machine, &options)?;
    let extract_seconds = start.elapsed().as_secs_f64();
    let (before, plain) = plan_with_report(&ClassGraph::from_graph(&graph).0, machine, &options)?;
    let percent = |before: f64, after: f64| 100.0 * (before / after - 1.0);
    let mut row = Row {
        graph: entry.name,
        nodes: graph.nodes().len(),
        enodes: saturated.log.ids(),
        saturated: saturated.saturated(),
        capped_by: saturated.phases.iter().flat_map(|p| p.capped_by.clone()).collect(),
        saturate_seconds,
        extract_seconds,
        optimizer_seconds: saturate_seconds + extract_seconds,
        tensat_seconds: entry.tensat_seconds,
        kernels_before: before.kernels().count(),
        kernels_after: after.kernels().count(),
        predicted_speedup_percent: percent(plain.selection.cost as f64, report.selection.cost as f64),
        measured_speedup_percent: None,
        before_ms: None,
        after_ms: None,
        tensat_speedup_percent: entry.tensat_speedup,
        difference: None,
    };
    if args.predict {
        return Ok(row);
    }
    drop(saturated);
    let inputs: Vec<Tensor> =
        graph.inputs.iter().zip(1..).map(|(i, seed)| input(&i.ty, seed)).collect::<Result<_>>()?;
    let folder = tempfile::tempdir()?;
    let mut before = context(&before, &folder.path().join("before.so"))?;
    let mut after = context(&after, &folder.path().join("after.so"))?;
    row.difference = Some(difference(&before.run(&inputs)?, &after.run(&inputs)?));
    let (mut b, mut a) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        b.extend(before.time(&inputs, 1)?);
        a.extend(after.time(&inputs, 1)?);
    }
    let (b, a) = (median(b), median(a));
    row.before_ms = Some(1e3 * b);
    row.after_ms = Some(1e3 * a);
    row.measured_speedup_percent = Some(percent(b, a));
    Ok(row)
}

/// Compiles a program and opens it for one thread.
fn context(program: &Program, path: &std::path::Path) -> Result<Context> {
    let source = emit_library(program, &EmitOptions::default()).map_err(|e| anyhow::anyhow!("{e:?}"))?;
    build(&source, path, &CcOptions::default())?;
    Ok(Library::open(path)?.context(1)?)
}

/// Numbers between 0.5 and 1.5.
fn input(ty: &egret_ir::Type, seed: u64) -> Result<Tensor> {
    let shape = ty.as_tensor().and_then(egret_ir::TensorType::static_shape).context("extents that are numbers")?;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::new();
    for _ in 0..shape.iter().product::<usize>() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(((state >> 40) as f32 / (1u64 << 24) as f32 + 0.5).to_le_bytes());
    }
    Ok(Tensor::new(DType::F32, shape, bytes)?)
}

fn difference(a: &[Tensor], b: &[Tensor]) -> f64 {
    let (mut most, mut largest) = (0.0f64, 0.0f64);
    for (x, y) in a.iter().zip(b) {
        for i in 0..x.len() {
            let (x, y) = (x.get(i).to_f64(), y.get(i).to_f64());
            most = if (x - y).is_finite() { most.max((x - y).abs()) } else { f64::INFINITY };
            largest = largest.max(x.abs());
        }
    }
    most / largest.max(f64::MIN_POSITIVE)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
