//! Changes of a project since a machine last asked.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tacit_core::MemoryId;
use tacit_store::{ChangeId, Delta, StoreResult};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::open::hello;
use crate::row::{bytes_of, identifier, memory};
use crate::settings::{ServerSettings, Timeouts};
use crate::store::PostgresStore;
use crate::text::number;

/// Selects the memories in the changes after `$2`, in whole changes, of about `$3` memories. `project` is an
/// expression for the number of the project. Every row has the last change that is covered and the last one;
/// rows of memories that are gone have no `doc`, and say whether they were purged.
fn statement(project: &str) -> String {
    format!(
        "WITH latest AS (
            SELECT coalesce(max(c.id), 0) AS id FROM tacit.changes c WHERE c.project = {project}),
        page AS (
            SELECT coalesce((
                SELECT i.change FROM tacit.change_items i
                WHERE i.project = {project} AND i.change > $2
                ORDER BY i.change, i.item LIMIT 1 OFFSET greatest($3 - 1, 0)),
                (SELECT id FROM latest)) AS last),
        touched AS (
            SELECT DISTINCT i.memory FROM tacit.change_items i WHERE i.project = {project}
            AND i.change > $2 AND i.change <= (SELECT last FROM page))
        SELECT m.seq, m.doc, m.access_count, m.last_accessed_at, t.memory, page.last, latest.id,
            m.seq IS NULL AND EXISTS (
                SELECT 1 FROM tacit.change_items p
                JOIN tacit.changes c ON c.project = p.project AND c.id = p.change
                WHERE p.project = {project} AND p.memory = t.memory AND c.kind = 'purge')
        FROM page CROSS JOIN latest LEFT JOIN touched t ON true
        LEFT JOIN tacit.memories m ON m.project = {project} AND m.id = t.memory
        ORDER BY t.memory"
    )
}

impl PostgresStore {
    /// Returns the changes after one, in whole changes, about `limit` memories at once.
    pub(crate) fn changed_since(&self, since: ChangeId, limit: usize) -> StoreResult<Delta> {
        let rows = self.connection.rows(
            &statement("$1"),
            &[(&self.project, Type::INT8), (&since, Type::INT8), (&number(limit), Type::INT8)],
        )?;
        read(&self.connection, &rows, since)
    }
}

/// Returns those of these memories that were purged.
pub(crate) fn purged_of(store: &PostgresStore, ids: &[MemoryId]) -> StoreResult<Vec<MemoryId>> {
    let sql = "SELECT DISTINCT i.memory FROM change_items i
         JOIN changes c ON c.project = i.project AND c.id = i.change
         WHERE i.project = $1 AND i.memory = ANY ($2) AND c.kind = 'purge'
         AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.project = $1 AND m.id = i.memory)
         ORDER BY i.memory";
    let parameters: [Parameter<'_>; 2] =
        [(&store.project, Type::INT8), (&bytes_of(ids), Type::BYTEA_ARRAY)];
    let rows = store.connection.rows(sql, &parameters)?;
    rows.iter().map(|row| identifier(&store.connection, row, 0)).collect()
}

/// Connects and returns the changes after one, in one round trip after the connection is there. All of it
/// takes no longer than `patience`.
pub fn fetch_delta(
    settings: &ServerSettings,
    identity: &str,
    since: ChangeId,
    limit: usize,
    patience: Duration,
) -> StoreResult<Delta> {
    let begun = Instant::now();
    let timeouts = Timeouts { connect: patience, statement: patience, busy: patience };
    let connection = Connection::open(settings, timeouts)?;
    connection.set_patience(patience.saturating_sub(begun.elapsed()));
    let limit = number(limit);
    let (hello, rows) = connection.rows_of_two(
        (&hello(timeouts), &[(&identity, Type::TEXT)]),
        (
            &statement("(SELECT f.project FROM tacit.find_project($1) AS f)"),
            &[(&identity, Type::TEXT), (&since, Type::INT8), (&limit, Type::INT8)],
        ),
    )?;
    let store = PostgresStore::greeted(connection, identity, &hello)?;
    read(&store.connection, &rows, since)
}

fn read(connection: &Connection, rows: &[Row], since: ChangeId) -> StoreResult<Delta> {
    let mut delta = Delta { upto: since, ..Delta::default() };
    let (mut removed, mut purged) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let last: ChangeId = connection.get(row, 5)?;
        let latest: ChangeId = connection.get(row, 6)?;
        // Below `since` if the server has lost changes.
        delta.upto = if latest < since { latest } else { last.max(since) };
        delta.more = last < latest;
        if connection.get::<Option<&[u8]>>(row, 4)?.is_none() {
            continue;
        }
        // A row that no version of tacit wrote must not keep copies from following the others.
        if connection.get::<Option<&str>>(row, 1)?.is_some() {
            delta.memories.extend(memory(connection, row).ok().map(|(_, memory)| memory));
        } else {
            let Ok(id) = identifier(connection, row, 4) else { continue };
            removed.insert(id);
            if connection.get(row, 7)? {
                purged.insert(id);
            }
        }
    }
    delta.removed = removed.into_iter().collect();
    delta.purged = purged.into_iter().collect();
    Ok(delta)
}
