//! Index notation as text: `(i, j) ↦ Σ r < 768: x0[i, r]·x1[r, j]`.

use std::fmt;

use super::{Cond, Expr, Index, TensorExpr, Var};
use crate::dim::Dim;
use crate::op::Monoid;
use crate::op::scalar::Scalar;

/// A tensor expression with names for its operands.
pub struct Named<'a> {
    expr: &'a TensorExpr,
    names: &'a [String],
}

impl TensorExpr {
    /// The expression as text with these names for its operands; `x0`, `x1` … where there are too few.
    pub fn with_names<'a>(&'a self, names: &'a [String]) -> Named<'a> {
        Named { expr: self, names }
    }
}

impl fmt::Display for TensorExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_names(&[]).fmt(f)
    }
}

struct Printer<'a> {
    names: &'a [String],
    rank: usize,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = Printer { names: self.names, rank: self.expr.ty.rank() };
        let axes: Vec<String> = (0..p.rank).map(|i| p.var(Var(i as u8))).collect();
        write!(f, "({}) ↦ {}", axes.join(", "), p.expr(&self.expr.body, 0))
    }
}

/// How tightly an operator binds.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const ATOM: u8 = 3;

fn wrapped(text: String, binds: u8, outer: u8) -> String {
    if binds < outer { format!("({text})") } else { text }
}

/// `letters` in turn, then with numbers.
fn name(letters: &[u8], i: usize) -> String {
    let letter = letters[i % letters.len()] as char;
    if i < letters.len() { letter.to_string() } else { format!("{letter}{}", i / letters.len()) }
}

fn infix(row: Scalar) -> Option<(&'static str, u8)> {
    match row {
        Scalar::Add => Some((" + ", SUM)),
        Scalar::Sub => Some((" − ", SUM)),
        Scalar::Mul => Some(("·", PRODUCT)),
        Scalar::Div => Some((" / ", PRODUCT)),
        _ => None,
    }
}

fn sign(monoid: Monoid) -> &'static str {
    match monoid {
        Monoid::Sum => "Σ",
        Monoid::Prod => "Π",
        Monoid::Max
        | Monoid::Min
        | Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => monoid.name(),
    }
}

impl Printer<'_> {
    fn var(&self, v: Var) -> String {
        match v.index().checked_sub(self.rank) {
            None => name(b"ijklmn", v.index()),
            Some(folded) => name(b"rstuvw", folded),
        }
    }

    fn dim(d: &Dim, outer: u8) -> String {
        let binds = if d.as_const().is_some_and(|c| c >= 0) || d.as_symbol().is_some() { ATOM } else { SUM };
        wrapped(d.to_string(), binds, outer)
    }

    fn index(&self, ix: &Index, outer: u8) -> String {
        match ix {
            Index::Var(v) => self.var(*v),
            Index::Dim(d) => Self::dim(d, outer),
            Index::Add(a, b) => {
                let (a, b) = (self.index(a, SUM), self.index(b, SUM));
                let text = match b.strip_prefix('-') {
                    Some(rest) if !rest.contains(['+', '-']) => format!("{a} − {rest}"),
                    _ => format!("{a} + {b}"),
                };
                wrapped(text, SUM, outer)
            }
            Index::Mul(a, d) if *d == -1 => wrapped(format!("-{}", self.index(a, PRODUCT)), SUM, outer),
            Index::Mul(a, d) => {
                let text = format!("{}·{}", Self::dim(d, PRODUCT), self.index(a, PRODUCT));
                wrapped(text, if d.as_const().is_some_and(|c| c < 0) { SUM } else { PRODUCT }, outer)
            }
            Index::Div(a, d) => format!("⌊{} / {}⌋", self.index(a, PRODUCT), Self::dim(d, ATOM)),
            Index::Mod(a, d) => {
                wrapped(format!("{} mod {}", self.index(a, PRODUCT), Self::dim(d, ATOM)), PRODUCT, outer)
            }
            Index::Element { value, wraps, extent } => {
                let value = self.expr(value, ATOM);
                if *wraps { wrapped(format!("{value} wrapped {extent}"), PRODUCT, outer) } else { value }
            }
        }
    }

    fn cond(&self, c: &Cond) -> String {
        match c {
            Cond::Inside(ix, d) => format!("0 ≤ {} < {d}", self.index(ix, 0)),
            Cond::Below(ix, d) => format!("{} < {d}", self.index(ix, 0)),
            Cond::Divides(by, ix) => format!("{by} | {}", self.index(ix, SUM + 1)),
        }
    }

    fn conds(&self, all: &[Cond]) -> String {
        all.iter().map(|c| self.cond(c)).collect::<Vec<_>>().join(" ∧ ")
    }

    fn expr(&self, e: &Expr, outer: u8) -> String {
        match e {
            Expr::Read { operand, at } => {
                let name = self.names.get(*operand).cloned().unwrap_or_else(|| format!("x{operand}"));
                let at: Vec<String> = at.iter().map(|i| self.index(i, 0)).collect();
                if at.is_empty() { name } else { format!("{name}[{}]", at.join(", ")) }
            }
            Expr::Literal(l) => l.to_string(),
            Expr::Index(ix, dtype) => format!("{dtype}({})", self.index(ix, 0)),
            Expr::Apply(row, args) => {
                if let (Some((sign, binds)), [a, b]) = (infix(*row), args.as_slice()) {
                    return wrapped(format!("{}{sign}{}", self.expr(a, binds), self.expr(b, binds + 1)), binds, outer);
                }
                let name = match row {
                    Scalar::Cast(to) => to.to_string(),
                    other => other.to_string(),
                };
                format!("{name}({})", args.iter().map(|a| self.expr(a, 0)).collect::<Vec<_>>().join(", "))
            }
            Expr::Fold { monoid, vars, guards, body, .. } => {
                let vars: Vec<String> = vars.iter().map(|(v, d)| format!("{} < {d}", self.var(*v))).collect();
                let guards = if guards.is_empty() { String::new() } else { format!(" | {}", self.conds(guards)) };
                let text = format!("{} {}{guards}: {}", sign(*monoid), vars.join(", "), self.expr(body, PRODUCT));
                wrapped(text, SUM, outer)
            }
            Expr::Select { when, then, other } => {
                let text = format!("{} if {} else {}", self.expr(then, SUM), self.conds(when), self.expr(other, 0));
                wrapped(text, 0, outer)
            }
        }
    }
}
