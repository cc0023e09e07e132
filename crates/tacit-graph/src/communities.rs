//! Splits large directories into groups of files that use each other.
//!
//! The groups are found with the Louvain method: move each file to the group that increases the
//! modularity of the import graph most, then treat groups as files and repeat. The result is
//! deterministic: files are visited in path order, weights are integers, and ties go to the first
//! group.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::graph::EdgeKind;
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// The number of files up to which a directory is not split.
const MAX_UNSPLIT_FILES: usize = 40;
/// The minimum number of files in a community. Smaller groups are dropped.
const MIN_COMMUNITY_FILES: usize = 3;
/// The minimum length of a common prefix that serves as a name.
const MIN_NAME_LENGTH: usize = 3;

/// Files of a directory that use each other more than the rest of the directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Community {
    /// The common prefix of the file names, or the name of the central file.
    pub name: String,
    /// The directory of the files.
    pub directory: String,
    /// The file with the most edges to the others.
    pub central: String,
    /// The files, ordered by path.
    pub files: Vec<String>,
}

/// Splits every large directory. A directory that does not fall into at least two groups has none.
pub(crate) fn communities(graph: &PackedGraph<'_>, files: &[FileId]) -> Vec<Community> {
    let mut directories: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        directories.entry(parent(graph.path(*file))).or_default().push(*file);
    }
    let flat = directories.into_iter().filter(|(_, files)| files.len() > MAX_UNSPLIT_FILES);
    flat.flat_map(|(directory, files)| split_directory(graph, directory, &files)).collect()
}

fn split_directory(graph: &PackedGraph<'_>, directory: &str, files: &[FileId]) -> Vec<Community> {
    let nodes: HashMap<FileId, usize> = files.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
    let mut weights: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); files.len()];
    for (at, file) in files.iter().enumerate() {
        for edge in graph.range(*file).flat_map(|node| graph.dependencies(node)) {
            let to = graph.file_of(edge.to).and_then(|file| nodes.get(&file));
            if let Some(&to) = to.filter(|to| **to != at && edge.kind != EdgeKind::Exports) {
                *weights[at].entry(to).or_default() += 1;
                *weights[to].entry(at).or_default() += 1;
            }
        }
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, part) in partition(&weights).into_iter().enumerate() {
        parts.entry(part).or_default().push(at);
    }
    parts.retain(|_, members| members.len() >= MIN_COMMUNITY_FILES);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    for members in parts.values() {
        let inside =
            |at: usize| -> u64 { members.iter().filter_map(|other| weights[at].get(other)).sum() };
        // `max_by_key` returns the last maximum, so that in reverse order the first one wins.
        let central = members.iter().rev().max_by_key(|at| inside(**at)).copied().unwrap_or(0);
        let paths: Vec<String> =
            members.iter().map(|at| graph.path(files[*at]).to_owned()).collect();
        let central = graph.path(files[central]);
        let common = common_name(&paths).filter(|name| taken.insert((*name).to_owned()));
        let name = common.unwrap_or_else(|| stem(central)).to_owned();
        taken.insert(name.clone());
        found.push(Community {
            name,
            directory: directory.to_owned(),
            central: central.to_owned(),
            files: paths,
        });
    }
    found.sort_by(|a, b| b.files.len().cmp(&a.files.len()).then(a.files.cmp(&b.files)));
    found
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// Returns the words that all file names start with.
fn common_name(paths: &[String]) -> Option<&str> {
    let first = stem(paths.first()?);
    let same = |end: usize| paths.iter().all(|path| stem(path).get(..end) == first.get(..end));
    let is_end = |end: usize| {
        // The prefix must end at a word boundary in every name.
        paths.iter().all(|path| match stem(path).get(end..).and_then(|rest| rest.chars().next()) {
            None => true,
            Some(next) => !next.is_alphanumeric() || next.is_uppercase(),
        })
    };
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let end = ends.into_iter().find(|end| same(*end) && is_end(*end))?;
    let name = first[..end].trim_matches(|c: char| !c.is_alphanumeric());
    (name.chars().count() >= MIN_NAME_LENGTH).then_some(name)
}

/// Returns the group of each node. The weights are symmetric.
fn partition(weights: &[BTreeMap<usize, u64>]) -> Vec<usize> {
    let mut assignment: Vec<usize> = (0..weights.len()).collect();
    let mut level = weights.to_vec();
    loop {
        let parts = move_nodes(&level);
        let names: BTreeSet<usize> = parts.iter().copied().collect();
        if names.len() == level.len() {
            return assignment;
        }
        // Groups are numbered in the order of their first members, and become nodes of the next
        // level.
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for part in &parts {
            let next = numbers.len();
            numbers.entry(*part).or_insert(next);
        }
        let number = |at: usize| numbers[&parts[at]];
        let mut next_level: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); numbers.len()];
        for (at, others) in level.iter().enumerate() {
            for (other, weight) in others {
                *next_level[number(at)].entry(number(*other)).or_default() += weight;
            }
        }
        assignment.iter_mut().for_each(|at| *at = number(*at));
        level = next_level;
    }
}

/// Runs one level: moves each node to the best group until nothing moves.
fn move_nodes(weights: &[BTreeMap<usize, u64>]) -> Vec<usize> {
    let degrees: Vec<u64> = weights.iter().map(|others| others.values().sum()).collect();
    let all: i128 = degrees.iter().map(|degree| i128::from(*degree)).sum();
    let mut parts: Vec<usize> = (0..weights.len()).collect();
    let mut totals = degrees.clone();
    let mut members = vec![1_usize; weights.len()];
    loop {
        let mut stable = true;
        for at in 0..weights.len() {
            let own = parts[at];
            totals[own] -= degrees[at];
            members[own] -= 1;
            let mut to: BTreeMap<usize, u64> = BTreeMap::from([(own, 0)]);
            for (other, weight) in weights[at].iter().filter(|(other, _)| **other != at) {
                *to.entry(parts[*other]).or_default() += weight;
            }
            let gain = |part: usize, weight: u64| {
                i128::from(weight) * all - i128::from(degrees[at]) * i128::from(totals[part])
            };
            let mut best = (gain(own, to[&own]), own);
            for (part, weight) in &to {
                let gain = gain(*part, *weight);
                // Only a strict gain justifies a move, or two nodes could swap for ever.
                if gain > best.0 {
                    best = (gain, *part);
                }
            }
            // If its neighbours have left the group, the node is better off alone.
            if best.0 < 0 {
                best.1 = members.iter().position(|members| *members == 0).unwrap_or(own);
            }
            totals[best.1] += degrees[at];
            members[best.1] += 1;
            stable &= best.1 == own;
            parts[at] = best.1;
        }
        if stable {
            return parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Vec<BTreeMap<usize, u64>> {
        let mut weights = vec![BTreeMap::new(); nodes];
        for (a, b) in edges.iter().filter(|(a, b)| a != b) {
            *weights[*a].entry(*b).or_default() += 1;
            *weights[*b].entry(*a).or_default() += 1;
        }
        weights
    }

    #[test]
    fn connected_nodes_form_one_part() {
        for (nodes, edges, expected) in [
            (0, &[][..], &[][..]),
            (3, &[], &[0, 1, 2]),
            // Two triangles with a bridge.
            (6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)], &[0, 0, 0, 1, 1, 1]),
            // The same graph with mixed numbers.
            (6, &[(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1), (4, 1)], &[0, 1, 0, 1, 0, 1]),
            (4, &[(0, 1), (2, 3)], &[0, 0, 1, 1]),
        ] {
            assert_eq!(partition(&graph(nodes, edges)), expected, "{edges:?}");
        }
    }

    #[test]
    fn common_names_end_at_word_boundaries() {
        for (paths, expected) in [
            (&["a/hook_run.rs", "a/hook_stop.rs", "a/hook.rs"][..], Some("hook")),
            (&["a/hooked.rs", "a/hook_run.rs"], None),
            (&["PoolClient.ts", "PoolServer.ts"], Some("Pool")),
            (&["a/x_run.rs", "a/x_stop.rs"], None),
            (&["größe_a.py", "größe_b.py"], Some("größe")),
            (&["a.rs", "b.rs"], None),
        ] {
            let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
            assert_eq!(common_name(&paths), expected, "{paths:?}");
        }
    }

    proptest! {
        #[test]
        fn every_node_has_a_neighbour_in_its_part(
            edges in prop::collection::vec((0..30_usize, 0..30_usize), 0..120)
        ) {
            let weights = graph(30, &edges);
            let parts = partition(&weights);
            prop_assert_eq!(&parts, &partition(&weights));
            prop_assert_eq!(parts.len(), 30);
            for (at, part) in parts.iter().enumerate() {
                let alone = parts.iter().filter(|other| *other == part).count() == 1;
                let neighbour = weights[at].keys().any(|other| parts[*other] == *part);
                prop_assert!(alone || neighbour, "{at} in {parts:?}");
            }
        }
    }
}
