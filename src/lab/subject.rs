//! What all experiments share: the model as one graph, the rules that are on, budgets, and prices.

use std::path::{Path, PathBuf};

use egret_extractor::plan;
use egret_ir::Typed;
use egret_ir::choice::{ClassGraph, Table};
use egret_ir::machine::Machine;
use egret_rules::{Config, RuleSet, Saturated};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Budgets, Setup, selection};
use crate::{Error, Result, frontends, optimize};

/// What an experiment was run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The files of the model, or the dump, with the hash of each.
    pub files: Vec<(PathBuf, String)>,
    /// Hash of the rules and passes that are on: their names, texts, phases and classes, in order.
    pub rules_sha256: String,
    /// Their names.
    pub rules: Vec<String>,
}

/// The hash of some bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The hash of a file, which is not held in memory.
pub(super) fn hash_file(path: &Path) -> Result<String> {
    let failed = |e: std::io::Error| Error::File { path: path.to_owned(), reason: e.to_string() };
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    std::io::copy(&mut file, &mut hash).map_err(failed)?;
    Ok(hex(&hash.finalize()))
}

fn hash_rules(rules: &RuleSet) -> String {
    let mut hash = Sha256::new();
    for e in selection::entries(rules) {
        for part in [e.name, e.text, e.phase.name(), e.class.name()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hex(&hash.finalize())
}

/// The model, the rules and the prices.
pub struct Subject {
    /// The model's path, for messages.
    path: PathBuf,
    /// The model.
    pub graph: Typed,
    /// The rules that are on.
    pub rules: RuleSet,
    /// Budgets and numeric class.
    pub config: Config,
    /// What prices kernels.
    pub machine: Machine,
    /// Hashes of all of it.
    pub inputs: Inputs,
}

/// The cheapest program found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Predicted time in picoseconds.
    pub cost: u64,
    /// Kernels.
    pub kernels: usize,
}

impl Subject {
    /// Reads what a setup names.
    pub fn new(setup: &Setup) -> Result<Self> {
        let frontends::Source { imported, used } = frontends::source(&setup.model, &setup.binding())?;
        let graph = optimize::check(&setup.model, &imported)?;
        let rules = match (setup.only_files, setup.rule_files.is_empty()) {
            (true, true) => return Err(Error::Usage("--only-files: there is no rule file (--rules FILE)".into())),
            (true, false) => optimize::load_rules(&setup.rule_files)?,
            (false, _) => optimize::rules(&setup.rule_files)?,
        };
        let rules = selection::select(&rules, &setup.on, &setup.off)?;
        let config = config(graph.nodes().len(), setup);
        let machine = match Path::new(&setup.machine).extension() {
            Some(_) => egret_extractor::machines::load(Path::new(&setup.machine))?,
            None => egret_extractor::machines::named(&setup.machine)?,
        };
        let paths = std::iter::once(setup.model.clone()).chain(used);
        let files = paths.map(|p| Ok((p.clone(), hash_file(&p)?))).collect::<Result<Vec<_>>>()?;
        let names = selection::entries(&rules).map(|e| e.name.to_owned()).collect();
        let inputs = Inputs { files, rules_sha256: hash_rules(&rules), rules: names };
        Ok(Self { path: setup.model.clone(), graph, rules, config, machine, inputs })
    }

    /// Saturates the model with some rules under some budgets.
    pub fn saturate(&self, rules: &RuleSet, config: &Config) -> Saturated {
        egret_rules::saturate(&self.graph, rules, config)
    }

    /// The kernels that a class graph of the model may be computed by.
    pub fn kernels(&self, classes: &ClassGraph) -> Result<Table<&'static str>> {
        plan::table(classes, &self.machine, &plan::Options::default()).map_err(Error::plan(&self.path))
    }

    /// The cheapest program that the recommended extractor finds.
    pub fn choose(&self, classes: &ClassGraph) -> Result<Chosen> {
        let table = self.kernels(classes)?;
        let selection = egret_extractor::extract(&table).map_err(|e| Error::plan(&self.path)(e.into()))?;
        let kernels = selection.chosen.iter().filter(|i| table.candidates[**i].payload == "kernel").count();
        Ok(Chosen { cost: selection.cost, kernels })
    }

    /// The model as it came, as a class graph without choices.
    pub fn as_imported(&self) -> ClassGraph {
        ClassGraph::from_graph(&self.graph).0
    }

    /// The same budgets with some replaced.
    pub fn budgeted(&self, budgets: &Budgets) -> Config {
        let mut config = self.config.clone();
        apply(&mut config, self.graph.nodes().len(), budgets);
        config
    }
}

fn config(imported: usize, setup: &Setup) -> Config {
    let mut config = Config::for_nodes(imported).numeric(setup.numeric);
    apply(&mut config, imported, &setup.budgets);
    config
}

fn apply(config: &mut Config, imported: usize, budgets: &Budgets) {
    let phases = config.phases.len();
    for (i, phase) in config.phases.iter_mut().enumerate() {
        if let Some(nodes) = budgets.nodes {
            phase.nodes = imported + nodes.saturating_sub(imported) * (i + 1) / phases;
        }
        phase.per_rule = budgets.per_rule.unwrap_or(phase.per_rule);
        phase.rounds = budgets.rounds.unwrap_or(phase.rounds);
    }
}
