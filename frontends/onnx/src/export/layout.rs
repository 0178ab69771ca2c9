//! The order of the nodes of a graph.

use std::collections::{BTreeSet, HashMap, HashSet};

use egret_ir::choice::{Candidate, ClassId};

use super::OnnxStep;
use crate::Imported;
use crate::proto::NodeProto;

/// Nodes in a topological order that keeps the imported order: a new node comes right before the imported node whose
/// value it makes, else right after what it reads.
pub fn ordered<'a>(
    imported: &Imported,
    class_of: &[Option<ClassId>],
    nodes: Vec<&'a Candidate<OnnxStep>>,
) -> Vec<&'a Candidate<OnnxStep>> {
    let mut home: HashMap<ClassId, usize> = HashMap::new();
    for (i, site) in imported.sites.iter().enumerate() {
        for (v, _) in &site.outputs {
            if let Some(c) = class_of.get(v.index()).copied().flatten() {
                home.entry(c).or_insert(i);
            }
        }
    }
    let mut maker: HashMap<ClassId, usize> = HashMap::new();
    let mut keys: Vec<usize> = Vec::with_capacity(nodes.len());
    for (i, n) in nodes.iter().enumerate() {
        let after = n.inputs.iter().filter_map(|c| maker.get(c)).map(|m: &usize| keys[*m]).max().unwrap_or(0);
        let key = match &n.payload {
            OnnxStep::Site(s) => *s,
            OnnxStep::Node(_) | OnnxStep::Control(_) => {
                n.outputs.iter().filter_map(|c| home.get(c)).copied().min().unwrap_or(after)
            }
            OnnxStep::Input(_) | OnnxStep::Initializer => after,
        };
        keys.push(key);
        for c in &n.outputs {
            maker.entry(*c).or_insert(i);
        }
    }
    let mut waits = vec![0usize; nodes.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (i, n) in nodes.iter().enumerate() {
        let before: BTreeSet<usize> =
            n.inputs.iter().filter_map(|c| maker.get(c)).copied().filter(|m| *m != i).collect();
        for m in before {
            users[m].push(i);
            waits[i] += 1;
        }
    }
    let mut ready: BTreeSet<(usize, usize)> =
        (0..nodes.len()).filter(|i| waits[*i] == 0).map(|i| (keys[i], i)).collect();
    let mut out = Vec::with_capacity(nodes.len());
    while let Some((_, i)) = ready.pop_first() {
        out.push(nodes[i]);
        for &u in &users[i] {
            waits[u] -= 1;
            if waits[u] == 0 {
                ready.insert((keys[u], u));
            }
        }
    }
    out
}

/// Gives nodes of one name several: runtimes refuse the model otherwise.
pub fn distinct_names(nodes: &mut [NodeProto]) {
    let mut all: HashSet<String> = nodes.iter().map(|n| n.name().to_owned()).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for node in nodes.iter_mut().filter(|n| !n.name().is_empty()) {
        let times = seen.entry(node.name().to_owned()).or_insert(0);
        *times += 1;
        while *times > 1 {
            let new = format!("{}_{times}", node.name());
            if all.insert(new.clone()) {
                node.name = Some(new);
                break;
            }
            *times += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_one_name_get_several() {
        let named = |name: &str| NodeProto { name: Some(name.to_owned()), ..NodeProto::default() };
        let mut nodes: Vec<NodeProto> = ["a", "a", "", "a_2", "a", "", "a_2"].into_iter().map(named).collect();
        distinct_names(&mut nodes);
        let names: Vec<&str> = nodes.iter().map(NodeProto::name).collect();
        assert_eq!(names, ["a", "a_3", "", "a_2", "a_4", "", "a_2_2"]);
    }
}
