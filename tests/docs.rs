//! Generated pages are what the tables say; `BLESS=1` rewrites them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

fn page() -> String {
    let mut out = String::from(
        "# ONNX operators that Egret reads as arithmetic\n\n\
         Generated from the tables of `frontends/onnx/src/ops` by `BLESS=1 cargo test --test docs`. An operator not in this list, or\n\
         with attributes that its row refuses, is kept as it came by `egret optimize` and named by `egret compile`.\n\n\
         | operator | opsets |\n|---|---|\n",
    );
    let mut by_name: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for row in egret_onnx::ops::rows() {
        let end = row.opsets.end;
        let range = if end >= egret_onnx::ops::LATEST {
            format!("{} up", row.opsets.start)
        } else if end - 1 == row.opsets.start {
            row.opsets.start.to_string()
        } else {
            format!("{} to {}", row.opsets.start, end - 1)
        };
        by_name.entry((row.domain, row.op)).or_default().push(range);
    }
    for ((domain, op), ranges) in by_name {
        let domain = if domain.is_empty() { String::new() } else { format!("{domain}.") };
        let _ = writeln!(out, "| {domain}{op} | {} |", ranges.join(", "));
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
