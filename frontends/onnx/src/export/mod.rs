//! Back to ONNX: a frozen e-graph over an imported model becomes a table of candidates, one per ONNX node that could be
//! emitted ([`candidates`]); an extractor chooses; [`write`] turns the choice into a complete model.
//!
//! Three kinds of candidates fill the table:
//!
//! - **as imported**: every node of the model, verbatim (name, doc string, attribute order), whatever its operator;
//! - **templates**: one row per ONNX operator, tried on every way of every class ([`build`], and one module per family);
//! - **folds**: a class that depends on constants alone becomes an initializer. Values are computed after extraction
//!   ([`fold`]), and [`optimize`] takes back the largest ones as long as the model would outgrow its limit.
//!
//! Where a template needs an operand in another form (axes of extent 1 inserted, transposed, merged) it asks for the class
//! of that form, which exists already or is derived; constants take any form for free because folding comes last.

mod build;
mod call;
mod choose;
mod composite;
mod contract;
mod control;
mod conv;
mod cost;
mod dims;
mod fold;
mod layout;
mod map;
mod movement;
mod names;
mod pool;
mod protos;
mod reduce;
mod root;
mod site;
mod write;

use std::collections::BTreeSet;

use egret_ir::choice::{ClassGraph, ClassId, Table};
use egret_ir::op::Op;
use egret_ir::{Symbol, Tensor, Type};

use crate::Imported;
use crate::inline::canonical_domain;
use crate::proto::ModelProto;

use choose::{Around, Chooser, Chosen, Staged};
pub use cost::{NodeCost, node_time};
pub use fold::{FoldError, Guard, growth_limit, model_bytes};
pub(crate) use protos::{raw, value_info};

/// An attribute of a node that a template makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f32),
    /// Integers.
    Ints(Vec<i64>),
    /// A string.
    Text(String),
}

/// An operand of a node that a template makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
    /// Left out.
    Absent,
    /// The value of a class.
    Class(ClassId),
    /// A small constant of the template's own (a shape, axes …).
    Tensor(Tensor),
    /// In a body: the value of a graph around it whose shape tells this symbol.
    Around(Symbol),
}

/// A node of the default domain that a template makes. Its results are the candidate's classes, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNode {
    /// Operator.
    pub op: &'static str,
    /// Attributes, in the order they are written.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Operands.
    pub inputs: Vec<Slot>,
}

/// What a candidate of the ONNX table is.
#[derive(Clone, Debug, PartialEq)]
pub enum OnnxStep {
    /// The model's input of that position.
    Input(u32),
    /// An initializer with the value of the class.
    Initializer,
    /// The model's node of that position, as it is.
    Site(usize),
    /// A new node.
    Node(NewNode),
    /// An If or Loop with its bodies.
    Control(Control),
}

/// An If or Loop, to be written with its bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The If or Loop.
    pub op: Op,
    /// Its operands.
    pub args: Vec<ClassId>,
    /// The class of each result, where it has one.
    pub results: Vec<Option<ClassId>>,
    /// The trip count, where it is an expression.
    pub trip: Option<ClassId>,
}

/// A graph after rewriting.
#[derive(Debug)]
pub struct Rewritten {
    /// The frozen e-graph.
    pub classes: ClassGraph,
    /// The class of each value of the graph.
    pub class_of: Vec<Option<ClassId>>,
    /// The phase that bore each way of each class, 0 for imported ones (and where none is said). The best program of the
    /// ways up to each phase is chosen, so that a phase never makes a model worse.
    pub births: Vec<Vec<u8>>,
    /// The bodies of its Ifs and Loops after rewriting, in the order of the table.
    pub bodies: Vec<Rewritten>,
}

/// The candidates for standard operators at the imported opset, cheapest form first where costs tie: as imported, then
/// folds, then templates. `class_of` gives the class of each value of the imported graph; `cost` prices a node. Adds to
/// `classes` the operand forms that templates ask for.
fn candidates(
    classes: &mut ClassGraph,
    births: &[Vec<u8>],
    imported: &Imported,
    class_of: &[Option<ClassId>],
    opset: i64,
    around: &Around,
    cost: &dyn Fn(&NodeCost<'_>) -> u64,
) -> Staged {
    let roots = classes.outputs.iter().map(|(_, c)| *c).collect();
    let mut build = build::Build::new(classes, births, opset, around, cost);
    build.keep_narrow_operators(imported);
    site::inputs(&mut build);
    site::as_imported(&mut build, imported, class_of);
    build.run();
    build.last_phase();
    composite::composites(&mut build, imported);
    let (candidates, births) = build.finish(&fold::imported_constants(imported, class_of)).into_iter().unzip();
    Staged { table: Table { classes: classes.classes.len(), roots, candidates }, births }
}

/// The opset of the default domain.
fn opset(imported: &Imported) -> i64 {
    let standard = imported.model.opset_import.iter().find(|o| canonical_domain(o.domain()).is_empty());
    standard.map_or(1, crate::proto::OperatorSetIdProto::version)
}

/// Why a model could not be exported.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// The table cannot produce an output; beside it what has no ONNX operator.
    #[error("no way to express output {0:?} in ONNX was found: {1}")]
    Unreachable(String, String),
    /// A folded constant failed to evaluate.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The extractor's answer misses a producer, or orders one after its user.
    #[error("the extraction uses class {0} before anything produces it")]
    Order(u32),
    /// An If or Loop without its body.
    #[error("body {0} is not there")]
    Body(u32),
}

/// Extracts and writes a model, bodies included: `extract` chooses candidates (positions in the table, producers before
/// users) for every graph. Folds that make a graph grow too much are taken out of the table, largest first, and the rest is
/// chosen anew. `guard` is told when it held one back. The classes keep the names under which they were written.
///
/// # Errors
/// [`ExportError`]; its `Unreachable` where `extract` finds no solution.
pub fn optimize(
    rewritten: &mut Rewritten,
    imported: &Imported,
    cost: &dyn Fn(&NodeCost<'_>) -> u64,
    extract: &dyn Fn(&Table<OnnxStep>) -> Option<Vec<usize>>,
    guard: &mut Guard,
) -> Result<ModelProto, ExportError> {
    let opset = opset(imported);
    // What the model may still grow is what each of its bodies may.
    let room = guard.limit.saturating_sub(model_bytes(imported));
    let limit = guard.limit;
    let mut chooser = Chooser { opset, cost, extract, room, held: false };
    let chosen = chooser.choose(rewritten, imported, &Around::new(), limit)?;
    guard.held |= chooser.held;
    let (model, names) = write::write(rewritten, imported, &chosen, opset)?;
    rewritten.classes.names = names;
    Ok(model)
}

/// Which output a table cannot produce, and why: the first class behind it that no candidate produces although one of its
/// ways has all it reads.
fn blocked(classes: &ClassGraph, table: &Table<OnnxStep>) -> ExportError {
    let mut made = vec![false; table.classes];
    let mut changed = true;
    while changed {
        changed = false;
        for c in &table.candidates {
            if c.inputs.iter().all(|i| made[i.index()]) {
                for o in &c.outputs {
                    changed |= !std::mem::replace(&mut made[o.index()], true);
                }
            }
        }
    }
    let Some((name, root)) = classes.outputs.iter().find(|(_, c)| !made[c.index()]) else {
        return ExportError::Unreachable(String::new(), "the extractor found no solution".to_owned());
    };
    let (mut seen, mut stack) = (BTreeSet::new(), vec![*root]);
    while let Some(c) = stack.pop() {
        let class = classes.class(c);
        let ready = class.nodes.iter().find(|n| n.args.iter().all(|a| made[a.index()]));
        if let Some(way) = ready {
            let types: Vec<String> = way.args.iter().map(|a| classes.ty(*a).to_string()).collect();
            let op = egret_ir::text::op_text(&way.op, &classes.tables);
            let text = format!("nothing computes `{op}` of ({}) as {}", types.join(", "), class.ty);
            return ExportError::Unreachable(name.to_string(), text);
        }
        stack.extend(class.nodes.iter().flat_map(|n| &n.args).filter(|a| !made[a.index()] && seen.insert(**a)));
    }
    ExportError::Unreachable(name.to_string(), "its values depend on each other".to_owned())
}

/// Bytes of a value, where its extents are numbers.
fn byte_size(ty: &Type) -> Option<usize> {
    ty.as_tensor()?.byte_size()
}
