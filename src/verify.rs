//! Is a model what it claims to be?

use std::path::Path;

use egret_codegen_c::Library;
use egret_ir::Tensor;
use egret_ir::derivation::Derivation;
use egret_verification::derivation as checker;
use egret_verification::onnxruntime::{self, Level};
use egret_verification::{InputSpec, Model, Options, Original, Report, Subject, litert};

use crate::compile::{CompileOptions, plan};
use crate::{Binding, Error, OptimizeOptions, Optimized, Progress, Result, frontends};

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
    /// How the candidate was optimized: it is done again, and a wrong result is led back to its rule. Without a candidate,
    /// the result of this is what is compared.
    pub optimized: Option<OptimizeOptions>,
}

/// Compares a candidate with a model: another model, a library compiled from it, or (None) the model itself in an engine.
pub fn verify(
    model: &Path,
    candidate: Option<&Path>,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<Report> {
    if let Some(optimize) = &options.optimized {
        return verify_optimized(model, candidate, optimize, options, progress);
    }
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

/// Optimizes the model (again), compares the result or the candidate with it, and names the rules that changed a value.
fn verify_optimized(
    model: &Path,
    candidate: Option<&Path>,
    optimize: &OptimizeOptions,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<Report> {
    let traced = crate::explain::trace(model, optimize, progress)?;
    let plain = VerifyOptions { optimized: None, ..options.clone() };
    let folder;
    let path = match candidate {
        Some(path) => path.to_owned(),
        None => {
            let failed = |e: std::io::Error| Error::Write { path: std::env::temp_dir(), reason: e.to_string() };
            folder = tempfile::tempdir().map_err(failed)?;
            let path = folder.path().join("optimized.onnx");
            let Optimized { model: proto, used, .. } = &traced.optimized;
            crate::write_model(&path, proto.clone(), &crate::Weights::Auto, model, used)?;
            path
        }
    };
    let mut report = verify(model, Some(&path), &plain, progress)?;
    if candidate.is_some() && !about(&traced.derivation, &traced.before.graph, &path, options)? {
        let note = "optimizing the model again gives another result than the candidate: no rule can be named";
        report.notes.push(note.to_owned());
        return Ok(report);
    }
    name_rules(&mut report, &traced.derivation, &traced.before, options, progress)?;
    Ok(report)
}

/// Compares a candidate with a model, and replays why it is said to be equal.
///
/// # Errors
/// [`Error::Derivation`] where the derivation does not replay, or is about other models.
pub fn verify_derivation(
    model: &Path,
    candidate: &Path,
    derivation: &Derivation,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<Report> {
    let wrong = |reason: String| Error::Derivation { path: candidate.to_owned(), reason };
    progress("replaying the derivation");
    let seen = checker::replay(derivation).map_err(|e| wrong(e.to_string()))?;
    let before = frontends::read(model, &options.binding)?;
    if !about(derivation, &before.graph, candidate, options)? {
        return Err(wrong("it is about other models".to_owned()));
    }
    let mut report = verify(model, Some(candidate), options, progress)?;
    report.notes.push(format!("{} steps and {} congruences replayed", seen.steps, seen.congruences));
    name_rules(&mut report, derivation, &before, options, progress)?;
    Ok(report)
}

/// Whether a derivation leads from a graph to a candidate model.
fn about(d: &Derivation, before: &egret_ir::Graph, candidate: &Path, options: &VerifyOptions) -> Result<bool> {
    if crate::is_library(candidate) {
        return Ok(false);
    }
    let read = read_candidate(candidate, &options.binding)?;
    Ok(checker::between(d, before, &read.imported.graph).is_ok())
}

/// Evaluates a derivation on the inputs that were compared; rules that change a value go into the report.
fn name_rules(
    report: &mut Report,
    derivation: &Derivation,
    before: &egret_onnx::Imported,
    options: &VerifyOptions,
    progress: Progress<'_>,
) -> Result<()> {
    progress("evaluating the steps");
    let given = egret_verification::inputs::with_frozen(&options.given, &before.frozen)?;
    let values = egret_verification::inputs::for_graph(&before.graph, &given, &options.specs, options.seed)?;
    let found = checker::bisect(derivation, &values);
    if found.unknown > 0 {
        let all = found.agree + found.unknown + found.blamed.len();
        report.notes.push(format!("{} of {all} steps of the optimization could not be evaluated", found.unknown));
    }
    report.blamed = found.blamed;
    Ok(())
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
