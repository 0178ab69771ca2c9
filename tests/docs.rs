//! Generated pages are what the tables say; `BLESS=1` rewrites them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use egret_onnx::ops::{self, Becomes, LATEST};
use egret_onnx::schema;

/// What a cell says of a kind of operator: the graph, the interpreter, C, ONNX.
fn cells(becomes: Becomes) -> [&'static str; 4] {
    match becomes {
        Becomes::Expression => ["expressions", "yes", "yes", "rewritten"],
        Becomes::Branch => ["if", "yes", "yes", "rewritten"],
        Becomes::Loop => ["loop", "yes", "yes", "rewritten"],
        Becomes::List => ["nothing: a list of known parts", "yes", "yes", "rewritten"],
        Becomes::Kept => ["opaque", "no", "no", "as it came"],
    }
}

/// `7 up`, `9`, `1 to 6`.
fn range(from: i64, to: i64) -> String {
    if to == LATEST {
        format!("{from} up")
    } else if to - 1 == from {
        from.to_string()
    } else {
        format!("{from} to {}", to - 1)
    }
}

/// The ranges of opsets of an operator within which it is treated alike, with what it becomes.
fn treatments(domain: &str, op: &str) -> Vec<(Becomes, Vec<String>)> {
    let standard = |opset: i64| {
        let versions = schema::all().get(op)?;
        let version = versions.iter().rev().find(|s| s.since <= opset)?;
        // An operator is withdrawn by a last version that says so.
        let withdrawn = version.deprecated && versions.last().is_some_and(|last| last.since == version.since);
        (!withdrawn).then_some(())
    };
    // A range for each row, so that a change of meaning shows.
    let treatment = |opset: i64| {
        let row = ops::find(domain, op, opset).map(|row| row.opsets.start);
        let there = row.is_some() || (domain.is_empty() && standard(opset).is_some());
        there.then(|| (ops::becomes(domain, op, opset), row))
    };
    let all: Vec<_> = (1..LATEST).map(treatment).collect();
    let mut out = Vec::new();
    let mut from = 1;
    for run in all.chunk_by(|a, b| a == b) {
        let to = from + run.len() as i64;
        if let Some((becomes, _)) = run[0] {
            put(&mut out, becomes, range(from, to));
        }
        from = to;
    }
    out
}

fn put(out: &mut Vec<(Becomes, Vec<String>)>, becomes: Becomes, range: String) {
    match out.iter_mut().find(|(b, _)| *b == becomes) {
        Some((_, ranges)) => ranges.push(range),
        None => out.push((becomes, vec![range])),
    }
}

fn table(out: &mut String, domain: &str, operators: &BTreeSet<&str>) {
    out.push_str("| operator | opsets | graph | interpreter | C | ONNX |\n|---|---|---|---|---|---|\n");
    for op in operators {
        for (becomes, ranges) in treatments(domain, op) {
            let [graph, interpreter, c, onnx] = cells(becomes);
            let own = domain.is_empty() && !schema::all().contains_key(op);
            let op = if own { format!("{op} (of ONNX Runtime)") } else { (*op).to_owned() };
            let _ = writeln!(out, "| {op} | {} | {graph} | {interpreter} | {c} | {onnx} |", ranges.join(", "));
        }
    }
}

fn page() -> String {
    let mut out = String::from(
        "# Operators of ONNX\n\n\
         Generated from the tables of `frontends/onnx` by `BLESS=1 cargo test --test docs`. What an operator becomes in the graph, by\n\
         opset (a comma where its meaning changes), and whether the interpreter and compiled C compute it. Opaque operators, and nodes\n\
         with attributes or dtypes that their row refuses, are written by `egret optimize` as they came, and named by `egret compile`;\n\
         `egret ops MODEL` tells both for a model.\n\n\
         ## ai.onnx\n\n",
    );
    let named = ops::rows().filter(|r| r.domain.is_empty()).map(|r| r.op);
    table(&mut out, "", &schema::all().keys().copied().chain(named).collect());
    let domains: BTreeSet<&str> = ops::rows().map(|r| r.domain).filter(|d| !d.is_empty()).collect();
    for domain in domains {
        let _ = write!(out, "\n## {domain}\n\nOther operators of this domain are opaque.\n\n");
        let named: BTreeSet<&str> = ops::rows().filter(|r| r.domain == domain).map(|r| r.op).collect();
        table(&mut out, domain, &named);
    }
    out
}

#[test]
fn the_operator_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/onnx-ops.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("docs are writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/onnx-ops.md is out of date; run BLESS=1 cargo test --test docs");
}
