//! Element types and single literals.

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it: kind and width in bits")]
pub enum DType {
    F16,
    BF16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

impl DType {
    /// Every element type, in declaration order.
    pub const ALL: [Self; 13] = [
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::Bool,
    ];

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::F16 | Self::BF16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// f16, bf16, f32 or f64.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// A signed or unsigned integer (not bool).
    pub const fn is_int(self) -> bool {
        self.is_signed_int() || self.is_unsigned_int()
    }

    /// i8, i16, i32 or i64.
    pub const fn is_signed_int(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// u8, u16, u32 or u64.
    pub const fn is_unsigned_int(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// Float or integer.
    pub const fn is_num(self) -> bool {
        !matches!(self, Self::Bool)
    }

    /// The name in text forms: `f32`, `i64`, `bool` …
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Bool => "bool",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is no element type's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no element type")]
pub struct UnknownDType(pub String);

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(text: &str) -> Result<Self, UnknownDType> {
        Self::ALL.into_iter().find(|d| d.name() == text).ok_or_else(|| UnknownDType(text.to_owned()))
    }
}

/// One element: its type and its bits, zero-extended to 64. Equality is of bits, so `0.0 != -0.0` and a NaN equals itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    dtype: DType,
    bits: u64,
}

impl Literal {
    /// From raw bits; bits above the type's width are cut off.
    pub const fn from_bits(dtype: DType, bits: u64) -> Self {
        let mask = if dtype.size() == 8 { u64::MAX } else { (1 << (8 * dtype.size())) - 1 };
        Self { dtype, bits: bits & mask }
    }

    /// The value `x` rounded to `dtype` (floats to nearest even, integers truncated and saturated, bool `x != 0`).
    pub fn from_f64(dtype: DType, x: f64) -> Self {
        let bits = match dtype {
            DType::F16 => u64::from(f16::from_f64(x).to_bits()),
            DType::BF16 => u64::from(bf16::from_f64(x).to_bits()),
            DType::F32 => u64::from((x as f32).to_bits()),
            DType::F64 => x.to_bits(),
            DType::I8 => (x as i8) as u64,
            DType::I16 => (x as i16) as u64,
            DType::I32 => (x as i32) as u64,
            DType::I64 => (x as i64) as u64,
            DType::U8 => u64::from(x as u8),
            DType::U16 => u64::from(x as u16),
            DType::U32 => u64::from(x as u32),
            DType::U64 => x as u64,
            DType::Bool => u64::from(x != 0.0),
        };
        Self::from_bits(dtype, bits)
    }

    /// The integer `x` in `dtype`: wrapped for integers, rounded for floats, `x != 0` for bool.
    pub fn from_i64(dtype: DType, x: i64) -> Self {
        if dtype.is_float() {
            Self::from_f64(dtype, x as f64)
        } else if dtype == DType::Bool {
            Self::from_bits(dtype, u64::from(x != 0))
        } else {
            Self::from_bits(dtype, x as u64)
        }
    }

    /// A 32-bit float.
    pub fn f32(x: f32) -> Self {
        Self::from_bits(DType::F32, u64::from(x.to_bits()))
    }

    /// A 64-bit integer.
    pub fn i64(x: i64) -> Self {
        Self::from_bits(DType::I64, x as u64)
    }

    /// A truth value.
    pub fn bool(x: bool) -> Self {
        Self::from_bits(DType::Bool, u64::from(x))
    }

    /// Its element type.
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// Its bits, zero-extended.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The value as `f64` (64-bit integers rounded).
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::F16 => f16::from_bits(self.bits as u16).to_f64(),
            DType::BF16 => bf16::from_bits(self.bits as u16).to_f64(),
            DType::F32 => f64::from(f32::from_bits(self.bits as u32)),
            DType::F64 => f64::from_bits(self.bits),
            DType::U64 => self.bits as f64,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::Bool => {
                self.to_i64() as f64
            }
        }
    }

    /// The value as `i64`: sign-extended integers (u64 reinterpreted), bool 0/1, floats truncated and saturated.
    pub fn to_i64(self) -> i64 {
        match self.dtype {
            DType::I8 => i64::from(self.bits as i8),
            DType::I16 => i64::from(self.bits as i16),
            DType::I32 => i64::from(self.bits as i32),
            DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 | DType::Bool => self.bits as i64,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => self.to_f64() as i64,
        }
    }

    /// Little-endian bytes, as long as the type.
    pub fn to_le_bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.dtype.size()].to_vec()
    }
}

/// Prints a value that parses back to the same bits: `1.5f32`, `-3i64`, `true`, and `0x7fc00001_f32` where no decimal does.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (d, bits) = (self.dtype, self.bits);
        if d == DType::Bool {
            return write!(f, "{}", bits != 0);
        }
        if d == DType::U64 {
            return write!(f, "{bits}{d}");
        }
        if d.is_int() {
            return write!(f, "{}{d}", self.to_i64());
        }
        let x = self.to_f64();
        if x.is_nan() {
            return write!(f, "0x{bits:x}_{d}");
        }
        if x.is_infinite() {
            return write!(f, "{}inf{d}", if x < 0.0 { "-" } else { "" });
        }
        if d == DType::F32 { write!(f, "{:?}{d}", x as f32) } else { write!(f, "{x:?}{d}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_bits() {
        assert_ne!(Literal::f32(0.0), Literal::f32(-0.0));
        assert_eq!(Literal::from_i64(DType::I8, 300).to_i64(), 44);
        assert_eq!(Literal::from_i64(DType::I8, -1).bits(), 0xff);
        assert_eq!(Literal::f32(0.1).to_string(), "0.1f32");
        assert_eq!(Literal::f32(f32::NEG_INFINITY).to_string(), "-inff32");
    }
}
