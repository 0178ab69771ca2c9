//! ONNX to C: a shared library with a header, or a source tree.

use std::path::{Path, PathBuf};

use egret_codegen_c::{CSource, CcOptions, Cpu, EmitOptions};
use egret_ir::choice::ClassGraph;
use egret_ir::program::Program;
use egret_onnx::Imported;
use serde::Serialize;

use crate::{Binding, Error, Numeric, Progress, Result, optimize};

/// How to compile.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Extents of unknown dimensions; all must be known.
    pub binding: Binding,
    /// Weakest numeric class of rules that may run.
    pub numeric: Numeric,
    /// Rule files beside the built-in library.
    pub rule_files: Vec<PathBuf>,
    /// Instruction set.
    pub cpu: Cpu,
    /// The C compiler.
    pub cc: String,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            binding: Binding::default(),
            numeric: Numeric::Reassociates,
            rule_files: Vec::new(),
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
    /// Bytes of weights.
    pub weight_bytes: u64,
    /// Bytes of working memory of one context.
    pub arena_bytes: u64,
    /// Instruction set.
    pub cpu: String,
    /// Files written.
    pub files: Vec<String>,
}

/// Reads a model and chooses its kernels.
pub fn plan(path: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Planned> {
    let rules = optimize::rules(&options.rule_files)?;
    progress("reading");
    let imported = egret_onnx::read(path, &options.binding).map_err(Error::read(path))?;
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
    let bodies = |body: &egret_ir::Graph| {
        let plain = ClassGraph::from_graph(body).0;
        match egret_ir::check(body.clone()) {
            Ok(typed) => vec![optimize::saturate(&typed, &rules, options.numeric).classes, plain],
            Err(_) => vec![plain],
        }
    };
    let choices = [saturated.classes, ClassGraph::from_graph(&typed).0];
    let program = egret_extractor::plan::cheapest(&choices, &machine, &egret_extractor::Options::default(), &bodies)
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

/// The C of a program.
pub(crate) fn emit(path: &Path, program: &Program, cpu: Cpu) -> Result<CSource> {
    let options = EmitOptions { cpu, text: egret_ir::text::print_program(program), ..EmitOptions::default() };
    egret_codegen_c::emit_library(program, &options).map_err(|list| Error::Unsupported {
        path: path.to_owned(),
        reasons: list.iter().map(ToString::to_string).collect(),
    })
}

/// Compiles a model into the shared library `out`, with the interface's header `egret.h` beside it.
pub fn compile(path: &Path, out: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Compiled> {
    let planned = plan(path, options, progress)?;
    progress("generating C");
    let source = emit(path, &planned.program, options.cpu)?;
    progress("compiling C");
    let cc = CcOptions { cc: options.cc.as_str().into(), ..CcOptions::default() };
    egret_codegen_c::build(&source, out, &cc)?;
    let mut files = vec![out.display().to_string()];
    if let Some((name, bytes)) = source.files.iter().find(|(n, _)| n.ends_with("egret.h")) {
        let header = out.with_file_name(name);
        crate::write_file(&header, bytes)?;
        files.push(header.display().to_string());
    }
    Ok(compiled(&planned, &source, options.cpu, files))
}

/// Writes the C source tree of a model into the folder `out`.
pub fn emit_c(path: &Path, out: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Compiled> {
    let planned = plan(path, options, progress)?;
    progress("generating C");
    let source = emit(path, &planned.program, options.cpu)?;
    egret_codegen_c::build::write_tree(&source, out)?;
    let names = source.files.iter().map(|(name, _)| name.as_str()).chain([source.weights_name()]);
    let files = names.map(|name| out.join(name).display().to_string()).collect();
    Ok(compiled(&planned, &source, options.cpu, files))
}

fn compiled(planned: &Planned, source: &CSource, cpu: Cpu, files: Vec<String>) -> Compiled {
    Compiled {
        nodes: planned.imported.sites.len(),
        kernels: planned.program.all().into_iter().map(|p| p.kernels().count()).sum(),
        weight_bytes: source.weight_bytes,
        arena_bytes: source.arena_bytes,
        cpu: cpu.to_string(),
        files,
    }
}
