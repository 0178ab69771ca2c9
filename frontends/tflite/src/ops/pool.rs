//! Pools: folds over windows of the two spatial axes. A cell outside the data is skipped, also in the count of an
//! average.

use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec};
use egret_ir::{Dim, Literal, Shape, Tensor, ValueId};

use super::conv::{FROM_NCHW, TO_NCHW, Windows};
use super::{Row, moves, real};
use crate::error::ProblemKind;
use crate::lower::{Fail, Lower, Results, bad, unsupported};

pub const ROWS: &[Row] = &[
    moves("MAX_POOL_2D", (1, 1), |l| {
        let p = Pool::of(l)?;
        let y = p.fold(l, Monoid::Max, p.x)?;
        p.done(l, y)
    }),
    real("AVERAGE_POOL_2D", (1, 1), |l| {
        let p = Pool::of(l)?;
        let y = p.mean(l, p.x)?;
        p.done(l, y)
    }),
    real("L2_POOL_2D", (1, 1), |l| {
        let p = Pool::of(l)?;
        let square = l.b.map(Scalar::Mul, &[p.x, p.x])?;
        let y = p.mean(l, square)?;
        let y = l.b.map(Scalar::Sqrt, &[y])?;
        p.done(l, y)
    }),
];

/// A table of counts is no larger than this.
const MAX_TABLE: i64 = 1 << 22;

/// The windows over the data, whose axes are batch, channels, height, width.
struct Pool {
    x: ValueId,
    windows: Windows,
    activation: crate::schema::tflite::ActivationFunctionType,
}

fn label(i: usize) -> Label {
    Label(i as u8)
}

impl Pool {
    fn of(l: &mut Lower<'_>) -> Result<Self, Fail> {
        let s = l.shape_of(0, 4)?;
        let Some(o) = l.table.builtin_options_as_pool_2_doptions() else {
            return Err(bad("options", ProblemKind::Missing { part: "options" }));
        };
        let kernel = [i64::from(o.filter_height()), i64::from(o.filter_width())];
        let strides = [i64::from(o.stride_h()), i64::from(o.stride_w())];
        let windows = Windows::new(&s[1..3], kernel, strides, [1, 1], o.padding())?;
        let activation = o.fused_activation_function();
        let x = l.operand(0)?;
        Ok(Self { x: l.b.permute(x, &TO_NCHW)?, windows, activation })
    }

    /// `{n c s·o+r−lo… -> n c o…}`, or without the first two axes.
    fn spec(&self, lead: usize) -> Result<Spec, Fail> {
        let mut axes: Vec<Ix> = (0..lead).map(|i| Ix::Label(label(i))).collect();
        let windows = self.windows.axes([label(lead), label(lead + 1)], [label(lead + 2), label(lead + 3)]);
        axes.extend(windows.iter().map(|w| Ix::Window(*w)));
        let ext = self.windows.extents([label(lead), label(lead + 1)], [label(lead + 2), label(lead + 3)]);
        Ok(Spec::new(&[axes], &(0..lead + 2).map(label).collect::<Vec<_>>(), &ext)?)
    }

    fn fold(&self, l: &mut Lower<'_>, monoid: Monoid, x: ValueId) -> Result<ValueId, Fail> {
        Ok(l.b.reduce(monoid, self.spec(2)?, x)?)
    }

    fn mean(&self, l: &mut Lower<'_>, x: ValueId) -> Result<ValueId, Fail> {
        let sum = self.fold(l, Monoid::Sum, x)?;
        let dtype = l.b.dtype(sum)?;
        let w = &self.windows;
        if w.lo == [0, 0] && w.valid {
            return Ok(l.b.with(Scalar::Div, sum, (w.kernel[0] * w.kernel[1]) as f64)?);
        }
        let shape: Shape = l.shape(sum)?;
        let n = match w.counts() {
            Some([rows, columns]) if (rows.len() * columns.len()) as i64 <= MAX_TABLE => {
                let table = rows.iter().flat_map(|r| columns.iter().map(move |c| r * c));
                let bytes: Vec<u8> = table.flat_map(|c| Literal::from_i64(dtype, c).to_le_bytes()).collect();
                let t = Tensor::new(dtype, vec![rows.len(), columns.len()], bytes);
                l.b.constant(t.map_err(|e| unsupported(e.to_string()))?)
            }
            _ => {
                // The same counts as a fold over ones.
                let ones = l.b.splat(Literal::from_f64(dtype, 1.0), &l.shape(x)?[2..])?;
                l.b.reduce(Monoid::Sum, self.spec(0)?, ones)?
            }
        };
        let n = l.b.broadcast(n, &shape)?;
        Ok(l.b.map(Scalar::Div, &[sum, n])?)
    }

    /// The fused activation, in the stored numbers where those are the data, and the axes in their order again.
    fn done(&self, l: &mut Lower<'_>, y: ValueId) -> Results {
        let y = l.b.permute(y, &FROM_NCHW)?;
        let quant = l.result_quant(0).filter(|_| l.b.dtype(y).is_ok_and(egret_ir::DType::is_int));
        let y = match quant {
            None => l.activated(y, self.activation)?,
            Some(q) => super::contract::activated_stored(l, y, &q, self.activation)?,
        };
        Ok(vec![y])
    }
}

/// The extents of a spatial axis must be positive for a pool or convolution to have a result.
pub fn positive(d: &Dim) -> bool {
    d.as_const().is_none_or(|c| c > 0)
}
