//! Resize as a stage: per axis a table of sample positions and weights (formulas where the extents are not known: [`sample`]),
//! the element a weighted sum over them
//! (ONNX Resize; positions are computed in f32 as its reference runtime does).

use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::call::{Coordinates, NearestMode, Resize, ResizeMode};
use egret_ir::op::scalar::Scalar;
use egret_ir::tensor::Tensor;

use crate::affine::{Affine, Atom};
use crate::lower::cast;
use crate::native::sample;
use crate::stage::{Stage, Store};
use crate::value::{Slot, Value};

/// Position in the operand along one axis, and weight of the sample there (None: 1).
pub(super) type Tap = (Affine, Option<Arc<Value>>);

/// Samples of one axis: for every result position, `taps` positions in the operand and their weights.
struct Axis {
    taps: usize,
    positions: Vec<i64>,
    weights: Vec<f32>,
}

/// The position in the operand of a result position.
fn coordinate(c: Coordinates, i: usize, from: i64, to: i64, scale: f32) -> f32 {
    let (x, from, to) = (i as f32, from as f32, to as f32);
    match c {
        Coordinates::HalfPixel => (x + 0.5) / scale - 0.5,
        Coordinates::HalfPixelSymmetric => {
            let adjusted = to / (scale * from);
            let center = from / 2.0;
            center * (1.0 - adjusted) + (x + 0.5) / scale - 0.5
        }
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
    }
}

fn axis(r: &Resize, from: i64, to: i64, scale: f32) -> Axis {
    let inside = |p: i64| p.clamp(0, from - 1);
    let mut out = Axis { taps: 1, positions: Vec::new(), weights: Vec::new() };
    if from == to && scale == 1.0 {
        out.positions = (0..to).collect();
        out.weights = vec![1.0; to as usize];
        return out;
    }
    for i in 0..to as usize {
        let x = coordinate(r.coordinates, i, from, to, scale);
        match r.mode {
            ResizeMode::Nearest(mode) => {
                let p = match mode {
                    NearestMode::RoundPreferFloor => (x - 0.5).ceil(),
                    NearestMode::RoundPreferCeil => (x + 0.5).floor(),
                    NearestMode::Floor => x.floor(),
                    NearestMode::Ceil => x.ceil(),
                };
                out.positions.push(inside(p as i64));
                out.weights.push(1.0);
            }
            ResizeMode::Linear => {
                out.taps = 2;
                let x = if r.exclude_outside { x } else { x.clamp(0.0, (from - 1) as f32) };
                let lo = x.floor();
                let w = x - lo;
                push(&mut out, r, from, &[(lo as i64, 1.0 - w), (lo as i64 + 1, w)]);
            }
            ResizeMode::Cubic(a) => {
                out.taps = 4;
                let a = a.to_f64() as f32;
                let lo = x.floor();
                let t = x - lo;
                let near = |t: f32| ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
                let far = |t: f32| ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a;
                let lo = lo as i64;
                push(
                    &mut out,
                    r,
                    from,
                    &[(lo - 1, far(t + 1.0)), (lo, near(t)), (lo + 1, near(1.0 - t)), (lo + 2, far(2.0 - t))],
                );
            }
        }
    }
    out
}

fn push(out: &mut Axis, r: &Resize, from: i64, taps: &[(i64, f32)]) {
    let outside = |p: i64| r.exclude_outside && !(0..from).contains(&p);
    let total: f32 = taps.iter().filter(|(p, _)| !outside(*p)).map(|t| t.1).sum();
    for (p, w) in taps {
        out.positions.push((*p).clamp(0, from - 1));
        out.weights.push(if outside(*p) {
            0.0
        } else if r.exclude_outside {
            w / total
        } else {
            *w
        });
    }
}

/// The index expression of tap `k`: affine or a quotient where the table is, else a read of the table.
fn position(a: &Axis, k: usize, d: usize, to: &[Dim], from: &Dim, add: &mut dyn FnMut(Tensor) -> Slot) -> Affine {
    let column: Vec<i64> = a.positions.iter().skip(k).step_by(a.taps).copied().collect();
    let first = column.first().copied().unwrap_or(0);
    if column.iter().all(|p| *p == first) {
        return Affine::constant(first);
    }
    let step = column.get(1).copied().unwrap_or(0) - first;
    if column.iter().enumerate().all(|(i, p)| *p == first + step * i as i64) {
        return Affine::axis(d).times(step).plus(&Affine::constant(first));
    }
    let run = column.iter().take_while(|p| **p == first).count() as i64;
    if run > 1 && column.iter().enumerate().all(|(i, p)| *p == first + i as i64 / run) {
        return Affine::axis(d).div(run, to).plus(&Affine::constant(first));
    }
    let n = column.len();
    let slot = add(Tensor::from_slice(vec![n], &column).expect("invariant: one element per position"));
    let value = Arc::new(Value::Load { slot, at: Affine::axis(d), dtype: DType::I64 });
    Affine::atom(Atom::Data { value, extent: from.clone(), wraps: false })
}

/// Position in the operand and weight (None: 1) of each tap of one axis of known extents, read from tables.
fn tabled(r: &Resize, d: usize, from: i64, to: &[Dim], n: i64, add: &mut dyn FnMut(Tensor) -> Slot) -> Vec<Tap> {
    let scale = r.scales.as_ref().map_or(n as f32 / from as f32, |s| s[d].to_f64() as f32);
    let a = axis(r, from, n, scale);
    let tap = |k: usize| {
        let at = position(&a, k, d, to, &from.into(), add);
        let weights: Vec<f32> = a.weights.iter().skip(k).step_by(a.taps).copied().collect();
        let weight = if weights.iter().all(|w| *w == 1.0) {
            None
        } else if weights.windows(2).all(|w| w[0] == w[1]) {
            Some(Arc::new(Value::Lit(Literal::f32(weights[0]))))
        } else {
            let n = weights.len();
            let slot = add(Tensor::from_slice(vec![n], &weights).expect("invariant: one element per position"));
            Some(Arc::new(Value::Load { slot, at: Affine::axis(d), dtype: DType::F32 }))
        };
        (at, weight)
    };
    (0..a.taps).map(tap).collect()
}

/// The stage that resizes `source` (extents `from`) into `slot` (extents `to`); tables are added through `add`.
#[expect(clippy::too_many_arguments, reason = "one place calls it")]
pub fn stage(
    r: &Resize,
    from: &[Dim],
    to: &[Dim],
    source: Slot,
    slot: Slot,
    dtype: DType,
    note: String,
    add: &mut dyn FnMut(Tensor) -> Slot,
) -> Stage {
    let work = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    // Partial sums over one axis after the other keep the number of products small.
    let mut sums: Vec<(Vec<Affine>, Option<Arc<Value>>)> = vec![(Vec::new(), None)];
    for d in 0..from.len() {
        let taps = match (from[d].as_const(), to[d].as_const()) {
            (Some(m), Some(n)) => tabled(r, d, m, to, n, add),
            _ => sample::taps(r, d, &from[d], to),
        };
        let columns: Vec<Tap> = taps.into_iter().map(|(at, weight)| (at, weight.map(|w| cast(w, work)))).collect();
        let mut next = Vec::new();
        for (at, weight) in &sums {
            for (p, w) in &columns {
                let mut at = at.clone();
                at.push(p.clone());
                let weight = match (weight, w) {
                    (None, None) => None,
                    (Some(w), None) | (None, Some(w)) => Some(w.clone()),
                    (Some(a), Some(b)) => Some(Value::map(Scalar::Mul, vec![a.clone(), b.clone()], work)),
                };
                next.push((at, weight));
            }
        }
        sums = next;
    }
    let mut total: Option<Arc<Value>> = None;
    let plain = sums.len() == 1 && sums[0].1.is_none();
    for (at, weight) in sums {
        let load = Arc::new(Value::Load { slot: source, at: Affine::flatten(&at, from), dtype });
        let x = if plain { load } else { cast(load, work) };
        let x = match weight {
            Some(w) => Value::map(Scalar::Mul, vec![x, w], work),
            None => x,
        };
        total = Some(match total {
            None => x,
            Some(t) => Value::map(Scalar::Add, vec![t, x], work),
        });
    }
    let value = cast(total.expect("invariant: at least one tap"), dtype);
    let index: Vec<Affine> = (0..to.len()).map(Affine::axis).collect();
    let store = Store { slot, at: Affine::flatten(&index, to), value };
    Stage { extents: to.to_vec(), rank: to.len(), fold: None, stores: vec![store], note }
}
