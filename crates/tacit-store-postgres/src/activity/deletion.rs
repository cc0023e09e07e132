//! Deletion of old events.

use tacit_core::Timestamp;
use tacit_store::StoreResult;
use tokio_postgres::types::Type;

use crate::connection::Connection;

/// Deletes events before a time, except those of open sessions. Rows are nearly in chronological
/// order: the first event that is new enough ends the part that is deleted. Events of past sessions
/// were read from transcripts, in any order.
const EVENTS: &str = "
DELETE FROM tacit.agent_events e WHERE e.project = $1 AND e.owner = session_user
AND (e.session IN (SELECT s.id FROM tacit.agent_sessions s
                   WHERE s.project = $1 AND s.owner = session_user AND s.last_at < $2)
     OR e.at < $2
     AND e.seq < coalesce((SELECT min(n.seq) FROM tacit.agent_events n
                           WHERE n.project = $1 AND n.owner = session_user AND n.at >= $2),
                          9223372036854775807)
     AND e.session NOT IN
         (SELECT s.id FROM tacit.agent_sessions s
          WHERE s.project = $1 AND s.owner = session_user AND s.ended IS NULL AND s.last_at >= $2))";

/// Deletes the paths of sessions without events, and signals before a time: those of deleted
/// sessions explain nothing any more.
const REST: &str = "
WITH paths AS (
    DELETE FROM tacit.agent_event_paths p WHERE p.project = $1 AND p.owner = session_user
    AND NOT EXISTS (SELECT 1 FROM tacit.agent_events e
                    WHERE e.project = $1 AND e.owner = session_user AND e.session = p.session))
DELETE FROM tacit.observer_signal_log
WHERE project = $1 AND owner = session_user AND created_at < $2";

/// Deletes the user's events before a time, except those of open sessions. Returns their number.
pub(super) fn delete_events(
    connection: &Connection,
    project: i64,
    before: Timestamp,
) -> StoreResult<u64> {
    let at = before.as_millis();
    let deleted = connection.execute(EVENTS, &[(&project, Type::INT8), (&at, Type::INT8)])?;
    connection.execute(REST, &[(&project, Type::INT8), (&at, Type::INT8)])?;
    Ok(deleted)
}
