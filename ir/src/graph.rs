//! Graphs: typed SSA DAGs of the structural kinds, and the tables their attributes point into.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::HashMap;
use foldhash::fast::{FixedState, RandomState};
use indexmap::IndexMap;
use smallvec::SmallVec;

use crate::dim::{Symbol, Symbols};
use crate::dtype::Literal;
use crate::infer::{TypeError, infer};
use crate::op::{Const, ConstId, Op, OpaqueId};
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::types::Type;

/// A value: the result of the node of that index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct ValueId(pub u32);

/// Things by name, in order of insertion.
pub type ByName<T> = IndexMap<Arc<str>, T, RandomState>;

/// Index of a body in [`Tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

impl ValueId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator kept as it came: its name and a payload that only its frontend reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueDef {
    /// Domain, empty for the standard one.
    pub domain: Arc<str>,
    /// Operator.
    pub op_type: Arc<str>,
    /// The frontend's serialized node, names of values removed.
    pub payload: Bytes,
    /// Types of the results; the value has the tuple of them.
    pub results: Arc<[Type]>,
    /// Unique where the operator is impure (random), so that two of them are never merged.
    pub site: Option<u32>,
}

/// What attributes point to. Carried from graph to e-graph to program unchanged, only ever grown.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Dense constants. Cloning a tensor shares its bytes.
    pub consts: Vec<Tensor>,
    /// Names of constants in the model, where they have one.
    pub const_names: BTreeMap<ConstId, Arc<str>>,
    /// Opaque operators.
    pub opaques: Vec<OpaqueDef>,
    /// Bodies of If and Loop.
    pub bodies: Vec<Graph>,
    /// Facts about symbols.
    pub symbols: Symbols,
    /// Small constants by their hash.
    small: HashMap<u64, SmallVec<[ConstId; 2]>>,
}

impl Tables {
    /// Constants up to this many elements are identified by value.
    pub const SMALL: usize = 64;

    /// The id of a constant: an earlier one if it is small and equal, or shares the same bytes.
    pub fn constant(&mut self, tensor: Tensor) -> ConstId {
        let id = ConstId(self.consts.len() as u32);
        if tensor.len() <= Self::SMALL {
            let hash = FixedState::default().hash_one((tensor.dtype(), tensor.shape(), tensor.bytes()));
            let alike = self.small.entry(hash).or_default();
            if let Some(known) = alike.iter().find(|id| self.consts[id.0 as usize] == tensor) {
                return *known;
            }
            alike.push(id);
        }
        self.consts.push(tensor);
        id
    }

    /// The constant.
    pub fn tensor(&self, id: ConstId) -> &Tensor {
        &self.consts[id.0 as usize]
    }

    /// The id of an opaque operator: an earlier equal one where pure.
    pub fn opaque(&mut self, def: OpaqueDef) -> OpaqueId {
        if let Some(i) = self.opaques.iter().position(|o| *o == def) {
            return OpaqueId(i as u32);
        }
        self.opaques.push(def);
        OpaqueId(self.opaques.len() as u32 - 1)
    }

    /// The opaque operator.
    pub fn opaque_def(&self, id: OpaqueId) -> &OpaqueDef {
        &self.opaques[id.0 as usize]
    }
}

/// A parameter of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputDecl {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Value used where the caller gives none (an overridable initializer). Never a constant to the optimizer.
    pub default: Option<ConstId>,
}

/// A result of a graph; the same value may be given out under several names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputDecl {
    /// Its name.
    pub name: Arc<str>,
    /// Its value.
    pub value: ValueId,
}

/// Operands of a node.
pub type Args = SmallVec<[ValueId; 4]>;

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Kind and attributes.
    pub op: Op,
    /// Operands; always earlier nodes.
    pub args: Args,
    /// Type of the result.
    pub ty: Type,
    /// Where it comes from.
    pub origins: Origins,
}

/// A typed graph. Nodes are in topological order: operands are earlier than their users.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its name.
    pub name: Arc<str>,
    /// Parameters, in order.
    pub inputs: Vec<InputDecl>,
    /// Results, in order.
    pub outputs: Vec<OutputDecl>,
    /// What attributes point to.
    pub tables: Tables,
    nodes: Vec<Node>,
}

impl Graph {
    /// An empty graph.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Declares a parameter and gives its value.
    pub fn input(&mut self, name: &str, ty: Type) -> ValueId {
        self.input_decl(InputDecl { name: name.into(), ty, default: None })
    }

    /// Declares a parameter and gives its value.
    pub fn input_decl(&mut self, decl: InputDecl) -> ValueId {
        let (ty, origins) = (decl.ty.clone(), Origins::one(crate::origin::Origin::Value(decl.name.clone())));
        self.inputs.push(decl);
        self.push(Node { op: Op::Input(self.inputs.len() as u32 - 1), args: Args::new(), ty, origins })
    }

    /// A constant; rank-0 ones become literals.
    pub fn constant(&mut self, tensor: Tensor) -> ValueId {
        let ty = Type::fixed(tensor.dtype(), tensor.shape());
        let payload = if tensor.shape().is_empty() {
            Const::Scalar(tensor.get(0))
        } else {
            Const::Dense(self.tables.constant(tensor))
        };
        self.push(Node { op: Op::Const(payload), args: Args::new(), ty, origins: Origins::none() })
    }

    /// A rank-0 constant.
    pub fn scalar(&mut self, literal: Literal) -> ValueId {
        self.constant(Tensor::scalar(literal))
    }

    /// Adds a node, inferring its type.
    pub fn add(&mut self, op: Op, args: &[ValueId], origins: Origins) -> Result<ValueId, TypeError> {
        let ty = {
            let types: SmallVec<[&Type; 4]> = args.iter().map(|a| &self.nodes[a.index()].ty).collect();
            infer(&op, &types, &self.tables)?
        };
        Ok(self.push(Node { op, args: args.into(), ty, origins }))
    }

    /// Adds a node whose type is already known to be right (an input, or one taken from another typed graph).
    pub fn push(&mut self, node: Node) -> ValueId {
        debug_assert!(node.args.iter().all(|a| a.index() < self.nodes.len()), "operands come before their users");
        self.nodes.push(node);
        ValueId(self.nodes.len() as u32 - 1)
    }

    /// Makes room for so many more nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
    }

    /// Takes back the last nodes, so that `len` stay. Outputs must not refer to those that go.
    pub fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    /// Names a result.
    pub fn output(&mut self, name: &str, value: ValueId) {
        self.outputs.push(OutputDecl { name: name.into(), value });
    }

    /// The nodes, in topological order; node `i` is value `i`.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Changes the origins of a node.
    pub fn set_origins(&mut self, v: ValueId, origins: Origins) {
        self.nodes[v.index()].origins = origins;
    }

    /// The node that computes a value.
    pub fn node(&self, v: ValueId) -> &Node {
        &self.nodes[v.index()]
    }

    /// The type of a value.
    pub fn ty(&self, v: ValueId) -> &Type {
        &self.nodes[v.index()].ty
    }

    /// How many operands of a node come before its witnesses, and the symbols that those stand for.
    pub fn witnesses(&self, v: ValueId) -> (usize, Vec<Symbol>) {
        let node = self.node(v);
        let types: SmallVec<[&Type; 4]> = node.args.iter().map(|a| self.ty(*a)).collect();
        let count = node.op.regular(&types);
        let symbols =
            if count == types.len() { Vec::new() } else { node.op.unmentioned(&types[..count], &self.tables.symbols) };
        (count, symbols)
    }

    /// All values, in topological order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = ValueId> + use<> {
        (0..self.nodes.len() as u32).map(ValueId)
    }

    /// Which values the outputs need, by value index.
    pub fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        for o in &self.outputs {
            live[o.value.index()] = true;
        }
        for v in self.values().rev() {
            if live[v.index()] {
                for a in &self.node(v).args {
                    live[a.index()] = true;
                }
            }
        }
        live
    }

    /// Number of uses of each value by nodes and outputs.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.nodes.len()];
        for n in &self.nodes {
            for a in &n.args {
                counts[a.index()] += 1;
            }
        }
        for o in &self.outputs {
            counts[o.value.index()] += 1;
        }
        counts
    }

    /// The graph without dead nodes; inputs stay.
    pub fn pruned(&self) -> Self {
        let live = self.live();
        let mut out = Self { nodes: Vec::new(), ..self.clone() };
        let mut map = vec![ValueId(0); self.nodes.len()];
        for v in self.values() {
            let n = self.node(v);
            if live[v.index()] || matches!(n.op, Op::Input(_)) {
                let args = n.args.iter().map(|a| map[a.index()]).collect();
                map[v.index()] = out.push(Node { args, ..n.clone() });
            }
        }
        for o in &mut out.outputs {
            o.value = map[o.value.index()];
        }
        out
    }
}

/// petgraph's traits: nodes are values, edges run from operand to user.
mod visit {
    use super::{Graph, ValueId};
    use petgraph::visit::{
        GraphBase, IntoNeighbors, IntoNodeIdentifiers, NodeCount, NodeIndexable, VisitMap, Visitable,
    };

    impl GraphBase for Graph {
        type NodeId = ValueId;
        type EdgeId = (ValueId, u32);
    }

    /// Neighbours are operands, so a walk from the outputs visits what they need.
    impl<'a> IntoNeighbors for &'a Graph {
        type Neighbors = std::iter::Copied<std::slice::Iter<'a, ValueId>>;
        fn neighbors(self, v: ValueId) -> Self::Neighbors {
            self.node(v).args.iter().copied()
        }
    }

    impl IntoNodeIdentifiers for &Graph {
        type NodeIdentifiers = std::iter::Map<std::ops::Range<u32>, fn(u32) -> ValueId>;
        fn node_identifiers(self) -> Self::NodeIdentifiers {
            (0..self.nodes().len() as u32).map(ValueId as fn(u32) -> ValueId)
        }
    }

    impl NodeCount for Graph {
        fn node_count(&self) -> usize {
            self.nodes().len()
        }
    }

    impl NodeIndexable for Graph {
        fn node_bound(&self) -> usize {
            self.nodes().len()
        }
        fn to_index(&self, v: ValueId) -> usize {
            v.index()
        }
        fn from_index(&self, i: usize) -> ValueId {
            ValueId(i as u32)
        }
    }

    /// A set of visited values.
    #[derive(Default)]
    pub struct Visited(Vec<bool>);

    impl VisitMap<ValueId> for Visited {
        fn visit(&mut self, v: ValueId) -> bool {
            !std::mem::replace(&mut self.0[v.index()], true)
        }
        fn is_visited(&self, v: &ValueId) -> bool {
            self.0[v.index()]
        }
        fn unvisit(&mut self, v: ValueId) -> bool {
            std::mem::replace(&mut self.0[v.index()], false)
        }
    }

    impl Visitable for Graph {
        type Map = Visited;
        fn visit_map(&self) -> Visited {
            Visited(vec![false; self.nodes().len()])
        }
        fn reset_map(&self, map: &mut Visited) {
            map.0.clear();
            map.0.resize(self.nodes().len(), false);
        }
    }
}
