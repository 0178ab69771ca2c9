//! Is a model what it claims to be?

use std::path::Path;

use egret_codegen_c::Library;
use egret_ir::Tensor;
use egret_verification::onnxruntime::{self, Level};
use egret_verification::{InputSpec, Model, Options, Original, Report, Subject, litert};

use crate::compile::{CompileOptions, plan};
use crate::{Binding, Error, Progress, Result, frontends};

/// The engine that runs the candidate. The reference is always the model's own meaning in 64-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Oracle {
    /// Egret's interpreter in the declared types, node by node
    Interpreter,
    /// ONNX Runtime with optimizations off: every node is checked
    Onnxruntime,
    /// ONNX Runtime at its full optimization level: outputs only
    OnnxruntimeFull,
    /// LiteRT's reference kernels: every operator of a TFLite model is checked
    Litert,
    /// LibTorch, kind by kind (feature `libtorch`)
    #[cfg(feature = "libtorch")]
    Libtorch,
}

/// How to compare.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// Extents of unknown dimensions.
    pub binding: Binding,
    /// The engine; None: ONNX Runtime (LiteRT for TFLite) where it is found, else the interpreter.
    pub oracle: Option<Oracle>,
    /// Seeded inputs to compare on (at least one).
    pub samples: usize,
    /// Seed of the first.
    pub seed: u64,
    /// Values of inputs.
    pub given: Vec<(String, Tensor)>,
    /// How other inputs are made.
    pub specs: Vec<(String, InputSpec)>,
    /// Random-rounding runs behind a floor; None: by the model's size.
    pub runs: Option<usize>,
}

/// Compares a candidate with a model: another model, a library compiled from it, or (None) the model itself in an engine.
pub fn verify(
    model: &Path,
    candidate: Option<&Path>,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<Report> {
    progress("reading");
    let reference = frontends::model(model, &options.binding)?;
    let rule = Options {
        samples: options.samples.max(1),
        seed: options.seed,
        given: egret_verification::inputs::with_frozen(&options.given, &reference.imported.frozen)?,
        specs: options.specs.clone(),
        runs: options.runs,
        ..Options::default()
    };
    if let Some(path) = candidate
        && crate::is_library(path)
    {
        progress("choosing the same kernels again");
        let library = Library::open(path)?;
        let binding = compiled_binding(&options.binding, &library);
        let compile = CompileOptions { binding, ..CompileOptions::default() };
        let program = plan(model, &compile, &|_| {})?.program;
        // A library of another version or instruction set has other kernels: it is compared by its outputs alone.
        let same = library.program_text() == egret_ir::text::print_program(&program);
        let mut subject = Subject::compiled(path, rule.threads, same.then_some(&program))?;
        progress("comparing");
        let report = egret_verification::verify(&reference, &mut subject, &rule)?;
        return Ok(with_warnings(report, &[&reference]));
    }
    let other = match candidate {
        Some(path) => Some(read_candidate(path, &options.binding)?),
        None => None,
    };
    let candidate = other.as_ref().unwrap_or(&reference);
    let oracle = options.oracle.unwrap_or_else(|| match &candidate.original {
        Original::Onnx(_) if onnxruntime::library().is_ok() => Oracle::Onnxruntime,
        Original::TfLite { .. } if litert::python().is_ok() => Oracle::Litert,
        Original::Onnx(_) | Original::TfLite { .. } | Original::Text => Oracle::Interpreter,
    });
    let other_format = |engine: &str| Error::Usage(format!("--oracle {engine}: it does not run {}", candidate.name));
    if matches!(oracle, Oracle::Onnxruntime | Oracle::OnnxruntimeFull) && candidate.proto().is_none() {
        return Err(other_format("onnxruntime"));
    }
    let mut subject = match oracle {
        Oracle::Interpreter => Subject::interpreter(candidate),
        Oracle::Onnxruntime => Subject::onnxruntime(candidate, Level::Off, rule.threads),
        Oracle::OnnxruntimeFull => Subject::onnxruntime(candidate, Level::All, rule.threads),
        Oracle::Litert => Subject::litert(candidate).ok_or_else(|| other_format("litert"))?,
        #[cfg(feature = "libtorch")]
        Oracle::Libtorch => Subject::libtorch(candidate, rule.threads),
    };
    if !same_names(&reference, candidate) {
        subject = subject.outputs_only();
    }
    progress("comparing");
    let report = egret_verification::verify(&reference, &mut subject, &rule)?;
    let read: Vec<&Model> = std::iter::once(&reference).chain(&other).collect();
    Ok(with_warnings(report, &read))
}

/// The report with what is odd about the models among its notes.
fn with_warnings(mut report: Report, models: &[&Model]) -> Report {
    for model in models {
        let told = frontends::warnings(&model.imported).into_iter().map(|w| format!("{}: {w}", model.name));
        report.notes.extend(told);
    }
    report
}

/// Whether inner values of one name are the same in both: of models in one format, and where Egret wrote the ONNX model out
/// of the other. Converters between formats keep names and change layouts behind them.
fn same_names(reference: &Model, candidate: &Model) -> bool {
    let written_here = |m: &Model| m.proto().is_some_and(|p| p.producer_name() == "egret");
    let same = std::mem::discriminant(&reference.original) == std::mem::discriminant(&candidate.original);
    same || written_here(reference) || written_here(candidate)
}

/// What a library was compiled with, given what this run is bound to: extents that the library leaves open were not bound,
/// but bounded as it says.
fn compiled_binding(run: &Binding, library: &Library) -> Binding {
    let open = |name: &str| library.symbols().0.keys().any(|s| s.name() == name);
    let dims = run.dims.iter().filter(|(name, _)| !open(name)).cloned().collect();
    let bounded = |i: &&egret_codegen_c::PortInfo| i.ty.shape.iter().all(|d| d.as_const().is_some());
    let fixed: Vec<&str> = library.inputs().iter().filter(bounded).map(|i| i.name.as_str()).collect();
    let shapes = run.shapes.iter().filter(|(input, _)| fixed.contains(&input.as_str())).cloned().collect();
    let ranges = library.symbols().0.iter().map(|(s, info)| (s.name().to_owned(), info.min, info.max)).collect();
    Binding { dims, ranges, shapes, values: run.values.clone(), operators: run.operators }
}

/// The candidate, with those bindings that it still leaves open: an optimized model has its extents in it.
fn read_candidate(path: &Path, binding: &Binding) -> Result<Model> {
    let open = frontends::model(path, &Binding { operators: binding.operators, ..Binding::default() })?;
    let mut symbols = std::collections::BTreeSet::new();
    for input in &open.imported.graph.inputs {
        for d in input.ty.as_tensor().iter().flat_map(|t| &t.shape) {
            d.symbols(&mut |s| {
                symbols.insert(s.name().to_owned());
            });
        }
    }
    if symbols.is_empty() {
        return Ok(open);
    }
    let dims = binding.dims.iter().filter(|(name, _)| symbols.contains(name)).cloned().collect();
    let ranges = binding.ranges.iter().filter(|(name, ..)| symbols.contains(name)).cloned().collect();
    let binding = Binding { dims, ranges, ..binding.clone() };
    frontends::model(path, &binding)
}
