//! ONNX's own test suites through every path of Egret: interpreted, optimized and exported, compiled and run. Started by
//! `cargo xtask conformance`, which writes the suites first.
//!
//! A test passes a stage, or is excluded by a category told from its model, or is listed in `skips.toml` with a reason.
//! Anything else fails the run, and so does a listed test that passes.

mod category;
mod compare;
mod peers;
mod pool;
mod quantized;
mod report;
mod skips;
mod stages;
mod suite;
mod worker;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use egret::Numeric;
use indicatif::{ProgressBar, ProgressStyle};

use crate::category::Category;
use crate::pool::Verdict;
use crate::report::Row;
use crate::skips::Skips;
use crate::stages::{Runtime, Stage};
use crate::worker::Job;

#[derive(Parser)]
#[command(name = "cargo xtask conformance", bin_name = "cargo xtask conformance")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    args: Args,
}

#[derive(Subcommand)]
enum Command {
    /// Run jobs given as lines on the standard input
    #[command(hide = true)]
    Worker,
    Quantized(quantized::Args),
}

/// Run ONNX's test suites through every path
#[derive(clap::Args)]
struct Args {
    /// Only these suites: node, simple, pytorch-converted, pytorch-operator, light
    #[arg(long = "suite", value_delimiter = ',', value_name = "SUITE,...")]
    suites: Vec<String>,
    /// Only these stages
    #[arg(long = "stage", value_enum, value_delimiter = ',', value_name = "STAGE,...")]
    stages: Vec<Stage>,
    /// Only tests whose `suite/name` holds one of these texts
    #[arg(long = "filter", value_delimiter = ',', value_name = "TEXT,...")]
    filters: Vec<String>,
    /// Weakest numeric class of rules that may run: exact, reassociates, finite, approximates. From `finite` on, tests with
    /// NaN or Inf on the way are excluded
    #[arg(long, value_name = "CLASS", value_parser = numeric, default_value = "reassociates")]
    numeric: Numeric,
    /// Print a line of JSON per suite and stage
    #[arg(long)]
    json: bool,
    /// Say, too, which tests are excluded, which are run with frozen inputs, and which are judged by re-import, and why
    #[arg(long)]
    verbose: bool,
    /// Tests that run at once; by default one per core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Seconds that one stage of a test may take
    #[arg(long, value_name = "S", default_value_t = 300)]
    timeout: u64,
    /// Count, too, what ONNX Runtime and tract pass of the same tests
    #[arg(long)]
    peers: bool,
    /// The program that runs tests in tract
    #[arg(long, value_name = "PROGRAM", hide = true)]
    tract: Option<PathBuf>,
    /// The folder with the suites
    #[arg(long, value_name = "DIR")]
    tests: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Worker) => worker::run().map(|()| true),
        Some(Command::Quantized(args)) => quantized::run(&args),
        None => run(&cli.args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn numeric(name: &str) -> Result<Numeric, String> {
    Numeric::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Numeric::ALL.iter().map(|n| n.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

fn run(args: &Args) -> Result<bool> {
    let start = Instant::now();
    let root = args.tests.clone().unwrap_or_else(|| egret_models::target_dir().join("onnx-tests"));
    let tests = suite::list(&root, &args.suites, &args.filters)?;
    if tests.is_empty() {
        bail!("no test has such a name");
    }
    let mut stages = args.stages.clone();
    if stages.is_empty() {
        stages = vec![Stage::Interpret, Stage::Export, Stage::Compile];
    }
    if stages.contains(&Stage::Export) || args.peers {
        egret_verification::onnxruntime::library()?;
    }
    let skips = Skips::parse(include_str!("../skips.toml"))?;

    let mut rows = Vec::new();
    for test in tests {
        let excluded = exclusion(&test)?;
        rows.push(Row { test, excluded, verdict: Verdict::default() });
    }
    // Large models first, so that no worker ends long after the others.
    let mut order: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].excluded.is_none()).collect();
    order.sort_by_key(|i| (rows[*i].test.suite != "light", *i));
    let job = |(index, at): (usize, &usize)| Job {
        index,
        folder: rows[*at].test.folder.clone(),
        stages: stages.iter().copied().chain(args.peers.then_some(Stage::Onnxruntime)).collect(),
        runtime: Runtime::Optimized,
        numeric: args.numeric,
    };
    let jobs: Vec<Job> = order.iter().enumerate().map(job).collect();
    let bar = ProgressBar::new(jobs.len() as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {elapsed}")?;
    bar.set_style(style);
    let workers = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let verdicts = pool::run(jobs, workers, Duration::from_secs(args.timeout), &|at| {
        bar.set_message(rows[order[at]].test.name.clone());
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    for (at, verdict) in order.iter().zip(verdicts) {
        rows[*at].excluded = verdict.beyond.then_some(Category::NotFinite);
        rows[*at].verdict = verdict;
    }

    let mut peers = Vec::new();
    if args.peers {
        peers.extend(peers::onnxruntime(&rows));
        let tract = args.tract.as_ref().context("--tract names the program that runs tests in tract")?;
        peers.extend(peers::tract(tract, &rows, workers, Duration::from_secs(args.timeout.min(60)))?);
    }
    let complete = args.suites.is_empty() && args.filters.is_empty() && args.stages.is_empty();
    let report = report::report(&rows, &stages, &skips, complete);
    let mut text = if args.verbose { report::notes(&rows) } else { String::new() };
    for (test, stage, what) in &report.faults {
        text.push_str(&format!("FAILED {} {test}: {}\n", stage.name(), what.replace('\n', "; ")));
    }
    for what in &report.stale {
        text.push_str(&format!("STALE {what}\n"));
    }
    if args.json {
        eprint!("{text}");
        for counts in &report.counts {
            println!("{}", serde_json::to_string(counts)?);
        }
        for counts in &peers {
            println!("{}", serde_json::to_string(counts)?);
        }
    } else {
        print!("{text}");
        if args.peers {
            println!("\n{}", peers::table(&peers));
        }
        println!("\n{}{:.0} s", report.table(), start.elapsed().as_secs_f64());
    }
    Ok(report.is_good())
}

/// The first category a test falls into.
fn exclusion(test: &suite::Test) -> Result<Option<Category>> {
    let model = suite::model(&test.folder)?;
    let case = suite::read(&test.folder).ok();
    let given = |name: &str| {
        let set = case.as_ref()?.sets.first()?;
        let (_, t) = set.inputs.iter().find(|(n, _)| n == name)?;
        (t.len() == 1).then(|| t.get(0).to_f64())
    };
    let found: BTreeSet<Category> = category::of(&model, &given);
    Ok(found.into_iter().next())
}
