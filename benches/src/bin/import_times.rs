//! Times reading a model beside Python's `onnx.load`, by turns in one run. Usage: `import_times PYTHON SCRIPT ROUNDS MODEL`;
//! prints a line of JSON with both medians in milliseconds, of wall-clock time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [python, script, rounds, model] = args.as_slice() else {
        eprintln!("usage: import_times PYTHON SCRIPT ROUNDS MODEL");
        std::process::exit(2);
    };
    if let Err(error) = run(python, script, rounds.parse().unwrap_or(9), Path::new(model)) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(python: &str, script: &str, rounds: usize, model: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut ask = child.stdin.take().ok_or("no pipe")?;
    let mut answers = BufReader::new(child.stdout.take().ok_or("no pipe")?).lines();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round of both warms up: the file is in the page cache afterwards.
    for round in 0..=rounds {
        writeln!(ask, "{}", model.display())?;
        ask.flush()?;
        let seconds: f64 = answers.next().ok_or("the Python side ended")??.trim().parse()?;
        let start = Instant::now();
        let imported = egret_onnx::read(model, &egret_onnx::ReadOptions::default())?;
        let own = start.elapsed().as_secs_f64();
        std::hint::black_box(&imported);
        if round > 0 {
            theirs.push(seconds);
            ours.push(own);
        }
    }
    drop(ask);
    child.wait()?;
    println!("{{\"egret_ms\":{:.3},\"onnx_ms\":{:.3}}}", median(&mut ours) * 1e3, median(&mut theirs) * 1e3);
    Ok(())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    if n == 0 { 0.0 } else { f64::midpoint(times[(n - 1) / 2], times[n / 2]) }
}
