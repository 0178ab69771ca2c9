//! Operators that a program adds: what the reader makes of nodes that it would else keep without knowing anything of them.
//!
//! They go by domain and name, through bodies and functions as well, and are looked up after the operators of this crate
//! ([`crate::ops`]), which cannot be replaced.

use std::fmt;

use egret_ir::Type;

use crate::inline::canonical_domain;
use crate::lower::{Fail, Lower, Results};
use crate::proto::NodeProto;

/// An operator of a domain of one's own.
pub struct ForeignOp {
    /// Its domain.
    pub domain: &'static str,
    /// Its name.
    pub op_type: &'static str,
    /// What becomes of its nodes.
    pub reading: Reading,
}

/// Types of all results of a node, in their order, from its attributes ([`crate::node`]) and the types of its operands.
/// Extents may be expressions over symbols. `Err` says in words what is wrong with the node.
pub type Shape = fn(&NodeProto, &[Option<&Type>]) -> Result<Vec<Type>, String>;

/// What the reader makes of a node.
#[derive(Clone, Copy)]
pub enum Reading {
    /// It stays as it is (`Opaque`); its results have the types that the function tells, and what reads them is optimized.
    Kept {
        /// The types of its results.
        shape: Shape,
        /// Whether equal operands always give equal results, so that equal nodes are one.
        pure: bool,
    },
    /// It is written in the structural kinds, and rewritten like any other operator. `optimize` may still leave the node.
    Lowered(fn(&mut Lower<'_>) -> Results),
}

/// The operators that a program adds.
#[derive(Clone, Copy, Default)]
pub struct ForeignOps(pub &'static [ForeignOp]);

impl ForeignOps {
    /// The operator of a node.
    pub fn find(self, node: &NodeProto) -> Option<&'static ForeignOp> {
        let domain = canonical_domain(node.domain());
        self.0.iter().find(|op| op.domain == domain && op.op_type == node.op_type())
    }

    /// Whether a node has no effect, by what is said of its operator.
    pub(crate) fn is_pure(self, node: &NodeProto) -> bool {
        self.find(node).is_some_and(|op| matches!(op.reading, Reading::Kept { pure: true, .. }))
    }
}

impl ForeignOp {
    /// Reads a node of the operator.
    pub(crate) fn read(&self, lower: &mut Lower<'_>) -> Results {
        let (shape, _) = match self.reading {
            Reading::Lowered(row) => return row(lower),
            Reading::Kept { shape, pure } => (shape, pure),
        };
        let types: Vec<Option<&Type>> = lower.inputs.iter().map(|v| v.map(|v| lower.graph.ty(v))).collect();
        let bad = |reason: String| {
            let value = format!("{}::{}", self.domain, self.op_type);
            Err(Fail::Bad("inputs".to_owned(), crate::ProblemKind::BadValue { value, reason }))
        };
        match shape(lower.node, &types) {
            Err(reason) => bad(reason),
            Ok(types) if types.len() != lower.node.output.len() => bad(format!(
                "its shape function tells {} results, the node has {}",
                types.len(),
                lower.node.output.len()
            )),
            Ok(types) => Err(Fail::OpaqueTyped(format!("operator {} of domain {}", self.op_type, self.domain), types)),
        }
    }
}

/// Tables are told apart by the operators in them.
impl PartialEq for ForeignOps {
    fn eq(&self, other: &Self) -> bool {
        let names = |of: &Self| of.0.iter().map(|op| (op.domain, op.op_type)).collect::<Vec<_>>();
        names(self) == names(other)
    }
}

impl Eq for ForeignOps {}

impl fmt::Debug for ForeignOps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|op| format!("{}::{}", op.domain, op.op_type))).finish()
    }
}
