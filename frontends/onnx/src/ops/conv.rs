//! Convolutions: contractions whose data axes are windows.
//!
//! `{n g c s·o+d·r−lo, g m c r -> n g m o}` for Conv, `{n g c (o−d·r+lo)/s, g c m r -> n g m o}` for ConvTranspose (no
//! flip, no inserted zeros). Upper pads, auto_pad, output_padding and output_shape only show in `lo` and in the extents.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Shape, ValueId};

use super::quantize::quantize_values;
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, accumulator, bad, opaque};

pub const ROWS: &[Row] = &[
    onnx("Conv", 1..LATEST, conv),
    onnx("ConvTranspose", 1..LATEST, conv_transpose),
    onnx("ConvInteger", 10..LATEST, conv_integer),
    onnx("QLinearConv", 10..LATEST, qlinear_conv),
];

/// Geometry of the windowed axes.
pub struct Windows {
    /// Extents of the data.
    pub input: Shape,
    /// Extents of the kernel.
    pub kernel: Vec<i64>,
    /// Steps.
    pub strides: Vec<i64>,
    /// Distances between taps.
    pub dilations: Vec<i64>,
    /// Cells before the data.
    pub lo: Vec<i64>,
    /// Cells after the data.
    pub hi: Vec<i64>,
    /// How cells before and after were given.
    pub auto: Auto,
}

/// `auto_pad`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Auto {
    NotSet,
    Valid,
    SameUpper,
    SameLower,
}

impl Windows {
    /// Cells that a kernel covers on axis `i`.
    pub fn reach(&self, i: usize) -> i64 {
        (self.kernel[i] - 1) * self.dilations[i] + 1
    }
}

fn list(l: &Lower<'_>, name: &str, n: usize, default: i64, least: i64) -> Result<Vec<i64>, Fail> {
    let list = match l.ints(name) {
        Some(list) if !list.is_empty() => list.to_vec(),
        _ => vec![default; n],
    };
    if list.len() != n || list.iter().any(|x| *x < least || *x > i64::from(i32::MAX)) {
        return Err(l.value(name, &format!("{list:?}"), &format!("{n} numbers from {least} on")));
    }
    Ok(list)
}

/// Reads the window attributes of a node over `input`, with the kernel's extents; `SAME` pads are worked out.
pub fn windows(l: &Lower<'_>, input: Shape, kernel: Vec<i64>) -> Result<Windows, Fail> {
    let n = input.len();
    if kernel.iter().any(|k| *k < 1 || *k > i64::from(i32::MAX)) {
        return Err(l.value("kernel_shape", &format!("{kernel:?}"), "positive numbers"));
    }
    let strides = list(l, "strides", n, 1, 1)?;
    let dilations = list(l, "dilations", n, 1, 1)?;
    let name = l.string("auto_pad", "NOTSET")?;
    let auto = match name.as_str() {
        "NOTSET" | "" => Auto::NotSet,
        "VALID" => Auto::Valid,
        "SAME_UPPER" => Auto::SameUpper,
        "SAME_LOWER" => Auto::SameLower,
        _ => return Err(l.value("auto_pad", &name, "NOTSET, VALID, SAME_UPPER or SAME_LOWER")),
    };
    let pads = list(l, "pads", 2 * n, 0, i64::from(i32::MIN))?;
    let (lo, hi) = match auto {
        Auto::NotSet => (pads[..n].to_vec(), pads[n..].to_vec()),
        Auto::Valid | Auto::SameUpper | Auto::SameLower => (vec![0; n], vec![0; n]),
    };
    Ok(Windows { input, kernel, strides, dilations, lo, hi, auto })
}

/// Puts the pads of `SAME_*` in: the result has ⌈extent / stride⌉ cells; an odd cell goes after (upper) or before.
pub fn resolve_same(w: &mut Windows) -> Result<(), Fail> {
    if !matches!(w.auto, Auto::SameUpper | Auto::SameLower) {
        return Ok(());
    }
    for i in 0..w.input.len() {
        let reach = w.reach(i);
        let total = match (w.input[i].as_const(), w.strides[i]) {
            (_, 1) => reach - 1,
            (Some(d), s) => (((d + s - 1) / s - 1) * s + reach - d).max(0),
            (None, _) => return Err(opaque("auto_pad over an unknown extent with a stride")),
        };
        let small = total / 2;
        (w.lo[i], w.hi[i]) = if w.auto == Auto::SameUpper { (small, total - small) } else { (total - small, small) };
    }
    Ok(())
}

/// ⌊(extent + pads − reach) / stride⌋ + 1.
pub fn out_extent(l: &Lower<'_>, w: &Windows, i: usize) -> Result<Dim, Fail> {
    let span = w.input[i].clone() + Dim::from(w.lo[i] + w.hi[i] - w.reach(i));
    if span.as_const().is_some_and(|s| s < 0) {
        return Err(l.value(
            "kernel_shape",
            &format!("{:?}", w.kernel),
            &format!("no more than the padded extents of {:?}", w.input),
        ));
    }
    Ok(span.floor_div(&Dim::from(w.strides[i])) + Dim::ONE)
}

/// A kernel extent, which must be a number.
fn kernel_of(l: &Lower<'_>, weight: &[Dim]) -> Result<Vec<i64>, Fail> {
    let own: Option<Vec<i64>> = weight.iter().map(Dim::as_const).collect();
    let Some(own) = own else { return Err(opaque("a kernel of unknown extents")) };
    if let Some(given) = l.ints("kernel_shape").filter(|k| !k.is_empty() && *k != own) {
        return Err(l.value("kernel_shape", &format!("{given:?}"), &format!("the weight's {own:?}")));
    }
    Ok(own)
}

/// Data and weight with the groups as an axis of their own.
struct Grouped {
    x: ValueId,
    w: ValueId,
    groups: Dim,
}

fn grouped(l: &mut Lower<'_>, x: ValueId, w: ValueId, split_out: bool) -> Result<Grouped, Fail> {
    let (sx, sw) = (l.shape(x)?, l.shape(w)?);
    if sx.len() < 3 || sw.len() != sx.len() {
        let kind =
            ProblemKind::Rank { got: sw.len(), expected: format!("{} (that of the data, 3 or more)", sx.len().max(3)) };
        return Err(bad("input 1", kind));
    }
    let groups = l.int("group", 1);
    if groups < 1 {
        return Err(l.value("group", &groups.to_string(), "a positive number"));
    }
    let channels = if split_out { sw[1].clone() * Dim::from(groups) } else { sw[0].clone() };
    if channels != sx[1] {
        return Err(l.misfit("input 1", &sw, &sx));
    }
    if sw[0].as_const().is_some_and(|m| m % groups != 0) {
        return Err(l.value("group", &groups.to_string(), &format!("a divisor of {}", sw[0])));
    }
    let groups = Dim::from(groups);
    if groups == Dim::ONE {
        return Ok(Grouped { x, w, groups });
    }
    let split = |s: &[Dim], axis: usize| {
        let mut out = s.to_vec();
        out[axis] = s[axis].exact_div(&groups);
        out.insert(axis, groups.clone());
        out
    };
    let x = l.reshape(x, &split(&sx, 1))?;
    let w = l.reshape(w, &split(&sw, 0))?;
    Ok(Grouped { x, w, groups })
}

/// Labels of a windowed contraction. Without groups there is no label g.
struct Labels {
    n: Label,
    g: Label,
    m: Label,
    c: Label,
}

const LABELS: Labels = Labels { n: Label(0), g: Label(1), m: Label(2), c: Label(3) };

fn out_label(i: usize) -> Label {
    Label(10 + 2 * i as u8)
}

fn tap_label(i: usize) -> Label {
    Label(11 + 2 * i as u8)
}

/// `{n g c window…, weight -> n g m o…}`; `weight` orders the weight's labels g, m, c.
fn windowed(windows: &[Window], ext: &[(Label, Dim)], weight: [Label; 2], grouped: bool) -> Result<Spec, Fail> {
    let Labels { n, g, m, c } = LABELS;
    let group = grouped.then_some(Ix::Label(g));
    let mut x = vec![Ix::Label(n)];
    x.extend(group);
    x.push(Ix::Label(c));
    x.extend(windows.iter().map(|w| Ix::Window(*w)));
    let mut w: Vec<Ix> = group.into_iter().collect();
    w.extend(weight.map(Ix::Label));
    w.extend(windows.iter().map(|w| Ix::Label(w.tap)));
    let mut out = vec![n];
    out.extend(grouped.then_some(g));
    out.push(m);
    out.extend(windows.iter().map(|w| w.out));
    Spec::new(&[x, w], &out, ext).map_err(|e| opaque(e.to_string()))
}

/// Contract, merge the group axis, add a bias per channel.
fn finish(l: &mut Lower<'_>, spec: Spec, g: &Grouped, acc: DType, out: DType) -> Result<ValueId, Fail> {
    let y = l.contract(spec, g.x, g.w, acc, out)?;
    if g.groups == Dim::ONE {
        return Ok(y);
    }
    let s = l.shape(y)?;
    let mut merged = vec![s[0].clone(), s[1].clone() * s[2].clone()];
    merged.extend_from_slice(&s[3..]);
    l.reshape(y, &merged)
}

fn with_bias(l: &mut Lower<'_>, y: ValueId, bias: Option<ValueId>) -> Result<ValueId, Fail> {
    let Some(bias) = bias else { return Ok(y) };
    let shape = l.shape(y)?;
    let own = l.shape(bias)?;
    if own.len() != 1 || own[0] != shape[1] {
        return Err(l.misfit("input 2", &own, &shape[1..2]));
    }
    let bias = l.spread(bias, &[1], &shape)?;
    l.map(Scalar::Add, &[y, bias])
}

/// The convolution of `x` by `w` under the node's attributes.
fn convolved(l: &mut Lower<'_>, x: ValueId, w: ValueId, acc: DType, out: DType) -> Result<ValueId, Fail> {
    let g = grouped(l, x, w, true)?;
    let (sx, sw) = (l.shape(x)?, l.shape(w)?);
    let kernel = kernel_of(l, &sw[2..])?;
    let mut geometry = windows(l, sx[2..].to_vec(), kernel)?;
    resolve_same(&mut geometry)?;
    let mut axes = Vec::new();
    let mut ext = Vec::new();
    for i in 0..geometry.input.len() {
        ext.push((out_label(i), out_extent(l, &geometry, i)?));
        ext.push((tap_label(i), Dim::from(geometry.kernel[i])));
        axes.push(Window {
            out: out_label(i),
            tap: tap_label(i),
            stride: geometry.strides[i],
            dil: geometry.dilations[i],
            lo: geometry.lo[i],
            in_dil: 1,
        });
    }
    let spec = windowed(&axes, &ext, [LABELS.m, LABELS.c], g.groups != Dim::ONE)?;
    finish(l, spec, &g, acc, out)
}

/// X convolved by W, plus B.
pub fn conv(l: &mut Lower<'_>) -> Results {
    let (x, w) = (l.operand(0)?, l.operand(1)?);
    let dtype = l.dtype(x)?;
    let y = convolved(l, x, w, accumulator(dtype), dtype)?;
    let bias = l.optional(2);
    Ok(vec![with_bias(l, y, bias)?])
}

fn conv_transpose(l: &mut Lower<'_>) -> Results {
    let (x, w) = (l.operand(0)?, l.operand(1)?);
    let dtype = l.dtype(x)?;
    let g = grouped(l, x, w, false)?;
    let (sx, sw) = (l.shape(x)?, l.shape(w)?);
    let kernel = kernel_of(l, &sw[2..])?;
    let mut geometry = windows(l, sx[2..].to_vec(), kernel)?;
    let n = geometry.input.len();
    let extra = list(l, "output_padding", n, 0, 0)?;
    let wanted = l.ints("output_shape").filter(|s| !s.is_empty()).map(<[i64]>::to_vec);
    if let Some(wanted) = wanted.as_ref().filter(|s| s.len() != n) {
        return Err(l.value("output_shape", &format!("{wanted:?}"), &format!("{n} numbers")));
    }
    let mut axes = Vec::new();
    let mut ext = Vec::new();
    for i in 0..n {
        let stride = geometry.strides[i];
        let full = (geometry.input[i].clone() - Dim::ONE) * Dim::from(stride) + Dim::from(extra[i] + geometry.reach(i));
        let same = matches!(geometry.auto, Auto::SameUpper | Auto::SameLower);
        let fixed = match &wanted {
            Some(wanted) => Some(Dim::from(wanted[i])),
            None if same => Some(geometry.input[i].clone() * Dim::from(stride)),
            None => None,
        };
        let extent = match fixed {
            None => full - Dim::from(geometry.lo[i] + geometry.hi[i]),
            Some(extent) => {
                // What is cut off the full result; the larger half before, unless SAME_UPPER.
                let Some(total) = (full - extent.clone()).as_const() else {
                    return Err(opaque("output_shape over an unknown extent"));
                };
                let total = if same { total.max(0) } else { total };
                let half = total.div_euclid(2);
                geometry.lo[i] = if geometry.auto == Auto::SameUpper { half } else { total - half };
                extent
            }
        };
        ext.push((out_label(i), extent));
        ext.push((tap_label(i), Dim::from(geometry.kernel[i])));
        axes.push(Window {
            out: out_label(i),
            tap: tap_label(i),
            stride: 1,
            dil: -geometry.dilations[i],
            lo: -geometry.lo[i],
            in_dil: stride,
        });
    }
    let spec = windowed(&axes, &ext, [LABELS.c, LABELS.m], g.groups != Dim::ONE)?;
    let y = finish(l, spec, &g, accumulator(dtype), dtype)?;
    let bias = l.optional(2);
    Ok(vec![with_bias(l, y, bias)?])
}

/// i32(v) − i32(zero), the zero point of a weight per output channel or for all. Subtracting before the padding with 0
/// is padding with the zero point.
fn centered(l: &mut Lower<'_>, v: ValueId, zero: Option<ValueId>) -> Result<ValueId, Fail> {
    let shape = l.shape(v)?;
    let wide = l.cast(v, DType::I32)?;
    let Some(zero) = zero else { return Ok(wide) };
    let zero = per_first(l, zero, &shape)?;
    let zero = l.cast(zero, DType::I32)?;
    l.map(Scalar::Sub, &[wide, zero])
}

fn per_first(l: &mut Lower<'_>, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
    let own = l.shape(v)?;
    if egret_ir::dim::count(&own).as_const() == Some(1) {
        let scalar = l.reshape(v, &[])?;
        return l.broadcast(scalar, shape);
    }
    l.spread(v, &[0], shape)
}

fn conv_integer(l: &mut Lower<'_>) -> Results {
    let (x, w) = (l.operand(0)?, l.operand(1)?);
    let x = centered(l, x, l.optional(2))?;
    let w = centered(l, w, l.optional(3))?;
    Ok(vec![convolved(l, x, w, DType::I32, DType::I32)?])
}

/// quantize(f32(Σ (x − zx)·(w − zw) + B) · (sx·sw), sy, zy).
fn qlinear_conv(l: &mut Lower<'_>) -> Results {
    let v = (0..8).map(|i| l.operand(i)).collect::<Result<Vec<_>, _>>()?;
    let x = centered(l, v[0], Some(v[2]))?;
    let w = centered(l, v[3], Some(v[5]))?;
    let y = convolved(l, x, w, DType::I32, DType::I32)?;
    let bias = l.optional(8);
    let y = with_bias(l, y, bias)?;
    let shape = l.shape(y)?;
    let compute = l.dtype(v[1])?;
    let y = l.cast(y, compute)?;
    // The scale of the weight is one number or one per output channel, which is axis 1 of the result.
    let sw = l.shape(v[4])?;
    let scale = if egret_ir::dim::count(&sw).as_const() == Some(1) {
        let scalar = l.reshape(v[4], &[])?;
        l.broadcast(scalar, &shape)?
    } else {
        l.spread(v[4], &[1], &shape)?
    };
    let sx = per_first(l, v[1], &shape)?;
    let scale = l.map(Scalar::Mul, &[sx, scale])?;
    let y = l.map(Scalar::Mul, &[y, scale])?;
    let (sy, zy) = (per_first(l, v[6], &shape)?, per_first(l, v[7], &shape)?);
    let to = l.dtype(v[7])?;
    if !to.is_int() {
        return Err(opaque(format!("quantization to {to}")));
    }
    Ok(vec![quantize_values(l, y, sy, Some(zy), to)?])
}
