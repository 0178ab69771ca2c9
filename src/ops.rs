//! How much of a model is modelled: operator by operator, what it becomes and who computes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use egret_extractor::PlanError;
use egret_ir::choice::ClassGraph;
use egret_ir::program::Program;
use egret_ir::{Origin, Origins};
use egret_onnx::Imported;
use serde::Serialize;

use crate::compile::CompileOptions;
use crate::{Progress, Result, frontends, optimize};

/// One operator of a model.
#[derive(Clone, Debug, Serialize)]
pub struct Operator {
    /// Its name, with its domain where that is not the standard one.
    pub operator: String,
    /// The operator set it is taken from; None: a function of the model.
    pub opset: Option<i64>,
    /// Nodes of it, those of inlined functions among them.
    pub nodes: usize,
    /// Of these, nodes that no output needs.
    pub unused: usize,
    /// The kinds it becomes; none: it vanishes.
    pub kinds: BTreeSet<&'static str>,
    /// Why nodes of it are kept as they came; none: all are modelled.
    pub opaque: BTreeSet<String>,
    /// Why nodes of it are not compiled to C; none: all are.
    pub not_compiled: BTreeSet<String>,
}

impl Operator {
    /// Whether the interpreter computes all its nodes.
    pub fn interpreted(&self) -> bool {
        self.opaque.is_empty()
    }

    /// Whether the C backend does.
    pub fn compiled(&self) -> bool {
        self.interpreted() && self.not_compiled.is_empty()
    }
}

/// The coverage of a model.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// By operator.
    pub operators: Vec<Operator>,
    /// What cannot be compiled and belongs to no operator.
    pub elsewhere: BTreeSet<String>,
    /// What is odd about the model and was passed over.
    pub warnings: Vec<String>,
}

impl Coverage {
    /// Whether everything is interpreted and compiled.
    pub fn is_complete(&self) -> bool {
        self.elsewhere.is_empty() && self.operators.iter().all(Operator::compiled)
    }
}

/// Reads a model and tells, for each operator, what it becomes and what cannot be computed. Export needs no column: what is
/// not modelled is written as it came.
pub fn ops(path: &Path, options: &CompileOptions, progress: Progress<'_>) -> Result<Coverage> {
    progress("reading");
    let imported = frontends::read(path, &options.binding)?;
    let typed = optimize::check(path, &imported)?;
    let mut table = operators(&imported);
    let mut elsewhere = BTreeSet::new();
    let mut put = |origins: &Origins, text: &dyn Fn() -> String| {
        let mut placed = false;
        for name in origins.iter().filter_map(operator_of) {
            if let Some(row) = table.get_mut(name) {
                row.not_compiled.insert(text());
                placed = true;
            }
        }
        if !placed {
            elsewhere.insert(text());
        }
    };
    progress("choosing kernels");
    let machine = egret_extractor::machines::named("generic")?;
    let limits = egret_extractor::Options::default();
    match egret_extractor::plan::plan_with_report(&ClassGraph::from_graph(&typed).0, &machine, &limits) {
        Ok((program, _)) => uncoded(&program, options, &mut put),
        Err(PlanError::Unsupported(list)) => {
            for u in list {
                put(&u.origins, &|| u.reason.to_string());
            }
        }
        Err(error) => put(&Origins::none(), &|| error.to_string()),
    }
    Ok(Coverage { operators: table.into_values().collect(), elsewhere, warnings: frontends::warnings(&imported) })
}

/// What the code generator refuses of a program.
fn uncoded(program: &Program, options: &CompileOptions, put: &mut dyn FnMut(&Origins, &dyn Fn() -> String)) {
    let emit = egret_codegen_c::EmitOptions { cpu: options.cpu, ..egret_codegen_c::EmitOptions::default() };
    for refused in egret_codegen_c::emit_library(program, &emit).err().into_iter().flatten() {
        let kernels = program.all().into_iter().flat_map(Program::kernels).map(|(_, k)| k);
        let kernel = kernels.into_iter().find(|k| k.name == refused.kernel);
        let origins = kernel.map_or_else(Origins::none, |k| k.origins.clone());
        put(&origins, &|| format!("{}: {}", refused.node, refused.reason));
    }
}

/// The operators by name alone, as origins have it, without what is known of compiling.
fn operators(imported: &Imported) -> BTreeMap<String, Operator> {
    let mut kinds: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
    let graph = &imported.graph;
    for v in graph.values() {
        for name in graph.node(v).origins.iter().filter_map(operator_of) {
            kinds.entry(name).or_default().insert(graph.node(v).op.kind());
        }
    }
    let live = graph.live();
    let mut table: BTreeMap<String, Operator> = BTreeMap::new();
    if imported.sites.is_empty() {
        return without_sites(imported, kinds);
    }
    for (at, site) in imported.sites.iter().enumerate() {
        let (domain, name) = (site.node.domain(), site.node.op_type());
        let standard = matches!(domain, "" | "ai.onnx");
        let imports = &imported.model.opset_import;
        let same = |d: &str| d == domain || (standard && matches!(d, "" | "ai.onnx"));
        let row = table.entry(name.to_owned()).or_insert_with(|| Operator {
            operator: if standard { name.to_owned() } else { format!("{domain}.{name}") },
            opset: imports.iter().find(|o| same(o.domain())).map(egret_onnx::proto::OperatorSetIdProto::version),
            nodes: 0,
            unused: 0,
            kinds: kinds.remove(name).unwrap_or_default(),
            opaque: BTreeSet::new(),
            not_compiled: BTreeSet::new(),
        });
        row.nodes += 1;
        if !site.outputs.iter().any(|(v, _)| live[v.index()]) {
            row.unused += 1;
        } else if let Some(opaque) = imported.opaque_reasons.iter().find(|o| o.site == at) {
            row.opaque.insert(opaque.reason.clone());
        }
    }
    table
}

/// The operators of a model that did not come as ONNX, by the places that its graph tells.
fn without_sites(imported: &Imported, mut kinds: BTreeMap<&str, BTreeSet<&'static str>>) -> BTreeMap<String, Operator> {
    let graph = &imported.graph;
    let live = graph.live();
    // Whether any value of the operator at that place is needed.
    let mut places: BTreeMap<(&str, u32), bool> = BTreeMap::new();
    for v in graph.values() {
        for origin in &graph.node(v).origins {
            if let Origin::Onnx { index, op, .. } = origin {
                *places.entry((op, *index)).or_default() |= live[v.index()];
            }
        }
    }
    let mut table: BTreeMap<String, Operator> = BTreeMap::new();
    for ((name, _), needed) in places {
        let row = table.entry(name.to_owned()).or_insert_with(|| Operator {
            operator: name.to_owned(),
            opset: None,
            nodes: 0,
            unused: 0,
            kinds: kinds.remove(name).unwrap_or_default(),
            opaque: BTreeSet::new(),
            not_compiled: BTreeSet::new(),
        });
        row.nodes += 1;
        row.unused += usize::from(!needed);
    }
    table
}

fn operator_of(origin: &Origin) -> Option<&str> {
    match origin {
        Origin::Onnx { op, .. } => Some(op),
        Origin::Value(_) | Origin::Text { .. } => None,
    }
}
