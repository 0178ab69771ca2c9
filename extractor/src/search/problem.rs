//! The table an extractor works on: indexed, restricted to what the roots can reach by finite derivations.

use egret_ir::choice::{ClassId, Table};

use super::{ExtractError, Selection};

/// Index of a live candidate in a [`Problem`].
pub(crate) type Cand = u32;

/// One live candidate.
pub(crate) struct Way {
    pub outputs: Vec<u32>,
    pub inputs: Vec<u32>,
    pub cost: u64,
    /// Position in the table.
    pub original: usize,
}

/// Which candidate produces each class.
pub(crate) type Picks = Vec<Option<Cand>>;

/// The live part of a table.
pub(crate) struct Problem<'a> {
    pub classes: usize,
    pub roots: &'a [ClassId],
    pub ways: Vec<Way>,
    /// Candidates that produce a class, oldest first.
    pub producers: Vec<Vec<Cand>>,
    /// Candidates that read a class.
    pub readers: Vec<Vec<Cand>>,
    /// Least tree cost of every derivable class.
    pub tree: Vec<Option<u128>>,
    /// Position in an order of nondecreasing tree cost in which every class has a candidate reading only earlier ones.
    pub rank: Vec<u32>,
    /// The candidate of least tree cost.
    pub tree_pick: Picks,
}

fn sorted(classes: &[ClassId]) -> Vec<u32> {
    let mut out: Vec<u32> = classes.iter().map(|c| c.0).collect();
    out.sort_unstable();
    out.dedup();
    out
}

impl<'a> Problem<'a> {
    /// Indexes the table, drops what no root needs or nothing derives.
    pub fn new<P>(table: &'a Table<P>) -> Result<Self, ExtractError> {
        let known = |c: &ClassId| c.index() < table.classes;
        let unknown = |candidate, class: &ClassId| ExtractError::UnknownClass {
            candidate,
            class: *class,
            classes: table.classes,
        };
        if let Some(r) = table.roots.iter().find(|c| !known(c)) {
            return Err(unknown(None, r));
        }
        let mut all = Vec::with_capacity(table.candidates.len());
        for (i, c) in table.candidates.iter().enumerate() {
            if let Some(c) = c.outputs.iter().chain(&c.inputs).find(|c| !known(c)) {
                return Err(unknown(Some(i), c));
            }
            let (mut outputs, inputs) = (sorted(&c.outputs), sorted(&c.inputs));
            // What a candidate reads it does not derive.
            outputs.retain(|o| !inputs.contains(o));
            if !outputs.is_empty() {
                all.push(Way { outputs, inputs, cost: c.cost, original: i });
            }
        }
        let mut problem = Self {
            classes: table.classes,
            roots: &table.roots,
            ways: all,
            producers: Vec::new(),
            readers: Vec::new(),
            tree: Vec::new(),
            rank: Vec::new(),
            tree_pick: Vec::new(),
        };
        problem.index();
        problem.knuth();
        for root in &table.roots {
            if problem.tree[root.index()].is_none() {
                return Err(ExtractError::Underivable { root: *root, missing: problem.missing(*root) });
            }
        }
        problem.prune();
        problem.index();
        problem.knuth();
        Ok(problem)
    }

    fn index(&mut self) {
        self.producers = vec![Vec::new(); self.classes];
        self.readers = vec![Vec::new(); self.classes];
        for (i, way) in self.ways.iter().enumerate() {
            for o in &way.outputs {
                self.producers[*o as usize].push(i as Cand);
            }
            for r in &way.inputs {
                self.readers[*r as usize].push(i as Cand);
            }
        }
    }

    /// Knuth's generalization of Dijkstra's algorithm (IPL 6(1), 1977): classes in order of least tree cost.
    fn knuth(&mut self) {
        use std::cmp::Reverse;
        let mut waiting: Vec<u32> = self.ways.iter().map(|w| w.inputs.len() as u32).collect();
        self.tree = vec![None; self.classes];
        self.tree_pick = vec![None; self.classes];
        self.rank = vec![u32::MAX; self.classes];
        let mut heap = std::collections::BinaryHeap::new();
        for (i, way) in self.ways.iter().enumerate() {
            if way.inputs.is_empty() {
                heap.push(Reverse((u128::from(way.cost), i as Cand)));
            }
        }
        let mut next = 0;
        while let Some(Reverse((cost, i))) = heap.pop() {
            for k in 0..self.ways[i as usize].outputs.len() {
                let o = self.ways[i as usize].outputs[k] as usize;
                if self.tree[o].is_some() {
                    continue;
                }
                (self.tree[o], self.tree_pick[o], self.rank[o]) = (Some(cost), Some(i), next);
                next += 1;
                for &r in &self.readers[o] {
                    waiting[r as usize] -= 1;
                    if waiting[r as usize] == 0 {
                        let way = &self.ways[r as usize];
                        let inputs = way.inputs.iter().filter_map(|c| self.tree[*c as usize]);
                        let sum = inputs.fold(u128::from(way.cost), u128::saturating_add);
                        heap.push(Reverse((sum.max(cost), r)));
                    }
                }
            }
        }
    }

    /// Keeps candidates with derivable inputs whose outputs some root may need.
    fn prune(&mut self) {
        let mut needed = vec![false; self.classes];
        let mut stack: Vec<u32> = self.roots.iter().map(|c| c.0).collect();
        let mut keep = vec![false; self.ways.len()];
        while let Some(c) = stack.pop() {
            if std::mem::replace(&mut needed[c as usize], true) {
                continue;
            }
            for &w in &self.producers[c as usize] {
                let way = &self.ways[w as usize];
                if !keep[w as usize] && way.inputs.iter().all(|i| self.tree[*i as usize].is_some()) {
                    keep[w as usize] = true;
                    stack.extend(&way.inputs);
                }
            }
        }
        let mut i = 0;
        self.ways.retain(|_| {
            i += 1;
            keep[i - 1]
        });
    }

    fn missing(&self, root: ClassId) -> Vec<ClassId> {
        let mut seen = vec![false; self.classes];
        let mut stack = vec![root.0];
        let mut out = Vec::new();
        while let Some(c) = stack.pop() {
            if self.tree[c as usize].is_some() || std::mem::replace(&mut seen[c as usize], true) {
                continue;
            }
            if self.producers[c as usize].is_empty() {
                out.push(ClassId(c));
            }
            for &w in &self.producers[c as usize] {
                stack.extend(&self.ways[w as usize].inputs);
            }
        }
        out.sort_unstable();
        out
    }

    /// Classes the roots need under `picks`, inputs first; None where the picks are cyclic or incomplete.
    pub fn order(&self, picks: &Picks) -> Option<Vec<u32>> {
        let mut state = vec![0u8; self.classes];
        let mut out = Vec::new();
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in self.roots {
            if state[root.index()] == 0 {
                state[root.index()] = 1;
                stack.push((root.0, 0));
            }
            while let Some((c, k)) = stack.last_mut() {
                let way = &self.ways[picks[*c as usize]? as usize];
                if let Some(&i) = way.inputs.get(*k) {
                    *k += 1;
                    match state[i as usize] {
                        0 => {
                            state[i as usize] = 1;
                            stack.push((i, 0));
                        }
                        1 => return None,
                        _ => {}
                    }
                } else {
                    state[*c as usize] = 2;
                    out.push(*c);
                    stack.pop();
                }
            }
        }
        Some(out)
    }

    /// Cost of what the roots need under `picks`, each candidate once; None as for [`Problem::order`].
    pub fn cost(&self, picks: &Picks) -> Option<u64> {
        let order = self.order(picks)?;
        let mut used: Vec<Cand> = order.iter().filter_map(|c| picks[*c as usize]).collect();
        used.sort_unstable();
        used.dedup();
        Some(used.iter().fold(0, |s, w| self.ways[*w as usize].cost.saturating_add(s)))
    }

    /// The selection of acyclic picks, its bound left open.
    pub fn selection(&self, picks: &Picks, work: u64) -> Selection {
        let order = self.order(picks).expect("extractors return acyclic picks");
        let mut taken = vec![false; self.ways.len()];
        let (mut chosen, mut producers, mut cost) = (Vec::new(), Vec::new(), 0u64);
        for c in order {
            let w = picks[c as usize].expect("needed classes are picked");
            producers.push((ClassId(c), self.ways[w as usize].original));
            if !std::mem::replace(&mut taken[w as usize], true) {
                chosen.push(self.ways[w as usize].original);
                cost = cost.saturating_add(self.ways[w as usize].cost);
            }
        }
        producers.sort_unstable();
        let mut roots: Vec<u32> = self.roots.iter().map(|r| r.0).collect();
        roots.sort_unstable();
        roots.dedup();
        let tree_cost = roots.iter().filter_map(|r| self.tree[*r as usize]).fold(0, u128::saturating_add);
        Selection { chosen, producers, cost, bound: 0, tree_cost, work }
    }
}
