//! The reference functions of ONNX LSTM, GRU and RNN, written in the other kinds so that every domain runs them. Formulas
//! as in the operators' specifications (ONNX opset 22), gates in their order.

use std::cell::Cell as Counter;

use super::array::Array;
use super::domain::{Site, sub_site};
use super::error::Trap;
use super::{Cx, Domain, Value};
use crate::defs::default_acc;
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::op::call::{Activation, Cell, Direction, Recurrent};
use crate::op::scalar::Scalar;
use crate::op::spec::{DataIx, GatherSpec, Label, Negative, Spec, SpecError};
use crate::op::{Op, SliceAxis};

/// Operations on arrays, each at a site of its own.
struct Calc<'a, D> {
    cx: &'a Cx<'a, D>,
    site: Site,
    next: Counter<u64>,
}

type Arr<D> = Array<<D as Domain>::Float>;

impl<D: Domain> Calc<'_, D> {
    fn op(&self, op: &Op, args: &[&Arr<D>]) -> Result<Arr<D>, Trap> {
        let n = self.next.get();
        self.next.set(n + 1);
        self.cx.tensor(sub_site(self.site, n), op, args)
    }

    fn map(&self, row: Scalar, args: &[&Arr<D>]) -> Result<Arr<D>, Trap> {
        self.op(&Op::Map(row), args)
    }

    fn add(&self, a: &Arr<D>, b: &Arr<D>) -> Result<Arr<D>, Trap> {
        self.map(Scalar::Add, &[a, b])
    }

    fn mul(&self, a: &Arr<D>, b: &Arr<D>) -> Result<Arr<D>, Trap> {
        self.map(Scalar::Mul, &[a, b])
    }

    fn splat(&self, x: f64, like: &Arr<D>) -> Result<Arr<D>, Trap> {
        let scalar = super::array::from_literal(self.cx.domain, Literal::from_f64(like.dtype(), x));
        let axes = like.shape().iter().enumerate().map(|(i, n)| (i as u8, Dim::from(*n))).collect();
        self.op(&Op::Broadcast(axes), &[&scalar])
    }

    /// Elements `start..start + len` of an axis.
    fn part(&self, x: &Arr<D>, axis: usize, start: usize, len: usize) -> Result<Arr<D>, Trap> {
        let axes = x.shape().iter().enumerate().map(|(i, n)| {
            let (start, len) = if i == axis { (start, len) } else { (0, *n) };
            SliceAxis { start: Dim::from(start), step: 1, len: Dim::from(len) }
        });
        self.op(&Op::Slice(axes.collect()), &[x])
    }

    /// Element `i` of axis 0.
    fn at(&self, x: &Arr<D>, i: usize) -> Result<Arr<D>, Trap> {
        Ok(self.part(x, 0, i, 1)?.reshaped(&x.shape()[1..]))
    }

    /// `x` (rank 1) repeated over leading axes of the given extents.
    fn rows(&self, x: &Arr<D>, leading: &[usize]) -> Result<Arr<D>, Trap> {
        let axes = leading.iter().enumerate().map(|(i, n)| (i as u8, Dim::from(*n))).collect();
        self.op(&Op::Broadcast(axes), &[x])
    }

    fn dot(&self, ins: &[&str; 2], out: &str, a: &Arr<D>, b: &Arr<D>) -> Result<Arr<D>, Trap> {
        let spec = Spec::plain(ins, out).map_err(crate::infer::TypeError::from)?;
        self.op(&Op::Contract { spec, acc: default_acc(a.dtype()), out: a.dtype() }, &[a, b])
    }

    /// Keeps `old` where the row's mask is false.
    fn choose(&self, mask: &[bool], new: &Arr<D>, old: &Arr<D>) -> Result<Arr<D>, Trap> {
        if mask.iter().all(|m| *m) {
            return Ok(new.clone());
        }
        let width = new.shape()[1];
        let mask = Array::bool(new.shape(), mask.iter().flat_map(|m| std::iter::repeat_n(*m, width)).collect());
        self.map(Scalar::Select, &[&mask, new, old])
    }

    fn activate(&self, f: Activation, clip: Option<Literal>, x: &Arr<D>) -> Result<Arr<D>, Trap> {
        let clipped = match clip {
            Some(c) => {
                let low = self.map(Scalar::Max, &[x, &self.splat(-c.to_f64(), x)?])?;
                &self.map(Scalar::Min, &[&low, &self.splat(c.to_f64(), x)?])?
            }
            None => x,
        };
        let x = clipped;
        let splat = |v: f64| self.splat(v, x);
        let affine = |a: Literal, b: Literal| self.add(&self.mul(&splat(a.to_f64())?, x)?, &splat(b.to_f64())?);
        let negative = || self.map(Scalar::Lt, &[x, &splat(0.0)?]);
        match f {
            Activation::Relu => self.map(Scalar::Max, &[x, &splat(0.0)?]),
            Activation::Tanh => self.map(Scalar::Tanh, &[x]),
            Activation::Sigmoid => self.map(Scalar::Sigmoid, &[x]),
            Activation::Affine(a, b) => affine(a, b),
            Activation::LeakyRelu(a) => {
                let scaled = self.mul(&splat(a.to_f64())?, x)?;
                self.map(Scalar::Select, &[&negative()?, &scaled, x])
            }
            Activation::ThresholdedRelu(a) => {
                let above = self.map(Scalar::Lt, &[&splat(a.to_f64())?, x])?;
                self.map(Scalar::Select, &[&above, x, &splat(0.0)?])
            }
            Activation::ScaledTanh(a, b) => {
                let inner = self.map(Scalar::Tanh, &[&self.mul(&splat(b.to_f64())?, x)?])?;
                self.mul(&splat(a.to_f64())?, &inner)
            }
            Activation::HardSigmoid(a, b) => {
                let low = self.map(Scalar::Min, &[&affine(a, b)?, &splat(1.0)?])?;
                self.map(Scalar::Max, &[&low, &splat(0.0)?])
            }
            Activation::Elu(a) => {
                let less = self.map(Scalar::Sub, &[&self.map(Scalar::Exp, &[x])?, &splat(1.0)?])?;
                let scaled = self.mul(&splat(a.to_f64())?, &less)?;
                self.map(Scalar::Select, &[&negative()?, &scaled, x])
            }
            Activation::Softsign => {
                let below = self.add(&splat(1.0)?, &self.map(Scalar::Abs, &[x])?)?;
                self.map(Scalar::Div, &[x, &below])
            }
            Activation::Softplus => {
                let size = self.map(Scalar::Neg, &[&self.map(Scalar::Abs, &[x])?])?;
                let tail = self.map(Scalar::Log1p, &[&self.map(Scalar::Exp, &[&size])?])?;
                self.add(&self.map(Scalar::Max, &[x, &splat(0.0)?])?, &tail)
            }
        }
    }
}

/// Operands of one direction, without its axis.
struct Weights<F> {
    /// `[G·H, I]`.
    w: Array<F>,
    /// `[G·H, H]`.
    r: Array<F>,
    /// `[G·H]` each.
    bias: Option<(Array<F>, Array<F>)>,
    /// `[3·H]`, in the order input, output, forget.
    peephole: Option<Array<F>>,
}

/// h, and c for LSTM: `[B,H]`.
#[derive(Clone)]
struct State<F> {
    h: Array<F>,
    c: Option<Array<F>>,
}

/// The whole recurrence: (Y `[T,D,B,H]`, Y_h `[D,B,H]`, Y_c for LSTM).
pub fn run<D: Domain>(cx: &Cx<'_, D>, site: Site, r: &Recurrent, args: &[&Arr<D>]) -> Result<Value<D::Float>, Trap> {
    let misfit = || cx.misfit("recurrence", args);
    let mut rest = args.iter().copied();
    let (x, w, rw) =
        (rest.next().ok_or_else(misfit)?, rest.next().ok_or_else(misfit)?, rest.next().ok_or_else(misfit)?);
    let mut optional = |given: bool| if given { rest.next().ok_or_else(misfit).map(Some) } else { Ok(None) };
    let bias = optional(r.operands.bias)?;
    let lengths = optional(r.operands.lengths)?;
    let initial_h = optional(r.operands.initial_h)?;
    let initial_c = optional(r.operands.initial_c)?;
    let peephole = optional(r.operands.peephole)?;
    let (&[time, batch, width], hidden) = (x.shape().first_chunk().ok_or_else(misfit)?, r.hidden as usize);
    let (dirs, gates) = (r.direction.count() as usize, r.cell.gates() as usize * hidden);
    let is = |a: Option<&Arr<D>>, shape: &[usize]| a.is_none_or(|a| a.shape() == shape);
    let fits = is(Some(w), &[dirs, gates, width])
        && is(Some(rw), &[dirs, gates, hidden])
        && is(bias, &[dirs, 2 * gates])
        && is(lengths, &[batch])
        && is(initial_h, &[dirs, batch, hidden])
        && is(initial_c, &[dirs, batch, hidden])
        && is(peephole, &[dirs, 3 * hidden])
        && r.activations.len() == dirs * r.cell.activations();
    if !fits || x.rank() != 3 {
        return Err(misfit());
    }
    let lengths: Vec<usize> = match lengths {
        Some(l) => l
            .ints()
            .ok_or_else(misfit)?
            .iter()
            .map(|n| usize::try_from(*n).ok().filter(|n| *n <= time).ok_or(Trap::Index { index: *n, extent: time + 1 }))
            .collect::<Result<_, _>>()?,
        None => vec![time; batch],
    };
    let calc = Calc { cx, site, next: Counter::new(0) };
    let zero = Array::float(x.dtype(), [batch, hidden], vec![cx.domain.lift(x.dtype(), 0.0); batch * hidden]);
    let (mut ys, mut hs, mut cs) = (Vec::new(), Vec::new(), Vec::new());
    for d in 0..dirs {
        let weights = Weights {
            w: calc.at(w, d)?,
            r: calc.at(rw, d)?,
            bias: match bias {
                Some(b) => {
                    let b = calc.at(b, d)?;
                    Some((calc.part(&b, 0, 0, gates)?, calc.part(&b, 0, gates, gates)?))
                }
                None => None,
            },
            peephole: peephole.map(|p| calc.at(p, d)).transpose()?,
        };
        let start = |given: Option<&Arr<D>>| given.map_or_else(|| Ok(zero.clone()), |g| calc.at(g, d));
        let c = if r.cell == Cell::Lstm { Some(start(initial_c)?) } else { None };
        let state = State { h: start(initial_h)?, c };
        let reverse = r.direction == Direction::Reverse || d == 1;
        let activations = &r.activations[d * r.cell.activations()..][..r.cell.activations()];
        let (y, last) = direction(&calc, r, activations, &weights, x, &lengths, reverse, state)?;
        ys.push(y.reshaped([time, 1, batch, hidden]));
        hs.push(last.h.reshaped([1, batch, hidden]));
        cs.extend(last.c.map(|c| c.reshaped([1, batch, hidden])));
    }
    let join = |parts: &[Arr<D>], axis| calc.op(&Op::Concat(axis), &parts.iter().collect::<Vec<_>>());
    let mut results = vec![Value::Tensor(join(&ys, 1)?), Value::Tensor(join(&hs, 0)?)];
    if r.cell == Cell::Lstm {
        results.push(Value::Tensor(join(&cs, 0)?));
    }
    Ok(Value::Tuple(results.into()))
}

/// One direction: Y `[T,B,H]` and the last state of each row at its own length.
#[expect(clippy::too_many_arguments, reason = "one private call")]
fn direction<D: Domain>(
    calc: &Calc<'_, D>,
    r: &Recurrent,
    activations: &[Activation],
    weights: &Weights<D::Float>,
    x: &Arr<D>,
    lengths: &[usize],
    reverse: bool,
    mut state: State<D::Float>,
) -> Result<(Arr<D>, State<D::Float>), Trap> {
    let (time, batch, hidden) = (x.shape()[0], lengths.len(), r.hidden as usize);
    // The input's share of all gates, for all steps at once: [T,B,G·H].
    let mut input = calc.dot(&["tbi", "gi"], "tbg", x, &weights.w)?;
    if let Some((wb, _)) = &weights.bias {
        input = calc.add(&input, &calc.rows(wb, &[time, batch])?)?;
    }
    let zero = Array::float(x.dtype(), [batch, hidden], vec![calc.cx.domain.lift(x.dtype(), 0.0); batch * hidden]);
    // Step s reads time s forward, and its row's length − 1 − s backward; beyond the length it does not matter.
    let time_of = |s: usize, length: usize| if reverse && s < length { length - 1 - s } else { s };
    let mut steps = Vec::new();
    for s in 0..time {
        let at = Array::int(DType::I64, [batch], lengths.iter().map(|n| time_of(s, *n) as i64).collect());
        let now = calc.op(&Op::Gather(by_row(&[1], 2)?), &[&input, &at])?;
        let next = step(calc, r, activations, weights, &now, &state)?;
        let running: Vec<bool> = lengths.iter().map(|n| s < *n).collect();
        steps.push(calc.choose(&running, &next.h, &zero)?.reshaped([1, batch, hidden]));
        state = State {
            h: calc.choose(&running, &next.h, &state.h)?,
            c: match (next.c, state.c) {
                (Some(new), Some(old)) => Some(calc.choose(&running, &new, &old)?),
                _ => None,
            },
        };
    }
    if time == 0 {
        return Ok((Array::float(x.dtype(), [0, batch, hidden], Vec::new()), state));
    }
    let y = calc.op(&Op::Concat(0), &steps.iter().collect::<Vec<_>>())?;
    if !reverse {
        return Ok((y, state));
    }
    let order = (0..time).flat_map(|t| lengths.iter().map(move |n| time_of(t, *n) as i64)).collect();
    let order = Array::int(DType::I64, [time, batch], order);
    Ok((calc.op(&Op::Gather(by_row(&[0, 1], 3)?), &[&y, &order])?, state))
}

/// `@ b h, ix -> …`: of data `[T,B,H]`, the time given by an index over the labels `ix` (0 time, 1 batch).
fn by_row(ix: &[u8], rank: u8) -> Result<GatherSpec, Trap> {
    let label = |l: u8| DataIx::Label(Label(l));
    let out: Vec<Label> = (3 - rank..3).map(Label).collect();
    let ix: Vec<Label> = ix.iter().map(|l| Label(*l)).collect();
    let spec: Result<_, SpecError> = GatherSpec::new(&[DataIx::At, label(1), label(2)], &ix, &out, Negative::Never);
    Ok(spec.map_err(crate::infer::TypeError::from)?)
}

/// One step from the input's share `[B,G·H]` of the gates.
fn step<D: Domain>(
    calc: &Calc<'_, D>,
    r: &Recurrent,
    activations: &[Activation],
    weights: &Weights<D::Float>,
    input: &Arr<D>,
    state: &State<D::Float>,
) -> Result<State<D::Float>, Trap> {
    let (batch, hidden) = (input.shape()[0], r.hidden as usize);
    let gate = |x: &Arr<D>, i: usize| calc.part(x, 1, i * hidden, hidden);
    let activate = |i: usize, x: &Arr<D>| calc.activate(activations[i], r.clip, x);
    let recurrent_bias = |first: usize, count: usize| match &weights.bias {
        Some((_, rb)) => Ok::<_, Trap>(Some(calc.rows(&calc.part(rb, 0, first * hidden, count * hidden)?, &[batch])?)),
        None => Ok(None),
    };
    // Gates first..first+count of h·Rᵀ + Rb.
    let recurrent = |h: &Arr<D>, first: usize, count: usize| {
        let rows = calc.part(&weights.r, 0, first * hidden, count * hidden)?;
        let product = calc.dot(&["bh", "gh"], "bg", h, &rows)?;
        match recurrent_bias(first, count)? {
            Some(b) => calc.add(&product, &b),
            None => Ok(product),
        }
    };
    let one_minus = |x: &Arr<D>| calc.map(Scalar::Sub, &[&calc.splat(1.0, x)?, x]);
    match r.cell {
        Cell::Rnn => {
            let sum = calc.add(input, &recurrent(&state.h, 0, 1)?)?;
            Ok(State { h: activate(0, &sum)?, c: None })
        }
        Cell::Gru => {
            let zr = calc.add(&calc.part(input, 1, 0, 2 * hidden)?, &recurrent(&state.h, 0, 2)?)?;
            let (z, reset) = (activate(0, &gate(&zr, 0)?)?, activate(0, &gate(&zr, 1)?)?);
            let from_state = if r.linear_before_reset {
                calc.mul(&reset, &recurrent(&state.h, 2, 1)?)?
            } else {
                recurrent(&calc.mul(&reset, &state.h)?, 2, 1)?
            };
            let candidate = activate(1, &calc.add(&gate(input, 2)?, &from_state)?)?;
            let new = calc.mul(&one_minus(&z)?, &candidate)?;
            Ok(State { h: calc.add(&new, &calc.mul(&z, &state.h)?)?, c: None })
        }
        Cell::Lstm => {
            let c = state.c.as_ref().ok_or_else(|| calc.cx.misfit("recurrence", &[input]))?;
            let all = calc.add(input, &recurrent(&state.h, 0, 4)?)?;
            // Gate i plus peephole p of the cell state.
            let peeped = |i: usize, p: usize, c: &Arr<D>| match &weights.peephole {
                Some(peephole) => {
                    let row = calc.rows(&calc.part(peephole, 0, p * hidden, hidden)?, &[batch])?;
                    calc.add(&gate(&all, i)?, &calc.mul(&row, c)?)
                }
                None => gate(&all, i),
            };
            let i = activate(0, &peeped(0, 0, c)?)?;
            let f = if r.input_forget { one_minus(&i)? } else { activate(0, &peeped(2, 2, c)?)? };
            let candidate = activate(1, &gate(&all, 3)?)?;
            let c = calc.add(&calc.mul(&f, c)?, &calc.mul(&i, &candidate)?)?;
            let o = activate(0, &peeped(1, 1, &c)?)?;
            Ok(State { h: calc.mul(&o, &activate(2, &c)?)?, c: Some(c) })
        }
    }
}
