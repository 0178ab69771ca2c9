//! Writes a small text recognizer with seeded random weights, as an exporter would write it.
//!
//! `cargo run --example make_model -- FILE.onnx`
//!
//! An image x: f32 [1, 3, 32, 128] goes through convolutions with batch norms left apart, a
//! depthwise convolution and a hard swish; its columns become a sequence; one attention layer with
//! a layer norm written out in single operators reads it; the output y: f32 [1, 32, 40] holds the
//! probabilities of 40 characters at 32 places. The same bytes come out at every run.

use std::process::ExitCode;

use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::tensor_proto::DataType;
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension};
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto, type_proto,
};
use prost::Message;

/// A graph under construction.
struct Net {
    graph: GraphProto,
    seed: u64,
}

impl Net {
    /// Adds a node and gives the name of its only output.
    fn op(&mut self, kind: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        let number = self.graph.node.len();
        let output = format!("{}_{number}", kind.to_lowercase());
        self.graph.node.push(NodeProto {
            op_type: Some(kind.into()),
            name: Some(format!("/{kind}_{number}")),
            input: inputs.iter().map(|&i| i.into()).collect(),
            output: vec![output.clone()],
            attribute: attributes,
            ..NodeProto::default()
        });
        output
    }

    fn tensor(&mut self, dims: &[i64], dtype: DataType, raw: Vec<u8>) -> String {
        let name = format!("w_{}", self.graph.initializer.len());
        self.graph.initializer.push(TensorProto {
            name: Some(name.clone()),
            dims: dims.to_vec(),
            data_type: Some(dtype as i32),
            raw_data: Some(raw.into()),
            ..TensorProto::default()
        });
        name
    }

    fn floats(&mut self, dims: &[i64], values: &[f32]) -> String {
        let raw = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensor(dims, DataType::Float, raw)
    }

    fn ints(&mut self, values: &[i64]) -> String {
        let raw = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.tensor(&[values.len() as i64], DataType::Int64, raw)
    }

    fn scalar(&mut self, value: f32) -> String {
        self.floats(&[], &[value])
    }

    /// A number of mean 0 and deviation 1: the sum of twelve uniform ones, each from a step of a
    /// linear congruential generator (Knuth's MMIX constants).
    fn normal(&mut self) -> f32 {
        let mut uniform = || {
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.seed >> 40) as f32 / (1u64 << 24) as f32
        };
        (0..12).map(|_| uniform()).sum::<f32>() - 6.0
    }

    /// Random weights `mean + deviation * normal`.
    fn weights(&mut self, dims: &[i64], mean: f32, deviation: f32) -> String {
        let count = dims.iter().product::<i64>();
        let values: Vec<f32> = (0..count).map(|_| mean + deviation * self.normal()).collect();
        self.floats(dims, &values)
    }

    /// Convolution, batch norm. `weights` is [out, in / groups, k, k].
    fn conv_norm(&mut self, x: &str, weights: [i64; 4], stride: [i64; 2], groups: i64) -> String {
        let [out, per_group, k, _] = weights;
        let deviation = (2.0 / (per_group * k * k) as f32).sqrt();
        let w = self.weights(&weights, 0.0, deviation);
        let pad = k / 2;
        let y = self.op(
            "Conv",
            &[x, &w],
            vec![
                ints("kernel_shape", &[k, k]),
                ints("strides", &stride),
                ints("pads", &[pad; 4]),
                int("group", groups),
            ],
        );
        let [scale, bias, mean] =
            [(1.0, 0.1), (0.0, 0.1), (0.0, 0.1)].map(|(mean, deviation)| self.weights(&[out], mean, deviation));
        let variance = self.weights(&[out], 1.0, 0.05);
        self.op("BatchNormalization", &[&y, &scale, &bias, &mean, &variance], vec![float("epsilon", 1e-5)])
    }

    fn relu(&mut self, x: &str) -> String {
        self.op("Relu", &[x], vec![])
    }

    /// x * clip(x + 3, 0, 6) / 6.
    fn hard_swish(&mut self, x: &str) -> String {
        let (three, zero, six) = (self.scalar(3.0), self.scalar(0.0), self.scalar(6.0));
        let shifted = self.op("Add", &[x, &three], vec![]);
        let gate = self.op("Clip", &[&shifted, &zero, &six], vec![]);
        let product = self.op("Mul", &[x, &gate], vec![]);
        self.op("Div", &[&product, &six], vec![])
    }

    /// x W + b over the last dimension.
    fn linear(&mut self, x: &str, n_in: i64, n_out: i64) -> String {
        let w = self.weights(&[n_in, n_out], 0.0, (1.0 / n_in as f32).sqrt());
        let b = self.weights(&[n_out], 0.0, 0.1);
        let y = self.op("MatMul", &[x, &w], vec![]);
        self.op("Add", &[&b, &y], vec![])
    }

    /// Layer norm over the last dimension of size `n`, in single operators.
    fn layer_norm(&mut self, x: &str, n: i64) -> String {
        let last = || vec![ints("axes", &[-1])];
        let (two, eps) = (self.scalar(2.0), self.scalar(1e-5));
        let mean = self.op("ReduceMean", &[x], last());
        let centred = self.op("Sub", &[x, &mean], vec![]);
        let square = self.op("Pow", &[&centred, &two], vec![]);
        let variance = self.op("ReduceMean", &[&square], last());
        let safe = self.op("Add", &[&variance, &eps], vec![]);
        let deviation = self.op("Sqrt", &[&safe], vec![]);
        let normed = self.op("Div", &[&centred, &deviation], vec![]);
        let (scale, bias) = (self.weights(&[n], 1.0, 0.1), self.weights(&[n], 0.0, 0.1));
        let scaled = self.op("Mul", &[&normed, &scale], vec![]);
        self.op("Add", &[&scaled, &bias], vec![])
    }

    /// [1, sequence, hidden] to [1, heads, sequence, hidden / heads], or with the last two
    /// dimensions exchanged; the shape is computed, as exporters do it.
    fn heads(&mut self, x: &str, heads: i64, width: i64, perm: &[i64]) -> String {
        let shape = self.op("Shape", &[x], vec![]);
        let (from, to, split) = (self.ints(&[0]), self.ints(&[2]), self.ints(&[heads, width]));
        let leading = self.op("Slice", &[&shape, &from, &to], vec![]);
        let shape = self.op("Concat", &[&leading, &split], vec![int("axis", 0)]);
        let x = self.op("Reshape", &[x, &shape], vec![]);
        self.op("Transpose", &[&x], vec![ints("perm", perm)])
    }
}

fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Int as i32),
        i: Some(value),
        ..AttributeProto::default()
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Ints as i32),
        ints: values.to_vec(),
        ..AttributeProto::default()
    }
}

fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Float as i32),
        f: Some(value),
        ..AttributeProto::default()
    }
}

fn value_info(name: &str, dims: &[i64]) -> ValueInfoProto {
    let dim = |&d: &i64| Dimension { value: Some(dimension::Value::DimValue(d)), ..Dimension::default() };
    let tensor = type_proto::Tensor {
        elem_type: Some(DataType::Float as i32),
        shape: Some(TensorShapeProto { dim: dims.iter().map(dim).collect() }),
    };
    let value = Some(type_proto::Value::TensorType(tensor));
    ValueInfoProto {
        name: Some(name.into()),
        r#type: Some(TypeProto { value, ..TypeProto::default() }),
        ..ValueInfoProto::default()
    }
}

fn recognizer() -> ModelProto {
    let graph = GraphProto {
        name: Some("recognizer".into()),
        input: vec![value_info("x", &[1, 3, 32, 128])],
        ..GraphProto::default()
    };
    let mut net = Net { graph, seed: 1 };
    let (hidden, heads) = (64, 2);
    let width = hidden / heads;

    // The image: [1, 3, 32, 128] to [1, 64, 4, 32].
    let x = net.conv_norm("x", [16, 3, 3, 3], [2, 2], 1);
    let x = net.relu(&x);
    let x = net.conv_norm(&x, [16, 1, 3, 3], [2, 1], 16);
    let x = net.hard_swish(&x);
    let x = net.conv_norm(&x, [hidden, 16, 1, 1], [1, 1], 1);
    let x = net.hard_swish(&x);
    let y = net.conv_norm(&x, [hidden, hidden, 3, 3], [1, 1], 1);
    let sum = net.op("Add", &[&x, &y], vec![]);
    let x = net.relu(&sum);
    let x = net.op("MaxPool", &[&x], vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])]);

    // Columns become a sequence: [1, 64, 4, 32] to [1, 32, 64].
    let x = net.op("ReduceMean", &[&x], vec![ints("axes", &[2]), int("keepdims", 0)]);
    let x = net.op("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);

    // One layer of attention, with its residual.
    let n = net.layer_norm(&x, hidden);
    let [q, k, v] = [(); 3].map(|()| net.linear(&n, hidden, hidden));
    let q = net.heads(&q, heads, width, &[0, 2, 1, 3]);
    let k = net.heads(&k, heads, width, &[0, 2, 3, 1]);
    let v = net.heads(&v, heads, width, &[0, 2, 1, 3]);
    let root = net.scalar((width as f32).sqrt());
    let scores = net.op("MatMul", &[&q, &k], vec![]);
    let scores = net.op("Div", &[&scores, &root], vec![]);
    let scores = net.op("Softmax", &[&scores], vec![int("axis", -1)]);
    let context = net.op("MatMul", &[&scores, &v], vec![]);
    let context = net.op("Transpose", &[&context], vec![ints("perm", &[0, 2, 1, 3])]);
    let merged = net.ints(&[0, 0, hidden]);
    let context = net.op("Reshape", &[&context, &merged], vec![]);
    let attended = net.linear(&context, hidden, hidden);
    let x = net.op("Add", &[&x, &attended], vec![]);

    // Characters: [1, 32, 40].
    let n = net.layer_norm(&x, hidden);
    let logits = net.linear(&n, hidden, 40);
    net.op("Softmax", &[&logits], vec![int("axis", -1)]);
    net.graph.node.last_mut().expect("a node was just added").output = vec!["y".into()];
    net.graph.output = vec![value_info("y", &[1, 32, 40])];

    ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto { domain: Some(String::new()), version: Some(13) }],
        producer_name: Some("egret".into()),
        graph: Some(net.graph),
        ..ModelProto::default()
    }
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: make_model FILE.onnx");
        return ExitCode::from(2);
    };
    match std::fs::write(&path, recognizer().encode_to_vec()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}
