//! Writing of memories' rows and marks: those of many memories in one statement, as JSON.

use std::collections::HashMap;

use serde_json::{Value, json};
use tacit_core::{Confidence, Memory, MemoryId, Timestamp};
use tacit_store::StoreResult;
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::history::may_not_write;
use crate::row::{doc_of, marks_of, unit_path};
use crate::text::{hexadecimal, to_stored};

/// The start of both statements: the memories, which differ.
const GIVEN: &str = "
    WITH given AS (
        SELECT decode(g.memory, 'hex') AS id, decode(g.hash, 'hex') AS content_hash, g.*
        FROM json_to_recordset($2::text::json) AS g (
            place bigint, memory text, hash text, visibility text, short bigint, type text,
            source text, scope text, status text, review text, author text,
            confidence double precision, created_at bigint, updated_at bigint, stale_at bigint,
            access_count bigint, last_accessed_at bigint, methodology text, unit_path text,
            doc text, marks json))";

/// Gives the memories the next keys, in their order.
const INSERT: &str = "
    , number AS (
        UPDATE counters SET memory = memory + (SELECT count(*) FROM given) WHERE project = $1
        RETURNING memory - (SELECT count(*) FROM given) AS before),
    added AS (
        INSERT INTO memories (project, seq, id, visibility, short, content_hash, type, source,
            scope, status, review, author, confidence, created_at, updated_at, stale_at,
            access_count, last_accessed_at, methodology, unit_path, doc)
        SELECT $1, number.before + place, id, visibility, short, content_hash, type, source,
            scope, status, review, author, confidence, created_at, updated_at, stale_at,
            access_count, last_accessed_at, methodology, unit_path, doc
        FROM given CROSS JOIN number RETURNING id, seq, holder),
    marked AS (
        INSERT INTO memory_marks (project, kind, value, seq, holder)
        SELECT $1, k.kind, k.value, added.seq, added.holder
        FROM added JOIN given USING (id)
        CROSS JOIN json_to_recordset(given.marks) AS k (kind text, value text))
    SELECT id, seq, holder FROM added";

const UPDATE: &str = "
    , changed AS (
        UPDATE memories m SET visibility = g.visibility, short = g.short,
            content_hash = g.content_hash, type = g.type, source = g.source, scope = g.scope,
            status = g.status, review = g.review, author = g.author, confidence = g.confidence,
            created_at = g.created_at, updated_at = g.updated_at, stale_at = g.stale_at,
            access_count = g.access_count, last_accessed_at = g.last_accessed_at,
            methodology = g.methodology, unit_path = g.unit_path, doc = g.doc
        FROM given g WHERE m.project = $1 AND m.id = g.id RETURNING m.id, m.seq, m.holder),
    wanted AS (
        SELECT changed.seq, changed.holder, k.kind, k.value
        FROM changed JOIN given USING (id)
        CROSS JOIN json_to_recordset(given.marks) AS k (kind text, value text)),
    gone AS (
        DELETE FROM memory_marks k USING changed
        WHERE k.project = $1 AND k.seq = changed.seq AND k.kind <> 'band'
        AND NOT EXISTS (SELECT 1 FROM wanted w
                        WHERE w.seq = k.seq AND w.kind = k.kind AND w.value = k.value)),
    marked AS (
        INSERT INTO memory_marks (project, kind, value, seq, holder)
        SELECT $1, kind, value, seq, holder FROM wanted
        ON CONFLICT DO NOTHING)
    SELECT id, seq, holder FROM changed";

/// The row of a memory that was written.
#[derive(Debug, Clone)]
pub(crate) struct WrittenRow {
    pub(crate) seq: i64,
    /// The only person who sees the memory; empty if the team does.
    pub(crate) holder: String,
}

/// Inserts memories. Returns their rows in the same order.
pub(crate) fn insert(
    connection: &Connection,
    project: i64,
    memories: &[&Memory],
) -> StoreResult<Vec<WrittenRow>> {
    put(connection, project, memories, INSERT)
}

/// Updates memories. Returns their rows in the same order.
pub(crate) fn update(
    connection: &Connection,
    project: i64,
    memories: &[&Memory],
) -> StoreResult<Vec<WrittenRow>> {
    put(connection, project, memories, UPDATE)
}

fn put(
    connection: &Connection,
    project: i64,
    memories: &[&Memory],
    end: &str,
) -> StoreResult<Vec<WrittenRow>> {
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let given = memories.iter().zip(1_i64..);
    let given = given.map(|(memory, place)| json_of(connection, memory, place));
    let given = Value::Array(given.collect::<StoreResult<_>>()?).to_string();
    let written = connection.read(
        &format!("{GIVEN}{end}"),
        &[(&project, Type::INT8), (&given, Type::TEXT)],
        |row| Ok((row.memory(0)?, WrittenRow { seq: row.get(1)?, holder: row.text(2)? })),
    )?;
    let mut written: HashMap<MemoryId, WrittenRow> = written.into_iter().collect();
    // Row-level security hides the rows that the user must not change.
    let rows = memories.iter().map(|memory| written.remove(&memory.id));
    rows.collect::<Option<_>>().ok_or_else(|| may_not_write(connection))
}

/// Returns the columns of a memory; `place` is its number among those that are written together.
fn json_of(connection: &Connection, memory: &Memory, place: i64) -> StoreResult<Value> {
    let body = &memory.body;
    let placement = body.subject.placement();
    let unit = placement.work_unit();
    let (kinds, values) = marks_of(memory);
    let marks = kinds.iter().zip(&values);
    let marks: Vec<Value> =
        marks.map(|(kind, value)| json!({"kind": kind, "value": value})).collect();
    Ok(json!({
        "place": place,
        "memory": hexadecimal(memory.id.as_bytes()),
        "hash": hexadecimal(memory.content_hash().as_bytes()),
        "visibility": body.visibility.as_str(),
        "short": memory.id.short().value(),
        "type": to_stored(memory.memory_type().as_str()),
        "source": body.origin.source.as_str(),
        "scope": placement.scope().as_str(),
        "status": memory.status.kind().as_str(),
        "review": body.trust.review.as_str(),
        "author": body.origin.author.as_ref().map(|author| to_stored(author.as_str())),
        "confidence": Confidence::value(body.derived_confidence.unwrap_or(body.confidence)),
        "created_at": memory.created_at.as_millis(),
        "updated_at": memory.updated_at.as_millis(),
        "stale_at": body.trust.stale_at.map(Timestamp::as_millis),
        "access_count": i64::try_from(memory.usage.access_count).unwrap_or(i64::MAX),
        "last_accessed_at": memory.usage.last_accessed_at.as_millis(),
        "methodology": unit.map(|unit| to_stored(unit.methodology())),
        "unit_path": unit.map(|unit| unit_path(unit.hierarchy())),
        "doc": doc_of(connection, memory)?,
        "marks": marks,
    }))
}
