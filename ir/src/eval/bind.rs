//! Values of symbolic extents.

use std::collections::BTreeMap;

use super::error::Trap;
use super::{Array, Value};
use crate::dim::{Backing, Dim, Symbol, Symbols};
use crate::dtype::DType;
use crate::graph::{Graph, ValueId};
use crate::types::Type;

/// The values of symbols during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    values: BTreeMap<Symbol, i64>,
    /// What witnesses of this graph said.
    witnessed: BTreeMap<Symbol, i64>,
}

impl Bindings {
    /// The values that input shapes give to a graph's symbols: of each symbol that is the whole extent of some input axis.
    pub fn of_inputs(graph: &Graph, shapes: &[&[usize]]) -> Self {
        let mut bindings = Self::default();
        bindings.bind_inputs(graph, shapes);
        bindings
    }

    pub(super) fn bind_inputs(&mut self, graph: &Graph, shapes: &[&[usize]]) {
        self.witnessed.clear();
        let mut own = BTreeMap::new();
        for (decl, shape) in graph.inputs.iter().zip(shapes) {
            let Some(t) = decl.ty.as_tensor() else { continue };
            for (d, n) in t.shape.iter().zip(*shape) {
                if let Some(s) = d.as_symbol() {
                    own.entry(s.clone()).or_insert(*n as i64);
                }
            }
        }
        self.values.extend(own);
    }

    /// What a body may see of these values: all but those of names that it uses for symbols of its own.
    pub(super) fn entering(&self, body: &Graph) -> Self {
        let own = |s: &Symbol| body.tables.symbols.0.get(s).is_some_and(|info| info.backing != Backing::Outer);
        let values = self.values.iter().filter(|(s, _)| !own(s)).map(|(s, n)| (s.clone(), *n)).collect();
        Self { values, witnessed: BTreeMap::new() }
    }

    /// Gives a symbol a value.
    pub fn set(&mut self, symbol: &Symbol, value: i64) {
        self.values.insert(symbol.clone(), value);
    }

    /// The value of a symbol, where it has one.
    pub fn get(&self, symbol: &Symbol) -> Option<i64> {
        self.values.get(symbol).copied()
    }

    /// Gives the symbols that a node's witness operands stand for their values; the number of operands before them.
    pub fn bind_witnesses<F: Copy>(&mut self, graph: &Graph, v: ValueId, args: &[&Value<F>]) -> Result<usize, Trap> {
        let (count, symbols) = graph.witnesses(v);
        for (symbol, value) in symbols.iter().zip(args.iter().skip(count)) {
            let Some([second]) = value.tensor().and_then(Array::ints) else {
                return Err(Trap::NotTensor(Type::Tuple([].into())));
            };
            if let Some(first) = self.witnessed.insert(symbol.clone(), *second).filter(|first| first != second) {
                return Err(Trap::Witness { symbol: symbol.clone(), first, second: *second });
            }
            self.set(symbol, *second);
        }
        Ok(count)
    }

    /// Takes the values of data-backed symbols from a node that was evaluated: from its witnesses and its result.
    pub fn learn<F: Copy>(
        &mut self,
        graph: &Graph,
        v: ValueId,
        args: &[&Value<F>],
        result: &Value<F>,
    ) -> Result<(), Trap> {
        self.bind_witnesses(graph, v, args)?;
        self.bind_result(graph.ty(v), result, &graph.tables.symbols);
        Ok(())
    }

    /// Gives the data-backed symbols that are whole extents of a result's type their values.
    pub fn bind_result<F: Copy>(&mut self, ty: &Type, value: &Value<F>, symbols: &Symbols) {
        match (ty, value) {
            (Type::Tensor(t), Value::Tensor(a)) => {
                for (s, n) in t.shape.iter().zip(a.shape()).filter_map(|(d, n)| Some((d.as_symbol()?, n))) {
                    if symbols.info(s).backing == Backing::Data {
                        self.set(s, *n as i64);
                    }
                }
            }
            (Type::Tuple(types), Value::Tuple(values)) => {
                for (ty, value) in types.iter().zip(values.iter()) {
                    self.bind_result(ty, value, symbols);
                }
            }
            _ => {}
        }
    }

    /// The value of an expression.
    pub fn number(&self, d: &Dim) -> Result<i64, Trap> {
        if let Some(n) = d.as_const() {
            return Ok(n);
        }
        let value = d.substitute(&|s| self.get(s).map(Dim::from));
        let mut unbound = None;
        value.symbols(&mut |s| unbound = Some(s.clone()));
        match (value.as_const(), unbound) {
            (Some(n), _) => Ok(n),
            (None, Some(s)) => Err(Trap::Unbound(s)),
            (None, None) => Err(Trap::Extent(d.clone())),
        }
    }

    /// The value of an extent.
    pub fn size(&self, d: &Dim) -> Result<usize, Trap> {
        usize::try_from(self.number(d)?).map_err(|_| Trap::Extent(d.clone()))
    }

    /// Whether an array is of a type.
    pub(super) fn fits(&self, ty: &Type, dtype: DType, shape: &[usize]) -> bool {
        ty.as_tensor().is_some_and(|t| {
            t.dtype == dtype
                && t.rank() == shape.len()
                && t.shape.iter().zip(shape).all(|(d, n)| match self.size(d) {
                    Ok(m) => m == *n,
                    // Extents of run-time symbols are whatever they are.
                    Err(Trap::Unbound(_)) => true,
                    Err(_) => false,
                })
        })
    }
}
