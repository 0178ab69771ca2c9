//! Nodes that stay as they are: their payload, and what can be said of their results' types.
//!
//! The payload is the node with the names of its own operands, results and itself removed, so that two equal pure nodes
//! are one value. Operands of the opaque value are the node's present operands followed by its bodies' captures, in the
//! order of [`crate::structure`].

use std::sync::Arc;

use egret_ir::dim::{Backing, SymbolInfo};
use egret_ir::graph::OpaqueDef;
use egret_ir::{DType, Dim, Graph, Symbol, Type};
use prost::Message;

use crate::foreign::ForeignOps;
use crate::inline::{canonical_domain, subgraphs, walk};
use crate::node;
use crate::proto::tensor_shape_proto::dimension::Value as DimValue;
use crate::proto::type_proto::Value as TypeValue;
use crate::proto::{GraphProto, NodeProto, TypeProto, ValueInfoProto};
use crate::schema;
use crate::tensor;

/// Operators of the default domain whose results differ from run to run.
const IMPURE: &[&str] =
    &["RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout"];

/// A symbol of its own for an extent that shows only when the model runs.
pub fn fresh(graph: &mut Graph, stem: &str) -> Dim {
    let symbols = &mut graph.tables.symbols.0;
    // Among one more candidates than there are symbols, one is free.
    let name = (0..=symbols.len()).map(|i| Symbol::new(&format!("{stem}.{i}"))).find(|s| !symbols.contains_key(s));
    let symbol = name.expect("the candidates outnumber the symbols");
    symbols.insert(symbol.clone(), SymbolInfo { backing: Backing::Data, ..SymbolInfo::default() });
    Dim::symbol(symbol)
}

/// The definition of an opaque operator for a node with results of the given types; `known` operators may be said to have
/// no effect.
pub fn definition(proto: &NodeProto, results: Vec<Type>, site: u32, known: ForeignOps) -> OpaqueDef {
    let mut bare = proto.clone();
    bare.name = None;
    bare.doc_string = None;
    for name in bare.input.iter_mut().chain(&mut bare.output).filter(|name| !name.is_empty()) {
        "_".clone_into(name);
    }
    let mut impure = false;
    walk(proto, &mut |n| {
        let standard = canonical_domain(n.domain()).is_empty() && schema::versions(n.op_type()).is_some();
        impure |= !known.is_pure(n) && (!standard || IMPURE.contains(&n.op_type()));
    });
    OpaqueDef {
        domain: canonical_domain(proto.domain()).into(),
        op_type: proto.op_type().into(),
        payload: bare.encode_to_vec().into(),
        results: results.into(),
        site: impure.then_some(site),
    }
}

/// A tensor type as declared in the model, with a symbol per unnamed extent by `unnamed`, given the axis.
pub fn declared(ty: &TypeProto, symbol: &mut dyn FnMut(usize, &str) -> Dim) -> Type {
    let foreign = |text: String| Type::Foreign(text.into());
    match &ty.value {
        Some(TypeValue::TensorType(t)) => match (tensor::dtype(t.elem_type()), &t.shape) {
            (Ok(dtype), Some(shape)) => {
                let extents = shape.dim.iter().enumerate().map(|(axis, d)| match &d.value {
                    Some(DimValue::DimValue(n)) if *n >= 0 => Dim::from(*n),
                    Some(DimValue::DimParam(name)) => symbol(axis, name),
                    Some(DimValue::DimValue(_)) | None => symbol(axis, ""),
                });
                Type::tensor(dtype, extents.collect::<Vec<_>>())
            }
            (Ok(dtype), None) => foreign(format!("{dtype} of unknown rank")),
            (Err(kind), _) => foreign(kind.to_string()),
        },
        Some(TypeValue::SequenceType(_)) => foreign("sequence".to_owned()),
        Some(TypeValue::OptionalType(_)) => foreign("optional".to_owned()),
        Some(TypeValue::MapType(_)) => foreign("map".to_owned()),
        Some(TypeValue::SparseTensorType(_)) => foreign("sparse tensor".to_owned()),
        Some(TypeValue::OpaqueType(_)) => foreign("opaque".to_owned()),
        None => foreign("undeclared".to_owned()),
    }
}

/// Types of a node's results from what the model declares and the operator's signature; extents that are not declared as
/// numbers are unknowns of their own.
pub fn result_types(
    graph: &mut Graph,
    proto: &NodeProto,
    opset: i64,
    args: &[Option<Type>],
    infos: &dyn Fn(&str) -> Option<TypeProto>,
) -> Vec<Type> {
    let bodies: Vec<&GraphProto> = subgraphs(proto).collect();
    let mut out = Vec::with_capacity(proto.output.len());
    for (i, name) in proto.output.iter().enumerate() {
        let stem = if name.is_empty() { format!("{}.{i}", proto.op_type()) } else { name.clone() };
        let mut open = |_: usize, _: &str| fresh(graph, &stem);
        let from_info = infos(name).map(|ty| declared(&ty, &mut open));
        let ty = match from_info {
            Some(ty @ Type::Tensor(_)) => ty,
            other => from_bodies(proto, &bodies, i, &mut open)
                .or(other)
                .or_else(|| like_first(proto, i, args, &mut open))
                .or_else(|| signature(proto, opset, i, args))
                .unwrap_or_else(|| Type::Foreign("unknown".into())),
        };
        out.push(ty);
    }
    out
}

/// The type that the bodies of If or Loop declare for result `i`.
fn from_bodies(
    proto: &NodeProto,
    bodies: &[&GraphProto],
    i: usize,
    open: &mut dyn FnMut(usize, &str) -> Dim,
) -> Option<Type> {
    let declared_by = |body: &GraphProto, i: usize, open: &mut dyn FnMut(usize, &str) -> Dim| {
        let info: &ValueInfoProto = body.output.get(i)?;
        Some(declared(info.r#type.as_ref()?, open))
    };
    match (proto.op_type(), bodies) {
        ("If", [then, other]) => {
            let (a, b) = (declared_by(then, i, open)?, declared_by(other, i, open)?);
            match (a, b) {
                (Type::Tensor(a), Type::Tensor(b)) if a.dtype == b.dtype && a.rank() == b.rank() => {
                    let shape: Vec<Dim> = a
                        .shape
                        .iter()
                        .zip(&b.shape)
                        .enumerate()
                        .map(|(axis, (a, b))| if a == b { a.clone() } else { open(axis, "") })
                        .collect();
                    Some(Type::tensor(a.dtype, shape))
                }
                (a, _) => Some(Type::Foreign(a.to_string().into())),
            }
        }
        ("Loop", [body]) => {
            let carried = proto.input.len().saturating_sub(2);
            let ty = declared_by(body, i + 1, open)?;
            match ty {
                Type::Tensor(mut t) if i >= carried => {
                    t.shape.insert(0, open(0, ""));
                    Some(Type::Tensor(t))
                }
                // A carried value may change its shape from one iteration to the next; only its rank is trusted.
                Type::Tensor(mut t) => {
                    for (axis, d) in t.shape.iter_mut().enumerate() {
                        *d = open(axis, "");
                    }
                    Some(Type::Tensor(t))
                }
                other => Some(other),
            }
        }
        _ => None,
    }
}

/// Operators whose first result has the element type and rank of their first operand.
const LIKE_FIRST: &[&str] = &[
    "AveragePool",
    "Concat",
    "Conv",
    "ConvTranspose",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "LpPool",
    "MaxPool",
    "Pad",
    "Resize",
    "Slice",
    "Split",
    "Tile",
    "Upsample",
];

fn like_first(
    proto: &NodeProto,
    i: usize,
    args: &[Option<Type>],
    open: &mut dyn FnMut(usize, &str) -> Dim,
) -> Option<Type> {
    let standard = canonical_domain(proto.domain()).is_empty() && LIKE_FIRST.contains(&proto.op_type());
    let Some(Some(Type::Tensor(t))) = args.first().filter(|_| standard && (i == 0 || proto.op_type() == "Split"))
    else {
        return None;
    };
    Some(Type::tensor(t.dtype, (0..t.rank()).map(|axis| open(axis, "")).collect::<Vec<_>>()))
}

/// Element type by the operator's signature; the rank stays unknown.
fn signature(proto: &NodeProto, opset: i64, i: usize, args: &[Option<Type>]) -> Option<Type> {
    if !canonical_domain(proto.domain()).is_empty() {
        return None;
    }
    let schema = schema::lookup(proto.op_type(), opset)?;
    let formal = schema.output(i)?;
    let same = (0..args.len())
        .find(|j| schema.input(*j).is_some_and(|f| !f.variable.is_empty() && f.variable == formal.variable));
    let dtype: Arc<str> = match (same.and_then(|j| args[j].as_ref()), formal.types.as_slice()) {
        (Some(Type::Tensor(t)), _) => t.dtype.name().into(),
        (_, [only]) => (*only).into(),
        _ => node::find(proto, "to").and_then(|a| tensor::dtype(a.i() as i32).ok()).map(DType::name)?.into(),
    };
    Some(Type::Foreign(format!("{dtype} of unknown rank").into()))
}
