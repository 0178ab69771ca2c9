//! What can be wrong with a model, one [`Problem`] per fault, each with its place.
//!
//! Reading gathers: a model with three faults yields three problems (as far as one does not hide another).

use std::fmt;

/// Reading failed. `problems` is never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadError {
    /// All faults found, in the order of the file.
    pub problems: Vec<Problem>,
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

/// One fault and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The node, when the fault is in one.
    pub node: Option<NodePlace>,
    /// The field of the node or of the model: an attribute, an input, `initializer w`, ...; empty for the whole.
    pub field: String,
    /// The fault.
    pub kind: ProblemKind,
}

/// Names a node to a person: nodes may lack names, so the position in the file is given too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePlace {
    /// `NodeProto.name`, possibly empty.
    pub name: String,
    /// Position in `GraphProto.node`.
    pub index: usize,
    /// Operator with its domain unless that is the default one.
    pub op: String,
}

impl fmt::Display for NodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            write!(f, "node {} ({})", self.index, self.op)
        } else {
            write!(f, "node {:?} ({})", self.name, self.op)
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = &self.node {
            write!(f, "{node}, ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        } else if self.node.is_some() {
            write!(f, "node: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

/// The faults, with their facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// The file cannot be opened or mapped.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// As given.
        path: String,
        /// The system's text.
        reason: String,
    },
    /// Not decodable as protobuf.
    #[error("not an ONNX model: {reason}")]
    NotProtobuf {
        /// The decoder's text.
        reason: String,
    },
    /// Decodable, but a part that every model has is missing.
    #[error("not an ONNX model: no {part}")]
    NotAModel {
        /// The missing part.
        part: &'static str,
    },
    /// An operator set newer (or older) than known.
    #[error("opset {version} of domain {domain:?} is unknown (known: 1 to {newest})")]
    UnknownOpset {
        /// Domain, `""` being ai.onnx.
        domain: String,
        /// As imported.
        version: i64,
        /// The newest known one.
        newest: i64,
    },
    /// `ir_version` above the known ones, or not positive.
    #[error("IR version {version} is unknown (known: 1 to {newest})")]
    UnknownIrVersion {
        /// As in the file.
        version: i64,
        /// The newest known one.
        newest: i64,
    },
    /// A node of a domain without an `opset_import`.
    #[error("the model imports no opset of domain {domain:?}")]
    MissingOpset {
        /// The node's domain.
        domain: String,
    },
    /// A value is used and nobody defines it.
    #[error("{name:?} is not defined")]
    Undefined {
        /// The value.
        name: String,
    },
    /// A name is defined twice.
    #[error("{name:?} is defined twice")]
    DefinedTwice {
        /// The value, function or node.
        name: String,
    },
    /// A required name is empty.
    #[error("the name is empty")]
    EmptyName,
    /// Nodes that wait for each other.
    #[error("the graph has a cycle through {}", names.join(", "))]
    Cycle {
        /// Values on the cycle, in order.
        names: Vec<String>,
    },
    /// A function that calls itself.
    #[error("function {name:?} calls itself")]
    RecursiveFunction {
        /// The function.
        name: String,
    },
    /// A node without `op_type`.
    #[error("no operator is named")]
    NoOperator,
    /// The operator's opset does not have it any more.
    #[error("the operator is withdrawn in opset {version}")]
    Withdrawn {
        /// The model's opset.
        version: i64,
    },
    /// The operator came with a later opset.
    #[error("the operator exists from opset {since} on, the model imports {version}")]
    NotYet {
        /// The first opset that has it.
        since: i64,
        /// The model's opset.
        version: i64,
    },
    /// A required attribute is not there.
    #[error("required attribute is missing")]
    MissingAttribute,
    /// An attribute of the wrong kind.
    #[error("attribute should be of type {expected}, is {got}")]
    AttributeType {
        /// By the operator's schema.
        expected: String,
        /// In the file.
        got: String,
    },
    /// An attribute with a value that has no meaning.
    #[error("{value} is not allowed: {reason}")]
    BadValue {
        /// As text.
        value: String,
        /// Which values are.
        reason: String,
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
    /// A dtype that the operator does not take.
    #[error("type {got} is not allowed, expected {expected}")]
    Dtype {
        /// The value's dtype.
        got: String,
        /// What the operator takes.
        expected: String,
    },
    /// A rank that the operator does not take.
    #[error("rank {got} is not allowed, expected {expected}")]
    Rank {
        /// The value's rank.
        got: usize,
        /// What the operator takes.
        expected: String,
    },
    /// Extents that do not fit.
    #[error("shape {got} does not fit {expected}")]
    Shape {
        /// The value's shape.
        got: String,
        /// What it should fit.
        expected: String,
    },
    /// An axis outside the rank.
    #[error("axis {axis} is outside rank {rank}")]
    Axis {
        /// As given.
        axis: i64,
        /// Of the value.
        rank: usize,
    },
    /// A negative extent in a tensor.
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
    /// A tensor with too little or too much data.
    #[error("{expected} bytes of data expected, {got} found")]
    DataLength {
        /// By shape and dtype.
        expected: u64,
        /// In the file.
        got: u64,
    },
    /// A dtype code that ONNX does not define (or that cannot be a tensor's).
    #[error("data type code {code} is unknown")]
    UnknownDtype {
        /// As in the file.
        code: i32,
    },
    /// A dtype that ONNX defines and this reader does not hold.
    #[error("tensors of type {dtype} are not supported")]
    UnsupportedDtype {
        /// Its name.
        dtype: String,
    },
    /// External data without the key `location`.
    #[error("external data names no location")]
    NoLocation,
    /// External data outside the model's folder.
    #[error("external data {location:?} lies outside the model's folder")]
    ExternalOutside {
        /// As in the file.
        location: String,
    },
    /// External data that cannot be opened.
    #[error("external data {location:?} cannot be read: {reason}")]
    ExternalUnreadable {
        /// As in the file.
        location: String,
        /// The system's text.
        reason: String,
    },
    /// External data that ends too early.
    #[error("external data {location:?} has {size} bytes, {length} at {offset} are wanted")]
    ExternalBeyondEnd {
        /// As in the file.
        location: String,
        /// Size of the file.
        size: u64,
        /// Wanted, from where.
        offset: u64,
        /// Wanted, how many.
        length: u64,
    },
    /// An `offset` or `length` that is no number.
    #[error("external data has {key} {value:?}, a number is expected")]
    ExternalNumber {
        /// `offset` or `length`.
        key: String,
        /// As in the file.
        value: String,
    },
    /// `--dim` or `--shape` for a name that the model does not have.
    #[error("the model has no {what} {name:?}")]
    UnknownBinding {
        /// "dimension" or "input".
        what: &'static str,
        /// As given.
        name: String,
    },
    /// `--dim` or `--shape` against what the model says.
    #[error("{given} contradicts the model's {declared}")]
    BindingConflict {
        /// As given.
        given: String,
        /// As declared.
        declared: String,
    },
    /// Nodes before the nodes they read from; told, not refused.
    #[error("stands before a node that it reads from; nodes are sorted")]
    Unsorted,
    /// A node with the name of another; told, not refused.
    #[error("an earlier node has the same")]
    RepeatedName,
    /// A declared type that the value does not have; told, not refused.
    #[error("declared as {declared}, but it is {found}")]
    Declared {
        /// In the file.
        declared: String,
        /// As inferred.
        found: String,
    },
    /// Nodes of a domain that the model does not import, whose version is known all the same; told, not refused.
    #[error("the model imports no opset of domain {domain:?}; version {version} is taken")]
    AssumedOpset {
        /// The domain.
        domain: String,
        /// The version taken.
        version: i64,
    },
    /// A tensor with raw data and a typed field.
    #[error("data is given twice: as raw bytes and in a typed field")]
    DataTwice,
    /// The graph that resulted is not well typed: the operands do not fit the operator.
    #[error("{report}")]
    IllTyped {
        /// The checker's text.
        report: String,
    },
}
