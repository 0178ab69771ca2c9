//! Extractors: rows of one table, each with a claim that the tests hold it to. All work on integer costs, iterate over
//! vectors only and count their work, so that equal tables give equal selections everywhere.

mod bound;
mod flow;
mod greedy;
mod improve;
pub(crate) mod problem;
mod tree;

use egret_ir::choice::{ClassId, Table};

use problem::{Picks, Problem};

/// A valid selection of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Indices of the chosen candidates; every input is produced by an earlier one.
    pub chosen: Vec<usize>,
    /// Which candidate produces each needed class, by class. (Other chosen candidates may produce it too.)
    pub producers: Vec<(ClassId, usize)>,
    /// Sum of the chosen candidates' costs.
    pub cost: u64,
    /// No selection costs less than this.
    pub bound: u64,
    /// Cost of the roots as trees, each shared value paid once per use; never a ranking on graphs with sharing.
    pub tree_cost: u128,
    /// Candidates and set words looked at.
    pub work: u64,
}

impl Selection {
    /// The candidate that produces a class, where it is needed.
    pub fn producer(&self, c: ClassId) -> Option<usize> {
        self.producers.binary_search_by_key(&c, |p| p.0).ok().map(|i| self.producers[i].1)
    }
}

/// Why nothing can be extracted, or a selection is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// No finite set of candidates produces a root.
    #[error("root class {} has no finite derivation: {}", .root.0, reason(.missing))]
    Underivable {
        /// The root.
        root: ClassId,
        /// Classes below it that no candidate produces; empty where all derivations are cyclic.
        missing: Vec<ClassId>,
    },
    /// A candidate or root mentions a class that the table does not have.
    #[error("candidate {candidate:?} mentions class {}, the table has {classes}", .class.0)]
    UnknownClass {
        /// Position of the candidate; None for a root.
        candidate: Option<usize>,
        /// The class.
        class: ClassId,
        /// Number of classes.
        classes: usize,
    },
    /// A candidate reads a class before it is produced, or reads what it produces.
    #[error("candidate {candidate} reads class {}, which no earlier one produces", .class.0)]
    NotProduced {
        /// Position of the candidate.
        candidate: usize,
        /// The class.
        class: ClassId,
    },
    /// A root that the selection does not produce.
    #[error("root class {} is not produced", .0.0)]
    RootMissing(ClassId),
    /// The stated cost is not the sum of the candidates'.
    #[error("the selection says it costs {stated}, its candidates cost {actual}")]
    Cost {
        /// Cost in the selection.
        stated: u64,
        /// Sum.
        actual: u64,
    },
}

fn reason(missing: &[ClassId]) -> String {
    if missing.is_empty() {
        return "all derivations are cyclic".into();
    }
    let names: Vec<String> = missing.iter().map(|c| c.0.to_string()).collect();
    format!("nothing produces class {}", names.join(", "))
}

/// What an extractor promises beyond a valid selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Least cost as a tree of each root (Knuth 1977): `tree_cost` is minimal.
    LeastTree,
    /// A valid selection.
    Valid,
    /// Costs no more than any other row's.
    BestOfTable,
}

/// A row.
pub struct Extractor {
    /// Its name.
    pub name: &'static str,
    /// What it promises.
    pub claim: Claim,
    run: fn(&Problem<'_>, &mut u64) -> Picks,
}

/// All extractors.
pub static EXTRACTORS: &[Extractor] = &[
    Extractor { name: "tree", claim: Claim::LeastTree, run: tree::extract },
    Extractor { name: "flow", claim: Claim::Valid, run: flow::extract },
    Extractor { name: "greedy", claim: Claim::Valid, run: greedy::extract },
    Extractor { name: "local", claim: Claim::BestOfTable, run: improve::extract },
];

impl Extractor {
    /// Runs it and checks the result.
    pub fn extract<P>(&self, table: &Table<P>) -> Result<Selection, ExtractError> {
        let problem = Problem::new(table)?;
        let mut selection = self.select(table, &problem)?;
        let mut work = 0;
        selection.bound = bound::lower(&problem, &mut work).min(selection.cost);
        selection.work += work;
        Ok(selection)
    }

    fn select<P>(&self, table: &Table<P>, problem: &Problem<'_>) -> Result<Selection, ExtractError> {
        let mut work = 0;
        let picks = (self.run)(problem, &mut work);
        let selection = problem.selection(&picks, work);
        validate(table, &selection)?;
        Ok(selection)
    }
}

/// [`extract`] without the work for a lower bound: that is 0.
///
/// # Errors
/// As [`extract`].
pub fn select<P>(table: &Table<P>) -> Result<Selection, ExtractError> {
    EXTRACTORS[EXTRACTORS.len() - 1].select(table, &Problem::new(table)?)
}

/// The selection of the extractor recommended for use: greedy starts, improved locally.
///
/// # Errors
/// A root without a finite derivation, or a class number out of range.
pub fn extract<P>(table: &Table<P>) -> Result<Selection, ExtractError> {
    EXTRACTORS[EXTRACTORS.len() - 1].extract(table)
}

/// Checks that every input is produced by an earlier candidate, every root is produced, the named producers are chosen,
/// and the cost is the sum. Run on every result.
pub fn validate<P>(table: &Table<P>, selection: &Selection) -> Result<(), ExtractError> {
    let mut produced = vec![false; table.classes];
    let mut taken = vec![false; table.candidates.len()];
    let mut cost: u64 = 0;
    for &i in &selection.chosen {
        let candidate = &table.candidates[i];
        if let Some(c) = candidate.inputs.iter().find(|c| !produced[c.index()]) {
            return Err(ExtractError::NotProduced { candidate: i, class: *c });
        }
        taken[i] = true;
        for o in &candidate.outputs {
            produced[o.index()] = true;
        }
        cost = cost.saturating_add(candidate.cost);
    }
    if let Some(r) = table.roots.iter().find(|r| !produced[r.index()]) {
        return Err(ExtractError::RootMissing(*r));
    }
    for (c, i) in &selection.producers {
        if !taken[*i] || !table.candidates[*i].outputs.contains(c) {
            return Err(ExtractError::NotProduced { candidate: *i, class: *c });
        }
    }
    if cost != selection.cost {
        return Err(ExtractError::Cost { stated: selection.cost, actual: cost });
    }
    Ok(())
}
