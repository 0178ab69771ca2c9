//! From a program to a source tree: kernels, tables, weights, runtime, Makefile.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use egret_codegen::backend::{Backend, Source as KernelSource};
use egret_codegen::error::Unsupported;
use egret_codegen::kernel::{CodedKernel, code};
use egret_codegen::loops::Function;
use egret_codegen::memory::{Lifetime, plan};
use egret_codegen::stage::SlotKind;
use egret_codegen::target::Target;
use egret_ir::Dim;
use egret_ir::dtype::DType;
use egret_ir::program::{BufferId, Kernel, Program, Source};
use egret_ir::types::TensorType;

use crate::cpu::Cpu;
use crate::dims::Frame;
use crate::print;
use crate::weights::Weights;

const EGRET_H: &str = include_str!("../runtime/egret.h");
const PROGRAM_H: &str = include_str!("../runtime/program.h");
const PRELUDE_H: &str = include_str!("../runtime/prelude.h");
const DIMS_H: &str = include_str!("../runtime/dims.h");
const SORT_H: &str = include_str!("../runtime/sort.h");
const RECURRENT_H: &str = include_str!("../runtime/recurrent.h");
const RUNTIME_C: &str = include_str!("../runtime/runtime.c");

/// Weights above this many bytes lie in a file of their own beside the library.
const SEPARATE_WEIGHTS: u64 = 1 << 30;

/// Kernels per source file, so that files compile side by side.
const FUNCTIONS_PER_FILE: usize = 40;

/// Flags every kernel file is compiled with.
pub const KERNEL_FLAGS: &[&str] = &[
    "-O2",
    "-std=gnu11",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=fast",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-Wno-psabi",
];

/// Flags of the runtime and the tables, compiled for the plain instruction set.
pub const RUNTIME_FLAGS: &[&str] = &["-O2", "-std=gnu11", "-fPIC", "-fvisibility=hidden"];

/// What to emit.
#[derive(Clone, Debug)]
pub struct EmitOptions {
    /// Instruction set.
    pub cpu: Cpu,
    /// Threads of a context whose opener does not say; at least 1.
    pub threads: i32,
    /// The program in text form, kept in the library for verifiers; empty: none.
    pub text: String,
}

impl Default for EmitOptions {
    fn default() -> Self {
        Self { cpu: Cpu::host(), threads: 1, text: String::new() }
    }
}

/// A source tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CSource {
    /// Name of the model, a C identifier.
    pub name: String,
    /// Files but the weights: name and contents, in a fixed order.
    pub files: Vec<(String, Vec<u8>)>,
    /// Instruction set.
    pub cpu: Cpu,
    /// Constants: the contents of the separate weights file, or of `weights.bin`, which goes into the library.
    pub weights: Weights,
    /// Name of the separate weights file, where there is one: it must lie beside the library.
    pub weight_file: Option<String>,
    /// Bytes of working memory of a context.
    pub arena_bytes: u64,
    /// Bytes of weights.
    pub weight_bytes: u64,
}

impl CSource {
    /// The name of the file that [`CSource::weights`] go to.
    pub fn weights_name(&self) -> &str {
        self.weight_file.as_deref().unwrap_or("weights.bin")
    }
}

/// The C backend.
#[derive(Clone, Debug)]
pub struct CBackend {
    target: Target,
}

impl CBackend {
    /// For an instruction set.
    pub fn new(cpu: Cpu) -> Self {
        Self { target: cpu.target() }
    }
}

impl Backend for CBackend {
    fn name(&self) -> &'static str {
        "c"
    }

    fn device(&self) -> &Target {
        &self.target
    }

    fn emit(&self, kernel: &Kernel) -> Result<KernelSource, Vec<Unsupported>> {
        let coded = code(kernel, &|_| None, &self.target)?;
        let frame = kernel.body.tables.symbols.0.keys().cloned().zip(0..).collect();
        let mut text = header(kernel, &coded);
        for (i, f) in coded.functions.iter().enumerate() {
            if i > 0 {
                text.push('\n');
            }
            text.push_str(&notes(f));
            text.push_str(&print::function(&format!("{}_{i}", kernel.name), f, &frame));
        }
        Ok(KernelSource { text })
    }
}

fn type_text(t: &TensorType) -> String {
    t.to_string()
}

/// `k3: y0 f32[1,64] from x0 f32[1,3], x1 f32[3,64]` and the origins.
fn header(kernel: &Kernel, coded: &CodedKernel) -> String {
    let list = |write: bool| {
        let items: Vec<String> = coded
            .slots
            .iter()
            .filter(|s| {
                matches!(s.kind, SlotKind::Write(_)) == write
                    && matches!(s.kind, SlotKind::Write(_) | SlotKind::Read(_))
            })
            .map(|s| format!("{} {}{:?}", s.name, s.dtype, s.shape).replace(", ", ","))
            .collect();
        items.join(", ")
    };
    let mut out = format!("/* {}: {} from {}\n", kernel.name, list(true), list(false));
    let origins = kernel.origins.to_string();
    if !origins.is_empty() {
        let _ = writeln!(out, " * from {}", comment(&origins));
    }
    out.push_str(" */\n");
    out
}

fn notes(f: &Function) -> String {
    let mut out = String::new();
    for n in &f.notes {
        let _ = writeln!(out, "/* {} */", comment(n));
    }
    out
}

fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ")
}

fn c_string(text: &str) -> String {
    let mut out = String::from("\"");
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(b as char);
            }
            // No trigraphs, no escapes that swallow following digits.
            0x20..=0x7e if b != b'?' => out.push(b as char),
            _ => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// The number of an element type in the C interface (`EGRET_F32` …).
pub fn dtype_code(d: DType) -> i32 {
    match d {
        DType::F16 => 1,
        DType::BF16 => 2,
        DType::F32 => 3,
        DType::F64 => 4,
        DType::I8 => 5,
        DType::I16 => 6,
        DType::I32 => 7,
        DType::I64 => 8,
        DType::U8 => 9,
        DType::U16 => 10,
        DType::U32 => 11,
        DType::U64 => 12,
        DType::Bool => 13,
    }
}

/// Where a buffer lies, once the arena is planned.
#[derive(Clone, Copy)]
enum Place {
    Input(usize),
    Output(usize),
    Weights(u64),
    /// Index into the arena's lifetimes.
    Arena(usize),
}

/// Sizes of a program without symbols are numbers.
fn number(d: &Dim) -> i64 {
    d.as_const().expect("invariant: the program has been checked")
}

struct Phase {
    function: usize,
    tiles: i64,
    refs: Vec<Place>,
}

/// Emits the source tree of a program. The program must pass [`Program::check`]. Gathers all nodes without code.
pub fn emit_library(program: &Program, options: &EmitOptions) -> Result<CSource, Vec<Unsupported>> {
    let target = options.cpu.target();
    let mut coded = Vec::with_capacity(program.kernels.len());
    let mut problems = Vec::new();
    for k in &program.kernels {
        let constant = |i: usize| match &program.buffer(k.reads[i]).source {
            Source::Constant(t) => Some(t.clone()),
            Source::Input(_) | Source::Kernel(_) => None,
        };
        match code(k, &constant, &target) {
            Ok(c) => coded.push(c),
            Err(e) => problems.extend(e),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut e = Emission::new(program);
    for (k, c) in program.kernels.iter().zip(&coded) {
        e.kernel(k, c);
    }
    e.copies();
    Ok(e.finish(options))
}

struct Emission<'a> {
    program: &'a Program,
    places: BTreeMap<BufferId, Place>,
    lifetimes: Vec<Lifetime>,
    weights: Weights,
    /// Function texts, each once: comment of its first use, and body with the name left open.
    functions: Vec<(String, Function)>,
    known: HashMap<String, usize>,
    phases: Vec<Phase>,
    /// Name, first phase, number of phases, values written.
    kernels: Vec<(String, usize, usize, Vec<BufferId>)>,
    scratch: usize,
    step: usize,
    /// Copies to further outputs: (bytes, from, to).
    copies: Vec<(String, usize, Place, Place)>,
}

impl<'a> Emission<'a> {
    fn new(program: &'a Program) -> Self {
        let mut e = Self {
            program,
            places: BTreeMap::new(),
            lifetimes: Vec::new(),
            weights: Weights::default(),
            functions: Vec::new(),
            known: HashMap::new(),
            phases: Vec::new(),
            kernels: Vec::new(),
            scratch: 0,
            step: 0,
            copies: Vec::new(),
        };
        let mut last: Vec<usize> = vec![0; program.buffers.len()];
        for (k, kernel) in program.kernels.iter().enumerate() {
            for b in &kernel.reads {
                last[b.index()] = k;
            }
        }
        for (i, b) in program.buffers.iter().enumerate() {
            let id = BufferId(i as u32);
            let port = program.outputs.iter().position(|o| o.buffer == id);
            let place = match (&b.source, port) {
                (Source::Input(n), _) => Place::Input(*n),
                (Source::Kernel(_), Some(o)) => Place::Output(o),
                (Source::Kernel(k), None) => {
                    let bytes = b.ty.byte_size().unwrap_or(0) as u64;
                    e.lifetimes.push(Lifetime { bytes, from: *k, to: last[i].max(*k) });
                    Place::Arena(e.lifetimes.len() - 1)
                }
                // Placed when first used.
                (Source::Constant(_), _) => continue,
            };
            e.places.insert(id, place);
        }
        e
    }

    fn place(&mut self, b: BufferId) -> Place {
        if let Some(p) = self.places.get(&b) {
            return *p;
        }
        let program = self.program;
        let place = match &program.buffer(b).source {
            Source::Constant(t) => Place::Weights(self.weights.add(t)),
            Source::Input(_) | Source::Kernel(_) => unreachable!("invariant: placed at the start"),
        };
        self.places.insert(b, place);
        place
    }

    fn kernel(&mut self, kernel: &Kernel, coded: &CodedKernel) {
        let first = self.phases.len();
        let mut temps: BTreeMap<usize, Place> = BTreeMap::new();
        for (i, f) in coded.functions.iter().enumerate() {
            let refs = f
                .params
                .iter()
                .map(|p| {
                    let slot = &coded.slots[p.slot.0];
                    match &slot.kind {
                        SlotKind::Read(i) => self.place(kernel.reads[*i]),
                        SlotKind::Write(i) => self.place(kernel.writes[*i]),
                        SlotKind::Table(t) => Place::Weights(self.weights.add(t)),
                        SlotKind::Temp => *temps.entry(p.slot.0).or_insert_with(|| {
                            let bytes = number(&slot.bytes()) as u64;
                            self.lifetimes.push(Lifetime { bytes, from: self.step, to: self.step });
                            Place::Arena(self.lifetimes.len() - 1)
                        }),
                    }
                })
                .collect();
            let text = print::function("f", f, &Frame::new());
            let function = if let Some(n) = self.known.get(&text) {
                *n
            } else {
                let n = self.functions.len();
                self.known.insert(text, n);
                let head = if i == 0 { header(kernel, coded) } else { String::new() };
                self.functions.push((head + &notes(f), f.clone()));
                n
            };
            self.scratch = self.scratch.max(number(&f.scratch) as usize);
            self.phases.push(Phase { function, tiles: number(&f.tiles), refs });
        }
        self.kernels.push((kernel.name.to_string(), first, self.phases.len() - first, kernel.writes.clone()));
        self.step += 1;
    }

    /// Outputs that are no kernel's own memory: inputs and constants given out, buffers given out twice.
    fn copies(&mut self) {
        let program = self.program;
        for (i, o) in program.outputs.iter().enumerate() {
            let from = self.place(o.buffer);
            if matches!(from, Place::Output(n) if n == i) {
                continue;
            }
            let bytes = program.buffer(o.buffer).ty.byte_size().unwrap_or(0);
            self.copies.push((o.name.to_string(), bytes, from, Place::Output(i)));
        }
    }

    fn finish(self, options: &EmitOptions) -> CSource {
        let program = self.program;
        let (offsets, arena) = plan(&self.lifetimes);
        let scratch = (self.scratch as u64 + egret_codegen::memory::SLACK).next_multiple_of(4096);
        let mut name: String = program.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, 'm');
        }
        name.truncate(60);
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();

        // Kernels.
        let lanes = options.cpu.target().lanes;
        let mut kernel_files = Vec::new();
        for (i, chunk) in self.functions.chunks(FUNCTIONS_PER_FILE).enumerate() {
            let mut text = format!(
                "/* Kernels of {name}, part {i}. */\n#include \"prelude.h\"\n#include \"recurrent.h\"\n_Static_assert(EG_LANES == {lanes}, \"these kernels are written for vectors of {lanes} floats\");\n"
            );
            for (j, (head, f)) in chunk.iter().enumerate() {
                let n = i * FUNCTIONS_PER_FILE + j;
                let body = print::function(&format!("eg_f{n}"), f, &Frame::new());
                let body = body.strip_prefix("static ").unwrap_or(&body);
                let _ = write!(
                    text,
                    "\nint eg_f{n}(void *const *b, int64_t tile, char *scratch, const int64_t *d);\n{head}{body}"
                );
            }
            kernel_files.push(format!("kernels{i}.c"));
            files.push((format!("kernels{i}.c"), text.into_bytes()));
        }

        // Copies are functions too.
        let mut copy_text = String::new();
        for (i, (_, bytes, _, _)) in self.copies.iter().enumerate() {
            let _ = writeln!(
                copy_text,
                "static int copy{i}(void *const *b, int64_t tile, char *scratch, const int64_t *d) {{ (void)tile; (void)scratch; (void)d; memcpy(b[1], b[0], {bytes}); return 0; }}"
            );
        }

        let at = |p: Place| match p {
            Place::Input(i) => format!("{{EG_INPUT, {i}}}"),
            Place::Output(i) => format!("{{EG_OUTPUT, {i}}}"),
            Place::Weights(at) => format!("{{EG_WEIGHTS, {at}}}"),
            Place::Arena(i) => format!("{{EG_ARENA, {}}}", offsets[i]),
        };
        let mut dims = String::new();
        let mut dim_count = 0;
        let mut info = |name: &str, t: &TensorType| {
            let shape = t.static_shape().unwrap_or_default();
            let text: Vec<String> = shape.iter().map(ToString::to_string).collect();
            let item = format!(
                "{{{}, {}, {}, dims{dim_count}, {}}}",
                c_string(name),
                dtype_code(t.dtype),
                shape.len(),
                t.byte_size().unwrap_or(0)
            );
            let list = if text.is_empty() { "0".to_owned() } else { text.join(", ") };
            let _ = writeln!(dims, "static const int64_t dims{dim_count}[] = {{{list}}};");
            dim_count += 1;
            item
        };
        let inputs: Vec<String> = program.inputs.iter().map(|p| info(&p.name, &program.buffer(p.buffer).ty)).collect();
        let outputs: Vec<String> =
            program.outputs.iter().map(|p| info(&p.name, &program.buffer(p.buffer).ty)).collect();
        let mut values = Vec::new();
        let mut kernels = Vec::new();
        for (kernel, first, count, writes) in &self.kernels {
            let start = values.len();
            for b in writes {
                let buffer = program.buffer(*b);
                values.push(format!("{{{}, {}}}", info(&buffer.name, &buffer.ty), at(self.places[b])));
            }
            kernels.push(format!("{{{}, {first}, {count}, {start}, {}}}", c_string(kernel), writes.len()));
        }
        let mut refs = Vec::new();
        let mut phases = Vec::new();
        for p in &self.phases {
            phases.push(format!("{{eg_f{}, {}, {}, {}}}", p.function, p.tiles, refs.len(), p.refs.len()));
            refs.extend(p.refs.iter().map(|r| at(*r)));
        }
        for (i, (output, _, from, to)) in self.copies.iter().enumerate() {
            kernels.push(format!("{{{}, {}, 1, 0, 0}}", c_string(&format!("copy to {output}")), phases.len()));
            phases.push(format!("{{copy{i}, 1, {}, 2}}", refs.len()));
            refs.extend([at(*from), at(*to)]);
        }
        let list = |items: &[String], empty: &str| {
            if items.is_empty() { format!("  {empty}\n") } else { format!("  {},\n", items.join(",\n  ")) }
        };
        let weight_bytes = self.weights.bytes();
        let separate = weight_bytes > SEPARATE_WEIGHTS;
        let weight_file = format!("{name}.weights");
        let mut model = format!(
            "/* Tables of {name}: what runs in which order on which memory. */\n#include \"program.h\"\n#include <string.h>\n\n"
        );
        for n in 0..self.functions.len() {
            let _ = writeln!(model, "int eg_f{n}(void *const *b, int64_t tile, char *scratch, const int64_t *d);");
        }
        model.push_str(&copy_text);
        model.push_str(&dims);
        let _ = write!(
            model,
            "static const egret_info inputs[] = {{\n{}}};\nstatic const egret_info outputs[] = {{\n{}}};\n",
            list(&inputs, "{0}"),
            list(&outputs, "{0}")
        );
        let _ = write!(model, "static const eg_value values[] = {{\n{}}};\n", list(&values, "{0}"));
        let _ = write!(model, "static const eg_ref refs[] = {{\n{}}};\n", list(&refs, "{0}"));
        let _ = write!(model, "static const eg_phase phases[] = {{\n{}}};\n", list(&phases, "{0}"));
        let _ = write!(model, "static const eg_kernel kernels[] = {{\n{}}};\n", list(&kernels, "{0}"));
        let blob = |symbol: &str, file: &str| {
            format!(
                "__asm__(\".section .rodata\\n.balign 64\\n.globl {symbol}\\n.hidden {symbol}\\n{symbol}:\\n.incbin \\\"{file}\\\"\\n.byte 0\\n.previous\\n\");\nextern const unsigned char {symbol}[];\n"
            )
        };
        if !separate {
            model.push_str(&blob("eg_weights", "weights.bin"));
        }
        model.push_str(&blob("eg_text", "program.txt"));
        let _ = write!(
            model,
            "const eg_program eg_the_program = {{\n  .inputs = inputs, .outputs = outputs, .phases = phases, .refs = refs, .kernels = kernels, .values = values,\n  .input_count = {}, .output_count = {}, .phase_count = {}, .ref_count = {}, .kernel_count = {},\n  .arena_bytes = {arena}, .scratch_bytes = {scratch}, .weight_bytes = {},\n  .weights = {}, .weight_file = {},\n  .cpu_needed = {}, .default_threads = {},\n  .text = (const char *)eg_text, .text_bytes = {},\n}};\n",
            inputs.len(),
            outputs.len(),
            phases.len(),
            refs.len(),
            kernels.len(),
            self.weights.file_bytes(),
            if separate { "0" } else { "eg_weights" },
            if separate { c_string(&weight_file) } else { "0".to_owned() },
            c_string(options.cpu.needed()),
            options.threads.max(1),
            options.text.len(),
        );
        files.push(("model.c".into(), model.into_bytes()));
        files.push(("model.h".into(), model_header(program, &name).into_bytes()));
        files.push(("egret.h".into(), EGRET_H.into()));
        files.push(("program.h".into(), PROGRAM_H.into()));
        files.push(("prelude.h".into(), PRELUDE_H.into()));
        files.push(("dims.h".into(), DIMS_H.into()));
        files.push(("sort.h".into(), SORT_H.into()));
        files.push(("recurrent.h".into(), RECURRENT_H.into()));
        files.push(("runtime.c".into(), RUNTIME_C.into()));
        files.push(("program.txt".into(), options.text.clone().into_bytes()));
        files.push(("Makefile".into(), makefile(&name, &kernel_files, options.cpu).into_bytes()));
        CSource {
            name,
            files,
            cpu: options.cpu,
            weights: self.weights,
            weight_file: separate.then_some(weight_file),
            arena_bytes: arena,
            weight_bytes,
        }
    }
}

fn model_header(program: &Program, name: &str) -> String {
    let mut out = format!("/* {name}, compiled by Egret. The interface is that of egret.h; its tensors, in order:\n");
    for (side, ports) in [("input", &program.inputs), ("output", &program.outputs)] {
        for p in ports {
            let _ = writeln!(out, " *   {side} {} {}", comment(&p.name), type_text(&program.buffer(p.buffer).ty));
        }
    }
    out.push_str(" */\n#include \"egret.h\"\n");
    out
}

fn makefile(name: &str, kernels: &[String], cpu: Cpu) -> String {
    let objects: Vec<String> = kernels.iter().map(|k| k.replace(".c", ".o")).collect();
    format!(
        "# Builds lib{name}.so; the interface is in egret.h.\nCC ?= cc\nCFLAGS = {}\nCPUFLAGS = {}\nRUNTIMEFLAGS = {}\nOBJECTS = {} model.o runtime.o\n\nlib{name}.so: $(OBJECTS)\n\t$(CC) -shared -o $@ $(OBJECTS) -lm -lpthread -ldl\n\nkernels%.o: kernels%.c prelude.h dims.h sort.h recurrent.h\n\t$(CC) $(CFLAGS) $(CPUFLAGS) -c $< -o $@\n\nmodel.o: model.c program.h egret.h program.txt\n\t$(CC) $(RUNTIMEFLAGS) -c $< -o $@\n\nruntime.o: runtime.c program.h egret.h\n\t$(CC) $(RUNTIMEFLAGS) -c $< -o $@\n\nclean:\n\trm -f $(OBJECTS) lib{name}.so\n",
        KERNEL_FLAGS.join(" "),
        cpu.flags().join(" "),
        RUNTIME_FLAGS.join(" "),
        objects.join(" ")
    )
}
