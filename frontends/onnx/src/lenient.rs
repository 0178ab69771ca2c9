//! What is wrong with many real models and does not keep them from meaning something: it is told and passed over.
//!
//! | oddity | here | ONNX Runtime 1.32 |
//! |---|---|---|
//! | nodes out of order | sorted | accepts |
//! | outputs or inner values declared with another rank or extent | as inferred; the declaration of an output is kept | accepts |
//! | declared with another element type | as inferred | refuses |
//! | no opset import of `com.microsoft` | version 1 | accepts |
//! | two nodes of one name | kept, written under two names | refuses |

use egret_ir::{Graph, TensorType, ValueId};
use foldhash::{HashSet, HashSetExt as _};

use crate::error::{Problem, ProblemKind};
use crate::inline::{FlatNode, canonical_domain, walk};
use crate::proto::tensor_shape_proto::dimension::Value as DimValue;
use crate::proto::type_proto::Value as TypeValue;
use crate::proto::{GraphProto, OperatorSetIdProto, TypeProto};
use crate::validate::Opsets;
use crate::{ops, tensor};

/// The opset import of ONNX Runtime's domain, where nodes are of it and the model does not say so.
pub fn assumed_opset(opsets: &Opsets, nodes: &[FlatNode]) -> Option<OperatorSetIdProto> {
    let domain = ops::MICROSOFT;
    if opsets.contains_key(domain) {
        return None;
    }
    let mut used = false;
    for node in nodes {
        walk(&node.proto, &mut |n| used |= canonical_domain(n.domain()) == domain);
    }
    used.then(|| OperatorSetIdProto { domain: Some(domain.to_owned()), version: Some(1) })
}

/// Tells of an opset that was not imported.
pub fn assumed(opset: &OperatorSetIdProto) -> Problem {
    let kind = ProblemKind::AssumedOpset { domain: opset.domain().to_owned(), version: opset.version() };
    Problem { node: None, field: "opset_import".to_owned(), kind }
}

/// The first node that reads what a later one makes.
pub fn unsorted(nodes: &[FlatNode], order: &[usize]) -> Option<Problem> {
    let at = order.windows(2).find(|pair| pair[0] > pair[1])?[1];
    Some(Problem { node: Some(nodes[at].place()), field: String::new(), kind: ProblemKind::Unsorted })
}

/// Nodes with the name of an earlier one.
pub fn repeated_names(nodes: &[FlatNode]) -> Vec<Problem> {
    let mut seen = HashSet::with_capacity(nodes.len());
    let repeated = nodes.iter().filter(|n| !n.proto.name().is_empty() && !seen.insert(n.proto.name()));
    repeated
        .map(|n| Problem { node: Some(n.place()), field: "name".to_owned(), kind: ProblemKind::RepeatedName })
        .collect()
}

/// Outputs and inner values whose declared type is not what their node gives.
pub fn misdeclared(graph: &GraphProto, typed: &Graph, value: &dyn Fn(&str) -> Option<ValueId>) -> Vec<Problem> {
    let outputs = graph.output.iter().map(|v| ("output", v));
    let inner = graph.value_info.iter().map(|v| ("value", v));
    let mut problems = Vec::new();
    for (what, info) in outputs.chain(inner) {
        let (Some(ty), Some(v)) = (&info.r#type, value(info.name())) else { continue };
        let Some(found) = typed.ty(v).as_tensor() else { continue };
        if let Some(declared) = contradiction(ty, found) {
            let kind = ProblemKind::Declared { declared, found: found.to_string() };
            problems.push(Problem { node: None, field: format!("{what} {}", info.name()), kind });
        }
    }
    problems
}

/// The text of a declared tensor type, where a value of type `found` cannot have it.
fn contradiction(declared: &TypeProto, found: &TensorType) -> Option<String> {
    let Some(TypeValue::TensorType(t)) = &declared.value else { return None };
    let dtype = tensor::dtype(t.elem_type()).ok()?;
    let shape = t.shape.as_ref();
    let fits = dtype == found.dtype
        && shape.is_none_or(|s| {
            let same = |(d, f): (&crate::proto::tensor_shape_proto::Dimension, &egret_ir::Dim)| match d.value {
                Some(DimValue::DimValue(n)) if n >= 0 => f.as_const().is_none_or(|c| c == n),
                Some(DimValue::DimValue(_) | DimValue::DimParam(_)) | None => true,
            };
            s.dim.len() == found.rank() && s.dim.iter().zip(&found.shape).all(same)
        });
    if fits {
        return None;
    }
    let extent = |d: &crate::proto::tensor_shape_proto::Dimension| match &d.value {
        Some(DimValue::DimValue(n)) => n.to_string(),
        Some(DimValue::DimParam(name)) => name.clone(),
        None => "?".to_owned(),
    };
    let extents = shape.map(|s| s.dim.iter().map(extent).collect::<Vec<_>>().join(","));
    Some(extents.map_or_else(|| dtype.to_string(), |e| format!("{dtype}[{e}]")))
}
