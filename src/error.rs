//! One error type for the API, with the exit code the command line gives it.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The result of an API call.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed. Each message names the file, node or option it is about; several problems are one per line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A CPU that is not known.
    #[error("--cpu: {0}")]
    Cpu(#[from] egret_codegen_c::cpu::UnknownCpu),
    /// A model that cannot be read.
    #[error("{}: cannot be read\n{}", .path.display(), lines(.problems))]
    Read {
        /// The model.
        path: PathBuf,
        /// All problems found, each with its place.
        problems: Vec<String>,
    },
    /// A sound model that uses what its frontend does not support: the complete list.
    #[error("{}: uses what is not supported\n{}", .path.display(), lines(.problems))]
    UnsupportedModel {
        /// The model.
        path: PathBuf,
        /// One line per place.
        problems: Vec<String>,
    },
    /// A graph that `check` refuses.
    #[error("{}: the model is ill-typed\n{}", .path.display(), lines(.reports))]
    Check {
        /// The model.
        path: PathBuf,
        /// All problems found.
        reports: Vec<egret_ir::check::Report>,
    },
    /// Rule files with errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Rules(Vec<egret_rules::LoadError>),
    /// Rules that their check refuses.
    #[error("{} (--unchecked-rules runs them all the same)\n{}", wrong(.0.len()), lines(.0))]
    WrongRules(Vec<String>),
    /// A derivation that does not check: a bug of Egret, or a file that was changed.
    #[error("{}: the derivation does not check: {reason}", .path.display())]
    Derivation {
        /// The model.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The optimized model cannot be written as ONNX.
    #[error("{}: export: {error}", .path.display())]
    Export {
        /// The model.
        path: PathBuf,
        /// Why.
        error: egret_onnx::export::ExportError,
    },
    /// Operators, types or shapes that cannot be compiled: the complete list.
    #[error("{}: cannot be compiled\n{}", .path.display(), lines(.reasons))]
    Unsupported {
        /// The model.
        path: PathBuf,
        /// One line per place.
        reasons: Vec<String>,
    },
    /// No plan was found for another reason.
    #[error("{}: {error}", .path.display())]
    Plan {
        /// The model.
        path: PathBuf,
        /// Why.
        error: egret_extractor::PlanError,
    },
    /// A machine description is missing or damaged.
    #[error(transparent)]
    Machine(#[from] egret_extractor::MachineError),
    /// The C compiler failed or is missing.
    #[error(transparent)]
    Build(#[from] egret_codegen_c::BuildError),
    /// A library that cannot be loaded or run.
    #[error(transparent)]
    Library(#[from] egret_codegen_c::LaunchError),
    /// A compiled library that cannot be compared.
    #[error(transparent)]
    Compiled(#[from] egret_verification::compiled::CompiledError),
    /// A comparison that could not be made.
    #[error(transparent)]
    Verify(#[from] egret_verification::VerifyError),
    /// An engine that failed.
    #[error(transparent)]
    Exec(#[from] egret_verification::ExecError),
    /// Inputs that cannot be made.
    #[error(transparent)]
    Input(#[from] egret_verification::inputs::InputError),
    /// An array file that cannot be read or written.
    #[error(transparent)]
    Array(#[from] egret_verification::npy::NpyError),
    /// A file that cannot be written.
    #[error("{}: {reason}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

fn wrong(rules: usize) -> String {
    if rules == 1 { "a rule is wrong".to_owned() } else { format!("{rules} rules are wrong") }
}

fn lines<T: Display>(items: &[T]) -> String {
    items.iter().map(|i| format!("  {i}")).collect::<Vec<_>>().join("\n")
}

impl Error {
    /// 1 for a check that failed, 2 for bad input or usage, 3 for what is not supported.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::WrongRules(_) | Self::Derivation { .. } => 1,
            Self::Unsupported { .. } | Self::UnsupportedModel { .. } => 3,
            Self::Usage(_)
            | Self::Cpu(_)
            | Self::Read { .. }
            | Self::Check { .. }
            | Self::Rules(_)
            | Self::File { .. }
            | Self::Export { .. }
            | Self::Plan { .. }
            | Self::Machine(_)
            | Self::Build(_)
            | Self::Library(_)
            | Self::Compiled(_)
            | Self::Verify(_)
            | Self::Exec(_)
            | Self::Input(_)
            | Self::Array(_)
            | Self::Write { .. } => 2,
        }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(egret_onnx::ReadError) -> Self {
        let path = path.to_owned();
        move |e| Self::Read { path, problems: e.problems.iter().map(ToString::to_string).collect() }
    }

    pub(crate) fn plan(path: &Path) -> impl FnOnce(egret_extractor::PlanError) -> Self {
        let path = path.to_owned();
        move |error| match error {
            egret_extractor::PlanError::Unsupported(list) => {
                Self::Unsupported { path, reasons: list.iter().map(ToString::to_string).collect() }
            }
            error => Self::Plan { path, error },
        }
    }
}
