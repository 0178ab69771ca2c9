//! Differential tests: every kernel family and every kind against the interpreter (`cases/run.txt`). All cases are kernels
//! of one program, so that each CPU level compiles once; `CASE=name` runs one alone.
mod common;

use std::collections::BTreeMap;

use common::{Case, joined};
use egret_codegen_c::Cpu;

#[test]
fn cases_equal_the_interpreter() {
    let only = std::env::var("CASE").ok();
    let mut tolerances = BTreeMap::new();
    let mut cases = Vec::new();
    for part in include_str!("cases/run.txt").split("\n; case ").skip(1) {
        let (head, graph) = part.split_once('\n').expect("a case has a graph");
        let (name, tolerance) = head.split_once(' ').expect("a name and a tolerance");
        if only.as_ref().is_some_and(|o| o != name) {
            continue;
        }
        let graph = egret_ir::text::parse(graph).unwrap_or_else(|e| panic!("{name}: {e}"));
        let inputs = common::inputs(&graph, 7);
        tolerances.insert(name.to_owned(), tolerance.parse::<f64>().expect("a number"));
        cases.push(Case { name: name.to_owned(), graph, inputs });
    }
    assert!(!cases.is_empty(), "no such case");
    let program = joined(&cases);
    let mut failed = Vec::new();
    for cpu in Cpu::ALL.into_iter().filter(|c| *c <= Cpu::host()) {
        let library = common::compile(&program, cpu, std::env::var("KEEP").ok().as_deref());
        for threads in [1, 2] {
            for (case, output, difference) in common::differences(&library, &cases, threads) {
                if difference > tolerances[&case] {
                    failed
                        .push(format!("{case}, output {output}, {cpu}, {threads} threads: differs by {difference:e}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
