//! Runtime kernels: steps with an algorithm of their own instead of a loop nest.

pub mod resize;
mod sample;

use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::op::ScatterOp;
use egret_ir::op::call::{Cell, Recurrent};

use crate::affine::Affine;
use crate::value::{Slot, Value};

/// A runtime kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Native {
    /// Updates written into `slot`, which holds the data already, in row-major order of the updates.
    Scatter {
        /// What an update does.
        op: ScatterOp,
        /// Result.
        slot: Slot,
        /// Extents of the updates.
        extents: Vec<Dim>,
        /// Position in the result of an update, over the updates' axes.
        at: Affine,
        /// The update.
        value: Arc<Value>,
        /// What it computes.
        note: String,
    },
    /// Stable sort along an axis, giving positions (i64).
    Sort {
        /// Result.
        slot: Slot,
        /// What is sorted, over the operand's axes.
        value: Arc<Value>,
        /// Extents of the operand.
        extents: Vec<Dim>,
        /// Sorted axis.
        axis: usize,
        /// Largest first.
        descending: bool,
        /// Extent of the result's axis.
        keep: Dim,
        /// What it computes.
        note: String,
    },
    /// Determinants of the matrices in the last two axes.
    Det {
        /// Result.
        slot: Slot,
        /// The matrices, over the operand's axes.
        value: Arc<Value>,
        /// Extents of the operand.
        extents: Vec<Dim>,
        /// What it computes.
        note: String,
    },
    /// Non-maximum suppression over f32.
    Suppress {
        /// Boxes `[B, N, 4]`, scores `[B, C, N]`, most boxes of a class, share of the union, score threshold.
        operands: [Slot; 5],
        /// Rows of what is taken, and their number.
        results: [Slot; 2],
        /// B, C, N.
        extents: [Dim; 3],
        /// Most boxes of a class, whatever the operand says.
        keep: Dim,
        /// Boxes are centers and sizes instead of corners.
        center_point: bool,
        /// What it computes.
        note: String,
    },
    /// LSTM, GRU or RNN over f32.
    Recurrent {
        /// The recurrence.
        call: Recurrent,
        /// T.
        time: Dim,
        /// B.
        batch: Dim,
        /// I.
        input: Dim,
        /// Operands and results.
        slots: RecurrentSlots,
        /// What it computes.
        note: String,
    },
}

/// Operands and results of a recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of ONNX LSTM")]
pub struct RecurrentSlots {
    pub x: Slot,
    pub w: Slot,
    pub r: Slot,
    pub b: Option<Slot>,
    pub lengths: Option<Slot>,
    pub initial_h: Option<Slot>,
    pub initial_c: Option<Slot>,
    pub p: Option<Slot>,
    pub y: Slot,
    pub y_h: Slot,
    pub y_c: Option<Slot>,
}

impl RecurrentSlots {
    /// From operands and results in their order.
    pub fn new(call: &Recurrent, args: &[Slot], outs: &[Slot]) -> Self {
        let mut rest = args[3..].iter().copied();
        let o = call.operands;
        let mut next = |given: bool| if given { rest.next() } else { None };
        let (b, lengths, initial_h, initial_c, p) =
            (next(o.bias), next(o.lengths), next(o.initial_h), next(o.initial_c), next(o.peephole));
        Self {
            x: args[0],
            w: args[1],
            r: args[2],
            b,
            lengths,
            initial_h,
            initial_c,
            p,
            y: outs[0],
            y_h: outs[1],
            y_c: if call.cell == Cell::Lstm { outs.get(2).copied() } else { None },
        }
    }

    /// Operands given.
    pub fn reads(&self) -> Vec<Slot> {
        [Some(self.x), Some(self.w), Some(self.r), self.b, self.lengths, self.initial_h, self.initial_c, self.p]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Results.
    pub fn writes(&self) -> Vec<Slot> {
        [Some(self.y), Some(self.y_h), self.y_c].into_iter().flatten().collect()
    }
}
