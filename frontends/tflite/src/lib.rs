//! TFLite models into [`egret_ir`] graphs.
//!
//! [`read`] verifies a flatbuffer, and lowers the operators of its main subgraph to the structural kinds ([`ops`] has one
//! row per operator). Names of tensors are kept beside the graph in [`Imported`].
//!
//! There is no opaque operator here: a node that stays as it came could neither be compiled nor be written as ONNX. So a
//! model is read as a whole or not at all, and what stands in the way is listed completely, each with its place
//! ([`ProblemKind::Unsupported`]).
//!
//! Quantized tensors stay integers in the graph. What only moves elements works on the stored numbers. Convolutions and
//! fully connected layers sum exactly in integers and scale once; every other operator computes on the real numbers that
//! its operands stand for, and its result is quantized again ([`ops::Form`], [`quant`]).
//!
//! Nothing in a file makes this crate panic or allocate by declared sizes.

pub mod error;
mod import;
mod lower;
mod model;
pub mod ops;
pub mod quant;
#[expect(
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    mismatched_lifetime_syntaxes,
    unused_imports,
    clippy::all,
    clippy::pedantic,
    reason = "made by the FlatBuffers compiler; every buffer is verified before it is accessed"
)]
mod schema;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use egret_ir::{ByName, Graph, Symbol, ValueId};

pub use error::{Place, Problem, ProblemKind, ReadError};

/// The file identifier, at byte 4 of a model.
pub const MAGIC: &[u8] = b"TFL3";

/// How open extents are bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Extents by name. They are called `INPUT.AXIS`.
    pub dims: Vec<(String, i64)>,
    /// Extents of an input by place.
    pub shapes: Vec<(String, Vec<i64>)>,
}

/// One operator of the model, with the values it takes and gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its place.
    pub place: Place,
    /// Names of the tensors it reads, constants included.
    pub reads: Vec<Arc<str>>,
    /// Names of the tensors it writes.
    pub writes: Vec<Arc<str>>,
}

/// A model as a graph, and what the graph does not say.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The graph.
    pub graph: Graph,
    /// The operators, in the order of the file.
    pub sites: Vec<Site>,
    /// The name of each tensor of the model, by index.
    pub tensors: Vec<Arc<str>>,
    /// Every named value, in order of definition. Where two tensors have the same name, later ones get their index to it.
    pub values: ByName<ValueId>,
    /// Extents bound by [`ReadOptions`], by symbol.
    pub bound: BTreeMap<Symbol, i64>,
}

/// Reads a model file.
///
/// # Errors
/// All faults of the file, each with its place.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Imported, ReadError> {
    let bytes = std::fs::read(path).map_err(|e| {
        let kind = ProblemKind::Unreadable { path: path.display().to_string(), reason: e.to_string() };
        ReadError::one(kind)
    })?;
    read_bytes(bytes.into(), options)
}

/// Reads a model from memory. Constants of the graph share its bytes.
///
/// # Errors
/// All faults of the model, each with its place.
pub fn read_bytes(bytes: Bytes, options: &ReadOptions) -> Result<Imported, ReadError> {
    import::import(&bytes, options)
}
