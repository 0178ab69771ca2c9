//! Named definitions: composites whose body is a graph of the other kinds, and runtime kernels with a reference function.
//! A row here gives the type rule ([`crate::infer`]), the body or reference ([`crate::eval`]), and its name.

use crate::dim::Dim;
use crate::dtype::{DType, Literal};

/// The two published forms of GELU; they differ by up to 5e-4 and are never unified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GeluForm {
    /// x/2 · (1 + erf(x/√2)).
    Erf,
    /// x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))).
    Tanh,
}

/// Cell type of a recurrence (ONNX LSTM, GRU, RNN).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// Long short-term memory; gates in the order input, output, forget, cell.
    Lstm,
    /// Gated recurrent unit; gates update, reset, hidden.
    Gru,
    /// Elman network.
    Rnn,
}

/// Direction of a recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// First to last.
    Forward,
    /// Last to first.
    Reverse,
    /// Both, stacked on the direction axis.
    Bidirectional,
}

/// An activation inside a recurrence, with its parameters consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// tanh x.
    Tanh,
    /// σ(x).
    Sigmoid,
    /// α·x + β.
    Affine(Literal, Literal),
    /// x < 0 ? α·x : x.
    LeakyRelu(Literal),
    /// x > α ? x : 0.
    ThresholdedRelu(Literal),
    /// α·tanh(β·x).
    ScaledTanh(Literal, Literal),
    /// clamp(α·x + β, 0, 1).
    HardSigmoid(Literal, Literal),
    /// x < 0 ? α·(eˣ − 1) : x.
    Elu(Literal),
    /// x / (1 + |x|).
    Softsign,
    /// ln(1 + eˣ).
    Softplus,
}

/// Which optional operands of a recurrence are given, in operand order after X, W, R.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecurrentOperands {
    /// B.
    pub bias: bool,
    /// sequence_lens.
    pub lengths: bool,
    /// initial_h.
    pub initial_h: bool,
    /// initial_c (LSTM).
    pub initial_c: bool,
    /// P (LSTM).
    pub peephole: bool,
}

/// A recurrence. Operands: X `[T,B,I]`, W `[D,G·H,I]`, R `[D,G·H,H]`, then the given optional ones;
/// result (Y `[T,D,B,H]`, Y_h `[D,B,H]`, and for LSTM Y_c `[D,B,H]`). ONNX layout 1 is permuted at import.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Recurrent {
    /// Cell type.
    pub cell: Cell,
    /// Direction.
    pub direction: Direction,
    /// H.
    pub hidden: i64,
    /// Per direction: f, g, h for LSTM; f, g for GRU; f for RNN.
    pub activations: Box<[Activation]>,
    /// Clip of the activations' inputs.
    pub clip: Option<Literal>,
    /// GRU: apply the recurrent product before the reset gate.
    pub linear_before_reset: bool,
    /// LSTM: couple input and forget gates.
    pub input_forget: bool,
    /// Optional operands given.
    pub operands: RecurrentOperands,
}

/// Rounding of nearest-neighbour positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of ONNX Resize")]
pub enum NearestMode {
    RoundPreferFloor,
    RoundPreferCeil,
    Floor,
    Ceil,
}

/// Interpolation of a Resize.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResizeMode {
    /// The nearest sample.
    Nearest(NearestMode),
    /// Multilinear.
    Linear,
    /// Cubic convolution with this coefficient a.
    Cubic(Literal),
}

/// From a result position to an operand position (ONNX Resize, coordinate_transformation_mode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of ONNX Resize")]
pub enum Coordinates {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
}

/// ONNX Resize without region of interest or antialiasing. One operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resize {
    /// Interpolation.
    pub mode: ResizeMode,
    /// Coordinates.
    pub coordinates: Coordinates,
    /// Extents of the result.
    pub sizes: Box<[Dim]>,
    /// Given scales (f32), per axis; None: result extent / operand extent.
    pub scales: Option<Box<[Literal]>>,
    /// Weights of samples outside the operand are set to zero and the rest renormalized.
    pub exclude_outside: bool,
}

/// Greedy choice of boxes by score (ONNX NonMaxSuppression). Operands: boxes `f32[B, N, 4]`, scores `f32[B, C, N]`, and as
/// scalars the most boxes of a class (i64), the overlap above which a box gives way (f32), the score that a box must
/// exceed (f32). Result: (`i64[B·C·keep, 3]`, count `i64[]`): rows of batch, class and box, by class and descending score
/// from the front; rows from the count on are zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nms {
    /// Boxes are (center x, center y, width, height) instead of two opposite corners (y, x, y, x).
    pub center_point: bool,
    /// Most boxes of a class, whatever the operand says.
    pub keep: Dim,
}

/// A call of a named definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// exp(x − max x) / Σ exp(x − max x) along an axis.
    Softmax {
        /// Axis.
        axis: u8,
    },
    /// x − max x − ln Σ exp(x − max x) along an axis.
    LogSoftmax {
        /// Axis.
        axis: u8,
    },
    /// (x − μ) / √(var + ε) · γ + β over the last `axes` axes. Operands x, γ, β; γ and β have the shape of the folded axes.
    LayerNorm {
        /// Number of trailing axes.
        axes: u8,
        /// ε, in the stash type.
        epsilon: Literal,
        /// Type in which statistics are computed.
        stash: DType,
    },
    /// x / √(mean x² + ε) · γ over the last `axes` axes. Operands x and γ, which has the shape of the folded axes.
    RmsNorm {
        /// Number of trailing axes.
        axes: u8,
        /// ε, in the stash type.
        epsilon: Literal,
        /// Type in which the root is computed.
        stash: DType,
    },
    /// Elementwise.
    Gelu(GeluForm),
    /// LSTM, GRU, RNN.
    Recurrent(Recurrent),
    /// Resampling.
    Resize(Resize),
    /// Determinants of the matrices in the last two axes, by elimination with partial pivoting.
    Det,
    /// Non-maximum suppression.
    NonMaxSuppression(Nms),
}

impl Call {
    /// Name in text forms and rules.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Softmax { .. } => "softmax",
            Self::LogSoftmax { .. } => "log_softmax",
            Self::LayerNorm { .. } => "layer_norm",
            Self::RmsNorm { .. } => "rms_norm",
            Self::Gelu(GeluForm::Erf) => "gelu_erf",
            Self::Gelu(GeluForm::Tanh) => "gelu_tanh",
            Self::Recurrent(r) => match r.cell {
                Cell::Lstm => "lstm",
                Cell::Gru => "gru",
                Cell::Rnn => "rnn",
            },
            Self::Resize(_) => "resize",
            Self::Det => "det",
            Self::NonMaxSuppression(_) => "nms",
        }
    }
}

impl Cell {
    /// Gates stacked in W and R.
    pub const fn gates(self) -> i64 {
        match self {
            Self::Lstm => 4,
            Self::Gru => 3,
            Self::Rnn => 1,
        }
    }

    /// Activations per direction.
    pub const fn activations(self) -> usize {
        match self {
            Self::Lstm => 3,
            Self::Gru => 2,
            Self::Rnn => 1,
        }
    }
}

impl Direction {
    /// Number of directions.
    pub const fn count(self) -> i64 {
        match self {
            Self::Forward | Self::Reverse => 1,
            Self::Bidirectional => 2,
        }
    }
}
