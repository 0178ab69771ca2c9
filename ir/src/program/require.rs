//! What the values of symbols must fulfil beyond their bounds, so that a graph is well-formed at them. Type inference
//! leaves open what it cannot decide about unknown extents; whoever runs a graph at given values decides it.

use std::collections::BTreeSet;

use super::visit_type;
use crate::dim::{self, Dim};
use crate::graph::Graph;
use crate::op::Op;

/// A condition on extents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirement {
    /// Every division in it is exact, nothing overflows, and the value is from 0 up.
    Extent(Dim),
    /// Both are the same number.
    Equal(Dim, Dim),
    /// The first is at most the second.
    AtMost(Dim, Dim),
    /// Elements `start + step·i` for `i < len` lie inside an axis.
    Inside {
        /// First position.
        start: Dim,
        /// Step.
        step: i64,
        /// Number of elements.
        len: Dim,
        /// Extent of the axis.
        extent: Dim,
    },
}

impl Requirement {
    /// The expressions in it.
    pub fn dims(&self) -> Vec<&Dim> {
        match self {
            Self::Extent(d) => vec![d],
            Self::Equal(a, b) | Self::AtMost(a, b) => vec![a, b],
            Self::Inside { start, len, extent, .. } => vec![start, len, extent],
        }
    }

    /// Whether it is about numbers alone, which type inference has looked at.
    fn decided(&self) -> bool {
        self.dims().iter().all(|d| d.as_const().is_some())
    }
}

impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Extent(d) => write!(f, "{d} must be an extent"),
            Self::Equal(a, b) => write!(f, "{a} must equal {b}"),
            Self::AtMost(a, b) => write!(f, "{a} must be at most {b}"),
            Self::Inside { start, step, len, extent } => {
                write!(f, "{len} elements from {start} in steps of {step} must lie inside {extent}")
            }
        }
    }
}

/// The requirements of a graph, each once, in a fixed order.
pub fn requirements(graph: &Graph) -> Vec<Requirement> {
    let mut out = BTreeSet::new();
    for node in graph.nodes() {
        visit_type(&node.ty, &mut |d| {
            out.insert(Requirement::Extent(d.clone()));
        });
        let operand = |i: usize| node.args.get(i).and_then(|a| graph.ty(*a).as_tensor());
        match &node.op {
            Op::Reshape(to) => {
                if let Some(from) = operand(0) {
                    let (from, to) = (dim::count(&from.shape), dim::count(to));
                    if from != to {
                        out.insert(Requirement::Equal(from, to));
                    }
                }
            }
            Op::Slice(axes) => {
                for (a, extent) in axes.iter().zip(operand(0).map_or(&[][..], |t| &t.shape)) {
                    let (start, step, len, extent) = (a.start.clone(), a.step, a.len.clone(), extent.clone());
                    if !(start == Dim::ZERO && step == 1 && len == extent) {
                        out.insert(Requirement::Inside { start, step, len, extent });
                    }
                }
            }
            Op::Pad(axes) => {
                out.extend(axes.iter().flat_map(|a| [&a.lo, &a.hi]).map(|d| Requirement::Extent(d.clone())));
            }
            Op::ArgSort { axis, keep, .. } => {
                if let Some(extent) = operand(0).and_then(|t| t.shape.get(usize::from(*axis)))
                    && keep != extent
                {
                    out.insert(Requirement::AtMost(keep.clone(), extent.clone()));
                }
            }
            // Extents that label an axis are those of operands; what is windowed is skipped where it lies outside.
            Op::Contract { .. } | Op::Reduce { .. } => {
                node.op.each_dim(&mut |d| {
                    out.insert(Requirement::Extent(d.clone()));
                });
            }
            Op::Input(_)
            | Op::Const(_)
            | Op::Dim(_)
            | Op::Iota { .. }
            | Op::Permute(_)
            | Op::Broadcast(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_)
            | Op::Proj(_) => {}
        }
    }
    out.into_iter().filter(|r| !r.decided()).collect()
}
