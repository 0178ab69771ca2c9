//! Matching patterns in the e-graph, on a snapshot taken after a rebuild. Operands of commutative functions match in both
//! orders; a literal matches any class known to be a splat of just its bits.

use std::collections::{BTreeMap, HashSet};

use egg::Id;
use egret_ir::Literal;
use egret_ir::op::Op;
use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::{Law, Scalar};

use super::apply::Use;
use super::egraph::{EGraph, ENode, Ids};
use crate::lang::bound::{Bindings, Bound};
use crate::lang::{AttrPat, HeadPat, NodePat, Pat, Rule, VarId};

/// The e-graph's nodes by class and by kind, each e-node once, oldest first.
#[derive(Clone, Debug, Default)]
pub struct View {
    classes: BTreeMap<Id, Vec<Id>>,
    kinds: BTreeMap<&'static str, Vec<Id>>,
}

impl View {
    /// Of a clean e-graph.
    pub fn of(egraph: &EGraph) -> Self {
        let mut view = Self::default();
        let mut seen: HashSet<ENode> = HashSet::with_capacity(egraph.nodes().len());
        for (i, node) in egraph.nodes().iter().enumerate() {
            let mut canonical = node.clone();
            for a in &mut canonical.args {
                *a = egraph.find(*a);
            }
            if seen.insert(canonical) {
                let id = Id::from(i);
                view.classes.entry(egraph.find(id)).or_default().push(id);
                view.kinds.entry(egraph.analysis.op(node.op).kind()).or_default().push(id);
            }
        }
        view
    }

    /// E-nodes of a class, oldest first.
    pub fn nodes(&self, class: Id) -> &[Id] {
        self.classes.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Classes with their e-nodes, in order of canonical id.
    pub fn classes(&self) -> impl Iterator<Item = (Id, &[Id])> {
        self.classes.iter().map(|(id, nodes)| (*id, nodes.as_slice()))
    }

    /// E-nodes of a kind, oldest first.
    pub fn of_kind(&self, kind: &str) -> &[Id] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }
}

/// What a pattern position stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// An e-node, and whether its two operands match in swapped order.
    Node(Id, bool),
    /// A class.
    Leaf(Id),
}

impl Choice {
    const fn id(self) -> Id {
        match self {
            Self::Node(id, _) | Self::Leaf(id) => id,
        }
    }
}

/// A match of a left side.
#[derive(Clone, Debug)]
pub struct Match {
    /// The e-node of the left side's root.
    pub root: Id,
    /// Values of the variables.
    pub bindings: Bindings,
    /// Choices in pattern order (parents before operands).
    pub chosen: Vec<Choice>,
}

impl Match {
    /// Whether the matched values are integers and booleans throughout, so that every class of rule is exact.
    pub fn integers(&self, egraph: &EGraph) -> bool {
        self.chosen.iter().all(|c| egraph[c.id()].data.ty.as_tensor().is_some_and(|t| !t.dtype.is_float()))
    }

    /// E-nodes of the left side with the operands the pattern took.
    pub fn uses(&self, rule: &Rule) -> Vec<Use> {
        let mut uses = Vec::new();
        let mut rest = self.chosen.iter();
        node_uses(&rule.lhs, &mut rest, &mut uses);
        uses
    }
}

/// Walks a node pattern along its choices; gives the id of its root.
fn node_uses(n: &NodePat, chosen: &mut std::slice::Iter<'_, Choice>, uses: &mut Vec<Use>) -> Option<Id> {
    let choice = *chosen.next()?;
    let Choice::Node(id, swapped) = choice else { return Some(choice.id()) };
    let mut args = Ids::new();
    let (fixed, rest) = n.split();
    for a in fixed {
        args.push(pat_uses(a, chosen, uses)?);
    }
    if let Some(rest) = rest {
        // The number of remaining operands stands first.
        let Some(Choice::Leaf(count)) = chosen.next() else { return None };
        for _ in 0..usize::from(*count) {
            args.push(pat_uses(rest, chosen, uses)?);
        }
    }
    if swapped {
        args.swap(0, 1);
    }
    uses.push(Use { node: id, args });
    Some(id)
}

fn pat_uses(p: &Pat, chosen: &mut std::slice::Iter<'_, Choice>, uses: &mut Vec<Use>) -> Option<Id> {
    match p {
        Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => chosen.next().map(|c| c.id()),
        Pat::Node(n) => node_uses(n, chosen, uses),
    }
}

#[derive(Clone, Copy)]
struct Goal<'a> {
    pat: &'a Pat,
    class: Id,
    index: Option<usize>,
}

/// Takes an op apart as a head pattern sees it; None where the head differs. Binds head variables.
fn open(head: &HeadPat, op: &Op, bindings: &mut Bindings) -> Option<Vec<Attr>> {
    let (h, mut attrs) = op.split();
    match head {
        HeadPat::Is(wanted) => (h == *wanted).then_some(attrs),
        HeadPat::AnyMap(v) => match h {
            Head::Map(f) => bind(bindings, *v, Bound::Function(f)).then_some(attrs),
            _ => None,
        },
        HeadPat::AnyReduce(v) => match h {
            Head::Reduce(m) => bind(bindings, *v, Bound::Monoid(m)).then_some(attrs),
            _ => None,
        },
        HeadPat::Cast => match h {
            Head::Map(Scalar::Cast(to)) => {
                attrs.push(Attr::DType(to));
                Some(attrs)
            }
            _ => None,
        },
    }
}

fn bind(bindings: &mut Bindings, v: VarId, value: Bound) -> bool {
    match &bindings[v.index()] {
        None => {
            bindings[v.index()] = Some(value);
            true
        }
        Some(known) => *known == value,
    }
}

/// Binds in place `index` of a list variable, or a plain one.
fn bind_at(bindings: &mut Bindings, v: VarId, list: bool, index: Option<usize>, value: Bound) -> bool {
    let Some(i) = index.filter(|_| list) else { return bind(bindings, v, value) };
    let slot = bindings[v.index()].get_or_insert_with(|| Bound::List(Vec::new()));
    let Bound::List(items) = slot else { return false };
    match items.get(i) {
        Some(known) => *known == value,
        None if items.len() == i => {
            items.push(value);
            true
        }
        None => false,
    }
}

/// The kinds a head pattern can stand for.
pub fn kind_of(head: &HeadPat) -> &'static str {
    match head {
        HeadPat::AnyMap(_) | HeadPat::Cast => "map",
        HeadPat::AnyReduce(_) => "reduce",
        HeadPat::Is(h) => match h {
            Head::Input(_) => "input",
            Head::Scalar(_) | Head::Dense(_) => "const",
            Head::Dim => "dim",
            Head::Iota => "iota",
            Head::Permute => "permute",
            Head::Reshape => "reshape",
            Head::Broadcast => "broadcast",
            Head::Slice => "slice",
            Head::Pad => "pad",
            Head::Concat => "concat",
            Head::Gather => "gather",
            Head::Scatter(_) => "scatter",
            Head::Map(_) => "map",
            Head::Reduce(_) => "reduce",
            Head::Contract => "contract",
            Head::ArgSort(_) => "argsort",
            Head::If(..) => "if",
            Head::Loop(_) => "loop",
            Head::Softmax
            | Head::LogSoftmax
            | Head::LayerNorm
            | Head::RmsNorm
            | Head::Gelu(_)
            | Head::Recurrent(_)
            | Head::Resize(_)
            | Head::Det
            | Head::NonMaxSuppression(_) => "call",
            Head::Opaque(_) => "opaque",
            Head::Proj(_) => "proj",
        },
    }
}

/// Finds matches of one rule.
pub struct Matcher<'a> {
    egraph: &'a EGraph,
    view: &'a View,
    rule: &'a Rule,
    limit: usize,
    found: Vec<Match>,
}

/// All matches of a rule's left side, oldest root first, at most `limit`; and whether there were more.
pub fn matches(egraph: &EGraph, view: &View, rule: &Rule, limit: usize) -> (Vec<Match>, bool) {
    let mut m = Matcher { egraph, view, rule, limit, found: Vec::new() };
    for id in view.of_kind(kind_of(&rule.lhs.head)) {
        let empty: Bindings = vec![None; rule.vars.len()];
        m.node(&rule.lhs, *id, None, &empty, &[], &[]);
        if m.found.len() > limit {
            m.found.truncate(limit);
            return (m.found, true);
        }
    }
    (m.found, false)
}

impl<'a> Matcher<'a> {
    /// Matches a node pattern on one e-node, then the remaining goals.
    fn node(
        &mut self,
        n: &'a NodePat,
        id: Id,
        index: Option<usize>,
        bindings: &Bindings,
        chosen: &[Choice],
        goals: &[Goal<'a>],
    ) {
        let enode = &self.egraph.nodes()[usize::from(id)];
        let op = self.egraph.analysis.op(enode.op);
        if op.kind() != kind_of(&n.head) {
            return;
        }
        let count = enode.args.len();
        let (fixed, rest) = n.split();
        let fits = if rest.is_some() { count > fixed.len() } else { count == fixed.len() };
        if !fits {
            return;
        }
        let mut bound = bindings.clone();
        let Some(attrs) = open(&n.head, op, &mut bound) else { return };
        if attrs.len() != n.attrs.len() {
            return;
        }
        for (pat, value) in n.attrs.iter().zip(attrs) {
            let ok = match pat {
                AttrPat::Var(v) => {
                    let list = self.rule.vars[v.index()].list;
                    bind_at(&mut bound, *v, list, index, Bound::Attr(value))
                }
                AttrPat::Value(wanted) => *wanted == value,
                AttrPat::Call(..) => false,
            };
            if !ok {
                return;
            }
        }
        let args: Ids = enode.args.iter().map(|a| self.egraph.find(*a)).collect();
        let commutes = fixed.len() == 2
            && rest.is_none()
            && args[0] != args[1]
            && matches!(op, Op::Map(f) if f.has(Law::Commutative))
            && n.args[0] != n.args[1];
        for swapped in [false, true] {
            if swapped && !commutes {
                break;
            }
            let mut order = args.clone();
            if swapped {
                order.swap(0, 1);
            }
            let mut here = chosen.to_vec();
            here.push(Choice::Node(id, swapped));
            let mut todo = goals.to_vec();
            // Goals are a stack: the last is the next.
            if let Some(rest) = rest {
                let items = order.len() - fixed.len();
                for (i, class) in order.iter().enumerate().skip(fixed.len()).rev() {
                    todo.push(Goal { pat: rest, class: *class, index: Some(i - fixed.len()) });
                }
                // The count is written before the items are, after the plain operands: as a goal of its own.
                todo.push(Goal { pat: &COUNT, class: Id::from(items), index: None });
            }
            for (pat, class) in fixed.iter().zip(&order).rev() {
                todo.push(Goal { pat, class: *class, index });
            }
            self.solve(bound.clone(), here, todo);
        }
    }

    fn solve(&mut self, mut bindings: Bindings, mut chosen: Vec<Choice>, mut goals: Vec<Goal<'a>>) {
        while let Some(goal) = goals.pop() {
            if self.found.len() > self.limit {
                return;
            }
            if std::ptr::eq(goal.pat, &raw const COUNT) {
                chosen.push(Choice::Leaf(goal.class));
                continue;
            }
            match goal.pat {
                Pat::Var(v) => {
                    let var = &self.rule.vars[v.index()];
                    let value = if var.sort == crate::lang::Sort::Splat {
                        match self.splat(goal.class) {
                            Some(l) => Bound::Element(l),
                            None => return,
                        }
                    } else {
                        Bound::Operand(goal.class)
                    };
                    if !bind_at(&mut bindings, *v, var.list, goal.index, value) {
                        return;
                    }
                    chosen.push(Choice::Leaf(goal.class));
                }
                Pat::Number(x) => {
                    let fits = self.splat(goal.class).is_some_and(|l| l == Literal::from_f64(l.dtype(), *x));
                    if !fits {
                        return;
                    }
                    chosen.push(Choice::Leaf(goal.class));
                }
                Pat::Computed(_) | Pat::Each(_) => return,
                Pat::Node(n) => {
                    if goal.index.is_some()
                        && self.rule.splat_lists
                        && let (Some(l), Some(v)) = (self.splat(goal.class), list_operand(n, self.rule))
                    {
                        if !bind_at(&mut bindings, v, true, goal.index, Bound::Element(l)) {
                            return;
                        }
                        chosen.push(Choice::Leaf(goal.class));
                        continue;
                    }
                    for id in self.view.nodes(goal.class) {
                        self.node(n, *id, goal.index, &bindings, &chosen, &goals);
                    }
                    return;
                }
            }
        }
        if lists_agree(&self.rule.groups, &bindings) {
            self.found.push(Match { root: chosen[0].id(), bindings, chosen });
        }
    }

    fn splat(&self, class: Id) -> Option<Literal> {
        let data = &self.egraph[class].data;
        data.splat.filter(|_| data.constant)
    }
}

/// Matches a left side along recorded choices; the bindings, or None where it does not fit. Needs no snapshot.
pub fn rematch(egraph: &EGraph, rule: &Rule, chosen: &[Choice]) -> Option<Bindings> {
    let mut bindings: Bindings = vec![None; rule.vars.len()];
    let mut rest = chosen.iter();
    rematch_node(egraph, rule, &rule.lhs, None, &mut rest, &mut bindings)?;
    rest.next().is_none().then_some(bindings)
}

fn rematch_node(
    egraph: &EGraph,
    rule: &Rule,
    n: &NodePat,
    index: Option<usize>,
    chosen: &mut std::slice::Iter<'_, Choice>,
    bindings: &mut Bindings,
) -> Option<()> {
    let (id, swapped) = match *chosen.next()? {
        Choice::Node(id, swapped) => (id, swapped),
        Choice::Leaf(class) => {
            // A splat in the place of a movement.
            let data = &egraph[class].data;
            let l = data.splat.filter(|_| data.constant && index.is_some() && rule.splat_lists)?;
            return bind_at(bindings, list_operand(n, rule)?, true, index, Bound::Element(l)).then_some(());
        }
    };
    let enode = egraph.nodes().get(usize::from(id))?;
    let op = egraph.analysis.op(enode.op);
    if swapped && !matches!(op, Op::Map(f) if f.has(Law::Commutative)) {
        return None;
    }
    let attrs = open(&n.head, op, bindings)?;
    if attrs.len() != n.attrs.len() {
        return None;
    }
    for (pat, value) in n.attrs.iter().zip(attrs) {
        match pat {
            AttrPat::Var(v) => {
                let list = rule.vars[v.index()].list;
                bind_at(bindings, *v, list, index, Bound::Attr(value)).then_some(())?;
            }
            AttrPat::Value(wanted) => (*wanted == value).then_some(())?,
            AttrPat::Call(..) => return None,
        }
    }
    let (fixed, rest) = n.split();
    for p in fixed {
        rematch_pat(egraph, rule, p, index, chosen, bindings)?;
    }
    if let Some(rest) = rest {
        let Choice::Leaf(count) = *chosen.next()? else { return None };
        if fixed.len() + usize::from(count) != enode.args.len() {
            return None;
        }
        for i in 0..usize::from(count) {
            rematch_pat(egraph, rule, rest, Some(i), chosen, bindings)?;
        }
    }
    Some(())
}

fn rematch_pat(
    egraph: &EGraph,
    rule: &Rule,
    p: &Pat,
    index: Option<usize>,
    chosen: &mut std::slice::Iter<'_, Choice>,
    bindings: &mut Bindings,
) -> Option<()> {
    let splat = |class: Id| egraph[class].data.splat.filter(|_| egraph[class].data.constant);
    match p {
        Pat::Node(n) => rematch_node(egraph, rule, n, index, chosen, bindings),
        Pat::Number(x) => {
            let l = splat(chosen.next()?.id())?;
            (l == Literal::from_f64(l.dtype(), *x)).then_some(())
        }
        Pat::Var(v) => {
            let class = chosen.next()?.id();
            let var = &rule.vars[v.index()];
            let value = if var.sort == crate::lang::Sort::Splat {
                Bound::Element(splat(class)?)
            } else {
                Bound::Operand(class)
            };
            bind_at(bindings, *v, var.list, index, value).then_some(())
        }
        Pat::Computed(_) | Pat::Each(_) => None,
    }
}

/// Marks the place where the number of an ellipsis's operands is written down.
static COUNT: Pat = Pat::Number(f64::MAX);

/// Lists of one ellipsis have one length, and none consists of elements alone.
fn lists_agree(groups: &[Vec<VarId>], bindings: &Bindings) -> bool {
    groups.iter().all(|group| {
        let mut lists = group.iter().filter_map(|v| match &bindings[v.index()] {
            Some(Bound::List(items)) => Some(items),
            _ => None,
        });
        let Some(first) = lists.next() else { return false };
        !first.iter().all(|i| matches!(i, Bound::Element(_))) && lists.all(|l| l.len() == first.len())
    })
}

/// The list variable under a template of one movement.
fn list_operand(n: &NodePat, rule: &Rule) -> Option<VarId> {
    match n.args.as_slice() {
        [Pat::Var(v)] if rule.vars[v.index()].list => Some(*v),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_one_ellipsis_have_one_length() {
        let list = |n: usize| Some(Bound::List(vec![Bound::Number(1); n]));
        let together = [vec![VarId(0), VarId(1)]];
        assert!(lists_agree(&together, &vec![list(2), list(2), None]));
        assert!(!lists_agree(&together, &vec![list(2), list(3)]));
        assert!(lists_agree(&[vec![VarId(0)], vec![VarId(1)]], &vec![list(2), list(3)]));
        let elements = vec![Some(Bound::List(vec![Bound::Element(Literal::f32(1.0))]))];
        assert!(!lists_agree(&[vec![VarId(0)]], &elements));
    }
}
