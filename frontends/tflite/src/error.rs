//! What can be wrong with a model, one [`Problem`] per fault, each with its place.

use std::fmt;

/// Reading failed. `problems` is never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadError {
    /// All faults found, in the order of the file.
    pub problems: Vec<Problem>,
}

impl ReadError {
    pub(crate) fn one(kind: ProblemKind) -> Self {
        Self { problems: vec![Problem { place: None, field: String::new(), kind }] }
    }

    /// Whether the model is sound, and only asks for what is not supported.
    pub fn is_unsupported(&self) -> bool {
        let unsupported = |k: &ProblemKind| {
            matches!(
                k,
                ProblemKind::Unsupported { .. } | ProblemKind::Unproved { .. } | ProblemKind::ElementType { .. }
            )
        };
        self.problems.iter().all(|p| unsupported(&p.kind))
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Names an operator to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Position of the subgraph in the model.
    pub subgraph: usize,
    /// Position of the operator in the subgraph.
    pub index: usize,
    /// The operator; a custom one with its name.
    pub op: String,
    /// Name of its first result, possibly empty.
    pub name: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subgraph {}, operator {} ({})", self.subgraph, self.index, self.op)?;
        if !self.name.is_empty() {
            write!(f, " that gives {:?}", self.name)?;
        }
        Ok(())
    }
}

/// One fault and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The operator, when the fault is in one.
    pub place: Option<Place>,
    /// The option or operand of the operator, or the part of the model; empty for the whole.
    pub field: String,
    /// The fault.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}")?;
            f.write_str(if self.field.is_empty() { ": " } else { ", " })?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{}", self.kind)
    }
}

/// The faults, with their facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// As given.
        path: String,
        /// The system's text.
        reason: String,
    },
    /// Without the file identifier.
    #[error("not a TFLite model: no identifier TFL3")]
    NotAModel,
    /// The flatbuffer verifier refuses it.
    #[error("not a TFLite model: {reason}")]
    Damaged {
        /// The verifier's text.
        reason: String,
    },
    /// A schema version that is not known.
    #[error("schema version {version} is unknown (known: 3)")]
    Version {
        /// As in the file.
        version: u32,
    },
    /// A part that every model has is missing.
    #[error("no {part}")]
    Missing {
        /// The part.
        part: &'static str,
    },
    /// An index out of its table.
    #[error("{what} {index} does not exist (there are {count})")]
    Index {
        /// What it indexes.
        what: &'static str,
        /// As in the file.
        index: i64,
        /// Size of the table.
        count: usize,
    },
    /// A tensor is read before anything gives its value.
    #[error("tensor {tensor} has no value: it is no input, no constant, and no earlier operator gives it")]
    Undefined {
        /// Its index and name.
        tensor: String,
    },
    /// Two producers of one tensor.
    #[error("tensor {tensor} gets a value twice")]
    DefinedTwice {
        /// Its index and name.
        tensor: String,
    },
    /// A negative extent.
    #[error("extent {extent} is negative")]
    NegativeExtent {
        /// As in the file.
        extent: i64,
    },
    /// A tensor too large to address.
    #[error("{shape} is too large")]
    TooLarge {
        /// The shape.
        shape: String,
    },
    /// A constant with too little or too much data.
    #[error("{expected} bytes of data expected, {got} found")]
    DataLength {
        /// By shape and element type.
        expected: u64,
        /// In the file.
        got: u64,
    },
    /// An element type that cannot be computed with.
    #[error("tensors of type {dtype} are not supported")]
    ElementType {
        /// Its name.
        dtype: String,
    },
    /// Quantization parameters that do not fit their tensor.
    #[error("quantization {what}")]
    Quantization {
        /// What is wrong.
        what: String,
    },
    /// Too few or too many operands or results.
    #[error("{got} given, {min} to {max} expected")]
    Count {
        /// In the file.
        got: usize,
        /// Least number.
        min: usize,
        /// Greatest number.
        max: usize,
    },
    /// A required operand is absent.
    #[error("required input is absent")]
    MissingInput,
    /// An option or operand with a value that has no meaning.
    #[error("{value} is not allowed: {reason}")]
    BadValue {
        /// As text.
        value: String,
        /// Which values are.
        reason: String,
    },
    /// An axis outside the rank.
    #[error("axis {axis} is outside rank {rank}")]
    Axis {
        /// As given.
        axis: i64,
        /// Of the value.
        rank: usize,
    },
    /// A rank that the operator does not take.
    #[error("rank {got} is not allowed, expected {expected}")]
    Rank {
        /// The value's rank.
        got: usize,
        /// What the operator takes.
        expected: String,
    },
    /// The result's element type is not the one that the model declares.
    #[error("the result is {got}, the model declares {declared}")]
    Result {
        /// Worked out.
        got: String,
        /// In the model.
        declared: String,
    },
    /// The operands do not fit the operator.
    #[error("{report}")]
    IllTyped {
        /// The checker's text.
        report: String,
    },
    /// Extents that cannot be proved to fit without a number for them.
    #[error("extents that cannot be proved to fit ({report})")]
    Unproved {
        /// The checker's text.
        report: String,
    },
    /// An operator, or a use of one, that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// What.
        what: String,
    },
    /// A binding for a name that the model does not have.
    #[error("the model has no {what} {name:?}")]
    UnknownBinding {
        /// "dimension" or "input".
        what: &'static str,
        /// As given.
        name: String,
    },
    /// A binding against what the model says.
    #[error("{given} contradicts the model's {declared}")]
    BindingConflict {
        /// As given.
        given: String,
        /// As declared.
        declared: String,
    },
}
