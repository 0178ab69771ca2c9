//! Stages: a kernel taken apart into loop nests. Each stage walks its axes, folds some of them and stores elements.
//!
//! Everything between stages is inlined: permutations, reshapes, broadcasts, slices and gathers become index expressions,
//! maps become expressions at the load, and maps after a fold are stored from its accumulator where every path to them
//! keeps the fold's elements one to one (Permute, Reshape, Concat).

use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::dtype::DType;
use egret_ir::op::Monoid;
use egret_ir::tensor::Tensor;

use crate::affine::{Affine, Within};
use crate::native::Native;
use crate::value::{Slot, Value};

/// Where a slot's memory comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotKind {
    /// The kernel's operand of that position.
    Read(usize),
    /// The kernel's result of that position.
    Write(usize),
    /// Working memory of the kernel.
    Temp,
    /// A constant made here.
    Table(Tensor),
}

/// A tensor of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotInfo {
    /// Name in the code.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub shape: Vec<Dim>,
    /// Where it lives.
    pub kind: SlotKind,
}

impl SlotInfo {
    /// Number of elements.
    pub fn len(&self) -> Dim {
        count(&self.shape)
    }

    /// Whether it has no elements, whatever the symbols are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of bytes.
    pub fn bytes(&self) -> Dim {
        self.len() * self.dtype.size()
    }
}

/// What is folded.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// One value.
    Value(Arc<Value>),
    /// The product of two.
    Product(Arc<Value>, Arc<Value>),
}

/// The fold of a stage, over the axes after the first `rank`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// How terms are combined.
    pub monoid: Monoid,
    /// Accumulator type; the terms are of this type (of the compared values' type, for the arg monoids).
    pub acc: DType,
    /// The terms.
    pub term: Term,
    /// A term counts only where all of these hold.
    pub when: Vec<Within>,
}

/// One element stored per point of the stage's first `rank` axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    /// The tensor.
    pub slot: Slot,
    /// Row-major position.
    pub at: Affine,
    /// The value.
    pub value: Arc<Value>,
}

/// One loop nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Extents of the axes: the stored ones, then the folded ones.
    pub extents: Vec<Dim>,
    /// Number of stored axes.
    pub rank: usize,
    /// What is folded, if anything.
    pub fold: Option<Fold>,
    /// What is stored.
    pub stores: Vec<Store>,
    /// What it computes, for people.
    pub note: String,
}

/// One step of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A loop nest.
    Stage(Stage),
    /// A runtime kernel with its own code.
    Native(Native),
}

/// A kernel as stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// Tensors.
    pub slots: Vec<SlotInfo>,
    /// Steps, in order; a step reads only what earlier ones or the caller wrote.
    pub steps: Vec<Step>,
}

impl Stage {
    /// Number of points of the stored axes.
    pub fn points(&self) -> Dim {
        count(&self.extents[..self.rank])
    }

    /// Number of folded terms per point.
    pub fn terms(&self) -> Dim {
        count(&self.extents[self.rank..])
    }

    /// Every value it evaluates.
    pub fn values(&self) -> Vec<&Arc<Value>> {
        let mut out: Vec<&Arc<Value>> = Vec::new();
        if let Some(f) = &self.fold {
            match &f.term {
                Term::Value(v) => out.push(v),
                Term::Product(a, b) => out.extend([a, b]),
            }
        }
        out.extend(self.stores.iter().map(|s| &s.value));
        out
    }

    /// Every slot it reads.
    pub fn reads(&self) -> Vec<Slot> {
        let mut out = Vec::new();
        for v in self.values() {
            v.visit(&mut |v| {
                if let Value::Load { slot, .. } = &**v
                    && !out.contains(slot)
                {
                    out.push(*slot);
                }
            });
        }
        out
    }

    /// The same stage with its axes renamed: old axis `i` is `to[i]` over the new extents, of which the first `rank` are stored.
    pub fn rename(&self, to: &[Affine], extents: Vec<Dim>, rank: usize) -> Self {
        let sub = |v: &Arc<Value>| Value::substitute(v, to, &extents);
        let fold = self.fold.as_ref().map(|f| Fold {
            monoid: f.monoid,
            acc: f.acc,
            term: match &f.term {
                Term::Value(v) => Term::Value(sub(v)),
                Term::Product(a, b) => Term::Product(sub(a), sub(b)),
            },
            when: f.when.iter().map(|w| w.substitute(to, &extents).reduced()).filter(|w| !w.always(&extents)).collect(),
        });
        let stores = self
            .stores
            .iter()
            .map(|s| Store { slot: s.slot, at: s.at.substitute(to, &extents), value: sub(&s.value) })
            .collect();
        Self { extents, rank, fold, stores, note: self.note.clone() }
    }
}
