//! Attributes of the text form, sort by sort.

use super::super::lex::Kind;
use super::{Parser, Result};
use crate::graph::BodyId;
use crate::op::attrs::{Attr, Head};
use crate::op::call::{
    Activation, Cell, Coordinates, Direction, NearestMode, Recurrent, RecurrentOperands, Resize, ResizeMode,
};
use crate::op::spec::{DataIx, GatherSpec, Ix, Label, Negative, Spec, Window};
use crate::op::{LoopAttrs, LoopExit, PadAxis, Perm, SliceAxis};

impl Parser<'_> {
    pub(super) fn repeat(&mut self) -> Result<Head> {
        let body = BodyId(self.number()?);
        self.expect_word("trip")?;
        self.expect("=")?;
        let trip = if self.eat_word("operand") { None } else { Some(self.dim()?) };
        self.expect_word("exit")?;
        self.expect("=")?;
        let exit = self.one_of(&[("never", LoopExit::Never), ("condition", LoopExit::Condition)])?;
        self.expect_word("carried")?;
        self.expect("=")?;
        let carried = self.number()?;
        self.expect_word("scanned")?;
        self.expect("=")?;
        let scanned = self.number()?;
        Ok(Head::Loop(Box::new(LoopAttrs { body, trip, exit, carried, scanned, results: self.tuple()? })))
    }

    pub(super) fn recurrent(&mut self, cell: Cell) -> Result<Head> {
        let direction = self.one_of(&[
            ("forward", Direction::Forward),
            ("reverse", Direction::Reverse),
            ("bidirectional", Direction::Bidirectional),
        ])?;
        self.expect_word("hidden")?;
        self.expect("=")?;
        let hidden = self.number()?;
        self.expect_word("activations")?;
        self.expect("=")?;
        let activations = self.list("[", "]", &mut Self::activation)?.into();
        let clip = if self.eat_word("clip") {
            self.expect("=")?;
            Some(self.literal()?)
        } else {
            None
        };
        self.expect_word("with")?;
        self.expect("=")?;
        let flags = self.list("[", "]", &mut Self::word)?;
        let has = |name: &str| flags.iter().any(|f| f == name);
        Ok(Head::Recurrent(Box::new(Recurrent {
            cell,
            direction,
            hidden,
            activations,
            clip,
            linear_before_reset: has("linear_before_reset"),
            input_forget: has("input_forget"),
            operands: RecurrentOperands {
                bias: has("bias"),
                lengths: has("lengths"),
                initial_h: has("initial_h"),
                initial_c: has("initial_c"),
                peephole: has("peephole"),
            },
        })))
    }

    fn activation(&mut self) -> Result<Activation> {
        let name = self.word()?;
        let args = if matches!(self.peek().kind, Kind::Punct("(")) {
            self.list("(", ")", &mut Self::literal)?
        } else {
            Vec::new()
        };
        Ok(match (name.as_str(), args.as_slice()) {
            ("relu", []) => Activation::Relu,
            ("tanh", []) => Activation::Tanh,
            ("sigmoid", []) => Activation::Sigmoid,
            ("softsign", []) => Activation::Softsign,
            ("softplus", []) => Activation::Softplus,
            ("affine", [a, b]) => Activation::Affine(*a, *b),
            ("scaled_tanh", [a, b]) => Activation::ScaledTanh(*a, *b),
            ("hard_sigmoid", [a, b]) => Activation::HardSigmoid(*a, *b),
            ("leaky_relu", [a]) => Activation::LeakyRelu(*a),
            ("thresholded_relu", [a]) => Activation::ThresholdedRelu(*a),
            ("elu", [a]) => Activation::Elu(*a),
            _ => return self.fail(format!("`{name}` with {} parameters is no activation", args.len())),
        })
    }

    pub(super) fn resize(&mut self) -> Result<Head> {
        let mode = match self.word()?.as_str() {
            "linear" => ResizeMode::Linear,
            "cubic" => {
                self.expect("(")?;
                let a = self.literal()?;
                self.expect(")")?;
                ResizeMode::Cubic(a)
            }
            "nearest.round_prefer_floor" => ResizeMode::Nearest(NearestMode::RoundPreferFloor),
            "nearest.round_prefer_ceil" => ResizeMode::Nearest(NearestMode::RoundPreferCeil),
            "nearest.floor" => ResizeMode::Nearest(NearestMode::Floor),
            "nearest.ceil" => ResizeMode::Nearest(NearestMode::Ceil),
            other => return self.fail(format!("`{other}` is no interpolation")),
        };
        let coordinates = self.one_of(&[
            ("half_pixel", Coordinates::HalfPixel),
            ("half_pixel_symmetric", Coordinates::HalfPixelSymmetric),
            ("pytorch_half_pixel", Coordinates::PytorchHalfPixel),
            ("align_corners", Coordinates::AlignCorners),
            ("asymmetric", Coordinates::Asymmetric),
        ])?;
        self.expect_word("sizes")?;
        self.expect("=")?;
        let sizes = self.list("[", "]", &mut Self::dim)?.into();
        let scales = if self.eat_word("scales") {
            self.expect("=")?;
            Some(self.list("[", "]", &mut Self::literal)?.into())
        } else {
            None
        };
        let exclude_outside = self.eat_word("exclude_outside");
        Ok(Head::Resize(Box::new(Resize { mode, coordinates, sizes, scales, exclude_outside })))
    }

    pub(super) fn attr(&mut self, sort: Sort) -> Result<Attr> {
        Ok(match sort {
            Sort::Dim => Attr::Dim(self.dim()?),
            Sort::Dims => Attr::Dims(self.list("[", "]", &mut Self::dim)?),
            Sort::Perm => {
                let axes = self.list("[", "]", &mut Self::number::<usize>)?;
                match Perm::new(&axes) {
                    Some(p) => Attr::Perm(p),
                    None => return self.fail(format!("{axes:?} is no permutation")),
                }
            }
            Sort::Insert => Attr::Insert(
                self.list("[", "]", &mut |p| {
                    let at = p.number::<u8>()?;
                    p.expect(":")?;
                    Ok((at, p.dim()?))
                })?
                .into(),
            ),
            Sort::Slices => Attr::Slices(
                self.list("[", "]", &mut |p| {
                    let start = p.dim()?;
                    p.expect(":")?;
                    let len = p.dim()?;
                    let step = if p.eat(":") { p.number()? } else { 1 };
                    Ok(SliceAxis { start, step, len })
                })?
                .into(),
            ),
            Sort::Pads => Attr::Pads(
                self.list("[", "]", &mut |p| {
                    let lo = p.dim()?;
                    p.expect(":")?;
                    let hi = p.dim()?;
                    let inner = if p.eat(":") { p.number()? } else { 0 };
                    Ok(PadAxis { lo, hi, inner })
                })?
                .into(),
            ),
            Sort::Axis => Attr::Axis(self.number()?),
            Sort::Spec => Attr::Spec(self.spec()?),
            Sort::Gather => Attr::Gather(self.gather_spec()?),
            Sort::DType => Attr::DType(self.dtype()?),
            Sort::Literal => Attr::Literal(self.literal()?),
        })
    }

    fn label(&self, text: &str) -> Result<Label> {
        let mut chars = text.chars();
        let (first, more) = (chars.next(), chars.next());
        match first {
            Some(c) if more.is_none() && c.is_ascii_lowercase() => Ok(Label(c as u8 - b'a')),
            Some(c) if more.is_none() && c.is_ascii_uppercase() => Ok(Label(c as u8 - b'A' + 26)),
            _ => self.fail(format!("`{text}` is no label (one letter)")),
        }
    }

    /// A coefficient and a label, such as `2c` or `c`.
    fn term(&mut self) -> Result<(i64, Label)> {
        match self.next().kind {
            Kind::Word(w) => Ok((1, self.label(&w)?)),
            Kind::Number(n) => {
                let split = n.find(|c: char| c.is_alphabetic()).unwrap_or(n.len());
                let Ok(c) = n[..split].parse() else { return self.fail("a coefficient expected") };
                Ok((c, self.label(&n[split..])?))
            }
            _ => self.fail("a label expected"),
        }
    }

    fn glued(&self, p: &str) -> bool {
        !self.peek().spaced && matches!(&self.peek().kind, Kind::Punct(q) if *q == p)
    }

    fn ix(&mut self) -> Result<Ix> {
        let dilated = self.eat("(");
        let (stride, out) = self.term()?;
        let negative = self.glued("-");
        if !dilated && !negative && !self.glued("+") {
            if stride != 1 {
                return self.fail("a label alone has no coefficient");
            }
            return Ok(Ix::Label(out));
        }
        self.next();
        let (dil, tap) = self.term()?;
        let dil = if negative { -dil } else { dil };
        let lo = if self.glued("-") {
            self.next();
            self.number::<i64>()?
        } else if self.glued("+") {
            self.next();
            -self.number::<i64>()?
        } else {
            0
        };
        let in_dil = if dilated {
            self.expect(")")?;
            self.expect("/")?;
            self.number()?
        } else {
            1
        };
        Ok(Ix::Window(Window { out, tap, stride, dil, lo, in_dil }))
    }

    fn spec(&mut self) -> Result<Spec> {
        self.expect("{")?;
        let mut ins = vec![Vec::new()];
        while !self.eat("->") {
            if self.eat(",") {
                ins.push(Vec::new());
            } else {
                let ix = self.ix()?;
                ins.last_mut().expect("never empty").push(ix);
            }
        }
        let mut out = Vec::new();
        while !self.eat("}") {
            if self.eat("|") {
                let mut ext = Vec::new();
                while !self.eat("}") {
                    let w = self.word()?;
                    let l = self.label(&w)?;
                    self.expect("=")?;
                    ext.push((l, self.dim()?));
                }
                return Spec::new(&ins, &out, &ext).or_else(|e| self.fail(e.to_string()));
            }
            let w = self.word()?;
            out.push(self.label(&w)?);
        }
        Spec::new(&ins, &out, &[]).or_else(|e| self.fail(e.to_string()))
    }

    fn gather_spec(&mut self) -> Result<GatherSpec> {
        self.expect("{")?;
        let mut data = Vec::new();
        while !self.eat(",") {
            if self.eat("@") {
                data.push(DataIx::At);
            } else {
                let w = self.word()?;
                data.push(DataIx::Label(self.label(&w)?));
            }
        }
        let mut ix = Vec::new();
        while !self.eat("->") {
            let w = self.word()?;
            ix.push(self.label(&w)?);
        }
        let mut out = Vec::new();
        let mut negative = Negative::Never;
        while !self.eat("}") {
            if self.eat("|") {
                self.expect_word("neg")?;
                negative = Negative::Wraps;
            } else {
                let w = self.word()?;
                out.push(self.label(&w)?);
            }
        }
        GatherSpec::new(&data, &ix, &out, negative).or_else(|e| self.fail(e.to_string()))
    }
}

/// The sorts of attribute values, named like the variants of [`Attr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the variants of `Attr`")]
pub enum Sort {
    Dim,
    Dims,
    Perm,
    Insert,
    Slices,
    Pads,
    Axis,
    Spec,
    Gather,
    DType,
    Literal,
}

/// The sorts of a head's attributes, in the order of [`Op::split`].
pub fn sorts(head: &Head) -> &'static [Sort] {
    match head {
        Head::Dim | Head::NonMaxSuppression(_) => &[Sort::Dim],
        Head::Iota => &[Sort::Dim, Sort::DType],
        Head::Permute => &[Sort::Perm],
        Head::Reshape => &[Sort::Dims],
        Head::Broadcast => &[Sort::Insert],
        Head::Slice => &[Sort::Slices],
        Head::Pad => &[Sort::Pads],
        Head::Concat | Head::Softmax | Head::LogSoftmax => &[Sort::Axis],
        Head::Gather | Head::Scatter(_) => &[Sort::Gather],
        Head::Reduce(_) => &[Sort::Spec, Sort::DType],
        Head::Contract => &[Sort::Spec, Sort::DType, Sort::DType],
        Head::ArgSort(_) => &[Sort::Axis, Sort::Dim],
        Head::LayerNorm | Head::RmsNorm => &[Sort::Axis, Sort::Literal, Sort::DType],
        Head::Input(_)
        | Head::Scalar(_)
        | Head::Dense(_)
        | Head::Map(_)
        | Head::If(..)
        | Head::Loop(_)
        | Head::Gelu(_)
        | Head::Recurrent(_)
        | Head::Resize(_)
        | Head::Det
        | Head::Opaque(_)
        | Head::Proj(_) => &[],
    }
}
