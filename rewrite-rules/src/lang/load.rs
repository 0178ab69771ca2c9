//! Loading rule sets: the built-in files and the user's. All problems of all files are gathered.

use std::collections::BTreeMap;
use std::sync::Arc;

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::text::{parse_attr, parse_type};
use egret_ir::{DType, Tensor};

use super::error::{LoadError, Problem, Span};
use super::lex::{Kind, Token, lex};
use super::parse::{RawRule, Value, parse};
use super::resolve::resolve;
use super::{AttrSort, Numeric, Rule, RuleSet, Sample, Samples, Sort, Var, Vocabulary, attr_sort_name};
use crate::engine::apply::RuleRef;
use crate::engine::passes::PASSES;

/// The rule files that come with the crate.
pub static BUILTIN: &[(&str, &str)] = &[
    ("rules/shapes.rules", include_str!("../../rules/shapes.rules")),
    ("rules/algebra.rules", include_str!("../../rules/algebra.rules")),
    ("rules/bits.rules", include_str!("../../rules/bits.rules")),
    ("rules/casts.rules", include_str!("../../rules/casts.rules")),
    ("rules/reductions.rules", include_str!("../../rules/reductions.rules")),
    ("rules/contractions.rules", include_str!("../../rules/contractions.rules")),
    ("rules/convolutions.rules", include_str!("../../rules/convolutions.rules")),
    ("rules/quantization.rules", include_str!("../../rules/quantization.rules")),
    ("rules/normalization.rules", include_str!("../../rules/normalization.rules")),
    ("rules/attention.rules", include_str!("../../rules/attention.rules")),
    ("rules/recurrences.rules", include_str!("../../rules/recurrences.rules")),
    ("rules/composites.rules", include_str!("../../rules/composites.rules")),
    ("rules/movement.rules", include_str!("../../rules/movement.rules")),
];

impl RuleSet {
    /// The built-in rules and all passes.
    ///
    /// # Panics
    /// Where a built-in file does not load: a bug in this crate, which its tests would show.
    pub fn builtin() -> Self {
        match Self::load(BUILTIN) {
            Ok(rules) => Self { passes: PASSES.iter().collect(), ..rules },
            Err(errors) => panic!("the built-in rules load: {}", errors[0]),
        }
    }

    /// The rules of some files, each a name and a text.
    pub fn load(files: &[(&str, &str)]) -> Result<Self, Vec<LoadError>> {
        Self::load_with(files, Vocabulary::default())
    }

    /// The rules of some files that use words of the program's own beside the built-in ones.
    pub fn load_with(files: &[(&str, &str)], words: Vocabulary) -> Result<Self, Vec<LoadError>> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut errors = Vec::new();
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for (file, text) in files {
            let file: Arc<str> = (*file).into();
            let lines: Vec<&str> = text.lines().collect();
            let (tokens, mut problems) = lex(text);
            for raw in parse(&tokens, &mut problems) {
                let (name, span) = raw.name.clone();
                if let Some(first) = names.get(&name) {
                    problems.push((span.clone(), Problem::Duplicate { name: name.clone(), first: first.clone() }));
                }
                names.entry(name.clone()).or_insert_with(|| format!("{file}:{}", span.line));
                rules.extend(rule(&raw, &file, &lines, words, &mut problems));
            }
            problems.sort_by_key(|(s, _)| (s.line, s.column));
            problems.dedup();
            errors.extend(problems.into_iter().map(|(span, problem)| LoadError {
                file: file.clone(),
                line_text: lines.get(span.line as usize - 1).copied().unwrap_or("").to_owned(),
                span,
                problem,
            }));
        }
        if errors.is_empty() { Ok(Self { rules, passes: Vec::new() }) } else { Err(errors) }
    }

    /// The rule of that name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|r| r.name.as_ref() == name)
    }

    /// These rules and then those.
    pub fn join(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
        self.passes.extend(other.passes);
        self
    }

    /// Name of a rule or a pass.
    pub fn name(&self, r: RuleRef) -> &str {
        match r {
            RuleRef::Text(i) => &self.rules[i].name,
            RuleRef::Pass(i) => self.passes[i].name,
        }
    }

    /// Numeric class of a rule or a pass.
    pub fn numeric(&self, r: RuleRef) -> Numeric {
        match r {
            RuleRef::Text(i) => self.rules[i].numeric,
            RuleRef::Pass(i) => self.passes[i].numeric,
        }
    }
}

fn rule(
    raw: &RawRule,
    file: &Arc<str>,
    lines: &[&str],
    words: Vocabulary,
    problems: &mut Vec<(Span, Problem)>,
) -> Vec<Rule> {
    let (name, span) = &raw.name;
    if raw.cite.as_ref().is_none_or(String::is_empty) {
        problems.push((span.clone(), Problem::NoCite(name.clone())));
    }
    if raw.tries.is_empty() {
        problems.push((span.clone(), Problem::NoTry(name.clone())));
    }
    let (first, last) = (span.line as usize - 1, raw.end_line as usize);
    let text: Vec<&str> = lines[first..last].iter().map(|l| l.split('#').next().unwrap_or("").trim()).collect();
    let text = text.join(" ");
    let mut rules: Vec<Rule> = [false, true]
        .into_iter()
        .take(1 + usize::from(raw.both_ways))
        .filter_map(|back| resolve(raw, back, file, &text, words, problems))
        .collect();
    let known: Vec<Var> = rules.iter().flat_map(|r| r.vars.clone()).collect();
    if rules.len() != 1 + usize::from(raw.both_ways) {
        return Vec::new();
    }
    for r in &mut rules {
        for (from, to) in [(&raw.tries, &mut r.tries), (&raw.nots, &mut r.nots)] {
            for (span, values) in from {
                to.extend(samples(span, values, &r.vars, &known, problems));
            }
        }
    }
    rules
}

fn shown(v: &Var) -> String {
    match (v.sort, v.list) {
        (Sort::Splat, _) => format!("%{}", v.name),
        (_, true) => format!("??{}", v.name),
        _ => format!("?{}", v.name),
    }
}

fn samples(
    span: &Span,
    values: &[Value],
    vars: &[Var],
    known: &[Var],
    problems: &mut Vec<(Span, Problem)>,
) -> Option<Samples> {
    let before = problems.len();
    for v in values {
        if !known.iter().any(|k| shown(k) == v.name) {
            problems.push((v.span.clone(), Problem::NoSuchVariable(v.name.clone())));
        }
    }
    let mut out = Vec::with_capacity(vars.len());
    for var in vars {
        let name = shown(var);
        let Some(v) = values.iter().find(|v| v.name == name) else {
            problems.push((span.clone(), Problem::Missing(name)));
            continue;
        };
        match sample(&v.tokens, var.sort, var.list) {
            Ok(s) => out.push(s),
            Err(problem) => {
                let at = v.tokens.first().map_or(v.span.clone(), |t| t.span.clone());
                problems.push((at, problem));
            }
        }
    }
    (problems.len() == before).then_some(out)
}

fn text_of(tokens: &[Token]) -> String {
    tokens
        .iter()
        .map(|t| match &t.kind {
            Kind::Word(w) | Kind::Number(w) | Kind::Raw(w) | Kind::Text(w) => w.as_str(),
            Kind::Punct(p) => p,
            Kind::Var(v) | Kind::ListVar(v) | Kind::SplatVar(v) => v.as_str(),
        })
        .collect()
}

fn sample(tokens: &[Token], sort: Sort, list: bool) -> Result<Sample, Problem> {
    if list {
        let [open, inner @ .., close] = tokens else {
            return Err(Problem::WrongSort { expected: "a list in parentheses".to_owned() });
        };
        if open.kind != Kind::Punct("(") || close.kind != Kind::Punct(")") {
            return Err(Problem::WrongSort { expected: "a list in parentheses".to_owned() });
        }
        return items(inner).into_iter().map(|i| sample(i, sort, false)).collect::<Result<_, _>>().map(Sample::List);
    }
    let text = text_of(tokens);
    let value =
        |expected: &'static str| move |p: egret_ir::text::ParseError| Problem::Value { expected, problem: p.problem };
    match sort {
        Sort::Operand => operand(tokens),
        Sort::Splat => match parse_attr(&text, AttrSort::Literal).map_err(value("an element"))? {
            egret_ir::op::attrs::Attr::Literal(l) => Ok(Sample::Element(l)),
            _ => Err(Problem::WrongSort { expected: "an element".to_owned() }),
        },
        Sort::Attr(s) => parse_attr(&text, s).map(Sample::Attr).map_err(value(attr_sort_name(s))),
        Sort::Function => {
            let (name, param) = match text.split_once(':') {
                Some((n, d)) => (n.to_owned(), d.parse::<DType>().ok()),
                None => (text.clone(), None),
            };
            Scalar::from_name(&name, param).map(Sample::Function).ok_or(Problem::UnknownFunction(text))
        }
        Sort::Monoid => {
            let m = Monoid::ALL.iter().find(|m| m.name() == text);
            m.copied().map(Sample::Monoid).ok_or(Problem::UnknownMonoid(text))
        }
    }
}

/// A list's items: each runs up to a token that is not glued to the one before, except after `const`.
fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let mut out = Vec::new();
    let mut start = 0;
    for i in 1..=tokens.len() {
        let after_const = i > 0 && tokens.get(i - 1).is_some_and(|t| t.kind == Kind::Word("const".into()));
        if i == tokens.len() || (!tokens[i].glued && !after_const) {
            out.push(&tokens[start..i]);
            start = i;
        }
    }
    out.retain(|i| !i.is_empty());
    out
}

/// `f32[2,3]`, `const f32[2,3]` or `f32[2]{1,2}`.
fn operand(tokens: &[Token]) -> Result<Sample, Problem> {
    let (constant, tokens) = match tokens {
        [first, rest @ ..] if first.kind == Kind::Word("const".into()) => (true, rest),
        all => (false, all),
    };
    let (tokens, values) = match tokens {
        [front @ .., Token { kind: Kind::Raw(r), .. }] if r.starts_with('{') => (front, Some(r.clone())),
        all => (all, None),
    };
    let wrong =
        |problem: String| Problem::Value { expected: "an operand, such as f32[2,3] or const f32[2,3]", problem };
    let ty = parse_type(&text_of(tokens)).map_err(|p| wrong(p.problem))?;
    let Some(values) = values else {
        return Ok(if constant { Sample::Constant(ty) } else { Sample::Input(ty) });
    };
    let t = ty.as_tensor().ok_or_else(|| wrong("a tensor type expected".to_owned()))?;
    let shape = t.static_shape().ok_or_else(|| wrong("known extents expected".to_owned()))?;
    let mut bytes = Vec::new();
    for item in values.trim_matches(['{', '}']).split(',').map(str::trim).filter(|i| !i.is_empty()) {
        let l = parse_attr(&format!("{item}{}", t.dtype), AttrSort::Literal).map_err(|p| wrong(p.problem))?;
        if let egret_ir::op::attrs::Attr::Literal(l) = l {
            bytes.extend(l.to_le_bytes());
        }
    }
    Tensor::new(t.dtype, shape, bytes).map(Sample::Values).map_err(|e| wrong(e.to_string()))
}
