//! Windowed folds: MaxPool, AveragePool.

use egret_ir::choice::ClassId;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Spec};
use egret_ir::op::{Monoid, Op};
use egret_ir::{DType, Dim, Literal};

use super::Attribute;
use super::build::{Build, slots};
use super::conv::{Axis, axis};

/// The windows of a fold over `n c s…`, where every spatial axis is a window and its padding is below its kernel.
fn windows(b: &Build<'_>, spec: &Spec, x: ClassId) -> Option<Vec<Axis>> {
    let own = b.shape(x)?;
    let extents = spec.extents(&[own]).ok()?;
    let axes = &spec.ins()[0];
    let plain = |i: usize| matches!(axes.get(i), Some(Ix::Label(l)) if l.index() == i);
    if axes.len() < 3 || !plain(0) || !plain(1) || spec.rank() != axes.len() {
        return None;
    }
    let mut found = Vec::new();
    for (i, ix) in axes.iter().enumerate().skip(2) {
        let a = match ix {
            Ix::Label(l) if l.index() == i => Axis { kernel: 1, stride: 1, dilation: 1, lo: 0, hi: 0, extra: 0 },
            Ix::Window(w) if w.out.index() == i && w.in_dil == 1 && w.dil > 0 => {
                axis(&own[i], w, &extents[w.out.index()], &extents[w.tap.index()])?
            }
            Ix::Label(_) | Ix::Window(_) => return None,
        };
        if a.lo < 0 || a.hi < 0 || a.lo >= a.kernel || a.hi >= a.kernel {
            return None;
        }
        found.push(a);
    }
    Some(found)
}

fn attributes(axes: &[Axis]) -> Vec<(&'static str, Attribute)> {
    let ints = |f: fn(&Axis) -> i64| Attribute::Ints(axes.iter().map(f).collect());
    let mut out = vec![
        ("kernel_shape", ints(|a| a.kernel)),
        ("pads", Attribute::Ints(axes.iter().map(|a| a.lo).chain(axes.iter().map(|a| a.hi)).collect())),
        ("strides", ints(|a| a.stride)),
    ];
    if axes.iter().any(|a| a.dilation != 1) {
        out.push(("dilations", ints(|a| a.dilation)));
    }
    out
}

/// MaxPool, and a sum as an average times its number of cells.
pub fn pool(b: &mut Build<'_>, c: ClassId, monoid: Monoid, spec: &Spec, acc: DType, x: ClassId) {
    if !spec.has_windows() {
        return;
    }
    let Some(axes) = windows(b, spec, x) else { return };
    match monoid {
        Monoid::Max => b.node(&[c], "MaxPool", attributes(&axes), slots(&[x])),
        Monoid::Sum if acc.is_float() && b.dtype(x) == Some(acc) => sum(b, c, &axes),
        Monoid::Sum
        | Monoid::Prod
        | Monoid::Min
        | Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => {}
    }
}

/// The class of the average is derived; its own template finds AveragePool.
fn sum(b: &mut Build<'_>, c: ClassId, axes: &[Axis]) {
    let taps: i64 = axes.iter().map(|a| a.kernel).product();
    let Some((dtype, shape)) = b.tensor(c).map(|t| (t.dtype, t.shape.clone())) else { return };
    let Some(n) = b.scalar(Literal::from_i64(dtype, taps)) else { return };
    let everywhere = (0u8..).zip(shape).collect();
    let Some(wide) = b.derive(Op::Broadcast(everywhere), &[n]) else { return };
    let Some(mean) = b.derive(Op::Map(Scalar::Div), &[c, wide]) else { return };
    b.node(&[c], "Mul", vec![], slots(&[mean, n]));
}

/// A windowed sum divided by the number of taps: every window counts all its cells, padding included.
pub fn average(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    if s != Scalar::Div {
        return;
    }
    let sums = b.ways(args[0], |op, inner| match op {
        Op::Reduce { monoid: Monoid::Sum, spec, acc } if spec.has_windows() && Some(*acc) == b.dtype(inner[0]) => {
            Some((spec.clone(), inner[0]))
        }
        _ => None,
    });
    for (spec, x) in sums {
        let Some(axes) = windows(b, &spec, x) else { continue };
        let taps: i64 = axes.iter().map(|a| a.kernel).product();
        if b.splat(args[1]).is_none_or(|l| l.to_f64() != taps as f64) {
            continue;
        }
        let mut attributes = attributes(&axes);
        if axes.iter().any(|a| a.lo > 0 || a.hi > 0) {
            attributes.push(("count_include_pad", Attribute::Int(1)));
        }
        debug_assert!(b.shape(c).is_some_and(|s| s.iter().all(|d| *d != Dim::INVALID)));
        b.node(&[c], "AveragePool", attributes, slots(&[x]));
    }
}
