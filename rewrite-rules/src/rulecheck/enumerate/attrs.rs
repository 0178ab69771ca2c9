//! Attributes of the index kinds, drawn for a result shape, and the operand shapes they imply.

use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{PadAxis, SliceAxis};
use egret_ir::{DType, Dim};

use super::{Draw, OPERANDS};

/// A shape as an attribute.
pub(super) fn dims(shape: &[i64]) -> Attr {
    Attr::Dims(shape.iter().map(|d| Dim::from(*d)).collect())
}

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

/// The shape without the axes that a Broadcast inserts; None where the extents disagree.
pub(super) fn without(shape: &[i64], new: &[(u8, Dim)]) -> Option<Vec<i64>> {
    let mut out = Vec::new();
    let mut fits = 0;
    for (i, d) in shape.iter().enumerate() {
        match new.iter().find(|(at, _)| usize::from(*at) == i) {
            Some((_, e)) if e.as_const() == Some(*d) => fits += 1,
            Some(_) => return None,
            None => out.push(*d),
        }
    }
    (fits == new.len()).then_some(out)
}

/// The operand shape of a Pad with that result; None where there is none.
pub(super) fn unpadded(shape: &[i64], pads: &[PadAxis]) -> Option<Vec<i64>> {
    if shape.len() != pads.len() {
        return None;
    }
    shape
        .iter()
        .zip(pads)
        .map(|(d, p)| {
            let covered = d - p.lo.as_const()? - p.hi.as_const()?;
            let n = (covered + p.inner) / (p.inner + 1);
            let back = if n == 0 { 0 } else { n + p.inner * (n - 1) };
            (covered >= 0 && back == covered).then_some(n)
        })
        .collect()
}

impl Draw<'_> {
    /// Another shape of the same element count: neighbours joined, axes split, extent-1 axes put in or left out.
    pub(super) fn regrouped(&mut self, shape: &[i64]) -> Vec<i64> {
        let mut out = shape.to_vec();
        for _ in 0..self.pick.below(4) {
            let at = self.pick.below(out.len() + 1);
            match self.pick.below(4) {
                0 if at + 1 < out.len() => {
                    let joined = out[at] * out[at + 1];
                    out.splice(at..at + 2, [joined]);
                }
                1 if at < out.len() => {
                    let by = [2, 3, 5].into_iter().find(|b| out[at] % b == 0);
                    if let Some(by) = by {
                        let rest = out[at] / by;
                        out.splice(at..=at, if self.pick.once_in(2) { [by, rest] } else { [rest, by] });
                    }
                }
                2 if at < out.len() && out[at] == 1 => {
                    out.remove(at);
                }
                3 if out.len() < 5 => out.insert(at, 1),
                _ => {}
            }
        }
        out
    }

    /// Some axes of the shape as inserted ones.
    pub(super) fn insert(&mut self, shape: &[i64]) -> Attr {
        let new: Vec<(u8, Dim)> =
            shape.iter().enumerate().filter(|_| self.pick.once_in(2)).map(|(i, d)| (i as u8, Dim::from(*d))).collect();
        Attr::Insert(new.into())
    }

    /// Slices that leave this shape.
    pub(super) fn slices(&mut self, shape: &[i64]) -> Attr {
        let axes: Vec<SliceAxis> = shape
            .iter()
            .map(|len| {
                let step: i64 = [1, 1, 1, 1, -1, 2, -2][self.pick.below(7)];
                let first = self.pick.below(3) as i64;
                let start = if step < 0 && *len > 0 { first - step * (len - 1) } else { first };
                SliceAxis { start: Dim::from(if *len == 0 { 0 } else { start }), step, len: Dim::from(*len) }
            })
            .collect();
        Attr::Slices(axes.into())
    }

    /// An operand shape that the slices leave `shape` of; None where their lengths disagree with it.
    pub(super) fn sliced(&mut self, shape: &[i64], slices: &[SliceAxis]) -> Option<Vec<i64>> {
        if shape.len() != slices.len() {
            return None;
        }
        let mut out = Vec::new();
        for (d, s) in shape.iter().zip(slices) {
            let (start, len) = (s.start.as_const()?, s.len.as_const()?);
            let last = start + s.step * (len - 1).max(0);
            let least = if len == 0 { 0 } else { start.max(last) + 1 };
            out.push((len == *d).then_some(least + self.pick.below(3) as i64)?);
        }
        Some(out)
    }

    /// Pads that grow to this shape.
    pub(super) fn pads(&mut self, shape: &[i64]) -> Attr {
        let axes: Vec<PadAxis> = shape
            .iter()
            .map(|d| {
                let lo = self.pick.below(3).min(*d as usize) as i64;
                let hi = self.pick.below(3).min((*d - lo) as usize) as i64;
                let rest = d - lo - hi;
                let inner = i64::from(rest % 2 == 1 && self.pick.once_in(4));
                PadAxis { lo: Dim::from(lo), hi: Dim::from(hi), inner }
            })
            .collect();
        Attr::Pads(axes.into())
    }
}
