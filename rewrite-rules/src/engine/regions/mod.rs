//! Saturation by regions: a graph is cut at narrow waists into blocks, equal blocks are saturated once, side by side, and
//! the result is put in the place of each. Cost grows with distinct blocks, not with depth, and every region has budgets of
//! its own, so that late layers do not starve.
//!
//! Read in this order: `cut` (where a graph is cut), `piece` (a region as a graph, and what makes two of them equal), this
//! file (which regions share a result), `join` (the whole put together again), `evidence` (why it is right).
//!
//! **Weights.** Rules may ask for elements of a constant. The key of a region has the type of each constant, the element it
//! is a splat of, and up to [`Tables::SMALL`](egret_ir::graph::Tables::SMALL) elements by value. Whatever else the saturation
//! of the representative asked is on record with its answer ([`Values::questions`]); another occurrence shares the result
//! only where its own constants answer alike. So sharing is sound whatever rules and conditions there are, as long as these
//! look at elements through the e-graph.
//!
//! **Layouts.** What crosses a waist keeps the layout in which it was imported. Movement is never cut off its reader.
//!
//! [`Values::questions`]: super::egraph::Values::questions

mod cut;
mod evidence;
mod join;
mod piece;

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::choice::{ClassGraph, ClassId};
use egret_ir::op::ConstId;
use egret_ir::{Typed, ValueId};
use foldhash::{HashMap, HashMapExt as _};
use rayon::prelude::*;

use super::egraph::Fault;
use super::saturate::{Config, PhaseStats, RuleStats, Saturated, saturate};
use crate::lang::RuleSet;
use cut::{Role, Roles, cut};
use piece::{Key, Piece};

/// One occurrence of a region in the graph, and the names its parts have there.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Which region it is: index into [`RegionSaturated::regions`].
    pub region: usize,
    /// The graph's value for each value of the region's graph. Parameters of the region are values of other regions.
    pub values: Vec<ValueId>,
    /// The graph's constant for each constant of the region that is another one here.
    pub consts: BTreeMap<ConstId, ConstId>,
    /// The whole's class for each class of the region.
    pub classes: Vec<ClassId>,
}

/// Where a way of a class comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A way of a class of a region, at one of its occurrences. In the region's log it is the e-node
    /// `log.node(class, way)`.
    Region {
        /// Index into [`RegionSaturated::instances`].
        instance: usize,
        /// The region's class.
        class: ClassId,
        /// Which of its ways.
        way: usize,
    },
    /// A value of the graph that no region computes: an input, or what nothing reads.
    Value(ValueId),
}

/// The result of saturation by regions.
#[derive(Clone, Debug)]
pub struct RegionSaturated {
    /// The frozen e-graph of the whole.
    pub classes: ClassGraph,
    /// Class of every value of the graph.
    pub class_of: Vec<Option<ClassId>>,
    /// Statistics per rule, over the distinct regions.
    pub rules: Vec<RuleStats>,
    /// Statistics per phase, over the distinct regions: most rounds, sums of e-nodes.
    pub phases: Vec<PhaseStats>,
    /// Where each way of each class comes from.
    pub sources: Vec<Vec<Source>>,
    /// Ways of different occurrences whose classes became one because their operands are equal by then: in order, so that
    /// each needs what was united before only. Beside these, occurrences share values: what crosses a waist, and the
    /// constants and movement that several of them hold ([`Instance::values`]).
    pub congruences: Vec<(Source, Source)>,
    /// The phase that bore each way of each class: 0 for imported ones, k + 1 for phase k.
    pub births: Vec<Vec<u8>>,
    /// The distinct regions, each with its log.
    pub regions: Vec<Saturated>,
    /// Their occurrences, in order of the graph.
    pub instances: Vec<Instance>,
}

impl RegionSaturated {
    /// Whether every phase of every region ended with nothing more to do.
    pub fn saturated(&self) -> bool {
        self.phases.iter().all(|p| p.saturated)
    }

    /// E-nodes ever made.
    pub fn ids(&self) -> usize {
        self.regions.iter().map(|r| r.log.ids()).sum()
    }

    /// Faults of the engine or of rules; always empty unless there is a bug.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.regions.iter().flat_map(Saturated::faults)
    }

    /// The choices that are worth an extraction: what each phase left, the last one first. Classes are the same throughout,
    /// so that the best program of each phase is compared at once; a phase that bore nothing is left out.
    pub fn stages(&self) -> Vec<ClassGraph> {
        let bore = |phase: u8| self.births.iter().flatten().any(|b| *b == phase);
        let last = (1..=self.phases.len() as u8).rev().find(|p| bore(*p));
        let mut stages = vec![self.classes.clone()];
        if let Some(last) = last {
            stages.extend((0..last).rev().filter(|p| *p == 0 || bore(*p)).map(|p| self.until(p)));
        }
        stages
    }

    /// The ways born up to a phase.
    fn until(&self, phase: u8) -> ClassGraph {
        let mut out = self.classes.clone();
        for (class, births) in out.classes.iter_mut().zip(&self.births) {
            let mut births = births.iter();
            class.nodes.retain(|_| births.next().is_some_and(|b| *b <= phase));
        }
        out
    }
}

/// Saturates a graph by regions. `config` gives the budgets of a region of so many nodes. The result depends on the graph
/// and the rules alone, not on the number of threads.
pub fn saturate_regions(graph: &Typed, rules: &RuleSet, config: &(dyn Fn(usize) -> Config + Sync)) -> RegionSaturated {
    if let Some(shared) = by_regions(graph, rules, config) {
        return shared;
    }
    whole(graph, saturate(graph, rules, &config(graph.nodes().len())))
}

/// The result for a graph that is one region.
fn whole(graph: &Typed, saturated: Saturated) -> RegionSaturated {
    let classes = saturated.classes.clone();
    let instance = Instance {
        region: 0,
        values: graph.values().collect(),
        consts: BTreeMap::new(),
        classes: (0..classes.classes.len() as u32).map(ClassId).collect(),
    };
    let ways = classes.classes.iter().map(|c| 0..c.nodes.len()).zip(0..);
    let source = |(ways, c): (std::ops::Range<usize>, u32)| {
        ways.map(|way| Source::Region { instance: 0, class: ClassId(c), way }).collect()
    };
    RegionSaturated {
        sources: ways.map(source).collect(),
        congruences: Vec::new(),
        births: births(&saturated, graph.nodes().len()),
        class_of: saturated.class_of.clone(),
        rules: saturated.rules.clone(),
        phases: saturated.phases.clone(),
        classes,
        regions: vec![saturated],
        instances: vec![instance],
    }
}

/// The phase that bore each way of a region of that many values: ids only grow.
fn births(s: &Saturated, imported: usize) -> Vec<Vec<u8>> {
    let phase = |id: usize| {
        if id < imported { 0 } else { 1 + s.phases.iter().position(|p| id < p.nodes).unwrap_or(0) as u8 }
    };
    let of_class = |c: u32| {
        let ways = s.classes.classes[c as usize].nodes.len();
        (0..ways).map(|k| s.log.node(ClassId(c), k).map_or(0, |id| phase(usize::from(id)))).collect()
    };
    (0..s.classes.classes.len() as u32).map(of_class).collect()
}

/// None where nothing is shared.
fn by_regions(graph: &Typed, rules: &RuleSet, config: &(dyn Fn(usize) -> Config + Sync)) -> Option<RegionSaturated> {
    let roles = Roles::of(graph);
    let ranges = cut(graph, &roles);
    if ranges.len() < 2 {
        return None;
    }
    let pieces = pieces(graph, &roles, &ranges);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    for (i, p) in pieces.iter().enumerate() {
        let at = *known.entry(p.key(graph)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(i);
    }
    if groups.len() == pieces.len() {
        return None;
    }
    // The first of each group stands for those whose constants answer alike; the others form a group of their own.
    let mut regions: Vec<Saturated> = Vec::new();
    let mut region_of: Vec<usize> = vec![0; pieces.len()];
    while !groups.is_empty() {
        let saturated: Vec<Option<Saturated>> = groups
            .par_iter()
            .map(|group| {
                let part = egret_ir::check(pieces[group[0]].graph(graph)).ok()?;
                Some(saturate(&part, rules, &config(part.nodes().len())))
            })
            .collect();
        let mut rest = Vec::new();
        for (group, s) in groups.iter().zip(saturated) {
            let s = s?;
            let first = &pieces[group[0]];
            let (alike, others): (Vec<usize>, Vec<usize>) =
                group.iter().partition(|i| s.log.values().answers_alike(&renamed(first, &pieces[**i])));
            for i in alike {
                region_of[i] = regions.len();
            }
            regions.push(s);
            rest.extend((!others.is_empty()).then_some(others));
        }
        groups = rest;
    }
    let first_of: BTreeMap<usize, usize> = region_of.iter().enumerate().rev().map(|(i, r)| (*r, i)).collect();
    let occurrences = pieces.iter().zip(&region_of).map(|(p, r)| join::Occurrence {
        region: *r,
        values: p.values.clone(),
        inputs: p.inputs.clone(),
        consts: renamed(&pieces[first_of[r]], p),
    });
    Some(join::join(graph, &roles, regions, occurrences.collect()))
}

/// The constant of one piece for each that differs in an equal one.
fn renamed(first: &Piece, other: &Piece) -> BTreeMap<ConstId, ConstId> {
    first.consts.iter().copied().zip(other.consts.iter().copied()).filter(|(a, b)| a != b).collect()
}

/// The pieces of ranges of computed values. Movement that no range reads goes with what it moves.
fn pieces(graph: &Typed, roles: &Roles, ranges: &[std::ops::Range<usize>]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = ranges.iter().map(|r| Piece::of(graph, roles, r.clone(), &BTreeSet::new())).collect();
    let mut covered = vec![false; graph.nodes().len()];
    for v in pieces.iter().flat_map(|p| &p.values) {
        covered[v.index()] = true;
    }
    let mut beside: BTreeMap<usize, BTreeSet<ValueId>> = BTreeMap::new();
    for v in graph.values().filter(|v| !covered[v.index()]) {
        if let Role::Computed(at) = roles.role[roles.root(v).index()] {
            let range = ranges.partition_point(|r| r.end <= at);
            beside.entry(range).or_default().insert(v);
        }
    }
    for (i, values) in beside {
        pieces[i] = Piece::of(graph, roles, ranges[i].clone(), &values);
    }
    pieces
}
