//! A lower bound without a solver: landmark cuts (Helmert and Domshlak, "Landmarks, critical paths and abstractions",
//! ICAPS 2009, section "LM-cut"). Classes are facts, candidates actions; every selection must contain a candidate of each cut, so the
//! cuts' least remaining costs add up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::problem::Problem;

/// Candidates looked at before the bound found so far is returned.
const MAX_WORK: u64 = 10_000_000;

const UNREACHED: u64 = u64::MAX;

struct Levels {
    /// Least cost of the dearest input chain of each class.
    class: Vec<u64>,
    /// The dearest input of each candidate, which supports it; None where it has no inputs.
    support: Vec<Option<u32>>,
}

/// No selection of the problem costs less.
pub(super) fn lower(problem: &Problem<'_>, work: &mut u64) -> u64 {
    let mut left: Vec<u64> = problem.ways.iter().map(|w| w.cost).collect();
    let mut bound: u64 = 0;
    while *work < MAX_WORK {
        let levels = h_max(problem, &left, work);
        let goal = problem.roots.iter().max_by_key(|r| (levels.class[r.index()], Reverse(r.0)));
        let Some(goal) = goal else { break };
        if levels.class[goal.index()] == 0 || levels.class[goal.index()] == UNREACHED {
            break;
        }
        let cut = cut(problem, &left, &levels, goal.0, work);
        let Some(least) = cut.iter().map(|w| left[*w as usize]).min().filter(|l| *l > 0) else { break };
        for w in cut {
            left[w as usize] -= least;
        }
        bound = bound.saturating_add(least);
    }
    bound
}

fn h_max(problem: &Problem<'_>, left: &[u64], work: &mut u64) -> Levels {
    let mut class = vec![UNREACHED; problem.classes];
    let mut done = vec![false; problem.classes];
    let mut waiting: Vec<u32> = problem.ways.iter().map(|w| w.inputs.len() as u32).collect();
    let mut support = vec![None; problem.ways.len()];
    let mut heap = BinaryHeap::new();
    let reach = |heap: &mut BinaryHeap<_>, class: &mut [u64], w: usize, level: u64| {
        for &o in &problem.ways[w].outputs {
            if level < class[o as usize] {
                class[o as usize] = level;
                heap.push(Reverse((level, o)));
            }
        }
    };
    for (w, way) in problem.ways.iter().enumerate() {
        if way.inputs.is_empty() {
            reach(&mut heap, &mut class, w, left[w]);
        }
    }
    while let Some(Reverse((level, c))) = heap.pop() {
        if std::mem::replace(&mut done[c as usize], true) {
            continue;
        }
        *work += 1 + problem.readers[c as usize].len() as u64;
        for &w in &problem.readers[c as usize] {
            let w = w as usize;
            waiting[w] -= 1;
            if waiting[w] == 0 {
                // Classes are finished in order of level, so the last input is a dearest one.
                support[w] = Some(c);
                reach(&mut heap, &mut class, w, level.saturating_add(left[w]));
            }
        }
    }
    Levels { class, support }
}

/// Candidates that lead from classes reached otherwise into those from which the goal costs nothing more.
fn cut(problem: &Problem<'_>, left: &[u64], levels: &Levels, goal: u32, work: &mut u64) -> Vec<u32> {
    let mut near = vec![false; problem.classes];
    near[goal as usize] = true;
    let mut stack = vec![goal];
    while let Some(c) = stack.pop() {
        for &w in &problem.producers[c as usize] {
            *work += 1;
            if left[w as usize] == 0
                && let Some(s) = levels.support[w as usize]
                && !std::mem::replace(&mut near[s as usize], true)
            {
                stack.push(s);
            }
        }
    }
    // Forward from the start over classes outside; an action into the near zone is in the cut.
    let mut seen = vec![false; problem.classes];
    let mut cut = Vec::new();
    let mut fire = |w: u32, stack: &mut Vec<u32>, cut: &mut Vec<u32>| {
        let outputs = &problem.ways[w as usize].outputs;
        if outputs.iter().any(|o| near[*o as usize]) {
            cut.push(w);
        }
        for &o in outputs {
            if !near[o as usize] && !std::mem::replace(&mut seen[o as usize], true) {
                stack.push(o);
            }
        }
    };
    let mut stack = Vec::new();
    for (w, way) in problem.ways.iter().enumerate() {
        if way.inputs.is_empty() {
            fire(w as u32, &mut stack, &mut cut);
        }
    }
    while let Some(c) = stack.pop() {
        for &w in &problem.readers[c as usize] {
            *work += 1;
            if levels.support[w as usize] == Some(c) {
                fire(w, &mut stack, &mut cut);
            }
        }
    }
    cut.sort_unstable();
    cut.dedup();
    cut
}
