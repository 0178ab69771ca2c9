//! An [`Op`] taken apart into a head and attribute values, and put together again. The text form prints it so, and rule
//! patterns bind the attributes by value.

use super::call::{Call, GeluForm, Nms, Recurrent, Resize};
use super::scalar::Scalar;
use super::spec::{GatherSpec, Spec};
use super::{Const, ConstId, IfAttrs, LoopAttrs, Monoid, Op, OpaqueId, PadAxis, Perm, ScatterOp, SliceAxis, SortOrder};
use crate::dim::Dim;
use crate::dtype::{DType, Literal};

/// A kind with everything that patterns never bind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "one head per kind; see `Op`")]
pub enum Head {
    Input(u32),
    /// A rank-0 constant.
    Scalar(Literal),
    Dense(ConstId),
    Dim,
    Iota,
    Permute,
    Reshape,
    Broadcast,
    Slice,
    Pad,
    Concat,
    Gather,
    Scatter(ScatterOp),
    Map(Scalar),
    Reduce(Monoid),
    Contract,
    ArgSort(SortOrder),
    If(Box<IfAttrs>),
    Loop(Box<LoopAttrs>),
    Softmax,
    LogSoftmax,
    LayerNorm,
    RmsNorm,
    Gelu(GeluForm),
    Recurrent(Box<Recurrent>),
    Resize(Box<Resize>),
    Det,
    /// With center points, or corners.
    NonMaxSuppression(bool),
    Opaque(OpaqueId),
    Proj(u32),
}

/// An attribute value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Attr {
    /// A shape expression.
    Dim(Dim),
    /// A shape.
    Dims(Vec<Dim>),
    /// A permutation.
    Perm(Perm),
    /// Axes to insert: (position, extent).
    Insert(Box<[(u8, Dim)]>),
    /// Per-axis slices.
    Slices(Box<[SliceAxis]>),
    /// Per-axis pads.
    Pads(Box<[PadAxis]>),
    /// An axis, or a number of axes.
    Axis(u8),
    /// An index spec.
    Spec(Spec),
    /// A gather spec.
    Gather(GatherSpec),
    /// An element type.
    DType(DType),
    /// A number with its type.
    Literal(Literal),
}

impl Op {
    /// Head and attributes, in the order of the text form.
    pub fn split(&self) -> (Head, Vec<Attr>) {
        match self.clone() {
            Self::Input(i) => (Head::Input(i), vec![]),
            Self::Const(Const::Scalar(l)) => (Head::Scalar(l), vec![]),
            Self::Const(Const::Dense(id)) => (Head::Dense(id), vec![]),
            Self::Dim(d) => (Head::Dim, vec![Attr::Dim(d)]),
            Self::Iota { len, dtype } => (Head::Iota, vec![Attr::Dim(len), Attr::DType(dtype)]),
            Self::Permute(p) => (Head::Permute, vec![Attr::Perm(p)]),
            Self::Reshape(s) => (Head::Reshape, vec![Attr::Dims(s)]),
            Self::Broadcast(b) => (Head::Broadcast, vec![Attr::Insert(b)]),
            Self::Slice(s) => (Head::Slice, vec![Attr::Slices(s)]),
            Self::Pad(p) => (Head::Pad, vec![Attr::Pads(p)]),
            Self::Concat(a) => (Head::Concat, vec![Attr::Axis(a)]),
            Self::Gather(g) => (Head::Gather, vec![Attr::Gather(g)]),
            Self::Scatter(op, g) => (Head::Scatter(op), vec![Attr::Gather(g)]),
            Self::Map(s) => (Head::Map(s), vec![]),
            Self::Reduce { monoid, spec, acc } => (Head::Reduce(monoid), vec![Attr::Spec(spec), Attr::DType(acc)]),
            Self::Contract { spec, acc, out } => {
                (Head::Contract, vec![Attr::Spec(spec), Attr::DType(acc), Attr::DType(out)])
            }
            Self::ArgSort { axis, order, keep } => (Head::ArgSort(order), vec![Attr::Axis(axis), Attr::Dim(keep)]),
            Self::If(i) => (Head::If(i), vec![]),
            Self::Loop(l) => (Head::Loop(l), vec![]),
            Self::Call(c) => match *c {
                Call::Softmax { axis } => (Head::Softmax, vec![Attr::Axis(axis)]),
                Call::LogSoftmax { axis } => (Head::LogSoftmax, vec![Attr::Axis(axis)]),
                Call::LayerNorm { axes, epsilon, stash } => {
                    (Head::LayerNorm, vec![Attr::Axis(axes), Attr::Literal(epsilon), Attr::DType(stash)])
                }
                Call::RmsNorm { axes, epsilon, stash } => {
                    (Head::RmsNorm, vec![Attr::Axis(axes), Attr::Literal(epsilon), Attr::DType(stash)])
                }
                Call::Gelu(form) => (Head::Gelu(form), vec![]),
                Call::Recurrent(r) => (Head::Recurrent(Box::new(r)), vec![]),
                Call::Resize(r) => (Head::Resize(Box::new(r)), vec![]),
                Call::Det => (Head::Det, vec![]),
                Call::NonMaxSuppression(n) => (Head::NonMaxSuppression(n.center_point), vec![Attr::Dim(n.keep)]),
            },
            Self::Opaque(o) => (Head::Opaque(o), vec![]),
            Self::Proj(i) => (Head::Proj(i), vec![]),
        }
    }

    /// The op of a head and its attributes; None where their number or sorts do not fit the head.
    pub fn join(head: Head, attrs: &[Attr]) -> Option<Self> {
        Some(match (head, attrs) {
            (Head::Input(i), []) => Self::Input(i),
            (Head::Scalar(l), []) => Self::Const(Const::Scalar(l)),
            (Head::Dense(id), []) => Self::Const(Const::Dense(id)),
            (Head::Dim, [Attr::Dim(d)]) => Self::Dim(d.clone()),
            (Head::Iota, [Attr::Dim(len), Attr::DType(dtype)]) => Self::Iota { len: len.clone(), dtype: *dtype },
            (Head::Permute, [Attr::Perm(p)]) => Self::Permute(p.clone()),
            (Head::Reshape, [Attr::Dims(s)]) => Self::Reshape(s.clone()),
            (Head::Broadcast, [Attr::Insert(b)]) => Self::Broadcast(b.clone()),
            (Head::Slice, [Attr::Slices(s)]) => Self::Slice(s.clone()),
            (Head::Pad, [Attr::Pads(p)]) => Self::Pad(p.clone()),
            (Head::Concat, [Attr::Axis(a)]) => Self::Concat(*a),
            (Head::Gather, [Attr::Gather(g)]) => Self::Gather(g.clone()),
            (Head::Scatter(op), [Attr::Gather(g)]) => Self::Scatter(op, g.clone()),
            (Head::Map(s), []) => Self::Map(s),
            (Head::Reduce(monoid), [Attr::Spec(spec), Attr::DType(acc)]) => {
                Self::Reduce { monoid, spec: spec.clone(), acc: *acc }
            }
            (Head::Contract, [Attr::Spec(spec), Attr::DType(acc), Attr::DType(out)]) => {
                Self::Contract { spec: spec.clone(), acc: *acc, out: *out }
            }
            (Head::ArgSort(order), [Attr::Axis(axis), Attr::Dim(keep)]) => {
                Self::ArgSort { axis: *axis, order, keep: keep.clone() }
            }
            (Head::If(i), []) => Self::If(i),
            (Head::Loop(l), []) => Self::Loop(l),
            (Head::Softmax, [Attr::Axis(axis)]) => Self::call(Call::Softmax { axis: *axis }),
            (Head::LogSoftmax, [Attr::Axis(axis)]) => Self::call(Call::LogSoftmax { axis: *axis }),
            (Head::LayerNorm, [Attr::Axis(axes), Attr::Literal(epsilon), Attr::DType(stash)]) => {
                Self::call(Call::LayerNorm { axes: *axes, epsilon: *epsilon, stash: *stash })
            }
            (Head::RmsNorm, [Attr::Axis(axes), Attr::Literal(epsilon), Attr::DType(stash)]) => {
                Self::call(Call::RmsNorm { axes: *axes, epsilon: *epsilon, stash: *stash })
            }
            (Head::Gelu(form), []) => Self::call(Call::Gelu(form)),
            (Head::Recurrent(r), []) => Self::call(Call::Recurrent(*r)),
            (Head::Resize(r), []) => Self::call(Call::Resize(*r)),
            (Head::Det, []) => Self::call(Call::Det),
            (Head::NonMaxSuppression(center_point), [Attr::Dim(keep)]) => {
                Self::call(Call::NonMaxSuppression(Nms { center_point, keep: keep.clone() }))
            }
            (Head::Opaque(o), []) => Self::Opaque(o),
            (Head::Proj(i), []) => Self::Proj(i),
            _ => return None,
        })
    }

    fn call(c: Call) -> Self {
        Self::Call(Box::new(c))
    }
}
