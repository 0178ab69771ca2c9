//! What a kernel costs on a described machine: launch, plus the larger of arithmetic at the attainable rate and bytes at
//! the bandwidth of the level that holds them (the roofline; Williams, Waterman, Patterson, CACM 52(4), 2009). Unit:
//! picoseconds in `u64`, saturating; [`u64::MAX`] is "never". The rates are data (`machines/*.toml`); what is here is how
//! operations are counted.

use egret_ir::dim::{Dim, Symbols};
use egret_ir::graph::Graph;
use egret_ir::machine::Machine;
use egret_ir::op::Op;
use egret_ir::op::call::Call;
use egret_ir::op::spec::{Ix, Spec};
use egret_ir::types::{TensorType, Type};

/// A rate class: what an `efficiency` entry of a machine file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A matrix product.
    Gemm,
    /// A matrix product for each index of shared labels.
    BatchedGemm,
    /// A windowed contraction.
    Conv,
    /// A windowed contraction without folded channels.
    Depthwise,
    /// Any other contraction: outer products, dot products.
    Contract,
    /// Elementwise.
    Map,
    /// A fold in its own space.
    Reduce,
    /// Folds and maps over rows.
    Row,
    /// Movement of contiguous runs.
    Movement,
    /// Movement of single elements.
    Strided,
    /// Elements from one of several places, by index.
    Piecewise,
    /// Elements at indices read from data.
    Gather,
    /// A recurrence.
    Recurrent,
    /// Resampling.
    Resize,
    /// Sorting.
    Sort,
    /// Scattered updates.
    Scatter,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 16] = [
        Self::Gemm,
        Self::BatchedGemm,
        Self::Conv,
        Self::Depthwise,
        Self::Contract,
        Self::Map,
        Self::Reduce,
        Self::Row,
        Self::Movement,
        Self::Strided,
        Self::Piecewise,
        Self::Gather,
        Self::Recurrent,
        Self::Resize,
        Self::Sort,
        Self::Scatter,
    ];

    /// Its name in machine files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::BatchedGemm => "batched_gemm",
            Self::Conv => "conv",
            Self::Depthwise => "depthwise",
            Self::Contract => "contract",
            Self::Map => "map",
            Self::Reduce => "reduce",
            Self::Row => "row",
            Self::Movement => "movement",
            Self::Strided => "strided",
            Self::Piecewise => "piecewise",
            Self::Gather => "gather",
            Self::Recurrent => "recurrent",
            Self::Resize => "resize",
            Self::Sort => "sort",
            Self::Scatter => "scatter",
        }
    }

    /// The family of a contraction.
    pub fn of_contract(spec: &Spec) -> Self {
        let in_both = |l| spec.mentions(0, l) && spec.mentions(1, l);
        let batched = spec.out().any(in_both);
        let folded = spec.folded().any(|l| in_both(l) && (0..2).all(|k| spec.axis_of(k, l).is_some()));
        match (spec.has_windows(), batched, folded) {
            (true, true, false) => Self::Depthwise,
            (true, ..) => Self::Conv,
            (false, true, true) => Self::BatchedGemm,
            (false, false, true) => Self::Gemm,
            (false, _, false) => Self::Contract,
        }
    }
}

/// A number that the machine description lacks, or a kind that no rate class covers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// No efficiency for a family.
    #[error("machine `{machine}` has no efficiency for `{family}`")]
    Efficiency {
        /// The machine.
        machine: String,
        /// The family.
        family: &'static str,
    },
    /// No peak rate for an element type.
    #[error("machine `{machine}` has no peak_ops for `{dtype}`")]
    Peak {
        /// The machine.
        machine: String,
        /// The element type.
        dtype: String,
    },
    /// No memory levels.
    #[error("machine `{machine}` has no memory levels")]
    Memory {
        /// The machine.
        machine: String,
    },
    /// A kind that no kernel computes.
    #[error("kind `{kind}` has no cost")]
    Kind {
        /// The kind, with the definition's name for a call.
        kind: String,
    },
    /// A type that no kernel computes on.
    #[error("a value of type {ty} has no cost")]
    Type {
        /// The type.
        ty: String,
    },
}

/// A node of a body as the cost model sees it: an input where `op` is None.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    pub op: Option<&'a Op>,
    pub args: Vec<usize>,
    pub ty: &'a TensorType,
    pub output: bool,
}

/// Seconds of arithmetic and bytes moved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    pub seconds: f64,
    pub bytes: f64,
}

/// Picoseconds of the load as one kernel.
pub(crate) fn kernel_time(machine: &Machine, load: Load) -> Result<u64, CostError> {
    let level = machine.memory.iter().find(|l| l.bytes == 0 || load.bytes <= l.bytes as f64).or(machine.memory.last());
    let Some(level) = level else { return Err(CostError::Memory { machine: machine.name.clone() }) };
    Ok(picoseconds(machine.launch_seconds + load.seconds.max(load.bytes / level.bytes_per_second)))
}

fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).ceil() as u64
}

fn efficiency(machine: &Machine, family: Family) -> Result<f64, CostError> {
    let missing = || CostError::Efficiency { machine: machine.name.clone(), family: family.name() };
    machine.efficiency.get(family.name()).copied().ok_or_else(missing)
}

/// Seconds of `n` elementary operations of a family.
fn elementary(machine: &Machine, family: Family, n: f64) -> Result<f64, CostError> {
    Ok(n / (machine.scalar_ops * efficiency(machine, family)?))
}

/// Predicted time of a kernel body, in picoseconds.
///
/// # Errors
/// A kind or rate without a number.
pub fn body_cost(machine: &Machine, body: &Graph) -> Result<u64, CostError> {
    let mut steps = Vec::with_capacity(body.nodes().len());
    let tuple = TensorType { dtype: egret_ir::DType::F32, shape: vec![Dim::ONE] };
    for n in body.nodes() {
        let ty = match &n.ty {
            Type::Tensor(t) => t,
            Type::Tuple(parts) => parts.first().and_then(Type::as_tensor).unwrap_or(&tuple),
            Type::Foreign(_) => return Err(CostError::Type { ty: n.ty.to_string() }),
        };
        let op = if matches!(n.op, Op::Input(_)) { None } else { Some(&n.op) };
        steps.push(Step { op, args: n.args.iter().map(|a| a.index()).collect(), ty, output: false });
    }
    for o in &body.outputs {
        steps[o.value.index()].output = true;
    }
    kernel_time(machine, load(machine, &steps, &body.tables.symbols)?)
}

/// Number of elements of a type; unknown extents at their [`nominal`] values.
fn elements(ty: &TensorType, symbols: &Symbols) -> f64 {
    ty.shape.iter().map(|d| nominal(d, symbols) as f64).product()
}

/// How often each step is evaluated, what that takes, and the bytes touched. A value read at one place in one space is
/// evaluated once however often it is used; through a changed index it is evaluated again: recomputation is priced.
pub(crate) fn load(machine: &Machine, steps: &[Step<'_>], symbols: &Symbols) -> Result<Load, CostError> {
    let sizes: Vec<f64> = steps.iter().map(|s| elements(s.ty, symbols)).collect();
    let extent = |d: &Dim| nominal(d, symbols) as f64;
    // Evaluations wanted at the value's own index, and through changed indices.
    let mut own = vec![0f64; steps.len()];
    let mut moved = vec![0f64; steps.len()];
    let mut total = Load::default();
    let row = steps.iter().any(|s| matches!(s.op, Some(Op::Reduce { .. } | Op::Call(_))));
    for (i, step) in steps.iter().enumerate().rev() {
        if step.output {
            own[i] = own[i].max(sizes[i]);
            total.bytes += sizes[i] * step.ty.dtype.size() as f64;
        }
        let Some(op) = step.op else {
            let touched = (own[i] + moved[i]).min(sizes[i]);
            total.bytes += touched * step.ty.dtype.size() as f64;
            continue;
        };
        let n = own[i] + moved[i];
        let share = if sizes[i] > 0.0 { n / sizes[i] } else { 0.0 };
        let family = Family::Map;
        let arg = |k: usize| step.args[k];
        let same = |own: &mut [f64], k: usize, n: f64| own[arg(k)] = own[arg(k)].max(n);
        match op {
            Op::Input(_) | Op::Const(_) | Op::Dim(_) | Op::Iota { .. } => {}
            Op::Map(f) => {
                total.seconds += elementary(machine, family, n * f64::from(f.def().flops))?;
                for k in 0..step.args.len() {
                    same(&mut own, k, n);
                }
            }
            Op::Reshape(_) => same(&mut own, 0, n),
            Op::Permute(_) => {
                let kept = contiguous(op, steps[arg(0)].ty);
                total.seconds += elementary(machine, if kept { Family::Movement } else { Family::Strided }, n)?;
                moved[arg(0)] += n;
            }
            Op::Broadcast(new) => {
                let stretched: f64 = new.iter().map(|(_, d)| extent(d)).product();
                let rank = step.ty.rank();
                let trailing = new
                    .iter()
                    .enumerate()
                    .all(|(k, (at, d))| d.as_const() == Some(1) || usize::from(*at) == rank - new.len() + k);
                let leaf = steps[arg(0)].op.is_none();
                let once = trailing || leaf;
                same(&mut own, 0, if once && stretched > 0.0 { n / stretched } else { n });
            }
            Op::Slice(axes) => {
                let unit = axes.last().is_none_or(|a| a.step == 1);
                total.seconds += elementary(machine, if unit { Family::Movement } else { Family::Strided }, n)?;
                moved[arg(0)] += n;
            }
            Op::Pad(_) => {
                total.seconds += elementary(machine, Family::Piecewise, n)?;
                moved[arg(0)] += n.min(sizes[arg(0)] * share);
                moved[arg(1)] += n;
            }
            Op::Concat(_) => {
                total.seconds += elementary(machine, Family::Movement, n)?;
                for k in 0..step.args.len() {
                    moved[arg(k)] += sizes[arg(k)] * share;
                }
            }
            Op::Gather(_) => {
                // Runs of elements behind the index are copied whole; an index per element is a gather proper.
                let indices = sizes[arg(1)] * share;
                let family = if indices * 8.0 <= n { Family::Movement } else { Family::Gather };
                total.seconds += elementary(machine, family, n)? + elementary(machine, Family::Gather, indices)?;
                moved[arg(0)] += n;
                moved[arg(1)] += indices;
            }
            Op::Scatter(..) => {
                total.seconds += elementary(machine, Family::Scatter, sizes[arg(2)])?;
                total.seconds += elementary(machine, Family::Movement, n)?;
                for k in 0..3 {
                    moved[arg(k)] += sizes[arg(k)];
                }
            }
            Op::Reduce { monoid, spec, .. } => {
                let space = space(spec, &[steps[arg(0)].ty], symbols)? * share;
                let family = if row && !spec.has_windows() { Family::Row } else { Family::Reduce };
                total.seconds += elementary(machine, family, space * if monoid.is_arg() { 3.0 } else { 1.0 })?;
                if spec.has_windows() {
                    moved[arg(0)] += space;
                } else {
                    same(&mut own, 0, space);
                }
            }
            Op::Contract { spec, acc, .. } => {
                let space = space(spec, &[steps[arg(0)].ty, steps[arg(1)].ty], symbols)? * share;
                let missing = || CostError::Peak { machine: machine.name.clone(), dtype: acc.name().into() };
                let peak = machine.peak_ops.get(acc.name()).ok_or_else(missing)?;
                total.seconds += 2.0 * space / (peak * efficiency(machine, Family::of_contract(spec))?);
                for k in 0..2 {
                    moved[arg(k)] += sizes[arg(k)];
                }
            }
            Op::ArgSort { .. } => {
                let n = sizes[arg(0)];
                total.seconds += elementary(machine, Family::Sort, n * n.max(2.0).log2())?;
                moved[arg(0)] += n;
            }
            Op::Call(call) => {
                let (family, each) = match &**call {
                    Call::Softmax { .. } | Call::LogSoftmax { .. } => (Family::Row, 16.0),
                    Call::LayerNorm { .. } => (Family::Row, 10.0),
                    Call::RmsNorm { .. } => (Family::Row, 6.0),
                    Call::Gelu(_) => (family, 18.0),
                    Call::Resize(_) => (Family::Resize, 4.0),
                    Call::Det => {
                        let side = steps[arg(0)].ty.shape.last().map_or(1.0, extent);
                        (Family::Row, side * side * side)
                    }
                    Call::NonMaxSuppression(_) => (Family::Sort, 64.0),
                    Call::Recurrent(r) => {
                        let x = steps[arg(0)].ty;
                        let (steps_in_time, batch, width) =
                            (extent(&x.shape[0]), extent(&x.shape[1]), extent(&x.shape[2]));
                        let hidden = r.hidden as f64;
                        let gates = (r.cell.gates() * r.direction.count()) as f64;
                        let cells = steps_in_time * batch * gates * hidden;
                        let dtype = x.dtype.name();
                        let missing = || CostError::Peak { machine: machine.name.clone(), dtype: dtype.into() };
                        let peak = machine.peak_ops.get(dtype).ok_or_else(missing)?;
                        total.seconds +=
                            2.0 * cells * (width + hidden) / (peak * efficiency(machine, Family::Recurrent)?);
                        total.seconds += elementary(machine, Family::Map, cells * 16.0)?;
                        for k in 0..step.args.len() {
                            moved[arg(k)] += sizes[arg(k)];
                        }
                        continue;
                    }
                };
                total.seconds += elementary(machine, family, n * each)?;
                for k in 0..step.args.len() {
                    same(&mut own, k, if k == 0 && sizes[arg(0)] == sizes[i] { n } else { sizes[arg(k)] });
                }
            }
            // The part of a tuple: its producer's cost covers it.
            Op::Proj(_) => same(&mut own, 0, n),
            Op::If(..) | Op::Loop(_) | Op::Opaque(_) => return Err(CostError::Kind { kind: op.kind().into() }),
        }
    }
    Ok(total)
}

/// Whether a permutation keeps the innermost axis (of more than one element) innermost.
pub(crate) fn contiguous(op: &Op, x: &TensorType) -> bool {
    let Op::Permute(p) = op else { return true };
    let wide: Vec<usize> = p.axes().filter(|a| x.shape[*a].as_const() != Some(1)).collect();
    wide.last() == wide.iter().max()
}

/// Number of points a spec folds over: the product of all its labels.
fn space(spec: &Spec, operands: &[&TensorType], symbols: &Symbols) -> Result<f64, CostError> {
    let shapes: Vec<&[Dim]> = operands.iter().map(|t| &t.shape[..]).collect();
    let extents = spec.extents(&shapes).map_err(|_| CostError::Type { ty: operands[0].to_string() })?;
    Ok(extents.iter().map(|d| nominal(d, symbols) as f64).product())
}

/// A symbolic extent as a number for pricing ([`Dim::nominal`]).
pub fn nominal(d: &Dim, symbols: &Symbols) -> u64 {
    d.nominal(symbols).max(0) as u64
}

/// What an ONNX node computes, for pricing.
#[derive(Clone, Debug)]
pub struct NodeWork {
    /// Rate class.
    pub family: Family,
    /// Multiply-adds in all, for the contractions; others state 0.
    pub multiply_adds: Dim,
    /// Elementary operations per element of the first result.
    pub per_element: u32,
}

impl NodeWork {
    /// The work of one node of a graph.
    pub fn of(op: &Op, args: &[&Type]) -> Self {
        let zero = |family, per_element| Self { family, multiply_adds: Dim::ZERO, per_element };
        match op {
            Op::Map(f) => zero(Family::Map, f.def().flops),
            Op::Contract { spec, .. } => {
                let shapes: Vec<&[Dim]> = args.iter().filter_map(|t| t.as_tensor()).map(|t| &t.shape[..]).collect();
                let extents = spec.extents(&shapes).unwrap_or_default();
                Self {
                    family: Family::of_contract(spec),
                    multiply_adds: egret_ir::dim::count(&extents),
                    per_element: 0,
                }
            }
            Op::Reduce { spec, .. } => {
                let taps = spec.ins()[0].iter().any(|ix| matches!(ix, Ix::Window(_)));
                zero(Family::Reduce, if taps { 9 } else { 1 })
            }
            Op::Permute(_) => zero(Family::Strided, 1),
            Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Concat(_) => zero(Family::Movement, 1),
            Op::Pad(_) => zero(Family::Piecewise, 1),
            Op::Gather(_) => zero(Family::Gather, 1),
            Op::Scatter(..) => zero(Family::Scatter, 1),
            Op::ArgSort { .. } => zero(Family::Sort, 8),
            Op::Call(call) => match &**call {
                Call::Softmax { .. } | Call::LogSoftmax { .. } => zero(Family::Row, 16),
                Call::LayerNorm { .. } => zero(Family::Row, 10),
                Call::RmsNorm { .. } => zero(Family::Row, 6),
                Call::Gelu(_) => zero(Family::Map, 18),
                Call::Recurrent(_) => zero(Family::Recurrent, 256),
                Call::Resize(_) => zero(Family::Resize, 4),
                Call::Det => zero(Family::Row, 16),
                Call::NonMaxSuppression(_) => zero(Family::Sort, 16),
            },
            Op::Input(_) | Op::Const(_) | Op::Dim(_) | Op::Iota { .. } | Op::Proj(_) => zero(Family::Movement, 0),
            Op::If(..) | Op::Loop(_) | Op::Opaque(_) => zero(Family::Map, 16),
        }
    }
}

/// Price of one ONNX node in a runtime that walks the graph: a fixed overhead per node plus its roofline, so that fewer
/// nodes win among equals and bytes count. Unknown extents at their [`nominal`] values; types without buffers move nothing.
///
/// # Errors
/// A rate that the machine description lacks.
pub fn onnx_cost(
    machine: &Machine,
    work: &NodeWork,
    inputs: &[&Type],
    outputs: &[&Type],
    symbols: &Symbols,
) -> Result<u64, CostError> {
    let count = |t: &Type| match t {
        Type::Tensor(t) => t.shape.iter().map(|d| nominal(d, symbols) as f64).product(),
        Type::Tuple(_) | Type::Foreign(_) => 0.0,
    };
    let bytes = |t: &Type| t.as_tensor().map_or(0.0, |x| count(t) * x.dtype.size() as f64);
    let first = outputs.first().map_or(0.0, |t| count(t));
    let dtype = outputs.iter().chain(inputs).find_map(|t| t.as_tensor()).map(|t| t.dtype).filter(|d| d.is_num());
    let mut load = Load::default();
    let adds = nominal(&work.multiply_adds, symbols) as f64;
    if adds > 0.0 {
        let dtype = dtype.unwrap_or(egret_ir::DType::F32);
        let missing = || CostError::Peak { machine: machine.name.clone(), dtype: dtype.name().into() };
        let peak = machine.peak_ops.get(dtype.name()).ok_or_else(missing)?;
        load.seconds += 2.0 * adds / (peak * efficiency(machine, work.family)?);
    }
    load.seconds += elementary(machine, work.family, first * f64::from(work.per_element))?;
    load.bytes = inputs.iter().chain(outputs).map(|t| bytes(t)).sum();
    Ok(kernel_time(machine, load)?.saturating_add(picoseconds(machine.node_seconds)))
}
