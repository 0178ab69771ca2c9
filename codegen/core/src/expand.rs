//! Composites written out by their definitions ([`egret_ir::defs`]), so that the row kernels fuse their parts again.
//!
//! Inside of them a division by a value that is constant along some axis (softmax's sum, layer norm's deviation) becomes a
//! product with its reciprocal, which is then computed once per row; the rounding stays within the node bound.

use egret_ir::defs;
use egret_ir::dim::Backing;
use egret_ir::dtype::Literal;
use egret_ir::graph::{Args, Graph, Node, ValueId};
use egret_ir::infer::TypeError;
use egret_ir::op::Op;
use egret_ir::op::scalar::Scalar;
use egret_ir::origin::Origins;

/// The same graph with composites written out, and without the operands that only say what symbols are: a kernel starts
/// when the values of all its symbols are known.
pub fn expand(graph: &Graph) -> Result<Graph, TypeError> {
    let mut out = Graph::new(&graph.name);
    out.tables = graph.tables.clone();
    for info in out.tables.symbols.0.values_mut() {
        info.backing = Backing::Input;
    }
    out.inputs.clone_from(&graph.inputs);
    let mut map: Vec<ValueId> = Vec::with_capacity(graph.nodes().len());
    for v in graph.values() {
        let node = graph.node(v);
        let args: Vec<ValueId> = node.args.iter().map(|a| map[a.index()]).collect();
        map.push(match &node.op {
            Op::Call(call) if defs::has_body(call) => {
                let types: Vec<_> = args.iter().map(|a| out.ty(*a).clone()).collect();
                let body = defs::body(call, &types)?;
                splice(&mut out, &body, &args, &node.origins)?
            }
            Op::Dim(_) => out.push(Node { args: Args::new(), ..node.clone() }),
            _ => out.push(Node { args: args[..graph.witnesses(v).0].into(), ..node.clone() }),
        });
    }
    for o in &graph.outputs {
        out.output(&o.name, map[o.value.index()]);
    }
    Ok(out)
}

/// Puts a definition's body in place of its call; gives its first output.
fn splice(out: &mut Graph, body: &Graph, args: &[ValueId], origins: &Origins) -> Result<ValueId, TypeError> {
    let mut map: Vec<ValueId> = Vec::with_capacity(body.nodes().len());
    for node in body.nodes() {
        let operands: Vec<ValueId> = node.args.iter().map(|a| map[a.index()]).collect();
        let new = match &node.op {
            Op::Input(i) => args[*i as usize],
            Op::Map(Scalar::Div) => match out.node(operands[1]).clone() {
                Node { op: Op::Broadcast(axes), args: inner, .. } if is_float(out, operands[1]) => {
                    let one = ones(out, inner[0], origins)?;
                    let r = out.add(Op::Map(Scalar::Div), &[one, inner[0]], origins.clone())?;
                    let r = out.add(Op::Broadcast(axes), &[r], origins.clone())?;
                    out.add(Op::Map(Scalar::Mul), &[operands[0], r], origins.clone())?
                }
                _ => out.add(node.op.clone(), &operands, origins.clone())?,
            },
            op => out.add(op.clone(), &operands, origins.clone())?,
        };
        map.push(new);
    }
    Ok(map[body.outputs[0].value.index()])
}

fn is_float(g: &Graph, v: ValueId) -> bool {
    g.ty(v).as_tensor().is_some_and(|t| t.dtype.is_float())
}

/// Ones of a value's type and shape.
fn ones(g: &mut Graph, like: ValueId, origins: &Origins) -> Result<ValueId, TypeError> {
    let Some(t) = g.ty(like).as_tensor().cloned() else { return Ok(like) };
    let one = g.scalar(Literal::from_f64(t.dtype, 1.0));
    if t.shape.is_empty() {
        return Ok(one);
    }
    let axes = t.shape.into_iter().enumerate().map(|(i, d)| (i as u8, d)).collect();
    g.add(Op::Broadcast(axes), &[one], origins.clone())
}
