//! Values of symbolic extents.

use std::collections::BTreeMap;

use super::error::Trap;
use crate::dim::{Dim, Symbol};
use crate::dtype::DType;
use crate::graph::Graph;
use crate::types::Type;

/// The values of symbols during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings(BTreeMap<Symbol, i64>);

impl Bindings {
    /// The values that input shapes give to a graph's symbols: of each symbol that is the whole extent of some input axis.
    pub fn of_inputs(graph: &Graph, shapes: &[&[usize]]) -> Self {
        let mut bindings = Self::default();
        bindings.bind_inputs(graph, shapes);
        bindings
    }

    pub(super) fn bind_inputs(&mut self, graph: &Graph, shapes: &[&[usize]]) {
        let mut own = BTreeMap::new();
        for (decl, shape) in graph.inputs.iter().zip(shapes) {
            let Some(t) = decl.ty.as_tensor() else { continue };
            for (d, n) in t.shape.iter().zip(*shape) {
                if let Some(s) = d.as_symbol() {
                    own.entry(s.clone()).or_insert(*n as i64);
                }
            }
        }
        self.0.extend(own);
    }

    /// Gives a symbol a value.
    pub fn set(&mut self, symbol: &Symbol, value: i64) {
        self.0.insert(symbol.clone(), value);
    }

    /// The value of a symbol, where it has one.
    pub fn get(&self, symbol: &Symbol) -> Option<i64> {
        self.0.get(symbol).copied()
    }

    /// Gives the unbound symbols of `expr`, in order of name, the values of witnesses.
    pub(super) fn witness(&mut self, expr: &Dim, values: impl Iterator<Item = i64>) {
        let mut unbound = std::collections::BTreeSet::new();
        expr.symbols(&mut |s| {
            if !self.0.contains_key(s) {
                unbound.insert(s.clone());
            }
        });
        self.0.extend(unbound.into_iter().zip(values));
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
