//! What each round of a run did, and when each e-node was born.

use crate::lang::Phase;

use super::saturate::{RuleStats, Saturated};

/// What one round did.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RoundStats {
    /// The phase it belongs to.
    pub phase: Phase,
    /// Its number within the phase, from 1.
    pub round: usize,
    /// E-nodes at its end, ever made.
    pub nodes: usize,
    /// Classes at its end.
    pub classes: usize,
    /// Rules that had matches, in the order they were applied.
    pub rules: Vec<RuleStats>,
}

/// When an e-node was born, and of what.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Birth<'a> {
    /// The rule; None: it was in the graph.
    pub rule: Option<&'a str>,
    /// Rounds run before it over all phases, and this one; 0 for e-nodes of the graph.
    pub iteration: usize,
}

impl Saturated {
    /// The birth of every e-node ever made, by id. Ids are given in order of birth and rules are applied one after the
    /// other, so the counts of [`RoundStats`] tell all of it.
    pub fn births(&self) -> Vec<Birth<'_>> {
        let born = |r: &RoundStats| r.rules.iter().map(|s| s.born).sum::<usize>();
        let imported = self.rounds.first().map_or(self.log.ids(), |r| r.nodes - born(r));
        let mut births = vec![Birth { rule: None, iteration: 0 }; imported];
        for (i, round) in self.rounds.iter().enumerate() {
            for r in &round.rules {
                let birth = Birth { rule: Some(&r.rule), iteration: i + 1 };
                births.resize(births.len() + r.born, birth);
            }
            debug_assert_eq!(births.len(), round.nodes, "every e-node of a round is born of a rule");
        }
        births
    }
}
