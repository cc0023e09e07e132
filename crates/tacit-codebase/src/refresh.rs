//! Bringing the graph up to date: look at every file, read what changed, parse what is new, and if
//! anything differs, link all.

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
use crate::parse_files::{LARGEST_MANIFEST, ReadFile, read_and_parse};
use crate::tables::{RecordedFile, Tables};
use crate::walk::{FileStat, WalkedFile, walk_graph};

/// How a refresh is done.
pub struct RefreshOptions<'a> {
    /// How many threads parse.
    pub threads: usize,
    /// Whether everything is read again, even what looks as it did.
    pub reread_all: bool,
    /// Told how many files are done, of how many.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// What came of `index.scip`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexUse {
    /// There is none, or nothing changed.
    #[default]
    NotRead,
    /// It is not one that can be read.
    Unreadable,
    /// It is part of the graph.
    Used(CompilerIndexStats),
}

/// What a refresh did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefreshReport {
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
pub(crate) type FileState = (String, FileStat, Hash);

/// The files that were read, by their paths; none for what vanished meanwhile.
pub(crate) type Fresh<'w> = HashMap<&'w str, Option<ReadFile>>;

impl Codebase {
    /// Brings the graph up to date, after another process that is at it: that one may have looked at a
    /// file before it changed.
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
        let mut refreshed = counted(&files, &known, &fresh);
        let unnameable = NonUtf8Files::count(walked.unnameable.iter().copied());
        refreshed.unnameable = u64::from(unnameable.files);
        let before = tables.meta("generation")?.unwrap_or(0) as u64;
        // A process that was killed may have left a graph of another state.
        let is_as_left = |kept: &OpenGraph| kept.packed().generation() == before && kept.is_sound();
        let kept = self.open_for(SearchDepth::Quick).ok().filter(is_as_left);
        let is_unchanged =
            |(path, _, hash): &FileState| known.get(path).is_some_and(|known| known.hash == *hash);
        // Files that cannot be named are told by the graph as a whole.
        let same_unnameable =
            kept.as_ref().is_some_and(|kept| kept.packed().non_utf8() == unnameable);
        let same = same_unnameable && files.len() == known.len() && files.iter().all(is_unchanged);
        if same && !options.reread_all {
            refreshed.generation = before;
            let has_same_stat = |(path, stat, _): &FileState| {
                known.get(path).is_some_and(|known| known.stat == *stat)
            };
            // New times of old bytes are worth a note, so that they are not read again.
            if !files.iter().all(has_same_stat) {
                tables.write(&files, &known, before)?;
            }
            // Something may have been written since it was built that made no difference.
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
        // As of the moment at which files began to be looked at: whatever is written after that is
        // later.
        started.publish(&self.file("graph"), &pack(&graph, refreshed.generation))?;
        self.remove_old_files();
        Ok(refreshed)
    }

    /// Removes what earlier versions kept beside the graph, which has names of what is gone.
    fn remove_old_files(&self) {
        for ending in ["edits", "outlines"] {
            let _ = std::fs::remove_file(self.file(ending));
        }
    }

    /// Reads the files that look changed, and parses those whose bytes were never seen.
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

    /// Does what one process at a time may do, after those who are at it. The work is told the moment at
    /// which it begins.
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
        // Closing it is not enough: a program that another thread is just starting has it open too.
        lock.unlock().map_err(io(&path))?;
        done
    }

    /// Makes the folder of all graphs.
    pub(crate) fn make_directory(&self) -> CodebaseResult<()> {
        if self.directory.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Err(CodebaseError::PathBlocked { path: self.directory.clone() });
        }
        tacit_fs::secure_folder(&self.directory).map_err(io(&self.directory))
    }

    /// The text of all manifests.
    fn manifests_of(&self, files: &[FileState], fresh: &Fresh<'_>) -> BTreeMap<String, String> {
        let manifests = files.iter().map(|(path, ..)| path).filter(|path| is_manifest(path));
        let text = |path: &String| {
            let read_file = fresh.get(path.as_str()).and_then(Option::as_ref);
            let read = read_file.and_then(|read_file| read_file.text.clone());
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
        for (path, stat, hash) in files {
            if compiler_index::is_row(path) || Language::of_path(path).is_none() {
                continue;
            }
            let read_file = fresh.get_mut(path.as_str()).and_then(Option::take);
            let kept = match read_file.and_then(|read_file| read_file.facts) {
                Some(kept) => Some(kept),
                None => store.of_file(path, hash)?,
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

    /// What is known of a file whose facts were lost.
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

/// How many files there are, were read, and are gone.
fn counted(
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

/// The files as they are now; those that vanished while they were read are left out.
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
