//! Names of values in the exported model: those of the model's interface as they are, surviving values under their old
//! name, new ones under `origin/hash`.

use std::collections::BTreeSet;

use egret_ir::origin::{Origin, Origins};
use sha2::{Digest, Sha256};

/// The names in use.
#[derive(Default)]
pub struct Names {
    used: BTreeSet<String>,
    kept: BTreeSet<String>,
}

impl Names {
    /// `kept` are names of the imported model (or of its bodies) that a new value may not get.
    pub fn new(kept: BTreeSet<String>) -> Self {
        Self { used: BTreeSet::new(), kept }
    }

    /// Takes a name; false where it is taken already.
    pub fn take(&mut self, name: &str) -> bool {
        self.used.insert(name.to_owned())
    }

    /// The name from an origin and what it names, as long as nothing else has it.
    pub fn stem(origin: &str, content: &[&[u8]]) -> String {
        format!("{}/{}", base(origin), hash(content))
    }

    /// A new name from an origin and what it names.
    pub fn fresh(&mut self, origin: &str, content: &[&[u8]]) -> String {
        let stem = Self::stem(origin, content);
        let mut name = stem.clone();
        let mut n = 1;
        while self.kept.contains(&name) || !self.used.insert(name.clone()) {
            n += 1;
            name = format!("{stem}_{n}");
        }
        name
    }
}

/// An origin's name without the hash that an earlier export put behind it.
fn base(origin: &str) -> &str {
    match origin.rsplit_once('/') {
        Some((base, end))
            if !base.is_empty() && end.len() >= 8 && end.as_bytes()[..8].iter().all(u8::is_ascii_hexdigit) =>
        {
            base
        }
        _ => origin,
    }
}

/// The name of the first origin that has one.
pub fn origin(origins: &Origins) -> Option<String> {
    origins.iter().find_map(|o| match o {
        Origin::Onnx { name, .. } if !name.is_empty() => Some(name.to_string()),
        Origin::Value(name) if !name.is_empty() => Some(name.to_string()),
        Origin::Onnx { .. } | Origin::Value(_) | Origin::Text { .. } => None,
    })
}

/// Eight hexadecimal digits of a content's SHA-256; of long parts both ends and the length count.
fn hash(content: &[&[u8]]) -> String {
    const END: usize = 1 << 19;
    let mut hasher = Sha256::new();
    for part in content {
        hasher.update((part.len() as u64).to_le_bytes());
        if part.len() <= 2 * END {
            hasher.update(part);
        } else {
            hasher.update(&part[..END]);
            hasher.update(&part[part.len() - END..]);
        }
    }
    let digest = hasher.finalize();
    format!("{:08x}", u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_are_unique_and_do_not_pile_up_hashes() {
        let mut names = Names::new(BTreeSet::new());
        let first = names.fresh("conv", &[b"a"]);
        let again = names.fresh("conv", &[b"a"]);
        assert_ne!(first, again);
        let third = names.fresh(&first, &[b"b"]);
        assert_eq!(third.matches('/').count(), 1);
    }
}
