//! The driver's side of the workers: a few children, each with one job at a time.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::stages::{Outcome, Runtime, Stage};
use crate::worker::{Event, Job};

/// What is known of a test after its job.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Inputs that were frozen.
    pub frozen: Vec<String>,
    /// Its values are beyond what the numeric class promises.
    pub beyond: bool,
    /// How each stage ended.
    pub stages: BTreeMap<Stage, Outcome>,
}

/// A child process.
struct Worker {
    child: Child,
    jobs: ChildStdin,
    events: Receiver<Event>,
}

/// How a job ended.
enum End {
    Done,
    /// The child died or hung while it was in this part of this stage.
    Lost(Option<(Stage, String)>, String),
}

impl Worker {
    fn start() -> Result<Self> {
        let program = std::env::current_exe().context("the path of this program")?;
        let mut child = Command::new(program)
            .arg("worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting a worker")?;
        let (jobs, out) = (child.stdin.take().context("a pipe")?, child.stdout.take().context("a pipe")?);
        let (send, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                // A library may print what it likes; only events count.
                if let Ok(event) = serde_json::from_str(&line)
                    && send.send(event).is_err()
                {
                    return;
                }
            }
        });
        Ok(Self { child, jobs, events })
    }

    fn run(&mut self, job: &Job, timeout: Duration, verdict: &mut Verdict) -> Result<End> {
        let line = serde_json::to_string(job)?;
        // A child that is gone is noticed below.
        let _ = writeln!(self.jobs, "{line}").and_then(|()| self.jobs.flush());
        let mut at = None;
        loop {
            match self.events.recv_timeout(timeout) {
                Ok(Event::Frozen(names)) => verdict.frozen = names,
                Ok(Event::Beyond) => verdict.beyond = true,
                Ok(Event::Begin(stage, part)) => at = Some((stage, part)),
                Ok(Event::Ended(stage, outcome)) => {
                    verdict.stages.insert(stage, outcome);
                    at = None;
                }
                Ok(Event::Done) => return Ok(End::Done),
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill().context("ending a worker")?;
                    self.child.wait()?;
                    return Ok(End::Lost(at, format!("not done after {} s", timeout.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait()?;
                    return Ok(End::Lost(at, format!("crash: {status}")));
                }
            }
        }
    }
}

/// Runs all jobs on `workers` children; `done` is told of each one that is finished.
pub fn run(jobs: Vec<Job>, workers: usize, timeout: Duration, done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Verdict>> {
    let verdicts: Vec<Mutex<Verdict>> = jobs.iter().map(|_| Mutex::default()).collect();
    let queue = Mutex::new(VecDeque::from(jobs));
    let next = || queue.lock().expect("no worker thread panics").pop_front();
    let work = || -> Result<()> {
        let mut worker = None;
        while let Some(mut job) = next() {
            let mut verdict = Verdict::default();
            loop {
                let running = match &mut worker {
                    Some(w) => w,
                    None => worker.insert(Worker::start()?),
                };
                match running.run(&job, timeout, &mut verdict)? {
                    End::Done => break,
                    End::Lost(at, how) => {
                        worker = None;
                        if !again(&mut job, at, &how, &mut verdict) {
                            break;
                        }
                    }
                }
            }
            done(job.index);
            *verdicts[job.index].lock().expect("no worker thread panics") = verdict;
        }
        if let Some(Worker { child: mut idle, jobs, .. }) = worker {
            drop(jobs);
            idle.wait()?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().expect("no worker thread panics"))
    })?;
    Ok(verdicts.into_iter().map(|v| v.into_inner().expect("no worker thread panics")).collect())
}

/// Decides what is left of a job after a loss; false where nothing is.
fn again(job: &mut Job, at: Option<(Stage, String)>, how: &str, verdict: &mut Verdict) -> bool {
    job.stages.retain(|s| !verdict.stages.contains_key(s));
    let lost = |fault: String| Outcome { fault: Some(fault), by_reimport: None };
    match at {
        None => {
            for stage in std::mem::take(&mut job.stages) {
                verdict.stages.insert(stage, lost(format!("reading: {how}")));
            }
        }
        Some((Stage::Export, part)) if part == "onnxruntime" => job.runtime = Runtime::Original,
        Some((Stage::Export, part)) if part == "onnxruntime-original" => job.runtime = Runtime::Avoid,
        Some((stage, _)) => {
            verdict.stages.insert(stage, lost(how.to_owned()));
            job.stages.remove(&stage);
        }
    }
    !job.stages.is_empty()
}
