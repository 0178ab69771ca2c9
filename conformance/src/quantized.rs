//! The quantized groups of a model, each by itself: from the integers that a group reads to those it writes.
//!
//! The model is cut where quantized tensors are read: every DequantizeLinear of a computed tensor reads an input of its
//! own instead, and every QuantizeLinear gives a result. The inputs are what ONNX Runtime, optimizations off, computes
//! there in the whole model. Compiled, all groups must give its bits. Where a group computes in floats before it rounds,
//! another order of a sum may put a value on the other side of a tie; each such element must lie within the node bound
//! of that tie, on both sides, which `verify` decides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use egret::{Binding, CompileOptions, Oracle, VerifyOptions};
use egret_ir::Tensor;
use egret_onnx::external::Files;
use egret_onnx::proto::tensor_shape_proto::Dimension;
use egret_onnx::proto::tensor_shape_proto::dimension::Value as Extent;
use egret_onnx::proto::type_proto::{Tensor as TensorTypeProto, Value as TypeValue};
use egret_onnx::proto::{ModelProto, TensorShapeProto, TypeProto, ValueInfoProto};
use egret_verification::compiled::Compiled;
use egret_verification::onnxruntime::{Level, OnnxRuntime, Options};
use egret_verification::{Executor, Model, Taps, inputs};
use prost::Message;
use serde::Serialize;

/// Compile the quantized groups of a model and compare their integers with ONNX Runtime's, bit for bit
#[derive(clap::Args)]
pub struct Args {
    /// The model, quantized by QuantizeLinear and DequantizeLinear
    model: PathBuf,
    /// Bind a named dimension, e.g. batch=1
    #[arg(long = "dim", value_name = "NAME=N")]
    dims: Vec<String>,
    /// Seed of the model's inputs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Debug, Default, Serialize)]
struct Found {
    /// Groups compared.
    groups: usize,
    /// Groups with equal bits.
    exact: usize,
    /// Elements compared.
    elements: usize,
    /// Elements that differ.
    differ: usize,
    /// The largest difference, in steps of the integer.
    largest: i64,
    /// Results of groups that are beyond what a tie explains, in the library and in ONNX Runtime.
    unexplained: usize,
}

/// A name that no tensor of the model has.
fn forced(name: &str) -> String {
    format!("forced {name}")
}

fn described(name: &str, t: &Tensor) -> ValueInfoProto {
    let extent = |d: &usize| Dimension { value: Some(Extent::DimValue(*d as i64)), ..Dimension::default() };
    let shape = TensorShapeProto { dim: t.shape().iter().map(extent).collect() };
    let tensor = TensorTypeProto { elem_type: Some(egret_onnx::tensor::code(t.dtype())), shape: Some(shape) };
    let ty = TypeProto { value: Some(TypeValue::TensorType(tensor)), ..TypeProto::default() };
    ValueInfoProto { name: Some(name.to_owned()), r#type: Some(ty), ..ValueInfoProto::default() }
}

/// The model cut into its groups, with the values of all its inputs.
fn cut(
    model: &ModelProto,
    given: &[(String, Tensor)],
    values: &BTreeMap<String, Tensor>,
) -> Result<(ModelProto, Vec<(String, Tensor)>)> {
    let mut cut = model.clone();
    let graph = cut.graph.as_mut().context("the model has no graph")?;
    let mut inputs: Vec<(String, Tensor)> = given.to_vec();
    let computed: BTreeSet<String> = graph.node.iter().flat_map(|n| n.output.iter().cloned()).collect();
    for node in graph.node.iter_mut().filter(|n| n.op_type() == "DequantizeLinear") {
        let Some(read) = node.input.first_mut().filter(|name| computed.contains(name.as_str())) else { continue };
        let value = values.get(read).with_context(|| format!("ONNX Runtime does not show `{read}`"))?;
        let name = forced(read);
        if !inputs.iter().any(|(known, _)| *known == name) {
            inputs.push((name.clone(), value.clone()));
        }
        *read = name;
    }
    graph.input = inputs.iter().map(|(name, t)| described(name, t)).collect();
    let results = graph.node.iter().filter(|n| n.op_type() == "QuantizeLinear").filter_map(|n| n.output.first());
    graph.output = results.filter_map(|name| Some(described(name, values.get(name)?))).collect();
    if graph.output.is_empty() {
        bail!("the model has no QuantizeLinear");
    }
    graph.value_info.clear();
    Ok((cut, inputs))
}

/// Runs the comparison; true where every group is bit-exact or explained to the last element.
pub fn run(args: &Args) -> Result<bool> {
    let mut binding = Binding::default();
    for text in &args.dims {
        let (name, extent) = text.split_once('=').with_context(|| format!("--dim {text}: expected NAME=N"))?;
        binding.dims.push((name.to_owned(), extent.parse().with_context(|| format!("--dim {text}"))?));
    }
    let model = Model::read(&args.model, &binding)?;
    let proto = model.proto().context("an ONNX model is expected")?;
    let given = inputs::for_graph(&model.imported.graph, &[], &[], args.seed)?;
    let off = Options { level: Level::Off, threads: 1 };
    let whole = OnnxRuntime::new(proto.clone(), Files::beside(&args.model), off).run(&given, Taps::All)?;
    let (cut, given) = cut(proto, &given, &whole.taps)?;

    let folder = tempfile::tempdir()?;
    let (path, library) = (folder.path().join("groups.onnx"), folder.path().join("groups.so"));
    std::fs::write(&path, cut.encode_to_vec())?;
    let want = OnnxRuntime::new(cut, Files::beside(&args.model), off).run(&given, Taps::Outputs)?.outputs;
    egret::compile(&path, &library, &CompileOptions::default(), &|_| {})?;
    let got: BTreeMap<String, Tensor> =
        Compiled::open(&library, 1)?.run(&given, Taps::Outputs)?.outputs.into_iter().collect();

    let mut found = Found::default();
    for (name, want) in &want {
        let got = got.get(name).with_context(|| format!("the library does not give `{name}`"))?;
        if (got.dtype(), got.shape()) != (want.dtype(), want.shape()) {
            bail!("`{name}` has another type or shape");
        }
        let (a, b) = (want.to_i64().unwrap_or_default(), got.to_i64().unwrap_or_default());
        let steps: Vec<i64> = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).filter(|d| *d != 0).collect();
        if !args.json && !steps.is_empty() {
            println!("{name}: {} of {} elements differ", steps.len(), a.len());
        }
        found.groups += 1;
        found.exact += usize::from(steps.is_empty());
        found.elements += a.len();
        found.differ += steps.len();
        found.largest = steps.into_iter().fold(found.largest, i64::max);
    }
    if found.differ > 0 {
        let options = VerifyOptions { samples: 1, given, runs: Some(1), ..VerifyOptions::default() };
        let compiled = egret::verify(&path, Some(&library), &options, &|_| {})?;
        let options = VerifyOptions { oracle: Some(Oracle::Onnxruntime), ..options };
        let runtime = egret::verify(&path, None, &options, &|_| {})?;
        for report in [&compiled, &runtime] {
            if !report.verdict.is_equal() {
                found.unexplained += report.values.failed.max(1);
                eprintln!("{report}");
            }
        }
    }
    if args.json {
        println!("{}", serde_json::to_string(&found)?);
    } else {
        let Found { groups, exact, elements, differ, largest, unexplained } = found;
        println!(
            "{exact} of {groups} groups bit-exact; {differ} of {elements} elements differ, by {largest} at most; {unexplained} unexplained"
        );
    }
    Ok(found.unexplained == 0)
}
