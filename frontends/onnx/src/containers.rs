//! Sequences and optionals whose parts are known while the model is read: a list of values, no node.
//!
//! An operator that makes a container stays in the graph as it came, with a result of foreign type, for whoever needs the
//! container itself (an output of the model, an operator that stays opaque); what reads a part of it gets the part, and
//! nothing reads the container then. Containers that are inputs of the model have no known parts.

use egret_ir::{DType, Dim, Literal, Type, ValueId};

use crate::error::ProblemKind;
use crate::import::{Done, Importer};
use crate::imported::NamedValues;
use crate::inline::FlatNode;
use crate::known::Known;
use crate::lower::{Fail, Lower, bad};
use crate::node;

/// A container's parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item<V> {
    /// A tensor, or a container whose parts are not known.
    Value(V),
    /// A sequence.
    Sequence(Vec<Item<V>>),
    /// An optional.
    Optional(Option<Box<Item<V>>>),
}

impl<V> Item<V> {
    /// The same with every value replaced.
    pub fn map<W>(&self, f: &mut dyn FnMut(&V) -> W) -> Item<W> {
        match self {
            Self::Value(v) => Item::Value(f(v)),
            Self::Sequence(parts) => Item::Sequence(parts.iter().map(|p| p.map(f)).collect()),
            Self::Optional(part) => Item::Optional(part.as_ref().map(|p| Box::new(p.map(f)))),
        }
    }
}

/// What a node gives where it works on containers.
pub(crate) enum Contained {
    /// A value that is in the graph.
    Value(ValueId),
    /// A container of known parts.
    Item(Item<ValueId>),
    /// It does not, or the parts are not known.
    Unknown,
}

/// Operators on containers that need to be looked at.
pub(crate) const OPERATORS: &[&str] = &[
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceInsert",
    "SequenceErase",
    "SequenceAt",
    "SequenceLength",
    "SplitToSequence",
    "ConcatFromSequence",
    "Optional",
    "OptionalHasElement",
    "OptionalGetElement",
];

impl Importer<'_, '_, '_> {
    /// The parts of a value: itself, where it is a tensor.
    pub fn item(&self, v: ValueId) -> Option<Item<ValueId>> {
        if let Some(item) = self.items.get(&v) {
            return Some(item.clone());
        }
        self.graph.ty(v).as_tensor().map(|_| Item::Value(v))
    }

    fn sequence(&self, v: Option<ValueId>) -> Option<Vec<Item<ValueId>>> {
        match self.items.get(&v?)? {
            Item::Sequence(parts) => Some(parts.clone()),
            Item::Value(_) | Item::Optional(_) => None,
        }
    }

    /// A part as a value: a container inside another one has none of its own.
    fn taken(item: Item<ValueId>) -> Contained {
        match item {
            Item::Value(v) => Contained::Value(v),
            container => Contained::Item(container),
        }
    }

    fn position(&self, v: ValueId, len: usize, room: usize) -> Result<Option<usize>, Fail> {
        let known = self.known.get(&v).cloned().or_else(|| Known::of_constant(&self.graph, v));
        let numbers = known.and_then(|k| k.numbers()).unwrap_or_default();
        let [at] = numbers.as_slice() else { return Ok(None) };
        let at = *at;
        let wrapped = if at < 0 { at.saturating_add(len as i64) } else { at };
        match usize::try_from(wrapped) {
            Ok(i) if i < len + room => Ok(Some(i)),
            _ => Err(bad("position", ProblemKind::Axis { axis: at, rank: len })),
        }
    }

    /// Works a node on containers out, where their parts are known.
    pub fn container(&mut self, flat: &FlatNode, inputs: &[Option<ValueId>]) -> Result<Contained, Fail> {
        let proto = &flat.proto;
        let op = proto.op_type();
        if !OPERATORS.contains(&op) {
            return Ok(Contained::Unknown);
        }
        let input = |i: usize| inputs.get(i).copied().flatten();
        let opset = self.opset(flat, "");
        Ok(match op {
            "SequenceConstruct" => {
                let parts = inputs.iter().map(|v| self.item((*v)?)).collect::<Option<Vec<_>>>();
                parts.map_or(Contained::Unknown, |parts| Contained::Item(Item::Sequence(parts)))
            }
            "SequenceEmpty" => Contained::Item(Item::Sequence(Vec::new())),
            "SequenceInsert" => {
                let (Some(mut parts), Some(part)) = (self.sequence(input(0)), input(1).and_then(|v| self.item(v)))
                else {
                    return Ok(Contained::Unknown);
                };
                let at = match input(2) {
                    Some(v) => self.position(v, parts.len(), 1)?,
                    None => Some(parts.len()),
                };
                let Some(at) = at else { return Ok(Contained::Unknown) };
                parts.insert(at, part);
                Contained::Item(Item::Sequence(parts))
            }
            "SequenceErase" | "SequenceAt" => {
                let Some(mut parts) = self.sequence(input(0)) else { return Ok(Contained::Unknown) };
                let at = match input(1) {
                    Some(v) => self.position(v, parts.len(), 0)?,
                    None => parts.len().checked_sub(1),
                };
                let Some(at) = at else { return Ok(Contained::Unknown) };
                let part = parts.remove(at);
                if op == "SequenceAt" { Self::taken(part) } else { Contained::Item(Item::Sequence(parts)) }
            }
            "SequenceLength" => match self.sequence(input(0)) {
                Some(parts) => Contained::Value(self.truth(flat, inputs, Literal::i64(parts.len() as i64))?),
                None => Contained::Unknown,
            },
            "SplitToSequence" => match input(0) {
                Some(x) if self.graph.ty(x).as_tensor().is_some() => {
                    let mut l = self.lowering(flat, opset, inputs);
                    match split(&mut l, x) {
                        Ok(parts) => Contained::Item(Item::Sequence(parts.into_iter().map(Item::Value).collect())),
                        Err(Fail::Bad(field, kind)) => return Err(Fail::Bad(field, kind)),
                        Err(_) => Contained::Unknown,
                    }
                }
                _ => Contained::Unknown,
            },
            "ConcatFromSequence" => {
                let Some(parts) = self.sequence(input(0)) else { return Ok(Contained::Unknown) };
                let tensors = parts.iter().map(|p| match p {
                    Item::Value(v) => Some(*v),
                    Item::Sequence(_) | Item::Optional(_) => None,
                });
                let Some(tensors) = tensors.collect::<Option<Vec<_>>>() else { return Ok(Contained::Unknown) };
                Contained::Value(join(&mut self.lowering(flat, opset, inputs), &tensors)?)
            }
            "Optional" => match input(0) {
                Some(v) => {
                    self.item(v).map_or(Contained::Unknown, |p| Contained::Item(Item::Optional(Some(Box::new(p)))))
                }
                None => Contained::Item(Item::Optional(None)),
            },
            "OptionalHasElement" => {
                let there = match input(0) {
                    None => Some(false),
                    Some(v) => match self.items.get(&v) {
                        Some(Item::Optional(part)) => Some(part.is_some()),
                        Some(Item::Value(_) | Item::Sequence(_)) => Some(true),
                        None => self.graph.ty(v).as_tensor().map(|_| true),
                    },
                };
                match there {
                    Some(there) => Contained::Value(self.truth(flat, inputs, Literal::bool(there))?),
                    None => Contained::Unknown,
                }
            }
            // OptionalGetElement; of what is no optional it is the value itself.
            _ => match input(0).map(|v| (v, self.items.get(&v).cloned())) {
                Some((_, Some(Item::Optional(Some(part))))) => Self::taken(*part),
                Some((_, Some(Item::Optional(None)))) => {
                    return Err(bad(
                        "input 0",
                        ProblemKind::BadValue {
                            value: "an empty optional".to_owned(),
                            reason: "an element is expected".to_owned(),
                        },
                    ));
                }
                Some((_, Some(other))) => Self::taken(other),
                Some((v, None)) if self.graph.ty(v).as_tensor().is_some() => Contained::Value(v),
                _ => Contained::Unknown,
            },
        })
    }

    fn truth(&mut self, flat: &FlatNode, inputs: &[Option<ValueId>], l: Literal) -> Result<ValueId, Fail> {
        self.lowering(flat, 1, inputs).literal(l)
    }

    /// SequenceMap over sequences of known length, once per element.
    pub fn sequence_map(
        &mut self,
        flat: &FlatNode,
        inputs: &[Option<ValueId>],
        captured: &[String],
    ) -> Result<Done, Fail> {
        let _ = captured;
        let Some(body) = node::find(&flat.proto, "body").and_then(|a| a.g.as_deref()).cloned() else {
            return Err(bad("body", ProblemKind::MissingAttribute));
        };
        let Some(parts) = self.sequence(inputs.first().copied().flatten()) else {
            return Err(Fail::Opaque("a sequence of unknown length".to_owned()));
        };
        let mut results: Vec<Vec<Item<ValueId>>> = vec![Vec::new(); flat.proto.output.len()];
        for i in 0..parts.len() {
            let mut args = Vec::new();
            for v in inputs {
                let v = v.ok_or_else(|| bad("inputs", ProblemKind::MissingInput))?;
                let part = match self.items.get(&v) {
                    Some(Item::Sequence(list)) => list.get(i).cloned(),
                    _ => self.item(v),
                };
                match part {
                    Some(Item::Value(v)) => args.push(v),
                    _ => return Err(Fail::Opaque("a sequence of other length or of containers".to_owned())),
                }
            }
            let Some(outputs) = self.inlined(flat, &body, &args, &format!("{i}"))? else { return Ok(Done::Lost) };
            for (list, v) in results.iter_mut().zip(outputs) {
                let item = self.item(v).ok_or_else(|| Fail::Opaque("elements of unknown type".to_owned()))?;
                list.push(item);
            }
        }
        // The containers themselves are those of SequenceConstruct nodes.
        let mut values = Vec::new();
        for (name, list) in flat.proto.output.iter().zip(results) {
            values.push(self.construct(flat, name, list)?);
        }
        Ok(Done::Gone(values))
    }

    /// A sequence of these parts, as a node of its own.
    fn construct(&mut self, flat: &FlatNode, name: &str, parts: Vec<Item<ValueId>>) -> Result<ValueId, Fail> {
        let values = parts.iter().map(|p| match p {
            Item::Value(v) => Some(*v),
            Item::Sequence(_) | Item::Optional(_) => None,
        });
        let values = values.collect::<Option<Vec<_>>>().ok_or_else(|| Fail::Opaque("nested containers".to_owned()))?;
        let (names, dtype) = self.names_of(&values);
        let mut proto = crate::proto::NodeProto {
            output: vec![name.to_owned()],
            input: names,
            name: Some(name.to_owned()),
            op_type: Some(if values.is_empty() { "SequenceEmpty" } else { "SequenceConstruct" }.to_owned()),
            ..Default::default()
        };
        if values.is_empty() {
            let declared = self.declared(name).and_then(element);
            proto.attribute.push(crate::proto::AttributeProto {
                name: Some("dtype".to_owned()),
                r#type: Some(crate::proto::attribute_proto::AttributeType::Int as i32),
                i: Some(i64::from(crate::tensor::code(dtype.or(declared).unwrap_or(DType::F32)))),
                ..Default::default()
            });
        }
        let new = FlatNode::new(proto, flat.index);
        let inputs = values.iter().map(|v| Some(*v)).collect();
        let reason = format!("operator {}", new.proto.op_type());
        self.make_opaque(&new, inputs, NamedValues::new(), vec![Type::Foreign("sequence".into())], reason);
        let v = self.values.get(name).copied().ok_or_else(|| Fail::Opaque("a sequence without a name".to_owned()))?;
        self.items.insert(v, Item::Sequence(parts));
        Ok(v)
    }

    fn names_of(&self, values: &[ValueId]) -> (Vec<String>, Option<DType>) {
        let name =
            |v: &ValueId| self.values.iter().find(|(_, w)| *w == v).map_or_else(String::new, |(n, _)| n.to_string());
        let dtype = values.first().and_then(|v| self.graph.ty(*v).as_tensor()).map(|t| t.dtype);
        (values.iter().map(name).collect(), dtype)
    }
}

/// The element type of a declared sequence of tensors.
fn element(ty: &crate::proto::TypeProto) -> Option<DType> {
    use crate::proto::type_proto::Value;
    match &ty.value {
        Some(Value::SequenceType(s)) => match s.elem_type.as_ref()?.value.as_ref()? {
            Value::TensorType(t) => crate::tensor::dtype(t.elem_type()).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Parts of one axis: of the given lengths, of one length, or of length 1 (whose axis goes unless `keepdims`).
fn split(l: &mut Lower<'_>, x: ValueId) -> Result<Vec<ValueId>, Fail> {
    let shape = l.shape(x)?;
    let axis = l.axis("axis", l.int("axis", 0), shape.len())?;
    let whole = shape[axis].as_const().ok_or_else(|| Fail::Opaque("an extent known only at run time".to_owned()))?;
    let mut drop = false;
    let lengths: Vec<i64> = match l.optional(1) {
        Some(v) => {
            let given = l.numbers("split", v)?;
            match (l.rank(v)?, given.as_slice()) {
                (0, [chunk]) if *chunk > 0 => {
                    let full = whole / chunk;
                    let rest = whole % chunk;
                    if full > MAX_PARTS {
                        return Err(Fail::Opaque("a sequence of very many parts".to_owned()));
                    }
                    (0..full).map(|_| *chunk).chain((rest > 0).then_some(rest)).collect()
                }
                (0, _) => return Err(l.value("split", &format!("{given:?}"), "a positive length")),
                _ => given,
            }
        }
        None => {
            if whole > MAX_PARTS {
                return Err(Fail::Opaque("a sequence of very many parts".to_owned()));
            }
            drop = !l.flag("keepdims", true);
            vec![1; whole as usize]
        }
    };
    let total = lengths.iter().try_fold(0i64, |s, n| s.checked_add(*n).filter(|_| *n >= 0));
    if total != Some(whole) {
        return Err(l.misfit("split", &lengths.iter().map(|n| Dim::from(*n)).collect::<Vec<_>>(), &shape[axis..=axis]));
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for n in lengths {
        let part = l.slice_axis(x, axis, Dim::from(start), Dim::from(n))?;
        start += n;
        parts.push(if drop {
            let rest: Vec<Dim> = (0..shape.len()).filter(|i| *i != axis).map(|i| shape[i].clone()).collect();
            l.reshape(part, &rest)?
        } else {
            part
        });
    }
    Ok(parts)
}

/// Sequences of more parts are not taken apart.
const MAX_PARTS: i64 = 4096;

/// All parts joined along an axis, or along a new one.
fn join(l: &mut Lower<'_>, parts: &[ValueId]) -> Result<ValueId, Fail> {
    let first = *parts.first().ok_or_else(|| l.value("input_sequence", "an empty sequence", "tensors"))?;
    let rank = l.rank(first)?;
    if !l.flag("new_axis", false) {
        let axis = l.axis("axis", l.int("axis", 0), rank)?;
        return l.concat(axis, parts);
    }
    let axis = l.axis("axis", l.int("axis", 0), rank + 1)?;
    let mut wide = Vec::new();
    for v in parts {
        wide.push(l.insert(*v, vec![(axis, Dim::ONE)])?);
    }
    l.concat(axis, &wide)
}
