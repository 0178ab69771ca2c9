//! Cost flow: like a tree, but a shared value's cost is split among its expected users, as in area-oriented technology
//! mapping (Mishchenko, Chatterjee, Brayton, "Improvements to technology mapping for LUT-based FPGAs", FPGA 2006).
//! Users are counted in the previous round's selection. Memory and time are linear in the table.

use super::problem::{Cand, Picks, Problem};

const ROUNDS: usize = 4;

/// The best round's picks.
pub(super) fn extract(problem: &Problem<'_>, work: &mut u64) -> Picks {
    let mut best = problem.tree_pick.clone();
    let mut best_cost = problem.cost(&best).unwrap_or(u64::MAX);
    let mut users = uses(problem, &best);
    let mut order: Vec<u32> = (0..problem.classes as u32).filter(|c| problem.tree[*c as usize].is_some()).collect();
    order.sort_unstable_by_key(|c| problem.rank[*c as usize]);
    for _ in 0..ROUNDS {
        let picks = round(problem, &order, &users, work);
        let cost = problem.cost(&picks).unwrap_or(u64::MAX);
        let next = uses(problem, &picks);
        // Averaged with the past, so that two rounds do not undo each other for ever.
        for (u, n) in users.iter_mut().zip(next) {
            *u = (*u + n).div_ceil(2);
        }
        if cost < best_cost {
            (best, best_cost) = (picks, cost);
        }
    }
    best
}

fn uses(problem: &Problem<'_>, picks: &Picks) -> Vec<u64> {
    let mut users = vec![0; problem.classes];
    let mut taken = vec![false; problem.ways.len()];
    for c in problem.order(picks).unwrap_or_default() {
        let Some(w) = picks[c as usize] else { continue };
        if !std::mem::replace(&mut taken[w as usize], true) {
            for i in &problem.ways[w as usize].inputs {
                users[*i as usize] += 1;
            }
        }
    }
    users
}

/// One pass in rank order; only candidates that read earlier classes take part, so the picks are acyclic.
fn round(problem: &Problem<'_>, order: &[u32], users: &[u64], work: &mut u64) -> Picks {
    let mut flow = vec![u128::MAX; problem.classes];
    let mut picks: Picks = vec![None; problem.classes];
    for &c in order {
        let ranked = |w: &&Cand| {
            let way = &problem.ways[**w as usize];
            way.inputs.iter().all(|i| problem.rank[*i as usize] < problem.rank[c as usize])
        };
        for &w in problem.producers[c as usize].iter().filter(ranked) {
            let way = &problem.ways[w as usize];
            *work += 1 + way.inputs.len() as u64;
            let used_outputs = way.outputs.iter().filter(|o| **o == c || users[**o as usize] > 0).count() as u128;
            let share = |i: &u32| flow[*i as usize] / u128::from(users[*i as usize].max(1));
            let own = u128::from(way.cost) / used_outputs;
            let sum = way.inputs.iter().map(share).fold(own, u128::saturating_add);
            if sum < flow[c as usize] || picks[c as usize].is_none() {
                (flow[c as usize], picks[c as usize]) = (sum, Some(w));
            }
        }
    }
    picks
}
