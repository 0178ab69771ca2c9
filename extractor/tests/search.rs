//! Random cyclic multi-output tables against brute force: selections are valid, nobody beats the optimum, bounds hold.

use egret_extractor::search::Claim;
use egret_extractor::{EXTRACTORS, ExtractError, extract, validate};
use egret_ir::choice::{Candidate, ClassId, Table};
use proptest::prelude::*;

fn table(classes: usize, raw: &[(Vec<u32>, Vec<u32>, u64)], roots: &[u32]) -> Table<()> {
    let class = |c: &u32| ClassId(c % classes as u32);
    let candidates = raw
        .iter()
        .map(|(outputs, inputs, cost)| Candidate {
            outputs: outputs.iter().map(class).collect(),
            inputs: inputs.iter().map(class).collect(),
            cost: *cost,
            payload: (),
        })
        .collect();
    Table { classes, roots: roots.iter().map(class).collect(), candidates }
}

/// Least cost of a set of candidates from which all roots follow; None where there is none.
fn optimum(table: &Table<()>) -> Option<u64> {
    let n = table.candidates.len();
    (0u32..1 << n)
        .filter_map(|set| {
            let mut have = vec![false; table.classes];
            for _ in 0..n {
                for (i, c) in table.candidates.iter().enumerate() {
                    if set >> i & 1 == 1 && c.inputs.iter().all(|x| have[x.index()]) {
                        for o in &c.outputs {
                            have[o.index()] = true;
                        }
                    }
                }
            }
            let cost = (0..n).filter(|i| set >> i & 1 == 1).map(|i| table.candidates[i].cost).sum();
            table.roots.iter().all(|r| have[r.index()]).then_some(cost)
        })
        .min()
}

/// Least cost of a root as a tree, by relaxation to the fixpoint.
fn least_tree(table: &Table<()>) -> Option<u128> {
    let mut cost: Vec<Option<u128>> = vec![None; table.classes];
    for _ in 0..=table.classes * table.candidates.len() {
        for c in &table.candidates {
            let mut inputs = c.inputs.clone();
            inputs.sort_unstable();
            inputs.dedup();
            let sum = inputs.iter().try_fold(u128::from(c.cost), |s, i| Some(s + cost[i.index()]?));
            if let Some(sum) = sum {
                for o in &c.outputs {
                    let slot = &mut cost[o.index()];
                    *slot = Some(slot.map_or(sum, |s| s.min(sum)));
                }
            }
        }
    }
    let mut roots = table.roots.clone();
    roots.sort_unstable();
    roots.dedup();
    roots.iter().map(|r| cost[r.index()]).sum()
}

fn raw() -> impl Strategy<Value = Vec<(Vec<u32>, Vec<u32>, u64)>> {
    let candidate = (
        proptest::collection::vec(0u32..8, 1..3),
        proptest::collection::vec(0u32..8, 0..4),
        prop_oneof![Just(0u64), 1u64..20],
    );
    proptest::collection::vec(candidate, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_algorithm: prop::test_runner::RngAlgorithm::ChaCha, ..ProptestConfig::default() })]

    #[test]
    fn extractors_keep_their_claims(classes in 2usize..9, raw in raw(), roots in proptest::collection::vec(0u32..8, 1..3)) {
        let table = table(classes, &raw, &roots);
        let Some(best) = optimum(&table) else {
            for e in EXTRACTORS {
                prop_assert!(matches!(e.extract(&table), Err(ExtractError::Underivable { .. })), "{}", e.name);
            }
            return Ok(());
        };
        let mut costs = Vec::new();
        for e in EXTRACTORS {
            let s = e.extract(&table).map_err(|error| TestCaseError::fail(format!("{}: {error}", e.name)))?;
            prop_assert_eq!(validate(&table, &s), Ok(()));
            prop_assert!(s.cost >= best, "{} beats the optimum {}: {:?}", e.name, best, s);
            prop_assert!(s.bound <= best, "{}: bound {} above the optimum {}", e.name, s.bound, best);
            prop_assert_eq!(&e.extract(&table), &Ok(s.clone()));
            if e.claim == Claim::LeastTree {
                prop_assert_eq!(Some(s.tree_cost), least_tree(&table));
            }
            costs.push((e.claim, s.cost));
        }
        let least = costs.iter().map(|c| c.1).min();
        for (claim, cost) in costs {
            if claim == Claim::BestOfTable {
                prop_assert_eq!(Some(cost), least);
            }
        }
    }
}

#[test]
fn an_underivable_root_is_named() {
    let t = table(3, &[(vec![0], vec![1], 1), (vec![1], vec![0], 1)], &[0]);
    let error = extract(&t).expect_err("cyclic");
    assert_eq!(error.to_string(), "root class 0 has no finite derivation: all derivations are cyclic");
    let t = table(3, &[(vec![0], vec![1, 2], 1), (vec![1], vec![], 1)], &[0]);
    let error = extract(&t).expect_err("class 2 has no candidate");
    assert_eq!(error.to_string(), "root class 0 has no finite derivation: nothing produces class 2");
}

#[test]
fn a_shared_value_is_paid_once_and_two_results_of_one_kernel_too() {
    // 0 <- {1, 2}; 1 and 2 each from 3 (dear) or from leaves; 4 makes both at once.
    let t = table(
        5,
        &[
            (vec![0], vec![1, 2], 1),
            (vec![1], vec![], 7),
            (vec![2], vec![], 7),
            (vec![1, 2], vec![3], 1),
            (vec![3], vec![], 9),
        ],
        &[0],
    );
    let s = extract(&t).expect("derivable");
    assert_eq!((s.cost, s.bound), (11, 11));
    assert_eq!(s.chosen, vec![4, 3, 0]);
    assert_eq!(s.producer(ClassId(2)), Some(3));
}

/// Long residual chains with alternatives: the size of a large model's table, in a fraction of a second.
#[test]
fn twenty_thousand_candidates_are_quick() {
    let n = 2_500u32;
    let mut raw = vec![(vec![0], vec![], 1)];
    for i in 1..n {
        for k in 1..=8u32 {
            let inputs = if k == 1 { vec![i - 1] } else { vec![i.saturating_sub(k), i.saturating_sub(k + 3)] };
            raw.push((vec![i], inputs, u64::from(10 + 7 * k - (i * k) % 11)));
        }
    }
    let candidates: Vec<Candidate<()>> = raw
        .iter()
        .map(|(o, i, c)| Candidate {
            outputs: o.iter().map(|c| ClassId(*c)).collect(),
            inputs: i.iter().map(|c| ClassId(*c)).collect(),
            cost: *c,
            payload: (),
        })
        .collect();
    let t = Table { classes: n as usize, roots: vec![ClassId(n - 1)], candidates };
    let start = std::time::Instant::now();
    let s = extract(&t).expect("derivable");
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{} candidates: cost {}, bound {}, work {}, {seconds:.3} s", t.candidates.len(), s.cost, s.bound, s.work);
    assert!(s.bound <= s.cost);
    assert!(s.work < 200_000_000, "work {}", s.work);
}
