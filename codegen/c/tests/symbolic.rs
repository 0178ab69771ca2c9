//! Kernels of symbolic extents against the interpreter (`cases/symbolic.txt`): each compiles once per CPU level and runs at
//! many sizes. `CASE=name` runs one alone; `SANITIZE=1` has the compiler's address sanitizer watch every access;
//! `KEEP=folder` keeps the program.
//!
//! The kernels of all cases go into one C program, which computes tile counts and buffer sizes from the symbols' values
//! itself, reads one case's inputs and writes its results.
mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use common::shapes::{Random, case};
use egret_codegen::kernel::code;
use egret_codegen::memory::SLACK;
use egret_codegen::stage::SlotKind;
use egret_codegen_c::dims::{Frame, expression};
use egret_codegen_c::{CcOptions, Cpu, dims, library, print};
use egret_ir::eval;
use egret_ir::graph::Graph;
use egret_ir::origin::Origins;
use egret_ir::program::Kernel;
use egret_ir::tensor::Tensor;
use egret_ir::{Dim, Symbol};

struct Case {
    name: String,
    tolerance: f64,
    graph: Graph,
    /// Where each symbol's value is, and the values to run at.
    frame: Frame,
    sizes: Vec<Vec<i64>>,
}

/// `; case NAME TOLERANCE | n=1 m=2 | n=0 m=7`, then a graph.
fn cases() -> Vec<Case> {
    let only = std::env::var("CASE").ok();
    let mut out = Vec::new();
    for part in include_str!("cases/symbolic.txt").split("\n; case ").skip(1) {
        let (head, graph) = part.split_once('\n').expect("a case has a graph");
        let mut head = head.split(" | ");
        let (name, tolerance) = head.next().and_then(|h| h.split_once(' ')).expect("a name and a tolerance");
        if only.as_ref().is_some_and(|o| o != name) {
            continue;
        }
        let sizes: Vec<BTreeMap<Symbol, i64>> = head
            .map(|size| {
                let pair = |p: &str| p.split_once('=').map(|(s, n)| (Symbol::new(s), n.parse().expect("a number")));
                size.split(' ').map(|p| pair(p).expect("symbol=number")).collect()
            })
            .collect();
        let frame: Frame = sizes[0].keys().cloned().zip(0..).collect();
        out.push(Case {
            name: name.to_owned(),
            tolerance: tolerance.parse().expect("a number"),
            graph: egret_ir::text::parse(graph).unwrap_or_else(|e| panic!("{name}: {e}")),
            sizes: sizes.iter().map(|s| frame.keys().map(|k| s[k]).collect()).collect(),
            frame,
        });
    }
    assert!(!out.is_empty(), "no such case");
    out
}

impl Case {
    fn shape(&self, shape: &[Dim], size: &[i64]) -> Vec<usize> {
        let value = |s: &Symbol| self.frame.get(s).map(|i| Dim::from(size[*i]));
        shape.iter().map(|d| d.substitute(&value).as_const().expect("every symbol has a value") as usize).collect()
    }

    /// Seeded inputs. Names starting with `w` are constants; an i64 scalar named like a symbol is that symbol's value.
    fn inputs(&self, size: &[i64]) -> Vec<Tensor> {
        let inputs = self.graph.inputs.iter().enumerate();
        inputs
            .map(|(i, d)| {
                let t = d.ty.as_tensor().expect("tensors only");
                match self.frame.get(&Symbol::new(&d.name)) {
                    Some(at) if t.shape.is_empty() => Tensor::from_slice([], &[size[*at]]).expect("one element"),
                    _ => common::random(t.dtype, &self.shape(&t.shape, size), 7 + i as u64),
                }
            })
            .collect()
    }

    /// The case's kernels and a function that runs them.
    fn source(&self, number: usize, cpu: Cpu, dir: &Path) -> String {
        let inputs = self.inputs(&self.sizes[0]);
        let kernel = Kernel {
            name: self.name.as_str().into(),
            body: self.graph.clone(),
            reads: Vec::new(),
            writes: Vec::new(),
            origins: Origins::none(),
        };
        let constant = |i: usize| self.graph.inputs[i].name.starts_with('w').then(|| inputs[i].clone());
        let coded = code(&kernel, &constant, &cpu.target()).unwrap_or_else(|e| panic!("{}: {e:?}", self.name));
        let mut out = format!("/* {} */\n", self.name);
        let mut run = String::new();
        for (i, slot) in coded.slots.iter().enumerate() {
            let bytes = expression(&slot.bytes());
            let _ = writeln!(run, "  void *s{i} = room({bytes});");
            match &slot.kind {
                SlotKind::Read(_) => {
                    let _ = writeln!(run, "  take(s{i}, {bytes});");
                }
                SlotKind::Table(t) => {
                    let name = format!("t{number}_{i}");
                    std::fs::write(dir.join(&name), t.bytes()).expect("a table is written");
                    let _ = writeln!(out, "TABLE({name})");
                    let _ = writeln!(run, "  memcpy(s{i}, {name}, {bytes});");
                }
                SlotKind::Write(_) | SlotKind::Temp => {}
            }
        }
        for (i, f) in coded.functions.iter().enumerate() {
            let name = format!("f{number}_{i}");
            let _ = writeln!(out, "// {}", f.notes.join("; "));
            out.push_str(&print::function(&name, f, &self.frame));
            let refs: Vec<String> = f.params.iter().map(|p| format!("s{}", p.slot.0)).collect();
            let (tiles, scratch) = (expression(&f.tiles), expression(&f.scratch));
            let refs = refs.join(", ");
            let _ = writeln!(run, "  {{\n    void *b[] = {{{refs}}};\n    char *scratch = room({scratch});");
            let _ = writeln!(run, "    RUN({name}, {tiles});");
            run.push_str("    free(scratch);\n  }\n");
        }
        for (i, slot) in coded.slots.iter().enumerate().filter(|(_, s)| matches!(s.kind, SlotKind::Write(_))) {
            let _ = writeln!(run, "  give(s{i}, {});", expression(&slot.bytes()));
        }
        for i in 0..coded.slots.len() {
            let _ = writeln!(run, "  free(s{i});");
        }
        let locals = dims::locals(&run, &self.frame).join("\n  ");
        let count = self.frame.len().max(1);
        format!(
            "{out}static int case{number}(void) {{\n  int64_t d[{count}];\n  take(d, {});\n  {locals}\n  int code = 0;\n{run}  return code;\n}}\n",
            8 * self.frame.len()
        )
    }
}

/// One C program of all cases: which one to run is its argument.
fn build(cases: &[Case], cpu: Cpu, dir: &Path) {
    let mut text = format!(
        "#include \"prelude.h\"\n#include \"recurrent.h\"\n#include <stdio.h>\n#include <stdlib.h>\n\
         #define RUN(f, tiles) for (int64_t t = (tiles); t-- > 0;) code |= f(b, t, scratch, d)\n\
         #define TABLE(name) __asm__(\".section .rodata\\n\" #name \": .incbin \\\"\" #name \"\\\"\\n.byte 0\\n.previous\\n\"); extern const char name[];\n\
         static void *room(int64_t n) {{ char *p = aligned_alloc(64, (size_t)(n + {SLACK} + 63) / 64 * 64); memset(p, 0xff, (size_t)n + {SLACK}); return p; }}\n\
         static void take(void *p, int64_t n) {{ if ((int64_t)fread(p, 1, (size_t)n, stdin) != n) exit(100); }}\n\
         static void give(const void *p, int64_t n) {{ if ((int64_t)fwrite(p, 1, (size_t)n, stdout) != n) exit(101); }}\n"
    );
    for (i, case) in cases.iter().enumerate() {
        text.push_str(&case.source(i, cpu, dir));
    }
    let list: Vec<String> = (0..cases.len()).map(|i| format!("case{i}")).collect();
    let _ = write!(
        text,
        "int main(int argc, char **argv) {{\n  static int (*const all[])(void) = {{{}}};\n  return argc == 2 ? all[atoi(argv[1])]() : 102;\n}}\n",
        list.join(", ")
    );
    std::fs::write(dir.join("main.c"), text).expect("the program is written");
    let mut cc = Command::new(CcOptions::default().cc);
    cc.current_dir(dir).args(library::KERNEL_FLAGS).args(cpu.flags());
    cc.args(["-I", concat!(env!("CARGO_MANIFEST_DIR"), "/runtime")]);
    if std::env::var_os("SANITIZE").is_some() {
        cc.args(["-g", "-fsanitize=address"]);
    }
    let out = cc.args(["-o", "cases", "main.c", "-lm"]).output().expect("a C compiler");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// Runs a case; gives its outputs' bytes.
fn run(dir: &Path, number: usize, size: &[i64], inputs: &[Tensor]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(dir.join("cases"))
        .arg(number.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut bytes: Vec<u8> = size.iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(inputs.iter().flat_map(|t| t.bytes().iter().copied()));
    // A program that stops early says why on its error output.
    let written = stdin.write_all(&bytes);
    drop(stdin);
    let out = child.wait_with_output().expect("the program ends");
    if !out.status.success() || written.is_err() {
        return Err(format!("{}: {}", out.status, String::from_utf8_lossy(&out.stderr)));
    }
    Ok(out.stdout)
}

/// Every CPU level, case and size; gives what differs.
fn differences(cases: &[Case]) -> Vec<String> {
    let mut failed = Vec::new();
    for cpu in Cpu::ALL.into_iter().filter(|c| *c <= Cpu::host()) {
        let temporary = tempfile::tempdir().expect("a folder");
        let kept = std::env::var_os("KEEP").map(|k| Path::new(&k).join(cpu.name()));
        let dir = kept.as_deref().unwrap_or_else(|| temporary.path());
        std::fs::create_dir_all(dir).expect("a folder");
        build(cases, cpu, dir);
        for (number, case) in cases.iter().enumerate() {
            for size in &case.sizes {
                let place = format!("{}, {cpu}, {:?} = {size:?}", case.name, case.frame.keys());
                // Constants are the same at every size.
                let mut inputs = case.inputs(size);
                for ((t, first), d) in inputs.iter_mut().zip(case.inputs(&case.sizes[0])).zip(&case.graph.inputs) {
                    if d.name.starts_with('w') {
                        *t = first;
                    }
                }
                let want = eval::native(&case.graph, &inputs).unwrap_or_else(|e| panic!("{place}: {e}"));
                let got = match run(dir, number, size, &inputs) {
                    Ok(got) => got,
                    Err(e) => {
                        failed.push(format!("{place}: {e}"));
                        continue;
                    }
                };
                let mut rest = &got[..];
                for (w, o) in want.iter().zip(&case.graph.outputs) {
                    let (bytes, after) = rest.split_at(w.bytes().len().min(rest.len()));
                    rest = after;
                    let difference = Tensor::new(w.dtype(), w.shape(), bytes.to_vec())
                        .map_or(f64::INFINITY, |g| common::difference(&g, w));
                    if difference > case.tolerance {
                        let text = egret_ir::text::print(&case.graph);
                        failed.push(format!("{place}, output {}: differs by {difference:e}\n{text}", o.name));
                    }
                }
            }
        }
    }
    failed
}

#[test]
fn symbolic_kernels_equal_the_interpreter() {
    let failed = differences(&cases());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The random cases of the static kernels, most extents being symbols.
#[test]
fn random_symbolic_shapes_equal_the_interpreter() {
    // `SHAPES=seed,count` looks further than the usual run.
    let asked = std::env::var("SHAPES").ok();
    let (seed, count) = asked.as_deref().and_then(|a| a.split_once(',')).unwrap_or(("1", "10"));
    let mut r = Random(0x5eed_8765_4321_abcd ^ (seed.parse::<u64>().expect("a seed") << 20));
    let count: usize = count.parse().expect("a number of cases");
    let cases: Vec<Case> = (0..count)
        .map(|k| {
            let mut bounds = Vec::new();
            let graph = case(&mut r, &mut |r, lo, hi| {
                if r.below(4) == 0 {
                    return Dim::from(r.range(lo, hi));
                }
                bounds.push((lo, hi));
                Dim::symbol(Symbol::new(&format!("s{}", bounds.len() - 1)))
            });
            let sizes = (0..4).map(|_| bounds.iter().map(|(lo, hi)| r.range(*lo, *hi)).collect()).collect();
            let frame = (0..bounds.len()).map(|i| (Symbol::new(&format!("s{i}")), i)).collect();
            Case { name: format!("random {k}"), tolerance: 4e-6, graph, frame, sizes }
        })
        .collect();
    let failed = differences(&cases);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
