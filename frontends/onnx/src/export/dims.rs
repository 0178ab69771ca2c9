//! Shape expressions and ranges at run time: Shape with Gather, Range.

use egret_ir::choice::ClassId;
use egret_ir::op::Op;
use egret_ir::{DType, Dim, Literal, Tensor};

use super::build::{Build, slots};
use super::{Attribute, Slot};

/// The value of an expression: an extent of an input directly, sums and products of expressions by arithmetic.
pub fn dim(b: &mut Build<'_>, c: ClassId, d: &Dim) {
    if d.as_const().is_some() {
        return;
    }
    if let Some(symbol) = d.as_symbol() {
        let symbol = Dim::symbol(symbol.clone());
        for i in 0..b.classes.inputs.len() {
            let axis = b.classes.inputs[i].ty.as_tensor().and_then(|t| t.shape.iter().position(|e| *e == symbol));
            let Some(axis) = axis else { continue };
            let Some(input) = b.known(&Op::Input(i as u32), &[]) else { continue };
            let Some(shape) = b.shape(input).map(<[Dim]>::to_vec) else { return };
            extent(b, c, Slot::Class(input), &shape, axis);
            return;
        }
        if let Some((s, (t, axis))) = d.as_symbol().and_then(|s| Some((s, b.around.get(s)?.clone()))) {
            extent(b, c, Slot::Around(s.clone()), &t.shape, axis);
            return;
        }
    }
    arithmetic(b, c, d);
}

/// Shape of an input, or of a value around a body, of which one element is taken.
fn extent(b: &mut Build<'_>, c: ClassId, input: Slot, shape: &[Dim], axis: usize) {
    // The shape as a value: joined extents.
    let mut parts = Vec::new();
    for d in shape {
        let scalar = match d.as_const() {
            Some(n) => b.scalar(Literal::i64(n)),
            None => b.derive(Op::Dim(d.clone()), &[]),
        };
        let Some(part) = scalar.and_then(|s| b.reshaped(s, &[Dim::ONE])) else { return };
        parts.push(part);
    }
    let whole = if let [only] = parts.as_slice() { Some(*only) } else { b.derive(Op::Concat(0), &parts) };
    let Some(whole) = whole else { return };
    b.node(&[whole], "Shape", vec![], vec![input]);
    let at = Slot::Tensor(Tensor::scalar(Literal::i64(axis as i64)));
    b.node(&[c], "Gather", vec![("axis", Attribute::Int(0))], vec![Slot::Class(whole), at]);
}

/// One operation on smaller expressions: the last term of a sum, or the coefficient or a factor of a product.
fn arithmetic(b: &mut Build<'_>, c: ClassId, d: &Dim) {
    let terms = d.terms();
    let term = |(mono, coefficient): &(Vec<(egret_ir::dim::Atom, u32)>, i64)| {
        mono.iter()
            .fold(Dim::from(*coefficient), |p, (atom, power)| (0..*power).fold(p, |p, _| p * Dim::from(atom.clone())))
    };
    let value = |b: &mut Build<'_>, d: &Dim| match d.as_const() {
        Some(n) => b.scalar(Literal::i64(n)),
        None => b.derive(Op::Dim(d.clone()), &[]),
    };
    if let [first, rest @ ..] = terms.as_slice()
        && !rest.is_empty()
    {
        let first = term(first);
        let rest = rest.iter().map(term).fold(Dim::ZERO, |s, t| s + t);
        if let (Some(x), Some(y)) = (value(b, &first), value(b, &rest)) {
            b.node(&[c], "Add", vec![], slots(&[x, y]));
        }
        return;
    }
    let [(mono, coefficient)] = terms.as_slice() else { return };
    if *coefficient != 1 {
        let rest = term(&(mono.clone(), 1));
        if let (Some(x), Some(y)) = (value(b, &rest), b.scalar(Literal::i64(*coefficient))) {
            b.node(&[c], "Mul", vec![], slots(&[x, y]));
        }
        return;
    }
    let [(atom, power), rest @ ..] = mono.as_slice() else { return };
    if *power > 1 || !rest.is_empty() {
        let factor = Dim::from(atom.clone());
        let mut left = mono.clone();
        if left[0].1 > 1 {
            left[0].1 -= 1;
        } else {
            left.remove(0);
        }
        let left = term(&(left, 1));
        if let (Some(x), Some(y)) = (value(b, &factor), value(b, &left)) {
            b.node(&[c], "Mul", vec![], slots(&[x, y]));
        }
    }
}

/// Range.
pub fn iota(b: &mut Build<'_>, c: ClassId, len: &Dim, dtype: DType) {
    if dtype != DType::I64 {
        return;
    }
    let Some(limit) = b.derive(Op::Dim(len.clone()), &[]) else { return };
    let number = |n: i64| Slot::Tensor(Tensor::scalar(Literal::i64(n)));
    b.node(&[c], "Range", vec![], vec![number(0), Slot::Class(limit), number(1)]);
}
