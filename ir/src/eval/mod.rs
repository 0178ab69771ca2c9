//! The interpreter, generic over the scalar domain: real numbers in f64 ([`Real`]), true arithmetic of the declared types
//! ([`Native`]), random rounding ([`RandomRounding`]) and numbers modulo two primes ([`Modular`]).
//!
//! It is the oracle of everything else, so it prefers the obvious way. What it does fast (contractions, folds) is checked
//! against the plain loops, and those against the tensor expressions of [`crate::expr`].
//!
//! Symbolic extents get their values from the actual shapes of the inputs, data-backed ones from witness operands.

pub mod array;
mod bind;
mod control;
pub mod domain;
mod error;
mod fast;
mod folds;
mod ints;
pub mod loops;
mod map;
pub mod modular;
mod movement;
mod native;
pub mod plain;
pub mod real;
mod recurrent;
mod resize;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use array::{Array, Data};
pub use bind::Bindings;
pub use domain::Domain;
pub use error::{EvalError, Trap};
pub use modular::Modular;
pub use real::{Native, RandomRounding, Real};

use crate::check::OriginPrefix;
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::{Graph, Tables, ValueId};
use crate::op::call::Call;
use crate::op::{Const, Monoid, Op};
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::types::Type;
use domain::{Site, sub_site};

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<F> {
    /// A tensor.
    Tensor(Array<F>),
    /// Several.
    Tuple(Arc<[Self]>),
}

impl<F> Value<F> {
    /// The tensor, where it is one.
    pub fn tensor(&self) -> Option<&Array<F>> {
        match self {
            Self::Tensor(a) => Some(a),
            Self::Tuple(_) => None,
        }
    }
}

impl<F> From<Array<F>> for Value<F> {
    fn from(a: Array<F>) -> Self {
        Self::Tensor(a)
    }
}

/// What a node's evaluation needs besides its operands.
pub(crate) struct Cx<'a, D> {
    /// The scalar domain.
    pub domain: &'a D,
    /// What attributes point to.
    pub tables: &'a Tables,
    /// Values of symbols.
    pub bindings: &'a Bindings,
}

impl<D: Domain> Cx<'_, D> {
    /// The value of an expression.
    pub fn number(&self, d: &Dim) -> Result<i64, Trap> {
        self.bindings.number(d)
    }

    /// The value of an extent.
    pub fn size(&self, d: &Dim) -> Result<usize, Trap> {
        self.bindings.size(d)
    }

    /// The values of extents.
    pub fn sizes(&self, shape: &[Dim]) -> Result<Vec<usize>, Trap> {
        shape.iter().map(|d| self.size(d)).collect()
    }

    /// Operands that do not fit a kind.
    #[expect(clippy::unused_self, reason = "spares callers the type of the domain")]
    pub fn misfit(&self, kind: &'static str, args: &[&Array<D::Float>]) -> Trap {
        Trap::Shapes { kind, shapes: args.iter().map(|a| a.shape().to_vec()).collect() }
    }

    /// A kind with a single tensor result, applied to tensors.
    pub fn tensor(&self, site: Site, op: &Op, args: &[&Array<D::Float>]) -> Result<Array<D::Float>, Trap> {
        let kind = op.kind();
        let arg = |i: usize| args.get(i).copied().ok_or_else(|| self.misfit(kind, args));
        match op {
            Op::Const(Const::Scalar(l)) => Ok(array::from_literal(self.domain, *l)),
            Op::Const(Const::Dense(id)) => Ok(array::from_tensor(self.domain, self.tables.tensor(*id))),
            Op::Dim(d) => Ok(Array::int(DType::I64, [], vec![self.number(d)?])),
            Op::Iota { len, dtype } => {
                let n = array::count(&[self.size(len)?])?;
                let ramp = Array::int(DType::I64, [n], (0..n as i64).collect());
                Ok(Array::new(*dtype, vec![n], map::cast(self, site, *dtype, &ramp)?))
            }
            Op::Permute(p) => {
                let x = arg(0)?;
                if x.rank() != p.rank() {
                    return Err(self.misfit(kind, args));
                }
                Ok(movement::permute(x, p))
            }
            Op::Reshape(s) => {
                let (x, shape) = (arg(0)?, self.sizes(s)?);
                if array::count(&shape)? != x.len() {
                    return Err(self.misfit(kind, args));
                }
                Ok(x.reshaped(shape))
            }
            Op::Broadcast(new) => {
                let new = new
                    .iter()
                    .map(|(at, d)| Ok((usize::from(*at), self.size(d)?)))
                    .collect::<Result<Vec<_>, Trap>>()?;
                movement::broadcast(arg(0)?, &new)
            }
            Op::Slice(axes) => movement::slice(self, arg(0)?, axes),
            Op::Pad(axes) => movement::pad(self, arg(0)?, arg(1)?, axes),
            Op::Concat(axis) => movement::concat(self, args, usize::from(*axis)),
            Op::Gather(spec) => movement::gather(self, spec, arg(0)?, arg(1)?),
            Op::Scatter(mode, spec) => movement::scatter(self, *mode, spec, [arg(0)?, arg(1)?, arg(2)?]),
            Op::Map(row) => map::map(self, site, *row, args),
            Op::Reduce { monoid, spec, acc } => folds::reduce(self, site, *monoid, spec, *acc, arg(0)?),
            Op::Contract { spec, acc, out } => folds::contract(self, site, spec, *acc, *out, arg(0)?, arg(1)?),
            Op::ArgSort { axis, order, keep } => {
                folds::argsort(self, usize::from(*axis), *order, self.size(keep)?, arg(0)?)
            }
            Op::Input(_) | Op::If(..) | Op::Loop(_) | Op::Call(_) | Op::Opaque(_) | Op::Proj(_) => {
                Err(self.misfit(kind, args))
            }
        }
    }

    /// Any kind but Input.
    pub fn op(&self, site: Site, op: &Op, args: &[&Value<D::Float>]) -> Result<Value<D::Float>, Trap> {
        if let Op::Proj(i) = op {
            return match args {
                [Value::Tuple(parts)] => parts.get(*i as usize).cloned().ok_or_else(|| self.misfit("proj", &[])),
                _ => Err(self.misfit("proj", &[])),
            };
        }
        if let Op::Opaque(id) = op {
            let def = self.tables.opaque_def(*id);
            return Err(Trap::Opaque { domain: def.domain.clone(), op_type: def.op_type.clone() });
        }
        let tensors = args
            .iter()
            .map(|v| v.tensor().ok_or_else(|| Trap::NotTensor(Type::Tuple([].into()))))
            .collect::<Result<Vec<_>, _>>()?;
        match op {
            Op::If(attrs) => control::branch(self, site, attrs, &tensors),
            Op::Loop(l) => control::repeat(self, site, l, &tensors),
            Op::Call(call) => self.call(site, call, &tensors),
            _ => Ok(self.tensor(site, op, &tensors)?.into()),
        }
    }

    fn call(&self, site: Site, call: &Call, args: &[&Array<D::Float>]) -> Result<Value<D::Float>, Trap> {
        match call {
            Call::Recurrent(r) => recurrent::run(self, site, r, args),
            Call::Resize(r) => {
                let [x] = args else { return Err(self.misfit(call.name(), args)) };
                Ok(resize::run(self, site, r, x)?.into())
            }
            Call::Det => {
                let [x] = args else { return Err(self.misfit(call.name(), args)) };
                Ok(native::det(self, site, x)?.into())
            }
            Call::NonMaxSuppression(n) => native::nms(self, n, args),
            Call::Softmax { .. }
            | Call::LogSoftmax { .. }
            | Call::LayerNorm { .. }
            | Call::RmsNorm { .. }
            | Call::Gelu(_) => {
                let types: Vec<Type> = args.iter().map(|a| Type::fixed(a.dtype(), a.shape())).collect();
                let body = crate::defs::body(call, &types)?;
                let mut results = self.body(site, &body, args)?;
                Ok(results.swap_remove(0).into())
            }
        }
    }

    /// A closed graph applied to arrays; its symbols are bound by them, then by the surroundings.
    pub fn body(&self, site: Site, body: &Graph, args: &[&Array<D::Float>]) -> Result<Vec<Array<D::Float>>, Trap> {
        let inputs: Vec<Array<D::Float>> = args.iter().map(|a| (*a).clone()).collect();
        let values = evaluate(body, self.domain, &inputs, self.bindings.entering(body), site, false);
        values.and_then(|values| outputs(body, &values)).map_err(|e| Trap::Inside(Box::new(e)))
    }
}

fn error(graph: &Graph, value: ValueId, trap: Trap) -> EvalError {
    let origins = graph.nodes().get(value.index()).map_or_else(Origins::none, |n| n.origins.clone());
    EvalError { value, at: OriginPrefix(origins), trap }
}

/// The inputs with defaults filled in: either all are given, or all that have no default.
fn all_inputs<D: Domain>(graph: &Graph, domain: &D, given: &[Array<D::Float>]) -> Result<Vec<Array<D::Float>>, Trap> {
    let required = graph.inputs.iter().filter(|i| i.default.is_none()).count();
    if given.len() == graph.inputs.len() {
        return Ok(given.to_vec());
    }
    if given.len() != required {
        return Err(Trap::Inputs { expected: graph.inputs.len(), got: given.len() });
    }
    let mut given = given.iter();
    let mut all = Vec::new();
    for decl in &graph.inputs {
        match decl.default {
            Some(id) => all.push(array::from_tensor(domain, graph.tables.tensor(id))),
            None => all.extend(given.next().cloned()),
        }
    }
    Ok(all)
}

type Values<F> = Vec<Option<Value<F>>>;

fn evaluate<D: Domain>(
    graph: &Graph,
    domain: &D,
    inputs: &[Array<D::Float>],
    mut bindings: Bindings,
    site: Site,
    keep_all: bool,
) -> Result<Values<D::Float>, EvalError> {
    let first = ValueId(0);
    let inputs = all_inputs(graph, domain, inputs).map_err(|t| error(graph, first, t))?;
    let shapes: Vec<&[usize]> = inputs.iter().map(Array::shape).collect();
    bindings.bind_inputs(graph, &shapes);
    for (decl, given) in graph.inputs.iter().zip(&inputs) {
        if !bindings.fits(&decl.ty, given.dtype(), given.shape()) {
            let (name, declared) = (decl.name.clone(), decl.ty.clone());
            let at = graph
                .values()
                .find(|v| matches!(graph.node(*v).op, Op::Input(i) if graph.inputs[i as usize].name == name));
            let trap = Trap::Input { name, declared, dtype: given.dtype(), shape: given.shape().to_vec() };
            return Err(error(graph, at.unwrap_or(first), trap));
        }
    }
    let live = graph.live();
    let mut uses = graph.use_counts();
    let mut values: Values<D::Float> = vec![None; graph.nodes().len()];
    // Constants are lifted when first needed, so that few are held at a time.
    let lazy = |v: ValueId| !keep_all && matches!(graph.node(v).op, Op::Const(_));
    let lift = |v: ValueId, bindings: &Bindings| {
        let cx = Cx { domain, tables: &graph.tables, bindings };
        cx.op(0, &graph.node(v).op, &[]).map_err(|t| error(graph, v, t))
    };
    for v in graph.values().filter(|v| live[v.index()] && !lazy(*v)) {
        let node = graph.node(v);
        for a in node.args.iter().filter(|a| lazy(**a)) {
            if values[a.index()].is_none() {
                values[a.index()] = Some(lift(*a, &bindings)?);
            }
        }
        let value = match &node.op {
            Op::Input(i) => inputs
                .get(*i as usize)
                .cloned()
                .map(Value::Tensor)
                .ok_or(Trap::Inputs { expected: *i as usize + 1, got: inputs.len() }),
            op => {
                let args: Option<Vec<&Value<D::Float>>> =
                    node.args.iter().map(|a| values[a.index()].as_ref()).collect();
                let run = |args: Vec<&Value<D::Float>>| {
                    let count = bindings.bind_witnesses(graph, v, &args)?;
                    let cx = Cx { domain, tables: &graph.tables, bindings: &bindings };
                    cx.op(sub_site(site, u64::from(v.0)), op, &args[..count])
                };
                args.ok_or_else(|| Trap::NotTensor(node.ty.clone())).and_then(run)
            }
        };
        let value = value.map_err(|t| error(graph, v, t))?;
        if matches!(node.op, Op::If(..) | Op::Loop(_)) {
            bindings.bind_result(&node.ty, &value, &graph.tables.symbols);
        }
        values[v.index()] = Some(value);
        if !keep_all {
            for a in &node.args {
                uses[a.index()] -= 1;
                if uses[a.index()] == 0 {
                    values[a.index()] = None;
                }
            }
        }
    }
    for o in graph.outputs.iter().filter(|o| lazy(o.value)) {
        if values[o.value.index()].is_none() {
            values[o.value.index()] = Some(lift(o.value, &bindings)?);
        }
    }
    Ok(values)
}

fn outputs<F: Clone>(graph: &Graph, values: &Values<F>) -> Result<Vec<Array<F>>, EvalError> {
    let tensor = |v: ValueId| match values.get(v.index()) {
        Some(Some(Value::Tensor(a))) => Ok(a.clone()),
        _ => Err(error(graph, v, Trap::NotTensor(graph.ty(v).clone()))),
    };
    graph.outputs.iter().map(|o| tensor(o.value)).collect()
}

/// Evaluates the outputs. Inputs are given in order: all of them, or all that have no default.
pub fn run<D: Domain>(
    graph: &Graph,
    domain: &D,
    inputs: &[Array<D::Float>],
) -> Result<Vec<Array<D::Float>>, EvalError> {
    let values = evaluate(graph, domain, inputs, Bindings::default(), 0, false)?;
    outputs(graph, &values)
}

/// Evaluates every value that the outputs need and keeps it; the others are None.
pub fn run_all<D: Domain>(
    graph: &Graph,
    domain: &D,
    inputs: &[Array<D::Float>],
) -> Result<Values<D::Float>, EvalError> {
    evaluate(graph, domain, inputs, Bindings::default(), 0, true)
}

/// Evaluates one node on given operands. `bindings` are of the graph ([`Bindings::of_inputs`]); an Input has no value here.
pub fn eval_node<D: Domain>(
    graph: &Graph,
    v: ValueId,
    domain: &D,
    args: &[&Value<D::Float>],
    bindings: &Bindings,
) -> Result<Value<D::Float>, EvalError> {
    let mut bindings = bindings.clone();
    let count = bindings.bind_witnesses(graph, v, args).map_err(|t| error(graph, v, t))?;
    let cx = Cx { domain, tables: &graph.tables, bindings: &bindings };
    cx.op(sub_site(0, u64::from(v.0)), &graph.node(v).op, &args[..count]).map_err(|t| error(graph, v, t))
}

/// The scale of a contraction's or sum's rounding error at each result: the same kind over absolute values, in f64
/// (`tolerances`: Σ|a|·|b|, Σ|x|). None for the other kinds.
pub fn abs_scale(
    graph: &Graph,
    v: ValueId,
    args: &[&Value<f64>],
    bindings: &Bindings,
) -> Option<Result<Array<f64>, EvalError>> {
    let op = &graph.node(v).op;
    if !matches!(op, Op::Contract { .. } | Op::Reduce { monoid: Monoid::Sum, .. }) {
        return None;
    }
    let cx = Cx { domain: &Real::new(), tables: &graph.tables, bindings };
    let sizes: Option<Vec<Array<f64>>> = args
        .iter()
        .map(|v| {
            let a = v.tensor()?;
            let sizes = match a.data() {
                Data::Float(x) => x.iter().map(|x| x.abs()).collect(),
                Data::Int(x) => x.iter().map(|x| x.unsigned_abs() as f64).collect(),
                Data::Bool(_) => return None,
            };
            Some(Array::float(DType::F64, a.shape(), sizes))
        })
        .collect();
    let sizes = sizes?;
    let op = match op {
        Op::Contract { spec, .. } => Op::Contract { spec: spec.clone(), acc: DType::F64, out: DType::F64 },
        Op::Reduce { monoid, spec, .. } => Op::Reduce { monoid: *monoid, spec: spec.clone(), acc: DType::F64 },
        other => other.clone(),
    };
    Some(cx.tensor(0, &op, &sizes.iter().collect::<Vec<_>>()).map_err(|t| error(graph, v, t)))
}

/// Lifts tensors into a domain.
pub fn lift<D: Domain>(domain: &D, tensors: &[Tensor]) -> Vec<Array<D::Float>> {
    tensors.iter().map(|t| array::from_tensor(domain, t)).collect()
}

/// Evaluates in the declared types, operation by operation.
pub fn native(graph: &Graph, inputs: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
    native_within(graph, inputs, &Bindings::default())
}

/// [`native`], with values of symbols that the inputs' shapes do not give.
pub fn native_within(graph: &Graph, inputs: &[Tensor], outer: &Bindings) -> Result<Vec<Tensor>, EvalError> {
    let domain = Native::new();
    let values = evaluate(graph, &domain, &lift(&domain, inputs), outer.clone(), 0, false)?;
    Ok(outputs(graph, &values)?.iter().map(Array::to_tensor).collect())
}

/// Evaluates floats as real numbers (f64 throughout); integers and booleans exactly.
pub fn real(graph: &Graph, inputs: &[Tensor]) -> Result<Vec<Array<f64>>, EvalError> {
    let domain = Real::new();
    run(graph, &domain, &lift(&domain, inputs))
}

/// Evaluates a graph that depends on no inputs, in the declared types: constant folding.
pub fn fold(graph: &Graph) -> Result<Vec<Tensor>, EvalError> {
    native(graph, &[])
}
