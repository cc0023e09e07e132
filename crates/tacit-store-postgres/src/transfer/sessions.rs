//! Sessions of agents, their events, injections and notes, and the counted uses.

use serde_json::{Value, json};
use tacit_core::log::StoredRow;
use tacit_store::{
    Event, InjectionRow, MemoryUses, Note, SessionRow, StoreResult, TransferPage, TransferRow,
    TransferTable,
};

use super::Pages;
use super::put::{optional, stored};
use crate::activity::{
    EVENT, INJECTION, NOTE, SESSION, USES, event_row, injection_row, note_row, session_row,
    uses_row,
};
use crate::connection::Connection;
use crate::error::unwritable;
use crate::text::hexadecimal;
use crate::transfer::Unreadable;

pub(super) fn sessions(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = format!("{SESSION}, t.judged_upto");
    pages.page(TransferTable::Sessions, &columns, |row| {
        let session = session_row(row)?;
        Ok(TransferRow::Session(SessionRow { session, judged_upto: row.optional_moment(8)? }))
    })
}

pub(super) const PUT_SESSIONS: &str = "
INSERT INTO tacit.agent_sessions (project, id, client, started_at, last_at, ended, context, asked,
                                  held_out, judged_upto)
SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r (id text, client text,
    started_at bigint, last_at bigint, ended text, context bigint, asked boolean, held_out boolean,
    judged_upto bigint)
ON CONFLICT (project, owner, id) DO UPDATE SET client = excluded.client,
    started_at = excluded.started_at, last_at = excluded.last_at, ended = excluded.ended,
    context = excluded.context, asked = excluded.asked, held_out = excluded.held_out,
    judged_upto = excluded.judged_upto";

pub(super) fn session(row: &SessionRow) -> Value {
    let session = &row.session;
    json!({
        "id": session.id, "client": stored(&session.client),
        "started_at": session.started_at.as_millis(), "last_at": session.last_at.as_millis(),
        "ended": optional(session.ended.as_deref()), "context": session.context,
        "asked": session.asked, "held_out": session.held_out,
        "judged_upto": row.judged_upto.map(|at| at.as_millis()),
    })
}

pub(super) fn events(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    pages.page(TransferTable::Events, EVENT, |row| event_row(row).map(TransferRow::Event))
}

pub(super) const PUT_EVENTS: &str = "
WITH given AS (
    SELECT * FROM json_to_recordset($2::text::json) AS r (place bigint, id text, session text,
        at bigint, kind text, tool text, subject text, body text, packed text, split boolean,
        cwd text, transcript text)),
new_paths AS (
    INSERT INTO tacit.agent_event_paths AS known (project, session, cwd, transcript)
    SELECT DISTINCT $1::bigint, session, cwd, transcript FROM given
    WHERE split ORDER BY session, cwd, transcript
    ON CONFLICT (project, owner, session, hashtextextended(cwd, 0),
                 hashtextextended(transcript, 0)) DO UPDATE SET session = known.session
    RETURNING id, session, cwd, transcript)
INSERT INTO tacit.agent_events (project, id, session, at, kind, tool, subject, body, packed, paths)
SELECT $1, g.id, g.session, at, kind, tool, subject, body, decode(packed, 'hex'), p.id
FROM given g LEFT JOIN new_paths p ON g.split AND p.session = g.session
    AND p.cwd IS NOT DISTINCT FROM g.cwd AND p.transcript IS NOT DISTINCT FROM g.transcript
ORDER BY place
ON CONFLICT (project, owner, id) DO UPDATE SET session = excluded.session, at = excluded.at,
    kind = excluded.kind, tool = excluded.tool, subject = excluded.subject, body = excluded.body,
    packed = excluded.packed, paths = excluded.paths";

pub(super) fn event(connection: &Connection, event: &Event) -> StoreResult<Value> {
    let row = StoredRow::of(&event.record, &event.session)
        .map_err(|problem| unwritable(connection.server(), &problem))?;
    let split = row.paths.is_some();
    let paths = row.paths.unwrap_or_default();
    Ok(json!({
        "id": stored(&event.id), "session": event.session, "at": event.at.as_millis(),
        "kind": row.kind, "tool": optional(row.tool.as_deref()),
        "subject": optional(row.subject.as_deref()), "body": stored(&row.body),
        "packed": row.packed.as_deref().map(hexadecimal), "split": split,
        "cwd": optional(paths.cwd.as_deref()),
        "transcript": optional(paths.transcript.as_deref()),
    }))
}

pub(super) fn injections(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = format!(
        "{INJECTION}, (SELECT count(*) FROM tacit.agent_injections e
             WHERE e.project = t.project AND e.owner = t.owner AND e.event = t.event
             AND e.session = t.session AND e.memory IS NOT DISTINCT FROM t.memory
             AND e.seq < t.seq)"
    );
    pages.page(TransferTable::Injections, &columns, |row| {
        let injection = injection_row(row)?;
        Ok(TransferRow::Injection(InjectionRow { injection, nth: row.count(13)? }))
    })
}

pub(super) const PUT_INJECTIONS: &str = "
WITH given AS (
    SELECT place, nth, session, agent, context, at, layer, event, decode(memory, 'hex') AS memory,
           text, tokens, why, withheld, fate, fate_why
    FROM json_to_recordset($2::text::json) AS r (place bigint, nth bigint, session text,
        agent text, context bigint, at bigint, layer text, event text, memory text, text text,
        tokens bigint, why text, withheld boolean, fate text, fate_why text)),
known AS (
    SELECT seq, session, event, memory,
           row_number() OVER (PARTITION BY session, event, memory ORDER BY seq) - 1 AS nth
    FROM tacit.agent_injections
    WHERE project = $1 AND owner = session_user AND event IN (SELECT event FROM given)),
matched AS (
    SELECT g.*, k.seq FROM given g
    LEFT JOIN known k ON k.session = g.session AND k.event = g.event
        AND k.memory IS NOT DISTINCT FROM g.memory AND k.nth = g.nth),
replaced AS (
    UPDATE tacit.agent_injections i SET agent = m.agent, context = m.context, at = m.at,
        layer = m.layer, text = m.text, tokens = m.tokens, why = m.why, withheld = m.withheld,
        fate = m.fate, fate_why = m.fate_why
    FROM matched m WHERE i.project = $1 AND i.owner = session_user AND i.seq = m.seq)
INSERT INTO tacit.agent_injections (project, session, agent, context, at, layer, event, memory,
                                    text, tokens, why, withheld, fate, fate_why)
SELECT $1, session, agent, context, at, layer, event, memory, text, tokens, why, withheld, fate,
       fate_why
FROM matched WHERE seq IS NULL ORDER BY place";

pub(super) fn injection(row: &InjectionRow) -> Value {
    let injection = &row.injection;
    let fate = injection.fate.as_ref();
    json!({
        "nth": row.nth, "session": injection.session,
        "agent": optional(injection.agent.as_deref()), "context": injection.context,
        "at": injection.at.as_millis(), "layer": stored(&injection.layer),
        "event": stored(&injection.event),
        "memory": injection.memory.as_ref().map(|id| hexadecimal(id.as_bytes())),
        "text": stored(&injection.text), "tokens": injection.tokens,
        "why": stored(&injection.why), "withheld": injection.withheld,
        "fate": fate.map(|judged| judged.fate.as_str()),
        "fate_why": optional(fate.map(|judged| judged.why.as_str())),
    })
}

pub(super) fn notes(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    pages.page(TransferTable::Notes, NOTE, |row| note_row(row).map(TransferRow::Note))
}

pub(super) const PUT_NOTES: &str = "
INSERT INTO tacit.agent_notes (project, id, session, at, kind, text, files, body)
SELECT $1, id, session, at, kind, text, files, body
FROM json_to_recordset($2::text::json) AS r (place bigint, id text, session text, at bigint,
    kind text, text text, files text, body text)
ORDER BY place
ON CONFLICT (project, owner, id) DO UPDATE SET session = excluded.session, at = excluded.at,
    kind = excluded.kind, text = excluded.text, files = excluded.files, body = excluded.body";

pub(super) fn note(connection: &Connection, note: &Note) -> StoreResult<Value> {
    let body = note.record.encode().map_err(|problem| unwritable(connection.server(), &problem))?;
    let files: Vec<&str> = note.files.iter().map(|file| file.as_str()).collect();
    Ok(json!({
        "id": stored(&note.id), "session": note.session, "at": note.at.as_millis(),
        "kind": note.record.kind().as_str(), "text": stored(&note.text),
        "files": json!(files).to_string(), "body": stored(&body),
    }))
}

pub(super) fn uses(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let read = pages.read(TransferTable::Uses, USES, Unreadable::IsSkipped, uses_row)?;
    let (rows, next) = read;
    Ok(TransferPage { rows: rows.into_iter().map(TransferRow::Uses).collect(), next })
}

pub(super) const PUT_USES: &str = "
INSERT INTO tacit.memory_uses (project, memory, holder, judged, sessions, used, helped,
                               contradicted, flagged, direct_judged, direct_sessions)
SELECT $1, decode(r.memory, 'hex'), coalesce(m.holder, session_user), judged, sessions, used,
       helped, contradicted, flagged, direct_judged, direct_sessions
FROM json_to_recordset($2::text::json) AS r (memory text, judged bigint, sessions bigint,
    used bigint, helped bigint, contradicted bigint, flagged bigint, direct_judged bigint,
    direct_sessions bigint)
LEFT JOIN tacit.memories m ON m.project = $1 AND m.id = decode(r.memory, 'hex')
ON CONFLICT (project, memory, owner) DO UPDATE SET holder = excluded.holder,
    judged = excluded.judged, sessions = excluded.sessions, used = excluded.used,
    helped = excluded.helped, contradicted = excluded.contradicted, flagged = excluded.flagged,
    direct_judged = excluded.direct_judged, direct_sessions = excluded.direct_sessions";

pub(super) fn memory_uses(uses: &MemoryUses) -> Value {
    let counts = &uses.counts;
    json!({
        "memory": hexadecimal(uses.memory.as_bytes()), "judged": counts.judged,
        "sessions": counts.sessions, "used": counts.used, "helped": counts.helped,
        "contradicted": counts.contradicted, "flagged": counts.flagged,
        "direct_judged": counts.direct_judged, "direct_sessions": counts.direct_sessions,
    })
}
