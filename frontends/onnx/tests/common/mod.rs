//! Builds small models in tests.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod choose;
pub mod expected;

use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension::Value as DimValue};
use egret_onnx::proto::type_proto::{Tensor, Value as TypeValue};
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto,
};
use egret_onnx::{Imported, Problem, ReadOptions, read_bytes};
use prost::Message;

pub const F32: i32 = 1;
pub const I64: i32 = 7;

/// A tensor type; a text extent is a symbol.
pub fn value(name: &str, dtype: i32, shape: &[&str]) -> ValueInfoProto {
    let dim = |d: &&str| Dimension {
        denotation: None,
        value: match d.parse() {
            Ok(n) => Some(DimValue::DimValue(n)),
            Err(_) if d.is_empty() => None,
            Err(_) => Some(DimValue::DimParam((*d).to_owned())),
        },
    };
    let tensor =
        Tensor { elem_type: Some(dtype), shape: Some(TensorShapeProto { dim: shape.iter().map(dim).collect() }) };
    let ty = TypeProto { denotation: None, value: Some(TypeValue::TensorType(tensor)) };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(ty), ..Default::default() }
}

pub fn node(op: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    NodeProto {
        op_type: Some(op.to_owned()),
        name: Some(format!("the_{op}")),
        input: inputs.iter().map(|s| (*s).to_owned()).collect(),
        output: outputs.iter().map(|s| (*s).to_owned()).collect(),
        ..Default::default()
    }
}

pub trait With {
    fn with(self, attribute: AttributeProto) -> Self;
}

impl With for NodeProto {
    fn with(mut self, attribute: AttributeProto) -> Self {
        self.attribute.push(attribute);
        self
    }
}

pub fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Int as i32),
        i: Some(i),
        ..Default::default()
    }
}

pub fn float(name: &str, f: f32) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Float as i32),
        f: Some(f),
        ..Default::default()
    }
}

pub fn ints(name: &str, list: &[i64]) -> AttributeProto {
    let r#type = Some(AttributeType::Ints as i32);
    AttributeProto { name: Some(name.into()), r#type, ints: list.to_vec(), ..Default::default() }
}

pub fn body(name: &str, graph: GraphProto) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Graph as i32),
        g: Some(Box::new(graph)),
        ..Default::default()
    }
}

pub fn floats(name: &str, dims: &[i64], data: &[f32]) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        data_type: Some(F32),
        dims: dims.to_vec(),
        float_data: data.to_vec(),
        ..Default::default()
    }
}

pub fn longs(name: &str, dims: &[i64], data: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        data_type: Some(I64),
        dims: dims.to_vec(),
        int64_data: data.to_vec(),
        ..Default::default()
    }
}

pub fn graph(nodes: Vec<NodeProto>, inputs: Vec<ValueInfoProto>, outputs: Vec<ValueInfoProto>) -> GraphProto {
    GraphProto { name: Some("g".into()), node: nodes, input: inputs, output: outputs, ..Default::default() }
}

pub fn model(opset: i64, graph: GraphProto) -> ModelProto {
    ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(opset) }],
        graph: Some(graph),
        ..Default::default()
    }
}

pub fn import(model: &ModelProto) -> Result<Imported, Vec<Problem>> {
    import_with(model, &ReadOptions::default())
}

pub fn import_with(model: &ModelProto, options: &ReadOptions) -> Result<Imported, Vec<Problem>> {
    read_bytes(model.encode_to_vec().into(), None, options).map_err(|e| e.problems)
}

/// The problems as a person sees them.
pub fn messages(model: &ModelProto) -> Vec<String> {
    match import(model) {
        Ok(_) => panic!("the model should not import"),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}
