//! The whole from its regions: the classes of each occurrence under the names they have there, then congruence over all, so
//! that equal values of different regions are one class.

use std::collections::BTreeMap;

use egret_ir::choice::{Class, ClassGraph, ClassId, ClassNode};
use egret_ir::op::{Const, ConstId, Op};
use egret_ir::{Graph, Origin, Origins, Type, ValueId};
use foldhash::{HashMap, HashMapExt as _};
use indexmap::IndexSet;

use super::cut::{Role, Roles};
use super::{Instance, RegionSaturated, Source, births};
use crate::engine::saturate::{PhaseStats, RuleStats, Saturated};

/// An occurrence of a region.
pub(super) struct Occurrence {
    pub region: usize,
    /// The graph's values of the region's.
    pub values: Vec<ValueId>,
    /// The graph's values of the region's parameters.
    pub inputs: Vec<ValueId>,
    /// The constants that are others here.
    pub consts: BTreeMap<ConstId, ConstId>,
}

/// A class before merging.
struct Slot {
    ty: Type,
    constant: bool,
    origins: Origins,
}

/// A way before merging.
struct Way {
    class: u32,
    op: u32,
    args: Vec<u32>,
    birth: u8,
    source: Source,
}

#[derive(Default)]
struct Whole {
    ops: IndexSet<Op>,
    slots: Vec<Slot>,
    parent: Vec<u32>,
    ways: Vec<Way>,
    congruences: Vec<(Source, Source)>,
}

impl Whole {
    fn slot(&mut self, ty: Type, constant: bool, origins: Origins) -> u32 {
        self.slots.push(Slot { ty, constant, origins });
        self.parent.push(self.slots.len() as u32 - 1);
        self.slots.len() as u32 - 1
    }

    fn find(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            self.parent[x as usize] = self.parent[self.parent[x as usize] as usize];
            x = self.parent[x as usize];
        }
        x
    }

    /// Whether they were two.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        debug_assert!(self.slots[a as usize].ty == self.slots[b as usize].ty, "equal values have one type");
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    fn way(&mut self, class: u32, op: &Op, args: Vec<u32>, birth: u8, source: Source) {
        let op = self.ops.get_index_of(op).unwrap_or_else(|| self.ops.insert_full(op.clone()).0) as u32;
        self.ways.push(Way { class, op, args, birth, source });
    }

    /// Unites classes with a way of the same op and operands, until there are none.
    fn congruence(&mut self) {
        let mut ways = std::mem::take(&mut self.ways);
        let mut changed = true;
        while changed {
            changed = false;
            let mut known: HashMap<(u32, Vec<u32>), (u32, Source)> = HashMap::with_capacity(ways.len());
            for way in &mut ways {
                way.class = self.find(way.class);
                for a in &mut way.args {
                    *a = self.find(*a);
                }
                let (class, source) = *known.entry((way.op, way.args.clone())).or_insert((way.class, way.source));
                if self.unite(class, way.class) {
                    self.congruences.push((source, way.source));
                    changed = true;
                }
            }
        }
        self.ways = ways;
    }
}

/// Puts the regions in their places.
pub(super) fn join(
    graph: &Graph,
    roles: &Roles,
    regions: Vec<Saturated>,
    occurrences: Vec<Occurrence>,
) -> RegionSaturated {
    let mut whole = Whole::default();
    let mut class_of: Vec<Option<u32>> = vec![None; graph.nodes().len()];
    for v in graph.values().filter(|v| roles.role[v.index()] == Role::Input) {
        plain(&mut whole, graph, &mut class_of, v);
    }
    let firsts: Vec<&[ValueId]> = (0..regions.len())
        .map(|r| occurrences.iter().find(|o| o.region == r).map_or(&[][..], |o| o.values.as_slice()))
        .collect();
    let phases: Vec<Vec<Vec<u8>>> = regions.iter().zip(&firsts).map(|(s, first)| births(s, first.len())).collect();
    let mut places: Vec<Vec<u32>> = Vec::with_capacity(occurrences.len());
    for (i, o) in occurrences.iter().enumerate() {
        let origins = Renaming::of(graph, firsts[o.region], &o.values);
        places.push(put(&mut whole, &mut class_of, (i, o), &regions[o.region], &phases[o.region], origins));
    }
    for v in graph.values() {
        if class_of[v.index()].is_none() {
            plain(&mut whole, graph, &mut class_of, v);
        }
    }
    whole.congruence();
    finish(graph, whole, class_of, regions, occurrences, places)
}

/// A value as it is.
fn plain(whole: &mut Whole, graph: &Graph, class_of: &mut [Option<u32>], v: ValueId) {
    let node = graph.node(v);
    let args: Vec<u32> = node.args.iter().filter_map(|a| class_of[a.index()]).collect();
    let constant = node.op.computes() && args.iter().all(|a| whole.slots[*a as usize].constant);
    let class = whole.slot(node.ty.clone(), constant, node.origins.clone());
    whole.way(class, &node.op, args, 0, Source::Value(v));
    class_of[v.index()] = Some(class);
}

/// Puts one occurrence in its place; gives the class of each class of the region.
fn put(
    whole: &mut Whole,
    class_of: &mut [Option<u32>],
    (instance, o): (usize, &Occurrence),
    region: &Saturated,
    births: &[Vec<u8>],
    mut origins: Renaming,
) -> Vec<u32> {
    let classes = &region.classes.classes;
    let mut place: Vec<Option<u32>> = vec![None; classes.len()];
    for (class, place) in classes.iter().zip(&mut place) {
        for node in &class.nodes {
            let Op::Input(k) = node.op else { continue };
            let Some(outside) = class_of[o.inputs[k as usize].index()] else { continue };
            let known = *place.get_or_insert(outside);
            // Two parameters that are equal in this region.
            whole.unite(known, outside);
        }
    }
    let place: Vec<u32> = classes
        .iter()
        .zip(place)
        .map(|(class, place)| {
            let joined = origins.rename(&class.origins);
            if let Some(known) = place {
                let slot = &mut whole.slots[known as usize];
                slot.origins = slot.origins.join(&joined);
                slot.constant |= class.constant;
                return known;
            }
            whole.slot(class.ty.clone(), class.constant, joined)
        })
        .collect();
    for (i, class) in classes.iter().enumerate() {
        for (way, node) in class.nodes.iter().enumerate() {
            let args = node.args.iter().map(|a| place[a.index()]).collect();
            let source = Source::Region { instance, class: ClassId(i as u32), way };
            let birth = births[i][way];
            match node.op {
                Op::Input(_) => {}
                Op::Const(Const::Dense(id)) => {
                    let here = o.consts.get(&id).copied().unwrap_or(id);
                    whole.way(place[i], &Op::Const(Const::Dense(here)), args, birth, source);
                }
                _ => whole.way(place[i], &node.op, args, birth, source),
            }
        }
    }
    for (v, class) in o.values.iter().zip(&region.class_of) {
        let Some(class) = class.map(|c| place[c.index()]) else { continue };
        match class_of[v.index()] {
            // What several regions hold: constants and movement.
            Some(known) => drop(whole.unite(known, class)),
            None => class_of[v.index()] = Some(class),
        }
    }
    place
}

/// Origins of a region's values as those of another occurrence.
pub(super) struct Renaming {
    of: HashMap<Origin, Origin>,
    known: HashMap<Origins, Origins>,
}

impl Renaming {
    /// Of values of one occurrence as the same ones of another.
    pub fn of(graph: &Graph, from: &[ValueId], to: &[ValueId]) -> Self {
        let mut of = HashMap::new();
        for (a, b) in from.iter().zip(to) {
            let (a, b) = (&graph.node(*a).origins, &graph.node(*b).origins);
            for (x, y) in a.iter().zip(b.iter()) {
                of.entry(x.clone()).or_insert_with(|| y.clone());
            }
        }
        Self { of, known: HashMap::new() }
    }

    /// Those of the other occurrence.
    pub fn rename(&mut self, origins: &Origins) -> Origins {
        if let Some(known) = self.known.get(origins) {
            return known.clone();
        }
        let each = origins.iter().filter_map(|o| self.of.get(o)).cloned().map(Origins::one);
        let out = each.fold(Origins::none(), |all, o| all.join(&o));
        self.known.insert(origins.clone(), out.clone());
        out
    }
}

/// Numbers the classes by their oldest way and gathers what belongs to each.
fn finish(
    graph: &Graph,
    mut whole: Whole,
    class_of: Vec<Option<u32>>,
    regions: Vec<Saturated>,
    occurrences: Vec<Occurrence>,
    places: Vec<Vec<u32>>,
) -> RegionSaturated {
    let mut number: Vec<Option<ClassId>> = vec![None; whole.slots.len()];
    let mut count = 0;
    let ways = std::mem::take(&mut whole.ways);
    for way in &ways {
        number[way.class as usize].get_or_insert_with(|| {
            count += 1;
            ClassId(count - 1)
        });
    }
    let of = |whole: &mut Whole, x: u32| number[whole.find(x) as usize];
    let mut out = ClassGraph {
        name: graph.name.clone(),
        inputs: graph.inputs.clone(),
        tables: graph.tables.clone(),
        ..ClassGraph::default()
    };
    let (mut sources, mut births) = (Vec::new(), Vec::<Vec<u8>>::new());
    let mut seen: HashMap<(u32, &[u32]), (usize, usize)> = HashMap::with_capacity(ways.len());
    for way in &ways {
        let Some(c) = of(&mut whole, way.class).map(ClassId::index) else { continue };
        if c == out.classes.len() {
            let slot = &whole.slots[way.class as usize];
            let ty = slot.ty.clone();
            out.classes.push(Class { ty, nodes: Vec::new(), constant: false, origins: Origins::none() });
            sources.push(Vec::new());
            births.push(Vec::new());
        }
        if let Some((c, k)) = seen.get(&(way.op, way.args.as_slice())) {
            let known: &mut u8 = &mut births[*c][*k];
            *known = way.birth.min(*known);
            continue;
        }
        seen.insert((way.op, &way.args), (c, births[c].len()));
        let args = way.args.iter().filter_map(|a| of(&mut whole, *a)).collect();
        let op = whole.ops[way.op as usize].clone();
        out.classes[c].nodes.push(ClassNode { op, args });
        sources[c].push(way.source);
        births[c].push(way.birth);
    }
    for x in 0..whole.slots.len() as u32 {
        let Some(c) = of(&mut whole, x) else { continue };
        let (slot, class) = (&whole.slots[x as usize], &mut out.classes[c.index()]);
        class.constant |= slot.constant;
        class.origins = class.origins.join(&slot.origins);
    }
    let class_of: Vec<Option<ClassId>> = class_of.into_iter().map(|c| of(&mut whole, c?)).collect();
    let output = |o: &egret_ir::graph::OutputDecl| Some((o.name.clone(), class_of[o.value.index()]?));
    out.outputs = graph.outputs.iter().filter_map(output).collect();
    let instances = occurrences.into_iter().zip(places).map(|(o, place)| Instance {
        region: o.region,
        values: o.values,
        consts: o.consts,
        classes: place.into_iter().filter_map(|x| of(&mut whole, x)).collect(),
    });
    let instances = instances.collect();
    RegionSaturated {
        classes: out,
        class_of,
        rules: rules(&regions),
        phases: phases(&regions),
        sources,
        congruences: whole.congruences,
        births,
        regions,
        instances,
    }
}

/// Sums over regions.
fn rules(regions: &[Saturated]) -> Vec<RuleStats> {
    let mut out: Vec<RuleStats> = Vec::new();
    for s in regions {
        if out.is_empty() {
            out.clone_from(&s.rules);
            continue;
        }
        for (sum, r) in out.iter_mut().zip(&s.rules) {
            sum.matches += r.matches;
            sum.known += r.known;
            sum.condition += r.condition;
            sum.refused += r.refused;
            sum.capped += r.capped;
            sum.born += r.born;
            sum.unions += r.unions;
        }
    }
    out
}

fn phases(regions: &[Saturated]) -> Vec<PhaseStats> {
    let mut out: Vec<PhaseStats> = Vec::new();
    for s in regions {
        if out.is_empty() {
            out.clone_from(&s.phases);
            continue;
        }
        for (sum, p) in out.iter_mut().zip(&s.phases) {
            sum.rounds = sum.rounds.max(p.rounds);
            sum.nodes += p.nodes;
            sum.saturated &= p.saturated;
            sum.capped_by.extend(p.capped_by.iter().cloned());
            sum.capped_by.sort();
            sum.capped_by.dedup();
        }
    }
    out
}
