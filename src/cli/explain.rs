//! `egret explain`.

use std::fmt::Write as _;
use std::path::PathBuf;

use egret::explain::{Explained, Explanation, NearReport};
use egret_rules::engine::near::Miss;

use super::Outcome;
use super::args::{Rewriting, Shapes};
use super::output::Output;

/// Say why the optimized model looks as it does, or why a rule did not fire.
#[derive(clap::Args)]
pub struct Args {
    /// The model: ONNX, TFLite, or Egret's text form
    model: PathBuf,
    /// A node or value of the model or of the result; all nodes of the result without it
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// List the places where this rule nearly fired, and what was missing
    #[arg(long, value_name = "RULE", conflicts_with = "node")]
    near: Option<String>,
    /// List at most so many near matches
    #[arg(long, value_name = "N", default_value_t = 50, requires = "near")]
    limit: usize,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    rewriting: Rewriting,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    let options = egret::OptimizeOptions {
        binding: a.shapes.binding()?,
        numeric: a.rewriting.numeric(),
        rule_files: a.rewriting.rules.clone(),
        unchecked_rules: a.rewriting.unchecked_rules,
        ..egret::OptimizeOptions::default()
    };
    if let Some(rule) = &a.near {
        let report = egret::explain::near(&a.model, &options, rule, a.limit, &|s| out.step(s))?;
        out.result(a.json, &report, || near_text(&report));
        return Ok(Outcome::Done);
    }
    let traced = egret::explain::trace(&a.model, &options, &|s| out.step(s))?;
    let explanation = egret::explain::explain(&a.model, &traced, a.node.as_deref())?;
    out.result(a.json, &explanation, || text(&explanation));
    Ok(Outcome::Done)
}

fn text(e: &Explanation) -> String {
    let mut out = String::new();
    for v in &e.values {
        value_text(&mut out, v);
    }
    let _ = writeln!(
        out,
        "{} steps and {} congruences over {} times round; all of them replayed",
        e.steps, e.congruences, e.rounds
    );
    out
}

fn value_text(out: &mut String, v: &Explained) {
    let node = v.node.as_ref().map_or_else(String::new, |n| format!(", by {n}"));
    let _ = match &v.original {
        Some(old) if *old == v.value => writeln!(out, "`{}`{node}", v.value),
        Some(old) => writeln!(out, "`{}`{node}: was `{old}`", v.value),
        None => writeln!(out, "`{}`{node}: new", v.value),
    };
    let from = if v.from.is_empty() { "no node of the model".to_owned() } else { v.from.join(", ") };
    let _ = if v.unchanged { writeln!(out, "  as it came: {from}") } else { writeln!(out, "  from {from}") };
    for (new, old) in &v.operands {
        let _ = if new == old {
            writeln!(out, "  reads `{new}`, which changed")
        } else {
            writeln!(out, "  reads `{new}` for `{old}`")
        };
    }
    for (i, s) in v.steps.iter().enumerate() {
        let _ = writeln!(
            out,
            "  {}. {} ({}, {}; time round {}): {}",
            i + 1,
            s.rule,
            s.class.name(),
            s.place,
            s.round,
            s.cite
        );
        let _ = writeln!(out, "       {}\n     = {}", s.left, s.right);
    }
    out.push('\n');
}

fn near_text(r: &NearReport) -> String {
    let mut out = format!("{}: {}\n{}\nmatches where everything holds: {}\n", r.place, r.rule, r.text, r.fires);
    for n in &r.near {
        let at = n.value.as_ref().map_or_else(|| "a value without a name".to_owned(), |v| format!("`{v}`"));
        let from = if n.from.is_empty() { String::new() } else { format!(" ({})", n.from.join(", ")) };
        let _ = writeln!(out, "at {at}{from}:");
        let _ = match &n.miss {
            Miss::Class { rule, allowed } => {
                writeln!(out, "  the rule is {}, only {} may run (--numeric)", rule.name(), allowed.name())
            }
            Miss::Constant => writeln!(out, "  the value is a constant, which is folded in the end"),
            Miss::Condition { condition, profit, saw } => {
                let for_what = if *profit { "for profit" } else { "for truth" };
                writeln!(out, "  condition `{condition}` ({for_what}) is false: {}", saw.join(", "))
            }
            Miss::RightSide(why) => writeln!(out, "  the right side cannot be built: {why}"),
            Miss::Head { expected, found } => {
                writeln!(out, "  head differs: expected `{expected}`, found {}", found.join(" or "))
            }
        };
    }
    if r.left_out > 0 {
        let _ = writeln!(out, "{} more near matches are left out (--limit)", r.left_out);
    }
    if r.more {
        out.push_str("there were more matches of the pattern than were looked at\n");
    }
    out
}
