//! The tables of one program: where its buffers lie, what runs in which order (`runtime/program.h`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use egret_codegen::kernel::code;
use egret_codegen::memory::{Lifetime, plan};
use egret_codegen::stage::SlotKind;
use egret_ir::dim::{Dim, count};
use egret_ir::program::{
    BufferId, Kernel, Known, Program, Requirement, Source, Step, SymbolValue, Trips, requirements,
};
use egret_ir::types::TensorType;

use crate::dims::Frame;
use crate::extents::checked;
use crate::library::{Shared, c_string, dtype_code};

/// Where a buffer lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Arena,
    Weights(u64),
    Input(usize),
    Output(usize),
}

/// A row of the buffer table.
struct Row {
    name: Option<String>,
    ty: Option<TensorType>,
    place: Place,
    bytes: Dim,
    first: usize,
    last: usize,
    late: bool,
}

/// The tables of a program under construction.
pub(crate) struct Tables<'a> {
    program: &'a Program,
    /// Its name in the code.
    name: String,
    rows: Vec<Row>,
    row: BTreeMap<BufferId, u32>,
    last_read: Vec<usize>,
    /// Late buffers that kernels write.
    late: Vec<u32>,
    ids: Vec<u32>,
    dims: Vec<String>,
    phases: Vec<String>,
    steps: Vec<String>,
    branches: Vec<String>,
    loops: Vec<String>,
    expressions: Vec<Dim>,
    expression: BTreeMap<Dim, usize>,
    most_refs: usize,
    most_writes: usize,
}

/// The text of a program's tables, and the bytes of its arena (0 where it is laid out at run time).
pub(crate) struct Emitted {
    pub text: String,
    pub arena_bytes: u64,
}

fn after(known: Known) -> i64 {
    match known {
        Known::AtStart => -1,
        Known::After(k) => k as i64,
    }
}

impl<'a> Tables<'a> {
    pub fn new(program: &'a Program, index: usize) -> Self {
        let mut last_read = vec![0; program.buffers.len()];
        for (k, step) in program.steps.iter().enumerate() {
            for b in step.reads() {
                last_read[b.index()] = k;
            }
        }
        Self {
            program,
            name: format!("p{index}"),
            rows: Vec::new(),
            row: BTreeMap::new(),
            last_read,
            late: Vec::new(),
            ids: Vec::new(),
            dims: Vec::new(),
            phases: Vec::new(),
            steps: Vec::new(),
            branches: Vec::new(),
            loops: Vec::new(),
            expressions: Vec::new(),
            expression: BTreeMap::new(),
            most_refs: 0,
            most_writes: 0,
        }
    }

    /// An extent as the tables have it: a number, or `~i`.
    fn extent(&mut self, d: &Dim) -> String {
        if let Some(c) = d.as_const().filter(|c| *c >= 0) {
            return c.to_string();
        }
        let next = self.expressions.len();
        let i = *self.expression.entry(d.clone()).or_insert(next);
        if i == next {
            self.expressions.push(d.clone());
        }
        format!("~{i}")
    }

    /// Whether a size is known only while the program runs.
    fn is_late(&self, d: &Dim) -> bool {
        self.program.known(d).is_none_or(|k| k > Known::AtStart)
    }

    /// The row of a buffer, made when it is first used.
    fn buffer(&mut self, b: BufferId, shared: &mut Shared) -> u32 {
        if let Some(row) = self.row.get(&b) {
            return *row;
        }
        let program = self.program;
        let buffer = program.buffer(b);
        let port = program.outputs.iter().position(|o| o.buffer == b);
        let (place, first) = match (&buffer.source, port) {
            (Source::Input(i), _) => (Place::Input(*i), 0),
            (Source::Constant(t), _) => (Place::Weights(shared.weights.add(t)), 0),
            (Source::Step(k), Some(o)) => (Place::Output(o), *k),
            (Source::Step(k), None) => (Place::Arena, *k),
        };
        let bytes = count(&buffer.ty.shape) * Dim::from(buffer.ty.dtype.size());
        let late = self.is_late(&bytes);
        let by_kernel = matches!(&buffer.source, Source::Step(k) if matches!(program.steps[*k], Step::Kernel(_)));
        let row = self.rows.len() as u32;
        if late && by_kernel {
            self.late.push(row);
        }
        let last = self.last_read[b.index()].max(first);
        let (name, ty) = (Some(buffer.name.to_string()), Some(buffer.ty.clone()));
        self.rows.push(Row { name, ty, place, bytes, first, last, late });
        self.row.insert(b, row);
        row
    }

    /// A run of ids: `{first, count}`.
    fn run(&mut self, buffers: &[BufferId], shared: &mut Shared) -> String {
        let rows: Vec<u32> = buffers.iter().map(|b| self.buffer(*b, shared)).collect();
        let text = format!("{{{}, {}}}", self.ids.len(), rows.len());
        self.ids.extend(rows);
        text
    }

    /// Fills the tables. `outer` is the program around this one; bodies of branches and loops are emitted on the way.
    pub fn emit(mut self, outer: Option<&Program>, shared: &mut Shared) -> Emitted {
        let program = self.program;
        let body = |inner: &Program, shared: &mut Shared| shared.program(inner, Some(program));
        let inputs: Vec<u32> = program.inputs.iter().map(|p| self.buffer(p.buffer, shared)).collect();
        for (k, step) in program.steps.iter().enumerate() {
            let (kind, first, phases) = match step {
                Step::Kernel(kernel) => {
                    let first = self.phases.len();
                    self.kernel(k, kernel, shared);
                    ("EG_KERNEL", first, self.phases.len() - first)
                }
                Step::If(b) => {
                    let (then, otherwise) = (body(&b.then, shared), body(&b.otherwise, shared));
                    let condition = self.buffer(b.condition, shared);
                    let reads = self.run(&b.reads, shared);
                    self.branches.push(format!("{{{condition}, {reads}, &{then}, &{otherwise}}}"));
                    ("EG_BRANCH", self.branches.len() - 1, 0)
                }
                Step::Loop(r) => {
                    let body = body(&r.body, shared);
                    let (trips, from) = match &r.trips {
                        Trips::Extent(d) => (self.extent(d), "EG_NONE".to_owned()),
                        Trips::Number(b) => ("0".to_owned(), self.buffer(*b, shared).to_string()),
                    };
                    let condition = match r.condition {
                        Some(b) => self.buffer(b, shared).to_string(),
                        None => "EG_NONE".to_owned(),
                    };
                    let [carried, scanned, captures] =
                        [&r.carried, &r.scanned, &r.captures].map(|list| self.run(list, shared));
                    self.loops
                        .push(format!("{{{trips}, {from}, {condition}, {carried}, {scanned}, {captures}, &{body}}}"));
                    ("EG_LOOP", self.loops.len() - 1, 0)
                }
            };
            let start = self.ids.len();
            self.run(step.writes(), shared);
            self.most_writes = self.most_writes.max(step.writes().len());
            let name = c_string(step.name());
            self.steps.push(format!("{{{name}, {kind}, {first}, {phases}, {start}, {}}}", step.writes().len()));
        }
        let outputs: Vec<u32> = program.outputs.iter().map(|p| self.buffer(p.buffer, shared)).collect();
        self.finish(&inputs, &outputs, outer, shared)
    }

    fn kernel(&mut self, k: usize, kernel: &Kernel, shared: &mut Shared) {
        let program = self.program;
        let constant = |i: usize| match &program.buffer(kernel.reads[i]).source {
            Source::Constant(t) => Some(t.clone()),
            Source::Input(_) | Source::Step(_) => None,
        };
        let coded = match code(kernel, &constant, &shared.target) {
            Ok(coded) => coded,
            Err(problems) => return shared.problems.extend(problems),
        };
        let frame: Frame = program.symbols.iter().map(|s| s.symbol.clone()).zip(0..).collect();
        let mut temporary: BTreeMap<usize, u32> = BTreeMap::new();
        for (i, f) in coded.functions.iter().enumerate() {
            let mut rows = Vec::new();
            for p in &f.params {
                let slot = &coded.slots[p.slot.0];
                rows.push(match &slot.kind {
                    SlotKind::Read(i) => self.buffer(kernel.reads[*i], shared),
                    SlotKind::Write(i) => self.buffer(kernel.writes[*i], shared),
                    SlotKind::Table(t) => self.unnamed(Place::Weights(shared.weights.add(t)), Dim::ZERO, k),
                    SlotKind::Temp => match temporary.get(&p.slot.0) {
                        Some(row) => *row,
                        None => {
                            let row = self.unnamed(Place::Arena, slot.bytes(), k);
                            temporary.insert(p.slot.0, row);
                            row
                        }
                    },
                });
            }
            let function = shared.function(kernel, &coded, i, &frame);
            let (tiles, scratch) = (self.extent(&f.tiles), self.extent(&f.scratch));
            self.phases.push(format!("{{eg_f{function}, {tiles}, {scratch}, {}, {}}}", self.ids.len(), rows.len()));
            self.most_refs = self.most_refs.max(rows.len());
            self.ids.extend(rows);
        }
    }

    /// A buffer of one kernel.
    fn unnamed(&mut self, place: Place, bytes: Dim, step: usize) -> u32 {
        let row = self.rows.len() as u32;
        let late = self.is_late(&bytes);
        if late {
            self.late.push(row);
        }
        self.rows.push(Row { name: None, ty: None, place, bytes, first: step, last: step, late });
        row
    }

    /// What the extents of the kernels must fulfil, each once.
    fn requirements(&mut self) -> Vec<String> {
        let program = self.program;
        let mut seen: BTreeSet<Requirement> = BTreeSet::new();
        let mut rows: Vec<(i64, String)> = Vec::new();
        for (_, kernel) in program.kernels() {
            for r in requirements(&kernel.body) {
                // The value of a symbol is within its bounds.
                let is_symbol = matches!(&r, Requirement::Extent(d) if d.as_symbol().is_some());
                if is_symbol || !seen.insert(r.clone()) {
                    continue;
                }
                let known = r.dims().into_iter().filter_map(|d| program.known(d)).max().unwrap_or(Known::AtStart);
                let zero = Dim::ZERO;
                let (kind, [a, b, c], step) = match &r {
                    Requirement::Extent(d) => ("EG_VALID", [d, &zero, &zero], 0),
                    Requirement::Equal(a, b) => ("EG_EQUAL", [a, b, &zero], 0),
                    Requirement::AtMost(a, b) => ("EG_AT_MOST", [a, b, &zero], 0),
                    Requirement::Inside { start, step, len, extent } => ("EG_INSIDE", [start, len, extent], *step),
                };
                let [a, b, c] = [a, b, c].map(|d| self.extent(d));
                let origins = kernel.origins.to_string();
                let from = if origins.is_empty() { String::new() } else { format!(" (from {origins})") };
                let text = c_string(&format!("{r}, for kernel `{}`{from}", kernel.name));
                let after = after(known);
                rows.push((after, format!("{{{kind}, {a}, {b}, {c}, {step}, {after}, {text}}}")));
            }
        }
        rows.sort_by_key(|r| r.0);
        rows.into_iter().map(|r| r.1).collect()
    }

    /// The frame.
    fn symbols(&mut self, outer: Option<&Program>, shared: &mut Shared) -> Vec<String> {
        let program = self.program;
        let mut rows = Vec::new();
        for s in &program.symbols {
            let (from, at, axis) = match s.value {
                SymbolValue::Axis { input, axis } => ("EG_AXIS", input as u32, axis),
                SymbolValue::Number(b) => ("EG_NUMBER", self.buffer(b, shared), 0),
                SymbolValue::Result { buffer, axis } => ("EG_RESULT", self.buffer(buffer, shared), axis),
                SymbolValue::Outer => {
                    let at = outer.and_then(|p| p.symbol(&s.symbol)).unwrap_or(0);
                    ("EG_OUTER", at as u32, 0)
                }
            };
            let name = c_string(s.symbol.name());
            let max = if s.info.max == i64::MAX { "INT64_MAX".to_owned() } else { s.info.max.to_string() };
            let after = after(program.symbol_known(s));
            rows.push(format!("{{{name}, {}, {max}, {from}, {at}, {axis}, {after}}}", s.info.min));
        }
        rows
    }

    fn finish(mut self, inputs: &[u32], outputs: &[u32], outer: Option<&Program>, shared: &mut Shared) -> Emitted {
        let symbols = self.symbols(outer, shared);
        let requirements = self.requirements();
        // Without symbols every size is a number: the arena is laid out now.
        let laid_out = self.program.symbols.is_empty();
        let (offsets, arena_bytes) = if laid_out { self.lay_out() } else { (vec![0; self.rows.len()], 0) };
        let mut buffers = Vec::new();
        let mut most_rank = 0;
        for (row, offset) in std::mem::take(&mut self.rows).into_iter().zip(offsets) {
            let (space, at) = match row.place {
                Place::Arena => ("EG_ARENA", offset),
                Place::Weights(at) => ("EG_WEIGHTS", at),
                Place::Input(i) => ("EG_INPUT", i as u64),
                Place::Output(i) => ("EG_OUTPUT", i as u64),
            };
            let first_dim = self.dims.len();
            let (mut dtype, mut rank) = (0, 0);
            if let Some(ty) = &row.ty {
                (dtype, rank) = (dtype_code(ty.dtype), ty.rank());
                for d in &ty.shape {
                    let d = self.extent(d);
                    self.dims.push(d);
                }
            }
            most_rank = most_rank.max(rank);
            let name = row.name.as_deref().map_or("0".to_owned(), c_string);
            let bytes = self.extent(&row.bytes);
            let late = i32::from(row.late);
            buffers.push(format!(
                "{{{name}, {dtype}, {rank}, {first_dim}, {space}, {at}, {bytes}, {}, {}, {late}}}",
                row.first, row.last
            ));
        }
        let name = self.name.clone();
        let mut text = format!("\n/* ---- {name}: {} ---- */\n", crate::library::comment(&self.program.name));
        if !self.expressions.is_empty() {
            text.push_str(&self.expression_function());
        }
        let numbers = |list: &[u32]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        // Type, name, what the program calls the number of rows.
        let tables: [(&str, &str, Option<&str>, &[String]); 12] = [
            ("eg_symbol", "symbols", Some("symbol_count"), &symbols),
            ("eg_requirement", "requirements", Some("requirement_count"), &requirements),
            ("eg_buffer", "buffers", Some("buffer_count"), &buffers),
            ("uint32_t", "late", Some("late_count"), &numbers(&self.late)),
            ("uint32_t", "inputs", Some("input_count"), &numbers(inputs)),
            ("uint32_t", "outputs", Some("output_count"), &numbers(outputs)),
            ("eg_extent", "dims", Some("dim_count"), &self.dims),
            ("uint32_t", "ids", None, &numbers(&self.ids)),
            ("eg_phase", "phases", None, &self.phases),
            ("eg_branch", "branches", Some("branch_count"), &self.branches),
            ("eg_loop", "loops", Some("loop_count"), &self.loops),
            ("eg_step", "steps", Some("step_count"), &self.steps),
        ];
        let mut fields = String::new();
        for (ty, field, counted, rows) in tables.into_iter().filter(|t| !t.3.is_empty()) {
            let _ = write!(text, "static const {ty} {name}_{field}[] = {{\n{}}};\n", table(rows));
            let _ = write!(fields, "  .{field} = {name}_{field},");
            if let Some(counted) = counted {
                let _ = write!(fields, " .{counted} = {},", rows.len());
            }
            fields.push('\n');
        }
        let _ = writeln!(
            fields,
            "  .most_refs = {}, .most_writes = {}, .most_rank = {most_rank},",
            self.most_refs, self.most_writes
        );
        if !self.expressions.is_empty() {
            let _ = writeln!(fields, "  .expression = {name}_expression,");
        }
        let title = c_string(&self.program.name);
        let _ = write!(
            text,
            "static const eg_program {name} = {{\n  .name = {title},\n{fields}  .laid_out = {}, .arena_bytes = {arena_bytes},\n}};\n",
            i32::from(laid_out)
        );
        Emitted { text, arena_bytes }
    }

    /// The offset of each row in the arena (0 where it lies elsewhere), and the bytes of the arena.
    fn lay_out(&self) -> (Vec<u64>, u64) {
        let in_arena: Vec<usize> = (0..self.rows.len()).filter(|i| self.rows[*i].place == Place::Arena).collect();
        let lifetime = |i: &usize| {
            let r = &self.rows[*i];
            Lifetime { bytes: r.bytes.as_const().unwrap_or(0) as u64, from: r.first, to: r.last }
        };
        let lifetimes: Vec<Lifetime> = in_arena.iter().map(lifetime).collect();
        let (at, total) = plan(&lifetimes);
        let mut offsets = vec![0; self.rows.len()];
        for (i, at) in in_arena.into_iter().zip(at) {
            offsets[i] = at;
        }
        (offsets, total)
    }

    /// The values of the expressions that the tables mention.
    fn expression_function(&self) -> String {
        let program = self.program;
        let index = |s: &egret_ir::Symbol| program.symbol(s).unwrap_or(0);
        let mut out =
            format!("static int64_t {}_expression(uint32_t i, const int64_t *d) {{\n  switch (i) {{\n", self.name);
        for (i, d) in self.expressions.iter().enumerate() {
            let note = crate::library::comment(&d.to_string());
            let _ = writeln!(out, "    case {i}: return {}; /* {note} */", checked(d, &index));
        }
        out.push_str("    default: (void)d; return EG_INVALID;\n  }\n}\n");
        out
    }
}

/// Rows of a table, one a line; short ones many a line.
pub(crate) fn table(rows: &[String]) -> String {
    let short = rows.iter().all(|r| r.len() < 8);
    let lines: Vec<String> = if short { rows.chunks(20).map(|c| c.join(", ")).collect() } else { rows.to_vec() };
    format!("  {},\n", lines.join(",\n  "))
}
