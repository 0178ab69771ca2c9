//! Rules as data: what a rule is once it is loaded. [`load`](mod@load) reads it from text, the tables of [`conditions`] and
//! [`attr_fns`] give it its words, and [`crate::engine`] runs it.

pub mod attr_fns;
pub mod bound;
pub mod conditions;
pub mod error;
pub mod lex;
pub mod load;
pub mod parse;
pub mod print;
pub mod resolve;
pub mod vocabulary;

use std::fmt;
use std::sync::Arc;

pub use egret_ir::Numeric;
use egret_ir::op::Monoid;
use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::Scalar;
pub use egret_ir::text::Sort as AttrSort;
use egret_ir::{Literal, Type};

use attr_fns::AttrFn;
use conditions::ConditionDef;
pub use vocabulary::Vocabulary;

#[cfg(doc)]
use crate::engine::passes::PASSES;
use crate::engine::passes::Pass;

/// When a rule runs. Later phases run the rules of the earlier ones too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Removal of what does nothing, and canonical forms.
    Normalize,
    /// Arithmetic: folding of constants into weights, recognition of composites.
    Algebra,
    /// Motion of index kinds past arithmetic.
    Layout,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 3] = [Self::Normalize, Self::Algebra, Self::Layout];

    /// The word in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normalize => "normalize",
            Self::Algebra => "algebra",
            Self::Layout => "layout",
        }
    }

    /// The phase of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }
}

/// Index of a variable in [`Rule::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u16);

impl VarId {
    /// As an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a value of an attribute sort is called in messages.
pub const fn attr_sort_name(sort: AttrSort) -> &'static str {
    match sort {
        AttrSort::Dim => "an extent",
        AttrSort::Dims => "a shape",
        AttrSort::Perm => "a permutation",
        AttrSort::Insert => "inserted axes",
        AttrSort::Slices => "slices",
        AttrSort::Pads => "pads",
        AttrSort::Axis => "an axis",
        AttrSort::Spec => "an index spec",
        AttrSort::Gather => "a gather spec",
        AttrSort::DType => "an element type",
        AttrSort::Literal => "a literal",
    }
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A value of the graph: `?x`.
    Operand,
    /// The element of a constant whose elements are all equal: `%c`.
    Splat,
    /// An attribute: `?p`.
    Attr(AttrSort),
    /// The function of a Map: `?f`.
    Function,
    /// The fold of a Reduce: `?m`.
    Monoid,
}

impl Sort {
    /// What a value of the sort is called in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operand => "an operand",
            Self::Splat => "an element",
            Self::Attr(a) => attr_sort_name(a),
            Self::Function => "a function",
            Self::Monoid => "a fold",
        }
    }
}

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// As written, without `?`, `??` or `%`.
    pub name: String,
    /// What it stands for.
    pub sort: Sort,
    /// Whether it stands for one value per operand of an ellipsis: `??x`.
    pub list: bool,
}

/// The head of a pattern node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadPat {
    /// Just this head.
    Is(Head),
    /// Map of any function.
    AnyMap(VarId),
    /// Map of a cast; its attribute is the type.
    Cast,
    /// Reduce of any fold.
    AnyReduce(VarId),
}

/// An attribute position of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrPat {
    /// A variable.
    Var(VarId),
    /// A value.
    Value(Attr),
    /// Computed (right side only): the function and its arguments.
    Call(&'static AttrFn, Vec<Term>),
}

/// An argument of a condition or an attribute function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A variable.
    Var(VarId),
    /// A whole number.
    Number(i64),
    /// A word.
    Word(String),
    /// An attribute value.
    Attr(Attr),
    /// A computed attribute.
    Call(&'static AttrFn, Vec<Self>),
}

/// An operand position of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Pat {
    /// Any value, the element of any splat (`%c`), or one of a list.
    Var(VarId),
    /// A splat of this number in whatever type the place has; bits count.
    Number(f64),
    /// A computed operand, or a splat of a computed element (right side only).
    Computed(AttrPat),
    /// What each of any number (at least one) of operands looks like: `...`. On the left side only the last operand.
    Each(Box<Self>),
    /// A node.
    Node(Box<NodePat>),
}

/// A node of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePat {
    /// Its head.
    pub head: HeadPat,
    /// Attributes, in the order of [`egret_ir::Op::split`].
    pub attrs: Vec<AttrPat>,
    /// Operands.
    pub args: Vec<Pat>,
}

impl NodePat {
    /// The operands before an ellipsis, and what each of the others looks like.
    pub fn split(&self) -> (&[Pat], Option<&Pat>) {
        match self.args.split_last() {
            Some((Pat::Each(each), fixed)) => (fixed, Some(each)),
            _ => (&self.args, None),
        }
    }
}

/// A condition and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is asked.
    pub def: &'static ConditionDef,
    /// Arguments.
    pub args: Vec<Term>,
    /// Whether the opposite is asked for (`not`).
    pub negated: bool,
}

/// A value for a variable in a `try` or `not`.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// An operand of that type, given at run time.
    Input(Type),
    /// An operand of that type that is constant.
    Constant(Type),
    /// A constant with the given elements.
    Values(egret_ir::Tensor),
    /// An attribute.
    Attr(Attr),
    /// A function.
    Function(Scalar),
    /// A fold.
    Monoid(Monoid),
    /// An element of a splat.
    Element(Literal),
    /// One per operand of an ellipsis.
    List(Vec<Self>),
}

/// Values for a rule's variables, by [`VarId`].
pub type Samples = Vec<Sample>;

/// Where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// File.
    pub file: Arc<str>,
    /// Line (1-based).
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A loaded rule, one direction.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name; the mirror image of a `<=>` rule has `-back` appended.
    pub name: Arc<str>,
    /// Its text, from name to conditions.
    pub text: Arc<str>,
    /// Where it stands.
    pub place: Place,
    /// Its phase.
    pub phase: Phase,
    /// Its numeric class.
    pub numeric: Numeric,
    /// Why it is true.
    pub cite: Arc<str>,
    /// Its variables.
    pub vars: Vec<Var>,
    /// Left side.
    pub lhs: NodePat,
    /// Right side.
    pub rhs: Pat,
    /// Conditions for truth.
    pub conditions: Vec<Condition>,
    /// Conditions for profit.
    pub profit: Vec<Condition>,
    /// Fires only where the right side is in the e-graph already (`when known`).
    pub only_known: bool,
    /// In a list, an operand that is a splat constant may stand for any template: all templates are movements.
    pub splat_lists: bool,
    /// List variables that come from one ellipsis, so that they have one length.
    pub groups: Vec<Vec<VarId>>,
    /// Values to try it on.
    pub tries: Vec<Samples>,
    /// Values that must not match.
    pub nots: Vec<Samples>,
}

/// Loaded rules, in order of their files, and native passes.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The passes that run beside them: the built-in set has all of [`PASSES`], a set of the user's files none.
    pub passes: Vec<&'static Pass>,
}
