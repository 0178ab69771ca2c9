//! The union log as a [`Derivation`]: every step written out with its concrete terms, every congruence, in the order in
//! which they happened.

use egg::Id;
use egret_ir::derivation::{Derivation, Kind, Reason, Step as Instance};
use egret_ir::graph::Args;
use egret_ir::infer::TypeError;
use egret_ir::op::{Const, ConstId, Op};
use egret_ir::text::attr_text;
use egret_ir::{Origins, Tensor, ValueId};

use super::apply::{RuleRef, Step};
use super::derive::Log;
use super::egraph::Why;
use super::matcher::Choice;
use super::passes::{Pass, Term};
use super::plan::Ref;
use crate::lang::bound::Bound;
use crate::lang::{NodePat, Pat, Rule, RuleSet};

/// Where the log of a graph stands in a derivation that may be of a larger one.
pub struct Place<'a> {
    /// Terms of the graph's inputs.
    pub inputs: &'a [ValueId],
    /// The constant that stands for one of the graph's, where it is another one.
    pub constant: &'a dyn Fn(ConstId) -> Option<Tensor>,
    /// Origins there of what has these in the graph.
    pub origins: &'a dyn Fn(&Origins) -> Origins,
    /// Which time round of the optimizer it is, from 1.
    pub round: u32,
}

/// What a rule is, as plain data.
pub fn reason(rule: &Rule) -> Reason {
    Reason {
        kind: Kind::Rule,
        name: rule.name.to_string(),
        text: rule.text.to_string(),
        place: rule.place.to_string(),
        numeric: rule.numeric,
        cite: rule.cite.to_string(),
    }
}

/// What a pass is, as plain data.
pub fn pass_reason(pass: &Pass) -> Reason {
    Reason {
        kind: Kind::Pass,
        name: pass.name.to_owned(),
        text: pass.text.to_owned(),
        place: "native pass".to_owned(),
        numeric: pass.numeric,
        cite: pass.cite.to_owned(),
    }
}

impl Log {
    /// Adds everything that the log says is equal. Gives the term of every e-node, as it was born.
    ///
    /// # Errors
    /// An e-node has no type where it is put.
    pub fn evidence(&self, rules: &RuleSet, d: &mut Derivation, at: &Place<'_>) -> Result<Vec<ValueId>, TypeError> {
        let tables = &self.values().tables;
        d.terms.know(tables);
        let mut born: Vec<ValueId> = Vec::with_capacity(self.ids());
        for id in (0..self.ids()).map(Id::from) {
            let term = match self.op(id) {
                Op::Input(i) => match at.inputs.get(*i as usize) {
                    Some(v) => *v,
                    None => return Err(TypeError::Dangling { kind: "input", index: *i }),
                },
                op => {
                    let op = match op {
                        Op::Const(Const::Dense(c)) => match (at.constant)(*c) {
                            Some(t) => d.terms.dense(&t),
                            None => d.terms.import(op, tables),
                        },
                        op => d.terms.import(op, tables),
                    };
                    let args: Args = self.args(id).iter().map(|a| born[usize::from(*a)]).collect();
                    d.terms.add(op, args, &(at.origins)(&self.origins(id)))?
                }
            };
            born.push(term);
        }
        let mut writer = Writer { log: self, at, d, born: &born, leaves: Vec::new(), inner: Vec::new() };
        for edge in self.edges() {
            match edge.why {
                Why::Congruence => writer.d.congruence(born[usize::from(edge.a)], born[usize::from(edge.b)]),
                Why::Rule(s) => {
                    let step = &self.steps()[s as usize];
                    match step.rule {
                        RuleRef::Text(r) => writer.step(&rules.rules[r], step, at.round)?,
                        RuleRef::Pass(p) => writer.pass(rules.passes[p], step, at.round)?,
                    }
                }
            }
        }
        Ok(born)
    }
}

/// Writes steps out as terms.
struct Writer<'a> {
    log: &'a Log,
    at: &'a Place<'a>,
    d: &'a mut Derivation,
    born: &'a [ValueId],
    /// What the step's variables stood for.
    leaves: Vec<ValueId>,
    /// Terms above them.
    inner: Vec<ValueId>,
}

impl Writer<'_> {
    fn leaf(&mut self, id: Id) -> ValueId {
        let term = self.born[usize::from(id)];
        self.leaves.push(term);
        term
    }

    /// The e-node with these operands, which are equal to its own.
    fn node(&mut self, id: Id, args: Args) -> Result<ValueId, TypeError> {
        let born = self.born[usize::from(id)];
        let op = self.d.terms.graph().node(born).op.clone();
        let term = self.d.terms.add(op, args, &(self.at.origins)(&self.log.origins(id)))?;
        self.d.congruence(term, born);
        self.inner.push(term);
        Ok(term)
    }

    fn step(&mut self, rule: &Rule, step: &Step, round: u32) -> Result<(), TypeError> {
        (self.leaves, self.inner) = (Vec::new(), Vec::new());
        let left = self.pattern(&rule.lhs, &mut step.chosen.iter())?;
        let mut items: Vec<ValueId> = Vec::with_capacity(step.parts.len());
        for (item, parts) in step.uses[step.left_uses..].iter().zip(&step.parts) {
            let mut args = Args::new();
            for p in parts {
                args.push(match p {
                    Ref::Id(id) => self.leaf(*id),
                    Ref::Item(i) => items[*i],
                });
            }
            let term = self.node(item.node, args)?;
            items.push(term);
        }
        let right = match step.root {
            Ref::Item(i) => items[i],
            Ref::Id(id) => self.leaf(id),
        };
        let bindings = bindings(rule, step);
        self.united(&reason(rule), left, right, bindings, round);
        Ok(())
    }

    fn pass(&mut self, pass: &Pass, step: &Step, round: u32) -> Result<(), TypeError> {
        (self.leaves, self.inner) = (Vec::new(), Vec::new());
        let Some(terms) = &step.terms else { return Err(missing()) };
        let left = self.term(&terms[0])?;
        let right = self.term(&terms[1])?;
        self.united(&pass_reason(pass), left, right, String::new(), round);
        Ok(())
    }

    fn term(&mut self, t: &Term) -> Result<ValueId, TypeError> {
        match t {
            Term::Leaf(id) => Ok(self.leaf(*id)),
            Term::Node(n) => {
                let args = n.args.iter().map(|a| self.term(a)).collect::<Result<Args, TypeError>>()?;
                self.node(n.id.ok_or_else(missing)?, args)
            }
        }
    }

    fn united(&mut self, reason: &Reason, left: ValueId, right: ValueId, bindings: String, round: u32) {
        // What stands above a leaf in one place may be a leaf in another: there it is written out.
        let inner = std::mem::take(&mut self.inner);
        let leaves = std::mem::take(&mut self.leaves).into_iter().filter(|l| !inner.contains(l)).collect();
        let reason = self.d.reason(reason);
        self.d.step(Instance { reason, left, right, leaves, bindings, round });
    }

    /// The left side, along the choices that the matcher made.
    fn pattern(&mut self, n: &NodePat, chosen: &mut std::slice::Iter<'_, Choice>) -> Result<ValueId, TypeError> {
        let (id, swapped) = match chosen.next() {
            Some(Choice::Node(id, swapped)) => (*id, *swapped),
            Some(Choice::Leaf(id)) => return Ok(self.leaf(*id)),
            None => return Err(missing()),
        };
        let mut args = Args::new();
        let (fixed, rest) = n.split();
        for a in fixed {
            args.push(self.operand(a, chosen)?);
        }
        if let Some(rest) = rest {
            // The number of remaining operands stands first.
            let Some(Choice::Leaf(count)) = chosen.next() else { return Err(missing()) };
            for _ in 0..usize::from(*count) {
                args.push(self.operand(rest, chosen)?);
            }
        }
        if swapped {
            args.swap(0, 1);
        }
        self.node(id, args)
    }

    fn operand(&mut self, p: &Pat, chosen: &mut std::slice::Iter<'_, Choice>) -> Result<ValueId, TypeError> {
        match p {
            Pat::Node(n) => self.pattern(n, chosen),
            Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => match chosen.next() {
                Some(Choice::Leaf(id) | Choice::Node(id, _)) => Ok(self.leaf(*id)),
                None => Err(missing()),
            },
        }
    }
}

/// What the variables for attributes, functions and elements stood for; operands stand in the sides.
fn bindings(rule: &Rule, step: &Step) -> String {
    let named = rule.vars.iter().zip(&step.bindings);
    let shown = named.filter_map(|(v, b)| Some(format!("{}={}", v.name, bound(b.as_ref()?)?)));
    shown.collect::<Vec<_>>().join(" ")
}

fn bound(b: &Bound) -> Option<String> {
    Some(match b {
        Bound::Operand(_) => return None,
        Bound::Element(l) => l.to_string(),
        Bound::Attr(a) => attr_text(a),
        Bound::Function(f) => f.to_string(),
        Bound::Monoid(m) => m.name().to_owned(),
        Bound::Number(n) => n.to_string(),
        Bound::Word(w) => w.clone(),
        Bound::List(items) => {
            format!("[{}]", items.iter().map(bound).collect::<Option<Vec<_>>>()?.join(", "))
        }
    })
}

/// A step whose choices do not fit its rule: the rule set is another one than that of the run.
fn missing() -> TypeError {
    TypeError::Dangling { kind: "choice", index: 0 }
}
