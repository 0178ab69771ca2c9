//! What was chosen, as it reads once it is written down: a graph is joined to the classes it was made from.
//!
//! Whoever extracts a program writes it in the forms of its target, and a reader lowers these again. Most of what is read
//! back stands in the e-graph as it is and is found there by its ops and operands. Where it does not (a composite that the
//! reader expands, a constant that was folded), a value whose class is known by its name closes the gap: *written* or
//! *folded* is a step like any other, with both sides as terms over what they share.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::choice::{ClassGraph, ClassId};
use egret_ir::derivation::{Derivation, Goal, Kind, Reason, Step};
use egret_ir::graph::Args;
use egret_ir::infer::TypeError;
use egret_ir::op::{Const, Op};
use egret_ir::{Graph, Numeric, Origin, Origins, ValueId};
use foldhash::{HashMap, HashMapExt as _};

use super::evidence::Place;
use super::saturate::Saturated;
use crate::lang::RuleSet;

/// How far apart, in nodes, a class and what was written for it may be.
const DEPTH: usize = 10;

/// Classes with a term for each of their ways, all of which a derivation shows to be equal.
pub struct Shown<'a> {
    /// The classes.
    pub classes: &'a ClassGraph,
    /// Term of each way of each class; None where it is none of the log's.
    pub ways: Vec<Vec<Option<ValueId>>>,
    /// Terms of the graph's outputs, as they were.
    pub outputs: Vec<ValueId>,
    /// Which time round it is.
    pub round: u32,
}

/// Names of the values of the result whose class is known.
pub type Named = BTreeMap<ValueId, ClassId>;

impl Saturated {
    /// Why `result`, which was made from these classes, is equal to `graph`, which they were made from. `named` gives the
    /// classes of those values of the result that kept a name.
    ///
    /// # Errors
    /// A term has no type: the graphs do not belong to this run.
    pub fn derivation(
        &self,
        rules: &RuleSet,
        graph: &Graph,
        result: &Graph,
        named: &Named,
        round: u32,
    ) -> Result<Derivation, TypeError> {
        let mut d = Derivation::default();
        let inputs = d.terms.inputs(graph);
        let at = Place { inputs: &inputs, constant: &|_| None, origins: &Origins::clone, round };
        let born = self.log.evidence(rules, &mut d, &at)?;
        let term = |id: egg::Id| born[usize::from(id)];
        let ways =
            self.classes.classes.iter().enumerate().map(|(c, class)| {
                (0..class.nodes.len()).map(|k| self.log.node(ClassId(c as u32), k).map(term)).collect()
            });
        let outputs = graph.outputs.iter().filter_map(|o| self.log.value(o.value)).map(term).collect();
        let shown = Shown { classes: &self.classes, ways: ways.collect(), outputs, round };
        shown.join(&mut d, result, named)?;
        Ok(d.sliced())
    }
}

impl Shown<'_> {
    /// The term of a way; None where it is none of the log's: targets add ways, and classes, of their own.
    fn term(&self, class: ClassId, k: usize) -> Option<ValueId> {
        self.ways.get(class.index())?.get(k).copied().flatten()
    }

    /// Adds the terms of `result` and what makes them equal to the classes; the outputs become goals.
    ///
    /// # Errors
    /// A term has no type.
    pub fn join(&self, d: &mut Derivation, result: &Graph, named: &Named) -> Result<(), TypeError> {
        let mut index: HashMap<(Op, Vec<ClassId>), ValueId> = HashMap::new();
        let mut class_at: HashMap<(Op, Vec<ClassId>), ClassId> = HashMap::new();
        for (c, (class, terms)) in self.classes.classes.iter().zip(&self.ways).enumerate() {
            for (node, term) in class.nodes.iter().zip(terms) {
                let Some(term) = *term else { continue };
                let key = (d.terms.graph().node(term).op.clone(), node.args.clone());
                class_at.entry(key.clone()).or_insert(ClassId(c as u32));
                index.entry(key).or_insert(term);
            }
        }
        let inputs = d.terms.inputs(result);
        let terms = d.terms.graph_terms(result, &inputs)?;
        let live = result.live();
        let mut join = Join { shown: self, d, constant: None, class: HashMap::new() };
        for v in result.values().filter(|v| live[v.index()]) {
            let term = terms[v.index()];
            if join.class.contains_key(&term) {
                continue;
            }
            let node = join.d.terms.graph().node(term);
            let args: Option<Vec<ClassId>> = node.args.iter().map(|a| join.class.get(a).copied()).collect();
            let key = args.map(|args| (node.op.clone(), args));
            if let Some(key) = key
                && let Some(way) = index.get(&key)
            {
                join.d.congruence(term, *way);
                join.class.insert(term, class_at[&key]);
            } else if let Some(c) = named.get(&v)
                && join.written(term, *c, &result.node(v).origins)?
            {
                join.class.insert(term, *c);
            }
        }
        let goal = |(o, original): (&egret_ir::graph::OutputDecl, &ValueId)| Goal {
            name: o.name.to_string(),
            original: *original,
            chosen: terms[o.value.index()],
        };
        d.goals = result.outputs.iter().zip(&self.outputs).map(goal).collect();
        Ok(())
    }
}

/// A result being joined to classes.
struct Join<'a> {
    shown: &'a Shown<'a>,
    d: &'a mut Derivation,
    /// The way by which each class is computed from constants alone, once asked for.
    constant: Option<Vec<Option<u32>>>,
    /// Classes of terms of the result.
    class: HashMap<ValueId, ClassId>,
}

impl Join<'_> {
    /// A term of the result that stands in no class by its op, but was written for one. Whether the class has a term to
    /// compare it with: one that a target derived for itself has none.
    fn written(&mut self, term: ValueId, class: ClassId, origins: &Origins) -> Result<bool, TypeError> {
        let ways = self.shown.ways.get(class.index());
        let Some(way) = ways.and_then(|w| w.iter().flatten().next().copied()) else { return Ok(false) };
        let is_constant = matches!(self.d.terms.graph().node(term).op, Op::Const(_));
        let leaves = if is_constant { BTreeMap::new() } else { self.leaves(term) };
        let by_class: BTreeMap<ClassId, ValueId> = leaves.iter().map(|(t, c)| (*c, *t)).collect();
        let (mut used, mut memo) = (BTreeSet::new(), HashMap::new());
        let left = if is_constant {
            self.folded(class, &mut HashMap::new())?
        } else {
            match self.cost(class, &by_class, DEPTH, &mut memo) {
                Some(_) => Some(self.tree(class, &by_class, DEPTH, &memo, &mut used)?),
                None => None,
            }
        };
        let (left, leaves) = match left {
            Some(left) => (left, used.into_iter().chain(leaves.into_keys()).collect::<Vec<_>>()),
            // Nothing small: both sides down to the inputs.
            None => (way, self.inputs(&[way, term])),
        };
        let reason = reason(is_constant, origins);
        let numeric = if is_constant { Numeric::Exact } else { Numeric::Reassociates };
        let reason = self.d.reason(&Reason { numeric, ..reason });
        self.d.step(Step { reason, left, right: term, leaves, bindings: String::new(), round: self.shown.round });
        Ok(true)
    }

    /// The terms of known classes on which a term stands, with these.
    fn leaves(&self, term: ValueId) -> BTreeMap<ValueId, ClassId> {
        let (mut found, mut stack) = (BTreeMap::new(), self.d.terms.graph().node(term).args.to_vec());
        let mut seen: BTreeSet<ValueId> = BTreeSet::new();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.class.get(&t) {
                // A literal stays what it is.
                Some(_) if self.is_literal(t) => {}
                Some(c) => drop(found.insert(t, *c)),
                None => stack.extend(&self.d.terms.graph().node(t).args),
            }
        }
        found
    }

    fn is_literal(&self, t: ValueId) -> bool {
        let graph = self.d.terms.graph();
        let scalar = |t: ValueId| matches!(graph.node(t).op, Op::Const(Const::Scalar(_)));
        scalar(t) || matches!(graph.node(t).op, Op::Broadcast(_)) && scalar(graph.node(t).args[0])
    }

    /// Inputs under some terms.
    fn inputs(&self, terms: &[ValueId]) -> Vec<ValueId> {
        let graph = self.d.terms.graph();
        let (mut seen, mut stack) = (BTreeSet::new(), terms.to_vec());
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                stack.extend(&graph.node(t).args);
            }
        }
        seen.into_iter().filter(|t| matches!(graph.node(*t).op, Op::Input(_))).collect()
    }

    /// Nodes of the smallest tree of ways from the class down to leaves, at most `depth` deep.
    fn cost(
        &self,
        class: ClassId,
        leaves: &BTreeMap<ClassId, ValueId>,
        depth: usize,
        memo: &mut HashMap<(ClassId, usize), Option<(usize, usize)>>,
    ) -> Option<usize> {
        if leaves.contains_key(&class) {
            return Some(0);
        }
        if depth == 0 || class.index() >= self.shown.ways.len() {
            return None;
        }
        if let Some(known) = memo.get(&(class, depth)) {
            return known.map(|(_, cost)| cost);
        }
        let mut best: Option<(usize, usize)> = None;
        for (k, node) in self.shown.classes.class(class).nodes.iter().enumerate() {
            if self.shown.term(class, k).is_none() || matches!(node.op, Op::Input(_)) {
                continue;
            }
            let costs = node.args.iter().map(|a| self.cost(*a, leaves, depth - 1, memo));
            let sum = costs.sum::<Option<usize>>().map(|s| s.saturating_add(1));
            if let Some(sum) = sum
                && best.is_none_or(|(_, c)| sum < c)
            {
                best = Some((k, sum));
            }
        }
        memo.insert((class, depth), best);
        best.map(|(_, cost)| cost)
    }

    /// The term of the tree that [`Join::cost`] found.
    fn tree(
        &mut self,
        class: ClassId,
        leaves: &BTreeMap<ClassId, ValueId>,
        depth: usize,
        memo: &HashMap<(ClassId, usize), Option<(usize, usize)>>,
        used: &mut BTreeSet<ValueId>,
    ) -> Result<ValueId, TypeError> {
        if let Some(t) = leaves.get(&class) {
            used.insert(*t);
            return Ok(*t);
        }
        let Some(Some((k, _))) = memo.get(&(class, depth)) else {
            return Err(TypeError::Dangling { kind: "class", index: class.0 });
        };
        let node = &self.shown.classes.class(class).nodes[*k];
        let mut args = Args::new();
        for a in &node.args {
            args.push(self.tree(*a, leaves, depth - 1, memo, used)?);
        }
        self.way(class, *k, args)
    }

    /// The term by which a class is computed from constants.
    fn folded(&mut self, class: ClassId, made: &mut HashMap<ClassId, ValueId>) -> Result<Option<ValueId>, TypeError> {
        let classes = self.shown.classes;
        let choice = self.constant.take().unwrap_or_else(|| {
            classes.smallest(&|c, n| {
                let k = classes.class(c).nodes.iter().position(|way| std::ptr::eq(way, n));
                n.op.computes() && k.is_some_and(|k| self.shown.term(c, k).is_some())
            })
        });
        let mut stack = vec![class];
        let mut found = true;
        while let Some(c) = stack.last().copied() {
            if made.contains_key(&c) {
                stack.pop();
                continue;
            }
            let Some(k) = choice.get(c.index()).copied().flatten() else {
                found = false;
                break;
            };
            let node = &classes.class(c).nodes[k as usize];
            let missing: Vec<ClassId> = node.args.iter().copied().filter(|a| !made.contains_key(a)).collect();
            if missing.is_empty() {
                let args = node.args.iter().map(|a| made[a]).collect();
                let term = self.way(c, k as usize, args)?;
                made.insert(c, term);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        self.constant = Some(choice);
        Ok(found.then(|| made[&class]))
    }

    /// A way with these operands, which are equal to its own.
    fn way(&mut self, class: ClassId, k: usize, args: Args) -> Result<ValueId, TypeError> {
        let Some(born) = self.shown.term(class, k) else {
            return Err(TypeError::Dangling { kind: "way", index: k as u32 });
        };
        let op = self.d.terms.graph().node(born).op.clone();
        let term = self.d.terms.add(op, args, &self.shown.classes.class(class).origins)?;
        self.d.congruence(term, born);
        Ok(term)
    }
}

/// What made a term that is in no class by its op.
fn reason(folded: bool, origins: &Origins) -> Reason {
    let op = origins.iter().find_map(|o| match o {
        Origin::Onnx { op, .. } => Some(op.to_string()),
        Origin::Value(_) | Origin::Text { .. } => None,
    });
    let (kind, name, cite) = if folded {
        (Kind::Folded, "constant folding".to_owned(), "computed beforehand in the declared types")
    } else {
        let name = op.map_or_else(|| "written form".to_owned(), |op| format!("written as {op}"));
        (Kind::Written, name, "the operator's definition, as it is read back")
    };
    Reason {
        kind,
        name,
        text: String::new(),
        place: "writer".to_owned(),
        numeric: Numeric::Reassociates,
        cite: cite.to_owned(),
    }
}
