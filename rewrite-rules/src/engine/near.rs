//! Why a rule did not fire: places where its left side matches but a condition is false, and places where all of the left
//! side but its last node matches.

use std::collections::BTreeSet;

use egg::Id;
use egret_ir::op::attrs::Head;
use egret_ir::text::{attr_text, op_text};

use super::derive::Log;
use super::matcher::{Match, View, kind_of, matches};
use super::plan::plan;
use crate::lang::bound::{Bindings, Bound, Facts};
use crate::lang::conditions::holds;
use crate::lang::print::{condition_text, term_text};
use crate::lang::{HeadPat, NodePat, Numeric, Pat, Phase, Rule, Sort, Term, Var, VarId};

/// Matches of one pattern that are looked at.
const LIMIT: usize = 100_000;

/// What kept a rule from firing.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Miss {
    /// The rule's numeric class is wider than asked for.
    Class {
        /// The rule's class.
        rule: Numeric,
        /// The class that may run.
        allowed: Numeric,
    },
    /// The value depends on constants alone and is folded in the end.
    Constant,
    /// A condition is false: the first one.
    Condition {
        /// The condition.
        condition: String,
        /// Whether it is for profit only.
        profit: bool,
        /// What its arguments stood for.
        saw: Vec<String>,
    },
    /// The right side has no attributes or no type here.
    RightSide(String),
    /// The pattern's last node is another one here.
    Head {
        /// What the pattern wants there.
        expected: String,
        /// What there is.
        found: Vec<String>,
    },
}

/// A place where a rule nearly fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The e-node at the left side's root.
    pub root: Id,
    /// What was missing.
    pub miss: Miss,
}

/// What became of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Places where its left side matches and everything holds.
    pub fires: usize,
    /// Near matches: false conditions first, then by age of the root.
    pub near: Vec<Near>,
    /// Whether there were more matches than were looked at.
    pub more: bool,
}

/// Looks through the e-graph as a run left it.
pub fn near(log: &Log, rule: &Rule, allowed: Numeric) -> Nearest {
    let egraph = log.egraph();
    let view = View::of(egraph);
    let (found, mut more) = matches(egraph, &view, rule, LIMIT);
    let mut out = Nearest { fires: 0, near: Vec::new(), more: false };
    let mut whole: BTreeSet<Id> = BTreeSet::new();
    let mut planner = egraph.clone();
    for m in &found {
        whole.insert(m.root);
        match missing(log, &mut planner, rule, m, allowed) {
            None => out.fires += 1,
            Some(miss) => out.near.push(Near { root: m.root, miss }),
        }
    }
    let mut heads = Vec::new();
    for (expected, relaxed) in relaxations(rule) {
        let (found, cut) = matches(egraph, &view, &relaxed, LIMIT);
        more |= cut;
        let hole = relaxed.vars.len() - 1;
        for m in found.iter().filter(|m| !whole.contains(&m.root)) {
            let Some(Some(Bound::Operand(id))) = m.bindings.get(hole) else { continue };
            let ops = view.nodes(egraph.find(*id)).iter().map(|n| op_text(log.op(*n), &log.values().tables));
            let miss = Miss::Head { expected: expected.clone(), found: ops.collect() };
            heads.push(Near { root: m.root, miss });
        }
    }
    out.near.sort_by_key(|n| n.root);
    heads.sort_by_key(|n| n.root);
    heads.dedup();
    out.near.extend(heads);
    out.near.dedup();
    out.more = more;
    out
}

/// What keeps a match from being applied, in the order in which the applier asks.
fn missing(log: &Log, planner: &mut super::egraph::EGraph, rule: &Rule, m: &Match, allowed: Numeric) -> Option<Miss> {
    let egraph = log.egraph();
    if rule.numeric > allowed && !m.integers(egraph) {
        return Some(Miss::Class { rule: rule.numeric, allowed });
    }
    if rule.phase > Phase::Normalize && egraph[m.root].data.constant {
        return Some(Miss::Constant);
    }
    let facts = Facts { egraph };
    let asked = rule.profit.iter().map(|c| (c, true)).chain(rule.conditions.iter().map(|c| (c, false)));
    for (c, profit) in asked {
        if !holds(c, facts, &m.bindings) {
            let saw = c.args.iter().map(|t| seen(rule, facts, t, &m.bindings)).collect();
            return Some(Miss::Condition { condition: condition_text(rule, c), profit, saw });
        }
    }
    let root = egraph[m.root].data.ty.clone();
    match plan(planner, &rule.rhs, &m.bindings, &root) {
        Err(e) => Some(Miss::RightSide(e.to_string())),
        Ok(p) if rule.only_known && p.births() > 0 => Some(Miss::Condition {
            condition: "known".to_owned(),
            profit: true,
            saw: vec![format!("{} nodes of the right side are new", p.births())],
        }),
        Ok(_) => None,
    }
}

/// An argument of a condition with its value.
fn seen(rule: &Rule, facts: Facts<'_>, t: &Term, bindings: &Bindings) -> String {
    let value = facts.term(t, bindings).map_or_else(|| "nothing".to_owned(), |b| bound(facts, &b));
    format!("{} = {value}", term_text(rule, t))
}

fn bound(facts: Facts<'_>, b: &Bound) -> String {
    match b {
        Bound::Operand(id) => {
            let data = &facts.egraph[*id].data;
            let kind = if data.constant { "a constant" } else { "computed at run time" };
            let splat = data.splat.filter(|_| data.constant).map_or_else(String::new, |l| format!(", all {l}"));
            format!("{} ({kind}{splat})", data.ty)
        }
        Bound::Element(l) => l.to_string(),
        Bound::Attr(a) => attr_text(a),
        Bound::Function(f) => f.to_string(),
        Bound::Monoid(m) => m.name().to_owned(),
        Bound::Number(n) => n.to_string(),
        Bound::Word(w) => w.clone(),
        Bound::List(items) => {
            format!("[{}]", items.iter().map(|i| bound(facts, i)).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The rule with one of its last nodes left open, for each of them, and what stands there.
fn relaxations(rule: &Rule) -> Vec<(String, Rule)> {
    let hole = VarId(rule.vars.len() as u16);
    let mut out = Vec::new();
    let mut path = Vec::new();
    last_nodes(&rule.lhs, &mut path, &mut |path, node| {
        let mut open = rule.clone();
        open.vars.push(Var { name: "_".to_owned(), sort: Sort::Operand, list: false });
        put(&mut open.lhs, path, hole);
        out.push((head(&node.head), open));
    });
    out
}

/// Nodes of a pattern without nodes under them, by the operand positions that lead there.
fn last_nodes(n: &NodePat, path: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize], &NodePat)) {
    for (i, a) in n.args.iter().enumerate() {
        let Pat::Node(inner) = a else { continue };
        path.push(i);
        if inner.args.iter().any(|a| matches!(a, Pat::Node(_) | Pat::Each(_))) {
            last_nodes(inner, path, visit);
        } else {
            visit(path, inner);
        }
        path.pop();
    }
}

fn put(n: &mut NodePat, path: &[usize], hole: VarId) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        n.args[*first] = Pat::Var(hole);
    } else if let Pat::Node(inner) = &mut n.args[*first] {
        put(inner, rest, hole);
    }
}

/// A head as a rule writes it.
fn head(h: &HeadPat) -> String {
    match h {
        HeadPat::AnyMap(_) => "map of any function".to_owned(),
        HeadPat::AnyReduce(_) => "reduce of any fold".to_owned(),
        HeadPat::Cast => "map cast".to_owned(),
        HeadPat::Is(Head::Map(f)) => format!("map {f}"),
        HeadPat::Is(Head::Reduce(m)) => format!("reduce {}", m.name()),
        HeadPat::Is(_) => kind_of(h).to_owned(),
    }
}
