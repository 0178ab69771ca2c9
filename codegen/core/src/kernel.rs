//! From a kernel to functions: lowering, choice of a family per stage, and grouping of stages that share rows.

use std::collections::BTreeMap;

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::program::Kernel;
use egret_ir::tensor::Tensor;

use crate::affine::Affine;
use crate::error::Unsupported;
use crate::extent::{below, nonnegative};
use crate::family::{contract, native, nest, transpose, window};
use crate::loops::Function;
use crate::lower::lower;
use crate::schedule::Schedule;
use crate::shorten::shorten;
use crate::stage::{SlotInfo, SlotKind, Stage, Step};
use crate::target::{Context, Target};
use crate::value::{Slot, Value};

/// Temporaries of one row are kept in scratch memory up to this many bytes in all.
const LOCAL_BYTES: i64 = 512 << 10;

/// A row must hold at least this much work for rows to be a loop of their own.
const ROW_WORK: i64 = 32;

/// A kernel as functions, to be run one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedKernel {
    /// Tensors.
    pub slots: Vec<SlotInfo>,
    /// Functions, in order.
    pub functions: Vec<Function>,
}

/// Codes a kernel. `constant` gives the contents of the operand of a position, where it is a constant.
pub fn code(
    kernel: &Kernel,
    constant: &dyn Fn(usize) -> Option<Tensor>,
    target: &Target,
) -> Result<CodedKernel, Vec<Unsupported>> {
    let lowered = lower(kernel)?;
    let cx = &Context { target, symbols: &kernel.body.tables.symbols };
    let mut c = Coder { slots: lowered.slots, functions: Vec::new(), constant, cx };
    let mut run: Vec<Stage> = Vec::new();
    let steps = lowered.steps;
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Stage(s) if s.points() == 0 => {}
            Step::Stage(s) => {
                if let Some(functions) = c.special(s) {
                    c.flush(&mut run, &steps[i..]);
                    c.functions.extend(functions);
                } else {
                    run.push(s.clone());
                }
            }
            Step::Native(n) => {
                c.flush(&mut run, &steps[i..]);
                let f = native::emit(n, &c.slots, cx);
                c.functions.push(f);
            }
        }
    }
    c.flush(&mut run, &[]);
    c.functions.iter_mut().for_each(shorten);
    Ok(CodedKernel { slots: c.slots, functions: c.functions })
}

struct Coder<'a> {
    slots: Vec<SlotInfo>,
    functions: Vec<Function>,
    constant: &'a dyn Fn(usize) -> Option<Tensor>,
    cx: &'a Context<'a>,
}

impl Coder<'_> {
    /// The functions of a family other than the general one, where the stage fits it.
    fn special(&mut self, s: &Stage) -> Option<Vec<Function>> {
        let constant = |slot: Slot, slots: &[SlotInfo]| match &slots[slot.0].kind {
            SlotKind::Read(i) => (self.constant)(*i),
            SlotKind::Table(t) => Some(t.clone()),
            SlotKind::Write(_) | SlotKind::Temp => None,
        };
        window::emit(s, &mut self.slots, self.cx)
            .or_else(|| contract::emit(s, &mut self.slots, &constant, self.cx))
            .or_else(|| transpose::emit(s, &self.slots, self.cx))
    }

    /// Emits the stages gathered so far, as few functions as rows allow.
    fn flush(&mut self, run: &mut Vec<Stage>, later: &[Step]) {
        let stages = std::mem::take(run);
        let mut at = 0;
        while at < stages.len() {
            let (count, rows) = self.group(&stages[at..]);
            if rows == 0 {
                let f = alone(&stages[at], &self.slots, self.cx);
                self.functions.push(f);
                at += 1;
                continue;
            }
            let group: Vec<Stage> = stages[at..at + count]
                .iter()
                .map(|s| {
                    let mut s = Schedule::new(s.clone());
                    for _ in 1..rows {
                        s.fuse(0);
                    }
                    s.stage
                })
                .collect();
            let outside: Vec<Slot> = stages[at + count..]
                .iter()
                .flat_map(Stage::reads)
                .chain(later.iter().flat_map(|s| match s {
                    Step::Stage(s) => s.reads(),
                    Step::Native(n) => native::reads(n),
                }))
                .collect();
            // What an earlier function has written a part of must stay where that function put it.
            let before: Vec<Slot> =
                self.functions.iter().flat_map(|f| f.params.iter().filter(|p| p.writes).map(|p| p.slot)).collect();
            let n = &group[0].extents[0];
            let mut locals = BTreeMap::new();
            for s in group.iter().flat_map(|s| &s.stores) {
                if self.slots[s.slot.0].kind == SlotKind::Temp
                    && !outside.contains(&s.slot)
                    && !before.contains(&s.slot)
                {
                    let row = self.slots[s.slot.0].len().quotient(n);
                    locals.insert(s.slot, row.expect("invariant: grouped stages store whole rows"));
                }
            }
            let bytes: i64 =
                locals.iter().map(|(s, len)| self.cx.typical(len) * self.slots[s.0].dtype.size() as i64).sum();
            if bytes > LOCAL_BYTES {
                locals.clear();
            }
            self.functions.push(nest::rows(&group, &locals, &self.slots, self.cx));
            at += count;
        }
    }

    /// How many of the first stages share rows, and how many leading axes make the row; (1, 0) where the first stands alone.
    fn group(&self, stages: &[Stage]) -> (usize, usize) {
        let mut best = (1, 0);
        for count in 2..=stages.len() {
            let group = &stages[..count];
            let common = group[1..].iter().map(|s| common_axes(&group[0], s)).min().unwrap_or(0);
            let Some(rows) = (1..=common).rev().find(|r| self.rows_fit(group, *r)) else { break };
            best = (count, rows);
        }
        best
    }

    /// Whether the first `r` axes can be one loop around all the stages.
    fn rows_fit(&self, group: &[Stage], r: usize) -> bool {
        let extents = &group[0].extents[..r];
        let rows = count(extents);
        let few = self.cx.typical(&rows).max(1);
        let widest = group
            .iter()
            .map(|s| self.cx.typical(&s.points()) / few * self.cx.typical(&s.terms()).max(1))
            .max()
            .unwrap_or(0);
        if self.cx.typical(&rows) < 2 || widest < ROW_WORK {
            return false;
        }
        let written: Vec<Slot> = group.iter().flat_map(|s| s.stores.iter().map(|t| t.slot)).collect();
        group.iter().all(|s| {
            let mut fits = true;
            let mut test = |slot: Slot, at: &Affine| {
                if written.contains(&slot) {
                    let len = self.slots[slot.0].len().quotient(&rows);
                    fits &= len.is_some_and(|len| by_rows(at, extents, &len, &s.extents));
                }
            };
            for t in &s.stores {
                test(t.slot, &t.at);
            }
            for v in s.values() {
                v.visit(&mut |v| {
                    if let Value::Load { slot, at, .. } = &**v {
                        test(*slot, at);
                    }
                });
            }
            fits
        })
    }
}

/// A stage by itself, in the general family.
pub(crate) fn alone(s: &Stage, slots: &[SlotInfo], cx: &Context<'_>) -> Function {
    let mut s = Schedule::new(s.clone());
    s.simplify(0);
    let mut stage = s.stage;
    if stage.rank == 0 {
        // One result: an axis of extent 1 makes it one row.
        let to: Vec<Affine> = (0..stage.extents.len()).map(|a| Affine::axis(a + 1)).collect();
        let extents = std::iter::once(Dim::ONE).chain(stage.extents.iter().cloned()).collect();
        stage = stage.rename(&to, extents, 1);
    }
    nest::rows(&[stage], &BTreeMap::new(), slots, cx)
}

/// Leading stored axes of equal extents.
fn common_axes(a: &Stage, b: &Stage) -> usize {
    let n = a.rank.min(b.rank);
    (0..n).take_while(|i| a.extents[*i] == b.extents[*i]).count()
}

/// Whether the position is `row · len + rest`, rest inside the row.
fn by_rows(at: &Affine, rows: &[Dim], len: &Dim, extents: &[Dim]) -> bool {
    let mut stride = len.clone();
    let mut rest = at.clone();
    for (a, d) in rows.iter().enumerate().rev() {
        if at.hides(a) || (*d != 1 && at.coefficient(a) != stride) {
            return false;
        }
        rest = rest.plus(&Affine::axis(a).times(Dim::ZERO - at.coefficient(a)));
        stride = stride * d;
    }
    let (lo, hi) = rest.range(extents);
    nonnegative(&lo) && below(&hi, len)
}
