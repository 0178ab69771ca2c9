//! Fast paths of contractions and folds. A contraction becomes a batch of matrix products: window operands are expanded
//! (im2col) block by block. Where results are rounded at each step, terms are taken in the reference order and the results
//! are those of the plain loops bit for bit (up to the sign of a zero where windows fall outside); otherwise the product is
//! ndarray's. Tests compare all of them with the plain loops.

use ndarray::{ArrayView2, ArrayViewMut2, linalg::general_mat_mul};

use super::loops::{Access, Nest};
use super::real::{maximum, minimum, round_to};
use crate::dtype::DType;
use crate::op::Monoid;

/// Elements of an expanded block of rows.
const BLOCK: usize = 1 << 21;
/// Lanes of a panel in the ordered product.
const LANES: usize = 16;
/// Lanes folded together.
const FOLD_LANES: usize = 128;

/// The elements of an operand along one label, others fixed: positions `base + step·i` for `from ≤ i < to`; the others are
/// absent. None: absent throughout.
struct Run {
    base: i64,
    step: i64,
    from: usize,
    to: usize,
}

fn div_ceil(a: i64, b: i64) -> i64 {
    -((-a).div_euclid(b))
}

/// The run along `lane` (of `extent`), whose entry in `index` is ignored. Needs in_dil = 1 in windows over `lane`.
fn run(access: &Access, index: &[usize], lane: usize, extent: usize) -> Option<Run> {
    let mut r = Run { base: 0, step: access.strides[lane] as i64, from: 0, to: extent };
    for (l, (i, s)) in index.iter().zip(&access.strides).enumerate() {
        if l != lane {
            r.base += (i * s) as i64;
        }
    }
    for w in &access.windows {
        if w.out != lane && w.tap != lane {
            r.base += (w.step * w.position(index[w.out], index[w.tap])?) as i64;
            continue;
        }
        // Position c + d·i with 0 ≤ position < extent of the axis.
        let (d, c) = if w.out == lane {
            (w.stride, w.dil.saturating_mul(index[w.tap] as i64).saturating_sub(w.lo))
        } else {
            (w.dil, w.stride.saturating_mul(index[w.out] as i64).saturating_sub(w.lo))
        };
        let last = w.extent as i64 - 1;
        let (first, end) = if d > 0 {
            (div_ceil(c.saturating_neg(), d), (last - c).div_euclid(d) + 1)
        } else {
            (div_ceil(c - last, -d), c.div_euclid(-d) + 1)
        };
        r.from = r.from.max(first.clamp(0, extent as i64) as usize);
        r.to = r.to.min(end.clamp(0, extent as i64) as usize);
        r.base += c * w.step as i64;
        r.step += d * w.step as i64;
    }
    (r.from < r.to).then_some(r)
}

/// Whether every window step fits small arithmetic and no window over these labels divides.
fn simple_windows(nest: &Nest) -> bool {
    let small = |x: i64| x.unsigned_abs() < 1 << 31;
    nest.operands.iter().flat_map(|o| &o.windows).all(|w| small(w.stride) && small(w.dil) && small(w.lo))
        && nest.extents.iter().all(|e| *e < 1 << 31)
}

fn divides(access: &Access, lane: usize) -> bool {
    access.windows.iter().any(|w| (w.out == lane || w.tap == lane) && w.in_dil != 1)
}

/// Advances an index over `labels`, last fastest.
fn advance(index: &mut [usize], labels: &[usize], extents: &[usize]) {
    for l in labels.iter().rev() {
        index[*l] += 1;
        if index[*l] < extents[*l] {
            return;
        }
        index[*l] = 0;
    }
}

fn product(labels: &[usize], extents: &[usize]) -> usize {
    labels.iter().map(|l| extents[*l]).product()
}

/// A label and the part of its values that is taken.
type Part = (usize, std::ops::Range<usize>);

fn whole(labels: &[usize], extents: &[usize]) -> Vec<Part> {
    labels.iter().map(|l| (*l, 0..extents[*l])).collect()
}

fn volume(parts: &[Part]) -> usize {
    parts.iter().map(|(_, r)| r.len()).product()
}

/// Advances an index over parts, last fastest.
fn advance_parts(index: &mut [usize], parts: &[Part]) {
    for (l, r) in parts.iter().rev() {
        index[*l] += 1;
        if index[*l] < r.end {
            return;
        }
        index[*l] = r.start;
    }
}

/// The operand's elements at all values of `parts`, row-major, other labels as in `fixed`; zero where absent.
fn expand<T: Copy + Default>(nest: &Nest, operand: usize, x: &[T], fixed: &[usize], parts: &[Part]) -> Vec<T> {
    let access = &nest.operands[operand];
    let mut index = fixed.to_vec();
    for (l, r) in parts {
        index[*l] = r.start;
    }
    let total = volume(parts);
    let Some(((lane, range), slow)) = parts.split_last() else {
        return vec![nest.position(operand, &index).map_or(T::default(), |at| x[at])];
    };
    let (lane, extent) = (*lane, nest.extents[*lane]);
    let mut out = Vec::with_capacity(total);
    let divides = divides(access, lane);
    while out.len() < total {
        if divides {
            for i in range.clone() {
                index[lane] = i;
                out.push(nest.position(operand, &index).map_or(T::default(), |at| x[at]));
            }
        } else if let Some(r) = run(access, &index, lane, extent).filter(|r| r.to > range.start && r.from < range.end) {
            let (from, to) = (r.from.max(range.start), r.to.min(range.end));
            out.resize(out.len() + from - range.start, T::default());
            let at = r.base + r.step * from as i64;
            match r.step {
                1 => out.extend_from_slice(&x[at as usize..at as usize + to - from]),
                0 => out.resize(out.len() + to - from, x[at as usize]),
                step => out.extend((0..(to - from) as i64).map(|i| x[(at + i * step) as usize])),
            }
            out.resize(out.len() + range.end - to, T::default());
        } else {
            out.resize(out.len() + range.len(), T::default());
        }
        advance_parts(&mut index, slow);
    }
    out
}

/// Positions in the result of all values of `parts`, other labels at zero.
fn places(nest: &Nest, parts: &[Part]) -> Vec<usize> {
    let strides = super::array::strides(nest.out_shape());
    let mut index = vec![0; nest.extents.len()];
    for (l, r) in parts {
        index[*l] = r.start;
    }
    (0..volume(parts))
        .map(|_| {
            let at = parts.iter().map(|(l, _)| index[*l] * strides[*l]).sum();
            advance_parts(&mut index, parts);
            at
        })
        .collect()
}

/// How labels of a contraction are used.
struct Roles {
    /// Labels of the result in both operands.
    batch: Vec<usize>,
    /// Labels of the result in the row operand only.
    rows: Vec<usize>,
    /// Labels of the result in the lane operand only; the one that runs through memory last.
    lanes: Vec<usize>,
    /// Folded labels.
    terms: Vec<usize>,
    row_operand: usize,
}

/// Distance in memory between neighbours along a label.
fn step_along(access: &Access, l: usize) -> usize {
    let windows = access.windows.iter().map(|w| {
        if w.out == l {
            w.step * w.stride.unsigned_abs() as usize
        } else if w.tap == l {
            w.step * w.dil.unsigned_abs() as usize
        } else {
            0
        }
    });
    access.strides[l] + windows.sum::<usize>()
}

fn roles(nest: &Nest) -> Option<Roles> {
    let mentions = |operand: usize, l: usize| step_along(&nest.operands[operand], l) != 0;
    // Steps of 0 stand for missing axes, but also arise in operands without elements: those are folded plainly.
    let empty = nest.extents.contains(&0) || nest.operands.iter().any(|o| o.shape.contains(&0));
    if nest.operands.len() != 2 || empty || !simple_windows(nest) {
        return None;
    }
    let out = 0..nest.rank;
    let only = |of: usize| {
        let mut labels: Vec<usize> = out.clone().filter(|l| mentions(of, *l) && !mentions(1 - of, *l)).collect();
        labels.sort_by_key(|l| std::cmp::Reverse(step_along(&nest.operands[of], *l)));
        labels
    };
    let batch: Vec<usize> = out.clone().filter(|l| mentions(0, *l) && mentions(1, *l)).collect();
    let own = [only(0), only(1)];
    let terms: Vec<usize> = (nest.rank..nest.extents.len()).collect();
    let size = |labels: &[usize]| product(labels, &nest.extents);
    // Many tiny products are not worth it.
    if size(&own[0]) * size(&own[1]) * size(&terms) < 16 && size(&batch) > 4096 {
        return None;
    }
    // The cost of copying an operand whose innermost label is `inner`, with one of few lanes on top.
    let copying = |operand: usize, inner: Option<&usize>| {
        let elements = (size(&own[operand]) * size(&terms)) as f64;
        let Some(inner) = inner else { return elements };
        let scattered = step_along(&nest.operands[operand], *inner) > 1;
        elements * (if scattered { 3.0 } else { 1.0 } + 10.0 / nest.extents[*inner] as f64)
    };
    let cost = |row_operand: usize| {
        let lanes = &own[1 - row_operand];
        let narrow = size(lanes) < 8 && size(&own[row_operand]) >= 8;
        copying(row_operand, terms.last())
            + copying(1 - row_operand, lanes.last())
            + if narrow { f64::MAX / 2.0 } else { 0.0 }
    };
    let row_operand = usize::from(cost(1) < cost(0));
    let [a, b] = own;
    let (rows, lanes) = if row_operand == 0 { (a, b) } else { (b, a) };
    Some(Roles { batch, rows, lanes, terms, row_operand })
}

/// `labels` in pieces of about [`BLOCK`] elements when each of their values takes `each`: the label of the largest extent is cut.
fn pieces(labels: &[usize], extents: &[usize], each: usize) -> Vec<Vec<Part>> {
    let all = whole(labels, extents);
    let total = volume(&all) * each;
    let Some(cut) = (0..labels.len()).max_by_key(|i| extents[labels[*i]]).filter(|_| total > BLOCK) else {
        return vec![all];
    };
    let extent = extents[labels[cut]];
    let length = (BLOCK * extent / total).max(1);
    (0..extent)
        .step_by(length)
        .map(|from| {
            let mut parts = all.clone();
            parts[cut].1 = from..extent.min(from + length);
            parts
        })
        .collect()
}

/// Runs `multiply(rows [R,K], lanes [K,L], result [R,L], [R,K,L])` for each batch and block.
fn blocks<T: Copy + Default>(
    nest: &Nest,
    roles: &Roles,
    x: [&[T]; 2],
    multiply: impl Fn(&[T], &[T], &mut [T], [usize; 3]),
) -> Vec<T> {
    let extents = &nest.extents;
    let terms = whole(&roles.terms, extents);
    let k = volume(&terms);
    let batch = whole(&roles.batch, extents);
    let (row_operand, lane_operand) = (roles.row_operand, 1 - roles.row_operand);
    let (row_pieces, lane_pieces) = (pieces(&roles.rows, extents, k), pieces(&roles.lanes, extents, k));
    let lane_places: Vec<Vec<usize>> = lane_pieces.iter().map(|p| places(nest, p)).collect();
    let mut out = vec![T::default(); nest.out_len()];
    let mut result = Vec::new();
    let mut index = vec![0; extents.len()];
    for batch_place in places(nest, &batch) {
        for row_piece in &row_pieces {
            let rows = expand(nest, row_operand, x[row_operand], &index, &[row_piece.as_slice(), &terms].concat());
            let row_places = places(nest, row_piece);
            for (lane_piece, lane_places) in lane_pieces.iter().zip(&lane_places) {
                let lanes =
                    expand(nest, lane_operand, x[lane_operand], &index, &[&terms, lane_piece.as_slice()].concat());
                let (r, l) = (row_places.len(), lane_places.len());
                result.resize(r * l, T::default());
                multiply(&rows, &lanes, &mut result[..r * l], [r, k, l]);
                let first = lane_places[0];
                let packed = lane_places.iter().enumerate().all(|(i, p)| *p == first + i);
                for (row, place) in result[..r * l].chunks_exact(l).zip(&row_places) {
                    let base = batch_place + place;
                    if packed {
                        out[base + first..base + first + l].copy_from_slice(row);
                    } else {
                        for (y, lane) in row.iter().zip(lane_places) {
                            out[base + lane] = *y;
                        }
                    }
                }
            }
        }
        advance_parts(&mut index, &batch);
    }
    out
}

/// The product with terms in order: `step(sum, a, b)` from `start`.
fn ordered<T: Copy + Default>(
    rows: &[T],
    lanes: &[T],
    out: &mut [T],
    [_, k, l]: [usize; 3],
    start: T,
    step: impl Fn(T, T, T) -> T,
) {
    let mut panel = vec![T::default(); k * LANES];
    for first in (0..l).step_by(LANES) {
        let width = LANES.min(l - first);
        for (to, from) in panel.chunks_exact_mut(LANES).zip(lanes.chunks_exact(l)) {
            to[..width].copy_from_slice(&from[first..first + width]);
        }
        let panel = panel.as_chunks::<LANES>().0;
        let mut pairs = rows.chunks_exact(2 * k);
        let mut row = 0;
        for pair in pairs.by_ref() {
            let (a, b) = pair.split_at(k);
            let (mut p, mut q) = ([start; LANES], [start; LANES]);
            for ((a, b), lane) in a.iter().zip(b).zip(panel) {
                for i in 0..LANES {
                    p[i] = step(p[i], *a, lane[i]);
                    q[i] = step(q[i], *b, lane[i]);
                }
            }
            out[row * l + first..][..width].copy_from_slice(&p[..width]);
            out[(row + 1) * l + first..][..width].copy_from_slice(&q[..width]);
            row += 2;
        }
        let odd = pairs.remainder();
        if !odd.is_empty() {
            let mut p = [start; LANES];
            for (a, lane) in odd.iter().zip(panel) {
                for i in 0..LANES {
                    p[i] = step(p[i], *a, lane[i]);
                }
            }
            out[row * l + first..][..width].copy_from_slice(&p[..width]);
        }
    }
}

/// A contraction of floats; `acc` is the type each step is rounded to, None for none. None: not for this path.
pub fn contract(nest: &Nest, acc: Option<DType>, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let roles = roles(nest)?;
    // Absent terms become zeros, which is the same only beside finite numbers.
    let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
    let windowed = |i: usize| !nest.operands[i].windows.is_empty();
    if (windowed(0) && !finite(b)) || (windowed(1) && !finite(a)) {
        return None;
    }
    Some(match acc {
        None => blocks(nest, &roles, [a, b], |rows, lanes, out, [r, k, l]| {
            if r < 4 || k < 8 {
                return ordered(rows, lanes, out, [r, k, l], -0.0, |s, x, y| s + x * y);
            }
            let views = (
                ArrayView2::from_shape((r, k), rows).expect("a block of rows"),
                ArrayView2::from_shape((k, l), lanes).expect("lanes of all terms"),
                ArrayViewMut2::from_shape((r, l), out).expect("a block of results"),
            );
            let (rows, lanes, mut out) = views;
            general_mat_mul(1.0, &rows, &lanes, 0.0, &mut out);
        }),
        Some(DType::F32) => {
            let narrow = |x: &[f64]| x.iter().map(|x| *x as f32).collect::<Vec<_>>();
            let exact = |x: &[f64]| x.iter().all(|x| f64::from(*x as f32).to_bits() == x.to_bits() || x.is_nan());
            if !exact(a) || !exact(b) {
                // Operands of a wider type than the accumulator: products are rounded once, from full width.
                return None;
            }
            blocks(nest, &roles, [&narrow(a), &narrow(b)], |rows, lanes, out, sizes| {
                ordered(rows, lanes, out, sizes, -0.0f32, |s, x, y| s + x * y);
            })
            .into_iter()
            .map(f64::from)
            .collect()
        }
        Some(acc) => blocks(nest, &roles, [a, b], |rows, lanes, out, sizes| {
            ordered(rows, lanes, out, sizes, -0.0, |s, x, y| round_to(acc, s + round_to(acc, x * y)));
        }),
    })
}

/// A contraction of integers, wrapping at 64 bits. None: not for this path.
pub fn contract_ints(nest: &Nest, a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let roles = roles(nest)?;
    Some(blocks(nest, &roles, [a, b], |rows, lanes, out, sizes| {
        ordered(rows, lanes, out, sizes, 0i64, |s, x, y| s.wrapping_add(x.wrapping_mul(y)));
    }))
}

/// A sum, prod, max or min of floats, in the reference order. None: not for this path.
pub fn fold(nest: &Nest, monoid: Monoid, acc: Option<DType>, x: &[f64]) -> Option<Vec<f64>> {
    let (start, empty) = match monoid {
        // −0 is the identity of addition; nothing adds up to +0.
        Monoid::Sum => (-0.0, 0.0),
        Monoid::Prod => (1.0, 1.0),
        Monoid::Max => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        Monoid::Min => (f64::INFINITY, f64::INFINITY),
        Monoid::And
        | Monoid::Or
        | Monoid::ArgMaxFirst
        | Monoid::ArgMaxLast
        | Monoid::ArgMinFirst
        | Monoid::ArgMinLast => {
            return None;
        }
    };
    if !simple_windows(nest) || nest.operands[0].windows.iter().any(|w| w.in_dil != 1) {
        return None;
    }
    macro_rules! steps {
        ($f:expr) => {
            fold_lanes(nest, x, start, empty, &|sums, x, at, step| {
                if step == 1 {
                    for (s, x) in sums.iter_mut().zip(&x[at as usize..]) {
                        *s = $f(*s, *x);
                    }
                } else {
                    for (i, s) in sums.iter_mut().enumerate() {
                        *s = $f(*s, x[(at + step * i as i64) as usize]);
                    }
                }
            })
        };
    }
    Some(match (monoid, acc) {
        (Monoid::Max, None) => steps!(maximum),
        (Monoid::Min, None) => steps!(minimum),
        (Monoid::Max, Some(acc)) => steps!(|s, x| round_to(acc, maximum(s, x))),
        (Monoid::Min, Some(acc)) => steps!(|s, x| round_to(acc, minimum(s, x))),
        (Monoid::Prod, None | Some(DType::F64)) => steps!(|s: f64, x: f64| s * x),
        (Monoid::Prod, Some(acc)) => steps!(|s: f64, x: f64| round_to(acc, s * round_to(acc, x))),
        (_, None | Some(DType::F64)) => steps!(|s: f64, x: f64| s + x),
        (_, Some(DType::F32)) => steps!(|s: f64, x: f64| f64::from((s + f64::from(x as f32)) as f32)),
        (_, Some(acc)) => steps!(|s: f64, x: f64| round_to(acc, s + round_to(acc, x))),
    })
}

/// One term for neighbouring results: `(results, operand, position of the first one's term, distance)`.
type Step<'a> = &'a dyn Fn(&mut [f64], &[f64], i64, i64);

fn fold_lanes(nest: &Nest, x: &[f64], start: f64, empty: f64, step: Step<'_>) -> Vec<f64> {
    let (extents, access) = (&nest.extents, &nest.operands[0]);
    let mut out = vec![start; nest.out_len()];
    let mut present = vec![false; nest.out_len()];
    if out.is_empty() {
        return out;
    }
    let folded: Vec<usize> = (nest.rank..extents.len()).collect();
    let terms = nest.folded_len();
    let Some(lane) = nest.rank.checked_sub(1) else {
        let mut index = vec![0; extents.len()];
        for _ in 0..terms {
            if let Some(at) = nest.position(0, &index) {
                step(&mut out, x, at as i64, 1);
                present[0] = true;
            }
            advance(&mut index, &folded, extents);
        }
        return if present[0] { out } else { vec![empty] };
    };
    let slow: Vec<usize> = (0..lane).collect();
    let mut index = vec![0; extents.len()];
    for (sums, seen) in out.chunks_exact_mut(extents[lane]).zip(present.chunks_exact_mut(extents[lane])) {
        for first in (0..extents[lane]).step_by(FOLD_LANES) {
            let end = extents[lane].min(first + FOLD_LANES);
            for _ in 0..terms {
                if let Some(r) = run(access, &index, lane, extents[lane]) {
                    let (from, to) = (r.from.max(first), r.to.min(end));
                    if from < to {
                        step(&mut sums[from..to], x, r.base + r.step * from as i64, r.step);
                        seen[from..to].fill(true);
                    }
                }
                advance(&mut index, &folded, extents);
            }
        }
        advance(&mut index, &slow, extents);
    }
    for (y, present) in out.iter_mut().zip(present) {
        if !present {
            *y = empty;
        }
    }
    out
}
