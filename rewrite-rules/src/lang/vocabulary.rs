//! The words of rule files: conditions and attribute functions, the tables of this crate and those that a program adds.

use std::fmt;

use super::attr_fns::{ATTR_FNS, AttrFn};
use super::conditions::{CONDITIONS, ConditionDef};
use super::error::Problem;

/// Words that a program adds to the built-in tables, for rules that it loads with [`super::RuleSet::load_with`].
///
/// A word must be a function of its arguments and of facts that never change while a graph is saturated (types, constness,
/// elements of constants): a match that was settled is not asked again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vocabulary {
    /// Conditions, for `if` and `when`.
    pub conditions: &'static [ConditionDef],
    /// Attribute functions, for right sides and arguments.
    pub functions: &'static [AttrFn],
}

impl Vocabulary {
    /// The condition of that name.
    ///
    /// # Errors
    /// Where no table or more than one row has it.
    pub fn condition(&self, name: &str) -> Result<&'static ConditionDef, Problem> {
        let rows = CONDITIONS.iter().chain(self.conditions).filter(|c| c.name == name);
        only(rows, name, Problem::UnknownCondition)
    }

    /// The attribute function of that name.
    ///
    /// # Errors
    /// As [`Vocabulary::condition`].
    pub fn function(&self, name: &str) -> Result<&'static AttrFn, Problem> {
        let rows = ATTR_FNS.iter().chain(self.functions).filter(|f| f.name == name);
        only(rows, name, Problem::UnknownAttrFn)
    }
}

fn only<T>(mut rows: impl Iterator<Item = T>, name: &str, unknown: fn(String) -> Problem) -> Result<T, Problem> {
    match (rows.next(), rows.next()) {
        (Some(row), None) => Ok(row),
        (None, _) => Err(unknown(name.to_owned())),
        (Some(_), Some(_)) => Err(Problem::TwoMeanings(name.to_owned())),
    }
}

/// Words are told apart by their names, of which a rule set knows one meaning each.
impl PartialEq for ConditionDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ConditionDef {}

impl fmt::Debug for ConditionDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for AttrFn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AttrFn {}

impl fmt::Debug for AttrFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
