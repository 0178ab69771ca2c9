//! The one applier of all rules: conditions, dry run, budget, then (and only then) adding and uniting.

use std::sync::Arc;

use egg::Id;
use egret_ir::Origins;

use super::egraph::{EGraph, Ids, add};
use super::matcher::Match;
use super::passes::Term;
use super::plan::{Plan, Ref, plan};
use crate::lang::bound::{Bindings, Facts};
use crate::lang::conditions::holds;
use crate::lang::{Numeric, Phase, Rule};

/// A use of an e-node in a step: the node as born, and the operand ids the step took it to have. Equal in pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The e-node.
    pub node: Id,
    /// Its operands in the step.
    pub args: Ids,
}

/// What a step is an application of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleRef {
    /// The rule of that index in [`crate::RuleSet::rules`].
    Text(usize),
    /// The pass of that index in [`crate::RuleSet::passes`].
    Pass(usize),
}

/// One application of a rule or of a pass.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rule or the pass.
    pub rule: RuleRef,
    /// What the variables of a text rule stood for.
    pub bindings: Bindings,
    /// The matched left side of a text rule: ids chosen, in pattern order.
    pub chosen: Vec<super::matcher::Choice>,
    /// Both sides of a pass's step.
    pub terms: Option<Arc<[Term; 2]>>,
    /// Root of the left side.
    pub left: Id,
    /// Root of the right side.
    pub right: Id,
    /// E-nodes of both sides with the operands they have in the step.
    pub uses: Vec<Use>,
    /// How many of `uses` belong to the left side.
    pub left_uses: usize,
    /// Operands of the right side's uses as the rule writes them: other uses of it by number, or what a variable stood for.
    pub parts: Vec<Vec<Ref>>,
    /// The right side's root, likewise.
    pub root: Ref,
}

/// What happened to a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both sides were equal already.
    Known,
    /// A condition failed.
    Condition,
    /// The right side is ill-typed or has no attributes.
    Refused,
    /// It would not fit the budget.
    Capped,
    /// United, with so many new e-nodes.
    United(usize),
}

/// Applies a rule to a match. `budget` is the number of e-nodes that may be born.
pub fn apply(egraph: &mut EGraph, index: usize, rule: &Rule, m: &Match, numeric: Numeric, budget: usize) -> Outcome {
    if rule.numeric > numeric && !m.integers(egraph) {
        return Outcome::Condition;
    }
    // What depends on constants alone is folded in the end: only canonical forms of it are worth finding.
    if rule.phase > Phase::Normalize && egraph[m.root].data.constant {
        return Outcome::Condition;
    }
    let facts = Facts { egraph };
    // Profit is cheap to tell; truth may look at every element of a constant.
    let all = rule.profit.iter().chain(&rule.conditions);
    if !all.into_iter().all(|c| holds(c, facts, &m.bindings)) {
        return Outcome::Condition;
    }
    let root = egraph[m.root].data.ty.clone();
    let Ok(p) = plan(egraph, &rule.rhs, &m.bindings, &root) else { return Outcome::Refused };
    let here = egraph.find(m.root);
    let known_root = match p.root {
        Ref::Id(id) => Some(id),
        Ref::Item(i) => p.items[i].known,
    };
    if known_root.is_some_and(|id| egraph.find(id) == here) {
        return Outcome::Known;
    }
    let births = p.births();
    if rule.only_known && births > 0 {
        return Outcome::Condition;
    }
    if births > budget {
        return Outcome::Capped;
    }
    let before = egraph.nodes().len();
    let right = commit(egraph, index, rule, m, &p);
    let born = egraph.nodes().len() - before;
    debug_assert!(born <= births, "the dry run counted {births} births, {born} happened");
    egraph.union_trusted(m.root, right, rule.name.as_ref());
    Outcome::United(born)
}

fn commit(egraph: &mut EGraph, index: usize, rule: &Rule, m: &Match, p: &Plan) -> Id {
    let origins = egraph.analysis.origins.get(usize::from(m.root)).cloned().unwrap_or_default();
    let mut uses = m.uses(rule);
    let left_uses = uses.len();
    let mut ids: Vec<Id> = Vec::with_capacity(p.items.len());
    for item in &p.items {
        let args: Ids = item
            .args
            .iter()
            .map(|r| match r {
                Ref::Id(id) => *id,
                Ref::Item(i) => ids[*i],
            })
            .collect();
        let known = if item.known.is_some() { Origins::none() } else { origins.clone() };
        let id = add(egraph, &item.op, args.clone(), &known);
        uses.push(Use { node: id, args });
        ids.push(id);
    }
    let right = match p.root {
        Ref::Id(id) => id,
        Ref::Item(i) => ids[i],
    };
    let step = Step {
        rule: RuleRef::Text(index),
        bindings: m.bindings.clone(),
        chosen: m.chosen.clone(),
        terms: None,
        left: m.root,
        right,
        uses,
        left_uses,
        parts: p.items.iter().map(|i| i.parts.clone()).collect(),
        root: p.root,
    };
    egraph.analysis.steps.push(step);
    right
}
