//! Export without rules: every graph as it was read, the cheapest nodes for it.

use egret_ir::Graph;
use egret_ir::choice::{ClassGraph, ClassId, Table};
use egret_onnx::Imported;
use egret_onnx::export::{
    ExportError, Guard, NodeCost, OnnxStep, Rewritten, growth_limit, model_bytes, node_time, optimize,
};
use egret_onnx::proto::ModelProto;

/// The cheapest tree of each class, followed from the roots.
fn cheapest(table: &Table<OnnxStep>) -> Option<Vec<usize>> {
    let mut best: Vec<Option<(u64, usize)>> = vec![None; table.classes];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, c) in table.candidates.iter().enumerate() {
            let Some(sum) = c.inputs.iter().try_fold(c.cost, |s, x| Some(s + best[x.index()]?.0)) else { continue };
            // Results share the cost.
            let sum = sum / c.outputs.len() as u64;
            for o in &c.outputs {
                if best[o.index()].is_none_or(|b| (sum, i) < b) {
                    best[o.index()] = Some((sum, i));
                    changed = true;
                }
            }
        }
    }
    let mut order = Vec::new();
    for r in &table.roots {
        follow(table, &best, best[r.index()]?.1, &mut order);
    }
    Some(order)
}

fn follow(table: &Table<OnnxStep>, best: &[Option<(u64, usize)>], i: usize, order: &mut Vec<usize>) {
    if order.contains(&i) {
        return;
    }
    for x in &table.candidates[i].inputs {
        if let Some((_, j)) = best[x.index()] {
            follow(table, best, j, order);
        }
    }
    order.push(i);
}

/// The classes of a graph in which equal nodes are one.
fn shared(graph: &Graph) -> (ClassGraph, Vec<Option<ClassId>>) {
    let (mut classes, _) = ClassGraph::from_graph(graph);
    let all = std::mem::take(&mut classes.classes);
    let mut known = std::collections::HashMap::new();
    let mut class_of: Vec<ClassId> = Vec::new();
    for mut class in all {
        for a in &mut class.nodes[0].args {
            *a = class_of[a.index()];
        }
        let next = ClassId(classes.classes.len() as u32);
        let c = *known.entry((class.nodes[0].op.clone(), class.nodes[0].args.clone())).or_insert(next);
        if c == next {
            classes.classes.push(class);
        }
        class_of.push(c);
    }
    for (_, c) in &mut classes.outputs {
        *c = class_of[c.index()];
    }
    (classes, class_of.into_iter().map(Some).collect())
}

pub fn export(imported: &Imported) -> ModelProto {
    try_export(imported).unwrap_or_else(|e| panic!("{e}"))
}

pub fn try_export(imported: &Imported) -> Result<ModelProto, ExportError> {
    let price = |c: &NodeCost<'_>| node_time(c);
    let mut guard = Guard::new(growth_limit(model_bytes(imported), 0.1));
    optimize(&mut rewritten(imported), imported, &price, &cheapest, &mut guard)
}

fn rewritten(imported: &Imported) -> Rewritten {
    let (classes, class_of) = shared(&imported.graph);
    Rewritten { classes, class_of, births: Vec::new(), bodies: imported.bodies.iter().map(rewritten).collect() }
}
