//! Random well-typed values of a rule's variables. A type is drawn for the root of the left side, of rank 0 to 4 and with
//! extents out of [`EXTENTS`] or named unknowns; from there each kind is inverted: given the type that a pattern must have,
//! attributes are drawn that make it, and with them the types that its operands must have. What a variable was given at its
//! first place it keeps at the others. So draws are nearly always well-typed; [`super::instance`] refuses the rest.

mod attrs;
mod gathers;
mod numbers;
pub(super) mod pick;
mod specs;
mod structures;
mod text;

use egret_ir::op::attrs::{Attr, Head};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Monoid, Perm};
use egret_ir::{DType, Dim, Literal, Shape, Symbol, Tensor, Type};

pub use numbers::with_numbers;
use pick::Pick;
pub use structures::Structures;
use structures::{Forms, forms};
pub use text::text;

use crate::lang::attr_fns::specs::folded_count;
use crate::lang::{AttrPat, Condition, HeadPat, NodePat, Pat, Rule, Sample, Samples, Sort, Term, VarId};

/// Extents that axes are drawn from.
pub const EXTENTS: [i64; 5] = [0, 1, 2, 3, 5];

/// Largest rank drawn for the root.
pub const MAX_RANK: usize = 4;

/// Values of more elements are not drawn.
const MAX_ELEMENTS: i64 = 600;

/// Element types of roots, the frequent ones more than once.
const ROOTS: [DType; 12] = [
    DType::F32,
    DType::F32,
    DType::F32,
    DType::F16,
    DType::F64,
    DType::I32,
    DType::I32,
    DType::I32,
    DType::I64,
    DType::I8,
    DType::U8,
    DType::Bool,
];

/// Element types of roots where every structure is made: one for each way in which types are treated.
const EACH_ROOT: [DType; 5] = [DType::F32, DType::I32, DType::Bool, DType::F16, DType::U8];

/// Operand element types tried for a function.
const OPERANDS: [DType; 8] =
    [DType::F32, DType::I32, DType::Bool, DType::F16, DType::I8, DType::U8, DType::I64, DType::F64];

/// What extents are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extents {
    /// Numbers out of [`EXTENTS`].
    Numbers,
    /// Numbers up to 7, for a search that looks elsewhere.
    More,
    /// Unknowns of their own, and ones.
    Symbols,
}

/// The type that a pattern must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Want {
    dtype: DType,
    shape: Shape,
}

impl Want {
    fn new(dtype: DType, shape: Shape) -> Self {
        Self { dtype, shape }
    }

    fn with(&self, shape: Shape) -> Self {
        Self { dtype: self.dtype, shape }
    }

    fn of(&self, dtype: DType) -> Self {
        Self { dtype, shape: self.shape.clone() }
    }

    fn ty(&self) -> Type {
        Type::tensor(self.dtype, self.shape.clone())
    }

    fn elements(&self) -> Dim {
        egret_ir::dim::count(&self.shape)
    }
}

/// Values under construction.
struct Draw<'a> {
    rule: &'a Rule,
    pick: Pick,
    extents: Extents,
    /// Unknowns named so far.
    unknowns: usize,
    /// By variable: one value, or one per position of a list.
    values: Vec<Vec<Option<Sample>>>,
    /// Operand shapes that a spec variable was drawn with.
    spec_shapes: Vec<(VarId, Vec<Shape>)>,
    /// Variables that a condition asks to be constant.
    constants: Vec<bool>,
    /// What the axes of the root may be.
    forms: Forms,
}

/// Values for a rule's variables, the same for the same seed; None where the draw came to nothing.
pub fn draw(rule: &Rule, extents: Extents, seed: u64) -> Option<Samples> {
    let mut d = Draw::new(rule, extents, Pick::random(seed));
    let rank = d.pick.below(MAX_RANK + 1);
    d.samples(rank)
}

/// Variables of `count` that conditions want constant.
pub(super) fn constants<'c>(conditions: impl IntoIterator<Item = &'c Condition>, count: usize) -> Vec<bool> {
    let mut out = vec![false; count];
    for c in conditions.into_iter().filter(|c| !c.negated) {
        if let ("const" | "finite" | "divisor" | "scales" | "light", [Term::Var(v)]) = (c.def.name, c.args.as_slice()) {
            out[v.index()] = true;
        }
    }
    out
}

impl<'a> Draw<'a> {
    fn new(rule: &'a Rule, extents: Extents, pick: Pick) -> Self {
        Self {
            rule,
            pick,
            extents,
            unknowns: 0,
            values: vec![Vec::new(); rule.vars.len()],
            spec_shapes: Vec::new(),
            constants: constants(rule.conditions.iter().chain(&rule.profit), rule.vars.len()),
            forms: forms(&rule.lhs),
        }
    }

    /// Values with a root of that rank.
    fn samples(&mut self, rank: usize) -> Option<Samples> {
        let shape = if self.pick.is_each() {
            (0..rank).fold(Vec::new(), |mut shape: Shape, _| {
                let axis = self.each_extent(shape.last().cloned());
                shape.push(axis);
                shape
            })
        } else if self.pick.once_in(3) {
            // Equal extents let wrong axes have the right type.
            vec![self.extent(); rank]
        } else {
            (0..rank).map(|_| self.extent()).collect()
        };
        let truth = attrs::gives_truth(&self.rule.lhs);
        let dtype = if truth { DType::Bool } else { self.dtype(&ROOTS, &EACH_ROOT)? };
        let rule = self.rule;
        self.node(&rule.lhs, &Want::new(dtype, shape), 0)?;
        self.counts();
        std::mem::take(&mut self.values)
            .into_iter()
            .zip(&rule.vars)
            .map(|(values, var)| {
                let values: Option<Vec<Sample>> = values.into_iter().collect();
                if var.list { values.map(Sample::List) } else { values?.into_iter().next() }
            })
            .collect()
    }

    /// Small extents more often than 0; unknowns, some of them a product of two, more often than 1.
    fn extent(&mut self) -> Dim {
        match self.extents {
            Extents::More => Dim::from(self.pick.below(8)),
            Extents::Numbers if self.pick.once_in(12) => Dim::from(EXTENTS[0]),
            Extents::Numbers => Dim::from(EXTENTS[1 + self.pick.below(EXTENTS.len() - 1)]),
            Extents::Symbols if self.pick.is_each() => self.each_extent(None),
            Extents::Symbols if self.pick.once_in(6) => Dim::ONE,
            Extents::Symbols if self.pick.once_in(4) => self.unknown() * self.unknown(),
            // Something for a Concat to take apart.
            Extents::Symbols if self.pick.once_in(3) => {
                (0..2 + self.pick.below(4)).fold(Dim::ZERO, |sum, _| sum + self.unknown())
            }
            Extents::Symbols => self.unknown(),
        }
    }

    /// Some of the terms of a sum.
    fn some_terms(&mut self, sum: &Dim) -> Dim {
        let kept = sum.terms().into_iter().filter(|(_, c)| *c > 0 && self.pick.once_in(2));
        let kept: Vec<_> = kept.collect();
        kept.into_iter().fold(Dim::ZERO, |sum, (atoms, c)| {
            let product =
                atoms.into_iter().fold(Dim::from(c), |p, (a, n)| (0..n).fold(p, |p, _| p * Dim::from(a.clone())));
            sum + product
        })
    }

    fn unknown(&mut self) -> Dim {
        self.unknowns += 1;
        Dim::symbol(Symbol::new(&format!("n{}", self.unknowns)))
    }

    /// One of the element types of the rule's tries, or of `all`; each of `each` in turn.
    fn dtype(&mut self, all: &[DType], each: &[DType]) -> Option<DType> {
        if self.pick.is_each() {
            return self.pick.of(each);
        }
        let of = |s: &Sample| match s {
            Sample::Input(ty) | Sample::Constant(ty) => ty.as_tensor().map(|t| t.dtype),
            Sample::Attr(Attr::DType(d)) => Some(*d),
            Sample::Values(_)
            | Sample::Attr(_)
            | Sample::Function(_)
            | Sample::Monoid(_)
            | Sample::Element(_)
            | Sample::List(_) => None,
        };
        let tried: Vec<DType> = self.rule.tries.iter().flatten().filter_map(of).collect();
        if self.pick.once_in(2) { self.pick.of(&tried) } else { None }.or_else(|| self.pick.of(all))
    }

    /// Elements that should be the count of a fold (`counts`) mostly are.
    fn counts(&mut self) {
        for c in self.rule.conditions.iter().filter(|c| !c.negated && c.def.name == "counts") {
            let [Term::Var(n), Term::Var(s), Term::Var(x)] = c.args.as_slice() else { continue };
            let (Some(Sample::Element(old)), Some(Sample::Attr(Attr::Spec(spec)))) =
                (self.bound(*n, 0), self.bound(*s, 0))
            else {
                continue;
            };
            let Some((_, shape)) = self.operand(*x, 0) else { continue };
            let Some(count) = folded_count(spec, &shape) else { continue };
            let exact = Sample::Element(Literal::from_f64(old.dtype(), count as f64));
            if !self.pick.once_in(5) {
                self.bind(*n, 0, exact);
            }
        }
    }

    /// What a variable has at a position of its list (0 for single ones).
    fn bound(&self, v: VarId, at: usize) -> Option<&Sample> {
        let at = if self.rule.vars[v.index()].list { at } else { 0 };
        self.values[v.index()].get(at)?.as_ref()
    }

    fn bind(&mut self, v: VarId, at: usize, value: Sample) {
        let at = if self.rule.vars[v.index()].list { at } else { 0 };
        let values = &mut self.values[v.index()];
        if values.len() <= at {
            values.resize(at + 1, None);
        }
        values[at] = Some(value);
    }

    /// Element type and shape of a bound operand.
    fn operand(&self, v: VarId, at: usize) -> Option<(DType, Shape)> {
        match self.bound(v, at)? {
            Sample::Input(ty) | Sample::Constant(ty) => {
                let t = ty.as_tensor()?;
                Some((t.dtype, t.shape.clone()))
            }
            Sample::Values(t) => Some((t.dtype(), t.shape().iter().map(|d| Dim::from(*d)).collect())),
            Sample::Attr(_) | Sample::Function(_) | Sample::Monoid(_) | Sample::Element(_) | Sample::List(_) => None,
        }
    }

    /// An attribute: as written, as bound, or drawn and bound.
    fn attr(&mut self, a: &AttrPat, at: usize, make: impl FnOnce(&mut Self) -> Option<Attr>) -> Option<Attr> {
        match a {
            AttrPat::Value(value) => Some(value.clone()),
            AttrPat::Var(v) => match self.bound(*v, at) {
                Some(Sample::Attr(a)) => Some(a.clone()),
                Some(_) => None,
                None => {
                    let made = make(self)?;
                    self.bind(*v, at, Sample::Attr(made.clone()));
                    Some(made)
                }
            },
            AttrPat::Call(..) => None,
        }
    }

    /// Makes `p` a value of type `want`.
    fn pattern(&mut self, p: &Pat, want: &Want, at: usize) -> Option<()> {
        let elements = want.elements();
        let fits = match elements.as_const() {
            Some(n) => (0..=MAX_ELEMENTS).contains(&n),
            None => !elements.is_invalid(),
        };
        if !fits || want.shape.len() > 6 {
            return None;
        }
        match p {
            Pat::Number(_) => Some(()),
            Pat::Node(n) => self.node(n, want, at),
            Pat::Computed(_) | Pat::Each(_) => None,
            Pat::Var(v) if self.rule.vars[v.index()].sort == Sort::Splat => match self.bound(*v, at) {
                Some(Sample::Element(l)) => (l.dtype() == want.dtype).then_some(()),
                Some(_) => None,
                None => {
                    let l = self.element(*v, want.dtype);
                    self.bind(*v, at, Sample::Element(l));
                    Some(())
                }
            },
            Pat::Var(v) => match self.bound(*v, at) {
                Some(_) => (self.operand(*v, at)? == (want.dtype, want.shape.clone())).then_some(()),
                None => {
                    let value = match self.constants[v.index()] {
                        false => Sample::Input(want.ty()),
                        // Integers wrap at few values only, and narrow ones in wider sums soonest.
                        true if self.extents != Extents::Symbols
                            && (self.asks("scales")
                                || (want.dtype.is_int() && want.dtype.size() == 1)
                                || self.pick.once_in(if want.dtype.is_int() { 2 } else { 3 })) =>
                        {
                            Sample::Values(self.special(want)?)
                        }
                        true => Sample::Constant(want.ty()),
                    };
                    self.bind(*v, at, value);
                    Some(())
                }
            },
        }
    }

    /// A constant with elements that conditions such as `finite` and `divisor` are about.
    fn special(&mut self, want: &Want) -> Option<Tensor> {
        // Products of the largest and smallest numbers over- and underflow, which only a rule about divisors speaks of.
        let good = self.asks("scales") && !self.pick.once_in(4);
        let pool: &[f64] = match self.asks("divisor") {
            _ if good => &[0.5, 0.25, 1.0, 2.0, 0.1],
            true => &[0.0, f64::INFINITY, f64::NAN, 1e-42, 1.0, -2.0, 3.0e38],
            false => &[0.0, f64::INFINITY, f64::NAN, 1.0, -2.0],
        };
        let mut bytes = Vec::new();
        for _ in 0..want.elements().as_const()? {
            let x = pool[self.pick.below(pool.len())];
            // Of integers those that wrap.
            let bits = 8 * want.dtype.size() as u32 - 1;
            let edge = [0, 1, -2, 1i64 << bits, (1i64 << bits).wrapping_sub(1)][self.pick.below(5)];
            let float = want.dtype.is_float();
            let l = if float { Literal::from_f64(want.dtype, x) } else { Literal::from_i64(want.dtype, edge) };
            bytes.extend(l.to_le_bytes());
        }
        Tensor::new(want.dtype, egret_ir::dim::as_static(&want.shape)?, bytes).ok()
    }

    /// An element for `%c`: one of its tries', a small number, or a special one.
    fn element(&mut self, v: VarId, dtype: DType) -> Literal {
        let tried: Vec<f64> = self
            .rule
            .tries
            .iter()
            .filter_map(|t| match t.get(v.index()) {
                Some(Sample::Element(l)) => Some(l.to_f64()),
                _ => None,
            })
            .collect();
        let special = [0.0, 1.0, -1.0, 0.5, 2.0, -3.0, f64::INFINITY, f64::NEG_INFINITY];
        let x = if self.pick.is_each() {
            let mut each = [&tried[..], &[0.0, 1.0, -1.0, 2.0]].concat();
            each.sort_by(f64::total_cmp);
            each.dedup();
            each[self.pick.below(each.len())]
        } else {
            match self.pick.below(4) {
                0 | 1 if !tried.is_empty() => tried[self.pick.below(tried.len())],
                2 => special[self.pick.below(special.len())],
                _ => (1 + self.pick.below(8)) as f64,
            }
        };
        if dtype.is_float() { Literal::from_f64(dtype, x) } else { Literal::from_i64(dtype, x as i64) }
    }

    /// The operand patterns of a node written out: an ellipsis becomes as many as its lists have, or one to three.
    fn operands<'p>(&mut self, n: &'p NodePat) -> Vec<(&'p Pat, usize)> {
        let (fixed, each) = n.split();
        let mut out: Vec<(&Pat, usize)> = fixed.iter().map(|p| (p, 0)).collect();
        if let Some(each) = each {
            let count = lists(each, self.rule).into_iter().map(|v| self.values[v.index()].len()).max().unwrap_or(0);
            let count = if count == 0 { 1 + self.pick.below(3) } else { count };
            out.extend((0..count).map(|i| (each, i)));
        }
        out
    }

    fn node(&mut self, n: &NodePat, want: &Want, at: usize) -> Option<()> {
        let args = self.operands(n);
        // Positions inside an ellipsis are the operands' own; a node inside one passes its position on.
        let place = |i: usize| if args[i].1 == 0 { at } else { args[i].1 };
        match &n.head {
            HeadPat::AnyMap(v) => {
                let f = match self.bound(*v, at) {
                    Some(Sample::Function(f)) => *f,
                    Some(_) => return None,
                    None => {
                        let f = self.function(*v, args.len(), want.dtype)?;
                        self.bind(*v, at, Sample::Function(f));
                        f
                    }
                };
                self.map(f, &args, want, at)
            }
            HeadPat::Cast => {
                let to = self.attr(n.attrs.first()?, at, |_| Some(Attr::DType(want.dtype)))?;
                let known = match args.first()?.0 {
                    Pat::Var(v) => self.operand(*v, at).map(|o| o.0),
                    other => attrs::written_type(other),
                };
                let from = known.or_else(|| self.dtype(&OPERANDS, &OPERANDS))?;
                (to == Attr::DType(want.dtype)).then_some(())?;
                self.pattern(args.first()?.0, &want.of(from), place(0))
            }
            HeadPat::AnyReduce(v) => {
                let m = match self.bound(*v, at) {
                    Some(Sample::Monoid(m)) => *m,
                    Some(_) => return None,
                    None => {
                        let m = self.pick.of(&Monoid::ALL)?;
                        self.bind(*v, at, Sample::Monoid(m));
                        m
                    }
                };
                self.reduce(m, n, args.first()?.0, want, at)
            }
            HeadPat::Is(Head::Map(f)) => self.map(*f, &args, want, at),
            HeadPat::Is(Head::Reduce(m)) => self.reduce(*m, n, args.first()?.0, want, at),
            HeadPat::Is(Head::Contract) => self.contract(n, &args, want, at),
            HeadPat::Is(Head::Concat) => self.concat(n, &args, want, at),
            HeadPat::Is(Head::Permute) => {
                let rank = want.shape.len();
                let Attr::Perm(p) = self.attr(&n.attrs[0], at, |d| d.perm(rank))? else { return None };
                (p.rank() == rank).then_some(())?;
                self.pattern(args.first()?.0, &want.with(p.inverse().apply(&want.shape)), place(0))
            }
            HeadPat::Is(Head::Reshape) => {
                let shape = self.attr(&n.attrs[0], at, |_| Some(Attr::Dims(want.shape.clone())))?;
                (shape == Attr::Dims(want.shape.clone())).then_some(())?;
                let child = self.regrouped(&want.shape);
                self.pattern(args.first()?.0, &want.with(child), place(0))
            }
            HeadPat::Is(Head::Broadcast) => {
                let Attr::Insert(new) = self.attr(&n.attrs[0], at, |d| Some(d.insert(&want.shape)))? else {
                    return None;
                };
                let child = attrs::without(&want.shape, &new)?;
                self.pattern(args.first()?.0, &want.with(child), place(0))
            }
            HeadPat::Is(Head::Slice) => {
                let Attr::Slices(s) = self.attr(&n.attrs[0], at, |d| Some(d.slices(&want.shape)))? else { return None };
                let child = self.sliced(&want.shape, &s)?;
                self.pattern(args.first()?.0, &want.with(child), place(0))
            }
            HeadPat::Is(Head::Pad) => {
                let Attr::Pads(p) = self.attr(&n.attrs[0], at, |d| Some(d.pads(&want.shape)))? else { return None };
                let child = attrs::unpadded(&want.shape, &p)?;
                self.pattern(args.first()?.0, &want.with(child), place(0))?;
                self.pattern(args.get(1)?.0, &want.with(Vec::new()), place(1))
            }
            HeadPat::Is(Head::Softmax | Head::LogSoftmax) => {
                let rank = want.shape.len();
                let axis = self.attr(&n.attrs[0], at, |d| (rank > 0).then(|| Attr::Axis(d.pick.below(rank) as u8)))?;
                matches!(axis, Attr::Axis(a) if usize::from(a) < rank).then_some(())?;
                self.pattern(args.first()?.0, want, place(0))
            }
            HeadPat::Is(Head::LayerNorm | Head::RmsNorm) => {
                let rank = want.shape.len();
                let count =
                    self.attr(&n.attrs[0], at, |d| (rank > 0).then(|| Attr::Axis(1 + d.pick.below(rank) as u8)))?;
                let Attr::Axis(count) = count else { return None };
                self.attr(&n.attrs[1], at, |_| Some(Attr::Literal(Literal::from_f64(want.dtype, 1e-5))))?;
                self.attr(&n.attrs[2], at, |_| Some(Attr::DType(egret_ir::defs::default_acc(want.dtype))))?;
                let affine = want.with(want.shape.get(rank.checked_sub(usize::from(count))?..)?.to_vec());
                self.pattern(args.first()?.0, want, place(0))?;
                self.pattern(args.get(1)?.0, &affine, place(1))?;
                args.get(2).map_or(Some(()), |bias| self.pattern(bias.0, &affine, place(2)))
            }
            HeadPat::Is(Head::Gelu(_)) => self.pattern(args.first()?.0, want, place(0)),
            HeadPat::Is(Head::Gather) => self.gather(n, &args, want, at),
            // These are tried with the values of the rule's text alone.
            HeadPat::Is(
                Head::Input(_)
                | Head::Scalar(_)
                | Head::Dense(_)
                | Head::Dim
                | Head::Iota
                | Head::Scatter(_)
                | Head::ArgSort(_)
                | Head::If(..)
                | Head::Loop(_)
                | Head::Recurrent(_)
                | Head::Resize(_)
                | Head::Det
                | Head::NonMaxSuppression(_)
                | Head::Opaque(_)
                | Head::Proj(_),
            ) => None,
        }
    }

    fn map(&mut self, f: Scalar, args: &[(&Pat, usize)], want: &Want, at: usize) -> Option<()> {
        let options: Vec<Vec<DType>> =
            attrs::operand_types(f, args.len()).into_iter().filter(|t| f.result(t) == Some(want.dtype)).collect();
        let types = self.pick.of(&options)?;
        for ((p, i), dtype) in args.iter().zip(types) {
            self.pattern(p, &want.of(dtype), if *i == 0 { at } else { *i })?;
        }
        Some(())
    }

    /// A function of that many operands with that result: one of the tries', or any.
    fn function(&mut self, v: VarId, arity: usize, to: DType) -> Option<Scalar> {
        let fits =
            |f: &Scalar| f.arity() == arity && attrs::operand_types(*f, arity).iter().any(|t| f.result(t) == Some(to));
        let tried = self.rule.tries.iter().filter_map(|t| match t.get(v.index()) {
            Some(Sample::Function(f)) => Some(*f),
            _ => None,
        });
        let tried: Vec<Scalar> = tried.filter(fits).collect();
        if !self.pick.is_each() && !tried.is_empty() && self.pick.once_in(2) {
            return self.pick.of(&tried);
        }
        let all: Vec<Scalar> = Scalar::plain().filter(fits).collect();
        self.pick.of(&all)
    }

    fn concat(&mut self, n: &NodePat, args: &[(&Pat, usize)], want: &Want, at: usize) -> Option<()> {
        let rank = want.shape.len();
        let axis = self.attr(&n.attrs[0], at, |d| (rank > 0).then(|| Attr::Axis(d.pick.below(rank) as u8)))?;
        let Attr::Axis(axis) = axis else { return None };
        let axis = usize::from(axis);
        let mut rest = want.shape.get(axis)?.clone();
        for (k, (p, i)) in args.iter().enumerate() {
            let part = match rest.as_const() {
                _ if k + 1 == args.len() => rest.clone(),
                Some(n) => Dim::from(self.pick.below(n.max(0) as usize + 1)),
                None => self.some_terms(&rest),
            };
            rest = rest - part.clone();
            let mut shape = want.shape.clone();
            shape[axis] = part;
            self.pattern(p, &want.with(shape), if *i == 0 { at } else { *i })?;
        }
        Some(())
    }

    fn perm(&mut self, rank: usize) -> Option<Attr> {
        let mut axes: Vec<usize> = (0..rank).collect();
        self.pick.shuffle(&mut axes);
        Perm::new(&axes).map(Attr::Perm)
    }
}

/// The list variables of a pattern.
fn lists(p: &Pat, rule: &Rule) -> Vec<VarId> {
    fn go(p: &Pat, rule: &Rule, out: &mut Vec<VarId>) {
        match p {
            Pat::Var(v) if rule.vars[v.index()].list => out.push(*v),
            Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) => {}
            Pat::Each(p) => go(p, rule, out),
            Pat::Node(n) => {
                out.extend(n.attrs.iter().filter_map(|a| match a {
                    AttrPat::Var(v) if rule.vars[v.index()].list => Some(*v),
                    AttrPat::Var(_) | AttrPat::Value(_) | AttrPat::Call(..) => None,
                }));
                for a in &n.args {
                    go(a, rule, out);
                }
            }
        }
    }
    let mut out = Vec::new();
    go(p, rule, &mut out);
    out
}
