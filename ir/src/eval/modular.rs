//! Numbers modulo two primes near 2⁶¹: identities of polynomials and quotients without rounding noise. A false one survives
//! a random input with probability below 2⁻⁶⁰ per degree (Schwartz–Zippel, once for each prime).
//!
//! add, sub, mul, div, neg, sums and products have their meaning; so have pow with a small integer exponent, conversion from
//! integers and widening casts. Every other row, comparisons included, is an uninterpreted function: a hash of its
//! operands, so that equal operands give equal results and nothing else holds. min, max and orders are refused.

use std::cmp::Ordering;

use super::domain::{Domain, Site, mix};
use super::error::Trap;
use super::ints::wrap;
use super::real::unit_roundoff;
use crate::dtype::DType;
use crate::op::Monoid;
use crate::op::scalar::Scalar;

/// 2⁶¹ − 1 and 2⁶¹ − 31.
const PRIMES: [u64; 2] = [(1 << 61) - 1, (1 << 61) - 31];

/// A residue modulo each prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Residue([u64; 2]);

fn each(f: impl Fn(usize, u64) -> u64) -> Residue {
    Residue([f(0, PRIMES[0]), f(1, PRIMES[1])])
}

fn mul_mod(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

fn pow_mod(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul_mod(result, base, p);
        }
        base = mul_mod(base, base, p);
        exponent >>= 1;
    }
    result
}

impl Residue {
    /// The residue of an integer.
    pub fn from_i128(x: i128) -> Self {
        each(|_, p| x.rem_euclid(i128::from(p)) as u64)
    }

    /// Built from random bits.
    pub fn from_bits(a: u64, b: u64) -> Self {
        each(|i, p| [a, b][i] % p)
    }

    fn add(self, y: Self) -> Self {
        each(|i, p| (self.0[i] + y.0[i]) % p)
    }

    fn neg(self) -> Self {
        each(|i, p| (p - self.0[i]) % p)
    }

    fn mul(self, y: Self) -> Self {
        each(|i, p| mul_mod(self.0[i], y.0[i], p))
    }

    /// The inverse, where neither residue is zero.
    fn inverse(self) -> Option<Self> {
        (!self.0.contains(&0)).then(|| each(|i, p| pow_mod(self.0[i], p - 2, p)))
    }

    fn power(self, exponent: u64) -> Self {
        each(|i, p| pow_mod(self.0[i], exponent, p))
    }
}

/// The domain; the seed chooses the uninterpreted functions.
#[derive(Clone, Copy, Debug)]
pub struct Modular {
    seed: u64,
}

impl Modular {
    /// The domain with a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed: mix(seed) }
    }

    fn refused<T>(self, what: impl std::fmt::Display) -> Result<T, Trap> {
        Err(Trap::Refused { domain: self.name(), what: what.to_string() })
    }

    /// 64 bits that depend on a tag and residues.
    fn hash(self, tag: &str, args: &[Residue]) -> u64 {
        let tag = tag.bytes().fold(self.seed, |h, b| mix(h ^ u64::from(b)));
        args.iter().flat_map(|r| r.0).fold(tag, |h, x| mix(h ^ x))
    }

    fn opaque(self, tag: &str, args: &[Residue]) -> Residue {
        let h = self.hash(tag, args);
        Residue::from_bits(h, mix(h))
    }

    /// x^y for y the residue of an integer of at most 64 in size.
    fn small_power(x: Residue, y: Residue) -> Option<Residue> {
        (0..=64u64).find_map(|n| {
            let exponent = Residue::from_i128(i128::from(n));
            if y == exponent {
                Some(x.power(n))
            } else if y == exponent.neg() {
                x.inverse().map(|i| i.power(n))
            } else {
                None
            }
        })
    }
}

impl Domain for Modular {
    type Float = Residue;

    fn name(&self) -> &'static str {
        "modular"
    }

    fn lift(&self, _dtype: DType, x: f64) -> Residue {
        if !x.is_finite() {
            let size = self.opaque(if x.is_nan() { "nan" } else { "inf" }, &[]);
            return if x < 0.0 { size.neg() } else { size };
        }
        // x = mantissa · 2^exponent exactly; 2 is invertible.
        let bits = x.to_bits();
        let (stored, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & ((1 << 52) - 1)) as i128);
        let (mantissa, exponent) = if stored == 0 { (fraction, -1074) } else { (fraction | 1 << 52, stored - 1075) };
        let two = Residue::from_i128(2).power(exponent.unsigned_abs());
        let scale = if exponent < 0 { two.inverse().unwrap_or(two) } else { two };
        let size = Residue::from_i128(mantissa).mul(scale);
        if x < 0.0 { size.neg() } else { size }
    }

    fn unary(&self, _site: Site, row: Scalar, _dtype: DType, x: &[Residue]) -> Result<Vec<Residue>, Trap> {
        Ok(match row {
            Scalar::Neg => x.iter().map(|x| x.neg()).collect(),
            _ => x.iter().map(|x| self.opaque(row.name(), &[*x])).collect(),
        })
    }

    fn binary(
        &self,
        _site: Site,
        row: Scalar,
        _dtype: DType,
        x: &[Residue],
        y: &[Residue],
    ) -> Result<Vec<Residue>, Trap> {
        let pairs = x.iter().copied().zip(y.iter().copied());
        Ok(match row {
            Scalar::Min | Scalar::Max => return self.refused(row),
            Scalar::Add => pairs.map(|(x, y)| x.add(y)).collect(),
            Scalar::Sub => pairs.map(|(x, y)| x.add(y.neg())).collect(),
            Scalar::Mul => pairs.map(|(x, y)| x.mul(y)).collect(),
            Scalar::Div => {
                pairs.map(|(x, y)| y.inverse().map_or_else(|| self.opaque("div", &[x, y]), |i| x.mul(i))).collect()
            }
            Scalar::Pow => {
                pairs.map(|(x, y)| Self::small_power(x, y).unwrap_or_else(|| self.opaque("pow", &[x, y]))).collect()
            }
            _ => pairs.map(|(x, y)| self.opaque(row.name(), &[x, y])).collect(),
        })
    }

    fn test(&self, row: Scalar, x: &[Residue]) -> Result<Vec<bool>, Trap> {
        Ok(x.iter().map(|x| self.hash(row.name(), &[*x]) & 1 == 1).collect())
    }

    fn compare(&self, row: Scalar, x: &[Residue], y: &[Residue]) -> Result<Vec<bool>, Trap> {
        let pairs = x.iter().zip(y);
        Ok(pairs
            .map(|(x, y)| {
                let args = if row == Scalar::Eq && x.0 > y.0 { [*y, *x] } else { [*x, *y] };
                self.hash(row.name(), &args) & 1 == 1
            })
            .collect())
    }

    fn cast(&self, _site: Site, from: DType, to: DType, x: &[Residue]) -> Result<Vec<Residue>, Trap> {
        let widens = unit_roundoff(to) <= unit_roundoff(from) && (from, to) != (DType::BF16, DType::F16);
        if widens {
            return Ok(x.to_vec());
        }
        let tag = format!("cast:{to}");
        Ok(x.iter().map(|x| self.opaque(&tag, &[*x])).collect())
    }

    fn of_int(&self, _site: Site, from: DType, _to: DType, x: &[i64]) -> Vec<Residue> {
        x.iter()
            .map(|x| Residue::from_i128(if from == DType::U64 { i128::from(*x as u64) } else { i128::from(*x) }))
            .collect()
    }

    fn to_int(&self, to: DType, x: &[Residue]) -> Result<Vec<i64>, Trap> {
        Ok(x.iter().map(|x| wrap(to, self.hash("to_int", &[*x]) as i64)).collect())
    }

    fn to_bool(&self, x: &[Residue]) -> Result<Vec<bool>, Trap> {
        Ok(x.iter().map(|x| self.hash("to_bool", &[*x]) & 1 == 1).collect())
    }

    fn to_bits(&self, _dtype: DType, _x: &[Residue]) -> Result<Vec<u64>, Trap> {
        self.refused("bits of a float")
    }

    fn of_bits(&self, _dtype: DType, _bits: &[u64]) -> Result<Vec<Residue>, Trap> {
        self.refused("a float of given bits")
    }

    fn admits(&self, monoid: Monoid) -> Result<(), Trap> {
        match monoid {
            Monoid::Sum | Monoid::Prod => Ok(()),
            Monoid::Max
            | Monoid::Min
            | Monoid::And
            | Monoid::Or
            | Monoid::ArgMaxFirst
            | Monoid::ArgMaxLast
            | Monoid::ArgMinFirst
            | Monoid::ArgMinLast => self.refused(monoid.name()),
        }
    }

    fn step(&self, monoid: Monoid, _acc: DType, sum: Residue, x: Residue) -> Residue {
        if monoid == Monoid::Prod { sum.mul(x) } else { sum.add(x) }
    }

    fn enter(&self, _acc: DType, x: Residue) -> Residue {
        x
    }

    fn empty(&self, monoid: Monoid, _acc: DType) -> Residue {
        Residue::from_i128(i128::from(monoid == Monoid::Prod))
    }

    fn product(&self, _acc: DType, a: Residue, b: Residue) -> Residue {
        a.mul(b)
    }

    fn improves(&self, _monoid: Monoid, _best: Residue, _x: Residue) -> bool {
        false
    }

    fn order(&self, _x: Residue, _y: Residue) -> Result<Ordering, Trap> {
        self.refused("an order")
    }
}
