//! One step apart: both sides as a small graph over their leaves, evaluated as real numbers with values drawn for the
//! leaves. Constants keep their values, since rules may ask for them.

use egret_ir::derivation::{Derivation, Kind, Reason, Step};
use egret_ir::eval::{Array, Data, Real, Value, run_all};
use egret_ir::op::Op;
use egret_ir::{DType, Dim, Graph, Numeric, TensorType, ValueId};

use crate::rng::Rng;

/// Draws per step.
const DRAWS: u64 = 3;

/// Steps over more elements than this are left to [`super::bisect`], which evaluates terms once for all steps.
const ELEMENTS: usize = 1 << 18;

/// What is put for an extent that is open.
const OPEN: i64 = 3;

/// What the evaluation of one step says.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Both sides agree on every draw.
    Agrees,
    /// They do not.
    Differs(Difference),
    /// It could not be evaluated apart.
    Unknown(String),
}

/// Where two sides differ.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Flat index of the element.
    pub element: usize,
    /// The left side's value there.
    pub left: f64,
    /// The right side's.
    pub right: f64,
    /// The largest difference that rounding could make.
    pub tolerance: f64,
}

/// How far apart the sides of a step may be, for values up to 1: f64 rounding of both ways, and the rounding of literals
/// that a rule or folding writes down in f32.
pub(super) fn relative(reason: &Reason) -> f64 {
    match (reason.kind, reason.numeric) {
        (_, Numeric::Approximates) => 1e-2,
        (Kind::Folded | Kind::Written, _) => 1e-4,
        (Kind::Rule | Kind::Pass, Numeric::Exact | Numeric::Reassociates | Numeric::Finite) => 1e-6,
    }
}

/// Evaluates a step apart.
pub fn judge(d: &Derivation, step: &Step, seed: u64) -> Judgement {
    let constant = constants(d.terms.graph());
    judge_with(d, step, seed, &constant)
}

/// [`judge`] for every step, in order.
pub fn judge_all(d: &Derivation, seed: u64) -> Vec<Judgement> {
    let constant = constants(d.terms.graph());
    d.steps().map(|s| judge_with(d, s, seed, &constant)).collect()
}

/// Which terms depend on constants alone.
fn constants(graph: &Graph) -> Vec<bool> {
    let mut constant = vec![false; graph.nodes().len()];
    for v in graph.values() {
        let node = graph.node(v);
        let run_time = matches!(node.op, Op::Input(_) | Op::Opaque(_) | Op::If(_) | Op::Loop(_) | Op::Dim(_));
        constant[v.index()] = !run_time && node.args.iter().all(|a| constant[a.index()]);
    }
    constant
}

fn judge_with(d: &Derivation, step: &Step, seed: u64, constant: &[bool]) -> Judgement {
    let reason = d.reason_of(step);
    let open = Step { leaves: step.leaves.iter().copied().filter(|l| !constant[l.index()]).collect(), ..step.clone() };
    let unknown = |why: &str| Judgement::Unknown(why.to_owned());
    let Some(graph) = d.instance(&open) else { return unknown("it is not over its leaves") };
    let mut elements = 0usize;
    for n in graph.nodes() {
        let count = n.ty.as_tensor().and_then(|t| count(&sizes(t)?));
        match count.and_then(|n| elements.checked_add(n)) {
            Some(sum) if sum <= ELEMENTS => elements = sum,
            _ => return unknown("its values are large or of no fixed size"),
        }
    }
    for draw in 0..DRAWS {
        let Some(inputs) = inputs(&graph, reason.numeric, seed ^ (draw << 32) ^ u64::from(step.left.0)) else {
            return unknown("a leaf is no tensor");
        };
        let values = match run_all(&graph, &Real::new(), &inputs) {
            Ok(values) => values,
            Err(e) => return Judgement::Unknown(e.to_string()),
        };
        let value = |v: ValueId| values[v.index()].as_ref().and_then(Value::tensor);
        let (Some(left), Some(right)) = (value(graph.outputs[0].value), value(graph.outputs[1].value)) else {
            return unknown("a side is no tensor");
        };
        let scale = values.iter().flatten().filter_map(Value::tensor).map(magnitude).fold(0.0, f64::max);
        if let Some(difference) = difference(left, right, relative(reason) * scale.max(1e-3)) {
            return Judgement::Differs(difference);
        }
    }
    Judgement::Agrees
}

/// Extents, small numbers put for open ones.
fn sizes(t: &TensorType) -> Option<Vec<usize>> {
    t.shape.iter().map(|d| usize::try_from(d.substitute(&|_| Some(Dim::from(OPEN))).as_const()?).ok()).collect()
}

fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d))
}

fn inputs(graph: &Graph, numeric: Numeric, seed: u64) -> Option<Vec<Array<f64>>> {
    let mut rng = Rng::new(seed);
    let draw = |decl: &egret_ir::graph::InputDecl| {
        let t = decl.ty.as_tensor()?;
        let shape = sizes(t)?;
        let n = count(&shape)?;
        Some(match t.dtype {
            DType::Bool => Array::bool(shape, (0..n).map(|_| rng.bits() & 1 == 0).collect()),
            d if d.is_float() => {
                let value = |u: f64| match numeric {
                    Numeric::Exact | Numeric::Reassociates => 8.0 * u - 4.0,
                    Numeric::Finite | Numeric::Approximates => 0.25 + 3.0 * u,
                };
                Array::float(d, shape, (0..n).map(|_| value(rng.unit())).collect())
            }
            // Positions as often as not: small, and no negative ones.
            d => Array::int(d, shape, (0..n).map(|_| rng.range(0, 3)).collect()),
        })
    };
    graph.inputs.iter().map(draw).collect()
}

/// The largest finite magnitude.
pub(super) fn magnitude(a: &Array<f64>) -> f64 {
    match a.data() {
        Data::Float(x) => x.iter().filter(|x| x.is_finite()).fold(0.0, |m, x| m.max(x.abs())),
        Data::Int(x) => x.iter().fold(0.0, |m, x| m.max(x.unsigned_abs() as f64)),
        Data::Bool(_) => 1.0,
    }
}

/// Decisions (positions, truth values) of which rounding may turn this fraction.
const FLIPPED: f64 = 1e-3;

/// The first element in which both differ by more than rounding can do.
pub(super) fn difference(left: &Array<f64>, right: &Array<f64>, tolerance: f64) -> Option<Difference> {
    let at = |element: usize, left: f64, right: f64| Some(Difference { element, left, right, tolerance });
    if left.shape() != right.shape() {
        return at(0, left.len() as f64, right.len() as f64);
    }
    let discrete = |pairs: Vec<(usize, f64, f64)>, n: usize| {
        let few = (pairs.len() as f64) <= FLIPPED * n as f64;
        if few { None } else { pairs.first().and_then(|(i, x, y)| at(*i, *x, *y)) }
    };
    match (left.data(), right.data()) {
        (Data::Float(x), Data::Float(y)) => {
            let far = |(a, b): (&f64, &f64)| !(a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance);
            let i = x.iter().zip(y.iter()).position(far)?;
            at(i, x[i], y[i])
        }
        (Data::Int(x), Data::Int(y)) => {
            let pairs = x.iter().zip(y.iter()).enumerate().filter(|(_, (a, b))| a != b);
            discrete(pairs.map(|(i, (a, b))| (i, *a as f64, *b as f64)).collect(), x.len())
        }
        (Data::Bool(x), Data::Bool(y)) => {
            let pairs = x.iter().zip(y.iter()).enumerate().filter(|(_, (a, b))| a != b);
            discrete(pairs.map(|(i, (a, b))| (i, f64::from(*a), f64::from(*b))).collect(), x.len())
        }
        _ => at(0, f64::NAN, f64::NAN),
    }
}
