//! Runtime kernels as functions: scatter, sort, recurrences.

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::ScatterOp;
use egret_ir::op::call::{Activation, Cell, Direction, Recurrent};
use egret_ir::op::scalar::Scalar;

use crate::affine::Affine;
use crate::emit::Emitter;
use crate::loops::{Arg, Base, E, Function, S, Ty};
use crate::native::{Native, RecurrentSlots};
use crate::stage::SlotInfo;
use crate::target::Context;
use crate::value::{Slot, Value};

/// Slots a runtime kernel reads.
pub fn reads(n: &Native) -> Vec<Slot> {
    let mut out = Vec::new();
    let mut add = |v: &std::sync::Arc<Value>| {
        v.visit(&mut |v| {
            if let Value::Load { slot, .. } = &**v {
                out.push(*slot);
            }
        });
    };
    match n {
        Native::Scatter { at, value, slot, .. } => {
            add(value);
            add(&std::sync::Arc::new(Value::Index(at.clone())));
            out.push(*slot);
        }
        Native::Sort { value, .. } | Native::Det { value, .. } => add(value),
        Native::Suppress { operands, .. } => out.extend(operands),
        Native::Recurrent { slots, .. } => out.extend(slots.reads()),
    }
    out
}

/// The function of a runtime kernel.
pub fn emit(n: &Native, slots: &[SlotInfo], cx: &Context<'_>) -> Function {
    match n {
        Native::Scatter { op, slot, extents, at, value, note } => {
            scatter(*op, *slot, extents, at, value, note, slots, cx)
        }
        Native::Sort { slot, value, extents, axis, descending, keep, note } => {
            sort(*slot, value, extents, *axis, *descending, keep, note, slots, cx)
        }
        Native::Det { slot, value, extents, note } => det(*slot, value, extents, note, slots, cx),
        Native::Suppress { operands, results, extents, keep, center_point, note } => {
            suppress(operands, results, extents, keep, *center_point, note, slots, cx)
        }
        Native::Recurrent { call, time, batch, input, slots: s, note } => {
            recurrent(call, time, batch, input, s, note, slots, cx)
        }
    }
}

/// One thread, row-major over the updates: the last of several updates of an element wins.
#[expect(clippy::too_many_arguments, reason = "the fields of one step")]
fn scatter(
    op: ScatterOp,
    slot: Slot,
    extents: &[Dim],
    at: &Affine,
    value: &std::sync::Arc<Value>,
    note: &str,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    fn loops(em: &mut Emitter<'_>, axis: usize, body: &mut dyn FnMut(&mut Emitter<'_>)) {
        if axis == em.extents.len() {
            body(em);
            return;
        }
        let var = em.fresh("i");
        let extent = E::Int(em.extents[axis].clone());
        em.for_loop(&var.clone(), E::int(0), extent, 1, |em| {
            em.bind[axis] = E::Var(var);
            loops(em, axis + 1, body);
        });
    }
    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); extents.len()];
    em.extents = extents.to_vec();
    let dtype = slots[slot.0].dtype;
    loops(&mut em, 0, &mut |em| {
        let new = em.scalar(value);
        let index = em.index(at);
        let base = em.pointer(slot, true);
        let old = E::Load { base: base.clone(), index: Box::new(index.clone()), dtype };
        let combine = |f| E::Map { f, args: vec![old.clone(), new.clone()], from: dtype, to: Ty::scalar(dtype) };
        let value = match op {
            ScatterOp::Set => new.clone(),
            ScatterOp::Add => combine(Scalar::Add),
            ScatterOp::Mul => combine(Scalar::Mul),
            ScatterOp::Max => combine(Scalar::Max),
            ScatterOp::Min => combine(Scalar::Min),
        };
        em.push(S::Store { base, index, dtype, value });
    });
    let (body, params) = em.finish();
    Function { notes: vec![note.to_owned()], params, tiles: Dim::ONE, scratch: Dim::ZERO, body }
}

/// Each line along the axis is one tile: gathered into scratch and sorted by position there.
#[expect(clippy::too_many_arguments, reason = "the fields of one step")]
fn sort(
    slot: Slot,
    value: &std::sync::Arc<Value>,
    extents: &[Dim],
    axis: usize,
    descending: bool,
    keep: &Dim,
    note: &str,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    let n = &extents[axis];
    let dtype = value.dtype();
    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); extents.len()];
    em.extents = extents.to_vec();
    let lines: Vec<usize> = (0..extents.len()).filter(|a| *a != axis).collect();
    let tiles = em.claim(E::var("tile"), &lines);
    // The line, then room for its positions twice.
    let positions = (n * dtype.size()).ceil_div(&64.into()) * 64;
    let scratch = &positions + n * 2 * DType::I64.size();
    for (name, at, dtype) in [("line", Dim::ZERO, dtype), ("order", positions, DType::I64)] {
        em.push(S::Pointer { name: name.into(), base: Base::Scratch(at), index: E::int(0), dtype, writes: true });
    }
    em.for_loop("k", E::int(0), E::int(n), 1, |em| {
        em.bind[axis] = E::var("k");
        let value = em.scalar(value);
        em.push(S::Store { base: "line".into(), index: E::var("k"), dtype, value });
    });
    em.push(S::Call {
        name: sorter(dtype),
        args: vec![
            Arg::Pointer("line".into(), E::int(0)),
            Arg::Value(E::int(n)),
            Arg::Value(E::int(i64::from(descending))),
            Arg::Pointer("order".into(), E::int(0)),
        ],
    });
    let axes: Vec<Affine> = (0..extents.len()).map(Affine::axis).collect();
    let mut shape = extents.to_vec();
    shape[axis] = keep.clone();
    let flat = Affine::flatten(&axes, &shape);
    em.for_loop("k", E::int(0), E::int(keep), 1, |em| {
        em.bind[axis] = E::var("k");
        let index = em.index(&flat);
        let base = em.pointer(slot, true);
        let value = E::Load { base: "order".into(), index: Box::new(E::var("k")), dtype: DType::I64 };
        em.push(S::Store { base, index, dtype: DType::I64, value });
    });
    let (body, params) = em.finish();
    Function { notes: vec![note.to_owned()], params, tiles, scratch, body }
}

/// The prelude's sorting function of an element type.
fn sorter(d: DType) -> &'static str {
    match d {
        DType::F16 => "eg_sort_f16",
        DType::BF16 => "eg_sort_bf16",
        DType::F32 => "eg_sort_f32",
        DType::F64 => "eg_sort_f64",
        DType::I8 => "eg_sort_i8",
        DType::I16 => "eg_sort_i16",
        DType::I32 => "eg_sort_i32",
        DType::I64 => "eg_sort_i64",
        DType::U8 => "eg_sort_u8",
        DType::U16 => "eg_sort_u16",
        DType::U32 => "eg_sort_u32",
        DType::U64 => "eg_sort_u64",
        DType::Bool => "eg_sort_bool",
    }
}

fn activation(a: &Activation) -> (&'static str, Literal, Literal) {
    let zero = Literal::f32(0.0);
    match a {
        Activation::Relu => ("EG_RELU", zero, zero),
        Activation::Tanh => ("EG_TANH", zero, zero),
        Activation::Sigmoid => ("EG_SIGMOID", zero, zero),
        Activation::Affine(a, b) => ("EG_AFFINE", *a, *b),
        Activation::LeakyRelu(a) => ("EG_LEAKY_RELU", *a, zero),
        Activation::ThresholdedRelu(a) => ("EG_THRESHOLDED_RELU", *a, zero),
        Activation::ScaledTanh(a, b) => ("EG_SCALED_TANH", *a, *b),
        Activation::HardSigmoid(a, b) => ("EG_HARD_SIGMOID", *a, *b),
        Activation::Elu(a) => ("EG_ELU", *a, zero),
        Activation::Softsign => ("EG_SOFTSIGN", zero, zero),
        Activation::Softplus => ("EG_SOFTPLUS", zero, zero),
    }
}

/// Each matrix is one tile: gathered into scratch, in f32 (f64 for f64), and eliminated there.
fn det(
    slot: Slot,
    value: &std::sync::Arc<Value>,
    extents: &[Dim],
    note: &str,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    let lead = extents.len() - 2;
    let n = &extents[lead];
    let (work, name) =
        if value.dtype() == DType::F64 { (DType::F64, "eg_det_f64") } else { (DType::F32, "eg_det_f32") };
    let mut em = Emitter::new(slots, cx);
    em.bind = vec![E::int(0); extents.len()];
    em.extents = extents.to_vec();
    let tiles = em.claim(E::var("tile"), &(0..lead).collect::<Vec<_>>());
    let after = (n * n * work.size()).ceil_div(&64.into()) * 64;
    for (name, at) in [("matrix", Dim::ZERO), ("result", after.clone())] {
        em.push(S::Pointer { name: name.into(), base: Base::Scratch(at), index: E::int(0), dtype: work, writes: true });
    }
    em.for_loop("i", E::int(0), E::int(n), 1, |em| {
        em.bind[lead] = E::var("i");
        em.for_loop("k", E::int(0), E::int(n), 1, |em| {
            em.bind[lead + 1] = E::var("k");
            let value = em.scalar(value);
            let index = E::var("i").times(n).add(E::var("k"));
            em.push(S::Store { base: "matrix".into(), index, dtype: work, value });
        });
    });
    let pointer = |name: &str| Arg::Pointer(name.into(), E::int(0));
    em.push(S::Call { name, args: vec![pointer("matrix"), Arg::Value(E::int(n)), pointer("result")] });
    let base = em.pointer(slot, true);
    let value = E::Load { base: "result".into(), index: Box::new(E::int(0)), dtype: work };
    em.push(S::Store { base, index: E::var("tile"), dtype: slots[slot.0].dtype, value });
    let (body, params) = em.finish();
    Function { notes: vec![note.to_owned()], params, tiles, scratch: after + 64, body }
}

/// One thread: which boxes are taken depends on those before.
#[expect(clippy::too_many_arguments, reason = "the fields of one step")]
fn suppress(
    operands: &[Slot; 5],
    results: &[Slot; 2],
    extents: &[Dim; 3],
    keep: &Dim,
    center_point: bool,
    note: &str,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    let [batch, classes, count] = extents;
    let mut em = Emitter::new(slots, cx);
    let [boxes, scores, most, share, threshold] = operands.map(|s| em.pointer(s, false));
    let [rows, found] = results.map(|s| em.pointer(s, true));
    let positions = ((count * 2 + keep) * DType::I64.size()).ceil_div(&64.into()) * 64;
    for (name, at, dtype) in [("order", Dim::ZERO, DType::I64), ("work", positions.clone(), DType::F32)] {
        em.push(S::Pointer { name: name.into(), base: Base::Scratch(at), index: E::int(0), dtype, writes: true });
    }
    let pointer = |name: String| Arg::Pointer(name, E::int(0));
    let number = |base: String, dtype| Arg::Value(E::Load { base, index: Box::new(E::int(0)), dtype });
    let mut args = vec![
        pointer(boxes),
        pointer(scores),
        number(most, DType::I64),
        number(share, DType::F32),
        number(threshold, DType::F32),
    ];
    args.extend([batch, classes, count, keep].map(|d| Arg::Value(E::Int(d.clone()))));
    args.push(Arg::Value(E::int(i64::from(center_point))));
    args.extend([rows, found, "order".to_owned(), "work".to_owned()].map(pointer));
    em.push(S::Call { name: "eg_suppress", args });
    let scratch = positions + count * 16;
    let (body, params) = em.finish();
    Function { notes: vec![note.to_owned()], params, tiles: Dim::ONE, scratch, body }
}

/// One call of the runtime per direction and batch row; they are the tiles.
#[expect(clippy::too_many_arguments, reason = "the fields of one step")]
fn recurrent(
    r: &Recurrent,
    time: &Dim,
    batch: &Dim,
    input: &Dim,
    s: &RecurrentSlots,
    note: &str,
    slots: &[SlotInfo],
    cx: &Context<'_>,
) -> Function {
    let mut em = Emitter::new(slots, cx);
    let (h, g) = (r.hidden, r.cell.gates());
    let dirs = r.direction.count();
    // Tile: direction · batch + row.
    let (dir, row) =
        if dirs == 1 { (E::int(0), E::var("tile")) } else { (E::var("tile").div(batch), E::var("tile").rem(batch)) };
    let pointer = |em: &mut Emitter<'_>, slot: Option<Slot>, at: E, writes: bool| match slot {
        Some(slot) => Arg::Pointer(em.pointer(slot, writes), at),
        None => Arg::Null,
    };
    let name = match r.cell {
        Cell::Lstm => "eg_lstm",
        Cell::Gru => "eg_gru",
        Cell::Rnn => "eg_rnn",
    };
    let int = |i: Dim| Arg::Value(E::Int(i));
    let state = dir.clone().times(batch).add(row.clone()).times(h);
    let mut args = vec![
        int(time.clone()),
        int(input.clone()),
        int(h.into()),
        // Steps between time steps of X and Y.
        int(batch * input),
        int(batch * dirs * h),
        Arg::Value(match r.direction {
            Direction::Forward => E::int(0),
            Direction::Reverse => E::int(1),
            Direction::Bidirectional => dir.clone(),
        }),
    ];
    args.push(pointer(&mut em, Some(s.x), row.clone().times(input), false));
    args.push(pointer(&mut em, Some(s.w), dir.clone().times(input * (g * h)), false));
    args.push(pointer(&mut em, Some(s.r), dir.clone().times(g * h * h), false));
    args.push(pointer(&mut em, s.b, dir.clone().times(2 * g * h), false));
    args.push(pointer(&mut em, s.lengths, row.clone(), false));
    args.push(pointer(&mut em, s.initial_h, state.clone(), false));
    if r.cell == Cell::Lstm {
        args.push(pointer(&mut em, s.initial_c, state.clone(), false));
        args.push(pointer(&mut em, s.p, dir.clone().times(3 * h), false));
    }
    args.push(pointer(&mut em, Some(s.y), state.clone(), true));
    args.push(pointer(&mut em, Some(s.y_h), state.clone(), true));
    if r.cell == Cell::Lstm {
        args.push(pointer(&mut em, s.y_c, state, true));
    }
    em.push(S::Pointer {
        name: "work".into(),
        base: Base::Scratch(Dim::ZERO),
        index: E::int(0),
        dtype: DType::F32,
        writes: true,
    });
    args.push(Arg::Pointer("work".into(), E::int(0)));
    args.push(Arg::Value(E::Lit(r.clip.unwrap_or(Literal::f32(f32::INFINITY)))));
    args.push(int(Dim::from(i64::from(match r.cell {
        Cell::Lstm => r.input_forget,
        Cell::Gru => r.linear_before_reset,
        Cell::Rnn => false,
    }))));
    // Activations of the second direction follow those of the first.
    let per = r.cell.activations();
    let one = |d: usize| {
        let mut args = args.clone();
        for a in r.activations.iter().skip(d * per).take(per) {
            let (name, x, y) = activation(a);
            args.push(Arg::Name(name.to_owned()));
            args.push(Arg::Value(E::Lit(x)));
            args.push(Arg::Value(E::Lit(y)));
        }
        S::Call { name, args }
    };
    let (first, second) = (one(0), one(per_dir(dirs)));
    if first == second || dirs == 1 {
        em.push(first);
    } else {
        let cond = E::Within { index: Box::new(dir), lo: None, hi: Some(Dim::ONE), step: 1 };
        em.push(S::If { cond, then: vec![first], otherwise: vec![second] });
    }
    let scratch = (time * g + (2 * g + 4)) * (h * 4);
    let (body, params) = em.finish();
    Function { notes: vec![note.to_owned()], params, tiles: batch * dirs, scratch, body }
}

/// Index of the second direction's activations; the first's where there is none.
fn per_dir(dirs: i64) -> usize {
    usize::from(dirs == 2)
}
