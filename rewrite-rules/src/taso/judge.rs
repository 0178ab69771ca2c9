//! Whether a substitution is right: by normal forms for all extents, else by values at small ones.

use std::fmt::Write as _;

use egret_ir::graph::{Graph, ValueId};
use egret_ir::op::{Const, Op};
use egret_ir::{Dim, text};

use super::file::Substitution;
use super::graphs::{names, sides};
use super::shapes::{ShapeProblem, solve};
use crate::lang::Numeric;
use crate::rulecheck::compare::compare;
use crate::rulecheck::prove::{Laws, same_element};

/// What a substitution is.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The same bits for all extents and elements: proved.
    Exact,
    /// The same real values for all extents and elements: proved.
    Reassociates,
    /// Equal at the values tried; no proof was found.
    Tested,
    /// Values for which the sides differ.
    Wrong(String),
    /// No shapes under which both sides have types.
    Shapeless(String),
}

/// A judged substitution.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Judged {
    /// Its index in the file.
    pub index: usize,
    /// Equalities in this compiler's notation: source and target of each result.
    pub equalities: Vec<(String, String)>,
    /// The verdict.
    pub verdict: Verdict,
    /// What was taken for granted.
    pub assumed: Vec<String>,
}

/// Judges a substitution.
pub fn judge(index: usize, s: &Substitution) -> Judged {
    let mut out = Judged { index, equalities: Vec::new(), verdict: Verdict::Tested, assumed: Vec::new() };
    let shapes = match solve(s) {
        Ok(shapes) => shapes,
        Err(problem @ (ShapeProblem::Rank(..) | ShapeProblem::Extents)) => {
            out.verdict = Verdict::Shapeless(problem.to_string());
            return out;
        }
    };
    out.assumed.clone_from(&shapes.assumed);
    let named = names(s, &shapes);
    let naming = |u| named.get(&u).cloned().unwrap_or(Dim::ONE);
    let built = match sides(s, &shapes, &naming) {
        Ok(built) => built,
        Err(e) => {
            out.verdict = Verdict::Shapeless(e.to_string());
            return out;
        }
    };
    let outputs = built.source.outputs.iter().zip(&built.target.outputs);
    out.equalities = outputs.map(|(a, b)| (shown(&built.source, a.value), shown(&built.target, b.value))).collect();
    let all = |laws| {
        let mut each = built.parts.iter().enumerate();
        each.all(|(i, parts)| same_element(&built.source, &built.target, i, parts, laws))
    };
    out.verdict = if all(Laws::Bits) {
        Verdict::Exact
    } else if all(Laws::Reals) {
        Verdict::Reassociates
    } else {
        // Unequal small extents, so that a wrong axis shows.
        let small = |u| match named.get(&u) {
            Some(d) if d.as_const().is_none() => Dim::from(2 + named.keys().position(|k| *k == u).unwrap_or(0) % 3),
            Some(d) => d.clone(),
            None => Dim::ONE,
        };
        values(s, &shapes, &small)
    };
    out
}

/// Compares values at given extents.
fn values(s: &Substitution, shapes: &super::shapes::Shapes, small: &dyn Fn(super::shapes::Unknown) -> Dim) -> Verdict {
    let Ok(built) = sides(s, shapes, small) else { return Verdict::Tested };
    for i in 0..built.parts.len() {
        let only = |g: &Graph| {
            let mut g = g.clone();
            g.outputs = vec![g.outputs[i].clone()];
            g
        };
        let found = compare(&only(&built.source), &only(&built.target), Numeric::Reassociates, false, 12);
        if let Some(d) = found.difference {
            return Verdict::Wrong(format!(
                "{} and {} at element {} of result {i}, for {}",
                d.left,
                d.right,
                d.element,
                d.inputs.join(" ")
            ));
        }
    }
    Verdict::Tested
}

/// A value in the notation of rules.
fn shown(graph: &Graph, v: ValueId) -> String {
    let node = graph.node(v);
    match &node.op {
        Op::Input(i) => format!("?{}", graph.inputs[*i as usize].name),
        // A number stands for a splat of itself.
        Op::Broadcast(_) if matches!(graph.node(node.args[0]).op, Op::Const(Const::Scalar(_))) => {
            shown(graph, node.args[0])
        }
        Op::Const(Const::Scalar(l)) => l.to_f64().to_string(),
        // One group is none.
        Op::Reshape(s) if *s == graph.ty(node.args[0]).as_tensor().map(|t| t.shape.clone()).unwrap_or_default() => {
            shown(graph, node.args[0])
        }
        op => {
            let args: Vec<String> = node.args.iter().map(|a| shown(graph, *a)).collect();
            format!("({} {})", text::op_text(op, &graph.tables), args.join(" "))
        }
    }
}

/// The page about a file of substitutions: counts, what was assumed, and a row for each.
pub fn markdown(judged: &[Judged]) -> String {
    let count = |f: &dyn Fn(&Verdict) -> bool| judged.iter().filter(|j| f(&j.verdict)).count();
    let mut out = String::from("# TASO's substitutions, judged\n\n");
    let _ = write!(
        out,
        "Generated by `egret rules taso FILE --markdown` from the file of rules that TASO releases (`graph_subst.pb`), which \
         TENSAT uses, too. Of {} substitutions {} keep every bit and {} every real value, proved for all extents and elements \
         by normal forms; {} were only tested, {} are wrong, {} have no shapes.\n\n",
        judged.len(),
        count(&|v| *v == Verdict::Exact),
        count(&|v| *v == Verdict::Reassociates),
        count(&|v| *v == Verdict::Tested),
        count(&|v| matches!(v, Verdict::Wrong(_))),
        count(&|v| matches!(v, Verdict::Shapeless(_))),
    );
    out.push_str(
        "A substitution names no shapes; they follow from its operators. Letters are unknown extents. *Assumed* says what does \
         not follow: a split's sizes are those of the concat it undoes; a convolution whose input channels are a concat of \
         parts as wide as its weight's has one group a part; the rank is 2 where no operator says.\n\n",
    );
    out.push_str("| # | source | target | verdict | assumed |\n|---|---|---|---|---|\n");
    for j in judged {
        let verdict = match &j.verdict {
            Verdict::Exact => "exact".to_owned(),
            Verdict::Reassociates => "reassociates".to_owned(),
            Verdict::Tested => "tested".to_owned(),
            Verdict::Wrong(why) => format!("**wrong**: {why}"),
            Verdict::Shapeless(why) => format!("no shapes: {why}"),
        };
        let cell = |text: &str| text.replace('|', "\\|");
        let both = |pick: &dyn Fn(&(String, String)) -> &str| {
            let sides: Vec<String> = j.equalities.iter().map(|e| format!("`{}`", cell(pick(e)))).collect();
            sides.join("<br>")
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            j.index,
            both(&|e| &e.0),
            both(&|e| &e.1),
            cell(&verdict),
            j.assumed.join("; ")
        );
    }
    out
}
