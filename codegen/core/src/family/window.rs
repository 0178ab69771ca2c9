//! Windows over one operand: depthwise convolutions and pools over f32.
//!
//! A tile is a strip of rows of one plane. The plane's rows are copied into scratch with their border written out (the
//! monoid's neutral value), then `acc[rows][vectors]` runs along the innermost axis; the taps are unrolled, and a vector
//! loaded for one row serves every row it overlaps.

use std::collections::BTreeMap;

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::Monoid;

use crate::affine::{Affine, Axis, Within};
use crate::emit::{Emitter, Lane};
use crate::extent::{chunk, nonnegative};
use crate::family::halo::{Dimension, Halo};
use crate::family::nest::identity;
use crate::lanes::vectorizes;
use crate::loops::{Base, E, Function, S, Ty};
use crate::schedule::{Panel, Tiles, name_counts, panels};
use crate::stage::{Fold, SlotInfo, Stage, Term};
use crate::target::Context;
use crate::value::{Slot, Value};

/// Taps of a window at most.
const TAPS: i64 = 81;

/// A strip of padded rows should stay below this share of the first-level cache.
const STRIP_SHARE: i64 = 2;

/// Rows of a strip whose width is not known.
const STRIP: i64 = 16;

/// The function, if the stage folds a window (and nothing else) of one operand.
pub fn emit(s: &Stage, slots: &mut [SlotInfo], cx: &Context<'_>) -> Option<Vec<Function>> {
    let f = s.fold.as_ref()?;
    if f.acc != DType::F32
        || !matches!(f.monoid, Monoid::Sum | Monoid::Max | Monoid::Min)
        || !s.terms().as_const().is_some_and(|n| (2..=TAPS).contains(&n))
    {
        return None;
    }
    // A single window over an axis without border is one too; its condition is only implied.
    let folded: Vec<Axis> = (s.rank..s.extents.len()).filter(|a| s.extents[*a] != 1).collect();
    let load = |v: &Value| match v {
        Value::Load { slot, at, dtype: DType::F32 } if at.is_linear() => Some((*slot, at.clone())),
        _ => None,
    };
    let (image, weight) = match &f.term {
        Term::Value(v) => (load(v)?, None),
        Term::Product(a, b) => {
            let (a, b) = (load(a)?, load(b)?);
            // The weight mentions no stored axis that a window slides along: it is the operand with fewer of them.
            let count = |at: &Affine| (0..s.rank).filter(|x| at.mentions(*x) && s.extents[*x] != 1).count();
            if count(&a.1) >= count(&b.1) { (a, Some(b)) } else { (b, Some(a)) }
        }
    };
    // A result axis that the image lacks makes it a contraction.
    if weight.is_some() && (0..s.rank).any(|a| s.extents[a] != 1 && !image.1.mentions(a)) {
        return None;
    }
    // The lane axis runs along the image and the results; the row axis slides too.
    let slides = |a: Axis| image.1.coefficient(a) != 0 && weight.as_ref().is_none_or(|w| !w.1.mentions(a));
    let lane = (0..s.rank).rev().find(|a| {
        s.extents[*a] != 1
            && slides(*a)
            && s.stores.iter().all(|t| !t.at.hides(*a) && t.at.coefficient(*a) == 1 && vectorizes(&t.value, *a))
    })?;
    if cx.typical(&s.extents[lane]) < cx.target.lanes / 4 {
        return None;
    }
    // Every folded axis moves inside a row or by whole rows, together with the lane or the row axis.
    let when = complete(f, &image.1, lane, &folded, s, cx)?;
    let halo = Halo::new(image.0, &image.1, &when, &s.extents)?;
    if halo.dims.len() > 2 || halo.dims.iter().any(|d| !d.index.is_linear()) {
        return None;
    }
    let along = halo.dims.last()?;
    if along.index.coefficient(lane) == 0 || halo.outer.iter().any(|o| folded.contains(&o.0)) {
        return None;
    }
    if !along.index.coefficient(lane).as_const().is_some_and(|c| (1..=4).contains(&c))
        || (along.stride != 1 && !bordered(&halo))
    {
        return None;
    }
    let row = if halo.dims.len() == 2 {
        Some((0..s.rank).find(|a| *a != lane && halo.dims[0].index.coefficient(*a) != 0 && slides(*a))?)
    } else {
        None
    };
    Some(vec![function(s, f, &halo, weight.as_ref(), lane, row, &folded, slots, cx)?])
}

/// Whether any position lies outside of the operand.
fn bordered(halo: &Halo) -> bool {
    halo.dims.iter().any(|d| d.starts_outside() || d.ends_outside())
}

/// The conditions, with those added that hold always: one per dimension that a folded axis moves along.
fn complete(f: &Fold, at: &Affine, lane: Axis, folded: &[Axis], s: &Stage, cx: &Context<'_>) -> Option<Vec<Within>> {
    let mut when: Vec<Within> = f.when.clone();
    if when.iter().any(|w| w.step != 1 || w.lo != 0 || !w.index.is_linear()) {
        return None;
    }
    for k in folded {
        if when.iter().any(|w| w.index.coefficient(*k) != 0) {
            continue;
        }
        let c = at.coefficient(*k);
        if c == 0 {
            return None;
        }
        // The stored axis that moves along the same dimension: the lane axis for small steps, else a row axis.
        let steps = |a: Axis| at.coefficient(a).quotient(&c).and_then(|q| q.as_const());
        let partner = if c.as_const().is_some_and(|c| c.abs() < cx.typical(&s.extents[lane])) {
            lane
        } else {
            (0..s.rank).find(|a| *a != lane && steps(*a).is_some_and(|q| q != 0 && q.abs() <= 8))?
        };
        let unit = if partner == lane {
            Dim::ONE
        } else if nonnegative(&c) {
            c.clone()
        } else {
            Dim::ZERO - &c
        };
        let of = |a: Axis| Some(Affine::axis(a).times(at.coefficient(a).quotient(&unit)?));
        let index = of(partner)?.plus(&of(*k)?);
        if when.iter().any(|w| w.index.coefficient(partner) != 0) {
            return None;
        }
        let (lo, hi) = index.range(&s.extents);
        if !nonnegative(&lo) || hi.is_invalid() {
            return None;
        }
        when.push(Within { index, lo: Dim::ZERO, hi: hi + 1, step: 1 });
    }
    // The lane axis may slide alone (a window of one tap along it).
    if !when.iter().any(|w| w.index.coefficient(lane) != 0) {
        let c = at.coefficient(lane);
        let index = Affine::axis(lane).times(c);
        let hi = index.range(&s.extents).1;
        when.push(Within { index, lo: Dim::ZERO, hi: hi + 1, step: 1 });
    }
    Some(when)
}

#[expect(clippy::too_many_arguments, reason = "one place calls it")]
fn function(
    s: &Stage,
    f: &Fold,
    halo: &Halo,
    weight: Option<&(Slot, Affine)>,
    lane: Axis,
    row: Option<Axis>,
    folded: &[Axis],
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Option<Function> {
    let w = cx.target.lanes;
    let along = &halo.dims[halo.dims.len() - 1];
    let pitch = along.padded();
    let step = along.index.coefficient(lane).as_const()?;
    let border = identity(f.monoid, f.acc);
    // Without a border anywhere the operand is read in place.
    let bordered = bordered(halo);
    let (row_extent, row_step) = match row {
        Some(r) => (s.extents[r].clone(), halo.dims[0].index.coefficient(r).as_const()?),
        None => (Dim::ONE, 0),
    };
    let taps_down = match halo.dims.len() {
        2 => (halo.dims[0].padded() - (&row_extent - 1) * row_step).as_const()?,
        _ => 1,
    };
    // Rows of a strip.
    let cache_rows = Dim::from(cx.target.l1 / STRIP_SHARE / 4).floor_div(&pitch.larger(&Dim::ONE));
    let cache_rows = cache_rows.larger(&Dim::from(taps_down + 2 * row_step));
    let strip = match row {
        Some(_) => (cache_rows - taps_down).floor_div(&row_step.max(1).into()) + 1,
        None => Dim::ONE,
    };
    let strip = chunk(&strip, &row_extent).as_const().unwrap_or(STRIP);
    let strips = row_extent.ceil_div(&strip.into());
    let strip = row_extent.ceil_div(&strips).as_const().unwrap_or(strip);

    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); s.extents.len()];
    em.extents.clone_from(&s.extents);
    let strips = em.name("strips", strips);
    let pitch = em.name("pitch", along.padded());
    let strip_index = E::var("tile").rem(&strips);
    let outer: Vec<Axis> = (0..s.rank).filter(|a| *a != lane && Some(*a) != row).collect();
    let tiles = em.claim(E::var("tile").div(&strips), &outer) * em.resolved(&strips);
    for (i, a) in outer.iter().enumerate() {
        if s.extents[*a] != 1 {
            let value = em.bind[*a].clone();
            em.push(S::Index { name: format!("o{i}"), value });
            em.bind[*a] = E::Var(format!("o{i}"));
        }
    }
    let first_row = if strips == 1 {
        E::int(0)
    } else {
        em.push(S::Index { name: "first".into(), value: strip_index.times(strip) });
        E::var("first")
    };
    let rows = if row_extent.quotient(&strip.into()).is_some() {
        E::int(strip)
    } else {
        let left = first_row.clone().times(-1).plus(&row_extent);
        em.push(S::Index { name: "rows".into(), value: left.min(E::int(strip)) });
        E::var("rows")
    };
    let source = em.pointer(halo.slot, false);
    let mut from = E::int(&halo.offset);
    for (a, c, _) in &halo.outer {
        from = from.add(em.bind[*a].clone().times(c));
    }
    em.push(S::Pointer {
        name: "plane".into(),
        base: Base::Pointer(source),
        index: from,
        dtype: DType::F32,
        writes: false,
    });
    let mut scratch = Dim::ZERO;
    // Element 0 of `image` is the first position of the strip's first row.
    let (image_pitch, own) = if bordered {
        let most = (strip - 1) * row_step + taps_down;
        scratch = (along.padded() * most + 4 * w * step) * 4;
        em.push(S::Pointer {
            name: "image".into(),
            base: Base::Scratch(Dim::ZERO),
            index: E::int(0),
            dtype: DType::F32,
            writes: true,
        });
        let range = row.map(|_| {
            let lo = first_row.clone().times(row_step);
            let hi = lo.clone().add(rows.clone().plus(-1).times(row_step)).plus(taps_down);
            (lo, hi)
        });
        halo.copy_rows(&mut em, "image", "plane", border, range);
        (pitch.clone(), true)
    } else {
        let down = if halo.dims.len() == 2 { halo.dims[0].stride.clone() } else { Dim::ZERO };
        let at = first_row.clone().times(row_step).plus(&halo.dims[0].first).times(&down);
        let at = if halo.dims.len() == 2 { at } else { E::int(0) };
        let at = at.plus(&along.first);
        em.push(S::Pointer {
            name: "image".into(),
            base: Base::Pointer("plane".into()),
            index: at,
            dtype: DType::F32,
            writes: false,
        });
        (down, false)
    };
    // Taps: (down, across) of each folded index, and the weight's position.
    let mut taps = Vec::new();
    taps_of(s, halo, weight, folded, &mut vec![0; s.extents.len()], &mut taps)?;
    if let Some((slot, at)) = weight {
        for a in s.rank..s.extents.len() {
            em.bind[a] = E::int(0);
        }
        let base = em.pointer(*slot, false);
        let index = em.index(at);
        em.push(S::Pointer {
            name: "weights".into(),
            base: Base::Pointer(base),
            index,
            dtype: DType::F32,
            writes: false,
        });
    }
    let most_vectors = if cx.target.registers == 32 { 2 } else { 1 };
    let most_rows = if row.is_some() { if cx.target.registers == 32 { 4 } else { 3 } } else { 1 };
    let first_value = |em: &mut Emitter<'_>, r: E, size_rows: i64, j: E, size: i64, tail: Option<&Dim>| {
        tile(
            em,
            s,
            f,
            weight,
            lane,
            row,
            &taps,
            &first_row,
            r,
            size_rows,
            j,
            size,
            tail,
            &image_pitch,
            row_step,
            step,
            own,
            border,
        );
    };
    let mut panels = panels(&s.extents[lane], w, most_vectors);
    name_counts(&mut em, "panels", panels.iter_mut().map(|p| &mut p.tiles));
    // Strips of whole row groups, then the rest one by one.
    let columns = |em: &mut Emitter<'_>, r: E, size_rows: i64| {
        for Panel { tiles: Tiles { start, count, size }, tail } in panels.clone() {
            if count == 1 {
                em.open();
                first_value(em, r.clone(), size_rows, E::Int(start * w), size, tail.as_ref());
                let b = em.close();
                em.push(S::Block(b));
            } else {
                let var = em.fresh("p");
                em.for_loop(&var.clone(), E::int(0), E::Int(count), 1, |em| {
                    let from = E::Var(var).times(size).plus(start).times(w);
                    first_value(em, r.clone(), size_rows, from, size, tail.as_ref());
                });
            }
        }
    };
    if most_rows > 1 && strip >= most_rows {
        let var = em.fresh("r");
        let bound = rows.clone().plus(1 - most_rows);
        em.push(S::Index { name: "whole".into(), value: rows.clone().div(most_rows).times(most_rows) });
        em.for_loop(&var.clone(), E::int(0), bound, most_rows, |em| columns(em, E::Var(var), most_rows));
        if !(row_extent.quotient(&strip.into()).is_some() && strip % most_rows == 0) {
            let var = em.fresh("r");
            em.for_loop(&var.clone(), E::var("whole"), rows, 1, |em| columns(em, E::Var(var), 1));
        }
    } else {
        let var = em.fresh("r");
        em.for_loop(&var.clone(), E::int(0), rows, 1, |em| columns(em, E::Var(var), 1));
    }
    let notes = vec![
        s.note.clone(),
        format!(
            "strips of {strip} rows{}, tiles of {most_rows} rows x {} lanes | vectorize({lane}) unroll({},{most_rows}) parallel",
            if bordered { " copied with their border" } else { "" },
            most_vectors * w,
            row.unwrap_or(lane)
        ),
    ];
    let (body, params) = em.finish();
    Some(Function { notes, params, tiles, scratch, body })
}

/// Gathers the taps: (down, across) from the first padded position, and the weight's position. None where one is no number.
fn taps_of(
    s: &Stage,
    halo: &Halo,
    weight: Option<&(Slot, Affine)>,
    folded: &[Axis],
    at: &mut Vec<i64>,
    out: &mut Vec<(i64, i64, i64)>,
) -> Option<()> {
    if let Some((a, rest)) = folded.split_first() {
        for i in 0..s.extents[*a].as_const()? {
            at[*a] = i;
            taps_of(s, halo, weight, rest, at, out)?;
        }
        at[*a] = 0;
        return Some(());
    }
    let value = |e: &Affine| -> Dim { (s.rank..s.extents.len()).map(|a| e.coefficient(a) * at[a]).sum() };
    let place = |d: &Dimension| (value(&d.index) + d.index.offset() - &d.first).as_const();
    let across = place(&halo.dims[halo.dims.len() - 1])?;
    let down = if halo.dims.len() == 2 { place(&halo.dims[0])? } else { 0 };
    out.push((down, across, weight.map_or(Some(0), |(_, w)| value(w).as_const())?));
    Some(())
}

#[expect(clippy::too_many_arguments, reason = "one place calls it")]
fn tile(
    em: &mut Emitter<'_>,
    s: &Stage,
    f: &Fold,
    weight: Option<&(Slot, Affine)>,
    lane: Axis,
    row: Option<Axis>,
    taps: &[(i64, i64, i64)],
    first_row: &E,
    r: E,
    rows: i64,
    lanes_from: E,
    size: i64,
    tail: Option<&Dim>,
    pitch: &Dim,
    row_step: i64,
    step: i64,
    own: bool,
    border: Literal,
) {
    let w = em.cx.target.lanes;
    let ty = Ty::vector(DType::F32);
    let acc = |i: i64, j: i64| format!("acc{i}_{j}");
    for i in 0..rows {
        for j in 0..size {
            em.push(S::Var { name: acc(i, j), ty, value: Some(E::Splat(Box::new(E::Lit(border)), DType::F32)) });
        }
    }
    em.push(S::Pointer {
        name: "here".into(),
        base: Base::Pointer("image".into()),
        index: r.clone().times(pitch * row_step).add(lanes_from.clone().times(step)),
        dtype: DType::F32,
        writes: false,
    });
    // Which accumulators want the vector at (down, across).
    let mut wanted: BTreeMap<(i64, i64), Vec<(i64, i64)>> = BTreeMap::new();
    for (down, across, weight_at) in taps {
        for i in 0..rows {
            wanted.entry((down + i * row_step, *across)).or_default().push((i, *weight_at));
        }
    }
    for ((down, across), users) in &wanted {
        em.open();
        for j in 0..size {
            let part = if j + 1 == size && !own { tail.map(|n| Box::new(E::int(n))) } else { None };
            let index = Box::new(E::Int(pitch * *down + (across + j * w * step)));
            em.push(S::Let {
                name: format!("x{j}_"),
                ty,
                value: E::VLoad { base: "here".into(), index, dtype: DType::F32, step: step.into(), part },
            });
        }
        for (i, weight_at) in users {
            for j in 0..size {
                let x = E::Var(format!("x{j}_"));
                em.push(if weight.is_some() {
                    let b = E::Load { base: "weights".into(), index: Box::new(E::int(*weight_at)), dtype: DType::F32 };
                    S::MulAdd { acc: acc(*i, j), a: b, b: x }
                } else {
                    S::Set {
                        name: acc(*i, j),
                        value: E::Combine(f.monoid, ty, Box::new(E::Var(acc(*i, j))), Box::new(x)),
                    }
                });
            }
        }
        let b = em.close();
        em.push(S::Block(b));
    }
    for i in 0..rows {
        for j in 0..size {
            em.open();
            if let Some(a) = row {
                em.bind[a] = first_row.clone().add(r.clone()).plus(i);
            }
            em.bind[lane] = lanes_from.clone().plus(j * w);
            let part = if j + 1 == size { tail.map(E::int) } else { None };
            em.lane = Some(Lane { axis: lane, part });
            em.acc = Some(E::Var(acc(i, j)));
            for t in &s.stores {
                em.store_vector(t);
            }
            em.acc = None;
            em.lane = None;
            let b = em.close();
            em.push(S::Block(b));
        }
    }
}
