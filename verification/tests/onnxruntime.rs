//! The small networks in ONNX Runtime. Skipped, with a word, where its library is not installed (`cargo xtask setup`).

mod common;

use common::{Net, attention, convnet};
use egret_ir::{DType, Tensor};
use egret_onnx::ReadOptions;
use egret_verification::onnxruntime::{self, Level};
use egret_verification::{Model, Options, Subject, Taps, Verdict, verify};

fn installed() -> bool {
    let found = onnxruntime::library().is_ok();
    if !found {
        eprintln!("skipped: ONNX Runtime is not installed");
    }
    found
}

fn model(net: &Net) -> Model {
    Model::from_bytes("net", net.bytes(), None, &ReadOptions::default()).unwrap()
}

#[test]
fn every_node_is_shown_and_within_its_bound() {
    if !installed() {
        return;
    }
    for net in [convnet(), attention()] {
        let a = model(&net);
        let report = verify(&a, &mut Subject::onnxruntime(&a, Level::Off, 1), &Options::default()).unwrap();
        assert_eq!(report.verdict, Verdict::Equal, "{report}");
        assert_eq!(report.values.checked, net.nodes(), "{report}");
        let report = verify(&a, &mut Subject::onnxruntime(&a, Level::All, 1), &Options::default()).unwrap();
        assert_eq!(report.verdict, Verdict::Equal, "{report}");
    }
}

#[test]
fn a_scaled_channel_is_named() {
    if !installed() {
        return;
    }
    let a = convnet();
    let mut b = a.clone();
    b.weight("w1")[27..54].iter_mut().for_each(|w| *w *= 1.001);
    let (a, b) = (model(&a), model(&b));
    let report = verify(&a, &mut Subject::onnxruntime(&b, Level::Off, 1), &Options::default()).unwrap();
    assert_eq!(report.verdict, Verdict::Semantic, "{report}");
    assert_eq!(report.first.unwrap().step, "conv1");
}

#[test]
fn tensors_of_every_type_and_no_elements_pass_through() {
    if !installed() {
        return;
    }
    for dtype in DType::ALL {
        let mut subject = common::echo(dtype);
        for shape in [vec![2, 3], vec![0, 3]] {
            let n = shape.iter().product::<usize>() * dtype.size();
            let bytes: Vec<u8> = (0..n).map(|i| if dtype == DType::Bool { (i % 2) as u8 } else { i as u8 }).collect();
            let x = Tensor::new(dtype, shape, bytes).unwrap();
            let run = egret_verification::Executor::run(&mut subject, &[("x".into(), x.clone())], Taps::All).unwrap();
            assert_eq!(run.outputs, [("y".to_owned(), x)], "{dtype}");
        }
    }
}
