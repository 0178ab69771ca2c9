//! The same tests in other engines: ONNX Runtime as it comes, and tract. They are judged by the same comparison.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::compare;
use crate::report::Row;
use crate::stages::Stage;
use crate::suite::{self, SUITES};

/// How many tests of a suite an engine passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PeerCounts {
    /// The suite.
    pub suite: &'static str,
    /// The engine.
    pub engine: &'static str,
    /// Right results.
    pub passed: usize,
    /// Refused, wrong, or crashed.
    pub failed: usize,
}

/// Counts what ONNX Runtime gave in the stage of that name.
pub fn onnxruntime(rows: &[Row]) -> Vec<PeerCounts> {
    let passed = |row: &Row| row.verdict.stages.get(&Stage::Onnxruntime).is_some_and(|o| o.fault.is_none());
    count("onnxruntime", rows, &|at| passed(&rows[at]))
}

fn count(engine: &'static str, rows: &[Row], passed: &dyn Fn(usize) -> bool) -> Vec<PeerCounts> {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, r)| r.excluded.is_none()) {
        counts.entry(row.test.suite).or_default()[usize::from(!passed(at))] += 1;
    }
    let row = |suite: &&'static str| {
        let [passed, failed] = *counts.get(suite)?;
        Some(PeerCounts { suite, engine, passed, failed })
    };
    SUITES.iter().filter_map(row).collect()
}

/// A child that runs tract.
struct Peer {
    child: Child,
    tests: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    fn start(program: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let (tests, out) = (child.stdin.take().context("a pipe")?, child.stdout.take().context("a pipe")?);
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, tests, answers })
    }
}

/// Runs all tests that are not excluded in tract.
pub fn tract(program: &Path, rows: &[Row], workers: usize, timeout: Duration) -> Result<Vec<PeerCounts>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<usize>> {
        let scratch = tempfile::Builder::new().prefix("egret-peer-").tempdir()?;
        let (mut peer, mut passed) = (None, Vec::new());
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(row) = rows.get(at)
        {
            if row.excluded.is_some() {
                continue;
            }
            let running = match &mut peer {
                Some(p) => p,
                None => peer.insert(Peer::start(program)?),
            };
            let line = format!("{}\t{}", row.test.folder.display(), scratch.path().display());
            // A child that is gone gives no answer.
            let _ = writeln!(running.tests, "{line}").and_then(|()| running.tests.flush());
            match running.answers.recv_timeout(timeout) {
                Ok(answer) if answer == "null" && judge(&row.test.folder, scratch.path()).is_ok() => passed.push(at),
                Ok(_) => {}
                Err(_) => {
                    // Hung or dead: a dead one cannot be killed, which is no fault.
                    let _ = running.child.kill();
                    running.child.wait()?;
                    peer = None;
                }
            }
        }
        if let Some(Peer { mut child, tests, .. }) = peer {
            drop(tests);
            child.wait()?;
        }
        Ok(passed)
    };
    let passed: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(work)).collect();
        let lists = threads.into_iter().map(|t| t.join().expect("no worker thread panics"));
        lists.collect::<Result<Vec<_>>>().map(|lists| lists.concat())
    })?;
    Ok(count("tract", rows, &|at| passed.contains(&at)))
}

/// Compares the files a peer has written with what the test expects.
fn judge(folder: &Path, results: &Path) -> Result<(), String> {
    let case = suite::read(folder).map_err(|e| e.to_string())?;
    for (number, set) in case.sets.iter().enumerate() {
        let got = suite::tensors(results, &format!("output_{number}")).map_err(|e| e.to_string())?;
        let named = set.outputs.iter().map(|(n, _)| n.clone()).zip(got).collect();
        compare::outputs(&set.outputs, &named, case.tolerance, &[])?;
    }
    Ok(())
}

/// The counts as a table.
pub fn table(counts: &[PeerCounts]) -> String {
    let mut out = format!("{:<18} {:<12} {:>6}  {:>6}\n", "suite", "engine", "passed", "failed");
    for c in counts {
        out.push_str(&format!("{:<18} {:<12} {:>6}  {:>6}\n", c.suite, c.engine, c.passed, c.failed));
    }
    for engine in ["onnxruntime", "tract"] {
        let of = |f: fn(&PeerCounts) -> usize| counts.iter().filter(|c| c.engine == engine).map(f).sum::<usize>();
        out.push_str(&format!("{:<18} {engine:<12} {:>6}  {:>6}\n", "all", of(|c| c.passed), of(|c| c.failed)));
    }
    out
}
