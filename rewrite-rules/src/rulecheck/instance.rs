//! A rule at given values: both sides as graphs over the same inputs.

use std::collections::BTreeMap;

use egg::Id;
use egret_ir::eval::domain::mix;
use egret_ir::infer::TypeError;
use egret_ir::op::attrs::Attr;
use egret_ir::op::{Const, Op};
use egret_ir::{DType, Graph, Literal, Origins, Tensor, Type, ValueId};

use crate::engine::egraph::{EGraph, Ids, Values, add};
use crate::engine::matcher::{View, matches};
use crate::engine::plan::{Plan, Ref, Refusal, instantiate, plan};
use crate::lang::bound::{Bindings, Bound, Facts};
use crate::lang::conditions::holds;
use crate::lang::{Rule, Sample, Samples};

/// What came of putting values into a rule.
pub enum Instance {
    /// The left side has no type there.
    IllTyped(Refusal),
    /// The left side does not match itself there.
    NoMatch,
    /// It does.
    Matched(Box<Matched>),
}

/// A rule that matches at its values.
pub struct Matched {
    /// Conditions that do not hold, by position in the rule.
    pub false_conditions: Vec<usize>,
    /// Profit conditions that do not hold, by position in the rule.
    pub false_profit: Vec<usize>,
    /// The left side.
    pub left: Graph,
    /// The right side, or why there is none.
    pub right: Result<Graph, Refusal>,
}

/// Deterministic numbers for the constants of an instance.
fn random_constant(ty: &Type, seed: u64) -> Option<Tensor> {
    let t = ty.as_tensor()?;
    let shape = t.static_shape()?;
    let n: usize = shape.iter().product();
    let mut bytes = Vec::new();
    for i in 0..n {
        let r = mix(seed.wrapping_add(i as u64));
        // Quarters from −4 to 4, odd integers from −5 to 3: no zero to divide by, exact in every float type.
        let quarters = (r % 16) as i64 + 1;
        let x = if r & 1024 == 0 { -(quarters as f64) / 4.0 } else { quarters as f64 / 4.0 };
        let l = if t.dtype.is_float() {
            Literal::from_f64(t.dtype, x)
        } else {
            Literal::from_i64(t.dtype, (r % 5) as i64 * 2 - 5)
        };
        bytes.extend(l.to_le_bytes());
    }
    Tensor::new(t.dtype, shape, bytes).ok()
}

struct Builder {
    egraph: EGraph,
    inputs: Vec<Type>,
    seed: u64,
}

impl Builder {
    fn bound(&mut self, s: &Sample) -> Option<Bound> {
        Some(match s {
            Sample::Input(ty) => {
                self.inputs.push(ty.clone());
                self.egraph.analysis.inputs.push(ty.clone());
                let op = Op::Input(self.inputs.len() as u32 - 1);
                Bound::Operand(add(&mut self.egraph, &op, Ids::new(), &Origins::none()))
            }
            Sample::Constant(ty) => {
                self.seed = mix(self.seed);
                let t = random_constant(ty, self.seed)?;
                self.constant(t)
            }
            Sample::Values(t) => self.constant(t.clone()),
            Sample::Attr(a) => Bound::Attr(a.clone()),
            Sample::Function(f) => Bound::Function(*f),
            Sample::Monoid(m) => Bound::Monoid(*m),
            Sample::Element(l) => Bound::Element(*l),
            Sample::List(items) => Bound::List(items.iter().map(|i| self.bound(i)).collect::<Option<_>>()?),
        })
    }

    fn constant(&mut self, t: Tensor) -> Bound {
        let payload = if t.shape().is_empty() {
            Const::Scalar(t.get(0))
        } else {
            Const::Dense(self.egraph.analysis.tables.constant(t))
        };
        Bound::Operand(add(&mut self.egraph, &Op::Const(payload), Ids::new(), &Origins::none()))
    }

    fn commit(&mut self, p: &Plan) -> Id {
        let mut ids: Vec<Id> = Vec::new();
        let of = |r: &Ref, ids: &[Id]| match r {
            Ref::Id(id) => *id,
            Ref::Item(i) => ids[*i],
        };
        for item in &p.items {
            let args = item.args.iter().map(|r| of(r, &ids)).collect();
            ids.push(add(&mut self.egraph, &item.op, args, &Origins::none()));
        }
        self.egraph.rebuild();
        of(&p.root, &ids)
    }

    /// The graph of a plan over the instance's inputs and constants.
    fn graph(&self, p: &Plan) -> Result<Graph, TypeError> {
        let mut graph = Graph::new("side");
        graph.tables = self.egraph.analysis.tables.clone();
        let inputs: Vec<ValueId> =
            self.inputs.iter().enumerate().map(|(i, ty)| graph.input(&format!("x{i}"), ty.clone())).collect();
        let mut known: BTreeMap<Id, ValueId> = BTreeMap::new();
        let mut values: Vec<ValueId> = Vec::new();
        for item in &p.items {
            let mut args = Vec::new();
            for r in &item.args {
                args.push(match r {
                    Ref::Id(id) => self.value(*id, &mut graph, &inputs, &mut known)?,
                    Ref::Item(i) => values[*i],
                });
            }
            values.push(graph.add(item.op.clone(), &args, Origins::none())?);
        }
        let root = match p.root {
            Ref::Id(id) => self.value(id, &mut graph, &inputs, &mut known)?,
            Ref::Item(i) => values[i],
        };
        graph.output("y", root);
        Ok(graph)
    }

    /// The value of an e-node as it was born.
    fn value(
        &self,
        id: Id,
        graph: &mut Graph,
        inputs: &[ValueId],
        known: &mut BTreeMap<Id, ValueId>,
    ) -> Result<ValueId, TypeError> {
        if let Some(v) = known.get(&id) {
            return Ok(*v);
        }
        let node = &self.egraph.nodes()[usize::from(id)];
        let op = self.egraph.analysis.op(node.op).clone();
        let v = if let Op::Input(i) = op {
            inputs[i as usize]
        } else {
            let mut args = Vec::new();
            for a in &node.args {
                args.push(self.value(*a, graph, inputs, known)?);
            }
            graph.add(op, &args, Origins::none())?
        };
        known.insert(id, v);
        Ok(v)
    }
}

fn same(egraph: &EGraph, a: &Bound, b: &Bound) -> bool {
    match (a, b) {
        (Bound::Operand(x), Bound::Operand(y)) => egraph.find(*x) == egraph.find(*y),
        (Bound::List(x), Bound::List(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(egraph, x, y)),
        // A splat in a list is bound as its element.
        (Bound::Element(l), Bound::Operand(y)) => egraph[*y].data.splat == Some(*l),
        (x, y) => x == y,
    }
}

/// Puts values into a rule.
pub fn instance(rule: &Rule, samples: &Samples, seed: u64) -> Instance {
    let mut b = Builder { egraph: EGraph::new(Values::default()), inputs: Vec::new(), seed };
    let Some(bindings) = samples.iter().map(|s| b.bound(s).map(Some)).collect::<Option<Bindings>>() else {
        return Instance::NoMatch;
    };
    let left = match instantiate(&mut b.egraph, &rule.lhs, &bindings) {
        Ok(p) => p,
        Err(e) => return Instance::IllTyped(e),
    };
    let left_graph = match b.graph(&left) {
        Ok(g) => g,
        Err(e) => return Instance::IllTyped(e.into()),
    };
    let root = b.commit(&left);
    let view = View::of(&b.egraph);
    let (found, _) = matches(&b.egraph, &view, rule, 10_000);
    let matched = found.into_iter().find(|m| {
        b.egraph.find(m.root) == b.egraph.find(root)
            && m.bindings.iter().zip(&bindings).all(|(x, y)| match (x, y) {
                (Some(x), Some(y)) => same(&b.egraph, x, y),
                _ => false,
            })
    });
    let Some(m) = matched else { return Instance::NoMatch };
    let facts = Facts { egraph: &b.egraph };
    let failing = |list: &[crate::lang::Condition]| -> Vec<usize> {
        (0..list.len()).filter(|i| !holds(&list[*i], facts, &m.bindings)).collect()
    };
    let (false_conditions, false_profit) = (failing(&rule.conditions), failing(&rule.profit));
    let ty = b.egraph[root].data.ty.clone();
    let right = plan(&mut b.egraph, &rule.rhs, &m.bindings, &ty).and_then(|p| Ok(b.graph(&p)?));
    Instance::Matched(Box::new(Matched { false_conditions, false_profit, left: left_graph, right }))
}

/// The same values with integers in the place of f32: rules of every class must hold exactly there.
pub fn as_integers(samples: &Samples) -> Option<Samples> {
    samples.iter().map(integer).collect()
}

fn integer_type(ty: &Type) -> Type {
    match ty {
        Type::Tensor(t) if t.dtype == DType::F32 => Type::tensor(DType::I32, t.shape.clone()),
        other => other.clone(),
    }
}

fn integer(s: &Sample) -> Option<Sample> {
    let literal = |l: &Literal| {
        if l.dtype() != DType::F32 {
            return Some(*l);
        }
        let x = l.to_f64();
        (x == x.trunc() && x.abs() < 1e9).then(|| Literal::from_i64(DType::I32, x as i64))
    };
    Some(match s {
        Sample::Input(ty) => Sample::Input(integer_type(ty)),
        Sample::Constant(ty) => Sample::Constant(integer_type(ty)),
        Sample::Values(t) if t.dtype() == DType::F32 => return None,
        Sample::Values(t) => Sample::Values(t.clone()),
        Sample::Attr(Attr::DType(DType::F32)) => Sample::Attr(Attr::DType(DType::I32)),
        Sample::Attr(Attr::Literal(l)) => Sample::Attr(Attr::Literal(literal(l)?)),
        Sample::Attr(a) => Sample::Attr(a.clone()),
        Sample::Function(f) => Sample::Function(*f),
        Sample::Monoid(m) => Sample::Monoid(*m),
        Sample::Element(l) => Sample::Element(literal(l)?),
        Sample::List(items) => Sample::List(items.iter().map(integer).collect::<Option<_>>()?),
    })
}
