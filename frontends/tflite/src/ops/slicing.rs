//! Parts and wholes: slices, splits, joins.

use egret_ir::build::whole_slices;
use egret_ir::op::SliceAxis;
use egret_ir::{Dim, Shape, ValueId};

use super::{Row, SOME, moves};
use crate::lower::{Fail, Lower, Results, axis, bad_value, unsupported};

pub const ROWS: &[Row] = &[
    moves("SLICE", (3, 3), slice),
    moves("STRIDED_SLICE", (4, 4), strided_slice),
    moves("SPLIT", (2, 2), split),
    moves("SPLIT_V", (3, 3), split_v),
    moves("CONCATENATION", SOME, concatenation),
    moves("PACK", SOME, pack),
    moves("UNPACK", (1, 1), unpack),
    moves("REVERSE_V2", (2, 2), reverse),
];

/// begin and size per axis; size −1 goes to the end.
fn slice(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let (begin, size) = (l.dims(1, "begin")?, l.dims(2, "size")?);
    if begin.len() != own.len() || size.len() != own.len() {
        return Err(bad_value("begin", format!("{begin:?} and {size:?}"), &format!("{} numbers each", own.len())));
    }
    let part = |((b, s), d): ((&Dim, &Dim), &Dim)| {
        let len = if s.as_const() == Some(-1) { d.clone() - b.clone() } else { s.clone() };
        SliceAxis { start: b.clone(), step: 1, len }
    };
    let axes = begin.iter().zip(&size).zip(&own).map(part).collect();
    Ok(vec![l.b.slice(x, axes)?])
}

/// The elements that `begin:end:step` takes of an axis; None is an open end.
fn range(l: &Lower<'_>, extent: &Dim, begin: Option<&Dim>, end: Option<&Dim>, step: i64) -> Result<SliceAxis, Fail> {
    if step == 0 || step.checked_abs().is_none() {
        return Err(bad_value("strides", step, "a number other than 0"));
    }
    let number = |d: Option<&Dim>| d.map_or(Some(None), |d| d.as_const().map(Some));
    if let (Some(n), Some(begin), Some(end)) = (extent.as_const(), number(begin), number(end)) {
        let (lowest, highest) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let place = |x: i64| (if x < 0 { x.saturating_add(n) } else { x }).clamp(lowest, highest);
        let from = begin.map_or(if step > 0 { 0 } else { n - 1 }, place);
        let to = end.map_or(if step > 0 { n } else { -1 }, place);
        let span = if step > 0 { to - from } else { from - to };
        let len = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
        let start = if len == 0 { 0 } else { from };
        return Ok(SliceAxis { start: Dim::from(start), step, len: Dim::from(len) });
    }
    let symbols = &l.b.graph().tables.symbols;
    let at_least = |d: Dim, lo: i64| (d - Dim::from(lo)).lower_bound(symbols).is_some_and(|b| b >= 0);
    let open = |what: &str| unsupported(format!("a slice {what} of an unknown extent"));
    if step < 0 {
        let whole = begin.is_none() && end.is_none() && step == -1;
        let start = extent.clone() - Dim::ONE;
        return if whole { Ok(SliceAxis { start, step, len: extent.clone() }) } else { Err(open("backwards")) };
    }
    let place = |d: &Dim| -> Result<Dim, Fail> {
        let d = if d.as_const().is_some_and(|c| c < 0) {
            (extent.clone() + d.clone()).larger(&Dim::ZERO)
        } else {
            d.clone()
        };
        if at_least(extent.clone() - d.clone(), 0) && at_least(d.clone(), 0) {
            return Ok(d);
        }
        if at_least(d.clone(), 0) { Ok(d.smaller(extent)) } else { Err(open("at a position of unknown sign")) }
    };
    let from = begin.map_or(Ok(Dim::ZERO), place)?;
    let to = end.map_or(Ok(extent.clone()), place)?;
    let span = to - from.clone();
    let span = if at_least(span.clone(), 0) { span } else { span.larger(&Dim::ZERO) };
    Ok(SliceAxis { start: from, step, len: span.ceil_div(&Dim::from(step)) })
}

/// Begin, end and stride per entry; masks say which ends are open, which entry stands for all axes that are left, which
/// adds an axis of extent 1, and which takes one element and drops its axis.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the methods are of one lifetime, the closures of any")]
fn strided_slice(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let (begin, end, strides) = (l.dims(1, "begin")?, l.dims(2, "end")?, l.numbers(3, "strides")?);
    let n = begin.len();
    if end.len() != n || strides.len() != n || n > 31 {
        return Err(bad_value("begin", format!("{begin:?}, {end:?}, {strides:?}"), "lists of equal length"));
    }
    let options = l.table.builtin_options_as_strided_slice_options();
    let mask = |f: fn(&crate::schema::tflite::StridedSliceOptions<'_>) -> i32| options.as_ref().map_or(0, f);
    let (begin_mask, end_mask) = (mask(|o| o.begin_mask()), mask(|o| o.end_mask()));
    let (ellipsis, new_axis, shrink) =
        (mask(|o| o.ellipsis_mask()), mask(|o| o.new_axis_mask()), mask(|o| o.shrink_axis_mask()));
    let has = |mask: i32, i: usize| mask & (1 << i) != 0;
    let plain = (0..n).filter(|i| !has(ellipsis, *i) && !has(new_axis, *i)).count();
    let dots = (0..n).filter(|i| has(ellipsis, *i)).count();
    let Some(rest) = own.len().checked_sub(plain).filter(|_| dots <= 1) else {
        return Err(bad_value("begin", format!("{begin:?}"), &format!("at most {} entries", own.len())));
    };
    let mut axes: Vec<SliceAxis> = Vec::new();
    // The result's shape: None where the axis of the same place among `axes` is dropped.
    let mut kept: Vec<Option<usize>> = Vec::new();
    let whole = |d: &Dim| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() };
    for i in 0..n {
        if has(ellipsis, i) {
            for _ in 0..rest {
                kept.push(Some(axes.len()));
                axes.push(whole(&own[axes.len()]));
            }
        } else if has(new_axis, i) {
            kept.push(None);
        } else {
            let d = &own[axes.len()];
            if has(shrink, i) {
                let at = match (begin[i].as_const(), d.as_const()) {
                    (Some(b), _) if b < 0 => d.clone() + begin[i].clone(),
                    _ => begin[i].clone(),
                };
                axes.push(SliceAxis { start: at, step: 1, len: Dim::ONE });
            } else {
                let open = |mask: i32, d: &'_ Dim| if has(mask, i) { None } else { Some(d.clone()) };
                let (b, e) = (open(begin_mask, &begin[i]), open(end_mask, &end[i]));
                kept.push(Some(axes.len()));
                axes.push(range(l, d, b.as_ref(), e.as_ref(), strides[i])?);
            }
        }
    }
    while axes.len() < own.len() {
        kept.push(Some(axes.len()));
        axes.push(whole(&own[axes.len()]));
    }
    let shape: Shape = kept.iter().map(|k| k.map_or(Dim::ONE, |i| axes[i].len.clone())).collect();
    let part = l.b.slice(x, axes)?;
    Ok(vec![l.b.reshape(part, &shape)?])
}

fn parts(l: &mut Lower<'_>, x: ValueId, axis: usize, sizes: &[Dim]) -> Results {
    let mut out = Vec::with_capacity(sizes.len());
    let mut at = Dim::ZERO;
    for size in sizes {
        out.push(l.b.slice_axis(x, axis, at.clone(), size.clone())?);
        at = at + size.clone();
    }
    Ok(out)
}

/// Operands axis and value; equal parts, as many as results.
fn split(l: &mut Lower<'_>) -> Results {
    let x = l.operand(1)?;
    let own = l.shape(x)?;
    let at = axis("axis", l.number(0, "axis")?, own.len())?;
    let n = l.results.len();
    let size = own[at].exact_div(&Dim::from(n));
    if size.is_invalid() {
        return Err(bad_value("num_splits", n, &format!("a divisor of {}", own[at])));
    }
    parts(l, x, at, &vec![size; n])
}

/// Operands value, sizes and axis; a size of −1 takes what is left.
fn split_v(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let at = axis("axis", l.number(2, "axis")?, own.len())?;
    let mut sizes = l.dims(1, "sizes")?;
    if let Some(open) = sizes.iter().position(|d| d.as_const() == Some(-1)) {
        sizes[open] = Dim::ZERO;
        sizes[open] = sizes.iter().fold(own[at].clone(), |rest, d| rest - d.clone());
    }
    let total = sizes.iter().fold(Dim::ZERO, |sum, d| sum + d.clone());
    if total != own[at] || sizes.len() != l.results.len() {
        return Err(bad_value(
            "sizes",
            format!("{sizes:?}"),
            &format!("{} that add up to {}", l.results.len(), own[at]),
        ));
    }
    parts(l, x, at, &sizes)
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "the path of the method is longer than the function")]
fn concatenation(l: &mut Lower<'_>) -> Results {
    let values = l.all()?;
    let options = l.table.builtin_options_as_concatenation_options();
    let at = options.as_ref().map_or(0, |o| o.axis());
    let at = axis("axis", i64::from(at), l.b.rank(values[0])?)?;
    let y = l.b.concat(at, &values)?;
    Ok(vec![l.activated(y, options.map(|o| o.fused_activation_function()).unwrap_or_default())?])
}

/// Values of equal shape along a new axis.
fn pack(l: &mut Lower<'_>) -> Results {
    let values = l.all()?;
    let mut shape = l.shape(values[0])?;
    let at = l.table.builtin_options_as_pack_options().map_or(0, |o| o.axis());
    let at = axis("axis", i64::from(at), shape.len() + 1)?;
    shape.insert(at, Dim::ONE);
    let mut wide = Vec::with_capacity(values.len());
    for v in values {
        wide.push(l.b.reshape(v, &shape)?);
    }
    Ok(vec![l.b.concat(at, &wide)?])
}

fn unpack(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let at = l.table.builtin_options_as_unpack_options().map_or(0, |o| o.axis());
    let at = axis("axis", i64::from(at), own.len())?;
    if own[at] != Dim::from(l.results.len()) {
        return Err(bad_value("num", l.results.len(), &format!("{}", own[at])));
    }
    let mut shape = own;
    shape.remove(at);
    let mut out = Vec::new();
    for i in 0..l.results.len() {
        let part = l.b.slice_axis(x, at, Dim::from(i), Dim::ONE)?;
        out.push(l.b.reshape(part, &shape)?);
    }
    Ok(out)
}

fn reverse(l: &mut Lower<'_>) -> Results {
    let x = l.operand(0)?;
    let own = l.shape(x)?;
    let mut axes = whole_slices(&own);
    for a in l.axes(1, own.len())? {
        axes[a] = SliceAxis { start: own[a].clone() - Dim::ONE, step: -1, len: own[a].clone() };
    }
    Ok(vec![l.b.slice(x, axes)?])
}
