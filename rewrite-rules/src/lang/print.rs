//! Rules as they are written: what `load` reads.

use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::call::GeluForm;
use egret_ir::op::{ScatterOp, SortOrder};
use egret_ir::text::attr_text;

use super::{AttrPat, Condition, HeadPat, NodePat, Pat, Rule, Sort, Term, Var};

/// `name : left => right  if CONDITIONS  when CONDITIONS`.
pub fn rule_text(rule: &Rule) -> String {
    let p = Printer { vars: &rule.vars };
    let list = |conditions: &[Condition]| conditions.iter().map(|c| p.condition(c)).collect::<Vec<_>>().join(", ");
    let mut out = format!("{} : {} => {}", rule.name, p.node(&rule.lhs), p.pat(&rule.rhs));
    if !rule.conditions.is_empty() {
        out.push_str(&format!("  if {}", list(&rule.conditions)));
    }
    let known = if rule.only_known { Some("known".to_owned()) } else { None };
    let profit = if rule.profit.is_empty() { None } else { Some(list(&rule.profit)) };
    let when: Vec<String> = known.into_iter().chain(profit).collect();
    if !when.is_empty() {
        out.push_str(&format!("  when {}", when.join(", ")));
    }
    out
}

/// A condition as it stands in the rule.
pub fn condition_text(rule: &Rule, c: &Condition) -> String {
    Printer { vars: &rule.vars }.condition(c)
}

/// An argument of a condition or an attribute function.
pub fn term_text(rule: &Rule, t: &Term) -> String {
    Printer { vars: &rule.vars }.term(t)
}

/// A variable as it is written.
pub fn variable(var: &Var) -> String {
    let prefix = match (var.list, var.sort) {
        (true, _) => "??",
        (false, Sort::Splat) => "%",
        (false, Sort::Operand | Sort::Attr(_) | Sort::Function | Sort::Monoid) => "?",
    };
    format!("{prefix}{}", var.name)
}

struct Printer<'a> {
    vars: &'a [Var],
}

impl Printer<'_> {
    fn condition(&self, c: &Condition) -> String {
        let not = if c.negated { "not " } else { "" };
        format!("{not}{}({})", c.def.name, self.terms(&c.args))
    }

    fn terms(&self, terms: &[Term]) -> String {
        terms.iter().map(|t| self.term(t)).collect::<Vec<_>>().join(", ")
    }

    fn term(&self, t: &Term) -> String {
        match t {
            Term::Var(v) => variable(&self.vars[v.index()]),
            Term::Number(n) => n.to_string(),
            Term::Word(w) => w.clone(),
            // Fractions in the arguments of conditions have no type of their own.
            Term::Attr(Attr::Literal(l)) => format!("{:?}", l.to_f64()),
            Term::Attr(a) => attr_text(a),
            Term::Call(f, args) => format!("{}({})", f.name, self.terms(args)),
        }
    }

    fn attr(&self, a: &AttrPat) -> String {
        match a {
            AttrPat::Var(v) => variable(&self.vars[v.index()]),
            AttrPat::Value(a) => attr_text(a),
            AttrPat::Call(f, args) => format!("{}({})", f.name, self.terms(args)),
        }
    }

    fn pat(&self, p: &Pat) -> String {
        match p {
            Pat::Var(v) => variable(&self.vars[v.index()]),
            Pat::Number(x) => number(*x),
            Pat::Computed(a) => self.attr(a),
            Pat::Each(p) => format!("{}...", self.pat(p)),
            Pat::Node(n) => self.node(n),
        }
    }

    fn node(&self, n: &NodePat) -> String {
        let head = match &n.head {
            HeadPat::Is(h) => head_text(h),
            HeadPat::AnyMap(v) => format!("map {}", variable(&self.vars[v.index()])),
            HeadPat::Cast => "cast".to_owned(),
            HeadPat::AnyReduce(v) => format!("reduce {}", variable(&self.vars[v.index()])),
        };
        let attrs = n.attrs.iter().map(|a| self.attr(a));
        let args = n.args.iter().map(|p| self.pat(p));
        format!("({})", std::iter::once(head).chain(attrs).chain(args).collect::<Vec<_>>().join(" "))
    }
}

/// A number as rules write it: without a type.
fn number(x: f64) -> String {
    attr_text(&Attr::Literal(egret_ir::Literal::from_f64(egret_ir::DType::F64, x))).trim_end_matches("f64").to_owned()
}

fn head_text(h: &Head) -> String {
    let word = match h {
        Head::Input(_) => "input",
        Head::Scalar(_) | Head::Dense(_) => "const",
        Head::Dim => "dim",
        Head::Iota => "iota",
        Head::Permute => "permute",
        Head::Reshape => "reshape",
        Head::Broadcast => "broadcast",
        Head::Slice => "slice",
        Head::Pad => "pad",
        Head::Concat => "concat",
        Head::Gather => "gather",
        Head::Scatter(ScatterOp::Set) => "scatter set",
        Head::Scatter(ScatterOp::Add) => "scatter add",
        Head::Scatter(ScatterOp::Mul) => "scatter mul",
        Head::Scatter(ScatterOp::Max) => "scatter max",
        Head::Scatter(ScatterOp::Min) => "scatter min",
        Head::Map(f) => return format!("map {f}"),
        Head::Reduce(m) => return format!("reduce {}", m.name()),
        Head::Contract => "contract",
        Head::ArgSort(SortOrder::Ascending) => "argsort ascending",
        Head::ArgSort(SortOrder::Descending) => "argsort descending",
        Head::If(..) => "if",
        Head::Loop(_) => "loop",
        Head::Softmax => "softmax",
        Head::LogSoftmax => "log_softmax",
        Head::LayerNorm => "layer_norm",
        Head::RmsNorm => "rms_norm",
        Head::Gelu(GeluForm::Erf) => "gelu_erf",
        Head::Gelu(GeluForm::Tanh) => "gelu_tanh",
        Head::Recurrent(_) => "recurrent",
        Head::Resize(_) => "resize",
        Head::Det => "det",
        Head::NonMaxSuppression(_) => "nms",
        Head::Opaque(_) => "opaque",
        Head::Proj(_) => "proj",
    };
    word.to_owned()
}
