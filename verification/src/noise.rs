//! The noise floor of a region: what honest rounding does to its results, predicted by evaluating it in f64 with a random
//! error of the engine's typical size after every operation that rounds (random rounding; Stott Parker, "Monte Carlo
//! arithmetic", 1997). Several runs give a standard deviation per result element.
//!
//! The truth is evaluated once. Runs start from what no error has reached yet, and scales of contractions and sums
//! (Σ|a|·|b|, Σ|x|) are computed once, at the truth.

use std::collections::BTreeMap;

use egret_ir::eval::domain::{mix, sub_site};
use egret_ir::eval::{Array, Bindings, Data, EvalError, RandomRounding, Real, Value, abs_scale, eval_node};
use egret_ir::op::call::Call;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Monoid, Op};
use egret_ir::{DType, Graph, ValueId};

use crate::criteria;
use crate::profile::{Constants, Profile, rounds, unit_roundoff};
use crate::region::{Opaques, Region, at, given_values, not_a_tensor, onnx_op};
use crate::rng::Rng;

/// How runs are made.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// How many (0: the truth alone).
    pub count: usize,
    /// Seed of the first.
    pub seed: u64,
    /// Threads to use.
    pub threads: usize,
}

/// A result with its floor.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The f64 value.
    pub value: Array<f64>,
    /// Standard deviation of each element under random rounding; empty for integers, truth values and without runs.
    pub sigma: Vec<f64>,
    /// For integers and truth values: whether some run gave another value there. Empty where none did.
    pub unstable: Vec<bool>,
}

struct Base {
    /// What runs start from: values that no error reaches, and exact results of operations that round first.
    values: BTreeMap<ValueId, Value<f64>>,
    /// Scales at the truth, with the number of terms.
    scales: BTreeMap<ValueId, (Vec<f32>, f64)>,
}

/// Constants and moved copies of more elements than this are made again in every run instead of being kept in f64.
const KEEP: usize = 1 << 14;

/// The truth and the floors of a region's targets.
pub fn floors(
    graph: &Graph,
    region: &Region,
    profile: &Profile,
    given: &BTreeMap<ValueId, Array<f64>>,
    bindings: &mut Bindings,
    opaques: &(dyn Opaques<Real> + Sync),
    runs: Runs,
) -> Result<Vec<Truth>, EvalError> {
    let (truth, base) = truth(graph, region, profile, given, bindings, opaques, runs.count > 0)?;
    let mut results: Vec<Option<Result<Vec<Array<f64>>, EvalError>>> = vec![None; runs.count];
    let threads = runs.threads.clamp(1, runs.count.max(1));
    let bindings = &*bindings;
    let one =
        |r: usize| run(graph, region, profile, given, bindings, opaques, &base, mix(runs.seed.wrapping_add(r as u64)));
    if threads == 1 {
        for (r, slot) in results.iter_mut().enumerate() {
            *slot = Some(one(r));
        }
    } else {
        std::thread::scope(|scope| {
            for (t, chunk) in results.chunks_mut(runs.count.div_ceil(threads)).enumerate() {
                let first = t * runs.count.div_ceil(threads);
                let one = &one;
                scope.spawn(move || {
                    for (i, slot) in chunk.iter_mut().enumerate() {
                        *slot = Some(one(first + i));
                    }
                });
            }
        });
    }
    let results = results.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
    let with_floor = |(i, value): (usize, Array<f64>)| {
        let mut out = Truth { sigma: Vec::new(), unstable: Vec::new(), value };
        match out.value.data() {
            Data::Float(t) => {
                let runs: Vec<&[f64]> =
                    results.iter().filter_map(|r| r[i].floats()).filter(|r| r.len() == t.len()).collect();
                if !runs.is_empty() {
                    out.sigma = criteria::deviations(t, &runs);
                }
            }
            Data::Int(_) | Data::Bool(_) => {
                let differs = |at: usize| {
                    results.iter().any(|r| r[i].len() == out.value.len() && !same_at(&r[i], &out.value, at))
                };
                let unstable: Vec<bool> = (0..out.value.len()).map(differs).collect();
                if unstable.contains(&true) {
                    out.unstable = unstable;
                }
            }
        }
        out
    };
    Ok(truth.into_iter().enumerate().map(with_floor).collect())
}

fn same_at(a: &Array<f64>, b: &Array<f64>, at: usize) -> bool {
    match (a.data(), b.data()) {
        (Data::Float(x), Data::Float(y)) => x[at] == y[at] || (x[at].is_nan() && y[at].is_nan()),
        (Data::Int(x), Data::Int(y)) => x[at] == y[at],
        (Data::Bool(x), Data::Bool(y)) => x[at] == y[at],
        (Data::Float(_) | Data::Int(_) | Data::Bool(_), _) => false,
    }
}

/// Whether an operation itself rounds.
fn rounds_here(graph: &Graph, v: ValueId) -> bool {
    let node = graph.node(v);
    let float = |v: ValueId| graph.ty(v).as_tensor().is_some_and(|t| t.dtype.is_float());
    match &node.op {
        Op::Map(Scalar::Cast(to)) => {
            let from = node.args.first().and_then(|a| graph.ty(*a).as_tensor()).map_or(DType::Bool, |t| t.dtype);
            from.is_float() && unit_roundoff(*to) > unit_roundoff(from)
        }
        Op::Map(s) => float(v) && rounds(*s),
        Op::Contract { .. } => float(v),
        Op::Reduce { monoid, .. } => float(v) && matches!(monoid, Monoid::Sum | Monoid::Prod),
        Op::Call(_) | Op::If(..) | Op::Loop(_) => true,
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::ArgSort { .. }
        | Op::Opaque(_)
        | Op::Proj(_) => false,
    }
}

/// Σ|terms| of each result and the number of terms, where the row of an operation asks for them.
fn terms(
    graph: &Graph,
    v: ValueId,
    row: Constants,
    args: &[&Value<f64>],
    bindings: &Bindings,
) -> Result<(Vec<f32>, f64), EvalError> {
    if !row.has_terms() {
        return Ok((Vec::new(), 0.0));
    }
    if matches!(graph.node(v).op, Op::Map(Scalar::Add | Scalar::Sub)) {
        let floats: Vec<&[f64]> = args.iter().filter_map(|a| a.tensor()?.floats()).collect();
        let [x, y] = floats.as_slice() else { return Ok((Vec::new(), 0.0)) };
        return Ok((x.iter().zip(*y).map(|(x, y)| (x.abs() + y.abs()) as f32).collect(), 2.0));
    }
    match abs_scale(graph, v, args, bindings).transpose()? {
        None => Ok((Vec::new(), 0.0)),
        Some(scale) => {
            let scale = scale.floats().unwrap_or_default().iter().map(|s| *s as f32).collect();
            Ok((scale, terms_per_result(graph, v, args)))
        }
    }
}

/// The constants and the type whose roundoff they count in.
fn row(graph: &Graph, v: ValueId, profile: &Profile, op: Option<&str>) -> Option<(Constants, DType)> {
    let node = graph.node(v);
    if !rounds_here(graph, v) {
        return None;
    }
    match &node.op {
        Op::Map(s) => Some((profile.scalar(*s, op).noise, node.ty.as_tensor()?.dtype)),
        Op::Contract { acc, .. } => Some((profile.contract(op).noise, *acc)),
        Op::Reduce { monoid: Monoid::Sum, acc, .. } => Some((profile.sum(op).noise, *acc)),
        Op::Reduce { acc, .. } => Some((profile.prod(op).noise, *acc)),
        _ => None,
    }
    .filter(|(row, _)| !row.is_exact())
}

/// Values that take more memory than time.
fn is_cheap(graph: &Graph, v: ValueId, value: &Value<f64>) -> bool {
    let op = &graph.node(v).op;
    value.tensor().is_some_and(|a| a.len() > KEEP) && (op.is_movement() || matches!(op, Op::Const(_) | Op::Iota { .. }))
}

/// A value that no error reaches, in a run.
fn clean(
    graph: &Graph,
    v: ValueId,
    region: &Region,
    given: &BTreeMap<ValueId, Array<f64>>,
    bindings: &Bindings,
    base: &Base,
) -> Result<Value<f64>, EvalError> {
    if region.cut.contains(&v)
        && let Some(a) = given.get(&v)
    {
        return Ok(a.clone().into());
    }
    if let Some(known) = base.values.get(&v) {
        return Ok(known.clone());
    }
    let args = graph.node(v).args.iter().map(|a| clean(graph, *a, region, given, bindings, base));
    let args = args.collect::<Result<Vec<_>, _>>()?;
    eval_node(graph, v, &Real::new(), &args.iter().collect::<Vec<_>>(), bindings)
}

/// Which values an error reaches, by membership.
fn reached(graph: &Graph, region: &Region) -> std::collections::BTreeSet<ValueId> {
    let mut reached = std::collections::BTreeSet::new();
    for &v in &region.order {
        if rounds_here(graph, v) || graph.node(v).args.iter().any(|a| reached.contains(a) && !region.cut.contains(a)) {
            reached.insert(v);
        }
    }
    reached
}

fn uses(graph: &Graph, order: impl Iterator<Item = ValueId>) -> BTreeMap<ValueId, usize> {
    let mut uses = BTreeMap::new();
    for v in order {
        for a in &graph.node(v).args {
            *uses.entry(*a).or_default() += 1;
        }
    }
    uses
}

fn truth(
    graph: &Graph,
    region: &Region,
    profile: &Profile,
    given: &BTreeMap<ValueId, Array<f64>>,
    bindings: &mut Bindings,
    opaques: &dyn Opaques<Real>,
    keep: bool,
) -> Result<(Vec<Array<f64>>, Base), EvalError> {
    let real = Real::new();
    let reached = reached(graph, region);
    let first = |v: &ValueId| {
        rounds_here(graph, *v)
            && !matches!(graph.node(*v).op, Op::Call(_) | Op::If(..) | Op::Loop(_))
            && graph.node(*v).args.iter().all(|a| !reached.contains(a) || region.cut.contains(a))
    };
    // What the runs will read without computing it again.
    let mut wanted: std::collections::BTreeSet<ValueId> = region.targets.iter().copied().collect();
    wanted.extend(region.order.iter().filter(|v| reached.contains(v)).flat_map(|v| &graph.node(*v).args));
    let mut uses = uses(graph, region.order.iter().copied());
    let mut values = given_values(graph, region, given, bindings);
    let mut base = Base { values: BTreeMap::new(), scales: BTreeMap::new() };
    let mut results: BTreeMap<ValueId, Array<f64>> = BTreeMap::new();
    for &v in &region.order {
        let node = graph.node(v);
        let args: Vec<&Value<f64>> = node.args.iter().filter_map(|a| values.get(a)).collect();
        let value = if matches!(node.op, Op::Opaque(_)) {
            opaques.opaque(graph, v, &real, &args)?
        } else {
            eval_node(graph, v, &real, &args, bindings)?
        };
        bindings.learn(graph, v, &args, &value).map_err(|trap| at(graph, v, trap))?;
        if keep {
            let clean = !reached.contains(&v) && wanted.contains(&v) && !is_cheap(graph, v, &value);
            if clean || first(&v) {
                base.values.insert(v, value.clone());
            }
            if let Some((row, _)) = row(graph, v, profile, onnx_op(graph, v)) {
                base.scales.insert(v, terms(graph, v, row, &args, bindings)?);
            }
        }
        for a in &node.args {
            if let Some(n) = uses.get_mut(a) {
                *n -= 1;
                if *n == 0 {
                    values.remove(a);
                }
            }
        }
        if region.targets.contains(&v) {
            results.insert(v, value.tensor().cloned().ok_or_else(|| not_a_tensor(graph, v))?);
        }
        if uses.get(&v).is_some_and(|n| *n > 0) && !region.cut.contains(&v) {
            values.insert(v, value);
        }
    }
    let target = |t: &ValueId| results.get(t).or_else(|| given.get(t)).cloned().ok_or_else(|| not_a_tensor(graph, *t));
    Ok((region.targets.iter().map(target).collect::<Result<_, _>>()?, base))
}

#[expect(clippy::too_many_arguments, reason = "one call site; the arguments are the state of `floors`")]
fn run(
    graph: &Graph,
    region: &Region,
    profile: &Profile,
    given: &BTreeMap<ValueId, Array<f64>>,
    bindings: &Bindings,
    opaques: &dyn Opaques<Real>,
    base: &Base,
    seed: u64,
) -> Result<Vec<Array<f64>>, EvalError> {
    let real = Real::new();
    let reached = reached(graph, region);
    let in_run = |v: &ValueId| reached.contains(v);
    let mut uses = uses(graph, region.order.iter().copied().filter(|v| in_run(v)));
    let mut values: BTreeMap<ValueId, Value<f64>> = BTreeMap::new();
    let mut results: BTreeMap<ValueId, Array<f64>> = BTreeMap::new();
    for &v in region.order.iter().filter(|v| in_run(v)) {
        let node = graph.node(v);
        let mut fetched: Vec<Option<Value<f64>>> = vec![None; node.args.len()];
        for (slot, a) in fetched.iter_mut().zip(&node.args) {
            if reached.contains(a) && !region.cut.contains(a) {
                *slot = values.get(a).cloned();
            } else if !base.values.contains_key(&v) {
                *slot = Some(clean(graph, *a, region, given, bindings, base)?);
            }
        }
        let args: Vec<&Value<f64>> = fetched.iter().flatten().collect();
        let op = onnx_op(graph, v);
        let value = if let Some(exact) = base.values.get(&v) {
            let scale = base.scales.get(&v).map(|(s, k)| (s.as_slice(), *k));
            perturb(graph, v, profile, op, exact.clone(), scale, sub_site(seed, u64::from(v.0)), &args, bindings)?
        } else if matches!(node.op, Op::Opaque(_)) {
            opaques.opaque(graph, v, &real, &args)?
        } else {
            let scale = base.scales.get(&v).map(|(s, k)| (s.as_slice(), *k));
            noisy(graph, v, profile, op, &args, scale, sub_site(seed, u64::from(v.0)), bindings)?
        };
        for a in &node.args {
            if let Some(n) = uses.get_mut(a) {
                *n -= 1;
                if *n == 0 {
                    values.remove(a);
                }
            }
        }
        if region.targets.contains(&v) {
            results.insert(v, value.tensor().cloned().ok_or_else(|| not_a_tensor(graph, v))?);
        }
        if uses.get(&v).is_some_and(|n| *n > 0) {
            values.insert(v, value);
        }
    }
    let target = |t: &ValueId| {
        if let Some(reached) = results.get(t) {
            return Ok(reached.clone());
        }
        let untouched = clean(graph, *t, region, given, bindings, base)?;
        untouched.tensor().cloned().ok_or_else(|| not_a_tensor(graph, *t))
    };
    region.targets.iter().map(target).collect()
}

/// A node evaluated and perturbed.
#[expect(clippy::too_many_arguments, reason = "the state of a run")]
fn noisy(
    graph: &Graph,
    v: ValueId,
    profile: &Profile,
    op: Option<&str>,
    args: &[&Value<f64>],
    scale: Option<(&[f32], f64)>,
    seed: u64,
    bindings: &Bindings,
) -> Result<Value<f64>, EvalError> {
    match &graph.node(v).op {
        Op::Call(call)
            if !matches!(**call, Call::Recurrent(_) | Call::Resize(_) | Call::Det | Call::NonMaxSuppression(_)) =>
        {
            let tensors: Vec<&Array<f64>> = args.iter().filter_map(|a| a.tensor()).collect();
            composite(call, &tensors, profile, op, seed, graph, v)
        }
        Op::Call(_) | Op::If(..) | Op::Loop(_) => eval_node(graph, v, &RandomRounding::new(seed), args, bindings),
        _ => {
            let exact = eval_node(graph, v, &Real::new(), args, bindings)?;
            perturb(graph, v, profile, op, exact, scale, seed, args, bindings)
        }
    }
}

/// A composite: its body, node by node.
fn composite(
    call: &Call,
    args: &[&Array<f64>],
    profile: &Profile,
    op: Option<&str>,
    seed: u64,
    graph: &Graph,
    v: ValueId,
) -> Result<Value<f64>, EvalError> {
    let types: Vec<egret_ir::Type> = args.iter().map(|a| egret_ir::Type::fixed(a.dtype(), a.shape())).collect();
    let trap = |trap| EvalError { value: v, at: egret_ir::check::OriginPrefix(graph.node(v).origins.clone()), trap };
    let body = egret_ir::defs::body(call, &types).map_err(|e| trap(egret_ir::eval::Trap::Body(e)))?;
    let mut values: Vec<Value<f64>> = Vec::with_capacity(body.nodes().len());
    let bindings = Bindings::default();
    for n in body.values() {
        let node = body.node(n);
        let value = match &node.op {
            Op::Input(i) => args[*i as usize].clone().into(),
            _ => {
                let operands: Vec<&Value<f64>> = node.args.iter().map(|a| &values[a.index()]).collect();
                noisy(&body, n, profile, op, &operands, None, sub_site(seed, u64::from(n.0)), &bindings)?
            }
        };
        values.push(value);
    }
    let out = body.outputs.first().map(|o| values[o.value.index()].clone());
    out.ok_or_else(|| not_a_tensor(graph, v))
}

/// Adds the errors of one operation to its exact result.
#[expect(clippy::too_many_arguments, reason = "the state of a run")]
fn perturb(
    graph: &Graph,
    v: ValueId,
    profile: &Profile,
    op: Option<&str>,
    exact: Value<f64>,
    scale: Option<(&[f32], f64)>,
    seed: u64,
    args: &[&Value<f64>],
    bindings: &Bindings,
) -> Result<Value<f64>, EvalError> {
    let Some((array, y)) = exact.tensor().and_then(|a| Some((a, a.floats()?))) else { return Ok(exact) };
    let Some((row, dtype)) = row(graph, v, profile, op) else { return Ok(exact) };
    let computed;
    let (terms, k): (&[f32], f64) = match scale {
        Some(known) => known,
        None => {
            computed = terms(graph, v, row, args, bindings)?;
            (&computed.0, computed.1)
        }
    };
    let u = unit_roundoff(dtype);
    // The result is rounded to its own type as well, where that is narrower than the accumulator.
    let narrow = if unit_roundoff(array.dtype()) > u { 0.43 * unit_roundoff(array.dtype()) } else { 0.0 };
    let mut rng = Rng::new(seed);
    let moved = y.iter().enumerate().map(|(i, y)| {
        let sigma = u * row.of(*y, terms.get(i).map_or(0.0, |s| f64::from(*s)), k) + narrow * y.abs();
        if sigma > 0.0 && sigma.is_finite() { y + sigma * rng.rounding() } else { *y }
    });
    Ok(Array::float(array.dtype(), array.shape(), moved.collect()).into())
}

/// K of a sum or contraction: the number of terms of each result (absent terms of windows included).
fn terms_per_result(graph: &Graph, v: ValueId, args: &[&Value<f64>]) -> f64 {
    let (Op::Contract { spec, .. } | Op::Reduce { spec, .. }) = &graph.node(v).op else { return 0.0 };
    let mut k = 1.0;
    for label in spec.folded() {
        let windowed = spec.ext().iter().find(|(l, _)| *l == label).and_then(|(_, d)| d.as_const());
        let plain = || {
            (0..spec.ins().len()).find_map(|o| {
                let axis = spec.axis_of(o, label)?;
                args.get(o)?.tensor()?.shape().get(axis).map(|d| *d as i64)
            })
        };
        k *= windowed.or_else(plain).unwrap_or(1).max(1) as f64;
    }
    k
}
