//! Tests of the interpreter: hand-computed cases per kind, laws, and agreement of fast paths with plain loops.

mod calls;
mod fast;
mod kinds;
mod meanings;
mod scalars;
mod witness;

use super::{Trap, native};
use crate::dim::{Dim, Symbol};
use crate::dtype::{DType, Literal};
use crate::graph::{Graph, ValueId};
use crate::op::Op;
use crate::op::spec::{Ix, Label, Spec, Window};
use crate::origin::Origins;
use crate::tensor::{Element, Tensor};
use crate::types::Type;

/// A fixed series of random cases.
pub fn cases(n: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases: n,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x0e64_e700),
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    }
}

/// A tensor of elements.
pub fn t<T: Element>(shape: &[usize], values: &[T]) -> Tensor {
    Tensor::from_slice(shape, values).unwrap()
}

/// A graph of one node over inputs of the tensors' types.
pub fn graph_of(op: Op, args: &[Tensor]) -> Graph {
    let mut g = Graph::new("case");
    let ids: Vec<ValueId> =
        args.iter().enumerate().map(|(i, a)| g.input(&format!("x{i}"), Type::fixed(a.dtype(), a.shape()))).collect();
    let y = g.add(op, &ids, Origins::none()).unwrap();
    if let Type::Tuple(parts) = g.ty(y).clone() {
        for i in 0..parts.len() {
            let part = g.add(Op::Proj(i as u32), &[y], Origins::none()).unwrap();
            g.output(&format!("y{i}"), part);
        }
    } else {
        g.output("y", y);
    }
    g
}

/// The native results of one node.
pub fn all(op: Op, args: &[Tensor]) -> Vec<Tensor> {
    native(&graph_of(op, args), args).unwrap()
}

/// The native result of one node.
pub fn one(op: Op, args: &[Tensor]) -> Tensor {
    all(op, args).remove(0)
}

/// Why one node has no value.
pub fn trap(op: Op, args: &[Tensor]) -> Trap {
    native(&graph_of(op, args), args).unwrap_err().trap
}

/// A window axis of labels `out` and `tap`.
pub fn window(out: u8, tap: u8, stride: i64, dil: i64, lo: i64) -> Ix {
    Ix::Window(Window { out: Label(out), tap: Label(tap), stride, dil, lo, in_dil: 1 })
}

/// A plain axis.
pub fn plain(l: u8) -> Ix {
    Ix::Label(Label(l))
}

/// A spec with extents of window labels.
pub fn spec(ins: &[Vec<Ix>], out: &[u8], ext: &[(u8, i64)]) -> Spec {
    let out: Vec<Label> = out.iter().map(|l| Label(*l)).collect();
    let ext: Vec<(Label, Dim)> = ext.iter().map(|(l, n)| (Label(*l), Dim::from(*n))).collect();
    Spec::new(ins, &out, &ext).unwrap()
}

#[test]
fn symbols_are_bound_by_inputs() {
    let n = Dim::symbol(Symbol::new("n"));
    let mut g = Graph::new("symbolic");
    let x = g.input("x", Type::tensor(DType::F32, [n.clone(), Dim::from(2i64)]));
    let flat = g.add(Op::Reshape(vec![n.clone() * Dim::from(2i64)]), &[x], Origins::none()).unwrap();
    let count = g.add(Op::Dim(n.clone() * n), &[], Origins::none()).unwrap();
    g.output("flat", flat);
    g.output("count", count);
    let out = native(&g, &[t(&[3, 2], &[1f32, 2., 3., 4., 5., 6.])]).unwrap();
    assert_eq!(out[0].shape(), &[6]);
    assert_eq!(out[1], t(&[], &[9i64]));
    let wrong = native(&g, &[t(&[3, 1], &[1f32, 2., 3.])]).unwrap_err();
    assert!(matches!(wrong.trap, Trap::Input { .. }), "{wrong}");
    assert!(wrong.to_string().contains("input `x`"), "{wrong}");
}

#[test]
fn defaults_fill_in_and_errors_name_the_place() {
    let mut g = Graph::new("defaults");
    let id = g.tables.constant(t(&[2], &[10i32, 20]));
    let ty = Type::fixed(DType::I32, &[2]);
    let x = g.input("x", ty.clone());
    let d = g.input_decl(crate::graph::InputDecl { name: "d".into(), ty, default: Some(id) });
    let y = g.add(Op::Map(crate::op::scalar::Scalar::Div), &[d, x], Origins::none()).unwrap();
    g.output("y", y);
    assert_eq!(native(&g, &[t(&[2], &[3i32, 7])]).unwrap()[0], t(&[2], &[3i32, 2]));
    assert_eq!(native(&g, &[t(&[2], &[3i32, 7]), t(&[2], &[9i32, 9])]).unwrap()[0], t(&[2], &[3i32, 1]));
    let e = native(&g, &[t(&[2], &[3i32, 0])]).unwrap_err();
    assert_eq!((e.value, e.trap), (y, Trap::DivisionByZero));
}

#[test]
fn folding_takes_no_inputs() {
    let mut g = Graph::new("fold");
    let a = g.scalar(Literal::f32(1.5));
    let b = g.add(Op::Map(crate::op::scalar::Scalar::Mul), &[a, a], Origins::none()).unwrap();
    g.output("b", b);
    assert_eq!(super::fold(&g).unwrap(), [Tensor::scalar(Literal::f32(2.25))]);
}
