//! Seeded random shapes of contractions, windows and transposes ([`common::shapes`]). All cases are kernels of one program, so
//! that each CPU level compiles once.
mod common;

use common::shapes::{Random, case};
use common::{Case, joined};
use egret_codegen_c::Cpu;
use egret_ir::Dim;

#[test]
fn random_shapes_equal_the_interpreter() {
    // `SHAPES=seed,count` looks further than the usual run.
    let asked = std::env::var("SHAPES").ok();
    let (seed, count) = asked.as_deref().and_then(|a| a.split_once(',')).unwrap_or(("1", "20"));
    let count: u64 = count.parse().expect("a number of cases");
    let mut r = Random(0x5eed_1234_5678_9abc ^ (seed.parse::<u64>().expect("a seed") << 20));
    let cases: Vec<Case> = (0..count)
        .map(|k| {
            let graph = case(&mut r, &mut |r, lo, hi| Dim::from(r.range(lo, hi)));
            let inputs = common::inputs(&graph, 100 * k);
            Case { name: k.to_string(), graph, inputs }
        })
        .collect();
    let program = joined(&cases);
    for cpu in Cpu::ALL.into_iter().filter(|c| *c <= Cpu::host()) {
        let library = common::compile(&program, cpu, None);
        for (case, _, d) in common::differences(&library, &cases, 2) {
            let graph = &cases[case.parse::<usize>().expect("cases are numbered")].graph;
            assert!(d <= 4e-6, "{cpu}: differs by {d:e}\n{}", egret_ir::text::print(graph));
        }
    }
}
