//! Saturation by regions: what repeats is done once, the result is that of the whole, whatever the weights and the number of
//! threads.

use egret_ir::choice::ClassGraph;
use egret_ir::eval::native;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Graph, Origin, Origins, Tensor, Type, Typed, ValueId, check, text};
use egret_rules::{Config, RegionSaturated, RuleSet, Source, saturate, saturate_regions};
use proptest::prelude::*;

const WIDTH: usize = 80;

/// Pseudo-random numbers of a seed.
fn numbers(seed: u64, n: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / 16_777_216.0 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn tensor(shape: &[usize], numbers: &[f32]) -> Tensor {
    Tensor::new(DType::F32, shape, numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap()
}

/// The scale of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Finite,
    /// One element of it is infinite.
    Infinite,
}

struct Builder {
    graph: Graph,
    seed: u64,
}

impl Builder {
    fn new() -> (Self, ValueId) {
        let mut graph = Graph::new("blocks");
        let x = graph.input("x", Type::fixed(DType::F32, &[4, WIDTH]));
        (Self { graph, seed: 0 }, x)
    }

    fn add(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        let name = format!("n{}", self.graph.nodes().len());
        let index = self.graph.nodes().len() as u32;
        let origin = Origin::Onnx { index, op: "Op".into(), name: name.into() };
        self.graph.add(op, args, Origins::one(origin)).unwrap()
    }

    fn map(&mut self, f: Scalar, args: &[ValueId]) -> ValueId {
        self.add(Op::Map(f), args)
    }

    fn vector(&mut self, scale: Scale) -> ValueId {
        self.seed += 1;
        let mut numbers = numbers(self.seed, WIDTH);
        if scale == Scale::Infinite {
            numbers[WIDTH / 2] = f32::INFINITY;
        }
        let v = self.graph.constant(tensor(&[WIDTH], &numbers));
        self.add(Op::Broadcast([(0u8, Dim::from(4i64))].into()), &[v])
    }

    /// The rows, each shifted by its own mean: a fold and what is spread again.
    fn centred(&mut self, x: ValueId) -> ValueId {
        let fold = "graph \"g\" {
            %0 = input \"x\" : f32[4,80]
            %1 = reduce sum {a b -> a} f32 %0 : f32[4]
            return \"y\" %1
        }";
        let sum = self.add(text::parse(fold).unwrap().nodes()[1].op.clone(), &[x]);
        let wide = self.add(Op::Broadcast([(1u8, Dim::from(WIDTH as i64))].into()), &[sum]);
        self.map(Scalar::Sub, &[x, wide])
    }

    /// x + exp(relu((centred x + c) · s) …): a skip connection over a chain.
    fn block(&mut self, x: ValueId, scale: Scale) -> ValueId {
        let centred = self.centred(x);
        let c = self.vector(Scale::Finite);
        let shifted = self.map(Scalar::Add, &[centred, c]);
        let s = self.vector(scale);
        let mut y = self.map(Scalar::Mul, &[shifted, s]);
        for f in [Scalar::Tanh, Scalar::Neg, Scalar::Abs, Scalar::Sqrt, Scalar::Tanh, Scalar::Neg, Scalar::Exp] {
            y = self.map(f, &[y]);
        }
        self.map(Scalar::Add, &[y, x])
    }

    fn finish(mut self, y: ValueId) -> Typed {
        self.graph.output("y", y);
        check(self.graph).unwrap()
    }
}

fn blocks(scales: &[Scale]) -> Typed {
    let (mut b, mut x) = Builder::new();
    for scale in scales {
        x = b.block(x, *scale);
    }
    b.finish(x)
}

fn run(graph: &Typed) -> RegionSaturated {
    saturate_regions(graph, &RuleSet::builtin(), &Config::for_nodes)
}

/// Everything that leaves saturation, as text.
fn dump(s: &RegionSaturated) -> String {
    format!("{:?}\n{:?}\n{:?}\n{:?}\n{:?}", s.classes, s.class_of, s.births, s.sources, s.rules)
}

/// The program of the smallest ways.
fn smallest(classes: &ClassGraph) -> Graph {
    let choice = classes.smallest(&|_, _| true);
    classes.graph_of(&classes.outputs, &choice).expect("the outputs are computable")
}

fn close(a: &Tensor, b: &Tensor) -> bool {
    let near = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-4 * (1.0 + x.abs());
    a.shape() == b.shape() && (0..a.len()).all(|i| near(a.get(i).to_f64(), b.get(i).to_f64()))
}

#[test]
fn cost_grows_with_distinct_blocks() {
    let born = |n: usize| run(&blocks(&vec![Scale::Finite; n])).ids();
    let one = born(1);
    for n in [2, 4, 24] {
        let many = born(n);
        assert!(many as f64 <= 1.2 * one as f64, "{many} e-nodes for {n} blocks, {one} for one");
    }
    let s = run(&blocks(&[Scale::Finite; 24]));
    assert_eq!((s.regions.len(), s.instances.len()), (1, 24));
    assert_eq!(s.faults().count(), 0);
    assert!(s.class_of.iter().all(Option::is_some));
}

#[test]
fn a_graph_without_repetition_is_one_region() {
    let graph = blocks(&[Scale::Finite]);
    let s = run(&graph);
    assert_eq!((s.regions.len(), s.instances.len()), (1, 1));
    let plain = saturate(&graph, &RuleSet::builtin(), &Config::for_nodes(graph.nodes().len()));
    assert_eq!(format!("{:?}", s.classes), format!("{:?}", plain.classes));
}

/// Blocks equal up to their weights share nothing where a rule asked the weights and they answer differently.
#[test]
fn weights_that_answer_otherwise_are_regions_of_their_own() {
    use Scale::{Finite, Infinite};
    let scales = [Finite, Finite, Infinite, Finite, Infinite, Finite];
    let graph = blocks(&scales);
    let s = run(&graph);
    assert_eq!((s.regions.len(), s.instances.len()), (2, 6));
    let of: Vec<usize> = s.instances.iter().map(|i| i.region).collect();
    assert_eq!(of, [0, 0, 1, 0, 1, 0]);
    // Where the scale is finite, scale-of-shifted moves it inward; elsewhere it must not.
    let products = graph.values().filter(|v| graph.node(*v).op == Op::Map(Scalar::Mul));
    for (v, scale) in products.zip(scales) {
        let class = s.classes.class(s.class_of[v.index()].unwrap());
        let moved = class.nodes.iter().any(|n| n.op == Op::Map(Scalar::Add));
        assert_eq!(moved, scale == Finite);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let graph = blocks(&[Scale::Finite, Scale::Infinite, Scale::Finite, Scale::Finite, Scale::Infinite]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| dump(&run(&graph)))
    };
    let one = with(1);
    assert!(one.contains("Region"));
    for threads in [2, 4] {
        assert!(with(threads) == one, "{threads} threads give another result");
    }
}

/// Equal values of different regions are one class: both blocks scale what they read by the same constant first.
#[test]
fn common_subexpressions_are_found_across_regions() {
    let (mut b, x) = Builder::new();
    let two = b.graph.constant(tensor(&[4, WIDTH], &numbers(77, 4 * WIDTH)));
    let mut sums = Vec::new();
    let mut squares = Vec::new();
    let mut y = x;
    for _ in 0..4 {
        let square = b.map(Scalar::Mul, &[x, two]);
        squares.push(square);
        let z = b.block(y, Scale::Finite);
        y = b.map(Scalar::Add, &[z, square]);
        sums.push(y);
    }
    let out = b.map(Scalar::Mul, &[y, y]);
    let graph = b.finish(out);
    let s = run(&graph);
    assert!(s.instances.len() > 1, "the graph was not cut");
    let class = |v: &ValueId| s.class_of[v.index()];
    assert!(squares.iter().all(|v| class(v) == class(&squares[0])));
    assert!(class(&sums[0]) != class(&sums[1]));
}

#[test]
fn instances_name_the_parts_of_the_whole() {
    let graph = blocks(&[Scale::Finite; 5]);
    let s = run(&graph);
    for (i, instance) in s.instances.iter().enumerate() {
        let region = &s.regions[instance.region];
        for (v, class) in instance.values.iter().zip(&region.class_of) {
            assert_eq!(s.class_of[v.index()], class.map(|c| instance.classes[c.index()]), "value {v:?} of {i}");
        }
    }
    for (class, sources) in s.classes.classes.iter().zip(&s.sources) {
        assert_eq!(class.nodes.len(), sources.len());
        for (node, source) in class.nodes.iter().zip(sources) {
            match source {
                Source::Value(v) => assert_eq!(node.op, graph.node(*v).op),
                Source::Region { instance, class, way } => {
                    let region = &s.regions[s.instances[*instance].region];
                    assert_eq!(region.classes.class(*class).nodes[*way].op.kind(), node.op.kind());
                }
            }
        }
    }
    // What a block computes comes from that block's nodes, not from those of the block that was saturated.
    let last = s.class_of[graph.outputs[0].value.index()].unwrap();
    let names: Vec<String> = s.classes.class(last).origins.iter().map(ToString::to_string).collect();
    assert!(names.iter().any(|n| n.contains(&format!("node {}", graph.outputs[0].value.0))), "{names:?}");
}

/// Earlier stages are subsets: each computes the same, the first of them with imported ways alone.
#[test]
fn every_stage_computes_the_graph() {
    let graph = blocks(&[Scale::Finite; 3]);
    let s = run(&graph);
    let stages = s.stages();
    assert!(stages.len() >= 2);
    let x = [tensor(&[4, WIDTH], &numbers(5, 4 * WIDTH))];
    let wanted = native(&graph, &x).unwrap();
    let mut ways = usize::MAX;
    for stage in &stages {
        let count = stage.classes.iter().map(|c| c.nodes.len()).sum();
        assert!(count < ways, "a stage that adds nothing");
        ways = count;
        assert!(close(&native(&smallest(stage), &x).unwrap()[0], &wanted[0]));
    }
    assert!(ways <= graph.nodes().len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The smallest program of the whole computes what the graph does, whatever blocks there are.
    #[test]
    fn the_whole_computes_the_graph(kinds in prop::collection::vec(any::<bool>(), 1..7), seed in 0u64..1000) {
        let scales: Vec<Scale> = kinds.iter().map(|k| if *k { Scale::Finite } else { Scale::Infinite }).collect();
        let graph = blocks(&scales);
        let s = run(&graph);
        let x = [tensor(&[4, WIDTH], &numbers(seed, 4 * WIDTH))];
        let (ours, wanted) = (native(&smallest(&s.classes), &x).unwrap(), native(&graph, &x).unwrap());
        prop_assert!(close(&ours[0], &wanted[0]));
    }
}
