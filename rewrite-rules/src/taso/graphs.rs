//! The sides of a substitution as graphs over the same inputs.

use std::collections::BTreeMap;

use egret_ir::infer::TypeError;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{Ix, Label, Spec, Window};
use egret_ir::op::{Op, SliceAxis};
use egret_ir::{DType, Dim, Graph, Literal, Origins, Shape, Symbol, Type, ValueId};

use super::file::{Activation, Kind, Operand, Operator, Substitution};
use super::shapes::{Extent, Shapes, Side, Unknown, key};

/// What an unknown is called, or which number it is.
pub(super) type Naming<'a> = &'a dyn Fn(Unknown) -> Dim;

/// Both sides, and the parts of each result's axes.
pub(super) struct Sides {
    pub source: Graph,
    pub target: Graph,
    /// By output, by axis: the extents of its parts.
    pub parts: Vec<Vec<Vec<Dim>>>,
}

struct Building<'a> {
    shapes: &'a Shapes,
    side: Side,
    naming: Naming<'a>,
    graph: Graph,
    values: BTreeMap<Operand, ValueId>,
}

/// Names for unknowns in the order in which inputs show them.
pub(super) fn names(s: &Substitution, shapes: &Shapes) -> BTreeMap<Unknown, Dim> {
    let mut out = BTreeMap::new();
    let inputs = inputs(s).into_iter().flat_map(|i| shapes.shape(&(None, Operand::Input(i))));
    for u in inputs.flatten() {
        let next = out.len();
        let letter = char::from(b'a' + (next % 26) as u8);
        let name = if next < 26 { letter.to_string() } else { format!("{letter}{}", next / 26) };
        out.entry(u).or_insert_with(|| match shapes.number(u) {
            Some(n) => Dim::from(n),
            None => Dim::symbol(Symbol::new(&name)),
        });
    }
    out
}

/// The inputs of a substitution, ascending.
fn inputs(s: &Substitution) -> Vec<u32> {
    let operands = s.source.iter().chain(&s.target).flat_map(|o| &o.operands);
    let mut out: Vec<u32> = operands
        .filter_map(|o| match o {
            Operand::Input(i) => Some(*i),
            Operand::Result { .. } => None,
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Builds both sides.
pub(super) fn sides(s: &Substitution, shapes: &Shapes, naming: Naming<'_>) -> Result<Sides, TypeError> {
    let build = |side: Side, ops: &[Operator], outputs: &[Operand]| {
        let mut b = Building { shapes, side, naming, graph: Graph::new("side"), values: BTreeMap::new() };
        for i in inputs(s) {
            let operand = Operand::Input(i);
            let shape: Shape = shapes.shape(&(None, operand)).iter().map(|e| b.extent(e)).collect();
            let v = b.graph.input(&format!("x{i}"), Type::tensor(DType::F32, shape));
            b.values.insert(operand, v);
        }
        for (i, o) in ops.iter().enumerate() {
            b.operator(i, o)?;
        }
        for (i, o) in outputs.iter().enumerate() {
            let v = b.values[o];
            b.graph.output(&format!("y{i}"), v);
        }
        Ok::<Graph, TypeError>(b.graph)
    };
    let (from, to): (Vec<Operand>, Vec<Operand>) = s.outputs.iter().copied().unzip();
    let parts = from.iter().map(|o| {
        let extents = shapes.shape(&key(Side::Source, *o));
        extents.iter().map(|e| e.iter().map(|u| naming(*u)).collect()).collect()
    });
    Ok(Sides {
        parts: parts.collect(),
        source: build(Side::Source, &s.source, &from)?,
        target: build(Side::Target, &s.target, &to)?,
    })
}

impl Building<'_> {
    fn extent(&self, e: &Extent) -> Dim {
        e.iter().fold(Dim::ZERO, |sum, u| sum + (self.naming)(*u))
    }

    fn add(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, TypeError> {
        self.graph.add(op, args, Origins::none())
    }

    fn shape(&self, v: ValueId) -> Shape {
        self.graph.ty(v).as_tensor().map(|t| t.shape.clone()).unwrap_or_default()
    }

    fn relu(&mut self, x: ValueId) -> Result<ValueId, TypeError> {
        let zero = self.graph.scalar(Literal::f32(0.0));
        let axes: Vec<(u8, Dim)> = self.shape(x).into_iter().enumerate().map(|(i, d)| (i as u8, d)).collect();
        let zeros = if axes.is_empty() { zero } else { self.add(Op::Broadcast(axes.into()), &[zero])? };
        self.add(Op::Map(Scalar::Max), &[x, zeros])
    }

    fn operator(&mut self, i: usize, o: &Operator) -> Result<(), TypeError> {
        let args: Vec<ValueId> = o.operands.iter().map(|x| self.values[x]).collect();
        let (value, activation) = match o.kind {
            Kind::Add => (self.add(Op::Map(Scalar::Add), &args)?, Activation::None),
            Kind::Mul => (self.add(Op::Map(Scalar::Mul), &args)?, Activation::None),
            Kind::Relu => (args[0], Activation::Relu),
            Kind::Concat { axis, .. } => (self.add(Op::Concat(axis as u8), &args)?, Activation::None),
            Kind::MatMul { activation } => {
                let spec = Spec::plain(&["ab", "bc"], "ac")?;
                (self.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &args)?, activation)
            }
            Kind::Conv2d { kernel, stride, same, activation } => {
                (self.convolution(i, kernel, stride, same, &args)?, activation)
            }
            Kind::Split { axis, results } => {
                let shape = self.shape(args[0]);
                let mut start = Dim::ZERO;
                for result in 0..results {
                    let operand = Operand::Result { operator: i, result };
                    let len = self.extent(&self.shapes.shape(&key(self.side, operand))[axis]);
                    let whole = |d: &Dim| SliceAxis { start: Dim::ZERO, step: 1, len: d.clone() };
                    let mut axes: Vec<SliceAxis> = shape.iter().map(whole).collect();
                    axes[axis] = SliceAxis { start: start.clone(), step: 1, len: len.clone() };
                    start = start + len;
                    let part = self.add(Op::Slice(axes.into()), &args)?;
                    self.values.insert(operand, part);
                }
                return Ok(());
            }
        };
        let value = match activation {
            Activation::None => value,
            Activation::Relu => self.relu(value)?,
        };
        self.values.insert(Operand::Result { operator: i, result: 0 }, value);
        Ok(())
    }

    /// x `[n, (g) c, h, w]`, weight `[(g) m, c, r, s]`.
    fn convolution(
        &mut self,
        i: usize,
        kernel: (i64, i64),
        stride: (i64, i64),
        same: bool,
        args: &[ValueId],
    ) -> Result<ValueId, TypeError> {
        let groups = Dim::from(self.shapes.groups.get(&(self.side, i)).copied().unwrap_or(1));
        let (x, w) = (self.shape(args[0]), self.shape(args[1]));
        let each = |d: &Dim| d.exact_div(&groups);
        let spread = |shape: &[Dim], at: usize| {
            let mut out = shape.to_vec();
            out.splice(at..=at, [groups.clone(), each(&shape[at])]);
            out
        };
        let (a, b) = (spread(&x, 1), spread(&w, 0));
        let a = self.add(Op::Reshape(a), &args[..1])?;
        let b = self.add(Op::Reshape(b), &args[1..])?;
        let result = |d: &Dim, k: i64, s: i64| {
            let free = if same { Dim::ZERO } else { Dim::from(k - 1) };
            (d.clone() - free).ceil_div(&Dim::from(s))
        };
        let (h, v) = (result(&x[2], kernel.0, stride.0), result(&x[3], kernel.1, stride.1));
        // n g m p q | c r s
        let l = |i: u8| Ix::Label(Label(i));
        let window = |out: u8, tap: u8, stride: i64, k: i64| {
            let lo = if same { (k - 1) / 2 } else { 0 };
            Ix::Window(Window { out: Label(out), tap: Label(tap), stride, dil: 1, lo, in_dil: 1 })
        };
        let spec = Spec::new(
            &[
                vec![l(0), l(1), l(5), window(3, 6, stride.0, kernel.0), window(4, 7, stride.1, kernel.1)],
                vec![l(1), l(2), l(5), l(6), l(7)],
            ],
            &[Label(0), Label(1), Label(2), Label(3), Label(4)],
            &[
                (Label(3), h.clone()),
                (Label(4), v.clone()),
                (Label(6), Dim::from(kernel.0)),
                (Label(7), Dim::from(kernel.1)),
            ],
        )?;
        let y = self.add(Op::Contract { spec, acc: DType::F32, out: DType::F32 }, &[a, b])?;
        let shape = vec![x[0].clone(), w[0].clone(), h, v];
        self.add(Op::Reshape(shape), &[y])
    }
}
