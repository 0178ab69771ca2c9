//! The loop tree: what a kernel does, statement by statement, before a printer spells it in a language.
//!
//! Indices are 64-bit integers. Elements are scalars of an element type or vectors of as many lanes as the target has
//! (f32, i32, 8-bit integers widened to i32, and bool as a lane mask). f16 and bf16 elements are held as f32 that every operation rounds.

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;

/// Type of an element variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    /// Element type.
    pub dtype: DType,
    /// One per lane, or one.
    pub form: Form,
}

/// One element or a vector of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One.
    Scalar,
    /// One per lane.
    Vector,
}

/// An expression without effects (but for traps noted in `trap`).
#[derive(Clone, Debug, PartialEq)]
pub enum E {
    /// An index or loop bound: a number, or an expression of the program's symbols.
    Int(Dim),
    /// A variable.
    Var(String),
    /// Index arithmetic.
    Add(Box<E>, Box<E>),
    /// Index arithmetic.
    Mul(Box<E>, Dim),
    /// ⌊a / n⌋ of a nonnegative index.
    Div(Box<E>, Dim),
    /// a mod n of a nonnegative index.
    Mod(Box<E>, Dim),
    /// ⌊a / n⌋ of any index.
    FloorDiv(Box<E>, Dim),
    /// a mod n in `0..n` of any index.
    FloorMod(Box<E>, Dim),
    /// The smaller index.
    Min(Box<E>, Box<E>),
    /// The larger index.
    Max(Box<E>, Box<E>),
    /// An index read from data, checked against `0..extent`.
    Checked {
        /// The i64 value.
        value: Box<E>,
        /// Extent of the axis.
        extent: Dim,
        /// Whether negative values count from the end.
        wraps: bool,
    },
    /// `lo <= index < hi`, and divisible by `step`.
    Within {
        /// Index.
        index: Box<E>,
        /// Least value; None: not tested.
        lo: Option<Dim>,
        /// First value above; None: not tested.
        hi: Option<Dim>,
        /// Divisor.
        step: i64,
    },
    /// All hold.
    All(Vec<E>),
    /// A number.
    Lit(Literal),
    /// An index as an i64 element.
    Element(Box<E>),
    /// `base[index]`.
    Load {
        /// Pointer.
        base: String,
        /// Element offset.
        index: Box<E>,
        /// Element type.
        dtype: DType,
    },
    /// Lanes `base[index + step · lane]`.
    VLoad {
        /// Pointer.
        base: String,
        /// Element offset of lane 0.
        index: Box<E>,
        /// Element type.
        dtype: DType,
        /// Elements between lanes.
        step: Dim,
        /// Number of lanes that may be touched; None: all.
        part: Option<Box<E>>,
    },
    /// Lanes `base[index + lane / times]`.
    VRepeat {
        /// Pointer.
        base: String,
        /// Element offset of lane 0.
        index: Box<E>,
        /// Lanes that read the same element: 2, 4 or 8, at most as many as there are lanes.
        times: i64,
        /// Number of lanes that may be touched; None: all.
        part: Option<Box<E>>,
    },
    /// A function of elements.
    Map {
        /// The function.
        f: Scalar,
        /// Operands.
        args: Vec<E>,
        /// Type of the operands (of the second, for select).
        from: DType,
        /// Type of the result, and whether it is a vector.
        to: Ty,
    },
    /// A scalar in every lane.
    Splat(Box<E>, DType),
    /// A lane mask of the lanes below `n`, blended: `value` there, `other` elsewhere.
    Blend {
        /// Number of lanes.
        n: Box<E>,
        /// Vector value.
        value: Box<E>,
        /// Scalar for the other lanes.
        other: Literal,
    },
    /// All lanes combined.
    Across(Monoid, Box<E>),
    /// One element of each of two combined; `None` where a monoid has no such form.
    Combine(Monoid, Ty, Box<E>, Box<E>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum S {
    /// For people.
    Comment(String),
    /// `for (var = from; var < to; var += step)`.
    For {
        /// Index variable.
        var: String,
        /// First value.
        from: E,
        /// Bound.
        to: E,
        /// Increment.
        step: i64,
        /// Body.
        body: Vec<S>,
    },
    /// A named element.
    Let {
        /// Name.
        name: String,
        /// Type.
        ty: Ty,
        /// Value.
        value: E,
    },
    /// A named element that is assigned later.
    Var {
        /// Name.
        name: String,
        /// Type.
        ty: Ty,
        /// First value; None: assigned in both branches of the next If.
        value: Option<E>,
    },
    /// A named index.
    Index {
        /// Name.
        name: String,
        /// Value.
        value: E,
    },
    /// A pointer into another one, or into the thread's scratch memory.
    Pointer {
        /// Name.
        name: String,
        /// What it points into.
        base: Base,
        /// Element offset.
        index: E,
        /// Element type.
        dtype: DType,
        /// Whether it is written through.
        writes: bool,
    },
    /// Assignment.
    Set {
        /// Variable.
        name: String,
        /// Value.
        value: E,
    },
    /// `acc += a * b`, one rounding where the target can.
    MulAdd {
        /// Accumulator.
        acc: String,
        /// Factor.
        a: E,
        /// Factor.
        b: E,
    },
    /// `base[index] = value`.
    Store {
        /// Pointer.
        base: String,
        /// Element offset.
        index: E,
        /// Element type in memory.
        dtype: DType,
        /// Value.
        value: E,
    },
    /// Lanes stored.
    VStore {
        /// Pointer.
        base: String,
        /// Element offset of lane 0.
        index: E,
        /// Element type in memory.
        dtype: DType,
        /// Elements between lanes.
        step: Dim,
        /// Number of lanes stored; None: all.
        part: Option<E>,
        /// Value.
        value: E,
    },
    /// One lane after the other: `name[lane] = value`, where `value` mentions the index variable `lane`.
    Lanes {
        /// Vector variable, declared here.
        name: String,
        /// Element type.
        dtype: DType,
        /// Lane index variable.
        lane: String,
        /// Number of lanes; None: all.
        part: Option<E>,
        /// Statements before the value, per lane.
        before: Vec<S>,
        /// Value of one lane.
        value: E,
    },
    /// A branch.
    If {
        /// Condition.
        cond: E,
        /// Statements where it holds.
        then: Vec<S>,
        /// Statements elsewhere.
        otherwise: Vec<S>,
    },
    /// A block with names of its own.
    Block(Vec<S>),
    /// A square of vectors named in `rows` is transposed in registers.
    Transpose {
        /// Vector variables, as many as lanes.
        rows: Vec<String>,
    },
    /// A function of the prelude: name and arguments.
    Call {
        /// Function.
        name: &'static str,
        /// Arguments.
        args: Vec<Arg>,
    },
}

/// What a pointer points into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// Another pointer.
    Pointer(String),
    /// The thread's scratch memory at this byte.
    Scratch(Dim),
}

/// An argument of a prelude function.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// An index or a number.
    Value(E),
    /// A pointer plus elements.
    Pointer(String, E),
    /// No pointer.
    Null,
    /// A name the prelude defines.
    Name(String),
    /// Where a trap is noted.
    Trap,
}

/// A parameter: a tensor of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name in the code.
    pub name: String,
    /// Which tensor.
    pub slot: crate::value::Slot,
    /// Element type.
    pub dtype: DType,
    /// Whether it is written.
    pub writes: bool,
}

/// One part of a kernel: run for every tile in any order, at the same time on several threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What it does, for people.
    pub notes: Vec<String>,
    /// Tensors it touches.
    pub params: Vec<Param>,
    /// Number of tiles; the body reads its own from the index variable `tile`.
    pub tiles: Dim,
    /// Scratch bytes per thread.
    pub scratch: Dim,
    /// Statements.
    pub body: Vec<S>,
}

impl E {
    /// A number, or an expression of symbols.
    pub fn int(d: impl Into<Dim>) -> Self {
        Self::Int(d.into())
    }

    /// A variable.
    pub fn var(name: &str) -> Self {
        Self::Var(name.to_owned())
    }

    /// Index sum; numbers and symbols gather at the end.
    #[expect(clippy::should_implement_trait, reason = "folds constants; operators would hide it")]
    pub fn add(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a + b),
            (Self::Int(a), e) | (e, Self::Int(a)) if a == 0 => e,
            (Self::Int(a), e) => e.add(Self::Int(a)),
            (Self::Add(x, y), Self::Int(b)) => match *y {
                Self::Int(a) => x.add(Self::Int(a + b)),
                y => Self::Add(Box::new(Self::Add(x, Box::new(y))), Box::new(Self::Int(b))),
            },
            (Self::Add(x, y), e) if matches!(*y, Self::Int(_)) => x.add(e).add(*y),
            (e, Self::Add(x, y)) if matches!(*y, Self::Int(_)) => e.add(*x).add(*y),
            (a, b) => Self::Add(Box::new(a), Box::new(b)),
        }
    }

    /// Index sum with a number or an expression of symbols.
    pub fn plus(self, d: impl Into<Dim>) -> Self {
        self.add(Self::int(d))
    }

    /// Index product with a number or an expression of symbols.
    pub fn times(self, k: impl Into<Dim>) -> Self {
        let k = k.into();
        match self {
            Self::Int(a) => Self::Int(a * k),
            _ if k == 0 => Self::int(0),
            e if k == 1 => e,
            Self::Mul(e, c) => Self::Mul(e, c * k),
            Self::Add(a, b) => a.times(&k).add(b.times(k)),
            e => Self::Mul(Box::new(e), k),
        }
    }

    /// ⌊self / n⌋ of a nonnegative index.
    #[expect(clippy::should_implement_trait, reason = "folds constants; operators would hide it")]
    pub fn div(self, n: impl Into<Dim>) -> Self {
        let n = n.into();
        match self {
            Self::Int(a) => Self::Int(a.floor_div(&n)),
            e if n == 1 => e,
            e => Self::Div(Box::new(e), n),
        }
    }

    /// self mod n of a nonnegative index.
    #[expect(clippy::should_implement_trait, reason = "folds constants; operators would hide it")]
    pub fn rem(self, n: impl Into<Dim>) -> Self {
        let n = n.into();
        match self {
            Self::Int(a) => Self::Int(a.modulo(&n)),
            _ if n == 1 => Self::int(0),
            e => Self::Mod(Box::new(e), n),
        }
    }

    /// The smaller index.
    pub fn min(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a.smaller(&b)),
            (a, b) => Self::Min(Box::new(a), Box::new(b)),
        }
    }

    /// The larger index.
    pub fn max(self, other: Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a.larger(&b)),
            (a, b) => Self::Max(Box::new(a), Box::new(b)),
        }
    }

    /// The number or expression of symbols, where it is one.
    pub fn as_int(&self) -> Option<&Dim> {
        if let Self::Int(i) = self { Some(i) } else { None }
    }
}

impl Ty {
    /// One element.
    pub fn scalar(dtype: DType) -> Self {
        Self { dtype, form: Form::Scalar }
    }

    /// A vector of elements.
    pub fn vector(dtype: DType) -> Self {
        Self { dtype, form: Form::Vector }
    }
}
