//! `egret run`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use egret_ir::{Dim, Symbol, Tensor, TensorType};
use egret_verification::onnxruntime::{self, Level, OnnxRuntime};
use egret_verification::{Executor, Taps, inputs, interpreter::Interpreter, litert::LiteRt, npy};
use serde::Serialize;

use super::Outcome;
use super::args::{Inputs, Shapes};
use super::output::{Output, table};

/// Run a model or a compiled library.
#[derive(clap::Args)]
pub struct Args {
    /// The model (ONNX, TFLite, or Egret's text form), or a library compiled by `egret compile`
    model: PathBuf,
    /// What runs a model; a library runs itself
    #[arg(long, value_enum, default_value = "compiled")]
    engine: Engine,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    inputs: Inputs,
    /// Folder to write outputs to, as NAME.npy (and the inputs used, as inputs.npz)
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Engine {
    /// Egret's interpreter, operation by operation
    Interpreter,
    /// ONNX Runtime, optimizations off
    Onnxruntime,
    /// LiteRT's reference kernels, for TFLite models
    Litert,
    /// Compile to a library and run that
    Compiled,
}

type Named = Vec<(String, Tensor)>;

#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    min: f64,
    max: f64,
    mean: f64,
    first: Vec<f64>,
    file: Option<String>,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let (inputs, outputs) =
        if egret::is_library(&a.model) { library(a, &a.model, &a.shapes.binding()?, out)? } else { model(a, out)? };
    let mut rows = Vec::new();
    if let Some(folder) = &a.output {
        std::fs::create_dir_all(folder)
            .map_err(|e| egret::Error::Write { path: folder.clone(), reason: e.to_string() })?;
        npy::write_npz(&folder.join("inputs.npz"), inputs.iter().map(|(n, t)| (n.as_str(), t)))?;
    }
    for (name, tensor) in &outputs {
        let file = match &a.output {
            Some(folder) => {
                let path = folder.join(format!("{}.npy", file_name(name)));
                npy::write(&path, tensor)?;
                Some(path.display().to_string())
            }
            None => None,
        };
        rows.push(row(name, tensor, file));
    }
    out.result(a.json, &rows, || {
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|r| {
                let first: Vec<String> = r.first.iter().map(|x| format!("{x:.5}")).collect();
                let number = |x: f64| format!("{x:.6}");
                vec![r.name.clone(), r.ty.clone(), number(r.min), number(r.max), number(r.mean), first.join(" ")]
            })
            .collect();
        table(&["output", "type", "min", "max", "mean", "first"], &cells)
    });
    Ok(Outcome::Done)
}

/// A value's name as a file name.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

fn row(name: &str, tensor: &Tensor, file: Option<String>) -> Row {
    let values = tensor.to_f64();
    let shape: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
    Row {
        name: name.to_owned(),
        ty: format!("{}[{}]", tensor.dtype(), shape.join(",")),
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
        first: values.iter().copied().take(5).collect(),
        file,
    }
}

fn model(a: &Args, out: &Output) -> egret::Result<(Named, Named)> {
    if let Engine::Compiled = a.engine {
        let failed = |e: std::io::Error| egret::Error::Write { path: std::env::temp_dir(), reason: e.to_string() };
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = folder.path().join("model.so");
        let options = egret::CompileOptions { binding: a.shapes.binding()?, ..egret::CompileOptions::default() };
        let compiled = egret::compile(&a.model, &path, &options, &|s| out.step(s))?;
        out.warnings(&compiled.warnings);
        return library(a, &path, &egret::Binding::default(), out);
    }
    let binding = a.shapes.binding()?;
    let model = egret::frontends::model(&a.model, &binding)?;
    out.warnings(&egret::frontends::warnings(&model.imported));
    let (given, specs) = a.inputs.resolve()?;
    let given = inputs::with_frozen(&given, &model.imported.frozen)?;
    let inputs = inputs::for_graph(&model.imported.graph, &given, &specs, a.inputs.seed)?;
    out.step("running");
    let mut engine: Box<dyn Executor + '_> = match a.engine {
        Engine::Interpreter => Box::new(Interpreter::of(&model.imported)),
        Engine::Onnxruntime => {
            let options = onnxruntime::Options { level: Level::Off, threads: a.threads };
            let Some(proto) = model.proto() else {
                let text = format!("--engine onnxruntime: {} is no ONNX model", a.model.display());
                return Err(egret::Error::Usage(text));
            };
            Box::new(OnnxRuntime::new(proto.clone(), model.files.clone(), options))
        }
        Engine::Litert => match LiteRt::of(&model) {
            Some(engine) => Box::new(engine),
            None => {
                let text = format!("--engine litert: {} is no TFLite model", a.model.display());
                return Err(egret::Error::Usage(text));
            }
        },
        Engine::Compiled => unreachable!("returned above"),
    };
    let outputs = engine.run(&inputs, Taps::Outputs)?.outputs;
    drop(engine);
    Ok((inputs, outputs))
}

fn library(a: &Args, path: &std::path::Path, binding: &egret::Binding, out: &Output) -> egret::Result<(Named, Named)> {
    let library = egret_codegen_c::Library::open(path)?;
    let inputs = library_inputs(&library, &a.inputs, binding)?;
    out.step("running");
    let tensors: Vec<Tensor> = inputs.iter().map(|(_, t)| t.clone()).collect();
    let results = library.context(a.threads)?.run(&tensors)?;
    let names = library.outputs().iter().map(|p| p.name.clone());
    Ok((inputs, names.zip(results).collect()))
}

/// Values for all inputs of a library, in order. Extents that it leaves open are those of given inputs, or bound.
pub fn library_inputs(
    library: &egret_codegen_c::Library,
    args: &Inputs,
    binding: &egret::Binding,
) -> egret::Result<Named> {
    let (mut given, specs) = args.resolve()?;
    let known = |name: &str| library.inputs().iter().any(|p| p.name == name);
    let mut named =
        given.iter().map(|g| &g.0).chain(specs.iter().map(|s| &s.0)).chain(binding.shapes.iter().map(|s| &s.0));
    if let Some(name) = named.find(|n| !known(n)) {
        let names: Vec<String> = library.inputs().iter().map(|p| format!("`{}`", p.name)).collect();
        let text = format!("input `{name}` is not one of the library's: {}", names.join(", "));
        return Err(egret::Error::Usage(text));
    }
    for (name, spec) in &specs {
        if let egret_verification::InputSpec::File(path) = spec {
            given.push((name.clone(), npy::read(path)?));
        }
    }
    let extents = extents(library, &given, binding)?;
    let mut named = Vec::new();
    for port in library.inputs() {
        let shape = port.ty.shape.iter().map(|d| d.substitute(&|s| extents.get(s).map(|n| Dim::from(*n)))).collect();
        let ty = TensorType { dtype: port.ty.dtype, shape };
        let value = match given.iter().find(|(n, _)| *n == port.name) {
            Some((name, t)) => {
                inputs::fits(name, &port.ty, t)?;
                t.clone()
            }
            None => {
                let spec = specs.iter().find(|(n, _)| *n == port.name);
                let spec = spec.map_or(egret_verification::InputSpec::Random, |(_, s)| s.clone());
                inputs::generate(&spec, &port.name, &ty, args.seed)?
            }
        };
        named.push((port.name.clone(), value));
    }
    Ok(named)
}

/// The extents that a library leaves open, as far as the command line says: by name, by an input's shape, by its value.
fn extents(
    library: &egret_codegen_c::Library,
    given: &[(String, Tensor)],
    binding: &egret::Binding,
) -> egret::Result<BTreeMap<Symbol, i64>> {
    let mut out = BTreeMap::new();
    for (name, n) in &binding.dims {
        let symbol = Symbol::new(name);
        if !library.symbols().0.contains_key(&symbol) {
            let open: Vec<String> = library.symbols().0.keys().map(|s| format!("`{}`", s.name())).collect();
            let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
            let text = format!("--dim {name}={n}: the extents that the library leaves open are {open}");
            return Err(egret::Error::Usage(text));
        }
        out.insert(symbol, *n);
    }
    let shapes = binding.shapes.iter().cloned();
    let tensors = given.iter().map(|(name, t)| (name.clone(), t.shape().iter().map(|d| *d as i64).collect::<Vec<_>>()));
    for (name, shape) in shapes.chain(tensors) {
        let Some(port) = library.inputs().iter().find(|p| p.name == name) else { continue };
        for (d, n) in port.ty.shape.iter().zip(shape) {
            if let Some(s) = d.as_symbol() {
                out.entry(s.clone()).or_insert(n);
            }
        }
    }
    Ok(out)
}
