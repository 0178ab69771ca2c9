//! Sums of products without windows: MatMul, Gemm, Einsum, and Mul where nothing is summed.

use egret_ir::choice::ClassId;
use egret_ir::dim::count;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, letter};
use egret_ir::{DType, Dim, Shape};

use super::build::{Build, numpy, slots};
use super::{Attribute, Slot, movement};
use crate::lower::accumulator;

/// Axes as labels, where no axis is a window.
fn labels(spec: &Spec, operand: usize) -> Option<Vec<Label>> {
    spec.ins()[operand]
        .iter()
        .map(|ix| match ix {
            Ix::Label(l) => Some(*l),
            Ix::Window(_) => None,
        })
        .collect()
}

/// A product without windows in a type that ONNX sums the same way.
struct Product {
    operands: [ClassId; 2],
    labels: [Vec<Label>; 2],
    rank: usize,
    folded: Vec<Label>,
}

fn product(b: &Build<'_>, spec: &Spec, (acc, out): (DType, DType), args: &[ClassId]) -> Option<Product> {
    let operands = [args[0], args[1]];
    let usual = operands.iter().all(|a| b.dtype(*a) == Some(out)) && acc == accumulator(out);
    let labels = [labels(spec, 0)?, labels(spec, 1)?];
    usual.then(|| Product { operands, labels, rank: spec.rank(), folded: spec.folded().collect() })
}

/// Templates for a Contract way of class `c` without windows.
pub fn contract(b: &mut Build<'_>, c: ClassId, spec: &Spec, types: (DType, DType), args: &[ClassId]) {
    let Some(p) = product(b, spec, types, args) else { return };
    if p.folded.is_empty() {
        outer(b, c, &p);
    } else {
        for left in [0, 1] {
            matmul(b, c, spec, types, &p, left);
        }
        bare_gemm(b, c, &p);
    }
    let term = |ls: &[Label]| ls.iter().map(|l| letter(*l)).collect::<String>();
    let out = term(&spec.out().collect::<Vec<_>>());
    let equation = format!("{},{}->{out}", term(&p.labels[0]), term(&p.labels[1]));
    b.node(&[c], "Einsum", vec![("equation", Attribute::Text(equation))], slots(&p.operands));
}

/// The operand with its axes in the order of `wanted` groups: each group becomes one axis (of the product of its extents),
/// an empty group an axis of extent 1, dropped at the front.
fn form(b: &mut Build<'_>, c: ClassId, own: &[Label], wanted: &[Vec<Label>]) -> Option<ClassId> {
    let flat: Vec<Label> = wanted.iter().flatten().copied().collect();
    let axes: Vec<usize> = flat.iter().map(|l| own.iter().position(|o| o == l)).collect::<Option<_>>()?;
    if axes.len() != own.len() {
        return None;
    }
    let extents = b.shape(c)?.to_vec();
    let moved = b.permuted(c, &axes)?;
    let mut shape: Shape = Vec::new();
    for group in wanted {
        if group.is_empty() && shape.is_empty() {
            continue;
        }
        let own: Shape =
            group.iter().filter_map(|l| own.iter().position(|o| o == l)).map(|i| extents[i].clone()).collect();
        shape.push(count(&own));
    }
    b.reshaped(moved, &shape)
}

/// MatMul with operand `left` on the left, after Transposes and Reshapes where needed.
fn matmul(b: &mut Build<'_>, c: ClassId, spec: &Spec, types: (DType, DType), p: &Product, left: usize) {
    let right = 1 - left;
    let (l, r) = (&p.labels[left], &p.labels[right]);
    let out: Vec<Label> = spec.out().collect();
    let only = |x: &Label, of: &[Label], other: &[Label]| of.contains(x) && !other.contains(x);
    let m = out.iter().rposition(|x| only(x, l, r));
    let n = out.iter().rposition(|x| only(x, r, l));
    // Labels that stay before the last two axes, in result order.
    let mut order: Vec<Label> =
        out.iter().enumerate().filter(|(i, _)| Some(*i) != m && Some(*i) != n).map(|(_, x)| *x).collect();
    let batch = order.clone();
    order.extend(m.map(|i| out[i]));
    order.extend(n.map(|i| out[i]));
    if order != out {
        if left == 1 && p.labels[0].len() < p.labels[1].len() {
            // The other way round gives the same products; one of both orders is enough.
            return;
        }
        transposed(b, c, types, p, &out, &order);
        return;
    }
    let group = |x: Option<usize>| x.map(|i| out[i]).into_iter().collect::<Vec<_>>();
    let present =
        |ls: &[Label]| batch.iter().map(|x| if ls.contains(x) { vec![*x] } else { vec![] }).collect::<Vec<_>>();
    // Folded labels in the order of the operand that would be harder to move.
    let own = if b.foldable(p.operands[left]) { r } else { l };
    let k: Vec<Label> = own.iter().copied().filter(|x| p.folded.contains(x)).collect();
    let vector = |ls: &[Label]| ls.iter().all(|x| k.contains(x));
    match (m, n) {
        (None, None) if !(vector(l) && vector(r)) => return one_more(b, c, types, p, left),
        (None, _) if !vector(l) => return one_more(b, c, types, p, left),
        (_, None) if !vector(r) => return one_more(b, c, types, p, right),
        _ => {}
    }
    let (mut wanted_l, mut wanted_r) = (present(l), present(r));
    if m.is_some() {
        wanted_l.push(group(m));
    }
    wanted_l.push(k.clone());
    wanted_r.push(k.clone());
    if n.is_some() {
        wanted_r.push(group(n));
    }
    let (Some(x), Some(y)) = (form(b, p.operands[left], l, &wanted_l), form(b, p.operands[right], r, &wanted_r)) else {
        return;
    };
    b.node(&[c], "MatMul", vec![], slots(&[x, y]));
}

/// The product with its result labels in another order, and the Transpose from it.
fn transposed(
    b: &mut Build<'_>,
    c: ClassId,
    (acc, out_type): (DType, DType),
    p: &Product,
    out: &[Label],
    order: &[Label],
) {
    let axes = |ls: &[Label]| ls.iter().map(|x| Ix::Label(*x)).collect::<Vec<_>>();
    let Ok(spec) = Spec::new(&[axes(&p.labels[0]), axes(&p.labels[1])], order, &[]) else { return };
    let Some(inner) = b.derive(Op::Contract { spec, acc, out: out_type }, &p.operands) else { return };
    let perm: Vec<i64> = out.iter().filter_map(|x| order.iter().position(|o| o == x)).map(|i| i as i64).collect();
    b.node(&[c], "Transpose", vec![("perm", Attribute::Ints(perm))], slots(&[inner]));
}

/// The product with an axis of extent 1 put in for the row or column that `operand` lacks, and the Reshape from it.
fn one_more(b: &mut Build<'_>, c: ClassId, (acc, out_type): (DType, DType), p: &Product, operand: usize) {
    let extra = Label(63);
    let mut labels = p.labels.clone();
    let at = labels[operand].iter().position(|x| p.folded.contains(x)).unwrap_or(0);
    labels[operand].insert(at, extra);
    let Some(mut shape) = b.shape(p.operands[operand]).map(<[Dim]>::to_vec) else { return };
    shape.insert(at, Dim::ONE);
    let mut operands = p.operands;
    let Some(grown) = b.reshaped(p.operands[operand], &shape) else { return };
    operands[operand] = grown;
    // A column goes last, a row before the last axis that only the other operand has.
    let mut out: Vec<Label> = (0..p.rank).map(|i| Label(i as u8)).collect();
    let other = &p.labels[1 - operand];
    let last_is_others = out.last().is_some_and(|x| other.contains(x) && !p.labels[operand].contains(x));
    let at = if operand == 0 && last_is_others { out.len() - 1 } else { out.len() };
    out.insert(at, extra);
    let axes = |ls: &[Label]| ls.iter().map(|x| Ix::Label(*x)).collect::<Vec<_>>();
    let Ok(spec) = Spec::new(&[axes(&labels[0]), axes(&labels[1])], &out, &[]) else { return };
    let Some(inner) = b.derive(Op::Contract { spec, acc, out: out_type }, &operands) else { return };
    let Some(shape) = b.shape(c).map(<[Dim]>::to_vec) else { return };
    movement::reshape(b, c, &shape, inner);
}

/// Nothing summed: a product of repeated operands.
fn outer(b: &mut Build<'_>, c: ClassId, p: &Product) {
    let out: Vec<Label> = (0..p.rank).map(|i| Label(i as u8)).collect();
    let mut operands = Vec::new();
    for i in 0..2 {
        let ls = &p.labels[i];
        let wanted: Vec<Vec<Label>> = out.iter().map(|x| if ls.contains(x) { vec![*x] } else { vec![] }).collect();
        let Some(x) = form(b, p.operands[i], ls, &wanted) else { return };
        operands.push(x);
    }
    b.node(&[c], "Mul", vec![], slots(&operands));
}

/// A two-dimensional product as Gemm reads it: left operand, right operand, and which are stored transposed.
fn flat(p: &Product) -> Option<([ClassId; 2], [bool; 2])> {
    let [k] = p.folded.as_slice() else { return None };
    if p.rank != 2 {
        return None;
    }
    let (m, n) = (Label(0), Label(1));
    let side = |i: usize, own: Label| match p.labels[i].as_slice() {
        [a, b] if *a == own && b == k => Some(false),
        [a, b] if a == k && *b == own => Some(true),
        _ => None,
    };
    for (l, r) in [(0, 1), (1, 0)] {
        if let (Some(left), Some(right)) = (side(l, m), side(r, n)) {
            return Some(([p.operands[l], p.operands[r]], [left, !right]));
        }
    }
    None
}

fn transposes([a, b]: [bool; 2]) -> Vec<(&'static str, Attribute)> {
    let flag = |name, on| if on { Some((name, Attribute::Int(1))) } else { None };
    flag("transA", a).into_iter().chain(flag("transB", b)).collect()
}

/// Gemm without a third operand, where it saves a Transpose.
fn bare_gemm(b: &mut Build<'_>, c: ClassId, p: &Product) {
    let float = b.dtype(c).is_some_and(DType::is_float);
    if let Some((operands, stored)) = flat(p).filter(|(_, s)| float && (s[0] || s[1])) {
        b.node(&[c], "Gemm", transposes(stored), slots(&operands));
    }
}

/// Gemm for a product plus a value that does not widen it: two-dimensional, float, no batch.
pub fn gemm(b: &mut Build<'_>, c: ClassId, s: Scalar, args: &[ClassId]) {
    let Some(shape) = b.shape(c).filter(|s| s.len() == 2).map(<[Dim]>::to_vec) else { return };
    if s != Scalar::Add || !b.dtype(c).is_some_and(DType::is_float) {
        return;
    }
    for (x, bias) in [(args[0], args[1]), (args[1], args[0])] {
        let products = b.ways(x, |op, args| match op {
            Op::Contract { spec, acc, out } => product(b, spec, (*acc, *out), args).and_then(|p| flat(&p)),
            _ => None,
        });
        if products.is_empty() {
            continue;
        }
        for form in b.narrow(bias).into_iter().take(2) {
            let fits = b.shape(form).is_some_and(|f| numpy(&[f, &shape]).as_deref() == Some(&shape));
            for (operands, stored) in products.iter().take(4).filter(|_| fits) {
                let mut inputs = slots(operands);
                inputs.push(Slot::Class(form));
                b.node(&[c], "Gemm", transposes(*stored), inputs);
            }
        }
    }
}
