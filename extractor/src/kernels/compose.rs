//! Legality: a way on top of buffers and regions is a region again, or not.

use egret_ir::choice::{ClassGraph, ClassId, ClassNode};
use egret_ir::dim::{Dim, count};
use egret_ir::op::call::Call;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::op::{Const, Op};
use egret_ir::types::{TensorType, Type};

use super::Limits;
use super::region::{Kind, Member, Region, union};
use super::view::View;

/// How an operand is had.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'a> {
    /// From a buffer.
    Read(ClassId),
    /// Computed inside.
    Inline(&'a Region),
}

impl Operand<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Read(_) => Kind::Pointwise,
            Self::Inline(r) => r.kind.clone(),
        }
    }

    fn permuted(&self) -> bool {
        matches!(self, Self::Inline(r) if r.permuted)
    }

    fn view(&self, cg: &ClassGraph) -> Option<View> {
        match self {
            Self::Read(c) => View::dense(cg.ty(*c).as_tensor()?),
            Self::Inline(r) => r.view.clone(),
        }
    }
}

/// Kind of the result, and what else changes.
struct Shape {
    kind: Kind,
    permuted: bool,
    /// Whether the operands' exportable members stay exportable.
    keeps_main: bool,
}

impl Shape {
    fn of(kind: Kind) -> Self {
        Self { kind, permuted: false, keeps_main: true }
    }

    fn fresh(kind: Kind) -> Self {
        Self { kind, permuted: false, keeps_main: false }
    }
}

/// The region of a way over its operands; None where it is not legal. `flow` and `cost` are still to be set.
pub(super) fn compose(cg: &ClassGraph, member: Member, operands: &[Operand<'_>], limits: &Limits) -> Option<Region> {
    let node = &cg.class(member.class).nodes[member.way as usize];
    let op = &node.op;
    let ty = cg.ty(member.class).as_tensor()?;
    let (operands_of_kind, witnesses) = operands.split_at(own_operands(cg, node));
    if !witnesses.iter().all(|w| matches!(w, Operand::Read(_))) {
        return None;
    }
    let shape = shape(cg, op, ty, member.class, operands_of_kind)?;
    let mut members = vec![member];
    let mut inputs: Vec<ClassId> = Vec::new();
    let mut main = vec![member.class];
    let mut free = matches!(op, Op::Broadcast(_) | Op::Reshape(_) | Op::Const(_) | Op::Dim(_) | Op::Iota { .. });
    for operand in operands {
        match operand {
            Operand::Read(c) => inputs = union(&inputs, &[*c]),
            Operand::Inline(r) => {
                members = union(&members, &r.members);
                inputs = union(&inputs, &r.inputs);
                if shape.keeps_main {
                    main = union(&main, &r.main);
                }
                free &= r.free;
            }
        }
    }
    if members.len() > limits.nodes || (inputs.len() > limits.inputs && members.len() > operands.len() + 1) {
        return None;
    }
    // One way per class; members of equal class are neighbours because they have equal rank.
    if members.windows(2).any(|m| m[0].class == m[1].class) {
        return None;
    }
    let inside = |c: &ClassId| members.iter().any(|m| m.class == *c);
    if inputs.iter().any(inside) {
        // What one operand reads another computes. Elementwise it can be taken from there, unless that closes a cycle, or
        // tells an extent, which must be known before the kernel runs.
        let earlier = |m: &Member| {
            let node = &cg.class(m.class).nodes[m.way as usize];
            let witnesses = &node.args[own_operands(cg, node)..];
            node.args.iter().all(|a| members.iter().find(|k| k.class == *a).is_none_or(|k| k.rank < m.rank))
                && !witnesses.iter().any(inside)
        };
        if shape.kind != Kind::Pointwise || !members.iter().all(earlier) {
            return None;
        }
        inputs.retain(|c| !inside(c));
    }
    let view = match operands_of_kind {
        [one] => one.view(cg).and_then(|v| v.then(op)),
        _ => None,
    };
    Some(Region {
        members,
        inputs,
        kind: shape.kind,
        main,
        view,
        free,
        permuted: shape.permuted,
        base: false,
        flow: 0,
        cost: 0,
    })
}

/// How many of a way's operands a kernel computes with. Those after them tell extents (witnesses, and the tensors whose
/// shapes a Dim mentions), which must be known before the kernel runs.
pub(super) fn own_operands(cg: &ClassGraph, node: &ClassNode) -> usize {
    if matches!(node.op, Op::Dim(_)) {
        return 0;
    }
    let types: Vec<&Type> = node.args.iter().map(|a| cg.ty(*a)).collect();
    node.op.regular(&types)
}

/// Whether a kind with a result of that type takes all its operands from buffers.
pub(super) fn only_reads(op: &Op, ty: &TensorType) -> bool {
    match op {
        Op::Scatter(..) | Op::ArgSort { .. } => true,
        Op::Call(call) => match &**call {
            Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => true,
            Call::Softmax { axis } | Call::LogSoftmax { axis } => !is_last(ty, usize::from(*axis)),
            Call::LayerNorm { .. } | Call::RmsNorm { .. } | Call::Gelu(_) => false,
        },
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Opaque(_)
        | Op::Proj(_) => false,
    }
}

/// Whether only axes of one element follow.
fn is_last(ty: &TensorType, axis: usize) -> bool {
    ty.shape[axis + 1..].iter().all(|d| *d == Dim::ONE)
}

fn shape(cg: &ClassGraph, op: &Op, ty: &TensorType, class: ClassId, operands: &[Operand<'_>]) -> Option<Shape> {
    let all_pointwise = operands.iter().all(|o| o.kind() == Kind::Pointwise);
    if only_reads(op, ty) {
        return operands.iter().all(|o| matches!(o, Operand::Read(_))).then(|| Shape::fresh(Kind::Single));
    }
    match op {
        Op::Const(Const::Scalar(_)) | Op::Dim(_) | Op::Iota { .. } => Some(Shape::fresh(Kind::Pointwise)),
        Op::Map(_) => elementwise(operands),
        Op::Reshape(_) => {
            let o = &operands[0];
            (o.kind() != Kind::Single).then(|| Shape { permuted: o.permuted(), ..Shape::of(o.kind()) })
        }
        Op::Permute(_) => match operands[0].kind() {
            Kind::Pointwise => Some(Shape::fresh(Kind::Pointwise)),
            Kind::Contract(_) | Kind::Reduce(_) => {
                let x = operand_type(cg, &operands[0])?;
                let runs = crate::cost::contiguous(op, x) && !operands[0].permuted();
                runs.then(|| Shape { permuted: true, ..Shape::of(operands[0].kind()) })
            }
            Kind::Row { .. } | Kind::Single => None,
        },
        Op::Broadcast(new) => match operands[0].kind() {
            Kind::Pointwise => Some(Shape::fresh(Kind::Pointwise)),
            Kind::Single => None,
            kind if new.iter().all(|(_, d)| *d == Dim::ONE) => {
                Some(Shape { permuted: operands[0].permuted(), ..Shape::of(kind) })
            }
            Kind::Row { outer, inner, narrow: true } => {
                let stretched = new.iter().fold(Dim::ONE, |n, (_, d)| n * d.clone());
                let whole = stretched == inner && trailing(ty, new);
                whole.then(|| Shape::of(Kind::Row { outer, inner, narrow: false }))
            }
            Kind::Row { .. } | Kind::Contract(_) | Kind::Reduce(_) => None,
        },
        Op::Slice(_) | Op::Pad(_) | Op::Concat(_) | Op::Gather(_) => {
            all_pointwise.then(|| Shape::fresh(Kind::Pointwise))
        }
        Op::Reduce { spec, .. } => {
            let x = operand_type(cg, &operands[0])?;
            match (rows(spec, x), operands[0].kind()) {
                (Some((outer, inner)), Kind::Pointwise) => Some(Shape::of(Kind::Row { outer, inner, narrow: true })),
                (Some((outer, inner)), Kind::Row { outer: o, inner: i, narrow: false }) => {
                    (outer == o && inner == i).then(|| Shape::of(Kind::Row { outer, inner, narrow: true }))
                }
                (None, Kind::Pointwise) => Some(Shape::fresh(Kind::Reduce(class))),
                _ => None,
            }
        }
        Op::Contract { .. } => {
            let readable = |o: &Operand<'_>| match o {
                Operand::Read(_) => true,
                Operand::Inline(r) => r.inputs.len() == 1 && r.view.as_ref().is_some_and(View::is_affine),
            };
            operands.iter().all(readable).then(|| Shape::fresh(Kind::Contract(class)))
        }
        Op::Call(call) => match &**call {
            Call::Gelu(_) => elementwise(operands),
            Call::Softmax { axis } | Call::LogSoftmax { axis } => {
                let axis = usize::from(*axis);
                over_rows(operands, count(&ty.shape[..axis]), ty.shape[axis].clone())
            }
            Call::LayerNorm { axes, .. } | Call::RmsNorm { axes, .. } => {
                let kept = ty.rank() - usize::from(*axes);
                over_rows(operands, count(&ty.shape[..kept]), count(&ty.shape[kept..]))
            }
            Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => None,
        },
        Op::Input(_)
        | Op::Const(Const::Dense(_))
        | Op::Scatter(..)
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Opaque(_)
        | Op::Proj(_) => None,
    }
}

fn operand_type<'a>(cg: &'a ClassGraph, o: &Operand<'_>) -> Option<&'a TensorType> {
    let class = match o {
        Operand::Read(c) => *c,
        Operand::Inline(r) => r.root(),
    };
    cg.ty(class).as_tensor()
}

/// Operands of an elementwise way: at most one anchor, or rows of one shape and width; anything pointwise beside it.
fn elementwise(operands: &[Operand<'_>]) -> Option<Shape> {
    let mut kind = Kind::Pointwise;
    for o in operands {
        if o.permuted() {
            return None;
        }
        match o.kind() {
            Kind::Pointwise => {}
            Kind::Single => return None,
            other if kind == Kind::Pointwise => kind = other,
            other if kind != other => return None,
            _ => {}
        }
    }
    Some(Shape::of(kind))
}

/// A composite over whole rows: its first operand wide, the others beside it.
fn over_rows(operands: &[Operand<'_>], outer: Dim, inner: Dim) -> Option<Shape> {
    let wide = Kind::Row { outer, inner, narrow: false };
    let first = operands[0].kind();
    let beside = operands[1..].iter().all(|o| o.kind() == Kind::Pointwise);
    (beside && (first == Kind::Pointwise || first == wide)).then(|| Shape::of(wide))
}

/// Whether inserted axes come after all others, extents of 1 aside. `ty` is the result's type.
fn trailing(ty: &TensorType, new: &[(u8, Dim)]) -> bool {
    let inserted = |axis: usize| new.iter().any(|(at, _)| usize::from(*at) == axis);
    let wide = |axis: &usize| ty.shape[*axis] != Dim::ONE;
    let last_old = (0..ty.rank()).filter(wide).filter(|a| !inserted(*a)).max();
    let first_new = (0..ty.rank()).filter(wide).find(|a| inserted(*a));
    last_old.zip(first_new).is_none_or(|(old, new)| old < new)
}

/// (rows, elements of a row) where a fold is over the trailing axes and keeps the order of the others, extents of 1 aside.
fn rows(spec: &Spec, x: &TensorType) -> Option<(Dim, Dim)> {
    if spec.has_windows() {
        return None;
    }
    let labels: Option<Vec<Label>> = spec.ins()[0]
        .iter()
        .map(|ix| match ix {
            Ix::Label(l) => Some(*l),
            Ix::Window(_) => None,
        })
        .collect();
    let labels = labels?;
    let folded = |l: Label| l.index() >= spec.rank();
    let (mut outer, mut inner) = (Dim::ONE, Dim::ONE);
    let mut last_kept = None;
    for (l, d) in labels.iter().zip(&x.shape).filter(|(_, d)| **d != Dim::ONE) {
        if folded(*l) {
            inner = inner * d.clone();
        } else {
            let in_order = last_kept.is_none_or(|k| k < *l);
            if inner != Dim::ONE || !in_order {
                return None;
            }
            last_kept = Some(*l);
            outer = outer * d.clone();
        }
    }
    Some((outer, inner))
}
