//! Constant vector operands, packed at build time.

use egret_ir::dtype::DType;
use egret_ir::tensor::Tensor;

use super::plan::{Operand, Plan, roles};
use crate::affine::{Affine, Axis};
use crate::schedule::balanced;
use crate::stage::{SlotInfo, SlotKind, Stage};
use crate::target::Target;
use crate::value::Slot;

/// The vector operand, packed: `[outer axes][panel][folded axes][lanes of the panel]`, zeros behind the last lane.
pub(super) fn pack(
    s: &Stage,
    operands: &[Operand; 2],
    plan: &Plan,
    slots: &mut Vec<SlotInfo>,
    constant: &dyn Fn(Slot, &[SlotInfo]) -> Option<Tensor>,
    target: &Target,
) -> Slot {
    let v = &operands[usize::from(!plan.first_is_vector)];
    let tensor = constant(v.slot, slots).expect("invariant: tables are made of constants");
    let data: Vec<f32> = tensor.to_vec().expect("invariant: contractions here are over f32");
    let r = roles(s, v, plan);
    let w = target.lanes;
    let n = s.extents[plan.lane];
    let vectors = (n + w - 1) / w;
    let mut packed: Vec<f32> = Vec::with_capacity((data.len() as i64 * vectors * w / n.max(1)) as usize);
    let step = v.at.coefficient(plan.lane);
    each(&r.outer, s, &v.at, v.at.offset(), &mut |outer| {
        for (start, count, size) in balanced(vectors, plan.vectors) {
            for p in 0..count {
                let first = (start + p * size) * w;
                each(&r.folded, s, &v.at, outer, &mut |at| {
                    for l in first..first + size * w {
                        packed.push(if l < n { data[(at + l * step) as usize] } else { 0.0 });
                    }
                });
            }
        }
    });
    let slot = Slot(slots.len());
    let shape = vec![packed.len()];
    let tensor = Tensor::from_slice(shape.clone(), &packed).expect("invariant: as many elements as the shape says");
    slots.push(SlotInfo {
        name: format!("c{}", slots.len()),
        dtype: DType::F32,
        shape: vec![shape[0] as i64],
        kind: SlotKind::Table(tensor),
    });
    slot
}

/// Calls `f` with the position of every index of the axes.
pub(super) fn each(axes: &[Axis], s: &Stage, at: &Affine, base: i64, f: &mut dyn FnMut(i64)) {
    match axes.split_first() {
        None => f(base),
        Some((a, rest)) => {
            for i in 0..s.extents[*a] {
                each(rest, s, at, base + i * at.coefficient(*a), f);
            }
        }
    }
}
