//! Choosing: from tables of candidates over classes of equal values to the cheapest acyclic selection found, and from a
//! class graph to a program of fused kernels.
//!
//! Read in this order: [`search`] (the extractors, one table with claims), [`machines`] and [`cost`] (what a kernel costs
//! on a described machine), [`kernels`] (which regions of a class graph may be one kernel), [`mod@plan`] (all of it together),
//! [`run`] (a program evaluated kernel by kernel).

pub mod cost;
pub mod error;
pub mod kernels;
pub mod machines;
pub mod plan;
pub mod run;
pub mod search;

pub use error::{PlanError, Unsupported};
pub use machines::{MachineError, detect};
pub use plan::{Options, plan};
pub use run::run_program;
pub use search::{EXTRACTORS, ExtractError, Extractor, Selection, extract, select, validate};
