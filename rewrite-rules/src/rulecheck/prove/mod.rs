//! Proofs of rules: both sides of an instance with unknown extents, one element each as a term over elements of the inputs
//! ([`term`]), brought to a normal form ([`normal`]). Equal forms are equal for all extents and all values.
//!
//! The structure (ranks, permutations, inserted axes, specs, numbers of operands) is drawn; a rule is proved where every
//! structure drawn is, and open where one is not.

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

use super::enumerate::{Extents, draw, text};
use super::instance::{Instance, instance};
use crate::lang::{Numeric, Rule};
pub use normal::Laws;
use term::{Elements, Term};

/// Draws made for a proof at most.
const DRAWS: u64 = 1500;

/// Structures that must be proved, where as many match.
const ENOUGH: usize = 120;

/// What came of proving a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// Every structure drawn, so many of them.
    Proved(usize),
    /// Not for these values, as they would stand after `try`, with both normal forms where there are two.
    Open {
        /// The values.
        values: String,
        /// Both forms.
        forms: String,
    },
    /// Nothing drawn matches.
    NothingDrawn,
}

/// Tries to prove a rule.
pub fn prove(rule: &Rule) -> Proof {
    let laws = if rule.numeric == Numeric::Exact { Laws::Bits } else { Laws::Reals };
    let mut proved = 0;
    for seed in 0..DRAWS {
        if proved >= ENOUGH {
            break;
        }
        let Some(samples) = draw(rule, Extents::Symbols, seed) else { continue };
        let Instance::Matched(m) = instance(rule, &samples, seed) else { continue };
        let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { continue };
        let (a, b) = (form(&m.left, laws), form(right, laws));
        if a.is_none() || a != b {
            return Proof::Open { values: text(rule, &samples), forms: format!("{a:?}\n{b:?}") };
        }
        proved += 1;
    }
    if proved == 0 { Proof::NothingDrawn } else { Proof::Proved(proved) }
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
