//! Operators of [`Dim`]: with another one, owned or borrowed, or with a number on the right.

use std::iter::{Product, Sum};
use std::ops::{Add, Mul, Sub};

use super::{Atom, Dim, Repr};

impl From<Atom> for Dim {
    fn from(a: Atom) -> Self {
        Self::atom(a)
    }
}

impl From<&Self> for Dim {
    fn from(d: &Self) -> Self {
        d.clone()
    }
}

impl From<i32> for Dim {
    fn from(c: i32) -> Self {
        Self(Repr::Const(i64::from(c)))
    }
}

impl From<i64> for Dim {
    fn from(c: i64) -> Self {
        Self(Repr::Const(c))
    }
}

impl From<usize> for Dim {
    fn from(c: usize) -> Self {
        i64::try_from(c).map_or(Self::INVALID, Self::from)
    }
}

impl PartialEq<i64> for Dim {
    fn eq(&self, c: &i64) -> bool {
        self.as_const() == Some(*c)
    }
}

impl<T: Into<Self>> Add<T> for Dim {
    type Output = Self;
    fn add(self, other: T) -> Self {
        self.add_scaled(&other.into(), 1)
    }
}

impl<T: Into<Dim>> Add<T> for &Dim {
    type Output = Dim;
    fn add(self, other: T) -> Dim {
        self.add_scaled(&other.into(), 1)
    }
}

impl<T: Into<Self>> Sub<T> for Dim {
    type Output = Self;
    fn sub(self, other: T) -> Self {
        self.add_scaled(&other.into(), -1)
    }
}

impl<T: Into<Dim>> Sub<T> for &Dim {
    type Output = Dim;
    fn sub(self, other: T) -> Dim {
        self.add_scaled(&other.into(), -1)
    }
}

impl<T: Into<Self>> Mul<T> for Dim {
    type Output = Self;
    fn mul(self, other: T) -> Self {
        self.times(&other.into())
    }
}

impl<T: Into<Dim>> Mul<T> for &Dim {
    type Output = Dim;
    fn mul(self, other: T) -> Dim {
        self.times(&other.into())
    }
}

impl<T: Into<Self>> Sum<T> for Dim {
    fn sum<I: Iterator<Item = T>>(terms: I) -> Self {
        terms.fold(Self::ZERO, |sum, d| sum + d)
    }
}

impl<T: Into<Self>> Product<T> for Dim {
    fn product<I: Iterator<Item = T>>(factors: I) -> Self {
        factors.fold(Self::ONE, |product, d| product * d)
    }
}
