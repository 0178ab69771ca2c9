//! Convolutions: contractions whose data axes are windows.
//!
//! Data is batch, height, width, channels. It is turned to batch, channels, height, width and back around the contraction;
//! rewriting moves the turns to where they cost least. SAME pads so that the result has ⌈extent / stride⌉ cells, the odd
//! cell after.

use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, ValueId};

use super::contract::{Layer, layer};
use super::pool::positive;
use super::{Row, stored};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, bad_value, unsupported};
use crate::schema::tflite::Padding;

pub const ROWS: &[Row] = &[
    stored("CONV_2D", (2, 3), conv_2d),
    stored("DEPTHWISE_CONV_2D", (2, 3), depthwise),
    stored("TRANSPOSE_CONV", (3, 4), transpose_conv),
];

/// The axes of NHWC data in the order NCHW.
pub const TO_NCHW: [usize; 4] = [0, 3, 1, 2];
/// The axes of NCHW data in the order NHWC.
pub const FROM_NCHW: [usize; 4] = [0, 2, 3, 1];

/// Geometry of the two windowed axes.
#[derive(Debug, Clone)]
pub struct Windows {
    /// Extents of the data.
    pub input: [Dim; 2],
    /// Extents of the kernel.
    pub kernel: [i64; 2],
    /// Steps.
    pub strides: [i64; 2],
    /// Distances between taps.
    pub dilations: [i64; 2],
    /// Cells before the data.
    pub lo: [i64; 2],
    /// Extents of the result.
    pub out: [Dim; 2],
    /// Whether every window lies inside the data.
    pub valid: bool,
}

impl Windows {
    /// The windows of these options over data of extents `input`.
    pub fn new(
        input: &[Dim],
        kernel: [i64; 2],
        strides: [i64; 2],
        dilations: [i64; 2],
        padding: Padding,
    ) -> Result<Self, Fail> {
        let most = i64::from(i32::MAX);
        for (field, list) in [("filter", kernel), ("stride", strides), ("dilation", dilations)] {
            if list.iter().any(|x| !(1..=most).contains(x)) {
                return Err(bad_value(field, format!("{list:?}"), "positive numbers"));
            }
        }
        let valid = match padding {
            Padding::VALID => true,
            Padding::SAME => false,
            other => return Err(bad_value("padding", other.0, "SAME or VALID")),
        };
        let mut w = Self {
            input: [input[0].clone(), input[1].clone()],
            kernel,
            strides,
            dilations,
            lo: [0, 0],
            out: [Dim::ONE, Dim::ONE],
            valid,
        };
        for i in 0..2 {
            let reach = (kernel[i] - 1) * dilations[i] + 1;
            let d = w.input[i].clone();
            w.out[i] = if valid {
                (d - Dim::from(reach)).floor_div(&Dim::from(strides[i])) + Dim::ONE
            } else {
                w.lo[i] = same_total(d.as_const(), strides[i], reach)? / 2;
                d.ceil_div(&Dim::from(strides[i]))
            };
            if !positive(&w.out[i]) {
                return Err(bad_value("filter", format!("{kernel:?}"), &format!("no more than {:?}", w.input)));
            }
        }
        Ok(w)
    }

    /// The window axes over these labels of results and taps.
    pub fn axes(&self, out: [Label; 2], tap: [Label; 2]) -> [Window; 2] {
        [0, 1].map(|i| Window {
            out: out[i],
            tap: tap[i],
            stride: self.strides[i],
            dil: self.dilations[i],
            lo: self.lo[i],
            in_dil: 1,
        })
    }

    /// Extents of those labels.
    pub fn extents(&self, out: [Label; 2], tap: [Label; 2]) -> Vec<(Label, Dim)> {
        let outs = out.into_iter().zip(self.out.iter().cloned());
        outs.chain(tap.into_iter().zip(self.kernel.map(Dim::from))).collect()
    }

    /// Per axis and window, how many taps lie inside the data; None for unknown extents.
    pub fn counts(&self) -> Option<[Vec<i64>; 2]> {
        let one = |i: usize| -> Option<Vec<i64>> {
            let d = self.input[i].as_const()?;
            let n = self.out[i].as_const().filter(|n| *n <= 1 << 20)?;
            let inside = |o: i64| {
                let first = o * self.strides[i] - self.lo[i];
                let below = |limit: i64| {
                    let taps = (limit - first + self.dilations[i] - 1).div_euclid(self.dilations[i]);
                    taps.clamp(0, self.kernel[i])
                };
                below(d) - below(0)
            };
            Some((0..n).map(inside).collect())
        };
        Some([one(0)?, one(1)?])
    }
}

/// All cells that SAME pads along an axis.
fn same_total(extent: Option<i64>, stride: i64, reach: i64) -> Result<i64, Fail> {
    match (extent, stride) {
        (_, 1) => Ok(reach - 1),
        (Some(d), s) => Ok(((d.max(1) - 1) / s * s + reach - d).max(0)),
        (None, _) => Err(unsupported("SAME padding with a stride over an unknown extent")),
    }
}

const N: Label = Label(0);
const G: Label = Label(1);
const M: Label = Label(2);
const C: Label = Label(3);
const OUT: [Label; 2] = [Label(4), Label(5)];
const TAP: [Label; 2] = [Label(6), Label(7)];

/// `{n [g] [c] window…, weights -> n [g] [m] o…}` on data turned to NCHW, and the result turned back.
fn windowed(
    l: &mut Lower<'_>,
    x: ValueId,
    w: ValueId,
    data: &[Label],
    weights: &[Label],
    windows: &[Window; 2],
    ext: &[(Label, Dim)],
) -> Result<ValueId, Fail> {
    let dtype: DType = l.b.dtype(x)?;
    let mut a: Vec<Ix> = data.iter().map(|l| Ix::Label(*l)).collect();
    a.extend(windows.iter().map(|w| Ix::Window(*w)));
    let b: Vec<Ix> = weights.iter().map(|l| Ix::Label(*l)).collect();
    let kept = [N, G, M].into_iter().filter(|l| data.contains(l) || weights.contains(l));
    let out: Vec<Label> = kept.chain(OUT).collect();
    let spec = Spec::new(&[a, b], &out, ext)?;
    let y = l.b.contract(spec, x, w, dtype, dtype)?;
    let s = l.shape(y)?;
    let y = if s.len() == 5 {
        let merged = [s[0].clone(), s[1].clone() * s[2].clone(), s[3].clone(), s[4].clone()];
        l.b.reshape(y, &merged)?
    } else {
        y
    };
    Ok(l.b.permute(y, &FROM_NCHW)?)
}

/// Axis `axis` of a value split into `groups` and what is left.
fn split(l: &mut Lower<'_>, v: ValueId, axis: usize, groups: &Dim) -> Result<ValueId, Fail> {
    let mut shape = l.shape(v)?;
    let each = shape[axis].exact_div(groups);
    if each.is_invalid() {
        return Err(bad_value("channels", &shape[axis], &format!("a multiple of {groups}")));
    }
    shape[axis] = each;
    shape.insert(axis, groups.clone());
    Ok(l.b.reshape(v, &shape)?)
}

/// A kernel's extents, which must be numbers.
fn kernel(weights: &[Dim]) -> Result<[i64; 2], Fail> {
    match (weights[0].as_const(), weights[1].as_const()) {
        (Some(h), Some(w)) => Ok([h, w]),
        _ => Err(unsupported("a kernel of unknown extents")),
    }
}

fn no_options() -> Fail {
    bad("options", ProblemKind::Missing { part: "options" })
}

/// Weights `[out, height, width, in]`; fewer channels in the weights than in the data make groups.
fn conv_2d(l: &mut Lower<'_>) -> Results {
    let o = l.table.builtin_options_as_conv_2_doptions().ok_or_else(no_options)?;
    let (sx, sw) = (l.shape_of(0, 4)?, l.shape_of(1, 4)?);
    let strides = [o.stride_h(), o.stride_w()].map(i64::from);
    let dilations = [o.dilation_h_factor(), o.dilation_w_factor()].map(i64::from);
    let windows = Windows::new(&sx[1..3], kernel(&sw[1..3])?, strides, dilations, o.padding())?;
    let groups = sx[3].exact_div(&sw[3]);
    if groups.is_invalid() || groups.as_const().is_none() {
        return Err(bad_value("input 1", format!("{sw:?}"), &format!("channels that divide those of {sx:?}")));
    }
    let parts = Layer {
        x: l.whole(0)?,
        w: l.whole(1)?,
        bias: l.operands.get(2).cloned().flatten(),
        channels: 0,
        activation: o.fused_activation_function(),
    };
    let product = |l: &mut Lower<'_>, x: ValueId, w: ValueId| {
        let mut x = l.b.permute(x, &TO_NCHW)?;
        let mut w = l.b.permute(w, &TO_NCHW)?;
        let (axes, ext) = (windows.axes(OUT, TAP), windows.extents(OUT, TAP));
        if groups == Dim::ONE {
            return windowed(l, x, w, &[N, C], &[M, C, TAP[0], TAP[1]], &axes, &ext);
        }
        x = split(l, x, 1, &groups)?;
        w = split(l, w, 0, &groups)?;
        windowed(l, x, w, &[N, G, C], &[G, M, C, TAP[0], TAP[1]], &axes, &ext)
    };
    layer(l, &parts, &product)
}

/// Weights `[1, height, width, channels · multiplier]`: every channel of the data by itself.
fn depthwise(l: &mut Lower<'_>) -> Results {
    let o = l.table.builtin_options_as_depthwise_conv_2_doptions().ok_or_else(no_options)?;
    let (sx, sw) = (l.shape_of(0, 4)?, l.shape_of(1, 4)?);
    let strides = [o.stride_h(), o.stride_w()].map(i64::from);
    let dilations = [o.dilation_h_factor(), o.dilation_w_factor()].map(i64::from);
    let windows = Windows::new(&sx[1..3], kernel(&sw[1..3])?, strides, dilations, o.padding())?;
    let times = sw[3].exact_div(&sx[3]);
    if times.is_invalid() || times.as_const().is_none() || sw[0] != Dim::ONE {
        return Err(bad_value("input 1", format!("{sw:?}"), &format!("a multiple of the channels of {sx:?}")));
    }
    let parts = Layer {
        x: l.whole(0)?,
        w: l.whole(1)?,
        bias: l.operands.get(2).cloned().flatten(),
        channels: 3,
        activation: o.fused_activation_function(),
    };
    let channels = sx[3].clone();
    let product = |l: &mut Lower<'_>, x: ValueId, w: ValueId| {
        let x = l.b.permute(x, &TO_NCHW)?;
        // [h, w, channels, multiplier] → [channels, multiplier, h, w].
        let w = l.b.reshape(w, &[sw[1].clone(), sw[2].clone(), channels.clone(), times.clone()])?;
        let w = l.b.permute(w, &[2, 3, 0, 1])?;
        let (axes, ext) = (windows.axes(OUT, TAP), windows.extents(OUT, TAP));
        if times == Dim::ONE {
            let w = l.b.reshape(w, &[channels.clone(), sw[1].clone(), sw[2].clone()])?;
            return windowed(l, x, w, &[N, G], &[G, TAP[0], TAP[1]], &axes, &ext);
        }
        windowed(l, x, w, &[N, G], &[G, M, TAP[0], TAP[1]], &axes, &ext)
    };
    layer(l, &parts, &product)
}

/// Operands the result's shape, weights `[out, height, width, in]`, data, bias: each cell of the data adds a weighted
/// kernel to the result, at the place where the convolution of that padding would read it.
fn transpose_conv(l: &mut Lower<'_>) -> Results {
    let o = l.table.builtin_options_as_transpose_conv_options().ok_or_else(no_options)?;
    let shape = l.dims(0, "output_shape")?;
    let (sw, sx) = (l.shape_of(1, 4)?, l.shape_of(2, 4)?);
    let strides = [o.stride_h(), o.stride_w()].map(i64::from);
    let taps = kernel(&sw[1..3])?;
    if shape.len() != 4 || strides.iter().any(|s| *s < 1) || sw[3] != sx[3] {
        return Err(bad_value("input 1", format!("{sw:?}"), &format!("weights that go with {sx:?} and {shape:?}")));
    }
    let mut axes = Vec::new();
    for i in 0..2 {
        let lo = match o.padding() {
            Padding::VALID => 0,
            Padding::SAME => {
                let (Some(d), Some(out)) = (sx[1 + i].as_const(), shape[1 + i].as_const()) else {
                    return Err(unsupported("SAME padding over an unknown extent"));
                };
                let span = (d - 1).saturating_mul(strides[i]).saturating_add(taps[i]);
                span.saturating_sub(out).max(0) / 2
            }
            other => return Err(bad_value("padding", other.0, "SAME or VALID")),
        };
        axes.push(Window { out: OUT[i], tap: TAP[i], stride: 1, dil: -1, lo: -lo, in_dil: strides[i] });
    }
    let axes = [axes[0], axes[1]];
    let ext: Vec<(Label, Dim)> =
        OUT.into_iter().zip(shape[1..3].iter().cloned()).chain(TAP.into_iter().zip(taps.map(Dim::from))).collect();
    let parts = Layer {
        x: l.whole(2)?,
        w: l.whole(1)?,
        bias: l.operands.get(3).cloned().flatten(),
        channels: 0,
        activation: o.fused_activation_function(),
    };
    let product = |l: &mut Lower<'_>, x: ValueId, w: ValueId| {
        let x = l.b.permute(x, &TO_NCHW)?;
        // [out, h, w, in] → [in, out, h, w].
        let w = l.b.permute(w, &[3, 0, 1, 2])?;
        windowed(l, x, w, &[N, C], &[C, M, TAP[0], TAP[1]], &axes, &ext)
    };
    layer(l, &parts, &product)
}
