//! What templates work with: the class graph with an index of its ways, facts about classes, operand forms, and the list
//! of candidates. A candidate goes in only if the operator's schema at the imported opset takes it.

use std::collections::{BTreeSet, HashMap};

use egret_ir::choice::{Candidate, Class, ClassGraph, ClassId, ClassNode};
use egret_ir::infer::infer;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Const, Op, Perm};
use egret_ir::{DType, Dim, Literal, Origins, Shape, Tensor, TensorType, Type, ValueId};

use super::choose::Around;
use super::cost::NodeCost;
use super::{Attribute, NewNode, OnnxStep, Slot, byte_size};
use crate::Imported;
use crate::inline::canonical_domain;
use crate::schema;

/// Constants up to this many bytes are always initializers; nothing is gained by computing them at run time.
pub const SMALL_BYTES: usize = 4096;

/// Nothing below this opset broadcasts as today's operators do: such models get no templates.
const OLDEST_TEMPLATES: i64 = 7;

/// A table under construction.
pub struct Build<'a> {
    /// The classes; templates add operand forms.
    pub classes: &'a mut ClassGraph,
    /// Opset of the default domain.
    pub opset: i64,
    index: HashMap<Op, HashMap<Vec<ClassId>, ClassId>>,
    splats: Vec<Option<Literal>>,
    foldable: Vec<bool>,
    limit: usize,
    /// Values of the graphs around whose shapes tell extents.
    pub around: &'a Around,
    cost: &'a dyn Fn(&NodeCost<'_>) -> u64,
    early: Vec<(Candidate<OnnxStep>, u8)>,
    late: Vec<(Candidate<OnnxStep>, u8)>,
    /// The phase that bore each way of each class, and that of derived classes.
    births: &'a [Vec<u8>],
    derived: HashMap<ClassId, u8>,
    /// The phase of the way that templates are tried on.
    now: u8,
    makers: HashMap<ClassId, Vec<usize>>,
    /// Operators that may be made on bf16; None: all.
    narrow: Option<BTreeSet<String>>,
}

impl<'a> Build<'a> {
    /// Starts a table; finds literal and foldable classes.
    pub fn new(
        classes: &'a mut ClassGraph,
        births: &'a [Vec<u8>],
        opset: i64,
        around: &'a Around,
        cost: &'a dyn Fn(&NodeCost<'_>) -> u64,
    ) -> Self {
        let count = classes.classes.len();
        let mut build = Self {
            classes,
            opset,
            index: HashMap::new(),
            splats: vec![None; count],
            foldable: vec![false; count],
            limit: 4 * count + 4096,
            around,
            cost,
            early: Vec::new(),
            late: Vec::new(),
            births,
            derived: HashMap::new(),
            now: 0,
            makers: HashMap::new(),
            narrow: None,
        };
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..count {
                let class = &build.classes.classes[i];
                if !build.foldable[i] && class.nodes.iter().any(|n| build.evaluates(class, n)) {
                    build.foldable[i] = true;
                    changed = true;
                }
                if build.splats[i].is_none() {
                    build.splats[i] = class.nodes.iter().find_map(|n| build.literal(n));
                    changed |= build.splats[i].is_some();
                }
            }
        }
        for i in 0..count {
            for node in build.classes.classes[i].nodes.clone() {
                build.index.entry(node.op).or_default().entry(node.args).or_insert(ClassId(i as u32));
            }
        }
        build
    }

    /// Tries every template on every way of every class, the derived ones included.
    pub fn run(&mut self) {
        let mut i = 0;
        while i < self.classes.classes.len() {
            let c = ClassId(i as u32);
            i += 1;
            if self.foldable(c) && byte_size(self.classes.ty(c)).is_some_and(|b| b <= SMALL_BYTES) {
                continue;
            }
            for (k, node) in self.classes.class(c).nodes.clone().into_iter().enumerate() {
                if self.opset >= OLDEST_TEMPLATES || matches!(node.op, Op::If(_) | Op::Loop(_)) {
                    let of_way = self.births.get(c.index()).and_then(|b| b.get(k));
                    self.now = of_way.or_else(|| self.derived.get(&c)).copied().unwrap_or(0);
                    self.templates(c, &node);
                }
            }
        }
    }

    /// What is added from now on comes from any of the ways.
    pub fn last_phase(&mut self) {
        self.now = self.births.iter().flatten().copied().max().unwrap_or(0);
    }

    fn templates(&mut self, c: ClassId, node: &ClassNode) {
        let args = node.args.as_slice();
        let types: Vec<&Type> = args.iter().map(|a| self.classes.ty(*a)).collect();
        // With witnesses, data decides an attribute: such nodes are written as they were imported.
        if node.op.regular(&types) < args.len() {
            return;
        }
        match &node.op {
            Op::Input(_) | Op::Const(_) | Op::Opaque(_) | Op::Proj(_) => {}
            Op::If(_) | Op::Loop(_) => super::control::control(self, c, node),
            Op::Dim(d) if args.is_empty() => super::dims::dim(self, c, d),
            // With operands, data decides.
            Op::Dim(_) => {}
            Op::Iota { len, dtype } => super::dims::iota(self, c, len, *dtype),
            Op::Permute(p) => super::movement::permute(self, c, p, args[0]),
            Op::Reshape(shape) => {
                super::movement::reshape(self, c, shape, args[0]);
                super::reduce::keepdims(self, c, shape, args[0]);
                super::conv::reshaped(self, c, shape, args[0]);
            }
            Op::Broadcast(new) => super::movement::broadcast(self, c, new, args[0]),
            Op::Slice(axes) => super::movement::slice(self, c, axes, args[0]),
            Op::Pad(axes) => super::movement::pad(self, c, axes, args[0], args[1]),
            Op::Concat(axis) => super::movement::concat(self, c, *axis, args),
            Op::Gather(spec) => super::movement::gather(self, c, spec, args[0], args[1]),
            Op::Scatter(mode, spec) => super::movement::scatter(self, c, *mode, spec, args),
            Op::Map(s) => {
                super::map::map(self, c, *s, args);
                super::reduce::mean(self, c, *s, args);
                super::contract::gemm(self, c, *s, args);
                super::conv::with_bias(self, c, *s, args);
                super::pool::average(self, c, *s, args);
            }
            Op::Reduce { monoid, spec, acc } => {
                super::reduce::reduce(self, c, *monoid, spec, *acc, args[0]);
                super::pool::pool(self, c, *monoid, spec, *acc, args[0]);
            }
            Op::Contract { spec, acc, out } => {
                super::contract::contract(self, c, spec, (*acc, *out), args);
                super::conv::conv(self, c, spec, (*acc, *out), args);
            }
            Op::ArgSort { axis, order, keep } => super::reduce::top_k(self, c, (*axis, *order), keep, args[0]),
            Op::Call(call) => super::call::call(self, c, call, args),
        }
    }

    /// The candidates, each with the phase that bore it: inputs and nodes as imported, folds, templates. `imported` are the
    /// classes that are constants of the model already.
    pub fn finish(self, imported: &BTreeSet<ClassId>) -> Vec<(Candidate<OnnxStep>, u8)> {
        let mut all = self.early;
        for (i, class) in self.classes.classes.iter().enumerate() {
            let c = ClassId(i as u32);
            let Some(bytes) = byte_size(&class.ty).filter(|_| self.foldable[i]) else { continue };
            let given = imported.contains(&c);
            let unfolds = class
                .nodes
                .iter()
                .any(|n| matches!(&n.op, Op::Broadcast(new) if new.iter().any(|(_, d)| *d != Dim::ONE)));
            if unfolds && bytes > SMALL_BYTES && !given {
                continue;
            }
            // A new constant costs a trifle, so that the model's own are preferred.
            let cost = if given { 0 } else { 1000 + (bytes as u64 / 16).min(1_000_000) };
            all.push((Candidate { outputs: vec![c], inputs: vec![], cost, payload: OnnxStep::Initializer }, 0));
        }
        all.extend(self.late);
        all
    }

    // ---- facts ----

    fn evaluates(&self, class: &Class, node: &ClassNode) -> bool {
        let fixed = match &class.ty {
            Type::Tensor(t) => t.static_shape().is_some(),
            Type::Tuple(_) => true,
            Type::Foreign(_) => false,
        };
        node.op.computes() && fixed && node.args.iter().all(|a| self.foldable[a.index()])
    }

    /// The element that all elements of a way equal, where they are constant.
    fn literal(&self, node: &ClassNode) -> Option<Literal> {
        match &node.op {
            Op::Const(Const::Scalar(l)) => Some(*l),
            Op::Const(Const::Dense(id)) => {
                let t = self.classes.tables.tensor(*id);
                if t.len() <= 64 { t.splat() } else { None }
            }
            Op::Broadcast(_) | Op::Reshape(_) | Op::Permute(_) | Op::Slice(_) => self.splats[node.args[0].index()],
            Op::Map(Scalar::Cast(to)) => {
                let l = self.splats[node.args[0].index()]?;
                let exact = !l.dtype().is_float() && !to.is_float() || l.dtype() == DType::F32 && *to == DType::F64;
                exact.then(|| {
                    if to.is_float() { Literal::from_f64(*to, l.to_f64()) } else { Literal::from_i64(*to, l.to_i64()) }
                })
            }
            _ => None,
        }
    }

    /// Whether the class can become an initializer.
    pub fn foldable(&self, c: ClassId) -> bool {
        self.foldable[c.index()]
    }

    /// The constant that all elements of a class equal, where they do.
    pub fn splat(&self, c: ClassId) -> Option<Literal> {
        self.splats[c.index()]
    }

    /// Whether all elements are this number.
    pub fn is_splat(&self, c: ClassId, x: f64) -> bool {
        self.splat(c).is_some_and(|l| l.to_f64().to_bits() == x.to_bits())
    }

    /// The tensor type, where it is one.
    pub fn tensor(&self, c: ClassId) -> Option<&TensorType> {
        self.classes.ty(c).as_tensor()
    }

    /// Extents.
    pub fn shape(&self, c: ClassId) -> Option<&[Dim]> {
        self.tensor(c).map(|t| t.shape.as_slice())
    }

    /// Element type.
    pub fn dtype(&self, c: ClassId) -> Option<DType> {
        self.tensor(c).map(|t| t.dtype)
    }

    /// What `f` finds in the ways of a class, in order.
    pub fn ways<T>(&self, c: ClassId, f: impl Fn(&Op, &[ClassId]) -> Option<T>) -> Vec<T> {
        self.classes.class(c).nodes.iter().filter_map(|n| f(&n.op, &n.args)).collect()
    }

    // ---- operand forms ----

    /// The class of a way, derived where there is none yet; None where it does not type, or the table is full.
    pub fn derive(&mut self, op: Op, args: &[ClassId]) -> Option<ClassId> {
        if let Some(c) = self.index.get(&op).and_then(|m| m.get(args)) {
            return Some(*c);
        }
        if self.classes.classes.len() >= self.limit {
            return None;
        }
        let types: Vec<&Type> = args.iter().map(|a| self.classes.ty(*a)).collect();
        let ty = infer(&op, &types, &self.classes.tables).ok()?;
        let node = ClassNode { op: op.clone(), args: args.to_vec() };
        let origins = args.iter().fold(Origins::none(), |o, a| o.join(&self.classes.class(*a).origins));
        let splat = self.literal(&node);
        let mut class = Class { ty, nodes: vec![node], constant: false, origins };
        class.constant = self.evaluates(&class, &class.nodes[0]);
        let c = ClassId(self.classes.classes.len() as u32);
        self.foldable.push(class.constant);
        self.splats.push(splat);
        self.classes.classes.push(class);
        self.derived.insert(c, self.now);
        self.index.entry(op).or_default().insert(args.to_vec(), c);
        Some(c)
    }

    /// The class of a way, where there is one.
    pub fn known(&self, op: &Op, args: &[ClassId]) -> Option<ClassId> {
        self.index.get(op).and_then(|m| m.get(args)).copied()
    }

    /// The class of a rank-0 constant.
    pub fn scalar(&mut self, l: Literal) -> Option<ClassId> {
        self.derive(Op::Const(Const::Scalar(l)), &[])
    }

    /// The class of the same elements in another shape.
    pub fn reshaped(&mut self, c: ClassId, shape: &[Dim]) -> Option<ClassId> {
        if self.shape(c)? == shape {
            return Some(c);
        }
        let sources = self.ways(c, |op, args| match op {
            Op::Reshape(_) => Some(args[0]),
            Op::Broadcast(new) if new.iter().all(|(_, d)| *d == Dim::ONE) => Some(args[0]),
            _ => None,
        });
        if let Some(same) = sources.iter().copied().find(|s| self.shape(*s) == Some(shape)) {
            return Some(same);
        }
        let op = Op::Reshape(shape.to_vec());
        for s in sources.iter().chain([&c]) {
            if let Some(known) = self.index.get(&op).and_then(|m| m.get([*s].as_slice())) {
                return Some(*known);
            }
        }
        self.derive(op, &[sources.first().copied().unwrap_or(c)])
    }

    /// The class with axes reordered.
    pub fn permuted(&mut self, c: ClassId, axes: &[usize]) -> Option<ClassId> {
        let perm = Perm::new(axes)?;
        if perm.is_identity() {
            return Some(c);
        }
        let sources = self.ways(c, |op, args| match op {
            Op::Permute(inner) => perm.after(inner).map(|p| (p, args[0])),
            _ => None,
        });
        for (p, x) in &sources {
            if p.is_identity() {
                return Some(*x);
            }
        }
        for (p, x) in sources.into_iter().chain([(perm.clone(), c)]) {
            if let Some(known) = self.index.get(&Op::Permute(p)).and_then(|m| m.get([x].as_slice())) {
                return Some(*known);
            }
        }
        self.derive(Op::Permute(perm), &[c])
    }

    /// Forms of an operand whose inserted axes are left to numpy broadcasting against `rank` axes: leading ones are gone,
    /// inner ones have extent 1. The class itself comes last. A literal is rank 0.
    pub fn narrow(&mut self, c: ClassId) -> Vec<ClassId> {
        let mut forms = Vec::new();
        if let Some(l) = self.splat(c)
            && self.shape(c).is_some_and(|s| !s.is_empty())
        {
            forms.extend(self.scalar(l));
        }
        let Some(shape) = self.shape(c).map(<[Dim]>::to_vec) else { return vec![c] };
        let inserts = self.ways(c, |op, args| match op {
            Op::Broadcast(new) => Some((new.clone(), args[0])),
            _ => None,
        });
        for (new, x) in inserts.into_iter().take(3) {
            let mut inserted = vec![false; shape.len()];
            for (at, _) in &new {
                inserted[usize::from(*at)] = true;
            }
            let lead = inserted.iter().take_while(|i| **i).count();
            let form: Shape =
                (lead..shape.len()).map(|i| if inserted[i] { Dim::ONE } else { shape[i].clone() }).collect();
            forms.extend(self.reshaped(x, &form));
        }
        forms.push(c);
        forms.dedup();
        forms
    }

    // ---- candidates ----

    /// From here on, arithmetic on bf16 is made only of operators that the model has on it: runtimes have few kernels for
    /// bf16, and those of the model are there.
    pub fn keep_narrow_operators(&mut self, imported: &Imported) {
        let narrow = |v: &ValueId| imported.graph.ty(*v).as_tensor().is_some_and(|t| t.dtype == DType::BF16);
        let sites = imported.sites.iter().filter(|site| {
            let values = || site.inputs.iter().flatten().chain(site.outputs.iter().map(|(v, _)| v));
            canonical_domain(site.node.domain()).is_empty() && values().any(narrow)
        });
        self.narrow = Some(sites.map(|site| site.node.op_type().to_owned()).collect());
    }

    /// Adds a candidate that comes before folds and templates.
    pub fn early(&mut self, outputs: Vec<ClassId>, inputs: Vec<ClassId>, cost: u64, payload: OnnxStep) {
        self.early.push((Candidate { outputs, inputs, cost, payload }, self.now));
    }

    /// Prices a node.
    pub fn price(&self, op: &str, inputs: &[Option<&Type>], outputs: &[&Type]) -> u64 {
        (self.cost)(&NodeCost::new(op, inputs, outputs))
    }

    /// Adds a template's node, if the operator takes it at this opset and it does not read what it makes.
    pub fn node(
        &mut self,
        outputs: &[ClassId],
        op: &'static str,
        attributes: Vec<(&'static str, Attribute)>,
        inputs: Vec<Slot>,
    ) {
        let node = NewNode { op, attributes, inputs };
        let reads: Vec<ClassId> = node
            .inputs
            .iter()
            .filter_map(|s| match s {
                Slot::Class(c) => Some(*c),
                Slot::Absent | Slot::Tensor(_) | Slot::Around(_) => None,
            })
            .collect();
        if outputs.iter().any(|o| reads.contains(o)) || !self.accepted(&node, outputs) {
            return;
        }
        let tensors: Vec<Type> = node
            .inputs
            .iter()
            .map(|s| match s {
                Slot::Tensor(t) => Type::fixed(t.dtype(), t.shape()),
                Slot::Class(c) => self.classes.ty(*c).clone(),
                Slot::Around(s) => match self.around.get(s) {
                    Some((t, _)) => Type::Tensor(t.clone()),
                    None => Type::Foreign("absent".into()),
                },
                Slot::Absent => Type::Foreign("absent".into()),
            })
            .collect();
        let given: Vec<Option<&Type>> = tensors.iter().map(|t| t.as_tensor().map(|_| t)).collect();
        let results: Vec<&Type> = outputs.iter().map(|o| self.classes.ty(*o)).collect();
        let cost = self.price(op, &given, &results);
        let makers = self.makers.entry(outputs[0]).or_default();
        let payload = OnnxStep::Node(node);
        let known = |(c, _): &(Candidate<OnnxStep>, u8)| c.outputs == outputs && c.payload == payload;
        if let Some(i) = makers.iter().find(|i| known(&self.late[**i])) {
            let birth = &mut self.late[*i].1;
            *birth = self.now.min(*birth);
            return;
        }
        makers.push(self.late.len());
        self.late.push((Candidate { outputs: outputs.to_vec(), inputs: reads, cost, payload }, self.now));
    }

    /// Whether the operator exists at this opset with these attributes and takes these types.
    fn accepted(&self, node: &NewNode, outputs: &[ClassId]) -> bool {
        let Some(schema) = schema::lookup(node.op, self.opset) else { return false };
        let slots = node.inputs.len();
        if schema.deprecated
            || slots < schema.inputs.0
            || slots > schema.inputs.1
            || outputs.len() > schema.outputs.1
            || node.attributes.iter().any(|(name, _)| !schema.attributes.iter().any(|a| a.name == *name))
        {
            return false;
        }
        let is_narrow = |dtype: Option<DType>| dtype == Some(DType::BF16);
        let narrow = node.inputs.iter().any(|s| matches!(s, Slot::Class(c) if is_narrow(self.dtype(*c))))
            || outputs.iter().any(|o| is_narrow(self.dtype(*o)));
        if narrow && !MOVES.contains(&node.op) && self.narrow.as_ref().is_some_and(|own| !own.contains(node.op)) {
            return false;
        }
        let takes = |formal: Option<&schema::Formal>, dtype: Option<DType>| {
            formal.zip(dtype).is_some_and(|(f, d)| f.types.iter().any(|t| *t == d.name()))
        };
        node.inputs.iter().enumerate().all(|(i, s)| match s {
            Slot::Absent => schema.input(i).is_some_and(|f| f.optional),
            Slot::Class(c) => takes(schema.input(i), self.dtype(*c)),
            Slot::Tensor(t) => takes(schema.input(i), Some(t.dtype())),
            Slot::Around(s) => takes(schema.input(i), self.around.get(s).map(|(t, _)| t.dtype)),
        }) && outputs.iter().enumerate().all(|(i, o)| takes(schema.output(i), self.dtype(*o)))
    }
}

/// Operators that do no arithmetic: runtimes have them for every type.
const MOVES: &[&str] = &[
    "Cast",
    "Concat",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "Reshape",
    "Slice",
    "Split",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
];

/// Operands that are all classes.
pub fn slots(classes: &[ClassId]) -> Vec<Slot> {
    classes.iter().copied().map(Slot::Class).collect()
}

/// A list of integers as an operand.
pub fn list(values: &[i64]) -> Slot {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Tensor::new(DType::I64, vec![values.len()], bytes).map_or(Slot::Absent, Slot::Tensor)
}

/// The shape to which numpy broadcasting takes these shapes; None where that cannot be told.
pub fn numpy(shapes: &[&[Dim]]) -> Option<Shape> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![Dim::ONE; rank];
    for shape in shapes {
        let lead = rank - shape.len();
        for (i, d) in shape.iter().enumerate() {
            let to = &mut out[lead + i];
            if *to == Dim::ONE {
                *to = d.clone();
            } else if *d != Dim::ONE && d != to {
                return None;
            }
        }
    }
    Some(out)
}
