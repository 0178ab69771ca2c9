//! Typed access to a node's attributes, with errors that name the attribute.

use crate::error::ProblemKind;
use crate::proto::attribute_proto::AttributeType;
use crate::proto::{AttributeProto, NodeProto, TensorProto};

/// The attribute of that name.
pub fn find<'a>(node: &'a NodeProto, name: &str) -> Option<&'a AttributeProto> {
    node.attribute.iter().find(|a| a.name() == name)
}

/// The attribute's type; from the fields in use where a very old file does not say it.
pub fn kind(attribute: &AttributeProto) -> AttributeType {
    if attribute.r#type() != AttributeType::Undefined {
        return attribute.r#type();
    }
    match attribute {
        a if a.f.is_some() => AttributeType::Float,
        a if a.i.is_some() => AttributeType::Int,
        a if a.s.is_some() => AttributeType::String,
        a if a.t.is_some() => AttributeType::Tensor,
        a if a.g.is_some() => AttributeType::Graph,
        a if !a.floats.is_empty() => AttributeType::Floats,
        a if !a.ints.is_empty() => AttributeType::Ints,
        a if !a.strings.is_empty() => AttributeType::Strings,
        _ => AttributeType::Undefined,
    }
}

/// The name a schema has for an attribute's type.
pub fn kind_name(kind: AttributeType) -> &'static str {
    match kind {
        AttributeType::Undefined => "undefined",
        AttributeType::Float => "float",
        AttributeType::Int => "int",
        AttributeType::String => "string",
        AttributeType::Tensor => "tensor",
        AttributeType::Graph => "graph",
        AttributeType::SparseTensor => "sparse_tensor",
        AttributeType::TypeProto => "type_proto",
        AttributeType::Floats => "floats",
        AttributeType::Ints => "ints",
        AttributeType::Strings => "strings",
        AttributeType::Tensors => "tensors",
        AttributeType::Graphs => "graphs",
        AttributeType::SparseTensors => "sparse_tensors",
        AttributeType::TypeProtos => "type_protos",
    }
}

/// An integer, or the default. (A writer may leave out a field that is zero: an attribute without value is 0.)
pub fn int(node: &NodeProto, name: &str, default: i64) -> i64 {
    find(node, name).map_or(default, AttributeProto::i)
}

/// A float, or the default.
pub fn float(node: &NodeProto, name: &str, default: f32) -> f32 {
    find(node, name).map_or(default, AttributeProto::f)
}

/// Integers, where the attribute is there.
pub fn ints<'a>(node: &'a NodeProto, name: &str) -> Option<&'a [i64]> {
    find(node, name).map(|a| a.ints.as_slice())
}

/// Floats, where the attribute is there.
pub fn floats<'a>(node: &'a NodeProto, name: &str) -> Option<&'a [f32]> {
    find(node, name).map(|a| a.floats.as_slice())
}

/// A tensor, where the attribute is there.
pub fn tensor<'a>(node: &'a NodeProto, name: &str) -> Option<&'a TensorProto> {
    find(node, name).and_then(|a| a.t.as_deref())
}

/// A string, or the default; an error when it is not UTF-8.
pub fn string<'a>(node: &'a NodeProto, name: &str, default: &'a str) -> Result<&'a str, ProblemKind> {
    let Some(bytes) = find(node, name).and_then(|a| a.s.as_ref()) else { return Ok(default) };
    std::str::from_utf8(bytes)
        .map_err(|_| ProblemKind::BadValue { value: format!("{bytes:?}"), reason: "UTF-8 is expected".to_owned() })
}
