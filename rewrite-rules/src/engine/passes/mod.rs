//! Native passes: rewrites whose sides have any number of operands in any order, which no pattern of [`crate::lang`]
//! says. A pass stands in [`PASSES`] beside the text rules, with a name, a numeric class, a phase and its source, and
//! runs under the same discipline: it looks at the clean e-graph once per round, nothing is added before the whole right
//! side has types and fits the budget, and every union is a step of the log that derivations replay.
//!
//! Its finder only proposes pairs of concrete terms. **What makes a proposal true is the pass's law**, a function of the
//! two terms alone that both the applier and the replay of a derivation ask; a finder with a bug costs steps, not truth.

mod factor;
mod merge;
mod sums;
mod term;

use std::collections::BTreeMap;
use std::sync::Arc;

use egg::Id;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::types::{TensorType, Type};
use egret_ir::{Literal, Origins};

use super::apply::{Outcome, RuleRef, Step, Use};
use super::egraph::{EGraph, Ids, add};
use super::matcher::View;
use super::plan::Ref;
use crate::lang::{Numeric, Phase};
pub use term::{Applied, Term, faithful};

/// A pass.
pub struct Pass {
    /// Its name, as a rule's.
    pub name: &'static str,
    /// Its numeric class on floats; on integers all passes are exact.
    pub numeric: Numeric,
    /// Its phase.
    pub phase: Phase,
    /// What it does, with `...` for any number of operands.
    pub text: &'static str,
    /// Why it is true.
    pub cite: &'static str,
    /// Proposals, from a clean e-graph.
    pub find: fn(&Here<'_>) -> Vec<Found>,
    /// Whether two terms are equal by this pass. Asks the e-graph for types and constants of their leaves only.
    pub law: fn(&EGraph, &Term, &Term) -> bool,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pass").field(&self.name).finish()
    }
}

/// Every pass, in the order they are applied.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "equal-sums",
        numeric: Numeric::Reassociates,
        phase: Phase::Algebra,
        text: "(add x y ...) = (add y ... x)",
        cite: "associativity and commutativity of real addition",
        find: sums::equal_sums,
        law: sums::same_sum,
    },
    Pass {
        name: "equal-products",
        numeric: Numeric::Reassociates,
        phase: Phase::Algebra,
        text: "(mul x y ...) = (mul y ... x)",
        cite: "associativity and commutativity of real multiplication",
        find: sums::equal_products,
        law: sums::same_product,
    },
    Pass {
        name: "gather-sum",
        numeric: Numeric::Reassociates,
        phase: Phase::Algebra,
        text: "(add x c y d ...) => (add (add x y ...) (add c d ...))  when const(c), const(d)",
        cite: "associativity and commutativity of real addition",
        find: sums::gather_sums,
        law: sums::same_sum,
    },
    Pass {
        name: "gather-product",
        numeric: Numeric::Reassociates,
        phase: Phase::Algebra,
        text: "(mul x c y d ...) => (mul (mul x y ...) (mul c d ...))  when const(c), const(d)",
        cite: "associativity and commutativity of real multiplication",
        find: sums::gather_products,
        law: sums::same_product,
    },
    Pass {
        name: "like-terms",
        numeric: Numeric::Reassociates,
        phase: Phase::Algebra,
        text: "(add (mul x %a) (mul x %b) ...) => (add (mul x %(a + b)) ...)  if a and b have one sign",
        cite: "distributivity; with one sign an infinite x gives the same infinity",
        find: sums::like_terms,
        law: sums::same_signed_combination,
    },
    Pass {
        name: "cancel-terms",
        numeric: Numeric::Finite,
        phase: Phase::Algebra,
        text: "(add (mul x %a) (mul x %b) ...) => (add (mul x %(a + b)) ...)",
        cite: "distributivity; Inf - Inf = NaN",
        find: sums::cancel_terms,
        law: sums::same_combination,
    },
    Pass {
        name: "factor-sum",
        numeric: Numeric::Finite,
        phase: Phase::Algebra,
        text: "(add (mul p x) (mul p y) ... z) => (add (mul p (add x y ...)) z)",
        cite: "distributivity; Inf*2 - Inf = NaN, Inf*1 = Inf",
        find: factor::factor_sums,
        law: factor::same_polynomial,
    },
    Pass {
        name: "factor-contractions",
        numeric: Numeric::Finite,
        phase: Phase::Algebra,
        text: "(add (contract s a w) (contract s a v) ... z) => (add (contract s a (add w v ...)) z)",
        cite: "bilinearity; Inf*2 - Inf = NaN, Inf*1 = Inf",
        find: factor::factor_contractions,
        law: factor::same_products,
    },
    Pass {
        name: "join-contractions",
        numeric: Numeric::Reassociates,
        phase: Phase::Layout,
        text: "(add (contract s a w) (contract s b v) ... z) => (add (contract s (concat a b ...) (concat w v ...)) z)  when const(w), const(v)",
        cite: "a sum over a joined label is the sum of the sums over its parts (TASO, rule family of concat and matmul)",
        find: factor::join_contractions,
        law: factor::same_products,
    },
    Pass {
        name: "merge-contractions",
        numeric: Numeric::Exact,
        phase: Phase::Layout,
        text: "(contract s x w_i) => (slice_i (contract s x (concat w_0 ... w_k)))  when const(w_i)",
        cite: "result elements of one weight's label do not depend on its other elements (TASO, fig. 2; TVM CombineParallelDense)",
        find: merge::merge_contractions,
        law: merge::same_slice,
    },
    Pass {
        name: "merge-maps",
        numeric: Numeric::Exact,
        phase: Phase::Layout,
        text: "(map f (slice_i x) c_i) => (slice_i (map f x (concat c_0 ... c_k)))",
        cite: "elementwise functions commute with index maps",
        find: merge::merge_maps,
        law: merge::same_slice,
    },
];

/// The pass of that name.
pub fn named(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|p| p.name == name)
}

/// A proposal: the left side stands on e-nodes throughout, the right side may be new.
#[derive(Clone, Debug)]
pub struct Found {
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
}

/// A clean e-graph as finders see it.
pub struct Here<'a> {
    /// The e-graph.
    pub egraph: &'a EGraph,
    view: &'a View,
    /// E-nodes that read a class.
    readers: BTreeMap<Id, Vec<Id>>,
}

impl<'a> Here<'a> {
    /// Of a clean e-graph and its view.
    pub fn new(egraph: &'a EGraph, view: &'a View) -> Self {
        let mut readers: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for (_, nodes) in view.classes() {
            for n in nodes {
                for a in &egraph.nodes()[usize::from(*n)].args {
                    readers.entry(egraph.find(*a)).or_default().push(*n);
                }
            }
        }
        Self { egraph, view, readers }
    }

    /// The class of an id.
    fn class(&self, id: Id) -> Id {
        self.egraph.find(id)
    }

    fn op(&self, node: Id) -> &'a Op {
        self.egraph.analysis.op(self.egraph.nodes()[usize::from(node)].op)
    }

    /// Operand classes of an e-node.
    fn args(&self, node: Id) -> Vec<Id> {
        self.egraph.nodes()[usize::from(node)].args.iter().map(|a| self.class(*a)).collect()
    }

    /// E-nodes of a class, oldest first.
    fn nodes(&self, class: Id) -> &'a [Id] {
        self.view.nodes(class)
    }

    /// E-nodes of a kind, oldest first.
    fn of_kind(&self, kind: &str) -> &'a [Id] {
        self.view.of_kind(kind)
    }

    /// E-nodes that read a class.
    fn readers(&self, class: Id) -> &[Id] {
        self.readers.get(&class).map_or(&[], Vec::as_slice)
    }

    /// What classes are ordered by: their oldest e-node, which later unions seldom change.
    fn age(&self, class: Id) -> Id {
        self.nodes(class).first().copied().unwrap_or(class)
    }

    fn tensor(&self, class: Id) -> Option<&'a TensorType> {
        self.egraph[class].data.ty.as_tensor()
    }

    fn constant(&self, class: Id) -> bool {
        self.egraph[class].data.constant
    }

    fn splat(&self, class: Id) -> Option<Literal> {
        self.egraph[class].data.splat.filter(|_| self.constant(class))
    }

    /// The oldest e-node of a class that maps `f`.
    fn map(&self, class: Id, f: Scalar) -> Option<Id> {
        self.nodes(class).iter().copied().find(|n| *self.op(*n) == Op::Map(f))
    }

    /// The e-node as a term over its operand classes.
    fn term(&self, node: Id) -> Term {
        Term::on(node, self.op(node).clone(), self.args(node).into_iter().map(Term::Leaf).collect())
    }

    /// Classes of tensors that are no constants and have an e-node of a kind that `wanted` takes, each once, oldest
    /// e-node first.
    fn classes_with(&self, kind: &str, wanted: impl Fn(&Op) -> bool) -> Vec<Id> {
        let mut out: Vec<Id> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for n in self.of_kind(kind) {
            let class = self.class(*n);
            if wanted(self.op(*n)) && !self.constant(class) && self.tensor(class).is_some() && seen.insert(class) {
                out.push(class);
            }
        }
        out
    }
}

/// Applies a proposal of the pass of that index: law, dry run, budget, and only then adding and uniting.
pub fn apply_found(
    egraph: &mut EGraph,
    index: usize,
    pass: &Pass,
    found: &Found,
    numeric: Numeric,
    budget: usize,
) -> Outcome {
    let mut uses = Vec::new();
    let Some(root) = found.left.uses(&mut uses) else { return Outcome::Refused };
    if pass.numeric > numeric && !integers(egraph, &found.left) {
        return Outcome::Condition;
    }
    let Ok(plan) = term::plan(egraph, &found.right) else { return Outcome::Refused };
    let (ty, known) = match plan.root {
        Ref::Id(id) => (egraph[id].data.ty.clone(), Some(id)),
        Ref::Item(i) => (plan.items[i].data.ty.clone(), plan.items[i].known),
    };
    if known.is_some_and(|id| egraph.find(id) == egraph.find(root)) {
        return Outcome::Known;
    }
    if ty != egraph[root].data.ty || !(pass.law)(egraph, &found.left, &found.right) {
        return Outcome::Refused;
    }
    let births = plan.births();
    if births > budget {
        return Outcome::Capped;
    }
    let before = egraph.nodes().len();
    let origins = egraph.analysis.origins.get(usize::from(root)).cloned().unwrap_or_default();
    let mut added = Vec::with_capacity(plan.items.len());
    let mut ids: Vec<Id> = Vec::with_capacity(plan.items.len());
    let id_of = |r: &Ref, ids: &[Id]| match r {
        Ref::Id(id) => *id,
        Ref::Item(i) => ids[*i],
    };
    for item in &plan.items {
        let args: Ids = item.args.iter().map(|r| id_of(r, &ids)).collect();
        let made = if item.known.is_some() { Origins::none() } else { origins.clone() };
        let id = add(egraph, &item.op, args.clone(), &made);
        added.push(Use { node: id, args });
        ids.push(id);
    }
    let right = id_of(&plan.root, &ids);
    let born = egraph.nodes().len() - before;
    let made = found.right.made(egraph, &added);
    debug_assert!(made.is_some(), "every node of the right side was added");
    let made = made.map_or_else(|| found.right.clone(), |(term, _)| term);
    let (left_uses, mut of_right) = (uses.len(), Vec::new());
    made.uses(&mut of_right);
    uses.extend(of_right);
    let step = Step {
        rule: RuleRef::Pass(index),
        bindings: Vec::new(),
        chosen: Vec::new(),
        terms: Some(Arc::new([found.left.clone(), made])),
        left: root,
        right,
        uses,
        left_uses,
        parts: Vec::new(),
        root: plan.root,
    };
    egraph.analysis.steps.push(step);
    egraph.union_trusted(root, right, pass.name);
    Outcome::United(born)
}

/// Whether a term computes with integers and booleans throughout.
fn integers(egraph: &EGraph, term: &Term) -> bool {
    match term {
        Term::Leaf(id) => egraph[*id].data.ty.as_tensor().is_some_and(|t| !t.dtype.is_float()),
        Term::Node(n) => n.args.iter().all(|a| integers(egraph, a)) && !matches!(&n.op, Op::Map(Scalar::Cast(_))),
    }
}

/// The tensor type of a term.
fn tensor_of(egraph: &EGraph, term: &Term) -> Option<TensorType> {
    match term {
        Term::Leaf(id) => egraph[*id].data.ty.as_tensor().cloned(),
        Term::Node(n) => {
            let args: Vec<Type> =
                n.args.iter().map(|a| tensor_of(egraph, a).map(Type::Tensor)).collect::<Option<_>>()?;
            let args: Vec<&Type> = args.iter().collect();
            egret_ir::infer::infer(&n.op, &args, &egraph.analysis.tables).ok()?.as_tensor().cloned()
        }
    }
}
