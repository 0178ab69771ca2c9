//! Terms: nodes of graphs, each once, however many graphs they come from.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use crate::graph::{Args, BodyId, Graph, Node, Tables, ValueId};
use crate::infer::TypeError;
use crate::op::{Const, ConstId, Op};
use crate::origin::Origins;
use crate::tensor::Tensor;
use foldhash::HashMap;

/// Bytes at either end of a constant that tell most constants apart.
const ENDS: usize = 1 << 10;

/// Typed terms in topological order, each (op, operands) once. Constants, opaque operators and bodies are one where their
/// content is, so terms of several graphs meet.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    graph: Graph,
    index: HashMap<(Op, Args), ValueId>,
    dense: HashMap<u64, Vec<ConstId>>,
    bodies: HashMap<String, Vec<BodyId>>,
}

impl Terms {
    /// The terms as a graph without outputs; its inputs are the leaves that nothing computes.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Of a graph whose nodes are terms already. A node that is there twice is found under its first place.
    pub fn of(graph: Graph) -> Self {
        let mut terms = Self::default();
        for (i, t) in graph.tables.consts.iter().enumerate() {
            terms.dense.entry(digest(t)).or_default().push(ConstId(i as u32));
        }
        for (i, b) in graph.tables.bodies.iter().enumerate() {
            terms.bodies.entry(crate::text::print(b)).or_default().push(BodyId(i as u32));
        }
        for v in graph.values() {
            let node = graph.node(v);
            terms.index.entry((node.op.clone(), node.args.clone())).or_insert(v);
        }
        terms.graph = graph;
        terms
    }

    /// These terms with all below them, and all inputs; and where each term went.
    pub fn only(&self, wanted: impl IntoIterator<Item = ValueId>) -> (Self, Vec<Option<ValueId>>) {
        let mut keep: Vec<bool> = self.graph.nodes().iter().map(|n| matches!(n.op, Op::Input(_))).collect();
        for v in wanted {
            keep[v.index()] = true;
        }
        for v in self.graph.values().rev() {
            if keep[v.index()] {
                for a in &self.graph.node(v).args {
                    keep[a.index()] = true;
                }
            }
        }
        let mut graph = Graph::new(&self.graph.name);
        graph.tables = self.graph.tables.clone();
        graph.inputs.clone_from(&self.graph.inputs);
        let mut map: Vec<Option<ValueId>> = vec![None; keep.len()];
        for v in self.graph.values().filter(|v| keep[v.index()]) {
            let node = self.graph.node(v);
            let args = node.args.iter().filter_map(|a| map[a.index()]).collect();
            map[v.index()] = Some(graph.push(Node { args, ..node.clone() }));
        }
        (Self::of(graph), map)
    }

    /// Adds a term whose op refers to these tables, or finds it; its origins are those it was first added with.
    ///
    /// # Errors
    /// The term has no type.
    pub fn add(&mut self, op: Op, args: Args, origins: &Origins) -> Result<ValueId, TypeError> {
        let key = (op, args);
        if let Some(v) = self.index.get(&key) {
            return Ok(*v);
        }
        let v = self.graph.add(key.0.clone(), &key.1, origins.clone())?;
        self.index.insert(key, v);
        Ok(v)
    }

    /// A term, where it is there.
    pub fn find(&self, op: &Op, args: &Args) -> Option<ValueId> {
        self.index.get(&(op.clone(), args.clone())).copied()
    }

    /// A dense constant.
    pub fn dense(&mut self, tensor: &Tensor) -> Op {
        Op::Const(Const::Dense(self.constant(tensor)))
    }

    /// An op of other tables in terms of these.
    pub fn import(&mut self, op: &Op, from: &Tables) -> Op {
        match op {
            Op::Const(Const::Dense(id)) => Op::Const(Const::Dense(self.constant(from.tensor(*id)))),
            Op::Opaque(id) => Op::Opaque(self.graph.tables.opaque(from.opaque_def(*id).clone())),
            Op::If(attrs) => {
                let mut attrs = attrs.clone();
                attrs.then = self.body(attrs.then, from);
                attrs.other = self.body(attrs.other, from);
                Op::If(attrs)
            }
            Op::Loop(attrs) => {
                let mut attrs = attrs.clone();
                attrs.body = self.body(attrs.body, from);
                Op::Loop(attrs)
            }
            Op::Input(_)
            | Op::Const(Const::Scalar(_))
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
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::ArgSort { .. }
            | Op::Call(_)
            | Op::Proj(_) => op.clone(),
        }
    }

    /// Takes over what other tables know of symbols; what is known already stays.
    pub fn know(&mut self, from: &Tables) {
        for (symbol, info) in &from.symbols.0 {
            self.graph.tables.symbols.0.entry(symbol.clone()).or_insert(*info);
        }
    }

    /// Declares the inputs of a graph that are not declared yet, by name; the term of each.
    pub fn inputs(&mut self, graph: &Graph) -> Vec<ValueId> {
        let mut found = Vec::with_capacity(graph.inputs.len());
        for decl in &graph.inputs {
            let known = self.graph.inputs.iter().position(|d| d.name == decl.name && d.ty == decl.ty);
            found.push(match known {
                Some(i) => self.index[&(Op::Input(i as u32), Args::new())],
                None => {
                    let v = self.graph.input_decl(crate::graph::InputDecl { default: None, ..decl.clone() });
                    self.index.insert((Op::Input(self.graph.inputs.len() as u32 - 1), Args::new()), v);
                    v
                }
            });
        }
        found
    }

    /// The terms of all values of a graph; `inputs` are those of its inputs.
    ///
    /// # Errors
    /// A term has no type: an input is of another type, or the graph was not checked.
    pub fn graph_terms(&mut self, graph: &Graph, inputs: &[ValueId]) -> Result<Vec<ValueId>, TypeError> {
        self.know(&graph.tables);
        let mut terms: Vec<ValueId> = Vec::with_capacity(graph.nodes().len());
        for Node { op, args, origins, .. } in graph.nodes() {
            let term = match op {
                Op::Input(i) => match inputs.get(*i as usize) {
                    Some(v) => *v,
                    None => return Err(TypeError::Dangling { kind: "input", index: *i }),
                },
                op => {
                    let args = args.iter().map(|a| terms[a.index()]).collect();
                    let op = self.import(op, &graph.tables);
                    self.add(op, args, origins)?
                }
            };
            terms.push(term);
        }
        Ok(terms)
    }

    fn constant(&mut self, tensor: &Tensor) -> ConstId {
        let known = self.dense.entry(digest(tensor)).or_default();
        let tables = &mut self.graph.tables;
        if let Some(id) = known.iter().find(|id| tables.tensor(**id) == tensor) {
            return *id;
        }
        let id = tables.constant(tensor.clone());
        known.push(id);
        id
    }

    /// The body of other tables; one that prints alike and has the same constants is the same.
    fn body(&mut self, id: BodyId, from: &Tables) -> BodyId {
        let Some(body) = from.bodies.get(id.0 as usize) else { return id };
        let known = self.bodies.entry(crate::text::print(body)).or_default();
        let bodies = &mut self.graph.tables.bodies;
        if let Some(same) = known.iter().find(|b| same_tables(&bodies[b.0 as usize].tables, &body.tables)) {
            return *same;
        }
        bodies.push(body.clone());
        let id = BodyId(bodies.len() as u32 - 1);
        known.push(id);
        id
    }
}

/// Whether what attributes point to is the same, bodies inside (which print alike) included.
fn same_tables(a: &Tables, b: &Tables) -> bool {
    let inner = || a.bodies.iter().zip(&b.bodies).all(|(a, b)| same_tables(&a.tables, &b.tables));
    a.consts == b.consts && a.opaques == b.opaques && a.bodies.len() == b.bodies.len() && inner()
}

/// Type, shape and both ends of the data.
fn digest(t: &Tensor) -> u64 {
    let mut hasher = DefaultHasher::new();
    (t.dtype(), t.shape()).hash(&mut hasher);
    let bytes = t.bytes();
    let end = bytes.len().min(ENDS);
    (&bytes[..end], &bytes[bytes.len() - end..]).hash(&mut hasher);
    hasher.finish()
}
