//! Every structure of a rule within bounds, by an odometer over the choices of a draw.

use egret_ir::Dim;
use egret_ir::op::attrs::Head;

use super::pick::Pick;
use super::{Draw, Extents};
use crate::lang::{HeadPat, NodePat, Pat, Rule, Samples};

/// Every structure of a rank: all choices of a draw with unknown extents, one after the other. An axis of the root is an
/// unknown, 1, or as long as the axis before it; where the rule takes axes apart, a product or a sum of two unknowns too.
/// Element types are one for each way in which types are treated; slices start at 0 or 1 with steps 1, −1 and 2; pads
/// are 0 to 2 cells; windows have strides and dilations 1 and 2; at most two labels are folded.
pub struct Structures<'a> {
    rule: &'a Rule,
    rank: usize,
    pick: Pick,
    more: bool,
}

impl<'a> Structures<'a> {
    /// Those of a rule whose root has this rank.
    pub fn new(rule: &'a Rule, rank: usize) -> Self {
        Self { rule, rank, pick: Pick::each(), more: true }
    }
}

impl Iterator for Structures<'_> {
    /// None where the choices make no values.
    type Item = Option<Samples>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.more {
            return None;
        }
        let mut d = Draw::new(self.rule, Extents::Symbols, std::mem::replace(&mut self.pick, Pick::Random(0)));
        let samples = d.samples(self.rank);
        self.pick = d.pick;
        self.more = self.pick.advance();
        Some(samples)
    }
}

/// Forms of axes beside unknowns, 1 and the axis before.
#[derive(Clone, Copy, Default)]
pub(super) struct Forms {
    /// Products: something for a Reshape to take apart.
    pub(super) products: bool,
    /// Sums: something for a Concat to take apart.
    pub(super) sums: bool,
}

pub(super) fn forms(n: &NodePat) -> Forms {
    let mut out = Forms {
        products: matches!(n.head, HeadPat::Is(Head::Reshape)),
        sums: matches!(n.head, HeadPat::Is(Head::Concat)),
    };
    for a in &n.args {
        let inner = match a {
            Pat::Node(n) => Some(n),
            Pat::Each(e) => match &**e {
                Pat::Node(n) => Some(n),
                Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) | Pat::Each(_) => None,
            },
            Pat::Var(_) | Pat::Number(_) | Pat::Computed(_) => None,
        };
        if let Some(inner) = inner {
            let f = forms(inner);
            out = Forms { products: out.products || f.products, sums: out.sums || f.sums };
        }
    }
    out
}

impl Draw<'_> {
    /// Each form of an axis in turn.
    pub(super) fn each_extent(&mut self, before: Option<Dim>) -> Dim {
        let forms = 2 + usize::from(before.is_some()) + usize::from(self.forms.products) + usize::from(self.forms.sums);
        match (self.pick.below(forms), before) {
            (0, _) => self.unknown(),
            (1, _) => Dim::ONE,
            (2, Some(before)) => before,
            (i, before) if self.forms.products && i == 2 + usize::from(before.is_some()) => {
                self.unknown() * self.unknown()
            }
            _ => self.unknown() + self.unknown(),
        }
    }
}
