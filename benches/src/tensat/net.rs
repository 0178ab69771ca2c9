//! Layers, as the readers of models lower them: convolutions and pools are contractions and folds over windows.

use egret_ir::build::Builder;
use egret_ir::graph::InputDecl;
use egret_ir::infer::TypeError;
use egret_ir::op::Monoid;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::{DType, Dim, Graph, Tensor, Type, ValueId};

/// A value, or why the layer does not fit its operands.
pub type Layer = Result<ValueId, TypeError>;

/// Cells before and after each of two axes.
#[derive(Clone, Copy)]
pub enum Padding {
    /// None.
    Valid,
    /// As many as give ⌈extent / stride⌉ results; an odd one comes after.
    Same,
    /// As given, on both sides.
    Both(i64, i64),
}

/// A network under construction, with weights from a seed.
pub struct Net {
    b: Builder,
    state: u64,
}

impl Net {
    /// An empty network.
    pub fn new(name: &str) -> Self {
        let seed =
            name.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
        Self { b: Builder::new(name), state: seed | 1 }
    }

    /// The finished graph.
    pub fn finish(mut self, outputs: &[ValueId]) -> Graph {
        for (i, v) in outputs.iter().enumerate() {
            self.b.graph_mut().output(&format!("y{i}"), *v);
        }
        self.b.finish()
    }

    /// An input.
    pub fn input(&mut self, name: &str, shape: &[usize]) -> ValueId {
        self.b.input(InputDecl { name: name.into(), ty: Type::fixed(DType::F32, shape), default: None })
    }

    /// Uniform weights of variance 2 / `fan_in` (He et al., ICCV 2015), so that values keep their size over many layers.
    pub fn weight(&mut self, shape: &[usize], fan_in: usize) -> ValueId {
        let bound = (6.0 / fan_in.max(1) as f32).sqrt();
        self.uniform(shape, -bound, bound)
    }

    fn uniform(&mut self, shape: &[usize], low: f32, high: f32) -> ValueId {
        let mut bytes = Vec::with_capacity(4 * shape.iter().product::<usize>());
        for _ in 0..shape.iter().product::<usize>() {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let unit = (self.state >> 40) as f32 / (1u64 << 24) as f32;
            bytes.extend((low + unit * (high - low)).to_le_bytes());
        }
        let tensor = Tensor::new(DType::F32, shape, bytes);
        self.b.constant(tensor.unwrap_or_else(|e| unreachable!("as many bytes as elements: {e}")))
    }

    /// Extent of an axis; all are numbers here.
    pub fn extent(&self, v: ValueId, axis: usize) -> usize {
        let shape = self.b.shape(v).unwrap_or_default();
        shape.get(axis).and_then(Dim::as_const).map_or(0, |n| n as usize)
    }

    /// An elementwise function.
    pub fn map(&mut self, f: Scalar, args: &[ValueId]) -> Layer {
        self.b.map(f, args)
    }

    /// max(x, 0).
    pub fn relu(&mut self, x: ValueId) -> Layer {
        self.b.with(Scalar::Max, x, 0.0)
    }

    /// Operands along an axis.
    pub fn concat(&mut self, axis: usize, parts: &[ValueId]) -> Layer {
        self.b.concat(axis, parts)
    }

    /// Other extents.
    pub fn reshape(&mut self, x: ValueId, shape: &[usize]) -> Layer {
        let shape: Vec<Dim> = shape.iter().map(|d| Dim::from(*d)).collect();
        self.b.reshape(x, &shape)
    }

    /// Axes in another order.
    pub fn permute(&mut self, x: ValueId, axes: &[usize]) -> Layer {
        self.b.permute(x, axes)
    }

    /// A contraction by einsum labels.
    pub fn einsum(&mut self, a: ValueId, b: ValueId, ins: [&str; 2], out: &str) -> Layer {
        let spec = Spec::plain(&ins, out)?;
        self.b.contract(spec, a, b, DType::F32, DType::F32)
    }

    /// x·W for a weight of its own.
    pub fn dense(&mut self, x: ValueId, width: usize) -> Layer {
        let k = self.extent(x, 1);
        let w = self.weight(&[k, width], k);
        self.einsum(x, w, ["ab", "bc"], "ac")
    }

    /// x·W for a positive weight of its own that takes values about 1 to values about `gain`. Where values are multiplied
    /// by each other and nothing normalizes them, any other weights end in infinity or in subnormal numbers.
    pub fn dense_about(&mut self, x: ValueId, width: usize, gain: f32) -> Layer {
        let k = self.extent(x, 1);
        let w = self.uniform(&[k, width], 0.0, 2.0 * gain / k as f32);
        self.einsum(x, w, ["ab", "bc"], "ac")
    }

    /// The window and the number of results on each of two axes.
    fn windows(
        &self,
        x: ValueId,
        at: usize,
        kernel: [usize; 2],
        stride: i64,
        padding: Padding,
    ) -> ([i64; 2], [i64; 2]) {
        let (mut lo, mut out) = ([0; 2], [0; 2]);
        for i in 0..2 {
            let (d, k) = (self.extent(x, at + i) as i64, kernel[i] as i64);
            let hi;
            (lo[i], hi) = match padding {
                Padding::Valid => (0, 0),
                Padding::Same => {
                    let total = (((d + stride - 1) / stride - 1) * stride + k - d).max(0);
                    (total / 2, total - total / 2)
                }
                Padding::Both(h, w) => ([h, w][i], [h, w][i]),
            };
            out[i] = (d + lo[i] + hi - k) / stride + 1;
        }
        (lo, out)
    }

    /// A convolution of `[n, c, h, w]` with weights of its own; `groups` parts of the channels by themselves.
    pub fn conv(
        &mut self,
        x: ValueId,
        channels: usize,
        kernel: [usize; 2],
        stride: i64,
        padding: Padding,
        groups: usize,
    ) -> Layer {
        let (n, c) = (self.extent(x, 0), self.extent(x, 1));
        let (lo, out) = self.windows(x, 2, kernel, stride, padding);
        let (inner, each) = (c / groups, channels / groups);
        let fan_in = inner * kernel[0] * kernel[1];
        let l = |i: u8| Ix::Label(Label(i));
        let window = |out: u8, tap: u8, lo: i64| {
            Ix::Window(Window { out: Label(out), tap: Label(tap), stride, dil: 1, lo, in_dil: 1 })
        };
        let (h, w) = (self.extent(x, 2), self.extent(x, 3));
        let grouped = groups > 1;
        // Labels of the result, then those folded: n (g) m oh ow | c kh kw.
        let g = u8::from(grouped);
        let (m, oh, ow, ci, kh, kw) = (1 + g, 2 + g, 3 + g, 4 + g, 5 + g, 6 + g);
        let mut data = vec![l(0)];
        let mut weight = Vec::new();
        let mut shape = Vec::new();
        let mut x = x;
        if grouped {
            x = self.reshape(x, &[n, groups, inner, h, w])?;
            data.push(l(1));
            weight.push(l(1));
            shape.push(groups);
        }
        data.extend([l(ci), window(oh, kh, lo[0]), window(ow, kw, lo[1])]);
        weight.extend([l(m), l(ci), l(kh), l(kw)]);
        shape.extend([each, inner, kernel[0], kernel[1]]);
        let labels: Vec<Label> = (0..=ow).map(Label).collect();
        let extents = [(oh, out[0]), (ow, out[1]), (kh, kernel[0] as i64), (kw, kernel[1] as i64)];
        let spec = Spec::new(&[data, weight], &labels, &extents.map(|(l, d)| (Label(l), Dim::from(d))))?;
        let weight = self.weight(&shape, fan_in);
        let y = self.b.contract(spec, x, weight, DType::F32, DType::F32)?;
        if grouped { self.reshape(y, &[n, channels, out[0] as usize, out[1] as usize]) } else { Ok(y) }
    }

    /// A pool of `[n, c, h, w]`: maximum, or mean over all cells of the window, those outside counting as zeros.
    pub fn pool(&mut self, monoid: Monoid, x: ValueId, kernel: [usize; 2], stride: i64, padding: Padding) -> Layer {
        let (lo, out) = self.windows(x, 2, kernel, stride, padding);
        let window = |out: u8, tap: u8, lo: i64| {
            Ix::Window(Window { out: Label(out), tap: Label(tap), stride, dil: 1, lo, in_dil: 1 })
        };
        let ins = vec![Ix::Label(Label(0)), Ix::Label(Label(1)), window(2, 4, lo[0]), window(3, 5, lo[1])];
        let extents = [(2, out[0]), (3, out[1]), (4, kernel[0] as i64), (5, kernel[1] as i64)];
        let extents = extents.map(|(l, d)| (Label(l), Dim::from(d)));
        let spec = Spec::new(&[ins], &[0, 1, 2, 3].map(Label), &extents)?;
        let y = self.b.reduce(monoid, spec, x)?;
        if monoid == Monoid::Sum { self.b.with(Scalar::Mul, y, 1.0 / (kernel[0] * kernel[1]) as f64) } else { Ok(y) }
    }

    /// The mean over the last two axes.
    pub fn global_mean(&mut self, x: ValueId) -> Layer {
        self.b.mean(x, &[2, 3])
    }
}
