//! `cargo xtask fuzz`: many spoiled models (`tests/fuzz.rs`), where `cargo test` tries a few.

use anyhow::Result;

use crate::system;

/// How many, and which.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Spoiled models to try
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    cases: u32,
    /// Seed of the faults
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Runs the test with these numbers.
pub fn run(args: &Args) -> Result<()> {
    let mut test = system::cargo(["test", "--package", "egret", "--test", "fuzz", "--", "--nocapture"]);
    test.env("EGRET_FUZZ_CASES", args.cases.to_string()).env("EGRET_FUZZ_SEED", args.seed.to_string());
    system::run(&mut test)
}
