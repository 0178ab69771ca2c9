//! Derivations as serde data. Terms are the text form of a graph, constants with their bytes; origins stand beside.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Derivation, Entry, Goal, Reason, Terms};
use crate::dim::{Backing, Symbol, SymbolInfo};
use crate::graph::{Tables, ValueId};
use crate::origin::{Origin, Origins};
use crate::text::{ParseError, parse_with, print_whole};

/// Why data is no derivation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The terms are no graph.
    #[error("terms: {0}")]
    Terms(#[from] ParseError),
    /// A number that points nowhere.
    #[error("{what} {index} is not there")]
    Dangling {
        /// What is pointed to.
        what: &'static str,
        /// The number.
        index: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Onnx { index: u32, op: String, name: String },
    Value(String),
    Text { line: u32, column: u32 },
}

#[derive(Serialize, Deserialize)]
struct Bounds {
    min: i64,
    max: i64,
}

#[derive(Serialize, Deserialize)]
struct Plain {
    terms: String,
    symbols: BTreeMap<String, Bounds>,
    origins: BTreeMap<u32, Vec<Place>>,
    reasons: Vec<Reason>,
    entries: Vec<Entry>,
    goals: Vec<Goal>,
}

fn place(o: &Origin) -> Place {
    match o {
        Origin::Onnx { index, op, name } => Place::Onnx { index: *index, op: op.to_string(), name: name.to_string() },
        Origin::Value(name) => Place::Value(name.to_string()),
        Origin::Text { line, column } => Place::Text { line: *line, column: *column },
    }
}

fn origin(p: Place) -> Origin {
    match p {
        Place::Onnx { index, op, name } => Origin::Onnx { index, op: op.into(), name: name.into() },
        Place::Value(name) => Origin::Value(name.into()),
        Place::Text { line, column } => Origin::Text { line, column },
    }
}

impl Serialize for Derivation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.terms.graph();
        let origins = graph.values().filter_map(|v| {
            let places: Vec<Place> = graph.node(v).origins.iter().map(place).collect();
            (!places.is_empty()).then_some((v.0, places))
        });
        let symbols = graph.tables.symbols.0.iter();
        let plain = Plain {
            terms: print_whole(graph),
            symbols: symbols.map(|(s, i)| (s.name().to_owned(), Bounds { min: i.min, max: i.max })).collect(),
            origins: origins.collect(),
            reasons: self.reasons.clone(),
            entries: self.entries.clone(),
            goals: self.goals.clone(),
        };
        plain.serialize(serializer)
    }
}

impl TryFrom<Plain> for Derivation {
    type Error = JsonError;

    fn try_from(mut plain: Plain) -> Result<Self, JsonError> {
        let mut tables = Tables::default();
        for (name, Bounds { min, max }) in plain.symbols {
            let info = SymbolInfo { min, max, backing: Backing::Input };
            tables.symbols.0.insert(Symbol::new(&name), info);
        }
        let mut graph = parse_with(&plain.terms, tables)?;
        for v in graph.values() {
            let places = plain.origins.remove(&v.0).unwrap_or_default();
            let joined = places.into_iter().fold(Origins::none(), |o, p| o.join(&Origins::one(origin(p))));
            graph.set_origins(v, joined);
        }
        let count = graph.nodes().len();
        let term = |v: ValueId| {
            if v.index() < count { Ok(()) } else { Err(JsonError::Dangling { what: "term", index: v.0 }) }
        };
        for e in &plain.entries {
            let (a, b) = e.sides();
            term(a)?;
            term(b)?;
            if let Entry::Step(s) = e {
                s.leaves.iter().try_for_each(|l| term(*l))?;
                if s.reason as usize >= plain.reasons.len() {
                    return Err(JsonError::Dangling { what: "reason", index: s.reason });
                }
            }
        }
        for g in &plain.goals {
            term(g.original)?;
            term(g.chosen)?;
        }
        Ok(Self::new(Terms::of(graph), plain.reasons, plain.entries, plain.goals))
    }
}

impl<'de> Deserialize<'de> for Derivation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Plain::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}
