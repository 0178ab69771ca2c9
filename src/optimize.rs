//! ONNX to ONNX.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use egret_ir::Typed;
use egret_onnx::export::Rewritten;
use egret_onnx::external::Files;
use egret_onnx::proto::{ModelProto, StringStringEntryProto};
use egret_onnx::store::{self, Snapshot};
use egret_onnx::{Imported, export};
use egret_rules::{Config, RegionSaturated, RuleSet};
use serde::Serialize;

use crate::{Binding, Error, Numeric, Progress, Result, frontends};

/// How to optimize.
#[derive(Clone, Debug)]
pub struct OptimizeOptions {
    /// Extents of unknown dimensions; what stays unknown stays symbolic.
    pub binding: Binding,
    /// Weakest numeric class of rules that may run.
    pub numeric: Numeric,
    /// Rule files beside the built-in library.
    pub rule_files: Vec<PathBuf>,
    /// Whether these run without having been checked.
    pub unchecked_rules: bool,
    /// Most that folding may add to the model's bytes over all passes, as a fraction (64 KiB are always allowed).
    pub max_growth: f64,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self {
            binding: Binding::default(),
            numeric: Numeric::Reassociates,
            rule_files: Vec::new(),
            unchecked_rules: false,
            max_growth: 0.1,
        }
    }
}

/// What one rule did.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCount {
    /// Its name.
    pub rule: String,
    /// Matches tried.
    pub matches: usize,
    /// E-nodes born.
    pub born: usize,
    /// Classes united.
    pub unions: usize,
    /// Time spent searching and applying: for people only, since no two runs agree on it.
    #[serde(skip)]
    pub time: Duration,
}

impl RuleCount {
    fn of(rule: &str) -> Self {
        Self { rule: rule.to_owned(), matches: 0, born: 0, unions: 0, time: Duration::ZERO }
    }
}

/// What optimizing did.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Nodes of the model read.
    pub nodes_before: usize,
    /// Nodes of the model written.
    pub nodes_after: usize,
    /// Size of the model read, data in other files included.
    pub bytes_before: u64,
    /// Size of the optimized model, weights included.
    pub bytes_after: u64,
    /// Times the model went through the e-graph until it no longer changed.
    pub passes: usize,
    /// Rules that fired, over all passes.
    pub rules: Vec<RuleCount>,
}

/// An optimized model.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The model, weights in it: those that did not change are still the mapped bytes of the model read.
    pub model: ModelProto,
    /// Data files of the model read.
    pub used: Vec<PathBuf>,
    /// What was done.
    pub summary: Summary,
    /// What the user should know: operators kept as they came, budgets that ended a phase.
    pub warnings: Vec<String>,
}

impl Optimized {
    /// The model as the bytes of one ONNX file.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        store::write(self.model.clone(), &mut out)
            .map_err(|e| Error::Write { path: PathBuf::new(), reason: e.to_string() })?;
        Ok(out)
    }
}

/// More passes than this are not made; models seen so far need two or three.
const MAX_PASSES: usize = 6;

/// Metadata of a model that folding made larger, and more so had it been allowed: the bytes it had before. Growth stays
/// measured against them, or optimizing the result again would fold what was too large the first time.
const GROWN_FROM: &str = "egret.grown_from";

/// Reads, checks and optimizes a model until it no longer changes, so that optimizing the result changes nothing. Weights
/// stay in the mapped file through all passes.
pub fn optimize(path: &Path, options: &OptimizeOptions, progress: Progress<'_>) -> Result<Optimized> {
    rounds(path, options, progress, None)
}

/// One time that a model went through the e-graph.
pub(crate) struct Round<'a> {
    /// Which, from 1.
    pub number: u32,
    /// The rules.
    pub rules: &'a RuleSet,
    /// What saturation left, with the names under which classes were written.
    pub saturated: &'a RegionSaturated,
    /// The model before it.
    pub before: &'a Imported,
    /// The model after it, read back.
    pub after: &'a Imported,
}

/// Is told of every round that changed the model.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(&Round<'_>) -> Result<()>;

/// [`optimize`], with somebody looking on.
pub(crate) fn rounds(
    path: &Path,
    options: &OptimizeOptions,
    progress: Progress<'_>,
    mut observer: Option<Observer<'_>>,
) -> Result<Optimized> {
    let rules = checked_rules(&options.rule_files, options.unchecked_rules, progress)?;
    progress("reading");
    let failed = || Error::read(path);
    let frontends::Source { mut imported, used } = frontends::source(path, &options.binding)?;
    let bytes_before =
        [path.to_owned()].iter().chain(&used).filter_map(|f| Some(std::fs::metadata(f).ok()?.len())).sum();
    let smaller = take_entry(&mut imported.model, GROWN_FROM).and_then(|n| n.parse::<u64>().ok());
    let nodes_before = imported.nodes;
    let own = export::model_bytes(&imported);
    let start = smaller.map_or(own, |n| n.min(own));
    let mut guard = export::Guard::new(export::growth_limit(start, options.max_growth));
    let kept = imported.opaque_reasons.iter().map(|r| format!("{} is kept as it is: {}", r.node, r.reason));
    let mut warnings: Vec<String> = frontends::warnings(&imported).into_iter().chain(kept).collect();
    let mut counts: BTreeMap<String, RuleCount> = BTreeMap::new();
    let mut before: Option<Snapshot> = None;
    let mut next = imported;
    let mut passes = 0;
    let again = Binding { operators: options.binding.operators, ..Binding::default() };
    let mut model = loop {
        passes += 1;
        progress(&format!("optimizing, pass {passes}"));
        let typed = check(path, &next)?;
        let (mut rewritten, mut saturated) = rewrite(&typed, &rules, options.numeric, &mut counts)
            .map_err(|reports| Error::Check { path: path.to_owned(), reports })?;
        let written = write(path, &mut rewritten, &next, &mut guard)?;
        let after = Snapshot::new(&written);
        if before.as_ref() == Some(&after) {
            break written;
        }
        // Tensors are shared.
        let result = written.clone();
        let read = egret_onnx::read_model(written, &mut Files::none(), &again).map_err(failed())?;
        if let Some(observer) = &mut observer {
            saturated.classes = rewritten.classes;
            let number = passes as u32;
            observer(&Round { number, rules: &rules, saturated: &saturated, before: &next, after: &read })?;
        }
        if passes == MAX_PASSES {
            warnings.push(format!("the model still changed after {passes} passes"));
            break result;
        }
        (before, next) = (Some(after), read);
    };
    if guard.held && export::model_bytes(&next) > start {
        let entry = StringStringEntryProto { key: Some(GROWN_FROM.to_owned()), value: Some(start.to_string()) };
        model.metadata_props.push(entry);
    }
    let nodes_after = model.graph.as_ref().map_or(0, egret_onnx::node_count);
    let rules = counts.into_values().filter(|r| r.unions > 0).collect();
    let bytes_after = store::message_bytes(&model);
    let summary = Summary { nodes_before, nodes_after, bytes_before, bytes_after, passes, rules };
    Ok(Optimized { model, used, summary, warnings })
}

/// Takes an entry out of a model's metadata.
fn take_entry(model: &mut ModelProto, key: &str) -> Option<String> {
    let at = model.metadata_props.iter().position(|e| e.key() == key)?;
    model.metadata_props.remove(at).value
}

fn count(counts: &mut BTreeMap<String, RuleCount>, saturated: &RegionSaturated) {
    for (r, time) in saturated.regions.iter().flat_map(|region| region.rules.iter().zip(&region.times)) {
        let slot = counts.entry(r.rule.clone()).or_insert_with(|| RuleCount::of(&r.rule));
        slot.matches += r.matches;
        slot.born += r.born;
        slot.unions += r.unions;
        slot.time += *time;
    }
}

/// The built-in rules and those of the given files.
pub(crate) fn rules(files: &[PathBuf]) -> Result<RuleSet> {
    let builtin = RuleSet::builtin();
    if files.is_empty() {
        return Ok(builtin);
    }
    let more = load_rules(files)?;
    Ok(builtin.join(more))
}

/// The built-in rules and those of the given files, which must be right unless they may be `unchecked`.
pub(crate) fn checked_rules(files: &[PathBuf], unchecked: bool, progress: Progress<'_>) -> Result<RuleSet> {
    if files.is_empty() || unchecked {
        return rules(files);
    }
    let own = load_rules(files)?;
    progress("checking rules");
    let failed: Vec<String> = egret_rules::rulecheck::check_all(&own, &|_| {})
        .failed()
        .map(|r| {
            let failures: Vec<String> = r.failures.iter().map(|f| format!("\n    {f}")).collect();
            format!("{}: {}{}", r.place, r.rule, failures.concat())
        })
        .collect();
    if failed.is_empty() { Ok(RuleSet::builtin().join(own)) } else { Err(Error::WrongRules(failed)) }
}

/// The rules of files alone, without the built-in library.
pub fn load_rules(files: &[PathBuf]) -> Result<RuleSet> {
    let mut texts = Vec::new();
    for path in files {
        let text =
            std::fs::read_to_string(path).map_err(|e| Error::File { path: path.clone(), reason: e.to_string() })?;
        texts.push((path.display().to_string(), text));
    }
    let named: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    RuleSet::load(&named).map_err(Error::Rules)
}

pub(crate) fn check(path: &Path, imported: &Imported) -> Result<Typed> {
    egret_ir::check(imported.graph.clone()).map_err(|reports| Error::Check { path: path.to_owned(), reports })
}

pub(crate) fn saturate(typed: &Typed, rules: &RuleSet, numeric: Numeric) -> RegionSaturated {
    egret_rules::saturate_regions(typed, rules, &|nodes| Config::for_nodes(nodes).numeric(numeric))
}

/// Rewrites a graph and the bodies in it, innermost first. The classes are with the rewritten graph, the log beside it.
fn rewrite(
    typed: &Typed,
    rules: &RuleSet,
    numeric: Numeric,
    counts: &mut BTreeMap<String, RuleCount>,
) -> std::result::Result<(Rewritten, RegionSaturated), Vec<egret_ir::check::Report>> {
    let mut bodies = Vec::with_capacity(typed.tables.bodies.len());
    for body in &typed.tables.bodies {
        bodies.push(rewrite(&egret_ir::check(body.clone())?, rules, numeric, counts)?.0);
    }
    let mut saturated = saturate(typed, rules, numeric);
    count(counts, &saturated);
    let births = saturated.births.clone();
    let classes = std::mem::take(&mut saturated.classes);
    Ok((Rewritten { classes, class_of: saturated.class_of.clone(), births, bodies }, saturated))
}

fn write(path: &Path, rewritten: &mut Rewritten, imported: &Imported, guard: &mut export::Guard) -> Result<ModelProto> {
    let extract =
        |table: &egret_ir::choice::Table<export::OnnxStep>| egret_extractor::select(table).ok().map(|s| s.chosen);
    export::optimize(rewritten, imported, &export::node_time, &extract, guard)
        .map_err(|error| Error::Export { path: path.to_owned(), error })
}
