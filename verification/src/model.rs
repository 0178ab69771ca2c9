//! A model as verification needs it: as a graph, and as the engines take it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use egret_onnx::external::Files;
use egret_onnx::inline::subgraphs;
use egret_onnx::proto::{ModelProto, NodeProto};
use egret_onnx::{Imported, ReadError, ReadOptions};

use crate::checks::Step;

/// A model as the engines take it.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Original {
    /// For ONNX Runtime.
    Onnx(ModelProto),
    /// For LiteRT.
    TfLite {
        /// The file.
        path: PathBuf,
        /// The graph's name of each tensor, by index.
        tensors: Vec<String>,
        /// The operators.
        steps: Vec<Step>,
    },
    /// A graph in text form, which no other engine runs.
    Text,
}

/// A model.
pub struct Model {
    /// Name for people: the file.
    pub name: String,
    /// As a graph.
    pub imported: Imported,
    /// As it came.
    pub original: Original,
    /// Where its external data is.
    pub files: Files,
}

impl Model {
    /// Reads an ONNX model file.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, ReadError> {
        let proto = egret_onnx::open(path)?;
        Self::new(&path.display().to_string(), proto, Files::beside(path), options)
    }

    /// An ONNX model in memory.
    pub fn from_bytes(
        name: &str,
        bytes: bytes::Bytes,
        folder: Option<&Path>,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let files = folder.map_or_else(Files::none, Files::inside);
        Self::new(name, egret_onnx::decode(bytes)?, files, options)
    }

    fn new(name: &str, proto: ModelProto, mut files: Files, options: &ReadOptions) -> Result<Self, ReadError> {
        let imported = egret_onnx::read_model(proto.clone(), &mut files, options)?;
        Ok(Self { name: name.to_owned(), imported, original: Original::Onnx(proto), files })
    }

    /// A model of another format, read by its frontend.
    pub fn of(name: &str, imported: Imported, original: Original) -> Self {
        Self { name: name.to_owned(), imported, original, files: Files::none() }
    }

    /// The model as ONNX, where it came so.
    pub fn proto(&self) -> Option<&ModelProto> {
        match &self.original {
            Original::Onnx(proto) => Some(proto),
            Original::TfLite { .. } | Original::Text => None,
        }
    }

    /// The nodes of the main graph as an engine runs them.
    pub fn steps(&self) -> Vec<Step> {
        match &self.original {
            Original::Onnx(proto) => proto.graph.iter().flat_map(|g| &g.node).map(step).collect(),
            Original::TfLite { steps, .. } => steps.clone(),
            Original::Text => Vec::new(),
        }
    }
}

/// A node with everything it may read: its operands and whatever its bodies name.
fn step(node: &NodeProto) -> Step {
    fn gather(node: &NodeProto, reads: &mut BTreeSet<String>) {
        reads.extend(node.input.iter().filter(|n| !n.is_empty()).cloned());
        for body in subgraphs(node) {
            for inner in &body.node {
                gather(inner, reads);
            }
            reads.extend(body.output.iter().map(|o| o.name().to_owned()));
        }
    }
    let mut reads = BTreeSet::new();
    gather(node, &mut reads);
    let writes: Vec<String> = node.output.iter().filter(|n| !n.is_empty()).cloned().collect();
    let name =
        if node.name().is_empty() { writes.first().cloned().unwrap_or_default() } else { node.name().to_owned() };
    Step { name, op: node.op_type().to_owned(), reads: reads.into_iter().collect(), writes }
}
