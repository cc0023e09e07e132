//! Records into the database, so that every recall finds them. The files are what counts: what is
//! in the database follows them.
//!
//! What was indexed is noted (`notes.rs`): a file that was not written since is not even read.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tacit_core::{
    Draft, FieldError, Memory, MemoryId, Reasoning, RepoPath, Review, StatusKind, WorkUnitRef,
};
use tacit_engine::{Departure, Engine, EngineError, Needs, Request, Shelf};
use tacit_records::files::{Folder, Unreadable, hash_of, parse};
use tacit_records::{Record, RecordCategory, RecordStatus, Slug, content_text};
use tacit_store::{Filter, ListOrder};

use super::notes::{Noted, NotesFile};
use super::{folder, patience, settings};
use crate::app::App;
use crate::error::AppResult;
use crate::remember::embed_few;

/// The most bytes of a record's text that a memory takes.
const MAX_CONTENT: usize = 8 * 1024;
/// What is said of a memory whose record is gone.
const GONE: &str = "the file of the record is gone";

/// What was done.
#[derive(Debug, Default)]
pub struct Synced {
    /// Records that became memories, or whose memories changed.
    pub indexed: Vec<String>,
    /// Records whose memories left use.
    pub removed: Vec<String>,
    /// Records that are as they were.
    pub unchanged: usize,
    /// Files that are not records.
    pub problems: Vec<Unreadable>,
    /// Whether there is a database at all.
    pub stored: bool,
}

/// What stands in a memory as the place of its record.
pub fn reference(record: &Record) -> String {
    format!(".claude/memory/{}", record.path())
}

/// Brings the database up to what the files say. Everything is read again if `all` is asked for;
/// else only what was written since.
pub fn sync(app: &App, all: bool) -> AppResult<Synced> {
    let folder = folder(app);
    let mut synced =
        Synced { stored: app.places.database(Shelf::Project).exists(), ..Synced::default() };
    if !synced.stored || !folder.root().exists() {
        return Ok(synced);
    }
    let file = NotesFile::of(&app.places.project, app.worktree());
    if !all && file.is_current(&folder)? {
        synced.unchanged = folder.paths()?.len();
        return Ok(synced);
    }
    // Under the lock, so that two processes do not do the same work twice.
    let settings = settings(app.config());
    let writer = folder.writer(&settings, app.now(), patience(app))?;
    writer.write_index()?;
    let notes = file.read();
    let mut work = Work { app, engine: None, known: None, notes, all, synced };
    let paths = folder.paths()?;
    for (category, slug) in &paths {
        work.file(&folder, *category, slug)?;
    }
    let there: Vec<String> =
        paths.iter().map(|(c, s)| format!("{}/{s}.json", c.folder())).collect();
    let gone: Vec<String> =
        work.notes.keys().filter(|path| !there.contains(path)).cloned().collect();
    for path in gone {
        let noted = work.notes.remove(&path);
        if let Some(id) = noted.and_then(|noted| noted.memory)
            && !file.is_elsewhere(&path)
        {
            work.leave(&path, id, &RecordStatus::Active)?;
        }
    }
    let Work { engine, notes, synced, .. } = work;
    file.write(&notes)?;
    let more = engine.is_some_and(|mut engine| embed_few(&mut engine, Shelf::Project));
    if more {
        app.maintain_in_background();
    }
    Ok(synced)
}

/// The same for whoever asks a question: if a file came, changed or went since it was last looked
/// at, the answer should know. What goes wrong is told by the commands about records.
pub fn follow(app: &App) {
    let folder = folder(app);
    let notes = NotesFile::of(&app.places.project, app.worktree());
    let there = folder.root().exists() && app.places.database(Shelf::Project).exists();
    if there && !notes.is_followed(&folder).unwrap_or(true) {
        let _ = sync(app, false);
    }
}

struct Work<'a> {
    app: &'a App,
    engine: Option<Engine<'a>>,
    /// Memories of records by the place of the record, once somebody has asked.
    known: Option<BTreeMap<String, MemoryId>>,
    notes: BTreeMap<String, Noted>,
    all: bool,
    synced: Synced,
}

impl<'a> Work<'a> {
    fn file(&mut self, folder: &Folder, category: RecordCategory, slug: &Slug) -> AppResult<()> {
        let path = format!("{}/{slug}.json", category.folder());
        let Some(mark) = folder.mark(category, slug) else { return Ok(()) };
        let noted = self.notes.get(&path).cloned();
        if !self.all && noted.as_ref().is_some_and(|n| n.mark == mark && !n.hash.is_empty()) {
            self.synced.unchanged += 1;
            return Ok(());
        }
        let read = folder.read_bytes(category, slug);
        let bytes = match read {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(()),
            Err(error) => {
                let memory = noted.and_then(|noted| noted.memory);
                self.notes.insert(path.clone(), Noted::unread(mark, memory));
                self.synced.problems.push(Unreadable { path, error });
                return Ok(());
            }
        };
        let hash = hash_of(&bytes);
        if !self.all && noted.as_ref().is_some_and(|noted| noted.hash == hash) {
            let memory = noted.and_then(|noted| noted.memory);
            self.notes.insert(path, Noted { mark, hash, memory });
            self.synced.unchanged += 1;
            return Ok(());
        }
        let known = noted.and_then(|noted| noted.memory);
        let record = parse(&bytes, &path).and_then(|record| match record.path() == path {
            true => Ok(record),
            false => {
                let why = format!("it says that it is `{}`", record.path());
                Err(tacit_records::RecordError::Path { path: path.clone(), why })
            }
        });
        let noted = match record {
            Ok(record) => Noted { mark, hash, memory: self.record(&record, known)? },
            Err(error) => {
                self.synced.problems.push(Unreadable { path: path.clone(), error });
                // What was indexed before stays until the file can be read again.
                Noted::unread(mark, known)
            }
        };
        self.notes.insert(path, noted);
        Ok(())
    }

    fn record(&mut self, record: &Record, known: Option<MemoryId>) -> AppResult<Option<MemoryId>> {
        let known = match known {
            Some(id) => Some(id),
            None => self.known()?.get(&reference(record)).copied(),
        };
        if record.status.is_active() {
            let problems = self.synced.problems.len();
            let id = self.keep(record, known)?;
            if self.synced.problems.len() == problems {
                self.synced.indexed.push(record.path());
            }
            return Ok(id);
        }
        if let Some(id) = known {
            self.leave(&record.path(), id, &record.status)?;
        }
        Ok(known)
    }

    /// Makes the memory of a record say what the record says.
    fn keep(&mut self, record: &Record, known: Option<MemoryId>) -> AppResult<Option<MemoryId>> {
        let draft = draft(record);
        if let Some(id) = known
            && let Some(id) = self.rewrite(record, id, &draft)?
        {
            return Ok(Some(id));
        }
        let reason = Reasoning::new(format!("indexed from {}", reference(record))).ok();
        let request = Request { draft: draft.clone(), reason };
        match self.engine()?.remember(Shelf::Project, request) {
            Ok(remembered) => Ok(remembered.memory.map(|memory| memory.id)),
            Err(EngineError::Invalid(errors)) => Ok(self.refused(record, errors)),
            // The file is there again, whoever took it away.
            Err(EngineError::Resurrection { id, .. }) => self.rewrite(record, id, &draft),
            Err(error) => Err(error.into()),
        }
    }

    /// What the gate does not take is told, and keeps no other record out.
    fn refused(&mut self, record: &Record, errors: Vec<FieldError>) -> Option<MemoryId> {
        let error = tacit_records::RecordError::Invalid(errors);
        self.synced.problems.push(Unreadable { path: record.path(), error });
        None
    }

    /// Changes a memory that is there; none if it is not.
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
        let said = &memory.said;
        let reworded = said.content.as_str() != draft.content
            || said.title.as_ref().map(tacit_core::Title::as_str) != draft.title.as_deref();
        // Somebody confirmed other words: a pull, or an agent's edit, is confirmed by nobody.
        if reworded && said.trust.review == Review::Verified {
            patch.insert("review".into(), json!(Review::Needed));
        }
        let edited = engine.edit(&id.to_string(), &patch, None);
        let id = match edited {
            Ok((found, _)) => found.memory.id,
            // Another record says the same: both are found by the one memory.
            Err(EngineError::SameAs(other)) => return Ok(Some(other)),
            Err(EngineError::Invalid(errors)) => {
                return Ok(self.refused(record, errors).or(Some(id)));
            }
            Err(error) => return Err(error.into()),
        };
        if memory.status.kind() != StatusKind::Active {
            match engine.restore(&id.to_string()) {
                Ok(_) | Err(EngineError::AlreadySo { .. }) => {}
                Err(EngineError::SameAs(other)) => return Ok(Some(other)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(id))
    }

    /// Takes the memory of a record out of use, unless another record has the same.
    fn leave(&mut self, path: &str, id: MemoryId, status: &RecordStatus) -> AppResult<()> {
        let shared =
            self.notes.iter().any(|(other, noted)| other != path && noted.memory == Some(id));
        if shared {
            return Ok(());
        }
        let (departure, reason) = match status {
            RecordStatus::Active => (Departure::Retire, GONE),
            RecordStatus::Retired(gone) => {
                (Departure::Retire, gone.reason.as_deref().unwrap_or("the record was retired"))
            }
            RecordStatus::Archived(gone) => {
                (Departure::Archive, gone.reason.as_deref().unwrap_or("the record was archived"))
            }
        };
        let reason = Reasoning::new(cut(reason, 1000)).or_else(|_| Reasoning::new(GONE))?;
        match self.engine()?.forget(&id.to_string(), departure, reason) {
            Ok(_) => self.synced.removed.push(path.to_owned()),
            Err(EngineError::AlreadySo { .. } | EngineError::NoSuchMemory { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn engine(&mut self) -> AppResult<&mut Engine<'a>> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            // Files are followed unasked, whoever ran the command.
            None => self.app.engine_with_meaning(Needs::Write(Shelf::Project))?.unasked(),
        };
        Ok(self.engine.insert(engine))
    }

    /// The memories that were made from records, by the place of the record: what notes that were
    /// lost, or of another worktree, would have told.
    fn known(&mut self) -> AppResult<&BTreeMap<String, MemoryId>> {
        if self.known.is_none() {
            let types = RecordCategory::ALL.map(|c| c.category().memory_type().into()).to_vec();
            let filter = Filter { types, ..Filter::everything() };
            let engine = self.engine()?;
            let listed = engine.list(
                Some(Shelf::Project),
                &filter,
                ListOrder::Oldest,
                usize::MAX >> 1,
                0,
            )?;
            let places = listed.into_iter().flat_map(|found| {
                let id = found.memory.id;
                let places: Vec<String> =
                    found.memory.said.references.iter().map(ToString::to_string).collect();
                places.into_iter().map(move |place| (place, id))
            });
            self.known = Some(places.filter(|(p, _)| p.starts_with(".claude/memory/")).collect());
        }
        Ok(self.known.get_or_insert_default())
    }
}

/// The memory of a record, as the write gate takes it.
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
    // Where work stands is about a unit of work: here, the session itself.
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

/// As much of a text as fits into so many bytes.
fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}
