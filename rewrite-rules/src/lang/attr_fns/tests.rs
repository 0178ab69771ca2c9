//! Attribute functions on small attributes, and where they have no answer. That rules using them keep values is the
//! business of `rulecheck`.

use egret_ir::text::{Sort as S, attr_text, parse_attr, parse_type};
use egret_ir::{Op, Origins};

use super::super::Vocabulary;
use super::*;
use crate::engine::egraph::{EGraph, Ids, Values, add};

fn attr(sort: S, text: &str) -> Bound {
    Bound::Attr(parse_attr(text, sort).unwrap_or_else(|e| panic!("{text}: {e}")))
}

fn call(name: &str, shapes: &[&str], args: impl Fn(&[Bound]) -> Vec<Bound>) -> String {
    let mut egraph = EGraph::new(Values::default());
    let mut operands = Vec::new();
    for (i, ty) in shapes.iter().enumerate() {
        egraph.analysis.inputs.push(parse_type(ty).expect("a type"));
        operands.push(Bound::Operand(add(&mut egraph, &Op::Input(i as u32), Ids::new(), &Origins::none())));
    }
    let f = Vocabulary::default().function(name).unwrap_or_else(|e| panic!("{e}"));
    let args = args(&operands);
    assert_eq!(f.args.len(), args.len(), "{name}");
    match (f.compute)(Facts { egraph: &egraph }, &args) {
        None => "nothing".to_owned(),
        Some(Bound::Attr(a)) => attr_text(&a),
        Some(Bound::Element(l)) => l.to_string(),
        Some(Bound::Operand(id)) => {
            operands.iter().position(|o| *o == Bound::Operand(id)).map_or("another".into(), |i| format!("operand {i}"))
        }
        Some(other) => format!("{other:?}"),
    }
}

#[test]
fn movements() {
    let (perm, insert, slices) =
        (|t: &str| attr(S::Perm, t), |t: &str| attr(S::Insert, t), |t: &str| attr(S::Slices, t));
    assert_eq!(call("compose", &[], |_| vec![perm("[1,2,0]"), perm("[1,0,2]")]), "[0,2,1]");
    assert_eq!(call("compose", &[], |_| vec![perm("[1,0]"), perm("[1,0,2]")]), "nothing");
    assert_eq!(call("merge_inserts", &[], |_| vec![insert("[1:4]"), insert("[0:2]")]), "[0:2,1:4]");
    assert_eq!(call("merge_inserts", &[], |_| vec![insert("[0:4]"), insert("[0:2]")]), "[0:4,1:2]");
    assert_eq!(call("compose_slices", &[], |_| vec![slices("[4:2:-3]"), slices("[9:5:-2]")]), "[1:2:6]");
    let join = |parts: &[&str]| {
        let list = Bound::List(parts.iter().map(|p| attr(S::Slices, p)).collect());
        call("join_slices", &[], |_| vec![attr(S::Axis, "0"), list.clone()])
    };
    assert_eq!(join(&["[0:2]", "[2:3]"]), "[0:5]");
    assert_eq!(join(&["[0:2]", "[3:3]"]), "nothing");
    assert_eq!(join(&["[3:1]", "[2:1]"]), "[3:2:-1]");
    assert_eq!(join(&["[3:1]", "[3:1]"]), "nothing");
    let part = |name: &str, s: &str| {
        call(name, &["f32[2,3]", "f32[4,3]"], |o| vec![slices(s), attr(S::Axis, "0"), Bound::List(o.to_vec())])
    };
    assert_eq!((part("part", "[3:2,0:3]"), part("part_slices", "[3:2,0:3]")), ("operand 1".into(), "[1:2,0:3]".into()));
    assert_eq!(part("part", "[1:2,0:3]"), "nothing");
}

#[test]
fn reshapes_of_broadcasts_and_permutes_need_whole_blocks() {
    let broadcast = |name: &str, s: &str, b: &str| {
        call(name, &["f32[2,3]"], |o| vec![attr(S::Dims, s), attr(S::Insert, b), o[0].clone()])
    };
    assert_eq!(broadcast("reshape_insert", "[4,6]", "[0:4]"), "[0:4]");
    assert_eq!(broadcast("reshape_kept", "[4,6]", "[0:4]"), "[6]");
    assert_eq!(broadcast("reshape_insert", "[8,3]", "[0:4]"), "nothing");
    let permute = |name: &str, s: &str, p: &str| {
        call(name, &["f32[n,12,64,5]"], |o| vec![attr(S::Dims, s), attr(S::Perm, p), o[0].clone()])
    };
    assert_eq!(permute("reshape_perm", "[n,5,768]", "[0,3,1,2]"), "[0,2,1]");
    assert_eq!(permute("reshape_before", "[n,5,768]", "[0,3,1,2]"), "[n,768,5]");
    assert_eq!(permute("reshape_perm", "[n,60,64]", "[0,3,1,2]"), "nothing");
}

#[test]
fn specs_and_windows() {
    let spec = |t: &str| attr(S::Spec, t);
    let number = Bound::Number;
    let conv = "{a d 2c+e-1, b d e -> a b c | c=4 e=3}";
    assert_eq!(
        call("relabel", &[], |_| vec![spec(conv), number(0), attr(S::Perm, "[0,2,1]")]),
        "{a 2c+d-1 e, b e d -> a b c | c=4 d=3}"
    );
    let pad = |p: &str| call("pad_into", &["f32[1,2,7]"], |o| vec![spec(conv), attr(S::Pads, p), o[0].clone()]);
    assert_eq!(pad("[0:0,0:0,2:1]"), "{a d 2c+e-3, b d e -> a b c | c=4 e=3}");
    assert_eq!(pad("[0:0,1:0,0:0]"), "nothing", "a channel axis is no window");
    assert_eq!(pad("[0:0,0:0,0:0:1]"), "nothing", "cells between elements");
    let scale = |from: i64, b: &str| {
        call("scale_insert", &["f32[6,2,3]"], |o| {
            vec![spec(conv), number(from), number(1), attr(S::Insert, b), o[0].clone()]
        })
    };
    assert_eq!(scale(2, "[0:1,2:4]"), "[1:2,2:3]", "a result channel");
    assert_eq!(scale(0, "[0:1,2:7]"), "[0:6,2:3]", "a channel of the data");
    assert_eq!(scale(0, "[0:1,1:2]"), "nothing", "the windowed axis");
    assert_eq!(scale(2, "[1:6,2:4]"), "nothing", "the batch axis");
    assert_eq!(call("reduce_twice", &[], |_| vec![spec("{a b -> b}"), spec("{a b c -> c a}")]), "{a b c -> a}");
    assert_eq!(
        call("count", &["f16[2,70000]"], |o| vec![spec("{a b -> a}"), o[0].clone(), attr(S::DType, "f16")]),
        "nothing"
    );
    assert_eq!(call("trailing_axes", &[], |_| vec![spec("{a b c -> a}")]), "2");
    assert_eq!(call("trailing_axes", &[], |_| vec![spec("{a b c -> b c}")]), "nothing");
}
