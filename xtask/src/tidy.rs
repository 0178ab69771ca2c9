//! `cargo xtask tidy`: rules of the house that no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::system;

/// Lines that a source file may have.
const MAX_LINES: usize = 600;

/// What the head of a generated file says: it is nobody's style.
const GENERATED: &str = "do not edit";

/// What must not be in a source file, and why. Each is written in two halves, for this file too
/// is checked.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("todo", "!(", "unfinished code"),
    ("unimplemented", "!(", "unfinished code"),
    ("dbg", "!(", "left over from debugging"),
    ("/home", "/", "a path of one machine"),
    ("/Users", "/", "a path of one machine"),
    ("/work", "/", "a path of one machine"),
    ("crates", ".io", "the host of a registry"),
    ("pypi", ".org", "the host of a registry"),
];

/// Checks the sources; the error lists all offences.
pub fn run() -> Result<()> {
    let mut files = Vec::new();
    collect(system::root(), &mut files)?;
    files.sort();
    let mut offences = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let name = path.strip_prefix(system::root()).unwrap_or(path).to_string_lossy();
        let is_rust = path.extension().is_some_and(|e| e == "rs");
        offences.extend(check(&text, is_rust).into_iter().map(|offence| format!("{name}{offence}")));
    }
    if !offences.is_empty() {
        bail!("{} offences\n{}", offences.len(), offences.join("\n"));
    }
    println!("{} files are tidy", files.len());
    Ok(())
}

/// The offences of one file, each as `:line: what`.
fn check(text: &str, is_rust: bool) -> Vec<String> {
    let mut offences = Vec::new();
    if text.lines().take(5).any(|line| line.contains(GENERATED)) {
        return offences;
    }
    for (number, line) in text.lines().enumerate() {
        for (left, right, why) in FORBIDDEN {
            if line.contains(&format!("{left}{right}")) {
                offences.push(format!(":{}: {left}{right}: {why}", number + 1));
            }
        }
        if line.ends_with(' ') {
            offences.push(format!(":{}: a blank at the end of the line", number + 1));
        }
    }
    if is_rust {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            offences.push(format!(":{lines}: more than {MAX_LINES} lines; split it"));
        }
        if !text.lines().any(|line| line.starts_with("//!")) {
            offences.push(":1: no //! that says what the module is for".into());
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        offences.push(format!(":{}: no newline at the end", text.lines().count()));
    }
    offences
}

/// All text sources below `folder`, without build outputs.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "proptest-regressions") && !path.is_symlink() {
                collect(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| matches!(&*e.to_string_lossy(), "rs" | "py" | "toml" | "rules")) {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offences_are_found_with_their_line() {
        let bad = format!("//! A module.\nfn f() {{ {}{}) }}\nfn g() {{}} \n", "todo", "!(");
        assert_eq!(
            check(&bad, true),
            [concat!(":2: todo", "!(: unfinished code"), ":3: a blank at the end of the line"]
        );
        assert_eq!(check("fn f() {}\n", true), [":1: no //! that says what the module is for"]);
        assert!(check(&format!("//! {}\n", "x\n".repeat(MAX_LINES)), true)[0].contains("split it"));
        assert_eq!(check("a = 1", false), [":1: no newline at the end"]);
    }

    #[test]
    fn good_and_generated_files_pass() {
        assert!(check("//! A module.\nfn f() {}\n", true).is_empty());
        assert!(check(&format!("// {GENERATED}\nfn f() {{ {}{}) }}\n", "todo", "!("), true).is_empty());
    }
}
