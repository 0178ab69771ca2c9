//! Sums of products: FULLY_CONNECTED, BATCH_MATMUL, and what convolutions share with them ([`layer`]).
//!
//! A layer over quantized operands is exact up to its one rounding: `Σ (x − zx)·(w − zw) + bias` is a sum of integers, which
//! is scaled by `f32(sx·sw / sy)` per channel, rounded to nearest (ties to even), moved by the result's zero point and
//! saturated. The sum is carried in f32 where a bound from the constant weights proves that no partial sum exceeds 2²⁴,
//! and in 32-bit integers (64-bit for 16-bit data) elsewhere. TFLite's reference kernels scale by a 31-bit fixed-point
//! number and round halves away from zero, so a result may differ from theirs by one unit.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::{DType, Dim, Literal, Shape, Tensor, ValueId};

use super::{Row, real, stored};
use crate::error::ProblemKind;
use crate::lower::{Activation, Fail, Lower, Operand, Results, activation, bad, bad_value, unsupported};
use crate::quant::{self, Quant, limits};
use crate::schema::tflite::{ActivationFunctionType, FullyConnectedOptionsWeightsFormat};

pub const ROWS: &[Row] =
    &[stored("FULLY_CONNECTED", (2, 3), fully_connected), real("BATCH_MATMUL", (2, 2), batch_matmul)];

/// Every partial sum of integers up to this is a number of f32.
const EXACT: f64 = 16_777_216.0;

/// The sum of products of data and weights, in the layouts of the model and of one element type; the result's last axis
/// is the channels.
pub type Product<'p> = &'p dyn Fn(&mut Lower<'_>, ValueId, ValueId) -> Result<ValueId, Fail>;

/// What a layer computes besides its product.
pub struct Layer {
    /// Data.
    pub x: Operand,
    /// Weights.
    pub w: Operand,
    /// One number per channel, in units of the product.
    pub bias: Option<Operand>,
    /// The axis of the weights that is the channels.
    pub channels: usize,
    /// After everything else.
    pub activation: ActivationFunctionType,
}

/// Product, bias, activation; on quantized operands in integers.
pub fn layer(l: &mut Lower<'_>, layer: &Layer, product: Product<'_>) -> Results {
    if let (Some(qx), Some(qw), Some(qy)) = (&layer.x.quant, &layer.w.quant, &l.result_quant(0))
        && let (Some((sx, zx)), Some((sy, zy))) = (qx.single(), qy.single())
    {
        let scales = Scales { sx, zx, sy, zy, w: qw };
        return integer_layer(l, layer, &scales, product);
    }
    let in_real = |l: &mut Lower<'_>, o: &Operand| -> Result<ValueId, Fail> {
        Ok(match &o.quant {
            Some(q) => quant::real(l.b, o.value, q)?,
            None => o.value,
        })
    };
    let (x, w) = (in_real(l, &layer.x)?, in_real(l, &layer.w)?);
    let mut y = product(l, x, w)?;
    if let Some(bias) = &layer.bias {
        let bias = in_real(l, bias)?;
        y = with_bias(l, y, bias)?;
    }
    y = l.activated(y, layer.activation)?;
    if let Some(q) = l.result_quant(0) {
        let to = l.result_dtype(0)?;
        y = quant::stored(l.b, y, &q, to)?;
    }
    Ok(vec![y])
}

fn with_bias(l: &mut Lower<'_>, y: ValueId, bias: ValueId) -> Result<ValueId, Fail> {
    let shape = l.shape(y)?;
    let own = l.shape(bias)?;
    if shape.last() != own.last() || own.len() != 1 {
        return Err(bad_value("bias", format!("{own:?}"), &format!("one number per channel of {shape:?}")));
    }
    let bias = l.b.broadcast(bias, &shape)?;
    Ok(l.b.map(Scalar::Add, &[y, bias])?)
}

/// The parameters of a quantized layer.
struct Scales<'a> {
    sx: f32,
    zx: i64,
    sy: f32,
    zy: i64,
    w: &'a Quant,
}

fn integer_layer(l: &mut Lower<'_>, layer: &Layer, s: &Scales<'_>, product: Product<'_>) -> Results {
    let to = l.result_dtype(0)?;
    let shape = l.shape(layer.w.value)?;
    if s.w.axis.is_some_and(|a| a != layer.channels) {
        return Err(unsupported(format!("weights with scales along axis {:?}", s.w.axis)));
    }
    let acc = accumulator(l, layer, s)?;
    let mut x = l.b.cast(layer.x.value, acc)?;
    if s.zx != 0 {
        x = l.b.with(Scalar::Sub, x, s.zx as f64)?;
    }
    let mut w = l.b.cast(layer.w.value, acc)?;
    if s.w.zeros.iter().any(|z| *z != 0) {
        let zeros: Vec<Literal> = s.w.zeros.iter().map(|z| Literal::from_i64(acc, *z)).collect();
        let zeros = per_channel(l, &zeros, &shape, layer.channels)?;
        w = l.b.map(Scalar::Sub, &[w, zeros])?;
    }
    let mut y = product(l, x, w)?;
    if let Some(bias) = &layer.bias {
        let bias = l.b.cast(bias.value, acc)?;
        y = with_bias(l, y, bias)?;
    }
    let y = l.b.cast(y, DType::F32)?;
    let scale = |sw: &f32| Literal::f32((f64::from(s.sx) * f64::from(*sw) / f64::from(s.sy)) as f32);
    let scales: Vec<Literal> = s.w.scales.iter().map(scale).collect();
    let out = l.shape(y)?;
    let scales = per_channel(l, &scales, &out, out.len().saturating_sub(1))?;
    let y = l.b.map(Scalar::Mul, &[y, scales])?;
    let mut y = l.b.map(Scalar::Round, &[y])?;
    if s.zy != 0 {
        y = l.b.with(Scalar::Add, y, s.zy as f64)?;
    }
    let range = stored_range(to, (s.sy, s.zy), layer.activation)?;
    Ok(vec![quant::saturated(l.b, y, range, to)?])
}

/// One literal everywhere, or one per slice along an axis.
fn per_channel(l: &mut Lower<'_>, values: &[Literal], shape: &[Dim], axis: usize) -> Result<ValueId, Fail> {
    if let [one] = values {
        return Ok(l.b.splat(*one, shape)?);
    }
    let dtype = values.first().map_or(DType::F32, |v| v.dtype());
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let list = Tensor::new(dtype, vec![values.len()], bytes).map_err(|e| unsupported(e.to_string()))?;
    let list = l.b.constant(list);
    Ok(l.b.spread(list, &[axis], shape)?)
}

/// The type that holds all partial sums exactly: f32 where the weights prove it.
fn accumulator(l: &Lower<'_>, layer: &Layer, s: &Scales<'_>) -> Result<DType, Fail> {
    let dtype = l.b.dtype(layer.x.value)?;
    let (lo, hi) = limits(dtype);
    let wide = if dtype.size() == 1 { DType::I32 } else { DType::I64 };
    let Some(w) = l.b.constant_of(layer.w.value) else { return Ok(wide) };
    let bias = match &layer.bias {
        None => 0.0,
        Some(b) => match l.b.constant_of(b.value) {
            None => return Ok(wide),
            Some(b) => b.to_f64().iter().fold(0.0f64, |m, x| m.max(x.abs())),
        },
    };
    let channels = w.shape().get(layer.channels).copied().unwrap_or(1).max(1);
    let inner: usize = w.shape().iter().skip(layer.channels + 1).product();
    let mut sums = vec![0.0f64; channels];
    let zero = |c: usize| s.w.zeros.get(c).or(s.w.zeros.first()).copied().unwrap_or(0) as f64;
    for (i, x) in w.to_f64().iter().enumerate() {
        let c = (i / inner.max(1)) % channels;
        sums[c] += (x - zero(c)).abs();
    }
    let most = sums.into_iter().fold(0.0, f64::max);
    let reach = (hi - s.zx).max(s.zx - lo) as f64;
    Ok(if most * reach + bias <= EXACT { DType::F32 } else { wide })
}

/// The stored numbers that an activation lets through.
fn stored_range(dtype: DType, (scale, zero): (f32, i64), f: ActivationFunctionType) -> Result<(i64, i64), Fail> {
    let (mut lo, mut hi) = limits(dtype);
    let at = |x: f64| zero.saturating_add((x / f64::from(scale)).round() as i64);
    match activation(f)? {
        Activation::Clamp(least, most) => {
            lo = least.map_or(lo, |x| lo.max(at(x)));
            hi = most.map_or(hi, |x| hi.min(at(x)));
        }
        Activation::Tanh => return Err(unsupported("a fused tanh on quantized data")),
    }
    Ok((lo, hi))
}

/// An activation on stored numbers.
pub fn activated_stored(l: &mut Lower<'_>, y: ValueId, q: &Quant, f: ActivationFunctionType) -> Result<ValueId, Fail> {
    let dtype = l.b.dtype(y)?;
    let single = q.single().ok_or_else(|| unsupported("a fused activation on per-channel data"))?;
    let (lo, hi) = stored_range(dtype, single, f)?;
    let whole = limits(dtype);
    let mut y = y;
    if lo > whole.0 {
        y = l.b.with(Scalar::Max, y, lo as f64)?;
    }
    if hi < whole.1 {
        y = l.b.with(Scalar::Min, y, hi as f64)?;
    }
    Ok(y)
}

/// Operands data, weights `[channels, depth]`, bias. The data is taken as rows of `depth`.
fn fully_connected(l: &mut Lower<'_>) -> Results {
    let (x, w) = (l.whole(0)?, l.whole(1)?);
    let options = l.table.builtin_options_as_fully_connected_options();
    if options.is_some_and(|o| o.weights_format() != FullyConnectedOptionsWeightsFormat::DEFAULT) {
        return Err(unsupported("a shuffled weights format"));
    }
    let keep = options.is_some_and(|o| o.keep_num_dims());
    let (own, weights) = (l.shape(x.value)?, l.shape_of(1, 2)?);
    let rows = egret_ir::dim::count(&own).exact_div(&weights[1]);
    let fits = !rows.is_invalid() && (!keep || own.last() == Some(&weights[1]));
    if !fits {
        return Err(bad_value("input 0", format!("{own:?}"), &format!("rows of {}", weights[1])));
    }
    let result: Shape = if keep {
        own[..own.len() - 1].iter().chain([&weights[0]]).cloned().collect()
    } else {
        vec![rows.clone(), weights[0].clone()]
    };
    let activation = options.map(|o| o.fused_activation_function()).unwrap_or_default();
    let bias = l.operands.get(2).cloned().flatten();
    let parts = Layer { x, w, bias, channels: 0, activation };
    let product = |l: &mut Lower<'_>, x: ValueId, w: ValueId| {
        let dtype = l.b.dtype(x)?;
        let x = l.b.reshape(x, &[rows.clone(), weights[1].clone()])?;
        let y = l.b.contract(Spec::plain(&["bk", "nk"], "bn")?, x, w, dtype, dtype)?;
        Ok(l.b.reshape(y, &result)?)
    };
    layer(l, &parts, &product)
}

/// numpy's matmul, with either operand's last two axes turned. A batch axis of extent 1 that the other operand repeats
/// becomes a missing label.
fn batch_matmul(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let (sa, sb) = (l.shape(a)?, l.shape(b)?);
    if sa.len() < 2 || sb.len() < 2 {
        return Err(bad("inputs", ProblemKind::Rank { got: sa.len().min(sb.len()), expected: "2 or more".into() }));
    }
    let options = l.table.builtin_options_as_batch_mat_mul_options();
    let (turn_a, turn_b) = options.map_or((false, false), |o| (o.adj_x(), o.adj_y()));
    let (ba, bb) = (sa[..sa.len() - 2].to_vec(), sb[..sb.len() - 2].to_vec());
    let rank = ba.len().max(bb.len());
    let label = |i: usize| Label(i as u8);
    let (m, k, n) = (label(rank), label(rank + 1), label(rank + 2));
    let at = |s: &Shape, i: usize| (i + s.len()).checked_sub(rank).map(|j| s[j].clone());
    let batch: Shape = (0..rank)
        .map(|i| match (at(&ba, i), at(&bb, i)) {
            (Some(x), Some(y)) => {
                if x == Dim::ONE {
                    y
                } else {
                    x
                }
            }
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => Dim::ONE,
        })
        .collect();
    let operand = |l: &mut Lower<'_>, v: ValueId, own: &Shape, last: [Label; 2]| -> Result<_, Fail> {
        let lead = rank + 2 - own.len();
        let mut shape = Vec::new();
        let mut axes = Vec::new();
        for (i, d) in own[..own.len() - 2].iter().enumerate() {
            if *d == batch[lead + i] {
                shape.push(d.clone());
                axes.push(Ix::Label(label(lead + i)));
            } else if *d != Dim::ONE {
                return Err(bad_value("inputs", format!("{sa:?} and {sb:?}"), "batch axes that go together"));
            }
        }
        shape.extend_from_slice(&own[own.len() - 2..]);
        axes.extend(last.map(Ix::Label));
        Ok((l.b.reshape(v, &shape)?, axes))
    };
    let (a, axes_a) = operand(l, a, &sa, if turn_a { [k, m] } else { [m, k] })?;
    let (b, axes_b) = operand(l, b, &sb, if turn_b { [n, k] } else { [k, n] })?;
    let out: Vec<Label> = (0..rank).map(label).chain([m, n]).collect();
    let spec = Spec::new(&[axes_a, axes_b], &out, &[])?;
    let dtype = l.b.dtype(a)?;
    Ok(vec![l.b.contract(spec, a, b, dtype, dtype)?])
}
