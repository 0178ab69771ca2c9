//! The types of named definitions.

use super::TypeError;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::op::call::{Call, Cell, Nms, Recurrent};
use crate::types::{TensorType, Type};

/// The type of a named definition applied to operands of the given types.
pub(super) fn call(c: &Call, args: &[&Type], kind: &'static str) -> Result<Type, TypeError> {
    let arity = |n: usize| {
        if args.len() == n { Ok(()) } else { Err(TypeError::Arity { kind: c.name(), expected: n, got: args.len() }) }
    };
    let parts = args
        .iter()
        .enumerate()
        .map(|(i, a)| a.as_tensor().ok_or_else(|| TypeError::NotTensor { kind, operand: i, got: (*a).clone() }))
        .collect::<Result<Vec<_>, _>>()?;
    let float = |x: &TensorType| {
        if x.dtype.is_float() { Ok(()) } else { Err(TypeError::DTypes { what: c.name().into(), got: vec![x.dtype] }) }
    };
    match c {
        Call::Softmax { axis } | Call::LogSoftmax { axis } => {
            arity(1)?;
            float(parts[0])?;
            if usize::from(*axis) >= parts[0].rank() {
                return Err(TypeError::Axis { kind: c.name(), axis: usize::from(*axis) });
            }
            Ok(args[0].clone())
        }
        Call::LayerNorm { axes, stash, .. } | Call::RmsNorm { axes, stash, .. } => {
            arity(if matches!(c, Call::LayerNorm { .. }) { 3 } else { 2 })?;
            float(parts[0])?;
            let (x, n) = (parts[0], usize::from(*axes));
            if n == 0 || n > x.rank() || !stash.is_float() {
                return Err(TypeError::Axis { kind: c.name(), axis: n });
            }
            for p in &parts[1..] {
                if p.shape[..] != x.shape[x.rank() - n..] || p.dtype != x.dtype {
                    return Err(TypeError::Shapes {
                        kind: c.name(),
                        a: args[0].clone(),
                        b: Type::Tensor((*p).clone()),
                    });
                }
            }
            Ok(args[0].clone())
        }
        Call::Gelu(_) => {
            arity(1)?;
            float(parts[0])?;
            Ok(args[0].clone())
        }
        Call::Recurrent(r) => recurrent(r, &parts, c.name()),
        Call::Resize(r) => {
            arity(1)?;
            if r.sizes.len() != parts[0].rank() {
                return Err(TypeError::Rank {
                    kind: c.name(),
                    operand: 0,
                    expected: r.sizes.len(),
                    got: args[0].clone(),
                });
            }
            Ok(Type::tensor(parts[0].dtype, r.sizes.to_vec()))
        }
        Call::Det => {
            arity(1)?;
            float(parts[0])?;
            let shape = &parts[0].shape;
            match shape.as_slice() {
                [lead @ .., rows, columns] if rows == columns => Ok(Type::tensor(parts[0].dtype, lead.to_vec())),
                _ => Err(TypeError::Shapes { kind: c.name(), a: args[0].clone(), b: args[0].clone() }),
            }
        }
        Call::NonMaxSuppression(n) => {
            arity(5)?;
            nms(n, &parts, c.name())
        }
    }
}

fn nms(n: &Nms, parts: &[&TensorType], kind: &'static str) -> Result<Type, TypeError> {
    let (boxes, scores) = (parts[0], parts[1]);
    let wanted = [DType::F32, DType::F32, DType::I64, DType::F32, DType::F32];
    if parts.iter().zip(wanted).any(|(p, d)| p.dtype != d) {
        return Err(TypeError::DTypes { what: kind.into(), got: parts.iter().map(|p| p.dtype).collect() });
    }
    let ([batch, count, four], [same_batch, classes, same_count]) = (boxes.shape.as_slice(), scores.shape.as_slice())
    else {
        return Err(TypeError::Rank { kind, operand: 0, expected: 3, got: Type::Tensor(boxes.clone()) });
    };
    if batch != same_batch || count != same_count || *four != 4 {
        return Err(TypeError::Shapes { kind, a: Type::Tensor(boxes.clone()), b: Type::Tensor(scores.clone()) });
    }
    if let Some(i) = (2..5).find(|i| parts[*i].rank() != 0) {
        return Err(TypeError::Rank { kind, operand: i, expected: 0, got: Type::Tensor(parts[i].clone()) });
    }
    let rows = batch.clone() * classes.clone() * n.keep.clone();
    let results = [Type::tensor(DType::I64, [rows, Dim::from(3i64)]), Type::tensor(DType::I64, [])];
    Ok(Type::Tuple(results.into()))
}

fn recurrent(r: &Recurrent, parts: &[&TensorType], name: &'static str) -> Result<Type, TypeError> {
    let o = r.operands;
    let given = [o.bias, o.lengths, o.initial_h, o.initial_c, o.peephole].iter().filter(|g| **g).count();
    if parts.len() != 3 + given {
        return Err(TypeError::Arity { kind: name, expected: 3 + given, got: parts.len() });
    }
    let x = parts[0];
    if x.rank() != 3 {
        return Err(TypeError::Rank { kind: name, operand: 0, expected: 3, got: Type::Tensor(x.clone()) });
    }
    if !x.dtype.is_float() {
        return Err(TypeError::DTypes { what: name.into(), got: vec![x.dtype] });
    }
    let (dirs, hidden) = (Dim::from(r.direction.count()), Dim::from(r.hidden));
    let gates = Dim::from(r.cell.gates()) * hidden.clone();
    let (time, batch, width) = (x.shape[0].clone(), x.shape[1].clone(), x.shape[2].clone());
    let mut wanted: Vec<Option<Shape>> = vec![
        None,
        Some(vec![dirs.clone(), gates.clone(), width]),
        Some(vec![dirs.clone(), gates.clone(), hidden.clone()]),
    ];
    let state = vec![dirs.clone(), batch.clone(), hidden.clone()];
    if o.bias {
        wanted.push(Some(vec![dirs.clone(), Dim::from(2i64) * gates]));
    }
    if o.lengths {
        wanted.push(Some(vec![batch.clone()]));
    }
    if o.initial_h {
        wanted.push(Some(state.clone()));
    }
    if o.initial_c {
        wanted.push(Some(state.clone()));
    }
    if o.peephole {
        wanted.push(Some(vec![dirs.clone(), Dim::from(3i64) * hidden.clone()]));
    }
    for (i, (p, w)) in parts.iter().zip(&wanted).enumerate() {
        let Some(w) = w else { continue };
        if p.shape != *w {
            let got = Type::Tensor((*p).clone());
            return Err(TypeError::Shapes { kind: name, a: Type::tensor(parts[i].dtype, w.clone()), b: got });
        }
    }
    let y = Type::tensor(x.dtype, vec![time, dirs, batch, hidden]);
    let state = Type::tensor(x.dtype, state);
    let results = match r.cell {
        Cell::Lstm => vec![y, state.clone(), state],
        Cell::Gru | Cell::Rnn => vec![y, state],
    };
    Ok(Type::Tuple(results.into()))
}
