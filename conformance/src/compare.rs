//! Results beside what a test expects.

use egret_ir::op::scalar::Scalar;
use egret_ir::op::{Op, ScatterOp};
use egret_ir::{DType, Graph, Tensor, ValueId};

use crate::suite::{Named, Tolerance};

/// Two units in the last place of bf16: what the suite's own runner allows there at least.
const BF16: f64 = 1.0 / 64.0;

/// Compares all outputs; the error says the first difference. `exact` are the outputs whose floats must be equal.
pub fn outputs(expected: &Named, got: &Named, tolerance: Tolerance, exact: &[String]) -> Result<(), String> {
    for (name, want) in expected {
        let Some((_, have)) = got.iter().find(|(n, _)| n == name) else {
            return Err(format!("there is no output {name}"));
        };
        let tolerance = if exact.contains(name) { Tolerance { rtol: 0.0, atol: 0.0 } } else { tolerance };
        tensor(want, have, tolerance).map_err(|difference| format!("output {name}{difference}"))?;
    }
    Ok(())
}

fn tensor(want: &Tensor, have: &Tensor, t: Tolerance) -> Result<(), String> {
    if have.dtype() != want.dtype() || have.shape() != want.shape() {
        let ty = |t: &Tensor| format!("{}{:?}", t.dtype(), t.shape());
        return Err(format!(" is {}, expected {}", ty(have), ty(want)));
    }
    let rtol = if want.dtype() == DType::BF16 && t.rtol > 0.0 { t.rtol.max(BF16) } else { t.rtol };
    let equal = |i: usize| {
        let (w, h) = (want.get(i), have.get(i));
        if !want.dtype().is_float() {
            return w == h;
        }
        let (w, h) = (w.to_f64(), h.to_f64());
        w == h || (w.is_nan() && h.is_nan()) || (w.is_finite() && (w - h).abs() <= t.atol + rtol * w.abs())
    };
    let wrong: Vec<usize> = (0..want.len()).filter(|i| !equal(*i)).collect();
    let Some(first) = wrong.first() else { return Ok(()) };
    let place = format!("[{first}] is {}, expected {}", have.get(*first), want.get(*first));
    Err(format!("{place}; {} of {} elements differ", wrong.len(), want.len()))
}

/// The outputs that only move floats about: on the way from the inputs to them there is no arithmetic.
pub fn moved(graph: &Graph) -> Vec<String> {
    let mut moves: Vec<bool> = Vec::new();
    let float = |v: ValueId| graph.ty(v).as_tensor().is_some_and(|t| t.dtype.is_float());
    for v in graph.values() {
        let node = graph.node(v);
        let picks =
            matches!(node.op, Op::Input(_) | Op::Const(_) | Op::Map(Scalar::Select) | Op::Scatter(ScatterOp::Set, _));
        let kept = picks || node.op.is_movement();
        moves.push(kept && node.args.iter().all(|a| !float(*a) || moves[a.index()]));
    }
    let outputs = graph.outputs.iter().filter(|o| float(o.value) && moves[o.value.index()]);
    outputs.map(|o| o.name.to_string()).collect()
}
