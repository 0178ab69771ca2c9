//! Inputs of a run: read from files, or generated from a seed.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use egret_ir::op::scalar::Scalar;
use egret_ir::op::spec::DataIx;
use egret_ir::op::{Const, Op};
use egret_ir::{DType, Graph, Literal, Tensor, TensorType, ValueId};

use crate::npy::{self, NpyError};
use crate::rng::Rng;

/// Where one input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSpec {
    /// A `.npy` file.
    File(PathBuf),
    /// Floats: standard normal. Integers: uniform over the whole type where it has 8 bits, else 0 or 1. Bool: a fair coin.
    Random,
    /// Uniform whole numbers in `lo..hi`, in the input's type.
    RandInt {
        /// Smallest.
        lo: i64,
        /// One above the largest.
        hi: i64,
    },
    /// 1 everywhere.
    Ones,
    /// 0 everywhere.
    Zeros,
}

/// A text that is no input spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A range that is not `lo..hi` with `lo < hi`.
    #[error("`{0}`: a range LO..HI with LO < HI is expected after `randint:`")]
    Range(String),
    /// Nothing that is known.
    #[error("`{0}`: expected random, randint:LO..HI, ones, zeros or a .npy file")]
    Unknown(String),
}

impl FromStr for InputSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if let Some(range) = text.strip_prefix("randint:") {
            let parts = range.split_once("..").and_then(|(lo, hi)| Some((lo.parse().ok()?, hi.parse().ok()?)));
            return match parts {
                Some((lo, hi)) if lo < hi => Ok(Self::RandInt { lo, hi }),
                _ => Err(SpecError::Range(text.to_owned())),
            };
        }
        match text {
            "random" => Ok(Self::Random),
            "ones" => Ok(Self::Ones),
            "zeros" => Ok(Self::Zeros),
            file if std::path::Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) => {
                Ok(Self::File(file.into()))
            }
            other => Err(SpecError::Unknown(other.to_owned())),
        }
    }
}

impl fmt::Display for InputSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(p) => write!(f, "{}", p.display()),
            Self::Random => f.write_str("random"),
            Self::RandInt { lo, hi } => write!(f, "randint:{lo}..{hi}"),
            Self::Ones => f.write_str("ones"),
            Self::Zeros => f.write_str("zeros"),
        }
    }
}

/// Why there is no input.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A value other than the one that `--value` fixed.
    #[error("input `{name}` is fixed to another value while reading")]
    Frozen {
        /// The input.
        name: String,
    },
    /// Extents that are not numbers: they must be bound first.
    #[error("input `{name}` has the type {ty}: bind its dimensions first")]
    Symbolic {
        /// Input.
        name: String,
        /// Its type.
        ty: String,
    },
    /// A type no tensor has.
    #[error("input `{name}` is no tensor: {ty}")]
    Foreign {
        /// Input.
        name: String,
        /// Its type.
        ty: String,
    },
    /// More bytes than an address space.
    #[error("input `{name}` of type {ty} is too large")]
    TooLarge {
        /// Input.
        name: String,
        /// Its type.
        ty: String,
    },
    /// A given tensor of another type.
    #[error("input `{name}`: {expected} expected, got {got}")]
    Type {
        /// Input.
        name: String,
        /// The model's type.
        expected: String,
        /// The file's type.
        got: String,
    },
    /// A given tensor that no input asks for.
    #[error("the model has no input `{name}`; its inputs are {known}")]
    Unknown {
        /// As given.
        name: String,
        /// The inputs there are.
        known: String,
    },
    /// A file that cannot be read.
    #[error("input `{name}`: {source}")]
    Npy {
        /// Input.
        name: String,
        /// Why.
        source: NpyError,
    },
}

/// Largest generated input, in bytes (4 GiB).
const MAX_BYTES: usize = 1 << 32;

/// The tensor of an input. `name` picks the stream of the generator, so that inputs do not depend on each other.
pub fn generate(spec: &InputSpec, name: &str, ty: &TensorType, seed: u64) -> Result<Tensor, InputError> {
    let symbolic = || InputError::Symbolic { name: name.to_owned(), ty: ty.to_string() };
    let too_large = || InputError::TooLarge { name: name.to_owned(), ty: ty.to_string() };
    if let InputSpec::File(path) = spec {
        let t = npy::read(path).map_err(|source| InputError::Npy { name: name.to_owned(), source })?;
        fits(name, ty, &t)?;
        return Ok(t);
    }
    let shape = ty.static_shape().ok_or_else(symbolic)?;
    let bytes = ty.byte_size().filter(|b| *b <= MAX_BYTES).ok_or_else(too_large)?;
    let (dtype, count) = (ty.dtype, bytes / ty.dtype.size());
    let mut rng = Rng::named(seed, name);
    let mut out = Vec::with_capacity(bytes);
    for _ in 0..count {
        let literal = match spec {
            InputSpec::File(_) => return Err(symbolic()),
            InputSpec::Random => random(dtype, &mut rng),
            InputSpec::RandInt { lo, hi } => Literal::from_i64(dtype, rng.range(*lo, *hi)),
            InputSpec::Ones => Literal::from_i64(dtype, 1),
            InputSpec::Zeros => Literal::from_i64(dtype, 0),
        };
        out.extend_from_slice(&literal.bits().to_le_bytes()[..dtype.size()]);
    }
    Tensor::new(dtype, shape, out).map_err(|_| too_large())
}

fn random(dtype: DType, rng: &mut Rng) -> Literal {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Literal::from_f64(dtype, rng.normal()),
        DType::I8 | DType::U8 => Literal::from_i64(dtype, rng.range(0, 256)),
        DType::I16 | DType::I32 | DType::I64 | DType::U16 | DType::U32 | DType::U64 | DType::Bool => {
            Literal::from_i64(dtype, rng.range(0, 2))
        }
    }
}

/// Whether a given tensor may be passed as an input of that type (extents that are not numbers fit any).
pub fn fits(name: &str, ty: &TensorType, t: &Tensor) -> Result<(), InputError> {
    let same = t.dtype() == ty.dtype
        && t.shape().len() == ty.rank()
        && t.shape().iter().zip(&ty.shape).all(|(d, e)| e.as_const().is_none_or(|e| e == *d as i64));
    if same {
        return Ok(());
    }
    let got = format!("{}{:?}", t.dtype(), t.shape());
    Err(InputError::Type { name: name.to_owned(), expected: ty.to_string(), got })
}

/// What an input is generated from where the user says nothing: [`InputSpec::Random`], but whole numbers that select
/// rows of a table are drawn from all of its rows, and those that are compared with a list (one-hot encoding) from its
/// range. The value is followed through casts, index movement and the wrapping of negative indices.
pub fn default_spec(graph: &Graph, input: usize) -> InputSpec {
    let Some(ty) = graph.inputs.get(input).and_then(|d| d.ty.as_tensor()) else { return InputSpec::Random };
    if !ty.dtype.is_int() {
        return InputSpec::Random;
    }
    let mut same: Vec<bool> = vec![false; graph.nodes().len()];
    let mut rows: Option<i64> = None;
    let mut listed: Option<(i64, i64)> = None;
    for v in graph.values() {
        let node = graph.node(v);
        let follows = |a: Option<&ValueId>| a.is_some_and(|a| same[a.index()]);
        match &node.op {
            Op::Input(i) => same[v.index()] = *i as usize == input,
            Op::Permute(_) | Op::Reshape(_) | Op::Broadcast(_) | Op::Slice(_) => {
                same[v.index()] = follows(node.args.first());
            }
            Op::Map(Scalar::Cast(to)) => same[v.index()] = to.is_num() && follows(node.args.first()),
            // Wrapping of negative indices comes as select(i < 0, i + n, i).
            Op::Map(Scalar::Select) => same[v.index()] = follows(node.args.get(2)),
            Op::Map(Scalar::Eq) => {
                let other = match (follows(node.args.first()), follows(node.args.get(1))) {
                    (true, false) => node.args.get(1),
                    (false, true) => node.args.first(),
                    (true, true) | (false, false) => None,
                };
                listed = other.and_then(|o| list(graph, *o)).or(listed);
            }
            Op::Gather(spec) if follows(node.args.get(1)) => {
                let shape = node.args.first().and_then(|a| graph.ty(*a).as_tensor()).map(|t| t.shape.as_slice());
                let extents = spec.data.iter().zip(shape.unwrap_or_default()).filter(|(d, _)| **d == DataIx::At);
                for (_, d) in extents {
                    rows = d.as_const().map(|d| rows.map_or(d, |r| r.min(d))).or(rows);
                }
            }
            Op::Const(_)
            | Op::Dim(_)
            | Op::Iota { .. }
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Gather(_)
            | Op::Scatter(..)
            | Op::Map(_)
            | Op::Reduce { .. }
            | Op::Contract { .. }
            | Op::ArgSort { .. }
            | Op::If(..)
            | Op::Loop(_)
            | Op::Call(_)
            | Op::Opaque(_)
            | Op::Proj(_) => {}
        }
    }
    match (rows, listed) {
        (Some(n), _) if n > 0 => InputSpec::RandInt { lo: 0, hi: n },
        (_, Some((lo, hi))) => InputSpec::RandInt { lo, hi },
        _ => InputSpec::Random,
    }
}

/// The range of a constant list of more than two whole numbers, behind index movement and casts.
fn list(graph: &Graph, v: ValueId) -> Option<(i64, i64)> {
    let node = graph.node(v);
    match &node.op {
        Op::Iota { len, .. } => len.as_const().filter(|n| *n > 2).map(|n| (0, n)),
        Op::Const(Const::Dense(id)) => {
            let values = graph.tables.tensor(*id).to_f64();
            let whole = values.len() > 2 && values.iter().all(|x| x.fract() == 0.0 && x.abs() < 1e9);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            whole.then_some((least as i64, most as i64 + 1))
        }
        op if op.is_movement() || matches!(op, Op::Map(Scalar::Cast(_))) => list(graph, *node.args.first()?),
        _ => None,
    }
}

/// The given values with those that were fixed while the model was read, which must not be given otherwise.
pub fn with_frozen(
    given: &[(String, Tensor)],
    frozen: &[(String, Tensor)],
) -> Result<Vec<(String, Tensor)>, InputError> {
    let mut all = given.to_vec();
    for (name, value) in frozen {
        match given.iter().find(|(n, _)| n == name) {
            Some((_, other)) if other != value => return Err(InputError::Frozen { name: name.clone() }),
            Some(_) => {}
            None => all.push((name.clone(), value.clone())),
        }
    }
    Ok(all)
}

/// All inputs of a graph, in order: the given tensors, else generated by the given specs, else by [`default_spec`].
/// Inputs with a default (overridable initializers) are left out unless given.
pub fn for_graph(
    graph: &Graph,
    given: &[(String, Tensor)],
    specs: &[(String, InputSpec)],
    seed: u64,
) -> Result<Vec<(String, Tensor)>, InputError> {
    let known = || graph.inputs.iter().map(|d| format!("`{}`", d.name)).collect::<Vec<_>>().join(", ");
    let named = given.iter().map(|(n, _)| n).chain(specs.iter().map(|(n, _)| n));
    for name in named {
        if !graph.inputs.iter().any(|d| *d.name == **name) {
            return Err(InputError::Unknown { name: name.clone(), known: known() });
        }
    }
    let mut out = Vec::new();
    for (i, decl) in graph.inputs.iter().enumerate() {
        let name = decl.name.to_string();
        let Some(ty) = decl.ty.as_tensor() else {
            return Err(InputError::Foreign { name, ty: decl.ty.to_string() });
        };
        if let Some((_, t)) = given.iter().find(|(n, _)| *n == name) {
            fits(&name, ty, t)?;
            out.push((name, t.clone()));
            continue;
        }
        let spec = specs.iter().find(|(n, _)| *n == name).map(|(_, s)| s.clone());
        if spec.is_none() && decl.default.is_some() {
            continue;
        }
        let t = generate(&spec.unwrap_or_else(|| default_spec(graph, i)), &name, ty, seed)?;
        out.push((name, t));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use egret_ir::op::spec::{GatherSpec, Negative};
    use egret_ir::{Origins, Type};

    use super::*;

    #[test]
    fn specs_print_as_they_parse() {
        for text in ["random", "randint:0..30522", "randint:-5..6", "ones", "zeros", "a/b.npy"] {
            assert_eq!(text.parse::<InputSpec>().unwrap().to_string(), text);
        }
        assert_eq!("randint:3..3".parse::<InputSpec>(), Err(SpecError::Range("randint:3..3".into())));
        assert_eq!("rnd".parse::<InputSpec>(), Err(SpecError::Unknown("rnd".into())));
    }

    #[test]
    fn generation_repeats_and_respects_types() {
        let ty = |d, s: &[usize]| Type::fixed(d, s).as_tensor().unwrap().clone();
        let a = generate(&InputSpec::Random, "x", &ty(DType::F32, &[50]), 1).unwrap();
        assert_eq!(a, generate(&InputSpec::Random, "x", &ty(DType::F32, &[50]), 1).unwrap());
        assert_ne!(a, generate(&InputSpec::Random, "y", &ty(DType::F32, &[50]), 1).unwrap());
        for d in DType::ALL {
            let t = generate(&InputSpec::RandInt { lo: 0, hi: 2 }, "x", &ty(d, &[64]), 3).unwrap();
            assert!(t.to_f64().iter().all(|v| *v == 0.0 || *v == 1.0), "{d}");
        }
        let huge = ty(DType::F64, &[1 << 20, 1 << 20]);
        assert!(matches!(generate(&InputSpec::Ones, "x", &huge, 0), Err(InputError::TooLarge { .. })));
    }

    #[test]
    fn one_hot_codes_cover_their_list() {
        let mut g = Graph::new("g");
        let bytes = g.input("bytes", Type::fixed(DType::I32, &[4]));
        let x = g.add(Op::Broadcast([(1, 7usize.into())].into()), &[bytes], Origins::none()).unwrap();
        let codes = g.add(Op::Iota { len: 7usize.into(), dtype: DType::I32 }, &[], Origins::none()).unwrap();
        let codes = g.add(Op::Broadcast([(0, 4usize.into())].into()), &[codes], Origins::none()).unwrap();
        let hot = g.add(Op::Map(Scalar::Eq), &[x, codes], Origins::none()).unwrap();
        g.output("hot", hot);
        assert_eq!(default_spec(&g, 0), InputSpec::RandInt { lo: 0, hi: 7 });
    }

    #[test]
    fn token_ids_cover_the_table() {
        let mut g = Graph::new("g");
        let ids = g.input("ids", Type::fixed(DType::I64, &[2, 3]));
        let table = g.constant(Tensor::from_slice([30, 4], &[0f32; 120]).unwrap());
        let spec = GatherSpec::along(2, 0, 2, Negative::Wraps).unwrap();
        let y = g.add(Op::Gather(spec), &[table, ids], Origins::none()).unwrap();
        g.output("y", y);
        assert_eq!(default_spec(&g, 0), InputSpec::RandInt { lo: 0, hi: 30 });
    }
}
