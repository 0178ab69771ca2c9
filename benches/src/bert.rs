//! A BERT encoder as an exporter without fused operators writes it (PyTorch, opset 13): layer norm, GELU and the mask in
//! single steps, heads by Reshape and Transpose. 128 tokens, width 768, 12 heads.

use bytes::Bytes;
use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension::Value as DimValue};
use egret_onnx::proto::type_proto::{Tensor, Value as TypeValue};
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto,
};

const TOKENS: i64 = 128;
const WIDTH: i64 = 768;
const HEADS: i64 = 12;
const F32: i32 = 1;
const I64: i32 = 7;

/// Weights of distinct values that share one buffer: each is the buffer from another place on.
struct Weights {
    data: Bytes,
    used: usize,
}

impl Weights {
    fn new(layers: usize) -> Self {
        let largest = (4 * WIDTH * WIDTH) as usize;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let number = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 0.08
        };
        let numbers: Vec<f32> = (0..largest + 16 * (layers + 1)).map(number).collect();
        Self { data: numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>().into(), used: 0 }
    }

    fn next(&mut self, elements: i64) -> Bytes {
        let start = 4 * self.used;
        self.used += 1;
        self.data.slice(start..start + 4 * elements as usize)
    }
}

struct Builder {
    graph: GraphProto,
    weights: Weights,
}

impl Builder {
    fn weight(&mut self, name: &str, dims: &[i64]) -> String {
        let raw_data = Some(self.weights.next(dims.iter().product()));
        let (name, dims) = (name.to_owned(), dims.to_vec());
        let proto =
            TensorProto { name: Some(name.clone()), data_type: Some(F32), dims, raw_data, ..Default::default() };
        self.graph.initializer.push(proto);
        name
    }

    fn node(&mut self, op: &str, inputs: &[&str], output: &str) -> String {
        self.node_with(op, inputs, output, Vec::new())
    }

    fn node_with(&mut self, op: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> String {
        self.graph.node.push(NodeProto {
            op_type: Some(op.to_owned()),
            name: Some(format!("/{output}/{op}")),
            input: inputs.iter().map(|s| (*s).to_owned()).collect(),
            output: vec![output.to_owned()],
            attribute,
            ..Default::default()
        });
        output.to_owned()
    }

    fn linear(&mut self, x: &str, name: &str, from: i64, to: i64) -> String {
        let w = self.weight(&format!("{name}.weight"), &[from, to]);
        let b = self.weight(&format!("{name}.bias"), &[to]);
        let product = self.node("MatMul", &[x, &w], &format!("{name}.matmul"));
        self.node("Add", &[&b, &product], &format!("{name}.out"))
    }

    /// Layer norm over the last axis.
    fn norm(&mut self, x: &str, name: &str) -> String {
        let part = |p: &str| format!("{name}.{p}");
        let axes = || vec![ints("axes", &[-1])];
        let mean = self.node_with("ReduceMean", &[x], &part("mean"), axes());
        let centred = self.node("Sub", &[x, &mean], &part("centred"));
        let square = self.node("Pow", &[&centred, "two"], &part("square"));
        let variance = self.node_with("ReduceMean", &[&square], &part("variance"), axes());
        let shifted = self.node("Add", &[&variance, "epsilon"], &part("shifted"));
        let deviation = self.node("Sqrt", &[&shifted], &part("deviation"));
        let normal = self.node("Div", &[&centred, &deviation], &part("normal"));
        let gain = self.weight(&part("gain"), &[WIDTH]);
        let offset = self.weight(&part("offset"), &[WIDTH]);
        let scaled = self.node("Mul", &[&normal, &gain], &part("scaled"));
        self.node("Add", &[&scaled, &offset], &part("out"))
    }

    fn heads(&mut self, x: &str, name: &str, order: &[i64]) -> String {
        let split = self.node("Reshape", &[x, "split"], &format!("{name}.split"));
        self.node_with("Transpose", &[&split], &format!("{name}.heads"), vec![ints("perm", order)])
    }

    fn layer(&mut self, x: &str, i: usize) -> String {
        let part = |p: &str| format!("layer{i}.{p}");
        let query = self.linear(x, &part("query"), WIDTH, WIDTH);
        let key = self.linear(x, &part("key"), WIDTH, WIDTH);
        let value = self.linear(x, &part("value"), WIDTH, WIDTH);
        let query = self.heads(&query, &part("query"), &[0, 2, 1, 3]);
        let key = self.heads(&key, &part("key"), &[0, 2, 3, 1]);
        let value = self.heads(&value, &part("value"), &[0, 2, 1, 3]);
        let scores = self.node("MatMul", &[&query, &key], &part("scores"));
        let scaled = self.node("Div", &[&scores, "root"], &part("scaled"));
        let masked = self.node("Add", &[&scaled, "penalty"], &part("masked"));
        let softmax = self.node_with("Softmax", &[&masked], &part("softmax"), vec![int("axis", -1)]);
        let mixed = self.node("MatMul", &[&softmax, &value], &part("mixed"));
        let back = self.node_with("Transpose", &[&mixed], &part("back"), vec![ints("perm", &[0, 2, 1, 3])]);
        let joined = self.node("Reshape", &[&back, "join"], &part("joined"));
        let attended = self.linear(&joined, &part("output"), WIDTH, WIDTH);
        let sum = self.node("Add", &[&attended, x], &part("first_sum"));
        let first = self.norm(&sum, &part("first_norm"));
        let wide = self.linear(&first, &part("up"), WIDTH, 4 * WIDTH);
        let scaled = self.node("Div", &[&wide, "sqrt2"], &part("gelu.scaled"));
        let erf = self.node("Erf", &[&scaled], &part("gelu.erf"));
        let shifted = self.node("Add", &[&erf, "one"], &part("gelu.shifted"));
        let product = self.node("Mul", &[&wide, &shifted], &part("gelu.product"));
        let gelu = self.node("Mul", &[&product, "half"], &part("gelu.out"));
        let narrow = self.linear(&gelu, &part("down"), 4 * WIDTH, WIDTH);
        let sum = self.node("Add", &[&narrow, &first], &part("second_sum"));
        self.norm(&sum, &part("second_norm"))
    }
}

fn int(name: &str, i: i64) -> AttributeProto {
    let r#type = Some(AttributeType::Int as i32);
    AttributeProto { name: Some(name.into()), r#type, i: Some(i), ..Default::default() }
}

fn ints(name: &str, list: &[i64]) -> AttributeProto {
    let r#type = Some(AttributeType::Ints as i32);
    AttributeProto { name: Some(name.into()), r#type, ints: list.to_vec(), ..Default::default() }
}

fn value(name: &str, dtype: i32, shape: &[i64]) -> ValueInfoProto {
    let dim = |d: &i64| Dimension { denotation: None, value: Some(DimValue::DimValue(*d)) };
    let shape = TensorShapeProto { dim: shape.iter().map(dim).collect() };
    let tensor = Tensor { elem_type: Some(dtype), shape: Some(shape) };
    let ty = TypeProto { denotation: None, value: Some(TypeValue::TensorType(tensor)) };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(ty), ..Default::default() }
}

/// BERT from the embeddings of its tokens `f32[1,128,768]` and the mask `i64[1,128]` on: positions, a layer norm, then the
/// layers.
pub fn encoder(layers: usize) -> ModelProto {
    let graph = GraphProto { name: Some("bert".into()), ..Default::default() };
    let mut b = Builder { graph, weights: Weights::new(layers) };
    let scalars: [(&str, f32); 8] = [
        ("two", 2.0),
        ("epsilon", 1e-12),
        ("root", 8.0),
        ("sqrt2", std::f32::consts::SQRT_2),
        ("one", 1.0),
        ("half", 0.5),
        ("least", f32::MIN),
        ("whole", 1.0),
    ];
    for (name, x) in scalars {
        let proto =
            TensorProto { name: Some(name.into()), data_type: Some(F32), float_data: vec![x], ..Default::default() };
        b.graph.initializer.push(proto);
    }
    for (name, shape) in [("split", vec![1, TOKENS, HEADS, WIDTH / HEADS]), ("join", vec![1, TOKENS, WIDTH])] {
        let dims = vec![shape.len() as i64];
        let proto = TensorProto {
            name: Some(name.into()),
            data_type: Some(I64),
            dims,
            int64_data: shape,
            ..Default::default()
        };
        b.graph.initializer.push(proto);
    }
    let axes = TensorProto {
        name: Some("mask.axes".into()),
        data_type: Some(I64),
        dims: vec![2],
        int64_data: vec![1, 2],
        ..Default::default()
    };
    b.graph.initializer.push(axes);
    let wide = b.node("Unsqueeze", &["mask", "mask.axes"], "mask.wide");
    let float = b.node_with("Cast", &[&wide], "mask.float", vec![int("to", i64::from(F32))]);
    let off = b.node("Sub", &["whole", &float], "mask.off");
    b.node("Mul", &[&off, "least"], "penalty");
    let positions = b.weight("positions", &[TOKENS, WIDTH]);
    let sum = b.node("Add", &["tokens", &positions], "embedded");
    let mut x = b.norm(&sum, "embedded_norm");
    for i in 0..layers {
        x = b.layer(&x, i);
    }
    b.graph.input = vec![value("tokens", F32, &[1, TOKENS, WIDTH]), value("mask", I64, &[1, TOKENS])];
    b.graph.output = vec![value(&x, F32, &[1, TOKENS, WIDTH])];
    ModelProto {
        ir_version: Some(7),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(13) }],
        graph: Some(b.graph),
        ..Default::default()
    }
}
