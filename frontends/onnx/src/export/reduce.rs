//! Folds over whole axes: ReduceSum and its kin, ReduceMean, ArgMax, ArgMin, TopK.

use egret_ir::choice::ClassId;
use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::op::{Monoid, Op, SortOrder};
use egret_ir::{DType, Dim, Shape, Tensor};

use super::build::{Build, list, slots};
use super::{Attribute, Slot};
use crate::lower::accumulator;

/// A fold without windows whose kept axes stay in order: the folded axes.
fn axes(spec: &Spec) -> Option<Vec<usize>> {
    let labels: Vec<Label> = spec.ins()[0]
        .iter()
        .map(|ix| match ix {
            Ix::Label(l) => Some(*l),
            Ix::Window(_) => None,
        })
        .collect::<Option<_>>()?;
    let kept: Vec<Label> = labels.iter().copied().filter(|l| l.index() < spec.rank()).collect();
    let in_order = kept.iter().enumerate().all(|(i, l)| l.index() == i);
    in_order.then(|| (0..labels.len()).filter(|i| labels[*i].index() >= spec.rank()).collect())
}

/// What a class folds: operator, operand, folded axes.
struct Fold {
    op: &'static str,
    x: ClassId,
    axes: Vec<usize>,
    last: bool,
}

fn fold(b: &Build<'_>, monoid: Monoid, spec: &Spec, acc: DType, x: ClassId) -> Option<Fold> {
    let axes = axes(spec)?;
    let dtype = b.dtype(x)?;
    let (op, last) = match monoid {
        Monoid::Sum if acc == accumulator(dtype) => ("ReduceSum", false),
        Monoid::Prod if acc == accumulator(dtype) => ("ReduceProd", false),
        Monoid::Sum | Monoid::Prod => return None,
        Monoid::Max => ("ReduceMax", false),
        Monoid::Min => ("ReduceMin", false),
        Monoid::And | Monoid::Or => return None,
        Monoid::ArgMaxFirst => ("ArgMax", false),
        Monoid::ArgMaxLast => ("ArgMax", true),
        Monoid::ArgMinFirst => ("ArgMin", false),
        Monoid::ArgMinLast => ("ArgMin", true),
    };
    (!monoid.is_arg() || axes.len() == 1).then_some(Fold { op, x, axes, last })
}

fn emit(b: &mut Build<'_>, c: ClassId, f: &Fold, keepdims: bool) {
    let keep = ("keepdims", Attribute::Int(i64::from(keepdims)));
    let axes: Vec<i64> = f.axes.iter().map(|a| *a as i64).collect();
    if matches!(f.op, "ArgMax" | "ArgMin") {
        let mut attributes = vec![("axis", Attribute::Int(axes[0])), keep];
        if f.last {
            attributes.push(("select_last_index", Attribute::Int(1)));
        }
        b.node(&[c], f.op, attributes, slots(&[f.x]));
        return;
    }
    let by_operand = b.opset >= if f.op == "ReduceSum" { 13 } else { 18 };
    if by_operand {
        b.node(&[c], f.op, vec![keep], vec![Slot::Class(f.x), list(&axes)]);
    } else {
        b.node(&[c], f.op, vec![("axes", Attribute::Ints(axes)), keep], slots(&[f.x]));
    }
}

/// Templates for a Reduce way of class `c`.
pub fn reduce(b: &mut Build<'_>, c: ClassId, monoid: Monoid, spec: &Spec, acc: DType, x: ClassId) {
    if let Some(f) = fold(b, monoid, spec, acc, x) {
        emit(b, c, &f, false);
        return;
    }
    cumulative(b, c, monoid, spec, x);
    match monoid {
        Monoid::And => logical(b, c, Monoid::Min, spec, x),
        Monoid::Or => logical(b, c, Monoid::Max, spec, x),
        Monoid::Sum
        | Monoid::Prod
        | Monoid::Max
        | Monoid::Min
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => reordered(b, c, monoid, spec, acc, x),
    }
}

/// A window over one axis with as many taps as it has cells, up to or from each of them: CumSum.
fn cumulative(b: &mut Build<'_>, c: ClassId, monoid: Monoid, spec: &Spec, x: ClassId) {
    let windows = spec.ins()[0].iter().enumerate().filter_map(|(i, ix)| match ix {
        Ix::Window(w) => Some((i, *w)),
        Ix::Label(_) => None,
    });
    let [(axis, w)] = windows.collect::<Vec<_>>()[..] else { return };
    let plain = spec.ins()[0].iter().enumerate().all(|(i, ix)| i == axis || *ix == Ix::Label(Label(i as u8)));
    let Some(n) = b.shape(x).and_then(|s| s[axis].as_const()) else { return };
    let whole = spec.ext().iter().all(|(_, d)| d.as_const() == Some(n));
    if monoid != Monoid::Sum || !plain || !whole || w.out.index() != axis || (w.stride, w.dil, w.in_dil) != (1, 1, 1) {
        return;
    }
    let (reverse, exclusive) = match w.lo {
        lo if lo == n - 1 => (false, false),
        lo if lo == n => (false, true),
        0 => (true, false),
        -1 => (true, true),
        _ => return,
    };
    let flags = [("exclusive", exclusive), ("reverse", reverse)];
    let attributes = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, Attribute::Int(1))).collect();
    let Ok(at) = Tensor::from_slice([], &[axis as i64]) else { return };
    b.node(&[c], "CumSum", attributes, vec![Slot::Class(x), Slot::Tensor(at)]);
}

/// A fold of truth values: the least or greatest of them as numbers.
fn logical(b: &mut Build<'_>, c: ClassId, monoid: Monoid, spec: &Spec, x: ClassId) {
    if spec.has_windows() {
        return;
    }
    let Some(numbers) = b.derive(Op::Map(Scalar::Cast(DType::I32)), &[x]) else { return };
    let op = Op::Reduce { monoid, spec: spec.clone(), acc: DType::I32 };
    let Some(folded) = b.derive(op, &[numbers]) else { return };
    let to = i64::from(crate::tensor::code(DType::Bool));
    b.node(&[c], "Cast", vec![("to", Attribute::Int(to))], slots(&[folded]));
}

/// A fold that also reorders: the fold in operand order and a Transpose.
fn reordered(b: &mut Build<'_>, c: ClassId, monoid: Monoid, spec: &Spec, acc: DType, x: ClassId) {
    if spec.has_windows() {
        return;
    }
    let labels: Vec<Label> = spec.ins()[0]
        .iter()
        .filter_map(|ix| match ix {
            Ix::Label(l) => Some(*l),
            Ix::Window(_) => None,
        })
        .collect();
    let order: Vec<Label> = labels.iter().copied().filter(|l| l.index() < spec.rank()).collect();
    let ins = [labels.into_iter().map(Ix::Label).collect::<Vec<_>>()];
    let Ok(plain) = Spec::new(&ins, &order, &[]) else { return };
    if plain == *spec {
        return;
    }
    let Some(inner) = b.derive(Op::Reduce { monoid, spec: plain, acc }, &[x]) else { return };
    let perm = spec.out().filter_map(|l| order.iter().position(|o| *o == l)).map(|i| i as i64).collect();
    b.node(&[c], "Transpose", vec![("perm", Attribute::Ints(perm))], slots(&[inner]));
}

/// The shape of a fold that keeps its axes with extent 1.
fn kept(own: &[Dim], axes: &[usize]) -> Shape {
    own.iter().enumerate().map(|(i, d)| if axes.contains(&i) { Dim::ONE } else { d.clone() }).collect()
}

/// A Reshape way of class `c` that puts the folded axes of `x` back: the fold with keepdims.
pub fn keepdims(b: &mut Build<'_>, c: ClassId, shape: &[Dim], x: ClassId) {
    let mut folds: Vec<Fold> = b.ways(x, |op, args| match op {
        Op::Reduce { monoid, spec, acc } => fold(b, *monoid, spec, *acc, args[0]),
        _ => None,
    });
    folds.extend(means(b, x));
    for f in folds {
        if b.shape(f.x).is_some_and(|own| kept(own, &f.axes) == shape) {
            emit(b, c, &f, true);
        }
    }
}

/// Σx / n, or Σx · (1/n) where 1/n is exact.
pub fn mean(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    if s == Scalar::Div || s == Scalar::Mul {
        for f in means(b, c) {
            emit(b, c, &f, false);
            // Where the mean was taken after its axes were put back.
            let Some(shape) = b.shape(f.x).map(|own| kept(own, &f.axes)) else { continue };
            if let Some(wide) = b.known(&Op::Reshape(shape), &[c]) {
                emit(b, wide, &f, true);
            }
        }
        wide_means(b, c, args);
    }
}

/// The means that a class is, by its ways.
fn means(b: &Build<'_>, c: ClassId) -> Vec<Fold> {
    let parts = b.ways(c, |op, args| match op {
        Op::Map(s @ (Scalar::Div | Scalar::Mul)) => Some((*s, args[0], args[1])),
        _ => None,
    });
    let mut found = Vec::new();
    for (s, p, q) in parts {
        let sides: &[(ClassId, ClassId)] = if s == Scalar::Mul { &[(p, q), (q, p)] } else { &[(p, q)] };
        for (sum, n) in sides {
            found.extend(sums(b, *sum).into_iter().filter(|f| divides(b, s, *n, f)));
        }
    }
    found
}

/// The sums that a class is, as means in the making. Means of narrow floats are widened first, and are no single node.
fn sums(b: &Build<'_>, c: ClassId) -> Vec<Fold> {
    b.ways(c, |op, args| match op {
        Op::Reduce { monoid: Monoid::Sum, spec, acc } if *acc == b.dtype(args[0])? && acc.is_float() => {
            Some(Fold { op: "ReduceMean", x: args[0], axes: axes(spec)?, last: false })
        }
        _ => None,
    })
}

/// Whether dividing (or multiplying) by `n` makes the sum a mean.
fn divides(b: &Build<'_>, s: Scalar, n: ClassId, f: &Fold) -> bool {
    let Some(own) = b.shape(f.x) else { return false };
    let extent = count(&f.axes.iter().map(|a| own[*a].clone()).collect::<Vec<_>>());
    match (b.splat(n), extent.as_const()) {
        (Some(l), Some(e)) if s == Scalar::Div => l.to_f64() == e as f64,
        (Some(l), Some(e)) => e > 0 && (e as u64).is_power_of_two() && l.to_f64() == 1.0 / e as f64,
        (None, None) => s == Scalar::Div && expression(b, n).contains(&extent),
        _ => false,
    }
}

/// The extents a class is, through Cast, Broadcast and Reshape.
fn expression(b: &Build<'_>, c: ClassId) -> Vec<Dim> {
    let mut at = c;
    for _ in 0..4 {
        let found = b.ways(at, |op, _| match op {
            Op::Dim(d) => Some(d.clone()),
            _ => None,
        });
        if !found.is_empty() {
            return found;
        }
        let inner = b.ways(at, |op, args| match op {
            Op::Map(Scalar::Cast(_)) | Op::Broadcast(_) | Op::Reshape(_) => Some(args[0]),
            _ => None,
        });
        let Some(next) = inner.first() else { break };
        at = *next;
    }
    Vec::new()
}

/// A sum whose axes were put back before the division.
fn wide_means(b: &mut Build<'_>, c: ClassId, args: &[ClassId]) {
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec) else { return };
    let sums = b.ways(args[0], |op, inner| match op {
        Op::Reshape(_) => Some(sums(b, inner[0])),
        _ => None,
    });
    let divides =
        |f: &Fold| b.shape(f.x).is_some_and(|own| kept(own, &f.axes) == shape) && divides(b, Scalar::Div, args[1], f);
    let is_division = !b.ways(c, |op, a| (matches!(op, Op::Map(Scalar::Div)) && a == args).then_some(())).is_empty();
    let fit: Vec<Fold> = sums.into_iter().flatten().filter(|f| is_division && divides(f)).collect();
    for f in fit {
        emit(b, c, &f, true);
    }
}

/// TopK for a sort and the values it puts in order; the sort alone leaves the first result unused.
pub fn top_k(b: &mut Build<'_>, c: ClassId, (axis, order): (u8, SortOrder), keep: &Dim, x: ClassId) {
    let Some(k) = keep.as_const() else { return };
    let largest = match order {
        SortOrder::Ascending => 0,
        SortOrder::Descending => 1,
    };
    let Some(rank) = b.shape(x).map(<[Dim]>::len) else { return };
    let values = sorted_values(b, c, usize::from(axis), rank, x);
    let attributes = vec![("axis", Attribute::Int(i64::from(axis))), ("largest", Attribute::Int(largest))];
    if let (Some(values), true) = (values, b.opset >= 11) {
        b.node(&[values, c], "TopK", attributes, vec![Slot::Class(x), list(&[k])]);
    }
}

/// The class that reads `x` at the sort's positions, derived where there is none.
fn sorted_values(b: &mut Build<'_>, c: ClassId, axis: usize, rank: usize, x: ClassId) -> Option<ClassId> {
    use egret_ir::op::spec::{DataIx, GatherSpec, Negative};
    let label = |i: usize| Label(i as u8);
    let data: Vec<DataIx> = (0..rank).map(|i| if i == axis { DataIx::At } else { DataIx::Label(label(i)) }).collect();
    let all: Vec<Label> = (0..rank).map(label).collect();
    let spec = GatherSpec::new(&data, &all, &all, Negative::Never).ok()?;
    b.derive(Op::Gather(spec), &[x, c])
}
