//! Hand-computed cases of the kinds.

use super::{all, one, plain, spec, t, trap, window};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::eval::Trap;
use crate::op::spec::{DataIx, GatherSpec, Ix, Label, Negative, Spec, Window};
use crate::op::{Monoid, Op, PadAxis, Perm, ScatterOp, SliceAxis, SortOrder};
use crate::tensor::Tensor;

fn slice(start: i64, step: i64, len: i64) -> SliceAxis {
    SliceAxis { start: Dim::from(start), step, len: Dim::from(len) }
}

fn pad(lo: i64, hi: i64, inner: i64) -> PadAxis {
    PadAxis { lo: Dim::from(lo), hi: Dim::from(hi), inner }
}

fn ramp(shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    t(shape, &(0..n).map(|i| i as f32).collect::<Vec<_>>())
}

fn reduce(monoid: Monoid, spec: Spec, acc: DType) -> Op {
    Op::Reduce { monoid, spec, acc }
}

fn contract(spec: Spec) -> Op {
    Op::Contract { spec, acc: DType::F32, out: DType::F32 }
}

#[test]
fn iota_and_movement() {
    assert_eq!(one(Op::Iota { len: Dim::from(3i64), dtype: DType::F32 }, &[]), t(&[3], &[0f32, 1., 2.]));
    assert_eq!(
        one(Op::Permute(Perm::new(&[1, 0]).unwrap()), &[ramp(&[2, 3])]),
        t(&[3, 2], &[0f32, 3., 1., 4., 2., 5.])
    );
    let b = Op::Broadcast([(0, Dim::from(2i64)), (2, Dim::from(2i64))].into());
    assert_eq!(one(b, &[t(&[2], &[1f32, 2.])]), t(&[2, 2, 2], &[1f32, 1., 2., 2., 1., 1., 2., 2.]));
    let s = Op::Slice([slice(1, 1, 1), slice(2, -2, 2)].into());
    assert_eq!(one(s, &[ramp(&[2, 3])]), t(&[1, 2], &[5f32, 3.]));
    let p = Op::Pad([pad(0, 1, 0), pad(1, 0, 1)].into());
    assert_eq!(one(p, &[t(&[1, 2], &[1f32, 2.]), t(&[], &[9f32])]), t(&[2, 4], &[9f32, 1., 9., 2., 9., 9., 9., 9.]));
    let c = one(Op::Concat(1), &[t(&[2, 1], &[true, false]), t(&[2, 2], &[true, true, false, false])]);
    assert_eq!(c, t(&[2, 3], &[true, true, true, false, false, false]));
}

#[test]
fn empty_axes_are_legal() {
    let none = t::<f32>(&[0, 2], &[]);
    assert_eq!(one(Op::Permute(Perm::new(&[1, 0]).unwrap()), std::slice::from_ref(&none)).shape(), &[2, 0]);
    assert_eq!(one(Op::Concat(0), &[none.clone(), t(&[1, 2], &[1f32, 2.])]), t(&[1, 2], &[1f32, 2.]));
    let padded = one(Op::Pad([pad(1, 1, 3), pad(0, 0, 0)].into()), &[none.clone(), t(&[], &[7f32])]);
    assert_eq!(padded, t(&[2, 2], &[7f32; 4]));
    let fold = |m| one(reduce(m, Spec::fold(2, &[0]).unwrap(), DType::F32), std::slice::from_ref(&none));
    assert_eq!(fold(Monoid::Sum), t(&[2], &[0f32, 0.]));
    assert_eq!(fold(Monoid::Prod), t(&[2], &[1f32, 1.]));
    assert_eq!(fold(Monoid::Max), t(&[2], &[f32::NEG_INFINITY; 2]));
    let ints = |m| one(reduce(m, Spec::fold(1, &[0]).unwrap(), DType::I8), &[t::<i8>(&[0], &[])]);
    assert_eq!(ints(Monoid::Max), t(&[], &[i8::MIN]));
    assert_eq!(ints(Monoid::Min), t(&[], &[i8::MAX]));
    let matmul = contract(Spec::plain(&["mk", "kn"], "mn").unwrap());
    assert_eq!(one(matmul, &[t::<f32>(&[1, 0], &[]), t::<f32>(&[0, 2], &[])]), t(&[1, 2], &[0f32, 0.]));
    let arg = reduce(Monoid::ArgMaxFirst, Spec::fold(2, &[0]).unwrap(), DType::F32);
    assert_eq!(trap(arg, &[none]), Trap::EmptyArg("argmax_first"));
}

#[test]
fn gathers() {
    let x = ramp(&[3, 2]);
    let rows = GatherSpec::along(2, 0, 1, Negative::Wraps).unwrap();
    assert_eq!(one(Op::Gather(rows.clone()), &[x.clone(), t(&[2], &[-1i64, 0])]), t(&[2, 2], &[4f32, 5., 0., 1.]));
    let out = trap(Op::Gather(rows), &[x.clone(), t(&[1], &[3i64])]);
    assert_eq!(out, Trap::Index { index: 3, extent: 3 });
    let never = GatherSpec::along(2, 0, 1, Negative::Never).unwrap();
    assert_eq!(trap(Op::Gather(never), &[x.clone(), t(&[1], &[-1i64])]), Trap::Index { index: -1, extent: 3 });
    let columns = GatherSpec::along(2, 1, 0, Negative::Never).unwrap();
    assert_eq!(one(Op::Gather(columns), &[x.clone(), t(&[], &[1i32])]), t(&[3], &[1f32, 3., 5.]));
    // GatherElements along axis 0: out[i,j] = x[ix[i,j], j].
    let (i, j) = (Label(0), Label(1));
    let elements = GatherSpec::new(&[DataIx::At, DataIx::Label(j)], &[i, j], &[i, j], Negative::Wraps).unwrap();
    assert_eq!(one(Op::Gather(elements), &[x.clone(), t(&[1, 2], &[2i64, 1])]), t(&[1, 2], &[4f32, 3.]));
    // GatherND with two components.
    let nd = GatherSpec::new(&[DataIx::At, DataIx::At], &[i], &[i], Negative::Wraps).unwrap();
    assert_eq!(one(Op::Gather(nd), &[x, t(&[2, 2], &[0i64, 1, 2, 0])]), t(&[2], &[1f32, 4.]));
}

#[test]
fn scatters() {
    let (i, j) = (Label(0), Label(1));
    let rows = GatherSpec::new(&[DataIx::At, DataIx::Label(j)], &[i], &[i, j], Negative::Wraps).unwrap();
    let data = t(&[3, 2], &[0f32; 6]);
    let (ix, upd) = (t(&[2], &[1i64, 1]), t(&[2, 2], &[1f32, 2., 3., 4.]));
    let run = |mode| one(Op::Scatter(mode, rows.clone()), &[data.clone(), ix.clone(), upd.clone()]);
    assert_eq!(run(ScatterOp::Set), t(&[3, 2], &[0f32, 0., 3., 4., 0., 0.]));
    assert_eq!(run(ScatterOp::Add), t(&[3, 2], &[0f32, 0., 4., 6., 0., 0.]));
    assert_eq!(run(ScatterOp::Max), t(&[3, 2], &[0f32, 0., 3., 4., 0., 0.]));
    assert_eq!(run(ScatterOp::Mul), data);
}

#[test]
fn convolutions() {
    // y[p] = Σ x[2p + 2r − 1]·w[r], six cells, three taps, dilation 2, stride 2, lower pad 1.
    let x = t(&[1, 1, 6], &[1f32, 2., 3., 4., 5., 6.]);
    let w = t(&[1, 1, 3], &[1f32, 10., 100.]);
    let ins = [vec![plain(0), plain(1), window(2, 3, 2, 2, 1)], vec![plain(4), plain(1), plain(3)]];
    let s = spec(&ins, &[0, 4, 2], &[(2, 3), (3, 3)]);
    // p=0: positions −1, 1, 3; p=1: 1, 3, 5; p=2: 3, 5, 7.
    assert_eq!(one(contract(s), &[x, w]), t(&[1, 1, 3], &[420f32, 642., 64.]));
    // Transposed: y[p] += x[(p − r + 1)/2]·w[r], lower pad 1, input dilation 2.
    let x = t(&[3], &[1f32, 2., 3.]);
    let w = t(&[3], &[1f32, 10., 100.]);
    let turned = Ix::Window(Window { out: Label(0), tap: Label(1), stride: 1, dil: -1, lo: -1, in_dil: 2 });
    let s = spec(&[vec![turned], vec![plain(1)]], &[0], &[(0, 5), (1, 3)]);
    // Full result 1,10,102,20,203,30,300 of positions −1..6, cut by the pad.
    assert_eq!(one(contract(s), &[x, w]), t(&[5], &[10f32, 102., 20., 203., 30.]));
}

#[test]
fn absent_terms_are_skipped_not_multiplied() {
    let x = t(&[1], &[2f32]);
    let w = t(&[3], &[f32::INFINITY, 3., f32::NAN]);
    let s = spec(&[vec![window(0, 1, 1, 1, 1)], vec![plain(1)]], &[0], &[(0, 1), (1, 3)]);
    assert_eq!(one(contract(s), &[x, w]), t(&[1], &[6f32]));
}

#[test]
fn pools() {
    let x = t(&[5], &[1f32, 5., 2., 4., 3.]);
    let pool = |m, lo, n, k, stride| {
        one(
            reduce(m, spec(&[vec![window(0, 1, stride, 1, lo)]], &[0], &[(0, n), (1, k)]), DType::F32),
            std::slice::from_ref(&x),
        )
    };
    // Stride 2 with an upper overhang (ceil_mode): windows 0-1, 2-3, 4-(5).
    assert_eq!(pool(Monoid::Max, 0, 3, 2, 2), t(&[3], &[5f32, 4., 3.]));
    // Lower pad 1; a negative lo starts inside.
    assert_eq!(pool(Monoid::Sum, 1, 3, 3, 2), t(&[3], &[6f32, 11., 7.]));
    assert_eq!(pool(Monoid::Sum, -1, 2, 2, 2), t(&[2], &[7f32, 7.]));
    // Positions count absent taps too: the window's own coordinates.
    assert_eq!(pool(Monoid::ArgMaxFirst, 1, 3, 3, 2), t(&[3], &[2i64, 0, 0]));
    // A prefix sum is a window as long as the axis.
    assert_eq!(pool(Monoid::Sum, 4, 5, 5, 1), t(&[5], &[1f32, 6., 8., 12., 15.]));
}

#[test]
fn arg_folds_follow_nan_and_ties() {
    let run = |m, v: &[f32]| one(reduce(m, Spec::fold(1, &[0]).unwrap(), DType::F32), &[t(&[v.len()], v)]);
    let tied = [1f32, 3., 3., 1.];
    assert_eq!(run(Monoid::ArgMaxFirst, &tied), t(&[], &[1i64]));
    assert_eq!(run(Monoid::ArgMaxLast, &tied), t(&[], &[2i64]));
    assert_eq!(run(Monoid::ArgMinFirst, &tied), t(&[], &[0i64]));
    assert_eq!(run(Monoid::ArgMinLast, &tied), t(&[], &[3i64]));
    let nan = [1f32, f32::NAN, 3., f32::NAN];
    for m in [Monoid::ArgMaxFirst, Monoid::ArgMaxLast, Monoid::ArgMinFirst, Monoid::ArgMinLast] {
        assert_eq!(run(m, &nan), t(&[], &[1i64]), "{}", m.name());
    }
    assert_eq!(run(Monoid::ArgMaxFirst, &[0.0, -0.0]), t(&[], &[0i64]));
}

#[test]
fn sorts_are_stable_and_put_nan_on_top() {
    let x = t(&[1, 5], &[2f32, f32::NAN, 0.0, -0.0, 2.0]);
    let sort = |order, keep: i64| one(Op::ArgSort { axis: 1, order, keep: Dim::from(keep) }, std::slice::from_ref(&x));
    assert_eq!(sort(SortOrder::Ascending, 5), t(&[1, 5], &[2i64, 3, 0, 4, 1]));
    assert_eq!(sort(SortOrder::Descending, 4), t(&[1, 4], &[1i64, 0, 4, 2]));
}

#[test]
fn accumulators_decide() {
    let halves = |n: usize| t(&[n], &vec![half::f16::from_f32(100.0); n]);
    let sum = |acc| one(reduce(Monoid::Sum, Spec::fold(1, &[0]).unwrap(), acc), &[halves(700)]);
    assert_eq!(sum(DType::F16), t(&[], &[half::f16::INFINITY]));
    assert_eq!(sum(DType::F32), t(&[], &[half::f16::INFINITY]), "70000 does not fit the result");
    let small =
        one(reduce(Monoid::Sum, Spec::fold(1, &[0]).unwrap(), DType::F32), &[t(&[3000], &[half::f16::ONE; 3000])]);
    assert_eq!(small, t(&[], &[half::f16::from_f32(3000.0)]));
    let stuck =
        one(reduce(Monoid::Sum, Spec::fold(1, &[0]).unwrap(), DType::F16), &[t(&[3000], &[half::f16::ONE; 3000])]);
    assert_eq!(stuck, t(&[], &[half::f16::from_f32(2048.0)]));
    let dot = Spec::plain(&["k", "k"], "").unwrap();
    let op = Op::Contract { spec: dot.clone(), acc: DType::I32, out: DType::I32 };
    assert_eq!(one(op, &[t(&[2], &[-128i8, -128]), t(&[2], &[255u8, 255])]), t(&[], &[-65280i32]));
    let wraps = Op::Contract { spec: dot, acc: DType::I32, out: DType::F32 };
    assert_eq!(one(wraps, &[t(&[2], &[i32::MAX, 1]), t(&[2], &[1i32, 1])]), t(&[], &[-2147483648f32]));
    // A float sum that starts with its first term keeps the sign of zero; an empty one is +0.
    let zeros = one(reduce(Monoid::Sum, Spec::fold(1, &[0]).unwrap(), DType::F32), &[t(&[2], &[-0.0f32, -0.0])]);
    assert_eq!(zeros.get(0).bits(), u64::from((-0.0f32).to_bits()));
}

#[test]
fn branches_and_loops() {
    use crate::graph::{BodyId, Graph};
    use crate::op::scalar::Scalar;
    use crate::op::{IfAttrs, LoopAttrs, LoopExit};
    use crate::origin::Origins;
    use crate::types::Type;
    let ty = Type::fixed(DType::I64, &[]);
    let body = |row| {
        let mut b = Graph::new("body");
        let x = b.input("x", ty.clone());
        let y = b.add(Op::Map(row), &[x, x], Origins::none()).unwrap();
        b.output("y", y);
        b
    };
    let mut g = Graph::new("g");
    g.tables.bodies = vec![body(Scalar::Add), body(Scalar::Sub)];
    let c = g.input("c", Type::fixed(DType::Bool, &[]));
    let x = g.input("x", ty.clone());
    let attrs = IfAttrs { then: BodyId(0), other: BodyId(1), results: [ty.clone()].into() };
    let branch = g.add(Op::If(Box::new(attrs)), &[c, x], Origins::none()).unwrap();
    let y = g.add(Op::Proj(0), &[branch], Origins::none()).unwrap();
    g.output("y", y);
    let run = |c: bool| crate::eval::native(&g, &[t(&[], &[c]), t(&[], &[7i64])]).unwrap().remove(0);
    assert_eq!((run(true), run(false)), (t(&[], &[14i64]), t(&[], &[0i64])));

    // s += xs[i]·k while s < 10; stacks s.
    let mut b = Graph::new("body");
    let _i = b.input("i", ty.clone());
    let s = b.input("s", ty.clone());
    let e = b.input("e", ty.clone());
    let k = b.input("k", ty.clone());
    let p = b.add(Op::Map(Scalar::Mul), &[e, k], Origins::none()).unwrap();
    let next = b.add(Op::Map(Scalar::Add), &[s, p], Origins::none()).unwrap();
    let ten = b.scalar(crate::dtype::Literal::i64(10));
    let going = b.add(Op::Map(Scalar::Lt), &[next, ten], Origins::none()).unwrap();
    b.output("going", going);
    b.output("s", next);
    b.output("each", next);
    let mut g = Graph::new("g");
    g.tables.bodies = vec![b];
    let trips = crate::dim::Symbol::new("trips");
    g.tables.symbols.0.entry(trips.clone()).or_default().backing = crate::dim::Backing::Data;
    let stack = Type::tensor(DType::I64, [Dim::symbol(trips)]);
    let attrs = LoopAttrs {
        body: BodyId(0),
        trip: Some(Dim::from(4i64)),
        exit: LoopExit::Condition,
        carried: 1,
        scanned: 1,
        results: [ty, stack].into(),
    };
    let args = [t(&[], &[true]), t(&[], &[1i64]), t(&[4], &[1i64, 2, 3, 4]), t(&[], &[2i64])];
    let ids: Vec<_> = args.iter().map(|a| g.input("a", Type::fixed(a.dtype(), a.shape()))).collect();
    let l = g.add(Op::Loop(Box::new(attrs)), &ids, Origins::none()).unwrap();
    for i in 0..2 {
        let p = g.add(Op::Proj(i), &[l], Origins::none()).unwrap();
        g.output("y", p);
    }
    let out = crate::eval::native(&g, &args).unwrap();
    assert_eq!(out, [t(&[], &[13i64]), t(&[3], &[3i64, 7, 13])]);
}

#[test]
fn opaque_nodes_say_their_name() {
    let mut g = crate::graph::Graph::new("g");
    let def = crate::graph::OpaqueDef {
        domain: "com.example".into(),
        op_type: "Frob".into(),
        payload: bytes::Bytes::new(),
        results: [crate::types::Type::fixed(DType::F32, &[])].into(),
        site: None,
    };
    let id = g.tables.opaque(def);
    let n = g.add(Op::Opaque(id), &[], crate::origin::Origins::none()).unwrap();
    let p = g.add(Op::Proj(0), &[n], crate::origin::Origins::none()).unwrap();
    g.output("y", p);
    let e = crate::eval::native(&g, &[]).unwrap_err();
    assert!(e.to_string().contains("com.example::Frob"), "{e}");
    assert!(all(Op::Iota { len: Dim::ZERO, dtype: DType::I64 }, &[])[0].is_empty());
}

#[test]
fn large_transposes_go_by_tiles() {
    let (a, b, c) = (3, 40, 37);
    let x = ramp(&[a, b, c]);
    let y = one(Op::Permute(Perm::new(&[2, 0, 1]).unwrap()), &[x]).to_f64();
    for (at, got) in y.iter().enumerate() {
        let (k, i, j) = (at / (a * b), at / b % a, at % b);
        assert_eq!(*got, ((i * b + j) * c + k) as f64);
    }
}
