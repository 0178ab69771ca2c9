//! E-graphs as files: in the JSON of the crate `egraph-serialize`, which other tools read, and the birth of every e-node.
//!
//! The format has no room for facts about a node beside its cost. So a class carries, under `births`, a word
//! `NODE=RULE@ITERATION` for each of its nodes (`import@0` for those of the model), and `births.csv` has a line each.

use std::collections::HashMap;

use egraph_serialize::{ClassData, ClassId as ClassName, EGraph, Node, NodeId};
use egret_extractor::cost::body_cost;
use egret_ir::choice::{ClassGraph, ClassId, ClassNode};
use egret_ir::graph::Tables;
use egret_ir::machine::Machine;
use egret_ir::text::op_text;
use egret_ir::{Graph, Op, Origins, ValueId};
use egret_rules::{Birth, Saturated};
use serde::Serialize;

/// The birth of an e-node.
#[derive(Serialize)]
pub(super) struct Born<'a> {
    node: usize,
    class: u32,
    kind: &'static str,
    rule: &'a str,
    iteration: usize,
}

/// The e-nodes of the frozen e-graph with class and way, in its order. (Nodes that became equal to older ones are none of
/// its ways.)
fn ways(s: &Saturated) -> impl Iterator<Item = (usize, ClassId, &ClassNode)> {
    let classes = s.classes.classes.iter().enumerate();
    classes.flat_map(move |(c, class)| {
        let c = ClassId(c as u32);
        let id = move |k| s.log.node(c, k).map(usize::from);
        class.nodes.iter().enumerate().filter_map(move |(k, way)| Some((id(k)?, c, way)))
    })
}

fn rule<'a>(birth: &Birth<'a>) -> &'a str {
    birth.rule.unwrap_or("import")
}

/// One line a node.
pub(super) fn births(s: &Saturated) -> Vec<Born<'_>> {
    let births = s.births();
    let row = |(node, class, way): (usize, ClassId, &ClassNode)| {
        let birth = births[node].clone();
        Born { node, class: class.0, kind: way.op.kind(), rule: rule(&birth), iteration: birth.iteration }
    };
    ways(s).map(row).collect()
}

/// The whole e-graph. A node is named by its number in order of birth, and costs what a kernel of it alone is predicted to
/// take, in picoseconds; inputs, constants and what the machine has no price for (opaque operators, branches, loops)
/// cost nothing.
pub(super) fn egraph(s: &Saturated, machine: &Machine) -> EGraph {
    let births = s.births();
    let mut out = EGraph::default();
    let mut tables = s.classes.tables.clone();
    let name = |c: ClassId| ClassName::from(c.0.to_string());
    let mut words: Vec<String> = vec![String::new(); s.classes.classes.len()];
    for (id, c, way) in ways(s) {
        let child = |a: &ClassId| Some(NodeId::from(usize::from(s.log.node(*a, 0)?).to_string()));
        let node = Node {
            op: op_text(&way.op, &s.classes.tables),
            children: way.args.iter().filter_map(child).collect(),
            eclass: name(c),
            cost: egraph_serialize::Cost::new(cost(&s.classes, way, machine, &mut tables) as f64).unwrap_or_default(),
            subsumed: false,
        };
        out.add_node(id.to_string(), node);
        let birth = &births[id];
        let space = if words[c.index()].is_empty() { "" } else { " " };
        words[c.index()] += &format!("{space}{id}={}@{}", rule(birth), birth.iteration);
    }
    for (i, (class, word)) in s.classes.classes.iter().zip(words).enumerate() {
        // One entry, so that its order is one.
        let extra = HashMap::from([("births".to_owned(), word)]);
        out.class_data.insert(name(ClassId(i as u32)), ClassData { typ: Some(class.ty.to_string()), extra });
    }
    out.root_eclasses = s.classes.outputs.iter().map(|(_, c)| name(*c)).collect();
    out
}

/// Predicted time of a way as a kernel of its own; 0 where it is a leaf or has no price.
fn cost(classes: &ClassGraph, way: &ClassNode, machine: &Machine, tables: &mut Tables) -> u64 {
    if matches!(way.op, Op::Input(_) | Op::Const(_) | Op::Opaque(_) | Op::If(_) | Op::Loop(_) | Op::Proj(_)) {
        return 0;
    }
    let mut body = Graph::new("way");
    body.tables = std::mem::take(tables);
    let args: Vec<ValueId> = way.args.iter().map(|a| body.input("operand", classes.ty(*a).clone())).collect();
    let price = body.add(way.op.clone(), &args, Origins::none()).ok().and_then(|root| {
        body.output("result", root);
        body_cost(machine, &body).ok()
    });
    *tables = body.tables;
    price.unwrap_or(0)
}
