//! The scalar rows at their corners.

use super::{one, t, trap};
use crate::dtype::DType;
use crate::eval::Trap;
use crate::op::Op;
use crate::op::scalar::{InfSign, Scalar};
use crate::tensor::{Element, Tensor};

fn map(row: Scalar, args: &[Tensor]) -> Tensor {
    one(Op::Map(row), args)
}

fn v<T: Element>(values: &[T]) -> Tensor {
    t(&[values.len()], values)
}

/// Compares bit for bit, any NaN equal to any.
fn same(got: &Tensor, expected: &[f32]) {
    let got = got.to_vec::<f32>().unwrap();
    let equal = got.len() == expected.len()
        && got.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
    assert!(equal, "got {got:?}, expected {expected:?}");
}

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

#[test]
fn minimum_and_maximum() {
    let (x, y) = (v(&[0.0f32, -0.0, NAN, 1.0, 2.0]), v(&[-0.0f32, 0.0, 1.0, NAN, 3.0]));
    same(&map(Scalar::Max, &[x.clone(), y.clone()]), &[0.0, 0.0, NAN, NAN, 3.0]);
    same(&map(Scalar::Min, &[x, y]), &[-0.0, -0.0, NAN, NAN, 2.0]);
    assert_eq!(map(Scalar::Max, &[v(&[true, false]), v(&[false, false])]), v(&[true, false]));
    assert_eq!(map(Scalar::Max, &[v(&[u64::MAX]), v(&[1u64])]), v(&[u64::MAX]));
}

#[test]
fn division_and_remainders() {
    let (x, y) = (v(&[-7i32, 7, -7, i32::MIN]), v(&[2i32, -2, -2, -1]));
    assert_eq!(map(Scalar::Div, &[x.clone(), y.clone()]), v(&[-3i32, -3, 3, i32::MIN]));
    assert_eq!(map(Scalar::RemTrunc, &[x.clone(), y.clone()]), v(&[-1i32, 1, -1, 0]));
    assert_eq!(map(Scalar::RemFloor, &[x, y]), v(&[1i32, -1, -1, 0]));
    for row in [Scalar::Div, Scalar::RemTrunc, Scalar::RemFloor] {
        assert_eq!(trap(Op::Map(row), &[v(&[1u8]), v(&[0u8])]), Trap::DivisionByZero);
    }
    assert_eq!(map(Scalar::Div, &[v(&[u64::MAX]), v(&[2u64])]), v(&[u64::MAX / 2]));
    same(&map(Scalar::Div, &[v(&[1.0f32, -1.0, 0.0]), v(&[0.0f32, 0.0, 0.0])]), &[INF, -INF, NAN]);
    let (x, y) = (v(&[-7.0f32, 7.0, -0.0, 4.0, 5.0, 5.0]), v(&[2.0f32, -2.0, 2.0, -2.0, INF, 0.0]));
    same(&map(Scalar::RemTrunc, &[x.clone(), y.clone()]), &[-1.0, 1.0, -0.0, 0.0, 5.0, NAN]);
    same(&map(Scalar::RemFloor, &[x, y]), &[1.0, -1.0, 0.0, -0.0, 5.0, NAN]);
}

#[test]
fn powers() {
    let (x, y) = (v(&[NAN, 1.0f32, -8.0, 2.0, -0.0]), v(&[0.0f32, NAN, 1.5, -1.0, 3.0]));
    same(&map(Scalar::Pow, &[x, y]), &[1.0, 1.0, NAN, 0.5, -0.0]);
    assert_eq!(
        map(Scalar::Pow, &[v(&[3i64, 2, 1, -1, 0]), v(&[40i64, -1, -5, -3, 0])]),
        v(&[12157665459056928801u64 as i64, 0, 1, -1, 1])
    );
    assert_eq!(map(Scalar::Pow, &[v(&[2i32, 9]), v(&[3.0f32, 0.5])]), v(&[8i32, 3]));
    same(&map(Scalar::Pow, &[v(&[2.0f32, -2.0]), v(&[-2i64, 3])]), &[0.25, -8.0]);
}

#[test]
fn rounding_and_signs() {
    let x = v(&[0.5f32, 1.5, 2.5, -0.5, -1.5, INF, NAN, -0.0]);
    same(&map(Scalar::Round, std::slice::from_ref(&x)), &[0.0, 2.0, 2.0, -0.0, -2.0, INF, NAN, -0.0]);
    same(&map(Scalar::Sign, &[x]), &[1.0, 1.0, 1.0, -1.0, -1.0, 1.0, NAN, 0.0]);
    assert_eq!(map(Scalar::Neg, &[v(&[i8::MIN, 5])]), v(&[i8::MIN, -5]));
    assert_eq!(map(Scalar::Abs, &[v(&[i8::MIN, -5])]), v(&[i8::MIN, 5]));
    assert_eq!(map(Scalar::Abs, &[v(&[200u8])]), v(&[200u8]));
    assert_eq!(map(Scalar::Sign, &[v(&[u64::MAX, 0])]), v(&[1u64, 0]));
    same(&map(Scalar::Neg, &[v(&[0.0f32])]), &[-0.0]);
}

#[test]
fn transcendental_corners() {
    let each = |row, x: &[f32], y: &[f32]| same(&map(row, &[v(x)]), y);
    each(Scalar::Exp, &[-INF, 0.0, INF, 1000.0], &[0.0, 1.0, INF, INF]);
    each(Scalar::Log, &[0.0, -0.0, -1.0, INF], &[-INF, -INF, NAN, INF]);
    each(Scalar::Log1p, &[-1.0, -0.0, -2.0], &[-INF, -0.0, NAN]);
    each(Scalar::Sqrt, &[-0.0, -1.0, 4.0], &[-0.0, NAN, 2.0]);
    each(Scalar::Erf, &[INF, -INF, -0.0], &[1.0, -1.0, -0.0]);
    each(Scalar::Sigmoid, &[INF, -INF, 0.0, -1000.0, 1000.0], &[1.0, 0.0, 0.5, 0.0, 1.0]);
    each(Scalar::Sin, &[INF, -0.0], &[NAN, -0.0]);
    each(Scalar::Cos, &[-INF, -0.0], &[NAN, 1.0]);
    each(Scalar::Atanh, &[1.0, -1.0, 2.0, -0.0], &[INF, -INF, NAN, -0.0]);
    each(Scalar::Acosh, &[0.5, 1.0], &[NAN, 0.0]);
    let odd = [Scalar::Tan, Scalar::Asin, Scalar::Atan, Scalar::Sinh, Scalar::Tanh, Scalar::Asinh];
    for row in odd {
        each(row, &[-0.0, 0.0], &[-0.0, 0.0]);
    }
    for row in [Scalar::Asin, Scalar::Acos] {
        each(row, &[1.5], &[NAN]);
    }
}

#[test]
fn comparisons_and_logic() {
    let (x, y) = (v(&[NAN, 0.0f32, 1.0]), v(&[NAN, -0.0f32, 2.0]));
    assert_eq!(map(Scalar::Eq, &[x.clone(), y.clone()]), v(&[false, true, false]));
    assert_eq!(map(Scalar::Lt, &[x.clone(), y.clone()]), v(&[false, false, true]));
    assert_eq!(map(Scalar::Le, &[x.clone(), y.clone()]), v(&[false, true, true]));
    assert_eq!(map(Scalar::IsNan, std::slice::from_ref(&x)), v(&[true, false, false]));
    assert_eq!(map(Scalar::IsInf(InfSign::Negative), &[v(&[INF, -INF])]), v(&[false, true]));
    assert_eq!(map(Scalar::Lt, &[v(&[1u64]), v(&[u64::MAX])]), v(&[true]));
    assert_eq!(map(Scalar::And, &[v(&[0b1100u8]), v(&[0b1010u8])]), v(&[0b1000u8]));
    assert_eq!(map(Scalar::Not, &[v(&[0u8])]), v(&[255u8]));
    assert_eq!(map(Scalar::Not, &[v(&[true])]), v(&[false]));
    assert_eq!(map(Scalar::Xor, &[v(&[true, true]), v(&[true, false])]), v(&[false, true]));
    assert_eq!(map(Scalar::Select, &[v(&[true, false]), v(&[1i8, 1]), v(&[2i8, 2])]), v(&[1i8, 2]));
}

#[test]
fn shifts() {
    assert_eq!(map(Scalar::Shl, &[v(&[1u8, 255, 1]), v(&[7u8, 1, 8])]), v(&[128u8, 254, 0]));
    assert_eq!(map(Scalar::Shr, &[v(&[-8i32, -8, 8]), v(&[1i32, 32, -1])]), v(&[-4i32, -1, 0]));
    assert_eq!(map(Scalar::Shr, &[v(&[u64::MAX]), v(&[63u64])]), v(&[1u64]));
    assert_eq!(map(Scalar::Shl, &[v(&[1i64]), v(&[64i64])]), v(&[0i64]));
}

#[test]
fn casts() {
    let to = |d, x: Tensor| map(Scalar::Cast(d), &[x]);
    assert_eq!(to(DType::I32, v(&[1.9f32, -1.9, NAN, 3e9])), v(&[1i32, -1, i32::MIN, i32::MIN]));
    assert_eq!(to(DType::U8, v(&[300.7f32, NAN, -1.0])), v(&[44u8, 0, 255]));
    assert_eq!(to(DType::I8, v(&[70000i32, -129])), v(&[112i8, 127]));
    assert_eq!(to(DType::I64, v(&[1e30f32, -5.5])), v(&[i64::MIN, -5]));
    assert_eq!(to(DType::U64, v(&[1e19f64, -1.0])), v(&[10_000_000_000_000_000_000u64, u64::MAX]));
    assert_eq!(to(DType::Bool, v(&[NAN, -0.2, 0.0, -0.0])), v(&[true, true, false, false]));
    assert_eq!(to(DType::F32, v(&[true, false])), v(&[1f32, 0.0]));
    assert_eq!(
        to(DType::F16, v(&[70000.0f32, 2049.0, 1e-8])),
        v(&[half::f16::INFINITY, half::f16::from_f32(2048.0), half::f16::ZERO])
    );
    // One rounding from 64-bit integers: through f64 this one would round twice.
    assert_eq!(to(DType::F32, v(&[(1i64 << 54) + (1 << 30) + 1])), v(&[((1i64 << 54) + (1 << 30) + 1) as f32]));
    assert_eq!(map(Scalar::BitCast(DType::U32), &[v(&[1.0f32, -0.0])]), v(&[0x3f80_0000u32, 0x8000_0000]));
    assert_eq!(map(Scalar::BitCast(DType::F32), &[v(&[0x7f80_0000u32])]), v(&[INF]));
    assert_eq!(map(Scalar::BitCast(DType::I8), &[v(&[255u8])]), v(&[-1i8]));
}

#[test]
fn native_arithmetic_rounds_each_operation() {
    let h = |x: f32| half::f16::from_f32(x);
    assert_eq!(map(Scalar::Add, &[v(&[h(2048.0)]), v(&[h(1.0)])]), v(&[h(2048.0)]));
    assert_eq!(map(Scalar::Mul, &[v(&[h(300.0)]), v(&[h(300.0)])]), v(&[half::f16::INFINITY]));
    same(&map(Scalar::Add, &[v(&[16777216.0f32]), v(&[1.0f32])]), &[16777216.0]);
    same(&map(Scalar::Mul, &[v(&[1e-30f32]), v(&[1e-30f32])]), &[0.0]);
    let b = |x: f32| half::bf16::from_f32(x);
    assert_eq!(map(Scalar::Add, &[v(&[b(256.0)]), v(&[b(1.0)])]), v(&[b(256.0)]));
}

/// Every function that is not defined everywhere gives NaN where it is not, however far outside.
#[test]
fn outside_of_a_domain_there_is_no_value() {
    let below: Vec<f32> = vec![-1.5, -27.0, -6540.0, -1e6, -1e30, -INF];
    let above: Vec<f32> = below.iter().map(|x| -x).collect();
    for f in [Scalar::Sqrt, Scalar::Log, Scalar::Log1p, Scalar::Asin, Scalar::Acos, Scalar::Acosh, Scalar::Atanh] {
        same(&map(f, &[v(&below)]), &vec![NAN; below.len()]);
    }
    for f in [Scalar::Asin, Scalar::Acos, Scalar::Atanh] {
        same(&map(f, &[v(&above)]), &vec![NAN; above.len()]);
    }
    same(&map(Scalar::Acosh, &[v(&[0.999f32, 0.0, -0.5])]), &[NAN; 3]);
}
