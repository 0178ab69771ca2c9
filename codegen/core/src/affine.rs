//! Index expressions: integer combinations of axes, with floor division, modulo and indices read from data as atoms.
//! Kept canonical: equal expressions that the rules below can relate are equal values, so contiguous accesses show as such.
//!
//! The rules (⌊·⌋ is floor, extents bound every axis): divisible terms leave a division or vanish from a modulo; a small
//! remainder vanishes from a division; `a·⌊e/a⌋ + e mod a = e`; `a·(⌊e/a⌋ mod b) + e mod a = e mod ab`.

use std::sync::Arc;

use crate::value::Value;

/// An axis of iteration, by position in its stage's axis list.
pub type Axis = usize;

/// What an index expression is a combination of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// An axis.
    Axis(Axis),
    /// ⌊e / n⌋, n ≥ 2.
    Div(Box<Affine>, i64),
    /// e mod n in `0..n`, n ≥ 2.
    Mod(Box<Affine>, i64),
    /// An index computed from data, in `0..extent` (anything else traps); negative values count from the end where `wraps`.
    Data {
        /// The index value (i64).
        value: Arc<Value>,
        /// Extent of the axis it indexes.
        extent: i64,
        /// Whether negative values count from the end.
        wraps: bool,
    },
}

/// `Σ coefficient · atom + constant`, terms sorted by atom, no coefficient zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Affine {
    terms: Vec<(Atom, i64)>,
    constant: i64,
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Affine {
    /// A number.
    pub fn constant(c: i64) -> Self {
        Self { terms: Vec::new(), constant: c }
    }

    /// An axis.
    pub fn axis(a: Axis) -> Self {
        Self { terms: vec![(Atom::Axis(a), 1)], constant: 0 }
    }

    /// An atom.
    pub fn atom(a: Atom) -> Self {
        Self { terms: vec![(a, 1)], constant: 0 }
    }

    /// The terms, sorted by atom.
    pub fn terms(&self) -> &[(Atom, i64)] {
        &self.terms
    }

    /// The constant term.
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// The number, where there are no terms.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The axis, where it is one and nothing else.
    pub fn as_axis(&self) -> Option<Axis> {
        match self.terms.as_slice() {
            [(Atom::Axis(a), 1)] if self.constant == 0 => Some(*a),
            _ => None,
        }
    }

    /// Coefficient of an axis as a plain term (0 where it has none).
    pub fn coefficient(&self, axis: Axis) -> i64 {
        self.terms.iter().find(|(a, _)| *a == Atom::Axis(axis)).map_or(0, |t| t.1)
    }

    /// Whether the axis occurs inside a division, modulo or data index.
    pub fn hides(&self, axis: Axis) -> bool {
        self.terms.iter().any(|(a, _)| match a {
            Atom::Axis(_) => false,
            Atom::Div(e, _) | Atom::Mod(e, _) => e.mentions(axis),
            Atom::Data { value, .. } => value.mentions(axis),
        })
    }

    /// Whether the axis occurs at all.
    pub fn mentions(&self, axis: Axis) -> bool {
        self.coefficient(axis) != 0 || self.hides(axis)
    }

    /// Whether every term is a plain axis.
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|(a, _)| matches!(a, Atom::Axis(_)))
    }

    /// Whether any index is read from data.
    pub fn reads_data(&self) -> bool {
        self.terms.iter().any(|(a, _)| match a {
            Atom::Axis(_) => false,
            Atom::Div(e, _) | Atom::Mod(e, _) => e.reads_data(),
            Atom::Data { .. } => true,
        })
    }

    /// Sum.
    pub fn plus(&self, other: &Self) -> Self {
        let mut out = self.clone();
        out.constant += other.constant;
        for (a, c) in &other.terms {
            out.push(a.clone(), *c);
        }
        out.recombine();
        out
    }

    /// Product with a number.
    pub fn times(&self, k: i64) -> Self {
        if k == 0 {
            return Self::default();
        }
        Self { terms: self.terms.iter().map(|(a, c)| (a.clone(), c * k)).collect(), constant: self.constant * k }
    }

    fn push(&mut self, atom: Atom, c: i64) {
        match self.terms.binary_search_by(|(a, _)| a.cmp(&atom)) {
            Ok(i) => {
                self.terms[i].1 += c;
                if self.terms[i].1 == 0 {
                    self.terms.remove(i);
                }
            }
            Err(i) if c != 0 => self.terms.insert(i, (atom, c)),
            Err(_) => {}
        }
    }

    /// Puts quotients and remainders of the same expression together again.
    fn recombine(&mut self) {
        'again: loop {
            for (i, (atom, k)) in self.terms.iter().enumerate() {
                let Atom::Mod(e, a) = atom else { continue };
                for (j, (other, c)) in self.terms.iter().enumerate() {
                    let k = *k;
                    match other {
                        Atom::Div(f, b) if b == a && f == e && *c == k * a => {
                            let e = e.times(k);
                            self.terms.retain({
                                let mut n = 0;
                                move |_| {
                                    n += 1;
                                    n - 1 != i && n - 1 != j
                                }
                            });
                            *self = self.plus(&e);
                            continue 'again;
                        }
                        Atom::Mod(f, b) if *c == k * a && **f == Self::atom(Atom::Div(e.clone(), *a)) => {
                            let joined = Atom::Mod(e.clone(), a * b);
                            self.terms.retain({
                                let mut n = 0;
                                move |_| {
                                    n += 1;
                                    n - 1 != i && n - 1 != j
                                }
                            });
                            self.push(joined, k);
                            continue 'again;
                        }
                        _ => {}
                    }
                }
            }
            return;
        }
    }

    /// Smallest and largest value, given the extents of the axes.
    pub fn range(&self, extents: &[i64]) -> (i64, i64) {
        let (mut lo, mut hi) = (self.constant, self.constant);
        for (atom, c) in &self.terms {
            let (a, b) = match atom {
                Atom::Axis(x) => (0, extents.get(*x).map_or(i64::MAX >> 20, |e| (e - 1).max(0))),
                Atom::Div(e, n) => {
                    let (a, b) = e.range(extents);
                    (a.div_euclid(*n), b.div_euclid(*n))
                }
                Atom::Mod(_, n) => (0, n - 1),
                Atom::Data { extent, .. } => (0, (extent - 1).max(0)),
            };
            lo += (a * c).min(b * c);
            hi += (a * c).max(b * c);
        }
        (lo, hi)
    }

    /// Splits into `m·X + y` with `m` dividing `n` and `0 ≤ y < m`, for the largest such m found.
    fn peel(&self, n: i64, extents: &[i64]) -> (i64, Self, Self) {
        let mut sorted: Vec<&(Atom, i64)> = self.terms.iter().collect();
        sorted.sort_by_key(|(_, c)| -c.abs());
        let mut m = n;
        let mut best = (1, self.clone(), Self::default());
        for (i, (_, c)) in sorted.iter().enumerate() {
            m = gcd(m, *c);
            if m <= 1 {
                break;
            }
            let mut rest = Self::constant(self.constant.rem_euclid(m));
            for (a, c) in &sorted[i + 1..] {
                rest.push(a.clone(), *c);
            }
            let (lo, hi) = rest.range(extents);
            if lo >= 0 && hi < m && m > best.0 {
                let mut x = Self::constant(self.constant.div_euclid(m));
                for (a, c) in &sorted[..=i] {
                    x.push(a.clone(), c / m);
                }
                best = (m, x, rest);
            }
        }
        best
    }

    /// ⌊self / n⌋.
    pub fn div(&self, n: i64, extents: &[i64]) -> Self {
        if n == 1 {
            return self.clone();
        }
        // Whole multiples of n leave the division.
        let (mut whole, mut rest) =
            (Self::constant(self.constant.div_euclid(n)), Self::constant(self.constant.rem_euclid(n)));
        for (a, c) in &self.terms {
            if c % n == 0 {
                whole.push(a.clone(), c / n);
            } else {
                rest.push(a.clone(), *c);
            }
        }
        let (lo, hi) = rest.range(extents);
        if lo.div_euclid(n) == hi.div_euclid(n) {
            whole.constant += lo.div_euclid(n);
            return whole;
        }
        let (m, x, _) = rest.peel(n, extents);
        if m > 1 {
            return whole.plus(&x.div(n / m, extents));
        }
        if let [(Atom::Div(e, k), 1)] = rest.terms.as_slice()
            && rest.constant == 0
        {
            return whole.plus(&e.div(k * n, extents));
        }
        whole.plus(&Self::atom(Atom::Div(Box::new(rest), n)))
    }

    /// self mod n, in `0..n`.
    pub fn modulo(&self, n: i64, extents: &[i64]) -> Self {
        if n == 1 {
            return Self::default();
        }
        let mut rest = Self::constant(self.constant.rem_euclid(n));
        for (a, c) in &self.terms {
            if c % n != 0 {
                rest.push(a.clone(), *c);
            }
        }
        let (lo, hi) = rest.range(extents);
        if lo.div_euclid(n) == hi.div_euclid(n) {
            rest.constant -= n * lo.div_euclid(n);
            return rest;
        }
        let (m, x, y) = rest.peel(n, extents);
        if m > 1 {
            return x.modulo(n / m, extents).times(m).plus(&y);
        }
        Self::atom(Atom::Mod(Box::new(rest), n))
    }

    /// With every axis `i` replaced by `to[i]`; the result is over axes of the given extents.
    pub fn substitute(&self, to: &[Self], extents: &[i64]) -> Self {
        let mut out = Self::constant(self.constant);
        for (atom, c) in &self.terms {
            let e = match atom {
                Atom::Axis(a) => to[*a].clone(),
                Atom::Div(e, n) => e.substitute(to, extents).div(*n, extents),
                Atom::Mod(e, n) => e.substitute(to, extents).modulo(*n, extents),
                Atom::Data { value, extent, wraps } => Self::atom(Atom::Data {
                    value: Value::substitute(value, to, extents),
                    extent: *extent,
                    wraps: *wraps,
                }),
            };
            out = out.plus(&e.times(*c));
        }
        out
    }

    /// Row-major position of an index in a tensor of that shape.
    pub fn flatten(index: &[Self], shape: &[i64]) -> Self {
        let mut flat = Self::default();
        let mut stride = 1;
        for (i, d) in index.iter().zip(shape).rev() {
            flat = flat.plus(&i.times(stride));
            stride *= d;
        }
        flat
    }

    /// The index of a row-major position in a tensor of that shape.
    pub fn unflatten(&self, shape: &[i64], extents: &[i64]) -> Vec<Self> {
        let mut out = vec![Self::default(); shape.len()];
        let mut inner = 1;
        for (i, d) in shape.iter().enumerate().rev() {
            let digit = self.div(inner, extents);
            // The outermost digit needs no modulo: the position lies inside the tensor.
            out[i] = if *d == 1 {
                Self::default()
            } else if shape[..i].iter().all(|s| *s == 1) {
                digit
            } else {
                digit.modulo(*d, extents)
            };
            inner *= (*d).max(1);
        }
        out
    }
}

/// `lo ≤ index < hi`, and `index mod step == 0` where step > 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Within {
    /// The index.
    pub index: Affine,
    /// Least value allowed.
    pub lo: i64,
    /// First value above.
    pub hi: i64,
    /// Divisor, ≥ 1.
    pub step: i64,
}

impl Within {
    /// Whether it holds for every value of the axes.
    pub fn always(&self, extents: &[i64]) -> bool {
        let (a, b) = self.index.range(extents);
        self.step == 1 && a >= self.lo && b < self.hi
    }

    /// The same condition with a divisor that always divides taken out.
    pub fn reduced(self) -> Self {
        let n = self.step;
        if n == 1 || self.index.constant % n != 0 || self.index.terms.iter().any(|(_, c)| c % n != 0) {
            return self;
        }
        let index = Affine {
            terms: self.index.terms.into_iter().map(|(a, c)| (a, c / n)).collect(),
            constant: self.index.constant / n,
        };
        Self { index, lo: -(-self.lo).div_euclid(n), hi: (self.hi - 1).div_euclid(n) + 1, step: 1 }
    }

    /// With axes replaced.
    pub fn substitute(&self, to: &[Affine], extents: &[i64]) -> Self {
        Self { index: self.index.substitute(to, extents), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(e: &Affine, at: &[i64]) -> i64 {
        e.terms()
            .iter()
            .map(|(a, c)| {
                c * match a {
                    Atom::Axis(i) => at[*i],
                    Atom::Div(e, n) => eval(e, at).div_euclid(*n),
                    Atom::Mod(e, n) => eval(e, at).rem_euclid(*n),
                    Atom::Data { .. } => unreachable!("no data in these tests"),
                }
            })
            .sum::<i64>()
            + e.offset()
    }

    #[test]
    fn splitting_and_joining_an_axis_is_the_identity() {
        let shape = [4, 6, 5];
        let flat = Affine::flatten(&[Affine::axis(0), Affine::axis(1), Affine::axis(2)], &shape);
        let split = flat.unflatten(&[2, 2, 2, 3, 5], &shape);
        assert_eq!(Affine::flatten(&split, &[2, 2, 2, 3, 5]), flat);
        assert_eq!(flat.unflatten(&shape, &shape), vec![Affine::axis(0), Affine::axis(1), Affine::axis(2)]);
    }

    #[test]
    fn every_simplification_keeps_the_value() {
        let extents = [4, 6, 5];
        for (c0, c1, c2, k) in [(30, 5, 1, 0), (1, 4, 24, 3), (7, 2, 3, -5), (12, 6, 2, 1), (-1, 3, 9, 0)] {
            let e = Affine::axis(0).times(c0).plus(&Affine::axis(1).times(c1)).plus(&Affine::axis(2).times(c2));
            let e = e.plus(&Affine::constant(k));
            for n in [2, 3, 4, 5, 6, 10, 12, 15, 30] {
                let (q, r) = (e.div(n, &extents), e.modulo(n, &extents));
                let again = q.times(n).plus(&r);
                let nested = q.div(2, &extents).times(2).plus(&q.modulo(2, &extents)).times(n).plus(&r);
                for at in (0..4).flat_map(|a| (0..6).flat_map(move |b| (0..5).map(move |c| [a, b, c]))) {
                    let v = eval(&e, &at);
                    assert_eq!(eval(&q, &at), v.div_euclid(n));
                    assert_eq!(eval(&r, &at), v.rem_euclid(n));
                    assert_eq!(eval(&again, &at), v);
                    assert_eq!(eval(&nested, &at), v);
                }
            }
        }
    }
}
