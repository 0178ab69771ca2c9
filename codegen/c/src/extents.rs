//! Extents as C: checked arithmetic over a frame (`runtime/extents.h`).

use egret_ir::dim::{Atom, Dim, Symbol};

/// An extent in checked arithmetic; `index` gives the position of a symbol in the frame `d`.
pub fn checked(d: &Dim, index: &dyn Fn(&Symbol) -> usize) -> String {
    if d.is_invalid() {
        return "EG_INVALID".to_owned();
    }
    let terms: Vec<String> = d.terms().iter().map(|(atoms, c)| term(atoms, *c, index)).collect();
    joined("eg_add", terms, "0")
}

fn term(atoms: &[(Atom, u32)], coefficient: i64, index: &dyn Fn(&Symbol) -> usize) -> String {
    let mut factors = Vec::new();
    if coefficient != 1 || atoms.is_empty() {
        factors.push(number(coefficient));
    }
    for (atom, power) in atoms {
        let text = self::atom(atom, index);
        factors.extend((0..*power).map(|_| text.clone()));
    }
    joined("eg_mul", factors, "1")
}

fn atom(a: &Atom, index: &dyn Fn(&Symbol) -> usize) -> String {
    let call = |f: &str, a: &Dim, b: &Dim| format!("{f}({}, {})", checked(a, index), checked(b, index));
    match a {
        Atom::Sym(s) => format!("d[{}]", index(s)),
        Atom::FloorDiv(a, b) => call("eg_divided", a, b),
        Atom::Mod(a, b) => call("eg_rest", a, b),
        Atom::Min(a, b) => call("eg_smaller", a, b),
        Atom::Max(a, b) => call("eg_larger", a, b),
        Atom::Exact(a, b) => call("eg_exact", a, b),
    }
}

fn number(c: i64) -> String {
    match i32::try_from(c) {
        Ok(c) => c.to_string(),
        Err(_) if c == i64::MIN => "EG_INVALID".to_owned(),
        Err(_) => format!("INT64_C({c})"),
    }
}

/// `f(f(a, b), c)`.
fn joined(f: &str, parts: Vec<String>, none: &str) -> String {
    parts.into_iter().reduce(|a, b| format!("{f}({a}, {b})")).unwrap_or_else(|| none.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_and_their_atoms_are_spelled() {
        let (n, m) = (Symbol::new("n"), Symbol::new("m"));
        let dim = |s: &Symbol| Dim::symbol(s.clone());
        let index = |s: &Symbol| usize::from(*s != n);
        let half = (dim(&n) - Dim::ONE).floor_div(&Dim::from(2i64));
        assert_eq!(checked(&half, &index), "eg_add(-1, eg_divided(eg_add(1, d[0]), 2))");
        let area = dim(&n) * dim(&n) * Dim::from(3i64) + dim(&m);
        let text = checked(&area, &index);
        assert!(
            text == "eg_add(d[1], eg_mul(eg_mul(3, d[0]), d[0]))"
                || text == "eg_add(eg_mul(eg_mul(3, d[0]), d[0]), d[1])",
            "{text}"
        );
        assert_eq!(checked(&Dim::from(1i64 << 40), &index), "INT64_C(1099511627776)");
        assert_eq!(checked(&Dim::INVALID, &index), "EG_INVALID");
    }
}
