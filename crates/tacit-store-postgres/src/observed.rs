//! Storage of the observer's conclusions, which are those of each person's sessions, and of the
//! counters of files, which the project's members share.

mod counters;

use tacit_core::log::LogKind;
use tacit_core::{RepoPath, SessionId, Timestamp};
use tacit_store::{
    ErrorOccurrences, FileAffinity, LoggedSignal, ObservedState, ObservedTree, ObserverStore,
    Session, StoreResult,
};
use tokio_postgres::types::Type;

pub(crate) use counters::set_co_changes;

use crate::activity::{SESSION, session_row};
use crate::connection::WriterLock;
use crate::store::PostgresStore;
use crate::text::number;
use crate::text::to_stored;

impl ObserverStore for PostgresStore {
    fn sessions_to_observe(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>> {
        let sql = format!(
            "SELECT {SESSION} FROM tacit.agent_sessions t
             LEFT JOIN tacit.observer_sessions o
                 ON o.project = t.project AND o.owner = t.owner AND o.session = t.id
             WHERE t.project = $1 AND t.owner = session_user
             AND (o.session IS NULL OR o.upto < t.last_at OR o.state = 'waits')
             AND (t.ended IS NOT NULL OR t.last_at < $2
                  OR EXISTS (SELECT 1 FROM tacit.agent_events e
                             WHERE e.project = t.project AND e.owner = t.owner
                             AND e.session = t.id AND e.kind IN ('{}', '{}')
                             AND e.at > coalesce(o.upto, 0)))
             ORDER BY t.last_at, t.id LIMIT $3",
            LogKind::Check,
            LogKind::WorkUnit
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

    fn latest_sessions(&self, limit: usize) -> StoreResult<Vec<(Session, Option<ObservedState>)>> {
        let sql = format!(
            "SELECT {SESSION}, o.state FROM tacit.agent_sessions t
             LEFT JOIN tacit.observer_sessions o ON o.project = t.project AND o.owner = t.owner
                 AND o.session = t.id AND o.upto >= t.last_at
             WHERE t.project = $1 AND t.owner = session_user
             ORDER BY t.last_at DESC, t.id LIMIT $2"
        );
        self.connection.read_readable(
            &sql,
            &[(&self.project, Type::INT8), (&number(limit), Type::INT8)],
            |row| {
                let state = row.get::<Option<&str>>(8)?.map(|state| match state {
                    "waits" => ObservedState::Waits,
                    _ => ObservedState::Done,
                });
                Ok((session_row(row)?, state))
            },
        )
    }

    fn digests(&self, limit: usize) -> StoreResult<Vec<String>> {
        let sql = "SELECT digest FROM tacit.observer_sessions
                   WHERE project = $1 AND digest IS NOT NULL
                   ORDER BY at DESC, session, owner LIMIT $2";
        self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&number(limit), Type::INT8)],
            |row| row.text(0),
        )
    }

    fn tree_of(&self, session: &SessionId) -> StoreResult<Option<SessionId>> {
        let sql = "SELECT tree FROM tacit.observer_sessions WHERE project = $1 AND session = $2
                   ORDER BY owner = session_user DESC, owner LIMIT 1";
        let found = self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&session.as_str(), Type::TEXT)],
            |row| row.parsed(0),
        )?;
        Ok(found.into_iter().next())
    }

    fn signals(&self, tree: &SessionId) -> StoreResult<Vec<LoggedSignal>> {
        let sql = "SELECT kind, body, score FROM tacit.observer_signal_log
                   WHERE project = $1 AND owner = session_user AND session = $2 ORDER BY seq";
        self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&tree.as_str(), Type::TEXT)],
            |row| Ok(LoggedSignal { kind: row.text(0)?, body: row.text(1)?, score: row.get(2)? }),
        )
    }

    fn save_observed_tree(&mut self, observed: &ObservedTree) -> StoreResult<()> {
        self.connection.transaction(WriterLock::None, |connection| {
            counters::save(connection, self.project, observed)
        })
    }

    fn file_affinity(&self, one: &RepoPath, other: &RepoPath) -> StoreResult<Option<FileAffinity>> {
        let (a, b) = if one < other { (one, other) } else { (other, one) };
        let sql = "SELECT weight, raw_count, coalesce(avg_time_delta_ms, 0), directional
                   FROM tacit.observer_co_access_edges
                   WHERE project = $1 AND file_a = $2 AND file_b = $3 AND source = 'sessions'";
        let found = self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&a.as_str(), Type::TEXT), (&b.as_str(), Type::TEXT)],
            |row| {
                Ok(FileAffinity {
                    weight: row.get(0)?,
                    sessions: row.count(1)?,
                    delta_ms: row.get(2)?,
                    directional: row.get(3)?,
                })
            },
        )?;
        Ok(found.into_iter().next())
    }

    fn error_occurrences(&self, fingerprint: &str) -> StoreResult<Option<ErrorOccurrences>> {
        let sql = "SELECT fingerprint, tool, message, occurrence_count, resolved_how
                   FROM tacit.observer_error_patterns
                   WHERE project = $1 AND owner = session_user AND fingerprint = $2
                   ORDER BY last_seen_at DESC, tool LIMIT 1";
        let found = self.connection.read_readable(
            sql,
            &[(&self.project, Type::INT8), (&to_stored(fingerprint), Type::TEXT)],
            |row| {
                Ok(ErrorOccurrences {
                    fingerprint: row.text(0)?,
                    tool: row.text(1)?,
                    message: row.text(2)?,
                    count: row.count(3)?,
                    resolved_how: row.optional_text(4)?,
                })
            },
        )?;
        Ok(found.into_iter().next())
    }
}
