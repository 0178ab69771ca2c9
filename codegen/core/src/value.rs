//! Tensor expressions: what one element of a tensor is, as a function of the axes of iteration.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use egret_ir::Dim;
use egret_ir::dtype::{DType, Literal};
use egret_ir::op::scalar::Scalar;

use crate::affine::{Affine, Axis, Within};

/// A tensor of a kernel: an operand, a result or a temporary, by position in the kernel's slot list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub usize);

/// The value of one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// An element of a tensor.
    Load {
        /// The tensor.
        slot: Slot,
        /// Row-major position.
        at: Affine,
        /// Its element type.
        dtype: DType,
    },
    /// A number.
    Lit(Literal),
    /// The value of an index expression, as i64.
    Index(Affine),
    /// A function of elements.
    Map {
        /// The function.
        f: Scalar,
        /// Operands.
        args: Vec<Arc<Value>>,
        /// Type of the result.
        dtype: DType,
    },
    /// `yes` where all conditions hold (only then it may be computed), else `no`.
    Choose {
        /// The conditions.
        when: Vec<Within>,
        /// Value where they hold.
        yes: Arc<Value>,
        /// Value elsewhere.
        no: Arc<Value>,
    },
    /// The result of the stage's fold, inside the expressions stored after it.
    Acc(DType),
}

impl Value {
    /// Its element type.
    pub fn dtype(&self) -> DType {
        match self {
            Self::Load { dtype, .. } | Self::Map { dtype, .. } | Self::Acc(dtype) => *dtype,
            Self::Lit(l) => l.dtype(),
            Self::Index(_) => DType::I64,
            Self::Choose { yes, .. } => yes.dtype(),
        }
    }

    /// A function of values; the types must fit the function.
    pub fn map(f: Scalar, args: Vec<Arc<Self>>, dtype: DType) -> Arc<Self> {
        Arc::new(Self::Map { f, args, dtype })
    }

    /// Operand values.
    pub fn children(&self) -> Vec<&Arc<Self>> {
        match self {
            Self::Load { .. } | Self::Lit(_) | Self::Index(_) | Self::Acc(_) => Vec::new(),
            Self::Map { args, .. } => args.iter().collect(),
            Self::Choose { yes, no, .. } => vec![yes, no],
        }
    }

    /// Visits every distinct node (shared ones once), operands first; indices read from data included.
    pub fn visit(self: &Arc<Self>, f: &mut dyn FnMut(&Arc<Self>)) {
        fn affine(e: &Affine, seen: &mut HashSet<*const Value>, f: &mut dyn FnMut(&Arc<Value>)) {
            for (a, _) in e.terms() {
                match a {
                    crate::affine::Atom::Axis(_) => {}
                    crate::affine::Atom::Div(e, _) | crate::affine::Atom::Mod(e, _) => affine(e, seen, f),
                    crate::affine::Atom::Data { value, .. } => go(value, seen, f),
                }
            }
        }
        fn go(v: &Arc<Value>, seen: &mut HashSet<*const Value>, f: &mut dyn FnMut(&Arc<Value>)) {
            if !seen.insert(Arc::as_ptr(v)) {
                return;
            }
            match &**v {
                Value::Load { at, .. } | Value::Index(at) => affine(at, seen, f),
                Value::Choose { when, .. } => {
                    for w in when {
                        affine(&w.index, seen, f);
                    }
                }
                Value::Lit(_) | Value::Map { .. } | Value::Acc(_) => {}
            }
            for c in v.children() {
                go(c, seen, f);
            }
            f(v);
        }
        go(self, &mut HashSet::new(), f);
    }

    /// Whether the axis occurs in it.
    pub fn mentions(&self, axis: Axis) -> bool {
        match self {
            Self::Load { at, .. } | Self::Index(at) => at.mentions(axis),
            Self::Lit(_) | Self::Acc(_) => false,
            Self::Map { args, .. } => args.iter().any(|a| a.mentions(axis)),
            Self::Choose { when, yes, no } => {
                when.iter().any(|w| w.index.mentions(axis)) || yes.mentions(axis) || no.mentions(axis)
            }
        }
    }

    /// With every axis `i` replaced by `to[i]`; sharing is kept.
    pub fn substitute(this: &Arc<Self>, to: &[Affine], extents: &[Dim]) -> Arc<Self> {
        rewrite(
            this,
            &mut HashMap::new(),
            &mut |v| match v {
                Self::Load { slot, at, dtype } => {
                    Some(Arc::new(Self::Load { slot: *slot, at: at.substitute(to, extents), dtype: *dtype }))
                }
                Self::Index(at) => Some(Arc::new(Self::Index(at.substitute(to, extents)))),
                Self::Lit(_) | Self::Map { .. } | Self::Choose { .. } | Self::Acc(_) => None,
            },
            &|w| w.substitute(to, extents),
        )
    }

    /// With every load replaced where `f` says so; sharing is kept.
    pub fn replace_loads(this: &Arc<Self>, f: &dyn Fn(Slot, &Affine) -> Option<Arc<Self>>) -> Arc<Self> {
        rewrite(
            this,
            &mut HashMap::new(),
            &mut |v| match v {
                Self::Load { slot, at, .. } => f(*slot, at),
                Self::Index(_) | Self::Lit(_) | Self::Map { .. } | Self::Choose { .. } | Self::Acc(_) => None,
            },
            &Within::clone,
        )
    }

    /// Elementary operations of one evaluation, shared parts counted once.
    pub fn flops(self: &Arc<Self>) -> u32 {
        let mut n = 0;
        self.visit(&mut |v| {
            if let Self::Map { f, .. } = &**v {
                n += f.def().flops;
            }
        });
        n
    }
}

fn rewrite(
    v: &Arc<Value>,
    memo: &mut HashMap<*const Value, Arc<Value>>,
    leaf: &mut dyn FnMut(&Value) -> Option<Arc<Value>>,
    cond: &dyn Fn(&Within) -> Within,
) -> Arc<Value> {
    if let Some(done) = memo.get(&Arc::as_ptr(v)) {
        return done.clone();
    }
    let out = if let Some(new) = leaf(v) {
        new
    } else {
        match &**v {
            Value::Load { .. } | Value::Lit(_) | Value::Index(_) | Value::Acc(_) => v.clone(),
            Value::Map { f, args, dtype } => {
                Value::map(*f, args.iter().map(|a| rewrite(a, memo, leaf, cond)).collect(), *dtype)
            }
            Value::Choose { when, yes, no } => Arc::new(Value::Choose {
                when: when.iter().map(cond).collect(),
                yes: rewrite(yes, memo, leaf, cond),
                no: rewrite(no, memo, leaf, cond),
            }),
        }
    };
    memo.insert(Arc::as_ptr(v), out.clone());
    out
}
