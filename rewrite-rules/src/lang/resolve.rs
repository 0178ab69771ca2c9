//! From unresolved rules to rules: names looked up in the tables, sorts of variables inferred from the places they stand
//! in, omitted attributes bound on the left and copied on the right.

use std::sync::Arc;

use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::call::GeluForm;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Monoid, ScatterOp, SortOrder};
use egret_ir::text::{parse_attr, sorts};
use egret_ir::{DType, Literal};

use super::attr_fns::{ArgSort, AttrFn};
use super::error::{Problem, Span};
use super::parse::{Expr, Form, RawRule, Test};
use super::{
    AttrPat, AttrSort, Condition, HeadPat, NodePat, Pat, Place, Rule, Sort, Term, Var, VarId, Vocabulary,
    attr_sort_name,
};

/// Problems found.
pub type Problems = Vec<(Span, Problem)>;

/// Operands of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Just(usize),
    Any,
}

struct Kind {
    head: HeadPat,
    attrs: Vec<AttrSort>,
    operands: Operands,
    /// Children taken by the head itself (the function of a map …).
    taken: usize,
}

/// Resolves one direction of a rule.
pub struct Resolver<'a> {
    vars: Vec<Var>,
    /// Nodes of the left side that omit attributes: kind, first omitted attribute, variables.
    omitted: Vec<(String, usize, Vec<VarId>)>,
    /// Whether the left side is being read.
    binding: bool,
    /// Position within the ellipses of the left side: the variables of the current one.
    group: Option<Vec<VarId>>,
    groups: Vec<Vec<VarId>>,
    words: Vocabulary,
    problems: &'a mut Problems,
}

/// One direction of a rule, without its samples; None where there were problems.
pub fn resolve(
    raw: &RawRule,
    back: bool,
    file: &Arc<str>,
    text: &str,
    words: Vocabulary,
    problems: &mut Problems,
) -> Option<Rule> {
    let before = problems.len();
    let (left, right) = if back { (&raw.rhs, &raw.lhs) } else { (&raw.lhs, &raw.rhs) };
    let mut r = Resolver {
        vars: Vec::new(),
        omitted: Vec::new(),
        binding: true,
        group: None,
        groups: Vec::new(),
        words,
        problems,
    };
    let lhs = match r.pat(left, false) {
        Some(Pat::Node(n)) => Some(*n),
        Some(_) => {
            r.problems.push((left.span.clone(), Problem::LeftSide));
            None
        }
        None => None,
    };
    // Without a left side it is not known what the right side and the conditions may name.
    let lhs = lhs?;
    r.binding = false;
    let rhs = r.pat(right, false);
    let (mut only_known, mut profit) = (false, Vec::new());
    for t in &raw.profit {
        if t.name == "known" && t.args.is_empty() && !t.negated {
            only_known = true;
        } else {
            profit.extend(r.condition(t));
        }
    }
    let conditions: Vec<Condition> = raw.conditions.iter().filter_map(|t| r.condition(t)).collect();
    let (vars, groups) = (r.vars, r.groups);
    if problems.len() > before {
        return None;
    }
    let rhs = rhs?;
    let name = if back { format!("{}-back", raw.name.0) } else { raw.name.0.clone() };
    let splat_lists = !groups.is_empty() && only_movements(&lhs) && right_moves_only(&rhs);
    Some(Rule {
        name: name.into(),
        text: text.into(),
        place: Place { file: file.clone(), line: raw.name.1.line },
        phase: raw.phase,
        numeric: raw.numeric,
        cite: raw.cite.clone().unwrap_or_default().into(),
        vars,
        lhs,
        rhs,
        conditions,
        profit,
        only_known,
        splat_lists,
        groups,
        tries: Vec::new(),
        nots: Vec::new(),
    })
}

/// Whether every template of an ellipsis is one movement of a list variable, or the variable.
fn only_movements(n: &NodePat) -> bool {
    n.args.iter().all(|a| match a {
        Pat::Each(each) => match each.as_ref() {
            Pat::Var(_) => true,
            Pat::Node(t) => {
                let moves =
                    matches!(t.head, HeadPat::Is(Head::Permute | Head::Reshape | Head::Broadcast | Head::Slice));
                moves
                    && matches!(t.args.as_slice(), [Pat::Var(_)])
                    && !t.attrs.iter().any(|a| matches!(a, AttrPat::Value(_)))
            }
            Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => false,
        },
        Pat::Node(inner) => only_movements(inner),
        Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) => true,
    }) && (matches!(n.head, HeadPat::AnyMap(_) | HeadPat::Is(Head::Map(_)))
        || n.args.iter().all(|a| !matches!(a, Pat::Each(_))))
}

fn right_moves_only(p: &Pat) -> bool {
    match p {
        Pat::Node(n) => only_movements(n),
        Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) => true,
        Pat::Each(_) => false,
    }
}

impl Resolver<'_> {
    fn fail<T>(&mut self, span: &Span, problem: Problem) -> Option<T> {
        self.problems.push((span.clone(), problem));
        None
    }

    /// The variable of that name, of that sort; bound here while the left side is read.
    fn var(&mut self, shown: &str, name: &str, list: bool, sort: Sort, span: &Span, inside: bool) -> Option<VarId> {
        if list && !inside {
            return self.fail(span, Problem::List(shown.to_owned()));
        }
        if let Some(i) = self.vars.iter().position(|v| v.name == name && v.list == list) {
            let first = self.vars[i].sort;
            if first != sort {
                let problem = Problem::TwoSorts { name: shown.to_owned(), first: first.name(), second: sort.name() };
                return self.fail(span, problem);
            }
            let id = VarId(i as u16);
            if self.binding && list && !self.group.as_ref().is_some_and(|g| g.contains(&id)) {
                return self.fail(span, Problem::List(shown.to_owned()));
            }
            return Some(id);
        }
        if !self.binding {
            return self.fail(span, Problem::Unbound(shown.to_owned()));
        }
        self.vars.push(Var { name: name.to_owned(), sort, list });
        let id = VarId(self.vars.len() as u16 - 1);
        if list && let Some(g) = &mut self.group {
            g.push(id);
        }
        Some(id)
    }

    /// An operand position; `inside` an ellipsis or not.
    fn pat(&mut self, e: &Expr, inside: bool) -> Option<Pat> {
        match &e.form {
            Form::Var(v) => self.var(&format!("?{v}"), v, false, Sort::Operand, &e.span, inside).map(Pat::Var),
            Form::ListVar(v) => self.var(&format!("??{v}"), v, true, Sort::Operand, &e.span, inside).map(Pat::Var),
            Form::SplatVar(v) => self.var(&format!("%{v}"), v, false, Sort::Splat, &e.span, inside).map(Pat::Var),
            Form::Number(n) => match n.parse::<f64>() {
                Ok(x) => Some(Pat::Number(x)),
                Err(_) => self.fail(&e.span, Problem::Expected { expected: "a plain number", found: format!("`{n}`") }),
            },
            Form::Call(name, args) => {
                if self.binding {
                    return self.fail(&e.span, Problem::Computed);
                }
                let (f, args) = self.call(name, args, &e.span, inside)?;
                let result = f.result;
                if !matches!(result, Sort::Operand | Sort::Splat | Sort::Attr(AttrSort::Literal)) {
                    return self.fail(&e.span, Problem::WrongSort { expected: "an operand".to_owned() });
                }
                Some(Pat::Computed(AttrPat::Call(f, args)))
            }
            Form::Word(w) => self.fail(&e.span, Problem::Expected { expected: "an operand", found: format!("`{w}`") }),
            Form::Raw(w) => self.fail(&e.span, Problem::Expected { expected: "an operand", found: format!("`{w}`") }),
            Form::Node(children) => self.node(e, children, inside).map(|n| Pat::Node(Box::new(n))),
        }
    }

    fn kind(&mut self, children: &[Expr], span: &Span) -> Option<Kind> {
        let Some(first) = children.first() else {
            return self.fail(span, Problem::Expected { expected: "a kind", found: "`()`".to_owned() });
        };
        let Form::Word(word) = &first.form else {
            return self
                .fail(&first.span, Problem::Expected { expected: "a kind", found: "something else".to_owned() });
        };
        let is = |head: Head, operands: Operands, taken: usize| {
            let attrs = sorts(&head).to_vec();
            Some(Kind { head: HeadPat::Is(head), attrs, operands, taken })
        };
        let one = Operands::Just(1);
        match word.as_str() {
            "permute" => is(Head::Permute, one, 0),
            "reshape" => is(Head::Reshape, one, 0),
            "broadcast" => is(Head::Broadcast, one, 0),
            "slice" => is(Head::Slice, one, 0),
            "pad" => is(Head::Pad, Operands::Just(2), 0),
            "concat" => is(Head::Concat, Operands::Any, 0),
            "gather" => is(Head::Gather, Operands::Just(2), 0),
            "iota" => is(Head::Iota, Operands::Just(0), 0),
            "dim" => is(Head::Dim, Operands::Just(0), 0),
            "contract" => is(Head::Contract, Operands::Just(2), 0),
            "softmax" => is(Head::Softmax, one, 0),
            "log_softmax" => is(Head::LogSoftmax, one, 0),
            "layer_norm" => is(Head::LayerNorm, Operands::Just(3), 0),
            "rms_norm" => is(Head::RmsNorm, Operands::Just(2), 0),
            "gelu_erf" => is(Head::Gelu(GeluForm::Erf), one, 0),
            "gelu_tanh" => is(Head::Gelu(GeluForm::Tanh), one, 0),
            "cast" => Some(Kind { head: HeadPat::Cast, attrs: vec![AttrSort::DType], operands: one, taken: 0 }),
            "scatter" => {
                let ops = [
                    ("set", ScatterOp::Set),
                    ("add", ScatterOp::Add),
                    ("mul", ScatterOp::Mul),
                    ("max", ScatterOp::Max),
                    ("min", ScatterOp::Min),
                ];
                let op = self.choice(children, span, &ops)?;
                is(Head::Scatter(op), Operands::Just(3), 1)
            }
            "argsort" => {
                let orders = [("ascending", SortOrder::Ascending), ("descending", SortOrder::Descending)];
                let order = self.choice(children, span, &orders)?;
                is(Head::ArgSort(order), one, 1)
            }
            "map" => match children.get(1).map(|c| (&c.form, &c.span)) {
                Some((Form::Var(v), at)) => {
                    let f = self.var(&format!("?{v}"), v, false, Sort::Function, at, false)?;
                    Some(Kind { head: HeadPat::AnyMap(f), attrs: vec![], operands: Operands::Any, taken: 1 })
                }
                Some((Form::Word(w), at)) => match Scalar::from_name(w, None) {
                    Some(f) => is(Head::Map(f), Operands::Just(f.arity()), 1),
                    None => self.fail(at, Problem::UnknownFunction(w.clone())),
                },
                _ => self.fail(span, Problem::Expected { expected: "a function", found: "something else".to_owned() }),
            },
            "reduce" => match children.get(1).map(|c| (&c.form, &c.span)) {
                Some((Form::Var(v), at)) => {
                    let m = self.var(&format!("?{v}"), v, false, Sort::Monoid, at, false)?;
                    let attrs = sorts(&Head::Reduce(Monoid::Sum)).to_vec();
                    Some(Kind { head: HeadPat::AnyReduce(m), attrs, operands: one, taken: 1 })
                }
                Some((Form::Word(w), at)) => match Monoid::ALL.iter().find(|m| m.name() == w) {
                    Some(m) => is(Head::Reduce(*m), one, 1),
                    None => self.fail(at, Problem::UnknownMonoid(w.clone())),
                },
                _ => self.fail(span, Problem::Expected { expected: "a fold", found: "something else".to_owned() }),
            },
            _ => self.fail(&first.span, Problem::UnknownKind(word.clone())),
        }
    }

    fn choice<T: Copy>(&mut self, children: &[Expr], span: &Span, choices: &[(&str, T)]) -> Option<T> {
        let found = match children.get(1).map(|c| &c.form) {
            Some(Form::Word(w)) => choices.iter().find(|(n, _)| n == w).map(|(_, t)| *t),
            _ => None,
        };
        if found.is_none() {
            let expected = choices.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(" or ");
            return self.fail(span, Problem::WrongSort { expected });
        }
        found
    }

    fn node(&mut self, e: &Expr, children: &[Expr], inside: bool) -> Option<NodePat> {
        let kind = self.kind(children, &e.span)?;
        let Form::Word(word) = &children[0].form else { return None };
        let rest = &children[1 + kind.taken..];
        let given = match kind.operands {
            Operands::Any => kind.attrs.len().min(rest.len()),
            Operands::Just(n) => rest.len().saturating_sub(n),
        };
        let enough = match kind.operands {
            Operands::Any => rest.len() > kind.attrs.len(),
            Operands::Just(n) => rest.len() >= n && given <= kind.attrs.len(),
        };
        if !enough {
            let expected = match kind.operands {
                Operands::Any => format!("{} attributes and operands", kind.attrs.len()),
                Operands::Just(n) => format!("up to {} attributes and {n} operands", kind.attrs.len()),
            };
            return self.fail(&e.span, Problem::Arity { of: word.clone(), expected, got: rest.len() });
        }
        let mut attrs = Vec::with_capacity(kind.attrs.len());
        let mut ok = true;
        for (a, sort) in rest[..given].iter().zip(&kind.attrs) {
            match self.attr(a, *sort, inside) {
                Some(a) => attrs.push(a),
                None => ok = false,
            }
        }
        if given < kind.attrs.len() {
            let copied = self.omit(word, given, &kind.attrs, &e.span)?;
            attrs.extend(copied.into_iter().map(AttrPat::Var));
        }
        let operands = &rest[given..];
        let mut args = Vec::with_capacity(operands.len());
        for (i, a) in operands.iter().enumerate() {
            let last = i + 1 == operands.len();
            if a.each && (kind.operands != Operands::Any || inside || (self.binding && !last)) {
                self.problems.push((a.span.clone(), Problem::Ellipsis));
                ok = false;
                continue;
            }
            let number = matches!(a.form, Form::Number(_) | Form::SplatVar(_) | Form::Call(..));
            let takes_numbers = matches!(word.as_str(), "map" | "concat" | "pad");
            if number
                && !self.binding
                && !takes_numbers
                && !matches!(&a.form, Form::Call(f, _) if self.words.function(f).is_ok_and(|f| f.result == Sort::Operand))
            {
                self.problems.push((a.span.clone(), Problem::NumberPlace));
                ok = false;
                continue;
            }
            let pat = if a.each {
                if self.binding {
                    self.group = Some(Vec::new());
                }
                let p = self.pat(a, true);
                if let Some(g) = self.group.take() {
                    self.groups.push(g);
                }
                p.map(|p| Pat::Each(Box::new(p)))
            } else {
                self.pat(a, inside)
            };
            match pat {
                Some(p) => args.push(p),
                None => ok = false,
            }
        }
        ok.then_some(NodePat { head: kind.head, attrs, args })
    }

    /// Variables for attributes left out: fresh on the left, those of the only such node on the right.
    fn omit(&mut self, word: &str, given: usize, attrs: &[AttrSort], span: &Span) -> Option<Vec<VarId>> {
        if self.binding {
            let base = self.omitted.iter().filter(|(w, _, _)| w == word).count();
            let mut ids = Vec::new();
            for (i, sort) in attrs.iter().enumerate().skip(given) {
                let name = if base == 0 { format!("{word}_{i}") } else { format!("{word}{base}_{i}") };
                self.vars.push(Var { name, sort: Sort::Attr(*sort), list: false });
                ids.push(VarId(self.vars.len() as u16 - 1));
            }
            self.omitted.push((word.to_owned(), given, ids.clone()));
            return Some(ids);
        }
        let mut same = self.omitted.iter().filter(|(w, g, _)| w == word && *g == given);
        match (same.next().cloned(), same.next()) {
            (Some((_, _, ids)), None) => Some(ids),
            _ => self.fail(span, Problem::Ambiguous(word.to_owned())),
        }
    }

    fn attr(&mut self, e: &Expr, sort: AttrSort, inside: bool) -> Option<AttrPat> {
        match &e.form {
            Form::Var(v) => self.var(&format!("?{v}"), v, false, Sort::Attr(sort), &e.span, inside).map(AttrPat::Var),
            Form::ListVar(v) => {
                self.var(&format!("??{v}"), v, true, Sort::Attr(sort), &e.span, inside).map(AttrPat::Var)
            }
            Form::Call(name, args) => {
                if self.binding {
                    return self.fail(&e.span, Problem::Computed);
                }
                let (f, args) = self.call(name, args, &e.span, inside)?;
                let result = f.result;
                let fits = result == Sort::Attr(sort) || (sort == AttrSort::Literal && result == Sort::Splat);
                if !fits {
                    return self.fail(&e.span, Problem::WrongSort { expected: attr_sort_name(sort).to_owned() });
                }
                Some(AttrPat::Call(f, args))
            }
            Form::Raw(text) | Form::Word(text) | Form::Number(text) => match parse_attr(text, sort) {
                Ok(a) => Some(AttrPat::Value(a)),
                Err(p) => {
                    let problem = Problem::Value { expected: attr_sort_name(sort), problem: p.problem };
                    self.fail(&e.span, problem)
                }
            },
            Form::SplatVar(_) | Form::Node(_) => {
                self.fail(&e.span, Problem::WrongSort { expected: attr_sort_name(sort).to_owned() })
            }
        }
    }

    fn call(&mut self, name: &str, args: &[Expr], span: &Span, inside: bool) -> Option<(&'static AttrFn, Vec<Term>)> {
        let f = match self.words.function(name) {
            Ok(f) => f,
            Err(problem) => return self.fail(span, problem),
        };
        let terms = self.terms(name, f.args, args, span, inside)?;
        Some((f, terms))
    }

    fn condition(&mut self, t: &Test) -> Option<Condition> {
        let def = match self.words.condition(&t.name) {
            Ok(def) => def,
            Err(problem) => return self.fail(&t.span, problem),
        };
        let args = self.terms(&t.name, def.args, &t.args, &t.span, false)?;
        Some(Condition { def, args, negated: t.negated })
    }

    fn terms(&mut self, of: &str, wanted: &[ArgSort], args: &[Expr], span: &Span, inside: bool) -> Option<Vec<Term>> {
        if wanted.len() != args.len() {
            let expected = format!("{} arguments", wanted.len());
            return self.fail(span, Problem::Arity { of: of.to_owned(), expected, got: args.len() });
        }
        let terms: Vec<Option<Term>> = wanted.iter().zip(args).map(|(w, a)| self.term(*w, a, inside)).collect();
        terms.into_iter().collect()
    }

    fn term(&mut self, wanted: ArgSort, e: &Expr, inside: bool) -> Option<Term> {
        let wrong = |r: &mut Self| {
            let expected = match wanted {
                ArgSort::One(s) => s.name().to_owned(),
                ArgSort::List(s) => format!("a list ({})", s.name()),
                ArgSort::Number => "a whole number".to_owned(),
                ArgSort::Word => "a word".to_owned(),
            };
            r.fail(&e.span, Problem::WrongSort { expected })
        };
        match (&e.form, wanted) {
            (Form::Number(n), ArgSort::Number) => match n.parse() {
                Ok(n) => Some(Term::Number(n)),
                Err(_) => wrong(self),
            },
            // An element that is only compared has no type of its own.
            (Form::Number(n), ArgSort::One(Sort::Splat)) => match n.parse::<f64>() {
                Ok(x) => Some(Term::Attr(Attr::Literal(Literal::from_f64(DType::F64, x)))),
                Err(_) => wrong(self),
            },
            (Form::Word(w), ArgSort::Word) => Some(Term::Word(w.clone())),
            (Form::Word(w), ArgSort::One(Sort::Attr(AttrSort::DType))) if w.parse::<DType>().is_ok() => {
                Some(Term::Attr(Attr::DType(w.parse().ok()?)))
            }
            (Form::Call(name, args), ArgSort::One(sort)) => {
                let (f, args) = self.call(name, args, &e.span, inside)?;
                if f.result == sort { Some(Term::Call(f, args)) } else { wrong(self) }
            }
            (Form::Var(_) | Form::ListVar(_) | Form::SplatVar(_), ArgSort::One(_) | ArgSort::List(_)) => {
                let (name, shown, list) = match &e.form {
                    Form::ListVar(v) => (v, format!("??{v}"), true),
                    Form::SplatVar(v) => (v, format!("%{v}"), false),
                    Form::Var(v) => (v, format!("?{v}"), false),
                    _ => return wrong(self),
                };
                let Some(i) = self.vars.iter().position(|v| v.name == *name && v.list == list) else {
                    return self.fail(&e.span, Problem::Unbound(shown));
                };
                let sort = self.vars[i].sort;
                let fits = match wanted {
                    ArgSort::One(s) => s == sort && (!list || inside),
                    ArgSort::List(s) => s == sort && list && !inside,
                    ArgSort::Number | ArgSort::Word => false,
                };
                if fits { Some(Term::Var(VarId(i as u16))) } else { wrong(self) }
            }
            _ => wrong(self),
        }
    }
}
