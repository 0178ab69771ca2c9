//! Programs: the chosen DAG of kernels, with every buffer typed. What passes between extractor and code generator.

use std::sync::Arc;

use crate::graph::Graph;
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::types::TensorType;

/// A buffer of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

impl BufferId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a buffer's contents come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The caller, as the input of that position.
    Input(usize),
    /// The program itself.
    Constant(Tensor),
    /// A kernel.
    Kernel(usize),
}

/// A buffer: a dense row-major tensor of static shape.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name for people (that of the ONNX value where it has one).
    pub name: Arc<str>,
    /// Its type.
    pub ty: TensorType,
    /// Where it comes from.
    pub source: Source,
}

/// A kernel: a region of the graph computed in one go. Its meaning is its body.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name for people, unique in the program, a C identifier.
    pub name: Arc<str>,
    /// What it computes: inputs in the order of `reads`, outputs in the order of `writes`. Rank-0 constants and shape
    /// values are inside; every other constant is a buffer.
    pub body: Graph,
    /// Buffers read, by input of the body.
    pub reads: Vec<BufferId>,
    /// Buffers written, by output of the body.
    pub writes: Vec<BufferId>,
    /// Where it comes from.
    pub origins: Origins,
}

/// A parameter or result of a program.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: Arc<str>,
    /// Its buffer; results may share one, or be an input's or a constant's.
    pub buffer: BufferId,
}

/// A program: kernels in execution order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Name of the model.
    pub name: Arc<str>,
    /// All buffers.
    pub buffers: Vec<Buffer>,
    /// Kernels, in an order in which every read comes after its write.
    pub kernels: Vec<Kernel>,
    /// Parameters, in the model's order; an input nobody reads keeps its place.
    pub inputs: Vec<Port>,
    /// Results, in the model's order.
    pub outputs: Vec<Port>,
}

/// Why kernels and buffers are no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A kernel reads a buffer that no earlier kernel wrote.
    #[error("kernel `{kernel}` reads `{buffer}` before it is written")]
    ReadBeforeWrite {
        /// The kernel.
        kernel: Arc<str>,
        /// The buffer.
        buffer: Arc<str>,
    },
    /// Body and buffers disagree in number or type.
    #[error("kernel `{kernel}`: {side} {position} of the body does not fit its buffer")]
    Port {
        /// The kernel.
        kernel: Arc<str>,
        /// "input" or "output".
        side: &'static str,
        /// Position.
        position: usize,
    },
    /// Two kernels of one name.
    #[error("two kernels are named `{0}`")]
    Name(Arc<str>),
    /// A buffer whose shape is not static.
    #[error("buffer `{0}` has symbolic extents")]
    Symbolic(Arc<str>),
}

impl Program {
    /// The buffer.
    pub fn buffer(&self, b: BufferId) -> &Buffer {
        &self.buffers[b.index()]
    }

    /// Checks order, types, names and that all extents are numbers; gathers all problems.
    pub fn check(&self) -> Result<(), Vec<ProgramError>> {
        let mut errors = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        for b in &self.buffers {
            if b.ty.byte_size().is_none() {
                errors.push(ProgramError::Symbolic(b.name.clone()));
            }
        }
        for (k, kernel) in self.kernels.iter().enumerate() {
            if !names.insert(kernel.name.clone()) {
                errors.push(ProgramError::Name(kernel.name.clone()));
            }
            let port = |side, position| ProgramError::Port { kernel: kernel.name.clone(), side, position };
            if kernel.reads.len() != kernel.body.inputs.len() {
                errors.push(port("input", kernel.reads.len()));
            }
            if kernel.writes.len() != kernel.body.outputs.len() {
                errors.push(port("output", kernel.writes.len()));
            }
            for (i, (b, decl)) in kernel.reads.iter().zip(&kernel.body.inputs).enumerate() {
                let buffer = self.buffer(*b);
                if decl.ty.as_tensor() != Some(&buffer.ty) {
                    errors.push(port("input", i));
                }
                if let Source::Kernel(w) = buffer.source
                    && w >= k
                {
                    errors.push(ProgramError::ReadBeforeWrite {
                        kernel: kernel.name.clone(),
                        buffer: buffer.name.clone(),
                    });
                }
            }
            for (i, (b, out)) in kernel.writes.iter().zip(&kernel.body.outputs).enumerate() {
                let buffer = self.buffer(*b);
                let fits = kernel.body.ty(out.value).as_tensor() == Some(&buffer.ty);
                if !fits || buffer.source != Source::Kernel(k) {
                    errors.push(port("output", i));
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
