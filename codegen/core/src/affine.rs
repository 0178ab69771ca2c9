//! Index expressions: integer combinations of axes, with floor division, modulo and indices read from data as atoms.
//! Kept canonical: equal expressions that the rules below can relate are equal values, so contiguous accesses show as such.
//!
//! The rules (⌊·⌋ is floor, extents bound every axis): divisible terms leave a division or vanish from a modulo; a small
//! remainder vanishes from a division; `a·⌊e/a⌋ + e mod a = e`; `a·(⌊e/a⌋ mod b) + e mod a = e mod ab`.
//!
//! Coefficients, divisors and extents are numbers or expressions of symbols. A rule applies where its condition is proved for
//! all symbols; that no axis is empty may be taken for granted, as an empty one has no index.

use std::sync::Arc;

use egret_ir::Dim;

use crate::extent::{below, nonnegative, rough};
use crate::value::Value;

/// An axis of iteration, by position in its stage's axis list.
pub type Axis = usize;

/// What an index expression is a combination of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// An axis.
    Axis(Axis),
    /// ⌊e / n⌋, n positive and not 1.
    Div(Box<Affine>, Dim),
    /// e mod n in `0..n`, n positive and not 1.
    Mod(Box<Affine>, Dim),
    /// An index computed from data, in `0..extent` (anything else traps); negative values count from the end where `wraps`.
    Data {
        /// The index value (i64).
        value: Arc<Value>,
        /// Extent of the axis it indexes.
        extent: Dim,
        /// Whether negative values count from the end.
        wraps: bool,
    },
}

/// `Σ coefficient · atom + constant`, terms sorted by atom, no coefficient zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    terms: Vec<(Atom, Dim)>,
    constant: Dim,
}

impl Default for Affine {
    fn default() -> Self {
        Self::constant(0)
    }
}

/// `⌊c / n⌋` and `c mod n` of a constant term; what is not known to divide stays in the remainder.
fn split(c: &Dim, n: &Dim) -> (Dim, Dim) {
    match (c.as_const(), n.as_const()) {
        (Some(c), Some(n)) => (Dim::from(c.div_euclid(n)), Dim::from(c.rem_euclid(n))),
        _ => match c.quotient(n) {
            Some(q) => (q, Dim::ZERO),
            None => (Dim::ZERO, c.clone()),
        },
    }
}

/// ⌊e / n⌋ where it is the same for every e in the range.
fn only_quotient((lo, hi): &(Dim, Dim), n: &Dim) -> Option<Dim> {
    if let (Some(lo), Some(hi), Some(n)) = (lo.as_const(), hi.as_const(), n.as_const()) {
        return (lo.div_euclid(n) == hi.div_euclid(n)).then(|| Dim::from(lo.div_euclid(n)));
    }
    (nonnegative(lo) && below(hi, n)).then_some(Dim::ZERO)
}

impl Affine {
    /// A number.
    pub fn constant(c: impl Into<Dim>) -> Self {
        Self { terms: Vec::new(), constant: c.into() }
    }

    /// An axis.
    pub fn axis(a: Axis) -> Self {
        Self::atom(Atom::Axis(a))
    }

    /// An atom.
    pub fn atom(a: Atom) -> Self {
        Self { terms: vec![(a, Dim::ONE)], constant: Dim::ZERO }
    }

    /// The terms, sorted by atom.
    pub fn terms(&self) -> &[(Atom, Dim)] {
        &self.terms
    }

    /// The constant term.
    pub fn offset(&self) -> &Dim {
        &self.constant
    }

    /// The number, where there are no terms.
    pub fn as_constant(&self) -> Option<&Dim> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The axis, where it is one and nothing else.
    pub fn as_axis(&self) -> Option<Axis> {
        match self.terms.as_slice() {
            [(Atom::Axis(a), c)] if *c == 1 && self.constant == 0 => Some(*a),
            _ => None,
        }
    }

    /// Coefficient of an axis as a plain term (0 where it has none).
    pub fn coefficient(&self, axis: Axis) -> Dim {
        self.terms.iter().find(|(a, _)| *a == Atom::Axis(axis)).map_or(Dim::ZERO, |t| t.1.clone())
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
        out.constant = out.constant + &other.constant;
        for (a, c) in &other.terms {
            out.push(a.clone(), c.clone());
        }
        out.recombine();
        out
    }

    /// Product with a number.
    pub fn times(&self, k: impl Into<Dim>) -> Self {
        let k = k.into();
        if k == 0 {
            return Self::default();
        }
        Self { terms: self.terms.iter().map(|(a, c)| (a.clone(), c * &k)).collect(), constant: &self.constant * &k }
    }

    fn push(&mut self, atom: Atom, c: Dim) {
        match self.terms.binary_search_by(|(a, _)| a.cmp(&atom)) {
            Ok(i) => {
                self.terms[i].1 = &self.terms[i].1 + c;
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
                    let joined = match other {
                        Atom::Div(f, b) if b == a && f == e && *c == k * a => e.times(k),
                        Atom::Mod(f, b) if *c == k * a && **f == Self::atom(Atom::Div(e.clone(), a.clone())) => {
                            Self::atom(Atom::Mod(e.clone(), a * b)).times(k)
                        }
                        _ => continue,
                    };
                    let mut n = 0;
                    self.terms.retain(|_| {
                        n += 1;
                        n - 1 != i && n - 1 != j
                    });
                    *self = self.plus(&joined);
                    continue 'again;
                }
            }
            return;
        }
    }

    /// Smallest and largest value, given the extents of the axes; an end that is not known is invalid.
    pub fn range(&self, extents: &[Dim]) -> (Dim, Dim) {
        let (mut lo, mut hi) = (self.constant.clone(), self.constant.clone());
        let last = |n: &Dim| if n.as_const().is_some() { (n - 1).larger(&Dim::ZERO) } else { n - 1 };
        for (atom, c) in &self.terms {
            let (a, b) = match atom {
                Atom::Axis(x) => (Dim::ZERO, extents.get(*x).map_or(Dim::from(i64::MAX >> 20), last)),
                Atom::Div(e, n) => {
                    let (a, b) = e.range(extents);
                    (a.floor_div(n), b.floor_div(n))
                }
                Atom::Mod(_, n) => (Dim::ZERO, n - 1),
                Atom::Data { extent, .. } => (Dim::ZERO, last(extent)),
            };
            let (a, b) = if nonnegative(c) {
                (a * c, b * c)
            } else if nonnegative(&(Dim::ZERO - c)) {
                (b * c, a * c)
            } else {
                (Dim::INVALID, Dim::INVALID)
            };
            lo = lo + a;
            hi = hi + b;
        }
        (lo, hi)
    }

    /// Splits into `m·X + y` with `m` dividing `n` and `0 ≤ y < m`, for the largest such m found.
    fn peel(&self, n: &Dim, extents: &[Dim]) -> Option<(Dim, Self, Self)> {
        let mut sorted: Vec<&(Atom, Dim)> = self.terms.iter().collect();
        sorted.sort_by_key(|(_, c)| -rough(c).abs());
        let mut m = n.clone();
        for i in 0..sorted.len() {
            m = m.common_divisor(&sorted[i].1);
            if m == 1 {
                break;
            }
            let (q, r) = split(&self.constant, &m);
            let (mut x, mut rest) = (Self::constant(q), Self::constant(r));
            for (k, (a, c)) in sorted.iter().enumerate() {
                match c.quotient(&m) {
                    Some(c) if k <= i => x.push(a.clone(), c),
                    _ => rest.push(a.clone(), c.clone()),
                }
            }
            let (lo, hi) = rest.range(extents);
            if nonnegative(&lo) && below(&hi, &m) {
                return Some((m, x, rest));
            }
        }
        None
    }

    /// ⌊self / n⌋.
    pub fn div(&self, n: impl Into<Dim>, extents: &[Dim]) -> Self {
        let n = n.into();
        if n == 1 {
            return self.clone();
        }
        // Whole multiples of n leave the division.
        let (q, r) = split(&self.constant, &n);
        let (mut whole, mut rest) = (Self::constant(q), Self::constant(r));
        for (a, c) in &self.terms {
            match c.quotient(&n) {
                Some(c) => whole.push(a.clone(), c),
                None => rest.push(a.clone(), c.clone()),
            }
        }
        if let Some(q) = only_quotient(&rest.range(extents), &n) {
            whole.constant = whole.constant + q;
            return whole;
        }
        if let Some((m, x, _)) = rest.peel(&n, extents)
            && let Some(n) = n.quotient(&m)
        {
            return whole.plus(&x.div(n, extents));
        }
        if let [(Atom::Div(e, k), c)] = rest.terms.as_slice()
            && *c == 1
            && rest.constant == 0
        {
            return whole.plus(&e.div(k * n, extents));
        }
        whole.plus(&Self::atom(Atom::Div(Box::new(rest), n)))
    }

    /// self mod n, in `0..n`.
    pub fn modulo(&self, n: impl Into<Dim>, extents: &[Dim]) -> Self {
        let n = n.into();
        if n == 1 {
            return Self::default();
        }
        let mut rest = Self::constant(split(&self.constant, &n).1);
        for (a, c) in &self.terms {
            if c.quotient(&n).is_none() {
                rest.push(a.clone(), c.clone());
            }
        }
        if let Some(q) = only_quotient(&rest.range(extents), &n) {
            rest.constant = rest.constant - n * q;
            return rest;
        }
        if let Some((m, x, y)) = rest.peel(&n, extents)
            && let Some(n) = n.quotient(&m)
        {
            return x.modulo(n, extents).times(m).plus(&y);
        }
        Self::atom(Atom::Mod(Box::new(rest), n))
    }

    /// With every axis `i` replaced by `to[i]`; the result is over axes of the given extents.
    pub fn substitute(&self, to: &[Self], extents: &[Dim]) -> Self {
        let mut out = Self::constant(self.constant.clone());
        for (atom, c) in &self.terms {
            let e = match atom {
                Atom::Axis(a) => to[*a].clone(),
                Atom::Div(e, n) => e.substitute(to, extents).div(n, extents),
                Atom::Mod(e, n) => e.substitute(to, extents).modulo(n, extents),
                Atom::Data { value, extent, wraps } => Self::atom(Atom::Data {
                    value: Value::substitute(value, to, extents),
                    extent: extent.clone(),
                    wraps: *wraps,
                }),
            };
            out = out.plus(&e.times(c));
        }
        out
    }

    /// Row-major position of an index in a tensor of that shape.
    pub fn flatten(index: &[Self], shape: &[Dim]) -> Self {
        let mut flat = Self::default();
        let mut stride = Dim::ONE;
        for (i, d) in index.iter().zip(shape).rev() {
            flat = flat.plus(&i.times(&stride));
            stride = stride * d;
        }
        flat
    }

    /// The index of a row-major position in a tensor of that shape.
    pub fn unflatten(&self, shape: &[Dim], extents: &[Dim]) -> Vec<Self> {
        let mut out = vec![Self::default(); shape.len()];
        let mut inner = Dim::ONE;
        for (i, d) in shape.iter().enumerate().rev() {
            // The outermost digit needs no modulo: the position lies inside the tensor. An empty tensor has none.
            if *d == 0 {
                continue;
            }
            if *d != 1 {
                let digit = self.div(&inner, extents);
                let outermost = shape[..i].iter().all(|s| *s == 1);
                out[i] = if outermost { digit } else { digit.modulo(d, extents) };
            }
            inner = inner * d;
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
    pub lo: Dim,
    /// First value above.
    pub hi: Dim,
    /// Divisor, ≥ 1.
    pub step: i64,
}

impl Within {
    /// Whether no value of the axes is below the least one, and whether none reaches the end.
    pub fn bounds_hold(&self, extents: &[Dim]) -> (bool, bool) {
        let (a, b) = self.index.range(extents);
        (nonnegative(&(a - &self.lo)), below(&b, &self.hi))
    }

    /// Whether it holds for every value of the axes.
    pub fn always(&self, extents: &[Dim]) -> bool {
        self.step == 1 && self.bounds_hold(extents) == (true, true)
    }

    /// The same condition with a divisor that always divides taken out.
    pub fn reduced(self) -> Self {
        let n = Dim::from(self.step);
        if n == 1 {
            return self;
        }
        let terms: Option<Vec<(Atom, Dim)>> =
            self.index.terms.iter().map(|(a, c)| Some((a.clone(), c.quotient(&n)?))).collect();
        let (Some(terms), Some(constant)) = (terms, self.index.constant.quotient(&n)) else { return self };
        Self { index: Affine { terms, constant }, lo: self.lo.ceil_div(&n), hi: self.hi.ceil_div(&n), step: 1 }
    }

    /// With axes replaced.
    pub fn substitute(&self, to: &[Affine], extents: &[Dim]) -> Self {
        Self { index: self.index.substitute(to, extents), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egret_ir::dim::Symbol;

    /// The value at a point, symbols being those of `sizes` by name.
    fn eval(e: &Affine, at: &[i64], sizes: &[(&str, i64)]) -> i64 {
        let number = |d: &Dim| {
            let value = |s: &Symbol| sizes.iter().find(|n| n.0 == s.name()).map(|n| Dim::from(n.1));
            d.substitute(&value).as_const().expect("every symbol has a value")
        };
        let term = |(a, c): &(Atom, Dim)| {
            number(c)
                * match a {
                    Atom::Axis(i) => at[*i],
                    Atom::Div(e, n) => eval(e, at, sizes).div_euclid(number(n)),
                    Atom::Mod(e, n) => eval(e, at, sizes).rem_euclid(number(n)),
                    Atom::Data { .. } => unreachable!("no data in these tests"),
                }
        };
        e.terms().iter().map(term).sum::<i64>() + number(e.offset())
    }

    fn points(extents: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
        let [a, b, c] = extents;
        (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])))
    }

    #[test]
    fn splitting_and_joining_an_axis_is_the_identity() {
        let shape = [4, 6, 5].map(Dim::from);
        let flat = Affine::flatten(&[Affine::axis(0), Affine::axis(1), Affine::axis(2)], &shape);
        let parts = [2, 2, 2, 3, 5].map(Dim::from);
        let split = flat.unflatten(&parts, &shape);
        assert_eq!(Affine::flatten(&split, &parts), flat);
        assert_eq!(flat.unflatten(&shape, &shape), vec![Affine::axis(0), Affine::axis(1), Affine::axis(2)]);
    }

    #[test]
    fn symbolic_axes_split_and_join() {
        let s = |n: &str| Dim::symbol(Symbol::new(n));
        let (b, n) = (s("b"), s("past") + s("now"));
        // Heads split off and merged again.
        let shape = [b.clone(), n.clone(), Dim::from(768)];
        let axes: Vec<Affine> = (0..4).map(Affine::axis).collect();
        let flat = Affine::flatten(&axes[..3], &shape);
        let heads = [b.clone(), n.clone(), Dim::from(12), Dim::from(64)];
        let back = Affine::flatten(&axes, &heads).unflatten(&shape, &heads);
        assert_eq!(back, [axes[0].clone(), axes[1].clone(), axes[2].times(64).plus(&axes[3])]);
        assert_eq!(Affine::flatten(&flat.unflatten(&heads, &shape), &heads), flat);
        // Leading axes joined: the row is a plain axis again where both meet.
        let rows = [&b * &n, Dim::from(768)];
        let joined = flat.unflatten(&rows, &shape);
        assert_eq!(joined[0], axes[0].times(&n).plus(&axes[1]));
        assert_eq!(Affine::flatten(&joined, &rows), flat);
    }

    #[test]
    fn every_simplification_keeps_the_value() {
        let extents = [4, 6, 5].map(Dim::from);
        for (c0, c1, c2, k) in [(30, 5, 1, 0), (1, 4, 24, 3), (7, 2, 3, -5), (12, 6, 2, 1), (-1, 3, 9, 0)] {
            let e = Affine::axis(0).times(c0).plus(&Affine::axis(1).times(c1)).plus(&Affine::axis(2).times(c2));
            let e = e.plus(&Affine::constant(k));
            for n in [2, 3, 4, 5, 6, 10, 12, 15, 30] {
                let (q, r) = (e.div(n, &extents), e.modulo(n, &extents));
                let again = q.times(n).plus(&r);
                let nested = q.div(2, &extents).times(2).plus(&q.modulo(2, &extents)).times(n).plus(&r);
                for at in points([4, 6, 5]) {
                    let v = eval(&e, &at, &[]);
                    assert_eq!(eval(&q, &at, &[]), v.div_euclid(n.into()));
                    assert_eq!(eval(&r, &at, &[]), v.rem_euclid(n.into()));
                    assert_eq!(eval(&again, &at, &[]), v);
                    assert_eq!(eval(&nested, &at, &[]), v);
                }
            }
        }
    }

    #[test]
    fn every_symbolic_simplification_keeps_the_value() {
        let (m, n) = (Dim::symbol(Symbol::new("m")), Dim::symbol(Symbol::new("n")));
        let extents = [Dim::from(3), m.clone(), n.clone()];
        let sizes = |m, n| [("m", m), ("n", n)];
        let coefficients = [Dim::ONE, Dim::from(2), n.clone(), &m * &n, &n + 1, Dim::ZERO - &n, &m * 4];
        for (a, b) in coefficients.iter().flat_map(|a| coefficients.iter().map(move |b| (a, b))) {
            for k in [Dim::ZERO, Dim::from(-3), n.clone(), &n - 1] {
                let e = Affine::axis(0).times(a).plus(&Affine::axis(1).times(b)).plus(&Affine::axis(2));
                let e = e.plus(&Affine::constant(k));
                for by in [m.clone(), n.clone(), &m * &n, &n * 2, &m + &n, Dim::from(4)] {
                    let (q, r) = (e.div(&by, &extents), e.modulo(&by, &extents));
                    let again = q.times(&by).plus(&r);
                    for (mm, nn) in [(1, 1), (1, 5), (4, 1), (3, 7)] {
                        let sizes = sizes(mm, nn);
                        let by = eval(&Affine::constant(&by), &[], &sizes);
                        for at in points([3, mm, nn]) {
                            let v = eval(&e, &at, &sizes);
                            assert_eq!(eval(&q, &at, &sizes), v.div_euclid(by), "{e:?} / {by}");
                            assert_eq!(eval(&r, &at, &sizes), v.rem_euclid(by), "{e:?} mod {by}");
                            assert_eq!(eval(&again, &at, &sizes), v);
                        }
                    }
                }
            }
        }
    }
}
