//! Both sides modulo two primes, on random residues: the polynomial identity test of Schwartz (*Fast probabilistic algorithms
//! for verification of polynomial identities*, 1980) and Zippel (1979), with the probability that it errs.
//!
//! Sides that are rational functions `a/b` and `c/d` of their inputs are equal where the polynomial `a·d − b·c` is zero. One
//! that is not, of degree n, is zero modulo a prime p at a uniformly random point with probability n/p at most, and the
//! two primes' residues are independent. Rows without a meaning there (exp, max) are random functions of their operands:
//! their results count as inputs.

use egret_ir::eval::domain::mix;
use egret_ir::eval::modular::Residue;
use egret_ir::eval::{Array, Modular, run};
use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Monoid, Op};
use egret_ir::{DType, Dim, Graph};

use super::compare::{Compared, difference};

/// Points per instance.
const SEEDS: u64 = 3;

/// Bits of each prime, rounded down.
const PRIME_BITS: u32 = 60;

/// Degrees of numerator and denominator.
type Degree = (u64, u64);

/// Degrees of a graph's first result in its inputs, none too small; elements of a value are taken to be of one degree.
fn degree(graph: &Graph) -> Degree {
    let mut of: Vec<Degree> = Vec::new();
    let sum = |(a, b): Degree, (c, d): Degree| {
        if b == 0 && d == 0 {
            (a.max(c), 0)
        } else {
            (a.saturating_add(d).max(c.saturating_add(b)), b.saturating_add(d))
        }
    };
    let times = |(a, b): Degree, (c, d): Degree| (a.saturating_add(c), b.saturating_add(d));
    // The extents that a fold runs over are at most those of its operand.
    let terms = |v: egret_ir::ValueId| {
        let count = graph.ty(v).as_tensor().map(|t| egret_ir::dim::count(&t.shape)).and_then(|d: Dim| d.as_const());
        count.map_or(u64::MAX, |n| n.max(1) as u64)
    };
    let folded = |(a, b): Degree, n: u64| match b {
        0 => (a, 0),
        _ => (a.saturating_add(b.saturating_mul(n)), b.saturating_mul(n)),
    };
    for node in graph.nodes() {
        let arg = |i: usize| node.args.get(i).map_or((0, 0), |a| of[a.index()]);
        let every =
            || node.args.iter().fold((0, 0), |m: Degree, a| (m.0.max(of[a.index()].0), m.1.max(of[a.index()].1)));
        let degree = match &node.op {
            Op::Input(_) => (1, 0),
            Op::Const(_) | Op::Dim(_) | Op::Iota { .. } => (0, 0),
            Op::Map(Scalar::Add | Scalar::Sub) => sum(arg(0), arg(1)),
            Op::Map(Scalar::Mul) => times(arg(0), arg(1)),
            Op::Map(Scalar::Div) => times(arg(0), (arg(1).1, arg(1).0)),
            Op::Map(Scalar::Neg | Scalar::Cast(_)) => arg(0),
            // An exponent is small, or the row is a function of its own.
            Op::Map(Scalar::Pow) => (arg(0).0.saturating_mul(64).max(1), arg(0).1.saturating_mul(64).max(arg(0).0)),
            Op::Map(_) => (1, 0),
            Op::Reduce { monoid: Monoid::Prod, .. } => {
                let n = node.args.first().map_or(1, |a| terms(*a));
                (arg(0).0.saturating_mul(n), arg(0).1.saturating_mul(n))
            }
            Op::Reduce { .. } => folded(arg(0), node.args.first().map_or(1, |a| terms(*a))),
            Op::Contract { .. } => {
                let n = node.args.iter().map(|a| terms(*a)).fold(1, u64::saturating_mul);
                folded(times(arg(0), arg(1)), n)
            }
            Op::Permute(_)
            | Op::Reshape(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Gather(_) => every(),
            Op::Scatter(..)
            | Op::ArgSort { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_)
            | Op::Proj(_) => (1, 0),
        };
        of.push(degree);
    }
    graph.outputs.first().map_or((0, 0), |o| of[o.value.index()])
}

/// −log₂ of the probability that one random point does not tell sides that differ, rounded down.
fn error_bits(left: &Graph, right: &Graph) -> u32 {
    let ((a, b), (c, d)) = (degree(left), degree(right));
    let n = a.saturating_add(d).max(b.saturating_add(c)).max(1);
    let lost = u64::BITS - (n - 1).leading_zeros();
    2 * PRIME_BITS.saturating_sub(lost)
}

fn has_dtype(n: &egret_ir::graph::Node, dtype: DType) -> bool {
    n.ty.as_tensor().is_some_and(|t| t.dtype == dtype)
}

/// Whether every row has a meaning modulo a prime.
fn is_polynomial(graph: &Graph) -> bool {
    graph.nodes().iter().all(|n| match &n.op {
        Op::Map(f) => matches!(f, Scalar::Add | Scalar::Sub | Scalar::Mul | Scalar::Div | Scalar::Neg),
        // What a wider accumulator holds is rounded at the end.
        Op::Reduce { monoid, acc, .. } => matches!(monoid, Monoid::Sum | Monoid::Prod) && has_dtype(n, *acc),
        Op::Contract { acc, .. } => has_dtype(n, *acc),
        Op::Call(_) => false,
        Op::Input(_)
        | Op::Const(_)
        | Op::Dim(_)
        | Op::Iota { .. }
        | Op::Permute(_)
        | Op::Reshape(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::Gather(_) => true,
        Op::Scatter(..) | Op::ArgSort { .. } | Op::If(..) | Op::Loop(_) | Op::Opaque(_) | Op::Proj(_) => false,
    })
}

/// Compares modulo two primes: a polynomial identity that holds there on random residues holds.
pub(super) fn modular(left: &Graph, right: &Graph, out: &mut Compared) {
    let meant = is_polynomial(left) && is_polynomial(right);
    let bits = error_bits(left, right);
    for seed in 1..=SEEDS {
        let domain = Modular::new(seed);
        let mut counter = mix(seed);
        let given: Option<Vec<Array<Residue>>> = left
            .inputs
            .iter()
            .map(|decl| {
                let t = decl.ty.as_tensor()?;
                let shape = t.static_shape()?;
                let n: usize = shape.iter().product();
                let mut next = || {
                    counter = mix(counter);
                    counter
                };
                Some(if t.dtype.is_float() {
                    Array::float(t.dtype, shape, (0..n).map(|_| Residue::from_bits(next(), next())).collect())
                } else if t.dtype == DType::Bool {
                    Array::bool(shape, (0..n).map(|_| next() & 1 == 0).collect())
                } else {
                    Array::int(t.dtype, shape, (0..n).map(|_| (next() % 41) as i64 - 20).collect())
                })
            })
            .collect();
        let Some(given) = given else { return };
        let (Ok(a), Ok(b)) = (run(left, &domain, &given), run(right, &domain, &given)) else { return };
        if a[0] == b[0] {
            out.modular += 1;
            out.error_bits += bits;
        } else if meant {
            out.difference =
                Some(difference("modulo two primes", &[], 0, "one residue".into(), "another".into(), seed));
            return;
        } else {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(text: &str) -> Graph {
        egret_ir::text::parse(text).expect("the text parses")
    }

    #[test]
    fn the_error_grows_with_the_degree() {
        let product =
            graph("graph \"g\" {\n  %0 = input \"x\" : f32[2]\n  %1 = map mul %0, %0 : f32[2]\n  return \"y\" %1\n}\n");
        assert_eq!(degree(&product), (2, 0));
        // Degree 2 in 60-bit primes, twice.
        assert_eq!(error_bits(&product, &product), 2 * (60 - 1));
    }
}
