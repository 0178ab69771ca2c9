//! From a class graph to a program: what cannot be compiled is listed, regions are enumerated, kernels chosen, constants
//! evaluated, bodies built. Bodies of branches and loops are planned first, innermost first, each for itself.

mod build;
mod frame;
mod support;

use std::collections::BTreeSet;

use egret_ir::Graph;
use egret_ir::choice::{Candidate, ClassGraph, Table};
use egret_ir::machine::Machine;
use egret_ir::program::Program;

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
    planner.plan(cg, &planner.bodies(cg), false)
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
    let (table, _) = planner.table(cg, &planner.bodies(cg))?;
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

impl Planner<'_> {
    fn cheapest(&self, of: &[ClassGraph], inner: bool) -> Result<Planned, PlanError> {
        let mut best: Option<Planned> = None;
        let mut bodies = Bodies::new();
        for cg in of {
            for (id, body) in self.bodies(cg) {
                bodies.entry(id).or_insert(body);
            }
            let (program, report) = match (self.plan(cg, &bodies, inner), &best) {
                (Ok(planned), _) => planned,
                (Err(e), None) => return Err(e),
                (Err(_), Some(_)) => continue,
            };
            let cost = report.selection.cost;
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                best = Some(Planned { program, cost });
            }
        }
        Ok(best.unwrap_or_else(|| Planned { program: Program::default(), cost: 0 }))
    }

    /// The bodies that any way of any class mentions.
    fn bodies(&self, cg: &ClassGraph) -> Bodies {
        let ways = cg.classes.iter().flat_map(|c| &c.nodes);
        let ids: BTreeSet<_> = ways.flat_map(|n| support::bodies_of(&n.op)).collect();
        let planned = ids.into_iter().filter_map(|id| {
            let body = cg.tables.bodies.get(id.0 as usize)?;
            Some((id, self.cheapest(&(self.choices)(body), true)))
        });
        planned.collect()
    }

    fn table(&self, cg: &ClassGraph, bodies: &Bodies) -> Result<(Table<Payload>, Order), PlanError> {
        let order = support::order(cg, bodies)?;
        let costs: BodyCosts = bodies.iter().filter_map(|(id, b)| Some((*id, b.as_ref().ok()?.cost))).collect();
        let table = candidates(cg, self.machine, &self.options.limits, &order, &costs)?;
        Ok((table, order))
    }

    fn plan(&self, cg: &ClassGraph, bodies: &Bodies, inner: bool) -> Result<(Program, Report), PlanError> {
        let (table, order) = self.table(cg, bodies)?;
        let selection = search::extract(&table)?;
        let program = build::program(cg, &table, &selection, &order.constant, bodies, inner)?;
        program.check().map_err(PlanError::Program)?;
        Ok((program, Report { candidates: table.candidates.len(), selection }))
    }
}
