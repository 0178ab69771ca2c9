//! Small expressions that lowerings of several families build.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::{DType, Dim, Literal, ValueId};

use crate::known::Known;
use crate::lower::{Fail, Lower, opaque};

/// Tensors have no more axes than this.
const MAX_RANK: i64 = 64;

impl Lower<'_> {
    /// A scalar row of a value and an extent, in the value's type.
    pub fn with_dim(&mut self, s: Scalar, v: ValueId, d: &Dim) -> Result<ValueId, Fail> {
        let t = self.tensor(v)?;
        let d = self.dim(d, t.dtype)?;
        let d = self.insert(d, t.shape.into_iter().enumerate().collect())?;
        self.map(s, &[v, d])
    }

    /// A scalar row of an i64 value and a number, exactly.
    pub fn map_i64(&mut self, s: Scalar, v: ValueId, n: i64) -> Result<ValueId, Fail> {
        let shape = self.shape(v)?;
        let n = self.splat(Literal::i64(n), &shape)?;
        self.map(s, &[v, n])
    }

    /// `0, 1, …` along one axis of a shape.
    pub fn ramp(&mut self, axis: usize, shape: &[Dim], dtype: DType) -> Result<ValueId, Fail> {
        let i = self.iota(&shape[axis], dtype)?;
        self.spread(i, &[axis], shape)
    }

    /// A scalar row of two values of equal shapes.
    pub fn both(&mut self, s: Scalar, a: ValueId, b: ValueId) -> Result<ValueId, Fail> {
        self.map(s, &[a, b])
    }

    /// a + b.
    pub fn add(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Fail> {
        self.map(Scalar::Add, &[a, b])
    }

    /// a · b.
    pub fn mul(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, Fail> {
        self.map(Scalar::Mul, &[a, b])
    }

    /// A rank-0 value repeated to a shape.
    pub fn fill(&mut self, v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        self.insert(v, shape.iter().cloned().enumerate().collect())
    }

    /// ≠ 0.
    pub fn truth(&mut self, v: ValueId) -> Result<ValueId, Fail> {
        let t = self.tensor(v)?;
        if t.dtype == DType::Bool {
            return Ok(v);
        }
        let zero = self.splat(Literal::from_i64(t.dtype, 0), &t.shape)?;
        let same = self.map(Scalar::Eq, &[v, zero])?;
        self.map(Scalar::Not, &[same])
    }

    /// `lo ≤ v < hi`, for integers.
    pub fn inside(&mut self, v: ValueId, extent: &Dim) -> Result<ValueId, Fail> {
        let zero = self.with_left(Scalar::Le, 0.0, v)?;
        let below = self.with_dim(Scalar::Lt, v, extent)?;
        self.map(Scalar::And, &[zero, below])
    }

    /// Clamped to the positions of an axis.
    pub fn clamp_index(&mut self, v: ValueId, extent: &Dim) -> Result<ValueId, Fail> {
        let low = self.with(Scalar::Max, v, 0.0)?;
        self.with_dim(Scalar::Min, low, &(extent.clone() - Dim::ONE))
    }

    /// The number of true elements of a mask of rank 1, as `i64[]`.
    pub fn count_true(&mut self, mask: ValueId) -> Result<ValueId, Fail> {
        let ones = self.cast(mask, DType::I64)?;
        self.fold(Monoid::Sum, ones, &[0], DType::I64)
    }

    /// Values of equal shape as the last axis of one.
    pub fn stack_last(&mut self, parts: &[ValueId]) -> Result<ValueId, Fail> {
        let mut wide = Vec::with_capacity(parts.len());
        for v in parts {
            let mut shape = self.shape(*v)?;
            shape.push(Dim::ONE);
            wide.push(self.reshape(*v, &shape)?);
        }
        let axis = self.rank(wide[0])? - 1;
        self.concat(axis, &wide)
    }

    /// The elements of a vector of known length, each as rank 0.
    pub fn scalars(&mut self, v: ValueId, count: usize) -> Result<Vec<ValueId>, Fail> {
        (0..count)
            .map(|i| {
                let one = self.slice_axis(v, 0, Dim::from(i), Dim::ONE)?;
                self.reshape(one, &[])
            })
            .collect()
    }

    /// A number of any type, where known.
    pub fn scalar_f64(&self, v: ValueId) -> Option<f64> {
        use egret_ir::op::{Const, Op};
        match &self.graph.node(v).op {
            Op::Const(Const::Scalar(l)) => Some(l.to_f64()),
            Op::Const(Const::Dense(id)) => {
                let t = self.graph.tables.tensor(*id);
                (t.len() == 1).then(|| t.get(0).to_f64())
            }
            _ => {
                let known: Known = self.known(v)?;
                match (known.numbers(), known.floats()) {
                    (Some(n), _) => n.first().map(|n| *n as f64),
                    (None, Some(f)) => f.first().map(|f| f64::from(*f)),
                    (None, None) => None,
                }
            }
        }
    }
}

/// Extents given as values: known ones as they are, others as extents that only data decides.
impl Lower<'_> {
    /// The number of elements of a vector, which must be known: it is a rank.
    pub fn vector_length(&self, field: &str, v: ValueId) -> Result<usize, Fail> {
        let t = self.tensor_type(v)?;
        match t.shape.as_slice() {
            [d] => match d.as_const() {
                Some(n) if n <= MAX_RANK => Ok(n as usize),
                Some(n) => Err(self.value(field, &format!("{n} numbers"), &format!("{MAX_RANK} at most"))),
                None => Err(opaque(format!("a rank that is not known before the model runs ({field})"))),
            },
            _ => Err(self.value(field, &t.to_string(), "a vector")),
        }
    }

    /// The elements of an integer vector (or of a scalar, which counts as one) of `count` elements as lengths: none may
    /// be negative.
    pub fn lengths(&mut self, field: &str, v: ValueId, count: usize) -> Result<Vec<Dim>, Fail> {
        if let Some(dims) = self.dims(v) {
            if dims.len() != count {
                return Err(self.value(field, &format!("{dims:?}"), &format!("{count} numbers")));
            }
            return Ok(dims);
        }
        let t = self.tensor(v)?;
        let len = egret_ir::dim::count(&t.shape);
        if len.as_const().is_none_or(|n| n != count as i64) {
            return Err(self.value(field, &t.to_string(), &format!("{count} numbers")));
        }
        let whole = self.cast(v, DType::I64)?;
        let whole = self.reshape(whole, &[Dim::from(count)])?;
        let parts = self.scalars(whole, count)?;
        Ok(parts.into_iter().map(|p| self.extent_of(p, None)).collect())
    }
}
