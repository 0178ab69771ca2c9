//! The operators: one row per operator, in one file per family.
//!
//! A row says on what the operator works ([`Form`]), how many operands it takes, and which function lowers it. An operator
//! without a row is not supported.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::lower::{Lower, Results};

mod activation;
mod contract;
mod conv;
mod convert;
mod elementwise;
mod index;
mod movement;
mod pool;
mod reduce;
mod resize;
mod shape;
mod slicing;

/// On what an operator works where its tensors are quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// On the real numbers: quantized operands are converted before, a quantized result after.
    Real,
    /// On the stored numbers, which it only moves: an operand with other parameters than the result is converted before.
    Moves,
    /// On the stored numbers; the function itself looks at the parameters.
    Stored,
}

/// One row.
pub struct Row {
    /// The builtin operator, as the schema names it.
    pub op: &'static str,
    /// On what it works.
    pub form: Form,
    /// Least and greatest number of operands.
    pub operands: (usize, usize),
    /// How it lowers.
    pub(crate) lower: fn(&mut Lower<'_>) -> Results,
}

/// A row for real numbers, to be read as `real("ADD", (2, 2), add)`.
const fn real(op: &'static str, operands: (usize, usize), lower: fn(&mut Lower<'_>) -> Results) -> Row {
    Row { op, form: Form::Real, operands, lower }
}

/// A row that moves elements.
const fn moves(op: &'static str, operands: (usize, usize), lower: fn(&mut Lower<'_>) -> Results) -> Row {
    Row { op, form: Form::Moves, operands, lower }
}

/// A row for stored numbers.
const fn stored(op: &'static str, operands: (usize, usize), lower: fn(&mut Lower<'_>) -> Results) -> Row {
    Row { op, form: Form::Stored, operands, lower }
}

/// Any number of operands from one on.
const SOME: (usize, usize) = (1, usize::MAX);

const FAMILIES: &[&[Row]] = &[
    elementwise::ROWS,
    activation::ROWS,
    convert::ROWS,
    shape::ROWS,
    slicing::ROWS,
    movement::ROWS,
    index::ROWS,
    reduce::ROWS,
    contract::ROWS,
    conv::ROWS,
    pool::ROWS,
    resize::ROWS,
];

/// Every row, by family.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

/// The row of an operator.
pub fn find(op: &str) -> Option<&'static Row> {
    static INDEX: OnceLock<BTreeMap<&'static str, &'static Row>> = OnceLock::new();
    INDEX.get_or_init(|| rows().map(|row| (row.op, row)).collect()).get(op).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tflite::BuiltinOperator;

    #[test]
    fn every_row_is_an_operator_of_the_schema_and_the_only_one_of_it() {
        let known: Vec<&str> = (0..=209).filter_map(|n| BuiltinOperator(n).variant_name()).collect();
        let mut seen = std::collections::BTreeSet::new();
        for row in rows() {
            assert!(known.contains(&row.op), "{} is no operator", row.op);
            assert!(seen.insert(row.op), "{} has two rows", row.op);
            assert!(row.operands.0 <= row.operands.1, "{}", row.op);
        }
    }
}
