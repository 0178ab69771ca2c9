//! Attributes of the index kinds, drawn for a result shape, and the operand shapes they imply.

use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::{Scalar, Types};
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{DType, Dim, Shape};

use super::{Draw, OPERANDS};
use crate::lang::{AttrPat, HeadPat, NodePat, Pat};

/// Operand types that a function might take.
pub(super) fn operand_types(f: Scalar, arity: usize) -> Vec<Vec<DType>> {
    let mut out = Vec::new();
    for d in OPERANDS {
        let mut types = vec![d; arity];
        out.push(types.clone());
        if f == Scalar::Select && arity == 3 && d != DType::Bool {
            types[0] = DType::Bool;
            out.push(types);
        }
    }
    out.retain(|t| f.arity() == arity && f.result(t).is_some());
    out
}

/// Whether a pattern gives truth values whatever its operands are.
pub(super) fn gives_truth(n: &NodePat) -> bool {
    let HeadPat::Is(Head::Map(f)) = &n.head else { return false };
    match f.def().types {
        Types::FloatToBool | Types::Equality | Types::Order => true,
        Types::Bits => n.args.iter().any(|a| matches!(a, Pat::Node(inner) if gives_truth(inner))),
        Types::Num
        | Types::NumBool
        | Types::Float
        | Types::Signed
        | Types::Int
        | Types::Pow
        | Types::Select
        | Types::To(_)
        | Types::Reinterpret(_) => false,
    }
}

/// The element type that a pattern says it has, by a cast to it below functions that keep it.
pub(super) fn written_type(p: &Pat) -> Option<DType> {
    let Pat::Node(n) = p else { return None };
    match (&n.head, n.attrs.as_slice()) {
        (HeadPat::Cast, [AttrPat::Value(Attr::DType(d))]) => Some(*d),
        (HeadPat::Is(Head::Map(f)), _) if matches!(f.def().types, Types::Num | Types::Signed) => {
            n.args.iter().find_map(written_type)
        }
        _ => None,
    }
}

/// The shape without the axes that a Broadcast inserts; None where the extents disagree.
pub(super) fn without(shape: &[Dim], new: &[(u8, Dim)]) -> Option<Shape> {
    let mut out = Vec::new();
    let mut fits = 0;
    for (i, d) in shape.iter().enumerate() {
        match new.iter().find(|(at, _)| usize::from(*at) == i) {
            Some((_, e)) if e == d => fits += 1,
            Some(_) => return None,
            None => out.push(d.clone()),
        }
    }
    (fits == new.len()).then_some(out)
}

/// The operand shape of a Pad with that result; None where there is none.
pub(super) fn unpadded(shape: &[Dim], pads: &[PadAxis]) -> Option<Shape> {
    if shape.len() != pads.len() {
        return None;
    }
    shape
        .iter()
        .zip(pads)
        .map(|(d, p)| {
            let covered = d.clone() - p.lo.clone() - p.hi.clone();
            let Some(cells) = covered.as_const() else { return (p.inner == 0).then_some(covered) };
            let n = (cells + p.inner) / (p.inner + 1);
            let back = if n == 0 { 0 } else { n + p.inner * (n - 1) };
            (cells >= 0 && back == cells).then_some(Dim::from(n))
        })
        .collect()
}

impl Draw<'_> {
    /// Whether the rule has a condition for truth of that name.
    pub(super) fn asks(&self, name: &str) -> bool {
        self.rule.conditions.iter().any(|c| c.def.name == name)
    }

    /// Another shape of the same element count: neighbours joined, axes split, extent-1 axes put in or left out.
    pub(super) fn regrouped(&mut self, shape: &[Dim]) -> Shape {
        let mut out = shape.to_vec();
        // Every way of one step, or up to three at random.
        for _ in 0..self.pick.below(if self.pick.is_each() { 2 } else { 4 }) {
            let at = self.pick.below(out.len() + 1);
            match self.pick.below(4) {
                0 if at + 1 < out.len() => {
                    let joined = out[at].clone() * out[at + 1].clone();
                    out.splice(at..at + 2, [joined]);
                }
                1 if at < out.len() => {
                    if let Some((by, rest)) = factors(&out[at]) {
                        out.splice(at..=at, if self.pick.once_in(2) { [by, rest] } else { [rest, by] });
                    }
                }
                2 if at < out.len() && out[at] == Dim::ONE => {
                    out.remove(at);
                }
                3 if out.len() < 5 => out.insert(at, Dim::ONE),
                _ => {}
            }
        }
        out
    }

    /// Some axes of the shape as inserted ones.
    pub(super) fn insert(&mut self, shape: &[Dim]) -> Attr {
        let new: Vec<(u8, Dim)> =
            shape.iter().enumerate().filter(|_| self.pick.once_in(2)).map(|(i, d)| (i as u8, d.clone())).collect();
        Attr::Insert(new.into())
    }

    /// Slices that leave this shape.
    pub(super) fn slices(&mut self, shape: &[Dim]) -> Attr {
        // Every axis whole but perhaps reversed: what is closest to doing nothing.
        if !self.pick.is_each() && self.pick.once_in(6) {
            let whole = |len: &Dim| SliceAxis { start: Dim::ZERO, step: 1, len: len.clone() };
            let back = |len: &Dim| SliceAxis { start: len.clone() - Dim::ONE, step: -1, len: len.clone() };
            let reversed = |d: &mut Self, len: &Dim| *len != Dim::ZERO && d.pick.once_in(2);
            let axes = shape.iter().map(|len| if reversed(self, len) { back(len) } else { whole(len) });
            return Attr::Slices(axes.collect());
        }
        let axes: Vec<SliceAxis> = shape
            .iter()
            .map(|len| {
                let steps: &[i64] = if self.pick.is_each() { &[1, -1, 2] } else { &[1, 1, 1, 1, -1, 2, -2] };
                let step = steps[self.pick.below(steps.len())];
                let first = Dim::from(self.pick.below(if self.pick.is_each() { 2 } else { 3 }));
                let start = match len.as_const() {
                    Some(0) => Dim::ZERO,
                    _ if step < 0 => first - Dim::from(step) * (len.clone() - Dim::ONE),
                    _ => first,
                };
                SliceAxis { start, step, len: len.clone() }
            })
            .collect();
        Attr::Slices(axes.into())
    }

    /// An operand shape that the slices leave `shape` of; None where their lengths disagree with it.
    pub(super) fn sliced(&mut self, shape: &[Dim], slices: &[SliceAxis]) -> Option<Shape> {
        if shape.len() != slices.len() {
            return None;
        }
        let mut out = Vec::new();
        for (d, s) in shape.iter().zip(slices) {
            let least = match s.len.as_const() {
                Some(0) => Dim::ZERO,
                _ if s.step < 0 => s.start.clone() + Dim::ONE,
                _ => s.start.clone() + Dim::from(s.step) * (s.len.clone() - Dim::ONE) + Dim::ONE,
            };
            // As little as will do, more often than not.
            let extra =
                if self.pick.once_in(2) { 0 } else { self.pick.below(if self.pick.is_each() { 1 } else { 2 }) + 1 };
            let extra = Dim::from(extra);
            out.push((s.len == *d).then(|| least + extra)?);
        }
        Some(out)
    }

    /// Pads that grow to this shape.
    pub(super) fn pads(&mut self, shape: &[Dim]) -> Attr {
        let axes: Vec<PadAxis> = shape
            .iter()
            .map(|d| {
                let most = d.as_const().map_or(usize::MAX, |n| n.max(0) as usize);
                let lo = self.pick.below(3).min(most);
                let hi = self.pick.below(3).min(most - lo);
                let odd = d.as_const().is_some_and(|n| (n - (lo + hi) as i64) % 2 == 1);
                PadAxis { lo: Dim::from(lo), hi: Dim::from(hi), inner: i64::from(odd && self.pick.once_in(4)) }
            })
            .collect();
        Attr::Pads(axes.into())
    }
}

/// Two factors of an extent, neither 1.
fn factors(d: &Dim) -> Option<(Dim, Dim)> {
    if let Some(n) = d.as_const() {
        let by = [2, 3, 5].into_iter().find(|b| n > *b && n % b == 0)?;
        return Some((Dim::from(by), Dim::from(n / by)));
    }
    let terms = d.terms();
    let [(atoms, 1)] = terms.as_slice() else { return None };
    let (first, _) = atoms.first().filter(|_| atoms.iter().map(|a| a.1).sum::<u32>() > 1)?;
    let by = Dim::from(first.clone());
    Some((by.clone(), d.exact_div(&by)))
}
