//! What variables are bound to, and the view of the e-graph that conditions and attribute functions have.

use egg::Id;
use egret_ir::op::Monoid;
use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::Scalar;
use egret_ir::{Literal, TensorType};

use super::Term;
use crate::engine::egraph::{Data, EGraph};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A class.
    Operand(Id),
    /// The element of a splat.
    Element(Literal),
    /// An attribute.
    Attr(Attr),
    /// A function.
    Function(Scalar),
    /// A fold.
    Monoid(Monoid),
    /// A whole number written in the rule.
    Number(i64),
    /// A word written in the rule.
    Word(String),
    /// One per operand of an ellipsis.
    List(Vec<Bound>),
}

/// Bindings by variable; None while unbound.
pub type Bindings = Vec<Option<Bound>>;

/// Facts about bound operands.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The e-graph.
    pub egraph: &'a EGraph,
}

impl<'a> Facts<'a> {
    /// Analysis data of an operand; None for anything else.
    pub fn data(&self, b: &Bound) -> Option<&'a Data> {
        match b {
            Bound::Operand(id) => Some(&self.egraph[*id].data),
            Bound::Element(_)
            | Bound::Attr(_)
            | Bound::Function(_)
            | Bound::Monoid(_)
            | Bound::Number(_)
            | Bound::Word(_)
            | Bound::List(_) => None,
        }
    }

    /// The tensor type of an operand.
    pub fn tensor(&self, b: &Bound) -> Option<&'a TensorType> {
        self.data(b)?.ty.as_tensor()
    }

    /// The value of a term; None where a variable is unbound or a function has no answer.
    pub fn term(&self, term: &Term, bindings: &Bindings) -> Option<Bound> {
        match term {
            Term::Var(v) => bindings[v.index()].clone(),
            Term::Number(n) => Some(Bound::Number(*n)),
            Term::Word(w) => Some(Bound::Word(w.clone())),
            Term::Attr(a) => Some(Bound::Attr(a.clone())),
            Term::Call(f, args) => {
                let args = args.iter().map(|a| self.term(a, bindings)).collect::<Option<Vec<_>>>()?;
                (f.compute)(*self, &args)
            }
        }
    }
}
