//! Named definitions that are ONNX operators at the imported opset.

use egret_ir::choice::ClassId;
use egret_ir::op::call::{Call, Coordinates, GeluForm, NearestMode, Resize, ResizeMode};
use egret_ir::{DType, Dim, Literal, Tensor};

use super::build::{Build, list, slots};
use super::{Attribute, Slot};
use crate::tensor;

/// Templates for a Call way of class `c`. Recurrences and the choice of
/// boxes are emitted as imported only.
pub fn call(b: &mut Build<'_>, c: ClassId, call: &Call, args: &[ClassId]) {
    match call {
        Call::Softmax { axis } => softmax(b, c, "Softmax", *axis, args),
        Call::LogSoftmax { axis } => softmax(b, c, "LogSoftmax", *axis, args),
        Call::LayerNorm { axes, epsilon, stash } => {
            let attributes = normalization(*axes, *epsilon, *stash);
            b.node(&[c], "LayerNormalization", attributes, slots(args));
        }
        Call::RmsNorm { axes, epsilon, stash } => {
            let attributes = normalization(*axes, *epsilon, *stash);
            b.node(&[c], "RMSNormalization", attributes, slots(args));
        }
        Call::Gelu(form) => {
            let attributes = match form {
                GeluForm::Erf => vec![],
                GeluForm::Tanh => vec![("approximate", Attribute::Text("tanh".to_owned()))],
            };
            b.node(&[c], "Gelu", attributes, slots(args));
        }
        Call::Resize(r) => resize(b, c, r, args[0]),
        Call::Recurrent(_) | Call::NonMaxSuppression(_) => {}
        Call::Det => b.node(&[c], "Det", vec![], slots(args)),
    }
}

/// The attributes of a normalization over the last axes.
fn normalization(axes: u8, epsilon: Literal, stash: DType) -> Vec<(&'static str, Attribute)> {
    let mut attributes =
        vec![("axis", Attribute::Int(-i64::from(axes))), ("epsilon", Attribute::Float(epsilon.to_f64() as f32))];
    if stash != DType::F32 {
        attributes.push(("stash_type", Attribute::Int(i64::from(tensor::code(stash)))));
    }
    attributes
}

/// Before opset 13 all axes from `axis` on are folded: right only where the others have extent 1.
fn softmax(b: &mut Build<'_>, c: ClassId, op: &'static str, axis: u8, args: &[ClassId]) {
    let Some(shape) = b.shape(c) else { return };
    let alone = shape[usize::from(axis) + 1..].iter().all(|d| *d == Dim::ONE);
    if b.opset >= 13 || alone {
        b.node(&[c], op, vec![("axis", Attribute::Int(i64::from(axis)))], slots(args));
    }
}

/// Resize by sizes or scales, from opset 11 on.
fn resize(b: &mut Build<'_>, c: ClassId, r: &Resize, x: ClassId) {
    if b.opset < 11 {
        return;
    }
    let coordinates = match r.coordinates {
        Coordinates::HalfPixel => "half_pixel",
        Coordinates::HalfPixelSymmetric => "half_pixel_symmetric",
        Coordinates::PytorchHalfPixel => "pytorch_half_pixel",
        Coordinates::AlignCorners => "align_corners",
        Coordinates::Asymmetric => "asymmetric",
    };
    if coordinates == "half_pixel_symmetric" && b.opset < 19 {
        return;
    }
    let text = |s: &str| Attribute::Text(s.to_owned());
    let mut attributes = vec![("coordinate_transformation_mode", text(coordinates))];
    match r.mode {
        ResizeMode::Nearest(rounding) => {
            let rounding = match rounding {
                NearestMode::RoundPreferFloor => "round_prefer_floor",
                NearestMode::RoundPreferCeil => "round_prefer_ceil",
                NearestMode::Floor => "floor",
                NearestMode::Ceil => "ceil",
            };
            attributes.extend([("mode", text("nearest")), ("nearest_mode", text(rounding))]);
        }
        ResizeMode::Linear => attributes.push(("mode", text("linear"))),
        ResizeMode::Cubic(a) => {
            attributes.extend([("mode", text("cubic")), ("cubic_coeff_a", Attribute::Float(a.to_f64() as f32))]);
        }
    }
    if r.exclude_outside {
        attributes.push(("exclude_outside", Attribute::Int(1)));
    }
    let floats = |values: &[f32]| Tensor::from_slice(vec![values.len()], values).map_or(Slot::Absent, Slot::Tensor);
    // Opsets 11 and 12 require roi and scales to be there, if empty.
    let absent = || if b.opset < 13 { floats(&[]) } else { Slot::Absent };
    let inputs = if let Some(scales) = &r.scales {
        let scales: Vec<f32> = scales.iter().map(|s| s.to_f64() as f32).collect();
        // The operator takes ⌊extent · scale⌋; extents that were rounded otherwise (a kept aspect ratio) it cannot say.
        let Some(own) = b.shape(x) else { return };
        let agrees = |((d, size), s): ((&Dim, &Dim), &f32)| match (d.as_const(), size.as_const()) {
            (Some(d), Some(size)) => (d as f32 * s).floor() as i64 == size,
            _ => true,
        };
        if !own.iter().zip(r.sizes.iter()).zip(&scales).all(agrees) {
            return;
        }
        vec![Slot::Class(x), absent(), floats(&scales)]
    } else {
        let sizes: Option<Vec<i64>> = r.sizes.iter().map(Dim::as_const).collect();
        let Some(sizes) = sizes else { return };
        vec![Slot::Class(x), absent(), absent(), list(&sizes)]
    };
    b.node(&[c], "Resize", attributes, inputs);
}
