//! Filetests: `tests/files/*.txt` hold cases parted by `-----` lines; a case is an input and, after a `=====` line, what must
//! come out. `BLESS=1` rewrites the expectations. The first line of a case names the test:
//!
//! - `error`: the rest is a rule file; the problems come out as users see them;
//! - `import-egg`: the rest is a file of rewrites for egg; the rule file they become comes out;
//! - `smt bits|reals sat|unsat`: the rest are two graphs parted by a line `and`; what a solver is asked about them comes out. A
//!   Z3, where there is one, must give that answer;
//! - `optimize [numeric=CLASS]`: the rest is a graph; its smallest equal graph and the rules that prove it come out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use egret_ir::{Graph, Op, check, text};
use egret_rules::rulecheck::prove::{Laws, question_of};
use egret_rules::rulecheck::smt::{Answer, Solver};
use egret_rules::{Config, Numeric, RuleSet, egg_import, saturate};

fn error(input: &str) -> String {
    match RuleSet::load(&[("test.rules", input)]) {
        Ok(rules) => format!("{} rules, no error\n", rules.rules.len()),
        Err(errors) => errors.iter().fold(String::new(), |mut out, e| {
            let _ = writeln!(out, "{e}");
            out
        }),
    }
}

/// What was imported loads as a rule file again.
fn imported(input: &str) -> String {
    let rules = egg_import::rules_text("test.egg", &egg_import::import("test.egg", input));
    RuleSet::load(&[("test.rules", &rules)]).unwrap_or_else(|e| panic!("{}", e[0]));
    rules
}

fn smt(header: &str, input: &str) -> String {
    let words: Vec<&str> = header.split_whitespace().collect();
    let [_, laws, answer] = words.as_slice() else { panic!("`{header}` has no laws or no answer") };
    let laws = if *laws == "bits" { Laws::Bits } else { Laws::Reals };
    let (left, right) = input.split_once("\nand\n").expect("two graphs");
    let [left, right] = [left, right]
        .map(|g| check(text::parse(g).expect("the graph parses")).expect("the graph of a filetest checks"));
    let Some(question) = question_of(&left, &right, laws) else { return "no encoding\n".to_owned() };
    match Solver::find() {
        None => eprintln!("no z3 in PATH: `{header}` is compared as text alone"),
        Some(solver) => {
            let said = solver.ask(&question);
            let right = match &said {
                Answer::Unsat => *answer == "unsat",
                Answer::Sat(_) => *answer == "sat",
                Answer::Unknown => false,
            };
            assert!(right, "{said:?} where {answer} is right:\n{question}");
        }
    }
    question
}

fn optimize(header: &str, input: &str) -> String {
    let rules = RuleSet::builtin();
    let numeric = header.split("numeric=").nth(1).and_then(|w| Numeric::from_name(w.trim()));
    let graph = match text::parse(input) {
        Ok(g) => check(g).expect("the graph of a filetest checks"),
        Err(e) => return format!("{e}\n"),
    };
    let config = Config::for_nodes(graph.nodes().len()).numeric(numeric.unwrap_or(Numeric::Reassociates));
    let mut s = saturate(&graph, &rules, &config);
    fold_constants(&mut s.classes);
    assert!(s.faults().is_empty(), "{:?}", s.faults());
    assert!(s.saturated(), "{:?}", s.phases);
    let choice = s.classes.smallest(&|_, _| true);
    let best: Graph = s.classes.graph_of(&s.classes.outputs, &choice).expect("a finite choice");
    let reached = reachable(&s.classes, &choice);
    // Folded constants have no e-node and need no proof.
    let picks: BTreeMap<_, _> = (0..s.classes.classes.len() as u32)
        .map(egret_ir::choice::ClassId)
        .filter(|c| reached.contains(c))
        .filter_map(|c| Some((c, choice[c.index()]? as usize)))
        .collect();
    let roots: Vec<_> = graph.outputs.iter().map(|o| o.value).collect();
    let goals = s.log.goals(&roots, &picks);
    let derivation = s.log.derive(&goals).expect("what was chosen is derived");
    s.log.replay(&derivation, &rules).expect("a derivation replays");
    let best = check(best.pruned()).expect("the result checks").into_inner();
    let mut names: Vec<&str> = Vec::new();
    for n in s.log.rule_names(&derivation, &rules) {
        if !names.contains(&n) {
            names.push(n);
        }
    }
    format!("proof: {}\n{}", if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }, text::print(&best))
}

/// Gives every constant class its value as the first way, as those who extract do.
fn fold_constants(classes: &mut egret_ir::choice::ClassGraph) {
    let mut values = Vec::new();
    let closed = egret_ir::choice::ClassGraph { inputs: vec![], ..classes.clone() };
    let choice =
        classes.smallest(&|_, n| n.args.iter().all(|a| classes.class(*a).constant) && !matches!(n.op, Op::Input(_)));
    for (i, class) in classes.classes.iter().enumerate() {
        let c = egret_ir::choice::ClassId(i as u32);
        let splat = class.nodes.iter().any(|n| matches!(n.op, Op::Broadcast(_) | Op::Const(_)));
        if class.constant
            && !splat
            && let Some(g) = closed.graph_of(&[("c".into(), c)], &choice)
        {
            values.push((i, egret_ir::eval::fold(&g).expect("constants fold").remove(0)));
        }
    }
    for (i, t) in values {
        let id = classes.tables.constant(t);
        let way = egret_ir::choice::ClassNode { op: Op::Const(egret_ir::op::Const::Dense(id)), args: vec![] };
        classes.classes[i].nodes.push(way);
    }
}

fn reachable(
    classes: &egret_ir::choice::ClassGraph,
    choice: &[Option<u32>],
) -> std::collections::BTreeSet<egret_ir::choice::ClassId> {
    let mut seen = std::collections::BTreeSet::new();
    let mut todo: Vec<_> = classes.outputs.iter().map(|(_, c)| *c).collect();
    while let Some(c) = todo.pop() {
        if seen.insert(c)
            && let Some(k) = choice[c.index()]
        {
            todo.extend(&classes.class(c).nodes[k as usize].args);
        }
    }
    seen
}

fn run(case: &str) -> (String, String) {
    let (input, expected) = case.split_once("\n=====\n").unwrap_or((case.trim_end(), ""));
    let (header, body) = input.trim_start().split_once('\n').expect("a case has a header");
    let got = if header.starts_with("error") {
        error(body)
    } else if header.starts_with("import-egg") {
        imported(body)
    } else if header.starts_with("smt") {
        smt(header, body)
    } else if header.starts_with("optimize") {
        optimize(header, body)
    } else {
        panic!("`{header}` names no test")
    };
    (
        format!("{}\n=====\n{}", input.trim(), got.trim_end()),
        format!("{}\n=====\n{}", input.trim(), expected.trim_end()),
    )
}

#[test]
fn files() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder).expect("tests/files").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let mut wrong = Vec::new();
    for path in paths {
        let content = std::fs::read_to_string(&path).expect("a text file");
        let results: Vec<(String, String)> = content.split("\n-----\n").map(run).collect();
        if bless {
            let text: Vec<&str> = results.iter().map(|(got, _)| got.as_str()).collect();
            std::fs::write(&path, text.join("\n\n-----\n") + "\n").expect("written");
            continue;
        }
        for (got, expected) in results {
            if got != expected {
                wrong.push(format!("{}:\n{got}\n--- expected:\n{expected}\n", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
