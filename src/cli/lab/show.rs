//! Findings of experiments as tables.

use egret::lab::Findings;
use egret::lab::ablation::Ablation;
use egret::lab::extraction::Comparison;
use egret::lab::saturation::Summary;
use egret::lab::sweep::Point;

use crate::cli::output::table;

pub fn findings(findings: &Findings) -> String {
    match findings {
        Findings::Saturate(s) => saturation(s),
        Findings::Extract(c) => comparison(c),
        Findings::Ablate(a) => ablation(a),
        Findings::Sweep(points) => sweep(points),
    }
}

fn yes(b: bool) -> String {
    if b { "yes" } else { "no" }.to_owned()
}

/// Picoseconds as microseconds.
fn micros(ps: u64) -> String {
    format!("{}.{:03}", ps / 1_000_000, ps / 1_000 % 1_000)
}

fn saturation(s: &Summary) -> String {
    let phase = |p: &egret_rules::PhaseStats| {
        let capped = if p.capped_by.is_empty() { "-".to_owned() } else { p.capped_by.join(" ") };
        vec![p.phase.name().to_owned(), p.rounds.to_string(), p.nodes.to_string(), yes(p.saturated), capped]
    };
    let phases: Vec<Vec<String>> = s.phases.iter().map(phase).collect();
    let mut fired: Vec<_> = s.rules.iter().filter(|r| r.unions > 0 || r.capped > 0).collect();
    fired.sort_by_key(|r| std::cmp::Reverse((r.born, r.unions)));
    let rule = |r: &&egret::lab::saturation::RuleRow| {
        let counts = [r.matches, r.known, r.condition, r.refused, r.capped, r.born, r.unions];
        let mut cells = vec![r.rule.clone()];
        cells.extend(counts.map(|n| n.to_string()));
        cells
    };
    let rules: Vec<Vec<String>> = fired.iter().map(rule).collect();
    let faults: String = s.faults.iter().map(|f| format!("fault: {f}\n")).collect();
    format!(
        "{faults}{} nodes of the model as {} e-nodes; {} in the end, in {} classes; {} rules on\n\n{}\n{}",
        s.model,
        s.imported,
        s.nodes,
        s.classes,
        s.rules_on,
        table(&["phase", "rounds", "e-nodes", "saturated", "capped by"], &phases),
        table(&["rule", "matches", "known", "condition", "refused", "capped", "born", "unions"], &rules)
    )
}

fn comparison(c: &Comparison) -> String {
    let row = |r: &egret::lab::extraction::Row| {
        vec![
            r.extractor.to_owned(),
            r.cost.clone(),
            r.bound.clone(),
            format!("{} %", r.gap),
            yes(r.proved),
            r.chosen.to_string(),
            r.work.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = c.rows.iter().map(row).collect();
    format!(
        "{} classes, {} candidates, {} roots; costs in {}\n\n{}",
        c.classes,
        c.candidates,
        c.roots,
        c.unit,
        table(&["extractor", "cost", "lower bound", "gap", "proved", "chosen", "work"], &rows)
    )
}

fn ablation(a: &Ablation) -> String {
    let row = |r: &egret::lab::ablation::Row| {
        let percent = 100.0 * r.contribution as f64 / a.cost.max(1) as f64;
        vec![
            r.without.clone(),
            micros(r.cost),
            format!("{percent:+.2} %"),
            r.kernels.to_string(),
            r.nodes.to_string(),
            yes(r.saturated),
        ]
    };
    let rows: Vec<Vec<String>> = a.rows.iter().map(row).collect();
    format!(
        "as imported {} µs, with all rules {} µs in {} kernels, {} e-nodes; {} others did nothing\n\n{}",
        micros(a.cost_as_imported),
        micros(a.cost),
        a.kernels,
        a.nodes,
        a.idle.len(),
        table(&["without", "µs", "cost", "kernels", "e-nodes", "saturated"], &rows)
    )
}

fn sweep(points: &[Point]) -> String {
    let shown = |n: Option<usize>| n.map_or_else(|| "default".to_owned(), |n| n.to_string());
    let row = |p: &Point| {
        vec![
            shown(p.budget),
            shown(p.per_rule),
            shown(p.rounds),
            p.nodes.to_string(),
            p.classes.to_string(),
            yes(p.saturated),
            micros(p.cost),
            p.kernels.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = points.iter().map(row).collect();
    table(&["e-nodes", "per rule", "rounds", "made", "classes", "saturated", "µs", "kernels"], &rows)
}
