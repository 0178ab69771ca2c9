//! Padded copies: a windowed operand with its border written out, so that the loops over it need no conditions.

use egret_ir::Dim;
use egret_ir::dim::count;
use egret_ir::dtype::{DType, Literal};

use crate::affine::{Affine, Atom, Axis, Within};
use crate::emit::Emitter;
use crate::extent::{below, nonnegative, rough};
use crate::loops::{Arg, E, S};
use crate::stage::SlotInfo;
use crate::value::Slot;

/// One windowed dimension of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Position in the operand's dimension, over the stage's axes.
    pub index: Affine,
    /// Positions inside the operand: `0..extent`.
    pub extent: Dim,
    /// Elements between neighbours in the operand.
    pub stride: Dim,
    /// Least position asked for; negative where there is a border before.
    pub first: Dim,
    /// Last position asked for.
    pub last: Dim,
}

impl Dimension {
    /// Positions in the padded copy.
    pub fn padded(&self) -> Dim {
        &self.last - &self.first + 1
    }

    /// Whether positions before the operand are asked for.
    pub fn starts_outside(&self) -> bool {
        !nonnegative(&self.first)
    }

    /// Whether positions behind the operand are asked for, or may be.
    pub fn ends_outside(&self) -> bool {
        !below(&self.last, &self.extent)
    }
}

/// A windowed operand taken apart: `at = Σ outer axes + Σ stride · index`.
#[derive(Clone, Debug)]
pub struct Halo {
    /// The operand.
    pub slot: Slot,
    /// Axes outside of all windows: axis, its coefficient in the operand, its extent.
    pub outer: Vec<(Axis, Dim, Dim)>,
    /// Windowed dimensions, outermost first; the last one becomes the rows of the copy.
    pub dims: Vec<Dimension>,
    /// Rest of the position.
    pub offset: Dim,
}

impl Halo {
    /// Takes an operand apart by the conditions of its windows. None where they do not describe it.
    pub fn new(slot: Slot, at: &Affine, when: &[Within], extents: &[Dim]) -> Option<Self> {
        let mut rest = at.clone();
        let mut dims = Vec::new();
        for w in when {
            let (axis, c) = w.index.terms().first().and_then(|(a, c)| match a {
                Atom::Axis(a) => Some((*a, c)),
                Atom::Div(..) | Atom::Mod(..) | Atom::Data { .. } => None,
            })?;
            if !w.index.is_linear() || w.step != 1 || w.lo != 0 {
                return None;
            }
            let coefficient = rest.coefficient(axis);
            if coefficient == 0 {
                return None;
            }
            let stride = coefficient.quotient(c)?;
            rest = rest.plus(&w.index.times(Dim::ZERO - &stride));
            if w.index.terms().iter().any(|(a, _)| matches!(a, Atom::Axis(a) if rest.mentions(*a))) {
                return None;
            }
            let (first, last) = w.index.range(extents);
            if first.is_invalid() || last.is_invalid() {
                return None;
            }
            dims.push(Dimension { index: w.index.clone(), extent: w.hi.clone(), stride, first, last });
        }
        if !rest.is_linear() || dims.is_empty() || dims.iter().any(|d| !nonnegative(&d.stride) || d.stride == 0) {
            return None;
        }
        dims.sort_by_key(|d| -rough(&d.stride));
        let outer = rest
            .terms()
            .iter()
            .filter_map(|(a, c)| match a {
                Atom::Axis(a) => Some((*a, c.clone(), extents[*a].clone())),
                Atom::Div(..) | Atom::Mod(..) | Atom::Data { .. } => None,
            })
            .collect();
        Some(Self { slot, outer, dims, offset: rest.offset().clone() })
    }

    /// Elements of one padded plane (all windowed dimensions).
    pub fn plane(&self) -> Dim {
        count(&self.shape())
    }

    /// Extents of one padded plane.
    fn shape(&self) -> Vec<Dim> {
        self.dims.iter().map(Dimension::padded).collect()
    }

    /// Position in the padded copy of one plane.
    pub fn plane_index(&self) -> Affine {
        let index: Vec<Affine> =
            self.dims.iter().map(|d| d.index.plus(&Affine::constant(Dim::ZERO - &d.first))).collect();
        Affine::flatten(&index, &self.shape())
    }

    /// Statements that write padded rows of one plane: rows `row_from..row_to` (of the padded dimension before the last,
    /// or the only row there is) to the pointer `into`, whose element 0 is the start of row `row_from`. `source` points
    /// to the plane in the operand; further windowed dimensions are walked whole.
    pub fn copy_rows(&self, em: &mut Emitter<'_>, into: &str, source: &str, border: Literal, rows: Option<(E, E)>) {
        let row = &self.dims[self.dims.len() - 1];
        let before = (Dim::ZERO - &row.first).larger(&Dim::ZERO);
        let skip = row.first.larger(&Dim::ZERO);
        let inside = (row.last.smaller(&(&row.extent - 1)) - &skip + 1).larger(&Dim::ZERO);
        let pitch = row.padded();
        let after = &pitch - &before - &inside;
        let one = |em: &mut Emitter<'_>, to: E, from: E, valid: Option<E>| {
            let int = |d: &Dim| Arg::Value(E::Int(d.clone()));
            let call = |source: Arg| S::Call {
                name: "eg_pad_row",
                args: vec![
                    Arg::Pointer(into.to_owned(), to.clone()),
                    source,
                    int(&row.stride),
                    int(&before),
                    int(&inside),
                    int(&after),
                    Arg::Value(E::Lit(border)),
                ],
            };
            let copy = call(Arg::Pointer(source.to_owned(), from.plus(&skip * &row.stride)));
            match valid {
                None => em.push(copy),
                Some(cond) => em.push(S::If { cond, then: vec![copy], otherwise: vec![call(Arg::Null)] }),
            }
        };
        let walk = Walk { pitch: pitch.clone(), one: &one };
        walk.go(em, &self.dims[..self.dims.len() - 1], E::int(0), E::int(0), &[], rows);
    }

    /// A slot for the padded copy of the whole operand, and the position of the operand's load in it.
    pub fn whole(&self, slots: &mut Vec<SlotInfo>) -> (Slot, Affine) {
        let mut shape: Vec<Dim> = self.outer.iter().map(|o| o.2.clone()).collect();
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
    pitch: Dim,
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
        let size = inner.iter().fold(self.pitch.clone(), |n, d| n * d.padded());
        let (first, last) = rows.unwrap_or((E::int(0), E::Int(d.padded())));
        let base = first.clone();
        em.for_loop(&var.clone(), first, last, 1, |em| {
            let at = E::Var(var.clone()).plus(&d.first);
            let mut valid = valid.to_vec();
            let (starts, ends) = (d.starts_outside(), d.ends_outside());
            if starts || ends {
                valid.push(E::Within {
                    index: Box::new(at.clone()),
                    lo: starts.then_some(Dim::ZERO),
                    hi: ends.then(|| d.extent.clone()),
                    step: 1,
                });
            }
            let to = to.clone().add(E::Var(var.clone()).add(base.times(-1)).times(size));
            let from = from.clone().add(at.times(&d.stride));
            self.go(em, inner, to, from, &valid, None);
        });
    }
}
