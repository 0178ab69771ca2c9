//! The loop nest of an index spec at actual extents, and the plain walk over it.

use super::error::Trap;
use crate::op::spec::{Ix, Spec};

/// One window axis of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowAt {
    /// Label that stays.
    pub out: usize,
    /// Label that is folded.
    pub tap: usize,
    /// Factor of the staying label.
    pub stride: i64,
    /// Factor of the folded label.
    pub dil: i64,
    /// Lower padding.
    pub lo: i64,
    /// Divisor.
    pub in_dil: i64,
    /// Extent of the operand's axis.
    pub extent: usize,
    /// Row-major stride of the operand's axis.
    pub step: usize,
}

impl WindowAt {
    /// The position on the operand's axis, where there is one.
    pub fn position(&self, out: usize, tap: usize) -> Option<usize> {
        let at = self
            .stride
            .saturating_mul(out as i64)
            .saturating_add(self.dil.saturating_mul(tap as i64))
            .saturating_sub(self.lo);
        if at % self.in_dil != 0 {
            return None;
        }
        usize::try_from(at / self.in_dil).ok().filter(|p| *p < self.extent)
    }
}

/// How an operand is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Row-major stride by label; 0 where the operand does not have the label as an axis.
    pub strides: Vec<usize>,
    /// Window axes.
    pub windows: Vec<WindowAt>,
    /// Extents of the operand.
    pub shape: Vec<usize>,
}

/// Loops over all labels: the first `rank` stay, the others are folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// Extent of every label.
    pub extents: Vec<usize>,
    /// Labels of the result.
    pub rank: usize,
    /// The operands.
    pub operands: Vec<Access>,
}

/// Nests with more iterations than this are refused.
const MAX_WORK: u64 = 1 << 46;

impl Nest {
    /// The nest of `spec` over operands of these shapes; `ext` gives the extents of window labels, in the order of
    /// [`Spec::ext`].
    pub fn new(kind: &'static str, spec: &Spec, ext: &[usize], shapes: &[&[usize]]) -> Result<Self, Trap> {
        let misfit = || Trap::Shapes { kind, shapes: shapes.iter().map(|s| s.to_vec()).collect() };
        let mut extents: Vec<Option<usize>> = vec![None; spec.label_count()];
        for ((l, _), n) in spec.ext().iter().zip(ext) {
            extents[l.index()] = Some(*n);
        }
        let mut operands = Vec::new();
        if spec.ins().len() != shapes.len() {
            return Err(misfit());
        }
        for (axes, shape) in spec.ins().iter().zip(shapes) {
            if axes.len() != shape.len() {
                return Err(misfit());
            }
            let steps = super::array::strides(shape);
            let mut access =
                Access { strides: vec![0; spec.label_count()], windows: Vec::new(), shape: shape.to_vec() };
            for ((ix, extent), step) in axes.iter().zip(*shape).zip(steps) {
                match ix {
                    Ix::Label(l) => {
                        if extents[l.index()].is_some_and(|e| e != *extent) {
                            return Err(misfit());
                        }
                        extents[l.index()] = Some(*extent);
                        access.strides[l.index()] = step;
                    }
                    Ix::Window(w) => access.windows.push(WindowAt {
                        out: w.out.index(),
                        tap: w.tap.index(),
                        stride: w.stride,
                        dil: w.dil,
                        lo: w.lo,
                        in_dil: w.in_dil,
                        extent: *extent,
                        step,
                    }),
                }
            }
            operands.push(access);
        }
        let extents = extents.into_iter().collect::<Option<Vec<usize>>>().ok_or_else(misfit)?;
        let work = extents.iter().try_fold(1u64, |n, e| n.checked_mul(*e as u64));
        super::array::count(&extents[..spec.rank()])?;
        if work.is_none_or(|w| w > MAX_WORK) && !extents.contains(&0) {
            return Err(Trap::TooLarge { shape: extents });
        }
        Ok(Self { extents, rank: spec.rank(), operands })
    }

    /// Extents of the result.
    pub fn out_shape(&self) -> &[usize] {
        &self.extents[..self.rank]
    }

    /// Extents of the folded labels.
    pub fn folded(&self) -> &[usize] {
        &self.extents[self.rank..]
    }

    /// Number of results.
    pub fn out_len(&self) -> usize {
        self.out_shape().iter().product()
    }

    /// Number of terms of each result, absent ones included.
    pub fn folded_len(&self) -> usize {
        self.folded().iter().product()
    }

    /// Flat position of an operand at values of all labels; None where a window falls outside.
    pub fn position(&self, operand: usize, index: &[usize]) -> Option<usize> {
        let access = &self.operands[operand];
        let mut at: usize = access.strides.iter().zip(index).map(|(s, i)| s * i).sum();
        for w in &access.windows {
            at += w.step * w.position(index[w.out], index[w.tap])?;
        }
        Some(at)
    }

    /// Folds the present terms of every result, row-major: `step(state, positions, number of the term)`, from `start`.
    /// For nests of one operand the second position repeats the first.
    pub fn fold<A: Clone>(&self, start: &A, mut step: impl FnMut(&mut A, [usize; 2], usize)) -> Vec<A> {
        let mut out = Vec::with_capacity(self.out_len());
        super::array::each_index(self.out_shape(), |o| {
            let mut index = o.to_vec();
            index.resize(self.extents.len(), 0);
            let (mut state, mut number) = (start.clone(), 0);
            super::array::each_index(self.folded(), |r| {
                index[self.rank..].copy_from_slice(r);
                if let Some(a) = self.position(0, &index) {
                    let b = if self.operands.len() > 1 { self.position(1, &index) } else { Some(a) };
                    if let Some(b) = b {
                        step(&mut state, [a, b], number);
                    }
                }
                number += 1;
            });
            out.push(state);
        });
        out
    }
}
