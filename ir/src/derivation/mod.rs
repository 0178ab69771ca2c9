//! Derivations: why one graph is equal to another, as plain data that knows no e-graph.
//!
//! A derivation is a table of concrete [`Terms`] and a list of [`Entry`]s. Each entry says that two terms are equal, and
//! needs only entries before it:
//!
//! - a [`Step`] is one instance of a rule: both sides are written out as terms over the leaves they share. It needs
//!   nothing, so it can be looked at, typed and evaluated by itself, whoever made it: a rule of a file, a native pass, a
//!   template of the writer, the folding of a constant;
//! - a congruence says that equal operands give equal results; it needs its operands to be equal by earlier entries.
//!
//! Entries form a forest over the terms (whatever two equal terms say twice is left out), so paths are unique and
//! [`Derivation::sliced`] finds what some [`Goal`]s need in linear time. A derivation of one graph holds for others: its
//! inputs are leaves, and [`Derivation::append`] takes it over with other terms in their place.

mod json;
mod print;
mod terms;

use crate::graph::{Graph, ValueId};
use crate::infer::TypeError;
use crate::numeric::Numeric;
use crate::op::Op;
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

pub use json::JsonError;
pub use terms::Terms;

/// What may make two terms equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A rule of a file.
    Rule,
    /// A native pass; its text is generated for each number of operands.
    Pass,
    /// An operator as it was written, and as it was read back.
    Written,
    /// A constant computed beforehand.
    Folded,
}

/// A rule, as far as people and checkers want to know it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Reason {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its text; empty where it has none.
    pub text: String,
    /// Where it stands: `file:line`.
    pub place: String,
    /// How far it may change bits.
    pub numeric: Numeric,
    /// Why it is true.
    pub cite: String,
}

/// One instance of a rule.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// Index in [`Derivation::reasons`].
    pub reason: u32,
    /// The left side.
    pub left: ValueId,
    /// The right side.
    pub right: ValueId,
    /// Operands that both sides are over, sorted: below them neither side looks.
    pub leaves: Vec<ValueId>,
    /// What the rule's variables other than operands stood for, as text.
    pub bindings: String,
    /// Which time round of the optimizer it was, from 1.
    pub round: u32,
}

/// Two terms are equal.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// By a rule.
    Step(Step),
    /// The same op on operands that are equal in pairs.
    Congruence {
        /// One.
        left: ValueId,
        /// The other.
        right: ValueId,
    },
}

impl Entry {
    /// The terms it makes equal.
    pub fn sides(&self) -> (ValueId, ValueId) {
        match self {
            Self::Step(s) => (s.left, s.right),
            Self::Congruence { left, right } => (*left, *right),
        }
    }
}

/// What is derived.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Goal {
    /// Name of the value.
    pub name: String,
    /// The value as it was.
    pub original: ValueId,
    /// The term chosen for it.
    pub chosen: ValueId,
}

/// Why some terms are equal.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    /// All terms that are spoken of.
    pub terms: Terms,
    /// What steps are instances of.
    pub reasons: Vec<Reason>,
    /// The equalities; each needs only earlier ones.
    pub entries: Vec<Entry>,
    /// What they show.
    pub goals: Vec<Goal>,
    /// Which terms are known to be equal, by the entries so far.
    equal: Sets,
}

impl PartialEq for Derivation {
    /// By what it says, not by what else the tables hold.
    fn eq(&self, other: &Self) -> bool {
        self.terms.graph().nodes() == other.terms.graph().nodes()
            && self.reasons == other.reasons
            && self.entries == other.entries
            && self.goals == other.goals
    }
}

/// A union-find over terms.
#[derive(Clone, Debug, Default)]
struct Sets(HashMap<ValueId, ValueId>);

impl Sets {
    fn find(&mut self, v: ValueId) -> ValueId {
        let mut root = v;
        while let Some(up) = self.0.get(&root) {
            root = *up;
        }
        let mut at = v;
        while at != root {
            at = self.0.insert(at, root).unwrap_or(root);
        }
        root
    }

    /// Whether they were apart.
    fn unite(&mut self, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.0.insert(a, b);
        }
        a != b
    }
}

impl Derivation {
    /// A derivation with these parts, unchecked.
    pub fn new(terms: Terms, reasons: Vec<Reason>, entries: Vec<Entry>, goals: Vec<Goal>) -> Self {
        let mut equal = Sets::default();
        for e in &entries {
            let (a, b) = e.sides();
            equal.unite(a, b);
        }
        Self { terms, reasons, entries, goals, equal }
    }

    /// The index of a reason, added where it is new.
    pub fn reason(&mut self, reason: &Reason) -> u32 {
        let at = self.reasons.iter().position(|r| r == reason).unwrap_or_else(|| {
            self.reasons.push(reason.clone());
            self.reasons.len() - 1
        });
        at as u32
    }

    /// Whether two terms are equal by the entries so far.
    pub fn is_equal(&mut self, a: ValueId, b: ValueId) -> bool {
        self.equal.find(a) == self.equal.find(b)
    }

    /// Adds a step, unless its sides are equal already.
    pub fn step(&mut self, mut step: Step) {
        step.leaves.sort_unstable();
        step.leaves.dedup();
        if self.equal.unite(step.left, step.right) {
            self.entries.push(Entry::Step(step));
        }
    }

    /// Adds that two terms with the same op and equal operands are equal, unless it is known already.
    pub fn congruence(&mut self, left: ValueId, right: ValueId) {
        if self.equal.unite(left, right) {
            self.entries.push(Entry::Congruence { left, right });
        }
    }

    /// Takes over the terms, reasons and entries of another derivation (not its goals). `inputs` are the terms that stand
    /// for its inputs, in order; so a derivation of a block serves each copy of it. Gives the terms of its terms.
    ///
    /// # Errors
    /// A term has no type with these inputs. Nothing was taken over but terms.
    pub fn append(&mut self, other: &Self, inputs: &[ValueId]) -> Result<Vec<ValueId>, TypeError> {
        let map = self.terms.graph_terms(other.terms.graph(), inputs)?;
        let at = |v: ValueId| map[v.index()];
        for entry in &other.entries {
            match entry {
                Entry::Step(s) => {
                    let reason = self.reason(&other.reasons[s.reason as usize]);
                    let leaves = s.leaves.iter().map(|l| at(*l)).collect();
                    let (left, right) = (at(s.left), at(s.right));
                    self.step(Step { reason, left, right, leaves, bindings: s.bindings.clone(), round: s.round });
                }
                Entry::Congruence { left, right } => self.congruence(at(*left), at(*right)),
            }
        }
        Ok(map)
    }

    /// Takes over another derivation whose inputs are the same by name, and what goes on from its goals: a goal of this
    /// one whose chosen term is the original of one of the other goes on to that one's choice.
    ///
    /// # Errors
    /// As of [`Derivation::append`].
    pub fn concat(&mut self, next: &Self) -> Result<(), TypeError> {
        let inputs = self.terms.inputs(next.terms.graph());
        let map = self.append(next, &inputs)?;
        let goals: Vec<Goal> = next
            .goals
            .iter()
            .map(|g| Goal { name: g.name.clone(), original: map[g.original.index()], chosen: map[g.chosen.index()] })
            .collect();
        if self.goals.is_empty() {
            self.goals = goals;
            return Ok(());
        }
        for mine in &mut self.goals {
            if let Some(on) = goals.iter().find(|g| g.name == mine.name && g.original == mine.chosen) {
                mine.chosen = on.chosen;
            }
        }
        Ok(())
    }

    /// The same derivation with other terms for its inputs, those of `onto`; goals go along.
    ///
    /// # Errors
    /// As of [`Derivation::append`].
    pub fn renamed(&self, onto: &Terms, inputs: &[ValueId]) -> Result<Self, TypeError> {
        let mut out = Self { terms: onto.clone(), ..Self::default() };
        let map = out.append(self, inputs)?;
        let goal =
            |g: &Goal| Goal { name: g.name.clone(), original: map[g.original.index()], chosen: map[g.chosen.index()] };
        out.goals = self.goals.iter().map(goal).collect();
        Ok(out)
    }

    /// The steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.entries.iter().filter_map(|e| match e {
            Entry::Step(s) => Some(s),
            Entry::Congruence { .. } => None,
        })
    }

    /// The reason of a step.
    pub fn reason_of(&self, step: &Step) -> &Reason {
        &self.reasons[step.reason as usize]
    }

    /// The entries as a forest in which paths can be asked for.
    pub fn forest(&self) -> Forest {
        Forest::of(self)
    }

    /// With the entries alone that the goals need, and the terms that these speak of.
    pub fn sliced(&self) -> Self {
        let pairs: Vec<(ValueId, ValueId)> = self.goals.iter().map(|g| (g.original, g.chosen)).collect();
        let needed = self.forest().needed(self, &pairs);
        let entries: Vec<&Entry> = self.entries.iter().zip(&needed).filter(|(_, n)| **n).map(|(e, _)| e).collect();
        let spoken = entries.iter().flat_map(|e| {
            let (a, b) = e.sides();
            let leaves = match e {
                Entry::Step(s) => s.leaves.as_slice(),
                Entry::Congruence { .. } => &[],
            };
            leaves.iter().copied().chain([a, b])
        });
        let (terms, map) = self.terms.only(spoken.chain(pairs.iter().flat_map(|(a, b)| [*a, *b])));
        let at = |v: ValueId| map[v.index()].unwrap_or(v);
        let entry = |e: &&Entry| match e {
            Entry::Step(s) => Entry::Step(Step {
                left: at(s.left),
                right: at(s.right),
                leaves: s.leaves.iter().map(|l| at(*l)).collect(),
                ..s.clone()
            }),
            Entry::Congruence { left, right } => Entry::Congruence { left: at(*left), right: at(*right) },
        };
        let goal = |g: &Goal| Goal { name: g.name.clone(), original: at(g.original), chosen: at(g.chosen) };
        let goals = self.goals.iter().map(goal).collect();
        Self::new(terms, self.reasons.clone(), entries.iter().map(entry).collect(), goals)
    }

    /// The smallest graph of both sides of a step over its leaves: each leaf an input, outputs `left` and `right`. None
    /// where a side looks at an input that is no leaf, or a term is out of place.
    pub fn instance(&self, step: &Step) -> Option<Graph> {
        let terms = self.terms.graph();
        let mut graph = Graph::new("step");
        graph.tables = terms.tables.clone();
        let mut made: HashMap<ValueId, ValueId> = HashMap::new();
        for leaf in &step.leaves {
            let ty = terms.nodes().get(leaf.index())?.ty.clone();
            made.insert(*leaf, graph.input(&format!("t{}", leaf.0), ty));
        }
        for (name, root) in [("left", step.left), ("right", step.right)] {
            let mut stack = vec![root];
            while let Some(v) = stack.last().copied() {
                let node = terms.nodes().get(v.index())?;
                if made.contains_key(&v) {
                    stack.pop();
                    continue;
                }
                if matches!(node.op, Op::Input(_)) {
                    return None;
                }
                let missing: Vec<ValueId> = node.args.iter().copied().filter(|a| !made.contains_key(a)).collect();
                if missing.iter().any(|a| *a >= v) {
                    return None;
                }
                if missing.is_empty() {
                    let args: Vec<ValueId> = node.args.iter().map(|a| made[a]).collect();
                    made.insert(v, graph.add(node.op.clone(), &args, node.origins.clone()).ok()?);
                    stack.pop();
                } else {
                    stack.extend(missing);
                }
            }
            graph.output(name, made[&root]);
        }
        Some(graph)
    }
}

/// The entries of a derivation as a rooted forest.
#[derive(Clone, Debug)]
pub struct Forest {
    parents: HashMap<ValueId, (ValueId, u32)>,
    depths: HashMap<ValueId, u32>,
}

impl Forest {
    fn of(d: &Derivation) -> Self {
        let mut around: HashMap<ValueId, Vec<(ValueId, u32)>> = HashMap::new();
        for (i, e) in d.entries.iter().enumerate() {
            let (a, b) = e.sides();
            around.entry(a).or_default().push((b, i as u32));
            around.entry(b).or_default().push((a, i as u32));
        }
        let mut forest = Self { parents: HashMap::new(), depths: HashMap::new() };
        let roots = d.entries.iter().map(|e| e.sides().0);
        for root in roots {
            if forest.depths.contains_key(&root) {
                continue;
            }
            forest.depths.insert(root, 0);
            let mut stack = vec![root];
            while let Some(x) = stack.pop() {
                for (y, entry) in &around[&x] {
                    if !forest.depths.contains_key(y) {
                        forest.depths.insert(*y, forest.depths[&x] + 1);
                        forest.parents.insert(*y, (x, *entry));
                        stack.push(*y);
                    }
                }
            }
        }
        forest
    }

    /// The entries between two terms, from the first to the second; None where they are not equal.
    pub fn path(&self, from: ValueId, to: ValueId) -> Option<Vec<u32>> {
        let (mut x, mut y) = (from, to);
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let depth = |v: ValueId| self.depths.get(&v).copied().unwrap_or(0);
        while x != y {
            let (at, path) = if depth(x) >= depth(y) { (&mut x, &mut up) } else { (&mut y, &mut down) };
            let (parent, entry) = *self.parents.get(at)?;
            path.push(entry);
            *at = parent;
        }
        up.extend(down.into_iter().rev());
        Some(up)
    }

    /// Which entries make the pairs equal, and, in turn, the operands of congruences.
    pub fn needed(&self, d: &Derivation, pairs: &[(ValueId, ValueId)]) -> Vec<bool> {
        let mut needed = vec![false; d.entries.len()];
        let mut asked: HashSet<(ValueId, ValueId)> = HashSet::new();
        let mut todo = pairs.to_vec();
        while let Some((a, b)) = todo.pop() {
            if a == b || !asked.insert((a, b)) {
                continue;
            }
            for i in self.path(a, b).unwrap_or_default() {
                if std::mem::replace(&mut needed[i as usize], true) {
                    continue;
                }
                if let Entry::Congruence { left, right } = &d.entries[i as usize] {
                    let graph = d.terms.graph();
                    todo.extend(graph.node(*left).args.iter().copied().zip(graph.node(*right).args.iter().copied()));
                }
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests;
