//! Messages of the exported model, one at a time.

use egret_ir::{Dim, Tensor, Type};

use super::Attribute;
use crate::proto::attribute_proto::AttributeType;
use crate::proto::tensor_shape_proto::{Dimension, dimension};
use crate::proto::type_proto::Value as TypeValue;
use crate::proto::{AttributeProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto, type_proto};
use crate::tensor;

/// A tensor with raw data.
pub fn raw(name: &str, t: &Tensor) -> TensorProto {
    TensorProto {
        dims: t.shape().iter().map(|d| *d as i64).collect(),
        data_type: Some(tensor::code(t.dtype())),
        name: Some(name.to_owned()),
        raw_data: Some(t.bytes().clone()),
        ..TensorProto::default()
    }
}

/// An attribute of a template's node.
pub fn attribute(name: &str, value: &Attribute) -> AttributeProto {
    let mut a = AttributeProto { name: Some(name.to_owned()), ..AttributeProto::default() };
    let kind = match value {
        Attribute::Int(i) => {
            a.i = Some(*i);
            AttributeType::Int
        }
        Attribute::Float(f) => {
            a.f = Some(*f);
            AttributeType::Float
        }
        Attribute::Ints(list) => {
            a.ints.clone_from(list);
            AttributeType::Ints
        }
        Attribute::Text(text) => {
            a.s = Some(text.clone().into_bytes());
            AttributeType::String
        }
    };
    a.r#type = Some(kind as i32);
    a
}

/// The declaration of a constant as an input.
pub fn declaration(t: &TensorProto) -> ValueInfoProto {
    let dim = |d: &i64| Dimension { value: Some(dimension::Value::DimValue(*d)), ..Dimension::default() };
    let shape = TensorShapeProto { dim: t.dims.iter().map(dim).collect() };
    let tensor = type_proto::Tensor { elem_type: t.data_type, shape: Some(shape) };
    let ty = TypeProto { value: Some(TypeValue::TensorType(tensor)), ..TypeProto::default() };
    ValueInfoProto { name: t.name.clone(), r#type: Some(ty), ..ValueInfoProto::default() }
}

/// The declaration of a value of a body; extents that are no numbers stay open.
pub fn info(name: &str, ty: &Type) -> ValueInfoProto {
    let tensor = ty.as_tensor().map(|t| {
        let dim = |d: &Dim| Dimension { value: d.as_const().map(dimension::Value::DimValue), ..Dimension::default() };
        let shape = TensorShapeProto { dim: t.shape.iter().map(dim).collect() };
        let tensor = type_proto::Tensor { elem_type: Some(tensor::code(t.dtype)), shape: Some(shape) };
        TypeProto { value: Some(TypeValue::TensorType(tensor)), ..TypeProto::default() }
    });
    ValueInfoProto { name: Some(name.to_owned()), r#type: tensor, ..ValueInfoProto::default() }
}

/// The declaration of a value: open extents by name where they are a symbol, else left open.
pub fn value_info(name: &str, ty: &Type) -> ValueInfoProto {
    let mut info = ValueInfoProto { name: Some(name.to_owned()), ..ValueInfoProto::default() };
    if let Some(t) = ty.as_tensor() {
        let dim = |d: &Dim| {
            let number = d.as_const().map(dimension::Value::DimValue);
            let symbol = || d.as_symbol().map(|s| dimension::Value::DimParam(s.name().to_owned()));
            Dimension { value: number.or_else(symbol), ..Dimension::default() }
        };
        let shape = TensorShapeProto { dim: t.shape.iter().map(dim).collect() };
        let tensor = type_proto::Tensor { elem_type: Some(tensor::code(t.dtype)), shape: Some(shape) };
        info.r#type = Some(TypeProto { value: Some(TypeValue::TensorType(tensor)), ..TypeProto::default() });
    }
    info
}

/// Puts numbers in place of open extents of a declared tensor type; whether any was.
pub fn put_extents(v: &mut ValueInfoProto, ty: &Type) -> bool {
    let Type::Tensor(t) = ty else { return false };
    let Some(TypeValue::TensorType(declared)) = v.r#type.as_mut().and_then(|t| t.value.as_mut()) else { return false };
    let open = || Dimension::default();
    let shape =
        declared.shape.get_or_insert_with(|| TensorShapeProto { dim: t.shape.iter().map(|_| open()).collect() });
    if shape.dim.len() != t.shape.len() {
        return false;
    }
    let mut changed = false;
    for (slot, d) in shape.dim.iter_mut().zip(&t.shape) {
        let is_number = matches!(slot.value, Some(dimension::Value::DimValue(n)) if n >= 0);
        if let (false, Some(n)) = (is_number, Dim::as_const(d)) {
            slot.value = Some(dimension::Value::DimValue(n));
            changed = true;
        }
    }
    changed
}
