//! Resampling by one matrix per axis, for the forms of Resize that the resampling definition does not have: antialiasing,
//! a region of interest with a value outside the data, `tf_half_pixel_for_nn`. Extents must be numbers; the matrices are
//! constants.

use egret_ir::op::call::{Coordinates, NearestMode, ResizeMode};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Ix, Label, Negative, Spec};
use egret_ir::{DType, Dim, Literal, Tensor, ValueId};

use crate::lower::{Fail, Lower, opaque};

/// From a result position to a position of the operand.
#[derive(Clone, Copy)]
pub enum Place {
    /// As in the resampling definition.
    Plain(Coordinates),
    /// (x + ½)/scale, of opset 11 and 12.
    TfHalfPixelForNn,
    /// A region from the first to the second share of the axis.
    Crop(f32, f32),
}

/// How one axis is resampled.
pub struct Axis {
    /// Extent of the operand.
    pub from: i64,
    /// Extent of the result.
    pub to: i64,
    /// Result extent over operand extent, as given or computed.
    pub scale: f32,
    /// Positions.
    pub place: Place,
}

/// What the axes share.
pub struct Filter {
    /// Interpolation.
    pub mode: ResizeMode,
    /// Kernels as wide as the cells of a smaller result.
    pub antialias: bool,
    /// Cells outside the data have no weight, and the others add up to 1.
    pub exclude_outside: bool,
    /// What lies outside the data of a region.
    pub outside: f32,
}

impl Axis {
    fn position(&self, i: i64) -> f32 {
        let (x, from, to, scale) = (i as f32, self.from as f32, self.to as f32, self.scale);
        match self.place {
            Place::TfHalfPixelForNn => (x + 0.5) / scale,
            Place::Crop(start, end) => {
                if self.to > 1 {
                    start * (from - 1.0) + x * (end - start) * (from - 1.0) / (to - 1.0)
                } else {
                    0.5 * (start + end) * (from - 1.0)
                }
            }
            Place::Plain(Coordinates::HalfPixel) => (x + 0.5) / scale - 0.5,
            Place::Plain(Coordinates::PytorchHalfPixel) => {
                if self.to > 1 {
                    (x + 0.5) / scale - 0.5
                } else {
                    0.0
                }
            }
            Place::Plain(Coordinates::AlignCorners) => {
                if self.to > 1 {
                    x * (from - 1.0) / (to - 1.0)
                } else {
                    0.0
                }
            }
            Place::Plain(Coordinates::Asymmetric) => x / scale,
            Place::Plain(Coordinates::HalfPixelSymmetric) => {
                let adjustment = to / (scale * from);
                from / 2.0 * (1.0 - adjustment) + (x + 0.5) / scale - 0.5
            }
        }
    }

    fn changes(&self) -> bool {
        !(self.from == self.to && self.scale == 1.0 && matches!(self.place, Place::Plain(_)))
    }

    /// Result positions that lie outside the data of a region.
    fn beyond(&self) -> Vec<bool> {
        let outside = |x: f32| matches!(self.place, Place::Crop(..)) && !(0.0..=(self.from - 1) as f32).contains(&x);
        (0..self.to).map(|i| outside(self.position(i))).collect()
    }

    fn nearest(&self, mode: NearestMode) -> Vec<i64> {
        let at = |i: i64| {
            let x = self.position(i);
            let part = x - x.floor();
            let up = match mode {
                NearestMode::Floor => false,
                NearestMode::Ceil => part > 0.0,
                NearestMode::RoundPreferFloor => part > 0.5,
                NearestMode::RoundPreferCeil => part >= 0.5,
            };
            (x.floor() as i64 + i64::from(up)).clamp(0, self.from - 1)
        };
        (0..self.to).map(at).collect()
    }

    /// Weights by result position and cell; cells outside count for the nearest one inside, or not at all.
    fn weights(&self, f: &Filter) -> Vec<f64> {
        let kernel = |d: f64| match f.mode {
            ResizeMode::Cubic(a) => cubic(a.to_f64(), d.abs()),
            ResizeMode::Linear | ResizeMode::Nearest(_) => (1.0 - d.abs()).max(0.0),
        };
        let reach = if matches!(f.mode, ResizeMode::Cubic(_)) { 2.0 } else { 1.0 };
        let narrow = if f.antialias { f64::from(self.scale.min(1.0)) } else { 1.0 };
        let mut all = vec![0.0; (self.to * self.from) as usize];
        for i in 0..self.to {
            let x = f64::from(self.position(i));
            let row = &mut all[(i * self.from) as usize..((i + 1) * self.from) as usize];
            let (first, last) = ((x - reach / narrow).floor() as i64, (x + reach / narrow).ceil() as i64);
            for j in first..=last {
                if f.exclude_outside && !(0..self.from).contains(&j) {
                    continue;
                }
                row[j.clamp(0, self.from - 1) as usize] += kernel((j as f64 - x) * narrow);
            }
            let sum: f64 = row.iter().sum();
            for w in row.iter_mut() {
                *w /= sum;
            }
        }
        all
    }
}

/// Cubic convolution (Keys, "Cubic convolution interpolation for digital image processing", 1981).
fn cubic(a: f64, d: f64) -> f64 {
    if d <= 1.0 {
        ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
    } else if d < 2.0 {
        ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
    } else {
        0.0
    }
}

/// Matrices have no more elements than this.
const MAX_MATRIX: i64 = 1 << 24;

/// Axis after axis, those that change.
pub fn apply(l: &mut Lower<'_>, x: ValueId, axes: &[Axis], f: &Filter) -> Result<ValueId, Fail> {
    let dtype = l.dtype(x)?;
    let weighted = !matches!(f.mode, ResizeMode::Nearest(_));
    let work = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let mut y = if weighted { l.cast(x, work)? } else { x };
    for (d, axis) in axes.iter().enumerate().filter(|(_, a)| a.changes()) {
        if axis.from < 1 || axis.to.checked_mul(axis.from).is_none_or(|n| n > MAX_MATRIX) {
            return Err(opaque(format!("an axis of {} cells for one of {}", axis.to, axis.from)));
        }
        y = match f.mode {
            ResizeMode::Nearest(mode) => {
                let at = axis.nearest(mode);
                let at = Tensor::from_slice([at.len()], &at).map_err(|e| opaque(e.to_string()))?;
                let at = l.constant(at)?;
                let spec = GatherSpec::along(axes.len(), d, 1, Negative::Never).map_err(|e| opaque(e.to_string()))?;
                l.gather(spec, y, at)?
            }
            ResizeMode::Linear | ResizeMode::Cubic(_) => product(l, y, d, axis, f, work)?,
        };
        y = outside(l, y, d, axis, f)?;
    }
    l.cast(y, dtype)
}

fn product(l: &mut Lower<'_>, y: ValueId, d: usize, axis: &Axis, f: &Filter, work: DType) -> Result<ValueId, Fail> {
    let bytes: Vec<u8> = axis.weights(f).iter().flat_map(|w| Literal::from_f64(work, *w).to_le_bytes()).collect();
    let matrix = Tensor::new(work, [axis.to as usize, axis.from as usize], bytes).map_err(|e| opaque(e.to_string()))?;
    let matrix = l.constant(matrix)?;
    let rank = l.rank(y)?;
    let label = |i: usize| Label(i as u8);
    let tap = label(rank);
    let own: Vec<Ix> = (0..rank).map(|i| Ix::Label(if i == d { tap } else { label(i) })).collect();
    let out: Vec<Label> = (0..rank).map(label).collect();
    let spec = Spec::new(&[own, vec![Ix::Label(label(d)), Ix::Label(tap)]], &out, &[]);
    l.contract(spec.map_err(|e| opaque(e.to_string()))?, y, matrix, work, work)
}

/// The value outside where a region leaves the data.
fn outside(l: &mut Lower<'_>, y: ValueId, d: usize, axis: &Axis, f: &Filter) -> Result<ValueId, Fail> {
    let beyond = axis.beyond();
    if !beyond.contains(&true) {
        return Ok(y);
    }
    let t = l.tensor(y)?;
    let mask: Vec<u8> = beyond.iter().map(|b| u8::from(*b)).collect();
    let mask = Tensor::new(DType::Bool, [mask.len()], mask).map_err(|e| opaque(e.to_string()))?;
    let mask = l.constant(mask)?;
    let mask = l.spread(mask, &[d], &t.shape)?;
    let value = l.splat(Literal::from_f64(t.dtype, f64::from(f.outside)), &t.shape)?;
    l.map(Scalar::Select, &[mask, value, y])
}

/// Extents as numbers.
pub fn numbers(shape: &[Dim]) -> Result<Vec<i64>, Fail> {
    let list: Option<Vec<i64>> = shape.iter().map(Dim::as_const).collect();
    list.ok_or_else(|| opaque("a filter over an unknown extent"))
}
