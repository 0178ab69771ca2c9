//! The domains whose floats are kept as f64: real numbers (f64 throughout), native arithmetic of the declared type, and
//! random rounding. They share the scalar rows and differ in what happens to each result.

use half::{bf16, f16};

use super::domain::{Domain, Site, mix, sub_site};
use super::error::Trap;
use super::fast;
use super::ints::wrap;
use super::loops::Nest;
use crate::dtype::{DType, Literal};
use crate::op::Monoid;
use crate::op::scalar::{InfSign, Scalar};

/// `x` rounded to the nearest value of a float type, ties to even; overflow gives an infinity.
///
/// Results of + − × ÷ √ on f16, bf16 and f32 operands computed in f64 and rounded so are correctly rounded: f64 has more
/// than twice their digits plus two (Figueroa, "When is double rounding innocuous?", 1995).
pub fn round_to(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::BF16 => bf16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// Unit roundoff of a float type: half the distance from 1 to the next larger value. Zero for other types.
pub fn unit_roundoff(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F32 => 2f64.powi(-24),
        DType::F64 => 2f64.powi(-53),
        _ => 0.0,
    }
}

/// What becomes of the result of an operation.
pub trait Rounding {
    /// Name of the domain.
    const NAME: &'static str;
    /// Whether every step of a fold is rounded, so that its order matters.
    const STEPWISE: bool;
    /// Whether folds are perturbed afterwards by their scale.
    const SETTLES: bool = false;
    /// Rounds one value to a type (identity unless stepwise).
    fn one(&self, dtype: DType, y: f64) -> f64;
    /// Finishes the results of a row that rounds.
    fn finish(&self, site: Site, dtype: DType, y: &mut [f64]);
    /// Perturbs the results of folds, given their scales.
    fn settle(&self, _site: Site, _acc: DType, _y: &mut [f64], _scale: &[f64]) {}
}

/// No rounding beyond f64's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Rounding for Exact {
    const NAME: &'static str = "f64";
    const STEPWISE: bool = false;
    fn one(&self, _dtype: DType, y: f64) -> f64 {
        y
    }
    fn finish(&self, _site: Site, _dtype: DType, _y: &mut [f64]) {}
}

/// Every result rounded to its declared type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Declared;

impl Rounding for Declared {
    const NAME: &'static str = "native";
    const STEPWISE: bool = true;
    fn one(&self, dtype: DType, y: f64) -> f64 {
        round_to(dtype, y)
    }
    fn finish(&self, _site: Site, dtype: DType, y: &mut [f64]) {
        match dtype {
            DType::F32 => y.iter_mut().for_each(|y| *y = f64::from(*y as f32)),
            DType::F16 | DType::BF16 => y.iter_mut().for_each(|y| *y = round_to(dtype, *y)),
            _ => {}
        }
    }
}

/// Every result perturbed at random, as much as rounding to its declared type may do.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    seed: u64,
}

impl Noise {
    /// A number uniform in (−1, 1) that depends on seed, site and element only.
    fn draw(self, site: Site, i: usize) -> f64 {
        let bits = mix(sub_site(self.seed ^ site, i as u64));
        (bits >> 11) as f64 * 2f64.powi(-52) - 1.0
    }
}

impl Rounding for Noise {
    const NAME: &'static str = "random rounding";
    const STEPWISE: bool = false;
    const SETTLES: bool = true;
    fn one(&self, _dtype: DType, y: f64) -> f64 {
        y
    }
    fn finish(&self, site: Site, dtype: DType, y: &mut [f64]) {
        let u = unit_roundoff(dtype);
        for (i, y) in y.iter_mut().enumerate() {
            if y.is_finite() {
                *y += u * self.draw(site, i) * *y;
            }
        }
    }
    fn settle(&self, site: Site, acc: DType, y: &mut [f64], scale: &[f64]) {
        // Uniform with standard deviation 0.5·u·scale.
        let width = 0.5 * 3f64.sqrt() * unit_roundoff(acc);
        for (i, (y, s)) in y.iter_mut().zip(scale).enumerate() {
            if y.is_finite() && s.is_finite() {
                *y += width * self.draw(site, i) * s;
            }
        }
    }
}

/// A domain whose floats are f64 values, finished by `R`.
#[derive(Clone, Copy, Debug)]
pub struct Floats<R>(R);

/// Real numbers, as far as f64 goes: declared float types are ignored.
pub type Real = Floats<Exact>;
/// True arithmetic, operation by operation, in the declared type; f64 values that the declared type has exactly.
pub type Native = Floats<Declared>;
/// f64 with every float operation perturbed by a uniform ±u·|y| of its declared type, contractions and sums with a
/// standard deviation of 0.5·u·Σ|a|·|b|. Equal seeds give equal runs.
pub type RandomRounding = Floats<Noise>;

impl Real {
    /// The domain.
    pub const fn new() -> Self {
        Self(Exact)
    }
}

impl Default for Real {
    fn default() -> Self {
        Self::new()
    }
}

impl Native {
    /// The domain.
    pub const fn new() -> Self {
        Self(Declared)
    }
}

impl Default for Native {
    fn default() -> Self {
        Self::new()
    }
}

impl RandomRounding {
    /// The domain with a seed.
    pub fn new(seed: u64) -> Self {
        Self(Noise { seed: mix(seed) })
    }
}

/// IEEE 754-2019 minimum: NaN wins, −0 < +0.
pub fn minimum(x: f64, y: f64) -> f64 {
    if x.is_nan() {
        x
    } else if y.is_nan() {
        y
    } else if x == y {
        if x.is_sign_negative() { x } else { y }
    } else if x < y {
        x
    } else {
        y
    }
}

/// IEEE 754-2019 maximum: NaN wins, −0 < +0.
pub fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() {
        x
    } else if y.is_nan() {
        y
    } else if x == y {
        if x.is_sign_positive() { x } else { y }
    } else if x > y {
        x
    } else {
        y
    }
}

fn rem_floor(x: f64, y: f64) -> f64 {
    let r = x % y;
    if r == 0.0 {
        0f64.copysign(y)
    } else if (r < 0.0) == (y < 0.0) {
        r
    } else {
        r + y
    }
}

/// C's pow: pow(x, ±0) = pow(1, y) = 1, also on NaN.
fn power(x: f64, y: f64) -> f64 {
    if y == 2.0 { x * x } else { libm::pow(x, y) }
}

/// 1 / (1 + e⁻ˣ), total.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn sign(x: f64) -> f64 {
    if x.is_nan() { x } else { f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)) }
}

/// A row from one f64; None where the row is none. The flag says whether the result is exact for every operand.
fn unary_row(row: Scalar, x: &[f64]) -> Option<(Vec<f64>, bool)> {
    macro_rules! each {
        ($exact:literal, $f:expr) => {
            Some((x.iter().map(|x| $f(*x)).collect(), $exact))
        };
    }
    match row {
        Scalar::Neg => each!(true, |x: f64| -x),
        Scalar::Abs => each!(true, f64::abs),
        Scalar::Floor => each!(true, f64::floor),
        Scalar::Ceil => each!(true, f64::ceil),
        Scalar::Round => each!(true, f64::round_ties_even),
        Scalar::Sign => each!(true, sign),
        Scalar::Sqrt => each!(false, f64::sqrt),
        Scalar::Exp => each!(false, libm::exp),
        Scalar::Log => each!(false, libm::log),
        Scalar::Log1p => each!(false, libm::log1p),
        Scalar::Sin => each!(false, libm::sin),
        Scalar::Cos => each!(false, libm::cos),
        Scalar::Tan => each!(false, libm::tan),
        Scalar::Asin => each!(false, libm::asin),
        Scalar::Acos => each!(false, libm::acos),
        Scalar::Atan => each!(false, libm::atan),
        Scalar::Sinh => each!(false, libm::sinh),
        Scalar::Cosh => each!(false, libm::cosh),
        Scalar::Tanh => each!(false, libm::tanh),
        Scalar::Asinh => each!(false, libm::asinh),
        // Below 1 there is none; `libm` gives numbers for large negative operands.
        Scalar::Acosh => each!(false, |x: f64| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
        Scalar::Atanh => each!(false, libm::atanh),
        Scalar::Erf => each!(false, libm::erf),
        Scalar::Sigmoid => each!(false, sigmoid),
        Scalar::Add
        | Scalar::Sub
        | Scalar::Mul
        | Scalar::Div
        | Scalar::RemFloor
        | Scalar::RemTrunc
        | Scalar::Min
        | Scalar::Max
        | Scalar::Pow
        | Scalar::IsNan
        | Scalar::Eq
        | Scalar::Lt
        | Scalar::Le
        | Scalar::And
        | Scalar::Or
        | Scalar::Xor
        | Scalar::Not
        | Scalar::Shl
        | Scalar::Shr
        | Scalar::Select
        | Scalar::IsInf(_)
        | Scalar::Cast(_)
        | Scalar::BitCast(_) => None,
    }
}

/// A row from two f64; None where the row is none. The flag says whether the result is exact for every operand.
fn binary_row(row: Scalar, x: &[f64], y: &[f64]) -> Option<(Vec<f64>, bool)> {
    macro_rules! each {
        ($exact:literal, $f:expr) => {
            Some((x.iter().zip(y).map(|(x, y)| $f(*x, *y)).collect(), $exact))
        };
    }
    match row {
        Scalar::Add => each!(false, |x: f64, y: f64| x + y),
        Scalar::Sub => each!(false, |x: f64, y: f64| x - y),
        Scalar::Mul => each!(false, |x: f64, y: f64| x * y),
        Scalar::Div => each!(false, |x: f64, y: f64| x / y),
        Scalar::RemTrunc => each!(true, |x: f64, y: f64| x % y),
        Scalar::RemFloor => each!(false, rem_floor),
        Scalar::Min => each!(true, minimum),
        Scalar::Max => each!(true, maximum),
        Scalar::Pow => each!(false, power),
        _ => None,
    }
}

fn refused(domain: &'static str, what: impl std::fmt::Display) -> Trap {
    Trap::Refused { domain, what: what.to_string() }
}

/// Truncation as compilers for x86 do it: values out of range (and NaN) give the least value of the 32- or 64-bit
/// conversion instruction, of which narrower types keep the low bits.
pub fn truncate(to: DType, x: f64) -> i64 {
    let wide = |x: f64| {
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) { x as i64 } else { i64::MIN }
    };
    match to {
        DType::I64 => wide(x),
        DType::U32 => wrap(to, wide(x)),
        DType::U64 if x >= 9_223_372_036_854_775_808.0 => wide(x - 9_223_372_036_854_775_808.0) ^ i64::MIN,
        DType::U64 => wide(x),
        _ => {
            let narrow = if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i64 } else { i64::from(i32::MIN) };
            wrap(to, narrow)
        }
    }
}

impl<R: Rounding> Domain for Floats<R> {
    type Float = f64;

    fn name(&self) -> &'static str {
        R::NAME
    }

    fn lift(&self, dtype: DType, x: f64) -> f64 {
        self.0.one(dtype, x)
    }

    fn unary(&self, site: Site, row: Scalar, dtype: DType, x: &[f64]) -> Result<Vec<f64>, Trap> {
        let (mut y, exact) = unary_row(row, x).ok_or_else(|| refused(R::NAME, row))?;
        if !exact {
            self.0.finish(site, dtype, &mut y);
        }
        Ok(y)
    }

    fn binary(&self, site: Site, row: Scalar, dtype: DType, x: &[f64], y: &[f64]) -> Result<Vec<f64>, Trap> {
        let (mut z, exact) = binary_row(row, x, y).ok_or_else(|| refused(R::NAME, row))?;
        if !exact {
            self.0.finish(site, dtype, &mut z);
        }
        Ok(z)
    }

    fn test(&self, row: Scalar, x: &[f64]) -> Result<Vec<bool>, Trap> {
        let each = |f: fn(f64) -> bool| Ok(x.iter().map(|x| f(*x)).collect());
        match row {
            Scalar::IsNan => each(f64::is_nan),
            Scalar::IsInf(InfSign::Both) => each(f64::is_infinite),
            Scalar::IsInf(InfSign::Positive) => each(|x| x == f64::INFINITY),
            Scalar::IsInf(InfSign::Negative) => each(|x| x == f64::NEG_INFINITY),
            _ => Err(refused(R::NAME, row)),
        }
    }

    fn compare(&self, row: Scalar, x: &[f64], y: &[f64]) -> Result<Vec<bool>, Trap> {
        let pairs = x.iter().zip(y);
        match row {
            Scalar::Eq => Ok(pairs.map(|(x, y)| x == y).collect()),
            Scalar::Lt => Ok(pairs.map(|(x, y)| x < y).collect()),
            Scalar::Le => Ok(pairs.map(|(x, y)| x <= y).collect()),
            _ => Err(refused(R::NAME, row)),
        }
    }

    fn cast(&self, site: Site, from: DType, to: DType, x: &[f64]) -> Result<Vec<f64>, Trap> {
        let mut y = x.to_vec();
        if unit_roundoff(to) > unit_roundoff(from) || (from, to) == (DType::BF16, DType::F16) {
            self.0.finish(site, to, &mut y);
        }
        Ok(y)
    }

    fn of_int(&self, site: Site, from: DType, to: DType, x: &[i64]) -> Vec<f64> {
        let mut y: Vec<f64> = if from == DType::U64 {
            x.iter().map(|x| *x as u64 as f64).collect()
        } else {
            x.iter().map(|x| *x as f64).collect()
        };
        // Integers of up to 24 bits are exact in f32; elsewhere the conversion rounds.
        if R::STEPWISE {
            if to == DType::F32 && from.size() == 8 {
                // One rounding from the integer, not two through f64.
                let direct = |x: i64| if from == DType::U64 { x as u64 as f32 } else { x as f32 };
                return x.iter().map(|x| f64::from(direct(*x))).collect();
            }
            self.0.finish(site, to, &mut y);
        }
        y
    }

    fn to_int(&self, to: DType, x: &[f64]) -> Result<Vec<i64>, Trap> {
        Ok(x.iter().map(|x| truncate(to, *x)).collect())
    }

    fn to_bool(&self, x: &[f64]) -> Result<Vec<bool>, Trap> {
        Ok(x.iter().map(|x| *x != 0.0).collect())
    }

    fn to_bits(&self, dtype: DType, x: &[f64]) -> Result<Vec<u64>, Trap> {
        Ok(x.iter().map(|x| Literal::from_f64(dtype, *x).bits()).collect())
    }

    fn of_bits(&self, dtype: DType, bits: &[u64]) -> Result<Vec<f64>, Trap> {
        Ok(bits.iter().map(|b| Literal::from_bits(dtype, *b).to_f64()).collect())
    }

    fn admits(&self, _monoid: Monoid) -> Result<(), Trap> {
        Ok(())
    }

    fn step(&self, monoid: Monoid, acc: DType, sum: f64, x: f64) -> f64 {
        match monoid {
            Monoid::Prod => self.0.one(acc, sum * x),
            Monoid::Max => maximum(sum, x),
            Monoid::Min => minimum(sum, x),
            Monoid::Sum
            | Monoid::And
            | Monoid::Or
            | Monoid::ArgMaxFirst
            | Monoid::ArgMaxLast
            | Monoid::ArgMinFirst
            | Monoid::ArgMinLast => self.0.one(acc, sum + x),
        }
    }

    fn enter(&self, acc: DType, x: f64) -> f64 {
        self.0.one(acc, x)
    }

    fn empty(&self, monoid: Monoid, _acc: DType) -> f64 {
        match monoid {
            Monoid::Prod => 1.0,
            Monoid::Max => f64::NEG_INFINITY,
            Monoid::Min => f64::INFINITY,
            Monoid::Sum
            | Monoid::And
            | Monoid::Or
            | Monoid::ArgMaxFirst
            | Monoid::ArgMaxLast
            | Monoid::ArgMinFirst
            | Monoid::ArgMinLast => 0.0,
        }
    }

    fn product(&self, acc: DType, a: f64, b: f64) -> f64 {
        self.0.one(acc, a * b)
    }

    fn improves(&self, monoid: Monoid, best: f64, x: f64) -> bool {
        if best.is_nan() {
            return false;
        }
        if x.is_nan() {
            return true;
        }
        match monoid {
            Monoid::ArgMaxLast => x >= best,
            Monoid::ArgMinFirst => x < best,
            Monoid::ArgMinLast => x <= best,
            Monoid::ArgMaxFirst | Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or => {
                x > best
            }
        }
    }

    fn order(&self, x: f64, y: f64) -> Result<std::cmp::Ordering, Trap> {
        Ok(x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())))
    }

    fn wants_scale(&self) -> bool {
        R::SETTLES
    }

    fn settle(&self, site: Site, acc: DType, y: &mut [f64], scale: &[f64]) {
        self.0.settle(site, acc, y, scale);
    }

    fn magnitude(&self, x: f64) -> f64 {
        x.abs()
    }

    fn contract_fast(&self, nest: &Nest, acc: DType, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
        fast::contract(nest, R::STEPWISE.then_some(acc), a, b)
    }

    fn fold_fast(&self, nest: &Nest, monoid: Monoid, acc: DType, x: &[f64]) -> Option<Vec<f64>> {
        fast::fold(nest, monoid, R::STEPWISE.then_some(acc), x)
    }
}
