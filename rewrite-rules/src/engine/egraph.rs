//! The e-graph language and its analysis.
//!
//! An e-node is an interned [`Op`] (kind with all its attributes, by value) and operand classes. Attributes are not
//! e-nodes of their own: the matcher of this crate binds them as values, so ids count values of the graph only.
//! Every class knows its type, whether it depends on constants alone, and the element it is a splat of. Types are checked
//! before each union; the union log records what made two ids equal.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egg::{Analysis, DidMerge, Id, Justification, Language};
use egret_ir::graph::Tables;
use egret_ir::infer::{TypeError, infer};
use egret_ir::op::{Const, ConstId};
use egret_ir::{DType, Graph, Literal, Op, Origins, Tensor, Type, ValueId};
use indexmap::IndexSet;
use smallvec::SmallVec;

use super::apply::Step;
use crate::lang::attr_fns::smallest_normal;
use crate::lang::conditions::is_scale;

/// Index of an op in [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpRef(pub u32);

/// Operand ids.
pub type Ids = SmallVec<[Id; 4]>;

/// An e-node. The op comes first in the order, so that equal ops stand together in a sorted class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ENode {
    /// Kind and attributes.
    pub op: OpRef,
    /// Operands.
    pub args: Ids,
}

impl Language for ENode {
    type Discriminant = OpRef;

    fn discriminant(&self) -> OpRef {
        self.op
    }

    fn matches(&self, other: &Self) -> bool {
        self.op == other.op && self.args.len() == other.args.len()
    }

    fn children(&self) -> &[Id] {
        &self.args
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args
    }
}

/// What is known of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Its type.
    pub ty: Arc<Type>,
    /// Whether some node in it depends on constants alone.
    pub constant: bool,
    /// The element that all its elements equal bitwise, where that is known.
    pub splat: Option<Literal>,
}

/// Why two ids are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// By a rule: index of the step.
    Rule(u32),
    /// Equal operands.
    Congruence,
}

/// A union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// One id, as the union named it.
    pub a: Id,
    /// The other.
    pub b: Id,
    /// Why.
    pub why: Why,
}

/// What all elements of a constant may be asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elements {
    /// No Inf and no NaN.
    Finite,
    /// Floats other than zero, normal like their reciprocals.
    Divisors,
    /// Positive floats that are neither tiny nor huge: what quantization divides by.
    Scales,
}

impl Elements {
    /// Whether one is.
    pub fn holds(self, l: Literal) -> bool {
        match self {
            Self::Finite => l.to_f64().is_finite(),
            Self::Scales => is_scale(l),
            Self::Divisors => {
                let least = smallest_normal(l.dtype());
                let x = l.to_f64().abs();
                let r = Literal::from_f64(l.dtype(), 1.0 / x).to_f64();
                l.dtype().is_float() && x.is_finite() && r.is_finite() && x >= least && r >= least
            }
        }
    }

    /// Whether all of a tensor are.
    pub fn all(self, t: &Tensor) -> bool {
        match self {
            Self::Finite if !t.dtype().is_float() => true,
            Self::Finite if t.dtype() == DType::F32 => {
                t.bytes().chunks_exact(4).all(|c| (u16::from_le_bytes([c[2], c[3]]) & 0x7f80) != 0x7f80)
            }
            Self::Finite | Self::Divisors | Self::Scales => (0..t.len()).all(|i| self.holds(t.get(i))),
        }
    }
}

/// The analysis: interned ops, tables, and the log.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Interned ops.
    pub ops: IndexSet<Op>,
    /// What attributes point to.
    pub tables: Tables,
    /// Types of the graph's inputs.
    pub inputs: Vec<Type>,
    /// Splat elements of dense constants, once asked for.
    splats: BTreeMap<ConstId, Option<Literal>>,
    /// What was asked of all elements of dense constants, with the answers.
    asked: RefCell<BTreeMap<(ConstId, Elements), bool>>,
    /// Dense constants whose elements were looked at themselves.
    read: RefCell<BTreeSet<ConstId>>,
    /// Values of small computed constants, once asked for; None where they are not small.
    small: RefCell<BTreeMap<Id, Option<Tensor>>>,
    /// Steps of rules, in order.
    pub steps: Vec<Step>,
    /// Unions, in order.
    pub log: RefCell<Vec<Edge>>,
    /// Faults that must never happen; tests assert that there are none.
    pub faults: RefCell<Vec<Fault>>,
    /// Places each e-node came from, by id.
    pub origins: Vec<Origins>,
}

/// A fault of the engine or of a rule that slipped through.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// An e-node was added that has no type.
    #[error("an ill-typed node was added: {0}")]
    Untyped(TypeError),
    /// Two classes of different types were united.
    #[error("{by} united {a} with {b}")]
    Union {
        /// The rule.
        by: String,
        /// One type.
        a: Type,
        /// The other.
        b: Type,
    },
}

/// The e-graph.
pub type EGraph = egg::EGraph<ENode, Values>;

impl Values {
    /// For a graph: its tables and input types.
    pub fn of(graph: &Graph) -> Self {
        let inputs = graph.inputs.iter().map(|i| i.ty.clone()).collect();
        Self { tables: graph.tables.clone(), inputs, ..Self::default() }
    }

    /// The interned op.
    pub fn intern(&mut self, op: &Op) -> OpRef {
        if let Some(i) = self.ops.get_index_of(op) {
            return OpRef(i as u32);
        }
        OpRef(self.ops.insert_full(op.clone()).0 as u32)
    }

    /// The op of a reference.
    pub fn op(&self, r: OpRef) -> &Op {
        &self.ops[r.0 as usize]
    }

    fn dense_splat(&mut self, id: ConstId) -> Option<Literal> {
        let tables = &self.tables;
        *self.splats.entry(id).or_insert_with(|| tables.consts.get(id.0 as usize).and_then(Tensor::splat))
    }

    /// Whether all elements of a dense constant are as asked.
    pub fn dense(&self, id: ConstId, wanted: Elements) -> bool {
        if let Some(known) = self.asked.borrow().get(&(id, wanted)) {
            return *known;
        }
        let answer = wanted.all(self.tables.tensor(id));
        self.asked.borrow_mut().insert((id, wanted), answer);
        answer
    }

    /// A dense constant, for its elements. What looks at these takes them from here or asks [`Values::dense`], so that it
    /// is known on which elements a result depends.
    pub fn elements(&self, id: ConstId) -> &Tensor {
        self.read.borrow_mut().insert(id);
        self.tables.tensor(id)
    }

    /// Whether everything asked of dense constants so far would be answered alike for the given others in their place.
    pub fn answers_alike(&self, others: &BTreeMap<ConstId, ConstId>) -> bool {
        let tensor = |id: &ConstId| self.tables.tensor(*id);
        let same = |id: &ConstId| others.get(id).is_none_or(|other| tensor(id) == tensor(other));
        let alike = |((id, wanted), answer): (&(ConstId, Elements), &bool)| {
            others.get(id).is_none_or(|other| wanted.all(tensor(other)) == *answer)
        };
        self.read.borrow().iter().all(same) && self.asked.borrow().iter().all(alike)
    }

    /// Data of a node from its operands' data.
    pub fn infer(&mut self, op: &Op, args: &[&Data]) -> Result<Data, TypeError> {
        let ty = if let Op::Input(i) = op {
            match self.inputs.get(*i as usize) {
                Some(ty) => Arc::new(ty.clone()),
                None => return Err(TypeError::Dangling { kind: "input", index: *i }),
            }
        } else {
            let types: SmallVec<[&Type; 4]> = args.iter().map(|d| d.ty.as_ref()).collect();
            Arc::new(infer(op, &types, &self.tables)?)
        };
        let (constant, splat) = self.facts(op, args);
        Ok(Data { ty, constant, splat })
    }

    /// Constness and splat element of a node.
    fn facts(&mut self, op: &Op, args: &[&Data]) -> (bool, Option<Literal>) {
        let all = args.iter().all(|d| d.constant);
        match op {
            Op::Input(_) | Op::Opaque(_) | Op::If(..) | Op::Loop(_) => (false, None),
            Op::Const(Const::Scalar(l)) => (true, Some(*l)),
            Op::Const(Const::Dense(id)) => (true, self.dense_splat(*id)),
            Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_) => (all, args[0].splat),
            // The value of a shape expression is no constant while it mentions a symbol.
            Op::Dim(d) => match d.as_const() {
                Some(n) => (true, Some(Literal::i64(n))),
                None => (false, None),
            },
            Op::Iota { len, .. } => (len.as_const().is_some(), None),
            Op::Pad(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::ArgSort { .. }
            | Op::Call(_)
            | Op::Proj(_) => (all, None),
        }
    }
}

fn operands<'a>(egraph: &'a EGraph, node: &ENode) -> SmallVec<[&'a Data; 4]> {
    node.args.iter().map(|c| &egraph[*c].data).collect()
}

impl Analysis<ENode> for Values {
    type Data = Data;

    fn make(egraph: &mut EGraph, node: &ENode, _id: Id) -> Data {
        let args: SmallVec<[Data; 4]> = operands(egraph, node).into_iter().cloned().collect();
        let args: SmallVec<[&Data; 4]> = args.iter().collect();
        let op = egraph.analysis.op(node.op).clone();
        match egraph.analysis.infer(&op, &args) {
            Ok(data) => data,
            Err(e) => {
                egraph.analysis.faults.borrow_mut().push(Fault::Untyped(e));
                Data { ty: Arc::new(Type::Foreign("ill-typed".into())), constant: false, splat: None }
            }
        }
    }

    /// Types never change once made; only facts do.
    fn remake(egraph: &mut EGraph, node: &ENode, id: Id) -> Data {
        let args: SmallVec<[Data; 4]> = operands(egraph, node).into_iter().cloned().collect();
        let args: SmallVec<[&Data; 4]> = args.iter().collect();
        let op = egraph.analysis.op(node.op).clone();
        let (constant, splat) = egraph.analysis.facts(&op, &args);
        Data { ty: egraph[id].data.ty.clone(), constant, splat }
    }

    fn pre_union(egraph: &EGraph, a: Id, b: Id, justification: &Option<Justification>) {
        let (ra, rb) = (egraph.find(a), egraph.find(b));
        if ra == rb {
            return;
        }
        let why = match justification {
            Some(Justification::Rule(_)) => Why::Rule(egraph.analysis.steps.len() as u32 - 1),
            Some(Justification::Congruence) | None => Why::Congruence,
        };
        let (ta, tb) = (&egraph[ra].data.ty, &egraph[rb].data.ty);
        if ta != tb {
            let by = match justification {
                Some(Justification::Rule(name)) => name.to_string(),
                Some(Justification::Congruence) | None => "congruence".to_owned(),
            };
            let fault = Fault::Union { by, a: ta.as_ref().clone(), b: tb.as_ref().clone() };
            egraph.analysis.faults.borrow_mut().push(fault);
        }
        egraph.analysis.log.borrow_mut().push(Edge { a, b, why });
    }

    /// Classes whose constants differ in bits (by rounding) keep one element.
    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        let before = (a.constant, a.splat);
        a.constant |= b.constant;
        a.splat = a.splat.or(b.splat);
        DidMerge(before != (a.constant, a.splat), (b.constant, b.splat) != (a.constant, a.splat))
    }
}

/// Adds an op; gives the id under which the e-node was born.
pub fn add(egraph: &mut EGraph, op: &Op, args: Ids, origins: &Origins) -> Id {
    let node = ENode { op: egraph.analysis.intern(op), args };
    let id = egraph.add_uncanonical(node);
    let values = &mut egraph.analysis;
    while values.origins.len() <= usize::from(id) {
        values.origins.push(Origins::none());
    }
    let known = &mut values.origins[usize::from(id)];
    *known = known.join(origins);
    id
}

/// Elements that [`small_value`] computes at most.
const SMALL_VALUE: usize = 1 << 14;

/// The value of a constant class, computed from its oldest constant e-nodes, where it and all it is made of are small.
pub fn small_value(egraph: &EGraph, id: Id) -> Option<Tensor> {
    let id = egraph.find(id);
    if let Some(known) = egraph.analysis.small.borrow().get(&id) {
        return known.clone();
    }
    let mut graph = Graph::new("constant");
    let root = build_constant(egraph, id, &mut graph, &mut BTreeMap::new(), 24);
    let value = root.and_then(|root| {
        graph.output("value", root);
        egret_ir::eval::fold(&graph).ok()?.pop()
    });
    egraph.analysis.small.borrow_mut().insert(id, value.clone());
    value
}

fn build_constant(
    egraph: &EGraph,
    id: Id,
    graph: &mut Graph,
    built: &mut BTreeMap<Id, Option<ValueId>>,
    depth: usize,
) -> Option<ValueId> {
    if let Some(known) = built.get(&id) {
        return *known;
    }
    let data = &egraph[id].data;
    let small = data.ty.as_tensor()?.byte_size().is_some_and(|b| b <= 8 * SMALL_VALUE);
    if depth == 0 || !data.constant || !small {
        return None;
    }
    // A class inside its own computation is no way to compute it.
    built.insert(id, None);
    let value = egraph[id].nodes.iter().find_map(|n| {
        let args: Option<Vec<ValueId>> =
            n.args.iter().map(|a| build_constant(egraph, egraph.find(*a), graph, built, depth - 1)).collect();
        match egraph.analysis.op(n.op) {
            // The graph has tables of its own: it holds just what it needs.
            Op::Const(Const::Dense(c)) => Some(graph.constant(egraph.analysis.elements(*c).clone())),
            op => graph.add(op.clone(), &args?, Origins::none()).ok(),
        }
    });
    built.insert(id, value);
    value
}

/// The e-graph of a graph, and the id of every value.
pub fn import(graph: &Graph) -> (EGraph, Vec<Id>) {
    let mut egraph = EGraph::new(Values::of(graph));
    let mut ids: Vec<Id> = Vec::with_capacity(graph.nodes().len());
    for n in graph.nodes() {
        let args = n.args.iter().map(|a| ids[a.index()]).collect();
        ids.push(add(&mut egraph, &n.op, args, &n.origins));
    }
    egraph.rebuild();
    (egraph, ids)
}
