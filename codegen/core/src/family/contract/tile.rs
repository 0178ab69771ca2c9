//! The loops of a contraction: panels, row tiles, accumulators in registers, results.

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};

use super::plan::{Operand, Plan, Roles, Split, Vectors, roles};
use crate::affine::Axis;
use crate::emit::{Emitter, Lane};
use crate::loops::{Arg, Base, E, Function, S, Ty};
use crate::schedule::{Panel, Primitive, Schedule, Tiles, balanced, name_counts, panels, tile_count};
use crate::stage::{SlotInfo, Stage};
use crate::target::Context;
use crate::value::Slot;

/// An epilogue of more operations than this runs over a buffer instead of in registers.
const EPILOGUE_FLOPS: u32 = 14;

/// Innermost folded axes up to this extent are unrolled.
const UNROLLED: i64 = 3;

/// Everything the loops of a tile need.
struct Tile<'a> {
    s: &'a Stage,
    plan: &'a Plan,
    v: &'a Operand,
    sc: &'a Operand,
    r: Roles,
    w: i64,
    /// Pointer to the packed panel, where there is one.
    packed: bool,
}

pub(super) fn tile(
    schedule: &Schedule,
    operands: &[Operand; 2],
    plan: &Plan,
    table: Option<Slot>,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    let s = &schedule.stage;
    let (v, sc) = if plan.first_is_vector { (&operands[0], &operands[1]) } else { (&operands[1], &operands[0]) };
    let w = cx.target.lanes;
    let t = Tile { s, plan, v, sc, r: roles(s, v, plan), w, packed: plan.read != Vectors::Direct };
    let terms = s.terms();
    let row_extent = plan.row.map_or(Dim::ONE, |r| s.extents[r].clone());
    let Split { chunk, chunks, units } = Split::new(s, v, plan.lane, plan.row, plan.rows, plan.vectors);
    let outer: Dim = t.r.outer.iter().map(|a| &s.extents[*a]).product();

    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); s.extents.len()];
    em.extents.clone_from(&s.extents);
    let mut row_tiles = balanced(&row_extent, plan.rows);
    name_counts(&mut em, "rows", &mut row_tiles);
    let mut panels = panels(&s.extents[plan.lane], w, plan.vectors);
    name_counts(&mut em, "panels", panels.iter_mut().map(|p| &mut p.tiles));
    let panel_count = em.name("panels", tile_count(panels.iter().map(|p| &p.tiles)));
    let units = em.name("units", if t.r.middle.is_empty() { tile_count(&row_tiles) } else { units });
    let chunk = em.name("chunk", chunk);
    let chunks = em.name("chunks", if chunks == 1 { chunks } else { units.ceil_div(&chunk) });
    let tiles = em.resolved(&(&outer * &panel_count * &chunks));
    let mut rest = E::var("tile");
    let part = |rest: &mut E, n: &Dim| {
        let i = rest.clone().rem(n);
        *rest = rest.clone().div(n);
        i
    };
    let chunk_index = part(&mut rest, &chunks);
    let panel_index = part(&mut rest, &panel_count);
    let outer_flat = if outer == 1 { E::int(0) } else { rest.clone() };
    for a in t.r.outer.iter().rev() {
        em.bind[*a] = part(&mut rest, &s.extents[*a]);
    }
    let name_index = |em: &mut Emitter<'_>, name: &str, value: E| {
        if value.as_int().is_some() {
            value
        } else {
            em.push(S::Index { name: name.into(), value });
            E::var(name)
        }
    };
    let panel = name_index(&mut em, "panel", panel_index);
    for (i, a) in t.r.outer.iter().enumerate() {
        let value = em.bind[*a].clone();
        em.bind[*a] = name_index(&mut em, &format!("o{i}"), value);
    }
    let from = name_index(&mut em, "from", chunk_index.times(&chunk));
    let to = if chunks == 1 {
        E::Int(units)
    } else if units.quotient(&chunk).is_some() {
        from.clone().plus(&chunk)
    } else {
        from.clone().plus(&chunk).min(E::Int(units))
    };
    let to = name_index(&mut em, "to", to);

    // Scratch: packed panel, then tile buffers.
    let mut scratch = Dim::ZERO;
    let mut room = |em: &mut Emitter<'_>, name: &str, elements: Dim| {
        em.push(S::Pointer {
            name: name.into(),
            base: Base::Scratch(scratch.clone()),
            index: E::int(0),
            dtype: DType::F32,
            writes: true,
        });
        scratch = &scratch + elements * 4;
    };
    if plan.read == Vectors::Scratch {
        room(&mut em, "packed", &terms * (plan.vectors * w));
    }
    let buffered = plan.transposed || s.stores.iter().map(|t| t.value.flops()).sum::<u32>() > EPILOGUE_FLOPS;
    if buffered {
        room(&mut em, "buffer", Dim::from((plan.rows + w - 1) / w * w * plan.vectors * w));
    }
    if plan.transposed {
        room(&mut em, "turned", Dim::from(w * w));
    }

    // One branch per panel width; the last panel may end inside a vector.
    let mut before = Dim::ZERO;
    let mut cases = Vec::new();
    for p in &panels {
        em.open();
        // First vector of the panel.
        let Tiles { start, count, size } = &p.tiles;
        let first = panel.clone().plus(Dim::ZERO - &before).times(*size).plus(start);
        let first = if *count == 1 { E::int(start) } else { first };
        panel_loops(&mut em, &t, &first, p, table, &outer_flat, &from, &to, &row_tiles, buffered);
        before = before + count;
        cases.push((before.clone(), em.close()));
    }
    let mut chain: Vec<S> = Vec::new();
    for (i, (end, body)) in cases.into_iter().enumerate().rev() {
        if i + 1 == panels.len() {
            chain = body;
        } else {
            let cond = E::Within { index: Box::new(panel.clone()), lo: None, hi: Some(end), step: 1 };
            chain = vec![S::If { cond, then: body, otherwise: chain }];
        }
    }
    em.push(S::Block(chain));

    let mut trace = schedule.clone();
    if let Some(r) = plan.row {
        trace.mark(Primitive::Unroll(r, plan.rows));
    }
    trace.mark(Primitive::Unroll(plan.lane, plan.vectors * w));
    trace.mark(Primitive::Vectorize(plan.lane));
    trace.mark(Primitive::Parallel(plan.lane, Dim::from(plan.vectors * w)));
    let how = match plan.read {
        Vectors::Table => "packed constant",
        Vectors::Scratch => "packed in scratch",
        Vectors::Direct => "in place",
    };
    let notes = vec![
        format!("{} | {}", s.note, trace.text()),
        format!(
            "tiles of {} rows x {} lanes, vector operand {how}{}",
            plan.rows,
            plan.vectors * w,
            if plan.transposed { ", results leave across the lanes" } else { "" }
        ),
    ];
    let (body, params) = em.finish();
    Function { notes, params, tiles, scratch, body }
}

#[expect(clippy::too_many_arguments, reason = "one place calls it")]
fn panel_loops(
    em: &mut Emitter<'_>,
    t: &Tile<'_>,
    first: &E,
    panel: &Panel,
    table: Option<Slot>,
    outer_flat: &E,
    from: &E,
    to: &E,
    row_tiles: &[Tiles],
    buffered: bool,
) {
    let (size, tail) = (panel.tiles.size, panel.tail.as_ref());
    let terms = t.s.terms();
    em.bind[t.plan.lane] = first.clone().times(t.w);
    match t.plan.read {
        Vectors::Table => {
            let slot = table.expect("invariant: a table was packed");
            let base = em.pointer(slot, false);
            let vectors = t.s.extents[t.plan.lane].ceil_div(&t.w.into());
            let index = outer_flat.clone().times(vectors).add(first.clone()).times(terms * t.w);
            em.push(S::Pointer {
                name: "vectors".into(),
                base: Base::Pointer(base),
                index,
                dtype: DType::F32,
                writes: false,
            });
        }
        Vectors::Scratch => {
            pack_panel(em, t, size, tail);
            em.push(S::Pointer {
                name: "vectors".into(),
                base: Base::Pointer("packed".into()),
                index: E::int(0),
                dtype: DType::F32,
                writes: false,
            });
        }
        Vectors::Direct => {
            let base = em.pointer(t.v.slot, false);
            let index = em.index(&t.v.at);
            em.push(S::Pointer {
                name: "vectors".into(),
                base: Base::Pointer(base),
                index,
                dtype: DType::F32,
                writes: false,
            });
        }
    }
    let rows = |em: &mut Emitter<'_>, range: Option<(&E, &E)>| {
        let mut before = Dim::ZERO;
        for tiles in row_tiles {
            let end = &before + &tiles.count;
            let (lo, hi) = match range {
                None => (E::int(&before), E::int(&end)),
                Some((from, to)) if row_tiles.len() == 1 => (from.clone(), to.clone()),
                Some((from, to)) => {
                    let lo = if before == 0 { from.clone() } else { from.clone().max(E::int(&before)) };
                    (lo, to.clone().min(E::int(&end)))
                }
            };
            let body = |em: &mut Emitter<'_>, i: E| {
                if let Some(r) = t.plan.row {
                    em.bind[r] = i.plus(Dim::ZERO - &before).times(tiles.size).plus(&tiles.start);
                }
                micro(em, t, tiles.size, size, tail, buffered);
            };
            if lo.as_int().zip(hi.as_int()).is_some_and(|(lo, hi)| hi - lo == 1) {
                em.open();
                body(em, lo);
                let block = em.close();
                em.push(S::Block(block));
            } else {
                let var = em.fresh("r");
                em.for_loop(&var.clone(), lo, hi, 1, |em| body(em, E::Var(var)));
            }
            before = end;
        }
    };
    if t.r.middle.is_empty() {
        rows(em, Some((from, to)));
    } else {
        let var = em.fresh("m");
        em.for_loop(&var.clone(), from.clone(), to.clone(), 1, |em| {
            let mut rest = E::Var(var);
            for (i, a) in t.r.middle.iter().enumerate().rev() {
                em.bind[*a] = if i == 0 { rest.clone() } else { rest.clone().rem(&t.s.extents[*a]) };
                rest = rest.div(&t.s.extents[*a]);
            }
            rows(em, None);
        });
    }
}

/// Copies one panel of the vector operand into scratch, in the order of the folded axes.
fn pack_panel(em: &mut Emitter<'_>, t: &Tile<'_>, size: i64, tail: Option<&Dim>) {
    let step = t.v.at.coefficient(t.plan.lane);
    let width = size * t.w;
    let base = em.pointer(t.v.slot, false);
    // Memory along a folded axis: squares are transposed in registers.
    let along = t.r.folded.iter().copied().find(|a| t.v.at.coefficient(*a) == 1);
    let folded = t.r.folded.clone();
    if step != 1
        && let Some(k) = along
        && em.cx.typical(&t.s.extents[k]) >= 4
        && folded.last() == Some(&k)
    {
        let valid = tail.map_or(Dim::from(width), |n| n + (width - t.w));
        let others: Vec<Axis> = folded[..folded.len() - 1].to_vec();
        loops_over(em, t, &others, &mut |em| {
            em.bind[k] = E::int(0);
            let source = em.index(&t.v.at);
            let into = flat(em, t, width);
            em.push(S::Call {
                name: "eg_pack_transposed",
                args: vec![
                    Arg::Pointer(base.clone(), source),
                    Arg::Value(E::int(&step)),
                    Arg::Value(E::int(&valid)),
                    Arg::Value(E::int(&t.s.extents[k])),
                    Arg::Pointer("packed".into(), into),
                    Arg::Value(E::int(width)),
                ],
            });
        });
        return;
    }
    loops_over(em, t, &folded, &mut |em| {
        let source = em.index(&t.v.at);
        let into = flat(em, t, width);
        for j in 0..size {
            let part = if j + 1 == size && !t.v.own { tail } else { None };
            let value = E::VLoad {
                base: base.clone(),
                index: Box::new(source.clone().plus(&step * (j * t.w))),
                dtype: DType::F32,
                step: step.clone(),
                part: part.map(|n| Box::new(E::int(n))),
            };
            em.push(S::VStore {
                base: "packed".into(),
                index: into.clone().plus(j * t.w),
                dtype: DType::F32,
                step: Dim::ONE,
                part: None,
                value,
            });
        }
    });
}

/// Position in a panel of the folded axes' indices.
fn flat(em: &Emitter<'_>, t: &Tile<'_>, width: i64) -> E {
    let mut at = E::int(0);
    for a in &t.r.folded {
        at = at.times(&t.s.extents[*a]).add(em.bind[*a].clone());
    }
    at.times(width)
}

fn loops_over(em: &mut Emitter<'_>, t: &Tile<'_>, axes: &[Axis], body: &mut dyn FnMut(&mut Emitter<'_>)) {
    let Some((a, rest)) = axes.split_first() else { return body(em) };
    match t.s.extents[*a].as_const() {
        // The taps of a small window.
        Some(n) if rest.is_empty() && n <= UNROLLED => {
            for i in 0..n {
                em.open();
                em.bind[*a] = E::int(i);
                body(em);
                let block = em.close();
                em.push(S::Block(block));
            }
        }
        _ => {
            let var = em.fresh("k");
            em.for_loop(&var.clone(), E::int(0), E::int(&t.s.extents[*a]), 1, |em| {
                em.bind[*a] = E::Var(var);
                loops_over(em, t, rest, body);
            });
        }
    }
    em.bind[*a] = E::int(0);
}

/// One tile: accumulators in registers, the loops over the folded axes, the results.
fn micro(em: &mut Emitter<'_>, t: &Tile<'_>, rows: i64, size: i64, tail: Option<&Dim>, buffered: bool) {
    let acc = |i: i64, j: i64| format!("acc{i}_{j}");
    for a in &t.r.folded {
        em.bind[*a] = E::int(0);
    }
    let base = em.pointer(t.sc.slot, false);
    let index = em.index(&t.sc.at);
    em.push(S::Pointer { name: "scalars".into(), base: Base::Pointer(base), index, dtype: DType::F32, writes: false });
    let zero = E::Splat(Box::new(E::Lit(Literal::f32(0.0))), DType::F32);
    for i in 0..rows {
        for j in 0..size {
            em.push(S::Var { name: acc(i, j), ty: Ty::vector(DType::F32), value: Some(zero.clone()) });
        }
    }
    let row_step = t.plan.row.map_or(Dim::ZERO, |r| t.sc.at.coefficient(r));
    let lane_step = t.v.at.coefficient(t.plan.lane);
    let folded = t.r.folded.clone();
    loops_over(em, t, &folded, &mut |em| {
        let mut scalar_at = E::int(0);
        let mut vector_at = E::int(0);
        for a in &folded {
            scalar_at = scalar_at.add(em.bind[*a].clone().times(t.sc.at.coefficient(*a)));
            vector_at = vector_at.add(em.bind[*a].clone().times(t.v.at.coefficient(*a)));
        }
        let (vector_at, step) =
            if t.packed { (flat(em, t, size * t.w), Dim::ONE) } else { (vector_at, lane_step.clone()) };
        for j in 0..size {
            let part = if j + 1 == size && !t.packed && !t.v.own { tail } else { None };
            let value = E::VLoad {
                base: "vectors".into(),
                index: Box::new(vector_at.clone().plus(&step * (j * t.w))),
                dtype: DType::F32,
                step: step.clone(),
                part: part.map(|n| Box::new(E::int(n))),
            };
            em.push(S::Let { name: format!("b{j}"), ty: Ty::vector(DType::F32), value });
        }
        for i in 0..rows {
            let index = Box::new(scalar_at.clone().plus(&row_step * i));
            let value = E::Load { base: "scalars".into(), index, dtype: DType::F32 };
            em.push(S::Let { name: format!("a{i}"), ty: Ty::scalar(DType::F32), value });
            for j in 0..size {
                em.push(S::MulAdd { acc: acc(i, j), a: E::Var(format!("a{i}")), b: E::Var(format!("b{j}")) });
            }
        }
    });
    let first_lane = em.bind[t.plan.lane].clone();
    let first_row = t.plan.row.map(|r| em.bind[r].clone());
    let bind_row = |em: &mut Emitter<'_>, i: E| {
        if let (Some(r), Some(first)) = (t.plan.row, &first_row) {
            em.bind[r] = first.clone().add(i);
        }
    };
    if buffered {
        let width = size * t.w;
        for i in 0..rows {
            for j in 0..size {
                em.push(S::VStore {
                    base: "buffer".into(),
                    index: E::int(i * width + j * t.w),
                    dtype: DType::F32,
                    step: Dim::ONE,
                    part: None,
                    value: E::Var(acc(i, j)),
                });
            }
        }
        if t.plan.transposed {
            across(em, t, rows, size, tail, &first_lane, &bind_row);
        } else {
            along(em, t, rows, size, tail, &first_lane, &bind_row);
        }
    } else {
        for i in 0..rows {
            for j in 0..size {
                em.open();
                bind_row(em, E::int(i));
                em.bind[t.plan.lane] = first_lane.clone().plus(j * t.w);
                let part = if j + 1 == size { tail.map(E::int) } else { None };
                em.lane = Some(Lane { axis: t.plan.lane, part });
                results(em, t, E::Var(acc(i, j)));
                let block = em.close();
                em.push(S::Block(block));
            }
        }
    }
    em.lane = None;
    em.acc = None;
    em.bind[t.plan.lane] = first_lane;
    bind_row(em, E::int(0));
}

fn results(em: &mut Emitter<'_>, t: &Tile<'_>, acc: E) {
    em.acc = Some(acc);
    for s in &t.s.stores {
        em.store_vector(s);
    }
    em.acc = None;
}

/// Results from the buffer, along the lanes.
fn along(
    em: &mut Emitter<'_>,
    t: &Tile<'_>,
    rows: i64,
    size: i64,
    tail: Option<&Dim>,
    first_lane: &E,
    bind_row: &dyn Fn(&mut Emitter<'_>, E),
) {
    let width = size * t.w;
    em.for_loop("i", E::int(0), E::int(rows), 1, |em| {
        bind_row(em, E::var("i"));
        let at = |j: E| E::VLoad {
            base: "buffer".into(),
            index: Box::new(E::var("i").times(width).add(j)),
            dtype: DType::F32,
            step: Dim::ONE,
            part: None,
        };
        let whole = if tail.is_some() { size - 1 } else { size };
        if whole > 0 {
            em.for_loop("j", E::int(0), E::int(whole * t.w), t.w, |em| {
                em.bind[t.plan.lane] = first_lane.clone().add(E::var("j"));
                em.lane = Some(Lane { axis: t.plan.lane, part: None });
                em.push(S::Let { name: "sum".into(), ty: Ty::vector(DType::F32), value: at(E::var("j")) });
                results(em, t, E::var("sum"));
            });
        }
        if let Some(n) = tail {
            em.open();
            em.bind[t.plan.lane] = first_lane.clone().add(E::int(whole * t.w));
            em.lane = Some(Lane { axis: t.plan.lane, part: Some(E::int(n)) });
            em.push(S::Let { name: "sum".into(), ty: Ty::vector(DType::F32), value: at(E::int(whole * t.w)) });
            results(em, t, E::var("sum"));
            let block = em.close();
            em.push(S::Block(block));
        }
    });
}

/// Results from the buffer, across the lanes: squares are transposed, then memory runs along the rows.
fn across(
    em: &mut Emitter<'_>,
    t: &Tile<'_>,
    rows: i64,
    size: i64,
    tail: Option<&Dim>,
    first_lane: &E,
    bind_row: &dyn Fn(&mut Emitter<'_>, E),
) {
    let width = size * t.w;
    let row = t.plan.row.expect("invariant: memory runs along the rows");
    for block in 0..(rows + t.w - 1) / t.w {
        let here = (rows - block * t.w).min(t.w);
        let square = |em: &mut Emitter<'_>, j: E, lanes: E| {
            em.push(S::Call {
                name: "vf_transpose_square",
                args: vec![
                    Arg::Pointer("buffer".into(), j.clone().add(E::int(block * t.w * width))),
                    Arg::Value(E::int(width)),
                    Arg::Pointer("turned".into(), E::int(0)),
                ],
            });
            em.for_loop("c", E::int(0), lanes, 1, |em| {
                em.bind[t.plan.lane] = first_lane.clone().add(j).add(E::var("c"));
                bind_row(em, E::int(block * t.w));
                em.lane = Some(Lane { axis: row, part: (here < t.w).then_some(E::int(here)) });
                let value = E::VLoad {
                    base: "turned".into(),
                    index: Box::new(E::var("c").times(t.w)),
                    dtype: DType::F32,
                    step: Dim::ONE,
                    part: None,
                };
                em.push(S::Let { name: "sum".into(), ty: Ty::vector(DType::F32), value });
                results(em, t, E::var("sum"));
            });
        };
        let whole = if tail.is_some() { size - 1 } else { size };
        if whole > 0 {
            em.for_loop("j", E::int(0), E::int(whole * t.w), t.w, |em| square(em, E::var("j"), E::int(t.w)));
        }
        if let Some(n) = tail {
            em.open();
            square(em, E::int(whole * t.w), E::int(n));
            let block = em.close();
            em.push(S::Block(block));
        }
    }
}
