//! The formats that models come in: one row per frontend. `docs/adding-a-frontend.md` says how to add one.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egret_ir::{ByName, Graph, Symbol, ValueId, text};
use egret_onnx::Imported;
use egret_onnx::external::{self, Files};
use egret_verification::checks::Step;
use egret_verification::{Model, Original};

use crate::{Binding, Error, Result};

/// One row.
pub struct Frontend {
    /// The format, for people.
    pub name: &'static str,
    /// File extensions, in lower case.
    pub extensions: &'static [&'static str],
    /// Whether a file of another extension that starts so is of this format.
    pub magic: fn(&[u8]) -> bool,
    /// Reads a file into a graph. What is not ONNX has no sites ([`Imported::of_graph`]).
    pub read: fn(&Path, &Binding) -> Result<Source>,
    /// Reads a file with what engines need to run it, for verification.
    pub model: fn(&Path, &Binding) -> Result<Model>,
}

/// What reading gives.
pub struct Source {
    /// The graph and what is beside it.
    pub imported: Imported,
    /// Data files of the model beside the file itself.
    pub used: Vec<PathBuf>,
}

/// All frontends. The first takes what no other one knows.
pub const FRONTENDS: &[Frontend] = &[
    Frontend {
        name: "ONNX",
        extensions: &["onnx"],
        magic: |_| false,
        read: read_onnx,
        model: |path, binding| Model::read(path, binding).map_err(Error::read(path)),
    },
    Frontend {
        name: "TFLite",
        extensions: &["tflite"],
        magic: |head| head.get(4..8) == Some(egret_tflite::MAGIC),
        read: |path, binding| Ok(Source { imported: of_tflite(tflite(path, binding)?), used: Vec::new() }),
        model: |path, binding| {
            let read = tflite(path, binding)?;
            let names = |list: &[Arc<str>]| list.iter().map(ToString::to_string).collect();
            let step = |s: &egret_tflite::Site| Step {
                name: s.place.name.clone(),
                op: s.place.op.clone(),
                reads: names(&s.reads),
                writes: names(&s.writes),
            };
            let steps = read.sites.iter().map(step).collect();
            let original = Original::TfLite { path: path.to_owned(), tensors: names(&read.tensors), steps };
            Ok(Model::of(&path.display().to_string(), of_tflite(read), original))
        },
    },
    Frontend {
        name: "Egret text",
        extensions: &["egret"],
        magic: |head| head.trim_ascii_start().starts_with(b"graph \""),
        read: |path, binding| Ok(Source { imported: read_text(path, binding)?, used: Vec::new() }),
        model: |path, binding| Ok(Model::of(&path.display().to_string(), read_text(path, binding)?, Original::Text)),
    },
];

/// The row for a file: by its extension, else by its first bytes, else ONNX.
pub fn of(path: &Path) -> &'static Frontend {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let named = FRONTENDS.iter().find(|f| f.extensions.contains(&extension.as_str()));
    named.unwrap_or_else(|| {
        let mut head = Vec::new();
        // A file that cannot be opened is told by its reader.
        if let Ok(file) = std::fs::File::open(path) {
            let _ = file.take(64).read_to_end(&mut head);
        }
        FRONTENDS.iter().find(|f| (f.magic)(&head)).unwrap_or(&FRONTENDS[0])
    })
}

/// Reads a model of any format.
pub fn source(path: &Path, binding: &Binding) -> Result<Source> {
    (of(path).read)(path, binding)
}

/// Reads a model of any format as a graph.
pub fn read(path: &Path, binding: &Binding) -> Result<Imported> {
    Ok(source(path, binding)?.imported)
}

/// Reads a model of any format, with what engines need to run it.
pub fn model(path: &Path, binding: &Binding) -> Result<Model> {
    (of(path).model)(path, binding)
}

/// What is odd about a model and was passed over: every command that reads one tells it.
pub fn warnings(imported: &Imported) -> Vec<String> {
    imported.warnings.iter().map(ToString::to_string).collect()
}

fn read_onnx(path: &Path, binding: &Binding) -> Result<Source> {
    let failed = || Error::read(path);
    let model = egret_onnx::open(path).map_err(failed())?;
    let mut files = Files::beside(path);
    let used = external::locations(&model).iter().filter_map(|l| files.path(l).ok()).collect();
    let imported = egret_onnx::read_model(model, &mut files, binding).map_err(failed())?;
    Ok(Source { imported, used })
}

/// `--value` fixes inputs of ONNX models alone.
fn without_values(path: &Path, binding: &Binding) -> Result<()> {
    match binding.values.first() {
        None => Ok(()),
        Some((name, _)) => Err(Error::Usage(format!(
            "--value {name}: {} is no ONNX model, whose inputs alone it fixes",
            path.display()
        ))),
    }
}

/// Notes the bounds of `--dim NAME=LO..HI` beside the symbols of a graph that its frontend left open.
fn bounded(path: &Path, graph: &mut Graph, ranges: &[(String, i64, i64)]) -> Result<()> {
    for (name, lo, hi) in ranges {
        let symbol = Symbol::new(name);
        if !mentions(graph, &symbol) {
            let problems = vec![format!("--dim: the model has no dimension {name:?}")];
            return Err(Error::Read { path: path.to_owned(), problems });
        }
        let info = graph.tables.symbols.0.entry(symbol).or_default();
        (info.min, info.max) = (*lo, *hi);
    }
    Ok(())
}

fn of_tflite(read: egret_tflite::Imported) -> Imported {
    let nodes = read.sites.len();
    Imported::of_graph(read.graph, read.values, read.bound, nodes)
}

fn tflite(path: &Path, binding: &Binding) -> Result<egret_tflite::Imported> {
    without_values(path, binding)?;
    let options = egret_tflite::ReadOptions { dims: binding.dims.clone(), shapes: binding.shapes.clone() };
    let mut read = egret_tflite::read(path, &options).map_err(|e| {
        let problems: Vec<String> = e.problems.iter().map(ToString::to_string).collect();
        let path = path.to_owned();
        if e.is_unsupported() { Error::UnsupportedModel { path, problems } } else { Error::Read { path, problems } }
    })?;
    bounded(path, &mut read.graph, &binding.ranges)?;
    Ok(read)
}

/// A graph in Egret's own text form. Its symbols are what `--dim` binds; `--shape` gives those of an input by place.
fn read_text(path: &Path, binding: &Binding) -> Result<Imported> {
    without_values(path, binding)?;
    let wrong = |problem: String| Error::Read { path: path.to_owned(), problems: vec![problem] };
    let source = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let told = |e: text::ParseError| {
        let hint = if e.problem.contains("refers to it") {
            "; `egret lower MODEL --to graph --weights` prints a complete model"
        } else {
            ""
        };
        wrong(format!("{e}{hint}"))
    };
    let mut graph = text::parse(&source).map_err(told)?;
    let mut bound = std::collections::BTreeMap::new();
    let mut bind = |option: &str, symbol: Symbol, n: i64| match bound.insert(symbol.clone(), n) {
        Some(old) if old != n => Err(wrong(format!("{option}: {}={n}, bound to {old} before", symbol.name()))),
        _ => Ok(()),
    };
    for (name, n) in &binding.dims {
        let symbol = Symbol::new(name);
        if !mentions(&graph, &symbol) {
            return Err(wrong(format!("--dim: the model has no dimension {name:?}")));
        }
        bind("--dim", symbol, *n)?;
    }
    for (name, extents) in &binding.shapes {
        let declared = graph.inputs.iter().find(|i| *i.name == **name).and_then(|i| i.ty.as_tensor());
        let Some(declared) = declared else { return Err(wrong(format!("--shape: the model has no input {name:?}"))) };
        let conflict = || wrong(format!("--shape: {name}={extents:?} contradicts the model's {declared}"));
        if declared.rank() != extents.len() {
            return Err(conflict());
        }
        for (d, n) in declared.shape.iter().zip(extents) {
            match (d.as_symbol(), d.as_const()) {
                (Some(symbol), _) => bind("--shape", symbol.clone(), *n)?,
                (None, Some(c)) if c == *n => {}
                (None, _) => return Err(conflict()),
            }
        }
    }
    if !bound.is_empty() {
        graph = text::parse_bound(&source, &|s| bound.get(s).copied()).map_err(told)?;
    }
    bounded(path, &mut graph, &binding.ranges)?;
    let names = names(&graph);
    let source = |op: &egret_ir::Op| matches!(op, egret_ir::Op::Input(_) | egret_ir::Op::Const(_));
    let nodes = graph.nodes().iter().filter(|n| !source(&n.op)).count();
    Ok(Imported::of_graph(graph, names, bound, nodes))
}

/// Whether an input's type mentions a symbol.
fn mentions(graph: &Graph, symbol: &Symbol) -> bool {
    let mut found = false;
    for d in graph.inputs.iter().filter_map(|i| i.ty.as_tensor()).flat_map(|t| &t.shape) {
        d.symbols(&mut |s| found |= s == symbol);
    }
    found
}

/// The values that a text names: inputs and outputs.
fn names(graph: &Graph) -> ByName<ValueId> {
    let mut names = ByName::default();
    for v in graph.values() {
        if let egret_ir::Op::Input(i) = graph.node(v).op {
            names.insert(graph.inputs[i as usize].name.clone(), v);
        }
    }
    for o in &graph.outputs {
        names.entry(o.name.clone()).or_insert(o.value);
    }
    names
}
