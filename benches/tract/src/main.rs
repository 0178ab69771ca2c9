//! ONNX's tests in tract, for `cargo xtask conformance --peers`. A test's folder per line of standard input, `FOLDER\tOUT`;
//! results go to `OUT/output_SET_I.pb`, and a line of JSON with the fault, or null, to standard output.
//!
//! As in the project's own run, small inputs are turned into constants where the model does not work without.

use std::fs;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use anyhow::{Context, Result, bail};
use prost::Message;
use tract_onnx::data_resolver::MmapDataResolver;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{ModelProto, TensorProto};
use tract_onnx::prelude::*;
use tract_onnx::tensor::load_tensor;

/// Inputs of at most this many elements may become constants.
const SMALL: usize = 64;

fn main() -> Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (folder, out) = line.split_once('\t').context("FOLDER and OUT, with a tab between")?;
        let done = catch_unwind(AssertUnwindSafe(|| test(Path::new(folder), Path::new(out))));
        let fault = match done {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(_) => Some("panic".to_owned()),
        };
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", serde_json::to_string(&fault)?)?;
        stdout.flush()?;
    }
    Ok(())
}

fn test(folder: &Path, out: &Path) -> Result<()> {
    let model = ModelProto::decode(fs::read(folder.join("model.onnx"))?.as_slice())?;
    let mut sets = Vec::new();
    while folder.join(format!("test_data_set_{}", sets.len())).is_dir() {
        sets.push(protos(&folder.join(format!("test_data_set_{}", sets.len())))?);
    }
    let first = sets.first().context("no data")?;
    let mut fault = None;
    let constants: [fn(&TensorProto) -> bool; 3] = [|_| false, |t| small(t) && !float(t), small];
    for constant in constants {
        let which: Vec<bool> = first.iter().map(constant).collect();
        if fault.is_some() && !which.contains(&true) {
            continue;
        }
        match catch_unwind(AssertUnwindSafe(|| run(&model, &sets, &which, out))) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => fault = fault.or(Some(error)),
            Err(_) => fault = fault.or(Some(anyhow::anyhow!("panic"))),
        }
    }
    Err(fault.context("not run")?)
}

fn small(t: &TensorProto) -> bool {
    t.dims.len() <= 1 && t.dims.iter().all(|d| *d <= SMALL as i64)
}

fn float(t: &TensorProto) -> bool {
    [DataType::Float, DataType::Double, DataType::Float16, DataType::Bfloat16].iter().any(|f| *f as i32 == t.data_type)
}

fn protos(place: &Path) -> Result<Vec<TensorProto>> {
    let mut list = Vec::new();
    while let path = place.join(format!("input_{}.pb", list.len()))
        && path.is_file()
    {
        list.push(TensorProto::decode(fs::read(path)?.as_slice())?);
    }
    Ok(list)
}

/// Runs all sets; the inputs marked in `constant` become constants first.
fn run(model: &ModelProto, sets: &[Vec<TensorProto>], constant: &[bool], out: &Path) -> Result<()> {
    let mut model = model.clone();
    let graph = model.graph.as_mut().context("no graph")?;
    let stored = |name: &str| graph.initializer.iter().any(|t| t.name == name);
    let all: Vec<String> = graph.input.iter().map(|i| i.name.clone()).collect();
    let without: Vec<String> = all.iter().filter(|n| !stored(n)).cloned().collect();
    let names = if sets[0].len() <= without.len() { without } else { all };
    for (i, _) in constant.iter().enumerate().filter(|(_, c)| **c) {
        if sets.iter().any(|s| s[i].raw_data != sets[0][i].raw_data) {
            bail!("sets differ in an input that would become a constant");
        }
        let name = names.get(i).context("more values than inputs")?;
        graph.input.retain(|input| input.name != *name);
        graph.initializer.push(TensorProto { name: name.clone(), ..sets[0][i].clone() });
    }
    let load = |t: &TensorProto| load_tensor(&MmapDataResolver, t, None);
    let mut loaded = tract_onnx::onnx().model_for_proto_model(&model)?;
    let outlets = loaded.input_outlets()?.to_vec();
    let mut order = Vec::new();
    for (slot, outlet) in outlets.iter().enumerate() {
        let name = &loaded.node(outlet.node).name;
        let i = names.iter().position(|n| n == name).with_context(|| format!("no value for {name}"))?;
        let value = load(&sets[0][i])?;
        loaded.set_input_fact(slot, InferenceFact::dt_shape(value.datum_type(), value.shape()))?;
        order.push(i);
    }
    let runnable = loaded.into_optimized()?.into_runnable()?;
    for (number, set) in sets.iter().enumerate() {
        let inputs: TVec<TValue> = order.iter().map(|i| Ok(load(&set[*i])?.into_tvalue())).collect::<Result<_>>()?;
        for (i, value) in runnable.run(inputs)?.iter().enumerate() {
            fs::write(out.join(format!("output_{number}_{i}.pb")), encode(value)?.encode_to_vec())?;
        }
    }
    Ok(())
}

fn encode(value: &Tensor) -> Result<TensorProto> {
    let symbolic = value.datum_type() == TDim::datum_type();
    let value = if symbolic { value.cast_to::<i64>()?.into_owned() } else { value.clone() };
    let kinds = [
        (bool::datum_type(), DataType::Bool),
        (u8::datum_type(), DataType::Uint8),
        (u16::datum_type(), DataType::Uint16),
        (u32::datum_type(), DataType::Uint32),
        (u64::datum_type(), DataType::Uint64),
        (i8::datum_type(), DataType::Int8),
        (i16::datum_type(), DataType::Int16),
        (i32::datum_type(), DataType::Int32),
        (i64::datum_type(), DataType::Int64),
        (f16::datum_type(), DataType::Float16),
        (f32::datum_type(), DataType::Float),
        (f64::datum_type(), DataType::Double),
    ];
    let kind = kinds.iter().find(|(d, _)| *d == value.datum_type().unquantized()).context("a dtype ONNX lacks")?.1;
    Ok(TensorProto {
        dims: value.shape().iter().map(|d| *d as i64).collect(),
        data_type: kind as i32,
        raw_data: value.as_bytes().to_vec().into(),
        ..TensorProto::default()
    })
}
