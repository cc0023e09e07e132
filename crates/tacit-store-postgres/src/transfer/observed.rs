//! The observer's conclusions from sessions.

use serde_json::{Value, json};
use tacit_core::SessionId;
use tacit_store::{
    ErrorOccurrences, ErrorPatternRow, FilePairRow, FilePairSource, FileUsageRow, LoggedSignal,
    ObservedSessionRow, ObservedState, SignalsRow, StoreResult, TimedSignal, TransferPage,
    TransferRow, TransferTable,
};
use tokio_postgres::types::Type;

use super::put::{optional, stored};
use super::{Pages, Unreadable};
use crate::connection::Connection;
use crate::error::unwritable;

/// The trees with signals.
pub(super) const TREES: &str =
    "(SELECT DISTINCT project, owner, session FROM tacit.observer_signal_log)";

pub(super) fn sessions(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.session, t.tree, t.upto, t.state, t.at, t.digest, t.applied";
    pages.page(TransferTable::ObservedSessions, columns, |row| {
        let usage = row.optional_text(6)?;
        let usage = usage.map(|json| serde_json::from_str(&json)).transpose();
        let waits = row.get::<&str>(3)? == "waits";
        Ok(TransferRow::ObservedSession(ObservedSessionRow {
            session: row.parsed(0)?,
            tree: row.parsed(1)?,
            upto: row.moment(2)?,
            state: if waits { ObservedState::Waits } else { ObservedState::Done },
            at: row.moment(4)?,
            digest: row.optional_text(5)?,
            usage: usage.map_err(|error| row.damaged(error))?,
        }))
    })
}

pub(super) const PUT_SESSIONS: &str = "
INSERT INTO tacit.observer_sessions (project, session, tree, upto, state, at, digest, applied)
SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r (session text, tree text, upto bigint,
    state text, at bigint, digest text, applied text)
ON CONFLICT (project, owner, session) DO UPDATE SET tree = excluded.tree, upto = excluded.upto,
    state = excluded.state, at = excluded.at, digest = excluded.digest, applied = excluded.applied";

pub(super) fn session(connection: &Connection, row: &ObservedSessionRow) -> StoreResult<Value> {
    let usage = row.usage.as_ref().map(serde_json::to_string).transpose();
    let usage = usage.map_err(|error| unwritable(connection.server(), &error))?;
    Ok(json!({
        "session": row.session, "tree": row.tree, "upto": row.upto.as_millis(),
        "state": row.state.as_str(), "at": row.at.as_millis(),
        "digest": optional(row.digest.as_deref()), "applied": optional(usage.as_deref()),
    }))
}

pub(super) fn files(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.path, t.access_count, t.session_count, t.last_accessed_at";
    pages.page(TransferTable::FileUsage, columns, |row| {
        Ok(TransferRow::FileUsage(FileUsageRow {
            file: row.path(0)?,
            uses: row.count(1)?,
            sessions: row.count(2)?,
            last_at: row.moment(3)?,
        }))
    })
}

pub(super) const PUT_FILES: &str = "
INSERT INTO tacit.observer_file_nodes (project, path, access_count, session_count,
                                       last_accessed_at)
SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r (path text, uses bigint,
    sessions bigint, last_at bigint)
ON CONFLICT (project, path) DO UPDATE SET access_count = excluded.access_count,
    session_count = excluded.session_count, last_accessed_at = excluded.last_accessed_at";

pub(super) fn file(row: &FileUsageRow) -> Value {
    json!({
        "path": row.file, "uses": row.uses, "sessions": row.sessions,
        "last_at": row.last_at.as_millis(),
    })
}

pub(super) fn pairs(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.file_a, t.file_b, t.source, t.weight, t.raw_count, t.forward_count,
        t.avg_time_delta_ms, t.directional, t.last_observed_at";
    pages.page(TransferTable::FilePairs, columns, |row| {
        let word: &str = row.get(2)?;
        Ok(TransferRow::FilePair(FilePairRow {
            a: row.path(0)?,
            b: row.path(1)?,
            source: FilePairSource::from_word(word)
                .ok_or_else(|| row.damaged(format!("`{word}` is no source of a pair")))?,
            weight: row.get(3)?,
            count: row.count(4)?,
            forward: row.count(5)?,
            delta_ms: row.get(6)?,
            directional: row.get(7)?,
            last_at: row.moment(8)?,
        }))
    })
}

pub(super) const PUT_PAIRS: &str = "
INSERT INTO tacit.observer_co_access_edges (project, file_a, file_b, source, weight, raw_count,
    forward_count, avg_time_delta_ms, directional, last_observed_at)
SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r (a text, b text, source text,
    weight double precision, count bigint, forward bigint, delta_ms double precision,
    directional boolean, last_at bigint)
ON CONFLICT (project, file_a, file_b, source) DO UPDATE SET weight = excluded.weight,
    raw_count = excluded.raw_count, forward_count = excluded.forward_count,
    avg_time_delta_ms = excluded.avg_time_delta_ms, directional = excluded.directional,
    last_observed_at = excluded.last_observed_at";

pub(super) fn pair(row: &FilePairRow) -> Value {
    json!({
        "a": row.a, "b": row.b, "source": row.source.as_str(), "weight": row.weight,
        "count": row.count, "forward": row.forward, "delta_ms": row.delta_ms,
        "directional": row.directional, "last_at": row.last_at.as_millis(),
    })
}

pub(super) fn errors(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns =
        "t.fingerprint, t.tool, t.message, t.occurrence_count, t.resolved_how, t.last_seen_at";
    pages.page(TransferTable::ErrorPatterns, columns, |row| {
        Ok(TransferRow::ErrorPattern(ErrorPatternRow {
            error: ErrorOccurrences {
                fingerprint: row.text(0)?,
                tool: row.text(1)?,
                message: row.text(2)?,
                count: row.count(3)?,
                resolved_how: row.optional_text(4)?,
            },
            last_at: row.moment(5)?,
        }))
    })
}

pub(super) const PUT_ERRORS: &str = "
INSERT INTO tacit.observer_error_patterns (project, fingerprint, tool, message, occurrence_count,
                                           resolved_how, last_seen_at)
SELECT $1, r.* FROM json_to_recordset($2::text::json) AS r (fingerprint text, tool text,
    message text, count bigint, resolved_how text, last_at bigint)
ON CONFLICT (project, owner, fingerprint, tool) DO UPDATE SET message = excluded.message,
    occurrence_count = excluded.occurrence_count, resolved_how = excluded.resolved_how,
    last_seen_at = excluded.last_seen_at";

pub(super) fn error(row: &ErrorPatternRow) -> Value {
    let error = &row.error;
    json!({
        "fingerprint": stored(&error.fingerprint), "tool": stored(&error.tool),
        "message": stored(&error.message), "count": error.count,
        "resolved_how": optional(error.resolved_how.as_deref()),
        "last_at": row.last_at.as_millis(),
    })
}

pub(super) fn signals(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let (trees, next): (Vec<SessionId>, _) =
        pages.read(TransferTable::Signals, "t.session", Unreadable::IsSkipped, |row| {
            row.parsed(0)
        })?;
    let names: Vec<&str> = trees.iter().map(SessionId::as_str).collect();
    let signals = pages.connection.read_readable(
        "SELECT session, created_at, kind, body, score FROM tacit.observer_signal_log
         WHERE project = $1 AND owner = session_user AND session = ANY ($2) ORDER BY seq",
        &[(&pages.project, Type::INT8), (&names, Type::TEXT_ARRAY)],
        |row| {
            let signal =
                LoggedSignal { kind: row.text(2)?, body: row.text(3)?, score: row.get(4)? };
            Ok((row.parsed::<SessionId>(0)?, TimedSignal { at: row.moment(1)?, signal }))
        },
    )?;
    let mut rows: Vec<SignalsRow> =
        trees.into_iter().map(|tree| SignalsRow { tree, signals: Vec::new() }).collect();
    for (tree, signal) in signals {
        // The trees of a page are sorted.
        if let Ok(at) = rows.binary_search_by(|row| row.tree.as_str().cmp(tree.as_str())) {
            rows[at].signals.push(signal);
        }
    }
    Ok(TransferPage { rows: rows.into_iter().map(TransferRow::Signals).collect(), next })
}

pub(super) const PUT_SIGNALS: &str = "
WITH given AS (
    SELECT * FROM json_to_recordset($2::text::json) AS r (place bigint, session text,
        signals json)),
gone AS (
    DELETE FROM tacit.observer_signal_log
    WHERE project = $1 AND owner = session_user AND session IN (SELECT session FROM given))
INSERT INTO tacit.observer_signal_log (project, session, kind, body, score, created_at)
SELECT $1, g.session, s.kind, s.body, s.score, s.at
FROM given g CROSS JOIN json_to_recordset(g.signals) AS s (place bigint, at bigint, kind text,
    body text, score double precision)
ORDER BY g.place, s.place";

pub(super) fn signals_of(row: &SignalsRow) -> Value {
    let signal = |(place, TimedSignal { at, signal }): (usize, &TimedSignal)| {
        json!({
            "place": place, "at": at.as_millis(), "kind": stored(&signal.kind),
            "body": stored(&signal.body), "score": signal.score,
        })
    };
    let signals: Vec<Value> = row.signals.iter().enumerate().map(signal).collect();
    json!({"session": row.tree, "signals": signals})
}
