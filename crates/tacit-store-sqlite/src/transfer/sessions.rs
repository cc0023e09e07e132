//! Sessions of agents, their events, injections and notes, and the counted uses.

use rusqlite::{Connection, OptionalExtension, params};
use tacit_core::RepoPath;
use tacit_core::log::StoredRow;
use tacit_store::{
    Event, Injection, InjectionRow, MemoryUses, Note, SessionRow, StoreResult, TransferPage,
    TransferRow,
};

use super::{Pages, Source};
use crate::activity::{
    INJECTION, NOTE, SESSION, USES, event_columns, event_row, get, injection_row, note_row,
    optional_moment, paths_id, session_row, uses_row,
};
use crate::error::unwritable;

pub(super) fn sessions(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = format!("{SESSION}, s.judged_upto");
    let source = Source { columns: &columns, from: "agent_sessions s", key: &["s.id"] };
    pages.page(source, |row| {
        let session = session_row(row, pages.path)?;
        let judged_upto = optional_moment(pages.path, row, 8)?;
        Ok(TransferRow::Session(SessionRow { session, judged_upto }))
    })
}

pub(super) fn put_session(connection: &Connection, row: &SessionRow) -> rusqlite::Result<()> {
    let session = &row.session;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO agent_sessions
             (id, client, started_at, last_at, ended, context, asked, held_out, judged_upto)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            session.id.as_str(),
            session.client,
            session.started_at.as_millis(),
            session.last_at.as_millis(),
            session.ended,
            session.context,
            session.asked,
            session.held_out,
            row.judged_upto.map(|at| at.as_millis()),
        ])?;
    Ok(())
}

pub(super) fn events(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = event_columns();
    let source = Source { columns: &columns, from: "agent_events", key: &["seq"] };
    pages.page(source, |row| event_row(row, pages.path).map(TransferRow::Event))
}

pub(super) fn put_event(connection: &Connection, event: &Event) -> rusqlite::Result<()> {
    let row = StoredRow::of(&event.record, &event.session).map_err(unwritable)?;
    let paths = row.paths.as_ref();
    let paths = paths.map(|paths| paths_id(connection, &event.session, paths)).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO agent_events
                 (id, session, at, kind, tool, subject, body, paths, packed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (id) DO UPDATE SET session = ?2, at = ?3, kind = ?4, tool = ?5,
                 subject = ?6, body = ?7, paths = ?8, packed = ?9",
        )?
        .execute(params![
            event.id,
            event.session.as_str(),
            event.at.as_millis(),
            row.kind,
            row.tool,
            row.subject,
            row.body,
            paths,
            row.packed
        ])?;
    Ok(())
}

pub(super) fn injections(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = format!(
        "{INJECTION}, (SELECT count(*) FROM agent_injections e WHERE e.event = i.event
             AND e.session = i.session AND e.memory IS i.memory AND e.seq < i.seq)"
    );
    let source = Source { columns: &columns, from: "agent_injections i", key: &["i.seq"] };
    pages.page(source, |row| {
        let injection = injection_row(row, pages.path)?;
        Ok(TransferRow::Injection(InjectionRow { injection, nth: get(pages.path, row, 13)? }))
    })
}

pub(super) fn put_injection(connection: &Connection, row: &InjectionRow) -> rusqlite::Result<()> {
    let Injection { session, event, memory, .. } = &row.injection;
    let known: Option<i64> = connection
        .prepare_cached(
            "SELECT seq FROM agent_injections WHERE event = ? AND session = ? AND memory IS ?
             ORDER BY seq LIMIT 1 OFFSET ?",
        )?
        .query_row(
            params![event, session.as_str(), memory.as_ref().map(|id| *id.as_bytes()), row.nth],
            |row| row.get(0),
        )
        .optional()?;
    let injection = &row.injection;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO agent_injections
             (seq, session, agent, context, at, layer, event, memory, text, tokens, why, withheld,
              fate, fate_why)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            known,
            session.as_str(),
            injection.agent,
            injection.context,
            injection.at.as_millis(),
            injection.layer,
            event,
            memory.as_ref().map(|id| *id.as_bytes()),
            injection.text,
            injection.tokens,
            injection.why,
            injection.withheld,
            injection.fate.as_ref().map(|judged| judged.fate.as_str()),
            injection.fate.as_ref().map(|judged| judged.why.as_str()),
        ])?;
    Ok(())
}

pub(super) fn notes(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: NOTE, from: "agent_notes", key: &["seq"] };
    pages.page(source, |row| note_row(row, pages.path).map(TransferRow::Note))
}

pub(super) fn put_note(connection: &Connection, note: &Note) -> rusqlite::Result<()> {
    let files: Vec<&str> = note.files.iter().map(RepoPath::as_str).collect();
    connection
        .prepare_cached(
            "INSERT INTO agent_notes (id, session, at, kind, text, files, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET session = ?2, at = ?3, kind = ?4, text = ?5,
                 files = ?6, body = ?7",
        )?
        .execute(params![
            note.id,
            note.session.as_str(),
            note.at.as_millis(),
            note.record.kind().as_str(),
            note.text,
            serde_json::to_string(&files).map_err(unwritable)?,
            note.record.encode().map_err(unwritable)?
        ])?;
    Ok(())
}

pub(super) fn uses(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: USES, from: "memory_uses", key: &["hex(memory)"] };
    pages.page(source, |row| uses_row(row, pages.path).map(TransferRow::Uses))
}

pub(super) fn put_uses(connection: &Connection, uses: &MemoryUses) -> rusqlite::Result<()> {
    crate::activity::put_uses(connection, uses)
}
