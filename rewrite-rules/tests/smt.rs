//! What a solver proves of rules, and what it does not. Where no `z3` is in PATH only the kept answers are tested.

use egret_rules::lang::Rule;
use egret_rules::rulecheck::lock::Lock;
use egret_rules::rulecheck::mutate::mutants;
use egret_rules::rulecheck::prove::{Proof, SmtNote, prove, questions};
use egret_rules::rulecheck::smt::{Answer, Oracle, Solver};
use egret_rules::rulecheck::{Evidence, check, check_by};
use egret_rules::{RuleSet, rulecheck};

fn solver(what: &str) -> Option<Solver> {
    let found = Solver::find();
    if found.is_none() {
        eprintln!("no z3 in PATH: {what} is not tested");
    }
    found
}

fn rule(text: &str) -> Rule {
    let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{text}\n"))]).expect("the rule loads");
    rules.rules[0].clone()
}

const KEPT: &str = "kept : (map and (map le ?x ?a) (map le ?x ?b)) => (map le ?x (map min ?a ?b))
    exact   cite \"-\"    try ?x=f32[8] ?a=f32[8] ?b=f32[8]    try ?x=i32[8] ?a=i32[8] ?b=i32[8]";

#[test]
fn kept_answers_are_of_these_questions_alone() {
    let kept = Oracle { solver: None, known: Lock::builtin().answers() };
    // The library has the same rule under another name.
    let right = check_by(&rule(KEPT), &kept);
    assert_eq!((right.failures.as_slice(), right.evidence), (&[][..], Evidence::Proved));
    assert!(right.structural.smt.is_some());
    // Nobody has answered this one, which asks the same of other numbers.
    let other = rule(&KEPT.replace("(map le ?x ?b)", "(map le ?x (map neg ?b))").replace("?a ?b)", "?a (map neg ?b))"));
    let report = check_by(&other, &kept);
    assert_eq!((report.failures.as_slice(), report.evidence), (&[][..], Evidence::Tested));
    assert_eq!(report.smt, SmtNote::Unasked);
    // Without answers the first is open, too.
    assert_eq!(check(&rule(KEPT)).evidence, Evidence::Tested);
}

#[test]
fn questions_repeat_and_are_few() {
    let first = questions(&rule(KEPT)).expect("every structure has a question");
    assert_eq!(Some(&first), questions(&rule(KEPT)).as_ref());
    // Ranks and extents do not matter to a pointwise rule, types do.
    assert!((2..=8).contains(&first.texts().len()), "{}", first.texts().len());
    assert!(first.texts().iter().all(|q| !q.contains("Int")));
}

#[test]
fn wrong_rules_have_values() {
    let Some(solver) = solver("that wrong rules are not proved") else { return };
    let oracle = Oracle { solver: Some(solver.clone()), known: Vec::new() };
    assert!(matches!(prove(&rule(KEPT), &oracle), Proof::Proved(_)));
    for wrong in [
        KEPT.replace("map min", "map max"),
        KEPT.replace("(map le ?x (map min", "(map lt ?x (map min"),
        KEPT.replace("(map le ?x ?b)", "(map le ?b ?x)"),
    ] {
        let Proof::Open { smt: SmtNote::Values(model), .. } = prove(&rule(&wrong), &oracle) else {
            panic!("no values for {wrong}")
        };
        assert!(model.contains("define-fun"), "{model}");
    }
    // Of an index: the second part begins one element too early.
    let sliced =
        "sliced : (map not (map xor (slice ?s ?x) (slice ?s ?y))) => (map xor (map not (slice ?s ?x)) (slice ?s ?y))
    exact   cite \"-\"    try ?x=bool[4] ?y=bool[4] ?s=[1:1:2]";
    match questions(&rule(sliced)) {
        Some(q) => assert!(q.texts().iter().all(|q| solver.ask(q) == Answer::Unsat)),
        None => panic!("no questions"),
    }
}

/// Mutants that the check refuses by values are not proved by the solver either.
#[test]
fn broken_rules_are_not_proved() {
    let Some(solver) = solver("that broken rules are not proved") else { return };
    let oracle = Oracle { solver: Some(solver), known: Vec::new() };
    let set = RuleSet::builtin();
    let (mut wrong, mut proved) = (0, Vec::new());
    for name in ["le-of-both", "select-min-above", "xor-twice", "abs-unsigned", "max-of-negs", "cast-to-bool-of-neg"] {
        for m in mutants(&set).iter().filter(|m| *m.of == *name) {
            let by_values = rulecheck::check(&m.rule)
                .failures
                .iter()
                .any(|f| matches!(f, rulecheck::Failure::DrawDiffers { .. } | rulecheck::Failure::ValueDiffers { .. }));
            if by_values {
                wrong += 1;
                if let Proof::Proved(_) = prove(&m.rule, &oracle) {
                    proved.push(m.rule.text.to_string());
                }
            }
        }
    }
    assert!(wrong >= 20, "{wrong} wrong mutants");
    assert!(proved.is_empty(), "{proved:#?}");
}
