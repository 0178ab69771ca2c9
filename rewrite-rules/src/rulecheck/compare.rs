//! Both sides of an instance on many inputs: special values bit for bit, real numbers, numbers modulo two primes.

use egret_ir::eval::domain::mix;
use egret_ir::eval::{Array, Data, Native, Real, Value, lift, run_all};
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Graph, Literal, Tensor, Type};

use super::modular;
use crate::lang::Numeric;

/// A difference of both sides.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Domain in which they differ.
    pub domain: &'static str,
    /// Inputs, as text.
    pub inputs: Vec<String>,
    /// Flat index of the element.
    pub element: usize,
    /// Left value.
    pub left: String,
    /// Right value.
    pub right: String,
    /// Number of the sample (its seed).
    pub seed: u64,
    /// Both sides at these values, as text.
    pub graphs: [String; 2],
}

/// On one line where, then the inputs, and both sides as graphs.
impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { domain, inputs, element, left, right, seed, graphs } = self;
        write!(f, "the sides differ in {domain} at element {element}: {left} and {right} (sample {seed})")?;
        for (i, x) in inputs.iter().enumerate() {
            write!(f, "\n    x{i} = {x}")?;
        }
        for (side, graph) in ["left", "right"].iter().zip(graphs) {
            write!(f, "\n    {side}:")?;
            for line in graph.lines() {
                write!(f, "\n      {line}")?;
            }
        }
        Ok(())
    }
}

/// What comparing gave.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Compared {
    /// Samples on which the left side has a value, in its declared types.
    pub usable: usize,
    /// Samples tried.
    pub tried: usize,
    /// Samples compared modulo two primes.
    pub modular: usize,
    /// −log₂ of the probability that sides that differ are equal in all of them.
    pub error_bits: u32,
    /// Whether floats were compared.
    pub floats: bool,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// Samples in declared types per instance of a rule's own text.
pub const SAMPLES: u64 = 24;

/// Elements that an input of a class of rules may have.
fn pool(numeric: Numeric) -> &'static [f64] {
    match numeric {
        Numeric::Exact => &[
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1.0,
            -1.0,
            1.401_298_464_324_817e-45,
            -1e-40,
            1.175_494_350_822_287_5e-38,
            3.402_823_466_385_288_6e38,
            -3.402_823_466_385_288_6e38,
            0.1,
            -2.5,
            16_777_217.0,
            70_000.0,
            0.5,
            88.8,
        ],
        Numeric::Reassociates => {
            &[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, 0.1, -2.5, 3.0, 0.5, 17.0]
        }
        Numeric::Finite | Numeric::Approximates => &[1.0, 0.1, 2.5, 3.0, 0.5, 7.25, 0.03, 4.0, -1.5, -0.7],
    }
}

fn element(dtype: DType, numeric: Numeric, r: u64) -> Literal {
    let special = r & 1 == 0;
    let r = mix(r);
    let unit = (mix(r) >> 11) as f64 / (1u64 << 53) as f64;
    if dtype.is_float() {
        let pool = pool(numeric);
        let x = match numeric {
            Numeric::Exact | Numeric::Reassociates if special => pool[(r % pool.len() as u64) as usize],
            Numeric::Exact | Numeric::Reassociates => 8.0 * unit - 4.0,
            Numeric::Finite | Numeric::Approximates if special => pool[(r % pool.len() as u64) as usize],
            Numeric::Finite | Numeric::Approximates => 0.25 + 3.0 * unit,
        };
        return Literal::from_f64(dtype, x);
    }
    if dtype == DType::Bool {
        return Literal::bool(r & 4 == 0);
    }
    if special {
        let edges =
            [0, 1, -1, 2, i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 255, 128, 1 << 31, 16_777_217];
        return Literal::from_i64(dtype, edges[(r % edges.len() as u64) as usize]);
    }
    Literal::from_i64(dtype, (r % 41) as i64 - 20)
}

fn inputs(graph: &Graph, numeric: Numeric, seed: u64) -> Option<Vec<Tensor>> {
    let mut counter = mix(seed);
    graph
        .inputs
        .iter()
        .map(|decl| {
            let Type::Tensor(t) = &decl.ty else { return None };
            let shape = t.static_shape()?;
            let n: usize = shape.iter().product();
            let mut bytes = Vec::new();
            for _ in 0..n {
                counter = mix(counter);
                bytes.extend(element(t.dtype, numeric, counter).to_le_bytes());
            }
            Tensor::new(t.dtype, shape, bytes).ok()
        })
        .collect()
}

/// Whether the sign of a zero may differ: it went through a fold, min or max.
pub(super) fn loose_zero(graph: &Graph) -> bool {
    graph.nodes().iter().any(|n| {
        matches!(n.op, Op::Reduce { .. } | Op::Contract { .. } | Op::Map(Scalar::Min | Scalar::Max) | Op::Call(_))
    })
}

pub(super) fn difference(
    domain: &'static str,
    given: &[Tensor],
    element: usize,
    left: String,
    right: String,
    seed: u64,
) -> Difference {
    let inputs = given.iter().map(|t| format!("{t:?}")).collect();
    Difference { domain, inputs, element, left, right, seed, graphs: [String::new(), String::new()] }
}

/// The first element that differs in bits.
pub(super) fn bits(left: &Tensor, right: &Tensor, loose: bool) -> Option<usize> {
    (0..left.len().max(right.len())).find(|i| {
        if *i >= left.len() || *i >= right.len() {
            return true;
        }
        let (a, b) = (left.get(*i), right.get(*i));
        let (x, y) = (a.to_f64(), b.to_f64());
        let nan = a.dtype().is_float() && x.is_nan() && y.is_nan();
        let zero = loose && x == 0.0 && y == 0.0;
        a != b && !nan && !zero
    })
}

/// The largest finite magnitude among all values of a graph.
fn magnitude(values: &[Option<Value<f64>>]) -> f64 {
    let mut most = 0f64;
    for v in values.iter().flatten() {
        if let Some(Data::Float(x)) = v.tensor().map(Array::data) {
            most = x.iter().filter(|x| x.is_finite()).fold(most, |m, x| m.max(x.abs()));
        }
    }
    most
}

fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F64 => 2f64.powi(-53),
        _ => 2f64.powi(-24),
    }
}

/// Same NaN and Inf pattern, finite values within `slack`.
fn near(left: &[f64], right: &[f64], slack: f64) -> Option<usize> {
    (0..left.len().max(right.len())).find(|i| match (left.get(*i), right.get(*i)) {
        (Some(x), Some(y)) => !(x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= slack),
        _ => true,
    })
}

/// Compares both sides in the ways that their numeric class promises, on `samples` inputs in declared types.
pub fn compare(left: &Graph, right: &Graph, numeric: Numeric, rounded_literals: bool, samples: u64) -> Compared {
    let mut out = compared(left, right, numeric, rounded_literals, samples);
    if let Some(d) = &mut out.difference {
        d.graphs = [left, right].map(egret_ir::text::print);
    }
    out
}

fn compared(left: &Graph, right: &Graph, numeric: Numeric, rounded_literals: bool, samples: u64) -> Compared {
    let floats = left.ty(left.outputs[0].value).as_tensor().is_some_and(|t| t.dtype.is_float());
    let mut out = Compared { floats, ..Compared::default() };
    let loose = loose_zero(left) || loose_zero(right);
    let integers =
        left.nodes().iter().chain(right.nodes()).all(|n| n.ty.as_tensor().is_some_and(|t| !t.dtype.is_float()));
    let strict = numeric == Numeric::Exact || integers;
    for seed in 0..samples {
        let Some(given) = inputs(left, numeric, seed) else { break };
        out.tried += 1;
        let Ok(a) = egret_ir::eval::native(left, &given) else { continue };
        out.usable += 1;
        let b = match egret_ir::eval::native(right, &given) {
            Ok(b) => b,
            Err(e) => {
                out.difference = Some(difference("declared types", &given, 0, "a value".into(), e.to_string(), seed));
                return out;
            }
        };
        let (a, b) = (&a[0], &b[0]);
        let at = if strict || !a.dtype().is_float() {
            bits(a, b, loose)
        } else {
            let u = if numeric == Numeric::Approximates { 1e-4 } else { 64.0 * unit(a.dtype()) };
            let domain = Native::new();
            let scale = [left, right]
                .iter()
                .filter_map(|g| run_all(g, &domain, &lift(&domain, &given)).ok())
                .fold(1f64, |m, v| m.max(magnitude(&v)));
            near(&a.to_f64(), &b.to_f64(), u * scale)
        };
        if let Some(i) = at {
            let shown = |t: &Tensor| if i < t.len() { t.get(i).to_string() } else { "nothing".into() };
            out.difference = Some(difference("declared types", &given, i, shown(a), shown(b), seed));
            return out;
        }
        if !strict && numeric != Numeric::Approximates && !rounded_literals {
            let domain = Real::new();
            let given_real = lift(&domain, &given);
            if let (Ok(a), Ok(b)) = (run_all(left, &domain, &given_real), run_all(right, &domain, &given_real)) {
                let scale = magnitude(&a).max(magnitude(&b)).max(1.0);
                let last = |v: &[Option<Value<f64>>], g: &Graph| {
                    v[g.outputs[0].value.index()]
                        .as_ref()
                        .and_then(Value::tensor)
                        .and_then(|a| a.floats().map(<[f64]>::to_vec))
                };
                if let (Some(x), Some(y)) = (last(&a, left), last(&b, right))
                    && let Some(i) = near(&x, &y, 1e-11 * scale)
                {
                    let shown = |v: &[f64]| v.get(i).map_or("nothing".into(), f64::to_string);
                    out.difference = Some(difference("real numbers", &given, i, shown(&x), shown(&y), seed));
                    return out;
                }
            }
        }
    }
    if numeric <= Numeric::Finite && !integers && !rounded_literals {
        modular::modular(left, right, &mut out);
    }
    out
}
