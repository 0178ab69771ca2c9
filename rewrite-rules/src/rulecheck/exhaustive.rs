//! Pointwise rules on every value of the small types: a rule whose sides apply scalar functions alone is run on all 256 or
//! 2¹⁶ values, or pairs of values, of `i8`, `u8` and `bool`, and, of one operand and claimed to be exact, on all 2¹⁶ values
//! of `f16` and `bf16`. Of three operands the edges and some others are taken. Functions and types that the rule leaves
//! open are each of their table. What no operand of which has a value (a division by zero) is left out.

use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Graph, Literal, Tensor, Type};

use super::compare::{Difference, bits, difference, loose_zero};
use super::enumerate::pick::Pick;
use super::enumerate::{constants, text};
use super::instance::{Instance, Matched, instance};
use crate::lang::{AttrPat, AttrSort, HeadPat, NodePat, Numeric, Pat, Rule, Sample, Samples, Sort};

/// Types whose values are all taken.
const SMALL: [DType; 3] = [DType::I8, DType::U8, DType::Bool];

/// Values per operand of three.
const SOME: usize = 24;

/// Combinations of values that must stand in the graph (constants) at most.
const MOST_FIXED: usize = 1024;

/// What running a pointwise rule on all values gave.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    /// Tuples of operand values compared, over all functions and types.
    pub tuples: u64,
    /// Whether they are all there are in the small integer types, and the rule takes no floats.
    pub complete: bool,
    /// Values, as they would stand after `try`, and the first difference.
    pub difference: Option<(String, Difference)>,
}

/// Whether a pattern applies scalar functions to variables and numbers alone.
fn pointwise(p: &Pat) -> bool {
    match p {
        Pat::Var(_) | Pat::Number(_) => true,
        Pat::Computed(_) | Pat::Each(_) => false,
        Pat::Node(n) => node_pointwise(n),
    }
}

fn node_pointwise(n: &NodePat) -> bool {
    let head = match &n.head {
        HeadPat::Is(Head::Map(_)) | HeadPat::AnyMap(_) | HeadPat::Cast => true,
        HeadPat::Is(_) | HeadPat::AnyReduce(_) => false,
    };
    let attr = |a: &AttrPat| matches!(a, AttrPat::Var(_) | AttrPat::Value(_));
    head && n.attrs.iter().all(attr) && n.args.iter().all(pointwise)
}

/// Number of operands of the first function of any name.
fn arity(n: &NodePat) -> Option<usize> {
    if let HeadPat::AnyMap(_) = n.head {
        return Some(n.args.len());
    }
    n.args.iter().find_map(|p| match p {
        Pat::Node(n) => arity(n),
        Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => None,
    })
}

/// All values of a type of at most 16 bits.
fn all_values(dtype: DType) -> Vec<Literal> {
    if dtype == DType::Bool {
        return vec![Literal::bool(false), Literal::bool(true)];
    }
    (0..1u64 << (8 * dtype.size())).map(|b| Literal::from_bits(dtype, b)).collect()
}

/// The edges of a type and some others.
fn some_values(dtype: DType) -> Vec<Literal> {
    let all = all_values(dtype);
    let (middle, last) = (all.len() / 2, all.len() - 1);
    let mut places: Vec<usize> = (0..4).chain(middle.saturating_sub(2)..middle + 2).chain([last - 1, last]).collect();
    places.retain(|i| *i <= last);
    places.extend((places.len()..SOME).map(|i| (i * 37 + 5) % all.len()));
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|i| all[i]).collect()
}

fn tensor(values: impl Iterator<Item = Literal>, dtype: DType, n: usize) -> Option<Tensor> {
    Tensor::new(dtype, vec![n], values.take(n).flat_map(Literal::to_le_bytes).collect::<Vec<u8>>()).ok()
}

/// A variable that holds values.
struct Slot {
    /// Position in the rule.
    var: usize,
    dtype: DType,
    /// Whether its value must stand in the graph.
    fixed: bool,
    values: Vec<Literal>,
}

/// Runs a rule on all values, where it is pointwise and has one to three operands.
pub fn exhaustive(rule: &Rule) -> Exhaustive {
    let mut out = Exhaustive::default();
    let holds_values = |s: Sort| matches!(s, Sort::Operand | Sort::Splat);
    let known = |s: Sort| holds_values(s) || matches!(s, Sort::Function | Sort::Attr(AttrSort::DType));
    let count = rule.vars.iter().filter(|v| holds_values(v.sort)).count();
    let fits = rule.vars.iter().all(|v| !v.list && known(v.sort)) && node_pointwise(&rule.lhs) && pointwise(&rule.rhs);
    if !fits || !(1..=3).contains(&count) {
        return out;
    }
    let halves = count == 1 && rule.numeric == Numeric::Exact;
    let types: &[DType] = if halves {
        &[DType::I8, DType::U8, DType::Bool, DType::F16, DType::BF16, DType::F32]
    } else {
        &[DType::I8, DType::U8, DType::Bool, DType::F32]
    };
    let constant = constants(&rule.conditions, rule.vars.len());
    let functions: Vec<Scalar> =
        arity(&rule.lhs).map_or_else(Vec::new, |n| Scalar::plain().filter(|f| f.arity() == n).collect());
    let (mut floats, mut every) = (false, count < 3);
    let mut pick = Pick::each();
    loop {
        let mut open: Vec<Sample> = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        for (var, v) in rule.vars.iter().enumerate() {
            open.push(match v.sort {
                Sort::Operand | Sort::Splat => {
                    let dtype = pick.of(types).unwrap_or(DType::I8);
                    let fixed = v.sort == Sort::Splat || constant[var];
                    slots.push(Slot { var, dtype, fixed, values: Vec::new() });
                    Sample::Element(Literal::from_i64(dtype, 1))
                }
                Sort::Function => Sample::Function(pick.of(&functions).unwrap_or(Scalar::Neg)),
                Sort::Attr(_) | Sort::Monoid => Sample::Attr(Attr::DType(pick.of(&DType::ALL).unwrap_or(DType::I8))),
            });
        }
        every &= types_run(rule, open, slots, count, &mut floats, &mut out);
        if out.difference.is_some() || !pick.advance() {
            break;
        }
    }
    out.complete = every && !floats && out.tuples > 0;
    out
}

/// One choice of functions and types; whether all values of the small integer types were taken.
fn types_run(
    rule: &Rule,
    open: Vec<Sample>,
    mut slots: Vec<Slot>,
    count: usize,
    floats: &mut bool,
    out: &mut Exhaustive,
) -> bool {
    let one = |slots: &[Slot]| -> Option<Samples> {
        let ones: Vec<Literal> = slots.iter().map(|s| Literal::from_i64(s.dtype, 1)).collect();
        samples(rule, &open, slots, &ones, 1)
    };
    let Some(Instance::Matched(m)) = one(&slots).map(|s| instance(rule, &s, 0)) else { return true };
    let Ok(right) = &m.right else { return true };
    let is_float = |g: &Graph| g.nodes().iter().any(|n| n.ty.as_tensor().is_some_and(|t| t.dtype.is_float()));
    let has_floats = is_float(&m.left) || is_float(right);
    if has_floats && m.false_conditions.is_empty() {
        *floats = true;
    }
    if slots.iter().any(|s| s.dtype == DType::F32) || (has_floats && rule.numeric != Numeric::Exact) {
        return true;
    }
    let fixed = slots.iter().filter(|s| s.fixed).count();
    let all = count < 3 && fixed < 2;
    for s in &mut slots {
        s.values = if all { all_values(s.dtype) } else { some_values(s.dtype) };
    }
    let small = slots.iter().all(|s| SMALL.contains(&s.dtype));
    let mut pick = Pick::each();
    for _ in 0..MOST_FIXED {
        let chosen: Vec<Literal> = slots
            .iter()
            .map(|s| if s.fixed { pick.of(&s.values) } else { None }.unwrap_or(Literal::from_i64(s.dtype, 1)))
            .collect();
        fixed_run(rule, &open, &slots, &chosen, out);
        if out.difference.is_some() {
            return all;
        }
        if !pick.advance() {
            return all || !small;
        }
    }
    false
}

/// Values with `n` elements each; `chosen` stand in the graph where a slot is fixed.
fn samples(rule: &Rule, open: &[Sample], slots: &[Slot], chosen: &[Literal], n: usize) -> Option<Samples> {
    let mut out = open.to_vec();
    for (slot, value) in slots.iter().zip(chosen) {
        out[slot.var] = match (slot.fixed, rule.vars[slot.var].sort) {
            (true, Sort::Splat) => Sample::Element(*value),
            (true, _) => Sample::Values(tensor(std::iter::repeat(*value), slot.dtype, n)?),
            (false, _) => Sample::Input(Type::fixed(slot.dtype, &[n])),
        };
    }
    Some(out)
}

/// All values of the inputs, with the others chosen: the first input's along the tensors, the others one by one.
fn fixed_run(rule: &Rule, open: &[Sample], slots: &[Slot], chosen: &[Literal], out: &mut Exhaustive) {
    let inputs: Vec<&Slot> = slots.iter().filter(|s| !s.fixed).collect();
    let n = inputs.first().map_or(1, |s| s.values.len());
    let at = |n: usize| -> Option<(Samples, Box<Matched>)> {
        let samples = samples(rule, open, slots, chosen, n)?;
        match instance(rule, &samples, 0) {
            Instance::Matched(m) if m.false_conditions.is_empty() && m.right.is_ok() => Some((samples, m)),
            Instance::Matched(_) | Instance::IllTyped(_) | Instance::NoMatch => None,
        }
    };
    let Some((samples, m)) = at(n) else { return };
    let Ok(right) = &m.right else { return };
    let (first, others) = match inputs.split_first() {
        Some((first, others)) => (Some(*first), others),
        None => (None, &[][..]),
    };
    let mut single = None;
    let mut pick = Pick::each();
    loop {
        let rest: Vec<Literal> = others.iter().filter_map(|s| pick.of(&s.values)).collect();
        let given: Option<Vec<Tensor>> = first
            .map(|s| tensor(s.values.iter().copied(), s.dtype, n))
            .into_iter()
            .chain(rest.iter().zip(others).map(|(v, s)| tensor(std::iter::repeat(*v), s.dtype, n)))
            .collect();
        let Some(given) = given else { return };
        match run(&m.left, right, &given) {
            Ran::Equal => out.tuples += n as u64,
            Ran::Differ(d) => {
                out.difference = Some((text(rule, &samples), *d));
                return;
            }
            Ran::Undefined if n == 1 => {}
            Ran::Undefined => {
                // Some element has no value: one by one.
                let Some((samples, m)) = single.get_or_insert_with(|| at(1)) else { return };
                let Ok(right) = &m.right else { return };
                for i in 0..n {
                    let each: Option<Vec<Tensor>> =
                        given.iter().map(|t| tensor(std::iter::once(t.get(i)), t.dtype(), 1)).collect();
                    match each.map(|each| run(&m.left, right, &each)) {
                        Some(Ran::Equal) => out.tuples += 1,
                        Some(Ran::Differ(d)) => {
                            out.difference = Some((text(rule, samples), *d));
                            return;
                        }
                        Some(Ran::Undefined) | None => {}
                    }
                }
            }
        }
        if !pick.advance() {
            return;
        }
    }
}

/// What both sides give on some values.
enum Ran {
    Equal,
    /// The left side has no value.
    Undefined,
    Differ(Box<Difference>),
}

fn run(left: &Graph, right: &Graph, given: &[Tensor]) -> Ran {
    let Ok(a) = egret_ir::eval::native(left, given) else { return Ran::Undefined };
    let found = |at: usize, a: String, b: String| {
        let one: Vec<Tensor> = given.iter().filter_map(|t| tensor(std::iter::once(t.get(at)), t.dtype(), 1)).collect();
        let graphs = [left, right].map(egret_ir::text::print);
        Ran::Differ(Box::new(Difference { graphs, ..difference("declared types", &one, at, a, b, 0) }))
    };
    let b = match egret_ir::eval::native(right, given) {
        Ok(b) => b,
        Err(e) => return found(0, "a value".into(), e.to_string()),
    };
    let loose = loose_zero(left) || loose_zero(right);
    match bits(&a[0], &b[0], loose) {
        None => Ran::Equal,
        Some(i) => found(i, a[0].get(i).to_string(), b[0].get(i).to_string()),
    }
}
