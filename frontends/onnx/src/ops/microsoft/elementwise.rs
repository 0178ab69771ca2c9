//! Activations with a bias folded in.

use egret_ir::op::scalar::Scalar;

use super::super::Row;
use super::super::activation::{gelu_erf, gelu_tanh, swish};
use super::microsoft;
use crate::lower::{Lower, Results};

pub const ROWS: &[Row] = &[
    microsoft("Gelu", |l| {
        let x = l.operand(0)?;
        Ok(vec![gelu_erf(l, x)?])
    }),
    microsoft("BiasGelu", |l| {
        let args = [l.operand(0)?, l.operand(1)?];
        let x = l.wide(Scalar::Add, &args)?;
        Ok(vec![gelu_erf(l, x)?])
    }),
    microsoft("FastGelu", fast_gelu),
    microsoft("QuickGelu", |l| {
        let x = l.operand(0)?;
        let alpha = l.float("alpha", 1.702);
        Ok(vec![swish(l, x, alpha)?])
    }),
    microsoft("BiasAdd", bias_add),
];

/// The tanh form of x + bias.
fn fast_gelu(l: &mut Lower<'_>) -> Results {
    let mut x = l.operand(0)?;
    if let Some(bias) = l.optional(1) {
        x = l.wide(Scalar::Add, &[x, bias])?;
    }
    Ok(vec![gelu_tanh(l, x)?])
}

/// x + bias + skip.
fn bias_add(l: &mut Lower<'_>) -> Results {
    let (x, bias, skip) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let y = l.wide(Scalar::Add, &[x, bias])?;
    Ok(vec![l.wide(Scalar::Add, &[y, skip])?])
}
