//! Mutation operators: small faults of the kinds that writers of rules make, each a change of the rule's tree. They follow
//! the operator sets of mutation testing (DeMillo, Lipton, Sayward 1978; Offutt et al. 1996: replaced operators, operands
//! and constants, dropped statements and conditions), with those of tensor rules added: axes, attributes, numeric classes.

use egret_ir::op::Monoid;
use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::{Law, Scalar};

use crate::lang::attr_fns::ATTR_FNS;
use crate::lang::attr_fns::faults::FAULTS;
use crate::lang::{AttrPat, HeadPat, NodePat, Numeric, Pat, Rule, Sort, Term, Var, VarId};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A conjunct of `if` is missing.
    DroppedCondition,
    /// Operands of a function, product or join that does not commute are exchanged.
    SwappedOperands,
    /// Another scalar function.
    OtherFunction,
    /// Another number.
    OtherNumber,
    /// Another fold.
    OtherFold,
    /// A node (a sign, a conversion, a movement, a fold) is missing.
    DroppedNode,
    /// Another variable of the same sort.
    OtherVariable,
    /// Another attribute function of the same signature, other arguments, or none.
    OtherAttribute,
    /// A number of an attribute is off by one: an axis, a pad, a window, the start of a slice.
    OffByOne,
    /// The order of an attribute is another: a permutation undone, pads exchanged, a slice reversed, labels exchanged.
    Turned,
    /// A stricter numeric class than the rule keeps.
    StricterClass,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 11] = [
        Self::DroppedCondition,
        Self::SwappedOperands,
        Self::OtherFunction,
        Self::OtherNumber,
        Self::OtherFold,
        Self::DroppedNode,
        Self::OtherVariable,
        Self::OtherAttribute,
        Self::OffByOne,
        Self::Turned,
        Self::StricterClass,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DroppedCondition => "dropped-condition",
            Self::SwappedOperands => "swapped-operands",
            Self::OtherFunction => "other-function",
            Self::OtherNumber => "other-number",
            Self::OtherFold => "other-fold",
            Self::DroppedNode => "dropped-node",
            Self::OtherVariable => "other-variable",
            Self::OtherAttribute => "other-attribute",
            Self::OffByOne => "off-by-one",
            Self::Turned => "turned",
            Self::StricterClass => "stricter-class",
        }
    }
}

/// Every rule that one fault makes of a rule.
pub fn faulty(rule: &Rule) -> Vec<(Operator, Rule)> {
    let mut out = Vec::new();
    for i in 0..rule.conditions.len() {
        let mut broken = rule.clone();
        broken.conditions.remove(i);
        out.push((Operator::DroppedCondition, broken));
    }
    for (i, c) in rule.conditions.iter().enumerate() {
        for args in other_terms(&c.args, &rule.vars) {
            let mut broken = rule.clone();
            broken.conditions[i].args = args;
            out.push((Operator::OtherVariable, broken));
        }
    }
    for class in Numeric::ALL.into_iter().filter(|n| *n < rule.numeric) {
        out.push((Operator::StricterClass, Rule { numeric: class, ..rule.clone() }));
    }
    let vars = rule.vars.as_slice();
    for (op, rhs) in variants(&rule.rhs, &|p| right(p, vars)) {
        out.push((op, Rule { rhs, ..rule.clone() }));
    }
    let lhs = Pat::Node(Box::new(rule.lhs.clone()));
    for (op, p) in variants(&lhs, &left) {
        if let Pat::Node(lhs) = p {
            out.push((op, Rule { lhs: *lhs, ..rule.clone() }));
        }
    }
    out
}

/// The pattern with one place changed.
fn variants(p: &Pat, local: &dyn Fn(&Pat) -> Vec<(Operator, Pat)>) -> Vec<(Operator, Pat)> {
    let mut out = local(p);
    match p {
        Pat::Node(n) => {
            for (i, a) in n.args.iter().enumerate() {
                for (op, changed) in variants(a, local) {
                    let mut node = n.clone();
                    node.args[i] = changed;
                    out.push((op, Pat::Node(node)));
                }
            }
        }
        Pat::Each(e) => {
            out.extend(variants(e, local).into_iter().map(|(op, changed)| (op, Pat::Each(Box::new(changed)))));
        }
        Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) => {}
    }
    out
}

/// Faults of the left side: functions, folds and numbers, so that the rule matches what it is not true of.
fn left(p: &Pat) -> Vec<(Operator, Pat)> {
    match p {
        Pat::Number(x) => other_numbers(*x),
        Pat::Node(n) => other_heads(n),
        Pat::Var(_) | Pat::Each(_) | Pat::Computed(_) => Vec::new(),
    }
}

/// Faults of the right side.
fn right(p: &Pat, vars: &[Var]) -> Vec<(Operator, Pat)> {
    match p {
        Pat::Number(x) => other_numbers(*x),
        Pat::Var(v) => {
            let others = same_sort(*v, vars).into_iter();
            others.map(|w| (Operator::OtherVariable, Pat::Var(w))).collect()
        }
        Pat::Computed(a) => attributes(a, vars).into_iter().map(|(op, a)| (op, Pat::Computed(a))).collect(),
        Pat::Each(_) => Vec::new(),
        Pat::Node(n) => {
            let mut out = other_heads(n);
            out.extend(exchanged(n));
            for (i, a) in n.attrs.iter().enumerate() {
                for (op, changed) in attributes(a, vars) {
                    let mut node = n.clone();
                    node.attrs[i] = changed;
                    out.push((op, Pat::Node(node)));
                }
            }
            let first = match &n.head {
                HeadPat::Cast | HeadPat::AnyReduce(_) => true,
                HeadPat::Is(Head::Map(f)) => f.arity() == 1,
                HeadPat::Is(
                    Head::Permute | Head::Reshape | Head::Broadcast | Head::Slice | Head::Pad | Head::Reduce(_),
                ) => true,
                HeadPat::AnyMap(_) | HeadPat::Is(_) => false,
            };
            if let (true, Some(inner)) = (first, n.args.first().filter(|a| !matches!(a, Pat::Each(_)))) {
                out.push((Operator::DroppedNode, inner.clone()));
            }
            out
        }
    }
}

fn other_numbers(x: f64) -> Vec<(Operator, Pat)> {
    let others = if x == 0.0 { vec![1.0, -x] } else { vec![x + 1.0, -x, x / 2.0] };
    others.into_iter().map(|x| (Operator::OtherNumber, Pat::Number(x))).collect()
}

/// The node with its operands in another order, where that matters.
fn exchanged(n: &NodePat) -> Vec<(Operator, Pat)> {
    let (fixed, _) = n.split();
    let pair = match &n.head {
        HeadPat::Is(Head::Map(Scalar::Select)) => (1, 2),
        HeadPat::Is(Head::Map(f)) if f.has(Law::Commutative) => return Vec::new(),
        HeadPat::Is(Head::LayerNorm) => (1, 2),
        HeadPat::Is(Head::Map(_) | Head::Contract | Head::Concat) | HeadPat::AnyMap(_) => (0, 1),
        HeadPat::Is(_) | HeadPat::Cast | HeadPat::AnyReduce(_) => return Vec::new(),
    };
    if pair.1 >= fixed.len() || fixed[pair.0] == fixed[pair.1] {
        return Vec::new();
    }
    let mut node = n.clone();
    node.args.swap(pair.0, pair.1);
    vec![(Operator::SwappedOperands, Pat::Node(Box::new(node)))]
}

/// The node with another function or fold.
fn other_heads(n: &NodePat) -> Vec<(Operator, Pat)> {
    let with = |operator, head: Head| {
        let node = NodePat { head: HeadPat::Is(head), ..n.clone() };
        (operator, Pat::Node(Box::new(node)))
    };
    match &n.head {
        HeadPat::Is(Head::Map(f)) => {
            other_functions(*f).iter().map(|g| with(Operator::OtherFunction, Head::Map(*g))).collect()
        }
        HeadPat::Is(Head::Reduce(m)) => {
            other_folds(*m).iter().map(|m| with(Operator::OtherFold, Head::Reduce(*m))).collect()
        }
        HeadPat::AnyReduce(_) => vec![with(Operator::OtherFold, Head::Reduce(Monoid::Sum))],
        HeadPat::Is(_) | HeadPat::AnyMap(_) | HeadPat::Cast => Vec::new(),
    }
}

/// Functions that a row may be taken for: the neighbours of the same arity.
fn other_functions(f: Scalar) -> &'static [Scalar] {
    match f {
        Scalar::Add => &[Scalar::Sub, Scalar::Max],
        Scalar::Sub => &[Scalar::Add],
        Scalar::Mul => &[Scalar::Div, Scalar::Add],
        Scalar::Div => &[Scalar::Mul],
        Scalar::RemFloor => &[Scalar::RemTrunc],
        Scalar::RemTrunc => &[Scalar::RemFloor],
        Scalar::Min => &[Scalar::Max],
        Scalar::Max => &[Scalar::Min],
        Scalar::Pow => &[Scalar::Mul],
        Scalar::Neg => &[Scalar::Abs],
        Scalar::Abs => &[Scalar::Neg],
        Scalar::Sqrt => &[Scalar::Abs],
        Scalar::Exp => &[Scalar::Tanh, Scalar::Neg],
        Scalar::Log => &[Scalar::Log1p],
        Scalar::Log1p => &[Scalar::Log],
        Scalar::Sin => &[Scalar::Cos],
        Scalar::Cos => &[Scalar::Sin],
        Scalar::Tan => &[Scalar::Atan],
        Scalar::Asin => &[Scalar::Acos],
        Scalar::Acos => &[Scalar::Asin],
        Scalar::Atan => &[Scalar::Tan],
        Scalar::Sinh => &[Scalar::Cosh],
        Scalar::Cosh => &[Scalar::Sinh],
        Scalar::Tanh => &[Scalar::Sigmoid],
        Scalar::Asinh => &[Scalar::Acosh],
        Scalar::Acosh => &[Scalar::Asinh],
        Scalar::Atanh => &[Scalar::Tanh],
        Scalar::Erf => &[Scalar::Tanh],
        Scalar::Sigmoid => &[Scalar::Tanh],
        Scalar::Floor => &[Scalar::Ceil],
        Scalar::Ceil => &[Scalar::Floor],
        Scalar::Round => &[Scalar::Floor],
        Scalar::Sign => &[Scalar::Abs],
        Scalar::IsNan => &[Scalar::IsInf(egret_ir::op::scalar::InfSign::Both)],
        Scalar::IsInf(_) => &[Scalar::IsNan],
        Scalar::Eq => &[Scalar::Le],
        Scalar::Lt => &[Scalar::Le],
        Scalar::Le => &[Scalar::Lt],
        Scalar::And => &[Scalar::Or],
        Scalar::Or => &[Scalar::And, Scalar::Xor],
        Scalar::Xor => &[Scalar::Or],
        Scalar::Shl => &[Scalar::Shr],
        Scalar::Shr => &[Scalar::Shl],
        Scalar::Not | Scalar::Select | Scalar::Cast(_) | Scalar::BitCast(_) => &[],
    }
}

fn other_folds(m: Monoid) -> &'static [Monoid] {
    match m {
        Monoid::Sum => &[Monoid::Max, Monoid::Prod],
        Monoid::Prod => &[Monoid::Sum],
        Monoid::Max => &[Monoid::Min, Monoid::Sum],
        Monoid::Min => &[Monoid::Max],
        Monoid::And => &[Monoid::Or],
        Monoid::Or => &[Monoid::And],
        Monoid::ArgMaxFirst => &[Monoid::ArgMaxLast, Monoid::ArgMinFirst],
        Monoid::ArgMaxLast => &[Monoid::ArgMaxFirst],
        Monoid::ArgMinFirst => &[Monoid::ArgMinLast, Monoid::ArgMaxFirst],
        Monoid::ArgMinLast => &[Monoid::ArgMinFirst],
    }
}

/// Other variables of a variable's sort.
fn same_sort(v: VarId, vars: &[Var]) -> Vec<VarId> {
    let var = &vars[v.index()];
    let ids = (0..vars.len() as u16).map(VarId);
    ids.filter(|w| *w != v && vars[w.index()].sort == var.sort && vars[w.index()].list == var.list).collect()
}

/// Faults of an attribute of the right side.
fn attributes(a: &AttrPat, vars: &[Var]) -> Vec<(Operator, AttrPat)> {
    let mut out = Vec::new();
    match a {
        AttrPat::Var(v) => {
            out.extend(same_sort(*v, vars).into_iter().map(|w| (Operator::OtherVariable, AttrPat::Var(w))));
        }
        AttrPat::Value(_) => {}
        AttrPat::Call(f, args) => {
            for other in ATTR_FNS.iter().filter(|other| other.name != f.name) {
                if other.result == f.result && other.args == f.args {
                    out.push((Operator::OtherAttribute, AttrPat::Call(other, args.clone())));
                }
            }
            for args in other_terms(args, vars) {
                out.push((Operator::OtherAttribute, AttrPat::Call(f, args)));
            }
            for t in args {
                if let Term::Var(v) = t
                    && vars[v.index()].sort == f.result
                    && f.result != Sort::Splat
                {
                    out.push((Operator::OtherAttribute, AttrPat::Var(*v)));
                }
            }
        }
    }
    let inner = match a {
        AttrPat::Var(v) => Term::Var(*v),
        AttrPat::Value(a) => Term::Attr(a.clone()),
        AttrPat::Call(f, args) => Term::Call(f, args.clone()),
    };
    for (fault, op) in FAULTS.iter().zip([Operator::OffByOne, Operator::Turned]) {
        out.push((op, AttrPat::Call(fault, vec![inner.clone()])));
    }
    out
}

/// Arguments with one replaced: another variable of the sort, another number, or two of one sort exchanged.
fn other_terms(args: &[Term], vars: &[Var]) -> Vec<Vec<Term>> {
    let mut out: Vec<Vec<Term>> = Vec::new();
    let replaced = |i: usize, t: Term| {
        let mut args = args.to_vec();
        args[i] = t;
        args
    };
    for (i, t) in args.iter().enumerate() {
        match t {
            Term::Var(v) => {
                out.extend(same_sort(*v, vars).into_iter().map(|w| replaced(i, Term::Var(w))));
                for (j, other) in args.iter().enumerate().skip(i + 1) {
                    if let Term::Var(w) = other
                        && w != v
                        && vars[w.index()].sort == vars[v.index()].sort
                    {
                        let mut args = args.to_vec();
                        args.swap(i, j);
                        out.push(args);
                    }
                }
            }
            Term::Number(n) => out.push(replaced(i, Term::Number(if *n == 0 { 1 } else { n - 1 }))),
            Term::Call(f, inner) => {
                out.extend(other_terms(inner, vars).into_iter().map(|inner| replaced(i, Term::Call(f, inner))));
            }
            Term::Word(_) => {}
            Term::Attr(Attr::Axis(a)) => out.push(replaced(i, Term::Attr(Attr::Axis(a ^ 1)))),
            Term::Attr(_) => {}
        }
    }
    out
}
