//! `rules.lock`: the evidence of the built-in rules, a line each, so that nobody has to gather it again. An entry is keyed
//! by the rule's text and by the sources of what judges it; a changed rule or judge makes it stale.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use super::prove::Structural;
use super::smt::Asked;
use super::{CheckReport, Evidence};
use crate::lang::{Rule, RuleSet};

/// The lock of the built-in library.
const BUILTIN: &str = include_str!("../../rules.lock");

/// What an entry depends on beside the rule: conditions, attribute functions, and the checker itself.
const JUDGES: &[&str] = &[
    include_str!("../lang/conditions.rs"),
    include_str!("../lang/conditions/rows.rs"),
    include_str!("../lang/conditions/shapes.rs"),
    include_str!("../lang/attr_fns.rs"),
    include_str!("../lang/attr_fns/cuts.rs"),
    include_str!("../lang/attr_fns/folds.rs"),
    include_str!("../lang/attr_fns/products.rs"),
    include_str!("../lang/attr_fns/scaling.rs"),
    include_str!("../lang/attr_fns/shapes.rs"),
    include_str!("../lang/attr_fns/specs.rs"),
    include_str!("../lang/attr_fns/winograd.rs"),
    include_str!("mod.rs"),
    include_str!("compare.rs"),
    include_str!("modular.rs"),
    include_str!("exhaustive.rs"),
    include_str!("instance.rs"),
    include_str!("enumerate/mod.rs"),
    include_str!("enumerate/attrs.rs"),
    include_str!("enumerate/gathers.rs"),
    include_str!("enumerate/numbers.rs"),
    include_str!("enumerate/pick.rs"),
    include_str!("enumerate/structures.rs"),
    include_str!("enumerate/specs.rs"),
    include_str!("prove/mod.rs"),
    include_str!("prove/index.rs"),
    include_str!("prove/names.rs"),
    include_str!("prove/normal.rs"),
    include_str!("prove/poly.rs"),
    include_str!("prove/term.rs"),
    include_str!("smt/mod.rs"),
    include_str!("smt/encode.rs"),
    include_str!("smt/rows.rs"),
    include_str!("smt/sorts.rs"),
];

/// The first line of a lock file.
const HEADER: &str =
    "# Evidence of the built-in rules, written by a check: name, evidence, draws compared, structures proved, rank up to
# which they are all there are, bits of certainty modulo primes, values compared exhaustively, questions that an SMT
# solver answered `unsat` and the hash of their texts, key.";

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How sure the rule is.
    pub evidence: Evidence,
    /// Drawn values compared.
    pub drawn: usize,
    /// Structures proved, and the rank up to which they are all there are.
    pub structural: Structural,
    /// −log₂ of the error of the comparison modulo primes; 0 where there was none.
    pub error_bits: u32,
    /// Tuples of values of small types compared.
    pub exhaustive: u64,
    key: String,
}

/// Entries by rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, Entry>);

fn parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Sha256 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash
}

/// The hash of [`JUDGES`].
static JUDGED_BY: LazyLock<Vec<u8>> = LazyLock::new(|| parts(JUDGES.iter().copied()).finalize().to_vec());

fn key(rule: &Rule) -> String {
    let mut hash = parts([&*rule.name, &*rule.text, rule.numeric.name()]);
    hash.update(JUDGED_BY.as_slice());
    for samples in rule.tries.iter().chain(&rule.nots) {
        hash.update(super::enumerate::text(rule, samples).as_bytes());
    }
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// `-`, or a number of questions and the hash of their texts; None where it is neither.
#[expect(clippy::option_option, reason = "no entry, no questions, or some")]
fn asked(word: &str) -> Option<Option<Asked>> {
    if word == "-" {
        return Some(None);
    }
    let (questions, hash) = word.split_once(':')?;
    Some(Some(Asked { questions: questions.parse().ok()?, hash: u64::from_str_radix(hash, 16).ok()? }))
}

impl Lock {
    /// The lock of the built-in library.
    pub fn builtin() -> Self {
        Self::parse(BUILTIN)
    }

    /// Reads a lock; lines that are no entries are left out, and their rules have none.
    pub fn parse(text: &str) -> Self {
        let entry = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, evidence, drawn, structures, rank, error_bits, exhaustive, smt, key] = words.as_slice() else {
                return None;
            };
            let evidence = Evidence::ALL.into_iter().find(|e| e.name() == *evidence)?;
            let entry = Entry {
                evidence,
                drawn: drawn.parse().ok()?,
                structural: Structural {
                    structures: structures.parse().ok()?,
                    rank: rank.parse().ok(),
                    smt: asked(smt)?,
                },
                error_bits: error_bits.parse().ok()?,
                exhaustive: exhaustive.parse().ok()?,
                key: (*key).to_owned(),
            };
            Some(((*name).to_owned(), entry))
        };
        Self(text.lines().filter(|l| !l.starts_with('#')).filter_map(entry).collect())
    }

    /// The lock of a checked set; rules that were refused have no entry.
    pub fn of(rules: &RuleSet, report: &CheckReport) -> Self {
        let passed = rules.rules.iter().zip(&report.rules).filter(|(_, r)| r.failures.is_empty());
        let entry = |(rule, r): (&Rule, &super::RuleReport)| {
            let super::RuleReport { evidence, drawn, structural, error_bits, exhaustive, .. } = *r;
            let entry = Entry { evidence, drawn, structural, error_bits, exhaustive, key: key(rule) };
            (rule.name.to_string(), entry)
        };
        Self(passed.map(entry).collect())
    }

    /// The questions whose answers the lock keeps: `unsat`, whoever asks them.
    pub fn answers(&self) -> Vec<Asked> {
        self.0.values().filter_map(|e| e.structural.smt).collect()
    }

    /// The entry of a rule, if it is of the rule as it stands.
    pub fn entry(&self, rule: &Rule) -> Option<&Entry> {
        self.0.get(&*rule.name).filter(|e| e.key == key(rule))
    }

    /// Rules whose entry is missing or stale.
    pub fn stale<'r>(&self, rules: &'r RuleSet) -> Vec<&'r str> {
        rules.rules.iter().filter(|r| self.entry(r).is_none()).map(|r| &*r.name).collect()
    }

    /// As a file.
    pub fn text(&self) -> String {
        let mut out = format!("{HEADER}\n");
        for (name, e) in &self.0 {
            let Entry { evidence, drawn, structural, error_bits, exhaustive, key } = e;
            let rank = structural.rank.map_or("-".to_owned(), |r| r.to_string());
            let (evidence, structures) = (evidence.name(), structural.structures);
            let smt = structural.smt.map_or("-".to_owned(), |a| format!("{}:{:016x}", a.questions, a.hash));
            out.push_str(&format!(
                "{name} {evidence} {drawn} {structures} {rank} {error_bits} {exhaustive} {smt} {key}\n"
            ));
        }
        out
    }
}
