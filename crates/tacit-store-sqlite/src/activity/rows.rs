//! Rows about sessions.

use std::path::Path;

use rusqlite::Row;
use tacit_core::log::{EventPaths, NoteRecord, StoredRow};
use tacit_core::{MemoryId, Problem, RepoPath, Timestamp, Usefulness};
use tacit_store::{Event, Injection, JudgedFate, MemoryUses, Note, Session, StoreResult};

use crate::error::{damaged, explain};

/// The columns that [`session_row`] reads.
pub(crate) const SESSION: &str =
    "s.id, s.client, s.started_at, s.last_at, s.ended, s.context, s.asked, s.held_out";

pub(crate) fn session_row(row: &Row<'_>, path: &Path) -> StoreResult<Session> {
    Ok(Session {
        id: text(path, row, 0)?,
        client: get(path, row, 1)?,
        started_at: moment(path, row, 2)?,
        last_at: moment(path, row, 3)?,
        ended: get(path, row, 4)?,
        context: get(path, row, 5)?,
        asked: get(path, row, 6)?,
        held_out: get(path, row, 7)?,
    })
}

/// Returns the columns that [`event_row`] reads.
pub(crate) fn event_columns() -> String {
    format!(
        "id, session, at, kind, tool, subject, body, packed, paths IS NOT NULL, {}, {}",
        path_column("cwd"),
        path_column("transcript")
    )
}

/// Returns the expression that reads a path of an event. Compares the session too, because a number
/// may be given again after damage.
fn path_column(name: &str) -> String {
    format!(
        "(SELECT p.{name} FROM agent_event_paths p
          WHERE p.id = agent_events.paths AND p.session = agent_events.session)"
    )
}

pub(crate) fn event_row(row: &Row<'_>, path: &Path) -> StoreResult<Event> {
    let optional = |at| get::<Option<String>>(path, row, at);
    let session = text(path, row, 1)?;
    let paths = EventPaths { cwd: optional(9)?, transcript: optional(10)? };
    let stored = StoredRow {
        kind: get(path, row, 3)?,
        tool: optional(4)?,
        subject: optional(5)?,
        body: get(path, row, 6)?,
        packed: get(path, row, 7)?,
        paths: get::<bool>(path, row, 8)?.then_some(paths),
    };
    let record = stored.decode(&session).map_err(|problem| damaged(path, problem.to_string()))?;
    Ok(Event { id: get(path, row, 0)?, session, at: moment(path, row, 2)?, record })
}

/// The columns that [`injection_row`] reads.
pub(crate) const INJECTION: &str = "session, context, at, layer, event, memory, text, tokens, why,
    agent, withheld, fate, fate_why";

pub(crate) fn injection_row(row: &Row<'_>, path: &Path) -> StoreResult<Injection> {
    let memory: Option<[u8; 16]> = get(path, row, 5)?;
    let memory = memory.map(|bytes| {
        MemoryId::from_bytes(bytes).ok_or_else(|| damaged(path, "an injection names no memory"))
    });
    Ok(Injection {
        session: text(path, row, 0)?,
        context: get(path, row, 1)?,
        at: moment(path, row, 2)?,
        layer: get(path, row, 3)?,
        event: get(path, row, 4)?,
        memory: memory.transpose()?,
        text: get(path, row, 6)?,
        tokens: get(path, row, 7)?,
        why: get(path, row, 8)?,
        agent: get(path, row, 9)?,
        withheld: get(path, row, 10)?,
        fate: judged_fate(path, row)?,
    })
}

/// Reads the last two columns of an injection.
fn judged_fate(path: &Path, row: &Row<'_>) -> StoreResult<Option<JudgedFate>> {
    let Some(word) = get::<Option<String>>(path, row, 11)? else { return Ok(None) };
    let fate = word.parse().map_err(|problem: Problem| damaged(path, problem.to_string()))?;
    let why = get::<Option<String>>(path, row, 12)?.unwrap_or_default();
    Ok(Some(JudgedFate { fate, why }))
}

/// The columns that [`note_row`] reads.
pub(crate) const NOTE: &str = "id, session, at, kind, text, files, body";

pub(crate) fn note_row(row: &Row<'_>, path: &Path) -> StoreResult<Note> {
    let files: String = get(path, row, 5)?;
    let (kind, body): (String, String) = (get(path, row, 3)?, get(path, row, 6)?);
    Ok(Note {
        id: get(path, row, 0)?,
        session: text(path, row, 1)?,
        at: moment(path, row, 2)?,
        text: get(path, row, 4)?,
        files: serde_json::from_str::<Vec<String>>(&files)
            .map_err(|error| damaged(path, error.to_string()))?
            .into_iter()
            .map(|file| file_path(path, file))
            .collect::<StoreResult<_>>()?,
        record: NoteRecord::decode(&kind, &body)
            .map_err(|problem| damaged(path, problem.to_string()))?,
    })
}

/// The columns that [`uses_row`] reads.
pub(crate) const USES: &str = "memory, judged, sessions, used, helped, contradicted, flagged,
    direct_judged, direct_sessions";

pub(crate) fn uses_row(row: &Row<'_>, path: &Path) -> StoreResult<MemoryUses> {
    let memory = MemoryId::from_bytes(get(path, row, 0)?)
        .ok_or_else(|| damaged(path, "a count of uses names no memory"))?;
    let counts = Usefulness {
        judged: get(path, row, 1)?,
        sessions: get(path, row, 2)?,
        used: get(path, row, 3)?,
        helped: get(path, row, 4)?,
        contradicted: get(path, row, 5)?,
        flagged: get(path, row, 6)?,
        direct_judged: get(path, row, 7)?,
        direct_sessions: get(path, row, 8)?,
    };
    Ok(MemoryUses { memory, counts })
}

pub(crate) fn get<T: rusqlite::types::FromSql>(
    path: &Path,
    row: &Row<'_>,
    at: usize,
) -> StoreResult<T> {
    row.get(at).map_err(|error| explain(path, &error))
}

pub(crate) fn text<T: std::str::FromStr<Err = Problem>>(
    path: &Path,
    row: &Row<'_>,
    at: usize,
) -> StoreResult<T> {
    let text: String = get(path, row, at)?;
    text.parse().map_err(|problem: Problem| damaged(path, problem.to_string()))
}

pub(crate) fn moment(path: &Path, row: &Row<'_>, at: usize) -> StoreResult<Timestamp> {
    Timestamp::from_millis(get(path, row, at)?)
        .ok_or_else(|| damaged(path, "a moment is out of range"))
}

pub(crate) fn optional_moment(
    path: &Path,
    row: &Row<'_>,
    at: usize,
) -> StoreResult<Option<Timestamp>> {
    let millis: Option<i64> = get(path, row, at)?;
    millis.map(|_| moment(path, row, at)).transpose()
}

pub(crate) fn file_path(path: &Path, file: String) -> StoreResult<RepoPath> {
    RepoPath::new(file).map_err(|problem| damaged(path, problem.to_string()))
}
