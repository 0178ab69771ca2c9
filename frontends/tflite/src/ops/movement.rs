//! Reordering and growing: transposes, pads, tiles, and blocks moved between space and depth or batch.

use egret_ir::build::whole_slices;
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{Dim, Shape, ValueId};

use super::{Row, moves};
use crate::lower::{Fail, Lower, Results, axis, bad_value, unsupported};
use crate::schema::tflite::MirrorPadMode;

pub const ROWS: &[Row] = &[
    moves("TRANSPOSE", (2, 2), transpose),
    moves("PAD", (2, 2), |l| {
        let fill = l.zero(0)?;
        pad(l, fill)
    }),
    moves("PADV2", (3, 3), |l| {
        let fill = l.operand(2)?;
        let fill = l.b.reshape(fill, &[])?;
        pad(l, fill)
    }),
    moves("MIRROR_PAD", (2, 2), mirror_pad),
    moves("TILE", (2, 2), tile),
    moves("SPACE_TO_DEPTH", (1, 1), space_to_depth),
    moves("DEPTH_TO_SPACE", (1, 1), depth_to_space),
    moves("SPACE_TO_BATCH_ND", (3, 3), space_to_batch),
    moves("BATCH_TO_SPACE_ND", (3, 3), batch_to_space),
];

fn transpose(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let rank = l.shape(x)?.len();
    let perm = l.numbers(1, "perm")?;
    let axes = perm.iter().map(|a| axis("perm", *a, rank)).collect::<Result<Vec<_>, _>>()?;
    if axes.len() != rank {
        return Err(bad_value("perm", format!("{perm:?}"), &format!("{rank} axes")));
    }
    Ok(vec![l.b.permute(x, &axes)?])
}

/// Cells before and after each of `rank` axes: operand `i` is `[rank, 2]`.
fn paddings(l: &Lower<'_>, i: usize, rank: usize) -> Result<Vec<(Dim, Dim)>, Fail> {
    let list = l.dims(i, "paddings")?;
    if list.len() != 2 * rank || list.iter().any(|d| d.as_const().is_some_and(|c| c < 0)) {
        return Err(bad_value("paddings", format!("{list:?}"), &format!("{rank} pairs of numbers from 0 on")));
    }
    Ok(list.chunks_exact(2).map(|p| (p[0].clone(), p[1].clone())).collect())
}

fn pad(l: &mut Lower<'_>, fill: ValueId) -> Results {
    let x = l.operand(0)?;
    let rank = l.shape(x)?.len();
    let axes = paddings(l, 1, rank)?.into_iter().map(|(lo, hi)| PadAxis { lo, hi, inner: 0 }).collect();
    Ok(vec![l.b.pad(x, fill, axes)?])
}

/// Each axis grows by its own ends, turned around; REFLECT leaves out the outermost cell.
fn mirror_pad(l: &mut Lower<'_>) -> Results {
    let mut x = l.operand(0)?;
    let rank = l.shape(x)?.len();
    let mode = l.table.builtin_options_as_mirror_pad_options().map(|o| o.mode()).unwrap_or_default();
    let skip = match mode {
        MirrorPadMode::REFLECT => Dim::ONE,
        MirrorPadMode::SYMMETRIC => Dim::ZERO,
        other => return Err(bad_value("mode", other.0, "REFLECT or SYMMETRIC")),
    };
    for (i, (lo, hi)) in paddings(l, 1, rank)?.into_iter().enumerate() {
        let own = l.shape(x)?;
        let fits =
            |n: &Dim| n.as_const().zip(own[i].as_const()).is_none_or(|(n, d)| n <= d - skip.as_const().unwrap_or(0));
        if !fits(&lo) || !fits(&hi) {
            return Err(bad_value(
                "paddings",
                format!("{lo} and {hi}"),
                &format!("no more than extent {} gives", own[i]),
            ));
        }
        let mut part = |start: Dim, len: Dim| -> Result<ValueId, Fail> {
            let mut axes = whole_slices(&own);
            axes[i] = SliceAxis { start, step: -1, len };
            Ok(l.b.slice(x, axes)?)
        };
        let mut parts = Vec::new();
        if lo != Dim::ZERO {
            parts.push(part(lo.clone() + skip.clone() - Dim::ONE, lo)?);
        }
        parts.push(x);
        if hi != Dim::ZERO {
            parts.push(part(own[i].clone() - skip.clone() - Dim::ONE, hi)?);
        }
        x = l.b.concat(i, &parts)?;
    }
    Ok(vec![x])
}

fn tile(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let times = l.dims(1, "multiples")?;
    if times.len() != own.len() || times.iter().any(|d| d.as_const().is_some_and(|c| c < 0)) {
        return Err(bad_value("multiples", format!("{times:?}"), &format!("{} numbers from 0 on", own.len())));
    }
    let grown: Vec<usize> = (0..own.len()).filter(|i| times[*i] != Dim::ONE).collect();
    let inserted = grown.iter().enumerate().map(|(k, i)| (i + k, times[*i].clone())).collect();
    let wide = l.b.insert(x, inserted)?;
    let shape: Shape = own.iter().zip(&times).map(|(d, n)| d.clone() * n.clone()).collect();
    Ok(vec![l.b.reshape(wide, &shape)?])
}

/// The extent over `by`, which must divide it.
fn divided(field: &str, extent: &Dim, by: i64) -> Result<Dim, Fail> {
    let d = if by > 0 { extent.exact_div(&Dim::from(by)) } else { Dim::INVALID };
    if d.is_invalid() { Err(bad_value(field, by, &format!("a divisor of {extent}"))) } else { Ok(d) }
}

fn space_to_depth(l: &mut Lower<'_>) -> Results {
    let s = l.shape_of(0, 4)?;
    let x = l.operand(0)?;
    let n = l.table.builtin_options_as_space_to_depth_options().map_or(0, |o| i64::from(o.block_size()));
    let (h, w) = (divided("block_size", &s[1], n)?, divided("block_size", &s[2], n)?);
    let block = Dim::from(n);
    let split = [s[0].clone(), h.clone(), block.clone(), w.clone(), block.clone(), s[3].clone()];
    let x = l.b.reshape(x, &split)?;
    let x = l.b.permute(x, &[0, 1, 3, 2, 4, 5])?;
    Ok(vec![l.b.reshape(x, &[s[0].clone(), h, w, s[3].clone() * block.clone() * block])?])
}

fn depth_to_space(l: &mut Lower<'_>) -> Results {
    let s = l.shape_of(0, 4)?;
    let x = l.operand(0)?;
    let n = l.table.builtin_options_as_depth_to_space_options().map_or(0, |o| i64::from(o.block_size()));
    let c = divided("block_size", &s[3], n.checked_mul(n).unwrap_or(0))?;
    let block = Dim::from(n);
    let split = [s[0].clone(), s[1].clone(), s[2].clone(), block.clone(), block.clone(), c.clone()];
    let x = l.b.reshape(x, &split)?;
    let x = l.b.permute(x, &[0, 1, 3, 2, 4, 5])?;
    Ok(vec![l.b.reshape(x, &[s[0].clone(), s[1].clone() * block.clone(), s[2].clone() * block, c])?])
}

/// Block sizes and the pads (or crops) of the spatial axes.
fn blocks(l: &Lower<'_>, rank: usize) -> Result<(Vec<i64>, Vec<(Dim, Dim)>), Fail> {
    let sizes = l.numbers(1, "block_shape")?;
    if sizes.is_empty() || sizes.len() >= rank || sizes.iter().any(|b| *b < 1) {
        return Err(bad_value("block_shape", format!("{sizes:?}"), &format!("up to {} positive numbers", rank - 1)));
    }
    let pads = paddings(l, 2, sizes.len())?;
    Ok((sizes, pads))
}

/// Pad, split each spatial axis into blocks, and move the place inside a block to the front of the batch.
fn space_to_batch(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let rank = l.shape(x)?.len();
    if rank < 2 {
        return Err(unsupported(format!("rank {rank}")));
    }
    let (sizes, pads) = blocks(l, rank)?;
    let m = sizes.len();
    let fill = l.zero(0)?;
    let none = PadAxis { lo: Dim::ZERO, hi: Dim::ZERO, inner: 0 };
    let axes = (0..rank).map(|i| match i.checked_sub(1).and_then(|i| pads.get(i)) {
        Some((lo, hi)) => PadAxis { lo: lo.clone(), hi: hi.clone(), inner: 0 },
        None => none.clone(),
    });
    let axes = axes.collect();
    let x = l.b.pad(x, fill, axes)?;
    let s = l.shape(x)?;
    let mut split = vec![s[0].clone()];
    let mut merged = vec![s[0].clone()];
    for (d, b) in s[1..=m].iter().zip(&sizes) {
        let outer = divided("block_shape", d, *b)?;
        split.extend([outer.clone(), Dim::from(*b)]);
        merged[0] = merged[0].clone() * Dim::from(*b);
        merged.push(outer);
    }
    split.extend_from_slice(&s[m + 1..]);
    merged.extend_from_slice(&s[m + 1..]);
    // batch, (outer, inner)…, rest → inner…, batch, outer…, rest.
    let order: Vec<usize> =
        (0..m).map(|i| 2 + 2 * i).chain([0]).chain((0..m).map(|i| 1 + 2 * i)).chain(2 * m + 1..split.len()).collect();
    let x = l.b.reshape(x, &split)?;
    let x = l.b.permute(x, &order)?;
    Ok(vec![l.b.reshape(x, &merged)?])
}

/// The reverse, cropping in place of padding.
fn batch_to_space(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let s = l.shape(x)?;
    let rank = s.len();
    if rank < 2 {
        return Err(unsupported(format!("rank {rank}")));
    }
    let (sizes, crops) = blocks(l, rank)?;
    let m = sizes.len();
    let Some(all) = sizes.iter().try_fold(1i64, |n, b| n.checked_mul(*b)) else {
        return Err(bad_value("block_shape", format!("{sizes:?}"), "smaller numbers"));
    };
    let batch = divided("block_shape", &s[0], all)?;
    let mut split: Shape = sizes.iter().map(|b| Dim::from(*b)).collect();
    split.push(batch.clone());
    split.extend_from_slice(&s[1..]);
    // inner…, batch, outer…, rest → batch, (outer, inner)…, rest.
    let order: Vec<usize> =
        [m].into_iter().chain((0..m).flat_map(|i| [m + 1 + i, i])).chain(2 * m + 1..split.len()).collect();
    let mut merged = vec![batch];
    merged.extend((0..m).map(|i| s[1 + i].clone() * Dim::from(sizes[i])));
    merged.extend_from_slice(&s[m + 1..]);
    let x = l.b.reshape(x, &split)?;
    let x = l.b.permute(x, &order)?;
    let x = l.b.reshape(x, &merged)?;
    let mut axes = whole_slices(&merged);
    for (a, (lo, hi)) in axes[1..].iter_mut().zip(&crops) {
        a.start = lo.clone();
        a.len = a.len.clone() - lo.clone() - hi.clone();
    }
    Ok(vec![l.b.slice(x, axes)?])
}
