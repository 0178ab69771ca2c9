//! A model as verification needs it: imported, and as the engines take it.

use std::collections::BTreeSet;
use std::path::Path;

use egret_onnx::external::Files;
use egret_onnx::inline::subgraphs;
use egret_onnx::proto::{ModelProto, NodeProto};
use egret_onnx::{Imported, ReadError, ReadOptions};

use crate::checks::Step;

/// A model.
pub struct Model {
    /// Name for people: the file.
    pub name: String,
    /// As a graph.
    pub imported: Imported,
    /// As it came.
    pub proto: ModelProto,
    /// Where its external data is.
    pub files: Files,
}

impl Model {
    /// Reads a model file.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, ReadError> {
        let proto = egret_onnx::open(path)?;
        Self::new(&path.display().to_string(), proto, Files::beside(path), options)
    }

    /// A model in memory.
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
        Ok(Self { name: name.to_owned(), imported, proto, files })
    }

    /// The nodes of the main graph as an engine runs them.
    pub fn steps(&self) -> Vec<Step> {
        let nodes = self.proto.graph.iter().flat_map(|g| &g.node);
        nodes.map(step).collect()
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
