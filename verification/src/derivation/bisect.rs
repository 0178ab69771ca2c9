//! From a wrong result to the rule that made it. Every term that a derivation speaks of is evaluated once, as real
//! numbers, on the inputs of the model; a step whose sides differ by more than rounding is wrong, whatever came before it:
//! both its sides stand on the same leaves, so no step is blamed for what an earlier one did.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use egret_ir::derivation::{Derivation, Step};
use egret_ir::eval::array::from_tensor;
use egret_ir::eval::{Array, Bindings, Real, Value, eval_node};
use egret_ir::op::Op;
use egret_ir::{Graph, Numeric, Tensor, ValueId};

use super::evaluate::{Difference, difference, magnitude, relative};

/// A step whose sides differ.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Blame {
    /// The step: index among the entries.
    pub entry: usize,
    /// Its rule.
    pub rule: String,
    /// Where the rule stands.
    pub place: String,
    /// Its numeric class.
    pub numeric: Numeric,
    /// Time round of the optimizer.
    pub round: u32,
    /// Places of the model that its left side came from.
    pub origins: Vec<String>,
    /// Both sides over their leaves.
    pub left: String,
    /// The right side.
    pub right: String,
    /// Where they differ.
    pub difference: Difference,
}

/// What the evaluation of a derivation says.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Bisection {
    /// Steps whose sides agree.
    pub agree: usize,
    /// Steps that could not be evaluated: behind operators without a meaning here, or of no tensor.
    pub unknown: usize,
    /// Steps whose sides differ, the first one first.
    pub blamed: Vec<Blame>,
}

impl std::fmt::Display for Blame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { element, left, right, tolerance } = &self.difference;
        write!(f, "rule `{}` ({}, {}) changes the value", self.rule, self.place, self.numeric.name())?;
        if !self.origins.is_empty() {
            write!(f, " of {}", self.origins.join(", "))?;
        }
        writeln!(f, ": element {element} was {left:e}, is {right:e} (rounding can do {tolerance:.1e})")?;
        write!(f, "    {}\n    => {}", self.left, self.right)
    }
}

/// What is asked of a term: who still needs it.
struct Wanted {
    uses: HashMap<ValueId, usize>,
    /// Steps by the later of their sides.
    steps: HashMap<ValueId, Vec<usize>>,
    /// Terms, each after its operands, shallow ones first.
    order: Vec<ValueId>,
}

impl Wanted {
    fn of(d: &Derivation) -> Self {
        let graph = d.terms.graph();
        let mut depth = vec![0u32; graph.nodes().len()];
        for v in graph.values() {
            depth[v.index()] = graph.node(v).args.iter().map(|a| depth[a.index()] + 1).max().unwrap_or(0);
        }
        let (mut needed, mut stack) = (BTreeSet::new(), Vec::new());
        let mut uses: HashMap<ValueId, usize> = HashMap::new();
        let mut steps: HashMap<ValueId, Vec<usize>> = HashMap::new();
        for (i, e) in d.entries.iter().enumerate() {
            let egret_ir::derivation::Entry::Step(s) = e else { continue };
            stack.extend([s.left, s.right]);
            *uses.entry(s.left).or_default() += 1;
            *uses.entry(s.right).or_default() += 1;
            let later =
                if (depth[s.left.index()], s.left) >= (depth[s.right.index()], s.right) { s.left } else { s.right };
            steps.entry(later).or_default().push(i);
        }
        while let Some(v) = stack.pop() {
            if needed.insert((depth[v.index()], v)) {
                for a in &graph.node(v).args {
                    *uses.entry(*a).or_default() += 1;
                    stack.push(*a);
                }
            }
        }
        Self { uses, steps, order: needed.into_iter().map(|(_, v)| v).collect() }
    }
}

/// Evaluates the steps of a derivation on inputs by name (every input of its terms must be among them, or what needs it
/// stays unknown).
pub fn bisect(d: &Derivation, inputs: &[(String, Tensor)]) -> Bisection {
    let graph = d.terms.graph();
    let domain = Real::new();
    let given: BTreeMap<&str, &Tensor> = inputs.iter().map(|(n, t)| (n.as_str(), t)).collect();
    let shapes: Vec<&[usize]> =
        graph.inputs.iter().map(|decl| given.get(&*decl.name).map_or([].as_slice(), |t| t.shape())).collect();
    let mut bindings = Bindings::of_inputs(graph, &shapes);
    let Wanted { mut uses, steps, order } = Wanted::of(d);
    let mut values: HashMap<ValueId, Value<f64>> = HashMap::new();
    let mut magnitudes: HashMap<ValueId, f64> = HashMap::new();
    let mut out = Bisection::default();
    let mut blamed: BTreeMap<usize, Blame> = BTreeMap::new();
    for v in order {
        let node = graph.node(v);
        let value = if let Op::Input(i) = node.op {
            let decl = &graph.inputs[i as usize];
            given.get(&*decl.name).map(|t| Value::from(from_tensor(&domain, t)))
        } else {
            evaluated(graph, v, domain, &values, &mut bindings)
        };
        if let Some(value) = value {
            if let Some(a) = value.tensor() {
                magnitudes.insert(v, magnitude(a));
            }
            values.insert(v, value);
        }
        let mut release = |values: &mut HashMap<ValueId, Value<f64>>, t: ValueId| {
            if let Some(n) = uses.get_mut(&t) {
                *n -= 1;
                if *n == 0 {
                    values.remove(&t);
                }
            }
        };
        for i in steps.get(&v).into_iter().flatten() {
            let egret_ir::derivation::Entry::Step(s) = &d.entries[*i] else { continue };
            let side = |t: ValueId| values.get(&t).and_then(Value::tensor);
            match (side(s.left), side(s.right)) {
                (Some(left), Some(right)) => match compare(d, s, left, right, &magnitudes) {
                    None => out.agree += 1,
                    Some(difference) => drop(blamed.insert(*i, blame(d, *i, s, difference))),
                },
                _ => out.unknown += 1,
            }
            release(&mut values, s.left);
            release(&mut values, s.right);
        }
        for a in &node.args {
            release(&mut values, *a);
        }
    }
    out.blamed = blamed.into_values().collect();
    out
}

fn evaluated(
    graph: &Graph,
    v: ValueId,
    domain: Real,
    values: &HashMap<ValueId, Value<f64>>,
    bindings: &mut Bindings,
) -> Option<Value<f64>> {
    let args: Vec<&Value<f64>> = graph.node(v).args.iter().map(|a| values.get(a)).collect::<Option<_>>()?;
    let value = eval_node(graph, v, &domain, &args, bindings).ok()?;
    bindings.learn(graph, v, &args, &value).ok()?;
    Some(value)
}

/// Compares the sides of a step; what lies between them and the leaves tells how large rounding may be.
fn compare(
    d: &Derivation,
    step: &Step,
    left: &Array<f64>,
    right: &Array<f64>,
    magnitudes: &HashMap<ValueId, f64>,
) -> Option<Difference> {
    let graph = d.terms.graph();
    let (mut seen, mut stack, mut scale) = (BTreeSet::new(), vec![step.left, step.right], 1e-30f64);
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        scale = scale.max(magnitudes.get(&t).copied().unwrap_or(0.0));
        if !step.leaves.contains(&t) {
            stack.extend(&graph.node(t).args);
        }
    }
    difference(left, right, relative(d.reason_of(step)) * scale)
}

fn blame(d: &Derivation, entry: usize, step: &Step, difference: Difference) -> Blame {
    let reason = d.reason_of(step);
    let name = |v: ValueId| d.terms.graph().node(v).origins.iter().next().map(|o| format!("[{o}]"));
    Blame {
        entry,
        rule: reason.name.clone(),
        place: reason.place.clone(),
        numeric: reason.numeric,
        round: step.round,
        origins: d.terms.graph().node(step.left).origins.iter().map(ToString::to_string).collect(),
        left: d.term_text(step.left, &step.leaves, &name),
        right: d.term_text(step.right, &step.leaves, &name),
        difference,
    }
}
