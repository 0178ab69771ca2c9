//! Compiled programs whose sizes show at run time: open extents, branches, loops, lengths that data decides. What they must
//! give is worked out by hand.

use std::path::{Path, PathBuf};

use egret_codegen_c::{CcOptions, Cpu, EmitOptions, LaunchError, Library, Variant, build, emit_with_variants};
use egret_extractor::{Options, machines, plan};
use egret_ir::choice::ClassGraph;
use egret_ir::program::Program;
use egret_ir::{Tensor, text};

fn program(graph: &str) -> Program {
    let graph = text::parse(graph).unwrap_or_else(|e| panic!("{e}"));
    let typed = egret_ir::check(graph).unwrap_or_else(|e| panic!("{e:?}"));
    let machine = machines::named("generic").expect("built in");
    plan(&ClassGraph::from_graph(&typed).0, &machine, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn library_in(folder: &Path, p: &Program, variants: &[Variant<'_>], options: &EmitOptions) -> Library {
    let source = emit_with_variants(p, variants, options).unwrap_or_else(|e| panic!("{e:?}"));
    let out = folder.join("m.so");
    build(&source, &out, &CcOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    Library::open(&out).unwrap_or_else(|e| panic!("{e}"))
}

fn options() -> EmitOptions {
    EmitOptions { cpu: Cpu::Generic, ..EmitOptions::default() }
}

fn library(p: &Program) -> Library {
    let folder = tempfile::tempdir().expect("a temporary folder");
    library_in(folder.path(), p, &[], &options())
}

fn f32s(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::from_slice(shape, values).expect("as many values as elements")
}

fn i64s(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::from_slice(shape, values).expect("as many values as elements")
}

fn refused(result: Result<Vec<Tensor>, LaunchError>, code: i32, words: &[&str]) {
    let Err(LaunchError::Refused { code: got, text }) = result else { panic!("{result:?}") };
    assert_eq!(got, code, "{text}");
    assert!(words.iter().all(|w| text.contains(w)), "{text}");
}

/// Row sums of x·w + y, with the number of rows and the width open.
const ROWS: &str = r#"graph "rows" {
  %0 = input "x" : f32[n,m]
  %1 = input "y" : f32[n,m]
  %2 = map mul %0, %1 : f32[n,m]
  %3 = reduce sum {a b -> a} f32 %2 : f32[n]
  %4 = concat 0 %3, %3 : f32[2*n]
  return "sums" %3, "twice" %4
}
"#;

#[test]
fn sizes_come_from_the_inputs() {
    let lib = library(&program(ROWS));
    assert_eq!(lib.outputs()[1].ty.to_string(), "f32[2*n]");
    let mut c = lib.context(2).expect("opens");
    for (n, m) in [(1, 1), (3, 5), (0, 4), (2, 0), (40, 33), (3, 5)] {
        let x: Vec<f32> = (0..n * m).map(|i| (i % 7) as f32).collect();
        let y: Vec<f32> = (0..n * m).map(|i| (i % 3) as f32).collect();
        let sum = |row: usize| (0..m).fold(0.0, |sum, k| sum + x[row * m + k] * y[row * m + k]);
        let sums: Vec<f32> = (0..n).map(sum).collect();
        let got = c.run(&[f32s(&[n, m], &x), f32s(&[n, m], &y)]).unwrap_or_else(|e| panic!("{n} by {m}: {e}"));
        assert_eq!(got, [f32s(&[n], &sums), f32s(&[2 * n], &[&sums[..], &sums[..]].concat())], "{n} by {m}");
    }
    refused(c.run(&[f32s(&[2, 3], &[0.0; 6]), f32s(&[2, 4], &[0.0; 8])]), 3, &["input `y`", "axis 1", "3", "4"]);
    refused(c.run(&[f32s(&[6], &[0.0; 6]), f32s(&[2, 3], &[0.0; 6])]), 3, &["input `x`", "rank 2"]);
}

#[test]
fn bounds_and_divisibility_are_checked() {
    let mut p = program(
        r#"graph "pairs" {
  %0 = input "x" : f32[n]
  %1 = reshape [exact(n,2),2] %0 : f32[exact(n,2),2]
  %2 = reduce max {a b -> a} f32 %1 : f32[exact(n,2)]
  return "y" %2
}
"#,
    );
    (p.symbols[0].info.min, p.symbols[0].info.max) = (2, 8);
    let lib = library(&p);
    let mut c = lib.context(1).expect("opens");
    let run = |c: &mut egret_codegen_c::Context, n: usize| c.run(&[f32s(&[n], &vec![1.0; n])]);
    assert_eq!(run(&mut c, 6).expect("runs"), [f32s(&[3], &[1.0; 3])]);
    refused(run(&mut c, 10), 3, &["input `x`, axis 0", "n is 10", "2..8"]);
    refused(run(&mut c, 1), 3, &["n is 1"]);
    refused(run(&mut c, 5), 3, &["do not go together", "exact(n,2)"]);
    assert_eq!(run(&mut c, 2).expect("a refused run leaves the context usable"), [f32s(&[1], &[1.0])]);
}

#[test]
fn data_decides_lengths() {
    let lib = library(&program(
        r#"graph "nonzero" {
  data n
  %0 = input "x" : f32[k]
  %1 = 0.0f32 : f32[]
  %2 = broadcast [0:k] %1 : f32[k]
  %3 = map eq %0, %2 : bool[k]
  %4 = map not %3 : bool[k]
  %5 = map cast:i64 %4 : i64[k]
  %6 = reduce sum {a ->} i64 %5 : i64[]
  %7 = argsort descending 0 n %5, %6 : i64[n]
  %8 = iota n i64 %6 : i64[n]
  %9 = map add %7, %8 : i64[n]
  %10 = dim 2*n %7 : i64[]
  return "at" %7, "sum" %9, "twice" %10
}
"#,
    ));
    let mut c = lib.context(2).expect("opens");
    let mut run = |x: &[f32]| c.run(&[f32s(&[x.len()], x)]).unwrap_or_else(|e| panic!("{e}"));
    let big: Vec<f32> = (0..5000).map(|i| (i % 2) as f32).collect();
    let odd: Vec<i64> = (0..2500).map(|i| 2 * i + 1).collect();
    assert_eq!(run(&[0., 3., 0., 1., 2.]), [i64s(&[3], &[1, 3, 4]), i64s(&[3], &[1, 4, 6]), i64s(&[], &[6])]);
    assert_eq!(run(&big)[0], i64s(&[2500], &odd));
    assert_eq!(run(&[0., 0.]), [i64s(&[0], &[]), i64s(&[0], &[]), i64s(&[], &[0])]);
    assert_eq!(run(&[5.])[0], i64s(&[1], &[0]));
}

/// Grows by itself while its first element is below a limit; each length is stacked.
const GROW: &str = r#"graph "grow" {
  data t, y, z
  body 0 = graph "then" {
    outer n
    %0 = input "x" : f32[n]
    return "y" %0
  }
  body 1 = graph "else" {
    outer n
    %0 = input "x" : f32[n]
    %1 = slice [0:1] %0 : f32[1]
    return "y" %1
  }
  body 2 = graph "step" {
    %0 = input "i" : i64[]
    %1 = input "x" : f32[own]
    %2 = input "limit" : f32[]
    %3 = 1.0f32 : f32[]
    %4 = broadcast [0:own] %3 : f32[own]
    %5 = map add %1, %4 : f32[own]
    %6 = concat 0 %1, %5 : f32[2*own]
    %7 = slice [own:1] %6 : f32[1]
    %8 = reshape [] %7 : f32[]
    %9 = map lt %8, %2 : bool[]
    %10 = dim 2*own : i64[]
    return "on" %9, "x" %6, "each" %10
  }
  %0 = input "c" : bool[]
  %1 = input "x" : f32[n]
  %2 = input "most" : i64[]
  %3 = input "limit" : f32[]
  %4 = if 0 1 (f32[y]) %0, %1 : (f32[y])
  %5 = proj 0 %4 : f32[y]
  %6 = true : bool[]
  %7 = loop 2 trip=operand exit=condition carried=1 scanned=0 (f32[z], i64[t]) %2, %6, %5, %3 : (f32[z], i64[t])
  %8 = proj 0 %7 : f32[z]
  %9 = proj 1 %7 : i64[t]
  %10 = map neg %8 : f32[z]
  return "z" %10, "lengths" %9
}
"#;

#[test]
fn branches_and_loops_change_sizes() {
    let lib = library(&program(GROW));
    let mut c = lib.context(2).expect("opens");
    let yes = |b: bool| Tensor::from_slice(vec![], &[b]).expect("one");
    let mut run = |b: bool, x: &[f32], most: i64, limit: f32| {
        c.run(&[yes(b), f32s(&[x.len()], x), i64s(&[], &[most]), f32s(&[], &[limit])])
    };
    // The second branch keeps one element; each iteration appends everything plus 1.
    let got = run(false, &[3.0, 9.0], 2, 100.0).expect("runs");
    assert_eq!(got, [f32s(&[4], &[-3.0, -4.0, -4.0, -5.0]), i64s(&[2], &[2, 4])]);
    let got = run(true, &[3.0, 9.0], 1, 100.0).expect("runs");
    assert_eq!(got, [f32s(&[4], &[-3.0, -9.0, -4.0, -10.0]), i64s(&[1], &[4])]);
    // The condition ends it: the first new element is 4, not below 4.
    let got = run(false, &[3.0, 9.0], 50, 4.0).expect("runs");
    assert_eq!(got[1], i64s(&[1], &[2]));
    let got = run(false, &[3.0], 0, 4.0).expect("no iterations");
    assert_eq!(got, [f32s(&[1], &[-3.0]), i64s(&[0], &[])]);
    let got = run(true, &[0.0; 3], 12, 100.0).expect("grows");
    assert_eq!((got[0].shape(), got[1].to_i64().and_then(|n| n.last().copied())), (&[3 << 12][..], Some(3 << 12)));
    refused(run(true, &[], 3, 100.0), 3, &[]);
}

#[test]
fn scans_stack_what_each_slice_gives() {
    let lib = library(&program(
        r#"graph "scan" {
  body 0 = graph "step" {
    outer n, m
    %0 = input "i" : i64[]
    %1 = input "sum" : f32[m]
    %2 = input "row" : f32[m]
    %3 = map add %1, %2 : f32[m]
    return "sum" %3, "running" %3
  }
  %0 = input "x" : f32[n,m]
  %1 = 0.0f32 : f32[]
  %2 = broadcast [0:m] %1 : f32[m]
  %3 = loop 0 trip=n exit=never carried=1 scanned=1 (f32[m], f32[n,m]) %2, %0 : (f32[m], f32[n,m])
  %4 = proj 0 %3 : f32[m]
  %5 = proj 1 %3 : f32[n,m]
  return "sum" %4, "running" %5
}
"#,
    ));
    let mut c = lib.context(1).expect("opens");
    let got = c.run(&[f32s(&[3, 2], &[1., 2., 3., 4., 5., 6.])]).expect("runs");
    assert_eq!(got, [f32s(&[2], &[9., 12.]), f32s(&[3, 2], &[1., 2., 4., 6., 9., 12.])]);
    let got = c.run(&[f32s(&[0, 2], &[])]).expect("nothing to scan");
    assert_eq!(got, [f32s(&[2], &[0., 0.]), f32s(&[0, 2], &[])]);
}

#[test]
fn traps_inside_bodies_come_out() {
    let lib = library(&program(
        r#"graph "trap" {
  body 0 = graph "step" {
    %0 = input "i" : i64[]
    %1 = input "x" : f32[3]
    %2 = gather {@, -> a | neg} %1, %0 : f32[]
    %3 = broadcast [0:3] %2 : f32[3]
    return "x" %3
  }
  %0 = input "x" : f32[3]
  %1 = input "most" : i64[]
  %2 = loop 0 trip=operand exit=never carried=1 scanned=0 (f32[3]) %1, %0 : (f32[3])
  %3 = proj 0 %2 : f32[3]
  return "y" %3
}
"#
        .replace("{@, -> a | neg}", "{@, ->  | neg}")
        .as_str(),
    ));
    let x = f32s(&[3], &[1., 2., 3.]);
    let mut c = lib.context(1).expect("opens");
    assert_eq!(c.run(&[x.clone(), i64s(&[], &[3])]).expect("runs"), [f32s(&[3], &[1.; 3])]);
    refused(c.run(&[x, i64s(&[], &[4])]), 20, &["kernel"]);
}

#[test]
fn variants_give_the_same_and_share_weights() {
    let graph = r#"graph "variants" {
  %0 = input "x" : f32[n,8]
  %1 = dense 0 : f32[8,8]
  %2 = contract {a c, c b -> a b} f32 f32 %0, %1 : f32[n,8]
  return "y" %2
}
"#;
    let weights = f32s(&[8, 8], &(0..64).map(|i| i as f32).collect::<Vec<_>>());
    let parse = |text: &str| {
        let mut tables = egret_ir::graph::Tables::default();
        tables.constant(weights.clone());
        let graph = text::parse_with(text, tables).unwrap_or_else(|e| panic!("{e}"));
        let machine = machines::named("generic").expect("built in");
        plan(&ClassGraph::from_graph(&graph).0, &machine, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
    };
    let general = parse(graph);
    let fixed = parse(&graph.replace("[n,8]", "[4,8]"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let variants = [Variant { extents: &[4], program: &fixed }];
    let alone = emit_with_variants(&general, &[], &options()).expect("emits");
    let both = emit_with_variants(&general, &variants, &options()).expect("emits");
    assert_eq!(alone.weight_bytes, both.weight_bytes);
    let lib = library_in(folder.path(), &general, &variants, &options());
    let mut c = lib.context(1).expect("opens");
    for n in [1, 4, 5, 4] {
        let ones = f32s(&[n, 8], &vec![1.0; n * 8]);
        let sums: Vec<f32> = (0..n * 8).map(|i| 224.0 + 8.0 * (i % 8) as f32).collect();
        let mut kernels = Vec::new();
        let got = c.run_with_tap(&[ones], &mut |_, name, _| kernels.push(name.to_owned()));
        assert_eq!(got.expect("runs"), [f32s(&[n, 8], &sums)], "{n}");
        assert_eq!(kernels.len(), 1);
    }
}

#[test]
fn weights_beside_the_library_are_found() {
    let text = r#"graph "beside" {
  %0 = input "x" : f32[n,2]
  %1 = dense 0 : f32[2,2]
  %2 = contract {a c, c b -> a b} f32 f32 %0, %1 : f32[n,2]
  return "y" %2
}
"#;
    let mut tables = egret_ir::graph::Tables::default();
    tables.constant(f32s(&[2, 2], &[1., 2., 3., 4.]));
    let graph = text::parse_with(text, tables).unwrap_or_else(|e| panic!("{e}"));
    let machine = machines::named("generic").expect("built in");
    let p = plan(&ClassGraph::from_graph(&graph).0, &machine, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let beside = EmitOptions { separate_weights: 0, ..options() };
    let lib = library_in(folder.path(), &p, &[], &beside);
    let weights = folder.path().join("beside.weights");
    assert!(weights.exists());
    let got = lib.context(1).expect("opens").run(&[f32s(&[1, 2], &[1., 10.])]).expect("runs");
    assert_eq!(got, [f32s(&[1, 2], &[31., 42.])]);
    drop(lib);
    // Another library, so that the mapping of the first is not reused.
    let moved = folder.path().join("alone");
    std::fs::create_dir(&moved).expect("writable");
    std::fs::copy(folder.path().join("m.so"), moved.join("m.so")).expect("copies");
    let lib = Library::open(&moved.join("m.so")).expect("loads");
    let Err(LaunchError::Refused { code, text }) = lib.context(1).map(|_| ()) else { panic!("weights are missing") };
    assert!(code == 8 && text.contains("weights"), "{text}");
}

/// The control flow cases of the frontend: inputs have defaults, the initializer `expected:NAME` holds what ONNX Runtime gave.
#[test]
fn control_flow_gives_what_onnx_runtime_gave() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("frontends/onnx/tests/control");
    let entries = std::fs::read_dir(folder).expect("the cases are in the project");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.sort();
    let kept = |p: &&PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".onnx") && ["if-", "loop-", "scan"].iter().any(|stem| name.starts_with(stem))
    };
    let mut faults = Vec::new();
    let (mut count, mut control) = (0, 0);
    for path in paths.iter().filter(kept) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        count += 1;
        match compiled_difference(path, &mut control) {
            Ok(()) => {}
            Err(fault) => faults.push(format!("{name}: {fault}")),
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert!(count > 15 && control > 10, "{control} branches and loops in {count} cases");
}

fn compiled_difference(path: &Path, control: &mut usize) -> Result<(), String> {
    let imported = egret_onnx::read(path, &egret_onnx::ReadOptions::default()).map_err(|e| e.to_string())?;
    let graph = &imported.graph;
    let typed = egret_ir::check(graph.clone()).map_err(|e| format!("{e:?}"))?;
    let machine = machines::named("generic").expect("built in");
    let choices = ClassGraph::from_graph(&typed).0;
    let program = plan(&choices, &machine, &Options::default()).map_err(|e| e.to_string())?;
    *control += program.all().len() - 1;
    let default = |d: &egret_ir::graph::InputDecl| d.default.map(|id| graph.tables.tensor(id).clone());
    let inputs: Vec<Tensor> = graph.inputs.iter().filter_map(default).collect();
    let got = library(&program).context(1).and_then(|mut c| c.run(&inputs)).map_err(|e| e.to_string())?;
    for (o, got) in graph.outputs.iter().zip(&got) {
        let want = match &graph.node(imported.initializers[format!("expected:{}", o.name).as_str()].value).op {
            egret_ir::Op::Const(egret_ir::op::Const::Dense(id)) => graph.tables.tensor(*id).clone(),
            egret_ir::Op::Const(egret_ir::op::Const::Scalar(l)) => Tensor::scalar(*l),
            other => return Err(format!("{other:?} is no constant")),
        };
        if got.dtype() != want.dtype() || got.shape() != want.shape() {
            return Err(format!("{}: {:?} instead of {:?}", o.name, got.shape(), want.shape()));
        }
        for i in 0..want.len() {
            let (a, b) = (got.get(i).to_f64(), want.get(i).to_f64());
            if a != b && (a - b).abs() > 2e-6 + 2e-5 * b.abs() {
                return Err(format!("{}[{i}] is {a} instead of {b}", o.name));
            }
        }
    }
    Ok(())
}

/// The interface as a C program sees it: sizes of outputs that only the run decides.
#[test]
fn callers_in_c_give_room_or_take_memory() {
    let p = program(
        r#"graph "ramp" {
  data n
  %0 = input "count" : i64[]
  %1 = iota n i64 %0 : i64[n]
  return "ramp" %1
}
"#,
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    drop(library_in(folder.path(), &p, &[], &options()));
    let source = emit_with_variants(&p, &[], &options()).expect("emits");
    let header = source.files.iter().find(|f| f.0 == "egret.h").expect("has the interface");
    std::fs::write(folder.path().join("egret.h"), &header.1).expect("writable");
    std::fs::write(
        folder.path().join("main.c"),
        r#"#include "egret.h"
#include <string.h>
int main(void) {
  egret_context *c;
  egret_info info;
  if (egret_open(0, &c) || egret_output_info(0, &info)) return 1;
  if (info.rank != 1 || info.dims[0] != -1 || strcmp(info.symbols[0], "n") || info.bytes) return 2;
  int64_t count = 5, room[8];
  egret_tensor in = {EGRET_I64, 0, 0, &count, 0}, out = {0};
  if (egret_run(c, &in, 1, &out, 1)) return 3;
  if (out.rank != 1 || out.dims[0] != 5 || ((int64_t *)out.data)[4] != 4) return 4;
  out = (egret_tensor){.data = room};
  if (egret_run(c, &in, 1, &out, 1) != EGRET_ERROR_ARGUMENT) return 5;
  out = (egret_tensor){.data = room, .bytes = sizeof room};
  if (egret_run(c, &in, 1, &out, 1) || out.data != room || out.dims[0] != 5 || room[4] != 4) return 6;
  count = 9;
  out = (egret_tensor){.data = room, .bytes = sizeof room};
  if (egret_run(c, &in, 1, &out, 1) != EGRET_ERROR_SHAPE || !strstr(egret_last_error(c), "72 bytes")) return 7;
  count = -1;
  out = (egret_tensor){0};
  if (egret_run(c, &in, 1, &out, 1) != EGRET_ERROR_SHAPE || !strstr(egret_last_error(c), "n is -1")) return 8;
  count = (int64_t)1 << 62;
  if (egret_run(c, &in, 1, &out, 1) != EGRET_ERROR_SHAPE) return 9;
  count = (int64_t)1 << 50;
  if (egret_run(c, &in, 1, &out, 1) != EGRET_ERROR_MEMORY) return 10;
  egret_close(c);
  return 0;
}
"#,
    )
    .expect("writable");
    let cc = |args: &[&str]| {
        std::process::Command::new("cc").current_dir(folder.path()).args(args).output().expect("a C compiler")
    };
    let done = cc(&["-Wall", "-Werror", "main.c", "./m.so", "-o", "main"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let done = std::process::Command::new("./main").current_dir(folder.path()).status().expect("runs");
    assert_eq!(done.code(), Some(0));
}
