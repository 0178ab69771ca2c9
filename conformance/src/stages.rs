//! What is done with one test: interpreted, optimized and exported, compiled and run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use egret::Numeric;
use egret_ir::Tensor;
use egret_onnx::external::Files;
use egret_onnx::proto::ModelProto;
use egret_onnx::{Frozen, Imported, ReadOptions};
use egret_verification::interpreter::Interpreter;
use egret_verification::onnxruntime::{Level, OnnxRuntime, Options};
use egret_verification::{Executor, Taps};
use prost::Message;
use serde::{Deserialize, Serialize};

use crate::compare;
use crate::suite::{Case, Named, Set};

/// A path through the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Import, check, interpret
    Interpret,
    /// Optimize, export, run in ONNX Runtime
    Export,
    /// Compile, run
    Compile,
    /// For comparison: the original model in ONNX Runtime with all its optimizations
    #[value(skip)]
    Onnxruntime,
}

impl Stage {
    /// Its name in JSON and in the skip table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpret => "interpret",
            Self::Export => "export",
            Self::Compile => "compile",
            Self::Onnxruntime => "onnxruntime",
        }
    }
}

/// What may be asked of ONNX Runtime, which some models crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// Run the optimized model; the original only where that fails.
    Optimized,
    /// The optimized model crashed it: run the original.
    Original,
    /// Both crash it: judge by re-import.
    Avoid,
}

/// How a stage ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The first thing that is wrong; None: all is right.
    pub fault: Option<String>,
    /// ONNX Runtime cannot run even the original, or gives other values than the test: the exported model was read again
    /// and interpreted. Says what ONNX Runtime does.
    pub by_reimport: Option<String>,
}

impl Outcome {
    fn of(done: Result<(), String>) -> Self {
        Self { fault: done.err(), by_reimport: None }
    }
}

/// A test as it is run: as it came, or with inputs frozen that ranks or dtypes depend on.
pub struct Prepared {
    case: Case,
    path: PathBuf,
    options: ReadOptions,
    imported: Result<Imported, String>,
    exact: Vec<String>,
    numeric: Numeric,
}

/// Frozen inputs have at most this many elements: they are shapes, axes, sizes, counts.
const SMALL: usize = 64;

/// Reads a test. Where its model has nodes that stay opaque, small inputs are frozen to the values of the test, if that
/// resolves them all: first those of integers, then floats (sizes as factors) too.
pub fn prepare(case: Case, folder: &Path, numeric: Numeric) -> Prepared {
    let path = folder.join("model.onnx");
    let mut options = ReadOptions::default();
    let mut imported = import(&path, &options);
    let resolved = |i: &Result<Imported, String>| i.as_ref().is_ok_and(|i| i.opaque_reasons.is_empty());
    if !resolved(&imported) {
        for floats in [false, true] {
            let values = candidates(&case, floats);
            let with = ReadOptions { values, ..ReadOptions::default() };
            let read = import(&path, &with);
            if !with.values.is_empty() && resolved(&read) {
                (options, imported) = (with, read);
                break;
            }
        }
    }
    let exact = imported.as_ref().map(|i| compare::moved(&i.graph)).unwrap_or_default();
    Prepared { case, path, options, imported, exact, numeric }
}

/// Small inputs that have the same value in all sets, and those that no set gives and that keep their default.
fn candidates(case: &Case, floats: bool) -> Vec<(String, Frozen)> {
    let small = |t: &Tensor| t.shape().len() <= 1 && t.len() <= SMALL && (floats || !t.dtype().is_float());
    let shared = |name: &str, t: &Tensor| case.sets.iter().all(|s| s.inputs.iter().any(|(n, v)| n == name && v == t));
    let given = case.sets.iter().take(1).flat_map(|s| s.inputs.clone()).filter(|(n, t)| shared(n, t));
    let graph = case.model.graph.as_ref();
    let listed = |name: &str| graph.is_some_and(|g| g.input.iter().any(|i| i.name() == name));
    let left = |name: &str| !case.sets.iter().any(|s| s.inputs.iter().any(|(n, _)| n == name));
    let stored = graph.into_iter().flat_map(|g| &g.initializer).filter(|t| listed(t.name()) && left(t.name()));
    let defaults = stored.filter_map(|t| Some((t.name().to_owned(), egret_onnx::tensor::decode(t).ok()?)));
    given.chain(defaults).filter(|(_, t)| small(t)).map(|(n, t)| (n, Frozen::Tensor(t))).collect()
}

fn import(path: &Path, options: &ReadOptions) -> Result<Imported, String> {
    let imported = egret_onnx::read(path, options).map_err(|e| format!("reading: {e}"))?;
    match egret_ir::check(imported.graph.clone()) {
        Ok(_) => Ok(imported),
        Err(reports) => Err(format!("check: {}", reports.first().map(ToString::to_string).unwrap_or_default())),
    }
}

impl Prepared {
    /// Names of the frozen inputs.
    pub fn frozen(&self) -> Vec<String> {
        self.options.values.iter().map(|(n, _)| n.clone()).collect()
    }

    /// Whether no value on the way from the inputs to the outputs is NaN or Inf, as far as the interpreter tells.
    pub fn is_finite(&self) -> bool {
        let Ok(imported) = &self.imported else { return true };
        let finite = |t: &Tensor| !t.dtype().is_float() || (0..t.len()).all(|i| t.get(i).to_f64().is_finite());
        self.case.sets.iter().all(|set| match Interpreter::of(imported).run(&set.inputs, Taps::All) {
            Ok(run) => run.taps.values().chain(set.inputs.iter().map(|(_, t)| t)).all(finite),
            Err(_) => true,
        })
    }

    /// Runs one stage. A panic is a fault like others.
    pub fn run(&self, stage: Stage, scratch: &Path, runtime: Runtime, begin: &dyn Fn(&str)) -> Outcome {
        let done = catch_unwind(AssertUnwindSafe(|| match stage {
            Stage::Interpret => Outcome::of(self.interpret()),
            Stage::Export => self.export(runtime, begin).unwrap_or_else(|e| Outcome::of(Err(e))),
            Stage::Compile => Outcome::of(self.compile(scratch)),
            Stage::Onnxruntime => Outcome::of(self.onnxruntime(self.case.model.clone(), Level::All)),
        }));
        done.unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("of an unknown kind");
            Outcome::of(Err(format!("panic: {text}")))
        })
    }

    /// Runs an engine on every set and compares.
    fn judge(&self, run: &mut dyn FnMut(&Named) -> Result<Named, String>) -> Result<(), String> {
        for Set { inputs, outputs } in &self.case.sets {
            compare::outputs(outputs, &run(inputs)?, self.case.tolerance, &self.exact)?;
        }
        Ok(())
    }

    fn interpret(&self) -> Result<(), String> {
        let imported = self.imported.as_ref().map_err(Clone::clone)?;
        self.judge(&mut |inputs| interpret(imported, inputs))
    }

    fn export(&self, runtime: Runtime, begin: &dyn Fn(&str)) -> Result<Outcome, String> {
        let (binding, numeric) = (self.options.clone(), self.numeric);
        let options = egret::OptimizeOptions { binding, numeric, ..egret::OptimizeOptions::default() };
        let optimized = egret::optimize(&self.path, &options, &|_| {}).map_err(|e| first_lines(&e.to_string()))?.model;
        let fault = match runtime {
            Runtime::Optimized => {
                begin("onnxruntime");
                match self.onnxruntime(optimized.clone(), Level::Off) {
                    Ok(()) => return Ok(Outcome::of(Ok(()))),
                    Err(fault) => fault,
                }
            }
            Runtime::Original | Runtime::Avoid => "crashes on the optimized model".to_owned(),
        };
        let original = if runtime == Runtime::Avoid {
            "crashes on the original".to_owned()
        } else {
            begin("onnxruntime-original");
            match self.onnxruntime(self.case.model.clone(), Level::Off) {
                Ok(()) => return Err(format!("ONNX Runtime agrees on the original, not on the optimized: {fault}")),
                Err(reason) => reason,
            }
        };
        begin("reimport");
        let again = egret_onnx::read_bytes(optimized.encode_to_vec().into(), None, &self.options);
        let imported = again.map_err(|e| format!("reading the exported model: {e}"))?;
        let done = self.judge(&mut |inputs| interpret(&imported, inputs));
        let done = done.map_err(|e| format!("read again: {e} (ONNX Runtime: {original})"));
        Ok(Outcome { fault: done.err(), by_reimport: Some(original) })
    }

    fn onnxruntime(&self, model: ModelProto, level: Level) -> Result<(), String> {
        let options = Options { level, threads: 1 };
        let mut engine = OnnxRuntime::new(model, Files::none(), options);
        self.judge(&mut |inputs| {
            let run = engine.run(inputs, Taps::Outputs);
            run.map(|r| r.outputs).map_err(|e| first_lines(&e.to_string()))
        })
    }

    fn compile(&self, scratch: &Path) -> Result<(), String> {
        let out = tempfile::Builder::new().prefix("lib").suffix(".so").tempfile_in(scratch);
        let out = out.map_err(|e| e.to_string())?.into_temp_path();
        let (binding, numeric) = (self.options.clone(), self.numeric);
        let options = egret::CompileOptions { binding, numeric, ..egret::CompileOptions::default() };
        egret::compile(&self.path, &out, &options, &|_| {}).map_err(|e| first_lines(&e.to_string()))?;
        let mut engine = egret_verification::compiled::Compiled::open(&out, 1).map_err(|e| e.to_string())?;
        let defaults = self.defaults();
        self.judge(&mut |inputs| {
            let known = |name: &String| inputs.iter().any(|(n, _)| n == name);
            let more = defaults.iter().filter(|(n, _)| !known(n));
            let all: Named = inputs.iter().chain(more).cloned().collect();
            engine.run(&all, Taps::Outputs).map(|r| r.outputs).map_err(|e| e.to_string())
        })
    }

    /// Values of inputs with a default, which a library asks for like others.
    fn defaults(&self) -> Named {
        let Ok(imported) = &self.imported else { return Vec::new() };
        let graph = &imported.graph;
        let value =
            |i: &egret_ir::graph::InputDecl| Some((i.name.to_string(), graph.tables.tensor(i.default?).clone()));
        graph.inputs.iter().filter_map(value).collect()
    }
}

fn interpret(imported: &Imported, inputs: &Named) -> Result<Named, String> {
    if let Some(opaque) = imported.opaque_reasons.first() {
        return Err(format!("{}: {}", opaque.node, opaque.reason));
    }
    let run = Interpreter::of(imported).run(inputs, Taps::Outputs);
    run.map(|r| r.outputs).map_err(|e| e.to_string())
}

/// The path leads to a temporary folder and says nothing; long lists say it all in their first lines.
fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let place = lines.first().is_some_and(|l| l.contains("model.onnx") && lines.len() > 1);
    let shown: Vec<&str> = lines.into_iter().skip(usize::from(place)).take(3).collect();
    shown.join("; ")
}
