//! Times reading a model beside the onnx package for Python, by turns in one run. Usage: `import_times PYTHON SCRIPT ROUNDS
//! MODEL`; prints a line of JSON with medians in milliseconds, of wall-clock time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use egret_onnx::ReadOptions;

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
    // Decoding and reading here; loading, and loading, checking and inferring there.
    let mut times: [Vec<f64>; 4] = Default::default();
    // The first round warms up: the file is in the page cache afterwards.
    for round in 0..=rounds {
        writeln!(ask, "{}", model.display())?;
        ask.flush()?;
        let answer = answers.next().ok_or("the Python side ended")??;
        let theirs = answer.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let [loaded, checked] = theirs.as_slice() else { return Err(format!("two numbers, not {answer}").into()) };
        let start = Instant::now();
        let decoded = egret_onnx::open(model)?;
        let decoding = start.elapsed().as_secs_f64();
        drop(decoded);
        let start = Instant::now();
        let imported = egret_onnx::read(model, &ReadOptions::default())?;
        let reading = start.elapsed().as_secs_f64();
        drop(imported);
        if round > 0 {
            times.iter_mut().zip([decoding, reading, *loaded, *checked]).for_each(|(list, t)| list.push(t));
        }
    }
    drop(ask);
    child.wait()?;
    let [decoding, reading, loaded, checked] = times.map(|mut list| median(&mut list) * 1e3);
    println!(
        "{{\"decode_ms\":{decoding:.3},\"read_ms\":{reading:.3},\"onnx_load_ms\":{loaded:.3},\"onnx_check_ms\":{checked:.3}}}"
    );
    Ok(())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    if n == 0 { 0.0 } else { f64::midpoint(times[(n - 1) / 2], times[n / 2]) }
}
