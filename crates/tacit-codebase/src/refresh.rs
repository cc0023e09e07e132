//! Bringing the graph up to date: look at every file, read what changed, parse what is new, link
//! all of it, write what differs.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use tacit_graph::{Graph, Language, Project, SourceFile, is_manifest, link, pack, skip_by_path};

use crate::error::{CodebaseError, CodebaseResult, io};
use crate::facts::{FactStore, Hash, hash_of};
use crate::fill::{Filled, fill};
use crate::open::Codebase;
use crate::tables::{Known, Tables};
use crate::walk::{Entry, Mark, walk};

/// How a refresh is done.
pub struct Options<'a> {
    /// How many threads parse.
    pub threads: usize,
    /// Whether everything is read again, even what looks as it did.
    pub all: bool,
    /// When the refresh began, in milliseconds since 1970.
    pub now_ms: i64,
    /// Told how many files are done, of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// What a refresh did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refreshed {
    /// How many source files there are.
    pub files: usize,
    /// How many were read, because they looked changed.
    pub read: usize,
    /// How many were parsed, because their bytes were new.
    pub parsed: usize,
    /// How many are gone.
    pub removed: usize,
    /// Files whose names cannot be written down.
    pub unnameable: u64,
    /// The state the graph shows.
    pub generation: u64,
    /// Whether that is another one than before.
    pub changed: bool,
}

/// A file that was written this shortly before it was read may be written again without looking
/// changed: it is read again next time.
const TOO_FRESH_NS: i64 = 2_000_000_000;

impl Codebase {
    /// Brings the graph up to date.
    pub fn refresh(&self, options: &Options<'_>) -> CodebaseResult<Refreshed> {
        let lock = self.lock_file("lock")?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(CodebaseError::Busy { root: self.root.clone() });
            }
            Err(std::fs::TryLockError::Error(source)) => {
                return Err(io(&self.file("lock"))(source));
            }
        }
        let refreshed = self.refresh_locked(options);
        // Closing it is not enough: a program that another thread is just starting has it open too.
        lock.unlock().map_err(io(&self.file("lock")))?;
        refreshed
    }

    fn refresh_locked(&self, options: &Options<'_>) -> CodebaseResult<Refreshed> {
        let mut tables = Tables::open(&self.file("db"))?;
        let known = tables.files()?;
        let walked = walk(&self.root, options.threads);
        let as_before = |entry: &&Entry| {
            !options.all && known.get(&entry.path).is_some_and(|known| known.mark == entry.mark)
        };
        let changed: Vec<&Entry> = walked.files.iter().filter(|entry| !as_before(entry)).collect();
        let store = Mutex::new(FactStore::open(&self.directory)?);
        let total = changed.len();
        let filled = fill(&self.root, &changed, options.threads, &store, &|done| {
            (options.progress)(done + 1, total);
        });
        let mut store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let fresh: HashMap<&str, Option<Filled>> =
            changed.iter().map(|entry| entry.path.as_str()).zip(filled).collect();
        let mut refreshed = Refreshed {
            read: total,
            parsed: fresh.values().flatten().filter(|filled| filled.parsed).count(),
            unnameable: walked.unnameable,
            ..Refreshed::default()
        };
        let files = states(&walked.files, &known, &fresh, options.now_ms);
        refreshed.files =
            files.iter().filter(|(path, ..)| Language::of_path(path).is_some()).count();
        let there: HashMap<&str, Hash> =
            files.iter().map(|(path, _, hash)| (path.as_str(), *hash)).collect();
        refreshed.removed = known.keys().filter(|path| !there.contains_key(path.as_str())).count();
        let same = there.len() == known.len()
            && known.iter().all(|(path, known)| there.get(path.as_str()) == Some(&known.hash));
        let before = tables.meta("generation")?.unwrap_or(0) as u64;
        let packed = self.file("graph");
        if same && !options.all && packed.exists() {
            refreshed.generation = before;
            // New times of old bytes are worth a note, so that they are not read again.
            if total > 0 {
                tables.write(&files, &known, None, before)?;
            }
            return Ok(refreshed);
        }
        let project = self.project(&files, fresh, &mut store)?;
        let graph = link(&project, options.threads);
        refreshed.generation = before + 1;
        refreshed.changed = true;
        tables.write(&files, &known, Some(&graph), refreshed.generation)?;
        publish(&packed, &graph, refreshed.generation)?;
        Ok(refreshed)
    }

    /// Waits until nobody is at work on the graph.
    pub(crate) fn wait(&self) -> CodebaseResult<()> {
        self.lock_file("lock")?.lock().map_err(io(&self.file("lock")))
    }

    pub(crate) fn lock_file(&self, ending: &str) -> CodebaseResult<File> {
        std::fs::create_dir_all(&self.directory).map_err(io(&self.directory))?;
        let path = self.file(ending);
        File::options().create(true).append(true).open(&path).map_err(io(&path))
    }

    /// Everything that is to be linked: facts that were just read, and those that were kept.
    fn project(
        &self,
        files: &[(String, Mark, Hash)],
        mut fresh: HashMap<&str, Option<Filled>>,
        store: &mut FactStore,
    ) -> CodebaseResult<Project> {
        let mut project = Project::default();
        for (path, mark, hash) in files {
            let mut filled = fresh.get_mut(path.as_str()).and_then(Option::take);
            if is_manifest(path) {
                let read = filled.as_mut().and_then(|filled| filled.text.take());
                let text = read.or_else(|| {
                    let bytes = std::fs::read(self.root.join(path)).ok()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                });
                project.manifests.insert(path.clone(), text.unwrap_or_default());
            }
            let Some(language) = Language::of_path(path) else { continue };
            let facts = match filled.and_then(|filled| filled.facts) {
                Some(facts) => facts,
                None => self.kept(path, *mark, hash, language, store)?,
            };
            project.files.push(SourceFile { path: path.clone(), facts });
        }
        Ok(project)
    }

    /// What is known of a file that looks as it did; what was lost is made again.
    fn kept(
        &self,
        path: &str,
        mark: Mark,
        hash: &Hash,
        language: Language,
        store: &mut FactStore,
    ) -> CodebaseResult<Result<tacit_graph::FileFacts, tacit_graph::Skipped>> {
        use tacit_graph::Skipped;
        if let Some(why) = skip_by_path(path) {
            return Ok(Err(why));
        }
        for (why, mark) in [(Skipped::Huge, "huge"), (Skipped::Unreadable, "unreadable")] {
            if *hash == hash_of(Some(language), mark.as_bytes()) {
                return Ok(Err(why));
            }
        }
        if let Some(facts) = store.get(hash)? {
            return Ok(facts);
        }
        let entry = Entry { path: path.to_owned(), mark };
        let shared = Mutex::new(FactStore::open(&self.directory)?);
        let again = fill(&self.root, &[&entry], 1, &shared, &|_| {});
        let facts = again.into_iter().flatten().next().and_then(|filled| filled.facts);
        Ok(facts.unwrap_or(Err(Skipped::Unreadable)))
    }
}

/// The files as they are now; those that vanished while they were read are left out.
fn states(
    entries: &[Entry],
    known: &HashMap<String, Known>,
    fresh: &HashMap<&str, Option<Filled>>,
    now_ms: i64,
) -> Vec<(String, Mark, Hash)> {
    let fresh_from = now_ms.saturating_mul(1_000_000).saturating_sub(TOO_FRESH_NS);
    let state = |entry: &Entry| {
        let hash = match fresh.get(entry.path.as_str()) {
            Some(filled) => filled.as_ref()?.hash,
            None => known.get(&entry.path)?.hash,
        };
        let certain = entry.mark.modified < fresh_from;
        let mark = if certain { entry.mark } else { Mark { modified: 0, ..entry.mark } };
        Some((entry.path.clone(), mark, hash))
    };
    entries.iter().filter_map(state).collect()
}

/// Writes the packed graph beside the one in use, and puts it in its place.
fn publish(path: &Path, graph: &Graph, generation: u64) -> CodebaseResult<()> {
    let beside = path.with_extension("graph-new");
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(&pack(graph, generation))?;
        drop(file);
        std::fs::rename(&beside, path)
    };
    write().map_err(io(path))
}
