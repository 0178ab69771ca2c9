//! If and Loop (Scan is in [`crate::scan`]): folded where it is known what runs, else over closed bodies.
//!
//! A carried value that the body gives back as it came is no carried value: the body sees it as a value of the graph
//! around. Extents of carried values that change from one iteration to the next are symbols of the body, found by reading
//! the body again until none changes any more.

use std::sync::Arc;

use egret_ir::dim::Backing;
use egret_ir::op::{IfAttrs, LoopAttrs, LoopExit, Op};
use egret_ir::{Dim, Literal, Symbol, Tensor, Type, ValueId};

use crate::error::ProblemKind;
use crate::import::{Done, Importer};
use crate::inline::FlatNode;
use crate::known::{Elem, Known};
use crate::lower::{Fail, bad};
use crate::proto::type_proto::Value as TypeValue;
use crate::proto::{GraphProto, ValueInfoProto};
use crate::scope::{Draft, Faulty, Formal};
use crate::unroll::Unrolled;
use crate::{node, opaque};

/// A loop as the file describes it.
pub(crate) struct Repeat<'p> {
    pub body: &'p GraphProto,
    pub trips: Trips,
    /// The first condition; None: true.
    pub condition: Option<ValueId>,
    pub carried: Vec<ValueId>,
    /// Operands read by slices of axis 0.
    pub scanned: Vec<ValueId>,
    /// Whether the body takes the iteration number and a condition, and gives the next condition.
    pub controls: bool,
}

/// The number of iterations.
#[derive(Clone)]
pub(crate) enum Trips {
    /// Without end.
    Endless,
    /// An expression.
    Known(Dim),
    /// A value (i64[]).
    Value(ValueId),
}

/// What a loop became.
pub(crate) enum Repeated {
    /// Carried and stacked values of a Loop, each where it was asked for.
    Values(Vec<ValueId>),
    /// Carried and stacked values of other nodes.
    Gone(Vec<ValueId>),
    /// A fault inside it is reported already.
    Lost,
}

impl Importer<'_, '_, '_> {
    /// The truth value of a value, where it is known.
    pub fn truth_of(&self, v: ValueId) -> Option<bool> {
        let known = self.known.get(&v).cloned().or_else(|| Known::of_constant(&self.graph, v))?;
        match known.elems.as_slice() {
            [Elem::Bool(b)] => Some(*b),
            _ => None,
        }
    }

    /// A value of one element as one of rank 0.
    fn scalar(&mut self, flat: &FlatNode, v: ValueId) -> Result<ValueId, Fail> {
        let known = self.known.get(&v).cloned();
        let scalar = self.lowering(flat, 1, &[]).reshape(v, &[])?;
        if let Some(known) = known {
            self.known.insert(scalar, Known { shape: vec![], ..known });
        }
        Ok(scalar)
    }

    fn add(&mut self, flat: &FlatNode, op: Op, args: &[ValueId], parts: usize) -> Result<Vec<ValueId>, Fail> {
        let mut l = self.lowering(flat, 1, &[]);
        let tuple = l.emit(op, args)?;
        (0..parts as u32).map(|i| l.proj(tuple, i)).collect()
    }

    // ---- If ----

    /// If: the branch that is taken, where that is known; what the other one would do does not matter then.
    pub fn branch(&mut self, flat: &FlatNode, inputs: &[Option<ValueId>], captured: &[String]) -> Result<Done, Fail> {
        let body = |name: &str| {
            node::find(&flat.proto, name)
                .and_then(|a| a.g.as_deref())
                .ok_or_else(|| bad(name, ProblemKind::MissingAttribute))
        };
        let (then, other) = (body("then_branch")?, body("else_branch")?);
        let Some(Some(condition)) = inputs.first().copied() else { return Err(bad("cond", ProblemKind::MissingInput)) };
        if let Some(taken) = self.truth_of(condition) {
            let results = self.inlined(flat, if taken { then } else { other }, &[], "")?;
            return Ok(results.map_or(Done::Lost, Done::Gone));
        }
        let outer = self.outers(flat, captured);
        let drafts = [self.body(flat, then, Vec::new(), &outer), self.body(flat, other, Vec::new(), &outer)];
        let [then, other] = match drafts {
            [Ok(then), Ok(other)] => [then, other],
            // One that cannot run may be one that never does.
            [Err(Faulty::Problems(mut a)), Err(Faulty::Problems(b))] => {
                a.extend(b);
                self.problems.extend(a);
                return Ok(Done::Lost);
            }
            [Err(Faulty::Opaque(reason)), _] | [_, Err(Faulty::Opaque(reason))] => return Err(Fail::Opaque(reason)),
            [Err(Faulty::Problems(p)), _] | [_, Err(Faulty::Problems(p))] => {
                let what = p.first().map(ToString::to_string).unwrap_or_default();
                return Err(Fail::Opaque(format!("a branch that cannot run: {what}")));
            }
        };
        let count = then.outputs.len();
        if other.outputs.len() != count || flat.proto.output.len() > count {
            return Err(bad("outputs", ProblemKind::Count { got: flat.proto.output.len(), min: count, max: count }));
        }
        if let Some(reason) = then.opaque().or_else(|| other.opaque()) {
            return Err(Fail::Opaque(reason));
        }
        let mut results = Vec::with_capacity(count);
        for i in 0..count {
            let name = flat.proto.output.get(i).filter(|n| !n.is_empty()).map_or("if", String::as_str);
            results.push(self.joined(name, then.ty(i), other.ty(i))?);
        }
        let mut captures = then.needed(&then.outputs);
        for v in other.needed(&other.outputs) {
            if !captures.contains(&v) {
                captures.push(v);
            }
        }
        let condition = self.scalar(flat, condition)?;
        let (a, b) = (then.outputs.clone(), other.outputs.clone());
        let then = self.close(then, &a, &captures);
        let other = self.close(other, &b, &captures);
        let op = Op::If(Box::new(IfAttrs { then, other, results: results.into() }));
        let args: Vec<ValueId> = std::iter::once(condition).chain(captures).collect();
        Ok(Done::Control(self.add(flat, op, &args, count)?))
    }

    /// The type of a value that is of one of two types: extents that differ show when it is there.
    fn joined(&mut self, name: &str, a: &Type, b: &Type) -> Result<Type, Fail> {
        let (Some(s), Some(t)) = (a.as_tensor(), b.as_tensor()) else {
            return Err(Fail::Opaque(format!("branches that give {a} and {b}")));
        };
        if s.dtype != t.dtype || s.rank() != t.rank() {
            return Err(Fail::Opaque(format!("branches that give {s} and {t}")));
        }
        let extents = s.shape.iter().zip(&t.shape);
        let extents: Vec<Dim> = extents.map(|(d, e)| if d == e { d.clone() } else { Dim::INVALID }).collect();
        Ok(Type::tensor(s.dtype, self.outside(name, &extents)))
    }

    /// Extents of a body's value in this graph: those that say nothing here are unknowns of their own.
    fn outside(&mut self, name: &str, extents: &[Dim]) -> Vec<Dim> {
        let mut out = Vec::with_capacity(extents.len());
        for d in extents {
            let known = !d.is_invalid() && self.knows(d);
            out.push(if known { d.clone() } else { opaque::fresh(&mut self.graph, name) });
        }
        out
    }

    // ---- Loop ----

    /// Loop. A condition that the body gives counts even where the node gives none to start with, as in the runtimes.
    pub fn repeat(&mut self, flat: &FlatNode, inputs: &[Option<ValueId>], captured: &[String]) -> Result<Done, Fail> {
        let body = node::find(&flat.proto, "body").and_then(|a| a.g.as_deref());
        let body = body.ok_or_else(|| bad("body", ProblemKind::MissingAttribute))?;
        let input = |i: usize| inputs.get(i).copied().flatten();
        let carried: Option<Vec<ValueId>> = inputs.iter().skip(2).copied().collect();
        let carried = carried.ok_or_else(|| bad("v_initial", ProblemKind::MissingInput))?;
        if body.input.len() != 2 + carried.len() || body.output.len() < 1 + carried.len() {
            let kind = ProblemKind::Count { got: body.input.len(), min: 2 + carried.len(), max: 2 + carried.len() };
            return Err(bad("body", kind));
        }
        let trips = match input(0) {
            None => Trips::Endless,
            Some(v) => self.trips(flat, v)?,
        };
        let condition = match input(1) {
            None => None,
            Some(v) => Some(self.scalar(flat, v)?),
        };
        let repeat = Repeat { body, trips, condition, carried, scanned: Vec::new(), controls: true };
        Ok(match self.repeated(flat, &repeat, captured)? {
            Repeated::Values(values) => Done::Control(values),
            Repeated::Gone(values) => Done::Gone(values),
            Repeated::Lost => Done::Lost,
        })
    }

    fn trips(&mut self, flat: &FlatNode, v: ValueId) -> Result<Trips, Fail> {
        let v = self.scalar(flat, v)?;
        let known = self.known.get(&v).cloned().or_else(|| Known::of_constant(&self.graph, v));
        let dims = known.and_then(|k| k.dims()).unwrap_or_default();
        Ok(match dims.as_slice() {
            [d] if self.is_count(d) => Trips::Known(d.clone()),
            _ => Trips::Value(v),
        })
    }

    /// Whether an expression is a number, or one that inputs decide and that is not negative.
    fn is_count(&self, d: &Dim) -> bool {
        let symbols = &self.graph.tables.symbols;
        let mut by_inputs = true;
        d.symbols(&mut |s| by_inputs &= symbols.info(s).backing != Backing::Data);
        d.as_const().is_some() || (by_inputs && d.lower_bound(symbols).is_some_and(|lo| lo >= 0))
    }

    pub fn repeated(&mut self, flat: &FlatNode, repeat: &Repeat<'_>, captured: &[String]) -> Result<Repeated, Fail> {
        let starts = repeat.condition.map_or(Some(true), |c| self.truth_of(c));
        let most = match &repeat.trips {
            Trips::Endless => Some(i64::MAX),
            Trips::Known(d) => d.as_const().map(|n| n.max(0)),
            Trips::Value(_) => None,
        };
        let never = starts == Some(false) || most == Some(0);
        if let Some(most) = most.filter(|_| never || starts == Some(true)) {
            let formal = |i: usize| shape_of(&repeat.body.input[i]);
            let shapes = repeat.controls.then(|| [formal(0), formal(1)]);
            let shapes = shapes.as_ref().map(|[a, b]| [a.as_slice(), b.as_slice()]);
            let trips = if never { 0 } else { most };
            let stacks = repeat.body.output.len() - usize::from(repeat.controls) - repeat.carried.len();
            if trips > 0 || stacks == 0 {
                match self.unrolled(flat, repeat.body, trips, [&repeat.carried, &repeat.scanned], shapes)? {
                    Unrolled::Whole(mut values, stacks) => {
                        for parts in stacks {
                            values.push(self.stacked(flat, &parts)?);
                        }
                        return Ok(Repeated::Gone(values));
                    }
                    Unrolled::Lost => return Ok(Repeated::Lost),
                    Unrolled::No => {}
                }
            }
        }
        self.looped(flat, repeat, captured, never)
    }

    /// Slices on a new first axis.
    pub fn stacked(&mut self, flat: &FlatNode, parts: &[ValueId]) -> Result<ValueId, Fail> {
        let mut l = self.lowering(flat, 1, &[]);
        let mut wide = Vec::with_capacity(parts.len());
        for v in parts {
            let shape: Vec<Dim> = std::iter::once(Dim::ONE).chain(l.shape(*v)?).collect();
            wide.push(l.reshape(*v, &shape)?);
        }
        l.concat(0, &wide)
    }

    /// A loop over a closed body; with `never`, only its results after no iteration.
    fn looped(
        &mut self,
        flat: &FlatNode,
        repeat: &Repeat<'_>,
        captured: &[String],
        never: bool,
    ) -> Result<Repeated, Fail> {
        let (mut draft, carries) = match self.settled(flat, repeat, captured)? {
            Ok(settled) => settled,
            Err(problems) => {
                self.problems.extend(problems);
                return Ok(Repeated::Lost);
            }
        };
        if let Some(reason) = draft.opaque() {
            return Err(Fail::Opaque(reason));
        }
        let first = usize::from(repeat.controls);
        let carried = repeat.carried.len();
        let exits = repeat.controls
            && (repeat.condition.is_some_and(|c| self.truth_of(c) != Some(true)) || draft.truth(0) != Some(true));
        if matches!(repeat.trips, Trips::Endless) && !exits {
            return Err(Fail::Opaque("a loop without end".to_owned()));
        }
        let trip = match &repeat.trips {
            Trips::Endless => Some(Dim::from(i64::MAX)),
            Trips::Known(d) => Some(d.as_const().map_or_else(|| d.clone(), |n| Dim::from(n.max(0)))),
            Trips::Value(_) => None,
        };
        // Results: what each is in the file's order, None for those that are no results of the loop.
        let wanted = |i: usize| i < carried || flat.proto.output.get(i).is_some_and(|n| !n.is_empty());
        let mut outputs: Vec<(Arc<str>, ValueId)> = Vec::new();
        if exits {
            draft.flattened(0).map_err(Fail::Opaque)?;
            outputs.push(draft.outputs[0].clone());
        }
        let mut results = Vec::new();
        let mut place: Vec<Option<usize>> = Vec::new();
        for i in 0..draft.outputs.len() - first {
            let varies = carries.get(i).is_none_or(Option::is_some);
            if !varies || !wanted(i) {
                place.push(None);
                continue;
            }
            place.push(Some(results.len()));
            let name = flat.proto.output.get(i).filter(|n| !n.is_empty()).map_or("loop", String::as_str);
            let Some(t) = draft.ty(first + i).as_tensor().cloned() else {
                return Err(Fail::Opaque(format!("a loop that gives {}", draft.ty(first + i))));
            };
            outputs.push(draft.outputs[first + i].clone());
            if let Some(Some(entry)) = carries.get(i) {
                let entry = entry.as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
                results.push(Type::tensor(t.dtype, self.outside(name, &entry)));
            } else {
                let count = match &trip {
                    Some(d) if !exits => d.clone(),
                    _ => opaque::fresh(&mut self.graph, name),
                };
                let inner = self.outside(name, &t.shape);
                results.push(Type::tensor(t.dtype, std::iter::once(count).chain(inner).collect::<Vec<_>>()));
            }
        }
        if never {
            return self.nothing(flat, repeat, &results, &place);
        }
        let captures = draft.needed(&outputs);
        let varying = carries.iter().filter(|c| c.is_some()).count();
        let mut args = Vec::new();
        if let Trips::Value(v) = repeat.trips {
            args.push(v);
        }
        if exits {
            let condition = match repeat.condition {
                Some(c) => c,
                None => self.lowering(flat, 1, &[]).literal(Literal::bool(true))?,
            };
            args.push(condition);
        }
        args.extend(repeat.carried.iter().zip(&carries).filter(|(_, c)| c.is_some()).map(|(v, _)| *v));
        args.extend(&repeat.scanned);
        args.extend(&captures);
        let body = self.close(draft, &outputs, &captures);
        let attrs = LoopAttrs {
            body,
            trip,
            exit: if exits { LoopExit::Condition } else { LoopExit::Never },
            carried: varying as u32,
            scanned: repeat.scanned.len() as u32,
            results: results.clone().into(),
        };
        let parts = self.add(flat, Op::Loop(Box::new(attrs)), &args, results.len())?;
        let first = parts.first().or(repeat.carried.first()).copied();
        let values = place.iter().enumerate().map(|(i, p)| match p {
            Some(p) => Some(parts[*p]),
            // Carried round as it came, or not asked for.
            None => repeat.carried.get(i).copied().or(first),
        });
        let values = values.collect::<Option<Vec<_>>>();
        Ok(Repeated::Values(values.ok_or_else(|| Fail::Opaque("a loop without results".to_owned()))?))
    }

    /// What a loop gives after no iteration.
    fn nothing(
        &mut self,
        flat: &FlatNode,
        repeat: &Repeat<'_>,
        results: &[Type],
        place: &[Option<usize>],
    ) -> Result<Repeated, Fail> {
        let mut values = Vec::with_capacity(place.len());
        for (i, p) in place.iter().enumerate() {
            if let Some(v) = repeat.carried.get(i) {
                values.push(*v);
                continue;
            }
            let ty = p.and_then(|p| results[p].as_tensor());
            let Some(ty) = ty else {
                values.push(*values.first().ok_or_else(|| Fail::Opaque("a loop without results".to_owned()))?);
                continue;
            };
            let mut shape = ty.shape.clone();
            shape[0] = Dim::ZERO;
            let mut l = self.lowering(flat, 1, &[]);
            let shape: Option<Vec<usize>> = egret_ir::dim::as_static(&shape);
            let shape = shape.ok_or_else(|| Fail::Opaque("no iteration, of results of unknown extents".to_owned()))?;
            let empty = Tensor::new(ty.dtype, shape, Vec::new()).map_err(|e| Fail::Opaque(e.to_string()))?;
            values.push(l.constant(empty)?);
        }
        Ok(Repeated::Gone(values))
    }

    /// Reads the body until the types of carried values no longer change; with each its type on entry, None where the body
    /// gives it back as it came.
    #[expect(clippy::type_complexity, reason = "one caller")]
    fn settled(
        &mut self,
        flat: &FlatNode,
        repeat: &Repeat<'_>,
        captured: &[String],
    ) -> Result<Result<(Draft, Vec<Option<Type>>), Vec<crate::error::Problem>>, Fail> {
        let first = usize::from(repeat.controls);
        let heads = 2 * first;
        let outer = self.outers(flat, captured);
        let mut carries: Vec<Option<Type>> = repeat.carried.iter().map(|v| Some(self.graph.ty(*v).clone())).collect();
        for ty in carries.iter().flatten() {
            if ty.as_tensor().is_none() {
                return Err(Fail::Opaque(format!("a carried value of type {ty}")));
            }
        }
        let bound = match &repeat.trips {
            Trips::Known(d) => d.as_const().map(|n| n.saturating_sub(1).max(0)),
            Trips::Endless | Trips::Value(_) => None,
        };
        loop {
            let mut formals = Vec::new();
            if repeat.controls {
                formals.push(Formal::Iteration(bound, shape_of(&repeat.body.input[0])));
                formals.push(Formal::True(shape_of(&repeat.body.input[1])));
            } else {
                formals.push(Formal::Unnamed);
            }
            for (v, ty) in repeat.carried.iter().zip(&carries) {
                formals.push(match ty {
                    Some(ty) => Formal::Input(ty.clone()),
                    None => Formal::Outer(self.outer_of(flat, *v)),
                });
            }
            for v in &repeat.scanned {
                let t = self.graph.ty(*v).as_tensor();
                let t =
                    t.filter(|t| t.rank() > 0).ok_or_else(|| Fail::Opaque("a scanned value that is none".into()))?;
                formals.push(Formal::Input(Type::tensor(t.dtype, &t.shape[1..])));
            }
            let draft = match self.body(flat, repeat.body, formals, &outer) {
                Ok(draft) => draft,
                Err(Faulty::Problems(p)) => return Ok(Err(p)),
                Err(Faulty::Opaque(reason)) => return Err(Fail::Opaque(reason)),
            };
            let mut changed = false;
            for (i, carry) in carries.iter_mut().enumerate() {
                let Some(Type::Tensor(entry)) = carry else { continue };
                if draft.given[heads + i] == Some(draft.outputs[first + i].1) {
                    *carry = None;
                    changed = true;
                    continue;
                }
                let exit = draft.ty(first + i);
                let fits = exit.as_tensor().filter(|t| t.dtype == entry.dtype && t.rank() == entry.rank());
                let Some(exit) = fits else {
                    return Err(Fail::Opaque(format!("a carried value that is {entry} and becomes {exit}")));
                };
                let name = flat.proto.output.get(i).filter(|n| !n.is_empty()).map_or("loop", String::as_str);
                for (axis, (d, e)) in entry.shape.iter_mut().zip(&exit.shape).enumerate() {
                    let own = d.as_symbol().is_some_and(|s| !self.graph.tables.symbols.0.contains_key(s));
                    if d != e && !own {
                        *d = Dim::symbol(self.unused(&format!("{name}.in.{axis}")));
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(Ok((draft, carries)));
            }
        }
    }

    /// A symbol that this graph does not have.
    fn unused(&self, wish: &str) -> Symbol {
        let symbols = &self.graph.tables.symbols.0;
        let mut name = wish.to_owned();
        while symbols.contains_key(&Symbol::new(&name)) {
            name.push('\'');
        }
        Symbol::new(&name)
    }
}

/// The shape of a formal input that has one element: `[]`, or as many extents of 1 as it declares.
fn shape_of(formal: &ValueInfoProto) -> Vec<Dim> {
    let rank = match formal.r#type.as_ref().and_then(|t| t.value.as_ref()) {
        Some(TypeValue::TensorType(t)) => t.shape.as_ref().map_or(0, |s| s.dim.len()),
        _ => 0,
    };
    vec![Dim::ONE; rank]
}
