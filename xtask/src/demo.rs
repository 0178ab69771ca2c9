//! `cargo xtask demo`: a real text recognizer, optimized, compiled, run and checked.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use egret_models::Manifest;

use crate::egret::{Egret, Verified, run_args};
use crate::{setup, system};

/// The model of the demo.
const MODEL: &str = "ppocr-rec";

/// The example program that writes a small recognizer: `cargo run --example NAME -- FILE`.
const EXAMPLE: &str = "make_model";

/// How to run the demo.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Fetch nothing: use a model that an example of this project writes
    #[arg(long)]
    offline: bool,
}

/// What the demo runs on.
struct Subject {
    title: String,
    path: PathBuf,
    binding: Vec<String>,
    inputs: Vec<String>,
}

/// Runs the demo; fails where a verdict is not "equal".
pub fn run(args: &Args) -> Result<()> {
    system::compiler()?;
    let work = system::cargo_target().join("xtask-demo");
    fs::create_dir_all(&work).with_context(|| format!("creating {}", work.display()))?;
    let subject = subject(args.offline)?;
    println!("building egret");
    let egret = Egret::build()?;

    println!("\n{}\n", subject.title);
    let (optimized, library) = (work.join("optimized.onnx"), work.join("model.so"));
    let report = egret.optimize(&subject.path, &optimized, &subject.binding)?;
    println!("optimize   {} nodes -> {} nodes", report.nodes_before, report.nodes_after);
    let kernels = egret.compile(&subject.path, &library, &subject.binding)?.kernels;
    println!("compile    {kernels} kernels in one shared library");
    let time = egret.bench(&library, &subject.path, &subject.inputs)?;
    match (time.onnxruntime_ms, time.ratio) {
        (Some(other), Some(ratio)) => {
            println!("run        {:.2} ms; ONNX Runtime {other:.2} ms; ratio {ratio:.2} (1 thread)", time.median_ms);
        }
        _ => println!("run        {:.2} ms (1 thread; no ONNX Runtime to compare with)", time.median_ms),
    }

    let mut verify_args = subject.inputs.clone();
    if egret_models::onnxruntime().is_none() {
        verify_args.extend(["--oracle".to_owned(), "interpreter".to_owned()]);
    }
    let mut unequal = Vec::new();
    for (what, candidate) in [("optimized model", &optimized), ("shared library", &library)] {
        let verified = egret.verify(&subject.path, candidate, &verify_args)?;
        println!("verify     {what}: {}", verdict(&verified));
        if !verified.equal() {
            unequal.push(what);
        }
    }
    if !unequal.is_empty() {
        bail!("not equal to the original: {}", unequal.join(", "));
    }
    Ok(())
}

fn verdict(verified: &Verified) -> String {
    let measured = verified.worst().map(|w| format!("error {:.2e}, rounding explains {:.2e}; ", w.error, w.floor));
    format!("{}{}", measured.unwrap_or_default(), verified.verdict)
}

fn subject(offline: bool) -> Result<Subject> {
    if !offline {
        match setup::run(&setup::Args::only(&["onnxruntime", MODEL])) {
            Ok(()) => {
                let manifest = Manifest::load()?;
                let model = manifest.get(MODEL)?;
                return Ok(Subject {
                    title: format!("{}: {}, {}", model.name, model.what, model.shapes.join(" ")),
                    path: model.path(),
                    binding: model.binding_args(),
                    inputs: run_args(model),
                });
            }
            Err(error) => {
                println!("{error:#}\nGoing on with a model that an example of this project writes.");
            }
        }
    }
    let path = system::cargo_target().join("xtask-demo/example.onnx");
    let mut example = system::cargo(["run", "--quiet", "--release", "--package", "egret", "--example", EXAMPLE, "--"]);
    system::run(example.arg(&path))?;
    Ok(Subject {
        title: "a small recognizer written by examples/make_model.rs".into(),
        path,
        binding: Vec::new(),
        inputs: Vec::new(),
    })
}
