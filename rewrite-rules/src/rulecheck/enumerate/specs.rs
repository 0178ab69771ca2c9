//! Index specs drawn for a result shape: plain einsums and windows, folded labels of their own extents.

use egret_ir::defs::default_acc;
use egret_ir::op::Monoid;
use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Shape};

use super::{Draw, Want};
use crate::lang::{AttrPat, HeadPat, NodePat, Pat};

/// A spec with the operand shapes that it was drawn for.
struct Drawn {
    spec: Spec,
    shapes: Vec<Shape>,
}

/// An axis of an operand with its extent.
type Axis = (Ix, Dim);

impl Draw<'_> {
    /// The spec of a pattern and its operand shapes: as bound, or drawn and bound.
    fn spec(
        &mut self,
        a: &AttrPat,
        want: &Want,
        at: usize,
        make: fn(&mut Self, &[Dim]) -> Option<Drawn>,
    ) -> Option<Vec<Shape>> {
        let mut shapes = None;
        let spec = self.attr(a, at, |d| {
            let drawn = make(d, &want.shape)?;
            shapes = Some(drawn.shapes);
            Some(Attr::Spec(drawn.spec))
        })?;
        if let (AttrPat::Var(v), Some(shapes)) = (a, &shapes) {
            self.spec_shapes.push((*v, shapes.clone()));
            return Some(shapes.clone());
        }
        // Bound before: the same spec has the same operand shapes where the result has the same one.
        let (AttrPat::Var(v), Attr::Spec(spec)) = (a, spec) else { return None };
        let (_, shapes) = self.spec_shapes.iter().find(|(known, _)| known == v)?;
        let out = spec.out_shape(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>()).ok()?;
        (out == want.shape).then(|| shapes.clone())
    }

    /// An axis that is a window over a staying and a folded label.
    fn window(&mut self, out: (Label, Dim), tap: (Label, Dim)) -> Axis {
        let (stride, dil) = (1 + self.pick.below(2) as i64, 1 + self.pick.below(2) as i64);
        let lo = self.pick.below(2) as i64;
        let steps = |d: Dim| if d.as_const().is_some_and(|n| n < 1) { Dim::ZERO } else { d - Dim::ONE };
        let reach = Dim::from(stride) * steps(out.1) + Dim::from(dil) * steps(tap.1) + Dim::from(1 - lo);
        let extent = reach + Dim::from(self.pick.below(3) as i64 - 1);
        let extent = if extent.as_const().is_some_and(|n| n < 0) { Dim::ZERO } else { extent };
        (Ix::Window(Window { out: out.0, tap: tap.0, stride, dil, lo, in_dil: 1 }), extent)
    }

    /// Some folded labels after the result's.
    fn folded(&mut self, rank: usize, most: usize) -> Vec<(Label, Dim)> {
        (0..self.pick.below(most + 1)).map(|i| (Label((rank + i) as u8), self.extent())).collect()
    }

    pub(super) fn reduce(&mut self, m: Monoid, n: &NodePat, x: &Pat, want: &Want, at: usize) -> Option<()> {
        let dtype = if m.is_arg() {
            (want.dtype == DType::I64).then_some(())?;
            self.pick.of(&[DType::F32, DType::I64])?
        } else {
            want.dtype
        };
        let acc = if m == Monoid::Sum && !self.pick.once_in(4) { default_acc(dtype) } else { dtype };
        // An operand that has its type already asks for a spec that leaves the wanted shape of it.
        let shapes = match self.known_shape(x, at) {
            Some(shape) => {
                self.attr(&n.attrs[0], at, |d| d.fold_onto(&shape, &want.shape))?;
                if let AttrPat::Var(v) = &n.attrs[0] {
                    self.spec_shapes.push((*v, vec![shape.clone()]));
                }
                vec![shape]
            }
            None => self.spec(&n.attrs[0], want, at, Self::fold_spec)?,
        };
        self.attr(&n.attrs[1], at, |_| Some(Attr::DType(acc)))?;
        self.pattern(x, &Want::new(dtype, shapes.first()?.clone()), at)
    }

    /// The shape that a pattern of bound variables and maps has.
    fn known_shape(&self, p: &Pat, at: usize) -> Option<Shape> {
        match p {
            Pat::Var(v) => Some(self.operand(*v, at)?.1),
            Pat::Node(n) => match &n.head {
                HeadPat::AnyMap(_) | HeadPat::Cast | HeadPat::Is(Head::Map(_)) => {
                    n.args.iter().find_map(|p| self.known_shape(p, at))
                }
                HeadPat::AnyReduce(_) | HeadPat::Is(_) => None,
            },
            Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => None,
        }
    }

    /// A plain fold of an operand of that shape to the other; result axes in their order, more often than not.
    fn fold_onto(&mut self, operand: &[Dim], result: &[Dim]) -> Option<Attr> {
        let mut order: Vec<usize> = (0..operand.len()).collect();
        if self.pick.once_in(4) {
            self.pick.shuffle(&mut order);
        }
        let mut labels = vec![None; operand.len()];
        let mut next = 0;
        for axis in order {
            // With a choice of equal extents, either.
            if next < result.len() && operand[axis] == result[next] {
                labels[axis] = Some(Label(next as u8));
                next += 1;
            }
        }
        (next == result.len()).then_some(())?;
        let mut folded = result.len() as u8;
        let axes: Vec<Ix> = labels
            .into_iter()
            .map(|l| {
                Ix::Label(l.unwrap_or_else(|| {
                    folded += 1;
                    Label(folded - 1)
                }))
            })
            .collect();
        Spec::new(&[axes], &(0..next as u8).map(Label).collect::<Vec<_>>(), &[]).ok().map(Attr::Spec)
    }

    fn fold_spec(&mut self, shape: &[Dim]) -> Option<Drawn> {
        let folded = self.folded(shape.len(), 2);
        let stays: Vec<(Label, Dim)> = shape.iter().enumerate().map(|(i, d)| (Label(i as u8), d.clone())).collect();
        let mut axes: Vec<Axis> = Vec::new();
        let mut ext = Vec::new();
        let windowed = !stays.is_empty() && !folded.is_empty() && self.pick.once_in(3);
        let pair = (self.pick.below(stays.len()), 0);
        if windowed {
            let (o, t) = (stays[pair.0].clone(), folded[pair.1].clone());
            ext.extend([o.clone(), t.clone()]);
            axes.push(self.window(o, t));
        }
        axes.extend(
            stays
                .iter()
                .enumerate()
                .filter(|(i, _)| !(windowed && *i == pair.0))
                .map(|(_, s)| (Ix::Label(s.0), s.1.clone())),
        );
        axes.extend(
            folded
                .iter()
                .enumerate()
                .filter(|(i, _)| !(windowed && *i == pair.1))
                .map(|(_, s)| (Ix::Label(s.0), s.1.clone())),
        );
        self.arranged(&mut [axes], shape.len(), &ext)
    }

    pub(super) fn contract(&mut self, n: &NodePat, args: &[(&Pat, usize)], want: &Want, at: usize) -> Option<()> {
        let shapes = self.spec(&n.attrs[0], want, at, Self::product_spec)?;
        let dtype = if want.dtype == DType::I32 && self.pick.once_in(2) { DType::I8 } else { want.dtype };
        let acc = if dtype == DType::I8 { DType::I32 } else { default_acc(want.dtype) };
        self.attr(&n.attrs[1], at, |_| Some(Attr::DType(acc)))?;
        self.attr(&n.attrs[2], at, |_| Some(Attr::DType(want.dtype)))?;
        for ((p, _), shape) in args.iter().zip(shapes) {
            self.pattern(p, &Want::new(dtype, shape), at)?;
        }
        Some(())
    }

    fn product_spec(&mut self, shape: &[Dim]) -> Option<Drawn> {
        let folded = self.folded(shape.len(), 2);
        let (mut left, mut right): (Vec<Axis>, Vec<Axis>) = (Vec::new(), Vec::new());
        let mut ext = Vec::new();
        let mut folded_left = folded.clone();
        for (i, d) in shape.iter().enumerate() {
            let label = Label(i as u8);
            match self.pick.below(4) {
                0 => {
                    left.push((Ix::Label(label), d.clone()));
                    right.push((Ix::Label(label), d.clone()));
                }
                1 => right.push((Ix::Label(label), d.clone())),
                2 if !folded_left.is_empty() && ext.is_empty() => {
                    let tap = folded_left.remove(0);
                    ext.extend([(label, d.clone()), tap.clone()]);
                    left.push(self.window((label, d.clone()), tap));
                }
                _ => left.push((Ix::Label(label), d.clone())),
            }
        }
        left.extend(folded_left.iter().map(|f| (Ix::Label(f.0), f.1.clone())));
        right.extend(folded.iter().map(|f| (Ix::Label(f.0), f.1.clone())));
        let mut operands = [left, right];
        if self.pick.once_in(4) {
            operands.reverse();
        }
        self.arranged(&mut operands, shape.len(), &ext)
    }

    /// The spec over operands whose axes are put in any order.
    fn arranged(&mut self, operands: &mut [Vec<Axis>], rank: usize, ext: &[(Label, Dim)]) -> Option<Drawn> {
        for axes in operands.iter_mut() {
            self.pick.shuffle(axes);
        }
        let ins: Vec<Vec<Ix>> = operands.iter().map(|axes| axes.iter().map(|a| a.0).collect()).collect();
        let out: Vec<Label> = (0..rank).map(|i| Label(i as u8)).collect();
        let spec = Spec::new(&ins, &out, ext).ok()?;
        Some(Drawn { spec, shapes: operands.iter().map(|axes| axes.iter().map(|a| a.1.clone()).collect()).collect() })
    }
}
