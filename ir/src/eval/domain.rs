//! Scalar domains: what numbers are. A domain implements the scalar rows, casts and folds over its floats, never operators;
//! the interpreter in [`super`] does the rest once for all of them. Integers and booleans are exact in every domain.
//!
//! Further domains (intervals, dual numbers) implement [`Domain`] and nothing else.

use std::fmt::Debug;

use super::error::Trap;
use super::loops::Nest;
use crate::dtype::DType;
use crate::op::Monoid;
use crate::op::scalar::Scalar;

/// Names the place of an operation within a run, so that random domains give the same numbers each time.
pub type Site = u64;

/// Derives the site of a part from the site of the whole.
pub fn sub_site(site: Site, part: u64) -> Site {
    mix(site ^ mix(part.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

/// A 64-bit finalizer (the one of SplitMix64): bijective, with good avalanche.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A scalar domain. `dtype` arguments are declared element types, which a domain may ignore (real numbers) or obey
/// (native arithmetic). Slices given together have equal lengths.
pub trait Domain {
    /// Its floats.
    type Float: Copy + PartialEq + Debug + 'static;

    /// Name in messages.
    fn name(&self) -> &'static str;

    /// The number of a literal or input element.
    fn lift(&self, dtype: DType, x: f64) -> Self::Float;

    /// A row from one float to a float of the same type.
    fn unary(&self, site: Site, row: Scalar, dtype: DType, x: &[Self::Float]) -> Result<Vec<Self::Float>, Trap>;

    /// A row from two floats to a float, all of the same type (for `pow` the exponent's type does not matter).
    fn binary(
        &self,
        site: Site,
        row: Scalar,
        dtype: DType,
        x: &[Self::Float],
        y: &[Self::Float],
    ) -> Result<Vec<Self::Float>, Trap>;

    /// `is_nan` and `is_inf`.
    fn test(&self, row: Scalar, x: &[Self::Float]) -> Result<Vec<bool>, Trap>;

    /// `eq`, `lt` and `le`.
    fn compare(&self, row: Scalar, x: &[Self::Float], y: &[Self::Float]) -> Result<Vec<bool>, Trap>;

    /// Conversion between float types.
    fn cast(&self, site: Site, from: DType, to: DType, x: &[Self::Float]) -> Result<Vec<Self::Float>, Trap>;

    /// Conversion from an integer type (or bool as 0 and 1).
    fn of_int(&self, site: Site, from: DType, to: DType, x: &[i64]) -> Vec<Self::Float>;

    /// Conversion to an integer type; the result is in its range.
    fn to_int(&self, to: DType, x: &[Self::Float]) -> Result<Vec<i64>, Trap>;

    /// ≠ 0.
    fn to_bool(&self, x: &[Self::Float]) -> Result<Vec<bool>, Trap>;

    /// The bits of each element in its declared type, zero-extended.
    fn to_bits(&self, dtype: DType, x: &[Self::Float]) -> Result<Vec<u64>, Trap>;

    /// From bits of the declared type.
    fn of_bits(&self, dtype: DType, bits: &[u64]) -> Result<Vec<Self::Float>, Trap>;

    /// Whether the monoid has a meaning; asked once before [`Domain::step`] or [`Domain::before`] are used for it.
    fn admits(&self, monoid: Monoid) -> Result<(), Trap>;

    /// One step of sum, prod, max or min in the accumulator type.
    fn step(&self, monoid: Monoid, acc: DType, sum: Self::Float, x: Self::Float) -> Self::Float;

    /// `x` as the accumulator holds it.
    fn enter(&self, acc: DType, x: Self::Float) -> Self::Float;

    /// The result of a fold over nothing.
    fn empty(&self, monoid: Monoid, acc: DType) -> Self::Float;

    /// The product of two elements in the accumulator type.
    fn product(&self, acc: DType, a: Self::Float, b: Self::Float) -> Self::Float;

    /// Whether an arg fold moves from the best value so far to `x`, which comes later; strictly better, or equal and `last`.
    fn improves(&self, monoid: Monoid, best: Self::Float, x: Self::Float) -> bool;

    /// Order of a sort: NaN above +Inf, −0 = +0.
    fn order(&self, x: Self::Float, y: Self::Float) -> Result<std::cmp::Ordering, Trap>;

    /// Whether [`Domain::settle`] wants the scales of contractions and sums.
    fn wants_scale(&self) -> bool {
        false
    }

    /// Called with the results of a contraction or sum and Σ|a|·|b| or Σ|x| of each, where [`Domain::wants_scale`].
    fn settle(&self, _site: Site, _acc: DType, _y: &mut [Self::Float], _scale: &[Self::Float]) {}

    /// |x|, for scales.
    fn magnitude(&self, x: Self::Float) -> Self::Float {
        x
    }

    /// A faster way to the result of a contraction, in the reference order where the domain rounds; None: the plain loop.
    fn contract_fast(
        &self,
        _nest: &Nest,
        _acc: DType,
        _a: &[Self::Float],
        _b: &[Self::Float],
    ) -> Option<Vec<Self::Float>> {
        None
    }

    /// A faster way to the result of a sum, prod, max or min; None: the plain loop.
    fn fold_fast(&self, _nest: &Nest, _monoid: Monoid, _acc: DType, _x: &[Self::Float]) -> Option<Vec<Self::Float>> {
        None
    }
}
