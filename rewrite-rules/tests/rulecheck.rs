//! The check of rules finds what is wrong with them where the values in their text are too kind to show it.

use egret_rules::RuleSet;
use egret_rules::rulecheck::enumerate::{draw, text};
use egret_rules::rulecheck::{Failure, check, check_all};

/// The failures of one rule.
fn failures(rule: &str) -> Vec<Failure> {
    let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{rule}\n"))]).expect("the rule loads");
    check(&rules.rules[0]).failures
}

/// Whether drawn values show that the sides differ.
fn differs(rule: &str) -> bool {
    failures(rule).iter().any(|f| matches!(f, Failure::DrawDiffers { .. }))
}

#[test]
fn the_library_passes() {
    let report = check_all(&RuleSet::builtin());
    let failed: Vec<String> = report.failed().map(|r| format!("{}: {:?}", r.rule, r.failures)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    // Every rule meets values that nobody wrote down, most of them dozens.
    for r in &report.rules {
        assert!(r.drawn > 0, "{} is compared at no drawn values", r.rule);
    }
    assert!(report.rules.iter().filter(|r| r.drawn >= 90).count() * 10 > report.rules.len() * 9);
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
            assert_eq!(shown(draw(rule, seed)), shown(draw(rule, seed)), "{}", rule.name);
        }
    }
}
