//! Which rules are on: patterns over their names, phases, files and numeric classes.
//!
//! A pattern is `WHAT:GLOB` with WHAT one of `name`, `phase`, `tag` (the rule file without folder and extension) and
//! `class`; in a glob `*` stands for any characters. A pattern that no rule fits is refused: it would be a slip.

use egret_rules::{Rule, RuleSet};

use crate::{Error, Result};

/// What a pattern looks at.
#[derive(Clone, Copy)]
enum What {
    Name,
    Phase,
    Tag,
    Class,
}

/// The theme of a rule: its file without folder and extension.
pub fn tag(rule: &Rule) -> &str {
    let file = rule.place.file.rsplit(['/', '\\']).next().unwrap_or_default();
    file.split_once('.').map_or(file, |(stem, _)| stem)
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

    fn fits(&self, rule: &Rule) -> bool {
        let text = match self.what {
            What::Name => &rule.name,
            What::Phase => rule.phase.name(),
            What::Tag => tag(rule),
            What::Class => rule.numeric.name(),
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

/// The rules that some pattern of `on` fits (all where there is none) and no pattern of `off` does, in their order.
///
/// # Errors
/// A pattern of an unknown form, or one that no rule fits.
pub fn select(mut rules: RuleSet, on: &[String], off: &[String]) -> Result<RuleSet> {
    let parse = |list: &'_ [String]| -> Result<()> {
        for text in list {
            let pattern = Pattern::parse(text)?;
            if !rules.rules.iter().any(|r| pattern.fits(r)) {
                return Err(Error::Usage(format!("rule pattern `{text}`: no rule fits it")));
            }
        }
        Ok(())
    };
    parse(on)?;
    parse(off)?;
    let any = |list: &[String], r: &Rule| list.iter().any(|t| Pattern::parse(t).is_ok_and(|p| p.fits(r)));
    rules.rules.retain(|r| (on.is_empty() || any(on, r)) && !any(off, r));
    Ok(rules)
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
        let names = |on: &[&str], off: &[&str]| -> Vec<String> {
            let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            let rules = select(RuleSet::builtin(), &own(on), &own(off)).expect("patterns");
            rules.rules.iter().map(|r| r.name.to_string()).collect()
        };
        let all = names(&[], &[]);
        let algebra = names(&["tag:algebra"], &[]);
        assert!(!algebra.is_empty() && algebra.len() < all.len());
        assert_eq!(names(&[], &["tag:algebra"]).len() + algebra.len(), all.len());
        assert_eq!(names(&["name:permute-permute"], &[]), ["permute-permute"]);
        assert_eq!(names(&["phase:*"], &["class:*"]), Vec::<String>::new());
        let refused = |text: &str| match select(RuleSet::builtin(), &[text.to_owned()], &[]) {
            Err(Error::Usage(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(refused("permute").contains("expected name:GLOB"));
        assert!(refused("name:no-such-rule").contains("no rule fits"));
    }
}
