//! Reading the rows about sessions. Unreadable rows are skipped.

use tacit_core::log::{EventPaths, LogKind, NoteRecord, StoredRow};
use tacit_core::{Problem, RepoPath, SessionId, Timestamp, Usefulness};
use tacit_store::{
    Event, EventQuery, Injection, InjectionQuery, JudgedFate, MemoryUses, Note, Session,
    StoreResult,
};
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::Connection;
use crate::text::number;
use crate::text::to_stored;

/// The columns that [`session_row`] reads.
pub(crate) const SESSION: &str =
    "t.id, t.client, t.started_at, t.last_at, t.ended, t.context, t.asked, t.held_out";

/// Reads a session from the first columns.
pub(crate) fn session_row(row: &Columns<'_>) -> StoreResult<Session> {
    Ok(Session {
        id: row.parsed(0)?,
        client: row.text(1)?,
        started_at: row.moment(2)?,
        last_at: row.moment(3)?,
        ended: row.optional_text(4)?,
        context: row.count(5)?,
        asked: row.get(6)?,
        held_out: row.get(7)?,
    })
}

/// The condition of an [`EventQuery`].
const EVENTS: &str = "t.project = $1 AND t.owner = session_user
    AND ($2::text IS NULL OR t.session = $2) AND ($3::text IS NULL OR t.subject = $3)
    AND (cardinality($4::text[]) = 0 OR t.kind = ANY ($4))
    AND ($5::text IS NULL OR t.seq < (SELECT b.seq FROM tacit.agent_events b
        WHERE b.project = $1 AND b.owner = session_user AND b.id = $5))";

/// The columns that [`event_row`] reads.
pub(crate) const EVENT: &str = "t.id, t.session, t.at, t.kind, t.tool, t.subject, t.body, t.packed,
    t.paths IS NOT NULL, p.cwd, p.transcript";

/// Joins the paths of the events `t`. Compares the session too, as other stores do.
pub(crate) const PATHS: &str = "LEFT JOIN tacit.agent_event_paths p ON p.project = t.project
    AND p.owner = t.owner AND p.id = t.paths AND p.session = t.session";

/// The columns that [`injection_row`] reads.
pub(crate) const INJECTION: &str = "t.session, t.context, t.at, t.layer, t.event, t.memory, t.text,
    t.tokens, t.why, t.agent, t.withheld, t.fate, t.fate_why";

/// The columns that [`note_row`] reads.
pub(crate) const NOTE: &str = "t.id, t.session, t.at, t.kind, t.text, t.files, t.body";

/// Returns events, newest first.
pub(super) fn events(
    connection: &Connection,
    project: i64,
    query: &EventQuery,
) -> StoreResult<Vec<Event>> {
    let (session, subject, kinds, before) = event_parameters(query);
    let sql = format!(
        "SELECT {EVENT} FROM tacit.agent_events t {PATHS} WHERE {EVENTS} ORDER BY t.seq DESC LIMIT $6"
    );
    connection.read_readable(
        &sql,
        &[
            (&project, Type::INT8),
            (&session, Type::TEXT),
            (&subject, Type::TEXT),
            (&kinds, Type::TEXT_ARRAY),
            (&before, Type::TEXT),
            (&number(query.limit), Type::INT8),
        ],
        event_row,
    )
}

/// Returns the number of events that match.
pub(super) fn count_events(
    connection: &Connection,
    project: i64,
    query: &EventQuery,
) -> StoreResult<usize> {
    let (session, subject, kinds, before) = event_parameters(query);
    let sql = format!("SELECT count(*) FROM tacit.agent_events t WHERE {EVENTS}");
    let found = connection.read(
        &sql,
        &[
            (&project, Type::INT8),
            (&session, Type::TEXT),
            (&subject, Type::TEXT),
            (&kinds, Type::TEXT_ARRAY),
            (&before, Type::TEXT),
        ],
        |row| row.count(0),
    )?;
    Ok(found.into_iter().next().unwrap_or_default())
}

/// The session, the subject, the kinds, and the event before which others are meant.
type EventParameters<'q> = (Option<&'q str>, Option<String>, Vec<&'static str>, Option<String>);

fn event_parameters(query: &EventQuery) -> EventParameters<'_> {
    let stored = |text: &Option<String>| text.as_deref().map(|text| to_stored(text).into_owned());
    let kinds = query.kinds.iter().copied().map(LogKind::as_str).collect();
    let session = query.session.as_ref().map(SessionId::as_str);
    (session, stored(&query.subject), kinds, stored(&query.before))
}

/// Reads an event from the columns [`EVENT`].
pub(crate) fn event_row(row: &Columns<'_>) -> StoreResult<Event> {
    let session = row.parsed(1)?;
    let paths = EventPaths { cwd: row.optional_text(9)?, transcript: row.optional_text(10)? };
    let stored = StoredRow {
        kind: row.get(3)?,
        tool: row.optional_text(4)?,
        subject: row.optional_text(5)?,
        body: row.text(6)?,
        packed: row.get(7)?,
        paths: row.get::<bool>(8)?.then_some(paths),
    };
    let record = stored.decode(&session).map_err(|problem| row.damaged(problem))?;
    Ok(Event { id: row.text(0)?, session, at: row.moment(2)?, record })
}

/// Returns injections, newest first.
pub(super) fn injections(
    connection: &Connection,
    project: i64,
    query: &InjectionQuery,
) -> StoreResult<Vec<Injection>> {
    let sql = format!(
        "SELECT {INJECTION} FROM tacit.agent_injections t
         WHERE t.project = $1 AND t.owner = session_user
         AND ($2::text IS NULL OR t.session = $2) AND ($3::bigint IS NULL OR t.context >= $3)
         AND (cardinality($4::text[]) = 0 OR t.event = ANY ($4))
         AND ($5::bytea IS NULL OR t.memory = $5) AND ($6::bigint IS NULL OR t.at >= $6)
         ORDER BY t.seq DESC LIMIT $7"
    );
    let events: Vec<_> = query.events.iter().map(|event| to_stored(event)).collect();
    connection.read_readable(
        &sql,
        &[
            (&project, Type::INT8),
            (&query.session.as_ref().map(SessionId::as_str), Type::TEXT),
            (&query.context.map(i64::from), Type::INT8),
            (&events, Type::TEXT_ARRAY),
            (&query.memory.as_ref().map(|id| id.as_bytes().as_slice()), Type::BYTEA),
            (&query.since.map(Timestamp::as_millis), Type::INT8),
            (&number(query.limit), Type::INT8),
        ],
        injection_row,
    )
}

/// Reads an injection from the columns [`INJECTION`].
pub(crate) fn injection_row(row: &Columns<'_>) -> StoreResult<Injection> {
    Ok(Injection {
        session: row.parsed(0)?,
        context: row.count(1)?,
        at: row.moment(2)?,
        layer: row.text(3)?,
        event: row.text(4)?,
        memory: row.optional_memory(5)?,
        text: row.text(6)?,
        tokens: row.count(7)?,
        why: row.text(8)?,
        agent: row.optional_text(9)?,
        withheld: row.get(10)?,
        fate: judged_fate(row)?,
    })
}

/// Reads the last two columns of an injection.
fn judged_fate(row: &Columns<'_>) -> StoreResult<Option<JudgedFate>> {
    let Some(word) = row.get::<Option<&str>>(11)? else { return Ok(None) };
    let fate = word.parse().map_err(|problem: Problem| row.damaged(problem))?;
    Ok(Some(JudgedFate { fate, why: row.optional_text(12)?.unwrap_or_default() }))
}

/// Returns the notes of a session, newest first.
pub(super) fn notes(
    connection: &Connection,
    project: i64,
    session: &SessionId,
    files: &[RepoPath],
    limit: usize,
) -> StoreResult<Vec<Note>> {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let sql = format!(
        "SELECT {NOTE} FROM tacit.agent_notes t
         WHERE t.project = $1 AND t.owner = session_user AND t.session = $2
         AND (cardinality($3::text[]) = 0
              OR CASE WHEN t.files IS JSON ARRAY THEN EXISTS
                  (SELECT 1 FROM json_array_elements_text(t.files::json) f (file)
                   WHERE f.file = ANY ($3)) END)
         ORDER BY t.seq DESC LIMIT $4"
    );
    connection.read_readable(
        &sql,
        &[
            (&project, Type::INT8),
            (&session.as_str(), Type::TEXT),
            (&names, Type::TEXT_ARRAY),
            (&number(limit), Type::INT8),
        ],
        note_row,
    )
}

/// Reads a note from the columns [`NOTE`].
pub(crate) fn note_row(row: &Columns<'_>) -> StoreResult<Note> {
    let files: Vec<String> =
        serde_json::from_str(row.get(5)?).map_err(|error| row.damaged(error))?;
    let file = |file| RepoPath::new(file).map_err(|problem| row.damaged(problem));
    Ok(Note {
        id: row.text(0)?,
        session: row.parsed(1)?,
        at: row.moment(2)?,
        text: row.text(4)?,
        files: files.into_iter().map(file).collect::<StoreResult<_>>()?,
        record: NoteRecord::decode(row.get(3)?, &row.text(6)?)
            .map_err(|problem| row.damaged(problem))?,
    })
}

/// The columns that [`uses_row`] reads.
pub(crate) const USES: &str = "t.memory, t.judged, t.sessions, t.used, t.helped, t.contradicted,
    t.flagged, t.direct_judged, t.direct_sessions";

/// The sums of the columns [`USES`] over the members of a project.
pub(super) const SUMS: &str = "t.memory, least(sum(t.judged), 4294967295)::bigint,
    least(sum(t.sessions), 4294967295)::bigint, least(sum(t.used), 4294967295)::bigint,
    least(sum(t.helped), 4294967295)::bigint, least(sum(t.contradicted), 4294967295)::bigint,
    least(sum(t.flagged), 4294967295)::bigint, least(sum(t.direct_judged), 4294967295)::bigint,
    least(sum(t.direct_sessions), 4294967295)::bigint";

/// Reads the counts of a memory from the columns [`USES`].
pub(crate) fn uses_row(row: &Columns<'_>) -> StoreResult<MemoryUses> {
    let counts = Usefulness {
        judged: row.count(1)?,
        sessions: row.count(2)?,
        used: row.count(3)?,
        helped: row.count(4)?,
        contradicted: row.count(5)?,
        flagged: row.count(6)?,
        direct_judged: row.count(7)?,
        direct_sessions: row.count(8)?,
    };
    Ok(MemoryUses { memory: row.memory(0)?, counts })
}
