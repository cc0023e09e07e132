//! Storage of memories as rows.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use rusqlite::{Connection, Row, ToSql, named_params, params};
use serde_json::Value;
use tacit_core::{
    BoundedSet, Confidence, Cues, Details, HalfLife, Memory, MemoryBody, MemoryId, Origin,
    Placement, Problem, RelationKind, Relations, RepoPath, Status, StatusKind, Subject, Timestamp,
    Trust, Usage, Visibility, WorkUnitRef,
};
use tacit_store::{Filter, MemoryKey, StoreResult};

use crate::error::{damaged, explain, unwritable};
use crate::filter::Condition;
use crate::lists::{self, MemoryLists, in_tables};

/// All columns of a memory, with its lists as JSON, so that many memories are read with one
/// statement.
pub(crate) const COLUMNS: &str = concat!(
    "
    m.seq, m.id, m.type, m.title, m.content, m.reasoning, m.category, m.confidence, m.refs,
    m.scope, m.session, m.source, m.author, m.generator, m.commit_sha, m.target_node,
    m.decay_half_life_days, m.review, m.citation, m.stale_at, m.status, m.status_at,
    m.status_reason, m.observations, m.created_at, m.updated_at, m.access_count,
    m.last_accessed_at, m.details, m.symbols, m.stale_why, m.cues,
    m.stale_kind, m.phase, m.derived_confidence, m.visibility,
    (SELECT json_array(u.methodology, u.path, u.label) FROM work_units u WHERE u.seq = m.work_unit)
        AS work_unit,
    coalesce(m.lists, ",
    in_tables!(),
    ") AS lists"
);

/// The names of [`COLUMNS`], in order.
const NAMES: [&str; 38] = [
    "seq",
    "id",
    "type",
    "title",
    "content",
    "reasoning",
    "category",
    "confidence",
    "refs",
    "scope",
    "session",
    "source",
    "author",
    "generator",
    "commit_sha",
    "target_node",
    "decay_half_life_days",
    "review",
    "citation",
    "stale_at",
    "status",
    "status_at",
    "status_reason",
    "observations",
    "created_at",
    "updated_at",
    "access_count",
    "last_accessed_at",
    "details",
    "symbols",
    "stale_why",
    "cues",
    "stale_kind",
    "phase",
    "derived_confidence",
    "visibility",
    "work_unit",
    "lists",
];

/// Returns the index of a column at compile time, because looking up names in every row is slow.
const fn at(name: &str) -> usize {
    let name = name.as_bytes();
    let mut place = 0;
    while place < NAMES.len() {
        let other = NAMES[place].as_bytes();
        let mut same = 0;
        while same < name.len() && same < other.len() && name[same] == other[same] {
            same += 1;
        }
        if same == name.len() && same == other.len() {
            return place;
        }
        place += 1;
    }
    panic!("there is no such column")
}

/// The end of each entry in `work_units.path`.
pub(crate) const UNIT_END: char = '\u{1f}';

/// The most parameters of a statement.
const CHUNK: usize = 500;

/// Returns the memories with these identifiers in the same order. Unknown identifiers are skipped.
pub(crate) fn read(
    connection: &Connection,
    path: &Path,
    ids: &[MemoryId],
) -> StoreResult<Vec<Memory>> {
    let mut found = Vec::with_capacity(ids.len());
    for chunk in ids.chunks(CHUNK) {
        let marks = vec!["?"; chunk.len()].join(",");
        let sql = format!("SELECT {COLUMNS} FROM memories m WHERE m.id IN ({marks})");
        let parameters: Vec<&dyn ToSql> =
            chunk.iter().map(|id| id.as_bytes() as &dyn ToSql).collect();
        found.extend(select(connection, path, &sql, &parameters)?);
    }
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
    path: &Path,
    ids: &[MemoryId],
) -> StoreResult<Vec<Memory>> {
    let mut keys: Vec<MemoryKey> = Vec::new();
    for chunk in ids.chunks(CHUNK) {
        let marks = vec!["?"; chunk.len()].join(",");
        let kinds = [RelationKind::Supersedes, RelationKind::ConflictsWith]
            .map(|kind| format!("'{kind}'"))
            .join(",");
        let sql = format!(
            "SELECT memory FROM memory_relations
             WHERE target_memory IN ({marks}) AND kind IN ({kinds}) AND NOT auto_extracted"
        );
        let parameters: Vec<&dyn ToSql> =
            chunk.iter().map(|id| id.as_bytes() as &dyn ToSql).collect();
        let fail = |error| explain(path, &error);
        let mut statement = connection.prepare(&sql).map_err(fail)?;
        let found = statement.query_map(&*parameters, |row| row.get::<_, i64>(0)).map_err(fail)?;
        for key in found {
            keys.push(key.map_err(fail)?.unsigned_abs());
        }
    }
    // Few memories have relations, and reading whole ones takes longer than finding none.
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    keys.sort_unstable();
    keys.dedup();
    let active = Condition::of(&Filter { statistics: true, ..Filter::default() });
    let found = read_keys(connection, path, &keys, &active)?;
    Ok(found.into_iter().map(|(_, memory)| memory).collect())
}

/// Returns the memories with these keys in the same order. Unknown keys are skipped.
pub(crate) fn read_keys(
    connection: &Connection,
    path: &Path,
    keys: &[MemoryKey],
    condition: &Condition,
) -> StoreResult<Vec<(MemoryKey, Memory)>> {
    let mut found = HashMap::with_capacity(keys.len());
    for chunk in keys.chunks(CHUNK) {
        let list = serde_json::to_string(chunk).map_err(|e| explain(path, &unwritable(e)))?;
        let sql = format!(
            "SELECT {COLUMNS} FROM json_each(?) k CROSS JOIN memories m ON m.seq = k.value
             WHERE {}",
            condition.sql()
        );
        let mut parameters: Vec<&dyn ToSql> = vec![&list];
        parameters.extend(condition.parameters());
        for (seq, memory) in select_with_seq(connection, path, &sql, &parameters)? {
            found.insert(seq.unsigned_abs(), memory);
        }
    }
    Ok(keys.iter().filter_map(|key| found.remove(key).map(|memory| (*key, memory))).collect())
}

/// Returns the keys of memories about one of these files, newest first.
pub(crate) fn keys_about(
    connection: &Connection,
    path: &Path,
    files: &[RepoPath],
    condition: &Condition,
    limit: usize,
) -> StoreResult<Vec<MemoryKey>> {
    let marks = vec!["?"; files.len()].join(",");
    let sql = format!(
        "SELECT m.seq FROM memories m WHERE m.seq IN (
             SELECT memory FROM memory_files WHERE path IN ({marks})
             UNION SELECT memory FROM memory_links WHERE path IN ({marks}))
         AND {} ORDER BY m.seq DESC LIMIT ?",
        condition.sql()
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let both = names.iter().chain(&names);
    let mut parameters: Vec<&dyn ToSql> = both.map(|name| name as &dyn ToSql).collect();
    parameters.extend(condition.parameters());
    parameters.push(&limit);
    connection
        .prepare_cached(&sql)
        .and_then(|mut statement| {
            statement
                .query_map(parameters.as_slice(), |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()))?
                .collect()
        })
        .map_err(|error| explain(path, &error))
}

/// Runs a statement that selects [`COLUMNS`].
pub(crate) fn select(
    connection: &Connection,
    path: &Path,
    sql: &str,
    parameters: &[&dyn ToSql],
) -> StoreResult<Vec<Memory>> {
    let rows = select_with_seq(connection, path, sql, parameters)?;
    Ok(rows.into_iter().map(|(_, memory)| memory).collect())
}

/// Like [`select`], with the row number of each memory.
pub(crate) fn select_with_seq(
    connection: &Connection,
    path: &Path,
    sql: &str,
    parameters: &[&dyn ToSql],
) -> StoreResult<Vec<(i64, Memory)>> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut statement = connection.prepare_cached(sql).map_err(fail)?;
    let mut rows = statement.query(parameters).map_err(fail)?;
    let mut memories = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        let seq = row.get(const { at("seq") }).map_err(fail)?;
        let memory = read_row(row, path)?;
        memories.push((seq, memory));
    }
    Ok(memories)
}

/// Parses a row of [`COLUMNS`].
pub(crate) fn read_row(row: &Row<'_>, path: &Path) -> StoreResult<Memory> {
    memory(row).map_err(|error| match error {
        RowError::Sql(error) => explain(path, &error),
        RowError::Value { column, problem } => {
            damaged(path, format!("a memory's `{column}` {problem}"))
        }
    })
}

pub(crate) enum RowError {
    Sql(rusqlite::Error),
    Value { column: &'static str, problem: String },
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> RowError {
        RowError::Sql(error)
    }
}

/// Parses a row of [`COLUMNS`]. A value that no version of tacit writes is an error.
pub(crate) fn memory(row: &Row<'_>) -> Result<Memory, RowError> {
    let kind = text(row, const { at("type") })?;
    let details: Option<String> = row.get(const { at("details") })?;
    let details = details
        .map(|json| serde_json::from_str::<Value>(&json))
        .transpose()
        .map_err(|error| wrong(const { at("details") }, error))?;
    let details = Details::from_json(&kind, details)
        .map_err(|error| wrong(const { at("details") }, error))?;
    let placement = Placement::new(
        text(row, const { at("scope") })?,
        work_unit(row)?,
        optional(row, const { at("session") })?,
    )
    .map_err(|error| wrong(const { at("scope") }, error))?;
    let id: [u8; 16] = row.get(const { at("id") })?;
    let created_at = moment(row, const { at("created_at") })?;
    let mut memory = Memory {
        id: MemoryId::from_bytes(id)
            .ok_or_else(|| wrong(const { at("id") }, "is not an identifier"))?,
        body: MemoryBody {
            subject: Subject::new(details, placement)
                .map_err(|error| wrong(const { at("type") }, error))?,
            visibility: optional(row, const { at("visibility") })?.unwrap_or_default(),
            title: optional(row, const { at("title") })?,
            content: text(row, const { at("content") })?,
            reasoning: optional(row, const { at("reasoning") })?,
            category: optional(row, const { at("category") })?,
            confidence: Confidence::new(row.get(const { at("confidence") })?)
                .map_err(|error| wrong(const { at("confidence") }, error))?,
            derived_confidence: row
                .get::<_, Option<f64>>(const { at("derived_confidence") })?
                .map(Confidence::new)
                .transpose()
                .map_err(|error| wrong(const { at("derived_confidence") }, error))?,
            tags: BoundedSet::default(),
            cues: list(row, const { at("cues") }, Cues::collect)?,
            files: BoundedSet::default(),
            symbols: list(row, const { at("symbols") }, BoundedSet::collect)?,
            modules: BoundedSet::default(),
            references: list(row, const { at("refs") }, BoundedSet::collect)?,
            origin: Origin {
                source: text(row, const { at("source") })?,
                author: optional(row, const { at("author") })?,
                generator: optional(row, const { at("generator") })?,
                commit: optional(row, const { at("commit_sha") })?,
                phase: optional(row, const { at("phase") })?,
                sessions: BoundedSet::default(),
            },
            relations: Relations::default(),
            target_node: optional(row, const { at("target_node") })?,
            half_life: row
                .get::<_, Option<f64>>(const { at("decay_half_life_days") })?
                .map(HalfLife::from_days)
                .transpose()
                .map_err(|error| wrong(const { at("decay_half_life_days") }, error))?,
            trust: Trust {
                review: text(row, const { at("review") })?,
                citation: optional(row, const { at("citation") })?,
                stale_at: optional_moment(row, const { at("stale_at") })?,
                stale_kind: optional(row, const { at("stale_kind") })?,
                stale_why: optional(row, const { at("stale_why") })?,
            },
        },
        status: status(row)?,
        observations: row.get(const { at("observations") })?,
        created_at,
        updated_at: moment(row, const { at("updated_at") })?,
        usage: Usage {
            access_count: row.get::<_, i64>(const { at("access_count") })?.unsigned_abs(),
            last_accessed_at: moment(row, const { at("last_accessed_at") })?,
        },
    };
    let lists = row.get_ref(const { at("lists") })?.as_str();
    let lists = lists.map_err(|error| wrong(const { at("lists") }, error))?;
    MemoryLists::read(lists)
        .map_err(|error| wrong(const { at("lists") }, error))?
        .give_to(&mut memory.body)
        .map_err(|(column, problem)| RowError::Value { column, problem: problem.to_string() })?;
    Ok(memory)
}

fn wrong(column: usize, problem: impl std::fmt::Display) -> RowError {
    RowError::Value { column: NAMES[column], problem: format!("{problem}") }
}

fn text<T: FromStr<Err = Problem>>(row: &Row<'_>, column: usize) -> Result<T, RowError> {
    let text = row.get_ref(column)?.as_str().map_err(|error| wrong(column, error))?;
    text.parse().map_err(|problem| wrong(column, problem))
}

fn optional<T: FromStr<Err = Problem>>(
    row: &Row<'_>,
    column: usize,
) -> Result<Option<T>, RowError> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => text(row, column).map(Some),
    }
}

fn moment(row: &Row<'_>, column: usize) -> Result<Timestamp, RowError> {
    Timestamp::from_millis(row.get(column)?).ok_or_else(|| wrong(column, "is not a moment"))
}

fn optional_moment(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>, RowError> {
    let millis: Option<i64> = row.get(column)?;
    millis
        .map(|millis| {
            Timestamp::from_millis(millis).ok_or_else(|| wrong(column, "is not a moment"))
        })
        .transpose()
}

/// Parses a column with a JSON list of texts.
fn list<T, L>(
    row: &Row<'_>,
    column: usize,
    collect: fn(Vec<T>) -> Result<L, Problem>,
) -> Result<L, RowError>
where
    T: FromStr<Err = Problem>,
    L: Default,
{
    let json: Option<String> = row.get(column)?;
    let Some(json) = json.filter(|json| json != "[]") else {
        return Ok(L::default());
    };
    let texts: Vec<String> = serde_json::from_str(&json).map_err(|error| wrong(column, error))?;
    let values: Result<Vec<T>, Problem> = texts.iter().map(|text| text.parse()).collect();
    values.and_then(collect).map_err(|problem| wrong(column, problem))
}

fn status(row: &Row<'_>) -> Result<Status, RowError> {
    let kind: StatusKind = text(row, const { at("status") })?;
    if kind == StatusKind::Active {
        return Ok(Status::Active);
    }
    let reason = text(row, const { at("status_reason") })?;
    let at = moment(row, const { at("status_at") })?;
    Ok(match kind {
        StatusKind::Archived => Status::Archived { at, reason },
        _ => Status::Retired { at, reason },
    })
}

fn work_unit(row: &Row<'_>) -> Result<Option<WorkUnitRef>, RowError> {
    let json: Option<String> = row.get(const { at("work_unit") })?;
    let Some(json) = json else { return Ok(None) };
    let (methodology, path, label): (String, String, String) =
        serde_json::from_str(&json).map_err(|error| wrong(const { at("work_unit") }, error))?;
    let hierarchy = path.split_terminator(UNIT_END).map(str::to_owned).collect();
    WorkUnitRef::new(methodology, hierarchy, label)
        .map(Some)
        .map_err(|problem| wrong(const { at("work_unit") }, problem))
}

/// Inserts a memory's row, or updates the row `seq`.
pub(crate) fn put(
    connection: &Connection,
    memory: &Memory,
    seq: Option<i64>,
) -> rusqlite::Result<i64> {
    const INSERT: &str = "
        INSERT INTO memories (id, short, content_hash, type, title, content, reasoning, category,
            confidence, refs, scope, work_unit, session, source, author, generator, commit_sha,
            target_node, decay_half_life_days, review, citation, stale_at, status, status_at,
            status_reason, observations, created_at, updated_at, access_count, last_accessed_at,
            details, symbols, stale_why, cues, stale_kind, phase, derived_confidence, visibility,
            lists)
        VALUES (:id, :short, :content_hash, :type, :title, :content, :reasoning, :category,
            :confidence, :refs, :scope, :work_unit, :session, :source, :author, :generator,
            :commit_sha, :target_node, :decay_half_life_days, :review, :citation, :stale_at,
            :status, :status_at, :status_reason, :observations, :created_at, :updated_at,
            :access_count, :last_accessed_at, :details, :symbols, :stale_why, :cues,
            :stale_kind, :phase, :derived_confidence, :visibility, :lists)";
    const UPDATE: &str = "
        UPDATE memories SET id = :id, short = :short, content_hash = :content_hash, type = :type,
            title = :title, content = :content, reasoning = :reasoning, category = :category,
            confidence = :confidence, refs = :refs, scope = :scope, work_unit = :work_unit,
            session = :session, source = :source, author = :author, generator = :generator,
            commit_sha = :commit_sha, target_node = :target_node,
            decay_half_life_days = :decay_half_life_days, review = :review, citation = :citation,
            stale_at = :stale_at, status = :status, status_at = :status_at,
            status_reason = :status_reason, observations = :observations,
            created_at = :created_at, updated_at = :updated_at, access_count = :access_count,
            last_accessed_at = :last_accessed_at, details = :details, symbols = :symbols,
            stale_why = :stale_why, cues = :cues, stale_kind = :stale_kind, phase = :phase,
            derived_confidence = :derived_confidence, visibility = :visibility, lists = :lists
        WHERE id = :id";
    let body = &memory.body;
    let placement = body.subject.placement();
    let unit = placement.work_unit().map(|unit| unit_seq(connection, unit)).transpose()?;
    let list = |texts: Vec<&str>| (!texts.is_empty()).then(|| Value::from(texts).to_string());
    let references = list(body.references.iter().map(|r| r.as_str()).collect());
    let symbols = list(body.symbols.iter().map(|s| s.as_str()).collect());
    let cues = list(body.cues.iter().map(|c| c.as_str()).collect());
    let left = memory.status.inactive_since();
    connection.prepare_cached(if seq.is_some() { UPDATE } else { INSERT })?.execute(
        named_params! {
            ":id": memory.id.as_bytes(),
            ":short": memory.id.short().value(),
            ":content_hash": memory.content_hash().as_bytes(),
            ":type": memory.memory_type().as_str(),
            ":title": body.title.as_ref().map(|t| t.as_str()),
            ":content": body.content.as_str(),
            ":reasoning": body.reasoning.as_ref().map(|r| r.as_str()),
            ":category": body.category.map(|c| c.as_str()),
            ":confidence": body.confidence.value(),
            ":refs": references,
            ":scope": placement.scope().as_str(),
            ":work_unit": unit,
            ":session": placement.session().map(|s| s.as_str()),
            ":source": body.origin.source.as_str(),
            ":author": body.origin.author.as_ref().map(|a| a.as_str()),
            ":generator": body.origin.generator.as_ref().map(|g| g.as_str()),
            ":commit_sha": body.origin.commit.as_ref().map(|c| c.as_str()),
            ":target_node": body.target_node.as_ref().map(|n| n.as_str()),
            ":decay_half_life_days": body.half_life.map(HalfLife::days),
            ":review": body.trust.review.as_str(),
            ":citation": body.trust.citation.as_ref().map(|c| c.as_str()),
            ":stale_at": body.trust.stale_at.map(Timestamp::as_millis),
            ":status": memory.status.kind().as_str(),
            ":status_at": left.map(|(at, _)| at.as_millis()),
            ":status_reason": left.map(|(_, reason)| reason.as_str()),
            ":observations": memory.observations,
            ":created_at": memory.created_at.as_millis(),
            ":updated_at": memory.updated_at.as_millis(),
            ":access_count": i64::try_from(memory.usage.access_count).unwrap_or(i64::MAX),
            ":last_accessed_at": memory.usage.last_accessed_at.as_millis(),
            ":details": body.subject.details().to_json().map(|json| json.to_string()),
            ":symbols": symbols,
            ":stale_why": body.trust.stale_why.as_ref().map(|w| w.as_str()),
            ":cues": cues,
            ":stale_kind": body.trust.stale_kind.map(|kind| kind.as_str()),
            ":phase": body.origin.phase.map(|phase| phase.as_str()),
            ":derived_confidence": body.derived_confidence.map(Confidence::value),
            ":visibility": Some(body.visibility).filter(|it| !it.is_team()).map(Visibility::as_str),
            ":lists": lists::text_of(body),
        },
    )?;
    let seq = seq.unwrap_or_else(|| connection.last_insert_rowid());
    Ok(seq)
}

fn unit_seq(connection: &Connection, unit: &WorkUnitRef) -> rusqlite::Result<i64> {
    let path = unit_path(unit.hierarchy());
    connection
        .prepare_cached(
            "INSERT INTO work_units (methodology, path, label) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![unit.methodology(), path, unit.label()])?;
    connection
        .prepare_cached(
            "SELECT seq FROM work_units WHERE path = ? AND methodology = ? AND label = ?",
        )?
        .query_row(params![path, unit.methodology(), unit.label()], |row| row.get(0))
}

/// Encodes a hierarchy for storage.
pub(crate) fn unit_path(hierarchy: &[String]) -> String {
    hierarchy.iter().flat_map(|entry| [entry.as_str(), "\u{1f}"]).collect()
}

/// Returns the row number of a memory.
pub(crate) fn seq_of(connection: &Connection, id: &MemoryId) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT seq FROM memories WHERE id = ?")?
        .query_row([id.as_bytes()], |row| row.get(0))
}
