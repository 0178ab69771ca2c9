//! Derivations written by hand: what they say, what they leave out, and how they are joined.

use super::*;
use crate::dtype::{DType, Literal};
use crate::graph::Args;
use crate::op::scalar::Scalar;
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::text::parse;
use crate::types::Type;

fn reason(name: &str) -> Reason {
    Reason {
        kind: Kind::Rule,
        name: name.into(),
        text: String::new(),
        place: "test.rules:1".into(),
        numeric: Numeric::Exact,
        cite: String::new(),
    }
}

fn map(d: &mut Derivation, f: Scalar, args: &[ValueId]) -> ValueId {
    d.terms.add(Op::Map(f), Args::from_slice(args), &Origins::none()).expect("it types")
}

/// neg (neg x) = x, under exp, and something that is not needed.
fn example() -> (Derivation, ValueId) {
    let mut graph = Graph::new("g");
    graph.input("x", Type::fixed(DType::F32, &[2]));
    let mut d = Derivation::default();
    let x = d.terms.inputs(&graph)[0];
    let n = map(&mut d, Scalar::Neg, &[x]);
    let nn = map(&mut d, Scalar::Neg, &[n]);
    let e = map(&mut d, Scalar::Exp, &[nn]);
    let plain = map(&mut d, Scalar::Exp, &[x]);
    let idle = map(&mut d, Scalar::Abs, &[n]);
    let other = map(&mut d, Scalar::Abs, &[x]);
    let (neg, abs) = (d.reason(&reason("neg-neg")), d.reason(&reason("abs-neg")));
    let step = |reason, left, right| Step { reason, left, right, leaves: vec![x], bindings: String::new(), round: 1 };
    d.step(step(abs, idle, other));
    d.step(step(neg, nn, x));
    d.congruence(e, plain);
    d.congruence(plain, e);
    d.goals.push(Goal { name: "y".into(), original: e, chosen: plain });
    (d, x)
}

#[test]
fn entries_are_a_forest_and_slices_hold_what_goals_need() {
    let (d, _) = example();
    assert_eq!(d.entries.len(), 3, "a congruence that is known is left out");
    let sliced = d.sliced();
    assert_eq!(sliced.entries.len(), 2);
    assert_eq!(sliced.reason_of(sliced.steps().next().expect("a step")).name, "neg-neg");
    let g = &d.goals[0];
    assert_eq!(d.forest().path(g.original, g.chosen).map(|p| p.len()), Some(1));
    assert_eq!(d.forest().path(g.original, ValueId(0)), None);
}

#[test]
fn terms_of_several_graphs_meet_by_content() {
    let text = "graph \"g\" {\n %0 = input \"x\" : f32[2]\n %1 = dense f32[2] {1.0f32, 2.0f32} : f32[2]\n %2 = map add %0, %1 : f32[2]\n return \"y\" %2\n}";
    let first = parse(text).expect("it parses");
    let mut second = Graph::new("h");
    second.constant(Tensor::from_slice([1], &[7.0f32]).expect("a tensor"));
    let c = second.constant(Tensor::from_slice([2], &[1.0f32, 2.0]).expect("a tensor"));
    let x = second.input("x", Type::fixed(DType::F32, &[2]));
    second.add(Op::Map(Scalar::Add), &[x, c], Origins::none()).expect("it types");
    let mut terms = Terms::default();
    let inputs = terms.inputs(&first);
    let a = terms.graph_terms(&first, &inputs).expect("it types");
    let inputs = terms.inputs(&second);
    let b = terms.graph_terms(&second, &inputs).expect("it types");
    assert_eq!(a.last(), b.last());
    assert_eq!(terms.graph().inputs.len(), 1);
}

#[test]
fn a_derivation_is_taken_over_with_other_leaves() {
    let (d, _) = example();
    let mut graph = Graph::new("outer");
    let x = graph.input("a", Type::fixed(DType::F32, &[2]));
    graph.add(Op::Map(Scalar::Tanh), &[x], Origins::none()).expect("it types");
    let mut terms = Terms::default();
    let inputs = terms.inputs(&graph);
    let leaf = *terms.graph_terms(&graph, &inputs).expect("it types").last().expect("a term");
    let renamed = d.renamed(&terms, &[leaf]).expect("it types");
    assert_eq!(renamed.entries.len(), d.entries.len());
    let step = renamed.steps().nth(1).expect("a step");
    assert_eq!((step.right, step.leaves.as_slice()), (leaf, [leaf].as_slice()));
    let wrong = Graph::new("scalar");
    let mut terms = Terms::default();
    terms.inputs(&wrong);
    let half = terms.add(Op::Const(crate::op::Const::Scalar(Literal::bool(true))), Args::new(), &Origins::none());
    assert!(d.renamed(&terms, &[half.expect("it types")]).is_err(), "neg of a bool has no type");
}

#[test]
fn derivations_follow_each_other() {
    let (first, x) = example();
    let mut second = first.clone();
    second.entries.clear();
    second = Derivation::new(second.terms.clone(), vec![], vec![], vec![]);
    let plain = map(&mut second, Scalar::Exp, &[x]);
    let sum = map(&mut second, Scalar::Abs, &[plain]);
    let r = second.reason(&reason("abs-exp"));
    second.step(Step { reason: r, left: plain, right: sum, leaves: vec![x], bindings: String::new(), round: 2 });
    second.goals.push(Goal { name: "y".into(), original: plain, chosen: sum });
    let mut both = first.clone();
    both.concat(&second).expect("it types");
    assert_eq!(both.goals.len(), 1);
    assert_eq!(both.goals[0].chosen, sum);
    assert_eq!(both.sliced().entries.len(), 3);
}

#[test]
fn an_instance_is_over_its_leaves_alone() {
    let (d, x) = example();
    let step = d.steps().nth(1).expect("a step").clone();
    let g = d.instance(&step).expect("an instance");
    assert_eq!((g.inputs.len(), g.outputs.len(), g.nodes().len()), (1, 2, 3));
    assert!(d.instance(&Step { leaves: vec![], ..step.clone() }).is_none());
    let text = d.step_text(&step, &|v| (v == x).then(|| "input".to_owned()));
    assert_eq!(text, "neg-neg (exact, test.rules:1): (map neg (map neg input))\n      =  input");
}
