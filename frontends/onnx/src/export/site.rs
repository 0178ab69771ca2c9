//! As imported: inputs and nodes of the model as candidates.

use egret_ir::choice::ClassId;
use egret_ir::op::Op;
use egret_ir::{Type, ValueId};

use super::OnnxStep;
use super::build::Build;
use crate::Imported;
use crate::imported::SiteKind;

/// The graph's inputs.
pub fn inputs(b: &mut Build<'_>) {
    for i in 0..b.classes.inputs.len() as u32 {
        if let Some(c) = b.known(&Op::Input(i), &[]) {
            b.early(vec![c], vec![], 0, OnnxStep::Input(i));
        }
    }
}

/// More than any graph of plain nodes costs: a call of a function is written where nothing else is possible.
const CALL_COST: u64 = 1 << 50;

/// Every node of the model, with all its results at once. A node that gives only what it takes (Identity) is none.
pub fn as_imported(b: &mut Build<'_>, imported: &Imported, class_of: &[Option<ClassId>]) {
    let class = |v: ValueId| class_of.get(v.index()).copied().flatten();
    for (i, site) in imported.sites.iter().enumerate() {
        let price: fn(u64) -> u64 = match site.kind {
            SiteKind::Plain => |cost| cost,
            SiteKind::Call => |cost| cost.saturating_add(CALL_COST),
            SiteKind::Control | SiteKind::OtherOpset => continue,
        };
        let operands: Option<Vec<Option<ClassId>>> =
            site.inputs.iter().map(|v| v.map_or(Some(None), |v| class(v).map(Some))).collect();
        let captures: Option<Vec<ClassId>> = site.captures.iter().map(|(v, _)| class(*v)).collect();
        let (Some(operands), Some(captures)) = (operands, captures) else { continue };
        let mut reads: Vec<ClassId> = operands.iter().copied().flatten().chain(captures).collect();
        let mut outputs: Vec<ClassId> = Vec::new();
        for c in site.outputs.iter().filter_map(|(v, _)| class(*v)) {
            if !reads.contains(&c) && !outputs.contains(&c) {
                outputs.push(c);
            }
        }
        if outputs.is_empty() {
            continue;
        }
        let given: Vec<Option<&Type>> = operands.iter().map(|c| c.map(|c| b.classes.ty(c))).collect();
        let results: Vec<&Type> = outputs.iter().map(|c| b.classes.ty(*c)).collect();
        let cost = price(b.price(site.node.op_type(), &given, &results));
        reads.sort_unstable();
        reads.dedup();
        b.early(outputs, reads, cost, OnnxStep::Site(i));
    }
}
