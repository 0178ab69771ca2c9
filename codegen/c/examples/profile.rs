//! Where a compiled model spends its time: `cargo run --release --example profile MODEL.so [runs]`.
//!
//! One thread, thread CPU time, the least of all runs per kernel; inputs are zeros for integers and small random numbers for floats.
#![expect(clippy::print_stdout, reason = "a tool that prints a table")]

use egret_codegen_c::Library;
use egret_ir::dtype::{DType, Literal};
use egret_ir::tensor::Tensor;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("the path of a library");
    let runs = args.next().and_then(|r| r.parse().ok()).unwrap_or(10);
    let library = Library::open(path.as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let mut state = 1u64;
    let inputs: Vec<Tensor> = library
        .inputs()
        .iter()
        .map(|p| {
            let shape = p.ty.static_shape().expect("extents are bound");
            let n: usize = shape.iter().product();
            let mut bytes = Vec::with_capacity(n * p.ty.dtype.size());
            for _ in 0..n {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let x = if p.ty.dtype.is_float() { (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5 } else { 0.0 };
                bytes.extend(
                    Literal::from_f64(p.ty.dtype, if p.ty.dtype == DType::Bool { 1.0 } else { x }).to_le_bytes(),
                );
            }
            Tensor::new(p.ty.dtype, shape, bytes).expect("as many bytes as the type takes")
        })
        .collect();
    let mut context = library.context(1).unwrap_or_else(|e| panic!("{e}"));
    let whole = context.time(&inputs, runs).unwrap_or_else(|e| panic!("{e}")).into_iter().fold(f64::INFINITY, f64::min);
    let mut kernels = context.profile(&inputs, runs).unwrap_or_else(|e| panic!("{e}"));
    let sum: f64 = kernels.iter().map(|k| k.1).sum();
    kernels.sort_by(|a, b| b.1.total_cmp(&a.1));
    println!("{:.3} ms a run, {:.3} ms in {} kernels", whole * 1e3, sum * 1e3, kernels.len());
    for (name, seconds) in kernels {
        println!("{:10.1} us {:5.1} %  {name}", seconds * 1e6, seconds / sum * 100.0);
    }
}
