//! The signatures of ONNX's operators, all versions, as data (`schema/ai.onnx.txt`, from the `onnx` package), and of ONNX
//! Runtime's own (`schema/com.microsoft.txt`).
//!
//! Used to check nodes before they are lowered: number of operands and results, required attributes and their types,
//! dtypes per operand. Operators of ONNX Runtime gain operands and attributes without a new version, so there what is
//! more than the signature is not a fault. Nodes of other domains are not checked.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use egret_ir::DType;
use foldhash::HashMap;

/// The newest operator set of the default domain that is known here.
pub const NEWEST_OPSET: i64 = 28;
/// The newest `ir_version` that is known here.
pub const NEWEST_IR: i64 = 14;

/// One version of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Operator.
    pub name: &'static str,
    /// The opset that introduced this version.
    pub since: i64,
    /// Least and greatest number of operands (trailing absent ones not counted).
    pub inputs: (usize, usize),
    /// Least and greatest number of results.
    pub outputs: (usize, usize),
    /// The operator was withdrawn by this version.
    pub deprecated: bool,
    /// Operands.
    pub ins: Vec<Formal>,
    /// Results.
    pub outs: Vec<Formal>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
}

/// One formal operand or result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formal {
    /// Its name in the standard.
    pub name: &'static str,
    /// May be absent (`""`).
    pub optional: bool,
    /// Stands for all that follow.
    pub variadic: bool,
    /// The type variable shared with other formals; empty when there is none (or for a variadic one of mixed types).
    pub variable: &'static str,
    /// Allowed types, e.g. `f32`, `seq-f32`.
    pub types: Vec<&'static str>,
    /// Those of them that are tensors of an element type, a bit each.
    tensors: u32,
}

impl Formal {
    /// Whether a tensor of that element type is allowed.
    pub fn takes(&self, dtype: DType) -> bool {
        self.tensors & (1 << dtype as u32) != 0
    }
}

/// One formal attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// `float`, `int`, `string`, `tensor`, `graph`, `floats`, ...
    pub kind: &'static str,
    /// Must be present.
    pub required: bool,
}

impl Schema {
    /// The formal for operand `i`.
    pub fn input(&self, i: usize) -> Option<&Formal> {
        formal(&self.ins, i)
    }

    /// The formal for result `i`.
    pub fn output(&self, i: usize) -> Option<&Formal> {
        formal(&self.outs, i)
    }
}

fn formal(list: &[Formal], i: usize) -> Option<&Formal> {
    list.get(i).or_else(|| list.last().filter(|last| last.variadic))
}

/// Versions by operator.
pub type Table = BTreeMap<&'static str, Vec<Schema>>;

/// All versions of all operators of the default domain, oldest first.
pub fn all() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| parse(include_str!("schema/ai.onnx.txt")))
}

/// The operators of ONNX Runtime's own domain, and the one of them that goes without it.
pub fn microsoft() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| parse(include_str!("schema/com.microsoft.txt")))
}

/// All versions of an operator, oldest first.
pub fn versions(op: &str) -> Option<&'static [Schema]> {
    static INDEX: OnceLock<HashMap<&'static str, &'static [Schema]>> = OnceLock::new();
    let index = INDEX.get_or_init(|| all().iter().map(|(name, list)| (*name, list.as_slice())).collect());
    index.get(op).copied()
}

/// The version of `op` that a model with `opset` means; `None` when there is none (yet).
pub fn lookup(op: &str, opset: i64) -> Option<&'static Schema> {
    versions(op)?.iter().rev().find(|schema| schema.since <= opset)
}

fn parse(text: &'static str) -> Table {
    let mut sets: Vec<Vec<&str>> = Vec::new();
    let mut table = Table::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix("set ") {
            sets.push(rest.split(' ').skip(1).collect());
            continue;
        }
        let schema = parse_row(line, &sets).expect("the tables are generated and hold only well-formed rows");
        table.entry(schema.name).or_default().push(schema);
    }
    table
}

fn parse_row(line: &'static str, sets: &[Vec<&'static str>]) -> Option<Schema> {
    let mut columns = line.split(" | ");
    let head: Vec<&str> = columns.next()?.split(' ').collect();
    let (ins, outs, attributes, variables) = (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    let mut types: BTreeMap<&str, &Vec<&'static str>> = BTreeMap::new();
    for pair in fields(variables) {
        let (name, set) = pair.split_once('=')?;
        types.insert(name, sets.get(set.parse::<usize>().ok()?)?);
    }
    let formals = |column: &'static str| -> Option<Vec<Formal>> {
        fields(column)
            .map(|field| {
                let (name, variable) = field.rsplit_once(':')?;
                let (name, mixed) = name.strip_suffix('~').map_or((name, false), |name| (name, true));
                let (name, variadic) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
                let (name, optional) = name.strip_suffix('?').map_or((name, false), |name| (name, true));
                let set = types.get(variable);
                let types = set.map_or_else(|| vec![variable], |set| (*set).clone());
                let allowed = DType::ALL.into_iter().filter(|d| types.contains(&d.name()));
                Some(Formal {
                    name,
                    optional,
                    variadic,
                    variable: if set.is_some() && !mixed { variable } else { "" },
                    tensors: allowed.fold(0, |bits, d| bits | 1 << d as u32),
                    types,
                })
            })
            .collect()
    };
    Some(Schema {
        name: head.first()?,
        since: head.get(1)?.parse().ok()?,
        inputs: (head.get(2)?.parse().ok()?, head.get(3)?.parse().ok()?),
        outputs: (head.get(4)?.parse().ok()?, head.get(5)?.parse().ok()?),
        deprecated: head.len() > 6,
        ins: formals(ins)?,
        outs: formals(outs)?,
        attributes: fields(attributes)
            .map(|field| {
                let (name, kind) = field.split_once(':')?;
                let (kind, required) = kind.strip_suffix('!').map_or((kind, false), |kind| (kind, true));
                Some(Attribute { name, kind, required })
            })
            .collect::<Option<_>>()?,
    })
}

fn fields(column: &'static str) -> impl Iterator<Item = &'static str> {
    column.split(' ').filter(|field| *field != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_parses_and_versions_ascend() {
        let table = all();
        assert!(!microsoft().is_empty());
        assert_eq!(table.len(), 203);
        assert_eq!(table.values().map(Vec::len).sum::<usize>(), 629);
        for versions in table.values() {
            assert!(versions.windows(2).all(|pair| pair[0].since < pair[1].since));
            assert!(versions.iter().all(|schema| schema.since <= NEWEST_OPSET));
        }
    }

    #[test]
    fn lookup_takes_the_newest_version_not_above_the_opset() {
        assert_eq!(lookup("Relu", 13).map(|s| s.since), Some(13));
        assert_eq!(lookup("Relu", 12).map(|s| s.since), Some(6));
        assert_eq!(lookup("Gelu", 19), None);
        assert!(lookup("Upsample", 10).is_some_and(|s| s.deprecated));
        let conv = lookup("Conv", 17).unwrap();
        assert!(conv.input(2).is_some_and(|bias| bias.optional && bias.variable == "T"));
        assert!(conv.input(3).is_none());
    }
}
