//! Contractions over f32: one tile template, `acc[rows][lanes]` over the folded axes.
//!
//! One operand is read as vectors along the lane axis (packed at build time where it is constant, packed into scratch or
//! read in place otherwise), the other as scalars, one per row of the tile. Results leave the accumulators along the lanes,
//! or across them through a transposing tile buffer where memory runs along the rows. A cost in cycles picks axes and tile.

mod pack;
mod plan;
mod tile;

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::Monoid;
use egret_ir::tensor::Tensor;

use self::pack::pack;
use self::plan::{Operand, Vectors, choose};
use self::tile::tile;
use crate::affine::{Affine, Axis};
use crate::emit::Emitter;
use crate::family::halo::Halo;
use crate::loops::{Base, E, Function, S};
use crate::schedule::Schedule;
use crate::stage::{Fold, SlotInfo, Stage, Term};
use crate::target::Context;
use crate::value::{Slot, Value};

/// The functions of a contraction, if the stage is one this family knows.
pub fn emit(
    s: &Stage,
    slots: &mut Vec<SlotInfo>,
    constant: &dyn Fn(Slot, &[SlotInfo]) -> Option<Tensor>,
    cx: &Context<'_>,
) -> Option<Vec<Function>> {
    let f = s.fold.as_ref()?;
    if f.monoid != Monoid::Sum || f.acc != DType::F32 || cx.typical(&(s.points() * s.terms())) < 512 {
        return None;
    }
    if !f.when.is_empty() && f.when.iter().any(|w| w.step > 1) {
        return parts(s, slots, constant, cx);
    }
    let mut functions = Vec::new();
    let stage = if f.when.is_empty() { s.clone() } else { padded(s, slots, cx, &mut functions)? };
    let own: Vec<Slot> =
        functions.iter().flat_map(|f: &Function| f.params.iter().filter(|p| p.writes).map(|p| p.slot)).collect();
    let mut schedule = Schedule::new(stage);
    schedule.simplify(0);
    let stage = &schedule.stage;
    let Term::Product(a, b) = &stage.fold.as_ref()?.term else { return None };
    let operand = |v: &Value| match v {
        Value::Load { slot, at, dtype: DType::F32 } if at.is_linear() => {
            Some(Operand { slot: *slot, at: at.clone(), own: own.contains(slot) })
        }
        _ => None,
    };
    let operands = [operand(a)?, operand(b)?];
    let plan = choose(stage, &operands, &|o| constant(o.slot, slots).is_some(), cx)?;
    let table = match plan.read {
        Vectors::Table => Some(pack(stage, &operands, &plan, slots, constant, cx)),
        Vectors::Scratch | Vectors::Direct => None,
    };
    functions.push(tile(&schedule, &operands, &plan, table, slots, cx));
    Some(functions)
}

/// A transposed convolution with stride: one dense contraction per residue of the results.
fn parts(
    s: &Stage,
    slots: &mut Vec<SlotInfo>,
    constant: &dyn Fn(Slot, &[SlotInfo]) -> Option<Tensor>,
    cx: &Context<'_>,
) -> Option<Vec<Function>> {
    let f = s.fold.as_ref()?;
    let w = f.when.iter().find(|w| w.step > 1)?;
    let sign = |a: Axis| w.index.coefficient(a).as_const().filter(|c| c.abs() == 1);
    let find = |from: Axis, to: Axis| (from..to).find(|a| sign(*a).is_some());
    let (out, tap) = (find(0, s.rank)?, find(s.rank, s.extents.len())?);
    if w.index.terms().len() != 2 || !w.index.is_linear() || w.index.coefficient(out) != 1 {
        return None;
    }
    let (step, sign, offset) = (w.step, sign(tap)?, w.index.offset().as_const()?);
    let mut functions: Vec<Vec<Function>> = Vec::new();
    for residue in 0..s.extents[out].as_const().map_or(step, |n| n.min(step)) {
        // The taps that meet this residue: sign · tap ≡ −(residue + offset) mod step.
        let first = (-(residue + offset) * sign).rem_euclid(step);
        let mut extents = s.extents.clone();
        extents[out] = (&s.extents[out] - residue).ceil_div(&step.into());
        extents[tap] = (&s.extents[tap] - first).ceil_div(&step.into()).larger(&Dim::ZERO);
        let to: Vec<Affine> = (0..extents.len())
            .map(|a| {
                let (k, c) = if a == out {
                    (step, residue)
                } else if a == tap {
                    (step, first)
                } else {
                    (1, 0)
                };
                Affine::axis(a).times(k).plus(&Affine::constant(c))
            })
            .collect();
        let part = s.rename(&to, extents, s.rank);
        functions.push(match emit(&part, slots, constant, cx) {
            Some(f) => f,
            // Few or no taps: the general family.
            None => vec![crate::kernel::alone(&part, slots, cx)],
        });
    }
    Some(merged(functions))
}

/// Parts whose tiles correspond become one function, so that results of neighbouring residues are written while their
/// memory is near.
fn merged(parts: Vec<Vec<Function>>) -> Vec<Function> {
    let alike = parts.iter().all(|p| p.len() == 1 && p[0].tiles == parts[0][0].tiles);
    if !alike {
        return parts.into_iter().flatten().collect();
    }
    let mut all = parts.into_iter().flatten();
    let Some(mut out) = all.next() else { return Vec::new() };
    out.body = vec![S::Block(out.body)];
    for f in all {
        for p in f.params {
            if let Some(known) = out.params.iter_mut().find(|k| k.slot == p.slot) {
                known.writes |= p.writes;
            } else {
                out.params.push(p);
            }
        }
        out.scratch = out.scratch.larger(&f.scratch);
        out.notes.extend(f.notes);
        out.body.push(S::Block(f.body));
    }
    vec![out]
}

/// The same contraction over a padded copy of its windowed operand, which the pushed function makes.
fn padded(s: &Stage, slots: &mut Vec<SlotInfo>, cx: &Context<'_>, functions: &mut Vec<Function>) -> Option<Stage> {
    let f = s.fold.as_ref()?;
    let Term::Product(a, b) = &f.term else { return None };
    let windowed = |v: &Value| match v {
        Value::Load { slot, at, dtype: DType::F32 } => Halo::new(*slot, at, &f.when, &s.extents),
        _ => None,
    };
    let (halo, first) = match (windowed(a), windowed(b)) {
        (Some(h), None) => (h, true),
        (None, Some(h)) => (h, false),
        _ => return None,
    };
    let (slot, at) = halo.whole(slots);
    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); s.extents.len()];
    em.extents.clone_from(&s.extents);
    let outer: Vec<Axis> = halo.outer.iter().map(|o| o.0).collect();
    let tiles = em.claim(E::var("tile"), &outer);
    let mut from = E::int(&halo.offset);
    for (a, c, _) in halo.outer.iter().rev() {
        from = from.add(em.bind[*a].clone().times(c));
    }
    let (source, into) = (em.pointer(halo.slot, false), em.pointer(slot, true));
    em.push(S::Pointer {
        name: "plane".into(),
        base: Base::Pointer(source),
        index: from,
        dtype: DType::F32,
        writes: false,
    });
    em.push(S::Pointer {
        name: "padded".into(),
        base: Base::Pointer(into),
        index: E::var("tile").times(halo.plane()),
        dtype: DType::F32,
        writes: true,
    });
    halo.copy_rows(&mut em, "padded", "plane", Literal::f32(0.0), None);
    let (body, params) = em.finish();
    functions.push(Function {
        notes: vec!["its operand with the border written out".into()],
        params,
        tiles,
        scratch: Dim::ZERO,
        body,
    });
    let load = std::sync::Arc::new(Value::Load { slot, at, dtype: DType::F32 });
    let term = if first { Term::Product(load, b.clone()) } else { Term::Product(a.clone(), load) };
    Some(Stage { fold: Some(Fold { term, when: Vec::new(), ..f.clone() }), ..s.clone() })
}
