//! `egret lab ablate`: what each rule, file, phase or class of rules contributes, by leaving it out.
//!
//! A rule that united nothing with all rules on can be left out without a trace, so only the others are tried.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::experiment::Unit;
use super::selection::Entry;
use super::subject::Subject;
use super::{Files, Findings, Progress, selection};
use crate::Result;

/// One unit left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What was left out.
    pub without: String,
    /// Rules and passes in it.
    pub rules: usize,
    /// Predicted time of the program without it, in picoseconds.
    pub cost: u64,
    /// How much dearer that is than with all rules; below 0 where the program is cheaper without it.
    pub contribution: i128,
    /// Kernels without it.
    pub kernels: usize,
    /// E-nodes ever made without it.
    pub nodes: usize,
    /// How many fewer that are than with all rules.
    pub nodes_saved: i64,
    /// Whether saturation ended without a budget.
    pub saturated: bool,
}

/// An ablation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ablation {
    /// Predicted time of the model as it came, in picoseconds.
    pub cost_as_imported: u64,
    /// Predicted time with all rules, in picoseconds.
    pub cost: u64,
    /// Kernels with all rules.
    pub kernels: usize,
    /// E-nodes with all rules.
    pub nodes: usize,
    /// A line for each unit, the largest contribution first.
    pub rows: Vec<Row>,
    /// Units that did nothing, so that nothing is to be lost by leaving them out.
    pub idle: Vec<String>,
}

fn unit_of(by: Unit, entry: Entry<'_>) -> &str {
    match by {
        Unit::Rule => entry.name,
        Unit::Tag => entry.tag,
        Unit::Phase => entry.phase.name(),
        Unit::Class => entry.class.name(),
    }
}

/// Saturates with all rules and without each unit, in parallel; lines come in an order of their own.
pub(super) fn run(subject: &Subject, by: Unit, progress: Progress<'_>) -> Result<(Findings, Files)> {
    progress("with all rules");
    let whole = subject.saturate(&subject.rules, &subject.config);
    let chosen = subject.choose(&whole.classes)?;
    let cost_as_imported = subject.choose(&subject.as_imported())?.cost;
    let nodes = whole.log.ids();
    let all = || selection::entries(&subject.rules);
    let fired: BTreeSet<&str> =
        all().zip(&whole.rules).filter(|(_, s)| s.unions > 0).map(|(e, _)| unit_of(by, e)).collect();
    let idle: BTreeSet<&str> = all().map(|e| unit_of(by, e)).filter(|u| !fired.contains(u)).collect();
    let whole_rules = all().count();
    let (done, total) = (AtomicUsize::new(0), fired.len());
    let units: Vec<&str> = fired.into_iter().collect();
    let rows = units.par_iter().map(|unit| {
        let rest = selection::retain(&subject.rules, |e| unit_of(by, e) != *unit);
        let without = subject.saturate(&rest, &subject.config);
        let other = subject.choose(&without.classes)?;
        let n = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(&format!("ablating: {n} of {total}, {unit}"));
        Ok(Row {
            without: (*unit).to_owned(),
            rules: whole_rules - selection::entries(&rest).count(),
            cost: other.cost,
            contribution: i128::from(other.cost) - i128::from(chosen.cost),
            kernels: other.kernels,
            nodes: without.log.ids(),
            nodes_saved: nodes as i64 - without.log.ids() as i64,
            saturated: without.saturated(),
        })
    });
    let mut rows = rows.collect::<Result<Vec<Row>>>()?;
    rows.sort_by(|a, b| b.contribution.cmp(&a.contribution).then_with(|| a.without.cmp(&b.without)));
    let ablation = Ablation {
        cost_as_imported,
        cost: chosen.cost,
        kernels: chosen.kernels,
        nodes,
        rows,
        idle: idle.into_iter().map(str::to_owned).collect(),
    };
    let mut files = Files::default();
    files.csv("ablation.csv", &ablation.rows);
    files.json("ablation.json", &ablation);
    Ok((Findings::Ablate(ablation), files))
}
