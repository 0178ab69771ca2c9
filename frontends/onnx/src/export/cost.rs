//! What an ONNX node costs: its operator, arithmetic and traffic as facts, and a price for them.

use egret_ir::Type;

/// Facts about a node that a cost function turns into a number. Symbolic extents count as [`NodeCost::SYMBOLIC`].
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCost<'a> {
    /// Operator.
    pub op: &'a str,
    /// Arithmetic operations.
    pub flops: u64,
    /// Bytes read and written.
    pub bytes: u64,
}

impl<'a> NodeCost<'a> {
    /// What an unknown extent counts as.
    pub const SYMBOLIC: u64 = 64;

    /// The facts of a node, from its operator and the types of operands and results.
    pub fn new(op: &'a str, inputs: &[Option<&Type>], outputs: &[&Type]) -> Self {
        let all = inputs.iter().copied().flatten().chain(outputs.iter().copied());
        let bytes = all.map(bytes).fold(0u64, u64::saturating_add);
        let input = |i: usize| inputs.get(i).copied().flatten();
        let out = outputs.first().map_or(0, |t| count(t));
        let flops = match op {
            // 2 · results · (weights per output channel).
            "Conv" => input(1).map_or(0, |w| twice(out, count(w) / extent(w, 0).max(1))),
            "ConvTranspose" => match (input(0), input(1)) {
                (Some(x), Some(w)) => twice(count(x), count(w) / extent(w, 0).max(1)),
                _ => 0,
            },
            "MatMul" => input(0).map_or(0, |a| twice(out, extent(a, rank(a).saturating_sub(1)))),
            "Gemm" => match (input(0), outputs.first()) {
                (Some(a), Some(y)) => twice(out, count(a) / extent(y, 0).max(1)),
                _ => 0,
            },
            // An upper bound that needs no labels: every result over all of the smaller operand.
            "Einsum" => match (input(0), input(1)) {
                (Some(a), Some(b)) => {
                    let product = (count(a) as f64) * (count(b) as f64) * (out as f64);
                    2 * product.sqrt() as u64
                }
                _ => 0,
            },
            "LSTM" | "GRU" | "RNN" => match (input(0), input(1), input(2)) {
                (Some(x), Some(w), Some(r)) => {
                    twice(extent(x, 0).saturating_mul(extent(x, 1)), count(w).saturating_add(count(r)))
                }
                _ => 0,
            },
            _ => inputs.iter().copied().flatten().map(count).max().unwrap_or(0).saturating_add(out),
        };
        Self { op, flops, bytes }
    }
}

fn twice(a: u64, b: u64) -> u64 {
    a.saturating_mul(b).saturating_mul(2)
}

fn rank(ty: &Type) -> usize {
    ty.as_tensor().map_or(0, egret_ir::TensorType::rank)
}

fn extent(ty: &Type, axis: usize) -> u64 {
    let dim = ty.as_tensor().and_then(|t| t.shape.get(axis));
    dim.map_or(1, |d| d.as_const().map_or(NodeCost::SYMBOLIC, |c| c.max(0) as u64))
}

fn count(ty: &Type) -> u64 {
    (0..rank(ty)).map(|i| extent(ty, i)).fold(1, u64::saturating_mul)
}

fn bytes(ty: &Type) -> u64 {
    let size = ty.as_tensor().map_or(0, |t| t.dtype.size() as u64);
    count(ty).saturating_mul(size)
}

/// A price in picoseconds where no machine is described: 5 µs per node, 50 Gflop/s, 20 GB/s. Operators that runtimes
/// execute as several kernels (Einsum) count as that many nodes.
pub fn node_time(cost: &NodeCost<'_>) -> u64 {
    let kernels = if cost.op == "Einsum" { 3 } else { 1 };
    let launches: u64 = 5_000_000 * kernels;
    launches.saturating_add(cost.flops.saturating_mul(20)).saturating_add(cost.bytes.saturating_mul(50))
}
