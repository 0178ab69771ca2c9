//! Sorts of elements, and numbers as text.

use egret_ir::{DType, Literal};

use crate::rulecheck::prove::{Laws, rational};

/// A sort of SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// `Bool`.
    Bool,
    /// `(_ BitVec n)`, signed or not in the rows that tell.
    Bits { width: u32, signed: bool },
    /// `(_ FloatingPoint exponent significand)`.
    Float { exponent: u32, significand: u32 },
    /// `Real`.
    Real,
}

/// f64.
pub(super) const DOUBLE: Sort = Sort::Float { exponent: 11, significand: 53 };

impl Sort {
    /// The sort of a type's elements.
    pub(super) fn of(dtype: DType, laws: Laws) -> Self {
        let float = |exponent, significand| match laws {
            Laws::Bits => Self::Float { exponent, significand },
            Laws::Reals => Self::Real,
        };
        match dtype {
            DType::Bool => Self::Bool,
            DType::F16 => float(5, 11),
            DType::BF16 => float(8, 8),
            DType::F32 => float(8, 24),
            DType::F64 => float(11, 53),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
                Self::Bits { width: 8 * dtype.size() as u32, signed: dtype.is_signed_int() }
            }
        }
    }

    /// As SMT-LIB writes it.
    pub(super) fn text(self) -> String {
        match self {
            Self::Bool => "Bool".to_owned(),
            Self::Bits { width, .. } => format!("(_ BitVec {width})"),
            Self::Float { exponent, significand } => format!("(_ FloatingPoint {exponent} {significand})"),
            Self::Real => "Real".to_owned(),
        }
    }
}

/// A whole number of `Int` or, with a point, of `Real`.
pub(super) fn whole(n: i128, point: &str) -> String {
    if n < 0 { format!("(- {}{point})", n.unsigned_abs()) } else { format!("{n}{point}") }
}

/// The bits of a vector.
fn bits(width: u32, bits: u64) -> String {
    format!("#x{bits:0digits$x}", digits = (width / 4) as usize)
}

/// A literal; None where it is no number and numbers are real.
pub(super) fn literal(l: Literal, laws: Laws) -> Option<String> {
    Some(match Sort::of(l.dtype(), laws) {
        Sort::Bool => (l.bits() == 1).to_string(),
        Sort::Bits { width, .. } => bits(width, l.bits()),
        Sort::Float { exponent, significand } if l.to_f64().is_nan() => format!("(_ NaN {exponent} {significand})"),
        Sort::Float { exponent, significand } => {
            format!("((_ to_fp {exponent} {significand}) {})", bits(exponent + significand, l.bits()))
        }
        Sort::Real => {
            let (n, d) = rational(l)?;
            format!("(/ {} {})", whole(n, ".0"), whole(d, ".0"))
        }
    })
}

/// The float of that sort nearest to a small whole number.
pub(super) fn number(sort: Sort, n: i64) -> String {
    match sort {
        Sort::Bool => (n != 0).to_string(),
        Sort::Bits { width, .. } => {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            bits(width, n as u64 & mask)
        }
        Sort::Float { exponent, significand } => {
            format!("((_ to_fp {exponent} {significand}) RNE {})", whole(i128::from(n), ".0"))
        }
        Sort::Real => whole(i128::from(n), ".0"),
    }
}
