//! `egret lab`: what each experiment writes, to the byte (`tests/lab/golden`, rewritten by `BLESS=1`); runs that repeat,
//! whatever the number of threads; run folders that differ; dumps that other tools read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab")
}

/// Runs `egret lab` on so many threads.
fn lab(threads: usize, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_egret"));
    command.arg("lab").args(args).env("RAYON_NUM_THREADS", threads.to_string());
    command.output().expect("egret starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs an experiment on the test's model by the test's rules into a folder; gives what it prints.
fn run(threads: usize, task: &str, place: &Path, more: &[&str]) -> String {
    let (model, rules, place) = (folder().join("model.egret"), folder().join("own.rules"), place.display().to_string());
    let (model, rules) = (model.display().to_string(), rules.display().to_string());
    let mut args = vec![task, &model, "--rules", &rules, "--only-files", "--run", &place];
    args.extend(more);
    let done = lab(threads, &args);
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
    text(&done.stdout)
}

/// The files of a run folder but its manifest, which has paths of the machine in it.
fn results(place: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(place).expect("a run folder");
    let paths = entries.map(|e| e.expect("readable").path());
    let files = paths.filter(|p| !p.ends_with("manifest.json")).map(|p| {
        let name = p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        (name, std::fs::read(&p).expect("a file"))
    });
    files.collect()
}

/// The experiments of the goldens, by folder.
const EXPERIMENTS: &[(&str, &str, &[&str])] = &[
    ("saturate", "saturate", &[]),
    ("saturate-capped", "saturate", &["--nodes", "14", "--rounds", "3", "--off", "name:own-neg-*"]),
    ("extract", "extract", &[]),
    ("ablate", "ablate", &[]),
    ("ablate-phases", "ablate", &["--by", "phase"]),
    ("sweep", "sweep", &["--nodes", "10,12,16,24", "--rounds", "1,4"]),
];

#[test]
fn experiments_write_what_they_wrote_before() {
    let bless = std::env::var_os("BLESS").is_some();
    for (name, task, more) in EXPERIMENTS {
        let place = tempfile::tempdir().expect("a temporary folder");
        let place = place.path().join("run");
        let printed = run(2, task, &place, more);
        let mut got = results(&place);
        got.insert("printed.txt".to_owned(), printed.into_bytes());
        let golden = folder().join("golden").join(name);
        if bless {
            let _ = std::fs::remove_dir_all(&golden);
            std::fs::create_dir_all(&golden).expect("a folder");
            for (file, bytes) in &got {
                std::fs::write(golden.join(file), bytes).expect("written");
            }
            continue;
        }
        let expected = results(&golden);
        let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&got), names(&expected), "{name}");
        for (file, bytes) in &got {
            assert!(*bytes == expected[file], "{name}/{file} is now\n{}", text(bytes));
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for (name, task, more) in EXPERIMENTS {
        let place = tempfile::tempdir().expect("a temporary folder");
        let (one, four) = (place.path().join("one"), place.path().join("four"));
        assert_eq!(run(1, task, &one, more), run(4, task, &four, more), "{name}");
        assert!(results(&one) == results(&four), "{name}: files differ");
        let manifest = |p: &Path| std::fs::read_to_string(p.join("manifest.json")).expect("a manifest");
        let hashes = |m: String| m.split_once("\"results\"").map(|(_, r)| r.to_owned()).expect("results");
        assert_eq!(hashes(manifest(&one)), hashes(manifest(&four)), "{name}");
    }
}

#[test]
fn a_run_repeats_byte_for_byte_and_says_where_it_does_not() {
    for (name, task, more) in EXPERIMENTS {
        let around = tempfile::tempdir().expect("a temporary folder");
        let place = around.path().join("run");
        let shown = place.display().to_string();
        run(2, task, &place, more);
        let before = results(&place);
        let again = lab(3, &["rerun", &shown]);
        assert!(again.status.success(), "{name}: {}{}", text(&again.stdout), text(&again.stderr));
        assert!(text(&again.stdout).contains("same, byte for byte"), "{name}");
        assert!(results(&place) == before, "{name}: a repetition changes nothing");
        let (file, bytes) = before.iter().next_back().expect("a result");
        std::fs::write(place.join(file), [&bytes[..], b" "].concat()).expect("written");
        let again = lab(1, &["rerun", &shown]);
        assert_eq!(again.status.code(), Some(1), "{name}");
        assert!(text(&again.stdout).contains(file.as_str()), "{name}: {}", text(&again.stdout));
    }
}

#[test]
fn a_run_whose_model_or_rules_changed_is_not_repeated() {
    let around = tempfile::tempdir().expect("a temporary folder");
    let place = |name: &str| around.path().join(name).display().to_string();
    for file in ["model.egret", "own.rules"] {
        std::fs::copy(folder().join(file), around.path().join(file)).expect("copied");
    }
    let (model, rules, run) = (place("model.egret"), place("own.rules"), place("run"));
    let done = lab(1, &["saturate", &model, "--rules", &rules, "--only-files", "--run", &run]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    for (path, from, to, word) in [
        (&rules, "own-neg-neg", "own-neg-twice", "the rules changed"),
        (&model, "map tanh", "map exp", "the model changed"),
    ] {
        let old = std::fs::read_to_string(path).expect("text");
        std::fs::write(path, old.replace(from, to)).expect("written");
        let again = lab(1, &["rerun", &run]);
        assert_eq!(again.status.code(), Some(2), "{word}");
        assert!(text(&again.stderr).contains(word), "{}", text(&again.stderr));
        std::fs::write(path, old).expect("written");
    }
}

#[test]
fn two_runs_are_compared_by_rules_counts_and_costs() {
    let around = tempfile::tempdir().expect("a temporary folder");
    let (first, second) = (around.path().join("first"), around.path().join("second"));
    run(1, "saturate", &first, &[]);
    run(1, "saturate", &second, &["--off", "name:own-map-permute"]);
    let (a, b) = (first.display().to_string(), second.display().to_string());
    let same = lab(1, &["compare", &a, &a]);
    assert!(same.status.success(), "{}", text(&same.stderr));
    let differ = lab(1, &["compare", &a, &b, "--json"]);
    assert_eq!(differ.status.code(), Some(1));
    let list: serde_json::Value = serde_json::from_slice(&differ.stdout).expect("JSON");
    let has = |place: &str, item: &str, first: &str, second: &str| {
        list.as_array()
            .expect("a list")
            .iter()
            .any(|d| d["place"] == place && d["item"] == item && d["first"] == first && d["second"] == second)
    };
    assert!(has("rules", "own-map-permute", "on", "off"), "{list:#}");
    assert!(has("rules.csv", "own-map-permute", "present", "absent"), "{list:#}");
    let (x, y) = (around.path().join("x"), around.path().join("y"));
    run(1, "extract", &x, &[]);
    run(1, "extract", &y, &["--off", "name:own-*"]);
    let costs = lab(1, &["compare", &x.display().to_string(), &y.display().to_string()]);
    assert_eq!(costs.status.code(), Some(1));
    assert!(text(&costs.stdout).contains("local cost"), "{}", text(&costs.stdout));
}

#[test]
fn a_dump_is_read_by_its_own_crate_and_tells_every_birth() {
    let around = tempfile::tempdir().expect("a temporary folder");
    let place = around.path().join("run");
    run(1, "saturate", &place, &[]);
    let egraph = egraph_serialize::EGraph::from_json_file(place.join("egraph.json")).expect("an e-graph");
    assert!(!egraph.root_eclasses.is_empty());
    let births = std::fs::read_to_string(place.join("births.csv")).expect("births");
    let lines: Vec<Vec<&str>> = births.lines().skip(1).map(|l| l.split(',').collect()).collect();
    assert_eq!(lines.len(), egraph.nodes.len());
    let mut of_rules = 0;
    for line in &lines {
        let [id, class, _, rule, iteration] = line[..] else { panic!("{line:?}") };
        let node = &egraph[&egraph_serialize::NodeId::from(id)];
        assert_eq!(node.eclass.to_string(), class);
        let words = &egraph.class_data[&node.eclass].extra["births"];
        assert!(words.split(' ').any(|w| w == format!("{id}={rule}@{iteration}")), "{id} in {words}");
        assert_eq!(rule == "import", iteration == "0");
        of_rules += usize::from(rule != "import");
    }
    assert!(of_rules > 0, "rules bore something");
    for (class, data) in &egraph.class_data {
        assert!(data.typ.as_ref().is_some_and(|t| t.starts_with("f32[")), "{class}: {data:?}");
        assert!(!egraph[class].nodes.is_empty());
    }
    // What was written is read again by the laboratory itself.
    let dump = place.join("egraph.json").display().to_string();
    let done = lab(1, &["extract", &dump, "--json"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[test]
fn extractors_see_the_choice_that_pays_by_sharing() {
    let dump = folder().join("dump.json").display().to_string();
    let around = tempfile::tempdir().expect("a temporary folder");
    let place = around.path().join("run").display().to_string();
    let done = lab(1, &["extract", &dump, "--json", "--run", &place]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let rows = found["extract"]["rows"].as_array().expect("rows");
    let cost = |name: &str| rows.iter().find(|r| r["extractor"] == name).map(|r| r["cost"].clone()).expect("a row");
    // As trees the classes a and b cost 2 each; shared they cost 0.25 each and 2.5 once.
    assert_eq!(cost("tree"), "5");
    assert_eq!(cost("local"), "4");
    let again = lab(1, &["rerun", &place]);
    assert!(again.status.success(), "{}{}", text(&again.stdout), text(&again.stderr));
}

#[test]
fn wrong_arguments_are_refused_with_their_name() {
    let model = folder().join("model.egret").display().to_string();
    let here = folder().display().to_string();
    let lines: &[(&[&str], &str)] = &[
        (&["saturate", &model, "--on", "name:no-such-rule"], "no rule fits it"),
        (&["saturate", &model, "--off", "permute"], "expected name:GLOB"),
        (&["saturate", &model, "--only-files"], "there is no rule file"),
        (&["saturate", &model, "--machine", "abacus"], "abacus"),
        (&["saturate", &model, "--value", "x=1"], "--value x"),
        (&["extract", &model, "--extractor", "magic"], "no extractor `magic`"),
        (&["saturate", &model, "--run", &here], "no run folder"),
        (&["rerun", &here], "manifest.json"),
    ];
    for (args, words) in lines {
        let done = lab(1, args);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: `{words}` is not in {said}");
    }
}
