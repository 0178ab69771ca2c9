//! Saturation and extraction of one model in this process, once. Usage: `saturate bert LAYERS` or `saturate FILE`; prints a
//! line of JSON: sizes, seconds of wall-clock time, peak memory of the process.

use std::path::Path;
use std::time::Instant;

use egret_benches::bert;
use egret_extractor::plan::cheapest;
use egret_ir::choice::{ClassGraph, Table};
use egret_onnx::export::{self, OnnxStep, Rewritten};
use egret_onnx::external::Files;
use egret_onnx::{Imported, ReadOptions};
use egret_rules::{Config, RuleSet, saturate_regions};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let imported = match words.as_slice() {
        ["bert", layers] => match layers.parse() {
            Ok(n) => egret_onnx::read_model(bert::encoder(n), &mut Files::none(), &ReadOptions::default()),
            Err(_) => usage(),
        },
        [file] => egret_onnx::read(Path::new(file), &ReadOptions::default()),
        _ => usage(),
    };
    let measured = imported.map_err(Into::into).and_then(|imported| measure(&imported));
    if let Err(error) = measured {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn usage() -> ! {
    eprintln!("usage: saturate bert LAYERS | saturate FILE");
    std::process::exit(2);
}

/// One line of the table.
#[derive(serde::Serialize)]
struct Measured {
    /// Nodes of the graph.
    nodes: usize,
    /// E-nodes made in saturation.
    born: usize,
    /// Regions saturated, and their occurrences.
    regions: usize,
    occurrences: usize,
    /// Stages that were extracted from: as imported, and after each phase that bore something.
    stages: usize,
    saturate: Seconds,
    /// Choosing kernels.
    kernels: Seconds,
    /// Choosing ONNX operators and writing them.
    onnx: Seconds,
    /// Steps of the compiled program.
    steps: usize,
    /// Nodes of the ONNX graph.
    onnx_nodes: usize,
    /// Peak memory of the process after reading, and at the end.
    read_mib: f64,
    peak_mib: f64,
}

#[derive(serde::Serialize)]
struct Seconds {
    wall: f64,
    /// Of all threads.
    cpu: f64,
}

/// Runs something and says how long it took.
fn timed<T>(run: impl FnOnce() -> T) -> Result<(T, Seconds), Box<dyn std::error::Error>> {
    let (start, cpu) = (Instant::now(), cpu_seconds()?);
    let out = run();
    Ok((out, Seconds { wall: start.elapsed().as_secs_f64(), cpu: cpu_seconds()? - cpu }))
}

fn measure(imported: &Imported) -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::builtin();
    let machine = egret_extractor::detect()?;
    let typed = egret_ir::check(imported.graph.clone()).map_err(|r| format!("{} type errors", r.len()))?;
    let read_mib = peak_mib()?;
    let (saturated, saturate) = timed(|| saturate_regions(&typed, &rules, &Config::for_nodes))?;
    let stages = saturated.stages();
    let as_is = |body: &egret_ir::Graph| vec![ClassGraph::from_graph(body).0];
    let options = egret_extractor::Options::default();
    let (program, kernels) = timed(|| cheapest(&stages, &machine, &options, &as_is))?;
    let extract = |table: &Table<OnnxStep>| egret_extractor::select(table).ok().map(|s| s.chosen);
    let mut guard = export::Guard::new(u64::MAX);
    let mut rewritten = Rewritten {
        classes: saturated.classes.clone(),
        class_of: saturated.class_of.clone(),
        births: saturated.births.clone(),
        bodies: Vec::new(),
    };
    let (model, onnx) = timed(|| export::optimize(&mut rewritten, imported, &export::node_time, &extract, &mut guard))?;
    let measured = Measured {
        nodes: typed.nodes().len(),
        born: saturated.ids(),
        regions: saturated.regions.len(),
        occurrences: saturated.instances.len(),
        stages: stages.len(),
        saturate,
        kernels,
        onnx,
        steps: program?.steps.len(),
        onnx_nodes: model?.graph.as_ref().map_or(0, egret_onnx::node_count),
        read_mib,
        peak_mib: peak_mib()?,
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

/// Processor time of this process, all threads.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // After the command in parentheses: state is field 3, utime 14, stime 15, in ticks of 10 ms.
    let fields: Vec<&str> = stat.rsplit_once(')').ok_or("no stat")?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Peak resident memory of this process in MiB.
fn peak_mib() -> Result<f64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib / 1024.0)
}
