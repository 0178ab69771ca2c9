//! Bodies put into the graph around them: the branch of an If that is known to be taken, the iterations of a Loop whose
//! number is known and small.

use std::collections::BTreeMap;

use egret_ir::{Dim, Literal, ValueId};

use crate::import::Importer;
use crate::inline::{FlatNode, subgraphs, walk};
use crate::known::Known;
use crate::lower::Fail;
use crate::proto::{GraphProto, NodeProto, TensorProto, ValueInfoProto};
use crate::structure;

/// A Loop is unrolled where that makes at most so many nodes; one iteration always is.
pub(crate) const MAX_UNROLLED_NODES: usize = 256;

/// Nodes of a body, those of the bodies in it counted.
pub fn node_count(body: &GraphProto) -> usize {
    let mut count = 0;
    for node in &body.node {
        walk(node, &mut |_| count += 1);
    }
    count
}

/// What a graph had before something was tried.
pub(crate) struct Mark {
    nodes: usize,
    inputs: usize,
    captures: usize,
    captured_constants: usize,
    values: usize,
    initializers: usize,
    sites: usize,
    bodies: usize,
    opaque_reasons: usize,
    problems: usize,
    lost: std::collections::BTreeSet<String>,
}

/// What became of unrolling.
pub(crate) enum Unrolled {
    /// Carried values after the last iteration, and the slices of each stacked value.
    Whole(Vec<ValueId>, Vec<Vec<ValueId>>),
    /// It is not known when the loop ends, or it would be too much.
    No,
    /// A fault inside it is reported already.
    Lost,
}

impl Importer<'_, '_, '_> {
    fn mark(&self) -> Mark {
        Mark {
            nodes: self.graph.nodes().len(),
            inputs: self.graph.inputs.len(),
            captures: self.captures.len(),
            captured_constants: self.captured_constants.len(),
            values: self.values.len(),
            initializers: self.initializers.len(),
            sites: self.sites.len(),
            bodies: self.bodies.len(),
            opaque_reasons: self.opaque_reasons.len(),
            problems: self.problems.len(),
            lost: self.lost.clone(),
        }
    }

    fn undo(&mut self, mark: Mark) {
        self.graph.truncate(mark.nodes);
        self.graph.inputs.truncate(mark.inputs);
        self.graph.tables.bodies.truncate(mark.bodies);
        self.captures.truncate(mark.captures);
        self.captured_constants.truncate(mark.captured_constants);
        self.values.truncate(mark.values);
        self.initializers.truncate(mark.initializers);
        self.sites.truncate(mark.sites);
        self.bodies.truncate(mark.bodies);
        self.opaque_reasons.truncate(mark.opaque_reasons);
        self.problems.truncate(mark.problems);
        self.lost = mark.lost;
        let there = |v: ValueId| v.index() < mark.nodes;
        self.known.retain(|v, _| there(*v));
        self.items.retain(|v, _| there(*v));
        self.witnesses.retain(|_, v| there(*v));
    }

    /// Puts a body with these arguments here; its results, or None where a fault was reported. `tag` tells repetitions of
    /// one body apart.
    pub fn inlined(
        &mut self,
        flat: &FlatNode,
        body: &GraphProto,
        args: &[ValueId],
        tag: &str,
    ) -> Result<Option<Vec<ValueId>>, Fail> {
        let mut body = body.clone();
        self.localize(flat, &mut body, tag);
        if body.input.len() < args.len() {
            return Err(Fail::Opaque("a body of fewer inputs".to_owned()));
        }
        for (input, v) in body.input.iter().zip(args).filter(|(i, _)| !i.name().is_empty()) {
            self.values.insert(input.name().into(), *v);
        }
        self.declarations(&body);
        self.constants(&body, false);
        let before = self.problems.len();
        let inlined = self.shared.flatten(flat, &body.node).and_then(|inlined| {
            let known = |name: &str| self.values.contains_key(name) || self.outer.contains_key(name);
            let order = structure::order(&body, &inlined.nodes, &known)?;
            Ok((inlined, order))
        });
        match inlined {
            Ok((inlined, order)) => {
                self.nodes(&inlined.nodes, &order);
                self.calls(&inlined.calls);
            }
            Err(problems) => self.problems.extend(problems),
        }
        let outputs: Option<Vec<ValueId>> = body.output.iter().map(|o| self.value(o.name())).collect();
        if self.problems.len() > before || body.output.iter().any(|o| self.lost.contains(o.name())) {
            return Ok(None);
        }
        outputs.map(Some).ok_or_else(|| Fail::Opaque("a body whose result is no value".to_owned()))
    }

    /// Gives what the body defines names that this graph does not have.
    fn localize(&mut self, flat: &FlatNode, body: &mut GraphProto, tag: &str) {
        let call = if flat.proto.name().is_empty() {
            flat.proto.output.iter().find(|n| !n.is_empty()).cloned().unwrap_or_default()
        } else {
            flat.proto.name().to_owned()
        };
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        for name in own_names(body) {
            let free = tag.is_empty()
                && !self.values.contains_key(name.as_str())
                && !self.outer.contains_key(&name)
                && !self.reserved.contains(&name);
            if !free {
                let wish = if tag.is_empty() { format!("{call}/{name}") } else { format!("{call}/{tag}/{name}") };
                let new = self.shared.fresh(&wish);
                renamed.insert(name, new);
            }
        }
        for info in body.input.iter_mut().chain(&mut body.output).chain(&mut body.value_info) {
            rename(&renamed, &mut info.name);
        }
        for tensor in &mut body.initializer {
            rename(&renamed, &mut tensor.name);
        }
        for tensor in body.sparse_initializer.iter_mut().filter_map(|s| s.values.as_mut()) {
            rename(&renamed, &mut tensor.name);
        }
        for node in &mut body.node {
            if !tag.is_empty() && !node.name().is_empty() {
                node.name = Some(format!("{call}/{tag}/{}", node.name()));
            }
            for name in &mut node.output {
                if let Some(new) = renamed.get(name) {
                    name.clone_from(new);
                }
            }
            rename_uses(node, &renamed);
        }
    }

    /// The iterations of a loop, one after the other, as long as it is known that they run. `trips` is the most there may
    /// be; `shapes` are those of the body's iteration number and condition, where it has them.
    pub fn unrolled(
        &mut self,
        flat: &FlatNode,
        body: &GraphProto,
        trips: i64,
        [carried, scanned]: [&[ValueId]; 2],
        shapes: Option<[&[Dim]; 2]>,
    ) -> Result<Unrolled, Fail> {
        let room = (MAX_UNROLLED_NODES / node_count(body).max(1)).max(1) as i64;
        if shapes.is_none() && trips > room {
            return Ok(Unrolled::No);
        }
        let mark = self.mark();
        let first = usize::from(shapes.is_some());
        let mut state = carried.to_vec();
        let mut stacks: Vec<Vec<ValueId>> = vec![Vec::new(); body.output.len().saturating_sub(first + carried.len())];
        let mut i = 0;
        while i < trips {
            if i == room {
                self.undo(mark);
                return Ok(Unrolled::No);
            }
            let mut args = Vec::with_capacity(2 + state.len() + scanned.len());
            for (literal, shape) in [Literal::i64(i), Literal::bool(true)].into_iter().zip(shapes.into_iter().flatten())
            {
                let mut l = self.lowering(flat, 1, &[]);
                let v = l.literal(literal)?;
                let v = l.reshape(v, shape)?;
                self.known.insert(v, Known { shape: vec![1; shape.len()], ..Known::of_literal(literal) });
                args.push(v);
            }
            args.extend(&state);
            for v in scanned {
                let mut l = self.lowering(flat, 1, &[]);
                let shape = l.shape(*v)?;
                let slice = l.slice_axis(*v, 0, Dim::from(i), Dim::ONE)?;
                args.push(l.reshape(slice, shape.get(1..).unwrap_or_default())?);
            }
            let Some(mut results) = self.inlined(flat, body, &args, &i.to_string())? else { return Ok(Unrolled::Lost) };
            if results.len() < first + carried.len() {
                return Err(Fail::Opaque("a body of fewer results".to_owned()));
            }
            let going = if first == 1 { self.truth_of(results[0]) } else { Some(true) };
            let Some(going) = going else {
                self.undo(mark);
                return Ok(Unrolled::No);
            };
            for (stack, v) in stacks.iter_mut().zip(results.drain(first + carried.len()..)) {
                stack.push(v);
            }
            state = results.split_off(first);
            i += 1;
            if !going {
                break;
            }
        }
        Ok(Unrolled::Whole(state, stacks))
    }
}

fn rename(renamed: &BTreeMap<String, String>, name: &mut Option<String>) {
    if let Some(new) = name.as_ref().and_then(|n| renamed.get(n)) {
        *name = Some(new.clone());
    }
}

/// Names that a graph defines itself.
pub(crate) fn own_names(graph: &GraphProto) -> impl Iterator<Item = String> + use<> {
    let inputs = graph.input.iter().map(ValueInfoProto::name);
    let sparse = graph.sparse_initializer.iter().filter_map(|s| s.values.as_ref());
    let tensors = graph.initializer.iter().chain(sparse).map(TensorProto::name);
    let nodes = graph.node.iter().flat_map(|n| n.output.iter().map(String::as_str));
    let all = inputs.chain(tensors).chain(nodes).filter(|n| !n.is_empty()).map(str::to_owned);
    all.collect::<std::collections::BTreeSet<_>>().into_iter()
}

/// Renames what a node and its bodies use, except where a body has its own value of that name.
pub(crate) fn rename_uses(node: &mut NodeProto, renamed: &BTreeMap<String, String>) {
    if renamed.is_empty() {
        return;
    }
    for name in &mut node.input {
        if let Some(new) = renamed.get(name) {
            name.clone_from(new);
        }
    }
    if subgraphs(node).next().is_none() {
        return;
    }
    for a in &mut node.attribute {
        for body in a.g.as_deref_mut().into_iter().chain(&mut a.graphs) {
            let own: std::collections::BTreeSet<String> = own_names(body).collect();
            let free = renamed.iter().filter(|(old, _)| !own.contains(*old));
            let free: BTreeMap<String, String> = free.map(|(old, new)| (old.clone(), new.clone())).collect();
            for inner in &mut body.node {
                rename_uses(inner, &free);
            }
            for output in &mut body.output {
                rename(&free, &mut output.name);
            }
        }
    }
}
