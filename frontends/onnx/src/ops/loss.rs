//! Losses over classes: a Gather of each cell's class, a weight that is 0 where the class is ignored, a mean.
//!
//! Source: the ONNX specification of NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{DataIx, GatherSpec, Label, Negative};
use egret_ir::{Literal, ValueId};

use super::normalize::{at_least_rank, log_softmax_values};
use super::reduce::{fold, mean, widened};
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    onnx("NegativeLogLikelihoodLoss", 12..LATEST, |l| {
        let x = l.operand(0)?;
        at_least_rank(l, x, 2)?;
        Ok(vec![negative_log_likelihood(l, x)?])
    }),
    onnx("SoftmaxCrossEntropyLoss", 12..LATEST, |l| {
        let x = l.operand(0)?;
        at_least_rank(l, x, 2)?;
        let log = log_softmax_values(l, x, &[1])?;
        Ok(vec![negative_log_likelihood(l, log)?, log])
    }),
];

/// −w[c]·x[n,c,…] at each cell's class c, or their sum or weighted mean. `x` are logarithms of probabilities `[N,C,…]`;
/// operands 1 and 2 of the node are the classes `[N,…]` and the weights `[C]`.
fn negative_log_likelihood(l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
    let classes = l.operand(1)?;
    let t = l.tensor(classes)?;
    let ignored = match node::find(l.node, "ignore_index").map(crate::proto::AttributeProto::i) {
        Some(index) => {
            let index = l.splat(Literal::from_i64(t.dtype, index), &t.shape)?;
            Some(l.map(Scalar::Eq, &[classes, index])?)
        }
        None => None,
    };
    // What is ignored may be no class at all, and must not be looked up.
    let zero = l.splat(Literal::from_i64(t.dtype, 0), &t.shape)?;
    let at = ignored.map_or(Ok(classes), |i| l.map(Scalar::Select, &[i, zero, classes]))?;
    let cells: Vec<Label> = (0..t.rank()).map(|i| Label(i as u8)).collect();
    let mut axes: Vec<DataIx> = cells.iter().map(|c| DataIx::Label(*c)).collect();
    axes.insert(1.min(axes.len()), DataIx::At);
    let spec = GatherSpec::new(&axes, &cells, &cells, Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let picked = l.gather(spec, x, at)?;
    let mut loss = l.map(Scalar::Neg, &[picked])?;
    let dtype = l.dtype(loss)?;
    let nothing = l.splat(Literal::from_f64(dtype, 0.0), &t.shape)?;
    let mut weights = match l.optional(2) {
        Some(w) => {
            let spec = GatherSpec::along(1, 0, t.rank(), Negative::Never).map_err(|e| opaque(e.to_string()))?;
            let w = l.gather(spec, w, at)?;
            loss = l.map(Scalar::Mul, &[w, loss])?;
            Some(w)
        }
        None => None,
    };
    if let Some(ignored) = ignored {
        let w = weights.map_or_else(|| l.splat(Literal::from_f64(dtype, 1.0), &t.shape), Ok)?;
        weights = Some(l.map(Scalar::Select, &[ignored, nothing, w])?);
        loss = l.map(Scalar::Select, &[ignored, nothing, loss])?;
    }
    let all: Vec<usize> = (0..t.rank()).collect();
    let form = l.string("reduction", "mean")?;
    match form.as_str() {
        "none" => Ok(loss),
        "sum" => fold(l, Monoid::Sum, loss, &all),
        "mean" => match weights {
            None => widened(l, loss, |l, x| mean(l, x, &all)),
            Some(w) => {
                let (sum, total) = (fold(l, Monoid::Sum, loss, &all)?, fold(l, Monoid::Sum, w, &all)?);
                l.map(Scalar::Div, &[sum, total])
            }
        },
        _ => Err(l.value("reduction", &form, "none, sum or mean")),
    }
}
