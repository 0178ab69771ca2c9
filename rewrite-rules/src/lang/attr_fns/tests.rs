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

#[test]
fn parts_of_a_summed_axis() {
    let part = |name: &str, s: &str, a: &str| {
        call(name, &["f32[3,4]", "f32[2,5]"], |o| {
            vec![attr(S::Spec, s), Bound::Number(0), attr(S::Axis, a), o[0].clone(), o[1].clone()]
        })
    };
    assert_eq!(part("first_summed", "{a b, b c -> a c}", "0"), "[0:2,0:3]");
    assert_eq!(part("second_summed", "{a b, b c -> a c}", "0"), "[0:2,3:2]");
    assert_eq!(part("first_summed", "{a b, b c -> a c}", "1"), "nothing", "an axis of the result");
}

#[test]
fn folds_of_broadcasts_and_reshapes() {
    let (spec, insert) = (|t: &str| attr(S::Spec, t), |t: &str| attr(S::Insert, t));
    let broadcast = |name: &str, s: &str, b: &str| call(name, &[], |_| vec![spec(s), insert(b)]);
    assert_eq!(broadcast("fold_insert", "{a b c -> a b}", "[0:4,2:5]"), "[0:4]");
    assert_eq!(broadcast("fold_kept", "{a b c -> a b}", "[0:4,2:5]"), "{a -> a}");
    assert_eq!(broadcast("fold_kept", "{a b -> a}", "[1:n]"), "nothing", "maybe no repetition");
    let times = |b: &str| call("fold_times", &[], |_| vec![spec("{a b c -> a}"), insert(b), attr(S::DType, "f16")]);
    assert_eq!((times("[1:4,2:5]"), times("[0:4]")), ("20.0f16".into(), "nothing".into()));
    let reshape =
        |s: &str, d: &str| call("fold_before", &["f32[n,12,64,5]"], |o| vec![spec(s), attr(S::Dims, d), o[0].clone()]);
    assert_eq!(reshape("{a b c -> a c}", "[n,768,5]"), "{a c d b -> a b}");
    assert_eq!(reshape("{a b c -> a}", "[n,12,320]"), "{a b c d -> a}");
    assert_eq!(reshape("{a b c -> a c}", "[n,24,160]"), "nothing", "a part of a group");
    let axis =
        |name: &str, s: &str, k: i64, a: &str| call(name, &[], |_| vec![spec(s), Bound::Number(k), attr(S::Axis, a)]);
    assert_eq!(axis("out_axis", "{a c, c b -> a b}", 1, "1"), "1");
    assert_eq!(axis("out_axis", "{a c, c b -> a b}", 1, "0"), "nothing", "summed");
    assert_eq!(axis("in_axis", "{a c, c b -> a b}", 0, "0"), "0");
    assert_eq!(axis("in_axis", "{a c, a c b -> a b}", 1, "0"), "nothing", "both have it");
    let product = call("product_spec", &[], |_| vec![spec("{a b c -> a b}"), insert("[1:4]"), insert("[0:2]")]);
    assert_eq!(product, "{a c, b c -> a b}");
    let alone = call("half_product_spec", &[], |_| vec![spec("{a b -> a}"), insert("[1:4]")]);
    assert_eq!(alone, "nothing", "summed in one factor only");
}

#[test]
fn contractions_change_their_labels() {
    let spec = |t: &str| attr(S::Spec, t);
    let (number, slices) = (Bound::Number, |t: &str| attr(S::Slices, t));
    let conv = "{a e 2c+f d+g-1, b e f g -> a b c d | c=3 d=5 f=1 g=3}";
    let bare = |name: &str, k: Option<i64>| {
        call(name, &["f32[1,8,5,5]", "f32[4,8,1,3]"], |o| {
            let k: Vec<Bound> = k.into_iter().map(number).collect();
            [vec![spec(conv)], k, o.to_vec()].concat()
        })
    };
    assert_eq!(bare("bare_spec", None), "{a e c d+f-1, b e f -> a b c d | d=5 f=3}");
    assert_eq!(bare("bare_slices", Some(0)), "[0:1,0:8,0:3:2,0:5]");
    assert_eq!(bare("bare_dims", Some(1)), "[4,8,3]");
    let cut = |t: &str| call("sliced_spec", &[], |_| vec![spec(conv), slices(t)]);
    assert_eq!(cut("[0:1,0:4,1:1:2,1:2:2]"), "{a e 4c+f+2 2d+g, b e f g -> a b c d | c=1 d=2 f=1 g=3}");
    assert_eq!(cut("[0:1,0:4,2:3:-1,0:5]"), "nothing", "a window runs forward");
    let pair = |name: &str| call(name, &[], |_| vec![spec("{a c, c b -> a b}"), spec("{a c, c b -> a b}")]);
    assert_eq!((pair("inner_spec"), pair("outer_spec")), ("{a c, c b -> a b}".into(), "{a c, c b -> a b}".into()));
    let reshaped = |d: &str, x: &str| {
        call("reshaped_spec", &[x], |o| vec![spec("{a b d, d c -> a b c}"), number(0), attr(S::Dims, d), o[0].clone()])
    };
    assert_eq!(reshaped("[2,3,4]", "f32[6,4]"), "{a c, c b -> a b}");
    assert_eq!(reshaped("[2,3,4]", "f32[2,12]"), "nothing", "a summed label is joined");
    assert_eq!(call("folded_axis", &[], |_| vec![spec("{a c, c b -> a b}"), number(1)]), "0");
    assert_eq!(call("out_perm", &[], |_| vec![spec("{b a, b -> a b}"), number(0)]), "[1,0]");
    let scale = |name: &str, rest: fn(&[Bound]) -> Vec<Bound>| {
        call(name, &["f32[2,3]", "i8[3,4]"], |o| {
            [vec![spec("{a c, c b -> a b}"), number(1), attr(S::Insert, "[0:3]")], rest(o)].concat()
        })
    };
    assert_eq!(scale("unscale_insert", <[Bound]>::to_vec), "[0:2]");
    assert_eq!(scale("unscale_perm", |_| vec![]), "[0]");
}

#[test]
fn slices_past_pads_and_reshapes() {
    let slices = |t: &str| attr(S::Slices, t);
    let pad =
        |name: &str, s: &str| call(name, &["f32[4,n]"], |o| vec![slices(s), attr(S::Pads, "[2:1,0:3]"), o[0].clone()]);
    assert_eq!(
        (pad("unpadded_slices", "[1:3,0:n+3]"), pad("cut_pad", "[1:3,0:n+3]")),
        ("[0:2,0:n]".into(), "[1:0,0:3]".into())
    );
    assert_eq!(pad("cut_pad", "[0:1,0:n+3]"), "[1:0,0:3]", "nothing but pads");
    assert_eq!(pad("cut_pad", "[0:7,1:n]"), "nothing", "of unknown extent, across the end");
    assert_eq!(pad("unpadded_slices", "[0:7,0:n]"), "[0:4,0:n]");
    let reshape =
        |s: &str| call("reshape_slices", &["f32[2,12]"], |o| vec![slices(s), attr(S::Dims, "[2,3,4]"), o[0].clone()]);
    assert_eq!(reshape("[0:2,1:2,0:4]"), "[0:2,4:8]");
    assert_eq!(reshape("[0:2,0:3,1:2]"), "nothing", "not the first part");
    let gather = |name: &str, g: &str| {
        call(name, &["f32[5,3]", "i64[2]"], |o| vec![attr(S::Gather, g), o[0].clone(), o[1].clone()])
    };
    assert_eq!(gather("gather_dims", "{@ b, a -> a b}"), "[2,3]");
    assert_eq!(gather("gather_slices", "{@ b, a -> a b}"), "nothing", "unknown indices");
}

#[test]
fn minimal_filters_cut_an_axis_into_tiles() {
    let spec = || attr(S::Spec, "{a d c+e-1, b d e -> a b c | c=7 e=3}");
    let ask = |name: &str, numbers: &[i64], operands: fn(&[Bound]) -> Vec<Bound>| {
        call(name, &["f32[1,8,7]", "f32[64,8,3]"], |o| {
            [vec![spec()], numbers.iter().map(|n| Bound::Number(*n)).collect(), operands(o)].concat()
        })
    };
    assert_eq!(ask("winograd_pads", &[2], |o| vec![o[0].clone()]), "[0:0,0:0,1:2]");
    assert_eq!(ask("winograd_cells", &[2, 3], |o| vec![o[0].clone()]), "[0:1,0:8,3:4:2]");
    assert_eq!(ask("winograd_tap", &[1], |o| vec![o[1].clone()]), "[0:64,0:8,1:1]");
    assert_eq!(ask("winograd_spec", &[], |_| vec![]), "{a d c, b d -> a b c}");
    assert_eq!(ask("winograd_joined", &[4], <[Bound]>::to_vec), "[1,64,8]");
    assert_eq!(ask("winograd_crop", &[4], <[Bound]>::to_vec), "[0:1,0:64,0:7]");
    let stride = attr(S::Spec, "{a d 2c+e-1, b d e -> a b c | c=4 e=3}");
    assert_eq!(call("winograd_spec", &[], |_| vec![stride.clone()]), "nothing");
}
