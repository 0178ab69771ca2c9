//! Index arithmetic with unknown extents: polynomials ([`Dim`]) over extents and index variables, with ⌊·⌋ and mod taken
//! apart where the ranges of the variables allow it. Equal polynomials are equal indices; the converse need not hold, so
//! what is proved with them is true and what is not proved is open.

use std::collections::BTreeSet;

use egret_ir::dim::Atom;
use egret_ir::{Dim, Symbol};

/// The index variables that an expression may use, each in `0..extent`.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    vars: Vec<(Symbol, Dim)>,
    /// Extents that are at least 1, because some variable runs over them.
    positive: BTreeSet<Symbol>,
}

/// Terms grouped by the variable, quotient or remainder that they are a multiple of; the rest is free of them.
struct Linear {
    groups: Vec<(Atom, Dim)>,
    rest: Dim,
}

impl Scope {
    /// A new variable over `0..extent`; 0 where that is all there is. What is said of an element holds where its indices exist, so extents of variables
    /// are positive, and so are their factors.
    pub fn var(&mut self, extent: &Dim) -> Dim {
        if *extent == Dim::ONE {
            return Dim::ZERO;
        }
        let symbol = Symbol::new(&format!("%{}", self.vars.len()));
        if let [(atoms, 1..)] = extent.terms().as_slice() {
            for (atom, _) in atoms {
                if let Atom::Sym(s) = atom {
                    self.positive.insert(s.clone());
                }
            }
        }
        self.vars.push((symbol.clone(), extent.clone()));
        Dim::symbol(symbol)
    }

    /// The extent of a variable; None for any other symbol.
    pub fn extent(&self, s: &Symbol) -> Option<&Dim> {
        self.vars.iter().find(|(v, _)| v == s).map(|(_, d)| d)
    }

    /// Whether the value is surely ≥ 0. Products of nonnegative factors are bounded factor by factor.
    pub fn nonnegative(&self, d: &Dim) -> bool {
        let mut least = Dim::ZERO;
        for (atoms, c) in d.terms() {
            let mut product = Dim::from(c);
            for (atom, power) in atoms {
                let bound = match &atom {
                    Atom::Sym(s) => match self.extent(s) {
                        Some(_) if c > 0 => Dim::ZERO,
                        Some(extent) => extent.clone() - Dim::ONE,
                        None => Dim::symbol(s.clone()),
                    },
                    Atom::Mod(_, _) if c > 0 => Dim::ZERO,
                    Atom::Mod(_, n) => n.clone() - Dim::ONE,
                    Atom::FloorDiv(e, _) if c > 0 && self.nonnegative(e) => Dim::ZERO,
                    Atom::FloorDiv(..) | Atom::Min(..) | Atom::Max(..) | Atom::Exact(..) => return false,
                };
                for _ in 0..power {
                    product = product * bound.clone();
                }
            }
            least = least + product;
        }
        // Over extents alone: each is its least value plus something ≥ 0.
        let shifted = least.substitute(&|s| {
            let least = i64::from(self.positive.contains(s));
            Some(Dim::symbol(s.clone()) + Dim::from(least))
        });
        shifted.terms().iter().all(|(atoms, c)| *c >= 0 && atoms.iter().all(|(a, _)| matches!(a, Atom::Sym(_))))
    }

    fn inside(&self, d: &Dim, extent: &Dim) -> bool {
        // ⌊e / a⌋ < b where e < ab.
        if let [(atoms, 1)] = d.terms().as_slice()
            && let [(Atom::FloorDiv(e, a), 1)] = atoms.as_slice()
        {
            return self.inside(e, &(a.clone() * extent.clone()));
        }
        self.nonnegative(d) && self.nonnegative(&(extent.clone() - Dim::ONE - d.clone()))
    }

    fn linear(&self, d: &Dim) -> Linear {
        let mut out = Linear { groups: Vec::new(), rest: Dim::ZERO };
        for (atoms, c) in d.terms() {
            let generator = atoms.iter().find(|(a, _)| match a {
                Atom::Sym(s) => self.extent(s).is_some(),
                Atom::FloorDiv(..) | Atom::Mod(..) => true,
                Atom::Min(..) | Atom::Max(..) | Atom::Exact(..) => false,
            });
            let product = |skip: Option<&Atom>| {
                let mut skip = skip;
                let mut p = Dim::from(c);
                for (a, power) in &atoms {
                    let once = skip.take_if(|s| **s == *a).is_some();
                    for _ in u32::from(once)..*power {
                        p = p * Dim::from(a.clone());
                    }
                }
                p
            };
            match generator {
                None => out.rest = out.rest + product(None),
                Some((g, _)) => {
                    let factor = product(Some(g));
                    match out.groups.iter_mut().find(|(known, _)| known == g) {
                        Some((_, sum)) => *sum = sum.clone() + factor,
                        None => out.groups.push((g.clone(), factor)),
                    }
                }
            }
        }
        out
    }

    /// `d = by · whole + rest`, with as much in `whole` as shows.
    fn split(&self, d: &Dim, by: &Dim) -> (Dim, Dim) {
        let (mut whole, mut rest) = (Dim::ZERO, Dim::ZERO);
        let linear = self.linear(d);
        let mut put = |atom: Dim, factor: Dim| match quotient(&factor, by) {
            Some(q) => whole = whole.clone() + atom * q,
            None => rest = rest.clone() + atom * factor,
        };
        for (g, factor) in linear.groups {
            put(Dim::from(g), factor);
        }
        put(Dim::ONE, linear.rest);
        (whole, rest)
    }

    /// ⌊d / by⌋, for positive `by`.
    pub fn floor_div(&self, d: &Dim, by: &Dim) -> Dim {
        if *by == Dim::ONE {
            return d.clone();
        }
        let (whole, rest) = self.split(d, by);
        if self.inside(&rest, by) {
            return whole;
        }
        // ⌊⌊e / a⌋ / b⌋ = ⌊e / ab⌋.
        if let [(atoms, 1)] = rest.terms().as_slice()
            && let [(Atom::FloorDiv(e, a), 1)] = atoms.as_slice()
        {
            return whole + self.floor_div(e, &(a.clone() * by.clone()));
        }
        whole + rest.floor_div(by)
    }

    /// d mod by, for positive `by`.
    pub fn modulo(&self, d: &Dim, by: &Dim) -> Dim {
        if *by == Dim::ONE {
            return Dim::ZERO;
        }
        let (_, rest) = self.split(d, by);
        if self.inside(&rest, by) { rest } else { rest.modulo(by) }
    }

    /// Quotients and remainders of one expression put together again: `a·⌊e/a⌋ + e mod a = e` and
    /// `a·(⌊e/a⌋ mod b) + e mod a = e mod ab`.
    pub fn joined(&self, d: &Dim) -> Dim {
        let linear = self.linear(d);
        for (i, (low, k)) in linear.groups.iter().enumerate() {
            let Atom::Mod(e, a) = low else { continue };
            let step = k.clone() * a.clone();
            for (j, (high, c)) in linear.groups.iter().enumerate() {
                if *c != step {
                    continue;
                }
                let both = match high {
                    Atom::FloorDiv(f, b) if f == e && b == a => e.clone(),
                    Atom::Mod(f, b) if *f == self.floor_div(e, a) => self.modulo(e, &(a.clone() * b.clone())),
                    Atom::Sym(_)
                    | Atom::FloorDiv(..)
                    | Atom::Mod(..)
                    | Atom::Min(..)
                    | Atom::Max(..)
                    | Atom::Exact(..) => continue,
                };
                let others = linear.groups.iter().enumerate().filter(|(n, _)| *n != i && *n != j);
                let rest = others.fold(linear.rest.clone(), |sum, (_, (g, f))| sum + Dim::from(g.clone()) * f.clone());
                return self.joined(&(rest + k.clone() * both));
            }
        }
        d.clone()
    }
}

/// `d / by`, where that is a polynomial that division term by term finds.
fn quotient(d: &Dim, by: &Dim) -> Option<Dim> {
    // In lexicographic order, the last atom first: one that products respect.
    let last = |d: &Dim| {
        let (atoms, c) =
            d.terms().into_iter().max_by_key(|(atoms, _)| atoms.iter().rev().cloned().collect::<Vec<_>>())?;
        Some(atoms.into_iter().fold(Dim::from(c), |p, (a, n)| (0..n).fold(p, |p, _| p * Dim::from(a.clone()))))
    };
    let lead = last(by)?;
    let (mut sum, mut rest) = (Dim::ZERO, d.clone());
    for _ in 0..16 {
        if rest == Dim::ZERO {
            return Some(sum);
        }
        let term = last(&rest)?;
        let q = term.floor_div(&lead);
        if q.is_invalid() || q.clone() * lead.clone() != term {
            return None;
        }
        rest = rest - q.clone() * by.clone();
        sum = sum + q;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(name: &str) -> Dim {
        Dim::symbol(Symbol::new(name))
    }

    #[test]
    fn positions_come_apart_and_together() {
        let (n, m, k) = (unknown("n"), unknown("m"), unknown("k"));
        let mut scope = Scope::default();
        let (i, j, l) = (scope.var(&n), scope.var(&m), scope.var(&(m.clone() * k.clone())));
        let flat = i.clone() * m.clone() + j.clone();
        assert_eq!(scope.floor_div(&flat, &m), i);
        assert_eq!(scope.modulo(&flat, &m), j);
        // A variable over m·k taken apart by k and put together again.
        let (high, low) = (scope.floor_div(&l, &k), scope.modulo(&l, &k));
        assert_ne!(high, l);
        assert_eq!(scope.joined(&(high * k.clone() + low)), l);
        // j may be m − 1, so 2j is not below m.
        assert_ne!(scope.modulo(&(j.clone() + j.clone()), &m), j.clone() + j.clone());
        let square = (n.clone() + m.clone()) * (n.clone() + m.clone());
        assert_eq!(quotient(&square, &(n.clone() + m.clone())), Some(n.clone() + m.clone()));
        assert_eq!(quotient(&(square + Dim::ONE), &(n.clone() + m.clone())), None);
        assert!(scope.nonnegative(&(n.clone() - Dim::ONE - i)));
        assert!(!scope.nonnegative(&(n - Dim::ONE - j)));
        assert!(!scope.nonnegative(&(k - Dim::from(2i64))));
    }
}
