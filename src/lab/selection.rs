//! Which rules are on: patterns over their names, phases, files and numeric classes.
//!
//! A pattern is `WHAT:GLOB` with WHAT one of `name`, `phase`, `tag` (the rule file without folder and extension; `passes`
//! for those) and `class`; in a glob `*` stands for any characters. A pattern that nothing fits is refused: it would be a
//! slip.

use egret_rules::engine::passes::Pass;
use egret_rules::{Numeric, Phase, Rule, RuleSet};

use crate::{Error, Result};

/// A rule or a native pass, as experiments speak of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub text: &'a str,
    /// When it runs.
    pub phase: Phase,
    /// Its numeric class.
    pub class: Numeric,
    /// Its theme: of a rule the file without folder and extension, of a pass `passes`.
    pub tag: &'a str,
}

impl<'a> Entry<'a> {
    /// Of a rule.
    pub fn of_rule(rule: &'a Rule) -> Self {
        let file = rule.place.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let tag = file.split_once('.').map_or(file, |(stem, _)| stem);
        Self { name: &rule.name, text: &rule.text, phase: rule.phase, class: rule.numeric, tag }
    }

    /// Of a pass.
    pub fn of_pass(pass: &'a Pass) -> Self {
        Self { name: pass.name, text: pass.text, phase: pass.phase, class: pass.numeric, tag: "passes" }
    }
}

/// All rules and then all passes of a set, in the order of its statistics.
pub fn entries(rules: &RuleSet) -> impl Iterator<Item = Entry<'_>> {
    let passes = rules.passes.iter().map(|p| Entry::of_pass(p));
    rules.rules.iter().map(Entry::of_rule).chain(passes)
}

/// The entries of a set that are as asked for, in their order.
pub fn retain(rules: &RuleSet, keep: impl Fn(Entry<'_>) -> bool) -> RuleSet {
    let mut rules = rules.clone();
    rules.rules.retain(|r| keep(Entry::of_rule(r)));
    rules.passes.retain(|p| keep(Entry::of_pass(p)));
    rules
}

/// What a pattern looks at.
#[derive(Clone, Copy)]
enum What {
    Name,
    Phase,
    Tag,
    Class,
}

struct Pattern<'a> {
    what: What,
    glob: &'a str,
}

impl<'a> Pattern<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let (word, glob) = text.split_once(':').unwrap_or(("", text));
        let what = match word {
            "name" => What::Name,
            "phase" => What::Phase,
            "tag" => What::Tag,
            "class" => What::Class,
            _ => {
                let expected = "expected name:GLOB, phase:GLOB, tag:GLOB or class:GLOB";
                return Err(Error::Usage(format!("rule pattern `{text}`: {expected}")));
            }
        };
        Ok(Self { what, glob })
    }

    fn fits(&self, entry: Entry<'_>) -> bool {
        let text = match self.what {
            What::Name => entry.name,
            What::Phase => entry.phase.name(),
            What::Tag => entry.tag,
            What::Class => entry.class.name(),
        };
        fits(self.glob, text)
    }
}

/// Whether a text fits a glob. Linear in the text for each `*`: the first place that fits is as good as any.
fn fits(glob: &str, text: &str) -> bool {
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The patterns of a list, each of which something fits.
fn patterns<'a>(rules: &RuleSet, list: &'a [String]) -> Result<Vec<Pattern<'a>>> {
    let mut out = Vec::with_capacity(list.len());
    for text in list {
        let pattern = Pattern::parse(text)?;
        if !entries(rules).any(|e| pattern.fits(e)) {
            return Err(Error::Usage(format!("rule pattern `{text}`: no rule fits it")));
        }
        out.push(pattern);
    }
    Ok(out)
}

/// The rules and passes that some pattern of `on` fits (all where there is none) and no pattern of `off` does.
///
/// # Errors
/// A pattern of an unknown form, or one that nothing fits.
pub fn select(rules: &RuleSet, on: &[String], off: &[String]) -> Result<RuleSet> {
    let (on, off) = (patterns(rules, on)?, patterns(rules, off)?);
    let any = |list: &[Pattern<'_>], e: Entry<'_>| list.iter().any(|p| p.fits(e));
    Ok(retain(rules, |e| (on.is_empty() || any(&on, e)) && !any(&off, e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, text, fit) in [
            ("permute-*", "permute-permute", true),
            ("permute-*", "relu-past-permute", false),
            ("*-permute", "relu-past-permute", true),
            ("*past*", "relu-past-permute", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(glob, text), fit, "`{glob}` on `{text}`");
        }
    }

    #[test]
    fn rules_go_on_and_off() {
        let all = RuleSet::builtin();
        let names = |on: &[&str], off: &[&str]| -> Vec<String> {
            let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            let rules = select(&all, &own(on), &own(off)).expect("patterns");
            entries(&rules).map(|e| e.name.to_owned()).collect()
        };
        let count = names(&[], &[]).len();
        let algebra = names(&["tag:algebra"], &[]).len();
        assert!(algebra > 0 && algebra < count);
        assert_eq!(names(&[], &["tag:algebra"]).len() + algebra, count);
        assert_eq!(names(&["tag:passes"], &[]).len(), all.passes.len());
        assert_eq!(names(&["name:permute-permute"], &[]), ["permute-permute"]);
        assert_eq!(names(&["phase:*"], &["class:*"]), Vec::<String>::new());
        let refused = |text: &str| match select(&all, &[text.to_owned()], &[]) {
            Err(Error::Usage(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(refused("permute").contains("expected name:GLOB"));
        assert!(refused("name:no-such-rule").contains("no rule fits"));
    }
}
