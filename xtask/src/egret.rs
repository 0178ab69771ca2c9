//! Driving the `egret` program and reading its JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use egret_models::Model;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::system;

/// Exit status that says "not equal", which is an answer and not a failure.
const NOT_EQUAL: i32 = 1;

/// The built program.
pub struct Egret {
    binary: PathBuf,
}

/// What `egret optimize --json` prints.
#[derive(Clone, Debug, Deserialize)]
pub struct Optimized {
    /// Nodes of the model read.
    pub nodes_before: u64,
    /// Nodes of the model written.
    pub nodes_after: u64,
    /// Size of the file read.
    pub bytes_before: u64,
    /// Size of the file written.
    pub bytes_after: u64,
}

/// What `egret compile --json` prints.
#[derive(Clone, Debug, Deserialize)]
pub struct Compiled {
    /// Kernels in the library.
    pub kernels: u64,
}

/// What `egret verify --json` prints.
#[derive(Clone, Debug, Deserialize)]
pub struct Verified {
    /// `equal`, or what else was found.
    pub verdict: String,
    /// The outputs compared.
    #[serde(default)]
    pub outputs: Vec<OutputError>,
}

/// How far one output is from its reference.
#[derive(Clone, Debug, Deserialize)]
pub struct OutputError {
    /// Name of the output.
    pub name: String,
    /// Root mean square of the difference.
    #[serde(default)]
    pub error_rms: Option<f64>,
    /// Root mean square that rounding alone explains.
    #[serde(default)]
    pub floor_rms: Option<f64>,
}

/// The error of one output beside what rounding alone explains, both as root mean squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst<'a> {
    /// Name of the output.
    pub output: &'a str,
    /// The error.
    pub error: f64,
    /// The floor.
    pub floor: f64,
}

impl Verified {
    /// Whether the verdict is that both are equal.
    pub fn equal(&self) -> bool {
        self.verdict == "equal"
    }

    /// The output whose error is largest beside its floor.
    pub fn worst(&self) -> Option<Worst<'_>> {
        let measured = self.outputs.iter().filter_map(|o| {
            let (output, error, floor) = (o.name.as_str(), o.error_rms?, o.floor_rms?);
            Some(Worst { output, error, floor })
        });
        // An error of 0 is never the worst, whatever its floor.
        let share = |w: &Worst<'_>| {
            if w.error == 0.0 { 0.0 } else { w.error / w.floor }
        };
        measured.max_by(|a, b| share(a).total_cmp(&share(b)))
    }
}

/// What `egret bench --json` prints.
#[derive(Clone, Debug, Deserialize)]
pub struct Benched {
    /// Median time of a run of the library.
    pub median_ms: f64,
    /// Median time of a run in ONNX Runtime, where it was found.
    pub onnxruntime_ms: Option<f64>,
    /// Median over the rounds of the first by the second.
    pub ratio: Option<f64>,
}

impl Egret {
    /// Builds the program in release mode.
    pub fn build() -> Result<Self> {
        system::run(&mut system::cargo(["build", "--quiet", "--release", "--package", "egret", "--bin", "egret"]))?;
        Ok(Egret { binary: system::cargo_target().join("release/egret") })
    }

    /// `egret optimize`.
    pub fn optimize(&self, model: &Path, out: &Path, more: &[String]) -> Result<Optimized> {
        let mut command = self.command("optimize");
        json(command.arg(model).arg("-o").arg(out).args(more), &[])
    }

    /// `egret compile`.
    pub fn compile(&self, model: &Path, out: &Path, more: &[String]) -> Result<Compiled> {
        let mut command = self.command("compile");
        json(command.arg(model).arg("-o").arg(out).args(more), &[])
    }

    /// `egret verify`: is `candidate` (a model or a library) equal to `model`?
    pub fn verify(&self, model: &Path, candidate: &Path, more: &[String]) -> Result<Verified> {
        let mut command = self.command("verify");
        json(command.arg(model).arg(candidate).args(more), &[NOT_EQUAL])
    }

    /// `egret bench`: the library beside ONNX Runtime on the model.
    pub fn bench(&self, library: &Path, model: &Path, more: &[String]) -> Result<Benched> {
        let mut command = self.command("bench");
        json(command.arg(library).arg(model).args(more), &[])
    }

    fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg(subcommand).current_dir(system::root());
        if let Some(library) = egret_models::onnxruntime() {
            command.env("ORT_DYLIB_PATH", library);
        }
        command
    }
}

/// The words for a model's shapes and inputs.
pub fn run_args(model: &Model) -> Vec<String> {
    [model.binding_args(), model.input_args()].concat()
}

/// Runs a command with `--json` and reads what it prints. `answers` are the exit statuses beside 0
/// that come with an answer.
fn json<T: DeserializeOwned>(command: &mut Command, answers: &[i32]) -> Result<T> {
    command.arg("--json").stdin(Stdio::null());
    let shown = system::shown(command);
    let out = command.output().with_context(|| format!("starting {shown}"))?;
    if !out.status.success() && !out.status.code().is_some_and(|code| answers.contains(&code)) {
        bail!("{shown} ended with {}\n{}", out.status, String::from_utf8_lossy(&out.stderr).trim_end());
    }
    serde_json::from_slice(&out.stdout).with_context(|| {
        let said = String::from_utf8_lossy(&out.stderr);
        format!("{shown} printed no JSON of the expected form\n{}", said.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_output_is_by_share_of_the_floor() {
        let text = r#"{"verdict":"equal","outputs":[
            {"name":"ids","error_rms":0.0,"floor_rms":0.0},
            {"name":"a","error_rms":2e-7,"floor_rms":1e-6},
            {"name":"b","error_rms":1e-7,"floor_rms":2e-7},
            {"name":"text"}]}"#;
        let verified: Verified = serde_json::from_str(text).unwrap();
        assert!(verified.equal());
        let expected = Worst { output: "b", error: 1e-7, floor: 2e-7 };
        assert_eq!(verified.worst(), Some(expected));
    }

    #[test]
    fn not_equal_is_an_answer_and_bad_usage_is_not() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let unequal = json::<Verified>(&mut shell("echo '{\"verdict\":\"different\"}'; exit 1"), &[NOT_EQUAL]);
        assert!(!unequal.unwrap().equal());
        let failed = json::<Verified>(&mut shell("echo no such file >&2; exit 2"), &[NOT_EQUAL]);
        assert!(failed.unwrap_err().to_string().contains("no such file"));
        assert!(json::<Verified>(&mut shell("echo hello"), &[NOT_EQUAL]).is_err());
    }
}
