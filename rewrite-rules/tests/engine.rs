//! What the engine promises: nothing is added for a refused match, budgets hold exactly, runs repeat, wrong rules are
//! caught, derivations stay small.

use std::time::Instant;

use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{Graph, Origins, Type, ValueId, check, text};
use egret_rules::lang::load::BUILTIN;
use egret_rules::rulecheck::{Failure, check_all};
use egret_rules::{Config, Numeric, Phase, PhasePlan, RuleSet, Saturated, saturate};

fn graph(text: &str) -> egret_ir::Typed {
    check(text::parse(text).expect("the text parses")).expect("the graph checks")
}

fn rules(text: &str) -> RuleSet {
    RuleSet::load(&[("test.rules", text)]).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn proved(s: &Saturated, rules: &RuleSet) {
    assert!(s.faults().is_empty(), "{:?}", s.faults());
    let mut goals = Vec::new();
    for (v, class) in s.class_of.iter().enumerate() {
        let (id, class) = (s.log.value(ValueId(v as u32)).unwrap(), class.unwrap());
        for k in 0..s.classes.class(class).nodes.len() {
            goals.push((id, s.log.node(class, k).unwrap()));
        }
    }
    let d = s.log.derive(&goals).expect("all ways of a class are derived");
    s.log.replay(&d, rules).expect("a derivation replays");
}

/// x' = x − relu x, `depth` times: as a tree it has 2^depth leaves.
fn residual_chain(depth: usize) -> egret_ir::Typed {
    let mut g = Graph::new("chain");
    let mut x = g.input("x", Type::fixed(egret_ir::DType::F32, &[2, 3]));
    let add = |g: &mut Graph, op: Op, args: &[ValueId]| g.add(op, args, Origins::none()).unwrap();
    for _ in 0..depth {
        let p = add(&mut g, Op::Permute(egret_ir::op::Perm::new(&[1, 0]).unwrap()), &[x]);
        let e = add(&mut g, Op::Map(Scalar::Exp), &[p]);
        let q = add(&mut g, Op::Permute(egret_ir::op::Perm::new(&[1, 0]).unwrap()), &[e]);
        x = add(&mut g, Op::Map(Scalar::Sub), &[x, q]);
    }
    g.output("y", x);
    check(g).unwrap()
}

#[test]
fn every_rule_passes_its_own_check() {
    let set = RuleSet::builtin();
    let report = check_all(&set, &|_| {});
    let failed: Vec<String> = report
        .failed()
        .map(|r| {
            let lines: Vec<String> = r.failures.iter().map(|f| format!("    {f}")).collect();
            format!("{} {}\n{}", r.place, r.rule, lines.join("\n"))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let written = set.rules.iter().filter(|r| !r.name.ends_with("-back")).count();
    assert!(written >= 60, "{written} rules");
    assert!(report.samples() > 3_000);
}

#[test]
fn every_condition_and_attribute_function_is_used() {
    let all: String = BUILTIN.iter().map(|(_, t)| *t).collect();
    let used = |name: &str| all.contains(&format!("{name}("));
    let conditions = egret_rules::lang::conditions::CONDITIONS.iter().map(|c| c.name);
    let functions = egret_rules::lang::attr_fns::ATTR_FNS.iter().map(|f| f.name);
    let idle: Vec<&str> = conditions.chain(functions).filter(|n| !used(n)).collect();
    assert!(idle.is_empty(), "{idle:?} are in no rule");
}

/// `docs/rules.md` says for each rewrite of others what does it here: every rule that it names exists.
#[test]
fn the_page_of_rules_names_rules_that_exist() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let page = std::fs::read_to_string(path).expect("docs/rules.md");
    let rules = RuleSet::builtin();
    let rows = page.lines().filter_map(|l| l.strip_prefix('|')?.strip_suffix('|')?.rsplit('|').next());
    let (mut named, mut missing) = (0, Vec::new());
    for cell in rows {
        assert!(!cell.trim().is_empty(), "a row says nothing");
        let names = cell.split('`').skip(1).step_by(2).filter(|n| n.starts_with(|c: char| c.is_ascii_lowercase()));
        for name in names.filter(|n| !n.contains('/')) {
            named += 1;
            missing.extend(rules.get(name).is_none().then(|| name.to_owned()));
        }
    }
    assert!(missing.is_empty(), "{missing:?} are no rules");
    assert!(named > 100, "{named} rules named");
}

#[test]
fn rounds_add_up_to_the_run_and_tell_every_birth() {
    let g = residual_chain(6);
    let s = saturate(&g, &RuleSet::builtin(), &Config::for_nodes(g.nodes().len()));
    for total in &s.rules {
        let rows = || s.rounds.iter().flat_map(|r| &r.rules).filter(|r| r.rule == total.rule);
        assert_eq!(rows().map(|r| r.matches).sum::<usize>(), total.matches, "{}", total.rule);
        assert_eq!(rows().map(|r| r.born).sum::<usize>(), total.born, "{}", total.rule);
        assert_eq!(rows().map(|r| r.unions).sum::<usize>(), total.unions, "{}", total.rule);
    }
    for phase in &s.phases {
        let last = s.rounds.iter().rfind(|r| r.phase == phase.phase).expect("every phase has a round");
        assert_eq!((last.round, last.nodes), (phase.rounds, phase.nodes));
    }
    let births = s.births();
    assert_eq!(births.len(), s.log.ids());
    assert!(births.iter().take(g.nodes().len()).all(|b| b.rule.is_none() && b.iteration == 0));
    // What a step made for its right side was born of its rule, unless it was there before.
    let set = RuleSet::builtin();
    let mut seen = 0;
    for step in s.log.steps() {
        let right = &births[usize::from(step.right)];
        let first = step.right > step.left && right.rule == Some(set.name(step.rule));
        seen += usize::from(first);
        assert!(right.iteration <= s.rounds.len());
    }
    assert!(seen > 0, "some step bore its right side");
}

#[test]
fn a_refused_rule_bears_nothing() {
    let wrong = rules(
        "wrong : (permute ?p (map ?f ?x)) => (map ?f (reshape [7] ?x))\n    exact cite \"nothing\" try ?x=f32[2,3] ?p=[1,0] ?f=exp\n\
         worse : (permute ?p ?x) => ?x\n    exact cite \"nothing\" try ?x=f32[2,3] ?p=[1,0]\n",
    );
    let g = residual_chain(5);
    let s = saturate(&g, &wrong, &Config::for_nodes(10));
    assert_eq!(s.log.ids(), g.nodes().len());
    assert!(s.rules.iter().all(|r| r.refused > 0 && r.born == 0 && r.unions == 0), "{:?}", s.rules);
    assert!(s.faults().is_empty());
}

#[test]
fn a_wrong_rule_is_caught_by_its_check() {
    let wrong = rules(
        "typed-but-false : (permute ?p ?x) => ?x\n    exact cite \"nothing\" try ?x=f32[3,3] ?p=[1,0]\n\
         ill-typed : (permute ?p ?x) => ?x\n    exact cite \"nothing\" try ?x=f32[2,3] ?p=[1,0]\n\
         loses-minus-zero : (map add ?x 0.0) => ?x\n    exact cite \"nothing\" try ?x=f32[8]\n\
         loses-nan : (map sub ?x ?x) => 0.0\n    reassociates cite \"nothing\" try ?x=f32[8]\n\
         divides-integers : (map mul (map div ?x ?y) ?z) => (map div (map mul ?x ?z) ?y)\n    finite cite \"nothing\" try ?x=f32[8] ?y=const f32[8] ?z=f32[8]\n\
         needless : (map neg (map neg ?x)) => ?x if float(?x)\n    exact cite \"nothing\" try ?x=f32[8] not ?x=i32[8]\n",
    );
    let report = check_all(&wrong, &|_| {});
    let kinds: Vec<&str> = report
        .rules
        .iter()
        .map(|r| match r.failures.first() {
            Some(Failure::Differs { on: "", .. }) => "differs",
            Some(Failure::Differs { .. }) => "differs on integers",
            Some(Failure::NoRightSide { .. }) => "no right side",
            Some(Failure::NotNeeded { .. }) => "not needed",
            Some(other) => panic!("{other}"),
            None => "nothing",
        })
        .collect();
    assert_eq!(kinds, ["differs", "no right side", "differs", "differs", "differs on integers", "not needed"]);
}

#[test]
fn the_node_limit_is_exact() {
    let set = RuleSet::builtin();
    let g = residual_chain(12);
    let full = saturate(&g, &set, &Config::for_nodes(g.nodes().len())).log.ids();
    let start = g.nodes().len();
    for limit in [start, start + 1, start + 7, usize::midpoint(start, full)] {
        let phases = vec![PhasePlan { phase: Phase::Layout, rounds: 20, nodes: limit, per_rule: 1000 }];
        let config = Config { numeric: Numeric::Reassociates, phases, matches: 100_000 };
        let s = saturate(&g, &set, &config);
        assert!(s.log.ids() <= limit, "{} of {limit}", s.log.ids());
        assert!(!s.saturated() && !s.phases[0].capped_by.is_empty());
        proved(&s, &set);
    }
}

#[test]
fn rules_of_a_wider_class_do_not_run() {
    let set = rules("z : (map mul ?x 0.0) => 0.0\n    finite cite \"x\" try ?x=f32[8]\n");
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : f32[]\n %1 = 0.0f32 : f32[]\n %2 = map mul %0, %1 : f32[]\n return \"y\" %2\n}",
    );
    for (numeric, unions) in
        [(Numeric::Exact, 0), (Numeric::Reassociates, 0), (Numeric::Finite, 1), (Numeric::Approximates, 1)]
    {
        let s = saturate(&g, &set, &Config::for_nodes(3).numeric(numeric));
        assert_eq!(s.rules[0].unions, unions);
    }
}

#[test]
fn runs_repeat() {
    let set = RuleSet::builtin();
    let g = residual_chain(10);
    let run = || {
        let s = saturate(&g, &set, &Config::for_nodes(g.nodes().len()));
        format!("{:?} {:?} {:?}", s.classes.classes, s.rules, s.class_of)
    };
    assert_eq!(run(), run());
}

#[test]
fn deep_residual_chains_have_small_derivations() {
    let set = RuleSet::builtin();
    let g = residual_chain(50);
    let s = saturate(&g, &set, &Config::for_nodes(g.nodes().len()));
    proved(&s, &set);
    let last = g.outputs[0].value;
    let class = s.class_of[last.index()].unwrap();
    let newest = s.classes.class(class).nodes.len() - 1;
    let goal = [(s.log.value(last).unwrap(), s.log.node(class, newest).unwrap())];
    let start = Instant::now();
    let d = s.log.derive(&goal).unwrap();
    assert!(start.elapsed().as_millis() < 10, "{:?}", start.elapsed());
    assert!(d.edges.len() < 1000, "{} steps", d.edges.len());
    assert!(s.log.text(&d, &set).len() < 1_000_000);
}

#[test]
fn the_imported_way_leads_and_constants_are_marked() {
    let g = graph(
        "graph \"g\" {\n %0 = input \"x\" : f32[2]\n %1 = dense f32[2] {1.0f32, 2.0f32} : f32[2]\n %2 = map exp %1 : f32[2]\n \
         %3 = map mul %0, %2 : f32[2]\n %4 = map neg %3 : f32[2]\n %5 = map neg %4 : f32[2]\n return \"y\" %5\n}",
    );
    let set = RuleSet::builtin();
    let s = saturate(&g, &set, &Config::for_nodes(6));
    proved(&s, &set);
    let class = |v: usize| s.classes.class(s.class_of[v].unwrap());
    assert_eq!(s.class_of[5], s.class_of[3]);
    assert_eq!(class(3).nodes[0].op, Op::Map(Scalar::Mul));
    assert!(class(2).constant && !class(3).constant);
    for (c, class) in s.classes.classes.iter().enumerate() {
        for n in &class.nodes {
            let types: Vec<&Type> = n.args.iter().map(|a| s.classes.ty(*a)).collect();
            if !matches!(n.op, Op::Input(_)) {
                assert_eq!(
                    egret_ir::infer::infer(&n.op, &types, &s.classes.tables).as_ref(),
                    Ok(&class.ty),
                    "class {c}"
                );
            }
        }
    }
}

#[test]
fn tuples_and_opaque_nodes_go_through() {
    use egret_ir::graph::OpaqueDef;
    let f = Type::fixed(egret_ir::DType::F32, &[2]);
    let mut g = Graph::new("g");
    let x = g.input("x", f.clone());
    let def = |site: u32| OpaqueDef {
        domain: "custom".into(),
        op_type: "Random".into(),
        payload: bytes::Bytes::new(),
        results: [f.clone(), f.clone()].into(),
        site: Some(site),
    };
    let (a, b) = (g.tables.opaque(def(0)), g.tables.opaque(def(1)));
    let mut outputs = Vec::new();
    for id in [a, b, a] {
        let t = g.add(Op::Opaque(id), &[x], Origins::none()).unwrap();
        let p = g.add(Op::Proj(1), &[t], Origins::none()).unwrap();
        outputs.push(g.add(Op::Map(Scalar::Neg), &[p], Origins::none()).unwrap());
    }
    for (i, o) in outputs.iter().enumerate() {
        g.output(&format!("y{i}"), *o);
    }
    let g = check(g).unwrap();
    let set = RuleSet::builtin();
    let s = saturate(&g, &set, &Config::for_nodes(10));
    proved(&s, &set);
    let class = |i: usize| s.class_of[outputs[i].index()];
    assert_ne!(class(0), class(1), "impure operators at different sites are different values");
    assert_eq!(class(0), class(2));
    assert!(s.classes.classes.iter().all(|c| !c.constant));
}
