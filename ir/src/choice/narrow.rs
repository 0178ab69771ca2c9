//! Constants at their smallest: a map over broadcasts is the broadcast of a map over what was broadcast, and a contraction
//! repeats its result along an axis that one operand repeats and the other does not have. Folded constants then take the
//! small place; the broadcast is an index map in the kernel that reads them, and in ONNX what operators do by themselves.

use std::borrow::Cow;

use super::{ClassGraph, ClassId, ClassNode};
use crate::dim::Dim;
use crate::op::Op;
use crate::op::spec::{Ix, Label, Spec};

/// Inserted axes, by their positions in the result.
type Axes = Box<[(u8, Dim)]>;

/// What a way is over smaller operands: its kind, each operand as (constant, axes it still has to get), and the axes that
/// the result then lacks.
type Smaller = (Op, Vec<(ClassId, Axes)>, Axes);

impl ClassGraph {
    /// The class graph with a further way for each map and contraction over broadcasts of constants: the broadcast of the
    /// same without the axes that need not be there. Classes and ways that are there keep their places.
    pub fn narrowed(&self) -> Cow<'_, Self> {
        narrowed(self)
    }
}

/// One pass for each map or contraction above another.
fn narrowed(cg: &ClassGraph) -> Cow<'_, ClassGraph> {
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
            let smaller = ways.find_map(|n| map(&cg, &foldable, n).or_else(|| contraction(&cg, &foldable, n)));
            let Some((op, operands, axes)) = smaller else { continue };
            if let Some(way) = broadcast_of(cg.to_mut(), &op, &operands, axes) {
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

/// A map over broadcasts, without the axes that are inserted into all of them.
fn map(cg: &ClassGraph, foldable: &[bool], node: &ClassNode) -> Option<Smaller> {
    let Op::Map(_) = node.op else { return None };
    let spreads: Vec<_> = node.args.iter().map(|a| spread(cg, foldable, *a)).collect::<Option<_>>()?;
    let in_all = |axis: &&(u8, Dim)| spreads.iter().all(|(_, axes)| axes.contains(axis));
    let common: Axes = spreads.first()?.1.iter().filter(in_all).cloned().collect();
    if common.iter().all(|(_, d)| *d == Dim::ONE) {
        return None;
    }
    let operand = |(constant, axes): (ClassId, &[(u8, Dim)])| Some((constant, without(axes, &common)?));
    let operands = spreads.iter().map(|s| operand(*s)).collect::<Option<Vec<_>>>()?;
    Some((node.op.clone(), operands, common))
}

/// A contraction of a broadcast, without the inserted axes whose labels are in its result and nowhere else.
fn contraction(cg: &ClassGraph, foldable: &[bool], node: &ClassNode) -> Option<Smaller> {
    let Op::Contract { spec, .. } = &node.op else { return None };
    (0..2).find_map(|k| {
        let other = node.args[1 - k];
        let (constant, inserted) = spread(cg, foldable, node.args[k])?;
        let repeated = |(at, d): &(u8, Dim)| match spec.ins()[k][usize::from(*at)] {
            Ix::Label(l) => {
                let has = |ix: &&Ix| match **ix {
                    Ix::Label(m) => m == l,
                    Ix::Window(w) => w.out == l || w.tap == l,
                };
                let alone = spec.ins()[k].iter().filter(has).count() == 1;
                (alone && l.index() < spec.rank() && !spec.mentions(1 - k, l)).then(|| (l, (*at, d.clone())))
            }
            Ix::Window(_) => None,
        };
        let (labels, gone): (Vec<Label>, Vec<(u8, Dim)>) = inserted.iter().filter_map(repeated).unzip();
        if !foldable[other.index()] || gone.iter().all(|(_, d)| *d == Dim::ONE) {
            return None;
        }
        let mut ins: Vec<Vec<Ix>> = spec.ins().iter().map(|o| o.to_vec()).collect();
        ins[k].retain(|ix| !matches!(ix, Ix::Label(l) if labels.contains(l)));
        let out: Vec<Label> = spec.out().filter(|l| !labels.contains(l)).collect();
        let ext: Vec<(Label, Dim)> = spec.ext().iter().filter(|(l, _)| !labels.contains(l)).cloned().collect();
        let mut op = node.op.clone();
        if let Op::Contract { spec, .. } = &mut op {
            *spec = Spec::new(&ins, &out, &ext).ok()?;
        }
        let mut operands = vec![(other, Axes::default()); 2];
        operands[k] = (constant, without(inserted, &gone)?);
        let mut axes: Vec<(u8, Dim)> =
            labels.iter().zip(&gone).map(|(l, (_, d))| (l.index() as u8, d.clone())).collect();
        axes.sort_unstable_by_key(|(at, _)| *at);
        Some((op, operands, axes.into()))
    })
}

/// Inserted axes at the places they have once others are gone; None where an extent is no number.
fn without(axes: &[(u8, Dim)], gone: &[(u8, Dim)]) -> Option<Axes> {
    let left = axes.iter().filter(|axis| !gone.contains(axis));
    left.map(|(at, d)| {
        let before = gone.iter().filter(|(g, _)| g < at).count() as u8;
        d.as_const().map(|_| (at - before, d.clone()))
    })
    .collect()
}

/// The way of a class that is `op` over the operands, broadcast along `axes`.
fn broadcast_of(cg: &mut ClassGraph, op: &Op, operands: &[(ClassId, Axes)], axes: Axes) -> Option<ClassNode> {
    let mut args = Vec::with_capacity(operands.len());
    for (constant, left) in operands {
        let whole = left.is_empty().then_some(*constant);
        args.push(whole.or_else(|| cg.derive(Op::Broadcast(left.clone()), &[*constant]).ok())?);
    }
    let small = cg.derive(op.clone(), &args).ok()?;
    Some(ClassNode { op: Op::Broadcast(axes), args: vec![small] })
}
