//! Rewrite rules as data, and equality saturation over them.
//!
//! Rules stand in `rules/*.rules`, one a line with its numeric class, its reason and values to try it on under it.
//! [`RuleSet::builtin`] loads them, [`saturate`] finds all graphs they make equal to a given one, [`Log`] says why, and
//! [`rulecheck`] holds every rule against the interpreter.
//!
//! What is always true: a rule adds nothing before the whole right side has types and fits its budget; classes of
//! different types are never united; budgets count e-nodes, so a run is the same every time.

pub mod egg_import;
pub mod engine;
pub mod lang;
pub mod rulecheck;
pub mod taso;

pub use engine::derive::{Derivation, Log, ReplayError};
pub use engine::regions::{Instance, RegionSaturated, Source, saturate_regions};
pub use engine::rounds::{Birth, RoundStats};
pub use engine::saturate::{Config, PhasePlan, PhaseStats, RuleStats, Saturated, saturate};
pub use lang::error::LoadError;
pub use lang::{Numeric, Phase, Rule, RuleSet, Vocabulary};
