//! Derivations of an encoder of 24 layers, in single steps as exporters write them: made from the union log, and checked by
//! the checker that knows no rule. Time goes by the number of steps, so the extents are small.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use egret_ir::{Typed, check, text};
use egret_rules::{Config, RuleSet, saturate};
use egret_verification::derivation::{between, replay};

/// A graph in text form under construction.
struct Writer {
    text: String,
    next: usize,
    seed: u32,
}

impl Writer {
    /// Adds a value of `kind` over `args`.
    fn add(&mut self, kind: &str, args: &[usize]) -> usize {
        let args: Vec<String> = args.iter().map(|a| format!("%{a}")).collect();
        let _ = writeln!(self.text, "  %{} = {kind} {}", self.next, args.join(", "));
        self.next += 1;
        self.next - 1
    }

    fn weight(&mut self, shape: &str, count: usize) -> usize {
        let number = |_| {
            self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("{:?}f32", f64::from(self.seed >> 16) / 65536.0 - 0.5)
        };
        let numbers: Vec<String> = (0..count).map(number).collect();
        self.add(&format!("dense f32[{shape}] {{{}}}", numbers.join(", ")), &[])
    }

    fn splat(&mut self, x: f64) -> usize {
        let s = self.add(&format!("{x:?}f32"), &[]);
        self.add("broadcast [0:8,1:8]", &[s])
    }

    fn linear(&mut self, x: usize) -> usize {
        let (w, b) = (self.weight("8,8", 64), self.weight("8", 8));
        let y = self.add("contract {i k, k j -> i j} f32 f32", &[x, w]);
        let b = self.add("broadcast [0:8]", &[b]);
        self.add("map add", &[y, b])
    }

    fn layer_norm(&mut self, x: usize) -> usize {
        let (g, b) = (self.weight("8", 8), self.weight("8", 8));
        let n = self.splat(8.0);
        let mean = |w: &mut Self, x: usize| {
            let sum = w.add("reduce sum {i j -> i} f32", &[x]);
            let sum = w.add("broadcast [1:8]", &[sum]);
            w.add("map div", &[sum, n])
        };
        let m = mean(self, x);
        let d = self.add("map sub", &[x, m]);
        let squares = self.add("map mul", &[d, d]);
        let v = mean(self, squares);
        let epsilon = self.splat(1e-5);
        let v = self.add("map add", &[v, epsilon]);
        let s = self.add("map sqrt", &[v]);
        let y = self.add("map div", &[d, s]);
        let g = self.add("broadcast [0:8]", &[g]);
        let y = self.add("map mul", &[y, g]);
        let b = self.add("broadcast [0:8]", &[b]);
        self.add("map add", &[y, b])
    }

    fn layer(&mut self, x: usize) -> usize {
        let (q, k, v) = (self.linear(x), self.linear(x), self.linear(x));
        let kt = self.add("permute [1,0]", &[k]);
        let scores = self.add("contract {i k, k j -> i j} f32 f32", &[q, kt]);
        let scale = self.splat(2.5);
        let scores = self.add("map div", &[scores, scale]);
        let top = self.add("reduce max {i j -> i} f32", &[scores]);
        let top = self.add("broadcast [1:8]", &[top]);
        let shifted = self.add("map sub", &[scores, top]);
        let e = self.add("map exp", &[shifted]);
        let sum = self.add("reduce sum {i j -> i} f32", &[e]);
        let sum = self.add("broadcast [1:8]", &[sum]);
        let p = self.add("map div", &[e, sum]);
        let context = self.add("contract {i k, k j -> i j} f32 f32", &[p, v]);
        let out = self.linear(context);
        let x = self.add("map add", &[out, x]);
        let x = self.layer_norm(x);
        let h = self.linear(x);
        let (root, one, half) = (self.splat(std::f64::consts::SQRT_2), self.splat(1.0), self.splat(0.5));
        let t = self.add("map div", &[h, root]);
        let t = self.add("map erf", &[t]);
        let t = self.add("map add", &[t, one]);
        let t = self.add("map mul", &[h, t]);
        let h = self.add("map mul", &[t, half]);
        let y = self.linear(h);
        let x = self.add("map add", &[y, x]);
        self.layer_norm(x)
    }
}

fn encoder(layers: usize) -> Typed {
    let mut w = Writer { text: String::new(), next: 1, seed: 1 };
    let mut x = 0;
    for _ in 0..layers {
        x = w.layer(x);
    }
    let text = format!("graph \"encoder\" {{\n  %0 = input \"x\" : f32[8,8]\n{}  return \"y\" %{x}\n}}", w.text);
    check(text::parse(&text).expect("the text parses")).expect("the graph checks")
}

fn derivation(c: &mut Criterion) {
    let rules = RuleSet::builtin();
    let g = encoder(24);
    let s = saturate(&g, &rules, &Config::for_nodes(g.nodes().len()));
    let choice = s.classes.smallest(&|_, _| true);
    let best = s.classes.graph_of(&s.classes.outputs, &choice).expect("a finite choice").pruned();
    let named = BTreeMap::new();
    let derive = || s.derivation(&rules, &g, &best, &named, 1).expect("it types");
    let d = derive();
    let seen = replay(&d).expect("it replays");
    eprintln!("{} nodes, {} after; {} e-nodes; {seen:?}", g.nodes().len(), best.nodes().len(), s.log.ids());
    let mut group = c.benchmark_group("derivation");
    group.sample_size(10);
    group.bench_function("made, 24 layers", |b| b.iter(|| black_box(derive())));
    group.bench_function("replayed, 24 layers", |b| b.iter(|| black_box(replay(&d))));
    group.bench_function("compared with the graphs, 24 layers", |b| b.iter(|| black_box(between(&d, &g, &best))));
    group.finish();
}

criterion_group!(benches, derivation);
criterion_main!(benches);
