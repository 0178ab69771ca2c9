//! `egret rules mutate`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use egret_rules::rulecheck::mutate::search::{Search, SearchError, Verdict};
use egret_rules::rulecheck::mutate::{Judged, Operator, Score, judge, judge_rules, mutants, sample};
use egret_rules::rulecheck::smt::{Oracle, Solver};
use serde::Serialize;

use super::Outcome;
use super::output::{Output, table};

/// The share of wrong mutants that the check must refuse.
const ENOUGH: f64 = 0.95;

#[derive(clap::Args)]
pub struct Args {
    /// Rule files; none: the built-in library
    files: Vec<PathBuf>,
    /// Mutants, spread over rules and kinds of faults; 0: all there are
    #[arg(long, default_value_t = 600)]
    count: usize,
    /// Seed of the choice among them
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print as JSON, with every mutant
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    /// Mutants that the rules have in all.
    possible: usize,
    score: Score,
    share: f64,
    by_operator: Vec<(Operator, Score)>,
    /// Rules as they stand that the search takes for wrong: there should be none.
    wrong_rules: Vec<(String, Verdict)>,
    /// Rules as they stand that it takes for right.
    right_rules: usize,
    seconds: f64,
    mutants: Vec<Judged>,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let rules = super::rules::load(&a.files)?;
    let all = mutants(&rules);
    let possible = all.len();
    let chosen = sample(all, if a.count == 0 { possible } else { a.count }, a.seed);
    let search = Search::find();
    if search.is_none() {
        out.note("no Python with numpy: which mutants are wrong is not known (`cargo xtask setup`, or EGRET_PYTHON)");
    }
    let start = std::time::Instant::now();
    let (done, total) = (AtomicUsize::new(0), chosen.len());
    out.step("judging mutants");
    let failed = |e: SearchError| egret::Error::Usage(e.to_string());
    let oracle = Oracle { solver: Solver::find(), known: Vec::new() };
    let judged = judge(&chosen, search.as_ref(), &oracle, &|j| {
        let n = done.fetch_add(1, Ordering::Relaxed) + 1;
        out.status(&format!("judging mutants: {n} of {total}, {}", j.of));
    })
    .map_err(failed)?;
    out.step("judging the rules themselves");
    let own = search.as_ref().map(|s| judge_rules(&rules, s)).transpose().map_err(failed)?.unwrap_or_default();
    let of = |operator: Operator| Score::of(judged.iter().filter(|j| j.operator == operator));
    let score = Score::of(&judged);
    let report = Report {
        possible,
        share: score.share(),
        by_operator: Operator::ALL.into_iter().map(|o| (o, of(o))).filter(|(_, s)| s.mutants > 0).collect(),
        right_rules: own.iter().filter(|(_, v)| matches!(v, Verdict::Equal { .. })).count(),
        wrong_rules: own.into_iter().filter(|(_, v)| matches!(v, Verdict::Wrong { .. })).collect(),
        seconds: start.elapsed().as_secs_f64(),
        score,
        mutants: judged,
    };
    out.result(a.json, &report, || text(&report));
    Ok(if search.is_none() {
        Outcome::Unsupported
    } else if report.share >= ENOUGH && report.score.counting_proved == 0 && report.wrong_rules.is_empty() {
        Outcome::Done
    } else {
        Outcome::No
    })
}

fn text(r: &Report) -> String {
    let mut out = String::new();
    for j in r.mutants.iter().filter(|j| j.counts() && j.refused.is_none()) {
        let proved = if j.proved { ", and is proved" } else { "" };
        out.push_str(&format!(
            "survives{proved}: {} of {}, {}\n  {}\n",
            j.operator.name(),
            j.of,
            j.class.name(),
            j.text
        ));
        if let Some(Verdict::Wrong { at, values }) = &j.verdict {
            out.push_str(&format!("  at {at}\n  {values}\n"));
        }
    }
    for (rule, verdict) in &r.wrong_rules {
        if let Verdict::Wrong { at, values } = verdict {
            out.push_str(&format!("wrong as it stands: {rule}\n  at {at}\n  {values}\n"));
        }
    }
    let cells = |name: &str, s: &Score| {
        let numbers = [s.mutants, s.refused, s.counting, s.counting_refused, s.counting_by_draws, s.equal, s.unjudged];
        std::iter::once(name.to_owned()).chain(numbers.map(|n| n.to_string())).collect::<Vec<_>>()
    };
    let mut rows: Vec<Vec<String>> = r.by_operator.iter().map(|(o, s)| cells(o.name(), s)).collect();
    rows.push(cells("all", &r.score));
    let header = ["fault", "mutants", "refused", "wrong", "refused of them", "by draws", "equal", "unjudged"];
    out.push_str(&table(&header, &rows));
    out.push_str(&format!(
        "\n{} of {} possible mutants; {:.1} % of the wrong ones refused; {} rules as they stand found right, {} wrong ({:.1} s)\n",
        r.score.mutants,
        r.possible,
        100.0 * r.share,
        r.right_rules,
        r.wrong_rules.len(),
        r.seconds
    ));
    out
}
