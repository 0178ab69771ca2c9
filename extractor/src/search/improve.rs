//! Local search from the other rows' results. *Re-choose*: take a class's choice away, free the nearest of what only it
//! used, derive it again as cheaply as the rest allows; the most promising candidates that make other active classes as well
//! are tried each on its own. *Opening*: derive an unused class as if it were wanted, let its readers switch to it (ties
//! accepted), and keep that if the whole got cheaper. Each step is exact on the shared cost, so results only fall. A class is
//! tried again only after something near it changed ("don't look bits", Bentley, "Fast algorithms for geometric traveling
//! salesman problems", ORSA J. Computing 4(4), 1992).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use super::problem::{Cand, Picks, Problem};
use super::{flow, greedy, tree};

/// Classes and candidates looked at before the best found so far is returned.
const MAX_WORK: u64 = 20_000_000;

/// Candidates tried for an active class that make other active classes too.
const MAX_JOINT: usize = 8;

/// Classes freed for one re-derivation.
const MAX_CONE: usize = 16;

/// Classes explored below one re-derivation.
const MAX_REGION: usize = 40;

/// The best start, improved.
pub(super) fn extract(problem: &Problem<'_>, work: &mut u64) -> Picks {
    let starts = [greedy::extract(problem, work), flow::extract(problem, work), tree::extract(problem, work)];
    let cost = |p: &Picks| problem.cost(p).unwrap_or(u64::MAX);
    let Some(best) = starts.into_iter().min_by_key(cost) else { return tree::extract(problem, work) };
    let mut state = State::new(problem, &best);
    loop {
        state.rechoose_all();
        let cost = state.cost;
        state.open_all();
        if state.cost >= cost || state.work > MAX_WORK {
            break;
        }
    }
    *work += state.work;
    state.picks
}

/// What a change overwrote.
#[derive(Clone, Copy)]
enum Undo {
    Uses(u32, u32),
    Picked(Cand, u32),
    Pick(u32, Option<Cand>),
    Cost(u64),
}

/// A set of classes that empties in constant time.
struct Marks {
    stamp: Vec<u32>,
    now: u32,
}

impl Marks {
    fn clear(&mut self) {
        self.now += 1;
    }

    fn has(&self, c: u32) -> bool {
        self.stamp[c as usize] == self.now
    }

    /// Whether it is new.
    fn add(&mut self, c: u32) -> bool {
        std::mem::replace(&mut self.stamp[c as usize], self.now) != self.now
    }
}

/// A selection with its reference counts and a log that takes changes back.
struct State<'a> {
    problem: &'a Problem<'a>,
    picks: Picks,
    /// Active candidates that read each class, plus one per root.
    uses: Vec<u32>,
    /// Active classes each candidate is picked for.
    picked: Vec<u32>,
    cost: u64,
    work: u64,
    log: Vec<Undo>,
    above: Marks,
    /// Picks for classes that are about to become active.
    plan: Picks,
    /// Classes of the region being derived, and where they are in it.
    inside: Marks,
    place: Vec<u32>,
    /// Classes near which something changed since they were tried.
    stale: Vec<bool>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Problem<'a>, picks: &Picks) -> Self {
        let mut state = Self {
            problem,
            picks: vec![None; problem.classes],
            uses: vec![0; problem.classes],
            picked: vec![0; problem.ways.len()],
            cost: 0,
            work: 0,
            log: Vec::new(),
            above: Marks { stamp: vec![0; problem.classes], now: 0 },
            plan: picks.clone(),
            inside: Marks { stamp: vec![0; problem.classes], now: 0 },
            place: vec![0; problem.classes],
            stale: vec![true; problem.classes],
        };
        for r in problem.roots {
            state.add_use(r.0);
        }
        state.log.clear();
        state
    }

    fn set_uses(&mut self, c: u32, n: u32) {
        self.log.push(Undo::Uses(c, std::mem::replace(&mut self.uses[c as usize], n)));
    }

    fn set_picked(&mut self, w: Cand, n: u32) {
        self.log.push(Undo::Picked(w, std::mem::replace(&mut self.picked[w as usize], n)));
    }

    fn set_pick(&mut self, c: u32, w: Option<Cand>) -> Option<Cand> {
        let old = std::mem::replace(&mut self.picks[c as usize], w);
        self.log.push(Undo::Pick(c, old));
        old
    }

    fn set_cost(&mut self, cost: u64) {
        self.log.push(Undo::Cost(std::mem::replace(&mut self.cost, cost)));
    }

    /// Takes back everything logged after `mark`.
    fn rollback(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Undo::Uses(c, n)) => self.uses[c as usize] = n,
                Some(Undo::Picked(w, n)) => self.picked[w as usize] = n,
                Some(Undo::Pick(c, w)) => self.picks[c as usize] = w,
                Some(Undo::Cost(cost)) => self.cost = cost,
                None => return,
            }
        }
    }

    /// One more use of a class; an unused one becomes active with its pick in the plan.
    fn add_use(&mut self, class: u32) {
        let mut stack = vec![class];
        while let Some(c) = stack.pop() {
            self.work += 1;
            let uses = self.uses[c as usize] + 1;
            self.set_uses(c, uses);
            if uses == 1 {
                let w = self.plan[c as usize].expect("a plan picks every class it needs");
                self.set_pick(c, Some(w));
                self.acquire(w, &mut stack);
            }
        }
    }

    fn acquire(&mut self, w: Cand, stack: &mut Vec<u32>) {
        let picked = self.picked[w as usize] + 1;
        self.set_picked(w, picked);
        if picked == 1 {
            let way = &self.problem.ways[w as usize];
            self.set_cost(self.cost.saturating_add(way.cost));
            stack.extend(&way.inputs);
        }
    }

    fn drop_use(&mut self, class: u32) {
        let mut stack = vec![class];
        while let Some(c) = stack.pop() {
            self.work += 1;
            let uses = self.uses[c as usize] - 1;
            self.set_uses(c, uses);
            if uses == 0
                && let Some(w) = self.set_pick(c, None)
            {
                self.release(w, &mut stack);
            }
        }
    }

    fn release(&mut self, w: Cand, stack: &mut Vec<u32>) {
        let picked = self.picked[w as usize] - 1;
        self.set_picked(w, picked);
        if picked == 0 {
            let way = &self.problem.ways[w as usize];
            self.set_cost(self.cost - way.cost);
            stack.extend(&way.inputs);
        }
    }

    /// Takes the pick of an active class away, and frees the [`MAX_CONE`] classes nearest to it that only it used. Those
    /// further down that would go as well keep that one use and are returned.
    fn detach(&mut self, class: u32) -> Vec<u32> {
        let (mut queue, mut held, mut freed, mut next) = (Vec::new(), Vec::new(), 0, 0);
        if let Some(old) = self.set_pick(class, None) {
            self.release(old, &mut queue);
        }
        while let Some(&c) = queue.get(next) {
            next += 1;
            self.work += 1;
            let uses = self.uses[c as usize] - 1;
            if uses == 0 && freed == MAX_CONE {
                held.push(c);
                continue;
            }
            self.set_uses(c, uses);
            if uses == 0
                && let Some(w) = self.set_pick(c, None)
            {
                freed += 1;
                self.release(w, &mut queue);
            }
        }
        held
    }

    /// Gives an active class a pick.
    fn attach(&mut self, class: u32, w: Cand) {
        self.set_pick(class, Some(w));
        let mut wanted = Vec::new();
        self.acquire(w, &mut wanted);
        for i in wanted {
            self.add_use(i);
        }
    }

    /// Marks the active classes that need `class`, itself included.
    fn mark_dependents(&mut self, class: u32) {
        self.above.clear();
        self.above.add(class);
        let mut stack = vec![class];
        while let Some(c) = stack.pop() {
            self.work += 1 + self.problem.readers[c as usize].len() as u64 / 4;
            for &w in &self.problem.readers[c as usize] {
                if self.picked[w as usize] == 0 {
                    continue;
                }
                for &o in &self.problem.ways[w as usize].outputs {
                    if self.picks[o as usize] == Some(w) && self.above.add(o) {
                        stack.push(o);
                    }
                }
            }
        }
    }

    /// The cheapest derivation of `class` over active classes at cost 0, by the candidate `only` where that is given, never
    /// through marked classes, and without candidates that cost more than `most`. Its candidate is returned, picks of
    /// inactive classes it needs are put into the plan.
    fn derive(&mut self, class: u32, only: Option<Cand>, most: u64) -> Option<Cand> {
        let problem = self.problem;
        let mut region = vec![class];
        self.inside.clear();
        self.inside.add(class);
        self.place[class as usize] = 0;
        let mut ways: Vec<Cand> = Vec::new();
        let mut next = 0;
        while next < region.len() {
            let c = region[next];
            next += 1;
            for &w in &problem.producers[c as usize] {
                self.work += 1;
                let inputs = &problem.ways[w as usize].inputs;
                let barred = c == class && only.is_some_and(|o| o != w);
                let dear = self.picked[w as usize] == 0 && problem.ways[w as usize].cost > most;
                if barred || dear || inputs.iter().any(|i| self.above.has(*i)) {
                    continue;
                }
                ways.push(w);
                for i in inputs {
                    if self.uses[*i as usize] == 0 && region.len() < MAX_REGION && self.inside.add(*i) {
                        self.place[*i as usize] = region.len() as u32;
                        region.push(*i);
                    }
                }
            }
        }
        ways.sort_unstable();
        ways.dedup();
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); region.len()];
        let mut waiting = vec![0usize; ways.len()];
        let mut sum = vec![0u128; ways.len()];
        let mut heap = BinaryHeap::new();
        for (k, w) in ways.iter().enumerate() {
            let way = &problem.ways[*w as usize];
            sum[k] = if self.picked[*w as usize] > 0 { 0 } else { u128::from(way.cost) };
            for i in way.inputs.iter().filter(|i| self.uses[**i as usize] == 0) {
                waiting[k] += 1;
                if self.inside.has(*i) {
                    readers[self.place[*i as usize] as usize].push(k);
                }
            }
            if waiting[k] == 0 {
                heap.push(Reverse((sum[k], k)));
            }
        }
        let mut pick: Vec<Option<usize>> = vec![None; region.len()];
        while let Some(Reverse((cost, k))) = heap.pop() {
            for o in &problem.ways[ways[k] as usize].outputs {
                let p = self.place[*o as usize] as usize;
                if !self.inside.has(*o) || pick[p].is_some() || (p == 0 && only.is_some_and(|w| w != ways[k])) {
                    continue;
                }
                pick[p] = Some(k);
                if p == 0 {
                    for (c, k) in region.iter().zip(&pick).skip(1) {
                        self.plan[*c as usize] = k.map(|k| ways[k]);
                    }
                    return Some(ways[k]);
                }
                for &r in &readers[p] {
                    waiting[r] -= 1;
                    sum[r] = sum[r].saturating_add(cost);
                    if waiting[r] == 0 {
                        heap.push(Reverse((sum[r], r)));
                    }
                }
            }
        }
        None
    }

    /// Tries other candidates for an active class: the cheapest by itself, and each that also makes other active classes.
    /// Kept where the total falls, or stays with another candidate.
    fn rechoose(&mut self, class: u32) -> bool {
        let problem = self.problem;
        if self.picks[class as usize].is_none() || problem.producers[class as usize].len() < 2 {
            return false;
        }
        if self.attempt(class, None) {
            return true;
        }
        for w in self.joint(class) {
            if self.picks[class as usize] != Some(w) && self.join(class, w) {
                return true;
            }
        }
        false
    }

    /// The candidates for an active class that make other active classes too: the [`MAX_JOINT`] that promise most, by what
    /// they and the cheapest candidates of inputs that are missing cost beside the candidates they would replace.
    fn joint(&self, class: u32) -> Vec<Cand> {
        let problem = self.problem;
        let cheapest = |c: u32| problem.producers[c as usize].iter().map(|w| problem.ways[*w as usize].cost).min();
        let mut found: Vec<(i128, Cand)> = Vec::new();
        for &w in &problem.producers[class as usize] {
            let way = &problem.ways[w as usize];
            let active = way.outputs.iter().filter(|o| self.uses[**o as usize] > 0);
            let mut replaced: SmallVec<[Cand; 4]> = active.filter_map(|o| self.picks[*o as usize]).collect();
            if way.outputs.len() < 2 || replaced.len() < 2 {
                continue;
            }
            replaced.sort_unstable();
            replaced.dedup();
            let missing = way.inputs.iter().filter(|i| self.uses[**i as usize] == 0).filter_map(|i| cheapest(*i));
            let saved: i128 = replaced.iter().map(|w| i128::from(problem.ways[*w as usize].cost)).sum();
            let spent = missing.fold(i128::from(way.cost), |s, c| s + i128::from(c));
            found.push((spent - saved, w));
        }
        found.sort_unstable();
        found.truncate(MAX_JOINT);
        found.into_iter().map(|(_, w)| w).collect()
    }

    fn attempt(&mut self, class: u32, only: Option<Cand>) -> bool {
        let Some(old) = self.picks[class as usize] else { return false };
        self.mark_dependents(class);
        let (mark, before) = (self.log.len(), self.cost);
        // What only this class used becomes inactive before the new derivation is sought.
        let held = self.detach(class);
        if let Some(w) = self.derive(class, only, before - self.cost) {
            self.attach(class, w);
            self.absorb(w);
            for h in held {
                self.drop_use(h);
            }
            if self.cost < before || (self.cost == before && w != old && only.is_none()) {
                return true;
            }
        }
        self.rollback(mark);
        false
    }

    /// Lets the other active outputs of a candidate come from it, where that closes no cycle.
    fn absorb(&mut self, w: Cand) {
        let problem = self.problem;
        for &o in &problem.ways[w as usize].outputs {
            if self.uses[o as usize] == 0 || self.picks[o as usize] == Some(w) {
                continue;
            }
            self.mark_dependents(o);
            if !problem.ways[w as usize].inputs.iter().any(|i| self.above.has(*i)) {
                self.swap(o, w);
            }
        }
    }

    /// Gives an active class another pick whose inputs are active.
    fn swap(&mut self, class: u32, w: Cand) {
        let old = self.set_pick(class, Some(w));
        // First the new pick, so that what both use stays active.
        let (mut wanted, mut freed) = (Vec::new(), Vec::new());
        self.acquire(w, &mut wanted);
        for i in wanted {
            self.add_use(i);
        }
        if let Some(old) = old {
            self.release(old, &mut freed);
        }
        for i in freed {
            self.drop_use(i);
        }
    }

    /// Takes a class from a candidate that makes other active ones too. Kept where the total falls.
    fn join(&mut self, class: u32, w: Cand) -> bool {
        let inputs = &self.problem.ways[w as usize].inputs;
        if inputs.iter().any(|i| self.uses[*i as usize] == 0) {
            return self.attempt(class, Some(w));
        }
        self.mark_dependents(class);
        if inputs.iter().any(|i| self.above.has(*i)) {
            return false;
        }
        let (mark, before) = (self.log.len(), self.cost);
        self.swap(class, w);
        self.absorb(w);
        if self.cost < before {
            return true;
        }
        self.rollback(mark);
        false
    }

    fn active(&self) -> Vec<u32> {
        let mut out: Vec<u32> = (0..self.problem.classes as u32).filter(|c| self.uses[*c as usize] > 0).collect();
        out.sort_unstable_by_key(|c| Reverse(self.problem.rank[*c as usize]));
        out
    }

    /// Tries every active class until none is left near which something changed since it was tried.
    fn rechoose_all(&mut self) {
        loop {
            let before = self.cost;
            for c in self.active() {
                if self.work > MAX_WORK {
                    return;
                }
                if self.uses[c as usize] > 0 && std::mem::take(&mut self.stale[c as usize]) && self.rechoose(c) {
                    self.touch();
                }
                self.log.clear();
            }
            if self.cost >= before {
                return;
            }
        }
    }

    /// Marks what may be chosen otherwise after the logged changes: the classes themselves, and what two candidates lead to.
    fn touch(&mut self) {
        let mut near: Vec<u32> =
            self.log.iter().filter_map(|u| if let Undo::Pick(c, _) = u { Some(*c) } else { None }).collect();
        for _ in 0..2 {
            near.sort_unstable();
            near.dedup();
            let readers = near.iter().flat_map(|c| &self.problem.readers[*c as usize]);
            let above: Vec<u32> = readers.flat_map(|w| &self.problem.ways[*w as usize].outputs).copied().collect();
            near.extend(above);
        }
        for c in near {
            self.stale[c as usize] = true;
        }
    }

    fn open_all(&mut self) {
        let problem = self.problem;
        for m in 0..problem.classes as u32 {
            if self.work > MAX_WORK {
                return;
            }
            if problem.tree[m as usize].is_none() || self.uses[m as usize] > 0 {
                continue;
            }
            // Active classes that could read it.
            let mut users: Vec<u32> = Vec::new();
            for &w in &problem.readers[m as usize] {
                users.extend(problem.ways[w as usize].outputs.iter().filter(|o| self.uses[**o as usize] > 0));
            }
            users.sort_unstable();
            users.dedup();
            self.work += 1 + problem.readers[m as usize].len() as u64;
            if users.len() < 2 {
                continue;
            }
            let before = self.cost;
            self.above.clear();
            let Some(w) = self.derive(m, None, u64::MAX) else { continue };
            self.plan[m as usize] = Some(w);
            self.add_use(m);
            for u in users {
                if self.uses[u as usize] > 0 {
                    self.attempt(u, None);
                }
            }
            self.drop_use(m);
            if self.cost >= before {
                self.rollback(0);
            }
            self.touch();
            self.log.clear();
        }
    }
}
