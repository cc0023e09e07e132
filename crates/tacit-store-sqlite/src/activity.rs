//! Storage of session activity.

mod rows;

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, TransactionBehavior, params};
use tacit_core::log::{EventPaths, StoredRow};
use tacit_core::{MemoryId, RepoPath, SessionId, Timestamp};
use tacit_store::{
    ActivityBatch, ActivityStore, CoChange, Event, EventQuery, Injection, InjectionFate,
    InjectionQuery, MemoryUses, Note, Session, SessionChange, SessionUpdate, StoreResult,
};

use crate::error::{damaged, explain, unwritable};
use crate::filter::Condition;
use crate::store::SqliteStore;

pub(crate) use rows::*;

/// The size of the write-ahead log, in bytes, above which it is checkpointed.
const LONGEST_LOG: u64 = 1024 * 1024;
/// The number of newest memories that are searched for sessions.
const LOOKED_AT: usize = 5_000;

impl ActivityStore for SqliteStore {
    fn record_all(&mut self, records: &[ActivityBatch]) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for record in records {
                write(&transaction, record)?;
            }
            transaction.commit()
        })
    }

    fn session(&self, id: &SessionId) -> StoreResult<Option<Session>> {
        let sql = format!("SELECT {SESSION} FROM agent_sessions s WHERE s.id = ?");
        let found = self.rows(&sql, &[&id.as_str()], session_row)?;
        Ok(found.into_iter().next())
    }

    fn recent_sessions(&self, limit: usize) -> StoreResult<Vec<SessionId>> {
        let sql = "SELECT s.session FROM
                 (SELECT seq, created_at FROM memories ORDER BY created_at DESC, seq DESC LIMIT ?) m
             JOIN memory_sessions s ON s.memory = m.seq
             GROUP BY s.session ORDER BY max(m.created_at) DESC, s.session LIMIT ?";
        let (looked_at, limit) = (number(LOOKED_AT), number(limit));
        self.rows(sql, &[&looked_at, &limit], |row, path| text(path, row, 0))
    }

    fn events(&self, query: &EventQuery) -> StoreResult<Vec<Event>> {
        let mut condition = event_condition(query);
        condition.limit(query.limit);
        let sql = newest(&event_columns(), "agent_events", &condition);
        self.rows(&sql, &condition.parameters(), event_row)
    }

    fn count_events(&self, query: &EventQuery) -> StoreResult<usize> {
        let condition = event_condition(query);
        let sql = format!("SELECT count(*) FROM agent_events WHERE {}", condition.sql());
        let found: Vec<i64> =
            self.rows(&sql, &condition.parameters(), |row, path| get(path, row, 0))?;
        Ok(found.first().map_or(0, |number| usize::try_from(*number).unwrap_or(0)))
    }

    fn injections(&self, query: &InjectionQuery) -> StoreResult<Vec<Injection>> {
        let mut condition = Condition::default();
        condition.given("session = ?", query.session.as_ref().map(ToString::to_string));
        condition.given("context >= ?", query.context);
        condition.one_of("event IN (?)", query.events.iter());
        condition.given("memory = ?", query.memory.map(|id| id.as_bytes().to_vec()));
        condition.given("at >= ?", query.since.map(Timestamp::as_millis));
        condition.limit(query.limit);
        let sql = newest(INJECTION, "agent_injections", &condition);
        self.rows(&sql, &condition.parameters(), injection_row)
    }

    fn set_fates(&mut self, fates: &[InjectionFate]) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            write_fates(&transaction, fates)?;
            transaction.commit()
        })
    }

    fn sessions_to_judge(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>> {
        let sql = format!(
            "SELECT {SESSION} FROM agent_sessions s
             WHERE (s.judged_upto IS NULL OR s.judged_upto < s.last_at)
             AND (s.ended IS NOT NULL OR s.last_at < ?)
             AND EXISTS (SELECT 1 FROM agent_injections i WHERE i.session = s.id
                         AND i.memory IS NOT NULL AND NOT i.withheld)
             ORDER BY s.last_at, s.id LIMIT ?"
        );
        self.rows(&sql, &[&silent.as_millis(), &number(limit)], session_row)
    }

    fn save_judgement(
        &mut self,
        session: &SessionId,
        upto: Timestamp,
        events: &[String],
        fates: &[InjectionFate],
    ) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for event in events {
                let sql = "UPDATE agent_injections SET fate = NULL, fate_why = NULL
                     WHERE event = ? AND fate IS NOT NULL";
                transaction.prepare_cached(sql)?.execute([event])?;
            }
            write_fates(&transaction, fates)?;
            transaction.execute(
                "UPDATE agent_sessions SET judged_upto = ? WHERE id = ?",
                params![upto.as_millis(), session.as_str()],
            )?;
            transaction.commit()
        })
    }

    fn set_memory_uses(&mut self, uses: &[MemoryUses]) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM memory_uses", [])?;
            for one in uses {
                put_uses(&transaction, one)?;
            }
            transaction.commit()
        })
    }

    fn memory_uses(&self) -> StoreResult<Vec<MemoryUses>> {
        let sql = format!("SELECT {USES} FROM memory_uses ORDER BY memory");
        self.rows(&sql, &[], uses_row)
    }

    fn injection_counts(&self, only: Option<&[MemoryId]>) -> StoreResult<Vec<(MemoryId, u64)>> {
        let mut condition = Condition::default();
        condition.add::<i64>("memory IS NOT NULL AND NOT withheld", []);
        if let Some(ids) = only {
            let ids: Vec<String> = ids.iter().map(MemoryId::to_string).collect();
            let wanted = "memory IN (SELECT unhex(value, '-') FROM json_each(?))";
            condition.add(wanted, [serde_json::json!(ids).to_string()]);
        }
        let sql = format!(
            "SELECT memory, count(*) FROM agent_injections WHERE {} GROUP BY memory
             ORDER BY memory",
            condition.sql()
        );
        self.rows(&sql, &condition.parameters(), |row, path| {
            let id = MemoryId::from_bytes(get(path, row, 0)?)
                .ok_or_else(|| damaged(path, "an injection names no memory"))?;
            Ok((id, get::<i64>(path, row, 1)?.unsigned_abs()))
        })
    }

    fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> StoreResult<Vec<Note>> {
        let mut condition = Condition::default();
        condition.add("session = ?", [session.to_string()]);
        condition.one_of(
            "json_valid(files)
             AND EXISTS (SELECT 1 FROM json_each(agent_notes.files) WHERE value IN (?))",
            files.iter(),
        );
        condition.limit(limit);
        let sql = newest(NOTE, "agent_notes", &condition);
        self.rows(&sql, &condition.parameters(), note_row)
    }

    fn linked_files(
        &self,
        files: &[RepoPath],
        least: f64,
        limit: usize,
    ) -> StoreResult<Vec<RepoPath>> {
        if files.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let marks = vec!["?"; files.len()].join(",");
        let sql = format!(
            "SELECT file, max(weight) AS strongest FROM
                 (SELECT file_b AS file, weight FROM observer_co_access_edges
                  WHERE file_a IN ({marks}) AND weight > ?
                  UNION ALL
                  SELECT file_a, weight FROM observer_co_access_edges
                  WHERE file_b IN ({marks}) AND weight > ? AND source = 'sessions')
             WHERE file NOT IN ({marks})
             GROUP BY file ORDER BY strongest DESC, file LIMIT ?"
        );
        let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
        let limit = number(limit);
        let mut parameters: Vec<&dyn ToSql> = Vec::new();
        for last in [Some(&least), Some(&least), None] {
            parameters.extend(names.iter().map(|name| name as &dyn ToSql));
            parameters.extend(last.map(|least| least as &dyn ToSql));
        }
        parameters.push(&limit);
        self.rows(&sql, &parameters, |row, path| file_path(path, get(path, row, 0)?))
    }

    fn set_co_changes(&mut self, ties: &[CoChange], at: Timestamp) -> StoreResult<()> {
        self.without_sync(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction
                .execute("DELETE FROM observer_co_access_edges WHERE source = 'history'", [])?;
            for file_affinity in ties {
                transaction
                    .prepare_cached(
                        "INSERT OR REPLACE INTO observer_co_access_edges
                         (file_a, file_b, source, weight, raw_count, directional,
                          last_observed_at) VALUES (?, ?, 'history', ?, ?, 1, ?)",
                    )?
                    .execute(params![
                        file_affinity.file.as_str(),
                        file_affinity.other.as_str(),
                        file_affinity.weight,
                        file_affinity.count,
                        at.as_millis()
                    ])?;
            }
            transaction.commit()
        })
    }

    fn blank_injections(&mut self, id: &MemoryId) -> StoreResult<u64> {
        self.without_sync(|connection| {
            let sql = "UPDATE agent_injections SET text = '', why = '', fate_why = ''
                 WHERE memory = ?";
            Ok(connection.execute(sql, [id.as_bytes()])? as u64)
        })
    }

    fn transcripts(&self) -> StoreResult<Vec<String>> {
        let sql = "SELECT DISTINCT transcript FROM agent_event_paths WHERE transcript IS NOT NULL
                   ORDER BY transcript";
        let read = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        };
        read().map_err(|error| explain(&self.path, &error))
    }

    fn delete_events(&mut self, previous_session: Timestamp) -> StoreResult<u64> {
        self.without_sync(|connection| {
            // Rows are nearly in chronological order: the first row that is new enough ends the
            // scan.
            let dropped = connection.execute(
                "DELETE FROM agent_events WHERE at < ?1
                 AND seq < ifnull((SELECT seq FROM agent_events WHERE at >= ?1 ORDER BY seq LIMIT 1),
                                  9223372036854775807)
                 AND session NOT IN
                 (SELECT id FROM agent_sessions WHERE ended IS NULL AND last_at >= ?1)",
                [previous_session.as_millis()],
            )?;
            // Those of past sessions that were read from transcripts are not.
            let past = connection.execute(
                "DELETE FROM agent_events WHERE session IN
                 (SELECT id FROM agent_sessions WHERE last_at < ?1)",
                [previous_session.as_millis()],
            )?;
            connection.execute(
                "DELETE FROM agent_event_paths WHERE NOT EXISTS
                 (SELECT 1 FROM agent_events e WHERE e.session = agent_event_paths.session)",
                [],
            )?;
            // The signals of deleted sessions explain nothing any more.
            connection.execute(
                "DELETE FROM observer_signal_log WHERE created_at < ?",
                [previous_session.as_millis()],
            )?;
            Ok((dropped + past) as u64)
        })
    }
}

impl SqliteStore {
    /// Writes without waiting for the disk; a power failure may lose the write.
    pub(crate) fn without_sync<T>(
        &mut self,
        write: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        let path = self.path.clone();
        let fail = |error: rusqlite::Error| explain(&path, &error);
        self.connection.pragma_update(None, "synchronous", "normal").map_err(fail)?;
        let written = write(&mut self.connection).map_err(fail);
        self.fold_log();
        self.connection.pragma_update(None, "synchronous", "full").map_err(fail)?;
        written
    }

    /// Checkpoints a long write-ahead log, which every process that opens the store alone reads
    /// from the start. If others are active, the next process does it.
    pub(crate) fn fold_log(&self) {
        if std::fs::metadata(tacit_fs::with_suffix(&self.path, "-wal"))
            .is_ok_and(|meta| meta.len() > LONGEST_LOG)
        {
            let checkpoint = |connection: &Connection| {
                connection.busy_timeout(Duration::ZERO)?;
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            };
            let _ = checkpoint(&self.connection);
            let _ = self.connection.busy_timeout(self.busy_timeout);
        }
    }

    /// Like [`SqliteStore::without_sync`], but fails at once if another process is writing.
    pub(crate) fn without_waiting<T>(
        &mut self,
        write: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        let path = self.path.clone();
        let fail = |error: rusqlite::Error| explain(&path, &error);
        self.connection.busy_timeout(Duration::ZERO).map_err(fail)?;
        let written = self.without_sync(write);
        self.connection.busy_timeout(self.busy_timeout).map_err(fail)?;
        written
    }

    /// Reads rows about sessions and skips unreadable ones.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        read: impl Fn(&Row<'_>, &Path) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let fail = |error: rusqlite::Error| explain(&self.path, &error);
        let mut statement = self.connection.prepare_cached(sql).map_err(fail)?;
        let mut rows = statement.query(parameters).map_err(fail)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            // An unreadable row must not hide the others; `check` reports it.
            found.extend(read(row, &self.path).ok());
        }
        Ok(found)
    }
}

/// Inserts or replaces the counts of a memory.
pub(crate) fn put_uses(connection: &Connection, uses: &MemoryUses) -> rusqlite::Result<()> {
    let counts = &uses.counts;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO memory_uses
             (memory, judged, sessions, used, helped, contradicted, flagged, direct_judged,
              direct_sessions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            uses.memory.as_bytes(),
            counts.judged,
            counts.sessions,
            counts.used,
            counts.helped,
            counts.contradicted,
            counts.flagged,
            counts.direct_judged,
            counts.direct_sessions
        ])?;
    Ok(())
}

fn write_fates(transaction: &Connection, fates: &[InjectionFate]) -> rusqlite::Result<()> {
    for InjectionFate { event, memory, text, judged } in fates {
        transaction
            .prepare_cached(
                "UPDATE agent_injections SET fate = ?, fate_why = ?
                 WHERE event = ? AND memory IS ? AND text = ?",
            )?
            .execute(params![
                judged.fate.as_str(),
                judged.why,
                event,
                memory.as_ref().map(|id| *id.as_bytes()),
                text
            ])?;
    }
    Ok(())
}

fn write(transaction: &Connection, record: &ActivityBatch) -> rusqlite::Result<()> {
    let mut new = 0;
    for event in &record.events {
        let row = StoredRow::of(&event.record, &event.session).map_err(unwritable)?;
        let paths = row.paths.as_ref();
        let paths = paths.map(|paths| paths_id(transaction, &event.session, paths)).transpose()?;
        new += transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO agent_events
                 (id, session, at, kind, tool, subject, body, paths, packed)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    }
    if new == 0 && !record.events.is_empty() {
        return Ok(());
    }
    for update in &record.sessions {
        update_session(transaction, update)?;
    }
    for injection in &record.injections {
        transaction
            .prepare_cached(
                "INSERT INTO agent_injections
                 (session, agent, context, at, layer, event, memory, text, tokens, why, withheld)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                injection.session.as_str(),
                injection.agent,
                injection.context,
                injection.at.as_millis(),
                injection.layer,
                injection.event,
                injection.memory.as_ref().map(|id| *id.as_bytes()),
                injection.text,
                injection.tokens,
                injection.why,
                injection.withheld
            ])?;
    }
    for note in &record.notes {
        let files: Vec<&str> = note.files.iter().map(RepoPath::as_str).collect();
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO agent_notes (id, session, at, kind, text, files, body)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
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
    }
    Ok(())
}

/// Returns the row with these paths of a session; adds it if it is missing.
pub(crate) fn paths_id(
    connection: &Connection,
    session: &SessionId,
    paths: &EventPaths,
) -> rusqlite::Result<i64> {
    let values = params![session.as_str(), paths.cwd, paths.transcript];
    let known = connection
        .prepare_cached(
            "SELECT id FROM agent_event_paths WHERE session = ? AND cwd IS ? AND transcript IS ?",
        )?
        .query_row(values, |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    connection
        .prepare_cached(
            "INSERT INTO agent_event_paths (session, cwd, transcript) VALUES (?, ?, ?)",
        )?
        .insert(values)
}

fn update_session(connection: &Connection, update: &SessionUpdate) -> rusqlite::Result<()> {
    let (ended, compacted, asked) = match &update.change {
        SessionChange::Seen => (None, 0, 0),
        SessionChange::Compacted => (None, 1, 0),
        SessionChange::Asked => (None, 0, 1),
        SessionChange::Ended(reason) => (Some(reason), 0, 0),
    };
    // Activity after the end means that the session was resumed; a late report does not.
    connection
        .prepare_cached(
            "INSERT INTO agent_sessions
                 (id, client, started_at, last_at, ended, context, asked, held_out)
             VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET
                 started_at = min(started_at, ?3), last_at = max(last_at, ?3),
                 ended = CASE WHEN ?3 >= last_at THEN ?4 ELSE ended END,
                 context = context + ?5, asked = max(asked, ?6)",
        )?
        .execute(params![
            update.id.as_str(),
            update.client,
            update.at.as_millis(),
            ended,
            compacted,
            asked,
            update.held_out
        ])?;
    Ok(())
}

fn event_condition(query: &EventQuery) -> Condition {
    let mut condition = Condition::default();
    condition.given("session = ?", query.session.as_ref().map(ToString::to_string));
    condition.given("subject = ?", query.subject.clone());
    condition.given("seq < (SELECT seq FROM agent_events WHERE id = ?)", query.before.clone());
    // A single kind is looked up in its index, which has the requested order. For a session or
    // several kinds, the newest rows are scanned (`+` disables the index), because rows would have
    // to be sorted otherwise.
    let one = query.session.is_none() && query.kinds.len() == 1;
    condition.one_of(if one { "kind IN (?)" } else { "+kind IN (?)" }, query.kinds.iter());
    condition
}

/// Builds the query for the newest rows that match a condition.
fn newest(columns: &str, table: &str, condition: &Condition) -> String {
    let condition = condition.sql();
    format!("SELECT {columns} FROM {table} WHERE {condition} ORDER BY seq DESC LIMIT ?")
}

pub(crate) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
