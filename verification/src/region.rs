//! Parts of a graph between values that are given, evaluated in any scalar domain.

use std::collections::BTreeMap;

use egret_ir::eval::{Array, Bindings, Domain, EvalError, Trap, Value, eval_node};
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::origin::Origin;
use egret_ir::{Graph, ValueId};

use crate::turned::Integers;

/// Nodes to evaluate, operands first, for some targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The nodes, in topological order. Given values are not among them.
    pub order: Vec<ValueId>,
    /// Given values that are read, in order.
    pub cut: Vec<ValueId>,
    /// What is wanted.
    pub targets: Vec<ValueId>,
}

impl Region {
    /// Everything that `targets` need, back to the values for which `given` holds. A target is computed even if it is
    /// itself given, unless it is a graph input.
    pub fn behind(graph: &Graph, targets: &[ValueId], given: &dyn Fn(ValueId) -> bool) -> Self {
        let mut order = std::collections::BTreeSet::new();
        let mut cut = std::collections::BTreeSet::new();
        let mut stack: Vec<(ValueId, bool)> = targets.iter().map(|t| (*t, true)).collect();
        while let Some((v, target)) = stack.pop() {
            let input = matches!(graph.node(v).op, Op::Input(_));
            if input || (!target && given(v)) {
                cut.insert(v);
            } else if order.insert(v) {
                stack.extend(graph.node(v).args.iter().map(|a| (*a, false)));
            }
        }
        // A given value that is also a target is computed for its own sake and given to the others.
        let order: Vec<ValueId> = order.into_iter().filter(|v| !cut.contains(v) || targets.contains(v)).collect();
        Self { order, cut: cut.into_iter().collect(), targets: targets.to_vec() }
    }

    /// Number of contractions and recurrences.
    pub fn contractions(&self, graph: &Graph) -> usize {
        self.order
            .iter()
            .filter(|v| matches!(graph.node(**v).op, Op::Contract { .. }) || is_recurrent(graph, **v))
            .count()
    }

    /// Whether what a contraction gave reaches a target without being rounded to integers on the way: behind integers its
    /// error is a step, or gone.
    pub fn carries_contraction(&self, graph: &Graph) -> bool {
        let mut carrying = std::collections::BTreeSet::new();
        for v in self.order.iter().filter(|v| !self.cut.contains(v)) {
            let node = graph.node(*v);
            let reached = matches!(node.op, Op::Contract { .. }) || node.args.iter().any(|a| carrying.contains(a));
            if reached && !makes_whole(graph, *v) {
                carrying.insert(*v);
            }
        }
        self.targets.iter().any(|t| carrying.contains(t))
    }

    /// Whether a recurrence or control flow is inside, whose error bound grows with every step.
    pub fn iterates(&self, graph: &Graph) -> bool {
        self.order.iter().any(|v| is_recurrent(graph, *v) || matches!(graph.node(*v).op, Op::If(..) | Op::Loop(_)))
    }

    /// Whether nothing is computed: constants and index movement only.
    pub fn is_movement(&self, graph: &Graph) -> bool {
        self.order.iter().all(|v| {
            let op = &graph.node(*v).op;
            op.is_movement() || matches!(op, Op::Const(_) | Op::Dim(_) | Op::Iota { .. })
        })
    }

    /// Positions of the imported nodes it comes from, in order.
    pub fn sites(&self, graph: &Graph) -> Vec<(u32, String, String)> {
        let mut sites: BTreeMap<u32, (String, String)> = BTreeMap::new();
        for v in &self.order {
            for o in &graph.node(*v).origins {
                if let Origin::Onnx { index, op, name } = o {
                    sites.entry(*index).or_insert_with(|| (op.to_string(), name.to_string()));
                }
            }
        }
        sites.into_iter().map(|(i, (op, name))| (i, op, name)).collect()
    }
}

/// Whether an operation gives integers, as such or as floats.
fn makes_whole(graph: &Graph, v: ValueId) -> bool {
    let Op::Map(f) = &graph.node(v).op else { return false };
    matches!(f, Scalar::Round | Scalar::Floor | Scalar::Ceil) || matches!(f, Scalar::Cast(to) if !to.is_float())
}

fn is_recurrent(graph: &Graph, v: ValueId) -> bool {
    matches!(&graph.node(v).op, Op::Call(c) if matches!(**c, egret_ir::op::call::Call::Recurrent(_)))
}

/// The ONNX operator that a node comes from, where it is one.
pub fn onnx_op(graph: &Graph, v: ValueId) -> Option<&str> {
    let mut found = None;
    for o in &graph.node(v).origins {
        if let Origin::Onnx { op, .. } = o {
            match found {
                None => found = Some(&**op),
                Some(f) if f == &**op => {}
                Some(_) => return None,
            }
        }
    }
    found
}

/// How opaque operators are evaluated in a domain.
pub trait Opaques<D: Domain> {
    /// The value (a tuple) of an opaque node.
    fn opaque(
        &self,
        graph: &Graph,
        v: ValueId,
        domain: &D,
        args: &[&Value<D::Float>],
    ) -> Result<Value<D::Float>, EvalError>;
}

/// Opaque operators have no value.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOpaques;

impl<D: Domain> Opaques<D> for NoOpaques {
    fn opaque(
        &self,
        graph: &Graph,
        v: ValueId,
        domain: &D,
        args: &[&Value<D::Float>],
    ) -> Result<Value<D::Float>, EvalError> {
        eval_node(graph, v, domain, args, &Bindings::default())
    }
}

/// Evaluates a region. Values that nobody needs any more are dropped on the way. Symbols that data decides are
/// added to `bindings`.
pub fn evaluate<D: Integers>(
    graph: &Graph,
    region: &Region,
    domain: &D,
    given: &BTreeMap<ValueId, Array<D::Float>>,
    bindings: &mut Bindings,
    opaques: &dyn Opaques<D>,
) -> Result<Vec<Array<D::Float>>, EvalError> {
    let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
    for v in &region.order {
        for a in &graph.node(*v).args {
            *uses.entry(*a).or_default() += 1;
        }
    }
    let mut values = given_values(graph, region, given, bindings);
    let mut shadows: BTreeMap<ValueId, Array<D::Float>> = BTreeMap::new();
    let mut results: BTreeMap<ValueId, Value<D::Float>> = BTreeMap::new();
    for &v in &region.order {
        let node = graph.node(v);
        let args: Vec<&Value<D::Float>> = node.args.iter().filter_map(|a| values.get(a)).collect();
        let value = if matches!(node.op, Op::Opaque(_)) {
            opaques.opaque(graph, v, domain, &args)?
        } else {
            eval_node(graph, v, domain, &args, bindings)?
        };
        let beside: Vec<Option<&Array<D::Float>>> = node.args.iter().map(|a| shadows.get(a)).collect();
        let (value, shadow) = domain.shade(graph, v, &args, &beside, value, bindings)?;
        bindings.learn(graph, v, &args, &value).map_err(|trap| at(graph, v, trap))?;
        for a in &node.args {
            if let Some(n) = uses.get_mut(a) {
                *n -= 1;
                if *n == 0 {
                    values.remove(a);
                    shadows.remove(a);
                }
            }
        }
        if region.targets.contains(&v) {
            results.insert(v, value.clone());
        }
        if uses.get(&v).is_some_and(|n| *n > 0) && !region.cut.contains(&v) {
            values.insert(v, value);
            shadows.extend(shadow.map(|s| (v, s)));
        }
    }
    let wanted = |t: &ValueId| {
        let value = results.get(t).and_then(Value::tensor).cloned().or_else(|| given.get(t).cloned());
        value.ok_or_else(|| not_a_tensor(graph, *t))
    };
    region.targets.iter().map(wanted).collect()
}

/// The error for a value that is no tensor.
pub fn not_a_tensor(graph: &Graph, v: ValueId) -> EvalError {
    at(graph, v, Trap::NotTensor(graph.ty(v).clone()))
}

/// A problem at a value.
pub fn at(graph: &Graph, v: ValueId, trap: Trap) -> EvalError {
    EvalError { value: v, at: egret_ir::check::OriginPrefix(graph.node(v).origins.clone()), trap }
}

/// Values that are given, with the symbols that their shapes bind.
pub fn given_values<F: Copy>(
    graph: &Graph,
    region: &Region,
    given: &BTreeMap<ValueId, Array<F>>,
    bindings: &mut Bindings,
) -> BTreeMap<ValueId, Value<F>> {
    let found = region.cut.iter().filter_map(|c| Some((*c, Value::from(given.get(c)?.clone()))));
    let values: BTreeMap<ValueId, Value<F>> = found.collect();
    for (v, value) in &values {
        bindings.bind_result(graph.ty(*v), value, &graph.tables.symbols);
    }
    values
}
