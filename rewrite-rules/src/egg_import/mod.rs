//! Rewrites written as s-expressions for egg (Willsey et al., "egg: Fast and extensible equality saturation", POPL 2021),
//! egglog, or TENSAT (Yang et al., "Equality saturation for tensor graph superoptimization", MLSys 2021), put into the
//! notation of this compiler.
//!
//! Forms read, one after the other in a file, with comments from `;`, `#` or `//` to the end of the line:
//!
//! - `(rewrite name LHS RHS)`, `(rewrite LHS RHS)`, `(birewrite LHS RHS)`;
//! - `name: LHS => RHS`, `name: LHS <=> RHS`, both also without a name and with their sides in quotes, and with
//!   `if CONDITION` behind, where the condition is one of this compiler's.
//!
//! Variables are `?x`; in a rule without any `?`, words that stand for no operator are variables, as in egglog.
//! [`OPERATORS`] lists the operators known. A matrix product is one of rank 2, an activation that is a variable is none, and
//! convolutions and pools keep all their parameters in one variable.
//!
//! These files give neither types nor reasons. So small values are searched under which both sides have types, and the
//! rule gets the strictest numeric class under which [`crate::rulecheck`] finds nothing against it; where it finds a
//! counterexample under each, the rule is wrong, and refused like what cannot be expressed.

mod read;
mod translate;
mod values;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rayon::prelude::*;

use crate::lang::{Numeric, RuleSet};
use crate::rulecheck::{Evidence, check};
pub use read::{Expr, Form, Raw};
pub use translate::OPERATORS;

/// Why a rewrite is not imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not of a form that is read.
    #[error("{0}")]
    Syntax(String),
    /// An operator that is not in [`OPERATORS`].
    #[error("there is no operator `{0}`")]
    Operator(String),
    /// An operator with other operands than it has.
    #[error("`{of}` has {expected}, not {got}")]
    Operands {
        /// The operator.
        of: String,
        /// What it has.
        expected: &'static str,
        /// How many are given.
        got: usize,
    },
    /// An operator whose meaning depends on what the rule does not say.
    #[error("`{of}` {why}")]
    Meaning {
        /// The operator.
        of: String,
        /// What is missing.
        why: &'static str,
    },
    /// What stands on the left or right is a rule here under no reading.
    #[error("as `{text}` it does not load: {problem}")]
    Load {
        /// The rule in this compiler's notation.
        text: String,
        /// What the loader says.
        problem: String,
    },
    /// No small values were found under which both sides have types.
    #[error("as `{text}` no small values give types to both sides")]
    Untyped {
        /// The rule in this compiler's notation.
        text: String,
    },
    /// Counterexamples were found under every numeric class.
    #[error("as `{text}` it is wrong: {why}")]
    Wrong {
        /// The rule in this compiler's notation.
        text: String,
        /// What was found under the weakest class.
        why: String,
    },
}

/// A rewrite of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// Its name, made up from its line where it has none.
    pub name: String,
    /// Line (1-based).
    pub line: u32,
    /// What became of it.
    pub outcome: Result<Imported, Refusal>,
}

/// An imported rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The rule with its evidence lines.
    pub text: String,
    /// Its numeric class.
    pub numeric: Numeric,
    /// How sure it is.
    pub evidence: Evidence,
}

/// The rewrites of a file, in its order.
pub fn import(file: &str, text: &str) -> Vec<Rewrite> {
    let mut names = BTreeSet::new();
    let mut raws = read::read(text);
    for raw in &mut raws {
        let name = rule_name(raw.name.as_deref(), raw.line);
        let same = (2..).map(|n| format!("{name}-{n}"));
        raw.name = std::iter::once(name.clone()).chain(same).find(|n| names.insert(n.clone()));
    }
    raws.into_par_iter()
        .map(|raw| {
            let name = raw.name.unwrap_or_default();
            let outcome = raw.sides.and_then(|sides| one(file, &name, raw.line, &sides));
            Rewrite { name, line: raw.line, outcome }
        })
        .collect()
}

/// A name as rules have them: words of letters, digits, `-` and `_`, a letter first.
fn rule_name(given: Option<&str>, line: u32) -> String {
    let Some(given) = given else { return format!("line-{line}") };
    let fit = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '-' };
    let name: String = given.chars().map(fit).collect();
    let name = name.trim_matches('-');
    if name.starts_with(char::is_alphabetic) { name.to_owned() } else { format!("rule-{name}") }
}

fn one(file: &str, name: &str, line: u32, sides: &read::Sides) -> Result<Imported, Refusal> {
    let place = format!("{file}:{line}").replace('"', "'");
    let text = format!("{name} : {}", translate::rule(sides)?);
    let values = values::find(&text)?;
    let refused = match strictest(&text, &place, &values) {
        Ok(imported) => return Ok(imported),
        Err(refused) => refused,
    };
    // These files are about floats. What is wrong for integers (of which some are summed up wider than they are) may be
    // right for those.
    let operand = values.split(' ').find_map(|v| v.split_once("=f32[")).map(|(v, _)| v);
    match (operand, &sides.condition) {
        (Some(x), None) => {
            let (rule, known) =
                text.split_once("  when ").map_or((text.as_str(), String::new()), |(r, k)| (r, format!("  when {k}")));
            strictest(&format!("{rule}  if float({x}){known}"), &place, &values).map_err(|_| refused)
        }
        _ => Err(refused),
    }
}

/// The rule of the strictest numeric class under which nothing is found against it.
fn strictest(text: &str, place: &str, values: &str) -> Result<Imported, Refusal> {
    let mut why = String::new();
    for numeric in [Numeric::Exact, Numeric::Reassociates, Numeric::Finite] {
        let whole = format!("{text}\n    {}   cite \"{place}\"    try {values}\n", numeric.name());
        let rules = load(text, &whole)?;
        let reports: Vec<_> = rules.rules.iter().map(check).collect();
        match reports.iter().find_map(|r| r.failures.first()) {
            None => {
                let evidence = reports.iter().map(|r| r.evidence).max().unwrap_or(Evidence::Tested);
                return Ok(Imported { text: whole, numeric, evidence });
            }
            Some(failure) => why = failure.to_string(),
        }
    }
    Err(Refusal::Wrong { text: text.to_owned(), why })
}

/// Loads a rule in this compiler's notation; `text` is what is shown of it.
fn load(text: &str, whole: &str) -> Result<RuleSet, Refusal> {
    RuleSet::load(&[("import", whole)])
        .map_err(|errors| Refusal::Load { text: text.to_owned(), problem: errors[0].problem.to_string() })
}

/// A rule file of what was imported; what was refused is named in comments.
pub fn rules_text(file: &str, rewrites: &[Rewrite]) -> String {
    let mut out = format!("# From {file}, by `egret rules import-egg`.\nphase algebra\n\n");
    for r in rewrites {
        match &r.outcome {
            Ok(imported) => out += &imported.text,
            Err(refusal) => {
                let reason = refusal.to_string().replace('\n', " ");
                let _ = writeln!(out, "# {file}:{}: {} is refused: {reason}", r.line, r.name);
            }
        }
    }
    out
}
