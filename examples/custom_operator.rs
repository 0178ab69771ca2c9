//! A tool with operators, a condition and a rule of its own around Egret.
//!
//! `cargo run --example custom_operator`
//!
//! It reads a model with two operators of its own domain, `acme.Mix`, of which it tells the types, and `acme.Swish`, of
//! which it tells the meaning; rewrites it by the library and a rule of its own; and writes it back. Of eight nodes three
//! are left: the transposes undo each other, the two equal `Mix` are one whose sum is a product, the subtractions go by the
//! rule of the tool.

use std::error::Error;

use egret_ir::op::scalar::Scalar;
use egret_ir::{Type, check};
use egret_onnx::export::{self, Guard, OnnxStep, Rewritten};
use egret_onnx::external::Files;
use egret_onnx::foreign::{ForeignOp, ForeignOps, Reading};
use egret_onnx::lower::{Lower, Results};
use egret_onnx::proto::tensor_shape_proto::{Dimension, dimension};
use egret_onnx::proto::{
    GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto,
    type_proto,
};
use egret_onnx::{ReadOptions, read_model};
use egret_rules::lang::Sort;
use egret_rules::lang::attr_fns::ArgSort;
use egret_rules::lang::bound::{Bound, Facts};
use egret_rules::lang::conditions::ConditionDef;
use egret_rules::rulecheck::check_all;
use egret_rules::{Config, RegionSaturated, RuleSet, Vocabulary, saturate_regions};

/// Operators of the tool. `Mix` stays what it is, and has the type of its operand.
static OPERATORS: &[ForeignOp] = &[
    ForeignOp { domain: "acme", op_type: "Mix", reading: Reading::Kept { shape: like_operand, pure: true } },
    ForeignOp { domain: "acme", op_type: "Swish", reading: Reading::Lowered(swish) },
];

fn like_operand(_: &NodeProto, operands: &[Option<&Type>]) -> Result<Vec<Type>, String> {
    match operands {
        [Some(x @ Type::Tensor(_))] => Ok(vec![(*x).clone()]),
        _ => Err("Mix takes one tensor".to_owned()),
    }
}

/// x · sigmoid(x).
fn swish(lower: &mut Lower<'_>) -> Results {
    let x = lower.operand(0)?;
    let gate = lower.map(Scalar::Sigmoid, &[x])?;
    Ok(vec![lower.map(Scalar::Mul, &[x, gate])?])
}

/// Words of the tool: an element no larger than 1024. (The check of the rule below finds that an infinite one is wrong.)
static WORDS: Vocabulary = Vocabulary {
    conditions: &[ConditionDef { name: "modest", args: &[ArgSort::One(Sort::Splat)], test: modest }],
    functions: &[],
};

fn modest(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Element(c)] = args else { return None };
    Some(c.to_f64().abs() <= 1024.0)
}

/// Its rule. Rules stand in a file beside the tool as well.
const RULES: &str = "\
phase algebra
complement-twice : (map sub %c (map sub %c ?x)) => ?x  if modest(%c)
    reassociates   cite \"c - (c - x) = x over the reals\"    try ?x=f32[2,3] %c=1f32
";

/// The operators of the nodes of a model.
fn operators(model: &ModelProto) -> Vec<String> {
    let nodes = model.graph.iter().flat_map(|g| &g.node);
    nodes
        .map(|n| if n.domain().is_empty() { n.op_type().to_owned() } else { format!("{}.{}", n.domain(), n.op_type()) })
        .collect()
}

/// The model before and after: the operators of its nodes.
pub fn run() -> Result<(Vec<String>, Vec<String>), Box<dyn Error>> {
    let model = model();
    let before = operators(&model);

    // Its own rule is held to what it claims before it joins the library.
    let own = RuleSet::load_with(&[("acme.rules", RULES)], WORDS).map_err(|e| e[0].to_string())?;
    if let Some(failed) = check_all(&own, &|_| {}).failed().next() {
        return Err(format!("{}: {}", failed.rule, failed.failures[0]).into());
    }
    let rules = RuleSet::builtin().join(own);

    // Read, saturate.
    let options = ReadOptions { operators: ForeignOps(OPERATORS), ..ReadOptions::default() };
    let imported = read_model(model, &mut Files::none(), &options)?;
    let typed = check(imported.graph.clone()).map_err(|reports| reports[0].to_string())?;
    let saturated = saturate_regions(&typed, &rules, &Config::for_nodes);

    // Extract, write.
    let RegionSaturated { classes, class_of, births, .. } = saturated;
    let mut rewritten = Rewritten { classes, class_of, births, bodies: Vec::new() };
    let extract = |table: &egret_ir::choice::Table<OnnxStep>| egret_extractor::extract(table).ok().map(|s| s.chosen);
    let mut guard = Guard::new(export::growth_limit(export::model_bytes(&imported), 0.1));
    let written = export::optimize(&mut rewritten, &imported, &export::node_time, &extract, &mut guard)?;
    Ok((before, operators(&written)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (before, after) = run()?;
    println!("before: {}\nafter:  {}", before.join(" "), after.join(" "));
    Ok(())
}

fn node(domain: &str, op: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        domain: (!domain.is_empty()).then(|| domain.to_owned()),
        op_type: Some(op.to_owned()),
        name: Some(format!("make_{output}")),
        input: inputs.iter().map(|s| (*s).to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

fn port(name: &str) -> ValueInfoProto {
    let dim =
        ["n", "m"].map(|d| Dimension { value: Some(dimension::Value::DimParam(d.to_owned())), ..Dimension::default() });
    let shape = TensorShapeProto { dim: dim.to_vec() };
    let tensor = type_proto::Tensor { elem_type: Some(1), shape: Some(shape) };
    let ty = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..TypeProto::default() };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(ty), ..ValueInfoProto::default() }
}

/// y = 1 − (1 − (mix(s) + mix(s))) with s = swish(xᵀᵀ); x and y are f32[n, m].
fn model() -> ModelProto {
    let one = TensorProto {
        name: Some("one".to_owned()),
        data_type: Some(1),
        float_data: vec![1.0],
        ..TensorProto::default()
    };
    let opset = |domain: &str, version| OperatorSetIdProto { domain: Some(domain.to_owned()), version: Some(version) };
    let graph = GraphProto {
        name: Some("custom".to_owned()),
        node: vec![
            node("", "Transpose", &["x"], "turned"),
            node("", "Transpose", &["turned"], "back"),
            node("acme", "Swish", &["back"], "s"),
            node("acme", "Mix", &["s"], "mix1"),
            node("acme", "Mix", &["s"], "mix2"),
            node("", "Add", &["mix1", "mix2"], "sum"),
            node("", "Sub", &["one", "sum"], "less"),
            node("", "Sub", &["one", "less"], "y"),
        ],
        initializer: vec![one],
        input: vec![port("x")],
        output: vec![port("y")],
        ..GraphProto::default()
    };
    ModelProto {
        ir_version: Some(9),
        opset_import: vec![opset("", 17), opset("acme", 1)],
        graph: Some(graph),
        ..ModelProto::default()
    }
}
