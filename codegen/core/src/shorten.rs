//! Names for the expressions of symbols that a function's statements repeat, for the sake of people who read it.
//!
//! `((n_h + 1) / 2) * 2 + 1` in ten places is `e0 * 2 + 1` with `e0` declared once: first quotients, minima and their like
//! get names, then what still has several terms.

use std::collections::BTreeMap;

use egret_ir::dim::{Atom, Dim};

use crate::extent::{local, local_name, nonnegative};
use crate::loops::{Arg, Base, E, Function, S};

/// Sums of at least this many terms get a name.
const TERMS: usize = 3;

/// Declares variables for what is written more than once in the function.
pub fn shorten(f: &mut Function) {
    let mut names = Names::default();
    // Parts of an expression come before the whole: a name may use those before it.
    let mut seen: Vec<(Atom, usize)> = Vec::new();
    each(&mut f.body, &mut |d| {
        d.atoms(&mut |a| count(&mut seen, a));
    });
    for (atom, _) in seen.iter().filter(|(a, n)| *n > 1 && !matches!(a, Atom::Sym(_))) {
        names.add(&Dim::from(atom.clone()));
    }
    each(&mut f.body, &mut |d| *d = names.short(d));
    let mut sums: Vec<(Dim, usize)> = Vec::new();
    each(&mut f.body, &mut |d| {
        if d.terms().len() >= TERMS {
            count(&mut sums, d);
        }
    });
    for (sum, _) in sums.iter().filter(|(_, n)| *n > 1) {
        names.add(sum);
    }
    each(&mut f.body, &mut |d| *d = names.short(d));
    f.body.splice(0..0, names.declarations);
}

fn count<T: Clone + PartialEq>(seen: &mut Vec<(T, usize)>, x: &T) {
    match seen.iter_mut().find(|(y, _)| y == x) {
        Some((_, n)) => *n += 1,
        None => seen.push((x.clone(), 1)),
    }
}

#[derive(Default)]
struct Names {
    of: BTreeMap<Dim, Dim>,
    declarations: Vec<S>,
}

impl Names {
    /// Gives the expression a name, unless it may be negative (a name stands for a number that is not) or mentions variables
    /// that are declared further down.
    fn add(&mut self, d: &Dim) {
        let value = self.short(d);
        let mut later = false;
        value.symbols(&mut |s| {
            later |= local_name(s).is_some() && !self.of.values().any(|name| name.as_symbol() == Some(s));
        });
        if nonnegative(d) && !later {
            let name = format!("e{}", self.declarations.len());
            self.declarations.push(S::Index { name: name.clone(), value: E::Int(value) });
            self.of.insert(d.clone(), Dim::symbol(local(&name)));
        }
    }

    /// The expression in terms of the names so far.
    fn short(&self, d: &Dim) -> Dim {
        if d.as_const().is_some() {
            return d.clone();
        }
        let shorter = d.replace(&|atom| self.of.get(&Dim::from(atom.clone())).cloned());
        self.of.get(&shorter).cloned().unwrap_or(shorter)
    }
}

/// Calls `f` on every extent in the statements, in the order they are read.
fn each(body: &mut [S], f: &mut dyn FnMut(&mut Dim)) {
    for s in body {
        match s {
            S::Comment(_) | S::Var { value: None, .. } | S::Transpose { .. } => {}
            S::For { from, to, body, .. } => {
                expression(from, f);
                expression(to, f);
                each(body, f);
            }
            S::Let { value, .. }
            | S::Var { value: Some(value), .. }
            | S::Index { value, .. }
            | S::Set { value, .. } => expression(value, f),
            S::Pointer { base, index, .. } => {
                if let Base::Scratch(at) = base {
                    f(at);
                }
                expression(index, f);
            }
            S::MulAdd { a, b, .. } => {
                expression(a, f);
                expression(b, f);
            }
            S::Store { index, value, .. } => {
                expression(index, f);
                expression(value, f);
            }
            S::VStore { index, step, part, value, .. } => {
                expression(index, f);
                f(step);
                optional(part.as_mut(), f);
                expression(value, f);
            }
            S::Lanes { part, before, value, .. } => {
                optional(part.as_mut(), f);
                each(before, f);
                expression(value, f);
            }
            S::If { cond, then, otherwise } => {
                expression(cond, f);
                each(then, f);
                each(otherwise, f);
            }
            S::Block(body) => each(body, f),
            S::Call { args, .. } => {
                for a in args {
                    match a {
                        Arg::Value(e) | Arg::Pointer(_, e) => expression(e, f),
                        Arg::Null | Arg::Name(_) | Arg::Trap => {}
                    }
                }
            }
        }
    }
}

fn expression(e: &mut E, f: &mut dyn FnMut(&mut Dim)) {
    match e {
        E::Int(d) => f(d),
        E::Var(_) | E::Lit(_) => {}
        E::Add(a, b) | E::Min(a, b) | E::Max(a, b) | E::Combine(_, _, a, b) => {
            expression(a, f);
            expression(b, f);
        }
        E::Mul(a, d) | E::Div(a, d) | E::Mod(a, d) | E::FloorDiv(a, d) | E::FloorMod(a, d) => {
            expression(a, f);
            f(d);
        }
        E::Checked { value, extent, .. } => {
            expression(value, f);
            f(extent);
        }
        E::Within { index, lo, hi, .. } => {
            expression(index, f);
            lo.iter_mut().chain(hi).for_each(f);
        }
        E::All(all) => all.iter_mut().for_each(|e| expression(e, f)),
        E::Element(e) | E::Splat(e, _) | E::Across(_, e) => expression(e, f),
        E::Load { index, .. } => expression(index, f),
        E::VLoad { index, step, part, .. } => {
            expression(index, f);
            f(step);
            optional(part.as_deref_mut(), f);
        }
        E::VRepeat { index, part, .. } => {
            expression(index, f);
            optional(part.as_deref_mut(), f);
        }
        E::Map { args, .. } => args.iter_mut().for_each(|e| expression(e, f)),
        E::Blend { n, value, .. } => {
            expression(n, f);
            expression(value, f);
        }
    }
}

fn optional(e: Option<&mut E>, f: &mut dyn FnMut(&mut Dim)) {
    if let Some(e) = e {
        expression(e, f);
    }
}
