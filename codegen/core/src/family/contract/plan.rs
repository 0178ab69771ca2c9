//! The choice of axes, tile and packing, by estimated cycles.

use egret_ir::Dim;

use crate::affine::{Affine, Axis};
use crate::extent::chunk;
use crate::lanes::vectorizes;
use crate::schedule::{balanced, tile_count};
use crate::stage::Stage;
use crate::target::{Context, Target};
use crate::value::Slot;

/// Multiply-adds of vectors worth claiming a tile for.
const TILE_CYCLES: i64 = 150_000;

/// An operand: a linear load.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) slot: Slot,
    pub(super) at: Affine,
    /// Memory made here, with slack behind it: loads may run over the end.
    pub(super) own: bool,
}

/// How the vector operand is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    /// From a table packed at build time: panels of `[folded][lanes]`.
    Table,
    /// Packed into scratch, panel by panel, in the same order.
    Scratch,
    /// In place.
    Direct,
}

/// A way to compute the contraction.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Whether the first operand of the product is the vector operand.
    pub(super) first_is_vector: bool,
    pub(super) lane: Axis,
    pub(super) row: Option<Axis>,
    /// Rows of a tile at most.
    pub(super) rows: i64,
    /// Vectors of a panel at most.
    pub(super) vectors: i64,
    pub(super) read: Vectors,
    /// Whether results leave across the lanes.
    pub(super) transposed: bool,
    pub(super) cycles: i64,
}

/// Vectors of a panel and rows of a tile that registers allow.
pub(super) fn shapes(target: &Target, most_rows: i64) -> Vec<(i64, i64)> {
    let mut out = Vec::new();
    for vectors in 1..=8 {
        // Accumulators, one vector of each panel column, one broadcast, one spare.
        let rows = ((target.registers - 2 - vectors) / vectors).min(14).min(most_rows);
        if rows >= 1 && (vectors <= 4 || rows <= 2) {
            out.push((rows, vectors));
        }
    }
    if target.registers == 32 && most_rows >= 7 {
        // Seven rows of four: one register too few, but pixels often come in sevens.
        out.push((7, 4));
    }
    out
}

/// The cheapest way.
pub(super) fn choose(
    s: &Stage,
    operands: &[Operand; 2],
    is_constant: &dyn Fn(&Operand) -> bool,
    cx: &Context<'_>,
) -> Option<Plan> {
    let w = cx.target.lanes;
    // Costs are those of usual sizes.
    let extents: Vec<i64> = s.extents.iter().map(|d| cx.typical(d)).collect();
    let points: i64 = extents[..s.rank].iter().product();
    let terms: i64 = extents[s.rank..].iter().product();
    // Several folded axes: the innermost is unrolled, and addresses take registers of their own.
    let windowed = s.extents.len() - s.rank > 1;
    let epilogue: u32 = s.stores.iter().map(|t| t.value.flops()).sum();
    let mut best: Option<Plan> = None;
    for first_is_vector in [true, false] {
        let (v, sc) = if first_is_vector { (&operands[0], &operands[1]) } else { (&operands[1], &operands[0]) };
        let only = |a: &Axis, x: &Operand, y: &Operand| x.at.coefficient(*a) != 0 && y.at.coefficient(*a) == 0;
        let lanes: Vec<Axis> = (0..s.rank).filter(|a| only(a, v, sc)).collect();
        let mut rows: Vec<Option<Axis>> = (0..s.rank).filter(|a| only(a, sc, v)).map(Some).collect();
        if rows.is_empty() {
            rows.push(None);
        }
        for lane in lanes {
            let direct = s.stores.iter().all(|t| vectorizes(&t.value, lane) && !t.at.hides(lane));
            for row in &rows {
                let row_extent = row.map_or(1, |r| extents[r]);
                let across = row.is_some_and(|r| {
                    s.stores.iter().all(|t| vectorizes(&t.value, r) && !t.at.hides(r) && t.at.coefficient(r) == 1)
                });
                let unit = s.stores[0].at.coefficient(lane) == 1;
                let transposed = across && !unit;
                if !transposed && !direct {
                    continue;
                }
                let others: i64 = points / extents[lane].max(1) / row_extent.max(1);
                for (tile_rows, tile_vectors) in
                    shapes(cx.target, if transposed { row_extent.min(w) } else { row_extent })
                {
                    let total_vectors = (extents[lane] + w - 1) / w;
                    let panels = balanced(&total_vectors.into(), tile_vectors);
                    let tiles = balanced(&row_extent.into(), tile_rows);
                    let constant = is_constant(v) && is_static(s, v);
                    let step = cx.typical(&v.at.coefficient(lane));
                    let reuse: i64 = cx.typical(&tile_count(&tiles))
                        * (0..s.rank)
                            .filter(|a| Some(*a) != *row && only(a, sc, v))
                            .map(|a| extents[a])
                            .product::<i64>();
                    let panel_bytes = terms * tile_vectors * w * 4;
                    let read = if constant {
                        Vectors::Table
                    } else if panel_bytes <= cx.target.l2 / 2 && (step < 1 || (step > 2 && reuse >= 2)) {
                        Vectors::Scratch
                    } else if step >= 1 {
                        Vectors::Direct
                    } else {
                        continue;
                    };
                    let mut cycles = 0;
                    for panel in &panels {
                        for tile in &tiles {
                            let (pn, pv) = (cx.typical(&panel.count), panel.size);
                            let (tn, tr) = (cx.typical(&tile.count), tile.size);
                            // In half cycles of a machine with two multiply-adds and two loads a cycle; vectors read in
                            // place cross cache lines.
                            let loads = match read {
                                Vectors::Table | Vectors::Scratch => tr + pv,
                                Vectors::Direct if step == 1 => tr + 2 * pv,
                                Vectors::Direct if step == 2 => tr + 5 * pv,
                                Vectors::Direct => tr + 20 * pv,
                            };
                            // With nearly all registers in accumulators the compiler has to store one.
                            let accumulators = tr * pv;
                            let full = accumulators + pv + 1 > cx.target.registers - 2;
                            let crowded = if full { accumulators / if windowed { 6 } else { 20 } } else { 0 };
                            // Rows far apart are a stream of memory and an address each.
                            let streams =
                                if row.is_some_and(|r| cx.typical(&sc.at.coefficient(r)) > w) { tr / 4 } else { 0 };
                            // A panel beyond the first-level cache comes from the second level for every tile.
                            let far = if panel_bytes > cx.target.l1 / 2 { 5 * pv / 2 } else { 0 };
                            let body = accumulators.max(loads).max(far).max(8) + 1 + crowded + streams;
                            let store = if transposed {
                                (tr + w - 1) / w * (pv * (8 * w + w / 2 * i64::from(epilogue.min(20)) / 4))
                                    + 2 * tr * pv
                            } else {
                                tr * pv * (if unit { 2 } else { 4 * w } + i64::from(epilogue) / 2)
                            };
                            cycles += pn * tn * (terms * body + store + 20);
                        }
                    }
                    cycles *= others;
                    if read == Vectors::Scratch {
                        // Half cycles per vector packed: squares transposed, or lane by lane.
                        let along = (s.rank..s.extents.len()).next_back().is_some_and(|a| v.at.coefficient(a) == 1);
                        let per_vector = if along { 12 } else { 48 };
                        let outer: i64 = (0..s.rank)
                            .filter(|a| *a != lane && v.at.coefficient(*a) != 0)
                            .map(|a| extents[a])
                            .product();
                        let split = Split::new(s, v, lane, *row, tile_rows, tile_vectors);
                        cycles += outer * total_vectors * terms * per_vector * cx.typical(&split.chunks);
                    }
                    // A panel beyond the second-level cache is read from further away for every row tile.
                    if panel_bytes > cx.target.l2 * 3 / 4 {
                        cycles += cycles / 16;
                    }
                    if best.as_ref().is_none_or(|b| cycles < b.cycles) {
                        best = Some(Plan {
                            first_is_vector,
                            lane,
                            row: *row,
                            rows: tile_rows,
                            vectors: tile_vectors,
                            read,
                            transposed,
                            cycles,
                        });
                    }
                }
            }
        }
    }
    best
}

/// Whether the operand's shape is known: the axes it has, and the steps between them.
fn is_static(s: &Stage, v: &Operand) -> bool {
    let known = |d: &Dim| d.as_const().is_some();
    known(v.at.offset()) && v.at.terms().iter().all(|(_, c)| known(c)) && {
        (0..s.extents.len()).all(|a| (a < s.rank && v.at.coefficient(a) == 0) || known(&s.extents[a]))
    }
}

/// How the tiles of one panel are claimed: in chunks of units, a unit being a row tile or all row tiles of a middle index.
pub(super) struct Split {
    /// Units of a chunk.
    pub(super) chunk: Dim,
    /// Chunks of a panel.
    pub(super) chunks: Dim,
    /// Units of a panel.
    pub(super) units: Dim,
}

impl Split {
    pub(super) fn new(s: &Stage, v: &Operand, lane: Axis, row: Option<Axis>, rows: i64, vectors: i64) -> Self {
        let row_extent = row.map_or(Dim::ONE, |r| s.extents[r].clone());
        let row_tiles = row_extent.ceil_div(&rows.into());
        let mut middle = (0..s.rank).filter(|a| *a != lane && Some(*a) != row && v.at.coefficient(*a) == 0).peekable();
        let (units, unit_tiles) = match middle.peek() {
            None => (row_tiles, Dim::ONE),
            Some(_) => (middle.map(|a| &s.extents[a]).product(), row_tiles),
        };
        let tile_rows = row_extent.as_const().map_or(rows, |n| n.min(rows));
        let unit_cycles = (s.terms() * tile_rows * vectors + 40) * unit_tiles;
        let chunk = chunk(&Dim::from(TILE_CYCLES).floor_div(&unit_cycles.larger(&Dim::ONE)), &units);
        Self { chunks: units.ceil_div(&chunk), chunk, units }
    }
}

/// Axes of a plan, by role.
pub(super) struct Roles {
    /// In both operands, or only in the vector operand beside the lane axis: outermost.
    pub(super) outer: Vec<Axis>,
    /// Only in the scalar operand, beside the row axis.
    pub(super) middle: Vec<Axis>,
    pub(super) folded: Vec<Axis>,
}

pub(super) fn roles(s: &Stage, v: &Operand, plan: &Plan) -> Roles {
    let free = |a: &Axis| *a != plan.lane && Some(*a) != plan.row;
    let outer = (0..s.rank).filter(free).filter(|a| v.at.coefficient(*a) != 0).collect();
    let middle = (0..s.rank).filter(free).filter(|a| v.at.coefficient(*a) == 0).collect();
    Roles { outer, middle, folded: (s.rank..s.extents.len()).collect() }
}
