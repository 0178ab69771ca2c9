//! Templates of the writer: every case is a graph, exported without anything imported, and the nodes that come out. Each
//! is read again and must give the same values. `BLESS=1` rewrites the expected nodes.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::choose::export;
use common::value;
use egret_ir::{DType, Graph, Literal, Symbol, Tensor, Type, eval, text};
use egret_onnx::proto::{AttributeProto, GraphProto, ModelProto, OperatorSetIdProto};
use egret_onnx::{Imported, ReadOptions, read_bytes};
use indexmap::IndexMap;
use prost::Message;

/// A graph as if it had been read from a model that has no node left to copy.
fn bare(graph: Graph, opset: i64) -> Imported {
    let declared = |name: &str, ty: &Type| {
        let t = ty.as_tensor().unwrap_or_else(|| panic!("{name} is no tensor"));
        let shape: Vec<String> =
            t.shape.iter().map(|d| d.as_const().map_or_else(|| d.to_string(), |c| c.to_string())).collect();
        value(name, egret_onnx::tensor::code(t.dtype), &shape.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let proto = GraphProto {
        name: Some("g".into()),
        input: graph.inputs.iter().map(|i| declared(&i.name, &i.ty)).collect(),
        output: graph.outputs.iter().map(|o| declared(&o.name, graph.ty(o.value))).collect(),
        ..GraphProto::default()
    };
    let model = ModelProto {
        ir_version: Some(8),
        opset_import: vec![OperatorSetIdProto { domain: None, version: Some(opset) }],
        graph: Some(proto),
        ..ModelProto::default()
    };
    Imported { graph, model, ..Imported::default() }
}

fn attribute(a: &AttributeProto) -> String {
    let value = if let Some(i) = a.i {
        i.to_string()
    } else if let Some(f) = a.f {
        f.to_string()
    } else if let Some(s) = &a.s {
        String::from_utf8_lossy(s).into_owned()
    } else {
        format!("{:?}", a.ints)
    };
    format!("{}={value}", a.name())
}

/// Nodes and constants, names of new values numbered.
fn listing(model: &ModelProto) -> String {
    let graph = model.graph.as_ref().unwrap();
    let mut numbers: IndexMap<String, String> = IndexMap::new();
    let given: Vec<&str> =
        graph.input.iter().chain(&graph.output).map(egret_onnx::proto::ValueInfoProto::name).collect();
    let mut short = |name: &str| {
        if let Some(t) = graph.initializer.iter().find(|t| t.name() == name).filter(|_| !given.contains(&name)) {
            let raw = t.raw_data.clone().unwrap_or_default();
            let tensor = Tensor::new(
                egret_onnx::tensor::dtype(t.data_type()).unwrap(),
                t.dims.iter().map(|d| *d as usize).collect::<Vec<_>>(),
                raw,
            )
            .unwrap();
            return format!("{tensor:?}").replace('"', "");
        }
        if given.contains(&name) || name.is_empty() {
            return name.to_owned();
        }
        let next = format!("v{}", numbers.len());
        numbers.entry(name.to_owned()).or_insert(next).clone()
    };
    let mut out = String::new();
    for n in &graph.node {
        let results: Vec<String> = n.output.iter().map(|s| short(s)).collect();
        let operands: Vec<String> = n.input.iter().map(|s| short(s)).collect();
        let attributes: Vec<String> = n.attribute.iter().map(attribute).collect();
        let line =
            format!("{} = {}({}) {}", results.join(", "), n.op_type(), operands.join(", "), attributes.join(" "));
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    for t in graph.initializer.iter().filter(|t| given.contains(&t.name())) {
        writeln!(out, "{} is a constant", t.name()).unwrap();
    }
    out
}

/// Inputs with 3 for every unknown extent.
fn random_inputs(graph: &Graph) -> Vec<Tensor> {
    let mut state = 12345u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let three = |_: &Symbol| Some(egret_ir::Dim::from(3i64));
    graph
        .inputs
        .iter()
        .map(|i| {
            let t = i.ty.as_tensor().unwrap();
            let shape: Vec<usize> = t.shape.iter().map(|d| d.substitute(&three).as_const().unwrap() as usize).collect();
            let count: usize = shape.iter().product();
            let mut bytes = Vec::new();
            for _ in 0..count {
                let l = match t.dtype {
                    DType::Bool => Literal::bool(next() % 2 == 0),
                    d if d.is_float() => Literal::from_f64(d, (next() % 4001) as f64 / 1000.0 - 2.0),
                    // Small enough to be an index anywhere.
                    d => Literal::from_i64(d, (next() % 2) as i64),
                };
                bytes.extend(l.to_le_bytes());
            }
            Tensor::new(t.dtype, shape, bytes).unwrap()
        })
        .collect()
}

fn assert_close(place: &str, a: &Tensor, b: &Tensor) {
    assert_eq!((a.dtype(), a.shape()), (b.dtype(), b.shape()), "{place}");
    if !a.dtype().is_float() {
        assert_eq!(a, b, "{place}");
        return;
    }
    for (x, y) in a.to_f64().into_iter().zip(b.to_f64()) {
        let same = x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-5 * (1.0 + x.abs());
        assert!(same, "{place}: {x} is not {y}");
    }
}

#[test]
fn templates_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut cases = 0;
    for file in files {
        let old = std::fs::read_to_string(&file).unwrap();
        let mut new = Vec::new();
        for case in old.split("===\n") {
            let (source, _) = case.split_once("---\n").unwrap_or((case, ""));
            let (head, body) = source.split_once('\n').unwrap();
            let place = format!("{}: {head}", file.file_name().unwrap().to_string_lossy());
            let opset = head.strip_prefix("# opset ").and_then(|t| t.split(':').next()).and_then(|n| n.parse().ok());
            let graph = text::parse(body).unwrap_or_else(|e| panic!("{place}: {e}"));
            let inputs = random_inputs(&graph);
            let expected = eval::native(&graph, &inputs).unwrap_or_else(|e| panic!("{place}: {e}"));
            let imported = bare(graph, opset.unwrap_or_else(|| panic!("{place}: no opset")));
            let model = export(&imported);
            let bytes = model.encode_to_vec();
            assert_eq!(export(&imported).encode_to_vec(), bytes, "{place}: two runs");
            let again = read_bytes(bytes.clone().into(), None, &ReadOptions::default())
                .unwrap_or_else(|e| panic!("{place}: {e}"));
            assert!(again.opaque_reasons.is_empty(), "{place}: {:?}", again.opaque_reasons);
            let got = eval::native(&again.graph, &inputs).unwrap_or_else(|e| panic!("{place}: {e}"));
            for (a, b) in expected.iter().zip(&got) {
                assert_close(&place, a, b);
            }
            let nodes = |m: &ModelProto| m.graph.as_ref().unwrap().node.len();
            let second = export(&again);
            assert!(nodes(&second) <= nodes(&model), "{place} grows from\n{}to\n{}", listing(&model), listing(&second));
            if let Ok(out) = std::env::var("EXPORT_DUMP") {
                std::fs::write(Path::new(&out).join(format!("case{cases}.onnx")), &bytes).unwrap();
            }
            new.push(format!("{source}---\n{}", listing(&model)));
            cases += 1;
        }
        let new = new.join("===\n");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, new).unwrap();
        } else {
            assert_eq!(old, new, "{}", file.display());
        }
    }
    assert!(cases > 40, "only {cases} cases");
}

/// Without rules a model loses nodes at most, keeps its interface and its bytes from then on.
#[test]
fn cases_keep_their_interface() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("tests/fixtures"), here.join("../../verification/cases")];
    let mut files: Vec<_> =
        folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap().map(|e| e.unwrap().path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "onnx"));
    files.sort();
    assert!(files.len() > 80, "only {} models", files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let before = egret_onnx::decode(bytes.clone().into()).unwrap();
        let imported = read_bytes(bytes.into(), None, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let after = export(&imported);
        let place = file.file_name().unwrap().to_string_lossy().into_owned();
        let (old, new) = (before.graph.as_ref().unwrap(), after.graph.as_ref().unwrap());
        assert!(new.node.len() <= imported.sites.len(), "{place} grows");
        assert_eq!(old.input, new.input, "{place}");
        assert_eq!(old.output, new.output, "{place}");
        assert_eq!(old.doc_string, new.doc_string, "{place}");
        let heads = [&before, &after].map(|m| ModelProto { graph: None, functions: vec![], ..m.clone() });
        assert_eq!(heads[0], heads[1], "{place}");
        let mut last = after.encode_to_vec();
        let mut stable = false;
        let mut seen = vec![listing(&after)];
        for _ in 0..4 {
            let again =
                read_bytes(last.clone().into(), None, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
            let next = export(&again);
            seen.push(listing(&next));
            let next = next.encode_to_vec();
            stable = next == last;
            last = next;
        }
        assert!(stable, "{place} never settles: {}", seen.join("---\n"));
    }
}
