//! Obtaining wheels with pip and taking files out of them. Nothing of a wheel is ever run.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cache::hash_file;
use crate::pins::Wheel;
use crate::system;

/// Downloads a wheel into `folder` and checks its hash.
pub fn download(wheel: &Wheel, python: &Path, folder: &Path) -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("{} is pinned for x86-64 Linux only", wheel.package);
    }
    let named = format!("{}=={}", wheel.package, wheel.version);
    println!("  {named}: downloading {} MB", wheel.megabytes);
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "download", "--no-deps", "--no-input", "--disable-pip-version-check"])
        // One wheel for everyone, whichever Python downloads it.
        .args(["--only-binary=:all:", "--python-version=3.11", "--implementation=cp", "--abi=cp311"])
        .args(["--platform=manylinux_2_28_x86_64", "--platform=manylinux_2_27_x86_64"])
        .arg("--dest")
        .arg(folder)
        .arg(&named);
    let advice = || format!("{named} could not be downloaded: is there a network, and does pip reach its index?");
    if system::interactive() {
        system::run(&mut pip).with_context(advice)?;
    } else {
        system::output(pip.arg("--quiet")).with_context(advice)?;
    }
    let mut wheels: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
    wheels.retain(|path| path.extension().is_some_and(|e| e == "whl"));
    let [path] = <[PathBuf; 1]>::try_from(wheels)
        .map_err(|found| anyhow::anyhow!("pip left {} wheels for {named}, not one", found.len()))?;
    check(&path, &wheel.sha256)?;
    Ok(path)
}

/// An error where a file's hash is not the pinned one.
pub fn check(path: &Path, sha256: &str) -> Result<()> {
    let found = hash_file(path)?;
    if found != sha256 {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        bail!("{name} is not the file that was pinned, it is not used\n  expected {sha256}\n  found    {found}");
    }
    Ok(())
}

/// Takes one file out of a wheel.
pub fn extract(wheel: &Path, path: &str, to: &Path) -> Result<()> {
    let inside = || format!("{path} in {}", wheel.display());
    let mut archive = open(wheel)?;
    let mut member = archive.by_name(path).with_context(inside)?;
    let mut file = File::create(to).with_context(|| format!("creating {}", to.display()))?;
    io::copy(&mut member, &mut file).with_context(inside)?;
    Ok(())
}

/// Takes all files below a folder out of a wheel; they keep their places below `to`.
pub fn extract_folder(wheel: &Path, folder: &str, to: &Path) -> Result<()> {
    let mut archive = open(wheel)?;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index)?;
        // A name that would leave the folder has no enclosed name.
        let Some(name) = member.enclosed_name() else {
            continue;
        };
        let Ok(below) = name.strip_prefix(folder) else {
            continue;
        };
        if member.is_dir() {
            continue;
        }
        let path = to.join(below);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        io::copy(&mut member, &mut File::create(&path)?).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
}

fn open(wheel: &Path) -> Result<zip::ZipArchive<File>> {
    let file = File::open(wheel).with_context(|| format!("opening {}", wheel.display()))?;
    zip::ZipArchive::new(file).with_context(|| format!("{} is no zip archive", wheel.display()))
}
