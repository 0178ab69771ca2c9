//! The comparison of a model with what claims to be equal to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use egret_ir::eval::array::from_tensor;
use egret_ir::eval::{Array, Bindings, Data, EvalError, Real};
use egret_ir::op::{Op, spec::Spec};
use egret_ir::program::{Kernel, Program};
use egret_ir::{Graph, Tensor, Type, ValueId};

use crate::checks::{self, Checks, Fault, Floors, Reference, Rule, Shown, Step, ValueCheck};
use crate::compiled::{self, Compiled, CompiledError};
use crate::criteria::{self, FLOOR_Z, Floor};
use crate::definition::Definition;
use crate::discrete;
use crate::executor::{ExecError, Executor, Run, Taps};
use crate::inputs::{self, InputError, InputSpec};
use crate::interpreter::{self, Interpreter, InterpreterError};
use crate::litert::LiteRt;
use crate::model::{Model, Original};
use crate::noise::{self, Runs, Truth};
use crate::onnxruntime::{self, Level, OnnxRuntime};
use crate::profile::{Profile, ProfileError, largest, unit_roundoff};
use crate::region::{NoOpaques, Region};
use crate::report::{Comparison, Counts, Discrete, OutputReport, Report, Verdict};

/// How to compare.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of seeded inputs.
    pub samples: usize,
    /// Seed of the first.
    pub seed: u64,
    /// Inputs given as tensors (the same in every sample).
    pub given: Vec<(String, Tensor)>,
    /// How inputs are generated, where not by default.
    pub specs: Vec<(String, InputSpec)>,
    /// Random-rounding runs behind a floor; None: 8, or 4 for models of more than 4·10⁹ multiply-adds.
    pub runs: Option<usize>,
    /// Threads for evaluation and inside the engines.
    pub threads: usize,
}

/// Models above this many multiply-adds get four runs: four give the rms to 10 %.
const LARGE: f64 = 4e9;
impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { samples: 1, seed: 0, given: Vec::new(), specs: Vec::new(), runs: None, threads }
    }
}

/// Amplified rounding beyond this many floors is not believed, whatever the values say: the largest honest one seen was 25.
const DRIFT: f64 = 100.0;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Inputs cannot be made.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The subject does not run.
    #[error("{engine}: {source}")]
    Exec {
        /// The engine.
        engine: String,
        /// Why.
        source: ExecError,
    },
    /// The reference cannot be evaluated.
    #[error("the reference cannot be evaluated: {0}")]
    Eval(#[from] EvalError),
    /// The reference's inputs are not given.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// An executor profile is damaged.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// What is compared with a reference: an engine with a model in it.
pub struct Subject<'a> {
    /// Name for people.
    pub name: String,
    /// The engine.
    pub engine: Box<dyn Executor + 'a>,
    /// What it runs, node by node; empty where it shows no inner values.
    pub steps: Vec<Step>,
    /// Inputs it declares (name and type), in order, where that is to be compared.
    pub inputs: Option<Vec<(String, Type)>>,
    /// Outputs it declares, likewise.
    pub outputs: Option<Vec<(String, Type)>>,
    /// Kernels that are compared with their own bodies as well.
    pub program: Option<&'a Program>,
}

fn declared(model: &Model) -> (Vec<(String, Type)>, Vec<(String, Type)>) {
    let graph = &model.imported.graph;
    let inputs = graph.inputs.iter().map(|d| (d.name.to_string(), d.ty.clone())).collect();
    let outputs = graph.outputs.iter().map(|o| (o.name.to_string(), graph.ty(o.value).clone())).collect();
    (inputs, outputs)
}

impl<'a> Subject<'a> {
    /// A model in ONNX Runtime, which fails on one that did not come as ONNX. At [`Level::All`] its nodes are not shown.
    pub fn onnxruntime(model: &'a Model, level: Level, threads: usize) -> Self {
        let (inputs, outputs) = declared(model);
        let options = onnxruntime::Options { level, threads };
        let engine = OnnxRuntime::new(model.proto().cloned().unwrap_or_default(), model.files.clone(), options);
        let steps = match level {
            Level::Off => model.steps(),
            Level::All => Vec::new(),
        };
        let name = match level {
            Level::Off => model.name.clone(),
            Level::All => format!("{} at the full optimization level", model.name),
        };
        Self { name, engine: Box::new(engine), steps, inputs: Some(inputs), outputs: Some(outputs), program: None }
    }

    /// A TFLite model in LiteRT; None for another format.
    pub fn litert(model: &'a Model) -> Option<Self> {
        let engine = LiteRt::of(model)?;
        let (inputs, outputs) = declared(model);
        let (inputs, outputs) = (Some(inputs), Some(outputs));
        let steps = model.steps();
        Some(Self { name: model.name.clone(), engine: Box::new(engine), steps, inputs, outputs, program: None })
    }

    /// A model in the interpreter, in its declared types.
    pub fn interpreter(model: &'a Model) -> Self {
        Self::node_by_node(model, Box::new(Interpreter::of(&model.imported)))
    }

    /// A model in LibTorch, kind by kind.
    #[cfg(feature = "libtorch")]
    pub fn libtorch(model: &'a Model, threads: usize) -> Self {
        Self::node_by_node(model, Box::new(crate::libtorch::LibTorch::of(&model.imported, threads)))
    }

    /// A model in an engine that shows every named value of the graph.
    pub fn node_by_node(model: &'a Model, engine: Box<dyn Executor + 'a>) -> Self {
        let (inputs, outputs) = declared(model);
        let step = |s: &egret_onnx::Site| {
            let writes: Vec<String> = s.outputs.iter().map(|(_, n)| n.to_string()).collect();
            let name = if s.node.name().is_empty() {
                writes.first().cloned().unwrap_or_default()
            } else {
                s.node.name().to_owned()
            };
            let operands = s.node.input.iter().filter(|n| !n.is_empty()).cloned();
            let reads = operands.chain(s.captures.iter().map(|(_, n)| n.to_string())).collect();
            Step { name, op: s.node.op_type().to_owned(), reads, writes }
        };
        let steps = match model.original {
            Original::Onnx(_) => model.imported.sites.iter().map(step).collect(),
            Original::TfLite { .. } | Original::Text => model.steps(),
        };
        let (inputs, outputs) = (Some(inputs), Some(outputs));
        Self { name: model.name.clone(), engine, steps, inputs, outputs, program: None }
    }

    /// A compiled library. Where the program it was compiled from is given, each kernel is also compared with its own
    /// body; otherwise what the library says of its kernels tells which buffers they read.
    pub fn compiled(path: &Path, threads: usize, program: Option<&'a Program>) -> Result<Self, CompiledError> {
        let engine = Compiled::open(path, threads)?;
        let [inputs, outputs] = engine.interface();
        let steps = match program {
            Some(p) => compiled::steps(p),
            None => compiled::steps_of_text(engine.library().program_text()),
        };
        let name = path.display().to_string();
        Ok(Self { name, engine: Box::new(engine), steps, inputs: Some(inputs), outputs: Some(outputs), program })
    }

    /// Shows no inner values from now on: outputs alone are compared.
    pub fn outputs_only(mut self) -> Self {
        self.steps.clear();
        self
    }
}

/// Compares a subject with a model. Where ONNX Runtime (LiteRT for TFLite) is found, the meaning of the reference as it was
/// read is compared with that engine's on the original model as well: a fault in reading would be shared by whatever was
/// made from it.
pub fn verify(reference: &Model, subject: &mut Subject<'_>, options: &Options) -> Result<Report, VerifyError> {
    let mut definition = Definition::of(reference);
    let itself = matches!(subject.engine.name(), "onnxruntime" | "litert") && subject.name == reference.name;
    if !itself {
        definition = definition.witnessed(reference, options.threads);
    }
    let mut report = verify_definition(&definition, subject, options)?;
    if report.verdict.is_equal() && report.disputed {
        // An output alone proves nothing (ONNX Runtime has known faults); node by node it does.
        let original = match reference.original {
            Original::Onnx(_) => Some(Subject::onnxruntime(reference, Level::Off, options.threads)),
            Original::TfLite { .. } => Subject::litert(reference),
            Original::Text => None,
        };
        let Some(mut original) = original else { return Ok(report) };
        let engine = if original.engine.name() == "litert" { "LiteRT" } else { "ONNX Runtime" };
        let closer =
            verify_definition(&Definition::of(reference), &mut original, &Options { samples: 1, ..options.clone() })?;
        if !closer.verdict.is_equal() {
            report.verdict = Verdict::OraclesDisagree;
            let first = closer.first.map_or_else(|| closer.verdict.to_string(), |f| f.to_string());
            report.notes.push(format!("{engine} on {}: {first}", reference.name));
        }
    }
    Ok(report)
}

/// Compares a subject with a definition.
pub fn verify_definition(
    reference: &Definition<'_>,
    subject: &mut Subject<'_>,
    options: &Options,
) -> Result<Report, VerifyError> {
    let engine = subject.engine.name();
    let profile = Profile::load(subject.engine.profile())?;
    let mut report = Report {
        reference: reference.name.to_owned(),
        subject: subject.name.clone(),
        engine: engine.to_owned(),
        profile: profile.engine.clone(),
        samples: 0,
        runs: 0,
        verdict: Verdict::Equal,
        interface: interface(reference.graph, subject),
        outputs: Vec::new(),
        values: Counts::default(),
        first: None,
        top: Vec::new(),
        skipped: Vec::new(),
        notes: Vec::new(),
        disputed: false,
        blamed: Vec::new(),
    };
    if !report.interface.is_empty() {
        report.verdict = Verdict::Interface;
        return Ok(report);
    }
    for sample in 0..options.samples.max(1) {
        one_sample(reference, subject, options, &profile, sample as u64, &mut report)?;
    }
    conclude(&mut report);
    Ok(report)
}

fn interface(graph: &Graph, subject: &Subject<'_>) -> Vec<String> {
    let own_inputs: Vec<(String, Type)> = graph.inputs.iter().map(|d| (d.name.to_string(), d.ty.clone())).collect();
    let own_outputs: Vec<(String, Type)> =
        graph.outputs.iter().map(|o| (o.name.to_string(), graph.ty(o.value).clone())).collect();
    let mut out = Vec::new();
    let mut side = |what: &str, own: &[(String, Type)], other: &Option<Vec<(String, Type)>>| {
        let Some(other) = other else { return };
        let names = |list: &[(String, Type)]| list.iter().map(|(n, _)| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        if own.iter().map(|(n, _)| n).ne(other.iter().map(|(n, _)| n)) {
            out.push(format!("{what}s {}, expected {}", names(other), names(own)));
            return;
        }
        for ((name, a), (_, b)) in own.iter().zip(other) {
            if !compatible(a, b) {
                out.push(format!("{what} `{name}` is {b}, expected {a}"));
            }
        }
    };
    side("input", &own_inputs, &subject.inputs);
    side("output", &own_outputs, &subject.outputs);
    out
}

/// Equal element types and ranks, and no axis with two different numbers.
fn compatible(a: &Type, b: &Type) -> bool {
    match (a.as_tensor(), b.as_tensor()) {
        (Some(a), Some(b)) => {
            let axes = a.shape.iter().zip(&b.shape);
            a.dtype == b.dtype
                && a.rank() == b.rank()
                && axes.into_iter().all(|(x, y)| x.as_const().zip(y.as_const()).is_none_or(|(x, y)| x == y))
        }
        // A type that one side could not work out is no difference.
        (None, _) | (_, None) => true,
    }
}

fn one_sample(
    reference: &Definition<'_>,
    subject: &mut Subject<'_>,
    options: &Options,
    profile: &Profile,
    sample: u64,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let graph = reference.graph;
    let engine = subject.engine.name();
    let seed = options.seed.wrapping_add(sample);
    let named = inputs::for_graph(graph, &options.given, &options.specs, seed)?;
    let taps = if subject.steps.is_empty() { Taps::Outputs } else { Taps::All };
    let run =
        subject.engine.run(&named, taps).map_err(|source| VerifyError::Exec { engine: engine.to_owned(), source })?;

    let tensors = interpreter::given(graph, &named)?;
    let lifted: BTreeMap<ValueId, Array<f64>> =
        tensors.iter().map(|(v, t)| (*v, from_tensor(&Real::new(), t))).collect();
    let mut bindings = interpreter::bindings(graph, &tensors);
    let outputs: Vec<ValueId> = graph.outputs.iter().map(|o| o.value).collect();
    let decided: Vec<Option<(ValueId, usize)>> = outputs.iter().map(|v| discrete::decided_by(graph, *v)).collect();
    let targets: BTreeSet<ValueId> = outputs.iter().copied().chain(decided.iter().flatten().map(|(v, _)| *v)).collect();
    let region = Region::behind(graph, &targets.into_iter().collect::<Vec<_>>(), &|_| false);
    let count = options.runs.unwrap_or(if work(graph, &region) > LARGE { 4 } else { 8 });
    let runs = Runs { count, seed, threads: options.threads };
    let truths = noise::floors(graph, &region, profile, &lifted, &mut bindings, reference.opaques.real(), runs)?;
    let truth: BTreeMap<ValueId, &Truth> = region.targets.iter().copied().zip(&truths).collect();
    for (i, (decl, got)) in graph.outputs.iter().zip(&run.outputs).enumerate() {
        let operand = decided[i].and_then(|(v, axis)| Some((*truth.get(&v)?, axis)));
        let comparison = output(truth[&decl.value], &got.1, operand);
        record(report, i, &decl.name, comparison);
    }
    if let Some(witness) = &reference.witness {
        match witness.engine.borrow_mut().run(&named, Taps::Outputs) {
            Err(e) => report.notes.push(format!("{} does not run {}: {e}", witness.name, reference.name)),
            Ok(other) => {
                for (i, (decl, (_, got))) in graph.outputs.iter().zip(&other.outputs).enumerate() {
                    let operand = decided[i].and_then(|(v, axis)| Some((*truth.get(&v)?, axis)));
                    report.disputed |= !passes(&output(truth[&decl.value], got, operand));
                }
            }
        }
    }
    if !subject.steps.is_empty() {
        let shown = shown(subject.steps.clone(), &run, &named);
        let reference = Reference {
            graph,
            names: reference.names.clone(),
            inputs: lifted,
            bindings,
            opaques: reference.opaques.real(),
            bounded_opaques: reference.opaques.bounded(),
        };
        let floors = if engine == "compiled" { Floors::All } else { Floors::Large };
        let rule = Rule { profile, engine, runs, threads: options.threads, floors };
        let checks = trusted(&reference, &shown, rule, report);
        let right: BTreeSet<String> = checks.values.iter().filter(|c| c.passes()).map(|c| c.name.clone()).collect();
        gather(report, checks);
        if let Some(program) = subject.program {
            gather(report, kernels(program, &shown, rule, &right, &reference.bindings));
        }
    }
    report.samples += 1;
    report.runs = count;
    Ok(())
}

/// Kernels of a program against their own bodies, with the inputs the library saw: those whose results were not already
/// found right by the model's own definition. `bindings` are the extents of this run.
fn kernels(program: &Program, shown: &Shown, rule: Rule<'_>, right: &BTreeSet<String>, bindings: &Bindings) -> Checks {
    let mut all = Checks::default();
    let one = Rule { threads: 1, ..rule };
    let mut definitions = compiled::kernels(program);
    let open = |k: &Kernel| k.writes.iter().any(|b| !right.contains(&*program.buffer(*b).name));
    definitions.retain(|d| open(d.kernel));
    let results = checks::parallel(definitions.len(), rule.threads, |i| {
        let definition = &definitions[i];
        let reference = Reference {
            graph: &definition.kernel.body,
            names: definition.names.clone(),
            inputs: BTreeMap::new(),
            bindings: bindings.clone(),
            opaques: &NoOpaques,
            bounded_opaques: &NoOpaques,
        };
        let mut values: BTreeMap<String, Tensor> = definition.constants.iter().cloned().collect();
        let ports = definition.names.keys().filter_map(|n| Some((n.clone(), shown.values.get(n)?.clone())));
        values.extend(ports);
        let step = compiled::step(program, &program.steps[definition.position]);
        checks::run(&reference, &Shown { steps: vec![step], values }, one, &BTreeSet::new())
    });
    for checks in results {
        all.values.extend(checks.values);
        all.skipped.extend(checks.skipped);
    }
    all
}

fn shown(steps: Vec<Step>, run: &Run, inputs: &[(String, Tensor)]) -> Shown {
    let mut values = run.taps.clone();
    values.extend(inputs.iter().cloned());
    Shown { steps, values }
}

/// What evaluating a region costs, in multiply-adds, where its extents are numbers: an element of a result counts 16.
fn work(graph: &Graph, region: &Region) -> f64 {
    let elements = |v: &ValueId| {
        let shape = graph.ty(*v).as_tensor().map_or(&[][..], |t| &t.shape);
        shape.iter().map(|d| d.as_const().unwrap_or(1) as f64).product::<f64>()
    };
    let of = |v: &ValueId| {
        let own =
            if let Op::Contract { spec, .. } = &graph.node(*v).op { contraction_work(graph, *v, spec) } else { 0.0 };
        own + 16.0 * elements(v)
    };
    region.order.iter().map(of).sum()
}

fn contraction_work(graph: &Graph, v: ValueId, spec: &Spec) -> f64 {
    let shapes: Vec<&[egret_ir::Dim]> =
        graph.node(v).args.iter().filter_map(|a| Some(graph.ty(*a).as_tensor()?.shape.as_slice())).collect();
    let extents = spec.extents(&shapes).unwrap_or_default();
    extents.iter().map(|d| d.as_const().unwrap_or(1) as f64).product()
}

fn output(truth: &Truth, got: &Tensor, operand: Option<(&Truth, usize)>) -> Comparison {
    let value = &truth.value;
    if value.dtype() != got.dtype() || value.shape() != got.shape() {
        let expected = format!("{}{:?}", value.dtype(), value.shape());
        return Comparison::Type { expected, got: format!("{}{:?}", got.dtype(), got.shape()) };
    }
    match value.data() {
        Data::Float(t) => {
            let exact = vec![0.0; t.len()];
            let sigma = if truth.sigma.is_empty() { &exact } else { &truth.sigma };
            Comparison::Float(criteria::floor(
                t,
                sigma,
                &got.to_f64(),
                largest(got.dtype()),
                unit_roundoff(got.dtype()),
            ))
        }
        Data::Int(_) | Data::Bool(_) => Comparison::Discrete(discrete::compare(truth, got, operand)),
    }
}

fn passes(comparison: &Comparison) -> bool {
    match comparison {
        Comparison::Float(f) => f.passes(FLOOR_Z),
        Comparison::Discrete(d) => d.wrong == 0,
        Comparison::Type { .. } => false,
    }
}

/// Keeps the worst sample of each output.
fn record(report: &mut Report, i: usize, name: &str, comparison: Comparison) {
    let passes = passes(&comparison);
    let fresh = OutputReport { name: name.to_owned(), comparison, passes };
    let Some(old) = report.outputs.get_mut(i) else {
        report.outputs.push(fresh);
        return;
    };
    let worse = match (&old.comparison, &fresh.comparison) {
        (Comparison::Float(a), Comparison::Float(b)) => Floor::worse(*a, *b) == *b,
        (Comparison::Discrete(a), Comparison::Discrete(b)) => discrete_rank(b) > discrete_rank(a),
        _ => old.passes,
    };
    if worse {
        *old = fresh;
    }
}

fn discrete_rank(d: &Discrete) -> (usize, usize) {
    (d.wrong, d.flipped)
}

/// The checks, after values that only *look* wrong are taken out: a name may stand for another value in the subject (an
/// optimizer kept it for a neighbour). Such a value is no fault if everything computed from it is right when the value is
/// neither trusted nor forced.
fn trusted(reference: &Reference<'_>, shown: &Shown, rule: Rule<'_>, report: &mut Report) -> Checks {
    let mut checks = checks::run(reference, shown, rule, &BTreeSet::new());
    let outputs: BTreeSet<&str> = reference.graph.outputs.iter().map(|o| &*o.name).collect();
    let failed: BTreeSet<String> = checks.values.iter().filter(|c| !c.passes()).map(|c| c.name.clone()).collect();
    if failed.is_empty() || failed.iter().any(|n| outputs.contains(n.as_str())) {
        return checks;
    }
    let readers: BTreeSet<&String> =
        shown.steps.iter().filter(|s| s.reads.iter().any(|r| failed.contains(r))).flat_map(|s| &s.writes).collect();
    let again = Shown { steps: shown.steps.clone(), values: shown.values.clone() };
    let second = checks::run(reference, &again, rule, &failed);
    let consequences = |c: &&ValueCheck| readers.contains(&c.name) || c.behind.len() > 1;
    let wrong: Vec<&ValueCheck> = second.values.iter().filter(consequences).filter(|c| !c.passes()).collect();
    let checked = second.values.iter().any(|c| readers.contains(&c.name));
    if wrong.is_empty() && checked {
        for c in checks.values.iter().filter(|c| failed.contains(&c.name)) {
            report.notes.push(format!(
                "`{}` is another value than in the reference ({}), but what is computed from it is equal",
                c.name,
                c.fault.as_ref().map_or_else(String::new, Fault::to_string)
            ));
        }
        checks.values.retain(|c| !failed.contains(&c.name));
        checks.unpaired += failed.len();
    }
    checks
}

fn gather(report: &mut Report, checks: Checks) {
    report.values.checked += checks.values.len();
    report.values.unpaired += checks.unpaired;
    report.values.skipped += checks.skipped.len();
    for c in &checks.values {
        report.values.turned += c.turned;
        report.values.failed += usize::from(!c.passes());
        if let Some(excuse) = &c.excuse {
            report.values.excused += 1;
            let note = format!("`{}`: {excuse}", c.name);
            if !report.notes.contains(&note) {
                report.notes.push(note);
            }
        }
    }
    if report.first.is_none() {
        report.first = checks.values.iter().find(|c| !c.passes()).cloned();
    }
    report.top.extend(checks.values);
    report.top.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    report.top.truncate(5);
    for s in checks.skipped {
        if !report.skipped.iter().any(|old| old.name == s.name) {
            report.skipped.push(s);
        }
    }
}

fn conclude(report: &mut Report) {
    let outputs_pass = report.outputs.iter().all(|o| o.passes);
    report.verdict = if let Some(first) = &report.first {
        match first.fault {
            Some(Fault::Pattern(_)) => Verdict::Overflow,
            Some(Fault::Exact { .. }) => Verdict::Exact,
            Some(Fault::Type { .. }) => Verdict::Interface,
            Some(Fault::Bound { .. } | Fault::Coherence(_) | Fault::Floor(_)) | None => Verdict::Semantic,
        }
    } else if outputs_pass {
        Verdict::Equal
    } else {
        failed_outputs(report)
    };
}

/// Outputs are over their floors and no value is over its bound.
fn failed_outputs(report: &mut Report) -> Verdict {
    let mut verdict = Verdict::RoundingDrift;
    // Values that nobody could check leave a fault a place to hide in.
    let all_seen = report.values.checked > 0 && report.values.skipped == 0;
    for o in report.outputs.iter().filter(|o| !o.passes) {
        let this = match &o.comparison {
            Comparison::Type { .. } => Verdict::Interface,
            Comparison::Discrete(_) if all_seen => Verdict::RoundingDrift,
            Comparison::Discrete(_) => Verdict::Exact,
            Comparison::Float(f) if f.pattern.is_some() && report.values.excused == 0 => Verdict::Overflow,
            Comparison::Float(f) if all_seen && f.rms_ratio <= DRIFT => Verdict::RoundingDrift,
            Comparison::Float(_) => Verdict::Semantic,
        };
        if !this.is_equal() {
            verdict = this;
        }
    }
    if verdict == Verdict::RoundingDrift {
        let most = report.top.iter().take(3).map(|c| format!("`{}` at {:.0} %", c.name, 100.0 * c.score));
        report.notes.push(format!(
            "every value is within its bound, so the difference is rounding that the model amplifies; nearest to their bounds: {}",
            most.collect::<Vec<_>>().join(", ")
        ));
    }
    verdict
}
