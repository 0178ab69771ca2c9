//! What a lowering function works with: the operator's operands, results and options, over a [`Builder`].

use egret_ir::build::Builder;
use egret_ir::infer::TypeError;
use egret_ir::op::spec::SpecError;
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use crate::error::ProblemKind;
use crate::model::TensorInfo;
use crate::quant::Quant;
use crate::schema::tflite;

/// Why an operator does not lower: its field, and the fault.
#[derive(Debug)]
pub enum Fail {
    /// A fault with its place in the operator.
    Problem(String, ProblemKind),
    /// The operands' types do not fit.
    Type(TypeError),
}

impl From<TypeError> for Fail {
    fn from(e: TypeError) -> Self {
        Self::Type(e)
    }
}

impl From<SpecError> for Fail {
    fn from(e: SpecError) -> Self {
        Self::Type(e.into())
    }
}

/// One value per result.
pub type Results = Result<Vec<ValueId>, Fail>;

/// An operand: its value and what its integers stand for.
#[derive(Clone)]
pub struct Operand {
    /// The value.
    pub value: ValueId,
    /// Quantization, where the value is the stored integers.
    pub quant: Option<Quant>,
}

/// The operator being lowered.
pub struct Lower<'a> {
    /// The graph.
    pub b: &'a mut Builder,
    /// Its operands.
    pub operands: Vec<Option<Operand>>,
    /// Its results, as the model declares them.
    pub results: Vec<&'a TensorInfo>,
    /// Its options.
    pub table: tflite::Operator<'a>,
}

/// A use of the operator that is not supported.
pub fn unsupported(what: impl Into<String>) -> Fail {
    Fail::Problem(String::new(), ProblemKind::Unsupported { what: what.into() })
}

/// A fault of an option or operand.
pub fn bad(field: &str, kind: ProblemKind) -> Fail {
    Fail::Problem(field.to_owned(), kind)
}

/// A value of an option or operand that has no meaning.
pub fn bad_value(field: &str, value: impl ToString, expected: &str) -> Fail {
    bad(field, ProblemKind::BadValue { value: value.to_string(), reason: format!("{expected} expected") })
}

/// A normalized axis: counted from the end where negative.
pub fn axis(field: &str, axis: i64, rank: usize) -> Result<usize, Fail> {
    let normal = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    let normal = normal.and_then(|a| usize::try_from(a).ok()).filter(|a| *a < rank);
    normal.ok_or_else(|| bad(field, ProblemKind::Axis { axis, rank }))
}

impl Lower<'_> {
    /// Operand `i` with its quantization, which must be there.
    pub fn whole(&self, i: usize) -> Result<Operand, Fail> {
        let operand = self.operands.get(i).cloned().flatten();
        operand.ok_or_else(|| bad(&format!("input {i}"), ProblemKind::MissingInput))
    }

    /// Operand `i`, which must be there.
    pub fn operand(&self, i: usize) -> Result<ValueId, Fail> {
        Ok(self.whole(i)?.value)
    }

    /// Operand `i`, where given.
    pub fn optional(&self, i: usize) -> Option<ValueId> {
        Some(self.operands.get(i)?.as_ref()?.value)
    }

    /// All operands, which must be there.
    pub fn all(&self) -> Result<Vec<ValueId>, Fail> {
        (0..self.operands.len()).map(|i| self.operand(i)).collect()
    }

    /// Extents of a value.
    pub fn shape(&self, v: ValueId) -> Result<Shape, Fail> {
        Ok(self.b.shape(v)?)
    }

    /// Extents of operand `i`, which has `rank` axes.
    pub fn shape_of(&self, i: usize, rank: usize) -> Result<Shape, Fail> {
        let shape = self.shape(self.operand(i)?)?;
        if shape.len() == rank {
            return Ok(shape);
        }
        Err(bad(&format!("input {i}"), ProblemKind::Rank { got: shape.len(), expected: rank.to_string() }))
    }

    /// Elements of integer operand `i`, which must be numbers known now.
    pub fn numbers(&self, i: usize, what: &str) -> Result<Vec<i64>, Fail> {
        let v = self.operand(i)?;
        self.b.numbers(v).ok_or_else(|| unsupported(format!("{what} that is not known before the model runs")))
    }

    /// The single element of integer operand `i`.
    pub fn number(&self, i: usize, what: &str) -> Result<i64, Fail> {
        let list = self.numbers(i, what)?;
        match list.as_slice() {
            [x] => Ok(*x),
            _ => Err(bad_value(what, format!("{list:?}"), "one number")),
        }
    }

    /// Elements of integer operand `i`, which must be expressions of extents.
    pub fn dims(&self, i: usize, what: &str) -> Result<Vec<Dim>, Fail> {
        let v = self.operand(i)?;
        self.b.elements(v).ok_or_else(|| unsupported(format!("{what} that is not known before the model runs")))
    }

    /// Distinct axes out of operand `i`, ascending.
    pub fn axes(&self, i: usize, rank: usize) -> Result<Vec<usize>, Fail> {
        let list = self.numbers(i, "axes")?;
        let mut axes = list.iter().map(|a| axis("axes", *a, rank)).collect::<Result<Vec<_>, _>>()?;
        axes.sort_unstable();
        axes.dedup();
        Ok(axes)
    }

    /// The declared element type of result `i`.
    pub fn result_dtype(&self, i: usize) -> Result<DType, Fail> {
        let declared = self.results.get(i).map(|t| t.dtype.clone());
        let field = format!("output {i}");
        match declared {
            Some(Ok(dtype)) => Ok(dtype),
            Some(Err(dtype)) => Err(bad(&field, ProblemKind::ElementType { dtype })),
            None => Err(bad(&field, ProblemKind::Missing { part: "such output" })),
        }
    }

    /// The quantization of result `i`, where it is quantized.
    pub fn result_quant(&self, i: usize) -> Option<Quant> {
        self.results.get(i).and_then(|t| t.quant.clone()).filter(|_| self.result_dtype(i).is_ok_and(DType::is_int))
    }

    /// The stored number that stands for 0 in operand `i`, as a rank-0 value of its type.
    pub fn zero(&mut self, i: usize) -> Result<ValueId, Fail> {
        let operand = self.whole(i)?;
        let dtype = self.b.dtype(operand.value)?;
        let zero = match &operand.quant {
            None => 0,
            Some(q) => q.single().ok_or_else(|| unsupported("padding of per-channel data"))?.1,
        };
        Ok(self.b.literal(Literal::from_i64(dtype, zero))?)
    }

    /// A fused activation, on real numbers.
    pub fn activated(&mut self, v: ValueId, f: tflite::ActivationFunctionType) -> Result<ValueId, Fail> {
        Ok(match activation(f)? {
            Activation::Clamp(lo, hi) => {
                let v = match lo {
                    Some(lo) => self.b.with(egret_ir::op::scalar::Scalar::Max, v, lo)?,
                    None => v,
                };
                match hi {
                    Some(hi) => self.b.with(egret_ir::op::scalar::Scalar::Min, v, hi)?,
                    None => v,
                }
            }
            Activation::Tanh => self.b.map(egret_ir::op::scalar::Scalar::Tanh, &[v])?,
        })
    }
}

/// What a fused activation does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// Keeps values inside these bounds.
    Clamp(Option<f64>, Option<f64>),
    /// Hyperbolic tangent.
    Tanh,
}

/// The function behind a fused activation's code.
pub fn activation(f: tflite::ActivationFunctionType) -> Result<Activation, Fail> {
    Ok(match f {
        tflite::ActivationFunctionType::NONE => Activation::Clamp(None, None),
        tflite::ActivationFunctionType::RELU => Activation::Clamp(Some(0.0), None),
        tflite::ActivationFunctionType::RELU_N1_TO_1 => Activation::Clamp(Some(-1.0), Some(1.0)),
        tflite::ActivationFunctionType::RELU6 => Activation::Clamp(Some(0.0), Some(6.0)),
        tflite::ActivationFunctionType::TANH => Activation::Tanh,
        other => {
            let name = other.variant_name().map_or_else(|| other.0.to_string(), str::to_owned);
            return Err(unsupported(format!("fused activation {name}")));
        }
    })
}
