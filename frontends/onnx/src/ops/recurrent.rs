//! LSTM, GRU and RNN, as calls of the recurrence definition.

use egret_ir::op::Op;
use egret_ir::op::call::{Activation, Call, Cell, Direction, Recurrent, RecurrentOperands};
use egret_ir::{DType, Dim, Literal, ValueId};

use super::{LATEST, Row, onnx};
use crate::lower::{Fail, Lower, Results, opaque};
use crate::node;

pub const ROWS: &[Row] = &[
    onnx("LSTM", 1..7, |l| recurrent(l, Cell::Lstm)),
    onnx("LSTM", 7..14, |l| recurrent(l, Cell::Lstm)),
    onnx("LSTM", 14..LATEST, |l| recurrent(l, Cell::Lstm)),
    onnx("GRU", 1..3, |l| recurrent(l, Cell::Gru)),
    onnx("GRU", 3..7, |l| recurrent(l, Cell::Gru)),
    onnx("GRU", 7..14, |l| recurrent(l, Cell::Gru)),
    onnx("GRU", 14..LATEST, |l| recurrent(l, Cell::Gru)),
    onnx("RNN", 1..7, |l| recurrent(l, Cell::Rnn)),
    onnx("RNN", 7..14, |l| recurrent(l, Cell::Rnn)),
    onnx("RNN", 14..LATEST, |l| recurrent(l, Cell::Rnn)),
];

/// Operands X, W, R, B, sequence_lens, initial_h (, initial_c, P); results Y, Y_h (, Y_c). Layout 1 (batch first) is
/// permuted here.
fn recurrent(l: &mut Lower<'_>, cell: Cell) -> Results {
    let name = l.string("direction", "forward")?;
    let direction = match name.as_str() {
        "forward" => Direction::Forward,
        "reverse" => Direction::Reverse,
        "bidirectional" => Direction::Bidirectional,
        _ => return Err(l.value("direction", &name, "forward, reverse or bidirectional")),
    };
    let batch_first = l.flag("layout", false);
    let (mut x, w, r) = (l.operand(0)?, l.operand(1)?, l.operand(2)?);
    let dtype = l.dtype(x)?;
    if batch_first {
        x = l.permute(x, &[1, 0, 2])?;
    }
    let hidden = match l.int("hidden_size", 0) {
        0 => {
            let shape = l.shape(r)?;
            shape.get(2).and_then(Dim::as_const).ok_or_else(|| opaque("an unknown hidden size"))?
        }
        n => n,
    };
    if !(1..=1 << 31).contains(&hidden) {
        return Err(l.value("hidden_size", &hidden.to_string(), "a positive number"));
    }
    let lstm = cell == Cell::Lstm;
    let present = |i: usize| l.optional(i).is_some();
    let operands = RecurrentOperands {
        bias: present(3),
        lengths: present(4),
        initial_h: present(5),
        initial_c: lstm && present(6),
        peephole: lstm && present(7),
    };
    let mut args = vec![x, w, r];
    for (i, given) in [operands.bias, operands.lengths, operands.initial_h, operands.initial_c, operands.peephole]
        .into_iter()
        .enumerate()
    {
        if given {
            let mut v = l.operand(3 + i)?;
            if batch_first && (i == 2 || i == 3) {
                v = l.permute(v, &[1, 0, 2])?;
            }
            args.push(v);
        }
    }
    let activations = activations(l, cell, direction, dtype)?;
    let clip = node::find(l.node, "clip").map(|a| Literal::from_f64(dtype, f64::from(a.f())));
    let call = Recurrent {
        cell,
        direction,
        hidden,
        activations,
        clip,
        linear_before_reset: cell == Cell::Gru && l.flag("linear_before_reset", false),
        input_forget: lstm && l.flag("input_forget", false),
        operands,
    };
    let tuple = l.emit(Op::Call(Box::new(Call::Recurrent(call))), &args)?;
    let mut out: Vec<ValueId> = Vec::new();
    for i in 0..if lstm { 3 } else { 2 } {
        let mut v = l.proj(tuple, i)?;
        if batch_first {
            v = if i == 0 { l.permute(v, &[2, 0, 1, 3])? } else { l.permute(v, &[1, 0, 2])? };
        }
        out.push(v);
    }
    Ok(out)
}

/// Names and parameters, consumed in order, three, two or one per direction.
fn activations(l: &Lower<'_>, cell: Cell, direction: Direction, dtype: DType) -> Result<Box<[Activation]>, Fail> {
    let count = cell.activations() * direction.count() as usize;
    let given = node::find(l.node, "activations").map(|a| a.strings.clone()).filter(|s| !s.is_empty());
    let names: Vec<String> = if let Some(list) = given {
        list.iter().map(|s| String::from_utf8_lossy(s).to_lowercase()).collect()
    } else {
        let per: &[&str] = match cell {
            Cell::Lstm => &["sigmoid", "tanh", "tanh"],
            Cell::Gru => &["sigmoid", "tanh"],
            Cell::Rnn => &["tanh"],
        };
        (0..count).map(|i| per[i % per.len()].to_owned()).collect()
    };
    if names.len() != count {
        return Err(l.value("activations", &format!("{names:?}"), &format!("{count} names")));
    }
    let mut alphas = node::floats(l.node, "activation_alpha").unwrap_or_default().iter();
    let mut betas = node::floats(l.node, "activation_beta").unwrap_or_default().iter();
    let next = |list: &mut std::slice::Iter<'_, f32>, default: f32| {
        Literal::from_f64(dtype, f64::from(list.next().copied().unwrap_or(default)))
    };
    let one = |name: &String| {
        Ok(match name.as_str() {
            "relu" => Activation::Relu,
            "tanh" => Activation::Tanh,
            "sigmoid" => Activation::Sigmoid,
            "affine" => Activation::Affine(next(&mut alphas, 1.0), next(&mut betas, 0.0)),
            "leakyrelu" => Activation::LeakyRelu(next(&mut alphas, 0.01)),
            "thresholdedrelu" => Activation::ThresholdedRelu(next(&mut alphas, 1.0)),
            "scaledtanh" => Activation::ScaledTanh(next(&mut alphas, 1.0), next(&mut betas, 1.0)),
            "hardsigmoid" => Activation::HardSigmoid(next(&mut alphas, 0.2), next(&mut betas, 0.5)),
            "elu" => Activation::Elu(next(&mut alphas, 1.0)),
            "softsign" => Activation::Softsign,
            "softplus" => Activation::Softplus,
            _ => return Err(l.value("activations", name, "an activation of the standard")),
        })
    };
    names.iter().map(one).collect()
}
