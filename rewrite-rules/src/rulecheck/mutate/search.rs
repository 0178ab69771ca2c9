//! The search for values that show a rule to be wrong, by numpy in processes of its own (`search.py`).
//!
//! A Python that has numpy is looked for, in order, at `EGRET_PYTHON` (a program), and as `target/python/bin/python` in the
//! folder the program runs in and in the folders above it and above the executable (`cargo xtask setup` makes one).

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::export::{PlainGraph, plain};
use crate::lang::{Rule, Samples};
use crate::rulecheck::enumerate::{Extents, draw, text};
use crate::rulecheck::instance::{Instance, instance};

/// What the processes run.
const SCRIPT: &str = include_str!("search.py");

/// Instances searched for a mutant, where as many match: with [`SAMPLES`] of each a hundred times what a check compares.
pub const INSTANCES: usize = 240;

/// Samples of each instance.
const SAMPLES: usize = 256;

/// Draws made for them at most.
const DRAWS: u64 = 6000;

/// Seeds of a search are none that a check uses.
const SEEDS: u64 = 1 << 40;

/// Why there was no search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The process does not start, or ends early.
    #[error("the search by numpy: {0}")]
    Process(#[from] std::io::Error),
    /// Its answer is none.
    #[error("the search by numpy answers `{0}`")]
    Answer(String),
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The sides differ.
    Wrong {
        /// The instance, as it would stand after `try`.
        at: String,
        /// Both values and the inputs.
        values: String,
    },
    /// They do not, on so many samples.
    Equal {
        /// Samples on which the left side has a value.
        samples: usize,
    },
    /// No verdict.
    Unsupported {
        /// Why.
        reason: String,
    },
}

#[derive(Serialize)]
struct Pair {
    left: PlainGraph,
    right: PlainGraph,
}

#[derive(Serialize)]
struct Request<'a> {
    seed: u64,
    samples: usize,
    class: &'a str,
    #[serde(flatten)]
    pair: &'a Pair,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Wrong(String),
    Equal(usize),
    Unsupported(String),
}

struct Worker {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Worker {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answer, SearchError> {
        let mut line = serde_json::to_string(request).map_err(std::io::Error::from)?;
        line.push('\n');
        self.to.write_all(line.as_bytes())?;
        self.to.flush()?;
        let mut answer = String::new();
        self.from.read_line(&mut answer)?;
        serde_json::from_str(&answer).map_err(|_| SearchError::Answer(answer.trim().to_owned()))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Killed rather than waited for: it may stand in the middle of a request.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Python with numpy, and its idle processes.
pub struct Search {
    python: PathBuf,
    idle: Mutex<Vec<Worker>>,
}

impl Search {
    /// A search with the Python that is found; None where none has numpy.
    pub fn find() -> Option<Self> {
        let named = std::env::var_os("EGRET_PYTHON").map(PathBuf::from);
        let roots = [std::env::current_dir().ok(), std::env::current_exe().ok()];
        let near = roots.iter().flatten().flat_map(|r| r.ancestors()).map(|r| r.join("target/python/bin/python"));
        let has = |python: &PathBuf| {
            python.is_file()
                && Command::new(python).args(["-c", "import numpy"]).output().is_ok_and(|o| o.status.success())
        };
        let mut tried = std::collections::BTreeSet::new();
        let python = named.into_iter().chain(near).filter(|p| tried.insert(p.clone())).find(has)?;
        Some(Self { python, idle: Mutex::new(Vec::new()) })
    }

    fn worker(&self) -> Result<Worker, SearchError> {
        if let Some(w) = self.idle.lock().ok().and_then(|mut idle| idle.pop()) {
            return Ok(w);
        }
        let mut child =
            Command::new(&self.python).args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let lost = || std::io::Error::other("no pipe to the process");
        let (to, from) = (child.stdin.take().ok_or_else(lost)?, child.stdout.take().ok_or_else(lost)?);
        Ok(Worker { child, to, from: BufReader::new(from) })
    }

    /// Looks for values at which the sides of a rule differ by more than its class allows, at `instances` places at most.
    pub fn judge(&self, rule: &Rule, instances: usize) -> Result<Verdict, SearchError> {
        let mut worker = self.worker()?;
        let verdict = judge(&mut worker, rule, instances)?;
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(worker);
        }
        Ok(verdict)
    }
}

fn judge(worker: &mut Worker, rule: &Rule, instances: usize) -> Result<Verdict, SearchError> {
    let own = rule.tries.iter().cloned();
    let drawn = (0..DRAWS).filter_map(|seed| draw(rule, Extents::More, SEEDS + seed));
    let mut reason = None;
    // Values at which the rule fires, with both sides.
    let mut matching = own.chain(drawn).enumerate().filter_map(|(i, samples): (usize, Samples)| {
        let Instance::Matched(m) = instance(rule, &samples, SEEDS + i as u64) else { return None };
        let (true, Ok(right)) = (m.false_conditions.is_empty(), &m.right) else { return None };
        match (plain(&m.left), plain(right)) {
            (Ok(left), Ok(right)) => Some((samples, Pair { left, right })),
            (Err(e), _) | (_, Err(e)) => {
                reason = Some(e.to_string());
                None
            }
        }
    });
    let mut equal = 0;
    for (seed, (samples, pair)) in matching.by_ref().take(instances).enumerate() {
        let request = Request { seed: seed as u64, samples: SAMPLES, class: rule.numeric.name(), pair: &pair };
        match worker.ask(&request)? {
            Answer::Wrong(values) => return Ok(Verdict::Wrong { at: text(rule, &samples), values }),
            Answer::Equal(n) => equal += n,
            Answer::Unsupported(reason) => return Ok(Verdict::Unsupported { reason }),
        }
    }
    drop(matching);
    Ok(if equal > 0 {
        Verdict::Equal { samples: equal }
    } else {
        Verdict::Unsupported { reason: reason.unwrap_or_else(|| "no values at which it fires".to_owned()) }
    })
}
