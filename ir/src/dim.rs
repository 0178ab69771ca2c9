//! Symbolic extents: canonical integer polynomials over named symbols, with floor division, modulo, minimum, maximum and
//! exact division as atoms. Two equal polynomials are the same value, so `==` is a (sound, incomplete) equality proof.

mod factor;
mod ops;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The name of an unknown extent, such as `batch`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// A symbol of that name; equal names are equal symbols.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What is known of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolInfo {
    /// Smallest value (0 unless stated: an empty batch is legal).
    pub min: i64,
    /// Largest value.
    pub max: i64,
    /// Whether its value is read off a graph input's shape, or only appears at run time.
    pub backing: Backing,
}

/// Where the value of a symbol comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backing {
    /// An axis of an input.
    Input,
    /// The graph around a body: the value is there before the body starts.
    Outer,
    /// Data: the length of a NonZero, of a Range …; attributes that mention it need a witness operand.
    Data,
}

impl Default for SymbolInfo {
    fn default() -> Self {
        Self { min: 0, max: i64::MAX, backing: Backing::Input }
    }
}

/// The symbols of a graph with what is known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(pub BTreeMap<Symbol, SymbolInfo>);

/// What an unknown extent is taken for where a usual size is asked for.
pub const NOMINAL: i64 = 64;

impl Symbols {
    /// What is known of `symbol`; nothing recorded means the default (0 and up).
    pub fn info(&self, symbol: &Symbol) -> SymbolInfo {
        self.0.get(symbol).copied().unwrap_or_default()
    }
}

/// An extent or an index: a canonical expression. Overflow of 64 bits gives [`Dim::INVALID`], which absorbs, and so does an
/// expression of more than [`Dim::MAX_PARTS`] parts.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dim(Repr);

/// A shape: one [`Dim`] per axis.
pub type Shape = Vec<Dim>;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Const(i64),
    Poly(Arc<Poly>),
    Invalid,
}

/// A sum in which at least one term mentions an atom.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Poly {
    /// Sorted by monomial; no coefficient is zero.
    terms: Vec<(Monomial, i64)>,
    /// Follows from the terms (see [`Dim::MAX_PARTS`]).
    parts: usize,
}

/// A product of atoms with powers, sorted; empty is 1.
type Monomial = Vec<(Atom, u32)>;

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A named unknown.
    Sym(Symbol),
    /// ⌊a / b⌋.
    FloorDiv(Dim, Dim),
    /// a − b·⌊a / b⌋.
    Mod(Dim, Dim),
    /// The smaller one.
    Min(Dim, Dim),
    /// The larger one.
    Max(Dim, Dim),
    /// a / b where b is known to divide a.
    Exact(Dim, Dim),
}

impl Dim {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Const(0));
    /// One.
    pub const ONE: Self = Self(Repr::Const(1));
    /// The result of an overflow or of a division by zero.
    pub const INVALID: Self = Self(Repr::Invalid);

    /// Terms and atoms, each power and each part of an atom counted, that an expression has at most. What models compute of
    /// extents has tens of them; but twenty nodes that square a value, or a long chain of divisions, would make it large
    /// or deep without bound.
    pub const MAX_PARTS: usize = 1 << 11;

    /// The symbol as an expression.
    pub fn symbol(s: Symbol) -> Self {
        Self::atom(Atom::Sym(s))
    }

    fn atom(a: Atom) -> Self {
        Self::poly(vec![(vec![(a, 1)], 1)])
    }

    fn poly(terms: Vec<(Monomial, i64)>) -> Self {
        let mut parts = terms.len();
        for (atom, power) in terms.iter().flat_map(|(m, _)| m) {
            parts = parts.saturating_add(atom.parts().saturating_mul(*power as usize));
        }
        if parts > Self::MAX_PARTS { Self::INVALID } else { Self(Repr::Poly(Arc::new(Poly { terms, parts }))) }
    }

    /// The number, where it is one.
    pub fn as_const(&self) -> Option<i64> {
        match self.0 {
            Repr::Const(c) => Some(c),
            Repr::Poly(_) | Repr::Invalid => None,
        }
    }

    /// Whether the expression overflowed or divided by zero.
    pub fn is_invalid(&self) -> bool {
        self.0 == Repr::Invalid
    }

    /// The symbol, where the expression is just one.
    pub fn as_symbol(&self) -> Option<&Symbol> {
        let Repr::Poly(poly) = &self.0 else { return None };
        match poly.terms.as_slice() {
            [(mono, 1)] => match mono.as_slice() {
                [(Atom::Sym(s), 1)] => Some(s),
                _ => None,
            },
            _ => None,
        }
    }

    /// Terms as (atoms with powers, coefficient); a constant has an empty atom list.
    pub fn terms(&self) -> Vec<(Monomial, i64)> {
        match &self.0 {
            Repr::Const(0) | Repr::Invalid => Vec::new(),
            Repr::Const(c) => vec![(Vec::new(), *c)],
            Repr::Poly(p) => p.terms.clone(),
        }
    }

    fn from_terms(map: BTreeMap<Monomial, i64>) -> Self {
        let terms: Vec<_> = map.into_iter().filter(|(_, c)| *c != 0).collect();
        match terms.as_slice() {
            [] => Self::ZERO,
            [(m, c)] if m.is_empty() => Self(Repr::Const(*c)),
            _ => Self::poly(terms),
        }
    }

    fn add_scaled(&self, other: &Self, factor: i64) -> Self {
        match (&self.0, &other.0) {
            (Repr::Invalid, _) | (_, Repr::Invalid) => return Self::INVALID,
            (Repr::Const(a), Repr::Const(b)) => {
                return b.checked_mul(factor).and_then(|b| a.checked_add(b)).map_or(Self::INVALID, Self::from);
            }
            (_, Repr::Const(0)) => return self.clone(),
            _ => {}
        }
        let mut map: BTreeMap<Monomial, i64> = self.terms().into_iter().collect();
        for (m, c) in other.terms() {
            let Some(scaled) = c.checked_mul(factor) else { return Self::INVALID };
            let slot = map.entry(m).or_insert(0);
            let Some(sum) = slot.checked_add(scaled) else { return Self::INVALID };
            *slot = sum;
        }
        Self::from_terms(map)
    }

    fn times(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Repr::Invalid, _) | (_, Repr::Invalid) => return Self::INVALID,
            (Repr::Const(a), Repr::Const(b)) => return a.checked_mul(*b).map_or(Self::INVALID, Self::from),
            (_, Repr::Const(1)) => return self.clone(),
            (Repr::Const(1), _) => return other.clone(),
            _ => {}
        }
        let (mine, theirs) = (self.terms(), other.terms());
        // Terms may cancel, but not that many.
        if mine.len() * theirs.len() > 4 * Self::MAX_PARTS {
            return Self::INVALID;
        }
        let mut map: BTreeMap<Monomial, i64> = BTreeMap::new();
        for (m1, c1) in mine {
            for (m2, c2) in &theirs {
                let mut powers: BTreeMap<Atom, u32> = m1.iter().cloned().collect();
                for (a, p) in m2 {
                    // At most twice MAX_PARTS.
                    *powers.entry(a.clone()).or_insert(0) += p;
                }
                let Some(c) = c1.checked_mul(*c2) else { return Self::INVALID };
                let slot = map.entry(powers.into_iter().collect()).or_insert(0);
                let Some(sum) = slot.checked_add(c) else { return Self::INVALID };
                *slot = sum;
            }
        }
        Self::from_terms(map).cancel_exact()
    }

    /// `exact(p, q)·q` is `p` when q is a single atom or a constant.
    fn cancel_exact(self) -> Self {
        let Repr::Poly(poly) = &self.0 else { return self };
        let [(mono, coeff)] = poly.terms.as_slice() else { return self };
        for (i, (atom, power)) in mono.iter().enumerate() {
            let Atom::Exact(p, q) = atom else { continue };
            if *power != 1 {
                continue;
            }
            let mut rest = mono.clone();
            rest.remove(i);
            let rest = Self::from_terms(BTreeMap::from([(rest, *coeff)]));
            if let Some(quotient) = rest.divide(q) {
                return quotient.times(p);
            }
        }
        self
    }

    /// The quotient by a constant or by a one-term expression, where every term divides.
    fn divide(&self, by: &Self) -> Option<Self> {
        let divisor = by.terms();
        let [(dm, dc)] = divisor.as_slice() else { return None };
        let mut map = BTreeMap::new();
        for (m, c) in self.terms() {
            if c.checked_rem(*dc)? != 0 {
                return None;
            }
            let mut powers: BTreeMap<Atom, u32> = m.into_iter().collect();
            for (a, p) in dm {
                let slot = powers.get_mut(a)?;
                *slot = slot.checked_sub(*p)?;
            }
            map.insert(powers.into_iter().filter(|(_, p)| *p > 0).collect(), c / dc);
        }
        Some(Self::from_terms(map))
    }

    /// ⌊self / by⌋.
    pub fn floor_div(&self, by: &Self) -> Self {
        match (self.as_const(), by.as_const()) {
            (_, Some(0)) => return Self::INVALID,
            (Some(a), Some(b)) => return a.checked_div(b).map_or(Self::INVALID, |_| Self::from(floor_div(a, b))),
            (_, Some(1)) => return self.clone(),
            _ => {}
        }
        if self.is_invalid() || by.is_invalid() {
            return Self::INVALID;
        }
        if let Some(b) = by.as_const().filter(|b| *b > 0) {
            // ⌊(b·x + r) / b⌋ = x + ⌊r / b⌋: whole multiples come out.
            let (mut whole, mut rest) = (BTreeMap::new(), BTreeMap::new());
            for (m, c) in self.terms() {
                if c % b == 0 {
                    whole.insert(m, c / b);
                } else if m.is_empty() {
                    whole.insert(m.clone(), floor_div(c, b));
                    rest.insert(m, c.rem_euclid(b));
                } else {
                    rest.insert(m, c);
                }
            }
            let (whole, rest) = (Self::from_terms(whole), Self::from_terms(rest));
            if let Some(r) = rest.as_const() {
                return whole + Self::from(floor_div(r, b));
            }
            return whole + Self::atom(Atom::FloorDiv(rest, by.clone()));
        }
        self.divide(by).unwrap_or_else(|| Self::atom(Atom::FloorDiv(self.clone(), by.clone())))
    }

    /// ⌈self / by⌉ for positive `by`.
    pub fn ceil_div(&self, by: &Self) -> Self {
        (self.clone() + by.clone() - Self::ONE).floor_div(by)
    }

    /// self − by·⌊self / by⌋.
    pub fn modulo(&self, by: &Self) -> Self {
        match (self.as_const(), by.as_const()) {
            (_, Some(0)) => Self::INVALID,
            (Some(a), Some(b)) => {
                let rest = a.wrapping_rem(b);
                Self::from(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
            }
            _ if self.is_invalid() || by.is_invalid() => Self::INVALID,
            _ if self.divide(by).is_some() => Self::ZERO,
            _ => Self::atom(Atom::Mod(self.clone(), by.clone())),
        }
    }

    /// The quotient, stated to be exact by the caller.
    pub fn exact_div(&self, by: &Self) -> Self {
        match (self.as_const(), by.as_const()) {
            (_, Some(0)) => Self::INVALID,
            (Some(a), Some(b)) => match a.checked_rem(b) {
                Some(0) => Self::from(a / b),
                _ => Self::INVALID,
            },
            _ if self.is_invalid() || by.is_invalid() => Self::INVALID,
            _ if self == by => Self::ONE,
            _ => self.divide(by).unwrap_or_else(|| Self::atom(Atom::Exact(self.clone(), by.clone()))),
        }
    }

    /// The smaller of both.
    pub fn smaller(&self, other: &Self) -> Self {
        self.pick(other, i64::min, Atom::Min)
    }

    /// The larger of both.
    pub fn larger(&self, other: &Self) -> Self {
        self.pick(other, i64::max, Atom::Max)
    }

    fn pick(&self, other: &Self, num: fn(i64, i64) -> i64, atom: fn(Self, Self) -> Atom) -> Self {
        if self.is_invalid() || other.is_invalid() {
            return Self::INVALID;
        }
        if self == other {
            return self.clone();
        }
        if let Some(gap) = (self.clone() - other.clone()).as_const() {
            return if num(gap, 0) == gap { self.clone() } else { other.clone() };
        }
        let (a, b) = if self <= other { (self, other) } else { (other, self) };
        Self::atom(atom(a.clone(), b.clone()))
    }

    /// The expression with symbols replaced by `value` (None keeps a symbol).
    pub fn substitute(&self, value: &dyn Fn(&Symbol) -> Option<Self>) -> Self {
        self.replace(&|atom| match atom {
            Atom::Sym(s) => value(s),
            Atom::FloorDiv(..) | Atom::Mod(..) | Atom::Min(..) | Atom::Max(..) | Atom::Exact(..) => None,
        })
    }

    /// The expression with atoms replaced by `value`; inside of those it keeps (None), their parts are.
    pub fn replace(&self, value: &dyn Fn(&Atom) -> Option<Self>) -> Self {
        let Repr::Poly(poly) = &self.0 else { return self.clone() };
        let mut sum = Self::ZERO;
        for (mono, c) in &poly.terms {
            let mut product = Self::from(*c);
            for (atom, power) in mono {
                let a = value(atom).unwrap_or_else(|| match atom {
                    Atom::Sym(s) => Self::symbol(s.clone()),
                    Atom::FloorDiv(a, b) => a.replace(value).floor_div(&b.replace(value)),
                    Atom::Mod(a, b) => a.replace(value).modulo(&b.replace(value)),
                    Atom::Min(a, b) => a.replace(value).smaller(&b.replace(value)),
                    Atom::Max(a, b) => a.replace(value).larger(&b.replace(value)),
                    Atom::Exact(a, b) => a.replace(value).exact_div(&b.replace(value)),
                });
                for _ in 0..*power {
                    product = product.times(&a);
                }
            }
            sum = sum + product;
        }
        sum
    }

    /// The value at a usual size: every symbol at [`NOMINAL`], or at the nearest value its bounds allow. For prices and
    /// plans, never for what must hold.
    pub fn nominal(&self, symbols: &Symbols) -> i64 {
        let value = |s: &Symbol| {
            let info = symbols.info(s);
            Some(Self::from(NOMINAL.clamp(info.min, info.max.max(info.min))))
        };
        self.substitute(&value).as_const().unwrap_or(NOMINAL)
    }

    /// Calls `visit` on every symbol in the expression.
    pub fn symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
        self.atoms(&mut |atom| {
            if let Atom::Sym(s) = atom {
                visit(s);
            }
        });
    }

    /// Calls `visit` on every atom in the expression, parts before the whole.
    pub fn atoms(&self, visit: &mut dyn FnMut(&Atom)) {
        let Repr::Poly(poly) = &self.0 else { return };
        for (atom, _) in poly.terms.iter().flat_map(|(m, _)| m) {
            match atom {
                Atom::Sym(_) => {}
                Atom::FloorDiv(a, b) | Atom::Mod(a, b) | Atom::Min(a, b) | Atom::Max(a, b) | Atom::Exact(a, b) => {
                    a.atoms(visit);
                    b.atoms(visit);
                }
            }
            visit(atom);
        }
    }

    /// A lower bound under the symbols' bounds, where one is found.
    pub fn lower_bound(&self, symbols: &Symbols) -> Option<i64> {
        let mut total: i64 = 0;
        for (mono, c) in self.terms() {
            let mut product: i64 = 1;
            for (atom, power) in &mono {
                let lo = match atom {
                    Atom::Sym(s) => symbols.info(s).min,
                    Atom::Max(a, b) => a.lower_bound(symbols).max(b.lower_bound(symbols))?,
                    Atom::Min(a, b) => a.lower_bound(symbols)?.min(b.lower_bound(symbols)?),
                    Atom::FloorDiv(a, b) | Atom::Exact(a, b) => {
                        floor_div(a.lower_bound(symbols)?, b.as_const().filter(|b| *b > 0)?)
                    }
                    Atom::Mod(_, b) => b.as_const().filter(|b| *b > 0).map(|_| 0)?,
                };
                if lo < 0 || c < 0 {
                    return None;
                }
                for _ in 0..*power {
                    product = product.checked_mul(lo)?;
                }
            }
            total = total.checked_add(product.checked_mul(c)?)?;
        }
        (!self.is_invalid()).then_some(total)
    }
}

impl Atom {
    /// What it adds to the parts of an expression.
    fn parts(&self) -> usize {
        let inner = |d: &Dim| match &d.0 {
            Repr::Const(_) | Repr::Invalid => 0,
            Repr::Poly(p) => p.parts,
        };
        match self {
            Self::Sym(_) => 1,
            Self::FloorDiv(a, b) | Self::Mod(a, b) | Self::Min(a, b) | Self::Max(a, b) | Self::Exact(a, b) => {
                1 + inner(a) + inner(b)
            }
        }
    }
}

fn floor_div(a: i64, b: i64) -> i64 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

/// The number of elements of a shape.
pub fn count(shape: &[Dim]) -> Dim {
    let numbers = shape.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_const()?));
    if let Some(n) = numbers {
        return Dim::from(n);
    }
    shape.iter().fold(Dim::ONE, |n, d| n.times(d))
}

/// All extents as numbers, where they are.
pub fn as_static(shape: &[Dim]) -> Option<Vec<usize>> {
    shape.iter().map(|d| d.as_const().and_then(|c| usize::try_from(c).ok())).collect()
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Const(c) => write!(f, "{c}"),
            Repr::Invalid => f.write_str("invalid"),
            Repr::Poly(poly) => {
                for (i, (mono, c)) in poly.terms.iter().enumerate() {
                    let sign = if *c < 0 { "-" } else { "+" };
                    if i > 0 || *c < 0 {
                        f.write_str(sign)?;
                    }
                    let c = c.unsigned_abs();
                    if mono.is_empty() {
                        write!(f, "{c}")?;
                        continue;
                    }
                    if c != 1 {
                        write!(f, "{c}*")?;
                    }
                    let mut first = true;
                    for (atom, power) in mono {
                        for _ in 0..*power {
                            if !first {
                                f.write_str("*")?;
                            }
                            first = false;
                            match atom {
                                Atom::Sym(s) => write!(f, "{s}")?,
                                Atom::FloorDiv(a, b) => write!(f, "floordiv({a},{b})")?,
                                Atom::Mod(a, b) => write!(f, "mod({a},{b})")?,
                                Atom::Min(a, b) => write!(f, "min({a},{b})")?,
                                Atom::Max(a, b) => write!(f, "max({a},{b})")?,
                                Atom::Exact(a, b) => write!(f, "exact({a},{b})")?,
                            }
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

/// Plain where it is an identifier (letters, digits, `_`, `.`), in backquotes elsewhere.
impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            && self.0.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if plain { f.write_str(&self.0) } else { write!(f, "`{}`", self.0) }
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(name: &str) -> Dim {
        Dim::symbol(Symbol::new(name))
    }

    #[test]
    fn canonical_forms_meet() {
        let (n, m) = (s("n"), s("m"));
        assert_eq!((n.clone() + m.clone()) * n.clone(), n.clone() * n.clone() + m.clone() * n.clone());
        assert_eq!(
            (n.clone() * Dim::from(4i64) + Dim::from(2i64)).floor_div(&Dim::from(2i64)),
            n.clone() * Dim::from(2i64) + Dim::ONE
        );
        assert_eq!((n.clone() * m.clone()).exact_div(&m), n);
        assert_eq!(n.exact_div(&Dim::from(3i64)) * Dim::from(3i64), n);
        assert_eq!(n.smaller(&(n.clone() + Dim::ONE)), n);
        assert_eq!(Dim::from(-7i64).floor_div(&Dim::from(2i64)), Dim::from(-4i64));
    }

    #[test]
    fn overflow_is_invalid_and_absorbs() {
        let big = Dim::from(1i64 << 60);
        let product = big.clone() * big;
        assert!(product.is_invalid());
        assert!((product - Dim::ONE).is_invalid());
        assert!(Dim::ONE.floor_div(&Dim::ZERO).is_invalid());
        assert!(Dim::from(i64::MIN).floor_div(&Dim::from(-1i64)).is_invalid());
        assert_eq!(Dim::from(i64::MIN).modulo(&Dim::from(i64::MAX)), i64::MAX - 1);
        assert_eq!(Dim::from(i64::MIN).modulo(&Dim::from(-1i64)), 0);
    }

    #[test]
    fn expressions_without_end_are_invalid() {
        let steps: [fn(&Dim) -> Dim; 4] = [
            |d| d * d,
            |d| d * d + 1,
            |d| (d + 1).floor_div(&Dim::from(3i64)),
            |d| d.smaller(&(d * s("m"))).larger(&s("m")),
        ];
        for (which, step) in steps.into_iter().enumerate() {
            let last = (0..100_000).try_fold(s("n"), |d, _| Some(step(&d)).filter(|d| !d.is_invalid()));
            assert_eq!(last, None, "{which}");
        }
        // What models do with extents is far from it.
        let sum: Dim = (0..100).map(|i| s(&format!("n{i}")) * (i + 1)).sum();
        assert!(!(sum.clone() * s("m")).floor_div(&Dim::from(7i64)).larger(&sum).is_invalid());
    }
}
