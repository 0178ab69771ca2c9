//! `egret lab saturate`: everything that a saturation did, by round and by rule.

use egret_rules::{PhaseStats, RoundStats, RuleStats, Saturated};
use serde::Serialize;

use super::selection::Entry;
use super::subject::Subject;
use super::{Files, Findings, Progress, dump, plot, selection};

/// A rule or pass over a whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleRow {
    /// Its name.
    pub rule: String,
    /// Its phase.
    pub phase: &'static str,
    /// Its numeric class.
    pub class: &'static str,
    /// The file it stands in, or `passes`.
    pub tag: String,
    /// Matches tried.
    pub matches: usize,
    /// Of these, sides that were equal already or settled before.
    pub known: usize,
    /// Refused by a condition.
    pub condition: usize,
    /// Refused by types or missing attributes.
    pub refused: usize,
    /// Stopped by a budget.
    pub capped: usize,
    /// E-nodes born.
    pub born: usize,
    /// Classes united.
    pub unions: usize,
}

/// A rule in one round.
#[derive(Serialize)]
struct Step<'a> {
    iteration: usize,
    phase: &'static str,
    round: usize,
    rule: &'a str,
    matches: usize,
    known: usize,
    condition: usize,
    refused: usize,
    capped: usize,
    born: usize,
    unions: usize,
}

/// A round.
#[derive(Serialize)]
struct Round {
    iteration: usize,
    phase: &'static str,
    round: usize,
    matches: usize,
    born: usize,
    unions: usize,
    nodes: usize,
    classes: usize,
}

/// What a saturation came to.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Nodes of the model.
    pub model: usize,
    /// E-nodes that they are: equal ones are one.
    pub imported: usize,
    /// E-nodes ever made, those included.
    pub nodes: usize,
    /// Classes.
    pub classes: usize,
    /// Rules and passes that were on.
    pub rules_on: usize,
    /// Whether there is nothing more to do and nothing was stopped by a budget.
    pub saturated: bool,
    /// How each phase ended.
    pub phases: Vec<PhaseStats>,
    /// Faults of rules or of the engine; none unless there is a bug.
    pub faults: Vec<String>,
    /// What each rule did that had a match.
    pub rules: Vec<RuleRow>,
}

#[derive(Serialize)]
struct Statistics<'a> {
    summary: &'a Summary,
    rounds: &'a [RoundStats],
}

/// Saturates and writes down what happened.
pub(super) fn run(subject: &Subject, progress: Progress<'_>) -> (Findings, Files) {
    progress("saturating");
    let saturated = subject.saturate(&subject.rules, &subject.config);
    let summary = summary(subject, &saturated);
    progress("writing statistics");
    let mut files = Files::default();
    files.csv("rules.csv", &summary.rules);
    files.csv("rounds.csv", &rounds(&saturated));
    files.csv("steps.csv", &steps(&saturated));
    files.json("stats.json", &Statistics { summary: &summary, rounds: &saturated.rounds });
    files.csv("births.csv", &dump::births(&saturated));
    files.json("egraph.json", &dump::egraph(&saturated, &subject.machine));
    files.text("growth.svg", plot::growth(&saturated.rounds, summary.imported));
    files.text("births.svg", plot::waterfall(&summary));
    (Findings::Saturate(summary), files)
}

fn summary(subject: &Subject, s: &Saturated) -> Summary {
    let row = |(entry, s): (Entry<'_>, &RuleStats)| RuleRow {
        rule: s.rule.clone(),
        phase: entry.phase.name(),
        class: entry.class.name(),
        tag: entry.tag.to_owned(),
        matches: s.matches,
        known: s.known,
        condition: s.condition,
        refused: s.refused,
        capped: s.capped,
        born: s.born,
        unions: s.unions,
    };
    let rules = selection::entries(&subject.rules).zip(&s.rules).filter(|(_, s)| s.matches > 0).map(row).collect();
    Summary {
        model: subject.graph.nodes().len(),
        imported: s.births().iter().filter(|b| b.rule.is_none()).count(),
        nodes: s.log.ids(),
        classes: s.classes.classes.len(),
        rules_on: s.rules.len(),
        saturated: s.saturated(),
        phases: s.phases.clone(),
        faults: s.faults().iter().map(ToString::to_string).collect(),
        rules,
    }
}

fn rounds(s: &Saturated) -> Vec<Round> {
    let row = |(i, r): (usize, &RoundStats)| Round {
        iteration: i + 1,
        phase: r.phase.name(),
        round: r.round,
        matches: r.rules.iter().map(|s| s.matches).sum(),
        born: r.rules.iter().map(|s| s.born).sum(),
        unions: r.rules.iter().map(|s| s.unions).sum(),
        nodes: r.nodes,
        classes: r.classes,
    };
    s.rounds.iter().enumerate().map(row).collect()
}

fn steps(s: &Saturated) -> Vec<Step<'_>> {
    let mut out = Vec::new();
    for (i, round) in s.rounds.iter().enumerate() {
        out.extend(round.rules.iter().map(|r| Step {
            iteration: i + 1,
            phase: round.phase.name(),
            round: round.round,
            rule: &r.rule,
            matches: r.matches,
            known: r.known,
            condition: r.condition,
            refused: r.refused,
            capped: r.capped,
            born: r.born,
            unions: r.unions,
        }));
    }
    out
}
