//! Gathers drawn for a result shape: one axis read at constant indices, a run of them more often than not.

use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{GatherSpec, Negative};
use egret_ir::{DType, Dim, Literal, Tensor};

use super::{Draw, Extents, Want};
use crate::lang::{NodePat, Pat, Sample};

impl Draw<'_> {
    /// A Gather whose index operand is a variable; None where extents are unknown, since indices are numbers.
    pub(super) fn gather(&mut self, n: &NodePat, args: &[(&Pat, usize)], want: &Want, at: usize) -> Option<()> {
        let [(data, _), (Pat::Var(index), _)] = args else { return None };
        if self.extents == Extents::Symbols {
            return None;
        }
        let rank = want.shape.len();
        let indices = self.pick.below(rank.min(2) + 1);
        let axis = self.pick.below(rank - indices + 1);
        let picked = want.shape.get(axis..axis + indices)?.to_vec();
        let count = egret_ir::dim::count(&picked).as_const()?;
        let cells = 1 + self.pick.below(8) as i64;
        let negative = if self.pick.once_in(2) { Negative::Wraps } else { Negative::Never };
        let (start, step) = (self.pick.below(cells as usize) as i64, self.pick.below(5) as i64 - 2);
        let (runs, wraps) = (!self.pick.once_in(4), negative == Negative::Wraps && self.pick.once_in(3));
        let mut bytes = Vec::new();
        for i in 0..count {
            let v = if runs { start + step * i } else { self.pick.below(cells as usize) as i64 };
            // What lies outside has no value.
            (0..cells).contains(&v).then_some(())?;
            bytes.extend(Literal::i64(if wraps { v - cells } else { v }).to_le_bytes());
        }
        let values = Tensor::new(DType::I64, egret_ir::dim::as_static(&picked)?, bytes).ok()?;
        self.attr(&n.attrs[0], at, |_| {
            GatherSpec::along(rank + 1 - indices, axis, indices, negative).ok().map(Attr::Gather)
        })?;
        self.bind(*index, at, Sample::Values(values));
        let mut shape = want.shape.clone();
        shape.splice(axis..axis + indices, [Dim::from(cells)]);
        self.pattern(data, &want.with(shape), at)
    }
}
