//! Holding every rule against the interpreter, from its own text.
//!
//! At each `try` the left side must have a type, match itself with its conditions true, and the right side must have the
//! same type and the same values in the sense of the rule's numeric class: bit for bit with NaN, Inf, −0.0 and subnormals
//! for `exact`; the same NaN/Inf pattern and close values, and equality modulo two primes, for `reassociates`; on finite
//! values for `finite`. Rules that match integers are tried on them too, exactly. At each `not` some condition must be
//! false, and the sides must differ or have no type, so that the condition earns its place.

pub mod compare;
pub mod instance;

use rayon::prelude::*;

use crate::lang::{AttrPat, NodePat, Numeric, Pat, Rule, RuleSet};
use compare::{Compared, Difference, SAMPLES, compare};
use instance::{Instance, as_integers, instance};

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, serde::Serialize, thiserror::Error)]
pub enum Failure {
    /// The left side has no type at a try.
    #[error("try {index}: the left side is ill-typed: {problem}")]
    IllTyped {
        /// Number of the try, from 1.
        index: usize,
        /// Why.
        problem: String,
    },
    /// The rule does not match its own left side.
    #[error("try {index}: the left side does not match itself with these values")]
    NoMatch {
        /// Number of the try.
        index: usize,
    },
    /// A condition is false at a try.
    #[error("try {index}: condition `{condition}` is false")]
    ConditionFalse {
        /// Number of the try.
        index: usize,
        /// The condition.
        condition: String,
    },
    /// The right side cannot be built.
    #[error("try {index}: no right side: {problem}")]
    NoRightSide {
        /// Number of the try.
        index: usize,
        /// Why.
        problem: String,
    },
    /// Both sides differ.
    #[error(
        "try {index}{on}: the sides differ in {} at element {}: {} and {} (sample {}) for {}",
        .difference.domain, .difference.element, .difference.left, .difference.right, .difference.seed,
        .difference.inputs.join(" ")
    )]
    Differs {
        /// Number of the try.
        index: usize,
        /// Empty, or that integers were put in.
        on: &'static str,
        /// Where.
        difference: Difference,
    },
    /// The left side has a value on too few samples.
    #[error("try {index}: only {usable} of {tried} samples have a value")]
    Unusable {
        /// Number of the try.
        index: usize,
        /// Samples with a value.
        usable: usize,
        /// Samples tried.
        tried: usize,
    },
    /// All conditions are true at a `not`.
    #[error("not {index}: no condition is false")]
    NotRefused {
        /// Number of the not.
        index: usize,
    },
    /// The sides are equal at a `not`: the condition is not needed there.
    #[error("not {index}: the sides are equal all the same, so the condition is not needed there")]
    NotNeeded {
        /// Number of the not.
        index: usize,
    },
}

/// What checking a rule gave.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RuleReport {
    /// Its name.
    pub rule: String,
    /// Where it stands.
    pub place: String,
    /// Its text.
    pub text: String,
    /// Its numeric class.
    pub numeric: Numeric,
    /// Tries compared.
    pub tries: usize,
    /// Tries compared on integers as well.
    pub integer_tries: usize,
    /// `not`s confirmed.
    pub nots: usize,
    /// Samples compared in declared types.
    pub samples: usize,
    /// Samples equal modulo two primes.
    pub modular: usize,
    /// What is wrong.
    pub failures: Vec<Failure>,
}

/// What checking a set gave.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CheckReport {
    /// Per rule, in order of the set.
    pub rules: Vec<RuleReport>,
}

impl CheckReport {
    /// Rules with failures.
    pub fn failed(&self) -> impl Iterator<Item = &RuleReport> {
        self.rules.iter().filter(|r| !r.failures.is_empty())
    }

    /// Samples compared over all rules.
    pub fn samples(&self) -> usize {
        self.rules.iter().map(|r| r.samples).sum()
    }
}

/// Checks all rules of a set.
pub fn check_all(rules: &RuleSet) -> CheckReport {
    CheckReport { rules: rules.rules.par_iter().map(check).collect() }
}

/// Checks one rule.
pub fn check(rule: &Rule) -> RuleReport {
    let mut report = RuleReport {
        rule: rule.name.to_string(),
        place: rule.place.to_string(),
        text: rule.text.to_string(),
        numeric: rule.numeric,
        tries: 0,
        integer_tries: 0,
        nots: 0,
        samples: 0,
        modular: 0,
        failures: Vec::new(),
    };
    let rounded = rounds(&Pat::Node(Box::new(rule.lhs.clone()))) || rounds(&rule.rhs);
    for (i, samples) in rule.tries.iter().enumerate() {
        try_once(rule, i + 1, samples, rounded, &mut report);
    }
    for (i, samples) in rule.nots.iter().enumerate() {
        let index = i + 1;
        match instance(rule, samples, 1) {
            Instance::IllTyped(e) => report.failures.push(Failure::IllTyped { index, problem: e.to_string() }),
            Instance::NoMatch => report.failures.push(Failure::NoMatch { index }),
            Instance::Matched(m) if m.false_conditions.is_empty() => {
                report.failures.push(Failure::NotRefused { index });
            }
            Instance::Matched(m) => match m.right {
                Err(_) => report.nots += 1,
                Ok(right) if compare(&m.left, &right, rule.numeric, rounded).difference.is_some() => report.nots += 1,
                Ok(_) => report.failures.push(Failure::NotNeeded { index }),
            },
        }
    }
    report
}

fn try_once(rule: &Rule, index: usize, samples: &crate::lang::Samples, rounded: bool, report: &mut RuleReport) {
    match instance(rule, samples, 1) {
        Instance::IllTyped(e) => report.failures.push(Failure::IllTyped { index, problem: e.to_string() }),
        Instance::NoMatch => report.failures.push(Failure::NoMatch { index }),
        Instance::Matched(m) => {
            for condition in m.false_conditions.iter().chain(&m.false_profit) {
                report.failures.push(Failure::ConditionFalse { index, condition: (*condition).to_owned() });
            }
            match m.right {
                Err(e) => report.failures.push(Failure::NoRightSide { index, problem: e.to_string() }),
                Ok(right) => {
                    let c = compare(&m.left, &right, rule.numeric, rounded);
                    count(index, "", &c, report);
                    report.tries += 1;
                }
            }
        }
    }
    // On integers every class is exact, wherever the rule matches them.
    let Some(samples) = as_integers(samples).filter(|s| s != samples) else { return };
    if let Instance::Matched(m) = instance(rule, &samples, 1)
        && m.false_conditions.is_empty()
        && let Ok(right) = m.right
    {
        let c = compare(&m.left, &right, rule.numeric, rounded);
        if let Some(difference) = c.difference {
            report.failures.push(Failure::Differs { index, on: " on integers", difference });
        }
        report.integer_tries += 1;
        report.samples += c.usable;
    }
}

fn count(index: usize, on: &'static str, c: &Compared, report: &mut RuleReport) {
    report.samples += c.usable;
    report.modular += c.modular;
    if let Some(difference) = &c.difference {
        report.failures.push(Failure::Differs { index, on, difference: difference.clone() });
    } else if (c.usable as u64) < SAMPLES / 2 {
        report.failures.push(Failure::Unusable { index, usable: c.usable, tried: c.tried });
    }
}

/// Whether a pattern has a number that no short binary fraction is, so that real values differ by its rounding.
fn rounds(p: &Pat) -> bool {
    let node = |n: &NodePat| n.args.iter().any(rounds);
    match p {
        Pat::Number(x) => x.is_finite() && (x * 1024.0).fract() != 0.0,
        Pat::Node(n) => node(n),
        Pat::Each(e) => rounds(e),
        Pat::Var(_) | Pat::Computed(AttrPat::Var(_) | AttrPat::Value(_) | AttrPat::Call(..)) => false,
    }
}
