//! Sums and products of any number of operands: sorted multisets instead of binary associativity, whose chains of n
//! operands have 3^n forms.

use std::collections::{BTreeMap, BTreeSet};

use egg::Id;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Literal};

use super::{Found, Here, Term, tensor_of};
use crate::engine::egraph::EGraph;

/// Operands that a chain is taken apart into at most; a longer one keeps its two operands.
pub(super) const MAX_OPERANDS: usize = 16;

/// E-nodes of a class that are taken apart.
const MAX_WAYS: usize = 4;

/// A chain taken apart: its operands in order of age, and the e-nodes it stands on.
#[derive(Clone)]
pub(super) struct Chain {
    /// Classes, oldest first; equal ones as often as they stand in the chain.
    pub operands: Vec<Id>,
    /// Down to the operands.
    pub term: Term,
}

impl Chain {
    fn leaf(class: Id) -> Self {
        Self { operands: vec![class], term: Term::Leaf(class) }
    }
}

/// Takes chains of one function apart.
pub(super) struct Chains<'a> {
    here: &'a Here<'a>,
    f: Scalar,
    /// Whether a chain goes through operands that others read too.
    through_shared: bool,
    known: BTreeMap<Id, Chain>,
    open: BTreeSet<Id>,
}

impl<'a> Chains<'a> {
    pub fn new(here: &'a Here<'a>, f: Scalar, through_shared: bool) -> Self {
        Self { here, f, through_shared, known: BTreeMap::new(), open: BTreeSet::new() }
    }

    /// The chain of a class through its oldest e-node of the function.
    fn of_class(&mut self, class: Id) -> Chain {
        if let Some(known) = self.known.get(&class) {
            return known.clone();
        }
        let node = self.here.map(class, self.f).filter(|_| !self.here.constant(class));
        // A class that is part of its own chain ends it.
        let chain = match node {
            Some(node) if self.open.insert(class) => {
                let chain = self.of_node(node);
                self.open.remove(&class);
                chain
            }
            Some(_) => return Chain::leaf(class),
            None => Chain::leaf(class),
        };
        self.known.insert(class, chain.clone());
        chain
    }

    /// The chain of an e-node of the function.
    pub fn of_node(&mut self, node: Id) -> Chain {
        let here = self.here;
        let args = here.args(node);
        let only_here = |c: Id| here.readers(c).iter().all(|r| *here.op(*r) == Op::Map(self.f));
        let through: Vec<bool> = args.iter().map(|a| self.through_shared || only_here(*a)).collect();
        let mut parts: Vec<Chain> = args
            .iter()
            .zip(through)
            .map(|(a, through)| if through { self.of_class(*a) } else { Chain::leaf(*a) })
            .collect();
        if parts.iter().map(|p| p.operands.len()).sum::<usize>() > MAX_OPERANDS {
            parts = args.iter().map(|a| Chain::leaf(*a)).collect();
        }
        let mut operands: Vec<Id> = parts.iter().flat_map(|p| p.operands.iter().copied()).collect();
        operands.sort_by_key(|c| here.age(*c));
        let term = Term::on(node, Op::Map(self.f), parts.into_iter().map(|p| p.term).collect());
        Chain { operands, term }
    }
}

pub(super) fn equal_sums(here: &Here<'_>) -> Vec<Found> {
    equal_chains(here, Scalar::Add)
}

pub(super) fn equal_products(here: &Here<'_>) -> Vec<Found> {
    equal_chains(here, Scalar::Mul)
}

/// Classes with chains of equal operands, each with the oldest of them. Both sides exist: nothing is born.
fn equal_chains(here: &Here<'_>, f: Scalar) -> Vec<Found> {
    let mut chains = Chains::new(here, f, true);
    let mut groups: BTreeMap<Vec<Id>, Vec<(Id, Term)>> = BTreeMap::new();
    for class in here.classes_with("map", |op| *op == Op::Map(f)) {
        let ways: Vec<Id> = here.nodes(class).iter().copied().filter(|n| *here.op(*n) == Op::Map(f)).collect();
        for node in ways.into_iter().take(MAX_WAYS) {
            let chain = chains.of_node(node);
            let group = groups.entry(chain.operands).or_default();
            if group.iter().all(|(c, _)| *c != class) {
                group.push((class, chain.term));
            }
        }
    }
    let mut found = Vec::new();
    for group in groups.into_values() {
        let Some(((_, first), rest)) = group.split_first() else { continue };
        found.extend(rest.iter().map(|(_, term)| Found { left: term.clone(), right: first.clone() }));
    }
    found
}

pub(super) fn gather_sums(here: &Here<'_>) -> Vec<Found> {
    gather(here, Scalar::Add)
}

pub(super) fn gather_products(here: &Here<'_>) -> Vec<Found> {
    gather(here, Scalar::Mul)
}

/// Chains with several constants: those last, as one operand.
fn gather(here: &Here<'_>, f: Scalar) -> Vec<Found> {
    let mut chains = Chains::new(here, f, false);
    let mut found = Vec::new();
    for class in here.classes_with("map", |op| *op == Op::Map(f)) {
        let Some(node) = here.map(class, f) else { continue };
        let chain = chains.of_node(node);
        let (constants, rest): (Vec<Id>, Vec<Id>) = chain.operands.iter().partition(|c| here.constant(**c));
        if constants.len() < 2 {
            continue;
        }
        let parts = [rest, constants].into_iter().filter_map(|p| Term::chain(f, p.into_iter().map(Term::Leaf)));
        if let Some(right) = Term::chain(f, parts) {
            found.push(Found { left: chain.term, right });
        }
    }
    found
}

pub(super) fn same_sum(_: &EGraph, left: &Term, right: &Term) -> bool {
    same_chain(Scalar::Add, left, right)
}

pub(super) fn same_product(_: &EGraph, left: &Term, right: &Term) -> bool {
    same_chain(Scalar::Mul, left, right)
}

/// Whether two terms are chains of one function over equal multisets.
fn same_chain(f: Scalar, left: &Term, right: &Term) -> bool {
    let sorted = |t: &Term| {
        let mut out = Vec::new();
        operands(f, t, &mut out).then(|| {
            out.sort_unstable();
            out
        })
    };
    let left = sorted(left);
    left.is_some() && left == sorted(right)
}

/// The leaves of a chain; false where it holds anything but the function.
fn operands(f: Scalar, term: &Term, out: &mut Vec<Id>) -> bool {
    match term {
        Term::Leaf(id) => {
            out.push(*id);
            true
        }
        Term::Node(n) => n.op == Op::Map(f) && n.args.iter().all(|a| operands(f, a, out)),
    }
}

/// A coefficient: its value over the reals for floats, and modulo 2^64 for integers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coefficient {
    real: f64,
    whole: i64,
}

impl Coefficient {
    const ONE: Self = Self { real: 1.0, whole: 1 };
    const ZERO: Self = Self { real: 0.0, whole: 0 };

    fn of(l: Literal) -> Self {
        Self { real: l.to_f64(), whole: if l.dtype().is_float() { 0 } else { l.to_i64() } }
    }

    fn plus(self, other: Self) -> Self {
        Self { real: self.real + other.real, whole: self.whole.wrapping_add(other.whole) }
    }

    fn times(self, other: Self) -> Self {
        Self { real: self.real * other.real, whole: self.whole.wrapping_mul(other.whole) }
    }

    fn negated(self) -> Self {
        Self { real: -self.real, whole: self.whole.wrapping_neg() }
    }

    fn literal(self, dtype: DType) -> Literal {
        if dtype.is_float() { Literal::from_f64(dtype, self.real) } else { Literal::from_i64(dtype, self.whole) }
    }

    fn is(self, dtype: DType, x: i64) -> bool {
        let l = self.literal(dtype);
        if dtype.is_float() { l.to_f64() == x as f64 } else { l == Literal::from_i64(dtype, x) }
    }
}

/// A linear combination: every contribution to the coefficient of each leaf.
type Combination = BTreeMap<Id, Vec<Coefficient>>;

fn total(parts: &[Coefficient]) -> Coefficient {
    parts.iter().fold(Coefficient::ZERO, |s, c| s.plus(*c))
}

/// Whether the contributions to a leaf have one sign, are finite and not zero.
fn one_sign(parts: &[Coefficient]) -> bool {
    let sign = |c: &Coefficient| c.real.is_finite() && c.real != 0.0;
    parts.iter().all(sign) && parts.windows(2).all(|w| w[0].real.is_sign_negative() == w[1].real.is_sign_negative())
}

/// Adds `scale` times a term to a combination; false where it is none.
fn combine(egraph: &EGraph, term: &Term, scale: Coefficient, out: &mut Combination) -> bool {
    let n = match term {
        Term::Leaf(id) => {
            out.entry(*id).or_default().push(scale);
            return true;
        }
        Term::Node(n) => n,
    };
    match (&n.op, n.args.as_slice()) {
        (Op::Map(Scalar::Add), [a, b]) => combine(egraph, a, scale, out) && combine(egraph, b, scale, out),
        (Op::Map(Scalar::Sub), [a, b]) => combine(egraph, a, scale, out) && combine(egraph, b, scale.negated(), out),
        (Op::Map(Scalar::Neg), [a]) => combine(egraph, a, scale.negated(), out),
        (Op::Map(Scalar::Mul), [a, b]) => match (a.splat_of(egraph), b.splat_of(egraph)) {
            (_, Some(c)) => combine(egraph, a, scale.times(Coefficient::of(c)), out),
            (Some(c), None) => combine(egraph, b, scale.times(Coefficient::of(c)), out),
            (None, None) => false,
        },
        _ => term.splat_of(egraph).is_some_and(|l| l.to_f64() == 0.0),
    }
}

/// The terms as combinations, and their element type.
fn combinations(egraph: &EGraph, left: &Term, right: &Term) -> Option<(Combination, Combination, DType)> {
    let dtype = tensor_of(egraph, left)?.dtype;
    let (mut l, mut r) = (Combination::new(), Combination::new());
    let both = combine(egraph, left, Coefficient::ONE, &mut l) && combine(egraph, right, Coefficient::ONE, &mut r);
    both.then_some((l, r, dtype))
}

pub(super) fn same_combination(egraph: &EGraph, left: &Term, right: &Term) -> bool {
    let Some((l, r, dtype)) = combinations(egraph, left, right) else { return false };
    let coefficient = |c: &Combination, id: &Id| c.get(id).map_or(Coefficient::ZERO, |p| total(p)).literal(dtype);
    let equal = |id: &Id| {
        let (a, b) = (coefficient(&l, id), coefficient(&r, id));
        a == b || (dtype.is_float() && a.to_f64() == b.to_f64())
    };
    l.keys().chain(r.keys()).all(equal)
}

pub(super) fn same_signed_combination(egraph: &EGraph, left: &Term, right: &Term) -> bool {
    let Some((l, r, dtype)) = combinations(egraph, left, right) else { return false };
    let signed = |c: &Combination| c.values().all(|p| one_sign(p));
    (!dtype.is_float() || (signed(&l) && signed(&r))) && same_combination(egraph, left, right)
}

pub(super) fn like_terms(here: &Here<'_>) -> Vec<Found> {
    collected(here, |c, dtype| !dtype.is_float() || c.values().all(|p| one_sign(p)))
}

/// Like [`like_terms`], where coefficients of both signs meet; on integers that is no different.
pub(super) fn cancel_terms(here: &Here<'_>) -> Vec<Found> {
    collected(here, |c, dtype| dtype.is_float() && !c.values().all(|p| one_sign(p)))
}

/// Sums in which some operand stands more than once, with its coefficients added.
fn collected(here: &Here<'_>, wanted: impl Fn(&Combination, DType) -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    for class in here.classes_with("map", |op| matches!(op, Op::Map(Scalar::Add | Scalar::Sub))) {
        let first = here.nodes(class).iter().find(|n| matches!(here.op(**n), Op::Map(Scalar::Add | Scalar::Sub)));
        let (Some(node), Some(ty)) = (first, here.tensor(class)) else { continue };
        let mut left_over = MAX_OPERANDS;
        let left = linear(here, *node, &mut left_over, &mut vec![class]);
        let mut combination = Combination::new();
        if !combine(here.egraph, &left, Coefficient::ONE, &mut combination)
            || combination.values().all(|p| p.len() < 2)
            || !wanted(&combination, ty.dtype)
        {
            continue;
        }
        let mut terms: Vec<(Id, Coefficient)> = combination.iter().map(|(id, p)| (*id, total(p))).collect();
        terms.retain(|(_, c)| !c.is(ty.dtype, 0));
        terms.sort_by_key(|(id, _)| (here.constant(*id), here.age(*id)));
        let mut right: Option<Term> = None;
        for (id, c) in terms {
            let leaf = Term::Leaf(id);
            right = Some(match right {
                Some(sum) if c.is(ty.dtype, -1) => Term::new(Op::Map(Scalar::Sub), vec![sum, leaf]),
                None if c.is(ty.dtype, -1) => Term::new(Op::Map(Scalar::Neg), vec![leaf]),
                sum => {
                    let scaled = if c.is(ty.dtype, 1) {
                        leaf
                    } else {
                        Term::new(Op::Map(Scalar::Mul), vec![leaf, Term::splat(c.literal(ty.dtype), &ty.shape)])
                    };
                    match sum {
                        Some(sum) => Term::new(Op::Map(Scalar::Add), vec![sum, scaled]),
                        None => scaled,
                    }
                }
            });
        }
        let right = right.unwrap_or_else(|| Term::splat(Literal::from_i64(ty.dtype, 0), &ty.shape));
        found.push(Found { left, right });
    }
    found
}

/// An e-node as a linear combination: through sums that only linear functions read, negations and multiples.
fn linear(here: &Here<'_>, node: Id, left_over: &mut usize, open: &mut Vec<Id>) -> Term {
    let linear_map = |op: &Op| matches!(op, Op::Map(Scalar::Add | Scalar::Sub | Scalar::Neg | Scalar::Mul));
    let operand = |class: Id, left_over: &mut usize, open: &mut Vec<Id>| {
        let ways = here.nodes(class).iter().copied();
        let way = ways.filter(|n| is_linear(here, *n)).find(|n| {
            let sum = matches!(here.op(*n), Op::Map(Scalar::Add | Scalar::Sub));
            !sum || here.readers(class).iter().all(|r| linear_map(here.op(*r)))
        });
        match way {
            Some(way) if *left_over > 0 && !here.constant(class) && !open.contains(&class) => {
                *left_over -= 1;
                open.push(class);
                let term = linear(here, way, left_over, open);
                open.pop();
                term
            }
            _ => Term::Leaf(class),
        }
    };
    let scaled = matches!(here.op(node), Op::Map(Scalar::Mul));
    let args = here.args(node);
    let terms = args
        .iter()
        .map(|a| if scaled && here.splat(*a).is_some() { Term::Leaf(*a) } else { operand(*a, left_over, open) });
    Term::on(node, here.op(node).clone(), terms.collect())
}

/// Whether an e-node is a sum, a difference, a negation or a multiple.
fn is_linear(here: &Here<'_>, node: Id) -> bool {
    match here.op(node) {
        Op::Map(Scalar::Add | Scalar::Sub | Scalar::Neg) => true,
        Op::Map(Scalar::Mul) => here.args(node).iter().filter(|a| here.splat(**a).is_some()).count() == 1,
        _ => false,
    }
}
