//! The file: a protobuf of rules, each a source and a target program with the pairs of results that are equal.

use prost::Message;

/// An operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// An input of the substitution, by its number there.
    Input(u32),
    /// A result of an earlier operator of the same side.
    Result {
        /// Position of the operator.
        operator: usize,
        /// Which of its results.
        result: usize,
    },
}

/// What is applied to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    None,
    /// max(x, 0).
    Relu,
}

/// An operator with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// x `[n, c, h, w]` and weight `[m, c/groups, r, s]`, zeros around it so that stride 1 keeps h and w where `same`.
    Conv2d {
        /// r and s.
        kernel: (i64, i64),
        /// Steps down and to the right.
        stride: (i64, i64),
        /// Whether it is padded; else only whole windows count.
        same: bool,
        /// Applied to the result.
        activation: Activation,
    },
    /// `[m, k]` times `[k, n]`.
    MatMul {
        /// Applied to the result.
        activation: Activation,
    },
    /// max(x, 0).
    Relu,
    /// Joined along an axis.
    Concat {
        /// The axis.
        axis: usize,
        /// Rank of the operands.
        rank: usize,
    },
    /// Taken apart along an axis.
    Split {
        /// The axis.
        axis: usize,
        /// Number of results.
        results: usize,
    },
    /// Sum, element by element.
    Add,
    /// Product, element by element.
    Mul,
}

/// An operator of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// What it does.
    pub kind: Kind,
    /// To what.
    pub operands: Vec<Operand>,
}

/// A substitution: for each pair, the source's result equals the target's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// The program to be replaced.
    pub source: Vec<Operator>,
    /// The program in its place.
    pub target: Vec<Operator>,
    /// Equal results: of the source, of the target.
    pub outputs: Vec<(Operand, Operand)>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TasoError {
    /// No protobuf of rules.
    #[error("not a file of TASO's rules: {0}")]
    Decode(String),
    /// A rule that is malformed or uses something unknown.
    #[error("rule {rule}: {problem}")]
    Rule {
        /// Its index.
        rule: usize,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An operator that this reader does not know.
    #[error("operator {operator} of type {code} is not known here")]
    Operator {
        /// Position.
        operator: usize,
        /// TASO's number of it.
        code: i64,
    },
    /// A parameter that is missing or has a value without meaning.
    #[error("operator {operator}: parameter {parameter} is {value:?}")]
    Parameter {
        /// Position.
        operator: usize,
        /// Its name.
        parameter: &'static str,
        /// Its value, if any.
        value: Option<i64>,
    },
    /// An operand that is not there, or comes later.
    #[error("operator {operator} reads a value that no earlier operator has")]
    Operand {
        /// Position.
        operator: usize,
    },
    /// A wrong number of operands.
    #[error("operator {operator} has {got} operands")]
    Arity {
        /// Position.
        operator: usize,
        /// Number given.
        got: usize,
    },
    /// A pair of results that are not there.
    #[error("an output is mapped from or to a value that is not there")]
    Output,
}

#[derive(Clone, PartialEq, Message)]
struct RuleCollection {
    #[prost(message, repeated, tag = "1")]
    rule: Vec<Rule>,
}

#[derive(Clone, PartialEq, Message)]
struct Rule {
    #[prost(message, repeated, tag = "1")]
    source: Vec<Op>,
    #[prost(message, repeated, tag = "2")]
    target: Vec<Op>,
    #[prost(message, repeated, tag = "3")]
    outputs: Vec<MapOutput>,
}

#[derive(Clone, PartialEq, Message)]
struct Op {
    #[prost(int64, tag = "1")]
    code: i64,
    #[prost(message, repeated, tag = "2")]
    inputs: Vec<Tensor>,
    #[prost(message, repeated, tag = "3")]
    parameters: Vec<Parameter>,
}

#[derive(Clone, PartialEq, Message)]
struct Tensor {
    #[prost(int64, tag = "1")]
    operator: i64,
    #[prost(int64, tag = "2")]
    result: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Parameter {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    value: i64,
}

#[derive(Clone, PartialEq, Message)]
struct MapOutput {
    #[prost(int64, tag = "1")]
    source: i64,
    #[prost(int64, tag = "2")]
    target: i64,
    #[prost(int64, tag = "3")]
    source_result: i64,
    #[prost(int64, tag = "4")]
    target_result: i64,
}

/// TASO's numbers of parameters, by name.
const PARAMETERS: &[(&str, i64)] = &[
    ("inputs", 1),
    ("outputs", 2),
    ("kernel height", 4),
    ("kernel width", 5),
    ("stride height", 6),
    ("stride width", 7),
    ("padding", 8),
    ("activation", 9),
    ("rank", 10),
    ("axis", 11),
];

impl Kind {
    /// Number of results.
    pub fn results(self) -> usize {
        match self {
            Self::Split { results, .. } => results,
            Self::Conv2d { .. } | Self::MatMul { .. } | Self::Relu | Self::Concat { .. } | Self::Add | Self::Mul => 1,
        }
    }
}

/// Reads a file of rules.
pub fn read(bytes: &[u8]) -> Result<Vec<Substitution>, TasoError> {
    let file = RuleCollection::decode(bytes).map_err(|e| TasoError::Decode(e.to_string()))?;
    let numbered = file.rule.iter().enumerate();
    numbered.map(|(rule, r)| substitution(r).map_err(|problem| TasoError::Rule { rule, problem })).collect()
}

fn substitution(r: &Rule) -> Result<Substitution, Problem> {
    let (source, target) = (side(&r.source)?, side(&r.target)?);
    let of = |list: &[Operator], operator: i64, result: i64| {
        let (operator, result) = (usize::try_from(operator).ok()?, usize::try_from(result).ok()?);
        list.get(operator).filter(|o| result < o.kind.results()).map(|_| Operand::Result { operator, result })
    };
    let pair = |m: &MapOutput| Some((of(&source, m.source, m.source_result)?, of(&target, m.target, m.target_result)?));
    let outputs = r.outputs.iter().map(|m| pair(m).ok_or(Problem::Output)).collect::<Result<_, _>>()?;
    Ok(Substitution { source, target, outputs })
}

fn side(ops: &[Op]) -> Result<Vec<Operator>, Problem> {
    let mut out: Vec<Operator> = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        let kind = kind(i, op)?;
        let operand = |t: &Tensor| match u32::try_from(t.operator.checked_neg()?) {
            // Inputs are numbered from −1 down.
            Ok(n @ 1..) => Some(Operand::Input(n)),
            _ => {
                let (operator, result) = (usize::try_from(t.operator).ok()?, usize::try_from(t.result).ok()?);
                let known = out.get(operator)?;
                (result < known.kind.results()).then_some(Operand::Result { operator, result })
            }
        };
        let operands: Option<Vec<Operand>> = op.inputs.iter().map(operand).collect();
        let operands = operands.ok_or(Problem::Operand { operator: i })?;
        let fits = match kind {
            Kind::Conv2d { .. } | Kind::MatMul { .. } | Kind::Add | Kind::Mul => operands.len() == 2,
            Kind::Relu | Kind::Split { .. } => operands.len() == 1,
            Kind::Concat { .. } => (1..=16).contains(&operands.len()),
        };
        if !fits {
            return Err(Problem::Arity { operator: i, got: operands.len() });
        }
        out.push(Operator { kind, operands });
    }
    Ok(out)
}

fn kind(operator: usize, op: &Op) -> Result<Kind, Problem> {
    let value = |name: &'static str| {
        let key = PARAMETERS.iter().find(|(n, _)| *n == name).map(|(_, k)| *k);
        op.parameters.iter().find(|p| Some(p.key) == key).map(|p| p.value)
    };
    let within = |parameter: &'static str, range: std::ops::RangeInclusive<i64>| {
        let value = value(parameter);
        value.filter(|v| range.contains(v)).ok_or(Problem::Parameter { operator, parameter, value })
    };
    let activation = || match value("activation") {
        Some(0) | None => Ok(Activation::None),
        Some(2) => Ok(Activation::Relu),
        value => Err(Problem::Parameter { operator, parameter: "activation", value }),
    };
    Ok(match op.code {
        3 => Kind::Conv2d {
            kernel: (within("kernel height", 1..=64)?, within("kernel width", 1..=64)?),
            stride: (within("stride height", 1..=64)?, within("stride width", 1..=64)?),
            same: within("padding", 0..=1)? == 0,
            activation: activation()?,
        },
        8 => Kind::Relu,
        12 => {
            let rank = within("rank", 1..=8)?;
            Kind::Concat { axis: within("axis", 0..=rank - 1)? as usize, rank: rank as usize }
        }
        13 => Kind::Split { axis: within("axis", 0..=7)? as usize, results: within("outputs", 1..=16)? as usize },
        16 => Kind::Add,
        17 => Kind::Mul,
        18 => Kind::MatMul { activation: activation()? },
        code => return Err(Problem::Operator { operator, code }),
    })
}
