//! `egret lab extract`: extractors side by side, on the kernels of a model or on an e-graph of another tool.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use egraph_serialize::EGraph;
use egret_extractor::{EXTRACTORS, Extractor};
use egret_ir::choice::{Candidate, ClassId, Table};
use serde::Serialize;

use super::subject::{Inputs, Subject, hash_file};
use super::{Files, Findings, Progress, Report, Task};
use crate::{Error, Result};

/// What one extractor found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name.
    pub extractor: &'static str,
    /// What it promises.
    pub claim: String,
    /// Cost of its selection, each candidate paid once, in the unit of the table.
    pub cost: String,
    /// The largest lower bound that any extractor of the comparison found.
    pub bound: String,
    /// How far the bound is below its cost, in percent of that.
    pub gap: String,
    /// Whether its selection is the cheapest there is.
    pub proved: bool,
    /// Cost of the roots as trees.
    pub tree: String,
    /// Candidates selected.
    pub chosen: usize,
    /// Candidates and set words looked at.
    pub work: u64,
}

/// Extractors side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Classes of the table.
    pub classes: usize,
    /// Candidates of the table.
    pub candidates: usize,
    /// Classes to be produced.
    pub roots: usize,
    /// What a cost counts.
    pub unit: &'static str,
    /// A line for each extractor.
    pub rows: Vec<Row>,
}

/// On the kernels of the saturated model.
pub(super) fn run(subject: &Subject, names: &[String], progress: Progress<'_>) -> Result<(Findings, Files)> {
    let extractors = named(names)?;
    progress("saturating");
    let saturated = subject.saturate(&subject.rules, &subject.config);
    progress("enumerating kernels");
    let table = subject.kernels(&saturated.classes)?;
    compare(&table, 0, "picoseconds", &extractors, progress)
}

/// On a dump in the JSON of egraph-serialize.
pub(super) fn of_dump(path: &Path, task: &Task) -> Result<Report> {
    let names: &[String] = if let Task::Extract { extractors, .. } = task { extractors } else { &[] };
    let extractors = named(names)?;
    let (table, digits) = table(path, &read(path)?)?;
    let (findings, files) = compare(&table, digits, "the unit of the file", &extractors, &|_| {})?;
    let hashes = vec![(path.to_owned(), hash_file(path)?)];
    let inputs = Inputs { files: hashes, rules_sha256: String::new(), rules: Vec::new() };
    Ok(Report { inputs, findings, files })
}

/// The extractors of those names; all where there is none.
fn named(names: &[String]) -> Result<Vec<&'static Extractor>> {
    if names.is_empty() {
        return Ok(EXTRACTORS.iter().collect());
    }
    let find = |name: &String| {
        EXTRACTORS.iter().find(|e| e.name == name).ok_or_else(|| {
            let known: Vec<&str> = EXTRACTORS.iter().map(|e| e.name).collect();
            Error::Usage(format!("there is no extractor `{name}`; there are {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// A fixed-point number with that many digits behind the point, without zeros at its end.
fn shown(n: u128, digits: u32) -> String {
    let unit = 10u128.pow(digits);
    let text = format!("{}.{:0width$}", n / unit, n % unit, width = digits as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn compare<P>(
    table: &Table<P>,
    digits: u32,
    unit: &'static str,
    extractors: &[&'static Extractor],
    progress: Progress<'_>,
) -> Result<(Findings, Files)> {
    let mut selections = Vec::with_capacity(extractors.len());
    for e in extractors {
        progress(&format!("extracting by {}", e.name));
        selections.push(e.extract(table).map_err(|e| Error::Usage(e.to_string()))?);
    }
    let bound = selections.iter().map(|s| s.bound).max().unwrap_or(0);
    let row = |(e, s): (&&'static Extractor, &egret_extractor::Selection)| Row {
        extractor: e.name,
        claim: format!("{:?}", e.claim),
        cost: shown(s.cost.into(), digits),
        bound: shown(bound.into(), digits),
        // Whole thousandths of a percent, rounded up: 0 means none.
        gap: shown((u128::from(s.cost - bound) * 100_000).div_ceil(u128::from(s.cost.max(1))), 3),
        proved: s.cost == bound,
        tree: shown(s.tree_cost, digits),
        chosen: s.chosen.len(),
        work: s.work,
    };
    let rows = extractors.iter().zip(&selections).map(row).collect();
    let (classes, candidates, roots) = (table.classes, table.candidates.len(), table.roots.len());
    let comparison = Comparison { classes, candidates, roots, unit, rows };
    let mut files = Files::default();
    files.csv("extractors.csv", &comparison.rows);
    files.json("extract.json", &comparison);
    Ok((Findings::Extract(comparison), files))
}

/// A dump may take so many bytes unpacked.
const MAX_DUMP: u64 = 1 << 30;

fn read(path: &Path) -> Result<EGraph> {
    let failed = |reason: String| Error::File { path: path.to_owned(), reason };
    let file = std::fs::File::open(path).map_err(|e| failed(e.to_string()))?;
    let packed = path.extension().is_some_and(|e| e == "gz");
    let reader: Box<dyn std::io::Read> =
        if packed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let mut bytes = Vec::new();
    let read = reader.take(MAX_DUMP + 1).read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
    if read as u64 > MAX_DUMP {
        return Err(failed(format!("an e-graph of more than {MAX_DUMP} bytes")));
    }
    serde_json::from_slice(&bytes).map_err(|e| failed(e.to_string()))
}

/// The table of a dump: classes in order of their first node, a candidate for each node; costs as whole numbers of the
/// smallest decimal unit, down to 10⁻⁹, in which their sum does not overflow.
fn table(path: &Path, egraph: &EGraph) -> Result<(Table<()>, u32)> {
    let failed = |reason: String| Error::File { path: path.to_owned(), reason };
    let mut classes: BTreeMap<&egraph_serialize::ClassId, ClassId> = BTreeMap::new();
    for node in egraph.nodes.values() {
        let next = ClassId(classes.len() as u32);
        classes.entry(&node.eclass).or_insert(next);
    }
    let sum: f64 = egraph.nodes.values().map(|n| n.cost.into_inner()).sum();
    let fits = |digits: &u32| sum * 10f64.powi(*digits as i32) < 9e18;
    let digits = (0..=9).rev().find(fits).ok_or_else(|| failed(format!("costs with the sum {sum}")))?;
    let mut candidates = Vec::with_capacity(egraph.nodes.len());
    for (name, node) in &egraph.nodes {
        let cost = node.cost.into_inner();
        if !cost.is_finite() || cost < 0.0 {
            return Err(failed(format!("node {name} costs {cost}; a cost is a number from 0 up")));
        }
        let class_of = |child: &egraph_serialize::NodeId| {
            let node = egraph.nodes.get(child);
            node.map(|n| classes[&n.eclass])
                .ok_or_else(|| failed(format!("node {name} has a child {child}, which is none")))
        };
        candidates.push(Candidate {
            outputs: vec![classes[&node.eclass]],
            inputs: node.children.iter().map(class_of).collect::<Result<_>>()?,
            cost: (cost * 10f64.powi(digits as i32)).round() as u64,
            payload: (),
        });
    }
    if egraph.root_eclasses.is_empty() {
        return Err(failed("an e-graph without roots".to_owned()));
    }
    let root = |c: &egraph_serialize::ClassId| {
        classes.get(c).copied().ok_or_else(|| failed(format!("root class {c} has no node")))
    };
    let roots = egraph.root_eclasses.iter().map(root).collect::<Result<_>>()?;
    Ok((Table { classes: classes.len(), roots, candidates }, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_point() {
        assert_eq!(shown(704_720_000, 9), "0.70472");
        assert_eq!(shown(1_500, 0), "1500");
        assert_eq!(shown(0, 3), "0");
        assert_eq!(shown(100_000, 3), "100");
    }

    fn refused(json: &str) -> String {
        let egraph: EGraph = serde_json::from_str(json).expect("JSON of the form");
        match table(Path::new("x.json"), &egraph) {
            Err(e) => e.to_string(),
            Ok(_) => panic!("{json} is taken"),
        }
    }

    #[test]
    fn faulty_dumps_are_refused_at_a_place() {
        let node = |cost: &str, child: &str| {
            format!(
                r#"{{"nodes":{{"a":{{"op":"f","eclass":"0","cost":{cost},"children":[{child}]}}}},"root_eclasses":["0"]}}"#
            )
        };
        assert!(refused(&node("-1.0", "")).contains("node a costs -1"));
        assert!(refused(&node("1e300", "")).contains("costs with the sum"));
        assert!(refused(&node("1.0", "\"b\"")).contains("a child b"));
        assert!(refused(r#"{"nodes":{},"root_eclasses":["9"]}"#).contains("root class 9"));
        assert!(refused(r#"{"nodes":{}}"#).contains("without roots"));
    }
}
