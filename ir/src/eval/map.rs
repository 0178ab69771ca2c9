//! Map: the scalar rows over whole arrays, by the sorts of their operands.

use std::sync::Arc;

use super::array::{Array, Data};
use super::domain::Site;
use super::error::Trap;
use super::ints;
use super::{Cx, Domain};
use crate::dtype::DType;
use crate::op::scalar::Scalar;

fn refuse<D: Domain>(cx: &Cx<'_, D>, row: Scalar) -> Trap {
    Trap::Refused { domain: cx.domain.name(), what: row.to_string() }
}

/// `out[i] = f(x[i], …)`.
pub fn map<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    row: Scalar,
    args: &[&Array<D::Float>],
) -> Result<Array<D::Float>, Trap> {
    let Some(first) = args.first() else { return Err(cx.misfit("map", args)) };
    let legal = row.result(&args.iter().map(|a| a.dtype()).collect::<Vec<_>>());
    let Some(result) = legal.filter(|_| args.iter().all(|a| a.shape() == first.shape())) else {
        return Err(cx.misfit("map", args));
    };
    let shape = first.shape().to_vec();
    let data = match row {
        Scalar::Select => select(args),
        Scalar::Cast(to) => cast(cx, site, to, first)?,
        Scalar::BitCast(to) => bitcast(cx, to, first)?,
        Scalar::IsNan | Scalar::IsInf(_) => Data::Bool(cx.domain.test(row, first.f())?.into()),
        Scalar::Pow => pow(cx, site, first, args[1])?,
        _ => match (first.data(), args.get(1)) {
            (Data::Bool(x), None) => Data::Bool(Arc::new(x.iter().map(|b| !b).collect())),
            (Data::Bool(x), Some(y)) => Data::Bool(ints::boolean(row, x, y.b()).ok_or_else(|| refuse(cx, row))?.into()),
            (Data::Int(x), None) => {
                Data::Int(ints::unary(row, first.dtype(), x).ok_or_else(|| refuse(cx, row))?.into())
            }
            (Data::Int(x), Some(y)) if result == DType::Bool => {
                Data::Bool(ints::compare(row, first.dtype(), x, y.i()).ok_or_else(|| refuse(cx, row))?.into())
            }
            (Data::Int(x), Some(y)) => {
                let z = ints::binary(row, first.dtype(), y.dtype(), x, y.i()).ok_or_else(|| refuse(cx, row))??;
                Data::Int(z.into())
            }
            (Data::Float(x), None) => Data::Float(cx.domain.unary(site, row, first.dtype(), x)?.into()),
            (Data::Float(x), Some(y)) if result == DType::Bool => Data::Bool(cx.domain.compare(row, x, y.f())?.into()),
            (Data::Float(x), Some(y)) => Data::Float(cx.domain.binary(site, row, first.dtype(), x, y.f())?.into()),
        },
    };
    Ok(Array::new(result, shape, data))
}

fn select<F: Copy>(args: &[&Array<F>]) -> Data<F> {
    fn pick<T: Copy>(c: &[bool], x: &[T], y: &[T]) -> Arc<Vec<T>> {
        Arc::new(c.iter().zip(x.iter().zip(y)).map(|(c, (x, y))| if *c { *x } else { *y }).collect())
    }
    let c = args[0].b();
    match args[1].data() {
        Data::Float(x) => Data::Float(pick(c, x, args[2].f())),
        Data::Int(x) => Data::Int(pick(c, x, args[2].i())),
        Data::Bool(x) => Data::Bool(pick(c, x, args[2].b())),
    }
}

fn pow<D: Domain>(
    cx: &Cx<'_, D>,
    site: Site,
    base: &Array<D::Float>,
    exponent: &Array<D::Float>,
) -> Result<Data<D::Float>, Trap> {
    let (bt, et) = (base.dtype(), exponent.dtype());
    let power = |x: &[D::Float], y: &[D::Float], dtype| cx.domain.binary(site, Scalar::Pow, dtype, x, y);
    Ok(match (base.data(), exponent.data()) {
        (Data::Float(x), Data::Float(y)) => Data::Float(power(x, y, bt)?.into()),
        (Data::Float(x), _) => {
            let y = cx.domain.of_int(site, et, DType::F64, exponent.i());
            Data::Float(power(x, &y, bt)?.into())
        }
        (_, Data::Float(y)) => {
            let x = cx.domain.of_int(site, bt, DType::F64, base.i());
            Data::Int(cx.domain.to_int(bt, &power(&x, y, DType::F64)?)?.into())
        }
        _ => {
            let z =
                ints::binary(Scalar::Pow, bt, et, base.i(), exponent.i()).ok_or_else(|| refuse(cx, Scalar::Pow))??;
            Data::Int(z.into())
        }
    })
}

/// Conversion of an array to another element type.
pub fn cast<D: Domain>(cx: &Cx<'_, D>, site: Site, to: DType, x: &Array<D::Float>) -> Result<Data<D::Float>, Trap> {
    let from = x.dtype();
    if from == to {
        return Ok(x.data().clone());
    }
    Ok(match x.data() {
        Data::Float(v) if to.is_float() => Data::Float(cx.domain.cast(site, from, to, v)?.into()),
        Data::Float(v) if to == DType::Bool => Data::Bool(cx.domain.to_bool(v)?.into()),
        Data::Float(v) => Data::Int(cx.domain.to_int(to, v)?.into()),
        Data::Int(v) if to.is_float() => Data::Float(cx.domain.of_int(site, from, to, v).into()),
        Data::Int(v) if to == DType::Bool => Data::Bool(Arc::new(v.iter().map(|x| *x != 0).collect())),
        Data::Int(v) => Data::Int(Arc::new(v.iter().map(|x| ints::wrap(to, *x)).collect())),
        Data::Bool(v) => {
            let ones: Vec<i64> = v.iter().map(|b| i64::from(*b)).collect();
            if to.is_float() {
                Data::Float(cx.domain.of_int(site, from, to, &ones).into())
            } else {
                Data::Int(ones.into())
            }
        }
    })
}

fn bitcast<D: Domain>(cx: &Cx<'_, D>, to: DType, x: &Array<D::Float>) -> Result<Data<D::Float>, Trap> {
    let mask = u64::MAX >> (64 - 8 * to.size() as u32);
    let bits: Vec<u64> = match x.data() {
        Data::Float(v) => cx.domain.to_bits(x.dtype(), v)?,
        Data::Int(v) => v.iter().map(|x| *x as u64 & mask).collect(),
        Data::Bool(v) => v.iter().map(|b| u64::from(*b)).collect(),
    };
    Ok(if to.is_float() {
        Data::Float(cx.domain.of_bits(to, &bits)?.into())
    } else if to == DType::Bool {
        Data::Bool(Arc::new(bits.iter().map(|b| *b != 0).collect()))
    } else {
        Data::Int(Arc::new(bits.iter().map(|b| ints::wrap(to, *b as i64)).collect()))
    })
}
