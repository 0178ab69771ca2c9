//! Tokens of the text form, with their places.

use super::parse::ParseError;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A word: letters, digits, `_`, `.`; not starting with a digit. Backquotes enclose any other name.
    Word(String),
    /// A number with its suffix, as written: `12`, `-1.5f32`, `0x7fc00001f32`, `-inff32`.
    Number(String),
    /// A quoted name.
    Quoted(String),
    /// A value: `%3`.
    Value(u32),
    /// One punctuation character, or `->`.
    Punct(&'static str),
    /// The end.
    End,
}

/// A token and where it starts (1-based).
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub line: u32,
    pub column: u32,
    /// Whether white space comes before it.
    pub spaced: bool,
}

const PUNCT: &[&str] = &["->", "{", "}", "[", "]", "(", ")", ",", ":", "=", "+", "-", "*", "/", "@", "|"];

pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    for (row, line) in text.lines().enumerate() {
        let chars: Vec<char> = line.chars().collect();
        let mut i = 0;
        let mut spaced = true;
        while i < chars.len() {
            let c = chars[i];
            if c == '#' {
                break;
            }
            if c.is_whitespace() {
                i += 1;
                spaced = true;
                continue;
            }
            let (place_line, place_column) = (row as u32 + 1, i as u32 + 1);
            let error = |problem: String| ParseError { line: place_line, column: place_column, problem };
            let rest = |from: usize, ok: &dyn Fn(char) -> bool| {
                chars[from..].iter().take_while(|c| ok(**c)).collect::<String>()
            };
            let word_char = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let (kind, width) = if c.is_alphabetic() || c == '_' {
                let w = rest(i, &word_char);
                let n = w.chars().count();
                (Kind::Word(w), n)
            } else if c == '`' {
                let w = rest(i + 1, &|c| c != '`');
                let n = w.chars().count() + 2;
                if i + n > chars.len() {
                    return Err(error("the name in backquotes has no end".into()));
                }
                (Kind::Word(w), n)
            } else if c.is_ascii_digit() {
                // An exponent's sign belongs to the number: `1e-5f32`, but not the window `2e-1`.
                let mut n = 1;
                while let Some(&d) = chars.get(i + n) {
                    let digits = rest(i + n + 1, &|c| c.is_ascii_digit()).len();
                    let exponent_sign = d == '-'
                        && chars[i + n - 1] == 'e'
                        && digits > 0
                        && chars.get(i + n + 1 + digits).is_some_and(|c| "fb".contains(*c));
                    if !(word_char(d) || exponent_sign) {
                        break;
                    }
                    n += 1;
                }
                (Kind::Number(chars[i..i + n].iter().collect()), n)
            } else if c == '%' {
                let digits = rest(i + 1, &|c| c.is_ascii_digit());
                let n = digits.len() + 1;
                let v = digits.parse().map_err(|_| error("a value is `%` and a number".into()))?;
                (Kind::Value(v), n)
            } else if c == '"' {
                let (mut name, mut n) = (String::new(), 1);
                loop {
                    match chars.get(i + n) {
                        None => return Err(error("the quoted name has no end".into())),
                        Some('"') => break,
                        Some('\\') => {
                            n += 1;
                            match chars.get(i + n) {
                                Some('n') => name.push('\n'),
                                Some(c) => name.push(*c),
                                None => return Err(error("the quoted name has no end".into())),
                            }
                        }
                        Some(c) => name.push(*c),
                    }
                    n += 1;
                }
                (Kind::Quoted(name), n + 1)
            } else {
                let found = PUNCT.iter().find(|p| p.chars().enumerate().all(|(k, c)| chars.get(i + k) == Some(&c)));
                let Some(p) = found else { return Err(error(format!("`{c}` is not expected anywhere"))) };
                (Kind::Punct(p), p.len())
            };
            tokens.push(Token { kind, line: place_line, column: place_column, spaced });
            spaced = false;
            i += width;
        }
    }
    let line = text.lines().count() as u32 + 1;
    tokens.push(Token { kind: Kind::End, line, column: 1, spaced: true });
    Ok(tokens)
}
