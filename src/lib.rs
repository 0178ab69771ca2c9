//! Egret, a compiler for trained neural networks: the API behind the command line.
//!
//! [`optimize`] turns a model, of any format that [`frontends`] has a row for, into an equal, cheaper ONNX model.
//! [`compile`] turns it into a shared library with a C header, [`emit_c`] into a C source tree. [`verify()`] decides whether
//! two of them are equal, within bounds derived from the model; [`explain`] says why a result looks as it does. [`lower`]
//! shows a model at any level in between, [`ops()`] how much of it is modelled. `lab`, behind the feature of that name, runs
//! experiments on the optimizer.

mod compile;
mod error;
pub mod explain;
mod files;
pub mod frontends;
#[cfg(feature = "lab")]
pub mod lab;
mod lower;
mod ops;
mod optimize;
mod verify;

pub use compile::{CompileOptions, Compiled, Planned, compile, emit_c, plan};
pub use egret_onnx::store::THRESHOLD;
pub use error::{Error, Result};
pub use files::{Weights, WrittenModel, is_library, write_file, write_model};
pub use lower::{Level, lower, whole_text};
pub use ops::{Coverage, Operator, ops};
pub use optimize::{OptimizeOptions, Optimized, RuleCount, Summary, load_rules, optimize};
pub use verify::{Oracle, VerifyOptions, verify, verify_derivation};

pub use egret_codegen_c::Cpu;
pub use egret_onnx::ReadOptions as Binding;
pub use egret_onnx::foreign;
pub use egret_rules::Numeric;

/// Is told what is being done now.
pub type Progress<'a> = &'a dyn Fn(&str);
