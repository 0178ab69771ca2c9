//! Transposes: one f32 tensor copied with its innermost axes exchanged, square by square in registers.

use egret_ir::dtype::DType;

use crate::affine::Axis;
use crate::emit::Emitter;
use crate::loops::{Arg, E, Function, S};
use crate::schedule::{Primitive, Schedule};
use crate::stage::{SlotInfo, Stage};
use crate::target::Target;
use crate::value::Value;

/// The function, if the stage is a transpose: some axis runs along the operand and another along the result.
pub fn emit(s: &Stage, slots: &[SlotInfo], target: &Target) -> Option<Vec<Function>> {
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
        (0..stage.rank).find(|a| run.coefficient(*a) == 1 && other.coefficient(*a) > 1)
    };
    let (along_in, along_out) = (find(at, &store.at)?, find(&store.at, at)?);
    if along_in == along_out || stage.extents[along_in] < 4 || stage.extents[along_out] < 4 {
        return None;
    }
    let (n_in, n_out, w) = (stage.extents[along_in], stage.extents[along_out], target.lanes);
    let outer: Vec<Axis> = (0..stage.rank).filter(|a| *a != along_in && *a != along_out).collect();
    let mut em = Emitter::new(slots, target);
    em.bind = vec![E::Int(0); stage.rank];
    em.extents.clone_from(&stage.extents);
    // A tile is one point of the outer axes and one strip of squares.
    let strips = (n_out + w - 1) / w;
    let mut tiles = strips;
    let mut rest = E::var("tile").div(strips);
    for a in outer.iter().rev() {
        em.bind[*a] = rest.clone().rem(stage.extents[*a]);
        rest = rest.div(stage.extents[*a]);
        tiles *= stage.extents[*a];
    }
    let first = E::var("tile").rem(strips).times(w);
    em.bind[along_out] = first.clone();
    let min = |left: E, n: i64, total: i64| {
        if total % n == 0 { E::Int(n) } else { E::Min(Box::new(left), Box::new(E::Int(n))) }
    };
    let rows = min(first.times(-1).add(E::Int(n_out)), w, n_out);
    em.for_loop("j", E::Int(0), E::Int(n_in), w, |em| {
        em.bind[along_in] = E::var("j");
        let cols = min(E::var("j").times(-1).add(E::Int(n_in)), w, n_in);
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
    Some(vec![Function { notes: vec![format!("{} | {}", stage.note, sched.text())], params, tiles, scratch: 0, body }])
}
