//! Printing and parsing as inverses; places of errors.

use super::*;
use crate::text::print;

const ALL: &str = r#"graph "all \"kinds\"" {
  %0 = input "x" : f32[2,3,n]
  %1 = permute [1,0,2] %0 : f32[3,2,n]
  %2 = reshape [6,n] %1 : f32[6,n]
  %3 = 0.5f32 : f32[]
  %4 = broadcast [0:6,1:n] %3 : f32[6,n]
  %5 = map mul %2, %4 : f32[6,n]
  %6 = slice [5:3:-2,0:n] %5 : f32[3,n]
  %7 = pad [1:0,0:2:1] %6, %3 : f32[4,2+n+max(0,-1+n)]
  %8 = concat 0 %5, %6 : f32[9,n]
  %9 = dense i64[2] {1i64, -1i64} : i64[2]
  %10 = gather {@ b, a -> a b | neg} %8, %9 : f32[2,n]
  %11 = reduce sum {a b -> a} f32 %10 : f32[2]
  %12 = input "w" default f32[1,2] {0x7fc00001_f32, -inff32} : f32[1,2]
  %13 = contract {a c, c b -> a b} f32 f32 %12, %10 : f32[1,n]
  %14 = iota 4 f32 : f32[4]
  %15 = reshape [1,4] %14 : f32[1,4]
  %16 = reduce max {a 2b+c-1 -> a b | b=2 c=3} f32 %15 : f32[1,2]
  %17 = contract {a d (b-2e+1)/2, c e -> a b c d | b=7 e=3} f32 f32 %18, %19 : f32[1]
  return "y" %13, "y again" %13
}
"#;

#[test]
fn print_and_parse_are_inverse() {
    let text: String = ALL.lines().filter(|l| !l.contains("%17")).map(|l| format!("{l}\n")).collect();
    let graph = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&graph);
    assert_eq!(printed, text);
    assert_eq!(print(&parse(&printed).unwrap_or_else(|e| panic!("{e}"))), printed);
}

const BODIES: &str = r#"graph "g" {
  data y.0, z.0
  body 0 = graph "then" {
    outer n
    %0 = input "x" : f32[n]
    return "y" %0
  }
  body 1 = graph "else" {
    outer n
    %0 = input "x" : f32[n]
    %1 = slice [0:1] %0 : f32[1]
    return "y" %1
  }
  body 2 = graph "grow" {
    %0 = input "i" : i64[]
    %1 = input "x" : f32[own]
    %2 = concat 0 %1, %1 : f32[2*own]
    return "x" %2, "each" %0
  }
  %0 = input "c" : bool[]
  %1 = input "x" : f32[n]
  %2 = if 0 1 (f32[y.0]) %0, %1 : (f32[y.0])
  %3 = proj 0 %2 : f32[y.0]
  %4 = loop 2 trip=3 exit=never carried=1 scanned=0 (f32[z.0], i64[3]) %3 : (f32[z.0], i64[3])
  %5 = proj 0 %4 : f32[z.0]
  return "z" %5
}
"#;

#[test]
fn bodies_print_parse_and_check() {
    let graph = parse(BODIES).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&graph), BODIES);
    crate::check(graph.clone()).unwrap_or_else(|e| panic!("{e:?}"));
    let x = Tensor::from_slice(vec![2], &[3.0f32, 4.0]).unwrap();
    let yes = Tensor::from_slice(vec![], &[true]).unwrap();
    let z = crate::eval::native(&graph, &[yes, x]).unwrap().remove(0);
    assert_eq!(z.shape(), [16]);
    let at = |from: &str, to: &str| parse(&BODIES.replace(from, to)).map(|_| ()).unwrap_err().to_string();
    assert_eq!(at("body 1 =", "body 2 ="), "8:8: the next body is 1");
    assert_eq!(at("(f32[y.0])", "(f32[7])"), "22:3: if: body 0: result 0 is f32[7], it gets f32[n]");
    assert_eq!(at("loop 2 trip=3", "loop 2 trip=4"), "24:3: loop: body 2: 3 slices of the stacked value 1");
}

#[test]
fn large_constants_come_back_in_the_whole_form() {
    let mut graph = Graph::new("weights");
    let values: Vec<f32> = (0..100u16).map(|i| f32::from(i) / 7.0).collect();
    let v = graph.constant(Tensor::from_slice([4, 25], &values).unwrap());
    graph.output("w", v);
    let text = crate::text::print_whole(&graph);
    let back = parse(&text).unwrap();
    let ConstId(id) = match back.nodes()[0].op {
        Op::Const(crate::op::Const::Dense(id)) => id,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(back.tables.consts[id as usize].to_vec::<f32>(), Some(values));
    assert_eq!(crate::text::print_whole(&back), text);
    let error = parse(&print(&graph)).unwrap_err();
    assert_eq!((error.line, error.problem.contains("refers to it")), (2, true));
    let damaged = text.replace("\"AAAA", "\"!AAA");
    assert!(parse(&damaged).unwrap_err().problem.contains("base 64"));
}

#[test]
fn bound_symbols_become_numbers_everywhere() {
    let text =
        "graph \"g\" {\n  %0 = input \"x\" : f32[n,2]\n  %1 = reshape [2*n] %0 : f32[2*n]\n  return \"y\" %1\n}\n";
    let bound = parse_bound(text, &|s| (s.name() == "n").then_some(3)).unwrap();
    assert_eq!(bound.ty(ValueId(1)).to_string(), "f32[6]");
    assert_eq!(parse(text).unwrap().ty(ValueId(1)).to_string(), "f32[2*n]");
}

#[test]
fn errors_point_at_a_place() {
    let at = |text: &str| parse(text).map(|_| ()).unwrap_err().to_string();
    assert_eq!(at(ALL), "19:69: %18 is not defined here");
    assert_eq!(at("graph \"g\" {\n  %0 = input \"x\" : f99[2]\n"), "2:20: `f99` is no element type");
    assert_eq!(at("graph \"g\" {\n  %0 = frob %0\n"), "2:8: `frob` is no kind that has a text form");
    assert_eq!(
        at("graph \"g\" {\n  %0 = input \"x\" : f32[2]\n  %1 = permute [0,0] %0\n"),
        "3:22: [0, 0] is no permutation"
    );
}
