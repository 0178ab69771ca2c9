//! Every kind with a tensor expression evaluates to what the expression says, in each domain.

use proptest::prelude::*;

use super::{graph_of, plain as axis, spec, t, window};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::eval::domain::mix;
use crate::eval::{Bindings, Data, Domain, Modular, Native, RandomRounding, Real, Trap, lift, plain, run};
use crate::expr::meaning;
use crate::op::scalar::Scalar;
use crate::op::spec::{DataIx, GatherSpec, Ix, Label, Negative, Spec, Window};
use crate::op::{Monoid, Op, PadAxis, Perm, SliceAxis};
use crate::tensor::Tensor;
use crate::types::Type;

/// Small integers as f32, with some NaN, infinities and zeros of both signs where `special`.
fn floats(shape: &[usize], seed: u64, special: bool) -> Tensor {
    let n: usize = shape.iter().product();
    let value = |i: u64| {
        let h = mix(seed ^ mix(i));
        match h % 24 {
            0 if special => f32::NAN,
            1 if special => f32::INFINITY,
            2 => -0.0,
            _ => ((h >> 8) % 33) as f32 - 16.0,
        }
    };
    t(shape, &(0..n as u64).map(value).collect::<Vec<_>>())
}

fn indices(shape: &[usize], extent: usize, seed: u64) -> Tensor {
    let n: usize = shape.iter().product();
    let value = |i: u64| (mix(seed ^ 5 ^ mix(i)) % (2 * extent as u64)) as i64 - extent as i64;
    t(shape, &(0..n as u64).map(value).collect::<Vec<_>>())
}

/// An op with operands, by number and seed; about twenty forms.
fn case(form: u8, shape: &[usize], seed: u64) -> (Op, Vec<Tensor>) {
    let rank = shape.len();
    let pick = |n: usize, salt: u64| (mix(seed ^ salt) % n.max(1) as u64) as usize;
    let x = floats(shape, seed, true);
    let d = |n: usize| Dim::from(n);
    match form {
        0 => (
            Op::Iota { len: d(shape.first().copied().unwrap_or(3)), dtype: [DType::I32, DType::F32][pick(2, 1)] },
            vec![],
        ),
        1 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.sort_by_key(|a| mix(seed ^ *a as u64));
            (Op::Permute(Perm::new(&axes).unwrap()), vec![x])
        }
        2 | 3 => {
            // Merge two neighbours, split another in two where it divides, insert ones.
            let mut to: Vec<usize> = shape.to_vec();
            if rank > 1 {
                let at = pick(rank - 1, 2);
                to[at] *= to.remove(at + 1);
            }
            if let Some(at) = to.iter().position(|n| n % 2 == 0 && *n > 0) {
                to[at] /= 2;
                to.insert(at + pick(2, 3), 2);
            }
            to.insert(pick(to.len() + 1, 4), 1);
            (Op::Reshape(to.into_iter().map(d).collect()), vec![x])
        }
        4 => {
            let first = pick(rank + 1, 5);
            (Op::Broadcast([(first as u8, d(3)), (first as u8 + 1, d(pick(3, 6)))].into()), vec![x])
        }
        5 => {
            let axes = shape.iter().enumerate().map(|(i, n)| {
                let step = [1, 2, -1, -3][pick(4, 10 + i as u64)];
                let len = if *n == 0 { 0 } else { (n - 1) / i64::unsigned_abs(step) as usize + 1 };
                let start = if step > 0 || *n == 0 { 0 } else { *n as i64 - 1 };
                SliceAxis { start: Dim::from(start), step, len: d(len) }
            });
            (Op::Slice(axes.collect()), vec![x])
        }
        6 => {
            let axes = (0..rank as u64).map(|i| PadAxis {
                lo: d(pick(3, 20 + i)),
                hi: d(pick(3, 30 + i)),
                inner: pick(3, 40 + i) as i64,
            });
            (Op::Pad(axes.collect()), vec![x, t(&[], &[7f32])])
        }
        7 if rank > 0 => {
            let axis = pick(rank, 7);
            let mut other = shape.to_vec();
            other[axis] = pick(4, 8);
            (Op::Concat(axis as u8), vec![x.clone(), floats(&other, seed ^ 9, true), x])
        }
        8 if rank > 0 && !shape.contains(&0) => {
            let axis = pick(rank, 9);
            let ix_shape = [vec![], vec![2], vec![2, 3]][pick(3, 10)].clone();
            let g = GatherSpec::along(rank, axis, ix_shape.len(), Negative::Wraps).unwrap();
            (Op::Gather(g), vec![x, indices(&ix_shape, shape[axis], seed)])
        }
        9 if rank == 2 && !shape.contains(&0) => {
            let (i, j) = (Label(0), Label(1));
            let g = GatherSpec::new(&[DataIx::At, DataIx::Label(j)], &[i, j], &[i, j], Negative::Wraps).unwrap();
            (Op::Gather(g), vec![x, indices(&[2, shape[1]], shape[0], seed)])
        }
        10 if rank == 2 && !shape.contains(&0) => {
            let g = GatherSpec::new(&[DataIx::At, DataIx::At], &[Label(0)], &[Label(0)], Negative::Wraps).unwrap();
            (Op::Gather(g), vec![x, indices(&[4, 2], shape[0].min(shape[1]), seed)])
        }
        11 => {
            let row =
                [Scalar::Add, Scalar::Sub, Scalar::Mul, Scalar::Div, Scalar::Max, Scalar::Lt, Scalar::Pow][pick(7, 11)];
            (Op::Map(row), vec![x, floats(shape, seed ^ 1, true)])
        }
        12 => {
            let row = [
                Scalar::Neg,
                Scalar::Exp,
                Scalar::Round,
                Scalar::IsNan,
                Scalar::Cast(DType::I32),
                Scalar::Cast(DType::F16),
            ];
            (Op::Map(row[pick(6, 12)]), vec![x])
        }
        13 | 14 => {
            let monoid = Monoid::ALL[pick(4, 13)];
            let axes: Vec<usize> = (0..rank).filter(|a| mix(seed ^ *a as u64) & 1 == 0).collect();
            let spec = Spec::fold(rank, &axes).unwrap();
            (Op::Reduce { monoid, spec, acc: DType::F32 }, vec![x])
        }
        15 if rank > 0 && !shape.contains(&0) => {
            let monoid = Monoid::ALL[6 + pick(4, 13)];
            (Op::Reduce { monoid, spec: Spec::fold(rank, &[pick(rank, 14)]).unwrap(), acc: DType::F32 }, vec![x])
        }
        16 if rank == 2 => {
            let s = spec(&[vec![axis(0), window(1, 2, 2, 1, 1)]], &[0, 1], &[(1, 3), (2, 3)]);
            (Op::Reduce { monoid: Monoid::ALL[pick(4, 15)], spec: s, acc: DType::F32 }, vec![x])
        }
        17 if rank == 2 => {
            let op = Op::Contract { spec: Spec::plain(&["mk", "nk"], "nm").unwrap(), acc: DType::F32, out: DType::F32 };
            (op, vec![x, floats(&[3, shape[1]], seed ^ 2, true)])
        }
        18 if rank == 2 => {
            let w = Ix::Window(Window { out: Label(2), tap: Label(3), stride: 1, dil: -1, lo: -2, in_dil: 2 });
            let s = spec(&[vec![axis(0), w], vec![axis(0), axis(1), axis(3)]], &[0, 1, 2], &[(2, 7), (3, 3)]);
            (
                Op::Contract { spec: s, acc: DType::F32, out: DType::F32 },
                vec![x, floats(&[shape[0], 2, 3], seed ^ 3, false)],
            )
        }
        19 => {
            let ints = one_int(&x);
            let s = Spec::fold(rank, &(0..rank).collect::<Vec<_>>()).unwrap();
            (Op::Reduce { monoid: Monoid::ALL[pick(4, 16)], spec: s, acc: DType::I8 }, vec![ints])
        }
        _ => (Op::Map(Scalar::Abs), vec![x]),
    }
}

fn one_int(x: &Tensor) -> Tensor {
    let v: Vec<i8> = x.to_f64().into_iter().map(|x| x as i8).collect();
    t(x.shape(), &v)
}

#[expect(clippy::eq_op, reason = "NaN")]
/// Equal, NaN to NaN, the sign of a zero aside.
fn equal<F: Copy + PartialEq>(a: &Data<F>, b: &Data<F>) -> bool {
    match (a, b) {
        (Data::Float(a), Data::Float(b)) => a.iter().zip(b.iter()).all(|(x, y)| x == y || (*x != *x && *y != *y)),
        _ => a == b,
    }
}

fn agrees<D: Domain>(domain: &D, op: &Op, args: &[Tensor]) -> Result<(), TestCaseError> {
    let types: Vec<Type> = args.iter().map(|a| Type::fixed(a.dtype(), a.shape())).collect();
    let expr = meaning(op, &types.iter().collect::<Vec<_>>()).unwrap();
    let lifted = lift(domain, args);
    let plain = plain::eval(domain, &expr, &lifted.iter().collect::<Vec<_>>(), &Bindings::default());
    let quick = run(&graph_of(op.clone(), args), domain, &lifted).map(|mut y| y.remove(0)).map_err(|e| e.trap);
    match (plain, quick) {
        (Err(Trap::Refused { .. }), Err(Trap::Refused { .. })) => Ok(()),
        (Ok(p), Err(Trap::Refused { .. })) if p.is_empty() => Ok(()),
        (Ok(p), Ok(q)) => {
            prop_assert_eq!(p.shape(), q.shape());
            prop_assert!(equal(p.data(), q.data()), "{} {expr}: {p:?} {q:?}", domain.name());
            Ok(())
        }
        (p, q) => Err(TestCaseError::fail(format!("{}: {p:?} {q:?}", domain.name()))),
    }
}

proptest! {
    #![proptest_config(super::cases(600))]
    #[test]
    fn kinds_mean_their_expressions(form in 0..20u8, shape in prop::collection::vec(0..5usize, 0..4), seed in any::<u64>()) {
        let (op, args) = case(form, &shape, seed);
        agrees(&Native::new(), &op, &args)?;
        agrees(&Modular::new(1), &op, &args)?;
        // Sums of small integers are exact in any order.
        agrees(&Real::new(), &op, &args)?;
    }
}

#[test]
fn expressions_read_as_index_notation() {
    let show = |op: Op, shapes: &[&[usize]]| {
        let types: Vec<Type> = shapes.iter().map(|s| Type::fixed(DType::F32, s)).collect();
        meaning(&op, &types.iter().collect::<Vec<_>>()).unwrap().to_string()
    };
    let contract = |s| Op::Contract { spec: s, acc: DType::F32, out: DType::F32 };
    assert_eq!(
        show(contract(Spec::plain(&["mk", "kn"], "mn").unwrap()), &[&[2, 3], &[3, 4]]),
        "(i, j) ↦ Σ r < 3: x0[i, r]·x1[r, j]"
    );
    let conv = spec(&[vec![axis(0), window(1, 2, 2, 1, 1)], vec![axis(0), axis(2)]], &[0, 1], &[(1, 4), (2, 3)]);
    assert_eq!(
        show(contract(conv), &[&[5, 8], &[5, 3]]),
        "(i, j) ↦ Σ r < 3 | 0 ≤ 2·j + r − 1 < 8: x0[i, 2·j + r − 1]·x1[i, r]"
    );
    assert_eq!(
        show(Op::Reshape(vec![Dim::from(6i64), Dim::from(5i64)]), &[&[2, 3, 5]]),
        "(i, j) ↦ x0[⌊i / 3⌋, i mod 3, j]"
    );
    assert_eq!(
        show(Op::Reshape(vec![Dim::from(2i64), Dim::from(3i64), Dim::from(5i64)]), &[&[6, 5]]),
        "(i, j, k) ↦ x0[3·i + j, k]"
    );
    let pad = Op::Pad([PadAxis { lo: Dim::ONE, hi: Dim::ONE, inner: 0 }].into());
    assert_eq!(show(pad, &[&[4], &[]]), "(i) ↦ x0[i − 1] if 0 ≤ i − 1 < 4 else x1");
    let names = ["a".to_owned(), "b".to_owned()];
    let types = [Type::fixed(DType::F32, &[2]), Type::fixed(DType::F32, &[2])];
    let sub = meaning(&Op::Map(Scalar::Sub), &[&types[0], &types[1]]).unwrap();
    assert_eq!(sub.with_names(&names).to_string(), "(i) ↦ a[i] − b[i]");
    let gather = Op::Gather(GatherSpec::along(2, 0, 1, Negative::Wraps).unwrap());
    let types = [Type::fixed(DType::F32, &[9, 2]), Type::fixed(DType::I64, &[4])];
    assert_eq!(meaning(&gather, &[&types[0], &types[1]]).unwrap().to_string(), "(i, j) ↦ x0[x1[i] wrapped 9, j]");
}

#[test]
fn counts_of_operations_and_bytes() {
    let types = [Type::fixed(DType::F32, &[2, 3]), Type::fixed(DType::F32, &[3, 4])];
    let args: Vec<&Type> = types.iter().collect();
    let matmul = Op::Contract { spec: Spec::plain(&["mk", "kn"], "mn").unwrap(), acc: DType::F32, out: DType::F32 };
    assert_eq!(crate::expr::flops(&matmul, &args), Dim::from(48i64));
    assert_eq!(crate::expr::bytes(&args, &Type::fixed(DType::F32, &[2, 4])), Dim::from(4 * (6 + 12 + 8i64)));
    assert_eq!(crate::expr::flops(&Op::Permute(Perm::new(&[1, 0]).unwrap()), &args[..1]), Dim::ZERO);
    // max, −, exp, Σ, / per element: 1 + 1 + 10 + 1 + 4.
    let softmax = Op::Call(Box::new(crate::op::call::Call::Softmax { axis: 1 }));
    assert_eq!(crate::expr::flops(&softmax, &args[..1]), Dim::from(6 * 17i64));
}

#[test]
fn modular_numbers_tell_identities_apart() {
    use crate::graph::Graph;
    use crate::origin::Origins;
    let d = Modular::new(3);
    let ty = Type::fixed(DType::F32, &[]);
    let value = |build: &dyn Fn(&mut Graph, crate::ValueId, crate::ValueId) -> crate::ValueId| {
        let mut g = Graph::new("g");
        let (x, y) = (g.input("x", ty.clone()), g.input("y", ty.clone()));
        let z = build(&mut g, x, y);
        g.output("z", z);
        let inputs = lift(&d, &[t(&[], &[1.7f32]), t(&[], &[-0.3f32])]);
        run(&g, &d, &inputs).map(|mut v| v.remove(0).floats().unwrap()[0]).map_err(|e| e.trap)
    };
    let map = |g: &mut Graph, row, args: &[crate::ValueId]| g.add(Op::Map(row), args, Origins::none()).unwrap();
    // (x + y)·(x − y) = x² − y², and not x² + y².
    let product = value(&|g, x, y| {
        let (s, t) = (map(g, Scalar::Add, &[x, y]), map(g, Scalar::Sub, &[x, y]));
        map(g, Scalar::Mul, &[s, t])
    });
    let squares = |row| {
        value(&move |g, x, y| {
            let (s, t) = (map(g, Scalar::Mul, &[x, x]), map(g, Scalar::Mul, &[y, y]));
            map(g, row, &[s, t])
        })
    };
    assert_eq!(product, squares(Scalar::Sub));
    assert_ne!(product, squares(Scalar::Add));
    // x / y · y = x; exp is a function of its operand and nothing more.
    assert_eq!(
        value(&|g, x, y| {
            let q = map(g, Scalar::Div, &[x, y]);
            map(g, Scalar::Mul, &[q, y])
        }),
        value(&|_, x, _| x)
    );
    assert_eq!(
        value(&|g, x, y| {
            let s = map(g, Scalar::Add, &[x, y]);
            map(g, Scalar::Exp, &[s])
        }),
        value(&|g, x, y| {
            let s = map(g, Scalar::Add, &[y, x]);
            map(g, Scalar::Exp, &[s])
        })
    );
    assert_ne!(value(&|g, x, _| map(g, Scalar::Exp, &[x])), value(&|g, x, _| map(g, Scalar::Log, &[x])));
    let refused = value(&|g, x, y| map(g, Scalar::Max, &[x, y]));
    assert!(matches!(refused, Err(Trap::Refused { domain: "modular", .. })), "{refused:?}");
}

#[test]
fn random_rounding_is_seeded_and_as_large_as_rounding() {
    let n = 4000;
    let (a, b) = (floats(&[n], 1, false), floats(&[n], 2, false));
    let deviations = |op: &Op, args: &[Tensor], seed: u64| {
        let g = graph_of(op.clone(), args);
        let noisy = RandomRounding::new(seed);
        let y = run(&g, &noisy, &lift(&noisy, args)).unwrap().remove(0);
        let truth = run(&g, &Real::new(), &lift(&Real::new(), args)).unwrap().remove(0);
        let pairs = y.floats().unwrap().iter().zip(truth.floats().unwrap());
        pairs.map(|(y, t)| (y - t, *t)).collect::<Vec<_>>()
    };
    let u = 2f64.powi(-24);
    let add = Op::Map(Scalar::Add);
    let first = deviations(&add, &[a.clone(), b.clone()], 7);
    assert_eq!(first, deviations(&add, &[a.clone(), b.clone()], 7));
    assert_ne!(first, deviations(&add, &[a.clone(), b.clone()], 8));
    let relative: Vec<f64> = first.iter().filter(|(_, t)| *t != 0.0).map(|(e, t)| e / (u * t)).collect();
    assert!(relative.iter().all(|r| r.abs() <= 1.000_001));
    let rms = |v: &[f64]| (v.iter().map(|x| x * x).sum::<f64>() / v.len() as f64).sqrt();
    assert!((rms(&relative) - 1.0 / 3f64.sqrt()).abs() < 0.03, "{}", rms(&relative));
    // Products summed: standard deviation 0.5·u·Σ|a||b|.
    let (a, b) = (floats(&[n, 4], 3, false), floats(&[4], 4, false));
    let dot = Op::Contract { spec: Spec::plain(&["mk", "k"], "m").unwrap(), acc: DType::F32, out: DType::F32 };
    let errors = deviations(&dot, &[a.clone(), b.clone()], 7);
    let (a, b) = (a.to_f64(), b.to_f64());
    let scaled: Vec<f64> = errors
        .iter()
        .zip(a.chunks(4))
        .map(|((e, _), row)| (e, row.iter().zip(&b).map(|(a, b)| (a * b).abs()).sum::<f64>()))
        .filter(|(_, s)| *s > 0.0)
        .map(|(e, s)| e / (u * s))
        .collect();
    assert!((rms(&scaled) - 0.5).abs() < 0.03, "{}", rms(&scaled));
    // Movement and exact rows add nothing.
    assert!(deviations(&Op::Map(Scalar::Neg), &[floats(&[n], 5, false)], 7).iter().all(|(e, _)| *e == 0.0));
}

#[test]
fn scales_are_sums_of_sizes() {
    use crate::eval::{Value, abs_scale};
    let args = [t(&[1, 2], &[-1f32, 2.0]), t(&[2], &[3f32, -4.0])];
    let op = Op::Contract { spec: Spec::plain(&["mk", "k"], "m").unwrap(), acc: DType::F32, out: DType::F32 };
    let g = graph_of(op, &args);
    let values: Vec<Value<f64>> = lift(&Real::new(), &args).into_iter().map(Value::from).collect();
    let v = g.outputs[0].value;
    let scale = abs_scale(&g, v, &values.iter().collect::<Vec<_>>(), &Bindings::default()).unwrap().unwrap();
    assert_eq!(scale.floats().unwrap(), [11.0]);
    assert_eq!(abs_scale(&g, crate::ValueId(0), &[], &Bindings::default()), None);
}
