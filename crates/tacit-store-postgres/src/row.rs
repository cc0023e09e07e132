//! Storage of memories as rows: the whole memory as JSON, and columns that are searched.

use std::collections::HashMap;

use serde_json::from_str;
use tacit_core::{
    Memory, MemoryId, MemoryRecord, Relation, RelationKind, RelationTarget, Timestamp, Usage,
};
use tacit_store::{MemoryKey, StoreResult};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::error::{damaged, unwritable};
use crate::filter::ProjectCondition;
use crate::text::{hexadecimal, number, to_stored};

/// The columns of a memory `m` that [`memory`] reads.
pub(crate) const COLUMNS: &str = "m.seq, m.doc, m.access_count, m.last_accessed_at, m.id";

/// The end of each entry in `memories.unit_path`.
pub(crate) const UNIT_END: char = '\u{1f}';

/// Parses a row that starts with [`COLUMNS`]. A value that no version of tacit writes is an error.
pub(crate) fn memory(connection: &Connection, row: &Row) -> StoreResult<(MemoryKey, Memory)> {
    let bad = |detail: String| damaged(connection.server(), format!("a memory's `doc` {detail}"));
    let doc: &str = connection.get(row, 1)?;
    let record: MemoryRecord = from_str(doc).map_err(|error| bad(error.to_string()))?;
    let mut memory = Memory::try_from(record).map_err(|error| bad(error.to_string()))?;
    if memory.id != identifier(connection, row, 4)? {
        return Err(bad("is that of another memory".to_owned()));
    }
    memory.usage = Usage {
        access_count: connection.get::<i64>(row, 2)?.unsigned_abs(),
        last_accessed_at: moment(connection, row, 3)?,
    };
    Ok((connection.get::<i64>(row, 0)?.unsigned_abs(), memory))
}

/// Runs a statement that selects [`COLUMNS`].
pub(crate) fn select(
    connection: &Connection,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> StoreResult<Vec<Memory>> {
    let rows = select_with_key(connection, sql, parameters)?;
    Ok(rows.into_iter().map(|(_, memory)| memory).collect())
}

/// Like [`select`], with the key of each memory. One that no version of tacit wrote must not hide the others;
/// a thorough check reports it.
pub(crate) fn select_with_key(
    connection: &Connection,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> StoreResult<Vec<(MemoryKey, Memory)>> {
    let rows = connection.rows(sql, parameters)?;
    Ok(rows.iter().filter_map(|row| memory(connection, row).ok()).collect())
}

/// Returns the memories with these identifiers in the same order. Unknown identifiers are skipped.
pub(crate) fn read(
    connection: &Connection,
    project: i64,
    ids: &[MemoryId],
) -> StoreResult<Vec<Memory>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.project = $1 AND m.id = ANY($2)");
    let bytes = bytes_of(ids);
    let mut found =
        select(connection, &sql, &[(&project, Type::INT8), (&bytes, Type::BYTEA_ARRAY)])?;
    found.sort_by_key(|memory| memory.id);
    let at = |id: &MemoryId| found.binary_search_by_key(id, |memory| memory.id).ok();
    let order: Vec<usize> = ids.iter().filter_map(at).collect();
    if order.iter().copied().eq(0..found.len()) {
        return Ok(found);
    }
    Ok(order.into_iter().map(|index| found[index].clone()).collect())
}

/// Returns the active memories that supersede or conflict with one of these, oldest first.
pub(crate) fn read_relating(
    connection: &Connection,
    project: i64,
    ids: &[MemoryId],
) -> StoreResult<Vec<Memory>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m WHERE m.project = $1 AND m.status = 'active'
         AND m.seq IN (SELECT k.seq FROM memory_marks k
             WHERE k.project = $1 AND k.kind = 'contradicted' AND k.value = ANY($2))
         ORDER BY m.seq"
    );
    let targets: Vec<String> = ids.iter().map(|id| hexadecimal(id.as_bytes())).collect();
    select(connection, &sql, &[(&project, Type::INT8), (&targets, Type::TEXT_ARRAY)])
}

/// Returns the memories with these keys in the same order. Unknown keys are skipped.
pub(crate) fn read_keys(
    connection: &Connection,
    keys: &[MemoryKey],
    mut condition: ProjectCondition,
) -> StoreResult<Vec<(MemoryKey, Memory)>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = condition.parameter(stored_keys(keys), Type::INT8_ARRAY);
    condition.term(format!("m.seq = ANY({wanted})"));
    let sql = format!("SELECT {COLUMNS} FROM memories m WHERE {}", condition.sql());
    let found = select_with_key(connection, &sql, &condition.parameters())?;
    let mut found: HashMap<MemoryKey, Memory> = found.into_iter().collect();
    Ok(keys.iter().filter_map(|key| found.remove(key).map(|memory| (*key, memory))).collect())
}

/// Returns the keys of memories about one of these files, newest first.
pub(crate) fn keys_about(
    connection: &Connection,
    files: &[tacit_core::RepoPath],
    mut condition: ProjectCondition,
    limit: usize,
) -> StoreResult<Vec<MemoryKey>> {
    let names: Vec<String> = files.iter().map(|file| to_stored(file.as_str()).into()).collect();
    let names = condition.parameter(names, Type::TEXT_ARRAY);
    condition.term(format!(
        "m.seq IN (SELECT k.seq FROM memory_marks k
             WHERE k.project = $1 AND k.kind = 'file' AND k.value = ANY({names})
         UNION ALL SELECT l.seq FROM memory_links l
             WHERE l.project = $1 AND l.path = ANY({names}))"
    ));
    let limit = condition.parameter(number(limit), Type::INT8);
    let sql = format!(
        "SELECT m.seq FROM memories m WHERE {} ORDER BY m.seq DESC LIMIT {limit}",
        condition.sql()
    );
    let rows = connection.rows(&sql, &condition.parameters())?;
    rows.iter().map(|row| Ok(connection.get::<i64>(row, 0)?.unsigned_abs())).collect()
}

/// Returns the identifiers as they are stored.
pub(crate) fn bytes_of(ids: &[MemoryId]) -> Vec<&[u8]> {
    ids.iter().map(|id| id.as_bytes().as_slice()).collect()
}

/// Returns the keys as they are stored. Larger ones than any that is stored are left out.
pub(crate) fn stored_keys(keys: &[MemoryKey]) -> Vec<i64> {
    keys.iter().filter_map(|key| i64::try_from(*key).ok()).collect()
}

/// Parses the identifier in a column.
pub(crate) fn identifier(
    connection: &Connection,
    row: &Row,
    column: usize,
) -> StoreResult<MemoryId> {
    let bytes: &[u8] = connection.get(row, column)?;
    let id = bytes.try_into().ok().and_then(MemoryId::from_bytes);
    id.ok_or_else(|| damaged(connection.server(), "a memory's `id` is not one"))
}

/// Parses the time in a column.
pub(crate) fn moment(connection: &Connection, row: &Row, column: usize) -> StoreResult<Timestamp> {
    let millis: i64 = connection.get(row, column)?;
    Timestamp::from_millis(millis)
        .ok_or_else(|| damaged(connection.server(), "a moment is out of range"))
}

/// Encodes a memory as JSON, which escapes U+0000.
pub(crate) fn doc_of(connection: &Connection, memory: &Memory) -> StoreResult<String> {
    serde_json::to_string(&memory.to_record())
        .map_err(|error| unwritable(connection.server(), &error))
}

/// Encodes a hierarchy for storage.
pub(crate) fn unit_path(hierarchy: &[String]) -> String {
    let path: String = hierarchy.iter().flat_map(|entry| [entry.as_str(), "\u{1f}"]).collect();
    to_stored(&path).into_owned()
}

/// Returns the kinds and values of a memory's marks, except those of its signature.
pub(crate) fn marks_of(memory: &Memory) -> (Vec<&'static str>, Vec<String>) {
    let body = &memory.body;
    let mut marks: Vec<(&'static str, String)> = Vec::new();
    marks.extend(body.tags.iter().map(|tag| ("tag", tag.to_string())));
    marks.extend(body.files.iter().map(|file| ("file", file.to_string())));
    marks.extend(body.modules.iter().map(|module| ("module", module.to_string())));
    marks.extend(body.origin.sessions.iter().map(|session| ("session", session.to_string())));
    marks.extend(body.relations.iter().filter_map(mark_of_relation));
    marks.sort_unstable();
    marks.dedup();
    marks.into_iter().map(|(kind, value)| (kind, to_stored(&value).into_owned())).unzip()
}

fn mark_of_relation(relation: &Relation) -> Option<(&'static str, String)> {
    let contradicts =
        matches!(relation.kind, RelationKind::Supersedes | RelationKind::ConflictsWith);
    match &relation.target {
        RelationTarget::File(path) => Some(("relation_file", path.to_string())),
        RelationTarget::Memory(id) if contradicts && !relation.auto_extracted => {
            Some(("contradicted", hexadecimal(id.as_bytes())))
        }
        RelationTarget::Memory(_) => None,
    }
}
