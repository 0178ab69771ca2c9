//! What the experiments of `egret lab` share.

use std::path::{Path, PathBuf};

use egret::lab::{self, Setup};

use crate::cli::args::{Rewriting, Shapes};

/// The model, the rules, and where results go.
#[derive(clap::Args)]
pub struct Common {
    /// The model: ONNX, TFLite, or Egret's text form; for `extract` also an e-graph of egraph-serialize (.json, .json.gz)
    pub model: PathBuf,
    #[command(flatten)]
    shapes: Shapes,
    #[command(flatten)]
    rewriting: Rewriting,
    /// Use the given rule files alone, without the built-in library
    #[arg(long)]
    only_files: bool,
    /// Rules that run, e.g. name:permute-*, phase:layout, tag:algebra (a rule file), class:finite; may be repeated;
    /// none: all
    #[arg(long, value_name = "PATTERN")]
    on: Vec<String>,
    /// Rules that do not run, whatever --on says; may be repeated
    #[arg(long, value_name = "PATTERN")]
    off: Vec<String>,
    /// The machine that prices kernels: one of Egret's by name, or a machine file (.toml)
    #[arg(long, default_value = lab::experiment::MACHINE, value_name = "NAME|FILE")]
    machine: String,
    /// Write the results into this folder, with a manifest for `compare` and `rerun`; a run folder that stands there is
    /// replaced
    #[arg(long, value_name = "FOLDER")]
    pub run: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
}

/// How far rules may go. What is not given follows from the size of the model.
#[derive(clap::Args)]
pub struct Budgets {
    /// E-nodes at the end of the last phase, the model's own included
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// New e-nodes per rule and phase
    #[arg(long, value_name = "N")]
    per_rule: Option<usize>,
    /// Rounds per phase
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
}

impl Budgets {
    pub fn budgets(&self) -> lab::Budgets {
        lab::Budgets { nodes: self.nodes, per_rule: self.per_rule, rounds: self.rounds }
    }
}

/// The same path from everywhere, so that a run can be repeated from another folder.
pub fn absolute(path: &Path) -> egret::Result<PathBuf> {
    std::path::absolute(path).map_err(|e| egret::Error::File { path: path.to_owned(), reason: e.to_string() })
}

impl Common {
    pub fn setup(&self, budgets: lab::Budgets) -> egret::Result<Setup> {
        let binding = self.shapes.binding()?;
        if let Some((name, _)) = binding.values.first() {
            let text = format!("--value {name}: an experiment cannot fix values of inputs");
            return Err(egret::Error::Usage(text));
        }
        let machine = match Path::new(&self.machine).extension() {
            Some(_) => absolute(Path::new(&self.machine))?.display().to_string(),
            None => self.machine.clone(),
        };
        Ok(Setup {
            dims: binding.dims,
            ranges: binding.ranges,
            shapes: binding.shapes,
            rule_files: self.rewriting.rules.iter().map(|p| absolute(p)).collect::<egret::Result<_>>()?,
            only_files: self.only_files,
            on: self.on.clone(),
            off: self.off.clone(),
            numeric: self.rewriting.numeric(),
            budgets,
            machine,
            ..Setup::of(absolute(&self.model)?)
        })
    }
}
