//! `cargo xtask bench saturate`: how the cost of saturation and extraction grows with depth, on BERT encoders of several
//! depths, and on the real BERT-base; then TENSAT's graphs where their bench is there.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::system;
use crate::table::Table;

/// How to show it, and when the result is a failure.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Fail above the limits: 1.2 times the e-nodes of one layer at 24, 2 s and 1 GiB for BERT-base
    #[arg(long)]
    check: bool,
}

/// Depths of the encoder.
const LAYERS: [usize; 6] = [1, 2, 4, 8, 12, 24];

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Seconds {
    wall: f64,
    cpu: f64,
}

/// What the bench prints of one model.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Measured {
    nodes: usize,
    born: usize,
    regions: usize,
    occurrences: usize,
    stages: usize,
    saturate: Seconds,
    kernels: Seconds,
    onnx: Seconds,
    steps: usize,
    onnx_nodes: usize,
    read_mib: f64,
    peak_mib: f64,
}

/// A straight line through points, by least squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Fit {
    slope: f64,
    intercept: f64,
    /// How much of the variation the line explains, 0 to 1.
    r2: f64,
}

impl Fit {
    fn of(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let (sxx, sxy) = (mean(&|p| (p.0 - x).powi(2)), mean(&|p| (p.0 - x) * (p.1 - y)));
        let (syy, slope) = (mean(&|p| (p.1 - y).powi(2)), if sxx == 0.0 { 0.0 } else { sxy / sxx });
        let intercept = y - slope * x;
        let rest = mean(&|p| (p.1 - intercept - slope * p.0).powi(2));
        Self { slope, intercept, r2: if syy == 0.0 { 1.0 } else { 1.0 - rest / syy } }
    }
}

#[derive(Serialize)]
struct Row {
    layers: usize,
    #[serde(flatten)]
    measured: Measured,
}

#[derive(Serialize)]
struct Report {
    encoders: Vec<Row>,
    fits: std::collections::BTreeMap<&'static str, Fit>,
    bert_base: Option<Measured>,
    tensat: Option<serde_json::Value>,
}

/// Runs it.
pub fn run(args: &Args) -> Result<()> {
    let build = ["build", "--quiet", "--release", "--package", "egret-benches", "--bin", "saturate"];
    system::run(&mut system::cargo(build))?;
    let program = system::cargo_target().join("release/saturate");
    let measure = |words: &[&str]| -> Result<Measured> {
        eprintln!("measuring {}", words.join(" "));
        let text = system::output(Command::new(&program).args(words))?;
        serde_json::from_str(&text).context("the bench printed no measurement")
    };
    let mut encoders = Vec::new();
    for layers in LAYERS {
        encoders.push(Row { layers, measured: measure(&["bert", &layers.to_string()])? });
    }
    let model = egret_models::Manifest::load()?.get("bert-base")?.path();
    let bert_base = if model.is_file() { Some(measure(&[&model.to_string_lossy()])?) } else { None };
    let fit = |of: &dyn Fn(&Measured) -> f64| {
        Fit::of(&encoders.iter().map(|r| (r.layers as f64, of(&r.measured))).collect::<Vec<_>>())
    };
    let fits = [
        ("e-nodes", fit(&|m| m.born as f64)),
        ("saturation seconds", fit(&|m| m.saturate.cpu)),
        ("extraction seconds", fit(&|m| m.kernels.cpu)),
        ("ONNX seconds", fit(&|m| m.onnx.cpu)),
    ];
    let tensat = tensat(args.json)?;
    let report = Report { encoders, fits: fits.into(), bert_base, tensat };
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        print(&report);
    }
    if args.check { check(&report) } else { Ok(()) }
}

/// TENSAT's table, where that bench exists. Without `json` it prints for itself.
fn tensat(json: bool) -> Result<Option<serde_json::Value>> {
    if !system::root().join("benches/src/bin/tensat.rs").is_file() {
        eprintln!("left out: there is no bench of TENSAT's graphs");
        return Ok(None);
    }
    let words = ["run", "--quiet", "--release", "--package", "egret-benches", "--bin", "tensat"];
    if json {
        let text = system::output(&mut system::cargo(words.into_iter().chain(["--", "--json"])))?;
        return Ok(Some(serde_json::from_str(&text).context("the bench of TENSAT's graphs printed no JSON")?));
    }
    system::run(&mut system::cargo(words))?;
    Ok(None)
}

fn print(report: &Report) {
    let mut table = Table::new([
        "layers",
        "nodes",
        "e-nodes",
        "regions",
        "stages",
        "saturate s",
        "kernels s",
        "ONNX s",
        "CPU s",
        "peak MiB",
    ]);
    let cells = |name: String, m: &Measured| {
        [
            name,
            m.nodes.to_string(),
            m.born.to_string(),
            format!("{} of {}", m.regions, m.occurrences),
            m.stages.to_string(),
            format!("{:.3}", m.saturate.wall),
            format!("{:.3}", m.kernels.wall),
            format!("{:.3}", m.onnx.wall),
            format!("{:.2}", m.saturate.cpu + m.kernels.cpu + m.onnx.cpu),
            format!("{:.0}", m.peak_mib),
        ]
    };
    for r in &report.encoders {
        table.row(cells(r.layers.to_string(), &r.measured));
    }
    match &report.bert_base {
        Some(m) => table.row(cells("bert-base".to_owned(), m)),
        None => eprintln!("left out: bert-base is not there (cargo xtask setup)"),
    }
    println!("{}\n", table.render());
    let mut table = Table::new(["per layers", "slope", "intercept", "R²"]);
    for (name, f) in &report.fits {
        let numbers = [f.slope, f.intercept, f.r2].map(|x| format!("{x:.4}"));
        let [slope, intercept, r2] = numbers;
        table.row([(*name).to_owned(), slope, intercept, r2]);
    }
    println!("{}", table.render());
}

/// The limits of the acceptance.
fn check(report: &Report) -> Result<()> {
    let born = |layers: usize| report.encoders.iter().find(|r| r.layers == layers).map(|r| r.measured.born as f64);
    let (Some(one), Some(deep)) = (born(1), born(24)) else { bail!("a depth is missing") };
    if deep > 1.2 * one {
        bail!("24 layers bear {deep} e-nodes, one bears {one}");
    }
    let Some(m) = &report.bert_base else { bail!("bert-base is not there: run cargo xtask setup --only bert-base") };
    let seconds = m.saturate.wall + m.kernels.wall;
    if seconds > 2.0 || m.peak_mib > 1024.0 {
        bail!("bert-base took {seconds:.2} s and {:.0} MiB", m.peak_mib);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let fit = Fit::of(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0), (8.0, 19.0)]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(fit.slope, 2.0) && near(fit.intercept, 3.0) && near(fit.r2, 1.0));
        let scattered = Fit::of(&[(0.0, 1.0), (1.0, -1.0), (2.0, 1.0), (3.0, -1.0)]);
        assert!(scattered.r2 < 0.25);
    }
}
