//! Least tree cost: what sharing would cost if every use paid. A start for others, and the only optimum that is cheap.

use super::problem::{Picks, Problem};

/// Knuth's picks; acyclic by their order of discovery.
pub(super) fn extract(problem: &Problem<'_>, work: &mut u64) -> Picks {
    *work += problem.ways.len() as u64;
    problem.tree_pick.clone()
}
