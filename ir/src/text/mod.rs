//! The text form of graphs and programs: [`print_whole`] and [`parse`] are inverse. [`print()`] is for reading: constants of
//! more than [`Tables::SMALL`] elements print as references (`dense 3`) into tables that the parser must be given, where
//! the whole form has their bytes (`dense f32[64,3] "…"`, little-endian in base 64).
//!
//! ```text
//! graph "g" {
//!   %0 = input "x" : f32[2,n]
//!   %1 = permute [1,0] %0 : f32[n,2]
//!   %2 = 0.5f32 : f32[]
//!   return "y" %1
//! }
//! ```
//!
//! Symbols whose values only data decides are named first: `data n, m`; in bodies also those of the graph around:
//! `outer n`. Bodies of `if` and `loop` come before the values, each a graph: `body 0 = graph "then" { … }`.

mod attrs;
mod data;
mod lex;
mod parse;
mod program;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::dim::{Backing, Symbol};
use crate::graph::{Graph, Tables};
use crate::op::Op;
use crate::op::attrs::Attr;
use crate::program::Program;
use crate::tensor::Tensor;
use crate::types::Type;

pub use parse::{ParseError, Sort, parse, parse_attr, parse_bound, parse_type, parse_with, sorts};

/// A name in quotes, with `"` and `\` escaped.
pub fn quoted(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    out.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// How large constants print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Large {
    /// As references into the tables.
    Referenced,
    /// With their bytes.
    Written,
}

/// Kind and attributes of an op, without operands.
pub fn op_text(op: &Op, tables: &Tables) -> String {
    op_with(op, tables, Large::Referenced)
}

fn op_with(op: &Op, tables: &Tables, large: Large) -> String {
    let (head, attrs) = op.split();
    let mut out = attrs::head_text(&head, tables, large);
    for a in &attrs {
        out.push(' ');
        out.push_str(&attr_text(a));
    }
    out
}

/// An attribute value.
pub fn attr_text(attr: &Attr) -> String {
    attrs::attr_text(attr)
}

fn small_tensor_text(t: &Tensor) -> String {
    let mut out = format!("{}[", t.dtype());
    let dims: Vec<String> = t.shape().iter().map(usize::to_string).collect();
    let values: Vec<String> = (0..t.len()).map(|i| t.get(i).to_string()).collect();
    let _ = write!(out, "{}] {{{}}}", dims.join(","), values.join(", "));
    out
}

/// The text of a graph, indented by `indent` spaces.
pub fn print_indented(graph: &Graph, indent: usize) -> String {
    print_with(graph, indent, Large::Referenced)
}

fn print_with(graph: &Graph, indent: usize, large: Large) -> String {
    let pad = " ".repeat(indent);
    let mut out = format!("{pad}graph {} {{\n", quoted(&graph.name));
    for (word, backing) in [("data", Backing::Data), ("outer", Backing::Outer)] {
        let symbols: Vec<String> = symbols_of(graph, backing).iter().map(ToString::to_string).collect();
        if !symbols.is_empty() {
            let _ = writeln!(out, "{pad}  {word} {}", symbols.join(", "));
        }
    }
    for (i, body) in graph.tables.bodies.iter().enumerate() {
        let text = print_indented(body, indent + 2);
        let _ = write!(out, "{pad}  body {i} = {}", text.trim_start());
    }
    for v in graph.values() {
        let node = graph.node(v);
        let _ = write!(out, "{pad}  %{} = ", v.0);
        match &node.op {
            Op::Input(i) => {
                let decl = &graph.inputs[*i as usize];
                let _ = write!(out, "input {}", quoted(&decl.name));
                if let Some(d) = decl.default {
                    let _ = write!(out, " default {}", dense_text(d.0, &graph.tables, large));
                }
            }
            op => out.push_str(&op_with(op, &graph.tables, large)),
        }
        for (i, a) in node.args.iter().enumerate() {
            let _ = write!(out, "{}%{}", if i == 0 { " " } else { ", " }, a.0);
        }
        let _ = writeln!(out, " : {}", node.ty);
    }
    let results: Vec<String> = graph.outputs.iter().map(|o| format!("{} %{}", quoted(&o.name), o.value.0)).collect();
    let _ = write!(out, "{pad}  return {}\n{pad}}}\n", results.join(", "));
    out
}

/// The symbols of that backing that the graph mentions.
fn symbols_of(graph: &Graph, backing: Backing) -> BTreeSet<Symbol> {
    fn visit_type(ty: &Type, visit: &mut dyn FnMut(&Symbol)) {
        match ty {
            Type::Tensor(t) => t.shape.iter().for_each(|d| d.symbols(visit)),
            Type::Tuple(parts) => parts.iter().for_each(|t| visit_type(t, visit)),
            Type::Foreign(_) => {}
        }
    }
    let mut found = BTreeSet::new();
    let mut see = |s: &Symbol| {
        if graph.tables.symbols.info(s).backing == backing {
            found.insert(s.clone());
        }
    };
    for node in graph.nodes() {
        visit_type(&node.ty, &mut see);
        node.op.each_dim(&mut |d| d.symbols(&mut see));
    }
    found
}

fn dense_text(id: u32, tables: &Tables, large: Large) -> String {
    match (tables.consts.get(id as usize), large) {
        (Some(t), _) if t.len() <= Tables::SMALL => small_tensor_text(t),
        (Some(t), Large::Written) => {
            let dims: Vec<String> = t.shape().iter().map(usize::to_string).collect();
            format!("{}[{}] \"{}\"", t.dtype(), dims.join(","), data::encode(t.bytes()))
        }
        _ => id.to_string(),
    }
}

/// The text of a graph.
pub fn print(graph: &Graph) -> String {
    print_indented(graph, 0)
}

/// The text of a graph with all its constants: a complete model.
pub fn print_whole(graph: &Graph) -> String {
    print_with(graph, 0, Large::Written)
}

/// The text of a program: its frame, buffers, steps with their bodies, inputs and outputs. Values of constants are not
/// part of it.
pub fn print_program(program: &Program) -> String {
    let mut out = String::new();
    program::write(&mut out, program, 0);
    out
}
