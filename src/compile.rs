//! ONNX to C: a shared library with a header, or a source tree.

use std::path::{Path, PathBuf};

use egret_codegen_c::{CSource, CcOptions, Cpu, EmitOptions};
use egret_ir::choice::ClassGraph;
use egret_ir::program::{FrameSymbol, Program, SymbolValue};
use egret_onnx::Imported;
use serde::Serialize;

use crate::{Binding, Error, Numeric, Progress, Result, frontends, optimize};

/// How to compile.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Extents of unknown dimensions, or their bounds. What stays open is decided by the inputs of each run.
    pub binding: Binding,
    /// Fast variants in the same library: each names values of open extents.
    pub specialize: Vec<Vec<(String, i64)>>,
    /// Weakest numeric class of rules that may run.
    pub numeric: Numeric,
    /// Rule files beside the built-in library.
    pub rule_files: Vec<PathBuf>,
    /// Whether these run without having been checked.
    pub unchecked_rules: bool,
    /// Instruction set.
    pub cpu: Cpu,
    /// The C compiler.
    pub cc: String,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            binding: Binding::default(),
            specialize: Vec::new(),
            numeric: Numeric::Reassociates,
            rule_files: Vec::new(),
            unchecked_rules: false,
            cpu: Cpu::host(),
            cc: "cc".into(),
        }
    }
}

/// A model with the program chosen for it.
pub struct Planned {
    /// The model as read.
    pub imported: Imported,
    /// The program.
    pub program: Program,
}

/// What compiling made.
#[derive(Clone, Debug, Serialize)]
pub struct Compiled {
    /// Nodes of the model.
    pub nodes: usize,
    /// Kernels of the program.
    pub kernels: usize,
    /// Extents that the library leaves open.
    pub open: Vec<String>,
    /// Fast variants beside the general program.
    pub variants: usize,
    /// Bytes of weights.
    pub weight_bytes: u64,
    /// Bytes of working memory of one context.
    pub arena_bytes: u64,
    /// Instruction set.
    pub cpu: String,
    /// Files written.
    pub files: Vec<String>,
    /// What is odd about the model and was passed over.
    pub warnings: Vec<String>,
}

/// Reads a model and chooses its kernels.
pub fn plan(path: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Planned> {
    let rules = optimize::checked_rules(&options.rule_files, options.unchecked_rules, progress)?;
    progress("reading");
    let imported = frontends::read(path, &options.binding)?;
    let typed = optimize::check(path, &imported)?;
    progress("rewriting");
    let mut saturated = optimize::saturate(&typed, &rules, options.numeric);
    // Buffers keep the model's names, so that a verifier can pair them with values of the model.
    for (name, v) in &imported.values {
        if let Some(class) = saturated.class_of[v.index()] {
            saturated.classes.names.entry(class).or_insert_with(|| name.clone());
        }
    }
    progress("choosing kernels");
    let machine = egret_extractor::machines::named(machine_of(options.cpu))?;
    // Bodies of branches and loops are rewritten like the model itself.
    let bodies = |body: &egret_ir::Graph| match egret_ir::check(body.clone()) {
        Ok(typed) => optimize::saturate(&typed, &rules, options.numeric).stages(),
        Err(_) => vec![ClassGraph::from_graph(body).0],
    };
    let program =
        egret_extractor::plan::cheapest(&saturated.stages(), &machine, &egret_extractor::Options::default(), &bodies)
            .map_err(Error::plan(path))?;
    Ok(Planned { imported, program })
}

/// The machine file that describes an instruction set level.
fn machine_of(cpu: Cpu) -> &'static str {
    match cpu {
        Cpu::Generic => "generic",
        Cpu::Avx2 => "x86-64-v3",
        Cpu::Avx512 => "x86-64-v4",
    }
}

/// A fast variant of a general program.
pub(crate) struct Variant {
    extents: Vec<i64>,
    program: Program,
}

/// The programs of the variants that the options ask for.
pub(crate) fn variants(
    path: &Path,
    general: &Program,
    options: &CompileOptions,
    progress: Progress<'_>,
) -> Result<Vec<Variant>> {
    let open: Vec<&FrameSymbol> =
        general.symbols.iter().filter(|s| matches!(s.value, SymbolValue::Axis { .. })).collect();
    let mut out: Vec<Variant> = Vec::new();
    for wanted in &options.specialize {
        let text = wanted.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(" ");
        let bad = |reason: String| Error::Usage(format!("--specialize {text}: {reason}"));
        if let Some((name, _)) = wanted.iter().find(|(name, _)| open.iter().all(|s| s.symbol.name() != name)) {
            let names: Vec<&str> = open.iter().map(|s| s.symbol.name()).collect();
            return Err(bad(format!("`{name}` is not open; open are: {}", names.join(", "))));
        }
        let value = |s: &&FrameSymbol| {
            let given = wanted.iter().find(|(name, _)| name == s.symbol.name()).map(|(_, n)| *n);
            let n = given.ok_or_else(|| bad(format!("`{}` has no value", s.symbol.name())))?;
            let (min, max) = (s.info.min, s.info.max);
            if (min..=max).contains(&n) { Ok(n) } else { Err(bad(format!("{n} is outside {min}..{max}"))) }
        };
        let extents = open.iter().map(value).collect::<Result<Vec<i64>>>()?;
        if out.iter().any(|v| v.extents == extents) {
            continue;
        }
        progress(&format!("specializing to {text}"));
        let names = open.iter().map(|s| s.symbol.name().to_owned());
        let mut binding = options.binding.clone();
        binding.ranges.retain(|(name, ..)| open.iter().all(|s| s.symbol.name() != name));
        binding.dims.extend(names.zip(extents.iter().copied()));
        // The rules were checked for the general program.
        let bound = CompileOptions { binding, specialize: Vec::new(), unchecked_rules: true, ..options.clone() };
        out.push(Variant { extents, program: plan(path, &bound, &|_| {})?.program });
    }
    Ok(out)
}

/// The C of a program and its variants.
pub(crate) fn emit(path: &Path, program: &Program, variants: &[Variant], cpu: Cpu) -> Result<CSource> {
    let options = EmitOptions { cpu, text: egret_ir::text::print_program(program), ..EmitOptions::default() };
    let variants: Vec<egret_codegen_c::Variant<'_>> =
        variants.iter().map(|v| egret_codegen_c::Variant { extents: &v.extents, program: &v.program }).collect();
    egret_codegen_c::emit_with_variants(program, &variants, &options).map_err(|list| Error::Unsupported {
        path: path.to_owned(),
        reasons: list.iter().map(ToString::to_string).collect(),
    })
}

/// Compiles a model into the shared library `out`, with the interface's header `egret.h` beside it.
pub fn compile(path: &Path, out: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Compiled> {
    let planned = plan(path, options, progress)?;
    let variants = variants(path, &planned.program, options, progress)?;
    progress("generating C");
    let source = emit(path, &planned.program, &variants, options.cpu)?;
    progress("compiling C");
    let cc = CcOptions { cc: options.cc.as_str().into(), ..CcOptions::default() };
    egret_codegen_c::build(&source, out, &cc)?;
    let mut files = vec![out.display().to_string()];
    if let Some((name, bytes)) = source.files.iter().find(|(n, _)| n.ends_with("egret.h")) {
        let header = out.with_file_name(name);
        crate::write_file(&header, bytes)?;
        files.push(header.display().to_string());
    }
    Ok(compiled(&planned, &variants, &source, options.cpu, files))
}

/// Writes the C source tree of a model into the folder `out`.
pub fn emit_c(path: &Path, out: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Compiled> {
    let planned = plan(path, options, progress)?;
    let variants = variants(path, &planned.program, options, progress)?;
    progress("generating C");
    let source = emit(path, &planned.program, &variants, options.cpu)?;
    egret_codegen_c::build::write_tree(&source, out)?;
    let names = source.files.iter().map(|(name, _)| name.as_str()).chain([source.weights_name()]);
    let files = names.map(|name| out.join(name).display().to_string()).collect();
    Ok(compiled(&planned, &variants, &source, options.cpu, files))
}

fn compiled(planned: &Planned, variants: &[Variant], source: &CSource, cpu: Cpu, files: Vec<String>) -> Compiled {
    let axes = planned.program.symbols.iter().filter(|s| matches!(s.value, SymbolValue::Axis { .. }));
    Compiled {
        open: axes.map(|s| s.symbol.name().to_owned()).collect(),
        variants: variants.len(),
        nodes: planned.imported.nodes,
        kernels: planned.program.all().into_iter().map(|p| p.kernels().count()).sum(),
        weight_bytes: source.weight_bytes,
        arena_bytes: source.arena_bytes,
        cpu: cpu.to_string(),
        files,
        warnings: frontends::warnings(&planned.imported),
    }
}
