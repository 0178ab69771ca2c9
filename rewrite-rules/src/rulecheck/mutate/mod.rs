//! The mutation check of the checker: rules are broken in systematic ways ([`operators`]), each broken rule goes through
//! [`super::check`], and an independent search ([`search`]: numpy, a hundred times the samples, an evaluator that shares
//! nothing with the interpreter) says whether it is wrong. Of those that are wrong, the share that the check refuses is the
//! mutation score of the checker (DeMillo, Lipton, Sayward: *Hints on test data selection*, 1978).
//!
//! A broken rule keeps the `try`s of its text but loses its `not`s, so that the check has to find faults by itself.

pub mod export;
pub mod operators;
pub mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egret_ir::eval::domain::mix;
use rayon::prelude::*;

use super::prove::{Proof, prove};
use super::smt::Oracle;
use super::{Failure, check};
use crate::lang::print::rule_text;
use crate::lang::{Numeric, Rule, RuleSet};
pub use operators::Operator;
use search::{Search, SearchError, Verdict};

/// A broken rule.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The rule it was.
    pub of: Arc<str>,
    /// What was done to it.
    pub operator: Operator,
    /// The broken rule.
    pub rule: Rule,
}

/// Every mutant of a set, distinct by text and class.
pub fn mutants(rules: &RuleSet) -> Vec<Mutant> {
    let mut seen: BTreeSet<(String, Numeric)> = BTreeSet::new();
    let body = |r: &Rule| rule_text(r).split_once(" : ").map_or_else(String::new, |(_, body)| body.to_owned());
    seen.extend(rules.rules.iter().map(|r| (body(r), r.numeric)));
    let mut out = Vec::new();
    for rule in &rules.rules {
        for (operator, mut broken) in operators::faulty(rule) {
            broken.nots.clear();
            let text = rule_text(&broken);
            if seen.insert((body(&broken), broken.numeric)) {
                broken.text = text.into();
                out.push(Mutant { of: rule.name.clone(), operator, rule: broken });
            }
        }
    }
    out
}

/// `count` of them, spread over operators and rules; the same for the same seed.
pub fn sample(all: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    // A mutant's turn: its place among those of one operator and rule, then among those of the operator.
    let mut by_operator: BTreeMap<Operator, BTreeMap<Arc<str>, Vec<(u64, usize)>>> = BTreeMap::new();
    for (i, m) in all.iter().enumerate() {
        let key = m.rule.text.bytes().fold(mix(seed), |h, b| mix(h ^ u64::from(b)));
        by_operator.entry(m.operator).or_default().entry(m.of.clone()).or_default().push((key, i));
    }
    let mut turns: Vec<(usize, Operator, usize)> = Vec::new();
    for (operator, rules) in by_operator {
        let mut of_operator: Vec<(usize, u64, usize)> = Vec::new();
        for mut mutants in rules.into_values() {
            mutants.sort_unstable();
            of_operator.extend(mutants.into_iter().enumerate().map(|(turn, (key, i))| (turn, key, i)));
        }
        of_operator.sort_unstable();
        turns.extend(of_operator.into_iter().enumerate().map(|(turn, (_, _, i))| (turn, operator, i)));
    }
    turns.sort_unstable();
    let mut chosen: Vec<usize> = turns.into_iter().take(count).map(|t| t.2).collect();
    chosen.sort_unstable();
    let mut all: Vec<Option<Mutant>> = all.into_iter().map(Some).collect();
    chosen.into_iter().filter_map(|i| all[i].take()).collect()
}

/// What became of a mutant.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Judged {
    /// The rule it was.
    pub of: String,
    /// What was done to it.
    pub operator: Operator,
    /// Its text.
    pub text: String,
    /// Its numeric class.
    pub class: Numeric,
    /// Why the check refuses it; None where it passes.
    pub refused: Option<String>,
    /// Whether values that the check drew show it, and not the rule's own text alone.
    pub by_draws: bool,
    /// Whether the prover takes it for true.
    pub proved: bool,
    /// What the search found; None where there was no search.
    pub verdict: Option<Verdict>,
}

impl Judged {
    /// Whether the search shows that it is wrong.
    pub fn counts(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Wrong { .. }))
    }
}

/// Numbers of a mutation check.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Score {
    /// Mutants.
    pub mutants: usize,
    /// Mutants that the check refuses.
    pub refused: usize,
    /// Mutants that the search shows to be wrong.
    pub counting: usize,
    /// Those among them that the check refuses.
    pub counting_refused: usize,
    /// Those that it refuses by values it drew.
    pub counting_by_draws: usize,
    /// Those that pass and are proved: wrong proofs.
    pub counting_proved: usize,
    /// Mutants that the search took for right.
    pub equal: usize,
    /// Mutants that the search could not judge.
    pub unjudged: usize,
}

impl Score {
    /// The numbers of some mutants.
    pub fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Self {
        let mut s = Self::default();
        for j in judged {
            s.mutants += 1;
            s.refused += usize::from(j.refused.is_some());
            match &j.verdict {
                Some(Verdict::Wrong { .. }) => {
                    s.counting += 1;
                    s.counting_refused += usize::from(j.refused.is_some());
                    s.counting_by_draws += usize::from(j.by_draws);
                    s.counting_proved += usize::from(j.refused.is_none() && j.proved);
                }
                Some(Verdict::Equal { .. }) => s.equal += 1,
                Some(Verdict::Unsupported { .. }) | None => s.unjudged += 1,
            }
        }
        s
    }

    /// The share of counting mutants that is refused; 1 where none counts.
    pub fn share(&self) -> f64 {
        if self.counting == 0 { 1.0 } else { self.counting_refused as f64 / self.counting as f64 }
    }
}

/// Checks each mutant, and searches where there is a search; `done` is told of each.
pub fn judge(
    mutants: &[Mutant],
    search: Option<&Search>,
    oracle: &Oracle,
    done: &(dyn Fn(&Judged) + Sync),
) -> Result<Vec<Judged>, SearchError> {
    mutants
        .par_iter()
        .map(|m| {
            let report = check(&m.rule);
            let by_draws = |f: &Failure| match f {
                Failure::DrawDiffers { .. } | Failure::ValueDiffers { .. } => true,
                Failure::IllTyped { .. }
                | Failure::NoMatch { .. }
                | Failure::ConditionFalse { .. }
                | Failure::NoRightSide { .. }
                | Failure::Differs { .. }
                | Failure::Unusable { .. }
                | Failure::NotRefused { .. }
                | Failure::NeverNeeded { .. }
                | Failure::NotNeeded { .. } => false,
            };
            let (passes, normal_forms) = (report.failures.is_empty(), Oracle::default());
            let judged = Judged {
                of: m.of.to_string(),
                operator: m.operator,
                text: m.rule.text.to_string(),
                class: m.rule.numeric,
                refused: report.failures.first().map(|f| f.to_string().lines().next().unwrap_or("").to_owned()),
                by_draws: report.failures.iter().any(by_draws),
                // Nobody needs to be asked about what values refuse.
                proved: matches!(prove(&m.rule, if passes { oracle } else { &normal_forms }), Proof::Proved(_)),
                verdict: search.map(|s| s.judge(&m.rule, search::INSTANCES)).transpose()?,
            };
            done(&judged);
            Ok(judged)
        })
        .collect()
}

/// Instances searched for a rule as it stands.
const OWN_INSTANCES: usize = 48;

/// What the search says of the rules as they stand: a check of the search, and an independent one of the rules.
pub fn judge_rules(rules: &RuleSet, search: &Search) -> Result<Vec<(String, Verdict)>, SearchError> {
    let own = rules.rules.par_iter();
    own.map(|rule| Ok((rule.name.to_string(), search.judge(rule, OWN_INSTANCES)?))).collect()
}
