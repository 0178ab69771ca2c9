//! Protobuf bytes to messages: what `prost` would make of them, with exactly the room it takes.
//!
//! Most of a model is many short lists: operands, results, attributes, extents. Grown element by element, each would get
//! room for four elements first (1.3 KiB for a node's one attribute). So the fields of the messages that come by the
//! thousand are counted before they are read; every other field goes to `prost` as it is. Raw tensor data stays where it
//! is: it shares the file's bytes.

use bytes::Bytes;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use crate::proto::tensor_shape_proto::{Dimension, dimension};
use crate::proto::type_proto::{self, Value};
use crate::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto,
};

/// Messages inside each other, at most, as `prost` has it; a field that it reads may go as deep again.
const MAX_DEPTH: u32 = 100;

/// Why bytes are no model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Undecodable {
    /// A field of a message that `prost` reads.
    #[error(transparent)]
    Field(#[from] prost::DecodeError),
    /// A field that says it is longer than what is left.
    #[error("a field of {0} bytes where fewer are left")]
    Short(u64),
    /// A name that is not UTF-8.
    #[error(transparent)]
    Text(#[from] std::str::Utf8Error),
    /// Messages inside each other, without end in sight.
    #[error("messages inside each other, over {MAX_DEPTH} deep")]
    Deep,
}

/// In a box: results are passed by the thousand, faults hardly ever.
type Fault = Box<Undecodable>;

type Done = Result<(), Fault>;

/// The model in a file.
///
/// # Errors
/// Where the bytes are not those of the message.
pub(crate) fn model(file: &Bytes) -> Result<ModelProto, Fault> {
    let mut model = ModelProto::default();
    let mut fields = Fields { file, left: file, depth: MAX_DEPTH };
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (7, WireType::LengthDelimited) => graph(model.graph.get_or_insert_default(), fields.inner()?)?,
            _ => fields.other(&mut model, tag, wire)?,
        }
    }
    Ok(model)
}

/// The fields of one message that are still to be read.
#[derive(Clone, Copy)]
struct Fields<'a> {
    file: &'a Bytes,
    left: &'a [u8],
    /// How many more messages may lie inside each other.
    depth: u32,
}

impl<'a> Fields<'a> {
    /// Number and wire type of the next field; its value comes next.
    #[inline]
    fn next(&mut self) -> Result<Option<(u32, WireType)>, Fault> {
        let Some(&first) = self.left.first() else { return Ok(None) };
        let wire = match first & 7 {
            0 => WireType::Varint,
            2 => WireType::LengthDelimited,
            _ => return self.long(),
        };
        // A number below 16 takes one byte.
        if !(8..0x80).contains(&first) {
            return self.long();
        }
        self.left = &self.left[1..];
        Ok(Some((u32::from(first >> 3), wire)))
    }

    fn long(&mut self) -> Result<Option<(u32, WireType)>, Fault> {
        decode_key(&mut self.left).map(Some).map_err(fault)
    }

    /// How often each of the given fields is there.
    fn count<const N: usize>(mut self, wanted: [u32; N]) -> Result<[usize; N], Fault> {
        let mut counts = [0; N];
        while let Some((tag, wire)) = self.next()? {
            if let Some(i) = wanted.iter().position(|t| *t == tag) {
                counts[i] += 1;
            }
            match wire {
                WireType::LengthDelimited => drop(self.bytes()?),
                WireType::Varint => drop(self.varint()?),
                WireType::SixtyFourBit | WireType::ThirtyTwoBit | WireType::StartGroup | WireType::EndGroup => {
                    skip_field(wire, tag, &mut self.left, DecodeContext::default()).map_err(fault)?;
                }
            }
        }
        Ok(counts)
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Fault> {
        match self.left {
            [first, left @ ..] if *first < 0x80 => {
                self.left = left;
                Ok(u64::from(*first))
            }
            _ => decode_varint(&mut self.left).map_err(fault),
        }
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let len = self.varint()?;
        let split = usize::try_from(len).ok().and_then(|n| self.left.split_at_checked(n));
        let (bytes, left) = split.ok_or_else(|| fault(Undecodable::Short(len)))?;
        self.left = left;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, Fault> {
        std::str::from_utf8(self.bytes()?).map(str::to_owned).map_err(fault)
    }

    fn int(&mut self) -> Result<i64, Fault> {
        Ok(self.varint()? as i64)
    }

    /// The fields of a message that is the next value.
    fn inner(&mut self) -> Result<Self, Fault> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| fault(Undecodable::Deep))?;
        Ok(Self { left: self.bytes()?, depth, ..*self })
    }

    /// Hands a field to `prost`.
    fn other(&mut self, message: &mut impl Message, tag: u32, wire: WireType) -> Done {
        let mut bytes = self.file.slice_ref(self.left);
        message.merge_field(tag, wire, &mut bytes, DecodeContext::default()).map_err(fault)?;
        self.left = &self.left[self.left.len() - bytes.len()..];
        Ok(())
    }
}

#[cold]
#[expect(clippy::unnecessary_box_returns, reason = "results that hold a fault stay small")]
fn fault(why: impl Into<Undecodable>) -> Fault {
    Box::new(why.into())
}

fn graph(graph: &mut GraphProto, mut fields: Fields<'_>) -> Done {
    let [nodes, initializers, inputs, outputs, infos] = fields.count([1, 5, 11, 12, 13])?;
    graph.node.reserve_exact(nodes);
    graph.initializer.reserve_exact(initializers);
    graph.input.reserve_exact(inputs);
    graph.output.reserve_exact(outputs);
    graph.value_info.reserve_exact(infos);
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => node(added(&mut graph.node), fields.inner()?)?,
            (5, WireType::LengthDelimited) => tensor(added(&mut graph.initializer), fields.inner()?)?,
            (11, WireType::LengthDelimited) => value_info(added(&mut graph.input), fields.inner()?)?,
            (12, WireType::LengthDelimited) => value_info(added(&mut graph.output), fields.inner()?)?,
            (13, WireType::LengthDelimited) => value_info(added(&mut graph.value_info), fields.inner()?)?,
            _ => fields.other(graph, tag, wire)?,
        }
    }
    Ok(())
}

fn node(node: &mut NodeProto, mut fields: Fields<'_>) -> Done {
    let [inputs, outputs, attributes] = fields.count([1, 2, 5])?;
    node.input.reserve_exact(inputs);
    node.output.reserve_exact(outputs);
    node.attribute.reserve_exact(attributes);
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => node.input.push(fields.text()?),
            (2, WireType::LengthDelimited) => node.output.push(fields.text()?),
            (3, WireType::LengthDelimited) => node.name = Some(fields.text()?),
            (4, WireType::LengthDelimited) => node.op_type = Some(fields.text()?),
            (5, WireType::LengthDelimited) => attribute(added(&mut node.attribute), fields.inner()?)?,
            (7, WireType::LengthDelimited) => node.domain = Some(fields.text()?),
            _ => fields.other(node, tag, wire)?,
        }
    }
    Ok(())
}

fn attribute(attribute: &mut AttributeProto, mut fields: Fields<'_>) -> Done {
    let [ints, graphs] = fields.count([8, 11])?;
    attribute.ints.reserve_exact(ints);
    attribute.graphs.reserve_exact(graphs);
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => attribute.name = Some(fields.text()?),
            (3, WireType::Varint) => attribute.i = Some(fields.int()?),
            (5, WireType::LengthDelimited) => tensor(attribute.t.get_or_insert_default(), fields.inner()?)?,
            (6, WireType::LengthDelimited) => graph(attribute.g.get_or_insert_default(), fields.inner()?)?,
            (8, WireType::Varint) => attribute.ints.push(fields.int()?),
            (11, WireType::LengthDelimited) => graph(added(&mut attribute.graphs), fields.inner()?)?,
            (20, WireType::Varint) => attribute.r#type = Some(fields.int()? as i32),
            _ => fields.other(attribute, tag, wire)?,
        }
    }
    Ok(())
}

fn tensor(tensor: &mut TensorProto, mut fields: Fields<'_>) -> Done {
    let [dims] = fields.count([1])?;
    tensor.dims.reserve_exact(dims);
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::Varint) => tensor.dims.push(fields.int()?),
            (2, WireType::Varint) => tensor.data_type = Some(fields.int()? as i32),
            (8, WireType::LengthDelimited) => tensor.name = Some(fields.text()?),
            (9, WireType::LengthDelimited) => tensor.raw_data = Some(fields.file.slice_ref(fields.bytes()?)),
            _ => fields.other(tensor, tag, wire)?,
        }
    }
    Ok(())
}

fn value_info(info: &mut ValueInfoProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => info.name = Some(fields.text()?),
            (2, WireType::LengthDelimited) => declared(info.r#type.get_or_insert_default(), fields.inner()?)?,
            _ => fields.other(info, tag, wire)?,
        }
    }
    Ok(())
}

fn declared(ty: &mut TypeProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => {
                if !matches!(ty.value, Some(Value::TensorType(_))) {
                    ty.value = Some(Value::TensorType(type_proto::Tensor::default()));
                }
                if let Some(Value::TensorType(tensor)) = &mut ty.value {
                    tensor_type(tensor, fields.inner()?)?;
                }
            }
            _ => fields.other(ty, tag, wire)?,
        }
    }
    Ok(())
}

fn tensor_type(ty: &mut type_proto::Tensor, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::Varint) => ty.elem_type = Some(fields.int()? as i32),
            (2, WireType::LengthDelimited) => shape(ty.shape.get_or_insert_default(), fields.inner()?)?,
            _ => fields.other(ty, tag, wire)?,
        }
    }
    Ok(())
}

fn shape(shape: &mut TensorShapeProto, mut fields: Fields<'_>) -> Done {
    let [dims] = fields.count([1])?;
    shape.dim.reserve_exact(dims);
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => extent(added(&mut shape.dim), fields.inner()?)?,
            _ => fields.other(shape, tag, wire)?,
        }
    }
    Ok(())
}

fn extent(extent: &mut Dimension, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::Varint) => extent.value = Some(dimension::Value::DimValue(fields.int()?)),
            (2, WireType::LengthDelimited) => extent.value = Some(dimension::Value::DimParam(fields.text()?)),
            _ => fields.other(extent, tag, wire)?,
        }
    }
    Ok(())
}

/// A new element at the end of a list.
fn added<T: Default>(list: &mut Vec<T>) -> &mut T {
    let at = list.len();
    list.push(T::default());
    &mut list[at]
}
