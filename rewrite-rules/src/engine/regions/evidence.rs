//! The derivation of the whole: the log of each region at each of its occurrences, under the names its parts have there.

use std::cell::RefCell;

use egg::Id;
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
        for (a, b) in &self.congruences {
            if let (Some(a), Some(b)) = (self.term(*a, &values, &born), self.term(*b, &values, &born)) {
                d.congruence(a, b);
            }
        }
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
