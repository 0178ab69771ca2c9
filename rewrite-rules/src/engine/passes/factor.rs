//! Sums of products and of contractions: a shared operand is taken out, contractions with weights of their own become
//! one over joined operands. One direction only: nothing here multiplies out.

use std::collections::BTreeMap;

use egg::Id;
use egret_ir::Dim;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::types::TensorType;

use super::sums::Chains;
use super::{Found, Here, Term, tensor_of};
use crate::engine::egraph::EGraph;

/// E-nodes of an operand that are looked at.
const MAX_WAYS: usize = 4;

/// Contractions that become one at most.
pub(super) const MAX_JOINED: usize = 8;

/// Monomials of a term at most.
const MAX_MONOMIALS: usize = 64;

/// The operands of a sum by what they have in common: for each key the positions, with the e-node that has it there.
type Shared<K> = BTreeMap<K, BTreeMap<usize, Id>>;

/// Every sum with its operands; `ways` names what an operand's e-nodes offer.
fn sums<K: Ord>(
    here: &Here<'_>,
    kind: &str,
    ways: impl Fn(Id) -> Vec<K>,
    mut each: impl FnMut(&super::sums::Chain, Shared<K>),
) {
    let mut chains = Chains::new(here, Scalar::Add, false);
    for class in here.classes_with("map", |op| *op == Op::Map(Scalar::Add)) {
        let Some(node) = here.map(class, Scalar::Add) else { continue };
        let chain = chains.of_node(node);
        let mut shared: Shared<K> = Shared::new();
        for (i, operand) in chain.operands.iter().enumerate().filter(|(_, o)| !here.constant(**o)) {
            let nodes = here.nodes(*operand).iter().filter(|n| here.op(**n).kind() == kind).take(MAX_WAYS);
            for n in nodes {
                for key in ways(*n) {
                    shared.entry(key).or_default().entry(i).or_insert(*n);
                }
            }
        }
        each(&chain, shared);
    }
}

/// The step that replaces some operands of a sum: on the left they are the given e-nodes, on the right `replacement`.
fn replace(here: &Here<'_>, chain: &super::sums::Chain, taken: &BTreeMap<usize, Id>, replacement: Term) -> Found {
    let mut nodes: BTreeMap<Id, Vec<Term>> = BTreeMap::new();
    for (i, n) in taken {
        nodes.entry(chain.operands[*i]).or_default().push(here.term(*n));
    }
    let rest = chain.operands.iter().enumerate().filter(|(i, _)| !taken.contains_key(i)).map(|(_, o)| Term::Leaf(*o));
    let right = Term::chain(Scalar::Add, rest.chain([replacement.clone()])).unwrap_or(replacement);
    Found { left: expand(&chain.term, &mut nodes), right }
}

/// A term with leaves replaced, each replacement used once.
fn expand(term: &Term, nodes: &mut BTreeMap<Id, Vec<Term>>) -> Term {
    match term {
        Term::Leaf(id) => nodes.get_mut(id).and_then(Vec::pop).unwrap_or(Term::Leaf(*id)),
        Term::Node(n) => {
            let args = n.args.iter().map(|a| expand(a, nodes)).collect();
            Term::Node(Box::new(super::Applied { op: n.op.clone(), args, id: n.id }))
        }
    }
}

/// `p·x + p·y + z = p·(x + y) + z`, for the factor that most operands have.
pub(super) fn factor_sums(here: &Here<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let factors = |n: Id| match here.op(n) {
        Op::Map(Scalar::Mul) => here.args(n),
        _ => Vec::new(),
    };
    sums(here, "map", factors, |chain, shared| {
        let most = shared.iter().filter(|(_, at)| at.len() > 1);
        let Some((p, taken)) = most.max_by_key(|(p, at)| (at.len(), std::cmp::Reverse(here.age(**p)))) else { return };
        let other = |n: &Id| {
            let args = here.args(*n);
            Term::Leaf(if args[0] == *p { args[1] } else { args[0] })
        };
        let Some(sum) = Term::chain(Scalar::Add, taken.values().map(other)) else { return };
        let product = Term::new(Op::Map(Scalar::Mul), vec![Term::Leaf(*p), sum]);
        found.push(replace(here, chain, taken, product));
    });
    found
}

/// Whether two terms are equal as polynomials in their leaves.
pub(super) fn same_polynomial(_: &EGraph, left: &Term, right: &Term) -> bool {
    let sorted = |t: &Term| {
        let mut monomials = polynomial(t)?;
        monomials.sort();
        Some(monomials)
    };
    let left = sorted(left);
    left.is_some() && left == sorted(right)
}

/// The monomials of a term, each a sorted list of leaves.
fn polynomial(term: &Term) -> Option<Vec<Vec<Id>>> {
    let n = match term {
        Term::Leaf(id) => return Some(vec![vec![*id]]),
        Term::Node(n) => n,
    };
    let [a, b] = n.args.as_slice() else { return None };
    let out = match n.op {
        Op::Map(Scalar::Add) => [polynomial(a)?, polynomial(b)?].concat(),
        Op::Map(Scalar::Mul) => {
            let (a, b) = (polynomial(a)?, polynomial(b)?);
            let product = |x: &Vec<Id>, y: &Vec<Id>| {
                let mut both = [x.as_slice(), y.as_slice()].concat();
                both.sort_unstable();
                both
            };
            a.iter().flat_map(|x| b.iter().map(move |y| product(x, y))).collect()
        }
        _ => return None,
    };
    (out.len() <= MAX_MONOMIALS).then_some(out)
}

/// Whether products of sums of that operand are sums of products: its sums wrap where the accumulator does, or round.
fn distributes(op: &Op, summed: &TensorType) -> bool {
    matches!(op, Op::Contract { acc, out, .. } if acc == out && (summed.dtype.is_float() || summed.dtype == *acc))
}

/// `A·B + A·C + z = A·(B + C) + z`: one contraction less for an elementwise sum, or for none where B and C are constants.
pub(super) fn factor_contractions(here: &Here<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let operands = |n: Id| {
        let args = here.args(n);
        let side = |s: usize| {
            let summed = here.tensor(args[1 - s])?;
            let fits = distributes(here.op(n), summed) && (here.constant(args[1 - s]) || !here.constant(args[s]));
            fits.then(|| (here.op(n).clone(), s, args[s], summed.shape.clone()))
        };
        (0..2).filter_map(side).collect::<Vec<_>>()
    };
    sums(here, "contract", operands, |chain, shared| {
        let most = shared.iter().filter(|(_, at)| at.len() > 1);
        let most = most.max_by_key(|((_, s, a, _), at)| (at.len(), std::cmp::Reverse((here.age(*a), *s))));
        let Some(((op, s, a, _), taken)) = most else { return };
        let others = taken.values().map(|n| Term::Leaf(here.args(*n)[1 - s]));
        let Some(sum) = Term::chain(Scalar::Add, others) else { return };
        let args = if *s == 0 { vec![Term::Leaf(*a), sum] } else { vec![sum, Term::Leaf(*a)] };
        found.push(replace(here, chain, taken, Term::new(op.clone(), args)));
    });
    found
}

/// The folded label over which operands can be joined: a whole axis of both, once.
fn joined_label(spec: &Spec) -> Option<Label> {
    let once = |k: usize, l: Label| {
        spec.axis_of(k, l).is_some() && spec.ins()[k].iter().filter(|ix| mentions(ix, l)).count() == 1
    };
    spec.folded().find(|l| (0..2).all(|k| once(k, *l)) && spec.ext().iter().all(|(e, _)| e != l))
}

pub(super) fn mentions(ix: &Ix, l: Label) -> bool {
    match ix {
        Ix::Label(k) => *k == l,
        Ix::Window(w) => w.out == l || w.tap == l,
    }
}

/// The shape without one axis.
pub(super) fn without(shape: &[Dim], axis: usize) -> Vec<Dim> {
    shape.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, d)| d.clone()).collect()
}

/// Whether a class has a Concat along an axis: a weight that some pass joined there already. Joined once more, it would
/// be regrouped for ever.
pub(super) fn is_joined(here: &Here<'_>, class: Id, axis: usize) -> bool {
    here.nodes(class).iter().any(|n| *here.op(*n) == Op::Concat(axis as u8))
}

/// `a·W + b·V + z = [a b]·[W; V] + z` for constant weights.
pub(super) fn join_contractions(here: &Here<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let kinds = |n: Id| {
        let Op::Contract { spec, acc, out } = here.op(n) else { return Vec::new() };
        let args = here.args(n);
        let key = || {
            let side = (0..2).find(|s| here.constant(args[*s]))?;
            let (l, weight) = (joined_label(spec)?, args[side]);
            if acc != out || here.constant(args[1 - side]) || is_joined(here, weight, spec.axis_of(side, l)?) {
                return None;
            }
            let part = |k: usize| {
                Some((here.tensor(args[k])?.dtype, without(&here.tensor(args[k])?.shape, spec.axis_of(k, l)?)))
            };
            Some((here.op(n).clone(), side, part(0)?, part(1)?))
        };
        key().into_iter().collect()
    };
    sums(here, "contract", kinds, |chain, shared| {
        let most = shared.into_iter().filter(|(_, at)| at.len() > 1).max_by_key(|(_, at)| at.len());
        let Some(((op, ..), mut taken)) = most else { return };
        while taken.len() > MAX_JOINED {
            taken.pop_last();
        }
        let Op::Contract { spec, .. } = &op else { return };
        let Some(l) = joined_label(spec) else { return };
        let operand = |k: usize| {
            let parts = taken.values().map(|n| Term::Leaf(here.args(*n)[k])).collect();
            Some(Term::new(Op::Concat(spec.axis_of(k, l)? as u8), parts))
        };
        if let (Some(a), Some(b)) = (operand(0), operand(1)) {
            found.push(replace(here, chain, &taken, Term::new(op.clone(), vec![a, b])));
        }
    });
    found
}

/// An operand of a sum: a leaf, or a contraction of two leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Leaf(Id),
    Product(Op, Id, Id),
}

/// Whether two terms are equal sums of contractions, sums and joined operands multiplied out.
pub(super) fn same_products(egraph: &EGraph, left: &Term, right: &Term) -> bool {
    let sorted = |t: &Term| {
        let mut out = Vec::new();
        parts(egraph, t, &mut out).then(|| {
            out.sort();
            out
        })
    };
    let left = sorted(left);
    left.is_some() && left == sorted(right)
}

fn parts(egraph: &EGraph, term: &Term, out: &mut Vec<Part>) -> bool {
    let n = match term {
        Term::Leaf(id) => {
            out.push(Part::Leaf(*id));
            return true;
        }
        Term::Node(n) => n,
    };
    match (&n.op, n.args.as_slice()) {
        (Op::Map(Scalar::Add), [a, b]) => parts(egraph, a, out) && parts(egraph, b, out),
        (Op::Contract { spec, .. }, [a, b]) => products(egraph, &n.op, spec, a, b, out),
        _ => false,
    }
}

/// Multiplies a contraction out.
fn products(egraph: &EGraph, op: &Op, spec: &Spec, a: &Term, b: &Term, out: &mut Vec<Part>) -> bool {
    if out.len() > MAX_MONOMIALS {
        return false;
    }
    if let (Term::Leaf(x), Term::Leaf(y)) = (a, b) {
        out.push(Part::Product(op.clone(), *x, *y));
        return true;
    }
    for (one, other, swapped) in [(a, b, false), (b, a, true)] {
        let Some(n) = one.node().filter(|n| n.op == Op::Map(Scalar::Add)) else { continue };
        let sums = tensor_of(egraph, one).is_some_and(|t| distributes(op, &t));
        return sums
            && n.args.iter().all(|x| {
                let (x, y) = if swapped { (other, x) } else { (x, other) };
                products(egraph, op, spec, x, y, out)
            });
    }
    let (Some(x), Some(y)) = (a.node(), b.node()) else { return false };
    let (Op::Concat(i), Op::Concat(j)) = (&x.op, &y.op) else { return false };
    let (i, j) = (usize::from(*i), usize::from(*j));
    let same_label = joined_label(spec).is_some_and(|l| (spec.axis_of(0, l), spec.axis_of(1, l)) == (Some(i), Some(j)));
    let extent = |t: &Term, axis: usize| tensor_of(egraph, t).map(|t| t.shape[axis].clone());
    let sums = matches!(op, Op::Contract { acc, out, .. } if acc == out);
    sums && same_label
        && x.args.len() == y.args.len()
        && x.args.iter().zip(&y.args).all(|(p, q)| {
            extent(p, i).is_some_and(|d| Some(d) == extent(q, j)) && products(egraph, op, spec, p, q, out)
        })
}
