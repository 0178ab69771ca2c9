//! If and Loop over closed bodies.

use super::array::{self, Array};
use super::domain::{Site, sub_site};
use super::error::Trap;
use super::{Cx, Domain, Value};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::{BodyId, Graph};
use crate::op::{IfAttrs, LoopAttrs, LoopExit, Op, SliceAxis};

fn body<'a, D>(cx: &Cx<'a, D>, id: BodyId) -> &'a Graph {
    &cx.tables.bodies[id.0 as usize]
}

fn tuple<F>(parts: Vec<Array<F>>) -> Value<F> {
    Value::Tuple(parts.into_iter().map(Value::Tensor).collect())
}

/// Runs the taken body on the captures.
pub fn branch<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    attrs: &IfAttrs,
    args: &[&Array<D::Float>],
) -> Result<Value<D::Float>, Trap> {
    let Some(([condition], captures)) = args.split_first_chunk() else { return Err(cx.misfit("if", args)) };
    let Some([taken]) = condition.bools() else { return Err(cx.misfit("if", args)) };
    let taken = if *taken { attrs.then } else { attrs.other };
    Ok(tuple(cx.body(site, body(cx, taken), captures)?))
}

/// Operands: trip count (where the attribute has none), condition (where it may exit), carried, scanned, captures.
/// The body takes the iteration number (i64[]), carried values, one slice of each scanned value, captures; it gives the
/// next condition (where it may exit), carried values and one slice of each stacked value.
pub fn repeat<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    attrs: &LoopAttrs,
    args: &[&Array<D::Float>],
) -> Result<Value<D::Float>, Trap> {
    let graph = body(cx, attrs.body);
    let mut rest = args;
    let mut next = || {
        let ([first], others) = rest.split_first_chunk().ok_or_else(|| cx.misfit("loop", args))?;
        rest = others;
        Ok::<&Array<D::Float>, Trap>(*first)
    };
    let trip = match &attrs.trip {
        Some(d) => cx.number(d)?,
        None => *next()?.ints().and_then(|n| n.first()).ok_or_else(|| cx.misfit("loop", args))?,
    };
    let exits = attrs.exit == LoopExit::Condition;
    let mut going =
        if exits { *next()?.bools().and_then(|b| b.first()).ok_or_else(|| cx.misfit("loop", args))? } else { true };
    let mut carried = (0..attrs.carried).map(|_| next().cloned()).collect::<Result<Vec<_>, _>>()?;
    let scanned = (0..attrs.scanned).map(|_| next()).collect::<Result<Vec<_>, _>>()?;
    let captures = rest;
    let stacked = graph.outputs.len().checked_sub(usize::from(exits) + carried.len());
    let stacked = stacked.ok_or_else(|| cx.misfit("loop", args))?;
    let mut stacks: Vec<Vec<Array<D::Float>>> = vec![Vec::new(); stacked];
    let mut i = 0;
    while going && i < trip {
        let number = Array::int(DType::I64, [], vec![i]);
        let slices = scanned.iter().map(|x| row(cx, x, i)).collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<&Array<D::Float>> =
            std::iter::once(&number).chain(&carried).chain(&slices).chain(captures.iter().copied()).collect();
        let mut results = cx.body(sub_site(site, i as u64), graph, &inputs)?.into_iter();
        if exits {
            let condition = results.next().ok_or_else(|| cx.misfit("loop", args))?;
            going = *condition.bools().and_then(|b| b.first()).ok_or_else(|| cx.misfit("loop", args))?;
        }
        carried = results.by_ref().take(carried.len()).collect();
        for (stack, part) in stacks.iter_mut().zip(results) {
            let shape: Vec<usize> = std::iter::once(1).chain(part.shape().iter().copied()).collect();
            stack.push(part.reshaped(shape));
        }
        i += 1;
    }
    for (stack, output) in stacks.into_iter().zip(&graph.outputs[graph.outputs.len() - stacked..]) {
        if stack.is_empty() {
            carried.push(nothing(cx, graph, output.value)?);
        } else {
            carried.push(super::movement::concat(cx, &stack.iter().collect::<Vec<_>>(), 0)?);
        }
    }
    Ok(tuple(carried))
}

/// A stack of no slices. Extents that only a run of the body would show are 0.
fn nothing<D: Domain>(cx: &Cx<'_, D>, graph: &Graph, v: crate::graph::ValueId) -> Result<Array<D::Float>, Trap> {
    let ty = graph.ty(v).as_tensor().ok_or_else(|| Trap::NotTensor(graph.ty(v).clone()))?;
    let mut shape = vec![0];
    for d in &ty.shape {
        shape.push(match cx.size(d) {
            Err(Trap::Unbound(_)) => 0,
            known => known?,
        });
    }
    let empty =
        crate::tensor::Tensor::new(ty.dtype, shape, Vec::new()).map_err(|_| Trap::TooLarge { shape: Vec::new() })?;
    Ok(array::from_tensor(cx.domain, &empty))
}

/// Slice `i` of axis 0, without the axis.
fn row<D: Domain>(cx: &Cx<'_, D>, x: &Array<D::Float>, i: i64) -> Result<Array<D::Float>, Trap> {
    let (_, inner) = x.shape().split_first().ok_or_else(|| cx.misfit("loop", &[x]))?;
    let mut axes = vec![SliceAxis { start: Dim::from(i), step: 1, len: Dim::ONE }];
    axes.extend(inner.iter().map(|n| SliceAxis { start: Dim::ZERO, step: 1, len: Dim::from(*n) }));
    let slice = cx.tensor(0, &Op::Slice(axes.into()), &[x])?;
    Ok(slice.reshaped(inner))
}
