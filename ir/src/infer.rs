//! Type inference: one function per kind, from operand types to the result's.

mod calls;

use smallvec::SmallVec;

use crate::dim::{self, Backing, Dim, Shape, Symbol};
use crate::dtype::DType;
use crate::graph::Tables;
use crate::op::call::Call;
use crate::op::scalar::Scalar;
use crate::op::spec::{GatherSpec, Spec, SpecError};
use crate::op::{Const, Monoid, Op, PadAxis, Perm, ScatterOp, SliceAxis};
use crate::types::{TensorType, Type};

/// Why a node is ill-typed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// A wrong number of operands.
    #[error("{kind} takes {expected} operands, got {got}")]
    Arity {
        /// The kind.
        kind: &'static str,
        /// Operands it takes.
        expected: usize,
        /// Operands given.
        got: usize,
    },
    /// An operand that is no tensor.
    #[error("operand {operand} of {kind} must be a tensor, got {got}")]
    NotTensor {
        /// The kind.
        kind: &'static str,
        /// Operand position.
        operand: usize,
        /// Its type.
        got: Type,
    },
    /// An operand of the wrong rank.
    #[error("operand {operand} of {kind} must have rank {expected}, got {got}")]
    Rank {
        /// The kind.
        kind: &'static str,
        /// Operand position.
        operand: usize,
        /// Rank it needs.
        expected: usize,
        /// Its type.
        got: Type,
    },
    /// Element types that do not go together.
    #[error("{what} does not take ({})", .got.iter().map(|d| d.name()).collect::<Vec<_>>().join(", "))]
    DTypes {
        /// The row or kind.
        what: String,
        /// Operand element types.
        got: Vec<DType>,
    },
    /// Shapes that must be equal and are not provably so.
    #[error("operands of {kind} must have equal shapes, got {a} and {b}")]
    Shapes {
        /// The kind.
        kind: &'static str,
        /// One type.
        a: Type,
        /// Another.
        b: Type,
    },
    /// A reshape to another element count.
    #[error("cannot reshape {from} to {} elements", .count)]
    Count {
        /// Operand type.
        from: Type,
        /// Elements asked for.
        count: Dim,
    },
    /// An axis out of range, or axes out of order.
    #[error("{kind}: axis {axis} is out of range or out of order")]
    Axis {
        /// The kind.
        kind: &'static str,
        /// The axis.
        axis: usize,
    },
    /// An extent that is negative, overflowed or out of the operand's range.
    #[error("{kind}: {what} is {value}")]
    Extent {
        /// The kind.
        kind: &'static str,
        /// Which one.
        what: &'static str,
        /// Its value.
        value: Dim,
    },
    /// A spec that does not fit.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An index into a table that has no such entry.
    #[error("{kind} refers to entry {index}, which does not exist")]
    Dangling {
        /// The kind.
        kind: &'static str,
        /// The index.
        index: u32,
    },
    /// A body that does not fit its If or Loop.
    #[error("{kind}: body {body}: {what}")]
    Body {
        /// The kind.
        kind: &'static str,
        /// Index of the body.
        body: u32,
        /// What does not fit.
        what: String,
    },
    /// A definition without a body, where one is asked for.
    #[error("{name} has no body of other kinds")]
    NoBody {
        /// Name of the definition.
        name: &'static str,
    },
    /// A data-backed symbol in an attribute that no operand's shape mentions, of a kind that takes no witnesses.
    #[error("{kind} mentions {symbol}, which only data decides and no operand's shape mentions")]
    Unwitnessed {
        /// The kind.
        kind: &'static str,
        /// The symbol.
        symbol: Symbol,
    },
    /// A witness of another type than `i64[]`.
    #[error("operand {operand} of {kind} is a witness of an extent and must be i64[], got {got}")]
    Witness {
        /// The kind.
        kind: &'static str,
        /// Operand position.
        operand: usize,
        /// Its type.
        got: Type,
    },
    /// A tuple part that does not exist.
    #[error("part {index} of {of}")]
    Part {
        /// Index asked for.
        index: u32,
        /// The operand's type.
        of: Type,
    },
}

/// The type of `op` applied to operands of the given types.
pub fn infer(op: &Op, args: &[&Type], tables: &Tables) -> Result<Type, TypeError> {
    let kind = op.kind();
    let args = &args[..witnesses(op, args, tables)?];
    let arity = |n: usize| {
        if args.len() == n { Ok(()) } else { Err(TypeError::Arity { kind, expected: n, got: args.len() }) }
    };
    let tensor =
        |i: usize| args[i].as_tensor().ok_or_else(|| TypeError::NotTensor { kind, operand: i, got: args[i].clone() });
    let ty = match op {
        Op::Input(i) => return Err(TypeError::Dangling { kind, index: *i }),
        Op::Const(c) => {
            arity(0)?;
            match c {
                Const::Scalar(l) => Type::tensor(l.dtype(), []),
                Const::Dense(id) => {
                    let t = tables.consts.get(id.0 as usize).ok_or(TypeError::Dangling { kind, index: id.0 })?;
                    Type::fixed(t.dtype(), t.shape())
                }
            }
        }
        Op::Dim(d) => {
            dim_operands(d, args, tables)?;
            Type::tensor(DType::I64, [])
        }
        Op::Iota { len, dtype } => {
            arity(0)?;
            Type::tensor(*dtype, [len.clone()])
        }
        Op::Permute(p) => {
            arity(1)?;
            permute(tensor(0)?, p)?
        }
        Op::Reshape(s) => {
            arity(1)?;
            reshape(tensor(0)?, s)?
        }
        Op::Broadcast(new) => {
            arity(1)?;
            broadcast(tensor(0)?, new)?
        }
        Op::Slice(axes) => {
            arity(1)?;
            slice(tensor(0)?, axes)?
        }
        Op::Pad(axes) => {
            arity(2)?;
            pad(tensor(0)?, tensor(1)?, axes)?
        }
        Op::Concat(axis) => {
            let parts = (0..args.len()).map(tensor).collect::<Result<Vec<_>, _>>()?;
            concat(&parts, usize::from(*axis))?
        }
        Op::Gather(spec) => {
            arity(2)?;
            gather(tensor(0)?, tensor(1)?, spec)?
        }
        Op::Scatter(mode, spec) => {
            arity(3)?;
            scatter(tensor(0)?, tensor(1)?, tensor(2)?, *mode, spec)?
        }
        Op::Map(f) => {
            let mut parts = SmallVec::<[_; 4]>::new();
            for i in 0..args.len() {
                parts.push(tensor(i)?);
            }
            map(*f, &parts)?
        }
        Op::Reduce { monoid, spec, acc } => {
            arity(1)?;
            reduce(tensor(0)?, *monoid, spec, *acc)?
        }
        Op::Contract { spec, acc, out } => {
            arity(2)?;
            contract(tensor(0)?, tensor(1)?, spec, *acc, *out)?
        }
        Op::ArgSort { axis, keep, .. } => {
            arity(1)?;
            let x = tensor(0)?;
            let axis = usize::from(*axis);
            let extent = x.shape.get(axis).ok_or(TypeError::Axis { kind, axis })?;
            if let (Some(k), Some(e)) = (keep.as_const(), extent.as_const())
                && !(0..=e).contains(&k)
            {
                return Err(TypeError::Extent { kind, what: "keep", value: keep.clone() });
            }
            let mut shape = x.shape.clone();
            shape[axis] = keep.clone();
            Type::tensor(DType::I64, shape)
        }
        Op::If(attrs) => crate::bodies::branches(attrs, args, tables)?,
        Op::Loop(attrs) => crate::bodies::repeats(attrs, args, tables)?,
        Op::Call(c) => calls::call(c, args, kind)?,
        Op::Opaque(id) => {
            let def = tables.opaques.get(id.0 as usize).ok_or(TypeError::Dangling { kind, index: id.0 })?;
            Type::Tuple(def.results.clone())
        }
        Op::Proj(i) => {
            arity(1)?;
            match args[0] {
                Type::Tuple(parts) => {
                    parts.get(*i as usize).cloned().ok_or_else(|| TypeError::Part { index: *i, of: args[0].clone() })?
                }
                other => return Err(TypeError::Part { index: *i, of: other.clone() }),
            }
        }
    };
    extents_are_sane(kind, &ty)?;
    Ok(ty)
}

/// Checks the witnesses; the number of operands before them.
fn witnesses(op: &Op, args: &[&Type], tables: &Tables) -> Result<usize, TypeError> {
    let kind = op.kind();
    let count = op.regular(args);
    if count == args.len() && tables.symbols.0.is_empty() {
        return Ok(count);
    }
    let (regular, given) = args.split_at(count);
    let wanted = op.unmentioned(regular, &tables.symbols);
    if wanted.len() != given.len() {
        let takes = match op {
            Op::Dim(_)
            | Op::Iota { .. }
            | Op::Reshape(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::ArgSort { .. } => true,
            Op::Call(call) => matches!(**call, Call::Resize(_)),
            Op::Input(_)
            | Op::Const(_)
            | Op::Permute(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Opaque(_)
            | Op::Proj(_) => false,
        };
        return Err(match wanted.into_iter().next() {
            Some(symbol) if !takes => TypeError::Unwitnessed { kind, symbol },
            _ => TypeError::Arity {
                kind,
                expected: count + op.unmentioned(regular, &tables.symbols).len(),
                got: args.len(),
            },
        });
    }
    for (i, ty) in given.iter().enumerate() {
        if !crate::op::witness::is_witness(ty) {
            return Err(TypeError::Witness { kind, operand: count + i, got: (*ty).clone() });
        }
    }
    Ok(count)
}

fn extents_are_sane(kind: &'static str, ty: &Type) -> Result<(), TypeError> {
    let Type::Tensor(t) = ty else { return Ok(()) };
    for d in &t.shape {
        if d.is_invalid() || d.as_const().is_some_and(|c| c < 0) {
            return Err(TypeError::Extent { kind, what: "an extent of the result", value: d.clone() });
        }
    }
    let count = dim::count(&t.shape);
    if count.is_invalid() || count.as_const().is_some_and(|c| c.checked_mul(8).is_none()) {
        return Err(TypeError::Extent { kind, what: "the element count", value: count });
    }
    Ok(())
}

/// Each regular operand of a Dim has a shape that mentions a data-backed symbol of the expression.
fn dim_operands(d: &Dim, args: &[&Type], tables: &Tables) -> Result<(), TypeError> {
    let mut wanted = Vec::new();
    d.symbols(&mut |s| wanted.push(s.clone()));
    wanted.retain(|s| tables.symbols.info(s).backing == Backing::Data);
    for ty in args {
        let mut mentions = false;
        for e in ty.as_tensor().iter().flat_map(|t| &t.shape) {
            e.symbols(&mut |s| mentions |= wanted.contains(s));
        }
        if !mentions {
            return Err(TypeError::Arity { kind: "dim", expected: 0, got: args.len() });
        }
    }
    Ok(())
}

fn permute(x: &TensorType, p: &Perm) -> Result<Type, TypeError> {
    if p.rank() != x.rank() {
        return Err(TypeError::Rank { kind: "permute", operand: 0, expected: p.rank(), got: Type::Tensor(x.clone()) });
    }
    Ok(Type::tensor(x.dtype, p.apply(&x.shape)))
}

fn reshape(x: &TensorType, s: &Shape) -> Result<Type, TypeError> {
    let (from, to) = (dim::count(&x.shape), dim::count(s));
    // Where the counts are symbolic and not provably equal, equality is an assumption that the reader recorded.
    if to.is_invalid() || (from.as_const().is_some() && to.as_const().is_some() && from != to) {
        return Err(TypeError::Count { from: Type::Tensor(x.clone()), count: to });
    }
    Ok(Type::tensor(x.dtype, s.clone()))
}

fn broadcast(x: &TensorType, new: &[(u8, Dim)]) -> Result<Type, TypeError> {
    let rank = x.rank() + new.len();
    let mut shape = Vec::with_capacity(rank);
    let (mut old, mut inserted) = (x.shape.iter(), new.iter().peekable());
    for axis in 0..rank {
        if let Some((_, d)) = inserted.next_if(|(at, _)| usize::from(*at) == axis) {
            shape.push(d.clone());
        } else if let Some(d) = old.next() {
            shape.push(d.clone());
        }
    }
    if let Some((axis, _)) = inserted.next() {
        return Err(TypeError::Axis { kind: "broadcast", axis: usize::from(*axis) });
    }
    Ok(Type::tensor(x.dtype, shape))
}

fn slice(x: &TensorType, axes: &[SliceAxis]) -> Result<Type, TypeError> {
    let kind = "slice";
    if axes.len() != x.rank() {
        return Err(TypeError::Rank { kind, operand: 0, expected: axes.len(), got: Type::Tensor(x.clone()) });
    }
    for (a, d) in axes.iter().zip(&x.shape) {
        if a.step == 0 {
            return Err(TypeError::Extent { kind, what: "the step", value: Dim::ZERO });
        }
        let Some(len) = a.len.as_const() else { continue };
        if len == 0 {
            continue;
        }
        let last = a.start.clone() + Dim::from(a.step) * Dim::from(len - 1);
        for (what, at) in [("the first position", &a.start), ("the last position", &last)] {
            let above = d.as_const().zip(at.as_const()).is_some_and(|(d, at)| at >= d);
            if above || at.is_invalid() || at.as_const().is_some_and(|at| at < 0) {
                return Err(TypeError::Extent { kind, what, value: at.clone() });
            }
        }
    }
    Ok(Type::tensor(x.dtype, axes.iter().map(|a| a.len.clone()).collect::<Shape>()))
}

fn pad(x: &TensorType, value: &TensorType, axes: &[PadAxis]) -> Result<Type, TypeError> {
    let kind = "pad";
    if axes.len() != x.rank() {
        return Err(TypeError::Rank { kind, operand: 0, expected: axes.len(), got: Type::Tensor(x.clone()) });
    }
    if value.rank() != 0 {
        return Err(TypeError::Rank { kind, operand: 1, expected: 0, got: Type::Tensor(value.clone()) });
    }
    if value.dtype != x.dtype {
        return Err(TypeError::DTypes { what: kind.into(), got: vec![x.dtype, value.dtype] });
    }
    let mut shape = Vec::with_capacity(axes.len());
    for (a, d) in axes.iter().zip(&x.shape) {
        for (what, at) in [("the lower pad", &a.lo), ("the upper pad", &a.hi)] {
            if at.is_invalid() || at.as_const().is_some_and(|at| at < 0) {
                return Err(TypeError::Extent { kind, what, value: at.clone() });
            }
        }
        if a.inner < 0 {
            return Err(TypeError::Extent { kind, what: "the inner pad", value: Dim::from(a.inner) });
        }
        let between =
            if a.inner == 0 { Dim::ZERO } else { (d.clone() - Dim::ONE).larger(&Dim::ZERO) * Dim::from(a.inner) };
        shape.push(a.lo.clone() + d.clone() + between + a.hi.clone());
    }
    Ok(Type::tensor(x.dtype, shape))
}

fn concat(parts: &[&TensorType], axis: usize) -> Result<Type, TypeError> {
    let kind = "concat";
    let Some(first) = parts.first() else { return Err(TypeError::Arity { kind, expected: 1, got: 0 }) };
    let mut shape = first.shape.clone();
    if axis >= shape.len() {
        return Err(TypeError::Axis { kind, axis });
    }
    for p in &parts[1..] {
        if p.dtype != first.dtype {
            return Err(TypeError::DTypes { what: kind.into(), got: vec![first.dtype, p.dtype] });
        }
        let others_equal = p.rank() == first.rank() && (0..p.rank()).all(|i| i == axis || p.shape[i] == first.shape[i]);
        if !others_equal {
            return Err(TypeError::Shapes { kind, a: Type::Tensor((*first).clone()), b: Type::Tensor((*p).clone()) });
        }
        shape[axis] = shape[axis].clone() + p.shape[axis].clone();
    }
    Ok(Type::tensor(first.dtype, shape))
}

fn gather(data: &TensorType, ix: &TensorType, spec: &GatherSpec) -> Result<Type, TypeError> {
    if !ix.dtype.is_int() {
        return Err(TypeError::DTypes { what: "the index of gather".into(), got: vec![ix.dtype] });
    }
    Ok(Type::tensor(data.dtype, spec.out_shape(&data.shape, &ix.shape)?))
}

fn scatter(
    data: &TensorType,
    ix: &TensorType,
    upd: &TensorType,
    mode: ScatterOp,
    spec: &GatherSpec,
) -> Result<Type, TypeError> {
    let numeric = mode == ScatterOp::Set || data.dtype.is_num();
    if !ix.dtype.is_int() || data.dtype != upd.dtype || !numeric {
        return Err(TypeError::DTypes { what: "scatter".into(), got: vec![data.dtype, ix.dtype, upd.dtype] });
    }
    // Label extents of the data are those of the updates' spec, except that a data axis may be longer than its label.
    let expected = spec.ix.len() + usize::from(spec.has_component_axis());
    if data.rank() != spec.data.len() || ix.rank() != expected || upd.rank() != usize::from(spec.rank) {
        return Err(TypeError::Shapes { kind: "scatter", a: Type::Tensor(data.clone()), b: Type::Tensor(upd.clone()) });
    }
    for (l, d) in spec.ix.iter().zip(&ix.shape) {
        if upd.shape[l.index()] != *d {
            return Err(TypeError::Shapes {
                kind: "scatter",
                a: Type::Tensor(ix.clone()),
                b: Type::Tensor(upd.clone()),
            });
        }
    }
    Ok(Type::Tensor(data.clone()))
}

fn map(f: Scalar, parts: &[&TensorType]) -> Result<Type, TypeError> {
    if parts.len() != f.arity() {
        return Err(TypeError::Arity { kind: "map", expected: f.arity(), got: parts.len() });
    }
    for p in &parts[1..] {
        if p.shape != parts[0].shape {
            return Err(TypeError::Shapes {
                kind: "map",
                a: Type::Tensor(parts[0].clone()),
                b: Type::Tensor((*p).clone()),
            });
        }
    }
    let dtypes: SmallVec<[DType; 4]> = parts.iter().map(|p| p.dtype).collect();
    let dtype = f.result(&dtypes).ok_or_else(|| TypeError::DTypes { what: f.to_string(), got: dtypes.to_vec() })?;
    Ok(Type::tensor(dtype, parts[0].shape.clone()))
}

fn reduce(x: &TensorType, monoid: Monoid, spec: &Spec, acc: DType) -> Result<Type, TypeError> {
    let legal = match monoid {
        Monoid::Sum | Monoid::Prod => x.dtype.is_num() && acc.is_num() && acc.is_float() == x.dtype.is_float(),
        Monoid::Max | Monoid::Min => acc == x.dtype,
        Monoid::And | Monoid::Or => x.dtype == DType::Bool && acc == DType::Bool,
        Monoid::ArgMaxFirst | Monoid::ArgMaxLast | Monoid::ArgMinFirst | Monoid::ArgMinLast => {
            x.dtype.is_num() && acc == x.dtype
        }
    };
    if !legal {
        return Err(TypeError::DTypes { what: format!("reduce {}", monoid.name()), got: vec![x.dtype, acc] });
    }
    let shape = spec.out_shape(&[&x.shape])?;
    Ok(Type::tensor(if monoid.is_arg() { DType::I64 } else { x.dtype }, shape))
}

fn contract(a: &TensorType, b: &TensorType, spec: &Spec, acc: DType, out: DType) -> Result<Type, TypeError> {
    let legal = a.dtype.is_num() && b.dtype.is_num() && acc.is_num() && out.is_num();
    let floats = [a.dtype, b.dtype, acc].iter().filter(|d| d.is_float()).count();
    if !legal || (floats != 0 && floats != 3) {
        return Err(TypeError::DTypes { what: "contract".into(), got: vec![a.dtype, b.dtype, acc, out] });
    }
    Ok(Type::tensor(out, spec.out_shape(&[&a.shape, &b.shape])?))
}
