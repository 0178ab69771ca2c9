//! Saturation keeps values: random small graphs, and every way of every output gives the same numbers.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::op::{Monoid, Op, Perm, SliceAxis};
use egret_ir::{DType, Dim, Graph, Origins, Tensor, Type, ValueId, check};
use egret_rules::{Config, Numeric, RuleSet, saturate};
use proptest::prelude::*;

/// Adds an operation picked by numbers; what does not type is left out.
fn grow(g: &mut Graph, kind: u8, a: usize, b: usize, c: usize) {
    let n = g.nodes().len();
    let (x, y) = (ValueId((a % n) as u32), ValueId((b % n) as u32));
    let Some(t) = g.ty(x).as_tensor().cloned() else { return };
    let rank = t.rank();
    let op = match kind % 9 {
        0 => Op::Map([Scalar::Add, Scalar::Sub, Scalar::Mul, Scalar::Max][c % 4]),
        1 => Op::Map([Scalar::Neg, Scalar::Abs, Scalar::Floor][c % 3]),
        2 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.rotate_left(c % rank.max(1));
            Op::Permute(Perm::new(&axes).expect("a rotation"))
        }
        3 => Op::Reshape(vec![egret_ir::dim::count(&t.shape)]),
        4 => Op::Broadcast([((c % (rank + 1)) as u8, Dim::from(1 + c % 3))].into()),
        5 if rank > 0 => {
            let cut = |i: usize, d: &Dim| {
                let full = d.as_const().unwrap_or(1);
                let start = i64::from(i == c % rank && full > 1);
                SliceAxis { start: Dim::from(start), step: 1, len: Dim::from(full - start) }
            };
            Op::Slice(t.shape.iter().enumerate().map(|(i, d)| cut(i, d)).collect())
        }
        6 if rank > 0 => {
            let Ok(spec) = Spec::fold(rank, &[c % rank]) else { return };
            let monoid = [Monoid::Sum, Monoid::Max][c % 2];
            Op::Reduce { monoid, spec, acc: t.dtype }
        }
        7 if rank > 0 => Op::Concat((c % rank) as u8),
        8 if rank == 2 => {
            let Ok(spec) = Spec::plain(&["ab", "bc"], "ac") else { return };
            Op::Contract { spec, acc: t.dtype, out: t.dtype }
        }
        _ => return,
    };
    let args: &[ValueId] = match &op {
        Op::Map(f) if f.arity() == 1 => &[x],
        Op::Map(_) | Op::Concat(_) | Op::Contract { .. } => &[x, y],
        _ => &[x],
    };
    let small = |g: &Graph, v: ValueId| {
        g.ty(v).as_tensor().and_then(egret_ir::TensorType::byte_size).is_some_and(|b| b <= 4096)
    };
    if args.iter().all(|v| small(g, *v)) {
        let _ = g.add(op, args, Origins::none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn every_way_gives_the_same_integers(steps in proptest::collection::vec((0u8..9, 0usize..40, 0usize..40, 0usize..12), 1..16)) {
        let mut g = Graph::new("g");
        g.input("x", Type::fixed(DType::I32, &[2, 3]));
        g.input("y", Type::fixed(DType::I32, &[3, 2]));
        g.constant(Tensor::from_slice([2, 3], &[1i32, -2, 3, -4, 5, 0]).unwrap());
        for (kind, a, b, c) in steps {
            grow(&mut g, kind, a, b, c);
        }
        let last = ValueId(g.nodes().len() as u32 - 1);
        g.output("z", last);
        let g = check(g).unwrap();
        let set = RuleSet::builtin();
        let s = saturate(&g, &set, &Config::for_nodes(g.nodes().len()).numeric(Numeric::Exact));
        prop_assert!(s.faults().is_empty());
        let inputs = [
            Tensor::from_slice([2, 3], &[7i32, -1, 2, i32::MAX, 0, -9]).unwrap(),
            Tensor::from_slice([3, 2], &[3i32, 8, -5, 1, i32::MIN, 4]).unwrap(),
        ];
        let expected = egret_ir::eval::native(&g, &inputs).unwrap();
        let smallest = s.classes.smallest(&|_, _| true);
        let root = s.classes.outputs[0].1;
        for k in 0..s.classes.class(root).nodes.len() {
            let mut choice = smallest.clone();
            choice[root.index()] = Some(k as u32);
            // A way may lead back to the root: then it is no way to compute it.
            if let Some(way) = s.classes.graph_of(&s.classes.outputs, &choice) {
                prop_assert_eq!(&egret_ir::eval::native(&way, &inputs).unwrap(), &expected);
            }
        }
    }
}
