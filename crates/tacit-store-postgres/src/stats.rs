//! Statistics of a store.

use tacit_store::{StoreResult, StoreStats};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::text::from_stored;

/// Returns statistics of a project. Its size is that of its memories and their history: other tables and
/// indexes are shared with other projects.
pub(crate) fn stats(connection: &Connection, project: i64) -> StoreResult<StoreStats> {
    let project: [Parameter<'_>; 1] = [(&project, Type::INT8)];
    let pair = |row: &Row| -> StoreResult<(String, u64)> {
        let count = connection.get::<i64>(row, 1)?.unsigned_abs();
        Ok((from_stored(connection.get(row, 0)?), count))
    };
    let counts = |sql: &str| -> StoreResult<Vec<(String, u64)>> {
        connection.rows(sql, &project)?.iter().map(pair).collect()
    };
    let by = |column: &str| {
        counts(&format!(
            "SELECT {column}, count(*) FROM memories WHERE project = $1 AND status = 'active'
             GROUP BY 1 ORDER BY 2 DESC, 1"
        ))
    };
    let totals = connection.row(
        "SELECT (SELECT count(*) FROM memories
                 WHERE project = $1 AND stale_at IS NOT NULL AND status = 'active'),
                (SELECT count(*) FROM changes WHERE project = $1),
                (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m WHERE project = $1)
                + (SELECT coalesce(sum(pg_column_size(i.*)), 0) FROM change_items i
                   WHERE project = $1)",
        &project,
    )?;
    let total = |column| Ok(connection.get::<i64>(&totals, column)?.unsigned_abs());
    Ok(StoreStats {
        by_status: counts(
            "SELECT status, count(*) FROM memories WHERE project = $1
             GROUP BY 1 ORDER BY 2 DESC, 1",
        )?,
        by_type: by("type")?,
        by_source: by("source")?,
        by_scope: by("scope")?,
        tags: counts(
            "SELECT k.value, count(*) FROM memory_marks k
             JOIN memories m ON m.project = $1 AND m.seq = k.seq AND m.status = 'active'
             WHERE k.project = $1 AND k.kind = 'tag' GROUP BY 1 ORDER BY 2 DESC, 1",
        )?,
        stale: total(0)?,
        changes: total(1)?,
        bytes: total(2)?,
    })
}
