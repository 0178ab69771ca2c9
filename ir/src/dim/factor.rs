//! Factors of expressions: exact quotients and common divisors, as far as they show in the canonical form.

use std::collections::BTreeMap;

use super::{Atom, Dim, Monomial};

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest one-term expression with a positive coefficient that divides every term; 1 where there are none.
fn content(terms: impl IntoIterator<Item = (Monomial, i64)>) -> Dim {
    let mut shared: Option<(BTreeMap<Atom, u32>, u64)> = None;
    for (mono, c) in terms {
        let powers: BTreeMap<Atom, u32> = mono.into_iter().collect();
        shared = Some(match shared {
            None => (powers, c.unsigned_abs()),
            Some((known, k)) => {
                let both = known.into_iter().filter_map(|(a, p)| powers.get(&a).map(|q| (a, p.min(*q)))).collect();
                (both, gcd(k, c.unsigned_abs()))
            }
        });
    }
    let Some((powers, c)) = shared else { return Dim::ONE };
    let mono: Monomial = powers.into_iter().collect();
    Dim::from_terms(BTreeMap::from([(mono, i64::try_from(c).unwrap_or(1))]))
}

impl Dim {
    /// self / by, where the canonical form shows that `by`, which must not be 0, divides.
    pub fn quotient(&self, by: &Self) -> Option<Self> {
        match (self.as_const(), by.as_const()) {
            (_, Some(0)) => return None,
            (Some(0), _) => return Some(Self::ZERO),
            (Some(a), Some(b)) => return (a.checked_rem(b)? == 0).then(|| Self::from(a / b)),
            _ if self.is_invalid() || by.is_invalid() => return None,
            _ => {}
        }
        if let Some(whole) = self.divide(by) {
            return Some(whole);
        }
        // Several terms over several: the same ones, but for what all of them share.
        let (mine, theirs) = (content(self.terms()), content(by.terms()));
        (self.divide(&mine)? == by.divide(&theirs)?).then(|| mine.divide(&theirs)).flatten()
    }

    /// A common divisor: the greatest one that the canonical forms show, positive for expressions of positive symbols.
    pub fn common_divisor(&self, other: &Self) -> Self {
        if self.is_invalid() || other.is_invalid() {
            return Self::ONE;
        }
        if *self == 0 {
            return other.clone();
        }
        if *other == 0 {
            return self.clone();
        }
        let (mine, theirs) = (content(self.terms()), content(other.terms()));
        let shared = content(mine.terms().into_iter().chain(theirs.terms()));
        match (self.divide(&mine), other.divide(&theirs)) {
            (Some(a), Some(b)) if a == b => shared * a,
            _ => shared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;

    #[test]
    fn quotients_and_divisors_of_polynomials() {
        let s = |n: &str| Dim::symbol(Symbol::new(n));
        let (m, n) = (s("m"), s("n"));
        let sum = &m + &n;
        assert_eq!((&sum * 64 * &m).quotient(&(&sum * 8)), Some(&m * 8));
        assert_eq!((&sum * 64).quotient(&m), None);
        assert_eq!((&m * &n * 12).common_divisor(&(&n * 8)), &n * 4);
        assert_eq!((&sum * 12).common_divisor(&Dim::from(8)), Dim::from(4));
        assert_eq!((&sum * 12).common_divisor(&(&sum * 8 * &m)), &sum * 4);
        assert_eq!(Dim::ZERO.common_divisor(&n), n);
        assert_eq!(Dim::from(12).common_divisor(&Dim::from(18)), Dim::from(6));
        assert_eq!(Dim::from(i64::MIN).quotient(&Dim::from(-1)), None);
    }
}
