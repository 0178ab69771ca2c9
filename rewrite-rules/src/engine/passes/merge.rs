//! Siblings become one: contractions of one operand with several weights, and the same elementwise work on every part of
//! one value. Every member is a step of its own with one result, a slice of what they share.

use std::collections::{BTreeMap, BTreeSet};

use egg::Id;
use egret_ir::Dim;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;

use super::factor::{MAX_JOINED, is_joined, mentions, without};
use super::term::{cut, one_cut};
use super::{Found, Here, Term, tensor_of};
use crate::engine::egraph::EGraph;

/// Parts of one value that elementwise work is merged over at most.
const MAX_PARTS: usize = 16;

/// Where a weight's result label is: an axis of the weight and one of the result. It is a whole axis of operand `side`,
/// once, and the other operand does not have it.
fn weight_axis(spec: &Spec, side: usize) -> Option<(usize, usize)> {
    spec.out().enumerate().find_map(|(axis, l)| {
        let of_weight = spec.axis_of(side, l)?;
        let once = spec.ins()[side].iter().filter(|ix| mentions(ix, l)).count() == 1;
        (once && !spec.mentions(1 - side, l) && spec.ext().iter().all(|(e, _)| *e != l)).then_some((of_weight, axis))
    })
}

/// A contraction that may be merged with others.
struct Member {
    node: Id,
    result: Id,
    weight: Id,
}

/// Groups of contractions with one spec, one data operand and constant weights of their own, chunked.
pub(super) fn merge_contractions(here: &Here<'_>) -> Vec<Found> {
    let mut groups: BTreeMap<_, Vec<Member>> = BTreeMap::new();
    let mut taken: BTreeSet<Id> = BTreeSet::new();
    for n in here.of_kind("contract") {
        let (Op::Contract { spec, .. }, result, args) = (here.op(*n), here.class(*n), here.args(*n)) else { continue };
        let Some(side) = (0..2).find(|s| here.constant(args[*s])) else { continue };
        let (weight, data) = (args[side], args[1 - side]);
        let (Some((axis, _)), Some(ty)) = (weight_axis(spec, side), here.tensor(weight)) else { continue };
        // One e-node of a result is enough.
        if here.constant(result) || here.constant(data) || is_joined(here, weight, axis) || !taken.insert(result) {
            continue;
        }
        let key = (here.op(*n).clone(), side, here.age(data), ty.dtype, without(&ty.shape, axis));
        groups.entry(key).or_default().push(Member { node: *n, result, weight });
    }
    let mut found = Vec::new();
    for ((op, side, ..), mut members) in groups {
        let Op::Contract { spec, .. } = &op else { continue };
        let results: BTreeSet<Id> = members.iter().map(|m| m.result).collect();
        // Left out is what another member is computed from, for that one holds it with a scale in its weight; and what is
        // a part of another member, for the two are merged already.
        members.retain(|m| {
            let scaled = |r: &Id| matches!(here.op(*r), Op::Map(_)) && results.contains(&here.class(*r));
            let part = |n: &Id| matches!(here.op(*n), Op::Slice(_)) && results.contains(&here.args(*n)[0]);
            !here.readers(m.result).iter().any(scaled) && !here.nodes(m.result).iter().any(part)
        });
        members.sort_by_key(|m| here.age(m.result));
        for chunk in members.chunks(MAX_JOINED).filter(|c| c.len() > 1) {
            found.extend(merged(here, &op, spec, side, chunk).into_iter().flatten());
        }
    }
    found
}

fn merged(here: &Here<'_>, op: &Op, spec: &Spec, side: usize, members: &[Member]) -> Option<Vec<Found>> {
    let (axis, result_axis) = weight_axis(spec, side)?;
    let weights: Vec<Term> = members.iter().map(|m| Term::Leaf(m.weight)).collect();
    let data = Term::Leaf(here.args(members[0].node)[1 - side]);
    let joined = Term::new(Op::Concat(axis as u8), weights);
    let args = if side == 0 { vec![joined, data] } else { vec![data, joined] };
    let wide = Term::new(op.clone(), args);
    let ty = tensor_of(here.egraph, &wide)?;
    let mut start = Dim::ZERO;
    let mut found = Vec::new();
    for m in members {
        let len = here.tensor(m.weight)?.shape[axis].clone();
        let right = Term::new(cut(&ty, result_axis, start.clone(), len.clone()), vec![wide.clone()]);
        found.push(Found { left: here.term(m.node), right });
        start = start + len;
    }
    Some(found)
}

/// A part of a value along one axis.
#[derive(Clone)]
struct Part {
    start: i64,
    len: i64,
    class: Id,
    node: Id,
}

/// The slices of a class that tile one of its axes, by axis.
fn tilings(here: &Here<'_>, class: Id) -> Vec<(usize, Vec<Part>)> {
    let Some(ty) = here.tensor(class) else { return Vec::new() };
    let mut by_axis: BTreeMap<usize, BTreeMap<(i64, i64), Part>> = BTreeMap::new();
    for n in here.readers(class) {
        let Some((axis, start, len)) = one_cut(here.op(*n), ty) else { continue };
        if let (Some(start), Some(len)) = (start.as_const(), len.as_const()) {
            let part = Part { start, len, class: here.class(*n), node: *n };
            by_axis.entry(axis).or_default().entry((start, len)).or_insert(part);
        }
    }
    let mut out = Vec::new();
    for (axis, parts) in by_axis {
        let mut at = 0;
        let mut tiles = Vec::new();
        while let Some((_, part)) = parts.range((at, 1)..(at + 1, 0)).next() {
            at += part.len;
            tiles.push(part.clone());
        }
        if ty.shape[axis].as_const() == Some(at) && (2..=MAX_PARTS).contains(&tiles.len()) {
            out.push((axis, tiles));
        }
    }
    out
}

/// What the parts have beside the sliced operand.
#[derive(Clone)]
enum Beside {
    /// The sliced value itself.
    Sliced,
    /// The same slices of another value.
    Other(Id),
    /// Constants of their own.
    Constant,
}

/// The same function on every part of a value, with constants or the same parts of other values beside it.
pub(super) fn merge_maps(here: &Here<'_>) -> Vec<Found> {
    let mut sliced: Vec<Id> = here.of_kind("slice").iter().map(|n| here.args(*n)[0]).collect();
    sliced.sort_by_key(|c| here.age(*c));
    sliced.dedup();
    let mut found = Vec::new();
    for class in sliced.into_iter().filter(|c| !here.constant(*c)) {
        for (axis, parts) in tilings(here, class) {
            for n in here.readers(parts[0].class) {
                if let (Op::Map(f), false) = (here.op(*n), here.constant(here.class(*n))) {
                    found.extend(merged_maps(here, class, axis, &parts, *f, *n).into_iter().flatten());
                }
            }
        }
    }
    found
}

/// The steps that merge `f` over all parts, where every part has an e-node of the same form as the first part's.
fn merged_maps(here: &Here<'_>, class: Id, axis: usize, parts: &[Part], f: Scalar, first: Id) -> Option<Vec<Found>> {
    let args = here.args(first);
    let place = args.iter().position(|a| *a == parts[0].class)?;
    let mut beside = Vec::with_capacity(args.len());
    for (k, a) in args.iter().enumerate() {
        beside.push(if k == place {
            Beside::Sliced
        } else if here.constant(*a) {
            Beside::Constant
        } else {
            let slices = here.nodes(*a).iter().filter(|n| here.op(**n) == here.op(parts[0].node));
            let mut other = slices
                .map(|n| here.args(*n)[0])
                .filter(|o| here.tensor(*o).is_some_and(|t| Some(&t.shape) == here.tensor(class).map(|t| &t.shape)));
            Beside::Other(other.next()?)
        });
    }
    // The other parts' e-nodes.
    let slice_of = |operand: Id, of: Id, part: &Part| {
        here.nodes(operand).iter().copied().find(|n| here.op(*n) == here.op(part.node) && here.args(*n)[0] == of)
    };
    let fits = |n: Id, part: &Part| {
        *here.op(n) == Op::Map(f)
            && here.args(n).iter().zip(&beside).all(|(a, b)| match b {
                Beside::Sliced => *a == part.class,
                Beside::Other(of) => slice_of(*a, *of, part).is_some(),
                Beside::Constant => here.constant(*a),
            })
    };
    let nodes: Vec<Id> = parts
        .iter()
        .map(|part| here.readers(part.class).iter().copied().find(|n| fits(*n, part)))
        .collect::<Option<_>>()?;
    if nodes[0] != first {
        return None;
    }
    let ty = here.tensor(class)?;
    // Both sides' operands: of every part, and of the whole.
    let mut whole = Vec::with_capacity(args.len());
    let mut own: Vec<Vec<Term>> = vec![Vec::new(); parts.len()];
    for (k, b) in beside.iter().enumerate() {
        let operands: Vec<Id> = nodes.iter().map(|n| here.args(*n)[k]).collect();
        match b {
            Beside::Sliced | Beside::Other(_) => {
                let of = if let Beside::Other(of) = b { *of } else { class };
                whole.push(Term::Leaf(of));
                for ((o, part), own) in operands.iter().zip(parts).zip(&mut own) {
                    own.push(here.term(slice_of(*o, of, part)?));
                }
            }
            Beside::Constant => {
                let (w, each) = constants(here, &operands, axis, &ty.shape);
                whole.push(w);
                own.iter_mut().zip(each).for_each(|(own, c)| own.push(c));
            }
        }
    }
    let whole = Term::new(Op::Map(f), whole);
    let wide = tensor_of(here.egraph, &whole)?;
    let step = |((part, node), own): ((&Part, &Id), Vec<Term>)| Found {
        left: Term::on(*node, Op::Map(f), own),
        right: Term::new(cut(&wide, axis, Dim::from(part.start), Dim::from(part.len)), vec![whole.clone()]),
    };
    Some(parts.iter().zip(&nodes).zip(own).map(step).collect())
}

/// Constants of the parts joined along an axis: one number where they all are that number, joined below the broadcast
/// where all are broadcast alike along the other axes. Also each constant as it stands on the left.
fn constants(here: &Here<'_>, parts: &[Id], axis: usize, whole: &[Dim]) -> (Term, Vec<Term>) {
    let leaves = || parts.iter().map(|p| Term::Leaf(*p)).collect::<Vec<_>>();
    let splat = here.splat(parts[0]);
    if let Some(l) = splat.filter(|_| parts.iter().all(|p| here.splat(*p) == splat)) {
        return (Term::splat(l, whole), leaves());
    }
    let inserted = |op: &Op| match op {
        Op::Broadcast(new) if new.iter().all(|(at, _)| usize::from(*at) != axis) => Some(new.len()),
        _ => None,
    };
    let first = here.nodes(parts[0]).iter().find(|n| inserted(here.op(**n)).is_some());
    let alike = |op: &Op| {
        parts.iter().map(|p| here.nodes(*p).iter().copied().find(|n| here.op(*n) == op)).collect::<Option<Vec<Id>>>()
    };
    if let Some(op) = first.map(|n| here.op(*n))
        && let Op::Broadcast(new) = op
        && let Some(nodes) = alike(op)
    {
        let before = new.iter().filter(|(at, _)| usize::from(*at) < axis).count();
        let inner = nodes.iter().map(|n| Term::Leaf(here.args(*n)[0])).collect();
        let joined = Term::new(Op::Concat((axis - before) as u8), inner);
        return (Term::new(op.clone(), vec![joined]), nodes.iter().map(|n| here.term(*n)).collect());
    }
    (Term::new(Op::Concat(axis as u8), leaves()), leaves())
}

/// Whether two terms are equal once slices are as far inside as they go.
pub(super) fn same_slice(egraph: &EGraph, left: &Term, right: &Term) -> bool {
    match (inward(egraph, left), inward(egraph, right)) {
        (Some(a), Some(b)) => equal(&a, &b),
        _ => false,
    }
}

/// Equal terms; which e-nodes they stand on does not matter.
fn equal(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Leaf(x), Term::Leaf(y)) => x == y,
        (Term::Node(x), Term::Node(y)) => {
            x.op == y.op && x.args.len() == y.args.len() && x.args.iter().zip(&y.args).all(|(p, q)| equal(p, q))
        }
        (Term::Leaf(_), Term::Node(_)) | (Term::Node(_), Term::Leaf(_)) => false,
    }
}

/// The term with every slice as far inside as it goes, and numbers where it is a splat.
fn inward(egraph: &EGraph, term: &Term) -> Option<Term> {
    if let Some(l) = term.splat_of(egraph) {
        return Some(Term::splat(l, &tensor_of(egraph, term)?.shape));
    }
    let Term::Node(n) = term else { return Some(term.clone()) };
    let args = || n.args.iter().map(|a| inward(egraph, a)).collect::<Option<Vec<Term>>>();
    let keep = |args: Vec<Term>| Term::new(n.op.clone(), args);
    let (Op::Slice(_), [x]) = (&n.op, n.args.as_slice()) else { return Some(keep(args()?)) };
    let ty = tensor_of(egraph, x)?;
    let (Some((axis, start, len)), Some(inner)) = (one_cut(&n.op, &ty), x.node()) else { return Some(keep(args()?)) };
    let sliced = |t: &Term, axis: usize| {
        let op = cut(&tensor_of(egraph, t)?, axis, start.clone(), len.clone());
        inward(egraph, &Term::new(op, vec![t.clone()]))
    };
    match &inner.op {
        Op::Map(_) => {
            let args = inner.args.iter().map(|a| sliced(a, axis)).collect::<Option<Vec<_>>>()?;
            Some(Term::new(inner.op.clone(), args))
        }
        Op::Contract { spec, .. } => {
            let side = (0..2).find(|s| weight_axis(spec, *s).is_some_and(|(_, out)| out == axis));
            let Some(side) = side else { return Some(keep(args()?)) };
            let (of_weight, _) = weight_axis(spec, side)?;
            let mut args = vec![inward(egraph, &inner.args[1 - side])?];
            args.insert(side, sliced(&inner.args[side], of_weight)?);
            Some(Term::new(inner.op.clone(), args))
        }
        Op::Concat(a) if usize::from(*a) == axis => {
            let mut at = Dim::ZERO;
            for part in &inner.args {
                let extent = tensor_of(egraph, part)?.shape[axis].clone();
                if at == start && extent == len {
                    return inward(egraph, part);
                }
                at = at + extent;
            }
            Some(keep(args()?))
        }
        Op::Broadcast(new) if new.iter().all(|(at, _)| usize::from(*at) != axis) => {
            let before = new.iter().filter(|(at, _)| usize::from(*at) < axis).count();
            Some(Term::new(inner.op.clone(), vec![sliced(&inner.args[0], axis - before)?]))
        }
        _ => Some(keep(args()?)),
    }
}
