//! What can be compiled at all, and an order of classes.

use std::collections::BTreeMap;

use egret_ir::choice::{Candidate, Class, ClassGraph, ClassId, ClassNode, Table};
use egret_ir::graph::BodyId;
use egret_ir::op::Op;
use egret_ir::types::Type;

use crate::error::{PlanError, Reason, Unsupported};
use crate::kernels::{Order, is_generator};
use crate::plan::Planned;
use crate::search::problem::Problem;

/// The bodies of branches and loops, planned or not.
pub(super) type Bodies = BTreeMap<BodyId, Result<Planned, PlanError>>;

/// An acyclic order of the classes that the outputs need.
pub(super) fn order(cg: &ClassGraph, bodies: &Bodies) -> Result<Order, PlanError> {
    let constant = cg.foldable();
    let mut roots: Vec<ClassId> = cg.outputs.iter().map(|o| o.1).collect();
    roots.sort_unstable();
    roots.dedup();
    let mut table: Table<()> = Table { classes: cg.classes.len(), roots, candidates: Vec::new() };
    let mut ways = Vec::new();
    for (i, class) in cg.classes.iter().enumerate() {
        let c = ClassId(i as u32);
        if type_problem(&class.ty).is_some() {
            continue;
        }
        let mut put = |inputs: Vec<ClassId>, cost, way: Option<usize>| {
            ways.push(way.map(|w| w as u32));
            table.candidates.push(Candidate { outputs: vec![c], inputs, cost, payload: () });
        };
        for (way, node) in class.nodes.iter().enumerate() {
            // What is constant is a leaf, except that broadcasts of constants are made where they are used.
            if way_problem(cg, bodies, node).is_none() && (!constant[i] || is_generator(&node.op)) {
                put(node.args.clone(), 1, Some(way));
            }
        }
        if constant[i] {
            // Dear beside a generator, so that the order puts its operands first.
            put(Vec::new(), if class.nodes.iter().any(|n| is_generator(&n.op)) { 1 << 20 } else { 1 }, None);
        }
    }
    let mut found = port_problems(cg);
    match Problem::new(&table) {
        Ok(problem) if found.is_empty() => {
            let way = |w: &Option<u32>| w.and_then(|w| ways[problem.ways[w as usize].original]);
            let way = problem.tree_pick.iter().map(way).collect();
            return Ok(Order { way, rank: problem.rank, constant });
        }
        Ok(_) => {}
        Err(error) => {
            let listed = unsupported(cg, bodies);
            if listed.is_empty() && found.is_empty() {
                return Err(error.into());
            }
            found.extend(listed);
        }
    }
    found.sort_by(|a, b| (&a.origins, &a.what, &a.reason).cmp(&(&b.origins, &b.what, &b.reason)));
    found.dedup();
    Err(PlanError::Unsupported(found))
}

/// Why values of a type have no buffer.
fn type_problem(ty: &Type) -> Option<Reason> {
    match ty {
        Type::Tensor(t) => {
            let size = t.static_shape().map(|_| t.byte_size());
            let large = size.is_some_and(|bytes| bytes.is_none_or(|b| b > isize::MAX as usize));
            large.then(|| Reason::TooLarge(t.to_string()))
        }
        Type::Tuple(parts) => parts.iter().find_map(type_problem),
        Type::Foreign(text) => Some(Reason::Foreign(text.to_string())),
    }
}

/// Why a way of a class has no kernel and no step.
fn way_problem(cg: &ClassGraph, bodies: &Bodies, node: &ClassNode) -> Option<Reason> {
    let broken = |id: &BodyId| bodies.get(id).is_none_or(Result::is_err);
    match &node.op {
        Op::Opaque(id) => {
            let def = cg.tables.opaque_def(*id);
            let name =
                if def.domain.is_empty() { def.op_type.to_string() } else { format!("{}.{}", def.domain, def.op_type) };
            Some(Reason::Opaque(name))
        }
        Op::If(i) => (broken(&i.then) || broken(&i.other)).then_some(Reason::Control),
        Op::Loop(l) => broken(&l.body).then_some(Reason::Control),
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::Call(_)
        | Op::Proj(_) => None,
    }
}

fn item(class: &Class, what: String, reason: Reason) -> Unsupported {
    Unsupported { origins: class.origins.clone(), what, reason }
}

/// Parameters that no buffer holds.
fn port_problems(cg: &ClassGraph) -> Vec<Unsupported> {
    let problem = |d: &egret_ir::graph::InputDecl| {
        let reason = type_problem(&d.ty)?;
        Some(Unsupported { origins: egret_ir::Origins::none(), what: format!("input `{}`", d.name), reason })
    };
    cg.inputs.iter().filter_map(problem).collect()
}

/// What the outputs need and no kernel computes, from the imported ways.
fn unsupported(cg: &ClassGraph, bodies: &Bodies) -> Vec<Unsupported> {
    let mut out = Vec::new();
    let mut seen = vec![false; cg.classes.len()];
    let mut stack: Vec<ClassId> = cg.outputs.iter().map(|o| o.1).collect();
    while let Some(c) = stack.pop() {
        if std::mem::replace(&mut seen[c.index()], true) {
            continue;
        }
        let class = cg.class(c);
        let Some(node) = class.nodes.first() else { continue };
        let none = class.nodes.iter().all(|n| way_problem(cg, bodies, n).is_some());
        if let Some(reason) = way_problem(cg, bodies, node).filter(|_| none) {
            // What is wrong inside a branch or a loop is told instead of the branch or loop.
            let inside = inside(bodies, &node.op);
            if inside.is_empty() {
                out.push(item(class, node.op.kind().to_owned(), reason));
            }
            out.extend(inside);
        } else if let Some(reason) = type_problem(&class.ty) {
            // Named once, where it arises; an input names itself.
            let arises = node.args.iter().all(|a| type_problem(cg.ty(*a)).is_none());
            if arises && !matches!(node.op, Op::Input(_)) {
                out.push(item(class, node.op.kind().to_owned(), reason));
            }
        }
        stack.extend(&node.args);
    }
    out
}

/// What the bodies of a branch or a loop lack.
fn inside(bodies: &Bodies, op: &Op) -> Vec<Unsupported> {
    let ids = bodies_of(op);
    let lists = ids.iter().filter_map(|id| match bodies.get(id) {
        Some(Err(PlanError::Unsupported(list))) => Some(list.clone()),
        _ => None,
    });
    lists.flatten().collect()
}

/// The bodies of a kind.
pub(super) fn bodies_of(op: &Op) -> Vec<BodyId> {
    if let Op::If(i) = op {
        return vec![i.then, i.other];
    }
    if let Op::Loop(l) = op { vec![l.body] } else { Vec::new() }
}
