//! If, Loop and Scan from the graph: candidates, and their nodes with the bodies in them.

use std::collections::BTreeMap;

use egret_ir::choice::{ClassId, ClassNode};
use egret_ir::op::{IfAttrs, LoopAttrs, LoopExit, Op};
use egret_ir::{Literal, Symbol, Tensor, Type};

use super::build::Build;
use super::protos::info;
use super::write::Writer;
use super::{Control, ExportError, OnnxStep};
use crate::proto::attribute_proto::AttributeType;
use crate::proto::{AttributeProto, GraphProto, NodeProto};

/// What a loop that an operator was lowered to costs beside the operator itself: more than any single node.
const BODY_COST: u64 = 1 << 40;

/// A candidate for a way of class `c` that is an If or Loop: it makes those of its results that have classes.
pub fn control(b: &mut Build<'_>, c: ClassId, node: &ClassNode) {
    let (name, results) = match &node.op {
        Op::If(attrs) => ("If", attrs.results.len()),
        Op::Loop(attrs) => ("Loop", attrs.results.len()),
        _ => return,
    };
    let results: Vec<Option<ClassId>> = (0..results as u32).map(|i| b.known(&Op::Proj(i), &[c])).collect();
    let outputs: Vec<ClassId> = results.iter().copied().flatten().collect();
    let mut reads = node.args.clone();
    let mut trip = None;
    if let Op::Loop(attrs) = &node.op
        && let Some(d) = attrs.trip.as_ref().filter(|d| d.as_const().is_none())
    {
        let Some(class) = b.derive(Op::Dim(d.clone()), &[]) else { return };
        trip = Some(class);
        reads.push(class);
    }
    if outputs.is_empty() || outputs.iter().any(|o| reads.contains(o)) {
        return;
    }
    let given: Vec<Option<&Type>> = node.args.iter().map(|a| Some(b.classes.ty(*a))).collect();
    let types: Vec<&Type> = outputs.iter().map(|o| b.classes.ty(*o)).collect();
    let cost = b.price(name, &given, &types).saturating_add(BODY_COST);
    reads.sort_unstable();
    reads.dedup();
    let payload = OnnxStep::Control(Control { op: node.op.clone(), args: node.args.clone(), results, trip });
    b.early(outputs, reads, cost, payload);
}

impl Writer<'_, '_> {
    /// The node of an If or Loop, with its bodies.
    pub(super) fn control(&mut self, at: usize, control: &Control) -> Result<NodeProto, ExportError> {
        let names: Vec<String> = control.args.iter().map(|c| self.read(*c)).collect();
        let output: Vec<String> = control
            .results
            .iter()
            .map(|c| match c.filter(|c| self.makes(at, *c)) {
                Some(c) => self.name_of[&c].clone(),
                None => self.root.names.fresh("unused", &[b"result"]),
            })
            .collect();
        let mut node = match &control.op {
            Op::If(attrs) => self.branch(attrs, &names)?,
            Op::Loop(attrs) => {
                let trip = control.trip.map(|c| self.read(c));
                self.repeat(attrs, control, &names, trip)?
            }
            _ => NodeProto::default(),
        };
        node.name = output.first().cloned();
        node.output = output;
        Ok(node)
    }

    fn branch(&mut self, attrs: &IfAttrs, names: &[String]) -> Result<NodeProto, ExportError> {
        let captures = names.get(1..).unwrap_or_default();
        let then = self.body(attrs.then.0, captures.to_vec(), BTreeMap::new())?;
        let other = self.body(attrs.other.0, captures.to_vec(), BTreeMap::new())?;
        Ok(NodeProto {
            op_type: Some("If".to_owned()),
            input: names[..1].to_vec(),
            attribute: vec![graph_attribute("then_branch", then), graph_attribute("else_branch", other)],
            ..NodeProto::default()
        })
    }

    fn repeat(
        &mut self,
        attrs: &LoopAttrs,
        control: &Control,
        names: &[String],
        trip: Option<String>,
    ) -> Result<NodeProto, ExportError> {
        let exits = attrs.exit == LoopExit::Condition;
        let id = attrs.body.0;
        let (carried, scanned) = (attrs.carried as usize, attrs.scanned as usize);
        let mut rest = names.iter().cloned();
        let count = match (&attrs.trip, trip) {
            (None, _) => rest.next().unwrap_or_default(),
            (Some(_), Some(name)) => name,
            // As long as the condition holds.
            (Some(d), None) if *d == i64::MAX => String::new(),
            (Some(d), None) => self.root.small(&Tensor::scalar(Literal::i64(d.as_const().unwrap_or(0)))),
        };
        let condition = if exits { rest.next().unwrap_or_default() } else { String::new() };
        let states: Vec<String> = rest.by_ref().take(carried).collect();
        let scans: Vec<String> = rest.by_ref().take(scanned).collect();
        let captures: Vec<String> = rest.collect();
        let first = control.args.len() - captures.len() - scanned;
        let mut lengths = (first..first + scanned).map(|i| {
            let t = self.classes().ty(control.args[i]).as_tensor();
            t.and_then(|t| t.shape.first().cloned())
        });
        let whole = lengths.all(|d| d.is_some() && d == attrs.trip);
        let scan = scanned > 0 && whole && !exits && self.opset() >= 9 && !self.reads_input(id, 0);

        let formal = |writer: &mut Self, i: usize, wish: &str| {
            let declared = writer.declared(id, i).unwrap_or_else(|| wish.to_owned());
            writer.root.survivor([declared.as_str().into()].iter()).unwrap_or_else(|| {
                writer.root.names.fresh(&declared, &[b"formal", &(i as u64).to_le_bytes(), &id.to_le_bytes()])
            })
        };
        let iteration = formal(self, 0, "iteration");
        let inner: Vec<String> = (0..carried + scanned).map(|i| formal(self, 1 + i, "carried")).collect();
        let [going, on] = self.conditions(id, &iteration, [!scan, !scan && !exits]);
        let mut inputs = vec![iteration.clone()];
        inputs.extend(inner.iter().cloned());
        inputs.extend(captures);
        let mut own: BTreeMap<Symbol, String> = BTreeMap::new();
        for (i, name) in inner.iter().enumerate() {
            let ty = self.body_input(id, 1 + i);
            for d in ty.as_tensor().iter().flat_map(|t| &t.shape) {
                if let Some(s) = d.as_symbol() {
                    own.entry(s.clone()).or_insert_with(|| name.clone());
                }
            }
        }
        let mut body = self.body(id, inputs, own)?;
        let typed: Vec<_> = inner.iter().enumerate().map(|(i, n)| info(n, &self.body_input(id, 1 + i))).collect();
        if scan {
            body.input = typed;
            let count = AttributeProto {
                name: Some("num_scan_inputs".to_owned()),
                r#type: Some(AttributeType::Int as i32),
                i: Some(scanned as i64),
                ..AttributeProto::default()
            };
            return Ok(NodeProto {
                op_type: Some("Scan".to_owned()),
                input: states.into_iter().chain(scans).collect(),
                attribute: vec![graph_attribute("body", body), count],
                ..NodeProto::default()
            });
        }
        let scalar = |dtype| Type::tensor(dtype, []);
        body.input =
            vec![info(&iteration, &scalar(egret_ir::DType::I64)), info(&going, &scalar(egret_ir::DType::Bool))];
        body.input.extend(typed.into_iter().take(carried));
        // A slice of a scanned value is picked by the iteration number.
        let picks = scans.into_iter().zip(&inner[carried..]).map(|(from, slice)| NodeProto {
            op_type: Some("Gather".to_owned()),
            name: Some(slice.clone()),
            input: vec![from, iteration.clone()],
            output: vec![slice.clone()],
            ..NodeProto::default()
        });
        body.node.splice(0..0, picks.collect::<Vec<_>>());
        if !exits {
            body.node.push(NodeProto {
                op_type: Some("Identity".to_owned()),
                name: Some(on.clone()),
                input: vec![going],
                output: vec![on.clone()],
                ..NodeProto::default()
            });
            body.output.insert(0, info(&on, &scalar(egret_ir::DType::Bool)));
        }
        Ok(NodeProto {
            op_type: Some("Loop".to_owned()),
            input: [count, condition].into_iter().chain(states).collect(),
            attribute: vec![graph_attribute("body", body)],
            ..NodeProto::default()
        })
    }
}

impl Writer<'_, '_> {
    /// Names of a body's condition and next condition, where they are wanted: those of the file, where it was a Loop's.
    fn conditions(&mut self, id: u32, iteration: &str, wanted: [bool; 2]) -> [String; 2] {
        let (input, output) = self.file_conditions(id).unzip();
        let mut wanted = wanted.into_iter();
        [(input, "going"), (output, "going_on")].map(|(old, wish)| {
            if wanted.next() != Some(true) {
                return String::new();
            }
            old.and_then(|old| self.root.survivor([old.as_str().into()].iter()))
                .unwrap_or_else(|| self.root.names.fresh(wish, &[iteration.as_bytes()]))
        })
    }
}

fn graph_attribute(name: &str, graph: GraphProto) -> AttributeProto {
    AttributeProto {
        name: Some(name.to_owned()),
        r#type: Some(AttributeType::Graph as i32),
        g: Some(Box::new(graph)),
        ..AttributeProto::default()
    }
}
