//! The decision rule on small networks: honest reorderings of sums raise no alarm, injected faults are found and named.
//! Everything runs in the interpreter; no engine is needed.

mod common;

use std::collections::BTreeMap;

use common::{Net, Reordered, attention, convnet, divided, wide};
use egret_ir::Tensor;
use egret_onnx::ReadOptions;
use egret_verification::checks::{Fault, Step};
use egret_verification::definition::Definition;
use egret_verification::verify::verify_definition;
use egret_verification::{ExecError, Executor, Model, Options, Report, Run, Subject, Taps, Verdict, verify};

fn model(net: &Net, name: &str) -> Model {
    Model::from_bytes(name, net.bytes(), None, &ReadOptions::default()).unwrap()
}

fn options(seed: u64) -> Options {
    Options { seed, threads: 1, ..Options::default() }
}

fn compare(a: &Net, b: &Net) -> Report {
    let (a, b) = (model(a, "a"), model(b, "b"));
    verify(&a, &mut Subject::interpreter(&b), &options(1)).unwrap()
}

#[test]
fn honest_reorderings_raise_no_alarm() {
    for net in [convnet(), attention(), wide()] {
        let a = model(&net, "a");
        for run in 0..20 {
            let mut subject = Subject::interpreter(&a);
            subject.engine = Box::new(Reordered::new(&a, run, [0, 4, 16][run as usize % 3]));
            let report = verify(&a, &mut subject, &options(run)).unwrap();
            assert_eq!(report.verdict, Verdict::Equal, "run {run}\n{report}");
            assert_eq!(report.values.skipped, 0);
            assert!(report.values.checked >= net.nodes(), "{report}");
        }
    }
}

#[track_caller]
fn found(report: &Report, step: &str) {
    assert!(!report.verdict.is_equal(), "{report}");
    assert_eq!(report.first.as_ref().unwrap().step, step, "{report}");
}

#[test]
fn a_scaled_channel_is_found_and_named() {
    let a = convnet();
    for factor in [1.001f32, 1.0001] {
        let mut b = a.clone();
        let per_channel = b.weight("w2").len() / 8;
        b.weight("w2")[3 * per_channel..4 * per_channel].iter_mut().for_each(|w| *w *= factor);
        let report = compare(&a, &b);
        assert_eq!(report.verdict, Verdict::Semantic);
        found(&report, "conv2");
    }
}

#[test]
fn a_slightly_scaled_weight_is_found_by_coherence() {
    let a = wide();
    let mut b = a.clone();
    b.weight("w").iter_mut().for_each(|w| *w *= 1.000_01);
    let report = compare(&a, &b);
    found(&report, "product");
    let fault = report.first.unwrap().fault;
    assert!(matches!(fault, Some(Fault::Coherence(c)) if (c.beta - 1e-5).abs() < 1e-6), "{fault:?}");
}

#[test]
fn a_dropped_bias_is_found() {
    let a = convnet();
    let mut b = a.clone();
    b.weight("b1").fill(0.0);
    found(&compare(&a, &b), "conv1");
}

#[test]
fn swapped_channels_are_found() {
    let a = convnet();
    let mut b = a.clone();
    let per_channel = b.weight("w2").len() / 8;
    b.weight("w2")[..2 * per_channel].rotate_left(per_channel);
    found(&compare(&a, &b), "conv2");
}

#[test]
fn another_epsilon_is_found() {
    let a = convnet();
    let mut b = a.clone();
    b.epsilon("norm1", 1e-3);
    found(&compare(&a, &b), "norm1");
}

#[test]
fn a_fault_behind_a_renamed_value_is_found_from_further_back() {
    let a = convnet();
    let mut b = a.clone();
    b.weight("w2")[..7].fill(0.0);
    b.rename("y2", "other");
    let report = compare(&a, &b);
    assert!(!report.verdict.is_equal(), "{report}");
    let first = report.first.unwrap();
    assert!(first.behind.iter().any(|n| n.starts_with("conv2")), "{:?}", first.behind);
}

#[test]
fn a_name_kept_for_another_value_is_a_note() {
    // The subject scales before the convolution's name is given and undoes it after: y1 means 2·y1, everything else agrees.
    let a = convnet();
    let mut b = a.clone();
    b.weight("w1").iter_mut().for_each(|w| *w *= 2.0);
    b.weight("b1").iter_mut().for_each(|w| *w *= 2.0);
    b.weight("gamma1").iter_mut().for_each(|w| *w *= 0.5);
    b.weight("mean1").iter_mut().for_each(|w| *w *= 2.0);
    let report = compare(&a, &b);
    assert!(report.verdict.is_equal(), "{report}");
    assert!(report.notes.iter().any(|n| n.contains("`y1`")), "{report}");
}

#[test]
fn a_product_with_the_rounded_reciprocal_is_a_quotient() {
    for divisor in [3.0, 6.0, 7.0, 10.0, 49.0, 0.3] {
        for (first, other) in [(true, true), (false, false), (true, false), (false, true)] {
            let quotients = divided(divisor, first, None);
            let report = compare(&quotients, &divided(divisor, other, Some(0.0)));
            assert_eq!(report.verdict, Verdict::Equal, "/ {divisor}, joined first: {first}, {other}\n{report}");
            let report = compare(&quotients, &divided(divisor, other, Some(1e-6)));
            assert!(!report.verdict.is_equal(), "/ {divisor}, joined first: {first}, {other}\n{report}");
        }
    }
}

#[test]
fn other_interfaces_are_told() {
    let a = convnet();
    let mut b = a.clone();
    b.rename("out", "result");
    let report = compare(&a, &b);
    assert_eq!(report.verdict, Verdict::Interface);
    assert!(report.interface[0].contains("`result`"), "{report}");
}

#[test]
fn reports_are_json_and_repeat() {
    let a = model(&convnet(), "a");
    let once = || serde_json::to_string(&verify(&a, &mut Subject::interpreter(&a), &options(4)).unwrap()).unwrap();
    assert_eq!(once(), once());
    assert!(once().contains("\"verdict\":\"equal\""));
}

/// A product, rounded to steps of 0.1, and 1 + erf of it: near −3 that is a small difference of numbers near 1.
const TAIL: &str = r#"graph "tail" {
  %0 = input "x" : f32[64,256]
  %1 = input "w" : f32[256,2]
  %2 = contract {a k, k b -> a b} f32 f32 %0, %1 : f32[64,2]
  %3 = 10.0f32 : f32[]
  %4 = broadcast [0:64,1:2] %3 : f32[64,2]
  %5 = map mul %2, %4 : f32[64,2]
  %6 = map round %5 : f32[64,2]
  %7 = map cast:i8 %6 : i8[64,2]
  %8 = map cast:f32 %7 : f32[64,2]
  %9 = map div %8, %4 : f32[64,2]
  %10 = map erf %9 : f32[64,2]
  %11 = 1.0f32 : f32[]
  %12 = broadcast [0:64,1:2] %11 : f32[64,2]
  %13 = map add %10, %12 : f32[64,2]
  return "y" %13
}
"#;

/// A graph in its declared types, its results scaled.
struct Declared(egret_ir::Graph, f32);

impl Executor for Declared {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn profile(&self) -> &'static str {
        "interpreter"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], _taps: Taps) -> Result<Run, ExecError> {
        let given: Vec<Tensor> = inputs.iter().map(|(_, t)| t.clone()).collect();
        let y = egret_ir::eval::native(&self.0, &given).unwrap().swap_remove(0);
        let scaled: Vec<f32> = y.to_f64().iter().map(|y| *y as f32 * self.1).collect();
        let outputs = vec![("y".to_owned(), Tensor::from_slice(y.shape(), &scaled).unwrap())];
        Ok(Run { taps: outputs.iter().cloned().collect(), outputs })
    }
}

fn compare_tail(scale: f32) -> Report {
    let graph = egret_ir::text::parse(TAIL).unwrap();
    let names = graph.inputs.iter().map(|i| i.name.to_string()).zip(graph.values()).collect::<BTreeMap<_, _>>();
    let names = names.into_iter().chain([("y".to_owned(), graph.outputs[0].value)]).collect();
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
    let step =
        Step { name: "tail".to_owned(), op: "kernel".to_owned(), reads: words(&["x", "w"]), writes: words(&["y"]) };
    let mut subject = Subject {
        name: "tail".to_owned(),
        engine: Box::new(Declared(graph.clone(), scale)),
        steps: vec![step],
        inputs: None,
        outputs: None,
        program: None,
    };
    // All rows alike but for what rounding to steps takes away: one column is −3 everywhere, the other one 1.
    let x: Vec<f32> = (0..64 * 256).map(|i| 1.0 + ((i * 37) % 101) as f32 * 1e-4).collect();
    let w: Vec<f32> = (0..256 * 2).map(|i| if i % 2 == 0 { -3.0 / 256.0 } else { 1.0 / 256.0 }).collect();
    let given = vec![
        ("x".to_owned(), Tensor::from_slice([64, 256], &x).unwrap()),
        ("w".to_owned(), Tensor::from_slice([256, 2], &w).unwrap()),
    ];
    let options = Options { given, ..options(1) };
    verify_definition(&Definition::new("tail", &graph, names), &mut subject, &options).unwrap()
}

#[test]
fn equal_errors_behind_integers_are_no_common_factor() {
    let report = compare_tail(1.0);
    assert_eq!(report.verdict, Verdict::Equal, "{report}");
    assert_eq!(report.values.checked, 1);
    // The bound finds one.
    assert!(!compare_tail(1.01).verdict.is_equal());
}
