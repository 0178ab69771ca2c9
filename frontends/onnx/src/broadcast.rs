//! Broadcasting of operands whose extents may leave open which one is repeated.

use egret_ir::dim::Atom;
use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Negative};
use egret_ir::{DType, Dim, Shape, ValueId};

use crate::lower::{Fail, Lower, opaque};

/// A common extent in which symbols stand at more places than this gets a name of its own.
const MAX_SYMBOLS: usize = 24;

impl Lower<'_> {
    /// Notes what must hold for extents to go together at all: `s` with `min(c, s)`, c ≥ 2, fits only where s ≤ c (neither
    /// is 1 without the other). Reading starts over with such bounds.
    pub fn assume_within(&mut self, a: &Dim, b: &Dim) {
        for (symbol, other) in [(a, b), (b, a)] {
            let Some(s) = symbol.as_symbol() else { continue };
            let limit = smaller_of(other).and_then(|(x, y)| {
                let c = x.as_const().or(y.as_const()).filter(|c| *c >= 2)?;
                (x == *symbol || y == *symbol).then_some(c)
            });
            if let Some(c) = limit {
                let known = self.bounds.entry(s.clone()).or_insert(c);
                *known = c.min(*known);
            }
        }
    }

    /// The extent of two that broadcast to each other: they are equal, or one of them is 1. None where neither can be.
    fn common_extent(&mut self, a: &Dim, b: &Dim) -> Result<Option<Dim>, Fail> {
        if a == b || *b == Dim::ONE {
            return Ok(Some(a.clone()));
        }
        if *a == Dim::ONE {
            return Ok(Some(b.clone()));
        }
        match (a.as_const(), b.as_const()) {
            (Some(_), Some(_)) => Ok(None),
            (Some(_), None) => Ok(Some(a.clone())),
            (None, Some(_)) => Ok(Some(b.clone())),
            (None, None) => {
                self.assume_within(a, b);
                // The larger one, but of 0 and 1 the 0. Of others that do not fit, the smaller is then read outside.
                let (least, most) = (a.smaller(b), a.larger(b));
                let empty = Dim::ONE - Dim::ONE.smaller(&least);
                let single = (Dim::from(2i64) - most.clone()).smaller(&Dim::ONE).larger(&Dim::ZERO);
                let d = (most - empty * single).larger(&Dim::ZERO);
                let mut symbols = 0;
                d.symbols(&mut |_| symbols += 1);
                if symbols <= MAX_SYMBOLS {
                    return Ok(Some(d));
                }
                let value = self.dim(&d, DType::I64)?;
                Ok(Some(self.extent_of(value, None)))
            }
        }
    }

    /// The shape that all of `shapes` broadcast to.
    pub fn common_shape(&mut self, shapes: &[&[Dim]]) -> Result<Shape, Fail> {
        let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut common = vec![Dim::ONE; rank];
        for shape in shapes {
            let lead = rank - shape.len();
            for (i, d) in shape.iter().enumerate() {
                let Some(to) = self.common_extent(&common[lead + i], d)? else {
                    return Err(self.misfit("inputs", shape, &common[lead..]));
                };
                common[lead + i] = to;
            }
        }
        Ok(common)
    }

    /// `v` as a value of `shape`, which the model's node asks for: an extent that is not proved equal is taken for that of
    /// `shape`. One Reshape for each such axis checks it by the count when the model runs. Numbers that differ stay.
    pub fn taken_as(&mut self, mut v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        let mut own = self.shape(v)?;
        if own.len() != shape.len() {
            return Err(self.misfit("inputs", &own, shape));
        }
        for (i, to) in shape.iter().enumerate() {
            if own[i] != *to && (own[i].as_const().is_none() || to.as_const().is_none()) {
                own[i] = to.clone();
                v = self.reshape(v, &own)?;
            }
        }
        Ok(v)
    }

    /// All operands repeated to their common shape.
    pub fn broadcast_all(&mut self, args: &[ValueId]) -> Result<Vec<ValueId>, Fail> {
        let mut same = true;
        for pair in args.windows(2) {
            same &= self.tensor_type(pair[0])?.shape == self.tensor_type(pair[1])?.shape;
        }
        if same {
            return Ok(args.to_vec());
        }
        let shapes = args.iter().map(|v| self.shape(*v)).collect::<Result<Vec<_>, _>>()?;
        let common = self.common_shape(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        args.iter().map(|v| self.stretch(*v, &common)).collect()
    }

    /// As [`Lower::broadcast`]; an extent that is either 1 or already that of `shape` is decided when the model runs: the
    /// axis is read at position 0 or at all positions. Any other extent reads outside, which is an error then.
    pub fn stretch(&mut self, mut v: ValueId, shape: &[Dim]) -> Result<ValueId, Fail> {
        let own = &self.tensor_type(v)?.shape;
        if own.iter().all(|d| d.as_const().is_some()) {
            return self.broadcast(v, shape);
        }
        let own = own.clone();
        let lead = shape.len().checked_sub(own.len()).ok_or_else(|| self.misfit("inputs", &own, shape))?;
        for (i, (d, to)) in own.iter().zip(&shape[lead..]).enumerate() {
            if d == to || d.as_const().is_some() {
                continue;
            }
            let all = self.iota(to, DType::I64)?;
            let several = (d.clone() - Dim::ONE).larger(&Dim::ZERO).smaller(&Dim::ONE);
            let at = self.with_dim(Scalar::Mul, all, &several)?;
            let spec = GatherSpec::along(own.len(), i, 1, Negative::Never).map_err(|e| opaque(e.to_string()))?;
            v = self.gather(spec, v, at)?;
        }
        self.broadcast(v, shape)
    }
}

/// Both sides of an expression that is just a minimum.
fn smaller_of(d: &Dim) -> Option<(Dim, Dim)> {
    match d.terms().as_slice() {
        [(atoms, 1)] => match atoms.as_slice() {
            [(Atom::Min(a, b), 1)] => Some((a.clone(), b.clone())),
            _ => None,
        },
        _ => None,
    }
}
