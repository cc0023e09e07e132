//! Statistics and integrity checks.

use tacit_core::{Memory, Timestamp};
use tacit_store::{StoreCheck, StoreResult};
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::{Connection, WriterLock};
use crate::keyed::{KeyedTable, Select};
use crate::text::hexadecimal;
use crate::unreadable;

/// Selects each memory that should have vectors of a model, has none, and does not wait for them.
const WITHOUT_VECTORS: &str = "FROM tacit.models o
    JOIN tacit.memories m ON m.project = o.project AND m.meaning IS NOT NULL
    WHERE o.project = $1
    AND NOT EXISTS (SELECT 1 FROM tacit.memory_vectors v
                    WHERE v.project = $1 AND v.model = o.seq AND v.seq = m.seq)
    AND NOT EXISTS (SELECT 1 FROM tacit.vector_queue q
                    WHERE q.project = $1 AND q.model = o.seq AND q.seq = m.seq)";

/// Queues the memories without vectors. Returns their number.
pub(crate) fn queue_missing_vectors(connection: &Connection, project: i64) -> StoreResult<u64> {
    connection.transaction(WriterLock::Wait(project), |connection| {
        let sql = format!(
            "INSERT INTO tacit.vector_queue (project, model, seq, holder)
             SELECT $1, o.seq, m.seq, m.holder {WITHOUT_VECTORS} ON CONFLICT DO NOTHING"
        );
        connection.execute(&sql, &[(&project, Type::INT8)])
    })
}

/// Checks what the user sees of a project. The server checks its own pages.
pub(crate) fn check(
    connection: &Connection,
    project: i64,
    thorough: bool,
) -> StoreResult<StoreCheck> {
    let sql = "SELECT
        (SELECT count(*) FROM tacit.memories m WHERE m.project = $1
         AND (m.length IS NULL OR m.length > 0 AND NOT EXISTS
              (SELECT 1 FROM tacit.memory_words w WHERE w.project = $1 AND w.seq = m.seq)))
        + (SELECT count(DISTINCT w.seq) FROM tacit.memory_words w WHERE w.project = $1
           AND NOT EXISTS (SELECT 1 FROM tacit.memories m
                           WHERE m.project = $1 AND m.seq = w.seq)),
        greatest((SELECT max(updated_at) FROM tacit.memories WHERE project = $1),
                 (SELECT max(at) FROM tacit.changes WHERE project = $1),
                 (SELECT max(last_at) FROM tacit.agent_sessions
                  WHERE project = $1 AND owner = session_user))";
    let of_project = [(&project as _, Type::INT8)];
    let row = connection.row(sql, &of_project)?;
    let newest: Option<i64> = connection.get(&row, 1)?;
    let mut check = StoreCheck {
        unindexed: connection.get::<i64>(&row, 0)?.unsigned_abs(),
        unreadable: unreadable::count(connection, project)?,
        newest: newest.and_then(Timestamp::from_millis),
        ..StoreCheck::default()
    };
    if thorough {
        let sql = format!("SELECT count(DISTINCT m.seq) {WITHOUT_VECTORS}");
        let row = connection.row(&sql, &of_project)?;
        check.without_vectors = connection.get::<i64>(&row, 0)?.unsigned_abs();
        check.problems = memories(connection, project)?;
    }
    Ok(check)
}

/// Returns the problems of memories that cannot be read, or whose columns differ from them.
fn memories(connection: &Connection, project: i64) -> StoreResult<Vec<String>> {
    let table = KeyedTable { name: "memories", key: &[("seq", "bigint")], own: false };
    let (mut problems, mut wrong) = (Vec::new(), 0);
    let select = Select::columns("t.doc, t.id, t.status, t.type, t.updated_at");
    let read = |row: &Columns<'_>| {
        let memory = Memory::from_json_str(row.get(0)?).map_err(|error| {
            let id = row.get::<&[u8]>(1).map(hexadecimal).unwrap_or_default();
            row.damaged(format!("the memory {id} cannot be read: {error}"))
        })?;
        Ok(memory.id == row.memory(1)?
            && memory.status.kind().as_str() == row.get::<&str>(2)?
            && memory.body.subject.memory_type().as_str() == row.get::<&str>(3)?
            && memory.updated_at == row.moment(4)?)
    };
    table.visit(connection, project, &select, read, |_, row| match row {
        Ok(true) => {}
        Ok(false) => wrong += 1,
        Err(error) => problems.push(error.to_string()),
    })?;
    if wrong > 0 {
        problems.push(format!("{wrong} memories differ from the columns they are found by"));
    }
    Ok(problems)
}
