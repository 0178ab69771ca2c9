//! `check: Graph -> Typed`. Nothing downstream of a reader takes an unchecked graph.

use std::ops::Deref;

use crate::graph::{Graph, ValueId};
use crate::infer::{TypeError, infer};
use crate::op::Op;
use crate::origin::Origins;
use crate::types::Type;

/// A graph that passed [`check`].
#[derive(Clone, Debug)]
pub struct Typed(Graph);

impl Typed {
    /// The graph, to be changed and checked again.
    pub fn into_inner(self) -> Graph {
        self.0
    }
}

impl Deref for Typed {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        &self.0
    }
}

/// One thing wrong with a graph, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}value %{}: {problem}", .value.0)]
pub struct Report {
    /// The value.
    pub value: ValueId,
    /// Its origins, as a prefix of the message.
    pub at: OriginPrefix,
    /// What is wrong.
    pub problem: Problem,
}

/// Origins printed as `origin: `, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginPrefix(pub Origins);

impl std::fmt::Display for OriginPrefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.iter().next().is_some() { write!(f, "{}: ", self.0) } else { Ok(()) }
    }
}

/// What can be wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An operand that is not an earlier value.
    #[error("operand %{} is not an earlier value", .0.0)]
    Order(ValueId),
    /// An ill-typed node.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A node whose recorded type is not the inferred one.
    #[error("recorded as {recorded}, inferred {inferred}")]
    Recorded {
        /// Type in the node.
        recorded: Type,
        /// Type inferred.
        inferred: Type,
    },
    /// A problem inside a body of If or Loop.
    #[error("in body {body}: {problem}")]
    Body {
        /// Index of the body.
        body: u32,
        /// What is wrong there; the value of the report is the body's.
        problem: Box<Self>,
    },
    /// An input index that is not declared, or a type other than the declared one.
    #[error("input {0} is not declared so")]
    Input(u32),
    /// An output of a value that does not exist.
    #[error("output `{0}` is a value that does not exist")]
    Output(String),
    /// A default of another type than the input.
    #[error("the default of input `{0}` has another type")]
    Default(String),
}

/// Checks types, order and references of every node, in bodies too, and gathers all problems.
pub fn check(graph: Graph) -> Result<Typed, Vec<Report>> {
    let reports = problems(&graph);
    if reports.is_empty() { Ok(Typed(graph)) } else { Err(reports) }
}

fn problems(graph: &Graph) -> Vec<Report> {
    let mut reports = Vec::new();
    for (i, body) in graph.tables.bodies.iter().enumerate() {
        reports.extend(problems(body).into_iter().map(|r| Report {
            value: r.value,
            at: r.at,
            problem: Problem::Body { body: i as u32, problem: Box::new(r.problem) },
        }));
    }
    for v in graph.values() {
        let node = graph.node(v);
        let mut report = |problem: Problem| {
            reports.push(Report { value: v, at: OriginPrefix(node.origins.clone()), problem });
        };
        if let Some(a) = node.args.iter().find(|a| **a >= v) {
            report(Problem::Order(*a));
            continue;
        }
        if let Op::Input(i) = node.op {
            match graph.inputs.get(i as usize) {
                Some(decl) if decl.ty == node.ty && node.args.is_empty() => {
                    if let Some(d) = decl.default {
                        let fits = graph.tables.consts.get(d.0 as usize).is_some_and(|t| {
                            decl.ty.as_tensor().is_some_and(|ty| ty.dtype == t.dtype() && ty.rank() == t.shape().len())
                        });
                        if !fits {
                            report(Problem::Default(decl.name.to_string()));
                        }
                    }
                }
                _ => report(Problem::Input(i)),
            }
            continue;
        }
        let types: Vec<&Type> = node.args.iter().map(|a| graph.ty(*a)).collect();
        match infer(&node.op, &types, &graph.tables) {
            Err(e) => report(Problem::Type(e)),
            Ok(inferred) if inferred != node.ty => {
                report(Problem::Recorded { recorded: node.ty.clone(), inferred });
            }
            Ok(_) => {}
        }
    }
    for o in &graph.outputs {
        if o.value.index() >= graph.nodes().len() {
            let problem = Problem::Output(o.name.to_string());
            reports.push(Report { value: o.value, at: OriginPrefix(Origins::none()), problem });
        }
    }
    reports
}
