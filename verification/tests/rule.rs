//! The decision rule on small networks: honest reorderings of sums raise no alarm, injected faults are found and named.
//! Everything runs in the interpreter; no engine is needed.

mod common;

use common::{Net, Reordered, attention, convnet, divided, wide};
use egret_onnx::ReadOptions;
use egret_verification::checks::Fault;
use egret_verification::{Model, Options, Report, Subject, Verdict, verify};

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
