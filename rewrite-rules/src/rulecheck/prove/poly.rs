//! Sums of products of terms with rational coefficients.

use std::collections::BTreeMap;

use egret_ir::{DType, Literal};

use super::term::{Product, Term};

/// Coefficient (numerator, positive denominator) by factors with their powers.
pub(super) type Poly = BTreeMap<Vec<(Term, i32)>, (i128, i128)>;

/// More products are not expanded.
const MOST_PRODUCTS: usize = 400;

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs().max(1) } else { gcd(b, a % b) }
}

fn reduced(n: i128, d: i128) -> (i128, i128) {
    let g = gcd(n, d) * d.signum();
    (n / g, d / g)
}

pub(super) fn number(n: i128, d: i128) -> Option<Poly> {
    (d != 0).then(|| if n == 0 { Poly::new() } else { BTreeMap::from([(Vec::new(), reduced(n, d))]) })
}

/// A finite number as numerator and denominator.
pub(in crate::rulecheck) fn rational(l: Literal) -> Option<(i128, i128)> {
    if !l.dtype().is_float() {
        return Some((i128::from(l.to_i64()), 1));
    }
    let x = l.to_f64();
    let mut denominator: i128 = 1;
    let mut scaled = x;
    while scaled.fract() != 0.0 && denominator < 1 << 80 {
        scaled *= 2.0;
        denominator *= 2;
    }
    (scaled.is_finite() && scaled.fract() == 0.0 && scaled.abs() < 1e30).then(|| reduced(scaled as i128, denominator))
}

pub(super) fn to_poly(t: &Term) -> Poly {
    match t {
        Term::Sum(_, products) => products.iter().map(|p| (p.factors.clone(), (p.numerator, p.denominator))).collect(),
        Term::Literal(l) if l.dtype() != DType::Bool => match rational(*l) {
            Some((0, _)) => Poly::new(),
            Some(r) => BTreeMap::from([(Vec::new(), r)]),
            None => BTreeMap::from([(vec![(t.clone(), 1)], (1, 1))]),
        },
        other => BTreeMap::from([(vec![(other.clone(), 1)], (1, 1))]),
    }
}

pub(super) fn from_poly(p: &Poly, dtype: DType) -> Term {
    if let [(factors, (1, 1))] = p.iter().collect::<Vec<_>>()[..]
        && let [(only, 1)] = factors.as_slice()
    {
        return only.clone();
    }
    let product = |(factors, (n, d)): (&Vec<(Term, i32)>, &(i128, i128))| Product {
        factors: factors.clone(),
        numerator: *n,
        denominator: *d,
    };
    Term::Sum(dtype, p.iter().map(product).collect())
}

pub(super) fn plus(a: &Poly, b: &Poly) -> Option<Poly> {
    let mut out = a.clone();
    for (factors, (n, d)) in b {
        let (m, e) = out.get(factors).copied().unwrap_or((0, 1));
        let sum = m.checked_mul(*d)?.checked_add(n.checked_mul(e)?)?;
        if sum == 0 {
            out.remove(factors);
        } else {
            out.insert(factors.clone(), reduced(sum, d.checked_mul(e)?));
        }
    }
    Some(out)
}

pub(super) fn sorted(factors: Vec<(Term, i32)>) -> Vec<(Term, i32)> {
    let mut powers: BTreeMap<Term, i32> = BTreeMap::new();
    for (t, n) in factors {
        *powers.entry(t).or_insert(0) += n;
    }
    powers.into_iter().filter(|(_, n)| *n != 0).collect()
}

pub(super) fn times(a: &Poly, b: &Poly) -> Option<Poly> {
    if a.len() * b.len() > MOST_PRODUCTS {
        return None;
    }
    let mut out = Poly::new();
    for (f, (n, d)) in a {
        for (g, (m, e)) in b {
            let factors = sorted(f.iter().chain(g).cloned().collect());
            let c = reduced(n.checked_mul(*m)?, d.checked_mul(*e)?);
            out = plus(&out, &BTreeMap::from([(factors, c)]))?;
        }
    }
    Some(out)
}

/// 1/p: of one product factor by factor, of a sum as a factor of its own with leading coefficient 1.
pub(super) fn inverse(p: &Poly, dtype: DType) -> Option<Poly> {
    let (first, (n, d)) = p.iter().next()?;
    if p.len() == 1 {
        return Some(BTreeMap::from([(first.iter().map(|(t, k)| (t.clone(), -k)).collect(), reduced(*d, *n))]));
    }
    let scale = number(*d, *n)?;
    let unit = from_poly(&times(p, &scale)?, dtype);
    times(&BTreeMap::from([(vec![(unit, -1)], (1, 1))]), &scale)
}
