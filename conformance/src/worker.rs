//! A child process that runs tests, so that a crash of generated code or of ONNX Runtime costs one stage of one test. Jobs
//! come in as lines of JSON, events go out as lines of JSON.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use egret::Numeric;
use serde::{Deserialize, Serialize};

use crate::stages::{self, Outcome, Runtime, Stage};
use crate::suite;

/// A test to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Position in the driver's list.
    pub index: usize,
    /// The test's folder.
    pub folder: PathBuf,
    /// The stages that are left to run.
    pub stages: BTreeSet<Stage>,
    /// What may be asked of ONNX Runtime.
    pub runtime: Runtime,
    /// Weakest numeric class of rules that may run.
    pub numeric: Numeric,
}

/// What a worker says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The inputs that were frozen.
    Frozen(Vec<String>),
    /// Values on the way are NaN or Inf, about which the numeric class promises nothing.
    Beyond,
    /// A stage begins a part that may crash.
    Begin(Stage, String),
    /// A stage ended.
    Ended(Stage, Outcome),
    /// The job is done.
    Done,
}

/// Runs jobs until the input ends.
pub fn run() -> Result<()> {
    // The panic's message travels in the outcome.
    std::panic::set_hook(Box::new(|_| {}));
    let scratch = tempfile::Builder::new().prefix("egret-conformance-").tempdir()?;
    for line in std::io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?).context("a job")?;
        one(&job, scratch.path())?;
        say(&Event::Done)?;
    }
    Ok(())
}

fn one(job: &Job, scratch: &std::path::Path) -> Result<()> {
    let prepared =
        std::panic::catch_unwind(|| Ok(stages::prepare(suite::read(&job.folder)?, &job.folder, job.numeric)));
    let prepared = match prepared.unwrap_or_else(|_| Err(anyhow::anyhow!("panic while reading"))) {
        Ok(prepared) => prepared,
        Err(error) => {
            for stage in &job.stages {
                let fault = Some(format!("{error:#}"));
                say(&Event::Ended(*stage, Outcome { fault, by_reimport: None }))?;
            }
            return Ok(());
        }
    };
    say(&Event::Frozen(prepared.frozen()))?;
    if job.numeric >= Numeric::Finite && !prepared.is_finite() {
        return say(&Event::Beyond);
    }
    for stage in &job.stages {
        say(&Event::Begin(*stage, String::new()))?;
        // Nothing can be told to a driver that is gone; the next line fails.
        let begin = |part: &str| drop(say(&Event::Begin(*stage, part.to_owned())));
        let outcome = prepared.run(*stage, scratch, job.runtime, &begin);
        say(&Event::Ended(*stage, outcome))?;
    }
    Ok(())
}

fn say(event: &Event) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(event)?)?;
    Ok(out.flush()?)
}
