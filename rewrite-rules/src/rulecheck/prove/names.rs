//! Variables bound by folds: where they occur, and canonical names for them.

use std::collections::BTreeMap;

use egret_ir::op::scalar::Law;
use egret_ir::{Dim, Symbol};

use super::poly::sorted;
use super::term::{Cond, Fold, Product, Term};

fn dim_mentions(d: &Dim, v: &Symbol) -> bool {
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

fn rename_cond(c: &Cond, to: &BTreeMap<Symbol, Symbol>) -> Cond {
    match c {
        Cond::NonNegative(d) => Cond::NonNegative(rename_dim(d, to)),
        Cond::Divides(n, d) => Cond::Divides(*n, rename_dim(d, to)),
    }
}

fn rename_dim(d: &Dim, to: &BTreeMap<Symbol, Symbol>) -> Dim {
    d.substitute(&|s| to.get(s).cloned().map(Dim::symbol))
}

/// With variables renamed; sums are put in order again.
fn rename(t: &Term, to: &BTreeMap<Symbol, Symbol>) -> Term {
    let conds = |list: &[Cond]| {
        let mut out: Vec<Cond> = list.iter().map(|c| rename_cond(c, to)).collect();
        out.sort();
        out
    };
    match t {
        Term::Literal(_) => t.clone(),
        Term::Index(d, dtype) => Term::Index(rename_dim(d, to), *dtype),
        Term::Read(s, dtype, at) => Term::Read(*s, *dtype, at.iter().map(|d| rename_dim(d, to)).collect()),
        Term::Apply(f, args) => {
            let mut args: Vec<Term> = args.iter().map(|a| rename(a, to)).collect();
            if f.has(Law::Commutative) {
                args.sort();
            }
            Term::Apply(*f, args)
        }
        Term::Fold(f) => Term::Fold(Box::new(Fold {
            vars: f.vars.iter().map(|(v, d)| (to.get(v).unwrap_or(v).clone(), rename_dim(d, to))).collect(),
            guards: conds(&f.guards),
            body: rename(&f.body, to),
            ..(**f).clone()
        })),
        Term::Select(when, a, b) => Term::Select(conds(when), rename(a, to).into(), rename(b, to).into()),
        Term::Sum(dtype, products) => {
            let mut products: Vec<Product> = products
                .iter()
                .map(|p| Product {
                    factors: sorted(p.factors.iter().map(|(t, n)| (rename(t, to), *n)).collect()),
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

/// The fold with its variables named by their nesting and position.
fn renamed(f: &Fold, vars: &[(Symbol, Dim)]) -> Fold {
    let level = height(&f.body);
    let to: BTreeMap<Symbol, Symbol> =
        vars.iter().enumerate().map(|(i, (v, _))| (v.clone(), Symbol::new(&format!("%fold{level}.{i}")))).collect();
    let mut guards: Vec<Cond> = f.guards.iter().map(|c| rename_cond(c, &to)).collect();
    guards.sort();
    guards.dedup();
    let vars = vars.iter().map(|(v, d)| (to[v].clone(), d.clone())).collect();
    Fold { vars, guards, body: rename(&f.body, &to), ..f.clone() }
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
    let to: BTreeMap<Symbol, Symbol> = inner
        .vars
        .iter()
        .enumerate()
        .map(|(i, (v, _))| (v.clone(), Symbol::new(&format!("%in{}.{}", taken, i))))
        .collect();
    let vars = inner.vars.iter().map(|(v, d)| (to[v].clone(), d.clone())).collect();
    let guards = inner.guards.iter().map(|c| rename_cond(c, &to)).collect();
    Fold { vars, guards, body: rename(&inner.body, &to), ..inner.clone() }
}
