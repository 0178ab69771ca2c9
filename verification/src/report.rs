//! What a comparison says, for people ([`std::fmt::Display`]) and programs (serde).

use std::fmt;

use serde::Serialize;

use crate::checks::{Fault, Skipped, ValueCheck};
use crate::criteria::{FLOOR_RMS, FLOOR_Z, Floor, Pattern};
use crate::derivation::Blame;

/// The verdict on two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Equal, rounding aside.
    Equal,
    /// Every node is within its bound and still an output is beyond its floor: the model amplifies rounding.
    RoundingDrift,
    /// Inputs or outputs have other names, orders or types.
    Interface,
    /// Integers, truth values or moved elements differ.
    Exact,
    /// NaN and Inf are elsewhere.
    Overflow,
    /// A node, region or output is beyond what rounding explains.
    Semantic,
    /// The reference's meaning as read and ONNX Runtime on the original model differ: no verdict on the subject can be
    /// trusted.
    OraclesDisagree,
}

impl Verdict {
    /// Whether the two compute the same function.
    pub fn is_equal(self) -> bool {
        matches!(self, Self::Equal | Self::RoundingDrift)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal within rounding",
            Self::RoundingDrift => {
                "equal, ill-conditioned: every node is within its bound, rounding is amplified beyond the floor"
            }
            Self::Interface => "NOT EQUAL: the interfaces differ",
            Self::Exact => "NOT EQUAL: values that admit no rounding differ",
            Self::Overflow => "NOT EQUAL: NaN or Inf in other places",
            Self::Semantic => "NOT EQUAL: beyond what rounding explains",
            Self::OraclesDisagree => "NO VERDICT: ONNX Runtime gives another result for the reference itself",
        })
    }
}

/// An output of whole numbers or truth values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Discrete {
    /// Elements that differ without excuse.
    pub wrong: usize,
    /// Elements that differ where rounding decides.
    pub flipped: usize,
    /// Elements that rounding decides, different or not.
    pub undecidable: usize,
    /// First position without excuse: position, expected, got.
    pub first: Option<(usize, f64, f64)>,
}

/// How an output compares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Comparison {
    /// Floats beside their floor.
    Float(Floor),
    /// Whole numbers or truth values.
    Discrete(Discrete),
    /// Another type or shape.
    Type {
        /// The reference's.
        expected: String,
        /// The subject's.
        got: String,
    },
}

/// One output, over all samples.
#[derive(Clone, Debug, Serialize)]
pub struct OutputReport {
    /// Its name.
    pub name: String,
    /// The worst sample.
    pub comparison: Comparison,
    /// Whether it is equal within rounding.
    pub passes: bool,
}

/// How many values were checked with forced inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Checked.
    pub checked: usize,
    /// Over their bound, not excused.
    pub failed: usize,
    /// Explained by a known fault of the engine.
    pub excused: usize,
    /// Elements of checked values a step of an integer away, where rounding decides to which side of a tie it goes.
    pub turned: usize,
    /// Shown by the subject but unknown to the reference, or reverse.
    pub unpaired: usize,
    /// Known to both but not evaluable.
    pub skipped: usize,
}

/// The outcome of one comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The reference model.
    pub reference: String,
    /// What was compared with it.
    pub subject: String,
    /// The engine that ran the subject.
    pub engine: String,
    /// Whose rounding was assumed.
    pub profile: String,
    /// Seeded inputs compared.
    pub samples: usize,
    /// Random-rounding runs behind each floor.
    pub runs: usize,
    /// Verdict.
    pub verdict: Verdict,
    /// Differences of the interfaces.
    pub interface: Vec<String>,
    /// The outputs.
    pub outputs: Vec<OutputReport>,
    /// Values checked with forced inputs, over all samples.
    pub values: Counts,
    /// The first value over its bound.
    pub first: Option<ValueCheck>,
    /// Values nearest to (or over) their bounds.
    pub top: Vec<ValueCheck>,
    /// Values that could not be checked.
    pub skipped: Vec<Skipped>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// Whether ONNX Runtime gave other outputs for the reference itself.
    pub disputed: bool,
    /// Rules that changed a value, where the subject was optimized again to find them; the first one first.
    pub blamed: Vec<Blame>,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {} is {:e}, expected {:e}", self.at, self.got, self.truth)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { expected, got } => write!(f, "{got}, expected {expected}"),
            Self::Pattern(p) => write!(f, "{p}"),
            Self::Exact { at, expected, got, count } => {
                write!(f, "element {at} is {got}, expected {expected} ({count} elements differ, none may)")
            }
            Self::Bound { at, error, bound } => {
                write!(f, "error {error:.3e} in element {at} over the bound {bound:.3e}")
            }
            Self::Coherence(c) => {
                write!(f, "results scaled by 1 {} {:.3e}", if c.beta < 0.0 { '-' } else { '+' }, c.beta.abs())?;
                match c.channel {
                    Some(channel) => write!(f, " in output channel {channel}")?,
                    None => write!(f, " throughout")?,
                }
                write!(f, " ({:.1} times what rounding can do)", c.ratio)
            }
            Self::Floor(floor) => write!(f, "error {}", Beside(floor)),
        }
    }
}

/// An error beside its floor.
struct Beside<'a>(&'a Floor);

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Floor { rms_error, rms_sigma, rms_ratio, z, .. } = self.0;
        write!(f, "{rms_error:.2e} rms, floor {rms_sigma:.2e} (ratio {rms_ratio:.2} of {FLOOR_RMS}), z {z:.1}")
    }
}

impl fmt::Display for ValueCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of {} ({})", self.name, self.step, self.op)?;
        if let Some(fault) = &self.fault {
            write!(f, ": {fault}")?;
        }
        if let Some(excuse) = &self.excuse {
            write!(f, "; known: {excuse}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}  against  {}", self.subject, self.reference)?;
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        writeln!(
            f,
            "engine {} ({}); {} sample{}, {} random-rounding runs",
            self.engine,
            self.profile,
            self.samples,
            plural(self.samples),
            self.runs
        )?;
        for difference in &self.interface {
            writeln!(f, "  interface: {difference}")?;
        }
        if !self.outputs.is_empty() {
            let width = self.outputs.iter().map(|o| o.name.chars().count()).max().unwrap_or(0).clamp(6, 40);
            writeln!(
                f,
                "  {:width$}  {:>9}  {:>9}  {:>9}  {:>7}  {:>7}  verdict",
                "output",
                "rms",
                "error",
                "floor",
                format!("ratio<{FLOOR_RMS}"),
                format!("z<{FLOOR_Z}")
            )?;
            for o in &self.outputs {
                let verdict = if o.passes { "equal" } else { "OVER" };
                match &o.comparison {
                    Comparison::Float(c) => {
                        writeln!(
                            f,
                            "  {:width$}  {:>9.2e}  {:>9.2e}  {:>9.2e}  {:>7.2}  {:>7.2}  {verdict}",
                            o.name, c.rms_value, c.rms_error, c.rms_sigma, c.rms_ratio, c.z
                        )?;
                        if let Some(p) = c.pattern {
                            writeln!(f, "    {p}")?;
                        }
                    }
                    Comparison::Discrete(d) => {
                        writeln!(
                            f,
                            "  {:width$}  {} wrong, {} flipped within rounding, {} undecidable  {verdict}",
                            o.name, d.wrong, d.flipped, d.undecidable
                        )?;
                        if let Some((at, expected, got)) = d.first {
                            writeln!(f, "    element {at} is {got}, expected {expected}")?;
                        }
                    }
                    Comparison::Type { expected, got } => {
                        writeln!(f, "  {:width$}  {got}, expected {expected}  {verdict}", o.name)?;
                    }
                }
            }
        }
        let Counts { checked, failed, excused, turned, unpaired, skipped } = self.values;
        if checked + skipped + unpaired > 0 {
            write!(f, "  {checked} values with forced inputs: {failed} over their bound")?;
            if excused > 0 {
                write!(f, ", {excused} known faults of the engine")?;
            }
            writeln!(f, "; {unpaired} unpaired, {skipped} not evaluable")?;
            if turned > 0 {
                writeln!(
                    f,
                    "  {turned} elements on the other side of a tie before rounding to integers, within the bound"
                )?;
            }
        }
        if let Some(first) = &self.first {
            writeln!(f, "  first: {first}")?;
            for (row, source) in &first.rows {
                writeln!(f, "    bound by row {row}: {source}")?;
            }
        } else if let Some(nearest) = self.top.first() {
            writeln!(f, "  nearest to its bound: {nearest} at {:.0} % of it", 100.0 * nearest.score)?;
        }
        if let Some((first, others)) = self.blamed.split_first() {
            writeln!(f, "  {first}")?;
            if !others.is_empty() {
                let mut names: Vec<&str> = others.iter().map(|b| b.rule.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                writeln!(f, "  and {} more steps change a value, of: {}", others.len(), names.join(", "))?;
            }
        }
        for note in &self.notes {
            writeln!(f, "  note: {note}")?;
        }
        write!(f, "  {}", self.verdict)
    }
}
