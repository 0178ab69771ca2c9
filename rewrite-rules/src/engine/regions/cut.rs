//! Where a graph is cut: at narrow waists, and only where that finds blocks that repeat.
//!
//! A *waist* is a point of the graph's order just after a value that several others read, where at most [`WIDTH`] values
//! are alive. Constants are never cut off their users, and neither is movement (a permute, a reshape …): both are taken
//! into every region that reads them, so that pairs of movements stay together and what crosses a waist keeps the layout in
//! which it was imported. A scale or a shift by a constant just before a waist (the end of a layer norm) is in the regions
//! of both sides: it belongs to what makes it, and may go into the weights of what reads it. The parts between waists form a string of structures; its longest repetitions become regions.

use std::collections::BTreeSet;
use std::ops::Range;

use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::{Graph, Type, ValueId};
use foldhash::{HashMap, HashMapExt as _};

use super::piece::{Key, Piece};

/// Values that may be alive at a waist: the block's result, and what all blocks read (a mask, positions).
const WIDTH: usize = 3;

/// Values that a repeated block has at least.
const BLOCK: usize = 12;

/// Waists that a repeated block has at most.
const LONGEST: usize = 64;

/// How a value takes part in the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An input of the graph.
    Input,
    /// Known before the graph runs.
    Constant,
    /// Movement of another value: the one it comes from.
    Moved(ValueId),
    /// Computed; its position among these.
    Computed(usize),
}

/// What each value is, and the computed ones in order.
#[derive(Debug)]
pub(super) struct Roles {
    pub role: Vec<Role>,
    pub computed: Vec<ValueId>,
    /// Computed values that scale or shift another by a constant.
    pub affine: Vec<bool>,
}

impl Roles {
    /// Of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut role: Vec<Role> = Vec::with_capacity(graph.nodes().len());
        let mut computed = Vec::new();
        let mut affine = Vec::with_capacity(graph.nodes().len());
        for (v, node) in graph.values().zip(graph.nodes()) {
            let constant = node.args.iter().all(|a| role[a.index()] == Role::Constant) && node.op.computes();
            let open = node.args.iter().filter(|a| role[a.index()] != Role::Constant).count();
            let linear = matches!(node.op, Op::Map(Scalar::Add | Scalar::Sub | Scalar::Mul | Scalar::Div));
            affine.push(linear && open == 1);
            role.push(match (&node.op, constant) {
                (Op::Input(_), _) => Role::Input,
                (_, true) => Role::Constant,
                (Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_), _) if node.args.len() == 1 => {
                    let from = node.args[0];
                    Role::Moved(if let Role::Moved(root) = role[from.index()] { root } else { from })
                }
                _ => {
                    computed.push(v);
                    Role::Computed(computed.len() - 1)
                }
            });
        }
        Self { role, computed, affine }
    }

    /// The value that a value is, but for movement.
    pub fn root(&self, v: ValueId) -> ValueId {
        match self.role[v.index()] {
            Role::Moved(root) => root,
            Role::Input | Role::Constant | Role::Computed(_) => v,
        }
    }
}

/// A point where the graph may be cut.
#[derive(Clone, Copy, Debug)]
struct Waist {
    /// Position among the computed values: those before it are on one side.
    at: usize,
    /// How far the last reader of the value before it is: a skip connection spans a block.
    span: usize,
}

/// The readers of each value, movement looked through: first and last position of computed ones, and their number.
struct Readers {
    last: Vec<Option<usize>>,
    first: Vec<Option<usize>>,
    count: Vec<usize>,
}

impl Readers {
    fn of(graph: &Graph, roles: &Roles) -> Self {
        let n = graph.nodes().len();
        let mut out = Self { last: vec![None; n], first: vec![None; n], count: vec![0; n] };
        for (at, v) in roles.computed.iter().enumerate() {
            let read: BTreeSet<ValueId> = graph.node(*v).args.iter().map(|a| roles.root(*a)).collect();
            for root in read {
                let i = root.index();
                out.first[i] = out.first[i].or(Some(at));
                out.last[i] = Some(at);
                out.count[i] += 1;
            }
        }
        out
    }
}

/// The waists, those of both ends included.
fn waists(graph: &Graph, roles: &Roles) -> Vec<Waist> {
    let readers = Readers::of(graph, roles);
    let n = roles.computed.len();
    // How many values are alive between position t - 1 and t.
    let mut change = vec![0isize; n + 2];
    for v in graph.values() {
        let i = v.index();
        let born = match roles.role[i] {
            // An input crosses a waist where it is read on both sides.
            Role::Input => readers.first[i],
            Role::Computed(at) => Some(at),
            Role::Constant | Role::Moved(_) => None,
        };
        if let (Some(born), Some(last)) = (born, readers.last[i])
            && born < last
        {
            change[born + 1] += 1;
            change[last + 1] -= 1;
        }
    }
    let mut out = vec![Waist { at: 0, span: n }];
    let mut alive = 0;
    for (t, change) in change.iter().enumerate().take(n).skip(1) {
        alive += change;
        let v = roles.computed[t - 1];
        let tensor = matches!(graph.ty(v), Type::Tensor(_));
        let (count, last) = (readers.count[v.index()], readers.last[v.index()]);
        if let Some(last) = last.filter(|_| tensor && count >= 2 && alive <= WIDTH as isize) {
            out.push(Waist { at: t, span: last + 1 - t });
        }
    }
    out.push(Waist { at: n, span: n });
    out
}

/// The regions of a graph as ranges of its computed values; one range where nothing repeats.
pub(super) fn cut(graph: &Graph, roles: &Roles) -> Vec<Range<usize>> {
    let waists = waists(graph, roles);
    let n = roles.computed.len();
    if waists.len() < 3 {
        return std::iter::once(0..n).collect();
    }
    let mut known: HashMap<Key, u32> = HashMap::new();
    let letters: Vec<u32> = waists
        .windows(2)
        .map(|w| {
            let piece = Piece::of(graph, roles, w[0].at..w[1].at, &BTreeSet::new());
            let next = known.len() as u32;
            *known.entry(piece.key(graph)).or_insert(next)
        })
        .collect();
    let mut cuts = BTreeSet::from([0, letters.len()]);
    let text = Text { letters: &letters, waists: &waists };
    text.repetitions(0..letters.len(), &mut cuts);
    let bounds: Vec<usize> = cuts.into_iter().map(|k| waists[k].at).collect();
    bounds.windows(2).map(|w| w[0]..w[1]).collect()
}

/// The structures between waists as a string.
struct Text<'a> {
    letters: &'a [u32],
    waists: &'a [Waist],
}

/// A repetition: `times` blocks of `period` letters from `start` on.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    period: usize,
    times: usize,
    /// Values that need not be saturated.
    saved: usize,
}

impl Text<'_> {
    fn values(&self, letters: Range<usize>) -> usize {
        self.waists[letters.end].at - self.waists[letters.start].at
    }

    /// Puts the bounds of all repeated blocks within a range into `cuts`: those of the longest repetition, then of what is
    /// left on both sides.
    fn repetitions(&self, range: Range<usize>, cuts: &mut BTreeSet<usize>) {
        let Some(run) = self.longest(range.clone()) else { return };
        let end = run.start + run.period * run.times;
        cuts.extend((0..=run.times).map(|k| run.start + k * run.period));
        self.repetitions(range.start..run.start, cuts);
        self.repetitions(end..range.end, cuts);
    }

    /// The repetition that saves most; the shortest period and the earliest place where several do.
    fn longest(&self, range: Range<usize>) -> Option<Run> {
        let mut best: Option<Run> = None;
        for period in 1..=LONGEST.min(range.len() / 2) {
            let mut i = range.start;
            while i + period < range.end {
                let start = i;
                while i + period < range.end && self.letters[i] == self.letters[i + period] {
                    i += 1;
                }
                if i > start {
                    let run = self.blocks(start, i - start + period, period);
                    best = best.into_iter().chain(run).reduce(|a, b| if b.saved > a.saved { b } else { a });
                }
                i += 1;
            }
        }
        best
    }

    /// The blocks of a repetition of `length` letters: long enough, and from the waist on that the longest skip connection
    /// leaves.
    fn blocks(&self, start: usize, length: usize, period: usize) -> Option<Run> {
        let period = (1..=length / 2 / period).map(|m| m * period).find(|p| self.values(start..start + p) >= BLOCK)?;
        let times = length / period;
        let slack = length - times * period;
        let start = (start..=start + slack).max_by_key(|s| (self.waists[*s].span, std::cmp::Reverse(*s)))?;
        let saved = (times - 1) * self.values(start..start + period);
        Some(Run { start, period, times, saved })
    }
}
