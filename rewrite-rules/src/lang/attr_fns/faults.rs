//! Functions that spoil an attribute: what the mutation check (`rulecheck::mutate`) puts around the attributes of a right
//! side. No rule file can name them.

use egret_ir::op::attrs::Attr;
use egret_ir::op::spec::{Ix, Spec, Window};
use egret_ir::op::{PadAxis, Perm, SliceAxis};
use egret_ir::{DType, Dim, Literal};

use super::{AttrFn, row};
use crate::lang::bound::Bound;
use crate::lang::{AttrSort, Sort};

/// The spoiling functions; they take an attribute of any sort, and have no answer where there is nothing to spoil.
pub static FAULTS: &[AttrFn] = &[
    row("off_by_one", &[], Sort::Attr(AttrSort::Dim), |_, a| changed(a.first()?, off_by_one, 1.0)),
    row("turned", &[], Sort::Attr(AttrSort::Dim), |_, a| changed(a.first()?, turned, -1.0)),
];

fn changed(b: &Bound, change: fn(&Attr) -> Option<Attr>, by: f64) -> Option<Bound> {
    match b {
        Bound::Attr(a) => change(a).map(Bound::Attr),
        Bound::Element(l) if by < 0.0 => Some(Bound::Element(Literal::from_f64(l.dtype(), by * l.to_f64()))),
        Bound::Element(l) => Some(Bound::Element(Literal::from_f64(l.dtype(), by + l.to_f64()))),
        Bound::Operand(_)
        | Bound::Function(_)
        | Bound::Monoid(_)
        | Bound::Number(_)
        | Bound::Word(_)
        | Bound::List(_) => None,
    }
}

/// A number in it is one more; the first axis that may.
fn off_by_one(a: &Attr) -> Option<Attr> {
    Some(match a {
        Attr::Dim(d) => Attr::Dim(d.clone() + Dim::ONE),
        Attr::Insert(new) => {
            let mut new = new.clone();
            let free = |at: u8| !new.iter().any(|(other, _)| *other == at);
            let i = (0..new.len()).find(|i| free(new[*i].0 + 1))?;
            new[i].0 += 1;
            Attr::Insert(new)
        }
        Attr::Slices(axes) => {
            let mut axes = axes.clone();
            let first = axes.iter_mut().find(|s| s.len != Dim::ZERO)?;
            *first = SliceAxis { start: first.start.clone() + Dim::ONE, ..first.clone() };
            Attr::Slices(axes)
        }
        Attr::Pads(axes) => {
            let mut axes = axes.clone();
            let first = axes.first_mut()?;
            let (lo, hi) = (first.lo.clone() + Dim::ONE, first.hi.clone() - Dim::ONE);
            *first = PadAxis { lo, hi, inner: first.inner };
            Attr::Pads(axes)
        }
        Attr::Axis(axis) => Attr::Axis(axis + 1),
        Attr::Spec(spec) => {
            let mut ins: Vec<Vec<Ix>> = spec.ins().iter().map(|i| i.to_vec()).collect();
            let window = ins.iter_mut().flatten().find_map(|ix| match ix {
                Ix::Window(w) => Some(w),
                Ix::Label(_) => None,
            })?;
            *window = Window { lo: window.lo + 1, ..*window };
            Attr::Spec(Spec::new(&ins, &spec.out().collect::<Vec<_>>(), spec.ext()).ok()?)
        }
        Attr::Literal(l) => Attr::Literal(Literal::from_f64(l.dtype(), l.to_f64() + 1.0)),
        Attr::Dims(_) | Attr::Perm(_) | Attr::Gather(_) | Attr::DType(_) => return None,
    })
}

/// Its order, or its direction, is another one.
fn turned(a: &Attr) -> Option<Attr> {
    Some(match a {
        Attr::Perm(p) => {
            let back = p.inverse();
            let mut axes: Vec<usize> = p.axes().collect();
            axes.rotate_left(1.min(p.rank()));
            Attr::Perm(if back == *p { Perm::new(&axes)? } else { back })
        }
        Attr::Dims(shape) => {
            let mut shape = shape.clone();
            let at = shape.windows(2).position(|pair| pair[0] != pair[1])?;
            shape.swap(at, at + 1);
            Attr::Dims(shape)
        }
        Attr::Slices(axes) => {
            let mut axes = axes.clone();
            let first = axes.iter_mut().find(|s| s.len != Dim::ZERO && s.len != Dim::ONE)?;
            let last = first.start.clone() + Dim::from(first.step) * (first.len.clone() - Dim::ONE);
            *first = SliceAxis { start: last, step: -first.step, len: first.len.clone() };
            Attr::Slices(axes)
        }
        Attr::Pads(axes) => {
            let mut axes = axes.clone();
            let first = axes.iter_mut().find(|p| p.lo != p.hi)?;
            *first = PadAxis { lo: first.hi.clone(), hi: first.lo.clone(), inner: first.inner };
            Attr::Pads(axes)
        }
        Attr::Axis(axis) => Attr::Axis(axis.checked_sub(1)?),
        Attr::Spec(spec) => {
            let mut ins: Vec<Vec<Ix>> = spec.ins().iter().map(|i| i.to_vec()).collect();
            let last = ins.iter_mut().rfind(|axes| axes.len() > 1)?;
            last.swap(0, 1);
            Attr::Spec(Spec::new(&ins, &spec.out().collect::<Vec<_>>(), spec.ext()).ok()?)
        }
        Attr::DType(d) => Attr::DType(match d {
            DType::F16 | DType::BF16 | DType::F64 => DType::F32,
            DType::F32 => DType::F16,
            DType::I8 | DType::I16 | DType::I64 => DType::I32,
            DType::I32 => DType::I8,
            DType::U8 | DType::U16 | DType::U64 => DType::U32,
            DType::U32 => DType::U8,
            DType::Bool => return None,
        }),
        Attr::Literal(l) => Attr::Literal(Literal::from_f64(l.dtype(), -l.to_f64())),
        Attr::Dim(_) | Attr::Insert(_) | Attr::Gather(_) => return None,
    })
}
