//! What is written of each graph: the extractor's choice, with constants evaluated, for the model and for every body of an
//! If or Loop in it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use egret_ir::choice::{Candidate, ClassId, Table};
use egret_ir::op::Op;
use egret_ir::{Symbol, Tensor, TensorType};

use super::layout::ordered;
use super::{ExportError, NodeCost, OnnxStep, Rewritten, blocked, candidates, fold};
use crate::Imported;

/// The nodes of a graph and the values of its constants.
pub struct Chosen {
    /// Nodes, in the order in which they are written.
    pub nodes: Vec<Candidate<OnnxStep>>,
    /// Values of the constants in use.
    pub folded: BTreeMap<ClassId, Tensor>,
    /// The bodies in use, by their position in the table.
    pub bodies: BTreeMap<u32, Chosen>,
}

/// Values of the graphs around a body whose shapes tell extents, by symbol: the value's type, and which axis it is.
pub type Around = BTreeMap<Symbol, (TensorType, usize)>;

/// A table, and the phase that bore each candidate.
pub struct Staged {
    /// The candidates of all phases.
    pub table: Table<OnnxStep>,
    /// The phase of each.
    pub births: Vec<u8>,
}

impl Staged {
    /// The cheapest of what is chosen from the candidates up to each phase; that of the later phase where costs tie.
    fn best(&self, extract: &dyn Fn(&Table<OnnxStep>) -> Option<Vec<usize>>) -> Option<Vec<usize>> {
        let phases: BTreeSet<u8> = self.births.iter().copied().collect();
        let cost =
            |chosen: &Vec<usize>| chosen.iter().map(|i| self.table.candidates[*i].cost).fold(0, u64::saturating_add);
        let stages = phases.into_iter().rev().enumerate().filter_map(|(i, phase)| {
            if i == 0 {
                return extract(&self.table);
            }
            let among: Vec<usize> = (0..self.births.len()).filter(|i| self.births[*i] <= phase).collect();
            let candidates = among.iter().map(|i| self.table.candidates[*i].clone()).collect();
            let stage = Table { classes: self.table.classes, roots: self.table.roots.clone(), candidates };
            Some(extract(&stage)?.into_iter().map(|i| among[i]).collect())
        });
        stages.min_by_key(cost)
    }

    /// Takes the folds of these classes out.
    fn forbid(&mut self, classes: &BTreeSet<ClassId>) {
        let folds = |c: &Candidate<OnnxStep>| {
            c.payload == OnnxStep::Initializer && c.outputs.iter().any(|o| classes.contains(o))
        };
        let mut births = self.births.iter();
        let kept = self.table.candidates.iter().filter_map(|c| births.next().filter(|_| !folds(c)).copied()).collect();
        self.table.candidates.retain(|c| !folds(c));
        self.births = kept;
    }
}

/// How to choose.
pub struct Chooser<'a> {
    /// Opset of the default domain.
    pub opset: i64,
    /// Prices a node.
    pub cost: &'a dyn Fn(&NodeCost<'_>) -> u64,
    /// The extractor.
    pub extract: &'a dyn Fn(&Table<OnnxStep>) -> Option<Vec<usize>>,
    /// Bytes that a body may grow.
    pub room: u64,
    /// Whether a fold was held back.
    pub held: bool,
}

impl Chooser<'_> {
    /// Chooses for a graph and the bodies it needs.
    pub fn choose(
        &mut self,
        rewritten: &mut Rewritten,
        imported: &Imported,
        around: &Around,
        limit: u64,
    ) -> Result<Chosen, ExportError> {
        let Rewritten { classes, class_of, births, bodies } = rewritten;
        if let Cow::Owned(narrowed) = classes.narrowed() {
            *classes = narrowed;
        }
        let mut staged = candidates(classes, births, imported, class_of, self.opset, around, self.cost);
        let (nodes, folded) = loop {
            let table = &staged.table;
            let chosen = staged.best(self.extract).ok_or_else(|| blocked(classes, table))?;
            let mut offenders = fold::offenders(classes, imported, class_of, &table.candidates, &chosen, limit);
            self.held |= !offenders.is_empty();
            if offenders.is_empty() {
                let steps: Vec<_> = chosen.iter().filter_map(|i| table.candidates.get(*i)).collect();
                let (nodes, constants) = needed(&steps, &classes.outputs)?;
                match fold::evaluate(classes, &constants) {
                    Ok(folded) => {
                        let nodes = ordered(imported, class_of, nodes);
                        break (nodes.into_iter().cloned().collect::<Vec<_>>(), folded);
                    }
                    // What traps when folded may not be reached when run.
                    Err(e) if !e.classes.is_empty() => offenders = e.classes,
                    Err(e) => return Err(e.into()),
                }
            }
            staged.forbid(&offenders);
        };
        let mut around = around.clone();
        for t in classes.inputs.iter().filter_map(|i| i.ty.as_tensor()) {
            for (axis, d) in t.shape.iter().enumerate() {
                if let Some(s) = d.as_symbol() {
                    around.entry(s.clone()).or_insert_with(|| (t.clone(), axis));
                }
            }
        }
        let mut used = BTreeMap::new();
        for node in &nodes {
            let OnnxStep::Control(control) = &node.payload else { continue };
            let ids = match &control.op {
                Op::If(attrs) => vec![attrs.then, attrs.other],
                Op::Loop(attrs) => vec![attrs.body],
                _ => Vec::new(),
            };
            for id in ids {
                let (Some(body), Some(read)) = (bodies.get_mut(id.0 as usize), imported.bodies.get(id.0 as usize))
                else {
                    return Err(ExportError::Body(id.0));
                };
                if let std::collections::btree_map::Entry::Vacant(e) = used.entry(id.0) {
                    let limit = fold::model_bytes(read).saturating_add(self.room);
                    e.insert(self.choose(body, read, &around, limit)?);
                }
            }
        }
        Ok(Chosen { nodes, folded, bodies: used })
    }
}

/// Of the chosen steps (producers before users) those that outputs need: nodes, and classes that are constants.
fn needed<'t>(
    steps: &[&'t Candidate<OnnxStep>],
    outputs: &[(std::sync::Arc<str>, ClassId)],
) -> Result<(Vec<&'t Candidate<OnnxStep>>, BTreeSet<ClassId>), ExportError> {
    let mut maker: BTreeMap<ClassId, usize> = BTreeMap::new();
    for (i, step) in steps.iter().enumerate() {
        if let Some(c) = step.inputs.iter().find(|c| !maker.contains_key(c)) {
            return Err(ExportError::Order(c.0));
        }
        for c in &step.outputs {
            maker.entry(*c).or_insert(i);
        }
    }
    let mut wanted = vec![false; steps.len()];
    for (name, c) in outputs {
        let Some(i) = maker.get(c) else {
            let why = "no step makes it".to_owned();
            return Err(ExportError::Unreachable(name.to_string(), why));
        };
        wanted[*i] = true;
    }
    for i in (0..steps.len()).rev() {
        if wanted[i] {
            for c in &steps[i].inputs {
                wanted[maker[c]] = true;
            }
        }
    }
    let (mut nodes, mut constants) = (Vec::new(), BTreeSet::new());
    for (i, step) in steps.iter().enumerate().filter(|(i, _)| wanted[*i]) {
        match step.payload {
            OnnxStep::Input(_) => {}
            OnnxStep::Initializer => constants.extend(step.outputs.iter().copied().filter(|c| maker[c] == i)),
            OnnxStep::Site(_) | OnnxStep::Node(_) | OnnxStep::Control(_) => nodes.push(*step),
        }
    }
    Ok((nodes, constants))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(output: u32, inputs: &[u32], cost: u64) -> Candidate<OnnxStep> {
        let inputs = inputs.iter().map(|i| ClassId(*i)).collect();
        Candidate { outputs: vec![ClassId(output)], inputs, cost, payload: OnnxStep::Initializer }
    }

    fn staged() -> Staged {
        let candidates = vec![step(0, &[], 1), step(1, &[0], 5), step(1, &[0], 9), step(1, &[0], 7)];
        Staged { table: Table { classes: 2, roots: vec![ClassId(1)], candidates }, births: vec![0, 0, 1, 2] }
    }

    /// An extractor that more candidates lead astray: it takes the newest.
    fn newest(table: &Table<OnnxStep>) -> Option<Vec<usize>> {
        Some(vec![0, table.candidates.len().checked_sub(1)?])
    }

    #[test]
    fn the_best_phase_is_kept() {
        assert_eq!(staged().best(&newest), Some(vec![0, 1]));
        let mut tied = staged();
        tied.table.candidates[3].cost = 5;
        assert_eq!(tied.best(&newest), Some(vec![0, 3]), "of equal ones the later phase's is taken");
    }

    #[test]
    fn phases_stay_with_their_candidates() {
        let mut staged = staged();
        staged.table.candidates.insert(1, step(7, &[], 0));
        staged.births.insert(1, 9);
        staged.forbid(&[ClassId(7)].into());
        assert_eq!((staged.births, staged.table.candidates.len()), (vec![0, 0, 1, 2], 4));
    }
}
