//! Extents that only data decides: bound by witnesses, checked by inference, kept by the text form.

use super::t;
use crate::eval::{Trap, native};
use crate::{Graph, check, text};

/// Positions of the non-zero elements of a vector, and their number doubled.
const NONZERO: &str = r#"graph "nonzero" {
  data n
  %0 = input "x" : f32[k]
  %1 = 0.0f32 : f32[]
  %2 = broadcast [0:k] %1 : f32[k]
  %3 = map eq %0, %2 : bool[k]
  %4 = map not %3 : bool[k]
  %5 = map cast:i64 %4 : i64[k]
  %6 = reduce sum {a ->} i64 %5 : i64[]
  %7 = argsort descending 0 n %5, %6 : i64[n]
  %8 = iota n i64 %6 : i64[n]
  %9 = broadcast [1:n] %8 : i64[n,n]
  %10 = dim 2*n %7 : i64[]
  return "at" %7, "ramp" %8, "square" %9, "twice" %10
}
"#;

fn graph(text: &str) -> Graph {
    text::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn witnesses_bind_extents() {
    let g = check(graph(NONZERO)).unwrap();
    let out = native(&g, &[t(&[5], &[0f32, 3., f32::NAN, -0.0, 1.])]).unwrap();
    assert_eq!(out[0], t(&[3], &[1i64, 2, 4]));
    assert_eq!(out[1], t(&[3], &[0i64, 1, 2]));
    assert_eq!(out[2], t(&[3, 3], &[0i64, 0, 0, 1, 1, 1, 2, 2, 2]));
    assert_eq!(out[3], t(&[], &[6i64]));
    let none = native(&g, &[t(&[2], &[0f32, 0.])]).unwrap();
    assert_eq!((none[0].shape(), none[3].get(0).to_i64()), (&[0usize][..], 0));
}

#[test]
fn the_text_form_keeps_which_symbols_data_decides() {
    assert_eq!(text::print(&graph(NONZERO)), NONZERO);
}

#[test]
fn inference_asks_for_witnesses() {
    let fault = |from: &str, to: &str| {
        let changed = NONZERO.replace(from, to);
        assert_ne!(changed, NONZERO);
        text::parse(&changed).unwrap_err().problem
    };
    assert_eq!(fault("%5, %6 : i64[n]", "%5 : i64[n]"), "argsort takes 2 operands, got 1");
    assert_eq!(fault("iota n i64 %6", "iota n i64 %6, %6"), "iota takes 1 operands, got 2");
    assert_eq!(
        fault("broadcast [1:n] %8 : i64[n,n]", "broadcast [1:n] %8, %6 : i64[n,n]"),
        "broadcast takes 1 operands, got 2"
    );
    assert_eq!(
        fault("iota n i64 %6", "iota n i64 %5"),
        "operand 0 of iota is a witness of an extent and must be i64[], got i64[k]"
    );
    assert_eq!(fault("dim 2*n %7", "dim 2*n"), "dim takes 1 operands, got 0");
    assert_eq!(fault("dim 2*n %7", "dim 2*n %5"), "dim takes 2 operands, got 1");
    let pooled = "reduce max {2a+b -> a | a=n b=2} i64 %5 : i64[n]";
    let message = fault("argsort descending 0 n %5, %6 : i64[n]", pooled);
    assert_eq!(message, "reduce mentions n, which only data decides and no operand's shape mentions");
}

#[test]
fn witnesses_that_disagree_are_told() {
    let g = graph(
        "graph \"g\" {\n  data n\n  %0 = input \"a\" : i64[]\n  %1 = input \"b\" : i64[]\n  %2 = iota n i64 %0\n  \
         %3 = iota n i32 %1\n  return \"x\" %2, \"y\" %3\n}\n",
    );
    assert_eq!(native(&g, &[t(&[], &[2i64]), t(&[], &[2i64])]).unwrap()[0], t(&[2], &[0i64, 1]));
    let e = native(&g, &[t(&[], &[2i64]), t(&[], &[3i64])]).unwrap_err();
    assert!(matches!(e.trap, Trap::Witness { first: 2, second: 3, .. }), "{e}");
    let e = native(&g, &[t(&[], &[-1i64]), t(&[], &[-1i64])]).unwrap_err();
    assert!(matches!(e.trap, Trap::Extent(_)), "{e}");
}
