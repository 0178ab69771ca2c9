//! Resize and Upsample, as calls of the resampling definition.

use egret_ir::op::Op;
use egret_ir::op::call::{Call, Coordinates, NearestMode, Resize, ResizeMode};
use egret_ir::{Dim, Literal, Shape, ValueId};

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
    if matches!(resize.mode, ResizeMode::Nearest(_)) || l.dtype(x)?.is_float() {
        return Ok(vec![l.emit(Op::Call(Box::new(Call::Resize(resize))), &[x])?]);
    }
    Err(opaque("interpolated integers"))
}

fn resize(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    if l.flag("antialias", false) {
        return Err(opaque("antialias"));
    }
    let coordinates = coordinates(l)?;
    let mode = mode(l)?;
    let axes = match l.ints("axes") {
        Some(axes) if !axes.is_empty() => {
            let axes = axes.to_vec();
            l.axes("axes", &axes, own.len())?
        }
        _ => (0..own.len()).collect(),
    };
    let given = |l: &Lower<'_>, i: usize| -> Result<Option<ValueId>, Fail> {
        let Some(v) = l.optional(i) else { return Ok(None) };
        Ok((l.shape(v)? != [Dim::ZERO]).then_some(v))
    };
    let exclude_outside = l.flag("exclude_outside", false);
    if let Some(v) = given(l, 2)? {
        let listed = floats(l, "scales", v)?;
        if listed.len() != axes.len() {
            return Err(l.value("scales", &format!("{listed:?}"), &format!("{} numbers", axes.len())));
        }
        let mut scales = vec![1.0; own.len()];
        for (a, s) in axes.iter().zip(listed) {
            scales[*a] = s;
        }
        let (sizes, scales) = by_scales(l, &own, &scales)?;
        return call(l, x, Resize { mode, coordinates, sizes, scales: Some(scales), exclude_outside });
    }
    let Some(v) = given(l, 3)? else { return Err(l.value("sizes", "none", "scales or sizes")) };
    let listed = l.expressions("sizes", v)?;
    if listed.len() != axes.len() {
        return Err(l.value("sizes", &format!("{listed:?}"), &format!("{} numbers", axes.len())));
    }
    let policy = l.string("keep_aspect_ratio_policy", "stretch")?;
    let mut sizes = own.clone();
    for (a, d) in axes.iter().zip(&listed) {
        sizes[*a] = d.clone();
    }
    if policy != "stretch" {
        let pick: fn(f32, f32) -> f32 = match policy.as_str() {
            "not_larger" => f32::min,
            "not_smaller" => f32::max,
            _ => return Err(l.value("keep_aspect_ratio_policy", &policy, "stretch, not_larger or not_smaller")),
        };
        let mut scale: Option<f32> = None;
        for a in &axes {
            let (Some(from), Some(to)) = (own[*a].as_const(), sizes[*a].as_const()) else {
                return Err(opaque("keep_aspect_ratio_policy over an unknown extent"));
            };
            let ratio = to as f32 / from as f32;
            scale = Some(scale.map_or(ratio, |s| pick(s, ratio)));
        }
        let scale = scale.unwrap_or(1.0);
        let mut scales = vec![Literal::f32(1.0); own.len()];
        for a in &axes {
            // Rounded half up, as the standard says.
            let d = own[*a].as_const().unwrap_or(0) as f32;
            sizes[*a] = Dim::from((d * scale + 0.5).floor() as i64);
            scales[*a] = Literal::f32(scale);
        }
        return call(
            l,
            x,
            Resize { mode, coordinates, sizes: sizes.into(), scales: Some(scales.into()), exclude_outside },
        );
    }
    call(l, x, Resize { mode, coordinates, sizes: sizes.into(), scales: None, exclude_outside })
}

fn coordinates(l: &Lower<'_>) -> Result<Coordinates, Fail> {
    let name = l.string("coordinate_transformation_mode", "half_pixel")?;
    Ok(match name.as_str() {
        "half_pixel" => Coordinates::HalfPixel,
        "half_pixel_symmetric" => Coordinates::HalfPixelSymmetric,
        "pytorch_half_pixel" => Coordinates::PytorchHalfPixel,
        "align_corners" => Coordinates::AlignCorners,
        "asymmetric" => Coordinates::Asymmetric,
        "tf_crop_and_resize" | "tf_half_pixel_for_nn" => return Err(opaque(format!("coordinates {name}"))),
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
