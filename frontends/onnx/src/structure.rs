//! The graph as a graph: every name defined once, every use defined, no cycle, nodes in a topological order.
//!
//! Real files are not always sorted, so order is restored rather than demanded. Values that a body captures from
//! outside count as uses of the node that holds the body.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, BinaryHeap};

use foldhash::{HashMap, HashMapExt as _};

use crate::error::{Problem, ProblemKind};
use crate::inline::{FlatNode, place, subgraphs};
use crate::proto::{GraphProto, NodeProto};

/// The order in which to visit `nodes`, and per node (by position in `nodes`) the names its bodies capture.
pub struct Order {
    /// Positions in `nodes`, sources first, otherwise as in the file.
    pub order: Vec<usize>,
    /// Names captured by the bodies of each node, each once, in order of first use.
    pub captures: Vec<Vec<String>>,
}

/// What gives a name its meaning.
#[derive(Clone, Copy)]
enum Maker {
    /// An input, an initializer, or both: an input with its default.
    Source { initializer: bool },
    /// The node at that position.
    Node(usize),
}

type Makers<'a> = HashMap<&'a str, Maker>;

/// Checks names of a graph and of all bodies in it, and sorts. `outside` are names of the graphs around it.
pub fn order(graph: &GraphProto, nodes: &[FlatNode], outside: &dyn Fn(&str) -> bool) -> Result<Order, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut makers = Makers::with_capacity(graph.input.len().max(graph.initializer.len()) + nodes.len());
    sources(graph, &mut makers, &mut problems);
    for (i, node) in nodes.iter().enumerate() {
        for name in node.proto.output.iter().filter(|name| !name.is_empty()) {
            match makers.entry(name) {
                Entry::Vacant(free) => drop(free.insert(Maker::Node(i))),
                // What came first stays what the name means.
                Entry::Occupied(_) => {
                    let kind = ProblemKind::DefinedTwice { name: name.clone() };
                    problems.push(Problem { node: Some(node.place()), field: "output".to_owned(), kind });
                }
            }
        }
    }
    let mut captures = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut free = Free { scopes: Vec::new(), captured: Vec::new(), problems: &mut problems, outer: node };
        for body in subgraphs(&node.proto) {
            free.graph(body);
        }
        captures.push(free.captured);
    }
    let mut sorted = true;
    for (i, node) in nodes.iter().enumerate() {
        for (operand, name) in uses(&node.proto, &captures[i]) {
            match makers.get(name) {
                Some(Maker::Node(from)) => sorted &= *from < i,
                Some(Maker::Source { .. }) => {}
                None if outside(name) => {}
                None => {
                    let kind = ProblemKind::Undefined { name: name.to_owned() };
                    let field = operand.map_or_else(|| "capture".to_owned(), |i| format!("input {i}"));
                    problems.push(Problem { node: Some(node.place()), field, kind });
                }
            }
        }
    }
    for (i, output) in graph.output.iter().enumerate() {
        let name = output.name();
        let kind = if name.is_empty() {
            ProblemKind::EmptyName
        } else if !makers.contains_key(name) && !outside(name) {
            ProblemKind::Undefined { name: name.to_owned() }
        } else {
            continue;
        };
        problems.push(Problem { node: None, field: format!("graph output {i}"), kind });
    }
    let order = if sorted { (0..nodes.len()).collect() } else { sort(nodes, &captures, &makers, &mut problems) };
    if problems.is_empty() { Ok(Order { order, captures }) } else { Err(problems) }
}

/// Positions of `nodes`, each behind what it uses and otherwise as in the file (Kahn 1962).
fn sort(nodes: &[FlatNode], captures: &[Vec<String>], makers: &Makers<'_>, problems: &mut Vec<Problem>) -> Vec<usize> {
    let mut waits = vec![0usize; nodes.len()];
    // Pairs of a maker and a user.
    let mut edges: Vec<(usize, usize)> = Vec::with_capacity(2 * nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        for (_, name) in uses(&node.proto, &captures[i]) {
            if let Some(&Maker::Node(from)) = makers.get(name) {
                edges.push((from, i));
                waits[i] += 1;
            }
        }
    }
    edges.sort_unstable();
    let mut ready: BinaryHeap<Reverse<usize>> = (0..nodes.len()).filter(|&i| waits[i] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(i)) = ready.pop() {
        order.push(i);
        let first = edges.partition_point(|(from, _)| *from < i);
        for &(_, user) in edges[first..].iter().take_while(|(from, _)| *from == i) {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(Reverse(user));
            }
        }
    }
    if order.len() < nodes.len() {
        problems.push(cycle(nodes, captures, makers, &waits));
    }
    order
}

/// Operands of a node with their positions, and captures.
fn uses<'a>(node: &'a NodeProto, captures: &'a [String]) -> impl Iterator<Item = (Option<usize>, &'a str)> {
    let inputs = node.input.iter().enumerate().filter(|(_, name)| !name.is_empty());
    inputs.map(|(i, name)| (Some(i), name.as_str())).chain(captures.iter().map(|name| (None, name.as_str())))
}

/// Inputs and initializers of a graph. An initializer may repeat an input's name: it is its default then.
fn sources<'a>(graph: &'a GraphProto, makers: &mut Makers<'a>, problems: &mut Vec<Problem>) {
    let mut fault = |field: String, kind| problems.push(Problem { node: None, field, kind });
    for (i, input) in graph.input.iter().enumerate() {
        if input.name().is_empty() {
            fault(format!("graph input {i}"), ProblemKind::EmptyName);
        } else if makers.insert(input.name(), Maker::Source { initializer: false }).is_some() {
            fault(format!("graph input {i}"), ProblemKind::DefinedTwice { name: input.name().to_owned() });
        }
    }
    let sparse = graph.sparse_initializer.iter().filter_map(|s| s.values.as_ref());
    for (i, tensor) in graph.initializer.iter().chain(sparse).enumerate() {
        let name = tensor.name();
        if name.is_empty() {
            fault(format!("initializer {i}"), ProblemKind::EmptyName);
            continue;
        }
        match makers.entry(name).or_insert(Maker::Source { initializer: false }) {
            Maker::Source { initializer } if !*initializer => *initializer = true,
            Maker::Source { .. } | Maker::Node(_) => {
                fault(format!("initializer {i}"), ProblemKind::DefinedTwice { name: name.to_owned() });
            }
        }
    }
}

/// Names that bodies use and do not define.
struct Free<'p> {
    outer: &'p FlatNode,
    scopes: Vec<BTreeSet<String>>,
    captured: Vec<String>,
    problems: &'p mut Vec<Problem>,
}

impl Free<'_> {
    fn graph(&mut self, graph: &GraphProto) {
        let mut scope: BTreeSet<String> = BTreeSet::new();
        let sparse = graph.sparse_initializer.iter().filter_map(|s| s.values.as_ref());
        scope.extend(graph.input.iter().map(|v| v.name().to_owned()));
        scope.extend(graph.initializer.iter().chain(sparse).map(|t| t.name().to_owned()));
        for (index, node) in graph.node.iter().enumerate() {
            for name in node.output.iter().filter(|name| !name.is_empty()) {
                if !scope.insert(name.clone()) {
                    let field = format!("body {}, {}, output", graph.name(), place(node, index));
                    let kind = ProblemKind::DefinedTwice { name: name.clone() };
                    self.problems.push(Problem { node: Some(self.outer.place()), field, kind });
                }
            }
        }
        self.scopes.push(scope);
        for node in &graph.node {
            for name in &node.input {
                self.used(name);
            }
            for body in subgraphs(node) {
                self.graph(body);
            }
        }
        for output in &graph.output {
            self.used(output.name());
        }
        self.scopes.pop();
    }

    fn used(&mut self, name: &str) {
        let inside = name.is_empty() || self.scopes.iter().any(|scope| scope.contains(name));
        if !inside && !self.captured.iter().any(|known| known == name) {
            self.captured.push(name.to_owned());
        }
    }
}

/// Follows unfinished makers until a node repeats: every node that waits waits for another one that does.
fn cycle(nodes: &[FlatNode], captures: &[Vec<String>], makers: &Makers<'_>, waits: &[usize]) -> Problem {
    let mut at = waits.iter().position(|&n| n > 0).expect("some node waits, or sorting had finished");
    let mut path: Vec<(usize, String)> = Vec::new();
    while !path.iter().any(|(i, _)| *i == at) {
        let (name, from) = uses(&nodes[at].proto, &captures[at])
            .filter_map(|(_, name)| match makers.get(name)? {
                Maker::Node(from) => Some((name.to_owned(), *from)),
                Maker::Source { .. } => None,
            })
            .find(|(_, from)| waits[*from] > 0)
            .expect("a waiting node waits for a waiting node");
        path.push((at, name));
        at = from;
    }
    let start = path.iter().position(|(i, _)| *i == at).expect("the loop above ended on a repetition");
    let names = path[start..].iter().rev().map(|(_, name)| name.clone()).collect();
    Problem { node: Some(nodes[at].place()), field: String::new(), kind: ProblemKind::Cycle { names } }
}
