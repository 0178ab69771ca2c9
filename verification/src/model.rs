//! A model as verification needs it: imported, and as the engines take it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    /// The folder of its external data.
    pub folder: Option<PathBuf>,
}

impl Model {
    /// Reads a model file.
    pub fn read(path: &Path, options: &ReadOptions) -> Result<Self, ReadError> {
        let imported = egret_onnx::read(path, options)?;
        let bytes = egret_onnx::mmap::map(path).map_err(|e| ReadError {
            problems: vec![egret_onnx::Problem {
                node: None,
                field: String::new(),
                kind: egret_onnx::ProblemKind::Unreadable { path: path.display().to_string(), reason: e.to_string() },
            }],
        })?;
        let proto = egret_onnx::decode(bytes)?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { name: path.display().to_string(), imported, proto, folder: Some(folder.to_owned()) })
    }

    /// A model in memory.
    pub fn from_bytes(
        name: &str,
        bytes: bytes::Bytes,
        folder: Option<&Path>,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let imported = egret_onnx::read_bytes(bytes.clone(), folder, options)?;
        let proto = egret_onnx::decode(bytes)?;
        Ok(Self { name: name.to_owned(), imported, proto, folder: folder.map(Into::into) })
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
