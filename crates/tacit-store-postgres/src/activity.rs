//! Storage of session activity. Each member sees only their own sessions.

mod deletion;
mod fates;
mod record;
mod rows;

use tacit_core::{MemoryId, RepoPath, SessionId, Timestamp};
use tacit_store::{
    ActivityBatch, ActivityStore, CoChange, Event, EventQuery, Injection, InjectionFate,
    InjectionQuery, MemoryUses, Note, Session, StoreResult,
};
use tokio_postgres::types::Type;

pub(crate) use rows::{
    EVENT, INJECTION, NOTE, PATHS, SESSION, USES, event_row, injection_row, note_row, session_row,
    uses_row,
};

use crate::text::number;
use rows::SUMS;

use crate::connection::Parameter;
use crate::store::PostgresStore;

/// The number of newest memories that are searched for sessions.
const LOOKED_AT: i64 = 5_000;

impl ActivityStore for PostgresStore {
    fn record_all(&mut self, records: &[ActivityBatch]) -> StoreResult<()> {
        record::record_all(&self.connection, self.project, records)
    }

    fn session(&self, id: &SessionId) -> StoreResult<Option<Session>> {
        let sql = format!(
            "SELECT {SESSION} FROM tacit.agent_sessions t WHERE t.project = $1
             AND t.owner = session_user AND t.id = $2"
        );
        let parameters: &[Parameter<'_>] =
            &[(&self.project, Type::INT8), (&id.as_str(), Type::TEXT)];
        let found = self.connection.read_readable(&sql, parameters, session_row)?;
        Ok(found.into_iter().next())
    }

    fn recent_sessions(&self, limit: usize) -> StoreResult<Vec<SessionId>> {
        let sql = "SELECT s.value FROM
                 (SELECT seq, created_at FROM tacit.memories WHERE project = $1
                  ORDER BY created_at DESC, id DESC LIMIT $2) m
             JOIN tacit.memory_marks s ON s.project = $1 AND s.kind = 'session' AND s.seq = m.seq
             GROUP BY s.value ORDER BY max(m.created_at) DESC, s.value LIMIT $3";
        self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&LOOKED_AT, Type::INT8), (&number(limit), Type::INT8)],
            |row| row.parsed(0),
        )
    }

    fn events(&self, query: &EventQuery) -> StoreResult<Vec<Event>> {
        rows::events(&self.connection, self.project, query)
    }

    fn count_events(&self, query: &EventQuery) -> StoreResult<usize> {
        rows::count_events(&self.connection, self.project, query)
    }

    fn injections(&self, query: &InjectionQuery) -> StoreResult<Vec<Injection>> {
        rows::injections(&self.connection, self.project, query)
    }

    fn set_fates(&mut self, fates: &[InjectionFate]) -> StoreResult<()> {
        fates::save(&self.connection, self.project, None, &[], fates)
    }

    fn sessions_to_judge(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>> {
        let sql = format!(
            "SELECT {SESSION} FROM tacit.agent_sessions t
             WHERE t.project = $1 AND t.owner = session_user
             AND (t.judged_upto IS NULL OR t.judged_upto < t.last_at)
             AND (t.ended IS NOT NULL OR t.last_at < $2)
             AND EXISTS (SELECT 1 FROM tacit.agent_injections i
                         WHERE i.project = $1 AND i.session = t.id AND i.owner = t.owner
                         AND i.memory IS NOT NULL AND NOT i.withheld)
             ORDER BY t.last_at, t.id LIMIT $3"
        );
        self.connection.read_readable(
            &sql,
            &[
                (&self.project, Type::INT8),
                (&silent.as_millis(), Type::INT8),
                (&number(limit), Type::INT8),
            ],
            session_row,
        )
    }

    fn save_judgement(
        &mut self,
        session: &SessionId,
        upto: Timestamp,
        events: &[String],
        fates: &[InjectionFate],
    ) -> StoreResult<()> {
        fates::save(&self.connection, self.project, Some((session, upto)), events, fates)
    }

    fn set_memory_uses(&mut self, uses: &[MemoryUses]) -> StoreResult<()> {
        fates::set_uses(&self.connection, self.project, uses)
    }

    fn memory_uses(&self) -> StoreResult<Vec<MemoryUses>> {
        // Everybody judges their own sessions; the sums are the team's.
        let sql = format!(
            "SELECT {SUMS} FROM tacit.memory_uses t WHERE project = $1
             GROUP BY memory ORDER BY memory"
        );
        self.connection.read_readable(&sql, &[(&self.project, Type::INT8)], uses_row)
    }

    fn injection_counts(&self, only: Option<&[MemoryId]>) -> StoreResult<Vec<(MemoryId, u64)>> {
        let ids = only.map(|ids| ids.iter().map(|id| id.as_bytes().to_vec()).collect::<Vec<_>>());
        let sql = "SELECT memory, count(*) FROM tacit.agent_injections
                   WHERE project = $1 AND owner = session_user AND memory IS NOT NULL
                   AND NOT withheld
                   AND ($2::bytea[] IS NULL OR memory = ANY ($2))
                   GROUP BY memory ORDER BY memory";
        self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&ids, Type::BYTEA_ARRAY)],
            |row| Ok((row.memory(0)?, row.count(1)?)),
        )
    }

    fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> StoreResult<Vec<Note>> {
        rows::notes(&self.connection, self.project, session, files, limit)
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
        let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
        let sql = "SELECT file FROM
                 (SELECT file_b AS file, weight FROM tacit.observer_co_access_edges
                  WHERE project = $1 AND file_a = ANY ($2) AND weight > $3
                  UNION ALL
                  SELECT file_a, weight FROM tacit.observer_co_access_edges
                  WHERE project = $1 AND file_b = ANY ($2) AND weight > $3
                  AND source = 'sessions') linked
             WHERE file <> ALL ($2)
             GROUP BY file ORDER BY max(weight) DESC, file LIMIT $4";
        self.connection.read_readable(
            sql,
            &[
                (&self.project, Type::INT8),
                (&names, Type::TEXT_ARRAY),
                (&least, Type::FLOAT8),
                (&number(limit), Type::INT8),
            ],
            |row| row.path(0),
        )
    }

    fn set_co_changes(&mut self, ties: &[CoChange], at: Timestamp) -> StoreResult<()> {
        crate::observed::set_co_changes(&self.connection, self.project, ties, at)
    }

    fn blank_injections(&mut self, id: &MemoryId) -> StoreResult<u64> {
        crate::quotes::blank_injections(&self.connection, self.project, id)
    }

    fn transcripts(&self) -> StoreResult<Vec<String>> {
        let sql = "SELECT DISTINCT transcript FROM tacit.agent_event_paths
                   WHERE project = $1 AND owner = session_user AND transcript IS NOT NULL
                   ORDER BY transcript";
        self.connection.read(sql, &[(&self.project, Type::INT8)], |row| row.text(0))
    }

    fn delete_events(&mut self, before: Timestamp) -> StoreResult<u64> {
        deletion::delete_events(&self.connection, self.project, before)
    }
}
