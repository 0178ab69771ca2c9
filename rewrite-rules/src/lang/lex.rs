//! Tokens of rule files.

use super::error::{Problem, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A name or word.
    Word(String),
    /// `?x`.
    Var(String),
    /// `??x`.
    ListVar(String),
    /// `%c`.
    SplatVar(String),
    /// A number as written (`1`, `-0.0`, `0.5f32`, `-inf`).
    Number(String),
    /// A quoted text.
    Text(String),
    /// A bracketed attribute as written: `[1,0]`, `{a b -> a}`.
    Raw(String),
    /// One of `( ) , : = => <=> ...`.
    Punct(&'static str),
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
    /// Whether it follows the token before it without a space.
    pub glued: bool,
}

impl Token {
    /// The token in messages.
    pub fn shown(&self) -> String {
        match &self.kind {
            Kind::Word(w) | Kind::Number(w) | Kind::Raw(w) => format!("`{w}`"),
            Kind::Var(v) => format!("`?{v}`"),
            Kind::ListVar(v) => format!("`??{v}`"),
            Kind::SplatVar(v) => format!("`%{v}`"),
            Kind::Text(t) => format!("\"{t}\""),
            Kind::Punct(p) => format!("`{p}`"),
        }
    }
}

const PUNCT: &[&str] = &["<=>", "...", "=>", "(", ")", ",", ":", "="];

/// The tokens of a file and the problems met; a `#` starts a comment.
pub fn lex(text: &str) -> (Vec<Token>, Vec<(Span, Problem)>) {
    let (mut tokens, mut problems) = (Vec::new(), Vec::new());
    for (row, line) in text.lines().enumerate() {
        let chars: Vec<char> = line.chars().collect();
        let mut i = 0;
        let mut end = usize::MAX;
        while i < chars.len() {
            let c = chars[i];
            if c.is_whitespace() {
                i += 1;
                continue;
            }
            if c == '#' {
                break;
            }
            let span = |width: usize| Span { line: row as u32 + 1, column: i as u32 + 1, width: width as u32 };
            let run = |from: usize, ok: &dyn Fn(char) -> bool| -> String {
                chars[from..].iter().take_while(|c| ok(**c)).collect()
            };
            let word_char = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            let starts_number = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
            let signed_word = c == '-' && run(i + 1, &word_char).starts_with("inf");
            let (kind, width) = if c.is_alphabetic() || c == '_' {
                let w = run(i, &word_char);
                let n = w.chars().count();
                if w.starts_with("inf") && (w == "inf" || w[3..].starts_with(['f', 'b'])) {
                    (Kind::Number(w), n)
                } else {
                    (Kind::Word(w), n)
                }
            } else if c == '?' || c == '%' {
                let sigils = if chars.get(i + 1) == Some(&'?') && c == '?' { 2 } else { 1 };
                let w = run(i + sigils, &|c| c.is_alphanumeric() || c == '_');
                let n = w.chars().count() + sigils;
                let kind = match (c, sigils) {
                    ('%', _) => Kind::SplatVar(w),
                    (_, 2) => Kind::ListVar(w),
                    _ => Kind::Var(w),
                };
                (kind, n)
            } else if starts_number(i) || (c == '-' && starts_number(i + 1)) || signed_word {
                let sign = usize::from(c == '-');
                let mut n = sign;
                while let Some(d) = chars.get(i + n) {
                    let exponent_sign = matches!(d, '-' | '+') && matches!(chars[i + n - 1], 'e' | 'E');
                    if d.is_alphanumeric() || *d == '.' && chars.get(i + n + 1) != Some(&'.') || exponent_sign {
                        n += 1;
                    } else {
                        break;
                    }
                }
                (Kind::Number(chars[i..i + n].iter().collect()), n)
            } else if c == '"' {
                let Some(n) = chars[i + 1..].iter().position(|c| *c == '"') else {
                    problems.push((span(chars.len() - i), Problem::Unterminated));
                    break;
                };
                (Kind::Text(chars[i + 1..=i + n].iter().collect()), n + 2)
            } else if c == '[' || c == '{' {
                let close = if c == '[' { ']' } else { '}' };
                let Some(n) = chars[i..].iter().position(|c| *c == close) else {
                    problems.push((span(chars.len() - i), Problem::Unterminated));
                    break;
                };
                (Kind::Raw(chars[i..=i + n].iter().collect()), n + 1)
            } else {
                let rest: String = chars[i..].iter().take(3).collect();
                if let Some(p) = PUNCT.iter().find(|p| rest.starts_with(**p)) {
                    (Kind::Punct(p), p.len())
                } else {
                    problems.push((span(1), Problem::Character(c)));
                    i += 1;
                    continue;
                }
            };
            tokens.push(Token { kind, span: span(width), glued: i == end });
            i += width;
            end = i;
        }
    }
    (tokens, problems)
}
