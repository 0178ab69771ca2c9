//! The general family: any stage, and any run of stages that share their outer axes (softmax, layer norm and their like,
//! computed row by row with the temporaries in scratch memory).
//!
//! Per stage one lane axis is chosen: a stored axis (lanes are results), a folded one (lanes are partial folds, combined
//! across at the end), or none (element by element, always possible).

use std::collections::BTreeMap;
use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;

use crate::affine::{Affine, Atom, Axis};
use crate::emit::{Emitter, Lane, Local};
use crate::extent::chunk;
use crate::lanes::vectorizes;
use crate::loops::{Base, E, Function, S, Ty};
use crate::schedule::{Primitive, Schedule};
use crate::stage::{Fold, SlotInfo, Stage, Term};
use crate::target::Context;
use crate::value::{Slot, Value};

/// Work of one tile, in element operations: enough to pay for claiming it.
const TILE_WORK: i64 = 16 << 10;

/// Partial folds kept in flight.
const CHAINS: i64 = 4;

/// How a stage is vectorized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    /// Lanes are results, along this stored axis.
    Results(Axis),
    /// Lanes are partial folds, along this folded axis.
    Partial(Axis),
    /// One element at a time.
    None,
}

/// Emits stages that share the axis 0 (extent `rows`) as one function; `locals` are temporaries of one row.
/// Every stage's axis 0 is the row.
pub fn rows(stages: &[Stage], locals: &BTreeMap<Slot, Dim>, slots: &[SlotInfo], cx: &Context<'_>) -> Function {
    let scheduled: Vec<Schedule> = stages
        .iter()
        .map(|s| {
            let mut s = Schedule::new(s.clone());
            s.simplify(1);
            s
        })
        .collect();
    let extent = scheduled[0].stage.extents[0].clone();
    let work: Dim = scheduled.iter().map(|s| work(&s.stage, 1)).sum();
    let chunk = chunk(&Dim::from(TILE_WORK).floor_div(&work.larger(&Dim::ONE)), &extent);
    let mut em = Emitter::new(slots, cx);
    let mut scratch = Dim::ZERO;
    for (slot, len) in locals {
        let info = &slots[slot.0];
        em.push(S::Pointer {
            name: info.name.clone(),
            base: Base::Scratch(scratch.clone()),
            index: E::int(0),
            dtype: info.dtype,
            writes: true,
        });
        em.locals.insert(*slot, Local { pointer: info.name.clone(), drop: vec![0] });
        scratch = scratch + (len * info.dtype.size()).ceil_div(&64.into()) * 64;
    }
    let mut notes = Vec::new();
    for (i, s) in scheduled.iter().enumerate() {
        let mut trace = s.clone();
        trace.mark(Primitive::Parallel(0, chunk.clone()));
        if stages.len() > 1 {
            trace.mark(Primitive::ComputeAt(i, 0));
        }
        match choose(&s.stage, 1, cx) {
            Lanes::Results(a) | Lanes::Partial(a) => trace.mark(Primitive::Vectorize(a)),
            Lanes::None => {}
        }
        notes.push(format!("{} | {}", s.stage.note, trace.text()));
    }
    let single = stages.len() == 1 && matches!(choose(&scheduled[0].stage, 0, cx), Lanes::Results(0));
    let tiles;
    if single {
        // The row axis itself runs along the lanes.
        let up = |n: &Dim, to: i64| n.ceil_div(&to.into()) * to;
        let mut chunk = up(&chunk, cx.target.lanes * CHAINS);
        if extent.as_const().is_some() {
            chunk = chunk.smaller(&up(&extent, cx.target.lanes));
        }
        tiles = extent.ceil_div(&chunk);
        let chunk = em.name("chunk", chunk);
        let from = E::var("tile").times(&chunk);
        let to =
            if tiles == 1 { E::Int(extent.clone()) } else { from.clone().plus(&chunk).min(E::Int(extent.clone())) };
        stage(&mut em, &scheduled[0].stage, 0, Some((from, to)));
    } else {
        tiles = extent.ceil_div(&chunk);
        let body = |em: &mut Emitter<'_>, row: E| {
            for s in &scheduled {
                em.open();
                em.bind = vec![E::int(0); s.stage.extents.len()];
                em.extents.clone_from(&s.stage.extents);
                em.bind[0] = row.clone();
                stage(em, &s.stage, 1, None);
                let block = em.close();
                em.push(S::Block(block));
            }
        };
        if chunk == 1 {
            body(&mut em, E::var("tile"));
        } else {
            let chunk = em.name("chunk", chunk);
            let from = E::var("tile").times(&chunk);
            let end = from.clone().plus(&chunk);
            let to = if extent.quotient(&chunk).is_some() { end } else { end.min(E::Int(extent)) };
            em.for_loop("row", from, to, 1, |em| body(em, E::var("row")));
        }
    }
    let (body, params) = em.finish();
    Function { notes, params, tiles, scratch, body }
}

/// Elementary operations of a stage for one index of its first `outer` axes.
fn work(s: &Stage, outer: usize) -> Dim {
    let per_term: i64 = s.fold.as_ref().map_or(0, |f| match &f.term {
        Term::Value(v) => i64::from(v.flops()) + 1,
        Term::Product(a, b) => i64::from(a.flops() + b.flops()) + 1,
    });
    let per_store: i64 = s.stores.iter().map(|t| i64::from(t.value.flops()) + 1).sum();
    count(&s.extents[outer..s.rank]) * (s.terms().larger(&Dim::ONE) * per_term + per_store)
}

/// How regular the accesses along an axis are.
fn score(values: &[&Arc<Value>], axis: Axis) -> i64 {
    let mut n = 0;
    for v in values {
        v.visit(&mut |v| match &**v {
            Value::Load { at, .. } if repeats(at, axis) => n += 1,
            Value::Load { at, .. } if at.hides(axis) => n -= 12,
            Value::Load { at, .. } => {
                n += match at.coefficient(axis).as_const() {
                    Some(1) => 4,
                    Some(0) => 1,
                    _ => -6,
                }
            }
            Value::Choose { .. } => n -= 12,
            Value::Index(_) | Value::Lit(_) | Value::Map { .. } | Value::Acc(_) => {}
        });
    }
    n
}

/// Whether the position moves by one every few steps of the axis.
fn repeats(at: &Affine, axis: Axis) -> bool {
    at.coefficient(axis) == 0
        && at.terms().iter().filter(|(a, _)| matches!(a, Atom::Div(e, n) if e.as_axis() == Some(axis) && matches!(n.as_const(), Some(2 | 4 | 8)))).count()
            == 1
        && at.terms().iter().filter(|(a, _)| Affine::atom(a.clone()).mentions(axis)).count() == 1
}

/// The best lane axis among those from `from` on.
fn choose(s: &Stage, from: Axis, cx: &Context<'_>) -> Lanes {
    let mut best = (0, Lanes::None);
    let mut consider = |score: i64, lanes: Lanes| {
        if score > best.0 {
            best = (score, lanes);
        }
    };
    let stores_vectorize =
        |a: Axis| s.stores.iter().all(|t| vectorizes(&t.value, a) && !t.at.hides(a) && t.at.coefficient(a) != 0);
    let store_score = |a: Axis| s.stores.iter().map(|t| if t.at.coefficient(a) == 1 { 4 } else { -6 }).sum::<i64>();
    let size = |a: Axis| match cx.typical(&s.extents[a]) {
        0..=1 => -100,
        2..=3 => -8,
        4..=7 => -3,
        8..=15 => 0,
        _ => 3,
    };
    match &s.fold {
        None => {
            let values: Vec<&Arc<Value>> = s.stores.iter().map(|t| &t.value).collect();
            for a in from..s.rank {
                if stores_vectorize(a) {
                    consider(score(&values, a) + store_score(a) + size(a), Lanes::Results(a));
                }
            }
        }
        Some(f) => {
            let terms: Vec<&Arc<Value>> = match &f.term {
                Term::Value(v) => vec![v],
                Term::Product(a, b) => vec![a, b],
            };
            let float =
                f.acc == DType::F32 && matches!(f.monoid, Monoid::Sum | Monoid::Prod | Monoid::Max | Monoid::Min);
            let int = f.acc == DType::I32 && matches!(f.monoid, Monoid::Sum | Monoid::Max | Monoid::Min);
            let free = |a: Axis| f.when.iter().all(|w| !w.index.mentions(a));
            let fits = |a: Axis| free(a) && terms.iter().all(|v| vectorizes(v, a));
            if float || int {
                for a in from..s.rank {
                    if fits(a) && stores_vectorize(a) {
                        consider(2 * score(&terms, a) + store_score(a) + size(a), Lanes::Results(a));
                    }
                }
            }
            if float {
                for a in s.rank..s.extents.len() {
                    if fits(a) {
                        consider(2 * score(&terms, a) + 1 + size(a), Lanes::Partial(a));
                    }
                }
            }
        }
    }
    best.1
}

/// Emits the loops over the axes from `from` on; with `range`, axis 0 is the lane axis and runs over that range.
fn stage(em: &mut Emitter<'_>, s: &Stage, from: Axis, range: Option<(E, E)>) {
    if range.is_some() {
        em.bind = vec![E::int(0); s.extents.len()];
        em.extents.clone_from(&s.extents);
    }
    let lanes = choose(s, from, em.cx);
    let lane = match lanes {
        Lanes::Results(a) => Some(a),
        Lanes::Partial(_) | Lanes::None => None,
    };
    let outer: Vec<Axis> = (from..s.rank).filter(|a| Some(*a) != lane).collect();
    nest(em, s, &outer, lanes, range);
}

/// All values of the stage whose parts may be computed outside of loops.
fn hoist(em: &mut Emitter<'_>, s: &Stage, inner: &[Axis]) {
    let mut inner = inner.to_vec();
    inner.extend(s.rank..s.extents.len());
    for v in s.values() {
        em.hoist(v, &inner);
    }
}

fn nest(em: &mut Emitter<'_>, s: &Stage, outer: &[Axis], lanes: Lanes, range: Option<(E, E)>) {
    let mut inner = outer.to_vec();
    if let Lanes::Results(a) = lanes {
        inner.push(a);
    }
    hoist(em, s, &inner);
    if let Some((first, rest)) = outer.split_first() {
        let var = em.fresh("i");
        em.for_loop(&var.clone(), E::int(0), E::Int(s.extents[*first].clone()), 1, |em| {
            em.bind[*first] = E::Var(var);
            nest(em, s, rest, lanes, range);
        });
        return;
    }
    match lanes {
        Lanes::Results(axis) => results(em, s, axis, range),
        Lanes::Partial(axis) => {
            let f = s.fold.as_ref().expect("invariant: partial lanes fold");
            let acc = partial(em, s, f, axis);
            em.acc = Some(acc);
            em.forget();
            for t in &s.stores {
                em.store_scalar(t);
            }
            em.acc = None;
        }
        Lanes::None => {
            if let Some(f) = &s.fold {
                let acc = scalar_fold(em, s, f);
                em.acc = Some(acc);
                em.forget();
            }
            for t in &s.stores {
                em.store_scalar(t);
            }
            em.acc = None;
        }
    }
}

/// Lanes are results.
fn results(em: &mut Emitter<'_>, s: &Stage, axis: Axis, range: Option<(E, E)>) {
    let w = em.cx.target.lanes;
    let var = em.fresh("l");
    let extent = &s.extents[axis];
    // A fold waits for its accumulator; several side by side hide that.
    let chains = if s.fold.is_some() && em.cx.typical(extent) >= CHAINS * w { CHAINS } else { 1 };
    let one = |em: &mut Emitter<'_>, base: E, chains: i64, part: Option<E>| {
        em.bind[axis] = base.clone();
        em.lane = Some(Lane { axis, part });
        if let Some(f) = &s.fold {
            let accs: Vec<String> = (0..chains).map(|_| em.fresh("acc")).collect();
            let ty = Ty::vector(f.acc);
            for a in &accs {
                em.push(S::Var {
                    name: a.clone(),
                    ty,
                    value: Some(E::Splat(Box::new(E::Lit(identity(f.monoid, f.acc))), f.acc)),
                });
            }
            let folded: Vec<Axis> = (s.rank..s.extents.len()).collect();
            fold_loops(em, s, f, &folded, &mut |em| {
                for (j, a) in accs.iter().enumerate() {
                    em.open();
                    em.bind[axis] = base.clone().plus(j as i64 * w);
                    accumulate(em, f, a, ty, true);
                    let block = em.close();
                    em.push(S::Block(block));
                }
            });
            for (j, a) in accs.iter().enumerate() {
                em.open();
                em.bind[axis] = base.clone().plus(j as i64 * w);
                em.acc = Some(E::Var(a.clone()));
                for t in &s.stores {
                    em.store_vector(t);
                }
                em.acc = None;
                let block = em.close();
                em.push(S::Block(block));
            }
        } else {
            for t in &s.stores {
                em.store_vector(t);
            }
        }
        em.lane = None;
    };
    let whole = Dim::from(w);
    let vectors = |n: &Dim| n.floor_div(&whole) * w;
    let end = vectors(extent);
    let tail = extent - &end;
    if let Some((from, to)) = range {
        let last = if tail == 0 { to.clone() } else { to.clone().plus(1 - w) };
        em.for_loop(&var.clone(), from, last, w, |em| one(em, E::Var(var), 1, None));
        if tail != 0 {
            // Only the last tile has a tail.
            em.open();
            one(em, E::Int(end), 1, Some(E::Int(tail.clone())));
            let then = em.close();
            let mut cond = Vec::new();
            if to.as_int().is_none() {
                cond.push(E::Within { index: Box::new(to), lo: Some(extent.clone()), hi: None, step: 1 });
            }
            if tail.as_const().is_none() {
                cond.push(present(tail));
            }
            em.push(S::If { cond: E::All(cond), then, otherwise: Vec::new() });
        }
        return;
    }
    let mut at = Dim::ZERO;
    if chains > 1 {
        at = extent.floor_div(&Dim::from(chains * w)) * (chains * w);
        em.for_loop(&var, E::int(0), E::Int(at.clone()), chains * w, |em| one(em, E::var(&var), chains, None));
    }
    let left = &end - &at;
    if left == w {
        em.open();
        one(em, E::Int(at), 1, None);
        let block = em.close();
        em.push(S::Block(block));
    } else if left != 0 {
        em.for_loop(&var, E::Int(at), E::Int(end.clone()), w, |em| one(em, E::var(&var), 1, None));
    }
    when_present(em, &tail, |em| one(em, E::Int(end), 1, Some(E::Int(tail.clone()))));
}

/// `n > 0`.
fn present(n: Dim) -> E {
    E::Within { index: Box::new(E::Int(n)), lo: Some(Dim::ONE), hi: None, step: 1 }
}

/// What `body` writes, in a block of its own, where there is a rest of `n`: known now, or tested when it runs.
fn when_present(em: &mut Emitter<'_>, n: &Dim, body: impl FnOnce(&mut Emitter<'_>)) {
    if *n == 0 {
        return;
    }
    em.open();
    body(em);
    let then = em.close();
    em.push(match n.as_const() {
        Some(_) => S::Block(then),
        None => S::If { cond: present(n.clone()), then, otherwise: Vec::new() },
    });
}

/// The loops over folded axes, with the conditions around the body.
fn fold_loops(em: &mut Emitter<'_>, s: &Stage, f: &Fold, axes: &[Axis], body: &mut dyn FnMut(&mut Emitter<'_>)) {
    if let Some((first, rest)) = axes.split_first() {
        let var = em.fresh("k");
        em.for_loop(&var.clone(), E::int(0), E::Int(s.extents[*first].clone()), 1, |em| {
            em.bind[*first] = E::Var(var);
            fold_loops(em, s, f, rest, body);
        });
    } else if f.when.is_empty() {
        body(em);
    } else {
        let cond = em.condition(&f.when);
        em.open();
        body(em);
        let then = em.close();
        em.push(S::If { cond, then, otherwise: Vec::new() });
    }
}

/// One more term into an accumulator.
fn accumulate(em: &mut Emitter<'_>, f: &Fold, acc: &str, ty: Ty, vector: bool) {
    let value = |em: &mut Emitter<'_>, v: &Arc<Value>| if vector { em.vector(v) } else { em.scalar(v) };
    match &f.term {
        Term::Product(a, b) => {
            let (a, b) = (value(em, a), value(em, b));
            if matches!(ty.dtype, DType::F32 | DType::F64) {
                em.push(S::MulAdd { acc: acc.to_owned(), a, b });
            } else {
                let product = E::Map { f: Scalar::Mul, args: vec![a, b], from: ty.dtype, to: ty };
                let value = E::Combine(Monoid::Sum, ty, Box::new(E::var(acc)), Box::new(product));
                em.push(S::Set { name: acc.to_owned(), value });
            }
        }
        Term::Value(v) => {
            let v = value(em, v);
            let value = E::Combine(f.monoid, ty, Box::new(E::var(acc)), Box::new(v));
            em.push(S::Set { name: acc.to_owned(), value });
        }
    }
}

/// Lanes are partial folds; gives the whole fold as an element.
fn partial(em: &mut Emitter<'_>, s: &Stage, f: &Fold, axis: Axis) -> E {
    let w = em.cx.target.lanes;
    let extent = &s.extents[axis];
    let ty = Ty::vector(f.acc);
    let chains = if em.cx.typical(extent) >= 2 * CHAINS * w { CHAINS } else { 1 };
    let unit = identity(f.monoid, f.acc);
    let accs: Vec<String> = (0..chains).map(|_| em.fresh("acc")).collect();
    for a in &accs {
        em.push(S::Var { name: a.clone(), ty, value: Some(E::Splat(Box::new(E::Lit(unit)), f.acc)) });
    }
    let others: Vec<Axis> = (s.rank..s.extents.len()).filter(|a| *a != axis).collect();
    fold_loops(em, s, f, &others, &mut |em| {
        let lane = |part| Some(Lane { axis, part });
        let var = em.fresh("l");
        let run = |em: &mut Emitter<'_>, base: E, n: usize| {
            for (j, a) in accs.iter().take(n).enumerate() {
                em.open();
                em.bind[axis] = base.clone().plus(j as i64 * w);
                em.lane = lane(None);
                accumulate(em, f, a, ty, true);
                let block = em.close();
                em.push(S::Block(block));
            }
            em.lane = None;
        };
        let step = chains * w;
        let at = extent.floor_div(&step.into()) * step;
        if at != 0 {
            em.for_loop(&var, E::int(0), E::Int(at.clone()), step, |em| run(em, E::var(&var), chains as usize));
        }
        let end = extent.floor_div(&w.into()) * w;
        if end != at {
            em.for_loop(&var, E::Int(at), E::Int(end.clone()), w, |em| run(em, E::var(&var), 1));
        }
        let tail = extent - &end;
        when_present(em, &tail, |em| {
            let part = E::Int(tail.clone());
            em.bind[axis] = E::Int(end);
            em.lane = lane(Some(part.clone()));
            let term = match &f.term {
                Term::Value(v) => em.vector(v),
                Term::Product(a, b) => {
                    let (a, b) = (em.vector(a), em.vector(b));
                    E::Map { f: Scalar::Mul, args: vec![a, b], from: f.acc, to: ty }
                }
            };
            em.lane = None;
            let value = E::Blend { n: Box::new(part), value: Box::new(term), other: unit };
            let value = E::Combine(f.monoid, ty, Box::new(E::var(&accs[0])), Box::new(value));
            em.push(S::Set { name: accs[0].clone(), value });
        });
    });
    let mut names = accs;
    while names.len() > 1 {
        let b = names.pop().unwrap_or_default();
        let into = names.len() / 2;
        let value = E::Combine(f.monoid, ty, Box::new(E::var(&names[into])), Box::new(E::Var(b)));
        em.push(S::Set { name: names[into].clone(), value });
    }
    let name = em.fresh("fold");
    em.push(S::Let {
        name: name.clone(),
        ty: Ty::scalar(f.acc),
        value: E::Across(f.monoid, Box::new(E::var(&names[0]))),
    });
    E::Var(name)
}

/// One element at a time; gives the fold as an element (the position, for an arg monoid).
fn scalar_fold(em: &mut Emitter<'_>, s: &Stage, f: &Fold) -> E {
    let folded: Vec<Axis> = (s.rank..s.extents.len()).collect();
    let acc = em.fresh("acc");
    let ty = Ty::scalar(f.acc);
    if f.monoid.is_arg() {
        let at = em.fresh("at");
        let seen = em.fresh("position");
        em.push(S::Var { name: acc.clone(), ty, value: Some(E::Lit(Literal::from_i64(f.acc, 0))) });
        em.push(S::Var { name: at.clone(), ty: Ty::scalar(DType::I64), value: Some(E::Lit(Literal::i64(-1))) });
        let Term::Value(v) = &f.term else { unreachable!("invariant: arg folds have one operand") };
        fold_loops(em, s, f, &folded, &mut |em| {
            let value = em.scalar(v);
            let mut position = E::int(0);
            for a in &folded {
                position = position.times(&s.extents[*a]).add(em.bind[*a].clone());
            }
            em.push(S::Let { name: seen.clone(), ty: Ty::scalar(DType::I64), value: E::Element(Box::new(position)) });
            // The best so far is taken over by a better value, by the first one, and by the first NaN.
            let better = E::Combine(f.monoid, ty, Box::new(E::var(&acc)), Box::new(value.clone()));
            let first = E::Map {
                f: Scalar::Lt,
                args: vec![E::var(&at), E::Lit(Literal::i64(0))],
                from: DType::I64,
                to: Ty::scalar(DType::Bool),
            };
            let take =
                E::Map { f: Scalar::Or, args: vec![first, better], from: DType::Bool, to: Ty::scalar(DType::Bool) };
            em.push(S::If {
                cond: take,
                then: vec![S::Set { name: acc.clone(), value }, S::Set { name: at.clone(), value: E::var(&seen) }],
                otherwise: Vec::new(),
            });
        });
        return E::Var(at);
    }
    em.push(S::Var { name: acc.clone(), ty, value: Some(E::Lit(identity(f.monoid, f.acc))) });
    fold_loops(em, s, f, &folded, &mut |em| accumulate(em, f, &acc, ty, false));
    E::Var(acc)
}

/// The monoid's value of nothing.
pub fn identity(m: Monoid, d: DType) -> Literal {
    let limit = |least: bool| match d {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => {
            Literal::from_f64(d, if least { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        DType::Bool => Literal::bool(!least),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Literal::from_bits(d, if least { 0 } else { u64::MAX }),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            let top = 1u64 << (8 * d.size() - 1);
            Literal::from_bits(d, if least { top } else { top - 1 })
        }
    };
    match m {
        Monoid::Sum => Literal::from_i64(d, 0),
        Monoid::Prod => Literal::from_i64(d, 1),
        Monoid::Max => limit(true),
        Monoid::Min => limit(false),
        Monoid::And => Literal::from_bits(d, if d == DType::Bool { 1 } else { u64::MAX }),
        Monoid::Or => Literal::from_bits(d, 0),
        Monoid::ArgMaxFirst | Monoid::ArgMaxLast | Monoid::ArgMinFirst | Monoid::ArgMinLast => Literal::from_i64(d, 0),
    }
}
