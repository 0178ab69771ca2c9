//! Checks with forced inputs: every value that an engine shows and the reference model also names is computed from the
//! engine's own other values by the reference's definition, and compared.
//!
//! The part of the reference behind a value ends where the *engine* also reads a shown value (not where the reference has
//! one that the engine went around): then both sides start from the same numbers, and what differs is this part alone.
//! Parts with at most one contraction are judged by their bound and the coherence test, larger ones also by their floor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use egret_ir::eval::array::from_tensor;
use egret_ir::eval::{Array, Bindings, Data, EvalError, Real};
use egret_ir::op::Op;
use egret_ir::{Graph, Tensor, ValueId};
use serde::Serialize;

use crate::bound::{Bound, Bounded, Form};
use crate::criteria::{self, Coherence, Floor, NodeCheck, Pattern, REGION_Z};
use crate::faults::{self, When};
use crate::noise::{self, Runs};
use crate::profile::{Profile, largest, unit_roundoff};
use crate::region::{self, Opaques, Region, onnx_op};

/// A node of what the engine ran: an ONNX node or a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name for people.
    pub name: String,
    /// ONNX operator, or `kernel`.
    pub op: String,
    /// Values it reads.
    pub reads: Vec<String>,
    /// Values it writes.
    pub writes: Vec<String>,
}

/// What an engine showed of a run.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// What it ran, in order.
    pub steps: Vec<Step>,
    /// Values by name.
    pub values: BTreeMap<String, Tensor>,
}

/// The reference: a graph with names.
pub struct Reference<'a> {
    /// Its definition.
    pub graph: &'a Graph,
    /// Named values.
    pub names: BTreeMap<String, ValueId>,
    /// Inputs of the run, lifted, by value.
    pub inputs: BTreeMap<ValueId, Array<f64>>,
    /// Values of symbols.
    pub bindings: Bindings,
    /// How opaque operators are evaluated, for truths …
    pub opaques: &'a (dyn Opaques<Real> + Sync),
    /// … and for bounds.
    pub bounded_opaques: &'a (dyn for<'b> Opaques<Bounded<'b>> + Sync),
}

/// How a value is judged.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// The engine's rounding.
    pub profile: &'a Profile,
    /// The engine's name, for its known faults.
    pub engine: &'a str,
    /// Random rounding.
    pub runs: Runs,
    /// Threads over values.
    pub threads: usize,
    /// Which values are judged by their floor as well.
    pub floors: Floors,
}

/// Which values are judged by a floor besides their bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floors {
    /// Those behind more than one contraction, whose bounds are loose.
    Large,
    /// All that can round: kernels fuse and reorder.
    All,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fault {
    /// Another element type or shape.
    Type {
        /// The reference's.
        expected: String,
        /// The engine's.
        got: String,
    },
    /// NaN, Inf and finite values differ.
    Pattern(Pattern),
    /// Integers, truth values or moved elements differ.
    Exact {
        /// Flat position.
        at: usize,
        /// Reference.
        expected: f64,
        /// Engine.
        got: f64,
        /// Elements that differ.
        count: usize,
    },
    /// An error beyond the node's bound.
    Bound {
        /// Flat position.
        at: usize,
        /// |error|.
        error: f64,
        /// Bound.
        bound: f64,
    },
    /// Results scaled by 1 + β.
    Coherence(Coherence),
    /// An error beyond the region's floor.
    Floor(Floor),
}

/// The check of one value.
#[derive(Clone, Debug, Serialize)]
pub struct ValueCheck {
    /// The value.
    pub name: String,
    /// The engine's node that gave it.
    pub step: String,
    /// Its operator.
    pub op: String,
    /// Nodes of the reference behind it, with operators: between this value and the forced ones.
    pub behind: Vec<String>,
    /// Above 1 it fails: error over bound, coherence over its threshold, floor ratios over their thresholds.
    pub score: f64,
    /// What is wrong, where something is.
    pub fault: Option<Fault>,
    /// A known fault of the engine that explains it.
    pub excuse: Option<String>,
    /// Elements a whole step of an integer inside away, where the value before it lies within its bound of a tie.
    pub turned: usize,
    /// Rows of the profile the bound is made of, with their sources.
    pub rows: Vec<(String, String)>,
}

impl ValueCheck {
    /// How telling the score is: an exactly rounded operation reaches its bound in every run.
    pub fn rank(&self) -> f64 {
        let trivial = self.rows.iter().all(|(r, _)| r.starts_with("exact") || r.starts_with("rounded"));
        if self.fault.is_none() && trivial { self.score * 1e-3 } else { self.score }
    }

    /// Whether the value is as it should be, or explained.
    pub fn passes(&self) -> bool {
        self.fault.is_none() || self.excuse.is_some()
    }
}

/// A value that could not be checked, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    /// The value.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Outcome of all checks of a run.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// Checked values, in the engine's order.
    pub values: Vec<ValueCheck>,
    /// Values of both sides that could not be checked.
    pub skipped: Vec<Skipped>,
    /// Values the engine showed that the reference does not name.
    pub unpaired: usize,
}

/// A check to be done: value, step, region and the names of what is forced.
struct Job<'a> {
    name: &'a str,
    step: &'a Step,
    target: ValueId,
    region: Region,
    forced: BTreeMap<ValueId, &'a Tensor>,
    alias: Option<&'a Tensor>,
}

/// Checks every shown value that the reference names. Values in `distrusted` are neither checked nor forced.
pub fn run(reference: &Reference<'_>, shown: &Shown, rule: Rule<'_>, distrusted: &BTreeSet<String>) -> Checks {
    let mut checks = Checks::default();
    let mut jobs = Vec::new();
    let makers: BTreeMap<&str, &Step> =
        shown.steps.iter().flat_map(|s| s.writes.iter().map(move |w| (w.as_str(), s))).collect();
    for step in &shown.steps {
        for name in &step.writes {
            let Some(tensor) = shown.values.get(name) else { continue };
            let Some(&target) = reference.names.get(name) else {
                checks.unpaired += 1;
                continue;
            };
            if distrusted.contains(name) {
                continue;
            }
            match reference.graph.ty(target).as_tensor() {
                Some(t) if t.dtype == tensor.dtype() => {}
                other => {
                    let expected = other.map_or_else(|| reference.graph.ty(target).to_string(), ToString::to_string);
                    let got = format!("{}{:?}", tensor.dtype(), tensor.shape());
                    checks.values.push(failed(name, step, Fault::Type { expected, got }));
                    continue;
                }
            }
            jobs.push(job(reference, shown, &makers, distrusted, step, name, target));
        }
    }
    let results = parallel(jobs.len(), rule.threads, |i| judge(reference, shown, rule, &jobs[i]));
    for (job, result) in jobs.iter().zip(results) {
        match result {
            Ok(check) => checks.values.push(check),
            Err(e) => checks.skipped.push(Skipped { name: job.name.to_owned(), reason: e.to_string() }),
        }
    }
    checks
}

fn failed(name: &str, step: &Step, fault: Fault) -> ValueCheck {
    ValueCheck {
        name: name.to_owned(),
        step: step.name.clone(),
        op: step.op.clone(),
        behind: Vec::new(),
        score: f64::INFINITY,
        fault: Some(fault),
        excuse: None,
        turned: 0,
        rows: Vec::new(),
    }
}

/// Results of `work(0..n)` in order, computed on several threads.
pub(crate) fn parallel<T: Send>(n: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads <= 1 || n <= 1 {
        return (0..n).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let mut parts: Vec<Vec<(usize, T)>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads.min(n))
            .map(|_| {
                scope.spawn(|| {
                    let mut done = Vec::new();
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= n {
                            return done;
                        }
                        done.push((i, work(i)));
                    }
                })
            })
            .collect();
        handles.into_iter().filter_map(|h| h.join().ok()).collect()
    });
    let mut all: Vec<(usize, T)> = parts.drain(..).flatten().collect();
    all.sort_by_key(|(i, _)| *i);
    assert_eq!(all.len(), n, "no worker panicked");
    all.into_iter().map(|(_, t)| t).collect()
}

fn job<'a>(
    reference: &Reference<'_>,
    shown: &'a Shown,
    makers: &BTreeMap<&'a str, &'a Step>,
    distrusted: &BTreeSet<String>,
    step: &'a Step,
    name: &'a str,
    target: ValueId,
) -> Job<'a> {
    // What the engine read on the way to this value, as far back as the first shown value on each path.
    let mut forced: BTreeMap<ValueId, &Tensor> = BTreeMap::new();
    let mut alias = None;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut stack: Vec<&str> = step.reads.iter().map(String::as_str).collect();
    while let Some(read) = stack.pop() {
        if !seen.insert(read) {
            continue;
        }
        let paired = reference.names.get(read).filter(|v| {
            let t = shown.values.get(read);
            // Only what the engine computed (and is checked itself) or was given may stand in for the reference's own:
            // a weight of the subject may be the very fault.
            let checked = makers.contains_key(read) || reference.inputs.contains_key(v);
            !distrusted.contains(read)
                && (checked || matches!(reference.graph.node(**v).op, Op::Input(_)))
                && t.is_some_and(|t| {
                    reference
                        .graph
                        .ty(**v)
                        .as_tensor()
                        .is_some_and(|ty| ty.dtype == t.dtype() && ty.rank() == t.shape().len())
                })
        });
        match (paired, shown.values.get(read)) {
            (Some(v), Some(t)) => {
                if *v == target && read != name {
                    alias = Some(t);
                }
                forced.insert(*v, t);
            }
            _ => {
                if let Some(maker) = makers.get(read) {
                    stack.extend(maker.reads.iter().map(String::as_str));
                }
            }
        }
    }
    let region = Region::behind(reference.graph, &[target], &|v| forced.contains_key(&v));
    forced.retain(|v, _| region.cut.contains(v));
    Job { name, step, target, region, forced, alias }
}

fn judge(reference: &Reference<'_>, shown: &Shown, rule: Rule<'_>, job: &Job<'_>) -> Result<ValueCheck, EvalError> {
    let graph = reference.graph;
    let got = &shown.values[job.name];
    let sites = job.region.sites(graph);
    let mut check = ValueCheck {
        name: job.name.to_owned(),
        step: job.step.name.clone(),
        op: job.step.op.clone(),
        behind: sites.iter().map(|(_, op, name)| format!("{name} ({op})")).collect(),
        score: 0.0,
        fault: None,
        excuse: None,
        turned: 0,
        rows: Vec::new(),
    };
    if let Some(same) = job.alias {
        let truth = from_tensor(&Real::new(), same);
        set(&mut check, exact(&truth, got, None), f64::INFINITY);
        return Ok(check);
    }
    let op = match sites.as_slice() {
        [(_, op, _)] => Some(op.as_str()),
        _ => onnx_op(graph, job.target),
    };
    let form = match sites.as_slice() {
        [] => Form::Same,
        [(_, op, _)] if *op == job.step.op => Form::Same,
        [_] => Form::Substituted,
        [_, _, ..] => Form::Rearranged,
    };
    let domain = Bounded::new(rule.profile, op).of_form(form);
    let mut given: BTreeMap<ValueId, Array<Bound>> = BTreeMap::new();
    for v in &job.region.cut {
        if let Some(t) = job.forced.get(v) {
            given.insert(*v, from_tensor(&domain, t));
        } else if let Some(a) = reference.inputs.get(v) {
            given.insert(*v, lifted(a));
        }
    }
    let evaluate = |domain: &Bounded<'_>| -> Result<Array<Bound>, EvalError> {
        let mut bindings = reference.bindings.clone();
        let opaques = reference.bounded_opaques;
        Ok(region::evaluate(graph, &job.region, domain, &given, &mut bindings, opaques)?.swap_remove(0))
    };
    let truth = evaluate(&domain)?;
    // Where an integer inside may have been turned the bound is a step; everywhere else, and without it, the same.
    let mut open = Vec::new();
    if let (Data::Float(bounds), true) = (truth.data(), domain.has_turned()) {
        let strict = evaluate(&Bounded::new(rule.profile, op).of_form(form).without_turns())?;
        let strict = strict.floats().unwrap_or_default();
        open = bounds.iter().zip(strict).map(|(b, s)| (b.e > s.e).then_some(s.e)).collect();
    }
    drop(given);
    check.rows = domain.rows();
    if truth.shape() != got.shape() {
        let expected = format!("{}{:?}", truth.dtype(), truth.shape());
        let fault = Fault::Type { expected, got: format!("{}{:?}", got.dtype(), got.shape()) };
        set(&mut check, Some(fault), f64::INFINITY);
        return Ok(check);
    }
    match truth.data() {
        Data::Int(_) | Data::Bool(_) => {
            let turned = domain.turned(truth.len());
            set(&mut check, exact(&truth, got, turned.as_deref()), f64::INFINITY);
        }
        Data::Float(bounds) => floats(reference, rule, job, (&domain, bounds, &open), got, &mut check)?,
    }
    if check.fault.is_some() {
        let facts = facts(reference, shown, job, &check);
        let known = sites.iter().find_map(|(_, op, _)| faults::explaining(rule.engine, op, &facts));
        check.excuse = known.map(|k| format!("{} {}", rule.engine, k.what));
    }
    Ok(check)
}

fn set(check: &mut ValueCheck, fault: Option<Fault>, score: f64) {
    if let Some(fault) = fault {
        check.fault = Some(fault);
        check.score = score;
    }
}

fn lifted(a: &Array<f64>) -> Array<Bound> {
    match a.data() {
        Data::Float(v) => Array::float(a.dtype(), a.shape(), v.iter().map(|x| Bound::exact(*x)).collect()),
        Data::Int(v) => Array::int(a.dtype(), a.shape(), v.to_vec()),
        Data::Bool(v) => Array::bool(a.shape(), v.to_vec()),
    }
}

fn floats(
    reference: &Reference<'_>,
    rule: Rule<'_>,
    job: &Job<'_>,
    (domain, bounds, open): (&Bounded<'_>, &[Bound], &[Option<f64>]),
    got: &Tensor,
    check: &mut ValueCheck,
) -> Result<(), EvalError> {
    let graph = reference.graph;
    let truth: Vec<f64> = bounds.iter().map(|b| b.y).collect();
    let mut bound: Vec<f64> = bounds.iter().map(|b| b.e).collect();
    let mut values = got.to_f64();
    let (max, u) = (largest(got.dtype()), unit_roundoff(got.dtype()));
    let node: NodeCheck = criteria::node(&truth, &bound, &values, max);
    check.score = node.ratio;
    if let Some(pattern) = node.pattern {
        set(check, Some(Fault::Pattern(pattern)), f64::INFINITY);
        return Ok(());
    }
    if node.ratio > 1.0 {
        let fault = Fault::Bound { at: node.at, error: node.error, bound: node.bound };
        set(check, Some(fault), node.ratio);
        return Ok(());
    }
    // What the bound leaves to either side of a tie says nothing of noise or scale.
    for (i, strict) in open.iter().enumerate() {
        if let Some(strict) = *strict {
            check.turned += usize::from((values[i] - truth[i]).abs() > strict);
            (values[i], bound[i]) = (truth[i], strict);
        }
    }
    let contractions = job.region.contractions(graph);
    let carried = !job.region.iterates(graph) && job.region.carries_contraction(graph);
    if contractions == 1 && carried && domain.terms() > 0 {
        // Bounds of a contraction are 4√K·u·|a|·|b|, its standard deviation 0.5·u·|a|·|b|.
        let narrower = 8.0 * (domain.terms() as f64).sqrt();
        let sigma: Vec<f64> = bound.iter().map(|b| b / narrower).collect();
        let found = criteria::coherence(&truth, &sigma, &values, channels(check, got.shape()), u);
        check.score = check.score.max(found.ratio);
        if found.ratio > 1.0 {
            set(check, Some(Fault::Coherence(found)), found.ratio);
            return Ok(());
        }
    }
    let large = contractions > 1 || job.region.iterates(graph);
    if large || (rule.floors == Floors::All && !job.region.is_movement(graph)) {
        let mut given: BTreeMap<ValueId, Array<f64>> = BTreeMap::new();
        for v in &job.region.cut {
            if let Some(t) = job.forced.get(v) {
                given.insert(*v, from_tensor(&Real::new(), t));
            } else if let Some(a) = reference.inputs.get(v) {
                given.insert(*v, a.clone());
            }
        }
        let mut bindings = reference.bindings.clone();
        let runs = Runs { threads: 1, ..rule.runs };
        let floor = noise::floors(graph, &job.region, rule.profile, &given, &mut bindings, reference.opaques, runs)?
            .swap_remove(0);
        let floor = criteria::floor(floor.value.floats().unwrap_or_default(), &floor.sigma, &values, max, u);
        check.score =
            (floor.rms_ratio / criteria::FLOOR_RMS).max(floor.z / REGION_Z).max(if large { 0.0 } else { check.score });
        if !floor.passes(REGION_Z) {
            let score = if floor.pattern.is_some() { f64::INFINITY } else { check.score };
            set(check, Some(Fault::Floor(floor)), score);
        }
    }
    Ok(())
}

/// The axis of output channels: 1 for convolutions, the last one otherwise; as (channels, elements per channel in a row).
fn channels(check: &ValueCheck, shape: &[usize]) -> [usize; 2] {
    let conv = check.behind.iter().any(|b| b.contains("Conv"));
    let axis = if conv && shape.len() > 2 { 1 } else { shape.len().saturating_sub(1) };
    let count = shape.get(axis).copied().unwrap_or(1);
    [count, shape.get(axis + 1..).unwrap_or_default().iter().product::<usize>().max(1)]
}

/// Integers and truth values are compared exactly, but for those a rounded operand may have turned to a neighbour.
fn exact<F: Copy + Into<Number>>(truth: &Array<F>, got: &Tensor, turned: Option<&[i64]>) -> Option<Fault> {
    if truth.shape() != got.shape() {
        let expected = format!("{}{:?}", truth.dtype(), truth.shape());
        return Some(Fault::Type { expected, got: format!("{}{:?}", got.dtype(), got.shape()) });
    }
    let mut found: Option<(usize, f64, f64)> = None;
    let mut count = 0;
    let mut differs = |i: usize, expected: f64, value: f64| {
        count += 1;
        found = found.or(Some((i, expected, value)));
    };
    match truth.data() {
        Data::Float(t) => {
            for (i, (t, g)) in t.iter().zip(got.to_f64()).enumerate() {
                let Number(t) = (*t).into();
                if t != g && !(t.is_nan() && g.is_nan()) {
                    differs(i, t, g);
                }
            }
        }
        Data::Int(t) => {
            for (i, (t, g)) in t.iter().zip(got.to_i64().unwrap_or_default()).enumerate() {
                let allowed = turned.map_or(0, |o| o[i]);
                if t.abs_diff(g) > allowed.unsigned_abs() {
                    differs(i, *t as f64, g as f64);
                }
            }
        }
        Data::Bool(t) => {
            for (i, (t, g)) in t.iter().zip(got.to_i64().unwrap_or_default()).enumerate() {
                if i64::from(*t) != g {
                    differs(i, f64::from(u8::from(*t)), g as f64);
                }
            }
        }
    }
    found.map(|(at, expected, got)| Fault::Exact { at, expected, got, count })
}

/// A float of any domain as f64.
struct Number(f64);

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl From<Bound> for Number {
    fn from(b: Bound) -> Self {
        Self(b.y)
    }
}

/// What is true of a failed value that a known fault may need.
fn facts(reference: &Reference<'_>, shown: &Shown, job: &Job<'_>, check: &ValueCheck) -> Vec<When> {
    let mut facts = Vec::new();
    let read = shown.steps.iter().any(|s| s.reads.iter().any(|r| r == job.name));
    if !read && !reference.graph.outputs.iter().any(|o| *o.name == *job.name) {
        facts.push(When::Unread);
    }
    if job.forced.values().any(|t| t.dtype().is_float() && t.to_f64().iter().any(|x| x.is_nan())) {
        facts.push(When::NanOperand);
    }
    if job.forced.values().any(|t| t.is_empty()) {
        facts.push(When::EmptyOperand);
    }
    if let Some(Fault::Exact { got, .. }) = check.fault
        && got.abs() >= f64::from(i32::MAX)
    {
        facts.push(When::IntegerOverflow);
    }
    facts
}
