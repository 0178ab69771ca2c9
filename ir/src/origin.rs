//! Where a node comes from: a node of the imported model, a line of a text file, or rules applied to other origins.

use std::fmt;
use std::sync::Arc;

/// One place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A node of an ONNX model; `name` is its name or, where it has none, its first output.
    Onnx {
        /// Position in the model's node list (call path of inlined functions before it in `name`).
        index: u32,
        /// ONNX operator.
        op: Arc<str>,
        /// Node name.
        name: Arc<str>,
    },
    /// A named graph input or initializer.
    Value(Arc<str>),
    /// A line of a text file (1-based).
    Text {
        /// Line.
        line: u32,
        /// Column.
        column: u32,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Onnx { index, op, name } => write!(f, "node {index} `{name}` ({op})"),
            Self::Value(name) => write!(f, "value `{name}`"),
            Self::Text { line, column } => write!(f, "{line}:{column}"),
        }
    }
}

/// A small set of origins, sorted, capped at [`Origins::CAP`]; cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origins(Option<Arc<[Origin]>>);

impl Origins {
    /// More than this many joined origins are not recorded.
    pub const CAP: usize = 16;

    /// One place.
    pub fn one(o: Origin) -> Self {
        Self(Some([o].into()))
    }

    /// Nowhere.
    pub fn none() -> Self {
        Self(None)
    }

    /// The places.
    pub fn iter(&self) -> std::slice::Iter<'_, Origin> {
        self.0.as_deref().unwrap_or_default().iter()
    }

    /// Places of both, the first [`Origins::CAP`] in order.
    pub fn join(&self, other: &Self) -> Self {
        if other.0.is_none() || self.0 == other.0 {
            return self.clone();
        }
        if self.0.is_none() {
            return other.clone();
        }
        let mut all: Vec<Origin> = self.iter().chain(other.iter()).cloned().collect();
        all.sort();
        all.dedup();
        all.truncate(Self::CAP);
        Self(Some(all.into()))
    }
}

impl<'a> IntoIterator for &'a Origins {
    type Item = &'a Origin;
    type IntoIter = std::slice::Iter<'a, Origin>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, o) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{o}")?;
        }
        Ok(())
    }
}
