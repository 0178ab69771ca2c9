//! The decision rule as arithmetic on slices: node bounds with the coherence test, floors, and the pattern of NaN and Inf.
//!
//! Nothing here knows graphs. Values are f64 (exact images of what an engine gave); `truth` is the f64 evaluation.

use serde::Serialize;

/// Node results may differ from the truth by the bound and this much more (the truth is itself rounded to f64).
const SLACK: f64 = 1.0 + 1e-6;
/// A floor fails above this ratio of rms error to rms standard deviation …
pub const FLOOR_RMS: f64 = 4.0;
/// … or above this many standard deviations in one element, end to end …
pub const FLOOR_Z: f64 = 12.0;
/// … or in a region with forced inputs.
pub const REGION_Z: f64 = 50.0;
/// Share of the rms standard deviation that counts in every element: eight runs estimate one element's badly.
const SPREAD: f64 = 0.25;
/// The coherence test: factor, standard errors, units of u (see [`coherence`]).
const COHERENCE: (f64, f64, f64) = (4.0, 6.0, 16.0);

/// Where NaN, Inf or finiteness differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pattern {
    /// Flat position of the first difference.
    pub at: usize,
    /// The reference.
    pub truth: f64,
    /// The engine's value.
    pub got: f64,
}

/// The outcome of a node check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NodeCheck {
    /// Largest |error| / bound; above 1 the node fails.
    pub ratio: f64,
    /// Flat position of it.
    pub at: usize,
    /// |error| there.
    pub error: f64,
    /// Bound there.
    pub bound: f64,
    /// First difference in the pattern of NaN and Inf; any fails the node.
    pub pattern: Option<Pattern>,
    /// Elements without a finite bound, which are not judged.
    pub unbounded: usize,
}

impl NodeCheck {
    /// Whether the node is within its bound.
    pub fn passes(&self) -> bool {
        self.pattern.is_none() && self.ratio <= 1.0
    }
}

/// Whether `got` is as NaN, infinite or finite as `truth` is once it is rounded to a type with the largest number `max`.
/// Within `bound` of the edge of overflow both are right.
pub fn same_pattern(truth: f64, bound: f64, got: f64, max: f64) -> bool {
    if truth.is_nan() || got.is_nan() {
        return truth.is_nan() == got.is_nan() || bound.is_infinite() || bound.is_nan();
    }
    if truth.is_infinite() {
        return got == truth;
    }
    let may_overflow = truth.abs() + bound >= max;
    let must_overflow = truth.abs() - bound > max * SLACK;
    if got.is_infinite() { may_overflow && (got > 0.0) == (truth > 0.0) } else { !must_overflow }
}

/// Compares the results of one node with their bounds. A bound of 0 asks for equality (−0 = +0).
pub fn node(truth: &[f64], bound: &[f64], got: &[f64], max: f64) -> NodeCheck {
    let mut check = NodeCheck::default();
    for (i, ((t, b), g)) in truth.iter().zip(bound).zip(got).enumerate() {
        if !same_pattern(*t, *b, *g, max) {
            if check.pattern.is_none() {
                check.pattern = Some(Pattern { at: i, truth: *t, got: *g });
            }
            continue;
        }
        let error = (g - t).abs();
        check.unbounded += usize::from(!b.is_finite());
        if error.is_nan() || g.is_infinite() || error == 0.0 || !b.is_finite() {
            continue;
        }
        let ratio = error / (b * SLACK);
        if ratio > check.ratio {
            (check.ratio, check.at, check.error, check.bound) = (ratio, i, error, *b);
        }
    }
    check
}

/// The outcome of a coherence test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Coherence {
    /// Largest |β| / threshold; above 1 the node fails.
    pub ratio: f64,
    /// β there: the relative amount by which the results are scaled.
    pub beta: f64,
    /// The channel; None: all results together.
    pub channel: Option<usize>,
}

/// Whether the errors of a contraction are a multiple of its results, as a scaled weight makes them, in one output channel
/// or in all: β = ⟨δ, y⟩ / ⟨y, y⟩ beyond 4·(6·se + 16u), with the standard error from the local standard deviations.
/// The results are `outer × channels × inner`. Channels of a single element say nothing and are skipped.
pub fn coherence(truth: &[f64], sigma: &[f64], got: &[f64], [channels, inner]: [usize; 2], u: f64) -> Coherence {
    let mut sums = vec![[0f64; 3]; channels + 1];
    let mut counts = vec![0usize; channels + 1];
    for (i, ((t, s), g)) in truth.iter().zip(sigma).zip(got).enumerate() {
        let error = g - t;
        if !error.is_finite() || !s.is_finite() {
            continue;
        }
        let channel = (i / inner.max(1)) % channels.max(1);
        for slot in [channel, channels] {
            let [dy, yy, syy] = &mut sums[slot];
            *dy += error * t;
            *yy += t * t;
            *syy += s * s * t * t;
            counts[slot] += 1;
        }
    }
    let (factor, errors, units) = COHERENCE;
    let mut worst = Coherence::default();
    for (slot, ([dy, yy, syy], n)) in sums.iter().zip(&counts).enumerate() {
        if *n < 2 || *yy <= 0.0 {
            continue;
        }
        let beta = dy / yy;
        let threshold = factor * (errors * syy.sqrt() / yy + units * u);
        let ratio = beta.abs() / threshold;
        if ratio > worst.ratio {
            worst = Coherence { ratio, beta, channel: (slot < channels).then_some(slot) };
        }
    }
    worst
}

/// An error beside its floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Floor {
    /// Root mean square of the error.
    pub rms_error: f64,
    /// Largest error.
    pub max_error: f64,
    /// Root mean square of the truth.
    pub rms_value: f64,
    /// Root mean square of the predicted standard deviations.
    pub rms_sigma: f64,
    /// rms error / rms standard deviation.
    pub rms_ratio: f64,
    /// Largest error in standard deviations.
    pub z: f64,
    /// Where.
    pub at: usize,
    /// First difference in the pattern of NaN and Inf.
    pub pattern: Option<Pattern>,
}

impl Floor {
    /// Whether the error is within rounding, `z` being [`FLOOR_Z`] or [`REGION_Z`].
    pub fn passes(&self, z: f64) -> bool {
        self.pattern.is_none() && self.rms_ratio <= FLOOR_RMS && self.z <= z
    }

    /// The worse of two samples.
    pub fn worse(self, other: Self) -> Self {
        let score =
            |f: &Self| if f.pattern.is_some() { f64::INFINITY } else { (f.rms_ratio / FLOOR_RMS).max(f.z / FLOOR_Z) };
        if score(&other) > score(&self) { other } else { self }
    }
}

/// Compares results with the truth and the standard deviations that random rounding predicts. `u` is the unit roundoff of
/// the result's type: half a unit in the last place is never an error.
pub fn floor(truth: &[f64], sigma: &[f64], got: &[f64], max: f64, u: f64) -> Floor {
    let mut f = Floor::default();
    let (mut n, mut ee, mut ss, mut yy) = (0usize, 0f64, 0f64, 0f64);
    for (i, ((t, s), g)) in truth.iter().zip(sigma).zip(got).enumerate() {
        if !same_pattern(*t, 6.0 * s + u * t.abs(), *g, max) {
            f.pattern = f.pattern.or(Some(Pattern { at: i, truth: *t, got: *g }));
            continue;
        }
        if !t.is_finite() || !g.is_finite() {
            continue;
        }
        let e = beyond_rounding(*t, *g, u);
        n += 1;
        ee += e * e;
        yy += t * t;
        if s.is_finite() {
            ss += s * s;
        }
        f.max_error = f.max_error.max(e);
    }
    let count = n.max(1) as f64;
    (f.rms_error, f.rms_sigma, f.rms_value) = ((ee / count).sqrt(), (ss / count).sqrt(), (yy / count).sqrt());
    f.rms_ratio = ratio(f.rms_error, f.rms_sigma);
    for (i, ((t, s), g)) in truth.iter().zip(sigma).zip(got).enumerate() {
        if !t.is_finite() || !g.is_finite() || s.is_nan() {
            continue;
        }
        let z = ratio(beyond_rounding(*t, *g, u), s.hypot(SPREAD * f.rms_sigma));
        if z > f.z {
            (f.z, f.at) = (z, i);
        }
    }
    f
}

/// |error|, or 0 where the result is the truth rounded.
fn beyond_rounding(truth: f64, got: f64, u: f64) -> f64 {
    let e = (got - truth).abs();
    if e <= u * truth.abs() { 0.0 } else { e }
}

fn ratio(error: f64, sigma: f64) -> f64 {
    if error == 0.0 {
        0.0
    } else if sigma == 0.0 {
        f64::INFINITY
    } else {
        error / sigma
    }
}

/// Per-element standard deviations of runs around the truth. Non-finite deviations (a NaN in one run only) give infinity.
pub fn deviations(truth: &[f64], runs: &[&[f64]]) -> Vec<f64> {
    let n = runs.len().max(1) as f64;
    let of = |(i, t): (usize, &f64)| {
        let sum: f64 = runs
            .iter()
            .map(|r| if r[i] == *t || (r[i].is_nan() && t.is_nan()) { 0.0 } else { (r[i] - t).powi(2) })
            .sum();
        let s = (sum / n).sqrt();
        if s.is_nan() { f64::INFINITY } else { s }
    };
    truth.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const U: f64 = 5.960_464_477_539_063e-8;
    const MAX: f64 = f32::MAX as f64;

    #[test]
    fn a_bound_of_zero_asks_for_equality_up_to_the_sign_of_zero() {
        assert!(node(&[0.0, 1.0], &[0.0; 2], &[-0.0, 1.0], MAX).passes());
        let check = node(&[0.0, 1.0], &[0.0; 2], &[0.0, 1.0 + 1e-12], MAX);
        assert!(!check.passes());
        assert_eq!(check.at, 1);
    }

    #[test]
    fn patterns_of_nan_and_infinity() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        assert!(
            same_pattern(nan, 0.0, nan, MAX) && !same_pattern(nan, 0.0, 1.0, MAX) && !same_pattern(1.0, 0.0, nan, MAX)
        );
        assert!(
            same_pattern(inf, 0.0, inf, MAX)
                && !same_pattern(inf, 0.0, -inf, MAX)
                && !same_pattern(inf, 0.0, 3e38, MAX)
        );
        assert!(same_pattern(1e39, 0.0, inf, MAX), "f64 holds what f32 does not");
        assert!(!same_pattern(1e39, 0.0, 3e38, MAX) && !same_pattern(1e30, 0.0, inf, MAX));
        assert!(same_pattern(3.402e38, 1e35, inf, MAX), "within its bound of the edge");
    }

    #[test]
    fn coherent_errors_are_found_where_bounds_are_blind() {
        let mut r = Rng::new(1);
        let (channels, inner) = (8, 200);
        let y: Vec<f64> = (0..channels * inner).map(|_| r.normal()).collect();
        let sigma = vec![20.0 * U; y.len()];
        let honest: Vec<f64> = y.iter().map(|y| y + 20.0 * U * r.normal()).collect();
        assert!(coherence(&y, &sigma, &honest, [channels, inner], U).ratio < 1.0);
        let scaled: Vec<f64> =
            honest.iter().enumerate().map(|(i, y)| if i / inner == 3 { y * 1.0001 } else { *y }).collect();
        let found = coherence(&y, &sigma, &scaled, [channels, inner], U);
        assert!(found.ratio > 1.0 && found.channel == Some(3), "{found:?}");
    }

    #[test]
    fn floors_scale_with_the_noise() {
        let mut r = Rng::new(2);
        let y: Vec<f64> = (0..500).map(|_| r.normal()).collect();
        let runs: Vec<Vec<f64>> = (0..8).map(|_| y.iter().map(|y| y + 1e-5 * r.normal()).collect()).collect();
        let sigma = deviations(&y, &runs.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let honest: Vec<f64> = y.iter().map(|y| y + 1e-5 * r.normal()).collect();
        let f = floor(&y, &sigma, &honest, MAX, U);
        assert!(f.passes(FLOOR_Z) && (f.rms_ratio - 1.0).abs() < 0.2, "{f:?}");
        let wrong: Vec<f64> = y.iter().map(|y| y + 1e-4).collect();
        assert!(!floor(&y, &sigma, &wrong, MAX, U).passes(FLOOR_Z));
        let exact = floor(&[1.0, 2.0], &[0.0, 0.0], &[1.0, 2.5], MAX, U);
        assert!(!exact.passes(REGION_Z), "no noise, no excuse");
    }
}
