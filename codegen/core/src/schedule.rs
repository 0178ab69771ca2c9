//! Schedules: the order and form of a stage's loops, as a recorded trace of the usual primitives.
//!
//! A schedule renames the axes of a stage: `fuse` and `split` replace axes by index expressions of new ones, and the other
//! primitives mark loops. The trace prints in the kernel's comment and can be replayed on an equal stage.

use std::fmt;

use egret_ir::Dim;

use crate::affine::{Affine, Atom, Axis};
use crate::emit::Emitter;
use crate::stage::Stage;
use crate::value::Value;

/// One step of a trace. Axes are those of the stage at that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Primitive {
    /// Axes of extent 1 are dropped.
    Drop(Axis),
    /// An axis and the one after it become one.
    Fuse(Axis),
    /// An axis becomes an outer one and an inner one of this extent.
    Split(Axis, i64),
    /// An axis moves behind another.
    Reorder(Axis, Axis),
    /// The axis runs along vector lanes.
    Vectorize(Axis),
    /// The axis is unrolled into registers, this many at a time.
    Unroll(Axis, i64),
    /// Tiles of this many of the axis run on any thread.
    Parallel(Axis, Dim),
    /// The stage of that number is computed inside the loop of the axis.
    ComputeAt(usize, Axis),
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop(a) => write!(f, "drop({a})"),
            Self::Fuse(a) => write!(f, "fuse({a},{})", a + 1),
            Self::Split(a, n) => write!(f, "split({a},{n})"),
            Self::Reorder(a, b) => write!(f, "reorder({a},{b})"),
            Self::Vectorize(a) => write!(f, "vectorize({a})"),
            Self::Unroll(a, n) => write!(f, "unroll({a},{n})"),
            Self::Parallel(a, n) => write!(f, "parallel({a},{n})"),
            Self::ComputeAt(s, a) => write!(f, "compute_at(stage {s},{a})"),
        }
    }
}

/// A stage and the trace that made it.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The stage, over the loops' axes.
    pub stage: Stage,
    /// What was done.
    pub trace: Vec<Primitive>,
}

/// How often an axis pair occurs inside divisions, modulos and data indices of a stage.
fn hidden(stage: &Stage) -> usize {
    fn affine(e: &Affine) -> usize {
        e.terms()
            .iter()
            .map(|(a, _)| match a {
                Atom::Axis(_) => 0,
                Atom::Div(e, _) | Atom::Mod(e, _) => 1 + affine(e),
                Atom::Data { .. } => 0,
            })
            .sum()
    }
    let mut n: usize = stage.stores.iter().map(|s| affine(&s.at)).sum();
    if let Some(f) = &stage.fold {
        n += f.when.iter().map(|w| affine(&w.index)).sum::<usize>();
    }
    for v in stage.values() {
        v.visit(&mut |v| match &**v {
            Value::Load { at, .. } | Value::Index(at) => n += affine(at),
            Value::Choose { when, .. } => n += when.iter().map(|w| affine(&w.index)).sum::<usize>(),
            Value::Lit(_) | Value::Map { .. } | Value::Acc(_) => {}
        });
    }
    n
}

impl Schedule {
    /// The stage as it is.
    pub fn new(stage: Stage) -> Self {
        Self { stage, trace: Vec::new() }
    }

    /// The axes by identity, with a hole for new ones.
    fn identity(&self, shift_from: Axis, by: isize) -> Vec<Affine> {
        (0..self.stage.extents.len())
            .map(|a| if a > shift_from { Affine::axis(a.wrapping_add_signed(by)) } else { Affine::axis(a) })
            .collect()
    }

    fn rename(&mut self, to: &[Affine], extents: Vec<Dim>, rank: usize, step: Primitive) {
        self.stage = self.stage.rename(to, extents, rank);
        self.trace.push(step);
    }

    /// Drops an axis of extent 1.
    pub fn drop_axis(&mut self, a: Axis) {
        let mut to = self.identity(a, -1);
        to[a] = Affine::default();
        let mut extents = self.stage.extents.clone();
        extents.remove(a);
        let rank = self.stage.rank - usize::from(a < self.stage.rank);
        self.rename(&to, extents, rank, Primitive::Drop(a));
    }

    /// Fuses an axis with the next one; both stored or both folded.
    pub fn fuse(&mut self, a: Axis) {
        let mut extents = self.stage.extents.clone();
        let inner = extents.remove(a + 1);
        extents[a] = &extents[a] * &inner;
        let mut to = self.identity(a, -1);
        // An empty axis has no index; any expression will do.
        let inner = if inner == 0 { Dim::ONE } else { inner };
        to[a] = Affine::axis(a).div(&inner, &extents);
        to[a + 1] = Affine::axis(a).modulo(&inner, &extents);
        let rank = self.stage.rank - usize::from(a + 1 < self.stage.rank);
        self.rename(&to, extents, rank, Primitive::Fuse(a));
    }

    /// Splits an axis whose extent `by` divides: outer, then inner of that extent.
    pub fn split(&mut self, a: Axis, by: i64) {
        let outer = self.stage.extents[a].quotient(&by.into());
        let outer = outer.expect("invariant: splits are exact; tails are tiles of another size");
        let mut to = self.identity(a, 1);
        to[a] = Affine::axis(a).times(by).plus(&Affine::axis(a + 1));
        let mut extents = self.stage.extents.clone();
        extents[a] = outer;
        extents.insert(a + 1, by.into());
        let rank = self.stage.rank + usize::from(a < self.stage.rank);
        self.rename(&to, extents, rank, Primitive::Split(a, by));
    }

    /// Moves a stored axis behind another stored axis (or a folded one behind a folded one).
    pub fn reorder(&mut self, a: Axis, behind: Axis) {
        let n = self.stage.extents.len();
        let mut order: Vec<Axis> = (0..n).filter(|x| *x != a).collect();
        let at = order.iter().position(|x| *x == behind).map_or(0, |p| p + 1);
        order.insert(at, a);
        let mut to = vec![Affine::default(); n];
        for (new, old) in order.iter().enumerate() {
            to[*old] = Affine::axis(new);
        }
        let extents = order.iter().map(|o| self.stage.extents[*o].clone()).collect();
        self.rename(&to, extents, self.stage.rank, Primitive::Reorder(a, behind));
    }

    /// Marks: recorded, and read by the code that writes the loops.
    pub fn mark(&mut self, p: Primitive) {
        self.trace.push(p);
    }

    /// Drops axes of extent 1 and fuses neighbours wherever every access stays as regular as it was. The first `keep`
    /// axes stay as they are.
    pub fn simplify(&mut self, keep: usize) {
        let mut a = keep;
        while a < self.stage.extents.len() {
            if self.stage.extents[a] == 1 {
                self.drop_axis(a);
            } else {
                a += 1;
            }
        }
        let mut a = keep;
        while a + 1 < self.stage.extents.len() {
            if a + 1 == self.stage.rank {
                a += 1;
                continue;
            }
            let mut tried = self.clone();
            tried.fuse(a);
            if hidden(&tried.stage) <= hidden(&self.stage) {
                *self = tried;
            } else {
                a += 1;
            }
        }
    }

    /// The trace in a line; empty where nothing was done.
    pub fn text(&self) -> String {
        self.trace.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// A run of equal tiles: where the first starts, how many there are, the size of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Start of the first.
    pub start: Dim,
    /// How many.
    pub count: Dim,
    /// Size of each.
    pub size: i64,
}

/// `n` in tiles of at most `most`, as equal as possible, of at most two sizes, larger first. What is not known while code is
/// written is cut into tiles of `most` and a rest of powers of two, each of which may turn out to be there or not.
pub fn balanced(n: &Dim, most: i64) -> Vec<Tiles> {
    let mut out = Vec::new();
    let Some(n) = n.as_const() else {
        let (mut start, mut rest, mut size) = (Dim::ZERO, n.clone(), most);
        loop {
            let count = rest.floor_div(&size.into());
            let next = &start + &count * size;
            out.push(Tiles { start, count, size });
            if size == 1 {
                return out;
            }
            (start, rest) = (next, rest.modulo(&size.into()));
            size = (size as u64).next_power_of_two() as i64 / 2;
        }
    };
    if n <= 0 {
        return out;
    }
    let tiles = (n + most - 1) / most;
    let (size, extra) = (n / tiles, n % tiles);
    if extra > 0 {
        out.push(Tiles { start: Dim::ZERO, count: extra.into(), size: size + 1 });
    }
    if tiles > extra && size > 0 {
        out.push(Tiles { start: (extra * (size + 1)).into(), count: (tiles - extra).into(), size });
    }
    out
}

/// Number of tiles in all.
pub fn tile_count<'a>(tiles: impl IntoIterator<Item = &'a Tiles>) -> Dim {
    tiles.into_iter().map(|t| &t.count).sum()
}

/// Gives the counts names in the function, and the starts in terms of these.
pub fn name_counts<'a>(em: &mut Emitter<'_>, name: &str, tiles: impl IntoIterator<Item = &'a mut Tiles>) {
    let mut start = Dim::ZERO;
    for (i, t) in tiles.into_iter().enumerate() {
        t.count = em.name(&format!("{name}{i}"), t.count.clone());
        t.start = start;
        start = &t.start + &t.count * t.size;
    }
}

/// Panels of equal width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// In vectors.
    pub tiles: Tiles,
    /// Lanes in use of the last vector, where that may not be all.
    pub tail: Option<Dim>,
}

/// An axis in panels of at most `most` vectors of `w`. A tail known now ends the last panel of whole width; any other
/// is a panel of one vector by itself, which may turn out not to be there.
pub fn panels(n: &Dim, w: i64, most: i64) -> Vec<Panel> {
    let w = Dim::from(w);
    let whole = |tiles: Tiles| Panel { tiles, tail: None };
    let tail = n.modulo(&w);
    if n.as_const().is_none() {
        let vectors = n.floor_div(&w);
        let mut out: Vec<Panel> = balanced(&vectors, most).into_iter().map(whole).collect();
        if tail != 0 {
            let tiles = Tiles { start: vectors, count: tail.ceil_div(&w), size: 1 };
            out.push(Panel { tiles, tail: Some(tail) });
        }
        return out;
    }
    let mut out: Vec<Panel> = balanced(&n.ceil_div(&w), most).into_iter().map(whole).collect();
    if tail != 0
        && let Some(Panel { tiles: Tiles { start, count, size }, .. }) = out.pop()
    {
        let others = count - 1;
        let last = &start + &others * size;
        if others != 0 {
            out.push(whole(Tiles { start, count: others, size }));
        }
        out.push(Panel { tiles: Tiles { start: last, count: Dim::ONE, size }, tail: Some(tail) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Store;
    use crate::value::Slot;
    use egret_ir::dtype::DType;
    use std::sync::Arc;

    fn dims<const N: usize>(numbers: [i64; N]) -> Vec<Dim> {
        numbers.map(Dim::from).into()
    }

    /// A transposed copy of a 6 x 8 matrix.
    fn transpose() -> Stage {
        let at = |a: Axis, b: Axis, w: i64| Affine::axis(a).times(w).plus(&Affine::axis(b));
        let value = Arc::new(Value::Load { slot: Slot(0), at: at(1, 0, 8), dtype: DType::F32 });
        let store = Store { slot: Slot(1), at: at(0, 1, 6), value };
        Stage { extents: dims([8, 6]), rank: 2, fold: None, stores: vec![store], note: String::new() }
    }

    /// (read, written) positions of all points, in order.
    fn accesses(s: &Stage) -> Vec<(i64, i64)> {
        let value = |e: &Affine, at: &[i64]| {
            e.terms()
                .iter()
                .map(|(a, c)| match a {
                    Atom::Axis(a) => c.as_const().expect("a number") * at[*a],
                    Atom::Div(..) | Atom::Mod(..) | Atom::Data { .. } => unreachable!("linear"),
                })
                .sum::<i64>()
        };
        let mut points = vec![Vec::new()];
        for d in &s.extents {
            let n = d.as_const().expect("a number");
            points = points.into_iter().flat_map(|p: Vec<i64>| (0..n).map(move |i| [&p[..], &[i]].concat())).collect();
        }
        let Value::Load { at, .. } = &*s.stores[0].value else { unreachable!("a copy") };
        points.iter().map(|p| (value(at, p), value(&s.stores[0].at, p))).collect()
    }

    #[test]
    fn primitives_keep_the_accesses() {
        let mut s = Schedule::new(transpose());
        let before = accesses(&s.stage);
        s.split(1, 3);
        assert_eq!((&s.stage.extents, accesses(&s.stage)), (&dims([8, 2, 3]), before.clone()));
        s.reorder(0, 2);
        assert_eq!(s.stage.extents, dims([2, 3, 8]));
        let mut sorted = (accesses(&s.stage), before.clone());
        assert_ne!(sorted.0, sorted.1, "the order has changed");
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        assert_eq!(sorted.0, sorted.1);
        s.fuse(0);
        s.reorder(1, 0);
        s.reorder(0, 1);
        assert_eq!((&s.stage.extents, accesses(&s.stage)), (&dims([8, 6]), before));
        assert_eq!(s.text(), "split(1,3) reorder(0,2) fuse(0,1) reorder(1,0) reorder(0,1)");
    }

    #[test]
    fn simplifying_fuses_what_is_contiguous_only() {
        let mut s = Schedule::new(transpose());
        s.split(0, 4);
        s.split(2, 2);
        s.simplify(0);
        assert_eq!(s.stage.extents, dims([8, 6]));
    }

    #[test]
    fn balanced_tiles_cover_everything() {
        let symbol = Dim::symbol(egret_ir::Symbol::new("n"));
        for most in 1..15 {
            for n in 1..200i64 {
                let number = |d: &Dim| d.substitute(&|_| Some(n.into())).as_const().expect("one symbol");
                for (tiles, sizes) in [(balanced(&n.into(), most), 2), (balanced(&symbol, most), 5)] {
                    assert!(tiles.len() <= sizes && tiles.iter().all(|t| t.size <= most && t.size >= 1));
                    assert_eq!(number(&tile_count(&tiles)), tiles.iter().map(|t| number(&t.count)).sum::<i64>());
                    let mut at = 0;
                    for t in tiles {
                        assert_eq!(number(&t.start), at);
                        at += number(&t.count) * t.size;
                    }
                    assert_eq!(at, n);
                }
            }
        }
    }
}
