//! Greedy on DAG cost: every class keeps the set of candidates that its best derivation so far needs, so shared ones are
//! paid once inside a set ("faster greedy DAG" of extraction-gym). A candidate whose inputs' sets already produce one of
//! its outputs is cyclic and left out.

use std::collections::BTreeSet;

use super::problem::{Cand, Picks, Problem};

/// Sets larger than this in all are not built; [`super::flow`] stands in.
const MAX_BYTES: usize = 256 << 20;

/// Every class is reconsidered at most this often.
const MAX_VISITS: u32 = 16;

struct Set {
    words: Vec<u64>,
    cost: u64,
}

/// The final choices of the sets; the tree's where those are cyclic (a set may be older than what it was built from).
pub(super) fn extract(problem: &Problem<'_>, work: &mut u64) -> Picks {
    let words = problem.ways.len().div_ceil(64);
    let derivable = problem.tree.iter().filter(|t| t.is_some()).count();
    if words * 8 * derivable > MAX_BYTES {
        return super::flow::extract(problem, work);
    }
    let mut sets: Vec<Option<Set>> = (0..problem.classes).map(|_| None).collect();
    let mut picks: Picks = vec![None; problem.classes];
    let mut visits = vec![0u32; problem.ways.len()];
    let mut queue: BTreeSet<(u32, Cand)> = BTreeSet::new();
    let level = |w: Cand| problem.ways[w as usize].outputs.iter().map(|o| problem.rank[*o as usize]).min().unwrap_or(0);
    for (i, way) in problem.ways.iter().enumerate() {
        if way.inputs.is_empty() {
            queue.insert((level(i as Cand), i as Cand));
        }
    }
    while let Some((_, w)) = queue.pop_first() {
        visits[w as usize] += 1;
        if visits[w as usize] > MAX_VISITS {
            continue;
        }
        let Some(set) = union(problem, &sets, w, words, work) else { continue };
        for &o in &problem.ways[w as usize].outputs {
            if sets[o as usize].as_ref().is_some_and(|s| s.cost <= set.cost) {
                continue;
            }
            sets[o as usize] = Some(Set { words: set.words.clone(), cost: set.cost });
            picks[o as usize] = Some(w);
            for &r in &problem.readers[o as usize] {
                if problem.ways[r as usize].inputs.iter().all(|i| sets[*i as usize].is_some()) {
                    queue.insert((level(r), r));
                }
            }
        }
    }
    if problem.order(&picks).is_some() { picks } else { problem.tree_pick.clone() }
}

fn union(problem: &Problem<'_>, sets: &[Option<Set>], w: Cand, words: usize, work: &mut u64) -> Option<Set> {
    let way = &problem.ways[w as usize];
    let mut inputs: Vec<&Set> = Vec::with_capacity(way.inputs.len());
    for i in &way.inputs {
        inputs.push(sets[*i as usize].as_ref()?);
    }
    inputs.sort_by_key(|s| std::cmp::Reverse(s.cost));
    let (mut bits, mut cost) = match inputs.first() {
        Some(s) => (s.words.clone(), s.cost),
        None => (vec![0; words], 0),
    };
    *work += (words * inputs.len().max(1)) as u64;
    for s in inputs.iter().skip(1) {
        for (k, (a, b)) in bits.iter_mut().zip(&s.words).enumerate() {
            let mut fresh = b & !*a;
            *a |= b;
            while fresh != 0 {
                let bit = fresh.trailing_zeros() as usize;
                cost = problem.ways[64 * k + bit].cost.saturating_add(cost);
                fresh &= fresh - 1;
            }
        }
    }
    let has = |bits: &[u64], p: Cand| bits[p as usize / 64] >> (p % 64) & 1 == 1;
    if way.outputs.iter().any(|o| problem.producers[*o as usize].iter().any(|p| has(&bits, *p))) {
        return None;
    }
    bits[w as usize / 64] |= 1 << (w % 64);
    Some(Set { words: bits, cost: cost.saturating_add(way.cost) })
}
