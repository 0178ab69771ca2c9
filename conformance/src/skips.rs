//! The one table of tests that are known not to pass, each with its reason.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::stages::Stage;

/// One line of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// `suite/test`; `*` stands for any text.
    pub test: String,
    /// The stages it does not pass.
    pub stages: Vec<Stage>,
    /// Why.
    pub reason: String,
}

/// The table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skips {
    /// Its lines.
    #[serde(default)]
    pub skip: Vec<Skip>,
}

impl Skips {
    /// Reads a table.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context("skips.toml")
    }

    /// The first line that lists a stage of a test.
    pub fn find(&self, test: &str, stage: Stage) -> Option<usize> {
        self.skip.iter().position(|s| s.stages.contains(&stage) && matches(&s.test, test))
    }
}

/// Whether a name is what a pattern says; `*` is any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("node/test_add", "node/test_add") && !matches("node/test_add", "node/test_add_bcast"));
        assert!(matches("node/test_add*", "node/test_add_bcast") && matches("*", "anything"));
        assert!(matches("*/test_*_expanded", "node/test_gelu_expanded"));
        assert!(!matches("*/test_*_expanded", "node/test_gelu_expanded_ver18"));
        assert!(!matches("ab*ba", "aba"), "parts do not overlap");
    }

    #[test]
    fn a_stage_is_listed_by_name() {
        let table = "[[skip]]\ntest = \"node/test_a*\"\nstages = [\"compile\"]\nreason = \"no kernel\"\n";
        let skips = Skips::parse(table).unwrap();
        assert_eq!(skips.find("node/test_ab", Stage::Compile), Some(0));
        assert_eq!(skips.find("node/test_ab", Stage::Export), None);
        assert!(Skips::parse("[[skip]]\ntest = \"x\"\nstages = [\"run\"]\nreason = \"\"\n").is_err());
    }
}
