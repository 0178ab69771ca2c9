//! Runs one graph as a one-kernel program and compares with the interpreter.
#![allow(dead_code, reason = "every test file uses a part of it")]

pub mod shapes;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use egret_codegen_c::{CcOptions, Cpu, EmitOptions, Library, build, emit_library};
use egret_ir::dtype::DType;
use egret_ir::eval;
use egret_ir::graph::Graph;
use egret_ir::origin::Origins;
use egret_ir::program::{Buffer, BufferId, Kernel, Port, Program, Source, Step};
use egret_ir::tensor::Tensor;

/// A program of one kernel; inputs whose name starts with `w` are constants of it.
pub fn program(graph: &Graph, inputs: &[Tensor]) -> Program {
    let mut p = Program { name: "test".into(), ..Program::default() };
    let mut given = 0;
    let mut reads = Vec::new();
    for (decl, t) in graph.inputs.iter().zip(inputs) {
        let id = BufferId(p.buffers.len() as u32);
        let constant = decl.name.starts_with('w');
        let source = if constant { Source::Constant(t.clone()) } else { Source::Input(given) };
        if !constant {
            given += 1;
            p.inputs.push(Port { name: decl.name.clone(), buffer: id });
        }
        p.buffers.push(Buffer { name: decl.name.clone(), ty: decl.ty.as_tensor().unwrap().clone(), source });
        reads.push(id);
    }
    let mut writes = Vec::new();
    for o in &graph.outputs {
        let id = BufferId(p.buffers.len() as u32);
        p.buffers.push(Buffer {
            name: o.name.clone(),
            ty: graph.ty(o.value).as_tensor().unwrap().clone(),
            source: Source::Step(0),
        });
        p.outputs.push(Port { name: o.name.clone(), buffer: id });
        writes.push(id);
    }
    let kernel = Kernel { name: "k0".into(), body: graph.clone(), reads, writes, origins: Origins::none() };
    p.steps.push(Step::Kernel(kernel));
    p.check().unwrap();
    p
}

/// Seeded values that suit the type: floats in ±2, small integers, booleans.
pub fn random(dtype: DType, shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let n: usize = shape.iter().product();
    let mut bytes = Vec::new();
    for _ in 0..n {
        let r = next();
        let l = match dtype {
            DType::Bool => egret_ir::Literal::bool(r & 1 == 1),
            d if d.is_float() => egret_ir::Literal::from_f64(d, (r as f64 / (1u64 << 53) as f64) * 4.0 - 2.0),
            d => egret_ir::Literal::from_i64(d, (r % 5) as i64 - i64::from(d.is_signed_int()) * 2),
        };
        bytes.extend(l.to_le_bytes());
    }
    Tensor::new(dtype, shape, bytes).unwrap()
}

pub fn inputs(graph: &Graph, seed: u64) -> Vec<Tensor> {
    graph
        .inputs
        .iter()
        .enumerate()
        .map(|(i, d)| {
            let t = d.ty.as_tensor().unwrap();
            random(t.dtype, &t.static_shape().unwrap(), seed + i as u64 + 1)
        })
        .collect()
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

pub fn compile(p: &Program, cpu: Cpu, keep: Option<&str>) -> Library {
    let source = emit_library(p, &EmitOptions { cpu, ..EmitOptions::default() }).unwrap_or_else(|e| panic!("{e:?}"));
    if let Some(folder) = keep {
        egret_codegen_c::build::write_tree(&source, &PathBuf::from(folder)).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join(format!("t{}.so", NEXT.fetch_add(1, Ordering::Relaxed)));
    build(&source, &out, &CcOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    Library::open(&out).unwrap()
}

/// Largest difference relative to the largest reference, where both are finite; NaN and infinities must agree.
pub fn difference(got: &Tensor, want: &Tensor) -> f64 {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()));
    if !got.dtype().is_float() {
        return if got == want { 0.0 } else { f64::INFINITY };
    }
    let (g, w) = (got.to_f64(), want.to_f64());
    let scale = w.iter().filter(|x| x.is_finite()).fold(1e-30f64, |m, x| m.max(x.abs()));
    let mut worst = 0.0f64;
    for (a, b) in g.iter().zip(&w) {
        if b.is_finite() {
            if !a.is_finite() {
                return f64::INFINITY;
            }
            worst = worst.max((a - b).abs() / scale);
        } else if a.is_nan() != b.is_nan() || (!b.is_nan() && a != b) {
            return f64::INFINITY;
        }
    }
    worst
}

/// A graph with the values of its inputs.
pub struct Case {
    pub name: String,
    pub graph: Graph,
    pub inputs: Vec<Tensor>,
}

/// One program of all cases, a kernel each; inputs whose name starts with `w` are constants.
pub fn joined(cases: &[Case]) -> Program {
    let mut p = Program { name: "cases".into(), ..Program::default() };
    for (k, case) in cases.iter().enumerate() {
        let one = program(&case.graph, &case.inputs);
        let (first_buffer, first_input) = (p.buffers.len() as u32, p.inputs.len());
        let moved = |b: &BufferId| BufferId(b.0 + first_buffer);
        for b in &one.buffers {
            let source = match &b.source {
                Source::Input(i) => Source::Input(i + first_input),
                Source::Step(_) => Source::Step(k),
                Source::Constant(t) => Source::Constant(t.clone()),
            };
            p.buffers.push(Buffer { source, ..b.clone() });
        }
        p.inputs.extend(one.inputs.iter().map(|i| Port { buffer: moved(&i.buffer), ..i.clone() }));
        p.outputs.extend(one.outputs.iter().map(|o| Port { buffer: moved(&o.buffer), ..o.clone() }));
        let Step::Kernel(kernel) = &one.steps[0] else { unreachable!("one kernel") };
        let name = format!("k{k}");
        p.steps.push(Step::Kernel(Kernel {
            name: name.as_str().into(),
            reads: kernel.reads.iter().map(moved).collect(),
            writes: kernel.writes.iter().map(moved).collect(),
            ..kernel.clone()
        }));
    }
    p.check().unwrap();
    p
}

/// Runs the library of a joined program; gives case, output and difference from the interpreter in true arithmetic.
pub fn differences(lib: &Library, cases: &[Case], threads: usize) -> Vec<(String, String, f64)> {
    let given: Vec<Tensor> = cases
        .iter()
        .flat_map(|c| c.graph.inputs.iter().zip(&c.inputs))
        .filter(|(d, _)| !d.name.starts_with('w'))
        .map(|(_, t)| t.clone())
        .collect();
    let mut got = lib.context(threads).unwrap().run(&given).unwrap_or_else(|e| panic!("{e}")).into_iter();
    let mut out = Vec::new();
    for c in cases {
        let want = eval::native(&c.graph, &c.inputs).unwrap_or_else(|e| panic!("{}: {e}", c.name));
        for (w, o) in want.iter().zip(&c.graph.outputs) {
            let g = got.next().unwrap();
            out.push((c.name.clone(), o.name.to_string(), difference(&g, w)));
        }
    }
    out
}
