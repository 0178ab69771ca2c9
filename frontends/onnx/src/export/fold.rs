//! Constant folding after extraction, and the guard that keeps it from making a model larger than it may be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egret_ir::Tensor;
use egret_ir::choice::{Candidate, ClassGraph, ClassId};
use egret_ir::eval;
use egret_ir::op::{Const, Op};
use prost::Message;

use super::build::SMALL_BYTES;
use super::{OnnxStep, Slot, byte_size};
use crate::Imported;
use crate::spill::Spill;

/// Bytes of constants that are computed at once, at least one: the interpreter holds all results of a run.
const AT_ONCE: u64 = 32 << 20;

/// A model may always grow by this much.
const FREE_GROWTH: u64 = 64 * 1024;

/// Constants that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("constants cannot be folded: {reason}")]
pub struct FoldError {
    /// Their classes.
    pub classes: BTreeSet<ClassId>,
    /// The interpreter's text for the first of them.
    pub reason: String,
}

/// Classes that are constants of the model: initializers and Constant nodes.
pub fn imported_constants(imported: &Imported, class_of: &[Option<ClassId>]) -> BTreeSet<ClassId> {
    let initializers =
        imported.initializers.values().map(|i| i.value).chain(imported.captured_constants.values().copied());
    let nodes =
        imported.sites.iter().filter(|s| s.node.op_type() == "Constant").flat_map(|s| s.outputs.iter().map(|o| o.0));
    initializers.chain(nodes).filter_map(|v| class_of.get(v.index()).copied().flatten()).collect()
}

/// The constant a class is by itself, its oldest one.
fn literal(classes: &ClassGraph, c: ClassId) -> Option<Tensor> {
    classes.class(c).nodes.iter().find_map(|n| match &n.op {
        Op::Const(Const::Scalar(l)) => Some(Tensor::scalar(*l)),
        Op::Const(Const::Dense(id)) => Some(classes.tables.tensor(*id).clone()),
        _ => None,
    })
}

/// The values of foldable classes.
///
/// # Errors
/// The classes whose evaluation traps (an integer division by zero, an index out of range).
pub fn evaluate(classes: &ClassGraph, wanted: &BTreeSet<ClassId>) -> Result<BTreeMap<ClassId, Tensor>, FoldError> {
    let mut values = BTreeMap::new();
    let mut roots: Vec<(Arc<str>, ClassId)> = Vec::new();
    for c in wanted {
        match literal(classes, *c) {
            Some(t) => drop(values.insert(*c, t)),
            None => roots.push((format!("{}", c.0).into(), *c)),
        }
    }
    if roots.is_empty() {
        return Ok(values);
    }
    let choice = classes.smallest(&|_, node| node.op.computes());
    let run = |roots: &[(Arc<str>, ClassId)]| -> Result<Vec<Tensor>, String> {
        let mut graph = classes.graph_of(roots, &choice).ok_or("no finite way to compute it")?;
        graph.inputs.clear();
        eval::fold(&graph).map_err(|e| e.to_string())
    };
    let mut spill = Spill::default();
    let size = |c: ClassId| byte_size(classes.ty(c)).unwrap_or(0) as u64;
    let mut todo = &roots[..];
    while !todo.is_empty() {
        let mut sum = 0;
        let fits = todo.iter().take_while(|(_, c)| {
            sum += size(*c);
            sum <= AT_ONCE
        });
        let (batch, rest) = todo.split_at(fits.count().max(1));
        let Ok(tensors) = run(batch) else { break };
        values.extend(batch.iter().zip(tensors).map(|((_, c), t)| (*c, spill.keep(t))));
        todo = rest;
    }
    if todo.is_empty() {
        return Ok(values);
    }
    let (mut failed, mut reason) = (BTreeSet::new(), String::new());
    for root in &roots {
        if let Err(text) = run(std::slice::from_ref(root)) {
            if failed.is_empty() {
                reason = text;
            }
            failed.insert(root.1);
        }
    }
    Err(FoldError { classes: failed, reason })
}

/// Bytes of a model, tensors included.
pub fn model_bytes(imported: &Imported) -> u64 {
    let tensors: u64 = imported.initializers.values().map(|i| i.proto.encoded_len() as u64).sum();
    let nodes: u64 = imported.sites.iter().map(|s| s.node.encoded_len() as u64).sum();
    let around = imported.captured_constants.values().filter_map(|v| byte_size(imported.graph.ty(*v)));
    let around: u64 = around.map(|n| n as u64).sum();
    let bodies: u64 =
        imported.bodies.iter().map(|body| body.sites.iter().map(|s| s.node.encoded_len() as u64).sum::<u64>()).sum();
    tensors + around + nodes + bodies + imported.model.encoded_len() as u64
}

/// Keeps folding from making a model larger than it may become, over any number of exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Most bytes the model may have.
    pub limit: u64,
    /// Whether a fold was held back so far.
    pub held: bool,
}

impl Guard {
    /// A guard that has held nothing back yet.
    pub fn new(limit: u64) -> Self {
        Self { limit, held: false }
    }
}

/// The bytes that a model of `before` bytes may have after export: `max_growth` (a fraction, 0.1 for 10 %) or 64 KiB more.
pub fn growth_limit(before: u64, max_growth: f64) -> u64 {
    before.saturating_add(FREE_GROWTH.max((before as f64 * max_growth.max(0.0)) as u64))
}

/// The folds that should be taken back because the chosen steps make a model beyond `limit` bytes: those that grow it
/// most, and all others in the table that grow it by more than half as much. (Taking back just as many as needed would
/// leave some of equal kind folded and some not, and a second run, with more bytes to start from, would fold more.)
/// Empty where the model fits, or nothing can be saved.
pub fn offenders(
    classes: &ClassGraph,
    imported: &Imported,
    class_of: &[Option<ClassId>],
    table: &[Candidate<OnnxStep>],
    chosen: &[usize],
    limit: u64,
) -> BTreeSet<ClassId> {
    let size = |c: ClassId| byte_size(classes.ty(c)).unwrap_or(0) as u64;
    let steps: Vec<&Candidate<OnnxStep>> = chosen.iter().filter_map(|i| table.get(*i)).collect();
    let folds = |s: &&Candidate<OnnxStep>| s.payload == OnnxStep::Initializer;
    let folded: BTreeSet<ClassId> =
        steps.iter().copied().filter(folds).flat_map(|s| s.outputs.iter().copied()).collect();
    let nodes: u64 = steps
        .iter()
        .map(|s| match &s.payload {
            // The bodies of a Control have limits of their own.
            OnnxStep::Input(_) | OnnxStep::Initializer | OnnxStep::Control(_) => 0,
            OnnxStep::Site(i) => imported.sites[*i].node.encoded_len() as u64,
            OnnxStep::Node(n) => {
                let small = |s: &Slot| match s {
                    Slot::Tensor(t) => t.bytes().len() as u64 + 32,
                    Slot::Absent | Slot::Class(_) | Slot::Around(_) => 32,
                };
                64 + n.inputs.iter().map(small).sum::<u64>() + 32 * n.attributes.len() as u64
            }
        })
        .sum();
    let after = nodes + imported.model.encoded_len() as u64 + folded.iter().map(|c| size(*c) + 48).sum::<u64>();
    if after <= limit {
        return BTreeSet::new();
    }
    let given = imported_constants(imported, class_of);
    let choice = classes.smallest(&|_, node| node.op.computes());
    // Without a fold its sources come back, unless they are there anyway.
    let growth = |c: ClassId| {
        let sources: u64 = leaves(classes, &choice, c).into_iter().filter(|l| !folded.contains(l)).map(size).sum();
        size(c).saturating_sub(sources)
    };
    let large = |c: &ClassId| !given.contains(c) && size(*c) > SMALL_BYTES as u64;
    let most = folded.iter().copied().filter(large).map(growth).max().unwrap_or(0);
    if most == 0 {
        return folded.into_iter().filter(large).collect();
    }
    let all = table.iter().filter(folds).flat_map(|s| s.outputs.iter().copied());
    all.filter(large).filter(|c| growth(*c) > most / 2).collect()
}

/// The dense constants that a class is computed from.
fn leaves(classes: &ClassGraph, choice: &[Option<u32>], c: ClassId) -> BTreeSet<ClassId> {
    let (mut seen, mut found, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![c]);
    while let Some(at) = stack.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(k) = choice[at.index()] else { continue };
        let node = &classes.class(at).nodes[k as usize];
        if matches!(node.op, Op::Const(Const::Dense(_))) {
            found.insert(at);
        }
        stack.extend(&node.args);
    }
    found
}
