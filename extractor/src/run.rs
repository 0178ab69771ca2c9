//! A program evaluated by the interpreter, step by step: what compiled programs are compared with.

use egret_ir::eval::{Bindings, EvalError, Trap, native_within};
use egret_ir::program::{Branch, BufferId, Kernel, Program, Repeat, Source, Step, SymbolValue, Trips};
use egret_ir::tensor::TensorError;
use egret_ir::{Literal, Tensor};

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
    /// An extent out of its bounds, or without a value.
    #[error("extent {symbol} is {value}, its bounds are {min}..{max}")]
    Bounds {
        /// The symbol.
        symbol: String,
        /// Its value.
        value: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A trip count that has no value.
    #[error("loop `{step}`: {cause}")]
    Trips {
        /// The loop.
        step: String,
        /// Why.
        cause: Trap,
    },
    /// Slices of different shapes, or a slice outside.
    #[error("loop `{step}`: {cause}")]
    Slices {
        /// The loop.
        step: String,
        /// Why.
        cause: TensorError,
    },
}

/// The contents of every buffer, in the declared types, for the given inputs in order.
pub fn run_program(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    let state = State::run(program, inputs, &Bindings::default())?;
    let filled = state.buffers.into_iter().zip(&program.buffers);
    filled.map(|(t, b)| t.ok_or_else(|| RunError::Unwritten(b.name.to_string()))).collect()
}

/// The results of a program, in the model's order.
pub fn run_outputs(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    State::run(program, inputs, &Bindings::default())?.outputs()
}

struct State<'a> {
    program: &'a Program,
    buffers: Vec<Option<Tensor>>,
    bindings: Bindings,
}

impl<'a> State<'a> {
    fn run(program: &'a Program, inputs: &[Tensor], outer: &Bindings) -> Result<Self, RunError> {
        if inputs.len() != program.inputs.len() {
            return Err(RunError::Inputs { expected: program.inputs.len(), got: inputs.len() });
        }
        let fill = |source: &Source| match source {
            Source::Input(i) => inputs.get(*i).cloned(),
            Source::Constant(t) => Some(t.clone()),
            Source::Step(_) => None,
        };
        let buffers = program.buffers.iter().map(|b| fill(&b.source)).collect();
        let mut state = Self { program, buffers, bindings: outer.clone() };
        state.bind(None)?;
        for (k, step) in program.steps.iter().enumerate() {
            let results = match step {
                Step::Kernel(kernel) => state.kernel(kernel)?,
                Step::If(branch) => state.branch(branch)?,
                Step::Loop(repeat) => state.repeat(repeat)?,
            };
            for (b, t) in step.writes().iter().zip(results) {
                state.buffers[b.index()] = Some(t);
            }
            state.bind(Some(k))?;
        }
        Ok(state)
    }

    fn read(&self, b: BufferId) -> Result<Tensor, RunError> {
        let unwritten = || RunError::Unwritten(self.program.buffer(b).name.to_string());
        self.buffers[b.index()].clone().ok_or_else(unwritten)
    }

    fn read_all(&self, list: &[BufferId]) -> Result<Vec<Tensor>, RunError> {
        list.iter().map(|b| self.read(*b)).collect()
    }

    /// Gives values to the symbols that are known at the start (None) or after a step.
    fn bind(&mut self, after: Option<usize>) -> Result<(), RunError> {
        let program = self.program;
        let now = |b: BufferId| match program.buffer(b).source {
            Source::Step(k) => after == Some(k),
            Source::Input(_) | Source::Constant(_) => after.is_none(),
        };
        for s in &program.symbols {
            let value = match s.value {
                SymbolValue::Axis { input, axis } if after.is_none() => {
                    Some(self.read(program.inputs[input].buffer)?.shape()[axis] as i64)
                }
                SymbolValue::Number(b) if now(b) => self.read(b)?.to_i64().and_then(|n| n.first().copied()),
                SymbolValue::Result { buffer, axis } if now(buffer) => Some(self.read(buffer)?.shape()[axis] as i64),
                SymbolValue::Outer | SymbolValue::Axis { .. } | SymbolValue::Number(_) | SymbolValue::Result { .. } => {
                    None
                }
            };
            let Some(value) = value else { continue };
            if value < s.info.min || value > s.info.max {
                let (symbol, min, max) = (s.symbol.to_string(), s.info.min, s.info.max);
                return Err(RunError::Bounds { symbol, value, min, max });
            }
            self.bindings.set(&s.symbol, value);
        }
        Ok(())
    }

    fn outputs(&self) -> Result<Vec<Tensor>, RunError> {
        self.program.outputs.iter().map(|p| self.read(p.buffer)).collect()
    }

    fn kernel(&self, kernel: &Kernel) -> Result<Vec<Tensor>, RunError> {
        let inputs = self.read_all(&kernel.reads)?;
        native_within(&kernel.body, &inputs, &self.bindings)
            .map_err(|cause| RunError::Kernel { kernel: kernel.name.to_string(), cause: Box::new(cause) })
    }

    fn branch(&self, branch: &Branch) -> Result<Vec<Tensor>, RunError> {
        let body = if truth(&self.read(branch.condition)?) { &branch.then } else { &branch.otherwise };
        State::run(body, &self.read_all(&branch.reads)?, &self.bindings)?.outputs()
    }

    fn repeat(&self, r: &Repeat) -> Result<Vec<Tensor>, RunError> {
        let failed = |cause| RunError::Slices { step: r.name.to_string(), cause };
        let trips = match &r.trips {
            Trips::Number(b) => self.read(*b)?.to_i64().and_then(|n| n.first().copied()).unwrap_or(0),
            Trips::Extent(d) => {
                self.bindings.number(d).map_err(|cause| RunError::Trips { step: r.name.to_string(), cause })?
            }
        };
        let mut going = r.condition.map(|b| self.read(b)).transpose()?.is_none_or(|t| truth(&t));
        let mut carried = self.read_all(&r.carried)?;
        let scanned = self.read_all(&r.scanned)?;
        let captures = self.read_all(&r.captures)?;
        let mut stacks: Vec<Vec<Tensor>> = vec![Vec::new(); r.writes.len() - carried.len()];
        let mut i = 0;
        while going && i < trips {
            let mut inputs = vec![Tensor::scalar(Literal::i64(i))];
            inputs.append(&mut carried);
            for x in &scanned {
                inputs.push(slice(x, i as usize).map_err(failed)?);
            }
            inputs.extend(captures.iter().cloned());
            let mut results = State::run(&r.body, &inputs, &self.bindings)?.outputs()?.into_iter();
            if r.condition.is_some() {
                going = results.next().is_some_and(|t| truth(&t));
            }
            carried.extend(results.by_ref().take(r.carried.len()));
            stacks.iter_mut().zip(results).for_each(|(stack, part)| stack.push(part));
            i += 1;
        }
        for (stack, b) in stacks.iter().zip(&r.writes[r.carried.len()..]) {
            let ty = &self.program.buffer(*b).ty;
            let inner = ty.shape[1..].iter().map(|d| self.bindings.size(d).unwrap_or(0)).collect::<Vec<_>>();
            let shape = stack.first().map_or(inner, |t| t.shape().to_vec());
            let bytes: Vec<u8> = stack.iter().flat_map(|t| t.bytes().iter().copied()).collect();
            let whole: Vec<usize> = std::iter::once(stack.len()).chain(shape).collect();
            carried.push(Tensor::new(ty.dtype, whole, bytes).map_err(failed)?);
        }
        Ok(carried)
    }
}

fn truth(t: &Tensor) -> bool {
    t.bytes().first().is_some_and(|b| *b != 0)
}

/// Slice `i` of axis 0, without the axis.
fn slice(x: &Tensor, i: usize) -> Result<Tensor, TensorError> {
    let inner = x.shape().get(1..).unwrap_or_default();
    let bytes = inner.iter().product::<usize>() * x.dtype().size();
    let part = x.bytes().get(i * bytes..(i + 1) * bytes).unwrap_or_default();
    Tensor::new(x.dtype(), inner, part.to_vec())
}
