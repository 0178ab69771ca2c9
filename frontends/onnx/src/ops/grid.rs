//! Reads at computed positions between cells: GridSample, AffineGrid, DeformConv. Positions become cells and weights per
//! axis, and a result is the sum over the cells around it.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Ix, Label, Negative, Spec};
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque};

pub const ROWS: &[Row] = &[
    onnx("GridSample", 16..20, grid_sample),
    onnx("GridSample", 20..LATEST, grid_sample),
    onnx("AffineGrid", 20..LATEST, affine_grid),
    onnx("DeformConv", 19..LATEST, deform_conv),
];

fn label(i: usize) -> Label {
    Label(i as u8)
}

/// The type that positions and weights are computed in.
pub fn work_type(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::F64 } else { DType::F32 }
}

/// A cell that a position reads along one axis: its index (inside the axis), whether it is really there, its weight.
pub struct Tap {
    /// i64.
    pub at: ValueId,
    /// bool; None: always.
    pub there: Option<ValueId>,
    /// None: 1.
    pub weight: Option<ValueId>,
}

/// What lies outside the data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Zeros,
    Border,
    Reflection,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nearest,
    Linear,
    Cubic,
}

/// The cells that a float position reads where everything outside the axis is zero: the two around it.
pub fn linear_taps(l: &mut Lower<'_>, x: ValueId, extent: &Dim) -> Result<Vec<Tap>, Fail> {
    let low = l.map(Scalar::Floor, &[x])?;
    let part = l.map(Scalar::Sub, &[x, low])?;
    let rest = l.with_left(Scalar::Sub, 1.0, part)?;
    let mut taps = Vec::new();
    for (k, weight) in [rest, part].into_iter().enumerate() {
        let at = l.with(Scalar::Add, low, k as f64)?;
        let (at, there) = zero_outside(l, at, extent)?;
        taps.push(Tap { at, there: Some(there), weight: Some(weight) });
    }
    Ok(taps)
}

/// A float position as an index and whether it is inside; compared as floats, so that huge ones are outside.
fn zero_outside(l: &mut Lower<'_>, at: ValueId, extent: &Dim) -> Result<(ValueId, ValueId), Fail> {
    let there = l.inside(at, extent)?;
    let near = l.clamp_index(at, extent)?;
    Ok((l.cast(near, DType::I64)?, there))
}

/// Σ over all choices of one tap per axis: cells gathered by `spec` (whose `@` axes are the taps' axes, after `lead` given
/// indices), times the weights. `axes` are the places of the taps' axes in the result.
pub fn interpolate(
    l: &mut Lower<'_>,
    data: ValueId,
    spec: &GatherSpec,
    lead: &[ValueId],
    taps: &[Vec<Tap>],
    axes: &[usize],
    work: DType,
) -> Result<ValueId, Fail> {
    let mut sum = None;
    let combinations: usize = taps.iter().map(Vec::len).product();
    for number in 0..combinations {
        let mut rest = number;
        let mut chosen = Vec::with_capacity(taps.len());
        for list in taps.iter().rev() {
            chosen.push(&list[rest % list.len()]);
            rest /= list.len();
        }
        chosen.reverse();
        let value = corner(l, data, spec, lead, &chosen, axes, work)?;
        sum = Some(match sum {
            None => value,
            Some(s) => l.add(s, value)?,
        });
    }
    sum.ok_or_else(|| opaque("no spatial axes"))
}

/// One cell per result, weighted; 0 where it is not there.
pub fn corner(
    l: &mut Lower<'_>,
    data: ValueId,
    spec: &GatherSpec,
    lead: &[ValueId],
    chosen: &[&Tap],
    axes: &[usize],
    work: DType,
) -> Result<ValueId, Fail> {
    let places: Vec<ValueId> = lead.iter().copied().chain(chosen.iter().map(|t| t.at)).collect();
    let ix = if places.len() == 1 { places[0] } else { l.stack_last(&places)? };
    let value = l.gather(spec.clone(), data, ix)?;
    let value = l.cast(value, work)?;
    let shape = l.shape(value)?;
    let mut there = None;
    let mut weight = None;
    for t in chosen {
        there = match (there, t.there) {
            (None, b) => b,
            (a, None) => a,
            (Some(a), Some(b)) => Some(l.map(Scalar::And, &[a, b])?),
        };
        weight = match (weight, t.weight) {
            (None, b) => b,
            (a, None) => a,
            (Some(a), Some(b)) => Some(l.mul(a, b)?),
        };
    }
    let mut value = value;
    if let Some(m) = there {
        let m = l.spread(m, axes, &shape)?;
        let zero = l.splat(Literal::from_i64(work, 0), &shape)?;
        value = l.map(Scalar::Select, &[m, value, zero])?;
    }
    if let Some(w) = weight {
        let w = l.spread(w, axes, &shape)?;
        value = l.mul(value, w)?;
    }
    Ok(value)
}

/// X `[N, C, D…]`, grid `[N, O…, k]` with the last axis first, from −1 to 1.
fn grid_sample(l: &mut Lower<'_>) -> Results {
    let (x, grid) = (l.operand(0)?, l.operand(1)?);
    let (own, places) = (l.shape(x)?, l.shape(grid)?);
    let dtype = l.dtype(x)?;
    let n = own.len().saturating_sub(2);
    if n == 0 || places.len() != n + 2 || places[n + 1] != Dim::from(n) {
        return Err(l.misfit("grid", &places, &own));
    }
    let mode = match l.string("mode", if l.opset < 20 { "bilinear" } else { "linear" })?.as_str() {
        "nearest" => Mode::Nearest,
        "linear" | "bilinear" => Mode::Linear,
        "cubic" | "bicubic" => Mode::Cubic,
        other => return Err(l.value("mode", other, "linear, nearest or cubic")),
    };
    let padding = match l.string("padding_mode", "zeros")?.as_str() {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => return Err(l.value("padding_mode", other, "zeros, border or reflection")),
    };
    if mode != Mode::Nearest && !dtype.is_float() {
        return Err(opaque("interpolated integers"));
    }
    let align = l.flag("align_corners", false);
    let work = work_type(l.dtype(grid)?);
    let out = &places[..=n];
    let mut taps = Vec::with_capacity(n);
    for i in 0..n {
        // The grid names the last axis first.
        let at = l.slice_axis(grid, n + 1, Dim::from(n - 1 - i), Dim::ONE)?;
        let at = l.reshape(at, out)?;
        let at = l.cast(at, work)?;
        let at = position(l, at, &own[2 + i], align)?;
        taps.push(axis_taps(l, at, &own[2 + i], mode, padding, align, work_type(dtype))?);
    }
    // {n c @…@, n o… -> n c o…}
    let mut data_axes = vec![DataIx::Label(label(0)), DataIx::Label(label(1))];
    data_axes.extend(std::iter::repeat_n(DataIx::At, n));
    let all: Vec<Label> = (0..n + 2).map(label).collect();
    let ix: Vec<Label> = std::iter::once(label(0)).chain(all[2..].iter().copied()).collect();
    let spec = GatherSpec::new(&data_axes, &ix, &all, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let axes: Vec<usize> = std::iter::once(0).chain(2..n + 2).collect();
    let work = if mode == Mode::Nearest { dtype } else { work_type(dtype) };
    let y = interpolate(l, x, &spec, &[], &taps, &axes, work)?;
    Ok(vec![l.cast(y, dtype)?])
}

/// From −1 … 1 to cells: the ends are the outer cells' centers (`align`) or outer edges.
fn position(l: &mut Lower<'_>, g: ValueId, extent: &Dim, align: bool) -> Result<ValueId, Fail> {
    let up = l.with(Scalar::Add, g, 1.0)?;
    if align {
        let half = l.with(Scalar::Div, up, 2.0)?;
        return l.with_dim(Scalar::Mul, half, &(extent.clone() - Dim::ONE));
    }
    let wide = l.with_dim(Scalar::Mul, up, extent)?;
    let wide = l.with(Scalar::Sub, wide, 1.0)?;
    l.with(Scalar::Div, wide, 2.0)
}

fn axis_taps(
    l: &mut Lower<'_>,
    x: ValueId,
    extent: &Dim,
    mode: Mode,
    padding: Padding,
    align: bool,
    work: DType,
) -> Result<Vec<Tap>, Fail> {
    let x = if mode == Mode::Nearest { l.map(Scalar::Round, &[x])? } else { x };
    // Positions themselves are brought inside first, then each cell; for cubic interpolation the cells alone, as
    // ONNX Runtime and PyTorch do.
    let x = match padding {
        _ if mode == Mode::Cubic => x,
        Padding::Zeros => x,
        Padding::Border => l.clamp_index(x, extent)?,
        Padding::Reflection => reflected(l, x, extent, align)?,
    };
    let low = if mode == Mode::Nearest { x } else { l.map(Scalar::Floor, &[x])? };
    let part = l.map(Scalar::Sub, &[x, low])?;
    let part = l.cast(part, work)?;
    let (first, weights) = match mode {
        Mode::Nearest => (0, vec![None]),
        Mode::Linear => (0, vec![Some(l.with_left(Scalar::Sub, 1.0, part)?), Some(part)]),
        Mode::Cubic => (-1, cubic(l, part)?.into_iter().map(Some).collect()),
    };
    let mut taps = Vec::with_capacity(weights.len());
    for (k, weight) in weights.into_iter().enumerate() {
        let at = l.with(Scalar::Add, low, (first + k as i64) as f64)?;
        let (at, there) = match padding {
            Padding::Zeros => {
                let (at, there) = zero_outside(l, at, extent)?;
                (at, Some(there))
            }
            Padding::Border | Padding::Reflection => {
                let at = if padding == Padding::Reflection { reflected(l, at, extent, align)? } else { at };
                let at = l.clamp_index(at, extent)?;
                (l.cast(at, DType::I64)?, None)
            }
        };
        taps.push(Tap { at, there, weight });
    }
    Ok(taps)
}

/// Mirrored at both ends of the axis (at the outer cells' centers with `align`, else at their edges) until inside.
fn reflected(l: &mut Lower<'_>, x: ValueId, extent: &Dim, align: bool) -> Result<ValueId, Fail> {
    let (low, range) = if align { (0.0, extent.clone() - Dim::ONE) } else { (-0.5, extent.clone()) };
    let away = l.with(Scalar::Sub, x, low)?;
    let away = l.map(Scalar::Abs, &[away])?;
    // An axis of one cell has no range with `align`: everything is that cell.
    let period = (range.clone() * Dim::from(2i64)).larger(&Dim::ONE);
    let turn = l.with_dim(Scalar::RemTrunc, away, &period)?;
    let t = l.tensor(turn)?;
    let full = l.dim(&(range.clone() * Dim::from(2i64)), t.dtype)?;
    let full = l.fill(full, &t.shape)?;
    let back = l.map(Scalar::Sub, &[full, turn])?;
    let forward = l.with_dim(Scalar::Le, turn, &range)?;
    let folded = l.map(Scalar::Select, &[forward, turn, back])?;
    let folded = l.with(Scalar::Add, folded, low)?;
    // What is inside stays as it is, bit for bit.
    let above = l.with_left(Scalar::Le, low, x)?;
    let top = l.with(Scalar::Sub, x, low)?;
    let below = l.with_dim(Scalar::Le, top, &range)?;
    let inside = l.map(Scalar::And, &[above, below])?;
    l.map(Scalar::Select, &[inside, x, folded])
}

/// Weights of the four cells around a fraction: cubic convolution with coefficient −0.75
/// (Keys, "Cubic convolution interpolation for digital image processing", 1981).
fn cubic(l: &mut Lower<'_>, s: ValueId) -> Result<[ValueId; 4], Fail> {
    const A: f64 = -0.75;
    let polynomial = |l: &mut Lower<'_>, d: ValueId, c: [f64; 4]| -> Result<ValueId, Fail> {
        let mut y = l.with(Scalar::Mul, d, c[0])?;
        for (i, c) in c[1..].iter().enumerate() {
            if *c != 0.0 {
                y = l.with(Scalar::Add, y, *c)?;
            }
            if i < 2 {
                y = l.mul(y, d)?;
            }
        }
        Ok(y)
    };
    let far = [A, -5.0 * A, 8.0 * A, -4.0 * A];
    let near = [A + 2.0, -(A + 3.0), 0.0, 1.0];
    let rest = l.with_left(Scalar::Sub, 1.0, s)?;
    let (before, after) = (l.with(Scalar::Add, s, 1.0)?, l.with(Scalar::Add, rest, 1.0)?);
    Ok([polynomial(l, before, far)?, polynomial(l, s, near)?, polynomial(l, rest, near)?, polynomial(l, after, far)?])
}

/// Where the cells of a result lie in the operand: theta `[N, k, k+1]` times (x, y, …, 1) of each cell, the last axis
/// first.
fn affine_grid(l: &mut Lower<'_>) -> Results {
    let (theta, size) = (l.operand(0)?, l.operand(1)?);
    let t = l.tensor(theta)?;
    let rank = l.shape(size)?.first().and_then(Dim::as_const).filter(|n| (4..=5).contains(n));
    let Some(rank) = rank else { return Err(opaque("a size that is not 4 or 5 numbers")) };
    let sizes = l.lengths("size", size, rank as usize)?;
    let n = sizes.len() - 2;
    let work = work_type(t.dtype);
    let out = &sizes[2..];
    let align = l.flag("align_corners", false);
    let mut parts = Vec::with_capacity(n + 1);
    for i in (0..n).rev() {
        let d = &out[i];
        let at = l.iota(d, work)?;
        let twice = l.with(Scalar::Mul, at, 2.0)?;
        let at = if align {
            l.with_dim(Scalar::Div, twice, &(d.clone() - Dim::ONE).larger(&Dim::ONE))?
        } else {
            let odd = l.with(Scalar::Add, twice, 1.0)?;
            l.with_dim(Scalar::Div, odd, d)?
        };
        let at = l.with(Scalar::Sub, at, 1.0)?;
        parts.push(l.spread(at, &[i], out)?);
    }
    parts.push(l.splat(Literal::from_f64(work, 1.0), out)?);
    let cells = l.stack_last(&parts)?;
    // {n e k, o… k -> n o… e}
    let (batch, to, k) = (label(0), label(n + 1), label(n + 2));
    let spots: Vec<Label> = (1..=n).map(label).collect();
    let plain = |ls: &[Label]| ls.iter().map(|x| Ix::Label(*x)).collect::<Vec<_>>();
    let spec = Spec::new(
        &[plain(&[batch, to, k]), plain(&[&spots[..], &[k]].concat())],
        &[&[batch], &spots[..], &[to]].concat(),
        &[],
    );
    Ok(vec![l.contract(spec.map_err(|e| opaque(e.to_string()))?, theta, cells, work, t.dtype)?])
}

/// A convolution whose taps are moved by offsets, read between the cells, and weighted by the mask.
fn deform_conv(l: &mut Lower<'_>) -> Results {
    let (x, w, offset) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let (own, kernel, moved) = (l.shape(x)?, l.shape(w)?, l.shape(offset)?);
    let dtype = l.dtype(x)?;
    if own.len() != 4 || kernel.len() != 4 || moved.len() != 4 {
        return Err(bad("X", ProblemKind::Rank { got: own.len(), expected: "4".into() }));
    }
    let list = |l: &Lower<'_>, field: &str, count: usize, default: i64| match l.ints(field) {
        Some(list) if list.len() == count => Ok(list.to_vec()),
        Some(list) => Err(l.value(field, &format!("{list:?}"), &format!("{count} numbers"))),
        None => Ok(vec![default; count]),
    };
    let (strides, dilations, pads) = (list(l, "strides", 2, 1)?, list(l, "dilations", 2, 1)?, list(l, "pads", 4, 0)?);
    let (groups, offset_groups) = (Dim::from(l.int("group", 1)), Dim::from(l.int("offset_group", 1)));
    let (taps_y, taps_x) = (kernel[2].clone(), kernel[3].clone());
    let out = [moved[2].clone(), moved[3].clone()];
    let work = work_type(dtype);
    // Places of the taps: [N, offset groups, kernel…, out…].
    let places: Shape = [&[own[0].clone(), offset_groups.clone(), taps_y.clone(), taps_x.clone()][..], &out].concat();
    let mut split = places.clone();
    split.insert(4, Dim::from(2i64));
    let offset = l.reshape(offset, &split)?;
    let offset = l.cast(offset, work)?;
    let mut taps = Vec::with_capacity(2);
    for i in 0..2 {
        let by = l.slice_axis(offset, 4, Dim::from(i), Dim::ONE)?;
        let by = l.reshape(by, &places)?;
        let o = l.ramp(4 + i, &places, work)?;
        let o = l.with(Scalar::Mul, o, strides[i] as f64)?;
        let k = l.ramp(2 + i, &places, work)?;
        let k = l.with(Scalar::Mul, k, dilations[i] as f64)?;
        let at = l.add(o, k)?;
        let at = l.with(Scalar::Sub, at, pads[i] as f64)?;
        let at = l.add(at, by)?;
        taps.push(linear_taps(l, at, &own[2 + i])?);
    }
    let channels = own[1].exact_div(&offset_groups);
    let data = l.reshape(x, &[own[0].clone(), offset_groups, channels, own[2].clone(), own[3].clone()])?;
    // {n g c @ @, n g r s p q -> n g c r s p q}
    let axes = [DataIx::Label(label(0)), DataIx::Label(label(1)), DataIx::Label(label(2)), DataIx::At, DataIx::At];
    let all: Vec<Label> = (0..7).map(label).collect();
    let ix: Vec<Label> = [0, 1, 3, 4, 5, 6].map(label).to_vec();
    let spec = GatherSpec::new(&axes, &ix, &all, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let mut columns = interpolate(l, data, &spec, &[], &taps, &[0, 1, 3, 4, 5, 6], work)?;
    if let Some(mask) = l.optional(4) {
        let mask = l.reshape(mask, &places)?;
        let mask = l.cast(mask, work)?;
        let shape = l.shape(columns)?;
        let mask = l.spread(mask, &[0, 1, 3, 4, 5, 6], &shape)?;
        columns = l.mul(columns, mask)?;
    }
    let columns = l.reshape(
        columns,
        &[&[own[0].clone(), groups.clone(), kernel[1].clone(), taps_y.clone(), taps_x.clone()][..], &out].concat(),
    )?;
    let maps = kernel[0].exact_div(&groups);
    let w = l.reshape(w, &[groups, maps, kernel[1].clone(), taps_y, taps_x])?;
    // {n g c r s p q, g m c r s -> n g m p q}
    let plain = |ls: [usize; 5]| ls.map(|i| Ix::Label(label(i))).to_vec();
    let spec = Spec::new(
        &[[0, 1, 5, 6, 7, 3, 4].map(|i| Ix::Label(label(i))).to_vec(), plain([1, 2, 5, 6, 7])],
        &[0, 1, 2, 3, 4].map(label),
        &[],
    );
    let y = l.contract(spec.map_err(|e| opaque(e.to_string()))?, columns, w, work, work)?;
    let shape = [&[own[0].clone(), kernel[0].clone()][..], &out].concat();
    let mut y = l.reshape(y, &shape)?;
    if let Some(bias) = l.optional(3) {
        let bias = l.cast(bias, work)?;
        let bias = l.spread(bias, &[1], &shape)?;
        y = l.add(y, bias)?;
    }
    Ok(vec![l.cast(y, dtype)?])
}
