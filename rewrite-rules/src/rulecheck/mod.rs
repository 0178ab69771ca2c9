//! Holding every rule against the interpreter, from its own text.
//!
//! At each `try` the left side must have a type, match itself with its conditions true, and the right side must have the
//! same type and the same values in the sense of the rule's numeric class: bit for bit with NaN, Inf, −0.0 and subnormals
//! for `exact`; the same NaN/Inf pattern and close values, and equality modulo two primes, for `reassociates`; on finite
//! values for `finite`. Rules that match integers are tried on them too, exactly. At each `not` some condition must be
//! false, and the sides must differ or have no type, so that the condition earns its place.
//!
//! The same is asked of values that nobody wrote down: [`enumerate`] draws them for the left side over ranks, extents,
//! element types and windowed specs, and each condition for truth must once be the only one that is false where the sides
//! differ.
//!
//! What that shows is the rule's [`Evidence`]: [`prove`] finds a normal form that both sides have whatever the extents;
//! [`smt`] asks a solver where there is none; [`modular`] states the error of equality modulo two primes; [`mod@exhaustive`] runs pointwise rules on all 8-bit values;
//! what is left is tested. [`lock`] keeps the evidence of the library beside it, and [`mutate`] checks the check.

pub mod compare;
pub mod enumerate;
pub mod exhaustive;
pub mod instance;
pub mod lock;
pub mod modular;
pub mod mutate;
pub mod prove;
pub mod smt;

use egret_ir::Symbol;
use rayon::prelude::*;

use crate::lang::print::condition_text;
use crate::lang::{AttrPat, NodePat, Numeric, Pat, Rule, RuleSet, Samples};
use compare::{Compared, Difference, SAMPLES, compare};
use enumerate::{Extents, draw};
use exhaustive::exhaustive;
use instance::{Instance, as_integers, instance};
use prove::{Proof, SmtNote, Structural};
use smt::Oracle;

/// Draws made for a rule at most.
const DRAWS: u64 = 4000;

/// Draws compared for a rule, where as many match.
const ENOUGH: usize = 192;

/// Draws of floats that must be equal modulo the primes at least.
const LEAST: usize = 24;

/// Samples per draw, in declared types.
const SAMPLES_PER_DRAW: u64 = 6;

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
    #[error("try {index}{on}: {difference}")]
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
    /// Both sides differ at drawn values.
    #[error("drawn values {values}: {difference}")]
    DrawDiffers {
        /// The values, as they would stand after `try`.
        values: String,
        /// Where.
        difference: Difference,
    },
    /// Both sides differ at some value of a small type.
    #[error("all values of a small type, {values}: {difference}")]
    ValueDiffers {
        /// The values, as they would stand after `try`.
        values: String,
        /// Where.
        difference: Difference,
    },
    /// No draw shows that a condition is needed for truth.
    #[error("no values show that `{condition}` is needed for truth; what only pays belongs after `when`")]
    NeverNeeded {
        /// The condition.
        condition: String,
    },
    /// The sides are equal at a `not`: the condition is not needed there.
    #[error("not {index}: the sides are equal all the same, so the condition is not needed there")]
    NotNeeded {
        /// Number of the not.
        index: usize,
    },
}

/// How sure a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Both sides have one normal form, or a solver finds no difference, for all extents and elements, at every structure
    /// made ([`prove`], [`smt`]).
    Proved,
    /// Exact over what was enumerated: equal modulo two primes at all drawn values ([`modular`]), or, of a pointwise rule
    /// of integers, at all values of 8 bits ([`mod@exhaustive`]).
    Bounded,
    /// Compared at the values of its text and at drawn ones.
    Tested,
}

impl Evidence {
    /// Every level, surest first.
    pub const ALL: [Self; 3] = [Self::Proved, Self::Bounded, Self::Tested];

    /// The word in reports and in the lock file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Bounded => "bounded",
            Self::Tested => "tested",
        }
    }
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
    /// Drawn values that matched with all conditions true and were compared.
    pub drawn: usize,
    /// −log₂ of the probability that sides that differ at some drawn values are equal modulo the primes there; 0 where
    /// nothing was compared so.
    pub error_bits: u32,
    /// Tuples of 8-bit values (of half floats, too, for exact functions of one operand) compared, all there are.
    pub exhaustive: u64,
    /// Structures with unknown extents whose sides have one normal form, and the rank up to which they are all there are.
    pub structural: Structural,
    /// Of a rule that is not proved: what became of its questions to a solver.
    pub smt: SmtNote,
    /// How sure it is.
    pub evidence: Evidence,
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

    /// Rules with that evidence that passed.
    pub fn with(&self, evidence: Evidence) -> usize {
        self.rules.iter().filter(|r| r.failures.is_empty() && r.evidence == evidence).count()
    }

    /// Samples compared over all rules.
    pub fn samples(&self) -> usize {
        self.rules.iter().map(|r| r.samples).sum()
    }
}

/// Checks all rules of a set, on all cores; `done` is told of each.
pub fn check_all(rules: &RuleSet, done: &(dyn Fn(&RuleReport) + Sync)) -> CheckReport {
    check_all_by(rules, &Oracle::default(), done)
}

/// Checks all rules of a set where questions have answers.
pub fn check_all_by(rules: &RuleSet, oracle: &Oracle, done: &(dyn Fn(&RuleReport) + Sync)) -> CheckReport {
    let checked = rules.rules.par_iter().map(|rule| {
        let report = check_by(rule, oracle);
        done(&report);
        report
    });
    CheckReport { rules: checked.collect() }
}

/// Checks one rule, by normal forms and values alone.
pub fn check(rule: &Rule) -> RuleReport {
    check_by(rule, &Oracle::default())
}

/// Checks one rule where questions have answers.
pub fn check_by(rule: &Rule, oracle: &Oracle) -> RuleReport {
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
        drawn: 0,
        error_bits: 0,
        exhaustive: 0,
        structural: Structural::default(),
        smt: SmtNote::default(),
        evidence: Evidence::Tested,
        failures: Vec::new(),
    };
    let rounded = rounds(&Pat::Node(Box::new(rule.lhs.clone()))) || rounds(&rule.rhs);
    for (i, samples) in rule.tries.iter().enumerate() {
        try_once(rule, i + 1, samples, rounded, &mut report);
    }
    // Conditions without which the sides were seen to differ.
    let mut needed = vec![false; rule.conditions.len()];
    for (i, samples) in rule.nots.iter().enumerate() {
        let index = i + 1;
        match instance(rule, samples, 1) {
            Instance::IllTyped(e) => report.failures.push(Failure::IllTyped { index, problem: e.to_string() }),
            Instance::NoMatch => report.failures.push(Failure::NoMatch { index }),
            Instance::Matched(m) if m.false_conditions.is_empty() => {
                report.failures.push(Failure::NotRefused { index });
            }
            Instance::Matched(m) => {
                let breaks = match &m.right {
                    Err(_) => true,
                    Ok(right) => compare(&m.left, right, rule.numeric, rounded, SAMPLES).difference.is_some(),
                };
                if breaks {
                    report.nots += 1;
                } else {
                    report.failures.push(Failure::NotNeeded { index });
                }
                if let ([only], true) = (m.false_conditions.as_slice(), breaks) {
                    needed[*only] = true;
                }
            }
        }
    }
    let modular = drawn(rule, rounded, &mut needed, &mut report);
    for (c, _) in rule.conditions.iter().zip(&needed).filter(|(_, needed)| !**needed) {
        report.failures.push(Failure::NeverNeeded { condition: condition_text(rule, c) });
    }
    let every = exhaustive(rule);
    report.exhaustive = every.tuples;
    if let Some((values, difference)) = every.difference {
        report.failures.push(Failure::ValueDiffers { values, difference });
    }
    match prove::prove(rule, oracle) {
        Proof::Proved(structural) => {
            report.structural = structural;
            report.evidence = Evidence::Proved;
        }
        proof @ (Proof::Open { .. } | Proof::NothingDrawn) => {
            if let Proof::Open { values, smt, .. } = proof {
                open_structures(rule, rounded, &values, &mut report);
                report.smt = smt;
            }
            if (modular && rule.numeric != Numeric::Exact) || every.complete {
                report.evidence = Evidence::Bounded;
            }
        }
    }
    report
}

/// Compares the sides at drawn values, and looks for the need of each condition where it alone is false. Whether the sides
/// were equal modulo two primes wherever floats were compared, and some were.
fn drawn(rule: &Rule, rounded: bool, needed: &mut [bool], report: &mut RuleReport) -> bool {
    let (mut floats, mut modular, mut error_bits) = (0, 0, None);
    for seed in 0..DRAWS {
        if report.drawn >= ENOUGH && needed.iter().all(|n| *n) {
            break;
        }
        let Some(samples) = draw(rule, Extents::Numbers, seed) else { continue };
        let Instance::Matched(m) = instance(rule, &samples, seed) else { continue };
        match m.false_conditions.as_slice() {
            [] if report.drawn < ENOUGH => {
                // A rule does not fire where its right side cannot be built.
                let Ok(right) = &m.right else { continue };
                let c = compare(&m.left, right, rule.numeric, rounded, SAMPLES_PER_DRAW);
                report.samples += c.usable;
                report.modular += c.modular;
                report.drawn += usize::from(c.usable > 0);
                floats += usize::from(c.floats && c.usable > 0);
                modular += usize::from(c.modular > 0);
                if c.modular > 0 {
                    error_bits = Some(error_bits.map_or(c.error_bits, |e: u32| e.min(c.error_bits)));
                }
                if let Some(difference) = c.difference {
                    let values = enumerate::text(rule, &samples);
                    report.failures.push(Failure::DrawDiffers { values, difference });
                    return false;
                }
            }
            [only] if !needed[*only] => {
                needed[*only] = match &m.right {
                    Err(_) => true,
                    Ok(right) => compare(&m.left, right, rule.numeric, rounded, SAMPLES_PER_DRAW).difference.is_some(),
                };
            }
            _ => {}
        }
    }
    report.error_bits = error_bits.unwrap_or(0);
    floats >= LEAST && modular >= floats
}

/// Compares the sides where the proof is open: with all unknown extents 2, and with different ones.
fn open_structures(rule: &Rule, rounded: bool, open: &[Samples], report: &mut RuleReport) {
    let equal = |_: &Symbol| 2;
    let different = |s: &Symbol| 2 + s.to_string().bytes().last().map_or(0, i64::from) % 3;
    let ways: [&dyn Fn(&Symbol) -> i64; 2] = [&equal, &different];
    for structure in open {
        for numbers in ways {
            let Some(samples) = enumerate::with_numbers(structure, numbers) else { continue };
            let Instance::Matched(m) = instance(rule, &samples, 1) else { continue };
            let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { continue };
            let c = compare(&m.left, right, rule.numeric, rounded, SAMPLES);
            report.samples += c.usable;
            if let Some(difference) = c.difference {
                let values = enumerate::text(rule, &samples);
                report.failures.push(Failure::DrawDiffers { values, difference });
                return;
            }
        }
    }
}

fn try_once(rule: &Rule, index: usize, samples: &Samples, rounded: bool, report: &mut RuleReport) {
    match instance(rule, samples, 1) {
        Instance::IllTyped(e) => report.failures.push(Failure::IllTyped { index, problem: e.to_string() }),
        Instance::NoMatch => report.failures.push(Failure::NoMatch { index }),
        Instance::Matched(m) => {
            let asked = m.false_conditions.iter().map(|i| &rule.conditions[*i]);
            for c in asked.chain(m.false_profit.iter().map(|i| &rule.profit[*i])) {
                report.failures.push(Failure::ConditionFalse { index, condition: condition_text(rule, c) });
            }
            match m.right {
                Err(e) => report.failures.push(Failure::NoRightSide { index, problem: e.to_string() }),
                Ok(right) => {
                    let c = compare(&m.left, &right, rule.numeric, rounded, SAMPLES);
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
        let c = compare(&m.left, &right, rule.numeric, rounded, SAMPLES);
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
