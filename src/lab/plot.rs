//! Plots as SVG. Text is not measured by a font of the system, so that equal numbers give equal bytes everywhere.

use egret_rules::{Phase, RoundStats};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::saturation::Summary;
use super::sweep::Point;

/// Colours that stay apart for the colour-blind (Okabe and Ito, "Color Universal Design", 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
];

const INK: RGBColor = RGBColor(60, 60, 60);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws into a text.
///
/// # Panics
/// Where drawing fails: in memory there is no reason to.
fn svg(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn std::error::Error>>) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(&area));
        drawn.and_then(|()| area.present().map_err(Into::into)).expect("drawing in memory succeeds");
    }
    text
}

/// A line of a plot.
struct Line {
    label: String,
    points: Vec<(f64, f64)>,
}

/// Lines over two axes that begin at 0.
fn lines(title: &str, across: &str, up: &str, lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|l| &l.points);
    let most = |pick: fn(&(f64, f64)) -> f64| all().map(pick).fold(0.0, f64::max);
    let (right, top) = (most(|p| p.0).max(1.0), most(|p| p.1).max(1.0));
    svg((800, 480), |area| {
        let mut chart = ChartBuilder::on(area)
            .caption(title, ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(0f64..right, 0f64..top * 1.05)?;
        let whole = |x: &f64| format!("{x:.0}");
        chart
            .configure_mesh()
            .x_desc(across)
            .y_desc(up)
            .x_label_formatter(&whole)
            .y_label_formatter(&whole)
            .light_line_style(WHITE)
            .draw()?;
        for (i, line) in lines.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            chart
                .draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?
                .label(&line.label)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
            chart.draw_series(line.points.iter().map(|p| Circle::new(*p, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(INK)
            .draw()?;
        Ok(())
    })
}

/// E-nodes and classes over the rounds; each phase begins where the one before it ended.
pub(super) fn growth(rounds: &[RoundStats], imported: usize) -> String {
    let mut out = Vec::new();
    let mut before = (0.0, imported as f64);
    for phase in Phase::ALL {
        let mut points = vec![before];
        let own = rounds.iter().enumerate().filter(|(_, r)| r.phase == phase);
        points.extend(own.map(|(i, r)| ((i + 1) as f64, r.nodes as f64)));
        before = points[points.len() - 1];
        out.push(Line { label: format!("e-nodes, {}", phase.name()), points });
    }
    let classes = rounds.iter().enumerate().map(|(i, r)| ((i + 1) as f64, r.classes as f64));
    out.push(Line { label: "classes".to_owned(), points: classes.collect() });
    lines("growth", "round", "e-nodes ever made", &out)
}

/// Cost against the budget of e-nodes, a line for each combination of the other budgets.
pub(super) fn sweep(points: &[Point]) -> String {
    let shown = |n: Option<usize>| n.map_or_else(|| "default".to_owned(), |n| n.to_string());
    let mut out: Vec<Line> = Vec::new();
    for p in points {
        let label = format!("per rule {}, rounds {}", shown(p.per_rule), shown(p.rounds));
        // What was made, where no budget was asked for.
        let at = (p.budget.unwrap_or(p.nodes) as f64, p.cost as f64 / 1e6);
        match out.iter_mut().find(|l| l.label == label) {
            Some(line) => line.points.push(at),
            None => out.push(Line { label, points: vec![at] }),
        }
    }
    for line in &mut out {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines("cost against budget", "e-nodes allowed", "predicted time, µs", &out)
}

/// A waterfall: what was imported, what each rule bore on top of it, what there is at the end.
pub(super) fn waterfall(summary: &Summary) -> String {
    let mut rules: Vec<(&str, usize)> =
        summary.rules.iter().filter(|r| r.born > 0).map(|r| (r.rule.as_str(), r.born)).collect();
    rules.sort_by_key(|(_, born)| std::cmp::Reverse(*born));
    let mut bars = vec![("model", 0, summary.imported)];
    let mut at = summary.imported;
    for (rule, born) in rules {
        bars.push((rule, at, at + born));
        at += born;
    }
    bars.push(("all", 0, summary.nodes));
    let (row, left, width) = (18, 240, 480);
    let height = 60 + row * bars.len() as i32;
    svg((800, height as u32), |area| {
        let text = |size: i32| TextStyle::from(("sans-serif", size).into_font()).color(&INK);
        area.draw(&Text::new("e-nodes born, by rule", (16, 16), text(18)))?;
        let scale = |n: usize| left + (n as f64 / summary.nodes.max(1) as f64 * f64::from(width)) as i32;
        let last = bars.len() - 1;
        for (i, (label, from, to)) in bars.iter().enumerate() {
            let top = 48 + row * i as i32;
            let colour = if i == 0 || i == last { COLOURS[0] } else { COLOURS[1] };
            area.draw(&Text::new((*label).to_owned(), (16, top + 2), text(12)))?;
            let corners = [(scale(*from), top), (scale(*to).max(scale(*from) + 1), top + row - 4)];
            area.draw(&Rectangle::new(corners, colour.filled()))?;
            area.draw(&Text::new((to - from).to_string(), (corners[1].0 + 6, top + 2), text(12)))?;
        }
        Ok(())
    })
}
