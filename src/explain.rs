//! Why an optimized model looks as it does: [`trace`] optimizes and keeps the derivation of every time round, [`explain`]
//! puts it in words node by node, [`near`] says why a rule did not fire.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::Path;

use egret_ir::derivation::{Derivation, Entry, Kind, Step};
use egret_ir::{Numeric, Origin, ValueId};
use egret_onnx::Imported;
use egret_rules::engine::near::{self, Miss};
use egret_verification::derivation as checker;
use serde::Serialize;

use crate::optimize::{self, OptimizeOptions, Optimized, Round};
use crate::{Error, Progress, Result};

/// An optimized model with the reasons.
pub struct Traced {
    /// The result.
    pub optimized: Optimized,
    /// The model as it was read.
    pub before: Imported,
    /// The result as it reads.
    pub after: Imported,
    /// Why they are equal, over all times round.
    pub derivation: Derivation,
}

/// Optimizes a model as [`crate::optimize`] does and keeps why the result is equal. The derivation was replayed.
///
/// # Errors
/// As of [`crate::optimize`]; [`Error::Derivation`] where the derivation does not replay.
pub fn trace(path: &Path, options: &OptimizeOptions, progress: Progress<'_>) -> Result<Traced> {
    let mut derivation = Derivation::default();
    let (mut before, mut after) = (None, None);
    let wrong = |reason: String| Error::Derivation { path: path.to_owned(), reason };
    let mut look = |round: &Round<'_>| {
        let d = derive(round).map_err(|e| wrong(e.to_string()))?;
        derivation.concat(&d).map_err(|e| wrong(e.to_string()))?;
        before.get_or_insert_with(|| round.before.clone());
        after = Some(round.after.clone());
        Ok(())
    };
    let optimized = optimize::rounds(path, options, progress, Some(&mut look))?;
    let (Some(before), Some(after)) = (before, after) else {
        return Err(wrong("the model was not rewritten".to_owned()));
    };
    progress("replaying the derivation");
    let derivation = derivation.sliced();
    checker::replay(&derivation).map_err(|e| wrong(e.to_string()))?;
    checker::between(&derivation, &before.graph, &after.graph).map_err(|e| wrong(e.to_string()))?;
    Ok(Traced { optimized, before, after, derivation })
}

/// The derivation of one time round.
fn derive(round: &Round<'_>) -> std::result::Result<Derivation, egret_ir::infer::TypeError> {
    let names = &round.saturated.classes.names;
    let named = names.iter().filter_map(|(c, name)| Some((*round.after.values.get(name)?, *c))).collect();
    round.saturated.derivation(round.rules, &round.before.graph, &round.after.graph, &named, round.number)
}

/// One application of a rule, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Applied {
    /// The rule.
    pub rule: String,
    /// What kind of reason it is.
    pub kind: Kind,
    /// Its numeric class.
    pub class: Numeric,
    /// Where it stands.
    pub place: String,
    /// Why it is true.
    pub cite: String,
    /// Its text.
    pub text: String,
    /// What its variables stood for.
    pub bindings: String,
    /// Time round of the optimizer.
    pub round: u32,
    /// The left side, leaves by their names in the model.
    pub left: String,
    /// The right side.
    pub right: String,
}

/// A value of the result, or one of the model that is asked for by name.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// Name of the value.
    pub value: String,
    /// The node of the result that computes it: name and operator; None where no node does.
    pub node: Option<String>,
    /// The value of the model that it is.
    pub original: Option<String>,
    /// Whether it is computed as it came.
    pub unchanged: bool,
    /// Nodes of the model it came from.
    pub from: Vec<String>,
    /// Operands that are explained at their own nodes: operand, and what it was in the model.
    pub operands: Vec<(String, String)>,
    /// The rules that made it, in order.
    pub steps: Vec<Applied>,
}

/// What became of a model.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Times round.
    pub rounds: u32,
    /// Steps of the whole derivation.
    pub steps: usize,
    /// Congruences of it.
    pub congruences: usize,
    /// The values asked for.
    pub values: Vec<Explained>,
}

/// Puts a trace in words: every node of the result, or the node or value `name` of the model or of the result.
///
/// # Errors
/// [`Error::Usage`] where nothing has that name; [`Error::Derivation`] where the graphs do not fit the derivation.
pub fn explain(path: &Path, traced: &Traced, name: Option<&str>) -> Result<Explanation> {
    let words = Words::new(traced).map_err(|e| Error::Derivation { path: path.to_owned(), reason: e.to_string() })?;
    let values = match name {
        None => {
            let outputs = traced.after.sites.iter().flat_map(|s| s.outputs.iter().map(move |(v, n)| (*v, n, Some(s))));
            outputs.map(|(v, n, s)| words.value(words.last[v.index()], n, s)).collect()
        }
        Some(name) => words.named(name).ok_or_else(|| {
            Error::Usage(format!("--node {name}: no node or value of the model or of the result is called so"))
        })?,
    };
    let d = &traced.derivation;
    let steps = d.steps().count();
    let rounds = d.steps().map(|s| s.round).max().unwrap_or(0);
    Ok(Explanation { rounds, steps, congruences: d.entries.len() - steps, values })
}

/// A trace with everything that words need.
struct Words<'a> {
    traced: &'a Traced,
    d: Derivation,
    around: HashMap<ValueId, Vec<(ValueId, usize)>>,
    /// Terms of the values of the model, and of the result.
    first: Vec<ValueId>,
    last: Vec<ValueId>,
    /// Names of terms in the model.
    old: BTreeMap<ValueId, String>,
    /// Names of terms in the result.
    new: BTreeMap<ValueId, String>,
    original: BTreeSet<ValueId>,
}

impl<'a> Words<'a> {
    fn new(traced: &'a Traced) -> std::result::Result<Self, egret_ir::infer::TypeError> {
        let mut d = traced.derivation.clone();
        let inputs = d.terms.inputs(&traced.before.graph);
        let first = d.terms.graph_terms(&traced.before.graph, &inputs)?;
        let inputs = d.terms.inputs(&traced.after.graph);
        let last = d.terms.graph_terms(&traced.after.graph, &inputs)?;
        let names = |imported: &Imported, terms: &[ValueId]| {
            let mut names = BTreeMap::new();
            for (name, v) in &imported.values {
                names.entry(terms[v.index()]).or_insert_with(|| name.to_string());
            }
            names
        };
        let mut around: HashMap<ValueId, Vec<(ValueId, usize)>> = HashMap::new();
        for (i, e) in d.entries.iter().enumerate() {
            let (a, b) = e.sides();
            around.entry(a).or_default().push((b, i));
            around.entry(b).or_default().push((a, i));
        }
        let (old, new) = (names(&traced.before, &first), names(&traced.after, &last));
        let original = first.iter().copied().collect();
        Ok(Self { traced, d, around, first, last, old, new, original })
    }

    fn name(&self, v: ValueId) -> Option<String> {
        self.old.get(&v).or_else(|| self.new.get(&v)).cloned()
    }

    /// The nearest term for which `wanted` holds among those equal to `from`, and the entries on the way.
    fn nearest(&self, from: ValueId, wanted: &dyn Fn(ValueId) -> bool) -> Option<(ValueId, Vec<usize>)> {
        let mut came: HashMap<ValueId, Option<(ValueId, usize)>> = HashMap::from([(from, None)]);
        let mut queue = VecDeque::from([from]);
        while let Some(v) = queue.pop_front() {
            if wanted(v) {
                let (mut path, mut at) = (Vec::new(), v);
                while let Some(Some((up, entry))) = came.get(&at) {
                    path.push(*entry);
                    at = *up;
                }
                return Some((v, path));
            }
            for (next, entry) in self.around.get(&v).into_iter().flatten() {
                if !came.contains_key(next) {
                    came.insert(*next, Some((v, *entry)));
                    queue.push_back(*next);
                }
            }
        }
        None
    }

    /// The first step that has the term, or one equal to it, inside its right side.
    fn maker(&self, term: ValueId) -> Option<&Step> {
        let mut equal = BTreeSet::from([term]);
        let mut queue = vec![term];
        while let Some(v) = queue.pop() {
            queue.extend(self.around.get(&v).into_iter().flatten().map(|(next, _)| *next).filter(|n| equal.insert(*n)));
        }
        let graph = self.d.terms.graph();
        self.d.steps().find(|s| {
            let (mut seen, mut stack) = (BTreeSet::new(), vec![s.right]);
            while let Some(t) = stack.pop() {
                if s.leaves.contains(&t) || !seen.insert(t) {
                    continue;
                }
                if equal.contains(&t) {
                    return true;
                }
                stack.extend(&graph.node(t).args);
            }
            false
        })
    }

    /// A value of the result.
    fn value(&self, term: ValueId, name: &str, site: Option<&egret_onnx::Site>) -> Explained {
        let node = site.map(|s| {
            let own = s.node.name();
            let own = if own.is_empty() { name } else { own };
            format!("{own} ({})", s.node.op_type())
        });
        let mut out = Explained {
            value: name.to_owned(),
            node,
            original: None,
            unchanged: self.original.contains(&term),
            from: Vec::new(),
            operands: Vec::new(),
            steps: Vec::new(),
        };
        let mut from: BTreeSet<Origin> = BTreeSet::new();
        let known = |v: ValueId| self.original.contains(&v) && self.old.contains_key(&v);
        let found = self.nearest(term, &known).or_else(|| self.nearest(term, &|v| self.original.contains(&v)));
        if let Some((original, path)) = found {
            out.original = self.old.get(&original).cloned();
            self.origins(original, &mut from);
            let (mut entries, mut operands) = (BTreeSet::new(), BTreeSet::new());
            self.gather(path, &mut entries, &mut operands);
            for i in entries {
                if let Entry::Step(s) = &self.d.entries[i] {
                    self.step_origins(s, &mut from);
                    out.steps.push(self.applied(s));
                }
            }
            out.operands = operands.into_iter().collect();
        } else if let Some(s) = self.maker(term) {
            // It is nothing that the model has: a step made it on the way to something else.
            self.step_origins(s, &mut from);
            out.steps.push(self.applied(s));
        }
        out.from = from.iter().map(ToString::to_string).collect();
        out
    }

    /// Steps on a path, and those behind the operands of its congruences that have no name of their own.
    fn gather(&self, path: Vec<usize>, entries: &mut BTreeSet<usize>, operands: &mut BTreeSet<(String, String)>) {
        let graph = self.d.terms.graph();
        let mut todo = path;
        while let Some(i) = todo.pop() {
            if !entries.insert(i) {
                continue;
            }
            let Entry::Congruence { left, right } = &self.d.entries[i] else { continue };
            for (a, b) in graph.node(*left).args.iter().zip(&graph.node(*right).args) {
                if a == b {
                    continue;
                }
                let pair = [(a, b), (b, a)].into_iter().find_map(|(a, b)| Some((self.new.get(a)?, self.old.get(b)?)));
                if let Some((new, old)) = pair {
                    operands.insert((new.clone(), old.clone()));
                } else if let Some((_, more)) = self.nearest(*a, &|v| v == *b) {
                    todo.extend(more);
                }
            }
        }
    }

    fn origins(&self, term: ValueId, from: &mut BTreeSet<Origin>) {
        if self.original.contains(&term) {
            let origins = &self.d.terms.graph().node(term).origins;
            from.extend(origins.iter().filter(|o| !matches!(o, Origin::Value(_))).cloned());
        }
    }

    /// Origins of the terms of a step's left side above its leaves.
    fn step_origins(&self, step: &Step, from: &mut BTreeSet<Origin>) {
        let (mut seen, mut stack) = (BTreeSet::new(), vec![step.left]);
        while let Some(t) = stack.pop() {
            if !step.leaves.contains(&t) && seen.insert(t) {
                self.origins(t, from);
                // In the first time round, what rules made has the places of what they made it from.
                if step.round == 1 {
                    let origins = &self.d.terms.graph().node(t).origins;
                    from.extend(origins.iter().filter(|o| matches!(o, Origin::Onnx { .. })).cloned());
                }
                stack.extend(&self.d.terms.graph().node(t).args);
            }
        }
    }

    fn applied(&self, step: &Step) -> Applied {
        let r = self.d.reason_of(step);
        let name = |v: ValueId| self.name(v);
        Applied {
            rule: r.name.clone(),
            kind: r.kind,
            class: r.numeric,
            place: r.place.clone(),
            cite: r.cite.clone(),
            text: r.text.clone(),
            bindings: step.bindings.clone(),
            round: step.round,
            left: self.d.term_text(step.left, &step.leaves, &name),
            right: self.d.term_text(step.right, &step.leaves, &name),
        }
    }

    /// Values of the result by the name of a node or value; of the model: what is left of them.
    fn named(&self, name: &str) -> Option<Vec<Explained>> {
        let Traced { before, after, .. } = self.traced;
        let called = |s: &&egret_onnx::Site| s.node.name() == name || s.outputs.iter().any(|(_, n)| **n == *name);
        let here: Vec<Explained> = after
            .sites
            .iter()
            .filter(called)
            .flat_map(|s| s.outputs.iter().map(|(v, n)| self.value(self.last[v.index()], n, Some(s))))
            .collect();
        if !here.is_empty() {
            return Some(here);
        }
        if let Some(v) = after.values.get(name) {
            return Some(vec![self.value(self.last[v.index()], name, None)]);
        }
        let outputs = before.sites.iter().filter(called).flat_map(|s| &s.outputs);
        let mut old: Vec<(ValueId, String)> = outputs.map(|(v, n)| (*v, n.to_string())).collect();
        old.extend(before.values.get(name).map(|v| (*v, name.to_owned())));
        old.dedup();
        let gone = old.into_iter().map(|(v, n)| self.gone(self.first[v.index()], n));
        let mut out: Vec<Explained> = gone.collect();
        if out.is_empty() {
            return None;
        }
        // What of the result came from it.
        for s in &after.sites {
            for (v, n) in &s.outputs {
                let e = self.value(self.last[v.index()], n, Some(s));
                let quoted = format!("`{name}`");
                if e.from.iter().any(|f| f.contains(&quoted)) && out.iter().all(|o| o.value != e.value) {
                    out.push(e);
                }
            }
        }
        Some(out)
    }

    /// A value of the model that the result does not have under its name.
    fn gone(&self, term: ValueId, name: String) -> Explained {
        let kept = self.nearest(term, &|v| self.new.contains_key(&v));
        let mut from = BTreeSet::new();
        self.origins(term, &mut from);
        let (mut entries, mut operands) = (BTreeSet::new(), BTreeSet::new());
        let now = kept.map(|(v, path)| {
            self.gather(path, &mut entries, &mut operands);
            self.new[&v].clone()
        });
        let steps = entries.into_iter().filter_map(|i| match &self.d.entries[i] {
            Entry::Step(s) => Some(self.applied(s)),
            Entry::Congruence { .. } => None,
        });
        Explained {
            node: None,
            original: Some(name),
            unchanged: false,
            from: from.iter().map(ToString::to_string).collect(),
            operands: operands.into_iter().collect(),
            steps: steps.collect(),
            value: now.unwrap_or_else(|| "nothing of the result".to_owned()),
        }
    }
}

/// A near match of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct NearMiss {
    /// Name of the value at the rule's root, where it has one.
    pub value: Option<String>,
    /// Where it comes from.
    pub from: Vec<String>,
    /// What was missing.
    pub miss: Miss,
}

/// Why a rule did not fire.
#[derive(Clone, Debug, Serialize)]
pub struct NearReport {
    /// The rule.
    pub rule: String,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub place: String,
    /// Matches at which everything holds.
    pub fires: usize,
    /// Near matches, the first `limit` of them.
    pub near: Vec<NearMiss>,
    /// Near matches that are not listed.
    pub left_out: usize,
    /// Whether there were more matches of the pattern than were looked at.
    pub more: bool,
}

/// Every place of the model where a rule nearly fired, in the e-graph that the first time round left.
///
/// # Errors
/// As of [`crate::optimize`]; [`Error::Usage`] for a rule that is not there.
pub fn near(
    path: &Path,
    options: &OptimizeOptions,
    rule: &str,
    limit: usize,
    progress: Progress<'_>,
) -> Result<NearReport> {
    let rules = optimize::checked_rules(&options.rule_files, options.unchecked_rules, progress)?;
    if rules.passes.iter().any(|p| p.name == rule) {
        return Err(Error::Usage(format!("--near {rule}: it is a native pass, which has no pattern to come near to")));
    }
    let Some(rule) = rules.rules.iter().find(|r| *r.name == *rule) else {
        return Err(Error::Usage(format!("--near {rule}: there is no rule of that name; `egret rules list` has them")));
    };
    progress("reading");
    let imported = crate::frontends::read(path, &options.binding)?;
    let typed = optimize::check(path, &imported)?;
    progress("rewriting");
    let saturated = optimize::saturate(&typed, &rules, options.numeric);
    let names: HashMap<ValueId, &str> = imported.values.iter().map(|(name, v)| (*v, name.as_ref())).collect();
    let mut report = NearReport {
        rule: rule.name.to_string(),
        text: rule.text.to_string(),
        place: rule.place.to_string(),
        fires: 0,
        near: Vec::new(),
        left_out: 0,
        more: false,
    };
    // Equal blocks are looked at once, where they occur first.
    for (i, region) in saturated.regions.iter().enumerate() {
        let found = near::near(&region.log, rule, options.numeric);
        let mut named: BTreeMap<egret_ir::choice::ClassId, &str> = BTreeMap::new();
        let first = saturated.instances.iter().find(|instance| instance.region == i);
        for (v, class) in first.iter().flat_map(|f| &f.values).zip(&region.class_of) {
            if let (Some(class), Some(name)) = (class, names.get(v)) {
                named.entry(*class).or_insert(name);
            }
        }
        report.fires += found.fires;
        report.more |= found.more;
        for n in &found.near {
            if report.near.len() == limit {
                report.left_out += 1;
                continue;
            }
            report.near.push(NearMiss {
                value: region.log.class_of(n.root).and_then(|c| named.get(&c)).map(|name| (*name).to_owned()),
                from: region.log.origins(n.root).iter().map(ToString::to_string).collect(),
                miss: n.miss.clone(),
            });
        }
    }
    Ok(report)
}
