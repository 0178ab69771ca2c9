//! Programs from selections: buffers, evaluated constants, bodies, names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use egret_ir::choice::{ClassGraph, ClassId, ClassNode, Table};
use egret_ir::dim::Dim;
use egret_ir::graph::{Args, BodyId, Graph, Node, ValueId};
use egret_ir::op::{Const, LoopExit, Op};
use egret_ir::program::{Branch, Buffer, BufferId, Kernel, Port, Program, Repeat, Source, Step, Trips};
use egret_ir::types::{TensorType, Type};
use egret_ir::{Origins, Symbol, Tensor};
use rayon::prelude::*;

use crate::error::PlanError;
use crate::kernels::{Member, Payload};
use crate::plan::support::Bodies;
use crate::search::Selection;

pub(super) struct Builder<'a> {
    pub cg: &'a ClassGraph,
    pub program: Program,
    bodies: &'a Bodies,
    buffer: BTreeMap<ClassId, BufferId>,
    /// Buffers that tell the extents of data-backed symbols.
    pub witnesses: BTreeMap<Symbol, Vec<BufferId>>,
    /// Which classes are constants.
    constant: &'a [bool],
    constants: BTreeMap<ClassId, Tensor>,
    /// The constant way of each constant class.
    constant_way: Vec<Option<u32>>,
    names: BTreeSet<String>,
}

/// The program of a selection; `inner` where it is the body of a branch or a loop.
pub(super) fn program(
    cg: &ClassGraph,
    table: &Table<Payload>,
    selection: &Selection,
    constant: &[bool],
    bodies: &Bodies,
    inner: bool,
) -> Result<Program, PlanError> {
    let folds = |c: ClassId, n: &egret_ir::choice::ClassNode| {
        constant[c.index()] && !matches!(n.op, Op::Input(_)) && n.args.iter().all(|a| constant[a.index()])
    };
    let mut b = Builder {
        cg,
        bodies,
        witnesses: BTreeMap::new(),
        constant,
        program: Program { name: cg.name.clone(), ..Program::default() },
        buffer: BTreeMap::new(),
        constants: BTreeMap::new(),
        constant_way: cg.smallest(&folds),
        names: BTreeSet::new(),
    };
    b.inputs();
    b.fold(selection.chosen.iter().filter_map(|i| match &table.candidates[*i].payload {
        Payload::Kernel(members) => Some(members.as_slice()),
        Payload::Input | Payload::Constant | Payload::Control(..) => None,
    }));
    for &i in &selection.chosen {
        let produced = |c: &ClassId| selection.producer(*c) == Some(i);
        match &table.candidates[i].payload {
            Payload::Kernel(members) => {
                let mut writes: Vec<ClassId> = table.candidates[i].outputs.iter().copied().filter(produced).collect();
                // The order of computation; the root is last.
                writes.sort_by_key(|c| members.iter().position(|m| m.class == *c));
                b.kernel(members, &writes)?;
            }
            Payload::Control(member, parts) => b.control(*member, parts, &produced)?,
            Payload::Input | Payload::Constant => {}
        }
    }
    for (name, c) in &cg.outputs {
        let buffer = b.read(*c)?;
        b.program.outputs.push(Port { name: name.clone(), buffer });
    }
    b.frame(inner)?;
    Ok(b.program)
}

impl Builder<'_> {
    fn tensor_type(&self, c: ClassId) -> TensorType {
        self.cg.ty(c).as_tensor().expect("classes in buffers are tensors").clone()
    }

    fn add_buffer(&mut self, name: &str, ty: TensorType, source: Source) -> BufferId {
        self.program.buffers.push(Buffer { name: name.into(), ty, source });
        BufferId(self.program.buffers.len() as u32 - 1)
    }

    fn unique(&mut self, name: &str) -> String {
        let mut out = name.to_owned();
        let mut n = 2;
        while !self.names.insert(out.clone()) {
            out = format!("{name}_{n}");
            n += 1;
        }
        out
    }

    fn inputs(&mut self) {
        for (i, decl) in self.cg.inputs.iter().enumerate() {
            let Type::Tensor(ty) = &decl.ty else { continue };
            self.names.insert(decl.name.to_string());
            let buffer = self.add_buffer(&decl.name, ty.clone(), Source::Input(i));
            self.program.inputs.push(Port { name: decl.name.clone(), buffer });
        }
        for (k, class) in self.cg.classes.iter().enumerate() {
            for n in &class.nodes {
                if let Op::Input(i) = n.op
                    && let Some(port) = self.program.inputs.get(i as usize)
                {
                    self.buffer.insert(ClassId(k as u32), port.buffer);
                }
            }
        }
    }

    /// The buffer of a class that is an input, a constant or already computed.
    fn read(&mut self, c: ClassId) -> Result<BufferId, PlanError> {
        if let Some(b) = self.buffer.get(&c) {
            return Ok(*b);
        }
        let tensor = self.constant(c)?;
        let name = self.constant_name(c);
        let name = self.unique(&name);
        let b = self.add_buffer(&name, self.tensor_type(c), Source::Constant(tensor));
        self.buffer.insert(c, b);
        Ok(b)
    }

    fn constant_name(&self, c: ClassId) -> String {
        let dense = self.cg.class(c).nodes.iter().find_map(|n| match n.op {
            Op::Const(Const::Dense(id)) => self.cg.tables.const_names.get(&id),
            _ => None,
        });
        if let Some(name) = dense {
            return name.to_string();
        }
        let origin = self.cg.class(c).origins.iter().next().map(|o| match o {
            egret_ir::Origin::Onnx { name, .. } | egret_ir::Origin::Value(name) => format!("{name}_folded"),
            egret_ir::Origin::Text { line, .. } => format!("line{line}_folded"),
        });
        origin.unwrap_or_else(|| "constant".into())
    }

    /// Evaluates the constants that kernels read, on all threads. One that fails is left to [`Builder::constant`], which
    /// says so where its value is needed.
    fn fold<'k>(&mut self, kernels: impl Iterator<Item = &'k [Member]>) {
        let mut wanted: BTreeSet<ClassId> = BTreeSet::new();
        for members in kernels {
            let args = members.iter().flat_map(|m| &self.cg.class(m.class).nodes[m.way as usize].args);
            wanted.extend(args.filter(|a| self.constant[a.index()] && members.iter().all(|m| m.class != **a)));
        }
        let wanted: Vec<ClassId> = wanted.into_iter().collect();
        let values = wanted.into_par_iter().filter_map(|c| Some((c, self.evaluate(c).ok()?)));
        self.constants = values.collect();
    }

    fn constant(&mut self, c: ClassId) -> Result<Tensor, PlanError> {
        if let Some(t) = self.constants.get(&c) {
            return Ok(t.clone());
        }
        let tensor = self.evaluate(c)?;
        self.constants.insert(c, tensor.clone());
        Ok(tensor)
    }

    fn evaluate(&self, c: ClassId) -> Result<Tensor, PlanError> {
        let fail = |cause: String| PlanError::Fold { name: self.constant_name(c), cause };
        let dense = self.cg.class(c).nodes.iter().find_map(|n| match n.op {
            Op::Const(Const::Dense(id)) => Some(self.cg.tables.tensor(id).clone()),
            Op::Const(Const::Scalar(l)) => Some(Tensor::scalar(l)),
            _ => None,
        });
        if let Some(t) = dense {
            return Ok(t);
        }
        let roots = [(Arc::from("constant"), c)];
        let graph = self.cg.graph_of(&roots, &self.constant_way);
        let mut graph = graph.ok_or_else(|| fail("it has no acyclic constant derivation".into()))?;
        graph.inputs.clear();
        let mut values = egret_ir::eval::fold(&graph).map_err(|e| fail(e.to_string()))?;
        values.pop().ok_or_else(|| fail("it has no value".into()))
    }

    /// The number that all elements of a constant are, where the members use it only elementwise or through movement.
    fn splat(&mut self, c: ClassId, members: &[Member]) -> Result<Option<egret_ir::Literal>, PlanError> {
        if !self.constant[c.index()] {
            return Ok(None);
        }
        let tensor = self.constant(c)?;
        let Some(value) = tensor.splat() else { return Ok(None) };
        let replaceable = members.iter().all(|m| {
            let node = &self.cg.class(m.class).nodes[m.way as usize];
            !node.args.contains(&c) || takes_numbers(&node.op)
        });
        Ok(replaceable.then_some(value))
    }

    fn kernel(&mut self, members: &[Member], writes: &[ClassId]) -> Result<(), PlanError> {
        let live = self.live(members, writes);
        let index = self.program.steps.len();
        let name = self.kernel_name(index, &live);
        let mut body = Graph::new(&name);
        let mut value: BTreeMap<ClassId, ValueId> = BTreeMap::new();
        let mut reads = Vec::new();
        let mut origins = Origins::none();
        for m in &live {
            let class = self.cg.class(m.class);
            let node = &class.nodes[m.way as usize];
            origins = origins.join(&class.origins);
            let mut args = Args::new();
            self.note_witnesses(node)?;
            for a in &node.args {
                if !value.contains_key(a) {
                    value.insert(*a, self.operand(*a, &live, &mut body, &mut reads)?);
                }
                args.push(value[a]);
            }
            let v = body.push(Node { op: node.op.clone(), args, ty: class.ty.clone(), origins: class.origins.clone() });
            value.insert(m.class, v);
        }
        let mut written = Vec::new();
        for (k, c) in writes.iter().enumerate() {
            let plain = if writes.len() == 1 { format!("{name}_out") } else { format!("{name}_out{k}") };
            let b = self.result(*c, &plain);
            body.output(&self.program.buffer(b).name.clone(), value[c]);
            written.push(b);
        }
        body.tables.symbols = self.cg.tables.symbols.clone();
        self.program.steps.push(Step::Kernel(Kernel { name: name.into(), body, reads, writes: written, origins }));
        Ok(())
    }

    /// The buffer of a class that the next step computes.
    fn result(&mut self, c: ClassId, plain: &str) -> BufferId {
        let output = self.cg.outputs.iter().find(|o| o.1 == c).map(|o| &o.0);
        let wanted = output.or_else(|| self.cg.names.get(&c)).map(ToString::to_string);
        let name = self.unique(&wanted.unwrap_or_else(|| plain.to_owned()));
        let ty = self.tensor_type(c);
        let b = self.add_buffer(&name, ty, Source::Step(self.program.steps.len()));
        self.buffer.insert(c, b);
        b
    }

    /// Notes which buffers tell the extents of a way's data-backed symbols.
    fn note_witnesses(&mut self, node: &ClassNode) -> Result<(), PlanError> {
        let types: Vec<&Type> = node.args.iter().map(|a| self.cg.ty(*a)).collect();
        let (regular, witnesses) = node.args.split_at(node.op.regular(&types));
        if witnesses.is_empty() {
            return Ok(());
        }
        let told = node.op.unmentioned(&types[..regular.len()], &self.cg.tables.symbols);
        for (symbol, c) in told.into_iter().zip(witnesses) {
            let b = self.read(*c)?;
            self.witnesses.entry(symbol).or_default().push(b);
        }
        Ok(())
    }

    /// A branch or a loop. Results that nothing reads have buffers as well: the bodies give them.
    fn control(
        &mut self,
        member: Member,
        parts: &[(u32, ClassId)],
        produced: &dyn Fn(&ClassId) -> bool,
    ) -> Result<(), PlanError> {
        let class = self.cg.class(member.class);
        let node = &class.nodes[member.way as usize];
        let args = node.args.iter().map(|a| self.read(*a)).collect::<Result<Vec<_>, _>>()?;
        let name = self.unique(&format!("k{}_{}", self.program.steps.len(), node.op.kind()));
        let Type::Tuple(results) = &class.ty else { return Ok(()) };
        let mut writes = Vec::new();
        for (k, ty) in results.iter().enumerate() {
            let plain = format!("{name}_out{k}");
            let part = parts.iter().find(|(part, c)| *part as usize == k && produced(c));
            if let Some((_, c)) = part {
                writes.push(self.result(*c, &plain));
            } else if let Some(ty) = ty.as_tensor() {
                let plain = self.unique(&plain);
                let source = Source::Step(self.program.steps.len());
                writes.push(self.add_buffer(&plain, ty.clone(), source));
            }
        }
        let (name, origins) = (Arc::from(name), class.origins.clone());
        let body = |id: &BodyId| match self.bodies.get(id) {
            Some(Ok(planned)) => planned.program.clone(),
            Some(Err(_)) | None => Program::default(),
        };
        if let Op::If(i) = &node.op {
            let Some((condition, reads)) = args.split_first() else { return Ok(()) };
            let (then, otherwise) = (body(&i.then), body(&i.other));
            let (condition, reads) = (*condition, reads.to_vec());
            let branch = Branch { name, condition, then, otherwise, reads, writes, origins };
            self.program.steps.push(Step::If(Box::new(branch)));
        } else if let Op::Loop(l) = &node.op {
            let mut rest = args.into_iter();
            let trips = l.trip.clone().map(Trips::Extent).or_else(|| rest.next().map(Trips::Number));
            let condition = if l.exit == LoopExit::Condition { rest.next() } else { None };
            let carried = rest.by_ref().take(l.carried as usize).collect();
            let scanned = rest.by_ref().take(l.scanned as usize).collect();
            let (captures, body) = (rest.collect(), body(&l.body));
            let trips = trips.unwrap_or(Trips::Extent(Dim::ZERO));
            let repeat = Repeat { name, trips, condition, carried, scanned, captures, body, writes, origins };
            self.program.steps.push(Step::Loop(Box::new(repeat)));
        }
        Ok(())
    }

    /// The members that the results need, operands first and in operand order.
    fn live(&self, members: &[Member], writes: &[ClassId]) -> Vec<Member> {
        let member = |c: ClassId| members.iter().find(|m| m.class == c);
        let mut done = BTreeSet::new();
        let mut live = Vec::new();
        for root in writes {
            let mut stack: Vec<(&Member, usize)> = member(*root).map(|m| (m, 0)).into_iter().collect();
            while let Some((m, k)) = stack.last_mut() {
                if let Some(a) = self.cg.class(m.class).nodes[m.way as usize].args.get(*k) {
                    *k += 1;
                    if let Some(next) = member(*a).filter(|n| !done.contains(&n.class)) {
                        stack.push((next, 0));
                    }
                } else {
                    if done.insert(m.class) {
                        live.push(**m);
                    }
                    stack.pop();
                }
            }
        }
        live
    }

    /// The value of an operand that is not computed in the body: a number, or a parameter.
    fn operand(
        &mut self,
        c: ClassId,
        members: &[Member],
        body: &mut Graph,
        reads: &mut Vec<BufferId>,
    ) -> Result<ValueId, PlanError> {
        if let Some(number) = self.splat(c, members)? {
            let scalar = body.scalar(number);
            let shape = self.tensor_type(c).shape;
            if shape.is_empty() {
                return Ok(scalar);
            }
            let insert: Box<[(u8, Dim)]> = shape.into_iter().enumerate().map(|(i, d)| (i as u8, d)).collect();
            let ty = self.cg.ty(c).clone();
            return Ok(body.push(Node {
                op: Op::Broadcast(insert),
                args: Args::from_slice(&[scalar]),
                ty,
                origins: Origins::none(),
            }));
        }
        let b = self.read(c)?;
        reads.push(b);
        let buffer = self.program.buffer(b);
        Ok(body.input(&buffer.name.clone(), Type::Tensor(buffer.ty.clone())))
    }

    /// `k3_conv_add_max`: the computing members, at most five, repetitions left out.
    fn kernel_name(&mut self, index: usize, members: &[Member]) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for m in members {
            let node = &self.cg.class(m.class).nodes[m.way as usize];
            let part = word(&node.op);
            if let Some(part) = part.filter(|p| !parts.contains(p)) {
                parts.push(part);
            }
        }
        if parts.is_empty() {
            let moved = members.iter().rev().find_map(|m| {
                let op = &self.cg.class(m.class).nodes[m.way as usize].op;
                (!matches!(op, Op::Reshape(_) | Op::Const(_))).then(|| op.kind())
            });
            parts.push(moved.unwrap_or("copy"));
        }
        let mut name = format!("k{index}");
        for p in parts.iter().take(5) {
            let _ = write!(name, "_{p}");
        }
        self.unique(&name)
    }
}

/// Kinds that take a number broadcast on the spot as well as a buffer.
fn takes_numbers(op: &Op) -> bool {
    match op {
        Op::Map(_) | Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Pad(_) | Op::Concat(_) => {
            true
        }
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Reduce { .. }
        | Op::Contract { .. }
        | Op::ArgSort { .. }
        | Op::If(..)
        | Op::Loop(_)
        | Op::Call(_)
        | Op::Opaque(_)
        | Op::Proj(_) => false,
    }
}

/// The word for a computing kind in kernel names.
fn word(op: &Op) -> Option<&'static str> {
    match op {
        Op::Map(f) => Some(f.name()),
        Op::Reduce { monoid, .. } => Some(match monoid.name() {
            "max" => "rmax",
            "min" => "rmin",
            other => other,
        }),
        Op::Contract { spec, .. } => Some(if spec.has_windows() { "conv" } else { "matmul" }),
        Op::Call(c) => Some(c.name()),
        Op::Gather(_) => Some("gather"),
        Op::Scatter(..) => Some("scatter"),
        Op::ArgSort { .. } => Some("argsort"),
        Op::Concat(_) => Some("concat"),
        Op::Pad(_) => Some("pad"),
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::If(..)
        | Op::Loop(_)
        | Op::Opaque(_)
        | Op::Proj(_) => None,
    }
}
