//! Conditions: the predicates a rule may ask of what it matched. One row each, each with its own test. A condition that
//! cannot be proved is false.

mod rows;
mod shapes;

use std::collections::BTreeMap;

use egret_ir::defs::default_acc;
use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::{Law, Scalar};
use egret_ir::op::{Const, Monoid, Op};
use egret_ir::{DType, Literal};

use super::Condition;
use super::attr_fns::specs::{folded_axes, folded_count};
use super::attr_fns::{
    AXIS, ArgSort, DIMS, DTYPE, ELEMENT, FUNCTION, INSERT, MONOID, NUMBER, OPERAND, OPERANDS, PADS, PERM, SLICES, SPEC,
    function_of, perm_of, products,
};
use super::bound::{Bindings, Bound, Facts};
use crate::engine::egraph::{EGraph, Elements, small_value};
use crate::engine::plan::does_nothing;
pub(crate) use rows::{is_scale, range};

/// A row of the table.
pub struct ConditionDef {
    /// Its name in rules.
    pub name: &'static str,
    /// Arguments it takes.
    pub args: &'static [ArgSort],
    /// The predicate; None (unknown) counts as false, negated or not.
    pub test: fn(Facts<'_>, &[Bound]) -> Option<bool>,
}

const fn row(
    name: &'static str,
    args: &'static [ArgSort],
    test: fn(Facts<'_>, &[Bound]) -> Option<bool>,
) -> ConditionDef {
    ConditionDef { name, args, test }
}

/// Every condition.
pub static CONDITIONS: &[ConditionDef] = &[
    // Operands.
    row("const", &[OPERAND], |f, a| Some(f.data(a.first()?)?.constant)),
    row("float", &[OPERAND], |f, a| Some(f.tensor(a.first()?)?.dtype.is_float())),
    row("bool", &[OPERAND], |f, a| Some(f.tensor(a.first()?)?.dtype == DType::Bool)),
    row("finite", &[OPERAND], |f, a| all_elements(f, a, Elements::Finite)),
    row("divisor", &[OPERAND], |f, a| all_elements(f, a, Elements::Divisors)),
    row("scales", &[OPERAND], |f, a| all_elements(f, a, Elements::Scales)),
    row("light", &[OPERAND], light),
    row("unsigned", &[OPERAND], rows::unsigned),
    row("byte_sized", &[OPERAND], rows::byte_sized),
    row("absorbs_scale", &[OPERAND], rows::absorbs_scale),
    row("elements", &[OPERAND, NUMBER], shapes::elements),
    row("plain_sum", &[OPERAND], |f, a| has_no_constant(f, a, Scalar::Add)),
    row("plain_product", &[OPERAND], |f, a| has_no_constant(f, a, Scalar::Mul)),
    row("one_moves", &[OPERANDS], one_moves),
    row("has_dims", &[OPERAND, DIMS], has_dims),
    row("has_dtype", &[OPERAND, DTYPE], has_dtype),
    row("wraps_like", &[OPERAND, DTYPE], |f, a| Some(f.tensor(a.first()?)?.dtype.is_float() || has_dtype(f, a)?)),
    // Attributes that do nothing.
    row("identity", &[PERM], |_, a| Some(perm_of(a.first()?)?.is_identity())),
    row("moves_ones", &[PERM, OPERAND], moves_ones),
    row("whole", &[SLICES, OPERAND], whole),
    row("inserts_nothing", &[INSERT], inserts_nothing),
    row("pads_nothing", &[PADS], pads_nothing),
    // What a slice or a reshape leaves as it is.
    row("whole_axis", &[SLICES, AXIS, OPERAND], shapes::whole_axis),
    row("whole_last", &[SLICES, AXIS, OPERAND], shapes::whole_last),
    row("same_last", &[DIMS, AXIS, OPERAND], shapes::same_last),
    row("nothing_along", &[OPERAND, AXIS], shapes::nothing_along),
    row("all_extend", &[OPERANDS, AXIS], shapes::all_extend),
    row("spares", &[SPEC, NUMBER, SLICES, OPERAND], products::spares),
    // Functions and elements.
    row("at_least", &[FUNCTION, ELEMENT], rows::at_least),
    row("at_most", &[FUNCTION, ELEMENT], rows::at_most),
    row("rounding", &[FUNCTION], rows::rounding),
    row("compares", &[FUNCTION], rows::compares),
    row("narrows", &[FUNCTION, DTYPE, DTYPE], rows::narrows),
    row("keeps_order", &[DTYPE, OPERAND], rows::keeps_order),
    row("holds_all", &[DTYPE, OPERAND], rows::holds_all),
    row("power_of_two", &[ELEMENT], rows::power_of_two),
    row("slope", &[ELEMENT], rows::slope),
    row("positive", &[ELEMENT], rows::positive),
    row("number", &[ELEMENT], rows::number),
    row("limits", &[ELEMENT, ELEMENT, DTYPE], rows::limits),
    row("law", &[FUNCTION, ArgSort::Word], law),
    row("associative", &[FUNCTION, OPERAND], associative),
    row("cast_through", &[DTYPE, DTYPE, OPERAND], cast_through),
    row("le", &[ELEMENT, ELEMENT], |_, a| Some(element(a, 0)?.to_f64() <= element(a, 1)?.to_f64())),
    row("element_finite", &[ELEMENT], |_, a| Some(element(a, 0)?.to_f64().is_finite())),
    // Folds and specs.
    row("position", &[MONOID], |_, a| Some(monoid(a)?.is_arg())),
    row("extremum", &[MONOID], rows::extremum),
    row("repeats_alike", &[MONOID, SPEC, INSERT], shapes::repeats_alike),
    row("inserts_axis", &[INSERT, AXIS], shapes::inserts_axis),
    row("folds_axis", &[SPEC, AXIS], shapes::folds_axis),
    row("covers", &[SPEC, OPERAND], shapes::covers),
    row("sums_bytes", &[SPEC, OPERAND, OPERAND], shapes::sums_bytes),
    row("fewer_products", &[SPEC, SPEC, OPERAND, OPERAND, OPERAND], products::fewer_products),
    row("neutral", &[MONOID, ELEMENT], neutral),
    row("folds_ones", &[SPEC, OPERAND], folds_ones),
    row("windowed", &[SPEC], |_, a| Some(super::attr_fns::specs::spec_of(a.first()?)?.has_windows())),
    row("counts", &[ELEMENT, SPEC, OPERAND], counts),
    row("puts_back", &[INSERT, SPEC, OPERAND], puts_back),
    row("leads", &[INSERT, SPEC], leads),
    row("adds_ones", &[DIMS, OPERAND], |f, a| super::attr_fns::shapes::ones(f, a).map(|_| true)),
    row("inserts_ones", &[INSERT], |_, a| match a {
        [Bound::Attr(Attr::Insert(new))] => Some(!new.is_empty() && new.iter().all(|(_, d)| d.as_const() == Some(1))),
        _ => None,
    }),
    row("usual_acc", &[DTYPE, OPERAND], |f, a| Some(dtype(a, 0)? == default_acc(f.tensor(a.get(1)?)?.dtype))),
    row("wide_acc", &[DTYPE, DTYPE], |_, a| Some(dtype(a, 0)? == default_acc(dtype(a, 1)?))),
    row("same_acc", &[DTYPE, DTYPE], |_, a| Some(dtype(a, 0)? == dtype(a, 1)?)),
];

/// Whether a condition holds under the bindings.
pub fn holds(c: &Condition, facts: Facts<'_>, bindings: &Bindings) -> bool {
    let args = c.args.iter().map(|t| facts.term(t, bindings)).collect::<Option<Vec<_>>>();
    let answer = args.and_then(|args| (c.def.test)(facts, &args));
    answer.is_some_and(|yes| yes != c.negated)
}

fn dtype(args: &[Bound], i: usize) -> Option<DType> {
    match args.get(i)? {
        Bound::Attr(Attr::DType(d)) => Some(*d),
        _ => None,
    }
}

fn element(args: &[Bound], i: usize) -> Option<Literal> {
    match args.get(i)? {
        Bound::Element(l) | Bound::Attr(Attr::Literal(l)) => Some(*l),
        _ => None,
    }
}

fn monoid(args: &[Bound]) -> Option<Monoid> {
    match args.first()? {
        Bound::Monoid(m) => Some(*m),
        _ => None,
    }
}

/// Dense constants are looked through for divisors up to this size.
const LOOKED_THROUGH: usize = 1 << 16;

/// Whether every element of a constant is as wanted; None where the elements are not at hand.
fn all_elements(facts: Facts<'_>, args: &[Bound], wanted: Elements) -> Option<bool> {
    let Bound::Operand(id) = args.first()? else { return None };
    elements(facts.egraph, facts.egraph.find(*id), wanted, &mut BTreeMap::new())
}

/// The answer of a class. Each class is asked once per question (`asked`), cycles are unknown.
fn elements(
    egraph: &EGraph,
    id: egg::Id,
    wanted: Elements,
    asked: &mut BTreeMap<egg::Id, Option<bool>>,
) -> Option<bool> {
    let class = &egraph[id];
    if !class.data.constant {
        return None;
    }
    if let Some(l) = class.data.splat {
        return Some(wanted.holds(l));
    }
    let id = egraph.find(id);
    if let Some(known) = asked.get(&id) {
        return *known;
    }
    asked.insert(id, None);
    let answer = answer(egraph, id, wanted, asked);
    asked.insert(id, answer);
    answer
}

fn answer(egraph: &EGraph, id: egg::Id, wanted: Elements, asked: &mut BTreeMap<egg::Id, Option<bool>>) -> Option<bool> {
    let all = |t: &egret_ir::Tensor| (0..t.len()).all(|i| wanted.holds(t.get(i)));
    let moved = egraph[id].nodes.iter().find_map(|n| match egraph.analysis.op(n.op) {
        Op::Const(Const::Scalar(l)) => Some(wanted.holds(*l)),
        Op::Const(Const::Dense(c)) => {
            let small = egraph.analysis.tables.tensor(*c).len() <= LOOKED_THROUGH;
            (small || wanted == Elements::Finite).then(|| egraph.analysis.dense(*c, wanted))
        }
        Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) => elements(egraph, n.args[0], wanted, asked),
        // A part of a good value is good; a bad one may lose its bad elements.
        Op::Slice(_) => elements(egraph, n.args[0], wanted, asked).filter(|good| *good),
        Op::Concat(_) => {
            let parts: Option<Vec<bool>> = n.args.iter().map(|a| elements(egraph, *a, wanted, asked)).collect();
            parts.map(|p| p.into_iter().all(|good| good))
        }
        // The negative of a scale is none.
        Op::Map(Scalar::Neg) if wanted != Elements::Scales => elements(egraph, n.args[0], wanted, asked),
        Op::Input(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Pad(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Map(_)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Call(_)
        | Op::Opaque(_)
        | Op::Proj(_) => None,
    });
    // Elements of small computed constants are computed.
    moved.or_else(|| small_value(egraph, id).map(|t| all(&t)))
}

/// Constant, or a broadcast: moving it costs little.
fn light(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let Bound::Operand(id) = args.first()? else { return None };
    Some(is_light(facts.egraph, *id))
}

fn is_light(egraph: &EGraph, id: egg::Id) -> bool {
    let class = &egraph[id];
    class.data.constant || class.nodes.iter().any(|n| matches!(egraph.analysis.op(n.op), Op::Broadcast(_)))
}

/// No way of the operand combines a constant by that row: what is taken out of it is all there is.
fn has_no_constant(facts: Facts<'_>, args: &[Bound], row: Scalar) -> Option<bool> {
    let Bound::Operand(id) = args.first()? else { return None };
    let constant = |id: &egg::Id| facts.egraph[*id].data.constant;
    Some(
        !facts.egraph[*id]
            .nodes
            .iter()
            .any(|n| *facts.egraph.analysis.op(n.op) == Op::Map(row) && n.args.iter().any(constant)),
    )
}

/// At most one of the operands is heavier than that.
fn one_moves(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let Bound::List(list) = args.first()? else { return None };
    let heavy = list.iter().filter(|b| matches!(b, Bound::Operand(id) if !is_light(facts.egraph, *id))).count();
    Some(heavy <= 1)
}

fn has_dims(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [x, Bound::Attr(Attr::Dims(s))] = args else { return None };
    Some(facts.tensor(x)?.shape == *s)
}

fn has_dtype(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [x, Bound::Attr(Attr::DType(d))] = args else { return None };
    Some(facts.tensor(x)?.dtype == *d)
}

/// Only extent-1 axes change their order.
fn moves_ones(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [p, x] = args else { return None };
    let (p, shape) = (perm_of(p)?, &facts.tensor(x)?.shape);
    let wide: Vec<usize> = p.axes().filter(|a| shape.get(*a).is_some_and(|d| d.as_const() != Some(1))).collect();
    Some(p.rank() == shape.len() && wide.is_sorted())
}

fn whole(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Slices(s)), x] = args else { return None };
    Some(does_nothing(&Op::Slice(s.clone()), facts.tensor(x)?))
}

fn inserts_nothing(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Insert(new))] = args else { return None };
    Some(new.is_empty())
}

fn pads_nothing(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Pads(p))] = args else { return None };
    Some(p.iter().all(|a| a.lo.as_const() == Some(0) && a.hi.as_const() == Some(0) && a.inner == 0))
}

fn law(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [f, Bound::Word(word)] = args else { return None };
    let f = function_of(f)?;
    let law = match word.as_str() {
        "commutative" => Law::Commutative,
        "idempotent" => Law::Idempotent,
        "projection" => Law::Projection,
        "involution" => Law::Involution,
        "odd" => Law::Odd,
        "monotone" => Law::Monotone,
        _ => return None,
    };
    Some(f.has(law))
}

fn associative(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [f, x] = args else { return None };
    Some(function_of(f)?.is_associative_on(facts.tensor(x)?.dtype))
}

/// Whether every value of `from` is a value of `to`.
pub(crate) fn contains(to: DType, from: DType) -> bool {
    use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    if to == from || from == Bool {
        return true;
    }
    match to {
        F64 => matches!(from, F16 | BF16 | F32 | I8 | I16 | I32 | U8 | U16 | U32),
        F32 => matches!(from, F16 | BF16 | I8 | I16 | U8 | U16),
        F16 | BF16 => matches!(from, I8 | U8) && to == F16 || matches!((to, from), (BF16, I8 | U8)),
        I64 => matches!(from, I8 | I16 | I32 | U8 | U16 | U32),
        I32 => matches!(from, I8 | I16 | U8 | U16),
        I16 => matches!(from, I8 | U8),
        U64 => matches!(from, U8 | U16 | U32),
        U32 => matches!(from, U8 | U16),
        U16 => from == U8,
        I8 | U8 | Bool => false,
    }
}

/// cast to t of cast to u of x is cast to t of x: x fits into u, and the second cast is the same function of the value
/// from both types (out of range, float → int and int → int differ).
fn cast_through(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::DType(t)), Bound::Attr(Attr::DType(u)), x] = args else { return None };
    let from = facts.tensor(x)?.dtype;
    let same_function = t.is_float() || *t == DType::Bool || u.is_float() == from.is_float() || contains(*t, from);
    Some(contains(*u, from) && same_function)
}

fn neutral(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [_, Bound::Element(l)] = args else { return None };
    let d = l.dtype();
    let is = |x: f64| *l == Literal::from_f64(d, x);
    Some(match monoid(args)? {
        Monoid::Sum => l.to_f64() == 0.0 && d != DType::Bool,
        Monoid::Prod => is(1.0),
        Monoid::Max | Monoid::Or => is(f64::NEG_INFINITY),
        Monoid::Min | Monoid::And => is(f64::INFINITY),
        Monoid::ArgMaxFirst | Monoid::ArgMaxLast | Monoid::ArgMinFirst | Monoid::ArgMinLast => false,
    })
}

fn folds_ones(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [s, x] = args else { return None };
    let s = super::attr_fns::specs::spec_of(s)?;
    Some(folded_axes(s).is_some() && folded_count(s, &facts.tensor(x)?.shape)? == 1)
}

/// The element is the number of elements that each fold of the spec takes.
fn counts(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Element(n), s, x] = args else { return None };
    let folded = folded_count(super::attr_fns::specs::spec_of(s)?, &facts.tensor(x)?.shape)?;
    Some(n.to_f64() == folded as f64)
}

/// The broadcast restores just the axes that the fold took away, in their places.
fn puts_back(facts: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Insert(new)), s, x] = args else { return None };
    let folded = folded_axes(super::attr_fns::specs::spec_of(s)?)?;
    let shape = &facts.tensor(x)?.shape;
    let wanted: Vec<_> = folded.iter().map(|a| (*a as u8, shape[*a].clone())).collect();
    Some(new.as_ref() == wanted)
}

/// The broadcast inserts just the axes that the fold keeps (all before the folded ones).
fn leads(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Insert(new)), s] = args else { return None };
    let s = super::attr_fns::specs::spec_of(s)?;
    let rank = s.ins().first()?.len();
    let kept = rank - folded_axes(s)?.len();
    Some(new.len() == kept && new.iter().enumerate().all(|(i, (at, _))| usize::from(*at) == i))
}

#[cfg(test)]
mod tests;
