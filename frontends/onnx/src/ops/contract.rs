//! Linear algebra: MatMul, Gemm and Einsum as sums of products without windows, Det.
//!
//! Transposed operands are label orders. A batch axis of extent 1 that the other operand repeats is dropped and becomes a
//! missing label.

use egret_ir::op::call::Call;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::op::{Monoid, Op, SliceAxis};
use egret_ir::{DType, Dim, Shape, Type, ValueId};

use super::reduce::fold;
use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, accumulator, opaque, whole_slices};

pub const ROWS: &[Row] = &[
    onnx("MatMul", 1..LATEST, matmul),
    onnx("Gemm", 1..7, gemm),
    onnx("Gemm", 7..LATEST, gemm),
    onnx("Einsum", 12..LATEST, einsum),
    onnx("Det", 11..LATEST, |l| {
        let x = l.operand(0)?;
        Ok(vec![l.emit(Op::Call(Box::new(Call::Det)), &[x])?])
    }),
];

fn matmul(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let dtype = l.dtype(a)?;
    Ok(vec![matmul_values(l, a, b, accumulator(dtype), dtype)?])
}

/// numpy's matmul: one-dimensional operands are a row and a column, leading axes are batches.
pub fn matmul_values(l: &mut Lower<'_>, a: ValueId, b: ValueId, acc: DType, out: DType) -> Result<ValueId, Fail> {
    let (sa, sb) = (l.shape(a)?, l.shape(b)?);
    if sa.is_empty() || sb.is_empty() {
        let kind = crate::error::ProblemKind::Rank { got: 0, expected: "1 or more".into() };
        return Err(crate::lower::bad("inputs", kind));
    }
    let (inner_a, inner_b) = (sa.len() - 1, sb.len().max(2) - 2);
    if sa[inner_a] != sb[inner_b] && sa[inner_a].as_const().is_some() && sb[inner_b].as_const().is_some() {
        return Err(l.misfit("inputs", &sa, &sb));
    }
    let label = |i: usize| Label(i as u8);
    // The batch axes of an operand, lined up at the end.
    let batch = |s: &Shape| s[..s.len().max(2) - 2].to_vec();
    let (ba, bb) = (if sa.len() > 1 { batch(&sa) } else { vec![] }, if sb.len() > 1 { batch(&sb) } else { vec![] });
    let rank = ba.len().max(bb.len());
    let (m, k, n) = (label(rank), label(rank + 1), label(rank + 2));
    let mut batches: Shape = Vec::with_capacity(rank);
    let mut open = None;
    for i in 0..rank {
        let at = |s: &Shape| (i + s.len()).checked_sub(rank).map(|j| s[j].clone());
        batches.push(match (at(&ba), at(&bb)) {
            (Some(x), Some(y)) if x == y || y == Dim::ONE => x,
            (Some(x), Some(y)) if x == Dim::ONE => y,
            (Some(x), Some(y)) if x.as_const().is_some() && y.as_const().is_some() => {
                return Err(l.misfit("inputs", &[x], &[y]));
            }
            (Some(x), Some(y)) => {
                l.assume_within(&x, &y);
                open = Some(format!("extents {x} and {y}, of which either could be repeated"));
                crate::opaque::fresh(l.graph, "broadcast")
            }
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => Dim::ONE,
        });
    }
    if let Some(reason) = open {
        let mut shape = batches;
        shape.extend(sa.len().checked_sub(2).map(|i| sa[i].clone()));
        shape.extend((sb.len() > 1).then(|| sb[sb.len() - 1].clone()));
        return Err(Fail::OpaqueTyped(reason, vec![Type::tensor(out, shape)]));
    }
    let operand = |l: &mut Lower<'_>, v: ValueId, own: &Shape, batch: &Shape, last: &[Label]| -> Result<_, Fail> {
        let lead = rank - batch.len();
        let mut shape = Vec::new();
        let mut axes = Vec::new();
        for (i, d) in batch.iter().enumerate() {
            if *d == batches[lead + i] {
                shape.push(d.clone());
                axes.push(Ix::Label(label(lead + i)));
            }
        }
        shape.extend_from_slice(&own[batch.len()..]);
        axes.extend(last.iter().map(|l| Ix::Label(*l)));
        Ok((l.reshape(v, &shape)?, axes))
    };
    let (left, right) = ([m, k], [k, n]);
    let (a, axes_a) = operand(l, a, &sa, &ba, if sa.len() > 1 { &left } else { &left[1..] })?;
    let (b, axes_b) = operand(l, b, &sb, &bb, if sb.len() > 1 { &right } else { &right[..1] })?;
    let mut labels: Vec<Label> = (0..rank).map(label).collect();
    labels.extend((sa.len() > 1).then_some(m));
    labels.extend((sb.len() > 1).then_some(n));
    let spec = Spec::new(&[axes_a, axes_b], &labels, &[]).map_err(|e| opaque(e.to_string()))?;
    l.contract(spec, a, b, acc, out)
}

/// α·A'·B' + β·C. β = 0 drops C even where it is NaN.
pub fn gemm(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let dtype = l.dtype(a)?;
    for (i, v) in [a, b].into_iter().enumerate() {
        let got = l.rank(v)?;
        if got != 2 {
            let kind = crate::error::ProblemKind::Rank { got, expected: "2".into() };
            return Err(crate::lower::bad(&format!("input {i}"), kind));
        }
    }
    let left = if l.flag("transA", false) { "km" } else { "mk" };
    let right = if l.flag("transB", false) { "nk" } else { "kn" };
    let (sa, sb) = (l.shape(a)?, l.shape(b)?);
    let (inner_a, inner_b) = (&sa[usize::from(left == "mk")], &sb[usize::from(right == "nk")]);
    if inner_a != inner_b && inner_a.as_const().is_some() && inner_b.as_const().is_some() {
        return Err(l.misfit("inputs", &sa, &sb));
    }
    let spec = Spec::plain(&[left, right], "mn").map_err(|e| opaque(e.to_string()))?;
    let mut y = l.contract(spec, a, b, accumulator(dtype), dtype)?;
    let (alpha, beta) = (l.float("alpha", 1.0), l.float("beta", 1.0));
    if alpha != 1.0 {
        y = l.with_left(Scalar::Mul, f64::from(alpha), y)?;
    }
    if let Some(mut c) = l.optional(2).filter(|_| beta != 0.0) {
        if beta != 1.0 {
            c = l.with_left(Scalar::Mul, f64::from(beta), c)?;
        }
        let shape = l.shape(y)?;
        let c = l.broadcast(c, &shape)?;
        y = l.map(Scalar::Add, &[y, c])?;
    }
    Ok(vec![y])
}

/// The equation's labels per operand and of the result, the ellipsis spelled out by upper labels.
struct Equation {
    operands: Vec<Vec<Label>>,
    result: Vec<Label>,
}

fn parse(l: &Lower<'_>, ranks: &[usize]) -> Result<Equation, Fail> {
    let text = l.string("equation", "")?;
    let wrong = |reason: &str| l.value("equation", &text, reason);
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (left, right) = match compact.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (compact.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != ranks.len() {
        return Err(wrong("one term per operand"));
    }
    // Letters are labels by their code; the i-th last axis of the ellipsis is label 200 + i.
    let letters = |term: &str, dots: usize| -> Result<Vec<Label>, Fail> {
        let mut out = Vec::new();
        let mut rest = term;
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("...") {
                out.extend((0..dots).rev().map(|i| Label(200 + i as u8)));
                rest = after;
            } else if c.is_ascii_alphabetic() {
                out.push(Label(c as u8));
                rest = &rest[1..];
            } else {
                return Err(wrong("letters, commas, an arrow and ellipses"));
            }
        }
        Ok(out)
    };
    let mut operands = Vec::new();
    let mut most = 0;
    for (term, rank) in terms.iter().zip(ranks) {
        let named = term.chars().filter(char::is_ascii_alphabetic).count();
        let dots = rank.checked_sub(named).filter(|d| *d == 0 || (term.contains("...") && *d < 50));
        let Some(dots) = dots else { return Err(wrong(&format!("{rank} labels in {term:?}"))) };
        most = most.max(dots);
        operands.push(letters(term, dots)?);
    }
    let result = if let Some(right) = right {
        letters(right, most)?
    } else {
        // Ellipsis first, then the labels that appear once, in alphabetic order.
        let mut once: Vec<Label> = operands.iter().flatten().copied().filter(|x| x.0 < 200).collect();
        once.sort_unstable();
        let all = once.clone();
        once.retain(|x| all.iter().filter(|y| *y == x).count() == 1);
        (0..most).rev().map(|i| Label(200 + i as u8)).chain(once).collect()
    };
    if result.iter().any(|x| !operands.iter().flatten().any(|y| x == y)) {
        return Err(wrong("result labels that some operand has"));
    }
    Ok(Equation { operands, result })
}

/// Left to right; a label that neither the result nor a later operand has is summed as early as it can be.
fn einsum(l: &mut Lower<'_>) -> Results {
    let values = l.operands()?;
    let ranks = values.iter().map(|v| l.rank(*v)).collect::<Result<Vec<_>, _>>()?;
    let equation = parse(l, &ranks)?;
    let mut terms: Vec<(ValueId, Vec<Label>)> = Vec::new();
    for (v, labels) in values.into_iter().zip(&equation.operands) {
        terms.push(diagonal(l, v, labels.clone())?);
    }
    let mut rest = terms.into_iter();
    let Some((mut value, mut labels)) = rest.next() else { return Err(l.value("inputs", "none", "one at least")) };
    let rest: Vec<_> = rest.collect();
    let dtype = l.dtype(value)?;
    for (i, (other, other_labels)) in rest.iter().enumerate() {
        let later = |x: &Label| equation.result.contains(x) || rest[i + 1..].iter().any(|(_, ls)| ls.contains(x));
        let (a, la) = unshared(l, value, &labels, |x| other_labels.contains(x) || later(x))?;
        let (b, lb) = unshared(l, *other, other_labels, |x| la.contains(x) || later(x))?;
        let (a, la, b, lb) = squeezed(l, a, la, b, lb)?;
        let mut out: Vec<Label> = Vec::new();
        for x in la.iter().chain(&lb).filter(|x| later(x)) {
            if !out.contains(x) {
                out.push(*x);
            }
        }
        if i + 1 == rest.len() {
            let mut wanted: Vec<Label> = equation.result.clone();
            wanted.retain(|x| out.contains(x));
            out = wanted;
        }
        let axes = |ls: &[Label]| ls.iter().map(|x| Ix::Label(*x)).collect::<Vec<_>>();
        let spec = Spec::new(&[axes(&la), axes(&lb)], &out, &[]).map_err(|e| opaque(e.to_string()))?;
        value = l.contract(spec, a, b, accumulator(dtype), dtype)?;
        labels = out;
    }
    let (value, labels) = unshared(l, value, &labels, |x| equation.result.contains(x))?;
    let perm: Option<Vec<usize>> = equation.result.iter().map(|x| labels.iter().position(|y| x == y)).collect();
    let Some(perm) = perm.filter(|p| p.len() == labels.len()) else { return Err(opaque("a repeated result label")) };
    Ok(vec![l.permute(value, &perm)?])
}

/// A label twice in one operand stands for the diagonal of its axes: both axes as one, of which every (n+1)-th cell is
/// taken.
fn diagonal(l: &mut Lower<'_>, mut v: ValueId, mut labels: Vec<Label>) -> Result<(ValueId, Vec<Label>), Fail> {
    while let Some(second) = (0..labels.len()).find(|i| labels[..*i].contains(&labels[*i])) {
        let first = labels.iter().position(|x| *x == labels[second]).unwrap_or(second);
        let own = l.shape(v)?;
        if own[first] != own[second] {
            return Err(l.misfit("inputs", &own[first..=first], &own[second..=second]));
        }
        let Some(n) = own[first].as_const() else { return Err(opaque("a diagonal of unknown extent")) };
        let mut order: Vec<usize> = (0..labels.len()).filter(|i| *i != first && *i != second).collect();
        let mut shape: Shape = order.iter().map(|i| own[*i].clone()).collect();
        order.extend([first, second]);
        v = l.permute(v, &order)?;
        shape.push(own[first].clone() * own[second].clone());
        v = l.reshape(v, &shape)?;
        let mut cut = whole_slices(&shape);
        if let Some(last) = cut.last_mut() {
            *last = SliceAxis { start: Dim::ZERO, step: n + 1, len: own[first].clone() };
        }
        v = l.slice(v, cut)?;
        order.pop();
        labels = order.iter().map(|i| labels[*i]).collect();
    }
    Ok((v, labels))
}

/// Sums the axes whose labels nobody else wants.
fn unshared(
    l: &mut Lower<'_>,
    v: ValueId,
    labels: &[Label],
    wanted: impl Fn(&Label) -> bool,
) -> Result<(ValueId, Vec<Label>), Fail> {
    let gone: Vec<usize> = (0..labels.len()).filter(|i| !wanted(&labels[*i])).collect();
    let v = fold(l, Monoid::Sum, v, &gone)?;
    Ok((v, labels.iter().copied().filter(|x| wanted(x)).collect()))
}

type Term = (ValueId, Vec<Label>, ValueId, Vec<Label>);

/// Drops an axis of extent 1 where the other operand has the label with another extent.
fn squeezed(l: &mut Lower<'_>, a: ValueId, la: Vec<Label>, b: ValueId, lb: Vec<Label>) -> Result<Term, Fail> {
    let (sa, sb) = (l.shape(a)?, l.shape(b)?);
    let keep = |own: &Shape, labels: &[Label], other: &Shape, others: &[Label]| -> Vec<usize> {
        (0..labels.len())
            .filter(|i| {
                let there = others.iter().position(|x| *x == labels[*i]);
                !(own[*i] == Dim::ONE && there.is_some_and(|j| other[j] != Dim::ONE))
            })
            .collect()
    };
    let (ka, kb) = (keep(&sa, &la, &sb, &lb), keep(&sb, &lb, &sa, &la));
    let a = l.reshape(a, &ka.iter().map(|i| sa[*i].clone()).collect::<Vec<_>>())?;
    let b = l.reshape(b, &kb.iter().map(|i| sb[*i].clone()).collect::<Vec<_>>())?;
    Ok((a, ka.iter().map(|i| la[*i]).collect(), b, kb.iter().map(|i| lb[*i]).collect()))
}
