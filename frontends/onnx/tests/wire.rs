//! Decoding against `prost`, which knows nothing of the shortcuts: the same messages, and refused where it refuses.

use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension};
use egret_onnx::proto::type_proto::{self, Value};
use egret_onnx::proto::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    StringStringEntryProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto,
};
use proptest::prelude::*;
use prost::Message;

fn tensor(name: &str) -> TensorProto {
    TensorProto {
        dims: vec![2, 300, -1],
        data_type: Some(1),
        name: Some(name.to_owned()),
        float_data: vec![1.5, -2.0],
        int32_data: vec![-1, 7],
        string_data: vec![b"\xff".to_vec()],
        int64_data: vec![i64::MIN],
        double_data: vec![0.25],
        uint64_data: vec![u64::MAX],
        raw_data: Some(vec![1, 2, 3].into()),
        external_data: vec![StringStringEntryProto { key: Some("location".to_owned()), value: Some("w".to_owned()) }],
        data_location: Some(1),
        doc_string: Some("doc".to_owned()),
        ..TensorProto::default()
    }
}

fn value(name: &str) -> ValueInfoProto {
    let dims = [Some(dimension::Value::DimValue(-3)), Some(dimension::Value::DimParam("seq".to_owned())), None];
    let dim = dims.map(|value| Dimension { denotation: Some("axis".to_owned()), value }).to_vec();
    let tensor = type_proto::Tensor { elem_type: Some(16), shape: Some(TensorShapeProto { dim }) };
    let ty = TypeProto { denotation: Some("t".to_owned()), value: Some(Value::TensorType(tensor)) };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(ty),
        doc_string: Some(String::new()),
        ..Default::default()
    }
}

fn sequence(name: &str) -> ValueInfoProto {
    let sequence = type_proto::Sequence { elem_type: value("").r#type.map(Box::new) };
    let ty = TypeProto { denotation: None, value: Some(Value::SequenceType(Box::new(sequence))) };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(ty), ..Default::default() }
}

fn attribute(name: &str) -> AttributeProto {
    AttributeProto {
        name: Some(name.to_owned()),
        ref_attr_name: Some("of".to_owned()),
        r#type: Some(7),
        f: Some(0.5),
        i: Some(-9),
        s: Some(b"\x00\xfe".to_vec()),
        t: Some(Box::new(tensor("t"))),
        floats: vec![1.0, 2.0],
        ints: vec![0, -1, 1 << 40],
        strings: vec![Vec::new(), b"x".to_vec()],
        tensors: vec![tensor("u"), TensorProto::default()],
        type_protos: value("").r#type.into_iter().collect(),
        ..AttributeProto::default()
    }
}

fn node(op: &str, attributes: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        input: vec!["x".to_owned(), String::new(), "é".to_owned()],
        output: vec!["y".to_owned()],
        name: Some("n".to_owned()),
        op_type: Some(op.to_owned()),
        domain: Some("d".to_owned()),
        overload: Some("o".to_owned()),
        attribute: attributes,
        doc_string: Some("doc".to_owned()),
        metadata_props: vec![StringStringEntryProto { key: Some("k".to_owned()), value: None }],
        ..NodeProto::default()
    }
}

/// A graph in which every field is used; `depth` bodies inside each other.
fn graph(depth: usize) -> GraphProto {
    let mut attributes = vec![attribute("a")];
    if depth > 0 {
        attributes.push(AttributeProto {
            name: Some("body".to_owned()),
            g: Some(Box::new(graph(depth - 1))),
            graphs: vec![GraphProto::default()],
            ..AttributeProto::default()
        });
    }
    GraphProto {
        node: vec![node("If", attributes), node("Relu", Vec::new()), NodeProto::default()],
        name: Some("g".to_owned()),
        initializer: vec![tensor("w"), TensorProto::default()],
        sparse_initializer: vec![SparseTensorProto { values: Some(tensor("s")), indices: None, dims: vec![4] }],
        doc_string: Some("doc".to_owned()),
        input: vec![value("x"), sequence("q"), ValueInfoProto::default()],
        output: vec![value("y")],
        value_info: vec![value("z")],
        ..GraphProto::default()
    }
}

fn model() -> ModelProto {
    ModelProto {
        ir_version: Some(9),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(20) }],
        producer_name: Some("p".to_owned()),
        graph: Some(graph(1)),
        functions: vec![FunctionProto {
            name: Some("f".to_owned()),
            node: vec![node("Add", vec![attribute("b")])],
            ..FunctionProto::default()
        }],
        ..ModelProto::default()
    }
}

/// Both refuse, or both give the same. (Bytes are compared: a NaN does not equal itself.)
fn agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    let ours = egret_onnx::decode(bytes.to_vec().into()).ok().map(|m| m.encode_to_vec());
    let theirs = ModelProto::decode(bytes).ok().filter(|_| !bytes.is_empty()).map(|m| m.encode_to_vec());
    prop_assert!(ours == theirs, "{:?} bytes here, {:?} there", ours.map(|b| b.len()), theirs.map(|b| b.len()));
    Ok(())
}

#[test]
fn every_field_is_read() {
    let m = model();
    assert_eq!(egret_onnx::decode(m.encode_to_vec().into()).unwrap(), m);
}

#[test]
fn lists_have_the_room_they_take() {
    let m = egret_onnx::decode(model().encode_to_vec().into()).unwrap();
    let g = m.graph.unwrap();
    let n = &g.node[0];
    let rooms = [
        (g.node.len(), g.node.capacity()),
        (g.initializer.len(), g.initializer.capacity()),
        (g.input.len(), g.input.capacity()),
        (n.input.len(), n.input.capacity()),
        (n.output.len(), n.output.capacity()),
        (n.attribute.len(), n.attribute.capacity()),
        (n.attribute[0].ints.len(), n.attribute[0].ints.capacity()),
        (g.initializer[0].dims.len(), g.initializer[0].dims.capacity()),
    ];
    assert!(rooms.iter().all(|(len, room)| len == room), "{rooms:?}");
}

#[test]
fn raw_data_is_not_copied() {
    let bytes: bytes::Bytes = model().encode_to_vec().into();
    let range = bytes.as_ptr_range();
    let m = egret_onnx::decode(bytes).unwrap();
    let attribute = &m.graph.as_ref().unwrap().node[0].attribute;
    let in_body = attribute[1].g.as_ref().unwrap().initializer[0].raw_data.as_ref();
    for raw in [in_body, attribute[0].tensors[0].raw_data.as_ref(), attribute[0].t.as_ref().unwrap().raw_data.as_ref()]
    {
        assert!(range.contains(&raw.unwrap().as_ptr()));
    }
}

#[test]
fn bodies_inside_each_other_are_read_as_deep_as_prost_does() {
    let body = |inner: GraphProto| {
        let attribute = AttributeProto { g: Some(Box::new(inner)), ..AttributeProto::default() };
        GraphProto {
            node: vec![NodeProto { attribute: vec![attribute], ..NodeProto::default() }],
            ..Default::default()
        }
    };
    let mut graph = GraphProto::default();
    let mut read = 0;
    for _ in 0..40 {
        graph = body(graph);
        let bytes = ModelProto { graph: Some(graph.clone()), ..ModelProto::default() }.encode_to_vec();
        agree(&bytes).unwrap();
        read += usize::from(egret_onnx::decode(bytes.into()).is_ok());
    }
    assert_eq!(read, 33);
}

#[test]
fn faults_have_a_place() {
    let mut bytes = model().encode_to_vec();
    bytes.truncate(bytes.len() / 2);
    let error = egret_onnx::decode(bytes.into()).unwrap_err().to_string();
    assert!(error.contains("at byte 8: a field of ") && error.contains(" bytes where fewer are left"), "{error}");
    let unnamed = [0x3a, 0x06, 0x0a, 0x04, 0x1a, 0x02, 0xff, 0xfe];
    let error = egret_onnx::decode(unnamed.to_vec().into()).unwrap_err().to_string();
    assert!(error.contains("at byte 5: invalid utf-8"), "{error}");
}

/// Fields that a list does not have: packed numbers, groups, unknown numbers, keys of more bytes than they need.
#[test]
fn unusual_encodings() {
    let in_graph = |part: &[u8]| {
        let mut bytes = vec![0x3a, part.len() as u8];
        bytes.extend_from_slice(part);
        bytes
    };
    let cases: [&[u8]; 12] = [
        // An initializer with packed extents, and with single ones.
        &[0x2a, 0x04, 0x0a, 0x02, 0x03, 0x04],
        &[0x2a, 0x04, 0x08, 0x03, 0x08, 0x04],
        // A group, closed and not closed, and an end without one.
        &[0xfb, 0x07, 0x08, 0x01, 0xfc, 0x07],
        &[0xfb, 0x07, 0x08, 0x01],
        &[0xfc, 0x07],
        // Field 0; wire types 6 and 7.
        &[0x02, 0x00],
        &[0x0e],
        &[0x0f],
        // An unknown field of each size.
        &[0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xa5, 0x06, 1, 2, 3, 4, 0xa0, 0x06, 0x80, 0x01],
        // A name that is a number, a node that is a number.
        &[0x10, 0x01],
        &[0x08, 0x01],
        // The key of the name, in three bytes.
        &[0x92, 0x80, 0x00, 0x01, b'g'],
    ];
    for case in cases {
        agree(&in_graph(case)).unwrap();
        agree(case).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Bytes changed, left out, repeated; parts of the message again (fields of the two then merge).
    #[test]
    fn damaged_models(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        part in any::<(prop::sample::Index, prop::sample::Index)>(),
        how in 0..4,
    ) {
        let mut bytes = model().encode_to_vec();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let (a, b) = (part.0.index(bytes.len()), part.1.index(bytes.len()));
        match how {
            0 => {}
            1 => bytes.truncate(cut.index(bytes.len())),
            2 => drop(bytes.drain(a.min(b)..a.max(b))),
            _ => bytes.extend(bytes.clone()),
        }
        agree(&bytes)?;
    }
}
