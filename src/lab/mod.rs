//! The laboratory: experiments on the optimizer whose results are files of equal bytes at every run.
//!
//! An [`Experiment`] says what is run on what; [`run`] runs it and gives a [`Report`] with [`Files`]; [`folder`] writes
//! these beside a manifest, compares two such folders, and runs one again. Read in this order: [`experiment`],
//! [`selection`] (which rules are on), [`subject`] (the model, the rules and the prices all experiments share),
//! [`saturation`] with [`dump`], [`extraction`], [`ablation`], [`sweep`], [`folder`].
//!
//! What is always true: a model is one e-graph here, without the region memo that `optimize` and `compile` may use, and
//! bodies of branches and loops stay as they are; no wall time, thread count or hash order goes into a result.

pub mod ablation;
pub mod dump;
pub mod experiment;
pub mod extraction;
pub mod files;
pub mod folder;
mod plot;
pub mod saturation;
pub mod selection;
pub mod subject;
pub mod sweep;

pub use experiment::{Budgets, Experiment, Setup, Task, Unit};
pub use files::Files;

use crate::Result;
use subject::{Inputs, Subject};

/// Is told how far an experiment has come; from several threads where it has several.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// What an experiment found.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Findings {
    /// Of [`Task::Saturate`].
    Saturate(saturation::Summary),
    /// Of [`Task::Extract`].
    Extract(extraction::Comparison),
    /// Of [`Task::Ablate`].
    Ablate(ablation::Ablation),
    /// Of [`Task::Sweep`].
    Sweep(Vec<sweep::Point>),
}

/// A finished experiment.
#[derive(Clone, Debug)]
pub struct Report {
    /// What it was run on.
    pub inputs: Inputs,
    /// What it found, for tables.
    pub findings: Findings,
    /// Its results.
    pub files: Files,
}

/// Runs an experiment.
///
/// # Errors
/// A model or rule file that cannot be read, a selection that selects nothing, a model that has no kernels to price.
pub fn run(experiment: &Experiment, progress: Progress<'_>) -> Result<Report> {
    if let Task::Extract { dump: Some(path), .. } = &experiment.task {
        return extraction::of_dump(path, &experiment.task);
    }
    progress("reading");
    let subject = Subject::new(&experiment.setup)?;
    let (findings, files) = match &experiment.task {
        Task::Saturate => saturation::run(&subject, progress),
        Task::Extract { extractors, .. } => extraction::run(&subject, extractors, progress)?,
        Task::Ablate { by } => ablation::run(&subject, *by, progress)?,
        Task::Sweep { nodes, per_rule, rounds } => sweep::run(&subject, nodes, per_rule, rounds, progress)?,
    };
    Ok(Report { inputs: subject.inputs, findings, files })
}
