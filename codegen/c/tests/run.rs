//! Differential tests: every kernel family and every kind against the interpreter (`cases/run.txt`).
mod common;

use common::check;
use egret_codegen_c::Cpu;

#[test]
fn cases_equal_the_interpreter() {
    let text = include_str!("cases/run.txt");
    let only = std::env::var("CASE").ok();
    let mut count = 0;
    let mut failed = Vec::new();
    for part in text.split("\n; case ").skip(1) {
        let (head, graph) = part.split_once('\n').expect("a case has a graph");
        let (name, tolerance) = head.split_once(' ').expect("a name and a tolerance");
        if only.as_ref().is_some_and(|o| o != name) {
            continue;
        }
        for cpu in Cpu::ALL.into_iter().filter(|c| *c <= Cpu::host()) {
            let tolerance = tolerance.parse().expect("a number");
            let run = std::panic::catch_unwind(|| check(name, graph, cpu, tolerance));
            count += 1;
            if run.is_err() {
                failed.push(format!("{name} on {cpu}"));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {count} failed: {failed:?}", failed.len());
}
