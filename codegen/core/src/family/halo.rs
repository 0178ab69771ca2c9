//! Padded copies: a windowed operand with its border written out, so that the loops over it need no conditions.

use egret_ir::dtype::{DType, Literal};

use crate::affine::{Affine, Axis, Within};
use crate::emit::Emitter;
use crate::loops::{Arg, E, S};
use crate::stage::SlotInfo;
use crate::value::Slot;

/// One windowed dimension of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Position in the operand's dimension, over the stage's axes.
    pub index: Affine,
    /// Positions inside the operand: `0..extent`.
    pub extent: i64,
    /// Elements between neighbours in the operand.
    pub stride: i64,
    /// Least position asked for, ≤ 0 where there is a border before.
    pub first: i64,
    /// Last position asked for.
    pub last: i64,
}

impl Dimension {
    /// Positions in the padded copy.
    pub fn padded(&self) -> i64 {
        self.last - self.first + 1
    }
}

/// A windowed operand taken apart: `at = Σ outer axes + Σ stride · index`.
#[derive(Clone, Debug)]
pub struct Halo {
    /// The operand.
    pub slot: Slot,
    /// Axes outside of all windows: axis, its coefficient in the operand, its extent.
    pub outer: Vec<(Axis, i64, i64)>,
    /// Windowed dimensions, outermost first; the last one becomes the rows of the copy.
    pub dims: Vec<Dimension>,
    /// Rest of the position.
    pub offset: i64,
}

impl Halo {
    /// Takes an operand apart by the conditions of its windows. None where they do not describe it.
    pub fn new(slot: Slot, at: &Affine, when: &[Within], extents: &[i64]) -> Option<Self> {
        let mut rest = at.clone();
        let mut dims = Vec::new();
        for w in when {
            let (axis, c) = w.index.terms().first().and_then(|(a, c)| match a {
                crate::affine::Atom::Axis(a) => Some((*a, *c)),
                _ => None,
            })?;
            if !w.index.is_linear() || w.step != 1 || w.lo != 0 {
                return None;
            }
            let coefficient = rest.coefficient(axis);
            if coefficient == 0 || coefficient % c != 0 {
                return None;
            }
            let stride = coefficient / c;
            rest = rest.plus(&w.index.times(-stride));
            if w.index.terms().iter().any(|(a, _)| matches!(a, crate::affine::Atom::Axis(a) if rest.mentions(*a))) {
                return None;
            }
            let (first, last) = w.index.range(extents);
            dims.push(Dimension { index: w.index.clone(), extent: w.hi, stride, first, last });
        }
        if !rest.is_linear() || dims.is_empty() {
            return None;
        }
        dims.sort_by_key(|d| -d.stride);
        if dims.iter().any(|d| d.stride < 1) {
            return None;
        }
        let outer = rest
            .terms()
            .iter()
            .filter_map(|(a, c)| match a {
                crate::affine::Atom::Axis(a) => Some((*a, *c, extents[*a])),
                _ => None,
            })
            .collect();
        Some(Self { slot, outer, dims, offset: rest.offset() })
    }

    /// Elements of one padded plane (all windowed dimensions).
    pub fn plane(&self) -> i64 {
        self.dims.iter().map(Dimension::padded).product()
    }

    /// Position in the padded copy of one plane.
    pub fn plane_index(&self) -> Affine {
        let index: Vec<Affine> = self.dims.iter().map(|d| d.index.plus(&Affine::constant(-d.first))).collect();
        let shape: Vec<i64> = self.dims.iter().map(Dimension::padded).collect();
        Affine::flatten(&index, &shape)
    }

    /// Statements that write padded rows of one plane: rows `row_from..row_to` (of the padded dimension before the last,
    /// or the only row there is) to the pointer `into`, whose element 0 is the start of row `row_from`. `source` points
    /// to the plane in the operand; further windowed dimensions are walked whole.
    pub fn copy_rows(&self, em: &mut Emitter<'_>, into: &str, source: &str, border: Literal, rows: Option<(E, E)>) {
        let row = &self.dims[self.dims.len() - 1];
        let before = (-row.first).max(0);
        let inside = row.last.min(row.extent - 1) - row.first.max(0) + 1;
        let inside = inside.max(0);
        let after = row.padded() - before - inside;
        let skip = row.first.max(0);
        let pitch = row.padded();
        let one = |em: &mut Emitter<'_>, to: E, from: E, valid: Option<E>| {
            let call = |source: Arg| S::Call {
                name: "eg_pad_row",
                args: vec![
                    Arg::Pointer(into.to_owned(), to.clone()),
                    source,
                    Arg::Value(E::Int(row.stride)),
                    Arg::Value(E::Int(before)),
                    Arg::Value(E::Int(inside)),
                    Arg::Value(E::Int(after)),
                    Arg::Value(E::Lit(border)),
                ],
            };
            let copy = call(Arg::Pointer(source.to_owned(), from.add(E::Int(skip * row.stride))));
            match valid {
                None => em.push(copy),
                Some(cond) => em.push(S::If { cond, then: vec![copy], otherwise: vec![call(Arg::Null)] }),
            }
        };
        let walk = Walk { pitch, one: &one };
        walk.go(em, &self.dims[..self.dims.len() - 1], E::Int(0), E::Int(0), &[], rows);
    }

    /// A slot for the padded copy of the whole operand, and the position of the operand's load in it.
    pub fn whole(&self, slots: &mut Vec<SlotInfo>) -> (Slot, Affine) {
        let mut shape: Vec<i64> = self.outer.iter().map(|o| o.2).collect();
        shape.push(self.plane());
        let slot = Slot(slots.len());
        slots.push(SlotInfo {
            name: format!("t{}", slots.len()),
            dtype: DType::F32,
            shape: shape.clone(),
            kind: crate::stage::SlotKind::Temp,
        });
        let mut index: Vec<Affine> = self.outer.iter().map(|o| Affine::axis(o.0)).collect();
        index.push(self.plane_index());
        (slot, Affine::flatten(&index, &shape))
    }
}

/// Writes one padded row: where to, where from, and the condition under which it is inside.
type WriteRow<'a> = &'a dyn Fn(&mut Emitter<'_>, E, E, Option<E>);

/// The loops over the windowed dimensions outside of a row.
struct Walk<'a> {
    pitch: i64,
    one: WriteRow<'a>,
}

impl Walk<'_> {
    fn go(&self, em: &mut Emitter<'_>, outer: &[Dimension], to: E, from: E, valid: &[E], rows: Option<(E, E)>) {
        let Some((d, inner)) = outer.split_first() else {
            let valid = if valid.is_empty() { None } else { Some(E::All(valid.to_vec())) };
            (self.one)(em, to, from, valid);
            return;
        };
        let var = em.fresh("h");
        let size: i64 = inner.iter().map(Dimension::padded).product::<i64>() * self.pitch;
        let (first, last) = rows.unwrap_or((E::Int(0), E::Int(d.padded())));
        let base = first.clone();
        em.for_loop(&var.clone(), first, last, 1, |em| {
            let at = E::Var(var.clone()).add(E::Int(d.first));
            let mut valid = valid.to_vec();
            if d.first < 0 || d.last >= d.extent {
                valid.push(E::Within {
                    index: Box::new(at.clone()),
                    lo: (d.first < 0).then_some(0),
                    hi: (d.last >= d.extent).then_some(d.extent),
                    step: 1,
                });
            }
            let to = to.clone().add(E::Var(var.clone()).add(base.times(-1)).times(size));
            let from = from.clone().add(at.times(d.stride));
            self.go(em, inner, to, from, &valid, None);
        });
    }
}
