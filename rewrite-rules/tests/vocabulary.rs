//! Words that a program adds: they read, run, and are checked like the built-in ones.

use egret_ir::op::attrs::Attr;
use egret_ir::{Op, check, text};
use egret_rules::lang::AttrSort;
use egret_rules::lang::Sort;
use egret_rules::lang::attr_fns::{ArgSort, AttrFn};
use egret_rules::lang::bound::{Bound, Facts};
use egret_rules::lang::conditions::ConditionDef;
use egret_rules::lang::error::Problem;
use egret_rules::rulecheck::check_all;
use egret_rules::{Config, RuleSet, Vocabulary, saturate};

const OPERAND: ArgSort = ArgSort::One(Sort::Operand);
const PERM: ArgSort = ArgSort::One(Sort::Attr(AttrSort::Perm));

/// The permutation swaps two axes, so that it is its own inverse.
fn swaps(_: Facts<'_>, args: &[Bound]) -> Option<bool> {
    let [Bound::Attr(Attr::Perm(p))] = args else { return None };
    Some(p.after(p)?.is_identity())
}

/// The shape of an operand after a permutation.
fn turned(facts: Facts<'_>, args: &[Bound]) -> Option<Bound> {
    let [Bound::Attr(Attr::Perm(p)), x] = args else { return None };
    let shape = &facts.tensor(x)?.shape;
    (p.rank() == shape.len()).then(|| Bound::Attr(Attr::Dims(p.apply(shape))))
}

static WORDS: Vocabulary = Vocabulary {
    conditions: &[ConditionDef { name: "swaps", args: &[PERM], test: swaps }],
    functions: &[AttrFn {
        name: "turned",
        args: &[PERM, OPERAND],
        result: Sort::Attr(AttrSort::Dims),
        compute: turned,
    }],
};

const RULES: &str = "\
twice : (permute ?p (permute ?p ?x)) => ?x  if swaps(?p)
    exact cite \"a swap undoes itself\" try ?x=f32[2,3] ?p=[1,0] not ?x=f32[2,2,2] ?p=[1,2,0]
ones : (permute ?p ?x) => (reshape turned(?p, ?x) ?x)  if moves_ones(?p, ?x)
    exact cite \"axes of extent 1 hold no order\" try ?x=f32[1,3] ?p=[1,0] not ?x=f32[2,3] ?p=[1,0]
";

#[test]
fn words_of_a_program_load_run_and_are_checked() {
    let rules = RuleSet::load_with(&[("own.rules", RULES)], WORDS).unwrap_or_else(|e| panic!("{}", e[0]));
    let report = check_all(&rules, &|_| {});
    let failed: Vec<String> = report.failed().flat_map(|r| &r.failures).map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let graph = "graph \"g\" {\n  %0 = input \"x\" : f32[4,7]\n  %1 = permute [1,0] %0 : f32[7,4]\n  \
                 %2 = permute [1,0] %1 : f32[4,7]\n  return \"y\" %2\n}\n";
    let graph = check(text::parse(graph).unwrap_or_else(|e| panic!("{e}"))).expect("typed");
    let s = saturate(&graph, &rules, &Config::for_nodes(3));
    let y = s.classes.class(s.classes.outputs[0].1);
    assert!(y.nodes.iter().any(|n| matches!(n.op, Op::Input(0))), "{y:?}");
    let goals = s.log.goals(&[graph.outputs[0].value], &[(s.classes.outputs[0].1, 0)].into());
    s.log.replay(&s.log.derive(&goals).expect("derived"), &rules).expect("replays");
}

#[test]
fn a_word_without_a_row_or_with_two_is_refused_at_its_place() {
    let problem = |text: &str, words: Vocabulary| {
        let errors = RuleSet::load_with(&[("own.rules", text)], words).expect_err("refused");
        (errors[0].span.line, errors[0].problem.clone())
    };
    assert_eq!(problem(RULES, Vocabulary::default()), (1, Problem::UnknownCondition("swaps".into())));
    static TWICE: Vocabulary =
        Vocabulary { conditions: &[ConditionDef { name: "identity", args: &[PERM], test: swaps }], functions: &[] };
    let text = "p : (permute ?p ?x) => ?x if identity(?p)\n    exact cite \"x\" try ?x=f32[2] ?p=[0]\n";
    assert_eq!(problem(text, TWICE), (1, Problem::TwoMeanings("identity".into())));
}
