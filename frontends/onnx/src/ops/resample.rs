//! Resize and Upsample, as calls of the resampling definition, or by [`super::filter`] where that has no such form.

use egret_ir::op::Op;
use egret_ir::op::call::{Call, Coordinates, NearestMode, Resize, ResizeMode};
use egret_ir::{Dim, Literal, Shape, ValueId};

use super::filter::{self, Place};
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    onnx("Upsample", 1..7, upsample_by_sides),
    onnx("Upsample", 7..9, upsample_by_attribute),
    onnx("Upsample", 9..10, upsample),
    onnx("Resize", 10..11, resize_10),
    onnx("Resize", 11..LATEST, resize),
];

fn upsample_by_sides(l: &mut Lower<'_>) -> Results {
    let scales = [1.0, 1.0, l.float("height_scale", 1.0), l.float("width_scale", 1.0)];
    asymmetric(l, &scales)
}

fn upsample_by_attribute(l: &mut Lower<'_>) -> Results {
    let scales = node::floats(l.node, "scales").unwrap_or_default().to_vec();
    asymmetric(l, &scales)
}

fn upsample(l: &mut Lower<'_>) -> Results {
    let v = l.operand(1)?;
    let scales = floats(l, "scales", v)?;
    asymmetric(l, &scales)
}

/// Opset 10: coordinates asymmetric; the nearest cell is the one below where an axis grows, above where it shrinks (as
/// its node tests have it: [1, 2, 3, 4] by 0.6 is [1, 3]).
fn resize_10(l: &mut Lower<'_>) -> Results {
    let v = l.operand(1)?;
    let scales = floats(l, "scales", v)?;
    let shrinks = scales.iter().any(|s| *s < 1.0);
    if !shrinks || l.string("mode", "nearest")? != "nearest" {
        return asymmetric(l, &scales);
    }
    let part = |keep: fn(f32) -> bool| scales.iter().map(|s| if keep(*s) { *s } else { 1.0 }).collect::<Vec<f32>>();
    let mut x = l.operand(0)?;
    for (scales, rounding) in [(part(|s| s < 1.0), NearestMode::Ceil), (part(|s| s >= 1.0), NearestMode::Floor)] {
        let own = l.shape(x)?;
        let (sizes, scales) = by_scales(l, &own, &scales)?;
        let mode = ResizeMode::Nearest(rounding);
        x = call(
            l,
            x,
            Resize { mode, coordinates: Coordinates::Asymmetric, sizes, scales: Some(scales), exclude_outside: false },
        )?[0];
    }
    Ok(vec![x])
}

fn floats(l: &Lower<'_>, field: &str, v: ValueId) -> Result<Vec<f32>, Fail> {
    let known = l.known(v).and_then(|k| k.floats());
    known.ok_or_else(|| opaque(format!("{field} that are not known before the model runs")))
}

fn asymmetric(l: &mut Lower<'_>, scales: &[f32]) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let mode = l.string("mode", "nearest")?;
    let mode = match mode.as_str() {
        "nearest" => ResizeMode::Nearest(NearestMode::Floor),
        "linear" | "bilinear" => ResizeMode::Linear,
        _ => return Err(l.value("mode", &mode, "nearest or linear")),
    };
    let (sizes, scales) = by_scales(l, &own, scales)?;
    call(
        l,
        x,
        Resize { mode, coordinates: Coordinates::Asymmetric, sizes, scales: Some(scales), exclude_outside: false },
    )
}

/// Extents of a result, and the scale of each axis where it is not their quotient.
type Sized = (Box<[Dim]>, Option<Box<[Literal]>>);

/// Extents of a result, and the scales that gave them.
type Scaled = (Box<[Dim]>, Box<[Literal]>);

/// ⌊extent · scale⌋ per axis, and the scales as literals.
fn by_scales(l: &Lower<'_>, own: &[Dim], scales: &[f32]) -> Result<Scaled, Fail> {
    if scales.len() != own.len() || scales.iter().any(|s| !(*s > 0.0 && s.is_finite())) {
        return Err(l.value("scales", &format!("{scales:?}"), &format!("{} positive numbers", own.len())));
    }
    let mut sizes = Shape::new();
    for (d, s) in own.iter().zip(scales) {
        let whole = s.fract() == 0.0;
        sizes.push(match d.as_const() {
            Some(c) => Dim::from((c as f32 * s).floor() as i64),
            None if whole => d.clone() * Dim::from(*s as i64),
            // 1/2, 1/4, …: the product is exact.
            None if (1.0 / s).fract() == 0.0 && (1.0 / s).log2().fract() == 0.0 => {
                d.floor_div(&Dim::from((1.0 / s) as i64))
            }
            None => return Err(opaque(format!("scale {s} over an unknown extent"))),
        });
    }
    Ok((sizes.into(), scales.iter().map(|s| Literal::f32(*s)).collect()))
}

fn call(l: &mut Lower<'_>, x: ValueId, resize: Resize) -> Results {
    let same = resize.sizes[..] == l.shape(x)?[..];
    let unit = resize.scales.as_ref().is_none_or(|s| s.iter().all(|s| s.to_f64() == 1.0));
    if same && unit {
        return Ok(vec![x]);
    }
    Ok(vec![l.emit(Op::Call(Box::new(Call::Resize(resize))), &[x])?])
}

/// Operand `i`, where given and not empty (opset 11 wrote an empty tensor for none).
fn given(l: &Lower<'_>, i: usize) -> Result<Option<ValueId>, Fail> {
    let Some(v) = l.optional(i) else { return Ok(None) };
    Ok((l.shape(v)? != [Dim::ZERO]).then_some(v))
}

fn resize(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let mode = mode(l)?;
    let axes = match l.ints("axes") {
        Some(axes) if !axes.is_empty() => {
            let axes = axes.to_vec();
            l.axes("axes", &axes, own.len())?
        }
        _ => (0..own.len()).collect(),
    };
    let places = places(l, &axes, own.len())?;
    let exclude_outside = l.flag("exclude_outside", false);
    let (sizes, scales) = match (given(l, 2)?, given(l, 3)?) {
        (Some(v), _) => {
            let listed = floats(l, "scales", v)?;
            if listed.len() != axes.len() {
                return Err(l.value("scales", &format!("{listed:?}"), &format!("{} numbers", axes.len())));
            }
            let mut scales = vec![1.0; own.len()];
            for (a, s) in axes.iter().zip(listed) {
                scales[*a] = s;
            }
            let (mut sizes, scales) = by_scales(l, &own, &scales)?;
            for (i, place) in places.iter().enumerate() {
                // A region's share of the axis is what the scale applies to.
                if let (Place::Crop(start, end), Some(d)) = (place, own[i].as_const()) {
                    sizes[i] = Dim::from((d as f32 * (end - start) * scales[i].to_f64() as f32).floor() as i64);
                }
            }
            (sizes, Some(scales))
        }
        (None, Some(v)) => by_sizes(l, &own, &axes, v)?,
        (None, None) => return Err(l.value("sizes", "none", "scales or sizes")),
    };
    let antialias = l.flag("antialias", false) && !matches!(mode, ResizeMode::Nearest(_));
    let plain = |p: &Place| if let Place::Plain(c) = p { Some(*c) } else { None };
    if let (false, Some(coordinates)) = (antialias, places.iter().map(plain).collect::<Option<Vec<_>>>()) {
        let coordinates = coordinates.first().copied().unwrap_or(Coordinates::HalfPixel);
        return call(l, x, Resize { mode, coordinates, sizes, scales, exclude_outside });
    }
    let (from, to) = (filter::numbers(&own)?, filter::numbers(&sizes)?);
    let all: Vec<filter::Axis> = (0..own.len())
        .map(|i| filter::Axis {
            from: from[i],
            to: to[i],
            scale: scales.as_ref().map_or(to[i] as f32 / from[i] as f32, |s| s[i].to_f64() as f32),
            place: places[i],
        })
        .collect();
    let outside = l.float("extrapolation_value", 0.0);
    let y = filter::apply(l, x, &all, &filter::Filter { mode, antialias, exclude_outside, outside })?;
    Ok(vec![y])
}

/// Extents as given, or by an aspect ratio that is kept, with the scale that then holds for all axes.
fn by_sizes(l: &mut Lower<'_>, own: &[Dim], axes: &[usize], v: ValueId) -> Result<Sized, Fail> {
    let listed = l.lengths("sizes", v, axes.len())?;
    let policy = l.string("keep_aspect_ratio_policy", "stretch")?;
    let mut sizes = own.to_vec();
    for (a, d) in axes.iter().zip(&listed) {
        sizes[*a] = d.clone();
    }
    let pick: fn(f32, f32) -> f32 = match policy.as_str() {
        "stretch" => return Ok((sizes.into(), None)),
        "not_larger" => f32::min,
        "not_smaller" => f32::max,
        _ => return Err(l.value("keep_aspect_ratio_policy", &policy, "stretch, not_larger or not_smaller")),
    };
    let mut scale: Option<f32> = None;
    for a in axes {
        let (Some(from), Some(to)) = (own[*a].as_const(), sizes[*a].as_const()) else {
            return Err(opaque("keep_aspect_ratio_policy over an unknown extent"));
        };
        let ratio = to as f32 / from as f32;
        scale = Some(scale.map_or(ratio, |s| pick(s, ratio)));
    }
    let scale = scale.unwrap_or(1.0);
    let mut scales = vec![Literal::f32(1.0); own.len()];
    for a in axes {
        // Rounded half up, as the standard says.
        let d = own[*a].as_const().unwrap_or(0) as f32;
        sizes[*a] = Dim::from((d * scale + 0.5).floor() as i64);
        scales[*a] = Literal::f32(scale);
    }
    Ok((sizes.into(), Some(scales.into())))
}

/// The positions of each axis; a region is given as all starts, then all ends, for the axes listed.
fn places(l: &mut Lower<'_>, axes: &[usize], rank: usize) -> Result<Vec<Place>, Fail> {
    match l.string("coordinate_transformation_mode", "half_pixel")?.as_str() {
        "tf_half_pixel_for_nn" => return Ok(vec![Place::TfHalfPixelForNn; rank]),
        "tf_crop_and_resize" => {}
        _ => return Ok(vec![Place::Plain(coordinates(l)?); rank]),
    }
    let roi = l.operand(1)?;
    let listed = floats(l, "roi", roi)?;
    if listed.len() != 2 * axes.len() {
        return Err(l.value("roi", &format!("{listed:?}"), &format!("{} numbers", 2 * axes.len())));
    }
    let mut places = vec![Place::Crop(0.0, 1.0); rank];
    for (i, a) in axes.iter().enumerate() {
        places[*a] = Place::Crop(listed[i], listed[axes.len() + i]);
    }
    Ok(places)
}

fn coordinates(l: &Lower<'_>) -> Result<Coordinates, Fail> {
    let name = l.string("coordinate_transformation_mode", "half_pixel")?;
    Ok(match name.as_str() {
        "half_pixel" => Coordinates::HalfPixel,
        "half_pixel_symmetric" => Coordinates::HalfPixelSymmetric,
        "pytorch_half_pixel" => Coordinates::PytorchHalfPixel,
        "align_corners" => Coordinates::AlignCorners,
        "asymmetric" => Coordinates::Asymmetric,
        _ => return Err(l.value("coordinate_transformation_mode", &name, "a mode of the standard")),
    })
}

fn mode(l: &Lower<'_>) -> Result<ResizeMode, Fail> {
    let name = l.string("mode", "nearest")?;
    Ok(match name.as_str() {
        "nearest" => {
            let rounding = l.string("nearest_mode", "round_prefer_floor")?;
            ResizeMode::Nearest(match rounding.as_str() {
                "round_prefer_floor" | "" => NearestMode::RoundPreferFloor,
                "round_prefer_ceil" => NearestMode::RoundPreferCeil,
                "floor" => NearestMode::Floor,
                "ceil" => NearestMode::Ceil,
                _ => return Err(l.value("nearest_mode", &rounding, "a mode of the standard")),
            })
        }
        "linear" => ResizeMode::Linear,
        "cubic" => ResizeMode::Cubic(Literal::f32(l.float("cubic_coeff_a", -0.75))),
        _ => return Err(l.value("mode", &name, "nearest, linear or cubic")),
    })
}
