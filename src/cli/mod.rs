//! The command line: one file a subcommand. Tables for people, `--json` for programs; exit codes 0 done, 1 not equal or a
//! check failed, 2 bad input or usage, 3 unsupported.

mod args;
mod bench;
mod compile;
mod explain;
mod info;
mod lab;
mod lower;
mod mutate;
mod ops;
mod optimize;
mod output;
mod rules;
mod run;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use args::Verbosity;
use output::Output;

/// Optimizes, compiles and checks trained neural networks.
#[derive(Parser)]
#[command(name = "egret", version, max_term_width = 100, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Subcommand)]
enum Command {
    /// Rewrite a model into an equal, cheaper one (ONNX to ONNX)
    Optimize(optimize::Args),
    /// Compile a model into a shared library with a C header
    Compile(compile::Args),
    /// Run a model or a compiled library
    Run(run::Args),
    /// Check that a model, or two models, or a model and its library, are equal
    Verify(verify::Args),
    /// Say why the optimized model looks as it does, or why a rule did not fire
    Explain(explain::Args),
    /// Show a model at one level of the compiler
    Lower(lower::Args),
    /// Show what of a model is modelled, and who computes it
    Ops(ops::Args),
    /// List or check rewrite rules
    Rules(rules::Args),
    /// Run experiments on the optimizer: statistics, dumps, ablations, plots, runs that repeat
    Lab(lab::Args),
    /// Time a compiled library beside ONNX Runtime, one thread, thread CPU time
    Bench(bench::Args),
    /// Show versions, CPU features and which oracles are found
    Info(info::Args),
}

/// How a command ends well.
pub enum Outcome {
    /// Done.
    Done,
    /// An answer, and it is no: not equal, or a check failed.
    No,
    /// An answer, and something in it is not supported.
    Unsupported,
}

/// Parses the arguments, runs the command, and reports an error.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let out = Output::new(&cli.verbosity);
    let done = match cli.command {
        Command::Optimize(a) => optimize::run(&a, &out),
        Command::Compile(a) => compile::run(&a, &out),
        Command::Run(a) => run::run(&a, &out),
        Command::Verify(a) => verify::run(&a, &out),
        Command::Explain(a) => explain::run(&a, &out),
        Command::Lower(a) => lower::run(&a, &out),
        Command::Ops(a) => ops::run(&a, &out),
        Command::Rules(a) => rules::run(&a, &out),
        Command::Lab(a) => lab::run(&a, &out),
        Command::Bench(a) => bench::run(&a, &out),
        Command::Info(a) => info::run(&a, &out),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Unsupported) => ExitCode::from(3),
        Err(e) => {
            out.clear();
            eprintln!("egret: {e}");
            ExitCode::from(e.exit_code())
        }
    }
}
