//! The lists of a memory: tags, files, modules, sessions and relations.
//!
//! Each list is stored twice: in tables, for searching, and as JSON in the memory's row, for reading.

use rusqlite::{Connection, params};
use serde_json::Value;
use tacit_core::{
    BoundedSet, Confidence, Memory, MemoryBody, Problem, Relation, RelationTarget, Relations,
};

/// The SQL expression of a memory's lists, built from the tables in the row's format.
macro_rules! in_tables {
    () => {
        "json_array(
        json((SELECT json_group_array(tag) FROM memory_tags WHERE memory = m.seq)),
        json((SELECT json_group_array(path) FROM memory_files WHERE memory = m.seq)),
        json((SELECT json_group_array(module) FROM memory_modules WHERE memory = m.seq)),
        json((SELECT json_group_array(session) FROM memory_sessions WHERE memory = m.seq)),
        json((SELECT json_group_array(json_array(
            kind, hex(target_memory), target_file, confidence, auto_extracted))
            FROM memory_relations WHERE memory = m.seq)))"
    };
}
pub(crate) use in_tables;

/// A relation in the JSON: kind, target memory, target file, confidence, and whether it was found
/// automatically.
type RelationRow = (String, String, Option<String>, f64, i64);

/// The lists in the JSON.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
pub(crate) struct MemoryLists {
    tags: Vec<String>,
    files: Vec<String>,
    modules: Vec<String>,
    sessions: Vec<String>,
    relations: Vec<RelationRow>,
}

impl MemoryLists {
    /// Parses the JSON.
    pub(crate) fn read(text: &str) -> Result<MemoryLists, serde_json::Error> {
        match text {
            "[[],[],[],[],[]]" => Ok(MemoryLists::default()),
            text => serde_json::from_str(text),
        }
    }

    /// Sets the lists of a memory. The error names the invalid list.
    pub(crate) fn give_to(&self, body: &mut MemoryBody) -> Result<(), (&'static str, Problem)> {
        body.tags = values(&self.tags).map_err(|problem| ("tags", problem))?;
        body.files = values(&self.files).map_err(|problem| ("files", problem))?;
        body.modules = values(&self.modules).map_err(|problem| ("modules", problem))?;
        body.origin.sessions = values(&self.sessions).map_err(|problem| ("sessions", problem))?;
        body.relations = relations(&self.relations).map_err(|problem| ("relations", problem))?;
        Ok(())
    }
}

/// Encodes the lists of a memory as JSON.
pub(crate) fn text_of(body: &MemoryBody) -> String {
    let relation = |relation: &Relation| {
        let (memory, file) = match &relation.target {
            RelationTarget::Memory(id) => (hexadecimal(id.as_bytes()), None),
            RelationTarget::File(path) => (String::new(), Some(path.as_str())),
        };
        let Relation { kind, confidence, auto_extracted, .. } = relation;
        let row = (kind.as_str(), memory, file, confidence.value(), i64::from(*auto_extracted));
        serde_json::json!(row)
    };
    Value::Array(vec![
        body.tags.iter().map(|tag| tag.as_str()).collect(),
        body.files.iter().map(|file| file.as_str()).collect(),
        body.modules.iter().map(|module| module.as_str()).collect(),
        body.origin.sessions.iter().map(|session| session.as_str()).collect(),
        body.relations.iter().map(relation).collect(),
    ])
    .to_string()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn values<T, const MAX: usize>(texts: &[String]) -> Result<BoundedSet<T, MAX>, Problem>
where
    T: std::str::FromStr<Err = Problem> + Ord,
{
    let values: Result<Vec<T>, Problem> = texts.iter().map(|text| text.parse()).collect();
    values.and_then(BoundedSet::collect)
}

fn relations(rows: &[RelationRow]) -> Result<Relations, Problem> {
    let relations: Result<Vec<Relation>, Problem> = rows
        .iter()
        .map(|(kind, memory, file, confidence, auto_extracted)| {
            let target = match file {
                Some(file) => RelationTarget::File(file.parse()?),
                None => RelationTarget::Memory(memory.parse()?),
            };
            Ok(Relation {
                target,
                kind: kind.parse()?,
                confidence: Confidence::new(*confidence)?,
                auto_extracted: *auto_extracted != 0,
            })
        })
        .collect();
    relations.and_then(Relations::collect)
}

/// Adds the JSON to rows of an earlier version. Returns their number.
pub(crate) fn complete(connection: &Connection, limit: usize) -> rusqlite::Result<usize> {
    const SQL: &str = concat!(
        "UPDATE memories AS m SET lists = ",
        in_tables!(),
        " WHERE m.seq IN (SELECT seq FROM memories WHERE lists IS NULL LIMIT ?)"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    connection.prepare_cached(SQL)?.execute([limit])
}

/// Returns the number of memories whose JSON differs from the tables.
pub(crate) fn count_wrong(connection: &Connection) -> rusqlite::Result<u64> {
    const SQL: &str =
        concat!("SELECT m.lists, ", in_tables!(), " FROM memories m WHERE m.lists IS NOT NULL");
    let mut statement = connection.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut wrong = 0;
    while let Some(row) = rows.next()? {
        let read = |column| {
            let text = row.get_ref(column).ok()?.as_str().ok()?;
            MemoryLists::read(text).ok()
        };
        let (ours, theirs) = (read(0), read(1));
        wrong += u64::from(ours.is_none() || ours != theirs);
    }
    Ok(wrong)
}

/// Writes the lists of a memory to the tables, replacing those of `before`.
pub(crate) fn put(
    connection: &Connection,
    seq: i64,
    before: Option<&Memory>,
    after: &Memory,
) -> rusqlite::Result<()> {
    let body = &after.body;
    let old = before.map(|memory| &memory.body);
    list(connection, "memory_tags", "tag", seq, old.map(|o| &o.tags), &body.tags, |t| t.as_str())?;
    let files = old.map(|o| &o.files);
    list(connection, "memory_files", "path", seq, files, &body.files, |f| f.as_str())?;
    let modules = old.map(|o| &o.modules);
    list(connection, "memory_modules", "module", seq, modules, &body.modules, |m| m.as_str())?;
    let sessions = old.map(|o| &o.origin.sessions);
    let new = &body.origin.sessions;
    list(connection, "memory_sessions", "session", seq, sessions, new, |s| s.as_str())?;
    if old.is_none_or(|old| old.relations != body.relations) {
        put_relations(connection, seq, old.is_some(), &body.relations)?;
    }
    Ok(())
}

fn list<T: Ord, const MAX: usize>(
    connection: &Connection,
    table: &str,
    column: &str,
    seq: i64,
    before: Option<&BoundedSet<T, MAX>>,
    after: &BoundedSet<T, MAX>,
    as_str: fn(&T) -> &str,
) -> rusqlite::Result<()> {
    if let Some(before) = before {
        for gone in before.iter().filter(|value| !after.contains(value)) {
            let sql = format!("DELETE FROM {table} WHERE memory = ? AND {column} = ?");
            connection.prepare_cached(&sql)?.execute(params![seq, as_str(gone)])?;
        }
    }
    for new in after.iter().filter(|value| before.is_none_or(|before| !before.contains(value))) {
        let sql = format!("INSERT INTO {table} (memory, {column}) VALUES (?, ?)");
        connection.prepare_cached(&sql)?.execute(params![seq, as_str(new)])?;
    }
    Ok(())
}

fn put_relations(
    connection: &Connection,
    seq: i64,
    replace: bool,
    relations: &Relations,
) -> rusqlite::Result<()> {
    if replace {
        connection
            .prepare_cached("DELETE FROM memory_relations WHERE memory = ?")?
            .execute([seq])?;
    }
    for relation in relations.iter() {
        let (memory, file) = match &relation.target {
            RelationTarget::Memory(id) => (Some(id.as_bytes()), None),
            RelationTarget::File(path) => (None, Some(path.as_str())),
        };
        connection
            .prepare_cached(
                "INSERT INTO memory_relations
                     (memory, kind, target_memory, target_file, confidence, auto_extracted)
                 VALUES (?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                seq,
                relation.kind.as_str(),
                memory,
                file,
                relation.confidence.value(),
                relation.auto_extracted
            ])?;
    }
    Ok(())
}
