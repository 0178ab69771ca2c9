//! Device profiles: what a machine can do, as data (`extractor/machines/*.toml`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Rates and sizes of one memory level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryLevel {
    /// `L1`, `L2`, `L3`, `DRAM` …
    pub name: String,
    /// Capacity in bytes; 0 for the last, unbounded level.
    pub bytes: u64,
    /// Sustained read+write bandwidth of one core, in bytes per second.
    pub bytes_per_second: f64,
}

/// A described machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Peak multiply-add throughput of one core in operations per second (a multiply-add counts two), by element type.
    pub peak_ops: BTreeMap<String, f64>,
    /// Elementary (non multiply-add) vector operations per second of one core.
    pub scalar_ops: f64,
    /// Memory levels, nearest first.
    pub memory: Vec<MemoryLevel>,
    /// Fixed cost of starting one kernel, in seconds.
    pub launch_seconds: f64,
    /// Fixed cost of one node in a runtime that walks a graph node by node, in seconds.
    pub node_seconds: f64,
    /// Attainable fraction of peak, by kernel family.
    pub efficiency: BTreeMap<String, f64>,
}
