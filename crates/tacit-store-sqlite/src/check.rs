//! Statistics and integrity checks.

use std::path::Path;

use rusqlite::Connection;
use tacit_core::Timestamp;
use tacit_store::{StoreCheck, StoreError, StoreResult, StoreStats};

use crate::error::explain;
use crate::{lists, row, unreadable};

pub(crate) fn stats(connection: &Connection, path: &Path) -> StoreResult<StoreStats> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let counts = |sql: &str| -> StoreResult<Vec<(String, u64)>> {
        let mut statement = connection.prepare_cached(sql).map_err(fail)?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, count_of(row, 1)?))).map_err(fail)?;
        rows.collect::<Result<_, _>>().map_err(fail)
    };
    let count = |sql: &str| -> StoreResult<u64> {
        connection.query_row(sql, [], |row| count_of(row, 0)).map_err(fail)
    };
    let by = |column: &str| {
        counts(&format!(
            "SELECT {column}, count(*) FROM memories WHERE status = 'active'
             GROUP BY 1 ORDER BY 2 DESC, 1"
        ))
    };
    Ok(StoreStats {
        by_status: counts("SELECT status, count(*) FROM memories GROUP BY 1 ORDER BY 2 DESC, 1")?,
        by_type: by("type")?,
        by_source: by("source")?,
        by_scope: by("scope")?,
        tags: counts(
            "SELECT t.tag, count(*) FROM memory_tags t JOIN memories m ON m.seq = t.memory
             WHERE m.status = 'active' GROUP BY 1 ORDER BY 2 DESC, 1",
        )?,
        stale: count(
            "SELECT count(*) FROM memories WHERE stale_at IS NOT NULL AND status = 'active'",
        )?,
        changes: count("SELECT count(*) FROM changes")?,
        bytes: size_on_disk(path),
    })
}

fn count_of(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

/// Returns the size of the database and its log, in bytes.
fn size_on_disk(path: &Path) -> u64 {
    let log = path.with_file_name(
        path.file_name().map(|name| format!("{}-wal", name.to_string_lossy())).unwrap_or_default(),
    );
    [path, &log].iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len()).sum()
}

/// Selects each memory that should have vectors of a model, has none that is complete, and does not
/// wait for them.
const WITHOUT_VECTORS: &str = "FROM models o, memories m WHERE m.meaning IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory = m.seq AND v.model = o.seq
        AND length(v.vector) = 4 * o.dims)
    AND NOT EXISTS (SELECT 1 FROM vector_queue q WHERE q.memory = m.seq AND q.model = o.seq)";

/// Deletes incomplete vectors and queues the memories without any. Returns their number.
pub(crate) fn queue_missing_vectors(connection: &Connection) -> rusqlite::Result<u64> {
    connection.execute(
        "DELETE FROM memory_vectors
         WHERE length(vector) <> 4 * (SELECT dims FROM models WHERE seq = memory_vectors.model)",
        [],
    )?;
    let sql = format!(
        "INSERT OR IGNORE INTO vector_queue (model, memory) SELECT o.seq, m.seq {WITHOUT_VECTORS}"
    );
    connection.execute(&sql, []).map(|queued| queued as u64)
}

/// Returns the time of the newest row of memories, history and sessions.
fn newest(connection: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT max(at) FROM (SELECT max(updated_at) AS at FROM memories
               UNION ALL SELECT max(at) FROM changes
               UNION ALL SELECT max(last_at) FROM agent_sessions)";
    let at: Option<i64> = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(at.and_then(Timestamp::from_millis))
}

/// Checks the text index. SQLite needs the write lock for it, so the check is skipped if the
/// database is read-only, and a locked database is reported as busy instead of damaged.
fn text_index(connection: &Connection, path: &Path) -> StoreResult<Option<String>> {
    let sql = "INSERT INTO memory_text (memory_text) VALUES ('integrity-check')";
    let Err(error) = connection.execute(sql, []) else { return Ok(None) };
    match explain(path, &error) {
        StoreError::ReadOnly { .. } => Ok(None),
        StoreError::Damaged { .. } | StoreError::Failed { .. } => {
            Ok(Some(format!("the text index is damaged: {error}")))
        }
        other => Err(other),
    }
}

pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    thorough: bool,
) -> StoreResult<StoreCheck> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut check = StoreCheck::default();
    let pragma = if thorough { "integrity_check" } else { "quick_check" };
    connection
        .pragma_query(None, pragma, |row| {
            let line: String = row.get(0)?;
            if line != "ok" {
                check.problems.push(line);
            }
            Ok(())
        })
        .map_err(fail)?;
    let missing: u64 = connection
        .query_row(
            "SELECT (SELECT count(*) FROM memories WHERE seq NOT IN (SELECT id FROM memory_text_docsize))
                  + (SELECT count(*) FROM memory_text_docsize WHERE id NOT IN (SELECT seq FROM memories))",
            [],
            |row| count_of(row, 0),
        )
        .map_err(fail)?;
    check.unindexed = missing;
    check.unreadable = unreadable::count(connection).map_err(fail)?;
    check.newest = newest(connection).map_err(fail)?;
    if thorough {
        check.without_vectors = connection
            .query_row(&format!("SELECT count(DISTINCT m.seq) {WITHOUT_VECTORS}"), [], |row| {
                count_of(row, 0)
            })
            .map_err(fail)?;
        check.problems.extend(text_index(connection, path)?);
        let dangling: i64 = connection
            .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))
            .map_err(fail)?;
        if dangling > 0 {
            check.problems.push(format!("{dangling} rows point to rows that are not there"));
        }
        let wrong = lists::count_wrong(connection).map_err(fail)?;
        if wrong > 0 {
            check.problems.push(format!("{wrong} memories have other lists than their tables"));
        }
        let sql = format!("SELECT {} FROM memories m", row::COLUMNS);
        if let Err(error) = row::select(connection, path, &sql, &[]) {
            check.problems.push(error.to_string());
        }
    }
    Ok(check)
}
