//! The laws of native passes: each alone on random graphs of the kind it rewrites. All ways of every class give the same
//! numbers, in wrapping integers and in floats with infinities and NaN where the pass is of a class that keeps them, and
//! all of it is derived by steps that replay.

use std::cell::Cell;

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Op, SliceAxis};
use egret_ir::{DType, Dim, Graph, Literal, Origins, Tensor, Type, ValueId, check, text};
use egret_rules::engine::passes::{PASSES, Pass, named};
use egret_rules::{Config, Numeric, RuleSet, Saturated, saturate};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn alone(pass: &'static Pass) -> RuleSet {
    RuleSet { rules: Vec::new(), passes: vec![pass] }
}

fn run(graph: &egret_ir::Typed, set: &RuleSet) -> Saturated {
    let s = saturate(graph, set, &Config::for_nodes(graph.nodes().len()).numeric(Numeric::Finite));
    assert!(s.faults().is_empty(), "{:?}", s.faults());
    s
}

/// All ways of all values are derived, and the derivation replays.
fn proved(s: &Saturated, rules: &RuleSet) {
    let mut goals = Vec::new();
    for (v, class) in s.class_of.iter().enumerate() {
        let (id, class) = (s.log.value(ValueId(v as u32)).unwrap(), class.unwrap());
        for k in 0..s.classes.class(class).nodes.len() {
            goals.push((id, s.log.node(class, k).unwrap()));
        }
    }
    let d = s.log.derive(&goals).expect("all ways of a class are derived");
    s.log.replay(&d, rules).expect("a derivation replays");
}

/// Equal, any NaN and any zero for another.
fn same(a: &Tensor, b: &Tensor) -> bool {
    if !a.dtype().is_float() {
        return a == b;
    }
    let equal = |i| {
        let (x, y) = (a.get(i).to_f64(), b.get(i).to_f64());
        x == y || (x.is_nan() && y.is_nan())
    };
    a.shape() == b.shape() && (0..a.len()).all(equal)
}

/// Every way of every class gives the numbers of its oldest one.
fn check_values(s: &Saturated, inputs: &[Tensor]) {
    let smallest = s.classes.smallest(&|_, _| true);
    for (i, class) in s.classes.classes.iter().enumerate().filter(|(_, c)| c.nodes.len() > 1) {
        let root = [("value".into(), egret_ir::choice::ClassId(i as u32))];
        let mut expected: Option<Tensor> = None;
        for k in 0..class.nodes.len() {
            let mut choice = smallest.clone();
            choice[i] = Some(k as u32);
            // A way may lead back to the class: then it is no way to compute it.
            let Some(way) = s.classes.graph_of(&root, &choice) else { continue };
            let value = egret_ir::eval::native(&way, inputs).unwrap().remove(0);
            match &expected {
                None => expected = Some(value),
                Some(e) => assert!(same(e, &value), "{e:?}\n{value:?}\n{}", text::print(&way)),
            }
        }
    }
}

fn values(dtype: DType, shape: &[usize], seed: u64, special: bool) -> Tensor {
    let n: usize = shape.iter().product();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::new();
    for _ in 0..n {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let r = state >> 40;
        let x = match r % 16 {
            13 if special => f64::INFINITY,
            14 if special => f64::NEG_INFINITY,
            15 if special => f64::NAN,
            _ => (r / 16 % 7) as f64 - 3.0,
        };
        bytes.extend(Literal::from_f64(dtype, x).to_le_bytes());
    }
    Tensor::new(dtype, shape, bytes).unwrap()
}

/// A graph over three inputs [2,3], two constants, splats, weights and what grows from them.
struct Grown {
    graph: Graph,
    /// Values of shape [2,3].
    wide: Vec<ValueId>,
    /// Values of shape [2,4].
    out: Vec<ValueId>,
}

impl Grown {
    fn new(dtype: DType) -> Self {
        let mut graph = Graph::new("g");
        let mut wide: Vec<ValueId> = ["x", "y", "z"].map(|n| graph.input(n, Type::fixed(dtype, &[2, 3]))).to_vec();
        wide.push(graph.constant(values(dtype, &[2, 3], 5, false)));
        wide.push(graph.constant(values(dtype, &[2, 3], 6, false)));
        Self { graph, wide, out: Vec::new() }
    }

    fn add(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        self.graph.add(op, args, Origins::none()).unwrap()
    }

    fn splat(&mut self, dtype: DType, n: i64) -> ValueId {
        let l = self.add(Op::Const(egret_ir::op::Const::Scalar(Literal::from_i64(dtype, n))), &[]);
        self.add(Op::Broadcast([(0, Dim::from(2)), (1, Dim::from(3))].into()), &[l])
    }

    fn product(&mut self, dtype: DType, a: ValueId, w: u64) -> ValueId {
        let w = self.graph.constant(values(dtype, &[3, 4], 20 + w, false));
        let spec = Spec::plain(&["ab", "bc"], "ac").unwrap();
        self.add(Op::Contract { spec, acc: dtype, out: dtype }, &[a, w])
    }

    /// One more value, chosen by numbers.
    fn grow(&mut self, dtype: DType, kind: u8, a: usize, b: usize) {
        let pick = |list: &[ValueId], i: usize| list[i % list.len()];
        let (x, y) = (pick(&self.wide, a), pick(&self.wide, b));
        match kind % 10 {
            0..=2 => {
                let v = self.add(Op::Map(Scalar::Add), &[x, y]);
                self.wide.push(v);
            }
            3 => {
                let v = self.add(Op::Map(Scalar::Sub), &[x, y]);
                self.wide.push(v);
            }
            4 => {
                let v = self.add(Op::Map(Scalar::Mul), &[x, y]);
                self.wide.push(v);
            }
            5 => {
                let c = self.splat(dtype, (b % 5) as i64 - 2);
                let v = self.add(Op::Map(Scalar::Mul), &[x, c]);
                self.wide.push(v);
            }
            6 | 7 => {
                let v = self.product(dtype, x, b as u64 % 5);
                self.out.push(v);
            }
            _ if self.out.is_empty() => {}
            8 => {
                let (p, q) = (pick(&self.out, a), pick(&self.out, b));
                let v = self.add(Op::Map(Scalar::Add), &[p, q]);
                self.out.push(v);
            }
            _ => {
                let p = pick(&self.out, a);
                let bias = self.graph.constant(values(dtype, &[4], 40 + b as u64 % 3, false));
                let bias = self.add(Op::Broadcast([(0, Dim::from(2))].into()), &[bias]);
                let v = self.add(Op::Map(Scalar::Add), &[p, bias]);
                let v = self.add(Op::Map(if b.is_multiple_of(2) { Scalar::Neg } else { Scalar::Abs }), &[v]);
                self.out.push(v);
            }
        }
    }

    fn finish(mut self) -> egret_ir::Typed {
        let outputs: Vec<ValueId> = self.wide.iter().chain(&self.out).rev().take(4).copied().collect();
        for (i, v) in outputs.into_iter().enumerate() {
            self.graph.output(&format!("o{i}"), v);
        }
        check(self.graph).unwrap()
    }
}

/// A value split along its last axis, and the same work on every part.
fn split_graph(dtype: DType, steps: &[(u8, usize, usize)]) -> egret_ir::Typed {
    let mut g = Graph::new("g");
    let x = g.input("x", Type::fixed(dtype, &[2, 6]));
    let y = g.input("y", Type::fixed(dtype, &[2, 6]));
    let cut = |g: &mut Graph, v: ValueId, i: i64| {
        let axis = |start: i64, len: i64| SliceAxis { start: Dim::from(start), step: 1, len: Dim::from(len) };
        g.add(Op::Slice([axis(0, 2), axis(2 * i, 2)].into()), &[v], Origins::none()).unwrap()
    };
    let mut parts: Vec<ValueId> = (0..3).map(|i| cut(&mut g, x, i)).collect();
    for (kind, a, _) in steps.iter().take(4) {
        for (i, p) in parts.iter_mut().enumerate() {
            let (f, beside) = match kind % 4 {
                0 => (Scalar::Neg, None),
                1 => (Scalar::Add, Some(cut(&mut g, y, i as i64))),
                2 => (Scalar::Mul, Some(g.constant(values(dtype, &[2, 2], (a % 7 + i) as u64, false)))),
                _ => {
                    let bias = g.constant(values(dtype, &[2], (a % 7 + 10 + i) as u64, false));
                    let bias = g.add(Op::Broadcast([(0, Dim::from(2))].into()), &[bias], Origins::none()).unwrap();
                    (Scalar::Max, Some(bias))
                }
            };
            let args: Vec<ValueId> = std::iter::once(*p).chain(beside).collect();
            *p = g.add(Op::Map(f), &args, Origins::none()).unwrap();
        }
    }
    for (i, p) in parts.iter().enumerate() {
        g.output(&format!("o{i}"), *p);
    }
    check(g).unwrap()
}

/// Runs a pass alone on random graphs; gives how often it united something.
fn law(pass: &'static Pass, dtype: DType) -> usize {
    let config = ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(11),
        ..ProptestConfig::default()
    };
    let step = (0u8..10, 0usize..40, 0usize..40);
    let fired = Cell::new(0);
    let set = alone(pass);
    TestRunner::new(config)
        .run(&proptest::collection::vec(step, 4..20), |steps| {
            let graph = if pass.name == "merge-maps" {
                split_graph(dtype, &steps)
            } else {
                let mut grown = Grown::new(dtype);
                for (kind, a, b) in &steps {
                    let products = pass.name.contains("product");
                    let kind = if products { [4, 4, 4, 0][usize::from(kind % 4)] } else { *kind };
                    grown.grow(dtype, kind, *a, *b);
                }
                grown.finish()
            };
            let s = run(&graph, &set);
            proved(&s, &set);
            let unions: usize = s.rules.iter().map(|r| r.unions).sum();
            fired.set(fired.get() + unions);
            if unions > 0 {
                let special = pass.numeric < Numeric::Finite;
                let inputs: Vec<Tensor> = graph
                    .inputs
                    .iter()
                    .zip(1..)
                    .map(|(i, seed)| {
                        let t = i.ty.as_tensor().unwrap();
                        let shape: Vec<usize> = t.shape.iter().map(|d| d.as_const().unwrap() as usize).collect();
                        values(t.dtype, &shape, seed + steps.len() as u64, special)
                    })
                    .collect();
                check_values(&s, &inputs);
            }
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{} on {dtype}: {e}", pass.name));
    fired.get()
}

#[test]
fn every_pass_keeps_integers_and_floats() {
    for pass in PASSES {
        for dtype in [DType::I32, DType::I8, DType::F32] {
            let fired = law(pass, dtype);
            let only_floats = pass.name == "cancel-terms" && !dtype.is_float();
            assert_eq!(fired == 0, only_floats, "{} fired {fired} times on {dtype}", pass.name);
        }
    }
}

fn graph(text: &str) -> egret_ir::Typed {
    check(text::parse(text).expect("the text parses")).expect("the graph checks")
}

#[test]
fn equal_multisets_meet_without_a_new_node() {
    let g = graph(
        "graph \"g\" {\n %0 = input \"a\" : f32[4]\n %1 = input \"b\" : f32[4]\n %2 = input \"c\" : f32[4]\n \
         %3 = input \"d\" : f32[4]\n %4 = map add %0, %1 : f32[4]\n %5 = map add %4, %2 : f32[4]\n \
         %6 = map add %5, %3 : f32[4]\n %7 = map add %3, %1 : f32[4]\n %8 = map add %2, %7 : f32[4]\n \
         %9 = map add %8, %0 : f32[4]\n return \"y\" %6, \"z\" %9\n}",
    );
    let set = alone(named("equal-sums").unwrap());
    let s = run(&g, &set);
    proved(&s, &set);
    assert_eq!(s.class_of[6], s.class_of[9]);
    assert_eq!(s.log.ids(), g.nodes().len());
}

#[test]
fn sums_of_ten_in_every_order_stay_linear() {
    // As many orders of one sum as there are rotations, each a chain of its own: one class, and no e-node more.
    let mut g = Graph::new("g");
    let xs: Vec<ValueId> = (0..10).map(|i| g.input(&format!("x{i}"), Type::fixed(DType::F32, &[4]))).collect();
    for r in 0..10 {
        let mut sum = xs[r];
        for k in 1..10 {
            sum = g.add(Op::Map(Scalar::Add), &[sum, xs[(r + k) % 10]], Origins::none()).unwrap();
        }
        g.output(&format!("y{r}"), sum);
    }
    let g = check(g).unwrap();
    let set = alone(named("equal-sums").unwrap());
    let s = run(&g, &set);
    proved(&s, &set);
    let roots: std::collections::BTreeSet<_> = s.classes.outputs.iter().map(|(_, c)| *c).collect();
    assert_eq!((roots.len(), s.log.ids()), (1, g.nodes().len()));
}

#[test]
fn a_tampered_step_does_not_replay() {
    // The laws are what is trusted: each refuses its own pairs with one side changed.
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : f32[4]\n %1 = input \"y\" : f32[4]\n %2 = map add %0, %0 : f32[4]\n \
         %3 = map add %2, %1 : f32[4]\n return \"z\" %3\n}",
    );
    let pass = named("like-terms").unwrap();
    let set = alone(pass);
    let s = run(&g, &set);
    assert_eq!(s.rules[0].unions, 1);
    // The same steps, said to be of another pass.
    for other in PASSES.iter().filter(|p| p.name != pass.name && p.name != "cancel-terms") {
        let class = s.class_of[2].unwrap();
        let goal = [(s.log.value(ValueId(2)).unwrap(), s.log.node(class, 1).unwrap())];
        let d = s.log.derive(&goal).unwrap();
        assert!(s.log.replay(&d, &alone(other)).is_err(), "{} takes like terms", other.name);
    }
}

#[test]
fn a_sum_that_is_one_of_its_operands_replays() {
    // y + (x - x) = y: the class of y then holds a sum over itself.
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : i8[4]\n %1 = input \"y\" : i8[4]\n %2 = map sub %0, %0 : i8[4]\n \
         %3 = map add %1, %2 : i8[4]\n %4 = map add %3, %3 : i8[4]\n %5 = map sub %4, %3 : i8[4]\n return \"z\" %5\n}",
    );
    let set = alone(named("like-terms").unwrap());
    let s = run(&g, &set);
    proved(&s, &set);
    assert_eq!(s.class_of[5], s.class_of[1]);
}

/// N products of one input with weights of their own.
fn siblings(n: usize) -> egret_ir::Typed {
    let mut g = Graph::new("g");
    let x = g.input("x", Type::fixed(DType::F32, &[2, 8]));
    let spec = Spec::plain(&["ab", "bc"], "ac").unwrap();
    for i in 0..n {
        let w = g.constant(values(DType::F32, &[8, 4], i as u64, false));
        let op = Op::Contract { spec: spec.clone(), acc: DType::F32, out: DType::F32 };
        let y = g.add(op, &[x, w], Origins::none()).unwrap();
        g.output(&format!("y{i}"), y);
    }
    check(g).unwrap()
}

#[test]
fn merging_siblings_grows_linearly_and_stops() {
    let set = alone(named("merge-contractions").unwrap());
    for (n, chunks) in [(3, 1), (8, 1), (16, 2), (64, 8)] {
        let g = siblings(n);
        let s = run(&g, &set);
        proved(&s, &set);
        // A joined weight and a wide product per chunk, and a slice per member.
        assert_eq!(s.log.ids(), g.nodes().len() + n + 2 * chunks, "{n} siblings");
        assert!(s.saturated(), "{:?}", s.phases);
    }
}

#[test]
fn convolutions_merge_over_their_channels() {
    let mut g = Graph::new("g");
    let x = g.input("x", Type::fixed(DType::F32, &[1, 2, 5, 5]));
    let window =
        |out: u8, tap: u8| Ix::Window(Window { out: Label(out), tap: Label(tap), stride: 1, dil: 1, lo: 1, in_dil: 1 });
    let l = |i: u8| Ix::Label(Label(i));
    let spec = Spec::new(
        &[vec![l(0), l(4), window(2, 5), window(3, 6)], vec![l(1), l(4), l(5), l(6)]],
        &[Label(0), Label(1), Label(2), Label(3)],
        &[(2, 5), (3, 5), (5, 3), (6, 3)].map(|(l, d)| (Label(l), Dim::from(d))),
    )
    .unwrap();
    let channels = [3, 1, 4];
    for (i, c) in channels.into_iter().enumerate() {
        let w = g.constant(values(DType::F32, &[c, 2, 3, 3], i as u64, false));
        let op = Op::Contract { spec: spec.clone(), acc: DType::F32, out: DType::F32 };
        let y = g.add(op, &[x, w], Origins::none()).unwrap();
        g.output(&format!("y{i}"), y);
    }
    let g = check(g).unwrap();
    let set = alone(named("merge-contractions").unwrap());
    let s = run(&g, &set);
    proved(&s, &set);
    assert_eq!(s.rules[0].unions, 3);
    check_values(&s, &[values(DType::F32, &[1, 2, 5, 5], 3, false)]);
}
