//! Small networks as ONNX models, and an engine that adds in another order.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use egret_ir::eval::array::from_tensor;
use egret_ir::eval::domain::{Domain, Site};
use egret_ir::eval::loops::Nest;
use egret_ir::eval::{Native, Trap};
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Tensor, ValueId};
use egret_onnx::proto::attribute_proto::AttributeType;
use egret_onnx::proto::tensor_shape_proto::Dimension;
use egret_onnx::proto::tensor_shape_proto::dimension::Value as DimValue;
use egret_onnx::proto::type_proto::{Tensor as TensorType, Value as TypeValue};
use egret_onnx::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto,
    ValueInfoProto,
};
use egret_verification::executor::ExecError;
use egret_verification::interpreter::{InterpreterError, bindings, given};
use egret_verification::region::{NoOpaques, Region, evaluate};
use egret_verification::rng::Rng;
use egret_verification::turned::Integers;
use egret_verification::{Executor, Model, Run, Taps};
use prost::Message;

/// A network under construction.
#[derive(Clone)]
pub struct Net {
    nodes: Vec<NodeProto>,
    weights: BTreeMap<String, (Vec<i64>, Vec<f32>)>,
    input: (String, Vec<i64>),
    output: String,
    rng: Rng,
}

impl Net {
    fn new(input: &str, shape: &[i64], output: &str) -> Self {
        Self {
            nodes: vec![],
            weights: BTreeMap::new(),
            input: (input.into(), shape.into()),
            output: output.into(),
            rng: Rng::new(9),
        }
    }

    fn normal(&mut self, name: &str, shape: &[i64], scale: f64, offset: f64) {
        let n: i64 = shape.iter().product();
        let values = (0..n).map(|_| (offset + scale * self.rng.normal()) as f32).collect();
        self.weights.insert(name.into(), (shape.into(), values));
    }

    fn node(&mut self, name: &str, op: &str, reads: &[&str], writes: &[&str], attributes: Vec<AttributeProto>) {
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        self.nodes.push(NodeProto {
            name: Some(name.into()),
            op_type: Some(op.into()),
            input: own(reads),
            output: own(writes),
            attribute: attributes,
            ..Default::default()
        });
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The values of a weight.
    pub fn weight(&mut self, name: &str) -> &mut [f32] {
        &mut self.weights.get_mut(name).unwrap().1
    }

    /// Changes an epsilon.
    pub fn epsilon(&mut self, node: &str, epsilon: f32) {
        let node = self.nodes.iter_mut().find(|n| n.name() == node).unwrap();
        node.attribute.iter_mut().find(|a| a.name() == "epsilon").unwrap().f = Some(epsilon);
    }

    /// Renames a value everywhere.
    pub fn rename(&mut self, from: &str, to: &str) {
        let names = self.nodes.iter_mut().flat_map(|n| n.input.iter_mut().chain(&mut n.output));
        names.chain([&mut self.output]).filter(|n| *n == from).for_each(|n| to.clone_into(n));
    }

    /// The model.
    pub fn bytes(&self) -> Bytes {
        let typed = |name: &str, shape: Option<&[i64]>| ValueInfoProto {
            name: Some(name.into()),
            r#type: Some(TypeProto {
                value: Some(TypeValue::TensorType(TensorType {
                    elem_type: Some(1),
                    shape: shape.map(|s| TensorShapeProto {
                        dim: s
                            .iter()
                            .map(|d| Dimension { value: Some(DimValue::DimValue(*d)), ..Default::default() })
                            .collect(),
                    }),
                })),
                ..Default::default()
            }),
            ..Default::default()
        };
        let initializer = |(name, (dims, values)): (&String, &(Vec<i64>, Vec<f32>))| TensorProto {
            name: Some(name.clone()),
            dims: dims.clone(),
            data_type: Some(1),
            float_data: values.clone(),
            ..Default::default()
        };
        let graph = GraphProto {
            name: Some("net".into()),
            node: self.nodes.clone(),
            initializer: self.weights.iter().map(initializer).collect(),
            input: vec![typed(&self.input.0, Some(&self.input.1))],
            output: vec![typed(&self.output, None)],
            ..Default::default()
        };
        let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
        let model =
            ModelProto { ir_version: Some(8), opset_import: vec![opset], graph: Some(graph), ..Default::default() };
        model.encode_to_vec().into()
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Ints as i32),
        ints: values.into(),
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

fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        r#type: Some(AttributeType::Float as i32),
        f: Some(value),
        ..Default::default()
    }
}

/// Two convolutions with a batch norm between, pooling and a dense head with softmax.
pub fn convnet() -> Net {
    let mut n = Net::new("x", &[1, 3, 12, 12], "out");
    n.normal("w1", &[8, 3, 3, 3], 0.3, 0.0);
    n.normal("b1", &[8], 0.2, 0.0);
    n.normal("gamma1", &[8], 0.1, 1.0);
    n.normal("beta1", &[8], 0.1, 0.0);
    n.normal("mean1", &[8], 0.1, 0.0);
    n.normal("var1", &[8], 0.01, 0.5);
    n.normal("w2", &[8, 8, 3, 3], 0.2, 0.0);
    n.normal("b2", &[8], 0.2, 0.0);
    n.normal("w3", &[10, 8], 0.4, 0.0);
    n.normal("b3", &[10], 0.2, 0.0);
    n.node("conv1", "Conv", &["x", "w1", "b1"], &["y1"], vec![ints("pads", &[1, 1, 1, 1])]);
    n.node(
        "norm1",
        "BatchNormalization",
        &["y1", "gamma1", "beta1", "mean1", "var1"],
        &["n1"],
        vec![float("epsilon", 1e-5)],
    );
    n.node("relu1", "Relu", &["n1"], &["r1"], vec![]);
    n.node("conv2", "Conv", &["r1", "w2", "b2"], &["y2"], vec![ints("strides", &[2, 2])]);
    n.node("sigmoid2", "Sigmoid", &["y2"], &["r2"], vec![]);
    n.node("pool", "GlobalAveragePool", &["r2"], &["p"], vec![]);
    n.node("flat", "Flatten", &["p"], &["f"], vec![]);
    n.node("head", "Gemm", &["f", "w3", "b3"], &["logits"], vec![int("transB", 1)]);
    n.node("softmax", "Softmax", &["logits"], &["out"], vec![int("axis", -1)]);
    n
}

/// One head of attention with a layer norm.
pub fn attention() -> Net {
    let mut n = Net::new("x", &[1, 24, 32], "out");
    for w in ["wq", "wk", "wv"] {
        n.normal(w, &[32, 32], 0.2, 0.0);
    }
    n.normal("scale", &[1], 0.0, 0.176_776_7);
    n.normal("gamma", &[32], 0.1, 1.0);
    n.normal("beta", &[32], 0.1, 0.0);
    n.node(
        "norm",
        "LayerNormalization",
        &["x", "gamma", "beta"],
        &["n"],
        vec![int("axis", -1), float("epsilon", 1e-5)],
    );
    n.node("query", "MatMul", &["n", "wq"], &["q"], vec![]);
    n.node("key", "MatMul", &["n", "wk"], &["k"], vec![]);
    n.node("value", "MatMul", &["n", "wv"], &["v"], vec![]);
    n.node("transpose", "Transpose", &["k"], &["kt"], vec![ints("perm", &[0, 2, 1])]);
    n.node("scores", "MatMul", &["q", "kt"], &["s"], vec![]);
    n.node("scaled", "Mul", &["s", "scale"], &["ss"], vec![]);
    n.node("softmax", "Softmax", &["ss"], &["p"], vec![int("axis", -1)]);
    n.node("mix", "MatMul", &["p", "v"], &["m"], vec![]);
    n.node("residual", "Add", &["m", "x"], &["out"], vec![]);
    n
}

/// One matrix product over a long axis.
pub fn wide() -> Net {
    let mut n = Net::new("x", &[32, 1024], "out");
    n.normal("w", &[1024, 16], 0.03, 0.0);
    n.node("product", "MatMul", &["x", "w"], &["out"], vec![]);
    n
}

/// Two parts of an input divided by a number and joined, with the joining `first` or last; as quotients, or as products with
/// the rounded reciprocal times `1 + error`.
pub fn divided(divisor: f32, first: bool, reciprocal: Option<f32>) -> Net {
    let mut n = Net::new("x", &[4, 512], "out");
    let (op, c) = reciprocal.map_or(("Div", divisor), |error| ("Mul", (1.0 + error) / divisor));
    n.weights.insert("c".into(), (vec![1], vec![c]));
    if first {
        n.node("join", "Concat", &["x", "x"], &["j"], vec![int("axis", 1)]);
        n.node("divide", op, &["j", "c"], &["out"], vec![]);
    } else {
        n.node("divide", op, &["x", "c"], &["q"], vec![]);
        n.node("join", "Concat", &["q", "q"], &["out"], vec![int("axis", 1)]);
    }
    n
}

/// True f32, with every sum in another order: permuted (`block` 0), or in blocks.
struct Shuffled {
    native: Native,
    seed: u64,
    block: usize,
}

impl Integers for Shuffled {}

impl Shuffled {
    fn sum(&self, mut terms: Vec<f64>) -> f64 {
        let mut rng = Rng::new(self.seed);
        for i in (1..terms.len()).rev() {
            terms.swap(i, rng.range(0, i as i64 + 1) as usize);
        }
        let add = |v: &[f64]| v.iter().fold(0f32, |s, x| s + *x as f32);
        if self.block == 0 {
            return f64::from(add(&terms));
        }
        terms.sort_by(f64::total_cmp);
        f64::from(terms.chunks(self.block).map(add).fold(0f32, |s, x| s + x))
    }
}

impl Domain for Shuffled {
    type Float = f64;
    fn name(&self) -> &'static str {
        "shuffled"
    }
    fn lift(&self, dtype: DType, x: f64) -> f64 {
        self.native.lift(dtype, x)
    }
    fn unary(&self, site: Site, row: Scalar, dtype: DType, x: &[f64]) -> Result<Vec<f64>, Trap> {
        self.native.unary(site, row, dtype, x)
    }
    fn binary(&self, site: Site, row: Scalar, dtype: DType, x: &[f64], y: &[f64]) -> Result<Vec<f64>, Trap> {
        self.native.binary(site, row, dtype, x, y)
    }
    fn test(&self, row: Scalar, x: &[f64]) -> Result<Vec<bool>, Trap> {
        self.native.test(row, x)
    }
    fn compare(&self, row: Scalar, x: &[f64], y: &[f64]) -> Result<Vec<bool>, Trap> {
        self.native.compare(row, x, y)
    }
    fn cast(&self, site: Site, from: DType, to: DType, x: &[f64]) -> Result<Vec<f64>, Trap> {
        self.native.cast(site, from, to, x)
    }
    fn of_int(&self, site: Site, from: DType, to: DType, x: &[i64]) -> Vec<f64> {
        self.native.of_int(site, from, to, x)
    }
    fn to_int(&self, to: DType, x: &[f64]) -> Result<Vec<i64>, Trap> {
        self.native.to_int(to, x)
    }
    fn to_bool(&self, x: &[f64]) -> Result<Vec<bool>, Trap> {
        self.native.to_bool(x)
    }
    fn to_bits(&self, dtype: DType, x: &[f64]) -> Result<Vec<u64>, Trap> {
        self.native.to_bits(dtype, x)
    }
    fn of_bits(&self, dtype: DType, bits: &[u64]) -> Result<Vec<f64>, Trap> {
        self.native.of_bits(dtype, bits)
    }
    fn admits(&self, monoid: Monoid) -> Result<(), Trap> {
        self.native.admits(monoid)
    }
    fn step(&self, monoid: Monoid, acc: DType, sum: f64, x: f64) -> f64 {
        self.native.step(monoid, acc, sum, x)
    }
    fn enter(&self, acc: DType, x: f64) -> f64 {
        self.native.enter(acc, x)
    }
    fn empty(&self, monoid: Monoid, acc: DType) -> f64 {
        self.native.empty(monoid, acc)
    }
    fn product(&self, acc: DType, a: f64, b: f64) -> f64 {
        self.native.product(acc, a, b)
    }
    fn improves(&self, monoid: Monoid, best: f64, x: f64) -> bool {
        self.native.improves(monoid, best, x)
    }
    fn order(&self, x: f64, y: f64) -> Result<std::cmp::Ordering, Trap> {
        self.native.order(x, y)
    }
    fn contract_fast(&self, nest: &Nest, acc: DType, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
        let terms = nest.fold(&Vec::new(), |t: &mut Vec<f64>, [i, j], _| t.push(self.native.product(acc, a[i], b[j])));
        Some(terms.into_iter().map(|t| self.sum(t)).collect())
    }
    fn fold_fast(&self, nest: &Nest, monoid: Monoid, _acc: DType, x: &[f64]) -> Option<Vec<f64>> {
        if monoid != Monoid::Sum {
            return None;
        }
        let terms = nest.fold(&Vec::new(), |t: &mut Vec<f64>, [i, _], _| t.push(x[i]));
        Some(terms.into_iter().map(|t| self.sum(t)).collect())
    }
}

/// An engine that is right and adds in an order of its own.
pub struct Reordered<'a> {
    model: &'a Model,
    domain: Shuffled,
}

impl<'a> Reordered<'a> {
    /// For a model.
    pub fn new(model: &'a Model, seed: u64, block: usize) -> Self {
        Self { model, domain: Shuffled { native: Native::new(), seed, block } }
    }
}

impl Executor for Reordered<'_> {
    fn name(&self) -> &'static str {
        "reordered"
    }
    fn profile(&self) -> &'static str {
        "interpreter"
    }
    fn run(&mut self, inputs: &[(String, Tensor)], _: Taps) -> Result<Run, ExecError> {
        let graph = &self.model.imported.graph;
        let names = &self.model.imported.values;
        let targets: BTreeSet<ValueId> = names.values().copied().collect();
        let region = Region::behind(graph, &targets.into_iter().collect::<Vec<_>>(), &|_| false);
        let tensors = given(graph, inputs)?;
        let lifted = tensors.iter().map(|(v, t)| (*v, from_tensor(&self.domain, t))).collect();
        let results = evaluate(graph, &region, &self.domain, &lifted, &mut bindings(graph, &tensors), &NoOpaques)
            .map_err(InterpreterError::Eval)?;
        let values: BTreeMap<ValueId, Tensor> =
            region.targets.iter().zip(&results).map(|(v, a)| (*v, a.to_tensor())).collect();
        let outputs = graph.outputs.iter().map(|o| (o.name.to_string(), values[&o.value].clone())).collect();
        let taps = names.iter().map(|(n, v)| (n.to_string(), values[v].clone())).collect();
        Ok(Run { outputs, taps })
    }
}

/// A model of one Identity node, in ONNX Runtime.
pub fn echo(dtype: DType) -> egret_verification::onnxruntime::OnnxRuntime {
    let typed = |name: &str| ValueInfoProto {
        name: Some(name.into()),
        r#type: Some(TypeProto {
            value: Some(TypeValue::TensorType(TensorType {
                elem_type: Some(egret_onnx::tensor::code(dtype)),
                shape: Some(TensorShapeProto {
                    dim: [DimValue::DimParam("n".into()), DimValue::DimValue(3)]
                        .map(|d| Dimension { value: Some(d), ..Default::default() })
                        .into(),
                }),
            })),
            ..Default::default()
        }),
        ..Default::default()
    };
    let node = NodeProto {
        op_type: Some("Identity".into()),
        input: vec!["x".into()],
        output: vec!["y".into()],
        ..Default::default()
    };
    let graph = GraphProto {
        name: Some("echo".into()),
        node: vec![node],
        input: vec![typed("x")],
        output: vec![typed("y")],
        ..Default::default()
    };
    let opset = OperatorSetIdProto { domain: Some(String::new()), version: Some(17) };
    let model = ModelProto { ir_version: Some(8), opset_import: vec![opset], graph: Some(graph), ..Default::default() };
    let options =
        egret_verification::onnxruntime::Options { level: egret_verification::onnxruntime::Level::Off, threads: 1 };
    egret_verification::onnxruntime::OnnxRuntime::new(model, egret_onnx::external::Files::none(), options)
}
