//! Index specs: einsum labels whose operand axes may be windows. They are the attribute of Contract and Reduce, and with
//! index positions (`@`) of Gather and Scatter.
//!
//! An operand axis is either a plain label or a window `(stride·o + dil·k − lo) / in_dil`: it is read at that position if
//! the value divides and lies inside the axis, and the term is skipped otherwise.

use std::fmt;

use smallvec::{SmallVec, smallvec};

use crate::dim::{Dim, Shape};

/// A label, canonically numbered: result labels first, in result order, then the others by first appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u8);

impl Label {
    /// Its index in extent tables.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A window axis: position `(stride·out + dil·tap − lo) / in_dil`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Window {
    /// The label that stays (in the result).
    pub out: Label,
    /// The label that is folded (not in the result).
    pub tap: Label,
    /// ≥ 1.
    pub stride: i64,
    /// ≠ 0; negative for transposed convolutions.
    pub dil: i64,
    /// Cells skipped before the operand's first one (lower padding); may be negative.
    pub lo: i64,
    /// ≥ 1; above 1 for transposed convolutions.
    pub in_dil: i64,
}

/// One axis of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ix {
    /// The axis is the label.
    Label(Label),
    /// The axis is a window over two labels.
    Window(Window),
}

/// The index spec of a Contract (two operands) or Reduce (one).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spec {
    ins: Box<[Box<[Ix]>]>,
    rank: u8,
    labels: u8,
    ext: Box<[(Label, Dim)]>,
}

/// Labels while a spec is made.
type Labels = SmallVec<[Label; 16]>;

/// Why labels are no spec, or a spec does not fit its operands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The same label twice in the result.
    #[error("label {0} is twice in the result")]
    DoubleOut(char),
    /// The same label twice in one operand.
    #[error("label {0} is twice in one operand")]
    DoubleIn(char),
    /// A result label that no operand has.
    #[error("result label {0} is in no operand")]
    Unbound(char),
    /// A window's staying label must be in the result, its tap must not.
    #[error("window of {0} and {1}: the first must be in the result, the second must not")]
    WindowSides(char, char),
    /// stride and in_dil ≥ 1, dil ≠ 0.
    #[error("window of {0} and {1} has a zero or negative step")]
    WindowSteps(char, char),
    /// A window label without an extent.
    #[error("window label {0} has no extent")]
    NoExtent(char),
    /// Too many labels.
    #[error("more than 52 labels")]
    TooMany,
    /// Operand rank differs from the spec's.
    #[error("operand {operand} has rank {got}, the spec says {expected}")]
    Rank {
        /// Operand position.
        operand: usize,
        /// Rank in the spec.
        expected: usize,
        /// Rank given.
        got: usize,
    },
    /// A label with two extents that are not provably equal.
    #[error("label {label} is {a} in one place and {b} in another")]
    Extent {
        /// The label.
        label: char,
        /// One extent.
        a: Dim,
        /// The other.
        b: Dim,
    },
    /// A wrong number of operands.
    #[error("{expected} operands expected, got {got}")]
    Operands {
        /// Operands in the spec.
        expected: usize,
        /// Operands given.
        got: usize,
    },
}

/// The letter a label prints as.
pub fn letter(l: Label) -> char {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    LETTERS.get(l.index()).map_or('?', |c| *c as char)
}

impl Spec {
    /// A spec from labels in any numbering; `ext` gives the extents of labels that appear in windows (others are dropped).
    pub fn new(ins: &[Vec<Ix>], out: &[Label], ext: &[(Label, Dim)]) -> Result<Self, SpecError> {
        let mut order = Labels::new();
        for l in out {
            if order.contains(l) {
                return Err(SpecError::DoubleOut(letter(*l)));
            }
            order.push(*l);
        }
        let mut windowed = Labels::new();
        let mut bound = Labels::new();
        for operand in ins {
            let mut seen = Labels::new();
            for ix in operand {
                let labels: SmallVec<[Label; 2]> = match ix {
                    Ix::Label(l) => smallvec![*l],
                    Ix::Window(w) => {
                        if !out.contains(&w.out) || out.contains(&w.tap) {
                            return Err(SpecError::WindowSides(letter(w.out), letter(w.tap)));
                        }
                        if w.stride < 1 || w.in_dil < 1 || w.dil == 0 {
                            return Err(SpecError::WindowSteps(letter(w.out), letter(w.tap)));
                        }
                        windowed.extend([w.out, w.tap]);
                        smallvec![w.out, w.tap]
                    }
                };
                for l in labels {
                    if seen.contains(&l) {
                        return Err(SpecError::DoubleIn(letter(l)));
                    }
                    seen.push(l);
                    bound.push(l);
                    if !order.contains(&l) {
                        order.push(l);
                    }
                }
            }
        }
        if let Some(l) = out.iter().find(|l| !bound.contains(l)) {
            return Err(SpecError::Unbound(letter(*l)));
        }
        if order.len() > 52 {
            return Err(SpecError::TooMany);
        }
        let renamed = |l: Label| Label(order.iter().position(|o| *o == l).unwrap_or(0) as u8);
        let mut extents = Vec::new();
        windowed.sort();
        windowed.dedup();
        for l in &windowed {
            let Some((_, d)) = ext.iter().find(|(e, _)| e == l) else { return Err(SpecError::NoExtent(letter(*l))) };
            extents.push((renamed(*l), d.clone()));
        }
        extents.sort();
        let ins = ins
            .iter()
            .map(|operand| {
                operand
                    .iter()
                    .map(|ix| match ix {
                        Ix::Label(l) => Ix::Label(renamed(*l)),
                        Ix::Window(w) => Ix::Window(Window { out: renamed(w.out), tap: renamed(w.tap), ..*w }),
                    })
                    .collect()
            })
            .collect();
        Ok(Self { ins, rank: out.len() as u8, labels: order.len() as u8, ext: extents.into() })
    }

    /// Plain einsum from label lists: `Spec::plain(&["bmk", "bkn"], "bmn")`.
    pub fn plain(ins: &[&str], out: &str) -> Result<Self, SpecError> {
        let label = |c: char| Label((c as u32).min(255) as u8);
        let ins: Vec<Vec<Ix>> = ins.iter().map(|o| o.chars().map(|c| Ix::Label(label(c))).collect()).collect();
        Self::new(&ins, &out.chars().map(label).collect::<Vec<_>>(), &[])
    }

    /// Folds `axes` of a rank-`rank` operand, keeping the others in order.
    pub fn fold(rank: usize, axes: &[usize]) -> Result<Self, SpecError> {
        let labels: Vec<Label> = (0..rank).map(|i| Label(i as u8)).collect();
        let out: Vec<Label> = labels.iter().copied().filter(|l| !axes.contains(&l.index())).collect();
        Self::new(&[labels.into_iter().map(Ix::Label).collect()], &out, &[])
    }

    /// Operand axes.
    pub fn ins(&self) -> &[Box<[Ix]>] {
        &self.ins
    }

    /// Result labels: always `0..rank`.
    pub fn out(&self) -> impl Iterator<Item = Label> + use<> {
        (0..self.rank).map(Label)
    }

    /// Rank of the result.
    pub fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// Folded labels: `rank..label_count`.
    pub fn folded(&self) -> impl Iterator<Item = Label> + use<> {
        (self.rank..self.labels).map(Label)
    }

    /// Number of labels.
    pub fn label_count(&self) -> usize {
        usize::from(self.labels)
    }

    /// Extents of window labels.
    pub fn ext(&self) -> &[(Label, Dim)] {
        &self.ext
    }

    /// Whether any axis is a window.
    pub fn has_windows(&self) -> bool {
        !self.ext.is_empty()
    }

    /// Where a label is a whole axis of an operand.
    pub fn axis_of(&self, operand: usize, label: Label) -> Option<usize> {
        self.ins[operand].iter().position(|ix| *ix == Ix::Label(label))
    }

    /// Whether an operand mentions a label, in a window or plain.
    pub fn mentions(&self, operand: usize, label: Label) -> bool {
        self.ins[operand].iter().any(|ix| match ix {
            Ix::Label(l) => *l == label,
            Ix::Window(w) => w.out == label || w.tap == label,
        })
    }

    /// The extent of every label, by label number, given the operands' shapes.
    pub fn extents(&self, shapes: &[&[Dim]]) -> Result<Vec<Dim>, SpecError> {
        if shapes.len() != self.ins.len() {
            return Err(SpecError::Operands { expected: self.ins.len(), got: shapes.len() });
        }
        let mut extents: Vec<Option<Dim>> = vec![None; self.label_count()];
        for (l, d) in &self.ext {
            extents[l.index()] = Some(d.clone());
        }
        for (operand, (axes, shape)) in self.ins.iter().zip(shapes).enumerate() {
            if axes.len() != shape.len() {
                return Err(SpecError::Rank { operand, expected: axes.len(), got: shape.len() });
            }
            for (ix, d) in axes.iter().zip(*shape) {
                let Ix::Label(l) = ix else { continue };
                match &extents[l.index()] {
                    Some(e) if e != d => {
                        return Err(SpecError::Extent { label: letter(*l), a: e.clone(), b: d.clone() });
                    }
                    _ => extents[l.index()] = Some(d.clone()),
                }
            }
        }
        Ok(extents.into_iter().map(|e| e.unwrap_or(Dim::INVALID)).collect())
    }

    /// The result's shape, given the operands'.
    pub fn out_shape(&self, shapes: &[&[Dim]]) -> Result<Shape, SpecError> {
        let mut extents = self.extents(shapes)?;
        extents.truncate(self.rank());
        Ok(extents)
    }
}

fn write_ix(f: &mut fmt::Formatter<'_>, ix: &Ix) -> fmt::Result {
    match ix {
        Ix::Label(l) => write!(f, "{}", letter(*l)),
        Ix::Window(w) => {
            let term = |c: i64, l: Label| match c {
                1 => letter(l).to_string(),
                -1 => format!("-{}", letter(l)),
                c => format!("{c}{}", letter(l)),
            };
            let tap = term(w.dil, w.tap);
            let plus = if tap.starts_with('-') { "" } else { "+" };
            let lo = match w.lo {
                0 => String::new(),
                lo if lo > 0 => format!("-{lo}"),
                lo => format!("+{}", -lo),
            };
            if w.in_dil == 1 {
                write!(f, "{}{plus}{tap}{lo}", term(w.stride, w.out))
            } else {
                write!(f, "({}{plus}{tap}{lo})/{}", term(w.stride, w.out), w.in_dil)
            }
        }
    }
}

/// `{a e 2c+f-1, b e f -> a b c | c=112 f=3}`.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, operand) in self.ins.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            for (j, ix) in operand.iter().enumerate() {
                if j > 0 {
                    f.write_str(" ")?;
                }
                write_ix(f, ix)?;
            }
        }
        f.write_str(" ->")?;
        for l in self.out() {
            write!(f, " {}", letter(l))?;
        }
        if !self.ext.is_empty() {
            f.write_str(" |")?;
            for (l, d) in &self.ext {
                write!(f, " {}={d}", letter(*l))?;
            }
        }
        f.write_str("}")
    }
}

/// One axis of the data operand of a Gather or Scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataIx {
    /// The axis is the label.
    Label(Label),
    /// The axis is read at the index operand's value (the k-th `@` takes component k).
    At,
}

/// What a negative index means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Negative {
    /// Counted from the axis's end.
    Wraps,
    /// Out of range.
    Never,
}

/// The spec of Gather and Scatter: `p @ s, n -> p n s` is `out[p,n,s] = data[p, ix[n], s]`. With k ≠ 1 `@`s the index
/// operand has a last axis of extent k, which has no label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GatherSpec {
    /// Axes of the data.
    pub data: Box<[DataIx]>,
    /// Labels of the index operand (without the component axis).
    pub ix: Box<[Label]>,
    /// Rank of the result, whose labels are `0..rank`.
    pub rank: u8,
    /// Reading of negative indices.
    pub negative: Negative,
}

impl GatherSpec {
    /// A spec with canonical labels (result labels are 0..rank in order); checks that the result's labels are just those
    /// of data and index, each once per operand.
    pub fn new(data: &[DataIx], ix: &[Label], out: &[Label], negative: Negative) -> Result<Self, SpecError> {
        for (i, l) in out.iter().enumerate() {
            if out[..i].contains(l) {
                return Err(SpecError::DoubleOut(letter(*l)));
            }
        }
        let renamed =
            |l: Label| out.iter().position(|o| *o == l).map(|i| Label(i as u8)).ok_or(SpecError::Unbound(letter(l)));
        let data: Box<[DataIx]> = data
            .iter()
            .map(|d| match d {
                DataIx::At => Ok(DataIx::At),
                DataIx::Label(l) => renamed(*l).map(DataIx::Label),
            })
            .collect::<Result<_, _>>()?;
        let ix: Box<[Label]> = ix.iter().map(|l| renamed(*l)).collect::<Result<_, _>>()?;
        for (i, l) in ix.iter().enumerate() {
            if ix[..i].contains(l) {
                return Err(SpecError::DoubleIn(letter(*l)));
            }
        }
        for l in (0..out.len()).map(|i| Label(i as u8)) {
            if !ix.contains(&l) && !data.contains(&DataIx::Label(l)) {
                return Err(SpecError::Unbound(letter(l)));
            }
        }
        Ok(Self { data, ix, rank: out.len() as u8, negative })
    }

    /// ONNX Gather along `axis`: data rank `rank`, index rank `ix_rank`.
    pub fn along(rank: usize, axis: usize, ix_rank: usize, negative: Negative) -> Result<Self, SpecError> {
        let label = |i: usize| Label(i as u8);
        let data: Vec<DataIx> = (0..rank)
            .map(|i| match i.cmp(&axis) {
                std::cmp::Ordering::Less => DataIx::Label(label(i)),
                std::cmp::Ordering::Equal => DataIx::At,
                std::cmp::Ordering::Greater => DataIx::Label(label(i - 1 + ix_rank)),
            })
            .collect();
        let ix: Vec<Label> = (0..ix_rank).map(|i| label(axis + i)).collect();
        let out: Vec<Label> = (0..rank + ix_rank - 1).map(label).collect();
        Self::new(&data, &ix, &out, negative)
    }

    /// Number of `@` axes.
    pub fn at_count(&self) -> usize {
        self.data.iter().filter(|d| **d == DataIx::At).count()
    }

    /// Whether the index operand carries a last axis of components.
    pub fn has_component_axis(&self) -> bool {
        self.at_count() != 1
    }

    /// The shape of the result (of the updates, for Scatter).
    pub fn out_shape(&self, data: &[Dim], ix: &[Dim]) -> Result<Shape, SpecError> {
        if data.len() != self.data.len() {
            return Err(SpecError::Rank { operand: 0, expected: self.data.len(), got: data.len() });
        }
        let expected = self.ix.len() + usize::from(self.has_component_axis());
        if ix.len() != expected {
            return Err(SpecError::Rank { operand: 1, expected, got: ix.len() });
        }
        if self.has_component_axis() {
            let k = Dim::from(self.at_count());
            if ix[expected - 1] != k {
                return Err(SpecError::Extent { label: '@', a: ix[expected - 1].clone(), b: k });
            }
        }
        let mut out: Vec<Option<Dim>> = vec![None; usize::from(self.rank)];
        let mut put = |l: Label, d: &Dim| match &out[l.index()] {
            Some(e) if e != d => Err(SpecError::Extent { label: letter(l), a: e.clone(), b: d.clone() }),
            _ => {
                out[l.index()] = Some(d.clone());
                Ok(())
            }
        };
        for (d, axis) in self.data.iter().zip(data) {
            if let DataIx::Label(l) = d {
                put(*l, axis)?;
            }
        }
        for (l, axis) in self.ix.iter().zip(ix) {
            put(*l, axis)?;
        }
        Ok(out.into_iter().map(|d| d.unwrap_or(Dim::INVALID)).collect())
    }
}

/// `{a @ c, b -> a b c}`, with `neg` after the bar where negative indices wrap.
impl fmt::Display for GatherSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, d) in self.data.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            match d {
                DataIx::Label(l) => write!(f, "{}", letter(*l))?,
                DataIx::At => f.write_str("@")?,
            }
        }
        f.write_str(",")?;
        for l in &self.ix {
            write!(f, " {}", letter(*l))?;
        }
        f.write_str(" ->")?;
        for l in (0..self.rank).map(Label) {
            write!(f, " {}", letter(l))?;
        }
        match self.negative {
            Negative::Wraps => f.write_str(" | neg}"),
            Negative::Never => f.write_str("}"),
        }
    }
}
