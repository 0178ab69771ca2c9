//! From a kernel's body to stages ([`crate::stage`]).

mod plan;
mod stages;

use std::collections::BTreeMap;
use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::dtype::{DType, Literal};
use egret_ir::graph::{Graph, ValueId};
use egret_ir::op::call::Call;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, Ix, Negative, Spec};
use egret_ir::op::{Const, Op};
use egret_ir::program::Kernel;
use egret_ir::types::Type;

use crate::affine::{Affine, Atom, Within};
use crate::error::{Reason, Unsupported};
use crate::expand::expand;
use crate::extent::{below, local_name, nonnegative};
use crate::stage::{Lowered, SlotInfo, SlotKind, Stage, Step, Store};
use crate::value::{Slot, Value};

/// A map that costs more than this many operations is stored rather than computed twice.
const RECOMPUTE_FLOPS: u32 = 6;

/// Takes a kernel apart. Gathers every node without code.
pub fn lower(kernel: &Kernel) -> Result<Lowered, Vec<Unsupported>> {
    let fail = |node: String, reason| Unsupported { kernel: kernel.name.clone(), node, reason };
    let graph = expand(&kernel.body).map_err(|e| vec![fail("body".into(), Reason::DType(e.to_string()))])?;
    let problems: Vec<Unsupported> = graph
        .values()
        .filter(|v| graph.live()[v.index()])
        .filter_map(|v| supported(&graph, v).err().map(|r| fail(place(&graph, v), r)))
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut l = Lowering::new(&graph);
    l.run();
    Ok(Lowered { slots: l.slots, steps: l.steps })
}

fn place(graph: &Graph, v: ValueId) -> String {
    let n = graph.node(v);
    let at = n.origins.to_string();
    if at.is_empty() { n.op.kind().to_owned() } else { at }
}

fn supported(graph: &Graph, v: ValueId) -> Result<(), Reason> {
    fn tensor(ty: &Type) -> Result<(), Reason> {
        match ty {
            Type::Tensor(t) => {
                for d in &t.shape {
                    let mut reserved = false;
                    d.symbols(&mut |s| reserved |= local_name(s).is_some());
                    if reserved {
                        return Err(Reason::Name(d.to_string()));
                    }
                }
                // Strides are products of some extents: they must be numbers even beside an extent of 0.
                let extents = t.shape.iter().filter(|d| **d != 0);
                let fits = !extents.fold(Dim::from(t.dtype.size()), |n, d| n * d).is_invalid();
                if fits { Ok(()) } else { Err(Reason::TooLarge(t.to_string())) }
            }
            Type::Tuple(parts) => parts.iter().try_for_each(tensor),
            Type::Foreign(text) => Err(Reason::Foreign(text.to_string())),
        }
    }
    let node = graph.node(v);
    match &node.op {
        Op::Opaque(id) => {
            let d = graph.tables.opaque_def(*id);
            return Err(Reason::Opaque { domain: d.domain.clone(), op_type: d.op_type.clone() });
        }
        Op::If(..) | Op::Loop(_) => return Err(Reason::Control),
        Op::Call(c) => match &**c {
            Call::Recurrent(_) | Call::Resize(_) => {
                let dtype = graph.ty(node.args[0]).as_tensor().map_or(DType::F32, |t| t.dtype);
                if dtype != DType::F32 && matches!(&**c, Call::Recurrent(_)) {
                    return Err(Reason::DType(format!("{} on {dtype}", c.name())));
                }
            }
            Call::Softmax { .. }
            | Call::LogSoftmax { .. }
            | Call::LayerNorm { .. }
            | Call::RmsNorm { .. }
            | Call::Gelu(_)
            | Call::Det
            | Call::NonMaxSuppression(_) => {}
        },
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::Proj(_) => {}
    }
    tensor(&node.ty)
}

/// A value written by a plain loop nest: `node`'s elements into `slot`, moved by `shift` along one axis.
struct Part {
    node: ValueId,
    root: ValueId,
    slot: Slot,
    shift: Option<(usize, Dim)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Part(usize),
    Stage(ValueId),
}

struct Lowering<'a> {
    graph: &'a Graph,
    live: Vec<bool>,
    slots: Vec<SlotInfo>,
    /// Where a value is stored.
    stored: BTreeMap<ValueId, Slot>,
    /// Slots of tuple parts.
    parts_of: BTreeMap<(ValueId, u32), Slot>,
    inlined: BTreeMap<ValueId, Arc<Value>>,
    steps: Vec<Step>,
}

/// A kind that is always a stage of its own.
fn is_stage(op: &Op) -> bool {
    match op {
        Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::Scatter(..)
        | Op::ArgSort { .. }
        | Op::Call(_)
        | Op::Pad(_)
        | Op::Concat(_) => true,
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
        | Op::Proj(_) => false,
    }
}

impl<'a> Lowering<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut l = Self {
            graph,
            live: graph.live(),
            slots: Vec::new(),
            stored: BTreeMap::new(),
            parts_of: BTreeMap::new(),
            inlined: BTreeMap::new(),
            steps: Vec::new(),
        };
        for (i, decl) in graph.inputs.iter().enumerate() {
            let t = decl.ty.as_tensor();
            let (dtype, shape) = (t.map_or(DType::F32, |t| t.dtype), t.map_or(Vec::new(), |t| t.shape.clone()));
            l.slots.push(SlotInfo { name: format!("x{i}"), dtype, shape, kind: SlotKind::Read(i) });
        }
        for (i, o) in graph.outputs.iter().enumerate() {
            let (dtype, shape) = (l.dtype(o.value), l.shape(o.value));
            l.slots.push(SlotInfo { name: format!("y{i}"), dtype, shape, kind: SlotKind::Write(i) });
        }
        l
    }

    fn shape(&self, v: ValueId) -> Vec<Dim> {
        self.graph.ty(v).as_tensor().map_or(Vec::new(), |t| t.shape.clone())
    }

    fn dtype(&self, v: ValueId) -> DType {
        self.graph.ty(v).as_tensor().map_or(DType::F32, |t| t.dtype)
    }

    fn slot(&mut self, name: String, dtype: DType, shape: Vec<Dim>, kind: SlotKind) -> Slot {
        self.slots.push(SlotInfo { name, dtype, shape, kind });
        Slot(self.slots.len() - 1)
    }

    fn temp(&mut self, v: ValueId) -> Slot {
        let (dtype, shape) = (self.dtype(v), self.shape(v));
        self.slot(format!("t{}", self.slots.len()), dtype, shape, SlotKind::Temp)
    }

    /// Loads slot elements in row-major order of `shape`.
    fn load(&self, slot: Slot, shape: &[Dim]) -> Arc<Value> {
        let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
        Arc::new(Value::Load { slot, at: Affine::flatten(&axes, shape), dtype: self.slots[slot.0].dtype })
    }

    fn run(&mut self) {
        let parts = self.plan();
        let owners = self.owners(&parts);
        // Which folds are stored through a part instead of by themselves.
        // A part with one owner has no other user, so nothing between fold and part waits for the fold. Contracts first.
        let mut fused: BTreeMap<usize, ValueId> = BTreeMap::new();
        let contract = |v: ValueId| matches!(self.graph.node(v).op, Op::Contract { .. });
        let reduce = |v: ValueId| matches!(self.graph.node(v).op, Op::Reduce { .. });
        let last_first = || self.graph.values().rev().filter(|v| self.live[v.index()]);
        for v in last_first().filter(|v| contract(*v)).chain(last_first().filter(|v| reduce(*v))) {
            if let [Owner::Part(p)] = owners[v.index()].iter().copied().collect::<Vec<_>>()[..]
                && !fused.contains_key(&p)
                && self.chain(v, &parts[p]).is_some()
            {
                fused.insert(p, v);
            }
        }
        for v in self.graph.values() {
            if !self.live[v.index()] {
                continue;
            }
            let is_fused = fused.values().any(|f| *f == v);
            if !is_fused && (is_stage(&self.graph.node(v).op)) {
                self.stage(v);
            }
            for (i, p) in parts.iter().enumerate() {
                if p.root == v {
                    self.part(p, fused.get(&i).copied());
                }
            }
        }
    }

    /// The value as an expression over its own axes.
    fn value(&mut self, v: ValueId) -> Arc<Value> {
        if let Some(done) = self.inlined.get(&v) {
            return done.clone();
        }
        let shape = self.shape(v);
        let out = if let Some(slot) = self.stored.get(&v).copied() {
            self.load(slot, &shape)
        } else {
            self.expression(v, &shape)
        };
        self.inlined.insert(v, out.clone());
        out
    }

    fn at(&mut self, v: ValueId, to: &[Affine], extents: &[Dim]) -> Arc<Value> {
        let value = self.value(v);
        Value::substitute(&value, to, extents)
    }

    /// The expression of a node that is not stored (or is about to be), over its own axes.
    fn expression(&mut self, v: ValueId, shape: &[Dim]) -> Arc<Value> {
        let node = self.graph.node(v).clone();
        let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
        let dtype = self.dtype(v);
        match &node.op {
            Op::Input(i) => self.load(Slot(*i as usize), shape),
            Op::Const(Const::Scalar(l)) => Arc::new(Value::Lit(*l)),
            Op::Const(Const::Dense(id)) => {
                let tensor = self.graph.tables.tensor(*id).clone();
                if let Some(l) = tensor.splat() {
                    return Arc::new(Value::Lit(l));
                }
                let slot = self.slot(format!("c{}", self.slots.len()), dtype, shape.to_vec(), SlotKind::Table(tensor));
                self.load(slot, shape)
            }
            Op::Dim(d) => match d.as_const() {
                Some(c) => Arc::new(Value::Lit(Literal::i64(c))),
                None => Arc::new(Value::Index(Affine::constant(d))),
            },
            Op::Iota { dtype, .. } => cast(Arc::new(Value::Index(axes[0].clone())), *dtype),
            Op::Permute(p) => {
                let mut to = vec![Affine::default(); shape.len()];
                for (i, a) in p.axes().enumerate() {
                    to[a] = axes[i].clone();
                }
                self.at(node.args[0], &to, shape)
            }
            Op::Reshape(_) => {
                let from = self.shape(node.args[0]);
                let to = Affine::flatten(&axes, shape).unflatten(&from, shape);
                self.at(node.args[0], &to, shape)
            }
            Op::Broadcast(new) => {
                let to: Vec<Affine> = axes
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| !new.iter().any(|(p, _)| usize::from(*p) == *i))
                    .map(|(_, a)| a.clone())
                    .collect();
                self.at(node.args[0], &to, shape)
            }
            Op::Slice(slices) => {
                let to: Vec<Affine> =
                    slices.iter().zip(&axes).map(|(s, a)| a.times(s.step).plus(&Affine::constant(&s.start))).collect();
                self.at(node.args[0], &to, shape)
            }
            Op::Gather(spec) => {
                let (data, ix) = (node.args[0], node.args[1]);
                let data_shape = self.shape(data);
                let ix_axes: Vec<Affine> = spec.ix.iter().map(|l| axes[l.index()].clone()).collect();
                let mut component = 0;
                let mut to = Vec::new();
                for (d, extent) in spec.data.iter().zip(&data_shape) {
                    to.push(match d {
                        DataIx::Label(l) => axes[l.index()].clone(),
                        DataIx::At => {
                            let mut at = ix_axes.clone();
                            if spec.has_component_axis() {
                                at.push(Affine::constant(component));
                                component += 1;
                            }
                            let value = cast(self.at(ix, &at, shape), DType::I64);
                            data_index(&value, extent, spec.negative == Negative::Wraps)
                        }
                    });
                }
                self.at(data, &to, shape)
            }
            Op::Map(f) => {
                let args = node.args.iter().map(|a| self.value(*a)).collect();
                Value::map(*f, args, dtype)
            }
            Op::Proj(i) => {
                let slot = self.parts_of[&(node.args[0], *i)];
                self.load(slot, shape)
            }
            Op::Pad(_)
            | Op::Concat(_)
            | Op::Scatter(..)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::ArgSort { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_) => unreachable!("invariant: stages are stored before their users, the rest was refused"),
        }
    }

    /// The expression of `v` over the axes of a fold, whose own value is the accumulator.
    fn after_fold(
        &mut self,
        v: ValueId,
        fold: ValueId,
        index: &BTreeMap<ValueId, Vec<Affine>>,
        extents: &[Dim],
        memo: &mut BTreeMap<ValueId, Arc<Value>>,
    ) -> Arc<Value> {
        if v == fold {
            return cast(Arc::new(Value::Acc(self.acc_type(fold))), self.dtype(fold));
        }
        if let Some(done) = memo.get(&v) {
            return done.clone();
        }
        let node = self.graph.node(v).clone();
        let out = match &node.op {
            Op::Map(f) => {
                let args = node
                    .args
                    .iter()
                    .map(|a| {
                        if index.contains_key(a) {
                            self.after_fold(*a, fold, index, extents, memo)
                        } else {
                            self.at(*a, &index[&v], extents)
                        }
                    })
                    .collect();
                Value::map(*f, args, self.dtype(v))
            }
            _ => self.after_fold(node.args[0], fold, index, extents, memo),
        };
        memo.insert(v, out.clone());
        out
    }

    fn acc_type(&self, fold: ValueId) -> DType {
        match &self.graph.node(fold).op {
            Op::Reduce { monoid, .. } if monoid.is_arg() => DType::I64,
            Op::Reduce { acc, .. } | Op::Contract { acc, .. } => *acc,
            _ => self.dtype(fold),
        }
    }

    /// Stores a part, through the fold that feeds it if there is one.
    fn part(&mut self, part: &Part, fold: Option<ValueId>) {
        let shape = self.shape(part.node);
        let slot_shape = self.slots[part.slot.0].shape.clone();
        let place = |at: &[Affine]| {
            let mut at = at.to_vec();
            if let Some((axis, by)) = &part.shift {
                at[*axis] = at[*axis].plus(&Affine::constant(by));
            }
            Affine::flatten(&at, &slot_shape)
        };
        let Some(fold) = fold else {
            let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
            let value = if self.stored.get(&part.node) == Some(&part.slot) && part.shift.is_none() {
                self.expression(part.node, &shape)
            } else {
                self.value(part.node)
            };
            let note = self.describe(part.node);
            let stage = Stage {
                rank: shape.len(),
                extents: shape,
                fold: None,
                stores: vec![Store { slot: part.slot, at: place(&axes), value }],
                note,
            };
            self.steps.push(Step::Stage(stage));
            return;
        };
        let index = self.chain(fold, part).expect("invariant: fused folds have a chain");
        let (extents, rank, f) = self.fold(fold);
        let mut memo = BTreeMap::new();
        let value = self.after_fold(part.node, fold, &index, &extents[..rank], &mut memo);
        let mut stores = vec![Store { slot: part.slot, at: place(&index[&part.node]), value }];
        // The fold is itself a result too.
        if self.graph.outputs.iter().any(|o| o.value == fold) && part.node != fold {
            let shape = self.shape(fold);
            let axes: Vec<Affine> = (0..rank).map(Affine::axis).collect();
            let acc = cast(Arc::new(Value::Acc(self.acc_type(fold))), self.dtype(fold));
            stores.push(Store { slot: self.stored[&fold], at: Affine::flatten(&axes, &shape), value: acc });
        }
        let note = format!("{}; then {}", self.describe(fold), self.describe(part.node));
        self.steps.push(Step::Stage(Stage { extents, rank, fold: Some(f), stores, note }));
    }

    fn describe(&self, v: ValueId) -> String {
        let node = self.graph.node(v);
        let at = node.origins.to_string();
        let what = match &node.op {
            Op::Map(f) => f.to_string(),
            Op::Reduce { monoid, spec, .. } => format!("{} {spec}", monoid.name()),
            Op::Contract { spec, .. } => format!("contract {spec}"),
            op => op.kind().to_owned(),
        };
        if at.is_empty() { what } else { format!("{what} of {at}") }
    }

    /// The slot that holds exactly this value, row-major; stored first where it is an expression.
    fn plain(&mut self, v: ValueId) -> Slot {
        let shape = self.shape(v);
        let value = self.value(v);
        let axes: Vec<Affine> = (0..shape.len()).map(Affine::axis).collect();
        if let Value::Load { slot, at, .. } = &*value
            && *at == Affine::flatten(&axes, &shape)
            && self.slots[slot.0].len() == count(&shape)
        {
            return *slot;
        }
        let slot = self.temp(v);
        let store = Store { slot, at: Affine::flatten(&axes, &shape), value };
        let note = self.describe(v);
        self.steps.push(Step::Stage(Stage {
            rank: shape.len(),
            extents: shape,
            fold: None,
            stores: vec![store],
            note,
        }));
        slot
    }
}

/// A conversion, unless the type is already right.
pub(crate) fn cast(v: Arc<Value>, to: DType) -> Arc<Value> {
    if v.dtype() == to { v } else { Value::map(Scalar::Cast(to), vec![v], to) }
}

/// An index read from data; a literal becomes a number.
fn data_index(value: &Arc<Value>, extent: &Dim, wraps: bool) -> Affine {
    if let Value::Lit(l) = &**value {
        let i = Dim::from(l.to_i64());
        let i = if wraps && l.to_i64() < 0 { i + extent } else { i };
        if nonnegative(&i) && below(&i, extent) {
            return Affine::constant(i);
        }
    }
    if let Value::Index(at) = &**value {
        return at.clone();
    }
    Affine::atom(Atom::Data { value: value.clone(), extent: extent.clone(), wraps })
}

/// The extent of every label.
fn label_extents(spec: &Spec, shapes: &[Vec<Dim>]) -> Vec<Dim> {
    let mut extents = vec![Dim::ONE; spec.label_count()];
    for (l, d) in spec.ext() {
        extents[l.index()] = d.clone();
    }
    for (ins, shape) in spec.ins().iter().zip(shapes) {
        for (ix, d) in ins.iter().zip(shape) {
            if let Ix::Label(l) = ix {
                extents[l.index()] = d.clone();
            }
        }
    }
    extents
}

/// The index of an operand in terms of the labels, and the conditions under which it is inside.
fn operand_index(ins: &[Ix], shape: &[Dim], extents: &[Dim], when: &mut Vec<Within>) -> Vec<Affine> {
    ins.iter()
        .zip(shape)
        .map(|(ix, d)| match ix {
            Ix::Label(l) => Affine::axis(l.index()),
            Ix::Window(w) => {
                let at = Affine::axis(w.out.index())
                    .times(w.stride)
                    .plus(&Affine::axis(w.tap.index()).times(w.dil))
                    .plus(&Affine::constant(-w.lo));
                let hi = (d - 1) * w.in_dil + 1;
                let inside = Within { index: at.clone(), lo: Dim::ZERO, hi, step: w.in_dil };
                if !inside.always(extents) {
                    when.push(inside);
                }
                at.div(w.in_dil, extents)
            }
        })
        .collect()
}
