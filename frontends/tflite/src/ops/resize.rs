//! Resampling of the two spatial axes.

use egret_ir::op::Op;
use egret_ir::op::call::{Call, Coordinates, NearestMode, Resize, ResizeMode};

use super::conv::{FROM_NCHW, TO_NCHW};
use super::{Row, moves, real};
use crate::lower::{Lower, Results, bad_value};

pub const ROWS: &[Row] = &[
    real("RESIZE_BILINEAR", (2, 2), |l| {
        let o = l.table.builtin_options_as_resize_bilinear_options();
        let coordinates = o.map_or((false, false), |o| (o.align_corners(), o.half_pixel_centers()));
        resize(l, coordinates, |_| ResizeMode::Linear)
    }),
    moves("RESIZE_NEAREST_NEIGHBOR", (2, 2), |l| {
        let o = l.table.builtin_options_as_resize_nearest_neighbor_options();
        let coordinates = o.map_or((false, false), |o| (o.align_corners(), o.half_pixel_centers()));
        // ⌊x·s⌋; half pixels ⌊(x + ½)·s⌋; aligned corners round halves up.
        resize(l, coordinates, |c| {
            let floor = c == Coordinates::Asymmetric;
            ResizeMode::Nearest(if floor { NearestMode::Floor } else { NearestMode::RoundPreferCeil })
        })
    }),
];

fn resize(l: &mut Lower<'_>, (corners, centers): (bool, bool), mode: fn(Coordinates) -> ResizeMode) -> Results {
    let s = l.shape_of(0, 4)?;
    let x = l.operand(0)?;
    let size = l.dims(1, "size")?;
    let [height, width] = size.as_slice() else {
        return Err(bad_value("size", format!("{size:?}"), "two numbers"));
    };
    let coordinates = match (corners, centers) {
        (true, false) => Coordinates::AlignCorners,
        (false, true) => Coordinates::HalfPixel,
        (false, false) => Coordinates::Asymmetric,
        (true, true) => return Err(bad_value("align_corners", true, "it without half_pixel_centers")),
    };
    let sizes = [s[0].clone(), s[3].clone(), height.clone(), width.clone()];
    let x = l.b.permute(x, &TO_NCHW)?;
    let y = if l.shape(x)? == sizes {
        x
    } else {
        let call =
            Resize { mode: mode(coordinates), coordinates, sizes: sizes.into(), scales: None, exclude_outside: false };
        l.b.add(Op::Call(Box::new(Call::Resize(call))), &[x])?
    };
    Ok(vec![l.b.permute(y, &FROM_NCHW)?])
}
