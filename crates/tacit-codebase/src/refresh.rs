//! Bringing the graph up to date: look at every file, read what changed, parse what is new, and if
//! anything differs, link all.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use tacit_graph::{
    CompilerIndexStats, FileFacts, GraphInput, Language, NonUtf8Files, SkipReason, SourceFile,
    is_manifest, link, pack,
};

use crate::compiler_index;
use crate::derived::mending;
use crate::error::{CodebaseError, CodebaseResult, io};
use crate::facts::{FactStore, Hash, Kept};
use crate::fill::{Filled, LARGEST_MANIFEST, fill};
use crate::locate::ask::Depth;
use crate::open::{Codebase, OpenGraph};
use crate::tables::{Known, Tables};
use crate::times::Moment;
use crate::walk::{Entry, Mark, walk_graph};

/// How a refresh is done.
pub struct Options<'a> {
    /// How many threads parse.
    pub threads: usize,
    /// Whether everything is read again, even what looks as it did.
    pub all: bool,
    /// Told how many files are done, of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// What came of `index.scip`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexUse {
    /// There is none, or nothing changed.
    #[default]
    Nothing,
    /// It is not one that can be read.
    Unreadable,
    /// It is part of the graph.
    Used(CompilerIndexStats),
}

/// What a refresh did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refreshed {
    /// How many source files there are.
    pub files: usize,
    /// How many were read, because they looked changed.
    pub read: usize,
    /// How many were parsed, because their bytes were new.
    pub parsed: usize,
    /// How many are gone.
    pub removed: usize,
    /// Source files whose names cannot be written down.
    pub unnameable: u64,
    /// The state the graph shows.
    pub generation: u64,
    /// Whether that is another one than before.
    pub changed: bool,
    /// What came of an index that a compiler made.
    pub index: IndexUse,
}

/// The path of a file, how it looks from outside, and the hash of what it says.
pub(crate) type FileState = (String, Mark, Hash);

/// The files that were read, by their paths; none for what vanished meanwhile.
pub(crate) type Fresh<'w> = HashMap<&'w str, Option<Filled>>;

impl Codebase {
    /// Brings the graph up to date, after another process that is at it: that one may have looked at a
    /// file before it changed.
    pub fn refresh(&self, options: &Options<'_>) -> CodebaseResult<Refreshed> {
        self.in_turn("lock", |began| {
            self.holding_stores(|| mending(|| self.refresh_locked(began, options)))
        })
    }

    fn refresh_locked(&self, began: Moment, options: &Options<'_>) -> CodebaseResult<Refreshed> {
        let mut tables = Tables::open(&self.file("db"))?;
        let known = tables.files()?;
        let walked = walk_graph(&self.root, options.threads);
        self.note_looked_at(&walked);
        let store = Mutex::new(FactStore::open(&self.directory)?);
        let fresh = self.read_changed(&walked.files, &known, &store, options);
        let mut index = compiler_index::look(&self.root, &walked.files);
        let mut files = states(&walked.files, &known, &fresh, began);
        files.extend(index.iter_mut().flat_map(|found| found.rows(&known, options.all, began)));
        let mut refreshed = counted(&files, &known, &fresh);
        let unnameable = NonUtf8Files::count(walked.unnameable.iter().copied());
        refreshed.unnameable = u64::from(unnameable.files);
        let before = tables.meta("generation")?.unwrap_or(0) as u64;
        // A process that was killed may have left a graph of another state.
        let as_left = |kept: &OpenGraph| kept.packed().generation() == before && kept.is_sound();
        let kept = self.open_for(Depth::Quick).ok().filter(as_left);
        let as_read =
            |(path, _, hash): &FileState| known.get(path).is_some_and(|known| known.hash == *hash);
        // Files that cannot be named are told by the graph as a whole.
        let as_counted = kept.as_ref().is_some_and(|kept| kept.packed().non_utf8() == unnameable);
        let same = as_counted && files.len() == known.len() && files.iter().all(as_read);
        if same && !options.all {
            refreshed.generation = before;
            let as_known = |(path, mark, _): &FileState| {
                known.get(path).is_some_and(|known| known.mark == *mark)
            };
            // New times of old bytes are worth a note, so that they are not read again.
            if !files.iter().all(as_known) {
                tables.write(&files, &known, before)?;
            }
            // Something may have been written since it was built that made no difference.
            began.date(&self.file("graph"));
            return Ok(refreshed);
        }
        refreshed.generation = before + 1;
        refreshed.changed = true;
        let manifests = self.manifests_of(&files, &fresh);
        let store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut project = self.project(&files, fresh, manifests, &store, options.threads)?;
        let has_index = index.is_some();
        project.compiler_index = index.and_then(compiler_index::Found::read);
        project.non_utf8 = unnameable;
        let mut graph = link(&project, options.threads);
        refreshed.index = match graph.compiler_index.take() {
            Some(indexed) => IndexUse::Used(indexed),
            None if has_index => IndexUse::Unreadable,
            None => IndexUse::Nothing,
        };
        tables.write(&files, &known, refreshed.generation)?;
        // As of the moment at which files began to be looked at: whatever is written after that is
        // later.
        began.publish(&self.file("graph"), &pack(&graph, refreshed.generation))?;
        self.remove_former();
        Ok(refreshed)
    }

    /// Removes what earlier versions kept beside the graph, which has names of what is gone.
    fn remove_former(&self) {
        for ending in ["edits", "outlines"] {
            let _ = std::fs::remove_file(self.file(ending));
        }
    }

    /// Reads the files that look changed, and parses those whose bytes were never seen.
    fn read_changed<'w>(
        &self,
        walked: &'w [Entry],
        known: &HashMap<String, Known>,
        store: &Mutex<FactStore>,
        options: &Options<'_>,
    ) -> Fresh<'w> {
        let as_before = |entry: &&Entry| {
            !options.all && known.get(&entry.path).is_some_and(|known| known.mark == entry.mark)
        };
        let changed: Vec<&Entry> = walked.iter().filter(|entry| !as_before(entry)).collect();
        let filled = fill(&self.root, &changed, options.threads, store, &|done| {
            (options.progress)(done + 1, changed.len());
        });
        changed.iter().map(|entry| entry.path.as_str()).zip(filled).collect()
    }

    /// Does what one process at a time may do, after those who are at it. The work is told the moment at
    /// which it begins.
    pub(crate) fn in_turn<T>(
        &self,
        lock: &str,
        work: impl FnOnce(Moment) -> CodebaseResult<T>,
    ) -> CodebaseResult<T> {
        self.make_directory()?;
        let path = self.file(lock);
        if path.is_dir() {
            return Err(CodebaseError::InTheWay { path });
        }
        let lock = tacit_fs::append(&path).map_err(io(&path))?;
        lock.lock().map_err(io(&path))?;
        let done = Moment::now(&lock).map_err(io(&path)).and_then(work);
        // Closing it is not enough: a program that another thread is just starting has it open too.
        lock.unlock().map_err(io(&path))?;
        done
    }

    /// Makes the folder of all graphs.
    pub(crate) fn make_directory(&self) -> CodebaseResult<()> {
        if self.directory.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Err(CodebaseError::InTheWay { path: self.directory.clone() });
        }
        tacit_fs::secure_folder(&self.directory).map_err(io(&self.directory))
    }

    /// The text of all manifests.
    fn manifests_of(&self, files: &[FileState], fresh: &Fresh<'_>) -> BTreeMap<String, String> {
        let manifests = files.iter().map(|(path, ..)| path).filter(|path| is_manifest(path));
        let text = |path: &String| {
            let filled = fresh.get(path.as_str()).and_then(Option::as_ref);
            let read = filled.and_then(|filled| filled.text.clone());
            read.or_else(|| {
                let bytes =
                    tacit_fs::read_following(&self.root.join(path), LARGEST_MANIFEST).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            })
        };
        manifests.map(|path| (path.clone(), text(path).unwrap_or_default())).collect()
    }

    /// Everything that is to be linked: facts that were just read, and those that were kept.
    fn project(
        &self,
        files: &[FileState],
        mut fresh: Fresh<'_>,
        manifests: BTreeMap<String, String>,
        store: &FactStore,
        threads: usize,
    ) -> CodebaseResult<GraphInput> {
        let mut project = GraphInput { manifests, ..GraphInput::default() };
        let mut sources = Vec::with_capacity(files.len());
        for (path, mark, hash) in files {
            if compiler_index::is_row(path) || Language::of_path(path).is_none() {
                continue;
            }
            let filled = fresh.get_mut(path.as_str()).and_then(Option::take);
            let kept = match filled.and_then(|filled| filled.facts) {
                Some(kept) => Some(kept),
                None => store.of_file(path, hash)?,
            };
            sources.push((path, *mark, kept));
        }
        let share = sources.len().div_ceil(threads.max(1)).max(1);
        let read = |part: &[(&String, Mark, Option<Kept>)]| -> CodebaseResult<Vec<SourceFile>> {
            let facts = part.iter().map(|(path, mark, kept)| {
                let facts = match kept.as_ref().and_then(Kept::read) {
                    Some(facts) => facts,
                    None => self.made_again(path, *mark)?,
                };
                Ok(SourceFile { path: (*path).clone(), facts })
            });
            facts.collect()
        };
        let parts: Vec<_> = std::thread::scope(|scope| {
            let read = &read;
            let running: Vec<_> =
                sources.chunks(share).map(|part| scope.spawn(move || read(part))).collect();
            running.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for part in parts {
            project.files.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(project)
    }

    /// What is known of a file whose facts were lost.
    fn made_again(&self, path: &str, mark: Mark) -> CodebaseResult<Result<FileFacts, SkipReason>> {
        let entry = Entry { path: path.to_owned(), mark };
        let store = Mutex::new(FactStore::open(&self.directory)?);
        let again = fill(&self.root, &[&entry], 1, &store, &|_| {});
        let kept = again.into_iter().flatten().next().and_then(|filled| filled.facts);
        Ok(kept.and_then(|kept| kept.read()).unwrap_or(Err(SkipReason::Unreadable)))
    }
}

/// How many files there are, were read, and are gone.
fn counted(files: &[FileState], known: &HashMap<String, Known>, fresh: &Fresh<'_>) -> Refreshed {
    let is_file = |path: &&String| !compiler_index::is_row(path);
    let still_there = files.iter().map(|(path, ..)| path).filter(is_file);
    let still_there = still_there.filter(|path| known.contains_key(*path)).count();
    Refreshed {
        files: files.iter().filter(|(path, ..)| Language::of_path(path).is_some()).count(),
        read: fresh.len(),
        parsed: fresh.values().flatten().filter(|filled| filled.parsed).count(),
        removed: known.keys().filter(is_file).count() - still_there,
        ..Refreshed::default()
    }
}

/// The files as they are now; those that vanished while they were read are left out.
fn states(
    entries: &[Entry],
    known: &HashMap<String, Known>,
    fresh: &Fresh<'_>,
    began: Moment,
) -> Vec<FileState> {
    let state = |entry: &Entry| {
        let hash = match fresh.get(entry.path.as_str()) {
            Some(filled) => filled.as_ref()?.hash,
            None => known.get(&entry.path)?.hash,
        };
        Some((entry.path.clone(), began.certain(entry.mark), hash))
    };
    entries.iter().filter_map(state).collect()
}
