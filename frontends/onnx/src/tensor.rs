//! `TensorProto` to [`Tensor`]: raw bytes without copying, typed fields, external data.
//!
//! Nothing is allocated from declared sizes: the data must be there first, and its length must fit the shape.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use egret_ir::{DType, Tensor};

use crate::error::ProblemKind;
use crate::mmap;
use crate::proto::TensorProto;
use crate::proto::tensor_proto::{DataLocation, DataType};

/// The element type of a code of `TensorProto.DataType`.
///
/// # Errors
/// [`ProblemKind::UnknownDtype`] for a code ONNX does not define, [`ProblemKind::UnsupportedDtype`] for the types that
/// tensors here cannot have (strings, complex numbers, 8-bit floats and packed types).
pub fn dtype(code: i32) -> Result<DType, ProblemKind> {
    let known = DataType::try_from(code).map_err(|_| ProblemKind::UnknownDtype { code })?;
    Ok(match known {
        DataType::Float => DType::F32,
        DataType::Uint8 => DType::U8,
        DataType::Int8 => DType::I8,
        DataType::Uint16 => DType::U16,
        DataType::Int16 => DType::I16,
        DataType::Int32 => DType::I32,
        DataType::Int64 => DType::I64,
        DataType::Bool => DType::Bool,
        DataType::Float16 => DType::F16,
        DataType::Double => DType::F64,
        DataType::Uint32 => DType::U32,
        DataType::Uint64 => DType::U64,
        DataType::Bfloat16 => DType::BF16,
        DataType::Undefined => return Err(ProblemKind::UnknownDtype { code }),
        DataType::String
        | DataType::Complex64
        | DataType::Complex128
        | DataType::Float8e4m3fn
        | DataType::Float8e4m3fnuz
        | DataType::Float8e5m2
        | DataType::Float8e5m2fnuz
        | DataType::Uint4
        | DataType::Int4
        | DataType::Float4e2m1
        | DataType::Float8e8m0
        | DataType::Uint2
        | DataType::Int2
        | DataType::Float6e2m3
        | DataType::Float6e3m2 => {
            return Err(ProblemKind::UnsupportedDtype { dtype: known.as_str_name().to_lowercase() });
        }
    })
}

/// The code of `TensorProto.DataType` for an element type.
pub fn code(dtype: DType) -> i32 {
    let known = match dtype {
        DType::F16 => DataType::Float16,
        DType::BF16 => DataType::Bfloat16,
        DType::F32 => DataType::Float,
        DType::F64 => DataType::Double,
        DType::I8 => DataType::Int8,
        DType::I16 => DataType::Int16,
        DType::I32 => DataType::Int32,
        DType::I64 => DataType::Int64,
        DType::U8 => DataType::Uint8,
        DType::U16 => DataType::Uint16,
        DType::U32 => DataType::Uint32,
        DType::U64 => DataType::Uint64,
        DType::Bool => DataType::Bool,
    };
    known as i32
}

/// The files beside a model that hold its tensors, each mapped once.
pub struct External {
    folder: Option<PathBuf>,
    files: BTreeMap<String, Bytes>,
}

impl External {
    /// For a model in `folder`; `None` for a model that came from memory and may have no external data.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), files: BTreeMap::new() }
    }

    /// The bytes that `tensor.external_data` names.
    fn bytes(&mut self, tensor: &TensorProto) -> Result<Bytes, ProblemKind> {
        let value = |key: &str| tensor.external_data.iter().find(|e| e.key() == key).map(|e| e.value().to_owned());
        let number = |key: &str| {
            value(key).map_or(Ok(None), |text| {
                let parsed = text.parse::<u64>().map(Some);
                parsed.map_err(|_| ProblemKind::ExternalNumber { key: key.to_owned(), value: text })
            })
        };
        let location = value("location").ok_or(ProblemKind::NoLocation)?;
        let offset = number("offset")?.unwrap_or(0);
        let length = number("length")?;
        let file = self.file(&location)?;
        let size = file.len() as u64;
        let length = length.unwrap_or_else(|| size.saturating_sub(offset));
        let end = offset.checked_add(length).filter(|end| *end <= size);
        match end {
            Some(end) => Ok(file.slice(offset as usize..end as usize)),
            None => Err(ProblemKind::ExternalBeyondEnd { location, size, offset, length }),
        }
    }

    fn file(&mut self, location: &str) -> Result<Bytes, ProblemKind> {
        if let Some(known) = self.files.get(location) {
            return Ok(known.clone());
        }
        let outside = || ProblemKind::ExternalOutside { location: location.to_owned() };
        let unreadable = |e: &dyn std::fmt::Display| ProblemKind::ExternalUnreadable {
            location: location.to_owned(),
            reason: e.to_string(),
        };
        let relative = Path::new(location);
        let inside = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if location.is_empty() || !inside {
            return Err(outside());
        }
        let folder = self.folder.as_ref().ok_or_else(|| unreadable(&"the model has no folder"))?;
        let folder = folder.canonicalize().map_err(|e| unreadable(&e))?;
        let path = folder.join(relative).canonicalize().map_err(|e| unreadable(&e))?;
        if !path.starts_with(&folder) {
            return Err(outside());
        }
        let bytes = mmap::map(&path).map_err(|e| unreadable(&e))?;
        self.files.insert(location.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

/// The tensor of a proto.
pub fn decode(proto: &TensorProto, external: &mut External) -> Result<Tensor, ProblemKind> {
    let dtype = dtype(proto.data_type())?;
    let shape = shape(proto)?;
    let count = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d as u64));
    let expected = count
        .and_then(|n| n.checked_mul(dtype.size() as u64))
        .filter(|n| isize::try_from(*n).is_ok())
        .ok_or_else(|| ProblemKind::TooLarge { shape: format!("{dtype}{shape:?}") })?;
    let bytes = if proto.data_location() == DataLocation::External {
        external.bytes(proto)?
    } else if let Some(raw) = &proto.raw_data {
        raw.clone()
    } else {
        typed_field(proto, dtype)
    };
    if bytes.len() as u64 != expected {
        return Err(ProblemKind::DataLength { expected, got: bytes.len() as u64 });
    }
    let bytes = if dtype == DType::Bool && bytes.iter().any(|b| *b > 1) {
        bytes.iter().map(|b| u8::from(*b != 0)).collect()
    } else {
        bytes
    };
    Tensor::new(dtype, shape, bytes).map_err(|e| ProblemKind::TooLarge { shape: e.to_string() })
}

fn shape(proto: &TensorProto) -> Result<Vec<usize>, ProblemKind> {
    let extent = |d: &i64| usize::try_from(*d).map_err(|_| ProblemKind::NegativeExtent { extent: *d });
    proto.dims.iter().map(extent).collect()
}

/// The bytes of `float_data`, `int32_data`, ...: narrow types travel one per `int32_data` element, as their bits.
fn typed_field(proto: &TensorProto, dtype: DType) -> Bytes {
    let ints = &proto.int32_data;
    match dtype {
        DType::F32 => proto.float_data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F64 => proto.double_data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::I64 => proto.int64_data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::U64 => proto.uint64_data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::U32 => proto.uint64_data.iter().flat_map(|x| (*x as u32).to_le_bytes()).collect(),
        DType::I32 => ints.iter().flat_map(|x| x.to_le_bytes()).collect(),
        DType::F16 | DType::BF16 | DType::I16 | DType::U16 => {
            ints.iter().flat_map(|x| (*x as u16).to_le_bytes()).collect()
        }
        DType::I8 | DType::U8 | DType::Bool => ints.iter().map(|x| *x as u8).collect(),
    }
}
