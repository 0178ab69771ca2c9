//! Constants at their smallest: a map over broadcasts is the broadcast of a map over what was broadcast. Folded constants
//! then take the small place, and the broadcast is an index map in the kernel that reads them.

use std::borrow::Cow;

use egret_ir::choice::{ClassGraph, ClassId, ClassNode};
use egret_ir::dim::Dim;
use egret_ir::op::Op;

/// Inserted axes, by their positions in the result.
type Axes = Box<[(u8, Dim)]>;

/// The class graph with a further way for each map over broadcasts of constants: the broadcast, over the axes that all of
/// them insert, of the map without these axes. One pass for each map above another.
pub(super) fn narrowed(cg: &ClassGraph) -> Cow<'_, ClassGraph> {
    let mut cg = Cow::Borrowed(cg);
    let mut foldable = cg.foldable();
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..cg.classes.len() {
            let c = ClassId(i as u32);
            if spread(&cg, &foldable, c).is_some() {
                continue;
            }
            let mut ways = cg.class(c).nodes.iter();
            let Some((map, operands, axes)) = ways.find_map(|n| below(&cg, &foldable, n)) else { continue };
            if let Some(way) = broadcast_of(cg.to_mut(), &map, &operands, axes) {
                foldable.resize(cg.classes.len(), true);
                cg.to_mut().classes[i].nodes.push(way);
                changed = true;
            }
        }
    }
    cg
}

/// The constant that a class is a broadcast of, and the inserted axes: most of them.
fn spread<'a>(cg: &'a ClassGraph, foldable: &[bool], c: ClassId) -> Option<(ClassId, &'a [(u8, Dim)])> {
    let ways = cg.class(c).nodes.iter().filter_map(|n| match (&n.op, &n.args[..]) {
        (Op::Broadcast(axes), [one]) if foldable[one.index()] && axes.iter().any(|(_, d)| *d != Dim::ONE) => {
            Some((*one, &axes[..]))
        }
        _ => None,
    });
    ways.min_by_key(|(_, axes)| std::cmp::Reverse(axes.len()))
}

/// For a map over broadcasts: its kind, each operand as (constant, axes it still has to get), and the axes that are
/// inserted into all of them.
fn below(cg: &ClassGraph, foldable: &[bool], node: &ClassNode) -> Option<(Op, Vec<(ClassId, Axes)>, Axes)> {
    if !matches!(node.op, Op::Map(_)) {
        return None;
    }
    let spreads: Vec<_> = node.args.iter().map(|a| spread(cg, foldable, *a)).collect::<Option<_>>()?;
    let in_all = |axis: &&(u8, Dim)| spreads.iter().all(|(_, axes)| axes.contains(axis));
    let common: Axes = spreads.first()?.1.iter().filter(in_all).cloned().collect();
    if common.iter().all(|(_, d)| *d == Dim::ONE) {
        return None;
    }
    let operand = |(constant, axes): (ClassId, &[(u8, Dim)])| {
        let own = axes.iter().filter(|axis| !common.contains(axis));
        let left = own.map(|(at, d)| {
            let gone = common.iter().filter(|(c, _)| c < at).count() as u8;
            d.as_const().map(|_| (at - gone, d.clone()))
        });
        Some((constant, left.collect::<Option<Axes>>()?))
    };
    let operands = spreads.iter().map(|s| operand(*s)).collect::<Option<Vec<_>>>()?;
    Some((node.op.clone(), operands, common))
}

/// The way of a class that is `map` over the operands, broadcast along `axes`.
fn broadcast_of(cg: &mut ClassGraph, map: &Op, operands: &[(ClassId, Axes)], axes: Axes) -> Option<ClassNode> {
    let mut args = Vec::with_capacity(operands.len());
    for (constant, left) in operands {
        let whole = left.is_empty().then_some(*constant);
        args.push(whole.or_else(|| cg.derive(Op::Broadcast(left.clone()), &[*constant]).ok())?);
    }
    let small = cg.derive(map.clone(), &args).ok()?;
    Some(ClassNode { op: Op::Broadcast(axes), args: vec![small] })
}
