//! `egret explain`, and wrong rules: refused before they run, and named by `verify` where they ran all the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn egret(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_egret")).args(args).output().expect("egret starts")
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

fn json(args: &[&str]) -> Value {
    let out = egret(args);
    assert_eq!(out.status.code(), Some(0), "{}", said(&out));
    serde_json::from_slice(&out.stdout).expect("JSON")
}

fn case(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases").join(name).display().to_string()
}

/// Files of a test in a folder of its own.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("writable");
        path
    }
}

const MODEL: &str = "graph \"g\" {
  %0 = input \"x\" : f32[3,3]
  %1 = map exp %0 : f32[3,3]
  %2 = permute [1,0] %1 : f32[3,3]
  %3 = map tanh %2 : f32[3,3]
  %4 = map neg %3 : f32[3,3]
  %5 = map neg %4 : f32[3,3]
  %6 = 0.5f32 : f32[]
  %7 = broadcast [0:3,1:3] %6 : f32[3,3]
  %8 = map mul %5, %7 : f32[3,3]
  %9 = map sigmoid %8 : f32[3,3]
  return \"y\" %9
}
";

#[test]
fn every_node_of_the_result_has_its_reasons() {
    let path = case("03-gemm-forming.onnx");
    let e = json(&["explain", &path, "--json"]);
    let values = e["values"].as_array().expect("values");
    assert!(!values.is_empty() && e["steps"].as_u64().is_some_and(|n| n > 0), "{e}");
    for v in values {
        assert!(!v["from"].as_array().expect("places").is_empty(), "{v} comes from nowhere");
        assert!(v["original"].is_string() || !v["steps"].as_array().expect("steps").is_empty(), "{v}");
    }
    let steps: Vec<&Value> = values.iter().flat_map(|v| v["steps"].as_array().expect("steps")).collect();
    assert!(steps.iter().any(|s| s["kind"] == "rule" && s["place"].as_str().is_some_and(|p| p.contains(".rules:"))));
    let output = values.last().expect("a value")["value"].as_str().expect("a name");
    let out = egret(&["explain", &path, "--node", output]);
    let text = said(&out);
    assert!(out.status.success() && text.contains(&format!("`{output}`")) && text.contains("replayed"), "{text}");
    let out = egret(&["explain", &path, "--node", "no such node"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(said(&out).contains("no such node"));
}

#[test]
fn the_rules_behind_a_result_are_told() {
    let files = Files::new();
    let model = files.write("in.egret", MODEL);
    let e = json(&["explain", &model, "--json"]);
    let rules: Vec<&str> = e["values"]
        .as_array()
        .expect("values")
        .iter()
        .flat_map(|v| v["steps"].as_array().expect("steps"))
        .filter_map(|s| s["rule"].as_str())
        .collect();
    assert!(rules.contains(&"involution"), "{rules:?}");
}

#[test]
fn near_matches_say_what_is_missing() {
    let files = Files::new();
    let model = files.write("in.egret", MODEL);
    let more = "two : (map tanh (map neg ?x)) => (map neg (map tanh ?x))\n    exact cite \"tanh is odd\" try ?x=f32[8]\n\
                three : (map tanh (permute ?p ?x)) => (permute ?p (map tanh ?x))  when const(?x)\n    exact cite \"maps and movements\" try ?x=const f32[2,3] ?p=[1,0]\n";
    let rules = files.write("more.rules", more);
    let near =
        |rule: &str| json(&["explain", &model, "--rules", &rules, "--unchecked-rules", "--near", rule, "--json"]);
    let two = near("two");
    let miss = &two["near"][0]["miss"]["head"];
    assert_eq!(miss["expected"], "map neg", "{two}");
    assert!(miss["found"].as_array().is_some_and(|f| f.iter().any(|f| f == "permute [1,0]")), "{two}");
    let three = near("three");
    let miss = &three["near"][0]["miss"]["condition"];
    assert_eq!((&miss["condition"], &miss["profit"]), (&Value::from("const(?x)"), &Value::from(true)), "{three}");
    assert!(miss["saw"][0].as_str().is_some_and(|s| s.contains("f32[3,3] (computed at run time)")), "{three}");
    let cut =
        json(&["explain", &model, "--rules", &rules, "--unchecked-rules", "--near", "two", "--limit", "0", "--json"]);
    assert!(cut["left_out"].as_u64().is_some_and(|n| n > 0), "{cut}");
    let out = egret(&["explain", &model, "--near", "no-such-rule"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn wrong_rules_are_caught_twice() {
    let files = Files::new();
    let model = files.write("in.egret", MODEL);
    let wrong = [
        ("wrong-axis", "wrong-axis : (permute ?p ?x) => ?x\n    exact cite \"no\" try ?x=f32[3,3] ?p=[1,0]\n"),
        ("dropped-term", "dropped-term : (map mul ?x %c) => ?x\n    exact cite \"no\" try ?x=f32[3] %c=0.5f32\n"),
        ("wrong-constant", "wrong-constant : (map mul ?x 0.5) => 0.75\n    exact cite \"no\" try ?x=f32[3]\n"),
        (
            "wrong-condition",
            "wrong-condition : (map tanh ?x) => ?x  if float(?x)\n    exact cite \"no\" try ?x=f32[3]\n",
        ),
    ];
    for (name, text) in wrong {
        let rules = files.write("bad.rules", text);
        let out = files.path(&format!("{name}.onnx"));
        let refused = egret(&["optimize", &model, "-o", &out, "--rules", &rules]);
        let text = said(&refused);
        assert_eq!(refused.status.code(), Some(1), "{text}");
        assert!(text.contains(name) && text.contains("--unchecked-rules") && text.contains("bad.rules:1"), "{text}");
        assert!(!PathBuf::from(&out).exists());
        let forced = egret(&["optimize", &model, "-o", &out, "--rules", &rules, "--unchecked-rules"]);
        assert_eq!(forced.status.code(), Some(0), "{}", said(&forced));
        for args in [vec!["verify", &model, &out, "--rules", &rules], vec!["verify", &model, "--rules", &rules]] {
            let verified = egret(&args);
            let text = said(&verified);
            assert_eq!(verified.status.code(), Some(1), "{text}");
            assert!(text.contains(&format!("rule `{name}`")) && text.contains("NOT EQUAL"), "{text}");
        }
    }
}

#[test]
fn right_rules_pass_and_other_results_are_not_blamed() {
    let files = Files::new();
    let model = files.write("in.egret", MODEL);
    let right =
        "sure : (map tanh (map neg (map neg ?x))) => (map tanh ?x)\n    exact cite \"-(-x) = x\" try ?x=f32[3]\n";
    let rules = files.write("good.rules", right);
    let out = files.path("out.onnx");
    let done = egret(&["optimize", &model, "-o", &out, "--rules", &rules]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let verified = egret(&["verify", &model, &out, "--rules", &rules]);
    let text = said(&verified);
    assert_eq!(verified.status.code(), Some(0), "{text}");
    assert!(!text.contains("changes the value") && !text.contains("no rule can be named"), "{text}");
    let other = files.write("other.egret", &MODEL.replace("map exp", "map sin"));
    let bad = files.write("bad.rules", "wrong : (map sin ?x) => (map cos ?x)\n    exact cite \"no\" try ?x=f32[3]\n");
    let verified = egret(&["verify", &other, &out, "--rules", &bad]);
    let text = said(&verified);
    assert_eq!(verified.status.code(), Some(1), "{text}");
    assert!(text.contains("no rule can be named"), "{text}");
}

#[test]
fn a_written_derivation_replays_and_a_changed_one_does_not() {
    let files = Files::new();
    let (model, out, why) = (files.write("in.egret", MODEL), files.path("out.onnx"), files.path("why.json"));
    let done = egret(&["optimize", &model, "-o", &out, "--derivation", &why]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let verified = egret(&["verify", &model, &out, "--derivation", &why]);
    assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
    assert!(said(&verified).contains("congruences replayed"), "{}", said(&verified));
    let other = files.write("other.egret", &MODEL.replace("map exp", "map sin"));
    let verified = egret(&["verify", &other, &out, "--derivation", &why]);
    assert_eq!(verified.status.code(), Some(1), "{}", said(&verified));
    assert!(said(&verified).contains("other models"), "{}", said(&verified));
    let mut data: Value = serde_json::from_str(&std::fs::read_to_string(&why).expect("a file")).expect("JSON");
    data["entries"].as_array_mut().expect("entries").remove(0);
    let cut = files.write("cut.json", &data.to_string());
    let verified = egret(&["verify", &model, &out, "--derivation", &cut]);
    assert_eq!(verified.status.code(), Some(1), "{}", said(&verified));
    assert!(said(&verified).contains("does not check"), "{}", said(&verified));
    let torn = files.write("torn.json", "{\"terms\": 3}");
    assert_eq!(egret(&["verify", &model, &out, "--derivation", &torn]).status.code(), Some(2));
}

#[test]
fn the_derivations_of_all_cases_replay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("verification/cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the cases")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "onnx"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 12);
    for path in paths {
        let traced = egret::explain::trace(&path, &egret::OptimizeOptions::default(), &|_| {})
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let words = egret::explain::explain(&path, &traced, None).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for v in &words.values {
            let reasons = v.unchanged || v.original.is_some() || !v.steps.is_empty() || !v.operands.is_empty();
            assert!(reasons, "{}: `{}` has no reason", path.display(), v.value);
        }
        for judged in egret_verification::derivation::evaluate::judge_all(&traced.derivation, 0) {
            let fine = !matches!(judged, egret_verification::derivation::Judgement::Differs(_));
            assert!(fine, "{}: {judged:?}", path.display());
        }
    }
}
