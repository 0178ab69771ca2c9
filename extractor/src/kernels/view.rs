//! Pure movement as strides: which axis of a value walks how far through the buffer it is read from.

use egret_ir::dim::as_static;
use egret_ir::op::Op;
use egret_ir::types::TensorType;

/// Per axis, outermost first: (extent, stride in elements) of the runs it is made of. A value of a dense buffer has one
/// run per axis; a reshape after a permutation may need several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    axes: Vec<Vec<(usize, i64)>>,
}

impl View {
    /// A dense row-major buffer.
    pub fn dense(ty: &TensorType) -> Option<Self> {
        let shape = as_static(&ty.shape)?;
        if shape.contains(&0) {
            return None;
        }
        let mut stride = 1i64;
        let mut axes = vec![Vec::new(); shape.len()];
        for (i, d) in shape.iter().enumerate().rev() {
            axes[i] = vec![(*d, stride)];
            stride = stride.checked_mul(*d as i64)?;
        }
        Some(Self { axes })
    }

    /// The view moved by a kind of one operand; None where it is no movement by strides.
    pub fn then(&self, op: &Op) -> Option<Self> {
        let axes = match op {
            Op::Permute(p) => p.apply(&self.axes),
            Op::Reshape(shape) => return self.reshaped(&as_static(shape)?),
            Op::Broadcast(new) => {
                let mut axes = self.axes.clone();
                for (at, d) in new {
                    let d = usize::try_from(d.as_const()?).ok().filter(|d| *d > 0)?;
                    axes.insert(usize::from(*at), vec![(d, 0)]);
                }
                axes
            }
            Op::Slice(parts) => {
                let mut axes = self.axes.clone();
                for (axis, part) in axes.iter_mut().zip(parts) {
                    let len = usize::try_from(part.len.as_const()?).ok().filter(|d| *d > 0)?;
                    let whole: usize = axis.iter().map(|f| f.0).product();
                    if len == whole && part.step == 1 {
                        continue;
                    }
                    let [(_, stride)] = axis[..] else { return None };
                    *axis = vec![(len, stride.checked_mul(part.step)?)];
                }
                axes
            }
            Op::Input(_)
            | Op::Const(_)
            | Op::Dim(_)
            | Op::Iota { .. }
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::ArgSort { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_)
            | Op::Proj(_) => return None,
        };
        Some(Self { axes })
    }

    fn reshaped(&self, shape: &[usize]) -> Option<Self> {
        let mut runs = merged(self.axes.iter().flatten().copied());
        let mut axes = vec![Vec::new(); shape.len()];
        for (i, d) in shape.iter().enumerate().rev() {
            let mut left = *d;
            let mut axis = Vec::new();
            while left > 1 {
                let (extent, stride) = runs.pop()?;
                let take = if extent % left == 0 {
                    left
                } else if left % extent == 0 {
                    extent
                } else {
                    return None;
                };
                if extent > take {
                    runs.push((extent / take, stride * take as i64));
                }
                axis.push((take, stride));
                left /= take;
            }
            axis.reverse();
            axes[i] = if axis.is_empty() { vec![(1, 0)] } else { axis };
        }
        Some(Self { axes })
    }

    /// Whether every axis has one stride.
    pub fn is_affine(&self) -> bool {
        self.axes.iter().all(|a| merged(a.iter().copied()).len() <= 1)
    }
}

/// Runs without extents of 1, neighbours that continue each other joined.
fn merged(runs: impl Iterator<Item = (usize, i64)>) -> Vec<(usize, i64)> {
    let mut out: Vec<(usize, i64)> = Vec::new();
    for (extent, stride) in runs.filter(|r| r.0 != 1) {
        match out.last_mut() {
            Some((e, s)) if *s == stride * extent as i64 => (*e, *s) = (*e * extent, stride),
            _ => out.push((extent, stride)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use egret_ir::dim::Dim;
    use egret_ir::op::Perm;
    use egret_ir::{DType, Type};

    fn dense(shape: &[usize]) -> View {
        let ty = Type::fixed(DType::F32, shape);
        View::dense(ty.as_tensor().expect("a tensor")).expect("not empty")
    }

    fn reshape(v: &View, shape: &[usize]) -> Option<View> {
        v.then(&Op::Reshape(shape.iter().map(|d| Dim::from(*d)).collect()))
    }

    fn permute(v: &View, axes: &[usize]) -> View {
        v.then(&Op::Permute(Perm::new(axes).expect("a permutation"))).expect("always a view")
    }

    #[test]
    fn splitting_heads_is_affine_and_joining_them_after_a_permutation_is_not() {
        let heads = permute(&reshape(&dense(&[2, 128, 768]), &[2, 128, 12, 64]).expect("splits"), &[0, 2, 1, 3]);
        assert!(heads.is_affine());
        let joined =
            reshape(&permute(&dense(&[2, 12, 128, 64]), &[0, 2, 1, 3]), &[2, 128, 768]).expect("runs split evenly");
        assert!(!joined.is_affine());
        assert!(reshape(&dense(&[6, 4]), &[8, 3]).expect("dense").is_affine());
        assert!(reshape(&permute(&dense(&[6, 4]), &[1, 0]), &[3, 8]).is_none());
    }
}
