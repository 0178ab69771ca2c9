//! Integers and booleans: the scalar rows exactly, the same in every domain. Two's complement, wrapping at the type's width.

use super::error::Trap;
use crate::dtype::DType;
use crate::op::Monoid;
use crate::op::scalar::Scalar;

/// `x` wrapped to the type: sign- or zero-extended from its low bits (u64 reinterpreted).
pub fn wrap(dtype: DType, x: i64) -> i64 {
    match dtype {
        DType::I8 => i64::from(x as i8),
        DType::I16 => i64::from(x as i16),
        DType::I32 => i64::from(x as i32),
        DType::U8 => i64::from(x as u8),
        DType::U16 => i64::from(x as u16),
        DType::U32 => i64::from(x as u32),
        DType::Bool => i64::from(x != 0),
        DType::I64 | DType::U64 | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => x,
    }
}

/// The least (`false`) or greatest (`true`) value of an integer type, as stored.
pub fn limit(dtype: DType, greatest: bool) -> i64 {
    let bits = 8 * dtype.size() as u32;
    match (dtype.is_signed_int(), greatest) {
        (true, true) => i64::MAX >> (64 - bits),
        (true, false) => i64::MIN >> (64 - bits),
        (false, true) => (u64::MAX >> (64 - bits)) as i64,
        (false, false) => 0,
    }
}

/// x < y in the type.
pub fn less(dtype: DType, x: i64, y: i64) -> bool {
    if dtype == DType::U64 { (x as u64) < (y as u64) } else { x < y }
}

fn shift(dtype: DType, x: i64, by: i64, left: bool) -> i64 {
    let bits = 8 * dtype.size() as i64;
    if (0..bits).contains(&by) {
        match (left, dtype == DType::U64) {
            (true, _) => x << by,
            (false, true) => ((x as u64) >> by) as i64,
            (false, false) => x >> by,
        }
    } else if !left && x < 0 && dtype.is_signed_int() {
        -1
    } else {
        0
    }
}

fn divide(dtype: DType, x: i64, y: i64) -> i64 {
    if dtype == DType::U64 { ((x as u64) / (y as u64)) as i64 } else { x.wrapping_div(y) }
}

fn remainder(dtype: DType, x: i64, y: i64) -> i64 {
    if dtype == DType::U64 { ((x as u64) % (y as u64)) as i64 } else { x.wrapping_rem(y) }
}

fn power(base: i64, exponent: i64, unsigned: bool) -> i64 {
    if exponent < 0 && !unsigned {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut square, mut left) = (1i64, base, exponent as u64);
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    result
}

/// A row from one integer to an integer; None where the row is none.
pub fn unary(row: Scalar, dtype: DType, x: &[i64]) -> Option<Vec<i64>> {
    let each = |f: &dyn Fn(i64) -> i64| Some(x.iter().map(|x| wrap(dtype, f(*x))).collect());
    match row {
        Scalar::Neg => each(&i64::wrapping_neg),
        Scalar::Abs if dtype.is_signed_int() => each(&i64::wrapping_abs),
        Scalar::Abs => Some(x.to_vec()),
        Scalar::Sign if dtype.is_signed_int() => each(&i64::signum),
        Scalar::Sign => each(&|x| i64::from(x != 0)),
        Scalar::Not => each(&|x| !x),
        _ => None,
    }
}

/// A row from two integers of `dtype` to one (`pow`: the exponent is of `exponent`); None where the row is none.
pub fn binary(row: Scalar, dtype: DType, exponent: DType, x: &[i64], y: &[i64]) -> Option<Result<Vec<i64>, Trap>> {
    macro_rules! each {
        ($f:expr) => {
            Some(Ok(x.iter().zip(y).map(|(x, y)| wrap(dtype, $f(*x, *y))).collect()))
        };
    }
    match row {
        Scalar::Add => each!(i64::wrapping_add),
        Scalar::Sub => each!(i64::wrapping_sub),
        Scalar::Mul => each!(i64::wrapping_mul),
        Scalar::Div | Scalar::RemFloor | Scalar::RemTrunc if y.contains(&0) => Some(Err(Trap::DivisionByZero)),
        Scalar::Div => each!(|x, y| divide(dtype, x, y)),
        Scalar::RemTrunc => each!(|x, y| remainder(dtype, x, y)),
        Scalar::RemFloor => each!(|x, y| {
            let r = remainder(dtype, x, y);
            if dtype.is_signed_int() && r != 0 && (r < 0) != (y < 0) { r + y } else { r }
        }),
        Scalar::Min => each!(|x, y| if less(dtype, y, x) { y } else { x }),
        Scalar::Max => each!(|x, y| if less(dtype, x, y) { y } else { x }),
        Scalar::Pow => each!(|x, y| power(x, y, exponent.is_unsigned_int())),
        Scalar::And => each!(|x, y| x & y),
        Scalar::Or => each!(|x, y| x | y),
        Scalar::Xor => each!(|x, y| x ^ y),
        Scalar::Shl => each!(|x, y| shift(dtype, x, y, true)),
        Scalar::Shr => each!(|x, y| shift(dtype, x, y, false)),
        _ => None,
    }
}

/// A comparison of integers; None where the row is none.
pub fn compare(row: Scalar, dtype: DType, x: &[i64], y: &[i64]) -> Option<Vec<bool>> {
    let pairs = x.iter().zip(y);
    match row {
        Scalar::Eq => Some(pairs.map(|(x, y)| x == y).collect()),
        Scalar::Lt => Some(pairs.map(|(x, y)| less(dtype, *x, *y)).collect()),
        Scalar::Le => Some(pairs.map(|(x, y)| !less(dtype, *y, *x)).collect()),
        _ => None,
    }
}

/// A row from two truth values to one; None where the row is none.
pub fn boolean(row: Scalar, x: &[bool], y: &[bool]) -> Option<Vec<bool>> {
    let pairs = x.iter().zip(y);
    match row {
        Scalar::Min | Scalar::And => Some(pairs.map(|(x, y)| *x && *y).collect()),
        Scalar::Max | Scalar::Or => Some(pairs.map(|(x, y)| *x || *y).collect()),
        Scalar::Xor => Some(pairs.map(|(x, y)| x != y).collect()),
        Scalar::Eq => Some(pairs.map(|(x, y)| x == y).collect()),
        _ => None,
    }
}

/// One step of a fold over integers, before wrapping to the accumulator.
pub fn step(monoid: Monoid, acc: DType, sum: i64, x: i64) -> i64 {
    match monoid {
        Monoid::Prod => wrap(acc, sum.wrapping_mul(x)),
        Monoid::Max => {
            if less(acc, sum, x) {
                x
            } else {
                sum
            }
        }
        Monoid::Min => {
            if less(acc, x, sum) {
                x
            } else {
                sum
            }
        }
        Monoid::Sum
        | Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => wrap(acc, sum.wrapping_add(x)),
    }
}

/// The fold over nothing.
pub fn empty(monoid: Monoid, acc: DType) -> i64 {
    match monoid {
        Monoid::Prod => 1,
        Monoid::Max => limit(acc, false),
        Monoid::Min => limit(acc, true),
        Monoid::Sum
        | Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => 0,
    }
}

/// Whether an arg fold moves from `best` to `x`, which comes later.
pub fn improves(monoid: Monoid, dtype: DType, best: i64, x: i64) -> bool {
    match monoid {
        Monoid::ArgMaxLast => !less(dtype, x, best),
        Monoid::ArgMinFirst => less(dtype, x, best),
        Monoid::ArgMinLast => !less(dtype, best, x),
        Monoid::ArgMaxFirst | Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or => {
            less(dtype, best, x)
        }
    }
}
