//! The saturation loop: phases of rules, each to a fixpoint or its budget. All budgets count e-nodes ever made, so a run
//! is the same every time and everywhere.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use egg::Id;
use egret_ir::Typed;
use egret_ir::choice::{ClassGraph, ClassId};

use super::apply::{Outcome, Step, apply};
use super::derive::Log;
use super::egraph::{EGraph, Fault, import};
use super::freeze::freeze;
use super::matcher::{Choice, Match, View, matches};
use super::passes::{Found, Here, apply_found};
use super::rounds::RoundStats;
use crate::lang::{Numeric, Phase, RuleSet};

/// A phase of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePlan {
    /// Rules of this phase and of those before it run.
    pub phase: Phase,
    /// At most so many rounds.
    pub rounds: usize,
    /// At most so many e-nodes, the graph's own included.
    pub nodes: usize,
    /// At most so many new e-nodes per rule.
    pub per_rule: usize,
}

/// How to saturate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which numeric classes of rules may run.
    pub numeric: Numeric,
    /// The phases.
    pub phases: Vec<PhasePlan>,
    /// At most so many matches of one rule per round.
    pub matches: usize,
}

impl Config {
    /// Defaults for a graph of that many nodes: budgets grow with it, so that late layers get their share.
    pub fn for_nodes(nodes: usize) -> Self {
        let phases = Phase::ALL
            .into_iter()
            .enumerate()
            .map(|(i, phase)| PhasePlan {
                phase,
                rounds: 24,
                nodes: nodes + (2 + 2 * i) * nodes.max(500),
                per_rule: nodes.max(500),
            })
            .collect();
        Self { numeric: Numeric::Reassociates, phases, matches: 100_000 }
    }

    /// The same with another numeric class.
    pub fn numeric(mut self, numeric: Numeric) -> Self {
        self.numeric = numeric;
        self
    }
}

/// What one rule or pass did in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RuleStats {
    /// Name of the rule or pass.
    pub rule: String,
    /// Matches tried.
    pub matches: usize,
    /// Both sides were equal already, or the match was settled in an earlier round.
    pub known: usize,
    /// Refused by a condition.
    pub condition: usize,
    /// Refused by types or missing attributes.
    pub refused: usize,
    /// Stopped by a budget.
    pub capped: usize,
    /// E-nodes born.
    pub born: usize,
    /// Classes united.
    pub unions: usize,
}

impl RuleStats {
    /// What was done after `before` was taken.
    fn since(&self, before: &Self) -> Self {
        Self {
            rule: self.rule.clone(),
            matches: self.matches - before.matches,
            known: self.known - before.known,
            condition: self.condition - before.condition,
            refused: self.refused - before.refused,
            capped: self.capped - before.capped,
            born: self.born - before.born,
            unions: self.unions - before.unions,
        }
    }
}

/// How a phase ended.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PhaseStats {
    /// The phase.
    pub phase: Phase,
    /// Rounds run.
    pub rounds: usize,
    /// E-nodes at its end.
    pub nodes: usize,
    /// Nothing more to do, and nothing stopped by a budget.
    pub saturated: bool,
    /// Rules that a budget stopped in the last round, and `rounds` where rounds ran out.
    pub capped_by: Vec<String>,
}

/// The result of saturation.
#[derive(Clone, Debug)]
pub struct Saturated {
    /// The frozen e-graph.
    pub classes: ClassGraph,
    /// Class of every value of the graph.
    pub class_of: Vec<Option<ClassId>>,
    /// Statistics per rule and then per pass, in order of the set.
    pub rules: Vec<RuleStats>,
    /// Time spent searching and applying, in the order of `rules`. For reports only: it decides nothing.
    pub times: Vec<Duration>,
    /// Statistics per phase.
    pub phases: Vec<PhaseStats>,
    /// Statistics per round, over all phases.
    pub rounds: Vec<RoundStats>,
    /// What made values equal.
    pub log: Log,
}

/// Saturates a graph.
pub fn saturate(graph: &Typed, rules: &RuleSet, config: &Config) -> Saturated {
    let (mut egraph, ids) = import(graph);
    let Run { stats, times, phases, rounds } = run(&mut egraph, rules, config);
    let (classes, class_of, number) = freeze(&egraph, graph, &ids);
    let log = Log::of(egraph, ids, number);
    Saturated { classes, class_of: class_of.into_iter().map(Some).collect(), rules: stats, times, phases, rounds, log }
}

/// What [`run`] tells of itself.
#[derive(Clone, Debug)]
pub struct Run {
    /// Per rule and then per pass.
    pub stats: Vec<RuleStats>,
    /// Time spent, in the order of `stats`.
    pub times: Vec<Duration>,
    /// Per phase.
    pub phases: Vec<PhaseStats>,
    /// Per round, over all phases.
    pub rounds: Vec<RoundStats>,
}

/// Runs all phases on an e-graph.
pub fn run(egraph: &mut EGraph, rules: &RuleSet, config: &Config) -> Run {
    let names = rules.rules.iter().map(|r| r.name.as_ref()).chain(rules.passes.iter().map(|p| p.name));
    let stats: Vec<RuleStats> = names.map(|name| RuleStats { rule: name.to_owned(), ..RuleStats::default() }).collect();
    let times = vec![Duration::ZERO; stats.len()];
    let (left, capped_by, applied) = (Vec::new(), Vec::new(), Vec::new());
    let mut progress = Progress { left, done: Done::default(), stats, times, capped_by, applied };
    let (mut phases, mut each) = (Vec::new(), Vec::new());
    for plan in &config.phases {
        progress.left = vec![plan.per_rule; progress.stats.len()];
        let (mut rounds, mut saturated) = (0, false);
        while rounds < plan.rounds {
            rounds += 1;
            progress.capped_by.clear();
            let changed = progress.round(egraph, rules, config, plan);
            each.push(RoundStats {
                phase: plan.phase,
                round: rounds,
                nodes: egraph.nodes().len(),
                classes: egraph.number_of_classes(),
                rules: std::mem::take(&mut progress.applied),
            });
            if !changed {
                saturated = progress.capped_by.is_empty();
                break;
            }
            if rounds == plan.rounds {
                progress.capped_by.push("rounds".to_owned());
            }
        }
        let (nodes, capped_by) = (egraph.nodes().len(), std::mem::take(&mut progress.capped_by));
        phases.push(PhaseStats { phase: plan.phase, rounds, nodes, saturated, capped_by });
    }
    Run { stats: progress.stats, times: progress.times, phases, rounds: each }
}

/// Matches whose right side is in the graph and equal, or has no type: neither ever changes. Only asked for membership, so
/// its order does not show.
#[derive(Default)]
struct Done(HashSet<Box<[u32]>>);

impl Done {
    /// A match by its rule and e-nodes as born; operand classes follow from these.
    fn key(rule: usize, m: &Match) -> Box<[u32]> {
        let nodes = m.chosen.iter().filter_map(|c| match c {
            Choice::Node(id, swapped) => Some(usize::from(*id) as u32 * 2 + u32::from(*swapped)),
            Choice::Leaf(_) => None,
        });
        std::iter::once(rule as u32).chain(nodes).collect()
    }
}

/// What a run remembers from round to round.
struct Progress {
    /// E-nodes that each rule may still make in this phase.
    left: Vec<usize>,
    done: Done,
    stats: Vec<RuleStats>,
    times: Vec<Duration>,
    /// What a budget stopped in this round.
    capped_by: Vec<String>,
    /// What the rules did in this round.
    applied: Vec<RuleStats>,
}

impl Progress {
    /// Searches every rule and every pass on the clean graph, then applies them in order. Whether anything changed.
    fn round(&mut self, egraph: &mut EGraph, rules: &RuleSet, config: &Config, plan: &PhasePlan) -> bool {
        let view = View::of(egraph);
        let mut found = Vec::new();
        for (i, rule) in rules.rules.iter().enumerate().filter(|(_, r)| r.phase <= plan.phase) {
            let start = Instant::now();
            let (m, more) = matches(egraph, &view, rule, config.matches);
            self.times[i] += start.elapsed();
            if more {
                self.capped_by.push(rule.name.to_string());
            }
            found.push((i, m));
        }
        let here = Here::new(egraph, &view);
        let mut proposed = Vec::new();
        for (p, pass) in rules.passes.iter().enumerate().filter(|(_, p)| p.phase <= plan.phase) {
            let start = Instant::now();
            proposed.push((p, (pass.find)(&here)));
            self.times[rules.rules.len() + p] += start.elapsed();
        }
        let mut changed = false;
        for (i, matches) in found {
            let (start, before) = (Instant::now(), self.stats[i].clone());
            if self.apply_all(egraph, rules, config, plan, i, &matches) {
                egraph.rebuild();
                changed = true;
            }
            self.note(i, &before, start);
        }
        for (p, found) in proposed {
            let i = rules.rules.len() + p;
            let (start, before) = (Instant::now(), self.stats[i].clone());
            if self.apply_pass(egraph, rules, config, plan, p, &found) {
                egraph.rebuild();
                changed = true;
            }
            self.note(i, &before, start);
        }
        changed
    }

    /// Notes what a rule did in this round, how long it took and whether a budget stopped it.
    fn note(&mut self, i: usize, before: &RuleStats, start: Instant) {
        self.times[i] += start.elapsed();
        let stats = &self.stats[i];
        if stats.matches > before.matches {
            self.applied.push(stats.since(before));
        }
        if stats.capped > before.capped && !self.capped_by.contains(&stats.rule) {
            self.capped_by.push(stats.rule.clone());
        }
    }

    /// Applies what a pass found. Whether anything was united.
    fn apply_pass(
        &mut self,
        egraph: &mut EGraph,
        rules: &RuleSet,
        config: &Config,
        plan: &PhasePlan,
        p: usize,
        found: &[Found],
    ) -> bool {
        let i = rules.rules.len() + p;
        let s = &mut self.stats[i];
        let mut united = false;
        for f in found {
            s.matches += 1;
            let budget = self.left[i].min(plan.nodes.saturating_sub(egraph.nodes().len()));
            match apply_found(egraph, p, rules.passes[p], f, config.numeric, budget) {
                Outcome::Known => s.known += 1,
                Outcome::Condition => s.condition += 1,
                Outcome::Refused => s.refused += 1,
                Outcome::Capped => s.capped += 1,
                Outcome::United(born) => {
                    s.born += born;
                    s.unions += 1;
                    self.left[i] -= born;
                    united = true;
                }
            }
        }
        united
    }

    /// Applies one rule to its matches. Whether anything was united.
    fn apply_all(
        &mut self,
        egraph: &mut EGraph,
        rules: &RuleSet,
        config: &Config,
        plan: &PhasePlan,
        i: usize,
        matches: &[Match],
    ) -> bool {
        let s = &mut self.stats[i];
        let mut united = false;
        for m in matches {
            s.matches += 1;
            let key = Done::key(i, m);
            if self.done.0.contains(&key) {
                s.known += 1;
                continue;
            }
            let budget = self.left[i].min(plan.nodes.saturating_sub(egraph.nodes().len()));
            match apply(egraph, i, &rules.rules[i], m, config.numeric, budget) {
                Outcome::Condition => {
                    s.condition += 1;
                    continue;
                }
                Outcome::Capped => {
                    s.capped += 1;
                    continue;
                }
                Outcome::Known => s.known += 1,
                Outcome::Refused => s.refused += 1,
                Outcome::United(born) => {
                    s.born += born;
                    s.unions += 1;
                    self.left[i] -= born;
                    united = true;
                }
            }
            self.done.0.insert(key);
        }
        united
    }
}

impl Saturated {
    /// Whether every phase ended with nothing more to do.
    pub fn saturated(&self) -> bool {
        self.phases.iter().all(|p| p.saturated)
    }

    /// Faults of the engine or of rules; always empty unless there is a bug.
    pub fn faults(&self) -> &[Fault] {
        self.log.faults()
    }

    /// Steps taken, in order.
    pub fn steps(&self) -> &[Step] {
        self.log.steps()
    }

    /// The class of an e-node of the log.
    pub fn class_of_id(&self, id: Id) -> Option<ClassId> {
        self.log.class_of(id)
    }
}
