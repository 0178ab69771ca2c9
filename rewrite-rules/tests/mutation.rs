//! The check refuses broken rules: a part of what `egret rules mutate` does. Which mutants are wrong is said by numpy; where
//! no Python has it, the shares alone are held.

use std::collections::BTreeSet;

use egret_rules::RuleSet;
use egret_rules::lang::print::rule_text;
use egret_rules::rulecheck::mutate::search::{INSTANCES, Search, Verdict};
use egret_rules::rulecheck::mutate::{Operator, Score, judge, mutants, sample};
use egret_rules::rulecheck::smt::{Oracle, Solver};

#[test]
fn printed_rules_load_as_the_same_rules() {
    let set = RuleSet::builtin();
    for rule in &set.rules {
        // Without its values, which stand elsewhere.
        let text =
            format!("phase {}\n{}\n  {} cite \"-\" try", rule.phase.name(), rule_text(rule), rule.numeric.name());
        let values: String = egret_rules::rulecheck::enumerate::text(rule, &rule.tries[0]);
        let loaded = RuleSet::load(&[("printed.rules", &format!("{text} {values}\n"))])
            .unwrap_or_else(|e| panic!("{}: {text}: {}", rule.name, e[0]));
        let again = &loaded.rules[0];
        let same = again.lhs == rule.lhs && again.rhs == rule.rhs && again.conditions == rule.conditions;
        assert!(same && again.profit == rule.profit && again.only_known == rule.only_known, "{text}");
    }
}

#[test]
fn mutants_are_distinct_and_repeat() {
    let set = RuleSet::builtin();
    let all = mutants(&set);
    assert!(all.len() >= 500, "{} mutants", all.len());
    let kinds: BTreeSet<Operator> = all.iter().map(|m| m.operator).collect();
    assert_eq!(kinds.len(), Operator::ALL.len(), "{kinds:?}");
    let texts = |seed| sample(mutants(&set), 60, seed).iter().map(|m| m.rule.text.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(0), texts(0));
    assert_ne!(texts(0), texts(1));
    assert_eq!(texts(0).iter().collect::<BTreeSet<_>>().len(), 60);
}

/// Of 60 mutants, or of as many as the variable EGRET_MUTANTS says.
#[test]
fn wrong_mutants_are_refused() {
    let set = RuleSet::builtin();
    let count = std::env::var("EGRET_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let chosen = sample(mutants(&set), count, 0);
    let search = Search::find();
    let judged = judge(&chosen, search.as_ref(), &Oracle { solver: Solver::find(), known: Vec::new() }, &|_| {})
        .expect("the search runs");
    let score = Score::of(&judged);
    if search.is_none() {
        eprintln!("no Python with numpy: {} of {} mutants refused, none judged", score.refused, score.mutants);
        assert!(score.refused * 10 >= score.mutants * 6, "{score:?}");
        return;
    }
    let survivors: Vec<_> = judged
        .iter()
        .filter(|j| j.counts() && j.refused.is_none())
        .map(|j| (j.class, j.operator, &j.text, j.proved, &j.verdict))
        .collect();
    eprintln!("{score:?}\n{survivors:#?}");
    assert!(score.counting >= 20, "{score:?}");
    assert!(score.share() >= 0.95, "{score:?}: {survivors:#?}");
    assert_eq!(score.counting_proved, 0, "{survivors:#?}");
}

/// The search itself: it takes a right rule for right and a wrong one for wrong, in each numeric class.
#[test]
fn the_search_knows_right_from_wrong() {
    let Some(search) = Search::find() else {
        eprintln!("no Python with numpy: the search is not run");
        return;
    };
    let verdict = |text: &str| {
        let rules = RuleSet::load(&[("test.rules", &format!("phase algebra\n{text}\n"))]).expect("the rule loads");
        search.judge(&rules.rules[0], INSTANCES).expect("the search runs")
    };
    let sum = "sum : (map add (map add ?x ?y) ?z) => (map add ?x (map add ?y ?z))
    CLASS  cite \"-\"  try ?x=f32[4] ?y=f32[4] ?z=f32[4]";
    assert!(matches!(verdict(&sum.replace("CLASS", "reassociates")), Verdict::Equal { samples: 50_000.. }));
    assert!(matches!(verdict(&sum.replace("CLASS", "exact")), Verdict::Wrong { .. }));
    let zero = "zero : (map mul ?x 0.0) => 0.0\n    CLASS  cite \"-\"  try ?x=f32[4]";
    assert!(matches!(verdict(&zero.replace("CLASS", "finite")), Verdict::Equal { .. }));
    assert!(matches!(verdict(&zero.replace("CLASS", "reassociates")), Verdict::Wrong { .. }));
    let turned = "turned : (permute ?p (permute ?q ?x)) => (permute compose(?q, ?p) ?x)
    exact  cite \"-\"  try ?x=f32[2,2] ?p=[1,0] ?q=[1,0]";
    assert!(matches!(verdict(turned), Verdict::Wrong { .. }));
    assert!(matches!(verdict(&turned.replace("compose(?q, ?p)", "compose(?p, ?q)")), Verdict::Equal { .. }));
}
