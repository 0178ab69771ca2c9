//! The closed set of structural kinds. All of ONNX lowers to these 21; whatever is open-ended is a row under one of them
//! (scalar functions under [`Op::Map`], monoids under [`Op::Reduce`], composites and runtime kernels under [`Op::Call`]).
//! Matches on [`Op`] never use `_`: a new kind breaks the build until each place answers.

pub mod attrs;
pub mod call;
pub mod scalar;
pub mod spec;
pub mod witness;

use std::fmt;
use std::sync::Arc;

use crate::dim::{Dim, Shape};
use crate::dtype::{DType, Literal};
use crate::graph::BodyId;
use crate::types::Type;
use call::Call;
use scalar::Scalar;
use spec::{GatherSpec, Spec};

/// Index of a dense constant in [`crate::graph::Tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub u32);

/// Index of an opaque node's definition in [`crate::graph::Tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpaqueId(pub u32);

/// The payload of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Const {
    /// A rank-0 value; larger splats are its Broadcast.
    Scalar(Literal),
    /// A tensor of the table.
    Dense(ConstId),
}

/// A permutation of axes: axis `i` of the result is axis `perm[i]` of the operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Perm(Box<[u8]>);

impl Perm {
    /// The permutation, if `axes` is one.
    pub fn new(axes: &[usize]) -> Option<Self> {
        let mut seen = vec![false; axes.len()];
        for &a in axes {
            if *seen.get(a)? {
                return None;
            }
            seen[a] = true;
        }
        Some(Self(axes.iter().map(|a| *a as u8).collect()))
    }

    /// Its axes.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.0.iter().map(|a| usize::from(*a))
    }

    /// The i-th axis.
    pub fn at(&self, i: usize) -> usize {
        usize::from(self.0[i])
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.axes().enumerate().all(|(i, a)| i == a)
    }

    /// The permutation that undoes this one.
    pub fn inverse(&self) -> Self {
        let mut inverse = vec![0; self.rank()];
        for (i, a) in self.axes().enumerate() {
            inverse[a] = i as u8;
        }
        Self(inverse.into())
    }

    /// `self` after `inner`: `permute self (permute inner x)` as one; None where ranks differ.
    pub fn after(&self, inner: &Self) -> Option<Self> {
        (self.rank() == inner.rank()).then(|| Self(self.axes().map(|a| inner.0[a]).collect()))
    }

    /// The items in permuted order.
    pub fn apply<T: Clone>(&self, items: &[T]) -> Vec<T> {
        self.axes().map(|a| items[a].clone()).collect()
    }
}

/// One axis of a Slice: elements `start + step·i` for `i < len`, already clamped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SliceAxis {
    /// First position.
    pub start: Dim,
    /// ≠ 0; −1 reverses.
    pub step: i64,
    /// Number of elements.
    pub len: Dim,
}

/// One axis of a Pad: the operand's element `i` lands at `lo + (inner + 1)·i`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PadAxis {
    /// Cells before.
    pub lo: Dim,
    /// Cells after.
    pub hi: Dim,
    /// Cells between neighbours.
    pub inner: i64,
}

/// The fold of a Reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Monoid {
    /// Sum; empty is +0.0; integers wrap.
    Sum,
    /// Product; empty is 1.
    Prod,
    /// Maximum; empty is −Inf or the type's least value; or on bool.
    Max,
    /// Minimum; empty is +Inf or the type's greatest value; and on bool.
    Min,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Row-major position of the first maximum inside the folded labels (i64); the first NaN wins; empty is illegal.
    ArgMaxFirst,
    /// … of the last maximum.
    ArgMaxLast,
    /// … of the first minimum.
    ArgMinFirst,
    /// … of the last minimum.
    ArgMinLast,
}

impl Monoid {
    /// Every monoid.
    pub const ALL: [Self; 10] = [
        Self::Sum,
        Self::Prod,
        Self::Max,
        Self::Min,
        Self::And,
        Self::Or,
        Self::ArgMaxFirst,
        Self::ArgMaxLast,
        Self::ArgMinFirst,
        Self::ArgMinLast,
    ];

    /// Name in text forms.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::And => "and",
            Self::Or => "or",
            Self::ArgMaxFirst => "argmax_first",
            Self::ArgMaxLast => "argmax_last",
            Self::ArgMinFirst => "argmin_first",
            Self::ArgMinLast => "argmin_last",
        }
    }

    /// Whether the result is a position.
    pub const fn is_arg(self) -> bool {
        matches!(self, Self::ArgMaxFirst | Self::ArgMaxLast | Self::ArgMinFirst | Self::ArgMinLast)
    }
}

/// What Scatter does with an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScatterOp {
    /// Overwrites; the last in row-major order wins.
    Set,
    /// Adds.
    Add,
    /// Multiplies.
    Mul,
    /// Takes the larger.
    Max,
    /// Takes the smaller.
    Min,
}

/// The order of an ArgSort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SortOrder {
    /// Smallest first; NaN above +Inf.
    Ascending,
    /// Largest first; NaN above +Inf.
    Descending,
}

/// How a Loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoopExit {
    /// After the trip count alone.
    Never,
    /// When the body's condition is false, at latest after the trip count.
    Condition,
}

/// The attributes of an If.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IfAttrs {
    /// The closed body that runs where the condition is true.
    pub then: BodyId,
    /// The closed body that runs where it is false.
    pub other: BodyId,
    /// Types of the results, in the symbols of the graph around: an extent in which the bodies differ is a data-backed
    /// symbol of its own, bound when the If has run.
    pub results: Arc<[Type]>,
}

/// The attributes of a Loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopAttrs {
    /// The closed body.
    pub body: BodyId,
    /// Trip count where it is an expression; None: the first operand is the count.
    pub trip: Option<Dim>,
    /// How it ends.
    pub exit: LoopExit,
    /// Loop-carried values.
    pub carried: u32,
    /// Operands read one slice (axis 0) per iteration.
    pub scanned: u32,
    /// Types of the results (carried, then stacked values), in the symbols of the graph around: an extent that shows only
    /// when the Loop has run is a data-backed symbol of its own.
    pub results: Arc<[Type]>,
}

/// A structural kind with its attributes. Operand lists and meanings: `ARCHITECTURE.md`, "The 21 kinds".
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// The i-th input of the graph or body.
    Input(u32),
    /// A literal.
    Const(Const),
    /// The value of a shape expression as `i64[]`; operands are tensors whose shapes mention its data-backed symbols, then
    /// witnesses of the others ([`witness`]).
    Dim(Dim),
    /// `out[i] = i`.
    Iota {
        /// Number of elements.
        len: Dim,
        /// Element type.
        dtype: DType,
    },
    /// Axes reordered.
    Permute(Perm),
    /// Row-major relabelling to a shape of equal count.
    Reshape(Shape),
    /// New axes inserted at the given positions of the result (strictly increasing); never stretches.
    Broadcast(Box<[(u8, Dim)]>),
    /// A regular part, per axis.
    Slice(Box<[SliceAxis]>),
    /// Grown by a scalar value (second operand), per axis.
    Pad(Box<[PadAxis]>),
    /// Joined along an axis.
    Concat(u8),
    /// `out[p,n,s] = data[p, ix[n], s]`.
    Gather(GatherSpec),
    /// data, then `out[p, ix[n], s] ⊕= upd[p,n,s]`, row-major over upd.
    Scatter(ScatterOp, GatherSpec),
    /// Elementwise over equal shapes.
    Map(Scalar),
    /// `out[o] = ⊕ r: x[ix(o,r)]`.
    Reduce {
        /// The fold.
        monoid: Monoid,
        /// One-operand spec.
        spec: Spec,
        /// Accumulator type.
        acc: DType,
    },
    /// `out[o] = Σ r: a[ix]·b[ix]`.
    Contract {
        /// Two-operand spec.
        spec: Spec,
        /// Accumulator type.
        acc: DType,
        /// Result type.
        out: DType,
    },
    /// Stable sort, giving positions as i64 with the axis cut to `keep`.
    ArgSort {
        /// Axis.
        axis: u8,
        /// Order.
        order: SortOrder,
        /// Extent of the result's axis.
        keep: Dim,
    },
    /// One of two closed bodies, by the first operand (bool); the rest are captures.
    If(Box<IfAttrs>),
    /// trip?, condition?, carried, scanned, captures → (carried, stacked).
    Loop(Box<LoopAttrs>),
    /// A named definition: composite or runtime kernel.
    Call(Box<Call>),
    /// An operator kept as it came.
    Opaque(OpaqueId),
    /// The i-th part of a tuple.
    Proj(u32),
}

impl Op {
    /// The kind's name in text forms.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Const(_) => "const",
            Self::Dim(_) => "dim",
            Self::Iota { .. } => "iota",
            Self::Permute(_) => "permute",
            Self::Reshape(_) => "reshape",
            Self::Broadcast(_) => "broadcast",
            Self::Slice(_) => "slice",
            Self::Pad(_) => "pad",
            Self::Concat(_) => "concat",
            Self::Gather(_) => "gather",
            Self::Scatter(..) => "scatter",
            Self::Map(_) => "map",
            Self::Reduce { .. } => "reduce",
            Self::Contract { .. } => "contract",
            Self::ArgSort { .. } => "argsort",
            Self::If(..) => "if",
            Self::Loop(_) => "loop",
            Self::Call(_) => "call",
            Self::Opaque(_) => "opaque",
            Self::Proj(_) => "proj",
        }
    }

    /// Whether it gives the same value for the same operands, whatever the model is run on: of constants it is one.
    pub fn computes(&self) -> bool {
        match self {
            Self::Input(_) | Self::Opaque(_) | Self::If(..) | Self::Loop(_) => false,
            Self::Dim(d) | Self::Iota { len: d, .. } => d.as_const().is_some(),
            Self::Const(_)
            | Self::Permute(_)
            | Self::Reshape(_)
            | Self::Broadcast(_)
            | Self::Slice(_)
            | Self::Pad(_)
            | Self::Concat(_)
            | Self::Gather(_)
            | Self::Scatter(..)
            | Self::Map(_)
            | Self::Reduce { .. }
            | Self::Contract { .. }
            | Self::ArgSort { .. }
            | Self::Call(_)
            | Self::Proj(_) => true,
        }
    }

    /// Whether it only relabels indices: no arithmetic on elements, every result element is an operand element.
    pub fn is_movement(&self) -> bool {
        match self {
            Self::Permute(_)
            | Self::Reshape(_)
            | Self::Broadcast(_)
            | Self::Slice(_)
            | Self::Pad(_)
            | Self::Concat(_)
            | Self::Gather(_) => true,
            Self::Input(_)
            | Self::Const(_)
            | Self::Dim(_)
            | Self::Iota { .. }
            | Self::Scatter(..)
            | Self::Map(_)
            | Self::Reduce { .. }
            | Self::Contract { .. }
            | Self::ArgSort { .. }
            | Self::If(..)
            | Self::Loop(_)
            | Self::Call(_)
            | Self::Opaque(_)
            | Self::Proj(_) => false,
        }
    }
}

impl fmt::Display for Perm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes().map(|a| a.to_string()).collect();
        write!(f, "[{}]", axes.join(","))
    }
}
