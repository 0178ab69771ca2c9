//! The candidates: for each class its kept regions, each as a kernel, some with further results.

use std::collections::{BTreeMap, BTreeSet};

use egret_ir::choice::{Candidate, ClassGraph, ClassId, Table};
use egret_ir::graph::BodyId;
use egret_ir::machine::Machine;
use egret_ir::op::Op;
use egret_ir::types::{TensorType, Type};

use super::Limits;
use super::compose::{Operand, compose, only_reads, own_operands};
use super::region::{Member, Region, union};
use super::view::View;
use crate::cost::{CostError, Load, Step, kernel_time, load, nominal};

/// What a candidate is.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    /// A graph input.
    Input,
    /// A value known when the program is built.
    Constant,
    /// A kernel: its members, operands first.
    Kernel(Vec<Member>),
    /// A branch or a loop, and the parts of its results that are used.
    Control(Member, Vec<(u32, ClassId)>),
}

/// An acyclic order of classes.
pub(crate) struct Order {
    /// Position of each class; `u32::MAX` where no output needs it.
    pub rank: Vec<u32>,
    /// The way whose operands are all lower-ranked; None for a constant that is a leaf.
    pub way: Vec<Option<u32>>,
    /// Which classes are constants, to be worked out when the program is built.
    pub constant: Vec<bool>,
}

/// All candidates of a class graph. Every class keeps a kernel that reads lower-ranked classes only, so that some selection
/// is acyclic whatever else is in the table.
pub(crate) fn candidates(
    cg: &ClassGraph,
    machine: &Machine,
    limits: &Limits,
    order: &Order,
    bodies: &BodyCosts,
) -> Result<Table<Payload>, CostError> {
    let mut e = Enumeration::new(cg, machine, limits, order, bodies);
    let rank = &order.rank;
    let mut order: Vec<ClassId> =
        (0..cg.classes.len() as u32).map(ClassId).filter(|c| rank[c.index()] != u32::MAX).collect();
    order.sort_unstable_by_key(|c| rank[c.index()]);
    for c in &order {
        e.class(*c)?;
    }
    let mut table = Table { classes: cg.classes.len(), roots: Vec::new(), candidates: Vec::new() };
    let mut roots: Vec<ClassId> = cg.outputs.iter().map(|o| o.1).collect();
    roots.sort_unstable();
    roots.dedup();
    table.roots = roots;
    for c in order {
        e.emit(c, &mut table)?;
    }
    Ok(table)
}

/// Predicted times of the bodies of branches and loops, of those that can be computed.
pub(crate) type BodyCosts = BTreeMap<BodyId, u64>;

/// A branch or a loop as a candidate.
struct Control {
    member: Member,
    parts: Vec<(u32, ClassId)>,
    cost: u64,
    inputs: Vec<ClassId>,
    outputs: Vec<ClassId>,
}

struct Enumeration<'a> {
    cg: &'a ClassGraph,
    machine: &'a Machine,
    limits: &'a Limits,
    rank: &'a [u32],
    way: &'a [Option<u32>],
    constant: &'a [bool],
    bodies: &'a BodyCosts,
    /// Number of classes that have a way reading a class, plus one for a root.
    users: Vec<u32>,
    /// Number of expected readers: those of the plainest program.
    readers: Vec<u32>,
    /// Parts of each tuple class.
    parts: Vec<Vec<(u32, ClassId)>>,
    /// Kept regions; where the first is the base (see [`Enumeration::base`]), `Region::base` says so.
    regions: Vec<Vec<Region>>,
    /// Least cost flow of a class in a buffer.
    flow: Vec<u128>,
}

impl<'a> Enumeration<'a> {
    fn new(
        cg: &'a ClassGraph,
        machine: &'a Machine,
        limits: &'a Limits,
        order: &'a Order,
        bodies: &'a BodyCosts,
    ) -> Self {
        let rank = &order.rank;
        let n = cg.classes.len();
        let (mut users, mut parts) = (vec![0u32; n], vec![Vec::new(); n]);
        for (_, c) in &cg.outputs {
            users[c.index()] += 1;
        }
        for (i, class) in cg.classes.iter().enumerate().filter(|(i, _)| rank[*i] != u32::MAX) {
            let mut read = BTreeSet::new();
            for node in &class.nodes {
                read.extend(node.args.iter().copied());
                if let Op::Proj(k) = node.op {
                    parts[node.args[0].index()].push((k, ClassId(i as u32)));
                }
            }
            for c in read {
                users[c.index()] += 1;
            }
        }
        for p in &mut parts {
            p.sort_unstable();
            p.dedup_by_key(|p| p.0);
        }
        let readers = plain_readers(cg, &order.way);
        Self {
            cg,
            machine,
            limits,
            rank,
            way: &order.way,
            constant: &order.constant,
            bodies,
            users,
            readers,
            parts,
            regions: vec![Vec::new(); n],
            flow: vec![u128::MAX; n],
        }
    }

    fn is_input(&self, c: ClassId) -> bool {
        self.cg.class(c).nodes.iter().any(|n| matches!(n.op, Op::Input(_)))
    }

    /// Whether the class has a buffer without any kernel.
    fn is_leaf(&self, c: ClassId) -> bool {
        self.constant[c.index()] || self.is_input(c)
    }

    fn class(&mut self, c: ClassId) -> Result<(), CostError> {
        let class = self.cg.class(c);
        let constant = self.constant[c.index()];
        if !matches!(class.ty, Type::Tensor(_)) {
            return self.tuple(c);
        }
        if self.is_leaf(c) {
            self.flow[c.index()] = 0;
        }
        let mut found: Vec<Region> = Vec::new();
        let mut seen = BTreeSet::new();
        let base = self.base(c).filter(|r| !constant || self.is_cheaper_inside(r));
        if let Some(mut region) = base {
            seen.insert((region.members.clone(), region.inputs.clone()));
            region.base = true;
            self.price(&mut region)?;
            found.push(region);
        }
        for way in 0..class.nodes.len() {
            let node = &class.nodes[way];
            if constant && !is_generator(&node.op) {
                continue;
            }
            if node.args.iter().any(|a| self.rank[a.index()] == u32::MAX) {
                continue;
            }
            let member = Member { rank: self.rank[c.index()], class: c, way: way as u32 };
            for mut region in self.combine(member, &node.args) {
                // A constant is computed inside only where that reads much less than the constant itself.
                if constant && !self.is_cheaper_inside(&region) {
                    continue;
                }
                if seen.insert((region.members.clone(), region.inputs.clone())) {
                    self.price(&mut region)?;
                    found.push(region);
                }
            }
        }
        let kept = self.keep(found);
        if let Some(best) = kept.iter().map(|r| r.flow).min() {
            self.flow[c.index()] = self.flow[c.index()].min(best);
        }
        self.regions[c.index()] = kept;
        Ok(())
    }

    fn price(&self, region: &mut Region) -> Result<(), CostError> {
        region.cost = self.kernel_cost(&region.members, &region.inputs, &[region.root()])?;
        region.flow = self.flow_of(region.cost, &region.inputs);
        Ok(())
    }

    /// The plainest region of a class: the way of lower-ranked operands, with nothing computed inside but what is free.
    fn base(&self, c: ClassId) -> Option<Region> {
        let way = self.way[c.index()]?;
        let member = Member { rank: self.rank[c.index()], class: c, way };
        let node = &self.cg.class(c).nodes[way as usize];
        let own = own_operands(self.cg, node);
        let operand = |(i, a): (usize, &ClassId)| {
            if i < own { self.plainest(*a, &node.op, c) } else { Operand::Read(*a) }
        };
        let operands: Vec<Operand<'_>> = node.args.iter().enumerate().map(operand).collect();
        let reads: Vec<Operand<'_>> = node.args.iter().map(|a| Operand::Read(*a)).collect();
        compose(self.cg, member, &operands, self.limits).or_else(|| compose(self.cg, member, &reads, self.limits))
    }

    /// How an operand is had where nothing else is known: inside where its base is free and fits, else from a buffer.
    fn plainest(&self, a: ClassId, op: &Op, user: ClassId) -> Operand<'_> {
        let single = self.cg.ty(user).as_tensor().is_some_and(|ty| only_reads(op, ty));
        let base = self.regions[a.index()].first().filter(|r| r.base && r.free && !single && fits(op, r));
        base.map_or(Operand::Read(a), Operand::Inline)
    }

    /// A call, a branch or a loop with several results: one step, priced at once, its parts in equal shares.
    fn tuple(&mut self, c: ClassId) -> Result<(), CostError> {
        let (cost, inputs, outputs) = if let Some((members, inputs, outputs)) = self.tuple_kernel(c) {
            (self.kernel_cost(&members, &inputs, &outputs)?, inputs, outputs)
        } else if let Some(control) = self.control(c) {
            (control.cost, control.inputs, control.outputs)
        } else {
            return Ok(());
        };
        let flow = self.flow_of(cost, &inputs);
        for o in &outputs {
            self.flow[o.index()] = flow / outputs.len() as u128;
        }
        Ok(())
    }

    fn tuple_kernel(&self, c: ClassId) -> Option<(Vec<Member>, Vec<ClassId>, Vec<ClassId>)> {
        let class = self.cg.class(c);
        let way = class.nodes.iter().position(|n| matches!(n.op, Op::Call(_)))?;
        let mut inputs = class.nodes[way].args.clone();
        inputs.sort_unstable();
        inputs.dedup();
        let mut members = vec![Member { rank: self.rank[c.index()], class: c, way: way as u32 }];
        let mut outputs = Vec::new();
        for (_, p, way) in self.used_parts(c) {
            members.push(Member { rank: self.rank[p.index()].max(members[0].rank + 1), class: p, way });
            outputs.push(p);
        }
        members.sort_unstable();
        (!outputs.is_empty()).then_some((members, inputs, outputs))
    }

    /// The parts of a tuple that something may read: position, class, and the class's way as that part.
    fn used_parts(&self, c: ClassId) -> Vec<(u32, ClassId, u32)> {
        let parts = self.parts[c.index()].iter().filter(|(_, p)| !self.constant[p.index()]);
        let with_way = |(k, p): &(u32, ClassId)| {
            let proj = |n: &egret_ir::choice::ClassNode| n.op == Op::Proj(*k) && n.args[..] == [c];
            self.cg.class(*p).nodes.iter().position(proj).map(|way| (*k, *p, way as u32))
        };
        parts.filter_map(with_way).collect()
    }

    /// The branch or loop that gives a tuple, where its bodies can be computed.
    fn control(&self, c: ClassId) -> Option<Control> {
        let class = self.cg.class(c);
        let launch = kernel_time(self.machine, Load::default()).ok()?;
        let priced = |op: &Op| {
            if let Op::If(i) = op {
                let (a, b) = (self.bodies.get(&i.then)?, self.bodies.get(&i.other)?);
                return Some(launch.saturating_add(*a.max(b)));
            }
            let Op::Loop(l) = op else { return None };
            let trips = l.trip.as_ref().map_or(egret_ir::dim::NOMINAL as u64, |d| nominal(d, &self.cg.tables.symbols));
            Some(launch.saturating_add(self.bodies.get(&l.body)?.saturating_mul(trips)))
        };
        let (way, cost) = class.nodes.iter().enumerate().find_map(|(i, n)| Some((i, priced(&n.op)?)))?;
        let mut inputs = class.nodes[way].args.clone();
        inputs.sort_unstable();
        inputs.dedup();
        let parts: Vec<(u32, ClassId)> = self.used_parts(c).into_iter().map(|(k, p, _)| (k, p)).collect();
        let outputs: Vec<ClassId> = parts.iter().map(|p| p.1).collect();
        let member = Member { rank: self.rank[c.index()], class: c, way: way as u32 };
        (!outputs.is_empty()).then_some(Control { member, parts, cost, inputs, outputs })
    }

    fn is_cheaper_inside(&self, region: &Region) -> bool {
        let bytes = |c: ClassId| self.cg.ty(c).as_tensor().and_then(TensorType::byte_size).unwrap_or(usize::MAX);
        let read: usize = region.inputs.iter().map(|c| bytes(*c)).fold(0, usize::saturating_add);
        region.free && (region.inputs.is_empty() || read.saturating_mul(2) <= bytes(region.root()))
    }

    /// All legal regions of a way, up to the limit of combinations.
    fn combine(&self, member: Member, args: &[ClassId]) -> Vec<Region> {
        let op = &self.cg.class(member.class).nodes[member.way as usize].op;
        let mut choices: Vec<Vec<Operand<'_>>> = Vec::with_capacity(args.len());
        let single = self.cg.ty(member.class).as_tensor().is_some_and(|ty| only_reads(op, ty));
        let own = own_operands(self.cg, &self.cg.class(member.class).nodes[member.way as usize]);
        for (i, a) in args.iter().enumerate() {
            if i >= own {
                choices.push(vec![Operand::Read(*a)]);
                continue;
            }
            let lower = self.rank[a.index()] < member.rank;
            // What is free to compute inside never gets a buffer of its own for this. The first option is legal everywhere.
            let first = if lower { self.plainest(*a, op, member.class) } else { Operand::Read(*a) };
            let based = matches!(first, Operand::Inline(_));
            let mut options = vec![first];
            if lower && !single {
                let usable = |r: &&Region| !(based && r.base) && (self.limits.fuse || r.free) && fits(op, r);
                options.extend(self.regions[a.index()].iter().filter(usable).map(Operand::Inline));
            }
            choices.push(options);
        }
        let mut out = Vec::new();
        if args.len() > 3 {
            // All computed inside where free, or all read.
            let firsts: Vec<Operand<'_>> = choices.iter().map(|o| o[0]).collect();
            let fused: Vec<Operand<'_>> = choices.iter().map(|o| *o.get(1).unwrap_or(&o[0])).collect();
            out.extend(compose(self.cg, member, &firsts, self.limits));
            out.extend(compose(self.cg, member, &fused, self.limits));
            return out;
        }
        // With many combinations only some choices of each operand are combined, kinds in turn.
        while choices.iter().map(Vec::len).product::<usize>() > self.limits.combinations {
            let Some(longest) = choices.iter_mut().max_by_key(|o| o.len()) else { break };
            let most = fullest(longest);
            longest.remove(most);
        }
        let mut at = vec![0usize; args.len()];
        loop {
            let picked: Vec<Operand<'_>> = at.iter().zip(&choices).map(|(i, o)| o[*i]).collect();
            out.extend(compose(self.cg, member, &picked, self.limits));
            let Some(k) = (0..at.len()).rev().find(|k| at[*k] + 1 < choices[*k].len()) else { return out };
            at[k] += 1;
            at[k + 1..].fill(0);
        }
    }

    fn flow_of(&self, cost: u64, inputs: &[ClassId]) -> u128 {
        let share = |c: &ClassId| match self.flow[c.index()] {
            u128::MAX => self.flow_ahead(*c),
            flow => flow / u128::from(self.readers[c.index()].max(1)),
        };
        inputs.iter().map(share).fold(u128::from(cost), u128::saturating_add)
    }

    /// What a reader is charged for a class that comes later in the order, such as the contraction that holds several: its
    /// plainest way as a kernel of its own, shared by all that could read it.
    fn flow_ahead(&self, c: ClassId) -> u128 {
        let Some(way) = self.way[c.index()] else { return u128::MAX };
        let mut inputs = self.cg.class(c).nodes[way as usize].args.clone();
        inputs.sort_unstable();
        inputs.dedup();
        let member = Member { rank: self.rank[c.index()], class: c, way };
        let Ok(cost) = self.kernel_cost(&[member], &inputs, &[c]) else { return u128::MAX };
        let share = |i: &ClassId| self.flow[i.index()] / u128::from(self.readers[i.index()].max(1));
        let known = inputs.iter().all(|i| self.flow[i.index()] != u128::MAX);
        let flow = inputs.iter().map(share).fold(u128::from(cost), u128::saturating_add);
        if known { flow / u128::from(self.users[c.index()].max(1)) } else { u128::MAX }
    }

    fn kernel_cost(&self, members: &[Member], inputs: &[ClassId], outputs: &[ClassId]) -> Result<u64, CostError> {
        let mut steps: Vec<Step<'_>> = Vec::with_capacity(members.len() + inputs.len());
        let mut place: Vec<ClassId> = Vec::with_capacity(members.len() + inputs.len());
        let unknown = |c: ClassId| CostError::Type { ty: self.cg.ty(c).to_string() };
        let tensor = |c: ClassId| -> Result<&TensorType, CostError> {
            match self.cg.ty(c) {
                Type::Tensor(t) => Ok(t),
                Type::Tuple(parts) => parts.first().and_then(Type::as_tensor).ok_or_else(|| unknown(c)),
                Type::Foreign(_) => Err(unknown(c)),
            }
        };
        for c in inputs {
            steps.push(Step { op: None, args: Vec::new(), ty: tensor(*c)?, output: false });
            place.push(*c);
        }
        for m in members {
            let node = &self.cg.class(m.class).nodes[m.way as usize];
            let arg = |a: &ClassId| place.iter().position(|p| p == a).ok_or_else(|| unknown(*a));
            let args = node.args.iter().map(arg).collect::<Result<Vec<_>, _>>()?;
            let output = outputs.contains(&m.class);
            steps.push(Step { op: Some(&node.op), args, ty: tensor(m.class)?, output });
            place.push(m.class);
        }
        kernel_time(self.machine, load(self.machine, &steps, &self.cg.tables.symbols)?)
    }

    /// The regions worth keeping: the best by flow, some of each kind, and the smallest of the oldest way.
    fn keep(&self, mut found: Vec<Region>) -> Vec<Region> {
        let Some(oldest) = found.iter().filter_map(|r| r.members.last()).map(|m| m.way).min() else {
            return Vec::new();
        };
        found.sort_by_key(|r| (!r.base, r.flow, r.members.len()));
        let last_way = |r: &Region| r.members.last().map(|m| m.way);
        let smallest = (0..found.len())
            .filter(|i| last_way(&found[*i]) == Some(oldest))
            .min_by_key(|i| (found[*i].members.len(), *i));
        let mut taken: Vec<bool> = found.iter().map(|r| r.base).collect();
        if let Some(s) = smallest {
            taken[s] = true;
        }
        let half = self.limits.per_class.div_ceil(2);
        let quota = self.limits.per_class.div_ceil(4);
        let mut count = taken.iter().filter(|t| **t).count();
        let mut per_group = [0usize; 5];
        for pass in 0..3 {
            for i in 0..found.len() {
                if taken[i] || count >= self.limits.per_class || (pass == 0 && count >= half) {
                    continue;
                }
                let group = &mut per_group[usize::from(found[i].kind.group())];
                if pass == 1 && *group >= quota {
                    continue;
                }
                let beaten = (0..i).any(|j| taken[j] && beats(&found[j], &found[i]));
                if !beaten {
                    *group += 1;
                    taken[i] = true;
                    count += 1;
                }
            }
        }
        let mut i = 0;
        found.retain(|_| {
            i += 1;
            taken[i - 1]
        });
        found
    }

    fn emit(&self, c: ClassId, table: &mut Table<Payload>) -> Result<(), CostError> {
        if self.is_input(c) {
            table.candidates.push(Candidate { outputs: vec![c], inputs: Vec::new(), cost: 0, payload: Payload::Input });
            return Ok(());
        }
        if self.constant[c.index()] {
            table.candidates.push(Candidate {
                outputs: vec![c],
                inputs: Vec::new(),
                cost: 0,
                payload: Payload::Constant,
            });
            return Ok(());
        }
        if let Some((members, inputs, outputs)) = self.tuple_kernel(c) {
            let cost = self.kernel_cost(&members, &inputs, &outputs)?;
            table.candidates.push(Candidate { outputs, inputs, cost, payload: Payload::Kernel(members) });
            return Ok(());
        }
        if let Some(control) = self.control(c) {
            let Control { member, parts, cost, inputs, outputs } = control;
            table.candidates.push(Candidate { outputs, inputs, cost, payload: Payload::Control(member, parts) });
            return Ok(());
        }
        let is_root = |m: &ClassId| table.roots.contains(m);
        for r in &self.regions[c.index()] {
            let mut wanted: Vec<ClassId> = r
                .main
                .iter()
                .copied()
                .filter(|m| *m != c && !self.is_leaf(*m) && (self.users[m.index()] > 1 || is_root(m)))
                .filter(|m| !self.regions[m.index()].iter().any(|r| r.free))
                .collect();
            wanted.sort_by_key(|m| std::cmp::Reverse(self.rank[m.index()]));
            let mut sets: Vec<Vec<ClassId>> = vec![Vec::new()];
            sets.extend(wanted.iter().take(self.limits.extra_outputs).map(|m| vec![*m]));
            let results: Vec<ClassId> = wanted.iter().copied().filter(is_root).collect();
            for set in [results, wanted] {
                if (2..=self.limits.extra_outputs).contains(&set.len()) && !sets.contains(&set) {
                    sets.push(set);
                }
            }
            for extra in sets {
                let outputs = union(&[c], &union(&extra, &[]));
                let cost = if extra.is_empty() { r.cost } else { self.kernel_cost(&r.members, &r.inputs, &outputs)? };
                let payload = Payload::Kernel(r.members.clone());
                table.candidates.push(Candidate { outputs, inputs: r.inputs.clone(), cost, payload });
            }
        }
        Ok(())
    }
}

/// Number of readers of each class in the program of the given ways, results included.
fn plain_readers(cg: &ClassGraph, way: &[Option<u32>]) -> Vec<u32> {
    let mut readers = vec![0; cg.classes.len()];
    let mut seen = vec![false; cg.classes.len()];
    let mut stack: Vec<ClassId> = cg.outputs.iter().map(|o| o.1).collect();
    for c in &stack {
        readers[c.index()] += 1;
    }
    while let Some(c) = stack.pop() {
        if std::mem::replace(&mut seen[c.index()], true) {
            continue;
        }
        let Some(way) = way[c.index()] else { continue };
        for a in cg.class(c).nodes[way as usize].args.iter().collect::<BTreeSet<_>>() {
            readers[a.index()] += 1;
            stack.push(*a);
        }
    }
    readers
}

/// The last option of the kind that has most of them; never the first option of all.
fn fullest(options: &[Operand<'_>]) -> usize {
    let group = |o: &Operand<'_>| match o {
        Operand::Read(_) => 0,
        Operand::Inline(r) => usize::from(r.kind.group()),
    };
    let mut count = [0usize; 5];
    for o in &options[1..] {
        count[group(o)] += 1;
    }
    let most = (0..5).max_by_key(|g| (count[*g], std::cmp::Reverse(*g))).unwrap_or(0);
    options.iter().rposition(|o| group(o) == most).unwrap_or(options.len() - 1)
}

/// Whether a kind can take a region as its operand at all.
fn fits(op: &Op, r: &Region) -> bool {
    !matches!(op, Op::Contract { .. }) || (r.inputs.len() == 1 && r.view.as_ref().is_some_and(View::is_affine))
}

/// Whether `a` makes `b` useless: no dearer, of the same kind, reading nothing else.
fn beats(a: &Region, b: &Region) -> bool {
    let kinds = std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind);
    kinds
        && a.permuted == b.permuted
        && a.cost <= b.cost
        && a.inputs.iter().all(|c| b.inputs.contains(c))
        && a.main.len() >= b.main.len()
}

/// Kinds that may stand inside a body in place of a constant.
pub(crate) fn is_generator(op: &Op) -> bool {
    match op {
        Op::Const(egret_ir::op::Const::Scalar(_)) | Op::Broadcast(_) | Op::Reshape(_) | Op::Iota { .. } => true,
        Op::Input(_)
        | Op::Const(egret_ir::op::Const::Dense(_))
        | Op::Dim(_)
        | Op::Permute(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_)
        | Op::Scatter(..)
        | Op::Map(_)
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
