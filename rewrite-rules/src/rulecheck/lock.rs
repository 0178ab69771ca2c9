//! `rules.lock`: the evidence of the built-in rules, a line each, so that nobody has to gather it again. An entry is keyed
//! by the rule's text and by the sources of what judges it; a changed rule or judge makes it stale.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{CheckReport, Evidence};
use crate::lang::{Rule, RuleSet};

/// The lock of the built-in library.
const BUILTIN: &str = include_str!("../../rules.lock");

/// What an entry depends on beside the rule: conditions, attribute functions, and the checker itself.
const JUDGES: &[&str] = &[
    include_str!("../lang/conditions.rs"),
    include_str!("../lang/attr_fns.rs"),
    include_str!("../lang/attr_fns/scaling.rs"),
    include_str!("../lang/attr_fns/shapes.rs"),
    include_str!("../lang/attr_fns/specs.rs"),
    include_str!("mod.rs"),
    include_str!("compare.rs"),
    include_str!("instance.rs"),
    include_str!("enumerate/mod.rs"),
    include_str!("enumerate/attrs.rs"),
    include_str!("enumerate/specs.rs"),
    include_str!("prove/mod.rs"),
    include_str!("prove/index.rs"),
    include_str!("prove/names.rs"),
    include_str!("prove/normal.rs"),
    include_str!("prove/poly.rs"),
    include_str!("prove/term.rs"),
];

/// The first line of a lock file.
const HEADER: &str =
    "# Evidence of the built-in rules: name, evidence, draws compared, structures proved, key. Written by a check.";

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How sure the rule is.
    pub evidence: Evidence,
    /// Drawn values compared.
    pub drawn: usize,
    /// Structures proved.
    pub structures: usize,
    key: String,
}

/// Entries by rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock(BTreeMap<String, Entry>);

fn key(rule: &Rule) -> String {
    let mut hash = Sha256::new();
    let own = [&*rule.name, &*rule.text, rule.numeric.name()];
    for part in own.iter().chain(JUDGES) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    for samples in rule.tries.iter().chain(&rule.nots) {
        hash.update(super::enumerate::text(rule, samples).as_bytes());
    }
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
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
            let [name, evidence, drawn, structures, key] = words.as_slice() else { return None };
            let evidence = Evidence::ALL.into_iter().find(|e| e.name() == *evidence)?;
            let entry = Entry {
                evidence,
                drawn: drawn.parse().ok()?,
                structures: structures.parse().ok()?,
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
            let entry = Entry { evidence: r.evidence, drawn: r.drawn, structures: r.structures, key: key(rule) };
            (rule.name.to_string(), entry)
        };
        Self(passed.map(entry).collect())
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
            out.push_str(&format!("{name} {} {} {} {}\n", e.evidence.name(), e.drawn, e.structures, e.key));
        }
        out
    }
}
