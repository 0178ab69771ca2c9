//! Why a class graph becomes no program.

use egret_ir::Origins;
use egret_ir::program::ProgramError;

use crate::cost::CostError;
use crate::search::ExtractError;

/// One thing that no kernel computes, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Name of the node or value, with its origin in the model.
    pub origins: Origins,
    /// What it is.
    pub what: String,
    /// Why it cannot be compiled.
    pub reason: Reason,
}

/// Why something cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Reason {
    /// An operator kept as it came.
    #[error("operator `{0}` is not modelled, so no kernel computes it")]
    Opaque(String),
    /// A branch or a loop whose results nothing tells apart.
    #[error("control flow whose bodies cannot be compiled")]
    Control,
    /// A type that no kind computes on.
    #[error("values of type {0} have no buffers")]
    Foreign(String),
    /// An extent that no axis of an input and no value gives.
    #[error("nothing in the inputs' shapes gives its value")]
    Unbound,
    /// A tensor beyond the address space.
    #[error("a tensor of type {0} exceeds the address space")]
    TooLarge(String),
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.origins.iter().next().is_some() {
            write!(f, "{}: ", self.origins)?;
        }
        write!(f, "{}: {}", self.what, self.reason)
    }
}

/// Why planning failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlanError {
    /// Parts of the model that no kernel computes: the complete list.
    #[error("not supported:\n{}", .0.iter().map(|u| format!("  {u}")).collect::<Vec<_>>().join("\n"))]
    Unsupported(Vec<Unsupported>),
    /// No finite derivation.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// The machine description lacks a number.
    #[error(transparent)]
    Cost(#[from] CostError),
    /// A constant that cannot be evaluated.
    #[error("constant `{name}` cannot be folded: {cause}")]
    Fold {
        /// Name of the constant's buffer.
        name: String,
        /// What the interpreter says.
        cause: String,
    },
    /// The planner's own result is no program; a fault of the planner.
    #[error("the plan is no program: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Program(Vec<ProgramError>),
}
