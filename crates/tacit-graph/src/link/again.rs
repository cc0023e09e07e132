//! Linking a few files again after an edit, with the same result as linking all.
//!
//! The links of a file follow from what it says, from the outlines of the files that were asked,
//! from paths, and from manifests. So where the files and manifests are the same, those are to be
//! linked again that changed, and those that asked a file whose outline changed. The graph that was
//! tells who asked whom. A file may also make edges from nodes of another, where it adds to a type
//! there: then the edges of that one are made again from all who speak for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::file::{Linked, link_file};
use super::knowledge::Knowledge;
use super::places::{self, Places};
use super::{in_order, in_parallel};
use crate::facts::FileFacts;
use crate::graph::{Consulted, Edge, NodeId};
use crate::languages::Resolvers;
use crate::mention::{LEADS, renaming};
use crate::outline::{Touched, touched};
use crate::packed::Packed;
use crate::patch::{KeptNodes, Link, Patch, Relinked, Text};
use crate::project::{FileId, Index, Sources};

/// A file that was parsed before and after its text changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// What it said.
    pub before: FileFacts,
    /// What it says.
    pub after: FileFacts,
}

/// Links again what an edit can have touched: no more than files were rewritten, with the same
/// paths and manifests as before. None where that may be much, or cannot be told: then all is to be
/// linked.
///
/// `sources` are the files as they are now, with `whole` to fetch all that a file says.
pub fn relink(
    before: &Packed<'_>,
    sources: &dyn Sources,
    rewritten: &BTreeMap<FileId, Rewritten>,
    whole: &mut dyn FnMut(FileId) -> Option<FileFacts>,
    threads: usize,
) -> Option<Patch> {
    let reach: BTreeMap<FileId, Touched> =
        rewritten.iter().map(|(file, one)| (*file, touched(&one.before, &one.after))).collect();
    if before.files() as usize != sources.count() || reach.values().any(|r| *r == Touched::Anyone) {
        return None;
    }
    let spread = Spread::new(before, &reach, &renamed(rewritten, &reach))?;
    let index = Index::new(sources);
    let resolvers = Resolvers::new(&index);
    let imported: Vec<_> = (0..sources.count()).map(|_| OnceLock::new()).collect();
    let knowledge = Knowledge::new(&index, &resolvers, &imported);
    let starts = starts(before, rewritten)?;
    let places = Places::new(&index, starts);
    let mut linked: BTreeMap<FileId, Linked> = BTreeMap::new();
    let mut waiting = spread.first(&reach);
    while !waiting.is_empty() {
        // Beyond that, linking all costs little more.
        if (linked.len() + waiting.len()) * 2 > sources.count().max(64) {
            return None;
        }
        let mut facts = Vec::with_capacity(waiting.len());
        for file in &waiting {
            let known = rewritten.get(file).map(|one| one.after.clone());
            facts.push((*file, known.or_else(|| whole(*file))?));
        }
        let found = in_parallel(facts.len(), threads, |at| {
            let (file, facts) = &facts[at as usize];
            (*file, link_file(&knowledge, &places, *file, facts))
        });
        let mut next = BTreeSet::new();
        for (file, one) in found {
            next.extend(spread.with(file));
            for other in &one.speaks_for {
                next.insert(*other);
                next.extend(spread.with(*other));
            }
            linked.insert(file, one);
        }
        waiting = next.into_iter().filter(|file| !linked.contains_key(file)).collect();
    }
    let mut links = links(&linked, &places);
    let files = linked.into_iter().map(|(file, one)| Relinked {
        file,
        text: rewritten.get(&file).map(|text| Text {
            error_line: text.after.error_line,
            dynamic_calls: text.after.dynamic_calls,
            computed: places::computed(sources.path(file), &text.after, sources.manifests()),
            nodes: places::nodes(sources.path(file), Some(&text.after)).collect(),
            kept: kept(&reach, &text.before, &text.after, file),
        }),
        links: links.remove(&file).unwrap_or_default(),
        mentions: one.mentions.clone(),
        consulted: one.consulted_by(file).map(|one| (one.of, one.speaks)).collect(),
        unresolved: one.unresolved.into_iter().collect(),
    });
    let files = files.collect();
    // Nobody speaks for a file that was not linked again.
    links.is_empty().then_some(Patch { files })
}

/// The edges that were made, each once, by the file they come from.
fn links(linked: &BTreeMap<FileId, Linked>, places: &Places<'_>) -> BTreeMap<FileId, Vec<Link>> {
    let mut edges: Vec<Edge> = linked.values().flat_map(|one| one.edges.iter().copied()).collect();
    in_order(&mut edges);
    let mut links: BTreeMap<FileId, Vec<Link>> = BTreeMap::new();
    for edge in edges {
        let (file, to_file) = (places.file_of(edge.from), places.file_of(edge.to));
        links.entry(file).or_default().push(Link {
            from: edge.from - places.node(file, None),
            to_file,
            to: edge.to - places.node(to_file, None),
            kind: edge.kind,
            origin: edge.origin,
            line: edge.line,
        });
    }
    links
}

/// The node of each file, where some have other numbers of nodes than before; none if the graph is
/// not that of the facts.
fn starts(before: &Packed<'_>, rewritten: &BTreeMap<FileId, Rewritten>) -> Option<Vec<NodeId>> {
    let mut starts = Vec::with_capacity(before.files() as usize);
    let mut next = 0;
    for file in 0..before.files() {
        starts.push(next);
        let was = before.range(file).len() as u32;
        next += match rewritten.get(&file) {
            Some(one) if places::count(Some(&one.before)) != was => return None,
            Some(one) => places::count(Some(&one.after)),
            None => was,
        };
    }
    Some(starts)
}

/// The names that may mean something else, of all files whose names changed.
fn renamed(
    rewritten: &BTreeMap<FileId, Rewritten>,
    reach: &BTreeMap<FileId, Touched>,
) -> BTreeSet<u32> {
    let files = rewritten.iter().filter(|(file, _)| reach.get(file) == Some(&Touched::Naming));
    files
        .filter_map(|(_, one)| renaming(&one.before, &one.after))
        .flat_map(|one| one.names)
        .collect()
}

/// Which nodes of a file are those it had.
fn kept(
    reach: &BTreeMap<FileId, Touched>,
    before: &FileFacts,
    after: &FileFacts,
    file: FileId,
) -> KeptNodes {
    match reach.get(&file) {
        Some(Touched::Itself) => KeptNodes::All,
        Some(Touched::Naming) => renaming(before, after)
            .map_or(KeptNodes::File, |renaming| KeptNodes::These(renaming.kept)),
        _ => KeptNodes::File,
    }
}

/// Who is touched by whom, as the graph that was tells it.
struct Spread {
    askers: BTreeSet<FileId>,
    /// For each file, those that speak for it.
    spoken_for: BTreeMap<FileId, Vec<FileId>>,
    /// For each file, those that it speaks for.
    speaks_for: BTreeMap<FileId, Vec<FileId>>,
}

impl Spread {
    /// None if names changed by which others are led on: there is no telling who they are.
    fn new(
        before: &Packed<'_>,
        reach: &BTreeMap<FileId, Touched>,
        renamed: &BTreeSet<u32>,
    ) -> Option<Spread> {
        let mut spread = Spread {
            askers: BTreeSet::new(),
            spoken_for: BTreeMap::new(),
            speaks_for: BTreeMap::new(),
        };
        for file in 0..before.files() {
            if !renamed.is_empty() {
                let mentions = before.mentions(file);
                let mentioned = |name: &u32| renamed.contains(&(name & !LEADS));
                if mentions.iter().any(|name| name & LEADS != 0 && mentioned(name)) {
                    return None;
                }
                if mentions.iter().any(mentioned) {
                    spread.askers.insert(file);
                }
            }
            for Consulted { of, speaks, .. } in before.consulted(file) {
                if reach.get(&of) == Some(&Touched::Askers) {
                    spread.askers.insert(file);
                }
                if speaks {
                    spread.spoken_for.entry(of).or_default().push(file);
                    spread.speaks_for.entry(file).or_default().push(of);
                }
            }
        }
        Some(spread)
    }

    /// The files that are to be linked again for certain.
    fn first(&self, reach: &BTreeMap<FileId, Touched>) -> BTreeSet<FileId> {
        reach.keys().chain(&self.askers).copied().collect()
    }

    /// The files that are to be linked again when one is.
    fn with(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let of = |known: &'_ BTreeMap<FileId, Vec<FileId>>| known.get(&file).cloned();
        of(&self.spoken_for).into_iter().chain(of(&self.speaks_for)).flatten()
    }
}
