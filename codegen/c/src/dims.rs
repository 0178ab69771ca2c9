//! Extents as C: expressions of the program's symbols, whose values every function gets in the array `d`.
//!
//! A symbol `seq` is the local `n_seq`, so that kernels read as they would by hand. The operations C lacks are in
//! `runtime/dims.h`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use egret_codegen::extent::nonnegative;
use egret_ir::dim::{Atom, Dim, Symbol};

/// Where in `d` the value of each symbol is.
pub type Frame = BTreeMap<Symbol, usize>;

/// The C name of a symbol. Different symbols have different names: what no identifier can hold is spelled by its code.
pub fn symbol(s: &Symbol) -> String {
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
    if let Some(c) = d.as_const() {
        return if c < 0 { format!("({c})") } else { c.to_string() };
    }
    let mut out = String::new();
    let terms = d.terms();
    // Numbers come last, as people write them.
    for (mono, c) in terms.iter().filter(|t| !t.0.is_empty()).chain(terms.iter().filter(|t| t.0.is_empty())) {
        let factors = mono.iter().flat_map(|(a, power)| (0..*power).map(|_| atom(a)));
        let number = (mono.is_empty() || c.unsigned_abs() != 1).then(|| c.unsigned_abs().to_string());
        let product: Vec<String> = factors.chain(number).collect();
        out.push_str(match (out.is_empty(), *c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        out.push_str(&product.join(" * "));
    }
    if d.as_symbol().is_some() || is_call(&out) { out } else { format!("({out})") }
}

/// The same where no operator can bind tighter.
pub fn bare(d: &Dim) -> String {
    let text = expression(d);
    match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inner) if d.as_const().is_none() => inner.to_owned(),
        _ => text,
    }
}

/// Whether the text is one call: a name and the parentheses of its arguments.
fn is_call(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('(') else { return false };
    let mut depth = 1;
    let closes_last = rest.char_indices().all(|(i, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0 || i + 1 == rest.len()
    });
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && closes_last && depth == 0
}

fn atom(a: &Atom) -> String {
    let call = |name: &str, a: &Dim, b: &Dim| format!("eg_{name}({}, {})", bare(a), bare(b));
    match a {
        Atom::Sym(s) => symbol(s),
        Atom::FloorDiv(a, b) if nonnegative(a) => quotient(&expression(a), b),
        Atom::Mod(a, b) if nonnegative(a) => remainder(&expression(a), b),
        Atom::FloorDiv(a, b) | Atom::Exact(a, b) => call("floordiv", a, b),
        Atom::Mod(a, b) => call("floormod", a, b),
        Atom::Min(a, b) => call("min", a, b),
        Atom::Max(a, b) => call("max", a, b),
    }
}

/// ⌊a / n⌋ of a nonnegative expression. A divisor that may be 0 belongs to an empty tensor, whose indices nobody uses.
pub fn quotient(a: &str, n: &Dim) -> String {
    match n.as_const() {
        Some(n) => format!("({a} / {n})"),
        None => format!("eg_div({}, {})", stripped(a), bare(n)),
    }
}

/// a mod n of a nonnegative expression.
pub fn remainder(a: &str, n: &Dim) -> String {
    match n.as_const() {
        Some(n) => format!("({a} % {n})"),
        None => format!("eg_mod({}, {})", stripped(a), bare(n)),
    }
}

/// The text without parentheses around all of it.
pub fn stripped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    inner.filter(|t| is_call(&format!("f({t})"))).unwrap_or(text)
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
        assert_eq!(
            expression(&(&b + 1).floor_div(&2.into()).smaller(&n)),
            "eg_min(n_past$20$seq, ((n_batch + 1) / 2))"
        );
        assert_eq!(expression(&b.modulo(&n)), "eg_mod(n_batch, n_past$20$seq)");
        assert_eq!((expression(&Dim::from(-3)), bare(&Dim::from(-3))), ("(-3)".into(), "(-3)".into()));
        assert_eq!(expression(&(&b * &n).smaller(&n)), "eg_min(n_batch * n_past$20$seq, n_past$20$seq)");
    }

    #[test]
    fn used_symbols_are_declared() {
        let frame: Frame = ["a", "b", "b2"].iter().enumerate().map(|(i, n)| (Symbol::new(n), i)).collect();
        assert_eq!(locals("n_b2 + n_bb", &frame), ["const int64_t n_b2 = d[2];"]);
    }
}
