//! Kinds that are stages of their own.

use egret_ir::Dim;
use egret_ir::graph::ValueId;
use egret_ir::op::call::Call;
use egret_ir::op::spec::{DataIx, Negative};
use egret_ir::op::{Monoid, Op};

use super::{Lowering, cast, data_index, label_extents, operand_index};
use crate::affine::Affine;
use crate::native::{Native, RecurrentSlots, resize};
use crate::stage::{Fold, SlotKind, Stage, Step, Store, Term};
use crate::value::{Slot, Value};
use egret_ir::dtype::DType;
use std::sync::Arc;

impl Lowering<'_> {
    /// The fold of a Reduce or Contract: extents of all axes, number of stored ones, and terms.
    pub(super) fn fold(&mut self, v: ValueId) -> (Vec<Dim>, usize, Fold) {
        let node = self.graph.node(v).clone();
        let (spec, monoid, acc) = match &node.op {
            Op::Reduce { monoid, spec, acc } => (spec, *monoid, *acc),
            Op::Contract { spec, acc, .. } => (spec, Monoid::Sum, *acc),
            _ => unreachable!("invariant: only folds come here"),
        };
        let shapes: Vec<Vec<Dim>> = node.args.iter().map(|a| self.shape(*a)).collect();
        let extents = label_extents(spec, &shapes);
        let mut when = Vec::new();
        let mut values = Vec::new();
        for (i, a) in node.args.iter().enumerate() {
            let to = operand_index(&spec.ins()[i], &shapes[i], &extents, &mut when);
            values.push(self.at(*a, &to, &extents));
        }
        when.sort();
        when.dedup();
        let value = |v: &Arc<Value>| if monoid.is_arg() { v.clone() } else { cast(v.clone(), acc) };
        let term = match values.as_slice() {
            [x] => Term::Value(value(x)),
            [a, b] => Term::Product(value(a), value(b)),
            _ => unreachable!("invariant: one or two operands"),
        };
        let acc = if monoid.is_arg() { values[0].dtype() } else { acc };
        (extents, spec.rank(), Fold { monoid, acc, term, when })
    }

    /// A stage of its own.
    pub(super) fn stage(&mut self, v: ValueId) {
        let node = self.graph.node(v).clone();
        let shape = self.shape(v);
        let note = self.describe(v);
        match &node.op {
            Op::Reduce { .. } | Op::Contract { .. } => {
                let (extents, rank, fold) = self.fold(v);
                let axes: Vec<Affine> = (0..rank).map(Affine::axis).collect();
                let value = cast(Arc::new(Value::Acc(self.acc_type(v))), self.dtype(v));
                let store = Store { slot: self.stored[&v], at: Affine::flatten(&axes, &shape), value };
                self.steps.push(Step::Stage(Stage { extents, rank, fold: Some(fold), stores: vec![store], note }));
            }
            Op::Pad(pads) => {
                let slot = self.stored[&v];
                let inner = self.shape(node.args[0]);
                let fill = self.value(node.args[1]);
                let covers = pads.iter().all(|p| p.inner == 0 && p.lo == 0 && p.hi == 0);
                if !covers {
                    let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
                    let store = Store { slot, at: Affine::flatten(&axes, &shape), value: fill };
                    let (extents, note) = (shape.clone(), format!("{note}: border"));
                    self.steps.push(Step::Stage(Stage {
                        rank: extents.len(),
                        extents,
                        fold: None,
                        stores: vec![store],
                        note,
                    }));
                }
                let at: Vec<Affine> = pads
                    .iter()
                    .enumerate()
                    .map(|(i, p)| Affine::axis(i).times(p.inner + 1).plus(&Affine::constant(&p.lo)))
                    .collect();
                let value = self.value(node.args[0]);
                let store = Store { slot, at: Affine::flatten(&at, &shape), value };
                self.steps.push(Step::Stage(Stage {
                    rank: inner.len(),
                    extents: inner,
                    fold: None,
                    stores: vec![store],
                    note,
                }));
            }
            // Its parts store it.
            Op::Concat(_) => {}
            Op::Scatter(op, spec) => {
                let data = self.value(node.args[0]);
                let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
                let slot = self.stored[&v];
                let copy = Store { slot, at: Affine::flatten(&axes, &shape), value: data };
                self.steps.push(Step::Stage(Stage {
                    rank: shape.len(),
                    extents: shape.clone(),
                    fold: None,
                    stores: vec![copy],
                    note: format!("{note}: data"),
                }));
                let upd_shape = self.shape(node.args[2]);
                let axes: Vec<Affine> = (0..upd_shape.len()).map(Affine::axis).collect();
                let ix_axes: Vec<Affine> = spec.ix.iter().map(|l| axes[l.index()].clone()).collect();
                let mut component = 0;
                let mut at = Vec::new();
                for (d, extent) in spec.data.iter().zip(&shape) {
                    at.push(match d {
                        DataIx::Label(l) => axes[l.index()].clone(),
                        DataIx::At => {
                            let mut to = ix_axes.clone();
                            if spec.has_component_axis() {
                                to.push(Affine::constant(component));
                                component += 1;
                            }
                            let value = cast(self.at(node.args[1], &to, &upd_shape), DType::I64);
                            data_index(&value, extent, spec.negative == Negative::Wraps)
                        }
                    });
                }
                let value = self.value(node.args[2]);
                let at = Affine::flatten(&at, &shape);
                self.steps.push(Step::Native(Native::Scatter { op: *op, slot, extents: upd_shape, at, value, note }));
            }
            Op::ArgSort { axis, order, keep } => {
                let from = self.shape(node.args[0]);
                let value = self.value(node.args[0]);
                let native = Native::Sort {
                    slot: self.stored[&v],
                    value,
                    extents: from,
                    axis: usize::from(*axis),
                    descending: *order == egret_ir::op::SortOrder::Descending,
                    keep: keep.clone(),
                    note,
                };
                self.steps.push(Step::Native(native));
            }
            Op::Call(call) => match &**call {
                Call::Recurrent(r) => {
                    let args: Vec<Slot> = node.args.iter().map(|a| self.plain(*a)).collect();
                    let outs: Vec<Slot> = (0..3).filter_map(|i| self.parts_of.get(&(v, i)).copied()).collect();
                    let x = self.shape(node.args[0]);
                    self.steps.push(Step::Native(Native::Recurrent {
                        call: r.clone(),
                        time: x[0].clone(),
                        batch: x[1].clone(),
                        input: x[2].clone(),
                        slots: RecurrentSlots::new(r, &args, &outs),
                        note,
                    }));
                }
                Call::Resize(r) => {
                    let from = self.shape(node.args[0]);
                    let source = self.plain(node.args[0]);
                    let slot = self.stored[&v];
                    let mut tables = Vec::new();
                    let stage = resize::stage(r, &from, &shape, source, slot, self.dtype(v), note, &mut |t| {
                        tables.push(t);
                        Slot(self.slots.len() + tables.len() - 1)
                    });
                    for t in tables {
                        let shape = t.shape().iter().map(|d| Dim::from(*d)).collect();
                        let name = format!("c{}", self.slots.len());
                        self.slot(name, t.dtype(), shape, SlotKind::Table(t));
                    }
                    self.steps.push(Step::Stage(stage));
                }
                Call::Det => {
                    let (extents, value) = (self.shape(node.args[0]), self.value(node.args[0]));
                    self.steps.push(Step::Native(Native::Det { slot: self.stored[&v], value, extents, note }));
                }
                Call::NonMaxSuppression(nms) => {
                    let operands = std::array::from_fn(|i| self.plain(node.args[i]));
                    let results = [0, 1].map(|i| self.parts_of[&(v, i)]);
                    let scores = self.shape(node.args[1]);
                    self.steps.push(Step::Native(Native::Suppress {
                        operands,
                        results,
                        extents: std::array::from_fn(|i| scores[i].clone()),
                        keep: nms.keep.clone(),
                        center_point: nms.center_point,
                        note,
                    }));
                }
                Call::Softmax { .. }
                | Call::LogSoftmax { .. }
                | Call::LayerNorm { .. }
                | Call::RmsNorm { .. }
                | Call::Gelu(_) => {
                    unreachable!("invariant: composites are written out before lowering")
                }
            },
            Op::Input(_)
            | Op::Const(_)
            | Op::Dim(_)
            | Op::Iota { .. }
            | Op::Permute(_)
            | Op::Reshape(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Gather(_)
            | Op::Map(_)
            | Op::If(..)
            | Op::Loop(_)
            | Op::Opaque(_)
            | Op::Proj(_) => unreachable!("invariant: these are inlined"),
        }
    }
}
