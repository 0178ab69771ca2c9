//! `egret lab saturate|extract|ablate|sweep|compare|rerun`.

mod args;
mod show;

use std::path::PathBuf;

use egret::lab::{self, Experiment, Task, Unit, folder};

use super::Outcome;
use super::output::{Output, table};
use args::{Budgets, Common};

/// Run experiments on the optimizer.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Saturate, and keep statistics by round and rule, the e-graph with the birth of each e-node, and plots
    Saturate(Saturate),
    /// Run extractors side by side: cost, lower bound, gap
    Extract(Extract),
    /// Leave out one rule after the other: what each contributes
    Ablate(Ablate),
    /// Cost against budgets, over a grid of them
    Sweep(Sweep),
    /// Show in which rules, counts and costs two run folders differ
    Compare(Compare),
    /// Repeat a run and check that every result is the same, byte for byte
    Rerun(Rerun),
}

#[derive(clap::Args)]
struct Saturate {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    budgets: Budgets,
}

#[derive(clap::Args)]
struct Extract {
    /// An extractor by name; may be repeated; none: all
    #[arg(long = "extractor", value_name = "NAME")]
    extractors: Vec<String>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    budgets: Budgets,
}

#[derive(clap::Args)]
struct Ablate {
    /// What is left out at a time
    #[arg(long, value_enum, default_value = "rule")]
    by: UnitArg,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    budgets: Budgets,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum UnitArg {
    /// A rule, in one direction
    Rule,
    /// All rules of a file
    Tag,
    /// All rules of a phase
    Phase,
    /// All rules of a numeric class
    Class,
}

#[derive(clap::Args)]
struct Sweep {
    #[command(flatten)]
    common: Common,
    /// Budgets of e-nodes at the end of the last phase
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    nodes: Vec<usize>,
    /// Budgets of new e-nodes per rule and phase
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    per_rule: Vec<usize>,
    /// Budgets of rounds per phase
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    rounds: Vec<usize>,
}

#[derive(clap::Args)]
struct Compare {
    /// A run folder
    first: PathBuf,
    /// Another
    second: PathBuf,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Rerun {
    /// The run folder
    folder: PathBuf,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    match &a.command {
        Command::Saturate(s) => experiment(&s.common, Task::Saturate, s.budgets.budgets(), out),
        Command::Extract(e) => extract(e, out),
        Command::Ablate(x) => {
            let by = match x.by {
                UnitArg::Rule => Unit::Rule,
                UnitArg::Tag => Unit::Tag,
                UnitArg::Phase => Unit::Phase,
                UnitArg::Class => Unit::Class,
            };
            experiment(&x.common, Task::Ablate { by }, x.budgets.budgets(), out)
        }
        Command::Sweep(s) => {
            let task = Task::Sweep { nodes: s.nodes.clone(), per_rule: s.per_rule.clone(), rounds: s.rounds.clone() };
            experiment(&s.common, task, lab::Budgets::default(), out)
        }
        Command::Compare(c) => {
            let differences = folder::compare(&c.first, &c.second)?;
            let same = "the runs are the same\n";
            Ok(differing(&differences, c.json, same, ["first", "second"], out))
        }
        Command::Rerun(r) => {
            let differences = folder::rerun(&r.folder, &|s| out.status(s))?;
            let same = "every result is the same, byte for byte\n";
            Ok(differing(&differences, r.json, same, ["kept", "now"], out))
        }
    }
}

fn extract(e: &Extract, out: &Output) -> egret::Result<Outcome> {
    let name = e.common.model.to_string_lossy();
    let dump = if name.ends_with(".json") || name.ends_with(".json.gz") {
        Some(args::absolute(&e.common.model)?)
    } else {
        None
    };
    let task = Task::Extract { extractors: e.extractors.clone(), dump };
    experiment(&e.common, task, e.budgets.budgets(), out)
}

/// Runs an experiment, writes its folder where one is asked for, and shows what it found.
fn experiment(common: &Common, task: Task, budgets: lab::Budgets, out: &Output) -> egret::Result<Outcome> {
    let experiment = Experiment { task, setup: common.setup(budgets)? };
    let report = lab::run(&experiment, &|s| out.status(s))?;
    if let Some(place) = &common.run {
        folder::write(place, std::env::args().collect(), &experiment, &report)?;
        out.note(&format!("{} results are in {}", report.files.0.len(), place.display()));
    }
    out.result(common.json, &report.findings, || show::findings(&report.findings));
    Ok(Outcome::Done)
}

fn differing(list: &[folder::Difference], json: bool, same: &str, sides: [&str; 2], out: &Output) -> Outcome {
    out.result(json, &list, || {
        if list.is_empty() {
            return same.to_owned();
        }
        let row = |d: &folder::Difference| vec![d.place.clone(), d.item.clone(), d.first.clone(), d.second.clone()];
        let rows: Vec<Vec<String>> = list.iter().map(row).collect();
        table(&["where", "what", sides[0], sides[1]], &rows)
    });
    if list.is_empty() { Outcome::Done } else { Outcome::No }
}
