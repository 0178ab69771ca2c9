//! The e-graph, matching, the one applier, saturation, derivations, and the frozen result.

pub mod apply;
pub mod derive;
pub mod egraph;
pub mod evidence;
pub mod freeze;
pub mod matcher;
pub mod near;
pub mod passes;
pub mod plan;
pub mod readback;
pub mod regions;
pub mod rounds;
pub mod saturate;
