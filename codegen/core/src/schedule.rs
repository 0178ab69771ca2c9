//! Schedules: the order and form of a stage's loops, as a recorded trace of the usual primitives.
//!
//! A schedule renames the axes of a stage: `fuse` and `split` replace axes by index expressions of new ones, and the other
//! primitives mark loops. The trace prints in the kernel's comment and can be replayed on an equal stage.

use std::fmt;

use crate::affine::{Affine, Atom, Axis};
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
    Parallel(Axis, i64),
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

    fn rename(&mut self, to: &[Affine], extents: Vec<i64>, rank: usize, step: Primitive) {
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
        let inner = self.stage.extents[a + 1];
        let mut extents = self.stage.extents.clone();
        extents[a] *= inner;
        extents.remove(a + 1);
        let mut to = self.identity(a, -1);
        // An empty axis has no index; any expression will do.
        to[a] = Affine::axis(a).div(inner.max(1), &extents);
        to[a + 1] = Affine::axis(a).modulo(inner.max(1), &extents);
        let rank = self.stage.rank - usize::from(a + 1 < self.stage.rank);
        self.rename(&to, extents, rank, Primitive::Fuse(a));
    }

    /// Splits an axis whose extent `by` divides: outer, then inner of that extent.
    pub fn split(&mut self, a: Axis, by: i64) {
        debug_assert!(self.stage.extents[a] % by == 0, "splits are exact; tails are tiles of another size");
        let mut to = self.identity(a, 1);
        to[a] = Affine::axis(a).times(by).plus(&Affine::axis(a + 1));
        let mut extents = self.stage.extents.clone();
        extents[a] /= by;
        extents.insert(a + 1, by);
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
        let extents = order.iter().map(|o| self.stage.extents[*o]).collect();
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

/// `n` in tiles of at most `most`, as equal as possible: (start, count, size) of at most two sizes, larger first.
pub fn balanced(n: i64, most: i64) -> Vec<(i64, i64, i64)> {
    if n <= 0 {
        return Vec::new();
    }
    let tiles = (n + most - 1) / most;
    let (size, extra) = (n / tiles, n % tiles);
    let mut out = Vec::new();
    if extra > 0 {
        out.push((0, extra, size + 1));
    }
    if tiles > extra && size > 0 {
        out.push((extra * (size + 1), tiles - extra, size));
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

    /// A transposed copy of a 6 x 8 matrix.
    fn transpose() -> Stage {
        let at = |a: Axis, b: Axis, w: i64| Affine::axis(a).times(w).plus(&Affine::axis(b));
        let value = Arc::new(Value::Load { slot: Slot(0), at: at(1, 0, 8), dtype: DType::F32 });
        let store = Store { slot: Slot(1), at: at(0, 1, 6), value };
        Stage { extents: vec![8, 6], rank: 2, fold: None, stores: vec![store], note: String::new() }
    }

    /// (read, written) positions of all points, in order.
    fn accesses(s: &Stage) -> Vec<(i64, i64)> {
        let value = |e: &Affine, at: &[i64]| {
            e.terms()
                .iter()
                .map(|(a, c)| if let Atom::Axis(a) = a { c * at[*a] } else { unreachable!("linear") })
                .sum::<i64>()
        };
        let mut points = vec![Vec::new()];
        for d in &s.extents {
            points = points.into_iter().flat_map(|p: Vec<i64>| (0..*d).map(move |i| [&p[..], &[i]].concat())).collect();
        }
        let Value::Load { at, .. } = &*s.stores[0].value else { unreachable!("a copy") };
        points.iter().map(|p| (value(at, p), value(&s.stores[0].at, p))).collect()
    }

    #[test]
    fn primitives_keep_the_accesses() {
        let mut s = Schedule::new(transpose());
        let before = accesses(&s.stage);
        s.split(1, 3);
        assert_eq!((s.stage.extents.clone(), accesses(&s.stage)), (vec![8, 2, 3], before.clone()));
        s.reorder(0, 2);
        assert_eq!(s.stage.extents, [2, 3, 8]);
        let mut sorted = (accesses(&s.stage), before.clone());
        assert_ne!(sorted.0, sorted.1, "the order has changed");
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        assert_eq!(sorted.0, sorted.1);
        s.fuse(0);
        s.reorder(1, 0);
        s.reorder(0, 1);
        assert_eq!((s.stage.extents.clone(), accesses(&s.stage)), (vec![8, 6], before));
        assert_eq!(s.text(), "split(1,3) reorder(0,2) fuse(0,1) reorder(1,0) reorder(0,1)");
    }

    #[test]
    fn simplifying_fuses_what_is_contiguous_only() {
        let mut s = Schedule::new(transpose());
        s.split(0, 4);
        s.split(2, 2);
        s.simplify(0);
        assert_eq!(s.stage.extents, [8, 6]);
    }

    #[test]
    fn balanced_tiles_cover_everything_with_two_sizes() {
        for n in 1..200 {
            for most in 1..15 {
                let tiles = balanced(n, most);
                assert!(tiles.len() <= 2 && tiles.iter().all(|t| t.2 <= most && t.2 >= 1));
                assert_eq!(tiles.iter().map(|t| t.1 * t.2).sum::<i64>(), n);
                let mut at = 0;
                for t in tiles {
                    assert_eq!(t.0, at);
                    at += t.1 * t.2;
                }
            }
        }
    }
}
