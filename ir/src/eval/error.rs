//! What can go wrong while evaluating, and where.

use std::sync::Arc;

use crate::check::OriginPrefix;
use crate::dim::{Dim, Symbol};
use crate::dtype::DType;
use crate::graph::ValueId;
use crate::infer::TypeError;
use crate::types::Type;

/// Why a node has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trap {
    /// An index operand outside its axis.
    #[error("index {index} is outside an axis of extent {extent}")]
    Index {
        /// The index as given.
        index: i64,
        /// Extent of the axis.
        extent: usize,
    },
    /// Integer division or remainder by zero.
    #[error("integer division by zero")]
    DivisionByZero,
    /// argmax or argmin of no elements.
    #[error("{0} of no elements")]
    EmptyArg(&'static str),
    /// The scalar domain gives this no meaning.
    #[error("the domain `{domain}` refuses {what}")]
    Refused {
        /// The domain.
        domain: &'static str,
        /// What was asked of it.
        what: String,
    },
    /// An operator that was kept as it came.
    #[error("operator {} cannot be evaluated", qualified(.domain, .op_type))]
    Opaque {
        /// Operator domain.
        domain: Arc<str>,
        /// Operator.
        op_type: Arc<str>,
    },
    /// A symbol whose value neither input shapes nor witnesses give.
    #[error("the value of dimension `{}` is unknown", .0.name())]
    Unbound(Symbol),
    /// Two witnesses of one symbol that disagree.
    #[error("dimension `{}` is {first} by one operand and {second} by another", .symbol.name())]
    Witness {
        /// The symbol.
        symbol: Symbol,
        /// Its value so far.
        first: i64,
        /// The other value.
        second: i64,
    },
    /// A shape expression that is negative, overflows or divides by zero for these inputs.
    #[error("the extent {0} is no size for these inputs")]
    Extent(Dim),
    /// An array beyond [`super::array::MAX_ELEMENTS`].
    #[error("an array of shape {shape:?} is too large to evaluate")]
    TooLarge {
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Operands whose actual shapes do not fit the node.
    #[error("operand shapes {shapes:?} do not fit {kind}")]
    Shapes {
        /// The kind.
        kind: &'static str,
        /// Actual shapes.
        shapes: Vec<Vec<usize>>,
    },
    /// A wrong number of inputs.
    #[error("{expected} inputs expected, got {got}")]
    Inputs {
        /// Inputs the graph declares.
        expected: usize,
        /// Inputs given.
        got: usize,
    },
    /// An input of another type than declared.
    #[error("input `{name}` is {declared}, got {dtype}{shape:?}")]
    Input {
        /// Name of the input.
        name: Arc<str>,
        /// Its declared type.
        declared: Type,
        /// Element type given.
        dtype: DType,
        /// Shape given.
        shape: Vec<usize>,
    },
    /// A tuple or foreign value where a tensor is needed.
    #[error("a value of type {0} where a tensor is needed")]
    NotTensor(Type),
    /// A definition's body that cannot be built for these operands.
    #[error(transparent)]
    Body(#[from] TypeError),
    /// A problem inside a body.
    #[error("in a body: {0}")]
    Inside(Box<EvalError>),
}

fn qualified(domain: &str, op_type: &str) -> String {
    if domain.is_empty() { op_type.to_owned() } else { format!("{domain}::{op_type}") }
}

/// A problem and the value it arose at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}value %{}: {trap}", .value.0)]
pub struct EvalError {
    /// The value.
    pub value: ValueId,
    /// Its origins, as a prefix of the message.
    pub at: OriginPrefix,
    /// What went wrong.
    pub trap: Trap,
}
