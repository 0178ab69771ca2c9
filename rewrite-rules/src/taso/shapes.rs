//! Shapes of a substitution's values by unification. An extent is a list of unknowns that it is the sum of, in order: so a
//! Concat's parts stay apart, and a Split finds them again.

use std::collections::BTreeMap;

use super::file::{Kind, Operand, Operator, Substitution};

/// An unknown extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unknown(pub usize);

/// A sum of unknowns.
pub(super) type Extent = Vec<Unknown>;

/// Why a substitution has no shapes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeProblem {
    /// Values that must have one rank have several.
    #[error("a value has rank {0} in one place and {1} in another")]
    Rank(usize, usize),
    /// Extents that must be equal are sums that share no structure.
    #[error("extents that must be equal are sums of different parts")]
    Extents,
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Source,
    Target,
}

/// A value: inputs are common to both sides.
pub(super) type ValueKey = (Option<Side>, Operand);

/// Solved shapes.
#[derive(Default)]
pub(super) struct Shapes {
    bound: Vec<Option<Extent>>,
    /// Numbers that unknowns are (kernel extents).
    numbers: BTreeMap<Unknown, i64>,
    shapes: BTreeMap<ValueKey, Vec<Extent>>,
    /// Groups of each convolution.
    pub groups: BTreeMap<(Side, usize), usize>,
    /// What was taken for granted, in words.
    pub assumed: Vec<String>,
}

impl Shapes {
    fn fresh(&mut self) -> Unknown {
        self.bound.push(None);
        Unknown(self.bound.len() - 1)
    }

    /// The extent in unknowns that stand for themselves.
    pub fn resolved(&self, extent: &[Unknown]) -> Extent {
        extent
            .iter()
            .flat_map(|u| match &self.bound[u.0] {
                Some(parts) => self.resolved(parts),
                None => vec![*u],
            })
            .collect()
    }

    /// The number that an unknown is, where it is one.
    pub fn number(&self, u: Unknown) -> Option<i64> {
        self.numbers.get(&u).copied()
    }

    /// A value's shape.
    pub fn shape(&self, key: &ValueKey) -> Vec<Extent> {
        self.shapes.get(key).map_or_else(Vec::new, |s| s.iter().map(|e| self.resolved(e)).collect())
    }

    fn unify(&mut self, a: &[Unknown], b: &[Unknown]) -> Result<(), ShapeProblem> {
        let (a, b) = (self.resolved(a), self.resolved(b));
        if a == b {
            return Ok(());
        }
        match (a.as_slice(), b.as_slice()) {
            ([u], parts) | (parts, [u]) if !(parts.contains(u) || self.numbers.contains_key(u) && parts.len() > 1) => {
                // A number stays what stands for itself.
                if let ([other], Some(n)) = (parts, self.number(*u)) {
                    if self.number(*other).is_some_and(|m| m != n) {
                        return Err(ShapeProblem::Extents);
                    }
                    self.bound[other.0] = Some(vec![*u]);
                } else {
                    self.bound[u.0] = Some(parts.to_vec());
                }
                Ok(())
            }
            _ if a.len() == b.len() => a.iter().zip(&b).try_for_each(|(x, y)| self.unify(&[*x], &[*y])),
            _ => Err(ShapeProblem::Extents),
        }
    }

    fn same(&mut self, a: &ValueKey, b: &ValueKey) -> Result<(), ShapeProblem> {
        let (x, y) = (self.shapes[a].clone(), self.shapes[b].clone());
        if x.len() != y.len() {
            return Err(ShapeProblem::Rank(x.len(), y.len()));
        }
        x.iter().zip(&y).try_for_each(|(x, y)| self.unify(x, y))
    }
}

/// The value that an operand is, seen from a side.
pub(super) fn key(side: Side, operand: Operand) -> ValueKey {
    match operand {
        Operand::Input(_) => (None, operand),
        Operand::Result { .. } => (Some(side), operand),
    }
}

/// Both sides' operators.
fn sides(s: &Substitution) -> impl Iterator<Item = (Side, usize, &Operator)> {
    let source = s.source.iter().enumerate().map(|(i, o)| (Side::Source, i, o));
    source.chain(s.target.iter().enumerate().map(|(i, o)| (Side::Target, i, o)))
}

fn result(side: Side, operator: usize, result: usize) -> ValueKey {
    (Some(side), Operand::Result { operator, result })
}

/// Ranks of all values: of a matrix product 2, of a convolution 4, of a Concat as it says; 2 where nothing says.
fn ranks(s: &Substitution) -> Result<BTreeMap<ValueKey, usize>, ShapeProblem> {
    let mut ranks: BTreeMap<ValueKey, usize> = BTreeMap::new();
    let mut equal: Vec<Vec<ValueKey>> = Vec::new();
    let mut known: Vec<(ValueKey, usize)> = Vec::new();
    for (side, i, o) in sides(s) {
        let all: Vec<ValueKey> =
            o.operands.iter().map(|x| key(side, *x)).chain((0..o.kind.results()).map(|r| result(side, i, r))).collect();
        match o.kind {
            Kind::MatMul { .. } => known.extend(all.iter().map(|k| (*k, 2))),
            Kind::Conv2d { .. } => known.extend(all.iter().map(|k| (*k, 4))),
            Kind::Concat { rank, .. } => known.extend(all.iter().map(|k| (*k, rank))),
            Kind::Relu | Kind::Split { .. } | Kind::Add | Kind::Mul => {}
        }
        if !matches!(o.kind, Kind::MatMul { .. } | Kind::Conv2d { .. }) {
            equal.push(all.clone());
        }
        for k in all {
            ranks.entry(k).or_insert(0);
        }
    }
    equal.extend(s.outputs.iter().map(|(a, b)| vec![key(Side::Source, *a), key(Side::Target, *b)]));
    for (k, n) in known {
        let old = ranks.insert(k, n).unwrap_or(0);
        if old != 0 && old != n {
            return Err(ShapeProblem::Rank(old, n));
        }
    }
    // Once around for each value is enough for a rank to reach all it must.
    for _ in 0..ranks.len() {
        for group in &equal {
            let rank = group.iter().map(|k| ranks[k]).max().unwrap_or(0);
            for k in group {
                match ranks.insert(*k, rank) {
                    Some(old) if old != 0 && old != rank => return Err(ShapeProblem::Rank(old, rank)),
                    _ => {}
                }
            }
        }
    }
    Ok(ranks.into_iter().map(|(k, n)| (k, if n == 0 { 2 } else { n })).collect())
}

/// The shapes of a substitution's values.
pub(super) fn solve(s: &Substitution) -> Result<Shapes, ShapeProblem> {
    let mut shapes = Shapes::default();
    let ranks = ranks(s)?;
    for (k, rank) in &ranks {
        let shape = (0..*rank).map(|_| vec![shapes.fresh()]).collect();
        shapes.shapes.insert(*k, shape);
    }
    if !sides(s).any(|(_, _, o)| matches!(o.kind, Kind::MatMul { .. } | Kind::Conv2d { .. } | Kind::Concat { .. })) {
        shapes.assumed.push("rank 2".to_owned());
    }
    for (side, i, o) in sides(s) {
        let out = result(side, i, 0);
        let operands: Vec<ValueKey> = o.operands.iter().map(|x| key(side, *x)).collect();
        let shape = |shapes: &Shapes, k: &ValueKey| shapes.shapes[k].clone();
        match o.kind {
            Kind::Add | Kind::Mul => {
                shapes.same(&operands[0], &operands[1])?;
                shapes.same(&operands[0], &out)?;
            }
            Kind::Relu => shapes.same(&operands[0], &out)?,
            Kind::MatMul { .. } => {
                let (a, b, c) = (shape(&shapes, &operands[0]), shape(&shapes, &operands[1]), shape(&shapes, &out));
                shapes.unify(&a[1], &b[0])?;
                shapes.unify(&a[0], &c[0])?;
                shapes.unify(&b[1], &c[1])?;
            }
            Kind::Concat { axis, rank } => {
                let parts: Vec<Vec<Extent>> = operands.iter().map(|k| shape(&shapes, k)).collect();
                let whole = shape(&shapes, &out);
                for a in (0..rank).filter(|a| *a != axis) {
                    for part in &parts {
                        shapes.unify(&part[a], &whole[a])?;
                    }
                }
                let joined: Extent = parts.iter().flat_map(|p| p[axis].clone()).collect();
                shapes.unify(&whole[axis], &joined)?;
            }
            Kind::Split { axis, results } => {
                let whole = shape(&shapes, &operands[0]);
                let parts: Vec<Vec<Extent>> = (0..results).map(|r| shape(&shapes, &result(side, i, r))).collect();
                if axis >= whole.len() {
                    return Err(ShapeProblem::Rank(whole.len(), axis + 1));
                }
                for a in (0..whole.len()).filter(|a| *a != axis) {
                    for part in &parts {
                        shapes.unify(&part[a], &whole[a])?;
                    }
                }
                let joined: Extent = parts.iter().flat_map(|p| p[axis].clone()).collect();
                shapes.unify(&whole[axis], &joined)?;
                shapes.assumed.push("a split cuts where its concat joined".to_owned());
            }
            Kind::Conv2d { kernel, stride, same, .. } => {
                let (x, w, y) = (shape(&shapes, &operands[0]), shape(&shapes, &operands[1]), shape(&shapes, &out));
                shapes.unify(&x[0], &y[0])?;
                shapes.unify(&w[0], &y[1])?;
                for (axis, size) in [(2, kernel.0), (3, kernel.1)] {
                    let number = shapes.fresh();
                    shapes.numbers.insert(number, size);
                    shapes.unify(&w[axis], &[number])?;
                }
                if same && stride == (1, 1) {
                    shapes.unify(&x[2], &y[2])?;
                    shapes.unify(&x[3], &y[3])?;
                }
            }
        }
    }
    for (a, b) in &s.outputs {
        shapes.same(&key(Side::Source, *a), &key(Side::Target, *b))?;
    }
    channels(s, &mut shapes)?;
    shapes.assumed.sort();
    shapes.assumed.dedup();
    Ok(shapes)
}

/// Input channels of convolutions, once it is known which are sums: as many as the weight has, or as many in each group.
fn channels(s: &Substitution, shapes: &mut Shapes) -> Result<(), ShapeProblem> {
    for (side, i, o) in sides(s) {
        let Kind::Conv2d { .. } = o.kind else { continue };
        let (x, w) = (shapes.shape(&key(side, o.operands[0])), shapes.shape(&key(side, o.operands[1])));
        let (x, w, m) = (x[1].clone(), w[1].clone(), w[0].clone());
        let groups = if w.len() == 1 { x.len() } else { 1 };
        if groups > 1 {
            for part in &x {
                shapes.unify(&[*part], &w)?;
            }
            // Each group makes as many of the result's channels.
            let m = shapes.resolved(&m);
            let parts = if m.len() == groups { m } else { (0..groups).map(|_| shapes.fresh()).collect() };
            for part in &parts[1..] {
                shapes.unify(&[*part], &parts[..1])?;
            }
            let weight = shapes.shapes[&key(side, o.operands[1])][0].clone();
            shapes.unify(&weight, &parts)?;
            shapes.assumed.push(format!("a convolution of {groups} equal groups"));
        } else {
            shapes.unify(&x, &w)?;
        }
        shapes.groups.insert((side, i), groups);
    }
    Ok(())
}
