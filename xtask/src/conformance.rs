//! `cargo xtask conformance`: writes ONNX's test suites where they are not there, and runs them (crate `egret-conformance`).

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::system;

/// What to run: all words are passed on.
#[derive(clap::Args, Debug, Default)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// --suite S, --stage S, --filter TEXT, --json, --jobs N, --help, ...
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<String>,
}

/// Runs the suites; fails where a test fails that is not listed, or a listed one passes.
pub fn run(args: &Args) -> Result<()> {
    let tests = egret_models::target_dir().join("onnx-tests");
    if !tests.is_dir() || egret_models::onnxruntime().is_none() {
        // In a process of its own: standard output is for the results.
        let program = std::env::current_exe().context("the path of this program")?;
        let mut setup = Command::new(program);
        setup.args(["setup", "--only", "onnxruntime,python,onnx-tests"]).stdout(Stdio::from(std::io::stderr()));
        system::run(&mut setup)?;
    }
    let mut more = Vec::new();
    if args.rest.iter().any(|word| word == "--peers") {
        more.extend(["--tract".to_owned(), tract()?]);
    }
    let fixed = ["run", "--quiet", "--package", "egret-conformance", "--", "--tests"].map(str::to_owned);
    let tests = tests.display().to_string();
    system::run(&mut system::cargo(fixed.into_iter().chain([tests]).chain(more).chain(args.rest.iter().cloned())))
}

/// Builds the program that runs tests in tract; it is a workspace of its own, and nothing else needs it.
fn tract() -> Result<String> {
    let manifest = system::root().join("benches/tract/Cargo.toml").display().to_string();
    let target = system::cargo_target().join("tract");
    let place = target.display().to_string();
    let build = ["build", "--quiet", "--release", "--locked", "--manifest-path", &manifest, "--target-dir", &place];
    system::run(&mut system::cargo(build)).context("building tract, which needs a network the first time")?;
    Ok(target.join("release/egret-tract-peer").display().to_string())
}
