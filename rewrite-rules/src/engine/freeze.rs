//! The frozen e-graph: plain data for extractors and frontends.

use std::collections::BTreeMap;

use egg::Id;
use egret_ir::Graph;
use egret_ir::Origins;
use egret_ir::choice::{Class, ClassGraph, ClassId, ClassNode};

use super::egraph::EGraph;
use super::matcher::View;

/// Freezes a clean e-graph. Classes are in order of their oldest e-node; e-nodes of a class are oldest first, so imported
/// ones lead. `ids` are the e-nodes of the graph's values; the classes of these come back.
pub fn freeze(egraph: &EGraph, graph: &Graph, ids: &[Id]) -> (ClassGraph, Vec<ClassId>, BTreeMap<Id, ClassId>) {
    let view = View::of(egraph);
    let mut classes: Vec<(Id, &[Id])> = view.classes().collect();
    classes.sort_by_key(|(_, nodes)| nodes.first().copied());
    let number: BTreeMap<Id, ClassId> =
        classes.iter().enumerate().map(|(i, (id, _))| (*id, ClassId(i as u32))).collect();
    let class_of = |id: Id| number[&egraph.find(id)];
    let origins_of = |id: &Id| egraph.analysis.origins.get(usize::from(*id)).cloned().unwrap_or_default();
    let mut out = ClassGraph {
        name: graph.name.clone(),
        inputs: graph.inputs.clone(),
        tables: egraph.analysis.tables.clone(),
        ..ClassGraph::default()
    };
    for (id, nodes) in &classes {
        let data = &egraph[*id].data;
        let ways = nodes
            .iter()
            .map(|n| {
                let node = &egraph.nodes()[usize::from(*n)];
                let args = node.args.iter().map(|a| class_of(*a)).collect();
                ClassNode { op: egraph.analysis.op(node.op).clone(), args }
            })
            .collect();
        let origins = nodes.iter().fold(Origins::none(), |o, n| o.join(&origins_of(n)));
        out.classes.push(Class { ty: data.ty.as_ref().clone(), nodes: ways, constant: data.constant, origins });
    }
    out.outputs = graph.outputs.iter().map(|o| (o.name.clone(), class_of(ids[o.value.index()]))).collect();
    let of_values = ids.iter().map(|id| class_of(*id)).collect();
    (out, of_values, number)
}
