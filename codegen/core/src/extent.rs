//! What is known of extents while code is written: signs by proof, sizes by guess.
//!
//! An extent is a [`Dim`]. Arithmetic on constant ones gives constants, so a decision taken by arithmetic (a chunk, a number
//! of tiles, where a tail starts) is a number in a static kernel and an expression of symbols, evaluated at run time, in
//! another. Only what shapes the code itself (a lane axis, the rows of a register tile) needs a guess.

use egret_ir::dim::{Dim, Symbol, Symbols};

/// Marks the names of symbols that stand for variables of a function instead of extents of the program.
const LOCAL: char = '\0';

/// The symbol that stands for the variable of that name, declared in the function itself: a nonnegative number.
pub fn local(name: &str) -> Symbol {
    Symbol::new(&format!("{LOCAL}{name}"))
}

/// The variable that a symbol stands for, where it is no symbol of the program.
pub fn local_name(s: &Symbol) -> Option<&str> {
    s.name().strip_prefix(LOCAL)
}

/// Whether the value is at least 0 whatever the symbols are; they stand for extents, so none is negative.
pub fn nonnegative(d: &Dim) -> bool {
    match d.as_const() {
        Some(c) => c >= 0,
        None => d.lower_bound(&Symbols::default()).is_some_and(|lo| lo >= 0),
    }
}

/// Whether `a < b` whatever the symbols are.
pub fn below(a: &Dim, b: &Dim) -> bool {
    nonnegative(&(b - a - 1))
}

/// A size to sort extents by where nothing is known of their symbols.
pub fn rough(d: &Dim) -> i64 {
    d.nominal(&Symbols::default())
}

/// A chunk of `total` units: at least one, and where both are numbers no more than there are.
pub fn chunk(size: &Dim, total: &Dim) -> Dim {
    match (size.as_const(), total.as_const()) {
        (Some(size), Some(total)) => Dim::from(size.clamp(1, total.max(1))),
        _ => size.larger(&Dim::ONE),
    }
}
