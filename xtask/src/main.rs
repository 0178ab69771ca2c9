//! The project's commands, as `cargo xtask COMMAND`: `setup` obtains what tests and benches want
//! from outside, `demo` shows the whole system on a real model, `test` runs every check.

mod bench;
mod cache;
mod conformance;
mod demo;
mod egret;
mod fuzz;
mod libtorch;
mod models;
mod pins;
mod scaling;
mod setup;
mod system;
mod table;
mod test;
mod tidy;
mod wheel;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The project's commands")]
enum Command {
    /// Obtain ONNX Runtime, the real models and LibTorch, once per user, linked from target/
    Setup(setup::Args),
    /// Optimize, compile, run and check a real text recognizer
    Demo(demo::Args),
    /// Run every check: format, tidy, clippy, tests, real models
    Test(test::Args),
    /// Run the real models through optimize, compile and verify
    Models(models::Args),
    /// Run ONNX's test suites through every path: interpreted, exported, compiled
    Conformance(conformance::Args),
    /// Read, optimize and compile thousands of spoiled models: errors, never panics
    Fuzz(fuzz::Args),
    /// Run the benches, and compare with ONNX Runtime
    Bench(bench::Args),
    /// Run the tests and rewrite their expected outputs
    Bless,
    /// Check the sources against the rules of the house
    Tidy,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Setup(args) => setup::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Bless => test::bless(),
        Command::Tidy => tidy::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
