//! Executor profiles: how exactly an engine computes one operation, as data (`profiles/*.toml`).
//!
//! A profile is [`BASE`] with an engine's own rows before it. A row is looked up by kind and, first, by the ONNX operator
//! the operation is part of. Every tolerance that is printed names its row.

use std::fmt;

use egret_ir::DType;
use egret_ir::op::scalar::{Scalar, Types};
use serde::{Deserialize, Serialize};

/// The rows every profile ends with.
pub const BASE: &str = include_str!("../profiles/base.toml");

/// Engines with own rows, by the name executors give.
pub static ENGINES: &[(&str, &str)] = &[
    ("onnxruntime", include_str!("../profiles/onnxruntime.toml")),
    ("interpreter", include_str!("../profiles/interpreter.toml")),
    ("compiled", include_str!("../profiles/compiled.toml")),
    ("libtorch", include_str!("../profiles/libtorch.toml")),
    ("litert", include_str!("../profiles/litert.toml")),
];

/// Constants of one quantity (a bound or a standard deviation), in units of u.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Constants {
    /// Times |y|.
    pub relative: f64,
    /// As it is; the larger of this and the relative part counts.
    pub absolute: f64,
    /// Times Σ|terms|.
    pub scale: f64,
    /// Times √K·Σ|terms|.
    pub root_k: f64,
    /// Times K·Σ|terms|: what a sum in sequence does when all its roundings go one way.
    pub linear: f64,
    /// Times √K·|y|: a sum in sequence rounds partial sums as large as its result.
    pub sequence: f64,
}

impl Constants {
    /// In units of u: `y` is the result, `terms` the sum of magnitudes of its `k` terms. `add` and `sub` have two terms,
    /// other elementwise rows none.
    pub fn of(&self, y: f64, terms: f64, k: f64) -> f64 {
        let own = ((self.relative + self.sequence * k.sqrt()) * y.abs()).max(self.absolute);
        own + (self.scale + self.root_k * k.sqrt() + self.linear * k) * terms
    }

    /// Whether terms matter.
    pub fn has_terms(&self) -> bool {
        [self.scale, self.root_k, self.linear, self.sequence].iter().any(|c| *c != 0.0)
    }

    /// Whether there is no error at all.
    pub fn is_exact(&self) -> bool {
        *self == Self::default()
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// A row of the scalar table, a class of them, or `contract`, `sum`, `prod`.
    pub kind: String,
    /// The ONNX operator it is confined to.
    #[serde(default)]
    pub op: Option<String>,
    /// No honest result errs by more.
    pub bound: Constants,
    /// Standard deviation of an honest error.
    pub noise: Constants,
    /// Where the constants come from.
    pub source: String,
}

/// `contract`, or `sum in ReduceSum`.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.op {
            None => f.write_str(&self.kind),
            Some(op) => write!(f, "{} in {op}", self.kind),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    engine: String,
    row: Vec<Row>,
}

/// The rows of an engine.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What was measured.
    pub engine: String,
    rows: Vec<Row>,
}

/// Why a profile does not load.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// No engine of that name.
    #[error("no executor profile `{0}`")]
    Unknown(String),
    /// The text is no profile.
    #[error("profile `{name}`: {reason}")]
    Text {
        /// The profile.
        name: String,
        /// The parser's text, with line and column.
        reason: String,
    },
    /// A kind that names nothing.
    #[error("profile `{name}`: `{kind}` is no kind")]
    Kind {
        /// The profile.
        name: String,
        /// The kind.
        kind: String,
    },
    /// A kind without a row: nothing has a default tolerance in silence.
    #[error("profile `{name}` has no row for `{kind}`")]
    Missing {
        /// The profile.
        name: String,
        /// The kind.
        kind: &'static str,
    },
}

/// The classes that scalar rows fall into where they have no row of their own.
const CLASSES: [&str; 4] = ["exact", "rounded", "elementary", "periodic"];
const FOLDS: [&str; 3] = ["contract", "sum", "prod"];

/// The class of a scalar row.
pub fn class(s: Scalar) -> &'static str {
    match s {
        Scalar::Add | Scalar::Sub | Scalar::Mul | Scalar::Div | Scalar::Cast(_) => "rounded",
        Scalar::RemFloor | Scalar::RemTrunc | Scalar::Sqrt => "rounded",
        Scalar::Neg | Scalar::Abs | Scalar::Min | Scalar::Max | Scalar::Floor | Scalar::Ceil | Scalar::Round => "exact",
        Scalar::Sign | Scalar::IsNan | Scalar::IsInf(_) | Scalar::Eq | Scalar::Lt | Scalar::Le | Scalar::And => "exact",
        Scalar::Or | Scalar::Xor | Scalar::Not | Scalar::Shl | Scalar::Shr | Scalar::Select | Scalar::BitCast(_) => {
            "exact"
        }
        Scalar::Sin | Scalar::Cos | Scalar::Tan => "periodic",
        Scalar::Pow | Scalar::Exp | Scalar::Log | Scalar::Log1p | Scalar::Asin | Scalar::Acos | Scalar::Atan => {
            "elementary"
        }
        Scalar::Sinh | Scalar::Cosh | Scalar::Tanh | Scalar::Asinh | Scalar::Acosh | Scalar::Atanh => "elementary",
        Scalar::Erf | Scalar::Sigmoid => "elementary",
    }
}

impl Profile {
    /// The profile of an engine.
    pub fn load(name: &str) -> Result<Self, ProfileError> {
        let own = ENGINES.iter().find(|(n, _)| *n == name).ok_or_else(|| ProfileError::Unknown(name.to_owned()))?.1;
        Self::parse(name, own)
    }

    /// A profile from text; the rows of [`BASE`] follow its own.
    pub fn parse(name: &str, text: &str) -> Result<Self, ProfileError> {
        let read = |text: &str| {
            toml::from_str::<File>(text)
                .map_err(|e| ProfileError::Text { name: name.to_owned(), reason: e.to_string().trim_end().to_owned() })
        };
        let (own, base) = (read(text)?, read(BASE)?);
        let profile = Self { engine: own.engine, rows: own.row.into_iter().chain(base.row).collect() };
        for row in &profile.rows {
            let kind = row.kind.as_str();
            let scalar = Scalar::from_name(kind, None).is_some() || kind == "cast";
            if !scalar && !CLASSES.contains(&kind) && !FOLDS.contains(&kind) {
                return Err(ProfileError::Kind { name: name.to_owned(), kind: kind.to_owned() });
            }
        }
        for kind in CLASSES.into_iter().chain(FOLDS) {
            if !profile.rows.iter().any(|r| r.kind == kind && r.op.is_none()) {
                return Err(ProfileError::Missing { name: name.to_owned(), kind });
            }
        }
        Ok(profile)
    }

    fn find(&self, kinds: &[&str], op: Option<&str>) -> &Row {
        let of = |kind: &str, op: Option<&str>| self.rows.iter().find(|r| r.kind == kind && r.op.as_deref() == op);
        let confined = op.and_then(|op| kinds.iter().find_map(|k| of(k, Some(op))));
        confined
            .or_else(|| kinds.iter().find_map(|k| of(k, None)))
            .expect("`parse` has seen a row for every class and fold")
    }

    /// The row of a scalar function inside an ONNX operator.
    pub fn scalar(&self, s: Scalar, op: Option<&str>) -> &Row {
        self.find(&[s.name(), class(s)], op)
    }

    /// The row of contractions inside an ONNX operator.
    pub fn contract(&self, op: Option<&str>) -> &Row {
        self.find(&["contract"], op)
    }

    /// The row of sums.
    pub fn sum(&self, op: Option<&str>) -> &Row {
        self.find(&["sum"], op)
    }

    /// The row of products.
    pub fn prod(&self, op: Option<&str>) -> &Row {
        self.find(&["prod"], op)
    }
}

/// The unit roundoff of a float type: half the distance from 1 to the next number. 0 for exact types.
pub fn unit_roundoff(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F32 => 2f64.powi(-24),
        DType::F64 => 2f64.powi(-53),
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => 0.0,
    }
}

/// The smallest normal number of a float type: engines may flush what is below to zero.
pub fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => 2f64.powi(-126),
        DType::F64 => f64::MIN_POSITIVE,
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => 0.0,
    }
}

/// The largest finite number of a float type; infinite for exact types.
pub fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => f64::from(half::bf16::MAX),
        DType::F32 => f64::from(f32::MAX),
        DType::F64 => f64::MAX,
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Bool => f64::INFINITY,
    }
}

/// Whether a scalar row has a float result for float operands (the others cannot round).
pub fn rounds(s: Scalar) -> bool {
    !matches!(s.def().types, Types::FloatToBool | Types::Equality | Types::Order | Types::Bits | Types::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_loads_and_has_every_scalar() {
        for (name, _) in ENGINES {
            let p = Profile::load(name).unwrap();
            for s in Scalar::plain() {
                let row = p.scalar(s, Some("Nothing"));
                assert!(row.bound.relative >= row.noise.relative, "{name} {row}");
            }
        }
        assert_eq!(Profile::load("abacus").unwrap_err(), ProfileError::Unknown("abacus".into()));
    }

    #[test]
    fn the_operators_row_comes_before_the_kinds() {
        let p = Profile::load("onnxruntime").unwrap();
        assert_eq!(p.sum(Some("ReduceSum")).to_string(), "sum in ReduceSum");
        assert_eq!(p.sum(Some("Softmax")).to_string(), "sum");
        assert_eq!(p.scalar(Scalar::Sigmoid, None).bound.absolute, 4.0);
        assert_eq!(p.scalar(Scalar::Max, None).kind, "exact");
    }

    #[test]
    fn faults_in_profiles_are_named() {
        let text = "engine = \"x\"\n[[row]]\nkind = \"sigmoidd\"\nbound = {}\nnoise = {}\nsource = \"\"\n";
        assert_eq!(
            Profile::parse("p", text).unwrap_err(),
            ProfileError::Kind { name: "p".into(), kind: "sigmoidd".into() }
        );
        assert!(matches!(Profile::parse("p", "engine = 1"), Err(ProfileError::Text { .. })));
    }
}
