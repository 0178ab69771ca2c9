//! Products and convolutions with scale, transposition, activation or packed weights folded in.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::{GatherSpec, Ix, Label, Negative, Spec};
use egret_ir::{DType, Dim, Literal, Shape, ValueId};

use super::super::Row;
use super::super::activation::{by_sign, hard_sigmoid};
use super::super::contract::{gemm, matmul_values};
use super::super::conv::conv;
use super::microsoft;
use crate::lower::{Fail, Lower, Results, accumulator, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    microsoft("FusedMatMul", fused_matmul),
    microsoft("TransposeMatMul", fused_matmul),
    microsoft("FusedGemm", fused_gemm),
    microsoft("FusedConv", fused_conv),
    microsoft("MatMulNBits", matmul_n_bits),
    microsoft("GatherBlockQuantized", gather_blocks),
];

/// An operand of FusedMatMul as a matrix per batch: with `batch`, its first axis goes behind the batch axes; with
/// `swap`, the last two change places.
fn matrices(l: &mut Lower<'_>, v: ValueId, batch: bool, swap: bool) -> Result<ValueId, Fail> {
    let rank = l.rank(v)?;
    if rank < 2 {
        return Ok(v);
    }
    let mut axes: Vec<usize> = (0..rank).collect();
    if batch {
        axes[..rank - 1].rotate_left(1);
    }
    if swap {
        axes.swap(rank - 2, rank - 1);
    }
    l.permute(v, &axes)
}

fn fused_matmul(l: &mut Lower<'_>) -> Results {
    let (a, b) = (l.operand(0)?, l.operand(1)?);
    let a = matrices(l, a, l.flag("transBatchA", false), l.flag("transA", false))?;
    let b = matrices(l, b, l.flag("transBatchB", false), l.flag("transB", false))?;
    let dtype = l.dtype(a)?;
    let y = matmul_values(l, a, b, accumulator(dtype), dtype)?;
    let alpha = l.float("alpha", 1.0);
    Ok(vec![if alpha == 1.0 { y } else { l.with_left(Scalar::Mul, f64::from(alpha), y)? }])
}

/// An activation named by attribute, its parameters α and β where given.
fn activated(l: &mut Lower<'_>, x: ValueId, alpha: Option<f32>, beta: Option<f32>) -> Result<ValueId, Fail> {
    let name = l.string("activation", "")?;
    let number = |given: Option<f32>, default: f32| f64::from(given.unwrap_or(default));
    match name.as_str() {
        "" => Ok(x),
        "Relu" => l.with(Scalar::Max, x, 0.0),
        "Tanh" => l.map(Scalar::Tanh, &[x]),
        "Sigmoid" => l.map(Scalar::Sigmoid, &[x]),
        "LeakyRelu" => {
            let scaled = l.with_left(Scalar::Mul, number(alpha, 0.01), x)?;
            by_sign(l, x, scaled, x)
        }
        "Clip" => {
            let x = l.with(Scalar::Max, x, number(alpha, f32::MIN))?;
            l.with(Scalar::Min, x, number(beta, f32::MAX))
        }
        "HardSigmoid" => hard_sigmoid(l, x, number(alpha, 0.2), number(beta, 0.5)),
        _ => Err(opaque(format!("activation {name}"))),
    }
}

fn fused_gemm(l: &mut Lower<'_>) -> Results {
    let y = gemm(l)?[0];
    let given = |name: &str| node::find(l.node, name).map(crate::proto::AttributeProto::f);
    let (alpha, beta) = (given("activation_alpha"), given("activation_beta"));
    Ok(vec![activated(l, y, alpha, beta)?])
}

/// activation(conv(X, W) + B + Z).
fn fused_conv(l: &mut Lower<'_>) -> Results {
    let mut y = conv(l)?[0];
    if let Some(z) = l.optional(3) {
        y = l.map(Scalar::Add, &[y, z])?;
    }
    let params = node::floats(l.node, "activation_params").unwrap_or_default();
    let (alpha, beta) = (params.first().copied(), params.get(1).copied());
    Ok(vec![activated(l, y, alpha, beta)?])
}

/// Numbers of `bits` bits packed into bytes, the lowest bits first: `[…, n]` u8 to `[…, n·8/bits]`.
fn unpacked(l: &mut Lower<'_>, v: ValueId, bits: i64) -> Result<ValueId, Fail> {
    let per_byte = 8 / bits;
    if per_byte == 1 {
        return Ok(v);
    }
    let shape = l.shape(v)?;
    let mut part: Shape = shape.clone();
    part.push(Dim::ONE);
    let mut parts = Vec::new();
    for i in 0..per_byte {
        let shifted = if i == 0 { v } else { l.with(Scalar::Shr, v, (bits * i) as f64)? };
        let low = l.with(Scalar::And, shifted, ((1 << bits) - 1) as f64)?;
        parts.push(l.reshape(low, &part)?);
    }
    let joined = l.concat(shape.len(), &parts)?;
    let mut whole = shape;
    if let Some(last) = whole.last_mut() {
        *last = last.clone() * Dim::from(per_byte);
    }
    l.reshape(joined, &whole)
}

/// A · Wᵀ + bias: W `[N, K]` is stored by blocks of K, `bits` bits a number, each block with a scale and a zero point.
fn matmul_n_bits(l: &mut Lower<'_>) -> Results {
    let (a, packed, scales) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let (n, k, block, bits) = (l.int("N", 0), l.int("K", 0), l.int("block_size", 0), l.int("bits", 4));
    let sensible = (1..=1 << 31).contains(&n) && (1..=1 << 31).contains(&k) && (1..=1 << 31).contains(&block);
    if !sensible || ![2, 4, 8].contains(&bits) || block * bits % 8 != 0 {
        return Err(opaque(format!("{n}·{k} weights of {bits} bits in blocks of {block}")));
    }
    if l.int("weight_prepacked", 0) != 0 || l.optional(4).is_some() {
        return Err(opaque("prepacked or reordered weights"));
    }
    let dtype = l.dtype(a)?;
    let blocks = (k + block - 1) / block;
    let dim = Dim::from;
    let (row, cells) = ([dim(n), dim(blocks)], [dim(n), dim(blocks), dim(block)]);
    let stored = [dim(n), dim(blocks), dim(block * bits / 8)];
    if l.dtype(packed)? != DType::U8 || l.shape(packed)? != stored {
        let got = l.shape(packed)?;
        return Err(l.misfit("B", &got, &stored));
    }
    let w = unpacked(l, packed, bits)?;
    let w = l.cast(w, dtype)?;
    let zero = match l.optional(3) {
        None => l.splat(Literal::from_i64(dtype, 1 << (bits - 1)), &cells)?,
        Some(z) => {
            let z = if l.dtype(z)? == DType::U8 {
                let bytes = (blocks * bits + 7) / 8;
                let z = l.reshape(z, &[dim(n), dim(bytes)])?;
                let z = unpacked(l, z, bits)?;
                l.slice_axis(z, 1, Dim::ZERO, dim(blocks))?
            } else {
                l.reshape(z, &row)?
            };
            let z = l.cast(z, dtype)?;
            l.spread(z, &[0, 1], &cells)?
        }
    };
    let w = l.map(Scalar::Sub, &[w, zero])?;
    let scales = l.reshape(scales, &row)?;
    let scales = l.spread(scales, &[0, 1], &cells)?;
    let w = l.map(Scalar::Mul, &[w, scales])?;
    let w = l.reshape(w, &[dim(n), dim(blocks * block)])?;
    let w = l.slice_axis(w, 1, Dim::ZERO, dim(k))?;
    let mut y = by_rows(l, a, w)?;
    if let Some(bias) = l.optional(5) {
        y = l.wide(Scalar::Add, &[y, bias])?;
    }
    Ok(vec![y])
}

/// `[…, k]` and `[n, k]` to `[…, n]`.
fn by_rows(l: &mut Lower<'_>, a: ValueId, w: ValueId) -> Result<ValueId, Fail> {
    let (rank, dtype) = (l.rank(a)?, l.dtype(a)?);
    let Some(outer) = rank.checked_sub(1).filter(|r| *r < 50) else { return Err(opaque("a scalar operand")) };
    let label = |i: usize| Label(i as u8);
    let (k, n) = (label(outer), label(outer + 1));
    let left: Vec<Ix> = (0..=outer).map(|i| Ix::Label(label(i))).collect();
    let out: Vec<Label> = (0..outer).map(label).chain([n]).collect();
    let spec = Spec::new(&[left, vec![Ix::Label(n), Ix::Label(k)]], &out, &[]).map_err(|e| opaque(e.to_string()))?;
    l.contract(spec, a, w, accumulator(dtype), dtype)
}

/// Rows of a table `[V, C]` whose columns are stored by blocks, `bits` bits a number, each block with a scale and a zero
/// point. An index outside the table gives zeros.
fn gather_blocks(l: &mut Lower<'_>) -> Results {
    let (data, ids, scales) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let (block, bits) = (l.int("block_size", 128), l.int("bits", 4));
    let (t, rows) = (l.tensor(data)?, l.shape(scales)?);
    let [count, bytes] = t.shape.as_slice() else { return Err(opaque("a table that is no matrix")) };
    let last = l.axis("quantize_axis", l.int("quantize_axis", 1), 2)? == 1;
    let first = l.axis("gather_axis", l.int("gather_axis", 0), 2)? == 0;
    if t.dtype != DType::U8 || !last || !first || ![2, 4, 8].contains(&bits) || !(1..=1 << 31).contains(&block) {
        return Err(opaque(format!("{} of {bits} bits in blocks of {block}, or other axes", t.dtype)));
    }
    let Some(columns) = bytes.as_const().map(|n| n * (8 / bits)) else { return Err(opaque("an unknown width")) };
    let (blocks, dim) = ((columns + block - 1) / block, Dim::from);
    if rows != [count.clone(), dim(blocks)] {
        return Err(l.misfit("scales", &rows, &[count.clone(), dim(blocks)]));
    }
    let table = unpacked(l, data, bits)?;
    let dtype = l.dtype(scales)?;
    // The rows asked for, of the numbers, scales and zero points alike; outside the table the first one, put to 0 below.
    let at = l.tensor(ids)?;
    let number = |l: &mut Lower<'_>, d: &Dim| {
        let v = l.dim(d, at.dtype)?;
        l.broadcast(v, &at.shape)
    };
    let (zero, size) = (number(l, &Dim::ZERO)?, number(l, count)?);
    let below = l.map(Scalar::Lt, &[ids, zero])?;
    let wrapped = l.map(Scalar::Add, &[ids, size])?;
    let ids = l.map(Scalar::Select, &[below, wrapped, ids])?;
    let (not_below, above) = (l.map(Scalar::Le, &[zero, ids])?, l.map(Scalar::Lt, &[ids, size])?);
    let inside = l.map(Scalar::And, &[not_below, above])?;
    let ids = l.map(Scalar::Select, &[inside, ids, zero])?;
    let spec = GatherSpec::along(2, 0, at.rank(), Negative::Never).map_err(|e| opaque(e.to_string()))?;
    let numbers = l.gather(spec.clone(), table, ids)?;
    let numbers = l.cast(numbers, dtype)?;
    let mut wide = at.shape.clone();
    wide.extend([dim(blocks), dim(block)]);
    let mut whole = at.shape.clone();
    whole.push(dim(blocks * block));
    // A value per block, repeated over its columns.
    let repeated = |l: &mut Lower<'_>, v: ValueId| {
        let v = l.gather(spec.clone(), v, ids)?;
        let v = l.cast(v, dtype)?;
        let v = l.insert(v, vec![(wide.len() - 1, dim(block))])?;
        let v = l.reshape(v, &whole)?;
        l.slice_axis(v, whole.len() - 1, Dim::ZERO, dim(columns))
    };
    let zero = match l.optional(3) {
        Some(z) => {
            let z = unpacked(l, z, bits)?;
            let z = l.slice_axis(z, 1, Dim::ZERO, dim(blocks))?;
            repeated(l, z)?
        }
        None => {
            let shape = l.shape(numbers)?;
            l.splat(Literal::from_i64(dtype, 1 << (bits - 1)), &shape)?
        }
    };
    let scales = repeated(l, scales)?;
    let y = l.map(Scalar::Sub, &[numbers, zero])?;
    let y = l.map(Scalar::Mul, &[y, scales])?;
    let shape = l.shape(y)?;
    let axes: Vec<usize> = (0..at.rank()).collect();
    let inside = l.spread(inside, &axes, &shape)?;
    let nothing = l.splat(Literal::from_i64(dtype, 0), &shape)?;
    Ok(vec![l.map(Scalar::Select, &[inside, y, nothing])?])
}
