//! Pure movement as strides: which axis of a value walks how far through the buffer it is read from.

use egret_ir::dim::Dim;
use egret_ir::op::Op;
use egret_ir::types::TensorType;

/// Extent and stride in elements.
type Run = (Dim, Dim);

/// Per axis, outermost first: the runs it is made of. A value of a dense buffer has one run per axis; a reshape after a
/// permutation may need several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    axes: Vec<Vec<Run>>,
}

impl View {
    /// A dense row-major buffer.
    pub fn dense(ty: &TensorType) -> Option<Self> {
        if ty.shape.contains(&Dim::ZERO) {
            return None;
        }
        let mut stride = Dim::ONE;
        let mut axes = vec![Vec::new(); ty.rank()];
        for (i, d) in ty.shape.iter().enumerate().rev() {
            axes[i] = vec![(d.clone(), stride.clone())];
            stride = stride * d.clone();
        }
        (!stride.is_invalid()).then_some(Self { axes })
    }

    /// The view moved by a kind of one operand; None where it is no movement by strides.
    pub fn then(&self, op: &Op) -> Option<Self> {
        let axes = match op {
            Op::Permute(p) => p.apply(&self.axes),
            Op::Reshape(shape) => return self.reshaped(shape),
            Op::Broadcast(new) => {
                let mut axes = self.axes.clone();
                for (at, d) in new {
                    if *d == Dim::ZERO {
                        return None;
                    }
                    axes.insert(usize::from(*at), vec![(d.clone(), Dim::ZERO)]);
                }
                axes
            }
            Op::Slice(parts) => {
                let mut axes = self.axes.clone();
                for (axis, part) in axes.iter_mut().zip(parts) {
                    if part.len == Dim::ZERO {
                        return None;
                    }
                    let whole = axis.iter().fold(Dim::ONE, |n, (extent, _)| n * extent.clone());
                    if part.len == whole && part.step == 1 {
                        continue;
                    }
                    let [(_, stride)] = &axis[..] else { return None };
                    *axis = vec![(part.len.clone(), stride.clone() * Dim::from(part.step))];
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

    fn reshaped(&self, shape: &[Dim]) -> Option<Self> {
        let mut runs = merged(self.axes.iter().flatten().cloned());
        let mut axes = vec![Vec::new(); shape.len()];
        for (i, d) in shape.iter().enumerate().rev() {
            let mut left = d.clone();
            let mut axis = Vec::new();
            while left != Dim::ONE {
                let (extent, stride) = runs.pop()?;
                let take = if extent.modulo(&left) == Dim::ZERO {
                    left.clone()
                } else if left.modulo(&extent) == Dim::ZERO {
                    extent.clone()
                } else {
                    return None;
                };
                if extent != take {
                    runs.push((extent.exact_div(&take), stride.clone() * take.clone()));
                }
                left = left.exact_div(&take);
                axis.push((take, stride));
            }
            axis.reverse();
            axes[i] = if axis.is_empty() { vec![(Dim::ONE, Dim::ZERO)] } else { axis };
        }
        Some(Self { axes })
    }

    /// Whether every axis has one stride.
    pub fn is_affine(&self) -> bool {
        self.axes.iter().all(|a| merged(a.iter().cloned()).len() <= 1)
    }
}

/// Runs without extents of 1, neighbours that continue each other joined.
fn merged(runs: impl Iterator<Item = Run>) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for (extent, stride) in runs.filter(|r| r.0 != Dim::ONE) {
        match out.last_mut() {
            Some((e, s)) if *s == stride.clone() * extent.clone() => (*e, *s) = (e.clone() * extent, stride),
            _ => out.push((extent, stride)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn unknown_extents_split_and_join_where_they_divide() {
        let (b, n) = (Dim::symbol(egret_ir::Symbol::new("b")), Dim::symbol(egret_ir::Symbol::new("n")));
        let number = |d: i64| Dim::from(d);
        let ty = Type::tensor(DType::F32, vec![b.clone(), n.clone(), number(768)]);
        let dense = View::dense(ty.as_tensor().expect("a tensor")).expect("not empty");
        let split = dense.then(&Op::Reshape(vec![b.clone(), n.clone(), number(12), number(64)])).expect("splits");
        let heads = permute(&split, &[0, 2, 1, 3]);
        assert!(heads.is_affine());
        let rows = heads.then(&Op::Reshape(vec![b.clone() * number(12), n.clone(), number(64)])).expect("joins");
        assert!(!rows.is_affine(), "b and heads lie apart while n is between them");
        assert!(dense.then(&Op::Reshape(vec![b * n, number(768)])).expect("dense").is_affine());
    }
}
