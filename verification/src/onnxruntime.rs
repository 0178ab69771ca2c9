//! ONNX Runtime through its C library, loaded at run time. Nothing is linked; without the library every other engine works.
//!
//! The library is looked for, in order, at `EGRET_ONNXRUNTIME` and `ORT_DYLIB_PATH` (a file), and in
//! `target/onnxruntime/` of the folder the program runs in and of the folders above it and above the executable.
//!
//! To show inner values the model is rewritten: every node result becomes a graph output. At the optimization level
//! [`Level::Off`] the session then computes node by node just what the model says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use egret_ir::tensor::Element;
use egret_ir::{DType, Tensor};
use egret_onnx::external::{self, Files};
use egret_onnx::proto::{ModelProto, ValueInfoProto};
use half::{bf16, f16};
use ort::environment::Environment;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, TensorElementType, Value, ValueType};
use prost::Message;

use crate::executor::{ExecError, Executor, Run, Taps};

/// Graph optimizations of ONNX Runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// None: an oracle.
    Off,
    /// All of them: what users run, and never an oracle (it is wrong on a known graph).
    All,
}

/// Why ONNX Runtime gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum OrtError {
    /// The library is nowhere.
    #[error(
        "ONNX Runtime is not installed: set EGRET_ONNXRUNTIME to libonnxruntime.so, or run `cargo xtask setup`; looked at {}",
        looked.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    Missing {
        /// Places without it.
        looked: Vec<PathBuf>,
    },
    /// The library does not load.
    #[error("{path}: {reason}")]
    Load {
        /// The library.
        path: PathBuf,
        /// The loader's text.
        reason: String,
    },
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is no model.
    #[error(transparent)]
    Decode(#[from] egret_onnx::ReadError),
    /// External data that is not there, or outside the model's folder.
    #[error("{0}")]
    External(egret_onnx::ProblemKind),
    /// ONNX Runtime refuses the model.
    #[error("ONNX Runtime does not load the model: {0}")]
    Session(String),
    /// An input without a default was not given.
    #[error("input `{0}` is not given")]
    MissingInput(String),
    /// ONNX Runtime fails at run time.
    #[error("ONNX Runtime: {0}")]
    Run(String),
    /// An output that is no tensor of a type known here.
    #[error("ONNX Runtime: output `{name}` has the type {ty}")]
    OutputType {
        /// The output.
        name: String,
        /// ONNX Runtime's name of the type.
        ty: String,
    },
}

/// Where the library is.
pub fn library() -> Result<PathBuf, OrtError> {
    let named = ["EGRET_ONNXRUNTIME", "ORT_DYLIB_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let roots = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    let name = format!("{}onnxruntime{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let near = roots.iter().flatten().flat_map(|r| r.ancestors()).map(|r| r.join("target/onnxruntime").join(&name));
    let mut looked = Vec::new();
    for path in named.chain(near) {
        if path.is_file() {
            return Ok(path);
        }
        if !looked.contains(&path) {
            looked.push(path);
        }
    }
    Err(OrtError::Missing { looked })
}

/// The process's one environment. The library is loaded once; a failure is remembered as its text.
fn environment() -> Result<&'static Environment, OrtError> {
    static ENVIRONMENT: OnceLock<Result<Environment, (PathBuf, String)>> = OnceLock::new();
    let path = library()?;
    let made = ENVIRONMENT.get_or_init(|| {
        let failed = |e: &dyn std::fmt::Display| (path.clone(), e.to_string());
        let env = ort::init_from(&path).map_err(|e| failed(&e))?.with_name("egret").with_telemetry(false);
        let env = env.build().map_err(|e| failed(&e))?;
        env.set_log_level(ort::logging::LogLevel::Fatal);
        Ok(env)
    });
    made.as_ref().map_err(|(path, reason)| OrtError::Load { path: path.clone(), reason: reason.clone() })
}

/// The version of the library found: the name of its symbol version (`VERS_1.32.0`), else what it says of its build.
pub fn version() -> Result<String, OrtError> {
    environment()?;
    let path = library()?;
    let bytes = std::fs::read(&path).map_err(|source| OrtError::File { path, source })?;
    const MARK: &[u8] = b"VERS_";
    let named = bytes.windows(MARK.len()).enumerate().filter(|(_, w)| *w == MARK).find_map(|(i, _)| {
        let rest = &bytes[i + MARK.len()..];
        let end = rest.iter().position(|b| !b.is_ascii_digit() && *b != b'.')?;
        let number = std::str::from_utf8(&rest[..end]).ok()?;
        (number.split('.').count() == 3).then(|| number.to_owned())
    });
    Ok(named.unwrap_or_else(|| ort::info().to_owned()))
}

/// How a session is set up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Graph optimizations.
    pub level: Level,
    /// Threads inside one operator.
    pub threads: usize,
}

/// A model in ONNX Runtime. Sessions are made on first use, one with inner values shown and one without.
pub struct OnnxRuntime {
    model: ModelProto,
    files: Files,
    options: Options,
    plain: Option<Session>,
    tapped: Option<Session>,
}

impl OnnxRuntime {
    /// The model of a file; its external data is looked for beside it.
    pub fn open(path: &Path, options: Options) -> Result<Self, OrtError> {
        Ok(Self::new(egret_onnx::open(path)?, Files::beside(path), options))
    }

    /// A decoded model, with its external data.
    pub fn new(model: ModelProto, files: Files, options: Options) -> Self {
        Self { model, files, options, plain: None, tapped: None }
    }

    /// The model.
    pub fn model(&self) -> &ModelProto {
        &self.model
    }

    fn session(&mut self, taps: Taps) -> Result<&mut Session, OrtError> {
        let slot = match taps {
            Taps::Outputs => &mut self.plain,
            Taps::All => &mut self.tapped,
        };
        if slot.is_none() {
            let bytes = match taps {
                Taps::Outputs => self.model.encode_to_vec(),
                Taps::All => every_tensor_out(&self.model).encode_to_vec(),
            };
            *slot = Some(commit(&bytes, external_files(&self.model, &mut self.files)?, self.options)?);
        }
        // The slot was filled just above.
        slot.as_mut().ok_or_else(|| OrtError::Session("no session".to_owned()))
    }
}

/// The model with every result of every node of the main graph as a graph output, after the original ones.
pub fn every_tensor_out(model: &ModelProto) -> ModelProto {
    let mut model = model.clone();
    if let Some(graph) = &mut model.graph {
        let known: BTreeSet<String> = graph.output.iter().map(|o| o.name().to_owned()).collect();
        let results = graph.node.iter().flat_map(|n| &n.output).filter(|n| !n.is_empty() && !known.contains(*n));
        let extra: Vec<ValueInfoProto> =
            results.map(|name| ValueInfoProto { name: Some(name.clone()), ..Default::default() }).collect();
        graph.output.extend(extra);
    }
    model
}

/// The data files of a model with their contents. The session wants them in memory of its own.
fn external_files(model: &ModelProto, files: &mut Files) -> Result<Vec<(String, Arc<[u8]>)>, OrtError> {
    let read = |location: String| {
        let bytes = files.file(&location).map_err(OrtError::External)?;
        Ok((location, Arc::from(&bytes[..])))
    };
    external::locations(model).into_iter().map(read).collect()
}

fn commit(bytes: &[u8], external: Vec<(String, Arc<[u8]>)>, options: Options) -> Result<Session, OrtError> {
    let failed = |e: &dyn std::fmt::Display| OrtError::Session(e.to_string());
    let level = match options.level {
        Level::Off => GraphOptimizationLevel::Disable,
        Level::All => GraphOptimizationLevel::All,
    };
    let mut builder = Session::builder(environment()?)
        .map_err(|e| failed(&e))?
        .with_optimization_level(level)
        .map_err(|e| failed(&e))?
        .with_intra_threads(options.threads.max(1))
        .map_err(|e| failed(&e))?
        .with_inter_threads(1)
        .map_err(|e| failed(&e))?
        .with_log_level(ort::logging::LogLevel::Fatal)
        .map_err(|e| failed(&e))?;
    for (name, bytes) in external {
        builder = builder.with_external_initializer_file_in_memory(name, bytes).map_err(|e| failed(&e))?;
    }
    builder.commit_from_memory(bytes).map_err(|e| failed(&e))
}

impl Executor for OnnxRuntime {
    fn name(&self) -> &'static str {
        "onnxruntime"
    }

    fn profile(&self) -> &'static str {
        "onnxruntime"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> Result<Run, ExecError> {
        let wanted = self.model.graph.as_ref().map_or(0, |g| g.output.len());
        let session = self.session(taps)?;
        let mut values: Vec<(String, SessionInputValue<'_>)> = Vec::with_capacity(inputs.len());
        for (name, t) in inputs {
            // An input no node reads is none to a session; passing it would be an error.
            if session.inputs().iter().any(|i| i.name() == name)
                || session.overridable_initializers().iter().any(|i| i.name() == name)
            {
                values.push((name.clone(), to_ort(t)?.into()));
            }
        }
        if let Some(missing) = session.inputs().iter().find(|i| !values.iter().any(|(n, _)| n == i.name())) {
            return Err(OrtError::MissingInput(missing.name().to_owned()).into());
        }
        let outputs = session.run(values).map_err(|e| OrtError::Run(e.to_string()))?;
        let mut run = Run::default();
        for (i, (name, value)) in outputs.iter().enumerate() {
            let tensor = from_ort(name, &value);
            if i < wanted {
                run.outputs.push((name.to_owned(), tensor?));
            } else if let Ok(t) = tensor {
                // Inner sequences, maps and strings cannot be compared here; they are not shown.
                run.taps.insert(name.to_owned(), t);
            }
        }
        if taps == Taps::All {
            run.taps.extend(run.outputs.iter().cloned());
        }
        Ok(run)
    }
}

fn to_ort(t: &Tensor) -> Result<DynValue, OrtError> {
    fn make<T>(t: &Tensor) -> Result<DynValue, OrtError>
    where
        T: Element + ort::value::PrimitiveTensorElementType + std::fmt::Debug + Clone,
    {
        let shape: Vec<i64> = t.shape().iter().map(|d| *d as i64).collect();
        let data: Vec<T> = t.to_vec().unwrap_or_default();
        if data.is_empty() {
            let made = ort::value::Tensor::<T>::new(&ort::memory::Allocator::default(), shape);
            return made.map(Value::into_dyn).map_err(|e| OrtError::Run(e.to_string()));
        }
        Value::from_array((shape, data)).map(Value::into_dyn).map_err(|e| OrtError::Run(e.to_string()))
    }
    match t.dtype() {
        DType::F16 => make::<f16>(t),
        DType::BF16 => make::<bf16>(t),
        DType::F32 => make::<f32>(t),
        DType::F64 => make::<f64>(t),
        DType::I8 => make::<i8>(t),
        DType::I16 => make::<i16>(t),
        DType::I32 => make::<i32>(t),
        DType::I64 => make::<i64>(t),
        DType::U8 => make::<u8>(t),
        DType::U16 => make::<u16>(t),
        DType::U32 => make::<u32>(t),
        DType::U64 => make::<u64>(t),
        DType::Bool => make::<bool>(t),
    }
}

fn from_ort(name: &str, value: &Value) -> Result<Tensor, OrtError> {
    fn take<T>(value: &Value) -> Result<Tensor, OrtError>
    where
        T: Element + ort::value::PrimitiveTensorElementType,
    {
        let (shape, data) = value.try_extract_tensor::<T>().map_err(|e| OrtError::Run(e.to_string()))?;
        let shape: Vec<usize> = shape.iter().map(|d| *d as usize).collect();
        Tensor::from_slice(shape, data).map_err(|e| OrtError::Run(e.to_string()))
    }
    let other = |ty: String| OrtError::OutputType { name: name.to_owned(), ty };
    let ValueType::Tensor { ty, .. } = value.dtype() else { return Err(other(value.dtype().to_string())) };
    match ty {
        TensorElementType::Float16 => take::<f16>(value),
        TensorElementType::Bfloat16 => take::<bf16>(value),
        TensorElementType::Float32 => take::<f32>(value),
        TensorElementType::Float64 => take::<f64>(value),
        TensorElementType::Int8 => take::<i8>(value),
        TensorElementType::Int16 => take::<i16>(value),
        TensorElementType::Int32 => take::<i32>(value),
        TensorElementType::Int64 => take::<i64>(value),
        TensorElementType::Uint8 => take::<u8>(value),
        TensorElementType::Uint16 => take::<u16>(value),
        TensorElementType::Uint32 => take::<u32>(value),
        TensorElementType::Uint64 => take::<u64>(value),
        TensorElementType::Bool => take::<bool>(value),
        unknown => Err(other(unknown.to_string())),
    }
}
