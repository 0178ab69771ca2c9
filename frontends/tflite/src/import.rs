//! A model's main subgraph into a graph of the structural kinds, operator by operator.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use egret_ir::build::Builder;
use egret_ir::dim::{SymbolInfo, count};
use egret_ir::graph::InputDecl;
use egret_ir::op::{Const, Op};
use egret_ir::{ByName, DType, Dim, Origin, Origins, Symbol, Type, ValueId};

use crate::error::{Problem, ProblemKind, ReadError};
use crate::lower::{Fail, Lower, Operand};
use crate::model::{self, Model, OperatorInfo, TensorInfo};
use crate::ops::{self, Form};
use crate::quant::{self, Quant};
use crate::{Imported, ReadOptions, Site};

/// An unbound extent is at most this.
const MAX_EXTENT: i64 = 1_000_000_000;

/// Reads a model's main subgraph; gathers all faults that do not hide each other.
pub fn import(bytes: &Bytes, options: &ReadOptions) -> Result<Imported, ReadError> {
    let model = model::open(bytes)?;
    let mut importer = Importer {
        b: Builder::new(model.name),
        model: &model,
        values: ByName::default(),
        of: vec![None; model.tensors.len()],
        lost: BTreeSet::new(),
        bound: BTreeMap::new(),
        problems: Vec::new(),
    };
    importer.bind(options);
    importer.inputs();
    if importer.problems.is_empty() {
        for op in &model.operators {
            importer.operator(op);
        }
        importer.outputs();
    }
    let Importer { b, values, bound, problems, .. } = importer;
    if !problems.is_empty() {
        return Err(ReadError { problems });
    }
    let name = |i: &usize| model.tensors[*i].name.clone();
    let sites = model.operators.iter().map(|op| Site {
        place: op.place.clone(),
        reads: op.inputs.iter().flatten().map(name).collect(),
        writes: op.outputs.iter().map(name).collect(),
    });
    let tensors = model.tensors.iter().map(|t| t.name.clone()).collect();
    Ok(Imported { graph: b.finish(), sites: sites.collect(), tensors, values, bound })
}

struct Importer<'a> {
    b: Builder,
    model: &'a Model<'a>,
    values: ByName<ValueId>,
    /// The value of each tensor.
    of: Vec<Option<ValueId>>,
    /// Tensors whose operator was faulty: what depends on them is not looked at.
    lost: BTreeSet<usize>,
    bound: BTreeMap<Symbol, i64>,
    problems: Vec<Problem>,
}

fn symbol_of(tensor: &TensorInfo, axis: usize) -> Symbol {
    Symbol::new(&format!("{}.{axis}", tensor.name))
}

impl Importer<'_> {
    fn fault(&mut self, field: String, kind: ProblemKind) {
        self.problems.push(Problem { place: None, field, kind });
    }

    // ---- bindings and parameters ----

    fn bind(&mut self, options: &ReadOptions) {
        let model = self.model;
        let inputs: Vec<&TensorInfo> = model.inputs.iter().map(|i| &model.tensors[*i]).collect();
        let open: BTreeSet<Symbol> = inputs
            .iter()
            .flat_map(|t| (0..t.shape.len()).filter(|a| t.shape[*a] < 0).map(|a| symbol_of(t, a)))
            .collect();
        for (name, value) in &options.dims {
            let symbol = Symbol::new(name);
            if !open.contains(&symbol) {
                self.fault("--dim".to_owned(), ProblemKind::UnknownBinding { what: "dimension", name: name.clone() });
            }
            self.bind_symbol("--dim", symbol, *value);
        }
        for (name, extents) in &options.shapes {
            let Some(t) = inputs.iter().find(|t| &*t.name == name.as_str()) else {
                self.fault("--shape".to_owned(), ProblemKind::UnknownBinding { what: "input", name: name.clone() });
                continue;
            };
            let fits = t.shape.len() == extents.len() && t.shape.iter().zip(extents).all(|(d, n)| *d < 0 || d == n);
            if !fits {
                let kind = ProblemKind::BindingConflict {
                    given: format!("{name}={extents:?}"),
                    declared: format!("{:?}", t.shape),
                };
                self.fault("--shape".to_owned(), kind);
                continue;
            }
            for (axis, n) in extents.iter().enumerate().filter(|(a, _)| t.shape[*a] < 0) {
                self.bind_symbol("--shape", symbol_of(t, axis), *n);
            }
        }
    }

    fn bind_symbol(&mut self, field: &str, symbol: Symbol, value: i64) {
        let given = format!("{}={value}", symbol.name());
        if value < 0 {
            let kind = ProblemKind::BadValue { value: given, reason: "an extent is not negative".to_owned() };
            return self.fault(field.to_owned(), kind);
        }
        if let Some(old) = self.bound.insert(symbol.clone(), value).filter(|old| *old != value) {
            let declared = format!("{}={old}, bound before", symbol.name());
            self.fault(field.to_owned(), ProblemKind::BindingConflict { given, declared });
        }
    }

    fn inputs(&mut self) {
        let model = self.model;
        for &i in &model.inputs {
            let t = &model.tensors[i];
            let field = format!("input {:?}", t.name);
            let dtype = match (&t.dtype, t.unsupported) {
                (Ok(dtype), None) => *dtype,
                (Err(dtype), _) => {
                    self.fault(field, ProblemKind::ElementType { dtype: dtype.clone() });
                    continue;
                }
                (_, Some(what)) => {
                    self.fault(field, ProblemKind::Unsupported { what: what.to_owned() });
                    continue;
                }
            };
            if self.of[i].is_some() {
                self.fault(field, ProblemKind::DefinedTwice { tensor: t.name.to_string() });
                continue;
            }
            let mut shape = Vec::with_capacity(t.shape.len());
            for (axis, d) in t.shape.iter().enumerate() {
                let symbol = symbol_of(t, axis);
                shape.push(match self.bound.get(&symbol) {
                    Some(n) if *d < 0 => Dim::from(*n),
                    _ if *d >= 0 => Dim::from(*d),
                    _ => {
                        let info = SymbolInfo { max: MAX_EXTENT, ..SymbolInfo::default() };
                        self.b.graph_mut().tables.symbols.0.entry(symbol.clone()).or_insert(info);
                        Dim::symbol(symbol)
                    }
                });
            }
            let cells = count(&shape);
            let ty = Type::tensor(dtype, shape);
            if cells.is_invalid() || cells.as_const().is_some_and(|c| c.checked_mul(8).is_none()) {
                self.fault(field, ProblemKind::TooLarge { shape: ty.to_string() });
                continue;
            }
            let v = self.b.input(InputDecl { name: t.name.clone(), ty, default: None });
            self.define(i, v);
        }
    }

    fn define(&mut self, tensor: usize, v: ValueId) {
        self.of[tensor] = Some(v);
        self.values.insert(self.model.tensors[tensor].name.clone(), v);
    }

    fn outputs(&mut self) {
        let model = self.model;
        for &i in &model.outputs {
            match self.value(i) {
                Ok(Some(v)) => self.b.graph_mut().output(&model.tensors[i].name, v),
                Ok(None) => {}
                Err(kind) => self.fault(format!("output {:?}", model.tensors[i].name), kind),
            }
        }
    }

    // ---- operators ----

    /// The value of a tensor; a constant enters the graph at its first use. None where its producer was faulty.
    fn value(&mut self, i: usize) -> Result<Option<ValueId>, ProblemKind> {
        if let Some(v) = self.of[i] {
            return Ok(Some(v));
        }
        if self.lost.contains(&i) {
            return Ok(None);
        }
        let t = &self.model.tensors[i];
        if let Some(what) = t.unsupported {
            return Err(ProblemKind::Unsupported { what: what.to_owned() });
        }
        let undefined = || ProblemKind::Undefined { tensor: format!("{i} ({:?})", t.name) };
        // A constant without elements has no buffer.
        let empty = t.data.is_none() && t.shape.contains(&0);
        let tensor = if empty {
            TensorInfo { data: Some(Bytes::new()), ..t.clone() }.tensor().ok_or_else(undefined)??
        } else {
            t.tensor().ok_or_else(undefined)??
        };
        self.b.origins = Origins::one(Origin::Value(t.name.clone()));
        let v = self.b.constant(tensor);
        if let Op::Const(Const::Dense(id)) = self.b.graph().node(v).op {
            let name = t.name.clone();
            self.b.graph_mut().tables.const_names.entry(id).or_insert(name);
        }
        self.define(i, v);
        Ok(Some(v))
    }

    fn operator(&mut self, op: &OperatorInfo<'_>) {
        let before = self.problems.len();
        if let Err((field, kind)) = self.lower(op) {
            self.problems.push(Problem { place: Some(op.place.clone()), field, kind });
        }
        if self.problems.len() > before {
            self.lost.extend(op.outputs.iter().copied());
        }
    }

    fn lower(&mut self, op: &OperatorInfo<'_>) -> Result<(), (String, ProblemKind)> {
        let model = self.model;
        let Some(row) = op.builtin.and_then(ops::find) else {
            return Err((String::new(), ProblemKind::Unsupported { what: "the operator".to_owned() }));
        };
        let mut operands = Vec::with_capacity(op.inputs.len());
        for (k, i) in op.inputs.iter().enumerate() {
            let Some(i) = *i else {
                operands.push(None);
                continue;
            };
            let value = self.value(i).map_err(|kind| (format!("input {k}"), kind))?;
            let Some(value) = value else {
                // What an unsound operator should have given: told there.
                self.lost.extend(op.outputs.iter().copied());
                return Ok(());
            };
            let quant = model.tensors[i]
                .quant
                .clone()
                .filter(|_| self.b.graph().ty(value).as_tensor().is_some_and(|t| t.dtype.is_int()));
            operands.push(Some(Operand { value, quant }));
        }
        let (least, most) = row.operands;
        if operands.len() < least || operands.len() > most {
            let kind = ProblemKind::Count { got: operands.len(), min: least, max: most };
            return Err(("inputs".to_owned(), kind));
        }
        let results: Vec<&TensorInfo> = op.outputs.iter().map(|i| &model.tensors[*i]).collect();
        self.b.origins = Origins::one(Origin::Onnx {
            index: op.place.index as u32,
            op: op.place.op.as_str().into(),
            name: op.place.name.as_str().into(),
        });
        let lowered = {
            let mut l = Lower { b: &mut self.b, operands, results, table: op.table };
            apply(&mut l, row)
        };
        let values = lowered.map_err(|fail| self.told(fail, op))?;
        if values.len() < op.outputs.len() {
            let kind = ProblemKind::Count { got: op.outputs.len(), min: 1, max: values.len() };
            return Err(("outputs".to_owned(), kind));
        }
        for (k, (i, v)) in op.outputs.iter().zip(values).enumerate() {
            let declared = model.tensors[*i].dtype.clone();
            let got = self.b.graph().ty(v).as_tensor().map(|t| t.dtype);
            if declared.as_ref().ok() != got.as_ref() {
                let kind = ProblemKind::Result {
                    got: got.map_or_else(|| "no tensor".to_owned(), |d| d.to_string()),
                    declared: declared.map_or_else(|name| name, |d| d.to_string()),
                };
                return Err((format!("output {k}"), kind));
            }
            if self.of[*i].is_some() {
                let kind = ProblemKind::DefinedTwice { tensor: format!("{i} ({:?})", model.tensors[*i].name) };
                return Err((format!("output {k}"), kind));
            }
            self.define(*i, v);
        }
        Ok(())
    }

    /// A type error is the model's fault where all extents are numbers.
    fn told(&self, fail: Fail, op: &OperatorInfo<'_>) -> (String, ProblemKind) {
        match fail {
            Fail::Problem(field, kind) => (field, kind),
            Fail::Type(e) => {
                let known = |i: &usize| {
                    let ty = self.of[*i].map(|v| self.b.graph().ty(v));
                    ty.is_none_or(|t| t.as_tensor().is_none_or(|t| t.static_shape().is_some()))
                };
                let report = e.to_string();
                let known = op.inputs.iter().flatten().all(known);
                let kind = if known { ProblemKind::IllTyped { report } } else { ProblemKind::Unproved { report } };
                ("inputs".to_owned(), kind)
            }
        }
    }
}

/// Lowers an operator in the form of its row.
fn apply(l: &mut Lower<'_>, row: &ops::Row) -> crate::lower::Results {
    match row.form {
        Form::Stored => {}
        Form::Moves => {
            // What moves elements between tensors of different parameters converts them first.
            let Some(to) = l.result_quant(0) else { return (row.lower)(l) };
            let dtype = l.result_dtype(0)?;
            for i in 0..l.operands.len() {
                let Some(operand) = l.operands[i].clone() else { continue };
                let Some(from) = operand.quant.as_ref().filter(|q| **q != to) else { continue };
                if from.axis.is_some() || to.axis.is_some() || l.b.dtype(operand.value)? == DType::I32 {
                    continue;
                }
                let x = quant::real(l.b, operand.value, from)?;
                let value = quant::stored(l.b, x, &to, dtype)?;
                l.operands[i] = Some(Operand { value, quant: Some(to.clone()) });
            }
        }
        Form::Real => {
            for i in 0..l.operands.len() {
                let Some(Operand { value, quant: Some(q) }) = l.operands[i].clone() else { continue };
                let value = quant::real(l.b, value, &q)?;
                l.operands[i] = Some(Operand { value, quant: None });
            }
        }
    }
    let mut values = (row.lower)(l)?;
    if row.form == Form::Real {
        for (i, v) in values.iter_mut().enumerate() {
            let quant: Option<Quant> = l.result_quant(i);
            if let Some(q) = quant
                && l.b.dtype(*v)?.is_float()
            {
                *v = quant::stored(l.b, *v, &q, l.result_dtype(i)?)?;
            }
        }
    }
    Ok(values)
}
