//! From text to rewrites: a reader of s-expressions that keeps places and reads on after a fault.

use super::Refusal;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub form: Form,
    /// Line (1-based).
    pub line: u32,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A variable, number or word.
    Atom(String),
    /// `(head child …)`.
    List(Vec<Expr>),
}

/// Both sides of a rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// Left side.
    pub lhs: Expr,
    /// Right side.
    pub rhs: Expr,
    /// Whether it holds both ways.
    pub both_ways: bool,
    /// What stands behind `if`, up to the end of the line.
    pub condition: Option<String>,
}

/// A rewrite as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Line (1-based).
    pub line: u32,
    /// Its sides, or why there are none.
    pub sides: Result<Sides, Refusal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Arrow {
        both_ways: bool,
    },
    Atom(String),
    /// `if`, with the rest of the line.
    If(String),
}

struct Token {
    kind: Kind,
    line: u32,
    /// Bytes before it in its line.
    column: usize,
}

/// Quotes and commas only part what they stand between.
fn parts(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | ',')
}

fn tokens(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let column = line.len() - rest.len();
            let mut put = |kind| out.push(Token { kind, line: row as u32 + 1, column });
            if parts(c) {
                rest = &rest[c.len_utf8()..];
            } else if matches!(c, ';' | '#') || rest.starts_with("//") {
                break;
            } else if let Some(after) = rest.strip_prefix("<=>") {
                put(Kind::Arrow { both_ways: true });
                rest = after;
            } else if let Some(after) = rest.strip_prefix("=>") {
                put(Kind::Arrow { both_ways: false });
                rest = after;
            } else if matches!(c, '(' | ')') {
                put(if c == '(' { Kind::Open } else { Kind::Close });
                rest = &rest[1..];
            } else {
                let ends = |(i, c): (usize, char)| {
                    parts(c)
                        || matches!(c, '(' | ')' | ';')
                        || rest[i..].starts_with("=>")
                        || rest[i..].starts_with("<=>")
                };
                let end = rest.char_indices().find(|x| ends(*x)).map_or(rest.len(), |(i, _)| i);
                let (word, after) = rest.split_at(end);
                if word == "if" {
                    let comment = after.find([';', '#']).into_iter().chain(after.find("//")).min();
                    let condition = after[..comment.unwrap_or(after.len())].trim().trim_end_matches([',', '"']);
                    put(Kind::If(condition.trim().to_owned()));
                    break;
                }
                put(Kind::Atom(word.to_owned()));
                rest = after;
            }
        }
    }
    out
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
}

/// Deeper expressions are refused.
const DEEPEST: usize = 200;

impl Reader<'_> {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.at).map(|t| &t.kind)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line)
    }

    fn expr(&mut self, depth: usize) -> Result<Expr, Refusal> {
        let line = self.line();
        let syntax = |text: &str| Err(Refusal::Syntax(text.to_owned()));
        if depth > DEEPEST {
            return syntax("the expression is nested too deeply");
        }
        let form = match self.peek().cloned() {
            Some(Kind::Atom(a)) => {
                self.at += 1;
                Form::Atom(a)
            }
            Some(Kind::Open) => {
                self.at += 1;
                let mut children = Vec::new();
                while self.peek() != Some(&Kind::Close) {
                    if self.peek().is_none() {
                        return syntax("the parenthesis is not closed");
                    }
                    children.push(self.expr(depth + 1)?);
                }
                self.at += 1;
                Form::List(children)
            }
            Some(Kind::Close) => return syntax("a parenthesis closes that none opened"),
            Some(Kind::Arrow { .. } | Kind::If(_)) => return syntax("an expression is missing before this"),
            None => return syntax("an expression is missing at the end"),
        };
        Ok(Expr { form, line })
    }

    /// `LHS => RHS [if …]`, from the left side on.
    fn sides(&mut self, lhs: Expr) -> Result<Sides, Refusal> {
        let Some(Kind::Arrow { both_ways }) = self.peek().cloned() else {
            return Err(Refusal::Syntax("`=>` or `<=>` is missing after the left side".to_owned()));
        };
        self.at += 1;
        let rhs = self.expr(0)?;
        let mut condition = None;
        if let Some(Kind::If(text)) = self.peek().cloned() {
            self.at += 1;
            condition = Some(text);
        }
        Ok(Sides { lhs, rhs, both_ways, condition })
    }

    fn rewrite(&mut self) -> Raw {
        let line = self.line();
        if let Some(Kind::Atom(a)) = self.peek().cloned()
            && let Some(name) = a.strip_suffix(':')
        {
            self.at += 1;
            let sides = self.expr(0).and_then(|lhs| self.sides(lhs));
            return Raw { name: Some(name.to_owned()), line, sides };
        }
        match self.expr(0) {
            Err(e) => Raw { name: None, line, sides: Err(e) },
            Ok(Expr { form: Form::List(children), .. }) if command(&children).is_some() => {
                let (name, sides) = of_command(children);
                Raw { name, line, sides }
            }
            Ok(lhs) => Raw { name: None, line, sides: self.sides(lhs) },
        }
    }

    /// Goes on to where the next rewrite may begin: a line that is indented no deeper than the faulty one.
    fn recover(&mut self, from: usize) {
        let begins = |i: &usize| {
            let (token, before) = (&self.tokens[*i], &self.tokens[*i - 1]);
            token.line != before.line && token.column <= self.tokens[from].column
        };
        self.at = (from + 1..self.tokens.len()).find(begins).unwrap_or(self.tokens.len());
    }
}

/// The word of a command of egglog.
fn command(children: &[Expr]) -> Option<&str> {
    const COMMANDS: &[&str] = &[
        "rewrite",
        "birewrite",
        "rule",
        "datatype",
        "sort",
        "function",
        "relation",
        "constructor",
        "let",
        "run",
        "run-schedule",
        "check",
        "extract",
        "union",
        "set",
        "ruleset",
        "include",
        "push",
        "pop",
        "define",
        "input",
        "output",
        "query-extract",
        "fail",
        "declare",
    ];
    match &children.first()?.form {
        Form::Atom(word) if COMMANDS.contains(&word.as_str()) => Some(word),
        Form::Atom(_) | Form::List(_) => None,
    }
}

fn of_command(mut children: Vec<Expr>) -> (Option<String>, Result<Sides, Refusal>) {
    let word = command(&children).unwrap_or_default().to_owned();
    if word != "rewrite" && word != "birewrite" {
        return (None, Err(Refusal::Syntax(format!("`{word}` is no rewrite"))));
    }
    children.remove(0);
    let option = |e: &Expr| matches!(&e.form, Form::Atom(a) if a.starts_with(':'));
    if let Some(at) = children.iter().position(option) {
        let Form::Atom(which) = &children[at].form else { return (None, Err(Refusal::Syntax(word))) };
        return (None, Err(Refusal::Syntax(format!("`{which}` has no counterpart"))));
    }
    let mut name = None;
    if children.len() == 3 {
        match children.remove(0).form {
            Form::Atom(a) => name = Some(a),
            Form::List(_) => return (None, Err(Refusal::Syntax("the name of a rewrite is a word".to_owned()))),
        }
    }
    let Ok([lhs, rhs]) = <[Expr; 2]>::try_from(children) else {
        return (name, Err(Refusal::Syntax(format!("`{word}` takes two sides, and a name before them"))));
    };
    (name, Ok(Sides { lhs, rhs, both_ways: word == "birewrite", condition: None }))
}

/// The rewrites of a text, in its order, with those that are none.
pub fn read(text: &str) -> Vec<Raw> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let mut out = Vec::new();
    while reader.at < tokens.len() {
        let from = reader.at;
        let raw = reader.rewrite();
        if raw.sides.is_err() {
            reader.recover(from);
        }
        out.push(raw);
    }
    out
}
