//! Storage of the observer's conclusions and counters.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tacit_core::log::LogKind;
use tacit_core::{RepoPath, SessionId, Timestamp};
use tacit_store::{
    DIRECTION_SESSIONS, DIRECTION_SHARE, ErrorOccurrences, FileAffinity, LoggedSignal,
    ObservedState, ObservedTree, ObserverStore, Session, StoreResult, TreeUsage,
};

use crate::activity::{SESSION, get, number, session_row, text};
use crate::error::unwritable;
use crate::store::SqliteStore;

impl ObserverStore for SqliteStore {
    fn sessions_to_observe(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>> {
        let sql = format!(
            "SELECT {SESSION} FROM agent_sessions s
             LEFT JOIN observer_sessions o ON o.session = s.id
             WHERE (o.session IS NULL OR o.upto < s.last_at OR o.state = 'waits')
             AND (s.ended IS NOT NULL OR s.last_at < ?
                  OR EXISTS (SELECT 1 FROM agent_events e WHERE e.session = s.id
                             AND e.kind IN ('{}', '{}') AND e.at > ifnull(o.upto, 0)))
             ORDER BY s.last_at, s.id LIMIT ?",
            LogKind::Check,
            LogKind::WorkUnit
        );
        self.rows(&sql, &[&silent.as_millis(), &number(limit)], session_row)
    }

    fn latest_sessions(&self, limit: usize) -> StoreResult<Vec<(Session, Option<ObservedState>)>> {
        let sql = format!(
            "SELECT {SESSION}, o.state FROM agent_sessions s
             LEFT JOIN observer_sessions o ON o.session = s.id AND o.upto >= s.last_at
             ORDER BY s.last_at DESC, s.id LIMIT ?"
        );
        self.rows(&sql, &[&number(limit)], |row, path| {
            let state: Option<String> = get(path, row, 8)?;
            let state = state.map(|state| match state.as_str() {
                "waits" => ObservedState::Waits,
                _ => ObservedState::Done,
            });
            Ok((session_row(row, path)?, state))
        })
    }

    fn digests(&self, limit: usize) -> StoreResult<Vec<String>> {
        let sql = "SELECT digest FROM observer_sessions WHERE digest IS NOT NULL
                   ORDER BY at DESC, session LIMIT ?";
        self.rows(sql, &[&number(limit)], |row, path| get(path, row, 0))
    }

    fn tree_of(&self, session: &SessionId) -> StoreResult<Option<SessionId>> {
        let sql = "SELECT tree FROM observer_sessions WHERE session = ?";
        let found = self.rows(sql, &[&session.as_str()], |row, path| text(path, row, 0))?;
        Ok(found.into_iter().next())
    }

    fn signals(&self, tree: &SessionId) -> StoreResult<Vec<LoggedSignal>> {
        let sql = "SELECT signal_type, signal_data, score FROM observer_signal_log
                   WHERE session_id = ? ORDER BY seq";
        self.rows(sql, &[&tree.as_str()], |row, path| {
            Ok(LoggedSignal {
                kind: get(path, row, 0)?,
                body: get(path, row, 1)?,
                score: get(path, row, 2)?,
            })
        })
    }

    fn save_observed_tree(&mut self, observed: &ObservedTree) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            save(&transaction, observed)?;
            transaction.commit()
        })
    }

    fn file_affinity(&self, one: &RepoPath, other: &RepoPath) -> StoreResult<Option<FileAffinity>> {
        let (a, b) = if one < other { (one, other) } else { (other, one) };
        let sql = "SELECT weight, raw_count, ifnull(avg_time_delta_ms, 0.0), directional
                   FROM observer_co_access_edges
                   WHERE file_a = ? AND file_b = ? AND source = 'sessions'";
        let found = self.rows(sql, &[&a.as_str(), &b.as_str()], |row, path| {
            Ok(FileAffinity {
                weight: get(path, row, 0)?,
                sessions: get(path, row, 1)?,
                delta_ms: get(path, row, 2)?,
                directional: get(path, row, 3)?,
            })
        })?;
        Ok(found.into_iter().next())
    }

    fn error_occurrences(&self, fingerprint: &str) -> StoreResult<Option<ErrorOccurrences>> {
        let sql = "SELECT error_hash, tool_name, error_message, occurrence_count, resolved_how
                   FROM observer_error_patterns WHERE error_hash = ?
                   ORDER BY last_seen_at DESC, tool_name LIMIT 1";
        let found = self.rows(sql, &[&fingerprint], |row, path| {
            Ok(ErrorOccurrences {
                fingerprint: get(path, row, 0)?,
                tool: get(path, row, 1)?,
                message: get(path, row, 2)?,
                count: get(path, row, 3)?,
                resolved_how: get(path, row, 4)?,
            })
        })?;
        Ok(found.into_iter().next())
    }
}

fn save(connection: &Connection, observed: &ObservedTree) -> rusqlite::Result<()> {
    // The earlier shares of the tree's sessions are subtracted first.
    let mut before: Vec<TreeUsage> = Vec::new();
    for (session, _) in &observed.sessions {
        let applied: Option<Option<String>> = connection
            .prepare_cached("SELECT applied FROM observer_sessions WHERE session = ?")?
            .query_row([session.as_str()], |row| row.get(0))
            .optional()?;
        before.extend(applied.flatten().and_then(|json| serde_json::from_str(&json).ok()));
        connection
            .prepare_cached("DELETE FROM observer_signal_log WHERE session_id = ?")?
            .execute([session.as_str()])?;
    }
    for uses in &before {
        count(connection, uses, -1, observed.at)?;
    }
    count(connection, &observed.usage, 1, observed.at)?;
    for uses in before.iter().chain([&observed.usage]) {
        weigh(connection, uses)?;
    }
    let applied = serde_json::to_string(&observed.usage).map_err(unwritable)?;
    for (session, upto) in &observed.sessions {
        let own = *session == observed.tree;
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO observer_sessions
                 (session, tree, upto, state, at, digest, applied) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                session.as_str(),
                observed.tree.as_str(),
                upto.as_millis(),
                observed.state.as_str(),
                observed.at.as_millis(),
                own.then_some(&observed.digest),
                own.then_some(&applied)
            ])?;
    }
    for signal in &observed.signals {
        connection
            .prepare_cached(
                "INSERT INTO observer_signal_log
                 (session_id, signal_type, signal_data, score, processed, created_at)
                 VALUES (?, ?, ?, ?, 1, ?)",
            )?
            .execute(params![
                observed.tree.as_str(),
                signal.kind,
                signal.body,
                signal.score,
                observed.at.as_millis()
            ])?;
    }
    Ok(())
}

/// Adds a tree's usage to the counters, or subtracts it.
fn count(
    connection: &Connection,
    uses: &TreeUsage,
    sign: i64,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let at = at.as_millis();
    for (file, used) in &uses.files {
        connection
            .prepare_cached(
                "INSERT INTO observer_file_nodes
                 (file_path, access_count, last_accessed_at, session_count)
                 VALUES (?1, max(0, ?2), ?3, max(0, ?4))
                 ON CONFLICT (file_path) DO UPDATE SET
                     access_count = max(0, access_count + ?2),
                     session_count = max(0, session_count + ?4),
                     last_accessed_at = max(last_accessed_at, ?3)",
            )?
            .execute(params![file.as_str(), sign * i64::from(*used), at, sign])?;
    }
    for pair in &uses.pairs {
        connection
            .prepare_cached(
                "INSERT INTO observer_co_access_edges
                 (file_a, file_b, weight, raw_count, avg_time_delta_ms, directional,
                  last_observed_at, forward_count)
                 VALUES (?1, ?2, 0.0, max(0, ?3), ?4, 0, ?5, max(0, ?6))
                 ON CONFLICT (file_a, file_b, source) DO UPDATE SET
                     avg_time_delta_ms = CASE WHEN raw_count + ?3 <= 0 THEN 0.0 ELSE
                         (ifnull(avg_time_delta_ms, 0.0) * raw_count + ?3 * ?4) / (raw_count + ?3)
                         END,
                     raw_count = max(0, raw_count + ?3),
                     forward_count = max(0, forward_count + ?6),
                     last_observed_at = max(last_observed_at, ?5)",
            )?
            .execute(params![
                pair.a.as_str(),
                pair.b.as_str(),
                sign,
                pair.delta_ms,
                at,
                sign * i64::from(pair.a_first)
            ])?;
    }
    for error in &uses.errors {
        connection
            .prepare_cached(
                "INSERT INTO observer_error_patterns
                 (error_hash, tool_name, error_message, occurrence_count, last_seen_at, resolved_how)
                 VALUES (?1, ?2, ?3, max(0, ?4), ?5, ?6)
                 ON CONFLICT (error_hash, tool_name) DO UPDATE SET
                     occurrence_count = max(0, occurrence_count + ?4),
                     resolved_how = ifnull(?6, resolved_how),
                     last_seen_at = max(last_seen_at, ?5)",
            )?
            .execute(params![
                error.fingerprint,
                error.tool,
                error.message,
                sign * i64::from(error.count),
                at,
                error.resolved_how.as_ref().filter(|_| sign > 0)
            ])?;
    }
    Ok(())
}

/// Updates the weights of pairs with one of these files.
fn weigh(connection: &Connection, uses: &TreeUsage) -> rusqlite::Result<()> {
    for (file, _) in &uses.files {
        for column in ["file_a", "file_b"] {
            connection
                .prepare_cached(&format!(
                    "UPDATE observer_co_access_edges AS e SET
                         weight = min(1.0, CAST(raw_count AS REAL) / max(1,
                             ifnull((SELECT session_count FROM observer_file_nodes
                                     WHERE file_path = e.file_a), 0)
                             + ifnull((SELECT session_count FROM observer_file_nodes
                                       WHERE file_path = e.file_b), 0) - raw_count)),
                         directional = raw_count >= ?2 AND
                             max(forward_count, raw_count - forward_count) >= ?3 * raw_count
                     WHERE {column} = ?1 AND source = 'sessions'"
                ))?
                .execute(params![file.as_str(), DIRECTION_SESSIONS, DIRECTION_SHARE])?;
        }
    }
    connection
        .prepare_cached(
            "DELETE FROM observer_co_access_edges
             WHERE raw_count = 0 AND weight = 0.0 AND source = 'sessions'",
        )?
        .execute([])?;
    Ok(())
}
