//! `cargo xtask test` and `bless`.

use anyhow::Result;

use crate::{conformance, models, setup, system, tidy};

/// What to test.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Fetch nothing: tests that need what is not there are left out, and named
    #[arg(long)]
    offline: bool,
    /// Also optimize models of 3 GiB, which the tests make (20 GiB of disk for a while)
    #[arg(long)]
    big: bool,
    /// Leave out ONNX's test suites, and the real models from end to end
    #[arg(long)]
    fast: bool,
}

/// All checks, the quick ones first; stops at the first that fails.
pub fn run(args: &Args) -> Result<()> {
    if !args.offline {
        stage("setup");
        let fetched = setup::run(&setup::Args { without: vec!["libtorch".into()], ..setup::Args::default() });
        if let Err(error) = fetched {
            println!("{error:#}\nGoing on without: tests that need it are left out.");
        }
    }
    stage("format");
    system::run(&mut system::cargo(["fmt", "--all", "--check"]))?;
    stage("tidy");
    tidy::run()?;
    stage("clippy");
    system::run(&mut system::cargo(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    stage("tests");
    system::run(&mut system::cargo(["test", "--quiet", "--workspace"]))?;
    if args.big {
        stage("big models");
        system::run(&mut system::cargo(["test", "--quiet", "--test", "big", "--", "--ignored", "--test-threads=1"]))?;
    }
    if !args.fast {
        stage("conformance");
        if egret_models::onnxruntime().is_some() && egret_models::target_dir().join("onnx-tests").is_dir() {
            conformance::run(&conformance::Args::default())?;
        } else {
            println!("left out: ONNX Runtime or the suites are not there (cargo xtask setup)");
        }
        stage("models");
        if egret_models::onnxruntime().is_some() {
            models::run(&models::Args::default())?;
        } else {
            println!("left out: ONNX Runtime is not there (cargo xtask setup)");
        }
    }
    println!("\nall passed");
    Ok(())
}

/// Runs the tests with BLESS=1: expected outputs are rewritten to what came out.
pub fn bless() -> Result<()> {
    system::run(system::cargo(["test", "--quiet", "--workspace"]).env("BLESS", "1"))
}

fn stage(name: &str) {
    println!("\n== {name}");
}
