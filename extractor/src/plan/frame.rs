//! The frame of a program: where the value of every symbol comes from.

use std::collections::BTreeSet;

use egret_ir::Symbol;
use egret_ir::dim::{Backing, Dim};
use egret_ir::program::{BufferId, FrameSymbol, Port, Source, Step, SymbolValue, Trips, symbols_of};

use super::build::Builder;
use crate::error::{PlanError, Reason, Unsupported};

impl Builder<'_> {
    /// Fills in the program's symbols, in the order in which they become known. In a body, what its own inputs do not
    /// give comes from around it.
    pub(super) fn frame(&mut self, inner: bool) -> Result<(), PlanError> {
        let mut unbound = Vec::new();
        for symbol in self.mentioned() {
            let info = self.cg.tables.symbols.info(&symbol);
            let outer = inner.then_some(SymbolValue::Outer);
            let value = if info.backing == Backing::Outer { outer } else { self.value_of(&symbol).or(outer) };
            match value {
                Some(value) => {
                    self.program.symbols.push(FrameSymbol { symbol, info, value });
                }
                None => unbound.push(Unsupported {
                    origins: egret_ir::Origins::none(),
                    what: format!("extent {symbol}"),
                    reason: Reason::Unbound,
                }),
            }
        }
        let mut symbols = std::mem::take(&mut self.program.symbols);
        let late = |s: &FrameSymbol| !matches!(s.value, SymbolValue::Axis { .. });
        symbols.sort_by_cached_key(|s| (self.program.symbol_known(s), late(s), s.symbol.clone()));
        self.program.symbols = symbols;
        if unbound.is_empty() { Ok(()) } else { Err(PlanError::Unsupported(unbound)) }
    }

    /// Every symbol that the program mentions, by name.
    fn mentioned(&self) -> BTreeSet<Symbol> {
        let mut out = BTreeSet::new();
        let mut see = |d: &Dim| {
            d.symbols(&mut |s| {
                out.insert(s.clone());
            });
        };
        self.program.buffers.iter().flat_map(|b| &b.ty.shape).for_each(&mut see);
        for step in &self.program.steps {
            match step {
                Step::Kernel(k) => symbols_of(&k.body).into_iter().for_each(|s| see(&Dim::symbol(s))),
                Step::If(_) => {}
                Step::Loop(r) => {
                    if let Trips::Extent(d) = &r.trips {
                        see(d);
                    }
                }
            }
            for s in step.bodies().into_iter().flat_map(|b| &b.symbols).filter(|s| s.value == SymbolValue::Outer) {
                see(&Dim::symbol(s.symbol.clone()));
            }
        }
        out
    }

    /// Where a symbol's value is known first: an axis of an input, else a witness or an axis of what a branch or loop gives.
    fn value_of(&self, symbol: &Symbol) -> Option<SymbolValue> {
        let p = &self.program;
        let axis = |b: BufferId| p.buffer(b).ty.shape.iter().position(|d| d.as_symbol() == Some(symbol));
        let given = |(input, port): (usize, &Port)| Some(SymbolValue::Axis { input, axis: axis(port.buffer)? });
        let witnesses = self.witnesses.get(symbol).into_iter().flatten().map(|b| (*b, SymbolValue::Number(*b)));
        let results = (0..p.buffers.len() as u32).map(BufferId).filter_map(|buffer| {
            let Source::Step(k) = p.buffer(buffer).source else { return None };
            let control = !matches!(p.steps[k], Step::Kernel(_));
            axis(buffer).filter(|_| control).map(|axis| (buffer, SymbolValue::Result { buffer, axis }))
        });
        let later = || witnesses.chain(results).min_by_key(|(b, _)| (p.filled(*b), *b)).map(|(_, value)| value);
        p.inputs.iter().enumerate().find_map(given).or_else(later)
    }
}
