//! The reference function of ONNX Resize: separable, axis by axis, as gathers with weights. Positions are computed in f32, as
//! ONNX Runtime does, and are data: the same in every domain.

use super::array::Array;
use super::domain::{Site, sub_site};
use super::error::Trap;
use super::{Cx, Domain, map};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::Op;
use crate::op::call::{Coordinates, NearestMode, Resize, ResizeMode};
use crate::op::scalar::Scalar;
use crate::op::spec::{GatherSpec, Negative};

/// One tap of an interpolation along an axis: for each result position, where it reads and with which weight.
struct Tap {
    at: Vec<i64>,
    weight: Vec<f64>,
}

/// The operand coordinate of result position `i`.
fn coordinate(mode: Coordinates, i: usize, scale: f32, from: usize, to: usize) -> f32 {
    let (x, from, to) = (i as f32, from as f32, to as f32);
    match mode {
        Coordinates::HalfPixel => (x + 0.5) / scale - 0.5,
        Coordinates::PytorchHalfPixel => {
            if to > 1.0 {
                (x + 0.5) / scale - 0.5
            } else {
                0.0
            }
        }
        Coordinates::AlignCorners => {
            if to > 1.0 {
                x * (from - 1.0) / (to - 1.0)
            } else {
                0.0
            }
        }
        Coordinates::Asymmetric => x / scale,
        Coordinates::HalfPixelSymmetric => {
            let adjustment = to / (scale * from);
            from / 2.0 * (1.0 - adjustment) + (x + 0.5) / scale - 0.5
        }
    }
}

fn nearest(mode: NearestMode, x: f32) -> f32 {
    let (floor, part) = (x.floor(), x - x.floor());
    let up = match mode {
        NearestMode::Floor => false,
        NearestMode::Ceil => part > 0.0,
        NearestMode::RoundPreferFloor => part > 0.5,
        NearestMode::RoundPreferCeil => part >= 0.5,
    };
    if up { floor + 1.0 } else { floor }
}

/// Weights of the four neighbours at fraction `s` of the cubic convolution kernel with coefficient `a`
/// (Keys, "Cubic convolution interpolation for digital image processing", 1981).
fn cubic(a: f64, s: f64) -> [f64; 4] {
    let near = |d: f64| ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    let far = |d: f64| ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a;
    [far(s + 1.0), near(s), near(1.0 - s), far(2.0 - s)]
}

/// The taps along an axis of `from` elements for a result of `to`.
fn taps(r: &Resize, scale: f32, from: usize, to: usize) -> Vec<Tap> {
    let last = from as i64 - 1;
    let width = match r.mode {
        ResizeMode::Nearest(_) => 1,
        ResizeMode::Linear => 2,
        ResizeMode::Cubic(_) => 4,
    };
    let mut taps: Vec<Tap> = (0..width).map(|_| Tap { at: Vec::new(), weight: Vec::new() }).collect();
    for i in 0..to {
        let x = coordinate(r.coordinates, i, scale, from, to);
        let (low, s) = (x.floor() as i64, f64::from(x - x.floor()));
        let (first, mut weights) = match r.mode {
            ResizeMode::Nearest(mode) => (nearest(mode, x) as i64, vec![1.0]),
            ResizeMode::Linear => (low, vec![1.0 - s, s]),
            ResizeMode::Cubic(a) => (low - 1, cubic(a.to_f64(), s).to_vec()),
        };
        if r.exclude_outside && width > 1 {
            for (k, w) in weights.iter_mut().enumerate() {
                if !(0..=last).contains(&(first + k as i64)) {
                    *w = 0.0;
                }
            }
            let sum: f64 = weights.iter().sum();
            for w in &mut weights {
                *w /= sum;
            }
        }
        for (k, (tap, w)) in taps.iter_mut().zip(weights).enumerate() {
            tap.at.push((first + k as i64).clamp(0, last));
            tap.weight.push(w);
        }
    }
    taps
}

/// Resamples every axis whose extent or scale changes. Integer types interpolate in f32 and truncate.
pub fn run<D: Domain>(cx: &Cx<'_, D>, site: Site, r: &Resize, x: &Array<D::Float>) -> Result<Array<D::Float>, Trap> {
    let sizes = cx.sizes(&r.sizes)?;
    let scales_fit = r.scales.as_ref().is_none_or(|s| s.len() == x.rank());
    if sizes.len() != x.rank() || !scales_fit {
        return Err(cx.misfit("resize", &[x]));
    }
    let weighted = !matches!(r.mode, ResizeMode::Nearest(_));
    if weighted && !x.dtype().is_float() {
        let wide = Array::new(DType::F32, x.shape().to_vec(), map::cast(cx, site, DType::F32, x)?);
        let y = run(cx, site, r, &wide)?;
        return Ok(Array::new(x.dtype(), y.shape().to_vec(), map::cast(cx, site, x.dtype(), &y)?));
    }
    let mut y = x.clone();
    for (axis, to) in sizes.iter().copied().enumerate() {
        let from = y.shape()[axis];
        let scale = r.scales.as_ref().map_or(to as f32 / from as f32, |s| s[axis].to_f64() as f32);
        if from == to && scale == 1.0 {
            continue;
        }
        if from == 0 && to > 0 {
            return Err(cx.misfit("resize", &[x]));
        }
        let mut sum: Option<Array<D::Float>> = None;
        for (k, tap) in taps(r, scale, from, to).into_iter().enumerate() {
            let spec = GatherSpec::along(y.rank(), axis, 1, Negative::Never).map_err(crate::infer::TypeError::from)?;
            let term = cx.tensor(0, &Op::Gather(spec), &[&y, &Array::int(DType::I64, [to], tap.at)])?;
            if !weighted {
                sum = Some(term);
                continue;
            }
            let dtype = y.dtype();
            let weights = Array::float(dtype, [to], tap.weight.iter().map(|w| cx.domain.lift(dtype, *w)).collect());
            let others: Vec<(u8, Dim)> =
                (0..y.rank()).filter(|a| *a != axis).map(|a| (a as u8, Dim::from(term.shape()[a]))).collect();
            let weights = cx.tensor(0, &Op::Broadcast(others.into()), &[&weights])?;
            let here = sub_site(site, (axis * 8 + 2 * k) as u64);
            let term = cx.tensor(here, &Op::Map(Scalar::Mul), &[&term, &weights])?;
            sum = Some(match sum {
                None => term,
                Some(s) => {
                    cx.tensor(sub_site(site, (axis * 8 + 2 * k + 1) as u64), &Op::Map(Scalar::Add), &[&s, &term])?
                }
            });
        }
        y = sum.unwrap_or(y);
    }
    Ok(y)
}
