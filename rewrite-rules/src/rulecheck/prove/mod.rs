//! Proofs of rules: both sides of an instance with unknown extents, one element each as a term over elements of the inputs
//! ([`term`]), brought to a normal form ([`normal`]). Equal forms are equal for all extents and all values.
//!
//! The structure (ranks, permutations, inserted axes, specs, numbers of operands, functions, folds, element types) is made:
//! every one of rank 0, 1, … that [`Structures`] bounds, as far up as they are few, and drawn ones of all ranks beyond. A
//! rule is proved where every structure is, and open where one is not. Where forms differ, a solver may be asked
//! ([`super::smt`]).

pub mod index;
mod names;
pub mod normal;
mod poly;
pub mod term;

use egret_ir::defs;
use egret_ir::graph::{Graph, Node, ValueId};
use egret_ir::infer::TypeError;
use egret_ir::op::Op;
use egret_ir::{Dim, Type};

use super::compare::loose_zero;
use super::enumerate::{Extents, MAX_RANK, Structures, draw};
use super::instance::{Instance, instance};
use super::smt::{Answer, Answered, Asked, Oracle, Questions, Setting, question};
use crate::lang::{Numeric, Rule, Sample, Samples};
pub use normal::Laws;
pub(super) use poly::rational;
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
    /// What a solver was asked about those without one normal form.
    pub smt: Option<Asked>,
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
        /// What became of the questions of those that have one.
        smt: SmtNote,
    },
    /// Nothing drawn matches.
    NothingDrawn,
}

/// Why a solver did not prove a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtNote {
    /// Some structure has no encoding.
    #[default]
    None,
    /// Nobody was asked: with a solver the rule may be proved.
    Unasked,
    /// The solver gave up.
    Unknown,
    /// It found values where the sides differ, as far as its question tells.
    Values(String),
}

/// The work of a proof.
struct Prover<'a> {
    rule: &'a Rule,
    laws: Laws,
    proved: usize,
    /// Structures without one normal form, the first ones.
    open: Vec<Samples>,
    /// How many of them have no question, either.
    closed: usize,
    /// How many have one.
    asked: usize,
    questions: Questions,
    forms: String,
}

impl<'a> Prover<'a> {
    /// Makes and draws structures; with the rank up to which they are all there are.
    fn work(rule: &'a Rule) -> (Self, Option<usize>) {
        let laws = if rule.numeric == Numeric::Exact { Laws::Bits } else { Laws::Reals };
        let mut prover = Self {
            rule,
            laws,
            proved: 0,
            open: Vec::new(),
            closed: 0,
            asked: 0,
            questions: Questions::default(),
            forms: String::new(),
        };
        let rank = prover.each();
        if rank < Some(MAX_RANK) {
            prover.drawn();
        }
        (prover, rank)
    }

    /// Compares the normal forms at a structure; false where the rule does not fire there.
    fn one(&mut self, samples: Samples, seed: u64) -> bool {
        let Instance::Matched(m) = instance(self.rule, &samples, seed) else { return false };
        let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { return false };
        let sides = Sides::of(&m.left, right);
        let form = |t: Option<&Term>| t.and_then(|t| self.laws.normal(t));
        let (a, b) = (form(sides.as_ref().map(|s| &s.terms.0)), form(sides.as_ref().map(|s| &s.terms.1)));
        if a.is_some() && a == b {
            self.proved += 1;
            return true;
        }
        if self.open.is_empty() {
            self.forms = format!("{a:?}\n{b:?}");
        }
        match self.question(&samples, sides, seed).and_then(|q| self.questions.place(q)) {
            Some(_) => self.asked += 1,
            None => self.closed += 1,
        }
        if self.open.len() < MOST_OPEN {
            self.open.push(samples);
        }
        true
    }

    /// What a solver is asked about a structure. Constants are numbers there; where no condition for truth asks for them, their
    /// elements may be any, and elsewhere there is no question.
    fn question(&self, samples: &Samples, sides: Option<Sides>, seed: u64) -> Option<String> {
        let Some(any) = without_constants(samples) else { return sides?.question(self.laws) };
        let Instance::Matched(m) = instance(self.rule, &any, seed) else { return None };
        let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { return None };
        Sides::of(&m.left, right)?.question(self.laws)
    }

    /// Makes structures in turn, rank by rank, and says up to which rank they were all made.
    fn each(&mut self) -> Option<usize> {
        let (mut left, mut complete) = (EACH, None);
        for rank in 0..=MAX_RANK {
            for samples in Structures::new(self.rule, rank) {
                if left == 0 || self.closed >= MOST_OPEN {
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
            if matched >= ENOUGH || self.closed >= MOST_OPEN {
                return;
            }
            if let Some(samples) = draw(self.rule, Extents::Symbols, seed) {
                matched += usize::from(self.one(samples, seed));
            }
        }
    }
}

/// Tries to prove a rule, by normal forms alone where the oracle has neither a solver nor answers.
pub fn prove(rule: &Rule, oracle: &Oracle) -> Proof {
    let (prover, rank) = Prover::work(rule);
    let Prover { proved, open, closed, asked, questions, forms, .. } = prover;
    let note = match (closed, asked) {
        (0, 0) if proved == 0 => return Proof::NothingDrawn,
        (0, 0) => return Proof::Proved(Structural { structures: proved, rank, smt: None }),
        (0, _) => match oracle.answer(&questions) {
            Answered::Proved(smt) => {
                return Proof::Proved(Structural { structures: proved + asked, rank, smt: Some(smt) });
            }
            Answered::Open { answer: None } => SmtNote::Unasked,
            Answered::Open { answer: Some(Answer::Sat(model)) } => SmtNote::Values(model),
            Answered::Open { answer: Some(Answer::Unknown | Answer::Unsat) } => SmtNote::Unknown,
        },
        _ => SmtNote::None,
    };
    Proof::Open { values: open, forms, smt: note }
}

/// What a solver is asked about a rule, where all its structures without one normal form have an encoding.
pub fn questions(rule: &Rule) -> Option<Questions> {
    let (prover, _) = Prover::work(rule);
    (prover.closed == 0).then_some(prover.questions)
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

/// What a solver is asked about the first results of two graphs over the same inputs; None where some part has no encoding.
pub fn question_of(left: &Graph, right: &Graph, laws: Laws) -> Option<String> {
    Sides::of(left, right)?.question(laws)
}

/// The values with inputs in the place of constants; None where there are no constants.
fn without_constants(samples: &Samples) -> Option<Samples> {
    fn open(s: &Sample, found: &mut bool) -> Sample {
        match s {
            Sample::Constant(ty) => {
                *found = true;
                Sample::Input(ty.clone())
            }
            Sample::Values(t) => {
                *found = true;
                Sample::Input(Type::fixed(t.dtype(), t.shape()))
            }
            Sample::List(items) => Sample::List(items.iter().map(|i| open(i, found)).collect()),
            Sample::Input(_) | Sample::Attr(_) | Sample::Function(_) | Sample::Monoid(_) | Sample::Element(_) => {
                s.clone()
            }
        }
    }
    let mut found = false;
    let any = samples.iter().map(|s| open(s, &mut found)).collect();
    found.then_some(any)
}

/// One element of either side, and what a question about them must know.
struct Sides {
    terms: (Term, Term),
    /// The left side with composites written out.
    left: Graph,
    scope: index::Scope,
    moves: bool,
    loose_zero: bool,
}

impl Sides {
    fn of(left: &Graph, right: &Graph) -> Option<Self> {
        let (left, right) = (written_out(left).ok()?, written_out(right).ok()?);
        let mut elements = Elements::new(&left);
        let a = elements.result()?;
        let scope = std::mem::take(&mut elements.scope);
        let b = Elements::new(&right).result()?;
        let moves = moves(&left) || moves(&right);
        let loose_zero = loose_zero(&left) || loose_zero(&right);
        Some(Self { terms: (a, b), left, scope, moves, loose_zero })
    }

    fn question(&self, laws: Laws) -> Option<String> {
        let shapes = self.left.nodes().iter().filter_map(|n| n.ty.as_tensor()).flat_map(|t| t.shape.clone());
        let mut extents: Vec<Dim> = shapes.filter(|d| d.as_const().is_none()).collect();
        extents.sort();
        extents.dedup();
        let setting = Setting { laws, loose_zero: self.loose_zero, moves: self.moves, scope: &self.scope, extents };
        question(&self.terms.0, &self.terms.1, &setting)
    }
}

/// Whether some element of a value is not at its own place of the result.
fn moves(graph: &Graph) -> bool {
    graph.nodes().iter().any(|n| match &n.op {
        Op::Input(_) | Op::Const(_) | Op::Map(_) => false,
        Op::Broadcast(_) => !n.args.iter().all(|a| matches!(graph.node(*a).op, Op::Const(_))),
        _ => true,
    })
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
