//! Bodies of the composites: graphs of the other kinds that define what a [`Call`] means. The interpreter runs them, rules
//! expand and recognize them.

use crate::dim;
use crate::dtype::{DType, Literal};
use crate::graph::{Graph, ValueId};
use crate::infer::TypeError;
use crate::op::call::{Call, GeluForm};
use crate::op::scalar::Scalar;
use crate::op::spec::Spec;
use crate::op::{Monoid, Op};
use crate::origin::Origins;
use crate::types::{TensorType, Type};

/// Whether a definition has a body; the others have a reference function in [`crate::eval`].
pub fn has_body(call: &Call) -> bool {
    match call {
        Call::Softmax { .. }
        | Call::LogSoftmax { .. }
        | Call::LayerNorm { .. }
        | Call::RmsNorm { .. }
        | Call::Gelu(_) => true,
        Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => false,
    }
}

/// The accumulator of a float sum whose model says none: f32 for the half types, else the type itself.
pub fn default_acc(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

struct Builder {
    graph: Graph,
}

impl Builder {
    fn add(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, TypeError> {
        self.graph.add(op, args, Origins::none())
    }

    fn map(&mut self, row: Scalar, args: &[ValueId]) -> Result<ValueId, TypeError> {
        self.add(Op::Map(row), args)
    }

    fn tensor(&self, v: ValueId) -> &TensorType {
        self.graph.ty(v).as_tensor().expect("bodies of composites hold tensors only")
    }

    /// Over `axes` (ascending), dropping them.
    fn reduce(&mut self, monoid: Monoid, x: ValueId, axes: &[usize]) -> Result<ValueId, TypeError> {
        let t = self.tensor(x);
        let acc = if monoid == Monoid::Sum { default_acc(t.dtype) } else { t.dtype };
        let spec = Spec::fold(t.rank(), axes)?;
        self.add(Op::Reduce { monoid, spec, acc }, &[x])
    }

    /// `x` with `axes` (ascending) of `like` inserted.
    fn spread(&mut self, x: ValueId, axes: &[usize], like: ValueId) -> Result<ValueId, TypeError> {
        let shape = self.tensor(like).shape.clone();
        if axes.is_empty() {
            return Ok(x);
        }
        self.add(Op::Broadcast(axes.iter().map(|a| (*a as u8, shape[*a].clone())).collect()), &[x])
    }

    /// A number as a splat of the shape and type of `like`.
    fn splat(&mut self, literal: Literal, like: ValueId) -> Result<ValueId, TypeError> {
        let scalar = self.graph.scalar(literal);
        let rank = self.tensor(like).rank();
        self.spread(scalar, &(0..rank).collect::<Vec<_>>(), like)
    }

    fn number(&mut self, x: f64, like: ValueId) -> Result<ValueId, TypeError> {
        let dtype = self.tensor(like).dtype;
        self.splat(Literal::from_f64(dtype, x), like)
    }

    fn cast(&mut self, x: ValueId, to: DType) -> Result<ValueId, TypeError> {
        if self.tensor(x).dtype == to { Ok(x) } else { self.map(Scalar::Cast(to), &[x]) }
    }

    /// Σ over `axes` / their element count.
    fn mean(&mut self, x: ValueId, axes: &[usize]) -> Result<ValueId, TypeError> {
        let (dtype, shape) = (self.tensor(x).dtype, self.tensor(x).shape.clone());
        let n = dim::count(&axes.iter().map(|a| shape[*a].clone()).collect::<Vec<_>>());
        let sum = self.reduce(Monoid::Sum, x, axes)?;
        let n = if let Some(n) = n.as_const() {
            self.splat(Literal::from_i64(dtype, n), sum)?
        } else {
            let n = self.add(Op::Dim(n), &[])?;
            let n = self.cast(n, dtype)?;
            let rank = self.tensor(sum).rank();
            self.spread(n, &(0..rank).collect::<Vec<_>>(), sum)?
        };
        self.map(Scalar::Div, &[sum, n])
    }

    /// `d / √(mean d² + ε)` over the folded axes in the type of `d`, cast to that of `x`, whose shape it has.
    fn over_its_root_mean_square(
        &mut self,
        d: ValueId,
        folded: &[usize],
        epsilon: Literal,
        x: ValueId,
    ) -> Result<ValueId, TypeError> {
        let (stash, dtype) = (self.tensor(d).dtype, self.tensor(x).dtype);
        let square = self.map(Scalar::Mul, &[d, d])?;
        let mean = self.mean(square, folded)?;
        let epsilon = self.splat(Literal::from_f64(stash, epsilon.to_f64()), mean)?;
        let mean = self.map(Scalar::Add, &[mean, epsilon])?;
        let root = self.map(Scalar::Sqrt, &[mean])?;
        let root = self.spread(root, folded, x)?;
        let normal = self.map(Scalar::Div, &[d, root])?;
        self.cast(normal, dtype)
    }
}

/// The body of a composite over operands of these types: inputs `x`, …, one output. Extents may be symbolic.
///
/// - softmax: `e / Σe` with `e = exp(x − max x)`;
/// - log_softmax: `d − ln Σ exp d` with `d = x − max x`;
/// - layer_norm: in the stash type `d / √(mean d² + ε)` with `d = x − mean x`, cast back, then `· γ + β`;
/// - rms_norm: in the stash type `x / √(mean x² + ε)`, cast back, then `· γ`;
/// - gelu: `x · (1 + erf(x/√2)) · ½`, or `x · (1 + tanh(√(2/π)·(x + 0.044715·x³))) · ½`.
///
/// Definitions without a body ([`has_body`]) give [`TypeError::NoBody`].
pub fn body(call: &Call, types: &[Type]) -> Result<Graph, TypeError> {
    let operands: Vec<&Type> = types.iter().collect();
    crate::infer::infer(&Op::Call(Box::new(call.clone())), &operands, &crate::graph::Tables::default())?;
    let mut b = Builder { graph: Graph::new(call.name()) };
    let inputs: Vec<ValueId> =
        ["x", "scale", "bias"].iter().zip(types).map(|(n, t)| b.graph.input(n, t.clone())).collect();
    let x = inputs[0];
    let out = match call {
        Call::Softmax { axis } | Call::LogSoftmax { axis } => {
            let axis = [usize::from(*axis)];
            let max = b.reduce(Monoid::Max, x, &axis)?;
            let max = b.spread(max, &axis, x)?;
            let d = b.map(Scalar::Sub, &[x, max])?;
            let e = b.map(Scalar::Exp, &[d])?;
            let sum = b.reduce(Monoid::Sum, e, &axis)?;
            if matches!(call, Call::Softmax { .. }) {
                let sum = b.spread(sum, &axis, x)?;
                b.map(Scalar::Div, &[e, sum])?
            } else {
                let log = b.map(Scalar::Log, &[sum])?;
                let log = b.spread(log, &axis, x)?;
                b.map(Scalar::Sub, &[d, log])?
            }
        }
        Call::LayerNorm { axes, epsilon, stash } => {
            let rank = b.tensor(x).rank();
            let folded: Vec<usize> = (rank - usize::from(*axes)..rank).collect();
            let kept: Vec<usize> = (0..rank - usize::from(*axes)).collect();
            let wide = b.cast(x, *stash)?;
            let mean = b.mean(wide, &folded)?;
            let mean = b.spread(mean, &folded, x)?;
            let d = b.map(Scalar::Sub, &[wide, mean])?;
            let normal = b.over_its_root_mean_square(d, &folded, *epsilon, x)?;
            let scale = b.spread(inputs[1], &kept, x)?;
            let bias = b.spread(inputs[2], &kept, x)?;
            let scaled = b.map(Scalar::Mul, &[normal, scale])?;
            b.map(Scalar::Add, &[scaled, bias])?
        }
        Call::RmsNorm { axes, epsilon, stash } => {
            let rank = b.tensor(x).rank();
            let folded: Vec<usize> = (rank - usize::from(*axes)..rank).collect();
            let kept: Vec<usize> = (0..rank - usize::from(*axes)).collect();
            let wide = b.cast(x, *stash)?;
            let normal = b.over_its_root_mean_square(wide, &folded, *epsilon, x)?;
            let scale = b.spread(inputs[1], &kept, x)?;
            b.map(Scalar::Mul, &[normal, scale])?
        }
        Call::Gelu(form) => {
            let inner = match form {
                GeluForm::Erf => {
                    let root = b.number(std::f64::consts::SQRT_2, x)?;
                    let t = b.map(Scalar::Div, &[x, root])?;
                    b.map(Scalar::Erf, &[t])?
                }
                GeluForm::Tanh => {
                    let square = b.map(Scalar::Mul, &[x, x])?;
                    let cube = b.map(Scalar::Mul, &[square, x])?;
                    let c = b.number(0.044_715, x)?;
                    let cubic = b.map(Scalar::Mul, &[c, cube])?;
                    let sum = b.map(Scalar::Add, &[x, cubic])?;
                    let k = b.number((2.0 / std::f64::consts::PI).sqrt(), x)?;
                    let t = b.map(Scalar::Mul, &[k, sum])?;
                    b.map(Scalar::Tanh, &[t])?
                }
            };
            let one = b.number(1.0, x)?;
            let shifted = b.map(Scalar::Add, &[one, inner])?;
            let product = b.map(Scalar::Mul, &[x, shifted])?;
            let half = b.number(0.5, x)?;
            b.map(Scalar::Mul, &[product, half])?
        }
        Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_) => {
            return Err(TypeError::NoBody { name: call.name() });
        }
    };
    b.graph.output("y", out);
    Ok(b.graph)
}
