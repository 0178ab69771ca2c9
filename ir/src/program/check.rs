//! Whether buffers, steps and symbols are a program.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{
    Branch, BufferId, FrameSymbol, Kernel, Known, Program, Repeat, Source, Step, SymbolValue, Trips, requirements,
    symbols_of,
};
use crate::dim::{Dim, Symbol};
use crate::dtype::DType;
use crate::types::TensorType;

/// Why buffers, steps and symbols are no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A step reads a buffer that no earlier step wrote.
    #[error("step `{step}` reads `{buffer}` before it is written")]
    ReadBeforeWrite {
        /// The step.
        step: Arc<str>,
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A body and the buffers around it disagree in number or type.
    #[error("step `{step}`: {side} {position} of the body does not fit its buffer")]
    Port {
        /// The step.
        step: Arc<str>,
        /// "input", "output" or what else the buffer is for.
        side: &'static str,
        /// Position.
        position: usize,
    },
    /// Two steps of one name.
    #[error("two steps are named `{0}`")]
    Name(Arc<str>),
    /// A buffer of more bytes than an address space.
    #[error("buffer `{0}` is too large")]
    TooLarge(Arc<str>),
    /// A symbol that something needs before its value is known, or that has no value at all.
    #[error("`{at}` mentions the extent {symbol} before it is known")]
    Unknown {
        /// Buffer or step.
        at: Arc<str>,
        /// The symbol.
        symbol: Symbol,
    },
    /// A symbol whose value does not come from where the frame says.
    #[error("the value of the extent {0} does not come from where the frame says")]
    SymbolValue(Symbol),
    /// Two entries of the frame for one symbol.
    #[error("the extent {0} is twice in the frame")]
    SymbolTwice(Symbol),
    /// Symbols that are not in the order in which they become known, axes of inputs first.
    #[error("the extents of the frame are out of order at {0}")]
    SymbolOrder(Symbol),
    /// A fault inside a branch or a loop.
    #[error("in `{step}`: {error}")]
    Inside {
        /// The step.
        step: Arc<str>,
        /// The fault.
        error: Box<Self>,
    },
}

impl Program {
    /// Checks order, types, names and that all symbols are known in time; gathers all problems.
    pub fn check(&self) -> Result<(), Vec<ProgramError>> {
        let mut c = Checker { program: self, errors: Vec::new() };
        c.frame();
        c.buffers();
        let mut names = BTreeSet::new();
        for (k, step) in self.steps.iter().enumerate() {
            if !names.insert(step.name().clone()) {
                c.errors.push(ProgramError::Name(step.name().clone()));
            }
            c.step(k, step);
        }
        if c.errors.is_empty() { Ok(()) } else { Err(c.errors) }
    }
}

/// Whether values of one type may be passed as the other: equal but for extents that are no numbers.
fn may_pass(a: &TensorType, b: &TensorType) -> bool {
    let axes = || a.shape.iter().zip(&b.shape);
    a.dtype == b.dtype
        && a.rank() == b.rank()
        && axes().all(|(x, y)| x.as_const().zip(y.as_const()).is_none_or(|(x, y)| x == y))
}

struct Checker<'a> {
    program: &'a Program,
    errors: Vec<ProgramError>,
}

impl Checker<'_> {
    fn frame(&mut self) {
        let mut seen = BTreeSet::new();
        let key = |s: &FrameSymbol| (self.program.symbol_known(s), !matches!(s.value, SymbolValue::Axis { .. }));
        for pair in self.program.symbols.windows(2) {
            if key(&pair[0]) > key(&pair[1]) {
                self.errors.push(ProgramError::SymbolOrder(pair[1].symbol.clone()));
            }
        }
        for s in &self.program.symbols {
            if !seen.insert(&s.symbol) {
                self.errors.push(ProgramError::SymbolTwice(s.symbol.clone()));
            }
            if !self.sound(s) {
                self.errors.push(ProgramError::SymbolValue(s.symbol.clone()));
            }
        }
    }

    fn sound(&self, s: &FrameSymbol) -> bool {
        let p = self.program;
        let is_symbol = |b: BufferId, axis: usize| {
            let shape = p.buffers.get(b.index()).map(|b| &b.ty.shape);
            shape.and_then(|shape| shape.get(axis)).is_some_and(|d| d.as_symbol() == Some(&s.symbol))
        };
        match s.value {
            SymbolValue::Axis { input, axis } => p.inputs.get(input).is_some_and(|port| is_symbol(port.buffer, axis)),
            SymbolValue::Number(b) => {
                p.buffers.get(b.index()).is_some_and(|b| b.ty.dtype == DType::I64 && b.ty.rank() == 0)
            }
            SymbolValue::Result { buffer, axis } => {
                let step = p.buffers.get(buffer.index()).and_then(|b| match b.source {
                    Source::Step(k) => p.steps.get(k),
                    Source::Input(_) | Source::Constant(_) => None,
                });
                matches!(step, Some(Step::If(_) | Step::Loop(_))) && is_symbol(buffer, axis)
            }
            SymbolValue::Outer => true,
        }
    }

    /// Reports the symbols of an expression that are not known at `limit`.
    fn timely(&mut self, at: &Arc<str>, d: &Dim, limit: Known) {
        let mut late = Vec::new();
        d.symbols(&mut |s| {
            let known = self.program.symbol(s).map(|i| self.program.symbol_known(&self.program.symbols[i]));
            if known.is_none_or(|k| k > limit) {
                late.push(s.clone());
            }
        });
        for symbol in late {
            let error = ProgramError::Unknown { at: at.clone(), symbol };
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
    }

    fn buffers(&mut self) {
        for b in &self.program.buffers {
            let size = b.ty.static_shape().map(|_| b.ty.byte_size());
            if size.is_some_and(|bytes| bytes.is_none_or(|n| n > isize::MAX as usize)) {
                self.errors.push(ProgramError::TooLarge(b.name.clone()));
            }
            let limit = match b.source {
                Source::Input(_) | Source::Constant(_) => Known::AtStart,
                // A kernel's results are allocated before it runs; what a branch or a loop gives shows afterwards.
                Source::Step(k) => match self.program.steps.get(k) {
                    Some(Step::Kernel(_)) => k.checked_sub(1).map_or(Known::AtStart, Known::After),
                    Some(Step::If(_) | Step::Loop(_)) | None => Known::After(k),
                },
            };
            for d in &b.ty.shape {
                self.timely(&b.name, d, limit);
            }
        }
    }

    fn step(&mut self, k: usize, step: &Step) {
        for b in step.reads() {
            if !self.program.filled(b).before(k) {
                let buffer = self.program.buffer(b).name.clone();
                self.errors.push(ProgramError::ReadBeforeWrite { step: step.name().clone(), buffer });
            }
        }
        for (i, b) in step.writes().iter().enumerate() {
            if self.program.buffer(*b).source != Source::Step(k) {
                self.port(step.name(), "output", i);
            }
        }
        match step {
            Step::Kernel(kernel) => self.kernel(k, kernel),
            Step::If(branch) => self.branch(k, branch),
            Step::Loop(repeat) => self.repeat(k, repeat),
        }
    }

    fn port(&mut self, step: &Arc<str>, side: &'static str, position: usize) {
        self.errors.push(ProgramError::Port { step: step.clone(), side, position });
    }

    fn kernel(&mut self, k: usize, kernel: &Kernel) {
        if kernel.reads.len() != kernel.body.inputs.len() {
            self.port(&kernel.name, "input", kernel.reads.len());
        }
        if kernel.writes.len() != kernel.body.outputs.len() {
            self.port(&kernel.name, "output", kernel.writes.len());
        }
        for (i, (b, decl)) in kernel.reads.iter().zip(&kernel.body.inputs).enumerate() {
            if decl.ty.as_tensor() != Some(&self.program.buffer(*b).ty) {
                self.port(&kernel.name, "input", i);
            }
        }
        for (i, (b, out)) in kernel.writes.iter().zip(&kernel.body.outputs).enumerate() {
            if kernel.body.ty(out.value).as_tensor() != Some(&self.program.buffer(*b).ty) {
                self.port(&kernel.name, "output", i);
            }
        }
        let limit = k.checked_sub(1).map_or(Known::AtStart, Known::After);
        for s in symbols_of(&kernel.body) {
            self.timely(&kernel.name, &Dim::symbol(s), limit);
        }
        for r in requirements(&kernel.body) {
            for d in r.dims() {
                self.timely(&kernel.name, d, limit);
            }
        }
    }

    /// Whether the buffer is one number of a type.
    fn number(&mut self, step: &Arc<str>, side: &'static str, b: BufferId, dtype: DType) {
        let ty = &self.program.buffer(b).ty;
        if ty.dtype != dtype || ty.rank() != 0 {
            self.port(step, side, 0);
        }
    }

    fn branch(&mut self, k: usize, branch: &Branch) {
        self.number(&branch.name, "condition", branch.condition, DType::Bool);
        for body in [&branch.then, &branch.otherwise] {
            let given: Vec<TensorType> = branch.reads.iter().map(|b| self.program.buffer(*b).ty.clone()).collect();
            let taken: Vec<TensorType> = branch.writes.iter().map(|b| self.program.buffer(*b).ty.clone()).collect();
            self.body(k, &branch.name, body, &given, &taken);
        }
    }

    fn repeat(&mut self, k: usize, r: &Repeat) {
        match &r.trips {
            Trips::Number(b) => self.number(&r.name, "trip count", *b, DType::I64),
            Trips::Extent(d) => {
                let limit = k.checked_sub(1).map_or(Known::AtStart, Known::After);
                self.timely(&r.name, d, limit);
            }
        }
        if let Some(b) = r.condition {
            self.number(&r.name, "condition", b, DType::Bool);
        }
        let scalar = |dtype| TensorType { dtype, shape: Vec::new() };
        let ty = |b: &BufferId| self.program.buffer(*b).ty.clone();
        // Carried extents may change from iteration to iteration, those of slices and captures do not.
        let mut given = vec![scalar(DType::I64)];
        given.extend(r.carried.iter().map(ty));
        for b in &r.scanned {
            let whole = ty(b);
            given.push(TensorType { shape: whole.shape.get(1..).unwrap_or_default().to_vec(), ..whole });
        }
        given.extend(r.captures.iter().map(ty));
        let mut taken: Vec<TensorType> = r.condition.iter().map(|_| scalar(DType::Bool)).collect();
        for (i, b) in r.writes.iter().enumerate() {
            let whole = ty(b);
            let slice = if i < r.carried.len() { &whole.shape[..] } else { whole.shape.get(1..).unwrap_or_default() };
            taken.push(TensorType { dtype: whole.dtype, shape: slice.to_vec() });
        }
        if r.writes.len() < r.carried.len() || r.scanned.iter().any(|b| self.program.buffer(*b).ty.rank() == 0) {
            self.port(&r.name, "input", 0);
        }
        self.body(k, &r.name, &r.body, &given, &taken);
    }

    fn body(&mut self, k: usize, step: &Arc<str>, body: &Program, given: &[TensorType], taken: &[TensorType]) {
        let sides = [("input", given, &body.inputs), ("output", taken, &body.outputs)];
        for (side, types, ports) in sides {
            if types.len() != ports.len() {
                self.port(step, side, ports.len());
            }
            for (i, (ty, port)) in types.iter().zip(ports).enumerate() {
                if !may_pass(ty, &body.buffer(port.buffer).ty) {
                    self.port(step, side, i);
                }
            }
        }
        let limit = k.checked_sub(1).map_or(Known::AtStart, Known::After);
        for s in body.symbols.iter().filter(|s| s.value == SymbolValue::Outer) {
            self.timely(step, &Dim::symbol(s.symbol.clone()), limit);
        }
        if let Err(inside) = body.check() {
            let wrap = |error| ProgramError::Inside { step: step.clone(), error: Box::new(error) };
            self.errors.extend(inside.into_iter().map(wrap));
        }
    }
}
