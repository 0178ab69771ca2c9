//! `egret lab sweep`: cost against budgets.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::subject::Subject;
use super::{Budgets, Files, Findings, Progress, plot};
use crate::Result;

/// One combination of budgets, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// E-nodes allowed; None: the default.
    pub budget: Option<usize>,
    /// New e-nodes allowed per rule and phase; None: the default.
    pub per_rule: Option<usize>,
    /// Rounds allowed per phase; None: the default.
    pub rounds: Option<usize>,
    /// E-nodes made.
    pub nodes: usize,
    /// Classes.
    pub classes: usize,
    /// Whether no budget stopped anything.
    pub saturated: bool,
    /// Predicted time of the program, in picoseconds.
    pub cost: u64,
    /// Its kernels.
    pub kernels: usize,
}

/// An axis of the grid; one default where it is empty.
fn axis(values: &[usize]) -> Vec<Option<usize>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

/// All combinations, in parallel, in order of the grid.
pub(super) fn run(
    subject: &Subject,
    nodes: &[usize],
    per_rule: &[usize],
    rounds: &[usize],
    progress: Progress<'_>,
) -> Result<(Findings, Files)> {
    let mut grid = Vec::new();
    for rounds in axis(rounds) {
        for per_rule in axis(per_rule) {
            grid.extend(axis(nodes).into_iter().map(|nodes| Budgets { nodes, per_rule, rounds }));
        }
    }
    let (done, total) = (AtomicUsize::new(0), grid.len());
    let points = grid.par_iter().map(|budgets| {
        let saturated = subject.saturate(&subject.rules, &subject.budgeted(budgets));
        let chosen = subject.choose(&saturated.classes)?;
        progress(&format!("sweeping: {} of {total}", done.fetch_add(1, Ordering::Relaxed) + 1));
        Ok(Point {
            budget: budgets.nodes,
            per_rule: budgets.per_rule,
            rounds: budgets.rounds,
            nodes: saturated.log.ids(),
            classes: saturated.classes.classes.len(),
            saturated: saturated.saturated(),
            cost: chosen.cost,
            kernels: chosen.kernels,
        })
    });
    let points = points.collect::<Result<Vec<Point>>>()?;
    let mut files = Files::default();
    files.csv("sweep.csv", &points);
    files.json("sweep.json", &points);
    files.text("sweep.svg", plot::sweep(&points));
    Ok((Findings::Sweep(points), files))
}
