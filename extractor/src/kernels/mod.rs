//! Which regions of a class graph may be one kernel. Every way of every class is combined, operand by operand, with
//! "read a buffer" or "compute it inside"; per class a bounded set of regions is kept, ranked by cost flow as in cut
//! enumeration for technology mapping (see [`crate::search`]), and never without the way the model was written.
//!
//! What regions are legal is in [`compose`]: one anchor (a contraction, a fold) with movement before it and elementwise work
//! after it; rows of folds and maps; or elementwise work alone. A region computes inside only classes of lower rank, so it
//! is acyclic.

mod compose;
mod region;
mod table;
mod view;

pub(crate) use region::Member;
pub(crate) use table::{BodyCosts, Order, Payload, candidates, is_generator};

/// Bounds of the enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Regions kept per class.
    pub per_class: usize,
    /// Nodes of a region.
    pub nodes: usize,
    /// Buffers a region reads, unless a single node reads more.
    pub inputs: usize,
    /// Combinations tried per way.
    pub combinations: usize,
    /// Results given out beside the root.
    pub extra_outputs: usize,
    /// Whether kernels compute more than one node, broadcasts and numbers aside.
    pub fuse: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_class: 12, nodes: 48, inputs: 12, combinations: 64, extra_outputs: 3, fuse: true }
    }
}
