//! Derivations from the union log, and their replay.
//!
//! Union edges form a forest over e-node ids; the path between two ids never changes later, and what an edge needs (equal
//! operands) has older edges. So the set of edges that a goal needs is a DAG of steps, never larger than the log, however
//! deep the graph: egg's own explanations expand to trees, which explode on residual networks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use egg::Id;
use egret_ir::choice::ClassId;
use egret_ir::text::op_text;
use egret_ir::{Op, Origins, ValueId};

use super::apply::{RuleRef, Step};
use super::egraph::{EGraph, ENode, Edge, Fault, Values, Why};
use super::matcher::{View, rematch};
use super::passes::faithful;
use super::plan::plan;
use crate::lang::RuleSet;
use crate::lang::bound::Facts;
use crate::lang::conditions::holds;

/// The union log of a finished run.
#[derive(Clone, Debug)]
pub struct Log {
    egraph: EGraph,
    values: Vec<Id>,
    classes: BTreeMap<Id, ClassId>,
    births: Vec<Vec<Id>>,
    edges: Vec<Edge>,
    faults: Vec<Fault>,
    /// Parent edge of each id in the forest, and depth.
    parents: Vec<Option<(Id, u32)>>,
    depths: Vec<u32>,
}

/// The steps that make some pairs of e-nodes equal: indices of the log's edges, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// What is derived.
    pub goals: Vec<(Id, Id)>,
    /// Edges used.
    pub edges: Vec<u32>,
}

/// Why a derivation does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Operands that a step needs equal are not, by the steps before it.
    #[error("edge {edge}: {a} and {b} are not equal yet")]
    Obligation {
        /// The edge.
        edge: u32,
        /// One e-node.
        a: Id,
        /// The other.
        b: Id,
    },
    /// Congruent e-nodes with different ops.
    #[error("edge {edge}: congruent e-nodes have different ops")]
    Congruence {
        /// The edge.
        edge: u32,
    },
    /// The left side of the rule is not what the step says.
    #[error("edge {edge}: rule `{rule}` does not match its left side")]
    Left {
        /// The edge.
        edge: u32,
        /// The rule.
        rule: String,
    },
    /// A condition of the rule does not hold.
    #[error("edge {edge}: a condition of rule `{rule}` does not hold")]
    Condition {
        /// The edge.
        edge: u32,
        /// The rule.
        rule: String,
    },
    /// The right side of the rule is not what the step says.
    #[error("edge {edge}: rule `{rule}` gives another right side")]
    Right {
        /// The edge.
        edge: u32,
        /// The rule.
        rule: String,
    },
    /// A goal is not reached.
    #[error("{0} and {1} are not equal at the end")]
    Goal(Id, Id),
}

/// A plain union-find, independent of egg's.
struct Sets(Vec<usize>);

impl Sets {
    fn find(&mut self, id: Id) -> usize {
        let mut x = usize::from(id);
        while self.0[x] != x {
            self.0[x] = self.0[self.0[x]];
            x = self.0[x];
        }
        x
    }

    fn unite(&mut self, a: Id, b: Id) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
    }
}

impl Log {
    /// Of a finished e-graph; `values` are the e-nodes of the graph's values.
    pub fn of(egraph: EGraph, values: Vec<Id>, classes: BTreeMap<Id, ClassId>) -> Self {
        let edges = egraph.analysis.log.borrow().clone();
        let faults = egraph.analysis.faults.borrow().clone();
        let n = egraph.nodes().len();
        let mut around: Vec<Vec<(Id, u32)>> = vec![Vec::new(); n];
        for (i, e) in edges.iter().enumerate() {
            around[usize::from(e.a)].push((e.b, i as u32));
            around[usize::from(e.b)].push((e.a, i as u32));
        }
        let (mut parents, mut depths, mut seen) = (vec![None; n], vec![0; n], vec![false; n]);
        for root in 0..n {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut stack = vec![root];
            while let Some(x) = stack.pop() {
                for (y, edge) in &around[x] {
                    let y = usize::from(*y);
                    if !std::mem::replace(&mut seen[y], true) {
                        parents[y] = Some((Id::from(x), *edge));
                        depths[y] = depths[x] + 1;
                        stack.push(y);
                    }
                }
            }
        }
        let view = View::of(&egraph);
        let mut births = vec![Vec::new(); classes.len()];
        for (id, nodes) in view.classes() {
            if let Some(c) = classes.get(&id) {
                births[c.index()] = nodes.to_vec();
            }
        }
        Self { egraph, values, classes, births, edges, faults, parents, depths }
    }

    /// What was interned, and what was asked of constants.
    pub fn values(&self) -> &Values {
        &self.egraph.analysis
    }

    /// The e-graph.
    pub fn egraph(&self) -> &EGraph {
        &self.egraph
    }

    /// The operands of an e-node, as it was born.
    pub fn args(&self, id: Id) -> &[Id] {
        &self.enode(id).args
    }

    /// Origins of an e-node.
    pub fn origins(&self, id: Id) -> Origins {
        self.values().origins.get(usize::from(id)).cloned().unwrap_or_default()
    }

    /// Faults of the engine; empty unless there is a bug.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Steps of rules, in order.
    pub fn steps(&self) -> &[Step] {
        &self.egraph.analysis.steps
    }

    /// Number of e-nodes ever made.
    pub fn ids(&self) -> usize {
        self.egraph.nodes().len()
    }

    /// The unions, in order.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The frozen class of an e-node.
    pub fn class_of(&self, id: Id) -> Option<ClassId> {
        self.classes.get(&self.egraph.find(id)).copied()
    }

    /// The e-node of a value of the graph.
    pub fn value(&self, v: ValueId) -> Option<Id> {
        self.values.get(v.index()).copied()
    }

    /// The e-node that is way `k` of a class.
    pub fn node(&self, c: ClassId, k: usize) -> Option<Id> {
        self.births.get(c.index())?.get(k).copied()
    }

    /// The op of an e-node.
    pub fn op(&self, id: Id) -> &Op {
        self.egraph.analysis.op(self.egraph.nodes()[usize::from(id)].op)
    }

    fn enode(&self, id: Id) -> &ENode {
        &self.egraph.nodes()[usize::from(id)]
    }

    /// What must be derived for a choice of ways: each original root equals its pick, and every operand of a picked e-node
    /// equals the pick of its class.
    pub fn goals(&self, roots: &[ValueId], picks: &BTreeMap<ClassId, usize>) -> Vec<(Id, Id)> {
        let pick = |id: Id| self.class_of(id).and_then(|c| self.node(c, *picks.get(&c)?));
        let mut goals: Vec<(Id, Id)> =
            roots.iter().filter_map(|r| self.value(*r)).filter_map(|id| Some((id, pick(id)?))).collect();
        for (c, k) in picks {
            let Some(id) = self.node(*c, *k) else { continue };
            goals.extend(self.enode(id).args.iter().filter_map(|a| Some((*a, pick(*a)?))));
        }
        goals.retain(|(a, b)| a != b);
        goals.sort();
        goals.dedup();
        goals
    }

    /// Pairs that must be equal for an edge to hold.
    fn obligations(&self, edge: &Edge) -> Vec<(Id, Id)> {
        match edge.why {
            Why::Congruence => {
                let (a, b) = (self.enode(edge.a), self.enode(edge.b));
                a.args.iter().copied().zip(b.args.iter().copied()).filter(|(x, y)| x != y).collect()
            }
            Why::Rule(s) => self.steps()[s as usize]
                .uses
                .iter()
                .flat_map(|u| self.enode(u.node).args.iter().copied().zip(u.args.iter().copied()))
                .filter(|(x, y)| x != y)
                .collect(),
        }
    }

    /// The steps that make the pairs of `goals` equal; None where some pair is not equal.
    pub fn derive(&self, goals: &[(Id, Id)]) -> Option<Derivation> {
        let mut used: BTreeSet<u32> = BTreeSet::new();
        let mut asked: HashSet<(Id, Id)> = HashSet::new();
        let mut todo = goals.to_vec();
        while let Some((mut x, mut y)) = todo.pop() {
            if !asked.insert((x, y)) {
                continue;
            }
            while x != y {
                let deeper = if self.depths[usize::from(x)] >= self.depths[usize::from(y)] { &mut x } else { &mut y };
                let (up, edge) = self.parents[usize::from(*deeper)]?;
                *deeper = up;
                if used.insert(edge) {
                    todo.extend(self.obligations(&self.edges[edge as usize]));
                }
            }
        }
        Some(Derivation { goals: goals.to_vec(), edges: used.into_iter().collect() })
    }

    /// Checks a derivation with a union-find of its own: every obligation by older edges, every rule on its own e-nodes,
    /// conditions and attributes computed anew.
    pub fn replay(&self, d: &Derivation, rules: &RuleSet) -> Result<(), ReplayError> {
        let mut sets = Sets((0..self.ids()).collect());
        let mut egraph = self.egraph.clone();
        for i in &d.edges {
            let edge = &self.edges[*i as usize];
            for (a, b) in self.obligations(edge) {
                if sets.find(a) != sets.find(b) {
                    return Err(ReplayError::Obligation { edge: *i, a, b });
                }
            }
            match edge.why {
                Why::Congruence => {
                    if self.enode(edge.a).op != self.enode(edge.b).op {
                        return Err(ReplayError::Congruence { edge: *i });
                    }
                }
                Why::Rule(s) => self.replay_step(*i, edge, &self.steps()[s as usize], rules, &mut egraph)?,
            }
            sets.unite(edge.a, edge.b);
        }
        match d.goals.iter().find(|(a, b)| sets.find(*a) != sets.find(*b)) {
            Some((a, b)) => Err(ReplayError::Goal(*a, *b)),
            None => Ok(()),
        }
    }

    fn replay_step(
        &self,
        i: u32,
        edge: &Edge,
        step: &Step,
        rules: &RuleSet,
        egraph: &mut EGraph,
    ) -> Result<(), ReplayError> {
        let name = || rules.name(step.rule).to_owned();
        let sides = (edge.a, edge.b) == (step.left, step.right);
        let rule = match step.rule {
            RuleRef::Text(r) => &rules.rules[r],
            RuleRef::Pass(p) => {
                let lawful = step.terms.as_deref().is_some_and(|[left, right]| {
                    faithful(&self.egraph, step, left, right) && (rules.passes[p].law)(&self.egraph, left, right)
                });
                return if sides && lawful { Ok(()) } else { Err(ReplayError::Right { edge: i, rule: name() }) };
            }
        };
        if !sides || rematch(&self.egraph, rule, &step.chosen).as_ref() != Some(&step.bindings) {
            return Err(ReplayError::Left { edge: i, rule: name() });
        }
        let facts = Facts { egraph: &self.egraph };
        if !rule.conditions.iter().all(|c| holds(c, facts, &step.bindings)) {
            return Err(ReplayError::Condition { edge: i, rule: name() });
        }
        let root = self.egraph[step.left].data.ty.clone();
        let planned = plan(egraph, &rule.rhs, &step.bindings, &root);
        let wanted: BTreeSet<&Op> = step.uses[step.left_uses..].iter().map(|u| self.op(u.node)).collect();
        match planned {
            Ok(p) if p.items.iter().map(|x| &x.op).collect::<BTreeSet<_>>() == wanted => Ok(()),
            _ => Err(ReplayError::Right { edge: i, rule: name() }),
        }
    }

    /// Names of the rules used, in order.
    pub fn rule_names<'a>(&self, d: &Derivation, rules: &'a RuleSet) -> Vec<&'a str> {
        d.edges
            .iter()
            .filter_map(|i| match self.edges[*i as usize].why {
                Why::Rule(s) => Some(rules.name(self.steps()[s as usize].rule)),
                Why::Congruence => None,
            })
            .collect()
    }

    /// The steps as text, one a line: number, rule, numeric class, both sides down to the operands they share.
    pub fn text(&self, d: &Derivation, rules: &RuleSet) -> String {
        let mut out = String::new();
        for (k, i) in d.edges.iter().enumerate() {
            let edge = &self.edges[*i as usize];
            let Why::Rule(s) = edge.why else {
                let _ = writeln!(out, "{:>4}. congruence: {} = {}", k + 1, edge.a, edge.b);
                continue;
            };
            let step = &self.steps()[s as usize];
            let (left, right) = step.uses.split_at(step.left_uses);
            let _ = writeln!(
                out,
                "{:>4}. {} ({}): {}\n      =  {}",
                k + 1,
                rules.name(step.rule),
                rules.numeric(step.rule).name(),
                self.term(step.left, left, 0),
                self.term(step.right, right, 0),
            );
        }
        out
    }

    fn term(&self, id: Id, uses: &[super::apply::Use], depth: usize) -> String {
        let Some(u) = uses.iter().find(|u| u.node == id).filter(|_| depth < 16) else { return format!("e{id}") };
        let args: Vec<String> = u.args.iter().map(|a| self.term(*a, uses, depth + 1)).collect();
        format!("({} {})", op_text(self.op(id), &self.egraph.analysis.tables), args.join(" "))
    }
}
