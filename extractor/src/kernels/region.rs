//! A region: some ways of some classes, computed together.

use egret_ir::choice::ClassId;
use egret_ir::dim::Dim;

use super::view::View;

/// What a region is built around, and so what may follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A function of the index alone; may be evaluated anywhere.
    Pointwise,
    /// A contraction and elementwise work in its result space.
    Contract(ClassId),
    /// A fold that is no row fold, likewise.
    Reduce(ClassId),
    /// Folds over rows: `outer` rows of `inner` elements. The root is wide (outer × inner) or narrow (outer).
    Row {
        /// Number of rows.
        outer: Dim,
        /// Elements of a row.
        inner: Dim,
        /// Whether the root has one element per row.
        narrow: bool,
    },
    /// One node by itself.
    Single,
}

impl Kind {
    /// Kinds of one group compete with each other for places.
    pub fn group(&self) -> u8 {
        match self {
            Self::Pointwise => 0,
            Self::Contract(_) => 1,
            Self::Reduce(_) => 2,
            Self::Row { .. } => 3,
            Self::Single => 4,
        }
    }
}

/// One node of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Member {
    /// Rank of the class, so that members sort operands first.
    pub rank: u32,
    pub class: ClassId,
    /// Which of its ways.
    pub way: u32,
}

/// A region with one root, the last member.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Sorted.
    pub members: Vec<Member>,
    /// Classes read from buffers, sorted; disjoint from the members.
    pub inputs: Vec<ClassId>,
    pub kind: Kind,
    /// Members that could be given out beside the root: computed once per element, at their own position. Sorted.
    pub main: Vec<ClassId>,
    /// Where it is pure movement of one buffer.
    pub view: Option<View>,
    /// Whether it is only broadcast, reshape and numbers: computing it inside is free.
    pub free: bool,
    /// Whether the result is stored permuted; nothing elementwise may follow.
    pub permuted: bool,
    /// Whether it is the class's plainest one, which reads lower-ranked classes only.
    pub base: bool,
    /// Cost flow as a kernel.
    pub flow: u128,
    /// Cost as a kernel.
    pub cost: u64,
}

impl Region {
    /// The root's class.
    pub fn root(&self) -> ClassId {
        self.members.last().expect("regions are not empty").class
    }
}

/// The union of sorted, deduplicated lists.
pub(crate) fn union<T: Ord + Copy>(a: &[T], b: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                out.push(a[i]);
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}
