//! The choices of a draw: random ones, or all of them in turn.

use egret_ir::eval::domain::mix;

/// Makes choices. A draw that asks for the same choices in the same order gets, path after path, every combination of them.
#[derive(Clone, Debug)]
pub(in crate::rulecheck) enum Pick {
    /// Pseudo-random numbers.
    Random(u64),
    /// An odometer: (choice, number of choices) per place asked so far, and the next place.
    Each(Vec<(usize, usize)>, usize),
}

impl Pick {
    pub(in crate::rulecheck) fn random(seed: u64) -> Self {
        Self::Random(mix(seed ^ 0x5851_f42d_4c95_7f2d))
    }

    /// The first of all combinations.
    pub(in crate::rulecheck) fn each() -> Self {
        Self::Each(Vec::new(), 0)
    }

    /// Whether every combination is made in turn.
    pub(in crate::rulecheck) fn is_each(&self) -> bool {
        matches!(self, Self::Each(..))
    }

    /// A number below `n`.
    pub(in crate::rulecheck) fn below(&mut self, n: usize) -> usize {
        match self {
            Self::Random(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                (mix(*state) % n.max(1) as u64) as usize
            }
            Self::Each(..) if n < 2 => 0,
            Self::Each(path, at) => {
                if *at == path.len() {
                    path.push((0, n));
                }
                *at += 1;
                path[*at - 1].0
            }
        }
    }

    /// One of them.
    pub(in crate::rulecheck) fn of<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.below(items.len())].clone()) }
    }

    /// True once in `n`; either way where every combination is made.
    pub(in crate::rulecheck) fn once_in(&mut self, n: usize) -> bool {
        let n = if self.is_each() { 2 } else { n };
        self.below(n) == 0
    }

    pub(in crate::rulecheck) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// The next combination: the last choice that may be raised is; false where there is none.
    pub(in crate::rulecheck) fn advance(&mut self) -> bool {
        let Self::Each(path, at) = self else { return false };
        // Places beyond the last one asked belong to an earlier draw.
        path.truncate(*at);
        while let Some((choice, n)) = path.pop() {
            if choice + 1 < n {
                path.push((choice + 1, n));
                *at = 0;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odometer_makes_every_combination_once() {
        let (mut pick, mut seen) = (Pick::each(), Vec::new());
        loop {
            // The second choice is asked for after some of the first only, and has as many ways as they say.
            let first = pick.below(3);
            seen.push((first, if first == 1 { None } else { Some(pick.below(first + 2)) }));
            if !pick.advance() {
                break;
            }
        }
        let expected = [(0, Some(0)), (0, Some(1)), (1, None), (2, Some(0)), (2, Some(1)), (2, Some(2)), (2, Some(3))];
        assert_eq!(seen, expected);
        let mut orders = std::collections::BTreeSet::new();
        let mut pick = Pick::each();
        loop {
            let mut items = [0, 1, 2, 3];
            pick.shuffle(&mut items);
            orders.insert(items);
            if !pick.advance() {
                break;
            }
        }
        assert_eq!(orders.len(), 24);
    }
}
