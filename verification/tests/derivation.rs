//! Derivations of the engine under the independent checker: every filetest replays and every step of it evaluates equal,
//! what is tampered with is refused, wrong rules are named and innocent ones are not.

use std::collections::BTreeMap;
use std::path::Path;

use egret_ir::choice::ClassId;
use egret_ir::derivation::{Derivation, Entry, Step, Terms};
use egret_ir::graph::Node;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Op, Perm};
use egret_ir::{DType, Graph, Numeric, Origins, Type, Typed, ValueId, check, text};
use egret_rules::engine::evidence::Place;
use egret_rules::{Config, RuleSet, saturate};
use egret_verification::derivation::evaluate::judge_all;
use egret_verification::derivation::{Fault, Judgement, between, bisect, judge, replay};
use egret_verification::inputs;
use proptest::prelude::*;

fn graph(text: &str) -> Typed {
    check(text::parse(text).expect("the text parses")).expect("the graph checks")
}

/// The graph of the smallest ways, and why it is equal.
fn smallest(g: &Typed, rules: &RuleSet, numeric: Numeric) -> (Graph, Derivation) {
    let s = saturate(g, rules, &Config::for_nodes(g.nodes().len()).numeric(numeric));
    assert!(s.faults().is_empty(), "{:?}", s.faults());
    let choice = s.classes.smallest(&|_, _| true);
    let best = s.classes.graph_of(&s.classes.outputs, &choice).expect("a finite choice").pruned();
    let d = s.derivation(rules, g, &best, &BTreeMap::<ValueId, ClassId>::new(), 1).expect("it types");
    (best, d)
}

/// Cases of the engine's filetests: class and graph.
fn cases() -> Vec<(Numeric, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rewrite-rules/tests/files/optimize.txt");
    let content = std::fs::read_to_string(path).expect("the engine's filetests");
    let case = |c: &str| {
        let input = c.split("\n=====\n").next().expect("an input").trim_start();
        let (header, body) = input.split_once('\n').expect("a header");
        let numeric = header.split("numeric=").nth(1).and_then(|w| Numeric::from_name(w.trim()));
        (numeric.unwrap_or(Numeric::Reassociates), body.to_owned())
    };
    content.split("\n-----\n").filter(|c| c.trim_start().starts_with("optimize")).map(case).collect()
}

#[test]
fn every_filetest_replays_and_every_step_evaluates_equal() {
    let rules = RuleSet::builtin();
    let (mut steps, mut agree) = (0, 0);
    for (numeric, body) in cases() {
        let Ok(parsed) = text::parse(&body) else { continue };
        let g = check(parsed).expect("the graph of a filetest checks");
        // What was chosen,
        let (best, d) = smallest(&g, &rules, numeric);
        let seen = replay(&d).unwrap_or_else(|e| panic!("{body}\n{d}\n{e}"));
        between(&d, &g, &best).unwrap_or_else(|e| panic!("{body}\n{d}\n{e}"));
        assert_eq!(seen.goals, g.outputs.len());
        // and everything that was found.
        let s = saturate(&g, &rules, &Config::for_nodes(g.nodes().len()).numeric(numeric));
        let mut all = Derivation::default();
        let inputs = all.terms.inputs(&g);
        let at = Place { inputs: &inputs, constant: &|_| None, origins: &Origins::clone, round: 1 };
        s.log.evidence(&rules, &mut all, &at).expect("it types");
        replay(&all).unwrap_or_else(|e| panic!("{body}\n{all}\n{e}"));
        for (step, judged) in all.steps().zip(judge_all(&all, 0)) {
            steps += 1;
            match judged {
                Judgement::Agrees => agree += 1,
                Judgement::Differs(x) => panic!("{body}\n{}\n{x:?}", all.step_text(step, &|_| None)),
                Judgement::Unknown(_) => {}
            }
        }
    }
    assert!(steps >= 40 && agree * 10 >= steps * 9, "{agree} of {steps} steps evaluated");
}

/// x' = x − permute(exp(permute x)), `depth` times: as a tree it has 2^depth leaves.
fn residual_chain(depth: usize) -> Typed {
    let mut g = Graph::new("chain");
    let mut x = g.input("x", Type::fixed(DType::F32, &[2, 3]));
    let add = |g: &mut Graph, op: Op, args: &[ValueId]| g.add(op, args, Origins::none()).expect("it types");
    let swap = || Op::Permute(Perm::new(&[1, 0]).expect("a permutation"));
    for _ in 0..depth {
        let p = add(&mut g, swap(), &[x]);
        let e = add(&mut g, Op::Map(Scalar::Exp), &[p]);
        let q = add(&mut g, swap(), &[e]);
        x = add(&mut g, Op::Map(Scalar::Sub), &[x, q]);
    }
    g.output("y", x);
    check(g).expect("it checks")
}

#[test]
fn a_deep_residual_chain_has_a_small_derivation() {
    let g = residual_chain(50);
    let (best, d) = smallest(&g, &RuleSet::builtin(), Numeric::Reassociates);
    let seen = replay(&d).expect("it replays");
    between(&d, &g, &best).expect("it is about these graphs");
    assert!(seen.steps >= 50 && seen.steps + seen.congruences < 1000, "{seen:?}");
    assert!(d.to_string().len() < 500_000);
    let round = serde_json::to_string(&d).expect("it serializes");
    let back: Derivation = serde_json::from_str(&round).expect("it reads back");
    assert!(back == d && replay(&back).is_ok());
}

/// Twelve encoder layers as the reader lowers them: layer norm, softmax and GELU in single steps.
fn encoder(layers: usize) -> Typed {
    let layer = |i: usize, x: &str| {
        format!(
            "\n %{a} = permute [1,0] {x} : f32[4,4]\n %{b} = contract {{i k, k j -> i j}} f32 f32 {x}, %{a} : f32[4,4]\n \
             %{c} = map exp %{b} : f32[4,4]\n %{d} = reduce sum {{i j -> i}} f32 %{c} : f32[4]\n \
             %{e} = broadcast [1:4] %{d} : f32[4,4]\n %{f} = map div %{c}, %{e} : f32[4,4]\n %{g} = permute [1,0] %{f} : f32[4,4]\n \
             %{h} = map neg %{g} : f32[4,4]\n %{k} = permute [1,0] %{h} : f32[4,4]\n %{l} = map neg %{k} : f32[4,4]\n \
             %{m} = map add {x}, %{l} : f32[4,4]",
            a = i,
            b = i + 1,
            c = i + 2,
            d = i + 3,
            e = i + 4,
            f = i + 5,
            g = i + 6,
            h = i + 7,
            k = i + 8,
            l = i + 9,
            m = i + 10
        )
    };
    let mut text = "graph \"encoder\" {\n %0 = input \"x\" : f32[4,4]".to_owned();
    let mut x = "%0".to_owned();
    for n in 0..layers {
        text.push_str(&layer(1 + 11 * n, &x));
        x = format!("%{}", 11 * (n + 1));
    }
    graph(&format!("{text}\n return \"y\" {x}\n}}"))
}

#[test]
fn twelve_layers_replay_in_a_debug_build() {
    let g = encoder(12);
    let (best, d) = smallest(&g, &RuleSet::builtin(), Numeric::Reassociates);
    let seen = replay(&d).expect("it replays");
    between(&d, &g, &best).expect("it is about these graphs");
    assert!(seen.steps >= 24, "{seen:?}");
}

/// The graph of the tampering tests: several rules in a row.
fn tampered() -> Derivation {
    let g = residual_chain(3);
    smallest(&g, &RuleSet::builtin(), Numeric::Reassociates).1
}

/// Whether the derivation still shows what it should: it replays, is about the same goals, and every step that can be
/// evaluated agrees.
fn accepted(d: &Derivation) -> bool {
    replay(d).is_ok() && judge_all(d, 0).iter().all(|j| *j == Judgement::Agrees)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_dropped_entry_is_missed(at in any::<prop::sample::Index>()) {
        let d = tampered();
        prop_assert!(accepted(&d));
        let mut entries = d.entries.clone();
        entries.remove(at.index(entries.len()));
        prop_assert!(replay(&Derivation::new(d.terms.clone(), d.reasons.clone(), entries, d.goals.clone())).is_err());
    }

    #[test]
    fn an_entry_before_what_it_needs_is_refused(at in any::<prop::sample::Index>()) {
        let d = tampered();
        // A congruence, put before everything: its operands are equal by nothing.
        let needy: Vec<usize> = (0..d.entries.len()).filter(|i| matches!(d.entries[*i], Entry::Congruence { .. })).collect();
        prop_assume!(!needy.is_empty());
        let mut entries = d.entries.clone();
        let e = entries.remove(needy[at.index(needy.len())]);
        entries.insert(0, e);
        let moved = Derivation::new(d.terms.clone(), d.reasons.clone(), entries, d.goals.clone());
        let refused = matches!(replay(&moved), Err(Fault::Operands { entry: 0, .. }));
        prop_assert!(refused);
    }

    #[test]
    fn a_swapped_leaf_or_side_is_refused(at in any::<prop::sample::Index>(), by in any::<prop::sample::Index>(), part in 0..3) {
        let d = tampered();
        let steps: Vec<usize> = (0..d.entries.len()).filter(|i| matches!(d.entries[*i], Entry::Step(_))).collect();
        let i = steps[at.index(steps.len())];
        let Entry::Step(step) = d.entries[i].clone() else { unreachable!("a step") };
        let other = ValueId(by.index(d.terms.graph().nodes().len()) as u32);
        let mut wrong = step.clone();
        match part {
            0 => wrong.leaves = vec![other],
            1 => wrong.left = other,
            _ => wrong.right = other,
        }
        prop_assume!(wrong != step);
        // Leaves that cut higher say the same of more: only those that do not cut are wrong.
        let mut entries = d.entries.clone();
        entries[i] = Entry::Step(wrong.clone());
        let changed = Derivation::new(d.terms.clone(), d.reasons.clone(), entries, d.goals.clone());
        let harmless = part == 0 && d.instance(&wrong).is_some() && judge(&d, &wrong, 1) == Judgement::Agrees;
        prop_assert!(harmless || !accepted(&changed), "{}", changed);
    }

    #[test]
    fn a_changed_attribute_is_refused(at in any::<prop::sample::Index>()) {
        let d = tampered();
        let graph = d.terms.graph();
        let maps: Vec<ValueId> = graph.values().filter(|v| matches!(graph.node(*v).op, Op::Map(Scalar::Exp))).collect();
        let v = maps[at.index(maps.len())];
        let mut changed = Graph::new("changed");
        changed.tables = graph.tables.clone();
        changed.inputs.clone_from(&graph.inputs);
        for u in graph.values() {
            let node = graph.node(u);
            let op = if u == v { Op::Map(Scalar::Tanh) } else { node.op.clone() };
            changed.push(Node { op, ..node.clone() });
        }
        let d = Derivation::new(Terms::of(changed), d.reasons.clone(), d.entries.clone(), d.goals.clone());
        prop_assert!(!accepted(&d) || between(&d, &residual_chain(3), &residual_chain(3)).is_err());
    }
}

/// Rules of a file beside the built-in ones.
fn with(text: &str) -> RuleSet {
    RuleSet::builtin().join(RuleSet::load(&[("user.rules", text)]).unwrap_or_else(|e| panic!("{}", e[0])))
}

/// The rule that is blamed first for the smallest graph, on random inputs.
fn blamed(g: &Typed, rules: &RuleSet) -> Option<String> {
    let (_, d) = smallest(g, rules, Numeric::Reassociates);
    replay(&d).expect("it replays, wrong as it is");
    let values = inputs::for_graph(g, &[], &[], 7).expect("inputs");
    bisect(&d, &values).blamed.first().map(|b| b.rule.clone())
}

#[test]
fn wrong_rules_are_named_and_innocent_ones_are_not() {
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : f32[3,3]\n %1 = map exp %0 : f32[3,3]\n %2 = permute [1,0] %1 : f32[3,3]\n \
         %3 = map tanh %2 : f32[3,3]\n %4 = map neg %3 : f32[3,3]\n %5 = map neg %4 : f32[3,3]\n \
         %6 = reduce sum {i j -> i} f32 %5 : f32[3]\n %7 = 0.5f32 : f32[]\n %8 = broadcast [0:3] %7 : f32[3]\n \
         %9 = map mul %6, %8 : f32[3]\n %10 = map abs %9 : f32[3]\n %11 = map sigmoid %10 : f32[3]\n return \"y\" %11\n}",
    );
    let wrong = [
        ("wrong-axis", "wrong-axis : (permute ?p ?x) => ?x\n    exact cite \"no\" try ?x=f32[3,3] ?p=[1,0]\n"),
        ("dropped-term", "dropped-term : (map mul ?x %c) => ?x\n    exact cite \"no\" try ?x=f32[3] %c=0.5f32\n"),
        (
            "wrong-constant",
            "wrong-constant : (map abs (map mul ?x 0.5)) => (map abs ?x)\n    exact cite \"no\" try ?x=f32[3]\n",
        ),
        (
            "wrong-condition",
            "wrong-condition : (map tanh ?x) => ?x  if float(?x)\n    exact cite \"no\" try ?x=f32[3]\n",
        ),
        (
            "no-sigmoid",
            "no-sigmoid : (map sigmoid (map abs ?x)) => (map abs ?x)\n    exact cite \"no\" try ?x=f32[3]\n",
        ),
    ];
    for (name, text) in wrong {
        assert_eq!(blamed(&g, &with(text)).as_deref(), Some(name), "{text}");
    }
    assert_eq!(blamed(&g, &RuleSet::builtin()), None);
    let right =
        "right : (map tanh (map neg (map neg ?x))) => (map tanh ?x)\n    exact cite \"-(-x) = x\" try ?x=f32[3]\n";
    assert_eq!(blamed(&g, &with(right)), None);
}

#[test]
fn a_wrong_instance_is_seen_apart() {
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : f32[3,3]\n %1 = permute [1,0] %0 : f32[3,3]\n %2 = map exp %1 : f32[3,3]\n return \"y\" %2\n}",
    );
    let rules = with("wrong : (permute ?p ?x) => ?x\n    exact cite \"no\" try ?x=f32[3,3] ?p=[1,0]\n");
    let (_, d) = smallest(&g, &rules, Numeric::Exact);
    let step: &Step = d.steps().find(|s| d.reason_of(s).name == "wrong").expect("the wrong rule is used");
    assert!(matches!(judge(&d, step, 0), Judgement::Differs(_)));
    assert_eq!(d.reason_of(step).place, "user.rules:1");
}
