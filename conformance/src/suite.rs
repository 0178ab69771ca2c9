//! The tests on disk: `SUITE/TEST/{model.onnx, tolerance.json, test_data_set_N/*.pb}`, as `write_suites.py` leaves them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use egret_ir::Tensor;
use egret_onnx::proto::{ModelProto, TensorProto, ValueInfoProto};
use egret_onnx::tensor;
use prost::Message;
use serde::Deserialize;

/// The suites, in the order of the report.
pub const SUITES: &[&str] = &["node", "simple", "pytorch-converted", "pytorch-operator", "light"];

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its suite.
    pub suite: &'static str,
    /// Its name in the suite.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

impl Test {
    /// `suite/name`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }
}

/// How close a float has to be: `|got − expected| ≤ atol + rtol·|expected|`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Tolerance {
    /// Relative part.
    pub rtol: f64,
    /// Absolute part.
    pub atol: f64,
}

/// Tensors by name, in order.
pub type Named = Vec<(String, Tensor)>;

/// One set of inputs with the expected outputs.
#[derive(Clone, Debug)]
pub struct Set {
    /// Inputs.
    pub inputs: Named,
    /// Outputs.
    pub outputs: Named,
}

/// All that a test consists of.
pub struct Case {
    /// The model.
    pub model: ModelProto,
    /// Its data.
    pub sets: Vec<Set>,
    /// How results are compared.
    pub tolerance: Tolerance,
}

/// The tests of the wanted suites (all where none is named) whose `suite/name` holds one of the texts (any where none is given).
pub fn list(root: &Path, suites: &[String], filters: &[String]) -> Result<Vec<Test>> {
    if let Some(unknown) = suites.iter().find(|s| !SUITES.contains(&s.as_str())) {
        bail!("no suite {unknown}; there are {}", SUITES.join(", "));
    }
    let mut tests = Vec::new();
    for suite in SUITES.iter().copied().filter(|s| suites.is_empty() || suites.iter().any(|w| w == s)) {
        let place = root.join(suite);
        let entries = fs::read_dir(&place).with_context(|| {
            format!("{} is not there: cargo xtask setup --only onnx-tests writes the suites", place.display())
        })?;
        let mut found = Vec::new();
        for entry in entries {
            let folder = entry?.path();
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if folder.join("model.onnx").is_file() {
                found.push(Test { suite, name, folder });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        tests.extend(found.into_iter().filter(|t| filters.is_empty() || filters.iter().any(|f| t.id().contains(f))));
    }
    Ok(tests)
}

/// The model of a test.
pub fn model(folder: &Path) -> Result<ModelProto> {
    let path = folder.join("model.onnx");
    let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
    ModelProto::decode(bytes.as_slice()).with_context(|| format!("{} is no model", path.display()))
}

/// Reads a test whose values are all tensors of known dtypes.
pub fn read(folder: &Path) -> Result<Case> {
    let model = model(folder)?;
    let text = fs::read_to_string(folder.join("tolerance.json"))?;
    let tolerance = serde_json::from_str(&text).context("tolerance.json")?;
    let graph = model.graph.as_ref().context("the model has no graph")?;
    let given = |info: &&ValueInfoProto| !graph.initializer.iter().any(|t| t.name() == info.name());
    let all: Vec<&str> = graph.input.iter().map(ValueInfoProto::name).collect();
    let without: Vec<&str> = graph.input.iter().filter(given).map(ValueInfoProto::name).collect();
    let outputs: Vec<&str> = graph.output.iter().map(ValueInfoProto::name).collect();
    let mut sets = Vec::new();
    while let place = folder.join(format!("test_data_set_{}", sets.len()))
        && place.is_dir()
    {
        let inputs = tensors(&place, "input")?;
        // Weights that are listed among the inputs have values of their own, but in some models they come with the data.
        let names = if inputs.len() <= without.len() { &without } else { &all };
        sets.push(Set { inputs: named(names, inputs)?, outputs: named(&outputs, tensors(&place, "output")?)? });
    }
    if sets.is_empty() {
        bail!("{} has no data", folder.display());
    }
    Ok(Case { model, sets, tolerance })
}

fn named(names: &[&str], values: Vec<Tensor>) -> Result<Named> {
    if values.len() > names.len() {
        bail!("{} values for {} names", values.len(), names.len());
    }
    Ok(names.iter().map(|n| (*n).to_owned()).zip(values).collect())
}

/// The tensors `TAG_0.pb`, `TAG_1.pb`, … of a folder.
pub fn tensors(place: &Path, tag: &str) -> Result<Vec<Tensor>> {
    let mut out = Vec::new();
    while let path = place.join(format!("{tag}_{}.pb", out.len()))
        && path.is_file()
    {
        let proto = TensorProto::decode(fs::read(&path)?.as_slice()).with_context(|| path.display().to_string())?;
        let value = tensor::decode(&proto);
        out.push(value.map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?);
    }
    Ok(out)
}
