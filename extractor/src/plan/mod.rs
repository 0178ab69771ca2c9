//! From a class graph to a program: what cannot be compiled is listed, regions are enumerated, kernels chosen, constants
//! evaluated, bodies built. Bodies of branches and loops are planned first, innermost first, each for itself.

mod build;
mod frame;
mod support;

use std::borrow::Cow;
use std::collections::BTreeSet;

use egret_ir::Graph;
use egret_ir::choice::{Candidate, ClassGraph, Table};
use egret_ir::machine::Machine;
use egret_ir::program::Program;
use rayon::prelude::*;

use crate::error::PlanError;
use crate::kernels::{BodyCosts, Limits, Order, Payload, candidates};
use crate::search::{self, Selection};
use support::Bodies;

/// How to plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Bounds of the enumeration of kernels.
    pub limits: Limits,
}

/// What was chosen, for reports.
#[derive(Clone, Debug)]
pub struct Report {
    /// Kernel candidates looked at.
    pub candidates: usize,
    /// The selection.
    pub selection: Selection,
}

/// A program and its predicted time in picoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub program: Program,
    pub cost: u64,
}

/// The class graphs among which the program of a body is chosen.
pub type Choices<'a> = &'a dyn Fn(&Graph) -> Vec<ClassGraph>;

/// A body as it is.
fn as_is(body: &Graph) -> Vec<ClassGraph> {
    vec![ClassGraph::from_graph(body).0]
}

/// The cheapest program found for the outputs of a class graph; bodies of branches and loops are taken as they are.
///
/// # Errors
/// [`PlanError::Unsupported`] with the complete list of what no kernel computes; a root without finite derivation; a
/// constant whose evaluation traps.
pub fn plan(cg: &ClassGraph, machine: &Machine, options: &Options) -> Result<Program, PlanError> {
    plan_with_report(cg, machine, options).map(|(program, _)| program)
}

/// [`plan`], with what was chosen from what.
pub fn plan_with_report(cg: &ClassGraph, machine: &Machine, options: &Options) -> Result<(Program, Report), PlanError> {
    let planner = Planner { machine, options, choices: &as_is };
    let mut bodies = Bodies::new();
    planner.add_bodies(cg, &mut bodies);
    let choice = choose(cg, machine, options, &bodies, search::extract)?;
    let program = choice.build(&bodies, false)?;
    Ok((program, Report { candidates: choice.table.candidates.len(), selection: choice.selection }))
}

/// The cheapest program for any of these class graphs of one model, so that rules never make a program worse than none.
/// The first decides what is unsupported. Bodies of branches and loops are chosen in the same way from `choices`.
///
/// # Errors
/// As [`plan`].
pub fn cheapest(
    of: &[ClassGraph],
    machine: &Machine,
    options: &Options,
    choices: Choices<'_>,
) -> Result<Program, PlanError> {
    Planner { machine, options, choices }.cheapest(of, false).map(|planned| planned.program)
}

/// What [`plan`] chooses from: every candidate by the name of its sort (`input`, `constant`, `kernel`, `control`), for those
/// who compare extractors. Bodies of branches and loops are taken as they are.
///
/// # Errors
/// As [`plan`].
pub fn table(cg: &ClassGraph, machine: &Machine, options: &Options) -> Result<Table<&'static str>, PlanError> {
    let planner = Planner { machine, options, choices: &as_is };
    let mut bodies = Bodies::new();
    planner.add_bodies(cg, &mut bodies);
    let (table, _) = kernels(&cg.narrowed(), machine, options, &bodies)?;
    let named = |c: Candidate<Payload>| Candidate {
        payload: match c.payload {
            Payload::Input => "input",
            Payload::Constant => "constant",
            Payload::Kernel(_) => "kernel",
            Payload::Control(..) => "control",
        },
        outputs: c.outputs,
        inputs: c.inputs,
        cost: c.cost,
    };
    let candidates = table.candidates.into_iter().map(named).collect();
    Ok(Table { classes: table.classes, roots: table.roots, candidates })
}

struct Planner<'a> {
    machine: &'a Machine,
    options: &'a Options,
    choices: Choices<'a>,
}

/// An extractor of kernels.
type Extract = fn(&Table<Payload>) -> Result<Selection, search::ExtractError>;

/// What was chosen from one class graph.
struct Choice<'a> {
    cg: Cow<'a, ClassGraph>,
    table: Table<Payload>,
    selection: Selection,
    constant: Vec<bool>,
}

impl Choice<'_> {
    /// The program, its constants evaluated.
    fn build(&self, bodies: &Bodies, inner: bool) -> Result<Program, PlanError> {
        let Choice { cg, table, selection, constant } = self;
        let program = build::program(cg, table, selection, constant, bodies, inner)?;
        program.check().map_err(PlanError::Program)?;
        Ok(program)
    }
}

impl Planner<'_> {
    fn cheapest(&self, of: &[ClassGraph], inner: bool) -> Result<Planned, PlanError> {
        let mut bodies = Bodies::new();
        for cg in of {
            self.add_bodies(cg, &mut bodies);
        }
        let (machine, options) = (self.machine, self.options);
        let chosen: Vec<Result<Choice<'_>, PlanError>> =
            of.par_iter().map(|cg| choose(cg, machine, options, &bodies, search::select)).collect();
        let mut found: Vec<Choice<'_>> = Vec::new();
        for choice in chosen {
            match choice {
                Ok(choice) => found.push(choice),
                Err(e) if found.is_empty() => return Err(e),
                Err(_) => {}
            }
        }
        // Constants are evaluated for the program that is taken, not for every one that might be.
        found.sort_by_key(|c| c.selection.cost);
        let mut first_error = None;
        for choice in &found {
            match choice.build(&bodies, inner) {
                Ok(program) => return Ok(Planned { program, cost: choice.selection.cost }),
                Err(e) => first_error = first_error.or(Some(e)),
            }
        }
        first_error.map_or_else(|| Ok(Planned { program: Program::default(), cost: 0 }), Err)
    }

    /// Plans the bodies that any way of any class mentions, where they are not there yet.
    fn add_bodies(&self, cg: &ClassGraph, bodies: &mut Bodies) {
        let ways = cg.classes.iter().flat_map(|c| &c.nodes);
        let ids: BTreeSet<_> = ways.flat_map(|n| support::bodies_of(&n.op)).collect();
        for id in ids {
            if let Some(body) = cg.tables.bodies.get(id.0 as usize) {
                bodies.entry(id).or_insert_with(|| self.cheapest(&(self.choices)(body), true));
            }
        }
    }
}

/// All candidates, with what is known of the classes.
fn kernels(
    cg: &ClassGraph,
    machine: &Machine,
    options: &Options,
    bodies: &Bodies,
) -> Result<(Table<Payload>, Order), PlanError> {
    let order = support::order(cg, bodies)?;
    let costs: BodyCosts = bodies.iter().filter_map(|(id, b)| Some((*id, b.as_ref().ok()?.cost))).collect();
    let table = candidates(cg, machine, &options.limits, &order, &costs)?;
    Ok((table, order))
}

fn choose<'g>(
    cg: &'g ClassGraph,
    machine: &Machine,
    options: &Options,
    bodies: &Bodies,
    extract: Extract,
) -> Result<Choice<'g>, PlanError> {
    let cg = cg.narrowed();
    let (table, order) = kernels(&cg, machine, options, bodies)?;
    let selection = extract(&table)?;
    Ok(Choice { cg, table, selection, constant: order.constant })
}
