//! Hostile files: models with flipped bytes, or cut short. Whatever comes of it, nothing panics, little is allocated beyond the
//! size of the file, and no partial file is left. All of them are read, those up to 64 KiB are optimized and compiled to C as
//! well. The exception are ONNX's light networks, which are read only: a file of 60 KiB fills weights of hundreds of megabytes
//! with one number each, and the code generator holds them packed.
//!
//! 300 cases, always the same; `cargo xtask fuzz` runs 10,000 (`EGRET_FUZZ_CASES`, `EGRET_FUZZ_SEED`).

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use bytes::Bytes;
use egret_onnx::proto::{GraphProto, TensorProto};
use egret_onnx::{ReadOptions, inline};
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What reading may allocate beyond the size of the file.
const BEYOND: usize = 64 << 20;

/// Models up to this size go through the optimizer and the code generator, too, the light networks aside.
const SMALL: usize = 64 << 10;

/// Larger models are left out: most of a case would be copying weights.
const LARGE: usize = 25 << 20;

/// One case in this many also goes through the program itself.
const PROGRAM: u32 = 10;

/// A long run says how far it is after so many cases.
const REPORT: u32 = 500;

/// A sound model.
struct Subject {
    name: String,
    bytes: Vec<u8>,
    /// Whether it goes through the optimizer and the code generator, too.
    deep: bool,
    /// Where the file is not the bytes of a weight: a change there is a change of the model's structure.
    structure: Vec<Range<usize>>,
}

impl Subject {
    fn new(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("readable");
        let shared = Bytes::from(bytes.clone());
        let base = shared.as_ptr() as usize;
        let model = egret_onnx::decode(shared.clone()).expect("a sound model");
        let mut weights = Vec::new();
        if let Some(graph) = &model.graph {
            tensors(graph, &mut |t| {
                if let Some(raw) = t.raw_data.as_ref().filter(|raw| raw.len() > 64) {
                    let start = raw.as_ptr() as usize - base;
                    weights.push(start..start + raw.len());
                }
            });
        }
        weights.sort_by_key(|r| r.start);
        let mut structure = Vec::new();
        let mut at = 0;
        for w in weights {
            structure.push(at..w.start);
            at = w.end;
        }
        structure.push(at..bytes.len());
        structure.retain(|r| !r.is_empty());
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display().to_string();
        let deep = bytes.len() <= SMALL && !name.contains("/light/");
        Self { name, bytes, deep, structure }
    }

    /// The byte at a fraction of the structure.
    fn place(&self, fraction: f64) -> usize {
        let total: usize = self.structure.iter().map(Range::len).sum();
        let mut n = ((total as f64 * fraction) as usize).min(total.saturating_sub(1));
        for r in &self.structure {
            match n.checked_sub(r.len()) {
                None => return r.start + n,
                Some(rest) => n = rest,
            }
        }
        0
    }
}

fn tensors<'a>(graph: &'a GraphProto, each: &mut dyn FnMut(&'a TensorProto)) {
    graph.initializer.iter().for_each(&mut *each);
    for node in &graph.node {
        node.attribute.iter().flat_map(|a| a.t.as_deref().into_iter().chain(&a.tensors)).for_each(&mut *each);
        inline::subgraphs(node).for_each(|body| tensors(body, each));
    }
}

/// A way to spoil a file. Places are fractions of its structure, so that they do not depend on the model.
#[derive(Clone, Debug)]
enum Fault {
    /// One bit is flipped.
    Bit(f64, u8),
    /// One byte is another one.
    Byte(f64, u8),
    /// The file ends here.
    End(f64),
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        4 => (0.0..1.0f64, 0..8u8).prop_map(|(at, bit)| Fault::Bit(at, bit)),
        4 => (0.0..1.0f64, any::<u8>()).prop_map(|(at, byte)| Fault::Byte(at, byte)),
        1 => (0.0..1.0f64).prop_map(Fault::End),
    ]
}

fn spoil(subject: &Subject, faults: &[Fault]) -> Vec<u8> {
    let mut bytes = subject.bytes.clone();
    for f in faults {
        match *f {
            Fault::Bit(at, bit) => {
                if let Some(b) = bytes.get_mut(subject.place(at)) {
                    *b ^= 1 << bit;
                }
            }
            Fault::Byte(at, byte) => {
                if let Some(b) = bytes.get_mut(subject.place(at)) {
                    *b = byte;
                }
            }
            Fault::End(at) => bytes.truncate(subject.place(at)),
        }
    }
    bytes
}

/// The models there are: the traps of `verification/cases`, and what `cargo xtask setup` fetched.
fn subjects() -> (Vec<Subject>, Vec<Subject>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = onnx_files(&root.join("verification/cases"));
    let real = onnx_files(&root.join("target/models"));
    if real.is_empty() {
        eprintln!("no real models: cargo xtask setup fetches them");
    }
    for suite in ["node", "simple", "pytorch-converted", "pytorch-operator", "light"] {
        let tests = root.join("target/onnx-tests").join(suite);
        let folders = std::fs::read_dir(tests).into_iter().flatten().flatten().map(|e| e.path());
        let mut models: Vec<PathBuf> = folders.map(|f| f.join("model.onnx")).filter(|p| p.is_file()).collect();
        models.sort();
        // Neighbours are variants of one operator; a third of them shows all.
        paths.extend(models.into_iter().step_by(3));
    }
    let fits = |p: &PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() <= LARGE as u64);
    let all = paths.into_iter().chain(real).filter(fits).map(|p| Subject::new(&p));
    let (small, large): (Vec<_>, Vec<_>) = all.partition(|s| s.deep);
    assert!(small.len() >= 12);
    (small, large)
}

fn onnx_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "onnx")).collect();
    paths.sort();
    paths
}

/// Runs something and refuses allocations beyond the size of the file and the limit.
fn bounded<T>(what: &str, size: usize, run: impl FnOnce() -> T) -> Result<T, TestCaseError> {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = run();
    let used = ALLOCATOR.peak_usage().saturating_sub(before);
    prop_assert!(used <= size + BEYOND, "{what} allocates {} MiB for a file of {size} bytes", used >> 20);
    Ok(result)
}

fn survive(bytes: Vec<u8>, deep: bool, through_program: bool) -> Result<(), TestCaseError> {
    let (size, bytes) = (bytes.len(), Bytes::from(bytes));
    let read = bounded("reading", size, || {
        let imported = egret_onnx::read_bytes(bytes.clone(), None, &ReadOptions::default()).ok()?;
        egret_ir::check(imported.graph).ok()
    })?;
    if !deep && !through_program {
        return Ok(());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, out) = (folder.path().join("in.onnx"), folder.path().join("out.onnx"));
    std::fs::write(&path, &bytes).expect("writable");
    if read.is_some() && deep {
        let quiet: egret::Progress<'_> = &|_| {};
        let optimized =
            bounded("optimizing", size, || egret::optimize(&path, &egret::OptimizeOptions::default(), quiet))?;
        if let Ok(model) = optimized {
            let bytes = model.bytes().map_err(|e| TestCaseError::fail(e.to_string()))?;
            let again = egret_onnx::read_bytes(bytes.into(), None, &ReadOptions::default());
            prop_assert!(again.is_ok(), "the optimized model does not read: {:?}", again.err());
        }
        let level = egret::Level::C;
        let _ = bounded("compiling", size, || egret::lower(&path, level, &egret::CompileOptions::default(), quiet))?;
    }
    if through_program {
        let mut program = Command::new(env!("CARGO_BIN_EXE_egret"));
        let done = program.args(["optimize", "--quiet"]).arg(&path).arg("-o").arg(&out).output().expect("starts");
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        match done.status.code() {
            Some(0) => {
                prop_assert_eq!(left, 2, "the result and nothing else");
                prop_assert!(egret_onnx::read(&out, &ReadOptions::default()).is_ok(), "the result does not read");
            }
            Some(2 | 3) => prop_assert_eq!(left, 1, "a failed run left a file"),
            other => prop_assert!(false, "exit {other:?}: {}", String::from_utf8_lossy(&done.stderr)),
        }
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

#[test]
fn spoiled_models_give_errors() {
    let (small, large) = subjects();
    let cases = setting("EGRET_FUZZ_CASES", 300) as u32;
    let seed = setting("EGRET_FUZZ_SEED", 1);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 100, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    // Two thirds on small models, which go all the way.
    let which = (0..3u8, any::<prop::sample::Index>(), 0..PROGRAM);
    let strategy = (which, prop::collection::vec(fault(), 1..5));
    let chosen = |(set, index, _): &(u8, prop::sample::Index, u32)| {
        let list = if *set == 0 && !large.is_empty() { &large } else { &small };
        &list[index.index(list.len())]
    };
    let done = std::cell::Cell::new(0);
    let result = runner.run(&strategy, |(which, faults)| {
        let subject = chosen(&which);
        if done.replace(done.get() + 1) % REPORT == REPORT - 1 && cases > REPORT {
            eprintln!("{} of {cases}", done.get());
        }
        survive(spoil(subject, &faults), subject.deep, which.2 == 0)
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, (which, faults))) => panic!("{}: {faults:?}: {reason}", chosen(&which).name),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}
