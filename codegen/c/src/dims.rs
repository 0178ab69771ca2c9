//! Extents as C: expressions of the program's symbols, whose values every function gets in the array `d`.
//!
//! A symbol `seq` is the local `n_seq`, so that kernels read as they would by hand. The operations C lacks are in
//! `runtime/dims.h`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use egret_codegen::extent::{local_name, nonnegative};
use egret_ir::dim::{Atom, Dim, Symbol};

/// Where in `d` the value of each symbol is.
pub type Frame = BTreeMap<Symbol, usize>;

/// The C name of a symbol. Different symbols have different names: what no identifier can hold is spelled by its code.
pub fn symbol(s: &Symbol) -> String {
    if let Some(variable) = local_name(s) {
        return variable.to_owned();
    }
    let mut out = "n_".to_owned();
    for c in s.name().chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            out.push(c);
        } else {
            let _ = write!(out, "${:x}$", u32::from(c));
        }
    }
    out
}

/// Declarations of the symbols of the frame that `text` mentions.
pub fn locals(text: &str, frame: &Frame) -> Vec<String> {
    frame
        .iter()
        .map(|(s, i)| (symbol(s), i))
        .filter(|(name, _)| mentions(text, name))
        .map(|(name, i)| format!("const int64_t {name} = d[{i}];"))
        .collect()
}

/// Whether a word occurs in the text.
pub fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').any(|w| w == word)
}

/// The extent as an `int64_t` expression over the names of its symbols, in parentheses where it is not a single word.
pub fn expression(d: &Dim) -> String {
    let (text, is_word) = spelled(d);
    if is_word { text } else { format!("({text})") }
}

/// The same where no operator can bind tighter.
pub fn bare(d: &Dim) -> String {
    spelled(d).0
}

/// The text, and whether no operator can take it apart.
fn spelled(d: &Dim) -> (String, bool) {
    if let Some(c) = d.as_const() {
        return if c < 0 { (format!("({c})"), true) } else { (c.to_string(), true) };
    }
    let terms = d.terms();
    if let [(mono, 1)] = terms.as_slice()
        && let [(single, 1)] = mono.as_slice()
    {
        return atom(single);
    }
    let mut out = String::new();
    // Numbers come last, as people write them.
    for (mono, c) in terms.iter().filter(|t| !t.0.is_empty()).chain(terms.iter().filter(|t| t.0.is_empty())) {
        let number = (mono.is_empty() || c.unsigned_abs() != 1).then(|| c.unsigned_abs().to_string());
        let factor = |a: &Atom| match atom(a) {
            (text, true) => text,
            (text, false) => format!("({text})"),
        };
        let factors = mono.iter().flat_map(|(a, power)| (0..*power).map(move |_| factor(a)));
        out.push_str(match (out.is_empty(), *c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        out.push_str(&factors.chain(number).collect::<Vec<_>>().join(" * "));
    }
    (out, false)
}

fn atom(a: &Atom) -> (String, bool) {
    let call = |name: &str, a: &Dim, b: &Dim| (format!("eg_{name}({}, {})", bare(a), bare(b)), true);
    match a {
        Atom::Sym(s) => (symbol(s), true),
        Atom::FloorDiv(a, b) => match b.as_const() {
            Some(n) if n > 0 && nonnegative(a) => (format!("{} / {n}", expression(a)), false),
            _ => call("floordiv", a, b),
        },
        Atom::Mod(a, b) => match b.as_const() {
            Some(n) if n > 0 && nonnegative(a) => (format!("{} % {n}", expression(a)), false),
            _ => call("floormod", a, b),
        },
        Atom::Exact(a, b) => call("floordiv", a, b),
        Atom::Min(a, b) => call("min", a, b),
        Atom::Max(a, b) => call("max", a, b),
    }
}

/// ⌊a / n⌋ of a nonnegative index. A divisor that may be 0 belongs to an empty tensor, whose indices nobody uses.
pub fn quotient(a: &str, n: &Dim) -> String {
    match n.as_const() {
        Some(n) => format!("({a} / {n})"),
        None => format!("eg_div({}, {})", stripped(a), bare(n)),
    }
}

/// a mod n of a nonnegative index.
pub fn remainder(a: &str, n: &Dim) -> String {
    match n.as_const() {
        Some(n) => format!("({a} % {n})"),
        None => format!("eg_mod({}, {})", stripped(a), bare(n)),
    }
}

/// The text without parentheses around all of it.
pub fn stripped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 1;
    let whole = inner.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0
    });
    if whole { inner } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_read_as_c() {
        let s = |n: &str| Dim::symbol(Symbol::new(n));
        let (b, n) = (s("batch"), s("past seq"));
        assert_eq!(expression(&n), "n_past$20$seq");
        assert_eq!(expression(&(&b * &b * 3 - &n + 2)), "(n_batch * n_batch * 3 - n_past$20$seq + 2)");
        assert_eq!(bare(&(&b - 1)), "n_batch - 1");
        assert_eq!(expression(&(&b - 1).floor_div(&2.into())), "(((n_batch + 1) / 2) - 1)");
        assert_eq!(expression(&(&b - &n).floor_div(&2.into())), "eg_floordiv(n_batch - n_past$20$seq, 2)");
        assert_eq!(expression(&(&b + 1).floor_div(&2.into()).smaller(&n)), "eg_min(n_past$20$seq, (n_batch + 1) / 2)");
        assert_eq!(expression(&b.modulo(&n)), "eg_floormod(n_batch, n_past$20$seq)");
        assert_eq!((expression(&Dim::from(-3)), bare(&Dim::from(-3))), ("(-3)".into(), "(-3)".into()));
        assert_eq!(expression(&(&b * &n).smaller(&n)), "eg_min(n_batch * n_past$20$seq, n_past$20$seq)");
    }

    #[test]
    fn used_symbols_are_declared() {
        let frame: Frame = ["a", "b", "b2"].iter().enumerate().map(|(i, n)| (Symbol::new(n), i)).collect();
        assert_eq!(locals("n_b2 + n_bb", &frame), ["const int64_t n_b2 = d[2];"]);
    }
}
