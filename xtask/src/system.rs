//! Programs of the system: finding, running, and installing them where that is allowed.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace's root")
}

/// The folder of `cargo`'s own outputs.
pub fn cargo_target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The `cargo` that runs this program, in the workspace's root.
pub fn cargo(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    // What `cargo xtask setup` linked is found by every test and bench.
    if let Some(library) = egret_models::onnxruntime() {
        command.env("ORT_DYLIB_PATH", library);
    }
    command
}

/// Runs a command with its output shown; an exit status other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and gives its output as text; on failure the error holds what it said.
pub fn output(command: &mut Command) -> Result<String> {
    let out = command.stdin(Stdio::null()).output().with_context(|| format!("starting {}", shown(command)))?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        bail!("{} ended with {}\n{}", shown(command), out.status, said.trim_end());
    }
    String::from_utf8(out.stdout).with_context(|| format!("{} printed no UTF-8", shown(command)))
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Whether people are watching: long work then shows a bar.
pub fn interactive() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether a program of this name is on the search path.
pub fn has(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// Makes sure that `works` holds, by installing the Debian packages where this runs as root on a
/// machine with apt; elsewhere the error names the packages.
pub fn need(what: &str, packages: &[&str], works: impl Fn() -> bool) -> Result<()> {
    if works() {
        return Ok(());
    }
    let list = packages.join(" ");
    if !(is_root() && has("apt-get")) {
        bail!("{what} is missing. Install it, on Debian and Ubuntu by: sudo apt-get install {list}");
    }
    println!("  {what} is missing: installing {list} with apt");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        run(command.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq").args(args))
    };
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())?;
    if !works() {
        bail!("{what} is missing still after installing {list}");
    }
    Ok(())
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0")
}

/// A Python that can make environments: `$PYTHON`, or `python3`.
pub fn python() -> Result<PathBuf> {
    let probe = |program: &Path| output(Command::new(program).args(["-c", "import venv, ensurepip"]));
    if let Some(chosen) = std::env::var_os("PYTHON").map(PathBuf::from) {
        probe(&chosen).context("the program named in PYTHON is no Python that can make environments")?;
        return Ok(chosen);
    }
    let program = PathBuf::from("python3");
    let works = || probe(&program).is_ok();
    need("Python 3 with its venv module", &["python3", "python3-venv"], works)?;
    Ok(program)
}

/// A C compiler and the tools beside it.
pub fn compiler() -> Result<()> {
    need("a C compiler (gcc)", &["gcc", "libc6-dev"], || has("gcc"))?;
    need("nm (binutils)", &["binutils"], || has("nm"))
}
