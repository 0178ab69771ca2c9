//! Each condition where it holds and where it does not.

use egret_ir::op::attrs::Attr;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, Monoid, Op};
use egret_ir::text::{Sort, parse_attr, parse_type};
use egret_ir::{Literal, Origins, Tensor, Type};

use super::super::Vocabulary;
use super::*;
use crate::engine::egraph::{EGraph, Ids, Values, add};

/// An e-graph with inputs and constants to ask about.
struct World(EGraph);

impl World {
    fn new() -> Self {
        Self(EGraph::new(Values::default()))
    }

    fn op(&mut self, op: &Op, args: &[&Bound]) -> Bound {
        let args: Ids = args.iter().filter_map(|b| if let Bound::Operand(id) = b { Some(*id) } else { None }).collect();
        let id = add(&mut self.0, op, args, &Origins::none());
        self.0.rebuild();
        Bound::Operand(id)
    }

    fn input(&mut self, ty: &str) -> Bound {
        let ty: Type = parse_type(ty).expect("a type");
        self.0.analysis.inputs.push(ty);
        let i = self.0.analysis.inputs.len() as u32 - 1;
        self.op(&Op::Input(i), &[])
    }

    fn constant(&mut self, values: &[f32]) -> Bound {
        let t = Tensor::from_slice([values.len()], values).expect("a tensor");
        let id = self.0.analysis.tables.constant(t);
        self.op(&Op::Const(Const::Dense(id)), &[])
    }

    fn ask(&self, name: &str, args: &[Bound]) -> Option<bool> {
        let c = Vocabulary::default().condition(name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(c.args.len(), args.len(), "{name}");
        (c.test)(Facts { egraph: &self.0 }, args)
    }
}

fn attr(sort: Sort, text: &str) -> Bound {
    Bound::Attr(parse_attr(text, sort).unwrap_or_else(|e| panic!("{text}: {e}")))
}

fn element(x: f32) -> Bound {
    Bound::Element(Literal::f32(x))
}

#[test]
fn each_condition_holds_and_fails() {
    let mut w = World::new();
    let x = w.input("f32[2,3]");
    let i = w.input("i32[2,3]");
    let b = w.input("bool[2,3]");
    let ones = w.input("f32[2,1,3]");
    let row = w.input("f32[3]");
    let good = w.constant(&[1.0, -2.0, 0.5]);
    let zero = w.constant(&[1.0, 0.0, 0.5]);
    let infinite = w.constant(&[1.0, f32::INFINITY, 0.5]);
    let wide = w.op(&Op::Broadcast([(0, egret_ir::Dim::from(2i64))].into()), &[&row]);
    let sum = w.op(&Op::Map(Scalar::Add), &[&row, &good]);
    let product = w.op(&Op::Map(Scalar::Mul), &[&row, &good]);
    let computed = w.op(&Op::Map(Scalar::Exp), &[&good]);
    let (perm, dims, spec) =
        (|t: &str| attr(Sort::Perm, t), |t: &str| attr(Sort::Dims, t), |t: &str| attr(Sort::Spec, t));
    let (dtype, insert, slices) =
        (|t: &str| attr(Sort::DType, t), |t: &str| attr(Sort::Insert, t), |t: &str| attr(Sort::Slices, t));
    let f = |f: Scalar| Bound::Function(f);
    let m = |m: Monoid| Bound::Monoid(m);
    let word = |w: &str| Bound::Word(w.to_owned());
    let list = |items: &[&Bound]| Bound::List(items.iter().map(|b| (*b).clone()).collect());

    // Name, arguments that hold, arguments that do not.
    let cases: Vec<(&str, Vec<Bound>, Vec<Bound>)> = vec![
        ("const", vec![good.clone()], vec![x.clone()]),
        ("float", vec![x.clone()], vec![i.clone()]),
        ("bool", vec![b.clone()], vec![x.clone()]),
        ("finite", vec![computed], vec![infinite.clone()]),
        ("divisor", vec![good.clone()], vec![zero]),
        ("light", vec![wide], vec![x.clone()]),
        ("plain_sum", vec![product.clone()], vec![sum.clone()]),
        ("plain_product", vec![sum], vec![product]),
        ("one_moves", vec![list(&[&x, &good])], vec![list(&[&x, &i])]),
        ("has_dims", vec![x.clone(), dims("[2,3]")], vec![x.clone(), dims("[3,2]")]),
        ("has_dtype", vec![x.clone(), dtype("f32")], vec![x.clone(), dtype("f64")]),
        ("wraps_like", vec![x.clone(), dtype("f64")], vec![i.clone(), dtype("i64")]),
        ("identity", vec![perm("[0,1]")], vec![perm("[1,0]")]),
        ("moves_ones", vec![perm("[1,0,2]"), ones.clone()], vec![perm("[2,1,0]"), ones.clone()]),
        ("whole", vec![slices("[0:2,0:3]"), x.clone()], vec![slices("[0:2,1:2]"), x.clone()]),
        ("inserts_nothing", vec![insert("[]")], vec![insert("[0:1]")]),
        ("pads_nothing", vec![attr(Sort::Pads, "[0:0]")], vec![attr(Sort::Pads, "[0:0:1]")]),
        ("law", vec![f(Scalar::Max), word("idempotent")], vec![f(Scalar::Add), word("idempotent")]),
        ("associative", vec![f(Scalar::Add), i.clone()], vec![f(Scalar::Add), x.clone()]),
        ("cast_through", vec![dtype("f16"), dtype("f64"), x.clone()], vec![dtype("f32"), dtype("f16"), x.clone()]),
        ("le", vec![element(-1.0), element(1.0)], vec![element(f32::NAN), element(1.0)]),
        ("element_finite", vec![element(1.0)], vec![element(f32::INFINITY)]),
        ("position", vec![m(Monoid::ArgMaxFirst)], vec![m(Monoid::Max)]),
        ("neutral", vec![m(Monoid::Max), element(f32::NEG_INFINITY)], vec![m(Monoid::Max), element(0.0)]),
        ("folds_ones", vec![spec("{a b c -> a c}"), ones.clone()], vec![spec("{a b c -> a b}"), ones]),
        ("windowed", vec![spec("{a b+c -> a b | b=2 c=2}")], vec![spec("{a b -> a}")]),
        (
            "counts",
            vec![element(3.0), spec("{a b -> a}"), x.clone()],
            vec![element(2.0), spec("{a b -> a}"), x.clone()],
        ),
        (
            "puts_back",
            vec![insert("[1:3]"), spec("{a b -> a}"), x.clone()],
            vec![insert("[0:3]"), spec("{a b -> a}"), x.clone()],
        ),
        ("leads", vec![insert("[0:2]"), spec("{a b -> a}")], vec![insert("[1:2]"), spec("{a b -> a}")]),
        ("adds_ones", vec![dims("[2,1,3]"), x.clone()], vec![dims("[3,2]"), x.clone()]),
        ("inserts_ones", vec![insert("[0:1]")], vec![insert("[0:2]")]),
        ("usual_acc", vec![dtype("f32"), x.clone()], vec![dtype("f64"), x]),
        ("wide_acc", vec![dtype("f32"), dtype("f16")], vec![dtype("f16"), dtype("f16")]),
        ("same_acc", vec![dtype("f32"), dtype("f32")], vec![dtype("f32"), dtype("f16")]),
    ];
    for (name, holds, fails) in &cases {
        assert_eq!(w.ask(name, holds), Some(true), "{name} {holds:?}");
        assert_ne!(w.ask(name, fails), Some(true), "{name} {fails:?}");
    }
    let missing: Vec<&str> =
        CONDITIONS.iter().map(|c| c.name).filter(|n| !cases.iter().any(|(name, _, _)| name == n)).collect();
    assert!(missing.is_empty(), "{missing:?} have no case");
}

#[test]
fn what_is_not_proved_is_false_either_way() {
    let mut w = World::new();
    let x = w.input("f32[n,3]");
    assert_eq!(w.ask("finite", std::slice::from_ref(&x)), None, "an input has no elements yet");
    let def = Vocabulary::default().condition("finite").expect("a condition");
    let condition = |negated| Condition { def, args: vec![crate::lang::Term::Var(crate::lang::VarId(0))], negated };
    let bindings = vec![Some(x.clone())];
    let facts = Facts { egraph: &w.0 };
    assert!(!holds(&condition(false), facts, &bindings) && !holds(&condition(true), facts, &bindings));
    assert_eq!(w.ask("has_dims", &[x, Bound::Attr(Attr::Dims(vec![egret_ir::Dim::from(6i64)]))]), Some(false));
}
