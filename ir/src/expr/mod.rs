//! Tensor expressions: the meaning of a kind in index notation, one scalar expression for each element of the result.
//!
//! [`meaning`] gives it for every kind that has one. Scatter, ArgSort, If, Loop, Opaque and runtime kernels have none;
//! composites have the meaning of their body ([`crate::defs`]). `egret lower --to expr` prints them, and the interpreter is
//! checked against them ([`crate::eval::plain`]).

mod build;
mod cost;
mod print;

use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::op::Monoid;
use crate::op::scalar::Scalar;
use crate::types::TensorType;

pub use build::meaning;
pub use cost::{bytes, flops};
pub use print::Named;

/// An index variable: axes of the result come first, folded variables after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u8);

impl Var {
    /// Its position in a list of values.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// An integer expression over index variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// A variable.
    Var(Var),
    /// An extent or number.
    Dim(Dim),
    /// A sum.
    Add(Box<Self>, Box<Self>),
    /// A multiple.
    Mul(Box<Self>, Dim),
    /// A quotient, rounded down.
    Div(Box<Self>, Dim),
    /// The remainder of the quotient rounded down.
    Mod(Box<Self>, Dim),
    /// The value of an integer element as an index into an axis of `extent`; out of range traps.
    Element {
        /// The element.
        value: Box<Expr>,
        /// Extent of the axis it indexes.
        extent: Dim,
        /// Whether negative values count from the end.
        wraps: bool,
    },
}

/// A condition on indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// 0 ≤ index < extent.
    Inside(Index, Dim),
    /// index < bound.
    Below(Index, Dim),
    /// The number divides the index.
    Divides(i64, Index),
}

/// A scalar expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// An element of an operand.
    Read {
        /// Operand number.
        operand: usize,
        /// One index per axis.
        at: Vec<Index>,
    },
    /// A number.
    Literal(Literal),
    /// An index as a number of a type.
    Index(Index, DType),
    /// A scalar row.
    Apply(Scalar, Vec<Self>),
    /// A fold over variables, row-major, of the terms whose guards hold; from the first of them, in `acc`.
    Fold {
        /// The fold.
        monoid: Monoid,
        /// Type of the accumulator.
        acc: DType,
        /// Variables with their extents.
        vars: Vec<(Var, Dim)>,
        /// Terms where one of these fails are skipped.
        guards: Vec<Cond>,
        /// The term.
        body: Box<Self>,
    },
    /// One of two, by conditions on indices; only that one is evaluated.
    Select {
        /// All must hold.
        when: Vec<Cond>,
        /// Then this,
        then: Box<Self>,
        /// else that.
        other: Box<Self>,
    },
}

/// The meaning of a kind: for each index of `ty`, the value of `body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorExpr {
    /// Type of the result.
    pub ty: TensorType,
    /// One element.
    pub body: Expr,
}

impl Index {
    /// The sum, without zeros.
    #[expect(clippy::should_implement_trait, reason = "simplifies; not arithmetic of values")]
    pub fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Dim(a), Self::Dim(b)) => Self::Dim(a + b),
            (Self::Dim(Dim::ZERO), x) | (x, Self::Dim(Dim::ZERO)) => x,
            (a, b) => Self::Add(Box::new(a), Box::new(b)),
        }
    }

    /// The multiple, without ones.
    pub fn times(self, by: &Dim) -> Self {
        match self {
            Self::Dim(d) => Self::Dim(d * by.clone()),
            x if *by == Dim::ONE => x,
            _ if *by == Dim::ZERO => Self::Dim(Dim::ZERO),
            x => Self::Mul(Box::new(x), by.clone()),
        }
    }

    /// The quotient rounded down, without ones.
    pub fn over(self, by: &Dim) -> Self {
        match self {
            x if *by == Dim::ONE => x,
            Self::Dim(d) => Self::Dim(d.floor_div(by)),
            x => Self::Div(Box::new(x), by.clone()),
        }
    }

    /// The remainder.
    pub fn modulo(self, by: &Dim) -> Self {
        match self {
            _ if *by == Dim::ONE => Self::Dim(Dim::ZERO),
            Self::Dim(d) => Self::Dim(d.modulo(by)),
            x => Self::Mod(Box::new(x), by.clone()),
        }
    }
}
