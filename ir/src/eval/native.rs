//! Reference functions of definitions that have neither a body of other kinds nor a file of their own: determinants and
//! non-maximum suppression.

use super::array::Array;
use super::domain::{Site, sub_site};
use super::error::Trap;
use super::{Cx, Domain, Value, map};
use crate::dtype::DType;
use crate::op::call::Nms;
use crate::op::scalar::Scalar;

/// Elimination with partial pivoting, in the domain's arithmetic of f32 (f64 for f64).
pub fn det<D: Domain>(cx: &Cx<'_, D>, site: Site, x: &Array<D::Float>) -> Result<Array<D::Float>, Trap> {
    let (lead, n) = match x.shape() {
        [lead @ .., rows, columns] if rows == columns => (lead, *rows),
        _ => return Err(cx.misfit("det", &[x])),
    };
    let work = if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
    let wide = Array::new(work, x.shape().to_vec(), map::cast(cx, site, work, x)?);
    let elements = wide.floats().ok_or_else(|| cx.misfit("det", &[x]))?;
    let mut results = Vec::new();
    let mut step = 0;
    // The domain rounds (or does not) at a place of its own per operation.
    let mut apply = |row: Scalar, a: D::Float, b: D::Float| -> Result<D::Float, Trap> {
        step += 1;
        Ok(cx.domain.binary(sub_site(site, step), row, work, &[a], &[b])?[0])
    };
    let count: usize = lead.iter().product();
    for matrix in 0..count {
        let mut a: Vec<D::Float> = elements[matrix * n * n..(matrix + 1) * n * n].to_vec();
        let mut product = cx.domain.lift(work, 1.0);
        for k in 0..n {
            let mut best = k;
            for row in k + 1..n {
                let (x, y) = (cx.domain.magnitude(a[best * n + k]), cx.domain.magnitude(a[row * n + k]));
                if cx.domain.order(x, y)?.is_lt() {
                    best = row;
                }
            }
            if best != k {
                for column in 0..n {
                    a.swap(k * n + column, best * n + column);
                }
                product = apply(Scalar::Mul, product, cx.domain.lift(work, -1.0))?;
            }
            let pivot = a[k * n + k];
            product = apply(Scalar::Mul, product, pivot)?;
            if cx.domain.compare(Scalar::Eq, &[pivot], &[cx.domain.lift(work, 0.0)])?[0] {
                break;
            }
            for row in k + 1..n {
                let factor = apply(Scalar::Div, a[row * n + k], pivot)?;
                for column in k + 1..n {
                    let part = apply(Scalar::Mul, factor, a[k * n + column])?;
                    a[row * n + column] = apply(Scalar::Sub, a[row * n + column], part)?;
                }
            }
        }
        results.push(product);
    }
    let y = Array::float(work, lead, results);
    Ok(Array::new(x.dtype(), lead.to_vec(), map::cast(cx, site, x.dtype(), &y)?))
}

/// A box as (low y, low x, high y, high x).
fn corners<D: Domain>(cx: &Cx<'_, D>, site: Site, center_point: bool, b: &[D::Float]) -> Result<[D::Float; 4], Trap> {
    let f32_op = |row: Scalar, a: D::Float, b: D::Float| -> Result<D::Float, Trap> {
        Ok(cx.domain.binary(site, row, DType::F32, &[a], &[b])?[0])
    };
    if center_point {
        let half = |x: D::Float| f32_op(Scalar::Mul, x, cx.domain.lift(DType::F32, 0.5));
        let (w, h) = (half(b[2])?, half(b[3])?);
        let sides = [(b[1], h), (b[0], w)];
        let [top, left] = sides.map(|(c, r)| f32_op(Scalar::Sub, c, r));
        let [bottom, right] = sides.map(|(c, r)| f32_op(Scalar::Add, c, r));
        return Ok([top?, left?, bottom?, right?]);
    }
    let ends = |x: D::Float, y: D::Float| -> Result<(D::Float, D::Float), Trap> {
        Ok(if cx.domain.order(x, y)?.is_gt() { (y, x) } else { (x, y) })
    };
    let ((top, bottom), (left, right)) = (ends(b[0], b[2])?, ends(b[1], b[3])?);
    Ok([top, left, bottom, right])
}

/// Whether the boxes overlap by more than a share of their union.
fn overlap<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    a: &[D::Float; 4],
    b: &[D::Float; 4],
    most: D::Float,
) -> Result<bool, Trap> {
    let op = |row: Scalar, a: D::Float, b: D::Float| -> Result<D::Float, Trap> {
        Ok(cx.domain.binary(site, row, DType::F32, &[a], &[b])?[0])
    };
    let above = |a: D::Float, b: D::Float| -> Result<bool, Trap> { Ok(cx.domain.compare(Scalar::Lt, &[b], &[a])?[0]) };
    let area = |x: &[D::Float; 4]| op(Scalar::Mul, op(Scalar::Sub, x[2], x[0])?, op(Scalar::Sub, x[3], x[1])?);
    let zero = cx.domain.lift(DType::F32, 0.0);
    let pick = |row: Scalar, i: usize| op(row, a[i], b[i]);
    let height = op(Scalar::Sub, pick(Scalar::Min, 2)?, pick(Scalar::Max, 0)?)?;
    let width = op(Scalar::Sub, pick(Scalar::Min, 3)?, pick(Scalar::Max, 1)?)?;
    let (area_a, area_b) = (area(a)?, area(b)?);
    for x in [height, width, area_a, area_b] {
        if !above(x, zero)? {
            return Ok(false);
        }
    }
    let shared = op(Scalar::Mul, height, width)?;
    let union = op(Scalar::Sub, op(Scalar::Add, area_a, area_b)?, shared)?;
    above(op(Scalar::Div, shared, union)?, most)
}

/// Per batch element and class: boxes by descending score (of equal scores the first), each taken unless it overlaps with
/// one taken before.
pub fn nms<D: Domain>(cx: &Cx<'_, D>, n: &Nms, args: &[&Array<D::Float>]) -> Result<Value<D::Float>, Trap> {
    let misfit = || cx.misfit("nms", args);
    let [boxes, scores, most, overlap_limit, score_limit] = args else { return Err(misfit()) };
    let ([batch, count, 4], [batches, classes, each]) = (boxes.shape(), scores.shape()) else { return Err(misfit()) };
    if batch != batches || count != each {
        return Err(misfit());
    }
    let (b, s) = (boxes.floats().ok_or_else(misfit)?, scores.floats().ok_or_else(misfit)?);
    let one = |a: &Array<D::Float>| a.floats().and_then(|f| f.first().copied()).ok_or_else(misfit);
    let (share, threshold) = (one(overlap_limit)?, one(score_limit)?);
    let keep = cx.size(&n.keep)?;
    let most = most.ints().and_then(|m| m.first().copied()).ok_or_else(misfit)?;
    let most = usize::try_from(most).unwrap_or(0).min(keep);
    let rows = super::array::count(&[*batch, *classes, keep, 3])?;
    let mut out = Vec::new();
    for i in 0..*batch {
        let corners = (0..*count)
            .map(|k| corners(cx, 0, n.center_point, &b[(i * count + k) * 4..][..4]))
            .collect::<Result<Vec<_>, _>>()?;
        for class in 0..*classes {
            let scores = &s[(i * classes + class) * count..][..*count];
            let limits = vec![threshold; *count];
            let above = cx.domain.compare(Scalar::Lt, &limits, scores)?;
            let mut order: Vec<usize> = (0..*count).filter(|k| above[*k]).collect();
            let mut trap = None;
            order.sort_by(|x, y| {
                cx.domain.order(scores[*y], scores[*x]).unwrap_or_else(|e| {
                    trap = Some(e);
                    std::cmp::Ordering::Equal
                })
            });
            if let Some(e) = trap {
                return Err(e);
            }
            let mut taken: Vec<usize> = Vec::new();
            for k in order {
                if taken.len() >= most {
                    break;
                }
                let mut free = true;
                for t in &taken {
                    free = free && !overlap(cx, 0, &corners[k], &corners[*t], share)?;
                }
                if free {
                    taken.push(k);
                    out.extend([i as i64, class as i64, k as i64]);
                }
            }
        }
    }
    let found = (out.len() / 3) as i64;
    out.resize(rows, 0);
    let parts = [Array::int(DType::I64, [rows / 3, 3], out), Array::int(DType::I64, [], vec![found])];
    Ok(Value::Tuple(parts.into_iter().map(Value::Tensor).collect()))
}
