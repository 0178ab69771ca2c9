//! A program evaluated by the interpreter, kernel by kernel: what compiled kernels are compared with.

use egret_ir::Tensor;
use egret_ir::eval::{EvalError, native};
use egret_ir::program::{Kernel, Program, Source};

/// Why a program cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// A wrong number of inputs.
    #[error("the program takes {expected} inputs, got {got}")]
    Inputs {
        /// Inputs it takes.
        expected: usize,
        /// Inputs given.
        got: usize,
    },
    /// A kernel whose evaluation fails.
    #[error("kernel `{kernel}`: {cause}")]
    Kernel {
        /// The kernel.
        kernel: String,
        /// Why.
        cause: Box<EvalError>,
    },
    /// A buffer that nothing filled.
    #[error("buffer `{0}` is read before it is written")]
    Unwritten(String),
}

/// The contents of every buffer, in the declared types, for the given inputs in order.
pub fn run_program(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    let mut buffers: Vec<Option<Tensor>> = vec![None; program.buffers.len()];
    if inputs.len() != program.inputs.len() {
        return Err(RunError::Inputs { expected: program.inputs.len(), got: inputs.len() });
    }
    for (slot, buffer) in buffers.iter_mut().zip(&program.buffers) {
        *slot = match &buffer.source {
            Source::Input(i) => inputs.get(*i).cloned(),
            Source::Constant(t) => Some(t.clone()),
            Source::Kernel(_) => None,
        };
    }
    for kernel in &program.kernels {
        let outputs = run_kernel(program, kernel, &buffers)?;
        for (b, t) in kernel.writes.iter().zip(outputs) {
            buffers[b.index()] = Some(t);
        }
    }
    let filled = buffers.into_iter().zip(&program.buffers);
    filled.map(|(t, b)| t.ok_or_else(|| RunError::Unwritten(b.name.to_string()))).collect()
}

/// The results of one kernel, given the buffers so far.
pub fn run_kernel(program: &Program, kernel: &Kernel, buffers: &[Option<Tensor>]) -> Result<Vec<Tensor>, RunError> {
    let read = |b: &egret_ir::program::BufferId| {
        buffers[b.index()].clone().ok_or_else(|| RunError::Unwritten(program.buffer(*b).name.to_string()))
    };
    let inputs = kernel.reads.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    native(&kernel.body, &inputs)
        .map_err(|cause| RunError::Kernel { kernel: kernel.name.to_string(), cause: Box::new(cause) })
}

/// The results of a program, in the model's order.
pub fn run_outputs(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    let buffers = run_program(program, inputs)?;
    Ok(program.outputs.iter().map(|p| buffers[p.buffer.index()].clone()).collect())
}
