//! The check of rules finds what is wrong with them where the values in their text are too kind to show it.

use std::path::Path;

use egret_rules::RuleSet;
use egret_rules::lang::print::condition_text;
use egret_rules::rulecheck::enumerate::{Extents, draw, text};
use egret_rules::rulecheck::lock::Lock;
use egret_rules::rulecheck::prove::{Proof, prove};
use egret_rules::rulecheck::smt::{Oracle, Solver};
use egret_rules::rulecheck::{Evidence, Failure, check, check_all_by};

/// The failures of one rule.
fn failures(rule: &str) -> Vec<Failure> {
    let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{rule}\n"))]).expect("the rule loads");
    check(&rules.rules[0]).failures
}

/// Whether drawn values show that the sides differ.
fn differs(rule: &str) -> bool {
    failures(rule).iter().any(|f| matches!(f, Failure::DrawDiffers { .. }))
}

/// Checks the library; its lock must say the same (`BLESS=1` writes it).
#[test]
fn the_library_passes() {
    let rules = RuleSet::builtin();
    // Where there is no Z3, the answers kept in the lock count for the questions that they were given to.
    let oracle = Oracle { solver: Solver::find(), known: Lock::builtin().answers() };
    let report = check_all_by(&rules, &oracle, &|_| {});
    let failed: Vec<String> = report.failed().map(|r| format!("{}: {:?}", r.rule, r.failures)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    // Every rule meets values that nobody wrote down, most of them dozens.
    for r in &report.rules {
        assert!(r.drawn > 0, "{} is compared at no drawn values", r.rule);
    }
    assert!(report.rules.iter().filter(|r| r.drawn >= 90).count() * 10 > report.rules.len() * 9);
    let (lock, path) = (Lock::of(&rules, &report), Path::new(env!("CARGO_MANIFEST_DIR")).join("rules.lock"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, lock.text()).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(path).expect("rules.lock");
    assert!(kept == lock.text(), "rules.lock is stale for {:?}: BLESS=1 rewrites it", Lock::parse(&kept).stale(&rules));
    assert!(report.with(Evidence::Proved) >= 270, "{} proved", report.with(Evidence::Proved));
}

#[test]
fn wrong_rules_are_not_proved() {
    let open = |text: &str| {
        let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{text}\n"))]).expect("the rule loads");
        !matches!(prove(&rules.rules[0], &Oracle::default()), Proof::Proved(_))
    };
    // Real values are equal, bits are not.
    let shifted = "shifted : (map add (map add ?x ?y) ?z) => (map add ?x (map add ?y ?z))
    CLASS   cite \"-\"    try ?x=f32[2] ?y=f32[2] ?z=f32[2]";
    assert!(open(&shifted.replace("CLASS", "exact")));
    assert!(!open(&shifted.replace("CLASS", "reassociates")));
    assert!(open(
        "means : (reduce sum ?s ?acc (map mul ?x ?y)) => (map mul (reduce sum ?s ?acc ?x) (reduce sum ?s ?acc ?y))
    finite   cite \"-\"    try ?x=f32[2,3] ?y=f32[2,3] ?s={a b -> a} ?acc=f32"
    ));
    assert!(open(
        "turned : (permute ?p ?x) => (permute inverse(?p) ?x)
    exact   cite \"-\"    try ?x=f32[2,2,2] ?p=[0,2,1]"
    ));
}

#[test]
fn a_product_that_wraps_before_it_is_widened_is_found() {
    // Bytes times a constant wrap in 8 bits, their contraction does not.
    let rule = "scale : (contract ?s ?k ?o (map mul ?x %c) ?w) => (contract ?s ?k ?o ?x (map mul ?w %c))
    reassociates   cite \"bilinearity\"    try ?x=f32[2,3] ?w=f32[3,4] %c=0.5f32 ?s={a b, b c -> a c} ?k=f32 ?o=f32";
    assert!(differs(rule));
    let widened = rule.replace("(map mul ?w %c))", "(map mul ?w %c))  if wraps_like(?x, ?k)");
    assert_eq!(failures(&widened), []);
}

#[test]
fn wrong_index_rules_are_found() {
    // Right for the square matrix of its text, wrong in general.
    assert!(differs(
        "swap : (permute ?p (permute ?q ?x)) => (permute compose(?q, ?p) ?x)
    exact   cite \"-\"    try ?x=f32[2,2] ?p=[1,0] ?q=[0,1]"
    ));
    assert!(differs(
        "pads : (reduce ?m ?s ?acc (pad ?p ?x %v)) => (reduce ?m pad_into(?s, ?p, ?x) ?acc ?x)
    exact   cite \"-\"    try ?x=f32[1,5] ?p=[0:0,2:0] ?m=sum %v=0.0f32 ?s={a b+c -> a b | b=5 c=3} ?acc=f32"
    ));
}

/// Each was passed by an earlier check and found by `egret rules mutate`.
#[test]
fn what_survived_once_is_refused() {
    let set = RuleSet::builtin();
    let without = |name: &str, condition: &str| {
        let whole = set.get(name).expect("a rule");
        let mut rule = whole.clone();
        rule.nots.clear();
        rule.conditions.retain(|c| !condition_text(whole, c).starts_with(condition));
        assert_eq!(rule.conditions.len() + 1, whole.conditions.len(), "{name} has one {condition}");
        rule
    };
    for (name, condition) in [
        ("slice-whole", "whole("),
        ("common-factor-contract", "wraps_like("),
        ("reduce-reduce", "not position("),
        ("softmax", "usual_acc("),
        ("neg-contract", "wraps_like("),
    ] {
        let rule = without(name, condition);
        let failures = check(&rule).failures;
        assert!(failures.iter().any(|f| matches!(f, Failure::DrawDiffers { .. })), "{name} without {condition}");
    }
}

#[test]
fn pointwise_rules_meet_every_small_value() {
    let report = |rule: &str| {
        let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{rule}\n"))]).expect("the rule loads");
        check(&rules.rules[0])
    };
    // Wrong for one pair of bytes alone, where the negation of the least one wraps.
    let rule = "wraps : (map lt (map xor ?x 0) (map xor ?y 0)) => (map lt (map neg ?y) (map neg ?x))
    exact   cite \"-\"    try ?x=i8[2] ?y=i8[2]";
    assert!(report(rule).failures.iter().any(|f| matches!(f, Failure::ValueDiffers { .. })));
    // De Morgan's law has no normal form here, but all values of 8 bits.
    let law = report(
        "de-morgan : (map not (map and ?x ?y)) => (map or (map not ?x) (map not ?y))
    exact   cite \"Boolean algebra\"    try ?x=i32[8] ?y=i32[8]",
    );
    assert_eq!((law.failures.as_slice(), law.evidence), (&[][..], Evidence::Bounded));
    assert_eq!(law.exhaustive, 2 * 65536 + 4);
}

#[test]
fn a_condition_that_only_pays_is_found() {
    let rule = "twice : (map abs (map abs ?x)) => (map abs ?x)  if float(?x)
    exact   cite \"-\"    try ?x=f32[8]";
    assert!(matches!(failures(rule).as_slice(), [Failure::NeverNeeded { condition }] if condition == "float(?x)"));
    assert_eq!(failures(&rule.replace("  if ", "  when ")), []);
}

#[test]
fn draws_repeat() {
    for rule in &RuleSet::builtin().rules {
        for seed in 0..20 {
            let shown = |s: Option<_>| s.map(|s| text(rule, &s));
            assert_eq!(
                shown(draw(rule, Extents::Numbers, seed)),
                shown(draw(rule, Extents::Numbers, seed)),
                "{}",
                rule.name
            );
        }
    }
}
