//! What runs models: one trait, a row per engine. Every engine takes named tensors and gives named tensors; what differs
//! is which inner values it can show.

use std::collections::BTreeMap;

use egret_ir::Tensor;

use crate::compiled::CompiledError;
use crate::interpreter::InterpreterError;
#[cfg(feature = "libtorch")]
use crate::libtorch::LibTorchError;
use crate::litert::LiteRtError;
use crate::onnxruntime::OrtError;

/// Tensors by name, in order.
pub type Named = Vec<(String, Tensor)>;

/// The inner values a run should show besides the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taps {
    /// None.
    Outputs,
    /// Every value the engine can show.
    All,
}

/// What a run gave.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The outputs, in the model's order.
    pub outputs: Named,
    /// Inner values by name, as far as the engine shows them. Outputs are among them.
    pub taps: BTreeMap<String, Tensor>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// ONNX Runtime.
    #[error(transparent)]
    OnnxRuntime(#[from] OrtError),
    /// The interpreter.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// A compiled library.
    #[error(transparent)]
    Compiled(#[from] CompiledError),
    /// LiteRT.
    #[error(transparent)]
    LiteRt(#[from] LiteRtError),
    /// LibTorch.
    #[cfg(feature = "libtorch")]
    #[error(transparent)]
    LibTorch(#[from] LibTorchError),
}

/// An engine with a model in it.
pub trait Executor {
    /// The engine's name, as `--engine` takes it.
    fn name(&self) -> &'static str;

    /// The name of the row set in `profiles/` that describes its rounding.
    fn profile(&self) -> &'static str;

    /// Runs the model once. Inputs with a default may be left out.
    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> Result<Run, ExecError>;
}
