//! What an experiment is: data that a manifest keeps and [`super::folder::rerun`] reads again.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Binding, Numeric};

/// An experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    /// What is done.
    pub task: Task,
    /// What it is done on. Only the model counts where the task reads a dump.
    pub setup: Setup,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Saturates and keeps all statistics.
    Saturate,
    /// Runs extractors side by side.
    Extract {
        /// Their names; none: all.
        extractors: Vec<String>,
        /// An e-graph in the JSON of egraph-serialize, plain or in gzip, instead of the model's kernels.
        dump: Option<PathBuf>,
    },
    /// Leaves out one unit of rules after the other.
    Ablate {
        /// What is left out at a time.
        by: Unit,
    },
    /// Saturates under every combination of budgets. An empty list stands for the budget of the setup.
    Sweep {
        /// E-nodes.
        nodes: Vec<usize>,
        /// New e-nodes per rule and phase.
        per_rule: Vec<usize>,
        /// Rounds per phase.
        rounds: Vec<usize>,
    },
}

impl Task {
    /// The word on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Saturate => "saturate",
            Self::Extract { .. } => "extract",
            Self::Ablate { .. } => "ablate",
            Self::Sweep { .. } => "sweep",
        }
    }
}

/// What an ablation leaves out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A rule, in one direction.
    Rule,
    /// All rules of one file.
    Tag,
    /// All rules of one phase.
    Phase,
    /// All rules of one numeric class.
    Class,
}

/// The model, the rules, and how far they may go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The model, of any format that has a frontend.
    pub model: PathBuf,
    /// Extents of unknown dimensions, by name.
    pub dims: Vec<(String, i64)>,
    /// Bounds of unknown dimensions, by name.
    pub ranges: Vec<(String, i64, i64)>,
    /// Shapes of inputs.
    pub shapes: Vec<(String, Vec<i64>)>,
    /// Rule files.
    pub rule_files: Vec<PathBuf>,
    /// Whether the rule files stand alone, without the built-in library.
    pub only_files: bool,
    /// Patterns of rules that run (see [`super::selection`]); none: all.
    pub on: Vec<String>,
    /// Patterns of rules that do not, whatever `on` says.
    pub off: Vec<String>,
    /// Weakest numeric class of rules that may run on floats.
    pub numeric: Numeric,
    /// Budgets.
    pub budgets: Budgets,
    /// The machine that prices kernels: a built-in one by name, or a machine file by its path.
    pub machine: String,
}

/// Budgets; what is not given follows from the size of the model ([`egret_rules::Config::for_nodes`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// E-nodes at the end of the last phase, the model's own included. Beside those the first phase may make a third of
    /// the others, the second another third.
    pub nodes: Option<usize>,
    /// New e-nodes of one rule in one phase.
    pub per_rule: Option<usize>,
    /// Rounds of one phase.
    pub rounds: Option<usize>,
}

impl Setup {
    /// A model with the built-in rules and budgets.
    pub fn of(model: PathBuf) -> Self {
        Self {
            model,
            dims: Vec::new(),
            ranges: Vec::new(),
            shapes: Vec::new(),
            rule_files: Vec::new(),
            only_files: false,
            on: Vec::new(),
            off: Vec::new(),
            numeric: Numeric::Reassociates,
            budgets: Budgets::default(),
            machine: MACHINE.to_owned(),
        }
    }

    /// What readers are told of the model's dimensions.
    pub fn binding(&self) -> Binding {
        Binding {
            dims: self.dims.clone(),
            ranges: self.ranges.clone(),
            shapes: self.shapes.clone(),
            ..Binding::default()
        }
    }
}

/// The machine that prices kernels unless another is named: a fixed one, so that results do not depend on the host.
pub const MACHINE: &str = "x86-64-v3";
