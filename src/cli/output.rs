//! What the user sees: tables, JSON, progress.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::args::Verbosity;

/// Where messages go, by verbosity.
pub struct Output {
    quiet: bool,
    /// `-v` count.
    pub verbose: u8,
    bar: ProgressBar,
}

impl Output {
    pub fn new(v: &Verbosity) -> Self {
        let bar = if v.quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a fixed template"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        };
        Self { quiet: v.quiet, verbose: v.verbose, bar }
    }

    /// Says what is being done now.
    pub fn step(&self, what: &str) {
        self.bar.set_message(what.to_owned());
        if self.verbose > 0 {
            eprintln!("egret: {what}");
        }
    }

    /// How far it has come, for the eye alone.
    pub fn status(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Takes the progress away before something is printed.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// A line that is neither result nor error.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("egret: {text}"));
        }
    }

    /// A line for each warning.
    pub fn warnings(&self, list: &[String]) {
        for w in list {
            self.note(w);
        }
    }

    /// The result: JSON for programs, else the text for people.
    pub fn result<T: Serialize>(&self, json: bool, value: &T, text: impl FnOnce() -> String) {
        self.clear();
        if json {
            print(&serde_json::to_string_pretty(value).expect("results have string keys"));
        } else if !self.quiet {
            print(&text());
        }
    }
}

/// Prints a text that ends its last line. A reader that has gone away (`| head`) is no error.
pub fn print(text: &str) {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut stdout = std::io::stdout().lock();
    let written = write!(stdout, "{text}{end}").and_then(|()| stdout.flush());
    match written {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => eprintln!("egret: standard output: {e}"),
        Ok(()) | Err(_) => {}
    }
}

/// A table: a header and rows, columns aligned; numbers to the right.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut width: Vec<usize> = header.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (w, cell) in width.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    let numeric = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let line = |cells: &[String]| {
        let mut out = String::new();
        for (i, (cell, w)) in cells.iter().zip(&width).enumerate() {
            let pad = " ".repeat(w - cell.chars().count());
            if i > 0 {
                out.push_str("  ");
            }
            if numeric(cell) {
                out.push_str(&pad);
                out.push_str(cell);
            } else {
                out.push_str(cell);
                out.push_str(&pad);
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    };
    let mut out = line(&header.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>());
    for row in rows {
        out.push_str(&line(row));
    }
    out
}
