//! Contractions of one operand are merged into one where that is predicted to pay, and only there. Saturation offers the
//! merged form ([`egret_rules::engine::passes`]); no class by itself wants it, so it takes the search to find it.

use egret_extractor::plan::plan_with_report;
use egret_extractor::{Options, machines, run};
use egret_ir::build::Builder;
use egret_ir::choice::ClassGraph;
use egret_ir::graph::{Graph, InputDecl};
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::Spec;
use egret_ir::program::Program;
use egret_ir::{DType, Dim, Tensor, Type, ValueId};
use egret_rules::{Config, RuleSet, saturate};

/// Small integers, so that every order of a sum gives the same bits.
fn values(shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::new();
    for _ in 0..shape.iter().product::<usize>() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(((state >> 40) as f32 % 5.0 - 2.0).to_le_bytes());
    }
    Tensor::new(DType::F32, shape, bytes).expect("as many bytes as elements")
}

fn input(b: &mut Builder, shape: &[usize]) -> ValueId {
    b.input(InputDecl { name: "x".into(), ty: Type::fixed(DType::F32, shape), default: None })
}

fn product(b: &mut Builder, x: ValueId, w: ValueId, ins: [&str; 2], out: &str) -> ValueId {
    let spec = Spec::plain(&ins, out).expect("a spec");
    b.contract(spec, x, w, DType::F32, DType::F32).expect("typed")
}

fn contractions(program: &Program) -> usize {
    let is = |op: &Op| matches!(op, Op::Contract { .. });
    program.kernels().map(|(_, k)| k.body.nodes().iter().filter(|n| is(&n.op)).count()).sum()
}

/// The program with all rules, and its contractions and predicted time beside those of the program without.
fn planned(graph: Graph) -> (Program, [usize; 2], [u64; 2]) {
    let graph = egret_ir::check(graph).expect("checks");
    let machine = machines::named("x86-64-v4").expect("built in");
    let options = Options::default();
    let (plain, before) = plan_with_report(&ClassGraph::from_graph(&graph).0, &machine, &options).expect("planned");
    let saturated = saturate(&graph, &RuleSet::builtin(), &Config::for_nodes(graph.nodes().len()));
    assert!(saturated.faults().is_empty());
    let (program, after) = plan_with_report(&saturated.classes, &machine, &options).expect("planned");
    let given: Vec<Tensor> = graph
        .inputs
        .iter()
        .map(|i| values(&i.ty.as_tensor().and_then(egret_ir::TensorType::static_shape).expect("numbers"), 3))
        .collect();
    let want = egret_ir::eval::native(&graph, &given).expect("runs");
    assert_eq!(run::run_outputs(&program, &given).expect("runs"), want);
    let counts = [contractions(&plain), contractions(&program)];
    (program, counts, [before.selection.cost, after.selection.cost])
}

/// Query, key and value with biases, split into heads and multiplied.
fn attention(rows: usize, width: usize, heads: usize) -> Graph {
    let mut b = Builder::new("attention");
    let x = input(&mut b, &[rows, width]);
    let each = width / heads;
    let mut parts = Vec::new();
    for i in 0..3 {
        let w = b.constant(values(&[width, width], 10 + i));
        let y = product(&mut b, x, w, ["ab", "bc"], "ac");
        let bias = b.constant(values(&[width], 20 + i));
        let bias = b.insert(bias, vec![(0, Dim::from(rows))]).expect("typed");
        let y = b.map(Scalar::Add, &[y, bias]).expect("typed");
        let y = b.reshape(y, &[rows, heads, each].map(Dim::from)).expect("typed");
        parts.push(b.permute(y, &[1, 0, 2]).expect("typed"));
    }
    let scores = product(&mut b, parts[0], parts[1], ["hqd", "hkd"], "hqk");
    let y = product(&mut b, scores, parts[2], ["hqk", "hkd"], "hqd");
    b.graph_mut().output("y", y);
    b.finish()
}

#[test]
fn three_projections_of_a_small_input_become_one() {
    let (program, counts, cost) = planned(attention(8, 64, 4));
    assert_eq!(counts, [5, 3], "{}", egret_ir::text::print_program(&program));
    assert!(cost[1] < cost[0], "{cost:?}");
}

/// Products of one row with matrices that fit the second cache each, and not all together: there the memory of the next
/// level costs more than the launches saved.
#[test]
fn matrices_that_leave_a_cache_together_stay_apart() {
    let mut b = Builder::new("rows");
    let x = input(&mut b, &[1, 480]);
    let mut sum = None;
    for i in 0..3 {
        let w = b.constant(values(&[480, 480], 10 + i));
        let y = product(&mut b, x, w, ["ab", "bc"], "ac");
        let y = b.map([Scalar::Tanh, Scalar::Sigmoid, Scalar::Exp][i as usize], &[y]).expect("typed");
        sum = Some(match sum {
            None => y,
            Some(s) => b.map(Scalar::Max, &[s, y]).expect("typed"),
        });
    }
    b.graph_mut().output("y", sum.expect("three"));
    let (_, counts, cost) = planned(b.finish());
    assert_eq!(counts, [3, 3]);
    assert!(cost[1] <= cost[0], "{cost:?}");
}

/// Eight gates of a cell over an input and a state, with activations of their own.
#[test]
fn the_gates_of_a_cell_become_few_products() {
    let mut b = Builder::new("cell");
    let x = input(&mut b, &[1, 16]);
    let h = input(&mut b, &[1, 16]);
    let mut gates = Vec::new();
    for i in 0..8u64 {
        let (w, u) = (b.constant(values(&[16, 16], 30 + i)), b.constant(values(&[16, 16], 50 + i)));
        let (p, q) = (product(&mut b, x, w, ["ab", "bc"], "ac"), product(&mut b, h, u, ["ab", "bc"], "ac"));
        let y = b.map(Scalar::Add, &[p, q]).expect("typed");
        gates.push(if i % 2 == 0 { b.map(Scalar::Abs, &[y]) } else { b.map(Scalar::Neg, &[y]) }.expect("typed"));
    }
    let y = gates.into_iter().reduce(|a, c| b.map(Scalar::Add, &[a, c]).expect("typed")).expect("eight");
    b.graph_mut().output("y", y);
    let (program, counts, cost) = planned(b.finish());
    assert_eq!(counts[0], 16);
    assert!(counts[1] <= 2, "{}", egret_ir::text::print_program(&program));
    assert!(cost[1] < cost[0], "{cost:?}");
}
