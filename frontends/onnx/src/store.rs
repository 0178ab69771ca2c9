//! A model as files: one protobuf message, or a message and its large tensors in a file beside it.
//!
//! Both are streamed: tensor data goes from where it is (often a mapped file) to the writer, a message of gigabytes is never
//! built in memory.

use std::collections::BTreeMap;
use std::io::{self, Write};

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::proto::tensor_proto::DataLocation;
use crate::proto::{GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto};
use crate::tensor;

/// What a protobuf message holds at most: runtimes refuse a file of more.
pub const MAX_MESSAGE: u64 = i32::MAX as u64;

/// Tensors below this many bytes stay in the message unless asked otherwise: shapes and scalars are read by name.
pub const THRESHOLD: u64 = 1024;

/// Data from this size on begins at a page, so that a runtime can map it; smaller data at a multiple of [`SMALL_ALIGN`].
const PAGED: u64 = 64 * 1024;
const PAGE: u64 = 4096;
const SMALL_ALIGN: u64 = 64;

/// Data shorter than this is copied into its message before it is written.
const STREAMED: usize = 16 * 1024;

/// The contents of a data file.
#[derive(Debug, Clone, Default)]
pub struct Data {
    /// Where each block begins, and its bytes; ascending, without overlaps.
    pub blocks: Vec<(u64, Bytes)>,
    /// Size of the file.
    pub size: u64,
}

impl Data {
    /// Writes the file, zeros between blocks.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut at = 0;
        for (offset, bytes) in &self.blocks {
            zeros(out, offset - at)?;
            out.write_all(bytes)?;
            at = offset + bytes.len() as u64;
        }
        zeros(out, self.size - at)
    }
}

fn zeros(out: &mut dyn Write, count: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), count), out).map(|_| ())
}

/// Moves the data of every constant of at least `threshold` bytes into a data file, of which `location` is the name beside
/// the model. Constants are initializers and values of Constant nodes, bodies included: what runtimes look for outside.
/// Constants that share their bytes in memory share them in the file.
pub fn externalize(model: &mut ModelProto, location: &str, threshold: u64) -> Data {
    let mut out = Externalizer { location, threshold, data: Data::default(), places: BTreeMap::new() };
    if let Some(graph) = &mut model.graph {
        out.graph(graph);
    }
    for node in model.functions.iter_mut().flat_map(|f| &mut f.node) {
        out.node(node);
    }
    out.data
}

struct Externalizer<'a> {
    location: &'a str,
    threshold: u64,
    data: Data,
    /// Offset by address and length.
    places: BTreeMap<(usize, usize), u64>,
}

impl Externalizer<'_> {
    fn graph(&mut self, graph: &mut GraphProto) {
        graph.initializer.iter_mut().for_each(|t| self.tensor(t));
        graph.node.iter_mut().for_each(|n| self.node(n));
    }

    fn node(&mut self, node: &mut NodeProto) {
        let constant = node.op_type() == "Constant" && node.domain().is_empty();
        for a in &mut node.attribute {
            if constant {
                a.t.iter_mut().for_each(|t| self.tensor(t));
            }
            a.g.as_deref_mut().into_iter().chain(&mut a.graphs).for_each(|g| self.graph(g));
        }
    }

    fn tensor(&mut self, t: &mut TensorProto) {
        tensor::to_raw(t, self.threshold);
        let Some(bytes) = t.raw_data.take_if(|raw| !raw.is_empty() && raw.len() as u64 >= self.threshold) else {
            return;
        };
        let size = bytes.len() as u64;
        let end = &mut self.data.size;
        let blocks = &mut self.data.blocks;
        let offset = *self.places.entry((bytes.as_ptr() as usize, bytes.len())).or_insert_with(|| {
            let offset = end.next_multiple_of(if size >= PAGED { PAGE } else { SMALL_ALIGN });
            *end = offset + size;
            blocks.push((offset, bytes));
            offset
        });
        let entry = |key: &str, value: String| StringStringEntryProto { key: Some(key.to_owned()), value: Some(value) };
        t.external_data = vec![
            entry("location", self.location.to_owned()),
            entry("offset", offset.to_string()),
            entry("length", size.to_string()),
        ];
        t.data_location = Some(DataLocation::External as i32);
    }
}

/// Bytes of a model as one message.
pub fn message_bytes(model: &ModelProto) -> u64 {
    model.encoded_len() as u64
}

/// Writes a model as one message, byte for byte what [`prost::Message::encode_to_vec`] gives.
///
/// # Errors
/// What the writer says.
pub fn write(mut model: ModelProto, out: &mut dyn Write) -> io::Result<()> {
    let Some(mut graph) = model.graph.take() else { return out.write_all(&model.encode_to_vec()) };
    // A message's fields go out in the order of their numbers: a part of it before the streamed field, the rest after.
    let tail = ModelProto {
        opset_import: std::mem::take(&mut model.opset_import),
        metadata_props: std::mem::take(&mut model.metadata_props),
        training_info: std::mem::take(&mut model.training_info),
        functions: std::mem::take(&mut model.functions),
        configuration: std::mem::take(&mut model.configuration),
        ..ModelProto::default()
    };
    out.write_all(&model.encode_to_vec())?;
    header(out, 7, graph.encoded_len())?;
    let tensors = std::mem::take(&mut graph.initializer);
    let head = GraphProto { node: std::mem::take(&mut graph.node), name: graph.name.take(), ..GraphProto::default() };
    for node in &head.node {
        header(out, 1, node.encoded_len())?;
        out.write_all(&node.encode_to_vec())?;
    }
    out.write_all(&GraphProto { node: Vec::new(), ..head }.encode_to_vec())?;
    for t in tensors {
        header(out, 5, t.encoded_len())?;
        write_tensor(t, out)?;
    }
    out.write_all(&graph.encode_to_vec())?;
    out.write_all(&tail.encode_to_vec())
}

/// A tensor without its key and length.
fn write_tensor(mut t: TensorProto, out: &mut dyn Write) -> io::Result<()> {
    let Some(raw) = t.raw_data.take_if(|raw| raw.len() >= STREAMED) else { return out.write_all(&t.encode_to_vec()) };
    let tail = TensorProto {
        double_data: std::mem::take(&mut t.double_data),
        uint64_data: std::mem::take(&mut t.uint64_data),
        doc_string: t.doc_string.take(),
        external_data: std::mem::take(&mut t.external_data),
        data_location: t.data_location.take(),
        metadata_props: std::mem::take(&mut t.metadata_props),
        ..TensorProto::default()
    };
    out.write_all(&t.encode_to_vec())?;
    header(out, 9, raw.len())?;
    out.write_all(&raw)?;
    out.write_all(&tail.encode_to_vec())
}

/// Key and length of a message or of bytes.
fn header(out: &mut dyn Write, field: u32, length: usize) -> io::Result<()> {
    let mut head = Vec::with_capacity(16);
    encode_key(field, WireType::LengthDelimited, &mut head);
    encode_varint(length as u64, &mut head);
    out.write_all(&head)
}

/// A model to compare others with: its message without the large data of its initializers, and that data, shared.
pub struct Snapshot {
    message: Vec<u8>,
    data: Vec<Bytes>,
}

impl Snapshot {
    /// Of a model; only the message is copied.
    pub fn new(model: &ModelProto) -> Self {
        let mut model = model.clone();
        let mut data = Vec::new();
        for t in model.graph.iter_mut().flat_map(|g| &mut g.initializer) {
            data.extend(t.raw_data.take_if(|raw| raw.len() >= STREAMED));
        }
        Self { message: model.encode_to_vec(), data }
    }
}

impl PartialEq for Snapshot {
    /// To the bit; data that both share is not looked at.
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Bytes, &Bytes)| a.len() == b.len() && (a.as_ptr() == b.as_ptr() || a == b);
        self.message == other.message
            && self.data.len() == other.data.len()
            && self.data.iter().zip(&other.data).all(same)
    }
}
