//! Protobuf bytes to messages: what `prost` would make of them, with exactly the room it takes.
//!
//! Most of a model is many short lists: operands, results, attributes, extents. Grown element by element, each would get
//! room for four elements first (1.3 KiB for a node's one attribute). So in the messages that come by the thousand the
//! elements of a list are counted before the first is read; every other field goes to `prost` as it is. Raw tensor data
//! stays where it is: it shares the file's bytes.

use bytes::Bytes;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint};

use crate::proto::tensor_shape_proto::{Dimension, dimension};
use crate::proto::type_proto::{self, Value};
use crate::proto::{
    AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto,
};

/// Messages inside each other, at most, as `prost` has it; a field that it reads may go as deep again.
const MAX_DEPTH: u32 = 100;

/// Why bytes are no model, and where.
#[derive(Debug, thiserror::Error)]
#[error("at byte {at}: {why}")]
pub(crate) struct Undecodable {
    at: usize,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
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
        let start = *self;
        decode_key(&mut self.left).map(Some).map_err(|e| start.fault(e))
    }

    /// How many fields come in a row that are like the one whose value comes next.
    fn run(mut self, tag: u32, wire: WireType) -> usize {
        let mut count = 0;
        loop {
            let skipped = if wire == WireType::Varint { self.varint().map(drop) } else { self.bytes().map(drop) };
            if skipped.is_err() {
                return count;
            }
            count += 1;
            if !matches!(self.next(), Ok(Some(next)) if next == (tag, wire)) {
                return count;
            }
        }
    }

    /// Makes room in a list for the element that comes next, and for those behind it.
    #[inline]
    fn room<T>(self, list: &mut Vec<T>, tag: u32, wire: WireType) {
        if list.len() < list.capacity() {
            return;
        }
        let run = self.run(tag, wire);
        // A list is in one piece, nearly always; one in many may not be copied for each of them.
        if list.is_empty() { list.reserve_exact(run) } else { list.reserve(run) }
    }

    /// A message at the end of a list.
    fn push<T: Default>(&mut self, list: &mut Vec<T>, tag: u32, read: impl FnOnce(&mut T, Self) -> Done) -> Done {
        self.room(list, tag, WireType::LengthDelimited);
        let fields = self.inner()?;
        let at = list.len();
        list.push(T::default());
        read(&mut list[at], fields)
    }

    /// A text at the end of a list.
    fn push_text(&mut self, list: &mut Vec<String>, tag: u32) -> Done {
        self.room(list, tag, WireType::LengthDelimited);
        list.push(self.text()?);
        Ok(())
    }

    /// A number at the end of a list.
    fn push_int(&mut self, list: &mut Vec<i64>, tag: u32) -> Done {
        self.room(list, tag, WireType::Varint);
        list.push(self.int()?);
        Ok(())
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, Fault> {
        match self.left {
            [first, left @ ..] if *first < 0x80 => {
                self.left = left;
                Ok(u64::from(*first))
            }
            _ => {
                let start = *self;
                decode_varint(&mut self.left).map_err(|e| start.fault(e))
            }
        }
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let len = self.varint()?;
        let split = usize::try_from(len).ok().and_then(|n| self.left.split_at_checked(n));
        let (bytes, left) = split.ok_or_else(|| self.fault(Why::Short(len)))?;
        self.left = left;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, Fault> {
        let start = *self;
        std::str::from_utf8(self.bytes()?).map(str::to_owned).map_err(|e| start.fault(e))
    }

    fn int(&mut self) -> Result<i64, Fault> {
        Ok(self.varint()? as i64)
    }

    /// The fields of a message that is the next value.
    fn inner(&mut self) -> Result<Self, Fault> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| self.fault(Why::Deep))?;
        Ok(Self { left: self.bytes()?, depth, ..*self })
    }

    /// Hands a field to `prost`.
    fn other(&mut self, message: &mut impl Message, tag: u32, wire: WireType) -> Done {
        let mut bytes = self.file.slice_ref(self.left);
        message.merge_field(tag, wire, &mut bytes, DecodeContext::default()).map_err(|e| self.fault(e))?;
        self.left = &self.left[self.left.len() - bytes.len()..];
        Ok(())
    }

    /// A fault at what comes next.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "results that hold a fault stay small")]
    fn fault(self, why: impl Into<Why>) -> Fault {
        let at = self.left.as_ptr().addr() - self.file.as_ptr().addr();
        Box::new(Undecodable { at, why: why.into() })
    }
}

fn graph(graph: &mut GraphProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => fields.push(&mut graph.node, tag, node)?,
            (5, WireType::LengthDelimited) => fields.push(&mut graph.initializer, tag, tensor)?,
            (11, WireType::LengthDelimited) => fields.push(&mut graph.input, tag, value_info)?,
            (12, WireType::LengthDelimited) => fields.push(&mut graph.output, tag, value_info)?,
            (13, WireType::LengthDelimited) => fields.push(&mut graph.value_info, tag, value_info)?,
            _ => fields.other(graph, tag, wire)?,
        }
    }
    Ok(())
}

fn node(node: &mut NodeProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => fields.push_text(&mut node.input, tag)?,
            (2, WireType::LengthDelimited) => fields.push_text(&mut node.output, tag)?,
            (3, WireType::LengthDelimited) => node.name = Some(fields.text()?),
            (4, WireType::LengthDelimited) => node.op_type = Some(fields.text()?),
            (5, WireType::LengthDelimited) => fields.push(&mut node.attribute, tag, attribute)?,
            (7, WireType::LengthDelimited) => node.domain = Some(fields.text()?),
            _ => fields.other(node, tag, wire)?,
        }
    }
    Ok(())
}

fn attribute(attribute: &mut AttributeProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => attribute.name = Some(fields.text()?),
            (3, WireType::Varint) => attribute.i = Some(fields.int()?),
            (5, WireType::LengthDelimited) => tensor(attribute.t.get_or_insert_default(), fields.inner()?)?,
            (6, WireType::LengthDelimited) => graph(attribute.g.get_or_insert_default(), fields.inner()?)?,
            (8, WireType::Varint) => fields.push_int(&mut attribute.ints, tag)?,
            (11, WireType::LengthDelimited) => fields.push(&mut attribute.graphs, tag, graph)?,
            (20, WireType::Varint) => attribute.r#type = Some(fields.int()? as i32),
            _ => fields.other(attribute, tag, wire)?,
        }
    }
    Ok(())
}

fn tensor(tensor: &mut TensorProto, mut fields: Fields<'_>) -> Done {
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::Varint) => fields.push_int(&mut tensor.dims, tag)?,
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
    while let Some((tag, wire)) = fields.next()? {
        match (tag, wire) {
            (1, WireType::LengthDelimited) => fields.push(&mut shape.dim, tag, extent)?,
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
