//! Windowed sums of products: Conv and ConvTranspose, with bias.
//!
//! The data operand is `n [g] c s…`, the weights are `[g] m c r…` in any order, the result is `n [g] m s…`; a spatial axis
//! may be a plain label (a kernel of extent 1). Groups are merged with channels by Reshape. Source of the extent formulas:
//! the ONNX specification of Conv and ConvTranspose.

use egret_ir::choice::ClassId;
use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Op, SliceAxis};
use egret_ir::{DType, Dim, Shape};

use super::build::{Build, slots};
use super::{Attribute, Slot, movement};
use crate::lower::accumulator;

/// How a window reads one axis, as ONNX attributes.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Kernel extent.
    pub kernel: i64,
    /// Stride.
    pub stride: i64,
    /// Dilation.
    pub dilation: i64,
    /// Padding before; negative where cells are cut off.
    pub lo: i64,
    /// Padding after; negative where cells are cut off.
    pub hi: i64,
    /// ConvTranspose's output padding.
    pub extra: i64,
}

impl Axis {
    const PLAIN: Self = Self { kernel: 1, stride: 1, dilation: 1, lo: 0, hi: 0, extra: 0 };
}

/// The attributes of a window over an axis of extent `own` that gives `out` results from `taps` taps.
pub fn axis(own: &Dim, w: &Window, out: &Dim, taps: &Dim) -> Option<Axis> {
    let kernel = taps.as_const()?;
    let mut a = Axis { kernel, stride: w.stride, dilation: w.dil, lo: w.lo, hi: 0, extra: 0 };
    let span = w.dil.checked_mul(kernel - 1)?.checked_add(1)?;
    if let (Some(own), Some(out)) = (own.as_const(), out.as_const()) {
        if out < 1 || own < 1 {
            return None;
        }
        let needed = (out - 1).checked_mul(w.stride)?.checked_add(span)?;
        // Cells after the last window that no further window would reach need no cutting.
        let hi = needed - own - w.lo;
        a.hi = if hi < 0 && hi > -w.stride { 0 } else { hi };
        return Some(a);
    }
    let fits = |hi: i64| (own.clone() + Dim::from(w.lo + hi - span)).floor_div(&Dim::from(w.stride)) + Dim::ONE == *out;
    a.hi = [w.lo, w.lo + 1, w.lo - 1].into_iter().chain(0..=span).find(|hi| *hi >= 0 && fits(*hi))?;
    Some(a)
}

/// The same for a transposed window: position `(out − d·tap + lo) / stride`.
fn transposed_axis(own: &Dim, w: &Window, out: &Dim, taps: &Dim) -> Option<Axis> {
    if w.stride != 1 || w.dil >= 0 {
        return None;
    }
    let mut a = Axis { kernel: taps.as_const()?, stride: w.in_dil, dilation: -w.dil, lo: -w.lo, hi: 0, extra: 0 };
    let whole = Dim::from(a.stride) * (own.clone() - Dim::ONE) + Dim::from(a.dilation * (a.kernel - 1) + 1);
    let rest = (whole - Dim::from(a.lo) - out.clone()).as_const()?;
    if rest >= 0 {
        a.hi = rest;
    } else {
        a.extra = -rest;
    }
    (a.lo >= 0 && a.extra < a.stride.max(a.dilation)).then_some(a)
}

/// A Conv or ConvTranspose in the making.
#[derive(Clone, Debug)]
struct Plan {
    op: &'static str,
    x: ClassId,
    w: ClassId,
    group: i64,
    axes: Vec<Axis>,
    /// Shape of the result with groups merged into channels.
    shape: Shape,
    /// Extents of the group and channel axes of the result before merging.
    channels: Shape,
}

/// What a Contract way computes as a convolution. Derives the operands' forms.
fn plan(b: &mut Build<'_>, spec: &Spec, (acc, out): (DType, DType), args: &[ClassId], result: &[Dim]) -> Option<Plan> {
    if !out.is_float() || acc != accumulator(out) || args.iter().any(|a| b.dtype(*a) != Some(out)) {
        return None;
    }
    (0..2).find_map(|data| plan_sides(b, spec, args, result, data))
}

fn plan_sides(b: &mut Build<'_>, spec: &Spec, args: &[ClassId], result: &[Dim], data: usize) -> Option<Plan> {
    let (x, w) = (args[data], args[1 - data]);
    let (own, weights) = (b.shape(x)?.to_vec(), b.shape(w)?.to_vec());
    let plain = |ix: &Ix| match ix {
        Ix::Label(l) => Some(*l),
        Ix::Window(_) => None,
    };
    let (ins, ws) = (&spec.ins()[data], spec.ins()[1 - data].iter().map(plain).collect::<Option<Vec<Label>>>()?);
    let extents = spec.extents(&[b.shape(args[0])?, b.shape(args[1])?]).ok()?;
    let extent = |l: Label| extents[l.index()].clone();
    let in_out = |l: Label| l.index() < spec.rank();
    // n [g] [c] spatial…
    let n = plain(ins.first()?)?;
    if !in_out(n) || n.index() != 0 || ws.contains(&n) {
        return None;
    }
    let mut at = 1;
    let g = ins.get(at).and_then(plain).filter(|l| in_out(*l) && ws.contains(l));
    at += usize::from(g.is_some());
    let c = ins.get(at).and_then(plain).filter(|l| !in_out(*l) && ws.contains(l));
    at += usize::from(c.is_some());
    if (g.is_none() && c.is_none()) || at >= ins.len() {
        return None;
    }
    let spatial = &ins[at..];
    let mut next = 1;
    if let Some(g) = g {
        if g.index() != next {
            return None;
        }
        next += 1;
    }
    let m = ws.iter().copied().find(|l| in_out(*l) && Some(*l) != g);
    if let Some(m) = m {
        if m.index() != next {
            return None;
        }
        next += 1;
    }
    let transposed = spatial.iter().any(|ix| matches!(ix, Ix::Window(w) if w.in_dil > 1 || w.dil < 0));
    let (mut axes, mut taps) = (Vec::new(), Vec::new());
    for (i, ix) in spatial.iter().enumerate() {
        let (o, a, tap) = match ix {
            Ix::Label(l) if in_out(*l) && !ws.contains(l) => (*l, Axis::PLAIN, None),
            Ix::Label(_) => return None,
            Ix::Window(win) => {
                let find = if transposed { transposed_axis } else { axis };
                (win.out, find(&own[at + i], win, &extent(win.out), &extent(win.tap))?, Some(win.tap))
            }
        };
        if o.index() != next {
            return None;
        }
        next += 1;
        axes.push(a);
        taps.push(tap);
    }
    if next != spec.rank() || ws.len() != [g, m, c].iter().flatten().count() + taps.iter().flatten().count() {
        return None;
    }
    let one = |l: Option<Label>| l.map_or(Dim::ONE, extent);
    let group = one(g).as_const()?;
    // Weights: Conv [g·m, c, r…], ConvTranspose [g·c, m, r…].
    let order: Vec<Label> = if transposed { [g, c, m] } else { [g, m, c] }
        .into_iter()
        .flatten()
        .chain(taps.iter().copied().flatten())
        .collect();
    let perm: Vec<usize> = order.iter().map(|l| ws.iter().position(|o| o == l)).collect::<Option<_>>()?;
    debug_assert_eq!(perm.len(), weights.len());
    let w = b.permuted(w, &perm)?;
    let mut shape = if transposed { vec![one(g) * one(c), one(m)] } else { vec![one(g) * one(m), one(c)] };
    shape.extend(taps.iter().map(|t| one(*t)));
    let w = b.reshaped(w, &shape)?;
    // Data: groups merged, cut where padding is negative.
    let mut shape = vec![own[0].clone(), one(g) * one(c)];
    shape.extend_from_slice(&own[at..]);
    let mut x = b.reshaped(x, &shape)?;
    if axes.iter().any(|a| a.lo < 0 || a.hi < 0) {
        let mut cut: Vec<SliceAxis> =
            shape.iter().map(|d| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() }).collect();
        for (a, cut) in axes.iter_mut().zip(&mut cut[2..]) {
            let (lo, hi) = ((-a.lo).max(0), (-a.hi).max(0));
            cut.start = Dim::from(lo);
            cut.len = cut.len.clone() - Dim::from(lo + hi);
            (a.lo, a.hi) = (a.lo.max(0), a.hi.max(0));
        }
        x = b.derive(Op::Slice(cut.into()), &[x])?;
    }
    let mut shape = vec![result[0].clone(), one(g) * one(m)];
    let channels: Shape = [g, m].into_iter().flatten().map(extent).collect();
    shape.extend_from_slice(&result[1 + channels.len()..]);
    Some(Plan { op: if transposed { "ConvTranspose" } else { "Conv" }, x, w, group, axes, shape, channels })
}

fn emit(b: &mut Build<'_>, c: ClassId, p: &Plan, bias: Option<ClassId>) {
    let ints = |f: fn(&Axis) -> i64| Attribute::Ints(p.axes.iter().map(f).collect());
    let mut attributes = vec![
        ("dilations", ints(|a| a.dilation)),
        ("group", Attribute::Int(p.group)),
        ("kernel_shape", ints(|a| a.kernel)),
        ("pads", Attribute::Ints(p.axes.iter().map(|a| a.lo).chain(p.axes.iter().map(|a| a.hi)).collect())),
        ("strides", ints(|a| a.stride)),
    ];
    if p.axes.iter().any(|a| a.extra > 0) {
        attributes.push(("output_padding", ints(|a| a.extra)));
    }
    let mut inputs = slots(&[p.x, p.w]);
    inputs.extend(bias.map(Slot::Class));
    b.node(&[c], p.op, attributes, inputs);
}

/// Templates for a Contract way of class `c`.
pub fn conv(b: &mut Build<'_>, c: ClassId, spec: &Spec, types: (DType, DType), args: &[ClassId]) {
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec) else { return };
    let Some(p) = plan(b, spec, types, args, &shape) else { return };
    let Some(merged) = b.reshaped(c, &p.shape) else { return };
    emit(b, merged, &p, None);
    if merged != c {
        movement::reshape(b, c, &shape, merged);
    }
}

/// The convolutions that a class is: its own Contract ways, and those of which it is the Reshape that merges groups.
fn plans(b: &mut Build<'_>, c: ClassId) -> Vec<Plan> {
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec) else { return vec![] };
    let mut found = Vec::new();
    let mut sources = vec![c];
    sources.extend(b.ways(c, |op, args| matches!(op, Op::Reshape(_)).then(|| args[0])));
    for x in sources {
        let Some(own) = b.shape(x).map(<[Dim]>::to_vec) else { continue };
        let contracts = b.ways(x, |op, args| match op {
            Op::Contract { spec, acc, out } => Some((spec.clone(), (*acc, *out), args.to_vec())),
            _ => None,
        });
        for (spec, types, args) in contracts.into_iter().take(4) {
            found.extend(plan(b, &spec, types, &args, &own).filter(|p| p.shape == shape));
        }
    }
    found
}

/// A convolution plus a value per channel.
pub fn with_bias(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    if s != Scalar::Add || b.shape(c).is_none_or(|s| s.len() < 3) {
        return;
    }
    for (x, bias) in [(args[0], args[1]), (args[1], args[0])] {
        for p in plans(b, x) {
            if let Some(bias) = per_channel(b, bias, &p.shape, &[1], &p.shape[1]) {
                emit(b, c, &p, Some(bias));
            }
        }
    }
}

/// A Reshape way of class `c`: groups merged after a bias was added.
pub fn reshaped(b: &mut Build<'_>, c: ClassId, shape: &[Dim], x: ClassId) {
    let Some(own) = b.shape(x).map(<[Dim]>::to_vec) else { return };
    let sums = b.ways(x, |op, args| matches!(op, Op::Map(Scalar::Add)).then(|| [args[0], args[1]]));
    for [p, q] in sums {
        for (y, bias) in [(p, q), (q, p)] {
            let contracts = b.ways(y, |op, args| match op {
                Op::Contract { spec, acc, out } => Some((spec.clone(), (*acc, *out), args.to_vec())),
                _ => None,
            });
            for (spec, types, args) in contracts.into_iter().take(4) {
                let Some(p) = plan(b, &spec, types, &args, &own).filter(|p| p.shape == shape) else { continue };
                let axes: Vec<usize> = (1..=p.channels.len()).collect();
                if let Some(bias) = per_channel(b, bias, &own, &axes, &p.shape[1]) {
                    emit(b, c, &p, Some(bias));
                }
            }
        }
    }
}

/// The bias as a list of `channels` numbers, where it varies along `axes` of `shape` alone.
fn per_channel(b: &mut Build<'_>, bias: ClassId, shape: &[Dim], axes: &[usize], channels: &Dim) -> Option<ClassId> {
    for form in b.narrow(bias) {
        let own = b.shape(form)?.to_vec();
        let lead = shape.len().checked_sub(own.len())?;
        let varies = (0..own.len()).filter(|i| own[*i] != Dim::ONE || axes.contains(&(lead + i)));
        let inside = varies.clone().all(|i| axes.contains(&(lead + i)));
        if inside && count(&own) == *channels {
            return b.reshaped(form, std::slice::from_ref(channels));
        }
        if own.is_empty() && b.foldable(form) {
            return b.derive(Op::Broadcast([(0, channels.clone())].into()), &[form]);
        }
    }
    None
}
