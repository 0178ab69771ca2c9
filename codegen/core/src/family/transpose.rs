//! Transposes: one f32 tensor copied with its innermost axes exchanged, square by square in registers.

use egret_ir::Dim;
use egret_ir::dtype::DType;

use crate::affine::Axis;
use crate::emit::Emitter;
use crate::loops::{Arg, E, Function, S};
use crate::schedule::{Primitive, Schedule};
use crate::stage::{SlotInfo, Stage};
use crate::target::Context;
use crate::value::Value;

/// The function, if the stage is a transpose: some axis runs along the operand and another along the result.
pub fn emit(s: &Stage, slots: &[SlotInfo], cx: &Context<'_>) -> Option<Vec<Function>> {
    let [store] = s.stores.as_slice() else { return None };
    if s.fold.is_some() || slots[store.slot.0].dtype != DType::F32 {
        return None;
    }
    let mut sched = Schedule::new(s.clone());
    sched.simplify(0);
    let stage = sched.stage.clone();
    let store = &stage.stores[0];
    let Value::Load { slot, at, dtype: DType::F32 } = &*store.value else { return None };
    if !at.is_linear() || !store.at.is_linear() {
        return None;
    }
    let find = |run: &crate::affine::Affine, other: &crate::affine::Affine| -> Option<Axis> {
        (0..stage.rank).find(|a| run.coefficient(*a) == 1 && other.coefficient(*a).as_const().is_none_or(|c| c > 1))
    };
    let (along_in, along_out) = (find(at, &store.at)?, find(&store.at, at)?);
    let (n_in, n_out, w) = (&stage.extents[along_in], &stage.extents[along_out], cx.target.lanes);
    if along_in == along_out || cx.typical(n_in) < 4 || cx.typical(n_out) < 4 {
        return None;
    }
    let outer: Vec<Axis> = (0..stage.rank).filter(|a| *a != along_in && *a != along_out).collect();
    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); stage.rank];
    em.extents.clone_from(&stage.extents);
    // A tile is one point of the outer axes and one strip of squares.
    let strips = n_out.ceil_div(&w.into());
    let strips = em.name("strips", strips);
    let tiles = em.claim(E::var("tile").div(&strips), &outer) * em.resolved(&strips);
    let first = E::var("tile").rem(strips).times(w);
    em.bind[along_out] = first.clone();
    let min = |left: E, total: &Dim| if total.quotient(&w.into()).is_some() { E::int(w) } else { left.min(E::int(w)) };
    let rows = min(first.times(-1).plus(n_out), n_out);
    em.for_loop("j", E::int(0), E::int(n_in), w, |em| {
        em.bind[along_in] = E::var("j");
        let cols = min(E::var("j").times(-1).plus(n_in), n_in);
        let source = em.pointer(*slot, false);
        let from = em.index(at);
        let into = em.pointer(store.slot, true);
        let to = em.index(&store.at);
        em.push(S::Call {
            name: "vf_transpose_block",
            args: vec![
                Arg::Pointer(source, from),
                Arg::Value(E::Int(at.coefficient(along_out))),
                Arg::Value(rows),
                Arg::Pointer(into, to),
                Arg::Value(E::Int(store.at.coefficient(along_in))),
                Arg::Value(cols),
            ],
        });
    });
    sched.mark(Primitive::Unroll(along_in, w));
    sched.mark(Primitive::Vectorize(along_out));
    let (body, params) = em.finish();
    Some(vec![Function {
        notes: vec![format!("{} | {}", stage.note, sched.text())],
        params,
        tiles,
        scratch: Dim::ZERO,
        body,
    }])
}
