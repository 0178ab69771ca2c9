//! Loops that operators are, over closed bodies written with the same methods as the graph around them.

use std::collections::BTreeMap;

use egret_ir::dim::{Backing, SymbolInfo};
use egret_ir::graph::BodyId;
use egret_ir::op::{LoopAttrs, LoopExit, Op};
use egret_ir::{DType, Dim, Graph, Type, ValueId};

use crate::lower::{Fail, Lower, opaque};

/// What one step gives.
pub struct Step {
    /// The carried values for the next step.
    pub carried: Vec<ValueId>,
    /// What is stacked.
    pub stacked: Vec<ValueId>,
}

/// Runs `step` once per cell of axis 0 of the scanned values, whose extents are `trip`. It gets the carried values, one
/// slice of each scanned value and the captures, and may read nothing else. Results: the carried values after the last
/// step, and the stacked ones with an axis 0 of `trip` cells. A single step is no loop.
pub fn scan(
    l: &mut Lower<'_>,
    trip: &Dim,
    carried: &[ValueId],
    scanned: &[ValueId],
    captures: &[ValueId],
    step: impl FnOnce(&mut Lower<'_>, &[ValueId], &[ValueId], &[ValueId]) -> Result<Step, Fail>,
) -> Result<Vec<ValueId>, Fail> {
    let slice_shape = |l: &Lower<'_>, v: ValueId| Ok::<_, Fail>(l.shape(v)?[1..].to_vec());
    if *trip == Dim::ONE {
        let mut slices = Vec::new();
        for v in scanned {
            let shape = slice_shape(l, *v)?;
            slices.push(l.reshape(*v, &shape)?);
        }
        let Step { carried: mut out, stacked } = step(l, carried, &slices, captures)?;
        for v in stacked {
            let mut shape = l.shape(v)?;
            shape.insert(0, Dim::ONE);
            out.push(l.reshape(v, &shape)?);
        }
        return Ok(out);
    }
    let mut types = Vec::new();
    for v in carried {
        types.push(Type::Tensor(l.tensor(*v)?));
    }
    for v in scanned {
        let shape = slice_shape(l, *v)?;
        types.push(Type::tensor(l.dtype(*v)?, shape));
    }
    for v in captures {
        types.push(Type::Tensor(l.tensor(*v)?));
    }
    let mut body = Graph::new("step");
    for d in types.iter().filter_map(Type::as_tensor).flat_map(|t| &t.shape) {
        d.symbols(&mut |s| {
            let info = SymbolInfo { backing: Backing::Outer, ..l.symbols().info(s) };
            body.tables.symbols.0.insert(s.clone(), info);
        });
    }
    body.input("i", Type::fixed(DType::I64, &[]));
    let inputs: Vec<ValueId> =
        types.iter().enumerate().map(|(n, ty)| body.input(&format!("x{n}"), ty.clone())).collect();
    let (given, rest) = inputs.split_at(carried.len());
    let (slices, outer) = rest.split_at(scanned.len());
    let mut inside = Lower {
        graph: &mut body,
        known: &mut BTreeMap::new(),
        bounds: &mut BTreeMap::new(),
        witnesses: &mut BTreeMap::new(),
        node: l.node,
        opset: l.opset,
        inputs: &[],
        origins: l.origins.clone(),
    };
    let Step { carried: next, stacked } = step(&mut inside, given, slices, outer)?;
    let mut results = Vec::new();
    for (n, v) in next.iter().chain(&stacked).enumerate() {
        let mut t = body.ty(*v).as_tensor().cloned().ok_or_else(|| opaque("a step that gives no tensor"))?;
        if n < next.len() {
            if Some(&t) != types.get(n).and_then(Type::as_tensor) {
                return Err(opaque("a carried value that changes its type"));
            }
        } else {
            t.shape.insert(0, trip.clone());
        }
        results.push(Type::Tensor(t));
        body.output(&format!("y{n}"), *v);
    }
    let id = BodyId(l.graph.tables.bodies.len() as u32);
    l.graph.tables.bodies.push(body);
    let count = results.len() as u32;
    let attrs = LoopAttrs {
        body: id,
        trip: Some(trip.clone()),
        exit: LoopExit::Never,
        carried: carried.len() as u32,
        scanned: scanned.len() as u32,
        results: results.into(),
    };
    let args: Vec<ValueId> = carried.iter().chain(scanned).chain(captures).copied().collect();
    let tuple = l.emit(Op::Loop(Box::new(attrs)), &args)?;
    (0..count).map(|i| l.proj(tuple, i)).collect()
}
