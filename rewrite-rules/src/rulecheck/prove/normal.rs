//! Normal forms of terms: two terms with one normal form are equal, by the laws listed here and no others.
//!
//! - Integers, and every type where a rule keeps real values only (`reassociates`, `finite`): the commutative ring of
//!   polynomials, for floats with quotients; sums distribute over products, nested sums are one, what does not depend on a
//!   summed variable leaves the sum, and summed variables are taken in the order that makes the term least (the einsum
//!   normal form). Conversions between float types are the identity there, sigmoid is its definition, e^(x+y) = e^x·e^y,
//!   and the larger of two is the one selected by a comparison.
//! - Floats bit for bit (`exact`): x − y = x + (−y); signs leave products, quotients, conversions and sums, whose rounding
//!   is symmetric; x·1 = x/1 = x + (−0.0) = x; the bit-exact laws of the scalar rows (commutative, idempotent, involution,
//!   projection, odd).
//! - Everywhere: folds of folds of max, min, and, or are one; the largest of negatives of floats is the negative of the
//!   smallest; a fold over nothing is its neutral value; a choice that no folded variable decides leaves the fold; cells that are neutral are skipped; select with equal ways,
//!   with a negated condition, and with a known one; choices by index leave functions and are taken in one order; max
//!   distributes over min; a sum, max, min, and, or whose terms are chosen by position is that of its parts.

use std::collections::BTreeMap;

use egret_ir::op::Monoid;
use egret_ir::op::scalar::{Law, Scalar};
use egret_ir::{DType, Dim, Literal};

use super::names::{apart, cond_mentions, dim_mentions, least, map_cond, map_dims, mentions, named};
use super::poly::{Poly, from_poly, inverse, number, plus, sorted, times, to_poly};
use super::term::{Cond, Fold, Term};
use crate::lang::conditions::contains;

/// Which laws hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laws {
    /// Bits are kept.
    Bits,
    /// Real values are kept.
    Reals,
}

impl Laws {
    /// The normal form; None where numbers outgrow it.
    pub fn normal(self, t: &Term) -> Option<Term> {
        match t {
            Term::Literal(l) if self.is_ring(l.dtype()) => Some(from_poly(&to_poly(t), self.label(l.dtype()))),
            Term::Literal(_) | Term::Index(..) | Term::Read(..) => Some(t.clone()),
            Term::Sum(dtype, products) => {
                let mut sum = Poly::new();
                for p in products {
                    let mut product = number(p.numerator, p.denominator)?;
                    for (factor, power) in &p.factors {
                        let factor = to_poly(&self.normal(factor)?);
                        let factor = if *power < 0 { inverse(&factor, *dtype)? } else { factor };
                        for _ in 0..power.unsigned_abs() {
                            product = times(&product, &factor)?;
                        }
                    }
                    sum = plus(&sum, &product)?;
                }
                Some(from_poly(&sum, *dtype))
            }
            Term::Select(conds, then, other) => Some(select(conds.clone(), self.normal(then)?, self.normal(other)?)),
            Term::Apply(f, args) => {
                let args: Vec<Term> = args.iter().map(|a| self.normal(a)).collect::<Option<_>>()?;
                self.apply(*f, args)
            }
            Term::Fold(f) => {
                let body = self.normal(&f.body)?;
                self.fold(Fold { body, ..(**f).clone() })
            }
        }
    }

    /// Whether arithmetic of that type is that of a ring.
    fn is_ring(self, dtype: DType) -> bool {
        dtype.is_int() || (self == Self::Reals && dtype.is_float())
    }

    /// The type that sums of it are labelled with: over the reals all floats are one.
    fn label(self, dtype: DType) -> DType {
        if self == Self::Reals && dtype.is_float() { DType::F64 } else { dtype }
    }

    fn apply(self, f: Scalar, args: Vec<Term>) -> Option<Term> {
        // A choice by index is made before the function.
        if let Some(Term::Select(conds, ..)) = args.iter().find(|a| matches!(a, Term::Select(..))) {
            let conds = conds.clone();
            let way = |yes: bool| {
                let pick = |a: &Term| match a {
                    Term::Select(c, then, other) if *c == conds => (if yes { then } else { other }).as_ref().clone(),
                    other => other.clone(),
                };
                self.apply(f, args.iter().map(pick).collect())
            };
            return Some(select(conds.clone(), way(true)?, way(false)?));
        }
        let Some(dtype) = args.iter().find_map(Term::dtype) else { return Some(Term::Apply(f, args)) };
        if let (Scalar::Cast(to), [x]) = (f, args.as_slice()) {
            let same = to == dtype || (self == Self::Reals && to.is_float() && dtype.is_float());
            if let (false, Some(positive)) = (same, negated(x))
                && to.is_float()
                && dtype.is_float()
            {
                return self.apply(Scalar::Neg, vec![self.apply(f, vec![positive])?]);
            }
            // Widened and back.
            if let Term::Apply(Scalar::Cast(wide), inner) = x
                && inner[0].dtype() == Some(to)
                && contains(*wide, to)
            {
                return inner.first().cloned();
            }
            return Some(if same { x.clone() } else { Term::Apply(f, args) });
        }
        if self.is_ring(dtype)
            && let Some(p) = self.ring(f, &args, dtype)?
        {
            return Some(from_poly(&p, self.label(dtype)));
        }
        self.lawful(f, args, dtype)
    }

    /// The polynomial of a ring operation; Some(None) for any other row.
    #[expect(clippy::option_option, reason = "outgrown, no ring operation, or a polynomial")]
    fn ring(self, f: Scalar, args: &[Term], dtype: DType) -> Option<Option<Poly>> {
        let float = dtype.is_float();
        let p = |i: usize| to_poly(&args[i]);
        let minus = number(-1, 1)?;
        Some(Some(match f {
            Scalar::Add => plus(&p(0), &p(1))?,
            Scalar::Sub => plus(&p(0), &times(&p(1), &minus)?)?,
            Scalar::Neg => times(&p(0), &minus)?,
            Scalar::Mul => times(&p(0), &p(1))?,
            Scalar::Div if float => times(&p(0), &inverse(&p(1), self.label(dtype))?)?,
            Scalar::Sigmoid if float => {
                let exp = self.apply(Scalar::Exp, vec![from_poly(&times(&p(0), &minus)?, self.label(dtype))])?;
                inverse(&plus(&number(1, 1)?, &to_poly(&exp))?, self.label(dtype))?
            }
            Scalar::Exp if float => {
                let mut product = number(1, 1)?;
                for (factors, (n, d)) in p(0) {
                    let whole = d == 1 && n.abs() <= 8;
                    let inner = BTreeMap::from([(factors, if whole { (1, 1) } else { (n, d) })]);
                    let exp = to_poly(&Term::Apply(Scalar::Exp, vec![from_poly(&inner, self.label(dtype))]));
                    let exp = if whole && n < 0 { inverse(&exp, self.label(dtype))? } else { exp };
                    for _ in 0..if whole { n.abs() } else { 1 } {
                        product = times(&product, &exp)?;
                    }
                }
                product
            }
            Scalar::Pow => {
                let Some(exponent) = literal_of(&args[1]) else { return Some(None) };
                if float && (exponent == 0.5 || exponent == -0.5) {
                    let root = to_poly(&self.apply(Scalar::Sqrt, vec![args[0].clone()])?);
                    return Some(Some(if exponent < 0.0 { inverse(&root, self.label(dtype))? } else { root }));
                }
                if exponent.fract() != 0.0 || exponent.abs() > 8.0 || (exponent < 0.0 && !float) {
                    return Some(None);
                }
                let base = if exponent < 0.0 { inverse(&p(0), self.label(dtype))? } else { p(0) };
                let mut power = number(1, 1)?;
                for _ in 0..exponent.abs() as u32 {
                    power = times(&power, &base)?;
                }
                power
            }
            Scalar::Log if float => {
                let x = p(0);
                if x == number(1, 1)? {
                    return Some(Some(Poly::new()));
                }
                let [(factors, (1, 1))] = x.iter().collect::<Vec<_>>()[..] else { return Some(None) };
                if factors.is_empty() || !matches!(factors[0].0, Term::Apply(Scalar::Exp, _)) && factors.len() == 1 {
                    return Some(None);
                }
                let mut sum = Poly::new();
                for (factor, power) in factors {
                    let log = match factor {
                        Term::Apply(Scalar::Exp, inner) => inner[0].clone(),
                        other => Term::Apply(Scalar::Log, vec![other.clone()]),
                    };
                    sum = plus(&sum, &times(&to_poly(&log), &number(i128::from(*power), 1)?)?)?;
                }
                sum
            }
            _ => return Some(None),
        }))
    }

    /// Rows by the laws of their table, and signs.
    fn lawful(self, f: Scalar, mut args: Vec<Term>, dtype: DType) -> Option<Term> {
        let neg = |t: Term| self.apply(Scalar::Neg, vec![t]);
        match (f, args.as_slice()) {
            (Scalar::Sub, [x, y]) => return self.apply(Scalar::Add, vec![x.clone(), neg(y.clone())?]),
            (Scalar::Neg, [Term::Literal(l)]) if l.dtype().is_float() => {
                return Some(Term::Literal(Literal::from_f64(l.dtype(), -l.to_f64())));
            }
            (Scalar::Add, [x, Term::Literal(l)] | [Term::Literal(l), x])
                if l.to_f64() == 0.0 && l.to_f64().is_sign_negative() =>
            {
                return Some(x.clone());
            }
            (Scalar::Mul, [x, Term::Literal(l)] | [Term::Literal(l), x]) if l.to_f64().abs() == 1.0 => {
                return if l.to_f64() < 0.0 { neg(x.clone()) } else { Some(x.clone()) };
            }
            (Scalar::Div, [x, one]) if literal_of(one) == Some(1.0) => return Some(x.clone()),
            (Scalar::Pow, [x, one]) if literal_of(one) == Some(1.0) => return Some(x.clone()),
            (Scalar::Mul | Scalar::Div, [x, y])
                if dtype.is_float() && (negated(x).is_some() || negated(y).is_some()) =>
            {
                let odd = negated(x).is_some() != negated(y).is_some();
                let plain = |t: &Term| negated(t).unwrap_or_else(|| t.clone());
                let product = self.apply(f, vec![plain(x), plain(y)])?;
                return if odd { neg(product) } else { Some(product) };
            }
            (Scalar::Abs, [x]) if negated(x).is_some() => return self.apply(f, vec![negated(x)?]),
            (Scalar::Max, [a, Term::Apply(Scalar::Min, inner)] | [Term::Apply(Scalar::Min, inner), a])
                if inner.len() == 2 && literal_of(a).is_some() =>
            {
                let bound = inner.iter().position(|b| literal_of(b).is_some_and(|b| Some(b) >= literal_of(a)));
                if let Some(i) = bound {
                    let lower = self.apply(Scalar::Max, vec![a.clone(), inner[1 - i].clone()])?;
                    return self.apply(Scalar::Min, vec![inner[i].clone(), lower]);
                }
            }
            (Scalar::Select, [Term::Apply(Scalar::Lt | Scalar::Le, pair), x, y])
                if self == Self::Reals && pair.len() == 2 && pair[0] == *y && pair[1] == *x =>
            {
                return self.apply(Scalar::Max, vec![x.clone(), y.clone()]);
            }
            (Scalar::Max | Scalar::Min, [x, Term::Literal(l)] | [Term::Literal(l), x])
                if dtype.is_float()
                    && l.to_f64() == if f == Scalar::Max { f64::NEG_INFINITY } else { f64::INFINITY } =>
            {
                return Some(x.clone());
            }
            (Scalar::And, [x, Term::Literal(l)] | [Term::Literal(l), x]) if dtype == DType::Bool => {
                return Some(if l.bits() == 1 { x.clone() } else { Term::Literal(Literal::bool(false)) });
            }
            (Scalar::Or, [x, zero] | [zero, x]) if literal_of(zero) == Some(0.0) => return Some(x.clone()),
            (Scalar::Select, [c, x, y]) => match c {
                _ if x == y => return Some(x.clone()),
                Term::Literal(l) => return Some(if l.bits() == 1 { x.clone() } else { y.clone() }),
                Term::Apply(Scalar::Not, inner) => {
                    return self.apply(f, vec![inner[0].clone(), y.clone(), x.clone()]);
                }
                _ => {}
            },
            (_, [Term::Apply(g, inner)]) if *g == f && f.has(Law::Involution) => return Some(inner[0].clone()),
            (_, [x @ Term::Apply(g, _)]) if *g == f && f.has(Law::Projection) => return Some(x.clone()),
            (_, [x]) if f.has(Law::Odd) && f != Scalar::Neg && negated(x).is_some() => {
                return neg(self.apply(f, vec![negated(x)?])?);
            }
            _ => {}
        }
        if f.is_associative_on(dtype) {
            args = args
                .into_iter()
                .flat_map(|a| match a {
                    Term::Apply(g, inner) if g == f => inner,
                    other => vec![other],
                })
                .collect();
        }
        if f.has(Law::Commutative) {
            args.sort();
        }
        if f.has(Law::Idempotent) {
            args.dedup();
            if let [only] = args.as_slice() {
                return Some(only.clone());
            }
        }
        Some(Term::Apply(f, args))
    }

    fn fold(self, mut f: Fold) -> Option<Term> {
        // Cells that are neutral are skipped.
        while let Term::Select(conds, then, other) = &f.body {
            let Term::Literal(l) = **other else { break };
            if !neutral(f.monoid, l) {
                break;
            }
            f.guards.extend(conds.iter().cloned());
            f.body = (**then).clone();
        }
        f.guards = needed(f.guards);
        if f.vars.iter().any(|(_, extent)| *extent == Dim::ZERO)
            && let Some(nothing) = over_nothing(f.monoid, f.acc)
        {
            return self.normal(&Term::Literal(nothing));
        }
        if let Term::Select(conds, a, b) = &f.body
            && !f.vars.iter().any(|(v, _)| conds.iter().any(|c| cond_mentions(c, v)))
        {
            let way = |body: &Term| self.fold(Fold { body: body.clone(), ..f.clone() });
            return Some(select(conds.clone(), way(a)?, way(b)?));
        }
        if f.monoid == Monoid::Sum && self.is_ring(f.acc) {
            return match parts(&f) {
                Some((low, high)) => {
                    let (low, high) = (to_poly(&self.fold(low)?), to_poly(&self.fold(high)?));
                    Some(from_poly(&plus(&low, &high)?, self.label(f.acc)))
                }
                None => self.sum(&f),
            };
        }
        if f.monoid == Monoid::Sum
            && let Term::Apply(Scalar::Neg, inner) = &f.body
        {
            let body = inner[0].clone();
            return self.apply(Scalar::Neg, vec![self.fold(Fold { body, ..f })?]);
        }
        if let Some((row, turned)) = lattice(f.monoid) {
            if let Some((low, high)) = parts(&f) {
                return self.apply(row, vec![self.fold(low)?, self.fold(high)?]);
            }
            if let (Some(monoid), Some(positive), true) = (turned, negated(&f.body), f.acc.is_float())
                && f.body.dtype().is_some_and(DType::is_float)
                // The order of several products depends on the names of folded variables.
                && !matches!(&f.body, Term::Sum(_, products) if products.len() > 1)
            {
                return self.apply(Scalar::Neg, vec![self.fold(Fold { monoid, body: positive, ..f })?]);
            }
        }
        if matches!(f.monoid, Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or)
            || (f.monoid == Monoid::Prod && self.is_ring(f.acc))
        {
            if let Term::Fold(inner) = &f.body
                && inner.monoid == f.monoid
            {
                let inner = apart((**inner).clone(), &f);
                f.vars.extend(inner.vars);
                f.guards.extend(inner.guards);
                f.guards = needed(f.guards);
                f.body = inner.body;
            }
            return Some(least(f));
        }
        Some(named(f))
    }

    /// A sum as a polynomial of sums of products.
    fn sum(self, f: &Fold) -> Option<Term> {
        let label = self.label(f.acc);
        let mut total = Poly::new();
        for (factors, (numerator, denominator)) in to_poly(&f.body) {
            let mut fold = Fold { acc: label, body: Term::Literal(Literal::from_i64(label, 1)), ..f.clone() };
            let (mut inside, mut outside) = (Vec::new(), Vec::new());
            let mut todo = factors;
            while let Some((factor, power)) = todo.pop() {
                match factor {
                    Term::Fold(inner) if inner.monoid == Monoid::Sum && power == 1 => {
                        let inner = apart(*inner, &fold);
                        fold.vars.extend(inner.vars);
                        fold.guards.extend(inner.guards);
                        let products = to_poly(&inner.body);
                        // A sum in normal form has one product.
                        let (factors, (1, 1)) = products.into_iter().next()? else { return None };
                        todo.extend(factors);
                    }
                    Term::Select(conds, then, other) if power == 1 && literal_of(&other) == Some(0.0) => {
                        fold.guards.extend(conds);
                        let products: Vec<_> = to_poly(&then).into_iter().collect();
                        let [(factors, (1, 1))] = products.as_slice() else { return None };
                        todo.extend(factors.iter().cloned());
                    }
                    other => inside.push((other, power)),
                }
            }
            fold.guards = needed(fold.guards);
            inside.retain(|(t, n)| {
                let stays = fold.vars.iter().any(|(v, _)| mentions(t, v));
                if !stays {
                    outside.push((t.clone(), *n));
                }
                stays
            });
            let mut size = Dim::ONE;
            fold.vars.retain(|(v, extent)| {
                let guarded = fold.guards.iter().any(|c| cond_mentions(c, v));
                let stays = guarded || inside.iter().any(|(t, _)| mentions(t, v));
                if !stays {
                    size = size.clone() * extent.clone();
                }
                stays
            });
            let mut product: Poly = BTreeMap::from([(sorted(outside), (numerator, denominator))]);
            match size.as_const() {
                Some(n) => product = times(&product, &number(i128::from(n), 1)?)?,
                None => product = times(&product, &to_poly(&Term::Index(size, label)))?,
            }
            if !(inside.is_empty() && fold.vars.is_empty() && fold.guards.is_empty()) {
                fold.body = from_poly(&BTreeMap::from([(sorted(inside), (1, 1))]), label);
                product = times(&product, &to_poly(&least(fold)))?;
            }
            total = plus(&total, &product)?;
        }
        Some(from_poly(&total, label))
    }
}

/// The row that a fold repeats, and the fold that it is of negatives.
fn lattice(m: Monoid) -> Option<(Scalar, Option<Monoid>)> {
    match m {
        Monoid::Max => Some((Scalar::Max, Some(Monoid::Min))),
        Monoid::Min => Some((Scalar::Min, Some(Monoid::Max))),
        Monoid::And => Some((Scalar::And, None)),
        Monoid::Or => Some((Scalar::Or, None)),
        Monoid::Sum
        | Monoid::Prod
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => None,
    }
}

/// A fold over no cells, where that is the same number for all types of its kind.
fn over_nothing(m: Monoid, acc: DType) -> Option<Literal> {
    match m {
        Monoid::Sum => Some(Literal::from_i64(acc, 0)),
        Monoid::Prod => Some(Literal::from_i64(acc, 1)),
        Monoid::Max => acc.is_float().then(|| Literal::from_f64(acc, f64::NEG_INFINITY)),
        Monoid::Min => acc.is_float().then(|| Literal::from_f64(acc, f64::INFINITY)),
        Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => None,
    }
}

/// A fold whose terms are chosen by where its variable stands, as two: below the bound, and from there on.
fn parts(f: &Fold) -> Option<(Fold, Fold)> {
    let Term::Select(conds, low, high) = &f.body else { return None };
    let [Cond::NonNegative(d)] = conds.as_slice() else { return None };
    f.vars.iter().enumerate().find_map(|(i, (v, extent))| {
        // d = bound − 1 − v.
        let bound = d.clone() + Dim::ONE + Dim::symbol(v.clone());
        let rest = extent.clone() - bound.clone();
        let fits = |d: &Dim| implies(&Cond::NonNegative(Dim::ZERO), &Cond::NonNegative(d.clone()));
        if dim_mentions(&bound, v) || !fits(&bound) || !fits(&rest) {
            return None;
        }
        let moved = |d: &Dim| d.substitute(&|s| (s == v).then(|| Dim::symbol(v.clone()) + bound.clone()));
        let part = |extent: Dim, body: Term, guards: Vec<Cond>| {
            let mut vars = f.vars.clone();
            vars[i].1 = extent;
            Fold { vars, guards, body, ..f.clone() }
        };
        let above = f.guards.iter().map(|c| map_cond(c, &moved)).collect();
        let low = part(bound.clone(), (**low).clone(), f.guards.clone());
        Some((low, part(rest, map_dims(high, &moved), above)))
    })
}

/// The term that this one is the negative of, where it shows.
fn negated(t: &Term) -> Option<Term> {
    match t {
        Term::Apply(Scalar::Neg, x) => x.first().cloned(),
        Term::Literal(l) if l.dtype().is_float() && l.to_f64().is_sign_negative() && !l.to_f64().is_nan() => {
            Some(Term::Literal(Literal::from_f64(l.dtype(), -l.to_f64())))
        }
        Term::Sum(dtype, products) if products.first()?.numerator < 0 => {
            let minus = BTreeMap::from([(Vec::new(), (-1, 1))]);
            Some(from_poly(&times(&to_poly(t), &minus)?, *dtype)).filter(|_| !products.is_empty())
        }
        _ => None,
    }
}

/// A choice by index in its one form: nested choices with one default are one, and what decides more comes first.
fn select(conds: Vec<Cond>, then: Term, other: Term) -> Term {
    let conds = needed(conds);
    if then == other {
        return then;
    }
    match then {
        Term::Select(inner, a, b) if *b == other => select(conds.into_iter().chain(inner).collect(), *a, other),
        Term::Select(inner, a, b) if conds.iter().all(|c| inner.iter().any(|i| implies(i, c))) => {
            select(inner, *a, select(conds, *b, other))
        }
        then => Term::Select(conds, then.into(), other.into()),
    }
}

/// The conditions that no other one implies, sorted.
fn needed(mut conds: Vec<Cond>) -> Vec<Cond> {
    conds.sort();
    conds.dedup();
    let all = conds.clone();
    conds.retain(|c| !all.iter().any(|other| other != c && implies(other, c)));
    conds
}

/// Whether a condition shows another one: it asks for no less, extents and indices being ≥ 0.
fn implies(a: &Cond, b: &Cond) -> bool {
    match (a, b) {
        (Cond::NonNegative(x), Cond::NonNegative(y)) => {
            let gap = y.clone() - x.clone();
            gap.terms()
                .iter()
                .all(|(atoms, c)| *c >= 0 && atoms.iter().all(|(a, _)| matches!(a, egret_ir::dim::Atom::Sym(_))))
        }
        (Cond::NonNegative(_) | Cond::Divides(..), _) => a == b,
    }
}

/// The number that a term is.
fn literal_of(t: &Term) -> Option<f64> {
    match t {
        Term::Literal(l) => Some(l.to_f64()),
        Term::Sum(_, products) => match products.as_slice() {
            [] => Some(0.0),
            [p] if p.factors.is_empty() => Some(p.numerator as f64 / p.denominator as f64),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a fold does not notice such a cell; the sign of a zero aside.
fn neutral(m: Monoid, l: Literal) -> bool {
    let is = |x: f64| l == Literal::from_f64(l.dtype(), x);
    match m {
        Monoid::Sum => l.to_f64() == 0.0,
        Monoid::Prod => is(1.0),
        Monoid::Max | Monoid::Or => is(f64::NEG_INFINITY),
        Monoid::Min | Monoid::And => is(f64::INFINITY),
        Monoid::ArgMaxFirst | Monoid::ArgMaxLast | Monoid::ArgMinFirst | Monoid::ArgMinLast => false,
    }
}
