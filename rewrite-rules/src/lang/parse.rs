//! From tokens to unresolved rules. A rule starts in the first column; its conditions and evidence follow, on any lines
//! that are indented. Each rule is parsed by itself, so one bad rule does not hide the problems of others.

use super::error::{Problem, Span};
use super::lex::{Kind, Token};
use super::{Numeric, Phase};

/// An unresolved pattern or argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub form: Form,
    /// Where it stands.
    pub span: Span,
    /// Whether `...` follows.
    pub each: bool,
}

/// Forms of [`Expr`].
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// `?x`.
    Var(String),
    /// `??x`.
    ListVar(String),
    /// `%c`.
    SplatVar(String),
    /// A word.
    Word(String),
    /// A number as written.
    Number(String),
    /// A bracketed attribute as written.
    Raw(String),
    /// `(head child …)`.
    Node(Vec<Expr>),
    /// `name(argument, …)`.
    Call(String, Vec<Expr>),
}

/// An unresolved condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Arguments.
    pub args: Vec<Expr>,
    /// Whether `not` came before it.
    pub negated: bool,
}

/// An unresolved value of a `try` or `not`.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The variable, with its sigil.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Tokens of the value.
    pub tokens: Vec<Token>,
}

/// An unresolved rule.
#[derive(Clone, Debug)]
pub struct RawRule {
    /// Its name and where it stands.
    pub name: (String, Span),
    /// Its phase.
    pub phase: Phase,
    /// Left side.
    pub lhs: Expr,
    /// Right side.
    pub rhs: Expr,
    /// Whether it was written with `<=>`.
    pub both_ways: bool,
    /// `if`.
    pub conditions: Vec<Test>,
    /// `when`.
    pub profit: Vec<Test>,
    /// Numeric class.
    pub numeric: Numeric,
    /// Reason.
    pub cite: Option<String>,
    /// Values to try.
    pub tries: Vec<(Span, Vec<Value>)>,
    /// Values that must not match.
    pub nots: Vec<(Span, Vec<Value>)>,
    /// Last line of the part before the evidence.
    pub end_line: u32,
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

type Fail = (Span, Problem);

/// The rules of a file. `phase NAME` lines set the phase of the rules below them.
pub fn parse(tokens: &[Token], problems: &mut Vec<Fail>) -> Vec<RawRule> {
    let mut rules = Vec::new();
    let mut phase = Phase::Normalize;
    let starts: Vec<usize> = (0..tokens.len()).filter(|i| tokens[*i].span.column == 1 || *i == 0).collect();
    for (k, start) in starts.iter().enumerate() {
        let end = starts.get(k + 1).copied().unwrap_or(tokens.len());
        let mut p = Parser { tokens: &tokens[*start..end], at: 0 };
        let is_phase = p.tokens.len() == 2 && p.tokens[0].kind == Kind::Word("phase".into());
        if is_phase {
            match &p.tokens[1].kind {
                Kind::Word(w) if Phase::from_name(w).is_some() => phase = Phase::from_name(w).unwrap_or(phase),
                _ => {
                    let shown = p.tokens[1].shown().replace('`', "");
                    problems.push((p.tokens[1].span.clone(), Problem::UnknownPhase(shown)));
                }
            }
            continue;
        }
        match p.rule(phase) {
            Ok(rule) => rules.push(rule),
            Err(fail) => problems.push(fail),
        }
    }
    rules
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn span(&self) -> Span {
        self.peek().or(self.tokens.last()).map_or(Span { line: 1, column: 1, width: 1 }, |t| t.span.clone())
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, Fail> {
        let found = self.peek().map_or_else(|| "the end of the rule".to_owned(), Token::shown);
        Err((self.span(), Problem::Expected { expected, found }))
    }

    fn eat(&mut self, punct: &str) -> bool {
        let yes = self.peek().is_some_and(|t| matches!(&t.kind, Kind::Punct(p) if *p == punct));
        self.at += usize::from(yes);
        yes
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let yes = self.peek().is_some_and(|t| matches!(&t.kind, Kind::Word(w) if w == word));
        self.at += usize::from(yes);
        yes
    }

    fn word(&mut self, expected: &'static str) -> Result<(String, Span), Fail> {
        match self.peek() {
            Some(Token { kind: Kind::Word(w), span, .. }) => {
                let out = (w.clone(), span.clone());
                self.at += 1;
                Ok(out)
            }
            _ => self.fail(expected),
        }
    }

    fn rule(&mut self, phase: Phase) -> Result<RawRule, Fail> {
        let name = self.word("the name of a rule")?;
        if !self.eat(":") {
            return self.fail("`:`");
        }
        let lhs = self.expr()?;
        let both_ways = self.eat("<=>");
        if !both_ways && !self.eat("=>") {
            return self.fail("`=>` or `<=>`");
        }
        let rhs = self.expr()?;
        let conditions = if self.eat_word("if") { self.tests()? } else { Vec::new() };
        let profit = if self.eat_word("when") { self.tests()? } else { Vec::new() };
        let end_line = self.tokens[self.at - 1].span.line;
        let (class, span) = self.word("a numeric class")?;
        let numeric = Numeric::from_name(&class).ok_or((span, Problem::UnknownClass(class)))?;
        let mut rule = RawRule {
            name,
            phase,
            lhs,
            rhs,
            both_ways,
            conditions,
            profit,
            numeric,
            cite: None,
            tries: Vec::new(),
            nots: Vec::new(),
            end_line,
        };
        while let Some(token) = self.peek() {
            let span = token.span.clone();
            if self.eat_word("cite") {
                match self.peek().map(|t| t.kind.clone()) {
                    Some(Kind::Text(t)) => rule.cite = Some(t),
                    Some(Kind::Word(w)) => rule.cite = Some(w),
                    _ => return self.fail("a reason"),
                }
                self.at += 1;
            } else if self.eat_word("try") {
                let values = self.values()?;
                rule.tries.push((span, values));
            } else if self.eat_word("not") {
                let values = self.values()?;
                rule.nots.push((span, values));
            } else {
                return self.fail("`cite`, `try` or `not`");
            }
        }
        Ok(rule)
    }

    fn tests(&mut self) -> Result<Vec<Test>, Fail> {
        let mut tests = Vec::new();
        loop {
            let negated = self.eat_word("not");
            let (name, span) = self.word("a condition")?;
            let glued = self.peek().is_some_and(|t| t.glued);
            let args = if glued && self.eat("(") { self.arguments()? } else { Vec::new() };
            tests.push(Test { name, span, args, negated });
            if !self.eat(",") {
                return Ok(tests);
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Fail> {
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.eat(")") {
                return Ok(args);
            }
            if !self.eat(",") {
                return self.fail("`,` or `)`");
            }
        }
    }

    fn expr(&mut self) -> Result<Expr, Fail> {
        let Some(token) = self.peek().cloned() else { return self.fail("a pattern") };
        self.at += 1;
        let mut span = token.span.clone();
        let form = match token.kind {
            Kind::Var(v) => Form::Var(v),
            Kind::ListVar(v) => Form::ListVar(v),
            Kind::SplatVar(v) => Form::SplatVar(v),
            Kind::Number(n) => Form::Number(n),
            Kind::Raw(r) => Form::Raw(r),
            Kind::Word(w) => {
                let call = self.peek().is_some_and(|t| t.glued && t.kind == Kind::Punct("("));
                if call {
                    self.at += 1;
                    Form::Call(w, self.arguments()?)
                } else {
                    Form::Word(w)
                }
            }
            Kind::Punct("(") => {
                let mut children = Vec::new();
                while !self.eat(")") {
                    children.push(self.expr()?);
                }
                let last = &self.tokens[self.at - 1].span;
                if last.line == span.line {
                    span.width = last.column + 1 - span.column;
                }
                Form::Node(children)
            }
            Kind::Punct(_) | Kind::Text(_) => {
                self.at -= 1;
                return self.fail("a pattern");
            }
        };
        let each = self.eat("...");
        Ok(Expr { form, span, each })
    }

    /// `?x=VALUE ?y=VALUE …`, where a value runs up to the next variable or keyword outside of parentheses.
    fn values(&mut self) -> Result<Vec<Value>, Fail> {
        let mut values = Vec::new();
        loop {
            let Some(token) = self.peek().cloned() else { return Ok(values) };
            let name = match &token.kind {
                Kind::Var(v) => format!("?{v}"),
                Kind::ListVar(v) => format!("??{v}"),
                Kind::SplatVar(v) => format!("%{v}"),
                _ => return Ok(values),
            };
            self.at += 1;
            if !self.eat("=") {
                return self.fail("`=`");
            }
            let start = self.at;
            let mut depth = 0;
            while let Some(t) = self.peek() {
                match &t.kind {
                    Kind::Punct("(") => depth += 1,
                    Kind::Punct(")") => depth -= 1,
                    Kind::Var(_) | Kind::ListVar(_) | Kind::SplatVar(_) if depth == 0 => break,
                    Kind::Word(w) if depth == 0 && matches!(w.as_str(), "cite" | "try" | "not") && self.at > start => {
                        break;
                    }
                    _ => {}
                }
                self.at += 1;
            }
            if self.at == start {
                return self.fail("a value");
            }
            values.push(Value { name, span: token.span, tokens: self.tokens[start..self.at].to_vec() });
        }
    }
}
