//! Numeric classes: how far a rewrite may change bits.

use serde::{Deserialize, Serialize};

/// How far a rule may change bits; each class contains the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numeric {
    /// The same bits, NaN, Inf and −0.0 included (the sign of a zero out of min, max or a sum aside).
    Exact,
    /// The same real value and the same NaN/Inf pattern unless finite inputs overflow; rounding may differ.
    Reassociates,
    /// Only without NaN, Inf and −0.0.
    Finite,
    /// Precision changes.
    Approximates,
}

impl Numeric {
    /// Every class, strictest first.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Reassociates, Self::Finite, Self::Approximates];

    /// The word in rule files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Reassociates => "reassociates",
            Self::Finite => "finite",
            Self::Approximates => "approximates",
        }
    }

    /// The class of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|n| n.name() == name)
    }
}
