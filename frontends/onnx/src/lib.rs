//! ONNX models into [`egret_ir`] graphs.
//!
//! [`read`] maps a file, decodes it, checks it, inlines model-local functions and lowers every operator it knows to the
//! structural kinds ([`ops`] has one row per operator and range of opsets). Everything else becomes an opaque node. What
//! the graph does not carry (names, metadata, the nodes themselves) is kept in [`Imported`], so that an unchanged model
//! is written as it was read.
//!
//! A model that is wrong gives a [`ReadError`] with one [`Problem`] per fault; nothing in a file makes this crate panic
//! or allocate by declared sizes.

mod broadcast;
mod containers;
mod control;
pub mod error;
pub mod export;
pub mod external;
pub mod foreign;
pub mod frozen;
pub mod import;
mod imported;
pub mod inline;
pub mod known;
pub mod lenient;
pub mod lower;
pub mod mmap;
pub mod node;
pub mod opaque;
pub mod ops;
pub mod proto;
mod scan;
pub mod schema;
mod scope;
mod sources;
mod spill;
pub mod store;
pub mod structure;
pub mod tensor;
mod unroll;
mod validate;
mod wire;

use std::path::Path;

use bytes::Bytes;

use external::Files;
use proto::ModelProto;

pub use error::{NodePlace, Problem, ProblemKind, ReadError};
pub use foreign::{ForeignOp, ForeignOps, Reading};
pub use frozen::Frozen;
pub use unroll::node_count;

pub use import::{Imported, Initializer, OpaqueReason, ReadOptions, Site, SiteKind};

/// Typed fields (one number an element) of this many bytes and more are turned into raw bytes once, rather than copied
/// wherever the tensor goes.
const RAW_FROM: u64 = 4096;

/// Reads a model file. External data must lie in the file's folder; it is mapped like the file itself.
///
/// # Errors
/// All faults of the file, each with its place.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Imported, ReadError> {
    read_model(open(path)?, &mut Files::beside(path), options)
}

/// Reads a model from memory; `folder` is where its external data may lie.
///
/// # Errors
/// All faults of the model, each with its place.
pub fn read_bytes(bytes: Bytes, folder: Option<&Path>, options: &ReadOptions) -> Result<Imported, ReadError> {
    read_model(decode(bytes)?, &mut folder.map_or_else(Files::none, Files::inside), options)
}

/// Reads a decoded model.
///
/// # Errors
/// All faults of the model, each with its place.
pub fn read_model(mut model: ModelProto, files: &mut Files, options: &ReadOptions) -> Result<Imported, ReadError> {
    for t in model.graph.iter_mut().flat_map(|g| &mut g.initializer) {
        tensor::to_raw(t, RAW_FROM);
    }
    external::embed(&mut model, files)
        .and_then(|()| import::import(model, options))
        .map_err(|problems| ReadError { problems })
}

/// Maps and decodes a model file without looking at it further. Raw tensor data stays in the mapped file.
///
/// # Errors
/// [`ProblemKind::Unreadable`], and as [`decode`].
pub fn open(path: &Path) -> Result<ModelProto, ReadError> {
    let bytes = mmap::map(path).map_err(|e| {
        let kind = ProblemKind::Unreadable { path: path.display().to_string(), reason: e.to_string() };
        ReadError { problems: vec![Problem { node: None, field: String::new(), kind }] }
    })?;
    decode(bytes)
}

/// Decodes a model without looking at it further. Raw tensor data is not copied.
///
/// # Errors
/// [`ProblemKind::NotAModel`] for an empty file, [`ProblemKind::NotProtobuf`] for one that does not decode.
pub fn decode(bytes: Bytes) -> Result<ModelProto, ReadError> {
    let kind = if bytes.is_empty() {
        ProblemKind::NotAModel { part: "content" }
    } else {
        match wire::model(&bytes) {
            Ok(model) => return Ok(model),
            Err(e) => ProblemKind::NotProtobuf { reason: e.to_string() },
        }
    };
    Err(ReadError { problems: vec![Problem { node: None, field: String::new(), kind }] })
}
