//! Proofs of rules: both sides of an instance with unknown extents, one element each as a term over elements of the inputs
//! ([`term`]), brought to a normal form ([`normal`]). Equal forms are equal for all extents and all values.
//!
//! The structure (ranks, permutations, inserted axes, specs, numbers of operands, functions, folds, element types) is made:
//! every one of rank 0, 1, … that [`Structures`] bounds, as far up as they are few, and drawn ones of all ranks beyond. A
//! rule is proved where every structure is, and open where one is not.

pub mod index;
mod names;
pub mod normal;
mod poly;
pub mod term;

use egret_ir::Dim;
use egret_ir::defs;
use egret_ir::graph::{Graph, Node, ValueId};
use egret_ir::infer::TypeError;
use egret_ir::op::Op;

use super::enumerate::{Extents, MAX_RANK, Structures, draw};
use super::instance::{Instance, instance};
use crate::lang::{Numeric, Rule, Samples};
pub use normal::Laws;
use term::{Elements, Term};

/// Draws made for a proof at most, where not all structures are made.
const DRAWS: u64 = 1500;

/// Drawn structures that must be proved, where as many match.
const ENOUGH: usize = 120;

/// Structures made in turn at most.
const EACH: usize = 2500;

/// Structures without one normal form that are gathered at most.
const MOST_OPEN: usize = 32;

/// Proved structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Structural {
    /// How many.
    pub structures: usize,
    /// Every structure of up to this rank is among them; None: not even of rank 0.
    pub rank: Option<usize>,
}

/// What came of proving a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// Every structure made and drawn.
    Proved(Structural),
    /// Not everywhere.
    Open {
        /// Structures without one normal form, [`MOST_OPEN`] at most.
        values: Vec<Samples>,
        /// Both normal forms at the first one, where there are two.
        forms: String,
    },
    /// Nothing drawn matches.
    NothingDrawn,
}

/// The work of a proof.
struct Prover<'a> {
    rule: &'a Rule,
    laws: Laws,
    proved: usize,
    open: Vec<Samples>,
    forms: String,
}

impl Prover<'_> {
    /// Compares the normal forms at a structure; false where the rule does not fire there.
    fn one(&mut self, samples: Samples, seed: u64) -> bool {
        let Instance::Matched(m) = instance(self.rule, &samples, seed) else { return false };
        let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { return false };
        let (a, b) = (form(&m.left, self.laws), form(right, self.laws));
        if a.is_some() && a == b {
            self.proved += 1;
        } else {
            if self.open.is_empty() {
                self.forms = format!("{a:?}\n{b:?}");
            }
            self.open.push(samples);
        }
        true
    }

    /// Makes structures in turn, rank by rank, and says up to which rank they were all made.
    fn each(&mut self) -> Option<usize> {
        let (mut left, mut complete) = (EACH, None);
        for rank in 0..=MAX_RANK {
            for samples in Structures::new(self.rule, rank) {
                if left == 0 || self.open.len() >= MOST_OPEN {
                    return complete;
                }
                left -= 1;
                if let Some(samples) = samples {
                    self.one(samples, 0);
                }
            }
            complete = Some(rank);
        }
        complete
    }

    /// Draws structures of all ranks.
    fn drawn(&mut self) {
        let mut matched = 0;
        for seed in 0..DRAWS {
            if matched >= ENOUGH || self.open.len() >= MOST_OPEN {
                return;
            }
            if let Some(samples) = draw(self.rule, Extents::Symbols, seed) {
                matched += usize::from(self.one(samples, seed));
            }
        }
    }
}

/// Tries to prove a rule.
pub fn prove(rule: &Rule) -> Proof {
    let laws = if rule.numeric == Numeric::Exact { Laws::Bits } else { Laws::Reals };
    let mut prover = Prover { rule, laws, proved: 0, open: Vec::new(), forms: String::new() };
    let rank = prover.each();
    if rank < Some(MAX_RANK) {
        prover.drawn();
    }
    let Prover { proved, open, forms, .. } = prover;
    match (open.is_empty(), proved) {
        (false, _) => Proof::Open { values: open, forms },
        (true, 0) => Proof::NothingDrawn,
        (true, structures) => Proof::Proved(Structural { structures, rank }),
    }
}

/// Whether result `output` of two graphs over the same inputs has one normal form in every cell. `parts` are the extents
/// that each axis is the sum of: a cell is one part of every axis.
pub fn same_element(a: &Graph, b: &Graph, output: usize, parts: &[Vec<Dim>], laws: Laws) -> bool {
    let (Ok(a), Ok(b)) = (written_out(a), written_out(b)) else { return false };
    let cells: usize = parts.iter().map(Vec::len).product();
    (0..cells).all(|cell| {
        let place = |elements: &mut Elements<'_>, mut cell: usize| -> Vec<Dim> {
            let mut at = Vec::new();
            for axis in parts {
                let part = cell % axis.len();
                cell /= axis.len();
                let start = axis[..part].iter().fold(Dim::ZERO, |sum, d| sum + d.clone());
                at.push(start + elements.scope.var(&axis[part]));
            }
            at
        };
        let form = |g: &Graph| {
            let mut elements = Elements::new(g);
            let at = place(&mut elements, cell);
            laws.normal(&elements.element(g.outputs.get(output)?.value, &at)?)
        };
        let (x, y) = (form(&a), form(&b));
        x.is_some() && x == y
    })
}

/// The normal form of one element of a graph's result.
fn form(graph: &Graph, laws: Laws) -> Option<Term> {
    let graph = written_out(graph).ok()?;
    laws.normal(&Elements::new(&graph).result()?)
}

/// The graph with composites written out by their definitions.
fn written_out(graph: &Graph) -> Result<Graph, TypeError> {
    let mut out = Graph::new(&graph.name);
    out.tables = graph.tables.clone();
    out.inputs.clone_from(&graph.inputs);
    let mut map: Vec<ValueId> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let args: Vec<ValueId> = node.args.iter().map(|a| map[a.index()]).collect();
        map.push(match &node.op {
            Op::Call(call) if defs::has_body(call) => {
                let types: Vec<_> = args.iter().map(|a| out.ty(*a).clone()).collect();
                let body = defs::body(call, &types)?;
                let mut inner: Vec<ValueId> = Vec::with_capacity(body.nodes().len());
                for n in body.nodes() {
                    let operands: Vec<ValueId> = n.args.iter().map(|a| inner[a.index()]).collect();
                    inner.push(match &n.op {
                        Op::Input(i) => args[*i as usize],
                        op => out.add(op.clone(), &operands, node.origins.clone())?,
                    });
                }
                inner[body.outputs[0].value.index()]
            }
            _ => out.push(Node { args: args.into(), ..node.clone() }),
        });
    }
    for o in &graph.outputs {
        out.output(&o.name, map[o.value.index()]);
    }
    Ok(out)
}
