//! From tensor expressions to statements: index expressions, elements and vectors of elements, each distinct value once per
//! block, and outside of every loop whose axis it does not mention.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use egret_ir::dtype::DType;
use egret_ir::{Dim, Symbol};

use crate::affine::{Affine, Atom, Axis, Within};
use crate::extent::{local, nonnegative};
use crate::lanes::{has_acc, loads_strided, operand_type};
use crate::loops::{E, Param, S, Ty};
use crate::stage::{SlotInfo, SlotKind, Store};
use crate::target::Context;
use crate::value::{Slot, Value};

/// The lane axis of a vectorized loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Which axis runs along the lanes; its binding is lane 0's index.
    pub axis: Axis,
    /// Number of lanes in use; None: all.
    pub part: Option<E>,
}

/// Memory that is private to a tile: axes dropped from the index, and the pointer to use.
#[derive(Clone, Debug)]
pub struct Local {
    /// Pointer variable.
    pub pointer: String,
    /// Axes whose contribution to the position is dropped (the row axes of the tile).
    pub drop: Vec<Axis>,
}

/// Writes statements.
pub struct Emitter<'a> {
    /// Tensors of the kernel.
    pub slots: &'a [SlotInfo],
    /// Machine and sizes.
    pub cx: &'a Context<'a>,
    /// Parameters used so far.
    pub params: BTreeMap<Slot, Param>,
    /// Tensors kept in scratch memory.
    pub locals: BTreeMap<Slot, Local>,
    /// Index of every axis.
    pub bind: Vec<E>,
    /// Extents of the axes.
    pub extents: Vec<Dim>,
    /// The lane axis, inside a vector loop.
    pub lane: Option<Lane>,
    /// Value of the fold.
    pub acc: Option<E>,
    /// What the variables that symbols stand for are.
    named: BTreeMap<Symbol, Dim>,
    blocks: Vec<Vec<S>>,
    memo: Vec<HashMap<Key, E>>,
    next: usize,
}

/// A value, by identity, or a load by content; and whether as a vector.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Value(*const Value, bool),
    Load(Slot, Affine, bool),
    Data(Affine),
}

impl<'a> Emitter<'a> {
    /// An emitter with one open block.
    pub fn new(slots: &'a [SlotInfo], cx: &'a Context<'a>) -> Self {
        Self {
            slots,
            cx,
            params: BTreeMap::new(),
            locals: BTreeMap::new(),
            bind: Vec::new(),
            extents: Vec::new(),
            lane: None,
            acc: None,
            named: BTreeMap::new(),
            blocks: vec![Vec::new()],
            memo: vec![HashMap::new()],
            next: 0,
        }
    }

    /// Appends a statement to the open block.
    pub fn push(&mut self, s: S) {
        self.blocks.last_mut().expect("invariant: a block is open").push(s);
    }

    /// A name not used before.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next - 1)
    }

    /// A nonnegative extent under a name: a variable of the function, where it is more than a number or a symbol.
    pub fn name(&mut self, name: &str, extent: Dim) -> Dim {
        if extent.as_const().is_some() || extent.as_symbol().is_some() {
            return extent;
        }
        self.push(S::Index { name: name.to_owned(), value: E::int(&extent) });
        let symbol = local(name);
        let whole = self.resolved(&extent);
        self.named.insert(symbol.clone(), whole);
        Dim::symbol(symbol)
    }

    /// The extent in terms of the program's symbols only.
    pub fn resolved(&self, extent: &Dim) -> Dim {
        extent.substitute(&|s| self.named.get(s).cloned())
    }

    /// Opens a block; names made in it are forgotten when it is closed.
    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
        self.memo.push(HashMap::new());
    }

    /// Closes the open block and gives its statements.
    pub fn close(&mut self) -> Vec<S> {
        self.memo.pop();
        self.blocks.pop().expect("invariant: a block is open")
    }

    /// Forgets the values of the open block (the accumulator or the lane axis has changed).
    pub fn forget(&mut self) {
        if let Some(m) = self.memo.last_mut() {
            m.clear();
        }
    }

    /// A loop around what `body` writes.
    pub fn for_loop(&mut self, var: &str, from: E, to: E, step: i64, body: impl FnOnce(&mut Self)) {
        self.open();
        body(self);
        let body = self.close();
        self.push(S::For { var: var.to_owned(), from, to, step, body });
    }

    /// The statements and parameters of a finished function.
    pub fn finish(mut self) -> (Vec<S>, Vec<Param>) {
        let body = self.blocks.pop().expect("invariant: the outer block is open");
        (body, self.params.into_values().collect())
    }

    /// The pointer of a tensor.
    pub fn pointer(&mut self, slot: Slot, writes: bool) -> String {
        if let Some(l) = self.locals.get(&slot) {
            return l.pointer.clone();
        }
        let info = &self.slots[slot.0];
        let p = self.params.entry(slot).or_insert_with(|| Param {
            name: info.name.clone(),
            slot,
            dtype: info.dtype,
            writes: false,
        });
        p.writes |= writes && !matches!(info.kind, SlotKind::Table(_));
        p.name.clone()
    }

    /// An index as an expression.
    pub fn index(&mut self, a: &Affine) -> E {
        let mut out = E::int(0);
        for (atom, c) in a.terms() {
            let e = match atom {
                Atom::Axis(x) => self.bind[*x].clone(),
                Atom::Div(e, n) => {
                    let nonnegative = nonnegative(&e.range(&self.extents).0);
                    let e = self.index(e);
                    if nonnegative { e.div(n) } else { E::FloorDiv(Box::new(e), n.clone()) }
                }
                Atom::Mod(e, n) => {
                    let nonnegative = nonnegative(&e.range(&self.extents).0);
                    let e = self.index(e);
                    if nonnegative { e.rem(n) } else { E::FloorMod(Box::new(e), n.clone()) }
                }
                Atom::Data { value, extent, wraps } => self.data_index(atom, value, extent, *wraps),
            };
            out = out.add(e.times(c));
        }
        out.plus(a.offset())
    }

    fn data_index(&mut self, atom: &Atom, value: &Arc<Value>, extent: &Dim, wraps: bool) -> E {
        let key = Key::Data(Affine::atom(atom.clone()));
        if let Some(done) = self.known(&key) {
            return done;
        }
        let value = Box::new(self.scalar(value));
        let name = self.fresh("i");
        self.push(S::Index { name: name.clone(), value: E::Checked { value, extent: extent.clone(), wraps } });
        let e = E::Var(name);
        self.memo.last_mut().expect("invariant: a block is open").insert(key, e.clone());
        e
    }

    /// Binds the axes to the digits of `flat`, the last axis the fastest; gives how many values `flat` has.
    pub fn claim(&mut self, flat: E, axes: &[Axis]) -> Dim {
        let (mut rest, mut count) = (flat, Dim::ONE);
        for a in axes.iter().rev() {
            let extent = self.extents[*a].clone();
            self.bind[*a] = rest.clone().rem(&extent);
            rest = rest.div(&extent);
            count = count * extent;
        }
        count
    }

    /// Position inside the pointer of a slot: row axes of private memory dropped.
    pub fn position(&mut self, slot: Slot, at: &Affine) -> E {
        if let Some(l) = self.locals.get(&slot) {
            let drop = l.drop.clone();
            let saved: Vec<E> = drop.iter().map(|a| std::mem::replace(&mut self.bind[*a], E::int(0))).collect();
            let e = self.index(at);
            for (a, s) in drop.iter().zip(saved) {
                self.bind[*a] = s;
            }
            e
        } else {
            self.index(at)
        }
    }

    fn remember(&mut self, key: Key, prefix: &str, ty: Ty, value: E) -> E {
        let name = self.fresh(prefix);
        self.push(S::Let { name: name.clone(), ty, value });
        let e = E::Var(name);
        self.memo.last_mut().expect("invariant: a block is open").insert(key, e.clone());
        e
    }

    fn known(&self, key: &Key) -> Option<E> {
        self.memo.iter().rev().find_map(|m| m.get(key)).cloned()
    }

    /// The value as one element, at the bound indices.
    pub fn scalar(&mut self, v: &Arc<Value>) -> E {
        let key = match &**v {
            Value::Lit(l) => return E::Lit(*l),
            Value::Acc(_) => return self.acc.clone().expect("invariant: the fold is done before its result is stored"),
            Value::Load { slot, at, .. } => Key::Load(*slot, at.clone(), false),
            Value::Index(_) | Value::Map { .. } | Value::Choose { .. } => Key::Value(Arc::as_ptr(v), false),
        };
        if let Some(done) = self.known(&key) {
            return done;
        }
        let ty = Ty::scalar(v.dtype());
        match &**v {
            Value::Lit(_) | Value::Acc(_) => unreachable!("invariant: returned above"),
            Value::Load { slot, at, dtype } => {
                let base = self.pointer(*slot, false);
                let index = Box::new(self.position(*slot, at));
                self.remember(key, "v", ty, E::Load { base, index, dtype: *dtype })
            }
            Value::Index(at) => {
                let e = self.index(at);
                self.remember(key, "v", ty, E::Element(Box::new(e)))
            }
            Value::Map { f, args, .. } => {
                let from = operand_type(args);
                let args = args.iter().map(|a| self.scalar(a)).collect();
                self.remember(key, "v", ty, E::Map { f: *f, args, from, to: ty })
            }
            Value::Choose { when, yes, no } => {
                let cond = self.condition(when);
                self.branch(key, ty, cond, yes, no, Self::scalar)
            }
        }
    }

    fn branch(
        &mut self,
        key: Key,
        ty: Ty,
        cond: E,
        yes: &Arc<Value>,
        no: &Arc<Value>,
        side: fn(&mut Self, &Arc<Value>) -> E,
    ) -> E {
        let name = self.fresh("v");
        self.push(S::Var { name: name.clone(), ty, value: None });
        let one = |me: &mut Self, v: &Arc<Value>| {
            me.open();
            let value = side(me, v);
            me.push(S::Set { name: name.clone(), value });
            me.close()
        };
        let then = one(self, yes);
        let otherwise = one(self, no);
        self.push(S::If { cond, then, otherwise });
        let e = E::Var(name);
        self.memo.last_mut().expect("invariant: a block is open").insert(key, e.clone());
        e
    }

    /// The conditions as one.
    pub fn condition(&mut self, when: &[Within]) -> E {
        let mut all = Vec::new();
        for w in when {
            let (above, below) = w.bounds_hold(&self.extents);
            let index = Box::new(self.index(&w.index));
            let bound = |holds: bool, d: &Dim| (!holds).then(|| d.clone());
            all.push(E::Within { index, lo: bound(above, &w.lo), hi: bound(below, &w.hi), step: w.step });
        }
        E::All(all)
    }

    /// The value in every lane, at the bound indices; the lane axis runs along the lanes.
    pub fn vector(&mut self, v: &Arc<Value>) -> E {
        let lane = self.lane.clone().expect("invariant: a vector loop is open");
        if let Value::Acc(_) = &**v {
            return self.acc.clone().expect("invariant: the fold is done before its result is stored");
        }
        if !v.mentions(lane.axis) && !has_acc(v) {
            let e = self.scalar(v);
            return E::Splat(Box::new(e), v.dtype());
        }
        let key = match &**v {
            Value::Load { slot, at, .. } => Key::Load(*slot, at.clone(), true),
            _ => Key::Value(Arc::as_ptr(v), true),
        };
        if let Some(done) = self.known(&key) {
            return done;
        }
        let ty = Ty::vector(v.dtype());
        match &**v {
            Value::Load { slot, at, dtype }
                if !at.hides(lane.axis) && (at.coefficient(lane.axis) == 1 || loads_strided(*dtype)) =>
            {
                let base = self.pointer(*slot, false);
                let index = Box::new(self.position(*slot, at));
                let load = E::VLoad {
                    base,
                    index,
                    dtype: *dtype,
                    step: at.coefficient(lane.axis),
                    part: lane.part.map(Box::new),
                };
                self.remember(key, "v", ty, load)
            }
            Value::Load { slot, at, dtype: DType::F32 } if self.repeats(at, lane.axis).is_some() => {
                let (times, rest) = self.repeats(at, lane.axis).expect("invariant: just seen");
                let base = self.pointer(*slot, false);
                let index = Box::new(self.position(*slot, &rest));
                self.remember(key, "v", ty, E::VRepeat { base, index, times, part: lane.part.map(Box::new) })
            }
            Value::Load { .. } | Value::Index(_) | Value::Choose { .. } => self.lane_by_lane(key, v, &lane),
            Value::Map { f, args, .. } => {
                let from = operand_type(args);
                let args = args.iter().map(|a| self.vector(a)).collect();
                self.remember(key, "v", ty, E::Map { f: *f, args, from, to: ty })
            }
            Value::Lit(_) | Value::Acc(_) => unreachable!("invariant: these do not mention the lane axis"),
        }
    }

    /// Whether the position moves by one every `times` lanes, from a multiple of `times` on; and the position itself.
    fn repeats(&self, at: &Affine, axis: Axis) -> Option<(i64, Affine)> {
        let mut found = None;
        for (atom, c) in at.terms() {
            match atom {
                Atom::Axis(a) if *a == axis => return None,
                Atom::Div(e, n) if e.mentions(axis) => {
                    if *c != 1 || e.as_axis() != Some(axis) || found.is_some() {
                        return None;
                    }
                    found = n.as_const();
                }
                Atom::Mod(e, _) if e.mentions(axis) => return None,
                Atom::Data { value, .. } if value.mentions(axis) => return None,
                Atom::Axis(_) | Atom::Div(..) | Atom::Mod(..) | Atom::Data { .. } => {}
            }
        }
        // Vector loops start at multiples of the lanes.
        let times = found.filter(|n| matches!(n, 2 | 4 | 8) && *n <= self.cx.target.lanes)?;
        Some((times, at.clone()))
    }

    fn lane_by_lane(&mut self, key: Key, v: &Arc<Value>, lane: &Lane) -> E {
        let var = self.fresh("lane");
        let saved = self.bind[lane.axis].clone();
        self.bind[lane.axis] = saved.clone().add(E::Var(var.clone()));
        self.lane = None;
        self.open();
        // What was known of lane 0 is not true of the others.
        let outer = std::mem::take(&mut self.memo);
        self.memo.push(HashMap::new());
        let value = self.scalar(v);
        self.memo = outer;
        let before = self.close();
        self.bind[lane.axis] = saved;
        self.lane = Some(lane.clone());
        let name = self.fresh("v");
        self.push(S::Lanes { name: name.clone(), dtype: v.dtype(), lane: var, part: lane.part.clone(), before, value });
        let e = E::Var(name);
        self.memo.last_mut().expect("invariant: a block is open").insert(key, e.clone());
        e
    }

    /// Computes now, as elements, the largest parts of `v` that mention none of `inner`.
    pub fn hoist(&mut self, v: &Arc<Value>, inner: &[Axis]) {
        if has_acc(v) || inner.iter().any(|a| v.mentions(*a)) {
            match &**v {
                Value::Map { args, .. } => {
                    for a in args {
                        self.hoist(a, inner);
                    }
                }
                Value::Load { at, .. } | Value::Index(at) => {
                    for (atom, _) in at.terms() {
                        if let Atom::Data { value, extent, wraps } = atom
                            && !inner.iter().any(|a| value.mentions(*a))
                        {
                            self.data_index(atom, value, extent, *wraps);
                        }
                    }
                }
                // A branch may not be reached.
                Value::Choose { .. } | Value::Lit(_) | Value::Acc(_) => {}
            }
        } else {
            self.scalar(v);
        }
    }

    /// Stores one element.
    pub fn store_scalar(&mut self, s: &Store) {
        let value = self.scalar(&s.value);
        let base = self.pointer(s.slot, true);
        let index = self.position(s.slot, &s.at);
        let dtype = self.slots[s.slot.0].dtype;
        self.push(S::Store { base, index, dtype, value });
    }

    /// Stores lanes.
    pub fn store_vector(&mut self, s: &Store) {
        let value = self.vector(&s.value);
        let lane = self.lane.clone().expect("invariant: a vector loop is open");
        let base = self.pointer(s.slot, true);
        let index = self.position(s.slot, &s.at);
        let dtype = self.slots[s.slot.0].dtype;
        self.push(S::VStore { base, index, dtype, step: s.at.coefficient(lane.axis), part: lane.part, value });
    }
}
