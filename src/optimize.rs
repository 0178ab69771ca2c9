//! ONNX to ONNX.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use egret_ir::Typed;
use egret_onnx::Imported;
use egret_onnx::export;
use egret_onnx::proto::ModelProto;
use egret_rules::{Config, RuleSet, RuleStats, Saturated};
use serde::Serialize;

use crate::{Binding, Error, Numeric, Progress, Result};

/// How to optimize.
#[derive(Clone, Debug)]
pub struct OptimizeOptions {
    /// Extents of unknown dimensions; what stays unknown stays symbolic.
    pub binding: Binding,
    /// Weakest numeric class of rules that may run.
    pub numeric: Numeric,
    /// Rule files beside the built-in library.
    pub rule_files: Vec<PathBuf>,
    /// Most that folding may add to the model's bytes, as a fraction (64 KiB are always allowed).
    pub max_growth: f64,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self { binding: Binding::default(), numeric: Numeric::Reassociates, rule_files: Vec::new(), max_growth: 0.1 }
    }
}

/// What one rule did.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCount {
    /// Its name.
    pub rule: String,
    /// Matches tried.
    pub matches: usize,
    /// Classes united.
    pub unions: usize,
}

/// What optimizing did.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Nodes of the model read.
    pub nodes_before: usize,
    /// Nodes of the model written.
    pub nodes_after: usize,
    /// Size of the file read.
    pub bytes_before: usize,
    /// Size of the file written.
    pub bytes_after: usize,
    /// Times the model went through the e-graph until it no longer changed.
    pub passes: usize,
    /// Rules that fired, over all passes.
    pub rules: Vec<RuleCount>,
}

/// An optimized model.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The model, as the bytes of an ONNX file.
    pub bytes: Vec<u8>,
    /// What was done.
    pub summary: Summary,
    /// What the user should know: operators kept as they came, budgets that ended a phase.
    pub warnings: Vec<String>,
}

/// More passes than this are not made; models seen so far need two or three.
const MAX_PASSES: usize = 6;

/// Reads, checks and optimizes a model until its bytes no longer change, so that optimizing the result changes nothing.
pub fn optimize(path: &Path, options: &OptimizeOptions, progress: Progress<'_>) -> Result<Optimized> {
    let rules = rules(&options.rule_files)?;
    progress("reading");
    let imported = egret_onnx::read(path, &options.binding).map_err(Error::read(path))?;
    let nodes_before = imported.sites.len();
    let bytes_before = std::fs::metadata(path).map_or(0, |m| m.len() as usize);
    let folder = path.parent();
    let mut warnings: Vec<String> =
        imported.opaque_reasons.iter().map(|r| format!("{} is kept as it is: {}", r.node, r.reason)).collect();
    let mut counts: BTreeMap<String, RuleCount> = BTreeMap::new();
    let mut bytes: Option<Bytes> = None;
    let mut next = Some(imported);
    let mut passes = 0;
    let mut nodes_after = nodes_before;
    while let Some(imported) = next.take() {
        passes += 1;
        progress(&format!("optimizing, pass {passes}"));
        let typed = check(path, &imported)?;
        let saturated = saturate(&typed, &rules, options.numeric);
        for r in &saturated.rules {
            count(&mut counts, r);
        }
        let written = write(path, saturated, &imported, options.max_growth)?;
        nodes_after = written.graph.as_ref().map_or(0, |g| g.node.len());
        let encoded = Bytes::from(egret_onnx::encode(&written));
        let changed = bytes.as_ref() != Some(&encoded);
        if changed && passes < MAX_PASSES {
            let again = egret_onnx::read_bytes(encoded.clone(), folder, &Binding::default());
            next = Some(again.map_err(Error::read(path))?);
        } else if changed {
            warnings.push(format!("the model still changed after {passes} passes"));
        }
        bytes = Some(encoded);
    }
    let bytes = bytes.map(Vec::from).unwrap_or_default();
    let rules = counts.into_values().filter(|r| r.unions > 0).collect();
    let summary = Summary { nodes_before, nodes_after, bytes_before, bytes_after: bytes.len(), passes, rules };
    Ok(Optimized { bytes, summary, warnings })
}

fn count(counts: &mut BTreeMap<String, RuleCount>, r: &RuleStats) {
    let slot =
        counts.entry(r.rule.clone()).or_insert_with(|| RuleCount { rule: r.rule.clone(), matches: 0, unions: 0 });
    slot.matches += r.matches;
    slot.unions += r.unions;
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

pub(crate) fn saturate(typed: &Typed, rules: &RuleSet, numeric: Numeric) -> Saturated {
    let config = Config::for_nodes(typed.nodes().len()).numeric(numeric);
    egret_rules::saturate(typed, rules, &config)
}

fn write(path: &Path, saturated: Saturated, imported: &Imported, max_growth: f64) -> Result<ModelProto> {
    let mut classes = saturated.classes;
    let extract =
        |table: &egret_ir::choice::Table<export::OnnxStep>| egret_extractor::extract(table).ok().map(|s| s.chosen);
    export::optimize(&mut classes, imported, &saturated.class_of, &export::node_time, &extract, max_growth)
        .map_err(|error| Error::Export { path: path.to_owned(), error })
}
