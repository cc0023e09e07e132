//! Syncs record files into the store as memories, so that recall finds them. The files are
//! authoritative: memories follow them.
//!
//! `sync_state.rs` keeps what was synced, so that unchanged files are not read.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tacit_core::{
    Draft, FieldError, Memory, MemoryId, Reasoning, RepoPath, Review, StatusKind, WorkUnitRef,
};
use tacit_engine::{Engine, EngineError, ForgetMode, RememberRequest, StoreAccess, StoreScope};
use tacit_records::files::{RecordsFolder, UnreadableFile, file_hash, parse};
use tacit_records::{Record, RecordCategory, RecordStatus, Slug, content_text};
use tacit_store::{Filter, ListOrder};

use super::sync_state::{RecordSyncState, SyncedFile};
use super::{folder, lock_timeout, settings};
use crate::app::App;
use crate::error::AppResult;
use crate::remember::embed_recent;

/// The most bytes of a record's text that a memory holds.
const MAX_CONTENT: usize = 8 * 1024;
/// The reason for retiring a memory whose record file was deleted.
const DELETED: &str = "the record file was deleted";

/// The result of a sync.
#[derive(Debug, Default)]
pub struct SyncReport {
    /// Records whose memories were created or changed.
    pub indexed: Vec<String>,
    /// Records whose memories were retired or archived.
    pub removed: Vec<String>,
    /// The number of unchanged records.
    pub unchanged: usize,
    /// Files that are not valid records.
    pub problems: Vec<UnreadableFile>,
    /// False if the project has no store to sync into.
    pub stored: bool,
}

/// Returns the reference by which a memory names its record.
pub fn reference(record: &Record) -> String {
    format!(".claude/memory/{}", record.path())
}

/// Syncs the memories with the record files. Reads all files if `all` is set, else only those that
/// changed.
pub fn sync(app: &App, all: bool) -> AppResult<SyncReport> {
    let folder = folder(app);
    let mut report = SyncReport {
        stored: app.places.database(StoreScope::Project).exists(),
        ..SyncReport::default()
    };
    if !report.stored || !folder.root().exists() {
        return Ok(report);
    }
    let state = RecordSyncState::of(&app.places.project, app.worktree());
    if !all && state.is_current(&folder)? {
        report.unchanged = folder.paths()?.len();
        return Ok(report);
    }
    // The writer holds the lock, so that two processes do not sync at once.
    let settings = settings(app.config());
    let writer = folder.writer(&settings, app.now(), lock_timeout(app))?;
    writer.write_index()?;
    let state_files = state.read();
    let mut run = Sync { app, engine: None, known: None, state_files, all, report };
    let paths = folder.paths()?;
    for (category, slug) in &paths {
        run.sync_file(&folder, *category, slug)?;
    }
    let existing: Vec<String> =
        paths.iter().map(|(c, s)| format!("{}/{s}.json", c.folder())).collect();
    let deleted: Vec<String> =
        run.state_files.keys().filter(|path| !existing.contains(path)).cloned().collect();
    for path in deleted {
        let known_file = run.state_files.remove(&path);
        if let Some(id) = known_file.and_then(|known_file| known_file.memory)
            && !state.is_elsewhere(&path)
        {
            run.retire_memory(&path, id, &RecordStatus::Active)?;
        }
    }
    let Sync { engine, state_files, report, .. } = run;
    state.write(&state_files)?;
    let more = engine.is_some_and(|mut engine| embed_recent(&mut engine, StoreScope::Project));
    if more {
        app.maintain_in_background();
    }
    Ok(report)
}

/// Syncs if a record file was added, changed or deleted, so that a query sees it. Problems are
/// ignored here; the `tacit records` commands report them.
pub fn sync_if_changed(app: &App) {
    let folder = folder(app);
    let state = RecordSyncState::of(&app.places.project, app.worktree());
    let is_synced = folder.root().exists() && app.places.database(StoreScope::Project).exists();
    if is_synced && !state.is_unchanged(&folder).unwrap_or(true) {
        let _ = sync(app, false);
    }
}

/// A sync in progress.
struct Sync<'a> {
    app: &'a App,
    engine: Option<Engine<'a>>,
    /// The memories of records by the record's reference; loaded on first use.
    known: Option<BTreeMap<String, MemoryId>>,
    state_files: BTreeMap<String, SyncedFile>,
    all: bool,
    report: SyncReport,
}

impl<'a> Sync<'a> {
    fn sync_file(
        &mut self,
        folder: &RecordsFolder,
        category: RecordCategory,
        slug: &Slug,
    ) -> AppResult<()> {
        let path = format!("{}/{slug}.json", category.folder());
        let Some(stamp) = folder.stamp(category, slug) else { return Ok(()) };
        let known_file = self.state_files.get(&path).cloned();
        if !self.all && known_file.as_ref().is_some_and(|n| n.stamp == stamp && !n.hash.is_empty())
        {
            self.report.unchanged += 1;
            return Ok(());
        }
        let read = folder.read_bytes(category, slug);
        let bytes = match read {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(()),
            Err(error) => {
                let memory = known_file.and_then(|known_file| known_file.memory);
                self.state_files.insert(path.clone(), SyncedFile::unread(stamp, memory));
                self.report.problems.push(UnreadableFile { path, error });
                return Ok(());
            }
        };
        let hash = file_hash(&bytes);
        if !self.all && known_file.as_ref().is_some_and(|known_file| known_file.hash == hash) {
            let memory = known_file.and_then(|known_file| known_file.memory);
            self.state_files.insert(path, SyncedFile { stamp, hash, memory });
            self.report.unchanged += 1;
            return Ok(());
        }
        let known = known_file.and_then(|known_file| known_file.memory);
        let record = parse(&bytes, &path).and_then(|record| match record.path() == path {
            true => Ok(record),
            false => {
                let why = format!("its content says it is `{}`", record.path());
                Err(tacit_records::RecordError::Path { path: path.clone(), why })
            }
        });
        let known_file = match record {
            Ok(record) => SyncedFile { stamp, hash, memory: self.sync_record(&record, known)? },
            Err(error) => {
                self.report.problems.push(UnreadableFile { path: path.clone(), error });
                // The memory stays until the file can be read again.
                SyncedFile::unread(stamp, known)
            }
        };
        self.state_files.insert(path, known_file);
        Ok(())
    }

    fn sync_record(
        &mut self,
        record: &Record,
        known: Option<MemoryId>,
    ) -> AppResult<Option<MemoryId>> {
        let known = match known {
            Some(id) => Some(id),
            None => self.known()?.get(&reference(record)).copied(),
        };
        if record.status.is_active() {
            let problems = self.report.problems.len();
            let id = self.upsert(record, known)?;
            if self.report.problems.len() == problems {
                self.report.indexed.push(record.path());
            }
            return Ok(id);
        }
        if let Some(id) = known {
            self.retire_memory(&record.path(), id, &record.status)?;
        }
        Ok(known)
    }

    /// Creates or updates the memory of an active record.
    fn upsert(&mut self, record: &Record, known: Option<MemoryId>) -> AppResult<Option<MemoryId>> {
        let draft = draft(record);
        if let Some(id) = known
            && let Some(id) = self.rewrite(record, id, &draft)?
        {
            return Ok(Some(id));
        }
        let reason = Reasoning::new(format!("indexed from {}", reference(record))).ok();
        let request = RememberRequest { draft: draft.clone(), reason };
        match self.engine()?.remember(StoreScope::Project, request) {
            Ok(remembered) => Ok(remembered.memory.map(|memory| memory.id)),
            Err(EngineError::Invalid(errors)) => Ok(self.refused(record, errors)),
            // The record file exists again, so its memory may come back.
            Err(EngineError::RecentlyForgotten { id, .. }) => self.rewrite(record, id, &draft),
            Err(error) => Err(error.into()),
        }
    }

    /// Reports a record that the write gate refuses; the other records are synced all the same.
    fn refused(&mut self, record: &Record, errors: Vec<FieldError>) -> Option<MemoryId> {
        let error = tacit_records::RecordError::Invalid(errors);
        self.report.problems.push(UnreadableFile { path: record.path(), error });
        None
    }

    /// Updates an existing memory; `None` if it does not exist.
    fn rewrite(
        &mut self,
        record: &Record,
        id: MemoryId,
        draft: &Draft,
    ) -> AppResult<Option<MemoryId>> {
        let engine = self.engine()?;
        let memory: Memory = match engine.find(&id.to_string()) {
            Ok(found) => found.memory,
            Err(EngineError::NoSuchMemory { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut patch = Map::new();
        patch.insert("title".into(), json!(draft.title));
        patch.insert("content".into(), json!(draft.content));
        patch.insert("tags".into(), json!(draft.tags));
        patch.insert("related_files".into(), json!(draft.related_files));
        patch.insert("references".into(), json!(draft.references));
        patch.insert("confidence".into(), json!(draft.confidence));
        patch.insert("details".into(), json!(draft.details));
        let said = &memory.body;
        let reworded = said.content.as_str() != draft.content
            || said.title.as_ref().map(tacit_core::Title::as_str) != draft.title.as_deref();
        // The user verified other words. A pull or an agent's edit has not been verified.
        if reworded && said.trust.review == Review::Verified {
            patch.insert("review".into(), json!(Review::Needed));
        }
        let edited = engine.edit(&id.to_string(), &patch, None);
        let id = match edited {
            Ok((found, _)) => found.memory.id,
            // Another record has the same text: both share one memory.
            Err(EngineError::Duplicate(other)) => return Ok(Some(other)),
            Err(EngineError::Invalid(errors)) => {
                return Ok(self.refused(record, errors).or(Some(id)));
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

    /// Retires or archives the memory of a record, unless another record shares it.
    fn retire_memory(&mut self, path: &str, id: MemoryId, status: &RecordStatus) -> AppResult<()> {
        let shared = self
            .state_files
            .iter()
            .any(|(other, known_file)| other != path && known_file.memory == Some(id));
        if shared {
            return Ok(());
        }
        let (departure, reason) = match status {
            RecordStatus::Active => (ForgetMode::Retire, DELETED),
            RecordStatus::Retired(deleted) => {
                (ForgetMode::Retire, deleted.reason.as_deref().unwrap_or("the record was retired"))
            }
            RecordStatus::Archived(deleted) => (
                ForgetMode::Archive,
                deleted.reason.as_deref().unwrap_or("the record was archived"),
            ),
        };
        let reason = Reasoning::new(cut(reason, 1000)).or_else(|_| Reasoning::new(DELETED))?;
        match self.engine()?.forget(&id.to_string(), departure, reason) {
            Ok(_) => self.report.removed.push(path.to_owned()),
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

    /// Returns the memories made from records, by reference, in case the sync state is lost or
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
            self.known = Some(places.filter(|(p, _)| p.starts_with(".claude/memory/")).collect());
        }
        Ok(self.known.get_or_insert_default())
    }
}

/// Converts a record to a memory draft for the write gate.
fn draft(record: &Record) -> Draft {
    let tags = record
        .tags
        .iter()
        .map(|tag| tag.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase());
    let files = record.related_files.iter().filter(|file| RepoPath::new(file.as_str()).is_ok());
    let details = (record.category == RecordCategory::SessionSummary).then(|| {
        let whole = Value::Object(record.content.clone());
        if whole.to_string().len() <= tacit_core::Details::MAX_BYTES {
            return whole;
        }
        json!({"outcome": record.content.get("outcome")})
    });
    // A work state needs a unit of work: here, the session itself.
    let work_unit = details.as_ref().and_then(|_| {
        let hierarchy = vec![record.id.to_string()];
        WorkUnitRef::new("native", hierarchy, record.title.clone()).ok()
    });
    let mut content = content_text(record);
    if content.trim().is_empty() {
        content.clone_from(&record.title);
    }
    Draft {
        content: cut(&content, MAX_CONTENT).to_owned(),
        category: Some(record.category.as_str().to_owned()),
        details,
        work_unit,
        title: Some(record.title.clone()),
        confidence: record.confidence.map(tacit_core::Confidence::value),
        tags: tags.collect(),
        related_files: files.cloned().collect(),
        references: vec![reference(record)],
        source: Some("agent_explicit".to_owned()),
        ..Draft::default()
    }
}

/// Cuts a text to at most `max` bytes.
fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}
