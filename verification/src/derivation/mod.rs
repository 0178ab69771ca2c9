//! An independent check of derivations. It knows terms and types ([`egret_ir`]) and nothing of the engine that made them:
//! no pattern, no condition, no e-graph.
//!
//! - [`replay`] repeats every entry in a union-find of its own: types of all terms inferred anew, both sides of a step of
//!   one type and over its leaves alone, operands of a congruence equal by earlier entries, goals reached. Linear in the
//!   size of the derivation.
//! - [`between`] says whether a derivation is about two given graphs.
//! - [`judge`](evaluate::judge) evaluates one step apart, with values of its own for the leaves: is that instance of the
//!   rule true?
//! - [`bisect`](bisect::bisect) evaluates every term once on a model's inputs and names the first step that changes a
//!   value.

pub mod bisect;
pub mod evaluate;

use egret_ir::derivation::{Derivation, Entry, Step, Terms};
use egret_ir::infer::{TypeError, infer};
use egret_ir::op::Op;
use egret_ir::{Graph, Type, ValueId};

pub use bisect::{Bisection, Blame, bisect};
pub use evaluate::{Judgement, judge};

/// What a replay went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Replayed {
    /// Terms typed anew.
    pub terms: usize,
    /// Steps of rules.
    pub steps: usize,
    /// Congruences.
    pub congruences: usize,
    /// Goals reached.
    pub goals: usize,
}

/// What is wrong with a derivation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A term refers to one that is not before it.
    #[error("term %{}: operand %{} is no earlier term", .term.0, .operand.0)]
    Order {
        /// The term.
        term: ValueId,
        /// The operand.
        operand: ValueId,
    },
    /// A term is ill-typed.
    #[error("term %{}: {error}", .term.0)]
    Untyped {
        /// The term.
        term: ValueId,
        /// Why.
        error: TypeError,
    },
    /// A term has another type than is recorded.
    #[error("term %{} is {inferred}, recorded as {recorded}", .term.0)]
    Recorded {
        /// The term.
        term: ValueId,
        /// As recorded.
        recorded: Type,
        /// As inferred.
        inferred: Type,
    },
    /// An entry speaks of a term or reason that does not exist.
    #[error("entry {entry}: there is no {what} {index}")]
    Missing {
        /// The entry.
        entry: usize,
        /// What it speaks of.
        what: &'static str,
        /// Its number.
        index: u32,
    },
    /// The sides of an entry have different types.
    #[error("entry {entry}: the sides are {left} and {right}")]
    Sides {
        /// The entry.
        entry: usize,
        /// Type of one.
        left: Type,
        /// Type of the other.
        right: Type,
    },
    /// A side of a step depends on more than its leaves.
    #[error("entry {entry}: a side reaches %{} which is none of the step's leaves", .term.0)]
    Leaves {
        /// The entry.
        entry: usize,
        /// What it reaches.
        term: ValueId,
    },
    /// Congruent terms with different ops.
    #[error("entry {entry}: congruent terms have different ops")]
    Ops {
        /// The entry.
        entry: usize,
    },
    /// Operands that are not equal by earlier entries.
    #[error("entry {entry}: operands %{} and %{} are not equal yet", .left.0, .right.0)]
    Operands {
        /// The entry.
        entry: usize,
        /// One operand.
        left: ValueId,
        /// The other.
        right: ValueId,
    },
    /// A goal is not reached.
    #[error("`{name}`: %{} and %{} are not equal at the end", .original.0, .chosen.0)]
    Goal {
        /// Its name.
        name: String,
        /// The value as it was.
        original: ValueId,
        /// The term chosen for it.
        chosen: ValueId,
    },
    /// An output of a graph is not what the derivation is about.
    #[error("output `{0}` is not derived")]
    Output(String),
}

/// A union-find over the terms.
struct Sets(Vec<u32>);

impl Sets {
    fn find(&mut self, v: ValueId) -> u32 {
        let mut x = v.0;
        while self.0[x as usize] != x {
            self.0[x as usize] = self.0[self.0[x as usize] as usize];
            x = self.0[x as usize];
        }
        x
    }

    fn equal(&mut self, a: ValueId, b: ValueId) -> bool {
        self.find(a) == self.find(b)
    }

    fn unite(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a as usize] = b;
    }
}

/// Repeats a derivation.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn replay(d: &Derivation) -> Result<Replayed, Fault> {
    let graph = d.terms.graph();
    types(graph)?;
    let mut sets = Sets((0..graph.nodes().len() as u32).collect());
    let mut seen = Replayed { terms: graph.nodes().len(), ..Replayed::default() };
    for (entry, e) in d.entries.iter().enumerate() {
        let (left, right) = e.sides();
        exists(graph, entry, [left, right])?;
        let (a, b) = (graph.ty(left), graph.ty(right));
        if a != b {
            return Err(Fault::Sides { entry, left: a.clone(), right: b.clone() });
        }
        match e {
            Entry::Step(step) => {
                if step.reason as usize >= d.reasons.len() {
                    return Err(Fault::Missing { entry, what: "reason", index: step.reason });
                }
                exists(graph, entry, step.leaves.iter().copied())?;
                cut(graph, entry, step)?;
                seen.steps += 1;
            }
            Entry::Congruence { .. } => {
                let (l, r) = (graph.node(left), graph.node(right));
                if l.op != r.op || l.args.len() != r.args.len() {
                    return Err(Fault::Ops { entry });
                }
                if let Some((x, y)) = l.args.iter().zip(&r.args).find(|(x, y)| !sets.equal(**x, **y)) {
                    return Err(Fault::Operands { entry, left: *x, right: *y });
                }
                seen.congruences += 1;
            }
        }
        sets.unite(left, right);
    }
    for g in &d.goals {
        exists(graph, d.entries.len(), [g.original, g.chosen])?;
        if !sets.equal(g.original, g.chosen) {
            return Err(Fault::Goal { name: g.name.clone(), original: g.original, chosen: g.chosen });
        }
        seen.goals += 1;
    }
    Ok(seen)
}

/// Whether the derivation is about these graphs: each output of `after` is derived from the output of that name of
/// `before`. To be asked of a derivation that was replayed.
///
/// # Errors
/// [`Fault::Output`] for the first output that is not; type faults of the graphs.
pub fn between(d: &Derivation, before: &Graph, after: &Graph) -> Result<(), Fault> {
    let mut terms: Terms = d.terms.clone();
    let untyped = |error| Fault::Untyped { term: ValueId(0), error };
    let inputs = terms.inputs(before);
    let first = terms.graph_terms(before, &inputs).map_err(untyped)?;
    let inputs = terms.inputs(after);
    let last = terms.graph_terms(after, &inputs).map_err(untyped)?;
    let mut sets = Sets((0..terms.graph().nodes().len() as u32).collect());
    for e in &d.entries {
        let (a, b) = e.sides();
        sets.unite(a, b);
    }
    for o in &after.outputs {
        let original = before.outputs.iter().find(|b| b.name == o.name);
        if !original.is_some_and(|b| sets.equal(first[b.value.index()], last[o.value.index()])) {
            return Err(Fault::Output(o.name.to_string()));
        }
    }
    Ok(())
}

/// Infers every type anew.
fn types(graph: &Graph) -> Result<(), Fault> {
    for term in graph.values() {
        let node = graph.node(term);
        if let Some(operand) = node.args.iter().find(|a| **a >= term) {
            return Err(Fault::Order { term, operand: *operand });
        }
        let inferred = if let Op::Input(i) = node.op {
            match graph.inputs.get(i as usize) {
                Some(decl) => decl.ty.clone(),
                None => {
                    return Err(Fault::Untyped { term, error: TypeError::Dangling { kind: "input", index: i } });
                }
            }
        } else {
            let operands: Vec<&Type> = node.args.iter().map(|a| graph.ty(*a)).collect();
            infer(&node.op, &operands, &graph.tables).map_err(|error| Fault::Untyped { term, error })?
        };
        if inferred != node.ty {
            return Err(Fault::Recorded { term, recorded: node.ty.clone(), inferred });
        }
    }
    Ok(())
}

fn exists(graph: &Graph, entry: usize, terms: impl IntoIterator<Item = ValueId>) -> Result<(), Fault> {
    match terms.into_iter().find(|t| t.index() >= graph.nodes().len()) {
        Some(t) => Err(Fault::Missing { entry, what: "term", index: t.0 }),
        None => Ok(()),
    }
}

/// Both sides stand on the leaves, and on constants.
fn cut(graph: &Graph, entry: usize, step: &Step) -> Result<(), Fault> {
    let mut seen = std::collections::HashSet::new();
    let mut stack = vec![step.left, step.right];
    while let Some(t) = stack.pop() {
        if step.leaves.contains(&t) || !seen.insert(t) {
            continue;
        }
        let node = graph.node(t);
        if matches!(node.op, Op::Input(_)) {
            return Err(Fault::Leaves { entry, term: t });
        }
        stack.extend(&node.args);
    }
    Ok(())
}
