//! Syncs files into the store as memories, so that recall finds them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use tacit_core::MemoryId;
use tacit_engine::{Engine, ForgetMode, StoreScope};
use tacit_fs::{LockMode, Wait};
use tacit_records::files::{RecordsFolder, UnreadableFile, file_hash, parse};
use tacit_records::{RecordCategory, RecordError, Slug};
use tacit_triggers::Corpus;
use tacit_triggers::files::plain::{self, FileStamp};
use tacit_triggers::sections::sections;

use super::apply::{Comparison, DELETED};
use super::layout::FollowedLayout;
use super::rule_memory::WrittenMemory;
use super::sources::{FileMemory, WantedState};
use super::state::{FileSyncState, RECORDS, RENDERING, SyncedFile, SyncedFiles, list, record_file};
use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::records::{folder, lock_timeout, settings};

/// The reason for taking a memory out of use whose record gives none.
const RETIRED: &str = "the record was taken out of use";
/// The hash of a file that is not read.
const SKIPPED: &str = "skipped";
/// The most memories that a sync embeds; `tacit maintain` embeds the others.
const EMBEDDED: usize = 64;

/// The result of a sync.
#[derive(Debug, Default)]
pub struct SyncReport {
    /// Records whose memories were created or changed.
    pub indexed: Vec<String>,
    /// Sections of decision files whose memories were created or changed.
    pub sections: Vec<String>,
    /// Rules whose memories were created, each with its file and line.
    pub rules: Vec<String>,
    /// Records, sections and rules whose memories were taken out of use.
    pub removed: Vec<String>,
    /// Files that are not valid records, and sections that the write gate refuses.
    pub problems: Vec<UnreadableFile>,
    /// False if the project has no store to sync into.
    pub stored: bool,
}

/// Syncs the memories with the files. Reads all files if `all` is set, else only those that changed
/// or were committed.
pub fn sync(app: &App, all: bool) -> AppResult<SyncReport> {
    let stored = app.places.database(StoreScope::Project).exists();
    let report = SyncReport { stored, ..SyncReport::default() };
    if !stored {
        return Ok(report);
    }
    let (state, layout) = (state_of(app), FollowedLayout::of(app.worktree(), app.config()));
    let mut listed = list(&layout)?;
    listed.extend(layout.written.nested());
    let head = head_mark(app);
    let known = state.read();
    let is_current =
        || known.is_complete() && known.head == head && state.matches(&known, &listed, &layout);
    if (listed.is_empty() && known.files.is_empty()) || (!all && is_current()) {
        return Ok(report);
    }
    let _lock = lock(app, &state)?;
    let folder = folder(app);
    if folder.root().exists() {
        let settings = settings(app.config());
        folder.writer(&settings, app.now(), lock_timeout(app))?.write_index()?;
    }
    let corpus = plain::load(&layout.triggers);
    let written = listed.keys().filter(|path| layout.written.wants(path)).cloned().collect();
    let committed = committed(app, &layout.triggers.decisions, &corpus, written);
    // After a failure of git, the next sync asks again.
    let head = if committed.is_some() { head } else { String::new() };
    // Another process may have synced before this one got the lock.
    let known = state.read();
    let mut run = FileSync {
        app,
        engine: None,
        known: None,
        written: None,
        all: all || !known.is_rendered(),
        state: known,
        committed,
        seen: BTreeSet::new(),
        report,
    };
    for (category, slug) in folder.paths()? {
        run.sync_record(&folder, category, &slug)?;
    }
    run.sync_decisions(&corpus)?;
    run.sync_rules(&layout.written, &listed, &state)?;
    for (path, stamp) in &listed {
        // Too large, or no longer there.
        if !run.seen.contains(path) {
            run.follow(path, *stamp, SKIPPED.to_owned(), Vec::new())?;
        }
    }
    run.drop_deleted(&state)?;
    run.state.head = head;
    run.state.rendering = RENDERING;
    let FileSync { engine, state: synced, report, .. } = run;
    state.write(&synced)?;
    if let Some(mut engine) = engine {
        // What fails here is embedded by `tacit maintain`.
        let _ = engine.embed_pending(StoreScope::Project, EMBEDDED, &mut |_, _| {});
        let models = engine.models(StoreScope::Project);
        if models.is_ok_and(|models| models.iter().any(|model| model.pending > 0)) {
            app.maintain_in_background();
        }
    }
    Ok(report)
}

/// Syncs if a file was added, changed, deleted or committed, so that a query sees it. Problems are
/// ignored here; the `tacit records` commands report them.
pub fn sync_if_changed(app: &App) {
    let is_stored = app.places.database(StoreScope::Project).exists();
    let layout = FollowedLayout::of(app.worktree(), app.config());
    if is_stored && !state_of(app).is_unchanged(&layout, || head_mark(app)) {
        let _ = sync(app, false);
    }
}

fn state_of(app: &App) -> FileSyncState {
    FileSyncState::of(&app.places.project, app.worktree())
}

fn head_mark(app: &App) -> String {
    app.repository.as_ref().map(|repository| repository.head_mark()).unwrap_or_default()
}

/// Waits until no other process syncs. The folder of the state itself is locked.
fn lock(app: &App, state: &FileSyncState) -> AppResult<File> {
    let fail = AppError::cannot("use", &state.directory);
    tacit_fs::secure_folder(&state.directory).map_err(fail)?;
    let lock = tacit_fs::open_folder(&state.directory).map_err(fail)?;
    if tacit_fs::lock(&lock, LockMode::Exclusive, Wait::AtMost(lock_timeout(app))).map_err(fail)? {
        return Ok(lock);
    }
    Err(AppError::new(ErrorCode::Busy, "another process indexes the files of this project"))
}

/// Returns the files that are in the last commit and unchanged since; `None` if git cannot tell.
fn committed(
    app: &App,
    decisions: &[String],
    corpus: &Corpus,
    written: Vec<String>,
) -> Option<BTreeSet<String>> {
    let Some(repository) = &app.repository else { return Some(BTreeSet::new()) };
    let worktree = &repository.worktree;
    let mut paths = written;
    paths.push(RECORDS.to_owned());
    paths.extend(decisions.iter().cloned());
    let named = corpus.documents.iter().filter(|document| document.name.is_none());
    paths.extend(named.map(|document| document.path.clone()));
    tacit_git::committed_below(worktree, &paths).ok()
}

/// A sync in progress.
pub(super) struct FileSync<'a> {
    pub(super) app: &'a App,
    pub(super) engine: Option<Engine<'a>>,
    /// The memories of files by reference; loaded on first use.
    pub(super) known: Option<BTreeMap<String, MemoryId>>,
    /// The memories made or imported from files of rules; loaded on first use.
    pub(super) written: Option<Vec<WrittenMemory>>,
    pub(super) state: SyncedFiles,
    /// The files in the last commit, unchanged; `None` if git could not tell.
    committed: Option<BTreeSet<String>>,
    /// The files that were looked at.
    pub(super) seen: BTreeSet<String>,
    pub(super) all: bool,
    pub(super) report: SyncReport,
}

impl<'a> FileSync<'a> {
    fn sync_record(
        &mut self,
        folder: &RecordsFolder,
        category: RecordCategory,
        slug: &Slug,
    ) -> AppResult<()> {
        let file = record_file(category, slug);
        let Some(stamp) = folder.stamp(category, slug) else { return Ok(()) };
        self.seen.insert(file.clone());
        if !self.all && self.is_followed(&file, |known| known.stamp == stamp) {
            return Ok(());
        }
        let path = format!("{}/{slug}.json", category.folder());
        let read = folder.read_bytes(category, slug).and_then(|bytes| {
            let Some(bytes) = bytes else { return Ok(None) };
            let record = parse(&bytes, &path)?;
            if record.path() != path {
                let why = format!("its content says it is `{}`", record.path());
                return Err(RecordError::Path { path: path.clone(), why });
            }
            Ok(Some((file_hash(&bytes), record)))
        });
        match read {
            Ok(None) => Ok(()),
            Ok(Some((hash, record))) => {
                self.follow(&file, stamp, hash, vec![FileMemory::of_record(&record)])
            }
            Err(error) => {
                // The memory stays until the file can be read again.
                let known = self.state.files.entry(file).or_default();
                (known.stamp, known.hash) = (stamp, String::new());
                self.report.problems.push(UnreadableFile { path, error });
                Ok(())
            }
        }
    }

    /// Syncs the sections of all decision files, and notes the indexes.
    fn sync_decisions(&mut self, corpus: &Corpus) -> AppResult<()> {
        let mut of_file: BTreeMap<String, Vec<FileMemory>> = BTreeMap::new();
        let mut hashes: BTreeMap<String, String> = BTreeMap::new();
        for section in sections(corpus) {
            // The triggers come from another file.
            let hash = hashes.entry(section.path.clone()).or_default();
            hash.push_str(&section.triggers.join("\n"));
            let memories = of_file.entry(section.path.clone()).or_default();
            memories.push(FileMemory::of_section(&section));
        }
        let root = self.app.worktree().to_path_buf();
        let indexes = corpus.indexes.iter().map(|index| (&index.path, &index.bytes));
        let documents = corpus.documents.iter().map(|document| (&document.path, &document.bytes));
        for (path, bytes) in indexes.chain(documents) {
            let Some(stamp) = plain::stamp(&root, path) else { continue };
            let triggers = hashes.remove(path).unwrap_or_default();
            let hash = file_hash(format!("{}\n{triggers}", file_hash(bytes)).as_bytes());
            let memories = of_file.remove(path).unwrap_or_default();
            self.follow(path, stamp, hash, memories)?;
        }
        Ok(())
    }

    /// Takes the memories of deleted files out of use, unless another worktree has the file.
    fn drop_deleted(&mut self, state: &FileSyncState) -> AppResult<()> {
        let files = self.state.files.keys().filter(|path| !self.seen.contains(*path));
        let deleted: Vec<String> = files.cloned().collect();
        for path in deleted {
            let memories = self.state.files.remove(&path).unwrap_or_default().memories;
            if !state.is_elsewhere(&path) {
                for (key, id) in memories {
                    self.forget(&path, &name(&path, &key), id, ForgetMode::Retire, DELETED)?;
                }
            }
        }
        Ok(())
    }

    /// Returns true if the memories follow this version of a file, with the trust that it has now.
    pub(super) fn is_followed(&self, file: &str, is_same: impl Fn(&SyncedFile) -> bool) -> bool {
        self.state.files.get(file).is_some_and(|known| {
            !known.hash.is_empty()
                && is_same(known)
                && self.is_committed(file, &known.hash) == known.committed
        })
    }

    /// Returns true if a file with this hash is in the last commit. If git could not tell, a file
    /// that says the same as before keeps its trust.
    pub(super) fn is_committed(&self, file: &str, hash: &str) -> bool {
        match &self.committed {
            Some(committed) => committed.contains(file),
            None => self
                .state
                .files
                .get(file)
                .is_some_and(|known| known.committed && known.hash == hash),
        }
    }

    /// Creates, changes and drops the memories of a file.
    fn follow(
        &mut self,
        file: &str,
        stamp: FileStamp,
        hash: String,
        wanted: Vec<FileMemory>,
    ) -> AppResult<()> {
        self.seen.insert(file.to_owned());
        if !self.all && self.is_followed(file, |known| known.hash == hash) {
            if let Some(known) = self.state.files.get_mut(file) {
                known.stamp = stamp;
            }
            return Ok(());
        }
        let before = self.state.files.get(file).cloned();
        let compared = Comparison {
            committed: self.is_committed(file, &hash),
            before: before.as_ref().map(|before| before.committed),
            same_text: None,
            same_file: before.as_ref().is_some_and(|before| before.hash == hash),
        };
        let SyncedFile { memories: mut gone, texts: known_texts, .. } = before.unwrap_or_default();
        let (mut memories, mut texts) = (BTreeMap::new(), BTreeMap::new());
        let mut left = Vec::new();
        for one in wanted {
            let text = one.text_hash();
            let same_text =
                known_texts.get(&one.key).map(|known| compared.same_file || *known == text);
            let compared = Comparison { same_text, ..compared };
            let known = match gone.remove(&one.key) {
                Some(id) => Some(id),
                None => self.known()?.get(&one.reference).copied(),
            };
            let id = match one.wanted {
                WantedState::Active(draft) => self.upsert(&one.name, *draft, known, compared)?,
                WantedState::Gone(mode, reason) => {
                    left.extend(known.map(|id| (one.name, id, mode, reason)));
                    known
                }
            };
            // Another memory has the text now.
            if let Some(old) = known.filter(|old| id.is_some_and(|id| id != *old)) {
                gone.insert(one.key.clone(), old);
            }
            texts.insert(one.key.clone(), text);
            memories.extend(id.map(|id| (one.key, id)));
        }
        let committed = compared.committed;
        let synced = SyncedFile { stamp, hash, committed, memories, texts, rules: false };
        let kept: Vec<MemoryId> = synced.memories.values().copied().collect();
        self.state.files.insert(file.to_owned(), synced);
        for (name, id, mode, reason) in left {
            let reason = reason.as_deref().unwrap_or(RETIRED);
            self.forget(file, &name, id, mode, reason)?;
        }
        for (key, id) in gone.into_iter().filter(|(_, id)| !kept.contains(id)) {
            self.forget(file, &name(file, &key), id, ForgetMode::Retire, DELETED)?;
        }
        Ok(())
    }
}

/// Returns the name of a file's memory in reports.
fn name(file: &str, key: &str) -> String {
    match (file.strip_prefix(RECORDS), key) {
        (Some(record), "") => record.trim_start_matches('/').to_owned(),
        _ => format!("{file}#{key}"),
    }
}
