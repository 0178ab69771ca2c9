//! Writing: the streamed message is prost's, data files are laid out as they should be and read back.

mod common;

use std::path::Path;

use common::*;
use egret_onnx::proto::{ModelProto, StringStringEntryProto, TensorProto};
use egret_onnx::{ReadOptions, decode, external, open, read, store};
use prost::Message;

fn streamed(model: &ModelProto) -> Vec<u8> {
    let mut out = Vec::new();
    store::write(model.clone(), &mut out).unwrap();
    out
}

fn raw(name: &str, count: usize, seed: u8) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        data_type: Some(F32),
        dims: vec![count as i64],
        raw_data: Some((0..4 * count).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect()),
        doc_string: Some("after the data".into()),
        metadata_props: vec![StringStringEntryProto { key: Some("k".into()), value: None }],
        ..Default::default()
    }
}

#[test]
fn a_streamed_message_is_what_prost_writes() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for folder in [here.join("tests/fixtures"), here.join("../../verification/cases")] {
        for file in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if file.extension().is_some_and(|e| e == "onnx") {
                let model = open(&file).unwrap();
                assert!(streamed(&model) == model.encode_to_vec(), "{}", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "only {seen} models");
    let mut g = graph(vec![node("Relu", &["x"], &["y"])], vec![value("x", F32, &["2"])], vec![value("y", F32, &["2"])]);
    g.initializer = vec![raw("small", 3, 1), raw("large", 10_000, 2), floats("typed", &[2], &[1.0, 2.0])];
    g.doc_string = Some("doc".into());
    let mut m = model(17, g);
    m.producer_name = Some("p".into());
    m.doc_string = Some("d".into());
    m.metadata_props = vec![StringStringEntryProto { key: Some("k".into()), value: Some("v".into()) }];
    assert!(streamed(&m) == m.encode_to_vec());
    m.graph = None;
    assert!(streamed(&m) == m.encode_to_vec());
}

#[test]
fn constants_go_out_aligned_and_come_back() {
    let mut inner = graph(vec![node("Add", &["x", "inner"], &["o"])], vec![], vec![value("o", F32, &["3000"])]);
    inner.initializer.push(raw("inner", 3000, 9));
    let constant = TensorProto { name: None, ..raw("", 5000, 4) };
    let constant = egret_onnx::proto::AttributeProto {
        name: Some("value".into()),
        r#type: Some(4),
        t: Some(Box::new(constant)),
        ..Default::default()
    };
    let mut g = graph(
        vec![
            node("Constant", &[], &["c"]).with(constant),
            node("If", &["p"], &["y"]).with(body("then_branch", inner.clone())).with(body("else_branch", inner)),
        ],
        vec![value("x", F32, &["3000"]), value("p", 9, &[])],
        vec![value("y", F32, &["3000"])],
    );
    let numbers: Vec<f32> = (0..400).map(|i| i as f32).collect();
    g.initializer =
        vec![raw("page", 20_000, 1), raw("tiny", 4, 2), floats("typed", &[400], &numbers), raw("b", 300, 3)];
    let original = model(17, g);

    let folder = tempfile::tempdir().unwrap();
    let mut model = original.clone();
    let data = store::externalize(&mut model, "m.onnx.data", store::THRESHOLD);
    let path = folder.path().join("m.onnx");
    data.write(&mut std::fs::File::create(folder.path().join("m.onnx.data")).unwrap()).unwrap();
    std::fs::write(&path, model.encode_to_vec()).unwrap();
    assert_eq!(std::fs::metadata(folder.path().join("m.onnx.data")).unwrap().len(), data.size);
    assert!(data.blocks.windows(2).all(|w| w[0].0 + w[0].1.len() as u64 <= w[1].0));
    for (offset, bytes) in &data.blocks {
        assert_eq!(offset % if bytes.len() >= 65536 { 4096 } else { 64 }, 0);
    }
    // page, typed, b, the constant, and the inner one that both bodies share.
    assert_eq!(data.blocks.len(), 5);
    let mut again = open(&path).unwrap();
    assert_eq!(external::locations(&again).into_iter().collect::<Vec<_>>(), ["m.onnx.data"]);
    external::embed(&mut again, &mut external::Files::beside(&path)).unwrap();
    let mut expected = original;
    for t in &mut expected.graph.as_mut().unwrap().initializer {
        egret_onnx::tensor::to_raw(t, store::THRESHOLD);
    }
    assert!(again == expected);
    assert!(read(&path, &ReadOptions::default()).is_ok());
}

#[test]
fn shared_bytes_are_written_once() {
    let shared = raw("a", 1000, 1);
    let mut g = graph(vec![], vec![], vec![]);
    g.initializer = vec![shared.clone(), TensorProto { name: Some("b".into()), ..shared }, raw("c", 1000, 1)];
    let mut m = model(17, g);
    let data = store::externalize(&mut m, "data", 1);
    assert_eq!(data.blocks.len(), 2);
    assert_eq!(data.size, 4032 + 4000);
}

/// A cache keeps a model and its data as links into a store; both lie in the folder that the links lead to.
#[test]
#[cfg(unix)]
fn a_model_that_is_a_link_may_have_its_data_where_it_leads() {
    let folder = tempfile::tempdir().unwrap();
    let (blobs, snapshot) = (folder.path().join("blobs"), folder.path().join("snapshots/main"));
    std::fs::create_dir_all(&blobs).unwrap();
    std::fs::create_dir_all(&snapshot).unwrap();
    let mut g =
        graph(vec![node("Add", &["x", "w"], &["y"])], vec![value("x", F32, &["2"])], vec![value("y", F32, &["2"])]);
    g.initializer.push(raw("w", 2, 0));
    let mut m = model(17, g);
    let data = store::externalize(&mut m, "model.onnx_data", 1);
    data.write(&mut std::fs::File::create(blobs.join("f00d")).unwrap()).unwrap();
    std::fs::write(blobs.join("cafe"), m.encode_to_vec()).unwrap();
    std::os::unix::fs::symlink("../../blobs/cafe", snapshot.join("model.onnx")).unwrap();
    std::os::unix::fs::symlink("../../blobs/f00d", snapshot.join("model.onnx_data")).unwrap();
    assert!(read(&snapshot.join("model.onnx"), &ReadOptions::default()).is_ok());
    // A copy of the model beside the linked data: the link leads out.
    std::fs::remove_file(snapshot.join("model.onnx")).unwrap();
    std::fs::copy(blobs.join("cafe"), snapshot.join("model.onnx")).unwrap();
    let e = read(&snapshot.join("model.onnx"), &ReadOptions::default()).unwrap_err();
    assert_eq!(e.to_string(), "initializer w: external data \"model.onnx_data\" lies outside the model's folder");
}

#[test]
fn snapshots_see_every_difference() {
    let mut g = graph(vec![node("Relu", &["x"], &["y"])], vec![value("x", F32, &["2"])], vec![value("y", F32, &["2"])]);
    g.initializer = vec![raw("large", 10_000, 2)];
    let a = model(17, g);
    let copied = decode(a.encode_to_vec().into()).unwrap();
    assert!(store::Snapshot::new(&a) == store::Snapshot::new(&copied));
    let mut b = copied.clone();
    b.graph.as_mut().unwrap().initializer[0] = raw("large", 10_000, 3);
    assert!(store::Snapshot::new(&a) != store::Snapshot::new(&b));
    let mut c = copied;
    c.graph.as_mut().unwrap().node[0].name = Some("other".into());
    assert!(store::Snapshot::new(&a) != store::Snapshot::new(&c));
}
