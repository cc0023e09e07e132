//! Conclusions from sessions: digests, signals and counters.

use rusqlite::{Connection, Row, params};
use tacit_core::SessionId;
use tacit_store::{
    ErrorOccurrences, ErrorPatternRow, FilePairRow, FilePairSource, FileUsageRow, LoggedSignal,
    ObservedSessionRow, ObservedState, SignalsRow, StoreResult, TimedSignal, TransferPage,
    TransferRow,
};

use super::{Pages, Source};
use crate::activity::{file_path, get, moment, text};
use crate::error::{damaged, explain, unwritable};

/// The trees with signals.
pub(super) const TREES: &str = "(SELECT DISTINCT session_id FROM observer_signal_log)";

pub(super) fn sessions(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "session, tree, upto, state, at, digest, applied";
    let source = Source { columns, from: "observer_sessions", key: &["session"] };
    pages.page(source, |row| {
        let path = pages.path;
        let state: String = get(path, row, 3)?;
        let usage: Option<String> = get(path, row, 6)?;
        let usage = usage.map(|json| serde_json::from_str(&json)).transpose();
        Ok(TransferRow::ObservedSession(ObservedSessionRow {
            session: text(path, row, 0)?,
            tree: text(path, row, 1)?,
            upto: moment(path, row, 2)?,
            state: if state == "waits" { ObservedState::Waits } else { ObservedState::Done },
            at: moment(path, row, 4)?,
            digest: get(path, row, 5)?,
            usage: usage.map_err(|error| damaged(path, error.to_string()))?,
        }))
    })
}

pub(super) fn put_session(
    connection: &Connection,
    row: &ObservedSessionRow,
) -> rusqlite::Result<()> {
    let usage = row.usage.as_ref().map(serde_json::to_string).transpose().map_err(unwritable)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO observer_sessions
             (session, tree, upto, state, at, digest, applied) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.session.as_str(),
            row.tree.as_str(),
            row.upto.as_millis(),
            row.state.as_str(),
            row.at.as_millis(),
            row.digest,
            usage,
        ])?;
    Ok(())
}

fn count(pages: &Pages<'_>, row: &Row<'_>, at: usize) -> StoreResult<u64> {
    Ok(get::<i64>(pages.path, row, at)?.unsigned_abs())
}

pub(super) fn files(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "file_path, access_count, session_count, last_accessed_at";
    let source = Source { columns, from: "observer_file_nodes", key: &["file_path"] };
    pages.page(source, |row| {
        Ok(TransferRow::FileUsage(FileUsageRow {
            file: file_path(pages.path, get(pages.path, row, 0)?)?,
            uses: count(pages, row, 1)?,
            sessions: count(pages, row, 2)?,
            last_at: moment(pages.path, row, 3)?,
        }))
    })
}

pub(super) fn put_file(connection: &Connection, row: &FileUsageRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO observer_file_nodes
             (file_path, access_count, session_count, last_accessed_at) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![
            row.file.as_str(),
            row.uses as i64,
            row.sessions as i64,
            row.last_at.as_millis()
        ])?;
    Ok(())
}

pub(super) fn pairs(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "file_a, file_b, source, weight, raw_count, forward_count, avg_time_delta_ms,
        directional, last_observed_at";
    let key = ["file_a", "file_b", "source"];
    let source = Source { columns, from: "observer_co_access_edges", key: &key };
    pages.page(source, |row| {
        let path = pages.path;
        let word: String = get(path, row, 2)?;
        Ok(TransferRow::FilePair(FilePairRow {
            a: file_path(path, get(path, row, 0)?)?,
            b: file_path(path, get(path, row, 1)?)?,
            source: FilePairSource::from_word(&word)
                .ok_or_else(|| damaged(path, format!("`{word}` is no source of a pair")))?,
            weight: get(path, row, 3)?,
            count: count(pages, row, 4)?,
            forward: count(pages, row, 5)?,
            delta_ms: get(path, row, 6)?,
            directional: get(path, row, 7)?,
            last_at: moment(path, row, 8)?,
        }))
    })
}

pub(super) fn put_pair(connection: &Connection, row: &FilePairRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO observer_co_access_edges
             (file_a, file_b, source, weight, raw_count, forward_count, avg_time_delta_ms,
              directional, last_observed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.a.as_str(),
            row.b.as_str(),
            row.source.as_str(),
            row.weight,
            row.count as i64,
            row.forward as i64,
            row.delta_ms,
            row.directional,
            row.last_at.as_millis(),
        ])?;
    Ok(())
}

pub(super) fn errors(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns =
        "error_hash, tool_name, error_message, occurrence_count, resolved_how, last_seen_at";
    let key = ["error_hash", "tool_name"];
    let source = Source { columns, from: "observer_error_patterns", key: &key };
    pages.page(source, |row| {
        let path = pages.path;
        Ok(TransferRow::ErrorPattern(ErrorPatternRow {
            error: ErrorOccurrences {
                fingerprint: get(path, row, 0)?,
                tool: get(path, row, 1)?,
                message: get(path, row, 2)?,
                count: get(path, row, 3)?,
                resolved_how: get(path, row, 4)?,
            },
            last_at: moment(path, row, 5)?,
        }))
    })
}

pub(super) fn put_error(connection: &Connection, row: &ErrorPatternRow) -> rusqlite::Result<()> {
    let error = &row.error;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO observer_error_patterns
             (error_hash, tool_name, error_message, occurrence_count, resolved_how, last_seen_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            error.fingerprint,
            error.tool,
            error.message,
            error.count,
            error.resolved_how,
            row.last_at.as_millis(),
        ])?;
    Ok(())
}

pub(super) fn signals(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: "session_id", from: TREES, key: &["session_id"] };
    pages.page(source, |row| {
        let tree: SessionId = text(pages.path, row, 0)?;
        let signals = signals_of(pages, &tree)?;
        Ok(TransferRow::Signals(SignalsRow { tree, signals }))
    })
}

fn signals_of(pages: &Pages<'_>, tree: &SessionId) -> StoreResult<Vec<TimedSignal>> {
    let path = pages.path;
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut statement = pages
        .connection
        .prepare_cached(
            "SELECT signal_type, signal_data, score, created_at FROM observer_signal_log
             WHERE session_id = ? ORDER BY seq",
        )
        .map_err(fail)?;
    let mut rows = statement.query([tree.as_str()]).map_err(fail)?;
    let mut signals = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        let signal = LoggedSignal {
            kind: get(path, row, 0)?,
            body: get(path, row, 1)?,
            score: get(path, row, 2)?,
        };
        signals.push(TimedSignal { at: moment(path, row, 3)?, signal });
    }
    Ok(signals)
}

pub(super) fn put_signals(connection: &Connection, row: &SignalsRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM observer_signal_log WHERE session_id = ?")?
        .execute([row.tree.as_str()])?;
    for TimedSignal { at, signal } in &row.signals {
        connection
            .prepare_cached(
                "INSERT INTO observer_signal_log
                 (session_id, signal_type, signal_data, score, processed, created_at)
                 VALUES (?, ?, ?, ?, 1, ?)",
            )?
            .execute(params![
                row.tree.as_str(),
                signal.kind,
                signal.body,
                signal.score,
                at.as_millis()
            ])?;
    }
    Ok(())
}
