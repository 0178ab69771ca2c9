//! Run folders: results beside a manifest that says how to get them again, their comparison, and their repetition.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::subject::{Inputs, sha256};
use super::{Experiment, Files, Progress, Report};
use crate::{Error, Result};

/// The manifest of a run folder.
pub const MANIFEST: &str = "manifest.json";

/// What a run folder is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of Egret.
    pub egret: String,
    /// The command line, for people.
    pub command: Vec<String>,
    /// What was run.
    pub experiment: Experiment,
    /// What it was run on.
    pub inputs: Inputs,
    /// Hash of every result, by the file's name.
    pub results: BTreeMap<String, String>,
}

/// The version that manifests name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn file_error(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_owned();
    move |e| Error::File { path: path.clone(), reason: e.to_string() }
}

/// Writes a run folder: beside its place, then renamed. What stands there must be a run folder or nothing.
///
/// # Errors
/// A place that holds something else, or cannot be written.
pub fn write(folder: &Path, command: Vec<String>, experiment: &Experiment, report: &Report) -> Result<()> {
    let failed = |e: std::io::Error| Error::Write { path: folder.to_owned(), reason: e.to_string() };
    if folder.exists() && !folder.join(MANIFEST).is_file() {
        let reason = format!("there is something that is no run folder (it has no {MANIFEST})");
        return Err(Error::Write { path: folder.to_owned(), reason });
    }
    let manifest = Manifest {
        egret: VERSION.to_owned(),
        command,
        experiment: experiment.clone(),
        inputs: report.inputs.clone(),
        results: hashes(&report.files),
    };
    let mut all = report.files.clone();
    all.json(MANIFEST, &manifest);
    let place = std::path::absolute(folder).map_err(failed)?;
    let around = place.parent().unwrap_or(Path::new("/"));
    let beside = tempfile::Builder::new().prefix(".egret-").tempdir_in(around).map_err(failed)?;
    let (new, old) = (beside.path().join("new"), beside.path().join("old"));
    std::fs::create_dir(&new).map_err(failed)?;
    for (name, bytes) in &all.0 {
        std::fs::write(new.join(name), bytes).map_err(failed)?;
    }
    if folder.exists() {
        std::fs::rename(&place, &old).map_err(failed)?;
    }
    std::fs::rename(&new, &place).map_err(failed)
}

fn hashes(files: &Files) -> BTreeMap<String, String> {
    files.0.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect()
}

/// Reads the manifest of a run folder.
///
/// # Errors
/// A folder without one, or one that is damaged.
pub fn manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(file_error(&path))?;
    serde_json::from_slice(&bytes).map_err(|e| Error::File { path, reason: e.to_string() })
}

/// A difference between two run folders, or between one and its repetition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Where it is: `manifest`, `rules`, or the name of a result.
    pub place: String,
    /// Which line of it, or which field.
    pub item: String,
    /// What the first has there.
    pub first: String,
    /// What the second has there.
    pub second: String,
}

const ABSENT: &str = "absent";

fn difference(place: &str, item: &str, first: impl Into<String>, second: impl Into<String>) -> Difference {
    Difference { place: place.to_owned(), item: item.to_owned(), first: first.into(), second: second.into() }
}

/// Runs the experiment of a run folder again and says which results are not the same, byte for byte: those kept in the
/// folder, and those the manifest has the hash of. Empty where all are the same.
///
/// # Errors
/// A folder that is none; a model or rules that are not those of the manifest, so that nothing can be said.
pub fn rerun(folder: &Path, progress: Progress<'_>) -> Result<Vec<Difference>> {
    let old = manifest(folder)?;
    let report = super::run(&old.experiment, progress)?;
    let changed = |what: &str, now: &str| {
        let text = format!("{}: {what} changed since this run: {now}", folder.display());
        Err(Error::Usage(text))
    };
    if report.inputs.files != old.inputs.files {
        let files = report.inputs.files.iter().zip(&old.inputs.files).find(|(a, b)| a != b);
        return changed("the model", &files.map_or(String::new(), |((path, _), _)| path.display().to_string()));
    }
    if report.inputs.rules_sha256 != old.inputs.rules_sha256 {
        return changed("the rules", &format!("Egret is {VERSION}, the run is of {}", old.egret));
    }
    let now = hashes(&report.files);
    let mut out = Vec::new();
    let names: BTreeSet<&String> = now.keys().chain(old.results.keys()).collect();
    for name in names {
        let get = |of: &BTreeMap<String, String>| of.get(name).cloned().unwrap_or_else(|| ABSENT.to_owned());
        if get(&now) != get(&old.results) {
            out.push(difference(name, "sha256", get(&old.results), get(&now)));
            continue;
        }
        let kept = std::fs::read(folder.join(name)).map_or_else(|_| ABSENT.to_owned(), |bytes| sha256(&bytes));
        if kept != get(&now) {
            out.push(difference(name, "sha256 of the file kept", kept, get(&now)));
        }
    }
    Ok(out)
}

/// Tables that are compared line by line, and how many columns from the first name a line.
const TABLES: &[(&str, usize)] =
    &[("rules.csv", 1), ("rounds.csv", 3), ("extractors.csv", 1), ("ablation.csv", 1), ("sweep.csv", 3)];

/// What two run folders differ in: what was run, which rules were on, and every number of their tables.
///
/// # Errors
/// A folder that is none, or a table that is damaged.
pub fn compare(first: &Path, second: &Path) -> Result<Vec<Difference>> {
    let (a, b) = (manifest(first)?, manifest(second)?);
    let mut out = Vec::new();
    if a.egret != b.egret {
        out.push(difference("manifest", "egret", &a.egret, &b.egret));
    }
    let fields = |m: &Manifest| -> Vec<(&'static str, String)> {
        let s = &m.experiment.setup;
        let json = |v: serde_json::Result<String>| v.unwrap_or_default();
        vec![
            ("task", json(serde_json::to_string(&m.experiment.task))),
            ("model", m.inputs.files.iter().map(|(_, hash)| hash.as_str()).collect::<Vec<_>>().join(" ")),
            ("dimensions", json(serde_json::to_string(&(&s.dims, &s.ranges, &s.shapes)))),
            ("numeric", s.numeric.name().to_owned()),
            ("budgets", json(serde_json::to_string(&s.budgets))),
            ("machine", s.machine.clone()),
        ]
    };
    for ((field, x), (_, y)) in fields(&a).into_iter().zip(fields(&b)) {
        if x != y {
            out.push(difference("manifest", field, x, y));
        }
    }
    let on = |m: &Manifest| -> BTreeSet<String> { m.inputs.rules.iter().cloned().collect() };
    for rule in on(&a).symmetric_difference(&on(&b)) {
        let word = |m: &Manifest| if m.inputs.rules.contains(rule) { "on" } else { "off" };
        out.push(difference("rules", rule, word(&a), word(&b)));
    }
    if on(&a) == on(&b) && a.inputs.rules_sha256 != b.inputs.rules_sha256 {
        out.push(difference("rules", "sha256 of their texts", &a.inputs.rules_sha256, &b.inputs.rules_sha256));
    }
    for (name, keys) in TABLES {
        let table = |folder: &Path, m: &Manifest| {
            if m.results.contains_key(*name) { lines(&folder.join(name), *keys) } else { Ok(Lines::new()) }
        };
        out.extend(cells(name, &table(first, &a)?, &table(second, &b)?));
    }
    Ok(out)
}

/// Lines of a table by their keys; each a cell for every other column.
type Lines = BTreeMap<String, Vec<(String, String)>>;

fn lines(path: &Path, keys: usize) -> Result<Lines> {
    let failed = |e: csv::Error| Error::File { path: path.to_owned(), reason: e.to_string() };
    let mut reader = csv::Reader::from_path(path).map_err(failed)?;
    let header = reader.headers().map_err(failed)?.clone();
    let mut out = Lines::new();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let key: Vec<&str> = record.iter().take(keys).collect();
        let cell = |(column, value): (&str, &str)| (column.to_owned(), value.to_owned());
        out.insert(key.join(" "), header.iter().zip(&record).skip(keys).map(cell).collect());
    }
    Ok(out)
}

/// The cells in which two tables differ; a line that one of them lacks is one difference.
fn cells(name: &str, a: &Lines, b: &Lines) -> Vec<Difference> {
    let mut out = Vec::new();
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys {
        match (a.get(key), b.get(key)) {
            (Some(x), Some(y)) => {
                for ((column, x), (_, y)) in x.iter().zip(y).filter(|(x, y)| x != y) {
                    out.push(difference(name, &format!("{key} {column}"), x, y));
                }
            }
            (Some(_), None) => out.push(difference(name, key, "present", ABSENT)),
            (None, Some(_)) => out.push(difference(name, key, ABSENT, "present")),
            (None, None) => {}
        }
    }
    out
}
