//! Syncs files into the store as memories, so that recall finds them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use serde_json::{Map, json};
use tacit_core::{Draft, FieldError, Memory, MemoryBody, MemoryId, Reasoning, Review, StatusKind};
use tacit_engine::{
    Engine, EngineError, ForgetMode, RememberOutcome, RememberRequest, StoreAccess, StoreScope,
};
use tacit_fs::{LockMode, Wait};
use tacit_records::files::{RecordsFolder, UnreadableFile, file_hash, parse};
use tacit_records::{RecordCategory, RecordError, Slug};
use tacit_store::{Filter, ListOrder};
use tacit_triggers::Corpus;
use tacit_triggers::files::plain::{self, FileStamp};
use tacit_triggers::sections::sections;

use super::sources::{FileMemory, WantedState, cut};
use super::state::{FileSyncState, RECORDS, SyncedFile, SyncedFiles, list, record_file};
use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::records::{folder, lock_timeout, settings};
use crate::triggers::layout;

/// The reason for retiring a memory whose file or section was deleted.
const DELETED: &str = "the file no longer says it";
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
    /// Records and sections whose memories were taken out of use.
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
    let (state, layout) = (state_of(app), layout(app, app.config()));
    let listed = list(&layout)?;
    let head = head_mark(app);
    let known = state.read();
    let is_current = || known.is_complete() && known.head == head && state.matches(&known, &listed);
    if (listed.is_empty() && known.files.is_empty()) || (!all && is_current()) {
        return Ok(report);
    }
    let _lock = lock(app, &state)?;
    let folder = folder(app);
    if folder.root().exists() {
        let settings = settings(app.config());
        folder.writer(&settings, app.now(), lock_timeout(app))?.write_index()?;
    }
    let corpus = plain::load(&layout);
    let committed = committed(app, &layout.decisions, &corpus);
    let mut run = Sync {
        app,
        engine: None,
        known: None,
        // Another process may have synced before this one got the lock.
        state: state.read(),
        committed: committed.unwrap_or_default(),
        seen: BTreeSet::new(),
        all,
        report,
    };
    for (category, slug) in folder.paths()? {
        run.sync_record(&folder, category, &slug)?;
    }
    run.sync_decisions(&corpus)?;
    for (path, stamp) in &listed {
        // Too large, or no longer there.
        if !run.seen.contains(path) {
            run.follow(path, *stamp, SKIPPED.to_owned(), Vec::new())?;
        }
    }
    run.drop_deleted(&state)?;
    run.state.head = head;
    let Sync { engine, state: synced, report, .. } = run;
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
    let layout = layout(app, app.config());
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

/// Returns the files that are in the last commit and unchanged since; none if git cannot tell.
fn committed(app: &App, decisions: &[String], corpus: &Corpus) -> Option<BTreeSet<String>> {
    let worktree = &app.repository.as_ref()?.worktree;
    let mut paths = vec![RECORDS.to_owned()];
    paths.extend(decisions.iter().cloned());
    let named = corpus.documents.iter().filter(|document| document.name.is_none());
    paths.extend(named.map(|document| document.path.clone()));
    tacit_git::committed_below(worktree, &paths).ok()
}

/// A sync in progress.
struct Sync<'a> {
    app: &'a App,
    engine: Option<Engine<'a>>,
    /// The memories of files by reference; loaded on first use.
    known: Option<BTreeMap<String, MemoryId>>,
    state: SyncedFiles,
    committed: BTreeSet<String>,
    /// The files that were looked at.
    seen: BTreeSet<String>,
    all: bool,
    report: SyncReport,
}

impl<'a> Sync<'a> {
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
    fn is_followed(&self, file: &str, is_same: impl Fn(&SyncedFile) -> bool) -> bool {
        self.state.files.get(file).is_some_and(|known| {
            !known.hash.is_empty()
                && is_same(known)
                && known.committed == self.committed.contains(file)
        })
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
        let trust = FileTrust {
            committed: self.committed.contains(file),
            before: before.as_ref().map(|before| before.committed),
        };
        let mut memories = BTreeMap::new();
        let mut gone = before.map(|before| before.memories).unwrap_or_default();
        let mut left = Vec::new();
        for one in wanted {
            let known = match gone.remove(&one.key) {
                Some(id) => Some(id),
                None => self.known()?.get(&one.reference).copied(),
            };
            let id = match one.wanted {
                WantedState::Active(draft) => self.upsert(&one.name, *draft, known, trust)?,
                WantedState::Gone(mode, reason) => {
                    left.extend(known.map(|id| (one.name, id, mode, reason)));
                    known
                }
            };
            memories.extend(id.map(|id| (one.key, id)));
        }
        let synced = SyncedFile { stamp, hash, committed: trust.committed, memories };
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

    /// Creates or updates the memory of a record or a section.
    fn upsert(
        &mut self,
        name: &str,
        mut draft: Draft,
        known: Option<MemoryId>,
        trust: FileTrust,
    ) -> AppResult<Option<MemoryId>> {
        let problems = self.report.problems.len();
        draft.review = trust.committed.then(|| Review::Committed.to_string());
        let updated = match known {
            Some(id) => self.rewrite(name, id, &draft, trust)?,
            None => None,
        };
        let id = match updated {
            Some(id) => Some(id),
            None => self.create(name, &draft, trust)?,
        };
        if self.report.problems.len() == problems {
            let is_section = draft.references.iter().any(|place| place == name);
            let list =
                if is_section { &mut self.report.sections } else { &mut self.report.indexed };
            list.push(name.to_owned());
        }
        Ok(id)
    }

    fn create(
        &mut self,
        name: &str,
        draft: &Draft,
        trust: FileTrust,
    ) -> AppResult<Option<MemoryId>> {
        let place = draft.references.first().map_or(name, String::as_str);
        let reason = Reasoning::new(cut(&format!("indexed from {place}"), 1000)).ok();
        let request = RememberRequest { draft: draft.clone(), reason };
        match self.engine()?.remember(StoreScope::Project, request) {
            Ok(remembered) => {
                let Some(memory) = remembered.memory else { return Ok(None) };
                // The text was known: from elsewhere, or from a section with another heading.
                let is_new = remembered.outcome == RememberOutcome::Stored;
                let is_followed = memory.body.origin.source == tacit_core::Source::File;
                if is_new {
                    return Ok(Some(memory.id));
                }
                if is_followed {
                    return self.rewrite(name, memory.id, draft, trust);
                }
                if let Some(review) = trust.review(&memory.body, false) {
                    let mut patch = Map::new();
                    patch.insert("review".into(), json!(review));
                    self.engine()?.edit(&memory.id.to_string(), &patch, review_reason(review))?;
                }
                Ok(Some(memory.id))
            }
            Err(EngineError::Invalid(errors)) => Ok(self.refused(name, errors)),
            // The file exists again, so its memory may come back.
            Err(EngineError::RecentlyForgotten { id, .. }) => self.rewrite(name, id, draft, trust),
            Err(error) => Err(error.into()),
        }
    }

    /// Reports what the write gate refuses; everything else is synced all the same.
    fn refused(&mut self, name: &str, errors: Vec<FieldError>) -> Option<MemoryId> {
        let error = RecordError::Invalid(errors);
        self.report.problems.push(UnreadableFile { path: name.to_owned(), error });
        None
    }

    /// Updates an existing memory; `None` if it does not exist.
    fn rewrite(
        &mut self,
        name: &str,
        id: MemoryId,
        draft: &Draft,
        trust: FileTrust,
    ) -> AppResult<Option<MemoryId>> {
        let engine = self.engine()?;
        let memory: Memory = match engine.find(&id.to_string()) {
            Ok(found) => found.memory,
            Err(EngineError::NoSuchMemory { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let said = &memory.body;
        let reworded = said.content.as_str() != draft.content
            || said.title.as_ref().map(tacit_core::Title::as_str) != draft.title.as_deref();
        let mut patch = Map::new();
        patch.insert("title".into(), json!(draft.title));
        patch.insert("content".into(), json!(draft.content));
        patch.insert("tags".into(), json!(draft.tags));
        patch.insert("related_files".into(), json!(draft.related_files));
        patch.insert("references".into(), json!(draft.references));
        patch.insert("details".into(), json!(draft.details));
        if let Some(confidence) = draft.confidence {
            patch.insert("confidence".into(), json!(confidence));
        }
        if !draft.cues.is_empty() {
            patch.insert("cues".into(), json!(draft.cues));
        }
        let review = trust.review(said, reworded);
        let reason = review.and_then(review_reason);
        if let Some(review) = review {
            patch.insert("review".into(), json!(review));
        }
        if reworded {
            // Other words may no longer be what was reported as outdated.
            patch.insert("stale_at".into(), json!(null));
            patch.insert("stale_kind".into(), json!(null));
            patch.insert("stale_why".into(), json!(null));
        }
        let edited = engine.edit(&id.to_string(), &patch, reason);
        let id = match edited {
            Ok((found, _)) => found.memory.id,
            // Another file has the same text: both share one memory.
            Err(EngineError::Duplicate(other)) => return Ok(Some(other)),
            Err(EngineError::Invalid(errors)) => {
                return Ok(self.refused(name, errors).or(Some(id)));
            }
            Err(error) => return Err(error.into()),
        };
        if memory.status.kind() != StatusKind::Active {
            match engine.restore(&id.to_string()) {
                Ok(_) | Err(EngineError::AlreadyInState { .. }) => {}
                Err(EngineError::Duplicate(other)) => return Ok(Some(other)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(id))
    }

    /// Takes a memory out of use, unless another file has it.
    fn forget(
        &mut self,
        file: &str,
        name: &str,
        id: MemoryId,
        mode: ForgetMode,
        reason: &str,
    ) -> AppResult<()> {
        let mut others = self.state.files.iter().filter(|(other, _)| *other != file);
        if others.any(|(_, other)| other.memories.values().any(|other| *other == id)) {
            return Ok(());
        }
        let reason = Reasoning::new(cut(reason, 1000)).or_else(|_| Reasoning::new(DELETED))?;
        match self.engine()?.forget(&id.to_string(), mode, reason) {
            Ok(_) => self.report.removed.push(name.to_owned()),
            Err(EngineError::AlreadyInState { .. } | EngineError::NoSuchMemory { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn engine(&mut self) -> AppResult<&mut Engine<'a>> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            // Syncing is not what the user asked for, so the history credits it to Tacit.
            None => {
                self.app.engine_with_embedder(StoreAccess::Write(StoreScope::Project))?.as_tacit()
            }
        };
        Ok(self.engine.insert(engine))
    }

    /// Returns the memories made from files, by reference, in case the sync state is lost or
    /// another worktree created them.
    fn known(&mut self) -> AppResult<&BTreeMap<String, MemoryId>> {
        if self.known.is_none() {
            let types = RecordCategory::ALL.map(|c| c.category().memory_type().into()).to_vec();
            let filter = Filter { types, ..Filter::everything() };
            let engine = self.engine()?;
            let listed = engine.list(
                Some(StoreScope::Project),
                &filter,
                ListOrder::Oldest,
                usize::MAX >> 1,
                0,
            )?;
            let places = listed.into_iter().flat_map(|found| {
                let id = found.memory.id;
                let places: Vec<String> =
                    found.memory.body.references.iter().map(ToString::to_string).collect();
                places.into_iter().map(move |place| (place, id))
            });
            self.known = Some(places.collect());
        }
        Ok(self.known.get_or_insert_default())
    }
}

/// The trust in a file, now and at the last sync.
#[derive(Debug, Clone, Copy)]
struct FileTrust {
    /// True if it is in the last commit, unchanged.
    committed: bool,
    /// The same at the last sync; `None` if that is not known.
    before: Option<bool>,
}

impl FileTrust {
    /// Returns the review state that a memory gets from its file; `None` if it keeps its own.
    fn review(self, said: &MemoryBody, reworded: bool) -> Option<Review> {
        match (said.trust.review, self.committed) {
            // A person verified these words.
            (Review::Verified, _) if !reworded => None,
            // Flagged by a person, and not committed since.
            (Review::Needed, true) if !reworded && self.before != Some(false) => None,
            (_, true) => Some(Review::Committed),
            // A pull or an agent's edit has not been verified.
            (Review::Verified, false) => Some(Review::Needed),
            (Review::Committed, false) => Some(Review::None),
            (Review::None | Review::Needed, false) => None,
        }
    }
}

/// Returns the reason for the history why a memory gets a review state from its file.
fn review_reason(review: Review) -> Option<Reasoning> {
    let reason = match review {
        Review::Committed => "the team committed it",
        _ => "its file is not what was committed or verified",
    };
    Reasoning::new(reason).ok()
}

/// Returns the name of a file's memory in reports.
fn name(file: &str, key: &str) -> String {
    match (file.strip_prefix(RECORDS), key) {
        (Some(record), "") => record.trim_start_matches('/').to_owned(),
        _ => format!("{file}#{key}"),
    }
}
