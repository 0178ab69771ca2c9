//! Fast paths agree with the plain loops: bit for bit where steps are rounded, within f64 rounding otherwise.

use proptest::prelude::*;

use super::{spec, window};
use crate::dtype::DType;
use crate::eval::domain::{Domain, mix};
use crate::eval::folds::{contract_floats_plain, fold_floats_plain};
use crate::eval::loops::Nest;
use crate::eval::{Native, Real, fast};
use crate::op::Monoid;
use crate::op::spec::{Ix, Label, Spec, Window};

/// Values that f16 has exactly, so that every accumulator takes them; about one in eight is a zero of either sign.
fn values(n: usize, seed: u64) -> Vec<f64> {
    (0..n as u64)
        .map(|i| {
            let h = mix(seed ^ mix(i));
            let x = ((h >> 8) % 2001) as f64 / 64.0 - 15.625;
            if h.is_multiple_of(8) { x * 0.0 } else { x }
        })
        .collect()
}

/// Operand axes over labels: 0.. are of the result, and extents of all labels.
#[derive(Clone, Debug)]
struct Case {
    spec: Spec,
    ext: Vec<usize>,
    shapes: Vec<Vec<usize>>,
    seed: u64,
}

impl Case {
    fn nest(&self) -> Nest {
        Nest::new("case", &self.spec, &self.ext, &self.shapes.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap()
    }

    fn operand(&self, i: usize) -> Vec<f64> {
        values(self.shapes[i].iter().product(), self.seed ^ i as u64)
    }
}

/// Plain contractions: each of up to six labels is in a, in b or both; axis orders are shuffled.
fn einsum() -> impl Strategy<Value = Case> {
    let label = (0..3u8, any::<bool>(), 1..7usize);
    (prop::collection::vec(label, 1..6), any::<u64>()).prop_map(|(labels, seed)| {
        let mut ins = [Vec::new(), Vec::new()];
        let mut shapes = vec![Vec::new(), Vec::new()];
        let mut out = Vec::new();
        for (i, (side, stays, extent)) in labels.iter().enumerate() {
            let l = Label(i as u8);
            for operand in 0..2u8 {
                if *side == operand || *side == 2 {
                    let at =
                        mix(seed ^ u64::from(operand) << 8 ^ i as u64) as usize % (ins[operand as usize].len() + 1);
                    ins[operand as usize].insert(at, Ix::Label(l));
                    shapes[operand as usize].insert(at, *extent);
                }
            }
            if *stays {
                out.insert(mix(seed ^ 0x77 ^ i as u64) as usize % (out.len() + 1), l);
            }
        }
        Case { spec: Spec::new(&ins, &out, &[]).unwrap(), ext: Vec::new(), shapes, seed }
    })
}

/// Convolutions over one or two axes: grouped, strided, dilated (also backwards), padded, with input dilation.
fn convolution() -> impl Strategy<Value = Case> {
    let axis = (1..4i64, prop::sample::select(vec![-2i64, -1, 1, 2]), -3..4i64, 1..3i64, 1..8usize, 1..5i64, 1..7i64);
    (1..3usize, 1..4usize, 1..4usize, prop::collection::vec(axis, 1..3), any::<u64>()).prop_map(
        |(g, c, m, axes, seed)| {
            let n = 1 + (seed % 2) as usize;
            // Labels: 0 n, 1 g, 2 m, 3 c, then a pair (stays, tap) for each axis.
            let plain = |l: u8| Ix::Label(Label(l));
            let (mut a, mut b) = (vec![plain(0), plain(1), plain(3)], vec![plain(1), plain(2), plain(3)]);
            let (mut a_shape, mut b_shape) = (vec![n, g, c], vec![g, m, c]);
            let (mut out, mut ext) = (vec![0, 1, 2], Vec::new());
            for (i, (stride, dil, lo, in_dil, extent, taps, results)) in axes.iter().enumerate() {
                let (o, k) = (4 + 2 * i as u8, 5 + 2 * i as u8);
                a.push(Ix::Window(Window {
                    out: Label(o),
                    tap: Label(k),
                    stride: *stride,
                    dil: *dil,
                    lo: *lo,
                    in_dil: *in_dil,
                }));
                a_shape.push(*extent);
                b.push(plain(k));
                b_shape.push(*taps as usize);
                out.push(o);
                ext.extend([(o, *results), (k, *taps)]);
            }
            let (ins, shapes) =
                if seed & 4 == 0 { ([a, b], vec![a_shape, b_shape]) } else { ([b, a], vec![b_shape, a_shape]) };
            let s = spec(&ins, &out, &ext);
            let sizes = s.ext().iter().map(|(_, d)| d.as_const().unwrap() as usize).collect();
            Case { spec: s, ext: sizes, shapes, seed }
        },
    )
}

/// Reductions: plain labels folded or kept, and perhaps a pooling window.
fn reduction() -> impl Strategy<Value = Case> {
    let axis = (1..4i64, prop::sample::select(vec![-1i64, 1, 2]), -3..4i64, 1..8usize, 1..5i64, 1..7i64);
    (prop::collection::vec((any::<bool>(), 1..6usize), 0..4), prop::option::of(axis), any::<u64>()).prop_map(
        |(labels, pool, seed)| {
            let (mut ins, mut shape, mut out, mut ext) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for (i, (stays, extent)) in labels.iter().enumerate() {
                ins.push(Ix::Label(Label(i as u8)));
                shape.push(*extent);
                if *stays {
                    out.push(i as u8);
                }
            }
            if let Some((stride, dil, lo, extent, taps, results)) = pool {
                let at = (seed % (ins.len() as u64 + 1)) as usize;
                ins.insert(at, window(20, 21, stride, dil, lo));
                shape.insert(at, extent);
                out.insert((seed >> 8) as usize % (out.len() + 1), 20);
                ext = vec![(20, results), (21, taps)];
            }
            let s = spec(&[ins], &out, &ext);
            let sizes = s.ext().iter().map(|(_, d)| d.as_const().unwrap() as usize).collect();
            Case { spec: s, ext: sizes, shapes: vec![shape], seed }
        },
    )
}

fn check_contraction(case: &Case) -> Result<(), TestCaseError> {
    let (nest, a, b) = (case.nest(), case.operand(0), case.operand(1));
    let sizes = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<_>>();
    let scale = contract_floats_plain(&Real::new(), &nest, DType::F64, &sizes(&a), &sizes(&b));
    let plain = contract_floats_plain(&Real::new(), &nest, DType::F64, &a, &b);
    let quick = Real::new().contract_fast(&nest, DType::F64, &a, &b).unwrap();
    for ((p, q), s) in plain.iter().zip(&quick).zip(&scale) {
        prop_assert!((p - q).abs() <= 1e-13 * s, "real {p} {q}");
    }
    for acc in [DType::F32, DType::F16, DType::BF16, DType::F64] {
        let plain = contract_floats_plain(&Native::new(), &nest, acc, &a, &b);
        let quick = Native::new().contract_fast(&nest, acc, &a, &b).unwrap();
        prop_assert!(plain == quick, "{acc}: {plain:?} {quick:?}");
    }
    let ints = |x: &[f64]| x.iter().map(|x| (*x * 64.0) as i64).collect::<Vec<_>>();
    let (a, b) = (ints(&a), ints(&b));
    let plain = nest.fold(&0i64, |s, [i, j], _| *s += a[i] * b[j]);
    prop_assert_eq!(plain, fast::contract_ints(&nest, &a, &b).unwrap());
    Ok(())
}

proptest! {
    #![proptest_config(super::cases(256))]
    #[test]
    fn contractions(case in einsum()) {
        check_contraction(&case)?;
    }

    #[test]
    fn convolutions(case in convolution()) {
        check_contraction(&case)?;
    }

    #[test]
    fn folds(case in reduction()) {
        let (nest, mut x) = (case.nest(), case.operand(0));
        for monoid in [Monoid::Sum, Monoid::Prod, Monoid::Max, Monoid::Min] {
            if monoid == Monoid::Max && !x.is_empty() {
                x[0] = f64::NAN;
            }
            let same = |p: &[f64], q: &[f64]| p.iter().map(|x| x.to_bits()).eq(q.iter().map(|x| x.to_bits()));
            for acc in [DType::F32, DType::F16, DType::F64] {
                let plain = fold_floats_plain(&Native::new(), &nest, monoid, acc, &x);
                let quick = Native::new().fold_fast(&nest, monoid, acc, &x).unwrap();
                prop_assert!(same(&plain, &quick), "{} {acc}: {plain:?} {quick:?}", monoid.name());
            }
            let plain = fold_floats_plain(&Real::new(), &nest, monoid, DType::F32, &x);
            prop_assert!(same(&plain, &Real::new().fold_fast(&nest, monoid, DType::F32, &x).unwrap()));
        }
    }
}

#[test]
fn infinite_weights_beside_padding_take_the_plain_way() {
    let s = spec(&[vec![window(0, 1, 1, 1, 1)], vec![super::plain(1)]], &[0], &[(0, 3), (1, 3)]);
    let nest = Nest::new("case", &s, &[3, 3], &[&[3], &[3]]).unwrap();
    assert_eq!(Real::new().contract_fast(&nest, DType::F32, &[1.0, 2.0, 3.0], &[f64::INFINITY, 1.0, 1.0]), None);
    assert!(Real::new().contract_fast(&nest, DType::F32, &[f64::INFINITY, 2.0, 3.0], &[1.0, 1.0, 1.0]).is_some());
}
