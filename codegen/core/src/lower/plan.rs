//! What is stored where: results, stages, and maps too dear to compute twice; and which folds end in which stored value.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::Dim;
use egret_ir::dtype::DType;
use egret_ir::graph::ValueId;
use egret_ir::op::Op;
use egret_ir::types::Type;

use super::{Lowering, Owner, Part, RECOMPUTE_FLOPS, is_stage};
use crate::affine::Affine;
use crate::stage::SlotKind;
use crate::value::Slot;

impl Lowering<'_> {
    /// Decides what is stored where: results, stages, and maps too dear to compute twice.
    pub(super) fn plan(&mut self) -> Vec<Part> {
        let graph = self.graph;
        let mut parts = Vec::new();
        let outputs: Vec<(ValueId, Slot)> =
            graph.outputs.iter().enumerate().map(|(i, o)| (o.value, Slot(graph.inputs.len() + i))).collect();
        // Users first, so that a value knows whether several stages need it.
        let mut needed: Vec<BTreeSet<ValueId>> = vec![BTreeSet::new(); graph.nodes().len()];
        let mut roots: BTreeSet<ValueId> = BTreeSet::new();
        for (v, _) in &outputs {
            roots.insert(*v);
        }
        for v in graph.values().rev() {
            if !self.live[v.index()] {
                continue;
            }
            let node = graph.node(v);
            let dear = match &node.op {
                Op::Map(f) => f.def().flops > RECOMPUTE_FLOPS && needed[v.index()].len() > 1,
                _ => false,
            };
            let product = needed[v.index()].iter().any(|u| self.must_be_plain(*u));
            if is_stage(&node.op) || dear || (product && self.computes(v)) {
                roots.insert(v);
            }
            let mine = if roots.contains(&v) { BTreeSet::from([v]) } else { needed[v.index()].clone() };
            for a in &node.args {
                needed[a.index()].extend(mine.iter().copied());
            }
        }
        for v in roots {
            let node = graph.node(v);
            let given: Vec<Slot> = outputs.iter().filter(|(o, _)| *o == v).map(|o| o.1).collect();
            if matches!(self.graph.ty(v), Type::Tuple(_)) {
                continue;
            }
            let slot = given.first().copied().unwrap_or_else(|| self.temp(v));
            match &node.op {
                Op::Concat(axis) => {
                    let axis = usize::from(*axis);
                    let mut at = Dim::ZERO;
                    for a in &node.args {
                        let next = &at + &self.shape(*a)[axis];
                        parts.push(Part { node: *a, root: v, slot, shift: Some((axis, at)) });
                        at = next;
                    }
                    self.stored.insert(v, slot);
                }
                op if is_stage(op) => {
                    self.stored.insert(v, slot);
                }
                Op::Input(_) => parts.push(Part { node: v, root: v, slot, shift: None }),
                _ => {
                    parts.push(Part { node: v, root: v, slot, shift: None });
                    self.stored.insert(v, slot);
                }
            }
            // A value given out several times is copied.
            for extra in given.iter().skip(1) {
                parts.push(Part { node: v, root: v, slot: *extra, shift: None });
            }
        }
        for v in self.graph.values() {
            if self.live[v.index()]
                && let Type::Tuple(types) = self.graph.ty(v)
            {
                for (i, ty) in types.iter().enumerate() {
                    let i = i as u32;
                    let direct = graph.values().find(|p| {
                        graph.node(*p).op == Op::Proj(i)
                            && graph.node(*p).args[0] == v
                            && outputs.iter().any(|(o, _)| o == p)
                    });
                    let slot = if let Some(p) = direct {
                        parts.retain(|q: &Part| q.root != p || q.slot != self.stored[&p]);
                        self.stored[&p]
                    } else {
                        let t = ty.as_tensor().cloned();
                        let shape = t.as_ref().map_or(Vec::new(), |t| t.shape.clone());
                        self.slot(
                            format!("t{}", self.slots.len()),
                            t.map_or(DType::F32, |t| t.dtype),
                            shape,
                            SlotKind::Temp,
                        )
                    };
                    self.parts_of.insert((v, i), slot);
                }
            }
        }
        parts
    }

    /// Whether `user` reads each element of `v` many times, so that computing it at the load does not pay.
    pub(super) fn must_be_plain(&self, user: ValueId) -> bool {
        match &self.graph.node(user).op {
            Op::Contract { acc, .. } => acc.is_float(),
            Op::Reduce { spec, .. } => spec.has_windows(),
            Op::Call(_) | Op::ArgSort { .. } | Op::Scatter(..) => true,
            _ => false,
        }
    }

    pub(super) fn computes(&self, v: ValueId) -> bool {
        matches!(self.graph.node(v).op, Op::Map(_) | Op::Gather(_) | Op::Iota { .. })
    }

    /// Which parts and stages evaluate each value.
    pub(super) fn owners(&self, parts: &[Part]) -> Vec<BTreeSet<Owner>> {
        let mut owners: Vec<BTreeSet<Owner>> = vec![BTreeSet::new(); self.graph.nodes().len()];
        for (i, p) in parts.iter().enumerate() {
            owners[p.node.index()].insert(Owner::Part(i));
        }
        for v in self.graph.values().rev() {
            if !self.live[v.index()] {
                continue;
            }
            let node = self.graph.node(v);
            let mine = if is_stage(&node.op) {
                if matches!(node.op, Op::Concat(_)) { BTreeSet::new() } else { BTreeSet::from([Owner::Stage(v)]) }
            } else if self.stored.contains_key(&v) {
                // A stored map: its parts evaluate it; users load it.
                parts
                    .iter()
                    .enumerate()
                    .filter(|(_, p)| p.node == v && self.stored[&v] == p.slot)
                    .map(|(i, _)| Owner::Part(i))
                    .collect()
            } else {
                owners[v.index()].clone()
            };
            for a in &node.args {
                owners[a.index()].extend(mine.iter().copied());
            }
        }
        owners
    }

    /// The index, in terms of the fold's axes, of every value on the way from `fold` to the part's node, if the fold's
    /// elements and the part's are one to one on every path.
    pub(super) fn chain(&self, fold: ValueId, part: &Part) -> Option<BTreeMap<ValueId, Vec<Affine>>> {
        let shape = self.shape(fold);
        let mut index: BTreeMap<ValueId, Vec<Affine>> = BTreeMap::new();
        index.insert(fold, (0..shape.len()).map(Affine::axis).collect());
        for v in self.graph.values() {
            if v <= fold || v > part.node || !self.live[v.index()] {
                continue;
            }
            let node = self.graph.node(v);
            let on_the_way: Vec<ValueId> = node.args.iter().copied().filter(|a| index.contains_key(a)).collect();
            let Some(first) = on_the_way.first() else { continue };
            if self.stored.contains_key(&v) && v != part.node {
                continue;
            }
            let at = index[first].clone();
            let new = match &node.op {
                Op::Map(_) => {
                    if on_the_way.iter().any(|a| index[a] != at) {
                        return None;
                    }
                    at
                }
                Op::Permute(p) => p.apply(&at),
                Op::Reshape(_) => Affine::flatten(&at, &self.shape(*first)).unflatten(&self.shape(v), &shape),
                Op::Broadcast(new) if new.iter().all(|(_, d)| *d == 1) => {
                    let mut at = at;
                    for (i, _) in new {
                        at.insert(usize::from(*i), Affine::default());
                    }
                    at
                }
                Op::Reduce { .. }
                | Op::Contract { .. }
                | Op::Concat(_)
                | Op::Pad(_)
                | Op::Call(_)
                | Op::Scatter(..)
                | Op::ArgSort { .. } => continue,
                Op::Broadcast(_) | Op::Slice(_) | Op::Gather(_) => return None,
                Op::Input(_)
                | Op::Const(_)
                | Op::Dim(_)
                | Op::Iota { .. }
                | Op::If(..)
                | Op::Loop(_)
                | Op::Opaque(_)
                | Op::Proj(_) => {
                    return None;
                }
            };
            index.insert(v, new);
        }
        index.contains_key(&part.node).then_some(index)
    }
}
