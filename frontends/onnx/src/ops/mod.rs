//! The operators: one row per operator and range of opsets, in one file per family.
//!
//! A row names the function that lowers the operator in that range. Where the meaning of an operator changed, there are
//! two rows with two functions; what has no row stays opaque. The default domain has rows, and ONNX Runtime's own
//! (`microsoft`).

use std::ops::Range;
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};

use crate::lower::{Lower, Results};
use crate::schema::NEWEST_OPSET;

mod activation;
mod attention;
mod batch_norm;
mod binary;
mod cast;
mod causal_conv;
mod contract;
mod conv;
mod filter;
mod gather;
mod generator;
mod grid;
mod linear_attention;
mod loss;
mod maths;
mod microsoft;
mod movement;
mod normalize;
mod order;
mod pool;
mod quantize;
mod random;
mod recurrent;
mod reduce;
mod resample;
mod rois;
mod rotary;
mod scan;
mod scatter;
mod select;
mod shape;
mod slicing;
mod spectral;
mod unary;

pub use microsoft::DOMAIN as MICROSOFT;
pub use microsoft::refuse_unknown_parts;

/// One past the newest opset.
pub const LATEST: i64 = NEWEST_OPSET + 1;

/// One row.
pub struct Row {
    /// Domain of the operator, canonical.
    pub domain: &'static str,
    /// Operator.
    pub op: &'static str,
    /// Opsets of the model to which the row applies.
    pub opsets: Range<i64>,
    /// How it lowers.
    pub lower: fn(&mut Lower<'_>) -> Results,
}

/// A row of the default domain, to be read as `onnx("Relu", 1..LATEST, relu)`.
const fn onnx(op: &'static str, opsets: Range<i64>, lower: fn(&mut Lower<'_>) -> Results) -> Row {
    Row { domain: "", op, opsets, lower }
}

/// The tables of all families.
const FAMILIES: &[&[Row]] = &[
    unary::ROWS,
    binary::ROWS,
    activation::ROWS,
    cast::ROWS,
    quantize::ROWS,
    shape::ROWS,
    slicing::ROWS,
    movement::ROWS,
    gather::ROWS,
    scatter::ROWS,
    select::ROWS,
    spectral::ROWS,
    grid::ROWS,
    rois::ROWS,
    random::ROWS,
    generator::ROWS,
    reduce::ROWS,
    normalize::ROWS,
    contract::ROWS,
    conv::ROWS,
    pool::ROWS,
    resample::ROWS,
    order::ROWS,
    recurrent::ROWS,
    attention::ROWS,
    rotary::ROWS,
    loss::ROWS,
    linear_attention::ROWS,
    batch_norm::ROWS,
    causal_conv::ROWS,
    microsoft::ELEMENTWISE,
    microsoft::UNPREFIXED,
    microsoft::NORMALIZE,
    microsoft::PRODUCT,
    microsoft::QUANTIZED,
    microsoft::ATTENTION,
    microsoft::GROUP_QUERY,
    microsoft::RECURRENT,
];

/// Every row, by family.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

/// The row for an operator under an opset of its domain.
pub fn find(domain: &str, op: &str, opset: i64) -> Option<&'static Row> {
    type Index = HashMap<&'static str, Vec<&'static Row>>;
    // Of the default domain, and of ONNX Runtime's.
    static INDEX: OnceLock<[Index; 2]> = OnceLock::new();
    let [standard, microsoft] = INDEX.get_or_init(|| {
        let mut index = [Index::new(), Index::new()];
        for row in rows() {
            index[usize::from(!row.domain.is_empty())].entry(row.op).or_default().push(row);
        }
        index
    });
    let rows = match domain {
        "" => standard.get(op)?,
        MICROSOFT => microsoft.get(op)?,
        _ => return None,
    };
    rows.iter().find(|row| row.opsets.contains(&opset)).copied()
}

/// What reading makes of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Expressions over tensors, by a row.
    Expression,
    /// A branch.
    Branch,
    /// A loop.
    Loop,
    /// Nothing: its container is known part by part while reading.
    List,
    /// Itself, opaque.
    Kept,
}

/// What reading makes of an operator under an opset of its domain, its attributes and operands permitting.
pub fn becomes(domain: &str, op: &str, opset: i64) -> Becomes {
    match (domain, op) {
        ("", "If") => Becomes::Branch,
        ("", "Loop" | "Scan" | "SequenceMap") => Becomes::Loop,
        ("", _) if crate::containers::OPERATORS.contains(&op) => Becomes::List,
        _ if find(domain, op, opset).is_some() => Becomes::Expression,
        _ => Becomes::Kept,
    }
}

/// Whether a row is one that only ONNX Runtime has in the default domain.
pub fn unprefixed(row: &Row) -> bool {
    microsoft::UNPREFIXED.iter().any(|own| own.op == row.op && own.opsets == row.opsets)
}

/// Whether operators of the domain have rows at all.
pub fn knows(domain: &str) -> bool {
    domain.is_empty() || domain == MICROSOFT
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::schema;

    #[test]
    fn ranges_neither_overlap_nor_leave_holes() {
        let mut by_op: BTreeMap<&str, Vec<&Range<i64>>> = BTreeMap::new();
        for row in rows().filter(|row| row.domain.is_empty() && !unprefixed(row)) {
            by_op.entry(row.op).or_default().push(&row.opsets);
        }
        for (op, mut ranges) in by_op {
            let versions = schema::all().get(op).unwrap_or_else(|| panic!("{op} is no operator"));
            ranges.sort_by_key(|r| r.start);
            assert_eq!(ranges[0].start, versions[0].since, "{op} starts");
            for pair in ranges.windows(2) {
                assert_eq!(pair[0].end, pair[1].start, "{op}");
            }
            for r in &ranges[1..] {
                assert!(versions.iter().any(|v| v.since == r.start), "{op}: {} is no version", r.start);
            }
            // GroupNormalization 18 is marked so, too, but 21 replaced it.
            let withdrawn = versions.last().filter(|v| v.deprecated).map(|v| v.since);
            assert_eq!(ranges[ranges.len() - 1].end, withdrawn.unwrap_or(LATEST), "{op} ends");
        }
    }

    #[test]
    fn operators_of_onnx_runtime_have_signatures() {
        let mut seen = std::collections::BTreeSet::new();
        for row in rows().filter(|row| row.domain == MICROSOFT) {
            assert!(schema::microsoft().contains_key(row.op), "{}", row.op);
            assert!(seen.insert(row.op), "{} twice", row.op);
        }
        assert!(schema::microsoft().contains_key("SimplifiedLayerNormalization"));
    }
}
