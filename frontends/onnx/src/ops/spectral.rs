//! Fourier transforms as contractions with a table of roots of unity, windows, and the mel filter bank.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{DType, Dim, Literal, Tensor, ValueId};

use super::cast::dtype_code;
use super::{LATEST, Row, onnx};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("DFT", 17..20, |l| {
        let axis = l.int("axis", 1);
        dft(l, axis)
    }),
    onnx("DFT", 20..LATEST, |l| {
        let axis = match l.optional(2) {
            Some(v) => only(l, "axis", &l.numbers("axis", v)?)?,
            None => -2,
        };
        dft(l, axis)
    }),
    onnx("STFT", 17..LATEST, stft),
    onnx("HannWindow", 17..LATEST, |l| window(l, &[0.5, -0.5])),
    onnx("HammingWindow", 17..LATEST, |l| window(l, &[25.0 / 46.0, 25.0 / 46.0 - 1.0])),
    onnx("BlackmanWindow", 17..LATEST, |l| window(l, &[0.42, -0.5, 0.08])),
    onnx("MelWeightMatrix", 17..LATEST, mel_weight_matrix),
];

/// Tables of roots up to this many elements are constants; larger ones are computed where they are used.
const MAX_TABLE: i64 = 1 << 20;

fn only(l: &Lower<'_>, field: &str, list: &[i64]) -> Result<i64, Fail> {
    match list {
        [n] => Ok(*n),
        _ => Err(l.value(field, &format!("{list:?}"), "one number")),
    }
}

/// cos and sin of 2π·i·j/n for `[rows, columns]`; the product is reduced modulo n before it is a float.
fn roots(l: &mut Lower<'_>, rows: &Dim, columns: &Dim, n: &Dim, dtype: DType) -> Result<[ValueId; 2], Fail> {
    if let (Some(r), Some(c), Some(n)) = (rows.as_const(), columns.as_const(), n.as_const())
        && r.checked_mul(c).is_some_and(|count| count <= MAX_TABLE)
        && n > 0
    {
        let table = |f: fn(f64) -> f64| {
            let angle = |i: i64, j: i64| std::f64::consts::TAU * (i * j % n) as f64 / n as f64;
            let bytes: Vec<u8> = (0..r)
                .flat_map(|i| (0..c).map(move |j| (i, j)))
                .flat_map(|(i, j)| Literal::from_f64(dtype, f(angle(i, j))).to_le_bytes())
                .collect();
            Tensor::new(dtype, [r as usize, c as usize], bytes).map_err(|e| opaque(e.to_string()))
        };
        return Ok([l.constant(table(f64::cos)?)?, l.constant(table(f64::sin)?)?]);
    }
    let shape = [rows.clone(), columns.clone()];
    let (i, j) = (l.ramp(0, &shape, DType::I64)?, l.ramp(1, &shape, DType::I64)?);
    let product = l.mul(i, j)?;
    let product = l.with_dim(Scalar::RemFloor, product, n)?;
    let angle = l.cast(product, DType::F64)?;
    let angle = l.with(Scalar::Mul, angle, std::f64::consts::TAU)?;
    let angle = l.with_dim(Scalar::Div, angle, n)?;
    let mut both = [angle, angle];
    for (v, f) in both.iter_mut().zip([Scalar::Cos, Scalar::Sin]) {
        let y = l.map(f, &[angle])?;
        *v = l.cast(y, dtype)?;
    }
    Ok(both)
}

/// What a transform multiplies with: `[positions, frequencies, part of the result, part of the operand]`; parts are real
/// and imaginary, the operand may have the real one only.
fn table(
    l: &mut Lower<'_>,
    (rows, columns, n): (&Dim, &Dim, &Dim),
    parts: usize,
    inverse: bool,
    dtype: DType,
) -> Result<ValueId, Fail> {
    let [cos, sin] = roots(l, rows, columns, n, dtype)?;
    let negative = l.map(Scalar::Neg, &[sin])?;
    // e^∓iθ times 1 is (cos, ∓sin), times i is (±sin, cos).
    let (of_one, of_i) = if inverse { (sin, negative) } else { (negative, sin) };
    let mut columns = vec![l.stack_last(&[cos, of_one])?];
    if parts == 2 {
        columns.push(l.stack_last(&[of_i, cos])?);
    }
    l.stack_last(&columns)
}

/// Cut or filled up with zeros to `len` along an axis.
fn resized(l: &mut Lower<'_>, x: ValueId, axis: usize, len: &Dim) -> Result<ValueId, Fail> {
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    if own[axis] == *len {
        return Ok(x);
    }
    let kept = own[axis].smaller(len);
    let mut cut = whole_slices(&own);
    cut[axis] = SliceAxis { start: Dim::ZERO, step: 1, len: kept.clone() };
    let x = l.slice(x, cut)?;
    let zero = l.number(dtype, 0.0)?;
    let mut grow = vec![PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 }; own.len()];
    grow[axis].hi = len.clone() - kept;
    let x = l.pad(x, zero, grow)?;
    let mut shape = own;
    shape[axis] = len.clone();
    l.reshape(x, &shape)
}

fn label(i: usize) -> Label {
    Label(i as u8)
}

/// Tables and sums of transforms: sums of roots cancel, and f32 leaves a rest where the result is zero.
const WORK: DType = DType::F64;

/// The last axis holds real, or real and imaginary parts. One-sided: the frequencies up to half the length; an inverse
/// from those gives real numbers.
fn dft(l: &mut Lower<'_>, axis: i64) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    let rank = own.len();
    let parts = own.last().and_then(Dim::as_const).filter(|n| (1..=2).contains(n) && rank >= 2);
    let Some(parts) = parts else {
        return Err(opaque(format!("an operand {own:?} whose last extent is not known to be 1 or 2")));
    };
    let axis = l.axis("axis", axis, rank)?;
    if axis == rank - 1 {
        return Err(l.value("axis", &axis.to_string(), "an axis before the last"));
    }
    let (inverse, onesided) = (l.flag("inverse", false), l.flag("onesided", false));
    let two = Dim::from(2i64);
    let given = match l.optional(1) {
        Some(v) => Some(l.lengths("dft_length", v, 1)?.remove(0)),
        None => None,
    };
    let real = inverse && onesided;
    let n =
        given.unwrap_or_else(|| if real { two.clone() * (own[axis].clone() - Dim::ONE) } else { own[axis].clone() });
    let half = n.floor_div(&two) + Dim::ONE;
    let x = resized(l, x, axis, if real { &half } else { &n })?;
    let mut x_axes: Vec<Label> = (0..rank - 1).map(label).collect();
    let (tap, part, to_part) = (label(rank), label(rank + 1), label(rank + 2));
    x_axes[axis] = tap;
    x_axes.push(part);
    let mut out: Vec<Label> = (0..rank - 1).map(label).collect();
    out.push(to_part);
    let weights = if real {
        if parts != 2 {
            return Err(l.value("inputs", "real numbers", "complex ones"));
        }
        hermitian(l, &half, &n, WORK)?
    } else {
        let to = if onesided { half } else { n.clone() };
        table(l, (&n, &to, &n), parts as usize, inverse, WORK)?
    };
    let plain = |ls: &[Label]| ls.iter().map(|x| Ix::Label(*x)).collect::<Vec<_>>();
    let spec = Spec::new(&[plain(&x_axes), plain(&[tap, label(axis), to_part, part])], &out, &[]);
    let spec = spec.map_err(|e| opaque(e.to_string()))?;
    let y = l.contract(spec, x, weights, WORK, dtype)?;
    Ok(vec![if inverse { l.with_dim(Scalar::Div, y, &n)? } else { y }])
}

/// The table of a real inverse from the lower half of the frequencies: the others are their conjugates, so all but the
/// first and (of an even length) the last count twice. `[half, n, 1, 2]`.
fn hermitian(l: &mut Lower<'_>, half: &Dim, n: &Dim, dtype: DType) -> Result<ValueId, Fail> {
    let [cos, sin] = roots(l, half, n, n, dtype)?;
    let shape = [half.clone(), n.clone()];
    let k = l.ramp(0, &shape, DType::I64)?;
    let first = l.with(Scalar::Eq, k, 0.0)?;
    let twice = l.with(Scalar::Mul, k, 2.0)?;
    let last = l.with_dim(Scalar::Eq, twice, n)?;
    let once = l.map(Scalar::Or, &[first, last])?;
    let (one, two) = (l.splat(Literal::from_f64(dtype, 1.0), &shape)?, l.splat(Literal::from_f64(dtype, 2.0), &shape)?);
    let weight = l.map(Scalar::Select, &[once, one, two])?;
    let re = l.mul(cos, weight)?;
    let im = l.mul(sin, weight)?;
    let im = l.map(Scalar::Neg, &[im])?;
    let both = l.stack_last(&[re, im])?;
    l.reshape(both, &[half.clone(), n.clone(), Dim::ONE, Dim::from(2i64)])
}

/// Frames of the signal as windows of the contraction: `{b step·f+n c, n k e c -> b f k e}`.
fn stft(l: &mut Lower<'_>) -> Results {
    let (mut x, step) = (l.operand(0)?, l.operand(1)?);
    let mut own = l.shape(x)?;
    let dtype = l.dtype(x)?;
    if own.len() == 2 {
        own.push(Dim::ONE);
        x = l.reshape(x, &own)?;
    }
    let parts = own.get(2).and_then(Dim::as_const).filter(|n| (1..=2).contains(n) && own.len() == 3);
    let Some(parts) = parts else {
        return Err(bad(
            "signal",
            ProblemKind::Shape { got: format!("{own:?}"), expected: "[batch, length, 1 or 2]".into() },
        ));
    };
    let step = only(l, "frame_step", &l.numbers("frame_step", step)?)?;
    if step < 1 {
        return Err(l.value("frame_step", &step.to_string(), "a positive number"));
    }
    let window = l.optional(2);
    let length = match (l.optional(3), window) {
        (Some(v), _) => Dim::from(only(l, "frame_length", &l.numbers("frame_length", v)?)?),
        (None, Some(w)) => l.shape(w)?.into_iter().next().unwrap_or(Dim::ONE),
        (None, None) => return Err(l.value("frame_length", "none", "a window or a length")),
    };
    if length.as_const().is_none_or(|n| n < 1) {
        return Err(l.value("frame_length", &length.to_string(), "a positive number"));
    }
    let onesided = l.flag("onesided", true);
    let to = if onesided { length.floor_div(&Dim::from(2i64)) + Dim::ONE } else { length.clone() };
    let mut weights = table(l, (&length, &to, &length), parts as usize, false, WORK)?;
    if let Some(w) = window {
        let w = l.cast(w, WORK)?;
        let shape = l.shape(weights)?;
        let w = l.spread(w, &[0], &shape)?;
        weights = l.mul(weights, w)?;
    }
    let frames = (own[1].clone() - length.clone()).floor_div(&Dim::from(step)) + Dim::ONE;
    let (b, f, k, e, n, c) = (label(0), label(1), label(2), label(3), label(4), label(5));
    let at = Window { out: f, tap: n, stride: step, dil: 1, lo: 0, in_dil: 1 };
    let spec = Spec::new(
        &[vec![Ix::Label(b), Ix::Window(at), Ix::Label(c)], [n, k, e, c].map(Ix::Label).to_vec()],
        &[b, f, k, e],
        &[(f, frames), (n, length)],
    );
    Ok(vec![l.contract(spec.map_err(|e| opaque(e.to_string()))?, x, weights, WORK, dtype)?])
}

/// Σ aₖ·cos(2πk·i/n) over the size, or one less for a symmetric window.
fn window(l: &mut Lower<'_>, coefficients: &[f64]) -> Results {
    let size = l.operand(0)?;
    let size = l.lengths("size", size, 1)?.remove(0);
    let to = dtype_code("output_datatype", l.int("output_datatype", 1))?;
    let i = l.iota(&size, DType::F64)?;
    let n = if l.flag("periodic", true) { size.clone() } else { size.clone() - Dim::ONE };
    // A symmetric window of one element is that of angle 0.
    let turns = l.with_dim(Scalar::Div, i, &n.larger(&Dim::ONE))?;
    let mut sum = l.splat(Literal::from_f64(DType::F64, coefficients[0]), &[size])?;
    for (k, a) in coefficients.iter().enumerate().skip(1) {
        let angle = l.with(Scalar::Mul, turns, std::f64::consts::TAU * k as f64)?;
        let cos = l.map(Scalar::Cos, &[angle])?;
        let term = l.with(Scalar::Mul, cos, *a)?;
        sum = l.add(sum, term)?;
    }
    Ok(vec![l.cast(sum, to)?])
}

/// Triangular filters whose centers are equally far apart on the mel scale, as a constant.
fn mel_weight_matrix(l: &mut Lower<'_>) -> Results {
    let mut given = [0.0; 5];
    let fields = ["num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz"];
    for (i, (x, field)) in given.iter_mut().zip(fields).enumerate() {
        let v = l.operand(i)?;
        *x = l.scalar_f64(v).ok_or_else(|| opaque(format!("{field} that is not known before the model runs")))?;
    }
    let [bins, length, rate, low, high] = given;
    let (bins, rows) = (bins as i64, (length / 2.0).floor() as i64 + 1);
    let fits = bins >= 0 && rows > 0 && bins.checked_mul(rows).is_some_and(|n| n <= 1 << 22) && rate > 0.0;
    if !fits {
        return Err(l.value("inputs", &format!("{given:?}"), "sizes of a small matrix"));
    }
    let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
    let step = (mel(high) - mel(low)) / (bins + 2) as f64;
    let place = |i: i64| {
        let hertz = 700.0 * (10f64.powf((i as f64 * step + mel(low)) / 2595.0) - 1.0);
        ((length + 1.0) * hertz / rate).floor() as i64
    };
    let mut weights = vec![0.0; (rows * bins) as usize];
    for i in 0..bins {
        let (from, center, to) = (place(i), place(i + 1), place(i + 2));
        let mut put = |row: i64, w: f64| {
            if (0..rows).contains(&row) {
                weights[(row * bins + i) as usize] = w;
            }
        };
        let inside = |a: i64, b: i64| a.max(0)..b.min(rows);
        if from == center {
            put(center, 1.0);
        } else {
            for row in inside(from, center + 1) {
                put(row, (row - from) as f64 / (center - from) as f64);
            }
        }
        if to > center {
            for row in inside(center, to) {
                put(row, (to - row) as f64 / (to - center) as f64);
            }
        }
    }
    let dtype = dtype_code("output_datatype", l.int("output_datatype", 1))?;
    let bytes: Vec<u8> = weights.iter().flat_map(|w| Literal::from_f64(dtype, *w).to_le_bytes()).collect();
    let t = Tensor::new(dtype, [rows as usize, bins as usize], bytes).map_err(|e| opaque(e.to_string()))?;
    Ok(vec![l.constant(t)?])
}
