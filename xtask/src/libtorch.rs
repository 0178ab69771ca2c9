//! LibTorch for CPU, made out of the published CUDA wheel.
//!
//! There is no smaller wheel. `libtorch_cpu.so` holds all CPU kernels; from the CUDA runtime it
//! needs a few functions that only profiling and device queries call. Two small libraries of our
//! own stand in for those: every function in them reports failure. `libtorch.so` in the wheel
//! needs the CUDA kernels, so an empty one takes its place that needs only the CPU ones; the `tch`
//! crate links CUDA only where it finds its file.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cache::{self, Cache};
use crate::pins::LibTorch;
use crate::{system, wheel};

/// Goes up when this file makes something else out of the same wheel.
const RECIPE: &str = "1";

/// The cache's key of the made library.
pub fn key(pin: &LibTorch) -> String {
    cache::hash_texts(["libtorch", RECIPE, &pin.wheel.sha256])
}

/// Downloads and makes LibTorch, and gives its folder: `lib/`, `include/`, `build-version`.
pub fn make(pin: &LibTorch, cache: &Cache, python: &Path) -> Result<()> {
    system::compiler()?;
    let work = cache.scratch()?;
    let archive = wheel::download(&pin.wheel, python, work.path())?;

    println!("  taking the CPU libraries out of the wheel");
    let torch = work.path().join("libtorch");
    let lib = torch.join("lib");
    fs::create_dir_all(&lib)?;
    for name in ["libtorch_cpu.so", "libc10.so", "libgomp.so.1"] {
        wheel::extract(&archive, &format!("torch/lib/{name}"), &lib.join(name))?;
    }
    wheel::extract_folder(&archive, "torch/include", &torch.join("include"))?;
    fs::remove_file(&archive)?;
    fs::write(torch.join("build-version"), format!("{}\n", pin.wheel.version))?;
    // `tch` links with -lgomp.
    cache::link(Path::new("libgomp.so.1"), &lib.join("libgomp.so"))?;

    println!("  compiling the stand-ins for the CUDA runtime");
    let needed = system::output(Command::new("nm").args(["-D", "--undefined-only"]).arg(lib.join("libtorch_cpu.so")))?;
    // cudaErrorNoDevice, CUPTI_ERROR_UNKNOWN.
    stand_in("libcudart.so.13", 100, &needed, work.path(), &lib)?;
    stand_in("libcupti.so.13", 999, &needed, work.path(), &lib)?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-o"]).arg(lib.join("libtorch.so"));
    gcc.args(["-Wl,-soname,libtorch.so", "-Wl,--no-as-needed", "-L"]).arg(&lib);
    gcc.args(["-l:libtorch_cpu.so", "-l:libc10.so", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"]);
    system::output(&mut gcc)?;
    cache.publish(&torch, &key(pin))
}

/// Compiles a library of the name `soname` that has every function `needed` from it; each returns
/// the error `code`.
fn stand_in(soname: &str, code: u32, needed: &str, work: &Path, lib: &Path) -> Result<()> {
    let functions = needed_from(needed, soname);
    if functions.is_empty() {
        bail!("libtorch_cpu.so needs nothing from {soname}: this wheel is built in another way than expected");
    }
    let mut source = String::new();
    for name in functions {
        match name {
            "cudaGetErrorString" => writeln!(source, "const char *{name}(void) {{ return \"no CUDA here\"; }}"),
            _ => writeln!(source, "int {name}(void) {{ return {code}; }}"),
        }?;
    }
    let (c, map) = (work.join(format!("{soname}.c")), work.join(format!("{soname}.map")));
    fs::write(&c, source)?;
    fs::write(&map, format!("{soname} {{ global: *; }};\n"))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-w", "-o"]).arg(lib.join(soname)).arg(&c);
    gcc.arg(format!("-Wl,-soname,{soname}")).arg(format!("-Wl,--version-script={}", map.display()));
    system::output(&mut gcc).with_context(|| format!("compiling the stand-in for {soname}"))?;
    Ok(())
}

/// The functions of the symbol version `version` in the output of `nm -D --undefined-only`.
fn needed_from<'a>(nm: &'a str, version: &str) -> BTreeSet<&'a str> {
    let symbols = nm.lines().filter_map(|line| line.split_whitespace().last());
    symbols
        .filter_map(|s| s.split_once('@'))
        .filter(|(_, v)| v.trim_start_matches('@') == version)
        .map(|(n, _)| n)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_by_version() {
        let nm = "                 U cudaFree@libcudart.so.13\n                 U cuptiFinalize@libcupti.so.13\n\
                  U memcpy@GLIBC_2.14\n   w __gmon_start__\n  U cudaFree@libcudart.so.13\n";
        assert_eq!(needed_from(nm, "libcudart.so.13").into_iter().collect::<Vec<_>>(), ["cudaFree"]);
        assert_eq!(needed_from(nm, "libcupti.so.13").into_iter().collect::<Vec<_>>(), ["cuptiFinalize"]);
    }
}
