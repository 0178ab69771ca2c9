//! Tensor data in files beside the model.
//!
//! [`embed`] puts the mapped bytes in place of each reference, so that nothing behind it knows where a tensor came from;
//! nothing is copied. A location is relative to the model's folder and may not leave it: neither by `..` or an absolute
//! path, nor by a symbolic link. The one exception is a model that is a link itself (caches keep models as links into a
//! store): its data may also lie in the folder that the model's link leads to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;

use crate::error::{Problem, ProblemKind};
use crate::inline::place;
use crate::mmap;
use crate::proto::tensor_proto::DataLocation;
use crate::proto::{GraphProto, ModelProto, NodeProto, TensorProto};
use crate::tensor;

/// Whether a tensor's data lies in another file.
pub fn is_external(tensor: &TensorProto) -> bool {
    tensor.data_location() == DataLocation::External
}

/// Calls `see` on every tensor of the graph, of its bodies and of its nodes' attributes, with where it is.
fn each_mut(graph: &mut GraphProto, context: &str, see: &mut dyn FnMut(Where<'_>, &mut TensorProto)) {
    for t in &mut graph.initializer {
        see(Where::Initializer(context), t);
    }
    for t in &mut graph.sparse_initializer {
        t.values.iter_mut().chain(&mut t.indices).for_each(|t| see(Where::Initializer(context), t));
    }
    for (i, node) in graph.node.iter_mut().enumerate() {
        each_of_node(node, i, context, see);
    }
}

fn each_of_node(node: &mut NodeProto, index: usize, context: &str, see: &mut dyn FnMut(Where<'_>, &mut TensorProto)) {
    if node.attribute.is_empty() {
        return;
    }
    let mut attributes = std::mem::take(&mut node.attribute);
    for a in &mut attributes {
        let own = a.name.clone().unwrap_or_default();
        for t in a.t.as_deref_mut().into_iter().chain(&mut a.tensors) {
            see(Where::Attribute(context, node, index, &own), t);
        }
        for t in a.sparse_tensor.as_deref_mut().into_iter().chain(&mut a.sparse_tensors) {
            for t in t.values.iter_mut().chain(&mut t.indices) {
                see(Where::Attribute(context, node, index, &own), t);
            }
        }
        for body in a.g.as_deref_mut().into_iter().chain(&mut a.graphs) {
            let inside = format!("{context}{}, {own}, ", place(node, index));
            each_mut(body, &inside, see);
        }
    }
    node.attribute = attributes;
}

/// Where a tensor is, for messages.
enum Where<'a> {
    Initializer(&'a str),
    Attribute(&'a str, &'a NodeProto, usize, &'a str),
}

impl Where<'_> {
    fn problem(&self, tensor: &TensorProto, kind: ProblemKind) -> Problem {
        let name = tensor.name();
        match self {
            Self::Initializer(context) => Problem { node: None, field: format!("{context}initializer {name}"), kind },
            Self::Attribute("", node, index, own) => {
                Problem { node: Some(place(node, *index)), field: (*own).to_owned(), kind }
            }
            Self::Attribute(context, node, index, own) => {
                Problem { node: None, field: format!("{context}{}, {own}", place(node, *index)), kind }
            }
        }
    }
}

/// [`tensors`], to be changed, each with where it is.
fn each(model: &mut ModelProto, see: &mut dyn FnMut(Where<'_>, &mut TensorProto)) {
    if let Some(graph) = &mut model.graph {
        each_mut(graph, "", see);
    }
    for f in &mut model.functions {
        let context = format!("function {}, ", f.name());
        for (i, node) in f.node.iter_mut().enumerate() {
            each_of_node(node, i, &context, see);
        }
    }
}

/// Puts the data of other files in place of the references to it.
///
/// # Errors
/// One problem per tensor whose data is missing, outside, too short, or of another length than its shape says.
pub fn embed(model: &mut ModelProto, files: &mut Files) -> Result<(), Vec<Problem>> {
    let mut any = false;
    tensors(model, &mut |t| any |= is_external(t));
    if !any {
        return Ok(());
    }
    let mut problems = Vec::new();
    each(model, &mut |at, t| {
        if !is_external(t) {
            return;
        }
        let found = files.bytes(t).and_then(|bytes| {
            t.raw_data = Some(bytes);
            match tensor::decode(t) {
                // What tensors here cannot hold stays in its node as it is.
                Ok(_) | Err(ProblemKind::UnsupportedDtype { .. }) => Ok(()),
                Err(kind) => Err(kind),
            }
        });
        match found {
            Ok(()) => {
                t.external_data.clear();
                t.data_location = None;
            }
            Err(kind) => problems.push(at.problem(t, kind)),
        }
    });
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Calls `see` on every tensor that can have data in another file.
pub fn tensors<'a>(model: &'a ModelProto, see: &mut dyn FnMut(&'a TensorProto)) {
    fn of_graph<'a>(graph: &'a GraphProto, see: &mut dyn FnMut(&'a TensorProto)) {
        graph.initializer.iter().for_each(&mut *see);
        for t in &graph.sparse_initializer {
            t.values.iter().chain(&t.indices).for_each(&mut *see);
        }
        graph.node.iter().for_each(|n| of_node(n, see));
    }
    fn of_node<'a>(node: &'a NodeProto, see: &mut dyn FnMut(&'a TensorProto)) {
        for a in &node.attribute {
            a.t.as_deref().into_iter().chain(&a.tensors).for_each(&mut *see);
            for t in a.sparse_tensor.as_deref().into_iter().chain(&a.sparse_tensors) {
                t.values.iter().chain(&t.indices).for_each(&mut *see);
            }
            a.g.as_deref().into_iter().chain(&a.graphs).for_each(|g| of_graph(g, see));
        }
    }
    model.graph.iter().for_each(|g| of_graph(g, see));
    model.functions.iter().flat_map(|f| &f.node).for_each(|n| of_node(n, see));
}

/// The data files a model names, relative to its folder.
pub fn locations(model: &ModelProto) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    tensors(model, &mut |t| {
        if is_external(t) {
            found.extend(entry(t, "location").map(str::to_owned));
        }
    });
    found
}

fn entry<'a>(tensor: &'a TensorProto, key: &str) -> Option<&'a str> {
    tensor.external_data.iter().find(|e| e.key() == key).map(crate::proto::StringStringEntryProto::value)
}

/// The folder of a file; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files beside a model, each mapped once. Cloning shares what is mapped.
#[derive(Clone, Debug)]
pub struct Files {
    /// The folder that locations are relative to.
    folder: Option<PathBuf>,
    /// Folders that data may lie in, links resolved.
    allowed: Vec<PathBuf>,
    mapped: BTreeMap<String, Bytes>,
}

impl Files {
    /// Those beside the model file `path`.
    pub fn beside(path: &Path) -> Self {
        let mut files = Self::inside(folder_of(path));
        files.allowed.extend(path.canonicalize().ok().map(|real| folder_of(&real).to_owned()));
        files
    }

    /// Those in a folder.
    pub fn inside(folder: &Path) -> Self {
        let allowed = folder.canonicalize().into_iter().collect();
        Self { folder: Some(folder.to_owned()), allowed, mapped: BTreeMap::new() }
    }

    /// None: of a model that came from memory.
    pub fn none() -> Self {
        Self { folder: None, allowed: Vec::new(), mapped: BTreeMap::new() }
    }

    /// The bytes that `tensor.external_data` names.
    fn bytes(&mut self, tensor: &TensorProto) -> Result<Bytes, ProblemKind> {
        let number = |key: &str| {
            entry(tensor, key).map_or(Ok(None), |text| {
                let parsed = text.parse::<u64>().map(Some);
                parsed.map_err(|_| ProblemKind::ExternalNumber { key: key.to_owned(), value: text.to_owned() })
            })
        };
        let location = entry(tensor, "location").ok_or(ProblemKind::NoLocation)?;
        let offset = number("offset")?.unwrap_or(0);
        let length = number("length")?;
        let file = self.file(location)?;
        let size = file.len() as u64;
        let length = length.unwrap_or_else(|| size.saturating_sub(offset));
        let end = offset.checked_add(length).filter(|end| *end <= size);
        match end {
            Some(end) => Ok(file.slice(offset as usize..end as usize)),
            None => Err(ProblemKind::ExternalBeyondEnd { location: location.to_owned(), size, offset, length }),
        }
    }

    /// The path of a data file, if it exists and is allowed.
    ///
    /// # Errors
    /// [`ProblemKind::ExternalOutside`], [`ProblemKind::ExternalUnreadable`].
    pub fn path(&self, location: &str) -> Result<PathBuf, ProblemKind> {
        let outside = || ProblemKind::ExternalOutside { location: location.to_owned() };
        let unreadable = |e: &dyn std::fmt::Display| ProblemKind::ExternalUnreadable {
            location: location.to_owned(),
            reason: e.to_string(),
        };
        let relative = Path::new(location);
        let inside = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if location.is_empty() || !inside {
            return Err(outside());
        }
        let folder = self.folder.as_ref().ok_or_else(|| unreadable(&"the model has no folder"))?;
        let path = folder.join(relative).canonicalize().map_err(|e| unreadable(&e))?;
        if self.allowed.iter().any(|folder| path.starts_with(folder)) { Ok(path) } else { Err(outside()) }
    }

    /// A data file, mapped.
    ///
    /// # Errors
    /// As [`Files::path`], and what the system says.
    pub fn file(&mut self, location: &str) -> Result<Bytes, ProblemKind> {
        if let Some(known) = self.mapped.get(location) {
            return Ok(known.clone());
        }
        let path = self.path(location)?;
        let bytes = mmap::map(&path)
            .map_err(|e| ProblemKind::ExternalUnreadable { location: location.to_owned(), reason: e.to_string() })?;
        self.mapped.insert(location.to_owned(), bytes.clone());
        Ok(bytes)
    }
}
