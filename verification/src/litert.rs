//! LiteRT's reference kernels (the runtime that TFLite became) through its Python package, in a process of its own: the
//! oracle for TFLite models. It is optional; without it every other engine works.
//!
//! A Python that has the package `ai-edge-litert` is looked for, in order, at `EGRET_PYTHON` (a program), and as
//! `target/python/bin/python` in the folder the program runs in and in the folders above it and above the executable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use egret_ir::Tensor;

use crate::executor::{ExecError, Executor, Run, Taps};
use crate::model::{Model, Original};
use crate::npy;

/// What the process runs.
const SCRIPT: &str = include_str!("litert.py");

/// Why LiteRT gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum LiteRtError {
    /// No Python has the package.
    #[error(
        "LiteRT is not installed: set EGRET_PYTHON to a Python with the package ai-edge-litert, or run `cargo xtask setup`"
    )]
    Missing,
    /// An input was not given.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// The process failed.
    #[error("LiteRT: {0}")]
    Failed(String),
    /// Inputs cannot be written, or results not be read.
    #[error("LiteRT: {0}")]
    Array(#[from] npy::NpyError),
    /// No folder for them.
    #[error("LiteRT: {0}")]
    Folder(#[from] std::io::Error),
    /// A result is missing.
    #[error("LiteRT gives no tensor {0}")]
    NoTensor(usize),
}

/// The Python that has LiteRT.
pub fn python() -> Result<&'static Path, LiteRtError> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let named = std::env::var_os("EGRET_PYTHON").map(PathBuf::from);
        let roots = [std::env::current_dir().ok(), std::env::current_exe().ok()];
        let near = roots.iter().flatten().flat_map(|r| r.ancestors()).map(|r| r.join("target/python/bin/python"));
        let has = |python: &PathBuf| {
            let import = "import importlib.util as u, sys; sys.exit(u.find_spec('ai_edge_litert') is None)";
            python.is_file() && Command::new(python).args(["-c", import]).output().is_ok_and(|o| o.status.success())
        };
        let mut tried = std::collections::BTreeSet::new();
        named.into_iter().chain(near).filter(|p| tried.insert(p.clone())).find(has)
    });
    found.as_deref().ok_or(LiteRtError::Missing)
}

/// LiteRT with a model.
pub struct LiteRt<'a> {
    model: &'a Path,
    /// Names of the tensors, by index.
    tensors: &'a [String],
    inputs: Vec<String>,
    outputs: Vec<String>,
}

impl<'a> LiteRt<'a> {
    /// An engine for a TFLite model; None for another format.
    pub fn of(model: &'a Model) -> Option<Self> {
        let Original::TfLite { path, tensors, .. } = &model.original else { return None };
        let graph = &model.imported.graph;
        Some(Self {
            model: path,
            tensors,
            inputs: graph.inputs.iter().map(|i| i.name.to_string()).collect(),
            outputs: graph.outputs.iter().map(|o| o.name.to_string()).collect(),
        })
    }

    fn tensors(&self, inputs: &[(String, Tensor)], every: bool) -> Result<BTreeMap<String, Tensor>, LiteRtError> {
        let python = python()?;
        let folder = tempfile::tempdir()?;
        let (given, written) = (folder.path().join("given.npz"), folder.path().join("written.npz"));
        let mut arrays = Vec::new();
        for (i, name) in self.inputs.iter().enumerate() {
            let found = inputs.iter().find(|(n, _)| n == name);
            let (_, tensor) = found.ok_or_else(|| LiteRtError::MissingInput(name.clone()))?;
            arrays.push((i.to_string(), tensor));
        }
        npy::write_npz(&given, arrays.iter().map(|(k, t)| (k.as_str(), *t)))?;
        let mut command = Command::new(python);
        command.arg("-c").arg(SCRIPT).arg(self.model).arg(&given).arg(&written).arg(if every { "1" } else { "0" });
        let output = command.output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let last = text.lines().last().unwrap_or("the process failed").to_owned();
            return Err(LiteRtError::Failed(last));
        }
        let mut by_name = BTreeMap::new();
        for (key, tensor) in npy::read_npz(&written)? {
            if let Some(name) = key.parse().ok().and_then(|i: usize| self.tensors.get(i)) {
                by_name.insert(name.clone(), tensor);
            }
        }
        Ok(by_name)
    }
}

impl Executor for LiteRt<'_> {
    fn name(&self) -> &'static str {
        "litert"
    }

    fn profile(&self) -> &'static str {
        "litert"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> Result<Run, ExecError> {
        let tensors = self.tensors(inputs, taps == Taps::All)?;
        let index = |name: &String| self.tensors.iter().position(|t| t == name).unwrap_or(self.tensors.len());
        let output = |name: &String| match tensors.get(name) {
            Some(t) => Ok((name.clone(), t.clone())),
            None => Err(LiteRtError::NoTensor(index(name))),
        };
        let outputs = self.outputs.iter().map(output).collect::<Result<_, _>>()?;
        Ok(Run { outputs, taps: if taps == Taps::All { tensors } else { BTreeMap::new() } })
    }
}
