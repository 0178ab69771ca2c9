//! What can be compiled at all, and an order of classes.

use egret_ir::choice::{Candidate, Class, ClassGraph, ClassId, ClassNode, Table};
use egret_ir::op::Op;
use egret_ir::types::Type;

use crate::error::{PlanError, Reason, Unsupported};
use crate::kernels::{Order, is_generator};
use crate::search::problem::Problem;

/// An acyclic order of the classes that the outputs need.
pub(super) fn order(cg: &ClassGraph) -> Result<Order, PlanError> {
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
            if way_problem(cg, node).is_none() && (!class.constant || is_generator(&node.op)) {
                put(node.args.clone(), 1, Some(way));
            }
        }
        if class.constant {
            // Dear beside a generator, so that the order puts its operands first.
            put(Vec::new(), if class.nodes.iter().any(|n| is_generator(&n.op)) { 1 << 20 } else { 1 }, None);
        }
    }
    let mut found = port_problems(cg);
    match Problem::new(&table) {
        Ok(problem) if found.is_empty() => {
            let way = |w: &Option<u32>| w.and_then(|w| ways[problem.ways[w as usize].original]);
            return Ok(Order { way: problem.tree_pick.iter().map(way).collect(), rank: problem.rank });
        }
        Ok(_) => {}
        Err(error) => {
            let listed = unsupported(cg);
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
        Type::Tensor(t) if t.static_shape().is_none() => Some(Reason::Symbolic(t.to_string())),
        Type::Tensor(t) => {
            t.byte_size().is_none_or(|b| b > isize::MAX as usize).then(|| Reason::TooLarge(t.to_string()))
        }
        Type::Tuple(parts) => parts.iter().find_map(type_problem),
        Type::Foreign(text) => Some(Reason::Foreign(text.to_string())),
    }
}

fn way_problem(cg: &ClassGraph, node: &ClassNode) -> Option<Reason> {
    match &node.op {
        Op::Opaque(id) => {
            let def = cg.tables.opaque_def(*id);
            let name =
                if def.domain.is_empty() { def.op_type.to_string() } else { format!("{}.{}", def.domain, def.op_type) };
            Some(Reason::Opaque(name))
        }
        Op::If(..) | Op::Loop(_) => Some(Reason::Control),
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
fn unsupported(cg: &ClassGraph) -> Vec<Unsupported> {
    let mut out = Vec::new();
    let mut seen = vec![false; cg.classes.len()];
    let mut stack: Vec<ClassId> = cg.outputs.iter().map(|o| o.1).collect();
    while let Some(c) = stack.pop() {
        if std::mem::replace(&mut seen[c.index()], true) {
            continue;
        }
        let class = cg.class(c);
        let Some(node) = class.nodes.first() else { continue };
        if let Some(reason) = way_problem(cg, node).filter(|_| class.nodes.iter().all(|n| way_problem(cg, n).is_some()))
        {
            out.push(item(class, node.op.kind().to_owned(), reason));
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
