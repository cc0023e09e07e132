//! Brings the graph up to date: walks all files, reads those that changed, parses new content, and
//! links everything again if anything differs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use tacit_graph::{
    CompilerIndexStats, FileFacts, GraphInput, Language, NonUtf8Files, SkipReason, SourceFile,
    is_manifest, link, pack,
};

use crate::compiler_index;
use crate::derived::repairing;
use crate::error::{CodebaseError, CodebaseResult, io};
use crate::facts::{FactStore, Hash, StoredFacts};
use crate::locate::search::SearchDepth;
use crate::mtime::FileTime;
use crate::open::{Codebase, OpenGraph};
use crate::parse_files::{MAX_MANIFEST_BYTES, ReadFile, read_and_parse};
use crate::tables::{RecordedFile, Tables};
use crate::walk::{FileStat, WalkedFile, walk_graph};

/// Options of a refresh.
pub struct RefreshOptions<'a> {
    /// The number of threads.
    pub threads: usize,
    /// True to read all files again, even those that look unchanged.
    pub reread_all: bool,
    /// Called with the number of finished files and the total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// The use of `index.scip` in a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexUse {
    /// No index exists, or nothing changed.
    #[default]
    NotRead,
    /// The index is invalid.
    Unreadable,
    /// The index is part of the graph.
    Used(CompilerIndexStats),
}

/// The result of a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefreshReport {
    /// The number of source files.
    pub files: usize,
    /// The number of files that were read because they looked changed.
    pub read: usize,
    /// The number of files that were parsed because their content was new.
    pub parsed: usize,
    /// The number of removed files.
    pub removed: usize,
    /// The number of source files with names that are not UTF-8.
    pub unnameable: u64,
    /// The generation of the graph.
    pub generation: u64,
    /// True if the graph changed.
    pub changed: bool,
    /// The use of a compiler's index.
    pub index: IndexUse,
}

/// The path, metadata and content hash of a file.
pub(crate) type FileState = (String, FileStat, Hash);

/// The files that were read, by path; `None` for those that vanished meanwhile.
pub(crate) type Fresh<'w> = HashMap<&'w str, Option<ReadFile>>;

impl Codebase {
    /// Brings the graph up to date. Waits for another process that is doing so, because that one
    /// may have seen a file before it changed.
    pub fn refresh(&self, options: &RefreshOptions<'_>) -> CodebaseResult<RefreshReport> {
        self.with_lock("lock", |started| {
            self.with_shared_stores(|| repairing(|| self.refresh_locked(started, options)))
        })
    }

    fn refresh_locked(
        &self,
        started: FileTime,
        options: &RefreshOptions<'_>,
    ) -> CodebaseResult<RefreshReport> {
        let mut tables = Tables::open(&self.file("db"))?;
        let known = tables.files()?;
        let walked = walk_graph(&self.root, options.threads);
        self.save_scan_state(&walked);
        let store = Mutex::new(FactStore::open(&self.directory)?);
        let fresh = self.read_changed(&walked.files, &known, &store, options);
        let mut index = compiler_index::find(&self.root, &walked.files);
        let mut files = states(&walked.files, &known, &fresh, started);
        files.extend(
            index.iter_mut().flat_map(|found| found.rows(&known, options.reread_all, started)),
        );
        let mut refreshed = count_files(&files, &known, &fresh);
        let unnameable = NonUtf8Files::count(walked.unnameable.iter().copied());
        refreshed.unnameable = u64::from(unnameable.files);
        let before = tables.meta("generation")?.unwrap_or(0) as u64;
        // A killed process may have left a graph of another generation.
        let is_as_left = |kept: &OpenGraph| kept.packed().generation() == before && kept.is_sound();
        let kept = self.open_for(SearchDepth::Quick).ok().filter(is_as_left);
        let is_unchanged =
            |(path, _, hash): &FileState| known.get(path).is_some_and(|known| known.hash == *hash);
        // Files with unusable names are only counted in the graph.
        let same_unnameable =
            kept.as_ref().is_some_and(|kept| kept.packed().non_utf8() == unnameable);
        let same = same_unnameable && files.len() == known.len() && files.iter().all(is_unchanged);
        if same && !options.reread_all {
            refreshed.generation = before;
            let has_same_stat = |(path, stat, _): &FileState| {
                known.get(path).is_some_and(|known| known.stat == *stat)
            };
            // Record new times of unchanged content, so that it is not read again.
            if !files.iter().all(has_same_stat) {
                tables.write(&files, &known, before)?;
            }
            // Something that makes no difference may have been written since the graph was built.
            started.touch(&self.file("graph"));
            return Ok(refreshed);
        }
        refreshed.generation = before + 1;
        refreshed.changed = true;
        let manifests = self.manifests_of(&files, &fresh);
        let store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut project = self.project(&files, fresh, manifests, &store, options.threads)?;
        let has_index = index.is_some();
        project.compiler_index = index.and_then(compiler_index::CompilerIndexFile::read);
        project.non_utf8 = unnameable;
        let mut graph = link(&project, options.threads);
        refreshed.index = match graph.compiler_index.take() {
            Some(indexed) => IndexUse::Used(indexed),
            None if has_index => IndexUse::Unreadable,
            None => IndexUse::NotRead,
        };
        tables.write(&files, &known, refreshed.generation)?;
        // The graph is dated to the start of the walk, so that every later write is newer.
        started.publish(&self.file("graph"), &pack(&graph, refreshed.generation))?;
        self.remove_old_files();
        Ok(refreshed)
    }

    /// Removes files of earlier versions, which hold names that no longer exist.
    fn remove_old_files(&self) {
        for ending in ["edits", "outlines"] {
            let _ = std::fs::remove_file(self.file(ending));
        }
    }

    /// Reads the files that look changed, and parses those with new content.
    fn read_changed<'w>(
        &self,
        walked: &'w [WalkedFile],
        known: &HashMap<String, RecordedFile>,
        store: &Mutex<FactStore>,
        options: &RefreshOptions<'_>,
    ) -> Fresh<'w> {
        let is_unchanged = |entry: &&WalkedFile| {
            !options.reread_all
                && known.get(&entry.path).is_some_and(|known| known.stat == entry.stat)
        };
        let changed: Vec<&WalkedFile> =
            walked.iter().filter(|entry| !is_unchanged(entry)).collect();
        let read_file = read_and_parse(&self.root, &changed, options.threads, store, &|done| {
            (options.progress)(done + 1, changed.len());
        });
        changed.iter().map(|entry| entry.path.as_str()).zip(read_file).collect()
    }

    /// Runs work while holding a lock of this worktree, and passes the time at which the work
    /// starts.
    pub(crate) fn with_lock<T>(
        &self,
        lock: &str,
        work: impl FnOnce(FileTime) -> CodebaseResult<T>,
    ) -> CodebaseResult<T> {
        self.make_directory()?;
        let path = self.file(lock);
        if path.is_dir() {
            return Err(CodebaseError::PathBlocked { path });
        }
        let lock = tacit_fs::append(&path).map_err(io(&path))?;
        lock.lock().map_err(io(&path))?;
        let done = FileTime::now(&lock).map_err(io(&path)).and_then(work);
        // Closing is not enough: a process being started by another thread inherits the open file.
        lock.unlock().map_err(io(&path))?;
        done
    }

    /// Creates the directory of all graphs.
    pub(crate) fn make_directory(&self) -> CodebaseResult<()> {
        if self.directory.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Err(CodebaseError::PathBlocked { path: self.directory.clone() });
        }
        tacit_fs::secure_folder(&self.directory).map_err(io(&self.directory))
    }

    /// Returns the text of all manifests.
    fn manifests_of(&self, files: &[FileState], fresh: &Fresh<'_>) -> BTreeMap<String, String> {
        let manifests = files.iter().map(|(path, ..)| path).filter(|path| is_manifest(path));
        let text = |path: &String| {
            let read_file = fresh.get(path.as_str()).and_then(Option::as_ref);
            let read = read_file.and_then(|read_file| read_file.text.clone());
            read.or_else(|| {
                let bytes =
                    tacit_fs::read_following(&self.root.join(path), MAX_MANIFEST_BYTES).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            })
        };
        manifests.map(|path| (path.clone(), text(path).unwrap_or_default())).collect()
    }

    /// Collects the input of the linker from new and from stored facts.
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
        for (path, stat, hash) in files {
            if compiler_index::is_row(path) || Language::of_path(path).is_none() {
                continue;
            }
            let read_file = fresh.get_mut(path.as_str()).and_then(Option::take);
            let kept = match read_file.and_then(|read_file| read_file.facts) {
                Some(kept) => Some(kept),
                None => store.get_for_file(path, hash)?,
            };
            sources.push((path, *stat, kept));
        }
        let share = sources.len().div_ceil(threads.max(1)).max(1);
        let read =
            |part: &[(&String, FileStat, Option<StoredFacts>)]| -> CodebaseResult<Vec<SourceFile>> {
                let facts = part.iter().map(|(path, stat, kept)| {
                    let facts = match kept.as_ref().and_then(StoredFacts::read) {
                        Some(facts) => facts,
                        None => self.parse_lost_file(path, *stat)?,
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

    /// Parses a file whose stored facts were lost.
    fn parse_lost_file(
        &self,
        path: &str,
        stat: FileStat,
    ) -> CodebaseResult<Result<FileFacts, SkipReason>> {
        let entry = WalkedFile { path: path.to_owned(), stat };
        let store = Mutex::new(FactStore::open(&self.directory)?);
        let again = read_and_parse(&self.root, &[&entry], 1, &store, &|_| {});
        let kept = again.into_iter().flatten().next().and_then(|read_file| read_file.facts);
        Ok(kept.and_then(|kept| kept.read()).unwrap_or(Err(SkipReason::Unreadable)))
    }
}

/// Counts the files that exist, were read and were removed.
fn count_files(
    files: &[FileState],
    known: &HashMap<String, RecordedFile>,
    fresh: &Fresh<'_>,
) -> RefreshReport {
    let is_file = |path: &&String| !compiler_index::is_row(path);
    let still_there = files.iter().map(|(path, ..)| path).filter(is_file);
    let still_there = still_there.filter(|path| known.contains_key(*path)).count();
    RefreshReport {
        files: files.iter().filter(|(path, ..)| Language::of_path(path).is_some()).count(),
        read: fresh.len(),
        parsed: fresh.values().flatten().filter(|read_file| read_file.parsed).count(),
        removed: known.keys().filter(is_file).count() - still_there,
        ..RefreshReport::default()
    }
}

/// Returns the current state of all files, without those that vanished while being read.
fn states(
    entries: &[WalkedFile],
    known: &HashMap<String, RecordedFile>,
    fresh: &Fresh<'_>,
    started: FileTime,
) -> Vec<FileState> {
    let state = |entry: &WalkedFile| {
        let hash = match fresh.get(entry.path.as_str()) {
            Some(read_file) => read_file.as_ref()?.hash,
            None => known.get(&entry.path)?.hash,
        };
        Some((entry.path.clone(), started.trusted(entry.stat), hash))
    };
    entries.iter().filter_map(state).collect()
}
