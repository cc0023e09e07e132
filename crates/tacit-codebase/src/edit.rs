//! Bringing the graph up to date after an edit: only the files that it can have touched are linked
//! again, and the facts of others are read as they are asked about.
//!
//! Which files these are, and that the result is the graph of a fresh build, is seen to in
//! `tacit-graph`. Here it is decided whether there is no more to it than rewritten files.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use tacit_graph::{
    FileFacts, FileId, Language, Overlay, Packed, Patch, Rewritten, Skipped, Sources, is_manifest,
    relink, skip_by_path,
};

use crate::error::CodebaseResult;
use crate::facts::{FactStore, Hash, Kept, hash_of};
use crate::fill::Filled;
use crate::open::OpenGraph;
use crate::outlines::Outlines;
use crate::tables::Known;
use crate::walk::Mark;

/// Of how many files one may have changed, for their facts to be compared: one of these, or a few.
const SHARE: usize = 8;
const FEW: usize = 64;

/// How many files, and of how many edges one, may be in the overlay before it becomes part of the
/// graph: readers should not notice that it is there.
const MOST_FILES: usize = 64;
const MOST_EDGES: usize = 100;
/// So many files are always few.
const FEW_FILES: usize = 8;

/// What an edit made of a graph.
pub(crate) struct Edited {
    /// The files that were linked again.
    pub(crate) patch: Patch,
    /// The graph that the overlay belongs to.
    graph: OpenGraph,
    overlay: Overlay,
}

impl Edited {
    /// A graph after an edit; none if they do not fit.
    pub(crate) fn new(graph: OpenGraph, patch: Patch, generation: u64) -> Option<Edited> {
        let all = graph.edits().cloned().unwrap_or_default().then(patch.clone())?;
        let overlay = Overlay::new(&graph.base(), all, generation)?;
        Some(Edited { patch, graph, overlay })
    }

    /// The graph as it is now.
    pub(crate) fn packed(&self) -> Packed<'_> {
        self.graph.base().with(Some(&self.overlay))
    }

    /// The overlay as bytes, or where it is large, the graph in one piece.
    pub(crate) fn to_bytes(&self) -> Option<Written> {
        let (files, links) = (self.overlay.patch().files.len(), self.overlay.patch().links());
        let small = files <= MOST_FILES
            && (links * MOST_EDGES <= self.graph.base().edges() as usize || files <= FEW_FILES);
        match small {
            true => Some(Written::Edits(self.overlay.to_bytes())),
            false => self.packed().folded().map(Written::Graph),
        }
    }
}

/// What is published.
pub(crate) enum Written {
    Edits(Vec<u8>),
    Graph(Vec<u8>),
}

/// What there is to know about an edit.
pub(crate) struct Edit<'a> {
    /// The graph that was, of the files that are known.
    pub(crate) before: Packed<'a>,
    pub(crate) files: &'a [(String, Mark, Hash)],
    pub(crate) known: &'a HashMap<String, Known>,
    pub(crate) fresh: &'a HashMap<&'a str, Option<Filled>>,
    pub(crate) manifests: &'a BTreeMap<String, String>,
    pub(crate) store: &'a Mutex<FactStore>,
    pub(crate) outlines: Option<Outlines>,
    pub(crate) threads: usize,
}

/// A source file as it is now.
struct State<'a> {
    path: &'a str,
    hash: &'a Hash,
}

impl<'a> Edit<'a> {
    /// Links what the edit can have touched; none if all is to be linked.
    pub(crate) fn link(&self) -> CodebaseResult<Option<Patch>> {
        let is_source = |(path, ..): &&(String, Mark, Hash)| Language::of_path(path).is_some();
        let states: Vec<State<'a>> = { self.files.iter().filter(is_source) }
            .map(|(path, _, hash)| State { path, hash })
            .collect();
        let same_files = states.len() == self.before.files() as usize
            && (0..).zip(&states).all(|(file, state)| self.before.path(file) == state.path);
        if !same_files {
            return Ok(None);
        }
        let Some(rewritten) = self.rewritten(&states)? else { return Ok(None) };
        let sources = Lazy {
            before: self.before,
            known: states.iter().map(|_| OnceLock::new()).collect(),
            manifests: self.manifests,
            store: self.store,
            outlines: self.outlines.as_ref(),
            lost: AtomicBool::new(false),
            states,
        };
        for (file, text) in &rewritten {
            let _ = sources.known[*file as usize].set(Some(text.after.clone()));
        }
        let mut whole = |file: FileId| sources.read(file);
        let patch = relink(&self.before, &sources, &rewritten, &mut whole, self.threads);
        // What was linked without knowing what a file says is worth nothing.
        Ok(patch.filter(|_| !sources.lost.load(Ordering::Relaxed)))
    }

    /// The files whose text changed, with what they said and say; none if more is different, or
    /// much is.
    fn rewritten(
        &self,
        states: &[State<'a>],
    ) -> CodebaseResult<Option<BTreeMap<FileId, Rewritten>>> {
        let as_before =
            |path: &str, hash: &Hash| self.known.get(path).is_some_and(|known| known.hash == *hash);
        let others = self.files.iter().filter(|(path, ..)| is_manifest(path));
        if self.files.len() != self.known.len() || { others }
            .any(|(path, _, hash)| !as_before(path, hash))
        {
            return Ok(None);
        }
        let changed: Vec<(FileId, &State<'a>)> =
            (0..).zip(states).filter(|(_, state)| !as_before(state.path, state.hash)).collect();
        if changed.len() > FEW.max(states.len() / SHARE) {
            return Ok(None);
        }
        let mut rewritten = BTreeMap::new();
        for (file, state) in changed {
            let fresh = self.fresh.get(state.path).and_then(Option::as_ref);
            let after = fresh.and_then(|filled| filled.facts.as_ref()?.read());
            let Some(known) = self.known.get(state.path) else { return Ok(None) };
            let before = kept(state.path, &known.hash, &lock(self.store))?;
            match (before.and_then(|kept| kept.read()), after) {
                (Some(Ok(before)), Some(Ok(after))) => {
                    rewritten.insert(file, Rewritten { before, after });
                }
                (Some(Err(before)), Some(Err(after))) if before == after => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(rewritten))
    }
}

/// What files say, read when it is first asked for.
struct Lazy<'a> {
    before: Packed<'a>,
    states: Vec<State<'a>>,
    known: Vec<OnceLock<Option<FileFacts>>>,
    manifests: &'a BTreeMap<String, String>,
    store: &'a Mutex<FactStore>,
    outlines: Option<&'a Outlines>,
    /// Whether the facts of a file that was parsed are gone.
    lost: AtomicBool,
}

impl Lazy<'_> {
    /// What others can depend on in a file, if that was kept.
    fn outline(&self, file: FileId) -> Option<FileFacts> {
        self.language(file)?;
        self.outlines?.get(file, self.states.get(file as usize)?.hash)
    }

    /// All that a file says that did not change; none if it was not parsed.
    fn read(&self, file: FileId) -> Option<FileFacts> {
        self.language(file)?;
        let state = self.states.get(file as usize)?;
        let kept = lock(self.store).get(state.hash).ok().flatten();
        let facts = kept.and_then(|kept| kept.read()).and_then(Result::ok);
        if facts.is_none() {
            self.lost.store(true, Ordering::Relaxed);
        }
        facts
    }
}

impl Sources for Lazy<'_> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn path(&self, file: FileId) -> &str {
        self.states.get(file as usize).map_or("", |state| state.path)
    }

    /// As the path tells it: headers may be of C or of C++, which are linked together.
    fn language(&self, file: FileId) -> Option<Language> {
        let parsed = self.before.file(file)?.skipped.is_none();
        parsed.then(|| Language::of_path(self.path(file)))?
    }

    fn facts(&self, file: FileId) -> Option<&FileFacts> {
        let known = self.known.get(file as usize)?;
        known.get_or_init(|| self.outline(file).or_else(|| self.read(file))).as_ref()
    }

    fn manifests(&self) -> &BTreeMap<String, String> {
        self.manifests
    }
}

/// What is known of a file that looks as it did; none if that was lost.
pub(crate) fn kept(path: &str, hash: &Hash, store: &FactStore) -> CodebaseResult<Option<Kept>> {
    if let Some(why) = skip_by_path(path) {
        return Ok(Some(Kept::Skipped(why)));
    }
    let language = Language::of_path(path);
    for (why, mark) in [(Skipped::Huge, "huge"), (Skipped::Unreadable, "unreadable")] {
        if *hash == hash_of(language, mark.as_bytes()) {
            return Ok(Some(Kept::Skipped(why)));
        }
    }
    store.get(hash)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
