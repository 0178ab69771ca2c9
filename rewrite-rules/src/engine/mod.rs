//! The e-graph, matching, the one applier, saturation, derivations, and the frozen result.

pub mod apply;
pub mod derive;
pub mod egraph;
pub mod freeze;
pub mod matcher;
pub mod passes;
pub mod plan;
pub mod rounds;
pub mod saturate;
