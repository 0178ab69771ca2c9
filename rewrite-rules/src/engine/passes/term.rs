//! Concrete terms: what the two sides of a pass's step are, from its finder through the dry run to the replay.

use egg::Id;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, Op, SliceAxis};
use egret_ir::types::TensorType;
use egret_ir::{Dim, Literal};

use crate::engine::apply::{Step, Use};
use crate::engine::egraph::{Data, EGraph, ENode, Ids, OpRef};
use crate::engine::plan::{Item, Plan, Ref, Refusal};

/// A term over e-nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// Whatever is in the class of this id.
    Leaf(Id),
    /// An operation.
    Node(Box<Applied>),
}

/// An operation of a term.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// Kind and attributes.
    pub op: Op,
    /// Operands.
    pub args: Vec<Term>,
    /// The e-node this stands on; None where it is yet to be made.
    pub id: Option<Id>,
}

impl Term {
    /// A new operation.
    pub fn new(op: Op, args: Vec<Self>) -> Self {
        Self::Node(Box::new(Applied { op, args, id: None }))
    }

    /// An operation that an e-node is.
    pub fn on(id: Id, op: Op, args: Vec<Self>) -> Self {
        Self::Node(Box::new(Applied { op, args, id: Some(id) }))
    }

    /// `f` from the left over terms; None where there are none.
    pub fn chain(f: Scalar, terms: impl IntoIterator<Item = Self>) -> Option<Self> {
        terms.into_iter().reduce(|a, b| Self::new(Op::Map(f), vec![a, b]))
    }

    /// A tensor of equal elements.
    pub fn splat(l: Literal, shape: &[Dim]) -> Self {
        let scalar = Self::new(Op::Const(Const::Scalar(l)), Vec::new());
        if shape.is_empty() {
            return scalar;
        }
        let new = shape.iter().enumerate().map(|(i, d)| (i as u8, d.clone())).collect();
        Self::new(Op::Broadcast(new), vec![scalar])
    }

    /// The id the term stands on, where it stands on one.
    pub fn id(&self) -> Option<Id> {
        match self {
            Self::Leaf(id) => Some(*id),
            Self::Node(n) => n.id,
        }
    }

    /// The operation, where the term is one.
    pub fn node(&self) -> Option<&Applied> {
        match self {
            Self::Leaf(_) => None,
            Self::Node(n) => Some(n),
        }
    }

    /// The element that all elements of the term equal, where that is known.
    pub fn splat_of(&self, egraph: &EGraph) -> Option<Literal> {
        match self {
            Self::Leaf(id) => egraph[*id].data.splat.filter(|_| egraph[*id].data.constant),
            Self::Node(n) => match (&n.op, n.args.as_slice()) {
                (Op::Const(Const::Scalar(l)), _) => Some(*l),
                (Op::Broadcast(_) | Op::Reshape(_) | Op::Permute(_) | Op::Slice(_), [x]) => x.splat_of(egraph),
                _ => None,
            },
        }
    }

    /// The e-nodes that the term stands on, with the operands it takes them to have, and its root. None where a part
    /// stands on none.
    pub fn uses(&self, out: &mut Vec<Use>) -> Option<Id> {
        let n = match self {
            Self::Leaf(id) => return Some(*id),
            Self::Node(n) => n,
        };
        let id = n.id?;
        let args = n.args.iter().map(|a| a.uses(out)).collect::<Option<Ids>>()?;
        let one = Use { node: id, args };
        if !out.contains(&one) {
            out.push(one);
        }
        Some(id)
    }

    /// Whether every e-node that the term stands on has its kind.
    fn stands(&self, egraph: &EGraph) -> bool {
        match self {
            Self::Leaf(_) => true,
            Self::Node(n) => {
                let op = |id: Id| egraph.nodes().get(usize::from(id)).map(|e| egraph.analysis.op(e.op));
                n.id.and_then(op) == Some(&n.op) && n.args.iter().all(|a| a.stands(egraph))
            }
        }
    }

    /// The term on the e-nodes that were made of it.
    pub(super) fn made(&self, egraph: &EGraph, uses: &[Use]) -> Option<(Self, Id)> {
        let n = match self {
            Self::Leaf(id) => return Some((self.clone(), *id)),
            Self::Node(n) => n,
        };
        let args = n.args.iter().map(|a| a.made(egraph, uses)).collect::<Option<Vec<_>>>()?;
        let (args, ids): (Vec<Self>, Ids) = args.into_iter().unzip();
        let is = |u: &&Use| u.args == ids && *egraph.analysis.op(egraph.nodes()[usize::from(u.node)].op) == n.op;
        let id = uses.iter().find(is)?.node;
        Some((Self::on(id, n.op.clone(), args), id))
    }
}

/// Whether a step's uses are those of its terms, on e-nodes of their kinds.
pub fn faithful(egraph: &EGraph, step: &Step, left: &Term, right: &Term) -> bool {
    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
    let roots = (left.uses(&mut of_left), right.uses(&mut of_right));
    roots == (Some(step.left), Some(step.right))
        && step.uses.split_at(step.left_uses) == (of_left.as_slice(), of_right.as_slice())
        && left.stands(egraph)
        && right.stands(egraph)
}

/// The dry run of a term: types, and which of its nodes exist.
pub(super) fn plan(egraph: &mut EGraph, term: &Term) -> Result<Plan, Refusal> {
    let mut items = Vec::new();
    let root = node(egraph, term, &mut items)?;
    Ok(Plan { items, root })
}

fn node(egraph: &mut EGraph, term: &Term, items: &mut Vec<Item>) -> Result<Ref, Refusal> {
    let n = match term {
        Term::Leaf(id) => return Ok(Ref::Id(*id)),
        Term::Node(n) => n,
    };
    let args = n.args.iter().map(|a| node(egraph, a, items)).collect::<Result<Vec<Ref>, _>>()?;
    if let Some(i) = items.iter().position(|x| x.op == n.op && x.args == args) {
        return Ok(Ref::Item(i));
    }
    let data: Vec<Data> = args
        .iter()
        .map(|r| match r {
            Ref::Id(id) => egraph[*id].data.clone(),
            Ref::Item(i) => items[*i].data.clone(),
        })
        .collect();
    let data = egraph.analysis.infer(&n.op, &data.iter().collect::<Vec<_>>())?;
    let known_args: Option<Ids> = args
        .iter()
        .map(|r| match r {
            Ref::Id(id) => Some(egraph.find(*id)),
            Ref::Item(i) => items[*i].known,
        })
        .collect();
    let known = known_args.and_then(|args| {
        let r = egraph.analysis.ops.get_index_of(&n.op)?;
        egraph.lookup(ENode { op: OpRef(r as u32), args })
    });
    items.push(Item { op: n.op.clone(), parts: args.clone(), args, data, known });
    Ok(Ref::Item(items.len() - 1))
}

/// The slice of one axis, all other axes whole.
pub(super) fn cut(ty: &TensorType, axis: usize, start: Dim, len: Dim) -> Op {
    let whole = |d: &Dim| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() };
    let mut axes: Vec<SliceAxis> = ty.shape.iter().map(whole).collect();
    axes[axis] = SliceAxis { start, step: 1, len };
    Op::Slice(axes.into())
}

/// Which part of which axis a slice takes, where it takes all others whole: axis, first element, number of elements.
pub(super) fn one_cut(op: &Op, operand: &TensorType) -> Option<(usize, Dim, Dim)> {
    let Op::Slice(axes) = op else { return None };
    let mut found = None;
    for (i, (a, d)) in axes.iter().zip(&operand.shape).enumerate() {
        if a.step != 1 {
            return None;
        }
        if a.start == Dim::ZERO && a.len == *d {
            continue;
        }
        if found.replace((i, a.start.clone(), a.len.clone())).is_some() {
            return None;
        }
    }
    found
}
