//! Outputs of whole numbers and truth values: equal, or flipped where rounding decides.
//!
//! A flip of argmax, argmin or a sort is excused if the two candidates are apart by at most 5·√(σ_i² + σ_j²); any other
//! flip only if some random-rounding run gave another value there as well.

use egret_ir::eval::Array;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{Graph, Tensor, ValueId};

use crate::noise::Truth;
use crate::report::Discrete;

/// Standard deviations within which a flip is excused.
const MARGIN: f64 = 5.0;

/// The operand whose order decides an output, with the axis it is searched along.
pub fn decided_by(graph: &Graph, output: ValueId) -> Option<(ValueId, usize)> {
    let mut v = output;
    loop {
        let node = graph.node(v);
        let operand = *node.args.first()?;
        if let Op::Reduce { monoid, spec, .. } = &node.op {
            let mut folded = spec.folded();
            let label = folded.next().filter(|_| folded.next().is_none() && monoid.is_arg())?;
            return Some((operand, spec.axis_of(0, label)?));
        }
        if let Op::ArgSort { axis, .. } = &node.op {
            return Some((operand, usize::from(*axis)));
        }
        if !matches!(node.op, Op::Reshape(_) | Op::Map(Scalar::Cast(_))) {
            return None;
        }
        v = operand;
    }
}

/// Compares; `operand` is the truth of what [`decided_by`] names, with the axis.
pub fn compare(truth: &Truth, got: &Tensor, operand: Option<(&Truth, usize)>) -> Discrete {
    let expected = truth.value.to_tensor();
    let mut d = Discrete { undecidable: truth.unstable.iter().filter(|u| **u).count(), ..Discrete::default() };
    for i in 0..expected.len().min(got.len()) {
        let (t, g) = (expected.get(i), got.get(i));
        if t == g {
            continue;
        }
        let unstable = truth.unstable.get(i).copied().unwrap_or(false);
        let tied = || operand.is_some_and(|(x, axis)| near(x, axis, &truth.value, i, t.to_i64(), g.to_i64()));
        if unstable || tied() {
            d.flipped += 1;
            continue;
        }
        d.wrong += 1;
        d.first = d.first.or(Some((i, t.to_f64(), g.to_f64())));
    }
    d
}

/// Whether positions `a` and `b` along an axis hold values that rounding may order either way, for result element `at`.
fn near(x: &Truth, axis: usize, result: &Array<f64>, at: usize, a: i64, b: i64) -> bool {
    let shape = x.value.shape();
    let (Some(values), Some(extent)) = (x.value.floats(), shape.get(axis)) else { return false };
    let inside = |p: i64| usize::try_from(p).ok().filter(|p| p < extent);
    let (Some(a), Some(b)) = (inside(a), inside(b)) else { return false };
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    // The result keeps `kept` positions of the axis (one for argmax, more for a sort).
    let kept = result.len() / (outer * inner).max(1);
    let (o, i) = (at / (kept * inner).max(1), at % inner.max(1));
    let index = |p: usize| (o * extent + p) * inner + i;
    let sigma = |p: usize| x.sigma.get(index(p)).copied().unwrap_or(0.0);
    (values[index(a)] - values[index(b)]).abs() <= MARGIN * sigma(a).hypot(sigma(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_ties_may_flip() {
        let x = Truth {
            value: Array::float(egret_ir::DType::F32, [2, 3], vec![1.0, 1.000_001, 0.0, 5.0, 1.0, 0.0]),
            sigma: vec![1e-6; 6],
            unstable: Vec::new(),
        };
        let truth =
            Truth { value: Array::int(egret_ir::DType::I64, [2], vec![1, 0]), sigma: Vec::new(), unstable: Vec::new() };
        let flipped = Tensor::from_slice([2], &[0i64, 0]).unwrap();
        assert_eq!(compare(&truth, &flipped, Some((&x, 1))).wrong, 0);
        let wrong = Tensor::from_slice([2], &[1i64, 1]).unwrap();
        assert_eq!(compare(&truth, &wrong, Some((&x, 1))).first, Some((1, 0.0, 1.0)));
        assert_eq!(compare(&truth, &flipped, None).wrong, 1);
    }
}
