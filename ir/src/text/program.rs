//! The text form of programs.

use std::fmt::Write as _;

use super::{print_indented, quoted};
use crate::program::{Branch, BufferId, FrameSymbol, Port, Program, Repeat, Source, Step, SymbolValue, Trips};

/// Writes a program, indented by `indent` spaces.
pub(super) fn write(out: &mut String, program: &Program, indent: usize) {
    let pad = " ".repeat(indent);
    let _ = writeln!(out, "{pad}program {} {{", quoted(&program.name));
    for s in &program.symbols {
        let _ = writeln!(out, "{pad}  symbol {}", symbol(s));
    }
    for (i, b) in program.buffers.iter().enumerate() {
        let source = match &b.source {
            Source::Input(k) => format!("input {k}"),
            Source::Constant(_) => "constant".to_owned(),
            Source::Step(k) => format!("step {k}"),
        };
        let _ = writeln!(out, "{pad}  buffer b{i} {} : {} = {source}", quoted(&b.name), b.ty);
    }
    for step in &program.steps {
        let head = match step {
            Step::Kernel(k) => format!("kernel {} reads {}", k.name, buffers(&k.reads)),
            Step::If(b) => branch(b),
            Step::Loop(r) => repeat(r),
        };
        let _ = writeln!(out, "{pad}  {head} writes {}", buffers(step.writes()));
        if step.origins().iter().next().is_some() {
            let _ = writeln!(out, "{pad}    # from {}", step.origins());
        }
        if let Step::Kernel(k) = step {
            out.push_str(&print_indented(&k.body, indent + 4));
        }
        for body in step.bodies() {
            write(out, body, indent + 4);
        }
    }
    let ports = |ports: &[Port]| {
        ports.iter().map(|p| format!("{} b{}", quoted(&p.name), p.buffer.0)).collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(out, "{pad}  inputs {}", ports(&program.inputs));
    let _ = writeln!(out, "{pad}  outputs {}\n{pad}}}", ports(&program.outputs));
}

/// `seq in 1..512 = axis 1 of input 0`.
fn symbol(s: &FrameSymbol) -> String {
    let value = match s.value {
        SymbolValue::Axis { input, axis } => format!("axis {axis} of input {input}"),
        SymbolValue::Number(b) => format!("number b{}", b.0),
        SymbolValue::Result { buffer, axis } => format!("axis {axis} of b{}", buffer.0),
        SymbolValue::Outer => "outer".to_owned(),
    };
    let max = if s.info.max == i64::MAX { String::new() } else { s.info.max.to_string() };
    format!("{} in {}..{max} = {value}", s.symbol, s.info.min)
}

fn branch(b: &Branch) -> String {
    format!("if {} on b{} reads {}", b.name, b.condition.0, buffers(&b.reads))
}

fn repeat(r: &Repeat) -> String {
    let trips = match &r.trips {
        Trips::Extent(d) => d.to_string(),
        Trips::Number(b) => format!("b{}", b.0),
    };
    let condition = r.condition.map_or_else(String::new, |b| format!(" while b{}", b.0));
    format!(
        "loop {} trips {trips}{condition} carries {} scans {} reads {}",
        r.name,
        buffers(&r.carried),
        buffers(&r.scanned),
        buffers(&r.captures)
    )
}

fn buffers(ids: &[BufferId]) -> String {
    ids.iter().map(|b| format!("b{}", b.0)).collect::<Vec<_>>().join(" ")
}
