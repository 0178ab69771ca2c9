//! `egret rules list|check`.

use std::path::PathBuf;

use serde::Serialize;

use super::Outcome;
use super::output::{Output, table};

/// List or check rewrite rules.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the rules, with file and line, numeric class and source
    List(Files),
    /// Check every rule by its own text: types, values in exact and float arithmetic, the need of its condition
    Check(Files),
}

#[derive(clap::Args)]
struct Files {
    /// Rule files; none: the built-in library
    files: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: String,
    place: String,
    class: String,
    cite: String,
    text: String,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    match &a.command {
        Command::List(f) => list(f, out),
        Command::Check(f) => check(f, out),
    }
}

fn load(f: &Files) -> egret::Result<egret_rules::RuleSet> {
    if f.files.is_empty() {
        return Ok(egret_rules::RuleSet::builtin());
    }
    egret::load_rules(&f.files)
}

fn list(f: &Files, out: &Output) -> egret::Result<Outcome> {
    let rules = load(f)?;
    let rows: Vec<Row> = rules
        .rules
        .iter()
        .map(|r| Row {
            name: r.name.to_string(),
            place: r.place.to_string(),
            class: r.numeric.name().to_owned(),
            cite: r.cite.to_string(),
            text: r.text.to_string(),
        })
        .collect();
    out.result(f.json, &rows, || {
        let cells: Vec<Vec<String>> =
            rows.iter().map(|r| vec![r.name.clone(), r.place.clone(), r.class.clone(), r.cite.clone()]).collect();
        format!("{}\n{} rules\n", table(&["rule", "place", "class", "source"], &cells), rows.len())
    });
    Ok(Outcome::Done)
}

/// Counts for programs, with the rules that were refused.
#[derive(Serialize)]
struct Checked<'a> {
    rules: usize,
    refused: usize,
    samples: usize,
    seconds: f64,
    failed: Vec<&'a egret_rules::rulecheck::RuleReport>,
}

fn check(f: &Files, out: &Output) -> egret::Result<Outcome> {
    let rules = load(f)?;
    out.step(&format!("checking {} rules", rules.rules.len()));
    let start = std::time::Instant::now();
    let report = egret_rules::rulecheck::check_all(&rules);
    let failed: Vec<_> = report.failed().collect();
    let checked = Checked {
        rules: report.rules.len(),
        refused: failed.len(),
        samples: report.samples(),
        seconds: start.elapsed().as_secs_f64(),
        failed,
    };
    out.result(f.json, &checked, || {
        let mut text = String::new();
        for r in &checked.failed {
            text.push_str(&format!("{}: {}\n  {}\n", r.place, r.rule, r.text));
            for failure in &r.failures {
                text.push_str(&format!("  {failure}\n"));
            }
        }
        let Checked { rules, refused, samples, seconds, .. } = &checked;
        text.push_str(&format!("{rules} rules, {samples} samples compared, {refused} refused, {seconds:.1} s\n"));
        text
    });
    Ok(if checked.refused == 0 { Outcome::Done } else { Outcome::No })
}
