//! Relabellings of axes: Reshape and its special cases, Transpose, Expand, Tile.

use egret_ir::dim::count;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::{LATEST, Row, onnx};
use crate::known::Known;
use crate::lower::{Fail, Lower, Results, opaque};

pub const ROWS: &[Row] = &[
    onnx("Reshape", 1..5, reshape_by_attribute),
    onnx("Reshape", 5..LATEST, reshape),
    onnx("Flatten", 1..LATEST, flatten),
    onnx("Squeeze", 1..13, squeeze),
    onnx("Squeeze", 13..LATEST, squeeze),
    onnx("Unsqueeze", 1..13, unsqueeze),
    onnx("Unsqueeze", 13..LATEST, unsqueeze),
    onnx("Transpose", 1..LATEST, transpose),
    onnx("Expand", 8..LATEST, expand),
    onnx("Tile", 1..6, tile_axis),
    onnx("Tile", 6..LATEST, tile),
    onnx("DepthToSpace", 1..LATEST, depth_to_space),
    onnx("SpaceToDepth", 1..LATEST, space_to_depth),
];

fn reshape_by_attribute(l: &mut Lower<'_>) -> Results {
    let wanted: Vec<Dim> = l.ints("shape").unwrap_or_default().iter().map(|d| Dim::from(*d)).collect();
    reshape_to(l, &wanted, true)
}

fn reshape(l: &mut Lower<'_>) -> Results {
    let shape = l.operand(1)?;
    let copies = !l.flag("allowzero", false);
    match l.dims(shape) {
        Some(wanted) => reshape_to(l, &wanted, copies),
        None => reshape_by_value(l, shape, copies),
    }
}

/// As [`reshape_to`], by arithmetic when the model runs.
fn reshape_by_value(l: &mut Lower<'_>, shape: ValueId, copies: bool) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let rank = l.vector_length("shape", shape)?;
    let shape = l.cast(shape, DType::I64)?;
    let mut wanted = l.scalars(shape, rank)?;
    let mut open = Vec::with_capacity(rank);
    let mut given = l.literal(Literal::i64(1))?;
    let one = given;
    for (i, d) in wanted.iter_mut().enumerate() {
        if let Some(extent) = own.get(i).filter(|_| copies) {
            let zero = l.with(Scalar::Eq, *d, 0.0)?;
            let extent = l.dim(extent, DType::I64)?;
            *d = l.map(Scalar::Select, &[zero, extent, *d])?;
        }
        let is_open = l.with(Scalar::Eq, *d, -1.0)?;
        let factor = l.map(Scalar::Select, &[is_open, one, *d])?;
        given = l.mul(given, factor)?;
        open.push(is_open);
    }
    let total = l.dim(&count(&own), DType::I64)?;
    // Nothing is left of nothing.
    let divisor = l.with(Scalar::Max, given, 1.0)?;
    let rest = l.map(Scalar::Div, &[total, divisor])?;
    let mut extents = Shape::with_capacity(rank);
    for (d, is_open) in wanted.into_iter().zip(open) {
        let d = l.map(Scalar::Select, &[is_open, rest, d])?;
        extents.push(l.extent_of(d, None));
    }
    Ok(vec![l.reshape(x, &extents)?])
}

/// 0 copies this operand's extent (unless allowzero), −1 is what is left.
fn reshape_to(l: &mut Lower<'_>, wanted: &[Dim], copies: bool) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let mut shape: Shape = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (i, d) in wanted.iter().enumerate() {
        match d.as_const() {
            Some(0) if copies => {
                let Some(d) = own.get(i) else { return Err(l.misfit("shape", wanted, &own)) };
                shape.push(d.clone());
            }
            Some(-1) if open.is_none() => {
                open = Some(i);
                shape.push(Dim::ONE);
            }
            Some(c) if c < 0 => return Err(l.value("shape", &format!("{wanted:?}"), "extents, and −1 at most once")),
            _ => shape.push(d.clone()),
        }
    }
    if let Some(i) = open {
        let rest = quotient(&own, &shape);
        let Some(rest) = rest else {
            return Err(match (count(&own).as_const(), count(&shape).as_const()) {
                (Some(_), Some(_)) => l.misfit("shape", wanted, &own),
                _ => opaque(format!("a shape {wanted:?} whose open extent is no expression of {own:?}")),
            });
        };
        shape[i] = rest;
    }
    Ok(vec![l.reshape(x, &shape)?])
}

/// The count of `own` divided by that of `given`: extents that appear on both sides cancel first, so that a possibly
/// empty batch does not stand in a denominator.
fn quotient(own: &[Dim], given: &[Dim]) -> Option<Dim> {
    let mut left: Vec<Dim> = own.to_vec();
    let mut right = Vec::new();
    for d in given {
        match left.iter().position(|o| o == d && d.as_const() != Some(0)) {
            Some(i) => drop(left.remove(i)),
            None => right.push(d.clone()),
        }
    }
    let result = count(&left).exact_div(&count(&right));
    (!result.is_invalid()).then_some(result)
}

fn flatten(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let axis = l.int("axis", 1);
    // The axis may be the rank itself: then everything goes in front.
    let axis = if axis == own.len() as i64 { own.len() } else { l.axis("axis", axis, own.len())? };
    Ok(vec![l.reshape(x, &[count(&own[..axis]), count(&own[axis..])])?])
}

fn squeeze(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let gone = match l.axes_of(1)? {
        Some(axes) => {
            let axes = l.axes("axes", &axes, own.len())?;
            // An unknown extent must be 1 when the node runs, which the Reshape checks by the count.
            if let Some(a) = axes.iter().find(|a| own[**a] != Dim::ONE && own[**a].as_const().is_some()) {
                return Err(l.misfit("axes", &own[*a..=*a], &[Dim::ONE]));
            }
            axes
        }
        None if own.iter().all(|d| d.as_const().is_some()) => (0..own.len()).filter(|i| own[*i] == Dim::ONE).collect(),
        None => return Err(opaque("no axes, and extents that may be 1 or not")),
    };
    let shape: Shape = (0..own.len()).filter(|i| !gone.contains(i)).map(|i| own[i].clone()).collect();
    Ok(vec![l.reshape(x, &shape)?])
}

fn unsqueeze(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let Some(axes) = l.axes_of(1)? else { return Err(l.value("axes", "none", "axes")) };
    let own = l.shape(x)?;
    let axes = l.axes("axes", &axes, own.len() + axes.len())?;
    let mut old = own.iter().cloned();
    let shape: Shape = (0..own.len() + axes.len())
        .map(|i| if axes.contains(&i) { Dim::ONE } else { old.next().unwrap_or(Dim::ONE) })
        .collect();
    Ok(vec![l.reshape(x, &shape)?])
}

fn transpose(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let rank = l.rank(x)?;
    let perm = match l.ints("perm") {
        Some(perm) => {
            let perm = perm.to_vec();
            l.axes("perm", &perm, rank)?
        }
        None => (0..rank).rev().collect(),
    };
    if perm.len() != rank {
        return Err(l.value("perm", &format!("{perm:?}"), "all axes"));
    }
    Ok(vec![l.permute(x, &perm)?])
}

/// Two-way: an extent 1 in `shape` does not shrink the operand.
fn expand(l: &mut Lower<'_>) -> Results {
    let (x, shape) = (l.operand(0)?, l.operand(1)?);
    let count = l.vector_length("shape", shape)?;
    let wanted = l.lengths("shape", shape, count)?;
    let own = l.shape(x)?;
    let common = l.common_shape(&[&own, &wanted])?;
    Ok(vec![l.stretch(x, &common)?])
}

fn repeated(l: &mut Lower<'_>, x: ValueId, repeats: &[Dim]) -> Result<ValueId, Fail> {
    let own = l.shape(x)?;
    if repeats.len() != own.len() {
        return Err(l.misfit("repeats", repeats, &own));
    }
    let mut inserted = Vec::new();
    let mut merged = Vec::with_capacity(own.len());
    for (i, (d, n)) in own.iter().zip(repeats).enumerate() {
        if *n != Dim::ONE {
            inserted.push((i + inserted.len(), n.clone()));
        }
        merged.push(d.clone() * n.clone());
    }
    let x = l.insert(x, inserted)?;
    l.reshape(x, &merged)
}

/// Opsets 1 to 5: one axis, `tiles` times, both given in the type of the data.
fn tile_axis(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let rank = l.rank(x)?;
    let mut given = [0, 0];
    for (i, (n, field)) in given.iter_mut().zip(["tiles", "axis"]).enumerate() {
        let v = l.operand(i + 1)?;
        let known = l.known(v);
        let whole = known.as_ref().and_then(Known::numbers);
        let list = whole.or_else(|| Some(known?.floats()?.iter().map(|x| *x as i64).collect()));
        let Some(list) = list else { return Err(opaque(format!("{field} that is not known before the model runs"))) };
        let [only] = list.as_slice() else { return Err(l.value(field, &format!("{list:?}"), "one number")) };
        *n = *only;
    }
    let axis = l.axis("axis", given[1], rank)?;
    let mut repeats = vec![Dim::ONE; rank];
    repeats[axis] = Dim::from(given[0]);
    Ok(vec![repeated(l, x, &repeats)?])
}

fn tile(l: &mut Lower<'_>) -> Results {
    let (x, repeats) = (l.operand(0)?, l.operand(1)?);
    let rank = l.rank(x)?;
    let repeats = l.lengths("repeats", repeats, rank)?;
    Ok(vec![repeated(l, x, &repeats)?])
}

/// Operand [N, C, H, W] and the block size.
fn blocks(l: &mut Lower<'_>) -> Result<(ValueId, Shape, Dim), Fail> {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let size = l.int("blocksize", 0);
    if own.len() != 4 {
        return Err(crate::lower::bad(
            "input 0",
            crate::error::ProblemKind::Rank { got: own.len(), expected: "4".into() },
        ));
    }
    if size < 1 {
        return Err(l.value("blocksize", &size.to_string(), "a positive number"));
    }
    Ok((x, own, Dim::from(size)))
}

fn depth_to_space(l: &mut Lower<'_>) -> Results {
    let (x, s, b) = blocks(l)?;
    let mode = l.string("mode", "DCR")?;
    let c = s[1].exact_div(&(b.clone() * b.clone()));
    let (n, h, w) = (s[0].clone(), s[2].clone(), s[3].clone());
    let y = match mode.as_str() {
        "DCR" => {
            let y = l.reshape(x, &[n.clone(), b.clone(), b.clone(), c.clone(), h.clone(), w.clone()])?;
            l.permute(y, &[0, 3, 4, 1, 5, 2])?
        }
        "CRD" => {
            let y = l.reshape(x, &[n.clone(), c.clone(), b.clone(), b.clone(), h.clone(), w.clone()])?;
            l.permute(y, &[0, 1, 4, 2, 5, 3])?
        }
        _ => return Err(l.value("mode", &mode, "DCR or CRD")),
    };
    Ok(vec![l.reshape(y, &[n, c, h * b.clone(), w * b])?])
}

fn space_to_depth(l: &mut Lower<'_>) -> Results {
    let (x, s, b) = blocks(l)?;
    let mode = l.string("mode", "DCR")?;
    let (n, c, h, w) = (s[0].clone(), s[1].clone(), s[2].exact_div(&b), s[3].exact_div(&b));
    let y = l.reshape(x, &[n.clone(), c.clone(), h.clone(), b.clone(), w.clone(), b.clone()])?;
    let y = match mode.as_str() {
        "DCR" => l.permute(y, &[0, 3, 5, 1, 2, 4])?,
        "CRD" => l.permute(y, &[0, 1, 3, 5, 2, 4])?,
        _ => return Err(l.value("mode", &mode, "DCR or CRD")),
    };
    Ok(vec![l.reshape(y, &[n, c * b.clone() * b, h, w])?])
}
