//! Witness operands: where an attribute mentions an extent that only data decides, the operator takes its value as an
//! operand, so that liveness, order and extraction see the dependence.
//!
//! A *data-backed* symbol ([`crate::dim::Backing::Data`]) gets its value in exactly three ways: by a witness operand, or by
//! the result types of If and Loop, or by those of Opaque. An operator whose attributes mention such symbols that its
//! regular operands' shapes do not mention takes, after them, one `i64[]` operand per symbol, in order of name.
//! [`Op::Dim`] has no regular operands of its own: it may take tensors whose shapes mention the symbols (of rank 1 or
//! more, and first), and takes witnesses for the others.

use std::collections::BTreeSet;

use super::Op;
use super::attrs::Attr;
use super::call::Call;
use crate::dim::{Backing, Dim, Symbol, Symbols};
use crate::dtype::DType;
use crate::types::Type;

impl Op {
    /// Calls `visit` on every extent in the attributes.
    pub fn each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        if let Self::Loop(l) = self {
            l.trip.iter().for_each(&mut *visit);
        }
        if let Self::Call(call) = self
            && let Call::Resize(r) = &**call
        {
            r.sizes.iter().for_each(&mut *visit);
        }
        for attr in self.split().1 {
            match attr {
                Attr::Dim(d) => visit(&d),
                Attr::Dims(list) => list.iter().for_each(&mut *visit),
                Attr::Insert(list) => list.iter().for_each(|(_, d)| visit(d)),
                Attr::Slices(list) => list.iter().for_each(|a| [&a.start, &a.len].into_iter().for_each(&mut *visit)),
                Attr::Pads(list) => list.iter().for_each(|a| [&a.lo, &a.hi].into_iter().for_each(&mut *visit)),
                Attr::Spec(spec) => spec.ext().iter().for_each(|(_, d)| visit(d)),
                Attr::Perm(_) | Attr::Axis(_) | Attr::Gather(_) | Attr::DType(_) | Attr::Literal(_) => {}
            }
        }
    }

    /// How many of the operands come before the witnesses.
    pub fn regular(&self, args: &[&Type]) -> usize {
        let n = match self {
            Self::Iota { .. } => 0,
            Self::Reshape(_) | Self::Broadcast(_) | Self::Slice(_) | Self::ArgSort { .. } => 1,
            Self::Pad(_) => 2,
            Self::Dim(_) => args.iter().take_while(|t| !is_witness(t)).count(),
            Self::Call(call) if matches!(**call, Call::Resize(_)) => 1,
            Self::Input(_)
            | Self::Const(_)
            | Self::Permute(_)
            | Self::Concat(_)
            | Self::Gather(_)
            | Self::Scatter(..)
            | Self::Map(_)
            | Self::Reduce { .. }
            | Self::Contract { .. }
            | Self::If(..)
            | Self::Loop(_)
            | Self::Call(_)
            | Self::Opaque(_)
            | Self::Proj(_) => args.len(),
        };
        n.min(args.len())
    }

    /// The data-backed symbols that the attributes mention and the shapes of the regular operands do not, in order of
    /// name: those that witness operands stand for.
    pub fn unmentioned(&self, regular: &[&Type], symbols: &Symbols) -> Vec<Symbol> {
        // Most models have none, and looking through attributes is not free.
        if symbols.0.is_empty() || symbols.0.values().all(|info| info.backing != Backing::Data) {
            return Vec::new();
        }
        let mut wanted = BTreeSet::new();
        self.each_dim(&mut |d| {
            d.symbols(&mut |s| {
                if symbols.info(s).backing == Backing::Data {
                    wanted.insert(s.clone());
                }
            });
        });
        if wanted.is_empty() {
            return Vec::new();
        }
        for d in regular.iter().filter_map(|t| t.as_tensor()).flat_map(|t| &t.shape) {
            d.symbols(&mut |s| {
                wanted.remove(s);
            });
        }
        wanted.into_iter().collect()
    }
}

/// Whether a type is that of a witness: `i64[]`.
pub fn is_witness(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|t| t.dtype == DType::I64 && t.shape.is_empty())
}
