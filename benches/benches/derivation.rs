//! Derivations of a BERT encoder of 24 layers: made from the union logs, checked by the checker that knows no rule, and
//! compared with the graphs they are about.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use egret_benches::bert;
use egret_onnx::ReadOptions;
use egret_onnx::external::Files;
use egret_rules::{Config, RuleSet, saturate_regions};
use egret_verification::derivation::{between, replay};

fn derivation(c: &mut Criterion) {
    let rules = RuleSet::builtin();
    let model = bert::encoder(24);
    let imported = egret_onnx::read_model(model, &mut Files::none(), &ReadOptions::default()).expect("a model");
    let g = egret_ir::check(imported.graph).expect("a typed model");
    let s = saturate_regions(&g, &rules, &Config::for_nodes);
    let choice = s.classes.smallest(&|_, _| true);
    let best = s.classes.graph_of(&s.classes.outputs, &choice).expect("a finite choice").pruned();
    let named = BTreeMap::new();
    let derive = || s.derivation(&rules, &g, &best, &named, 1).expect("it types");
    let d = derive();
    let seen = replay(&d).expect("it replays");
    eprintln!("{} nodes, {} after; {} e-nodes; {seen:?}", g.nodes().len(), best.nodes().len(), s.ids());
    let mut group = c.benchmark_group("derivation");
    group.sample_size(10);
    group.bench_function("made, 24 layers", |b| b.iter(|| black_box(derive())));
    group.bench_function("replayed, 24 layers", |b| b.iter(|| black_box(replay(&d))));
    group.bench_function("compared with its graphs, 24 layers", |b| b.iter(|| black_box(between(&d, &g, &best))));
    group.finish();
}

criterion_group!(benches, derivation);
criterion_main!(benches);
