//! What If and Loop ask of their bodies. Symbols are scoped lexically: a body may mention those of the graph around it
//! ([`Backing::Outer`]), and has symbols of its own, which the actual shapes of its inputs bind each time it runs.

use crate::dim::{Backing, Dim, Symbols};
use crate::dtype::DType;
use crate::graph::{BodyId, Graph, Tables};
use crate::infer::TypeError;
use crate::op::{IfAttrs, LoopAttrs, LoopExit};
use crate::types::Type;

/// A body with the graph around it.
struct Body<'a> {
    kind: &'static str,
    id: BodyId,
    graph: &'a Graph,
    outer: &'a Symbols,
}

impl<'a> Body<'a> {
    fn new(kind: &'static str, id: BodyId, tables: &'a Tables) -> Result<Self, TypeError> {
        let graph = tables.bodies.get(id.0 as usize).ok_or(TypeError::Dangling { kind, index: id.0 })?;
        Ok(Self { kind, id, graph, outer: &tables.symbols })
    }

    fn fault<T>(&self, what: String) -> Result<T, TypeError> {
        Err(TypeError::Body { kind: self.kind, body: self.id.0, what })
    }

    /// The body takes as many inputs and gives as many outputs.
    fn counts(&self, inputs: usize, outputs: usize) -> Result<(), TypeError> {
        let got = (self.graph.inputs.len(), self.graph.outputs.len());
        if got == (inputs, outputs) {
            return Ok(());
        }
        self.fault(format!("takes {} and gives {} values, {inputs} and {outputs} are needed", got.0, got.1))
    }

    fn input(&self, i: usize) -> &'a Type {
        &self.graph.inputs[i].ty
    }

    fn output(&self, i: usize) -> &'a Type {
        self.graph.ty(self.graph.outputs[i].value)
    }

    /// A symbol that stands for whatever extent comes in.
    fn own(&self, d: &Dim) -> bool {
        d.as_symbol().is_some_and(|s| self.graph.tables.symbols.info(s).backing != Backing::Outer)
    }

    /// Whether a value of type `given` may become input `i`.
    fn enters(&self, i: usize, given: &Type) -> Result<(), TypeError> {
        if fits(self.input(i), given, &|d| self.own(d)) {
            return Ok(());
        }
        self.fault(format!("input {i} is {}, it gets {given}", self.input(i)))
    }

    /// Whether a value of type `given` may become a result of type `result`.
    fn leaves(&self, i: usize, result: &Type, given: &Type) -> Result<(), TypeError> {
        if fits(result, given, &|d| open(self.outer, d)) {
            return Ok(());
        }
        self.fault(format!("result {i} is {result}, it gets {given}"))
    }
}

/// A symbol that stands for whatever extent comes out.
fn open(outer: &Symbols, d: &Dim) -> bool {
    d.as_symbol().is_some_and(|s| outer.info(s).backing == Backing::Data)
}

/// Equal types but for extents that stand for any.
fn fits(ty: &Type, given: &Type, any: &dyn Fn(&Dim) -> bool) -> bool {
    match (ty, given) {
        (Type::Tensor(a), Type::Tensor(b)) => {
            let extents = || a.shape.iter().zip(&b.shape).all(|(a, b)| a == b || any(a));
            a.dtype == b.dtype && a.rank() == b.rank() && extents()
        }
        (a, b) => a == b,
    }
}

fn is_scalar(ty: &Type, dtype: DType) -> bool {
    ty.as_tensor().is_some_and(|t| t.dtype == dtype && t.rank() == 0)
}

/// The type of an If: operands are the condition and the captures of both bodies.
pub(crate) fn branches(attrs: &IfAttrs, args: &[&Type], tables: &Tables) -> Result<Type, TypeError> {
    let kind = "if";
    let Some((condition, captures)) = args.split_first() else {
        return Err(TypeError::Arity { kind, expected: 1, got: 0 });
    };
    for id in [attrs.then, attrs.other] {
        let body = Body::new(kind, id, tables)?;
        if !is_scalar(condition, DType::Bool) {
            return body.fault(format!("the condition is {condition}"));
        }
        body.counts(captures.len(), attrs.results.len())?;
        for (i, given) in captures.iter().enumerate() {
            body.enters(i, given)?;
        }
        for (i, result) in attrs.results.iter().enumerate() {
            body.leaves(i, result, body.output(i))?;
        }
    }
    Ok(Type::Tuple(attrs.results.clone()))
}

/// The type of a Loop. Operands: trip count (where the attribute has none), condition (where it may exit), carried, scanned,
/// captures. The body takes the iteration number (i64[]), carried values, one slice of each scanned value, captures; it
/// gives the next condition (where it may exit), carried values and one slice of each stacked value.
pub(crate) fn repeats(attrs: &LoopAttrs, args: &[&Type], tables: &Tables) -> Result<Type, TypeError> {
    let kind = "loop";
    let body = Body::new(kind, attrs.body, tables)?;
    let exits = attrs.exit == LoopExit::Condition;
    let (carried, scanned) = (attrs.carried as usize, attrs.scanned as usize);
    let controls = usize::from(attrs.trip.is_none()) + usize::from(exits);
    let fixed = controls + carried + scanned;
    if args.len() < fixed {
        return Err(TypeError::Arity { kind, expected: fixed, got: args.len() });
    }
    let Some(stacked) = attrs.results.len().checked_sub(carried) else {
        return body.fault(format!("{carried} carried values and {} results", attrs.results.len()));
    };
    let (control, rest) = args.split_at(controls);
    for (ty, dtype) in control.iter().zip([DType::I64, DType::Bool].iter().skip(usize::from(attrs.trip.is_some()))) {
        if !is_scalar(ty, *dtype) {
            return body.fault(format!("the trip count or condition is {ty}"));
        }
    }
    body.counts(1 + rest.len(), usize::from(exits) + carried + stacked)?;
    if !is_scalar(body.input(0), DType::I64) {
        return body.fault(format!("the iteration number is {}", body.input(0)));
    }
    for (i, given) in rest.iter().enumerate() {
        if (carried..carried + scanned).contains(&i) {
            let Some(slice) = given.as_tensor().filter(|t| t.rank() > 0) else {
                return body.fault(format!("the scanned value {} is {given}", i - carried));
            };
            body.enters(1 + i, &Type::tensor(slice.dtype, &slice.shape[1..]))?;
        } else {
            body.enters(1 + i, given)?;
        }
    }
    let first = usize::from(exits);
    if exits && !is_scalar(body.output(0), DType::Bool) {
        return body.fault(format!("the next condition is {}", body.output(0)));
    }
    for (i, result) in attrs.results.iter().enumerate() {
        let given = body.output(first + i);
        if i < carried {
            // After no iteration it is the operand.
            body.enters(1 + i, given)?;
            body.leaves(i, result, given)?;
            body.leaves(i, result, rest[i])?;
            continue;
        }
        let (Some(stack), Some(slice)) = (result.as_tensor(), given.as_tensor()) else {
            return body.fault(format!("the stacked value {i} is {result} of {given}"));
        };
        let Some((count, inner)) = stack.shape.split_first() else {
            return body.fault(format!("the stacked value {i} is {result}"));
        };
        body.leaves(i, &Type::tensor(stack.dtype, inner), &Type::Tensor(slice.clone()))?;
        let all = attrs.trip.as_ref().filter(|_| !exits);
        if all != Some(count) && !open(body.outer, count) {
            return body.fault(format!("{count} slices of the stacked value {i}"));
        }
    }
    Ok(Type::Tuple(attrs.results.clone()))
}
