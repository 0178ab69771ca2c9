//! Variables bound by folds: where they occur, and canonical names for them.

use std::collections::BTreeMap;

use egret_ir::op::scalar::Law;
use egret_ir::{Dim, Symbol};

use super::poly::sorted;
use super::term::{Cond, Fold, Product, Term};

pub(super) fn dim_mentions(d: &Dim, v: &Symbol) -> bool {
    let mut found = false;
    d.symbols(&mut |s| found |= s == v);
    found
}

pub(super) fn cond_mentions(c: &Cond, v: &Symbol) -> bool {
    match c {
        Cond::NonNegative(d) | Cond::Divides(_, d) => dim_mentions(d, v),
    }
}

pub(super) fn mentions(t: &Term, v: &Symbol) -> bool {
    match t {
        Term::Literal(_) => false,
        Term::Index(d, _) => dim_mentions(d, v),
        Term::Read(_, _, at) => at.iter().any(|d| dim_mentions(d, v)),
        Term::Apply(_, args) => args.iter().any(|a| mentions(a, v)),
        Term::Fold(f) => f.guards.iter().any(|c| cond_mentions(c, v)) || mentions(&f.body, v),
        Term::Select(conds, a, b) => conds.iter().any(|c| cond_mentions(c, v)) || mentions(a, v) || mentions(b, v),
        Term::Sum(_, products) => products.iter().flat_map(|p| &p.factors).any(|(t, _)| mentions(t, v)),
    }
}

/// A condition with its indices changed.
pub(super) fn map_cond(c: &Cond, to: &dyn Fn(&Dim) -> Dim) -> Cond {
    match c {
        Cond::NonNegative(d) => Cond::NonNegative(to(d)),
        Cond::Divides(n, d) => Cond::Divides(*n, to(d)),
    }
}

/// A term with its indices changed; sums and commutative functions are put in order again. Extents of folds stay.
pub(super) fn map_dims(t: &Term, to: &dyn Fn(&Dim) -> Dim) -> Term {
    let conds = |list: &[Cond]| {
        let mut out: Vec<Cond> = list.iter().map(|c| map_cond(c, to)).collect();
        out.sort();
        out
    };
    match t {
        Term::Literal(_) => t.clone(),
        Term::Index(d, dtype) => Term::Index(to(d), *dtype),
        Term::Read(s, dtype, at) => Term::Read(*s, *dtype, at.iter().map(to).collect()),
        Term::Apply(f, args) => {
            let mut args: Vec<Term> = args.iter().map(|a| map_dims(a, to)).collect();
            if f.has(Law::Commutative) {
                args.sort();
            }
            Term::Apply(*f, args)
        }
        Term::Fold(f) => {
            Term::Fold(Box::new(Fold { guards: conds(&f.guards), body: map_dims(&f.body, to), ..(**f).clone() }))
        }
        Term::Select(when, a, b) => Term::Select(conds(when), map_dims(a, to).into(), map_dims(b, to).into()),
        Term::Sum(dtype, products) => {
            let mut products: Vec<Product> = products
                .iter()
                .map(|p| Product {
                    factors: sorted(p.factors.iter().map(|(t, n)| (map_dims(t, to), *n)).collect()),
                    ..p.clone()
                })
                .collect();
            products.sort();
            Term::Sum(*dtype, products)
        }
    }
}

/// Folds nested in each other.
fn height(t: &Term) -> usize {
    match t {
        Term::Literal(_) | Term::Index(..) | Term::Read(..) => 0,
        Term::Apply(_, args) => args.iter().map(height).max().unwrap_or(0),
        Term::Fold(f) => 1 + height(&f.body),
        Term::Select(_, a, b) => height(a).max(height(b)),
        Term::Sum(_, products) => products.iter().flat_map(|p| &p.factors).map(|(t, _)| height(t)).max().unwrap_or(0),
    }
}

/// The fold with its variables in that order and under those names.
fn with_names(f: &Fold, vars: &[(Symbol, Dim)], names: &BTreeMap<Symbol, Symbol>) -> Fold {
    let rename = |d: &Dim| d.substitute(&|s| names.get(s).cloned().map(Dim::symbol));
    let mut guards: Vec<Cond> = f.guards.iter().map(|c| map_cond(c, &rename)).collect();
    guards.sort();
    guards.dedup();
    let vars = vars.iter().map(|(v, d)| (names[v].clone(), d.clone())).collect();
    Fold { vars, guards, body: map_dims(&f.body, &rename), ..f.clone() }
}

/// The fold with its variables named by their nesting and position.
fn renamed(f: &Fold, vars: &[(Symbol, Dim)]) -> Fold {
    let level = height(&f.body);
    let to: BTreeMap<Symbol, Symbol> =
        vars.iter().enumerate().map(|(i, (v, _))| (v.clone(), Symbol::new(&format!("%fold{level}.{i}")))).collect();
    with_names(f, vars, &to)
}

pub(super) fn named(f: Fold) -> Term {
    let vars = f.vars.clone();
    Term::Fold(Box::new(renamed(&f, &vars)))
}

/// The least of the fold's forms over all orders of its variables (of up to five).
pub(super) fn least(f: Fold) -> Term {
    fn orders(items: &[(Symbol, Dim)]) -> Vec<Vec<(Symbol, Dim)>> {
        if items.is_empty() {
            return vec![Vec::new()];
        }
        let mut out = Vec::new();
        for i in 0..items.len() {
            let mut rest = items.to_vec();
            let first = rest.remove(i);
            for mut tail in orders(&rest) {
                tail.insert(0, first.clone());
                out.push(tail);
            }
        }
        out
    }
    if f.vars.len() > 5 {
        return named(f);
    }
    let best = orders(&f.vars).iter().map(|vars| renamed(&f, vars)).min();
    Term::Fold(Box::new(best.unwrap_or(f)))
}

/// An inner fold whose variables have names that the outer one does not use.
pub(super) fn apart(inner: Fold, outer: &Fold) -> Fold {
    let taken = outer.vars.len() + inner.vars.len();
    let to: BTreeMap<Symbol, Symbol> =
        inner.vars.iter().enumerate().map(|(i, (v, _))| (v.clone(), Symbol::new(&format!("%in{taken}.{i}")))).collect();
    let vars = inner.vars.clone();
    with_names(&inner, &vars, &to)
}
