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

    let scale = w.constant(&[0.5, 2.0]);
    let byte = w.input("u8[2,3]");
    let empty = w.input("f32[2,0]");
    let (left, square, narrow) = (w.input("f32[5,4]"), w.input("f32[4,4]"), w.input("f32[4,3]"));
    let (column, line) = (w.input("f32[4,1]"), w.input("f32[1,3]"));
    let (long, tall) = (w.input("f32[2,90000]"), w.input("f32[90000,1]"));
    let axis = |t: &str| attr(Sort::Axis, t);
    let number = |n: i64| Bound::Number(n);
    let whole = |n: i64| Bound::Element(Literal::from_i64(DType::I32, n));
    let matmul = || attr(Sort::Spec, "{a c, c b -> a b}");

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
        ("scales", vec![scale], vec![good.clone()]),
        ("unsigned", vec![byte.clone()], vec![i.clone()]),
        ("byte_sized", vec![byte], vec![i.clone()]),
        ("absorbs_scale", vec![good.clone()], vec![x.clone()]),
        ("elements", vec![x.clone(), number(6)], vec![x.clone(), number(7)]),
        (
            "whole_axis",
            vec![slices("[1:1,0:3]"), axis("1"), x.clone()],
            vec![slices("[1:1,0:3]"), axis("0"), x.clone()],
        ),
        (
            "whole_last",
            vec![slices("[1:1,0:3]"), axis("1"), x.clone()],
            vec![slices("[1:1,0:3]"), axis("2"), x.clone()],
        ),
        ("same_last", vec![dims("[1,2,3]"), axis("2"), x.clone()], vec![dims("[6]"), axis("1"), x.clone()]),
        ("all_extend", vec![list(&[&x, &x]), axis("1")], vec![list(&[&x, &empty]), axis("1")]),
        ("nothing_along", vec![empty, axis("1")], vec![x.clone(), axis("1")]),
        (
            "spares",
            vec![matmul(), number(1), slices("[1:1,0:3]"), x.clone()],
            vec![matmul(), number(1), slices("[0:1,1:2]"), x.clone()],
        ),
        ("at_least", vec![f(Scalar::Sigmoid), element(0.0)], vec![f(Scalar::Tanh), element(0.0)]),
        ("at_most", vec![f(Scalar::Erf), element(1.0)], vec![f(Scalar::Exp), element(1.0)]),
        ("rounding", vec![f(Scalar::Floor)], vec![f(Scalar::Sign)]),
        ("compares", vec![f(Scalar::Le)], vec![f(Scalar::Max)]),
        ("narrows", vec![f(Scalar::Add), dtype("i8"), dtype("i32")], vec![f(Scalar::Max), dtype("i8"), dtype("u8")]),
        ("keeps_order", vec![dtype("f16"), x.clone()], vec![dtype("i8"), i.clone()]),
        ("holds_all", vec![dtype("f64"), x.clone()], vec![dtype("f16"), x.clone()]),
        ("power_of_two", vec![whole(8)], vec![whole(6)]),
        ("slope", vec![element(0.5)], vec![element(0.0)]),
        ("positive", vec![element(2.0)], vec![element(f32::INFINITY)]),
        ("number", vec![element(f32::INFINITY)], vec![element(f32::NAN)]),
        (
            "limits",
            vec![element(-128.0), element(127.0), dtype("i8")],
            vec![element(-128.0), element(127.0), dtype("u8")],
        ),
        ("extremum", vec![m(Monoid::Max)], vec![m(Monoid::Sum)]),
        (
            "repeats_alike",
            vec![m(Monoid::Max), spec("{a b -> a}"), insert("[1:4]")],
            vec![m(Monoid::Sum), spec("{a b -> a}"), insert("[1:4]")],
        ),
        ("inserts_axis", vec![insert("[1:3]"), axis("1")], vec![insert("[0:3]"), axis("1")]),
        ("folds_axis", vec![spec("{a b -> a}"), axis("1")], vec![spec("{a b -> a}"), axis("0")]),
        (
            "covers",
            vec![spec("{a b+c -> a b | b=2 c=2}"), x.clone()],
            vec![spec("{a b+c -> a b | b=9 c=2}"), x.clone()],
        ),
        ("sums_bytes", vec![matmul(), left.clone(), narrow.clone()], vec![matmul(), long, tall]),
        (
            "fewer_products",
            vec![matmul(), matmul(), left.clone(), square, narrow],
            vec![matmul(), matmul(), left, column, line],
        ),
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
fn differences_of_bytes_are_small() {
    let mut w = World::new();
    let (a, b, z) = (w.input("u8[2]"), w.input("i8[2]"), w.input("u8[2]"));
    let wide: Vec<Bound> = [&a, &b, &z].map(|x| w.op(&Op::Map(Scalar::Cast(DType::I32)), &[x])).into();
    let sub = Op::Map(Scalar::Sub);
    let (same, mixed) = (w.op(&sub, &[&wide[0], &wide[2]]), w.op(&sub, &[&wide[0], &wide[1]]));
    let twice = w.op(&sub, &[&same, &wide[0]]);
    assert_eq!(w.ask("byte_sized", &[same]), Some(true), "u8 - u8");
    assert_eq!(w.ask("byte_sized", &[mixed]), Some(false), "u8 - i8 reaches 383");
    assert_eq!(w.ask("byte_sized", &[twice]), Some(false));
}

#[test]
fn scales_go_as_far_as_a_weight() {
    let mut w = World::new();
    let (x, y, weight) = (w.input("f32[2,3]"), w.input("f32[3]"), w.constant(&[1.0, -2.0, 0.5]));
    let Attr::Spec(s) = parse_attr("{a b, b -> a}", Sort::Spec).expect("a spec") else { panic!("a spec") };
    let contract = Op::Contract { spec: s, acc: DType::F32, out: DType::F32 };
    let (by_weight, by_data) = (w.op(&contract, &[&x, &weight]), w.op(&contract, &[&x, &y]));
    let moved = w.op(&Op::Reshape(vec![egret_ir::Dim::from(1i64), egret_ir::Dim::from(2i64)]), &[&by_weight]);
    assert_eq!(w.ask("absorbs_scale", &[moved]), Some(true));
    assert_eq!(w.ask("absorbs_scale", &[by_data]), Some(false));
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
