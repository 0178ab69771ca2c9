//! Sample positions and weights of Resize as expressions of the result's index, for axes whose extents are known at run time
//! only. The formulas are those of the tables ([`super::resize`]), in f32 as there.

use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::call::{Coordinates, NearestMode, Resize, ResizeMode};
use egret_ir::op::scalar::Scalar;

use super::resize::Tap;
use crate::affine::{Affine, Atom};
use crate::lower::cast;
use crate::value::Value;

type V = Arc<Value>;

fn number(x: f32) -> V {
    Arc::new(Value::Lit(Literal::f32(x)))
}

fn index(at: Affine) -> V {
    cast(Arc::new(Value::Index(at)), DType::F32)
}

fn f(f: Scalar, args: &[&V]) -> V {
    let dtype = args[0].dtype();
    let to = if matches!(f, Scalar::Lt | Scalar::Le) { DType::Bool } else { dtype };
    Value::map(f, args.iter().map(|a| (*a).clone()).collect(), to)
}

fn add(a: &V, b: &V) -> V {
    f(Scalar::Add, &[a, b])
}

fn sub(a: &V, b: &V) -> V {
    f(Scalar::Sub, &[a, b])
}

fn mul(a: &V, b: &V) -> V {
    f(Scalar::Mul, &[a, b])
}

fn div(a: &V, b: &V) -> V {
    f(Scalar::Div, &[a, b])
}

fn select(cond: &V, yes: &V, no: &V) -> V {
    Value::map(Scalar::Select, vec![cond.clone(), yes.clone(), no.clone()], yes.dtype())
}

/// The position in the operand of result position `x`.
fn coordinate(c: Coordinates, x: &V, from: &V, to: &V, scale: &V) -> V {
    let (half, one) = (number(0.5), number(1.0));
    let centered = || sub(&div(&add(x, &half), scale), &half);
    let unless_single = |v: V| select(&f(Scalar::Lt, &[&one, to]), &v, &number(0.0));
    match c {
        Coordinates::HalfPixel => centered(),
        Coordinates::HalfPixelSymmetric => {
            let adjusted = div(to, &mul(scale, from));
            add(&mul(&div(from, &number(2.0)), &sub(&one, &adjusted)), &centered())
        }
        Coordinates::PytorchHalfPixel => unless_single(centered()),
        Coordinates::AlignCorners => unless_single(div(&mul(x, &sub(from, &one)), &sub(to, &one))),
        Coordinates::Asymmetric => div(x, scale),
    }
}

/// Positions and weights of the taps of axis `d`, of extent `from` in the operand and `to[d]` in the result.
pub(super) fn taps(r: &Resize, d: usize, from: &Dim, to: &[Dim]) -> Vec<Tap> {
    let given = r.scales.as_ref().map(|s| s[d].to_f64() as f32);
    if *from == to[d] && given.is_none_or(|s| s == 1.0) {
        return vec![(Affine::axis(d), None)];
    }
    // Pixels repeated a whole number of times, the usual upsampling.
    if let (Some(scale), ResizeMode::Nearest(NearestMode::Floor), Coordinates::Asymmetric) =
        (given, r.mode, r.coordinates)
        && scale >= 1.0
        && scale.fract() == 0.0
        && to[d] == from * (scale as i64)
    {
        return vec![(Affine::axis(d).div(scale as i64, to), None)];
    }
    let (m, n) = (index(Affine::constant(from)), index(Affine::constant(&to[d])));
    let scale = given.map_or_else(|| div(&n, &m), number);
    let x = coordinate(r.coordinates, &index(Affine::axis(d)), &m, &n, &scale);
    let (zero, one) = (number(0.0), number(1.0));
    let last = sub(&m, &one);
    let inside = |p: &V| f(Scalar::Max, &[&f(Scalar::Min, &[p, &last]), &zero]);
    let at = |p: &V| {
        let value = cast(inside(p), DType::I64);
        Affine::atom(Atom::Data { value, extent: from.clone(), wraps: false })
    };
    let weighted = |taps: Vec<(V, V)>| -> Vec<Tap> {
        if !r.exclude_outside {
            return taps.into_iter().map(|(p, w)| (at(&p), Some(w))).collect();
        }
        // What lies outside does not count; the rest is brought back to a sum of 1.
        let kept: Vec<V> = taps
            .iter()
            .map(|(p, w)| {
                let above = f(Scalar::Le, &[&zero, p]);
                select(&f(Scalar::And, &[&above, &f(Scalar::Lt, &[p, &m])]), w, &zero)
            })
            .collect();
        let total = kept[1..].iter().fold(kept[0].clone(), |sum, w| add(&sum, w));
        taps.iter().zip(&kept).map(|((p, _), w)| (at(p), Some(div(w, &total)))).collect()
    };
    match r.mode {
        ResizeMode::Nearest(mode) => {
            let half = number(0.5);
            let p = match mode {
                NearestMode::RoundPreferFloor => f(Scalar::Ceil, &[&sub(&x, &half)]),
                NearestMode::RoundPreferCeil => f(Scalar::Floor, &[&add(&x, &half)]),
                NearestMode::Floor => f(Scalar::Floor, &[&x]),
                NearestMode::Ceil => f(Scalar::Ceil, &[&x]),
            };
            vec![(at(&p), None)]
        }
        ResizeMode::Linear => {
            let x = if r.exclude_outside { x } else { inside(&x) };
            let lo = f(Scalar::Floor, &[&x]);
            let w = sub(&x, &lo);
            weighted(vec![(lo.clone(), sub(&one, &w)), (add(&lo, &one), w)])
        }
        ResizeMode::Cubic(a) => {
            let a = a.to_f64() as f32;
            let lo = f(Scalar::Floor, &[&x]);
            let t = sub(&x, &lo);
            let near = |t: &V| {
                let slope = sub(&mul(&number(a + 2.0), t), &number(a + 3.0));
                add(&mul(&mul(&slope, t), t), &one)
            };
            let far = |t: &V| {
                let square = add(&mul(&sub(&mul(&number(a), t), &number(5.0 * a)), t), &number(8.0 * a));
                sub(&mul(&square, t), &number(4.0 * a))
            };
            let (one_less, two_less) = (sub(&one, &t), sub(&number(2.0), &t));
            weighted(vec![
                (sub(&lo, &one), far(&add(&t, &one))),
                (lo.clone(), near(&t)),
                (add(&lo, &one), near(&one_less)),
                (add(&lo, &number(2.0)), far(&two_less)),
            ])
        }
    }
}
