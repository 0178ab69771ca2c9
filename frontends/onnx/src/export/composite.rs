//! Elementwise composites as one node again: the lowering of each elementwise operator of the model (with its attributes)
//! is a pattern, and every class that matches it can be that operator. So a HardSwish survives a transpose that moved
//! across it, without a template of its own.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::choice::ClassId;
use egret_ir::op::scalar::Law;
use egret_ir::op::{Const, Op};
use egret_ir::{DType, Dim, Graph, Literal, Origins, Symbol, Type, ValueId};

use super::Attribute;
use super::build::{Build, slots};
use crate::Imported;
use crate::inline::canonical_domain;
use crate::lower::Lower;
use crate::node;
use crate::ops;
use crate::proto::NodeProto;
use crate::proto::attribute_proto::AttributeType;
use crate::schema;

/// An operator of one operand and what it computes.
struct Pattern {
    op: &'static str,
    attributes: Vec<(&'static str, Attribute)>,
    body: Graph,
    result: ValueId,
    literals: BTreeMap<ValueId, Literal>,
}

/// Adds the composites of the model's operators wherever they match.
pub fn composites(b: &mut Build<'_>, imported: &Imported) {
    let mut seen = BTreeSet::new();
    for site in &imported.sites {
        if !canonical_domain(site.node.domain()).is_empty() || site.inputs.len() != 1 || site.node.output.len() != 1 {
            continue;
        }
        let Some(dtype) = site.inputs[0].and_then(|v| imported.graph.ty(v).as_tensor()).map(|t| t.dtype) else {
            continue;
        };
        let key = format!("{} {dtype} {:?}", site.node.op_type(), site.node.attribute);
        if !seen.insert(key) {
            continue;
        }
        let Some(pattern) = pattern(&site.node, dtype, b.opset) else { continue };
        for i in 0..b.classes.classes.len() {
            let c = ClassId(i as u32);
            if let Some(x) = matches(b, &pattern, c, dtype) {
                b.node(&[c], pattern.op, pattern.attributes.clone(), slots(&[x]));
            }
        }
    }
}

/// The pattern of a node, where its operator is elementwise and more than one row.
fn pattern(node: &NodeProto, dtype: DType, opset: i64) -> Option<Pattern> {
    let schema = schema::lookup(node.op_type(), opset)?;
    let row = ops::find("", node.op_type(), opset)?;
    let mut body = Graph::new("");
    let shape = vec![Dim::symbol(Symbol::new("n"))];
    let ty = Type::tensor(dtype, shape);
    let x = body.input("x", ty.clone());
    let mut lower = Lower {
        graph: &mut body,
        known: &mut BTreeMap::new(),
        bounds: &mut BTreeMap::new(),
        witnesses: &mut BTreeMap::new(),
        node,
        opset,
        inputs: &[Some(x)],
        origins: Origins::none(),
    };
    let result = *(row.lower)(&mut lower).ok()?.first()?;
    if *body.ty(result) != ty {
        return None;
    }
    body.output("y", result);
    let (mut maps, mut literals) = (0, BTreeMap::new());
    let live = body.live();
    for v in body.values().filter(|v| live[v.index()]) {
        let n = body.node(v);
        match &n.op {
            Op::Input(0) => {}
            Op::Const(Const::Scalar(l)) => drop(literals.insert(v, *l)),
            Op::Broadcast(_) | Op::Reshape(_) => {
                let l = *literals.get(&n.args[0])?;
                literals.insert(v, l);
            }
            Op::Map(_) => maps += 1,
            _ => return None,
        }
    }
    let attributes = node.attribute.iter().map(|a| attribute(a, schema)).collect::<Option<_>>()?;
    (maps > 1).then_some(Pattern { op: schema.name, attributes, body, result, literals })
}

fn attribute(a: &crate::proto::AttributeProto, schema: &schema::Schema) -> Option<(&'static str, Attribute)> {
    let name = schema.attributes.iter().find(|s| s.name == a.name())?.name;
    let value = match node::kind(a) {
        AttributeType::Int => Attribute::Int(a.i()),
        AttributeType::Float => Attribute::Float(a.f()),
        AttributeType::Ints => Attribute::Ints(a.ints.clone()),
        AttributeType::String => Attribute::Text(String::from_utf8(a.s.clone()?).ok()?),
        _ => return None,
    };
    Some((name, value))
}

/// The operand for which the pattern gives the class.
fn matches(b: &Build<'_>, p: &Pattern, c: ClassId, dtype: DType) -> Option<ClassId> {
    if b.dtype(c) != Some(dtype) {
        return None;
    }
    let mut x = None;
    matched(b, p, p.result, c, &mut x).then_some(x).flatten()
}

/// Whether the class can be the pattern's value, binding the operand.
fn matched(b: &Build<'_>, p: &Pattern, v: ValueId, c: ClassId, x: &mut Option<ClassId>) -> bool {
    if let Some(l) = p.literals.get(&v) {
        return b.splat(c) == Some(*l);
    }
    let node = p.body.node(v);
    let Op::Map(s) = node.op else {
        return *x.get_or_insert(c) == c;
    };
    let ways = b.ways(c, |op, args| match op {
        Op::Map(own) if *own == s => Some(args.to_vec()),
        _ => None,
    });
    for args in ways {
        let orders: &[&[usize]] = if s.has(Law::Commutative) { &[&[0, 1], &[1, 0]] } else { &[&[0, 1, 2]] };
        for order in orders {
            let before = *x;
            let all = node.args.iter().enumerate().all(|(i, a)| matched(b, p, *a, args[order[i]], x));
            if all {
                return true;
            }
            *x = before;
        }
    }
    false
}
