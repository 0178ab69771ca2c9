//! Arrays of a scalar domain, and walks over their indices.

use std::sync::Arc;

use half::{bf16, f16};

use super::domain::Domain;
use super::error::Trap;
use super::ints::wrap;
use crate::dtype::{DType, Literal};
use crate::tensor::Tensor;

/// Arrays above this many elements are refused with [`Trap::TooLarge`] before any memory is taken.
pub const MAX_ELEMENTS: usize = 1 << 31;

/// The elements of an array, row-major and shared. Floats are the domain's; integers of every width are sign- or
/// zero-extended to 64 bits (u64 reinterpreted) and always in their type's range.
#[derive(Clone, Debug, PartialEq)]
pub enum Data<F> {
    /// Elements of a float type.
    Float(Arc<Vec<F>>),
    /// Elements of an integer type.
    Int(Arc<Vec<i64>>),
    /// Truth values.
    Bool(Arc<Vec<bool>>),
}

/// A dense row-major array over a domain's floats. Cloning and reshaping share the elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<F> {
    dtype: DType,
    shape: Vec<usize>,
    data: Data<F>,
}

/// The number of elements of a shape, unless it is beyond [`MAX_ELEMENTS`].
pub fn count(shape: &[usize]) -> Result<usize, Trap> {
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1usize, |n, d| n.checked_mul(*d))
        .filter(|n| *n <= MAX_ELEMENTS)
        .ok_or_else(|| Trap::TooLarge { shape: shape.to_vec() })
}

impl<F: Copy> Array<F> {
    /// A float array; `dtype` is the declared type.
    pub fn float(dtype: DType, shape: impl Into<Vec<usize>>, data: Vec<F>) -> Self {
        Self::new(dtype, shape.into(), Data::Float(Arc::new(data)))
    }

    /// An integer array; elements are wrapped to the type's range.
    pub fn int(dtype: DType, shape: impl Into<Vec<usize>>, mut data: Vec<i64>) -> Self {
        if dtype.size() < 8 {
            for x in &mut data {
                *x = wrap(dtype, *x);
            }
        }
        Self::new(dtype, shape.into(), Data::Int(Arc::new(data)))
    }

    /// A boolean array.
    pub fn bool(shape: impl Into<Vec<usize>>, data: Vec<bool>) -> Self {
        Self::new(DType::Bool, shape.into(), Data::Bool(Arc::new(data)))
    }

    /// An array of the given elements; panics where their number is not the shape's or their sort not the type's.
    pub fn new(dtype: DType, shape: Vec<usize>, data: Data<F>) -> Self {
        let array = Self { dtype, shape, data };
        assert_eq!(array.shape.iter().product::<usize>(), array.len(), "element count of {:?}", array.shape);
        let fits = match &array.data {
            Data::Float(_) => dtype.is_float(),
            Data::Int(_) => dtype.is_int(),
            Data::Bool(_) => dtype == DType::Bool,
        };
        assert!(fits, "elements of another sort than {dtype}");
        array
    }

    /// Element type as declared in the graph.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Float(v) => v.len(),
            Data::Int(v) => v.len(),
            Data::Bool(v) => v.len(),
        }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements.
    pub fn data(&self) -> &Data<F> {
        &self.data
    }

    /// The elements, where the type is a float type.
    pub fn floats(&self) -> Option<&[F]> {
        match &self.data {
            Data::Float(v) => Some(v),
            Data::Int(_) | Data::Bool(_) => None,
        }
    }

    /// The elements, where the type is an integer type.
    pub fn ints(&self) -> Option<&[i64]> {
        match &self.data {
            Data::Int(v) => Some(v),
            Data::Float(_) | Data::Bool(_) => None,
        }
    }

    /// The elements, where the type is bool.
    pub fn bools(&self) -> Option<&[bool]> {
        match &self.data {
            Data::Bool(v) => Some(v),
            Data::Float(_) | Data::Int(_) => None,
        }
    }

    /// The same elements under another shape of equal count.
    pub fn reshaped(&self, shape: impl Into<Vec<usize>>) -> Self {
        Self::new(self.dtype, shape.into(), self.data.clone())
    }

    /// The elements as floats; panics on another sort, which [`crate::check`] rules out.
    pub(super) fn f(&self) -> &[F] {
        self.floats().expect("float elements")
    }

    /// The elements as integers; panics on another sort.
    pub(super) fn i(&self) -> &[i64] {
        self.ints().expect("integer elements")
    }

    /// The elements as truth values; panics on another sort.
    pub(super) fn b(&self) -> &[bool] {
        self.bools().expect("boolean elements")
    }
}

/// New elements of the same sort: `moved!(data, v => expression over a slice v giving a Vec)`.
macro_rules! moved {
    ($data:expr, $v:ident => $e:expr) => {
        match $data {
            Data::Float($v) => Data::Float(std::sync::Arc::new($e)),
            Data::Int($v) => Data::Int(std::sync::Arc::new($e)),
            Data::Bool($v) => Data::Bool(std::sync::Arc::new($e)),
        }
    };
}
pub(super) use moved;

/// Row-major strides of a shape.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Calls `visit` with every index of a shape, row-major.
pub fn each_index(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = vec![0; shape.len()];
    loop {
        visit(&index);
        let mut axis = shape.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The elements `source[base + Σ index·stride]` for every index of `shape`, row-major. Every position must be inside.
pub fn strided<T: Copy>(source: &[T], base: i64, shape: &[usize], strides: &[i64]) -> Vec<T> {
    let total: usize = shape.iter().product();
    let mut out = Vec::with_capacity(total);
    if total == 0 {
        return out;
    }
    let Some((&row, outer)) = shape.split_last() else {
        out.push(source[base as usize]);
        return out;
    };
    let (step, outer_strides) = (strides[outer.len()], &strides[..outer.len()]);
    let unit = strides.iter().zip(shape).rposition(|(s, n)| *s == 1 && *n >= TILE);
    if let (Some(unit), true) = (unit, row >= TILE && step > 1) {
        return transposed(source, base, shape, strides, unit);
    }
    let mut index = vec![0usize; outer.len()];
    let mut at = base;
    loop {
        match step {
            1 => out.extend_from_slice(&source[at as usize..at as usize + row]),
            0 => out.extend(std::iter::repeat_n(source[at as usize], row)),
            _ => out.extend((0..row as i64).map(|i| source[(at + i * step) as usize])),
        }
        let mut axis = outer.len();
        loop {
            if axis == 0 {
                return out;
            }
            axis -= 1;
            index[axis] += 1;
            at += outer_strides[axis];
            if index[axis] < outer[axis] {
                break;
            }
            at -= outer_strides[axis] * outer[axis] as i64;
            index[axis] = 0;
        }
    }
}

/// Side of the tiles of [`transposed`].
const TILE: usize = 16;

/// [`strided`] where axis `unit` runs through the source in unit steps and the last axis does not: in square tiles of both,
/// so that each cache line read is used whole.
fn transposed<T: Copy>(source: &[T], base: i64, shape: &[usize], steps: &[i64], unit: usize) -> Vec<T> {
    let out_steps = strides(shape);
    let (last, width, height) = (shape.len() - 1, shape[shape.len() - 1], shape[unit]);
    let mut others = shape.to_vec();
    (others[last], others[unit]) = (1, 1);
    let mut out = vec![source[base as usize]; shape.iter().product()];
    each_index(&others, |index| {
        let from = base + index.iter().zip(steps).map(|(i, s)| *i as i64 * s).sum::<i64>();
        let to: usize = index.iter().zip(&out_steps).map(|(i, s)| i * s).sum();
        for y in (0..height).step_by(TILE) {
            for x in (0..width).step_by(TILE) {
                for j in y..height.min(y + TILE) {
                    let row = to + j * out_steps[unit];
                    for i in x..width.min(x + TILE) {
                        out[row + i] = source[(from + j as i64 + i as i64 * steps[last]) as usize];
                    }
                }
            }
        }
    });
    out
}

/// The array of a tensor: floats lifted into the domain, all else exact.
pub fn from_tensor<D: Domain>(domain: &D, t: &Tensor) -> Array<D::Float> {
    let (dtype, shape) = (t.dtype(), t.shape().to_vec());
    if dtype.is_float() {
        let lift = |x: f64| domain.lift(dtype, x);
        let bytes = t.bytes();
        let data = match dtype {
            DType::F32 => bytes.as_chunks().0.iter().map(|b| lift(f64::from(f32::from_le_bytes(*b)))).collect(),
            DType::F64 => bytes.as_chunks().0.iter().map(|b| lift(f64::from_le_bytes(*b))).collect(),
            DType::F16 => bytes.as_chunks().0.iter().map(|b| lift(f16::from_le_bytes(*b).to_f64())).collect(),
            _ => bytes.as_chunks().0.iter().map(|b| lift(bf16::from_le_bytes(*b).to_f64())).collect(),
        };
        return Array::float(dtype, shape, data);
    }
    if dtype == DType::Bool {
        return Array::bool(shape, t.bytes().iter().map(|b| *b != 0).collect());
    }
    let data = match dtype {
        DType::U8 => t.bytes().iter().map(|b| i64::from(*b)).collect(),
        DType::I8 => t.bytes().iter().map(|b| i64::from(*b as i8)).collect(),
        DType::I64 | DType::U64 => t.bytes().as_chunks().0.iter().map(|b| i64::from_le_bytes(*b)).collect(),
        _ => (0..t.len()).map(|i| t.get(i).to_i64()).collect(),
    };
    Array::int(dtype, shape, data)
}

/// The array of a literal, rank 0.
pub fn from_literal<D: Domain>(domain: &D, l: Literal) -> Array<D::Float> {
    from_tensor(domain, &Tensor::scalar(l))
}

impl Array<f64> {
    /// The tensor of the declared type; floats are rounded to it.
    pub fn to_tensor(&self) -> Tensor {
        let mut bytes = Vec::with_capacity(self.len() * self.dtype.size());
        match &self.data {
            Data::Float(v) => match self.dtype {
                DType::F16 => bytes.extend(v.iter().flat_map(|x| f16::from_f64(*x).to_le_bytes())),
                DType::BF16 => bytes.extend(v.iter().flat_map(|x| bf16::from_f64(*x).to_le_bytes())),
                DType::F64 => bytes.extend(v.iter().flat_map(|x| x.to_le_bytes())),
                _ => bytes.extend(v.iter().flat_map(|x| (*x as f32).to_le_bytes())),
            },
            Data::Int(v) => {
                let size = self.dtype.size();
                for x in v.iter() {
                    bytes.extend_from_slice(&x.to_le_bytes()[..size]);
                }
            }
            Data::Bool(v) => bytes.extend(v.iter().map(|b| u8::from(*b))),
        }
        Tensor::new(self.dtype, self.shape.as_slice(), bytes).expect("as many bytes as elements")
    }
}
