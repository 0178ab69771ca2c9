//! Choices as plain data: a frozen e-graph ([`ClassGraph`]), and the AND-OR table of candidates over its classes
//! ([`Table`]) from which an extractor chooses. Frontends and the kernel generator fill tables; extractors know no target.

mod narrow;

use std::sync::Arc;

use crate::graph::{Args, Graph, InputDecl, Node, Tables, ValueId};
use crate::op::Op;
use crate::origin::Origins;
use crate::types::Type;

/// A class of equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

impl ClassId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One way to compute a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassNode {
    /// Kind and attributes.
    pub op: Op,
    /// Operand classes.
    pub args: Vec<ClassId>,
}

/// A class: all known ways to compute one value.
#[derive(Clone, Debug)]
pub struct Class {
    /// The type all ways share.
    pub ty: Type,
    /// The ways, oldest first (the imported one leads).
    pub nodes: Vec<ClassNode>,
    /// Whether some way depends on constants alone, so that the value can be folded.
    pub constant: bool,
    /// Where it comes from.
    pub origins: Origins,
}

/// A frozen e-graph. May contain cycles (from inverse rules); whoever derives values from it must find acyclic ones.
#[derive(Clone, Debug, Default)]
pub struct ClassGraph {
    /// Name of the graph it came from.
    pub name: Arc<str>,
    /// Parameters of the graph it came from.
    pub inputs: Vec<InputDecl>,
    /// Results: name and class, in order.
    pub outputs: Vec<(Arc<str>, ClassId)>,
    /// The classes.
    pub classes: Vec<Class>,
    /// What attributes point to.
    pub tables: Tables,
    /// What classes are called in the model, where whoever made the graph says so: for people, and for verifiers that
    /// pair values by name.
    pub names: std::collections::BTreeMap<ClassId, Arc<str>>,
}

impl ClassGraph {
    /// The class graph of a graph: one class per value, one way each. Gives the class of every value.
    pub fn from_graph(graph: &Graph) -> (Self, Vec<ClassId>) {
        let mut out = Self {
            name: graph.name.clone(),
            inputs: graph.inputs.clone(),
            tables: graph.tables.clone(),
            ..Self::default()
        };
        let ids: Vec<ClassId> = graph.values().map(|v| ClassId(v.0)).collect();
        for n in graph.nodes() {
            let run_time = matches!(n.op, Op::Input(_) | Op::Opaque(_) | Op::If(_) | Op::Loop(_));
            let constant = !run_time && n.args.iter().all(|a| out.classes[a.index()].constant);
            let args = n.args.iter().map(|a| ClassId(a.0)).collect();
            let nodes = vec![ClassNode { op: n.op.clone(), args }];
            out.classes.push(Class { ty: n.ty.clone(), nodes, constant, origins: n.origins.clone() });
        }
        out.outputs = graph.outputs.iter().map(|o| (o.name.clone(), ClassId(o.value.0))).collect();
        (out, ids)
    }

    /// The class.
    pub fn class(&self, c: ClassId) -> &Class {
        &self.classes[c.index()]
    }

    /// The type of a class.
    pub fn ty(&self, c: ClassId) -> &Type {
        &self.classes[c.index()].ty
    }

    /// Adds a class with one way (a value that a target wants, such as an operand with extent-1 axes), or finds it.
    pub fn derive(&mut self, op: Op, args: &[ClassId]) -> Result<ClassId, crate::infer::TypeError> {
        let found = self.classes.iter().position(|c| c.nodes.iter().any(|n| n.op == op && n.args == args));
        if let Some(i) = found {
            return Ok(ClassId(i as u32));
        }
        let types: Vec<&Type> = args.iter().map(|a| self.ty(*a)).collect();
        let ty = crate::infer::infer(&op, &types, &self.tables)?;
        let constant = args.iter().all(|a| self.class(*a).constant);
        let origins = args.iter().fold(Origins::none(), |o, a| o.join(&self.class(*a).origins));
        self.classes.push(Class { ty, nodes: vec![ClassNode { op, args: args.to_vec() }], constant, origins });
        Ok(ClassId(self.classes.len() as u32 - 1))
    }

    /// Which classes have a value that can be worked out before the model runs: those with a way whose operands have one,
    /// and with extents that are numbers all the way. ([`Class::constant`] does not ask for the latter.)
    pub fn foldable(&self) -> Vec<bool> {
        let mut foldable = vec![false; self.classes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (i, class) in self.classes.iter().enumerate() {
                let known = |n: &ClassNode| n.op.computes() && n.args.iter().all(|a| foldable[a.index()]);
                if !foldable[i] && is_fixed(&class.ty) && class.nodes.iter().any(known) {
                    foldable[i] = true;
                    changed = true;
                }
            }
        }
        foldable
    }

    /// For each class the way with the fewest nodes as a tree, ties to the older one; None where no finite way exists.
    /// Following these choices never closes a cycle. `allowed` filters ways (for instance to constant ones).
    pub fn smallest(&self, allowed: &dyn Fn(ClassId, &ClassNode) -> bool) -> Vec<Option<u32>> {
        let n = self.classes.len();
        let mut cost: Vec<Option<u64>> = vec![None; n];
        let mut choice: Vec<Option<u32>> = vec![None; n];
        let mut changed = true;
        while changed {
            changed = false;
            for (i, class) in self.classes.iter().enumerate() {
                for (k, node) in class.nodes.iter().enumerate() {
                    if !allowed(ClassId(i as u32), node) {
                        continue;
                    }
                    let sum = node.args.iter().try_fold(1u64, |s, a| Some(s.saturating_add(cost[a.index()]?)));
                    if let Some(sum) = sum
                        && cost[i].is_none_or(|c| sum < c)
                    {
                        cost[i] = Some(sum);
                        choice[i] = Some(k as u32);
                        changed = true;
                    }
                }
            }
        }
        choice
    }

    /// The graph that computes `roots` by the given choice of ways (as from [`ClassGraph::smallest`]).
    /// None where a needed class has no choice or the choice is cyclic.
    pub fn graph_of(&self, roots: &[(Arc<str>, ClassId)], choice: &[Option<u32>]) -> Option<Graph> {
        let mut graph = Graph::new(&self.name);
        graph.tables = self.tables.clone();
        let mut value: Vec<Option<ValueId>> = vec![None; self.classes.len()];
        let mut entered = vec![false; self.classes.len()];
        for (i, decl) in self.inputs.iter().enumerate() {
            let v = graph.input_decl(decl.clone());
            let is_input = |c: &Class| c.nodes.iter().any(|n| n.op == Op::Input(i as u32));
            if let Some(c) = self.classes.iter().position(is_input) {
                value[c] = Some(v);
            }
        }
        let mut stack: Vec<ClassId> = roots.iter().rev().map(|(_, c)| *c).collect();
        while let Some(&c) = stack.last() {
            if value[c.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = &self.class(c).nodes[choice[c.index()]? as usize];
            let missing: Vec<ClassId> = node.args.iter().copied().filter(|a| value[a.index()].is_none()).collect();
            if missing.is_empty() {
                let args: Args = node.args.iter().filter_map(|a| value[a.index()]).collect();
                let class = self.class(c);
                let (ty, origins) = (class.ty.clone(), class.origins.clone());
                value[c.index()] = Some(graph.push(Node { op: node.op.clone(), args, ty, origins }));
                stack.pop();
            } else {
                if entered[c.index()] {
                    return None;
                }
                entered[c.index()] = true;
                stack.extend(missing.into_iter().rev());
            }
        }
        for (name, c) in roots {
            graph.output(name, value[c.index()]?);
        }
        Some(graph)
    }
}

/// Whether all extents of a type are numbers.
fn is_fixed(ty: &Type) -> bool {
    match ty {
        Type::Tensor(t) => t.static_shape().is_some(),
        Type::Tuple(parts) => parts.iter().all(is_fixed),
        Type::Foreign(_) => false,
    }
}

/// One way to produce some classes from others at a cost, in whatever form a target has: an ONNX node, a kernel.
#[derive(Clone, Debug)]
pub struct Candidate<P> {
    /// Classes it produces, all at once.
    pub outputs: Vec<ClassId>,
    /// Classes it reads.
    pub inputs: Vec<ClassId>,
    /// Cost, in picoseconds of predicted time.
    pub cost: u64,
    /// What it is.
    pub payload: P,
}

/// The AND-OR table an extractor chooses from.
#[derive(Clone, Debug)]
pub struct Table<P> {
    /// Number of classes.
    pub classes: usize,
    /// Classes to be produced.
    pub roots: Vec<ClassId>,
    /// The candidates; earlier ones win ties.
    pub candidates: Vec<Candidate<P>>,
}
