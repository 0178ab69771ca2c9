//! The derivation of the whole: the log of each region at each of its occurrences, under the names its parts have there.

use std::cell::RefCell;
use std::collections::HashMap;

use egg::Id;
use egret_ir::choice::ClassId;
use egret_ir::derivation::Derivation;
use egret_ir::infer::TypeError;
use egret_ir::op::Op;
use egret_ir::{Graph, ValueId};

use super::join::Renaming;
use super::{Instance, RegionSaturated, Source};
use crate::engine::evidence::Place;
use crate::engine::readback::{Named, Shown};
use crate::engine::saturate::Saturated;
use crate::lang::RuleSet;

impl RegionSaturated {
    /// Why `result`, which was made from these classes, is equal to `graph`, which they were made from. `named` gives the
    /// classes of those values of the result that kept a name.
    ///
    /// # Errors
    /// A term has no type: the graphs do not belong to this run.
    pub fn derivation(
        &self,
        rules: &RuleSet,
        graph: &Graph,
        result: &Graph,
        named: &Named,
        round: u32,
    ) -> Result<Derivation, TypeError> {
        let mut d = Derivation::default();
        let inputs = d.terms.inputs(graph);
        let values = d.terms.graph_terms(graph, &inputs)?;
        let mut born: Vec<Vec<ValueId>> = Vec::with_capacity(self.instances.len());
        for instance in &self.instances {
            let region = &self.regions[instance.region];
            let renaming = RefCell::new(Renaming::of(graph, self.first(instance), &instance.values));
            let inputs = parameters(region, instance, &values);
            let at = Place {
                inputs: &inputs,
                constant: &|c| Some(graph.tables.tensor(*instance.consts.get(&c)?).clone()),
                origins: &|o| renaming.borrow_mut().rename(o),
                round,
            };
            born.push(region.log.evidence(rules, &mut d, &at)?);
        }
        let ways: Vec<Vec<Option<ValueId>>> =
            self.sources.iter().map(|class| class.iter().map(|s| self.term(*s, &values, &born)).collect()).collect();
        self.congruence(&mut d, &born);
        let outputs = graph.outputs.iter().map(|o| values[o.value.index()]).collect();
        let shown = Shown { classes: &self.classes, ways, outputs, round };
        shown.join(&mut d, result, named)?;
        Ok(d.sliced())
    }

    /// The values of the occurrence that was saturated.
    fn first(&self, instance: &Instance) -> &[ValueId] {
        self.instances.iter().find(|i| i.region == instance.region).map_or(&[], |i| &i.values)
    }

    fn term(&self, source: Source, values: &[ValueId], born: &[Vec<ValueId>]) -> Option<ValueId> {
        match source {
            Source::Value(v) => values.get(v.index()).copied(),
            Source::Region { instance, class, way } => {
                let id = self.regions[self.instances[instance].region].log.node(class, way)?;
                born[instance].get(usize::from(id)).copied()
            }
        }
    }

    /// What was united when the regions were put together: equal ops of equal operands, as soon as these are shown equal.
    fn congruence(&self, d: &mut Derivation, born: &[Vec<ValueId>]) {
        let mut first: HashMap<(Op, Vec<ClassId>), ValueId> = HashMap::new();
        let mut open: Vec<(ValueId, ValueId)> = Vec::new();
        for (instance, born) in self.instances.iter().zip(born) {
            let region = &self.regions[instance.region];
            for (c, class) in region.classes.classes.iter().enumerate() {
                for (way, node) in class.nodes.iter().enumerate() {
                    let Some(id) = region.log.node(ClassId(c as u32), way) else { continue };
                    let term = born[usize::from(id)];
                    // Constants have other places here than in the region.
                    let op = d.terms.graph().node(term).op.clone();
                    let args = node.args.iter().map(|a| instance.classes[a.index()]).collect();
                    let other = *first.entry((op, args)).or_insert(term);
                    if other != term {
                        open.push((other, term));
                    }
                }
            }
        }
        loop {
            let before = open.len();
            open.retain(|(a, b)| {
                let operands = |t: ValueId| d.terms.graph().node(t).args.clone();
                let equal = operands(*a).iter().zip(&operands(*b)).all(|(x, y)| d.is_equal(*x, *y));
                if equal && !d.is_equal(*a, *b) {
                    d.congruence(*a, *b);
                }
                !equal
            });
            if open.len() == before {
                return;
            }
        }
    }
}

/// The terms of a region's parameters at one of its occurrences.
fn parameters(region: &Saturated, instance: &Instance, values: &[ValueId]) -> Vec<ValueId> {
    let mut found: Vec<(u32, ValueId)> = Vec::new();
    for (i, v) in instance.values.iter().enumerate() {
        let op = region.log.value(ValueId(i as u32)).map(|id: Id| region.log.op(id));
        if let Some(Op::Input(k)) = op {
            found.push((*k, values[v.index()]));
        }
    }
    found.sort();
    found.into_iter().map(|(_, v)| v).collect()
}
