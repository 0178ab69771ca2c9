//! Constant vector operands, packed at build time.

use egret_ir::Dim;
use egret_ir::dtype::DType;
use egret_ir::tensor::Tensor;

use super::plan::{Operand, Plan, roles};
use crate::affine::{Affine, Axis};
use crate::schedule::balanced;
use crate::stage::{SlotInfo, SlotKind, Stage};
use crate::target::Context;
use crate::value::Slot;

/// The vector operand, packed: `[outer axes][panel][folded axes][lanes of the panel]`, zeros behind the last lane.
pub(super) fn pack(
    s: &Stage,
    operands: &[Operand; 2],
    plan: &Plan,
    slots: &mut Vec<SlotInfo>,
    constant: &dyn Fn(Slot, &[SlotInfo]) -> Option<Tensor>,
    cx: &Context<'_>,
) -> Slot {
    let v = &operands[usize::from(!plan.first_is_vector)];
    let tensor = constant(v.slot, slots).expect("invariant: tables are made of constants");
    let data: Vec<f32> = tensor.to_vec().expect("invariant: contractions here are over f32");
    let r = roles(s, v, plan);
    let w = cx.target.lanes;
    let n = number(&s.extents[plan.lane]);
    let vectors = (n + w - 1) / w;
    let mut packed: Vec<f32> = Vec::with_capacity((data.len() as i64 * vectors * w / n.max(1)) as usize);
    let step = number(&v.at.coefficient(plan.lane));
    each(&r.outer, s, &v.at, number(v.at.offset()), &mut |outer| {
        for t in balanced(&vectors.into(), plan.vectors) {
            for p in 0..number(&t.count) {
                let first = (number(&t.start) + p * t.size) * w;
                each(&r.folded, s, &v.at, outer, &mut |at| {
                    for l in first..first + t.size * w {
                        packed.push(if l < n { data[(at + l * step) as usize] } else { 0.0 });
                    }
                });
            }
        }
    });
    let slot = Slot(slots.len());
    let tensor = Tensor::from_slice([packed.len()], &packed).expect("invariant: as many elements as the shape says");
    slots.push(SlotInfo {
        name: format!("c{}", slots.len()),
        dtype: DType::F32,
        shape: vec![packed.len().into()],
        kind: SlotKind::Table(tensor),
    });
    slot
}

/// The extents and strides of a constant, along its own axes, are numbers ([`super::plan::is_static`]).
fn number(d: &Dim) -> i64 {
    d.as_const().expect("invariant: only operands of static shape are packed")
}

/// Calls `f` with the position of every index of the axes.
fn each(axes: &[Axis], s: &Stage, at: &Affine, base: i64, f: &mut dyn FnMut(i64)) {
    match axes.split_first() {
        None => f(base),
        Some((a, rest)) => {
            let step = number(&at.coefficient(*a));
            for i in 0..number(&s.extents[*a]) {
                each(rest, s, at, base + i * step, f);
            }
        }
    }
}
