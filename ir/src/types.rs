//! Types of values.

use std::fmt;
use std::sync::Arc;

use crate::dim::{Dim, Shape};
use crate::dtype::DType;

/// Element type and shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorType {
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub shape: Shape,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A tensor of known rank.
    Tensor(TensorType),
    /// Several results of If, Loop, Call or Opaque; taken apart by Proj.
    Tuple(Arc<[Type]>),
    /// A type that no kind computes on: sequences, optionals, strings, tensors of unknown rank. The text describes it.
    Foreign(Arc<str>),
}

impl Type {
    /// A tensor type.
    pub fn tensor(dtype: DType, shape: impl Into<Shape>) -> Self {
        Self::Tensor(TensorType { dtype, shape: shape.into() })
    }

    /// A tensor type with known extents.
    pub fn fixed(dtype: DType, shape: &[usize]) -> Self {
        Self::tensor(dtype, shape.iter().map(|d| Dim::from(*d)).collect::<Shape>())
    }

    /// The tensor type, where it is one.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Self::Tensor(t) => Some(t),
            Self::Tuple(_) | Self::Foreign(_) => None,
        }
    }
}

impl TensorType {
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Extents as numbers, where all are.
    pub fn static_shape(&self) -> Option<Vec<usize>> {
        crate::dim::as_static(&self.shape)
    }

    /// Bytes, where all extents are numbers and the product fits.
    pub fn byte_size(&self) -> Option<usize> {
        self.static_shape()?.into_iter().try_fold(self.dtype.size(), usize::checked_mul)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, d) in self.shape.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{d}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(t) => write!(f, "{t}"),
            Self::Tuple(parts) => {
                f.write_str("(")?;
                for (i, t) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{t}")?;
                }
                f.write_str(")")
            }
            Self::Foreign(text) => write!(f, "foreign \"{text}\""),
        }
    }
}
