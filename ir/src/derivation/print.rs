//! Derivations as text, for people.

use std::fmt::{self, Write as _};

use super::{Derivation, Entry, Step};
use crate::graph::ValueId;
use crate::op::{Const, Op};
use crate::text::op_text;

/// Sides of more nodes than this are cut off.
const NODES: usize = 48;

impl Derivation {
    /// A term down to `leaves`, written with operands in parentheses. `name` tells what leaves are called; others are
    /// `%n`. Long terms are cut off with `…`.
    pub fn term_text(&self, term: ValueId, leaves: &[ValueId], name: &dyn Fn(ValueId) -> Option<String>) -> String {
        let mut out = String::new();
        let mut left = NODES;
        self.write_term(&mut out, term, leaves, name, &mut left);
        out
    }

    fn write_term(
        &self,
        out: &mut String,
        term: ValueId,
        leaves: &[ValueId],
        name: &dyn Fn(ValueId) -> Option<String>,
        left: &mut usize,
    ) {
        let graph = self.terms.graph();
        let node = graph.node(term);
        let literal = |v: ValueId| match &graph.node(v).op {
            Op::Const(Const::Scalar(l)) => Some(*l),
            _ => None,
        };
        if let Some(l) = literal(term) {
            let _ = write!(out, "{l}");
            return;
        }
        if leaves.contains(&term) || matches!(node.op, Op::Input(_) | Op::Const(_)) || *left == 0 {
            match name(term) {
                Some(n) => out.push_str(&n),
                None if *left == 0 && !leaves.contains(&term) => out.push('…'),
                None => match &node.op {
                    Op::Input(i) => out.push_str(&graph.inputs[*i as usize].name),
                    Op::Const(_) => {
                        let _ = write!(out, "const %{} {}", term.0, node.ty);
                    }
                    // A splat is its element, wherever it stands.
                    Op::Broadcast(_) => match literal(node.args[0]) {
                        Some(l) => drop(write!(out, "{l}")),
                        None => drop(write!(out, "%{}", term.0)),
                    },
                    _ => drop(write!(out, "%{}", term.0)),
                },
            }
            return;
        }
        *left -= 1;
        if node.args.is_empty() {
            out.push_str(&op_text(&node.op, &graph.tables));
            return;
        }
        out.push('(');
        out.push_str(&op_text(&node.op, &graph.tables));
        for a in &node.args {
            out.push(' ');
            self.write_term(out, *a, leaves, name, left);
        }
        out.push(')');
    }

    /// A step in two lines: rule, class and place; both sides.
    pub fn step_text(&self, step: &Step, name: &dyn Fn(ValueId) -> Option<String>) -> String {
        let r = self.reason_of(step);
        let left = self.term_text(step.left, &step.leaves, name);
        let right = self.term_text(step.right, &step.leaves, name);
        format!("{} ({}, {}): {left}\n      =  {right}", r.name, r.numeric.name(), r.place)
    }
}

impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, entry) in self.entries.iter().enumerate() {
            let number = i + 1;
            match entry {
                Entry::Step(s) => writeln!(f, "{number:>4}. {}", self.step_text(s, &|_| None))?,
                Entry::Congruence { left, right } => {
                    writeln!(f, "{number:>4}. congruence: %{} = %{}", left.0, right.0)?;
                }
            }
        }
        for g in &self.goals {
            writeln!(f, "so `{}`: %{} = %{}", g.name, g.original.0, g.chosen.0)?;
        }
        Ok(())
    }
}
