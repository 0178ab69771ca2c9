//! Small values under which both sides of a rule have types.

use super::{Refusal, load};
use crate::lang::lex::lex;
use crate::lang::parse::parse;
use crate::lang::resolve::resolve;
use crate::lang::{AttrSort, Rule, Sort, Vocabulary};
use crate::rulecheck::instance::{Instance, instance};

/// Combinations looked at, at most.
const TRIED: usize = 20_000;

/// Values of a variable, as they stand after `try`. Extents differ, so that a wrong axis shows.
fn candidates(rule: &Rule, variable: usize) -> &'static [&'static str] {
    let windows = rule.vars.iter().any(|v| v.sort == Sort::Attr(AttrSort::Spec));
    let (sort, name) = (rule.vars[variable].sort, rule.vars[variable].name.as_str());
    match sort {
        Sort::Operand if windows => &["f32[1,2,3,4]", "f32[2,2,3,3]", "f32[2,4,3,3]", "f32[4,2,3,3]", "f32[1,4,3,4]"],
        Sort::Operand => &["f32[2,3]", "f32[3,4]", "f32[4,2]", "f32[3,2]", "f32[4,3]", "f32[2,2]", "f32[2,4]"],
        Sort::Splat => &["2f32"],
        Sort::Attr(AttrSort::Spec) if name.starts_with("pool") => &["{a b c+d-1 e+f-1 -> a b c e | c=3 d=3 e=4 f=3}"],
        Sort::Attr(AttrSort::Spec) => &["{a b c+d-1 e+f-1, g b d f -> a g c e | c=3 d=3 e=4 f=3}"],
        Sort::Attr(AttrSort::Perm) => &["[1,0]", "[0,2,3,1]"],
        Sort::Attr(AttrSort::Axis) => &["1", "0"],
        Sort::Attr(AttrSort::DType) => &["f32"],
        Sort::Function => &["exp"],
        Sort::Monoid => &["sum"],
        Sort::Attr(
            AttrSort::Dim
            | AttrSort::Dims
            | AttrSort::Insert
            | AttrSort::Slices
            | AttrSort::Pads
            | AttrSort::Gather
            | AttrSort::Literal,
        ) => &[],
    }
}

/// The first combination of values under which the left side matches itself and both sides have one type, as it stands
/// after `try`.
pub(super) fn find(text: &str) -> Result<String, Refusal> {
    let rule = sorted(text)?;
    let options: Vec<&[&str]> = (0..rule.vars.len()).map(|i| candidates(&rule, i)).collect();
    let count = options.iter().map(|o| o.len()).product::<usize>().min(TRIED);
    for n in 0..count {
        let mut rest = n;
        let values = rule.vars.iter().zip(&options).map(|(v, o)| {
            let value = o[rest % o.len()];
            rest /= o.len();
            format!("?{}={value}", v.name)
        });
        let values = values.collect::<Vec<_>>().join(" ");
        let whole = format!("{text}\n    finite   cite \"import\"    try {values}\n");
        let rules = load(text, &whole)?;
        let fits = rules.rules.iter().all(|r| match r.tries.first().map(|t| instance(r, t, 0)) {
            Some(Instance::Matched(m)) => m.right.is_ok(),
            Some(Instance::IllTyped(_) | Instance::NoMatch) | None => false,
        });
        if fits {
            return Ok(values);
        }
    }
    Err(Refusal::Untyped { text: text.to_owned() })
}

/// The rule with the sorts of its variables, without values yet.
fn sorted(text: &str) -> Result<Rule, Refusal> {
    let (tokens, mut problems) = lex(&format!("{text}\n    finite"));
    let raws = parse(&tokens, &mut problems);
    let words = Vocabulary::default();
    let rule = raws.first().and_then(|raw| resolve(raw, false, &"import".into(), text, words, &mut problems));
    match (rule, problems.first()) {
        (Some(rule), None) => Ok(rule),
        (_, problem) => {
            let problem = problem.map_or_else(String::new, |(_, p)| p.to_string());
            Err(Refusal::Load { text: text.to_owned(), problem })
        }
    }
}
