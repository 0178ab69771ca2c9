//! Programs from selections: buffers, evaluated constants, bodies, names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use egret_ir::choice::{ClassGraph, ClassId, Table};
use egret_ir::dim::Dim;
use egret_ir::graph::{Args, Graph, Node, ValueId};
use egret_ir::op::{Const, Op};
use egret_ir::program::{Buffer, BufferId, Kernel, Port, Program, Source};
use egret_ir::types::{TensorType, Type};
use egret_ir::{Origins, Tensor};

use crate::error::PlanError;
use crate::kernels::{Member, Payload};
use crate::search::Selection;

struct Builder<'a> {
    cg: &'a ClassGraph,
    program: Program,
    buffer: BTreeMap<ClassId, BufferId>,
    constants: BTreeMap<ClassId, Tensor>,
    /// The constant way of each constant class.
    constant_way: Vec<Option<u32>>,
    names: BTreeSet<String>,
}

/// The program of a selection.
pub(super) fn program(cg: &ClassGraph, table: &Table<Payload>, selection: &Selection) -> Result<Program, PlanError> {
    let constant = |_: ClassId, n: &egret_ir::choice::ClassNode| {
        !matches!(n.op, Op::Input(_) | Op::Opaque(_)) && n.args.iter().all(|a| cg.class(*a).constant)
    };
    let mut b = Builder {
        cg,
        program: Program { name: cg.name.clone(), ..Program::default() },
        buffer: BTreeMap::new(),
        constants: BTreeMap::new(),
        constant_way: cg.smallest(&constant),
        names: BTreeSet::new(),
    };
    b.inputs();
    for &i in &selection.chosen {
        if let Payload::Kernel(members) = &table.candidates[i].payload {
            let mut writes: Vec<ClassId> =
                table.candidates[i].outputs.iter().copied().filter(|c| selection.producer(*c) == Some(i)).collect();
            // The order of computation; the root is last.
            writes.sort_by_key(|c| members.iter().position(|m| m.class == *c));
            b.kernel(members, &writes)?;
        }
    }
    for (name, c) in &cg.outputs {
        let buffer = b.read(*c)?;
        b.program.outputs.push(Port { name: name.clone(), buffer });
    }
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

    fn constant(&mut self, c: ClassId) -> Result<Tensor, PlanError> {
        if let Some(t) = self.constants.get(&c) {
            return Ok(t.clone());
        }
        let fail = |cause: String| PlanError::Fold { name: self.constant_name(c), cause };
        let dense = self.cg.class(c).nodes.iter().find_map(|n| match n.op {
            Op::Const(Const::Dense(id)) => Some(self.cg.tables.tensor(id).clone()),
            Op::Const(Const::Scalar(l)) => Some(Tensor::scalar(l)),
            _ => None,
        });
        let tensor = if let Some(t) = dense {
            t
        } else {
            let roots = [(Arc::from("constant"), c)];
            let graph = self.cg.graph_of(&roots, &self.constant_way);
            let mut graph = graph.ok_or_else(|| fail("it has no acyclic constant derivation".into()))?;
            graph.inputs.clear();
            let mut values = egret_ir::eval::fold(&graph).map_err(|e| fail(e.to_string()))?;
            values.pop().ok_or_else(|| fail("it has no value".into()))?
        };
        self.constants.insert(c, tensor.clone());
        Ok(tensor)
    }

    /// The number that all elements of a constant are, where the members use it only elementwise or through movement.
    fn splat(&mut self, c: ClassId, members: &[Member]) -> Result<Option<egret_ir::Literal>, PlanError> {
        if !self.cg.class(c).constant {
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
        let index = self.program.kernels.len();
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
            let output = self.cg.outputs.iter().find(|o| o.1 == *c).map(|o| &o.0);
            let wanted = output.or_else(|| self.cg.names.get(c)).map(ToString::to_string);
            let plain = if writes.len() == 1 { format!("{name}_out") } else { format!("{name}_out{k}") };
            let buffer_name = self.unique(&wanted.unwrap_or(plain));
            let ty = self.tensor_type(*c);
            let b = self.add_buffer(&buffer_name, ty, Source::Kernel(index));
            body.output(&buffer_name, value[c]);
            self.buffer.insert(*c, b);
            written.push(b);
        }
        self.program.kernels.push(Kernel { name: name.into(), body, reads, writes: written, origins });
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
