//! Import, saturation, extraction (kernels), emission of C, and a run of the library, each alone on real models.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use egret_benches::{models, read};
use egret_codegen_c::{CcOptions, EmitOptions, Library, build, emit_library};
use egret_extractor::{Options, detect, plan};
use egret_rules::{Config, RuleSet, saturate};
use egret_verification::inputs;

fn pipeline(c: &mut Criterion) {
    let rules = RuleSet::builtin();
    let machine = detect().expect("the machine files are part of the project");
    for model in models() {
        let name = model.name.as_str();
        let imported = read(&model);
        let typed = egret_ir::check(imported.graph.clone()).expect("a typed model");
        let config = Config::for_nodes(typed.nodes().len());
        let saturated = saturate(&typed, &rules, &config);
        let program = plan(&saturated.classes, &machine, &Options::default()).expect("a plan");
        let source = emit_library(&program, &EmitOptions::default()).expect("C");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.so");
        build(&source, &path, &CcOptions::default()).expect("a C compiler");
        let library = Library::open(&path).expect("a library");
        let values = inputs::for_graph(&imported.graph, &[], &[], 0).expect("inputs");
        let values: Vec<_> = values.into_iter().map(|(_, t)| t).collect();
        let mut context = library.context(1).expect("a context");

        let mut group = c.benchmark_group("pipeline");
        group.sample_size(10).measurement_time(Duration::from_secs(5));
        group.bench_function(BenchmarkId::new("import", name), |b| b.iter(|| black_box(read(&model))));
        group.bench_function(BenchmarkId::new("saturation", name), |b| {
            b.iter(|| black_box(saturate(&typed, &rules, &config)));
        });
        group.bench_function(BenchmarkId::new("extraction", name), |b| {
            b.iter(|| black_box(plan(&saturated.classes, &machine, &Options::default())));
        });
        group.bench_function(BenchmarkId::new("emit", name), |b| {
            b.iter(|| black_box(emit_library(&program, &EmitOptions::default())));
        });
        group.bench_function(BenchmarkId::new("run", name), |b| b.iter(|| black_box(context.run(&values))));
        group.finish();
    }
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
