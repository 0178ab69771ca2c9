//! Counts of operations and bytes, from the meanings.

use super::{Expr, meaning};
use crate::defs;
use crate::dim::{self, Dim};
use crate::graph::Graph;
use crate::op::Op;
use crate::op::call::{Call, ResizeMode};
use crate::types::Type;

/// Elementary operations of one evaluation, windows counted as if every term were present; rows count as in their table.
/// Movement costs none. Kinds without a meaning count what their definition says; If, Loop and Opaque count nothing.
pub fn flops(op: &Op, args: &[&Type]) -> Dim {
    if let Some(e) = meaning(op, args) {
        return dim::count(&e.ty.shape) * per_element(&e.body);
    }
    let shape = |i: usize| args.get(i).and_then(|t| t.as_tensor()).map(|t| t.shape.clone()).unwrap_or_default();
    match op {
        Op::Scatter(..) => dim::count(&shape(2)),
        // n log₂ n comparisons, of which the logarithm is taken as 16.
        Op::ArgSort { .. } => dim::count(&shape(0)) * Dim::from(16i64),
        Op::Call(call) => match &**call {
            Call::Softmax { .. }
            | Call::LogSoftmax { .. }
            | Call::LayerNorm { .. }
            | Call::RmsNorm { .. }
            | Call::Gelu(_) => {
                let types: Vec<Type> = args.iter().map(|t| (*t).clone()).collect();
                defs::body(call, &types).map_or(Dim::ZERO, |body| graph_flops(&body))
            }
            Call::Recurrent(r) => {
                // Two products per step and direction, and about forty operations per gate output.
                let (x, w) = (shape(0), shape(1));
                let (Some([time, batch, width]), Some(gates)) = (x.first_chunk(), w.get(1)) else { return Dim::ZERO };
                let per_gate = Dim::from(2i64) * (width.clone() + Dim::from(r.hidden)) + Dim::from(40i64);
                time.clone() * batch.clone() * Dim::from(r.direction.count()) * gates.clone() * per_gate
            }
            Call::Resize(r) => {
                let taps = match r.mode {
                    ResizeMode::Nearest(_) => 0,
                    ResizeMode::Linear => 2,
                    ResizeMode::Cubic(_) => 4,
                };
                let changed = r.sizes.iter().zip(shape(0)).filter(|(a, b)| *a != b).count() as i64;
                dim::count(&r.sizes) * Dim::from(2 * taps * changed)
            }
            // 2n³/3 per matrix.
            Call::Det => shape(0).last().map_or(Dim::ZERO, |n| {
                (Dim::from(2i64) * dim::count(&shape(0)) * n.clone()).floor_div(&Dim::from(3i64))
            }),
            // A sort per class, and about sixteen operations for each of the boxes kept against each of the others.
            Call::NonMaxSuppression(n) => dim::count(&shape(1)) * Dim::from(16i64) * (n.keep.clone() + Dim::ONE),
        },
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
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Opaque(_)
        | Op::Proj(_) => Dim::ZERO,
    }
}

fn graph_flops(graph: &Graph) -> Dim {
    graph.nodes().iter().fold(Dim::ZERO, |sum, n| {
        let types: Vec<&Type> = n.args.iter().map(|a| graph.ty(*a)).collect();
        sum + flops(&n.op, &types)
    })
}

fn per_element(e: &Expr) -> Dim {
    match e {
        Expr::Read { .. } | Expr::Literal(_) | Expr::Index(..) => Dim::ZERO,
        Expr::Apply(row, args) => {
            args.iter().map(per_element).fold(Dim::from(i64::from(row.def().flops)), std::ops::Add::add)
        }
        Expr::Fold { vars, body, .. } => {
            let terms = dim::count(&vars.iter().map(|(_, d)| d.clone()).collect::<Vec<_>>());
            terms * (per_element(body) + Dim::ONE)
        }
        Expr::Select { then, other, .. } => per_element(then).larger(&per_element(other)),
    }
}

/// Bytes of the operands and the result, each counted once; types that are no tensors count nothing.
pub fn bytes(args: &[&Type], result: &Type) -> Dim {
    fn of(t: &Type) -> Dim {
        match t {
            Type::Tensor(t) => dim::count(&t.shape) * Dim::from(t.dtype.size()),
            Type::Tuple(parts) => parts.iter().map(of).fold(Dim::ZERO, std::ops::Add::add),
            Type::Foreign(_) => Dim::ZERO,
        }
    }
    args.iter().map(|t| of(t)).fold(of(result), std::ops::Add::add)
}
