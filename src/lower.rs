//! A model shown at one level of the compiler.

use std::fmt::Write as _;
use std::path::Path;

use egret_ir::choice::ClassGraph;
use egret_ir::text;
use egret_ir::{Graph, Type, expr};

use crate::compile::{CompileOptions, emit, plan};
use crate::{Binding, Error, Progress, Result, frontends, optimize};

/// The levels, top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Level {
    /// The typed graph of structural kinds
    Graph,
    /// The saturated e-graph: classes with all their ways
    Egraph,
    /// The chosen program of kernels
    Kernels,
    /// The meaning of every kernel in index notation
    Expr,
    /// The scheduled loops
    Loops,
    /// The C source
    C,
}

/// The text of a model at a level.
pub fn lower(path: &Path, level: Level, options: &CompileOptions, progress: Progress<'_>) -> Result<String> {
    match level {
        Level::Graph => {
            let imported = frontends::read(path, &options.binding)?;
            Ok(text::print(&optimize::check(path, &imported)?.pruned()))
        }
        Level::Egraph => {
            let rules = optimize::checked_rules(&options.rule_files, options.unchecked_rules, progress)?;
            let imported = frontends::read(path, &options.binding)?;
            let typed = optimize::check(path, &imported)?;
            Ok(classes_text(&optimize::saturate(&typed, &rules, options.numeric).classes))
        }
        Level::Kernels => Ok(text::print_program(&plan(path, options, progress)?.program)),
        Level::Expr => {
            let mut out = String::new();
            let planned = plan(path, options, progress)?;
            for (_, kernel) in planned.program.all().into_iter().flat_map(egret_ir::program::Program::kernels) {
                let _ = writeln!(out, "kernel {}", kernel.name);
                out.push_str(&expressions(&kernel.body));
            }
            Ok(out)
        }
        Level::Loops => {
            let planned = plan(path, options, progress)?;
            let mut out = String::new();
            for (_, kernel) in planned.program.all().into_iter().flat_map(egret_ir::program::Program::kernels) {
                let target = options.cpu.target();
                let coded =
                    egret_codegen::kernel::code(kernel, &|_| None, &target).map_err(|list| Error::Unsupported {
                        path: path.to_owned(),
                        reasons: list.iter().map(ToString::to_string).collect(),
                    })?;
                let _ = writeln!(out, "kernel {}", kernel.name);
                for f in &coded.functions {
                    let _ = writeln!(out, "{f}");
                }
            }
            Ok(out)
        }
        Level::C => {
            let planned = plan(path, options, progress)?;
            let source = emit(path, &planned.program, &[], options.cpu)?;
            let mut out = String::new();
            for (name, bytes) in &source.files {
                if let Ok(code) = std::str::from_utf8(bytes)
                    && name.ends_with(".c")
                {
                    let _ = writeln!(out, "/* ---- {name} ---- */\n{code}");
                }
            }
            Ok(out)
        }
    }
}

/// A model's graph with all its constants: the text is itself a model (extension `.egret`).
pub fn whole_text(path: &Path, binding: &Binding) -> Result<String> {
    let imported = frontends::read(path, binding)?;
    Ok(text::print_whole(&optimize::check(path, &imported)?.pruned()))
}

fn expressions(body: &Graph) -> String {
    let mut out = String::new();
    for v in body.values() {
        let node = body.node(v);
        let types: Vec<&Type> = node.args.iter().map(|a| body.ty(*a)).collect();
        let args: Vec<String> = node.args.iter().map(|a| format!("%{}", a.0)).collect();
        let meaning = match expr::meaning(&node.op, &types) {
            Some(e) => e.with_names(&args).to_string(),
            None => applied(&text::op_text(&node.op, &body.tables), &args),
        };
        let _ = writeln!(out, "  %{} : {} = {meaning}", v.0, node.ty);
    }
    out
}

/// An op's text with its operands after it.
fn applied(op: &str, args: &[String]) -> String {
    if args.is_empty() { op.to_owned() } else { format!("{op} {}", args.join(", ")) }
}

fn classes_text(classes: &ClassGraph) -> String {
    let mut out = format!("classes {} {{\n", text::quoted(&classes.name));
    for (i, class) in classes.classes.iter().enumerate() {
        let constant = if class.constant { " constant" } else { "" };
        let _ = writeln!(out, "  c{i} : {}{constant}", class.ty);
        for way in &class.nodes {
            let args: Vec<String> = way.args.iter().map(|a| format!("c{}", a.0)).collect();
            let _ = writeln!(out, "    {}", applied(&text::op_text(&way.op, &classes.tables), &args));
        }
    }
    let outputs: Vec<String> =
        classes.outputs.iter().map(|(name, c)| format!("{} c{}", text::quoted(name), c.0)).collect();
    let _ = write!(out, "  return {}\n}}\n", outputs.join(", "));
    out
}
