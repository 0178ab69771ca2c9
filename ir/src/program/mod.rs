//! Programs: the chosen steps, with every buffer typed. What passes between extractor and code generator.
//!
//! A program whose buffers have symbolic extents has a *frame*: one value per entry of [`Program::symbols`], in that order.
//! Branches and loops hold their bodies as programs with frames of their own; a body reads what it captures, carries and
//! scans as inputs, and takes over the symbols around it that it mentions.

mod check;
mod require;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dim::{Dim, Symbol, SymbolInfo};
use crate::graph::Graph;
use crate::origin::Origins;
use crate::tensor::Tensor;
use crate::types::{TensorType, Type};

pub use check::ProgramError;
pub use require::{Requirement, requirements};

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
    /// A step.
    Step(usize),
}

/// A buffer: a dense row-major tensor.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name for people (that of the ONNX value where it has one).
    pub name: Arc<str>,
    /// Its type; extents are over the program's symbols.
    pub ty: TensorType,
    /// Where it comes from.
    pub source: Source,
}

/// Where the value of a symbol comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolValue {
    /// The extent of an axis of an input.
    Axis {
        /// Position of the input.
        input: usize,
        /// The axis.
        axis: usize,
    },
    /// The number in an `i64[]` buffer (a witness), as soon as it is there.
    Number(BufferId),
    /// The extent of an axis of a buffer that a branch or a loop gives.
    Result {
        /// The buffer.
        buffer: BufferId,
        /// The axis.
        axis: usize,
    },
    /// That of the same symbol in the program around this one.
    Outer,
}

/// An entry of a program's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSymbol {
    /// The symbol.
    pub symbol: Symbol,
    /// Its bounds; other values are refused when the program runs.
    pub info: SymbolInfo,
    /// Where its value comes from.
    pub value: SymbolValue,
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

/// A branch: one of two programs runs. Both have the inputs `reads` and the outputs `writes`.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Name for people, unique in the program.
    pub name: Arc<str>,
    /// A `bool[]` buffer.
    pub condition: BufferId,
    /// What runs where it holds.
    pub then: Program,
    /// What runs elsewhere.
    pub otherwise: Program,
    /// Buffers captured.
    pub reads: Vec<BufferId>,
    /// Buffers written.
    pub writes: Vec<BufferId>,
    /// Where it comes from.
    pub origins: Origins,
}

/// How often a loop runs at most.
#[derive(Clone, Debug, PartialEq)]
pub enum Trips {
    /// An extent.
    Extent(Dim),
    /// The number in an `i64[]` buffer; below 0 counts as 0.
    Number(BufferId),
}

/// A loop. The body's inputs are the iteration number (`i64[]`), the carried values, one slice (axis 0) of each scanned
/// value, and the captures; its outputs are the next condition (where there is one), the carried values, and one slice of
/// each stacked value. The loop writes the carried values of the last iteration, then the stacks.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Name for people, unique in the program.
    pub name: Arc<str>,
    /// Most iterations.
    pub trips: Trips,
    /// A `bool[]` buffer: whether to begin at all; the body then says each time whether to go on. None: all trips.
    pub condition: Option<BufferId>,
    /// First values of what is carried.
    pub carried: Vec<BufferId>,
    /// What is read slice by slice.
    pub scanned: Vec<BufferId>,
    /// What every iteration reads.
    pub captures: Vec<BufferId>,
    /// The body.
    pub body: Program,
    /// Buffers written.
    pub writes: Vec<BufferId>,
    /// Where it comes from.
    pub origins: Origins,
}

/// One step of a program.
#[expect(clippy::large_enum_variant, reason = "steps are few, most of them kernels")]
#[derive(Clone, Debug)]
pub enum Step {
    /// A kernel.
    Kernel(Kernel),
    /// A branch.
    If(Box<Branch>),
    /// A loop.
    Loop(Box<Repeat>),
}

impl Step {
    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Self::Kernel(k) => &k.name,
            Self::If(b) => &b.name,
            Self::Loop(r) => &r.name,
        }
    }

    /// Where it comes from.
    pub fn origins(&self) -> &Origins {
        match self {
            Self::Kernel(k) => &k.origins,
            Self::If(b) => &b.origins,
            Self::Loop(r) => &r.origins,
        }
    }

    /// Every buffer it reads.
    pub fn reads(&self) -> Vec<BufferId> {
        match self {
            Self::Kernel(k) => k.reads.clone(),
            Self::If(b) => std::iter::once(b.condition).chain(b.reads.iter().copied()).collect(),
            Self::Loop(r) => {
                let trips = match r.trips {
                    Trips::Number(b) => Some(b),
                    Trips::Extent(_) => None,
                };
                let lists = [&r.carried, &r.scanned, &r.captures];
                trips.into_iter().chain(r.condition).chain(lists.into_iter().flatten().copied()).collect()
            }
        }
    }

    /// Every buffer it writes.
    pub fn writes(&self) -> &[BufferId] {
        match self {
            Self::Kernel(k) => &k.writes,
            Self::If(b) => &b.writes,
            Self::Loop(r) => &r.writes,
        }
    }

    /// The programs inside it.
    pub fn bodies(&self) -> Vec<&Program> {
        match self {
            Self::Kernel(_) => Vec::new(),
            Self::If(b) => vec![&b.then, &b.otherwise],
            Self::Loop(r) => vec![&r.body],
        }
    }
}

/// A parameter or result of a program.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: Arc<str>,
    /// Its buffer; results may share one, or be an input's or a constant's.
    pub buffer: BufferId,
}

/// A program: steps in execution order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Name of the model.
    pub name: Arc<str>,
    /// The frame: every symbol that a buffer or a kernel mentions, in the order in which they become known, axes of
    /// inputs first.
    pub symbols: Vec<FrameSymbol>,
    /// All buffers.
    pub buffers: Vec<Buffer>,
    /// Steps, in an order in which every read comes after its write.
    pub steps: Vec<Step>,
    /// Parameters, in the model's order; an input nobody reads keeps its place.
    pub inputs: Vec<Port>,
    /// Results, in the model's order.
    pub outputs: Vec<Port>,
}

/// When something is known while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Before the first step.
    AtStart,
    /// After that step.
    After(usize),
}

impl Known {
    /// Whether it is known when step `k` runs.
    pub fn before(self, k: usize) -> bool {
        match self {
            Self::AtStart => true,
            Self::After(step) => step < k,
        }
    }
}

impl Program {
    /// The buffer.
    pub fn buffer(&self, b: BufferId) -> &Buffer {
        &self.buffers[b.index()]
    }

    /// The kernels of the program itself, with the positions of their steps; those inside branches and loops are not
    /// among them.
    pub fn kernels(&self) -> impl Iterator<Item = (usize, &Kernel)> {
        self.steps.iter().enumerate().filter_map(|(i, s)| match s {
            Step::Kernel(k) => Some((i, k)),
            Step::If(_) | Step::Loop(_) => None,
        })
    }

    /// This program and all inside it, outer ones first.
    pub fn all(&self) -> Vec<&Self> {
        let mut out = vec![self];
        let mut at = 0;
        while let Some(p) = out.get(at).copied() {
            out.extend(p.steps.iter().flat_map(Step::bodies));
            at += 1;
        }
        out
    }

    /// Position of a symbol in the frame.
    pub fn symbol(&self, symbol: &Symbol) -> Option<usize> {
        self.symbols.iter().position(|s| s.symbol == *symbol)
    }

    /// When the contents of a buffer are there.
    pub fn filled(&self, b: BufferId) -> Known {
        match self.buffer(b).source {
            Source::Input(_) | Source::Constant(_) => Known::AtStart,
            Source::Step(k) => Known::After(k),
        }
    }

    /// When the value of a symbol of the frame is known.
    pub fn symbol_known(&self, symbol: &FrameSymbol) -> Known {
        match symbol.value {
            SymbolValue::Axis { .. } | SymbolValue::Outer => Known::AtStart,
            SymbolValue::Number(b) | SymbolValue::Result { buffer: b, .. } => self.filled(b),
        }
    }

    /// When all symbols of an expression are known; None where one has no value here.
    pub fn known(&self, d: &Dim) -> Option<Known> {
        let mut known = Some(Known::AtStart);
        d.symbols(&mut |s| {
            let this = self.symbol(s).map(|i| self.symbol_known(&self.symbols[i]));
            known = known.zip(this).map(|(a, b)| a.max(b));
        });
        known
    }
}

/// Every symbol that a graph's types and attributes mention.
pub fn symbols_of(graph: &Graph) -> BTreeSet<Symbol> {
    let mut out = BTreeSet::new();
    let mut see = |d: &Dim| {
        d.symbols(&mut |s| {
            out.insert(s.clone());
        });
    };
    for node in graph.nodes() {
        visit_type(&node.ty, &mut see);
        node.op.each_dim(&mut see);
    }
    out
}

fn visit_type(ty: &Type, see: &mut dyn FnMut(&Dim)) {
    match ty {
        Type::Tensor(t) => t.shape.iter().for_each(see),
        Type::Tuple(parts) => parts.iter().for_each(|p| visit_type(p, see)),
        Type::Foreign(_) => {}
    }
}
