//! Removal of rows whose parents were lost.

use rusqlite::Connection;

/// Statements that delete or repair orphaned rows.
const STATEMENTS: [&str; 10] = [
    "DELETE FROM change_items WHERE change NOT IN (SELECT id FROM changes)",
    "UPDATE changes SET reverts = NULL
     WHERE reverts IS NOT NULL AND reverts NOT IN (SELECT id FROM changes)",
    "UPDATE memories SET work_unit = NULL
     WHERE work_unit IS NOT NULL AND work_unit NOT IN (SELECT seq FROM work_units)",
    "DELETE FROM memory_links WHERE memory NOT IN (SELECT seq FROM memories)",
    "DELETE FROM memory_vectors WHERE memory NOT IN (SELECT seq FROM memories)",
    "DELETE FROM memory_vectors WHERE model NOT IN (SELECT seq FROM models)",
    // A truncated vector would be compared as if it were complete.
    "DELETE FROM memory_vectors
     WHERE length(vector) <> 4 * (SELECT dims FROM models WHERE seq = memory_vectors.model)",
    "DELETE FROM vector_queue WHERE memory NOT IN (SELECT seq FROM memories)",
    "DELETE FROM vector_queue WHERE model NOT IN (SELECT seq FROM models)",
    "UPDATE models SET active = 1 WHERE seq = (SELECT min(seq) FROM models)
     AND NOT EXISTS (SELECT 1 FROM models WHERE active)",
];

/// Deletes orphaned rows and returns their number. Memories without vectors are queued for
/// embedding.
pub(super) fn remove(connection: &Connection) -> rusqlite::Result<usize> {
    // The triggers keep the history append-only.
    let mut statement =
        connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?;
    let triggers: Vec<(String, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    drop(statement);
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}"))?;
    }
    let mut removed = 0;
    for sql in STATEMENTS {
        removed += connection.execute(sql, [])?;
    }
    for (_, sql) in &triggers {
        connection.execute_batch(sql)?;
    }
    connection.execute(
        "INSERT OR IGNORE INTO vector_queue (model, memory)
         SELECT o.seq, m.seq FROM models o, memories m WHERE m.meaning IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory = m.seq AND v.model = o.seq)",
        [],
    )?;
    Ok(removed)
}
