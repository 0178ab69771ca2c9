//! A region as a graph of its own, and the key by which equal ones are found.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bytes::Bytes;
use egret_ir::graph::{Args, InputDecl, Node, Tables};
use egret_ir::op::{Const, ConstId, Op};
use egret_ir::{DType, Graph, Literal, Origins, Type, ValueId};
use foldhash::{HashMap, HashMapExt as _};

use super::cut::{Role, Roles};

/// A part of a graph: its computed values, and whatever of constants and movement they read.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Its values, operands first.
    pub values: Vec<ValueId>,
    /// Values from outside, by first use. Each stands in `values` too, as a parameter.
    pub inputs: Vec<ValueId>,
    /// Dense constants, by first use.
    pub consts: Vec<ConstId>,
    /// Position in `values` of each.
    place: HashMap<ValueId, usize>,
}

/// What makes two pieces equal: inputs by type, constants by type and first use, small ones by value, everything else as it
/// is. Extents are symbols of one table, so equal ones are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    nodes: Vec<(Op, Vec<usize>)>,
    inputs: Vec<Type>,
    consts: Vec<Fact>,
}

/// What is known of a constant before anything is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fact {
    dtype: DType,
    shape: Vec<usize>,
    splat: Option<Literal>,
    bytes: Option<Bytes>,
}

impl Piece {
    /// The piece of a range of computed values, with some values beside them.
    pub fn of(graph: &Graph, roles: &Roles, range: Range<usize>, beside: &BTreeSet<ValueId>) -> Self {
        let mut piece = Self { values: Vec::new(), inputs: Vec::new(), consts: Vec::new(), place: HashMap::new() };
        let outside = |v: ValueId| match roles.role[v.index()] {
            Role::Input => true,
            Role::Computed(at) => !range.contains(&at) && !roles.affine[v.index()],
            Role::Constant | Role::Moved(_) => false,
        };
        for v in roles.computed[range.clone()].iter().chain(beside) {
            piece.take(graph, *v, &outside);
        }
        piece
    }

    /// Puts a value and all it reads into the piece.
    fn take(&mut self, graph: &Graph, v: ValueId, outside: &dyn Fn(ValueId) -> bool) {
        let mut stack = vec![(v, 0)];
        while let Some((v, k)) = stack.pop() {
            if self.place.contains_key(&v) {
                continue;
            }
            let node = graph.node(v);
            if outside(v) {
                self.inputs.push(v);
            } else if let Some(a) = node.args.get(k) {
                stack.push((v, k + 1));
                stack.push((*a, 0));
                continue;
            } else if let Op::Const(Const::Dense(id)) = node.op
                && !self.consts.contains(&id)
            {
                self.consts.push(id);
            }
            self.place.insert(v, self.values.len());
            self.values.push(v);
        }
    }

    /// The key.
    pub fn key(&self, graph: &Graph) -> Key {
        let slot: BTreeMap<ConstId, u32> = self.consts.iter().zip(0..).map(|(c, i)| (*c, i)).collect();
        let input: HashMap<ValueId, u32> = self.inputs.iter().zip(0..).map(|(v, i)| (*v, i)).collect();
        let nodes = self.values.iter().map(|v| {
            let node = graph.node(*v);
            if let Some(i) = input.get(v) {
                return (Op::Input(*i), Vec::new());
            }
            let op = match node.op {
                Op::Const(Const::Dense(id)) => Op::Const(Const::Dense(ConstId(slot[&id]))),
                _ => node.op.clone(),
            };
            (op, node.args.iter().map(|a| self.place[a]).collect())
        });
        Key {
            nodes: nodes.collect(),
            inputs: self.inputs.iter().map(|v| graph.ty(*v).clone()).collect(),
            consts: self.consts.iter().map(|c| fact(&graph.tables, *c)).collect(),
        }
    }

    /// The graph of the piece, without outputs: every value of it may be read. Constants keep their places in the table.
    pub fn graph(&self, graph: &Graph) -> Graph {
        let mut out = Graph::new(&graph.name);
        out.tables = graph.tables.clone();
        // Checking a graph checks all its bodies.
        let control = |v: &ValueId| matches!(graph.node(*v).op, Op::If(..) | Op::Loop(_));
        if !self.values.iter().any(control) {
            out.tables.bodies.clear();
        }
        for v in &self.inputs {
            out.inputs.push(InputDecl { name: format!("v{}", v.0).into(), ty: graph.ty(*v).clone(), default: None });
        }
        for v in &self.values {
            let node = graph.node(*v);
            let at = self.inputs.iter().position(|i| i == v);
            out.push(match at {
                Some(k) => {
                    Node { op: Op::Input(k as u32), args: Args::new(), ty: node.ty.clone(), origins: Origins::none() }
                }
                None => {
                    let args = node.args.iter().map(|a| ValueId(self.place[a] as u32)).collect();
                    Node { op: node.op.clone(), args, ty: node.ty.clone(), origins: node.origins.clone() }
                }
            });
        }
        out
    }
}

fn fact(tables: &Tables, id: ConstId) -> Fact {
    let t = tables.tensor(id);
    let bytes = (t.len() <= Tables::SMALL).then(|| t.bytes().clone());
    Fact { dtype: t.dtype(), shape: t.shape().to_vec(), splat: t.splat(), bytes }
}
