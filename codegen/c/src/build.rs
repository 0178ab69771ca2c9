//! Compiles a source tree with the system's C compiler.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::library::{CSource, KERNEL_FLAGS, RUNTIME_FLAGS};

/// How to compile.
#[derive(Clone, Debug)]
pub struct CcOptions {
    /// The compiler.
    pub cc: OsString,
    /// Compilers running at once.
    pub jobs: usize,
}

impl Default for CcOptions {
    /// `$CC` or `cc`, as many jobs as cores.
    fn default() -> Self {
        Self {
            cc: std::env::var_os("CC").unwrap_or_else(|| "cc".into()),
            jobs: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// Why a source tree did not become a library.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The compiler could not be started.
    #[error("cannot run the C compiler `{cc}`: {error}")]
    NoCompiler {
        /// The compiler.
        cc: String,
        /// Why.
        error: std::io::Error,
    },
    /// The compiler failed.
    #[error("`{cc}` failed on {file}:\n{output}")]
    Compiler {
        /// The compiler.
        cc: String,
        /// The file.
        file: String,
        /// What it said.
        output: String,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

/// Writes a source tree to a folder. All files are written beside it first; the folder appears complete, or, where it is
/// there already, its files are replaced one by one once all of them are written.
pub fn write_tree(source: &CSource, folder: &Path) -> Result<(), BuildError> {
    let write = |path: &Path, error| BuildError::Write { path: path.into(), error };
    let parent = parent_of(folder);
    let beside = tempfile::Builder::new().prefix(".egret-tree-").tempdir_in(&parent).map_err(|e| write(&parent, e))?;
    fill(source, beside.path())?;
    if !folder.exists() {
        // The temporary folder is its maker's alone; what it becomes is not.
        open_to_all(beside.path()).map_err(|e| write(folder, e))?;
        return std::fs::rename(beside.keep(), folder).map_err(|e| write(folder, e));
    }
    for name in source.files.iter().map(|f| f.0.as_str()).chain([source.weights_name()]) {
        let to = folder.join(name);
        std::fs::rename(beside.path().join(name), &to).map_err(|e| write(&to, e))?;
    }
    Ok(())
}

fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

#[cfg(unix)]
fn open_to_all(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Writes the files of a source tree into a folder.
fn fill(source: &CSource, folder: &Path) -> Result<(), BuildError> {
    for (name, bytes) in &source.files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| BuildError::Write { path, error })?;
    }
    let path = folder.join(source.weights_name());
    let write = || {
        let mut out = std::io::BufWriter::new(std::fs::File::create(&path)?);
        source.weights.write(&mut out)?;
        std::io::Write::flush(&mut out)
    };
    write().map_err(|error| BuildError::Write { path: path.clone(), error })
}

/// Files that are the same for every model: whoever builds many libraries compiles them once.
const SHARED: &[&str] = &["runtime.c", "frame.c"];

/// Objects of shared files that this process has compiled, by [`key`].
static OBJECTS: Mutex<BTreeMap<Vec<u8>, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

/// All that an object of a shared file depends on: the compiler, the file and the headers.
fn key(source: &CSource, file: &str, options: &CcOptions) -> Vec<u8> {
    let mut key = options.cc.as_encoded_bytes().to_vec();
    // `model.h` is for the library's users; nothing here includes it.
    let header = |name: &str| name.ends_with(".h") && name != "model.h";
    for (name, bytes) in source.files.iter().filter(|(name, _)| name == file || header(name)) {
        for part in [name.as_bytes(), bytes] {
            key.extend((part.len() as u64).to_le_bytes());
            key.extend(part);
        }
    }
    key
}

fn kept(key: &Vec<u8>) -> Option<Arc<[u8]>> {
    OBJECTS.lock().ok()?.get(key).cloned()
}

fn keep(key: Vec<u8>, object: Vec<u8>) {
    if let Ok(mut objects) = OBJECTS.lock() {
        objects.insert(key, object.into());
    }
}

/// Compiles and links a source tree into the shared library `out`. The library (and its weights file, where separate)
/// is written beside its place and renamed into it when complete.
pub fn build(source: &CSource, out: &Path, options: &CcOptions) -> Result<(), BuildError> {
    let parent = parent_of(out);
    let write = |path: &Path, error| BuildError::Write { path: path.into(), error };
    let work = tempfile::Builder::new().prefix(".egret-build-").tempdir_in(&parent).map_err(|e| write(&parent, e))?;
    let dir = work.path();
    fill(source, dir)?;
    let files: Vec<&str> = source
        .files
        .iter()
        .map(|f| f.0.as_str())
        .filter(|f| Path::new(f).extension().is_some_and(|e| e == "c"))
        .collect();
    let next = AtomicUsize::new(0);
    let compile_all = || -> Result<(), BuildError> {
        loop {
            let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(()) };
            let object = dir.join(file.replace(".c", ".o"));
            let shared = SHARED.contains(file).then(|| key(source, file, options));
            if let Some(bytes) = shared.as_ref().and_then(kept) {
                std::fs::write(&object, bytes).map_err(|e| write(&object, e))?;
                continue;
            }
            let mut cc = Command::new(&options.cc);
            if file.starts_with("kernels") {
                cc.args(KERNEL_FLAGS).args(source.cpu.flags());
            } else {
                cc.args(RUNTIME_FLAGS);
            }
            cc.current_dir(dir).args(["-c", file, "-o", &file.replace(".c", ".o")]);
            run(cc, options, file)?;
            if let Some(key) = shared {
                keep(key, std::fs::read(&object).map_err(|e| write(&object, e))?);
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..options.jobs.clamp(1, files.len().max(1))).map(|_| scope.spawn(compile_all)).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("invariant: compiling does not panic"))
    })?;
    let mut link = Command::new(&options.cc);
    link.current_dir(dir).args(["-shared", "-o", "library.so"]);
    link.args(files.iter().map(|f| f.replace(".c", ".o"))).args(["-lm", "-lpthread", "-ldl", "-Wl,-z,noexecstack"]);
    run(link, options, "library.so")?;
    if let Some(weights) = &source.weight_file {
        let to = parent.join(weights);
        std::fs::rename(dir.join(weights), &to).map_err(|e| write(&to, e))?;
    }
    std::fs::rename(dir.join("library.so"), out).map_err(|e| write(out, e))
}

fn run(mut command: Command, options: &CcOptions, file: &str) -> Result<(), BuildError> {
    let cc = options.cc.to_string_lossy().into_owned();
    let done = command.output().map_err(|error| BuildError::NoCompiler { cc: cc.clone(), error })?;
    if done.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&done.stderr).lines().take(30).collect::<Vec<_>>().join("\n");
    Err(BuildError::Compiler { cc, file: file.to_owned(), output })
}
