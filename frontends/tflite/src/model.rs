//! A verified flatbuffer as plain tables: tensors with their types, constants and quantization, operators by name.

use std::sync::Arc;

use bytes::Bytes;
use egret_ir::{DType, Tensor};
use flatbuffers::VerifierOptions;

use crate::error::{Place, Problem, ProblemKind, ReadError};
use crate::quant::Quant;
use crate::schema::tflite;

/// The schema version that all models of today have.
const VERSION: u32 = 3;

/// A tensor of the main subgraph.
#[derive(Debug, Clone)]
pub struct TensorInfo {
    /// Its name, made unique; never empty.
    pub name: Arc<str>,
    /// Element type; the name of one that is not supported.
    pub dtype: Result<DType, String>,
    /// Extents; −1 is unknown.
    pub shape: Vec<i64>,
    /// Its value, where it is a constant.
    pub data: Option<Bytes>,
    /// What its integers stand for.
    pub quant: Option<Quant>,
    /// Why it cannot be used, where that is so.
    pub unsupported: Option<&'static str>,
}

impl TensorInfo {
    /// The value of a constant.
    pub fn tensor(&self) -> Option<Result<Tensor, ProblemKind>> {
        let data = self.data.as_ref()?;
        Some(self.decode(data))
    }

    fn decode(&self, data: &Bytes) -> Result<Tensor, ProblemKind> {
        let dtype = self.dtype.clone().map_err(|dtype| ProblemKind::ElementType { dtype })?;
        let extent = |d: &i64| usize::try_from(*d).map_err(|_| ProblemKind::NegativeExtent { extent: *d });
        let shape = self.shape.iter().map(extent).collect::<Result<Vec<usize>, _>>()?;
        let too_large = || ProblemKind::TooLarge { shape: format!("{dtype}{shape:?}") };
        let count = shape.iter().try_fold(dtype.size(), |n, d| n.checked_mul(*d)).ok_or_else(too_large)?;
        if count != data.len() {
            return Err(ProblemKind::DataLength { expected: count as u64, got: data.len() as u64 });
        }
        // Any byte but 0 is true.
        let data = if dtype == DType::Bool && data.iter().any(|b| *b > 1) {
            data.iter().map(|b| u8::from(*b != 0)).collect::<Vec<u8>>().into()
        } else {
            data.clone()
        };
        Tensor::new(dtype, shape, data).map_err(|e| ProblemKind::Quantization { what: e.to_string() })
    }
}

/// An operator of the main subgraph.
pub struct OperatorInfo<'a> {
    /// Its place.
    pub place: Place,
    /// The builtin operator's name; None for a custom one.
    pub builtin: Option<&'static str>,
    /// Operands; None where left out.
    pub inputs: Vec<Option<usize>>,
    /// Results.
    pub outputs: Vec<usize>,
    /// Its options.
    pub table: tflite::Operator<'a>,
}

/// The main subgraph of a model.
pub struct Model<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its tensors.
    pub tensors: Vec<TensorInfo>,
    /// Parameters.
    pub inputs: Vec<usize>,
    /// Results.
    pub outputs: Vec<usize>,
    /// Its operators, in order of execution.
    pub operators: Vec<OperatorInfo<'a>>,
}

/// Verifies a flatbuffer and takes its main subgraph apart.
pub fn open(bytes: &Bytes) -> Result<Model<'_>, ReadError> {
    if bytes.get(4..8).is_none_or(|id| id != crate::MAGIC) {
        return Err(ReadError::one(ProblemKind::NotAModel));
    }
    // A table takes at least 8 bytes; a file that shares one many times is not trusted to be honest.
    let options = VerifierOptions { max_tables: bytes.len() / 8 + 1024, ..VerifierOptions::default() };
    let model = tflite::root_as_model_with_opts(&options, bytes).map_err(|e| {
        let text = e.to_string();
        let reason = text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
        ReadError::one(ProblemKind::Damaged { reason })
    })?;
    if model.version() != VERSION {
        return Err(ReadError::one(ProblemKind::Version { version: model.version() }));
    }
    let subgraphs = model.subgraphs().ok_or_else(|| ReadError::one(ProblemKind::Missing { part: "subgraphs" }))?;
    if subgraphs.is_empty() {
        return Err(ReadError::one(ProblemKind::Missing { part: "subgraphs" }));
    }
    let mut parse = Parse { bytes, model, problems: Vec::new() };
    let read = parse.subgraph(subgraphs.get(0));
    if parse.problems.is_empty() { Ok(read) } else { Err(ReadError { problems: parse.problems }) }
}

struct Parse<'a> {
    bytes: &'a Bytes,
    model: tflite::Model<'a>,
    problems: Vec<Problem>,
}

impl<'a> Parse<'a> {
    fn fault(&mut self, place: Option<Place>, field: String, kind: ProblemKind) {
        self.problems.push(Problem { place, field, kind });
    }

    fn subgraph(&mut self, graph: tflite::SubGraph<'a>) -> Model<'a> {
        let mut tensors: Vec<TensorInfo> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        for (i, t) in graph.tensors().iter().flatten().enumerate() {
            let info = self.tensor(i, t, &mut names);
            tensors.push(info);
        }
        let count = tensors.len();
        let mut list = |what: &'static str, list: Option<flatbuffers::Vector<'a, i32>>| -> Vec<usize> {
            let mut out = Vec::new();
            for i in list.iter().flatten() {
                match usize::try_from(i).ok().filter(|i| *i < count) {
                    Some(i) => out.push(i),
                    None => {
                        let kind = ProblemKind::Index { what: "tensor", index: i64::from(i), count };
                        self.problems.push(Problem { place: None, field: what.to_owned(), kind });
                    }
                }
            }
            out
        };
        let inputs = list("inputs of the subgraph", graph.inputs());
        let outputs = list("outputs of the subgraph", graph.outputs());
        let mut operators = Vec::new();
        for (i, op) in graph.operators().iter().flatten().enumerate() {
            if let Some(op) = self.operator(i, op, &tensors) {
                operators.push(op);
            }
        }
        Model { name: graph.name().unwrap_or("main"), tensors, inputs, outputs, operators }
    }

    fn tensor(
        &mut self,
        index: usize,
        t: tflite::Tensor<'a>,
        names: &mut std::collections::BTreeSet<Arc<str>>,
    ) -> TensorInfo {
        let given = t.name().unwrap_or_default();
        let mut name: Arc<str> = if given.is_empty() { format!("tensor.{index}").into() } else { given.into() };
        while !names.insert(name.clone()) {
            name = format!("{name}#{index}").into();
        }
        let field = format!("tensor {index} ({name:?})");
        let extents = |v: flatbuffers::Vector<'a, i32>| v.iter().map(i64::from).collect::<Vec<i64>>();
        let shape = t.shape().map(extents).unwrap_or_default();
        // Unknown extents are told beside those that the converter saw.
        let signature = t.shape_signature().map(extents).filter(|s| s.len() == shape.len()).unwrap_or(shape);
        if let Some(extent) = signature.iter().copied().find(|d| *d < -1) {
            self.fault(None, field.clone(), ProblemKind::NegativeExtent { extent });
        }
        let dtype = element(t.type_());
        let data = self.data(&field, t.buffer());
        let quant = match t.quantization().map(|q| quantization(q, &signature)) {
            None => None,
            Some(Ok(q)) => q,
            Some(Err(what)) => {
                self.fault(None, field, ProblemKind::Quantization { what });
                None
            }
        };
        let unsupported = if t.sparsity().is_some() {
            Some("a sparse tensor")
        } else if t.is_variable() {
            Some("a variable tensor (state between runs)")
        } else {
            None
        };
        TensorInfo { name, dtype, shape: signature, data, quant, unsupported }
    }

    /// The bytes of a buffer; None where it is empty.
    fn data(&mut self, field: &str, index: u32) -> Option<Bytes> {
        let buffers = self.model.buffers();
        let count = buffers.map_or(0, |b| b.len());
        let Some(buffer) = buffers.filter(|_| (index as usize) < count).map(|b| b.get(index as usize)) else {
            if index != 0 {
                let kind = ProblemKind::Index { what: "buffer", index: i64::from(index), count };
                self.fault(None, field.to_owned(), kind);
            }
            return None;
        };
        // Models beyond 2 GiB keep data behind the flatbuffer.
        if buffer.offset() > 1 {
            let range = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.size()).ok());
            let range =
                range.and_then(|(at, len)| Some(at..at.checked_add(len)?)).filter(|r| r.end <= self.bytes.len());
            if range.is_none() {
                let kind = ProblemKind::DataLength {
                    expected: buffer.offset().saturating_add(buffer.size()),
                    got: self.bytes.len() as u64,
                };
                self.fault(None, field.to_owned(), kind);
            }
            return range.map(|r| self.bytes.slice(r));
        }
        let data = buffer.data()?.bytes();
        (!data.is_empty()).then(|| self.bytes.slice_ref(data))
    }

    fn operator(&mut self, index: usize, op: tflite::Operator<'a>, tensors: &[TensorInfo]) -> Option<OperatorInfo<'a>> {
        let codes = self.model.operator_codes();
        let count = codes.map_or(0, |c| c.len());
        let code = codes.filter(|_| (op.opcode_index() as usize) < count).map(|c| c.get(op.opcode_index() as usize));
        let first = op.outputs().filter(|o| !o.is_empty()).and_then(|o| usize::try_from(o.get(0)).ok());
        let name = first.and_then(|i| tensors.get(i)).map_or_else(String::new, |t| t.name.to_string());
        let mut place = Place { subgraph: 0, index, op: String::new(), name };
        let Some(code) = code else {
            let kind = ProblemKind::Index { what: "operator code", index: i64::from(op.opcode_index()), count };
            self.fault(Some(place), String::new(), kind);
            return None;
        };
        // Codes beyond a byte are in the second field.
        let number = code.builtin_code().0.max(i32::from(code.deprecated_builtin_code()));
        let builtin = tflite::BuiltinOperator(number);
        let builtin = if builtin == tflite::BuiltinOperator::CUSTOM {
            place.op = format!("custom {:?}", code.custom_code().unwrap_or_default());
            None
        } else if let Some(name) = builtin.variant_name() {
            name.clone_into(&mut place.op);
            Some(name)
        } else {
            place.op = format!("builtin {number}");
            None
        };
        let mut sound = true;
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        let mut bad = |parse: &mut Self, field: &str, i: i32| {
            let kind = ProblemKind::Index { what: "tensor", index: i64::from(i), count: tensors.len() };
            parse.fault(Some(place.clone()), field.to_owned(), kind);
            sound = false;
        };
        let known = |i: i32| usize::try_from(i).ok().filter(|i| *i < tensors.len());
        for (k, i) in op.inputs().iter().flatten().enumerate() {
            match known(i) {
                Some(i) => inputs.push(Some(i)),
                None if i == -1 => inputs.push(None),
                None => bad(self, &format!("input {k}"), i),
            }
        }
        for (k, i) in op.outputs().iter().flatten().enumerate() {
            match known(i) {
                Some(i) => outputs.push(i),
                None => bad(self, &format!("output {k}"), i),
            }
        }
        sound.then_some(OperatorInfo { place, builtin, inputs, outputs, table: op })
    }
}

/// The element type, or the name of one that is not supported.
fn element(t: tflite::TensorType) -> Result<DType, String> {
    Ok(match t {
        tflite::TensorType::FLOAT32 => DType::F32,
        tflite::TensorType::FLOAT16 => DType::F16,
        tflite::TensorType::FLOAT64 => DType::F64,
        tflite::TensorType::BFLOAT16 => DType::BF16,
        tflite::TensorType::INT8 => DType::I8,
        tflite::TensorType::INT16 => DType::I16,
        tflite::TensorType::INT32 => DType::I32,
        tflite::TensorType::INT64 => DType::I64,
        tflite::TensorType::UINT8 => DType::U8,
        tflite::TensorType::UINT16 => DType::U16,
        tflite::TensorType::UINT32 => DType::U32,
        tflite::TensorType::UINT64 => DType::U64,
        tflite::TensorType::BOOL => DType::Bool,
        other => return Err(other.variant_name().map_or_else(|| format!("code {}", other.0), str::to_owned)),
    })
}

/// Quantization parameters; None where the table has no scales.
fn quantization(q: tflite::QuantizationParameters<'_>, shape: &[i64]) -> Result<Option<Quant>, String> {
    let scales: Vec<f32> = q.scale().iter().flatten().collect();
    if scales.is_empty() {
        return Ok(None);
    }
    if q.details_type() != tflite::QuantizationDetails::NONE {
        return Err("of a custom kind".to_owned());
    }
    if let Some(s) = scales.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
        return Err(format!("scale {s} is not a positive number"));
    }
    let mut zeros: Vec<i64> = q.zero_point().iter().flatten().collect();
    if zeros.is_empty() {
        zeros.push(0);
    }
    if zeros.len() == 1 {
        zeros = vec![zeros[0]; scales.len()];
    }
    if zeros.len() != scales.len() {
        return Err(format!("has {} scales and {} zero points", scales.len(), zeros.len()));
    }
    let axis = if scales.len() == 1 {
        None
    } else {
        let axis = usize::try_from(q.quantized_dimension()).ok();
        let axis = axis.filter(|a| shape.get(*a).is_some_and(|d| *d == scales.len() as i64));
        Some(axis.ok_or_else(|| format!("has {} scales along axis {}", scales.len(), q.quantized_dimension()))?)
    };
    Ok(Some(Quant { scales, zeros, axis }))
}
