//! Files of one large directory, told apart by who uses whom: what directories do not say, imports
//! often do.
//!
//! Communities are found by moving files to the one that makes the modularity of the import graph
//! largest, then treating communities as files, and so on (Louvain). Files are taken in the order of
//! their paths, sums are whole numbers and ties go to the first, so the same graph always falls into
//! the same parts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::graph::EdgeKind;
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// A directory with more files than this is looked into.
const FLAT: usize = 40;
/// A part has at least so many files; others stand apart.
const SMALLEST: usize = 3;
/// A beginning that names have in common says something if it is this long.
const SHORTEST_NAME: usize = 3;

/// Files of a directory that have more to do with each other than with the rest of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Community {
    /// What their names begin with, or else the name of the most central one.
    pub name: String,
    /// The directory they are in.
    pub directory: String,
    /// The file that has most to do with the others.
    pub central: String,
    /// All of them, ordered by path.
    pub files: Vec<String>,
}

/// The parts of directories that are large and flat; none where they do not fall into several.
pub(crate) fn communities(graph: &PackedGraph<'_>, files: &[FileId]) -> Vec<Community> {
    let mut directories: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        directories.entry(parent(graph.path(*file))).or_default().push(*file);
    }
    let flat = directories.into_iter().filter(|(_, files)| files.len() > FLAT);
    flat.flat_map(|(directory, files)| of_directory(graph, directory, &files)).collect()
}

fn of_directory(graph: &PackedGraph<'_>, directory: &str, files: &[FileId]) -> Vec<Community> {
    let places: HashMap<FileId, usize> = files.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
    let mut weights: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); files.len()];
    for (at, file) in files.iter().enumerate() {
        for edge in graph.range(*file).flat_map(|node| graph.dependencies(node)) {
            let to = graph.file_of(edge.to).and_then(|file| places.get(&file));
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
    parts.retain(|_, members| members.len() >= SMALLEST);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    for members in parts.values() {
        let inside =
            |at: usize| -> u64 { members.iter().filter_map(|other| weights[at].get(other)).sum() };
        // The last of the largest in reverse order is the first.
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

/// The words that the names of all files begin with.
fn common_name(paths: &[String]) -> Option<&str> {
    let first = stem(paths.first()?);
    let same = |end: usize| paths.iter().all(|path| stem(path).get(..end) == first.get(..end));
    let is_end = |end: usize| {
        // A word ends where another begins, for all of them.
        paths.iter().all(|path| match stem(path).get(end..).and_then(|rest| rest.chars().next()) {
            None => true,
            Some(next) => !next.is_alphanumeric() || next.is_uppercase(),
        })
    };
    let ends = first.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let end = ends.into_iter().find(|end| same(*end) && is_end(*end))?;
    let name = first[..end].trim_matches(|c: char| !c.is_alphanumeric());
    (name.chars().count() >= SHORTEST_NAME).then_some(name)
}

/// The part of each place of a graph with weights, which are the same in both directions.
fn partition(weights: &[BTreeMap<usize, u64>]) -> Vec<usize> {
    let mut whole: Vec<usize> = (0..weights.len()).collect();
    let mut level = weights.to_vec();
    loop {
        let parts = moved(&level);
        let names: BTreeSet<usize> = parts.iter().copied().collect();
        if names.len() == level.len() {
            return whole;
        }
        // Parts are numbered in the order of their first members, and become places themselves.
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for part in &parts {
            let next = numbers.len();
            numbers.entry(*part).or_insert(next);
        }
        let number = |at: usize| numbers[&parts[at]];
        let mut above: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); numbers.len()];
        for (at, others) in level.iter().enumerate() {
            for (other, weight) in others {
                *above[number(at)].entry(number(*other)).or_default() += weight;
            }
        }
        whole.iter_mut().for_each(|at| *at = number(*at));
        level = above;
    }
}

/// One level: every place goes where it has most to do, until none wants to go.
fn moved(weights: &[BTreeMap<usize, u64>]) -> Vec<usize> {
    let degrees: Vec<u64> = weights.iter().map(|others| others.values().sum()).collect();
    let all: i128 = degrees.iter().map(|degree| i128::from(*degree)).sum();
    let mut parts: Vec<usize> = (0..weights.len()).collect();
    let mut totals = degrees.clone();
    let mut members = vec![1_usize; weights.len()];
    loop {
        let mut still = true;
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
                // Only what is better is worth a move, or two could change places for ever.
                if gain > best.0 {
                    best = (gain, *part);
                }
            }
            // Those it came for may have left: then it is better off alone.
            if best.0 < 0 {
                best.1 = members.iter().position(|members| *members == 0).unwrap_or(own);
            }
            totals[best.1] += degrees[at];
            members[best.1] += 1;
            still &= best.1 == own;
            parts[at] = best.1;
        }
        if still {
            return parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(places: usize, edges: &[(usize, usize)]) -> Vec<BTreeMap<usize, u64>> {
        let mut weights = vec![BTreeMap::new(); places];
        for (a, b) in edges.iter().filter(|(a, b)| a != b) {
            *weights[*a].entry(*b).or_default() += 1;
            *weights[*b].entry(*a).or_default() += 1;
        }
        weights
    }

    #[test]
    fn parts_are_those_that_belong_together() {
        for (places, edges, expected) in [
            (0, &[][..], &[][..]),
            (3, &[], &[0, 1, 2]),
            // Two triangles and a bridge.
            (6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)], &[0, 0, 0, 1, 1, 1]),
            // The same, mixed up.
            (6, &[(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1), (4, 1)], &[0, 1, 0, 1, 0, 1]),
            (4, &[(0, 1), (2, 3)], &[0, 0, 1, 1]),
        ] {
            assert_eq!(partition(&graph(places, edges)), expected, "{edges:?}");
        }
    }

    #[test]
    fn names_are_the_words_that_all_begin_with() {
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
        fn every_place_is_in_one_part_and_parts_are_connected(
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
