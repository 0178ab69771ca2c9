//! What this code generator cannot compile, with the place.

use std::fmt;
use std::sync::Arc;

/// Why a node has no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An operator kept as it came; its domain and name.
    Opaque {
        /// Domain, empty for the standard one.
        domain: Arc<str>,
        /// Operator.
        op_type: Arc<str>,
    },
    /// Branches and loops are not compiled.
    Control,
    /// A tensor of more bytes than 64 bits can say; its type.
    TooLarge(String),
    /// An extent whose name no symbol of a model may have; the extent.
    Name(String),
    /// A type that is no tensor; its text.
    Foreign(String),
    /// Element types that the kind takes but this backend does not; described.
    DType(String),
    /// A kind reached as a value that only its parts have.
    Tuple,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque { domain, op_type } if domain.is_empty() => write!(f, "operator {op_type} is not modelled"),
            Self::Opaque { domain, op_type } => write!(f, "operator {domain}.{op_type} is not modelled"),
            Self::Control => f.write_str("branches and loops are not compiled"),
            Self::TooLarge(t) => write!(f, "a tensor {t} is larger than any memory"),
            Self::Name(d) => write!(f, "extent {d:?} has a name that begins with NUL"),
            Self::Foreign(t) => write!(f, "a value of type {t}"),
            Self::DType(t) => write!(f, "element type: {t}"),
            Self::Tuple => f.write_str("several results used as one"),
        }
    }
}

/// A node without code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernel `{kernel}`, {node}: {reason}")]
pub struct Unsupported {
    /// The kernel.
    pub kernel: Arc<str>,
    /// The node: its origins, or its kind where it has none.
    pub node: String,
    /// Why.
    pub reason: Reason,
}
