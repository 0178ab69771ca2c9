//! The scalar domain of node bounds: every number is an f64 value with a bound on the error an honest engine may make.
//!
//! The interpreter evaluates a node, or a small region, in this domain with the engine's own inputs (error 0), so one
//! evaluation gives the truth and the bound. A scalar row adds its profile constant (the local error) to what it makes of
//! its operands' errors: monotone rows by evaluating at both ends, products and sums to first and second order. A sum of K
//! terms adds 4√K·u·Σ|terms| instead of the worst case K·u·Σ|terms| (Higham and Mary, "A new approach to probabilistic
//! rounding error analysis", 2019, with the constant measured). The operand's own rounding is never counted twice.
//!
//! Comparisons, sorts and conversions to integers decide by the values; where an error could turn a conversion the
//! position is remembered ([`Bounded::turned`]), since an honest engine may give the neighbouring integer there, and
//! followed to the floats that are made of it ([`crate::turned`]).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use egret_ir::DType;
use egret_ir::eval::domain::{Domain, Site};
use egret_ir::eval::loops::Nest;
use egret_ir::eval::{Real, Trap};
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;

use crate::profile::{Profile, Row, smallest_normal, unit_roundoff};

/// A value and the bound on its error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bound {
    /// Value.
    pub y: f64,
    /// Bound on the absolute error; infinite where nothing is known.
    pub e: f64,
}

impl Bound {
    /// A value without error.
    pub fn exact(y: f64) -> Self {
        Self { y, e: 0.0 }
    }

    fn new(y: f64, e: f64) -> Self {
        Self { y, e: if e.is_nan() { f64::INFINITY } else { e } }
    }
}

/// Whether the engine computes a part of the reference in its own form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Operation by operation.
    Same,
    /// One operation as another: a quotient as the product with a rounded reciprocal.
    Substituted,
    /// Several operations as fewer others: constants have been folded into each other and rounded again, sums regrouped.
    Rearranged,
}

/// A weight that took in a batch norm's scale went through √, ÷ and · beside its own rounding.
const FOLDED_WEIGHT: f64 = 4.0;

/// The domain. `profile` belongs to the engine that is checked, `op` is the ONNX operator the node is.
pub struct Bounded<'a> {
    profile: &'a Profile,
    op: Option<&'a str>,
    form: Form,
    follow: bool,
    real: Real,
    turned: RefCell<BTreeMap<usize, Vec<i64>>>,
    met: Cell<bool>,
    rows: RefCell<BTreeMap<String, String>>,
    terms: RefCell<usize>,
}

impl<'a> Bounded<'a> {
    /// The domain for nodes of an operator.
    pub fn new(profile: &'a Profile, op: Option<&'a str>) -> Self {
        let (turned, met, rows, terms) = Default::default();
        Self { profile, op, form: Form::Same, follow: true, real: Real::new(), turned, met, rows, terms }
    }

    /// The domain for a part that the engine computes in the given form. What is not computed operation by operation has,
    /// for a quotient, the error of the reciprocal beside the node's own: u·|x / y|. A rearranged part has, for a sum and
    /// for a contraction, that of its regrouped constants: u·(|x| + |y|), and 4u·|a|·|b|.
    pub fn of_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The domain in which integers are what the conversion of the exact value gives, whatever the error of that.
    pub fn without_turns(self) -> Self {
        Self { follow: false, ..self }
    }

    /// Whether integers that may be off are followed to the floats they become.
    pub(crate) fn follows_turned(&self) -> bool {
        self.follow
    }

    /// Whether some conversion to integers may have given a neighbour.
    pub fn has_turned(&self) -> bool {
        self.met.get()
    }

    /// Notes by how much the integers just computed may be off.
    pub(crate) fn note_turned(&self, len: usize, off: Option<Vec<i64>>) {
        let mut turned = self.turned.borrow_mut();
        match off.filter(|off| off.iter().any(|off| *off != 0)) {
            Some(off) => {
                self.met.set(true);
                turned.insert(len, off);
            }
            None => {
                turned.remove(&len);
            }
        }
    }

    /// What folded constants add to the error of a sum of these magnitudes, in units of u.
    fn refolded(&self, dtype: DType, terms: f64, times: f64) -> f64 {
        match self.form {
            Form::Same | Form::Substituted => 0.0,
            Form::Rearranged => times * unit_roundoff(dtype) * terms,
        }
    }

    /// By how much each element of the last `len` integers may be off; None where none may.
    pub fn turned(&self, len: usize) -> Option<Vec<i64>> {
        self.turned.borrow().get(&len).cloned()
    }

    /// The profile rows that were used, with their sources.
    pub fn rows(&self) -> Vec<(String, String)> {
        self.rows.borrow().iter().map(|(r, s)| (r.clone(), s.clone())).collect()
    }

    /// The largest number of terms of a sum or contraction so far.
    pub fn terms(&self) -> usize {
        *self.terms.borrow()
    }

    fn used(&self, row: &Row) {
        self.rows.borrow_mut().entry(row.to_string()).or_insert_with(|| row.source.clone());
    }

    fn local(row: &Row, dtype: DType, y: f64, terms: f64, k: f64) -> f64 {
        if row.bound.is_exact() {
            0.0
        } else {
            unit_roundoff(dtype) * row.bound.of(y, terms, k) + smallest_normal(dtype)
        }
    }

    fn finish(&self, row: &Row, dtype: DType, y: Vec<f64>, carried: impl Fn(usize) -> f64) -> Vec<Bound> {
        self.used(row);
        y.into_iter()
            .enumerate()
            .map(|(i, y)| Bound::new(y, carried(i) + Self::local(row, dtype, y, 0.0, 0.0)))
            .collect()
    }

    /// Σ a·b of the nest in f64.
    fn sum(&self, nest: &Nest, acc: DType, a: &[f64], b: &[f64]) -> Vec<f64> {
        let plain = || nest.fold(&0.0, |s, [i, j], _| *s += a[i] * b[j]);
        self.real.contract_fast(nest, acc, a, b).unwrap_or_else(plain)
    }

    fn fold(&self, nest: &Nest, monoid: Monoid, acc: DType, x: &[f64]) -> Vec<f64> {
        let plain = || {
            let folded = nest.fold(&None, |s: &mut Option<f64>, [i, _], _| {
                *s = Some(s.map_or(x[i], |s| self.real.step(monoid, acc, s, x[i])));
            });
            folded.into_iter().map(|s| s.unwrap_or_else(|| self.real.empty(monoid, acc))).collect()
        };
        self.real.fold_fast(nest, monoid, acc, x).unwrap_or_else(plain)
    }

    fn counted(&self, k: usize) {
        let largest = (*self.terms.borrow()).max(k);
        *self.terms.borrow_mut() = largest;
    }
}

fn values(x: &[Bound]) -> Vec<f64> {
    x.iter().map(|b| b.y).collect()
}

fn has_error(x: &[Bound]) -> bool {
    x.iter().any(|b| b.e != 0.0)
}

/// The larger distance of two values from the middle one; 0 for equal infinities.
fn spread(middle: f64, ends: [f64; 2]) -> f64 {
    let distance = |end: f64| if end == middle { 0.0 } else { (end - middle).abs() };
    let (a, b) = (distance(ends[0]), distance(ends[1]));
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

impl Domain for Bounded<'_> {
    type Float = Bound;

    fn name(&self) -> &'static str {
        "error bounds"
    }

    fn lift(&self, _dtype: DType, x: f64) -> Bound {
        Bound::exact(x)
    }

    fn unary(&self, site: Site, row: Scalar, dtype: DType, x: &[Bound]) -> Result<Vec<Bound>, Trap> {
        let eval = |x: &[f64]| self.real.unary(site, row, dtype, x);
        let y = eval(&values(x))?;
        let profile = self.profile.scalar(row, self.op);
        if !has_error(x) {
            return Ok(self.finish(profile, dtype, y, |_| 0.0));
        }
        let spreads: Vec<f64> = match row {
            // Slope at most 1, and no more than monotone pieces between.
            Scalar::Neg | Scalar::Abs | Scalar::Sin | Scalar::Cos => x.iter().map(|b| b.e).collect(),
            _ => {
                // A domain's edge inside the interval gives NaN at one end; the value there is what an engine clamps to.
                let low: Vec<f64> = x.iter().map(|b| b.y - b.e).collect();
                let high: Vec<f64> = x.iter().map(|b| b.y + b.e).collect();
                let (low, high) = (eval(&low)?, eval(&high)?);
                let even = row == Scalar::Cosh;
                let at = |i: usize| {
                    let turn = if even && x[i].e > x[i].y.abs() { (y[i] - 1.0).abs() } else { 0.0 };
                    let ends = [low[i], high[i]].map(|end| if end.is_nan() { y[i] } else { end });
                    if y[i].is_nan() { f64::INFINITY } else { spread(y[i], ends).max(turn) }
                };
                (0..x.len()).map(at).collect()
            }
        };
        Ok(self.finish(profile, dtype, y, |i| spreads[i]))
    }

    fn binary(&self, site: Site, row: Scalar, dtype: DType, x: &[Bound], y: &[Bound]) -> Result<Vec<Bound>, Trap> {
        let eval = |x: &[f64], y: &[f64]| self.real.binary(site, row, dtype, x, y);
        let (xv, yv) = (values(x), values(y));
        let z = eval(&xv, &yv)?;
        let sum = matches!(row, Scalar::Add | Scalar::Sub);
        // A zero point added to what was rounded to integers.
        let whole =
            |b: &Bound| b.y.fract() == 0.0 && b.e.fract() == 0.0 && b.y.abs() + b.e <= 0.25 / unit_roundoff(dtype);
        if sum && x.iter().chain(y).all(whole) {
            return Ok((0..z.len()).map(|i| Bound::new(z[i], x[i].e + y[i].e)).collect());
        }
        let profile = self.profile.scalar(row, self.op);
        if profile.bound.has_terms() && matches!(row, Scalar::Add | Scalar::Sub) {
            self.used(profile);
            let of = |i: usize| {
                let terms = x[i].y.abs() + y[i].y.abs();
                Bound::new(z[i], x[i].e + y[i].e + Self::local(profile, dtype, z[i], terms, 2.0))
            };
            return Ok((0..z.len()).map(of).collect());
        }
        let regrouped = match self.form {
            Form::Same => false,
            Form::Substituted => row == Scalar::Div,
            Form::Rearranged => sum || row == Scalar::Div,
        };
        if !(has_error(x) || has_error(y) || regrouped) {
            return Ok(self.finish(profile, dtype, z, |_| 0.0));
        }
        let carried: Vec<f64> = match row {
            Scalar::Add | Scalar::Sub => {
                let of = |(a, b): (&Bound, &Bound)| a.e + b.e + self.refolded(dtype, a.y.abs() + b.y.abs(), 1.0);
                x.iter().zip(y).map(of).collect()
            }
            Scalar::Min | Scalar::Max => x.iter().zip(y).map(|(a, b)| a.e.max(b.e)).collect(),
            Scalar::Mul => x.iter().zip(y).map(|(a, b)| a.y.abs() * b.e + b.y.abs() * a.e + a.e * b.e).collect(),
            Scalar::Div => {
                let of = |((a, b), q): ((&Bound, &Bound), &f64)| {
                    let carried = if b.e == 0.0 && a.e == 0.0 {
                        0.0
                    } else if b.e >= b.y.abs() {
                        f64::INFINITY
                    } else {
                        (a.e + q.abs() * b.e) / (b.y.abs() - b.e)
                    };
                    let reciprocal = if regrouped { unit_roundoff(dtype) * q.abs() } else { 0.0 };
                    carried + reciprocal
                };
                x.iter().zip(y).zip(&z).map(of).collect()
            }
            _ => {
                let ends = |v: &[Bound], s: f64| v.iter().map(|b| b.y + s * b.e).collect::<Vec<f64>>();
                let mut widest = vec![0f64; x.len()];
                for (s, t) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                    let corner = eval(&ends(x, s), &ends(y, t))?;
                    for ((w, c), z) in widest.iter_mut().zip(&corner).zip(&z) {
                        *w = w.max(spread(*z, [*c, *z]));
                    }
                }
                widest
            }
        };
        Ok(self.finish(profile, dtype, z, |i| carried[i]))
    }

    fn test(&self, row: Scalar, x: &[Bound]) -> Result<Vec<bool>, Trap> {
        self.real.test(row, &values(x))
    }

    fn compare(&self, row: Scalar, x: &[Bound], y: &[Bound]) -> Result<Vec<bool>, Trap> {
        self.real.compare(row, &values(x), &values(y))
    }

    fn cast(&self, _site: Site, from: DType, to: DType, x: &[Bound]) -> Result<Vec<Bound>, Trap> {
        if unit_roundoff(to) <= unit_roundoff(from) && (from, to) != (DType::BF16, DType::F16) {
            return Ok(x.to_vec());
        }
        let row = self.profile.scalar(Scalar::Cast(to), self.op);
        Ok(self.finish(row, to, values(x), |i| x[i].e))
    }

    fn of_int(&self, site: Site, from: DType, to: DType, x: &[i64]) -> Vec<Bound> {
        let y = self.real.of_int(site, from, to, x);
        let largest = 0.5 / unit_roundoff(to);
        let row = self.profile.scalar(Scalar::Cast(to), self.op);
        y.into_iter()
            .map(|y| {
                if y.abs() <= 2.0 * largest {
                    Bound::exact(y)
                } else {
                    Bound::new(y, Self::local(row, to, y, 0.0, 0.0))
                }
            })
            .collect()
    }

    fn to_int(&self, to: DType, x: &[Bound]) -> Result<Vec<i64>, Trap> {
        let y = self.real.to_int(to, &values(x))?;
        let off = has_error(x).then(|| {
            let end = |s: f64| self.real.to_int(to, &x.iter().map(|b| b.y + s * b.e).collect::<Vec<_>>());
            let (low, high) = (end(-1.0)?, end(1.0)?);
            // An end that the type does not hold wraps, or is cut: from there on any of its values is possible.
            let held = |i: usize, s: f64, end: i64| (x[i].y + s * x[i].e).trunc() == end as f64;
            let any = i64::MAX >> (64 - 8 * to.size()).saturating_sub(1);
            let off = |i: usize| {
                if x[i].e == 0.0 {
                    0
                } else if held(i, -1.0, low[i]) && held(i, 1.0, high[i]) {
                    low[i].abs_diff(y[i]).max(high[i].abs_diff(y[i])).min(i64::MAX as u64) as i64
                } else {
                    any
                }
            };
            Ok::<Vec<i64>, Trap>((0..x.len()).map(off).collect())
        });
        self.note_turned(x.len(), off.transpose()?);
        Ok(y)
    }

    fn to_bool(&self, x: &[Bound]) -> Result<Vec<bool>, Trap> {
        self.real.to_bool(&values(x))
    }

    fn to_bits(&self, dtype: DType, x: &[Bound]) -> Result<Vec<u64>, Trap> {
        self.real.to_bits(dtype, &values(x))
    }

    fn of_bits(&self, dtype: DType, bits: &[u64]) -> Result<Vec<Bound>, Trap> {
        Ok(self.real.of_bits(dtype, bits)?.into_iter().map(Bound::exact).collect())
    }

    fn admits(&self, monoid: Monoid) -> Result<(), Trap> {
        self.real.admits(monoid)
    }

    // `fold_fast` and `contract_fast` answer for every nest, so the three functions of single steps only ever see values.
    fn step(&self, monoid: Monoid, acc: DType, sum: Bound, x: Bound) -> Bound {
        Bound::new(self.real.step(monoid, acc, sum.y, x.y), sum.e + x.e)
    }

    fn enter(&self, acc: DType, x: Bound) -> Bound {
        Bound::new(self.real.enter(acc, x.y), x.e)
    }

    fn empty(&self, monoid: Monoid, acc: DType) -> Bound {
        Bound::exact(self.real.empty(monoid, acc))
    }

    fn product(&self, acc: DType, a: Bound, b: Bound) -> Bound {
        Bound::new(self.real.product(acc, a.y, b.y), a.y.abs() * b.e + b.y.abs() * a.e + a.e * b.e)
    }

    fn improves(&self, monoid: Monoid, best: Bound, x: Bound) -> bool {
        self.real.improves(monoid, best.y, x.y)
    }

    fn order(&self, x: Bound, y: Bound) -> Result<std::cmp::Ordering, Trap> {
        self.real.order(x.y, y.y)
    }

    fn contract_fast(&self, nest: &Nest, acc: DType, a: &[Bound], b: &[Bound]) -> Option<Vec<Bound>> {
        let (k, row) = (nest.folded_len(), self.profile.contract(self.op));
        self.used(row);
        self.counted(k);
        let y = self.sum(nest, acc, &values(a), &values(b));
        let magnitudes = |v: &[Bound]| v.iter().map(|b| b.y.abs()).collect::<Vec<_>>();
        let (am, bm) = (magnitudes(a), magnitudes(b));
        let terms = self.sum(nest, acc, &am, &bm);
        let carried = (has_error(a) || has_error(b)).then(|| {
            let ends = |v: &[Bound]| v.iter().map(|b| b.y.abs() + b.e).collect::<Vec<_>>();
            self.sum(nest, acc, &ends(a), &ends(b))
        });
        let of = |i: usize| {
            // Σ(|a|+e_a)(|b|+e_b) − Σ|a||b|, less the rounding of the two sums themselves.
            let carried = carried.as_ref().map_or(0.0, |c| (c[i] - terms[i]).max(0.0));
            let folded = self.refolded(acc, terms[i], FOLDED_WEIGHT);
            Bound::new(y[i], carried + folded + Self::local(row, acc, y[i], terms[i], k as f64))
        };
        Some((0..y.len()).map(of).collect())
    }

    fn fold_fast(&self, nest: &Nest, monoid: Monoid, acc: DType, x: &[Bound]) -> Option<Vec<Bound>> {
        let k = nest.folded_len();
        let errors = || x.iter().map(|b| b.e).collect::<Vec<_>>();
        let magnitudes = || x.iter().map(|b| b.y.abs()).collect::<Vec<_>>();
        let y = self.fold(nest, monoid, acc, &values(x));
        Some(match monoid {
            Monoid::Sum => {
                let row = self.profile.sum(self.op);
                self.used(row);
                self.counted(k);
                let terms = self.fold(nest, Monoid::Sum, acc, &magnitudes());
                let carried = has_error(x).then(|| self.fold(nest, Monoid::Sum, acc, &errors()));
                let of =
                    |i: usize| carried.as_ref().map_or(0.0, |c| c[i]) + Self::local(row, acc, y[i], terms[i], k as f64);
                (0..y.len()).map(|i| Bound::new(y[i], of(i))).collect()
            }
            Monoid::Prod => {
                let row = self.profile.prod(self.op);
                self.used(row);
                let ends: Vec<f64> = x.iter().map(|b| b.y.abs() + b.e).collect();
                let (least, most) = (self.fold(nest, monoid, acc, &magnitudes()), self.fold(nest, monoid, acc, &ends));
                let of = |i: usize| (most[i] - least[i]).max(0.0) + Self::local(row, acc, y[i], y[i].abs(), k as f64);
                (0..y.len()).map(|i| Bound::new(y[i], of(i))).collect()
            }
            Monoid::Max | Monoid::Min => {
                let carried = has_error(x).then(|| self.fold(nest, Monoid::Max, acc, &errors()));
                (0..y.len()).map(|i| Bound::new(y[i], carried.as_ref().map_or(0.0, |c| c[i].max(0.0)))).collect()
            }
            // Positions are found by `improves`, truth values have no floats.
            Monoid::And
            | Monoid::Or
            | Monoid::ArgMaxFirst
            | Monoid::ArgMaxLast
            | Monoid::ArgMinFirst
            | Monoid::ArgMinLast => return None,
        })
    }
}
