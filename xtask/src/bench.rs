//! `cargo xtask bench`: the criterion benches, and the comparison with ONNX Runtime.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::egret::{Benched, Egret};
use crate::table::Table;
use crate::{models, scaling, system};

/// What to measure.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// The compiled libraries beside ONNX Runtime on the real models: one thread, thread CPU
    /// time, runs of both by turns, medians
    Peers(Peers),
    /// Reading a model beside the onnx package for Python: wall-clock time, runs of both by turns, medians.
    ///
    /// `onnx.load` decodes the message and does no more, so decoding is compared with it. What Egret calls reading is the
    /// file as a graph, each node checked and each value typed; it is compared with `onnx.load` followed by
    /// `onnx.checker.check_model` and `onnx.shape_inference.infer_shapes`. Both have the same limit: 1 where the file is
    /// nearly all weights (none may be read), a quarter where it is nearly all nodes. A third row shows reading beside
    /// `onnx.load` alone, without a limit.
    Import(Import),
    /// Saturation and extraction against depth: BERT encoders of 1 to 24 layers, the real
    /// BERT-base, TENSAT's graphs; seconds, e-nodes, peak memory, linear fits
    Saturate(scaling::Args),
    /// The criterion benches only
    Criterion {
        /// Passed on to criterion: a filter, --save-baseline NAME, ...
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
}

/// Which models, and when the result is a failure.
#[derive(clap::Args, Debug, Default)]
pub struct Peers {
    /// Only these models
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    only: Vec<String>,
    /// The models for benches too
    #[arg(long)]
    all: bool,
    /// Fail where the geometric mean of the ratios is above this
    #[arg(long, value_name = "RATIO")]
    max_mean: Option<f64>,
    /// Fail where any ratio is above this
    #[arg(long, value_name = "RATIO")]
    max_ratio: Option<f64>,
}

/// When reading is too slow.
#[derive(clap::Args, Debug)]
pub struct Import {
    /// Rounds per model
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Fail where a ratio is above its limit
    #[arg(long)]
    check: bool,
}

/// Runs what was asked for: both, where nothing was.
pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        None => criterion(&[]).and_then(|()| peers(&Peers::default())),
        Some(What::Criterion { rest }) => criterion(rest),
        Some(What::Peers(args)) => peers(args),
        Some(What::Import(args)) => import(args),
        Some(What::Saturate(args)) => scaling::run(args),
    }
}

/// Median times of one model.
#[derive(serde::Deserialize)]
struct Times {
    /// Of the file's message decoded.
    decode_ms: f64,
    /// Of the file as a checked graph, each value with its type.
    read_ms: f64,
    /// Of `onnx.load`.
    onnx_load_ms: f64,
    /// Of `onnx.load`, `check_model` and `infer_shapes`.
    onnx_check_ms: f64,
}

fn import(args: &Import) -> Result<()> {
    let target = egret_models::target_dir();
    let python = target.join("python/bin/python");
    // One model that is nearly all weights, and one of many nodes whose weights are one number each; what the ratio may be.
    let models = [
        ("bert-base", target.join("models/bert-base.onnx"), 1.0),
        ("densenet121, light", target.join("onnx-tests/light/test_densenet121/model.onnx"), 0.25),
    ];
    if let Some(missing) = models.iter().map(|m| &m.1).chain([&python]).find(|p| !p.is_file()) {
        bail!("{} is not there: run cargo xtask setup --only python,bert-base,onnx-tests", missing.display());
    }
    let build = ["build", "--quiet", "--release", "--package", "egret-benches", "--bin", "import_times"];
    system::run(&mut system::cargo(build))?;
    let mut table = Table::new(["model", "egret", "ms", "onnx", "ms", "ratio", "limit"]);
    let mut failures = Vec::new();
    for (name, path, limit) in models {
        eprintln!("{name}");
        let mut timer = std::process::Command::new(system::cargo_target().join("release/import_times"));
        timer.arg(&python).arg(system::root().join("benches/load_times.py")).arg(args.rounds.to_string()).arg(&path);
        let t: Times = serde_json::from_str(&system::output(&mut timer)?).context("import_times printed no times")?;
        let rows = [
            ("decode", t.decode_ms, "load", t.onnx_load_ms, Some(limit)),
            ("read", t.read_ms, "load, check, infer", t.onnx_check_ms, Some(limit)),
            ("read", t.read_ms, "load", t.onnx_load_ms, None),
        ];
        for (ours, own_ms, theirs, other_ms, limit) in rows {
            let ratio = own_ms / other_ms;
            let [own_ms, other_ms, shown] = [own_ms, other_ms, ratio].map(|x| format!("{x:.2}"));
            let most = limit.map_or_else(|| "-".to_owned(), |l| format!("{l:.2}"));
            let words = [name, ours, &own_ms, theirs, &other_ms, &shown, &most].map(str::to_owned);
            table.row(words);
            if let Some(limit) = limit.filter(|l| args.check && ratio > *l) {
                failures.push(format!("{name}, {ours} beside {theirs}: {ratio:.2} is above {limit}"));
            }
        }
    }
    println!("{}", table.render());
    if !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    Ok(())
}

fn criterion(rest: &[String]) -> Result<()> {
    let fixed = ["bench", "--package", "egret-benches", "--benches", "--"];
    system::run(&mut system::cargo(fixed.into_iter().map(str::to_owned).chain(rest.iter().cloned())))
}

fn peers(args: &Peers) -> Result<()> {
    if egret_models::onnxruntime().is_none() {
        bail!("ONNX Runtime is not there: run cargo xtask setup --only onnxruntime");
    }
    let chosen = models::choose(&args.only, args.all)?;
    let egret = Egret::build()?;
    let work = system::cargo_target().join("xtask-models");
    fs::create_dir_all(&work).with_context(|| format!("creating {}", work.display()))?;

    let mut table = Table::new(["model", "egret ms", "ONNX Runtime ms", "ratio"]);
    let (mut ratios, mut failures) = (Vec::new(), Vec::new());
    for model in &chosen {
        if model.format != "onnx" {
            println!("{}: left out, ONNX Runtime reads no {}", model.name, model.format);
            continue;
        }
        println!("{}", model.name);
        let library = work.join(format!("{}.bench.so", model.name));
        let measured = egret
            .compile(&model.path(), &library, &model.binding_args())
            .and_then(|_| egret.bench(&library, &model.path(), &model.input_args()));
        match measured {
            Ok(Benched { median_ms, onnxruntime_ms: Some(other), ratio: Some(ratio) }) => {
                ratios.push((ratio, model.name.clone()));
                table.row([
                    model.name.clone(),
                    format!("{median_ms:.2}"),
                    format!("{other:.2}"),
                    format!("{ratio:.2}"),
                ]);
            }
            Ok(Benched { .. }) => failures.push(format!("{}: egret bench did not measure ONNX Runtime", model.name)),
            Err(error) => failures.push(format!("{}: {error:#}", model.name)),
        }
    }
    println!("\n{}", table.render());
    if let Some((worst, name)) = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("\ngeometric mean {mean:.2}, worst {worst:.2} ({name})");
        if args.max_mean.is_some_and(|limit| mean > limit) {
            failures.push(format!("the geometric mean {mean:.2} is above the limit"));
        }
        if args.max_ratio.is_some_and(|limit| *worst > limit) {
            failures.push(format!("{name}: {worst:.2} is above the limit"));
        }
    }
    if !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    Ok(())
}
