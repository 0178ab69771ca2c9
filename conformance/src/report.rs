//! Verdicts as counts, faults and JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::category::Category;
use crate::pool::Verdict;
use crate::skips::Skips;
use crate::stages::Stage;
use crate::suite::{SUITES, Test};

/// One test with all that is known of it.
pub struct Row {
    /// The test.
    pub test: Test,
    /// Why it is not run; None: it is.
    pub excluded: Option<Category>,
    /// What its run gave.
    pub verdict: Verdict,
}

/// Counts of a suite at a stage.
#[derive(Clone, Debug, Serialize)]
pub struct Counts {
    /// The suite.
    pub suite: &'static str,
    /// The stage.
    pub stage: Stage,
    /// Right results.
    pub passed: usize,
    /// Listed in the skip table and not passed.
    pub skipped: usize,
    /// Not passed and not listed.
    pub failed: usize,
    /// Of the passed: with inputs frozen.
    pub frozen: usize,
    /// Of the passed: judged by reading the exported model again, for ONNX Runtime cannot run the original either.
    pub by_reimport: usize,
    /// Not run, by category.
    pub excluded: BTreeMap<Category, usize>,
}

/// All that a run found.
pub struct Report {
    /// Counts by suite and stage.
    pub counts: Vec<Counts>,
    /// Unlisted faults: test, stage, what.
    pub faults: Vec<(String, Stage, String)>,
    /// What is wrong with the skip table.
    pub stale: Vec<String>,
}

/// Counts the verdicts. `complete` says that all tests were run, so that a line of the table without a test is an error.
pub fn report(rows: &[Row], stages: &[Stage], skips: &Skips, complete: bool) -> Report {
    let mut report = Report { counts: Vec::new(), faults: Vec::new(), stale: Vec::new() };
    let mut used = vec![false; skips.skip.len()];
    for suite in SUITES.iter().copied().filter(|s| rows.iter().any(|r| r.test.suite == *s)) {
        let mut excluded: BTreeMap<Category, usize> = BTreeMap::new();
        for row in rows.iter().filter(|r| r.test.suite == suite) {
            let Some(category) = row.excluded else { continue };
            *excluded.entry(category).or_default() += 1;
            // What is not run by its values may be listed for runs of stricter classes.
            let id = row.test.id();
            let listed = stages.iter().filter_map(|stage| skips.find(&id, *stage));
            listed.filter(|_| category == Category::NotFinite).for_each(|line| used[line] = true);
        }
        for stage in stages.iter().copied() {
            let (passed, skipped, failed, frozen, by_reimport) = Default::default();
            let excluded = excluded.clone();
            let mut c = Counts { suite, stage, passed, skipped, failed, frozen, by_reimport, excluded };
            for row in rows.iter().filter(|r| r.test.suite == suite && r.excluded.is_none()) {
                let listed = skips.find(&row.test.id(), stage);
                if let Some(line) = listed {
                    used[line] = true;
                }
                let outcome = row.verdict.stages.get(&stage);
                match (outcome.map(|o| &o.fault), listed) {
                    (Some(None), Some(line)) => report.stale.push(format!(
                        "{} passes {} and is listed: {}",
                        row.test.id(),
                        stage.name(),
                        skips.skip[line].reason
                    )),
                    (Some(None), None) => {}
                    (_, Some(_)) => c.skipped += 1,
                    (fault, None) => {
                        c.failed += 1;
                        let what = fault.cloned().flatten().unwrap_or_else(|| "was not run".to_owned());
                        report.faults.push((row.test.id(), stage, what));
                    }
                }
                if let Some(o) = outcome.filter(|o| o.fault.is_none()) {
                    c.passed += 1;
                    c.frozen += usize::from(!row.verdict.frozen.is_empty());
                    c.by_reimport += usize::from(o.by_reimport.is_some());
                }
            }
            report.counts.push(c);
        }
    }
    if complete {
        let idle = skips.skip.iter().zip(&used).filter(|(_, used)| !**used);
        report.stale.extend(idle.map(|(s, _)| format!("{} is listed, and there is no such test", s.test)));
    }
    report
}

/// What is special about tests, a line each.
pub fn notes(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let id = row.test.id();
        if let Some(category) = row.excluded {
            out.push_str(&format!("EXCLUDED {id}: {}\n", category.name()));
        }
        if !row.verdict.frozen.is_empty() {
            out.push_str(&format!("FROZEN {id}: {}\n", row.verdict.frozen.join(", ")));
        }
        for (stage, outcome) in &row.verdict.stages {
            if let (None, Some(why)) = (&outcome.fault, &outcome.by_reimport) {
                out.push_str(&format!("REIMPORT {} {id}: {}\n", stage.name(), why.replace('\n', "; ")));
            }
        }
    }
    out
}

impl Report {
    /// Whether nothing unexpected happened.
    pub fn is_good(&self) -> bool {
        self.faults.is_empty() && self.stale.is_empty()
    }

    /// The counts as a table, with the sums over the suites.
    pub fn table(&self) -> String {
        let head = ["suite", "stage", "passed", "frozen", "re-import", "skipped", "failed", "excluded"];
        let mut rows = vec![head.map(str::to_owned)];
        let line = |name: &str, c: &Counts| {
            let numbers = [c.passed, c.frozen, c.by_reimport, c.skipped, c.failed, c.excluded.values().sum()];
            let [a, b, d, e, f, g] = numbers.map(|n| n.to_string());
            [name.to_owned(), c.stage.name().to_owned(), a, b, d, e, f, g]
        };
        rows.extend(self.counts.iter().map(|c| line(c.suite, c)));
        rows.extend(self.sums().iter().map(|c| line("all", c)));
        let width = |i: usize| rows.iter().map(|r| r[i].len()).max().unwrap_or(0);
        let widths: [usize; 8] = std::array::from_fn(width);
        let mut out = String::new();
        for row in &rows {
            for (i, (cell, w)) in row.iter().zip(widths).enumerate() {
                let padded = if i < 2 { format!("{cell:<w$}  ") } else { format!("{cell:>w$}  ") };
                out.push_str(&padded);
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        let mut excluded: BTreeMap<Category, usize> = BTreeMap::new();
        let first = self.counts.first().map(|c| c.stage);
        for (category, n) in self.counts.iter().filter(|c| Some(c.stage) == first).flat_map(|c| &c.excluded) {
            *excluded.entry(*category).or_default() += n;
        }
        let words: Vec<String> = excluded.iter().map(|(c, n)| format!("{} {n}", c.name())).collect();
        if !words.is_empty() {
            out.push_str(&format!("excluded: {}\n", words.join(", ")));
        }
        out
    }

    fn sums(&self) -> Vec<Counts> {
        let mut sums: Vec<Counts> = Vec::new();
        for c in &self.counts {
            match sums.iter_mut().find(|s| s.stage == c.stage) {
                None => sums.push(c.clone()),
                Some(s) => {
                    s.passed += c.passed;
                    s.skipped += c.skipped;
                    s.failed += c.failed;
                    s.frozen += c.frozen;
                    s.by_reimport += c.by_reimport;
                    for (category, n) in &c.excluded {
                        *s.excluded.entry(*category).or_default() += n;
                    }
                }
            }
        }
        sums
    }
}
