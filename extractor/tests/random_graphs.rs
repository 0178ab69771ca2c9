//! Random graphs, and class graphs with several ways per class: every program computes what its graph does, bit for bit.

use egret_extractor::kernels::Limits;
use egret_extractor::{Options, machines, plan, run};
use egret_ir::choice::{ClassGraph, ClassId, ClassNode};
use egret_ir::dim::Dim;
use egret_ir::graph::{Graph, ValueId};
use egret_ir::op::call::Call;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::op::{Monoid, Op, PadAxis, Perm, SliceAxis};
use egret_ir::{DType, Literal, Origins, Tensor, Type};
use proptest::prelude::*;

fn shape(g: &Graph, v: ValueId) -> Vec<usize> {
    g.ty(v).as_tensor().expect("tensors only").static_shape().expect("static")
}

fn dims(shape: &[usize]) -> Vec<Dim> {
    shape.iter().map(|d| Dim::from(*d)).collect()
}

/// One more node, chosen by numbers; values of other shapes are brought to one shape by broadcasting a fold of them.
fn grow(g: &mut Graph, step: [usize; 4]) -> Option<ValueId> {
    let values: Vec<ValueId> = g.values().collect();
    let x = values[values.len() - 1 - step[1] % values.len().min(6)];
    let s = shape(g, x);
    let (rank, k) = (s.len(), step[2]);
    let none = Origins::none;
    let mut add = |op: Op, args: &[ValueId]| g.add(op, args, none()).ok();
    match step[0] % 13 {
        0 => add(Op::Map([Scalar::Neg, Scalar::Abs, Scalar::Floor, Scalar::Sign][k % 4]), &[x]),
        1 | 2 => {
            let same = values.iter().rev().filter(|v| shape(g, **v) == s).nth(step[3] % 3)?;
            g.add(Op::Map([Scalar::Add, Scalar::Max, Scalar::Sub, Scalar::Mul][k % 4]), &[x, *same], none()).ok()
        }
        3 if rank > 1 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.swap(k % rank, step[3] % rank);
            add(Op::Permute(Perm::new(&axes)?), &[x])
        }
        4 => {
            let count: usize = s.iter().product();
            let splits: Vec<usize> = (1..=count).filter(|d| count.is_multiple_of(*d)).collect();
            let d = splits[k % splits.len()];
            add(Op::Reshape(dims(&[d, count / d])), &[x])
        }
        5 if rank < 4 => {
            let at = (k % (rank + 1)) as u8;
            add(Op::Broadcast([(at, Dim::from(1 + step[3] % 3))].into()), &[x])
        }
        6 | 7 if rank > 0 => {
            let axes: Vec<usize> = if k.is_multiple_of(3) { vec![rank - 1] } else { vec![k % rank] };
            let spec = Spec::fold(rank, &axes).ok()?;
            let monoid = [Monoid::Sum, Monoid::Max, Monoid::Min][step[3] % 3];
            let r = add(Op::Reduce { monoid, spec, acc: DType::F32 }, &[x])?;
            // Often put back, as in norms.
            if step[3].is_multiple_of(2) {
                return add(Op::Broadcast([(axes[0] as u8, Dim::from(s[axes[0]]))].into()), &[r]);
            }
            Some(r)
        }
        8 if rank == 2 => {
            let w = values.iter().find(|v| shape(g, **v).len() == 2 && shape(g, **v)[0] == s[1])?;
            let spec = Spec::plain(&["ac", "cb"], "ab").ok()?;
            g.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[x, *w], none()).ok()
        }
        9 if rank > 0 => {
            let a = k % rank;
            let parts = s.iter().enumerate().map(|(i, d)| {
                let len = if i == a { (*d).min(1 + step[3] % 2) } else { *d };
                SliceAxis { start: Dim::from(d - len), step: 1, len: Dim::from(len) }
            });
            add(Op::Slice(parts.collect()), &[x])
        }
        10 if rank > 0 => add(Op::Concat((k % rank) as u8), &[x, x]),
        11 if rank > 0 => add(Op::Call(Box::new(Call::Softmax { axis: (k % rank) as u8 })), &[x]),
        12 if rank > 0 => {
            let zero = g.scalar(Literal::f32(0.5));
            let axes =
                (0..rank).map(|i| PadAxis { lo: Dim::from(usize::from(i == k % rank)), hi: Dim::ZERO, inner: 0 });
            g.add(Op::Pad(axes.collect()), &[x, zero], none()).ok()
        }
        _ => None,
    }
}

fn build(steps: &[[usize; 4]], outputs: &[usize]) -> Graph {
    let mut g = Graph::new("random");
    g.input("x", Type::fixed(DType::F32, &[4, 4]));
    g.input("y", Type::fixed(DType::F32, &[2, 4]));
    let values: Vec<f32> = (0..16).map(|i| i as f32 / 8.0 - 1.0).collect();
    g.constant(Tensor::from_slice([4, 4], &values).expect("sixteen values"));
    for s in steps {
        let small = |v: ValueId| shape(&g, v).iter().product::<usize>() <= 512;
        if g.values().next_back().is_some_and(small) {
            grow(&mut g, *s);
        }
    }
    let n = g.nodes().len();
    for (i, o) in outputs.iter().enumerate() {
        g.output(&format!("out{i}"), ValueId((n - 1 - o % n.min(8)) as u32));
    }
    g
}

fn tensors() -> Vec<Tensor> {
    let v = |n: usize, k: usize| (0..n).map(|i| ((i * k) % 17) as f32 / 8.0 - 1.0).collect::<Vec<f32>>();
    vec![Tensor::from_slice([4, 4], &v(16, 5)).expect("fits"), Tensor::from_slice([2, 4], &v(8, 7)).expect("fits")]
}

/// Adds exact other ways: x = −(−x), a permutation undone, and the permuted form of each elementwise way.
fn saturate(cg: &mut ClassGraph, picks: &[usize]) {
    let n = cg.classes.len();
    for p in picks {
        let c = ClassId((p % n) as u32);
        let Some(t) = cg.ty(c).as_tensor() else { continue };
        let rank = t.rank();
        let op = if p % 2 == 0 || rank < 2 {
            Op::Map(Scalar::Neg)
        } else {
            let axes: Vec<usize> = (0..rank).rev().collect();
            Op::Permute(Perm::new(&axes).expect("a permutation"))
        };
        let Ok(there) = cg.derive(op.clone(), &[c]) else { continue };
        let back = ClassNode { op, args: vec![there] };
        if there != c && !cg.class(c).nodes.contains(&back) {
            // Such classes are cyclic: each is a way of the other.
            cg.classes[c.index()].nodes.push(back);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_algorithm: prop::test_runner::RngAlgorithm::ChaCha, ..ProptestConfig::default() })]

    #[test]
    fn programs_compute_their_graphs(
        steps in proptest::collection::vec([0usize..1000, 0..1000, 0..1000, 0..1000], 3..40),
        outputs in proptest::collection::vec(0usize..100, 1..4),
        picks in proptest::collection::vec(0usize..1000, 0..12),
    ) {
        let graph = build(&steps, &outputs);
        let given = tensors();
        let want = egret_ir::eval::native(&graph, &given).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let (mut cg, _) = ClassGraph::from_graph(&graph);
        saturate(&mut cg, &picks);
        let machine = machines::named("x86-64-v4").expect("built in");
        for fuse in [true, false] {
            let options = Options { limits: Limits { fuse, ..Limits::default() } };
            let program = plan(&cg, &machine, &options)
                .map_err(|e| TestCaseError::fail(format!("{e}\n{}", egret_ir::text::print(&graph))))?;
            for (_, k) in program.kernels() {
                prop_assert!(egret_ir::check(k.body.clone()).is_ok(), "{}", k.name);
                prop_assert_eq!(k.body.live().iter().filter(|l| !**l).count(), 0, "dead nodes in {}", k.name);
            }
            let got = run::run_outputs(&program, &given).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(&got, &want, "{}", egret_ir::text::print_program(&program));
        }
    }
}
