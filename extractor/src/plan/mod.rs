//! From a class graph to a program: what cannot be compiled is listed, regions are enumerated, kernels chosen, constants
//! evaluated, bodies built.

mod build;
mod support;

use egret_ir::choice::ClassGraph;
use egret_ir::machine::Machine;
use egret_ir::program::Program;

use crate::error::PlanError;
use crate::kernels::{Limits, candidates};
use crate::search::{self, Selection};

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

/// The cheapest program found for the outputs of a class graph.
///
/// # Errors
/// [`PlanError::Unsupported`] with the complete list of what no kernel computes; a root without finite derivation; a
/// constant whose evaluation traps.
pub fn plan(cg: &ClassGraph, machine: &Machine, options: &Options) -> Result<Program, PlanError> {
    plan_with_report(cg, machine, options).map(|(program, _)| program)
}

/// [`plan`], with what was chosen from what.
pub fn plan_with_report(cg: &ClassGraph, machine: &Machine, options: &Options) -> Result<(Program, Report), PlanError> {
    let order = support::order(cg)?;
    let table = candidates(cg, machine, &options.limits, &order)?;
    let selection = search::extract(&table)?;
    let program = build::program(cg, &table, &selection)?;
    program.check().map_err(PlanError::Program)?;
    Ok((program, Report { candidates: table.candidates.len(), selection }))
}
