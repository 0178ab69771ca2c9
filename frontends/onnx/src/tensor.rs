//! `TensorProto` to [`Tensor`]: raw bytes without copying, typed fields.
//!
//! Nothing is allocated from declared sizes: the data must be there first, and its length must fit the shape.

use bytes::Bytes;
use egret_ir::{DType, Tensor};

use crate::error::ProblemKind;
use crate::proto::TensorProto;
use crate::proto::tensor_proto::DataType;

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

/// The tensor of a proto whose data is in it (see [`crate::external::embed`]).
pub fn decode(proto: &TensorProto) -> Result<Tensor, ProblemKind> {
    let dtype = dtype(proto.data_type())?;
    let shape = shape(proto)?;
    let count = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d as u64));
    let expected = count
        .and_then(|n| n.checked_mul(dtype.size() as u64))
        .filter(|n| isize::try_from(*n).is_ok())
        .ok_or_else(|| ProblemKind::TooLarge { shape: format!("{dtype}{shape:?}") })?;
    let bytes = match &proto.raw_data {
        Some(_) if typed_bytes(proto) > 0 => return Err(ProblemKind::DataTwice),
        Some(raw) => raw.clone(),
        None => typed_field(proto, dtype),
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

/// Turns typed fields of at least `threshold` bytes into raw bytes, so that tensor and proto share them. What does not
/// decode stays as it is.
pub fn to_raw(proto: &mut TensorProto, threshold: u64) {
    if proto.raw_data.is_some() {
        return;
    }
    let typed = typed_bytes(proto);
    if (typed as u64) < threshold || typed == 0 {
        return;
    }
    let Ok(tensor) = decode(proto) else { return };
    proto.raw_data = Some(tensor.bytes().clone());
    proto.float_data = Vec::new();
    proto.int32_data = Vec::new();
    proto.double_data = Vec::new();
    proto.int64_data = Vec::new();
    proto.uint64_data = Vec::new();
}

fn typed_bytes(proto: &TensorProto) -> usize {
    4 * (proto.float_data.len() + proto.int32_data.len())
        + 8 * (proto.double_data.len() + proto.int64_data.len() + proto.uint64_data.len())
}

fn shape(proto: &TensorProto) -> Result<Vec<usize>, ProblemKind> {
    let mut shape = Vec::with_capacity(proto.dims.len());
    for d in &proto.dims {
        shape.push(usize::try_from(*d).map_err(|_| ProblemKind::NegativeExtent { extent: *d })?);
    }
    Ok(shape)
}

/// The bytes of `float_data`, `int32_data`, ...: narrow types travel one per `int32_data` element, as their bits.
fn typed_field(proto: &TensorProto, dtype: DType) -> Bytes {
    fn packed<T: Copy, const N: usize>(list: &[T], bytes: impl Fn(T) -> [u8; N]) -> Bytes {
        let mut out = Vec::with_capacity(list.len() * N);
        for x in list {
            out.extend_from_slice(&bytes(*x));
        }
        out.into()
    }
    let ints = &proto.int32_data;
    match dtype {
        DType::F32 => packed(&proto.float_data, f32::to_le_bytes),
        DType::F64 => packed(&proto.double_data, f64::to_le_bytes),
        DType::I64 => packed(&proto.int64_data, i64::to_le_bytes),
        DType::U64 => packed(&proto.uint64_data, u64::to_le_bytes),
        DType::U32 => packed(&proto.uint64_data, |x| (x as u32).to_le_bytes()),
        DType::I32 => packed(ints, i32::to_le_bytes),
        DType::F16 | DType::BF16 | DType::I16 | DType::U16 => packed(ints, |x| (x as u16).to_le_bytes()),
        DType::I8 | DType::U8 | DType::Bool => packed(ints, |x| [x as u8]),
    }
}
