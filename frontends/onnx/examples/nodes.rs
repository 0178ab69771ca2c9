//! scratch
use egret_ir::{DType, Tensor, check, eval};
use egret_onnx::proto::TensorProto;
use egret_onnx::tensor::decode;
use egret_onnx::{Frozen, ReadOptions, read};
use prost::Message;
use std::path::{Path, PathBuf};

fn load(dir: &Path, kind: &str) -> Option<Vec<(String, Tensor)>> {
    let mut out = Vec::new();
    for i in 0.. {
        let p = dir.join(format!("test_data_set_0/{kind}_{i}.pb"));
        let Ok(bytes) = std::fs::read(&p) else { break };
        let t = TensorProto::decode(bytes.as_slice()).ok()?;
        let name = t.name().to_owned();
        out.push((name, decode(&t).ok()?));
    }
    Some(out)
}

fn diff(got: &Tensor, want: &Tensor) -> Option<String> {
    if got.dtype() != want.dtype() || got.shape() != want.shape() {
        return Some(format!("{}{:?} instead of {}{:?}", got.dtype(), got.shape(), want.dtype(), want.shape()));
    }
    let (r, a) = match got.dtype() {
        DType::F16 => (1e-2, 1e-2),
        DType::BF16 => (5e-2, 2e-2),
        DType::F32 => (1e-3, 1e-5),
        DType::F64 => (1e-7, 1e-8),
        _ => (0.0, 0.0),
    };
    (0..got.len()).find_map(|i| {
        let (x, y) = (got.get(i).to_f64(), want.get(i).to_f64());
        let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= a + r * y.abs();
        (!same).then(|| format!("element {i} is {x} instead of {y}"))
    })
}

fn try_one(dir: &Path, inputs: &[(String, Tensor)], want: &[(String, Tensor)], freeze: bool) -> Result<(), String> {
    let mut o = ReadOptions::default();
    if freeze {
        for (n, t) in inputs {
            if (t.dtype().is_int() || t.dtype() == DType::F32) && t.len() <= 16 && t.shape().len() <= 1 {
                o.values.push((n.clone(), Frozen::Tensor(t.clone())));
            }
        }
        if o.values.is_empty() {
            return Err("nothing to freeze".into());
        }
    }
    let m = read(&dir.join("model.onnx"), &o).map_err(|e| format!("READ {e}"))?;
    if let Some(r) = m.opaque_reasons.first() {
        return Err(format!("OPAQUE {} : {}", r.node, r.reason));
    }
    check(m.graph.clone()).map_err(|r| format!("CHECK {}", r[0]))?;
    let given: Vec<Tensor> = m
        .graph
        .inputs
        .iter()
        .enumerate()
        .map(|(i, d)| {
            inputs
                .iter()
                .find(|(n, _)| **n == *d.name)
                .or_else(|| inputs.get(i))
                .map(|x| x.1.clone())
                .ok_or_else(|| format!("no input {}", d.name))
        })
        .collect::<Result<_, _>>()?;
    let got = eval::native(&m.graph, &given).map_err(|e| format!("EVAL {e}"))?;
    for ((o, g), (_, w)) in m.graph.outputs.iter().zip(&got).zip(want) {
        if let Some(d) = diff(g, w) {
            return Err(format!("DIFF {}: {d}", o.name));
        }
    }
    Ok(())
}

fn main() {
    let pats: Vec<String> = std::env::args().skip(1).collect();
    let mut dirs: Vec<PathBuf> =
        std::fs::read_dir("/tmp/onnx-tests/node").unwrap().map(|e| e.unwrap().path()).collect();
    dirs.sort();
    let (mut ok, mut frozen, mut bad, mut skip) = (0, 0, 0, 0);
    for d in dirs {
        let name = d.file_name().unwrap().to_string_lossy().into_owned();
        if !pats.is_empty() && !pats.iter().any(|p| name.contains(p.as_str())) {
            continue;
        }
        let (Some(i), Some(w)) = (load(&d, "input"), load(&d, "output")) else {
            skip += 1;
            println!("SKIP {name}");
            continue;
        };
        let r = std::panic::catch_unwind(|| try_one(&d, &i, &w, false)).unwrap_or(Err("PANIC".into()));
        match r {
            Ok(()) => ok += 1,
            Err(e) => {
                let f = std::panic::catch_unwind(|| try_one(&d, &i, &w, true)).unwrap_or(Err("PANIC".into()));
                match f {
                    Ok(()) => {
                        frozen += 1;
                        println!("FROZEN {name}: {e}");
                    }
                    Err(f) => {
                        bad += 1;
                        println!("BAD {name}: {e}");
                        if f != e && f != "nothing to freeze" {
                            println!("      frozen: {f}");
                        }
                    }
                }
            }
        }
    }
    println!("ok {ok} frozen {frozen} bad {bad} skip {skip}");
}
