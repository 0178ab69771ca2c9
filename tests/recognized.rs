//! What exporters write in several nodes is one node of the result: small models, optimized, with the operators that are
//! left, and the values held against those of the model as it came.

use egret_onnx::ReadOptions;
use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto, tensor_shape_proto, type_proto,
};
use egret_verification::onnxruntime::{self, Level};
use egret_verification::{Model, Options, Subject, Verdict, verify};
use prost::Message as _;

const FLOAT: i32 = 1;

/// A model under construction.
struct Net(ModelProto);

impl Net {
    fn new(opset: i64) -> Self {
        Self(ModelProto {
            ir_version: Some(10),
            opset_import: vec![OperatorSetIdProto { domain: None, version: Some(opset) }],
            graph: Some(GraphProto { name: Some("g".into()), ..Default::default() }),
            ..Default::default()
        })
    }

    fn graph(&mut self) -> &mut GraphProto {
        self.0.graph.get_or_insert_default()
    }

    fn input(&mut self, name: &str, shape: &[i64]) {
        let value = value(name, shape);
        self.graph().input.push(value);
    }

    fn output(&mut self, name: &str, shape: &[i64]) {
        let value = value(name, shape);
        self.graph().output.push(value);
    }

    /// A weight of small numbers that differ.
    fn weight(&mut self, name: &str, shape: &[i64]) {
        let n: i64 = shape.iter().product();
        let seed = name.bytes().fold(7, |s, b| s * 31 + i64::from(b));
        let element = |i: i64| ((i * 7 + seed) % 23 - 11) as f32 / 16.0;
        self.initializer(name, shape, &(0..n).map(element).collect::<Vec<_>>());
    }

    fn initializer(&mut self, name: &str, shape: &[i64], values: &[f32]) {
        self.graph().initializer.push(TensorProto {
            name: Some(name.into()),
            dims: shape.to_vec(),
            data_type: Some(FLOAT),
            float_data: values.to_vec(),
            ..Default::default()
        });
    }

    fn node(&mut self, op: &str, reads: &[&str], write: &str, attributes: Vec<AttributeProto>) {
        let node = NodeProto {
            op_type: Some(op.into()),
            name: Some(write.into()),
            input: reads.iter().map(|s| (*s).to_owned()).collect(),
            output: vec![write.to_owned()],
            attribute: attributes,
            ..Default::default()
        };
        self.graph().node.push(node);
    }

    /// The operators of the optimized model, whose values are checked: by the interpreter, and by ONNX Runtime where it is.
    fn optimized(&self) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.onnx");
        std::fs::write(&path, self.0.encode_to_vec()).expect("writable");
        let done = egret::optimize(&path, &egret::OptimizeOptions::default(), &|_| {}).expect("optimizes");
        let bytes = done.bytes().expect("encodes");
        let proto = egret_onnx::decode(bytes.clone().into()).expect("a model");
        let read = |name: &str, bytes: Vec<u8>| {
            Model::from_bytes(name, bytes.into(), None, &ReadOptions::default()).expect("reads back")
        };
        let (before, after) = (read("before", self.0.encode_to_vec()), read("after", bytes));
        let options = Options { threads: 1, ..Options::default() };
        let report = verify(&before, &mut Subject::interpreter(&after), &options).expect("runs");
        assert_eq!(report.verdict, Verdict::Equal, "{report}");
        if onnxruntime::library().is_ok() {
            let mut subject = Subject::onnxruntime(&after, Level::Off, 1);
            let report = verify(&before, &mut subject, &options).expect("runs");
            assert_eq!(report.verdict, Verdict::Equal, "{report}");
        }
        let nodes = proto.graph.map(|g| g.node).unwrap_or_default();
        nodes.iter().map(|n| n.op_type().to_owned()).collect()
    }
}

fn value(name: &str, shape: &[i64]) -> ValueInfoProto {
    let dim = shape.iter().map(|d| tensor_shape_proto::Dimension {
        value: Some(tensor_shape_proto::dimension::Value::DimValue(*d)),
        ..Default::default()
    });
    let tensor = type_proto::Tensor { elem_type: Some(FLOAT), shape: Some(TensorShapeProto { dim: dim.collect() }) };
    ValueInfoProto {
        name: Some(name.into()),
        r#type: Some(TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..Default::default() }),
        ..Default::default()
    }
}

fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Int as i32),
        i: Some(value),
        ..Default::default()
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Ints as i32),
        ints: values.to_vec(),
        ..Default::default()
    }
}

fn count(ops: &[String], op: &str) -> usize {
    ops.iter().filter(|o| *o == op).count()
}

/// RMS normalization as exporters of language models write it, between two products.
fn rms(opset: i64, reciprocal: bool) -> Net {
    let mut n = Net::new(opset);
    n.input("x", &[1, 6, 16]);
    n.initializer("two", &[], &[2.0]);
    n.initializer("epsilon", &[], &[1e-6]);
    n.weight("gamma", &[16]);
    n.weight("w", &[16, 16]);
    n.node("MatMul", &["x", "w"], "h", vec![]);
    n.node("Pow", &["h", "two"], "square", vec![]);
    if opset >= 18 {
        let axes = TensorProto {
            name: Some("axes".into()),
            dims: vec![1],
            data_type: Some(7),
            int64_data: vec![-1],
            ..Default::default()
        };
        n.graph().initializer.push(axes);
        n.node("ReduceMean", &["square", "axes"], "mean", vec![]);
    } else {
        n.node("ReduceMean", &["square"], "mean", vec![ints("axes", &[-1])]);
    }
    n.node("Add", &["mean", "epsilon"], "shifted", vec![]);
    n.node("Sqrt", &["shifted"], "root", vec![]);
    if reciprocal {
        n.node("Reciprocal", &["root"], "inverse", vec![]);
        n.node("Mul", &["h", "inverse"], "normal", vec![]);
    } else {
        n.node("Div", &["h", "root"], "normal", vec![]);
    }
    n.node("Mul", &["gamma", "normal"], "scaled", vec![]);
    n.node("MatMul", &["scaled", "w"], "y", vec![]);
    n.output("y", &[1, 6, 16]);
    n
}

#[test]
fn rms_normalization_is_one_node_where_onnx_has_it() {
    for reciprocal in [true, false] {
        assert_eq!(rms(23, reciprocal).optimized(), ["MatMul", "RMSNormalization", "MatMul"]);
        for opset in [13, 18] {
            let net = rms(opset, reciprocal);
            let (before, after) = (net.0.graph.as_ref().map_or(0, |g| g.node.len()), net.optimized());
            assert!(after.len() <= before && count(&after, "RMSNormalization") == 0, "opset {opset}: {after:?}");
        }
    }
}

/// One new position attends to those before and itself; keys and values are joined before.
fn attention(past: i64) -> Net {
    let mut n = Net::new(17);
    let (heads, width) = (4, 64);
    n.input("q", &[1, heads, 1, width]);
    for name in ["k", "v"] {
        n.input(&format!("past_{name}"), &[1, heads, past, width]);
        n.input(name, &[1, heads, 1, width]);
        n.node("Concat", &[&format!("past_{name}"), name], &format!("all_{name}"), vec![int("axis", 2)]);
    }
    n.node("Transpose", &["all_k"], "keys", vec![ints("perm", &[0, 1, 3, 2])]);
    n.node("MatMul", &["q", "keys"], "scores", vec![]);
    n.node("Softmax", &["scores"], "p", vec![int("axis", -1)]);
    n.node("MatMul", &["p", "all_v"], "y", vec![]);
    n.output("y", &[1, heads, 1, width]);
    n
}

#[test]
fn attention_over_joined_values_takes_the_parts_where_that_is_cheaper() {
    // Joining 2047 rows of 64 costs more than four small nodes; joining 7 does not.
    let long = attention(2047).optimized();
    assert_eq!((count(&long, "MatMul"), count(&long, "Add")), (4, 1), "{long:?}");
    let short = attention(7).optimized();
    assert_eq!((count(&short, "MatMul"), count(&short, "Concat")), (2, 2), "{short:?}");
}

/// Two pointwise convolutions of one input with biases and activations, as in an Inception block.
fn branches(activations: [&str; 2]) -> Net {
    let mut n = Net::new(17);
    n.input("x", &[1, 32, 14, 14]);
    for ((name, channels), activation) in [("a", 24), ("b", 40)].into_iter().zip(activations) {
        let (w, b, c) = (format!("w{name}"), format!("b{name}"), format!("c{name}"));
        n.weight(&w, &[channels, 32, 1, 1]);
        n.weight(&b, &[channels]);
        n.node("Conv", &["x", &w, &b], &c, vec![]);
        n.node(activation, &[&c], name, vec![]);
        n.output(name, &[1, channels, 14, 14]);
    }
    n
}

#[test]
fn parallel_convolutions_of_one_input_are_one_where_nodes_are_spared() {
    assert_eq!(branches(["Relu", "Relu"]).optimized(), ["Conv", "Relu", "Split"]);
    // With activations of their own, the Split costs what the second convolution did.
    assert_eq!(count(&branches(["Relu", "Sigmoid"]).optimized(), "Conv"), 2);
}
