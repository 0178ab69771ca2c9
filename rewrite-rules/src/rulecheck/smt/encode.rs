//! Terms of [`super::super::prove::term`] as SMT-LIB text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use egret_ir::dim::Atom;
use egret_ir::op::scalar::{Law, Scalar};
use egret_ir::{DType, Dim, Literal, Symbol};

use super::rows::{Row, row};
use super::sorts::{Sort, literal, number, whole};
use crate::lang::conditions::range;
use crate::rulecheck::prove::Laws;
use crate::rulecheck::prove::index::Scope;
use crate::rulecheck::prove::term::{Cond, Fold, Product, Source, Term};

/// Parts of a question at most.
const MOST_PARTS: usize = 600;

/// What a question is asked about beside its terms.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// Whether bits are kept, or real values.
    pub laws: Laws,
    /// Whether the sign of a zero is free.
    pub loose_zero: bool,
    /// Whether elements move: then the right side may compute some that its result does not show.
    pub moves: bool,
    /// The index variables of the result.
    pub scope: &'a Scope,
    /// Extents of the left side's values, none of which is negative.
    pub extents: Vec<Dim>,
}

/// Whether an element of the result can differ, as SMT-LIB text without its `(check-sat)`; the same for structures that differ
/// in names or in what the elements do not depend on. None where some part has no encoding.
pub fn question(left: &Term, right: &Term, setting: &Setting<'_>) -> Option<String> {
    let mut reads: BTreeMap<Source, BTreeSet<Vec<Dim>>> = BTreeMap::new();
    for side in [left, right] {
        gather(side, &mut reads);
    }
    let mut e = Encoder { setting, reads, out: Parts::default(), normal: false };
    let (l, sort) = e.term(left)?;
    let (r, other) = e.term(right)?;
    if sort != other {
        return None;
    }
    // Where the left side has no value, nothing is claimed.
    let mut dividing = Vec::new();
    divisors(left, false, &mut dividing)?;
    for d in dividing {
        let (d, sort) = e.term(&d)?;
        e.out.asserted.push(format!("(not (= {d} {}))", number(sort, 0)));
    }
    let mut differs = vec![match sort {
        Sort::Float { .. } if setting.loose_zero => {
            format!("(not (or (= {l} {r}) (and (fp.isZero {l}) (fp.isZero {r}))))")
        }
        Sort::Float { .. } | Sort::Bool | Sort::Bits { .. } | Sort::Real => format!("(not (= {l} {r}))"),
    }];
    let mut dividing = Vec::new();
    divisors(right, true, &mut dividing)?;
    if setting.moves && !dividing.is_empty() {
        return None;
    }
    for d in dividing {
        let (d, sort) = e.term(&d)?;
        differs.push(format!("(= {d} {})", number(sort, 0)));
    }
    e.out.asserted.push(match differs.as_slice() {
        [only] => only.clone(),
        _ => format!("(or {})", differs.join(" ")),
    });
    e.finished()
}

/// Reads outside of folds.
fn gather(t: &Term, out: &mut BTreeMap<Source, BTreeSet<Vec<Dim>>>) {
    match t {
        Term::Literal(_) | Term::Index(..) | Term::Fold(_) => {}
        Term::Read(source, _, at) => {
            out.entry(*source).or_default().insert(at.clone());
        }
        Term::Apply(_, args) => args.iter().for_each(|a| gather(a, out)),
        Term::Select(_, a, b) => [a, b].into_iter().for_each(|t| gather(t, out)),
        Term::Sum(_, products) => products.iter().flat_map(|p| &p.factors).for_each(|(t, _)| gather(t, out)),
    }
}

/// Divisors of integers that may be zero: of the left side (`all` false) those that are surely evaluated, of the right one all;
/// None where a fold has some.
fn divisors(t: &Term, all: bool, out: &mut Vec<Term>) -> Option<()> {
    match t {
        Term::Literal(_) | Term::Index(..) | Term::Read(..) => {}
        Term::Apply(f, args) => {
            if let (Some(divisor), Some(dtype)) = (args.get(1), args.first().and_then(Term::dtype))
                && f.may_trap_on(dtype)
                && !matches!(divisor, Term::Literal(l) if l.bits() != 0)
                && !out.contains(divisor)
            {
                out.push(divisor.clone());
            }
            for a in args {
                divisors(a, all, out)?;
            }
        }
        Term::Fold(f) => {
            let mut inner = Vec::new();
            divisors(&f.body, true, &mut inner)?;
            if all && !inner.is_empty() {
                return None;
            }
        }
        Term::Select(_, a, b) => {
            let mut inner = Vec::new();
            divisors(a, all, &mut inner)?;
            divisors(b, all, &mut inner)?;
            if all {
                out.extend(inner);
            }
        }
        Term::Sum(_, products) => {
            for (t, _) in products.iter().flat_map(|p| &p.factors) {
                divisors(t, all, out)?;
            }
        }
    }
    Some(())
}

/// What a question consists of.
#[derive(Default)]
struct Parts {
    /// Declarations and definitions, each after those that it mentions.
    said: Vec<String>,
    asserted: Vec<String>,
    symbols: BTreeMap<Symbol, String>,
    terms: BTreeMap<Term, (String, Sort)>,
    functions: BTreeMap<String, String>,
    elements: BTreeMap<(Source, Vec<Dim>), String>,
    inputs: BTreeMap<Source, String>,
}

struct Encoder<'a> {
    setting: &'a Setting<'a>,
    reads: BTreeMap<Source, BTreeSet<Vec<Dim>>>,
    out: Parts,
    /// Whether the term at hand is a normal form.
    normal: bool,
}

impl Encoder<'_> {
    /// The text of a question whose parts are all there.
    fn finished(mut self) -> Option<String> {
        if !self.out.symbols.is_empty() {
            let mut known = 0;
            for d in self.setting.extents.clone() {
                let d = self.dim(&d)?;
                self.out.asserted.push(format!("(<= 0 {d})"));
            }
            // An extent may mention unknowns of its own.
            while known < self.out.symbols.len() {
                known = self.out.symbols.len();
                for (symbol, name) in self.out.symbols.clone() {
                    let Some(extent) = self.setting.scope.extent(&symbol).cloned() else {
                        // What is no variable is an extent; a variable that the result does not have belongs to a fold.
                        if symbol.name().starts_with('%') {
                            return None;
                        }
                        continue;
                    };
                    let extent = self.dim(&extent)?;
                    let range = format!("(and (<= 0 {name}) (< {name} {extent}))");
                    if !self.out.asserted.contains(&range) {
                        self.out.asserted.push(range);
                    }
                }
            }
            let unknowns = self.out.symbols.iter().filter(|(s, _)| !s.name().starts_with('%'));
            self.out.asserted.extend(unknowns.map(|(_, name)| format!("(<= 0 {name})")));
        }
        let mut text = String::new();
        let mut ints: Vec<&String> = self.out.symbols.values().collect();
        ints.sort_by_key(|n| (n.len(), (*n).clone()));
        for n in ints {
            let _ = writeln!(text, "(declare-const {n} Int)");
        }
        for line in &self.out.said {
            let _ = writeln!(text, "{line}");
        }
        let mut seen = BTreeSet::new();
        for a in self.out.asserted.iter().filter(|a| seen.insert((*a).clone())) {
            let _ = writeln!(text, "(assert {a})");
        }
        Some(text)
    }

    /// A function symbol with its type.
    fn function(&mut self, name: &str, from: &[String], to: &str) -> String {
        if !self.out.functions.contains_key(name) {
            self.out.functions.insert(name.to_owned(), to.to_owned());
            self.out.said.push(format!("(declare-fun {name} ({}) {to})", from.join(" ")));
        }
        name.to_owned()
    }

    fn constant(&mut self, prefix: &str, sort: Sort) -> String {
        let name = format!("{prefix}{}", self.out.said.len());
        self.out.said.push(format!("(declare-const {name} {})", sort.text()));
        name
    }

    /// An index or an extent, an `Int`.
    fn dim(&mut self, d: &Dim) -> Option<String> {
        if d.is_invalid() {
            return None;
        }
        let mut terms = Vec::new();
        for (atoms, c) in d.terms() {
            let mut factors = Vec::new();
            if c != 1 || atoms.is_empty() {
                factors.push(whole(i128::from(c), ""));
            }
            for (atom, power) in atoms {
                let text = self.atom(&atom)?;
                factors.extend(std::iter::repeat_n(text, power as usize));
            }
            terms.push(nary("*", &factors, "1"));
        }
        Some(nary("+", &terms, "0"))
    }

    fn atom(&mut self, a: &Atom) -> Option<String> {
        let two = |e: &mut Self, a: &Dim, b: &Dim| Some((e.dim(a)?, e.dim(b)?));
        Some(match a {
            Atom::Sym(s) => {
                let next = format!("n{}", self.out.symbols.len());
                self.out.symbols.entry(s.clone()).or_insert(next).clone()
            }
            // SMT-LIB's div and mod are these where the divisor is positive.
            Atom::FloorDiv(a, b) | Atom::Exact(a, b) => {
                let (a, b) = two(self, a, b)?;
                self.divided("div", &a, &b)
            }
            Atom::Mod(a, b) => {
                let (a, b) = two(self, a, b)?;
                self.divided("mod", &a, &b)
            }
            Atom::Min(a, b) => {
                let (a, b) = two(self, a, b)?;
                format!("(ite (<= {a} {b}) {a} {b})")
            }
            Atom::Max(a, b) => {
                let (a, b) = two(self, a, b)?;
                format!("(ite (<= {a} {b}) {b} {a})")
            }
        })
    }

    fn divided(&mut self, how: &str, a: &str, b: &str) -> String {
        if b.bytes().all(|c| c.is_ascii_digit()) && b != "0" {
            return format!("({how} {a} {b})");
        }
        let ints = ["Int", "Int"].map(str::to_owned);
        let unknown = self.function(&format!("{how}_of_none"), &ints, "Int");
        format!("(ite (< 0 {b}) ({how} {a} {b}) ({unknown} {a} {b}))")
    }

    fn condition(&mut self, c: &Cond) -> Option<String> {
        Some(match c {
            Cond::NonNegative(d) => format!("(<= 0 {})", self.dim(d)?),
            Cond::Divides(n, d) if *n > 0 => format!("(= 0 (mod {} {n}))", self.dim(d)?),
            Cond::Divides(..) => return None,
        })
    }

    /// A term, given a name where it is no more than one.
    fn term(&mut self, t: &Term) -> Option<(String, Sort)> {
        if let Some(known) = self.out.terms.get(t) {
            return Some(known.clone());
        }
        if self.out.said.len() > MOST_PARTS {
            return None;
        }
        let laws = self.setting.laws;
        let (text, sort) = match t {
            Term::Literal(l) => return Some((literal(*l, laws)?, Sort::of(l.dtype(), laws))),
            Term::Index(d, dtype) => self.number_of_index(d, *dtype)?,
            Term::Read(source, dtype, at) => return self.read(*source, *dtype, at),
            Term::Apply(f, args) => self.apply(*f, args)?,
            Term::Fold(f) => return self.fold(f),
            Term::Select(conds, a, b) => {
                let conds: Vec<String> = conds.iter().map(|c| self.condition(c)).collect::<Option<_>>()?;
                let ((a, sort), (b, other)) = (self.term(a)?, self.term(b)?);
                (sort == other).then_some(())?;
                (format!("(ite {} {a} {b})", nary("and", &conds, "true")), sort)
            }
            Term::Sum(dtype, products) => self.sum(Sort::of(*dtype, laws), products)?,
        };
        let name = format!("t{}", self.out.said.len());
        self.out.said.push(format!("(define-fun {name} () {} {text})", sort.text()));
        self.out.terms.insert(t.clone(), (name.clone(), sort));
        Some((name, sort))
    }

    fn number_of_index(&mut self, d: &Dim, dtype: DType) -> Option<(String, Sort)> {
        let (sort, d) = (Sort::of(dtype, self.setting.laws), self.dim(d)?);
        Some(match sort {
            Sort::Bits { width, .. } => (format!("((_ int2bv {width}) {d})"), sort),
            Sort::Bool => return None,
            // Rounded in some way.
            Sort::Float { .. } | Sort::Real => {
                let f = self.function(&format!("index_{dtype}"), &["Int".to_owned()], &sort.text());
                (format!("({f} {d})"), sort)
            }
        })
    }

    /// An element: a constant where all reads of its source are at one place, else a function of the place.
    fn read(&mut self, source: Source, dtype: DType, at: &[Dim]) -> Option<(String, Sort)> {
        let sort = Sort::of(dtype, self.setting.laws);
        if self.reads.get(&source).is_some_and(|places| places.len() == 1) {
            let key = (source, at.to_vec());
            if let Some(name) = self.out.elements.get(&key) {
                return Some((name.clone(), sort));
            }
            let name = self.constant("x", sort);
            self.out.elements.insert(key, name.clone());
            return Some((name, sort));
        }
        let at: Vec<String> = at.iter().map(|d| self.dim(d)).collect::<Option<_>>()?;
        let f = match self.out.inputs.get(&source) {
            Some(f) => f.clone(),
            None => {
                let name = format!("x{}", self.out.said.len());
                let f = self.function(&name, &vec!["Int".to_owned(); at.len()], &sort.text());
                self.out.inputs.insert(source, f.clone());
                f
            }
        };
        Some((if at.is_empty() { f } else { format!("({f} {})", at.join(" ")) }, sort))
    }

    /// A fold: an unknown value for its normal form, whose variables have names of their own.
    fn fold(&mut self, f: &Fold) -> Option<(String, Sort)> {
        let whole = Term::Fold(Box::new(f.clone()));
        let normal = if self.normal { whole } else { self.setting.laws.normal(&whole)? };
        if let Some(known) = self.out.terms.get(&normal) {
            return Some(known.clone());
        }
        let Term::Fold(_) = &normal else {
            // Sums of sums, and what left a sum.
            let mut reads = BTreeMap::new();
            gather(&normal, &mut reads);
            reads.iter().all(|(source, places)| self.reads.get(source) == Some(places)).then_some(())?;
            let before = std::mem::replace(&mut self.normal, true);
            let found = self.term(&normal);
            self.normal = before;
            return found;
        };
        let sort = Sort::of(normal.dtype()?, self.setting.laws);
        let name = self.constant("fold", sort);
        self.out.terms.insert(normal, (name.clone(), sort));
        Some((name, sort))
    }

    fn sum(&mut self, sort: Sort, products: &[Product]) -> Option<(String, Sort)> {
        let (plus, times) = match sort {
            Sort::Bits { .. } => ("bvadd", "bvmul"),
            Sort::Real => ("+", "*"),
            Sort::Bool | Sort::Float { .. } => return None,
        };
        let mut terms = Vec::new();
        for p in products {
            let mut factors = Vec::new();
            if p.factors.is_empty() || (p.numerator, p.denominator) != (1, 1) {
                factors.push(match sort {
                    Sort::Real => format!("(/ {} {})", whole(p.numerator, ".0"), whole(p.denominator, ".0")),
                    _ if p.denominator == 1 => number(sort, i64::try_from(p.numerator).ok()?),
                    _ => return None,
                });
            }
            for (t, power) in &p.factors {
                let (t, its) = self.term(t)?;
                (its == sort && (*power > 0 || sort == Sort::Real)).then_some(())?;
                let t = if *power < 0 { format!("(/ 1.0 {t})") } else { t };
                factors.extend(std::iter::repeat_n(t, power.unsigned_abs() as usize));
            }
            terms.push(chain(times, &factors, sort));
        }
        Some((chain(plus, &terms, sort), sort))
    }

    fn apply(&mut self, f: Scalar, args: &[Term]) -> Option<(String, Sort)> {
        let laws = self.setting.laws;
        if args.len() > f.arity() {
            // In a normal form functions that are associative have any number of operands.
            let (last, others) = args.split_last()?;
            return self.apply(f, &[Term::Apply(f, others.to_vec()), last.clone()]);
        }
        let types: Vec<DType> = args.iter().map(Term::dtype).collect::<Option<_>>()?;
        let encoded: Vec<(String, Sort)> = args.iter().map(|a| self.term(a)).collect::<Option<_>>()?;
        // Over the reals all floats are one type, so a row's own type is told by sorts.
        let fits = encoded.iter().zip(&types).all(|((_, sort), t)| *sort == Sort::of(*t, laws));
        let sort = Sort::of(f.result(&types)?, laws);
        fits.then_some(())?;
        if let (Scalar::Pow, [_, Term::Literal(power)]) = (f, args)
            && let Some(text) = power_of(&encoded[0].0, sort, *power)
        {
            return Some((text, sort));
        }
        let operands: Vec<(&str, DType)> = encoded.iter().map(|e| e.0.as_str()).zip(types.iter().copied()).collect();
        Some(match row(f, &operands, laws) {
            Row::Means(text) => (text, sort),
            Row::Refused => return None,
            Row::Unknown => {
                let tag = |sort: &Sort, dtype: &DType| {
                    if *sort == Sort::Real { "real".to_owned() } else { dtype.to_string() }
                };
                let mut name = f.name().to_owned();
                for ((_, sort), dtype) in encoded.iter().zip(&types) {
                    name = format!("{name}_{}", tag(sort, dtype));
                }
                if let Scalar::Cast(to) = f {
                    name = format!("{name}_{}", tag(&sort, &to));
                }
                let from: Vec<String> = encoded.iter().map(|e| e.1.text()).collect();
                let name = self.function(&name, &from, &sort.text());
                let texts: Vec<&str> = encoded.iter().map(|e| e.0.as_str()).collect();
                let value = format!("({name} {})", texts.join(" "));
                if let ([x], true) = (texts.as_slice(), encoded[0].1 == sort) {
                    self.laws_of(f, &name, x, &value, sort);
                }
                (value, sort)
            }
        })
    }

    /// What the table and the ranges of functions say of one value of a function that has no theory.
    fn laws_of(&mut self, f: Scalar, name: &str, x: &str, value: &str, sort: Sort) {
        let (minus, float) = match sort {
            Sort::Float { .. } => ("fp.neg", true),
            Sort::Real => ("-", false),
            Sort::Bool | Sort::Bits { .. } => return,
        };
        let mut say = |text: String| self.out.asserted.push(text);
        if f.has(Law::Odd) {
            say(format!("(= ({name} ({minus} {x})) ({minus} {value}))"));
        }
        if f.has(Law::Projection) {
            say(format!("(= ({name} {value}) {value})"));
        }
        let (least, most) = range(f);
        let (below, or_nan) =
            if float { ("fp.leq", format!("(fp.isNaN {value})")) } else { ("<=", "false".to_owned()) };
        if let Some(least) = least {
            say(format!("(or {or_nan} ({below} {} {value}))", number(sort, least as i64)));
            if float && least == 0.0 && least.is_sign_positive() {
                say(format!("(or {or_nan} (fp.isPositive {value}))"));
            }
        }
        if let Some(most) = most {
            say(format!("(or {or_nan} ({below} {value} {}))", number(sort, most as i64)));
        }
        if f == Scalar::Sqrt {
            say(format!("(or (< {x} 0.0) (and (<= 0.0 {value}) (= (* {value} {value}) {x})))"));
        }
    }
}

/// x⁰ and x², which are computed as 1 and x · x, and over the reals some more.
fn power_of(x: &str, sort: Sort, power: Literal) -> Option<String> {
    let n = power.to_f64();
    let times = match sort {
        Sort::Bits { .. } => "bvmul",
        Sort::Float { .. } => "fp.mul RNE",
        Sort::Real => "*",
        Sort::Bool => return None,
    };
    if n == 0.0 {
        return Some(number(sort, 1));
    }
    let float = matches!(sort, Sort::Float { .. } | Sort::Real);
    (n == 2.0 && float == power.dtype().is_float()).then(|| format!("({times} {x} {x})"))
}

/// An operation of any number of operands.
fn nary(op: &str, operands: &[String], none: &str) -> String {
    match operands {
        [] => none.to_owned(),
        [only] => only.clone(),
        many => format!("({op} {})", many.join(" ")),
    }
}

/// Operations of two operands, one after the other.
fn chain(op: &str, operands: &[String], sort: Sort) -> String {
    match operands.split_first() {
        None => number(sort, 0),
        Some((first, rest)) => rest.iter().fold(first.clone(), |sum, t| format!("({op} {sum} {t})")),
    }
}
