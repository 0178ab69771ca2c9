//! What the project does not set out to do, told from the model itself: each test of such a kind is counted apart.

use std::collections::{BTreeMap, BTreeSet};

use egret_onnx::inline::subgraphs;
use egret_onnx::proto::tensor_proto::DataType;
use egret_onnx::proto::type_proto::Value;
use egret_onnx::proto::{GraphProto, ModelProto, NodeProto, TensorProto, TypeProto};
use serde::{Deserialize, Serialize};

/// Why a test is not for this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// An operator of a domain other than `ai.onnx` without a body in the model.
    OtherDomains,
    /// Texts, pictures, or an operator on them.
    StringsAndMedia,
    /// Results that depend on a generator of random numbers.
    Random,
    /// Elements of less than 8 bits, or 8-bit floats.
    NarrowDtypes,
    /// Sequences, optionals or maps that come in, go out or are carried round a loop: their length is not static.
    Sequences,
    /// Values that are NaN or Inf, where rules run that promise nothing about them.
    NotFinite,
}

impl Category {
    /// Its name, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::OtherDomains => "other domains",
            Self::StringsAndMedia => "strings and media",
            Self::Random => "random",
            Self::NarrowDtypes => "dtypes below 8 bits and FP8",
            Self::Sequences => "sequences and optionals that are not static",
            Self::NotFinite => "NaN or Inf, beyond the numeric class",
        }
    }
}

const TEXT: &[&str] =
    &["ImageDecoder", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"];

const RANDOM: &[&str] =
    &["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"];

/// The categories a model falls into; `given` are small values of its inputs by name, which decide whether Dropout trains.
pub fn of(model: &ModelProto, given: &dyn Fn(&str) -> Option<f64>) -> BTreeSet<Category> {
    let mut seen = Seen::default();
    let functions: BTreeSet<(&str, &str)> = model.functions.iter().map(|f| (f.domain(), f.name())).collect();
    if let Some(graph) = &model.graph {
        seen.graph(graph);
        let constants = constants(graph);
        let value = |name: &str| constants.get(name).copied().or_else(|| given(name));
        seen.dropout |= graph.node.iter().any(|n| trains(n, &value));
    }
    for node in model.functions.iter().flat_map(|f| &f.node) {
        seen.node(node);
    }
    let mut out = seen.categories;
    let standard = |domain: &str| domain.is_empty() || domain == "ai.onnx" || domain == "com.microsoft";
    if seen
        .operators
        .iter()
        .any(|(domain, op)| !standard(domain) && !functions.contains(&(domain.as_str(), op.as_str())))
    {
        out.insert(Category::OtherDomains);
    }
    let is = |list: &[&str]| seen.operators.iter().any(|(_, op)| list.contains(&op.as_str()));
    if is(TEXT) {
        out.insert(Category::StringsAndMedia);
    }
    if is(RANDOM) || seen.dropout {
        out.insert(Category::Random);
    }
    out
}

#[derive(Default)]
struct Seen {
    operators: BTreeSet<(String, String)>,
    categories: BTreeSet<Category>,
    dropout: bool,
}

impl Seen {
    fn graph(&mut self, graph: &GraphProto) {
        for info in graph.input.iter().chain(&graph.output) {
            if let Some(ty) = &info.r#type {
                self.edge(ty);
            }
        }
        for info in &graph.value_info {
            if let Some(ty) = &info.r#type {
                self.ty(ty);
            }
        }
        for t in &graph.initializer {
            self.tensor(t);
        }
        for node in &graph.node {
            self.node(node);
        }
    }

    fn node(&mut self, node: &NodeProto) {
        self.operators.insert((node.domain().to_owned(), node.op_type().to_owned()));
        for a in &node.attribute {
            for t in a.t.as_deref().into_iter().chain(&a.tensors) {
                self.tensor(t);
            }
            if let Some(ty) = &a.tp {
                self.ty(ty);
            }
            // `to`, `output_dtype`, ...: dtypes by their code.
            if matches!(a.name(), "to" | "dtype" | "output_dtype")
                && let Some(code) = a.i
            {
                self.code(code as i32);
            }
        }
        for body in subgraphs(node) {
            self.graph(body);
        }
    }

    /// The type of a value that enters or leaves a graph.
    fn edge(&mut self, ty: &TypeProto) {
        if let Some(Value::SequenceType(_) | Value::OptionalType(_) | Value::MapType(_)) = &ty.value {
            self.categories.insert(Category::Sequences);
        }
        self.ty(ty);
    }

    fn ty(&mut self, ty: &TypeProto) {
        match &ty.value {
            Some(Value::TensorType(t)) => self.code(t.elem_type()),
            Some(Value::SparseTensorType(t)) => self.code(t.elem_type()),
            Some(Value::SequenceType(s)) => s.elem_type.iter().for_each(|ty| self.ty(ty)),
            Some(Value::OptionalType(o)) => o.elem_type.iter().for_each(|ty| self.ty(ty)),
            Some(Value::MapType(m)) => m.value_type.iter().for_each(|ty| self.ty(ty)),
            Some(Value::OpaqueType(_)) | None => {}
        }
    }

    fn tensor(&mut self, t: &TensorProto) {
        self.code(t.data_type());
    }

    fn code(&mut self, code: i32) {
        match DataType::try_from(code) {
            Ok(DataType::String) => {
                self.categories.insert(Category::StringsAndMedia);
            }
            Ok(
                DataType::Float8e4m3fn
                | DataType::Float8e4m3fnuz
                | DataType::Float8e5m2
                | DataType::Float8e5m2fnuz
                | DataType::Float8e8m0
                | DataType::Uint4
                | DataType::Int4
                | DataType::Float4e2m1
                | DataType::Uint2
                | DataType::Int2
                | DataType::Float6e2m3
                | DataType::Float6e3m2,
            ) => {
                self.categories.insert(Category::NarrowDtypes);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// Whether a Dropout drops: it trains, and at a ratio other than 0. Both come as operands since opset 12.
fn trains(node: &NodeProto, value: &dyn Fn(&str) -> Option<f64>) -> bool {
    let operand = |i: usize| node.input.get(i).filter(|n| !n.is_empty());
    node.op_type() == "Dropout"
        && operand(2).is_some_and(|mode| value(mode) != Some(0.0))
        && operand(1).is_none_or(|ratio| value(ratio) != Some(0.0))
}

/// Single numbers among a graph's constants, by name.
fn constants(graph: &GraphProto) -> BTreeMap<String, f64> {
    let nodes = graph.node.iter().filter(|n| n.op_type() == "Constant");
    let made =
        nodes.filter_map(|n| Some((n.output.first()?.as_str(), n.attribute.iter().find_map(|a| a.t.as_deref())?)));
    let stored = graph.initializer.iter().map(|t| (t.name(), t));
    made.chain(stored).filter_map(|(name, t)| Some((name.to_owned(), single(t)?))).collect()
}

fn single(t: &TensorProto) -> Option<f64> {
    if t.dims.iter().any(|d| *d != 1) {
        return None;
    }
    let value = egret_onnx::tensor::decode(t).ok()?;
    value.to_f64().first().copied()
}
