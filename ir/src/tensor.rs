//! Dense row-major tensors over shared bytes (owned or memory-mapped).

use bytes::Bytes;
use half::{bf16, f16};

use crate::dtype::{DType, Literal};

/// A dense row-major tensor. Cloning shares the bytes.
#[derive(Clone, Eq)]
pub struct Tensor {
    dtype: DType,
    shape: Box<[usize]>,
    bytes: Bytes,
}

impl PartialEq for Tensor {
    /// To the bit; bytes that both share are not looked at.
    fn eq(&self, other: &Self) -> bool {
        let shared = std::ptr::eq(self.bytes.as_ptr(), other.bytes.as_ptr()) && self.bytes.len() == other.bytes.len();
        self.dtype == other.dtype && self.shape == other.shape && (shared || self.bytes == other.bytes)
    }
}

/// Why bytes are no tensor of a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// Too many or too few bytes.
    #[error("{dtype}{shape:?} takes {expected} bytes, got {got}")]
    Length {
        /// Element type asked for.
        dtype: DType,
        /// Shape asked for.
        shape: Vec<usize>,
        /// Bytes it takes.
        expected: usize,
        /// Bytes given.
        got: usize,
    },
    /// The element count or byte count exceeds the address space.
    #[error("{dtype}{shape:?} is larger than the address space")]
    TooLarge {
        /// Element type asked for.
        dtype: DType,
        /// Shape asked for.
        shape: Vec<usize>,
    },
}

/// Rust types that are elements.
pub trait Element: Copy + 'static {
    /// Their tag.
    const DTYPE: DType;
    /// From little-endian bytes, exactly as long as the type.
    fn read(bytes: &[u8]) -> Self;
    /// Appends little-endian bytes.
    fn write(self, out: &mut Vec<u8>);
}

macro_rules! elements {
    ($($rust:ty => $tag:ident),*) => {$(
        impl Element for $rust {
            const DTYPE: DType = DType::$tag;
            fn read(bytes: &[u8]) -> Self {
                let mut buffer = [0; size_of::<$rust>()];
                buffer.copy_from_slice(bytes);
                <$rust>::from_le_bytes(buffer)
            }
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
elements!(f16 => F16, bf16 => BF16, f32 => F32, f64 => F64, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
          u8 => U8, u16 => U16, u32 => U32, u64 => U64);

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn write(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }
}

impl Tensor {
    /// A tensor over `bytes` (little-endian, row-major).
    pub fn new(dtype: DType, shape: impl Into<Box<[usize]>>, bytes: impl Into<Bytes>) -> Result<Self, TensorError> {
        let (shape, bytes) = (shape.into(), bytes.into());
        let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let Some(expected) = count.and_then(|n| n.checked_mul(dtype.size())) else {
            return Err(TensorError::TooLarge { dtype, shape: shape.to_vec() });
        };
        if expected != bytes.len() {
            return Err(TensorError::Length { dtype, shape: shape.to_vec(), expected, got: bytes.len() });
        }
        Ok(Self { dtype, shape, bytes })
    }

    /// A tensor of the given elements.
    pub fn from_slice<T: Element>(shape: impl Into<Box<[usize]>>, values: &[T]) -> Result<Self, TensorError> {
        let mut bytes = Vec::with_capacity(std::mem::size_of_val(values));
        for v in values {
            v.write(&mut bytes);
        }
        Self::new(T::DTYPE, shape, bytes)
    }

    /// A rank-0 tensor.
    pub fn scalar(value: Literal) -> Self {
        Self { dtype: value.dtype(), shape: Box::default(), bytes: value.to_le_bytes().into() }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes, little-endian and row-major.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The element at a flat index.
    pub fn get(&self, i: usize) -> Literal {
        let size = self.dtype.size();
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(&self.bytes[i * size..(i + 1) * size]);
        Literal::from_bits(self.dtype, u64::from_le_bytes(bits))
    }

    /// All elements, where the type is `T`.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        (T::DTYPE == self.dtype).then(|| self.bytes.chunks_exact(self.dtype.size()).map(T::read).collect())
    }

    /// All elements as `f64` (64-bit integers rounded).
    pub fn to_f64(&self) -> Vec<f64> {
        if let Some(v) = self.to_vec::<f32>() {
            return v.into_iter().map(f64::from).collect();
        }
        (0..self.len()).map(|i| self.get(i).to_f64()).collect()
    }

    /// All elements as `i64`, where the type is an integer or bool.
    pub fn to_i64(&self) -> Option<Vec<i64>> {
        (!self.dtype.is_float()).then(|| (0..self.len()).map(|i| self.get(i).to_i64()).collect())
    }

    /// The element all others equal bitwise; None for an empty tensor.
    pub fn splat(&self) -> Option<Literal> {
        let size = self.dtype.size();
        let mut chunks = self.bytes.chunks_exact(size);
        let first = chunks.next()?;
        chunks.all(|c| c == first).then(|| self.get(0))
    }

    /// The same elements under another shape of equal count.
    pub fn reshaped(&self, shape: impl Into<Box<[usize]>>) -> Result<Self, TensorError> {
        Self::new(self.dtype, shape, self.bytes.clone())
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.dtype, self.shape)?;
        if self.len() <= 16 {
            f.debug_list().entries((0..self.len()).map(|i| self.get(i).to_string())).finish()?;
        }
        Ok(())
    }
}
