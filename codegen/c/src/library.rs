//! From a program to a source tree: kernels, tables, weights, runtime, Makefile.

use std::collections::HashMap;
use std::fmt::Write as _;

use egret_codegen::backend::{Backend, Source as KernelSource};
use egret_codegen::error::Unsupported;
use egret_codegen::kernel::{CodedKernel, code};
use egret_codegen::loops::Function;
use egret_codegen::stage::SlotKind;
use egret_codegen::target::Target;
use egret_ir::dim::Dim;
use egret_ir::dtype::DType;
use egret_ir::program::{FrameSymbol, Kernel, Port, Program, SymbolValue};
use egret_ir::types::TensorType;

use crate::cpu::Cpu;
use crate::dims::Frame;
use crate::print;
use crate::tables::{Emitted, Tables, table};
use crate::weights::Weights;

/// The files that every library has in common.
const RUNTIME: [(&str, &str); 12] = [
    ("egret.h", include_str!("../runtime/egret.h")),
    ("program.h", include_str!("../runtime/program.h")),
    ("extents.h", include_str!("../runtime/extents.h")),
    ("memory.h", include_str!("../runtime/memory.h")),
    ("frame.h", include_str!("../runtime/frame.h")),
    ("frame.c", include_str!("../runtime/frame.c")),
    ("runtime.c", include_str!("../runtime/runtime.c")),
    ("prelude.h", include_str!("../runtime/prelude.h")),
    ("dims.h", include_str!("../runtime/dims.h")),
    ("native.h", include_str!("../runtime/native.h")),
    ("sort.h", include_str!("../runtime/sort.h")),
    ("recurrent.h", include_str!("../runtime/recurrent.h")),
];

/// Weights above this many bytes lie in a file of their own beside the library, unless it is said otherwise.
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
    /// Weights above this many bytes lie in a file of their own beside the library.
    pub separate_weights: u64,
}

impl Default for EmitOptions {
    fn default() -> Self {
        Self { cpu: Cpu::host(), threads: 1, text: String::new(), separate_weights: SEPARATE_WEIGHTS }
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
    /// Bytes of working memory of a context; 0 where open extents decide.
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

/// Text that ends no comment.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ")
}

/// Text as a C literal.
pub(crate) fn c_string(text: &str) -> String {
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

/// The same model for given extents, chosen at run where the inputs have just these.
#[derive(Clone, Copy, Debug)]
pub struct Variant<'a> {
    /// The value of every symbol of the general program that its inputs decide, in order.
    pub extents: &'a [i64],
    /// Its program, with the general one's inputs and outputs.
    pub program: &'a Program,
}

/// Emits the source tree of a program. The program must pass [`Program::check`]. Gathers all nodes without code.
pub fn emit_library(program: &Program, options: &EmitOptions) -> Result<CSource, Vec<Unsupported>> {
    emit_with_variants(program, &[], options)
}

/// [`emit_library`], with fast variants for given extents in the same library; they share its weights.
pub fn emit_with_variants(
    program: &Program,
    variants: &[Variant<'_>],
    options: &EmitOptions,
) -> Result<CSource, Vec<Unsupported>> {
    let mut shared = Shared {
        weights: Weights::default(),
        target: options.cpu.target(),
        problems: Vec::new(),
        functions: Vec::new(),
        known: HashMap::new(),
        programs: Vec::new(),
    };
    let general = shared.program(program, None);
    let variants: Vec<(String, String)> = variants
        .iter()
        .map(|v| {
            let extents: Vec<String> = v.extents.iter().map(ToString::to_string).collect();
            (extents.join(", "), shared.program(v.program, None))
        })
        .collect();
    if shared.problems.is_empty() {
        Ok(finish(program, &general, &variants, shared, options))
    } else {
        Err(shared.problems)
    }
}

/// What the programs of a library have in common.
pub(crate) struct Shared {
    pub weights: Weights,
    pub target: Target,
    /// Nodes without code.
    pub problems: Vec<Unsupported>,
    /// Kernel functions, each once, with the comment of its first use.
    functions: Vec<String>,
    known: HashMap<String, usize>,
    /// Tables of the programs, by name in the code: bodies come after what they are in.
    programs: Vec<Option<Emitted>>,
}

impl Shared {
    /// Emits a program and what is inside it; gives its name in the code.
    pub fn program(&mut self, program: &Program, outer: Option<&Program>) -> String {
        let index = self.programs.len();
        self.programs.push(None);
        let emitted = Tables::new(program, index).emit(outer, self);
        self.programs[index] = Some(emitted);
        format!("p{index}")
    }

    /// The number of a kernel's function of that position.
    pub fn function(&mut self, kernel: &Kernel, coded: &CodedKernel, i: usize, frame: &Frame) -> usize {
        let f = &coded.functions[i];
        let text = print::function("f", f, frame);
        if let Some(n) = self.known.get(&text) {
            return *n;
        }
        let n = self.functions.len();
        self.known.insert(text, n);
        let head = if i == 0 { header(kernel, coded) } else { String::new() };
        let body = print::function(&format!("eg_f{n}"), f, frame);
        let body = body.strip_prefix("static ").unwrap_or(&body);
        self.functions.push(format!("{}\n{head}{}{body}", prototype(n), notes(f)));
        n
    }
}

fn prototype(n: usize) -> String {
    format!("int eg_f{n}(void *const *b, int64_t tile, char *scratch, const int64_t *d);")
}

/// A port as the interface describes it, with the tables that the description points to.
fn info(tables: &mut String, name: &str, t: &TensorType, n: usize) -> String {
    let (mut dims, mut symbols) = (Vec::new(), Vec::new());
    for d in &t.shape {
        dims.push(d.as_const().map_or("-1".to_owned(), |c| c.to_string()));
        symbols.push(d.as_const().map_or_else(|| c_string(&d.to_string()), |_| "0".to_owned()));
    }
    if dims.is_empty() {
        (dims, symbols) = (vec!["0".into()], vec!["0".into()]);
    }
    let _ = writeln!(tables, "static const int64_t dims{n}[] = {{{}}};", dims.join(", "));
    let _ = writeln!(tables, "static const char *const symbols{n}[] = {{{}}};", symbols.join(", "));
    let (dtype, rank, bytes) = (dtype_code(t.dtype), t.rank(), t.byte_size().unwrap_or(0));
    format!("{{{}, {dtype}, {rank}, dims{n}, symbols{n}, {bytes}}}", c_string(name))
}

/// The symbols that inputs decide: the first ones of the frame.
fn open_symbols(program: &Program) -> Vec<String> {
    let axes = program.symbols.iter().take_while(|s| matches!(s.value, SymbolValue::Axis { .. }));
    let row = |s: &FrameSymbol| {
        let max = if s.info.max == i64::MAX { "INT64_MAX".to_owned() } else { s.info.max.to_string() };
        format!("{{{}, {}, {max}}}", c_string(s.symbol.name()), s.info.min)
    };
    axes.map(row).collect()
}

/// Bytes as a symbol of the object file.
fn blob(symbol: &str, file: &str) -> String {
    format!(
        "__asm__(\".section .rodata\\n.balign 64\\n.globl {symbol}\\n.hidden {symbol}\\n{symbol}:\\n.incbin \\\"{file}\\\"\\n.byte 0\\n.previous\\n\");\nextern const unsigned char {symbol}[];\n"
    )
}

/// The source tree.
fn finish(
    program: &Program,
    general: &str,
    variants: &[(String, String)],
    shared: Shared,
    options: &EmitOptions,
) -> CSource {
    let name = identifier(&program.name);
    let weight_bytes = shared.weights.bytes();
    let separate = weight_bytes > options.separate_weights;
    let weight_file = format!("{name}.weights");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();

    let lanes = shared.target.lanes;
    let mut kernel_files = Vec::new();
    for (i, chunk) in shared.functions.chunks(FUNCTIONS_PER_FILE).enumerate() {
        let text = format!(
            "/* Kernels of {name}, part {i}. */\n#include \"prelude.h\"\n#include \"recurrent.h\"\n#include \"native.h\"\n_Static_assert(EG_LANES == {lanes}, \"these kernels are written for vectors of {lanes} floats\");\n\n{}",
            chunk.join("\n")
        );
        kernel_files.push(format!("kernels{i}.c"));
        files.push((format!("kernels{i}.c"), text.into_bytes()));
    }

    let mut model = format!(
        "/* Tables of {name}: what runs in which order on which memory. */\n#include \"extents.h\"\n#include \"program.h\"\n\n"
    );
    for n in 0..shared.functions.len() {
        let _ = writeln!(model, "{}", prototype(n));
    }
    // Bodies first: what they are in points to them.
    for emitted in shared.programs.iter().rev().flatten() {
        model.push_str(&emitted.text);
    }
    let arena_bytes = shared.programs[0].as_ref().map_or(0, |e| e.arena_bytes);
    let _ = write!(model, "\n/* ---- the interface ---- */\n");
    let mut ports = Vec::new();
    for (side, list) in [("inputs", &program.inputs), ("outputs", &program.outputs)] {
        let first = ports.len();
        for p in list {
            let item = info(&mut model, &p.name, &program.buffer(p.buffer).ty, ports.len());
            ports.push(item);
        }
        let rows = if list.is_empty() { vec!["{0}".to_owned()] } else { ports[first..].to_vec() };
        let _ = write!(model, "static const egret_info {side}[] = {{\n{}}};\n", table(&rows));
    }
    let symbols = open_symbols(program);
    let decided = |d: &Dim| {
        let mut decided = true;
        d.symbols(&mut |s| decided &= program.symbol(s).is_some_and(|i| i < symbols.len()));
        decided
    };
    let by_data = |p: &Port| u8::from(!program.buffer(p.buffer).ty.shape.iter().all(decided)).to_string();
    let mut by_data: Vec<String> = program.outputs.iter().map(by_data).collect();
    by_data.resize(by_data.len().max(1), "0".to_owned());
    let _ = write!(model, "static const uint8_t by_data[] = {{\n{}}};\n", table(&by_data));
    let mut fields = String::new();
    if !symbols.is_empty() {
        let _ = write!(model, "static const egret_symbol symbols[] = {{\n{}}};\n", table(&symbols));
        let _ = writeln!(fields, "  .symbols = symbols, .symbol_count = {},", symbols.len());
    }
    if !variants.is_empty() {
        let row = |(extents, p): &(String, String)| format!("{{(const int64_t[]){{{extents}}}, &{p}}}");
        let rows: Vec<String> = variants.iter().map(row).collect();
        let _ = write!(model, "static const eg_variant variants[] = {{\n{}}};\n", table(&rows));
        let _ = writeln!(fields, "  .variants = variants, .variant_count = {},", variants.len());
    }
    if separate {
        let _ = writeln!(fields, "  .weight_file = {},", c_string(&weight_file));
    } else {
        model.push_str(&blob("eg_weights", "weights.bin"));
        let _ = writeln!(fields, "  .weights = eg_weights,");
    }
    model.push_str(&blob("eg_text", "program.txt"));
    let _ = write!(
        model,
        "const eg_library eg_the_library = {{\n  .program = &{general}, .inputs = inputs, .outputs = outputs, .by_data = by_data,\n{fields}  .weight_bytes = {}, .cpu_needed = {}, .default_threads = {},\n  .text = (const char *)eg_text, .text_bytes = {},\n}};\n",
        shared.weights.file_bytes(),
        c_string(options.cpu.needed()),
        options.threads.max(1),
        options.text.len(),
    );
    files.push(("model.c".into(), model.into_bytes()));
    files.push(("model.h".into(), model_header(program, &name).into_bytes()));
    files.extend(RUNTIME.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())));
    files.push(("program.txt".into(), options.text.clone().into_bytes()));
    files.push(("Makefile".into(), makefile(&name, &kernel_files, options.cpu).into_bytes()));
    CSource {
        name,
        files,
        cpu: options.cpu,
        weights: shared.weights,
        weight_file: separate.then_some(weight_file),
        arena_bytes,
        weight_bytes,
    }
}

/// The model's name as a C identifier.
fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'm');
    }
    out.truncate(60);
    out
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
        "# Builds lib{name}.so; the interface is in egret.h.\nCC ?= cc\nCFLAGS = {}\nCPUFLAGS = {}\nRUNTIMEFLAGS = {}\nOBJECTS = {} model.o frame.o runtime.o\n\nlib{name}.so: $(OBJECTS)\n\t$(CC) -shared -o $@ $(OBJECTS) -lm -lpthread -ldl\n\nkernels%.o: kernels%.c prelude.h dims.h sort.h native.h recurrent.h\n\t$(CC) $(CFLAGS) $(CPUFLAGS) -c $< -o $@\n\nmodel.o: model.c extents.h program.h egret.h program.txt\n\t$(CC) $(RUNTIMEFLAGS) -c $< -o $@\n\nframe.o runtime.o: %.o: %.c frame.h memory.h extents.h program.h egret.h\n\t$(CC) $(RUNTIMEFLAGS) -c $< -o $@\n\nclean:\n\trm -f $(OBJECTS) lib{name}.so\n",
        KERNEL_FLAGS.join(" "),
        cpu.flags().join(" "),
        RUNTIME_FLAGS.join(" "),
        objects.join(" ")
    )
}
